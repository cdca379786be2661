/* Every kernel of the catalog, run and confirmed: results, resources, occupancy. */
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

static void test_matmul_tiled(void)
{
    static const int tiles[] = {1, 7, 8, 16, 31, 32};
    static const char *const dtypes[] = {"float", "double"};
    static const char *const strides[] = {"", " lda=600 ldb=1000 ldc=801"};
    unsigned failed = 0;
    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++)
        for (size_t d = 0; d < 2; d++)
            for (size_t s = 0; s < 2; s++) {
                char text[160];
                snprintf(text, sizeof text, "matmul-tiled tile=%d dtype=%s m=1000 n=777 k=513%s",
                         tiles[t], dtypes[d], strides[s]);
                failed += !gpu_case_holds(text, SMC_LAUNCHES);
            }
    CU_ASSERT_EQUAL(failed, 0);
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
        "stencil-static radius=1",
        "stencil-static radius=3",
        "stencil-static radius=64 block=128 length=100003",
        "stencil-static radius=5 block=1000 length=1000003",
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

CU_TestInfo gpu_tests_kernels[] = {
    {"matmul-tiled: tiles, types, leading dimensions", test_matmul_tiled},
    {"matmul: edges and the naive kernel", test_matmul_edges},
    {"stencils", test_stencils},
    {"reversing an array", test_reverses},
    {"carve-outs", test_settings},
    CU_TEST_INFO_NULL,
};
