/* Integer arithmetic over 32 lanes. */
#include "emulator/lanes.h"
#include "emulator/ops.h"

typedef __int128 int128_t;
typedef unsigned __int128 uint128_t;

/* For each type: how a lane lies, as what it is read, and how the result is cut. */
#define AS_u16 lane_u32, uint16_t, uint16_t, uint32_t
#define AS_s16 lane_u32, int16_t, uint16_t, int32_t
#define AS_u32 lane_u32, uint32_t, uint32_t, uint64_t
#define AS_s32 lane_u32, int32_t, uint32_t, int64_t
#define AS_u64 lane_u64, uint64_t, uint64_t, uint128_t
#define AS_s64 lane_u64, int64_t, uint64_t, int128_t

#define DEFINE(name, type, expression) DEFINE_AS(name##_##type, AS_##type, expression)
#define DEFINE_AS(...)                 DEFINE_LANES(__VA_ARGS__)
#define DEFINE_LANES(name, lane_t, value_t, bits_t, wide_t, expression)                            \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        typedef value_t value;                                                                     \
        typedef bits_t bits;                                                                       \
        typedef wide_t wide;                                                                       \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b, *third = c;                                          \
        (void)op, (void)third, (void)second;                                                       \
        (void)sizeof(bits), (void)sizeof(wide);                                                    \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
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
/* Where the sign makes no difference. */
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

/* Division by zero gives what an H200 gives: all bits set, in the rest as well. The least number by
   -1 stays itself. */
FOR_UNSIGNED(div, y ? x / y : (bits)-1)
FOR_UNSIGNED(rem, y ? x % y : (bits)-1)
FOR_SIGNED(div, y == 0 ? (bits)-1 : y == -1 ? -(bits)x : (bits)(x / y))
FOR_SIGNED(rem, y == 0 ? (bits)-1 : y == -1 ? 0 : (bits)(x % y))

smc_alu_by_type smc_integer_add = {TABLE_ANY(add)};
smc_alu_by_type smc_integer_sub = {TABLE_ANY(sub)};
smc_alu_by_type smc_integer_mul_lo = {TABLE_ANY(mul_lo)};
smc_alu_by_type smc_integer_mul_hi = {TABLE_BOTH(mul_hi)};
smc_alu_by_type smc_integer_mad_lo = {TABLE_ANY(mad_lo)};
smc_alu_by_type smc_integer_mad_hi = {TABLE_BOTH(mad_hi)};
smc_alu_by_type smc_integer_div = {TABLE_BOTH(div)};
smc_alu_by_type smc_integer_rem = {TABLE_BOTH(rem)};
smc_alu_by_type smc_integer_min = {TABLE_BOTH(min)};
smc_alu_by_type smc_integer_max = {TABLE_BOTH(max)};
smc_alu_by_type smc_integer_abs = {TABLE_SIGNED(abs)};
smc_alu_by_type smc_integer_neg = {TABLE_SIGNED(neg)};
smc_alu_by_type smc_integer_sad = {TABLE_BOTH(sad)};

/* Results twice as wide as the factors: 16 bits lie in 32 as they are, 32 become 64. */
#define DEFINE_WIDE(name, value_t, lane_t, wide_t, add_third)                                      \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_u32 *first = a, *second = b;                                                    \
        const lane_t *third = c;                                                                   \
        lane_t product[SMC_LANES];                                                                 \
        (void)op, (void)third;                                                                     \
        EACH_LANE(i)                                                                               \
        product[i] = (lane_t)((wide_t)(value_t)first[i] * (wide_t)(value_t)second[i]);             \
        EACH_LANE(i) result[i] = product[i] + (add_third ? third[i] : 0);                          \
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
    void name(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)       \
    {                                                                                              \
        lane_s32 *result = d;                                                                      \
        const lane_s32 *first = a, *second = b, *third = c;                                        \
        (void)op, (void)third;                                                                     \
        for (unsigned i = 0; i < SMC_LANES; i++) {                                                 \
            const int64_t x = first[i], y = second[i];                                             \
            result[i] = saturated(expression);                                                     \
        }                                                                                          \
    }
DEFINE_SATURATED(smc_integer_add_sat, x + y)
DEFINE_SATURATED(smc_integer_sub_sat, x - y)
DEFINE_SATURATED(smc_integer_mad_hi_sat, (x * y >> 32) + third[i])

/* --- Carries: predicate c comes in; a second op gives the one that goes out ------------------- */

#define DEFINE_CARRY(suffix, lane_t, bits_t, wide_t)                                               \
    static void add_carry_##suffix(const struct smc_op *op, void *d, const void *a, const void *b, \
                                   const void *c)                                                  \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t carry = *(const lane_u32 *)c;                                               \
        (void)op;                                                                                  \
        EACH_LANE(i) result[i] = first[i] + second[i] + ((carry & smc_lane_bit[i]) != 0);          \
    }                                                                                              \
    static void sub_borrow_##suffix(const struct smc_op *op, void *d, const void *a,               \
                                    const void *b, const void *c)                                  \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t borrow = *(const lane_u32 *)c;                                              \
        (void)op;                                                                                  \
        EACH_LANE(i) result[i] = first[i] - second[i] - ((borrow & smc_lane_bit[i]) != 0);         \
    }                                                                                              \
    static void carry_of_add_##suffix(const struct smc_op *op, void *d, const void *a,             \
                                      const void *b, const void *c)                                \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t carry = *(const lane_u32 *)c;                                               \
        uint8_t out[SMC_LANES];                                                                    \
        (void)op;                                                                                  \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            out[i] =                                                                               \
                ((wide_t)first[i] + second[i] + (carry >> i & 1)) >> (8 * sizeof(bits_t)) != 0;    \
        *(lane_u32 *)d = smc_mask_of(out);                                                         \
    }                                                                                              \
    static void borrow_of_sub_##suffix(const struct smc_op *op, void *d, const void *a,            \
                                       const void *b, const void *c)                               \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        const uint32_t borrow = *(const lane_u32 *)c;                                              \
        uint8_t out[SMC_LANES];                                                                    \
        (void)op;                                                                                  \
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
