/* model: next steps compared with a search of every value, on random launches. */
#include <stdio.h>
#include <stdlib.h>

#include "rules/devices.h"
#include "rules/next_steps.h"
#include "share.h"
#include "unit.h"

static uint32_t blocks_of(const struct smc_sm *sm, const struct smc_launch *launch)
{
    struct smc_occupancy out;
    smc_occupancy_compute(sm, launch, &out);
    return out.blocks_per_sm;
}

static struct smc_launch changed(const struct smc_launch *launch, enum smc_step_resource resource,
                                 int64_t change)
{
    struct smc_launch c = *launch;
    if (resource == SMC_STEP_THREADS)
        c.threads_per_block = (uint32_t)(c.threads_per_block + change);
    else if (resource == SMC_STEP_REGISTERS)
        c.regs_per_thread = (uint32_t)(c.regs_per_thread + change);
    else if (resource == SMC_STEP_BARRIERS)
        c.barriers_per_block = (uint32_t)(c.barriers_per_block + change);
    else
        c.dynamic_smem_bytes = (uint32_t)(c.dynamic_smem_bytes + change);
    return c;
}

static const struct smc_next_step *find(const struct smc_next_steps *steps,
                                        enum smc_step_resource resource, bool gain, uint32_t now)
{
    for (uint32_t i = 0; i < steps->count; i++)
        if (steps->step[i].resource == resource && (steps->step[i].blocks_per_sm > now) == gain)
            return &steps->step[i];
    return NULL;
}

/* The nearest of all changes that gains (or loses) a block, tried one by one; 0 if there is none.
 */
static int64_t nearest(const struct smc_sm *sm, const struct smc_launch *launch,
                       enum smc_step_resource resource, bool gain)
{
    int64_t present[] = {launch->threads_per_block, launch->regs_per_thread,
                         launch->dynamic_smem_bytes, launch->barriers_per_block};
    int64_t lowest[] = {1, 1, 0, 1};
    int64_t highest[] = {sm->max_threads_per_block + 1, sm->max_regs_per_thread,
                         sm->smem_per_block_optin_bytes + 1, sm->named_barriers_per_block};
    uint32_t now = blocks_of(sm, launch);
    for (int64_t distance = 1; distance <= highest[resource] + present[resource]; distance++) {
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t change = sign * distance, value = present[resource] + change;
            if (value < lowest[resource] || value > highest[resource])
                continue;
            struct smc_launch c = changed(launch, resource, change);
            uint32_t blocks = blocks_of(sm, &c);
            if (gain ? blocks > now : blocks < now)
                return change;
        }
    }
    return 0;
}

static void test_against_search(void)
{
    unsigned wrong = 0;
    srand(1);
    for (int i = 0; i < 300; i++) {
        struct smc_capability capability;
        smc_capability_at((size_t)rand() % smc_capability_count(), &capability);
        const struct smc_sm *sm = &capability.sm;
        struct smc_launch launch = SMC_LAUNCH_INIT;
        launch.threads_per_block = 1 + (uint32_t)rand() % 512;
        launch.regs_per_thread = 1 + (uint32_t)rand() % (sm->max_regs_per_thread / 2);
        launch.dynamic_smem_bytes = (uint32_t)rand() % (sm->smem_per_block_default_bytes / 2);
        launch.carveout_percent = rand() % 3 ? -1 : rand() % 101;
        launch.cache_config = (enum smc_cache_config)(rand() % 4);
        launch.barriers_per_block = 1 + (uint32_t)rand() % 4;
        if (rand() % 4 == 0) /* beyond what the device accepts */
            launch.threads_per_block = sm->max_threads_per_block + (uint32_t)rand() % 200;
        if (rand() % 4 == 0)
            launch.dynamic_smem_bytes = sm->smem_per_block_optin_bytes + (uint32_t)rand() % 2000;
        if (rand() % 4 == 0)
            launch.regs_per_thread = sm->max_regs_per_thread + (uint32_t)rand() % 20;
        if (!share_has((size_t)i, 9))
            continue;
        uint32_t now = blocks_of(sm, &launch);
        struct smc_next_steps steps;
        smc_next_steps_find(sm, &launch, &steps);
        for (int r = 0; r < SMC_STEP_COUNT; r++)
            for (int gain = 0; gain <= 1; gain++) {
                enum smc_step_resource resource = (enum smc_step_resource)r;
                const struct smc_next_step *step = find(&steps, resource, gain, now);
                int64_t expected = nearest(sm, &launch, resource, gain);
                bool same = step ? llabs(step->change) == llabs(expected) : expected == 0;
                if (same && step) {
                    struct smc_launch c = changed(&launch, resource, step->change);
                    same = blocks_of(sm, &c) == step->blocks_per_sm;
                }
                wrong += !same;
                if (!same)
                    fprintf(stderr, "cc %u %s gain %d: %lld, not %lld\n", sm->cc,
                            smc_step_resource_name(resource), gain,
                            step ? (long long)step->change : 0, (long long)expected);
            }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Tile 32 on CC 9.0 with 31 registers: the example of the documentation. */
static void test_example(void)
{
    struct smc_capability hopper;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_next_steps steps;
    CU_ASSERT_FATAL(smc_capability_find(90, &hopper));
    launch.threads_per_block = 1024;
    launch.regs_per_thread = 31;
    launch.static_smem_bytes = 8192;
    smc_next_steps_find(&hopper.sm, &launch, &steps);
    const struct smc_next_step *step = find(&steps, SMC_STEP_REGISTERS, false, 2);
    CU_ASSERT(step && step->change == 2 && step->blocks_per_sm == 1);
    CU_ASSERT_PTR_NULL(find(&steps, SMC_STEP_REGISTERS, true, 2));
    step = find(&steps, SMC_STEP_SHARED_MEMORY, false, 2);
    CU_ASSERT(step && step->change == 107521 && step->blocks_per_sm == 1);
    step = find(&steps, SMC_STEP_THREADS, true, 2);
    CU_ASSERT(step && step->change == 672 - 1024 && step->blocks_per_sm == 3);
}

CU_TestInfo tests_next_steps[] = {
    {"steps are the nearest of all", test_against_search},
    {"the documentation's example", test_example},
    CU_TEST_INFO_NULL,
};
