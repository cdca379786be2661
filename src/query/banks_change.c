/* The accesses of an answered question once more, with their arrays laid out as a person tries it.
 */
#include "query/banks_change.h"

#include <stdio.h>

#include "query/banks_parts.h"

static enum smc_status move(const struct smc_banks_answer *answer,
                            const struct smc_banks_change *change, uint32_t index,
                            struct smc_access *access, struct smc_error *error)
{
    const struct smc_banks_pattern *pattern = &answer->pattern[index];
    const struct smc_rearrangement *layout = &change->array[pattern->array];
    if (layout->row_elements && !smc_rearrange_access(layout, access))
        return smc_fail(error, SMC_USAGE, "an address of %s moves beyond 32 bits", pattern->label);
    return SMC_OK;
}

/* The answer's query was completed: opening it again does not fail. */
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
    enum smc_status status = open_again(answer, &query, &source, error);
    if (status == SMC_OK)
        status = smc_banks_source_get(&source, warp, step, list, &count, error);
    if (status == SMC_OK)
        status = move(answer, change, pattern, &list[pattern].access, error);
    if (status == SMC_OK)
        *access = list[pattern].access;
    return status;
}

static enum smc_status count_step(const struct smc_banks_source *source,
                                  const struct smc_banks_answer *answer,
                                  const struct smc_banks_change *change, uint32_t warp,
                                  uint32_t step, struct smc_bank_cost *total,
                                  struct smc_error *error)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t count;
    enum smc_status status = smc_banks_source_get(source, warp, step, list, &count, error);
    for (uint32_t i = 0; i < count && status == SMC_OK; i++) {
        if (step >= answer->pattern[i].steps_counted)
            continue;
        status = move(answer, change, i, &list[i].access, error);
        struct smc_bank_cost one = smc_banks_count(&answer->layout, &list[i].access);
        total[i].wavefronts += one.wavefronts;
        total[i].least += one.least;
    }
    return status;
}

enum smc_status smc_banks_change_count(const struct smc_banks_answer *answer,
                                       const struct smc_banks_change *change,
                                       struct smc_bank_cost total[SMC_MAX_SHARED_ACCESSES],
                                       struct smc_error *error)
{
    struct smc_banks_query query;
    struct smc_banks_source source;
    uint32_t steps = 1, first = 0, end = answer->warps_per_block;
    enum smc_status status = open_again(answer, &query, &source, error);
    for (uint32_t i = 0; i < answer->pattern_count; i++) {
        const struct smc_banks_pattern *pattern = &answer->pattern[i];
        steps = pattern->steps_counted > steps ? pattern->steps_counted : steps;
        total[i] = (struct smc_bank_cost){0, 0};
    }
    if (query.warp != SMC_ALL_WARPS) {
        first = (uint32_t)query.warp;
        end = first + 1;
    }
    for (uint32_t warp = first; warp < end && status == SMC_OK; warp++)
        for (uint32_t step = 0; step < steps && status == SMC_OK; step++)
            status = count_step(&source, answer, change, warp, step, total, error);
    return status;
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
        smc_banks_rewrite(&source, &change->array[0], text);
    else
        snprintf(text, SMC_EXPRESSION_CHARS + 1, "%s", source.text);
    return text[0] != '\0';
}
