/* Statistics of a few measured numbers. */
#ifndef SMC_BASE_NUMBERS_H
#define SMC_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts in ascending order; none of the numbers may be NaN. */
void smc_numbers_sort(double *numbers, size_t count);

/* The median of numbers in ascending order, for an even count the mean of the middle two; 0 if
   there are none. */
double smc_numbers_median(const double *sorted, size_t count);

/* Whether it is a whole number below 1e15 in magnitude, so that all of its digits are exact. False
   for NaN and infinity. */
bool smc_number_is_whole(double number);

#endif
