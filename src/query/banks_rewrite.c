/* An index expression written anew for a changed layout, and proven by evaluating both. */
#include <inttypes.h>
#include <stdio.h>

#include "query/banks_parts.h"

/* For every thread of the block that is active, `text` gives where its address moves to. */
static bool is_same(const struct smc_banks_source *source,
                    const struct smc_rearrangement *rearrangement, const char *text)
{
    struct smc_expression changed;
    if (smc_expression_parse(text, smc_banks_variables, &changed, NULL) != SMC_OK)
        return false;
    for (uint32_t thread = 0; thread < source->threads; thread++) {
        int64_t was, is;
        uint32_t warp = thread / SMC_WARP_LANES;
        bool asked = source->query->warp < 0 || source->query->warp == (int32_t)warp;
        if (!asked || !(source->query->mask >> thread % SMC_WARP_LANES & 1))
            continue;
        if (smc_banks_source_address(source, &source->expression, thread, &was) ||
            smc_banks_source_address(source, &changed, thread, &is) || was < 0 ||
            was > UINT32_MAX || is < 0)
            return false;
        if ((uint64_t)is != smc_rearrange(rearrangement, (uint32_t)was))
            return false;
    }
    return true;
}

/* Also in the next row and plane of a block that has one: what is right there only because an index
   is always 0 would break the array as a whole. */
static bool is_same_beyond(const struct smc_banks_source *source,
                           const struct smc_rearrangement *rearrangement, const char *text)
{
    struct smc_banks_query query = *source->query;
    struct smc_banks_source larger = *source;
    larger.query = &query;
    larger.threads = 1;
    for (int i = 0; i < 3; i++) {
        query.block[i] = query.block[i] == 1 ? 2 : query.block[i];
        larger.threads *= query.block[i];
    }
    query.warp = SMC_ALL_WARPS;
    return is_same(source, rearrangement, text) && is_same(&larger, rearrangement, text);
}

/* With `value` in place of the literal. False where it gets too long. */
static bool replace(const struct smc_banks_source *source, uint32_t at, uint32_t length,
                    int64_t value, char text[SMC_EXPRESSION_CHARS + 1])
{
    int written = snprintf(text, SMC_EXPRESSION_CHARS + 1, "%.*s%" PRId64 "%s", (int)at,
                           source->text, value, source->text + at + length);
    return written > 0 && written <= SMC_EXPRESSION_CHARS;
}

/* (tx*32 + ty)*4 -> (tx*33 + ty)*4: a row's length stands in the text, in elements or bytes. */
static bool by_literal(const struct smc_banks_source *source,
                       const struct smc_rearrangement *change, char text[SMC_EXPRESSION_CHARS + 1])
{
    uint32_t at, length;
    int64_t value, row = change->row_elements, padding = change->padding_elements;
    padding -= change->dropped_elements;
    for (size_t i = 0; smc_expression_literal(&source->expression, i, &at, &length, &value); i++) {
        int64_t bytes = change->element_bytes;
        bool elements = value == row && replace(source, at, length, row + padding, text);
        if (elements && is_same_beyond(source, change, text))
            return true;
        bool is_bytes =
            value == row * bytes && replace(source, at, length, (row + padding) * bytes, text);
        if (is_bytes && is_same_beyond(source, change, text))
            return true;
    }
    return false;
}

/* Around the whole, which stands twice in the new text: each time in parentheses, or not. */
static bool around(const struct smc_banks_source *source, const struct smc_rearrangement *change,
                   bool first_in_parentheses, bool second_in_parentheses,
                   char text[SMC_EXPRESSION_CHARS + 1])
{
    char first[SMC_EXPRESSION_CHARS + 3], row[SMC_EXPRESSION_CHARS + 32], shift[16] = "";
    uint64_t row_bytes = (uint64_t)change->row_elements * change->element_bytes;
    int written;
    snprintf(first, sizeof first, first_in_parentheses ? "(%s)" : "%s", source->text);
    snprintf(row, sizeof row, second_in_parentheses ? "(%s)/%" PRIu64 : "%s/%" PRIu64, source->text,
             row_bytes);
    if (change->swizzle_shift)
        snprintf(shift, sizeof shift, " >> %u", change->swizzle_shift);
    if (change->padding_elements)
        written = snprintf(text, SMC_EXPRESSION_CHARS + 1, "%s + %s*%u", first, row,
                           change->padding_elements * change->element_bytes);
    else
        written = snprintf(text, SMC_EXPRESSION_CHARS + 1, "%s ^ (%s%s & %u)*%u", first, row, shift,
                           change->swizzle_span - 1, change->element_bytes);
    return written > 0 && written <= SMC_EXPRESSION_CHARS && is_same(source, change, text);
}

void smc_banks_rewrite(const struct smc_banks_source *source,
                       const struct smc_rearrangement *rearrangement,
                       char text[SMC_EXPRESSION_CHARS + 1])
{
    bool other_row = rearrangement->padding_elements || rearrangement->dropped_elements;
    bool written = other_row && by_literal(source, rearrangement, text);
    if (!rearrangement->dropped_elements)
        written = written || around(source, rearrangement, false, false, text) ||
                  around(source, rearrangement, false, true, text) ||
                  around(source, rearrangement, true, true, text);
    if (!written)
        text[0] = '\0';
}
