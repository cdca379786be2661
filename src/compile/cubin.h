/* Machine code as NVRTC gives it: an ELF file. */
#ifndef SMC_COMPILE_CUBIN_H
#define SMC_COMPILE_CUBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The named barriers that a kernel uses, from the flags of its code section (bits 20 to 26). For
   what CUDA 11 and older made; later ones leave them 0 and print the number instead. */
bool smc_cubin_read_barriers(const void *cubin, size_t bytes, const char *entry,
                             uint32_t *barriers);

#endif
