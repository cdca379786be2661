/* The work of a launch: accesses, operations, the wavefronts of shared memory, and which of them
   bounds the speed. */
#include "answers/query.h"

static void find_ratios(const struct smc_work *work, struct smc_workload *out)
{
    double loads = 0, moved = work->global_load_bytes + work->global_store_bytes;
    for (size_t i = 0; i < work->access_count; i++)
        if (!work->access[i].store)
            loads += work->access[i].elements;
    if (work->flops == 0 || loads == 0)
        return;
    out->flops_per_load = work->flops / loads;
    out->flops_per_load_byte = work->flops / work->global_load_bytes;
    out->flops_per_moved_byte = work->flops / moved;
}

/* Only for float: the table has no lane counts for other types. */
static void find_shared_memory_bound(const struct smc_query *query, const struct smc_work *work,
                                     struct smc_workload *out)
{
    const struct smc_sm *sm = &query->device.sm;
    bool floats = query->params.value[SMC_PARAM_DTYPE] == SMC_FLOAT;
    if (!out->has_shared || work->fma_instructions == 0 || !floats || sm->fp32_lanes_per_sm == 0 ||
        sm->smem_wavefronts_per_clock == 0)
        return;
    double wavefronts = out->shared.loads.wavefronts + out->shared.stores.wavefronts;
    out->has_wall = true;
    out->fma_cycles_per_step = (double)sm->warp_size / sm->fp32_lanes_per_sm;
    out->shared_cycles_per_step =
        wavefronts / sm->smem_wavefronts_per_clock / work->fma_instructions;
}

static void subtract_count(const struct smc_shared_count *part, struct smc_shared_count *of)
{
    of->wavefronts -= part->wavefronts;
    of->least -= part->least;
}

/* Without cp.async kernels store; copies past L1 take no wavefronts (rules/banks.h). */
static void count_shared_copies(bool has_async_copies, struct smc_shared_work *shared)
{
    if (!has_async_copies) {
        shared->copies = shared->bypassing = (struct smc_shared_count){0};
        return;
    }
    subtract_count(&shared->bypassing, &shared->stores);
    subtract_count(&shared->bypassing, &shared->copies);
}

/* Fills `out` from the work of a completed query. */
static void find_workload(const struct smc_query *query, const struct smc_work *work,
                          struct smc_workload *out)
{
    *out = (struct smc_workload){0};
    find_ratios(work, out);
    if (query->kernel->shared_work) {
        struct smc_bank_layout layout;
        smc_bank_layout_of(&query->device.sm, SMC_BANK_MODE_4_BYTES, &layout);
        out->has_shared = true;
        query->kernel->shared_work(query->kernel, &query->params, &layout, &out->shared);
        count_shared_copies(query->device.sm.has_async_copies, &out->shared);
    }
    find_shared_memory_bound(query, work, out);
}

double smc_query_flops(const struct smc_answer *answer)
{
    return answer->has_work ? answer->work.flops : answer->time.fma_flops;
}

enum smc_dtype smc_query_dtype(const struct smc_answer *answer)
{
    const double *term_ms = answer->time.term_ms;
    if (answer->query.kernel)
        return (enum smc_dtype)answer->query.params.value[SMC_PARAM_DTYPE];
    return term_ms[SMC_TIME_FP64] > term_ms[SMC_TIME_FMA] ? SMC_DOUBLE : SMC_FLOAT;
}

double smc_workload_peak_share(const struct smc_workload *workload)
{
    if (workload->shared_cycles_per_step <= workload->fma_cycles_per_step)
        return 1;
    return workload->fma_cycles_per_step / workload->shared_cycles_per_step;
}

/* Kernels copy with cp.async, bypassing L1, if the device has it; otherwise they load and store. */
static void count_copies(const struct smc_sm *sm, struct smc_work *work)
{
    for (size_t i = 0; i < work->access_count && sm->has_async_copies; i++)
        work->access[i].sectors += work->access[i].copy_sectors;
}

void smc_query_find_work(struct smc_answer *answer)
{
    const struct smc_query *query = &answer->query;
    answer->has_work = query->kernel && query->kernel->work;
    if (!answer->has_work)
        return;
    query->kernel->work(query->kernel, &query->params, &answer->work);
    count_copies(&query->device.sm, &answer->work);
    find_workload(query, &answer->work, &answer->workload);
}
