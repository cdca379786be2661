/* C = A A^T, row-major, any sizes and leading dimensions: from global memory, and by tiles of which
   one is turned in shared memory, with and without bank conflicts. */
#include "catalog/product.h"

static enum smc_status complete_naive(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_aat_naive, params, error);
}

static enum smc_status complete_conflict(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_aat_conflict, params, error);
}

static enum smc_status complete_padded(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_aat_padded, params, error);
}

static enum smc_status complete_swizzled(struct smc_params *params, struct smc_error *error)
{
    return smc_product_complete(&smc_kernel_aat_swizzled, params, error);
}

/* Only the turned tile is padded. Of aat-conflict, which does not take it, the padding is 0. */
static struct smc_product padded(const struct smc_params *params)
{
    struct smc_product product = smc_product_of(params, true);
    uint32_t padding = (uint32_t)params->value[SMC_PARAM_PAD];
    product.a_tile = (struct smc_product_tile){
        .store = "a_tile[y][x]",
        .load = "a_tile[y][i]",
        .row_elements = product.tile,
    };
    product.b_tile = (struct smc_product_tile){
        .store = "t_tile[x][y]",
        .load = "t_tile[i][x]",
        .row_elements = product.tile + padding,
        .turned = true,
    };
    return product;
}

/* A row of a power of two has room for every c ^ r. */
static struct smc_product swizzled(const struct smc_params *params)
{
    struct smc_product product = padded(params);
    product.b_tile.store = "t_tile[x][y ^ x]";
    product.b_tile.load = "t_tile[i][x ^ i]";
    product.b_tile.swizzled = true;
    product.b_tile.row_elements = 1;
    while (product.b_tile.row_elements < product.tile)
        product.b_tile.row_elements *= 2;
    return product;
}

static void plan_naive(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = smc_product_of(params, true);
    smc_product_plan_naive(&product, plan);
}

static void plan_padded(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = padded(params);
    smc_product_plan_tiled(&product, plan);
}

static void plan_swizzled(const struct smc_params *params, struct smc_plan *plan)
{
    const struct smc_product product = swizzled(params);
    smc_product_plan_tiled(&product, plan);
}

static void work_naive(const struct smc_params *params, struct smc_work *work)
{
    const struct smc_product product = smc_product_of(params, true);
    smc_product_naive_work(&product, work);
}

static void work_tiled(const struct smc_params *params, struct smc_work *work)
{
    const struct smc_product product = smc_product_of(params, true);
    smc_product_tiled_work(&product, work);
}

static void shared_work_padded(const struct smc_params *params,
                               const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    const struct smc_product product = padded(params);
    smc_product_shared_work(&product, layout, work);
}

static void shared_work_swizzled(const struct smc_params *params,
                                 const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    const struct smc_product product = swizzled(params);
    smc_product_shared_work(&product, layout, work);
}

static size_t shared_accesses_padded(const struct smc_params *params, uint32_t warp, uint32_t step,
                                     struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product product = padded(params);
    return smc_product_shared_accesses(&product, warp, step, list);
}

static size_t shared_accesses_swizzled(const struct smc_params *params, uint32_t warp,
                                       uint32_t step,
                                       struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product product = swizzled(params);
    return smc_product_shared_accesses(&product, warp, step, list);
}

static void compare(const struct smc_params *params, const void *const *buffers, uint64_t row,
                    uint64_t rows, struct smc_comparison *result)
{
    const struct smc_product product = smc_product_of(params, true);
    smc_product_compare(&product, buffers, row, rows, result);
}

#define PARAMS                                                                                     \
    SMC_PARAM_BIT(TILE) | SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(K) |             \
        SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDC)

const struct smc_kernel smc_kernel_aat_naive = {
    .name = "aat-naive",
    .family = "aat",
    .file = "aat_naive.cu",
    .entry = "aat_naive",
    .summary = "C = A A^T, one output per thread straight from global memory",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_naive,
    .defines = smc_product_defines,
    .plan = plan_naive,
    .work = work_naive,
    .compare = compare,
};

const struct smc_kernel smc_kernel_aat_conflict = {
    .name = "aat-conflict",
    .family = "aat",
    .file = "aat_conflict.cu",
    .entry = "aat_conflict",
    .summary = "C = A A^T by tiles; the turned one is stored with a 32-way bank conflict",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_conflict,
    .defines = smc_product_defines,
    .plan = plan_padded,
    .work = work_tiled,
    .shared_work = shared_work_padded,
    .shared_accesses = shared_accesses_padded,
    .compare = compare,
};

const struct smc_kernel smc_kernel_aat_padded = {
    .name = "aat-padded",
    .family = "aat",
    .file = "aat_padded.cu",
    .entry = "aat_padded",
    .summary = "C = A A^T by tiles; padded rows spread the turned one over the banks",
    .params = PARAMS | SMC_PARAM_BIT(PAD),
    .default_pad = 1,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_padded,
    .defines = smc_product_defines_padded,
    .plan = plan_padded,
    .work = work_tiled,
    .shared_work = shared_work_padded,
    .shared_accesses = shared_accesses_padded,
    .compare = compare,
};

const struct smc_kernel smc_kernel_aat_swizzled = {
    .name = "aat-swizzled",
    .family = "aat",
    .file = "aat_swizzled.cu",
    .entry = "aat_swizzled",
    .summary = "C = A A^T by tiles; an XOR swizzle spreads the turned one over the banks",
    .params = PARAMS,
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE,
    .complete = complete_swizzled,
    .defines = smc_product_defines,
    .plan = plan_swizzled,
    .work = work_tiled,
    .shared_work = shared_work_swizzled,
    .shared_accesses = shared_accesses_swizzled,
    .compare = compare,
};
