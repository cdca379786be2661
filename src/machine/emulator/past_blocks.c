/* Races between blocks in global memory. */
#include "machine/emulator/past_blocks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

enum { STRIPES = 64, SLAB_RUNS = 1024, MOST_SLABS = 1 << 12, CHUNK_LINES = 1024 };

/* The lines of one allocation. */
struct region {
    uint64_t address, lines;
    struct smc_past_line *line;
    char *value;              /* what the first writer of each cell wrote */
    _Atomic uint8_t *touched; /* by CHUNK_LINES lines: whether any was asked for */
};

/* Apart, so that cores that take different locks do not share a cache line. */
union lock {
    pthread_mutex_t mutex;
    char room[128];
};

struct smc_past {
    const struct smc_launch_state *launch;
    struct region *region; /* by allocation */
    uint32_t cell_bytes;
    bool in_order;
    union lock lock[STRIPES];
};

struct smc_past *smc_past_new(const struct smc_launch_state *launch, uint32_t cell_bytes,
                              bool *failed)
{
    *failed = false;
    if (launch->blocks < 2 || launch->blocks > UINT32_MAX)
        return NULL;
    struct smc_past *past = smc_calloc(1, sizeof *past);
    struct region *region = smc_calloc(launch->allocations + 1, sizeof *region);
    *failed = !past || !region;
    for (size_t i = 0; !*failed && i < launch->allocations; i++) {
        const struct smc_allocation *allocation = &launch->allocation[i];
        region[i].address = allocation->address;
        if (allocation->is_constant || allocation->is_freed)
            continue;
        region[i].lines = allocation->bytes / ((size_t)cell_bytes * SMC_LINE_CELLS) + 1;
        region[i].line = smc_calloc(region[i].lines, sizeof *region[i].line);
        region[i].value = launch->program->runs_in_order
                              ? NULL
                              : smc_calloc(region[i].lines, (size_t)cell_bytes * SMC_LINE_CELLS);
        region[i].touched = smc_calloc(region[i].lines / CHUNK_LINES + 1, 1);
        *failed = !region[i].line || !region[i].touched ||
                  (!region[i].value && !launch->program->runs_in_order);
    }
    if (past) {
        *past = (struct smc_past){.launch = launch,
                                  .region = region,
                                  .cell_bytes = cell_bytes,
                                  .in_order = launch->program->runs_in_order};
        for (int i = 0; i < STRIPES; i++)
            pthread_mutex_init(&past->lock[i].mutex, NULL);
    } else {
        free(region);
    }
    if (*failed && past) {
        smc_past_free(past);
        past = NULL;
    }
    return past;
}

void smc_past_free(struct smc_past *past)
{
    if (!past)
        return;
    for (size_t i = 0; past->region && i < past->launch->allocations; i++) {
        free(past->region[i].line);
        free(past->region[i].value);
        free(past->region[i].touched);
    }
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_destroy(&past->lock[i].mutex);
    free(past->region);
    free(past);
}

/* --- Runs ------------------------------------------------------------------------------------- */

void smc_run_pool_free(struct smc_run_pool *pool)
{
    for (size_t i = 0; i < pool->slabs; i++)
        free(pool->slab[i]);
    free(pool->slab);
}

/* NULL: no memory is left for runs, and races may be missed. */
static struct smc_run *take_run(struct smc_run_pool *pool)
{
    if (!pool->free) {
        if (!pool->slab)
            pool->slab = smc_calloc(MOST_SLABS, sizeof *pool->slab);
        struct smc_run *slab =
            pool->slab && pool->slabs < MOST_SLABS ? smc_malloc(SLAB_RUNS * sizeof *slab) : NULL;
        if (!slab)
            return NULL;
        pool->slab[pool->slabs++] = slab;
        for (size_t i = 0; i < SLAB_RUNS; i++) {
            slab[i].next = pool->free;
            pool->free = &slab[i];
        }
    }
    struct smc_run *run = pool->free;
    pool->free = run->next;
    return run;
}

static const struct region *region_of(const struct smc_past *past, uint64_t address)
{
    size_t low = 0, high = past->launch->allocations;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (past->region[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &past->region[low - 1] : NULL;
}

struct smc_past_line *smc_past_line(const struct smc_past *past, uint64_t address)
{
    const struct region *region = region_of(past, address);
    if (!region || !region->line)
        return NULL;
    uint64_t number = (address - region->address) / ((size_t)past->cell_bytes * SMC_LINE_CELLS);
    if (number >= region->lines)
        return NULL;
    atomic_store_explicit(&region->touched[number / CHUNK_LINES], 1, memory_order_relaxed);
    return &region->line[number];
}

/* Leaves each cell in the first two runs and drops runs without cells. */
static void keep_two(struct smc_run_pool *pool, struct smc_run **list)
{
    uint32_t once = 0, twice = 0;
    while (*list) {
        struct smc_run *run = *list;
        run->mask &= ~twice;
        twice |= once & run->mask;
        once |= run->mask;
        if (run->mask) {
            list = &run->next;
            continue;
        }
        *list = run->next;
        run->next = pool->free;
        pool->free = run;
    }
}

/* Lists are in the order of blocks. */
static void past_blocks_insert(struct smc_run_pool *pool, struct smc_run **list,
                               const struct smc_run *added)
{
    struct smc_run **place = list, *run = take_run(pool);
    if (!run)
        return;
    while (*place && (*place)->block <= added->block)
        place = &(*place)->next;
    *run = *added;
    run->next = *place;
    *place = run;
    keep_two(pool, list);
}

static pthread_mutex_t *lock_of(struct smc_past *past, const struct smc_past_line *line)
{
    return &past->lock[(uintptr_t)line / sizeof *line % STRIPES].mutex;
}

/* Most lines are read by many blocks, which need no lock once two blocks below them have read all
   cells. */
uint32_t smc_past_wanted_reads(struct smc_past *past, struct smc_past_line *line, uint32_t block,
                               uint32_t mask)
{
    uint32_t once = 0, twice = 0;
    const uint32_t known = atomic_load_explicit(&line->all_read_below, memory_order_relaxed);
    if (known && block >= known)
        return 0;
    pthread_mutex_t *lock = lock_of(past, line);
    pthread_mutex_lock(lock);
    for (const struct smc_run *run = line->reads; run && run->block < block; run = run->next) {
        twice |= once & run->mask;
        once |= run->mask;
    }
    if (twice == UINT32_MAX && !past->in_order)
        atomic_store_explicit(&line->all_read_below, block, memory_order_relaxed);
    pthread_mutex_unlock(lock);
    return mask & ~twice;
}

static void forget(struct smc_run *list, uint32_t block, uint32_t mask, bool any_block)
{
    for (struct smc_run *run = list; run; run = run->next)
        if (any_block || run->block == block)
            run->mask &= ~mask;
}

uint32_t smc_past_strong_writes(const struct smc_past_line *line)
{
    uint32_t strong = 0;
    for (const struct smc_run *run = line->writes; run; run = run->next)
        strong |= run->is_strong && !run->is_narrow ? run->mask : 0;
    return strong;
}

void smc_past_add_reads(struct smc_past *past, struct smc_run_pool *pool,
                        struct smc_past_line *line, const struct smc_run *run)
{
    pthread_mutex_t *lock = lock_of(past, line);
    pthread_mutex_lock(lock);
    forget(line->reads, run->block, run->mask, false);
    past_blocks_insert(pool, &line->reads, run);
    pthread_mutex_unlock(lock);
}

/* Blocks in any order: of several writers, the first one and the first one with another value are
   kept. */
static void add_by_value(struct smc_past *past, struct smc_run_pool *pool,
                         struct smc_past_line *line, char *value_at, const struct smc_run *run,
                         const uint32_t *value)
{
    uint32_t covered = 0, lower = 0, own = 0, same = 0;
    struct smc_run added = *run;
    for (const struct smc_run *old = line->writes; old; old = old->next) {
        uint32_t first = old->mask & ~covered;
        covered |= old->mask;
        lower |= old->block < run->block ? first : 0;
        own |= old->block == run->block ? first : 0;
    }
    EACH_ACTIVE(cell, run->mask & covered)
        same |= (uint32_t)(memcmp(value_at + (size_t)cell * past->cell_bytes, &value[cell],
                                  past->cell_bytes) == 0)
                << cell;
    added.mask &= ~own & ~(lower & same);
    EACH_ACTIVE(cell, run->mask & ~lower)
        memcpy(value_at + (size_t)cell * past->cell_bytes, &value[cell], past->cell_bytes);
    uint32_t replaced = added.mask & covered & ~lower & same;
    covered = 0;
    for (struct smc_run *old = line->writes; old; old = old->next) {
        uint32_t first = old->mask & ~covered;
        covered |= old->mask;
        old->mask &= ~(first & replaced);
    }
    if (!added.mask)
        return;
    forget(line->writes, run->block, added.mask, false);
    past_blocks_insert(pool, &line->writes, &added);
}

void smc_past_add_writes(struct smc_past *past, struct smc_run_pool *pool,
                         struct smc_past_line *line, uint64_t address, const struct smc_run *run,
                         const uint32_t value[SMC_LINE_CELLS])
{
    pthread_mutex_t *lock = lock_of(past, line);
    const struct region *region = region_of(past, address);
    pthread_mutex_lock(lock);
    if (past->in_order) {
        for (struct smc_run *old = line->writes; old; old = old->next)
            if (old->block != run->block || old->is_strong || !run->is_strong)
                old->mask &= ~run->mask; /* but an atomic does not hide a weak write of its block */
        forget(line->reads, 0, run->mask, true);
        keep_two(pool, &line->reads);
        past_blocks_insert(pool, &line->writes, run);
    } else {
        add_by_value(past, pool, line, region->value + (address - region->address), run, value);
    }
    pthread_mutex_unlock(lock);
}

/* --- Findings --------------------------------------------------------------------------------- */

struct block_search {
    const struct smc_past *past;
    const struct smc_worker *worker;
    struct smc_emulation *emulation;
    uint64_t address; /* of the line */
    uint64_t last_block;
};

static uint32_t width_of(const struct smc_program *program, uint32_t instruction)
{
    for (size_t i = 0; i < program->ops; i++)
        if (program->op[i].instruction == instruction && program->op[i].width_bytes)
            return (uint32_t)program->op[i].width_bytes * program->op[i].vector;
    return 4;
}

static void past_blocks_report(const struct block_search *search, enum smc_finding_kind kind,
                               const struct smc_run *later, const struct smc_run *earlier,
                               uint32_t cells)
{
    const struct smc_launch_state *launch = search->past->launch;
    const uint32_t *grid = launch->request->grid, *block = launch->request->block;
    uint32_t cell = (uint32_t)__builtin_ctz(cells);
    struct smc_finding finding = {.kind = kind,
                                  .instruction = later->place,
                                  .has_other = true,
                                  .between_blocks = true,
                                  .other_instruction = earlier->place,
                                  .times = (uint64_t)__builtin_popcount(cells)};
    smc_index_to_place(later->block, grid, finding.block);
    smc_index_to_place(earlier->block, grid, finding.other_block);
    smc_index_to_place(smc_run_thread(later, cell), block, finding.thread);
    smc_index_to_place(smc_run_thread(earlier, cell), block, finding.other_thread);
    smc_finding_set_address(search->worker, &finding, SMC_SPACE_GLOBAL,
                            search->address + (size_t)cell * search->past->cell_bytes,
                            width_of(launch->program, later->place));
    smc_finding_add(launch->program, &finding, search->emulation);
}

/* Each cell once: the first write, and the first read of another block. */
static void find_in_line(const struct block_search *search, const struct smc_past_line *line)
{
    uint32_t reported = 0;
    for (const struct smc_run *a = line->writes; a; a = a->next)
        for (const struct smc_run *b = a->next; b; b = b->next)
            if (b->block != a->block && b->mask & a->mask && b->block <= search->last_block)
                past_blocks_report(search, SMC_FINDING_RACE_WRITE_WRITE, b, a, a->mask & b->mask);
    for (const struct smc_run *write = line->writes; write; write = write->next)
        for (const struct smc_run *read = line->reads; read; read = read->next) {
            uint32_t cells = write->mask & read->mask & ~reported;
            if (!cells || read->block == write->block || read->block > search->last_block ||
                write->block > search->last_block)
                continue;
            reported |= cells;
            if (write->block < read->block)
                past_blocks_report(search, SMC_FINDING_RACE_WRITE_READ, read, write, cells);
            else
                past_blocks_report(search, SMC_FINDING_RACE_READ_WRITE, write, read, cells);
        }
}

void smc_past_find(const struct smc_past *past, const struct smc_worker *worker,
                   uint64_t last_block, struct smc_emulation *emulation)
{
    struct block_search search = {past, worker, emulation, 0, last_block};
    if (past->in_order)
        return;
    for (size_t i = 0; i < past->launch->allocations; i++) {
        const struct region *region = &past->region[i];
        for (uint64_t n = 0; region->line && n < region->lines; n++) {
            if (n % CHUNK_LINES == 0 && !region->touched[n / CHUNK_LINES]) {
                n += CHUNK_LINES - 1;
                continue;
            }
            search.address = region->address + n * past->cell_bytes * SMC_LINE_CELLS;
            if (region->line[n].writes)
                find_in_line(&search, &region->line[n]);
        }
    }
}
