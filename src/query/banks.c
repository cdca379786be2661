/* One question about accesses to shared memory and its whole answer. */
#include "query/banks.h"

#include <stdio.h>
#include <string.h>

#include "model/round.h"
#include "query/banks_parts.h"

void smc_banks_query_init(struct smc_banks_query *query)
{
    *query = (struct smc_banks_query){
        .expression_name = "option --expr",
        .stride = -1,
        .block = {SMC_WARP_LANES, 1, 1},
        .width_bytes = 4,
        .mask = SMC_ALL_LANES,
        .warp = SMC_ALL_WARPS,
    };
}

static enum smc_status check_warp(const struct smc_banks_answer *answer, uint32_t threads,
                                  struct smc_error *error)
{
    if (answer->query.warp < (int32_t)answer->warps_per_block)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --warp: '%d' is not between 0 and %u, the warps of a block of %u "
                    "threads",
                    answer->query.warp, answer->warps_per_block - 1, threads);
}

static bool same_array(const char *label, const char *other)
{
    size_t length = strcspn(label, "[");
    return strcspn(other, "[") == length && memcmp(label, other, length) == 0;
}

static void begin_pattern(const struct smc_banks_source *source,
                          const struct smc_shared_access *access, struct smc_banks_answer *answer,
                          uint32_t index)
{
    struct smc_banks_pattern *pattern = &answer->pattern[index];
    uint32_t counted = access->steps < SMC_COUNTED_STEPS ? access->steps : SMC_COUNTED_STEPS;
    *pattern = (struct smc_banks_pattern){
        .op = access->access.op,
        .width_bytes = access->access.width_bytes,
        .steps = access->steps,
        .steps_counted = counted,
        .first_byte = access->first_byte,
    };
    snprintf(pattern->label, sizeof pattern->label, "%s", access->label);
    pattern->row_elements = smc_banks_likely_row(source, pattern, access->row_elements);
    while (!same_array(answer->pattern[pattern->array].label, access->label))
        pattern->array++;
}

static uint32_t conflicts(struct smc_bank_cost cost)
{
    return cost.wavefronts - cost.least;
}

static void count(const struct smc_bank_layout *layout, const struct smc_access *access,
                  uint32_t warp, uint32_t step, struct smc_banks_pattern *pattern)
{
    if (!access->mask)
        return;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    if (pattern->accesses == 0 || conflicts(cost) > conflicts(pattern->map.cost)) {
        pattern->worst = *access;
        pattern->worst_warp = warp;
        pattern->worst_step = step;
        smc_banks_map(layout, access, &pattern->map);
    }
    pattern->accesses++;
    pattern->total.wavefronts += cost.wavefronts;
    pattern->total.least += cost.least;
}

static enum smc_status count_step(const struct smc_banks_source *source, uint32_t warp,
                                  uint32_t step, struct smc_banks_answer *answer,
                                  struct smc_error *error)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t found;
    enum smc_status status = smc_banks_source_get(source, warp, step, list, &found, error);
    if (status != SMC_OK)
        return status;
    answer->pattern_count = (uint32_t)found;
    for (size_t i = 0; i < found; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (!pattern->steps)
            begin_pattern(source, &list[i], answer, (uint32_t)i);
        if (step < pattern->steps_counted)
            count(&answer->layout, &list[i].access, warp, step, pattern);
    }
    return SMC_OK;
}

static enum smc_status count_all(const struct smc_banks_source *source,
                                 struct smc_banks_answer *answer, struct smc_error *error)
{
    bool all = answer->query.warp == SMC_ALL_WARPS;
    uint32_t first = all ? 0 : (uint32_t)answer->query.warp;
    uint32_t end = all ? answer->warps_per_block : first + 1;
    uint32_t steps = source->is_kernel ? SMC_COUNTED_STEPS : 1;
    for (uint32_t warp = first; warp < end; warp++)
        for (uint32_t step = 0; step < steps; step++) {
            enum smc_status status = count_step(source, warp, step, answer, error);
            if (status != SMC_OK)
                return status;
        }
    for (uint32_t i = 0; i < answer->pattern_count; i++)
        answer->pattern[i].warps_counted = end - first;
    return SMC_OK;
}

enum smc_status smc_banks_answer(const struct smc_banks_query *query,
                                 struct smc_banks_answer *answer, struct smc_error *error)
{
    struct smc_banks_source source;
    *answer = (struct smc_banks_answer){.query = *query};
    smc_bank_layout_of(&query->device.sm, query->mode, &answer->layout);
    enum smc_status status = smc_banks_source_open(&answer->query, &source, error);
    if (status != SMC_OK)
        return status;
    answer->warps_per_block = (uint32_t)divide_up(source.threads, SMC_WARP_LANES);
    status = check_warp(answer, source.threads, error);
    if (status == SMC_OK)
        status = count_all(&source, answer, error);
    for (uint32_t i = 0; i < answer->pattern_count && status == SMC_OK; i++) {
        struct smc_banks_pattern *pattern = &answer->pattern[i];
        if (conflicts(pattern->map.cost) > conflicts(answer->pattern[answer->worst].map.cost))
            answer->worst = i;
        if (conflicts(pattern->total) > 0)
            status = smc_banks_find_remedies(&source, answer, i, pattern, error);
    }
    return status;
}
