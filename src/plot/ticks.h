/* Where the ticks of an axis stand. */
#ifndef SMC_PLOT_TICKS_H
#define SMC_PLOT_TICKS_H

#include <stdint.h>

enum smc_tick_kind {
    SMC_TICKS_BINARY,  /* 1, 2, 4, 8 ... : threads, registers, bytes */
    SMC_TICKS_DECIMAL, /* 1, 2, 5, 10 ... : percent, elements */
};

struct smc_ticks {
    int64_t first, step; /* step 0: only `first` */
};

/* The ticks of a continuous axis from `low` to `high`: the multiples of the smallest round step
   that gives at most `most` of them, one at least. */
struct smc_ticks smc_ticks_between(int64_t low, int64_t high, enum smc_tick_kind kind,
                                   unsigned most);

/* The same for an axis that only has the values first, first + step, ...: ticks are values, round
   ones where there are any. */
struct smc_ticks smc_ticks_among(int64_t first, int64_t step, uint64_t count,
                                 enum smc_tick_kind kind, unsigned most);

#endif
