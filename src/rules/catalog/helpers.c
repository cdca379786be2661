/* The program's own kernels, which are not kernels of the catalog: nobody asks about them. These
   are needed also where there is no NVRTC; src/hardware/executor/gpu_measurements.c has others. */
#include "rules/catalog.h"

const struct smc_kernel smc_kernel_health_sms = {
    SMC_KERNEL_NAMES(health_sms, "health-sms"),
    .defines = smc_defines_nothing,
};

const struct smc_kernel smc_kernel_health_memory = {
    .name = "health-memory",
    .file = "health_memory.cu",
    .entry = "health_write",
    .defines = smc_defines_nothing,
};

const struct smc_kernel smc_kernel_ceiling_read = {
    SMC_KERNEL_NAMES(ceiling_read, "ceiling-read"),
    .defines = smc_defines_nothing,
};

static void helpers_define_element(const struct smc_kernel *kernel, const struct smc_params *params,
                                   struct smc_text *options)
{
    (void)kernel;
    enum smc_dtype dtype = (enum smc_dtype)params->value[SMC_PARAM_DTYPE];
    smc_text_printf(options, "-DELEMENT=%s\n", smc_dtype_name(dtype));
}

const struct smc_kernel smc_kernel_ceiling_fma = {
    SMC_KERNEL_NAMES(ceiling_fma, "ceiling-fma"),
    .defines = helpers_define_element,
};

const struct smc_kernel *const smc_helper_kernels[SMC_HELPER_KERNELS] = {
    &smc_kernel_health_sms,
    &smc_kernel_health_memory,
    &smc_kernel_ceiling_read,
    &smc_kernel_ceiling_fma,
};
