/* Checks all lanes of an instruction at once, where the cells' earlier accesses allow it; shadow.c
   checks the other lanes one by one. */
#include <string.h>

#include "machine/emulator/shadow_cells.h"

/* --- Reads that need no check ----------------------------------------------------------------- */

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

/* The cell of the lowest place. */
static inline uint64_t cell_of(const struct smc_shadow *shadow, enum smc_ptx_space space,
                               uint64_t first, const struct smc_places *places)
{
    return (first + places->least) >> cell_shift_of(shadow, space);
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
    EACH_WORD(i, cells, shift, places) {
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

/* The warp and the instruction that access now, and the times that older accesses are compared to.
 */
struct moment {
    uint32_t now, synced, began, place, warp;
};

static inline struct moment moment_of(const struct visit *visit)
{
    const struct smc_order *order = &visit->shadow->order;
    return (struct moment){order->now, order->all_synced_at, order->block_began_at, visit->place,
                           visit->warp->index};
}

/* Records the lanes that read the cell as note_reader would one after the other. The last write is
   ordered before them, unless it is a copy that is pending. NOTED_NOTHING: each lane must be
   checked by itself. */
static inline enum noted note_lanes(struct moment at, struct cell *cell, uint32_t lanes)
{
    const uint32_t more = lanes & (lanes - 1), thread = at.warp * SMC_LANES;
    const uint32_t me = thread + (uint32_t)__builtin_ctz(lanes);
    if (cell->flags & (READ_IS_STRONG | OTHER_READ_IS_STRONG | COPY_IS_PENDING))
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

/* Returns the lanes that must be checked one by one, as do the next functions. */
static uint32_t check_shared_places(const struct visit *visit, uint64_t first,
                                    const struct smc_places *places)
{
    struct cell *const cells = visit->shadow->shared;
    struct word *const words = visit->shadow->word;
    const uint32_t shift = cell_shift_of(visit->shadow, SMC_SPACE_SHARED), count = places->count;
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

/* Whether this block has accessed none of these places of global memory, and no other block any of
   their lines, as far as that is kept. */
static bool are_untouched(struct smc_shadow *shadow, uint64_t first,
                          const struct smc_places *places)
{
    const uint64_t cell = cell_of(shadow, SMC_SPACE_GLOBAL, first, places);
    EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places) {
        const struct line *line = line_of(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places));
        if (!line || (line->read | line->written) & cells ||
            (shadow->in_order && line->past && (line->past->writes || line->past->reads)))
            return false;
    }
    return true;
}

/* Whether nothing that is kept has written to any of these places of global memory. */
static bool are_unwritten(struct smc_shadow *shadow, uint64_t first,
                          const struct smc_places *places)
{
    const uint64_t cell = cell_of(shadow, SMC_SPACE_GLOBAL, first, places);
    EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places) {
        const struct line *line = line_of(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places));
        if (line && (line->written & cells || (line->past && line->past->writes)))
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
    const uint32_t shift = cell_shift_of(shadow, SMC_SPACE_GLOBAL), count = visit->bytes >> shift;
    const uint32_t thread = at.warp * SMC_LANES;
    const uint64_t lowest = cell_of(shadow, SMC_SPACE_GLOBAL, first, places);
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
    EACH_WORD(i, cells, lowest % SMC_LINE_CELLS, places) {
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
    const uint32_t shift = cell_shift_of(shadow, SMC_SPACE_GLOBAL), count = places->count;
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
    EACH_WORD(i, cells, shift, places) {
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
    const uint64_t cell = cell_of(shadow, SMC_SPACE_SHARED, first, places);
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
    const struct read read = {.worker = visit->worker,
                              .warp = visit->warp,
                              .places = places,
                              .first = first,
                              .place = visit->place,
                              .bytes = visit->bytes,
                              .now = shadow->order.now};
    EACH_WORD(i, cells, shift, places) {
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
    const struct visit visit = {.worker = read->worker,
                                .shadow = shadow,
                                .warp = read->warp,
                                .first = smc_thread_of(read->warp, 0),
                                .place = read->place,
                                .space = SMC_SPACE_SHARED,
                                .bytes = read->bytes};
    uint64_t address[SMC_LANES] = {0};
    shadow->order.now = read->now;
    const uint32_t left = check_places(&visit, read->first, places);
    for (uint32_t n = 0; left && n < places->count; n++)
        EACH_ACTIVE(lane, places->lanes[n])
            address[lane] = read->first + places->offset[n];
    if (left)
        smc_shadow_check_each(&visit, SMC_READS, address, left, NULL, NULL);
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
    const uint32_t bytes = smc_op_bytes(op);
    if (shadow->order.partly_synced || bytes < cell_bytes_of(shadow, op->space) ||
        shadow->is_shared || (shadow->order.is_together && !is_shared))
        return false;
    for (uint32_t i = 0; i < places->words; i++)
        if (places->word[i].several)
            return false;
    if (!is_shared)
        return are_untouched(shadow, first, places);
    const uint64_t cell = cell_of(shadow, SMC_SPACE_SHARED, first, places);
    EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places) {
        const struct word *word = &shadow->word[cell / SMC_LINE_CELLS + WORD_AT(i, places)];
        if ((word->synced == shadow->order.all_synced_at && word->touched & cells) ||
            (shadow->has_copies && cells & ~word->written) || /* a copy may be pending */
            (shadow->pending &&
             shadow->pending_cells[cell / SMC_LINE_CELLS + WORD_AT(i, places)] & cells))
            return false;
    }
    return true;
}

static inline void set_writer(struct cell *cell, uint32_t now, uint32_t me, uint32_t place)
{
    cell->write_at = now;
    cell->writer = (uint16_t)me;
    cell->write_place = place;
    cell->flags &= (uint8_t) ~(WRITE_IS_STRONG | WRITE_IS_NARROW | COPY_IS_PENDING);
    cell->is_exempt = cell->is_update = false;
}

static void write_shared(struct smc_shadow *shadow, struct moment at, uint32_t count,
                         uint64_t first, const struct smc_places *places)
{
    const uint32_t shift = cell_shift_of(shadow, SMC_SPACE_SHARED), thread = at.warp * SMC_LANES;
    const uint64_t lowest = cell_of(shadow, SMC_SPACE_SHARED, first, places);
    for (uint32_t n = 0; n < places->count; n++) {
        struct cell *cell = &shadow->shared[(first + places->offset[n]) >> shift];
        for (uint32_t i = 0; i < count; i++)
            set_writer(&cell[i], at.now, thread + (uint32_t)__builtin_ctz(places->lanes[n]),
                       at.place);
    }
    EACH_WORD(i, cells, lowest % SMC_LINE_CELLS, places)
        mark_word_written(shadow, &shadow->word[lowest / SMC_LINE_CELLS + WORD_AT(i, places)],
                          cells);
}

static void write_global(struct smc_shadow *shadow, struct moment at, uint32_t count,
                         uint64_t first, const struct smc_places *places, const char *data)
{
    const uint32_t unit = shadow->cell_bytes_global, thread = at.warp * SMC_LANES;
    const uint64_t lowest = cell_of(shadow, SMC_SPACE_GLOBAL, first, places);
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
    const uint32_t count = smc_op_bytes(op) / cell_bytes_of(shadow, op->space);
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
        const uint64_t cell =
            cell_of(shadow, SMC_SPACE_SHARED, address[__builtin_ctz(visit->mask)], places);
        EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places)
            touch(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places), cells);
        return;
    }
    EACH_ACTIVE(lane, visit->mask)
        for (uint64_t i = address[lane] / unit, end = i + count; i < end; i++)
            touch(shadow, i / SMC_LINE_CELLS, 1u << i % SMC_LINE_CELLS);
}

/* Reads of global memory by asynchronous copies. `places` may be NULL. */
static void mark_copied(const struct visit *visit, const uint64_t address[SMC_LANES],
                        const struct smc_places *places)
{
    struct smc_shadow *shadow = visit->shadow;
    const uint32_t unit = shadow->cell_bytes_global;
    const uint32_t count = visit->bytes < unit ? 1 : visit->bytes / unit;
    if (places) {
        const uint64_t cell =
            cell_of(shadow, SMC_SPACE_GLOBAL, address[__builtin_ctz(visit->mask)], places);
        EACH_WORD(i, cells, cell % SMC_LINE_CELLS, places) {
            struct line *line = line_of(shadow, cell / SMC_LINE_CELLS + WORD_AT(i, places));
            if (line)
                line->copied |= cells;
        }
        return;
    }
    EACH_ACTIVE(lane, visit->mask) {
        const uint64_t cell = address[lane] / unit;
        struct line *line = line_of(shadow, cell / SMC_LINE_CELLS);
        if (line)
            line->copied |= cells_from(cell % SMC_LINE_CELLS, count);
    }
}

bool smc_shadow_passes(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                       uint64_t first, const struct smc_places *places)
{
    struct smc_shadow *shadow = worker->shadow;
    const uint32_t bytes = smc_op_bytes(op);
    if (shadow->order.partly_synced || shadow->is_shared)
        return false;
    if (op->space == SMC_SPACE_SHARED) {
        const struct visit visit = visit_of(worker, warp, op, SMC_SPACE_SHARED, bytes);
        return bytes >= shadow->cell_bytes_shared && defer(&visit, first, places);
    }
    const uint64_t cell = cell_of(shadow, SMC_SPACE_GLOBAL, first, places);
    return bytes == shadow->cell_bytes_global && !worker->concurrent &&
           lines_are_settled(shadow, cell / SMC_LINE_CELLS, cell % SMC_LINE_CELLS, places);
}

void smc_shadow_check_lanes(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_warp_access *access, const struct smc_places *places)
{
    const struct smc_op *op = access->op;
    const enum smc_access_kind kind = access->kind;
    struct smc_shadow *shadow = worker->shadow;
    struct visit visit = visit_of(worker, warp, op, access->space, access->bytes);
    const uint32_t cell_bytes = cell_bytes_of(shadow, access->space);
    const bool has_places = places && access->bytes >= cell_bytes && !shadow->order.partly_synced;
    const uint64_t first = access->address[__builtin_ctz(access->mask)];
    visit.mask = access->mask;
    if (access->space == SMC_SPACE_SHARED) {
        if (has_places && defer(&visit, first, places))
            return;
        smc_shadow_catch_up(shadow);
        shadow->defers &= !op->is_strong; /* what is known of words tells nothing of strong reads */
        if (kind == SMC_READS)
            mark_read(&visit, access->address, has_places ? places : NULL);
    }
    if (op->is_noncoherent && access->space == SMC_SPACE_GLOBAL &&
        !(has_places && are_unwritten(shadow, first, places)))
        smc_shadow_check_noncoherent(&visit, access->address);
    if (visit.is_source && kind == SMC_READS)
        mark_copied(&visit, access->address, has_places ? places : NULL);
    const uint32_t left = has_places ? check_places(&visit, first, places) : access->mask;
    if (left)
        smc_shadow_check_each(&visit, kind, access->address, left, access->value, access->host);
    if (op->is_strong && shadow->order.releases)
        smc_order_strong(&shadow->order, warp, access);
}
