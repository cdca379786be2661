/* The work of a matrix product in global memory: flops, requests and sectors by array. */
#include "catalog/product.h"
#include "catalog/work_parts.h"
#include "model/round.h"

void smc_product_begin_work(const struct smc_product *p, struct smc_work *work)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k, bytes = p->element_bytes;
    double inputs = p->b_is_a ? m * k : m * k + k * n;
    *work = (struct smc_work){
        .flops = 2 * m * n * k,
        .untiled_load_bytes = 2 * m * n * k * bytes,
        .minimum_bytes = (inputs + m * n) * bytes,
    };
}

/* What is loaded as A and as B; one array where B is A. */
static void add_loads(const struct smc_product *p, const struct smc_tiles *a,
                      const struct smc_tiles *b, struct smc_work *work)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    struct smc_global_access *access = smc_work_add_access(work, "A", false, m * k);
    smc_work_add_tiles(access, p->element_bytes, a);
    if (!p->b_is_a)
        access = smc_work_add_access(work, "B", false, k * n);
    smc_work_add_tiles(access, p->element_bytes, b);
}

static void add_stores(const struct smc_product *p, struct smc_work *work)
{
    const struct smc_tiles c = {p->tile, p->m, p->n, p->ldc, 1, 1, 0};
    struct smc_global_access *access =
        smc_work_add_access(work, "C", true, (double)p->m * (double)p->n);
    smc_work_add_tiles(access, p->element_bytes, &c);
    smc_work_sum_bytes(work, p->element_bytes);
}

/* Threads beyond C return at once. At each step of k a warp reads one element of A for each row of
   its threads, and one of B for each column. */
void smc_product_naive_work(const struct smc_product *p, struct smc_work *work)
{
    uint64_t next_column = p->b_is_a ? p->lda : 1, next_step = p->b_is_a ? 1 : p->ldb;
    const struct smc_tiles a = {p->tile, p->m, p->n, p->lda, 0, p->k, 1};
    const struct smc_tiles b = {p->tile, p->m, p->n, 0, next_column, p->k, next_step};
    smc_product_begin_work(p, work);
    add_loads(p, &a, &b, work);
    add_stores(p, work);
    const struct smc_global_access *stores = &work->access[work->access_count - 1];
    work->fma_instructions = stores->requests * (double)p->k;
}

/* All threads multiply, also those beyond C. */
static void multiply_tiles(const struct smc_product *p, struct smc_work *work)
{
    uint64_t steps = divide_up(p->k, p->tile) * p->tile;
    uint64_t warps = divide_up((uint64_t)p->tile * p->tile, SMC_WARP_LANES);
    double blocks = (double)(smc_product_blocks_down(p) * p->grid[0]);
    work->fma_instructions = blocks * (double)steps * (double)warps;
}

/* A is loaded once for each column of blocks, B once for each row of blocks. */
void smc_product_tiled_work(const struct smc_product *p, struct smc_work *work)
{
    uint64_t down = smc_product_blocks_down(p), across = p->grid[0];
    const struct smc_tiles a = {p->tile, p->m, p->k, p->lda, 1, across, 0};
    const struct smc_tiles b = {p->tile, p->k, p->n, p->ldb, 1, down, 0};
    const struct smc_tiles turned_b = {p->tile, p->n, p->k, p->lda, 1, down, 0};
    smc_product_begin_work(p, work);
    multiply_tiles(p, work);
    add_loads(p, &a, p->b_is_a ? &turned_b : &b, work);
    add_stores(p, work);
}

/* A as by tiles, B as without them: its threads beyond C load nothing. */
void smc_product_a_tile_work(const struct smc_product *p, struct smc_work *work)
{
    const struct smc_tiles a = {p->tile, p->m, p->k, p->lda, 1, p->grid[0], 0};
    const struct smc_tiles b = {p->tile, p->m, p->n, 0, 1, p->k, p->ldb};
    smc_product_begin_work(p, work);
    multiply_tiles(p, work);
    add_loads(p, &a, &b, work);
    add_stores(p, work);
}
