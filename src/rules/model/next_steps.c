/* The nearest change of one resource that gains a block, and the nearest that loses one. */
#include "rules/next_steps.h"

#include <stdlib.h>

#include "base/numbers.h"
#include "rules/allocation.h"

/* One resource: its present value and the values at which the result can change. */
struct step_axis {
    int64_t present;
    int64_t lowest;
    int64_t highest;
    int64_t unit; /* allocation changes just above a multiple of it */
};

static struct step_axis axis_of(enum smc_step_resource resource, const struct smc_sm *sm,
                                const struct smc_launch *launch)
{
    switch (resource) {
    case SMC_STEP_THREADS:
        return (struct step_axis){launch->threads_per_block, 1, sm->max_threads_per_block + 1,
                                  launch->smem_bytes_per_thread ? 1 : sm->warp_size};
    case SMC_STEP_REGISTERS:
        return (struct step_axis){launch->regs_per_thread, 1, sm->max_regs_per_thread, 1};
    case SMC_STEP_SHARED_MEMORY:
        return (struct step_axis){(int64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes,
                                  0, smc_smem_most_per_block(sm, launch) + 1,
                                  sm->smem_alloc_unit_bytes};
    case SMC_STEP_BARRIERS:
        return (struct step_axis){launch->barriers_per_block, 1, sm->named_barriers_per_block, 1};
    case SMC_STEP_COUNT:
        break;
    }
    return (struct step_axis){0, 0, 0, 1};
}

void smc_launch_set_threads(struct smc_launch *launch, uint32_t threads_per_block)
{
    int64_t more = (int64_t)threads_per_block - launch->threads_per_block;
    int64_t dynamic = launch->dynamic_smem_bytes + more * launch->smem_bytes_per_thread;
    launch->dynamic_smem_bytes = dynamic < 0 ? 0 : saturate((uint64_t)dynamic);
    launch->threads_per_block = threads_per_block;
}

static uint32_t blocks_at(enum smc_step_resource resource, const struct smc_sm *sm,
                          const struct smc_launch *launch, int64_t value)
{
    struct smc_launch changed = *launch;
    struct smc_occupancy occupancy;
    switch (resource) {
    case SMC_STEP_THREADS:
        smc_launch_set_threads(&changed, (uint32_t)value);
        break;
    case SMC_STEP_REGISTERS:
        changed.regs_per_thread = (uint32_t)value;
        break;
    case SMC_STEP_SHARED_MEMORY: {
        changed.smem_bytes_per_thread = 0;
        /* Static memory is reduced only once no dynamic memory is left. */
        int64_t dynamic = value - launch->static_smem_bytes;
        changed.dynamic_smem_bytes = dynamic > 0 ? (uint32_t)dynamic : 0;
        changed.static_smem_bytes = (uint32_t)(value - changed.dynamic_smem_bytes);
        break;
    }
    case SMC_STEP_BARRIERS:
        changed.barriers_per_block = (uint32_t)value;
        break;
    case SMC_STEP_COUNT:
        break;
    }
    smc_occupancy_compute(sm, &changed, &occupancy);
    return occupancy.blocks_per_sm;
}

/* The next value in `direction` at which the allocation differs. Downwards that is the multiple of
   the unit below; upwards the first value above the multiple that holds the present one. The
   driver's reserve is itself a multiple of the unit, so it does not move these points. */
static int64_t neighbour(const struct step_axis *axis, int64_t value, int direction)
{
    if (direction < 0)
        return value > 0 ? (value - 1) / axis->unit * axis->unit : -1;
    return axis->unit == 1 ? value + 1 : (value + axis->unit - 1) / axis->unit * axis->unit + 1;
}

struct found {
    struct smc_next_step gain, loss; /* change 0: none */
};

static void keep_nearest(struct smc_next_step *kept, enum smc_step_resource resource,
                         int64_t change, uint32_t blocks)
{
    if (kept->change == 0 || llabs(change) < llabs(kept->change))
        *kept = (struct smc_next_step){resource, change, blocks};
}

/* Both directions are searched for a gain and for a loss: on CC 3.x with a small shared-memory
   preference, a larger block makes the driver configure more, so that requesting more can gain a
   block. */
static void next_steps_search(enum smc_step_resource resource, const struct smc_sm *sm,
                              const struct smc_launch *launch, int direction, struct found *found)
{
    struct step_axis axis = axis_of(resource, sm, launch);
    uint32_t now = blocks_at(resource, sm, launch, axis.present);
    bool gained = false, lost = false;
    int64_t first = neighbour(&axis, axis.present, direction);
    if (direction < 0 && first > axis.highest) /* nothing changes before that */
        first = axis.highest;
    for (int64_t value = first; value >= axis.lowest && value <= axis.highest && !(gained && lost);
         value = neighbour(&axis, value, direction)) {
        uint32_t blocks = blocks_at(resource, sm, launch, value);
        if (blocks > now && !gained)
            keep_nearest(&found->gain, resource, value - axis.present, blocks);
        if (blocks < now && !lost)
            keep_nearest(&found->loss, resource, value - axis.present, blocks);
        gained |= blocks > now;
        lost |= blocks < now;
    }
}

enum smc_status smc_next_steps_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_next_steps *out)
{
    *out = (struct smc_next_steps){0};
    if (smc_launch_validate(sm, launch, NULL) != SMC_OK)
        return SMC_USAGE;
    for (int i = 0; i < SMC_STEP_COUNT; i++) {
        enum smc_step_resource resource = (enum smc_step_resource)i;
        struct found found = {0};
        next_steps_search(resource, sm, launch, -1, &found);
        next_steps_search(resource, sm, launch, +1, &found);
        if (found.gain.change)
            out->step[out->count++] = found.gain;
        if (found.loss.change)
            out->step[out->count++] = found.loss;
    }
    return SMC_OK;
}

const char *smc_step_resource_name(enum smc_step_resource resource)
{
    static const char *const names[] = {
        [SMC_STEP_THREADS] = "threads",
        [SMC_STEP_REGISTERS] = "registers",
        [SMC_STEP_SHARED_MEMORY] = "shared_memory",
        [SMC_STEP_BARRIERS] = "barriers",
    };
    return names[resource];
}
