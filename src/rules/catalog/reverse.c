/* An int32 array reversed by one block. */
#include <inttypes.h>

#include "base/numbers.h"
#include "rules/catalog/catalog_family.h"

enum { INPUT, OUTPUT };
enum { BYTES = sizeof(int32_t) };

/* A launch accepts the bytes of shared memory as an int. */
#define MAX_LENGTH (INT32_MAX / BYTES)

static uint64_t reverse_length_of(const struct smc_params *params)
{
    return (uint64_t)params->value[SMC_PARAM_LENGTH];
}

static enum smc_status reverse_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                        struct smc_error *error)
{
    int64_t *length = &params->value[SMC_PARAM_LENGTH];
    if (*length == 0)
        *length = params->value[SMC_PARAM_BLOCK];
    SMC_TRY(smc_params_check(kernel, params, error));
    if (*length > MAX_LENGTH)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' is above %d, the most elements that a "
                        "launch can ask shared memory for",
                        *length, (int)MAX_LENGTH);
    return SMC_OK;
}

static void reverse_defines_static(const struct smc_kernel *kernel, const struct smc_params *params,
                                   struct smc_text *options)
{
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n-DLENGTH=%" PRId64 "\n",
                    params->value[SMC_PARAM_BLOCK], params->value[SMC_PARAM_LENGTH]);
}

static void plan_array(const struct smc_params *params, struct smc_plan *plan)
{
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {1, 1, 1},
        .output_rows = reverse_length_of(params),
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "input", SMC_INT32, reverse_length_of(params), false);
    smc_plan_add_buffer(plan, "output", SMC_INT32, reverse_length_of(params), true);
}

static void reverse_plan_static(const struct smc_kernel *kernel, const struct smc_params *params,
                                struct smc_plan *out)
{
    plan_array(params, out);
    out->static_smem_bytes = reverse_length_of(params) * BYTES;
}

static void reverse_plan_dynamic(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_plan *out)
{
    plan_array(params, out);
    out->dynamic_smem_bytes = reverse_length_of(params) * BYTES;
    out->argument[out->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT32, params->value[SMC_PARAM_LENGTH]};
}

static size_t reverse_shared_accesses(const struct smc_kernel *kernel,
                                      const struct smc_params *params, uint32_t warp, uint32_t step,
                                      struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    uint32_t length = (uint32_t)reverse_length_of(params);
    struct smc_shared_access *store = &list[0], *load = &list[1];
    uint32_t steps = (uint32_t)divide_up(length, block);
    smc_shared_begin(store, "staged[i]", SMC_BANK_STORE, BYTES, 0, steps);
    smc_shared_begin(load, "staged[length - 1 - i]", SMC_BANK_LOAD, BYTES, 0, steps);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint64_t thread = (uint64_t)warp * SMC_WARP_LANES + lane;
        uint64_t i = thread + (uint64_t)step * block;
        if (thread >= block || i >= length)
            break;
        smc_shared_lane(store, lane, step, (uint32_t)i);
        smc_shared_lane(load, lane, step, length - 1 - (uint32_t)i);
    }
    return 2;
}

static void reverse_work(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_work *work)
{
    uint32_t block = (uint32_t)params->value[SMC_PARAM_BLOCK];
    double length = (double)reverse_length_of(params);
    const struct smc_lines lines = {0, 1, 0, reverse_length_of(params), block, 1};
    *work = (struct smc_work){
        .untiled_load_bytes = length * BYTES,
        .minimum_bytes = 2 * length * BYTES,
    };
    smc_work_add_lines(smc_work_add_access(work, "input", false, length), BYTES, &lines);
    smc_work_add_lines(smc_work_add_access(work, "output", true, length), BYTES, &lines);
    smc_work_sum_bytes(work, BYTES);
}

/* Downwards from the end accesses the same banks as upwards. */
static void reverse_shared_work(const struct smc_kernel *kernel, const struct smc_params *params,
                                const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    uint64_t block = (uint64_t)params->value[SMC_PARAM_BLOCK], length = reverse_length_of(params);
    double turns = (double)(length / block);
    uint32_t rest = (uint32_t)(length % block);
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, (uint32_t)block, turns);
    smc_shared_add_run(&work->stores, layout, SMC_BANK_STORE, rest, 1);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, (uint32_t)block, turns);
    smc_shared_add_run(&work->loads, layout, SMC_BANK_LOAD, rest, 1);
    work->written_loads = work->loads;
}

static void reverse_compare(const struct smc_kernel *kernel, const struct smc_params *params,
                            const void *const *buffers, uint64_t row, uint64_t rows,
                            struct smc_comparison *result)
{
    const int32_t *last = (const int32_t *)buffers[INPUT] + reverse_length_of(params) - 1;
    const int32_t *output = buffers[OUTPUT];
    for (uint64_t i = row; i < row + rows; i++)
        smc_comparison_add(result, i, last[-(int64_t)i], output[i],
                           last[-(int64_t)i] == output[i] ? 0 : SMC_WRONG);
}

#define REVERSE                                                                                    \
    .family = "reverse", .dtypes = 1u << SMC_INT32, .default_dtype = SMC_INT32, .streams = true,   \
    .params = SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(LENGTH),                 \
    .complete = reverse_complete, .work = reverse_work, .shared_work = reverse_shared_work,        \
    .shared_accesses = reverse_shared_accesses, .compare = reverse_compare

const struct smc_kernel smc_kernel_reverse_static = {
    SMC_KERNEL_NAMES(reverse_static, "reverse-static"),
    REVERSE,
    .summary = "an array reversed by one block through static shared memory",
    .sibling = "reverse-dynamic",
    .defines = reverse_defines_static,
    .plan = reverse_plan_static,
};

const struct smc_kernel smc_kernel_reverse_dynamic = {
    SMC_KERNEL_NAMES(reverse_dynamic, "reverse-dynamic"),
    REVERSE,
    .summary = "an array reversed by one block through dynamic shared memory",
    .defines = smc_defines_nothing,
    .plan = reverse_plan_dynamic,
};
