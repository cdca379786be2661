/* The kernels of smemcalc check. */
#ifndef SMC_CATALOG_HEALTH_H
#define SMC_CATALOG_HEALTH_H

#include "catalog/catalog.h"

extern const struct smc_kernel smc_health_sms_kernel;
extern const struct smc_kernel smc_health_memory_kernel; /* and health_read, health_flip */

#endif
