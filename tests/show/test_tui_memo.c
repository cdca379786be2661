/* tui/memo: a result is found only for exactly its kernel, parameters and architecture. */
#include "show/tui/memo.h"

#include <stdlib.h>

#include "tui_support.h"
#include "unit.h"

static void set(struct smc_query *query, enum smc_param param, int64_t value)
{
    query->params.value[param] = value;
    query->params.given |= 1u << param;
}

static struct smc_resources number(uint32_t n)
{
    return (struct smc_resources){.source = SMC_RESOURCES_NVRTC, .regs_per_thread = n};
}

static uint32_t found(const struct smc_memo *memo, const struct smc_query *query)
{
    const struct smc_resources *resources = smc_memo_find(memo, query);
    return resources ? resources->regs_per_thread : 0;
}

static void test_exact(void)
{
    struct smc_memo memo = {0};
    struct smc_query query, other;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    CU_ASSERT_EQUAL(query.kernel->complete(query.kernel, &query.params, NULL), SMC_OK);
    CU_ASSERT_EQUAL(found(&memo, &query), 0);
    struct smc_resources one = number(1), two = number(2);
    smc_memo_keep(&memo, &query, &one);
    CU_ASSERT_EQUAL(found(&memo, &query), 1);
    smc_memo_keep(&memo, &query, &two); /* the first counts */
    CU_ASSERT_EQUAL(found(&memo, &query), 1);

    other = query; /* sizes are not part of the compiled kernel */
    set(&other, SMC_PARAM_M, 77);
    CU_ASSERT_EQUAL(found(&memo, &other), 1);
    other = query;
    set(&other, SMC_PARAM_TILE, 31);
    CU_ASSERT_EQUAL(found(&memo, &other), 0);
    other = query;
    set(&other, SMC_PARAM_DTYPE, SMC_DOUBLE);
    CU_ASSERT_EQUAL(found(&memo, &other), 0);
    other = query;
    other.kernel = smc_kernel_find("matmul-naive");
    CU_ASSERT_EQUAL(found(&memo, &other), 0);
    other = query;
    test_device(4, &other.device);
    CU_ASSERT_EQUAL(found(&memo, &other), 0);
    other = query; /* another board of the architecture */
    other.device.sm_count = 1;
    CU_ASSERT_EQUAL(found(&memo, &other), 1);
    other.kernel = NULL;
    smc_memo_keep(&memo, &other, &two);
    CU_ASSERT_EQUAL(found(&memo, &other), 0);
    smc_memo_forget(&memo);
    CU_ASSERT_EQUAL(found(&memo, &query), 0);
}

/* As many as a long session has. */
static void test_many(void)
{
    enum { RADII = 1500 };
    struct smc_memo memo = {0};
    struct smc_query query;
    size_t failures = 0;
    test_query(smc_kernel_find("stencil-static"), 3, &query);
    for (int64_t radius = 1; radius <= RADII; radius++) {
        struct smc_resources resources = number((uint32_t)radius);
        set(&query, SMC_PARAM_RADIUS, radius);
        smc_memo_keep(&memo, &query, &resources);
    }
    for (int64_t radius = RADII; radius > 0; radius--) {
        set(&query, SMC_PARAM_RADIUS, radius);
        failures += found(&memo, &query) != (uint32_t)radius;
    }
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT_EQUAL(memo.count, RADII);
    smc_memo_forget(&memo);
}

CU_TestInfo tests_tui_memo[] = {
    {"exactly what was asked for", test_exact},
    {"many", test_many},
    CU_TEST_INFO_NULL,
};
