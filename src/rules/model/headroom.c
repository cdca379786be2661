/* The inverse question: the most resources that each block may use if a given number of blocks is
   to fit on an SM. */
#include "rules/headroom.h"

#include "base/numbers.h"
#include "rules/allocation.h"

static uint32_t headroom_blocks_of(const struct smc_sm *sm, const struct smc_launch *launch)
{
    struct smc_occupancy occupancy;
    smc_occupancy_compute(sm, launch, &occupancy);
    return occupancy.blocks_per_sm;
}

/* Allocation changes just above a multiple of the unit. The driver's reserve is itself such a
   multiple. */
static int64_t most_smem_bytes(const struct smc_sm *sm, const struct smc_launch *launch)
{
    int64_t most = smc_smem_most_per_block(sm, launch);
    return most / sm->smem_alloc_unit_bytes * sm->smem_alloc_unit_bytes;
}

/* Sets everything that is not fixed to its minimum. That does not always give the most blocks: on
   CC 3.x with a small shared-memory preference, a larger block makes the driver configure more. */
static struct smc_launch easiest(const struct smc_sm *sm, const struct smc_launch *launch,
                                 struct smc_fixed fixed)
{
    struct smc_launch best = *launch;
    if (!fixed.regs)
        best.regs_per_thread = 1;
    if (fixed.dynamic_smem)
        return best;
    best.dynamic_smem_bytes = best.smem_bytes_per_thread = 0;
    uint32_t most = headroom_blocks_of(sm, &best);
    struct smc_launch other = best;
    int64_t unit = sm->smem_alloc_unit_bytes;
    int64_t total = (int64_t)round_up(launch->static_smem_bytes, (uint32_t)unit);
    for (; total <= most_smem_bytes(sm, launch); total += unit) {
        other.dynamic_smem_bytes = (uint32_t)(total - launch->static_smem_bytes);
        uint32_t blocks = headroom_blocks_of(sm, &other);
        if (blocks > most) {
            most = blocks;
            best = other;
        }
    }
    return best;
}

/* Searches from the largest value downwards: the first value that gives a number of blocks is the
   answer for that number, and for every smaller number that has no answer yet. */
static void find_regs(const struct smc_sm *sm, struct smc_launch launch, struct smc_headroom *out)
{
    uint32_t answered = 0;
    for (uint32_t regs = sm->max_regs_per_thread; regs >= 1 && answered < out->count; regs--) {
        launch.regs_per_thread = regs;
        uint32_t blocks = headroom_blocks_of(sm, &launch);
        while (answered < out->count && answered < blocks)
            out->level[answered++].regs_per_thread = regs;
    }
}

static void find_smem(const struct smc_sm *sm, struct smc_launch launch, struct smc_headroom *out)
{
    uint32_t answered = 0;
    int64_t fixed = launch.static_smem_bytes;
    int64_t total = most_smem_bytes(sm, &launch);
    for (; total >= fixed && answered < out->count; total -= sm->smem_alloc_unit_bytes) {
        launch.dynamic_smem_bytes = (uint32_t)(total - fixed);
        uint32_t blocks = headroom_blocks_of(sm, &launch);
        while (answered < out->count && answered < blocks)
            out->level[answered++].dynamic_smem_bytes = launch.dynamic_smem_bytes;
    }
}

enum smc_status smc_headroom_find(const struct smc_sm *sm, const struct smc_launch *launch,
                                  struct smc_fixed fixed, struct smc_headroom *out)
{
    *out = (struct smc_headroom){.fixed = fixed};
    if (smc_launch_validate(sm, launch, NULL) != SMC_OK)
        return SMC_USAGE;
    struct smc_launch base = easiest(sm, launch, fixed);
    smc_occupancy_compute(sm, &base, &out->most);
    uint32_t most = out->most.blocks_per_sm, warps = out->most.warps_per_block;
    out->count = most < SMC_MAX_HEADROOM_LEVELS ? most : SMC_MAX_HEADROOM_LEVELS;
    for (uint32_t i = 0; i < out->count; i++)
        out->level[i] = (struct smc_headroom_level){
            .blocks_per_sm = i + 1,
            .warps_per_sm = (i + 1) * warps,
            .percent = 100.0 * (i + 1) * warps / sm->max_warps_per_sm,
            .regs_per_thread = base.regs_per_thread,
            .dynamic_smem_bytes = base.dynamic_smem_bytes,
        };
    if (!fixed.regs)
        find_regs(sm, base, out);
    if (!fixed.dynamic_smem)
        find_smem(sm, base, out);
    return SMC_OK;
}

/* Clusters prevent more blocks than these, whatever else fits. */
static void keep_clustered(struct smc_headroom *headroom)
{
    struct smc_occupancy *most = &headroom->most;
    if (headroom->count <= SMC_MOST_CLUSTERED_BLOCKS)
        return;
    headroom->count = SMC_MOST_CLUSTERED_BLOCKS;
    most->blocks_per_sm = SMC_MOST_CLUSTERED_BLOCKS;
    most->warps_per_sm = SMC_MOST_CLUSTERED_BLOCKS * most->warps_per_block;
    most->limiters = 1u << SMC_LIMIT_CLUSTER;
}

void smc_headroom_set_clusters(struct smc_headroom *headroom, uint32_t sm_count,
                               const struct smc_sm_groups *groups, uint32_t size)
{
    headroom->has_clusters = size > 1 && sm_count > 0;
    headroom->clusters_are_bound = !smc_sm_groups_are_known(groups, sm_count);
    if (headroom->has_clusters && !headroom->clusters_are_bound)
        keep_clustered(headroom);
    for (uint32_t i = 0; i < headroom->count && headroom->has_clusters; i++)
        headroom->level[i].resident_clusters =
            smc_resident_clusters(sm_count, groups, size, headroom->level[i].blocks_per_sm);
}
