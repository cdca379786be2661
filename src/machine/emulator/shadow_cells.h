/* The last accesses to each cell of memory, which shadow*.c and peers.c share; no other file
   includes this header. A cell is one word, or one byte if the kernel has accesses
   smaller than a word. For 32 neighboring cells, a struct word of shared memory or a struct line of
   global memory has a bit for each that needs no closer look. */
#ifndef SMC_MACHINE_SHADOW_CELLS_H
#define SMC_MACHINE_SHADOW_CELLS_H

#include "machine/emulator/past_blocks.h"
#include "machine/emulator/proxies.h"
#include "machine/emulator/shadow.h"

enum {
    WRITE_IS_STRONG = 1,
    READ_IS_STRONG = 2,
    OTHER_READ_IS_STRONG = 4,
    WRITE_IS_NARROW = 8,
    WRITE_IS_VOLATILE = 16, /* strong only as that; reads: and they do not poll */
    READ_IS_VOLATILE = 32,
    OTHER_READ_IS_VOLATILE = 64,
    COPY_IS_PENDING = 128 /* the write is an asynchronous copy that has not arrived, or is_unset */
};

/* Times are those of struct smc_order; 0: never. */
struct cell {
    uint32_t write_at, read_at, other_read_at;
    uint32_t write_place, read_place, other_read_place; /* instructions */
    uint16_t writer, reader, other_reader;
    uint8_t flags;
    /* The write needs no fence: a copy made it, or another block (proxies.h). */
    bool is_exempt : 1;
    bool is_update : 1; /* the write was an atomic operation */
    bool is_unset : 1;  /* with COPY_IS_PENDING: the write was of an unset value, and no copy */
};

/* Of 32 neighboring cells those whose weak reads need no check until the next barrier: the last
   write is ordered before them, and two readers are recorded. `synced`: the time of the last
   barrier. */
struct settled {
    uint32_t synced, cells;
};

/* Reads of a cell by wgmma or bulk copies, which may be pending: by two units, if there are
 * several.
 */
struct pending_reads {
    struct pending_read {
        uint32_t at, place; /* time, 0: none; instruction */
        uint16_t thread, unit;
    } by[2];
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

/* A weak read of shared memory that is recorded only when it matters: see shadow_lanes.c. */
struct read {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_places *places;
    uint64_t first;
    uint32_t place, bytes, now;
};

/* Neighboring cells of global memory, and what this block did to them. */
struct line {
    uint64_t number;
    uint32_t slot;              /* in the table */
    struct smc_past_line *past; /* what other blocks did; NULL: not kept */
    struct settled settled;
    uint32_t written, read;         /* the cells that are */
    uint32_t copied;                /* read by asynchronous copies, which may be pending */
    uint32_t value[SMC_LINE_CELLS]; /* as last written */
    struct cell cell[SMC_LINE_CELLS];
};

enum { MOST_READS = 4096, MAX_LINES = 1 << 16, RECENT_LINES = 64 };

struct smc_shadow {
    struct smc_order order;
    struct smc_proxies *proxies; /* NULL: nothing uses the async proxy */
    uint32_t cell_bytes_shared, cell_bytes_global;
    struct cell *shared;
    struct word *word; /* of shared memory, by 32 cells */
    size_t shared_cells;
    struct pending_reads
        *pending;            /* by cell of shared memory; NULL: nothing uses the async proxy */
    uint32_t *pending_cells; /* by 32 cells: those that have any */
    struct smc_unset_origin *origin; /* by cell, of those that hold an unset value; or NULL */
    struct read read[MOST_READS];    /* deferred */
    uint32_t reads;
    bool defers;
    bool has_copies;  /* in this block: asynchronous ones, to shared memory */
    bool is_shared;   /* other blocks of the cluster have accessed the shared memory: peers.h */
    uint32_t full_at; /* the last barrier before there were too many of them */
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

/* What all lanes of one instruction have in common. Its op is not kept, as some ops exist only
   while they are executed. */
struct visit {
    struct smc_worker *worker;
    struct smc_shadow *shadow;
    struct smc_warp *warp;
    uint32_t first; /* of its threads, or of its warpgroup's unit */
    uint32_t place; /* instruction */
    bool is_strong, is_narrow, is_volatile;
    bool is_async;          /* through the async proxy */
    bool is_copy;           /* the same, or cp.async */
    bool is_source;         /* of such a copy, in global memory */
    uint32_t unit;          /* a read that is pending until a wait for this unit; 0: none */
    uint32_t element_bytes; /* of a load whose values can be followed (unset_values.h); or 0 */
    enum smc_ptx_space space;
    uint32_t bytes, mask;
};

static inline struct visit visit_of(struct smc_worker *worker, struct smc_warp *warp,
                                    const struct smc_op *op, enum smc_ptx_space space,
                                    uint32_t bytes)
{
    const uint32_t unit = op->is_of_warpgroup ? smc_warpgroup_unit(warp) : warp->index;
    struct visit visit = {.worker = worker,
                          .shadow = worker->shadow,
                          .warp = warp,
                          .first = unit * SMC_LANES,
                          .place = op->instruction,
                          .is_strong = op->is_strong,
                          .is_narrow = op->is_narrow,
                          .is_volatile = op->is_volatile && !op->polls,
                          .space = space,
                          .bytes = bytes,
                          .element_bytes = op->kind == SMC_OP_LOAD ? op->width_bytes : 0};
    visit.is_source = op->kind == SMC_OP_COPY && space == SMC_SPACE_GLOBAL;
    if (worker->shadow->proxies) {
        visit.is_source |= op->is_async && !op->is_of_group && space == SMC_SPACE_GLOBAL;
        visit.is_async = op->is_async;
        visit.is_copy = op->is_async || op->kind == SMC_OP_COPY;
        visit.unit = op->is_of_warpgroup ? unit : op->is_of_group ? SMC_BULK_UNIT : 0;
    }
    return visit;
}

static inline uint32_t cell_bytes_of(const struct smc_shadow *shadow, enum smc_ptx_space space)
{
    return space == SMC_SPACE_SHARED ? shadow->cell_bytes_shared : shadow->cell_bytes_global;
}

/* log2 of cell_bytes_of: 0 or 2. */
static inline uint32_t cell_shift_of(const struct smc_shadow *shadow, enum smc_ptx_space space)
{
    return cell_bytes_of(shadow, space) == 4 ? 2 : 0;
}

/* The line of global memory, created on first use; NULL if out of memory, and then it is not
   checked. */
struct line *smc_shadow_find_line(struct smc_shadow *shadow, uint64_t number);

static inline struct line *line_of(struct smc_shadow *shadow, uint64_t number)
{
    struct line **recent = &shadow->recent[number % RECENT_LINES];
    if (!*recent || (*recent)->number != number)
        *recent = smc_shadow_find_line(shadow, number);
    return *recent;
}

/* The bits of cells of a line. */
static inline uint32_t cells_from(uint32_t first, uint32_t count)
{
    return (uint32_t)((UINT64_C(1) << count) - 1) << first;
}

static inline void settle(struct settled *settled, uint32_t synced, uint32_t cell)
{
    if (settled->synced != synced)
        *settled = (struct settled){.synced = synced};
    settled->cells |= 1u << cell % SMC_LINE_CELLS;
}

static inline void begin_phase(struct word *word, uint32_t synced)
{
    if (word->synced == synced)
        return;
    word->synced = synced;
    word->fresh = word->touched = word->once = 0;
}

static inline void mark_word_written(const struct smc_shadow *shadow, struct word *word,
                                     uint32_t cells)
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
static inline void mark_written(struct smc_shadow *shadow, uint64_t cell, uint32_t count)
{
    for (uint64_t i = cell; i < cell + count; i++)
        mark_word_written(shadow, &shadow->word[i / SMC_LINE_CELLS], 1u << i % SMC_LINE_CELLS);
}

/* Whether the last write to the cell was of an unset value. */
static inline bool holds_unset(const struct cell *cell)
{
    return cell->flags & COPY_IS_PENDING && cell->is_unset;
}

/* Whether the last write to the cell is a copy that may not have arrived. */
static inline bool awaits_copy(const struct cell *cell)
{
    return cell->flags & COPY_IS_PENDING && !cell->is_unset;
}

static inline void set_flag(struct cell *cell, uint8_t flag, bool holds)
{
    cell->flags = (uint8_t)(holds ? cell->flags | flag : cell->flags & ~flag);
}

/* Forgets all lines of global memory. */
void smc_shadow_empty(struct smc_shadow *shadow);

/* Checks accesses of one block's lanes, several at once where that is possible: as smc_shadow_check
   does, which also checks those of other blocks. */
void smc_shadow_check_lanes(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_warp_access *access, const struct smc_places *places);
/* A copy to the shared memory of the block begins. */
void smc_shadow_begin_copy(const struct visit *visit, uint32_t me, uint64_t address);

/* Reports reads by ld.global.nc of what this block, or an earlier one, has written, also where the
   write is ordered before: PTX's memory consistency model does not apply to ld.global.nc (PTX ISA
   9.0, 8.1), which is for data that is read-only as long as the kernel runs (CUDA C++ Programming
   Guide, "Read-Only Data Cache Load Function"). */
void smc_shadow_check_noncoherent(const struct visit *visit, const uint64_t address[SMC_LANES]);

/* Checks accesses lane by lane. */
void smc_shadow_check_each(const struct visit *visit, enum smc_access_kind kind,
                           const uint64_t address[SMC_LANES], uint32_t mask,
                           const void *const *value, char *const host[SMC_LANES]);

#endif
