/* What a bound on the registers costs a kernel of the catalog: it is compiled with the bound. */
#include "answers/query.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

void smc_bound_cost_set(const struct smc_resources *resources, struct smc_bound_cost *cost)
{
    cost->is_known = !resources->refused;
    cost->regs_per_thread = resources->regs_per_thread;
    cost->spill_store_bytes = resources->spill_store_bytes;
    cost->spill_load_bytes = resources->spill_load_bytes;
}

/* How many blocks the registers allow, whatever else limits them. */
static uint32_t bound_cost_blocks_of(const struct smc_answer *answer, uint32_t regs)
{
    struct smc_launch launch = answer->launch;
    struct smc_occupancy occupancy;
    launch.regs_per_thread = regs;
    smc_occupancy_compute(&answer->query.device.sm, &launch, &occupancy);
    const uint32_t *limit = occupancy.limit;
    uint32_t blocks = limit[SMC_LIMIT_WARPS] < limit[SMC_LIMIT_BLOCKS] ? limit[SMC_LIMIT_WARPS]
                                                                       : limit[SMC_LIMIT_BLOCKS];
    return limit[SMC_LIMIT_REGISTERS] < blocks ? limit[SMC_LIMIT_REGISTERS] : blocks;
}

enum smc_status smc_bound_cost_find(const struct smc_answer *answer, uint32_t regs,
                                    struct smc_bound_cost *cost, struct smc_error *error)
{
    const struct smc_query *query = &answer->query;
    struct smc_compile_options options = query->compile;
    struct smc_resources resources = {0};
    SMC_AUTO(smc_binary_free) struct smc_binary binary = {0};
    struct smc_error why = {""};
    const uint16_t cc = query->device.sm.cc;
    *cost = (struct smc_bound_cost){.is_known = false};
    const uint32_t blocks = bound_cost_blocks_of(answer, regs);
    options.min_blocks = blocks;
    if (!query->kernel || options.no_nvrtc || blocks == 0)
        return SMC_OK;
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){query->kernel, &query->params, cc, &options},
                    &resources, smc_time_code_cc(cc) == cc ? &binary : NULL, NULL, &why);
    smc_auto_free struct smc_answer *bounded =
        status == SMC_OK ? smc_malloc(sizeof *bounded) : NULL;
    if (bounded) {
        *bounded = *answer;
        bounded->resources = resources;
        bounded->regs_given = false;
        bounded->launch.regs_per_thread = resources.regs_per_thread;
        bounded->time = (struct smc_time){0};
        smc_query_count_blocks(bounded);
        smc_bound_cost_set(&resources, cost);
        snprintf(cost->with, sizeof cost->with, "__launch_bounds__(%u, %u)",
                 answer->launch.threads_per_block, blocks);
        if (bounded->outcome == SMC_LAUNCHES)
            status = smc_query_find_time_of(bounded, &binary, &why);
        if (bounded->time.basis != SMC_TIME_UNKNOWN)
            cost->predicted_ms = bounded->time.predicted_ms;
    }
    return status == SMC_MACHINE || status == SMC_INTERRUPTED
               ? smc_fail(error, status, "%s", why.message)
               : SMC_OK;
}
