/* Arithmetic that several wings need: statistics, rounding, limits, divisors. */
#ifndef SMC_BASE_NUMBERS_H
#define SMC_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts in ascending order; none of the numbers may be NaN. */
void smc_numbers_sort(double *numbers, size_t count);

/* The median of numbers in ascending order, for an even count the mean of the middle two; 0 if
   there are none. */
double smc_numbers_median(const double *sorted, size_t count);

/* Whether it is a whole number below 1e15 in magnitude, so that all of its digits are exact. False
   for NaN and infinity. */
bool smc_number_is_whole(double number);

/* Negative, 0 or positive, as a function for qsort returns. */
static inline int smc_compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

static inline int smc_compare_integers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* --- Rounding --------------------------------------------------------------------------------- */

/* Rounding of unsigned quantities. */

static inline uint64_t divide_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit;
}

/* `unit` is a power of two, as every allocation unit of an SM is. */
static inline uint64_t round_up(uint64_t n, uint32_t unit)
{
    return (n + unit - 1) & ~(uint64_t)(unit - 1);
}

/* How many whole units; `unit` is a power of two. Uses a shift, since a division is slower. */
static inline uint64_t whole_units(uint64_t n, uint32_t unit)
{
    return n >> __builtin_ctz(unit);
}

static inline uint32_t smc_at_most(uint64_t n, uint32_t most)
{
    return n < most ? (uint32_t)n : most;
}

/* The x, y and z of element `index` of a grid or block of this size, where x varies fastest. No
   size is 0. */
static inline void smc_index_to_place(uint64_t index, const uint32_t size[3], uint32_t place[3])
{
    place[0] = (uint32_t)(index % size[0]);
    place[1] = (uint32_t)(index / size[0] % size[1]);
    place[2] = (uint32_t)(index / size[0] / size[1]);
}

/* The place after one, in the order of smc_index_to_place; after the last one `place[2]` is
   `size[2]`. */
static inline void smc_next_place(const uint32_t size[3], uint32_t place[3])
{
    if (++place[0] < size[0])
        return;
    place[0] = 0;
    if (++place[1] < size[1])
        return;
    place[1] = 0;
    place[2]++;
}

static inline double smc_clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static inline uint64_t smc_common_divisor(uint64_t a, uint64_t b) /* the greatest */
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The nearest 32-bit value: a count too large to show is shown as the largest. */
static inline uint32_t saturate(uint64_t n)
{
    return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

/* How often `each` fits, UINT32_MAX if it is 0. Has no branch: the outcome varies from launch to
   launch, and a misprediction costs more than a division. */
static inline uint32_t times_fitting(uint32_t available, uint32_t each)
{
    uint32_t none = each == 0;
    return available / (each + none) | (0 - none);
}

#endif
