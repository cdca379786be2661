/* Matrix products with one output per thread: C = A B, and C = A A^T with the transposed A as B.
   Matrices are row-major with any sizes and leading dimensions, read from global memory or through
   tiles in shared memory. */
#include "rules/catalog/product.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/numbers.h"

/* --- Parameters and plans --------------------------------------------------------------------- */

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
    SMC_TRY(smc_params_check(kernel, params, error));
    SMC_TRY(complete_matrix(&a, params, error));
    if (!b_is_a)
        SMC_TRY(complete_matrix(&b, params, error));
    return complete_matrix(b_is_a ? &square_c : &c, params, error);
}

static void product_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                            struct smc_text *options)
{
    smc_text_printf(options, "-DTILE=%" PRId64 "\n-DELEMENT=%s\n", params->value[SMC_PARAM_TILE],
                    smc_dtype_name((enum smc_dtype)params->value[SMC_PARAM_DTYPE]));
    if (kernel->params & SMC_PARAM_BIT(PAD))
        smc_text_printf(options, "-DPAD=%" PRId64 "\n", params->value[SMC_PARAM_PAD]);
}

/* The elements of one row of a tile. The length of a swizzled row is a power of two, so that every
   column ^ row is within it. */
static uint32_t product_row_elements(const struct smc_product_tile *tile, uint32_t edge,
                                     uint32_t padding)
{
    uint32_t power = 1;
    if (!tile->load)
        return 0;
    while (power < edge)
        power *= 2;
    return tile->swizzled ? power : edge + (tile->padded ? padding : 0);
}

struct smc_product smc_product_of(const struct smc_kernel *kernel, const struct smc_params *params)
{
    static const struct smc_product_tiles none = {.stages = 1};
    const struct smc_product_tiles *tiles = kernel->variant ? kernel->variant : &none;
    const int64_t *value = params->value;
    bool b_is_a = !(kernel->params & SMC_PARAM_BIT(N));
    enum smc_dtype dtype = (enum smc_dtype)value[SMC_PARAM_DTYPE];
    uint32_t tile = (uint32_t)value[SMC_PARAM_TILE], padding = (uint32_t)value[SMC_PARAM_PAD];
    struct smc_product product = {
        .tiles = tiles,
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
        .a_row_elements = product_row_elements(&tiles->a, tile, padding),
        .b_row_elements = product_row_elements(&tiles->b, tile, padding),
    };
    uint64_t down = divide_up(product.m, tile), layers = divide_up(down, SMC_MAX_GRID_YZ);
    product.grid[0] = (uint32_t)divide_up(product.n, tile);
    product.grid[1] = (uint32_t)divide_up(down, layers);
    product.grid[2] = (uint32_t)layers;
    return product;
}

static uint64_t blocks_down(const struct smc_product *product)
{
    return (uint64_t)product->grid[1] * product->grid[2];
}

static void add_numbers(struct smc_plan *plan, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plan->argument[plan->argument_count++] =
            (struct smc_argument){SMC_ARGUMENT_INT32, (int64_t)numbers[i]};
}

void smc_product_plan(const struct smc_product *p, struct smc_plan *plan)
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

static void plan(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_plan *plan)
{
    const struct smc_product p = smc_product_of(kernel, params);
    uint64_t rows_elements = (uint64_t)p.a_row_elements + p.b_row_elements;
    smc_product_plan(&p, plan);
    plan->static_smem_bytes = (uint64_t)p.tiles->stages * p.tile * rows_elements * p.element_bytes;
}

/* --- Global memory: flops, requests and sectors by array -------------------------------------- */

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

/* The accesses that load A and B; a single array if B is A. */
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

/* Threads beyond C return immediately. At each step of k a warp reads one element of A for each row
   of its threads, and one of B for each column. */
static void naive_work(const struct smc_product *p, struct smc_work *work)
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

/* All threads multiply, including those beyond C. */
static void multiply_tiles(const struct smc_product *p, struct smc_work *work)
{
    uint64_t steps = divide_up(p->k, p->tile) * p->tile;
    uint64_t warps = divide_up((uint64_t)p->tile * p->tile, SMC_WARP_LANES);
    double blocks = (double)(blocks_down(p) * p->grid[0]);
    work->fma_instructions = blocks * (double)steps * (double)warps;
}

/* A is loaded once for each column of blocks, B once for each row of blocks. */
static void tiled_work(const struct smc_product *p, struct smc_work *work)
{
    uint64_t down = blocks_down(p), across = p->grid[0];
    const struct smc_tiles a = {p->tile, p->m, p->k, p->lda, 1, across, 0};
    const struct smc_tiles b = {p->tile, p->k, p->n, p->ldb, 1, down, 0};
    const struct smc_tiles transposed_b = {p->tile, p->n, p->k, p->lda, 1, down, 0};
    smc_product_begin_work(p, work);
    multiply_tiles(p, work);
    add_loads(p, &a, p->b_is_a ? &transposed_b : &b, work);
    add_stores(p, work);
}

/* A through tiles, B without: threads beyond C load nothing. */
static void a_tile_work(const struct smc_product *p, struct smc_work *work)
{
    const struct smc_tiles a = {p->tile, p->m, p->k, p->lda, 1, p->grid[0], 0};
    const struct smc_tiles b = {p->tile, p->m, p->n, 0, 1, p->k, p->ldb};
    smc_product_begin_work(p, work);
    multiply_tiles(p, work);
    add_loads(p, &a, &b, work);
    add_stores(p, work);
}

static void product_work(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_work *work)
{
    const struct smc_product p = smc_product_of(kernel, params);
    if (!p.a_row_elements)
        naive_work(&p, work);
    else if (!p.b_row_elements)
        a_tile_work(&p, work);
    else
        tiled_work(&p, work);
}

/* --- Tiles in shared memory: accesses, and how many ptxas makes of them ----------------------- */

enum { STORE_A, STORE_B, LOAD_A, LOAD_B, ACCESSES };
enum { WIDEST_LOAD_BYTES = 16 };

static uint32_t product_place(const struct smc_product_tile *tile, uint32_t row_elements,
                              uint32_t row, uint32_t column)
{
    return row * row_elements + (tile->swizzled ? column ^ row : column);
}

/* A tile is stored once for all steps of the inner product, and loaded at each. */
static void begin_tile(const struct smc_product *p, const struct smc_product_tile *tile,
                       uint32_t row, uint32_t first_byte, struct smc_shared_access *store,
                       struct smc_shared_access *load)
{
    uint32_t bytes = p->element_bytes;
    smc_shared_begin(store, tile->store, SMC_BANK_STORE, bytes, row, 1);
    smc_shared_begin(load, tile->load, SMC_BANK_LOAD, bytes, row, p->tile);
    store->first_byte = load->first_byte = first_byte;
}

/* Step i of the inner product. For a tile that is not in shared memory no lane is active. */
static void product_list_accesses(const struct smc_product *p, uint32_t warp, uint32_t step,
                                  struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product_tile *a = &p->tiles->a, *b = &p->tiles->b;
    uint32_t a_row = p->a_row_elements, b_row = p->b_row_elements;
    begin_tile(p, a, a_row, 0, &list[STORE_A], &list[LOAD_A]);
    begin_tile(p, b, b_row, p->tiles->stages * p->tile * a_row * p->element_bytes, &list[STORE_B],
               &list[LOAD_B]);
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t thread = warp * SMC_WARP_LANES + lane;
        uint32_t x = thread % p->tile, y = thread / p->tile;
        if (y >= p->tile)
            break;
        smc_shared_lane(&list[STORE_A], lane, step, product_place(a, a_row, y, x));
        smc_shared_lane(&list[LOAD_A], lane, step, product_place(a, a_row, y, step));
        if (b_row == 0)
            continue;
        smc_shared_lane(&list[STORE_B], lane, step,
                        b->transposed ? product_place(b, b_row, x, y)
                                      : product_place(b, b_row, y, x));
        smc_shared_lane(&list[LOAD_B], lane, step, product_place(b, b_row, step, x));
    }
}

static size_t product_shared_accesses(const struct smc_kernel *kernel,
                                      const struct smc_params *params, uint32_t warp, uint32_t step,
                                      struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES])
{
    const struct smc_product p = smc_product_of(kernel, params);
    product_list_accesses(&p, warp, step, list);
    if (p.b_row_elements > 0)
        return ACCESSES;
    list[1] = list[LOAD_A];
    return 2;
}

/* ptxas joins a thread's neighboring loads, those of a_tile, into the widest ones that begin at a
   multiple of their width in every row: 16 bytes or 8. If three floats are left in a row that has
   space for four, it loads four. Observed in the machine code of every tile for CC 7.5 to 12.0, and
   of every padding for CC 9.0. The exception is tile 1, for which it joins the loads of both tiles
   from CC 10.0 on. */
static uint32_t joined_elements(const struct smc_product *p, uint32_t step)
{
    uint32_t bytes = p->element_bytes, left = p->tile - step;
    uint32_t row_bytes = p->a_row_elements * bytes;
    uint32_t wide = WIDEST_LOAD_BYTES / bytes;
    while (row_bytes % (wide * bytes) || step % wide || (wide > left && (wide < 4 || left < 3)))
        wide /= 2;
    return wide;
}

static void add_warp(const struct smc_product *p, const struct smc_bank_layout *layout,
                     uint32_t warp, double times, struct smc_shared_work *work)
{
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    uint32_t next_load = 0;
    for (uint32_t step = 0; step < p->tile; step++) {
        product_list_accesses(p, warp, step, list);
        struct smc_access *a = &list[LOAD_A].access, *b = &list[LOAD_B].access;
        smc_shared_add(&work->stores, layout, &list[STORE_A].access, times);
        smc_shared_add(&work->stores, layout, &list[STORE_B].access, times);
        smc_shared_add(&work->written_loads, layout, a, times);
        smc_shared_add(&work->written_loads, layout, b, times);
        smc_shared_add(&work->loads, layout, b, times);
        if (step < next_load)
            continue;
        uint32_t joined = joined_elements(p, step);
        a->width_bytes *= joined;
        smc_shared_add(&work->loads, layout, a, times);
        next_load += joined;
    }
}

static void product_shared_work(const struct smc_kernel *kernel, const struct smc_params *params,
                                const struct smc_bank_layout *layout, struct smc_shared_work *work)
{
    const struct smc_product p = smc_product_of(kernel, params);
    double blocks = (double)p.grid[0] * (double)blocks_down(&p);
    double times = blocks * (double)divide_up(p.k, p.tile);
    uint32_t warps = (uint32_t)divide_up((uint64_t)p.tile * p.tile, SMC_WARP_LANES);
    for (uint32_t warp = 0; warp < warps; warp++)
        add_warp(&p, layout, warp, times, work);
    if (p.tiles->copies_async)
        work->copies = work->stores;
}

/* --- Comparing with a reference of higher precision ------------------------------------------- */

/* The reference: products and short sums in double for float, in long double for double. The
   bound on an element's error is a multiple of sum |a_k b_k|. Any order of the K additions, fused
   with the multiplications or not, stays within gamma_K = K u / (1 - K u) of it (Higham, "Accuracy
   and Stability of Numerical Algorithms", 3.1). That bound is so wide for long sums that a lost
   product could hide in it; from K = 100 on, 10 sqrt(K) u is used, which holds with probability
   1 - 2 K exp(-50) for each element (Higham and Mary, "A new approach to probabilistic rounding
   error analysis", 2019). */

/* Blocking: B is read in rows of COLUMNS elements, and a block of B is used for ROWS rows of A. */
enum { ROWS = 32, COLUMNS = 32, DEPTH = 128, LANES = 4, GROUPS = COLUMNS / LANES };

struct problem {
    const struct smc_product *product;
    const void *a, *b, *c;
    double bound_factor;
};

struct product_block {
    double a[ROWS][DEPTH];
    double b[GROUPS][DEPTH][LANES];
    long double sum[ROWS][COLUMNS];
    double magnitude[ROWS][COLUMNS]; /* sum of |a b| */
};

static double product_element(const struct problem *problem, const void *matrix, uint64_t index)
{
    return problem->product->dtype == SMC_FLOAT ? (double)((const float *)matrix)[index]
                                                : ((const double *)matrix)[index];
}

/* Products of floats are exact in double. */
static void add_double(const double *a, const double (*b)[LANES], size_t depth, long double *sum,
                       double *magnitude)
{
    double s[LANES] = {0}, m[LANES] = {0};
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < LANES; j++) {
            double product = a[k] * b[k][j];
            s[j] += product;
            m[j] += fabs(product);
        }
    for (size_t j = 0; j < LANES; j++) {
        sum[j] += s[j];
        magnitude[j] += m[j];
    }
}

static void add_long_double(const double *a, const double (*b)[LANES], size_t depth,
                            long double *sum, double *magnitude)
{
    long double s[LANES] = {0};
    double m[LANES] = {0};
    for (size_t k = 0; k < depth; k++)
        for (size_t j = 0; j < LANES; j++) {
            s[j] += (long double)a[k] * b[k][j];
            m[j] += fabs(a[k] * b[k][j]);
        }
    for (size_t j = 0; j < LANES; j++) {
        sum[j] += s[j];
        magnitude[j] += m[j];
    }
}

static void load_a(const struct problem *problem, uint64_t row, uint64_t rows, uint64_t k,
                   size_t depth, struct product_block *block)
{
    uint64_t lda = problem->product->lda;
    for (uint64_t i = 0; i < rows; i++)
        for (size_t d = 0; d < depth; d++)
            block->a[i][d] = product_element(problem, problem->a, (row + i) * lda + k + d);
}

/* Columns beyond N count as 0. */
static void load_b(const struct problem *problem, uint64_t k, size_t depth, uint64_t column,
                   struct product_block *block)
{
    const struct smc_product *p = problem->product;
    uint64_t down = p->b_is_a ? 1 : p->ldb, across = p->b_is_a ? p->ldb : 1;
    for (size_t d = 0; d < depth; d++)
        for (size_t j = 0; j < COLUMNS; j++)
            block->b[j / LANES][d][j % LANES] =
                column + j < p->n
                    ? product_element(problem, problem->b, (k + d) * down + (column + j) * across)
                    : 0;
}

static void compute_block(const struct problem *problem, uint64_t row, uint64_t rows,
                          uint64_t column, struct product_block *block)
{
    const struct smc_product *p = problem->product;
    memset(block->sum, 0, sizeof block->sum);
    memset(block->magnitude, 0, sizeof block->magnitude);
    for (uint64_t k = 0; k < p->k; k += DEPTH) {
        size_t depth = p->k - k < DEPTH ? (size_t)(p->k - k) : DEPTH;
        load_a(problem, row, rows, k, depth, block);
        load_b(problem, k, depth, column, block);
        for (uint64_t i = 0; i < rows; i++)
            for (size_t g = 0; g < GROUPS; g++)
                (p->dtype == SMC_FLOAT ? add_double : add_long_double)(
                    block->a[i], block->b[g], depth, &block->sum[i][g * LANES],
                    &block->magnitude[i][g * LANES]);
    }
}

static void product_check_block(const struct problem *problem, uint64_t row, uint64_t rows,
                                uint64_t column, const struct product_block *block,
                                struct smc_comparison *result)
{
    const struct smc_product *p = problem->product;
    uint64_t columns = p->n - column < COLUMNS ? p->n - column : COLUMNS;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            uint64_t index = (row + i) * p->ldc + column + j;
            double got = product_element(problem, problem->c, index);
            double error = (double)fabsl(got - block->sum[i][j]);
            double bound = problem->bound_factor * block->magnitude[i][j];
            smc_comparison_add(result, index, (double)block->sum[i][j], got,
                               error == 0 ? 0 : error / bound);
        }
}

/* Rounded up. Written out, since the library's root would need -lm. */
static double root_of(uint64_t n)
{
    uint64_t root = 0;
    while (root * root < n)
        root++;
    return (double)root;
}

static double bound_factor(enum smc_dtype dtype, uint64_t terms)
{
    double k = (double)terms;
    double unit = dtype == SMC_FLOAT ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    double reference_unit = dtype == SMC_FLOAT ? DBL_EPSILON / 2 : (double)LDBL_EPSILON / 2;
    double any_order = k * unit < 0.5 ? k * unit / (1 - k * unit) : INFINITY;
    double likely = 10 * root_of(terms) * unit;
    double kernel = any_order < likely ? any_order : likely;
    /* The last factor accounts for the rounding of sum |a b| itself, less than K 2^-53. */
    return (kernel + k * reference_unit) * (1 + 0x1p-20);
}

void smc_product_compare(const struct smc_kernel *kernel, const struct smc_params *params,
                         const void *const *buffers, uint64_t row, uint64_t rows,
                         struct smc_comparison *result)
{
    const struct smc_product product = smc_product_of(kernel, params), *p = &product;
    const struct problem problem = {
        .product = p,
        .a = buffers[0],
        .b = buffers[p->b_is_a ? 0 : 1],
        .c = buffers[p->b_is_a ? 1 : 2],
        .bound_factor = bound_factor(p->dtype, p->k),
    };
    struct product_block block;
    for (uint64_t end = row + rows; row < end; row += ROWS) {
        uint64_t count = end - row < ROWS ? end - row : ROWS;
        for (uint64_t column = 0; column < p->n; column += COLUMNS) {
            compute_block(&problem, row, count, column, &block);
            product_check_block(&problem, row, count, column, &block, result);
        }
        for (uint64_t i = row; i < row + count; i++)
            smc_comparison_add_gap(result, p->dtype, problem.c, i * p->ldc + p->n, p->ldc - p->n);
    }
}

/* --- The kernels ------------------------------------------------------------------------------ */

/* The dtypes and functions of all products, and those of products with tiles. */
#define PRODUCT                                                                                    \
    .dtypes = 1u << SMC_FLOAT | 1u << SMC_DOUBLE, .complete = smc_product_complete,                \
    .defines = product_defines, .plan = plan, .work = product_work, .compare = smc_product_compare
#define TILED                                                                                      \
    PRODUCT, .shared_work = product_shared_work, .shared_accesses = product_shared_accesses

/* C = A B, and C = A A^T. */
#define AB                                                                                         \
    (SMC_PARAM_BIT(TILE) | SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(N) |            \
     SMC_PARAM_BIT(K) | SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDB) | SMC_PARAM_BIT(LDC))
#define AAT                                                                                        \
    (SMC_PARAM_BIT(TILE) | SMC_PARAM_BIT(DTYPE) | SMC_PARAM_BIT(M) | SMC_PARAM_BIT(K) |            \
     SMC_PARAM_BIT(LDA) | SMC_PARAM_BIT(LDC))

const struct smc_kernel smc_kernel_matmul_naive = {
    SMC_KERNEL_NAMES(matmul_naive, "matmul-naive"),
    .family = "matmul",
    .summary = "C = A B, one output per thread straight from global memory",
    .params = AB,
    PRODUCT,
};

static const struct smc_product_tiles tiles_of_both = {
    .a = {.store = "a_tile[y][x]", .load = "a_tile[y][i]", .padded = true},
    .b = {.store = "b_tile[y][x]", .load = "b_tile[i][x]", .padded = true},
    .stages = 1,
};

const struct smc_kernel smc_kernel_matmul_tiled = {
    SMC_KERNEL_NAMES(matmul_tiled, "matmul-tiled"),
    .family = "matmul",
    .summary = "C = A B by square tiles of A and B in shared memory",
    .params = AB | SMC_PARAM_BIT(PAD),
    .variant = &tiles_of_both,
    TILED,
};

const struct smc_kernel smc_kernel_matmul_tiled_racy = {
    SMC_KERNEL_NAMES(matmul_tiled_racy, "matmul-tiled-racy"),
    .family = "matmul",
    .summary = "matmul-tiled without its second barrier: for race detection only",
    .params = AB,
    .is_racy = true,
    .variant = &tiles_of_both,
    TILED,
};

/* Two pairs of tiles: one is loaded while the other is multiplied. */
static const struct smc_product_tiles async_tiles = {
    .a = {.store = "a_tile[stage][y][x]", .load = "a_tile[stage][y][i]", .padded = true},
    .b = {.store = "b_tile[stage][y][x]", .load = "b_tile[stage][i][x]", .padded = true},
    .stages = 2,
    .copies_async = true,
};

const struct smc_kernel smc_kernel_matmul_async = {
    SMC_KERNEL_NAMES(matmul_async, "matmul-async"),
    .family = "matmul",
    .summary = "matmul-tiled with the next tiles copied meanwhile, by cp.async from CC 8.0 on",
    .params = AB | SMC_PARAM_BIT(PAD),
    .variant = &async_tiles,
    TILED,
};

static const struct smc_product_tiles tile_of_a = {
    .a = {.store = "a_tile[y][x]", .load = "a_tile[y][i]", .padded = true},
    .stages = 1,
};

const struct smc_kernel smc_kernel_matmul_a_tile = {
    SMC_KERNEL_NAMES(matmul_a_tile, "matmul-a-tile"),
    .family = "matmul",
    .summary =
        "C = A B by tiles of A alone, with __syncwarp where one warp loads a whole row of a tile",
    .params = AB | SMC_PARAM_BIT(PAD),
    .variant = &tile_of_a,
    TILED,
};

const struct smc_kernel smc_kernel_aat_naive = {
    SMC_KERNEL_NAMES(aat_naive, "aat-naive"),
    .family = "aat",
    .summary = "C = A A^T, one output per thread straight from global memory",
    .params = AAT,
    PRODUCT,
};

/* Only the transposed tile is padded. aat-conflict does not accept --pad: its padding is 0.
 */
static const struct smc_product_tiles aat_tiles = {
    .a = {.store = "a_tile[y][x]", .load = "a_tile[y][i]"},
    .b = {.store = "t_tile[x][y]", .load = "t_tile[i][x]", .transposed = true, .padded = true},
    .stages = 1,
};

const struct smc_kernel smc_kernel_aat_conflict = {
    SMC_KERNEL_NAMES(aat_conflict, "aat-conflict"),
    .family = "aat",
    .summary = "C = A A^T by tiles; the transposed tile is stored with a 32-way bank conflict",
    .params = AAT,
    .variant = &aat_tiles,
    TILED,
};

const struct smc_kernel smc_kernel_aat_padded = {
    SMC_KERNEL_NAMES(aat_padded, "aat-padded"),
    .family = "aat",
    .summary = "C = A A^T by tiles; padded rows spread the transposed tile over the banks",
    .params = AAT | SMC_PARAM_BIT(PAD),
    .default_pad = 1,
    .variant = &aat_tiles,
    TILED,
};

static const struct smc_product_tiles swizzled_tiles = {
    .a = {.store = "a_tile[y][x]", .load = "a_tile[y][i]"},
    .b = {.store = "t_tile[x][y ^ x]",
          .load = "t_tile[i][x ^ i]",
          .transposed = true,
          .swizzled = true},
    .stages = 1,
};

const struct smc_kernel smc_kernel_aat_swizzled = {
    SMC_KERNEL_NAMES(aat_swizzled, "aat-swizzled"),
    .family = "aat",
    .summary = "C = A A^T by tiles; an XOR swizzle spreads the transposed tile over the banks",
    .params = AAT,
    .variant = &swizzled_tiles,
    TILED,
};
