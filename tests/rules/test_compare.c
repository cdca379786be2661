/* catalog: comparisons accept correct results for any order of additions, and nothing else. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/catalog.h"
#include "unit.h"

/* A launch's buffers on the host: inputs random, output poisoned. */
struct launch {
    const struct smc_kernel *kernel;
    struct smc_params params;
    struct smc_plan plan;
    void *buffer[SMC_MAX_BUFFERS];
};

static void prepare(struct launch *launch)
{
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(launch->kernel->complete(launch->kernel, &launch->params, &error),
                          SMC_OK);
    launch->kernel->plan(launch->kernel, &launch->params, &launch->plan);
    for (size_t i = 0; i < launch->plan.buffer_count; i++) {
        const struct smc_buffer *buffer = &launch->plan.buffer[i];
        size_t bytes = buffer->elements * smc_dtype_bytes(buffer->dtype);
        launch->buffer[i] = malloc(bytes);
        CU_ASSERT_PTR_NOT_NULL_FATAL(launch->buffer[i]);
        if (buffer->output)
            memset(launch->buffer[i], smc_dtype_poison(buffer->dtype), bytes);
        else
            smc_fill_random(buffer, 20, launch->buffer[i]);
    }
}

static void release(struct launch *launch)
{
    for (size_t i = 0; i < launch->plan.buffer_count; i++)
        free(launch->buffer[i]);
}

/* In parts of different sizes, as threads would divide them. */
static struct smc_comparison compare(const struct launch *launch)
{
    struct smc_comparison result = {0};
    const void *buffers[SMC_MAX_BUFFERS];
    memcpy(buffers, launch->buffer, sizeof buffers);
    uint64_t rows = launch->plan.output_rows;
    for (uint64_t row = 0, part = 1; row < rows; row += part, part = 2 * part + 1) {
        part = row + part > rows ? rows - row : part;
        launch->kernel->compare(launch->kernel, &launch->params, buffers, row, part, &result);
    }
    return result;
}

static void start_product(const char *kernel, enum smc_dtype dtype, int m, int n, int k,
                          struct launch *launch)
{
    launch->kernel = smc_kernel_find(kernel);
    smc_params_init(launch->kernel, &launch->params);
    int64_t *value = launch->params.value;
    value[SMC_PARAM_DTYPE] = dtype;
    value[SMC_PARAM_M] = m;
    value[SMC_PARAM_N] = n;
    value[SMC_PARAM_K] = k;
    value[SMC_PARAM_LDA] = k + 7;
    value[SMC_PARAM_LDB] = n + 3;
    value[SMC_PARAM_LDC] = n + 14;
    prepare(launch);
}

static void start_matmul(enum smc_dtype dtype, int m, int n, int k, struct launch *launch)
{
    start_product("matmul-tiled", dtype, m, n, k, launch);
}

/* A product of A with its transpose has no buffer for B. */
static bool is_aat(const struct launch *launch)
{
    return launch->plan.buffer_count == 2;
}

/* The plain product, adding from the last k to the first. */
#define DEFINE_MULTIPLY(type)                                                                      \
    static void multiply_##type(const struct launch *launch)                                       \
    {                                                                                              \
        const int64_t *v = launch->params.value;                                                   \
        bool aat = is_aat(launch);                                                                 \
        const type *a = launch->buffer[0], *b = launch->buffer[aat ? 0 : 1];                       \
        type *c = launch->buffer[aat ? 1 : 2];                                                     \
        int64_t down = aat ? 1 : v[SMC_PARAM_LDB], across = aat ? v[SMC_PARAM_LDA] : 1;            \
        for (int64_t i = 0; i < v[SMC_PARAM_M]; i++)                                               \
            for (int64_t j = 0; j < v[aat ? SMC_PARAM_M : SMC_PARAM_N]; j++) {                     \
                type sum = 0;                                                                      \
                for (int64_t k = v[SMC_PARAM_K]; k-- > 0;)                                         \
                    sum += a[i * v[SMC_PARAM_LDA] + k] * b[k * down + j * across];                 \
                c[i * v[SMC_PARAM_LDC] + j] = sum;                                                 \
            }                                                                                      \
    }
DEFINE_MULTIPLY(float)
DEFINE_MULTIPLY(double)

static void check_accepted(const char *kernel, enum smc_dtype dtype, int m, int n, int k)
{
    struct launch launch;
    start_product(kernel, dtype, m, n, k, &launch);
    (dtype == SMC_FLOAT ? multiply_float : multiply_double)(&launch);
    struct smc_comparison result = compare(&launch);
    CU_ASSERT_EQUAL(result.wrong, 0);
    CU_ASSERT_EQUAL(result.checked, (uint64_t)m * (uint64_t)(n + 14));
    CU_ASSERT(result.worst <= 1);
    CU_ASSERT(k == 1 || result.worst > 0); /* the reference is more precise than the result */
    release(&launch);
}

static void test_right_products(void)
{
    static const int sizes[][3] = {{1, 1, 1},    {1, 1, 2},     {33, 32, 31},  {100, 77, 53},
                                   {64, 65, 99}, {40, 31, 128}, {32, 96, 257}, {3, 5, 3000}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_accepted("matmul-tiled", SMC_FLOAT, sizes[i][0], sizes[i][1], sizes[i][2]);
        check_accepted("matmul-tiled", SMC_DOUBLE, sizes[i][0], sizes[i][1], sizes[i][2]);
        check_accepted("aat-padded", SMC_FLOAT, sizes[i][0], sizes[i][0], sizes[i][2]);
        check_accepted("aat-padded", SMC_DOUBLE, sizes[i][0], sizes[i][0], sizes[i][2]);
    }
}

/* If element (row, column) of C is `value`, exactly that element is wrong. */
static void check_float_refused(struct launch *launch, uint64_t row, uint64_t column, float value)
{
    uint64_t index = row * (uint64_t)launch->params.value[SMC_PARAM_LDC] + column;
    float *c = launch->buffer[launch->plan.buffer_count - 1], before = c[index];
    c[index] = value;
    struct smc_comparison result = compare(launch);
    CU_ASSERT_EQUAL(result.wrong, 1);
    CU_ASSERT_EQUAL(result.first_wrong, index);
    CU_ASSERT(isnan(value) ? isnan(result.got) : result.got == value);
    memcpy(&c[index], &before, sizeof before);
}

static void test_wrong_products(void)
{
    struct launch launch;
    start_matmul(SMC_FLOAT, 100, 77, 53, &launch);
    multiply_float(&launch);
    const float *c = launch.buffer[2];
    float poison;
    memset(&poison, smc_dtype_poison(SMC_FLOAT), sizeof poison);
    check_float_refused(&launch, 0, 0, c[0] + 1e-4f);
    check_float_refused(&launch, 99, 76, c[99 * 91 + 76] - 1e-4f);
    check_float_refused(&launch, 50, 33, poison);
    check_float_refused(&launch, 51, 0, NAN);
    check_float_refused(&launch, 31, 32, INFINITY);
    check_float_refused(&launch, 32, 31, 0);
    check_float_refused(&launch, 7, 77, 0);  /* the gap's first element */
    check_float_refused(&launch, 99, 90, 1); /* and the last one */
    CU_ASSERT_EQUAL(compare(&launch).wrong, 0);

    /* With two wrong elements, the first in the buffer is reported. */
    ((float *)launch.buffer[2])[40 * 91 + 1] = 9;
    ((float *)launch.buffer[2])[39 * 91 + 70] = 8;
    struct smc_comparison result = compare(&launch);
    CU_ASSERT(result.wrong == 2 && result.first_wrong == 39 * 91 + 70 && result.got == 8);
    release(&launch);
}

/* For C = A A^T: A A, without the transposition, is a different matrix. */
static void test_wrong_squares(void)
{
    struct launch launch;
    start_product("aat-conflict", SMC_FLOAT, 60, 60, 60, &launch);
    CU_ASSERT_EQUAL(compare(&launch).wrong, 60 * 60); /* nothing was written */
    multiply_float(&launch);
    const float *c = launch.buffer[1];
    check_float_refused(&launch, 0, 1, c[1] + 1e-4f);
    check_float_refused(&launch, 59, 59, c[59 * 74 + 59] - 1e-4f);
    check_float_refused(&launch, 33, 33, 0);
    check_float_refused(&launch, 7, 60, 0);  /* the gap's first element */
    check_float_refused(&launch, 59, 73, 1); /* and the last one */
    CU_ASSERT_EQUAL(compare(&launch).wrong, 0);

    const float *a = launch.buffer[0];
    float *not_transposed = launch.buffer[1];
    for (int i = 0; i < 60; i++)
        for (int j = 0; j < 60; j++) {
            float sum = 0;
            for (int k = 0; k < 60; k++)
                sum += a[i * 67 + k] * a[k * 67 + j];
            not_transposed[i * 74 + j] = sum;
        }
    CU_ASSERT(compare(&launch).wrong > 3500);
    release(&launch);
}

static void test_wrong_doubles(void)
{
    struct launch launch;
    start_matmul(SMC_DOUBLE, 20, 40, 60, &launch);
    CU_ASSERT_EQUAL(compare(&launch).wrong, 20 * 40); /* nothing was written */
    multiply_double(&launch);
    CU_ASSERT_EQUAL(compare(&launch).wrong, 0);
    double *c = launch.buffer[2];
    c[3] += 1e-12;
    CU_ASSERT_EQUAL(compare(&launch).wrong, 1);
    c[3] -= 1e-12;

    /* Sums in float are not precise enough. */
    for (int i = 0; i < 40; i++)
        c[i] = (float)c[i];
    CU_ASSERT(compare(&launch).wrong > 35);
    release(&launch);
}

/* A kernel that omits the last product is detected, even if sums are long. */
static void test_lost_product(void)
{
    struct launch launch;
    start_matmul(SMC_FLOAT, 8, 8, 20000, &launch);
    multiply_float(&launch);
    CU_ASSERT_EQUAL(compare(&launch).wrong, 0);
    launch.params.value[SMC_PARAM_K]--;
    multiply_float(&launch);
    launch.params.value[SMC_PARAM_K]++;
    CU_ASSERT(compare(&launch).wrong > 0);
    release(&launch);
}

static int32_t input_at(const struct launch *launch, int64_t i)
{
    bool floats = launch->plan.buffer[0].dtype == SMC_FLOAT;
    return floats ? (int32_t)((float *)launch->buffer[0])[i] : ((int32_t *)launch->buffer[0])[i];
}

static void put(const struct launch *launch, int64_t i, int32_t value)
{
    if (launch->plan.buffer[1].dtype == SMC_FLOAT)
        ((float *)launch->buffer[1])[i] = (float)value;
    else
        ((int32_t *)launch->buffer[1])[i] = value;
}

static void sum_windows(const struct launch *launch, int shift)
{
    int64_t radius = launch->params.value[SMC_PARAM_RADIUS];
    int64_t outputs = launch->params.value[SMC_PARAM_LENGTH] - 2 * radius;
    for (int64_t i = 0; i < outputs; i++) {
        int32_t sum = 0;
        for (int64_t j = 0; j <= 2 * radius; j++)
            if (i + j + shift < launch->params.value[SMC_PARAM_LENGTH])
                sum += input_at(launch, i + j + shift);
        put(launch, i, sum);
    }
}

static void start_stencil(enum smc_dtype dtype, int64_t radius, int64_t length,
                          struct launch *launch)
{
    launch->kernel = smc_kernel_find("stencil-dynamic");
    smc_params_init(launch->kernel, &launch->params);
    launch->params.value[SMC_PARAM_DTYPE] = dtype;
    launch->params.value[SMC_PARAM_RADIUS] = radius;
    launch->params.value[SMC_PARAM_LENGTH] = length;
    prepare(launch);
}

static void check_stencil(enum smc_dtype dtype, int64_t radius, int64_t length)
{
    struct launch launch;
    start_stencil(dtype, radius, length, &launch);
    uint64_t outputs = launch.plan.output_rows;
    CU_ASSERT_EQUAL(compare(&launch).wrong, outputs); /* nothing was written */
    sum_windows(&launch, 0);
    struct smc_comparison result = compare(&launch);
    CU_ASSERT(result.wrong == 0 && result.checked == outputs && result.worst == 0);
    put(&launch, (int64_t)outputs - 1, 1234567);
    result = compare(&launch);
    CU_ASSERT(result.wrong == 1 && result.first_wrong == outputs - 1);
    CU_ASSERT(result.got == 1234567);
    sum_windows(&launch, 1);
    CU_ASSERT(compare(&launch).wrong > outputs / 2);
    release(&launch);
}

static void test_stencils(void)
{
    for (int i = 0; i < 2; i++) {
        enum smc_dtype dtype = i ? SMC_FLOAT : SMC_INT32;
        check_stencil(dtype, 0, 9);
        check_stencil(dtype, 1, 3);
        check_stencil(dtype, 5, 1011);
        check_stencil(dtype, 1025, 4001);
    }
}

/* The smallest error that a float can have, the other zero, and NaN. */
static void test_float_stencil_bits(void)
{
    struct launch launch;
    start_stencil(SMC_FLOAT, 1, 9, &launch);
    float *input = launch.buffer[0], *output = launch.buffer[1];
    const float wrong[] = {nextafterf(3000, 0), -0.0f, NAN, INFINITY};
    for (int i = 0; i < 9; i++)
        input[i] = i < 3 ? 1000 : 0;
    sum_windows(&launch, 0);
    CU_ASSERT(output[0] == 3000 && output[3] == 0);
    CU_ASSERT_EQUAL(compare(&launch).wrong, 0);
    for (int i = 0; i < 4; i++) {
        int at = i ? 3 : 0;
        float right = output[at];
        output[at] = wrong[i];
        struct smc_comparison result = compare(&launch);
        CU_ASSERT(result.wrong == 1 && result.first_wrong == (uint64_t)at);
        CU_ASSERT(isinf(result.worst));
        output[at] = right;
    }
    release(&launch);
}

static void test_reverse(void)
{
    struct launch launch = {.kernel = smc_kernel_find("reverse-static")};
    smc_params_init(launch.kernel, &launch.params);
    launch.params.value[SMC_PARAM_LENGTH] = 1000;
    prepare(&launch);
    const int32_t *input = launch.buffer[0];
    int32_t *output = launch.buffer[1];
    CU_ASSERT_EQUAL(compare(&launch).wrong, 1000);
    for (int i = 0; i < 1000; i++)
        output[i] = input[999 - i];
    struct smc_comparison result = compare(&launch);
    CU_ASSERT(result.wrong == 0 && result.checked == 1000);
    output[0] = output[0] == 5 ? 6 : 5;
    CU_ASSERT_EQUAL(compare(&launch).wrong, 1);
    memcpy(output, input, 4000);
    CU_ASSERT(compare(&launch).wrong > 900);
    release(&launch);
}

/* Two histograms, of which the second counts the pairs after the first 64 x 4 x 2. */
static void test_histogram(void)
{
    enum { PAIRS = 64 * 4 * 2 + 100, BINS = 8 * 8 };
    struct launch launch = {.kernel = smc_kernel_find("histogram-cluster")};
    smc_params_init(launch.kernel, &launch.params);
    launch.params.value[SMC_PARAM_LENGTH] = PAIRS;
    launch.params.value[SMC_PARAM_BLOCK] = 4;
    launch.params.value[SMC_PARAM_BINS] = 8;
    launch.params.blocks_per_cluster = 2;
    prepare(&launch);
    const int32_t *x = launch.buffer[0], *y = launch.buffer[1];
    int32_t *counts = launch.buffer[2];
    CU_ASSERT_EQUAL(compare(&launch).wrong, 2 * BINS);
    memset(counts, 0, 2 * BINS * sizeof *counts);
    for (int i = 0; i < PAIRS; i++)
        counts[(i >= 64 * 4 * 2) * BINS + (x[i] & 7) * 8 + (y[i] & 7)]++;
    struct smc_comparison result = compare(&launch);
    CU_ASSERT(result.wrong == 0 && result.checked == 2 * BINS);
    counts[BINS + 5]++;
    result = compare(&launch);
    CU_ASSERT(result.wrong == 1 && result.first_wrong == BINS + 5);
    release(&launch);
}

CU_TestInfo tests_compare[] = {
    {"histograms are exact", test_histogram},
    {"products in another order are right", test_right_products},
    {"one wrong, unwritten or overwritten element is found", test_wrong_products},
    {"likewise of A A^T", test_wrong_squares},
    {"doubles are held to double precision", test_wrong_doubles},
    {"a lost product does not hide in the bound", test_lost_product},
    {"stencils are exact", test_stencils},
    {"a float stencil is held to every bit", test_float_stencil_bits},
    {"reversed arrays are exact", test_reverse},
    CU_TEST_INFO_NULL,
};
