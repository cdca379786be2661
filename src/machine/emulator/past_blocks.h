/* What each block did to global memory, kept for races between blocks. Lines of 32 cells (words, or
   bytes if the kernel accesses those) have lists of runs: cells that one instruction of one block
   accessed. Each cell is in two runs of reads and two of writes at most. If blocks run in any
   order, they belong to the lowest blocks, so that what is found does not depend on the order, and
   the races are found after the launch. If blocks run in order, they are the latest ones, and each
   access is checked as it happens. */
#ifndef SMC_MACHINE_PAST_BLOCKS_H
#define SMC_MACHINE_PAST_BLOCKS_H

#include "machine/emulator/order.h"

enum { SMC_LINE_CELLS = 32 };

/* The thread of cell c is thread + step * ((c - first) / stride). */
struct smc_run {
    struct smc_run *next;
    uint32_t block, mask, place, time;
    uint16_t thread;
    int16_t step;
    uint8_t first, stride;
    bool is_strong, is_narrow;
};

struct smc_past_line {
    struct smc_run *writes, *reads;
    /* Of blocks in any order: two blocks below this one have read every cell; 0: not known. */
    _Atomic uint32_t all_read_below;
};

/* Runs that a worker owns. */
struct smc_run_pool {
    struct smc_run *free;
    struct smc_run **slab;
    size_t slabs;
};

struct smc_past;

/* NULL with *failed false: the launch has one block. */
struct smc_past *smc_past_new(const struct smc_launch_state *launch, uint32_t cell_bytes,
                              bool *failed);
void smc_past_free(struct smc_past *past);
void smc_run_pool_free(struct smc_run_pool *pool);

/* The line that begins at this address; NULL if it is in no writable allocation. */
struct smc_past_line *smc_past_line(const struct smc_past *past, uint64_t address);

static inline uint32_t smc_run_thread(const struct smc_run *run, uint32_t cell)
{
    const uint32_t distance = cell - run->first;
    return (uint32_t)(run->thread +
                      run->step * (int)(run->stride == 1 ? distance : distance / run->stride));
}

/* The cells of `mask` for which a read by this block must be added. */
uint32_t smc_past_wanted_reads(struct smc_past *past, struct smc_past_line *line, uint32_t block,
                               uint32_t mask);
/* The cells with a strong write, if blocks run in order. */
uint32_t smc_past_strong_writes(const struct smc_past_line *line);
/* Adds what a block read, or wrote: `value` has the cells' new contents. */
void smc_past_add_reads(struct smc_past *past, struct smc_run_pool *pool,
                        struct smc_past_line *line, const struct smc_run *run);
void smc_past_add_writes(struct smc_past *past, struct smc_run_pool *pool,
                         struct smc_past_line *line, uint64_t address, const struct smc_run *run,
                         const uint32_t value[SMC_LINE_CELLS]);

/* After blocks ran in any order: adds the races between blocks up to `last_block`. */
void smc_past_find(const struct smc_past *past, const struct smc_worker *worker,
                   uint64_t last_block, struct smc_emulation *emulation);

#endif
