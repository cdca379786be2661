/* How many of the blocks that run at a time access different places of an array. */
#ifndef SMC_MACHINE_PANELS_H
#define SMC_MACHINE_PANELS_H

#include "machine/timing/arguments.h"
#include "machine/timing/traces.h"

/* Of how many panels so many blocks, each of which has any, have `seen` different ones; INFINITY:
   of many more. */
double smc_panels_of(double seen, double blocks);

/* Of an array; 0: no block accesses it. */
struct smc_panels {
    double different; /* how many blocks' worth of different places all blocks access */
    double span;      /* bytes between the first place of all blocks and the last one */
};

/* By the traces of blocks that were drawn evenly from those that run at a time, `most`: sets
   `panels`, one for each of `arrays`. Loads and stores of the program, which has so many `steps`,
   may access panels of their own. False: memory. */
bool smc_panels_find(const struct smc_traces *traces, uint32_t steps, double most,
                     const struct smc_time_array *array, size_t arrays, struct smc_panels *panels);

#endif
