/* Comparisons over 32 lanes: a mask comes out. */
#include <string.h>

#include "emulator/lanes.h"
#include "emulator/ops.h"

/* The result of the comparison, negated and combined with predicate c as the op says. */
static uint32_t combined(const struct smc_op *op, uint32_t mask, const void *c)
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
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        uint8_t holds[SMC_LANES];                                                                  \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
            const value_t x = (value_t)first[i], y = (value_t)second[i];                           \
            holds[i] = expression;                                                                 \
        }                                                                                          \
        *(lane_u32 *)d = combined(op, smc_mask_of(holds), c);                                      \
    }

/* The others are these, negated or with the operands' order kept: ne, gt and ge as well for
   speed. */
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

/* Each name as one of the above, negated or not. Unordered comparisons hold for a NaN: they are
   the opposite ordered ones, negated. */
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

void smc_set_bits(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    lane_u32 *result = d;
    const uint32_t mask = *(const lane_u32 *)a;
    (void)op, (void)b, (void)c;
    EACH_LANE(i) result[i] = mask & smc_lane_bit[i] ? UINT32_MAX : 0;
}

void smc_set_float(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    lane_f32 *result = d;
    const uint32_t mask = *(const lane_u32 *)a;
    (void)op, (void)b, (void)c;
    EACH_LANE(i) result[i] = mask & smc_lane_bit[i] ? 1.0f : 0.0f;
}
