/* Barriers, fences, releases and acquires: who is ordered after whom. */
#include "machine/emulator/order.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { RELEASE_BITS = 14, RELEASES = 1 << RELEASE_BITS, MOST_BLOCKS = 1 << 24 };

/* What the last strong writes to an address published. */
struct release {
    uint64_t address; /* 0: free */
    bool to_block, to_gpu;
    uint32_t block;
    uint32_t warp[SMC_ORDER_UNITS]; /* of `block` */
    struct smc_known_blocks blocks;
};

/* What a block has published to others: all that it did before `all_before`, and what the
   warps of `some_warps` did before `some_before`. */
struct published {
    uint32_t all_before, some_before, some_warps;
};

struct smc_releases {
    struct release table[RELEASES];
    uint32_t used;
    bool is_full; /* an address that is not in the table may have published everything */
    struct published *published; /* by block; NULL: blocks are not ordered */
    uint32_t blocks;
};

bool smc_order_begin(struct smc_order *order, const struct smc_launch_state *launch)
{
    order->now = 1;
    order->warps = launch->warps_per_block;
    order->is_together = launch->together > 1;
    order->lane_knows = smc_calloc(SMC_MAX_WARPS, sizeof *order->lane_knows);
    if (!order->lane_knows)
        return false;
    if (!launch->program->has_fences)
        return true;
    order->releases = smc_calloc(1, sizeof *order->releases);
    if (!order->releases)
        return false;
    if (!launch->program->runs_in_order)
        return true;
    struct smc_releases *releases = order->releases;
    releases->blocks = launch->blocks < MOST_BLOCKS ? (uint32_t)launch->blocks : MOST_BLOCKS;
    releases->published = smc_calloc(releases->blocks, sizeof *releases->published);
    return releases->published != NULL;
}

void smc_order_free(struct smc_order *order)
{
    free(order->lane_knows);
    if (order->releases)
        free(order->releases->published);
    free(order->releases);
}

void smc_order_begin_block(struct smc_order *order, uint64_t block)
{
    order->block = (uint32_t)block;
    order->block_began_at = ++order->now;
    order->all_synced_at = ++order->now; /* ordered before everything else */
    order->partly_synced = order->has_waited = false;
    order->split = 0;
    memset(order->known, 0, sizeof order->known);
    if (!order->is_used)
        return;
    memset(order->lane_acquired_at, 0, sizeof order->lane_acquired_at);
    memset(order->fenced, 0, sizeof order->fenced);
    memset(order->seen, 0, sizeof order->seen);
    memset(order->blocks, 0, sizeof order->blocks);
    order->is_used = false;
}

/* --- Sets of blocks --------------------------------------------------------------------------- */

static void order_add_block(struct smc_known_blocks *known, uint32_t block)
{
    if (block < known->below)
        return;
    for (uint32_t i = 0; i < known->count; i++)
        if (known->more[i] == block)
            return;
    if (block == known->below)
        known->below++;
    else if (known->count < SMC_MORE_BLOCKS)
        known->more[known->count++] = block;
    else
        known->below = block + 1; /* more than there is room for */
    for (uint32_t i = 0; i < known->count;) {
        if (known->more[i] > known->below) {
            i++;
            continue;
        }
        known->below += known->more[i] == known->below;
        known->more[i] = known->more[--known->count];
        i = 0;
    }
}

static void join_blocks(const struct smc_known_blocks *from, struct smc_known_blocks *to)
{
    if (from->below > to->below)
        to->below = from->below;
    uint32_t count = to->count;
    to->count = 0;
    for (uint32_t i = 0; i < count; i++)
        order_add_block(to, to->more[i]);
    for (uint32_t i = 0; i < from->count; i++)
        order_add_block(to, from->more[i]);
}

static bool has_block(const struct smc_known_blocks *known, uint32_t block)
{
    if (block < known->below)
        return true;
    for (uint32_t i = 0; i < known->count; i++)
        if (known->more[i] == block)
            return true;
    return false;
}

static void join_times(const uint32_t *from, uint32_t *to)
{
    for (uint32_t v = 0; v < SMC_ORDER_UNITS; v++)
        to[v] = from[v] > to[v] ? from[v] : to[v];
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* At a barrier of these warps, what each of them has fenced, seen and acquired becomes known to
   those that waited. What atomic operations saw is acquired by it. */
static void merge_at_barrier(struct smc_order *order, uint32_t arrived, uint32_t waited)
{
    static const struct smc_fenced nothing_fenced;
    struct smc_fenced fenced = nothing_fenced;
    struct smc_seen seen = {0};
    struct smc_known_blocks blocks = {0};
    EACH_ACTIVE(w, arrived) {
        fenced.block_lanes |= order->fenced[w].block_lanes;
        fenced.gpu_lanes |= order->fenced[w].gpu_lanes;
        join_times(order->fenced[w].block, fenced.block);
        join_times(order->fenced[w].gpu, fenced.gpu);
        join_blocks(&order->fenced[w].blocks, &fenced.blocks);
        seen.any |= order->seen[w].any;
        join_times(order->seen[w].warp, seen.warp);
        join_blocks(&order->seen[w].blocks, &seen.blocks);
        join_blocks(&order->seen[w].updated, &blocks);
        join_blocks(&order->blocks[w], &blocks);
    }
    fenced.block_lanes = fenced.block_lanes ? UINT32_MAX : 0;
    fenced.gpu_lanes = fenced.gpu_lanes ? UINT32_MAX : 0;
    EACH_ACTIVE(w, waited) {
        order->fenced[w] = fenced;
        order->seen[w] = seen;
        order->blocks[w] = blocks;
    }
}

static uint32_t all_warps(const struct smc_order *order)
{
    return order->warps >= SMC_MAX_WARPS ? UINT32_MAX : (1u << order->warps) - 1;
}

/* Each warp learns what others have waited for. */
static void merge_waits(struct smc_order *order)
{
    for (uint32_t v = SMC_MAX_WARPS; v < SMC_ORDER_UNITS; v++) {
        uint32_t latest = 0;
        for (uint32_t w = 0; w < order->warps; w++)
            latest = order->known[w][v] > latest ? order->known[w][v] : latest;
        for (uint32_t w = 0; w < order->warps; w++)
            order->known[w][v] = latest;
    }
}

void smc_order_sync_block(struct smc_order *order)
{
    order->all_synced_at = ++order->now;
    if (order->has_waited)
        merge_waits(order);
    order->partly_synced = false;
    if (order->is_used)
        merge_at_barrier(order, all_warps(order), all_warps(order));
}

void smc_order_sync_warps(struct smc_order *order, const struct smc_barrier *barrier)
{
    uint32_t knows[SMC_ORDER_UNITS] = {0};
    EACH_ACTIVE(w, barrier->warps) {
        join_times(order->known[w], knows);
        if (barrier->arrived_at[w] > knows[w])
            knows[w] = barrier->arrived_at[w];
    }
    EACH_ACTIVE(w, barrier->waiting)
        memcpy(order->known[w], knows, sizeof knows);
    order->partly_synced = true;
    order->now++;
    if (order->is_used)
        merge_at_barrier(order, barrier->warps, barrier->waiting);
}

/* What a lane of `from` knows of each lane of the warp. */
static void join_lanes(const struct smc_order *order, const struct smc_warp *warp, uint32_t from,
                       uint32_t knows[SMC_LANES])
{
    const uint32_t *synced_at = warp->lane_synced_at;
    EACH_ACTIVE(lane, from) {
        const uint32_t *own = order->lane_knows[warp->index][lane];
        for (uint32_t i = 0; i < SMC_LANES; i++) {
            const uint32_t both = synced_at[i] < synced_at[lane] ? synced_at[i] : synced_at[lane];
            knows[i] = own[i] > knows[i] ? own[i] : knows[i];
            knows[i] = both > knows[i] ? both : knows[i];
        }
    }
}

/* What lanes of a warp fenced and acquired becomes known to each of them. */
static void merge_lanes(struct smc_order *order, const struct smc_warp *warp, uint32_t mask)
{
    struct smc_fenced *fenced = &order->fenced[warp->index];
    uint32_t *acquired_at = order->lane_acquired_at[warp->index], latest = 0;
    if (fenced->block_lanes & mask)
        fenced->block_lanes |= mask;
    if (fenced->gpu_lanes & mask)
        fenced->gpu_lanes |= mask;
    EACH_ACTIVE(lane, mask)
        latest = acquired_at[lane] > latest ? acquired_at[lane] : latest;
    EACH_ACTIVE(lane, mask)
        acquired_at[lane] = latest;
}

void smc_order_sync_lanes(struct smc_order *order, struct smc_warp *warp, uint32_t mask)
{
    uint32_t knows[SMC_LANES] = {0};
    order->now++;
    order->partly_synced = true;
    /* Groups of lanes pass a barrier one after the other: each knows what all knew before it. */
    if (order->split >> warp->index & 1) {
        join_lanes(order, warp, warp->lanes, knows);
        EACH_ACTIVE(lane, mask)
            memcpy(order->lane_knows[warp->index][lane], knows, sizeof knows);
    }
    EACH_ACTIVE(lane, mask)
        warp->lane_synced_at[lane] = order->now;
    if (order->is_used)
        merge_lanes(order, warp, mask);
}

void smc_order_sync_some_lanes(struct smc_order *order, struct smc_warp *warp, uint32_t mask)
{
    uint32_t knows[SMC_LANES] = {0};
    order->now++;
    order->partly_synced = true;
    if (!(order->split >> warp->index & 1))
        memset(order->lane_knows[warp->index], 0, sizeof *order->lane_knows);
    order->split |= 1u << warp->index;
    join_lanes(order, warp, mask, knows);
    EACH_ACTIVE(lane, mask)
        knows[lane] = order->now;
    EACH_ACTIVE(lane, mask)
        memcpy(order->lane_knows[warp->index][lane], knows, sizeof knows);
    if (order->is_used)
        merge_lanes(order, warp, mask);
}

/* --- Fences ----------------------------------------------------------------------------------- */

/* What the warp knows of the warps of its block, itself included. */
static void times_known_to_warp(const struct smc_order *order, uint32_t w,
                                uint32_t times[SMC_ORDER_UNITS])
{
    for (uint32_t v = 0; v < SMC_ORDER_UNITS; v++)
        times[v] = v >= SMC_MAX_WARPS || order->known[w][v] > order->all_synced_at
                       ? order->known[w][v]
                       : order->all_synced_at;
    times[w] = order->now;
}

static void acquire_block(struct smc_order *order, uint32_t w, const uint32_t *times, uint32_t mask)
{
    join_times(times, order->known[w]);
    EACH_ACTIVE(lane, mask)
        if (times[w] > order->lane_acquired_at[w][lane])
            order->lane_acquired_at[w][lane] = times[w];
    order->partly_synced = true;
}

void smc_order_finish(struct smc_order *order, const struct smc_warp *warp, uint32_t unit,
                      uint32_t when)
{
    uint32_t *known = &order->known[warp->index][unit];
    *known = when > *known ? when : *known;
    order->partly_synced = order->has_waited = true;
}

void smc_order_acquire_all(struct smc_order *order, const struct smc_warp *warp, uint32_t mask)
{
    uint32_t times[SMC_ORDER_UNITS];
    order->now++;
    order->is_used = true;
    for (uint32_t v = 0; v < SMC_ORDER_UNITS; v++)
        times[v] = order->now;
    acquire_block(order, warp->index, times, mask);
}

void smc_order_fence(struct smc_order *order, const struct smc_warp *warp, uint32_t mask,
                     bool is_narrow)
{
    uint32_t w = warp->index;
    struct smc_fenced *fenced = &order->fenced[w];
    order->is_used = true;
    order->now++;
    if (order->seen[w].any)
        acquire_block(order, w, order->seen[w].warp, mask);
    times_known_to_warp(order, w, fenced->block);
    fenced->block_lanes |= mask;
    if (is_narrow)
        return;
    join_blocks(&order->seen[w].blocks, &order->blocks[w]);
    memcpy(fenced->gpu, fenced->block, sizeof fenced->gpu);
    fenced->blocks = order->blocks[w];
    fenced->gpu_lanes |= mask;
}

/* --- Strong accesses -------------------------------------------------------------------------- */

static struct release *order_find_release(struct smc_releases *releases, uint64_t address, bool add)
{
    uint32_t slot = smc_hash_slot(address, RELEASE_BITS);
    for (; releases->table[slot].address; slot = (slot + 1) % RELEASES)
        if (releases->table[slot].address == address)
            return &releases->table[slot];
    if (!add)
        return NULL;
    if (releases->used >= RELEASES / 4 * 3) {
        releases->is_full = true;
        return NULL;
    }
    releases->used++;
    releases->table[slot] = (struct release){.address = address};
    return &releases->table[slot];
}

static void observe_release(struct smc_order *order, const struct release *release, uint32_t w,
                            uint32_t lane, const struct smc_op *op, enum smc_access_kind kind)
{
    struct smc_seen *seen = &order->seen[w];
    if (release->to_block && release->block == order->block) {
        order->is_used = seen->any = true;
        join_times(release->warp, seen->warp);
        if (op->acquires)
            acquire_block(order, w, release->warp, 1u << lane);
    }
    if (release->to_gpu && !op->is_narrow) {
        order->is_used = seen->any = true;
        join_blocks(&release->blocks, &seen->blocks);
        if (kind == SMC_UPDATES)
            join_blocks(&release->blocks, &seen->updated);
        if (op->acquires)
            join_blocks(&release->blocks, &order->blocks[w]);
    }
}

static void publish(struct smc_order *order, const uint32_t *times)
{
    struct smc_releases *releases = order->releases;
    if (!releases->published || order->block >= releases->blocks)
        return;
    struct published *published = &releases->published[order->block];
    uint32_t all = UINT32_MAX;
    for (uint32_t v = 0; v < order->warps; v++)
        all = times[v] < all ? times[v] : all;
    published->all_before = all > published->all_before ? all : published->all_before;
    for (uint32_t v = 0; v < order->warps; v++) {
        if (times[v] <= published->all_before)
            continue;
        published->some_warps |= 1u << v;
        published->some_before =
            times[v] > published->some_before ? times[v] : published->some_before;
    }
}

/* A write of a lane that has fenced, or with .release. A plain write replaces what was published at
   the address, an atomic operation adds to it. */
static void release_at(struct smc_order *order, uint64_t address, uint32_t w, uint32_t lane,
                       const struct smc_op *op, bool replaces)
{
    const struct smc_fenced *fenced = &order->fenced[w];
    bool to_block = op->releases || fenced->block_lanes >> lane & 1;
    bool to_gpu = !op->is_narrow && (op->releases || fenced->gpu_lanes >> lane & 1);
    struct release *release = order_find_release(order->releases, address, to_block || to_gpu);
    uint32_t times[SMC_ORDER_UNITS];
    if (!release)
        return;
    if (replaces)
        release->to_block = release->to_gpu = false;
    if (op->releases)
        times_known_to_warp(order, w, times);
    if (to_block) {
        if (!release->to_block || release->block != order->block)
            memset(release->warp, 0, sizeof release->warp);
        join_times(op->releases ? times : fenced->block, release->warp);
        release->block = order->block;
        release->to_block = true;
    }
    if (to_gpu) {
        if (!release->to_gpu)
            release->blocks = (struct smc_known_blocks){0};
        join_blocks(op->releases ? &order->blocks[w] : &fenced->blocks, &release->blocks);
        order_add_block(&release->blocks, order->block);
        release->to_gpu = true;
        publish(order, op->releases ? times : fenced->gpu);
    }
}

void smc_order_strong(struct smc_order *order, const struct smc_warp *warp,
                      const struct smc_warp_access *access)
{
    struct smc_releases *releases = order->releases;
    const struct smc_op *op = access->op;
    const enum smc_access_kind kind = access->kind;
    const uint64_t window = access->space == SMC_SPACE_SHARED ? SMC_SHARED_WINDOW : 0;
    uint32_t w = warp->index;
    if (!releases)
        return;
    if (op->releases)
        order->now++;
    EACH_ACTIVE(lane, access->mask) {
        uint64_t at = access->address[lane] + window;
        if (order->is_together && kind != SMC_WRITES && !window)
            smc_order_acquire_all(order, warp, 1u << lane);
        if (kind != SMC_WRITES && releases->used) {
            const struct release *release = order_find_release(releases, at, false);
            if (release)
                observe_release(order, release, w, lane, op, kind);
            else if (releases->is_full)
                order->blocks[w].below = order->seen[w].blocks.below = UINT32_MAX;
        }
        if (kind != SMC_READS)
            release_at(order, at, w, lane, op, kind == SMC_WRITES);
    }
}

bool smc_order_knows_block(const struct smc_order *order, uint32_t warp, uint32_t block)
{
    return order->releases && has_block(&order->blocks[warp], block);
}

bool smc_order_knows(const struct smc_order *order, uint32_t warp, uint32_t block,
                     uint32_t other_warp, uint32_t when)
{
    const struct smc_releases *releases = order->releases;
    if (!releases || !has_block(&order->blocks[warp], block))
        return false;
    if (!releases->published || block >= releases->blocks)
        return true;
    const struct published *published = &releases->published[block];
    return when < published->all_before ||
           (published->some_warps >> other_warp & 1 && when < published->some_before);
}
