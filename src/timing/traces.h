/* The traces of the warps of one SM's blocks: where each goes, as far as a budget of instructions
   reaches, and how long it is in full. */
#ifndef SMC_TIMING_TRACES_H
#define SMC_TIMING_TRACES_H

#include "machine/launch.h"
#include "timing/sm.h"

struct smc_traces {
    struct smc_trace *trace; /* blocks x warps_per_block */
    uint64_t *length;        /* instructions of each, also beyond the trace */
    const struct smc_trace **pointer;
    struct smc_sm_block *block;
    uint32_t blocks, warps_per_block;
    bool whole;   /* no trace is cut off */
    bool unknown; /* addresses or branches that depend on data */
    struct smc_trace_entry *entries;
    struct smc_trace_line *lines;
    struct smc_patterns *patterns;
};

/* Traces blocks first, first + stride, ... of the grid. `budget`: instructions of all together.
   SMC_MACHINE: memory. */
enum smc_status smc_traces_make(const struct smc_machine_launch *launch, uint64_t first,
                                uint64_t stride, uint32_t blocks, uint64_t budget,
                                struct smc_traces *traces, struct smc_error *error);
void smc_traces_free(struct smc_traces *traces);

/* Two places of a trace that was cut off, at the same instruction of its outermost loop, as far
   apart as there are whole iterations; {0, 0} if there is no loop. */
void smc_traces_period(const struct smc_traces *traces, uint32_t *from, uint32_t *to);

#endif
