/* Moves, selections and comparisons over 32 lanes. The result of a comparison is a mask of
   lanes. */
#include <string.h>

#include "machine/emulator/emulator_steps.h"

/* --- Moves and selections --------------------------------------------------------------------- */

void smc_move_predicate(SMC_ALU_PARAMETERS)
{
    *(lane_u32 *)d = *(const lane_u32 *)a;
}

void smc_not_predicate(SMC_ALU_PARAMETERS)
{
    *(lane_u32 *)d = ~*(const lane_u32 *)a;
}

void smc_move_32(SMC_ALU_PARAMETERS)
{
    memmove(d, a, SMC_LANES * sizeof(uint32_t));
}

void smc_move_64(SMC_ALU_PARAMETERS)
{
    memmove(d, a, SMC_LANES * sizeof(uint64_t));
}

#define DEFINE_MOVE(name, to_t, from_t, expression)                                                \
    SMC_FOR_EACH_CPU void name(SMC_ALU_PARAMETERS)                                                 \
    {                                                                                              \
        to_t *result = d;                                                                          \
        const from_t *x = a, *y = b;                                                               \
        to_t out[SMC_LANES];                                                                       \
        (void)y;                                                                                   \
        EACH_LANE(i)                                                                               \
            out[i] = (to_t)(expression);                                                           \
        EACH_LANE(i)                                                                               \
            result[i] = out[i];                                                                    \
    }
DEFINE_MOVE(smc_pack_32, lane_u64, lane_u32, (uint64_t)y[i] << 32 | x[i])
DEFINE_MOVE(smc_pack_16, lane_u32, lane_u32, y[i] << 16 | (x[i] & 0xffff))
DEFINE_MOVE(smc_unpack_low, lane_u32, lane_u64, x[i])
DEFINE_MOVE(smc_unpack_high, lane_u32, lane_u64, x[i] >> 32)
DEFINE_MOVE(smc_unpack_low_16, lane_u32, lane_u32, x[i] & 0xffff)
DEFINE_MOVE(smc_unpack_high_16, lane_u32, lane_u32, x[i] >> 16)

#define DEFINE_SELECT(name, lane_t)                                                                \
    SMC_FOR_EACH_CPU void name(SMC_ALU_PARAMETERS)                                                 \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *x = a, *y = b;                                                               \
        const uint32_t chosen = *(const lane_u32 *)c;                                              \
        EACH_LANE(i)                                                                               \
            result[i] = chosen & smc_lane_bit[i] ? x[i] : y[i];                                    \
    }
DEFINE_SELECT(smc_select_32, lane_u32)
DEFINE_SELECT(smc_select_64, lane_u64)

/* slct: a if c is not negative (-0.0 counts as 0, a NaN as negative). */
#define DEFINE_SLCT(name, lane_t, sign_t)                                                          \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU static, name, lane_t, lane_t, lane_t, sign_t, z >= 0 ? x : y)
DEFINE_SLCT(slct_32_s32, lane_u32, lane_s32)
DEFINE_SLCT(slct_64_s32, lane_u64, lane_s32)
DEFINE_SLCT(slct_32_f32, lane_u32, lane_f32)
DEFINE_SLCT(slct_64_f32, lane_u64, lane_f32)

/* Tables by the type that is selected, and by the type of the selector. */
smc_alu_by_type smc_select_by_sign = {
    [SMC_PTX_B32] = slct_32_s32, [SMC_PTX_U32] = slct_32_s32, [SMC_PTX_S32] = slct_32_s32,
    [SMC_PTX_F32] = slct_32_s32, [SMC_PTX_B64] = slct_64_s32, [SMC_PTX_U64] = slct_64_s32,
    [SMC_PTX_S64] = slct_64_s32, [SMC_PTX_F64] = slct_64_s32, [SMC_PTX_B16] = slct_32_s32,
    [SMC_PTX_U16] = slct_32_s32, [SMC_PTX_S16] = slct_32_s32,
};
smc_alu_by_type smc_select_by_float_sign = {
    [SMC_PTX_B32] = slct_32_f32, [SMC_PTX_U32] = slct_32_f32, [SMC_PTX_S32] = slct_32_f32,
    [SMC_PTX_F32] = slct_32_f32, [SMC_PTX_B64] = slct_64_f32, [SMC_PTX_U64] = slct_64_f32,
    [SMC_PTX_S64] = slct_64_f32, [SMC_PTX_F64] = slct_64_f32, [SMC_PTX_B16] = slct_32_f32,
    [SMC_PTX_U16] = slct_32_f32, [SMC_PTX_S16] = slct_32_f32,
};

/* --- Comparisons ------------------------------------------------------------------------------ */

/* The result of the comparison, negated and combined with predicate c as the op specifies. */
static uint32_t ops_compare_combined(const struct smc_op *op, uint32_t mask, const void *c)
{
    if (op->immediate & SMC_COMPARE_NEGATED)
        mask = ~mask;
    if (!(op->immediate & ~(uint64_t)SMC_COMPARE_NEGATED))
        return mask;
    uint32_t other = *(const lane_u32 *)c;
    return op->immediate & SMC_COMBINE_AND  ? mask & other
           : op->immediate & SMC_COMBINE_OR ? mask | other
                                            : mask ^ other;
}

#define DEFINE(name, lane_t, value_t, expression)                                                  \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        uint8_t holds[SMC_LANES];                                                                  \
        EACH_LANE(i) {                                                                             \
            const value_t x = (value_t)first[i], y = (value_t)second[i];                           \
            holds[i] = expression;                                                                 \
        }                                                                                          \
        *(lane_u32 *)d = ops_compare_combined(op, smc_mask_of(holds), c);                          \
    }

/* All other comparisons are derived from these; ne, gt and ge are included for speed. */
#define FOR_ORDER(type, lane_t, value_t)                                                           \
    DEFINE(eq_##type, lane_t, value_t, x == y)                                                     \
    DEFINE(lt_##type, lane_t, value_t, x < y)                                                      \
    DEFINE(le_##type, lane_t, value_t, x <= y)                                                     \
    DEFINE(gt_##type, lane_t, value_t, x > y)                                                      \
    DEFINE(ge_##type, lane_t, value_t, x >= y)
#define FOR_FLOAT(type, lane_t, value_t)                                                           \
    FOR_ORDER(type, lane_t, value_t)                                                               \
    DEFINE(ne_##type, lane_t, value_t, (x < y) | (x > y))                                          \
    DEFINE(nan_##type, lane_t, value_t, (x != x) | (y != y))
FOR_ORDER(u16, lane_u32, uint16_t)
FOR_ORDER(s16, lane_u32, int16_t)
FOR_ORDER(u32, lane_u32, uint32_t)
FOR_ORDER(s32, lane_u32, int32_t)
FOR_ORDER(u64, lane_u64, uint64_t)
FOR_ORDER(s64, lane_u64, int64_t)
FOR_FLOAT(f32, lane_f32, float)
FOR_FLOAT(f64, lane_f64, double)

enum base { EQ, LT, LE, GT, GE, NE, NAN_, BASES };

#define ROW_ORDER(type)                                                                            \
    [EQ] = eq_##type, [LT] = lt_##type, [LE] = le_##type, [GT] = gt_##type, [GE] = ge_##type
#define ROW_FLOAT(type) ROW_ORDER(type), [NE] = ne_##type, [NAN_] = nan_##type
static smc_alu *const by_type[SMC_PTX_TYPE_COUNT][BASES] = {
    [SMC_PTX_U16] = {ROW_ORDER(u16)}, [SMC_PTX_S16] = {ROW_ORDER(s16)},
    [SMC_PTX_B16] = {ROW_ORDER(u16)}, [SMC_PTX_U32] = {ROW_ORDER(u32)},
    [SMC_PTX_S32] = {ROW_ORDER(s32)}, [SMC_PTX_B32] = {ROW_ORDER(u32)},
    [SMC_PTX_U64] = {ROW_ORDER(u64)}, [SMC_PTX_S64] = {ROW_ORDER(s64)},
    [SMC_PTX_B64] = {ROW_ORDER(u64)}, [SMC_PTX_F32] = {ROW_FLOAT(f32)},
    [SMC_PTX_F64] = {ROW_FLOAT(f64)},
};

/* Maps each name to one of the above, negated or not. Unordered comparisons are true for a NaN:
   they are the opposite ordered comparisons, negated. */
static const struct {
    const char *name;
    enum base base;
    bool negated, integers, floats;
} names[] = {
    {"eq", EQ, false, true, true},     {"ne", EQ, true, true, false},
    {"ne", NE, false, false, true},    {"lt", LT, false, true, true},
    {"le", LE, false, true, true},     {"gt", GT, false, true, true},
    {"ge", GE, false, true, true},     {"lo", LT, false, true, false},
    {"ls", LE, false, true, false},    {"hi", GT, false, true, false},
    {"hs", GE, false, true, false},    {"equ", NE, true, false, true},
    {"neu", EQ, true, false, true},    {"ltu", GE, true, false, true},
    {"leu", GT, true, false, true},    {"gtu", LE, true, false, true},
    {"geu", LT, true, false, true},    {"num", NAN_, true, false, true},
    {"nan", NAN_, false, false, true},
};

smc_alu *smc_compare(const char *name, size_t bytes, enum smc_ptx_type type, bool *negated)
{
    bool is_float = type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[type].class == SMC_CLASS_FLOAT;
    for (size_t i = 0; i < sizeof names / sizeof *names && type < SMC_PTX_TYPE_COUNT; i++)
        if (strlen(names[i].name) == bytes && memcmp(names[i].name, name, bytes) == 0 &&
            (is_float ? names[i].floats : names[i].integers)) {
            *negated = names[i].negated;
            return by_type[type][names[i].base];
        }
    return NULL;
}

const uint32_t smc_lane_bit[SMC_LANES] = {
#define EIGHT(n)                                                                                   \
    1u << (n), 1u << ((n) + 1), 1u << ((n) + 2), 1u << ((n) + 3), 1u << ((n) + 4),                 \
        1u << ((n) + 5), 1u << ((n) + 6), 1u << ((n) + 7)
    EIGHT(0), EIGHT(8), EIGHT(16), EIGHT(24)};
