/* One SM executes the warps that reside on it, instruction by instruction, as their machine code
   orders: each sub-partition issues at most one instruction a clock, a warp waits for the clocks
   and scoreboards in its instructions' control bits, for barriers, and for the units that it shares
   with others. All times are clocks of the SM. */
#ifndef SMC_TIMING_SM_H
#define SMC_TIMING_SM_H

#include "machine/walk.h"
#include "timing/rates.h"

/* A block that the SM executes: the traces of its warps, which several may share. */
struct smc_sm_block {
    const struct smc_trace *const *trace; /* of each warp */
};

struct smc_sm_launch {
    const struct smc_machine_program *program;
    const struct smc_rates *rates;
    uint32_t subpartitions;
    uint32_t warps_per_block;
    uint32_t resident_blocks; /* at most that many at a time */
    uint64_t l1_bytes;
    const struct smc_sm_block *block;
    uint32_t blocks; /* executed in this order */
    const uint64_t *array_line,
        *array_last;   /* the first and last line of arrays of global memory */
    uint32_t arrays;   /* at most 32 */
    double dram_share; /* of the sectors that miss L1, how many come from DRAM */
    /* Where the clock is noted: executed instructions of a warp, twice; and how many warps come
       there. */
    uint32_t from, to, cut_warps;
};

struct smc_sm_result {
    double clocks; /* until the last warp has ended */
    uint64_t issued, flops;
    uint64_t unknown;            /* accesses to global memory whose addresses depend on data */
    double busy[SMC_PIPE_COUNT]; /* clocks of all sub-partitions' pipes */
    double tag_clocks;           /* of L1's tag stage */
    double data_wavefronts;      /* L1's data stage, which shared memory uses too */
    double shared_wavefronts;
    uint64_t load_sectors, load_hits; /* of global memory, in L1 */
    uint64_t store_sectors;
    double l2_sectors, dram_sectors;
    /* When half of those warps were there, and how many instructions had been issued. */
    double from_clock, to_clock;
    uint64_t from_issued, to_issued;
    double first_round, second_round; /* when once and twice as many blocks as reside had ended */
    uint32_t loaded, stored;          /* bit n: array n, as far as loads missed L1 */
};

/* SMC_MACHINE: memory. */
enum smc_status smc_sm_run(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                           struct smc_error *error);

#endif
