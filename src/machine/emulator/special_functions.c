/* The special-function unit of an H100, and the instructions that ptxas (CUDA 13.0, sm_90) puts
   around it for the PTX instructions .approx.

   The unit interpolates. The upper bits of an operand choose a segment with three coefficients; the
   other bits, x, give c0 + c1 * x + c2 * x^2, to which a constant is added before the lower bits
   are cut off. The squarer leaves out the lower partial products.
   tests/machine/test_special_functions.c says what of this was compared with a GPU. */
#include <math.h>

#include "machine/emulator/special_functions.h"

/* Where the segments of each function begin. */
enum {
    RCP = 0,             /* 128 of [1, 2) */
    RSQRT = RCP + 128,   /* 64 of [1, 2), 64 of [2, 4) */
    SQRT = RSQRT + 128,  /* the same */
    EX2 = SQRT + 128,    /* 64 of [0, 1) */
    LG2 = EX2 + 64,      /* 64 of [1, 2) */
    SINE = LG2 + 64,     /* 64 of a quarter turn */
    TANGENT = SINE + 64, /* see binades */
    SEGMENTS = TANGENT + 51
};

struct segment {
    int32_t c0, c1, c2; /* special_functions.def explains their units */
};

static const struct segment segments[SEGMENTS] = {
#define SEGMENT(function, i, c0, c1, c2) [function + (i)] = {c0, c1, c2},
#include "machine/emulator/special_functions.def"
};

/* Constants that are added before the lower bits are cut off, in 2^-17 units of the last place. */
enum { RCP_BIAS = 8092, ROOT_BIAS = -1, EX2_BIAS = 24456, LG2_BIAS = 3348 };

enum { HIDDEN = 1 << 23, FRACTION = HIDDEN - 1 };
static const uint32_t sign_bit = 0x80000000, one = 0x3f800000, infinity = 0x7f800000;
static const uint32_t canonical_nan = 0x7fffffff;

/* Bits 2 to 7 of an operand of the squarer, times bits 11 to 16, in units of 2^19 and without the
   partial products that are less. */
#define PARTIAL(bit, high, low) ((low) >> (bit)&1) * ((high) >> (5 - (bit)))
#define PRODUCT(high, low)                                                                         \
    PARTIAL(0, high, low) + PARTIAL(1, high, low) + PARTIAL(2, high, low) +                        \
        PARTIAL(3, high, low) + PARTIAL(4, high, low) + PARTIAL(5, high, low)
#define PRODUCTS_4(high, low)                                                                      \
    PRODUCT(high, low), PRODUCT(high, (low) + 1), PRODUCT(high, (low) + 2), PRODUCT(high, (low) + 3)
#define PRODUCTS_16(high, low)                                                                     \
    PRODUCTS_4(high, low), PRODUCTS_4(high, (low) + 4), PRODUCTS_4(high, (low) + 8),               \
        PRODUCTS_4(high, (low) + 12)
#define ROW(high)                                                                                  \
    {                                                                                              \
        PRODUCTS_16(high, 0), PRODUCTS_16(high, 16), PRODUCTS_16(high, 32), PRODUCTS_16(high, 48)  \
    }
#define ROWS_4(high)  ROW(high), ROW((high) + 1), ROW((high) + 2), ROW((high) + 3)
#define ROWS_16(high) ROWS_4(high), ROWS_4((high) + 4), ROWS_4((high) + 8), ROWS_4((high) + 12)
static const uint8_t products[64][64] = {ROWS_16(0), ROWS_16(16), ROWS_16(32), ROWS_16(48)};

/* The square of 17 bits in units of 2^19, without the partial products that are less. */
static inline uint32_t square(uint32_t x)
{
    const uint32_t upper = x >> 10;
    return upper * (2 * upper + (x >> 8 & 3)) + products[x >> 11][x >> 2 & 63];
}

/* In 2^-17 units of the last place; x: 17 bits. */
static inline int64_t interpolate(unsigned segment, unsigned c0_shift, uint32_t x)
{
    const struct segment *c = &segments[segment];
    return c->c0 * (INT64_C(1) << c0_shift) + c->c1 * (int64_t)x + c->c2 * (int64_t)(2 * square(x));
}

/* value * 2^exponent, a normal number, cut off. */
static inline uint32_t cut_off(uint64_t value, int exponent)
{
    if (value == 0)
        return 0;
    const int top = 63 - __builtin_clzll(value);
    const uint64_t mantissa = top > 23 ? value >> (top - 23) : value << (23 - top);
    return ((uint32_t)(top + exponent + 127) << 23) + ((uint32_t)mantissa & FRACTION);
}

static inline uint32_t exponent_of(uint32_t x)
{
    return x >> 23 & 0xff;
}

static inline bool is_nan(uint32_t x)
{
    return (x & ~sign_bit) > infinity;
}

/* --- Products and sums of single precision ---------------------------------------------------- */

/* The bits of a result. */
static inline uint32_t bits_of(float x)
{
    const uint32_t bits = smc_bits_of_float(x);
    return is_nan(bits) ? canonical_nan : bits;
}

static inline uint32_t times(uint32_t x, float y)
{
    return bits_of(smc_float_of_bits(x) * y);
}

/* Zeros too. */
static inline bool is_subnormal(uint32_t x)
{
    return exponent_of(x) == 0;
}

static inline uint32_t flushed(uint32_t x)
{
    return is_subnormal(x) ? x & sign_bit : x;
}

/* --- The unit, to which subnormal numbers are 0 ----------------------------------------------- */

static uint32_t unit_rcp(uint32_t x)
{
    const uint32_t sign = x & sign_bit, exponent = exponent_of(x);
    if (exponent == 0xff)
        return is_nan(x) ? canonical_nan : sign;
    if (exponent == 0)
        return sign | infinity;
    const int64_t sum = interpolate(RCP + (x >> 16 & 0x7f), 15, (x & 0xffff) << 1) + RCP_BIAS;
    const int32_t result = (int32_t)(sum >> 17) - HIDDEN + (253 - (int32_t)exponent) * HIDDEN;
    return sign | (result < HIDDEN ? 0 : (uint32_t)result);
}

/* The mantissa of a root, whose segments for even exponents come first. */
static inline uint32_t mantissa_of_root(unsigned function, uint32_t x)
{
    const unsigned segment = (exponent_of(x) & 1 ? 0 : 64) + (x >> 17 & 0x3f);
    return (uint32_t)((interpolate(function + segment, 15, x & 0x1ffff) + ROOT_BIAS) >> 17);
}

static uint32_t unit_rsqrt(uint32_t x)
{
    const uint32_t exponent = exponent_of(x);
    if (exponent == 0)
        return (x & sign_bit) | infinity;
    if (is_nan(x) || x & sign_bit)
        return canonical_nan;
    if (exponent == 0xff)
        return 0;
    const bool is_power_of_4 = exponent & 1 && !(x & FRACTION);
    return (189 - (exponent + 1) / 2) * HIDDEN +
           (is_power_of_4 ? 2 * HIDDEN : mantissa_of_root(RSQRT, x));
}

static uint32_t unit_sqrt(uint32_t x)
{
    const uint32_t exponent = exponent_of(x);
    if (exponent == 0)
        return x & sign_bit;
    if (is_nan(x) || x & sign_bit)
        return canonical_nan;
    if (exponent == 0xff)
        return x;
    return (62 + (exponent + 1) / 2) * HIDDEN + mantissa_of_root(SQRT, x);
}

/* In fixed point with 36 bits after the point; a negative one is complemented, not negated. */
static uint32_t unit_lg2(uint32_t x)
{
    const uint32_t exponent = exponent_of(x);
    if (exponent == 0)
        return sign_bit | infinity;
    if (is_nan(x) || x & sign_bit)
        return canonical_nan;
    if (exponent == 0xff)
        return x;
    if (x == one)
        return 0;
    const int64_t sum = interpolate(LG2 + (x >> 17 & 0x3f), 14, x & 0x1ffff) + LG2_BIAS;
    const int64_t value = (sum >> 4) + ((int64_t)exponent - 127) * (INT64_C(1) << 36);
    return value < 0 ? sign_bit | cut_off((uint64_t)~value, -36) : cut_off((uint64_t)value, -36);
}

/* x in fixed point with 23 bits after the point; a negative fraction is complemented. */
static uint32_t unit_ex2(uint32_t x)
{
    const int exponent = (int)exponent_of(x) - 127;
    if (is_nan(x))
        return canonical_nan;
    if (exponent >= 7)
        return x & sign_bit ? 0 : infinity;
    const int32_t mantissa = (int32_t)(x & FRACTION) | HIDDEN;
    int32_t fixed = exponent >= 0    ? mantissa * (1 << exponent)
                    : exponent > -24 ? mantissa >> -exponent
                                     : 0;
    if (x & sign_bit)
        fixed = fixed & FRACTION ? ~fixed : -fixed;
    const uint32_t fraction = (uint32_t)fixed & FRACTION;
    const int64_t sum = interpolate(EX2 + (fraction >> 17), 15, fraction & 0x1ffff) + EX2_BIAS;
    const int32_t whole = (fixed >> 23) + 126;
    return whole < 0 ? 0 : (uint32_t)whole * HIDDEN + (uint32_t)(sum >> 17);
}

/* Of a turn in 25 bits. Every second quarter runs backwards. */
static uint32_t sine_of_turn(uint32_t turn)
{
    const uint32_t part = (turn & HIDDEN ? ~turn : turn) & FRACTION;
    const int64_t sum = interpolate(SINE + (part >> 17), 16, part & 0x1ffff);
    return (turn & 2 * HIDDEN ? sign_bit : 0) | cut_off((uint64_t)sum, -41);
}

/* |x| / (2 pi) in turns, with 25 bits after the point: the product of single precision, cut off. */
static uint32_t turns(uint32_t x)
{
    static const uint64_t per_radian = 0xa2f983; /* 2^26 / (2 pi) */
    const uint64_t product = ((x & FRACTION) | HIDDEN) * per_radian;
    const unsigned carries = (unsigned)(product >> 47);
    const uint32_t mantissa = (uint32_t)(product >> (23 + carries));
    const int shift = (int)exponent_of(x) - 128 + (int)carries;
    if (shift >= 25 || shift <= -24)
        return 0;
    return shift >= 0 ? mantissa << shift : mantissa >> -shift;
}

/* The segments of [2^(n - 8), 2^(n - 7)). */
static const struct {
    uint8_t first, bits; /* the first one, and how many bits of the mantissa choose one */
    int8_t exponent;     /* c0 counts in 2^(exponent - 23) */
} binades[] = {{0, 0, -8},  {1, 0, -8},  {2, 0, -7},  {3, 1, -6},  {5, 1, -5}, {7, 2, -4},
               {11, 2, -3}, {15, 2, -2}, {19, 3, -1}, {27, 4, -1}, {43, 3, -1}};

static uint32_t unit_tanh(uint32_t x)
{
    const uint32_t sign = x & sign_bit;
    const int n = (int)exponent_of(x) - (127 - 8);
    if (is_nan(x))
        return canonical_nan;
    if (n < 0)
        return x;
    if (n >= (int)(sizeof binades / sizeof *binades))
        return sign | one;
    const uint32_t place = (x & FRACTION) >> (6 - binades[n].bits);
    const int64_t sum =
        interpolate(TANGENT + binades[n].first + (place >> 17), 17, place & 0x1ffff);
    return sign | cut_off((uint64_t)sum, binades[n].exponent - 40);
}

/* --- What ptxas makes of PTX ------------------------------------------------------------------ */

static const uint32_t two_to_126 = 0x7e800000; /* from there on, reciprocals are subnormal */

uint32_t smc_special_rcp(uint32_t x, bool flushes)
{
    if (flushes || exponent_of(x) - 1 < 252)
        return unit_rcp(x);
    const float scale = is_subnormal(x) ? 0x1p24f : (x & ~sign_bit) > two_to_126 ? 0.25f : 1;
    return times(unit_rcp(times(x, scale)), scale);
}

uint32_t smc_special_rsqrt(uint32_t x, bool flushes)
{
    if (flushes || !is_subnormal(x))
        return unit_rsqrt(x);
    return times(unit_rsqrt(times(x, 0x1p24f)), 0x1p12f);
}

uint32_t smc_special_sqrt(uint32_t x, bool flushes)
{
    if (flushes || !is_subnormal(x))
        return unit_sqrt(x);
    return times(unit_sqrt(times(x, 0x1p24f)), 0x1p-12f);
}

uint32_t smc_special_lg2(uint32_t x, bool flushes)
{
    if (flushes || !is_subnormal(x))
        return unit_lg2(x);
    return bits_of(smc_float_of_bits(unit_lg2(times(x, 0x1p24f))) - 24);
}

uint32_t smc_special_ex2(uint32_t x, bool flushes)
{
    if (flushes || !(smc_float_of_bits(x) < -126))
        return unit_ex2(x);
    const uint32_t root = unit_ex2(times(x, 0.5f));
    return times(root, smc_float_of_bits(root));
}

uint32_t smc_special_sin(uint32_t x)
{
    if (exponent_of(x) == 0xff)
        return canonical_nan;
    return (x & sign_bit) ^ sine_of_turn(turns(x));
}

uint32_t smc_special_cos(uint32_t x)
{
    if (exponent_of(x) == 0xff)
        return canonical_nan;
    return sine_of_turn(turns(x) + HIDDEN);
}

uint32_t smc_special_tanh(uint32_t x)
{
    return unit_tanh(x);
}

uint32_t smc_special_div_approx(uint32_t x, uint32_t y, bool flushes)
{
    if (flushes)
        return flushed(times(unit_rcp(y), smc_float_of_bits(flushed(x))));
    const float scale = is_subnormal(y) ? 0x1p24f : 1;
    return times(unit_rcp(times(y, scale)), smc_float_of_bits(x) * scale);
}

uint32_t smc_special_div_full(uint32_t x, uint32_t y, bool flushes)
{
    if ((y & ~sign_bit) <= two_to_126 || is_nan(y))
        return smc_special_div_approx(x, y, flushes);
    x = times(flushes ? flushed(x) : x, 0.25f);
    return smc_special_div_approx(x, times(y, 0.25f), flushes);
}

/* --- Double precision: the upper word of an operand gives that of the result ------------------ */

static const uint64_t infinity_f64 = UINT64_C(0x7ff0000000000000);
static const uint64_t sign_f64 = UINT64_C(0x8000000000000000);
static const uint64_t nan_f64 = UINT64_C(0x7ff8000000000000);

static inline int exponent_of_f64(uint64_t x)
{
    return (int)(x >> 52 & 0x7ff) - 1023;
}

/* The mantissa of x, cut off to single precision, in [1, 2), or in [2, 4). */
static inline uint32_t single(uint64_t x, bool doubled)
{
    return (uint32_t)(x >> 32 & 0xfffff) << 3 | (doubled ? one + HIDDEN : one);
}

/* value * 2^-exponent; value is positive. A subnormal number is flushed. */
static inline uint64_t upper_word(uint32_t value, int exponent)
{
    const int64_t word = (value >> 3) + (896 - exponent) * (INT64_C(1) << 20);
    return word < 1 << 20 ? 0 : (uint64_t)word << 32;
}

uint64_t smc_special_rcp_f64(uint64_t x)
{
    const uint64_t sign = x & sign_f64, size = x & ~sign_f64;
    if (size >= infinity_f64)
        return size == infinity_f64 ? sign : nan_f64;
    if (size >> 52 == 0)
        return sign | infinity_f64;
    return sign | upper_word(unit_rcp(single(x, false)), exponent_of_f64(x));
}

/* The unit's result. */
static uint64_t rsqrt_f64(uint64_t x)
{
    const uint64_t size = x & ~sign_f64;
    if (size >> 52 == 0)
        return (x & sign_f64) | infinity_f64;
    if (x > infinity_f64)
        return nan_f64;
    if (x == infinity_f64)
        return 0;
    const bool is_odd = exponent_of_f64(x) & 1;
    return upper_word(unit_rsqrt(single(x, is_odd)), (exponent_of_f64(x) - is_odd) / 2);
}

/* One step of an iteration improves it. */
static double refined(double x)
{
    const double y = smc_double_of_bits(rsqrt_f64(smc_bits_of_double(x)));
    const double error = fma(x, -(y * y), 1);
    return fma(fma(error, 0.375, 0.5), y * error, y);
}

uint64_t smc_special_rsqrt_f64(uint64_t x, bool flushes)
{
    if (x > sign_f64 && !flushes)
        return nan_f64;
    if (flushes || x >= infinity_f64 || x == 0)
        return rsqrt_f64(x);
    const double number = smc_double_of_bits(x);
    return smc_bits_of_double(x >> 52 ? refined(number) : refined(number * 0x1p54) * 0x1p27);
}

double smc_special_cut_off(const struct smc_narrow *format, uint32_t bits)
{
    const double number = (double)smc_float_of_bits(bits);
    if (!isfinite(number) || number == 0)
        return number;
    int exponent;
    frexp(number, &exponent);
    exponent = exponent - 1 < format->least ? format->least : exponent - 1;
    const double unit = ldexp(1, exponent - (format->digits - 1));
    return trunc(number / unit) * unit;
}
