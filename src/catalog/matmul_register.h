/* C = A B with several outputs a thread: where the blocks, warps and threads of one launch work.
   Only this folder includes it. */
#ifndef SMC_CATALOG_MATMUL_REGISTER_H
#define SMC_CATALOG_MATMUL_REGISTER_H

#include "catalog/product.h"

/* A warp's threads over its tile of C, as in kernels/matmul_register.cu. */
enum { SMC_REGISTER_LANES_M = 8, SMC_REGISTER_LANES_N = 4 };

struct smc_register {
    struct smc_product product; /* its tile and its grid mean nothing here */
    uint32_t block_m, block_n, block_k, thread_m, thread_n, stages;
    uint32_t vector; /* elements in 16 bytes, the widest access */
    uint32_t a_row;  /* elements from one k to the next in a panel of A */
    uint32_t threads;
};

struct smc_register smc_register_of(const struct smc_params *params);

/* As smc_kernel's functions. */
void smc_register_work(const struct smc_params *params, struct smc_work *work);
size_t smc_register_shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                                    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES]);
void smc_register_shared_work(const struct smc_params *params, const struct smc_bank_layout *layout,
                              struct smc_shared_work *work);

#endif
