/* Which accesses are ordered before which: the causality order of PTX's memory consistency model.
   Time is a counter of the worker that every synchronization advances. An access of another thread
   is ordered before one of mine if one of these is between them:
   - a barrier of the whole block, or one that both warps took part in, directly or through others;
   - within a warp, a __syncwarp of both lanes;
   - a release that my thread acquired: a fence followed by a strong write, or a write with
   .release, whose value (or that of a later atomic operation on it) a strong read saw that a fence
   follows, or that has .acquire. Between blocks both must have the scope of the GPU or the system.
   The unit of what is known is the warp, with exceptions by lane. Where this is coarser than PTX,
   it orders too much: a race may be missed, but none is invented. What wgmma and bulk copies read
   is read by units of their own, of which a warp knows when it has waited for them, or has
   synchronized with a warp that has. Programs rely on two things that
   PTX does not promise, and so they count: a fence for threads that meet the fencing thread at a
   later barrier; and a barrier after an atomic operation as the fence that acquires (the reduction
   of the CUDA C++ Programming Guide's section on memory fences, and threadFenceReduction of the
   CUDA samples, whose last block has only __syncthreads after its ticket). */
#ifndef SMC_MACHINE_ORDER_H
#define SMC_MACHINE_ORDER_H

#include "machine/emulator/emulator_state.h"

enum { SMC_MORE_BLOCKS = 12 };

/* The units that access memory: warps; warpgroups for what wgmma reads; and all bulk copies of a
   block for what they read of shared memory. What the last two did a barrier alone does not order:
   a warp must have waited for their groups. */
enum {
    SMC_BULK_UNIT = SMC_MAX_WARPS + SMC_MAX_WARPS / SMC_WARPGROUP,
    SMC_ORDER_UNITS = SMC_BULK_UNIT + 1
};

static inline uint32_t smc_warpgroup_unit(const struct smc_warp *warp)
{
    return SMC_MAX_WARPS + warp->index / SMC_WARPGROUP;
}

/* The blocks before `below`, and some after them. */
struct smc_known_blocks {
    uint32_t below, count;
    uint32_t more[SMC_MORE_BLOCKS];
};

/* What a fence of this warp covers, which a later strong write publishes. */
struct smc_fenced {
    uint32_t block_lanes, gpu_lanes; /* lanes that fenced, by scope */
    uint32_t block[SMC_ORDER_UNITS], gpu[SMC_ORDER_UNITS];
    struct smc_known_blocks blocks;
};

/* What strong reads of this warp saw, which a later fence acquires. */
struct smc_seen {
    bool any;
    uint32_t warp[SMC_ORDER_UNITS];
    struct smc_known_blocks blocks;
    struct smc_known_blocks updated; /* of them, those that atomic operations saw */
};

struct smc_order {
    uint32_t now, block_began_at, all_synced_at;
    bool partly_synced; /* since then, synchronizations among only some warps or lanes */
    bool is_used;       /* in this block: the members below `known` are not all zero */
    bool has_waited;    /* for a unit other than a warp */
    bool is_together;   /* other blocks make progress meanwhile, through which a release may come */
    uint32_t block;     /* that runs */
    uint32_t warps;
    uint32_t known[SMC_MAX_WARPS][SMC_ORDER_UNITS]; /* [w][v]: warp w is ordered after what unit v
                                                       did before this time */
    uint32_t lane_acquired_at[SMC_MAX_WARPS][SMC_LANES]; /* of the lane's own warp */
    uint32_t split; /* warps of which some lanes alone have synchronized; what each then knows: */
    uint32_t (*lane_knows)[SMC_LANES][SMC_LANES]; /* [w][a][b]: lane a is ordered after what lane b
                                                     did before this time */
    struct smc_fenced fenced[SMC_MAX_WARPS];
    struct smc_seen seen[SMC_MAX_WARPS];
    struct smc_known_blocks blocks[SMC_MAX_WARPS];
    struct smc_releases *releases; /* NULL: the program orders nothing by fences */
};

/* Between blocks only if they run in order on this worker. False: out of memory. */
bool smc_order_begin(struct smc_order *order, const struct smc_launch_state *launch);
void smc_order_free(struct smc_order *order);
void smc_order_begin_block(struct smc_order *order, uint64_t block);

void smc_order_sync_block(struct smc_order *order);
void smc_order_sync_warps(struct smc_order *order, const struct smc_barrier *barrier);
/* A barrier that these lanes have passed, or a __syncwarp of all lanes of the warp. */
void smc_order_sync_lanes(struct smc_order *order, struct smc_warp *warp, uint32_t mask);
/* A __syncwarp of some lanes. */
void smc_order_sync_some_lanes(struct smc_order *order, struct smc_warp *warp, uint32_t mask);
void smc_order_fence(struct smc_order *order, const struct smc_warp *warp, uint32_t mask,
                     bool is_narrow);
/* The warp has waited for what `unit`, which is no warp, read before `when`. */
void smc_order_finish(struct smc_order *order, const struct smc_warp *warp, uint32_t unit,
                      uint32_t when);
/* The lanes are ordered after all that the block did so far. */
void smc_order_acquire_all(struct smc_order *order, const struct smc_warp *warp, uint32_t mask);
/* A strong access. */
void smc_order_strong(struct smc_order *order, const struct smc_warp *warp,
                      const struct smc_warp_access *access);

/* Whether `warp` is ordered after what a warp of an earlier block did at that time. */
bool smc_order_knows(const struct smc_order *order, uint32_t warp, uint32_t block,
                     uint32_t other_warp, uint32_t when);

/* Whether `warp` acquired what that earlier block released. */
bool smc_order_knows_block(const struct smc_order *order, uint32_t warp, uint32_t block);

/* Whether the access of `thread` at time `when` of this block is ordered before what thread `me` of
   `warp` does now. */
static inline bool smc_order_has(const struct smc_order *order, const struct smc_warp *warp,
                                 uint32_t when, uint32_t thread, uint32_t me)
{
    if (when < order->all_synced_at || thread == me)
        return true;
    uint32_t other = thread / SMC_LANES, lane = thread % SMC_LANES, mine = me % SMC_LANES;
    if (other != warp->index)
        return when < order->known[warp->index][other];
    const uint32_t *synced_at = warp->lane_synced_at;
    return (when < synced_at[lane] && when < synced_at[mine]) ||
           when < order->lane_acquired_at[warp->index][mine] ||
           (order->split >> warp->index & 1 && when < order->lane_knows[warp->index][mine][lane]);
}

#endif
