/* What the kernels of the 1-D box sum share. */
#include "catalog/stencil.h"

#include <inttypes.h>

#include "model/round.h"

enum { INPUT, OUTPUT };
enum { DEFAULT_OUTPUTS = 1 << 20 };

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
    return SMC_OK;
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
    smc_plan_add_buffer(plan, "input", SMC_INT32, (uint64_t)params->value[SMC_PARAM_LENGTH], false);
    smc_plan_add_buffer(plan, "output", SMC_INT32, outputs, true);
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

/* The sum slides along: one addition and one subtraction an output, exact in 64 bits. */
void smc_stencil_compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                         uint64_t rows, struct smc_comparison *result)
{
    const int32_t *input = buffers[INPUT];
    const int32_t *output = buffers[OUTPUT];
    uint64_t around = smc_stencil_halo(params);
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
