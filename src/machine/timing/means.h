/* Means of random samples, and whether a sample is large enough. */
#ifndef SMC_MACHINE_MEANS_H
#define SMC_MACHINE_MEANS_H

#include <stdbool.h>

/* Lengths that differ by no more than a hundredth of the longer one are alike. */
enum { SMC_ALIKE = 100 };

/* The mean of numbers, and the sum of their squared distances from it (Welford). Start from {0}. */
struct smc_mean {
    double count, mean, squares;
};

void smc_mean_add(struct smc_mean *of, double number);

/* The standard deviation of at least one number. */
double smc_mean_spread(const struct smc_mean *of);

/* Whether the mean of at least so many is known to a hundredth, by two standard errors. */
bool smc_mean_suffices(const struct smc_mean *of, double least);

/* Whether the mean of so many independent numbers is known to an eighth, by a standard error: of
   fewer, which differ much, the later ones always resemble the earlier ones. */
bool smc_mean_is_known(const struct smc_mean *of, double independent);

/* Whether the later values equal the earlier ones to 0.5 % plus three standard errors of the
   difference, since the warps of a block resemble each other. `late`: the last ones of `all`. */
bool smc_mean_is_steady(const struct smc_mean *all, const struct smc_mean *late);

#endif
