/* What the kernels of the 1-D box sum share. */
#include "catalog/stencil.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "model/round.h"

enum { INPUT, OUTPUT };
enum { DEFAULT_OUTPUTS = 1 << 20 };
enum { FLOAT_WHOLE = 1 << FLT_MANT_DIG }; /* up to which float holds every whole number */

static enum smc_dtype dtype_of(const struct smc_params *params)
{
    return (enum smc_dtype)params->value[SMC_PARAM_DTYPE];
}

uint64_t smc_stencil_halo(const struct smc_params *params)
{
    return 2 * (uint64_t)params->value[SMC_PARAM_RADIUS];
}

uint64_t smc_stencil_outputs(const struct smc_params *params)
{
    return (uint64_t)params->value[SMC_PARAM_LENGTH] - smc_stencil_halo(params);
}

enum smc_status smc_stencil_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                     struct smc_error *error)
{
    int64_t *length = &params->value[SMC_PARAM_LENGTH];
    int64_t block = params->value[SMC_PARAM_BLOCK], radius = params->value[SMC_PARAM_RADIUS];
    if (*length == 0)
        *length = DEFAULT_OUTPUTS + 2 * radius;
    enum smc_status status = smc_params_check(kernel, params, error);
    if (status != SMC_OK)
        return status;
    if (*length <= 2 * radius)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' is not above 2 x %" PRId64
                        ", twice the radius",
                        *length, radius);
    uint64_t blocks = divide_up(smc_stencil_outputs(params), (uint64_t)block);
    if (blocks > SMC_MAX_GRID_X)
        return smc_fail(error, SMC_USAGE,
                        "option --length: '%" PRId64 "' takes %" PRIu64 " blocks of --block "
                        "%" PRId64 ", more than the %" PRId64 " of a grid",
                        *length, blocks, block, SMC_MAX_GRID_X);
    return smc_stencil_check_exact(kernel, params, smc_stencil_halo(params) + 1, error);
}

enum smc_status smc_stencil_check_exact(const struct smc_kernel *kernel,
                                        const struct smc_params *params, uint64_t inputs,
                                        struct smc_error *error)
{
    if (dtype_of(params) != SMC_FLOAT || inputs * SMC_LARGEST_WHOLE <= FLOAT_WHOLE)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --radius: '%" PRId64 "' is too much for float: %s's sums may have "
                    "%" PRIu64 " inputs of up to %d, and whole numbers are exact up to %d; "
                    "--dtype int32 takes any radius",
                    params->value[SMC_PARAM_RADIUS], kernel->name, inputs, SMC_LARGEST_WHOLE,
                    FLOAT_WHOLE);
}

void smc_stencil_define_element(const struct smc_params *params, const char *int32,
                                struct smc_text *options)
{
    smc_text_printf(options, "-DELEMENT=%s\n", dtype_of(params) == SMC_FLOAT ? "float" : int32);
}

void smc_stencil_defines(const struct smc_params *params, struct smc_text *options)
{
    smc_stencil_define_element(params, "int", options);
}

void smc_stencil_plan(const struct smc_params *params, uint64_t outputs_per_block,
                      bool takes_radius, struct smc_plan *plan)
{
    uint64_t outputs = smc_stencil_outputs(params);
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {(uint32_t)divide_up(outputs, outputs_per_block), 1, 1},
        .output_rows = outputs,
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "input", dtype_of(params), (uint64_t)params->value[SMC_PARAM_LENGTH],
                        false);
    smc_plan_add_buffer(plan, "output", dtype_of(params), outputs, true);
    plan->buffer[INPUT].whole = true;
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_INT64, (int64_t)outputs};
    if (takes_radius)
        plan->argument[plan->argument_count++] =
            (struct smc_argument){SMC_ARGUMENT_INT32, params->value[SMC_PARAM_RADIUS]};
}

void smc_stencil_work(const struct smc_params *params, double flops_per_output,
                      struct smc_work *work)
{
    double outputs = (double)smc_stencil_outputs(params);
    double window = (double)(smc_stencil_halo(params) + 1);
    *work = (struct smc_work){
        .flops = outputs * flops_per_output,
        .untiled_load_bytes = outputs * window * SMC_STENCIL_BYTES,
        .minimum_bytes = ((double)params->value[SMC_PARAM_LENGTH] + outputs) * SMC_STENCIL_BYTES,
    };
}

static int64_t input_at(const void *input, enum smc_dtype dtype, uint64_t i)
{
    return dtype == SMC_FLOAT ? (int64_t)((const float *)input)[i] : ((const int32_t *)input)[i];
}

/* Bit for bit: not even -0 stands for 0. */
static void compare_float(struct smc_comparison *result, uint64_t i, float expected, float got)
{
    bool same = memcmp(&expected, &got, sizeof got) == 0;
    smc_comparison_add(result, i, expected, got, same ? 0 : SMC_WRONG);
}

static void compare_at(struct smc_comparison *result, uint64_t i, int64_t expected,
                       const void *output, enum smc_dtype dtype)
{
    if (dtype == SMC_FLOAT) {
        compare_float(result, i, (float)expected, ((const float *)output)[i]);
        return;
    }
    int32_t got = ((const int32_t *)output)[i];
    smc_comparison_add(result, i, (double)expected, got, expected == got ? 0 : SMC_WRONG);
}

/* The sum slides along: one addition and one subtraction an output, exact in 64 bits. */
void smc_stencil_compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                         uint64_t rows, struct smc_comparison *result)
{
    const void *input = buffers[INPUT];
    enum smc_dtype dtype = dtype_of(params);
    uint64_t around = smc_stencil_halo(params);
    int64_t sum = 0;
    if (rows == 0)
        return;
    for (uint64_t i = row; i < row + around; i++)
        sum += input_at(input, dtype, i);
    for (uint64_t i = row; i < row + rows; i++) {
        sum += input_at(input, dtype, i + around);
        compare_at(result, i, sum, buffers[OUTPUT], dtype);
        sum -= input_at(input, dtype, i);
    }
}
