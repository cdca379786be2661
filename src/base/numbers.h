/* What a handful of measured numbers comes to. */
#ifndef SMC_BASE_NUMBERS_H
#define SMC_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Ascending; none of them is NaN. */
void smc_numbers_sort(double *numbers, size_t count);

/* Of numbers in ascending order: the one in the middle, of an even count the mean of the two
   there; 0 where there are none. */
double smc_numbers_median(const double *sorted, size_t count);

/* A whole number with all of its digits: below 1e15 in size. NaN and infinity are none. */
bool smc_number_is_whole(double number);

#endif
