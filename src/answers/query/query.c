/* One query and its complete answer. */
#include "answers/query.h"

#include "base/numbers.h"

/* --- The work of a launch: ratios, shared memory and the limit it sets ------------------------ */

double smc_query_percent_after(const struct smc_answer *answer, const struct smc_next_step *step)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t warps = answer->occupancy.warps_per_block;
    if (step->resource == SMC_STEP_THREADS)
        warps =
            divide_up((uint64_t)(answer->launch.threads_per_block + step->change), sm->warp_size);
    return 100.0 * (double)(warps * step->blocks_per_sm) / sm->max_warps_per_sm;
}

const struct smc_next_step *smc_query_gain(const struct smc_answer *answer,
                                           enum smc_step_resource resource)
{
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct smc_next_step *step = &answer->next_steps.step[i];
        if (step->resource == resource && step->blocks_per_sm > answer->occupancy.blocks_per_sm)
            return step;
    }
    return NULL;
}

/* Skipped if the user gave the registers, since launch bounds could not change them. */
static void try_bounds(struct smc_answer *answer)
{
    struct smc_bounds_trial *trial = &answer->bounds_trial;
    const struct smc_query *query = &answer->query;
    const struct smc_next_step *step = smc_query_gain(answer, SMC_STEP_REGISTERS);
    if (!query->try_bounds || !query->kernel || answer->regs_given || !step)
        return;
    struct smc_compile_options options = query->compile;
    struct smc_launch launch = answer->launch;
    struct smc_occupancy occupancy;
    options.min_blocks = step->blocks_per_sm;
    if (smc_compile(&(struct smc_compile_request){query->kernel, &query->params,
                                                  query->device.sm.cc, &options},
                    &trial->resources, NULL, NULL, NULL) != SMC_OK)
        return;
    launch.regs_per_thread = trial->resources.regs_per_thread;
    smc_occupancy_compute(&query->device.sm, &launch, &occupancy);
    trial->min_blocks = step->blocks_per_sm;
    trial->blocks_per_sm = occupancy.blocks_per_sm;
}

enum smc_status smc_query_answer(const struct smc_query *query, struct smc_answer *answer,
                                 struct smc_text *warnings, struct smc_error *error)
{
    SMC_TRY(smc_query_evaluate(query, NULL, answer, warnings, error));
    smc_query_find_work(answer);
    smc_query_find_next_steps(answer);
    try_bounds(answer);
    return smc_query_find_time(answer, error);
}

const char *smc_outcome_name(enum smc_outcome outcome)
{
    static const char *const names[] = {
        [SMC_LAUNCHES] = "launches",
        [SMC_CANNOT_COMPILE] = "cannot_compile",
        [SMC_CANNOT_LAUNCH] = "cannot_launch",
    };
    return names[outcome];
}
