/* Removing bank conflicts: the search for paddings and swizzles, and layouts that the user
   tries. */
#include "answers/banks_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* --- The expression of a changed layout ------------------------------------------------------- */

/* Whether `text` gives the moved address for every active thread of the block. */
static bool banks_change_is_same(const struct smc_banks_source *source,
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

/* Whether it also does so in the next row and plane of the block. An expression that is only right
   because an index is always 0 would be wrong for the rest of the array. */
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
    return banks_change_is_same(source, rearrangement, text) &&
           banks_change_is_same(&larger, rearrangement, text);
}

/* Replaces the literal by `value`. False if the text gets too long. */
static bool replace(const struct smc_banks_source *source, uint32_t at, uint32_t length,
                    int64_t value, char text[SMC_EXPRESSION_CHARS + 1])
{
    int written = snprintf(text, SMC_EXPRESSION_CHARS + 1, "%.*s%" PRId64 "%s", (int)at,
                           source->text, value, source->text + at + length);
    return written > 0 && written <= SMC_EXPRESSION_CHARS;
}

/* (tx*32 + ty)*4 -> (tx*33 + ty)*4: replaces a literal that is the length of a row, in elements or
   bytes. */
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

/* Wraps the whole expression, which occurs twice in the new text, each time with or without
   parentheses. */
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
    return written > 0 && written <= SMC_EXPRESSION_CHARS &&
           banks_change_is_same(source, change, text);
}

/* The expression of a changed layout: by another literal where that is the same, else around the
   whole. `text` stays "" where neither can be written. `moved` are the accesses as they were. */
static void banks_change_rewrite(const struct smc_banks_source *source,
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

/* --- What removes the conflicts --------------------------------------------------------------- */

enum {
    MOST_STRIDES = 16,
    BANKS_BYTES = 128,
    MOST_INDEX = 1024, /* threads of a block in one dimension */
};

/* The distinct strides of the indices in elements, in ascending order. */
struct strides {
    size_t count;
    uint32_t elements[MOST_STRIDES];
};

static void banks_change_insert(struct strides *strides, uint32_t elements)
{
    size_t at = 0;
    while (at < strides->count && strides->elements[at] < elements)
        at++;
    bool known = at < strides->count && strides->elements[at] == elements;
    if (known || strides->count == MOST_STRIDES)
        return;
    for (size_t i = strides->count++; i > at; i--)
        strides->elements[i] = strides->elements[i - 1];
    strides->elements[at] = elements;
}

/* Adds the strides of one index, measured at powers of two, so that (tx / 8 * 64 + tx % 8) has both
   1 and 64. */
static void add_strides(const struct smc_banks_source *source, uint32_t place, uint32_t width_bytes,
                        struct strides *strides)
{
    uint32_t extent = smc_banks_source_extent(source, place);
    int64_t before = 0, bytes;
    for (uint32_t index = 1; index < extent && index < MOST_INDEX; index *= 2) {
        if (!smc_banks_source_stride(source, place, index, &bytes))
            return;
        int64_t elements = (bytes < 0 ? -bytes : bytes) / width_bytes;
        bool follows = index > 1 && bytes == 2 * before;
        bool whole = bytes % width_bytes == 0;
        before = bytes;
        if (follows || !whole || elements == 0 || elements > UINT32_MAX)
            continue;
        banks_change_insert(strides, (uint32_t)elements);
    }
}

/* The rows of the array, in elements, the innermost first. The shortest of several strides is the
   distance between columns: (ty*64 + tx*2) has rows of 64. If the row length is given, or known
   from the array, it is the only one. */
static size_t banks_change_find_rows(const struct smc_banks_source *source, uint32_t width_bytes,
                                     uint32_t of_array, uint32_t rows[MOST_STRIDES])
{
    uint32_t known = source->query->row_elements ? source->query->row_elements : of_array;
    struct strides strides = {0};
    size_t count = 0;
    if (known) {
        rows[0] = known;
        return 1;
    }
    for (uint32_t place = 0; place < SMC_BANKS_INDICES && !source->is_kernel; place++)
        add_strides(source, place, width_bytes, &strides);
    bool has_columns = strides.count > 1 || (strides.count == 1 && strides.elements[0] == 1);
    for (size_t i = has_columns; i < strides.count; i++)
        rows[count++] = strides.elements[i];
    return count;
}

uint32_t smc_banks_likely_row(const struct smc_banks_source *source,
                              const struct smc_banks_pattern *pattern, uint32_t of_array)
{
    uint32_t rows[MOST_STRIDES];
    size_t count = banks_change_find_rows(source, pattern->width_bytes, of_array, rows);
    return count ? rows[0] : BANKS_BYTES / pattern->width_bytes;
}

/* Collects every counted access to the pattern's array. */
static enum smc_status banks_change_collect(const struct smc_banks_source *source,
                                            const struct smc_banks_answer *answer, uint32_t index,
                                            struct smc_access *access, size_t *count,
                                            uint32_t *row_elements, struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[index];
    uint32_t steps = source->is_kernel ? SMC_COUNTED_STEPS : 1;
    int32_t one = answer->query.warp;
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    for (uint32_t warp = one < 0 ? 0 : (uint32_t)one;
         warp < (one < 0 ? answer->warps_per_block : (uint32_t)one + 1); warp++)
        for (uint32_t step = 0; step < steps; step++) {
            size_t found;
            SMC_TRY(smc_banks_source_get(source, warp, step, list, &found, error));
            *row_elements = list[index].row_elements;
            for (size_t i = 0; i < found; i++)
                if (step < answer->pattern[i].steps_counted && list[i].access.mask &&
                    answer->pattern[i].array == pattern->array)
                    access[(*count)++] = list[i].access;
        }
    return SMC_OK;
}

/* The number of columns up to the last one that any thread accesses; 0: unknown. */
static uint32_t columns_accessed(const struct smc_banks_source *source, uint32_t width_bytes,
                                 uint32_t row_elements)
{
    uint32_t columns = 0;
    for (uint32_t thread = 0; thread < source->threads; thread++) {
        int64_t address;
        if (smc_banks_source_address(source, &source->expression, thread, &address) || address < 0)
            return 0;
        uint32_t column = (uint32_t)(address / width_bytes % row_elements);
        columns = column >= columns ? column + 1 : columns;
    }
    return columns;
}

/* A few unaccessed elements per row are taken to be padding. A row whose length is a power of two
   is not: its other columns are presumably used by other code. */
static void search_narrower(const struct smc_banks_source *source,
                            const struct smc_conflict_search *accesses,
                            struct smc_banks_pattern *pattern)
{
    uint32_t row = accesses->row_count ? accesses->row_elements[0] : 0;
    if (source->is_kernel || (row & (row - 1)) == 0)
        return;
    uint32_t columns = columns_accessed(source, pattern->width_bytes, row);
    if (columns > row / 2)
        pattern->narrower.found =
            smc_conflict_free_narrower(accesses, columns, &pattern->narrower.rearrangement);
}

/* Prefers to pad the array's own rows, since the index expression then keeps its form. Otherwise,
   and for a swizzle, also tries rows as long as all banks together. */
static void banks_change_search(const struct smc_banks_source *source,
                                struct smc_conflict_search *accesses, uint32_t of_array,
                                struct smc_banks_pattern *pattern)
{
    uint32_t rows[MOST_STRIDES + 1];
    size_t count = banks_change_find_rows(source, pattern->width_bytes, of_array, rows);
    bool fixed = source->query->row_elements || of_array;
    accesses->row_elements = rows;
    accesses->row_count = count;
    search_narrower(source, accesses, pattern);
    pattern->padding.found = smc_conflict_free_padding(accesses, &pattern->padding.rearrangement);
    if (!fixed)
        rows[count++] = BANKS_BYTES / pattern->width_bytes;
    accesses->row_count = count;
    if (!pattern->padding.found)
        pattern->padding.found =
            smc_conflict_free_padding(accesses, &pattern->padding.rearrangement);
    pattern->swizzle.found = smc_conflict_free_swizzle(accesses, &pattern->swizzle.rearrangement);
}

enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error)
{
    size_t most = 0, count = 0;
    uint32_t row_elements = 0;
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        most += answer->pattern[i].accesses;
    smc_auto_free struct smc_access *access = smc_calloc(most ? most : 1, sizeof *access);
    if (!access)
        return smc_out_of_memory(error);
    enum smc_status status =
        banks_change_collect(source, answer, index, access, &count, &row_elements, error);
    if (status == SMC_OK) {
        struct smc_conflict_search accesses = {
            .layout = &answer->layout,
            .access = access,
            .access_count = count,
            .first_byte = pattern->first_byte,
        };
        banks_change_search(source, &accesses, row_elements, pattern);
    }
    struct smc_remedy *const remedies[] = {&pattern->padding, &pattern->swizzle,
                                           &pattern->narrower};
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies && !source->is_kernel; i++)
        if (remedies[i]->found)
            banks_change_rewrite(source, &remedies[i]->rearrangement, remedies[i]->expression);
    return status;
}

/* --- A layout that the user tries ------------------------------------------------------------- */

static enum smc_status banks_change_move(const struct smc_banks_answer *answer,
                                         const struct smc_banks_change *change, uint32_t index,
                                         struct smc_access *access, struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[index];
    const struct smc_rearrangement *layout = &change->array[pattern->array];
    if (layout->row_elements && !smc_rearrange_access(layout, access))
        return smc_fail(error, SMC_USAGE, "an address of %s moves beyond 32 bits", pattern->label);
    return SMC_OK;
}

/* The answer's query is already completed, so opening its source again does not fail. */
static enum smc_status open_again(const struct smc_banks_answer *answer,
                                  struct smc_banks_query *query, struct smc_banks_source *source,
                                  struct smc_error *error)
{
    *query = answer->query;
    return smc_banks_source_open(query, source, error);
}

enum smc_status smc_banks_change_access(const struct smc_banks_answer *answer,
                                        const struct smc_banks_change *change, uint32_t pattern,
                                        uint32_t warp, uint32_t step, struct smc_access *access,
                                        struct smc_error *error)
{
    struct smc_banks_query query;
    struct smc_banks_source source;
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t count;
    SMC_TRY(open_again(answer, &query, &source, error));
    SMC_TRY(smc_banks_source_get(&source, warp, step, list, &count, error));
    SMC_TRY(banks_change_move(answer, change, pattern, &list[pattern].access, error));
    *access = list[pattern].access;
    return SMC_OK;
}

enum smc_status smc_banks_change_count(const struct smc_banks_answer *answer,
                                       const struct smc_banks_change *change,
                                       struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES],
                                       struct smc_error *error)
{
    struct smc_banks_query query;
    struct smc_banks_source source;
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t count;
    uint32_t steps = 1, first = 0, end = answer->warps_per_block;
    SMC_TRY(open_again(answer, &query, &source, error));
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        const struct smc_banks_pattern *pattern = &answer->pattern[i];
        steps = pattern->steps_counted > steps ? pattern->steps_counted : steps;
        total[i] = (struct smc_bank_cost){0};
    }
    if (query.warp != SMC_ALL_WARPS) {
        first = (uint32_t)query.warp;
        end = first + 1;
    }
    for (uint32_t warp = first; warp < end; warp++)
        for (uint32_t step = 0; step < steps; step++) {
            SMC_TRY(smc_banks_source_get(&source, warp, step, list, &count, error));
            for (uint32_t i = 0; i < count; i++) {
                if (step >= answer->pattern[i].steps_counted)
                    continue;
                SMC_TRY(banks_change_move(answer, change, i, &list[i].access, error));
                smc_bank_cost_add(&total[i], smc_banks_count(&answer->layout, &list[i].access));
            }
        }
    return SMC_OK;
}

bool smc_banks_change_expression(const struct smc_banks_answer *answer,
                                 const struct smc_banks_change *change,
                                 char text[SMC_EXPRESSION_CHARS + 1])
{
    struct smc_banks_query query;
    struct smc_banks_source source;
    text[0] = '\0';
    if (answer->query.kernel || open_again(answer, &query, &source, NULL) != SMC_OK)
        return false;
    if (change->array[0].row_elements)
        banks_change_rewrite(&source, &change->array[0], text);
    else
        snprintf(text, SMC_EXPRESSION_CHARS + 1, "%s", source.text);
    return text[0] != '\0';
}
