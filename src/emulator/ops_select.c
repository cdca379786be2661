/* Moving and choosing over 32 lanes. */
#include <string.h>

#include "emulator/lanes.h"
#include "emulator/ops.h"

void smc_move_predicate(const struct smc_op *op, void *d, const void *a, const void *b,
                        const void *c)
{
    (void)op, (void)b, (void)c;
    *(lane_u32 *)d = *(const lane_u32 *)a;
}

void smc_not_predicate(const struct smc_op *op, void *d, const void *a, const void *b,
                       const void *c)
{
    (void)op, (void)b, (void)c;
    *(lane_u32 *)d = ~*(const lane_u32 *)a;
}

void smc_move_32(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    (void)op, (void)b, (void)c;
    memmove(d, a, SMC_LANES * sizeof(uint32_t));
}

void smc_move_64(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    (void)op, (void)b, (void)c;
    memmove(d, a, SMC_LANES * sizeof(uint64_t));
}

#define DEFINE(name, to_t, from_t, expression)                                                     \
    void name(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)       \
    {                                                                                              \
        to_t *result = d;                                                                          \
        const from_t *x = a, *y = b;                                                               \
        to_t out[SMC_LANES];                                                                       \
        (void)op, (void)y, (void)c;                                                                \
        EACH_LANE(i) out[i] = (to_t)(expression);                                                  \
        EACH_LANE(i) result[i] = out[i];                                                           \
    }
DEFINE(smc_pack_32, lane_u64, lane_u32, (uint64_t)y[i] << 32 | x[i])
DEFINE(smc_pack_16, lane_u32, lane_u32, y[i] << 16 | (x[i] & 0xffff))
DEFINE(smc_unpack_low, lane_u32, lane_u64, x[i])
DEFINE(smc_unpack_high, lane_u32, lane_u64, x[i] >> 32)
DEFINE(smc_unpack_low_16, lane_u32, lane_u32, x[i] & 0xffff)
DEFINE(smc_unpack_high_16, lane_u32, lane_u32, x[i] >> 16)

#define DEFINE_SELECT(name, lane_t)                                                                \
    void name(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)       \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *x = a, *y = b;                                                               \
        (void)op;                                                                                  \
        const uint32_t chosen = *(const lane_u32 *)c;                                              \
        EACH_LANE(i) result[i] = chosen & smc_lane_bit[i] ? x[i] : y[i];                           \
    }
DEFINE_SELECT(smc_select_32, lane_u32)
DEFINE_SELECT(smc_select_64, lane_u64)

/* slct: a where c is not negative (-0.0 counts as 0, a NaN as negative). */
#define DEFINE_SLCT(name, lane_t, sign_t)                                                          \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *x = a, *y = b;                                                               \
        const sign_t *sign = c;                                                                    \
        (void)op;                                                                                  \
        EACH_LANE(i) result[i] = sign[i] >= 0 ? x[i] : y[i];                                       \
    }
DEFINE_SLCT(slct_32_s32, lane_u32, lane_s32)
DEFINE_SLCT(slct_64_s32, lane_u64, lane_s32)
DEFINE_SLCT(slct_32_f32, lane_u32, lane_f32)
DEFINE_SLCT(slct_64_f32, lane_u64, lane_f32)

/* By the type that is chosen, and by what decides. */
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
