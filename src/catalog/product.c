/* What the families of matrix products share: checks of parameters, compiler options, plans. */
#include "catalog/product.h"

#include <inttypes.h>

#include "model/round.h"

/* One matrix as the parameters describe it; `leading` is also its parameter. */
struct matrix {
    const char *name;
    enum smc_param rows, columns, leading;
};

static enum smc_status complete_matrix(const struct matrix *matrix, struct smc_params *params,
                                       struct smc_error *error)
{
    int64_t rows = params->value[matrix->rows];
    int64_t columns = params->value[matrix->columns];
    int64_t *leading = &params->value[matrix->leading];
    if (*leading == 0)
        *leading = columns;
    if (*leading < columns)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%" PRId64 "' is below %" PRId64 ", the columns of %s (--%s)",
                        smc_param_info[matrix->leading].option, *leading, columns, matrix->name,
                        smc_param_info[matrix->columns].option);
    int64_t bytes;
    size_t element = smc_dtype_bytes((enum smc_dtype)params->value[SMC_PARAM_DTYPE]);
    if (__builtin_mul_overflow(rows, *leading, &bytes) ||
        __builtin_mul_overflow(bytes, element, &bytes))
        return smc_fail(error, SMC_USAGE,
                        "option --%s: '%" PRId64 "' rows of %" PRId64 " elements (%s) are more "
                        "than any memory holds, 2^63 bytes",
                        smc_param_info[matrix->rows].option, rows, *leading, matrix->name);
    return SMC_OK;
}

enum smc_status smc_product_complete(const struct smc_kernel *kernel, struct smc_params *params,
                                     struct smc_error *error)
{
    static const struct matrix a = {"A", SMC_PARAM_M, SMC_PARAM_K, SMC_PARAM_LDA};
    static const struct matrix b = {"B", SMC_PARAM_K, SMC_PARAM_N, SMC_PARAM_LDB};
    static const struct matrix c = {"C", SMC_PARAM_M, SMC_PARAM_N, SMC_PARAM_LDC};
    static const struct matrix square_c = {"C", SMC_PARAM_M, SMC_PARAM_M, SMC_PARAM_LDC};
    bool b_is_a = !(kernel->params & SMC_PARAM_BIT(N));
    enum smc_status status = smc_params_check(kernel, params, error);
    if (status == SMC_OK)
        status = complete_matrix(&a, params, error);
    if (status == SMC_OK && !b_is_a)
        status = complete_matrix(&b, params, error);
    if (status == SMC_OK)
        status = complete_matrix(b_is_a ? &square_c : &c, params, error);
    return status;
}

void smc_product_defines(const struct smc_params *params, struct smc_text *options)
{
    smc_text_printf(options, "-DTILE=%" PRId64 "\n-DELEMENT=%s\n", params->value[SMC_PARAM_TILE],
                    smc_dtype_name((enum smc_dtype)params->value[SMC_PARAM_DTYPE]));
}

void smc_product_defines_padded(const struct smc_params *params, struct smc_text *options)
{
    smc_product_defines(params, options);
    smc_text_printf(options, "-DPAD=%" PRId64 "\n", params->value[SMC_PARAM_PAD]);
}

struct smc_product smc_product_of(const struct smc_params *params, bool b_is_a)
{
    const int64_t *value = params->value;
    enum smc_dtype dtype = (enum smc_dtype)value[SMC_PARAM_DTYPE];
    uint32_t tile = (uint32_t)value[SMC_PARAM_TILE];
    struct smc_product product = {
        .dtype = dtype,
        .element_bytes = (uint32_t)smc_dtype_bytes(dtype),
        .tile = tile,
        .m = (uint64_t)value[SMC_PARAM_M],
        .n = (uint64_t)value[b_is_a ? SMC_PARAM_M : SMC_PARAM_N],
        .k = (uint64_t)value[SMC_PARAM_K],
        .lda = (uint64_t)value[SMC_PARAM_LDA],
        .ldb = (uint64_t)value[b_is_a ? SMC_PARAM_LDA : SMC_PARAM_LDB],
        .ldc = (uint64_t)value[SMC_PARAM_LDC],
        .b_is_a = b_is_a,
        .stages = 1,
    };
    uint64_t down = divide_up(product.m, tile), layers = divide_up(down, SMC_MAX_GRID_YZ);
    product.grid[0] = (uint32_t)divide_up(product.n, tile);
    product.grid[1] = (uint32_t)divide_up(down, layers);
    product.grid[2] = (uint32_t)layers;
    return product;
}

uint64_t smc_product_blocks_down(const struct smc_product *product)
{
    return (uint64_t)product->grid[1] * product->grid[2];
}

static void add_numbers(struct smc_plan *plan, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plan->argument[plan->argument_count++] =
            (struct smc_argument){SMC_ARGUMENT_INT32, (int64_t)numbers[i]};
}

void smc_product_plan_naive(const struct smc_product *p, struct smc_plan *plan)
{
    *plan = (struct smc_plan){
        .block = {p->tile, p->tile, 1},
        .grid = {p->grid[0], p->grid[1], p->grid[2]},
        .output_rows = p->m,
    };
    smc_plan_count(plan);
    smc_plan_add_buffer(plan, "A", p->dtype, p->m * p->lda, false);
    if (!p->b_is_a)
        smc_plan_add_buffer(plan, "B", p->dtype, p->k * p->ldb, false);
    smc_plan_add_buffer(plan, "C", p->dtype, p->m * p->ldc, true);
    if (p->b_is_a)
        add_numbers(plan, (const uint64_t[]){p->m, p->k, p->lda, p->ldc}, 4);
    else
        add_numbers(plan, (const uint64_t[]){p->m, p->n, p->k, p->lda, p->ldb, p->ldc}, 6);
}

void smc_product_plan_tiled(const struct smc_product *p, struct smc_plan *plan)
{
    smc_product_plan_naive(p, plan);
    uint64_t rows_elements = (uint64_t)p->a_tile.row_elements + p->b_tile.row_elements;
    plan->static_smem_bytes = p->stages * p->tile * rows_elements * p->element_bytes;
}
