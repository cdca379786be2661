/* Clusters and cooperative launches: their shape, and how their blocks take turns. */
#include "machine/emulator/clusters.h"

#include <inttypes.h>

#include "machine/emulator/concurrent_blocks.h"

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

/* The number of block `rank` of cluster `cluster`. */
static uint64_t clusters_block_of(const struct smc_launch_state *launch, uint64_t cluster,
                                  uint64_t rank)
{
    const uint32_t *grid = launch->request->grid, *of = launch->cluster;
    const uint64_t across = grid[0] / of[0], along = grid[1] / of[1];
    const uint64_t x = cluster % across * of[0] + rank % of[0];
    const uint64_t y = cluster / across % along * of[1] + rank / of[0] % of[1];
    const uint64_t z = cluster / across / along * of[2] + rank / of[0] / of[1];
    return x + grid[0] * (y + grid[1] * z);
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

static void clusters_run_group(struct smc_launch_state *launch, struct smc_worker *workers,
                               uint64_t group)
{
    const uint64_t clusters = launch->together / launch->cluster_blocks;
    bool gave_up = false, runs = true;
    if (workers->concurrent)
        smc_concurrent_begin(workers->concurrent);
    for (uint64_t i = 0; i < launch->together; i++)
        smc_block_begin(&workers[i],
                        clusters_block_of(launch, group * clusters + i / launch->cluster_blocks,
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
        clusters_run_group(launch, workers, group);
        if (progress)
            atomic_fetch_add(&progress->done, launch->together);
    }
}
