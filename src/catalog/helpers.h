/* The program's own kernels that it also has as PTX, for machines without an NVRTC. They have a
   name, a file, an entry and `defines`, but nothing else of a kernel of the catalog. */
#ifndef SMC_CATALOG_HELPERS_H
#define SMC_CATALOG_HELPERS_H

#include "catalog/catalog.h"

extern const struct smc_kernel smc_kernel_health_sms;
extern const struct smc_kernel smc_kernel_health_memory; /* and health_read, health_flip */
extern const struct smc_kernel smc_kernel_ceiling_read;
extern const struct smc_kernel smc_kernel_ceiling_fma; /* built in for floats */

enum { SMC_HELPER_KERNELS = 4 };
extern const struct smc_kernel *const smc_helper_kernels[SMC_HELPER_KERNELS];

#endif
