/* Records the last accesses to each word, to detect races and reads of unwritten memory. Two
   accesses race if one of them writes, they are of different threads, neither is ordered before the
   other (order.h), and they are not both strong (atomics, volatile, .relaxed and above) with a
   scope that includes both threads. Two writes of the same value are not reported, as by NVIDIA's
   racecheck. For each word the last write and up to two later readers are kept. This finds every
   race within a block if all barriers are barriers of the whole block. With other synchronization
   it can miss a race, but it never reports a false one. Races between blocks are found in
   past_blocks.h. */
#ifndef SMC_MACHINE_SHADOW_H
#define SMC_MACHINE_SHADOW_H

#include "machine/emulator/emulator_state.h"

/* The time of a write to global memory that is pending: nothing is ordered after it. */
#define SMC_WRITTEN_LATER UINT32_MAX

struct smc_shadow *smc_shadow_new(const struct smc_launch_state *launch);
void smc_shadow_free(struct smc_shadow *shadow);
void smc_shadow_begin_block(struct smc_shadow *shadow, uint64_t block);
void smc_shadow_end_block(struct smc_shadow *shadow);
/* The bytes of a cell of global memory. */
uint32_t smc_cell_bytes_global(const struct smc_program *program);

/* Synchronisations. */
void smc_shadow_sync_block(struct smc_shadow *shadow);
void smc_shadow_sync_warps(struct smc_shadow *shadow, const struct smc_barrier *barrier);
void smc_shadow_sync_lanes(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask);
void smc_shadow_sync_warp(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask);
/* A fence of these lanes; narrow: of the block only. */
void smc_shadow_fence(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask,
                      bool is_narrow);
/* A fence.proxy.async of these lanes, for these spaces: see proxies.h. */
void smc_shadow_proxy_fence(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask,
                            uint32_t spaces);
/* A strong operation that orders accesses and is not checked itself; its addresses may be any keys
   that its other lanes and threads also have. */
void smc_shadow_order(struct smc_shadow *shadow, const struct smc_warp *warp,
                      const struct smc_warp_access *access);
/* What instruction `place` wrote among these bytes of shared memory is pending, or no longer. */
void smc_shadow_set_pending(struct smc_shadow *shadow, uint64_t address, uint32_t bytes,
                            uint32_t place, bool is_pending);
/* The same of global memory, which instruction `place` has just written, or writes now. */
void smc_shadow_delay(struct smc_shadow *shadow, uint64_t address, uint32_t bytes, uint32_t place,
                      bool is_pending);
/* Another block has written to these bytes of shared memory. */
void smc_shadow_written_elsewhere(struct smc_shadow *shadow, uint64_t address, uint32_t bytes);
/* Lanes of the warp have learned of all that the block did. */
void smc_shadow_acquire_all(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask);
/* The warp has waited for what `unit` (order.h) read before `when`. */
void smc_shadow_finish(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t unit,
                       uint32_t when);
/* Whether the warp is ordered after what another one did at `when`. */
bool smc_shadow_is_after(const struct smc_shadow *shadow, const struct smc_warp *warp,
                         uint32_t other_warp, uint32_t when);
/* The present time. */
uint32_t smc_shadow_now(const struct smc_shadow *shadow);
/* The time of an arrival that does not wait: the barrier does not order what follows it. */
uint32_t smc_shadow_arrive(struct smc_shadow *shadow);

/* The bytes of a cell: of what is recorded by itself. */
uint32_t smc_shadow_cell_bytes(const struct smc_shadow *shadow, enum smc_ptx_space space);

/* Where the lanes of one access go: each place once, by its distance from the first active lane's
   address, and which lanes go there. The same places as cells: bit n of a word is cell
   32 * number + n from that of the lowest place on, which is `least` from the first lane's. */
struct smc_place_word {
    uint64_t number;
    uint32_t cells, several; /* that lanes access, that several lanes do */
};
enum { SMC_PLACE_WORDS = 2 * SMC_LANES };
struct smc_places {
    uint32_t count, words;
    uint64_t least;
    struct smc_place_word word[SMC_PLACE_WORDS];
    uint64_t offset[SMC_LANES];
    uint32_t lanes[SMC_LANES];
};

/* Checks weak reads of shared or global memory that are within it. False: nothing happened,
   smc_shadow_check serves. */
bool smc_shadow_passes(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                       uint64_t first, const struct smc_places *places);

/* Whether weak writes of shared or global memory, each lane to another place, need no check:
   nothing accessed the places before. If so, smc_shadow_written is to be called when they have
   happened; `data`: of the first lane. */
bool smc_shadow_may_write(struct smc_shadow *shadow, const struct smc_op *op, uint64_t first,
                          const struct smc_places *places);
void smc_shadow_written(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_op *op, uint64_t first, const struct smc_places *places,
                        const char *data);

/* Before places are forgotten that were given to smc_shadow_check. */
void smc_shadow_catch_up(struct smc_shadow *shadow);

/* Checks accesses of the lanes in `mask` before they happen. `host` holds the old values. For
   writes, `value` points at the new value of each lane, which is stored as it is checked, lane by
   lane. `places`: of weak reads, NULL where it is not known; it is read until smc_shadow_catch_up.
 */
void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp,
                      const struct smc_warp_access *access, const struct smc_places *places);

/* After a store to shared memory of a value that is unset (unset_values.h): an element of a lane.
 */
void smc_shadow_leave_unset(struct smc_worker *worker, const struct smc_warp *warp,
                            const struct smc_op *op, uint32_t lane, uint64_t address,
                            const struct smc_unset_origin *origin);

/* Reports a use of such a value; the address is that of the read that came first, if `bytes` is
   not 0. */
void smc_shadow_report_unset(struct smc_worker *worker, const struct smc_unset_origin *origin,
                             uint64_t address, uint32_t bytes);

/* Records that a copy to shared memory has begun: from now on it may overwrite what others still
   read, and a read is a finding until it arrives, which is then a normal write. */
void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask);

#endif
