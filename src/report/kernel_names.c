/* C++ kernels by names that fit a terminal. */
#include "config.h"

#include "report/kernel_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Where the parameter list begins, or the end of a name without one. */
static size_t without_parameters(const char *name, size_t length)
{
    size_t depth = 0, at = length;
    if (length == 0 || name[length - 1] != ')')
        return length;
    while (at > 0) {
        at--;
        depth += name[at] == ')';
        depth -= name[at] == '(';
        if (depth == 0)
            break;
    }
    return depth == 0 && at > 0 ? at : length;
}

/* Whether every '<' has a matching '>', which "operator<" does not. */
static bool is_balanced(const char *name, size_t length)
{
    long depth = 0;
    for (size_t i = 0; i < length && depth >= 0; i++)
        depth += (name[i] == '<') - (name[i] == '>');
    return depth == 0;
}

void smc_kernel_name_shorten(const char *name, struct smc_text *out)
{
    static const char returns[] = "void ";
    if (strncmp(name, returns, sizeof returns - 1) == 0)
        name += sizeof returns - 1;
    size_t length = without_parameters(name, strlen(name));
    if (!is_balanced(name, length)) {
        smc_text_append_bytes(out, name, length);
        return;
    }
    long depth = 0;
    for (size_t i = 0; i < length; i++) {
        depth -= name[i] == '>';
        if (depth < 2)
            smc_text_append_char(out, name[i], 1);
        if (name[i] == '<' && depth == 1)
            smc_text_append(out, "..");
        depth += name[i] == '<';
    }
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void smc_kernel_names_init(struct smc_kernel_names *names, const char *const *shown, size_t count)
{
    *names = (struct smc_kernel_names){smc_calloc(count ? count : 1, sizeof *names->ambiguous), 0};
    size_t kept = 0;
    for (size_t i = 0; names->ambiguous && i < count; i++) {
        struct smc_text text = {0};
        smc_kernel_name_shorten(shown[i], &text);
        if (text.data)
            names->ambiguous[names->count++] = text.data;
    }
    if (!names->ambiguous)
        return;
    qsort(names->ambiguous, names->count, sizeof *names->ambiguous, compare);
    for (size_t i = 0; i < names->count; i++) {
        char *name = names->ambiguous[i];
        bool again = i + 1 < names->count && strcmp(name, names->ambiguous[i + 1]) == 0;
        bool listed = kept > 0 && strcmp(name, names->ambiguous[kept - 1]) == 0;
        if (again && !listed)
            names->ambiguous[kept++] = name;
        else
            free(name);
    }
    names->count = kept;
}

void smc_kernel_names_free(struct smc_kernel_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->ambiguous[i]);
    free(names->ambiguous);
    *names = (struct smc_kernel_names){0};
}

/* Where a line of at most `most` bytes ends: after a comma or a colon if its second half has one,
   and never within a character. */
static size_t break_before(const char *text, size_t most)
{
    for (size_t n = most; n > most / 2; n--)
        if ((text[n - 1] == ' ' && text[n - 2] == ',') || (text[n - 1] == ':' && text[n] != ':'))
            return n;
    while (most > 1 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* Names contain few blanks. */
static void append_wrapped(const char *text, size_t columns, struct smc_text *out)
{
    static const char indent[] = "    ";
    size_t length = strlen(text), most = columns, count;
    for (bool first = true; length > 0; first = false, text += count, length -= count) {
        if (!first)
            smc_text_append(out, indent);
        most = first ? columns : columns - (sizeof indent - 1);
        count = length < most ? length : most;
        if (count < length)
            count = break_before(text, count);
        smc_text_append_bytes(out, text, count - (text[count - 1] == ' '));
        smc_text_append_char(out, '\n', 1);
    }
}

void smc_kernel_names_append(const struct smc_kernel_names *names, const char *shown,
                             size_t columns, struct smc_text *out)
{
    struct smc_text text = {0};
    smc_kernel_name_shorten(shown, &text);
    bool ambiguous =
        text.data && names->count > 0 &&
        bsearch(&text.data, names->ambiguous, names->count, sizeof *names->ambiguous, compare);
    append_wrapped(ambiguous || !text.data ? shown : text.data, columns, out);
    smc_text_free(&text);
}
