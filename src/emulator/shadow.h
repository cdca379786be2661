/* Who accessed each word last, for races and for memory that was never written.

   Time is a counter of the worker that every synchronisation moves on. Two accesses of different
   threads are in order when a barrier of the whole block lies between them, or one that both
   warps took part in (directly or through a third), or, within a warp, a __syncwarp of both lanes.
   Otherwise, if one of them writes, they race; two strong ones (atomics, .relaxed) do not, nor do
   two writes of the same value, which NVIDIA's racecheck reports as information only.

   Of each word the last write and up to two readers since are kept. That finds every race where
   all barriers are the block's; with partial barriers it can miss one, but reports no false one. */
#ifndef SMC_EMULATOR_SHADOW_H
#define SMC_EMULATOR_SHADOW_H

#include "emulator/runtime.h"

struct smc_shadow *smc_shadow_new(const struct smc_launch_state *launch);
void smc_shadow_free(struct smc_shadow *shadow);
void smc_shadow_begin_block(struct smc_shadow *shadow);

/* Synchronisations. */
void smc_shadow_sync_block(struct smc_shadow *shadow);
void smc_shadow_sync_warps(struct smc_shadow *shadow, const struct smc_barrier *barrier);
void smc_shadow_sync_lanes(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask);
/* The time of an arrival that does not wait: what follows it is not ordered by the barrier. */
uint32_t smc_shadow_arrive(struct smc_shadow *shadow);

/* Accesses of the lanes in `mask`, before they happen. `host` holds the old values; `value` (of
   writes) points at the new one of each lane, which is stored as it is checked, lane by lane. */
void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      enum smc_ptx_space space, enum smc_access_kind kind,
                      const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                      const void *const *value, char *const host[SMC_LANES]);

/* A copy to shared memory that has begun: from now on it may overwrite what others still read. What
   was never written stays so until the copy has arrived, which is a write like any other. */
void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask);

#endif
