/* Warps that have atomics at the same places in the same order get in each other's way: where all
   add to row after row, they all wait for the unit of L2 that has the first one. SMs do not get
   equal shares of a unit, so that warps drift apart, the farther, the more atomics they have made:
   at its nth, a warp is anywhere within about as many.

   Additions of floats by all lanes of 132 to 8448 warps to one word of each of 2 to 1024 rows of
   512 bytes and a kilobyte take as long as all of the first one, and again so long each time that
   the number of rows has become 2.5 to 3 times as large; then also the other rows of that unit
   come meanwhile (H200, CUDA 13.0, driver 580.159.04, 2026-11-30: 4.2 times as long for 64 rows of
   a kilobyte, 5.3 of 512 bytes, 7.5 of 128). Of 1024 rows that way a quarter is passed by warps of
   the half of the SMs that is ahead while the others are at the first eighth. What takes longer
   anyway, as arithmetic between the additions, is not longer for that. */
#ifndef SMC_MACHINE_CROWDS_H
#define SMC_MACHINE_CROWDS_H

#include "machine/timing/traces.h"

/* Parts of what a warp adds: its first atomic, the next two, six, 18, and so on. */
enum { SMC_CROWD_PARTS = 6 };

/* How long a unit of L2 takes for the atomics of all warps that run at a time, in clocks of an SM,
   if they are anywhere within a part. */
struct smc_crowds {
    double clocks[SMC_CROWD_PARTS];
    double seen; /* atomics of a warp in these parts */
    double last; /* the share of the last part that was seen */
    uint32_t parts;
};

/* Blocks drawn evenly from those that run at a time. */
struct smc_crowd_sample {
    const struct smc_traces *traces;
    const struct smc_machine_program *program;
    const struct smc_rates *rates;
    const struct smc_time_array *array;
    size_t arrays;
    double running; /* blocks */
};

/* False: memory. No parts: the sample has a single block, or no atomics whose places are known. */
bool smc_crowds_find(const struct smc_crowd_sample *sample, struct smc_crowds *crowds);

/* By how many clocks warps that make so many atomics each take longer for them than `usual`, which
   they take for all that they do. Parts that were not seen take as long as the last one, or longer
   if it takes longer than the one before. */
double smc_crowds_clocks(const struct smc_crowds *crowds, double atomics, double usual);

#endif
