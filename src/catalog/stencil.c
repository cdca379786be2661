/* The 1-D box sum over int32: output[i] = input[i] + ... + input[i + 2 radius], for each place
   where the whole window lies in the input. */
#include <inttypes.h>

#include "catalog/families.h"
#include "model/round.h"

enum { INPUT, OUTPUT };
enum { DEFAULT_OUTPUTS = 1 << 20, BYTES = sizeof(int32_t) };

static int64_t halo(const struct smc_params *params)
{
    return 2 * params->value[SMC_PARAM_RADIUS];
}

static uint64_t outputs(const struct smc_params *params)
{
    return (uint64_t)(params->value[SMC_PARAM_LENGTH] - halo(params));
}

static uint64_t blocks(const struct smc_params *params)
{
    return divide_up(outputs(params), (uint64_t)params->value[SMC_PARAM_BLOCK]);
}

static enum smc_status complete(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error)
{
    int64_t *length = &params->value[SMC_PARAM_LENGTH];
    if (*length == 0)
        *length = DEFAULT_OUTPUTS + halo(params);
    enum smc_status status = smc_params_check(kernel, params, error);
    if (status != SMC_OK)
        return status;
    if (*length <= halo(params))
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' is not above 2 x %" PRId64
                        ", twice the radius",
                        *length, params->value[SMC_PARAM_RADIUS]);
    if (blocks(params) > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' takes %" PRIu64 " blocks of --block "
                        "%" PRId64 ", more than the %" PRId64 " of a grid",
                        *length, blocks(params), params->value[SMC_PARAM_BLOCK], SMC_MAX_GRID_X);
    return SMC_OK;
}

static enum smc_status complete_static(struct smc_params *params, struct smc_error *error)
{
    return complete(&smc_kernel_stencil_static, params, error);
}

static enum smc_status complete_dynamic(struct smc_params *params, struct smc_error *error)
{
    return complete(&smc_kernel_stencil_dynamic, params, error);
}

static void defines_static(const struct smc_params *params, struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n-DRADIUS=%" PRId64 "\n",
                    params->value[SMC_PARAM_BLOCK], params->value[SMC_PARAM_RADIUS]);
}

/* One text serves every radius and block. */
static void defines_dynamic(const struct smc_params *params, struct smc_text *options)
{
    (void)params, (void)options;
}

static void plan(const struct smc_params *params, struct smc_plan *plan)
{
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {(uint32_t)blocks(params), 1, 1},
        .output_rows = outputs(params),
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "input", SMC_INT32, (uint64_t)params->value[SMC_PARAM_LENGTH], false);
    smc_plan_add_buffer(plan, "output", SMC_INT32, outputs(params), true);
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT64, (int64_t)outputs(params)};
}

/* A block stages the inputs of its own outputs and a halo on both sides. */
static uint64_t staged_bytes(const struct smc_params *params)
{
    return (uint64_t)(params->value[SMC_PARAM_BLOCK] + halo(params)) * BYTES;
}

static void plan_static(const struct smc_params *params, struct smc_plan *out)
{
    plan(params, out);
    out->static_smem_bytes = staged_bytes(params);
}

static void plan_dynamic(const struct smc_params *params, struct smc_plan *out)
{
    plan(params, out);
    out->dynamic_smem_bytes = staged_bytes(params);
    out->argument[out->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT32, params->value[SMC_PARAM_RADIUS]};
}

/* The block's threads stage the window in strides of a block; then each sums over its part. */
static size_t shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint32_t inputs = block + (uint32_t)halo(params);
    struct smc_shared_access *store = &list[0], *load = &list[1];
    smc_shared_begin(store, "window[i]", SMC_BANK_STORE, BYTES, 0,
                     (uint32_t)divide_up(inputs, block));
    smc_shared_begin(load, "window[threadIdx.x + i]", SMC_BANK_LOAD, BYTES, 0,
                     (uint32_t)halo(params) + 1);
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

/* Each block loads its halo anew. */
static void work(const struct smc_params *params, struct smc_work *work)
{
    double length = (double)params->value[SMC_PARAM_LENGTH];
    double results = (double)outputs(params);
    double around = (double)halo(params);
    *work = (struct smc_work){
        .flops = results * around,
        .global_load_bytes = (results + (double)blocks(params) * around) * BYTES,
        .global_store_bytes = results * BYTES,
        .untiled_load_bytes = results * (around + 1) * BYTES,
        .minimum_bytes = (length + results) * BYTES,
    };
}

/* The sum slides along: one addition and one subtraction an output, exact in 64 bits. */
static void compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                    uint64_t rows, struct smc_comparison *result)
{
    const int32_t *input = buffers[INPUT];
    const int32_t *output = buffers[OUTPUT];
    uint64_t around = (uint64_t)halo(params);
    int64_t sum = 0;
    if (rows == 0)
        return;
    for (uint64_t i = row; i < row + around; i++)
        sum += input[i];
    for (uint64_t i = row; i < row + rows; i++) {
        sum += input[i + around];
        smc_comparison_add(result, i, (double)sum, output[i], sum == output[i] ? 0 : SMC_WRONG);
        sum -= input[i];
    }
}

#define PARAMS                                                                                     \
    SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(RADIUS) | SMC_PARAM_BIT(LENGTH)

const struct smc_kernel smc_kernel_stencil_static = {
    .name = "stencil-static",
    .family = "stencil",
    .file = "stencil_static.cu",
    .entry = "stencil_static",
    .summary = "1-D box sum, staged in static shared memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_INT32,
    .sibling = "stencil-dynamic",
    .complete = complete_static,
    .defines = defines_static,
    .plan = plan_static,
    .work = work,
    .shared_accesses = shared_accesses,
    .compare = compare,
};

const struct smc_kernel smc_kernel_stencil_dynamic = {
    .name = "stencil-dynamic",
    .family = "stencil",
    .file = "stencil_dynamic.cu",
    .entry = "stencil_dynamic",
    .summary = "1-D box sum, staged in dynamic shared memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_INT32,
    .complete = complete_dynamic,
    .defines = defines_dynamic,
    .plan = plan_dynamic,
    .work = work,
    .shared_accesses = shared_accesses,
    .compare = compare,
};
