/* Rounding of unsigned quantities. */
#ifndef SMC_MODEL_ROUND_H
#define SMC_MODEL_ROUND_H

#include <stdint.h>

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
