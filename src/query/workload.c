/* What the work of a launch comes to on the device: ratios, shared memory, its wall. */
#include "query/workload.h"

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

/* Only float: the table knows no other lanes. */
static void find_wall(const struct smc_query *query, const struct smc_work *work,
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

void smc_workload_find(const struct smc_query *query, const struct smc_work *work,
                       struct smc_workload *out)
{
    *out = (struct smc_workload){0};
    find_ratios(work, out);
    if (query->kernel->shared_work) {
        struct smc_bank_layout layout;
        smc_bank_layout_of(&query->device.sm, SMC_BANK_MODE_4_BYTES, &layout);
        out->has_shared = true;
        query->kernel->shared_work(query->kernel, &query->params, &layout, &out->shared);
        if (!query->device.sm.has_async_copies)
            out->shared.copies = (struct smc_shared_count){0};
    }
    find_wall(query, work, out);
}

double smc_workload_peak_share(const struct smc_workload *workload)
{
    if (workload->shared_cycles_per_step <= workload->fma_cycles_per_step)
        return 1;
    return workload->fma_cycles_per_step / workload->shared_cycles_per_step;
}
