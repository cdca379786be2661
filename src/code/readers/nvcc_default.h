/* The architecture for which nvcc compiles if no option names one. */
#ifndef SMC_CODE_NVCC_DEFAULT_H
#define SMC_CODE_NVCC_DEFAULT_H

#include <stdint.h>

/* The default of the nvcc with this path or name, which is not run: its version is read from the
   toolkit's header or its path ("/usr/local/cuda-12.4/bin/nvcc"). If neither states it, the default
   of the nvcc on this machine. 0: unknown. */
uint16_t smc_nvcc_default(const char *nvcc);

#endif
