/* Integer arithmetic and bit operations over the 32 lanes of a warp. */
#include "machine/emulator/emulator_steps.h"

typedef __int128 int128_t;
typedef unsigned __int128 uint128_t;

/* For each type: the type of the lane, the type it is read as, and how the result is truncated. */
#define AS_u16 lane_u32, uint16_t, uint16_t, uint32_t
#define AS_s16 lane_u32, int16_t, uint16_t, int32_t
#define AS_u32 lane_u32, uint32_t, uint32_t, uint64_t
#define AS_s32 lane_u32, int32_t, uint32_t, int64_t
#define AS_u64 lane_u64, uint64_t, uint64_t, uint128_t
#define AS_s64 lane_u64, int64_t, uint64_t, int128_t

#define DEFINE(name, type, expression) DEFINE_AS(name##_##type, AS_##type, expression)
#define DEFINE_AS(...)                 DEFINE_LANES(__VA_ARGS__)
#define DEFINE_LANES(name, lane_t, value_t, bits_t, wide_t, expression)                            \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        typedef value_t value;                                                                     \
        typedef bits_t bits;                                                                       \
        typedef wide_t wide;                                                                       \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b, *third = c;                                          \
        (void)third, (void)second;                                                                 \
        (void)sizeof(bits), (void)sizeof(wide);                                                    \
        EACH_LANE(i) {                                                                             \
            const value x = (value)first[i], y = (value)second[i], z = (value)third[i];            \
            (void)x, (void)y, (void)z;                                                             \
            result[i] = (bits)(expression);                                                        \
        }                                                                                          \
    }

#define FOR_UNSIGNED(name, expression)                                                             \
    DEFINE(name, u16, expression)                                                                  \
    DEFINE(name, u32, expression) DEFINE(name, u64, expression)
#define FOR_SIGNED(name, expression)                                                               \
    DEFINE(name, s16, expression)                                                                  \
    DEFINE(name, s32, expression) DEFINE(name, s64, expression)
#define FOR_BOTH(name, expression) FOR_UNSIGNED(name, expression) FOR_SIGNED(name, expression)

#define TABLE_UNSIGNED(name)                                                                       \
    [SMC_PTX_U16] = name##_u16, [SMC_PTX_U32] = name##_u32, [SMC_PTX_U64] = name##_u64
#define TABLE_SIGNED(name)                                                                         \
    [SMC_PTX_S16] = name##_s16, [SMC_PTX_S32] = name##_s32, [SMC_PTX_S64] = name##_s64
/* Operations whose result does not depend on the sign. */
#define TABLE_ANY(name)                                                                            \
    TABLE_UNSIGNED(name), [SMC_PTX_S16] = name##_u16, [SMC_PTX_S32] = name##_u32,                  \
                          [SMC_PTX_S64] = name##_u64, [SMC_PTX_B16] = name##_u16,                  \
                          [SMC_PTX_B32] = name##_u32, [SMC_PTX_B64] = name##_u64
#define TABLE_BOTH(name) TABLE_UNSIGNED(name), TABLE_SIGNED(name)

FOR_UNSIGNED(add, (bits)x + (bits)y)
FOR_UNSIGNED(sub, (bits)x - (bits)y)
FOR_UNSIGNED(mul_lo, (wide)x *y)
FOR_BOTH(mul_hi, ((wide)x * (wide)y) >> (8 * sizeof(value)))
FOR_UNSIGNED(mad_lo, (wide)x *y + z)
FOR_BOTH(mad_hi, (bits)(((wide)x * (wide)y) >> (8 * sizeof(value))) + (bits)z)
FOR_BOTH(min, x < y ? x : y)
FOR_BOTH(max, x > y ? x : y)
FOR_SIGNED(abs, x < 0 ? -(bits)x : (bits)x)
FOR_SIGNED(neg, -(bits)x)
FOR_BOTH(sad, (bits)(x < y ? (bits)y - (bits)x : (bits)x - (bits)y) + (bits)z)

/* Division by zero returns what an H200 returns: all bits set, also for the remainder. Dividing the
   lowest number by -1 returns it unchanged. */
FOR_UNSIGNED(div, y ? x / y : (bits)-1)
FOR_UNSIGNED(rem, y ? x % y : (bits)-1)
FOR_SIGNED(div, y == 0 ? (bits)-1 : y == -1 ? -(bits)x : (bits)(x / y))
FOR_SIGNED(rem, y == 0 ? (bits)-1 : y == -1 ? 0 : (bits)(x % y))

/* Two of 16 bits each. */
#define DEFINE_PAIR(name, value_t, expression)                                                     \
    static inline uint16_t name##_one(value_t x, value_t y)                                        \
    {                                                                                              \
        return (uint16_t)(expression);                                                             \
    }                                                                                              \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        lane_u32 *result = d;                                                                      \
        const lane_u32 *x = a, *y = b;                                                             \
        EACH_LANE(i)                                                                               \
            result[i] = (uint32_t)name##_one((value_t)(x[i] >> 16), (value_t)(y[i] >> 16)) << 16 | \
                        name##_one((value_t)x[i], (value_t)y[i]);                                  \
    }
DEFINE_PAIR(add_pair, uint16_t, x + y)
DEFINE_PAIR(min_u16x2, uint16_t, x < y ? x : y)
DEFINE_PAIR(max_u16x2, uint16_t, x > y ? x : y)
DEFINE_PAIR(min_s16x2, int16_t, x < y ? x : y)
DEFINE_PAIR(max_s16x2, int16_t, x > y ? x : y)
DEFINE_PAIR(min_relu_s16x2, int16_t, x < 0 || y < 0 ? 0 : x < y ? x : y)
DEFINE_PAIR(max_relu_s16x2, int16_t, x < 0 && y < 0 ? 0 : x > y ? x : y)
DEFINE(min_relu, s32, x < 0 || y < 0 ? 0 : x < y ? x : y)
DEFINE(max_relu, s32, x < 0 && y < 0 ? 0 : x > y ? x : y)

#define TABLE_PAIRS(name) [SMC_PTX_U16X2] = name##_u16x2, [SMC_PTX_S16X2] = name##_s16x2
smc_alu_by_type smc_integer_min_relu = {
    [SMC_PTX_S32] = min_relu_s32, [SMC_PTX_S16X2] = min_relu_s16x2};
smc_alu_by_type smc_integer_max_relu = {
    [SMC_PTX_S32] = max_relu_s32, [SMC_PTX_S16X2] = max_relu_s16x2};
smc_alu_by_type smc_integer_add = {
    TABLE_ANY(add), [SMC_PTX_U16X2] = add_pair, [SMC_PTX_S16X2] = add_pair};
smc_alu_by_type smc_integer_sub = {TABLE_ANY(sub)};
smc_alu_by_type smc_integer_mul_lo = {TABLE_ANY(mul_lo)};
smc_alu_by_type smc_integer_mul_hi = {TABLE_BOTH(mul_hi)};
smc_alu_by_type smc_integer_mad_lo = {TABLE_ANY(mad_lo)};
smc_alu_by_type smc_integer_mad_hi = {TABLE_BOTH(mad_hi)};
smc_alu_by_type smc_integer_div = {TABLE_BOTH(div)};
smc_alu_by_type smc_integer_rem = {TABLE_BOTH(rem)};
smc_alu_by_type smc_integer_min = {TABLE_BOTH(min), TABLE_PAIRS(min)};
smc_alu_by_type smc_integer_max = {TABLE_BOTH(max), TABLE_PAIRS(max)};
smc_alu_by_type smc_integer_abs = {TABLE_SIGNED(abs)};
smc_alu_by_type smc_integer_neg = {TABLE_SIGNED(neg)};
smc_alu_by_type smc_integer_sad = {TABLE_BOTH(sad)};

/* Results twice as wide as the factors: 16-bit results use 32-bit lanes, 32-bit results use 64-bit
   lanes. */
#define DEFINE_WIDE(name, value_t, lane_t, wide_t, add_third)                                      \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_u32 *first = a, *second = b;                                                    \
        const lane_t *third = c;                                                                   \
        lane_t product[SMC_LANES];                                                                 \
        (void)third;                                                                               \
        EACH_LANE(i)                                                                               \
            product[i] = (lane_t)((wide_t)(value_t)first[i] * (wide_t)(value_t)second[i]);         \
        EACH_LANE(i)                                                                               \
            result[i] = product[i] + (add_third ? third[i] : 0);                                   \
    }

DEFINE_WIDE(mul_wide_u16, uint16_t, lane_u32, uint32_t, 0)
DEFINE_WIDE(mul_wide_s16, int16_t, lane_u32, int32_t, 0)
DEFINE_WIDE(mul_wide_u32, uint32_t, lane_u64, uint64_t, 0)
DEFINE_WIDE(mul_wide_s32, int32_t, lane_u64, int64_t, 0)
DEFINE_WIDE(mad_wide_u16, uint16_t, lane_u32, uint32_t, 1)
DEFINE_WIDE(mad_wide_s16, int16_t, lane_u32, int32_t, 1)
DEFINE_WIDE(mad_wide_u32, uint32_t, lane_u64, uint64_t, 1)
DEFINE_WIDE(mad_wide_s32, int32_t, lane_u64, int64_t, 1)

#define TABLE_WIDE(name)                                                                           \
    [SMC_PTX_U16] = name##_u16, [SMC_PTX_S16] = name##_s16, [SMC_PTX_U32] = name##_u32,            \
    [SMC_PTX_S32] = name##_s32
smc_alu_by_type smc_integer_mul_wide = {TABLE_WIDE(mul_wide)};
smc_alu_by_type smc_integer_mad_wide = {TABLE_WIDE(mad_wide)};

static int32_t saturated(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

#define DEFINE_SATURATED(name, expression)                                                         \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU, name, lane_s32, lane_s32, lane_s32, lane_s32,                 \
                   saturated(expression))
DEFINE_SATURATED(smc_integer_add_sat, (int64_t)x + y)
DEFINE_SATURATED(smc_integer_sub_sat, (int64_t)x - y)
DEFINE_SATURATED(smc_integer_mad_hi_sat, ((int64_t)x * y >> 32) + z)

/* --- Carries: predicate c comes in; a second op gives the one that goes out ------------------- */

#define DEFINE_CARRY(suffix, lane_t, bits_t, wide_t)                                               \
    SMC_FOR_EACH_CPU static void add_carry_##suffix(SMC_ALU_PARAMETERS)                            \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t carry = *(const lane_u32 *)c;                                               \
        EACH_LANE(i)                                                                               \
            result[i] = first[i] + second[i] + ((carry & smc_lane_bit[i]) != 0);                   \
    }                                                                                              \
    SMC_FOR_EACH_CPU static void sub_borrow_##suffix(SMC_ALU_PARAMETERS)                           \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t borrow = *(const lane_u32 *)c;                                              \
        EACH_LANE(i)                                                                               \
            result[i] = first[i] - second[i] - ((borrow & smc_lane_bit[i]) != 0);                  \
    }                                                                                              \
    SMC_FOR_EACH_CPU static void carry_of_add_##suffix(SMC_ALU_PARAMETERS)                         \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t carry = *(const lane_u32 *)c;                                               \
        uint8_t out[SMC_LANES];                                                                    \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            out[i] =                                                                               \
                ((wide_t)first[i] + second[i] + (carry >> i & 1)) >> (8 * sizeof(bits_t)) != 0;    \
        *(lane_u32 *)d = smc_mask_of(out);                                                         \
    }                                                                                              \
    SMC_FOR_EACH_CPU static void borrow_of_sub_##suffix(SMC_ALU_PARAMETERS)                        \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t borrow = *(const lane_u32 *)c;                                              \
        uint8_t out[SMC_LANES];                                                                    \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            out[i] = (wide_t)first[i] < (wide_t)second[i] + (borrow >> i & 1);                     \
        *(lane_u32 *)d = smc_mask_of(out);                                                         \
    }
DEFINE_CARRY(u32, lane_u32, uint32_t, uint64_t)
DEFINE_CARRY(u64, lane_u64, uint64_t, uint128_t)

#define TABLE_CARRY(name)                                                                          \
    [SMC_PTX_U32] = name##_u32, [SMC_PTX_S32] = name##_u32, [SMC_PTX_U64] = name##_u64,            \
    [SMC_PTX_S64] = name##_u64
smc_alu_by_type smc_add_carry = {TABLE_CARRY(add_carry)};
smc_alu_by_type smc_sub_borrow = {TABLE_CARRY(sub_borrow)};
smc_alu_by_type smc_carry_of_add = {TABLE_CARRY(carry_of_add)};
smc_alu_by_type smc_borrow_of_sub = {TABLE_CARRY(borrow_of_sub)};

/* --- Bits ------------------------------------------------------------------------------------- */

#define DEFINE_BITS(name, lane_t, value_t, expression)                                             \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b;                                                      \
        (void)second;                                                                              \
        EACH_LANE(i) {                                                                             \
            const value_t x = (value_t)first[i], y = (value_t)second[i];                           \
            (void)x, (void)y;                                                                      \
            result[i] = (lane_t)(expression);                                                      \
        }                                                                                          \
    }
#define FOR_WIDTHS(name, expression)                                                               \
    DEFINE_BITS(name##_b16, lane_u32, uint16_t, (uint16_t)(expression))                            \
    DEFINE_BITS(name##_b32, lane_u32, uint32_t, expression)                                        \
    DEFINE_BITS(name##_b64, lane_u64, uint64_t, expression)

#define DEFINE_PREDICATE(name, sign)                                                               \
    static void name(SMC_ALU_PARAMETERS)                                                           \
    {                                                                                              \
        const lane_u32 *x = a, *y = b;                                                             \
        *(lane_u32 *)d = x[0] sign y[0];                                                           \
    }
DEFINE_PREDICATE(and_pred, &)
DEFINE_PREDICATE(or_pred, |)
DEFINE_PREDICATE(xor_pred, ^)

FOR_WIDTHS(and, x &y)
FOR_WIDTHS(or, x | y)
FOR_WIDTHS(xor, x ^ y)
FOR_WIDTHS(not, ~x)
FOR_WIDTHS(cnot, x == 0)

#define TABLE_WIDTHS(name)                                                                         \
    [SMC_PTX_B16] = name##_b16, [SMC_PTX_B32] = name##_b32, [SMC_PTX_B64] = name##_b64
smc_alu_by_type smc_bits_and = {TABLE_WIDTHS(and), [SMC_PTX_PRED] = and_pred};
smc_alu_by_type smc_bits_or = {TABLE_WIDTHS(or), [SMC_PTX_PRED] = or_pred};
smc_alu_by_type smc_bits_xor = {TABLE_WIDTHS(xor), [SMC_PTX_PRED] = xor_pred};
smc_alu_by_type smc_bits_not = {TABLE_WIDTHS(not ), [SMC_PTX_PRED] = smc_not_predicate};
smc_alu_by_type smc_bits_cnot = {TABLE_WIDTHS(cnot)};

/* --- Shifts: by 32 bits; what is beyond the width counts as all of it ------------------------- */

#define DEFINE_SHIFT(name, lane_t, value_t, bits_t, expression)                                    \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a;                                                                   \
        const lane_u32 *second = b;                                                                \
        const unsigned last = 8 * sizeof(value_t) - 1;                                             \
        lane_t shifted[SMC_LANES];                                                                 \
        EACH_LANE(i) {                                                                             \
            const value_t x = (value_t)first[i];                                                   \
            const uint32_t n = second[i], most = n > last ? last : n;                              \
            shifted[i] = (bits_t)(expression);                                                     \
        }                                                                                          \
        EACH_LANE(i)                                                                               \
            result[i] = shifted[i];                                                                \
    }
#define FOR_SHIFTS(lane_t, width)                                                                  \
    DEFINE_SHIFT(shl_b##width, lane_t, uint##width##_t, uint##width##_t,                           \
                 n > last ? 0 : (uint64_t)x << most)                                               \
    DEFINE_SHIFT(shr_u##width, lane_t, uint##width##_t, uint##width##_t, n > last ? 0 : x >> most) \
    DEFINE_SHIFT(shr_s##width, lane_t, int##width##_t, uint##width##_t, x >> most)
FOR_SHIFTS(lane_u32, 16)
FOR_SHIFTS(lane_u32, 32)
FOR_SHIFTS(lane_u64, 64)

smc_alu_by_type smc_bits_shl = {TABLE_WIDTHS(shl)};
smc_alu_by_type smc_bits_shr = {
    [SMC_PTX_B16] = shr_u16, [SMC_PTX_B32] = shr_u32, [SMC_PTX_B64] = shr_u64,
    [SMC_PTX_U16] = shr_u16, [SMC_PTX_U32] = shr_u32, [SMC_PTX_U64] = shr_u64,
    [SMC_PTX_S16] = shr_s16, [SMC_PTX_S32] = shr_s32, [SMC_PTX_S64] = shr_s64,
};

#define DEFINE_WORDS(name, expression)                                                             \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU, name, lane_u32, lane_u32, lane_u32, lane_u32, expression)

#define BOTH    ((uint64_t)y << 32 | x)
#define CLAMPED (z < 32 ? z : 32)
DEFINE_WORDS(smc_bits_shf_l_wrap, (uint32_t)(BOTH << (z & 31) >> 32))
DEFINE_WORDS(smc_bits_shf_l_clamp, (uint32_t)(BOTH << CLAMPED >> 32))
DEFINE_WORDS(smc_bits_shf_r_wrap, (uint32_t)(BOTH >> (z & 31)))
DEFINE_WORDS(smc_bits_shf_r_clamp, (uint32_t)(BOTH >> CLAMPED))

/* --- Fields: position and length are the low 8 bits ------------------------------------------- */

static uint64_t field_mask(uint32_t length)
{
    return length >= 64 ? UINT64_MAX : (UINT64_C(1) << length) - 1;
}

/* Beyond the top bit of the word a signed field is filled with the sign. */
static uint64_t extract(uint64_t x, uint32_t position, uint32_t length, uint32_t width,
                        bool is_signed)
{
    uint64_t value = position < width ? x >> position & field_mask(length) : 0;
    if (!is_signed || length == 0)
        return value;
    uint32_t top = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
    uint32_t bits = top < position ? 0 : top - position + 1;
    return x >> top & 1 ? value | ~field_mask(bits) : value;
}

static uint64_t insert(uint64_t from, uint64_t into, uint32_t position, uint32_t length,
                       uint32_t width)
{
    uint64_t mask = position < width ? field_mask(length) << position : 0;
    return (position < width ? from << position & mask : 0) | (into & ~mask);
}

/* PTX defines positions and lengths up to 255. Beyond that, an H200 uses the low 8 bits for 32-bit
   fields and treats larger values as 255 for 64-bit fields. */
static uint32_t place_of(uint32_t value, uint32_t width)
{
    return width == 32 ? value & 255 : value < 255 ? value : 255;
}

#define DEFINE_FIELD(suffix, lane_t, width, is_signed)                                             \
    SMC_FOR_EACH_CPU static void bfe_##suffix(SMC_ALU_PARAMETERS)                                  \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *x = a;                                                                       \
        const lane_u32 *position = b, *length = c;                                                 \
        lane_t out[SMC_LANES];                                                                     \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            out[i] = (lane_t)extract(x[i], place_of(position[i], width),                           \
                                     place_of(length[i], width), width, is_signed);                \
        EACH_LANE(i)                                                                               \
            result[i] = out[i];                                                                    \
    }
DEFINE_FIELD(u32, lane_u32, 32, false)
DEFINE_FIELD(s32, lane_u32, 32, true)
DEFINE_FIELD(u64, lane_u64, 64, false)
DEFINE_FIELD(s64, lane_u64, 64, true)
smc_alu_by_type smc_bits_bfe = {[SMC_PTX_U32] = bfe_u32,
                                [SMC_PTX_S32] = bfe_s32,
                                [SMC_PTX_U64] = bfe_u64,
                                [SMC_PTX_S64] = bfe_s64};

/* The decoder packs position and length into c; the position is in the low 8 bits of one word. */
#define DEFINE_INSERT(name, lane_t, width)                                                         \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU static, name, lane_t, lane_t, lane_t, lane_u64,                \
                   (lane_t)insert(x, y, place_of((uint32_t)z, width),                              \
                                  place_of((uint32_t)(z >> 32), width), width))
DEFINE_INSERT(bfi_b32, lane_u32, 32)
DEFINE_INSERT(bfi_b64, lane_u64, 64)
smc_alu_by_type smc_bits_bfi = {[SMC_PTX_B32] = bfi_b32, [SMC_PTX_B64] = bfi_b64};

/* --- Counting: 32 bits come out of 64 as well ------------------------------------------------- */

#define DEFINE_COUNT(name, lane_t, value_t, result_t, expression)                                  \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        result_t *result = d;                                                                      \
        const lane_t *first = a;                                                                   \
        result_t out[SMC_LANES];                                                                   \
        for (unsigned i = 0; i < SMC_LANES; i++) {                                                 \
            const value_t x = (value_t)first[i];                                                   \
            out[i] = (result_t)(expression);                                                       \
        }                                                                                          \
        EACH_LANE(i)                                                                               \
            result[i] = out[i];                                                                    \
    }

static uint32_t reversed(uint32_t x)
{
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}

/* For a negative number, finds the highest 0. */
static uint64_t as_magnitude(int64_t x)
{
    return (uint64_t)(x < 0 ? ~x : x);
}

static uint32_t highest(uint64_t x)
{
    return x ? 63 - (uint32_t)__builtin_clzll(x) : UINT32_MAX;
}

static uint32_t shift_to_highest(uint64_t x, uint32_t width)
{
    return x ? width - 1 - highest(x) : UINT32_MAX;
}

DEFINE_COUNT(popc_b32, lane_u32, uint32_t, lane_u32, __builtin_popcount(x))
DEFINE_COUNT(popc_b64, lane_u64, uint64_t, lane_u32, __builtin_popcountll(x))
DEFINE_COUNT(clz_b32, lane_u32, uint32_t, lane_u32, x ? __builtin_clz(x) : 32)
DEFINE_COUNT(clz_b64, lane_u64, uint64_t, lane_u32, x ? __builtin_clzll(x) : 64)
DEFINE_COUNT(brev_b32, lane_u32, uint32_t, lane_u32, reversed(x))
DEFINE_COUNT(brev_b64, lane_u64, uint64_t, lane_u64,
             (uint64_t)reversed((uint32_t)x) << 32 | reversed((uint32_t)(x >> 32)))
DEFINE_COUNT(bfind_u32, lane_u32, uint32_t, lane_u32, highest(x))
DEFINE_COUNT(bfind_s32, lane_u32, int32_t, lane_u32, highest(as_magnitude(x)))
DEFINE_COUNT(bfind_u64, lane_u64, uint64_t, lane_u32, highest(x))
DEFINE_COUNT(bfind_s64, lane_u64, int64_t, lane_u32, highest(as_magnitude(x)))
DEFINE_COUNT(bfind_shift_u32, lane_u32, uint32_t, lane_u32, shift_to_highest(x, 32))
DEFINE_COUNT(bfind_shift_s32, lane_u32, int32_t, lane_u32, shift_to_highest(as_magnitude(x), 32))
DEFINE_COUNT(bfind_shift_u64, lane_u64, uint64_t, lane_u32, shift_to_highest(x, 64))
DEFINE_COUNT(bfind_shift_s64, lane_u64, int64_t, lane_u32, shift_to_highest(as_magnitude(x), 64))

#define TABLE_BITS(name) [SMC_PTX_B32] = name##_b32, [SMC_PTX_B64] = name##_b64
#define TABLE_NUMBERS(name)                                                                        \
    [SMC_PTX_U32] = name##_u32, [SMC_PTX_S32] = name##_s32, [SMC_PTX_U64] = name##_u64,            \
    [SMC_PTX_S64] = name##_s64
smc_alu_by_type smc_bits_popc = {TABLE_BITS(popc)};
smc_alu_by_type smc_bits_clz = {TABLE_BITS(clz)};
smc_alu_by_type smc_bits_brev = {TABLE_BITS(brev)};
smc_alu_by_type smc_bits_bfind = {TABLE_NUMBERS(bfind)};
smc_alu_by_type smc_bits_bfind_shift = {TABLE_NUMBERS(bfind_shift)};

/* --- Masks and extensions --------------------------------------------------------------------- */

/* Bits from `first` to the top. */
static uint32_t ones_from(uint32_t first)
{
    return first < 32 ? UINT32_MAX << first : 0;
}

/* `width` bits from `first` on. Clamped: also beyond 31; otherwise both count modulo 32. */
static uint32_t field(uint32_t first, uint32_t width, bool clamps)
{
    if (!clamps) {
        first &= 31;
        width &= 31;
    }
    return first > 31 ? 0
                      : ones_from(first) & (width > 31 ? UINT32_MAX : ~ones_from(first + width));
}

/* The lowest `bits` bits, extended. */
static uint32_t ops_integer_extended(uint32_t value, uint32_t bits, bool clamps, bool is_signed)
{
    if (!clamps)
        bits &= 31;
    if (bits > 31 || bits == 0)
        return bits ? value : 0;
    bool negative = is_signed && value >> (bits - 1) & 1;
    return negative ? value | ones_from(bits) : value & ~ones_from(bits);
}

DEFINE_WORDS(smc_bits_bmsk_clamp, field(x, y, true))
DEFINE_WORDS(smc_bits_bmsk_wrap, field(x, y, false))
DEFINE_WORDS(smc_bits_szext_clamp_u, ops_integer_extended(x, y, true, false))
DEFINE_WORDS(smc_bits_szext_wrap_u, ops_integer_extended(x, y, false, false))
DEFINE_WORDS(smc_bits_szext_clamp_s, ops_integer_extended(x, y, true, true))
DEFINE_WORDS(smc_bits_szext_wrap_s, ops_integer_extended(x, y, false, true))

/* The place of the offset-th bit that is set, from `base` on, upwards or downwards; all bits if
   there is none. */
static uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    int64_t left = offset < 0 ? -(int64_t)offset : offset;
    if (offset == 0)
        return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    for (uint32_t place = base; place<32; place += offset> 0 ? 1 : UINT32_MAX)
        if (mask >> place & 1 && --left == 0)
            return place;
    return UINT32_MAX;
}

void smc_bits_fns(SMC_ALU_PARAMETERS)
{
    lane_u32 *result = d;
    const lane_u32 *mask = a, *base = b;
    const lane_s32 *offset = c;
    for (unsigned i = 0; i < SMC_LANES; i++)
        result[i] = nth_set(mask[i], base[i], offset[i]);
}

void smc_bits_not_zero(SMC_ALU_PARAMETERS)
{
    const lane_u32 *x = a;
    uint8_t holds[SMC_LANES];
    EACH_LANE(i)
        holds[i] = x[i] != 0;
    *(lane_u32 *)d = smc_mask_of(holds);
}

/* --- Three operands --------------------------------------------------------------------------- */

void smc_bits_lop3(SMC_ALU_PARAMETERS)
{
    lane_u32 *result = d;
    const lane_u32 *x = a, *y = b, *z = c;
    lane_u32 out[SMC_LANES] = {0};
    for (unsigned row = 0; row < 8; row++) {
        if (!(op->immediate >> row & 1))
            continue;
        const uint32_t fx = row & 4 ? 0 : UINT32_MAX, fy = row & 2 ? 0 : UINT32_MAX;
        const uint32_t fz = row & 1 ? 0 : UINT32_MAX;
        EACH_LANE(i)
            out[i] |= (x[i] ^ fx) & (y[i] ^ fy) & (z[i] ^ fz);
    }
    EACH_LANE(i)
        result[i] = out[i];
}

/* The bytes that the mode chooses, as selectors for the general case (mode 0). */
static uint32_t selectors(unsigned mode, uint32_t c)
{
    static const uint16_t of_mode[7][4] = {
        {0},
        {0x3210, 0x4321, 0x5432, 0x6543}, /* f4e: four bytes forward from c */
        {0x5670, 0x6701, 0x7012, 0x0123}, /* b4e: backward */
        {0x0000, 0x1111, 0x2222, 0x3333}, /* rc8 */
        {0x3210, 0x3211, 0x3222, 0x3333}, /* ecl */
        {0x0000, 0x1110, 0x2210, 0x3210}, /* ecr */
        {0x1010, 0x3232, 0x1010, 0x3232}, /* rc16 */
    };
    return mode == 0 ? c : of_mode[mode][c & 3];
}

void smc_bits_prmt(SMC_ALU_PARAMETERS)
{
    lane_u32 *result = d;
    const lane_u32 *low = a, *high = b, *choice = c;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        const uint64_t bytes = (uint64_t)high[i] << 32 | low[i];
        uint32_t select = selectors((unsigned)op->immediate, choice[i]), out = 0;
        for (unsigned n = 0; n < 4; n++, select >>= 4) {
            uint32_t byte = bytes >> (8 * (select & 7)) & 255;
            if (select & 8)
                byte = byte & 128 ? 255 : 0;
            out |= byte << (8 * n);
        }
        result[i] = out;
    }
}

#define DEFINE_DP4A(name, first_t, second_t)                                                       \
    SMC_FOR_EACH_CPU void name(SMC_ALU_PARAMETERS)                                                 \
    {                                                                                              \
        lane_u32 *result = d;                                                                      \
        const lane_u32 *x = a, *y = b, *z = c;                                                     \
        for (unsigned i = 0; i < SMC_LANES; i++) {                                                 \
            uint32_t sum = z[i];                                                                   \
            for (unsigned n = 0; n < 32; n += 8)                                                   \
                sum += (uint32_t)((int32_t)(first_t)(x[i] >> n) * (int32_t)(second_t)(y[i] >> n)); \
            result[i] = sum;                                                                       \
        }                                                                                          \
    }
DEFINE_DP4A(smc_bits_dp4a_uu, uint8_t, uint8_t)
DEFINE_DP4A(smc_bits_dp4a_us, uint8_t, int8_t)
DEFINE_DP4A(smc_bits_dp4a_su, int8_t, uint8_t)
DEFINE_DP4A(smc_bits_dp4a_ss, int8_t, int8_t)

/* Two products of 16 with 8 bits. */
void smc_dp2a(SMC_ALU_PARAMETERS)
{
    lane_u32 *result = d;
    const lane_u32 *x = a, *y = b, *z = c;
    const unsigned shift = op->immediate & SMC_DP2A_HIGH ? 16 : 0;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        uint32_t sum = z[i];
        for (unsigned n = 0; n < 2; n++) {
            const uint32_t half = x[i] >> (16 * n), byte = y[i] >> (shift + 8 * n);
            const int32_t first =
                op->immediate & SMC_DP2A_FIRST_SIGNED ? (int16_t)half : (uint16_t)half;
            const int32_t second =
                op->immediate & SMC_DP2A_SECOND_SIGNED ? (int8_t)byte : (uint8_t)byte;
            sum += (uint32_t)(first * second);
        }
        result[i] = sum;
    }
}

/* Products of 24 bits: the lower 32 of 48 bits, or the upper ones. */
#define DEFINE_MUL24(name, value_t, wide_t, shift)                                                 \
    SMC_DEFINE_ALU(                                                                                \
        SMC_FOR_EACH_CPU static, name, lane_u32, lane_u32, lane_u32, lane_u32,                     \
        (uint32_t)((wide_t)((value_t)(x << 8) >> 8) * (wide_t)((value_t)(y << 8) >> 8) >> shift))
DEFINE_MUL24(mul24_lo_u32, uint32_t, uint64_t, 0)
DEFINE_MUL24(mul24_lo_s32, int32_t, int64_t, 0)
DEFINE_MUL24(mul24_hi_u32, uint32_t, uint64_t, 16)
DEFINE_MUL24(mul24_hi_s32, int32_t, int64_t, 16)
smc_alu_by_type smc_mul24_lo = {[SMC_PTX_U32] = mul24_lo_u32, [SMC_PTX_S32] = mul24_lo_s32};
smc_alu_by_type smc_mul24_hi = {[SMC_PTX_U32] = mul24_hi_u32, [SMC_PTX_S32] = mul24_hi_s32};
