/* Samples of one quantity, and what they come to. */
#include "executor/samples.h"

#include <math.h>
#include <stdlib.h>

void smc_samples_add(struct smc_samples *samples, double value)
{
    if (isfinite(value) && value > 0 && samples->count < SMC_MOST_SAMPLES)
        samples->value[samples->count++] = value;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double smc_samples_median(struct smc_samples *samples, struct smc_spread *spread)
{
    size_t n = samples->count;
    *spread = (struct smc_spread){.samples = (uint32_t)n};
    if (n == 0)
        return 0;
    qsort(samples->value, n, sizeof *samples->value, compare);
    spread->lowest = samples->value[0];
    spread->highest = samples->value[n - 1];
    return (samples->value[(n - 1) / 2] + samples->value[n / 2]) / 2;
}

double smc_rate_of_ms(double amount, double ms)
{
    return ms > 0 ? amount * 1e3 / ms : 0;
}
