/* cvt over 32 lanes: between all types of up to 64 bits. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "emulator/lanes.h"
#include "emulator/ops.h"

/* A value on its way: an integer of up to 64 bits, or a number that a double holds exactly. */
struct value {
    bool is_float;
    bool is_negative; /* of an integer: `integer` is a negative int64_t */
    uint64_t integer;
    double number;
};

/* --- Half precision and bfloat16 -------------------------------------------------------------- */

struct narrow {
    int digits; /* of the significand, the leading one included */
    int least;  /* exponent of the least normal number */
    int most;   /* of the greatest */
    uint32_t nan;
};
static const struct narrow half = {11, -14, 15, 0x7fff}, bfloat = {8, -126, 127, 0x7fff};

static double of_narrow(const struct narrow *format, uint32_t bits)
{
    uint32_t fraction_bits = (uint32_t)format->digits - 1;
    uint32_t fraction = bits & ((1u << fraction_bits) - 1);
    int exponent = (int)((bits & 0x7fff) >> fraction_bits);
    double value;
    if (exponent == format->most - format->least + 2)
        value = fraction ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, format->least - (int)fraction_bits);
    else
        value = ldexp(fraction + (double)(1u << fraction_bits),
                      exponent - 1 + format->least - (int)fraction_bits);
    return bits & 0x8000 ? -value : value;
}

/* Rounded as the mode that is set. */
static uint32_t to_narrow(const struct narrow *format, double value)
{
    uint32_t sign = signbit(value) ? 0x8000 : 0, fraction_bits = (uint32_t)format->digits - 1;
    uint32_t infinity = (uint32_t)(format->most - format->least + 2) << fraction_bits;
    int exponent;
    if (isnan(value))
        return format->nan;
    if (isinf(value))
        return sign | infinity;
    if (value == 0)
        return sign;
    frexp(value, &exponent);
    exponent = exponent - 1 < format->least ? format->least : exponent - 1;
    double steps = fabs(nearbyint(ldexp(value, (int)fraction_bits - exponent)));
    /* A carry out of the fraction moves on into the exponent; a subnormal has exponent 0. */
    uint32_t bits = ((uint32_t)(exponent - format->least) << fraction_bits) + (uint32_t)steps;
    if (bits >= infinity) {
        double beyond = nearbyint(sign ? -1.25 : 1.25); /* away from zero, or not */
        bool to_infinity = fegetround() == FE_TONEAREST || fabs(beyond) > 1;
        return sign | (to_infinity ? infinity : infinity - 1);
    }
    return sign | bits;
}

/* --- In and out ------------------------------------------------------------------------------- */

static double number_of(enum smc_ptx_type type, uint64_t bits)
{
    float single;
    double number;
    switch (type) {
    case SMC_PTX_F16:
        return of_narrow(&half, (uint32_t)bits & 0xffff);
    case SMC_PTX_BF16:
        return of_narrow(&bfloat, (uint32_t)bits & 0xffff);
    case SMC_PTX_F32:
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    default:
        memcpy(&number, &bits, sizeof number);
        return number;
    }
}

static struct value fetch(enum smc_ptx_type type, uint64_t bits)
{
    const struct smc_ptx_type_info *info = &smc_ptx_type_info[type];
    if (info->class == SMC_CLASS_FLOAT)
        return (struct value){.is_float = true, .number = number_of(type, bits)};
    unsigned unused = 64 - 8u * info->bytes;
    if (info->class == SMC_CLASS_SIGNED) {
        int64_t value = (int64_t)(bits << unused) >> unused;
        return (struct value){.is_negative = value < 0, .integer = (uint64_t)value};
    }
    return (struct value){.integer = bits << unused >> unused};
}

static uint64_t store_float(enum smc_ptx_type type, double number)
{
    float single = (float)number;
    uint32_t single_bits;
    uint64_t bits;
    switch (type) {
    case SMC_PTX_F16:
        return to_narrow(&half, number);
    case SMC_PTX_BF16:
        return to_narrow(&bfloat, number);
    case SMC_PTX_F32:
        memcpy(&single_bits, &single, sizeof single);
        return isnan(single) ? 0x7fffffff : single_bits;
    default:
        memcpy(&bits, &number, sizeof bits);
        return bits;
    }
}

static uint64_t float_of_integer(enum smc_ptx_type type, const struct value *value)
{
    if (type == SMC_PTX_F32) { /* rounded once */
        float single = value->is_negative ? (float)(int64_t)value->integer : (float)value->integer;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    double number = value->is_negative ? (double)(int64_t)value->integer : (double)value->integer;
    if (type == SMC_PTX_F64)
        return store_float(type, number);
    /* A double may not hold it: what is below its bits is told by the last of them. */
    uint64_t size = value->is_negative ? 0 - value->integer : value->integer;
    if (size >> 53)
        number = copysign(ldexp((double)(size >> 11 | ((size & 2047) != 0)), 11), number);
    return store_float(type, number);
}

/* What a type of integers holds. */
struct limits {
    int64_t least;
    uint64_t most;
};

static struct limits limits_of(enum smc_ptx_type type)
{
    const struct smc_ptx_type_info *info = &smc_ptx_type_info[type];
    unsigned bits = 8u * info->bytes;
    if (info->class == SMC_CLASS_SIGNED)
        return (struct limits){-(INT64_C(1) << (bits - 2)) * 2, (UINT64_C(1) << (bits - 1)) - 1};
    return (struct limits){0, bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1};
}

/* NaN becomes 0, but with 64 bits on either side the least number (PTX ISA, cvt). */
static uint64_t integer_of_float(const struct smc_op *op, double number)
{
    struct limits limits = limits_of(op->type);
    unsigned bytes = smc_ptx_type_info[op->type].bytes;
    unsigned bits = 8 * bytes - (limits.least < 0);
    if (isnan(number)) {
        bool wide = op->immediate == SMC_PTX_F64 || bytes == 8;
        return wide ? UINT64_C(1) << (8 * bytes - 1) : 0;
    }
    number = nearbyint(number);
    if (number <= (double)limits.least)
        return (uint64_t)limits.least;
    if (number >= ldexp(1, (int)bits)) /* 2^bits: `most` itself may be no double */
        return limits.most;
    return number < 0 ? (uint64_t)(int64_t)number : (uint64_t)number;
}

static uint64_t clamped(const struct smc_op *op, const struct value *value)
{
    struct limits limits = limits_of(op->type);
    if (value->is_negative)
        return (int64_t)value->integer < limits.least ? (uint64_t)limits.least : value->integer;
    return value->integer > limits.most ? limits.most : value->integer;
}

static double flushed(double number, enum smc_ptx_type type)
{
    bool subnormal = type == SMC_PTX_F32 && fabs(number) < 0x1p-126;
    return subnormal ? copysign(0, number) : number;
}

static uint64_t convert_one(const struct smc_op *op, uint64_t bits)
{
    enum smc_ptx_type from = (enum smc_ptx_type)op->immediate;
    struct value value = fetch(from, bits);
    bool to_float = smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT;
    if (!value.is_float && to_float)
        return float_of_integer(op->type, &value);
    if (!value.is_float)
        return op->saturates ? clamped(op, &value) : value.integer;
    double number = op->flushes ? flushed(value.number, from) : value.number;
    if (!to_float)
        return integer_of_float(op, number);
    if (op->to_integral)
        number = nearbyint(number);
    if (op->saturates)
        number = !(number > 0) ? 0 : number > 1 ? 1 : number;
    uint64_t out = store_float(op->type, number);
    if (op->flushes && op->type == SMC_PTX_F32 && !(out & 0x7f800000))
        out &= 0x80000000;
    return out;
}

/* A result narrower than the register is extended to it as its type has a sign or not. */
static uint64_t extended(enum smc_ptx_type type, uint64_t bits)
{
    const struct smc_ptx_type_info *info = &smc_ptx_type_info[type];
    unsigned unused = 64 - 8u * info->bytes;
    if (info->class == SMC_CLASS_SIGNED)
        return (uint64_t)((int64_t)(bits << unused) >> unused);
    return bits << unused >> unused;
}

void smc_convert(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    static const int modes[] = {[SMC_ROUND_NEAREST] = FE_TONEAREST,
                                [SMC_ROUND_ZERO] = FE_TOWARDZERO,
                                [SMC_ROUND_DOWN] = FE_DOWNWARD,
                                [SMC_ROUND_UP] = FE_UPWARD};
    uint64_t out[SMC_LANES];
    (void)b, (void)c;
    if (op->rounding != SMC_ROUND_NEAREST)
        fesetround(modes[op->rounding]);
    for (unsigned i = 0; i < SMC_LANES; i++) {
        uint64_t bits =
            op->v_kind[0] == SMC_SLOT_64 ? ((const lane_u64 *)a)[i] : ((const lane_u32 *)a)[i];
        out[i] = extended(op->type, convert_one(op, bits));
    }
    if (op->rounding != SMC_ROUND_NEAREST)
        fesetround(FE_TONEAREST);
    for (unsigned i = 0; i < SMC_LANES; i++)
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)d)[i] = out[i];
        else
            ((lane_u32 *)d)[i] = (uint32_t)out[i];
}

/* --- The ones that address arithmetic is made of ---------------------------------------------- */

#define DEFINE(name, to_t, from_t)                                                                 \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        to_t *result = d;                                                                          \
        const from_t *x = a;                                                                       \
        (void)op, (void)b, (void)c;                                                                \
        EACH_LANE(i) result[i] = (to_t)x[i];                                                       \
    }
DEFINE(widen_u32, lane_u64, lane_u32)
DEFINE(widen_s32, lane_s64, lane_s32)
DEFINE(cut_64, lane_u32, lane_u64)
DEFINE(f32_of_s32, lane_f32, lane_s32)
DEFINE(f64_of_s32, lane_f64, lane_s32)

smc_alu *smc_convert_fast(const struct smc_op *op)
{
    static const struct {
        enum smc_ptx_type to, from;
        enum smc_slot_kind to_kind, from_kind;
        smc_alu *alu;
    } fast[] = {
        {SMC_PTX_U64, SMC_PTX_U32, SMC_SLOT_64, SMC_SLOT_32, widen_u32},
        {SMC_PTX_S64, SMC_PTX_U32, SMC_SLOT_64, SMC_SLOT_32, widen_u32},
        {SMC_PTX_S64, SMC_PTX_S32, SMC_SLOT_64, SMC_SLOT_32, widen_s32},
        {SMC_PTX_U64, SMC_PTX_S32, SMC_SLOT_64, SMC_SLOT_32, widen_s32},
        {SMC_PTX_U32, SMC_PTX_U64, SMC_SLOT_32, SMC_SLOT_64, cut_64},
        {SMC_PTX_U32, SMC_PTX_S64, SMC_SLOT_32, SMC_SLOT_64, cut_64},
        {SMC_PTX_S32, SMC_PTX_U64, SMC_SLOT_32, SMC_SLOT_64, cut_64},
        {SMC_PTX_S32, SMC_PTX_S64, SMC_SLOT_32, SMC_SLOT_64, cut_64},
        {SMC_PTX_F32, SMC_PTX_S32, SMC_SLOT_32, SMC_SLOT_32, f32_of_s32},
        {SMC_PTX_F64, SMC_PTX_S32, SMC_SLOT_64, SMC_SLOT_32, f64_of_s32},
    };
    if (op->saturates || op->flushes || op->rounding != SMC_ROUND_NEAREST)
        return NULL;
    for (size_t i = 0; i < sizeof fast / sizeof *fast; i++)
        if (op->type == fast[i].to && op->immediate == fast[i].from &&
            op->d_kind == fast[i].to_kind && op->v_kind[0] == fast[i].from_kind)
            return fast[i].alu;
    return NULL;
}
