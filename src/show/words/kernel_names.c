/* C++ kernels by names that fit a terminal. */
#include "config.h"

#include "show/words/kernel_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "code/names.h"

/* --- The forms of a name ---------------------------------------------------------------- */

static const char unnamed[] = "(anonymous namespace)::", call[] = "operator()";

/* "<a, b<..> >" of "<a, b<c, d> >". */
static void append_outermost(const char *text, size_t length, struct smc_text *out)
{
    for (size_t i = 0; i < length; i++) {
        size_t nested = i > 0 && text[i] == '<' ? smc_name_bracketed(text + i) : 0;
        if (nested > 0 && i + nested < length) {
            smc_text_append(out, "<..>");
            i += nested - 1;
        } else if (text[i] != ' ' || text[i + 1] != '>') {
            smc_text_append_char(out, text[i], 1);
        }
    }
}

void smc_kernel_name_shorten(const char *shown, struct smc_text *out)
{
    struct smc_name name;
    smc_name_parse(shown, &name);
    for (size_t i = 0; i < name.length;) {
        size_t length = name.begin[i] == '<' ? smc_name_bracketed(name.begin + i) : 0;
        if (length > 0 && i + length <= name.length)
            append_outermost(name.begin + i, length, out);
        else
            smc_text_append_char(out, name.begin[i], 1);
        i += length > 0 ? length : 1;
    }
}

/* The length of the parameters of a function that encloses what follows, "(int) const" of
   "f(int) const::{lambda()#1}"; 0: none begin here. */
static size_t enclosing_parameters(const char *text)
{
    size_t length = *text == '(' ? smc_name_bracketed(text) : 0;
    if (length > 0 && smc_begins(text + length, " const"))
        length += strlen(" const");
    return length > 0 && smc_begins(text + length, "::") ? length : 0;
}

/* "{lambda#1}" of "{lambda(int)#1}". */
static void append_lambda(const char *text, size_t length, struct smc_text *out)
{
    for (size_t i = 0; i < length; i++) {
        size_t parameters = text[i] == '(' ? smc_name_bracketed(text + i) : 0;
        if (parameters > 0 && i + parameters < length)
            i += parameters - 1;
        else
            smc_text_append_char(out, text[i], 1);
    }
}

static void append_arguments(const char *text, size_t length, bool nested, struct smc_text *out);

/* What begins at text[i] and is not copied as it is; its length, or 0 for anything else. */
static size_t append_part(const char *text, size_t i, size_t length, bool nested,
                          struct smc_text *out)
{
    const char *at = text + i;
    const size_t inner = i > 0 && strchr("<{", *at) ? smc_name_bracketed(at) : 0;
    const size_t parameters = enclosing_parameters(at);
    if (smc_begins(at, unnamed))
        return sizeof unnamed - 1;
    if (smc_begins(at, call)) {
        if (out->length < 2 || out->failed || out->data[out->length - 1] != '}')
            smc_text_append(out, call);
        return sizeof call - 1;
    }
    if (parameters > 0 && i + parameters < length)
        return parameters;
    if (inner == 0 || i + inner >= length)
        return 0;
    if (*at == '{')
        append_lambda(at, inner, out);
    else if (nested)
        append_arguments(at, inner, true, out);
    else
        smc_text_append(out, "<..>");
    return inner;
}

/* Template arguments without namespaces, and unless `nested` without their own arguments:
   "<float, policy<..>>" of "<float, a::b<int>::policy<int, 4> >". What a lambda or a call operator
   belongs to stays: "f::{lambda#1}" of "a::f(int)::{lambda()#1}". */
static void append_arguments(const char *text, size_t length, bool nested, struct smc_text *out)
{
    size_t begin = out->length; /* of the word that a namespace may be */
    for (size_t i = 0, part; i < length; i += part) {
        const char *at = text + i;
        part = append_part(text, i, length, nested, out);
        if (part > 0)
            continue;
        part = smc_begins(at, "::") ? 2 : 1;
        if (part == 2) {
            const bool of_lambda = i > 0 && at[-1] == '}';
            if (at[2] == '{' || (smc_begins(at + 2, call) && !of_lambda))
                smc_text_append(out, "::");
            else if (!of_lambda && !out->failed)
                out->length = begin;
        } else if (*at != ' ' || at[1] != '>') {
            smc_text_append_char(out, *at, 1);
            if (strchr(" ,(<&*", *at))
                begin = out->length;
        }
    }
}

static void append_last_part(const char *shown, bool nested, struct smc_text *out)
{
    struct smc_name name;
    smc_name_parse(shown, &name);
    smc_text_append_bytes(out, name.begin + name.last, name.arguments - name.last);
    append_arguments(name.begin + name.arguments, name.length - name.arguments, nested, out);
}

void smc_kernel_name_brief(const char *shown, struct smc_text *out)
{
    append_last_part(shown, false, out);
}

static void append_all_arguments(const char *shown, struct smc_text *out)
{
    append_last_part(shown, true, out);
}

static void append_without_parameters(const char *shown, struct smc_text *out)
{
    struct smc_name name;
    smc_name_parse(shown, &name);
    smc_text_append_bytes(out, name.begin, name.length);
}

/* The same with the first arguments alone: "k<float, policy<..>, ..>". */
static void append_first_arguments(const char *shown, struct smc_text *out)
{
    enum { MOST_ARGUMENT_BYTES = 32 };
    struct smc_name name;
    smc_auto_text brief = {0};
    smc_kernel_name_brief(shown, &brief);
    smc_name_parse(shown, &name);
    size_t begin = name.arguments - name.last, end = 0;
    for (size_t i = begin; i < brief.length && i < begin + MOST_ARGUMENT_BYTES; i++) {
        size_t nested =
            i > begin && strchr("<({", brief.data[i]) ? smc_name_bracketed(brief.data + i) : 0;
        if (brief.data[i] == ',')
            end = i + 1;
        i += nested > 0 ? nested - 1 : 0;
    }
    if (brief.length <= begin + MOST_ARGUMENT_BYTES)
        smc_text_append(out, smc_text_string(&brief));
    else if (end > 0)
        smc_text_printf(out, "%.*s ..>", (int)end, brief.data);
    else
        smc_text_printf(out, "%.*s<..>", (int)begin, brief.data);
}

/* From the shortest. */
static void (*const forms[SMC_KERNEL_NAME_FORMS])(const char *shown, struct smc_text *out) = {
    append_first_arguments,  smc_kernel_name_brief,     append_all_arguments,
    smc_kernel_name_shorten, append_without_parameters,
};

/* --- Which are distinct ----------------------------------------------------------------------- */

struct formed {
    char *form;
    const char *shown;
};

static int compare_formed(const void *a, const void *b)
{
    const struct formed *x = a, *y = b;
    int order = strcmp(x->form, y->form);
    return order ? order : strcmp(x->shown, y->shown);
}

/* Keeps the forms that two different names have, each once, and frees the others. */
static size_t keep_ambiguous(struct formed *formed, size_t count, char **ambiguous)
{
    size_t kept = 0;
    qsort(formed, count, sizeof *formed, compare_formed);
    for (size_t i = 0; i < count; i++) {
        bool again = i + 1 < count && strcmp(formed[i].form, formed[i + 1].form) == 0 &&
                     strcmp(formed[i].shown, formed[i + 1].shown) != 0;
        bool listed = kept > 0 && strcmp(formed[i].form, ambiguous[kept - 1]) == 0;
        if (again && !listed)
            ambiguous[kept++] = formed[i].form;
        else
            free(formed[i].form);
    }
    return kept;
}

static void find_ambiguous(const char *const *shown, size_t count, int form,
                           struct smc_kernel_names *names)
{
    smc_auto_free struct formed *formed = smc_calloc(count + 1, sizeof *formed);
    size_t formed_count = 0;
    names->ambiguous[form] = smc_calloc(count + 1, sizeof *names->ambiguous[form]);
    for (size_t i = 0; formed && names->ambiguous[form] && i < count; i++) {
        struct smc_text text = {0};
        forms[form](shown[i], &text);
        if (text.data)
            formed[formed_count++] = (struct formed){text.data, shown[i]};
    }
    if (formed_count > 0)
        names->count[form] = keep_ambiguous(formed, formed_count, names->ambiguous[form]);
}

void smc_kernel_names_init(struct smc_kernel_names *names, const char *const *shown, size_t count)
{
    *names = (struct smc_kernel_names){0};
    for (int form = 0; form < SMC_KERNEL_NAME_FORMS; form++)
        find_ambiguous(shown, count, form, names);
}

void smc_kernel_names_of_trace(struct smc_kernel_names *names,
                               const struct smc_trace_answer *answer)
{
    smc_auto_free const char **shown = smc_calloc(answer->kernel_count + 1, sizeof *shown);
    for (size_t i = 0; shown && i < answer->kernel_count; i++)
        shown[i] = answer->kernels[i].shown;
    smc_kernel_names_init(names, shown, shown ? answer->kernel_count : 0);
}

void smc_kernel_names_free(struct smc_kernel_names *names)
{
    for (int form = 0; form < SMC_KERNEL_NAME_FORMS; form++) {
        for (size_t i = 0; i < names->count[form]; i++)
            free(names->ambiguous[form][i]);
        free(names->ambiguous[form]);
    }
    *names = (struct smc_kernel_names){0};
}

void smc_kernel_names_choose(const struct smc_kernel_names *names, const char *shown,
                             struct smc_text *out)
{
    for (int form = 0; form < SMC_KERNEL_NAME_FORMS; form++) {
        smc_auto_text text = {0};
        forms[form](shown, &text);
        bool distinct = text.length > 0 && !text.failed &&
                        (names->count[form] == 0 ||
                         !bsearch(&text.data, names->ambiguous[form], names->count[form],
                                  sizeof *names->ambiguous[form], smc_compare_strings));
        if (distinct)
            smc_text_append(out, text.data);
        if (distinct)
            return;
    }
    smc_text_append(out, shown);
}

/* --- Lines ------------------------------------------------------------------------------------ */

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
void smc_kernel_name_wrap(const char *text, size_t columns, struct smc_text *out)
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
    smc_auto_text text = {0};
    smc_kernel_names_choose(names, shown, &text);
    smc_kernel_name_wrap(smc_text_string(&text), columns, out);
}
