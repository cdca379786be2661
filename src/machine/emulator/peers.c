/* Races between the blocks of a cluster, and the ends of blocks: see peers.h. */
#include "machine/emulator/peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/shadow_cells.h"

enum { MOST_BLOCKS = 16, READERS = 2 };

/* By rank: times of the blocks' clocks. */
struct times {
    uint32_t of[MOST_BLOCKS];
};

/* What another block did to a cell of shared memory. */
struct peer_touch {
    uint32_t time, place; /* of its clock, 0: nothing; instruction */
    uint16_t thread;
    uint8_t rank;
    bool is_strong;
};

struct touched {
    struct peer_touch write, read[READERS];
};

/* The last access of another block to any cell. */
struct last {
    struct peer_touch touch;
    uint64_t address;
    uint32_t bytes;
};

/* What arrivals of other blocks at an object published. */
struct peer_published {
    uint64_t object;
    struct times times;
};

struct smc_peers {
    struct times known;
    struct times met;      /* which arrived at the barrier, also without ordering memory */
    struct times arriving; /* published by the arrivals since the barrier was last complete */
    uint32_t arrived_at;   /* the last of them; 0: none */
    struct times passed, passed_met; /* by the barrier, when it was last complete */
    struct times fenced;             /* known at the last fence, */
    struct times proxy_fenced;       /* at the last fence.proxy.async */
    struct times strong; /* of the block with rank 0: what strong writes of the cluster published */
    struct touched *cell; /* of the block's own shared memory; NULL: nobody has accessed it */
    struct last last[MOST_BLOCKS];
    struct peer_published *published;
    uint32_t objects;
    size_t object_room;
};

/* --- What is known ---------------------------------------------------------------------------- */

static void join(const struct times *from, struct times *to)
{
    for (int r = 0; r < MOST_BLOCKS; r++)
        to->of[r] = from->of[r] > to->of[r] ? from->of[r] : to->of[r];
}

/* What the block knows now, itself included. */
static struct times snapshot(const struct smc_worker *worker)
{
    struct times times = worker->peers->known;
    times.of[smc_cluster_rank(worker)] = smc_shadow_arrive(worker->shadow);
    return times;
}

bool smc_peers_new(struct smc_worker *worker)
{
    if (worker->launch->cluster_blocks == 1 || worker->launch->request->unchecked)
        return true;
    worker->peers = smc_calloc(1, sizeof *worker->peers);
    return worker->peers != NULL;
}

void smc_peers_free(struct smc_worker *worker)
{
    if (worker->peers) {
        free(worker->peers->cell);
        free(worker->peers->published);
    }
    free(worker->peers);
}

void smc_peers_begin_block(struct smc_worker *worker)
{
    struct smc_peers *peers = worker->peers;
    if (!peers)
        return;
    struct peer_published *published = peers->published;
    const size_t room = peers->object_room;
    free(peers->cell);
    *peers = (struct smc_peers){.published = published, .object_room = room};
}

void smc_peers_fence(struct smc_worker *worker)
{
    if (worker->peers)
        worker->peers->fenced = snapshot(worker);
}

void smc_peers_proxy_fence(struct smc_worker *worker)
{
    if (worker->peers)
        worker->peers->proxy_fenced = worker->peers->known;
}

void smc_peers_strong(struct smc_worker *worker, const struct smc_op *op, enum smc_access_kind kind)
{
    if (!worker->peers)
        return;
    struct times *strong = &smc_cluster_mate(worker, 0)->peers->strong;
    if (kind != SMC_READS) {
        const struct times now = op->releases ? snapshot(worker) : worker->peers->fenced;
        join(&now, strong);
    }
    if (kind != SMC_WRITES)
        join(strong, &worker->peers->known);
}

/* --- The cluster's barrier -------------------------------------------------------------------- */

void smc_peers_arrive(struct smc_worker *worker, bool is_relaxed, uint32_t time)
{
    struct smc_peers *peers = worker->peers;
    if (!peers)
        return;
    struct times published = is_relaxed ? peers->fenced : peers->known;
    if (!is_relaxed)
        published.of[smc_cluster_rank(worker)] = time;
    join(&published, &peers->arriving);
    peers->arrived_at = time;
}

void smc_peers_complete(struct smc_worker *first)
{
    struct times all = {{0}}, met = {{0}};
    const uint32_t blocks = first->launch->cluster_blocks;
    if (!first->peers)
        return;
    for (uint32_t r = 0; r < blocks; r++) {
        if (!first[r].is_running)
            continue;
        join(&first[r].peers->arriving, &all);
        met.of[r] = first[r].peers->arrived_at;
        first[r].peers->arriving = (struct times){{0}};
    }
    for (uint32_t r = 0; r < blocks; r++) {
        first[r].peers->passed = all;
        first[r].peers->passed_met = met;
    }
}

void smc_peers_pass(struct smc_worker *worker)
{
    if (!worker->peers)
        return;
    join(&worker->peers->passed, &worker->peers->known);
    join(&worker->peers->passed_met, &worker->peers->met);
}

/* --- Objects ---------------------------------------------------------------------------------- */

static struct times *published_at(struct smc_worker *owner, uint64_t object, bool adds)
{
    struct smc_peers *peers = owner->peers;
    for (uint32_t i = 0; i < peers->objects; i++)
        if (peers->published[i].object == object)
            return &peers->published[i].times;
    if (!adds)
        return NULL;
    if (!smc_make_room(&peers->published, peers->objects, &peers->object_room,
                       sizeof *peers->published)) {
        owner->out_of_memory = true;
        return NULL;
    }
    peers->published[peers->objects] = (struct peer_published){.object = object};
    return &peers->published[peers->objects++].times;
}

void smc_peers_release(struct smc_worker *worker, struct smc_worker *owner, uint64_t object)
{
    struct times *published = worker->peers && owner ? published_at(owner, object, true) : NULL;
    if (!published)
        return;
    const struct times now = snapshot(worker);
    join(&now, published);
}

void smc_peers_acquire(struct smc_worker *worker, uint64_t object)
{
    const struct times *published = worker->peers ? published_at(worker, object, false) : NULL;
    if (published)
        join(published, &worker->peers->known);
}

/* --- Findings --------------------------------------------------------------------------------- */

/* An access that is reported: of `worker`, against one of the block of `other`. */
struct race {
    struct smc_worker *worker, *other;
    uint32_t place, thread, other_place, other_thread;
    uint64_t address;
    uint32_t bytes;
};

static void peers_report(const struct race *race, enum smc_finding_kind kind)
{
    struct smc_finding finding = smc_finding_at(race->worker, kind, race->place, race->thread);
    smc_finding_set_address(race->worker, &finding, SMC_SPACE_SHARED, race->address, race->bytes);
    finding.has_other = finding.between_blocks = race->other != NULL;
    if (race->other) {
        finding.other_instruction = race->other_place;
        memcpy(finding.other_block, race->other->block_index, sizeof finding.other_block);
        smc_finding_set_other(race->worker, &finding, race->other_thread);
    }
    smc_finding_hint(&finding);
    smc_find(race->worker, &finding);
}

static void peers_report_end(struct smc_worker *accessor, const struct smc_worker *owner,
                             const struct last *last, const char *how)
{
    struct smc_finding finding =
        smc_finding_at(accessor, SMC_FINDING_BLOCK_ENDED, last->touch.place, last->touch.thread);
    smc_finding_set_address(accessor, &finding, SMC_SPACE_SHARED, last->address, last->bytes);
    snprintf(finding.note, sizeof finding.note, "block %" PRIu32 " of the cluster %s",
             smc_cluster_rank(owner), how);
    smc_find(accessor, &finding);
}

void smc_peers_report_ended(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                            const struct smc_peer_access *access)
{
    const struct last last = {
        .touch = {.place = access->op->instruction, .thread = (uint16_t)smc_thread_of(warp, lane)},
        .address = access->address,
        .bytes = access->bytes};
    peers_report_end(worker, access->owner, &last, "has ended");
}

void smc_peers_end_block(struct smc_worker *worker)
{
    struct smc_peers *peers = worker->peers;
    for (uint32_t r = 0; peers && !worker->gave_up && r < worker->launch->cluster_blocks; r++) {
        const struct last *last = &peers->last[r];
        if (last->touch.time && last->touch.time >= peers->known.of[r] &&
            last->touch.time >= peers->met.of[r])
            peers_report_end(smc_cluster_mate(worker, r), worker, last,
                             "may have ended: it does not wait for this access");
    }
}

/* --- Accesses --------------------------------------------------------------------------------- */

/* Whether a touch of another block is ordered before what the block does now. */
static bool is_ordered(const struct smc_worker *worker, const struct peer_touch *touch,
                       bool is_strong)
{
    return !touch->time || touch->rank == smc_cluster_rank(worker) ||
           (touch->is_strong && is_strong) || touch->time < worker->peers->known.of[touch->rank];
}

/* The kind of race with an earlier touch that is not ordered; SMC_FINDING_KINDS: none. */
static enum smc_finding_kind race_with(enum smc_access_kind kind, bool earlier_writes, bool is_same)
{
    if (earlier_writes)
        return kind != SMC_WRITES ? SMC_FINDING_RACE_WRITE_READ
               : is_same          ? SMC_FINDING_KINDS
                                  : SMC_FINDING_RACE_WRITE_WRITE;
    return kind == SMC_READS ? SMC_FINDING_KINDS : SMC_FINDING_RACE_READ_WRITE;
}

/* Checks against what others than the owner, or than `race->worker`, did to the cell. Returns
   whether it was reported. */
static bool check_touched(struct race *race, const struct touched *touched,
                          enum smc_access_kind kind, bool is_strong, bool is_same)
{
    const struct peer_touch *all[] = {&touched->write, &touched->read[0], &touched->read[1]};
    for (int i = 0; i < 1 + READERS; i++) {
        const enum smc_finding_kind found = race_with(kind, i == 0, is_same);
        if (found == SMC_FINDING_KINDS || is_ordered(race->worker, all[i], is_strong))
            continue;
        race->other = smc_cluster_mate(race->worker, all[i]->rank);
        race->other_place = all[i]->place;
        race->other_thread = all[i]->thread;
        peers_report(race, found);
        return true;
    }
    return false;
}

/* Checks against what the owner's own threads did to the cell. */
static bool peers_check_own(struct race *race, const struct smc_worker *owner,
                            const struct cell *cell, const struct smc_peer_access *access)
{
    const uint32_t began = owner->shadow->order.block_began_at;
    const uint8_t rank = (uint8_t)smc_cluster_rank(owner);
    const uint8_t flags = cell->flags;
    const struct touched own = {
        .write = {.time = cell->write_at > began ? cell->write_at : 0,
                  .place = cell->write_place,
                  .thread = cell->writer,
                  .rank = rank,
                  .is_strong = flags & WRITE_IS_STRONG},
        .read = {{.time = cell->read_at > began ? cell->read_at : 0,
                  .place = cell->read_place,
                  .thread = cell->reader,
                  .rank = rank,
                  .is_strong = flags & READ_IS_STRONG},
                 {.time = cell->other_read_at > began ? cell->other_read_at : 0,
                  .place = cell->other_read_place,
                  .thread = cell->other_reader,
                  .rank = rank,
                  .is_strong = flags & OTHER_READ_IS_STRONG}}};
    return check_touched(race, &own, access->kind, access->op->is_strong, access->is_same);
}

/* Whether an asynchronous access of another block lacks a fence.proxy.async after the owner's
   write: neither a thread of the owner that the accessor is ordered after has executed one, nor the
   accessor. */
static bool peers_lack_fence(const struct race *race, const struct smc_worker *owner,
                             const struct cell *cell, const struct smc_peer_access *access)
{
    const struct smc_shadow *shadow = owner->shadow;
    const struct smc_peers *peers = race->worker->peers;
    const uint32_t rank = smc_cluster_rank(owner);
    const struct smc_generic_write write = {SMC_SPACE_SHARED, cell->writer, cell->write_at};
    return access->op->is_async && !(cell->is_exempt) &&
           cell->write_at > shadow->order.block_began_at &&
           cell->write_at >= peers->proxy_fenced.of[rank] &&
           !smc_proxies_cover_until(shadow->proxies, &shadow->order, peers->known.of[rank], &write);
}

static bool peers_check_fence(struct race *race, struct smc_worker *owner, struct cell *cell,
                              const struct smc_peer_access *access)
{
    if (!peers_lack_fence(race, owner, cell, access))
        return false;
    race->other = owner;
    race->other_place = cell->write_place;
    race->other_thread = cell->writer;
    peers_report(race, SMC_FINDING_PROXY_FENCE);
    cell->is_exempt = true;
    return true;
}

static void peers_note(struct touched *touched, enum smc_access_kind kind,
                       const struct peer_touch *touch)
{
    struct peer_touch *read = touched->read;
    if (kind != SMC_READS) {
        *touched = (struct touched){.write = *touch};
        return;
    }
    const int i = read[0].time && read[0].rank != touch->rank ? 1 : 0;
    read[i] = *touch;
}

/* Whether the block knows that the other one has begun: it has synchronized with it. */
static bool has_begun(const struct smc_worker *worker, const struct smc_worker *other)
{
    const uint32_t rank = smc_cluster_rank(other);
    return worker == other || worker->peers->known.of[rank] || worker->peers->met.of[rank];
}

/* Prepares the owner's memory for what others do to it. False: out of memory. */
static bool open_cells(struct smc_worker *owner)
{
    struct smc_peers *peers = owner->peers;
    if (peers->cell)
        return true;
    peers->cell = smc_calloc(owner->shadow->shared_cells, sizeof *peers->cell);
    owner->out_of_memory |= !peers->cell;
    owner->shadow->is_shared = peers->cell != NULL;
    return peers->cell != NULL;
}

void smc_peers_reach(struct smc_worker *worker, const struct smc_warp *warp, uint32_t lane,
                     const struct smc_peer_access *access)
{
    struct smc_worker *owner = access->owner;
    if (!worker->peers || !open_cells(owner))
        return;
    const uint32_t unit = owner->shadow->cell_bytes_shared, me = smc_cluster_rank(worker);
    const struct peer_touch touch = {.time = worker->shadow->order.now,
                                     .place = access->op->instruction,
                                     .thread = (uint16_t)smc_thread_of(warp, lane),
                                     .rank = (uint8_t)me,
                                     .is_strong = access->op->is_strong};
    struct race race = {.worker = worker,
                        .place = touch.place,
                        .thread = touch.thread,
                        .address = access->address,
                        .bytes = access->bytes};
    bool is_reported = false;
    smc_shadow_catch_up(owner->shadow);
    for (uint64_t i = access->address / unit; i <= (access->address + access->bytes - 1) / unit;
         i++) {
        struct cell *cell = &owner->shadow->shared[i];
        struct touched *touched = &owner->peers->cell[i];
        if (!is_reported && access->kind != SMC_WRITES && !touched->write.time &&
            (cell->write_at < owner->shadow->order.block_began_at ||
             (cell->flags & COPY_IS_PENDING && !cell->is_update))) {
            race.other = NULL;
            peers_report(&race, SMC_FINDING_UNWRITTEN);
            is_reported = true;
        }
        is_reported =
            is_reported || peers_check_own(&race, owner, cell, access) ||
            check_touched(&race, touched, access->kind, touch.is_strong, access->is_same) ||
            peers_check_fence(&race, owner, cell, access);
        if (!is_reported && !has_begun(worker, owner)) {
            race.other = NULL;
            peers_report(&race, SMC_FINDING_NOT_STARTED);
            is_reported = true;
        }
        peers_note(touched, access->kind, &touch);
    }
    owner->peers->last[me] = (struct last){touch, access->address, access->bytes};
}

void smc_peers_check(struct smc_worker *worker, const struct smc_warp *warp,
                     const struct smc_warp_access *access)
{
    const uint32_t unit = worker->shadow->cell_bytes_shared;
    EACH_ACTIVE(lane, access->mask) {
        const uint64_t from = access->address[lane] / unit;
        const uint64_t end = (access->address[lane] + access->bytes - 1) / unit + 1;
        const bool is_same = access->kind == SMC_WRITES && access->value &&
                             !memcmp(access->host[lane], access->value[lane], access->bytes);
        struct race race = {.worker = worker,
                            .place = access->op->instruction,
                            .thread = smc_thread_of(warp, lane),
                            .address = access->address[lane],
                            .bytes = access->bytes};
        bool is_reported = false;
        for (uint64_t i = from; i < end; i++) {
            struct touched *touched = &worker->peers->cell[i];
            is_reported = is_reported || check_touched(&race, touched, access->kind,
                                                       access->op->is_strong, is_same);
            if (access->kind != SMC_READS)
                *touched = (struct touched){.write.time = 0};
        }
    }
}
