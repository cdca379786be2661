/* Floating-point formats of up to 16 bits, rounded exactly once. All of their values, products and
   conversions are exact in double precision; a sum that is not exact is rounded to odd first, after
   which rounding to fewer digits cannot go wrong. */
#ifndef SMC_MACHINE_NARROW_H
#define SMC_MACHINE_NARROW_H

#include <stdint.h>
#include <string.h>

struct smc_narrow {
    int digits;        /* of the significand, including the leading one */
    int least, most;   /* exponents of normal numbers */
    uint32_t sign;     /* its bit */
    uint32_t nan;      /* what operations return */
    uint32_t infinity; /* above it are NaNs only; of a format without: the NaN */
    uint32_t largest;  /* finite number */
    uint32_t one;
};

static const struct smc_narrow smc_half = {11, -14, 15, 0x8000, 0x7fff, 0x7c00, 0x7bff, 0x3c00};
static const struct smc_narrow smc_bfloat = {8, -126, 127, 0x8000, 0x7fff, 0x7f80, 0x7f7f, 0x3f80};
static const struct smc_narrow smc_e4m3 = {4, -6, 8, 0x80, 0x7f, 0x7f, 0x7e, 0x38};
static const struct smc_narrow smc_e5m2 = {3, -14, 15, 0x80, 0x7f, 0x7c, 0x7b, 0x3c};

static inline float smc_float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint32_t smc_bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double smc_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t smc_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double smc_of_narrow(const struct smc_narrow *format, uint32_t bits)
{
    const int fraction_bits = format->digits - 1;
    const uint64_t sign = bits & format->sign ? UINT64_C(1) << 63 : 0;
    uint32_t size = bits & (format->sign - 1);
    if (size >= format->infinity) {
        uint64_t nan = size > format->infinity || format->infinity == format->nan;
        return smc_double_of_bits(sign | UINT64_C(0x7ff) << 52 | nan << 51);
    }
    if (size >> fraction_bits) /* normal: another bias */
        return smc_double_of_bits(sign | (((uint64_t)size << (52 - fraction_bits)) +
                                          ((uint64_t)(format->least - 1 + 1023) << 52)));
    double unit = smc_double_of_bits(sign | (uint64_t)(format->least - fraction_bits + 1023) << 52);
    return size * unit;
}

/* To nearest, ties to even. Beyond the largest number: infinity, or the NaN of a format without. */
static inline uint32_t smc_to_narrow(const struct smc_narrow *format, double x)
{
    const uint64_t bits = smc_bits_of_double(x), size = bits << 1 >> 1;
    const uint32_t sign = bits >> 63 ? format->sign : 0;
    const int shift = 53 - format->digits, exponent = (int)(size >> 52) - 1023;
    uint64_t place; /* the result, with `shift` bits more */
    if (size > UINT64_C(0x7ff) << 52)
        return format->nan;
    if (exponent > format->most)
        return sign | format->infinity;
    if (exponent >= format->least) {
        place = size - ((uint64_t)(format->least - 1 + 1023) << 52);
    } else {
        const int below = format->least - exponent < 60 ? format->least - exponent : 60;
        const uint64_t all =
            size >> 52 ? (size & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52 : 0;
        place = all >> below | ((all & ((UINT64_C(1) << below) - 1)) != 0);
    }
    uint64_t rounded = (place + (UINT64_C(1) << (shift - 1)) - 1 + (place >> shift & 1)) >> shift;
    return sign | (rounded > format->largest ? format->infinity : (uint32_t)rounded);
}

/* x + y; if that is not exact, its last bit is set, as if it stood for all bits that follow. */
static inline double smc_sum_to_odd(double x, double y)
{
    const double sum = x + y, part = sum - x;
    const double lost = (x - (sum - part)) + (y - part);
    uint64_t bits = smc_bits_of_double(sum);
    /* Of an infinite sum or a NaN, what was lost is a NaN. */
    if (!(lost > 0 || lost < 0) || bits & 1)
        return sum;
    return smc_double_of_bits((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

#endif
