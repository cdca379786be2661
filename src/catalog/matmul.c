/* C = A B, row-major, any sizes and leading dimensions: one output a thread, from global memory and
   by tiles. */
#include "catalog/product.h"

static enum smc_status complete_naive(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_matmul_naive, params, error);
}

static enum smc_status complete_tiled(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_matmul_tiled, params, error);
}

static enum smc_status complete_racy(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_matmul_tiled_racy, params, error);
}

static enum smc_status complete_async(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_matmul_async, params, error);
}

static enum smc_status complete_a_tile(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_matmul_a_tile, params, error);
}

/* Both tiles are padded. */
static struct smc_product product_of(const struct smc_params *params)
{
    struct smc_product product = smc_product_of(params, false);
    uint32_t row_elements = product.tile + (uint32_t)params->value[SMC_PARAM_PAD];
    product.a_tile = (struct smc_product_tile){
        .store = "a_tile[y][x]",
        .load = "a_tile[y][i]",
        .row_elements = row_elements,
    };
    product.b_tile = (struct smc_product_tile){
        .store = "b_tile[y][x]",
        .load = "b_tile[i][x]",
        .row_elements = row_elements,
    };
    return product;
}

/* Two pairs of tiles: one is fetched while the other is multiplied. */
static struct smc_product async_of(const struct smc_params *params)
{
    struct smc_product product = product_of(params);
    product.stages = 2;
    product.a_tile.store = "a_tile[stage][y][x]";
    product.a_tile.load = "a_tile[stage][y][i]";
    product.b_tile.store = "b_tile[stage][y][x]";
    product.b_tile.load = "b_tile[stage][i][x]";
    return product;
}

static struct smc_product a_tile_of(const struct smc_params *params)
{
    struct smc_product product = product_of(params);
    product.b_tile = (struct smc_product_tile){.row_elements = 0};
    return product;
}

static void plan_naive(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = product_of(params);
    smc_product_plan_naive(&product, plan);
}

static void plan_tiled(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = product_of(params);
    smc_product_plan_tiled(&product, plan);
}

static void plan_async(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = async_of(params);
    smc_product_plan_tiled(&product, plan);
}

static void plan_a_tile(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = a_tile_of(params);
    smc_product_plan_tiled(&product, plan);
}

static void work_naive(const struct smc_params *params, struct smc_work *work)
{
    const struct smc_product product = product_of(params);
    smc_product_naive_work(&product, work);
}

static void work_tiled(const struct smc_params *params, struct smc_work *work)
{
    const struct smc_product product = product_of(params);
    smc_product_tiled_work(&product, work);
}

static void work_a_tile(const struct smc_params *params, struct smc_work *work)
{
    const struct smc_product product = a_tile_of(params);
    smc_product_a_tile_work(&product, work);
}

static void shared_work(const struct smc_params *params, const struct smc_bank_layout *layout,
                        struct smc_shared_work *work)
{
    const struct smc_product product = product_of(params);
    smc_product_shared_work(&product, layout, work);
}

static void shared_work_async(const struct smc_params *params, const struct smc_bank_layout *layout,
                              struct smc_shared_work *work)
{
    const struct smc_product product = async_of(params);
    smc_product_shared_work(&product, layout, work);
    work->copies = work->stores;
}

static void shared_work_a_tile(const struct smc_params *params,
                               const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    const struct smc_product product = a_tile_of(params);
    smc_product_shared_work(&product, layout, work);
}

static size_t shared_accesses(const struct smc_params *params, uint32_t warp, uint32_t step,
                              struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product product = product_of(params);
    return smc_product_shared_accesses(&product, warp, step, list);
}

static size_t shared_accesses_async(const struct smc_params *params, uint32_t warp, uint32_t step,
                                    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product product = async_of(params);
    return smc_product_shared_accesses(&product, warp, step, list);
}

static size_t shared_accesses_a_tile(const struct smc_params *params, uint32_t warp, uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product product = a_tile_of(params);
    return smc_product_shared_accesses(&product, warp, step, list);
}

static void compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                    uint64_t rows, struct smc_comparison *result)
{
    const struct smc_product product = product_of(params);
    smc_product_compare(&product, buffers, row, rows, result);
}

#define PARAMS                                                                                     \
    SMC_PARAM_BIT(TILE) | SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(N) |             \
        SMC_PARAM_BIT(K) | SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDB) | SMC_PARAM_BIT(LDC)

const struct smc_kernel smc_kernel_matmul_naive = {
    .name = "matmul-naive",
    .family = "matmul",
    .file = "matmul_naive.cu",
    .entry = "matmul_naive",
    .summary = "C = A B, one output per thread straight from global memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_naive,
    .defines = smc_product_defines,
    .plan = plan_naive,
    .work = work_naive,
    .compare = compare,
};

const struct smc_kernel smc_kernel_matmul_tiled = {
    .name = "matmul-tiled",
    .family = "matmul",
    .file = "matmul_tiled.cu",
    .entry = "matmul_tiled",
    .summary = "C = A B by square tiles of A and B in shared memory",
    .params = PARAMS | SMC_PARAM_BIT(PAD),
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_tiled,
    .defines = smc_product_defines_padded,
    .plan = plan_tiled,
    .work = work_tiled,
    .shared_work = shared_work,
    .shared_accesses = shared_accesses,
    .compare = compare,
};

const struct smc_kernel smc_kernel_matmul_tiled_racy = {
    .name = "matmul-tiled-racy",
    .family = "matmul",
    .file = "matmul_tiled_racy.cu",
    .entry = "matmul_tiled_racy",
    .summary = "matmul-tiled without its second barrier: for race detection only",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .is_racy = true,
    .complete = complete_racy,
    .defines = smc_product_defines,
    .plan = plan_tiled,
    .work = work_tiled,
    .shared_work = shared_work,
    .shared_accesses = shared_accesses,
    .compare = compare,
};

const struct smc_kernel smc_kernel_matmul_async = {
    .name = "matmul-async",
    .family = "matmul",
    .file = "matmul_async.cu",
    .entry = "matmul_async",
    .summary = "matmul-tiled with the next tiles copied meanwhile, by cp.async from CC 8.0 on",
    .params = PARAMS | SMC_PARAM_BIT(PAD),
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_async,
    .defines = smc_product_defines_padded,
    .plan = plan_async,
    .work = work_tiled,
    .shared_work = shared_work_async,
    .shared_accesses = shared_accesses_async,
    .compare = compare,
};

const struct smc_kernel smc_kernel_matmul_a_tile = {
    .name = "matmul-a-tile",
    .family = "matmul",
    .file = "matmul_a_tile.cu",
    .entry = "matmul_a_tile",
    .summary = "C = A B by tiles of A alone, with __syncwarp where a tile's row lies in one warp",
    .params = PARAMS | SMC_PARAM_BIT(PAD),
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_a_tile,
    .defines = smc_product_defines_padded,
    .plan = plan_a_tile,
    .work = work_a_tile,
    .shared_work = shared_work_a_tile,
    .shared_accesses = shared_accesses_a_tile,
    .compare = compare,
};
