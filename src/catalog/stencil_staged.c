/* The box sum whose blocks stage the inputs of their windows in shared memory. */
#include <inttypes.h>

#include "catalog/stencil.h"
#include "catalog/work_parts.h"
#include "model/round.h"

enum { BYTES = SMC_STENCIL_BYTES };

static enum smc_status complete_static(struct smc_params *params, struct smc_error *error)
{
    return smc_stencil_complete(&smc_kernel_stencil_static, params, error);
}

static enum smc_status complete_dynamic(struct smc_params *params, struct smc_error *error)
{
    return smc_stencil_complete(&smc_kernel_stencil_dynamic, params, error);
}

static void defines_static(const struct smc_params *params, struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n-DRADIUS=%" PRId64 "\n",
                    params->value[SMC_PARAM_BLOCK], params->value[SMC_PARAM_RADIUS]);
    smc_stencil_defines(params, options);
}

/* A block stages the inputs of its own outputs and a halo on both sides. */
static uint64_t staged_bytes(const struct smc_params *params)
{
    return ((uint64_t)params->value[SMC_PARAM_BLOCK] + smc_stencil_halo(params)) * BYTES;
}

static void plan_static(const struct smc_params *params, struct smc_plan *plan)
{
    smc_stencil_plan(params, (uint64_t)params->value[SMC_PARAM_BLOCK], false, plan);
    plan->static_smem_bytes = staged_bytes(params);
}

static void plan_dynamic(const struct smc_params *params, struct smc_plan *plan)
{
    smc_stencil_plan(params, (uint64_t)params->value[SMC_PARAM_BLOCK], true, plan);
    plan->dynamic_smem_bytes = staged_bytes(params);
}

/* The block's threads stage the window in strides of a block; then each sums over its part. */
static size_t shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint32_t halo = (uint32_t)smc_stencil_halo(params), inputs = block + halo;
    struct smc_shared_access *store = &list[0], *load = &list[1];
    smc_shared_begin(store, "window[i]", SMC_BANK_STORE, BYTES, 0,
                     (uint32_t)divide_up(inputs, block));
    smc_shared_begin(load, "window[threadIdx.x + i]", SMC_BANK_LOAD, BYTES, 0, halo + 1);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        if (thread >= block)
            break;
        if (thread + (uint64_t)step * block < inputs)
            smc_shared_lane(store, lane, step, thread + step * block);
        smc_shared_lane(load, lane, step, thread + step);
    }
    return 2;
}

/* Each block loads its halo anew; the last one has as many outputs as are left. */
static void work(const struct smc_params *params, struct smc_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t around = smc_stencil_halo(params), results = smc_stencil_outputs(params);
    uint64_t whole = results / block, rest = results % block;
    smc_stencil_work(params, (double)around, work);
    struct smc_global_access *load =
        smc_work_add_access(work, "input", false, (double)params->value[SMC_PARAM_LENGTH]);
    struct smc_global_access *store = smc_work_add_access(work, "output", true, (double)results);
    smc_work_add_lines(load, BYTES, &(struct smc_lines){0, whole, block, block + around, block, 1});
    smc_work_add_lines(store, BYTES, &(struct smc_lines){0, whole, block, block, block, 1});
    if (rest) {
        uint64_t first = whole * block;
        smc_work_add_lines(load, BYTES, &(struct smc_lines){first, 1, 0, rest + around, block, 1});
        smc_work_add_lines(store, BYTES, &(struct smc_lines){first, 1, 0, rest, block, 1});
    }
    smc_work_sum_bytes(work, BYTES);
}

/* One block with so many outputs: stores in strides of a block, then each thread's own sum. */
static void add_shared(const struct smc_params *params, const struct smc_bank_layout *layout,
                       uint64_t results, double times, struct smc_shared_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint64_t halo = smc_stencil_halo(params), staged = results + halo;
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, block,
                       times * (double)(staged / block));
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, (uint32_t)(staged % block), times);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, (uint32_t)results,
                       times * (double)(halo + 1));
}

/* A thread's loads begin at any word: none can be joined. */
static void shared_work(const struct smc_params *params, const struct smc_bank_layout *layout,
                        struct smc_shared_work *work)
{
    uint64_t block = (uint64_t)params->value[SMC_PARAM_BLOCK];
    uint64_t results = smc_stencil_outputs(params);
    add_shared(params, layout, block, (double)(results / block), work);
    if (results % block)
        add_shared(params, layout, results % block, 1, work);
    work->written_loads = work->loads;
}

const struct smc_kernel smc_kernel_stencil_static = {
    .name = "stencil-static",
    .family = "stencil",
    .file = "stencil_static.cu",
    .entry = "stencil_static",
    .summary = "1-D box sum, staged in static shared memory",
    .params = SMC_STENCIL_PARAMS,
    .dtypes = SMC_STENCIL_DTYPES,
    .default_dtype = SMC_INT32,
    .streams = true,
    .sibling = "stencil-dynamic",
    .complete = complete_static,
    .defines = defines_static,
    .plan = plan_static,
    .work = work,
    .shared_work = shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_stencil_compare,
};

const struct smc_kernel smc_kernel_stencil_dynamic = {
    .name = "stencil-dynamic",
    .family = "stencil",
    .file = "stencil_dynamic.cu",
    .entry = "stencil_dynamic",
    .summary = "1-D box sum, staged in dynamic shared memory",
    .params = SMC_STENCIL_PARAMS,
    .dtypes = SMC_STENCIL_DTYPES,
    .default_dtype = SMC_INT32,
    .streams = true,
    .complete = complete_dynamic,
    .defines = smc_stencil_defines,
    .plan = plan_dynamic,
    .work = work,
    .shared_work = shared_work,
    .shared_accesses = shared_accesses,
    .compare = smc_stencil_compare,
};
