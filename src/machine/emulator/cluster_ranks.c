/* Which block of a cluster is which: ranks, and the addresses of each other's shared memory. */
#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_steps.h"

uint32_t smc_cluster_rank(const struct smc_worker *worker)
{
    const uint32_t *of = worker->launch->cluster, *at = worker->block_index;
    return at[0] % of[0] + of[0] * (at[1] % of[1] + of[1] * (at[2] % of[2]));
}

struct smc_worker *smc_cluster_mate(struct smc_worker *worker, uint64_t rank)
{
    if (rank >= worker->launch->cluster_blocks)
        return NULL;
    return worker + (int64_t)rank - (int64_t)smc_cluster_rank(worker);
}

/* mapa: a is an address of the block's shared memory, b the rank of the block whose it becomes. */
enum smc_next smc_step_map_shared(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *rank = (const lane_u32 *)(warp->file + op->b);
    const bool is_alone = worker->launch->cluster_blocks == 1;
    EACH_ACTIVE(lane, mask) {
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
    EACH_ACTIVE(lane, mask) {
        const uint64_t address = op->address_is_32 ? ((const lane_u32 *)(warp->file + op->a))[lane]
                                                   : ((const lane_u64 *)(warp->file + op->a))[lane];
        const uint64_t place = address % SMC_WINDOW_BYTES / SMC_CLUSTER_STRIDE;
        d[lane] = place ? (uint32_t)place - 1 : smc_cluster_rank(worker);
    }
    return SMC_GO_ON;
}
