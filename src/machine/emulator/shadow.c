/* Records the last accesses of a block to each cell, and checks each access to one. */
#include "machine/emulator/shadow_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "machine/emulator/pending.h"

enum { TABLE_BITS = 17, TABLE_SIZE = 1 << TABLE_BITS };

uint32_t smc_shadow_cell_bytes(const struct smc_shadow *shadow, enum smc_ptx_space space)
{
    return shadow ? cell_bytes_of(shadow, space) : 1;
}

uint32_t smc_cell_bytes_global(const struct smc_program *program)
{
    return program->splits_global_words ? 1 : 4;
}

/* What only programs with asynchronous accesses need. */
static bool begin_async(struct smc_shadow *shadow)
{
    shadow->proxies = smc_proxies_new();
    shadow->pending = smc_calloc(shadow->shared_cells, sizeof *shadow->pending);
    shadow->pending_cells =
        smc_calloc(shadow->shared_cells / SMC_LINE_CELLS + 1, sizeof *shadow->pending_cells);
    return shadow->proxies && shadow->pending && shadow->pending_cells;
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
    const bool has_all = !launch->program->has_async || begin_async(shadow);
    if (has_all && smc_order_begin(&shadow->order, launch) && shadow->shared && shadow->word &&
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
    smc_proxies_free(shadow->proxies);
    free(shadow->pending);
    free(shadow->pending_cells);
    free(shadow->origin);
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
    const uint8_t flags = cell->flags;
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
                          .time = first.time < shadow->order.now ? first.time : shadow->order.now,
                          .thread = first.thread,
                          .first = (uint8_t)begin,
                          .stride = 1,
                          .is_strong = first.is_strong,
                          .is_narrow = first.is_narrow};
    EACH_ACTIVE(cell, mask & (mask - 1)) {
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

static void shadow_add_line(struct smc_shadow *shadow, const struct line *line)
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

void smc_shadow_empty(struct smc_shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->lines; i++) {
        shadow->table[shadow->line[i]->slot] = 0;
        if (shadow->line[i]->past)
            shadow_add_line(shadow, shadow->line[i]);
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
    smc_proxies_begin_block(shadow->proxies);
    if (shadow->pending)
        memset(shadow->pending_cells, 0,
               (shadow->shared_cells / SMC_LINE_CELLS + 1) * sizeof *shadow->pending_cells);
    shadow->reads = 0;
    shadow->is_shared = shadow->has_copies = false;
}

void smc_shadow_end_block(struct smc_shadow *shadow)
{
    smc_shadow_empty(shadow);
}

/* --- One access to a cell --------------------------------------------------------------------- */

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

/* A thread of the unit (order.h) that accessed. */
static uint32_t thread_in(uint32_t accessor)
{
    const uint32_t unit = accessor / SMC_LANES;
    return unit < SMC_MAX_WARPS
               ? accessor
               : (unit - SMC_MAX_WARPS) * SMC_WARPGROUP * SMC_LANES + accessor % SMC_LANES;
}

/* The access that the one now conflicts with. */
struct accessor {
    uint32_t place, thread;
    bool is_volatile;
};

static struct accessor writer_of(const struct cell *cell)
{
    return (struct accessor){cell->write_place, cell->writer, cell->flags & WRITE_IS_VOLATILE};
}

static struct accessor reader_of(const struct cell *cell)
{
    return (struct accessor){cell->read_place, cell->reader, cell->flags & READ_IS_VOLATILE};
}

static struct accessor other_reader_of(const struct cell *cell)
{
    return (struct accessor){cell->other_read_place, cell->other_reader,
                             cell->flags & OTHER_READ_IS_VOLATILE};
}

/* What volatile orders is PTX's, and only between accesses that both are. */
static void note_volatile(const struct visit *visit, const struct accessor *other,
                          struct smc_finding *finding)
{
    if (!visit->is_volatile || other->thread / SMC_LANES != visit->warp->index)
        return;
    finding->is_volatile = other->is_volatile;
    snprintf(finding->note, sizeof finding->note,
             "volatile does not order the lanes of a warp, __syncwarp() does");
}

/* `other` is NULL where the access is wrong by itself. */
static void shadow_report(const struct visit *visit, enum smc_finding_kind kind, uint32_t me,
                          uint64_t address, const struct accessor *other)
{
    struct smc_finding finding = smc_finding_at(visit->worker, kind, visit->place,
                                                smc_thread_of(visit->warp, me % SMC_LANES));
    smc_finding_set_address(visit->worker, &finding, visit->space, address, visit->bytes);
    finding.is_warpgroup = visit->unit >= SMC_MAX_WARPS && visit->unit != SMC_BULK_UNIT;
    if (other) {
        finding.has_other = true;
        finding.other_instruction = other->place;
        smc_finding_set_other(visit->worker, &finding, thread_in(other->thread));
        smc_finding_hint(&finding);
        note_volatile(visit, other, &finding);
    }
    smc_find(visit->worker, &finding);
}

/* Whether an access that is not ordered after that of `other`, at time `when`, races with it.
   Strong accesses do not; but volatile ones of two lanes of a warp rely on the order of its
   instructions, unless one polls, or is made after a fence. */
static bool races(const struct visit *visit, bool is_strong, uint32_t when,
                  const struct accessor *other)
{
    const struct smc_order *order = &visit->shadow->order;
    if (!is_strong || !visit->is_strong)
        return true;
    return other->is_volatile && visit->is_volatile &&
           other->thread / SMC_LANES == visit->warp->index &&
           when >= order->fenced[visit->warp->index].block[visit->warp->index];
}

/* Whether a fence.proxy.async is missing after the last write: see proxies.h. */
static bool lacks_fence(const struct visit *visit, const struct cell *cell)
{
    const struct smc_shadow *shadow = visit->shadow;
    if (!visit->is_async || cell->is_exempt || cell->write_at <= shadow->order.block_began_at)
        return false;
    const struct smc_generic_write write = {visit->space, cell->writer, cell->write_at};
    return !smc_proxies_cover(shadow->proxies, &shadow->order, visit->warp->index, &write);
}

/* Each cell is reported once. */
static void report_fence(const struct visit *visit, struct cell *cell, uint32_t me,
                         uint64_t address)
{
    const struct accessor writer = writer_of(cell);
    shadow_report(visit, SMC_FINDING_PROXY_FENCE, me, address, &writer);
    cell->is_exempt = true;
}

/* --- Reads that may be pending ---------------------------------------------------------------- */

static bool is_pending(const struct smc_shadow *shadow, uint64_t cell)
{
    return shadow->pending &&
           shadow->pending_cells[cell / SMC_LINE_CELLS] >> cell % SMC_LINE_CELLS & 1;
}

/* Of two units the last read each. */
static void note_pending(const struct visit *visit, uint64_t cell, uint32_t me)
{
    struct smc_shadow *shadow = visit->shadow;
    struct pending_reads *reads = &shadow->pending[cell];
    if (!is_pending(shadow, cell))
        *reads = (struct pending_reads){{{0}}};
    shadow->pending_cells[cell / SMC_LINE_CELLS] |= 1u << cell % SMC_LINE_CELLS;
    const int i = reads->by[0].at && reads->by[0].unit != visit->unit ? 1 : 0;
    reads->by[i] = (struct pending_read){.at = shadow->order.now,
                                         .place = visit->place,
                                         .thread = (uint16_t)thread_in(me),
                                         .unit = (uint16_t)visit->unit};
}

/* Whether the cell is written while a read of it is pending, which is reported. */
static bool check_pending(const struct visit *visit, uint64_t cell, uint32_t me, uint64_t address)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t *known = shadow->order.known[visit->warp->index];
    if (visit->space != SMC_SPACE_SHARED || !is_pending(shadow, cell))
        return false;
    shadow->pending_cells[cell / SMC_LINE_CELLS] &= ~(1u << cell % SMC_LINE_CELLS);
    for (int i = 0; i < 2; i++) {
        const struct pending_read *read = &shadow->pending[cell].by[i];
        if (!read->at || read->at < known[read->unit])
            continue;
        const struct accessor reader = {read->place, read->thread, false};
        shadow_report(visit, SMC_FINDING_PENDING_READ, me, address, &reader);
        return true;
    }
    return false;
}

/* Whether the copy by which a cell of global memory was read may still read it: its thread has not
   waited for it, or nothing orders `me` after that. */
static bool is_still_read(const struct visit *visit, uint32_t me, uint32_t when,
                          const struct accessor *reader)
{
    if (!when || !in_order(visit, when, (uint16_t)reader->thread, me))
        return false; /* or it is a race */
    const uint32_t waited_at =
        smc_copy_waited_at(visit->worker, reader->thread, reader->place, when);
    return waited_at == UINT32_MAX ||
           (waited_at && !in_order(visit, waited_at, (uint16_t)reader->thread, me));
}

/* A write to cells of global memory that asynchronous copies have read. */
static void check_sources(const struct visit *visit, struct line *line, uint32_t cells, uint32_t me,
                          uint64_t address)
{
    const uint32_t copied = line->copied & cells;
    line->copied &= ~cells;
    EACH_ACTIVE(i, copied) {
        const struct cell *cell = &line->cell[i];
        const struct accessor reader = reader_of(cell), other = other_reader_of(cell);
        const bool is_read = is_still_read(visit, me, cell->read_at, &reader);
        if (!is_read && !is_still_read(visit, me, cell->other_read_at, &other))
            continue;
        shadow_report(visit, SMC_FINDING_PENDING_READ, me, address, is_read ? &reader : &other);
        return;
    }
}

/* Keeps two readers that are not ordered after each other, and rather weak than strong ones. A
   thread's weak read is not replaced by its later strong one. */
static void note_reader(const struct visit *visit, struct cell *cell, uint32_t me)
{
    const struct smc_order *order = &visit->shadow->order;
    bool strong = visit->is_strong, is_old = cell->read_at < order->all_synced_at;
    if (is_old || cell->reader == me) {
        set_flag(cell, READ_IS_STRONG, strong && (is_old || cell->flags & READ_IS_STRONG));
        set_flag(cell, READ_IS_VOLATILE, visit->is_volatile);
        cell->read_at = order->now;
        cell->reader = (uint16_t)me;
        cell->read_place = visit->place;
        return;
    }
    is_old = cell->other_read_at < order->all_synced_at;
    if (is_old || cell->other_reader == me || (!strong && cell->flags & OTHER_READ_IS_STRONG) ||
        in_order(visit, cell->other_read_at, cell->other_reader, me)) {
        set_flag(cell, OTHER_READ_IS_STRONG,
                 strong &&
                     (is_old || cell->other_reader != me || cell->flags & OTHER_READ_IS_STRONG));
        set_flag(cell, OTHER_READ_IS_VOLATILE, visit->is_volatile);
        cell->other_read_at = order->now;
        cell->other_reader = (uint16_t)me;
        cell->other_read_place = visit->place;
    }
}

void smc_shadow_report_unset(struct smc_worker *worker, const struct smc_unset_origin *origin,
                             uint64_t address, uint32_t bytes)
{
    struct smc_finding finding = smc_finding_at(
        worker, origin->is_register ? SMC_FINDING_UNWRITTEN_REGISTER : SMC_FINDING_UNWRITTEN,
        origin->instruction, origin->thread);
    if (bytes)
        smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, address, bytes);
    smc_find(worker, &finding);
}

/* What the load that is executed finds unset: unset_values.h takes it. */
static void note_unset(struct smc_worker *worker, uint32_t lane, uint32_t element, uint64_t address,
                       const struct smc_unset_origin *origin)
{
    struct smc_unset_note *note = &worker->unset;
    note->any = true;
    note->lanes[element] |= 1u << lane;
    note->address[lane] = address;
    if (origin) {
        note->stored |= 1u << lane;
        note->origin[lane] = *origin;
    }
}

/* A read of a cell that nothing has written, or only with an unset value. */
static void read_unset(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address)
{
    const uint32_t unit = visit->shadow->cell_bytes_shared, element = visit->element_bytes;
    const uint64_t number = (uint64_t)(cell - visit->shadow->shared);
    const bool is_stored = cell->write_at >= visit->shadow->order.block_began_at;
    const struct smc_unset_origin *origin = is_stored ? &visit->shadow->origin[number] : NULL;
    if (element) {
        const uint64_t at = number * unit - address;
        for (uint64_t i = at / element; i <= (at + unit - 1) / element; i++)
            note_unset(visit->worker, me % SMC_LANES, (uint32_t)i, address, origin);
        return;
    }
    if (origin)
        smc_shadow_report_unset(visit->worker, origin, 0, 0);
    else
        shadow_report(visit, SMC_FINDING_UNWRITTEN, me, address, NULL);
    cell->write_at = visit->shadow->order.block_began_at; /* reported once */
    set_flag(cell, COPY_IS_PENDING, false);
}

static void check_read(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address)
{
    const struct smc_order *order = &visit->shadow->order;
    const bool is_of_block = cell->write_at >= order->block_began_at;
    const struct accessor writer = writer_of(cell);
    if (cell->write_at >= order->all_synced_at && cell->write_at != SMC_WRITTEN_LATER &&
        races(visit, cell->flags & WRITE_IS_STRONG, cell->write_at, &writer) &&
        !write_in_order(visit, cell, me)) {
        shadow_report(visit, SMC_FINDING_RACE_WRITE_READ, me, address, &writer);
    } else if (awaits_copy(cell) && is_of_block) {
        shadow_report(visit, SMC_FINDING_PENDING_COPY, me, address, &writer);
        set_flag(cell, COPY_IS_PENDING, false); /* reported once */
    } else if (visit->space == SMC_SPACE_SHARED && (!is_of_block || holds_unset(cell))) {
        read_unset(visit, cell, me, address);
    } else if (lacks_fence(visit, cell)) {
        report_fence(visit, cell, me, address);
    }
    note_reader(visit, cell, me);
    if (visit->unit && visit->space == SMC_SPACE_SHARED)
        note_pending(visit, (uint64_t)(cell - visit->shadow->shared), me);
}

/* Whether a copy to the cell may still arrive, and overwrite what is written now. The copy's own
   write when it arrives is none, nor are atomic operations that add up. */
static bool is_overtaken(const struct visit *visit, const struct cell *cell, uint32_t me)
{
    return awaits_copy(cell) && cell->write_at >= visit->shadow->order.block_began_at &&
           !(cell->write_place == visit->place && cell->writer == me) &&
           !(cell->is_update && visit->is_strong);
}

static void check_write(const struct visit *visit, struct cell *cell, uint32_t me, uint64_t address,
                        bool same_value)
{
    bool strong = visit->is_strong;
    uint32_t synced = visit->shadow->order.all_synced_at;
    const struct accessor writer = writer_of(cell), reader = reader_of(cell),
                          other = other_reader_of(cell);
    if (write_in_order(visit, cell, me) && lacks_fence(visit, cell))
        report_fence(visit, cell, me, address);
    if (cell->write_at >= synced && !same_value && !(cell->flags & WRITE_IS_STRONG && strong) &&
        !write_in_order(visit, cell, me))
        shadow_report(visit, SMC_FINDING_RACE_WRITE_WRITE, me, address, &writer);
    else if (is_overtaken(visit, cell, me))
        shadow_report(visit, SMC_FINDING_PENDING_COPY, me, address, &writer);
    const uint8_t flags = cell->flags;
    if (visit->space == SMC_SPACE_SHARED &&
        check_pending(visit, (uint64_t)(cell - visit->shadow->shared), me, address)) {
        /* The same read is no race beside that. */
    } else if (cell->read_at >= synced &&
               races(visit, flags & READ_IS_STRONG, cell->read_at, &reader) &&
               !in_order(visit, cell->read_at, cell->reader, me)) {
        shadow_report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, &reader);
    } else if (cell->other_read_at >= synced &&
               races(visit, flags & OTHER_READ_IS_STRONG, cell->other_read_at, &other) &&
               !in_order(visit, cell->other_read_at, cell->other_reader, me)) {
        shadow_report(visit, SMC_FINDING_RACE_READ_WRITE, me, address, &other);
    }
    cell->write_at = visit->shadow->order.now;
    cell->writer = (uint16_t)me;
    cell->write_place = visit->place;
    set_flag(cell, WRITE_IS_STRONG, strong);
    set_flag(cell, WRITE_IS_NARROW, visit->is_narrow);
    set_flag(cell, WRITE_IS_VOLATILE, visit->is_volatile);
    set_flag(cell, COPY_IS_PENDING, false);
    cell->is_exempt = visit->is_copy;
}

/* An access of one lane. */
struct lane_access {
    enum smc_access_kind kind;
    uint32_t me; /* its thread */
    uint64_t address;
    bool same_value; /* it writes what is there */
};

/* --- Against earlier blocks, if blocks run in order ------------------------------------------- */

static void report_past(const struct visit *visit, enum smc_finding_kind kind, uint32_t me,
                        uint64_t address, const struct smc_run *run, uint32_t cell)
{
    const struct smc_launch_state *launch = visit->worker->launch;
    struct smc_finding finding = smc_finding_at(visit->worker, kind, visit->place, me);
    smc_finding_set_address(visit->worker, &finding, visit->space, address, visit->bytes);
    finding.has_other = finding.between_blocks = true;
    finding.other_instruction = run->place;
    smc_index_to_place(run->block, launch->request->grid, finding.other_block);
    smc_finding_set_other(visit->worker, &finding, smc_run_thread(run, cell));
    smc_find(visit->worker, &finding);
}

/* The first run of the list that races with the current access to the cell, or NULL. */
static const struct smc_run *racing(const struct visit *visit, const struct smc_run *run,
                                    uint32_t cell)
{
    const struct smc_order *order = &visit->shadow->order;
    bool strong = visit->is_strong && !visit->is_narrow;
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
                       uint32_t count, const struct lane_access *access)
{
    const bool reads = access->kind == SMC_READS;
    const bool overwrites = access->kind != SMC_WRITES || !access->same_value;
    for (uint32_t i = cell; i < cell + count; i++) {
        enum smc_finding_kind fault =
            reads ? SMC_FINDING_RACE_WRITE_READ : SMC_FINDING_RACE_WRITE_WRITE;
        const struct smc_run *run = overwrites ? racing(visit, line->past->writes, i) : NULL;
        if (!run && !reads) {
            fault = SMC_FINDING_RACE_READ_WRITE;
            run = racing(visit, line->past->reads, i);
        }
        if (run) {
            report_past(visit, fault, access->me, access->address, run, i);
            return;
        }
    }
}

/* --- Lines ------------------------------------------------------------------------------------ */

struct line *smc_shadow_find_line(struct smc_shadow *shadow, uint64_t number)
{
    uint32_t slot = smc_hash_slot(number, TABLE_BITS);
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

static void check_noncoherent(const struct visit *visit, const struct line *line, uint32_t cells,
                              uint32_t me, uint64_t address)
{
    const struct smc_run *run = visit->shadow->in_order && line->past ? line->past->writes : NULL;
    if (line->written & cells) {
        const uint32_t first = (uint32_t)__builtin_ctz(line->written & cells);
        const struct accessor writer = writer_of(&line->cell[first]);
        shadow_report(visit, SMC_FINDING_NONCOHERENT_READ, me, address, &writer);
        return;
    }
    while (run && !(run->mask & cells && run->block != visit->shadow->order.block))
        run = run->next;
    if (run)
        report_past(visit, SMC_FINDING_NONCOHERENT_READ, me, address, run,
                    (uint32_t)__builtin_ctz(run->mask & cells));
}

void smc_shadow_check_noncoherent(const struct visit *visit, const uint64_t address[SMC_LANES])
{
    const uint32_t unit = visit->shadow->cell_bytes_global;
    const uint32_t count = visit->bytes < unit ? 1 : visit->bytes / unit;
    const struct line *line = NULL;
    EACH_ACTIVE(lane, visit->mask) {
        const uint64_t cell = address[lane] / unit;
        if (!line || line->number != cell / SMC_LINE_CELLS)
            line = line_of(visit->shadow, cell / SMC_LINE_CELLS);
        if (line)
            check_noncoherent(visit, line, cells_from(cell % SMC_LINE_CELLS, count),
                              visit->first + lane, address[lane]);
    }
}

/* --- Words ------------------------------------------------------------------------------------ */

static void unsettle(struct smc_shadow *shadow, uint64_t cell, uint32_t count)
{
    for (uint64_t i = cell; i < cell + count; i++)
        shadow->word[i / SMC_LINE_CELLS].settled.cells &= ~(1u << i % SMC_LINE_CELLS);
}

/* --- Writes of what was not accessed since the last barrier ----------------------------------- */

static bool write_untouched(const struct visit *visit, struct cell *cell, uint32_t count,
                            uint32_t me)
{
    const struct smc_order *order = &visit->shadow->order;
    const uint32_t synced = order->all_synced_at;
    const uint8_t flags = (uint8_t)((visit->is_strong ? WRITE_IS_STRONG : 0) |
                                    (visit->is_narrow ? WRITE_IS_NARROW : 0) |
                                    (visit->is_volatile ? WRITE_IS_VOLATILE : 0));
    for (uint32_t i = 0; i < count; i++)
        if (cell[i].write_at >= synced || cell[i].read_at >= synced ||
            cell[i].other_read_at >= synced || lacks_fence(visit, &cell[i]) ||
            is_overtaken(visit, &cell[i], me) ||
            (visit->space == SMC_SPACE_SHARED &&
             is_pending(visit->shadow, (uint64_t)(&cell[i] - visit->shadow->shared))))
            return false;
    for (uint32_t i = 0; i < count; i++) {
        cell[i].write_at = order->now;
        cell[i].writer = (uint16_t)me;
        cell[i].write_place = visit->place;
        cell[i].flags &=
            (uint8_t) ~(WRITE_IS_STRONG | WRITE_IS_NARROW | WRITE_IS_VOLATILE | COPY_IS_PENDING);
        cell[i].is_exempt = visit->is_copy;
        cell[i].is_update = false;
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
    if (!line || line->copied & cells_from(cell, count) ||
        (line->past &&
         (visit->is_strong || (shadow->in_order && (line->past->writes || line->past->reads)))))
        return false;
    if (!write_untouched(visit, &line->cell[cell], count, me))
        return false;
    line->settled.cells = 0;
    line->written |= cells_from(cell, count);
    for (uint32_t i = 0; line->past && i < count; i++)
        memcpy(&line->value[cell + i], (const char *)value + (i << shift), (size_t)1 << shift);
    return true;
}

/* --- Each lane by itself ---------------------------------------------------------------------- */

/* Reads of one cell each of shared memory. Most need no further check: the last write is ordered
   before everything that follows, and the two recorded readers represent this one. */
static void check_shared_reads(const struct visit *visit, const uint64_t address[SMC_LANES],
                               uint32_t mask)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t synced = shadow->order.all_synced_at, began = shadow->order.block_began_at;
    const uint32_t shift = shadow->cell_bytes_shared == 4 ? 2 : 0;
    const bool strong = visit->is_strong, may_settle = !shadow->order.partly_synced;
    EACH_ACTIVE(lane, mask) {
        const uint64_t place = address[lane] >> shift;
        struct cell *cell = &shadow->shared[place];
        if (!(may_settle && cell->other_read_at >= synced &&
              cell->write_at - began < synced - began &&
              !(cell->flags &
                (strong ? COPY_IS_PENDING
                        : COPY_IS_PENDING | READ_IS_STRONG | OTHER_READ_IS_STRONG)))) {
            if (strong)
                unsettle(shadow, place, 1);
            check_read(visit, cell, visit->first + lane, address[lane]);
        } else if (!strong) {
            settle(&shadow->word[place / SMC_LINE_CELLS].settled, synced, (uint32_t)place);
        }
    }
}

static void check_cells(const struct visit *visit, struct cell *cell, uint32_t count,
                        const struct lane_access *access)
{
    const enum smc_access_kind kind = access->kind;
    for (uint32_t i = 0; i < count; i++) {
        if (kind == SMC_READS)
            check_read(visit, &cell[i], access->me, access->address);
        else
            check_write(visit, &cell[i], access->me, access->address, access->same_value);
        if (kind == SMC_UPDATES)
            note_reader(visit, &cell[i], access->me);
        if (kind != SMC_READS)
            cell[i].is_update = kind == SMC_UPDATES;
    }
}

/* What an atomic operation finds; several that are pending, of red.async, add up. */
static bool is_unwritten(const struct visit *visit, const struct cell *cell, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (cell[i].write_at < visit->shadow->order.block_began_at ||
            (cell[i].flags & COPY_IS_PENDING && !cell[i].is_update))
            return true;
    return false;
}

static void check_shared(const struct visit *visit, const struct lane_access *access)
{
    const uint32_t unit = visit->shadow->cell_bytes_shared, count = visit->bytes / unit;
    const uint64_t number = access->address / unit;
    struct cell *cell = &visit->shadow->shared[number];
    if (access->kind != SMC_READS)
        mark_written(visit->shadow, number, count);
    else if (visit->is_strong)
        unsettle(visit->shadow, number, count);
    if (access->kind == SMC_UPDATES && is_unwritten(visit, cell, count)) /* and then written */
        shadow_report(visit, SMC_FINDING_UNWRITTEN, access->me, access->address, NULL);
    check_cells(visit, cell, count, access);
}

/* Accesses are aligned and at most 32 bytes wide, so each is within one line. */
static void check_global(const struct visit *visit, const struct lane_access *access,
                         const void *value, struct line **last)
{
    const uint32_t unit = visit->shadow->cell_bytes_global, count = visit->bytes / unit;
    const uint64_t number = access->address / ((uint64_t)unit * SMC_LINE_CELLS);
    const uint32_t first = (uint32_t)(access->address / unit % SMC_LINE_CELLS);
    const bool reads = access->kind != SMC_WRITES, writes = access->kind != SMC_READS;
    if (!*last || (*last)->number != number)
        *last = line_of(visit->shadow, number);
    struct line *line = *last;
    if (!line)
        return;
    if (writes || visit->is_strong)
        line->settled.cells = 0;
    if (visit->is_strong && writes && line->past)
        keep_weak_writes(visit->shadow, line, first, count);
    if (writes && line->copied)
        check_sources(visit, line, cells_from(first, count), access->me, access->address);
    check_cells(visit, &line->cell[first], count, access);
    line->read |= reads ? cells_from(first, count) : 0;
    line->written |= writes ? cells_from(first, count) : 0;
    if (!line->past)
        return;
    if (visit->shadow->in_order && (line->past->writes || line->past->reads))
        check_past(visit, line, first, count, access);
    for (uint32_t i = 0; value && i < count; i++)
        memcpy(&line->value[first + i], (const char *)value + (size_t)i * unit, unit);
}

/* The same for global memory. Returns the lanes that need more. */
static uint32_t check_global_reads(const struct visit *visit, const uint64_t address[SMC_LANES],
                                   uint32_t mask)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t synced = shadow->order.all_synced_at;
    const uint32_t shift = shadow->cell_bytes_global == 4 ? 2 : 0;
    const bool strong = visit->is_strong;
    struct line *line = NULL;
    uint32_t rest = 0;
    bool checks_past = false;
    if (shadow->order.partly_synced)
        return mask;
    EACH_ACTIVE(lane, mask) {
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
            cell->reader = (uint16_t)(visit->first + lane);
            cell->read_place = visit->place;
            set_flag(cell, READ_IS_STRONG, strong);
            set_flag(cell, READ_IS_VOLATILE, visit->is_volatile);
        } else if (cell->other_read_at < synced ||
                   (!strong && cell->flags & (READ_IS_STRONG | OTHER_READ_IS_STRONG))) {
            note_reader(visit, cell, visit->first + lane);
        } else if (!strong) {
            settle(&line->settled, synced, (uint32_t)(place % SMC_LINE_CELLS));
        }
    }
    return rest;
}

void smc_shadow_check_each(const struct visit *visit, enum smc_access_kind kind,
                           const uint64_t address[SMC_LANES], uint32_t mask,
                           const void *const *value, char *const host[SMC_LANES])
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
    EACH_ACTIVE(lane, mask) {
        struct lane_access access = {kind, visit->first + lane, address[lane], false};
        const void *written = kind == SMC_WRITES && value ? value[lane] : NULL;
        if (!written || !check_untouched(visit, access.me, access.address, written, &last)) {
            /* If several lanes of one instruction write one word, the previous value is that of the
               last such lane. */
            access.same_value = written && memcmp(host[lane], written, visit->bytes) == 0;
            if (visit->space == SMC_SPACE_SHARED)
                check_shared(visit, &access);
            else
                check_global(visit, &access, written, &last);
        }
        if (written)
            memcpy(host[lane], written, visit->bytes);
    }
}

void smc_shadow_begin_copy(const struct visit *visit, uint32_t me, uint64_t address)
{
    const uint32_t unit = visit->shadow->cell_bytes_shared;
    struct cell *cell = &visit->shadow->shared[address / unit];
    for (uint32_t i = 0; i < visit->bytes / unit; i++) {
        const uint64_t number = address / unit + i;
        mark_written(visit->shadow, number, 1);
        check_write(visit, &cell[i], me, address, false);
        visit->shadow->has_copies = true;
        set_flag(&cell[i], COPY_IS_PENDING, true);
        cell[i].is_unset = false;
        visit->shadow->word[number / SMC_LINE_CELLS].written &= ~(1u << number % SMC_LINE_CELLS);
    }
}

void smc_shadow_leave_unset(struct smc_worker *worker, const struct smc_warp *warp,
                            const struct smc_op *op, uint32_t lane, uint64_t address,
                            const struct smc_unset_origin *origin)
{
    struct smc_shadow *shadow = worker->shadow;
    const uint32_t unit = shadow->cell_bytes_shared;
    const uint64_t end = (address + op->width_bytes + unit - 1) / unit;
    if (!shadow->origin)
        shadow->origin = smc_calloc(shadow->shared_cells, sizeof *shadow->origin);
    worker->out_of_memory |= !shadow->origin;
    for (uint64_t i = address / unit; shadow->origin && i < end && i < shadow->shared_cells; i++) {
        struct cell *cell = &shadow->shared[i];
        struct word *word = &shadow->word[i / SMC_LINE_CELLS];
        if (cell->write_place != op->instruction || cell->writer != smc_thread_of(warp, lane))
            continue; /* refused, or another lane's write came later */
        set_flag(cell, COPY_IS_PENDING, true);
        cell->is_unset = true;
        shadow->origin[i] = *origin;
        word->written &= ~(1u << i % SMC_LINE_CELLS);
        word->settled.cells &= ~(1u << i % SMC_LINE_CELLS);
    }
}
