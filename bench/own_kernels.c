/* Ten kernels that had no part in building the model of time: their launches and references. */
#include "own_kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "rules/catalog/catalog_family.h"

#define BIT(id) SMC_PARAM_BIT(id)

enum { FLOAT_BYTES = 4, TILE = 32, TILE_ROWS = 8, BINS = 256 };

static int64_t at(const struct smc_params *params, enum smc_param param)
{
    return params->value[param];
}

static uint64_t cells(const struct smc_params *params)
{
    return (uint64_t)(at(params, SMC_PARAM_M) * at(params, SMC_PARAM_N));
}

static uint64_t length_of(const struct smc_params *params)
{
    return (uint64_t)at(params, SMC_PARAM_LENGTH);
}

/* --- Plans ------------------------------------------------------------------------------------ */

static enum smc_status complete(const struct smc_kernel *kernel, struct smc_params *params,
                                struct smc_error *error)
{
    return smc_params_check(kernel, params, error);
}

static void define_block(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_text *options)
{
    (void)kernel;
    smc_text_printf(options, "-DBLOCK=%" PRId64 "\n", at(params, SMC_PARAM_BLOCK));
}

static void begin(struct smc_plan *plan, uint32_t block, uint64_t blocks)
{
    *plan = (struct smc_plan){.block = {block, 1, 1}, .grid = {(uint32_t)blocks, 1, 1}};
    smc_plan_count(plan);
}

static void add_number(struct smc_plan *plan, int64_t value)
{
    plan->argument[plan->argument_count++] = (struct smc_argument){SMC_ARGUMENT_INT32, value};
}

/* Blocks of `columns` x TILE_ROWS threads over m x n cells, `rows` of them a block. */
static void begin_tiles(struct smc_plan *plan, const struct smc_params *params, uint32_t rows)
{
    *plan = (struct smc_plan){
        .block = {TILE, TILE_ROWS, 1},
        .grid = {(uint32_t)divide_up((uint64_t)at(params, SMC_PARAM_N), TILE),
                 (uint32_t)divide_up((uint64_t)at(params, SMC_PARAM_M), rows), 1},
    };
    smc_plan_count(plan);
}

static void plan_grid(const struct smc_params *params, uint32_t rows, uint64_t static_bytes,
                      struct smc_plan *plan)
{
    begin_tiles(plan, params, rows);
    plan->static_smem_bytes = static_bytes;
    plan->output_rows = cells(params);
    smc_plan_add_buffer(plan, "in", SMC_FLOAT, cells(params), false);
    smc_plan_add_buffer(plan, "out", SMC_FLOAT, cells(params), true);
    add_number(plan, at(params, SMC_PARAM_M));
    add_number(plan, at(params, SMC_PARAM_N));
}

static void plan_transpose(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_plan *plan)
{
    (void)kernel;
    plan_grid(params, TILE, TILE * (TILE + 1) * FLOAT_BYTES, plan);
}

static void plan_stencil_2d(const struct smc_kernel *kernel, const struct smc_params *params,
                            struct smc_plan *plan)
{
    (void)kernel;
    plan_grid(params, TILE_ROWS, (TILE + 2) * (TILE_ROWS + 2) * FLOAT_BYTES, plan);
}

/* Integers in, `outputs` integers out, `per_thread` inputs a thread. */
static void plan_integers(const struct smc_params *params, uint32_t per_thread,
                          uint64_t static_bytes, struct smc_plan *plan)
{
    uint64_t block = (uint64_t)at(params, SMC_PARAM_BLOCK);
    begin(plan, (uint32_t)block, divide_up(length_of(params), block * per_thread));
    plan->static_smem_bytes = static_bytes;
    smc_plan_add_buffer(plan, "in", SMC_INT32, length_of(params), false);
}

static void add_output(struct smc_plan *plan, enum smc_dtype dtype, uint64_t elements)
{
    plan->output_rows = elements;
    smc_plan_add_buffer(plan, "out", dtype, elements, true);
}

static void plan_reduction(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_plan *plan)
{
    (void)kernel;
    plan_integers(params, 8, (uint64_t)at(params, SMC_PARAM_BLOCK) / 32 * FLOAT_BYTES, plan);
    add_output(plan, SMC_INT32, plan->grid[0]);
    add_number(plan, at(params, SMC_PARAM_LENGTH));
}

static void plan_histogram(const struct smc_kernel *kernel, const struct smc_params *params,
                           struct smc_plan *plan)
{
    (void)kernel;
    plan_integers(params, 16, BINS * FLOAT_BYTES, plan);
    add_output(plan, SMC_INT32, BINS);
    add_number(plan, at(params, SMC_PARAM_LENGTH));
}

static void plan_scan(const struct smc_kernel *kernel, const struct smc_params *params,
                      struct smc_plan *plan)
{
    (void)kernel;
    plan_integers(params, 1, 32 * FLOAT_BYTES, plan);
    add_output(plan, SMC_INT32, length_of(params));
    add_number(plan, at(params, SMC_PARAM_LENGTH));
}

static void plan_bitonic_sort(const struct smc_kernel *kernel, const struct smc_params *params,
                              struct smc_plan *plan)
{
    (void)kernel;
    plan_integers(params, 2, 2 * (uint64_t)at(params, SMC_PARAM_BLOCK) * FLOAT_BYTES, plan);
    add_output(plan, SMC_INT32, length_of(params));
}

static void plan_softmax(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_plan *plan)
{
    (void)kernel;
    uint32_t block = (uint32_t)at(params, SMC_PARAM_BLOCK);
    begin(plan, block, (uint64_t)at(params, SMC_PARAM_M));
    plan->static_smem_bytes = block / 32 * FLOAT_BYTES;
    smc_plan_add_buffer(plan, "in", SMC_FLOAT, cells(params), false);
    add_output(plan, SMC_FLOAT, cells(params));
    add_number(plan, at(params, SMC_PARAM_N));
}

static void plan_spmv(const struct smc_kernel *kernel, const struct smc_params *params,
                      struct smc_plan *plan)
{
    (void)kernel;
    uint64_t rows = (uint64_t)at(params, SMC_PARAM_M),
             block = (uint64_t)at(params, SMC_PARAM_BLOCK);
    uint64_t entries = rows * (uint64_t)at(params, SMC_PARAM_K);
    begin(plan, (uint32_t)block, divide_up(rows, block));
    smc_plan_add_buffer(plan, "columns", SMC_INT32, entries, false);
    smc_plan_add_buffer(plan, "values", SMC_FLOAT, entries, false);
    smc_plan_add_buffer(plan, "x", SMC_FLOAT, (uint64_t)at(params, SMC_PARAM_N), false);
    add_output(plan, SMC_FLOAT, rows);
    add_number(plan, at(params, SMC_PARAM_M));
    add_number(plan, at(params, SMC_PARAM_K));
}

static void plan_n_body(const struct smc_kernel *kernel, const struct smc_params *params,
                        struct smc_plan *plan)
{
    (void)kernel;
    uint64_t block = (uint64_t)at(params, SMC_PARAM_BLOCK);
    begin(plan, (uint32_t)block, divide_up(length_of(params), block));
    plan->static_smem_bytes = 4 * block * FLOAT_BYTES;
    smc_plan_add_buffer(plan, "bodies", SMC_FLOAT, 4 * length_of(params), false);
    add_output(plan, SMC_FLOAT, 4 * length_of(params));
    add_number(plan, at(params, SMC_PARAM_LENGTH));
}

static void plan_black_scholes(const struct smc_kernel *kernel, const struct smc_params *params,
                               struct smc_plan *plan)
{
    static const char *const names[] = {"prices", "strikes", "years"};
    (void)kernel;
    uint64_t block = (uint64_t)at(params, SMC_PARAM_BLOCK);
    begin(plan, (uint32_t)block, divide_up(length_of(params), block));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        smc_plan_add_buffer(plan, names[i], SMC_FLOAT, length_of(params), false);
    add_output(plan, SMC_FLOAT, 2 * length_of(params));
    add_number(plan, at(params, SMC_PARAM_LENGTH));
}

/* --- Work: what a roofline needs -------------------------------------------------------------- */

/* Additions and multiplications, for each output or input as a reader counts them. */
static double flops_of(const struct smc_kernel *kernel, const struct smc_params *params)
{
    double count = (double)length_of(params), grid = (double)cells(params);
    if (strcmp(kernel->name, "n-body") == 0)
        return 19 * count * count;
    if (strcmp(kernel->name, "black-scholes") == 0)
        return 30 * count;
    if (strcmp(kernel->name, "spmv") == 0)
        return 2.0 * (double)at(params, SMC_PARAM_M) * (double)at(params, SMC_PARAM_K);
    return strcmp(kernel->name, "stencil-2d") == 0 ? 6 * grid
           : strcmp(kernel->name, "softmax") == 0  ? 4 * grid
                                                   : 0;
}

static void work(const struct smc_kernel *kernel, const struct smc_params *params,
                 struct smc_work *work)
{
    struct smc_plan plan;
    *work = (struct smc_work){.flops = flops_of(kernel, params)};
    kernel->plan(kernel, params, &plan);
    for (size_t i = 0; i < plan.buffer_count; i++)
        work->minimum_bytes +=
            (double)plan.buffer[i].elements * (double)smc_dtype_bytes(plan.buffer[i].dtype);
}

/* --- Inputs ----------------------------------------------------------------------------------- */

static void fill_integers(uint64_t count, uint64_t seed, uint64_t below, int32_t *values)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] = (int32_t)(smc_random_bits(seed, i) % below);
}

static void fill_floats(uint64_t count, uint64_t seed, float least, float most, float *values)
{
    for (uint64_t i = 0; i < count; i++)
        values[i] = least + (most - least) * (float)(smc_random_bits(seed, i) >> 40) / (1 << 24);
}

bool bench_own_fill(const struct smc_kernel *kernel, const struct smc_params *params, size_t buffer,
                    uint64_t seed, void *values)
{
    struct smc_plan plan;
    kernel->plan(kernel, params, &plan);
    uint64_t count = plan.buffer[buffer].elements, start = seed + buffer;
    if (plan.buffer[buffer].output)
        memset(values, 0, count * FLOAT_BYTES);
    else if (strcmp(kernel->name, "histogram") == 0)
        fill_integers(count, start, BINS, values);
    else if (plan.buffer[buffer].dtype == SMC_INT32 && strcmp(kernel->name, "spmv") == 0)
        fill_integers(count, start, (uint64_t)at(params, SMC_PARAM_N), values);
    else if (plan.buffer[buffer].dtype == SMC_INT32)
        fill_integers(count, start, 2000, values);
    else if (strcmp(kernel->name, "black-scholes") == 0)
        fill_floats(count, start, buffer == 2 ? 0.25f : 5, buffer == 2 ? 10 : 30, values);
    else
        fill_floats(count, start, strcmp(kernel->name, "n-body") == 0 ? 0 : -1, 1, values);
    return true;
}

/* --- References ------------------------------------------------------------------------------- */

static void check_integer(struct smc_comparison *result, uint64_t i, int64_t expected,
                          const void *out)
{
    int32_t got = ((const int32_t *)out)[i];
    smc_comparison_add(result, i, (double)expected, got, expected == got ? 0 : SMC_WRONG);
}

/* The bound is a share of `scale`, the largest value that the sum or the difference passes. */
static void check_float(struct smc_comparison *result, uint64_t i, double expected, double bound,
                        const void *out)
{
    double got = ((const float *)out)[i];
    smc_comparison_add(result, i, expected, got, fabs(got - expected) / bound);
}

#define COMPARE(name)                                                                              \
    static void compare_##name(const struct smc_kernel *kernel, const struct smc_params *params,   \
                               const void *const *buffers, uint64_t row, uint64_t rows,            \
                               struct smc_comparison *result)

COMPARE(transpose)
{
    (void)kernel;
    uint64_t m = (uint64_t)at(params, SMC_PARAM_M), n = (uint64_t)at(params, SMC_PARAM_N);
    const float *in = buffers[0];
    for (uint64_t i = row; i < row + rows; i++)
        check_float(result, i, in[i % m * n + i / m], 1e-30, buffers[1]);
}

COMPARE(reduction)
{
    struct smc_plan plan;
    kernel->plan(kernel, params, &plan);
    uint64_t block = plan.block[0], stride = block * plan.grid[0];
    const int32_t *in = buffers[0];
    for (uint64_t b = row; b < row + rows; b++) {
        int64_t sum = 0;
        for (uint64_t first = b * block; first < length_of(params); first += stride)
            for (uint64_t i = first; i < first + block && i < length_of(params); i++)
                sum += in[i];
        check_integer(result, b, sum, buffers[1]);
    }
}

COMPARE(histogram)
{
    (void)kernel;
    int64_t count[BINS] = {0};
    const int32_t *in = buffers[0];
    for (uint64_t i = 0; i < length_of(params); i++)
        count[in[i]]++;
    for (uint64_t i = row; i < row + rows; i++)
        check_integer(result, i, count[i], buffers[1]);
}

COMPARE(scan)
{
    (void)kernel;
    uint64_t block = (uint64_t)at(params, SMC_PARAM_BLOCK);
    const int32_t *in = buffers[0];
    int64_t sum = 0;
    for (uint64_t i = row / block * block; i < row + rows; i++) {
        sum = i % block == 0 ? in[i] : sum + in[i];
        if (i >= row)
            check_integer(result, i, sum, buffers[1]);
    }
}

static int compare_integers(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* A segment is sorted if it equals the sorted input. */
COMPARE(bitonic_sort)
{
    (void)kernel;
    uint64_t count = 2 * (uint64_t)at(params, SMC_PARAM_BLOCK);
    int32_t *sorted = smc_malloc(count * sizeof *sorted);
    for (uint64_t i = row; i < row + rows && sorted; i++) {
        if (i % count == 0 || i == row) {
            memcpy(sorted, (const int32_t *)buffers[0] + i / count * count, count * sizeof *sorted);
            qsort(sorted, count, sizeof *sorted, compare_integers);
        }
        check_integer(result, i, sorted[i % count], buffers[1]);
    }
    if (!sorted)
        result->wrong++;
    free(sorted);
}

COMPARE(softmax)
{
    (void)kernel;
    uint64_t n = (uint64_t)at(params, SMC_PARAM_N);
    const float *in = buffers[0];
    double largest = 0, sum = 0;
    for (uint64_t i = row; i < row + rows; i++) {
        const float *line = in + i / n * n;
        if (i % n == 0 || i == row) {
            largest = line[0], sum = 0;
            for (uint64_t c = 0; c < n; c++)
                largest = fmax(largest, line[c]);
            for (uint64_t c = 0; c < n; c++)
                sum += exp(line[c] - largest);
        }
        double expected = exp(in[i] - largest) / sum;
        check_float(result, i, expected, 1e-4 * expected, buffers[1]);
    }
}

COMPARE(spmv)
{
    (void)kernel;
    uint64_t m = (uint64_t)at(params, SMC_PARAM_M), k = (uint64_t)at(params, SMC_PARAM_K);
    const int32_t *columns = buffers[0];
    const float *values = buffers[1], *x = buffers[2];
    for (uint64_t i = row; i < row + rows; i++) {
        double sum = 0, size = 0;
        for (uint64_t j = 0; j < k; j++) {
            double product = (double)values[j * m + i] * x[columns[j * m + i]];
            sum += product;
            size += fabs(product);
        }
        check_float(result, i, sum, 1e-6 * (size + 1), buffers[3]);
    }
}

COMPARE(stencil_2d)
{
    (void)kernel;
    uint64_t m = (uint64_t)at(params, SMC_PARAM_M), n = (uint64_t)at(params, SMC_PARAM_N);
    const float *in = buffers[0];
    for (uint64_t i = row; i < row + rows; i++) {
        uint64_t y = i / n, x = i % n;
        double value = in[i];
        if (y > 0 && y < m - 1 && x > 0 && x < n - 1)
            value +=
                0.25 * (0.25 * ((double)in[i - n] + in[i + n] + in[i - 1] + in[i + 1]) - value);
        check_float(result, i, value, 1e-6, buffers[1]);
    }
}

/* The acceleration of one body, and the sum of the magnitudes of its parts. */
static void attract(const float *body, uint64_t count, uint64_t self, double sum[3], double *size)
{
    for (uint64_t j = 0; j < count; j++) {
        double distance[3], square = 0.01f;
        for (int c = 0; c < 3; c++) {
            distance[c] = (double)body[4 * j + c] - body[4 * self + c];
            square += distance[c] * distance[c];
        }
        double pull = body[4 * j + 3] / (square * sqrt(square));
        for (int c = 0; c < 3; c++) {
            sum[c] += distance[c] * pull;
            *size += fabs(distance[c] * pull);
        }
    }
}

COMPARE(n_body)
{
    (void)kernel;
    double sum[4] = {0}, size = 0;
    for (uint64_t i = row; i < row + rows; i++) {
        if (i % 4 == 0 || i == row) {
            memset(sum, 0, sizeof sum);
            size = 0;
            attract(buffers[0], length_of(params), i / 4, sum, &size);
        }
        check_float(result, i, sum[i % 4], 1e-5 * size + 1e-5, buffers[1]);
    }
}

static double normal(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

COMPARE(black_scholes)
{
    (void)kernel;
    uint64_t count = length_of(params);
    const float *prices = buffers[0], *strikes = buffers[1], *years = buffers[2];
    for (uint64_t i = row; i < row + rows; i++) {
        double price = prices[i % count], strike = strikes[i % count], time = years[i % count];
        double deviation = 0.3f * sqrt(time);
        double d = (log(price / strike) + (0.02f + 0.5 * 0.3f * 0.3f) * time) / deviation;
        double owed = strike * exp(-0.02f * time);
        double call = price * normal(d) - owed * normal(d - deviation);
        check_float(result, i, i < count ? call : call - price + owed, 1e-4 * (price + strike),
                    buffers[3]);
    }
}
#undef COMPARE

/* --- The kernels ------------------------------------------------------------------------------ */

static const char family[] = "own";

bool bench_is_own(const struct smc_kernel *kernel)
{
    return kernel->family == family;
}

#define OWN(id, shown, accepts, of_dtype, how_defined)                                             \
    static const struct smc_kernel own_##id = {                                                    \
        .name = shown,                                                                             \
        .family = family,                                                                          \
        .file = #id ".cu",                                                                         \
        .entry = #id,                                                                              \
        .params = (accepts),                                                                       \
        .dtypes = 1u << (of_dtype),                                                                \
        .default_dtype = (of_dtype),                                                               \
        .complete = complete,                                                                      \
        .defines = (how_defined),                                                                  \
        .plan = plan_##id,                                                                         \
        .work = work,                                                                              \
        .compare = compare_##id,                                                                   \
    };
OWN(transpose, "transpose", BIT(M) | BIT(N), SMC_FLOAT, smc_defines_nothing)
OWN(reduction, "reduction", BIT(BLOCK) | BIT(LENGTH), SMC_INT32, define_block)
OWN(histogram, "histogram", BIT(BLOCK) | BIT(LENGTH), SMC_INT32, define_block)
OWN(scan, "scan", BIT(BLOCK) | BIT(LENGTH), SMC_INT32, define_block)
OWN(softmax, "softmax", BIT(BLOCK) | BIT(M) | BIT(N), SMC_FLOAT, define_block)
OWN(spmv, "spmv", BIT(BLOCK) | BIT(M) | BIT(N) | BIT(K), SMC_FLOAT, smc_defines_nothing)
OWN(stencil_2d, "stencil-2d", BIT(M) | BIT(N), SMC_FLOAT, smc_defines_nothing)
OWN(n_body, "n-body", BIT(BLOCK) | BIT(LENGTH), SMC_FLOAT, define_block)
OWN(black_scholes, "black-scholes", BIT(BLOCK) | BIT(LENGTH), SMC_FLOAT, smc_defines_nothing)
OWN(bitonic_sort, "bitonic-sort", BIT(BLOCK) | BIT(LENGTH), SMC_INT32, define_block)
#undef OWN

const struct smc_kernel *const bench_own_kernels[] = {
    &own_transpose,  &own_reduction, &own_histogram,     &own_scan,         &own_softmax, &own_spmv,
    &own_stencil_2d, &own_n_body,    &own_black_scholes, &own_bitonic_sort, NULL,
};

/* --- Their launches --------------------------------------------------------------------------- */

/* Sizes are m, n, k, or the length first; blocks of 0 are the kernel's own. */
static const struct {
    const struct smc_kernel *kernel;
    int64_t small[3], sizes[4][3], blocks[4];
} sets[] = {
    {&own_transpose, {50, 70}, {{1000, 1000}, {4096, 4096}, {8192, 2000}, {777, 6001}}, {0}},
    {&own_reduction, {5000}, {{100000}, {1 << 22}, {1 << 26}}, {128, 256, 1024}},
    {&own_histogram, {5000}, {{100000}, {1 << 22}, {1 << 25}}, {128, 256, 1024}},
    {&own_scan, {1300}, {{100000}, {1 << 22}, {1 << 26}}, {128, 256, 1024}},
    {&own_softmax, {5, 300}, {{1000, 1000}, {8192, 512}, {4096, 8192}}, {64, 256, 1024}},
    {&own_spmv,
     {300, 500, 7},
     {{10000, 10000, 16}, {1 << 20, 1 << 20, 16}, {1 << 18, 1 << 14, 64}},
     {64, 256, 512}},
    {&own_stencil_2d, {50, 70}, {{1000, 1000}, {4096, 4096}, {8192, 2000}, {777, 6001}}, {0}},
    {&own_n_body, {600}, {{2048}, {16384}, {65536}}, {64, 256, 512}},
    {&own_black_scholes, {1000}, {{100000}, {1 << 22}, {1 << 25}}, {64, 256, 1024}},
    {&own_bitonic_sort, {2048}, {{1 << 16}, {1 << 22}, {1 << 25}}, {128, 256, 1024}},
};

enum { SETS = sizeof sets / sizeof *sets, MOST_LAUNCHES = SETS * 16 };

static void set_launch(size_t set, const int64_t size[3], int64_t block,
                       const struct smc_device *device, struct bench_launch *launch)
{
    const struct smc_kernel *kernel = sets[set].kernel;
    *launch = (struct bench_launch){.kernel = kernel, .carveout_percent = SMC_CARVEOUT_DEFAULT};
    snprintf(launch->device, sizeof launch->device, "%s", device->name);
    smc_params_init(kernel, &launch->params);
    if (kernel->params & BIT(LENGTH)) {
        launch->params.value[SMC_PARAM_LENGTH] = size[0];
    } else {
        for (int i = 0; i < 3; i++)
            if (size[i] > 0)
                launch->params.value[SMC_PARAM_M + i] = size[i];
    }
    if (block > 0)
        launch->params.value[SMC_PARAM_BLOCK] = block;
}

struct bench_launch *bench_own_launches(const struct smc_device *device, bool small, size_t *count)
{
    struct bench_launch *launch = smc_calloc(MOST_LAUNCHES, sizeof *launch);
    *count = 0;
    for (size_t i = 0; i < SETS && launch; i++) {
        if (small)
            set_launch(i, sets[i].small, sets[i].blocks[0], device, &launch[(*count)++]);
        for (size_t s = 0; s < 4 && sets[i].sizes[s][0] && !small; s++)
            for (size_t b = 0; b < 4 && (b == 0 || sets[i].blocks[b]); b++)
                set_launch(i, sets[i].sizes[s], sets[i].blocks[b], device, &launch[(*count)++]);
    }
    return launch;
}
