/* mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
   An object counts arrivals and transactions of its current phase, which completes when neither is
   pending. A wait that fails ends the turn of its warp. Arrivals release and waits acquire by
   phase: see order.h, with the parity of the phase as part of the address. */
#include "machine/emulator/mbarrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/bulk_copies.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/shadow.h"

/* The object: arrivals that are pending in this phase and expected in the next ones, the
   transactions as a signed number, whether other blocks have arrived, and the parity of the phase.
 */
enum { COUNT_BITS = 20, EXPECTED_AT = 20, TRANSACTIONS_AT = 40, REMOTE_AT = 62, PARITY_AT = 63 };
static const uint32_t count_mask = (1u << COUNT_BITS) - 1;

struct mbarrier_object {
    uint32_t pending, expected, transactions, is_remote, parity;
};

static struct mbarrier_object unpack(uint64_t word)
{
    return (struct mbarrier_object){.pending = (uint32_t)word & count_mask,
                                    .expected = (uint32_t)(word >> EXPECTED_AT) & count_mask,
                                    .transactions =
                                        (uint32_t)(word >> TRANSACTIONS_AT) & count_mask,
                                    .is_remote = (uint32_t)(word >> REMOTE_AT) & 1,
                                    .parity = (uint32_t)(word >> PARITY_AT)};
}

static uint64_t pack(const struct mbarrier_object *object)
{
    return (object->pending & count_mask) |
           (uint64_t)(object->expected & count_mask) << EXPECTED_AT |
           (uint64_t)(object->transactions & count_mask) << TRANSACTIONS_AT |
           (uint64_t)object->is_remote << REMOTE_AT | (uint64_t)(object->parity & 1) << PARITY_AT;
}

/* Whether the object is of another block of the cluster, or may be. */
static bool is_remote(const struct smc_worker *worker, uint64_t address)
{
    return address >= SMC_CLUSTER_STRIDE &&
           address / SMC_CLUSTER_STRIDE - 1 != smc_cluster_rank(worker);
}

/* Whose block has the object. */
static struct smc_worker *owner_of(struct smc_worker *worker, uint64_t address)
{
    return is_remote(worker, address) ? smc_cluster_mate(worker, address / SMC_CLUSTER_STRIDE - 1)
                                      : worker;
}

/* What is known of the object at this address of the block's shared memory; NULL: nothing. */
static struct smc_object *known_at(const struct smc_worker *worker, uint64_t address)
{
    for (uint32_t i = 0; i < worker->objects; i++)
        if (worker->object[i].address == address)
            return &worker->object[i];
    return NULL;
}

/* --- Copies that arrive ----------------------------------------------------------------------- */

static bool completes(const struct smc_pending *pending, uint64_t object)
{
    return pending->unit == 0 && pending->object == object;
}

static void set_pending(const struct smc_worker *worker, const struct smc_pending *pending,
                        bool is_pending)
{
    EACH_ACTIVE(lane, pending->to_lanes)
        smc_shadow_set_pending(worker->shadow, pending->to[lane] % SMC_CLUSTER_STRIDE,
                               pending->to_bytes, pending->op.instruction, is_pending);
}

/* Copies that arrived at the object in phases before `phases` may be read: a thread has waited. */
static void arrived(struct smc_worker *worker, uint64_t object, uint32_t phases)
{
    for (struct smc_pending **place = &worker->pending; *place;) {
        if (!completes(*place, object) || !(*place)->is_done || (*place)->phase >= phases) {
            place = &(*place)->next;
            continue;
        }
        set_pending(worker, *place, false);
        smc_pending_remove(place);
    }
}

/* An object is initialized here. */
static void mbarrier_remember(struct smc_worker *worker, uint64_t address, uint32_t instruction)
{
    struct smc_object *known = known_at(worker, address);
    if (!known && !smc_make_room(&worker->object, worker->objects, &worker->object_room,
                                 sizeof *worker->object)) {
        worker->out_of_memory = true;
        return;
    }
    if (!known)
        known = &worker->object[worker->objects++];
    *known = (struct smc_object){.address = (uint32_t)address, .instruction = instruction};
    for (struct smc_pending *at = worker->pending; at; at = at->next) {
        if (!completes(at, address) || at->is_done)
            continue;
        smc_pending_move(at);
        at->is_done = true;
    }
    arrived(worker, address, UINT32_MAX);
    for (const struct smc_object *other = worker->object; other < known; other++)
        known->number += smc_same_lines(worker->launch->program, other->instruction, instruction);
}

/* A lane's operation on an object, at an address as lanes of this worker's block have it. */
struct mbarrier_access {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_op *op;
    uint64_t address;
    uint32_t lane;
};

/* The next phase begins if nothing is pending any more. */
static void complete_phase(struct smc_worker *owner, uint64_t address,
                           struct mbarrier_object *object)
{
    struct smc_object *known = known_at(owner, address % SMC_CLUSTER_STRIDE);
    if (object->pending > 0 || (object->transactions & count_mask) > 0)
        return;
    object->parity ^= 1;
    object->pending = object->expected;
    if (!known)
        return;
    known->phases++;
    known->completing = known->last;
    known->last.at = 0;
}

/* Addresses within the block's shared memory. */
static void find_objects(const struct smc_warp *warp, const struct smc_op *op,
                         uint64_t address[SMC_LANES])
{
    smc_memory_addresses(warp, op, address);
    if (op->space == SMC_SPACE_GENERIC)
        EACH_LANE(i)
            address[i] -= SMC_SHARED_WINDOW;
}

static uint64_t read_state(const char *host)
{
    uint64_t word;
    memcpy(&word, host, sizeof word);
    return word;
}

/* What the lane's operation on the object means for the order of accesses. */
static void mbarrier_order(const struct mbarrier_access *access, enum smc_access_kind kind,
                           struct mbarrier_object *object, uint32_t parity)
{
    struct smc_worker *worker = access->worker;
    const struct smc_warp *warp = access->warp;
    const struct smc_op *op = access->op;
    const uint64_t address = access->address;
    const uint32_t lane = access->lane;
    uint64_t key[SMC_LANES] = {0};
    const uint64_t at = address % SMC_CLUSTER_STRIDE;
    key[lane] = at | parity;
    if (is_remote(worker, address)) {
        object->is_remote = 1;
        smc_concurrent_strong(worker, op, SMC_WRITES);
        if (op->releases)
            smc_peers_release(worker, smc_cluster_mate(worker, address / SMC_CLUSTER_STRIDE - 1),
                              at);
        return;
    }
    if (kind == SMC_READS && op->acquires) {
        smc_peers_acquire(worker, at);
        smc_concurrent_strong(worker, op, SMC_READS);
    }
    if (worker->shadow && object->is_remote && kind == SMC_READS)
        smc_shadow_acquire_all(worker->shadow, warp, 1u << lane);
    else if (worker->shadow)
        smc_shadow_order(worker->shadow, warp,
                         &(struct smc_warp_access){.op = op,
                                                   .kind = kind,
                                                   .space = SMC_SPACE_SHARED,
                                                   .mask = 1u << lane,
                                                   .address = key});
}

/* The access itself: ordered by its phase, not by its address. */
static uint32_t reach(struct smc_worker *worker, struct smc_warp *warp,
                      const struct smc_warp_access *wanted)
{
    struct smc_op relaxed = *wanted->op;
    struct smc_warp_access access = *wanted;
    relaxed.acquires = relaxed.releases = false;
    access.op = &relaxed;
    access.space = SMC_SPACE_SHARED;
    return smc_memory_access_at(worker, warp, &access);
}

/* --- Transactions of copies ------------------------------------------------------------------- */

static void complete_transactions(struct smc_worker *owner, uint64_t address, uint32_t bytes)
{
    char *host = owner->shared + address;
    struct mbarrier_object object = unpack(read_state(host));
    object.transactions -= bytes;
    complete_phase(owner, address, &object);
    const uint64_t after = pack(&object);
    memcpy(host, &after, sizeof after);
    owner->changes++;
}

static void complete_copy(struct smc_worker *worker, struct smc_pending *pending)
{
    const struct smc_object *known = known_at(worker, pending->object);
    smc_pending_move(pending);
    pending->is_done = true;
    pending->phase = known ? known->phases : 0;
    complete_transactions(worker, pending->object, pending->transactions);
}

/* Whether copies that are pending complete the phase of an object, which a thread waits for: then
   they happen, and no others. */
static bool finish_copies(struct smc_worker *worker, uint64_t address,
                          struct mbarrier_object *object)
{
    uint32_t left = object->transactions;
    struct smc_pending *last = NULL;
    if (object->pending > 0)
        return false;
    for (struct smc_pending *at = worker->pending; at && left & count_mask; at = at->next) {
        if (!completes(at, address) || at->is_done)
            continue;
        left -= at->transactions;
        last = at;
    }
    if (left & count_mask)
        return false;
    for (struct smc_pending *at = worker->pending; at; at = at == last ? NULL : at->next)
        if (completes(at, address) && !at->is_done)
            complete_copy(worker, at);
    *object = unpack(read_state(worker->shared + address));
    return true;
}

bool smc_mbarrier_drain(struct smc_worker *worker)
{
    const uint64_t changes = worker->changes;
    for (struct smc_pending *at = worker->pending; at; at = at->next)
        if (at->unit == 0 && !at->is_done)
            complete_copy(worker, at);
    smc_pending_finish_bulk(worker);
    return worker->changes != changes;
}

/* The object itself is accessed through the generic proxy. False, after a finding: there is none.
 */
static bool release_to(const struct smc_issuer *by, uint64_t at)
{
    uint64_t address[SMC_LANES] = {0};
    char *host[SMC_LANES];
    struct smc_op access = *by->op;
    access.type = SMC_PTX_B64;
    access.width_bytes = 8;
    access.vector = 1;
    access.is_strong = access.releases = true;
    access.is_async = false;
    address[by->lane] = at;
    const struct smc_warp_access update = {.op = &access,
                                           .kind = SMC_UPDATES,
                                           .mask = 1u << by->lane,
                                           .address = address,
                                           .host = host};
    if (!reach(by->worker, by->warp, &update))
        return false;
    struct mbarrier_object object = unpack(read_state(host[by->lane]));
    mbarrier_order(&(struct mbarrier_access){by->worker, by->warp, &access, at, by->lane},
                   SMC_UPDATES, &object, object.parity);
    const uint64_t after = pack(&object);
    memcpy(host[by->lane], &after, sizeof after);
    return true;
}

void smc_mbarrier_await(const struct smc_issuer *by, const struct smc_begun_copy *copy,
                        uint64_t object, uint64_t shared)
{
    struct smc_worker *worker = by->worker, *owner = owner_of(worker, object);
    const bool is_found = release_to(by, object);
    const uint64_t at = object % SMC_CLUSTER_STRIDE, room = worker->launch->smem_bytes;
    struct smc_pending *pending = NULL;
    if (is_found && worker->shadow && known_at(owner, at))
        pending = smc_pending_add(owner, by, copy->walk, copy->operands, copy->operand_bytes);
    if (!pending) {
        copy->walk(by, copy->operands);
        if (is_found)
            complete_transactions(owner, at, copy->bytes);
        return;
    }
    pending->object = (uint32_t)at;
    pending->transactions = copy->bytes;
    pending->place = shared % SMC_CLUSTER_STRIDE;
    pending->to = &pending->place;
    pending->to_bytes = copy->shared_bytes;
    pending->to_lanes = copy->bytes > 0 && !is_remote(worker, shared) &&
                        pending->place + copy->shared_bytes <= room;
    set_pending(worker, pending, true);
}

/* --- Steps ------------------------------------------------------------------------------------ */

enum smc_next smc_step_mbarrier_init(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *count = (const lane_u32 *)(warp->file + op->b);
    uint64_t address[SMC_LANES], word[SMC_LANES] = {0};
    const void *value[SMC_LANES];
    char *host[SMC_LANES];
    const struct smc_warp_access access = {.op = op,
                                           .kind = SMC_WRITES,
                                           .space = SMC_SPACE_SHARED,
                                           .mask = mask,
                                           .address = address,
                                           .value = value,
                                           .host = host};
    find_objects(warp, op, address);
    EACH_LANE(lane) {
        const struct mbarrier_object object = {.pending = count[lane], .expected = count[lane]};
        word[lane] = pack(&object);
    }
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        value[lane] = &word[lane];
    mask = smc_memory_access_at(worker, warp, &access);
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        memcpy(host[lane], &word[lane], sizeof word[lane]);
        if (!is_remote(worker, address[lane]))
            mbarrier_remember(worker, address[lane] % SMC_CLUSTER_STRIDE, op->instruction);
    }
    return SMC_GO_ON;
}

/* The name of an object: of a variable, or an array that consists of objects, else of what it is
   in. */
static void name_object(const struct smc_worker *worker, struct smc_finding *finding)
{
    const struct smc_object *known = known_at(worker, finding->address);
    const uint64_t begin = finding->address - finding->array_offset,
                   end = begin + finding->array_bytes;
    uint64_t bytes = 0;
    uint32_t others = 0;
    for (uint32_t i = 0; i < worker->objects; i++) {
        const struct smc_object *object = &worker->object[i];
        bytes += object->address >= begin && object->address < end ? sizeof(uint64_t) : 0;
        others += known &&
                  smc_same_lines(worker->launch->program, object->instruction, known->instruction);
    }
    const bool is_whole = finding->array[0] && bytes == finding->array_bytes;
    if (is_whole && bytes > sizeof(uint64_t))
        snprintf(finding->object, sizeof finding->object, "%.60s[%u]", finding->array,
                 (unsigned)(finding->array_offset / sizeof(uint64_t)));
    else if (is_whole)
        snprintf(finding->object, sizeof finding->object, "%.60s", finding->array);
    if (is_whole || !known)
        return;
    finding->has_origin = true;
    finding->origin_instruction = known->instruction;
    finding->origin_number = known->number;
    finding->origin_count = others;
}

static void report_early(const struct mbarrier_access *access, struct smc_object *known,
                         struct smc_arrival *other)
{
    struct smc_worker *worker = access->worker;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_EARLY_PHASE, access->op->instruction,
                       smc_thread_of(access->warp, access->lane));
    smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, known->address, sizeof(uint64_t));
    name_object(worker, &finding);
    finding.is_object = finding.has_other = true;
    finding.other_instruction = other->place;
    smc_finding_set_other(worker, &finding, other->thread);
    smc_finding_hint(&finding);
    smc_find(worker, &finding);
    other->at = 0; /* reported once a phase */
}

/* Arrivals of the next phase are ordered after the completion of the one before, as whoever begins
   a phase has waited for that. One that is not would have belonged to that phase, had it come
   sooner: the object was initialized with too small a count. So it was if a phase has all of its
   arrivals, and waits only for copies. */
static void check_early(const struct mbarrier_access *access, uint32_t together, bool is_complete)
{
    struct smc_worker *worker = access->worker;
    struct smc_object *known = is_remote(worker, access->address) || !worker->shadow
                                   ? NULL
                                   : known_at(worker, access->address % SMC_CLUSTER_STRIDE);
    if (!known)
        return;
    struct smc_arrival *other = is_complete ? &known->last : &known->completing;
    if (!other->at || (!is_complete && other->thread == smc_thread_of(access->warp, access->lane)))
        return;
    const bool is_same = other->thread / SMC_LANES == access->warp->index &&
                         together >> other->thread % SMC_LANES & 1 &&
                         other->place == access->op->instruction &&
                         other->at + 1 == smc_shadow_now(worker->shadow);
    if (is_complete || is_same ||
        !smc_shadow_is_after(worker->shadow, access->warp, other->thread / SMC_LANES, other->at))
        report_early(access, known, other);
}

static void note_arrival(const struct mbarrier_access *access)
{
    struct smc_worker *worker = access->worker;
    struct smc_worker *owner = owner_of(worker, access->address);
    struct smc_object *known = known_at(owner, access->address % SMC_CLUSTER_STRIDE);
    const bool is_known = worker->shadow && access->op->releases && owner == worker;
    if (known)
        known->last = (struct smc_arrival){is_known ? smc_shadow_now(worker->shadow) - 1 : 0,
                                           smc_thread_of(access->warp, access->lane),
                                           access->op->instruction};
}

enum smc_next smc_step_mbarrier_arrive(struct smc_worker *worker, struct smc_warp *warp,
                                       const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *count = (const lane_u32 *)(warp->file + op->b);
    const lane_u32 *transactions = (const lane_u32 *)(warp->file + op->c);
    uint64_t address[SMC_LANES];
    char *host[SMC_LANES];
    find_objects(warp, op, address);
    mask =
        reach(worker, warp,
              &(struct smc_warp_access){
                  .op = op, .kind = SMC_UPDATES, .mask = mask, .address = address, .host = host});
    EACH_ACTIVE(lane, mask) {
        const uint64_t before = read_state(host[lane]);
        struct mbarrier_object object = unpack(before);
        const uint32_t arrivals = count[lane], most = object.pending;
        const struct mbarrier_access access = {worker, warp, op, address[lane], lane};
        check_early(&access, mask, arrivals > most);
        mbarrier_order(&access, SMC_UPDATES, &object, object.parity);
        object.transactions += transactions[lane];
        object.pending -= arrivals < most ? arrivals : most;
        if (op->reduction == SMC_REDUCE_DEC)
            object.expected -= arrivals < object.expected ? arrivals : object.expected;
        note_arrival(&access);
        complete_phase(owner_of(worker, address[lane]), address[lane], &object);
        const uint64_t after = pack(&object);
        memcpy(host[lane], &after, sizeof after);
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)(warp->file + op->d))[lane] = before;
    }
    worker->changes++;
    return SMC_GO_ON;
}

enum smc_next smc_step_mbarrier_transactions(struct smc_worker *worker, struct smc_warp *warp,
                                             const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *transactions = (const lane_u32 *)(warp->file + op->c);
    uint64_t address[SMC_LANES];
    char *host[SMC_LANES];
    find_objects(warp, op, address);
    mask =
        reach(worker, warp,
              &(struct smc_warp_access){
                  .op = op, .kind = SMC_UPDATES, .mask = mask, .address = address, .host = host});
    EACH_ACTIVE(lane, mask) {
        struct mbarrier_object object = unpack(read_state(host[lane]));
        const struct mbarrier_access access = {worker, warp, op, address[lane], lane};
        mbarrier_order(&access, SMC_UPDATES, &object, object.parity);
        if (op->reduction == SMC_REDUCE_DEC)
            object.transactions -= transactions[lane];
        else
            object.transactions += transactions[lane];
        complete_phase(owner_of(worker, address[lane]), address[lane], &object);
        const uint64_t after = pack(&object);
        memcpy(host[lane], &after, sizeof after);
    }
    worker->changes++;
    return SMC_GO_ON;
}

enum smc_next smc_step_mbarrier_wait(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    const char *wanted = warp->file + op->b;
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    uint64_t address[SMC_LANES];
    char *host[SMC_LANES];
    uint32_t complete = 0;
    find_objects(warp, op, address);
    const struct smc_warp_access read = {
        .op = op, .kind = SMC_READS, .mask = mask, .address = address, .host = host};
    const uint32_t found = reach(worker, warp, &read);
    EACH_ACTIVE(lane, found) {
        const uint32_t parity = op->is_aligned ? ((const lane_u32 *)wanted)[lane] & 1
                                               : unpack(((const lane_u64 *)wanted)[lane]).parity;
        struct mbarrier_object object = unpack(read_state(host[lane]));
        if (object.parity == parity &&
            !finish_copies(worker, address[lane] % SMC_CLUSTER_STRIDE, &object))
            continue;
        complete |= 1u << lane;
        const struct mbarrier_access access = {worker, warp, op, address[lane], lane};
        mbarrier_order(&access, SMC_READS, &object, parity);
        const struct smc_object *known =
            worker->pending ? known_at(worker, address[lane] % SMC_CLUSTER_STRIDE) : NULL;
        if (known)
            arrived(worker, known->address, known->phases);
    }
    *d = (*d & ~mask) | complete;
    if (complete == found)
        return SMC_GO_ON;
    worker->polls++;
    warp->group[warp->current].pc++;
    warp->yields = op->instruction + 1;
    warp->failing = found & ~complete;
    warp->awaited = (uint32_t)(address[__builtin_ctz(warp->failing)] % SMC_CLUSTER_STRIDE) + 1;
    return SMC_WAITS;
}

void smc_mbarrier_describe(const struct smc_worker *worker, const struct smc_warp *warp,
                           struct smc_finding *finding)
{
    const uint32_t address = warp->awaited - 1;
    const struct mbarrier_object object = unpack(read_state(worker->shared + address));
    const struct smc_object *known = known_at(worker, address);
    const int32_t missing =
        (int32_t)(object.transactions << (32 - COUNT_BITS)) >> (32 - COUNT_BITS);
    char phase[32], bytes[48] = "";
    smc_finding_set_address(worker, finding, SMC_SPACE_SHARED, address, sizeof(uint64_t));
    name_object(worker, finding);
    finding->is_object = true;
    finding->waiting = object.expected - object.pending;
    finding->expected = object.expected;
    if (known)
        snprintf(phase, sizeof phase, "phase %" PRIu32, known->phases);
    else
        snprintf(phase, sizeof phase, "a phase of parity %" PRIu32, object.parity);
    if (missing)
        snprintf(bytes, sizeof bytes, ", %" PRId32 " bytes %s", missing > 0 ? missing : -missing,
                 missing > 0 ? "are missing" : "too many");
    snprintf(finding->note, sizeof finding->note, "%s has %" PRIu32 " of %" PRIu32 " arrivals%s",
             phase, finding->waiting, finding->expected, bytes);
}

/* Each of the copies counts as a transaction, which the phase waits for. */
static void await_copies(struct smc_worker *worker, struct smc_warp *warp, uint64_t object,
                         uint32_t mask)
{
    const uint64_t at = object % SMC_CLUSTER_STRIDE;
    if (!worker->shadow || is_remote(worker, object) || !known_at(worker, at)) {
        smc_copies_complete(worker, warp, mask);
        return;
    }
    for (struct smc_pending *copy; (copy = smc_copies_later(worker, warp, mask));) {
        struct mbarrier_object expecting = unpack(read_state(worker->shared + at));
        expecting.transactions++;
        const uint64_t after = pack(&expecting);
        memcpy(worker->shared + at, &after, sizeof after);
        copy->object = (uint32_t)at;
        copy->transactions = 1;
        set_pending(worker, copy, true);
    }
}

enum smc_next smc_step_copies_arrive(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    uint64_t address[SMC_LANES];
    find_objects(warp, op, address);
    for (uint32_t left = mask, alike = 0; left; left &= ~alike) {
        const uint64_t object = address[__builtin_ctz(left)];
        alike = 0;
        EACH_ACTIVE(lane, left)
            alike |= (uint32_t)(address[lane] == object) << lane;
        await_copies(worker, warp, object, alike);
    }
    return smc_step_mbarrier_arrive(worker, warp, op, mask);
}

void smc_mbarrier_pending(SMC_ALU_PARAMETERS)
{
    const lane_u64 *state = a;
    uint32_t pending[SMC_LANES];
    EACH_LANE(i)
        pending[i] = (uint32_t)state[i] & count_mask;
    memcpy(d, pending, sizeof pending);
}
