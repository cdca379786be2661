/* One SM executes the warps that reside on it, instruction by instruction, as the control
   bits require: each sub-partition issues at most one instruction a clock, a warp waits for the
   clocks and scoreboards in its instructions' control bits, for barriers, and for the units that it
   shares with others. All times are clocks of the SM. */
#ifndef SMC_MACHINE_SM_SCHEDULE_H
#define SMC_MACHINE_SM_SCHEDULE_H

#include "machine/rates.h"
#include "machine/sass/walk.h"
#include "machine/timing/arguments.h"
#include "machine/timing/reuse.h"

/* A block that the SM executes: the traces of its warps, which several may share. */
struct smc_sm_block {
    const struct smc_warp_trace *const *trace; /* of each warp */
};

/* What the executions of one step in the traces did. */
struct smc_step_work {
    double executions, flops;
    double held;       /* clocks of a sub-partition's dispatch beyond one for each, for operands */
    double unknown;    /* accesses to memory whose addresses depend on data */
    double wavefronts; /* through L1's data stage */
    double shared_wavefronts; /* those of them from shared memory */
    double load_sectors;      /* requested from L1 */
    double weighed_loads;     /* the same by smc_sm_run, with the weights of the entries */
    double l2_sectors;        /* of those, requested of L2 after a miss */
    double store_sectors;
    double load_pieces, store_pieces; /* of 64 bytes that have these sectors of L2 */
    /* Sectors of whole lines that L2 could give or take meanwhile, without atomics. */
    double load_slots, store_slots;
    double texture_clocks; /* of the texture unit */
    double divergent;      /* wavefronts of loads that touch many lines */
    double atomics;        /* that L2 executes one by one */
    /* As many of single lanes, without a result, take as long, with what L2 fetches for them. */
    double atomic_slots;
    double local_pieces; /* of local memory that L1 does not hold, loaded and stored */
    double constants;    /* clocks of the SM's unit for constants by lane */
};

/* What an SM loads from and stores to one array, as far as loads missed L1: pieces of 64 bytes, and
   those of them that requests with addresses in no order touch. */
struct smc_sm_traffic {
    double loaded, loaded_scattered, stored, stored_scattered;
    double loaded_astray; /* by requests that are in no order to one another; by smc_sm_access */
    double stored_sectors, stored_bytes; /* bytes: that lanes store, at most those sectors */
    double loaded_shared, stored_shared; /* pieces that other requests access as well, as the ends
                                            of rows that begin anywhere; likewise */
    /* By smc_sm_access, in bytes from the first access to the last one: of the blocks that reside
       together, at most and at least; of a block, the mean. */
    double span, least_span, block_span;
    double pages;                          /* of SMC_REUSE_PAGE_PIECES, by block; likewise */
    struct smc_reuse_counts loads, stores; /* likewise */
};

/* Of the sectors that miss L1 and of those that are stored, how many come from and go to DRAM, and
   whether at random places; `in_no_order`: though DRAM has them near each other, since blocks that
   run at a time access little of the array. */
struct smc_sm_dram {
    double load_share, store_share;
    double fill_share;  /* of the pieces that atomics find missing */
    double part_share;  /* of those that stores in order in part find missing */
    double store_fills; /* slots (sm_memory.c) that L2 takes for that of each stored piece */
    bool scattered, in_no_order;
};

struct smc_sm_launch {
    const struct smc_machine_program *program;
    const struct smc_rates *rates;
    uint32_t warps_per_block;
    uint32_t resident_blocks; /* at most that many at a time */
    uint32_t warp_room;       /* warps that fit into the SM, by their registers and places */
    uint32_t block_room;      /* blocks that do, by all else */
    uint64_t l1_bytes;
    const struct smc_sm_block *block;
    uint32_t blocks;         /* which start in this order */
    double share_of_blocks;  /* that they are of those of the launch */
    double blocks_at_a_time; /* as many of the distances of `block` as the blocks that run at a time
                                span */
    bool no_more_blocks;     /* the SM has no others */
    bool cut;                /* what traces leave out takes no time */
    bool turns; /* of some iterations, not of an instruction, where traces leave some out */
    const struct smc_time_array *array; /* in global memory */
    size_t arrays;
    const struct smc_sm_dram *dram; /* by array; then: no array of these, and local memory */
    struct smc_sm_traffic *traffic; /* likewise; added to */
    struct smc_step_work *work;     /* by step of the program; added to */
    /* By block and warp: for how many executions each entry of its trace stands; for smc_sm_run
       only in what loads ask L2 for, and NULL: for one. */
    const float *const *weight;
    /* For smc_sm_run: bits of smc_reuse_find_late for each entry; or NULL. */
    const uint16_t *const *begins_late;
};

struct smc_sm_result {
    double clocks;           /* until the last warp has ended, including what traces leave out */
    double clocks_per_block; /* from one block to the next while as many as can reside do; 0: too
                                few blocks */
    uint64_t loaded, stored; /* bit n: array n, as far as loads missed L1 */
    double atomics;          /* executed, as in struct smc_step_work */
    double stores, loads;    /* of lines, by warps; loads that L1 does not serve */
    double hottest_atomics;  /* in the piece that has the most of the launch, as if `atomics` were
                                those of the launch */
    double first_hottest;    /* the clock of the first of these */
    double first_atomic;     /* and of the first one in any piece */
    double hottest_stores, hottest_loads; /* likewise */
    double hottest_clocks;                /* that a unit of L2 takes for one of these atomics */
    double atomic_clocks;                 /* and for one of all */
    double atomics_window; /* bytes that have those of blocks that run at a time; 0: not known */
    double busiest_unit;   /* share of one unit in them by these windows; 0: not known */
};

/* Atomics are spread over so many units of L2, each of two pieces of a kilobyte. */
enum { SMC_ATOMIC_UNITS = 90, SMC_ATOMIC_PIECE_BYTES = 256, SMC_ATOMIC_UNIT_PIECES = 2 };
/* The share of a unit where all have as many. */
#define SMC_ATOMIC_UNIT_SHARE (1.0 / SMC_ATOMIC_UNITS)

/* SMC_MACHINE: memory. */
enum smc_status smc_sm_run(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                           struct smc_error *error);

/* Only the accesses to global memory, in turns: far quicker, for what is loaded and stored and how
   much of it L1 does not hold. Clocks are 0, and so is the work of steps without such accesses.
   The traffic is that of the launch's `weight`. */
enum smc_status smc_sm_access(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                              struct smc_error *error);

#endif
