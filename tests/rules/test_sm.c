/* sm: the tables pass the check, and any device that passes it is safe to compute with. */
#include <string.h>

#include "rules/devices.h"
#include "rules/next_steps.h"
#include "unit.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % bound);
}

static void test_tables_pass(void)
{
    size_t failures = 0;
    struct smc_error error;
    struct smc_device device;
    struct smc_capability capability;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        smc_capability_at(i, &capability);
        failures += smc_sm_check(&capability.sm, &error) != SMC_OK;
    }
    for (size_t i = 0; i < smc_device_count(); i++) {
        smc_device_at(i, &device);
        failures += smc_sm_check(&device.sm, &error) != SMC_OK;
    }
    CU_ASSERT_EQUAL(failures, 0);
}

/* Half the time a value that a real device could have, otherwise any value. */
static uint32_t random_value(uint32_t present)
{
    switch (random_below(6)) {
    case 0:
        return 1u << random_below(32);
    case 1:
        return present * 2;
    case 2:
        return present / 2;
    case 3:
        return present + 1 - random_below(3);
    case 4:
        return random_below(300);
    default:
        return random_below(UINT32_MAX);
    }
}

static void change_one(struct smc_sm *sm)
{
    struct {
        void *member;
        size_t size;
    } members[] = {
#define INTEGER(member, name, form, lowest, highest) {&sm->member, sizeof sm->member},
#define GRANULARITY(member, name)
#define CARVEOUTS(count, member, name) {&sm->count, sizeof sm->count}, {&sm->member[0], 4},
#include "rules/model/sm_fields.def"
    };
    size_t i = random_below(sizeof members / sizeof *members);
    uint32_t value = 0;
    uint16_t narrow;
    if (members[i].size == sizeof narrow) {
        narrow = (uint16_t)random_value(32);
        memcpy(members[i].member, &narrow, sizeof narrow);
        return;
    }
    memcpy(&value, members[i].member, sizeof value);
    value = random_value(value);
    memcpy(members[i].member, &value, sizeof value);
}

/* Several related changes, so that more than trivial devices pass. */
static void change_together(struct smc_sm *sm)
{
    uint32_t warps = 1 + random_below(128);
    sm->max_warps_per_sm = warps;
    sm->max_threads_per_sm = warps * sm->warp_size;
    sm->max_threads_per_block = 1 + random_below(sm->max_threads_per_sm);
    sm->subpartitions = 1u << random_below(4);
    sm->regs_per_sm = sm->subpartitions * (1 + random_below(40000));
    sm->max_regs_per_block = 1 + random_below(sm->regs_per_sm);
    sm->regs_allocated_per_block = random_below(4) == 0;
}

static struct smc_launch random_launch(const struct smc_sm *sm)
{
    struct smc_launch launch;
    smc_launch_init(&launch);
    launch.threads_per_block = random_below(sm->max_threads_per_block + 40);
    launch.regs_per_thread = random_below(sm->max_regs_per_thread + 2);
    launch.static_smem_bytes = random_below(sm->smem_per_block_default_bytes + 2);
    launch.dynamic_smem_bytes = random_below(sm->smem_per_block_optin_bytes + 2);
    launch.carveout_percent = (int32_t)random_below(102) - 1;
    launch.cache_config = (enum smc_cache_config)random_below(4);
    launch.barriers_per_block = random_below(sm->named_barriers_per_block + 2);
    launch.virtual_resources = random_below(sm->virtual_resources_per_sm + 2);
    launch.blocks_per_cluster = random_below(10);
    return launch;
}

/* 0 blocks always have a reason, and no limit of the SM is exceeded. */
static bool answer_is_sound(const struct smc_sm *sm, const struct smc_launch *launch)
{
    struct smc_occupancy o;
    smc_occupancy_compute(sm, launch, &o);
    uint64_t blocks = o.blocks_per_sm;
    if (blocks == 0)
        return o.refusals != 0;
    return o.refusals == 0 && o.limiters != 0 && blocks <= sm->max_blocks_per_sm &&
           blocks * o.warps_per_block <= sm->max_warps_per_sm &&
           blocks * o.regs_allocated_per_block <= sm->regs_per_sm &&
           blocks * o.smem_allocated_per_block_bytes <= o.smem_configured_bytes &&
           o.smem_configured_bytes <= sm->smem_per_sm_bytes;
}

static void test_what_passes_computes(void)
{
    size_t failures = 0, passed = 0, refused = 0;
    random_state = 20;
    for (size_t i = 0; i < 60000; i++) {
        struct smc_capability capability;
        smc_capability_at(random_below((uint32_t)smc_capability_count()), &capability);
        struct smc_sm *sm = &capability.sm;
        if (i % 2)
            change_together(sm);
        for (uint32_t n = random_below(3); n > 0; n--)
            change_one(sm);
        if (smc_sm_check(sm, NULL) != SMC_OK) {
            refused++;
            continue;
        }
        passed++;
        for (int n = 0; n < 10; n++) {
            struct smc_launch launch = random_launch(sm);
            failures += !answer_is_sound(sm, &launch);
        }
    }
    CU_ASSERT_EQUAL(failures, 0);
    CU_ASSERT(passed > 20000 && refused > 10000);
}

/* The search for a size relies on it. */
static void test_nothing_behind_the_sizes(void)
{
    struct smc_capability capability;
    struct smc_error error;
    smc_capability_find(90, &capability);
    capability.sm.smem_carveout_bytes[SMC_MAX_CARVEOUTS - 1] = 7;
    CU_ASSERT_EQUAL(smc_sm_check(&capability.sm, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "'smem_carveouts_bytes': 7 after the last of 10");
}

/* The largest search that a device file can cause ends quickly. */
static void test_search_is_bounded(void)
{
    struct smc_capability capability;
    struct smc_next_steps steps;
    struct smc_launch launch;
    smc_capability_find(90, &capability);
    struct smc_sm *sm = &capability.sm;
    memset(sm->smem_carveout_bytes, 0, sizeof sm->smem_carveout_bytes);
    sm->smem_per_sm_bytes = sm->smem_carveout_bytes[0] = 16777216;
    sm->smem_carveout_count = 1;
    sm->smem_per_block_optin_bytes = 16777216;
    sm->smem_reserved_per_block_bytes = 0;
    sm->smem_alloc_unit_bytes = 16;
    sm->regs_per_sm = sm->max_regs_per_block = 16777216;
    sm->max_regs_per_thread = 65535;
    sm->warp_size = 1;
    sm->max_warps_per_sm = 65536;
    sm->max_threads_per_sm = sm->max_threads_per_block = 65536;
    CU_ASSERT_EQUAL(smc_sm_check(sm, NULL), SMC_OK);
    smc_launch_init(&launch);
    smc_next_steps_find(sm, &launch, &steps);
    CU_ASSERT(steps.count > 0);
}

CU_TestInfo tests_sm[] = {
    {"the tables pass the check", test_tables_pass},
    {"whatever passes can be computed with", test_what_passes_computes},
    {"nothing stands behind the carve-outs", test_nothing_behind_the_sizes},
    {"the search for the next step is bounded", test_search_is_bounded},
    CU_TEST_INFO_NULL,
};
