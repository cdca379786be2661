/* Exact numbers, bit by bit. */
#include "exact.h"

struct format {
    unsigned fraction; /* bits */
    int least, most;   /* exponents of normal numbers */
};

static struct format format_of(struct ptx_type type)
{
    if (type.class == 'x')
        return (struct format){7, -126, 127};
    if (type.bits == 8) /* e4m3, e5m2: but for what is not finite */
        return type.class == 'e' ? (struct format){3, -6, 8} : (struct format){2, -14, 15};
    return type.bits == 16   ? (struct format){10, -14, 15}
           : type.bits == 32 ? (struct format){23, -126, 127}
                             : (struct format){52, -1022, 1023};
}

struct number number_of(struct ptx_type type, uint64_t bits)
{
    struct format format = format_of(type);
    uint64_t fraction = bits & ((UINT64_C(1) << format.fraction) - 1);
    uint64_t sign = UINT64_C(1) << (type.bits - 1);
    int field = (int)((bits & (sign - 1)) >> format.fraction);
    struct number number = {.negative = (bits & sign) != 0, .significand = fraction};
    if (field == format.most - format.least + 2) {
        number.kind = fraction ? NOT_A_NUMBER : INFINITE;
        return number;
    }
    if (field > 0)
        number.significand |= UINT64_C(1) << format.fraction;
    number.exponent = (field ? field - 1 : 0) + format.least - (int)format.fraction;
    return number;
}

uint64_t bits_of_zero(struct ptx_type type, bool negative)
{
    return (uint64_t)negative << (type.bits - 1);
}

uint64_t bits_of_infinity(struct ptx_type type, bool negative)
{
    struct format format = format_of(type);
    return bits_of_zero(type, negative) | (uint64_t)(format.most - format.least + 2)
                                              << format.fraction;
}

uint64_t bits_of_nan(struct ptx_type type)
{
    return bits_of_zero(type, true) - 1;
}

static bool bit(const struct exact *x, int i)
{
    return i >= 0 && i < EXACT_BITS && x->limb[i / 64] >> (i % 64) & 1;
}

struct exact exact_place(bool negative, uint128 value, int exponent)
{
    struct exact x = {.negative = negative};
    int shift = (exponent + EXACT_POINT) % 64;
    for (int i = (exponent + EXACT_POINT) / 64; value; i++) {
        x.limb[i] = (uint64_t)(value << shift);
        value >>= 64 - shift;
        shift = 0;
    }
    return x;
}

bool exact_is_zero(const struct exact *x)
{
    uint64_t any = 0;
    for (int i = 0; i < EXACT_LIMBS; i++)
        any |= x->limb[i];
    return any == 0;
}

static bool is_smaller(const struct exact *x, const struct exact *y)
{
    for (int i = EXACT_LIMBS; i-- > 0;)
        if (x->limb[i] != y->limb[i])
            return x->limb[i] < y->limb[i];
    return false;
}

struct exact exact_sum(const struct exact *x, const struct exact *y)
{
    bool subtract = x->negative != y->negative;
    const struct exact *great = subtract && is_smaller(x, y) ? y : x, *small = great == x ? y : x;
    struct exact sum = {.negative = great->negative};
    uint64_t carry = 0;
    for (int i = 0; i < EXACT_LIMBS; i++) {
        uint128 both = subtract ? (uint128)great->limb[i] - small->limb[i] - carry
                                : (uint128)great->limb[i] + small->limb[i] + carry;
        sum.limb[i] = (uint64_t)both;
        carry = both >> 64 & 1;
    }
    return sum;
}

/* Whether the bits below `place` round what is above them up, in magnitude. */
static bool rounds_up(const struct exact *x, int place, enum rounding rounding)
{
    bool half = bit(x, place - 1), rest = false;
    int below = place - 1; /* bits */
    for (int i = 0; i < below / 64; i++)
        rest |= x->limb[i] != 0;
    for (int i = below / 64 * 64; i < below; i++)
        rest |= bit(x, i);
    switch (rounding) {
    case NEAREST:
        return half && (rest || bit(x, place));
    case DOWN:
        return x->negative && (half || rest);
    case UP:
        return !x->negative && (half || rest);
    default:
        return false;
    }
}

static int top_of(const struct exact *x)
{
    int i = EXACT_LIMBS - 1;
    while (i > 0 && !x->limb[i])
        i--;
    for (i = i * 64 + 63; i > 0 && !bit(x, i);)
        i--;
    return i;
}

uint64_t exact_round(const struct exact *x, struct ptx_type type, enum rounding rounding)
{
    struct format format = format_of(type);
    if (exact_is_zero(x))
        return bits_of_zero(type, x->negative);
    int exponent = top_of(x) - EXACT_POINT;
    exponent = exponent < format.least ? format.least : exponent;
    int place = exponent - (int)format.fraction + EXACT_POINT;
    uint64_t significand = 0;
    for (int i = (int)format.fraction; i >= 0; i--)
        significand = significand << 1 | bit(x, place + i);
    significand += rounds_up(x, place, rounding);
    /* A carry moves on into the exponent; a subnormal has the field 0. */
    uint64_t bits = ((uint64_t)(exponent - format.least) << format.fraction) + significand;
    uint64_t infinity = bits_of_infinity(type, false);
    if (bits >= infinity) {
        bool stays = rounding == ZERO || (rounding == DOWN && !x->negative) ||
                     (rounding == UP && x->negative);
        bits = stays ? infinity - 1 : infinity;
    }
    return bits | bits_of_zero(type, x->negative);
}

bool exact_round_to_integer(const struct exact *x, enum rounding rounding, uint64_t *magnitude)
{
    bool up = rounds_up(x, EXACT_POINT, rounding);
    bool fits = top_of(x) < EXACT_POINT + 64;
    *magnitude = x->limb[EXACT_POINT / 64] + up;
    return fits && (*magnitude || !up);
}
