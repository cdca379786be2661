/* The barrier of a cluster. */
#include "machine/emulator/clusters.h"
#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"

/* immediate: without ordering memory. */
enum smc_next smc_step_cluster_arrive(struct smc_worker *worker, struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask)
{
    struct smc_barrier *barrier = &worker->barrier[SMC_CLUSTER_BARRIER];
    barrier->lanes += smc_lane_count(mask);
    barrier->warps |= 1u << warp->index;
    if (worker->shadow) {
        barrier->arrived_at[warp->index] = smc_shadow_arrive(worker->shadow);
        smc_peers_arrive(worker, op->immediate, barrier->arrived_at[warp->index]);
    }
    warp->cluster_arrived |= mask;
    return SMC_GO_ON;
}

enum smc_next smc_step_cluster_wait(struct smc_worker *worker, struct smc_warp *warp,
                                    const struct smc_op *op, uint32_t mask)
{
    struct smc_group *group = &warp->group[warp->current];
    (void)op;
    if ((warp->cluster_passed & mask) == mask) {
        warp->cluster_passed &= ~mask;
        smc_peers_pass(worker);
        worker->passed.waiting = 1u << warp->index;
        if (worker->shadow) {
            smc_shadow_sync_warps(worker->shadow, &worker->passed);
            smc_shadow_sync_lanes(worker->shadow, warp, mask);
        }
        return SMC_GO_ON;
    }
    worker->barrier[SMC_CLUSTER_BARRIER].waiting |= 1u << warp->index;
    group->state = SMC_GROUP_AT_BARRIER;
    group->barrier = SMC_CLUSTER_BARRIER;
    return SMC_WAITS;
}

static bool has_arrived(const struct smc_worker *worker)
{
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++)
        if (worker->warp[w].live & ~worker->warp[w].cluster_arrived)
            return false;
    return true;
}

/* The barrier orders what the block's threads did before they arrived before what they do next. */
static void order_block(struct smc_worker *worker, const struct smc_barrier *barrier)
{
    bool all_wait = true;
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++)
        all_wait &= !worker->warp[w].cluster_passed;
    if (all_wait) {
        smc_shadow_sync_block(worker->shadow);
        return;
    }
    smc_shadow_sync_warps(worker->shadow, barrier);
    EACH_ACTIVE(w, barrier->waiting)
        smc_shadow_sync_lanes(worker->shadow, &worker->warp[w],
                              worker->warp[w].live & ~worker->warp[w].cluster_passed);
}

/* Lanes that wait continue; the others have passed the barrier when they come to wait. */
static void cluster_barrier_release(struct smc_worker *worker)
{
    struct smc_barrier *barrier = &worker->barrier[SMC_CLUSTER_BARRIER];
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        struct smc_warp *warp = &worker->warp[w];
        warp->cluster_passed = warp->cluster_arrived & warp->live;
        warp->cluster_arrived = 0;
        for (uint64_t left = warp->used; left; left &= left - 1) {
            struct smc_group *group = &warp->group[__builtin_ctzll(left)];
            if (group->state != SMC_GROUP_AT_BARRIER || group->barrier != SMC_CLUSTER_BARRIER)
                continue;
            warp->cluster_passed &= ~group->active;
            group->state = SMC_GROUP_READY;
            group->pc++;
            smc_peers_pass(worker);
        }
    }
    if (worker->shadow && barrier->warps)
        order_block(worker, barrier);
    worker->passed = *barrier;
    *barrier = (struct smc_barrier){0};
    worker->fruitless = 0;
}

void smc_cluster_try(struct smc_worker *worker)
{
    struct smc_worker *first = smc_cluster_mate(worker, 0);
    bool has_any = false;
    for (uint32_t r = 0; r < worker->launch->cluster_blocks; r++) {
        if (first[r].is_running && !has_arrived(&first[r]))
            return;
        has_any |= first[r].barrier[SMC_CLUSTER_BARRIER].lanes > 0;
    }
    if (has_any) {
        smc_peers_complete(first);
        smc_concurrent_barrier(first, worker->launch->cluster_blocks);
    }
    for (uint32_t r = 0; has_any && r < worker->launch->cluster_blocks; r++)
        if (first[r].is_running)
            cluster_barrier_release(&first[r]);
}
