/* Blocks that make progress together: those of a cluster, and all of a cooperative launch. Each has
   a worker of its own, and one thread runs them in turns. Races between them: peers.h for the
   shared memory of a cluster, concurrent_blocks.h for global memory. */
#ifndef SMC_MACHINE_CLUSTERS_H
#define SMC_MACHINE_CLUSTERS_H

#include "machine/emulator/emulator_state.h"

/* The shared memory of block r of a cluster begins at (r + 1) times this, for all its blocks; an
   address below is of the block itself. */
#define SMC_CLUSTER_STRIDE (UINT64_C(1) << 24)

/* Sets the shape of the clusters, and how many blocks make progress together. */
enum smc_status smc_clusters_check(struct smc_launch_state *launch, struct smc_error *error);

/* Runs the blocks of the launch in their groups, of as many blocks as there are workers. */
void smc_run_together(struct smc_launch_state *launch, struct smc_worker *workers);

/* cluster_ranks.c: the worker of the block with this rank in the worker's cluster; NULL: no such
   block. */
struct smc_worker *smc_cluster_mate(struct smc_worker *worker, uint64_t rank);
/* The worker's rank in its cluster. */
uint32_t smc_cluster_rank(const struct smc_worker *worker);

/* cluster_memory.c: accesses of lanes to the shared memory of other blocks, as by
   smc_memory_access_at. The lanes that access their own block's are left to the caller. */
struct smc_cluster_lanes {
    uint32_t mine; /* lanes that access their own block, at these addresses */
    uint64_t own[SMC_LANES];
};
uint32_t smc_cluster_reach(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_warp_access *access, struct smc_cluster_lanes *lanes);

/* cluster_barrier.c: releases the barrier of the worker's cluster if all its threads arrived. */
void smc_cluster_try(struct smc_worker *worker);

#endif
