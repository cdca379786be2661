/* Floating-point arithmetic and conversions over 32 lanes, as IEEE 754 and PTX define them. What
   PTX calls approximate is computed as an H100 does (special_functions.c). */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/special_functions.h"

/* A result as GPUs return it: in single precision all NaNs are this one. */
static inline float finish_f32(float x)
{
    const uint32_t bits = 0x7fffffff;
    float nan;
    memcpy(&nan, &bits, sizeof nan);
    return x == x ? x : nan;
}

static inline double finish_f64(double x)
{
    return x;
}

#define DEFINE(name, suffix, lane_t, value_t, expression)                                          \
    SMC_FOR_EACH_CPU static void name##_##suffix(SMC_ALU_PARAMETERS)                               \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        lane_t *result = d;                                                                        \
        (void)second;                                                                              \
        EACH_LANE(i) {                                                                             \
            const value_t x = first[i], y = second[i];                                             \
            (void)y;                                                                               \
            result[i] = finish_##suffix((value_t)(expression));                                    \
        }                                                                                          \
    }
#define DEFINE_BOTH(name, expression)                                                              \
    DEFINE(name, f32, lane_f32, float, expression)                                                 \
    DEFINE(name, f64, lane_f64, double, expression)
#define TABLE(name)                                                                                \
    {                                                                                              \
        [SMC_PTX_F32] = name##_f32, [SMC_PTX_F64] = name##_f64                                     \
    }

/* The minimum. If one operand is a NaN, the result is the other one; -0 is less than +0. */
static double least(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    return x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}

static double greatest(double x, double y)
{
    if (isnan(x) || isnan(y))
        return isnan(x) ? y : x;
    return x == y ? (signbit(x) ? y : x) : x > y ? x : y;
}

DEFINE_BOTH(add, x + y)
DEFINE_BOTH(sub, x - y)
DEFINE_BOTH(mul, x *y)
DEFINE_BOTH(divide, x / y)
DEFINE_BOTH(min, least(x, y))
DEFINE_BOTH(max, greatest(x, y))
DEFINE_BOTH(min_nan, isnan(x) || isnan(y) ? NAN : least(x, y))
DEFINE_BOTH(max_nan, isnan(x) || isnan(y) ? NAN : greatest(x, y))
/* Of the magnitudes, with the sign of the product. */
static double with_product_sign(double size, double x, double y)
{
    return signbit(x) != signbit(y) ? -size : size;
}

DEFINE(min_xor, f32, lane_f32, float, with_product_sign(least(fabsf(x), fabsf(y)), x, y))
DEFINE(max_xor, f32, lane_f32, float, with_product_sign(greatest(fabsf(x), fabsf(y)), x, y))
DEFINE(min_nan_xor, f32, lane_f32, float,
       isnan(x) || isnan(y) ? NAN : with_product_sign(least(fabsf(x), fabsf(y)), x, y))
DEFINE(max_nan_xor, f32, lane_f32, float,
       isnan(x) || isnan(y) ? NAN : with_product_sign(greatest(fabsf(x), fabsf(y)), x, y))
DEFINE_BOTH(copysign, copysign(y, x))
DEFINE(rcp, f32, lane_f32, float, 1.0f / x)
DEFINE(rcp, f64, lane_f64, double, 1.0 / x)
DEFINE(root, f32, lane_f32, float, sqrtf(x))
DEFINE(root, f64, lane_f64, double, sqrt(x))

/* Of the bits x, y and whether the instruction flushes. */
#define DEFINE_APPROXIMATE(name, suffix, lane_t, expression)                                       \
    static void approximate_##name##_##suffix(SMC_ALU_PARAMETERS)                                  \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        const bool flushes = op->flushes;                                                          \
        lane_t *result = d;                                                                        \
        (void)second, (void)flushes;                                                               \
        EACH_LANE(i) {                                                                             \
            const lane_t x = first[i], y = second[i];                                              \
            (void)y;                                                                               \
            result[i] = expression;                                                                \
        }                                                                                          \
    }
DEFINE_APPROXIMATE(rcp, f32, lane_u32, smc_special_rcp(x, flushes))
DEFINE_APPROXIMATE(rcp, f64, lane_u64, smc_special_rcp_f64(x))
DEFINE_APPROXIMATE(rsqrt, f32, lane_u32, smc_special_rsqrt(x, flushes))
DEFINE_APPROXIMATE(rsqrt, f64, lane_u64, smc_special_rsqrt_f64(x, flushes))
DEFINE_APPROXIMATE(root, f32, lane_u32, smc_special_sqrt(x, flushes))
DEFINE_APPROXIMATE(lg2, f32, lane_u32, smc_special_lg2(x, flushes))
DEFINE_APPROXIMATE(ex2, f32, lane_u32, smc_special_ex2(x, flushes))
DEFINE_APPROXIMATE(sine, f32, lane_u32, smc_special_sin(x))
DEFINE_APPROXIMATE(cosine, f32, lane_u32, smc_special_cos(x))
DEFINE_APPROXIMATE(tangent, f32, lane_u32, smc_special_tanh(x))
DEFINE_APPROXIMATE(quotient, f32, lane_u32, smc_special_div_approx(x, y, flushes))
DEFINE_APPROXIMATE(full_quotient, f32, lane_u32, smc_special_div_full(x, y, flushes))

smc_alu_by_type smc_float_add = TABLE(add);
smc_alu_by_type smc_float_sub = TABLE(sub);
smc_alu_by_type smc_float_mul = TABLE(mul);
smc_alu_by_type smc_float_div = TABLE(divide);
smc_alu_by_type smc_float_min = TABLE(min);
smc_alu_by_type smc_float_max = TABLE(max);
smc_alu_by_type smc_float_min_nan = TABLE(min_nan);
smc_alu_by_type smc_float_max_nan = TABLE(max_nan);
smc_alu_by_type smc_float_min_xor = {[SMC_PTX_F32] = min_xor_f32};
smc_alu_by_type smc_float_max_xor = {[SMC_PTX_F32] = max_xor_f32};
smc_alu_by_type smc_float_min_nan_xor = {[SMC_PTX_F32] = min_nan_xor_f32};
smc_alu_by_type smc_float_max_nan_xor = {[SMC_PTX_F32] = max_nan_xor_f32};
smc_alu_by_type smc_float_copysign = TABLE(copysign);
smc_alu_by_type smc_float_rcp = TABLE(rcp);
smc_alu_by_type smc_float_sqrt = TABLE(root);
smc_alu_by_type smc_approximate_rcp = TABLE(approximate_rcp);
smc_alu_by_type smc_approximate_rsqrt = TABLE(approximate_rsqrt);
smc_alu_by_type smc_approximate_sqrt = {[SMC_PTX_F32] = approximate_root_f32};
smc_alu_by_type smc_approximate_lg2 = {[SMC_PTX_F32] = approximate_lg2_f32};
smc_alu_by_type smc_approximate_ex2 = {[SMC_PTX_F32] = approximate_ex2_f32};
smc_alu_by_type smc_approximate_sin = {[SMC_PTX_F32] = approximate_sine_f32};
smc_alu_by_type smc_approximate_cos = {[SMC_PTX_F32] = approximate_cosine_f32};
smc_alu_by_type smc_approximate_tanh = {[SMC_PTX_F32] = approximate_tangent_f32};
smc_alu_by_type smc_approximate_div = {[SMC_PTX_F32] = approximate_quotient_f32};
smc_alu_by_type smc_approximate_div_full = {[SMC_PTX_F32] = approximate_full_quotient_f32};

/* Changes only the sign bit: a NaN keeps its other bits. */
#define DEFINE_SIGN(name, lane_t, expression)                                                      \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU static, name, lane_t, lane_t, lane_t, lane_t, expression)
DEFINE_SIGN(abs_f32, lane_u32, x & 0x7fffffff)
DEFINE_SIGN(neg_f32, lane_u32, x ^ 0x80000000)
DEFINE_SIGN(abs_f64, lane_u64, x &UINT64_C(0x7fffffffffffffff))
DEFINE_SIGN(neg_f64, lane_u64, x ^ UINT64_C(0x8000000000000000))
smc_alu_by_type smc_float_abs = TABLE(abs);
smc_alu_by_type smc_float_neg = TABLE(neg);

/* --- Fused multiply-add: the CPU's instruction where it has one, else the library's ----------- */

#define DEFINE_FMA(name, attribute, minus_product, minus_addend)                                   \
    SMC_DEFINE_ALU(attribute static, name##_f32, lane_f32, lane_f32, lane_f32, lane_f32,           \
                   finish_f32(__builtin_fmaf(minus_product x, y, minus_addend z)))                 \
    SMC_DEFINE_ALU(attribute static, name##_f64, lane_f64, lane_f64, lane_f64, lane_f64,           \
                   finish_f64(__builtin_fma(minus_product x, y, minus_addend z)))
#define DEFINE_FMAS(name, attribute)                                                               \
    DEFINE_FMA(name, attribute, , )                                                                \
    DEFINE_FMA(name##_subtracts, attribute, , -)                                                   \
    DEFINE_FMA(name##_negates, attribute, -, )                                                     \
    DEFINE_FMA(name##_negates_all, attribute, -, -)
#define FMA_TABLES(name)                                                                           \
    {                                                                                              \
        {TABLE(name), TABLE(name##_subtracts)},                                                    \
        {                                                                                          \
            TABLE(name##_negates), TABLE(name##_negates_all)                                       \
        }                                                                                          \
    }
DEFINE_FMAS(fma_library, )
#if defined __x86_64__
DEFINE_FMAS(fma_instruction, __attribute__((target("avx2,fma"))))
#endif

smc_alu *smc_float_fma(enum smc_ptx_type type, struct smc_fma_signs minus)
{
    static smc_alu_by_type library[2][2] = FMA_TABLES(fma_library);
#if defined __x86_64__
    static smc_alu_by_type instruction[2][2] = FMA_TABLES(fma_instruction);
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        return instruction[minus.minus_product][minus.minus_addend][type];
#endif
    return library[minus.minus_product][minus.minus_addend][type];
}

/* --- Rounding, flushing, saturation ----------------------------------------------------------- */

static const int rounding_mode[] = {
    [SMC_ROUND_NEAREST] = FE_TONEAREST,
    [SMC_ROUND_ZERO] = FE_TOWARDZERO,
    [SMC_ROUND_DOWN] = FE_DOWNWARD,
    [SMC_ROUND_UP] = FE_UPWARD,
};

/* Flushes subnormal numbers to 0 of the same sign. */
SMC_FOR_EACH_CPU static void flush(const lane_u32 *from, lane_u32 *to)
{
    EACH_LANE(i)
        to[i] = from[i] & 0x7f800000 ? from[i] : from[i] & 0x80000000;
}

SMC_FOR_EACH_CPU static void flush_f64(const lane_u64 *from, lane_u64 *to)
{
    EACH_LANE(i)
        to[i] = from[i] & UINT64_C(0x7ff0000000000000) ? from[i]
                                                       : from[i] & UINT64_C(0x8000000000000000);
}

void smc_float_flush(SMC_ALU_PARAMETERS)
{
    flush(a, d);
}

static void saturate_f32(lane_f32 *x)
{
    for (unsigned i = 0; i < SMC_LANES; i++)
        x[i] = !(x[i] > 0) ? 0 : x[i] > 1 ? 1 : x[i];
}

static void saturate_f64(lane_f64 *x)
{
    for (unsigned i = 0; i < SMC_LANES; i++)
        x[i] = !(x[i] > 0) ? 0 : x[i] > 1 ? 1 : x[i];
}

void smc_float_modified(SMC_ALU_PARAMETERS)
{
    lane_u64 flushed[3][SMC_LANES];
    const void *source[3] = {a, b, c};
    bool wide = op->d_kind == SMC_SLOT_64;
    for (int i = 0; i < 3 && op->flushes; i++) {
        if (wide)
            flush_f64(source[i], flushed[i]);
        else
            flush(source[i], (lane_u32 *)flushed[i]);
        source[i] = flushed[i];
    }
    if (op->rounding != SMC_ROUND_NEAREST)
        fesetround(rounding_mode[op->rounding]);
    op->inner(op, d, source[0], source[1], source[2]);
    if (op->rounding != SMC_ROUND_NEAREST)
        fesetround(FE_TONEAREST);
    if (op->flushes && wide)
        flush_f64(d, d);
    else if (op->flushes)
        flush(d, d);
    if (op->saturates && wide)
        saturate_f64(d);
    else if (op->saturates)
        saturate_f32(d);
}

/* Pairs of single precision: the lower elements, then the upper ones. */
void smc_float_pair(SMC_ALU_PARAMETERS)
{
    const void *source[3] = {a, b, c};
    lane_u32 part[3][SMC_LANES], out[2][SMC_LANES];
    struct smc_op single = *op;
    lane_u64 *result = d;
    single.d_kind = SMC_SLOT_32;
    for (unsigned high = 0; high < 2; high++) {
        for (int n = 0; n < 3; n++)
            for (unsigned i = 0; i < SMC_LANES; i++)
                part[n][i] = (uint32_t)(((const lane_u64 *)source[n])[i] >> (32 * high));
        smc_float_modified(&single, out[high], part[0], part[1], part[2]);
    }
    EACH_LANE(i)
        result[i] = (uint64_t)out[1][i] << 32 | out[0][i];
}

/* --- testp ------------------------------------------------------------------------------------ */

#define DEFINE_TEST(name, lane_t, expression)                                                      \
    SMC_FOR_EACH_CPU static void name(SMC_ALU_PARAMETERS)                                          \
    {                                                                                              \
        const lane_t *value = a;                                                                   \
        uint8_t holds[SMC_LANES];                                                                  \
        for (unsigned i = 0; i < SMC_LANES; i++) {                                                 \
            const lane_t x = value[i];                                                             \
            const bool is_so = expression;                                                         \
            holds[i] = is_so;                                                                      \
        }                                                                                          \
        *(lane_u32 *)d = smc_mask_of(holds);                                                       \
    }
#define DEFINE_TESTS(name, expression)                                                             \
    DEFINE_TEST(name##_f32, lane_f32, expression)                                                  \
    DEFINE_TEST(name##_f64, lane_f64, expression)
DEFINE_TESTS(test_finite, isfinite(x))
DEFINE_TESTS(test_infinite, isinf(x))
DEFINE_TESTS(test_number, !isnan(x))
DEFINE_TESTS(test_nan, isnan(x))
DEFINE_TESTS(test_normal, isnormal(x) || x == 0) /* PTX counts zeros as normal */
DEFINE_TESTS(test_subnormal, fpclassify(x) == FP_SUBNORMAL)

smc_alu *smc_float_testp(const char *name, size_t bytes, enum smc_ptx_type type)
{
    static const struct {
        const char *name;
        smc_alu_by_type by_type;
    } tests[] = {
        {"finite", TABLE(test_finite)}, {"infinite", TABLE(test_infinite)},
        {"number", TABLE(test_number)}, {"notanumber", TABLE(test_nan)},
        {"normal", TABLE(test_normal)}, {"subnormal", TABLE(test_subnormal)},
    };
    for (size_t i = 0; i < sizeof tests / sizeof *tests && type < SMC_PTX_TYPE_COUNT; i++)
        if (strlen(tests[i].name) == bytes && memcmp(tests[i].name, name, bytes) == 0)
            return tests[i].by_type[type];
    return NULL;
}

/* --- Conversions (cvt) ------------------------------------------------------------------------ */

/* An intermediate value: an integer of up to 64 bits, or a number that a double represents
   exactly. */
struct value {
    bool is_float;
    bool is_negative; /* for an integer: `integer` is a negative int64_t */
    uint64_t integer;
    double number;
};

/* --- Half precision and bfloat16 -------------------------------------------------------------- */

struct narrow {
    int digits; /* of the significand, including the leading one */
    int least;  /* exponent of the smallest normal number */
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

/* Rounds in the current rounding mode. */
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
    /* A carry out of the fraction increments the exponent; a subnormal has exponent 0. */
    uint32_t bits = ((uint32_t)(exponent - format->least) << fraction_bits) + (uint32_t)steps;
    if (bits >= infinity) {
        double beyond = nearbyint(sign ? -1.25 : 1.25); /* whether to round away from zero */
        bool to_infinity = fegetround() == FE_TONEAREST || fabs(beyond) > 1;
        return sign | (to_infinity ? infinity : infinity - 1);
    }
    return sign | bits;
}

/* --- In and out ------------------------------------------------------------------------------- */

static double ops_float_number_of(enum smc_ptx_type type, uint64_t bits)
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

static struct value ops_float_fetch(enum smc_ptx_type type, uint64_t bits)
{
    const struct smc_ptx_type_info *info = &smc_ptx_type_info[type];
    if (info->class == SMC_CLASS_FLOAT)
        return (struct value){.is_float = true, .number = ops_float_number_of(type, bits)};
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

/* Zero is +0 in every mode: what clang emits for 64 bits gives -0 when it rounds down. */
static uint64_t float_of_integer(enum smc_ptx_type type, const struct value *value)
{
    if (value->integer == 0)
        return 0;
    if (type == SMC_PTX_F32) { /* rounded once */
        float single = value->is_negative ? (float)(int64_t)value->integer : (float)value->integer;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return bits;
    }
    double number = value->is_negative ? (double)(int64_t)value->integer : (double)value->integer;
    if (type == SMC_PTX_F64)
        return store_float(type, number);
    /* If a double cannot hold the value, its last bit records the lost bits, so that it still
       rounds correctly. */
    uint64_t size = value->is_negative ? 0 - value->integer : value->integer;
    if (size >> 53)
        number = copysign(ldexp((double)(size >> 11 | ((size & 2047) != 0)), 11), number);
    return store_float(type, number);
}

/* The range of an integer type. */
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

/* NaN becomes 0, except if source or destination has 64 bits: then it becomes the lowest number
   (PTX ISA, cvt). */
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
    if (number >= ldexp(1, (int)bits)) /* 2^bits, because a double may not represent `most` */
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

static double flushed_number(double number, enum smc_ptx_type type)
{
    bool subnormal = type == SMC_PTX_F32 && fabs(number) < 0x1p-126;
    return subnormal ? copysign(0, number) : number;
}

/* .relu and .satfinite of a result of 16 bits. */
static uint64_t ops_float_finished(const struct smc_op *op, double number, uint64_t bits)
{
    uint64_t infinity = op->type == SMC_PTX_F16 ? 0x7c00 : 0x7f80;
    if (isnan(number))
        return bits;
    if (op->finish & SMC_FINISH_RELU && bits & 0x8000)
        return 0;
    return op->finish & SMC_FINISH_FINITE && (bits & 0x7fff) == infinity ? bits - 1 : bits;
}

static uint64_t convert_one(const struct smc_op *op, uint64_t bits)
{
    enum smc_ptx_type from = (enum smc_ptx_type)op->immediate;
    struct value value = ops_float_fetch(from, bits);
    bool to_float = smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT;
    if (!value.is_float && to_float)
        return float_of_integer(op->type, &value);
    if (!value.is_float)
        return op->saturates ? clamped(op, &value) : value.integer;
    double number = op->flushes ? flushed_number(value.number, from) : value.number;
    if (!to_float)
        return integer_of_float(op, number);
    if (op->to_integral)
        number = nearbyint(number);
    if (op->saturates)
        number = !(number > 0) ? 0 : number > 1 ? 1 : number;
    uint64_t out = store_float(op->type, number);
    if (op->finish)
        out = ops_float_finished(op, number, out);
    if (op->flushes && op->type == SMC_PTX_F32 && !(out & 0x7f800000))
        out &= 0x80000000;
    return out;
}

/* Sign- or zero-extends a result that is narrower than the register, depending on its type. */
static uint64_t float_extend_narrow(enum smc_ptx_type type, uint64_t bits)
{
    const struct smc_ptx_type_info *info = &smc_ptx_type_info[type];
    unsigned unused = 64 - 8u * info->bytes;
    if (info->class == SMC_CLASS_SIGNED)
        return (uint64_t)((int64_t)(bits << unused) >> unused);
    return bits << unused >> unused;
}

void smc_convert(SMC_ALU_PARAMETERS)
{
    static const int modes[] = {[SMC_ROUND_NEAREST] = FE_TONEAREST,
                                [SMC_ROUND_ZERO] = FE_TOWARDZERO,
                                [SMC_ROUND_DOWN] = FE_DOWNWARD,
                                [SMC_ROUND_UP] = FE_UPWARD};
    uint64_t out[SMC_LANES];
    if (op->rounding != SMC_ROUND_NEAREST)
        fesetround(modes[op->rounding]);
    for (unsigned i = 0; i < SMC_LANES; i++) {
        uint64_t bits =
            op->v_kind[0] == SMC_SLOT_64 ? ((const lane_u64 *)a)[i] : ((const lane_u32 *)a)[i];
        out[i] = float_extend_narrow(op->type, convert_one(op, bits));
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

#define DEFINE_CAST(name, to_t, from_t)                                                            \
    SMC_DEFINE_ALU(SMC_FOR_EACH_CPU static, name, to_t, from_t, from_t, from_t, (to_t)x)
DEFINE_CAST(widen_u32, lane_u64, lane_u32)
DEFINE_CAST(widen_s32, lane_s64, lane_s32)
DEFINE_CAST(cut_64, lane_u32, lane_u64)
DEFINE_CAST(f32_of_s32, lane_f32, lane_s32)
DEFINE_CAST(f64_of_s32, lane_f64, lane_s32)

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
