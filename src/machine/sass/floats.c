/* What one lane computes in floating point. */
#include "machine/sass/floats.h"

#include <math.h>
#include <string.h>

/* Bits 78 and 79. */
enum rounding { TO_NEAREST, DOWN, UP, TO_ZERO };

/* Widths of conversions: the logarithm of their bytes. */
enum width { WIDTH_8, WIDTH_16, WIDTH_32, WIDTH_64 };

static const uint32_t sign_bit = UINT32_C(1) << 31;

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

static float source(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    int i)
{
    uint32_t bits = from->low[i];
    if (in->from[i].absolute)
        bits &= ~sign_bit;
    if (in->from[i].negated)
        bits ^= sign_bit;
    return flushed(in, float_of(bits));
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

/* A value that a double holds exactly. */
static float floats_rounded(double value, enum rounding how)
{
    float near = (float)value;
    bool above = (double)near > value, below = (double)near < value;
    if ((how == DOWN && above) || (how == TO_ZERO && above && value > 0))
        return nextafterf(near, -INFINITY);
    if ((how == UP && below) || (how == TO_ZERO && below && value < 0))
        return nextafterf(near, INFINITY);
    return near;
}

/* Bits 76: .FMZ; 77: .SAT; 84 to 86: a factor of the product, 4 is 1. */
static bool arithmetic(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                       struct smc_float_result *result)
{
    enum { NO_FACTOR = 4 };
    const float a = source(in, from, 0), b = source(in, from, 1);
    float value;
    if (smc_bit(in, 76) || smc_bit(in, 77))
        return false;
    if (in->operation == SMC_OP_FMUL) {
        if (smc_bits(in, 84, 3) != NO_FACTOR)
            return false;
        value = floats_rounded((double)a * (double)b, rounding_of(in));
    } else if (rounding_of(in) != TO_NEAREST) {
        return false;
    } else {
        value = in->operation == SMC_OP_FADD ? a + b : fmaf(a, b, source(in, from, 2));
    }
    result->low = bits_of(flushed(in, value));
    return true;
}

/* Bits 81 and 82: .NAN, .XORSIGN. */
static bool minimum(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    struct smc_float_result *result)
{
    const float a = source(in, from, 0), b = source(in, from, 1);
    result->low = bits_of(from->takes_first ? fminf(a, b) : fmaxf(a, b));
    return smc_bits(in, 81, 2) == 0;
}

/* Bits 76 to 79 are a set: less, equal, greater, not comparable. */
static bool compare(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                    struct smc_float_result *result)
{
    const float a = source(in, from, 0), b = source(in, from, 1);
    unsigned which = a < b ? 0 : a == b ? 1 : a > b ? 2 : 3;
    result->holds = smc_bit(in, 76 + which);
    return true;
}

/* Bits 72 and 73: the type; 74 to 77: the function. */
static bool floats_special(const struct smc_sass_instruction *in,
                           const struct smc_float_operands *from, struct smc_float_result *result)
{
    enum { RECIPROCAL = 4, RECIPROCAL_ROOT = 5, ROOT = 8 };
    const float a = source(in, from, 1);
    if (smc_bits(in, 72, 2) != 0)
        return false;
    switch (smc_bits(in, 74, 4)) {
    case RECIPROCAL:
        result->low = bits_of(1.0F / a);
        return true;
    case RECIPROCAL_ROOT:
        result->low = bits_of(1.0F / sqrtf(a));
        return true;
    case ROOT:
        result->low = bits_of(sqrtf(a));
        return true;
    default:
        return false;
    }
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
static bool to_float(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                     struct smc_float_result *result)
{
    enum width width = (enum width)smc_bits(in, 84, 2);
    unsigned bits = 8u << width;
    uint64_t value = (uint64_t)from->high << 32 | from->low[1];
    bool is_register = in->from[1].kind != SMC_OPERAND_IMMEDIATE;
    if (smc_bits(in, 75, 2) != WIDTH_32 || (is_register && smc_bits(in, 60, 4) != 0))
        return false;
    value = value << (64 - bits) >> (64 - bits);
    bool negative = smc_bit(in, 74) && value >> (bits - 1);
    if (negative)
        value = (0 - value) << (64 - bits) >> (64 - bits);
    result->low = bits_of(rounded_integer(value, negative, rounding_of(in)));
    return true;
}

static double rounded_float(float value, enum rounding how)
{
    switch (how) {
    case DOWN:
        return floor((double)value);
    case UP:
        return ceil((double)value);
    case TO_ZERO:
        return trunc((double)value);
    default:
        return nearbyint((double)value);
    }
}

/* Bit 72: signed; 75 and 76: the result's width; 84 and 85: the source's. What is too large becomes
   the largest number, and what is none becomes 0. */
static bool to_integer(const struct smc_sass_instruction *in, const struct smc_float_operands *from,
                       struct smc_float_result *result)
{
    enum width width = (enum width)smc_bits(in, 75, 2);
    bool is_signed = smc_bit(in, 72), signs_known = in->operation == SMC_OP_F2I;
    if (width < WIDTH_32 || smc_bits(in, 84, 2) != WIDTH_32 ||
        (!signs_known && smc_bits(in, 62, 2) != 0))
        return false;
    double value = rounded_float(source(in, from, 1), rounding_of(in));
    double most = width == WIDTH_32 ? 0x1p32 : 0x1p64, least = 0;
    if (is_signed) {
        most /= 2;
        least = -most;
    }
    uint64_t integer;
    if (isnan(value))
        integer = 0;
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
                              const struct smc_float_operands *from,
                              struct smc_float_result *result)
{
    bool inverts = in->from[1].kind != SMC_OPERAND_IMMEDIATE && smc_bit(in, 63);
    uint32_t bits = inverts ? ~from->low[1] : from->low[1];
    if (in->operation == SMC_OP_POPC)
        result->low = (uint32_t)__builtin_popcount(bits);
    else
        result->low = highest_bit(in, bits);
    return in->to_predicate[0] == SMC_TRUE_PREDICATE;
}

bool smc_float_evaluate(const struct smc_sass_instruction *in,
                        const struct smc_float_operands *from, struct smc_float_result *result)
{
    *result = (struct smc_float_result){0};
    switch (in->operation) {
    case SMC_OP_FADD:
    case SMC_OP_FMUL:
    case SMC_OP_FFMA:
        return arithmetic(in, from, result);
    case SMC_OP_FMNMX:
        return minimum(in, from, result);
    case SMC_OP_FSETP:
        return compare(in, from, result);
    case SMC_OP_MUFU:
        return floats_special(in, from, result);
    case SMC_OP_I2F:
    case SMC_OP_I2F_64:
    case SMC_OP_I2FP:
        return to_float(in, from, result);
    case SMC_OP_F2I:
    case SMC_OP_F2I_64:
        return to_integer(in, from, result);
    case SMC_OP_FLO:
    case SMC_OP_POPC:
        return floats_count_bits(in, from, result);
    case SMC_OP_BREV:
        result->low = reversed(from->low[1]);
        return true;
    default:
        return false;
    }
}
