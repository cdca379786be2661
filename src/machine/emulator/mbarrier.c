/* mbarrier objects (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier").
   An object counts arrivals and transactions of its current phase, which completes when neither is
   pending. A wait that fails ends the turn of its warp. Arrivals release and waits acquire by
   phase: see order.h, with the parity of the phase as part of the address. */
#include "machine/emulator/mbarrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
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

/* What is known of the object at this address of the block's shared memory; NULL: nothing. */
static struct smc_object *known_at(const struct smc_worker *worker, uint64_t address)
{
    for (uint32_t i = 0; i < worker->objects; i++)
        if (worker->object[i].address == address)
            return &worker->object[i];
    return NULL;
}

/* --- Copies that arrive ----------------------------------------------------------------------- */

void smc_mbarrier_await_copy(struct smc_worker *worker, uint64_t object, uint64_t address,
                             uint32_t bytes, uint32_t place)
{
    const struct smc_object *known =
        is_remote(worker, object) ? NULL : known_at(worker, object % SMC_CLUSTER_STRIDE);
    if (!worker->shadow || !known || !bytes)
        return;
    smc_shadow_set_pending(worker->shadow, address, bytes, place, true);
    struct smc_arrival *last = worker->arrivals ? &worker->arrival[worker->arrivals - 1] : NULL;
    if (last && last->object == known->address && last->phase == known->phases &&
        last->place == place && last->address + last->bytes == address) {
        last->bytes += bytes;
        return;
    }
    if (!smc_make_room(&worker->arrival, worker->arrivals, &worker->arrival_room,
                       sizeof *worker->arrival)) {
        worker->out_of_memory = true;
        return;
    }
    worker->arrival[worker->arrivals++] =
        (struct smc_arrival){known->address, known->phases, (uint32_t)address, bytes, place};
}

/* Copies that arrived at the object in phases before `phases` may be read: a thread has waited. */
static void arrived(struct smc_worker *worker, uint64_t object, uint32_t phases)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < worker->arrivals; i++) {
        const struct smc_arrival arrival = worker->arrival[i];
        if (arrival.object != object || arrival.phase >= phases)
            worker->arrival[left++] = arrival;
        else
            smc_shadow_set_pending(worker->shadow, arrival.address, arrival.bytes, arrival.place,
                                   false);
    }
    worker->arrivals = left;
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

/* The phase is complete: what else arrives belongs to the next one. */
static void note_completion(const struct mbarrier_access *access, struct smc_object *known)
{
    const struct smc_shadow *shadow = access->worker->shadow;
    const bool is_known =
        shadow && access->op->releases && !is_remote(access->worker, access->address);
    known->phases++;
    known->completed_at = is_known ? smc_shadow_now(shadow) - 1 : 0;
    known->completer = smc_thread_of(access->warp, access->lane);
    known->completing = access->op->instruction;
}

static void complete_phase(const struct mbarrier_access *access, struct mbarrier_object *object)
{
    struct smc_worker *worker = access->worker;
    const uint64_t address = access->address;
    if (object->pending > 0 || (object->transactions & count_mask) > 0)
        return;
    struct smc_worker *owner = is_remote(worker, address)
                                   ? smc_cluster_mate(worker, address / SMC_CLUSTER_STRIDE - 1)
                                   : worker;
    struct smc_object *known = known_at(owner, address % SMC_CLUSTER_STRIDE);
    object->parity ^= 1;
    object->pending = object->expected;
    if (known)
        note_completion(access, known);
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

static uint64_t load(const char *host)
{
    uint64_t word;
    memcpy(&word, host, sizeof word);
    return word;
}

/* What the lane's operation on the object means for the order of accesses. */
static void mbarrier_order(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, enum smc_access_kind kind, uint64_t address,
                           struct mbarrier_object *object, uint32_t parity, uint32_t lane)
{
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
        smc_shadow_order(worker->shadow, warp, op, kind, key, 1u << lane);
}

/* The access itself: ordered by its phase, not by its address. */
static uint32_t reach(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      enum smc_access_kind kind, const uint64_t address[SMC_LANES], uint32_t mask,
                      char *host[SMC_LANES])
{
    struct smc_op relaxed = *op;
    const struct smc_warp_access access = {.op = &relaxed,
                                           .kind = kind,
                                           .space = SMC_SPACE_SHARED,
                                           .mask = mask,
                                           .address = address,
                                           .host = host};
    relaxed.acquires = relaxed.releases = false;
    return smc_memory_access_at(worker, warp, &access);
}

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

/* Arrivals of the next phase are ordered after the completion of the one before, as whoever begins
   a phase has waited for that. One that is not would have belonged to that phase, had it come
   sooner: the object was initialized with too small a count. */
static void check_early(const struct mbarrier_access *access, uint32_t together)
{
    struct smc_worker *worker = access->worker;
    const uint32_t thread = smc_thread_of(access->warp, access->lane);
    struct smc_object *known = is_remote(worker, access->address) || !worker->shadow
                                   ? NULL
                                   : known_at(worker, access->address % SMC_CLUSTER_STRIDE);
    if (!known || !known->completed_at || known->completer == thread)
        return;
    const bool is_same = known->completer / SMC_LANES == access->warp->index &&
                         together >> known->completer % SMC_LANES & 1 &&
                         known->completing == access->op->instruction &&
                         known->completed_at + 1 == smc_shadow_now(worker->shadow);
    if (!is_same && smc_shadow_is_after(worker->shadow, access->warp, known->completer / SMC_LANES,
                                        known->completed_at))
        return;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_EARLY_PHASE, access->op->instruction, thread);
    smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, known->address, sizeof(uint64_t));
    name_object(worker, &finding);
    finding.is_object = finding.has_other = true;
    finding.other_instruction = known->completing;
    smc_finding_set_other(worker, &finding, known->completer);
    smc_finding_hint(&finding);
    smc_find(worker, &finding);
    known->completed_at = 0; /* reported once a phase */
}

enum smc_next smc_step_mbarrier_arrive(struct smc_worker *worker, struct smc_warp *warp,
                                       const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *count = (const lane_u32 *)(warp->file + op->b);
    const lane_u32 *transactions = (const lane_u32 *)(warp->file + op->c);
    uint64_t address[SMC_LANES];
    char *host[SMC_LANES];
    find_objects(warp, op, address);
    mask = reach(worker, warp, op, SMC_UPDATES, address, mask, host);
    EACH_ACTIVE(lane, mask) {
        const uint64_t before = load(host[lane]);
        struct mbarrier_object object = unpack(before);
        const uint32_t arrivals = count[lane], most = object.pending;
        const struct mbarrier_access access = {worker, warp, op, address[lane], lane};
        check_early(&access, mask);
        mbarrier_order(worker, warp, op, SMC_UPDATES, address[lane], &object, object.parity, lane);
        object.transactions += transactions[lane];
        object.pending -= arrivals < most ? arrivals : most;
        if (op->reduction == SMC_REDUCE_DEC)
            object.expected -= arrivals < object.expected ? arrivals : object.expected;
        complete_phase(&access, &object);
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
    mask = reach(worker, warp, op, SMC_UPDATES, address, mask, host);
    EACH_ACTIVE(lane, mask) {
        struct mbarrier_object object = unpack(load(host[lane]));
        mbarrier_order(worker, warp, op, SMC_UPDATES, address[lane], &object, object.parity, lane);
        if (op->reduction == SMC_REDUCE_DEC)
            object.transactions -= transactions[lane];
        else
            object.transactions += transactions[lane];
        complete_phase(&(struct mbarrier_access){worker, warp, op, address[lane], lane}, &object);
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
    const uint32_t found = reach(worker, warp, op, SMC_READS, address, mask, host);
    EACH_ACTIVE(lane, found) {
        const uint32_t parity = op->is_aligned ? ((const lane_u32 *)wanted)[lane] & 1
                                               : unpack(((const lane_u64 *)wanted)[lane]).parity;
        struct mbarrier_object object = unpack(load(host[lane]));
        if (object.parity == parity)
            continue;
        complete |= 1u << lane;
        mbarrier_order(worker, warp, op, SMC_READS, address[lane], &object, parity, lane);
        const struct smc_object *known =
            worker->arrivals ? known_at(worker, address[lane] % SMC_CLUSTER_STRIDE) : NULL;
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
    const struct mbarrier_object object = unpack(load(worker->shared + address));
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

enum smc_next smc_step_copies_arrive(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    smc_copies_complete(worker, warp, mask);
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

/* --- Transactions of copies ------------------------------------------------------------------- */

void smc_mbarrier_complete(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint64_t at, uint32_t bytes, uint32_t lane)
{
    uint64_t address[SMC_LANES] = {0};
    char *host[SMC_LANES];
    struct smc_op access = *op;
    access.type = SMC_PTX_B64;
    access.width_bytes = 8;
    access.vector = 1;
    access.is_strong = access.releases = true;
    access.is_async = false; /* the object itself is accessed through the generic proxy */
    address[lane] = at;
    if (!reach(worker, warp, &access, SMC_UPDATES, address, 1u << lane, host))
        return;
    struct mbarrier_object object = unpack(load(host[lane]));
    mbarrier_order(worker, warp, &access, SMC_UPDATES, at, &object, object.parity, lane);
    object.transactions -= bytes;
    complete_phase(&(struct mbarrier_access){worker, warp, &access, at, lane}, &object);
    const uint64_t after = pack(&object);
    memcpy(host[lane], &after, sizeof after);
}
