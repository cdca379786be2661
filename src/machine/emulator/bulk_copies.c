/* Bulk copies and reductions, and asynchronous stores: cp.async.bulk, cp.reduce.async.bulk,
   st.async, red.async. Their accesses are those of the thread that issues them, and their data move
   later: see pending.h. */
#include "machine/emulator/bulk_copies.h"

#include <string.h>

#include "machine/emulator/clusters.h"
#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/mbarrier.h"
#include "machine/emulator/order.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"
#include "machine/narrow.h"

enum { BULK_BYTES = 16 }; /* sizes and addresses are multiples of it */
enum { MOST_STORED = 16 };

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

bool smc_place_is_aligned(const struct smc_issuer *by, enum smc_ptx_space space, uint64_t address,
                          uint32_t bytes, uint32_t align)
{
    const struct smc_bulk bulk = {.space = space, .address = address, .bytes = bytes};
    if (address % align == 0 && bytes % align == 0)
        return true;
    smc_memory_report_bulk(by->worker, by->op, smc_thread_of(by->warp, by->lane),
                           SMC_FINDING_MISALIGNED, &bulk);
    return false;
}

bool smc_place_find(const struct smc_issuer *by, enum smc_access_kind kind,
                    enum smc_ptx_space space, uint64_t address, uint32_t bytes,
                    struct smc_copy_place *place)
{
    struct smc_worker *worker = by->worker;
    const uint64_t rank = address / SMC_CLUSTER_STRIDE - 1;
    const uint32_t thread = smc_thread_of(by->warp, by->lane);
    *place = (struct smc_copy_place){
        .bulk = {.kind = kind, .space = space, .address = address, .bytes = bytes},
        .owner = worker};
    const bool checks = by->step == SMC_WALK_CHECKS;
    const bool is_flat = space != SMC_SPACE_SHARED || address < SMC_CLUSTER_STRIDE ||
                         worker->launch->cluster_blocks == 1;
    if (!is_flat)
        place->bulk.address = address % SMC_CLUSTER_STRIDE;
    if (is_flat || rank == smc_cluster_rank(worker))
        return checks ? smc_memory_bulk(worker, by->op, thread, &place->bulk)
                      : smc_memory_find_bulk(worker, &place->bulk) == SMC_FINDING_KINDS;
    const uint64_t room = worker->launch->smem_bytes;
    place->owner = smc_cluster_mate(worker, rank);
    if (!place->owner || place->bulk.address > room || bytes > room - place->bulk.address) {
        if (checks)
            smc_memory_report_bulk(worker, by->op, thread, SMC_FINDING_OUT_OF_BOUNDS, &place->bulk);
        return false;
    }
    if (checks && !place->owner->is_running) {
        const struct smc_peer_access access = {.op = by->op,
                                               .kind = kind,
                                               .owner = place->owner,
                                               .address = place->bulk.address,
                                               .bytes = bytes};
        smc_peers_report_ended(worker, by->warp, by->lane, &access);
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

/* What a group writes to global memory is there when a thread has waited for it. */
static void delay(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                  uint32_t bytes, bool is_pending)
{
    const uint64_t address = place->bulk.address + at;
    const uint32_t instruction = by->op->instruction;
    if (!by->worker->shadow || !by->op->is_of_group || place->bulk.space != SMC_SPACE_GLOBAL)
        return;
    smc_shadow_delay(by->worker->shadow, address, bytes, instruction, is_pending);
    smc_concurrent_delay(by->worker, address, bytes, instruction, is_pending);
}

/* The accesses of the lane, piece by piece, for the checks of races. */
static void bulk_copies_check(const struct smc_issuer *by, const struct smc_copy_place *place,
                              enum smc_access_kind kind, uint32_t at, uint32_t bytes,
                              const char *from)
{
    const uint32_t lane = by->lane;
    uint64_t address[SMC_LANES] = {0};
    char *host[SMC_LANES] = {0};
    const void *value[SMC_LANES] = {0};
    char there[BULK_BYTES]; /* as a check of a write stores the value */
    if (place->owner != by->worker) {
        const struct smc_peer_access access = {
            .op = by->op,
            .kind = kind,
            .owner = place->owner,
            .address = place->bulk.address + at,
            .bytes = bytes,
            .is_same = from && kind == SMC_WRITES && !memcmp(place->bulk.data + at, from, bytes)};
        smc_peers_reach(by->worker, by->warp, lane, &access);
        if (kind != SMC_READS && place->owner->shadow)
            smc_shadow_written_elsewhere(place->owner->shadow, place->bulk.address + at, bytes);
        return;
    }
    struct smc_warp_access access = {.op = by->op,
                                     .kind = kind,
                                     .space = place->bulk.space,
                                     .mask = 1u << lane,
                                     .address = address,
                                     .value = from ? value : NULL,
                                     .host = host};
    for (uint32_t done = 0; done < bytes && by->worker->shadow; done += access.bytes) {
        address[lane] = place->bulk.address + at + done;
        host[lane] = there;
        value[lane] = from ? from + done : NULL;
        access.bytes = piece_at(address[lane], bytes - done);
        memcpy(there, place->bulk.data + at + done, access.bytes);
        smc_shadow_check(by->worker, by->warp, &access, NULL);
    }
    if (kind != SMC_READS)
        delay(by, place, at, bytes, true);
}

void smc_place_read_any(const struct smc_issuer *by, const struct smc_copy_place *place,
                        uint32_t at, uint32_t bytes, char *out)
{
    struct smc_kept *kept = by->kept;
    const bool keeps = by->step == SMC_WALK_READS || by->step == SMC_WALK_WRITES;
    if (by->step == SMC_WALK_WRITES)
        memcpy(out, kept->data + kept->at, bytes);
    else
        memcpy(out, place->bulk.data + at, bytes);
    if (by->step == SMC_WALK_READS)
        memcpy(kept->data + kept->at, out, bytes);
    if (keeps)
        kept->at += bytes;
}

void smc_place_read(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                    uint32_t bytes, char *out)
{
    if (by->step == SMC_WALK_CHECKS)
        bulk_copies_check(by, place, SMC_READS, at, bytes, NULL);
    smc_place_read_any(by, place, at, bytes, out);
}

static bool moves_results(const struct smc_issuer *by)
{
    return by->step == SMC_WALK_WRITES || by->step == SMC_WALK_MOVES;
}

void smc_place_write(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                     uint32_t bytes, const char *from)
{
    if (by->step == SMC_WALK_CHECKS)
        bulk_copies_check(by, place, SMC_WRITES, at, bytes, from);
    if (!moves_results(by))
        return;
    memcpy(place->bulk.data + at, from, bytes);
    delay(by, place, at, bytes, false);
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

void smc_place_reduce(const struct smc_issuer *by, const struct smc_copy_place *place, uint32_t at,
                      uint32_t bytes, const char *from)
{
    const struct smc_op *op = by->op;
    const uint32_t width = smc_ptx_type_info[op->type].bytes;
    const bool is_extreme = op->reduction == SMC_REDUCE_MIN || op->reduction == SMC_REDUCE_MAX;
    if (by->step == SMC_WALK_CHECKS) {
        struct smc_op relaxed = *op;
        struct smc_issuer reducer = *by;
        reducer.op = &relaxed;
        relaxed.is_strong = true;
        relaxed.acquires = relaxed.releases = false;
        bulk_copies_check(&reducer, place, SMC_UPDATES, at, bytes, NULL);
    }
    if (!moves_results(by))
        return;
    delay(by, place, at, bytes, false);
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
            smc_atomic_update(by->worker, op, host, value);
        }
    }
}

/* --- cp.async.bulk, cp.reduce.async.bulk ------------------------------------------------------ */

enum { CHUNK_BYTES = 1024 };

/* Reads each chunk once and writes it to all places. */
static void bulk_copies_move(const struct smc_issuer *by, const struct smc_copy_place *to,
                             uint32_t places, const struct smc_copy_place *from, uint32_t bytes)
{
    char chunk[CHUNK_BYTES];
    for (uint32_t at = 0; at < bytes; at += CHUNK_BYTES) {
        const uint32_t part = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;
        smc_place_read(by, from, at, part, chunk);
        for (uint32_t i = 0; i < places; i++)
            if (by->op->reduction == SMC_REDUCE_NONE)
                smc_place_write(by, &to[i], at, part, chunk);
            else
                smc_place_reduce(by, &to[i], at, part, chunk);
    }
}

struct bulk_operands {
    uint64_t to, from;
    uint32_t bytes;
};

static bool walk_bulk(const struct smc_issuer *by, const void *operands)
{
    const struct bulk_operands *copy = operands;
    const struct smc_op *op = by->op;
    struct smc_copy_place from, to[SMC_BULK_BLOCKS];
    uint32_t places = 0;
    if (copy->bytes == 0)
        return true;
    if (!smc_place_find(by, SMC_READS,
                        op->immediate & SMC_BULK_FROM_GLOBAL ? SMC_SPACE_GLOBAL : SMC_SPACE_SHARED,
                        copy->from, copy->bytes, &from))
        return false;
    EACH_ACTIVE(rank, by->blocks) {
        const uint64_t at = smc_bulk_address(by->worker, op, copy->to, rank);
        if (smc_place_find(by, SMC_WRITES, op->space, at, copy->bytes, &to[places]))
            places++;
    }
    bulk_copies_move(by, to, places, &from, copy->bytes);
    return true;
}

enum smc_next smc_step_bulk_copy(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    const enum smc_ptx_space source =
        op->immediate & SMC_BULK_FROM_GLOBAL ? SMC_SPACE_GLOBAL : SMC_SPACE_SHARED;
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        const struct bulk_operands operands = {
            .to = ((const lane_u64 *)(warp->file + op->a))[lane],
            .from = ((const lane_u64 *)(warp->file + op->b))[lane],
            .bytes = ((const lane_u32 *)(warp->file + op->v[0]))[lane]};
        const struct smc_issuer by = {.worker = worker,
                                      .warp = warp,
                                      .op = op,
                                      .lane = lane,
                                      .blocks = smc_bulk_blocks(warp, op, lane)};
        if (smc_place_is_aligned(&by, source, operands.from, operands.bytes, BULK_BYTES) &&
            smc_place_is_aligned(&by, op->space, operands.to, operands.bytes, BULK_BYTES) &&
            walk_bulk(&by, &operands))
            smc_copy_begin(&by, &(struct smc_begun_copy){
                                    .walk = walk_bulk,
                                    .operands = &operands,
                                    .operand_bytes = sizeof operands,
                                    .object = ((const lane_u64 *)(warp->file + op->c))[lane],
                                    .bytes = operands.bytes,
                                    .shared = operands.to,
                                    .shared_bytes = operands.bytes});
    }
    return SMC_GO_ON;
}

/* --- What happens later ----------------------------------------------------------------------- */

/* What a lane's bulk copies read of shared memory they read until the lane has waited for their
   group; .read waits for no more (PTX ISA 9.0, 9.7.9.25 "cp.async.bulk.wait_group"). */
static void add_to_group(const struct smc_issuer *by, const struct smc_begun_copy *copy)
{
    struct smc_bulk_groups *bulk = by->warp->bulk;
    struct smc_pending *pending =
        smc_pending_add(by->worker, by, copy->walk, copy->operands, copy->operand_bytes);
    bulk->begun[by->lane] = smc_shadow_arrive(by->worker->shadow);
    bulk->place[by->lane] = by->op->instruction;
    if (!pending)
        return;
    pending->unit = SMC_BULK_UNIT;
    pending->group = bulk->groups[by->lane];
    pending->kept.bytes = copy->bytes;
}

/* Completes transactions of an object in each block that it writes to. */
static void complete_later(const struct smc_issuer *by, const struct smc_begun_copy *copy)
{
    EACH_ACTIVE(rank, by->blocks) {
        struct smc_issuer one = *by;
        one.blocks = 1u << rank;
        smc_mbarrier_await(&one, copy, smc_bulk_address(by->worker, by->op, copy->object, rank),
                           smc_bulk_address(by->worker, by->op, copy->shared, rank));
    }
}

void smc_copy_begin(const struct smc_issuer *by, const struct smc_begun_copy *copy)
{
    struct smc_issuer now = *by;
    now.step = SMC_WALK_MOVES;
    now.begun_at = by->worker->shadow ? smc_shadow_now(by->worker->shadow) : 0;
    if (!by->op->is_of_group)
        complete_later(&now, copy);
    else if (by->worker->shadow)
        add_to_group(by, copy);
    else
        copy->walk(&now, copy->operands);
}

/* --- Groups ----------------------------------------------------------------------------------- */

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
    EACH_ACTIVE(lane, worker->shadow && bulk ? mask : 0) {
        if (op->immediate >= bulk->groups[lane])
            continue;
        const uint32_t last = bulk->groups[lane] - 1 - (uint32_t)op->immediate;
        smc_pending_finish(worker, &(struct smc_group_wait){.warp = warp,
                                                            .lane = lane,
                                                            .unit = SMC_BULK_UNIT,
                                                            .groups = last + 1,
                                                            .reads_only = op->is_narrow});
        if (op->immediate >= SMC_PRODUCT_GROUPS)
            continue;
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

/* What a lane stores or combines, as it is in memory. */
struct async_operands {
    uint64_t to;
    char value[MOST_STORED];
};

static bool walk_async(const struct smc_issuer *by, const void *operands)
{
    const struct async_operands *store = operands;
    const uint32_t bytes = smc_op_bytes(by->op);
    struct smc_copy_place to;
    if (!smc_place_find(by, SMC_WRITES, SMC_SPACE_SHARED, store->to, bytes, &to))
        return false;
    if (by->op->reduction == SMC_REDUCE_NONE)
        smc_place_write(by, &to, 0, bytes, store->value);
    else
        smc_place_reduce(by, &to, 0, bytes, store->value);
    return true;
}

static void gather_value(const struct smc_warp *warp, const struct smc_op *op, uint32_t lane,
                         char value[MOST_STORED])
{
    const bool is_store = op->reduction == SMC_REDUCE_NONE;
    for (uint32_t i = 0; i < op->vector; i++) {
        const char *file = warp->file + (is_store ? op->v[i] : op->b);
        const bool is_wide = is_store ? op->v_kind[i] == SMC_SLOT_64 : op->width_bytes == 8;
        memcpy(value + (size_t)i * op->width_bytes, file + (size_t)lane * (is_wide ? 8 : 4),
               op->width_bytes);
    }
}

/* The access is checked and counted as that of a store or an atomic operation. */
enum smc_next smc_step_store_async(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    const enum smc_access_kind kind = op->reduction == SMC_REDUCE_NONE ? SMC_WRITES : SMC_UPDATES;
    const lane_u64 *object = (const lane_u64 *)(warp->file + op->c);
    uint64_t address[SMC_LANES];
    char *host[SMC_LANES];
    struct smc_op access = *op;
    access.releases = false; /* the object orders it */
    smc_memory_addresses(warp, op, address);
    smc_memory_access(
        worker, warp,
        &(struct smc_warp_access){.op = &access, .kind = kind, .mask = mask, .host = host});
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        const struct smc_issuer by = {
            .worker = worker, .warp = warp, .op = op, .lane = lane, .blocks = 1};
        struct async_operands operands = {.to = address[lane]};
        gather_value(warp, op, lane, operands.value);
        smc_copy_begin(&by, &(struct smc_begun_copy){.walk = walk_async,
                                                     .operands = &operands,
                                                     .operand_bytes = sizeof operands,
                                                     .object = object[lane],
                                                     .bytes = smc_op_bytes(op),
                                                     .shared = operands.to,
                                                     .shared_bytes = smc_op_bytes(op)});
    }
    return SMC_GO_ON;
}
