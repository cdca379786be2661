/* Fuzzes text laid out in columns: no line is wider than asked for unless its word is, words are
   neither lost nor joined, and bars have their width. The first four bytes choose the widths. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "show/words/paragraphs.h"

enum { CHOICES = 4 };

/* A line that begins a word after `indent` may be longer than `columns` by that word alone. */
static void check_line(const char *line, size_t length, size_t indent, size_t columns)
{
    char *copy = strndup(line, length);
    if (!copy)
        return;
    size_t begin = strspn(copy, " ");
    if ((size_t)smc_utf8_string_columns(copy) > columns && strchr(copy + begin, ' ') &&
        begin >= indent)
        abort();
    free(copy);
}

/* Lines break between characters of two columns, such as Chinese ones. */
static bool has_wide(const char *text)
{
    while (*text)
        if (smc_utf8_columns(smc_utf8_next(&text)) > 1)
            return true;
    return false;
}

static void check_characters(const char *given, const char *laid_out)
{
    static const char spaces[] = " \n";
    for (; *given || *laid_out; given++, laid_out++) {
        given += strspn(given, spaces);
        laid_out += strspn(laid_out, spaces);
        if (*given != *laid_out)
            abort();
        if (!*given)
            return;
    }
}

/* The words of both texts are the same, in order. */
static void check_words(const char *given, const char *laid_out)
{
    static const char spaces[] = " \n";
    if (has_wide(given)) {
        check_characters(given, laid_out);
        return;
    }
    for (;;) {
        given += strspn(given, spaces);
        laid_out += strspn(laid_out, spaces);
        size_t length = strcspn(given, spaces);
        if (length != strcspn(laid_out, spaces) || memcmp(given, laid_out, length) != 0)
            abort();
        if (length == 0)
            return;
        given += length;
        laid_out += length;
    }
}

static void check_paragraph(const char *label, const char *text, size_t indent, size_t columns)
{
    struct smc_text out = {0};
    smc_layout_paragraph(&out, label, indent, text, columns);
    const char *laid_out = smc_text_string(&out);
    if (out.length == 0 || laid_out[out.length - 1] != '\n')
        abort();
    if (*label == '\0')
        check_words(text, laid_out);
    for (const char *line = *label ? strchr(laid_out, '\n') + 1 : laid_out; *line;) {
        size_t length = strcspn(line, "\n");
        check_line(line, length, indent, columns);
        line += length + 1;
    }
    smc_text_free(&out);
}

static void check_bar(double share, unsigned width, bool utf8)
{
    struct smc_text out = {0};
    smc_layout_bar(&out, share, width, utf8);
    if ((unsigned)smc_utf8_string_columns(smc_text_string(&out)) != width)
        abort();
    smc_text_free(&out);
}

/* A paragraph gets text that is safe, in lines of its own. */
static char *make_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return NULL;
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    smc_utf8_make_safe(text);
    return text;
}

int fuzz_layout(const uint8_t *data, size_t size)
{
    double share;
    if (size < CHOICES + sizeof share)
        return 0;
    memcpy(&share, data + CHOICES, sizeof share);
    if (share == share) {
        struct smc_text percent = {0};
        check_bar(share, data[2] % 120u, data[3] & 1);
        check_bar(data[0] / 255., data[2] % 120u, data[3] & 1);
        if (share >= 0 && share < 1e9)
            smc_layout_percent(&percent, share);
        smc_text_free(&percent);
    }
    char *text = make_text(data + CHOICES, size - CHOICES);
    if (!text)
        return 0;
    char *rest = strchr(text, '|'); /* a label ends in front of it */
    check_paragraph("", text, data[0] % 40, 1 + data[1]);
    if (rest) {
        *rest++ = '\0';
        check_paragraph(text, rest, data[0] % 40, 1 + data[1]);
    }
    free(text);
    return 0;
}
