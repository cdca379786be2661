/* catalog: parameters and their checks, plans, work, texts, random inputs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/catalog.h"
#include "unit.h"

static const struct smc_kernel *start(const char *name, struct smc_params *params)
{
    const struct smc_kernel *kernel = smc_kernel_find(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(kernel);
    smc_params_init(kernel, params);
    return kernel;
}

static void give(struct smc_params *params, enum smc_param param, int64_t value)
{
    params->value[param] = value;
    params->given |= 1u << param;
}

static void complete(const struct smc_kernel *kernel, struct smc_params *params)
{
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(kernel->complete(kernel, params, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
}

static void plan_of(const struct smc_kernel *kernel, const struct smc_params *params,
                    struct smc_plan *plan)
{
    kernel->plan(kernel, params, plan);
}

static void work_of(const struct smc_kernel *kernel, const struct smc_params *params,
                    struct smc_work *work)
{
    kernel->work(kernel, params, work);
}

static void test_kernels(void)
{
#define KERNEL(id) +1
    const size_t rows = 0
#include "rules/catalog/kernels.def"
        ;
#undef KERNEL
    CU_ASSERT_EQUAL(smc_kernel_count(), rows);
    CU_ASSERT_PTR_NULL(smc_kernel_at(rows));
    CU_ASSERT_PTR_NULL(smc_kernel_find("matmul"));
    CU_ASSERT_PTR_EQUAL(smc_kernel_find("Matmul-TILED"), smc_kernel_at(0));
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        size_t length = 0;
        char needle[64];
        const char *text = smc_kernel_text(kernel->file, &length);
        CU_ASSERT_PTR_EQUAL(smc_kernel_find(kernel->name), kernel);
        CU_ASSERT_PTR_NOT_NULL_FATAL(text);
        CU_ASSERT_EQUAL(strlen(text), length);
        snprintf(needle, sizeof needle, "%s(", kernel->entry);
        CU_ASSERT_PTR_NOT_NULL(strstr(text, needle));
        CU_ASSERT_PTR_NOT_NULL(strstr(text, "extern \"C\" __global__"));
        CU_ASSERT_PTR_NULL(strstr(text, "#include"));
        CU_ASSERT_EQUAL(kernel->is_probe, !kernel->compare);
        CU_ASSERT_EQUAL(kernel->is_probe, !kernel->work);
        CU_ASSERT(kernel->dtypes >> kernel->default_dtype & 1);
        CU_ASSERT(!kernel->sibling || smc_kernel_find(kernel->sibling));
    }
    size_t length = 77;
    CU_ASSERT_PTR_NULL(smc_kernel_text("matmul.cu", &length));
    CU_ASSERT_EQUAL(length, 77);
}

/* The built-in text equals the file, byte for byte. */
static void test_texts(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        char path[512], content[16384];
        size_t length = 0;
        const char *file = smc_kernel_at(i)->file;
        const char *text = smc_kernel_text(file, &length);
        snprintf(path, sizeof path, "%s/kernels/%s", SMC_SOURCE_DIR, file);
        FILE *stream = fopen(path, "rb");
        CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
        size_t bytes = fread(content, 1, sizeof content, stream);
        fclose(stream);
        CU_ASSERT(bytes == length && memcmp(content, text, length) == 0);
    }
}

static void test_defaults(void)
{
    struct smc_params p;
    complete(start("matmul-tiled", &p), &p);
    CU_ASSERT_EQUAL(p.given, 0);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_TILE], 32);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_DTYPE], SMC_FLOAT);
    const struct smc_kernel *kernel = start("matmul-naive", &p);
    give(&p, SMC_PARAM_N, 77);
    give(&p, SMC_PARAM_K, 53);
    give(&p, SMC_PARAM_LDC, 80);
    complete(kernel, &p);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_LDA], 53);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_LDB], 77);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_LDC], 80);
    kernel = start("aat-conflict", &p);
    give(&p, SMC_PARAM_M, 77);
    give(&p, SMC_PARAM_K, 53);
    complete(kernel, &p);
    CU_ASSERT(p.value[SMC_PARAM_LDA] == 53 && p.value[SMC_PARAM_LDC] == 77);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_PAD], 0);
    kernel = start("aat-padded", &p);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_PAD], 1);
    kernel = start("stencil-dynamic", &p);
    give(&p, SMC_PARAM_RADIUS, 1000000);
    complete(kernel, &p);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_DTYPE], SMC_INT32);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_LENGTH], (1 << 20) + 2000000);
    kernel = start("reverse-static", &p);
    give(&p, SMC_PARAM_BLOCK, 96);
    complete(kernel, &p);
    CU_ASSERT_EQUAL(p.value[SMC_PARAM_LENGTH], 96);
}

static void test_refusals(void)
{
    static const struct {
        const char *kernel;
        struct {
            enum smc_param param;
            int64_t value;
        } given[4];
        const char *message;
    } cases[] = {
        {"matmul-tiled", {{SMC_PARAM_TILE, 0}}, "option --tile: '0' is not between 1 and 32"},
        {"matmul-naive", {{SMC_PARAM_TILE, 33}}, "option --tile: '33' is not between 1 and 32"},
        {"matmul-tiled",
         {{SMC_PARAM_RADIUS, 1}},
         "option --radius: matmul-tiled does not accept it"},
        {"matmul-tiled",
         {{SMC_PARAM_DTYPE, SMC_INT32}},
         "option --dtype: 'int32' is not what matmul-tiled computes with: float or double"},
        {"reverse-static",
         {{SMC_PARAM_DTYPE, SMC_FLOAT}},
         "option --dtype: 'float' is not what reverse-static computes with: int32"},
        {"stencil-static",
         {{SMC_PARAM_DTYPE, SMC_DOUBLE}},
         "option --dtype: 'double' is not what stencil-static computes with: float or int32"},
        {"stencil-naive",
         {{SMC_PARAM_DTYPE, SMC_FLOAT}, {SMC_PARAM_RADIUS, 8389}},
         "option --radius: '8389' is too much for float: stencil-naive's sums may have 16779 "
         "inputs of up to 1000, and whole numbers are exact up to 16777216; --dtype int32 accepts "
         "any radius"},
        {"stencil-window",
         {{SMC_PARAM_DTYPE, SMC_FLOAT}, {SMC_PARAM_RADIUS, 4194}, {SMC_PARAM_BLOCK, 288}},
         "option --radius: '4194' is too much for float: stencil-window's sums may have 16778 "
         "inputs of up to 1000, and whole numbers are exact up to 16777216; --dtype int32 accepts "
         "any radius"},
        {"matmul-tiled",
         {{SMC_PARAM_K, 64}, {SMC_PARAM_LDA, 63}},
         "option --lda: '63' is below 64, the columns of A (--k)"},
        {"matmul-tiled",
         {{SMC_PARAM_LDB, 1023}},
         "option --ldb: '1023' is below 1024, the columns of B (--n)"},
        {"matmul-tiled",
         {{SMC_PARAM_LDC, 1023}},
         "option --ldc: '1023' is below 1024, the columns of C (--n)"},
        {"matmul-tiled",
         {{SMC_PARAM_M, 2147483647}, {SMC_PARAM_N, 2147483647}},
         "option --m: '2147483647' rows of 2147483647 elements (C) are more than any memory holds, "
         "2^63 bytes"},
        {"matmul-tiled", {{SMC_PARAM_PAD, 33}}, "option --pad: '33' is not between 0 and 32"},
        {"matmul-naive", {{SMC_PARAM_PAD, 1}}, "option --pad: matmul-naive does not accept it"},
        {"aat-swizzled", {{SMC_PARAM_PAD, 0}}, "option --pad: aat-swizzled does not accept it"},
        {"aat-conflict", {{SMC_PARAM_N, 64}}, "option --n: aat-conflict does not accept it"},
        {"aat-padded",
         {{SMC_PARAM_K, 64}, {SMC_PARAM_LDA, 63}},
         "option --lda: '63' is below 64, the columns of A (--k)"},
        {"aat-naive",
         {{SMC_PARAM_M, 64}, {SMC_PARAM_LDC, 63}},
         "option --ldc: '63' is below 64, the columns of C (--m)"},
        {"aat-swizzled",
         {{SMC_PARAM_M, 2147483647}},
         "option --m: '2147483647' rows of 2147483647 elements (C) are more than any memory holds, "
         "2^63 bytes"},
        {"stencil-dynamic",
         {{SMC_PARAM_RADIUS, 3}, {SMC_PARAM_LENGTH, 6}},
         "option --length: '6' is not above 2 x 3, twice the radius"},
        {"stencil-static",
         {{SMC_PARAM_RADIUS, 0}, {SMC_PARAM_BLOCK, 1}, {SMC_PARAM_LENGTH, 4294967296}},
         "option --length: '4294967296' takes 4294967296 blocks of --block 1, more than the "
         "2147483647 of a grid"},
        {"reverse-dynamic",
         {{SMC_PARAM_LENGTH, 536870912}},
         "option --length: '536870912' is above 536870911, the most elements that a launch can ask "
         "shared memory for"},
        {"matmul-register",
         {{SMC_PARAM_TILE, 32}},
         "option --tile: matmul-register does not accept it"},
        {"matmul-register",
         {{SMC_PARAM_BLOCK_M, 64}},
         "option --block-m: '64' is not a multiple of 128, the rows of a warp: 8 threads of "
         "--thread-m 16"},
        {"matmul-register",
         {{SMC_PARAM_BLOCK_N, 48}},
         "option --block-n: '48' is not a multiple of 32, the columns of a warp: 4 threads of "
         "--thread-n 8"},
        {"matmul-register",
         {{SMC_PARAM_THREAD_M, 6}},
         "option --thread-m: '6' is not a multiple of 4, a load of 16 bytes"},
        {"matmul-register",
         {{SMC_PARAM_THREAD_N, 3}, {SMC_PARAM_DTYPE, SMC_DOUBLE}},
         "option --thread-n: '3' is not a multiple of 2, a load of 16 bytes"},
        {"matmul-register",
         {{SMC_PARAM_BLOCK_K, 7}},
         "option --block-k: '7' is not a multiple of 2, the fragments in turn"},
        {"matmul-register", {{SMC_PARAM_STAGES, 1}}, "option --stages: '1' is not between 2 and 4"},
        {"matmul-register", {{SMC_PARAM_STAGES, 5}}, "option --stages: '5' is not between 0 and 4"},
        {"matmul-register",
         {{SMC_PARAM_THREAD_N, 16}},
         "option --thread-m: 16 x 16 outputs (float) take more than the 255 registers of a thread"},
        {"matmul-register",
         {{SMC_PARAM_THREAD_M, 4}, {SMC_PARAM_THREAD_N, 4}},
         "option --block-m: 128 x 256 outputs, 4 x 4 per thread, take 2048 threads, more than "
         "1024"},
        {"matmul-register",
         {{SMC_PARAM_M, 2147483647}, {SMC_PARAM_N, 1073741823}, {SMC_PARAM_K, 1}},
         "option --m: 2147483647 x 1073741823 outputs take 70368744177664 blocks, more than the "
         "2147483647 of a grid"},
        {"matmul-register",
         {{SMC_PARAM_K, 64}, {SMC_PARAM_LDA, 63}},
         "option --lda: '63' is below 64, the columns of A (--k)"},
        {"residency", {{SMC_PARAM_LIVE, 256}}, "option --live: '256' is not between 0 and 255"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_params p;
        struct smc_error error = {""};
        const struct smc_kernel *kernel = start(cases[i].kernel, &p);
        for (int j = 0; j < 4; j++)
            if (cases[i].given[j].param || cases[i].given[j].value || j == 0)
                give(&p, cases[i].given[j].param, cases[i].given[j].value);
        CU_ASSERT_EQUAL(kernel->complete(kernel, &p, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
    }
}

/* One further, a sum may exceed 2^24; int32 allows more. */
static void test_largest_exact_radius(void)
{
    static const struct {
        const char *kernel;
        int64_t block, radius;
    } cases[] = {
        {"stencil-naive", 256, 8388},   {"stencil-static", 1024, 8388},
        {"stencil-dynamic", 1, 8388},   {"stencil-window", 32, 8388},
        {"stencil-window", 256, 8388},  {"stencil-window", 288, 4193},
        {"stencil-window", 1024, 4193},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_params first, p;
        const struct smc_kernel *kernel = start(cases[i].kernel, &first);
        give(&first, SMC_PARAM_DTYPE, SMC_FLOAT);
        give(&first, SMC_PARAM_BLOCK, cases[i].block);
        give(&first, SMC_PARAM_RADIUS, cases[i].radius);
        p = first;
        CU_ASSERT_EQUAL(kernel->complete(kernel, &p, NULL), SMC_OK);
        p = first;
        p.value[SMC_PARAM_RADIUS]++;
        CU_ASSERT_EQUAL(kernel->complete(kernel, &p, NULL), SMC_USAGE);
        p.value[SMC_PARAM_DTYPE] = SMC_INT32;
        CU_ASSERT_EQUAL(kernel->complete(kernel, &p, NULL), SMC_OK);
    }
}

/* The largest sizes that are accepted give plans without an overflow. */
static void test_largest(void)
{
    struct smc_params p;
    struct smc_plan plan;
    const struct smc_kernel *kernel = start("matmul-tiled", &p);
    give(&p, SMC_PARAM_TILE, 1);
    give(&p, SMC_PARAM_M, 2147483647);
    give(&p, SMC_PARAM_N, 1073741824);
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT_EQUAL(plan.grid[0], 1073741824);
    CU_ASSERT(plan.grid[1] <= 65535 && plan.grid[2] <= 65535);
    CU_ASSERT((uint64_t)plan.grid[1] * plan.grid[2] >= 2147483647);
    CU_ASSERT((uint64_t)plan.grid[1] * plan.grid[2] < UINT32_MAX); /* the kernel's row number */
    CU_ASSERT_EQUAL(plan.buffer[2].elements, 2147483647ull * 1073741824ull);
    kernel = start("stencil-dynamic", &p);
    give(&p, SMC_PARAM_LENGTH, 4294967296);
    give(&p, SMC_PARAM_RADIUS, 1000000);
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT_EQUAL(plan.dynamic_smem_bytes, 4 * (256 + 2000000));
    CU_ASSERT_EQUAL(plan.argument[2].value, 4294967296 - 2000000);
}

static bool covers(uint32_t grid, uint32_t block, uint64_t size)
{
    uint64_t covered = (uint64_t)grid * block;
    return covered >= size && covered - block < size;
}

static void test_matmul_plans(void)
{
    int failures = 0;
    for (int64_t tile = 1; tile <= 32; tile++)
        for (int dtype = SMC_FLOAT; dtype <= SMC_DOUBLE; dtype++) {
            struct smc_params p;
            struct smc_plan plan;
            const struct smc_kernel *kernel = start("matmul-tiled", &p);
            give(&p, SMC_PARAM_TILE, tile);
            give(&p, SMC_PARAM_DTYPE, dtype);
            give(&p, SMC_PARAM_M, 100);
            give(&p, SMC_PARAM_N, 77);
            give(&p, SMC_PARAM_LDC, 80);
            complete(kernel, &p);
            kernel->plan(kernel, &p, &plan);
            failures += plan.threads_per_block != tile * tile;
            failures += plan.block[0] != tile || plan.block[1] != tile || plan.block[2] != 1;
            failures += !covers(plan.grid[0], (uint32_t)tile, 77);
            failures += !covers(plan.grid[1], (uint32_t)tile, 100) || plan.grid[2] != 1;
            failures += plan.grid_blocks != plan.grid[0] * plan.grid[1];
            failures += plan.static_smem_bytes != (uint64_t)(2 * tile * tile) * (dtype ? 8 : 4);
            failures += plan.dynamic_smem_bytes != 0 || plan.output_rows != 100;
            failures += plan.buffer_count != 3 || plan.argument_count != 9;
            failures += plan.buffer[2].elements != 100 * 80 || !plan.buffer[2].output;
            plan_of(smc_kernel_find("matmul-naive"), &p, &plan);
            failures += plan.static_smem_bytes != 0 || plan.threads_per_block != tile * tile;
        }
    CU_ASSERT_EQUAL(failures, 0);
}

/* Shared memory was calculated by hand. */
static void test_aat_plans(void)
{
    static const struct {
        const char *kernel;
        int64_t tile, pad; /* -1: not given */
        uint64_t floats;   /* of shared memory */
    } cases[] = {
        {"aat-naive", 32, -1, 0},
        {"aat-conflict", 32, -1, 2 * 1024},
        {"aat-conflict", 7, -1, 2 * 49},
        {"aat-padded", 32, -1, 1024 + 32 * 33},
        {"aat-padded", 32, 0, 2 * 1024},
        {"aat-padded", 7, 32, 49 + 7 * 39},
        {"aat-swizzled", 32, -1, 2 * 1024},
        {"aat-swizzled", 1, -1, 2},
        {"aat-swizzled", 17, -1, 289 + 17 * 32},
        {"aat-swizzled", 16, -1, 2 * 256},
        {"aat-swizzled", 9, -1, 81 + 9 * 16},
        {"aat-swizzled", 5, -1, 25 + 5 * 8},
        {"matmul-tiled", 31, 3, 2 * 31 * 34},
    };
    int failures = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_params p;
        struct smc_plan plan;
        const struct smc_kernel *kernel = start(cases[i].kernel, &p);
        bool product = strcmp(kernel->family, "aat") != 0;
        give(&p, SMC_PARAM_TILE, cases[i].tile);
        give(&p, SMC_PARAM_DTYPE, i % 2 ? SMC_DOUBLE : SMC_FLOAT);
        give(&p, SMC_PARAM_M, 100);
        give(&p, SMC_PARAM_K, 53);
        give(&p, SMC_PARAM_LDA, 60);
        give(&p, SMC_PARAM_LDC, 1100);
        if (cases[i].pad >= 0)
            give(&p, SMC_PARAM_PAD, cases[i].pad);
        complete(kernel, &p);
        kernel->plan(kernel, &p, &plan);
        failures += plan.static_smem_bytes != cases[i].floats * (i % 2 ? 8 : 4);
        if (product)
            continue;
        failures += !covers(plan.grid[0], (uint32_t)cases[i].tile, 100);
        failures += !covers(plan.grid[1], (uint32_t)cases[i].tile, 100) || plan.grid[2] != 1;
        failures += plan.buffer_count != 2 || plan.argument_count != 6 || plan.output_rows != 100;
        failures += plan.buffer[0].elements != 100 * 60 || plan.buffer[0].output;
        failures += plan.buffer[1].elements != 100 * 1100 || !plan.buffer[1].output;
        const int64_t numbers[] = {100, 53, 60, 1100};
        for (size_t n = 0; n < 4; n++)
            failures += plan.argument[2 + n].value != numbers[n];
    }
    CU_ASSERT_EQUAL(failures, 0);
}

static void test_line_plans(void)
{
    struct smc_params p;
    struct smc_plan plan;
    const struct smc_kernel *kernel = start("stencil-static", &p);
    give(&p, SMC_PARAM_BLOCK, 1024);
    give(&p, SMC_PARAM_RADIUS, 6000);
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT_EQUAL(plan.static_smem_bytes, 0xcb80);
    CU_ASSERT_EQUAL(plan.grid_blocks, 1024);
    CU_ASSERT_EQUAL(plan.buffer[1].elements, 1 << 20);
    plan_of(smc_kernel_find(kernel->sibling), &p, &plan);
    CU_ASSERT_EQUAL(plan.static_smem_bytes, 0);
    CU_ASSERT_EQUAL(plan.dynamic_smem_bytes, 0xcb80);
    CU_ASSERT_EQUAL(plan.argument_count, 4);
    CU_ASSERT_EQUAL(plan.argument[3].value, 6000);

    kernel = start("reverse-static", &p);
    give(&p, SMC_PARAM_LENGTH, 1000);
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT(plan.static_smem_bytes == 4000 && plan.grid_blocks == 1);
    plan_of(smc_kernel_find(kernel->sibling), &p, &plan);
    CU_ASSERT(plan.dynamic_smem_bytes == 4000 && plan.static_smem_bytes == 0);

    kernel = start("residency", &p);
    give(&p, SMC_PARAM_STATIC_BYTES, 1001);
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT(plan.static_smem_bytes == 1001 && plan.threads_per_block == 256);
}

/* The bins are spread over the blocks of a cluster, of which the grid has whole ones. */
static void test_histogram_plans(void)
{
    static const struct {
        uint32_t cluster;
        int64_t length;
        uint64_t smem_bytes, blocks, histograms;
    } cases[] = {
        {0, 64 * 256 * 8, 8192, 8, 1}, /* the kernel's own: 8 */
        {1, 64 * 256 * 8, 65536, 8, 8},
        {4, 64 * 256 * 8 + 1, 16384, 12, 3},
        {16, 1, 4096, 16, 1},
    };
    struct smc_params p;
    struct smc_plan plan;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_kernel *kernel = start("histogram-cluster", &p);
        give(&p, SMC_PARAM_LENGTH, cases[i].length);
        p.blocks_per_cluster = cases[i].cluster;
        complete(kernel, &p);
        kernel->plan(kernel, &p, &plan);
        CU_ASSERT_EQUAL(plan.dynamic_smem_bytes, cases[i].smem_bytes);
        CU_ASSERT_EQUAL(plan.grid_blocks, cases[i].blocks);
        CU_ASSERT_EQUAL(plan.output_rows, cases[i].histograms);
        CU_ASSERT_EQUAL(plan.buffer[2].elements, cases[i].histograms * 128 * 128);
    }
    const struct smc_kernel *kernel = start("histogram-block", &p);
    p.blocks_per_cluster = 4; /* of the launch, which its bins do not depend on */
    complete(kernel, &p);
    kernel->plan(kernel, &p, &plan);
    CU_ASSERT(plan.dynamic_smem_bytes == 65536 && plan.grid_blocks == 256);
    CU_ASSERT_EQUAL(p.blocks_per_cluster, 4);
}

static void check_histogram_refusal(int64_t bins, uint32_t cluster, const char *message)
{
    struct smc_params p;
    struct smc_error error = {""};
    const struct smc_kernel *kernel = start("histogram-cluster", &p);
    give(&p, SMC_PARAM_BINS, bins);
    p.blocks_per_cluster = cluster;
    CU_ASSERT_EQUAL(kernel->complete(kernel, &p, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, message);
}

static void test_histogram_refusals(void)
{
    check_histogram_refusal(12, 0, "option --bins: '12' is not a power of two");
    check_histogram_refusal(128, 3,
                            "option --cluster: '3' is not a power of two up to 16384, the bins "
                            "that histogram-cluster spreads over a cluster");
    check_histogram_refusal(2, 8,
                            "option --cluster: '8' is not a power of two up to 4, the bins that "
                            "histogram-cluster spreads over a cluster");
}

/* Counts the loads of matmul-tiled thread by thread. */
static double count_tiled_loads(int m, int n, int k, int tile)
{
    double loads = 0;
    for (int block_row = 0; block_row < m; block_row += tile)
        for (int block_column = 0; block_column < n; block_column += tile)
            for (int step = 0; step < k; step += tile)
                for (int y = 0; y < tile; y++)
                    for (int x = 0; x < tile; x++) {
                        loads += block_row + y < m && step + x < k;
                        loads += block_column + x < n && step + y < k;
                    }
    return loads;
}

static void test_matmul_work(void)
{
    static const int sizes[][4] = {{1, 1, 1, 1}, {5, 7, 3, 2}, {8, 4, 12, 4}, {33, 31, 40, 32}};
    int failures = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int m = sizes[i][0], n = sizes[i][1], k = sizes[i][2], tile = sizes[i][3];
        struct smc_params p;
        struct smc_work work;
        const struct smc_kernel *kernel = start("matmul-tiled", &p);
        give(&p, SMC_PARAM_M, m);
        give(&p, SMC_PARAM_N, n);
        give(&p, SMC_PARAM_K, k);
        give(&p, SMC_PARAM_TILE, tile);
        give(&p, SMC_PARAM_DTYPE, SMC_DOUBLE);
        complete(kernel, &p);
        kernel->work(kernel, &p, &work);
        failures += work.flops != 2 * m * n * k || work.access_count != 3;
        failures += work.global_load_bytes != 8 * count_tiled_loads(m, n, k, tile);
        failures += work.global_store_bytes != 8 * m * n;
        failures += work.untiled_load_bytes != 8 * count_tiled_loads(m, n, k, 1);
        failures += work.minimum_bytes != 8 * (m * k + k * n + m * n);
        work_of(smc_kernel_find("matmul-naive"), &p, &work);
        failures += work.global_load_bytes != 8 * count_tiled_loads(m, n, k, 1);
        work_of(smc_kernel_find("aat-padded"), &p, &work); /* the same loads, of one array */
        failures += work.flops != 2 * m * m * k || work.access_count != 2;
        failures += work.global_load_bytes != 8 * count_tiled_loads(m, m, k, tile);
        failures += work.untiled_load_bytes != 8 * count_tiled_loads(m, m, k, 1);
        failures += work.minimum_bytes != 8 * (m * k + m * m);
        work_of(smc_kernel_find("aat-naive"), &p, &work);
        failures += work.global_load_bytes != 8 * count_tiled_loads(m, m, k, 1);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

static void test_line_work(void)
{
    static const int sizes[][3] = {{4, 1, 10}, {4, 9, 30}, {7, 0, 21}, {32, 2, 5}};
    int failures = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int block = sizes[i][0], radius = sizes[i][1], length = sizes[i][2];
        const int outputs = length - 2 * radius;
        struct smc_params p;
        struct smc_work work;
        const struct smc_kernel *kernel = start("stencil-static", &p);
        give(&p, SMC_PARAM_BLOCK, block);
        give(&p, SMC_PARAM_RADIUS, radius);
        give(&p, SMC_PARAM_LENGTH, length);
        complete(kernel, &p);
        kernel->work(kernel, &p, &work);
        int loads = 0, untiled = 0, additions = 0;
        for (int first = 0; first < outputs; first += block)
            for (int j = first; j < first + block + 2 * radius; j++)
                loads += j < length;
        for (int j = 0; j < outputs; j++) {
            untiled += 2 * radius + 1;
            additions += 2 * radius;
        }
        failures += work.global_load_bytes != 4 * loads || work.flops != additions;
        failures += work.untiled_load_bytes != 4 * untiled;
        failures += work.global_store_bytes != 4 * outputs;
        failures += work.minimum_bytes != 4 * (length + outputs);
    }
    CU_ASSERT_EQUAL(failures, 0);
    struct smc_params p;
    struct smc_work work;
    const struct smc_kernel *kernel = start("reverse-dynamic", &p);
    complete(kernel, &p);
    kernel->work(kernel, &p, &work);
    CU_ASSERT(work.flops == 0 && work.global_load_bytes == 1024 && work.minimum_bytes == 2048);
}

static void check_defines_of(const struct smc_kernel *kernel, struct smc_params *params,
                             const char *expected)
{
    struct smc_text options = {0};
    complete(kernel, params);
    kernel->defines(kernel, params, &options);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&options), expected);
    smc_text_free(&options);
}

static void check_defines(const char *name, const char *expected)
{
    struct smc_params p;
    check_defines_of(start(name, &p), &p, expected);
}

static void check_float_defines(const char *name, const char *expected)
{
    struct smc_params p;
    const struct smc_kernel *kernel = start(name, &p);
    give(&p, SMC_PARAM_DTYPE, SMC_FLOAT);
    check_defines_of(kernel, &p, expected);
}

static void test_defines(void)
{
    check_defines("matmul-naive", "-DTILE=32\n-DELEMENT=float\n");
    check_defines("matmul-tiled", "-DTILE=32\n-DELEMENT=float\n-DPAD=0\n");
    check_defines("matmul-a-tile", "-DTILE=32\n-DELEMENT=float\n-DPAD=0\n");
    check_defines("matmul-async", "-DTILE=32\n-DELEMENT=float\n-DPAD=0\n");
    check_defines("matmul-register", "-DBM=128\n-DBN=256\n-DBK=16\n-DTM=16\n-DTN=8\n-DSTAGES=3\n"
                                     "-DELEMENT=float\n");
    check_defines("aat-naive", "-DTILE=32\n-DELEMENT=float\n");
    check_defines("aat-conflict", "-DTILE=32\n-DELEMENT=float\n");
    check_defines("aat-padded", "-DTILE=32\n-DELEMENT=float\n-DPAD=1\n");
    check_defines("aat-swizzled", "-DTILE=32\n-DELEMENT=float\n");
    check_defines("stencil-naive", "-DELEMENT=int\n");
    check_defines("stencil-static", "-DBLOCK=256\n-DRADIUS=3\n-DELEMENT=int\n");
    check_defines("stencil-dynamic", "-DELEMENT=int\n");
    check_defines("stencil-window", "-DBLOCK=256\n-DELEMENT=unsigned\n");
    check_float_defines("stencil-naive", "-DELEMENT=float\n");
    check_float_defines("stencil-static", "-DBLOCK=256\n-DRADIUS=3\n-DELEMENT=float\n");
    check_float_defines("stencil-window", "-DBLOCK=256\n-DELEMENT=float\n");
    check_defines("reverse-static", "-DBLOCK=256\n-DLENGTH=256\n");
    check_defines("reverse-dynamic", "");
    check_defines("histogram-cluster", "-DBINS=128\n-DBLOCK=256\n");
    check_defines("residency", "-DLIVE=32\n-DSTATIC_BYTES=0\n--maxrregcount=42\n");

    static const int64_t caps[][2] = {{0, 24}, {14, 24}, {15, 25}, {245, 255}, {255, 255}};
    for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
        struct smc_params p;
        struct smc_text options = {0};
        char expected[32];
        const struct smc_kernel *kernel = start("residency", &p);
        give(&p, SMC_PARAM_LIVE, caps[i][0]);
        kernel->defines(kernel, &p, &options);
        snprintf(expected, sizeof expected, "--maxrregcount=%d\n", (int)caps[i][1]);
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&options), expected));
        smc_text_free(&options);
    }
}

static void test_dtypes(void)
{
    enum smc_dtype dtype = SMC_FLOAT;
    CU_ASSERT(smc_dtype_parse("double", &dtype) && dtype == SMC_DOUBLE);
    CU_ASSERT(smc_dtype_parse("Int32", &dtype) && dtype == SMC_INT32);
    CU_ASSERT(!smc_dtype_parse("half", &dtype) && dtype == SMC_INT32);
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        CU_ASSERT(smc_dtype_parse(smc_dtype_name((enum smc_dtype)i), &dtype) && (int)dtype == i);
    CU_ASSERT(smc_dtype_bytes(SMC_FLOAT) == 4 && smc_dtype_bytes(SMC_DOUBLE) == 8);

    /* Poison is never a result: it is not a number, or it is above the largest sum. */
    float f;
    double d;
    int32_t n;
    memset(&f, smc_dtype_poison(SMC_FLOAT), sizeof f);
    memset(&d, smc_dtype_poison(SMC_DOUBLE), sizeof d);
    memset(&n, smc_dtype_poison(SMC_INT32), sizeof n);
    CU_ASSERT(isnan(f) && isnan(d));
    int64_t largest = (2 * smc_param_info[SMC_PARAM_RADIUS].highest + 1) * 1000;
    CU_ASSERT(largest <= INT32_MAX);
    CU_ASSERT(n < -largest || n > largest);
}

enum { RANDOM = 100000 };

static void fill(const char *name, enum smc_dtype dtype, uint64_t elements, uint64_t seed,
                 void *values)
{
    const struct smc_buffer buffer = {.name = name, .dtype = dtype, .elements = elements};
    smc_fill_random(&buffer, seed, values);
}

static void test_random(void)
{
    static float f[RANDOM], again[RANDOM], part[1000];
    static double d[RANDOM];
    static int32_t n[RANDOM];
    fill("A", SMC_FLOAT, RANDOM, 1, f);
    fill("A", SMC_FLOAT, RANDOM, 1, again);
    fill("A", SMC_FLOAT, 1000, 1, part);
    fill("A", SMC_DOUBLE, RANDOM, 1, d);
    fill("A", SMC_INT32, RANDOM, 1, n);
    CU_ASSERT(memcmp(f, again, sizeof f) == 0 && memcmp(f, part, sizeof part) == 0);

    double sum_f = 0, sum_d = 0, squares_f = 0, squares_d = 0;
    int outside = 0, ends = 0;
    int64_t sum_n = 0;
    for (int i = 0; i < RANDOM; i++) {
        outside += !(f[i] >= -1 && f[i] < 1) + !(d[i] >= -1 && d[i] < 1);
        outside += n[i] < -1000 || n[i] > 1000;
        ends |= (n[i] == -1000) | (n[i] == 1000) << 1;
        sum_f += f[i], sum_d += d[i], sum_n += n[i];
        squares_f += f[i] * f[i], squares_d += d[i] * d[i];
    }
    CU_ASSERT_EQUAL(outside, 0);
    CU_ASSERT_EQUAL(ends, 3);
    CU_ASSERT_DOUBLE_EQUAL(sum_f / RANDOM, 0, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(sum_d / RANDOM, 0, 0.01);
    CU_ASSERT_DOUBLE_EQUAL((double)sum_n / RANDOM, 0, 10);
    CU_ASSERT_DOUBLE_EQUAL(squares_f / RANDOM, 1.0 / 3, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(squares_d / RANDOM, 1.0 / 3, 0.01);

    /* Whole floats equal the integers. */
    const struct smc_buffer whole = {
        .name = "A", .dtype = SMC_FLOAT, .elements = RANDOM, .whole = true};
    int unlike = 0;
    smc_fill_random(&whole, 1, again);
    for (int i = 0; i < RANDOM; i++)
        unlike += again[i] != (float)n[i];
    CU_ASSERT_EQUAL(unlike, 0);

    /* Another seed, or another buffer, gives other values. */
    fill("A", SMC_FLOAT, RANDOM, 2, again);
    int same = 0;
    for (int i = 0; i < RANDOM; i++)
        same += f[i] == again[i];
    fill("B", SMC_FLOAT, RANDOM, 1, again);
    for (int i = 0; i < RANDOM; i++)
        same += f[i] == again[i];
    CU_ASSERT(same < 10);
}

CU_TestInfo tests_catalog[] = {
    {"every kernel is found and has a text", test_kernels},
    {"the built-in texts are the files", test_texts},
    {"what is not given is derived", test_defaults},
    {"values that do not go together are refused", test_refusals},
    {"a radius at which float rounds is refused", test_largest_exact_radius},
    {"the largest sizes do not overflow", test_largest},
    {"plans of matmul cover C for every tile", test_matmul_plans},
    {"plans of A A^T and of padded tiles", test_aat_plans},
    {"plans of stencil, reverse and the probe", test_line_plans},
    {"plans of histograms", test_histogram_plans},
    {"histograms: bins and clusters that are refused", test_histogram_refusals},
    {"work of matmul and A A^T, counted by loops", test_matmul_work},
    {"work of stencil and reverse, counted by loops", test_line_work},
    {"defines hold what the code depends on", test_defines},
    {"element types and their poison", test_dtypes},
    {"random inputs stay in range and repeat", test_random},
    CU_TEST_INFO_NULL,
};
