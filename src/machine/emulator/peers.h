/* What the blocks of a cluster do in each other's shared memory, and what they know of each other:
   races between them, and accesses to a block that may have ended.

   Each block has a clock, that of its struct smc_order. A block knows of another one up to a time
   of that one's clock: what it did before is ordered before what this block does now. It learns
   from the barrier of the cluster, from waits for mbarrier objects at which others arrived, and
   from strong accesses after which, or before which, there is a fence. All of this is kept for the
   block as a whole: where one of its threads knows something, all do. So a race may be missed, but
   none is invented. */
#ifndef SMC_MACHINE_PEERS_H
#define SMC_MACHINE_PEERS_H

#include "machine/emulator/emulator_state.h"

/* False: out of memory. Nothing is kept for blocks without a cluster, or unchecked. */
bool smc_peers_new(struct smc_worker *worker);
void smc_peers_free(struct smc_worker *worker);
void smc_peers_begin_block(struct smc_worker *worker);
/* Reports accesses of others to the block's shared memory that may come after its end. */
void smc_peers_end_block(struct smc_worker *worker);

/* An access of a lane to another block's shared memory. */
struct smc_peer_access {
    const struct smc_op *op;
    enum smc_access_kind kind;
    struct smc_worker *owner; /* whose block's shared memory it is to */
    uint64_t address;         /* in that */
    uint32_t bytes;
    bool is_same; /* a write of the value that is there */
};
void smc_peers_reach(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                     const struct smc_peer_access *access);
/* The block with this rank of the cluster has ended when it is accessed. */
void smc_peers_report_ended(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                            const struct smc_peer_access *access);

/* An access of lanes of the block to its own shared memory, which others have accessed, before it
   happens. */
void smc_peers_check(struct smc_worker *worker, const struct smc_warp *warp,
                     const struct smc_warp_access *access);

/* The cluster's barrier: a warp arrives at this time of its block's clock, all have arrived, and a
   warp that waited continues. */
void smc_peers_arrive(struct smc_worker *worker, bool is_relaxed, uint32_t time);
void smc_peers_complete(struct smc_worker *first);
void smc_peers_pass(struct smc_worker *worker);

/* An arrival at an mbarrier object of another block, and a wait for the block's own object. */
void smc_peers_release(struct smc_worker *worker, struct smc_worker *owner, uint64_t object);
void smc_peers_acquire(struct smc_worker *worker, uint64_t object);

void smc_peers_fence(struct smc_worker *worker);
/* A fence.proxy.async: see proxies.h. */
void smc_peers_proxy_fence(struct smc_worker *worker);
/* A strong access to any memory that others may see. */
void smc_peers_strong(struct smc_worker *worker, const struct smc_op *op,
                      enum smc_access_kind kind);

#endif
