/* What floating-point instructions, comparisons and conversions give: computed exactly, then
   rounded once. */
#include "exact.h"

static const struct {
    const char *name, *whole;
} modes[] = {[NEAREST] = {"rn", "rni"},
             [ZERO] = {"rz", "rzi"},
             [DOWN] = {"rm", "rmi"},
             [UP] = {"rp", "rpi"}};

static enum rounding rounding_of(const struct ptx_case *test, bool *whole)
{
    for (int i = NEAREST; i <= UP; i++) {
        *whole = ptx_has(test, modes[i].whole);
        if (*whole || ptx_has(test, modes[i].name))
            return (enum rounding)i;
    }
    return NEAREST;
}

static bool is_float(struct ptx_type type)
{
    return type.class == 'f' || type.class == 'x';
}

/* .ftz: a subnormal number of single precision counts as 0. */
static uint64_t flushed(const struct ptx_case *test, struct ptx_type type, uint64_t bits)
{
    bool subnormal = is_float(type) && type.bits == 32 && !(bits & 0x7f800000);
    return subnormal && ptx_has(test, "ftz") ? bits & 0x80000000 : bits;
}

static uint64_t saturated(const struct ptx_case *test, uint64_t bits)
{
    struct number x = number_of(test->to, bits);
    uint64_t one = exact_round(&(struct exact){.limb[EXACT_POINT / 64] = 1}, test->to, NEAREST);
    if (!ptx_has(test, "sat"))
        return bits;
    return x.kind == NOT_A_NUMBER || x.negative ? 0 : bits > one ? one : bits;
}

static uint64_t finish(const struct ptx_case *test, uint64_t bits)
{
    return saturated(test, flushed(test, test->to, bits));
}

static uint64_t rounded(const struct ptx_case *test, const struct exact *x)
{
    bool whole;
    return finish(test, exact_round(x, test->to, rounding_of(test, &whole)));
}

static struct number read(const struct ptx_case *test, uint64_t bits)
{
    return number_of(test->to, flushed(test, test->to, bits));
}

static struct exact exact_of(const struct number *x)
{
    return exact_place(x->negative, x->significand, x->exponent);
}

/* --- Arithmetic ------------------------------------------------------------------------------- */

/* x + y, either of which may be infinite. A sum of 0 has the sign of both, else that of rounding.
 */
static uint64_t added(const struct ptx_case *test, struct number x, const struct exact *exact_x,
                      struct number y)
{
    bool whole;
    if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER ||
        (x.kind == INFINITE && y.kind == INFINITE && x.negative != y.negative))
        return finish(test, bits_of_nan(test->to));
    if (x.kind == INFINITE || y.kind == INFINITE)
        return finish(test,
                      bits_of_infinity(test->to, x.kind == INFINITE ? x.negative : y.negative));
    struct exact exact_y = exact_of(&y), sum = exact_sum(exact_x, &exact_y);
    if (exact_is_zero(&sum))
        sum.negative = x.negative == y.negative ? x.negative : rounding_of(test, &whole) == DOWN;
    return rounded(test, &sum);
}

uint64_t ptx_fadd(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct number x = read(test, a), y = read(test, b);
    struct exact exact_x = exact_of(&x);
    (void)c;
    return added(test, x, &exact_x, y);
}

uint64_t ptx_fsub(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return ptx_fadd(test, a, b ^ bits_of_zero(test->to, true), c);
}

/* The product as far as its kind goes; finite ones in `exact`. */
static struct number multiplied(struct number x, struct number y, struct exact *exact)
{
    struct number out = {.kind = FINITE, .negative = x.negative != y.negative};
    bool infinite = x.kind == INFINITE || y.kind == INFINITE;
    bool zero = (x.kind == FINITE && !x.significand) || (y.kind == FINITE && !y.significand);
    *exact = (struct exact){.negative = out.negative};
    if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER || (infinite && zero))
        out.kind = NOT_A_NUMBER;
    else if (infinite)
        out.kind = INFINITE;
    else
        *exact = exact_place(out.negative, (uint128)x.significand * y.significand,
                             x.exponent + y.exponent);
    return out;
}

uint64_t ptx_fmul(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct exact exact;
    struct number out = multiplied(read(test, a), read(test, b), &exact);
    (void)c;
    if (out.kind == NOT_A_NUMBER)
        return finish(test, bits_of_nan(test->to));
    if (out.kind == INFINITE)
        return finish(test, bits_of_infinity(test->to, out.negative));
    return rounded(test, &exact);
}

uint64_t ptx_ffma(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct exact exact;
    struct number x = multiplied(read(test, a), read(test, b), &exact);
    return added(test, x, &exact, read(test, c));
}

/* The leading one moved to bit 63. */
static void normalise(struct number *x)
{
    for (; !(x->significand >> 63); x->exponent--)
        x->significand <<= 1;
}

/* Bits beyond the quotient's last one are told by one bit more, which is set where any is. */
static uint64_t quotient(const struct ptx_case *test, struct number x, struct number y)
{
    bool negative = x.negative != y.negative;
    bool x_zero = x.kind == FINITE && !x.significand, y_zero = y.kind == FINITE && !y.significand;
    if (x.kind == NOT_A_NUMBER || y.kind == NOT_A_NUMBER || (x_zero && y_zero) ||
        (x.kind == INFINITE && y.kind == INFINITE))
        return finish(test, bits_of_nan(test->to));
    if (x.kind == INFINITE || y_zero)
        return finish(test, bits_of_infinity(test->to, negative));
    if (y.kind == INFINITE || x_zero)
        return finish(test, bits_of_zero(test->to, negative));
    normalise(&x);
    normalise(&y);
    uint128 dividend = (uint128)x.significand << 64, out = dividend / y.significand;
    struct exact exact = exact_place(negative, out << 1 | (dividend % y.significand != 0),
                                     x.exponent - y.exponent - 65);
    return rounded(test, &exact);
}

uint64_t ptx_fdiv(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)c;
    return quotient(test, read(test, a), read(test, b));
}

uint64_t ptx_frcp(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    return quotient(test, (struct number){.significand = 1}, read(test, a));
}

uint64_t ptx_fsqrt(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct number x = read(test, a);
    (void)b, (void)c;
    if (x.kind == FINITE && !x.significand)
        return finish(test, bits_of_zero(test->to, x.negative));
    if (x.kind == NOT_A_NUMBER || x.negative)
        return finish(test, bits_of_nan(test->to));
    if (x.kind == INFINITE)
        return finish(test, bits_of_infinity(test->to, false));
    normalise(&x);
    unsigned shift = 62 + ((unsigned)x.exponent & 1); /* an even exponent is left */
    uint128 square = (uint128)x.significand << shift, root = 0;
    for (uint128 one = (uint128)1 << 63; one; one >>= 1)
        if ((root | one) * (root | one) <= square)
            root |= one;
    struct exact exact =
        exact_place(false, root << 1 | (root * root != square), (x.exponent - (int)shift) / 2 - 1);
    return rounded(test, &exact);
}

/* --- Order ------------------------------------------------------------------------------------ */

/* Floats in the order of integers, both zeros at 0. */
static __int128 place_of(struct ptx_type type, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (type.bits - 1);
    if (is_float(type))
        return bits & sign ? -(__int128)(bits - sign) : (__int128)bits;
    return type.class == 's' && bits & sign ? (__int128)bits - 2 * (__int128)sign : (__int128)bits;
}

/* -1, 0, 1; 2: unordered. */
static int order_of(const struct ptx_case *test, uint64_t a, uint64_t b)
{
    struct ptx_type type = test->from;
    if (ptx_is_nan(type, a) || ptx_is_nan(type, b))
        return 2;
    __int128 x = place_of(type, flushed(test, type, a)), y = place_of(type, flushed(test, type, b));
    return x < y ? -1 : x > y;
}

static bool holds(const struct ptx_case *test, uint64_t a, uint64_t b)
{
    /* For each: whether it holds of less, equal, greater, unordered. */
    static const struct {
        const char *name, *of;
    } names[] = {{"eq", "nynn"},  {"ne", "ynyn"},  {"lt", "ynnn"},  {"le", "yynn"},
                 {"gt", "nnyn"},  {"ge", "nyyn"},  {"lo", "ynnn"},  {"ls", "yynn"},
                 {"hi", "nnyn"},  {"hs", "nyyn"},  {"equ", "nyny"}, {"neu", "ynyy"},
                 {"ltu", "ynny"}, {"leu", "yyny"}, {"gtu", "nnyy"}, {"geu", "nyyy"},
                 {"num", "yyyn"}, {"nan", "nnny"}};
    int order = order_of(test, a, b);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_has(test, names[i].name))
            return names[i].of[order + 1] == 'y';
    return false;
}

static uint64_t combined(const struct ptx_case *test, bool first, uint64_t c)
{
    return ptx_has(test, "and")   ? first && c
           : ptx_has(test, "or")  ? first || c
           : ptx_has(test, "xor") ? first != (c != 0)
                                  : first;
}

uint64_t ptx_compare(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return combined(test, holds(test, a, b), c);
}

uint64_t ptx_compare_other(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return combined(test, !holds(test, a, b), c);
}

uint64_t ptx_set(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t yes = is_float(test->to) ? 0x3f800000 : 0xffffffff;
    return combined(test, holds(test, a, b), c) ? yes : 0;
}

uint64_t ptx_class(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct number x = number_of(test->to, a);
    uint64_t hidden = test->to.bits == 32 ? UINT64_C(1) << 23 : UINT64_C(1) << 52;
    (void)b, (void)c;
    if (ptx_has(test, "finite"))
        return x.kind == FINITE;
    if (ptx_has(test, "infinite"))
        return x.kind == INFINITE;
    if (ptx_has(test, "number"))
        return x.kind != NOT_A_NUMBER;
    if (ptx_has(test, "notanumber"))
        return x.kind == NOT_A_NUMBER;
    if (ptx_has(test, "normal")) /* zeros are, by PTX's definition */
        return x.kind == FINITE && (x.significand >= hidden || !x.significand);
    return x.kind == FINITE && x.significand && x.significand < hidden;
}

uint64_t ptx_fextreme(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t x = flushed(test, test->to, a), y = flushed(test, test->to, b);
    bool x_nan = ptx_is_nan(test->to, x), y_nan = ptx_is_nan(test->to, y);
    (void)c;
    if ((x_nan && y_nan) || (ptx_has(test, "NaN") && (x_nan || y_nan)))
        return bits_of_nan(test->to);
    if (x_nan || y_nan)
        return x_nan ? y : x;
    /* -0 lies below +0 */
    bool x_less =
        place_of(test->to, x) < place_of(test->to, y) ||
        (place_of(test->to, x) == place_of(test->to, y) && number_of(test->to, x).negative);
    return x_less == ptx_is(test, "min") ? x : y;
}

uint64_t ptx_fsign(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t sign = bits_of_zero(test->to, true), x = flushed(test, test->to, a);
    (void)b, (void)c;
    return ptx_is(test, "abs") ? x & ~sign : x ^ sign;
}

/* a's sign, b's rest. */
uint64_t ptx_fcopysign(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t sign = bits_of_zero(test->to, true);
    (void)c;
    return (a & sign) | (b & ~sign);
}

/* --- cvt -------------------------------------------------------------------------------------- */

static uint64_t mask_of(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A magnitude with its sign, brought into the range of an integer type; in a register that is
   wider it is extended as the type has a sign or not. */
static uint64_t integer(const struct ptx_case *test, bool negative, uint64_t magnitude, bool clamps)
{
    bool is_signed = test->to.class == 's';
    uint64_t most = mask_of(test->to.bits - is_signed), least = is_signed ? most + 1 : 0;
    uint64_t room = test->to.bits == 8 ? 0xffff : mask_of(test->to.bits);
    if (clamps && magnitude > (negative ? least : most))
        magnitude = negative ? least : most;
    uint64_t bits = (negative ? 0 - magnitude : magnitude) & mask_of(test->to.bits);
    if (is_signed && bits >> (test->to.bits - 1))
        bits |= ~mask_of(test->to.bits);
    return bits & room;
}

/* PTX ISA, cvt: 0, but with 64 bits on either side the topmost bit. */
static uint64_t integer_of_nan(const struct ptx_case *test)
{
    bool wide = test->to.bits == 64 || (test->from.class == 'f' && test->from.bits == 64);
    return wide ? integer(test, true, UINT64_C(1) << (test->to.bits - 1), false) : 0;
}

static uint64_t integer_of_float(const struct ptx_case *test, struct number x)
{
    bool whole;
    uint64_t magnitude;
    if (x.kind == NOT_A_NUMBER)
        return integer_of_nan(test);
    struct exact exact = exact_of(&x);
    if (x.kind == INFINITE ||
        !exact_round_to_integer(&exact, rounding_of(test, &whole), &magnitude))
        magnitude = UINT64_MAX;
    return integer(test, x.negative, magnitude, true);
}

static uint64_t float_of_float(const struct ptx_case *test, struct number x)
{
    bool whole;
    enum rounding rounding = rounding_of(test, &whole);
    if (x.kind == NOT_A_NUMBER)
        return finish(test, bits_of_nan(test->to));
    if (x.kind == INFINITE)
        return finish(test, bits_of_infinity(test->to, x.negative));
    struct exact exact = exact_of(&x);
    uint64_t magnitude;
    if (whole && exact_round_to_integer(&exact, rounding, &magnitude))
        exact = exact_place(x.negative, magnitude, 0);
    return rounded(test, &exact);
}

uint64_t ptx_convert(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    if (is_float(test->from)) {
        struct number x = number_of(test->from, flushed(test, test->from, a));
        return is_float(test->to) ? float_of_float(test, x) : integer_of_float(test, x);
    }
    uint64_t value = a & mask_of(test->from.bits);
    bool negative = test->from.class == 's' && value >> (test->from.bits - 1);
    uint64_t magnitude = (negative ? 0 - value : value) & mask_of(test->from.bits);
    if (!is_float(test->to))
        return integer(test, negative, magnitude, ptx_has(test, "sat"));
    struct exact exact = exact_place(negative, magnitude, 0);
    return rounded(test, &exact);
}
