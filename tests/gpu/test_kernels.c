/* Runs and confirms every kernel of the catalog: results, resources, occupancy. */
#include <stdio.h>

#include "gpu_tests.h"

static void all_hold(const char *const *cases, size_t count)
{
    unsigned failed = 0;
    for (size_t i = 0; i < count; i++)
        failed += !gpu_case_holds(cases[i], SMC_LAUNCHES);
    CU_ASSERT_EQUAL(failed, 0);
}

#define ALL_HOLD(cases) all_hold(cases, sizeof(cases) / sizeof *(cases))

/* "KERNEL tile=8 dtype=double REST" for tiles of every kind, and both types. */
static void tiles_hold(const char *kernel, const char *rest)
{
    static const int tiles[] = {1, 7, 8, 16, 31, 32};
    static const char *const dtypes[] = {"float", "double"};
    unsigned failed = 0;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        for (size_t d = 0; d < 2; d++) {
            char text[160];
            snprintf(text, sizeof text, "%s tile=%d dtype=%s %s", kernel, tiles[t], dtypes[d],
                     rest);
            failed += !gpu_case_holds(text, SMC_LAUNCHES);
        }
    CU_ASSERT_EQUAL(failed, 0);
}

static void test_matmul_tiled(void)
{
    tiles_hold("matmul-tiled", "m=1000 n=777 k=513");
    tiles_hold("matmul-tiled", "m=1000 n=777 k=513 pad=1");
    tiles_hold("matmul-tiled", "m=1000 n=777 k=513 pad=4 lda=600 ldb=1000 ldc=801");
}

static void test_matmul_edges(void)
{
    static const char *const cases[] = {
        "matmul-naive m=1000 n=777 k=513",
        "matmul-naive m=1000 n=777 k=513 dtype=double lda=600 ldb=1000 ldc=801",
        "matmul-tiled tile=32 m=1 n=1 k=1",
        "matmul-tiled tile=16 m=1 n=1000 k=7",
        "matmul-tiled tile=31 m=65 n=3 k=1000",
        "matmul-tiled tile=8 m=64 n=64 k=64",
    };
    ALL_HOLD(cases);
}

static void test_matmul_others(void)
{
    tiles_hold("matmul-async", "m=1000 n=777 k=513");
    tiles_hold("matmul-a-tile", "m=1000 n=777 k=513 pad=4 lda=600 ldb=1000 ldc=801");
}

/* Whole blocks, one less and one more; rows that begin at multiples of 16 bytes and that do not. */
static void test_matmul_register(void)
{
    static const char *const cases[] = {
        "matmul-register m=1024 n=1024 k=512",
        "matmul-register m=1024 n=1024 k=512 dtype=double",
        "matmul-register m=1 n=1 k=1",
        "matmul-register m=127 n=257 k=17",
        "matmul-register m=129 n=255 k=15 dtype=double",
        "matmul-register m=1000 n=777 k=513 lda=600 ldb=1000 ldc=801",
        "matmul-register m=1000 n=776 k=513 lda=601 ldb=1001 ldc=800 dtype=double",
        "matmul-register m=1000 n=777 k=513 block-m=64 block-n=64 block-k=8 thread-m=8 thread-n=8",
        "matmul-register m=1000 n=777 k=513 block-m=32 block-n=16 block-k=2 thread-m=4 thread-n=4",
        "matmul-register m=500 n=500 k=500 stages=2",
        "matmul-register m=500 n=500 k=500 stages=4",
    };
    ALL_HOLD(cases);
}

static void test_aat(void)
{
    static const char *const kernels[] = {"aat-naive", "aat-conflict", "aat-padded",
                                          "aat-swizzled"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        tiles_hold(kernels[i], "m=1000 k=513 lda=600 ldc=1001");
}

static void test_aat_edges(void)
{
    static const char *const cases[] = {
        "aat-naive tile=32 m=1 k=1",
        "aat-conflict tile=32 m=1 k=1000",
        "aat-conflict tile=16 m=33 k=7",
        "aat-padded tile=16 m=1000 k=1 pad=2",
        "aat-padded tile=31 m=65 k=1000 pad=0",
        "aat-padded tile=32 m=64 k=64 pad=32 dtype=double",
        "aat-swizzled tile=3 m=50 k=50",
        "aat-swizzled tile=17 m=1009 k=31 dtype=double",
        "aat-swizzled tile=32 m=31 k=33",
    };
    ALL_HOLD(cases);
}

static void test_stencils(void)
{
    static const char *const cases[] = {
        "stencil-dynamic radius=0",
        "stencil-dynamic radius=1",
        "stencil-dynamic radius=5",
        "stencil-dynamic radius=1025",
        "stencil-dynamic radius=6000",
        "stencil-dynamic radius=5 block=96 length=100003",
        "stencil-dynamic radius=1025 block=1000 length=100003",
        "stencil-naive radius=0",
        "stencil-naive radius=100 block=1000 length=100003",
        "stencil-window radius=0",
        "stencil-window radius=1 length=3",
        "stencil-window radius=1025",
        "stencil-window radius=6000 block=512",
        "stencil-window radius=77 block=32 length=100003",
        "stencil-window radius=1026 block=992 length=1000003",
        "stencil-static radius=1",
        "stencil-static radius=3",
        "stencil-static radius=64 block=128 length=100003",
        "stencil-static radius=5 block=1000 length=1000003",
        "stencil-naive dtype=float radius=100 block=1000 length=100003",
        "stencil-static dtype=float radius=64 block=128 length=100003",
        "stencil-dynamic dtype=float radius=0",
        "stencil-dynamic dtype=float radius=8388",
        "stencil-dynamic dtype=float radius=5 block=96 length=100003",
        "stencil-window dtype=float radius=0",
        "stencil-window dtype=float radius=8388",
        "stencil-window dtype=float radius=4193 block=512 length=1000003",
        "stencil-window dtype=float radius=77 block=32 length=100003",
        "stencil-window dtype=float radius=1026 block=992 length=1000003",
    };
    ALL_HOLD(cases);
}

static void test_reverses(void)
{
    static const char *const cases[] = {
        "reverse-static",  "reverse-static block=1",  "reverse-static block=77",
        "reverse-dynamic", "reverse-dynamic block=1", "reverse-dynamic block=1024",
    };
    ALL_HOLD(cases);
}

static void test_settings(void)
{
    static const char *const cases[] = {
        "matmul-tiled tile=16 carveout=0",
        "matmul-tiled tile=16 carveout=50",
        "matmul-tiled tile=16 carveout=100",
        "stencil-dynamic radius=1025 carveout=25",
    };
    ALL_HOLD(cases);
}

/* With a driver, NVRTC has a cache of its own, and has no log for what comes from it. */
static void test_compiled_twice(void)
{
    const struct smc_compile_options options = {.no_cache = true};
    const struct smc_kernel *kernel = smc_kernel_find("matmul-tiled");
    struct smc_params params;
    struct smc_resources first = {0}, second = {0};
    struct smc_error error = {""};
    smc_params_init(kernel, &params);
    params.value[SMC_PARAM_TILE] = 13;
    CU_ASSERT_EQUAL(kernel->complete(kernel, &params, &error), SMC_OK);
    uint16_t cc = gpu_device()->sm.cc;
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){kernel, &params, cc, &options},
                                &first, NULL, NULL, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){kernel, &params, cc, &options},
                                &second, NULL, NULL, &error),
                    SMC_OK);
    CU_ASSERT(first.source == SMC_RESOURCES_NVRTC && second.source == SMC_RESOURCES_NVRTC);
    CU_ASSERT_EQUAL(first.regs_per_thread, second.regs_per_thread);
    CU_ASSERT_STRING_EQUAL(error.message, "");
}

CU_TestInfo gpu_tests_kernels[] = {
    {"the same kernel compiled twice", test_compiled_twice},
    {"matmul-tiled: tiles, types, padding, leading dimensions", test_matmul_tiled},
    {"matmul: edges and the naive kernel", test_matmul_edges},
    {"matmul: cp.async, and A's tile alone", test_matmul_others},
    {"matmul-register: shapes, edges, leading dimensions", test_matmul_register},
    {"A A^T: tiles, types, leading dimensions", test_aat},
    {"A A^T: edges", test_aat_edges},
    {"stencils", test_stencils},
    {"reversing an array", test_reverses},
    {"carve-outs", test_settings},
    CU_TEST_INFO_NULL,
};
