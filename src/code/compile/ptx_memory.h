/* Memory that the kernels of a PTX text use beyond what they declare. */
#ifndef SMC_CODE_PTX_MEMORY_H
#define SMC_CODE_PTX_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel uses dynamic shared memory if it names an array of shared memory without a size, itself
   or in a function that it calls. `is_known` false: it calls functions that the text does not have
   or name. */
typedef void smc_ptx_dynamic_smem_visit(void *context, const char *name, size_t name_length,
                                        bool is_known, bool uses);

/* Visits every kernel of the text. False: out of memory. */
bool smc_ptx_dynamic_smem(const char *text, smc_ptx_dynamic_smem_visit *visit, void *context);

/* The columns of a tcgen05.alloc; 0: not known. They are known where a kernel has one
   allocation, of a constant. */
typedef void smc_ptx_tmem_visit(void *context, const char *name, size_t name_length,
                                uint32_t columns);

/* Visits every kernel of the text that allocates Tensor Memory, itself or perhaps in a function. */
void smc_ptx_tmem(const char *text, smc_ptx_tmem_visit *visit, void *context);

#endif
