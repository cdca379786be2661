/* The sets of parameters that are confirmed on GPUs: enough of them, valid, distinct, and including
   the awkward sizes. */
#include <string.h>

#include "catalog_sets.h"
#include "rules/devices.h"
#include "unit.h"

static struct catalog_sets sets;

static void make(const struct smc_kernel *kernel)
{
    struct smc_capability capability;
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    catalog_sets_make(kernel, &capability.sm, &sets);
}

static bool takes(const struct smc_kernel *kernel, enum smc_param param)
{
    return kernel->params >> param & 1;
}

/* How many sets have this value; how many have a value below that of another parameter. */
static size_t with(enum smc_param param, int64_t value)
{
    size_t count = 0;
    for (size_t i = 0; i < sets.count; i++)
        count += sets.set[i].value[param] == value;
    return count;
}

static size_t below(enum smc_param param, enum smc_param other)
{
    size_t count = 0;
    for (size_t i = 0; i < sets.count; i++)
        count += sets.set[i].value[param] < sets.set[i].value[other];
    return count;
}

static void check_sets(const struct smc_kernel *kernel)
{
    CU_ASSERT(sets.count - sets.without_room >= 300);
    CU_ASSERT(sets.without_room * 8 <= sets.count);
    size_t repeated = 0;
    for (size_t i = 0; i < sets.count; i++) {
        struct smc_params again = sets.set[i];
        CU_ASSERT_EQUAL(kernel->complete(kernel, &again, NULL), SMC_OK);
        CU_ASSERT_EQUAL(memcmp(again.value, sets.set[i].value, sizeof again.value), 0);
        for (size_t k = 0; k < i; k++)
            repeated += memcmp(sets.set[k].value, sets.set[i].value, sizeof again.value) == 0;
    }
    CU_ASSERT_EQUAL(repeated, 0);
}

static void check_matrices(const struct smc_kernel *kernel)
{
    for (enum smc_param size = SMC_PARAM_M; size <= SMC_PARAM_K; size++) {
        CU_ASSERT(!takes(kernel, size) || with(size, 1) >= CATALOG_VARIANTS);
        CU_ASSERT(!takes(kernel, size) || with(size, 200) >= CATALOG_VARIANTS);
    }
    CU_ASSERT(below(SMC_PARAM_K, SMC_PARAM_LDA) >= 2 * CATALOG_VARIANTS);
    CU_ASSERT(with(SMC_PARAM_M, 97) >= CATALOG_VARIANTS);
    CU_ASSERT(with(SMC_PARAM_DTYPE, SMC_FLOAT) > 100 && with(SMC_PARAM_DTYPE, SMC_DOUBLE) > 100);
    if (takes(kernel, SMC_PARAM_TILE)) {
        CU_ASSERT(with(SMC_PARAM_TILE, 1) && with(SMC_PARAM_TILE, 32));
        CU_ASSERT(below(SMC_PARAM_M, SMC_PARAM_TILE) >= CATALOG_VARIANTS);
    }
}

/* Windows: only the middle, wider than the block, wider than all outputs together. */
static void check_radii(void)
{
    size_t above_block = below(SMC_PARAM_BLOCK, SMC_PARAM_RADIUS), above_array = 0;
    for (size_t i = 0; i < sets.count; i++) {
        const int64_t *value = sets.set[i].value;
        above_array += value[SMC_PARAM_LENGTH] < 3 * value[SMC_PARAM_RADIUS];
    }
    CU_ASSERT(with(SMC_PARAM_RADIUS, 0) >= CATALOG_SIZES);
    CU_ASSERT(above_block > CATALOG_SIZES && above_array > CATALOG_SIZES);
}

static void test_every_kernel(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        if (kernel->is_probe)
            continue;
        make(kernel);
        check_sets(kernel);
        if (takes(kernel, SMC_PARAM_M))
            check_matrices(kernel);
        if (takes(kernel, SMC_PARAM_RADIUS))
            check_radii();
        if (takes(kernel, SMC_PARAM_LENGTH) && !takes(kernel, SMC_PARAM_RADIUS))
            CU_ASSERT(below(SMC_PARAM_LENGTH, SMC_PARAM_BLOCK) >= CATALOG_VARIANTS);
    }
}

static void test_compiled(void)
{
    static const struct {
        const char *kernel;
        size_t least, most;
    } expected[] = {
        {"matmul-tiled", 25, CATALOG_VARIANTS},
        {"matmul-register", 25, CATALOG_VARIANTS},
        {"stencil-naive", 2, 2}, /* types */
        {"stencil-static", 25, CATALOG_VARIANTS},
        {"reverse-static", 300, CATALOG_SETS},
    };
    static const struct smc_params *compiled[CATALOG_SETS];
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        make(smc_kernel_find(expected[i].kernel));
        size_t count = catalog_sets_compiled(&sets, compiled);
        CU_ASSERT(count >= expected[i].least && count <= expected[i].most);
        CU_ASSERT_PTR_EQUAL(compiled[0], &sets.set[0]);
    }
}

/* The same sets on every run. */
static void test_repeatable(void)
{
    static struct catalog_sets before;
    make(smc_kernel_find("matmul-register"));
    before = sets;
    make(smc_kernel_find("stencil-window"));
    make(smc_kernel_find("matmul-register"));
    CU_ASSERT_EQUAL(before.count, sets.count);
    for (size_t i = 0; i < sets.count; i++)
        CU_ASSERT_EQUAL(memcmp(before.set[i].value, sets.set[i].value, sizeof sets.set[i].value),
                        0);
}

CU_TestInfo tests_catalog_sets[] = {
    {"every kernel has enough, valid, distinct, awkward", test_every_kernel},
    {"what is compiled", test_compiled},
    {"the same every time", test_repeatable},
    CU_TEST_INFO_NULL,
};
