/* model: the most registers and shared memory for each number of blocks, compared with every value.
 */
#include <stdio.h>
#include <stdlib.h>

#include "rules/devices.h"
#include "rules/headroom.h"
#include "share.h"
#include "unit.h"

enum { NONE = -1, ROUNDS = 40 };

static uint32_t blocks_of(const struct smc_sm *sm, const struct smc_launch *launch)
{
    struct smc_occupancy out;
    smc_occupancy_compute(sm, launch, &out);
    return out.blocks_per_sm;
}

static struct smc_launch random_launch(const struct smc_sm *sm)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    launch.threads_per_block = 1 + (uint32_t)rand() % sm->max_threads_per_block;
    launch.regs_per_thread = 1 + (uint32_t)rand() % (sm->max_regs_per_thread / 3);
    launch.static_smem_bytes = rand() % 2 ? 0 : (uint32_t)rand() % 9000;
    launch.dynamic_smem_bytes = rand() % 2 ? 0 : (uint32_t)rand() % 9000;
    launch.carveout_percent = rand() % 3 ? -1 : rand() % 101;
    launch.cache_config = (enum smc_cache_config)(rand() % 4);
    return launch;
}

/* most[n - 1]: the largest value of one resource with at least n blocks, with the other as in
   `launch`; every value is tried. */
static void search_regs(const struct smc_sm *sm, struct smc_launch launch, int64_t *most)
{
    for (uint32_t n = 0; n < SMC_MAX_HEADROOM_LEVELS; n++)
        most[n] = NONE;
    for (uint32_t regs = 1; regs <= sm->max_regs_per_thread; regs++) {
        launch.regs_per_thread = regs;
        uint32_t blocks = blocks_of(sm, &launch);
        for (uint32_t n = 0; n < blocks; n++)
            most[n] = regs;
    }
}

static void search_smem(const struct smc_sm *sm, struct smc_launch launch, int64_t *most)
{
    for (uint32_t n = 0; n < SMC_MAX_HEADROOM_LEVELS; n++)
        most[n] = NONE;
    for (uint32_t bytes = 0; bytes <= sm->smem_per_block_optin_bytes + 1; bytes++) {
        launch.dynamic_smem_bytes = bytes;
        uint32_t blocks = blocks_of(sm, &launch);
        for (uint32_t n = 0; n < blocks; n++)
            most[n] = bytes;
    }
}

/* One resource is free: every row is the largest of all values, and no row is missing. */
static void test_against_search(void)
{
    unsigned wrong = 0, rows = 0;
    srand(2);
    for (size_t c = 0; c < smc_capability_count(); c++)
        for (size_t round = 0, rounds = share_of(ROUNDS, 5); round < rounds; round++) {
            struct smc_capability capability;
            smc_capability_at(c, &capability);
            const struct smc_sm *sm = &capability.sm;
            struct smc_launch launch = random_launch(sm);
            bool regs = round % 8; /* many possible bytes, so fewer rounds */
            struct smc_fixed fixed = {.regs = !regs, .dynamic_smem = regs};
            struct smc_headroom headroom;
            int64_t most[SMC_MAX_HEADROOM_LEVELS];
            smc_headroom_find(sm, &launch, fixed, &headroom);
            (regs ? search_regs : search_smem)(sm, launch, most);
            for (uint32_t n = 0; n < SMC_MAX_HEADROOM_LEVELS; n++) {
                const struct smc_headroom_level *level = &headroom.level[n];
                int64_t found = NONE;
                if (n < headroom.count)
                    found = regs ? level->regs_per_thread : level->dynamic_smem_bytes;
                wrong += found != most[n];
                rows += found != NONE;
                if (n < headroom.count)
                    wrong += level->blocks_per_sm != n + 1 ||
                             (regs ? level->dynamic_smem_bytes != launch.dynamic_smem_bytes
                                   : level->regs_per_thread != launch.regs_per_thread);
            }
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(rows > 1000);
}

/* Both free: a row's two values are possible together, and neither can grow, not even alone. */
static void test_both_hold_together(void)
{
    unsigned wrong = 0, rows = 0;
    srand(3);
    for (int round = 0; round < 2000; round++) {
        struct smc_capability capability;
        smc_capability_at((size_t)rand() % smc_capability_count(), &capability);
        const struct smc_sm *sm = &capability.sm;
        struct smc_launch launch = random_launch(sm);
        struct smc_headroom headroom;
        launch.carveout_percent = SMC_CARVEOUT_DEFAULT;
        launch.cache_config = SMC_CACHE_PREFER_NONE;
        smc_headroom_find(sm, &launch, (struct smc_fixed){0}, &headroom);
        for (uint32_t n = 0; n < headroom.count; n++) {
            struct smc_launch at = launch;
            at.regs_per_thread = headroom.level[n].regs_per_thread;
            at.dynamic_smem_bytes = headroom.level[n].dynamic_smem_bytes;
            wrong += blocks_of(sm, &at) < n + 1;
            at.regs_per_thread++;
            wrong += blocks_of(sm, &at) >= n + 1;
            at.regs_per_thread--;
            at.dynamic_smem_bytes++;
            wrong += blocks_of(sm, &at) >= n + 1;
            rows++;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(rows > 5000);
}

static void test_what_ends_it(void)
{
    struct smc_capability hopper;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_headroom headroom;
    CU_ASSERT_FATAL(smc_capability_find(90, &hopper));
    launch.threads_per_block = 256;
    smc_headroom_find(&hopper.sm, &launch, (struct smc_fixed){0}, &headroom);
    CU_ASSERT_EQUAL(headroom.count, 8);
    CU_ASSERT_EQUAL(headroom.most.limiters, 1u << SMC_LIMIT_WARPS);
    CU_ASSERT_EQUAL(headroom.level[1].dynamic_smem_bytes, 115712);
    CU_ASSERT_EQUAL(headroom.level[7].regs_per_thread, 32);

    launch.regs_per_thread = 40;
    smc_headroom_find(&hopper.sm, &launch, (struct smc_fixed){.regs = true}, &headroom);
    CU_ASSERT_EQUAL(headroom.count, 6);
    CU_ASSERT_EQUAL(headroom.most.limiters, 1u << SMC_LIMIT_REGISTERS);

    launch.static_smem_bytes = 49153;
    smc_headroom_find(&hopper.sm, &launch, (struct smc_fixed){0}, &headroom);
    CU_ASSERT_EQUAL(headroom.count, 0);
    CU_ASSERT_EQUAL(headroom.most.refusals, 1u << SMC_REFUSAL_STATIC_SMEM);
}

static void test_clusters(void)
{
    static const struct smc_sm_groups groups = {4, {16, 16, 8, 2}}, others = {1, {16}};
    struct smc_capability hopper;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_headroom headroom;
    CU_ASSERT_FATAL(smc_capability_find(90, &hopper));
    launch.threads_per_block = 64;
    smc_headroom_find(&hopper.sm, &launch, (struct smc_fixed){0}, &headroom);
    CU_ASSERT(!headroom.has_clusters && headroom.count > 9);
    smc_headroom_set_clusters(&headroom, 42, &groups, 4);
    CU_ASSERT(headroom.has_clusters && !headroom.clusters_are_bound);
    CU_ASSERT_EQUAL(headroom.level[0].resident_clusters, 4 + 4 + 2);
    CU_ASSERT_EQUAL(headroom.level[2].resident_clusters, 12 + 12 + 6);
    CU_ASSERT_EQUAL(headroom.count, SMC_MOST_CLUSTERED_BLOCKS);
    CU_ASSERT_EQUAL(headroom.most.blocks_per_sm, SMC_MOST_CLUSTERED_BLOCKS);
    CU_ASSERT_EQUAL(headroom.most.limiters, 1u << SMC_LIMIT_CLUSTER);
    smc_headroom_find(&hopper.sm, &launch, (struct smc_fixed){0}, &headroom);
    smc_headroom_set_clusters(&headroom, 42, &others, 4);
    CU_ASSERT(headroom.has_clusters && headroom.clusters_are_bound && headroom.count > 9);
    CU_ASSERT_EQUAL(headroom.level[2].resident_clusters, 42 * 3 / 4);
    smc_headroom_set_clusters(&headroom, 42, &groups, 1);
    CU_ASSERT_FALSE(headroom.has_clusters);
    smc_headroom_set_clusters(&headroom, 0, &groups, 4);
    CU_ASSERT_FALSE(headroom.has_clusters);
}

CU_TestInfo tests_headroom[] = {
    {"resident clusters of each row", test_clusters},
    {"each row is the most of all values", test_against_search},
    {"both columns hold together and cannot grow", test_both_hold_together},
    {"what makes a further block impossible", test_what_ends_it},
    CU_TEST_INFO_NULL,
};
