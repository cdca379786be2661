/* The traces of the warps of one SM's blocks, and how often each instruction of the program is
   executed in all of them together. */
#ifndef SMC_MACHINE_TRACES_H
#define SMC_MACHINE_TRACES_H

#include "machine/sass/sass_launch.h"
#include "machine/timing/sm_schedule.h"

/* How many warps a block has. */
uint32_t smc_traces_warps(const struct smc_machine_launch *launch);

/* Start from {0}. */
struct smc_traces {
    uint32_t blocks, warps_per_block;
    struct smc_warp_trace *trace; /* blocks x warps_per_block */
    struct smc_sm_block *block;
    const struct smc_warp_trace **pointer;
    double *executions; /* by step of the program */
    double length;      /* instructions of all, kept in a trace or not */
    enum smc_walk_end end;
    struct smc_warp_trace_entry *entries;
    struct smc_warp_trace_line *lines;
    struct smc_warp_trace_skip *skips;
    struct smc_patterns *patterns;
};

/* Traces blocks first, first + stride, ... of the grid. `entries`: at most that many are kept of a
   warp; of a loop `loop_entries`. SMC_MACHINE: memory. */
enum smc_status smc_traces_make(const struct smc_machine_launch *launch, uint64_t first,
                                uint64_t stride, uint32_t blocks, size_t entries,
                                uint64_t loop_entries, struct smc_traces *traces,
                                struct smc_error *error);
void smc_traces_free(struct smc_traces *traces);

/* How many entries a warp's trace keeps with that many of each loop, and whether any were left out.
   SMC_USAGE: it does not end. */
enum smc_status smc_traces_measure(const struct smc_machine_launch *launch, uint64_t block,
                                   uint64_t loop_entries, size_t most, size_t *entries, bool *cut,
                                   struct smc_error *error);

#endif
