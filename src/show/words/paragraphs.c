/* Laying plain text out in columns: wrapped paragraphs, bars, percentages. */
#include "show/words/paragraphs.h"

#include <string.h>

static void append_untied(struct smc_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        smc_text_append_char(out, text[i] == *SMC_TIE ? ' ' : text[i], 1);
}

static size_t paragraphs_columns_of(const char *text, size_t length)
{
    const char *end = text + length;
    size_t columns = 0;
    while (text < end)
        columns += (size_t)smc_utf8_columns(smc_utf8_next(&text));
    return columns;
}

static bool contains_character(const char *set, uint32_t character)
{
    uint32_t member;
    while ((member = smc_utf8_next(&set)) != 0)
        if (member == character)
            return true;
    return false;
}

/* Lines of Chinese break between any two characters, but for punctuation. */
static bool may_break(uint32_t before, uint32_t after)
{
    static const char opening[] = "（《“‘【", closing[] = "，。、；：！？）》”’】…%";
    if (smc_utf8_columns(before) < 2 && smc_utf8_columns(after) < 2)
        return false;
    return !contains_character(opening, before) && !contains_character(closing, after);
}

/* The bytes before the next place where the line may break. */
static size_t piece_length(const char *text)
{
    const char *at = text;
    uint32_t before = smc_utf8_next(&at);
    while (*at && *at != ' ') {
        const char *next = at;
        uint32_t after = smc_utf8_next(&next);
        if (may_break(before, after))
            break;
        before = after;
        at = next;
    }
    return (size_t)(at - text);
}

void smc_layout_paragraph(struct smc_text *out, const char *label, size_t indent, const char *text,
                          size_t columns)
{
    size_t column = paragraphs_columns_of(label, strlen(label)), blanks = 0;
    append_untied(out, label, strlen(label));
    if (*text && column > 0 && column >= indent) {
        smc_text_append_char(out, '\n', 1);
        column = 0;
    }
    text += strspn(text, " ");
    if (*text)
        smc_text_append_char(out, ' ', indent - column);
    column = indent;
    for (bool first = true; *text; first = false) {
        size_t length = piece_length(text), taken = paragraphs_columns_of(text, length);
        if (!first && column + (blanks > 0) + taken > columns) {
            smc_text_append_char(out, '\n', 1);
            smc_text_append_char(out, ' ', indent);
            column = indent;
        } else if (blanks > 0) {
            smc_text_append_char(out, ' ', 1);
            column++;
        }
        append_untied(out, text, length);
        column += taken;
        text += length;
        blanks = strspn(text, " ");
        text += blanks;
    }
    smc_text_append_char(out, '\n', 1);
}

void smc_layout_bar(struct smc_text *out, double share, unsigned width, bool utf8)
{
    static const char *const eighths[] = {"",
                                          "\xe2\x96\x8f",
                                          "\xe2\x96\x8e",
                                          "\xe2\x96\x8d",
                                          "\xe2\x96\x8c",
                                          "\xe2\x96\x8b",
                                          "\xe2\x96\x8a",
                                          "\xe2\x96\x89"};
    static const char whole[] = "\xe2\x96\x88";
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    if (width == 0)
        return; /* not even for the least share */
    if (!utf8) {
        unsigned filled = (unsigned)(share * width + 0.5);
        filled = filled == 0 && share > 0 ? 1 : filled;
        smc_text_append_char(out, '#', filled);
        smc_text_append_char(out, '.', width - filled);
        return;
    }
    unsigned filled = (unsigned)(share * width * 8 + 0.5);
    filled = filled == 0 && share > 0 ? 1 : filled;
    for (unsigned i = 0; i < filled / 8; i++)
        smc_text_append(out, whole);
    smc_text_append(out, eighths[filled % 8]);
    smc_text_append_char(out, ' ', width - filled / 8 - (filled % 8 != 0));
}

void smc_layout_percent(struct smc_text *out, double percent)
{
    double rounded = (double)(long)(percent + 0.5);
    double difference = percent - rounded;
    bool whole = difference < 0.05 && difference > -0.05;
    smc_text_printf(out, whole ? "%.0f" SMC_TIE "%%" : "%.1f" SMC_TIE "%%", percent);
}
