/* model: carve-outs against the model at every percentage, and the documented sizes. */
#include <stdlib.h>
#include <string.h>

#include "rules/allocation.h"
#include "rules/devices.h"
#include "rules/headroom.h"
#include "rules/occupancy.h"
#include "unit.h"

static struct smc_launch random_launch(const struct smc_sm *sm)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    launch.threads_per_block = 32 + (uint32_t)rand() % 480;
    launch.regs_per_thread = 8 + (uint32_t)rand() % 50;
    launch.dynamic_smem_bytes = (uint32_t)rand() % sm->smem_per_block_optin_bytes;
    if (rand() % 2)
        launch.dynamic_smem_bytes /= 16;
    return launch;
}

/* Every percentage belongs to exactly one size, with the blocks that the model counts there; no
   smaller percentage keeps as many blocks as the smallest size that is named. */
static void test_every_percentage(void)
{
    unsigned wrong = 0, seen = 0;
    srand(4);
    for (int round = 0; round < 1000; round++) {
        struct smc_capability capability;
        smc_capability_at((size_t)rand() % smc_capability_count(), &capability);
        const struct smc_sm *sm = &capability.sm;
        if (sm->cc < 70)
            continue;
        struct smc_launch launch = random_launch(sm);
        struct smc_carveouts carveouts;
        smc_carveouts_find(sm, &launch, &carveouts);
        wrong += !carveouts.by_percent;
        int32_t first[65];
        memset(first, -1, sizeof first);
        for (int32_t percent = 0; percent <= 100; percent++) {
            struct smc_occupancy occupancy;
            launch.carveout_percent = percent;
            smc_occupancy_compute(sm, &launch, &occupancy);
            unsigned holders = 0;
            for (uint32_t i = 0; i < carveouts.count; i++) {
                const struct smc_carveout *size = &carveouts.size[i];
                if (percent < size->percent_from || percent > size->percent_to)
                    continue;
                holders++;
                wrong += size->blocks_per_sm != occupancy.blocks_per_sm;
                wrong += size->configured_bytes != occupancy.smem_configured_bytes;
                wrong += size->smem_bytes * 100.0 < (double)percent * sm->smem_per_sm_bytes - 100;
                wrong += size->l1_bytes + size->smem_bytes != sm->l1_smem_unified_bytes;
            }
            wrong += holders != 1;
            for (uint32_t n = 0; n <= occupancy.blocks_per_sm; n++)
                if (first[n] < 0)
                    first[n] = percent;
            seen++;
        }
        for (uint32_t n = 1; n <= 64; n++) {
            const struct smc_carveout *least = smc_carveouts_smallest(&carveouts, n);
            wrong += least ? least->percent_from != first[n] : first[n] >= 0;
            wrong += (least != NULL) != (n <= carveouts.most_blocks);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(seen > 20000);
}

/* The CUDA C Programming Guide's description of the four preferences on each architecture. */
static void test_preferences(void)
{
    enum { K = 1024 };
    static const struct {
        uint16_t cc;
        uint32_t none, shared, l1, equal;
    } cases[] = {
        {13, 16 * K, 16 * K, 16 * K, 16 * K}, {20, 48 * K, 48 * K, 16 * K, 48 * K},
        {35, 48 * K, 48 * K, 16 * K, 32 * K}, {37, 112 * K, 112 * K, 80 * K, 96 * K},
        {52, 96 * K, 96 * K, 96 * K, 96 * K}, {61, 96 * K, 96 * K, 96 * K, 96 * K},
        {75, 64 * K, 64 * K, 32 * K, 32 * K}, {80, 164 * K, 164 * K, 0, 100 * K},
        {90, 228 * K, 228 * K, 0, 132 * K},
    };
    struct smc_launch launch = SMC_LAUNCH_INIT;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_capability capability;
        struct smc_carveouts carveouts;
        CU_ASSERT_FATAL(smc_capability_find(cases[i].cc, &capability));
        smc_carveouts_find(&capability.sm, &launch, &carveouts);
        const struct smc_carveout *preference = carveouts.preference;
        wrong += preference[SMC_CACHE_PREFER_NONE].smem_bytes != cases[i].none;
        wrong += preference[SMC_CACHE_PREFER_SHARED].smem_bytes != cases[i].shared;
        wrong += preference[SMC_CACHE_PREFER_L1].smem_bytes != cases[i].l1;
        wrong += preference[SMC_CACHE_PREFER_EQUAL].smem_bytes != cases[i].equal;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Issue 3's golden vectors: 9.0, 128 threads, 32 registers, 16 KB. */
static void test_golden(void)
{
    struct smc_capability hopper;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_carveouts carveouts;
    CU_ASSERT_FATAL(smc_capability_find(90, &hopper));
    launch.threads_per_block = 128;
    launch.regs_per_thread = 32;
    launch.static_smem_bytes = 16384;
    smc_carveouts_find(&hopper.sm, &launch, &carveouts);
    CU_ASSERT_EQUAL(smc_carveouts_smallest(&carveouts, 3)->percent_from, 15);
    CU_ASSERT_EQUAL(smc_carveouts_smallest(&carveouts, 7)->smem_bytes, 132 * 1024);
    CU_ASSERT_EQUAL(smc_carveouts_smallest(&carveouts, 11)->smem_bytes, 196 * 1024);
    CU_ASSERT_EQUAL(carveouts.most_blocks, 13);
    CU_ASSERT_PTR_NULL(smc_carveouts_smallest(&carveouts, 14));
    CU_ASSERT_EQUAL(carveouts.size[0].configured_bytes, 32 * 1024);
}

/* 10.7: the oversized size is one more, selected by a mode instead of a percentage. */
static void test_oversized(void)
{
    struct smc_capability rubin;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_carveouts carveouts;
    CU_ASSERT_FATAL(smc_capability_find(107, &rubin));
    launch.threads_per_block = 128;
    launch.dynamic_smem_bytes = 110 * 1024;
    smc_carveouts_find(&rubin.sm, &launch, &carveouts);
    CU_ASSERT_EQUAL(carveouts.count, 10);
    CU_ASSERT_EQUAL(carveouts.most_blocks, 2);
    CU_ASSERT_EQUAL(carveouts.size[9].l1_bytes, 108 * 1024);
    for (int mode = SMC_SMEM_MODE_OVERSIZED; mode <= SMC_SMEM_MODE_PREFER_OVERSIZED; mode++) {
        launch.smem_mode = (enum smc_smem_mode)mode;
        launch.dynamic_smem_bytes = 100 * 1024;
        smc_carveouts_find(&rubin.sm, &launch, &carveouts);
        CU_ASSERT_EQUAL_FATAL(carveouts.count, 11);
        const struct smc_carveout *last = &carveouts.size[10];
        CU_ASSERT_EQUAL(last->smem_bytes, 328 * 1024);
        CU_ASSERT_EQUAL(last->l1_bytes, 8 * 1024);
        CU_ASSERT_EQUAL(last->percent_from, SMC_CARVEOUT_DEFAULT);
        CU_ASSERT_EQUAL(last->smem_mode, SMC_SMEM_MODE_PREFER_OVERSIZED);
        CU_ASSERT_EQUAL(last->blocks_per_sm, 3);
        CU_ASSERT_EQUAL(carveouts.size[9].blocks_per_sm, 2); /* 228 KB */
        CU_ASSERT_PTR_EQUAL(smc_carveouts_smallest(&carveouts, 3), last);
    }
}

CU_TestInfo tests_carveouts[] = {
    {"oversized shared memory is a size of its own", test_oversized},
    {"every percentage has its size and blocks", test_every_percentage},
    {"the four cache preferences on each architecture", test_preferences},
    {"sizes and the smallest for so many blocks", test_golden},
    CU_TEST_INFO_NULL,
};
