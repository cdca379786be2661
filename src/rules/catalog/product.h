/* Matrix products: what the kernels with one output per thread share with matmul-register. Only
   this folder includes it. */
#ifndef SMC_RULES_PRODUCT_H
#define SMC_RULES_PRODUCT_H

#include "rules/catalog/catalog_family.h"

/* A tile in shared memory: its element (row, column) is at row * row_elements + column, or with a
   swizzle at row * row_elements + (column ^ row). */
struct smc_product_tile {
    const char *store, *load; /* the accesses in the kernel's text; NULL: no tile, the matrix is
                                 read from global memory */
    bool transposed;          /* thread (x, y) stores element (x, y) instead of (y, x) */
    bool swizzled;
    bool padded; /* by --pad */
};

/* The variant of a kernel with tiles, which distinguishes these kernels. */
struct smc_product_tiles {
    struct smc_product_tile a, b; /* in this order in shared memory */
    uint32_t stages;              /* tiles of each matrix in shared memory */
    bool copies_async;            /* by cp.async, from CC 8.0 on */
};

/* One launch. Thread (x, y) of each block computes element (y, x) of a tile of C, which is m x n.
   At each step of `tile` along k the threads store a tile of A and one of B, and each thread sums
   the products a_tile(y, i) * b_tile(i, x). The naive kernels have no tiles in shared memory. */
struct smc_product {
    const struct smc_product_tiles *tiles;
    enum smc_dtype dtype;
    uint32_t element_bytes;
    uint32_t tile;
    uint64_t m, n, k, lda, ldb, ldc;
    bool b_is_a;      /* B[k][column] is A[column][k], and ldb is lda */
    uint32_t grid[3]; /* x: tiles along a row of C; y and z: tiles down C, of which some may be
                         beyond C */
    uint32_t a_row_elements, b_row_elements; /* of a tile's row; 0: no tile */
};

/* B is the transpose of A if the kernel has no --n. */
struct smc_product smc_product_of(const struct smc_kernel *kernel, const struct smc_params *params);

/* Sets everything except shared memory: block, grid, buffers and arguments. */
void smc_product_plan(const struct smc_product *product, struct smc_plan *plan);

/* Sets the flops and bytes that are the same for all kernels of a product. */
void smc_product_begin_work(const struct smc_product *product, struct smc_work *work);

/* As smc_kernel's functions. The first sets leading dimensions, and refuses matrices that are too
   large for any memory. */
enum smc_status smc_product_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                     struct smc_error *error);
void smc_product_compare(const struct smc_kernel *kernel, const struct smc_params *params,
                         const void *const *buffers, uint64_t row, uint64_t rows,
                         struct smc_comparison *result);

#endif
