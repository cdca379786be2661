/* The architecture for which nvcc compiles if no option names one. */
#ifndef SMC_INSPECT_NVCC_DEFAULT_H
#define SMC_INSPECT_NVCC_DEFAULT_H

#include <stdint.h>

/* Of a CUDA Toolkit by the first part of its release; 0: unknown. */
uint16_t smc_nvcc_default_of(unsigned cuda_major);

/* Of the nvcc of this path or name, which is not run: its release is that of the toolkit's header,
   or in the path ("/usr/local/cuda-12.4/bin/nvcc"). If it is not on this machine and its path does
   not tell, that of the nvcc here. 0: unknown. */
uint16_t smc_nvcc_default(const char *nvcc);

#endif
