/* What floating-point instructions, comparisons and conversions give: computed exactly, then
   rounded once. */
#include <math.h>
#include <string.h>

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

/* .ftz: a subnormal number of single precision or less counts as 0; cvt only means the former. */
static uint64_t flushed(const struct ptx_case *test, struct ptx_type type, uint64_t bits)
{
    if (!is_float(type) || type.bits == 64 || !ptx_has(test, "ftz") ||
        (type.bits == 16 && ptx_is(test, "cvt")))
        return bits;
    bool subnormal = !(bits & bits_of_infinity(type, false));
    return subnormal ? bits & bits_of_zero(type, true) : bits;
}

/* .relu: not below 0. */
static uint64_t rectified(const struct ptx_case *test, uint64_t bits)
{
    if (!ptx_has(test, "relu") || ptx_is_nan(test->to, bits))
        return bits;
    return number_of(test->to, bits).negative ? 0 : bits;
}

static uint64_t saturated(const struct ptx_case *test, uint64_t bits)
{
    if (!ptx_has(test, "sat"))
        return bits;
    struct number x = number_of(test->to, bits);
    uint64_t one = exact_round(&(struct exact){.limb[EXACT_POINT / 64] = 1}, test->to, NEAREST);
    return x.kind == NOT_A_NUMBER || x.negative ? 0 : bits > one ? one : bits;
}

static uint64_t finish(const struct ptx_case *test, uint64_t bits)
{
    if (ptx_has(test, "satfinite") && number_of(test->to, bits).kind == INFINITE)
        bits--;
    return rectified(test, saturated(test, flushed(test, test->to, bits)));
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
    uint64_t one = exact_round(&(struct exact){.limb[EXACT_POINT / 64] = 1}, test->to, NEAREST);
    uint64_t yes = is_float(test->to) ? one : test->to.bits == 16 ? 0xffff : 0xffffffff;
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
    if (ptx_has(test, "xorsign")) {
        struct ptx_case of_sizes = *test;
        uint64_t sign = bits_of_zero(test->to, true);
        of_sizes.mnemonic = ptx_is(test, "min")    ? ptx_has(test, "NaN") ? "min.NaN" : "min"
                            : ptx_has(test, "NaN") ? "max.NaN"
                                                   : "max";
        uint64_t size = ptx_fextreme(&of_sizes, x & ~sign, y & ~sign, c);
        return ptx_is_nan(test->to, size) ? size : size | ((x ^ y) & sign);
    }
    if ((x_nan && y_nan) || (ptx_has(test, "NaN") && (x_nan || y_nan)))
        return bits_of_nan(test->to);
    if (x_nan || y_nan)
        return rectified(test, x_nan ? y : x);
    /* -0 lies below +0 */
    bool x_less =
        place_of(test->to, x) < place_of(test->to, y) ||
        (place_of(test->to, x) == place_of(test->to, y) && number_of(test->to, x).negative);
    return rectified(test, x_less == ptx_is(test, "min") ? x : y);
}

uint64_t ptx_fsign(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t sign = bits_of_zero(test->to, true), x = flushed(test, test->to, a);
    (void)b, (void)c;
    if (test->to.bits == 16 && ptx_is_nan(test->to, x)) /* an addition there */
        return bits_of_nan(test->to);
    return ptx_is(test, "abs") ? x & ~sign : x ^ sign;
}

/* Of three: the first two, then their result and the third. */
uint64_t ptx_fextreme_of_three(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return ptx_fextreme(test, ptx_fextreme(test, a, b, 0), c, 0);
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

/* --- Pairs ------------------------------------------------------------------------------------ */

/* The type of an element of the n-th type of the mnemonic. */
static struct ptx_type element_of(const struct ptx_case *test)
{
    if (ptx_has(test, "f32x2"))
        return (struct ptx_type){'f', 32};
    return (struct ptx_type){ptx_has(test, "bf16x2") ? 'x' : 'f', 16};
}

static uint64_t of_elements(const struct ptx_case *test, ptx_reference *reference, uint64_t a,
                            uint64_t b, uint64_t c)
{
    struct ptx_case single = *test;
    single.to = single.from = element_of(test);
    const unsigned bits = single.to.bits;
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t low = reference(&single, a & mask, b & mask, c & mask);
    uint64_t high = reference(&single, a >> bits & mask, b >> bits & mask, c >> bits & mask);
    return low | high << bits;
}

#define OF_ELEMENTS(name)                                                                          \
    uint64_t ptx_##name##_pair(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)    \
    {                                                                                              \
        return of_elements(test, ptx_##name, a, b, c);                                             \
    }
OF_ELEMENTS(fadd)
OF_ELEMENTS(fsub)
OF_ELEMENTS(fmul)
OF_ELEMENTS(ffma)
OF_ELEMENTS(fextreme)
OF_ELEMENTS(fsign)
OF_ELEMENTS(function)

/* Of setp's two predicates: the comparison of the lower and of the upper halves. */
uint64_t ptx_compare_low(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct ptx_case single = *test;
    single.to = single.from = element_of(test);
    return ptx_compare(&single, a & 0xffff, b & 0xffff, c);
}

uint64_t ptx_compare_high(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return ptx_compare_low(test, a >> 16, b >> 16, c);
}

uint64_t ptx_set_pair(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    bool integers = ptx_has(test, "u32") || ptx_has(test, "s32");
    uint64_t yes = integers ? 0xffff : ptx_has(test, "bf16x2") ? 0x3f80 : 0x3c00;
    return (ptx_compare_low(test, a, b, c) ? yes : 0) |
           (ptx_compare_high(test, a, b, c) ? yes << 16 : 0);
}

/* add.f32.f16: the product or sum of what the halves are worth, in single precision. */
static uint64_t widened(const struct ptx_case *test, uint64_t bits)
{
    struct ptx_case single = {.mnemonic = "cvt", .to = {'f', 32}, .from = test->from};
    return ptx_convert(&single, bits, 0, 0);
}

uint64_t ptx_fadd_mixed(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return (ptx_is(test, "sub") ? ptx_fsub : ptx_fadd)(test, widened(test, a), b, c);
}

uint64_t ptx_ffma_mixed(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    return ptx_ffma(test, widened(test, a), widened(test, b), c);
}

uint64_t ptx_convert_pair(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct ptx_case single = *test;
    single.to = element_of(test);
    single.from = (struct ptx_type){'f', 32};
    return ptx_convert(&single, b, 0, c) | ptx_convert(&single, a, 0, c) << 16;
}

/* --- ex2 and tanh of halves: 21 bits of the true value, cut off ------------------------------- */

uint64_t ptx_function(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct number x = read(test, a);
    (void)b, (void)c;
    if (x.kind == NOT_A_NUMBER)
        return finish(test, bits_of_nan(test->to));
    long double value = ldexpl((long double)x.significand, x.exponent);
    value = x.kind == INFINITE ? HUGE_VALL : value;
    value = x.negative ? -value : value;
    value = ptx_is(test, "ex2") ? exp2l(value) : tanhl(value);
    bool negative = signbit(value);
    long double size = fabsl(value);
    if (size > 0x1p1000L)
        return finish(test, bits_of_infinity(test->to, negative));
    if (size < 0x1p-1000L)
        return finish(test, bits_of_zero(test->to, negative));
    int exponent;
    long double fraction = frexpl(size, &exponent);
    const int digits = test->to.class == 'x' ? 8 : 11;
    uint64_t kept = (uint64_t)(ldexpl(fraction, 21) + 0.5L) >> (21 - digits);
    struct exact exact = exact_place(negative, kept, exponent - digits);
    return rounded(test, &exact);
}

/* --- Formats of 8 bits: the nearest of all their numbers -------------------------------------- */

static double of_byte(bool e4m3, unsigned code)
{
    unsigned fraction_bits = e4m3 ? 3 : 2, field = code >> fraction_bits;
    double fraction = code & ((1u << fraction_bits) - 1);
    int bias = e4m3 ? 7 : 15;
    if (field == 0)
        return ldexp(fraction, 1 - bias - (int)fraction_bits);
    return ldexp(fraction + (1u << fraction_bits), (int)field - bias - (int)fraction_bits);
}

static uint64_t to_byte(const struct ptx_case *test, double x)
{
    bool e4m3 = ptx_has(test, "e4m3x2");
    unsigned last = e4m3 ? 0x7e : 0x7b, best = 0;
    if (isnan(x))
        return 0x7f;
    if (signbit(x) && ptx_has(test, "relu"))
        return 0;
    double size = fmin(fabs(x), of_byte(e4m3, last));
    for (unsigned code = 1; code <= last; code++) {
        double off = fabs(of_byte(e4m3, code) - size), kept = fabs(of_byte(e4m3, best) - size);
        if (off < kept || (off == kept && code % 2 == 0))
            best = code;
    }
    return best | (signbit(x) ? 0x80 : 0);
}

/* A finite float of up to 32 bits in double precision. */
static double as_double(struct ptx_type type, uint64_t bits)
{
    struct number x = number_of(type, bits);
    double value = x.kind == NOT_A_NUMBER ? NAN
                   : x.kind == INFINITE   ? HUGE_VAL
                                          : ldexp((double)x.significand, x.exponent);
    return x.negative ? -value : value;
}

uint64_t ptx_to_bytes(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct ptx_type single = {'f', 32}, half = {'f', 16};
    (void)c;
    if (ptx_has(test, "f16x2"))
        return to_byte(test, as_double(half, a & 0xffff)) | to_byte(test, as_double(half, a >> 16))
                                                                << 8;
    return to_byte(test, as_double(single, b)) | to_byte(test, as_double(single, a)) << 8;
}

static uint64_t half_of_byte(const struct ptx_case *test, unsigned code)
{
    bool e4m3 = ptx_has(test, "e4m3x2");
    if ((code & 0x7f) > (e4m3 ? 0x7e : 0x7c))
        return 0x7fff;
    if (code >> 7 && ptx_has(test, "relu"))
        return 0;
    uint64_t sign = (code & 0x80) << 8;
    if (!e4m3) /* the upper half of half precision */
        return sign | (code & 0x7f) << 8;
    double value = of_byte(true, code & 0x7f);
    struct exact exact = exact_place(false, (uint64_t)ldexp(value, 20), -20);
    return sign | exact_round(&exact, (struct ptx_type){'f', 16}, ZERO);
}

uint64_t ptx_of_bytes(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)b, (void)c;
    return half_of_byte(test, a & 255) | half_of_byte(test, a >> 8 & 255) << 16;
}

/* tf32: 10 bits of fraction, kept at the top of 32. */
uint64_t ptx_to_tf32(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    struct ptx_type single = {'f', 32};
    int exponent;
    (void)b, (void)c;
    if (ptx_is_nan(single, a))
        return 0x7fffffff;
    double x = as_double(single, a);
    if (signbit(x) && ptx_has(test, "relu"))
        return 0;
    if (!isinf(x)) {
        frexp(x, &exponent);
        int unit = exponent - 11 > -136 ? exponent - 11 : -136;
        double steps = ldexp(x, -unit);
        steps = ptx_has(test, "rna")  ? round(steps)
                : ptx_has(test, "rz") ? trunc(steps)
                                      : nearbyint(steps);
        x = ldexp(steps, unit);
    }
    if (fabs(x) > 0x1.ffcp127)
        x = ptx_has(test, "satfinite") ? copysign(0x1.ffcp127, x) : copysign(HUGE_VAL, x);
    float out = (float)x;
    uint32_t bits;
    memcpy(&bits, &out, sizeof bits);
    return bits;
}
