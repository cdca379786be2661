/* Races in global memory between blocks that make progress together: of a cluster, or of a
   cooperative launch of at most SMC_MOST_ORDERED blocks.

   As in peers.h, each block has a clock, and knows of another one up to a time of that one's clock:
   what it did before is ordered before what this block does now. It learns from strong reads of
   what other blocks published by a release, or a fence and then a strong write; from the cluster's
   barrier; and from mbarrier objects at which other blocks arrive. What one thread knows all
   threads of its block do, and what was published at one address is acquired at any other: a race
   may be missed, but none is invented. */
#ifndef SMC_MACHINE_CONCURRENT_BLOCKS_H
#define SMC_MACHINE_CONCURRENT_BLOCKS_H

#include "machine/emulator/emulator_state.h"

enum { SMC_MOST_ORDERED = 64 };

/* For the workers of blocks that run together, of which `worker` is the first. NULL: their races
   are not looked for, or with *failed there is no memory. */
struct smc_concurrent *smc_concurrent_new(const struct smc_worker *worker, bool *failed);
void smc_concurrent_free(struct smc_concurrent *concurrent);
/* The blocks of the next group begin. */
void smc_concurrent_begin(struct smc_concurrent *concurrent);

/* narrow: of the block or the cluster only. */
void smc_concurrent_fence(struct smc_worker *worker, bool is_narrow);
/* A fence.proxy.async for global memory: see proxies.h. It covers what is ordered before it, for
   accesses of the block, and of those that learn from it. */
void smc_concurrent_proxy_fence(struct smc_worker *worker);
/* A strong access to any memory that others may see; an arrival at an object of another block is a
   write, a wait for an object a read. */
void smc_concurrent_strong(struct smc_worker *worker, const struct smc_op *op,
                           enum smc_access_kind kind);
/* The barrier of these blocks of a cluster is complete. */
void smc_concurrent_barrier(struct smc_worker *first, uint32_t blocks);

/* What instruction `place` of this block has just written among these bytes of global memory is
   written later, or now: until then it is ordered before nothing of the other blocks. */
void smc_concurrent_delay(struct smc_worker *worker, uint64_t address, uint32_t bytes,
                          uint32_t place, bool is_pending);

/* Before accesses of lanes to global memory. */
void smc_concurrent_check(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_warp_access *access);

#endif
