/* What lanes compute in floating point. */
#include "machine/sass/floats.h"

#include <math.h>
#include <string.h>

#include "machine/emulator/special_functions.h"
#include "machine/narrow.h"

/* Bits 78 and 79. */
enum rounding { TO_NEAREST, DOWN, UP, TO_ZERO };

/* Widths of conversions: the logarithm of their bytes. */
enum width { WIDTH_8, WIDTH_16, WIDTH_32, WIDTH_64 };

static const uint32_t sign_bit = UINT32_C(1) << 31;

/* What one lane reads, without the signs and magnitudes of the instruction. */
struct lane_operands {
    uint32_t low[3];
    uint32_t high[3]; /* the upper registers of pairs */
};

struct lane_result {
    uint32_t low, high;
    bool holds, holds_not; /* of a comparison: its two predicates */
};

#define ALL_LANES for (uint32_t l = 0; l < SMC_LANES; l++)

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static enum rounding rounding_of(const struct smc_sass_instruction *in)
{
    return (enum rounding)smc_bits(in, 78, 2);
}

/* Bit 80: .FTZ. */
static float flushed(const struct smc_sass_instruction *in, float value)
{
    return smc_bit(in, 80) && fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

static float source(const struct smc_sass_instruction *in, const struct lane_operands *from, int i)
{
    uint32_t bits = from->low[i];
    if (in->from[i].absolute)
        bits &= ~sign_bit;
    if (in->from[i].negated)
        bits ^= sign_bit;
    return flushed(in, float_of(bits));
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

/* The float to which `value` + `rest` rounds, where the rest is smaller than half a bit of the
   value. */
static float floats_rounded(double value, double rest, enum rounding how)
{
    float near = (float)value;
    double beyond = value - (double)near; /* exact */
    if (beyond == 0)
        beyond = rest;
    if ((how == DOWN && beyond < 0) || (how == TO_ZERO && value > 0 && beyond < 0))
        return nextafterf(near, -INFINITY);
    if ((how == UP && beyond > 0) || (how == TO_ZERO && value < 0 && beyond > 0))
        return nextafterf(near, INFINITY);
    return near;
}

/* What a sum of doubles lost. */
static double lost(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

/* Bits 84 to 86 of a product: a factor of 1/2, 1/4, 1/8, 1, 8, 4, 2 from 1 on. */
static bool factor_of(const struct smc_sass_instruction *in, double *factor)
{
    static const double factors[8] = {0, 0.5, 0.25, 0.125, 1, 8, 4, 2};
    *factor = in->operation == SMC_OP_FMUL ? factors[smc_bits(in, 84, 3)] : 1;
    return *factor > 0;
}

/* The sources of all lanes; those of lanes that all read the same are the first one's. */
static void singles(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    int i, float *restrict to)
{
    const uint32_t kept = in->from[i].absolute ? ~sign_bit : UINT32_MAX;
    const uint32_t flipped = in->from[i].negated ? sign_bit : 0, first = from->low[i][0];
    uint32_t bits[SMC_LANES];
    if (from->lanes != 1 && kept == UINT32_MAX && flipped == 0 && !smc_bit(in, 80)) {
        memcpy(to, from->low[i], sizeof bits);
        return;
    }
    if (from->lanes == 1)
        ALL_LANES bits[l] = (first & kept) ^ flipped;
    else
        ALL_LANES bits[l] = (from->low[i][l] & kept) ^ flipped;
    if (smc_bit(in, 80)) /* .FTZ */
        ALL_LANES bits[l] &= bits[l] & 0x7f800000 ? UINT32_MAX : sign_bit;
    memcpy(to, bits, sizeof bits);
}

/* Fused multiply-adds: the processor's instruction where it has one. */
#define DEFINE_FUSED(name, attributes, type, function)                                             \
    attributes static void name(const type *restrict a, const type *restrict b,                    \
                                const type *restrict c, type *restrict to)                         \
    {                                                                                              \
        ALL_LANES to[l] = function(a[l], b[l], c[l]);                                              \
    }
DEFINE_FUSED(fuse_singles, , float, fmaf)
DEFINE_FUSED(fuse_doubles, , double, fma)
#if defined __x86_64__
#define WITH_INSTRUCTION __attribute__((target("avx2,fma")))
DEFINE_FUSED(fuse_singles_by_instruction, WITH_INSTRUCTION, float, __builtin_fmaf)
DEFINE_FUSED(fuse_doubles_by_instruction, WITH_INSTRUCTION, double, __builtin_fma)

static bool has_instruction(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#else
#define fuse_singles_by_instruction fuse_singles
#define fuse_doubles_by_instruction fuse_doubles
#define has_instruction()           false
#endif

/* A sum, a product or both of one lane that is not simply rounded to the nearest. */
static float rounded_single(const struct smc_sass_instruction *in, double a, double b, double c)
{
    const enum rounding how = rounding_of(in);
    double factor;
    if (in->operation == SMC_OP_FMUL && factor_of(in, &factor))
        return floats_rounded(a * b * factor, 0, how);
    const bool adds = in->operation == SMC_OP_FADD;
    const double first = adds ? a : a * b, second = adds ? b : c, sum = first + second;
    return floats_rounded(sum, isfinite(sum) ? lost(first, second, sum) : 0, how);
}

/* Bit 80: .FTZ; 77: .SAT. */
static void give_singles(const struct smc_sass_instruction *in, const float *value,
                         uint32_t *restrict low)
{
    memcpy(low, value, SMC_LANES * sizeof *low);
    if (smc_bit(in, 80))
        ALL_LANES low[l] &= low[l] & 0x7f800000 ? UINT32_MAX : sign_bit;
    if (smc_bit(in, 77))
        ALL_LANES
        {
            const float number = float_of(low[l]);
            low[l] = number >= 1 ? bits_of(1) : number > 0 ? low[l] : 0;
        }
}

/* The source of the first lane. */
static float single(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    int i)
{
    uint32_t bits = from->low[i][0];
    bits &= in->from[i].absolute ? ~sign_bit : UINT32_MAX;
    bits ^= in->from[i].negated ? sign_bit : 0;
    return float_of(smc_bit(in, 80) && !(bits & 0x7f800000) ? bits & sign_bit : bits);
}

/* What all lanes compute alike, simply rounded to the nearest. */
static float arithmetic_of_one(const struct smc_sass_instruction *in,
                               const struct smc_float_operands *from)
{
    const float a = single(in, from, 0), b = single(in, from, 1);
    return in->operation == SMC_OP_FADD   ? a + b
           : in->operation == SMC_OP_FMUL ? a * b
                                          : fmaf(a, b, single(in, from, 2));
}

/* Bit 76: .FMZ. */
static bool arithmetic(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                       struct smc_float_results *results)
{
    float a[SMC_LANES], b[SMC_LANES], c[SMC_LANES], value[SMC_LANES];
    double factor;
    if (smc_bit(in, 76) || !factor_of(in, &factor))
        return false;
    if (from->lanes == 1 && rounding_of(in) == TO_NEAREST && factor == 1 && !smc_bit(in, 77)) {
        const uint32_t bits = bits_of(arithmetic_of_one(in, from));
        results->low[0] = smc_bit(in, 80) && !(bits & 0x7f800000) ? bits & sign_bit : bits;
        return true;
    }
    singles(in, from, 0, a);
    singles(in, from, 1, b);
    if (in->operation == SMC_OP_FFMA)
        singles(in, from, 2, c);
    else
        memcpy(c, b, sizeof c);
    if (rounding_of(in) != TO_NEAREST || factor != 1)
        ALL_LANES value[l] = rounded_single(in, (double)a[l], (double)b[l], (double)c[l]);
    else if (in->operation == SMC_OP_FADD)
        ALL_LANES value[l] = a[l] + b[l];
    else if (in->operation == SMC_OP_FMUL)
        ALL_LANES value[l] = a[l] * b[l];
    else
        (has_instruction() ? fuse_singles_by_instruction : fuse_singles)(a, b, c, value);
    give_singles(in, value, results->low);
    return true;
}

/* Bits 81 and 82: .NAN, .XORSIGN. Of a number and none, the number. */
static bool floats_minimum(const struct smc_sass_instruction *in,
                           const struct smc_float_operands *from, struct smc_float_results *results)
{
    enum { CANONICAL_NAN = 0x7fffffff };
    const bool passes_nan = smc_bit(in, 81);
    float a[SMC_LANES], b[SMC_LANES], least[SMC_LANES], most[SMC_LANES], value[SMC_LANES];
    singles(in, from, 0, a);
    singles(in, from, 1, b);
    ALL_LANES least[l] = a[l] < b[l] || b[l] != b[l] ? a[l] : b[l];
    ALL_LANES most[l] = a[l] > b[l] || b[l] != b[l] ? a[l] : b[l];
    ALL_LANES value[l] = from->takes_first & smc_warp_lane_bit[l] ? least[l] : most[l];
    memcpy(results->low, value, sizeof value);
    if (passes_nan)
        ALL_LANES if (a[l] != a[l] || b[l] != b[l]) results->low[l] = CANONICAL_NAN;
    return !smc_bit(in, 82);
}

/* Bits 76 to 79 are a set: less, equal, greater, not comparable. */
#define DEFINE_COMPARE(name, type)                                                                 \
    static void name(const struct smc_sass_instruction *in, const type *restrict a,                \
                     const type *restrict b, struct smc_float_results *results)                    \
    {                                                                                              \
        uint32_t less = 0, equal = 0, greater = 0;                                                 \
        ALL_LANES less |= -(uint32_t)(a[l] < b[l]) & smc_warp_lane_bit[l];                         \
        ALL_LANES equal |= -(uint32_t)(a[l] == b[l]) & smc_warp_lane_bit[l];                       \
        ALL_LANES greater |= -(uint32_t)(a[l] > b[l]) & smc_warp_lane_bit[l];                      \
        results->holds = (smc_bit(in, 76) ? less : 0) | (smc_bit(in, 77) ? equal : 0) |            \
                         (smc_bit(in, 78) ? greater : 0) |                                         \
                         (smc_bit(in, 79) ? ~(less | equal | greater) : 0);                        \
        results->holds_not = ~results->holds;                                                      \
    }
DEFINE_COMPARE(compare_singles, float)
DEFINE_COMPARE(compare_doubles, double)

static bool compare_sources(const struct smc_sass_instruction *in,
                            const struct smc_float_operands *from,
                            struct smc_float_results *results)
{
    float a[SMC_LANES], b[SMC_LANES];
    singles(in, from, 0, a);
    singles(in, from, 1, b);
    compare_singles(in, a, b, results);
    return true;
}

/* Whether the quotient of two floats needs the function for exceptional operands: one of them, or
   the quotient, is close to the ends of the range. So is zero, also as the dividend: a kernel that
   divides areas, most of which are 0, executes the 33 instructions of the function and its call for
   all quotients (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static bool check_quotient(const struct lane_operands *from, struct lane_result *result)
{
    enum { BIAS = 127, LEAST = 24, MOST = 252, APART = 125 };
    int a = (int)(from->low[0] >> 23 & 0xff), b = (int)(from->low[1] >> 23 & 0xff);
    bool near = a - b > -APART && a - b < APART;
    result->holds = b < 2 || b > MOST || a > 2 * BIAS || a < LEAST || !near;
    result->holds_not = !result->holds;
    return true;
}

/* Bits 72 and 73: the type; 74 to 77: the function; 80: .FTZ. Sines and cosines, here of turns, are
   not evaluated. */
static bool floats_special(const struct smc_sass_instruction *in, const struct lane_operands *from,
                           struct lane_result *result)
{
    enum { EX2 = 2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };
    const uint32_t a = bits_of(source(in, from, 1));
    const bool flushes = smc_bit(in, 80);
    if (smc_bits(in, 72, 2) != 0)
        return false;
    switch (smc_bits(in, 74, 4)) {
    case EX2:
        result->low = smc_special_ex2(a, flushes);
        return true;
    case LG2:
        result->low = smc_special_lg2(a, flushes);
        return true;
    case RCP:
        result->low = smc_special_rcp(a, flushes);
        return true;
    case RSQ:
        result->low = smc_special_rsqrt(a, flushes);
        return true;
    case RCP64H:
        result->low = (uint32_t)(smc_special_rcp_f64((uint64_t)a << 32) >> 32);
        return true;
    case RSQ64H:
        result->low = (uint32_t)(smc_special_rsqrt_f64((uint64_t)a << 32, true) >> 32);
        return true;
    case SQRT:
        result->low = smc_special_sqrt(a, flushes);
        return true;
    case TANH:
        result->low = smc_special_tanh(a);
        return true;
    default:
        return false;
    }
}

/* --- Double precision ------------------------------------------------------------------------- */

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* An immediate is the upper half. */
static double double_source(const struct smc_sass_instruction *in, const struct lane_operands *from,
                            int i)
{
    uint64_t bits = (uint64_t)from->high[i] << 32 | from->low[i];
    if (in->from[i].kind == SMC_OPERAND_IMMEDIATE)
        bits = (uint64_t)from->low[i] << 32;
    if (in->from[i].absolute)
        bits &= INT64_MAX;
    if (in->from[i].negated)
        bits ^= (uint64_t)1 << 63;
    return double_of(bits);
}

static void give_double(struct lane_result *result, double value)
{
    uint64_t bits = bits_of_double(value);
    result->low = (uint32_t)bits;
    result->high = (uint32_t)(bits >> 32);
}

/* The double to which `near` + `rest` rounds. */
static double double_rounded(double near, double rest, enum rounding how)
{
    if ((how == DOWN && rest < 0) || (how == TO_ZERO && near > 0 && rest < 0))
        return nextafter(near, -INFINITY);
    if ((how == UP && rest > 0) || (how == TO_ZERO && near < 0 && rest > 0))
        return nextafter(near, INFINITY);
    return near;
}

static void doubles(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    int i, double *restrict to)
{
    const uint32_t kept = in->from[i].absolute ? ~sign_bit : UINT32_MAX;
    const uint32_t flipped = in->from[i].negated ? sign_bit : 0;
    const bool is_immediate = in->from[i].kind == SMC_OPERAND_IMMEDIATE; /* the upper half */
    const uint32_t *low = from->low[i], *high = is_immediate ? low : from->high[i];
    const uint32_t has_low = is_immediate ? 0 : UINT32_MAX;
    const uint64_t first = (uint64_t)((high[0] & kept) ^ flipped) << 32 | (low[0] & has_low);
    uint64_t bits[SMC_LANES];
    if (from->lanes == 1)
        ALL_LANES bits[l] = first;
    else
        ALL_LANES bits[l] = (uint64_t)((high[l] & kept) ^ flipped) << 32 | (low[l] & has_low);
    memcpy(to, bits, sizeof bits);
}

static void give_doubles(const double *value, struct smc_float_results *results)
{
    uint64_t bits[SMC_LANES];
    memcpy(bits, value, sizeof bits);
    ALL_LANES results->low[l] = (uint32_t)bits[l];
    ALL_LANES results->high[l] = (uint32_t)(bits[l] >> 32);
}

/* What a sum or a product, rounded to the nearest, is less than the exact one. */
static double rest_of(const struct smc_sass_instruction *in, double a, double b, double value)
{
    if (!isfinite(value))
        return 0;
    return in->operation == SMC_OP_DADD ? lost(a, b, value) : fma(a, b, -value);
}

static bool double_arithmetic(const struct smc_sass_instruction *in,
                              const struct smc_float_operands *from,
                              struct smc_float_results *results)
{
    double a[SMC_LANES], b[SMC_LANES], c[SMC_LANES], value[SMC_LANES];
    const enum rounding how = rounding_of(in);
    doubles(in, from, 0, a);
    doubles(in, from, 1, b);
    if (in->operation == SMC_OP_DFMA)
        doubles(in, from, 2, c);
    else
        memcpy(c, b, sizeof c);
    if (in->operation == SMC_OP_DADD)
        ALL_LANES value[l] = a[l] + b[l];
    else if (in->operation == SMC_OP_DMUL)
        ALL_LANES value[l] = a[l] * b[l];
    else if (how == TO_NEAREST)
        (has_instruction() ? fuse_doubles_by_instruction : fuse_doubles)(a, b, c, value);
    else
        return false;
    if (how != TO_NEAREST)
        ALL_LANES value[l] = double_rounded(value[l], rest_of(in, a[l], b[l], value[l]), how);
    give_doubles(value, results);
    return true;
}

/* Bits 76 to 79: the comparison, as of floats; none and all of them are .MIN and .MAX: whether the
   first is the smaller or the larger one, and whether neither is. */
static bool double_compare(const struct smc_sass_instruction *in,
                           const struct smc_float_operands *from, struct smc_float_results *results)
{
    enum { MINIMUM = 0, MAXIMUM = 15 };
    const uint64_t how = smc_bits(in, 76, 4);
    double a[SMC_LANES], b[SMC_LANES];
    bool is_nan = false;
    doubles(in, from, 0, a);
    doubles(in, from, 1, b);
    compare_doubles(in, a, b, results);
    if (how != MINIMUM && how != MAXIMUM)
        return true;
    results->holds = results->holds_not = 0;
    ALL_LANES results->holds |=
        (how == MINIMUM ? a[l] < b[l] : a[l] > b[l]) ? smc_warp_lane_bit[l] : 0;
    ALL_LANES is_nan |= isnan(a[l]) || isnan(b[l]);
    return !is_nan;
}

/* --- Conversions ------------------------------------------------------------------------------ */

static float rounded_integer(uint64_t magnitude, bool negative, enum rounding how)
{
    float near = (float)magnitude;
    bool above = near >= 0x1p64F || (uint64_t)near > magnitude;
    bool below = !above && (uint64_t)near < magnitude;
    bool to_zero = how == TO_ZERO || how == (negative ? UP : DOWN);
    if (above && to_zero)
        near = nextafterf(near, 0);
    if (below && how == (negative ? DOWN : UP))
        near = nextafterf(near, INFINITY);
    return negative ? -near : near;
}

/* Bits 60 and 61: a part of the register; 74: signed; 75 and 76: the result's width; 84 and 85: the
   source's. */
static bool to_float(const struct smc_sass_instruction *in, const struct lane_operands *from,
                     struct lane_result *result)
{
    enum width width = (enum width)smc_bits(in, 84, 2), to = (enum width)smc_bits(in, 75, 2);
    unsigned bits = 8u << width;
    uint64_t value = (uint64_t)from->high[1] << 32 | from->low[1];
    bool is_register = in->from[1].kind != SMC_OPERAND_IMMEDIATE;
    if (to < WIDTH_32 || (is_register && smc_bits(in, 60, 4) != 0))
        return false;
    value = value << (64 - bits) >> (64 - bits);
    bool negative = smc_bit(in, 74) && value >> (bits - 1);
    if (negative)
        value = (0 - value) << (64 - bits) >> (64 - bits);
    if (to == WIDTH_32) {
        result->low = bits_of(rounded_integer(value, negative, rounding_of(in)));
        return true;
    }
    give_double(result, negative ? -(double)value : (double)value);
    return width < WIDTH_64 || rounding_of(in) == TO_NEAREST;
}

/* What a conversion reads: of bits 84 and 85, its width. False: neither 32 nor 64 bits. */
static bool float_read(const struct smc_sass_instruction *in, const struct lane_operands *from,
                       double *value)
{
    enum width width = (enum width)smc_bits(in, 84, 2);
    if (width < WIDTH_32)
        return false;
    *value = width == WIDTH_64 ? double_source(in, from, 1) : (double)source(in, from, 1);
    return true;
}

static double rounded_float(double value, enum rounding how)
{
    switch (how) {
    case DOWN:
        return floor(value);
    case UP:
        return ceil(value);
    case TO_ZERO:
        return trunc(value);
    default:
        return nearbyint(value);
    }
}

/* Bit 72: signed; 75 and 76: the result's width; 84 and 85: the source's. What is too large becomes
   the largest number, and what is none becomes 0, or the least one of 64 bits. */
static bool to_integer(const struct smc_sass_instruction *in, const struct lane_operands *from,
                       struct lane_result *result)
{
    enum width width = (enum width)smc_bits(in, 75, 2);
    bool is_signed = smc_bit(in, 72);
    double value;
    if (width < WIDTH_32 || !float_read(in, from, &value))
        return false;
    value = rounded_float(value, rounding_of(in));
    double most = width == WIDTH_32 ? 0x1p32 : 0x1p64, least = 0;
    if (is_signed) {
        most /= 2;
        least = -most;
    }
    uint64_t integer;
    if (isnan(value))
        integer = width == WIDTH_32 ? 0 : UINT64_C(1) << 63;
    else if (value >= most)
        integer = (is_signed ? UINT64_MAX >> 1 : UINT64_MAX) >> (width == WIDTH_32 ? 32 : 0);
    else if (value <= least)
        integer = is_signed ? UINT64_C(1) << (width == WIDTH_32 ? 31 : 63) : 0;
    else
        integer = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
    result->low = (uint32_t)integer;
    result->high = (uint32_t)(integer >> 32);
    return true;
}

/* Between floats and doubles, or to a whole number in the same format. Bits 75 and 76: the result's
   width; 84 and 85: the source's. */
static bool between_floats(const struct smc_sass_instruction *in, const struct lane_operands *from,
                           struct lane_result *result)
{
    enum width to = (enum width)smc_bits(in, 75, 2);
    const bool whole = in->operation == SMC_OP_FRND || in->operation == SMC_OP_FRND_64;
    double value;
    if (to < WIDTH_32 || !float_read(in, from, &value))
        return false;
    if (whole)
        value = rounded_float(value, rounding_of(in));
    if (to == WIDTH_64)
        give_double(result, value);
    else
        result->low = bits_of(flushed(in, floats_rounded(value, 0, rounding_of(in))));
    return true;
}

/* HADD2.F32 of -0 and a half: how ptxas converts halves, as bits 60 and 61 say: 2 the lower one, 3
   the upper one. Bits 62 and 63: with another sign. */
static bool from_half(const struct smc_sass_instruction *in, const struct lane_operands *from,
                      struct lane_result *result)
{
    enum { LOWER = 2, UPPER = 3 };
    const uint64_t which = smc_bits(in, 60, 4);
    if (in->from[0].number != SMC_ZERO_REGISTER || !smc_bit(in, 78) ||
        (which != LOWER && which != UPPER))
        return false;
    const uint32_t half = from->low[1] >> (which == UPPER ? 16 : 0) & 0xffff;
    result->low = bits_of((float)smc_of_narrow(&smc_half, half));
    return true;
}

/* --- Counts of bits --------------------------------------------------------------------------- */

static uint32_t reversed(uint32_t bits)
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (bits >> i & 1) << (31 - i);
    return result;
}

/* Bit 73: signed, the highest bit that is not the sign's; 74: .SH, counted from the top. */
static uint32_t highest_bit(const struct smc_sass_instruction *in, uint32_t bits)
{
    if (smc_bit(in, 73) && bits & sign_bit)
        bits = ~bits;
    if (bits == 0)
        return UINT32_MAX;
    uint32_t from_top = (uint32_t)__builtin_clz(bits);
    return smc_bit(in, 74) ? from_top : 31 - from_top;
}

/* Bit 63 inverts. */
static bool floats_count_bits(const struct smc_sass_instruction *in,
                              const struct lane_operands *from, struct lane_result *result)
{
    bool inverts = in->from[1].kind != SMC_OPERAND_IMMEDIATE && smc_bit(in, 63);
    uint32_t bits = inverts ? ~from->low[1] : from->low[1];
    if (in->operation == SMC_OP_POPC || in->operation == SMC_OP_UPOPC)
        result->low = (uint32_t)__builtin_popcount(bits);
    else
        result->low = highest_bit(in, bits);
    return in->to_predicate[0] == SMC_TRUE_PREDICATE;
}

/* SGXT: the low bits, as many as the second source says; with bit 73, their sign above them. Bit 75
   is .W. */
static bool extend_bits(const struct smc_sass_instruction *in, const struct lane_operands *from,
                        struct lane_result *result)
{
    enum { BITS = 32 };
    const uint32_t bits = from->low[1] < BITS ? from->low[1] : BITS;
    const uint32_t value = bits > 0 ? from->low[0] << (BITS - bits) : 0;
    const uint32_t shift = bits > 0 ? BITS - bits : 0;
    result->low = smc_bit(in, 73) ? (uint32_t)((int32_t)value >> shift) : value >> shift;
    return !smc_bit(in, 75);
}

/* BMSK: ones from the bit that the first source says, as many as the second says. Bit 75 is .W. */
static bool mask_bits(const struct smc_sass_instruction *in, const struct lane_operands *from,
                      struct lane_result *result)
{
    enum { BITS = 32 };
    const uint32_t at = from->low[0], bits = from->low[1] < BITS ? from->low[1] : BITS;
    result->low = at < BITS ? (uint32_t)(((UINT64_C(1) << bits) - 1) << at) : 0;
    return !smc_bit(in, 75);
}

/* False: the operation, or one of its modifiers, is not evaluated. */
static bool evaluate_lane(const struct smc_sass_instruction *in, const struct lane_operands *from,
                          struct lane_result *result)
{
    switch (in->operation) {
    case SMC_OP_FCHK:
        return check_quotient(from, result);
    case SMC_OP_MUFU:
        return floats_special(in, from, result);
    case SMC_OP_I2F:
    case SMC_OP_I2F_64:
    case SMC_OP_I2FP:
        return to_float(in, from, result);
    case SMC_OP_F2I:
    case SMC_OP_F2I_64:
        return to_integer(in, from, result);
    case SMC_OP_F2F:
    case SMC_OP_F2F_64:
    case SMC_OP_FRND:
    case SMC_OP_FRND_64:
        return between_floats(in, from, result);
    case SMC_OP_HADD2:
        return from_half(in, from, result);
    case SMC_OP_FLO:
    case SMC_OP_UFLO:
    case SMC_OP_POPC:
    case SMC_OP_UPOPC:
        return floats_count_bits(in, from, result);
    case SMC_OP_SGXT:
        return extend_bits(in, from, result);
    case SMC_OP_BMSK:
    case SMC_OP_UBMSK:
        return mask_bits(in, from, result);
    case SMC_OP_BREV:
    case SMC_OP_UBREV:
        result->low = reversed(from->low[1]);
        return true;
    default:
        return false;
    }
}

static bool evaluate_by_lane(const struct smc_sass_instruction *in,
                             const struct smc_float_operands *from,
                             struct smc_float_results *results)
{
    results->holds = results->holds_not = 0;
    for (uint32_t l = 0; l < from->lanes; l++) {
        struct lane_operands operands;
        struct lane_result result = {0};
        for (int i = 0; i < 3; i++) {
            operands.low[i] = from->low[i][l];
            operands.high[i] = from->high[i][l];
        }
        if (!evaluate_lane(in, &operands, &result))
            return false;
        results->low[l] = result.low;
        results->high[l] = result.high;
        results->holds |= (uint32_t)result.holds << l;
        results->holds_not |= (uint32_t)result.holds_not << l;
    }
    return true;
}

bool smc_floats_evaluate(const struct smc_sass_instruction *in,
                         const struct smc_float_operands *from, struct smc_float_results *results)
{
    switch (in->operation) {
    case SMC_OP_FADD:
    case SMC_OP_FMUL:
    case SMC_OP_FFMA:
        return arithmetic(in, from, results);
    case SMC_OP_FMNMX:
        return floats_minimum(in, from, results);
    case SMC_OP_FSET:
    case SMC_OP_FSETP:
        return compare_sources(in, from, results);
    case SMC_OP_DADD:
    case SMC_OP_DMUL:
    case SMC_OP_DFMA:
        return double_arithmetic(in, from, results);
    case SMC_OP_DSETP:
        return double_compare(in, from, results);
    default:
        return evaluate_by_lane(in, from, results);
    }
}
