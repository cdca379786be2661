/* How instructions come to an SM. Its cache holds lines of 128 bytes; the GPU's launches of one
   kernel follow each other, so that code that fits stays there. */
#ifndef SMC_MACHINE_FETCH_H
#define SMC_MACHINE_FETCH_H

#include <stdbool.h>
#include <stdint.h>

/* A cache of 32 KiB in an SM, and one of 128 KiB behind it. Loops of straight code, by one warp of
   each sub-partition, take 1.0 to 1.5 clocks for an instruction up to 32.1 KiB, 2.4 from 40 to
   128 KiB, and 5.6 from 192 KiB on, or 4.6 to 4.9 if they pass once. The launch before leaves up to
   30 KiB in the cache, whatever is copied between the launches (H200, CUDA 13.0, driver 580.159.04,
   2026-11-29). */
enum { SMC_FETCH_LINE = 8 /* instructions */, SMC_FETCH_LINES = 264, SMC_FETCH_NEAR_LINES = 1056 };

/* Start from {0}. Owns `arrives`. */
struct smc_fetch {
    double
        *arrives; /* by line of the code: when it does; negative: it is not there. NULL: all are */
    double free_clock, clocks; /* of a line */
    uint32_t held[SMC_FETCH_LINES], next, last;
};

/* `executed`: for each line of so many, whether its code is. False: memory. */
bool smc_fetch_open(struct smc_fetch *fetch, const bool *executed, uint32_t lines);
void smc_fetch_close(struct smc_fetch *fetch);

/* The clock at which a step can be issued that a warp comes to. */
double smc_fetch_step(struct smc_fetch *fetch, uint32_t step, double clock);

#endif
