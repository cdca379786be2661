/* A matrix product against a reference of higher precision, element by element.

   The reference: products and short sums in double for float, in long double for double. The
   bound on an element's error is a multiple of sum |a_k b_k|. Any order of the K additions, fused
   with the multiplications or not, stays within gamma_K = K u / (1 - K u) of it (Higham, "Accuracy
   and Stability of Numerical Algorithms", 3.1). That bound is so wide for long sums that a lost
   product could hide in it; from K = 100 on, 10 sqrt(K) u is used, which holds with probability
   1 - 2 K exp(-50) for each element (Higham and Mary, "A new approach to probabilistic rounding
   error analysis", 2019). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "catalog/product.h"

/* Blocks: B is read a row of COLUMNS at a time, and a block of B serves ROWS rows of A. */
enum { ROWS = 32, COLUMNS = 32, DEPTH = 128, LANES = 4, GROUPS = COLUMNS / LANES };

struct problem {
    const struct smc_product *product;
    const void *a, *b, *c;
    double bound_factor;
};

struct block {
    double a[ROWS][DEPTH];
    double b[GROUPS][DEPTH][LANES];
    long double sum[ROWS][COLUMNS];
    double magnitude[ROWS][COLUMNS]; /* sum of |a b| */
};

static double element(const struct problem *problem, const void *matrix, uint64_t index)
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
                   size_t depth, struct block *block)
{
    uint64_t lda = problem->product->lda;
    for (uint64_t i = 0; i < rows; i++)
        for (size_t d = 0; d < depth; d++)
            block->a[i][d] = element(problem, problem->a, (row + i) * lda + k + d);
}

/* Columns beyond N count as 0. */
static void load_b(const struct problem *problem, uint64_t k, size_t depth, uint64_t column,
                   struct block *block)
{
    const struct smc_product *p = problem->product;
    uint64_t down = p->b_is_a ? 1 : p->ldb, across = p->b_is_a ? p->ldb : 1;
    for (size_t d = 0; d < depth; d++)
        for (size_t j = 0; j < COLUMNS; j++)
            block->b[j / LANES][d][j % LANES] =
                column + j < p->n
                    ? element(problem, problem->b, (k + d) * down + (column + j) * across)
                    : 0;
}

static void compute_block(const struct problem *problem, uint64_t row, uint64_t rows,
                          uint64_t column, struct block *block)
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

static void check_block(const struct problem *problem, uint64_t row, uint64_t rows, uint64_t column,
                        const struct block *block, struct smc_comparison *result)
{
    const struct smc_product *p = problem->product;
    uint64_t columns = p->n - column < COLUMNS ? p->n - column : COLUMNS;
    for (uint64_t i = 0; i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            uint64_t index = (row + i) * p->ldc + column + j;
            double got = element(problem, problem->c, index);
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
    /* The last factor covers the rounding of sum |a b| itself, below K 2^-53. */
    return (kernel + k * reference_unit) * (1 + 0x1p-20);
}

void smc_product_compare(const struct smc_product *p, const void *const *buffers, uint64_t row,
                         uint64_t rows, struct smc_comparison *result)
{
    const struct problem problem = {
        .product = p,
        .a = buffers[0],
        .b = buffers[p->b_is_a ? 0 : 1],
        .c = buffers[p->b_is_a ? 1 : 2],
        .bound_factor = bound_factor(p->dtype, p->k),
    };
    struct block block;
    for (uint64_t end = row + rows; row < end; row += ROWS) {
        uint64_t count = end - row < ROWS ? end - row : ROWS;
        for (uint64_t column = 0; column < p->n; column += COLUMNS) {
            compute_block(&problem, row, count, column, &block);
            check_block(&problem, row, count, column, &block, result);
        }
        for (uint64_t i = row; i < row + count; i++)
            smc_comparison_add_gap(result, p->dtype, problem.c, i * p->ldc + p->n, p->ldc - p->n);
    }
}
