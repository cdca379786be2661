/* What removes bank conflicts: the accesses and the row lengths to search over. */
#include <stdlib.h>

#include "base/memory.h"
#include "query/banks_parts.h"

enum { MOST_ROWS = SMC_BANKS_INDICES + 1, BANKS_BYTES = 128 };

/* The row lengths to try, in elements: what neighbouring indices are apart, the longest first,
   then a row of all banks. A person's own length, or the array's, counts alone. */
static size_t find_rows(const struct smc_banks_source *source, uint32_t width_bytes,
                        uint32_t of_array, uint32_t rows[MOST_ROWS])
{
    uint32_t known = source->query->row_elements ? source->query->row_elements : of_array;
    size_t count = 0;
    if (known) {
        rows[count++] = known;
        return count;
    }
    for (uint32_t place = 0; place < SMC_BANKS_INDICES && !source->is_kernel; place++) {
        int64_t bytes, elements;
        if (!smc_banks_source_stride(source, place, &bytes) || bytes % width_bytes)
            continue;
        elements = bytes / width_bytes;
        if (elements < 2 || elements > UINT32_MAX)
            continue;
        size_t at = count++;
        for (; at > 0 && rows[at - 1] < elements; at--)
            rows[at] = rows[at - 1];
        rows[at] = (uint32_t)elements;
    }
    rows[count++] = BANKS_BYTES / width_bytes;
    return count;
}

uint32_t smc_banks_likely_row(const struct smc_banks_source *source,
                              const struct smc_banks_pattern *pattern, uint32_t of_array)
{
    uint32_t rows[MOST_ROWS];
    find_rows(source, pattern->width_bytes, of_array, rows);
    return rows[0];
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

enum smc_status smc_banks_find_remedies(const struct smc_banks_source *source,
                                        const struct smc_banks_answer *answer, uint32_t index,
                                        struct smc_banks_pattern *pattern, struct smc_error *error)
{
    size_t most = 0, count = 0;
    uint32_t rows[MOST_ROWS], row_elements = 0;
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        most += answer->pattern[i].accesses;
    struct smc_access *access = smc_calloc(most ? most : 1, sizeof *access);
    if (!access)
        return smc_out_of_memory(error);
    enum smc_status status = collect(source, answer, index, access, &count, &row_elements, error);
    if (status == SMC_OK) {
        struct smc_conflict_search search = {
            .layout = &answer->layout,
            .access = access,
            .access_count = count,
            .row_elements = rows,
            .row_count = find_rows(source, pattern->width_bytes, row_elements, rows),
            .first_byte = pattern->first_byte,
        };
        pattern->padding.found = smc_find_padding(&search, &pattern->padding.rearrangement);
        pattern->swizzle.found = smc_find_swizzle(&search, &pattern->swizzle.rearrangement);
    }
    free(access);
    struct smc_remedy *const remedies[] = {&pattern->padding, &pattern->swizzle};
    for (size_t i = 0; i < 2 && !source->is_kernel; i++)
        if (remedies[i]->found)
            smc_banks_rewrite(source, &remedies[i]->rearrangement, remedies[i]->expression);
    return status;
}
