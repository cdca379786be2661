/* Tensor Memory that kernels allocate: the columns of their tcgen05.alloc. */
#ifndef SMC_CODE_PTX_TMEM_H
#define SMC_CODE_PTX_TMEM_H

#include <stddef.h>
#include <stdint.h>

/* `columns` 0: not known. They are where a kernel has one allocation, of a constant. */
typedef void smc_ptx_tmem_visit(void *context, const char *name, size_t name_length,
                                uint32_t columns);

/* Visits every kernel of the text that allocates Tensor Memory, itself or perhaps in a function. */
void smc_ptx_tmem(const char *text, smc_ptx_tmem_visit *visit, void *context);

#endif
