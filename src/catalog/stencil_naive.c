/* The box sum from global memory alone. */
#include "catalog/stencil.h"
#include "catalog/work_parts.h"

enum { BYTES = SMC_STENCIL_BYTES };

static enum smc_status complete(struct smc_params *params, struct smc_error *error)
{
    return smc_stencil_complete(&smc_kernel_stencil_naive, params, error);
}

static void plan(const struct smc_params *params, struct smc_plan *plan)
{
    smc_stencil_plan(params, (uint64_t)params->value[SMC_PARAM_BLOCK], true, plan);
}

/* Neighbouring threads have neighbouring windows; each thread walks along its own. */
static void work(const struct smc_params *params, struct smc_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t halo = smc_stencil_halo(params), results = smc_stencil_outputs(params);
    uint64_t whole = results / block, first = whole * block, rest = results % block;
    smc_stencil_work(params, (double)halo, work);
    struct smc_global_access *load =
        smc_work_add_access(work, "input", false, (double)params->value[SMC_PARAM_LENGTH]);
    struct smc_global_access *store = smc_work_add_access(work, "output", true, (double)results);
    struct smc_lines all = {0, whole, block, block, block, halo + 1};
    struct smc_lines last = {first, 1, 0, rest, block, halo + 1};
    smc_work_add_lines(load, BYTES, &all);
    smc_work_add_lines(load, BYTES, &last);
    all.times = last.times = 1;
    smc_work_add_lines(store, BYTES, &all);
    smc_work_add_lines(store, BYTES, &last);
    smc_work_sum_bytes(work, BYTES);
}

const struct smc_kernel smc_kernel_stencil_naive = {
    .name = "stencil-naive",
    .family = "stencil",
    .file = "stencil_naive.cu",
    .entry = "stencil_naive",
    .summary = "1-D box sum, each window loaded from global memory",
    .params = SMC_STENCIL_PARAMS,
    .dtypes = SMC_STENCIL_DTYPES,
    .default_dtype = SMC_INT32,
    .streams = true,
    .complete = complete,
    .defines = smc_stencil_defines,
    .plan = plan,
    .work = work,
    .compare = smc_stencil_compare,
};
