/* Text on a terminal: emphasis, and the lines that reports are made of. */
#include "show/words/layout.h"

#include <stdarg.h>

void smc_layout_begin(struct smc_text *out, enum smc_emphasis emphasis)
{
    static const char *const codes[] = {
        [SMC_PLAIN] = "\x1b[0m",
        [SMC_STRONG] = "\x1b[1m",
        [SMC_GOOD] = "\x1b[1;32m",
        [SMC_BAD] = "\x1b[1;31m",
    };
    if (out->style->colour)
        smc_text_append(out, codes[emphasis]);
}

void smc_layout_end(struct smc_text *out)
{
    smc_layout_begin(out, SMC_PLAIN);
}

void smc_layout_verdict(struct smc_text *out, enum smc_emphasis emphasis, struct smc_text *text)
{
    if (text->length > 0) {
        smc_layout_begin(out, emphasis);
        smc_layout_paragraph(out, "", 0, smc_text_string(text), out->style->columns);
        smc_layout_end(out);
    }
    smc_text_free(text);
}

void smc_layout_text(struct smc_text *out, size_t indent, struct smc_text *text)
{
    if (text->length > 0)
        smc_layout_paragraph(out, "", indent, smc_text_string(text), out->style->columns);
    smc_text_free(text);
}

void smc_layout_line(struct smc_text *out, const char *label, struct smc_text *text)
{
    if (text->length > 0)
        smc_layout_paragraph(out, label, SMC_TEXT_INDENT, smc_text_string(text),
                             out->style->columns);
    smc_text_free(text);
}

void smc_layout_say(struct smc_text *out, const char *label, const char *format, ...)
{
    struct smc_text text = {0};
    va_list arguments;
    va_start(arguments, format);
    smc_text_vprintf(&text, format, arguments);
    va_end(arguments);
    smc_layout_line(out, label, &text);
}

void smc_layout_folded(struct smc_text *out, size_t count)
{
    if (count > 0)
        smc_layout_say(out, "", "and %zu more; --verbose lists them all", count);
}

void smc_layout_row(struct smc_text *out, struct smc_text *row)
{
    while (row->length && row->data[row->length - 1] == ' ')
        row->length--;
    smc_text_append_bytes(out, smc_text_string(row), row->length);
    smc_text_append_char(out, '\n', 1);
    smc_text_free(row);
}

void smc_layout_emphatic_row(struct smc_text *out, enum smc_emphasis emphasis, struct smc_text *row)
{
    smc_layout_begin(out, emphasis);
    smc_layout_row(out, row);
    smc_layout_end(out);
}

void smc_layout_words(struct smc_text *out, enum smc_emphasis emphasis, const char *words)
{
    smc_layout_begin(out, emphasis);
    smc_text_append(out, words);
    smc_layout_end(out);
}

void smc_text_join_items(struct smc_text *items)
{
    struct smc_text line = {.failed = items->failed};
    for (const char *at = smc_text_string(items); *at; at++)
        if (*at == '\n')
            smc_text_append(&line, "; ");
        else
            smc_text_append_char(&line, *at, 1);
    smc_text_free(items);
    *items = line;
}
