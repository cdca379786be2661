/* Arithmetic on half precision and bfloat16, alone and in pairs, over the 32 lanes of a warp. A
   result is rounded once (narrow.h). ex2 and tanh are those of single precision, cut off: equal for
   all 2^16 operands of each on an H100 (driver 580.159.04, 2026-11-23). */
#include <math.h>

#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/special_functions.h"
#include "machine/narrow.h"

static bool is_nan(const struct smc_narrow *format, uint32_t bits)
{
    return (bits & 0x7fff) > format->infinity;
}

static uint32_t flushed(const struct smc_op *op, const struct smc_narrow *format, uint32_t bits)
{
    bits &= 0xffff;
    return op->flushes && !(bits & format->infinity) ? bits & 0x8000 : bits;
}

static uint32_t ops_half_finished(const struct smc_op *op, const struct smc_narrow *format,
                                  uint32_t bits)
{
    if (is_nan(format, bits))
        return op->saturates ? 0 : format->nan;
    bits = flushed(op, format, bits);
    if ((op->saturates || op->finish & SMC_FINISH_RELU) && bits & 0x8000)
        return 0;
    return op->saturates && bits > format->one ? format->one : bits;
}

/* x, y and z: the operands; the expression is a double. */
#define DEFINE(name, expression)                                                                   \
    static inline uint32_t name(const struct smc_op *op, const struct smc_narrow *format,          \
                                uint32_t a, uint32_t b, uint32_t c)                                \
    {                                                                                              \
        const double x = smc_of_narrow(format, flushed(op, format, a));                            \
        const double y = smc_of_narrow(format, flushed(op, format, b));                            \
        const double z = smc_of_narrow(format, flushed(op, format, c));                            \
        (void)y, (void)z;                                                                          \
        return ops_half_finished(op, format, smc_to_narrow(format, expression));                   \
    }
DEFINE(add, smc_sum_to_odd(x, y))
DEFINE(sub, smc_sum_to_odd(x, -y))
DEFINE(mul, x *y)
DEFINE(fma_once, smc_sum_to_odd(x *y, z))
DEFINE(fma_subtracts, smc_sum_to_odd(x *y, -z))
DEFINE(fma_negates, smc_sum_to_odd(-x *y, z))
DEFINE(fma_negates_all, smc_sum_to_odd(-x *y, -z))

DEFINE(exponential,
       smc_special_cut_off(format, smc_special_ex2(smc_bits_of_float((float)x), op->flushes)))
DEFINE(tangent, smc_special_cut_off(format, smc_special_tanh(smc_bits_of_float((float)x))))

/* Places on the number line; -0 is below +0. */
static int32_t order(uint32_t bits)
{
    return bits & 0x8000 ? ~(int32_t)(bits & 0x7fff) : (int32_t)bits;
}

static inline uint32_t extreme(const struct smc_op *op, const struct smc_narrow *format, uint32_t a,
                               uint32_t b, bool least)
{
    uint32_t x = flushed(op, format, a), y = flushed(op, format, b), out;
    const uint32_t sign = (x ^ y) & 0x8000;
    const bool by_size = op->finish & SMC_FINISH_XOR_SIGN;
    if (by_size) {
        x &= 0x7fff;
        y &= 0x7fff;
    }
    if (is_nan(format, x) || is_nan(format, y)) {
        out = is_nan(format, x) ? y : x;
        if (is_nan(format, out) || op->finish & SMC_FINISH_NAN)
            return format->nan;
    } else {
        out = (order(x) < order(y)) == least ? x : y;
    }
    return ops_half_finished(op, format, by_size ? out | sign : out);
}

static inline uint32_t minimum(const struct smc_op *op, const struct smc_narrow *format, uint32_t a,
                               uint32_t b, uint32_t c)
{
    (void)c;
    return extreme(op, format, a, b, true);
}

static inline uint32_t maximum(const struct smc_op *op, const struct smc_narrow *format, uint32_t a,
                               uint32_t b, uint32_t c)
{
    (void)c;
    return extreme(op, format, a, b, false);
}

/* Computed by an addition, which returns the one NaN (seen on an H100, driver 580). */
static inline uint32_t absolute(const struct smc_op *op, const struct smc_narrow *format,
                                uint32_t a, uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return is_nan(format, a) ? format->nan : flushed(op, format, a) & 0x7fff;
}

static inline uint32_t negated(const struct smc_op *op, const struct smc_narrow *format, uint32_t a,
                               uint32_t b, uint32_t c)
{
    (void)b, (void)c;
    return is_nan(format, a) ? format->nan : flushed(op, format, a) ^ 0x8000;
}

/* --- Over the lanes --------------------------------------------------------------------------- */

#define DEFINE_LANES(name, one, format)                                                            \
    static void name(SMC_ALU_PARAMETERS)                                                           \
    {                                                                                              \
        lane_u32 *result = d;                                                                      \
        const lane_u32 *x = a, *y = b, *z = c;                                                     \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            result[i] = one(op, &format, x[i], y[i], z[i]);                                        \
    }                                                                                              \
    static void name##_pair(SMC_ALU_PARAMETERS)                                                    \
    {                                                                                              \
        lane_u32 *result = d;                                                                      \
        const lane_u32 *x = a, *y = b, *z = c;                                                     \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            result[i] = one(op, &format, x[i] >> 16, y[i] >> 16, z[i] >> 16) << 16 |               \
                        one(op, &format, x[i], y[i], z[i]);                                        \
    }
#define DEFINE_TABLE(name, one)        DEFINE_TABLE_AS(, name, one)
#define DEFINE_STATIC_TABLE(name, one) DEFINE_TABLE_AS(static, name, one)
#define DEFINE_TABLE_AS(linkage, name, one)                                                        \
    DEFINE_LANES(one##_half, one, smc_half)                                                        \
    DEFINE_LANES(one##_bfloat, one, smc_bfloat)                                                    \
    linkage smc_alu_by_type name = {[SMC_PTX_F16] = one##_half,                                    \
                                    [SMC_PTX_F16X2] = one##_half_pair,                             \
                                    [SMC_PTX_BF16] = one##_bfloat,                                 \
                                    [SMC_PTX_BF16X2] = one##_bfloat_pair};
DEFINE_TABLE(smc_half_add, add)
DEFINE_TABLE(smc_half_sub, sub)
DEFINE_TABLE(smc_half_mul, mul)
DEFINE_TABLE(smc_half_fma, fma_once)
DEFINE_STATIC_TABLE(half_fma_subtracts, fma_subtracts)
DEFINE_STATIC_TABLE(half_fma_negates, fma_negates)
DEFINE_STATIC_TABLE(half_fma_negates_all, fma_negates_all)
DEFINE_TABLE(smc_half_min, minimum)
DEFINE_TABLE(smc_half_max, maximum)
DEFINE_TABLE(smc_half_abs, absolute)
DEFINE_TABLE(smc_half_neg, negated)
DEFINE_TABLE(smc_half_ex2, exponential)
DEFINE_TABLE(smc_half_tanh, tangent)

smc_alu *smc_half_fused(enum smc_ptx_type type, struct smc_fma_signs minus)
{
    smc_alu_by_type *const tables[2][2] = {{&smc_half_fma, &half_fma_subtracts},
                                           {&half_fma_negates, &half_fma_negates_all}};
    return (*tables[minus.minus_product][minus.minus_addend])[type];
}

/* --- Single precision from a half, and pairs of narrow numbers from single precision ---------- */

/* immediate: the bit of the source at which the half begins. */
#define DEFINE_WIDEN(name, format)                                                                 \
    static void name(SMC_ALU_PARAMETERS)                                                           \
    {                                                                                              \
        const lane_u32 *x = a;                                                                     \
        lane_f32 *result = d;                                                                      \
        for (unsigned i = 0; i < SMC_LANES; i++)                                                   \
            result[i] =                                                                            \
                (float)smc_of_narrow(&format, flushed(op, &format, x[i] >> (op->immediate & 16))); \
    }
DEFINE_WIDEN(widen_half, smc_half)
DEFINE_WIDEN(widen_bfloat, smc_bfloat)
smc_alu_by_type smc_half_widen = {[SMC_PTX_F16] = widen_half,
                                  [SMC_PTX_F16X2] = widen_half,
                                  [SMC_PTX_BF16] = widen_bfloat,
                                  [SMC_PTX_BF16X2] = widen_bfloat};

static const struct smc_narrow *format_of(enum smc_ptx_type type)
{
    return type == SMC_PTX_F16 || type == SMC_PTX_F16X2     ? &smc_half
           : type == SMC_PTX_BF16 || type == SMC_PTX_BF16X2 ? &smc_bfloat
           : type == SMC_PTX_E4M3X2                         ? &smc_e4m3
                                                            : &smc_e5m2;
}

static uint32_t narrowed(const struct smc_op *op, const struct smc_narrow *format, double x)
{
    uint32_t bits = smc_to_narrow(format, x), size = bits & (format->sign - 1);
    if (isnan(x))
        return format->nan;
    /* Towards zero: one less where the magnitude was rounded up. */
    if (op->rounding == SMC_ROUND_ZERO && fabs(smc_of_narrow(format, size)) > fabs(x)) {
        bits--;
        size--;
    }
    if (op->finish & SMC_FINISH_RELU && bits & format->sign)
        return 0;
    if (op->finish & SMC_FINISH_FINITE && size >= format->infinity)
        return (bits & format->sign) | format->largest;
    return bits;
}

/* cvt of a to the upper and b to the lower element of a pair; op->type: of the pair. */
void smc_narrow_pair(SMC_ALU_PARAMETERS)
{
    const struct smc_narrow *format = format_of(op->type);
    const unsigned bits = format->sign == 0x80 ? 8 : 16;
    const lane_f32 *high = a, *low = b;
    lane_u32 *result = d;
    for (unsigned i = 0; i < SMC_LANES; i++)
        result[i] =
            narrowed(op, format, (double)high[i]) << bits | narrowed(op, format, (double)low[i]);
}

/* cvt between pairs of 16 and of 8 bits; op->immediate: the type of a. */
void smc_convert_pair(SMC_ALU_PARAMETERS)
{
    const struct smc_narrow *to = format_of(op->type);
    const struct smc_narrow *from = format_of((enum smc_ptx_type)op->immediate);
    const unsigned to_bits = to->sign == 0x80 ? 8 : 16, from_bits = from->sign == 0x80 ? 8 : 16;
    const lane_u32 *x = a;
    lane_u32 *result = d;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        double low = smc_of_narrow(from, x[i] & (2 * from->sign - 1));
        double high = smc_of_narrow(from, x[i] >> from_bits & (2 * from->sign - 1));
        result[i] = narrowed(op, to, high) << to_bits | narrowed(op, to, low);
    }
}

/* cvt to tf32: 10 bits of fraction are kept. */
void smc_to_tf32(SMC_ALU_PARAMETERS)
{
    enum { LOST = 13 };
    const uint32_t lost = (1u << LOST) - 1, half = 1u << (LOST - 1);
    const lane_u32 *x = a;
    lane_u32 *result = d;
    for (unsigned i = 0; i < SMC_LANES; i++) {
        uint32_t size = x[i] & 0x7fffffff, sign = x[i] & 0x80000000;
        if (size > 0x7f800000) {
            result[i] = 0x7fffffff;
            continue;
        }
        if (size < 0x7f800000 && op->rounding == SMC_ROUND_NEAREST)
            size += op->finish & SMC_FINISH_TIES_AWAY ? half : half - 1 + (size >> LOST & 1);
        size &= ~lost;
        if (op->finish & SMC_FINISH_FINITE && size >= 0x7f800000)
            size = 0x7f7fffff & ~lost;
        result[i] = op->finish & SMC_FINISH_RELU && sign ? 0 : sign | size;
    }
}
