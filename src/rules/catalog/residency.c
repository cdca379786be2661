/* The residency probe; the head comment of kernels/residency.cu explains how it works. */
#include <inttypes.h>

#include "rules/catalog/catalog_family.h"

/* If a register cap is this close to the live values, ptxas uses exactly the cap. */
enum { OTHER_REGISTERS = 10, LOWEST_CAP = 24, HIGHEST_CAP = 255 };

static enum smc_status complete(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error)
{
    return smc_params_check(kernel, params, error);
}

static void residency_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                              struct smc_text *options)
{
    int64_t live = params->value[SMC_PARAM_LIVE];
    int64_t cap = live + OTHER_REGISTERS;
    cap = cap < LOWEST_CAP ? LOWEST_CAP : cap > HIGHEST_CAP ? HIGHEST_CAP : cap;
    smc_text_printf(options,
                    "-DLIVE=%" PRId64 "\n-DSTATIC_BYTES=%" PRId64 "\n--maxrregcount=%" PRId64 "\n",
                    live, params->value[SMC_PARAM_STATIC_BYTES], cap);
}

/* One block; the executor chooses the grid and makes the buffers. */
static void residency_plan(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_plan *plan)
{
    *plan = (struct smc_plan){
        .block = {(uint32_t)params->value[SMC_PARAM_BLOCK], 1, 1},
        .grid = {1, 1, 1},
        .static_smem_bytes = (uint64_t)params->value[SMC_PARAM_STATIC_BYTES],
    };
    smc_plan_count(plan);
}

const struct smc_kernel smc_kernel_residency = {
    SMC_KERNEL_NAMES(residency, "residency"),
    .family = "residency",
    .summary = "a probe that counts the blocks alive on each SM",
    .params = SMC_PARAM_BIT(BLOCK) | SMC_PARAM_BIT(LIVE) | SMC_PARAM_BIT(STATIC_BYTES),
    .dtypes = 1u << SMC_INT32,
    .default_dtype = SMC_INT32,
    .is_probe = true,
    .complete = complete,
    .defines = residency_defines,
    .plan = residency_plan,
};
