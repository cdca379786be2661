/* The kernels of smemcalc check. They are not kernels of the catalog: nobody asks about them. */
#include "catalog/health.h"

const struct smc_kernel smc_health_sms_kernel = {
    .name = "health-sms",
    .file = "health_sms.cu",
    .entry = "health_sms",
    .defines = smc_defines_nothing,
};

const struct smc_kernel smc_health_memory_kernel = {
    .name = "health-memory",
    .file = "health_memory.cu",
    .entry = "health_write",
    .defines = smc_defines_nothing,
};
