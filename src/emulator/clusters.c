/* Clusters and cooperative launches: their shape, their barrier, the shared memory of a cluster,
   and how their blocks take turns. */
#include "emulator/clusters.h"

#include <inttypes.h>
#include <string.h>

#include "emulator/operations.h"
#include "emulator/peers.h"
#include "emulator/shadow.h"

enum { MOST_CLUSTER_BLOCKS = 16 };

/* --- The shape -------------------------------------------------------------------------------- */

static enum smc_status set_shape(struct smc_launch_state *launch, struct smc_error *error)
{
    const struct smc_emulation_request *request = launch->request;
    const uint32_t *required = launch->program->module.cluster;
    launch->cluster_blocks = 1;
    for (int i = 0; i < 3; i++) {
        const uint32_t asked = request->cluster[0] ? request->cluster[i] : required[i];
        launch->cluster[i] = asked ? asked : 1;
        if (required[0] && required[i] != launch->cluster[i])
            return smc_fail(error, SMC_USAGE,
                            "kernel %s: it is compiled for clusters of %" PRIu32 " x %" PRIu32
                            " x %" PRIu32 " blocks",
                            launch->program->entry, required[0], required[1], required[2]);
        if (request->grid[i] % launch->cluster[i])
            return smc_fail(error, SMC_USAGE,
                            "kernel %s: a grid of '%" PRIu32
                            "' blocks is not a multiple of its cluster of %" PRIu32,
                            launch->program->entry, request->grid[i], launch->cluster[i]);
        if (launch->cluster[i] > MOST_CLUSTER_BLOCKS)
            return smc_fail(error, SMC_USAGE, "a cluster of '%" PRIu32 "' blocks is above %d",
                            launch->cluster[i], MOST_CLUSTER_BLOCKS);
        launch->cluster_blocks *= launch->cluster[i];
    }
    if (launch->cluster_blocks > MOST_CLUSTER_BLOCKS)
        return smc_fail(error, SMC_USAGE, "a cluster of '%" PRIu32 "' blocks is above %d",
                        launch->cluster_blocks, MOST_CLUSTER_BLOCKS);
    return SMC_OK;
}

enum smc_status smc_clusters_check(struct smc_launch_state *launch, struct smc_error *error)
{
    const enum smc_status status = set_shape(launch, error);
    if (status != SMC_OK)
        return status;
    launch->together = launch->request->cooperative ? launch->blocks : launch->cluster_blocks;
    if (launch->together > SMC_MOST_TOGETHER)
        return smc_fail(error, SMC_USAGE,
                        "a cooperative launch of '%" PRIu64 "' blocks is above %d",
                        launch->together, SMC_MOST_TOGETHER);
    if (launch->cluster_blocks > 1 && launch->smem_bytes > SMC_CLUSTER_STRIDE)
        return smc_fail(error, SMC_USAGE, "'%" PRIu32 "' bytes of shared memory are too many",
                        launch->smem_bytes);
    return SMC_OK;
}

uint32_t smc_cluster_rank(const struct smc_worker *worker)
{
    const uint32_t *of = worker->launch->cluster, *at = worker->block_index;
    return at[0] % of[0] + of[0] * (at[1] % of[1] + of[1] * (at[2] % of[2]));
}

/* The number of block `rank` of cluster `cluster`. */
static uint64_t block_of(const struct smc_launch_state *launch, uint64_t cluster, uint64_t rank)
{
    const uint32_t *grid = launch->request->grid, *of = launch->cluster;
    const uint64_t across = grid[0] / of[0], along = grid[1] / of[1];
    const uint64_t x = cluster % across * of[0] + rank % of[0];
    const uint64_t y = cluster / across % along * of[1] + rank / of[0] % of[1];
    const uint64_t z = cluster / across / along * of[2] + rank / of[0] / of[1];
    return x + grid[0] * (y + grid[1] * z);
}

struct smc_worker *smc_cluster_mate(struct smc_worker *worker, uint64_t rank)
{
    if (rank >= worker->launch->cluster_blocks)
        return NULL;
    return worker + (int64_t)rank - (int64_t)smc_cluster_rank(worker);
}

/* --- Shared memory ---------------------------------------------------------------------------- */

/* An access of a lane to another block. False: there is a finding. */
static bool reach(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                  const struct smc_peer_access *access, const void *value)
{
    struct smc_worker *mate = access->owner;
    const uint64_t room = worker->launch->smem_bytes;
    if (!mate || access->address > room || access->bytes > room - access->address) {
        struct smc_finding finding = smc_finding_at(
            worker, SMC_FINDING_OUT_OF_BOUNDS, access->op->instruction, smc_thread_of(warp, lane));
        smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, access->address, access->bytes);
        smc_find(worker, &finding);
        return false;
    }
    if (!mate->is_running) {
        smc_peers_report_ended(worker, warp, lane, access);
        return false;
    }
    struct smc_peer_access compared = *access;
    compared.is_same = access->kind == SMC_WRITES && value &&
                       !memcmp(mate->shared + access->address, value, access->bytes);
    smc_peers_reach(worker, warp, lane, &compared);
    if (access->kind != SMC_READS && mate->shadow)
        smc_shadow_written_elsewhere(mate->shadow, access->address, access->bytes);
    return true;
}

uint32_t smc_cluster_access(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, enum smc_access_kind kind,
                            const uint64_t address[SMC_LANES], uint32_t mask,
                            const void *const *value, char *host[SMC_LANES])
{
    const uint32_t width = smc_op_bytes(op);
    const uint32_t me = smc_cluster_rank(worker);
    uint64_t own[SMC_LANES] = {0};
    uint32_t mine = 0, good = 0;
    EACH_ACTIVE(lane, mask)
    {
        const uint64_t place = address[lane] / SMC_CLUSTER_STRIDE;
        const uint64_t offset = address[lane] % SMC_CLUSTER_STRIDE;
        if (place == 0 || place - 1 == me) {
            own[lane] = offset;
            mine |= 1u << lane;
            continue;
        }
        const struct smc_peer_access access = {.op = op,
                                               .kind = kind,
                                               .owner = smc_cluster_mate(worker, place - 1),
                                               .address = offset,
                                               .bytes = width};
        if (!reach(worker, warp, lane, &access, value ? value[lane] : NULL))
            continue;
        host[lane] = access.owner->shared + offset;
        good |= 1u << lane;
    }
    if (good && op->is_strong)
        smc_peers_strong(worker, op, kind);
    if (mine)
        good |= smc_memory_access_some(worker, warp, op, SMC_SPACE_SHARED, kind, own, mine, value,
                                       host);
    return good;
}

/* mapa: a is an address of the block's shared memory, b the rank of the block whose it becomes. */
enum smc_next smc_step_map_shared(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *rank = (const lane_u32 *)(warp->file + op->b);
    const bool is_alone = worker->launch->cluster_blocks == 1;
    EACH_ACTIVE(lane, mask)
    {
        const bool is_wide = op->d_kind == SMC_SLOT_64;
        const uint64_t from = is_wide ? ((const lane_u64 *)(warp->file + op->a))[lane]
                                      : ((const lane_u32 *)(warp->file + op->a))[lane];
        const uint64_t begin = is_alone && rank[lane] == 0 ? 0 : rank[lane] + UINT64_C(1);
        const uint64_t to = from / SMC_WINDOW_BYTES * SMC_WINDOW_BYTES +
                            (begin * SMC_CLUSTER_STRIDE & (SMC_WINDOW_BYTES - 1)) +
                            from % SMC_CLUSTER_STRIDE;
        if (is_wide)
            ((lane_u64 *)(warp->file + op->d))[lane] = to;
        else
            ((lane_u32 *)(warp->file + op->d))[lane] = (uint32_t)to;
    }
    return SMC_GO_ON;
}

/* getctarank: a is an address of shared memory of the cluster; d becomes the rank of its block. */
enum smc_next smc_step_shared_rank(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    EACH_ACTIVE(lane, mask)
    {
        const uint64_t address = op->address_is_32 ? ((const lane_u32 *)(warp->file + op->a))[lane]
                                                   : ((const lane_u64 *)(warp->file + op->a))[lane];
        const uint64_t place = address % SMC_WINDOW_BYTES / SMC_CLUSTER_STRIDE;
        d[lane] = place ? (uint32_t)place - 1 : smc_cluster_rank(worker);
    }
    return SMC_GO_ON;
}

/* --- The barrier ------------------------------------------------------------------------------ */

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
static void release(struct smc_worker *worker)
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
    if (has_any)
        smc_peers_complete(first);
    for (uint32_t r = 0; has_any && r < worker->launch->cluster_blocks; r++)
        if (first[r].is_running)
            release(&first[r]);
}

/* --- Turns ------------------------------------------------------------------------------------ */

/* Each block that runs has one turn. Returns whether one of them got further. */
static bool run_round(struct smc_launch_state *launch, struct smc_worker *workers, bool *gave_up)
{
    bool moved = false, worked = false;
    for (uint64_t i = 0; i < launch->together && !*gave_up; i++) {
        struct smc_worker *worker =
            &workers[launch->request->reversed ? launch->together - 1 - i : i];
        if (!worker->is_running)
            continue;
        const uint32_t fruitless = worker->fruitless;
        moved |= smc_block_advance(worker);
        worked |= worker->fruitless == 0 || (fruitless > 0 && worker->fruitless < fruitless);
        *gave_up |= worker->gave_up || atomic_load(&launch->stopped);
        if (smc_block_has_ended(worker)) {
            smc_block_end(worker);
            moved = worked = true;
            if (launch->cluster_blocks > 1)
                smc_cluster_try(worker);
        }
    }
    for (uint64_t i = 0; i < launch->together && worked; i++)
        workers[i].fruitless = workers[i].fruitless > 2 ? 2 : workers[i].fruitless;
    return moved;
}

/* What blocks of the cluster poll comes before barriers where others wait in consequence. */
static void report_waiting(struct smc_worker *waiting)
{
    struct smc_worker *first = smc_cluster_mate(waiting, 0);
    bool has_any = false;
    for (uint32_t r = 0; r < waiting->launch->cluster_blocks; r++)
        has_any |= first[r].is_running && smc_block_report_polls(&first[r]);
    if (!has_any)
        smc_block_report_waiting(waiting);
}

static void run_group(struct smc_launch_state *launch, struct smc_worker *workers, uint64_t group)
{
    const uint64_t clusters = launch->together / launch->cluster_blocks;
    bool gave_up = false, runs = true;
    for (uint64_t i = 0; i < launch->together; i++)
        smc_block_begin(&workers[i], block_of(launch, group * clusters + i / launch->cluster_blocks,
                                              i % launch->cluster_blocks));
    while (runs && !gave_up) {
        const bool moved = run_round(launch, workers, &gave_up);
        struct smc_worker *waiting = NULL;
        for (uint64_t i = 0; i < launch->together && !waiting; i++)
            waiting = workers[i].is_running ? &workers[i] : NULL;
        runs = waiting != NULL;
        if (runs && !moved && !gave_up) {
            report_waiting(waiting);
            gave_up = true;
        }
    }
    for (uint64_t i = 0; i < launch->together; i++)
        if (workers[i].is_running) {
            workers[i].gave_up = true;
            smc_block_end(&workers[i]);
        }
}

void smc_run_together(struct smc_launch_state *launch, struct smc_worker *workers)
{
    struct smc_emulation_progress *progress = launch->request->progress;
    const uint64_t groups = launch->blocks / launch->together;
    for (uint64_t turn = 0; turn < groups; turn++) {
        const uint64_t group = launch->request->reversed ? groups - 1 - turn : turn;
        if (smc_launch_stops(launch) || atomic_load(&launch->last_block) != UINT64_MAX)
            return;
        run_group(launch, workers, group);
        if (progress)
            atomic_fetch_add(&progress->done, launch->together);
    }
}
