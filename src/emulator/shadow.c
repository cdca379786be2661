/* Records the last accesses to each word. */
#include "emulator/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LINE_CELLS = 32, MAX_LINES = 1 << 16, TABLE_SIZE = 1 << 17 };

/* One word, or one byte if the kernel has accesses smaller than a word. Time 0 means never. */
struct cell {
    uint32_t write_at, read_at, other_read_at;
    uint32_t write_place, read_place, other_read_place; /* instructions */
    uint16_t writer, reader, other_reader;
    bool strong_write, strong_reads;
};

/* Neighboring cells of global memory. */
struct line {
    uint64_t number;
    uint32_t slot; /* in the table */
    struct cell cell[LINE_CELLS];
};

struct smc_shadow {
    uint32_t now;
    uint32_t block_began_at, all_synced_at;
    bool partly_synced; /* since then, synchronizations among only some warps or lanes */
    uint32_t known[SMC_MAX_WARPS][SMC_MAX_WARPS]; /* [w][v]: warp w is ordered after what warp v did
                                                     before this time */
    uint32_t cell_bytes_shared, cell_bytes_global;
    struct cell *shared;
    size_t shared_cells;
    /* A hash table of lines by number, with open addressing; cleared for each block and when it is
       full. */
    uint32_t *table; /* index into `line` + 1 */
    struct line **line;
    uint32_t lines, lines_made;
    bool failed;
};

struct smc_shadow *smc_shadow_new(const struct smc_launch_state *launch)
{
    struct smc_shadow *shadow = smc_calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->now = 1;
    shadow->cell_bytes_shared = launch->program->splits_shared_words ? 1 : 4;
    shadow->cell_bytes_global = launch->program->splits_global_words ? 1 : 4;
    shadow->shared_cells = launch->smem_bytes / shadow->cell_bytes_shared + 1;
    shadow->shared = smc_calloc(shadow->shared_cells, sizeof *shadow->shared);
    shadow->table = smc_calloc(TABLE_SIZE, sizeof *shadow->table);
    shadow->line = smc_calloc(MAX_LINES, sizeof *shadow->line);
    if (shadow->shared && shadow->table && shadow->line)
        return shadow;
    smc_shadow_free(shadow);
    return NULL;
}

void smc_shadow_free(struct smc_shadow *shadow)
{
    if (!shadow)
        return;
    for (uint32_t i = 0; shadow->line && i < shadow->lines_made; i++)
        free(shadow->line[i]);
    free(shadow->line);
    free(shadow->table);
    free(shadow->shared);
    free(shadow);
}

static void empty_table(struct smc_shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->lines; i++)
        shadow->table[shadow->line[i]->slot] = 0;
    shadow->lines = 0;
}

void smc_shadow_begin_block(struct smc_shadow *shadow)
{
    if (shadow->now > UINT32_MAX / 2) { /* old times would look recent when the counter wraps */
        memset(shadow->shared, 0, shadow->shared_cells * sizeof *shadow->shared);
        shadow->now = 1;
    }
    shadow->block_began_at = ++shadow->now;
    shadow->all_synced_at = ++shadow->now; /* ordered before everything else */
    shadow->partly_synced = false;
    memset(shadow->known, 0, sizeof shadow->known);
    empty_table(shadow);
}

/* --- Synchronisations ------------------------------------------------------------------------- */

void smc_shadow_sync_block(struct smc_shadow *shadow)
{
    shadow->all_synced_at = ++shadow->now;
    shadow->partly_synced = false;
    if (shadow->lines > MAX_LINES / 2)
        empty_table(shadow); /* all its accesses are ordered before everything that follows */
}

void smc_shadow_sync_warps(struct smc_shadow *shadow, const struct smc_barrier *barrier)
{
    uint32_t knows[SMC_MAX_WARPS] = {0};
    EACH_ACTIVE(w, barrier->warps)
    {
        for (uint32_t v = 0; v < SMC_MAX_WARPS; v++)
            if (shadow->known[w][v] > knows[v])
                knows[v] = shadow->known[w][v];
        if (barrier->arrived_at[w] > knows[w])
            knows[w] = barrier->arrived_at[w];
    }
    EACH_ACTIVE(w, barrier->waiting)
    memcpy(shadow->known[w], knows, sizeof knows);
    shadow->partly_synced = true;
    shadow->now++;
}

uint32_t smc_shadow_arrive(struct smc_shadow *shadow)
{
    return ++shadow->now;
}

void smc_shadow_sync_lanes(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask)
{
    shadow->now++;
    shadow->partly_synced = true;
    EACH_ACTIVE(lane, mask) warp->lane_synced_at[lane] = shadow->now;
}

/* --- Accesses --------------------------------------------------------------------------------- */

/* What all lanes of one instruction have in common. */
struct visit {
    struct smc_worker *worker;
    struct smc_shadow *shadow;
    struct smc_warp *warp;
    const struct smc_op *op;
    enum smc_ptx_space space;
    uint32_t bytes;
};

/* Whether the access of `thread` at time `when` is ordered before the current access of `me`. */
static bool in_order(const struct visit *visit, uint32_t when, uint16_t thread, uint32_t me)
{
    const struct smc_shadow *shadow = visit->shadow;
    if (when < shadow->all_synced_at || thread == me)
        return true;
    uint32_t warp = thread / SMC_LANES, lane = thread % SMC_LANES;
    if (warp != visit->warp->index)
        return when < shadow->known[visit->warp->index][warp];
    const uint32_t *synced_at = visit->warp->lane_synced_at;
    return when < synced_at[lane] && when < synced_at[me % SMC_LANES];
}

static void report(const struct visit *visit, enum smc_finding_kind kind, uint32_t me,
                   uint64_t address, uint32_t other_place, uint32_t other)
{
    struct smc_finding finding = smc_finding_at(visit->worker, kind, visit->op->instruction, me);
    smc_finding_set_address(visit->worker, &finding, visit->space, address, visit->bytes);
    if (kind != SMC_FINDING_UNWRITTEN) {
        const uint32_t *block = visit->worker->launch->request->block;
        finding.has_other = true;
        finding.other_instruction = other_place;
        finding.other_thread[0] = other % block[0];
        finding.other_thread[1] = other / block[0] % block[1];
        finding.other_thread[2] = other / block[0] / block[1];
    }
    smc_find(visit->worker, &finding);
}

static void note_reader(const struct visit *visit, struct cell *cell, uint32_t me)
{
    const struct smc_shadow *shadow = visit->shadow;
    bool strong = visit->op->is_strong;
    if (cell->read_at < shadow->all_synced_at || cell->reader == me) {
        cell->strong_reads =
            cell->read_at >= shadow->all_synced_at ? cell->strong_reads && strong : strong;
        cell->read_at = shadow->now;
        cell->reader = (uint16_t)me;
        cell->read_place = visit->op->instruction;
    } else if (cell->other_read_at < shadow->all_synced_at || cell->other_reader == me ||
               in_order(visit, cell->other_read_at, cell->other_reader, me)) {
        cell->strong_reads = cell->strong_reads && strong;
        cell->other_read_at = shadow->now;
        cell->other_reader = (uint16_t)me;
        cell->other_read_place = visit->op->instruction;
    }
}

static void check_read(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address)
{
    const struct smc_shadow *shadow = visit->shadow;
    if (cell->write_at < shadow->all_synced_at) {
        if (visit->space == SMC_SPACE_SHARED && cell->write_at < shadow->block_began_at) {
            report(visit, SMC_FINDING_UNWRITTEN, me, address, 0, 0);
            cell->write_at = shadow->block_began_at; /* reported once */
        }
    } else if (!in_order(visit, cell->write_at, cell->writer, me) &&
               !(cell->strong_write && visit->op->is_strong)) {
        report(visit, SMC_FINDING_RACE_WRITE_READ, me, address, cell->write_place, cell->writer);
    }
    note_reader(visit, cell, me);
}

static void check_write(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address,
                        bool same_value)
{
    bool strong = visit->op->is_strong, weak_reads = !(cell->strong_reads && strong);
    uint32_t synced = visit->shadow->all_synced_at;
    if (cell->write_at >= synced && !same_value && !(cell->strong_write && strong) &&
        !in_order(visit, cell->write_at, cell->writer, me))
        report(visit, SMC_FINDING_RACE_WRITE_WRITE, me, address, cell->write_place, cell->writer);
    if (cell->read_at >= synced && weak_reads && !in_order(visit, cell->read_at, cell->reader, me))
        report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, cell->read_place, cell->reader);
    else if (cell->other_read_at >= synced && weak_reads &&
             !in_order(visit, cell->other_read_at, cell->other_reader, me))
        report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, cell->other_read_place,
               cell->other_reader);
    cell->write_at = visit->shadow->now;
    cell->writer = (uint16_t)me;
    cell->write_place = visit->op->instruction;
    cell->strong_write = strong;
}

/* The line of global memory, created on first use; NULL if out of memory, and then it is not
   checked. */
static struct line *line_of(struct smc_shadow *shadow, uint64_t number)
{
    uint32_t slot = (uint32_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 32) % TABLE_SIZE;
    for (; shadow->table[slot]; slot = (slot + 1) % TABLE_SIZE) {
        struct line *line = shadow->line[shadow->table[slot] - 1];
        if (line->number == number)
            return line;
    }
    if (shadow->lines == MAX_LINES)
        return NULL;
    if (shadow->lines == shadow->lines_made) {
        shadow->line[shadow->lines] = smc_malloc(sizeof(struct line));
        if (!shadow->line[shadow->lines])
            return NULL;
        shadow->lines_made++;
    }
    struct line *line = shadow->line[shadow->lines++];
    shadow->table[slot] = shadow->lines;
    memset(line, 0, sizeof *line);
    line->number = number;
    line->slot = slot;
    return line;
}

/* Reads of one cell each of shared memory. Most need no further check: the last write is ordered
   before everything that follows, and the two recorded readers represent this one. */
static void check_shared_reads(const struct visit *visit, const uint64_t address[SMC_LANES],
                               uint32_t mask)
{
    const struct smc_shadow *shadow = visit->shadow;
    const uint32_t synced = shadow->all_synced_at, began = shadow->block_began_at;
    const uint32_t shift = shadow->cell_bytes_shared == 4 ? 2 : 0;
    const bool strong = visit->op->is_strong, may_settle = !shadow->partly_synced;
    EACH_ACTIVE(lane, mask)
    {
        struct cell *cell = &shadow->shared[address[lane] >> shift];
        bool settled = may_settle && cell->other_read_at >= synced &&
                       cell->write_at - began < synced - began && (strong || !cell->strong_reads);
        if (!settled)
            check_read(visit, cell, smc_thread_of(visit->warp, lane), address[lane]);
    }
}

static void check_cells(const struct visit *visit, struct cell *cell, uint32_t count,
                        enum smc_access_kind kind, uint32_t me, uint64_t address, bool same_value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kind == SMC_READS)
            check_read(visit, &cell[i], me, address);
        else
            check_write(visit, &cell[i], me, address, same_value);
        if (kind == SMC_UPDATES)
            note_reader(visit, &cell[i], me);
    }
}

static bool is_unwritten(const struct visit *visit, const struct cell *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (cell[i].write_at < visit->shadow->block_began_at)
            return true;
    return false;
}

static void check_shared(const struct visit *visit, enum smc_access_kind kind, uint32_t me,
                         uint64_t address, bool same_value)
{
    uint32_t unit = visit->shadow->cell_bytes_shared;
    struct cell *cell = &visit->shadow->shared[address / unit];
    uint32_t count = visit->bytes / unit;
    if (kind == SMC_UPDATES && is_unwritten(visit, cell, count)) /* and then written */
        report(visit, SMC_FINDING_UNWRITTEN, me, address, 0, 0);
    check_cells(visit, cell, count, kind, me, address, same_value);
}

/* Accesses are aligned and at most 32 bytes wide, so each is within one line. */
static void check_global(const struct visit *visit, enum smc_access_kind kind, uint32_t me,
                         uint64_t address, bool same_value, struct line **last)
{
    uint32_t unit = visit->shadow->cell_bytes_global;
    uint64_t number = address / (unit * LINE_CELLS);
    if (!*last || (*last)->number != number)
        *last = line_of(visit->shadow, number);
    if (*last)
        check_cells(visit, &(*last)->cell[address / unit % LINE_CELLS], visit->bytes / unit, kind,
                    me, address, same_value);
}

void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      enum smc_ptx_space space, enum smc_access_kind kind,
                      const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                      const void *const *value, char *const host[SMC_LANES])
{
    const struct visit visit = {worker, worker->shadow, warp, op, space, bytes};
    struct line *last = NULL;
    if (space == SMC_SPACE_SHARED && kind == SMC_READS &&
        bytes == worker->shadow->cell_bytes_shared) {
        check_shared_reads(&visit, address, mask);
        return;
    }
    EACH_ACTIVE(lane, mask)
    {
        uint32_t me = smc_thread_of(warp, lane);
        /* If several lanes of one instruction write one word, the previous value is that of the
           last such lane. */
        bool same = kind == SMC_WRITES && value && memcmp(host[lane], value[lane], bytes) == 0;
        if (space == SMC_SPACE_SHARED)
            check_shared(&visit, kind, me, address[lane], same);
        else
            check_global(&visit, kind, me, address[lane], same, &last);
        if (kind == SMC_WRITES && value)
            memcpy(host[lane], value[lane], bytes);
    }
}

void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask)
{
    const struct visit visit = {worker, worker->shadow,   warp,
                                op,     SMC_SPACE_SHARED, op->width_bytes};
    uint32_t unit = worker->shadow->cell_bytes_shared;
    uint64_t bytes = worker->launch->smem_bytes;
    EACH_ACTIVE(lane, mask)
    {
        if (bytes < visit.bytes || address[lane] > bytes - visit.bytes)
            continue; /* reported when it arrives */
        struct cell *cell = &worker->shadow->shared[address[lane] / unit];
        for (uint32_t i = 0; i < visit.bytes / unit; i++) {
            bool is_unwritten = cell[i].write_at < worker->shadow->block_began_at;
            check_write(&visit, &cell[i], smc_thread_of(warp, lane), address[lane], false);
            if (is_unwritten)
                cell[i].write_at = 0;
        }
    }
}
