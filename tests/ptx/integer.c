/* What integer, logical and choosing instructions give, bit by bit: addition as a row of adders,
   multiplication and division by shifting, comparison from the top. */
#include "cases.h"

typedef unsigned __int128 wide; /* two's complement of 128 bits */

static wide ones(unsigned count)
{
    return count >= 128 ? ~(wide)0 : ((wide)1 << count) - 1;
}

static bool bit(wide x, unsigned i)
{
    return x >> i & 1;
}

static bool is_signed(const struct ptx_case *test)
{
    return test->to.class == 's';
}

/* As the type reads it. */
static wide widened(struct ptx_type type, uint64_t bits)
{
    bool negative = type.class == 's' && bit(bits, type.bits - 1);
    return (bits & ones(type.bits)) | (negative ? ~ones(type.bits) : 0);
}

static wide sum(wide x, wide y, bool carry)
{
    wide out = 0;
    for (unsigned i = 0; i < 128; i++) {
        bool a = bit(x, i), b = bit(y, i);
        out |= (wide)(a ^ b ^ carry) << i;
        carry = (a && b) || (carry && (a || b));
    }
    return out;
}

static wide negated(wide x)
{
    return sum(~x, 0, true);
}

static bool is_negative(wide x)
{
    return bit(x, 127);
}

static wide magnitude(wide x)
{
    return is_negative(x) ? negated(x) : x;
}

static bool is_less(wide x, wide y)
{
    if (is_negative(x) != is_negative(y))
        return is_negative(x);
    for (unsigned i = 128; i-- > 0;)
        if (bit(x, i) != bit(y, i))
            return bit(y, i);
    return false;
}

static wide product(wide x, wide y)
{
    wide out = 0;
    for (unsigned i = 0; i < 128; i++)
        out += bit(y, i) ? x << i : 0;
    return out;
}

static wide quotient(wide x, wide y, wide *rest)
{
    wide out = 0, left = 0;
    for (unsigned i = 128; i-- > 0;) {
        left = left << 1 | bit(x, i);
        if (!is_less(left, y)) {
            left = sum(left, ~y, true);
            out |= (wide)1 << i;
        }
    }
    *rest = left;
    return out;
}

/* Cut to the type, or to its nearest value. */
static uint64_t result(const struct ptx_case *test, wide x)
{
    wide most = ones(test->to.bits - is_signed(test)), least = is_signed(test) ? ~most : 0;
    if (ptx_has(test, "sat"))
        x = is_less(x, least) ? least : is_less(most, x) ? most : x;
    return (uint64_t)(x & ones(test->to.bits));
}

#define A widened(test->to, a)
#define B widened(test->to, b)
#define C widened(test->to, c)
#define REFERENCE(name, expression)                                                                \
    uint64_t ptx_##name(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)           \
    {                                                                                              \
        (void)test, (void)a, (void)b, (void)c;                                                     \
        return (uint64_t)(expression);                                                             \
    }

/* The half of a product that .hi takes. */
static wide high(const struct ptx_case *test, wide x)
{
    wide upper = x >> test->to.bits & ones(test->to.bits);
    return widened(test->to, (uint64_t)upper);
}

REFERENCE(add, result(test, sum(A, B, false)))
REFERENCE(sub, result(test, sum(A, ~B, true)))
REFERENCE(mul_low, result(test, product(A, B)))
REFERENCE(mul_high, result(test, high(test, product(A, B))))
REFERENCE(mad_low, result(test, sum(product(A, B), C, false)))
REFERENCE(mad_high, result(test, sum(high(test, product(A, B)), C, false)))
REFERENCE(mul_wide, (uint64_t)(product(A, B) & ones(2 * test->to.bits)))
REFERENCE(mad_wide, (uint64_t)(sum(product(A, B), c, false) & ones(2 * test->to.bits)))
REFERENCE(min, result(test, is_less(B, A) ? B : A))
REFERENCE(max, result(test, is_less(A, B) ? B : A))
REFERENCE(abs, result(test, magnitude(A)))
REFERENCE(neg, result(test, negated(A)))
REFERENCE(sad, result(test, sum(magnitude(sum(A, ~B, true)), C, false)))

/* By zero: PTX leaves it open; GPUs give all bits set, and the dividend as the rest. */
static uint64_t divided(const struct ptx_case *test, wide x, wide y, bool wants_rest)
{
    if (y == 0)
        return result(test, ones(128));
    wide rest, out = quotient(magnitude(x), magnitude(y), &rest);
    if (is_negative(x) != is_negative(y))
        out = negated(out);
    return result(test, !wants_rest ? out : is_negative(x) ? negated(rest) : rest);
}
REFERENCE(div, divided(test, A, B, false))
REFERENCE(rem, divided(test, A, B, true))

uint64_t ptx_dp4a(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    const struct ptx_type first = {test->to.class, 8}, second = {test->from.class, 8};
    wide out = c;
    for (unsigned i = 0; i < 32; i += 8)
        out += product(widened(first, a >> i), widened(second, b >> i));
    return (uint64_t)(out & ones(32));
}

/* --- Carries: c + carry of a + b; or with a's sum in between ---------------------------------- */

static wide carry_of(const struct ptx_case *test, wide x)
{
    return x >> test->to.bits & 1;
}
REFERENCE(carry_add, result(test, sum(c, carry_of(test, sum(A, B, false)), false)))
REFERENCE(borrow_sub, result(test, sum(c, negated(is_less(A, B)), false)))

uint64_t ptx_carry_chain(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    wide low = sum(A, B, false), middle = sum(sum(C, A, false), carry_of(test, low), false);
    wide cut = sum(middle & ones(test->to.bits), low & ones(test->to.bits), false);
    return result(test, sum(cut, carry_of(test, middle), false));
}

uint64_t ptx_borrow_chain(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    wide low = sum(A, ~B, true);
    wide middle = sum(sum(C, ~A, true), negated(is_negative(low)), false);
    wide out = sum(middle, ~low, true);
    return result(test, sum(out, negated(is_negative(middle)), false));
}

/* --- Bits ------------------------------------------------------------------------------------- */

uint64_t ptx_logic(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    (void)c;
    if (ptx_is(test, "cnot"))
        return a == 0;
    for (unsigned i = 0; i < test->to.bits; i++) {
        unsigned count = (unsigned)bit(a, i) + (unsigned)bit(b, i);
        bool holds = ptx_is(test, "and")   ? count == 2
                     : ptx_is(test, "or")  ? count > 0
                     : ptx_is(test, "xor") ? count == 1
                                           : !bit(a, i);
        out |= (uint64_t)holds << i;
    }
    return out;
}

/* Bit i of a, as shr sees it: beyond the top is the sign, or 0. */
static bool bit_or_sign(struct ptx_type type, uint64_t a, uint64_t i)
{
    return i < type.bits ? bit(a, (unsigned)i) : type.class == 's' && bit(a, type.bits - 1);
}

uint64_t ptx_shift(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    (void)c;
    for (uint64_t i = 0; i < test->to.bits; i++)
        out |= (uint64_t)(ptx_is(test, "shl") ? i >= b && bit(a, (unsigned)(i - b))
                                              : bit_or_sign(test->to, a, i + b))
               << i;
    return out;
}

uint64_t ptx_funnel(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned n = ptx_has(test, "wrap") ? (unsigned)c % 32 : c > 32 ? 32 : (unsigned)c;
    unsigned from = ptx_has(test, "l") ? 32 - n : n;
    uint64_t out = 0;
    for (unsigned i = 0; i < 32; i++)
        out |= (uint64_t)(from + i < 32 ? bit(a, from + i) : bit(b, from + i - 32)) << i;
    return out;
}

/* Beyond 255, which PTX leaves open, as seen on an H200. */
static unsigned place_of(const struct ptx_case *test, uint64_t value)
{
    value &= 0xffffffff;
    return (unsigned)(test->to.bits == 32 ? value % 256 : value > 255 ? 255 : value);
}

uint64_t ptx_field(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned place = place_of(test, b), length = place_of(test, c), width = test->to.bits;
    unsigned last = place + length - 1 < width - 1 ? place + length - 1 : width - 1;
    bool sign = is_signed(test) && length > 0 && bit(a, last);
    uint64_t out = 0;
    for (unsigned i = 0; i < width; i++)
        out |= (uint64_t)(i < length && place + i < width ? bit(a, place + i) : sign) << i;
    return out;
}

uint64_t ptx_insert(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned place = place_of(test, c), length = place_of(test, (c & 0xffffffff) >> 8);
    uint64_t out = 0;
    for (unsigned i = 0; i < test->to.bits; i++)
        out |= (uint64_t)(i >= place && i - place < length ? bit(a, i - place) : bit(b, i)) << i;
    return out;
}

uint64_t ptx_highest(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned width = test->to.bits;
    bool sign = is_signed(test) && bit(a, width - 1);
    (void)b, (void)c;
    for (unsigned i = width; i-- > 0;)
        if (bit(a, i) != sign)
            return ptx_has(test, "shiftamt") ? width - 1 - i : i;
    return 0xffffffff;
}

uint64_t ptx_reverse(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    (void)b, (void)c;
    for (unsigned i = 0; i < test->to.bits; i++)
        out = out << 1 | bit(a, i);
    return out;
}

uint64_t ptx_zeros(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned count = 0;
    (void)b, (void)c;
    while (count < test->to.bits && !bit(a, test->to.bits - 1 - count))
        count++;
    return count;
}

uint64_t ptx_ones(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned count = 0;
    (void)b, (void)c;
    for (unsigned i = 0; i < test->to.bits; i++)
        count += bit(a, i);
    return count;
}

/* The functions themselves, rather than their tables. */
REFERENCE(lop3_96, a ^ b ^ c)
REFERENCE(lop3_ca, ((a & b) | (~a & c)) & 0xffffffff)
REFERENCE(lop3_01, ~(a | b | c) & 0xffffffff)
REFERENCE(lop3_ea, (a & b) | c)

/* Which byte of {b, a} byte n of the result is (PTX ISA, prmt), with 8 added to take its sign. */
static unsigned chosen(const struct ptx_case *test, unsigned n, uint64_t c)
{
    unsigned low = c & 3;
    if (ptx_has(test, "f4e"))
        return (low + n) % 8;
    if (ptx_has(test, "b4e"))
        return (low + 8 - n) % 8;
    if (ptx_has(test, "rc8"))
        return low;
    if (ptx_has(test, "ecl"))
        return n < low ? low : n;
    if (ptx_has(test, "ecr"))
        return n > low ? low : n;
    if (ptx_has(test, "rc16"))
        return 2 * (low % 2) + n % 2;
    return c >> (4 * n) & 15;
}

uint64_t ptx_permute(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    for (unsigned n = 0; n < 4; n++) {
        unsigned choice = chosen(test, n, c), from = choice % 8;
        uint64_t byte = (from < 4 ? a >> (8 * from) : b >> (8 * (from - 4))) & 255;
        out |= (choice & 8 ? (byte > 127 ? 255 : 0) : byte) << (8 * n);
    }
    return out;
}

/* --- Moves and choices ------------------------------------------------------------------------ */

REFERENCE(move, a)
REFERENCE(always, 1)
REFERENCE(never, 0)
REFERENCE(join, a | b << test->to.bits / 2)
REFERENCE(swap_halves, (a >> test->to.bits / 2 | a << test->to.bits / 2) & ones(test->to.bits))
REFERENCE(select, c ? a : b)

/* A NaN chooses b, -0 and a subnormal number that is flushed choose a. */
uint64_t ptx_select_sign(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    bool negative = c >> 31;
    if (test->from.class == 'f') {
        bool vanishes = ptx_has(test, "ftz") && (c & 0x7f800000) == 0;
        negative = (negative && (c & 0x7fffffff) && !vanishes) || ptx_is_nan(test->from, c);
    }
    return negative ? b : a;
}

/* --- Masks, bytes, carries: bit by bit -------------------------------------------------------- */

uint64_t ptx_mask_field(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    bool wraps = ptx_has(test, "wrap");
    uint64_t first = wraps ? a % 32 : a, width = wraps ? b % 32 : b, out = 0;
    (void)c;
    for (uint64_t i = 0; i < 32; i++)
        out |= (uint64_t)(i >= first && i - first < width) << i;
    return out;
}

uint64_t ptx_extend(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t bits = ptx_has(test, "wrap") ? b % 32 : b, out = 0;
    (void)c;
    for (uint64_t i = 0; i < 32; i++) {
        bool beyond = test->to.class == 's' && bits > 0 && bits < 32 && a >> (bits - 1) & 1;
        out |= (uint64_t)(i < bits ? a >> i & 1 : beyond) << i;
    }
    return out;
}

uint64_t ptx_nth_set(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    int base = (int)(b & 31), offset = (int32_t)c % 9, step = offset < 0 ? -1 : 1, found = 0;
    (void)test;
    for (int i = base; i >= 0 && i < 32; i += step) {
        found += (int)(a >> i & 1);
        if (a >> i & 1 && (found == offset * step || (offset == 0 && i == base)))
            return (uint64_t)i;
        if (offset == 0)
            break;
    }
    return UINT32_MAX;
}

uint64_t ptx_dp2a(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    int64_t sum = (int64_t)c;
    uint64_t bytes = ptx_has(test, "hi") ? b >> 16 : b;
    for (int i = 0; i < 2; i++) {
        int64_t x = (int64_t)(a >> (16 * i) & 0xffff), y = (int64_t)(bytes >> (8 * i) & 0xff);
        x -= test->to.class == 's' && x >= 0x8000 ? 0x10000 : 0;
        y -= test->from.class == 's' && y >= 0x80 ? 0x100 : 0;
        sum += x * y;
    }
    return (uint64_t)sum & UINT32_MAX;
}

uint64_t ptx_mul24(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    int64_t x = (int64_t)(a & 0xffffff), y = (int64_t)(b & 0xffffff);
    bool is_signed = test->to.class == 's';
    x -= is_signed && x >= 0x800000 ? 0x1000000 : 0;
    y -= is_signed && y >= 0x800000 ? 0x1000000 : 0;
    int64_t product = x * y, part = ptx_has(test, "hi") ? product >> 16 : product;
    if (!ptx_is(test, "mad24"))
        return (uint64_t)part & UINT32_MAX;
    if (!ptx_has(test, "sat"))
        return ((uint64_t)part + c) & UINT32_MAX;
    int64_t sum = (int32_t)part + (int64_t)(int32_t)c;
    return (uint64_t)(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum) & UINT32_MAX;
}

/* The upper word of a * b + c * 2^n + c. */
uint64_t ptx_mad_carry(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    if (test->to.bits == 32)
        return ((uint64_t)((product + c) >> 32) + c) & UINT32_MAX;
    uint64_t low = (uint64_t)product;
    return (uint64_t)(product >> 64) + c + (low + c < low);
}

uint64_t ptx_mad_carry_chain(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t first = (a * b >> 32) + c;
    uint64_t second = (b * c & UINT32_MAX) + a + (first >> 32);
    (void)test;
    return (((first ^ second) & UINT32_MAX) + (second >> 32)) & UINT32_MAX;
}

uint64_t ptx_lop3_or(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)test;
    return (a & b) != 0 || c;
}

uint64_t ptx_lop3_and(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    (void)test;
    return (a & b) != 0 && c;
}

static int64_t rectify(const struct ptx_case *test, int64_t value)
{
    return ptx_has(test, "relu") && value < 0 ? 0 : value;
}

uint64_t ptx_rectified_extreme(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    int64_t x = (int32_t)a, y = (int32_t)b;
    (void)c;
    return (uint64_t)rectify(test, (x < y) == ptx_is(test, "min") ? x : y) & UINT32_MAX;
}

uint64_t ptx_pair_of_integers(const struct ptx_case *test, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;
    (void)c;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        int64_t x = a >> shift & 0xffff, y = b >> shift & 0xffff;
        if (ptx_has(test, "s16x2")) {
            x = (int16_t)x;
            y = (int16_t)y;
        }
        int64_t value = ptx_is(test, "add") ? x + y : (x < y) == ptx_is(test, "min") ? x : y;
        out |= ((uint64_t)rectify(test, value) & 0xffff) << shift;
    }
    return out;
}
