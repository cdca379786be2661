/* Means of random samples. */
#include "machine/timing/means.h"

#include <math.h>

void smc_mean_add(struct smc_mean *of, double number)
{
    double before = number - of->mean;
    of->count++;
    of->mean += before / of->count;
    of->squares += before * (number - of->mean);
}

double smc_mean_spread(const struct smc_mean *of)
{
    return sqrt(of->squares / of->count);
}

bool smc_mean_suffices(const struct smc_mean *of, double least)
{
    enum { EXACT = 200 };
    return of->count >= least && EXACT * smc_mean_spread(of) <= of->mean * sqrt(of->count);
}

bool smc_mean_is_known(const struct smc_mean *of, double independent)
{
    enum { ROUGH = 8 };
    return ROUGH * smc_mean_spread(of) <= of->mean * sqrt(independent);
}

bool smc_mean_is_steady(const struct smc_mean *all, const struct smc_mean *late)
{
    enum { EXACT = 200 };
    const double early = all->count - late->count;
    if (early <= 0 || late->count <= 0)
        return false;
    const double mean = (all->mean * all->count - late->mean * late->count) / early;
    const double error = smc_mean_spread(all) * sqrt(1 / early + 1 / late->count);
    return fabs(late->mean - mean) <= all->mean / EXACT + 3 * error;
}
