/* What blocks that run together did to global memory: see concurrent_blocks.h. */
#include "machine/emulator/concurrent_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "machine/emulator/shadow.h"

enum { LINE_CELLS = 32, READERS = 2 };
enum { TABLE_BITS = 16, TABLE = 1 << TABLE_BITS, MOST_LINES = TABLE / 2 };

/* By block: times of the blocks' clocks. */
struct clocks {
    uint32_t of[SMC_MOST_ORDERED];
};

struct touch {
    uint32_t time, place; /* 0: nothing; instruction */
    uint16_t thread;
    uint8_t block;
    bool is_strong, is_past; /* past: a read before the write */
    bool is_async; /* a write that needs no fence.proxy.async before another such access */
};

/* 32 neighboring cells. */
struct concurrent_line {
    uint64_t number;
    struct concurrent_cell {
        struct touch write, read[READERS];
    } cell[LINE_CELLS];
};

struct smc_concurrent {
    struct smc_worker *first;
    uint32_t blocks, cell_bytes;
    struct clocks known[SMC_MOST_ORDERED], fenced[SMC_MOST_ORDERED];
    /* What was known at the last acquire, which also empties L1; of its own clock, when. */
    struct clocks acquired[SMC_MOST_ORDERED];
    struct clocks strong; /* published by strong writes */
    /* The writes covered by proxy fences that are ordered before the block's next access, and those
       that strong writes have passed on. */
    struct clocks covered[SMC_MOST_ORDERED], strong_covered;
    struct concurrent_line *line[MOST_LINES];
    uint32_t lines, made;
    uint16_t table[TABLE]; /* by number: its index in `line` plus one */
};

struct smc_concurrent *smc_concurrent_new(const struct smc_worker *worker, bool *failed)
{
    const struct smc_launch_state *launch = worker->launch;
    if (launch->together == 1 || launch->together > SMC_MOST_ORDERED || launch->request->unchecked)
        return NULL;
    struct smc_concurrent *concurrent = smc_calloc(1, sizeof *concurrent);
    *failed = !concurrent;
    if (!concurrent)
        return NULL;
    concurrent->blocks = (uint32_t)launch->together;
    concurrent->cell_bytes = smc_cell_bytes_global(launch->program);
    return concurrent;
}

void smc_concurrent_free(struct smc_concurrent *concurrent)
{
    for (uint32_t i = 0; concurrent && i < concurrent->made; i++)
        free(concurrent->line[i]);
    free(concurrent);
}

void smc_concurrent_begin(struct smc_concurrent *concurrent)
{
    memset(concurrent->known, 0, sizeof concurrent->known);
    memset(concurrent->fenced, 0, sizeof concurrent->fenced);
    memset(concurrent->acquired, 0, sizeof concurrent->acquired);
    memset(&concurrent->strong, 0, sizeof concurrent->strong);
    memset(concurrent->covered, 0, sizeof concurrent->covered);
    memset(&concurrent->strong_covered, 0, sizeof concurrent->strong_covered);
    memset(concurrent->table, 0, sizeof concurrent->table);
    concurrent->lines = 0;
}

/* --- What is known ---------------------------------------------------------------------------- */

static uint32_t block_of(const struct smc_worker *worker)
{
    return worker->index;
}

static void join(const struct clocks *from, struct clocks *to)
{
    for (uint32_t i = 0; i < SMC_MOST_ORDERED; i++)
        to->of[i] = from->of[i] > to->of[i] ? from->of[i] : to->of[i];
}

static struct clocks snapshot(const struct smc_worker *worker)
{
    const uint32_t block = block_of(worker);
    struct clocks now = worker->concurrent->known[block];
    now.of[block] = smc_shadow_arrive(worker->shadow);
    return now;
}

/* Whether an operation of narrow scope is for the other blocks, too: the scope of the cluster
   counts as that of the block, so it is taken for either. */
static bool reaches_others(const struct smc_worker *worker, bool is_narrow)
{
    return !is_narrow || worker->launch->cluster_blocks > 1;
}

void smc_concurrent_fence(struct smc_worker *worker, bool is_narrow)
{
    struct smc_concurrent *concurrent = worker->concurrent;
    const uint32_t block = block_of(worker);
    if (concurrent && reaches_others(worker, is_narrow))
        concurrent->fenced[block] = concurrent->acquired[block] = snapshot(worker);
}

void smc_concurrent_proxy_fence(struct smc_worker *worker)
{
    if (!worker->concurrent)
        return;
    const struct clocks now = snapshot(worker);
    join(&now, &worker->concurrent->covered[block_of(worker)]);
}

void smc_concurrent_strong(struct smc_worker *worker, const struct smc_op *op,
                           enum smc_access_kind kind)
{
    struct smc_concurrent *concurrent = worker->concurrent;
    if (!concurrent || !reaches_others(worker, op->is_narrow))
        return;
    const uint32_t block = block_of(worker);
    if (kind != SMC_READS) {
        const struct clocks now = op->releases ? snapshot(worker) : concurrent->fenced[block];
        join(&now, &concurrent->strong);
        join(&concurrent->covered[block], &concurrent->strong_covered);
    }
    if (kind != SMC_WRITES) {
        join(&concurrent->strong, &concurrent->known[block]);
        join(&concurrent->strong_covered, &concurrent->covered[block]);
    }
    if (op->acquires)
        concurrent->acquired[block] = snapshot(worker);
}

void smc_concurrent_barrier(struct smc_worker *first, uint32_t blocks)
{
    struct smc_concurrent *concurrent = first->concurrent;
    struct clocks all = {{0}}, covered = {{0}};
    if (!concurrent)
        return;
    for (uint32_t i = 0; i < blocks; i++) {
        const struct clocks now = snapshot(&first[i]);
        join(&now, &all);
        join(&concurrent->covered[block_of(&first[i])], &covered);
    }
    for (uint32_t i = 0; i < blocks; i++) {
        const uint32_t block = block_of(&first[i]);
        join(&all, &concurrent->known[block]);
        concurrent->acquired[block] = concurrent->known[block];
        join(&covered, &concurrent->covered[block]);
    }
}

/* --- Accesses --------------------------------------------------------------------------------- */

/* NULL: there are too many lines, or no memory; the rest is not checked. */
static struct concurrent_line *line_at(struct smc_concurrent *concurrent, uint64_t number)
{
    uint32_t slot = smc_hash_slot(number, TABLE_BITS);
    for (; concurrent->table[slot]; slot = (slot + 1) % TABLE)
        if (concurrent->line[concurrent->table[slot] - 1]->number == number)
            return concurrent->line[concurrent->table[slot] - 1];
    if (concurrent->lines == MOST_LINES)
        return NULL;
    if (concurrent->lines == concurrent->made) {
        concurrent->line[concurrent->made] = smc_malloc(sizeof(struct concurrent_line));
        if (!concurrent->line[concurrent->made])
            return NULL;
        concurrent->made++;
    }
    struct concurrent_line *line = concurrent->line[concurrent->lines++];
    concurrent->table[slot] = (uint16_t)concurrent->lines;
    memset(line, 0, sizeof *line);
    line->number = number;
    return line;
}

/* An access of a lane to one cell. */
struct concurrent_access {
    struct smc_worker *worker;
    const struct smc_warp_access *of;
    struct touch touch;
    uint64_t address;
    bool is_same; /* a write of the value that is there */
};

static bool is_ordered(const struct concurrent_access *access, const struct touch *earlier)
{
    const struct clocks *known = &access->worker->concurrent->known[access->touch.block];
    return !earlier->time || earlier->is_past || earlier->block == access->touch.block ||
           (earlier->is_strong && access->touch.is_strong) ||
           earlier->time < known->of[earlier->block];
}

static void concurrent_report(const struct concurrent_access *access, enum smc_finding_kind kind,
                              const struct touch *earlier)
{
    const struct smc_worker *other = access->worker - access->touch.block + earlier->block;
    struct smc_finding finding =
        smc_finding_at(access->worker, kind, access->touch.place, access->touch.thread);
    smc_finding_set_address(access->worker, &finding, SMC_SPACE_GLOBAL, access->address,
                            access->of->bytes);
    finding.has_other = finding.between_blocks = true;
    finding.other_instruction = earlier->place;
    memcpy(finding.other_block, other->block_index, sizeof finding.other_block);
    smc_finding_set_other(access->worker, &finding, earlier->thread);
    smc_finding_hint(&finding);
    smc_find(access->worker, &finding);
}

/* A weak read of what another block wrote before a strong write that this block has read, but not
   acquired. */
static bool is_unacquired(const struct concurrent_access *access, const struct touch *write)
{
    const uint32_t block = access->touch.block;
    return access->of->kind == SMC_READS && !access->touch.is_strong && !access->of->op->skips_l1 &&
           write->time && write->block != block &&
           write->time >= access->worker->concurrent->acquired[block].of[write->block];
}

/* Whether L1 may still hold what the block read before the write. */
static bool may_be_in_l1(const struct concurrent_access *access, const struct concurrent_cell *cell)
{
    const uint32_t block = access->touch.block;
    for (int i = 0; i < READERS; i++)
        if (cell->read[i].is_past && cell->read[i].block == block && !cell->read[i].is_strong &&
            cell->read[i].time >= access->worker->concurrent->acquired[block].of[block])
            return true;
    return false;
}

/* Whether an access through the async proxy lacks a fence after another block's generic write. */
static bool concurrent_lacks_fence(const struct concurrent_access *access,
                                   const struct touch *write)
{
    const struct clocks *covered = &access->worker->concurrent->covered[access->touch.block];
    return access->touch.is_async && write->time && !write->is_async &&
           write->block != access->touch.block && write->time >= covered->of[write->block];
}

static bool check_cell(const struct concurrent_access *access, struct concurrent_cell *cell)
{
    const enum smc_access_kind kind = access->of->kind;
    if (!is_ordered(access, &cell->write) && !access->is_same) {
        concurrent_report(access,
                          kind == SMC_WRITES                      ? SMC_FINDING_RACE_WRITE_WRITE
                          : cell->write.time == SMC_WRITTEN_LATER ? SMC_FINDING_PENDING_COPY
                                                                  : SMC_FINDING_RACE_WRITE_READ,
                          &cell->write);
        return true;
    }
    if (access->of->op->is_noncoherent && cell->write.time &&
        cell->write.block != access->touch.block) {
        concurrent_report(access, SMC_FINDING_NONCOHERENT_READ, &cell->write);
        return true;
    }
    if (concurrent_lacks_fence(access, &cell->write)) {
        concurrent_report(access, SMC_FINDING_PROXY_FENCE, &cell->write);
        cell->write.is_async = true; /* reported once */
        return true;
    }
    if (is_unacquired(access, &cell->write)) {
        concurrent_report(
            access, may_be_in_l1(access, cell) ? SMC_FINDING_STALE_READ : SMC_FINDING_UNACQUIRED,
            &cell->write);
        return true;
    }
    for (int i = 0; kind != SMC_READS && i < READERS; i++)
        if (!is_ordered(access, &cell->read[i])) {
            concurrent_report(access, SMC_FINDING_RACE_READ_WRITE, &cell->read[i]);
            return true;
        }
    return false;
}

/* Of two blocks the last reads, and rather weak than strong ones; those before the write until
   others come. */
static void note_cell(const struct concurrent_access *access, struct concurrent_cell *cell)
{
    struct touch *read = cell->read;
    if (access->of->kind != SMC_READS) {
        cell->write = access->touch;
        for (int i = 0; i < READERS; i++)
            read[i].is_past = read[i].time > 0;
        return;
    }
    const int i = !read[0].time || read[0].is_past || read[0].block == access->touch.block ? 0 : 1;
    if (!read[i].time || read[i].is_past || read[i].is_strong || !access->touch.is_strong)
        read[i] = access->touch;
}

static void check_lane(struct concurrent_access *access)
{
    struct smc_concurrent *concurrent = access->worker->concurrent;
    const uint64_t end = (access->address + access->of->bytes - 1) / concurrent->cell_bytes;
    bool is_reported = false;
    for (uint64_t i = access->address / concurrent->cell_bytes; i <= end; i++) {
        struct concurrent_line *line = line_at(concurrent, i / LINE_CELLS);
        if (!line)
            return;
        is_reported = is_reported || check_cell(access, &line->cell[i % LINE_CELLS]);
        note_cell(access, &line->cell[i % LINE_CELLS]);
    }
}

void smc_concurrent_delay(struct smc_worker *worker, uint64_t address, uint32_t bytes,
                          uint32_t place, bool is_pending)
{
    struct smc_concurrent *concurrent = worker->concurrent;
    if (!concurrent)
        return;
    const uint64_t end = (address + bytes - 1) / concurrent->cell_bytes;
    for (uint64_t i = address / concurrent->cell_bytes; i <= end; i++) {
        struct concurrent_line *line = line_at(concurrent, i / LINE_CELLS);
        struct touch *write = line ? &line->cell[i % LINE_CELLS].write : NULL;
        if (write && write->time && write->place == place && write->block == block_of(worker))
            write->time = is_pending ? SMC_WRITTEN_LATER : smc_shadow_now(worker->shadow);
    }
}

void smc_concurrent_check(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_warp_access *access)
{
    EACH_ACTIVE(lane, access->mask) {
        struct concurrent_access one = {
            .worker = worker,
            .of = access,
            .touch = {.time = smc_shadow_now(worker->shadow),
                      .place = access->op->instruction,
                      .thread = (uint16_t)smc_thread_of(warp, lane),
                      .block = (uint8_t)block_of(worker),
                      .is_strong =
                          access->op->is_strong && reaches_others(worker, access->op->is_narrow),
                      .is_async = access->op->is_async},
            .address = access->address[lane],
            .is_same = access->kind == SMC_WRITES && access->value &&
                       !memcmp(access->host[lane], access->value[lane], access->bytes)};
        check_lane(&one);
    }
}
