/* What removes bank conflicts: the accesses and the row lengths to search over. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/banks_parts.h"

enum {
    MOST_STRIDES = 16,
    BANKS_BYTES = 128,
    MOST_INDEX = 1024, /* threads of a block in one dimension */
};

/* How far apart the values of indices are, in elements, the shortest first, each once. */
struct strides {
    size_t count;
    uint32_t elements[MOST_STRIDES];
};

static void insert(struct strides *strides, uint32_t elements)
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

/* Of one index. At powers of two, so that (tx / 8 * 64 + tx % 8) has both 1 and 64. */
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
        insert(strides, (uint32_t)elements);
    }
}

/* The rows of the array, in elements, the innermost first. The shortest of several strides is the
   distance of columns: (ty*64 + tx*2) has rows of 64. A given length, or the array's, counts
   alone. */
static size_t find_rows(const struct smc_banks_source *source, uint32_t width_bytes,
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
    size_t count = find_rows(source, pattern->width_bytes, of_array, rows);
    return count ? rows[0] : BANKS_BYTES / pattern->width_bytes;
}

/* Every counted access to the pattern's array. */
static enum smc_status collect(const struct smc_banks_source *source,
                               const struct smc_banks_answer *answer, uint32_t index,
                               struct smc_access *access, size_t *count, uint32_t *row_elements,
                               struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[index];
    uint32_t steps = source->is_kernel ? SMC_COUNTED_STEPS : 1;
    int32_t one = answer->query.warp;
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    for (uint32_t warp = one < 0 ? 0 : (uint32_t)one;
         warp < (one < 0 ? answer->warps_per_block : (uint32_t)one + 1); warp++)
        for (uint32_t step = 0; step < steps; step++) {
            size_t found;
            enum smc_status status = smc_banks_source_get(source, warp, step, list, &found, error);
            if (status != SMC_OK)
                return status;
            *row_elements = list[index].row_elements;
            for (size_t i = 0; i < found; i++)
                if (step < answer->pattern[i].steps_counted && list[i].access.mask &&
                    answer->pattern[i].array == pattern->array)
                    access[(*count)++] = list[i].access;
        }
    return SMC_OK;
}

/* Up to the last column of a row that any thread accesses; 0: not known. */
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

/* Padding is what few elements of a row are that no thread accesses. A row of a power of two is
   none that someone padded: its other columns have their use elsewhere. */
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
            smc_find_narrower(accesses, columns, &pattern->narrower.rearrangement);
}

/* Rows are padded where that helps: then the index stays as it is written. Else, and for a swizzle,
   a row may be what all banks hold. */
static void search(const struct smc_banks_source *source, struct smc_conflict_search *accesses,
                   uint32_t of_array, struct smc_banks_pattern *pattern)
{
    uint32_t rows[MOST_STRIDES + 1];
    size_t count = find_rows(source, pattern->width_bytes, of_array, rows);
    bool fixed = source->query->row_elements || of_array;
    accesses->row_elements = rows;
    accesses->row_count = count;
    search_narrower(source, accesses, pattern);
    pattern->padding.found = smc_find_padding(accesses, &pattern->padding.rearrangement);
    if (!fixed)
        rows[count++] = BANKS_BYTES / pattern->width_bytes;
    accesses->row_count = count;
    if (!pattern->padding.found)
        pattern->padding.found = smc_find_padding(accesses, &pattern->padding.rearrangement);
    pattern->swizzle.found = smc_find_swizzle(accesses, &pattern->swizzle.rearrangement);
}

enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error)
{
    size_t most = 0, count = 0;
    uint32_t row_elements = 0;
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        most += answer->pattern[i].accesses;
    struct smc_access *access = smc_calloc(most ? most : 1, sizeof *access);
    if (!access)
        return smc_out_of_memory(error);
    enum smc_status status = collect(source, answer, index, access, &count, &row_elements, error);
    if (status == SMC_OK) {
        struct smc_conflict_search accesses = {
            .layout = &answer->layout,
            .access = access,
            .access_count = count,
            .first_byte = pattern->first_byte,
        };
        search(source, &accesses, row_elements, pattern);
    }
    free(access);
    struct smc_remedy *const remedies[] = {&pattern->padding, &pattern->swizzle,
                                           &pattern->narrower};
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies && !source->is_kernel; i++)
        if (remedies[i]->found)
            smc_banks_rewrite(source, &remedies[i]->rearrangement, remedies[i]->expression);
    return status;
}
