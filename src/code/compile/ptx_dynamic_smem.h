/* Which kernels use dynamic shared memory: those whose PTX names an array of shared memory without
   a size, itself or in a function that it calls. */
#ifndef SMC_CODE_PTX_DYNAMIC_SMEM_H
#define SMC_CODE_PTX_DYNAMIC_SMEM_H

#include <stdbool.h>
#include <stddef.h>

/* `is_known` false: it calls functions that the text does not have or name. */
typedef void smc_ptx_dynamic_smem_visit(void *context, const char *name, size_t name_length,
                                        bool is_known, bool uses);

/* Visits every kernel of the text. False: out of memory. */
bool smc_ptx_dynamic_smem(const char *text, smc_ptx_dynamic_smem_visit *visit, void *context);

#endif
