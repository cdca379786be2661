/* Records the last accesses of a block to each word. */
#include "emulator/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/other_blocks.h"

enum { MAX_LINES = 1 << 16, TABLE_SIZE = 1 << 17, RECENT_LINES = 64 };

enum { WRITE_IS_STRONG = 1, READ_IS_STRONG = 2, OTHER_READ_IS_STRONG = 4, WRITE_IS_NARROW = 8 };

/* One word, or one byte if the kernel has accesses smaller than a word. Time 0 means never. */
struct cell {
    uint32_t write_at, read_at, other_read_at;
    uint32_t write_place, read_place, other_read_place; /* instructions */
    uint16_t writer, reader, other_reader;
    uint8_t flags;
};

/* Of 32 neighboring cells those whose weak reads need no check until the next barrier: the last
   write is ordered before them, and two readers are recorded. `synced`: the time of the last
   barrier. */
struct settled {
    uint32_t synced, cells;
};

/* 32 neighboring cells of shared memory together. Each set of cells counts only if the time beside
   it is that of the present barrier or block. */
struct word {
    struct settled settled;
    uint32_t synced, fresh;               /* written since the last barrier: at least those */
    uint32_t touched;                     /* read or written since then: at least those */
    uint32_t once;                        /* read since then by one lane, as far as is known: */
    uint32_t once_by;                     /* of this warp, */
    uint32_t once_from;                   /* from this first address on, */
    const struct smc_places *once_places; /* at these places */
    uint32_t began, written;              /* written by this block: no others */
};

/* A weak read of shared memory that is recorded only when it matters: see defer. */
struct read {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_op *op;
    const struct smc_places *places;
    uint64_t first;
    uint32_t bytes, now;
};
enum { MOST_READS = 4096 };

/* Neighboring cells of global memory, and what this block did to them. */
struct line {
    uint64_t number;
    uint32_t slot;              /* in the table */
    struct smc_past_line *past; /* what other blocks did; NULL: not kept */
    struct settled settled;
    uint32_t written, read;         /* the cells that are */
    uint32_t value[SMC_LINE_CELLS]; /* as last written */
    struct cell cell[SMC_LINE_CELLS];
};

struct smc_shadow {
    struct smc_order order;
    uint32_t cell_bytes_shared, cell_bytes_global;
    struct cell *shared;
    struct word *word; /* of shared memory, by 32 cells */
    size_t shared_cells;
    struct read read[MOST_READS]; /* deferred */
    uint32_t reads;
    bool defers;
    uint32_t full_at;      /* the last barrier before there were too many of them */
    struct smc_past *past; /* NULL: one block */
    struct smc_run_pool pool;
    bool in_order; /* blocks run one after the other: `past` is complete */
    /* A hash table of lines by number, with open addressing; cleared for each block and when it is
       full. */
    uint32_t *table; /* index into `line` + 1 */
    struct line **line;
    uint32_t lines, lines_made;
    struct line *recent[RECENT_LINES]; /* by number; NULL: none */
};

uint32_t smc_shadow_cell_bytes(const struct smc_shadow *shadow, enum smc_ptx_space space)
{
    return shadow && space == SMC_SPACE_SHARED ? shadow->cell_bytes_shared
           : shadow                            ? shadow->cell_bytes_global
                                               : 1;
}

uint32_t smc_cell_bytes_global(const struct smc_program *program)
{
    return program->splits_global_words ? 1 : 4;
}

struct smc_shadow *smc_shadow_new(const struct smc_launch_state *launch)
{
    struct smc_shadow *shadow = smc_calloc(1, sizeof *shadow);
    if (!shadow)
        return NULL;
    shadow->cell_bytes_shared = launch->program->splits_shared_words ? 1 : 4;
    shadow->cell_bytes_global = smc_cell_bytes_global(launch->program);
    shadow->shared_cells = launch->smem_bytes / shadow->cell_bytes_shared + 1;
    shadow->shared = smc_calloc(shadow->shared_cells, sizeof *shadow->shared);
    shadow->word = smc_calloc(shadow->shared_cells / SMC_LINE_CELLS + 1, sizeof *shadow->word);
    shadow->defers = launch->together == 1; /* or else places are shared by several workers */
    shadow->table = smc_calloc(TABLE_SIZE, sizeof *shadow->table);
    shadow->line = smc_calloc(MAX_LINES, sizeof *shadow->line);
    shadow->past = launch->past;
    shadow->in_order = launch->program->runs_in_order;
    if (smc_order_begin(&shadow->order, launch) && shadow->shared && shadow->word &&
        shadow->table && shadow->line)
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
    smc_order_free(&shadow->order);
    smc_run_pool_free(&shadow->pool);
    free(shadow->line);
    free(shadow->table);
    free(shadow->word);
    free(shadow->shared);
    free(shadow);
}

/* --- What a block did, for the others --------------------------------------------------------- */

/* One access to a cell, as a run has it. */
struct touch {
    uint32_t place, time;
    uint16_t thread;
    bool is_strong, is_narrow;
};

static inline struct touch touch_of(const struct cell *cell, bool is_write)
{
    uint8_t flags = cell->flags;
    if (is_write)
        return (struct touch){cell->write_place, cell->write_at, cell->writer,
                              flags & WRITE_IS_STRONG, flags & WRITE_IS_NARROW};
    bool other = cell->other_read_at && flags & READ_IS_STRONG && !(flags & OTHER_READ_IS_STRONG);
    if (other)
        return (struct touch){cell->other_read_place, cell->other_read_at, cell->other_reader,
                              false, false};
    return (struct touch){cell->read_place, cell->read_at, cell->reader, flags & READ_IS_STRONG,
                          false};
}

static inline bool continues(const struct smc_shadow *shadow, const struct touch *first,
                             const struct touch *next)
{
    return first->place == next->place && first->is_strong == next->is_strong &&
           first->is_narrow == next->is_narrow && (!shadow->in_order || first->time == next->time);
}

/* The longest run that begins at the lowest cell of `mask`. */
static struct smc_run run_at(const struct smc_shadow *shadow, const struct line *line,
                             uint32_t mask, bool is_write)
{
    uint32_t begin = (uint32_t)__builtin_ctz(mask);
    const struct touch first = touch_of(&line->cell[begin], is_write);
    struct smc_run run = {.block = shadow->order.block,
                          .mask = 1u << begin,
                          .place = first.place,
                          .time = first.time,
                          .thread = first.thread,
                          .first = (uint8_t)begin,
                          .stride = 1,
                          .is_strong = first.is_strong,
                          .is_narrow = first.is_narrow};
    EACH_ACTIVE(cell, mask & (mask - 1))
    {
        const struct touch touch = touch_of(&line->cell[cell], is_write);
        if (run.step == 0 && touch.thread != first.thread) {
            run.step = (int16_t)(touch.thread - first.thread);
            run.stride = (uint8_t)(cell - begin);
        }
        if (!continues(shadow, &first, &touch) || smc_run_thread(&run, cell) != touch.thread)
            break;
        run.mask |= 1u << cell;
    }
    return run;
}

static void add_line(struct smc_shadow *shadow, const struct line *line)
{
    uint32_t written = line->written, read = line->read;
    uint64_t address = line->number * shadow->cell_bytes_global * SMC_LINE_CELLS;
    if (shadow->in_order) /* a later write of this block stands for the read */
        read &= ~written;
    if (shadow->in_order && !shadow->order.releases) {
        /* Nothing orders blocks: of several atomics, the first one serves as well as the last. */
        uint32_t known = smc_past_strong_writes(line->past) & written;
        EACH_ACTIVE(cell, known)
        if ((line->cell[cell].flags & (WRITE_IS_STRONG | WRITE_IS_NARROW)) == WRITE_IS_STRONG)
            written &= ~(1u << cell);
    }
    if (read)
        read = smc_past_wanted_reads(shadow->past, line->past, shadow->order.block, read);
    while (read) {
        struct smc_run run = run_at(shadow, line, read, false);
        read &= ~run.mask;
        smc_past_add_reads(shadow->past, &shadow->pool, line->past, &run);
    }
    while (written) {
        struct smc_run run = run_at(shadow, line, written, true);
        written &= ~run.mask;
        smc_past_add_writes(shadow->past, &shadow->pool, line->past, address, &run, line->value);
    }
}

/* Before an atomic operation: a weak write of this block to the cell would be forgotten. */
static void keep_weak_writes(struct smc_shadow *shadow, const struct line *line, uint32_t cell,
                             uint32_t count)
{
    uint64_t address = line->number * shadow->cell_bytes_global * SMC_LINE_CELLS;
    for (uint32_t i = cell; i < cell + count; i++) {
        if (!line->cell[i].write_at || line->cell[i].flags & WRITE_IS_STRONG)
            continue;
        const struct smc_run run = run_at(shadow, line, 1u << i, true);
        smc_past_add_writes(shadow->past, &shadow->pool, line->past, address, &run, line->value);
    }
}

static void empty_table(struct smc_shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->lines; i++) {
        shadow->table[shadow->line[i]->slot] = 0;
        if (shadow->line[i]->past)
            add_line(shadow, shadow->line[i]);
    }
    shadow->lines = 0;
    memset(shadow->recent, 0, sizeof shadow->recent);
}

void smc_shadow_begin_block(struct smc_shadow *shadow, uint64_t block)
{
    if (shadow->order.now > UINT32_MAX / 2 && !(shadow->in_order && shadow->past)) {
        /* Old times would look recent when the counter wraps. */
        memset(shadow->shared, 0, shadow->shared_cells * sizeof *shadow->shared);
        memset(shadow->word, 0, (shadow->shared_cells / SMC_LINE_CELLS + 1) * sizeof *shadow->word);
        shadow->order.now = 1;
    }
    smc_order_begin_block(&shadow->order, block);
    shadow->reads = 0;
}

void smc_shadow_end_block(struct smc_shadow *shadow)
{
    empty_table(shadow);
}

/* --- Synchronisations ------------------------------------------------------------------------- */

void smc_shadow_sync_block(struct smc_shadow *shadow)
{
    shadow->reads = 0; /* all of them are ordered before everything that follows */
    smc_order_sync_block(&shadow->order);
    if (shadow->lines > MAX_LINES / 2)
        empty_table(shadow); /* all its accesses are ordered before everything that follows */
}

void smc_shadow_sync_warps(struct smc_shadow *shadow, const struct smc_barrier *barrier)
{
    smc_shadow_catch_up(shadow);
    smc_order_sync_warps(&shadow->order, barrier);
}

uint32_t smc_shadow_arrive(struct smc_shadow *shadow)
{
    return ++shadow->order.now;
}

void smc_shadow_sync_lanes(struct smc_shadow *shadow, struct smc_warp *warp, uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    smc_order_sync_lanes(&shadow->order, warp, mask);
}

void smc_shadow_fence(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask,
                      bool is_narrow)
{
    smc_shadow_catch_up(shadow);
    smc_order_fence(&shadow->order, warp, mask, is_narrow);
}

void smc_shadow_order(struct smc_shadow *shadow, const struct smc_warp *warp,
                      const struct smc_op *op, enum smc_access_kind kind,
                      const uint64_t key[SMC_LANES], uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    if (shadow->order.releases)
        smc_order_strong(&shadow->order, warp, op, kind, key, SMC_SHARED_WINDOW, mask);
}

/* --- Accesses --------------------------------------------------------------------------------- */

/* What all lanes of one instruction have in common. */
struct visit {
    struct smc_worker *worker;
    struct smc_shadow *shadow;
    struct smc_warp *warp;
    const struct smc_op *op;
    enum smc_ptx_space space;
    uint32_t bytes, mask;
};

/* Whether the last write is ordered before what `me` does now: as every access is, or because it is
   a strong write of a warp from which mine has acquired. */
static bool write_in_order(const struct visit *visit, const struct cell *cell, uint32_t me)
{
    const struct smc_order *order = &visit->shadow->order;
    return smc_order_has(order, visit->warp, cell->write_at, cell->writer, me) ||
           (cell->flags & WRITE_IS_STRONG && order->is_used &&
            order->known[visit->warp->index][cell->writer / SMC_LANES] > order->all_synced_at);
}

/* Whether the access of `thread` at time `when` is ordered before the current access of `me`. */
static bool in_order(const struct visit *visit, uint32_t when, uint16_t thread, uint32_t me)
{
    return smc_order_has(&visit->shadow->order, visit->warp, when, thread, me);
}

static void report(const struct visit *visit, enum smc_finding_kind kind, uint32_t me,
                   uint64_t address, uint32_t other_place, uint32_t other)
{
    struct smc_finding finding = smc_finding_at(visit->worker, kind, visit->op->instruction, me);
    smc_finding_set_address(visit->worker, &finding, visit->space, address, visit->bytes);
    if (kind != SMC_FINDING_UNWRITTEN) {
        finding.has_other = true;
        finding.other_instruction = other_place;
        smc_finding_set_other(visit->worker, &finding, other);
    }
    smc_find(visit->worker, &finding);
}

static void set_flag(struct cell *cell, uint8_t flag, bool holds)
{
    cell->flags = (uint8_t)(holds ? cell->flags | flag : cell->flags & ~flag);
}

/* Keeps two readers that are not ordered after each other, and rather weak than strong ones. A
   thread's weak read is not replaced by its later strong one. */
static void note_reader(const struct visit *visit, struct cell *cell, uint32_t me)
{
    const struct smc_order *order = &visit->shadow->order;
    bool strong = visit->op->is_strong, is_old = cell->read_at < order->all_synced_at;
    if (is_old || cell->reader == me) {
        set_flag(cell, READ_IS_STRONG, strong && (is_old || cell->flags & READ_IS_STRONG));
        cell->read_at = order->now;
        cell->reader = (uint16_t)me;
        cell->read_place = visit->op->instruction;
        return;
    }
    is_old = cell->other_read_at < order->all_synced_at;
    if (is_old || cell->other_reader == me || (!strong && cell->flags & OTHER_READ_IS_STRONG) ||
        in_order(visit, cell->other_read_at, cell->other_reader, me)) {
        set_flag(cell, OTHER_READ_IS_STRONG,
                 strong &&
                     (is_old || cell->other_reader != me || cell->flags & OTHER_READ_IS_STRONG));
        cell->other_read_at = order->now;
        cell->other_reader = (uint16_t)me;
        cell->other_read_place = visit->op->instruction;
    }
}

static void check_read(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address)
{
    const struct smc_order *order = &visit->shadow->order;
    if (cell->write_at < order->all_synced_at) {
        if (visit->space == SMC_SPACE_SHARED && cell->write_at < order->block_began_at) {
            report(visit, SMC_FINDING_UNWRITTEN, me, address, 0, 0);
            cell->write_at = order->block_began_at; /* reported once */
        }
    } else if (!(cell->flags & WRITE_IS_STRONG && visit->op->is_strong) &&
               !write_in_order(visit, cell, me)) {
        report(visit, SMC_FINDING_RACE_WRITE_READ, me, address, cell->write_place, cell->writer);
    }
    note_reader(visit, cell, me);
}

static void check_write(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address,
                        bool same_value)
{
    bool strong = visit->op->is_strong;
    uint32_t synced = visit->shadow->order.all_synced_at;
    if (cell->write_at >= synced && !same_value && !(cell->flags & WRITE_IS_STRONG && strong) &&
        !write_in_order(visit, cell, me))
        report(visit, SMC_FINDING_RACE_WRITE_WRITE, me, address, cell->write_place, cell->writer);
    if (cell->read_at >= synced && !(cell->flags & READ_IS_STRONG && strong) &&
        !in_order(visit, cell->read_at, cell->reader, me))
        report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, cell->read_place, cell->reader);
    else if (cell->other_read_at >= synced && !(cell->flags & OTHER_READ_IS_STRONG && strong) &&
             !in_order(visit, cell->other_read_at, cell->other_reader, me))
        report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, cell->other_read_place,
               cell->other_reader);
    cell->write_at = visit->shadow->order.now;
    cell->writer = (uint16_t)me;
    cell->write_place = visit->op->instruction;
    set_flag(cell, WRITE_IS_STRONG, strong);
    set_flag(cell, WRITE_IS_NARROW, visit->op->is_narrow);
}

/* --- Against earlier blocks, if blocks run in order ------------------------------------------- */

static void report_past(const struct visit *visit, enum smc_finding_kind kind, uint32_t me,
                        uint64_t address, const struct smc_run *run, uint32_t cell)
{
    const struct smc_launch_state *launch = visit->worker->launch;
    const uint32_t *grid = launch->request->grid;
    struct smc_finding finding = smc_finding_at(visit->worker, kind, visit->op->instruction, me);
    smc_finding_set_address(visit->worker, &finding, visit->space, address, visit->bytes);
    finding.has_other = finding.between_blocks = true;
    finding.other_instruction = run->place;
    finding.other_block[0] = run->block % grid[0];
    finding.other_block[1] = run->block / grid[0] % grid[1];
    finding.other_block[2] = run->block / grid[0] / grid[1];
    smc_finding_set_other(visit->worker, &finding, smc_run_thread(run, cell));
    smc_find(visit->worker, &finding);
}

/* The first run of the list that races with the current access to the cell, or NULL. */
static const struct smc_run *racing(const struct visit *visit, const struct smc_run *run,
                                    uint32_t cell)
{
    const struct smc_order *order = &visit->shadow->order;
    bool strong = visit->op->is_strong && !visit->op->is_narrow;
    for (; run; run = run->next)
        if (run->mask >> cell & 1 && run->block != order->block &&
            !(strong && run->is_strong && !run->is_narrow) &&
            !(run->is_strong && smc_order_knows_block(order, visit->warp->index, run->block)) &&
            !smc_order_knows(order, visit->warp->index, run->block,
                             smc_run_thread(run, cell) / SMC_LANES, run->time))
            return run;
    return NULL;
}

static void check_past(const struct visit *visit, const struct line *line, uint32_t cell,
                       uint32_t count, enum smc_access_kind kind, uint32_t me, uint64_t address,
                       bool same_value)
{
    for (uint32_t i = cell; i < cell + count; i++) {
        const struct smc_run *run =
            kind == SMC_WRITES && same_value ? NULL : racing(visit, line->past->writes, i);
        if (run) {
            report_past(visit,
                        kind == SMC_READS ? SMC_FINDING_RACE_WRITE_READ
                                          : SMC_FINDING_RACE_WRITE_WRITE,
                        me, address, run, i);
            return;
        }
        run = kind == SMC_READS ? NULL : racing(visit, line->past->reads, i);
        if (run) {
            report_past(visit, SMC_FINDING_RACE_READ_WRITE, me, address, run, i);
            return;
        }
    }
}

/* --- Lines ------------------------------------------------------------------------------------ */

/* The line of global memory, created on first use; NULL if out of memory, and then it is not
   checked. */
static struct line *find_line(struct smc_shadow *shadow, uint64_t number)
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
    if (shadow->past)
        line->past =
            smc_past_line(shadow->past, number * shadow->cell_bytes_global * SMC_LINE_CELLS);
    return line;
}

/* The bits of cells of a line. */
static inline uint32_t cells_from(uint32_t first, uint32_t count)
{
    return (uint32_t)((UINT64_C(1) << count) - 1) << first;
}

static inline struct line *line_of(struct smc_shadow *shadow, uint64_t number)
{
    struct line **recent = &shadow->recent[number % RECENT_LINES];
    if (!*recent || (*recent)->number != number)
        *recent = find_line(shadow, number);
    return *recent;
}

/* --- Reads that need no check ----------------------------------------------------------------- */

static void settle(struct settled *settled, uint32_t synced, uint32_t cell)
{
    if (settled->synced != synced)
        *settled = (struct settled){.synced = synced};
    settled->cells |= 1u << cell % SMC_LINE_CELLS;
}

static void unsettle(struct smc_shadow *shadow, uint64_t cell, uint32_t count)
{
    for (uint64_t i = cell; i < cell + count; i++)
        shadow->word[i / SMC_LINE_CELLS].settled.cells &= ~(1u << i % SMC_LINE_CELLS);
}

static void begin_phase(struct word *word, uint32_t synced)
{
    if (word->synced == synced)
        return;
    word->synced = synced;
    word->fresh = word->touched = word->once = 0;
}

static void mark_word_written(const struct smc_shadow *shadow, struct word *word, uint32_t cells)
{
    begin_phase(word, shadow->order.all_synced_at);
    if (word->began != shadow->order.block_began_at)
        word->written = 0;
    word->began = shadow->order.block_began_at;
    word->settled.cells &= ~cells;
    word->fresh |= cells;
    word->touched |= cells;
    word->written |= cells;
}

/* These cells of shared memory are written now. */
static void mark_written(struct smc_shadow *shadow, uint64_t cell, uint32_t count)
{
    for (uint64_t i = cell; i < cell + count; i++)
        mark_word_written(shadow, &shadow->word[i / SMC_LINE_CELLS], 1u << i % SMC_LINE_CELLS);
}

/* Of 32 cells that begin at cell `shift` of a word, those in this word and those in the next. */
static inline uint32_t half_of(uint32_t cells, uint32_t shift, uint32_t half)
{
    return (uint32_t)((uint64_t)cells << shift >> half * SMC_LINE_CELLS);
}

/* For each word of 32 cells that has any of the places, whose lowest one is cell `shift` of a
   word. */
#define EACH_WORD(i, cells, shift, places)                                                         \
    for (uint32_t i = 0, cells; i < 2 * (places)->words; i++)                                      \
        if ((cells = half_of((places)->word[i / 2].cells, shift, i % 2)) != 0)
#define WORD_AT(i, places) ((places)->word[(i) / 2].number + (i) % 2)

/* Where the lowest place is, in shared or global memory. */
static inline uint64_t cell_of(const struct smc_shadow *shadow, uint64_t first,
                               const struct smc_places *places)
{
    return (first + places->least) >> (shadow->cell_bytes_shared == 4 ? 2 : 0);
}

static inline uint64_t global_cell_of(const struct smc_shadow *shadow, uint64_t first,
                                      const struct smc_places *places)
{
    return (first + places->least) >> (shadow->cell_bytes_global == 4 ? 2 : 0);
}

static inline bool is_settled(const struct settled *settled, uint32_t synced, uint32_t cells)
{
    return settled->synced == synced && !(cells & ~settled->cells);
}

/* Whether reads of one cell at each of these places, in lines of global memory from this one on,
   need no check. */
static bool lines_are_settled(const struct smc_shadow *shadow, uint64_t number, uint32_t shift,
                              const struct smc_places *places)
{
    EACH_WORD(i, cells, shift, places)
    {
        const uint64_t at = number + WORD_AT(i, places);
        const struct line *line = shadow->recent[at % RECENT_LINES];
        if (!line || line->number != at ||
            !is_settled(&line->settled, shadow->order.all_synced_at, cells))
            return false;
    }
    return true;
}

/* --- Weak reads by several lanes of one instruction ------------------------------------------- */

static inline void set_reader(struct cell *cell, uint32_t now, uint32_t me, uint32_t place)
{
    cell->read_at = now;
    cell->reader = (uint16_t)me;
    cell->read_place = place;
}

static inline void set_other_reader(struct cell *cell, uint32_t now, uint32_t me, uint32_t place)
{
    cell->other_read_at = now;
    cell->other_reader = (uint16_t)me;
    cell->other_read_place = place;
}

enum noted { NOTED_NOTHING, NOTED, NOTED_SETTLED };

/* The present. */
struct moment {
    uint32_t now, synced, began, place, warp;
};

static inline struct moment moment_of(const struct visit *visit)
{
    const struct smc_order *order = &visit->shadow->order;
    return (struct moment){order->now, order->all_synced_at, order->block_began_at,
                           visit->op->instruction, visit->warp->index};
}

/* Records the lanes that read the cell, whose last write is ordered before this, as note_reader
   does for one after the other. NOTED_NOTHING: that needs a closer look. */
static inline enum noted note_lanes(struct moment at, struct cell *cell, uint32_t lanes)
{
    const uint32_t more = lanes & (lanes - 1), thread = at.warp * SMC_LANES;
    const uint32_t me = thread + (uint32_t)__builtin_ctz(lanes);
    if (cell->flags & (READ_IS_STRONG | OTHER_READ_IS_STRONG))
        return NOTED_NOTHING;
    if (cell->other_read_at >= at.synced)
        return cell->read_at >= at.synced ? NOTED_SETTLED : NOTED_NOTHING;
    if (cell->read_at >= at.synced && cell->reader != me) {
        set_other_reader(cell, at.now, me, at.place);
        return NOTED_SETTLED;
    }
    set_reader(cell, at.now, me, at.place);
    if (!more)
        return NOTED;
    set_other_reader(cell, at.now, thread + (uint32_t)__builtin_ctz(more), at.place);
    return NOTED_SETTLED;
}

/* Returns the lanes that need a closer look. */
static uint32_t check_shared_places(const struct visit *visit, uint64_t first,
                                    const struct smc_places *places)
{
    struct cell *const cells = visit->shadow->shared;
    struct word *const words = visit->shadow->word;
    const uint32_t shift = visit->shadow->cell_bytes_shared == 4 ? 2 : 0, count = places->count;
    const struct moment at = moment_of(visit);
    uint32_t rest = 0;
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t number = (uint32_t)((first + places->offset[n]) >> shift);
        struct cell *cell = &cells[number];
        enum noted noted = NOTED_NOTHING;
        if (cell->write_at - at.began < at.synced - at.began)
            noted = note_lanes(at, cell, places->lanes[n]);
        if (noted == NOTED_SETTLED)
            settle(&words[number / SMC_LINE_CELLS].settled, at.synced, number);
        else if (noted == NOTED_NOTHING)
            rest |= places->lanes[n];
    }
    return rest;
}

/* The lines of global memory that have the places, all of which no other block has written to if
   blocks run in order, and none of the places was accessed yet. */
static bool are_untouched(struct smc_shadow *shadow, uint64_t first,
                          const struct smc_places *places)
{
    const uint64_t cell = global_cell_of(shadow, first, places);
    EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places)
    {
        const struct line *line = line_of(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places));
        if (!line || (line->read | line->written) & cells ||
            (shadow->in_order && line->past && (line->past->writes || line->past->reads)))
            return false;
    }
    return true;
}

/* The first reads of all these places. */
static void read_untouched(const struct visit *visit, uint64_t first,
                           const struct smc_places *places)
{
    struct smc_shadow *shadow = visit->shadow;
    const struct moment at = moment_of(visit);
    const uint32_t shift = shadow->cell_bytes_global == 4 ? 2 : 0, count = visit->bytes >> shift;
    const uint32_t thread = at.warp * SMC_LANES;
    const uint64_t lowest = global_cell_of(shadow, first, places);
    struct line *line = NULL;
    for (uint32_t n = 0; n < places->count; n++) {
        const uint64_t number = (first + places->offset[n]) >> shift;
        const uint32_t lanes = places->lanes[n], more = lanes & (lanes - 1);
        if (!line || line->number != number / SMC_LINE_CELLS)
            line = line_of(shadow, number / SMC_LINE_CELLS);
        struct cell *cell = &line->cell[number % SMC_LINE_CELLS];
        for (uint32_t i = 0; i < count; i++) {
            set_reader(&cell[i], at.now, thread + (uint32_t)__builtin_ctz(lanes), at.place);
            if (more)
                set_other_reader(&cell[i], at.now, thread + (uint32_t)__builtin_ctz(more),
                                 at.place);
        }
    }
    EACH_WORD(i, cells, lowest % SMC_LINE_CELLS, places)
    {
        line = line_of(shadow, lowest / SMC_LINE_CELLS + WORD_AT(i, places));
        line->read |= cells;
        if (line->settled.synced != at.synced)
            line->settled = (struct settled){.synced = at.synced};
        line->settled.cells |= half_of(places->word[i / 2].several, lowest % SMC_LINE_CELLS, i % 2);
    }
}

static uint32_t check_global_places(const struct visit *visit, uint64_t first,
                                    const struct smc_places *places)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t shift = shadow->cell_bytes_global == 4 ? 2 : 0, count = places->count;
    const struct moment at = moment_of(visit);
    struct line *line = NULL;
    uint32_t rest = 0;
    if (are_untouched(shadow, first, places)) {
        read_untouched(visit, first, places);
        return 0;
    }
    if (visit->bytes != shadow->cell_bytes_global)
        return visit->mask;
    for (uint32_t n = 0; n < count; n++) {
        const uint64_t number = (first + places->offset[n]) >> shift;
        if (!line || line->number != number / SMC_LINE_CELLS)
            line = line_of(shadow, number / SMC_LINE_CELLS);
        if (!line || (shadow->in_order && line->past && line->past->writes)) {
            rest |= places->lanes[n];
            continue;
        }
        struct cell *cell = &line->cell[number % SMC_LINE_CELLS];
        enum noted noted = NOTED_NOTHING;
        if (cell->write_at < at.synced)
            noted = note_lanes(at, cell, places->lanes[n]);
        if (noted != NOTED_NOTHING)
            line->read |= 1u << number % SMC_LINE_CELLS;
        if (noted == NOTED_SETTLED)
            settle(&line->settled, at.synced, (uint32_t)(number % SMC_LINE_CELLS));
        else if (noted == NOTED_NOTHING)
            rest |= places->lanes[n];
    }
    return rest;
}

static inline bool is_among(struct moment at, uint32_t thread, uint32_t lanes)
{
    return thread / SMC_LANES == at.warp && lanes >> thread % SMC_LANES & 1;
}

/* Whether one of the recorded readers is one of these lanes: a finding names the place of its last
   read, which for accesses of one cell is only that of the first ones. */
static inline bool was_read_by(struct moment at, const struct cell *cell, uint32_t lanes)
{
    return (cell->read_at >= at.synced && is_among(at, cell->reader, lanes)) ||
           (cell->other_read_at >= at.synced && is_among(at, cell->other_reader, lanes));
}

/* The same for accesses of several cells of shared memory. */
static uint32_t check_wide_places(const struct visit *visit, uint64_t first,
                                  const struct smc_places *places)
{
    const uint32_t unit = visit->shadow->cell_bytes_shared, count = visit->bytes / unit;
    const struct moment at = moment_of(visit);
    uint32_t rest = 0;
    for (uint32_t n = 0; n < places->count; n++) {
        struct cell *cell = &visit->shadow->shared[(first + places->offset[n]) / unit];
        bool done = true;
        for (uint32_t i = 0; done && i < count; i++)
            done = cell[i].write_at - at.began < at.synced - at.began &&
                   !was_read_by(at, &cell[i], places->lanes[n]) &&
                   note_lanes(at, &cell[i], places->lanes[n]) != NOTED_NOTHING;
        rest |= done ? 0 : places->lanes[n];
    }
    return rest;
}

static uint32_t check_places(const struct visit *visit, uint64_t first,
                             const struct smc_places *places)
{
    if (visit->space == SMC_SPACE_GLOBAL)
        return check_global_places(visit, first, places);
    return visit->bytes == visit->shadow->cell_bytes_shared
               ? check_shared_places(visit, first, places)
               : check_wide_places(visit, first, places);
}

/* --- Writes of what was not accessed since the last barrier ----------------------------------- */

static bool write_untouched(const struct visit *visit, struct cell *cell, uint32_t count,
                            uint32_t me)
{
    const struct smc_order *order = &visit->shadow->order;
    const uint32_t synced = order->all_synced_at;
    const uint8_t flags = (uint8_t)((visit->op->is_strong ? WRITE_IS_STRONG : 0) |
                                    (visit->op->is_narrow ? WRITE_IS_NARROW : 0));
    for (uint32_t i = 0; i < count; i++)
        if (cell[i].write_at >= synced || cell[i].read_at >= synced ||
            cell[i].other_read_at >= synced)
            return false;
    for (uint32_t i = 0; i < count; i++) {
        cell[i].write_at = order->now;
        cell[i].writer = (uint16_t)me;
        cell[i].write_place = visit->op->instruction;
        cell[i].flags &= (uint8_t) ~(WRITE_IS_STRONG | WRITE_IS_NARROW);
        cell[i].flags |= flags;
    }
    return true;
}

/* The same as check_shared and check_global for most writes. False: nothing happened. */
static bool check_untouched(const struct visit *visit, uint32_t me, uint64_t address,
                            const void *value, struct line **last)
{
    struct smc_shadow *shadow = visit->shadow;
    const bool is_shared = visit->space == SMC_SPACE_SHARED;
    const uint32_t shift =
        (is_shared ? shadow->cell_bytes_shared : shadow->cell_bytes_global) == 4 ? 2 : 0;
    const uint32_t count = visit->bytes >> shift;
    const uint64_t number = address >> shift;
    if (is_shared) {
        if (!write_untouched(visit, &shadow->shared[number], count, me))
            return false;
        mark_written(shadow, number, count);
        return true;
    }
    if (!*last || (*last)->number != number / SMC_LINE_CELLS)
        *last = line_of(shadow, number / SMC_LINE_CELLS);
    struct line *line = *last;
    const uint32_t cell = number % SMC_LINE_CELLS;
    if (!line || (line->past && (visit->op->is_strong ||
                                 (shadow->in_order && (line->past->writes || line->past->reads)))))
        return false;
    if (!write_untouched(visit, &line->cell[cell], count, me))
        return false;
    line->settled.cells = 0;
    line->written |= cells_from(cell, count);
    for (uint32_t i = 0; line->past && i < count; i++)
        memcpy(&line->value[cell + i], (const char *)value + (i << shift), (size_t)1 << shift);
    return true;
}

/* Reads of one cell each of shared memory. Most need no further check: the last write is ordered
   before everything that follows, and the two recorded readers represent this one. */
static void check_shared_reads(const struct visit *visit, const uint64_t address[SMC_LANES],
                               uint32_t mask)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t synced = shadow->order.all_synced_at, began = shadow->order.block_began_at;
    const uint32_t shift = shadow->cell_bytes_shared == 4 ? 2 : 0;
    const bool strong = visit->op->is_strong, may_settle = !shadow->order.partly_synced;
    EACH_ACTIVE(lane, mask)
    {
        const uint64_t place = address[lane] >> shift;
        struct cell *cell = &shadow->shared[place];
        if (!(may_settle && cell->other_read_at >= synced &&
              cell->write_at - began < synced - began &&
              (strong || !(cell->flags & (READ_IS_STRONG | OTHER_READ_IS_STRONG))))) {
            if (strong)
                unsettle(shadow, place, 1);
            check_read(visit, cell, smc_thread_of(visit->warp, lane), address[lane]);
        } else if (!strong) {
            settle(&shadow->word[place / SMC_LINE_CELLS].settled, synced, (uint32_t)place);
        }
    }
}

void smc_shadow_written_elsewhere(struct smc_shadow *shadow, uint64_t address, uint32_t bytes)
{
    const uint32_t unit = shadow->cell_bytes_shared;
    smc_shadow_catch_up(shadow);
    for (uint64_t i = address / unit; i <= (address + bytes - 1) / unit; i++) {
        mark_written(shadow, i, 1);
        shadow->shared[i].write_at = shadow->order.block_began_at;
    }
}

void smc_shadow_acquire_all(struct smc_shadow *shadow, const struct smc_warp *warp, uint32_t mask)
{
    smc_shadow_catch_up(shadow);
    smc_order_acquire_all(&shadow->order, warp, mask);
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
        if (cell[i].write_at < visit->shadow->order.block_began_at)
            return true;
    return false;
}

static void check_shared(const struct visit *visit, enum smc_access_kind kind, uint32_t me,
                         uint64_t address, bool same_value)
{
    uint32_t unit = visit->shadow->cell_bytes_shared;
    struct cell *cell = &visit->shadow->shared[address / unit];
    uint32_t count = visit->bytes / unit;
    if (kind != SMC_READS)
        mark_written(visit->shadow, address / unit, count);
    else if (visit->op->is_strong)
        unsettle(visit->shadow, address / unit, count);
    if (kind == SMC_UPDATES && is_unwritten(visit, cell, count)) /* and then written */
        report(visit, SMC_FINDING_UNWRITTEN, me, address, 0, 0);
    check_cells(visit, cell, count, kind, me, address, same_value);
}

/* Accesses are aligned and at most 32 bytes wide, so each is within one line. */
static void check_global(const struct visit *visit, enum smc_access_kind kind, uint32_t me,
                         uint64_t address, bool same_value, const void *value, struct line **last)
{
    uint32_t unit = visit->shadow->cell_bytes_global, count = visit->bytes / unit;
    uint64_t number = address / ((uint64_t)unit * SMC_LINE_CELLS);
    uint32_t first = (uint32_t)(address / unit % SMC_LINE_CELLS);
    if (!*last || (*last)->number != number)
        *last = line_of(visit->shadow, number);
    if (!*last)
        return;
    if (kind != SMC_READS || visit->op->is_strong)
        (*last)->settled.cells = 0;
    if (visit->op->is_strong && kind != SMC_READS && (*last)->past)
        keep_weak_writes(visit->shadow, *last, first, count);
    check_cells(visit, &(*last)->cell[first], count, kind, me, address, same_value);
    (*last)->read |= kind == SMC_WRITES ? 0 : cells_from(first, count);
    (*last)->written |= kind == SMC_READS ? 0 : cells_from(first, count);
    if (!(*last)->past)
        return;
    if (visit->shadow->in_order && ((*last)->past->writes || (*last)->past->reads))
        check_past(visit, *last, first, count, kind, me, address, same_value);
    for (uint32_t i = 0; value && i < count; i++)
        memcpy(&(*last)->value[first + i], (const char *)value + (size_t)i * unit, unit);
}

/* The same for global memory. Returns the lanes that need more. */
static uint32_t check_global_reads(const struct visit *visit, const uint64_t address[SMC_LANES],
                                   uint32_t mask)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t synced = shadow->order.all_synced_at;
    const uint32_t shift = shadow->cell_bytes_global == 4 ? 2 : 0;
    const bool strong = visit->op->is_strong;
    struct line *line = NULL;
    uint32_t rest = 0;
    bool checks_past = false;
    if (shadow->order.partly_synced)
        return mask;
    EACH_ACTIVE(lane, mask)
    {
        uint64_t place = address[lane] >> shift;
        if (!line || line->number != place / SMC_LINE_CELLS) {
            line = line_of(shadow, place / SMC_LINE_CELLS);
            if (!line)
                continue;
            checks_past = shadow->in_order && line->past && line->past->writes;
        }
        struct cell *cell = &line->cell[place % SMC_LINE_CELLS];
        if (cell->write_at >= synced || checks_past) {
            rest |= 1u << lane;
            continue;
        }
        line->read |= 1u << place % SMC_LINE_CELLS;
        if (cell->read_at < synced) {
            cell->read_at = shadow->order.now;
            cell->reader = (uint16_t)smc_thread_of(visit->warp, lane);
            cell->read_place = visit->op->instruction;
            set_flag(cell, READ_IS_STRONG, strong);
        } else if (cell->other_read_at < synced ||
                   (!strong && cell->flags & (READ_IS_STRONG | OTHER_READ_IS_STRONG))) {
            note_reader(visit, cell, smc_thread_of(visit->warp, lane));
        } else if (!strong) {
            settle(&line->settled, synced, (uint32_t)(place % SMC_LINE_CELLS));
        }
    }
    return rest;
}

static void check_lanes(const struct visit *visit, enum smc_access_kind kind,
                        const uint64_t address[SMC_LANES], uint32_t mask, const void *const *value,
                        char *const host[SMC_LANES])
{
    const struct smc_shadow *shadow = visit->shadow;
    struct line *last = NULL;
    if (kind == SMC_READS && visit->space == SMC_SPACE_SHARED &&
        visit->bytes == shadow->cell_bytes_shared) {
        check_shared_reads(visit, address, mask);
        return;
    }
    if (kind == SMC_READS && visit->space == SMC_SPACE_GLOBAL &&
        visit->bytes == shadow->cell_bytes_global)
        mask = check_global_reads(visit, address, mask);
    EACH_ACTIVE(lane, mask)
    {
        uint32_t me = smc_thread_of(visit->warp, lane);
        if (kind == SMC_WRITES && value &&
            check_untouched(visit, me, address[lane], value[lane], &last)) {
            memcpy(host[lane], value[lane], visit->bytes);
            continue;
        }
        /* If several lanes of one instruction write one word, the previous value is that of the
           last such lane. */
        bool same =
            kind == SMC_WRITES && value && memcmp(host[lane], value[lane], visit->bytes) == 0;
        if (visit->space == SMC_SPACE_SHARED)
            check_shared(visit, kind, me, address[lane], same);
        else
            check_global(visit, kind, me, address[lane], same,
                         kind == SMC_WRITES && value ? value[lane] : NULL, &last);
        if (kind == SMC_WRITES && value)
            memcpy(host[lane], value[lane], visit->bytes);
    }
}

/* --- Reads of shared memory that are recorded later ------------------------------------------- */

/* Which thread reads a word of shared memory matters only if another one writes to it before the
   next barrier. So a read is only listed, if its words show that the last writes are ordered before
   it; what the list holds is recorded before the first write, or whatever else depends on it. */

static bool is_written_in_order(const struct smc_shadow *shadow, const struct word *word,
                                uint32_t cells)
{
    const struct smc_order *order = &shadow->order;
    return word->began == order->block_began_at && !(cells & ~word->written) &&
           !(word->synced == order->all_synced_at && cells & word->fresh);
}

/* Two different readers are enough: further reads of the cell need not be listed. Lanes of one warp
   that read the same places from another address on are others. */
static void settle_readers(struct word *word, uint32_t synced, const struct read *read,
                           uint32_t cells, uint32_t several)
{
    const uint32_t warp = read->warp->index, from = (uint32_t)read->first;
    const bool is_alike = word->once_by == warp && word->once_places == read->places;
    const bool by_other = word->once_by != warp || (is_alike && word->once_from != from);
    const uint32_t twice = several | (by_other ? cells & word->once : 0);
    const uint32_t once = cells & ~twice;
    if (word->settled.synced != synced)
        word->settled = (struct settled){.synced = synced};
    word->settled.cells |= twice;
    word->once = is_alike && word->once_from == from ? word->once | once : once;
    word->once_by = warp;
    word->once_from = from;
    word->once_places = read->places;
}

/* Whether reads need no check, or can be listed. */
static bool words_allow(const struct smc_shadow *shadow, const struct word *words, uint32_t shift,
                        const struct smc_places *places, bool may_settle, bool *are_settled)
{
    *are_settled = may_settle;
    EACH_WORD(i, cells, shift, places)
    {
        const struct word *word = &words[WORD_AT(i, places)];
        if (may_settle && is_settled(&word->settled, shadow->order.all_synced_at, cells))
            continue;
        *are_settled = false;
        if (!is_written_in_order(shadow, word, cells))
            return false;
    }
    return true;
}

/* Lists weak reads of shared memory, unless they need no check. False: they must be checked now. */
static bool defer(const struct visit *visit, uint64_t first, const struct smc_places *places)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint64_t cell = cell_of(shadow, first, places);
    const uint32_t shift = cell % SMC_LINE_CELLS, synced = shadow->order.all_synced_at;
    const bool may_settle = visit->bytes == shadow->cell_bytes_shared;
    struct word *const words = &shadow->word[cell / SMC_LINE_CELLS];
    bool are_settled;
    if (!words_allow(shadow, words, shift, places, may_settle, &are_settled))
        return false;
    if (are_settled)
        return true;
    if (shadow->reads == MOST_READS)
        shadow->full_at = synced;
    if (!shadow->defers || shadow->full_at == synced)
        return false;
    const struct read read = {visit->worker, visit->warp,  visit->op,        places,
                              first,         visit->bytes, shadow->order.now};
    EACH_WORD(i, cells, shift, places)
    {
        struct word *word = &words[WORD_AT(i, places)];
        begin_phase(word, synced);
        word->touched |= cells;
        if (may_settle)
            settle_readers(word, synced, &read, cells,
                           half_of(places->word[i / 2].several, shift, i % 2));
    }
    shadow->read[shadow->reads++] = read;
    return true;
}

static void record(struct smc_shadow *shadow, const struct read *read)
{
    const struct smc_places *places = read->places;
    const struct visit visit = {read->worker,     shadow,      read->warp, read->op,
                                SMC_SPACE_SHARED, read->bytes, 0};
    uint64_t address[SMC_LANES] = {0};
    shadow->order.now = read->now;
    const uint32_t left = check_places(&visit, read->first, places);
    for (uint32_t n = 0; left && n < places->count; n++)
        EACH_ACTIVE(lane, places->lanes[n]) address[lane] = read->first + places->offset[n];
    if (left)
        check_lanes(&visit, SMC_READS, address, left, NULL, NULL);
}

void smc_shadow_catch_up(struct smc_shadow *shadow)
{
    const uint32_t now = shadow->order.now, reads = shadow->reads;
    shadow->reads = 0;
    for (uint32_t i = 0; i < reads; i++)
        record(shadow, &shadow->read[i]);
    shadow->order.now = now;
}

/* --- Writes to memory that was not accessed before -------------------------------------------- */

bool smc_shadow_may_write(struct smc_shadow *shadow, const struct smc_op *op, uint64_t first,
                          const struct smc_places *places)
{
    const bool is_shared = op->space == SMC_SPACE_SHARED;
    const uint32_t bytes = (uint32_t)op->width_bytes * op->vector;
    if (shadow->order.partly_synced || bytes < smc_shadow_cell_bytes(shadow, op->space))
        return false;
    for (uint32_t i = 0; i < places->words; i++)
        if (places->word[i].several)
            return false;
    if (!is_shared)
        return are_untouched(shadow, first, places);
    const uint64_t cell = cell_of(shadow, first, places);
    EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places)
    {
        const struct word *word = &shadow->word[cell / SMC_LINE_CELLS + WORD_AT(i, places)];
        if (word->synced == shadow->order.all_synced_at && word->touched & cells)
            return false;
    }
    return true;
}

static inline void set_writer(struct cell *cell, uint32_t now, uint32_t me, uint32_t place)
{
    cell->write_at = now;
    cell->writer = (uint16_t)me;
    cell->write_place = place;
    cell->flags &= (uint8_t) ~(WRITE_IS_STRONG | WRITE_IS_NARROW);
}

static void write_shared(struct smc_shadow *shadow, struct moment at, uint32_t count,
                         uint64_t first, const struct smc_places *places)
{
    const uint32_t shift = shadow->cell_bytes_shared == 4 ? 2 : 0, thread = at.warp * SMC_LANES;
    const uint64_t lowest = cell_of(shadow, first, places);
    for (uint32_t n = 0; n < places->count; n++) {
        struct cell *cell = &shadow->shared[(first + places->offset[n]) >> shift];
        for (uint32_t i = 0; i < count; i++)
            set_writer(&cell[i], at.now, thread + (uint32_t)__builtin_ctz(places->lanes[n]),
                       at.place);
    }
    EACH_WORD(i, cells, lowest % SMC_LINE_CELLS, places)
    mark_word_written(shadow, &shadow->word[lowest / SMC_LINE_CELLS + WORD_AT(i, places)], cells);
}

static void write_global(struct smc_shadow *shadow, struct moment at, uint32_t count,
                         uint64_t first, const struct smc_places *places, const char *data)
{
    const uint32_t unit = shadow->cell_bytes_global, thread = at.warp * SMC_LANES;
    const uint64_t lowest = global_cell_of(shadow, first, places);
    struct line *line = NULL;
    for (uint32_t n = 0; n < places->count; n++) {
        const uint64_t number = (first + places->offset[n]) / unit;
        const char *value = data + (int64_t)places->offset[n];
        if (!line || line->number != number / SMC_LINE_CELLS)
            line = line_of(shadow, number / SMC_LINE_CELLS);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t cell = number % SMC_LINE_CELLS + i;
            set_writer(&line->cell[cell], at.now,
                       thread + (uint32_t)__builtin_ctz(places->lanes[n]), at.place);
            memcpy(&line->value[cell], value + (size_t)i * unit, unit);
        }
    }
    EACH_WORD(i, cells, lowest % SMC_LINE_CELLS, places)
    line_of(shadow, lowest / SMC_LINE_CELLS + WORD_AT(i, places))->written |= cells;
}

void smc_shadow_written(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_op *op, uint64_t first, const struct smc_places *places,
                        const char *data)
{
    struct smc_shadow *shadow = worker->shadow;
    const struct moment at = {shadow->order.now, shadow->order.all_synced_at,
                              shadow->order.block_began_at, op->instruction, warp->index};
    const uint32_t count =
        (uint32_t)op->width_bytes * op->vector / smc_shadow_cell_bytes(shadow, op->space);
    if (op->space == SMC_SPACE_SHARED)
        write_shared(shadow, at, count, first, places);
    else
        write_global(shadow, at, count, first, places, data);
}

/* --- All accesses ----------------------------------------------------------------------------- */

static void touch(struct smc_shadow *shadow, uint64_t word, uint32_t cells)
{
    begin_phase(&shadow->word[word], shadow->order.all_synced_at);
    shadow->word[word].touched |= cells;
}

/* Reads of shared memory that are checked now. */
static void mark_read(const struct visit *visit, const uint64_t address[SMC_LANES],
                      const struct smc_places *places)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t unit = shadow->cell_bytes_shared, count = visit->bytes / unit;
    if (places) {
        const uint64_t cell = cell_of(shadow, address[__builtin_ctz(visit->mask)], places);
        EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places)
        touch(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places), cells);
        return;
    }
    EACH_ACTIVE(lane, visit->mask)
    for (uint64_t i = address[lane] / unit, end = i + count; i < end; i++)
        touch(shadow, i / SMC_LINE_CELLS, 1u << i % SMC_LINE_CELLS);
}

bool smc_shadow_passes(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                       uint64_t first, const struct smc_places *places)
{
    struct smc_shadow *shadow = worker->shadow;
    const uint32_t bytes = (uint32_t)op->width_bytes * op->vector;
    if (shadow->order.partly_synced)
        return false;
    if (op->space == SMC_SPACE_SHARED) {
        const struct visit visit = {worker, shadow, warp, op, SMC_SPACE_SHARED, bytes, 0};
        return bytes >= shadow->cell_bytes_shared && defer(&visit, first, places);
    }
    const uint64_t cell = (first + places->least) >> (shadow->cell_bytes_global == 4 ? 2 : 0);
    return bytes == shadow->cell_bytes_global &&
           lines_are_settled(shadow, cell / SMC_LINE_CELLS, cell % SMC_LINE_CELLS, places);
}

void smc_shadow_check(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      enum smc_ptx_space space, enum smc_access_kind kind,
                      const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes,
                      const void *const *value, char *const host[SMC_LANES],
                      const struct smc_places *places)
{
    struct smc_shadow *shadow = worker->shadow;
    const struct visit visit = {worker, shadow, warp, op, space, bytes, mask};
    const uint32_t cell_bytes =
        space == SMC_SPACE_SHARED ? shadow->cell_bytes_shared : shadow->cell_bytes_global;
    const bool has_places = places && bytes >= cell_bytes && !shadow->order.partly_synced;
    const uint64_t first = address[__builtin_ctz(mask)];
    if (space == SMC_SPACE_SHARED) {
        if (has_places && defer(&visit, first, places))
            return;
        smc_shadow_catch_up(shadow);
        shadow->defers &= !op->is_strong; /* what is known of words tells nothing of strong reads */
        if (kind == SMC_READS)
            mark_read(&visit, address, has_places ? places : NULL);
    }
    const uint32_t left = has_places ? check_places(&visit, first, places) : mask;
    if (left)
        check_lanes(&visit, kind, address, left, value, host);
    if (op->is_strong && shadow->order.releases)
        smc_order_strong(&shadow->order, warp, op, kind, address,
                         space == SMC_SPACE_SHARED ? SMC_SHARED_WINDOW : 0, mask);
}

void smc_shadow_check_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, const uint64_t address[SMC_LANES],
                           uint32_t mask)
{
    const struct visit visit = {worker,           worker->shadow,  warp, op,
                                SMC_SPACE_SHARED, op->width_bytes, mask};
    uint32_t unit = worker->shadow->cell_bytes_shared;
    uint64_t bytes = worker->launch->smem_bytes;
    smc_shadow_catch_up(worker->shadow);
    EACH_ACTIVE(lane, mask)
    {
        if (bytes < visit.bytes || address[lane] > bytes - visit.bytes)
            continue; /* reported when it arrives */
        struct cell *cell = &worker->shadow->shared[address[lane] / unit];
        for (uint32_t i = 0; i < visit.bytes / unit; i++) {
            const uint64_t number = address[lane] / unit + i;
            bool is_unwritten = cell[i].write_at < worker->shadow->order.block_began_at;
            mark_written(worker->shadow, number, 1);
            check_write(&visit, &cell[i], smc_thread_of(warp, lane), address[lane], false);
            if (!is_unwritten)
                continue;
            cell[i].write_at = 0;
            worker->shadow->word[number / SMC_LINE_CELLS].written &=
                ~(1u << number % SMC_LINE_CELLS);
        }
    }
}
