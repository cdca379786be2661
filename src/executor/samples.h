/* Samples of one quantity, and what they come to. */
#ifndef SMC_EXECUTOR_SAMPLES_H
#define SMC_EXECUTOR_SAMPLES_H

#include <stddef.h>

#include "executor/ceilings.h"

enum { SMC_MOST_SAMPLES = 31 };

struct smc_samples {
    size_t count;
    double value[SMC_MOST_SAMPLES];
};

/* Samples that are no number above 0 are left out, and those beyond the most. */
void smc_samples_add(struct smc_samples *samples, double value);

/* The median, 0 where there are none. Puts the samples in order. */
double smc_samples_median(struct smc_samples *samples, struct smc_spread *spread);

/* What `amount` in so many milliseconds is in a second; 0 where no time passed. */
double smc_rate_of_ms(double amount, double ms);

#endif
