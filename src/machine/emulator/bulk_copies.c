/* Bulk copies and reductions, and asynchronous stores: cp.async.bulk, cp.reduce.async.bulk,
   st.async, red.async. They are executed at once, as accesses of the thread that began them. That
   threads do not wait for them is found all the same: by what is recorded of reads and writes that
   may be pending. */
#include "machine/emulator/bulk_copies.h"

#include <string.h>

#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/mbarrier.h"
#include "machine/emulator/order.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"
#include "machine/narrow.h"

enum { BULK_BYTES = 16 }; /* sizes and addresses are multiples of it */

/* --- Places ----------------------------------------------------------------------------------- */

uint32_t smc_bulk_blocks(const struct smc_warp *warp, const struct smc_op *op, uint32_t lane)
{
    const uint32_t all = (1u << SMC_BULK_BLOCKS) - 1;
    return op->immediate & SMC_BULK_MULTICAST
               ? ((const lane_u32 *)(warp->file + op->v[1]))[lane] & all
               : 1;
}

uint64_t smc_bulk_address(const struct smc_worker *worker, const struct smc_op *op,
                          uint64_t address, uint32_t rank)
{
    const uint64_t offset = address % SMC_CLUSTER_STRIDE;
    if (!(op->immediate & SMC_BULK_MULTICAST))
        return address;
    return rank == smc_cluster_rank(worker) ? offset : (rank + 1) * SMC_CLUSTER_STRIDE + offset;
}

static void bulk_copies_report(const struct smc_copier *copier, enum smc_finding_kind kind,
                               const struct smc_bulk *bulk, uint32_t bytes)
{
    struct smc_finding finding = smc_finding_at(copier->worker, kind, copier->op->instruction,
                                                smc_thread_of(copier->warp, copier->lane));
    smc_finding_set_address(copier->worker, &finding, bulk->space, bulk->address, bytes);
    smc_find(copier->worker, &finding);
}

bool smc_place_is_aligned(const struct smc_copier *copier, enum smc_ptx_space space,
                          uint64_t address, uint32_t bytes, uint32_t align)
{
    const struct smc_bulk bulk = {.space = space, .address = address};
    if (address % align == 0 && bytes % align == 0)
        return true;
    bulk_copies_report(copier, SMC_FINDING_MISALIGNED, &bulk, bytes);
    return false;
}

bool smc_place_find(const struct smc_copier *copier, enum smc_access_kind kind,
                    enum smc_ptx_space space, uint64_t address, uint32_t bytes,
                    struct smc_copy_place *place)
{
    struct smc_worker *worker = copier->worker;
    const uint64_t rank = address / SMC_CLUSTER_STRIDE - 1;
    *place = (struct smc_copy_place){.bulk = {.space = space, .address = address}, .owner = worker};
    const bool is_flat = space != SMC_SPACE_SHARED || address < SMC_CLUSTER_STRIDE ||
                         worker->launch->cluster_blocks == 1;
    if (!is_flat)
        place->bulk.address = address % SMC_CLUSTER_STRIDE;
    if (is_flat || rank == smc_cluster_rank(worker))
        return smc_memory_bulk(worker, copier->warp, copier->op, kind, bytes, copier->lane,
                               &place->bulk);
    const uint64_t room = worker->launch->smem_bytes;
    place->owner = smc_cluster_mate(worker, rank);
    if (!place->owner || place->bulk.address > room || bytes > room - place->bulk.address) {
        bulk_copies_report(copier, SMC_FINDING_OUT_OF_BOUNDS, &place->bulk, bytes);
        return false;
    }
    if (!place->owner->is_running) {
        const struct smc_peer_access access = {.op = copier->op,
                                               .kind = kind,
                                               .owner = place->owner,
                                               .address = place->bulk.address,
                                               .bytes = bytes};
        smc_peers_report_ended(worker, copier->warp, copier->lane, &access);
        return false;
    }
    place->bulk.data = place->owner->shared + place->bulk.address;
    return true;
}

/* The largest aligned piece of at most 16 bytes. */
static uint32_t piece_at(uint64_t address, uint32_t left)
{
    uint32_t piece = BULK_BYTES;
    while (address % piece || piece > left)
        piece /= 2;
    return piece;
}

/* The accesses of the lane, piece by piece, for the checks of races. */
static void bulk_copies_check(const struct smc_copier *copier, const struct smc_copy_place *place,
                              enum smc_access_kind kind, uint32_t at, uint32_t bytes,
                              const char *from)
{
    const uint32_t lane = copier->lane;
    uint64_t address[SMC_LANES] = {0};
    char *host[SMC_LANES] = {0};
    const void *value[SMC_LANES] = {0};
    if (place->owner != copier->worker) {
        const struct smc_peer_access access = {
            .op = copier->op,
            .kind = kind,
            .owner = place->owner,
            .address = place->bulk.address + at,
            .bytes = bytes,
            .is_same = from && kind == SMC_WRITES && !memcmp(place->bulk.data + at, from, bytes)};
        smc_peers_reach(copier->worker, copier->warp, lane, &access);
        if (kind != SMC_READS && place->owner->shadow)
            smc_shadow_written_elsewhere(place->owner->shadow, place->bulk.address + at, bytes);
        return;
    }
    struct smc_warp_access access = {.op = copier->op,
                                     .kind = kind,
                                     .space = place->bulk.space,
                                     .mask = 1u << lane,
                                     .address = address,
                                     .value = from ? value : NULL,
                                     .host = host};
    for (uint32_t done = 0; done < bytes && copier->worker->shadow; done += access.bytes) {
        address[lane] = place->bulk.address + at + done;
        host[lane] = place->bulk.data + at + done;
        value[lane] = from ? from + done : NULL;
        access.bytes = piece_at(address[lane], bytes - done);
        smc_shadow_check(copier->worker, copier->warp, &access, NULL);
    }
}

void smc_place_read(const struct smc_copier *copier, const struct smc_copy_place *place,
                    uint32_t at, uint32_t bytes, char *out)
{
    bulk_copies_check(copier, place, SMC_READS, at, bytes, NULL);
    memcpy(out, place->bulk.data + at, bytes);
}

void smc_place_write(const struct smc_copier *copier, const struct smc_copy_place *place,
                     uint32_t at, uint32_t bytes, const char *from)
{
    bulk_copies_check(copier, place, SMC_WRITES, at, bytes, from);
    memcpy(place->bulk.data + at, from, bytes);
}

/* --- Reductions ------------------------------------------------------------------------------- */

/* The smaller or greater of two halves; of a number and a NaN, the number. */
static uint32_t extreme_half(const struct smc_op *op, uint32_t a, uint32_t b)
{
    const struct smc_narrow *format = op->type == SMC_PTX_BF16 ? &smc_bfloat : &smc_half;
    const double x = smc_of_narrow(format, a), y = smc_of_narrow(format, b);
    const bool is_less = x < y || (x == y && a > b); /* -0 is below +0 */
    if (x != x || y != y)
        return x == x ? a : y == y ? b : format->nan;
    return is_less == (op->reduction == SMC_REDUCE_MIN) ? a : b;
}

void smc_place_reduce(const struct smc_copier *copier, const struct smc_copy_place *place,
                      uint32_t at, uint32_t bytes, const char *from)
{
    const struct smc_op *op = copier->op;
    const uint32_t width = smc_ptx_type_info[op->type].bytes;
    const bool is_extreme = op->reduction == SMC_REDUCE_MIN || op->reduction == SMC_REDUCE_MAX;
    struct smc_op relaxed = *op;
    struct smc_copier reducer = *copier;
    reducer.op = &relaxed;
    relaxed.is_strong = true;
    relaxed.acquires = relaxed.releases = false;
    bulk_copies_check(&reducer, place, SMC_UPDATES, at, bytes, NULL);
    for (uint32_t i = 0; i < bytes; i += width) {
        char *host = place->bulk.data + at + i;
        uint64_t value = 0;
        uint16_t old, half;
        memcpy(&value, from + i, width);
        if (smc_ptx_is_half(op->type) && is_extreme) {
            memcpy(&old, host, sizeof old);
            half = (uint16_t)extreme_half(op, old, (uint32_t)value);
            memcpy(host, &half, sizeof half);
        } else {
            smc_atomic_update(copier->worker, op, host, value);
        }
    }
}

/* --- cp.async.bulk, cp.reduce.async.bulk ------------------------------------------------------ */

enum { CHUNK_BYTES = 1024 };

/* Reads each chunk once and writes it to all places. */
static void bulk_copies_move(const struct smc_copier *copier, const struct smc_copy_place *to,
                             uint32_t places, const struct smc_copy_place *from, uint32_t bytes)
{
    char chunk[CHUNK_BYTES];
    for (uint32_t at = 0; at < bytes; at += CHUNK_BYTES) {
        const uint32_t part = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
        smc_place_read(copier, from, at, part, chunk);
        for (uint32_t i = 0; i < places; i++)
            if (copier->op->reduction == SMC_REDUCE_NONE)
                smc_place_write(copier, &to[i], at, part, chunk);
            else
                smc_place_reduce(copier, &to[i], at, part, chunk);
    }
}

/* The copy of one lane. */
static void bulk_copies_copy(const struct smc_copier *copier, const struct smc_copy_place *from,
                             uint32_t bytes)
{
    struct smc_worker *worker = copier->worker;
    struct smc_warp *warp = copier->warp;
    const struct smc_op *op = copier->op;
    const uint32_t lane = copier->lane;
    const uint64_t address = ((const lane_u64 *)(warp->file + op->a))[lane];
    const uint64_t object = ((const lane_u64 *)(warp->file + op->c))[lane];
    const uint32_t mask = smc_bulk_blocks(warp, op, lane);
    struct smc_copy_place to[SMC_BULK_BLOCKS];
    uint32_t places = 0;
    EACH_ACTIVE(rank, mask) {
        const uint64_t at = smc_bulk_address(worker, op, address, rank);
        if (bytes > 0 && smc_place_find(copier, SMC_WRITES, op->space, at, bytes, &to[places]))
            places++;
    }
    bulk_copies_move(copier, to, places, from, bytes);
    for (uint32_t i = 0; i < places && op->immediate & SMC_BULK_COMPLETES; i++)
        if (to[i].owner == worker)
            smc_mbarrier_await_copy(worker, object, to[i].bulk.address, bytes, op->instruction);
    EACH_ACTIVE(rank, op->immediate & SMC_BULK_COMPLETES ? mask : 0)
        smc_mbarrier_complete(worker, warp, op, smc_bulk_address(worker, op, object, rank), bytes,
                              lane);
}

enum smc_next smc_step_bulk_copy(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    const lane_u64 *to = (const lane_u64 *)(warp->file + op->a);
    const lane_u64 *from = (const lane_u64 *)(warp->file + op->b);
    const lane_u32 *size = (const lane_u32 *)(warp->file + op->v[0]);
    const enum smc_ptx_space source =
        op->immediate & SMC_BULK_FROM_GLOBAL ? SMC_SPACE_GLOBAL : SMC_SPACE_SHARED;
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        const uint32_t bytes = size[lane];
        const struct smc_copier copier = {worker, warp, op, lane};
        struct smc_copy_place reads = {.owner = worker};
        if (smc_place_is_aligned(&copier, source, from[lane], bytes, BULK_BYTES) &&
            smc_place_is_aligned(&copier, op->space, to[lane], bytes, BULK_BYTES) &&
            (bytes == 0 || smc_place_find(&copier, SMC_READS, source, from[lane], bytes, &reads)))
            bulk_copies_copy(&copier, &reads, bytes);
        smc_bulk_begin(worker, warp, op, lane);
    }
    return SMC_GO_ON;
}

/* --- Groups ----------------------------------------------------------------------------------- */

/* What a lane's bulk copies read of shared memory they read until the lane has waited for their
   group; .read waits for no more (PTX ISA 9.0, 9.7.9.25 "cp.async.bulk.wait_group"). */
void smc_bulk_begin(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                    uint32_t lane)
{
    if (!worker->shadow || !op->is_of_group)
        return;
    warp->bulk->begun[lane] = smc_shadow_arrive(worker->shadow);
    warp->bulk->place[lane] = op->instruction;
}

enum smc_next smc_step_bulk_commit(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    struct smc_bulk_groups *bulk = warp->bulk;
    (void)op;
    if (!worker->shadow || !bulk)
        return SMC_GO_ON;
    const uint32_t now = smc_shadow_arrive(worker->shadow);
    EACH_ACTIVE(lane, mask)
        bulk->committed[lane][bulk->groups[lane]++ % SMC_PRODUCT_GROUPS] = now;
    return SMC_GO_ON;
}

enum smc_next smc_step_bulk_wait(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    struct smc_bulk_groups *bulk = warp->bulk;
    EACH_ACTIVE(lane, worker->shadow && bulk && op->immediate < SMC_PRODUCT_GROUPS ? mask : 0) {
        if (op->immediate >= bulk->groups[lane])
            continue;
        const uint32_t last = bulk->groups[lane] - 1 - (uint32_t)op->immediate;
        const uint32_t when = bulk->committed[lane][last % SMC_PRODUCT_GROUPS];
        smc_shadow_finish(worker->shadow, warp, SMC_BULK_UNIT, when);
        if (bulk->begun[lane] < when)
            bulk->begun[lane] = 0;
    }
    return SMC_GO_ON;
}

void smc_bulk_end_block(struct smc_worker *worker)
{
    for (uint32_t w = 0; !worker->gave_up && w < worker->launch->warps_per_block; w++) {
        const struct smc_bulk_groups *bulk = worker->warp[w].bulk;
        for (uint32_t lane = 0; bulk && lane < SMC_LANES; lane++) {
            if (!bulk->begun[lane])
                continue;
            struct smc_finding finding =
                smc_finding_at(worker, SMC_FINDING_UNFINISHED_COPY, bulk->place[lane],
                               smc_thread_of(&worker->warp[w], lane));
            smc_finding_hint(&finding);
            smc_find(worker, &finding);
        }
    }
}

/* --- st.async, red.async ---------------------------------------------------------------------- */

static enum smc_next then_complete(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask, smc_step *step)
{
    const lane_u64 *object = (const lane_u64 *)(warp->file + op->c);
    struct smc_op access = *op;
    access.releases = false; /* the object orders it */
    access.c = op->b;
    const enum smc_next next = step(worker, warp, &access, mask);
    EACH_ACTIVE(lane, mask)
        smc_mbarrier_complete(worker, warp, op, object[lane], smc_op_bytes(op), lane);
    return next;
}

enum smc_next smc_step_store_async(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    return then_complete(worker, warp, op, mask, smc_step_store);
}

enum smc_next smc_step_reduce_async(struct smc_worker *worker, struct smc_warp *warp,
                                    const struct smc_op *op, uint32_t mask)
{
    return then_complete(worker, warp, op, mask, smc_step_atomic);
}
