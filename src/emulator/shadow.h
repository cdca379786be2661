/* Records the last accesses to each word, to detect races and reads of unwritten memory. Time is a
   counter of the worker that every synchronization advances. Two accesses of different threads are
   ordered if one of these is between them: a barrier of the whole block, a barrier that both warps
   took part in (directly or through a third warp), or, within a warp, a __syncwarp of both lanes.
   Otherwise they race if one of them writes. Two strong accesses (atomics, .relaxed) do not race,
   and neither do two writes of the same value, which NVIDIA's racecheck reports as information
   only. For each word the last write and up to two later readers are kept. This finds every race if
   all barriers are barriers of the whole block. With partial barriers it can miss a race, but it
   never reports a false one. */
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
/* The time of an arrival that does not wait: the barrier does not order what follows it. */
uint32_t smc_shadow_arrive(struct smc_shadow *shadow);

/* Checks accesses of the lanes in `mask` before they happen. `host` holds the old values. For
   writes, `value` points at the new value of each lane, which is stored as it is checked, lane by
   lane. */
void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      enum smc_ptx_space space, enum smc_access_kind kind,
                      const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                      const void *const *value, char *const host[SMC_LANES]);

/* Records that a copy to shared memory has begun: from now on it may overwrite what others still
   read. Unwritten memory counts as unwritten until the copy arrives, which is then a normal
   write. */
void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask);

#endif
