/* C = A B by tile x tile blocks of threads, where B may be A turned: what the families of matrix
   products share. Only this folder includes it. */
#ifndef SMC_CATALOG_PRODUCT_H
#define SMC_CATALOG_PRODUCT_H

#include "catalog/families.h"

/* A tile in shared memory: its element (row, column) lies in the array at
   row * row_elements + column, or with a swizzle at row * row_elements + (column ^ row). */
struct smc_product_tile {
    const char *store, *load; /* the accesses in the kernel's text */
    uint32_t row_elements;
    bool turned; /* thread (x, y) stores element (x, y), in place of (y, x) */
    bool swizzled;
};

/* One launch. Thread (x, y) of each block makes element (y, x) of a tile of C, which is m x n. At
   each step of `tile` along k the threads store a tile of A and one of B, and each sums over the
   products a_tile(y, i) * b_tile(i, x). The naive kernels have no tiles in shared memory. */
struct smc_product {
    enum smc_dtype dtype;
    uint32_t element_bytes;
    uint32_t tile;
    uint64_t m, n, k, lda, ldb, ldc;
    bool b_is_a;      /* B[k][column] is A[column][k], and ldb is lda */
    uint32_t grid[3]; /* x: tiles along a row of C; y and z: tiles down C, some all beyond it */
    struct smc_product_tile a_tile, b_tile; /* in this order in shared memory; one whose row has no
                                               element is read from global memory */
    uint32_t stages;                        /* tiles of each in shared memory */
};

/* Leading dimensions, and whether the matrices fit into any memory. Without --n, B is A turned. */
enum smc_status smc_product_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                     struct smc_error *error);

/* TILE and ELEMENT; and PAD. */
void smc_product_defines(const struct smc_params *params, struct smc_text *options);
void smc_product_defines_padded(const struct smc_params *params, struct smc_text *options);

/* All but the tiles in shared memory. */
struct smc_product smc_product_of(const struct smc_params *params, bool b_is_a);

void smc_product_plan_naive(const struct smc_product *product, struct smc_plan *plan);
void smc_product_plan_tiled(const struct smc_product *product, struct smc_plan *plan);

uint64_t smc_product_blocks_down(const struct smc_product *product);

/* Flops and global memory; product_work.c. The first sets what every kernel of a product has. */
void smc_product_begin_work(const struct smc_product *product, struct smc_work *work);
void smc_product_naive_work(const struct smc_product *product, struct smc_work *work);
void smc_product_tiled_work(const struct smc_product *product, struct smc_work *work);
void smc_product_a_tile_work(const struct smc_product *product, struct smc_work *work);

/* Shared memory, as smc_kernel's functions; product_shared.c. */
size_t smc_product_shared_accesses(const struct smc_product *product, uint32_t warp, uint32_t step,
                                   struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES]);
void smc_product_shared_work(const struct smc_product *product,
                             const struct smc_bank_layout *layout, struct smc_shared_work *work);

/* As smc_kernel's function; product_compare.c. */
void smc_product_compare(const struct smc_product *product, const void *const *buffers,
                         uint64_t row, uint64_t rows, struct smc_comparison *result);

#endif
