/* Traces whose rest is taken over by warps that began alike. */
#ifndef SMC_MACHINE_KNOWN_TRACES_H
#define SMC_MACHINE_KNOWN_TRACES_H

#include "machine/timing/traces.h"

enum { SMC_KNOWN_TRACES = 64 };

/* Warps that took the same branches until instructions are left out are taken to continue alike:
   the rest of the trace is copied from the first of them. Each access moves as many sectors as its
   instruction moved from the one warp to the other where both executed it last; if they did not, as
   far as what they access of the same array; if they access nothing of it, by the warp's share of
   the array. No line leaves its array. */
struct smc_known_traces {
    const struct smc_machine_launch *launch;
    uint32_t warps;                  /* of a block */
    const struct smc_survey *survey; /* or NULL */
    uint32_t *last;                  /* one for each step of the program */
    uint64_t place;                  /* of the warp that is traced: its number in the grid */
    bool any; /* the other branches that a warp took count no more, as enough warps were walked */
    const struct smc_warp_trace *trace[SMC_KNOWN_TRACES];
    uint64_t place_of[SMC_KNOWN_TRACES];
    uint32_t count;
    double *executions; /* how often each known one executed each step, one after the other */
    uint32_t alike;     /* the number of the one that was taken over last */
};

/* Adds the trace of the warp that is traced, if there is room. */
void smc_known_traces_add(struct smc_known_traces *known, const struct smc_warp_trace *trace);

/* `take_over` of a trace; `context`: the known ones. */
bool smc_known_traces_take_over(void *context, struct smc_warp_trace *trace, uint64_t signature);

#endif
