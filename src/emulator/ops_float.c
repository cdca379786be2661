/* Floating-point arithmetic over 32 lanes, as IEEE 754 and PTX have it. Functions that PTX calls
   approximate are computed in double precision and rounded once: nearer to the true value than any
   GPU, whose error of up to 2^-20 is documented for each in the PTX ISA. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "emulator/lanes.h"
#include "emulator/ops.h"

/* The NaN that a GPU's single precision gives. */
static const uint32_t canonical_nan = 0x7fffffff;

static void store_f32(const float out[SMC_LANES], void *d)
{
    lane_u32 *result = d;
    uint32_t bits[SMC_LANES];
    memcpy(bits, out, sizeof bits);
    EACH_LANE(i) result[i] = (bits[i] & 0x7fffffff) > 0x7f800000 ? canonical_nan : bits[i];
}

static void store_f64(const double out[SMC_LANES], void *d)
{
    memcpy(d, out, SMC_LANES * sizeof *out);
}

#define DEFINE(name, suffix, lane_t, value_t, expression)                                          \
    static void name##_##suffix(const struct smc_op *op, void *d, const void *a, const void *b,    \
                                const void *c)                                                     \
    {                                                                                              \
        const lane_t *first = a, *second = b;                                                      \
        value_t out[SMC_LANES];                                                                    \
        (void)op, (void)second, (void)c;                                                           \
        EACH_LANE(i)                                                                               \
        {                                                                                          \
            const value_t x = first[i], y = second[i];                                             \
            (void)y;                                                                               \
            out[i] = (value_t)(expression);                                                        \
        }                                                                                          \
        store_##suffix(out, d);                                                                    \
    }
#define DEFINE_BOTH(name, expression)                                                              \
    DEFINE(name, f32, lane_f32, float, expression)                                                 \
    DEFINE(name, f64, lane_f64, double, expression)
#define TABLE(name)                                                                                \
    {                                                                                              \
        [SMC_PTX_F32] = name##_f32, [SMC_PTX_F64] = name##_f64                                     \
    }

/* The smaller one; the other of a NaN; -0 below +0. */
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
DEFINE_BOTH(copysign, copysign(y, x))
DEFINE(rcp, f32, lane_f32, float, 1.0f / x)
DEFINE(rcp, f64, lane_f64, double, 1.0 / x)
DEFINE(root, f32, lane_f32, float, sqrtf(x))
DEFINE(root, f64, lane_f64, double, sqrt(x))
DEFINE_BOTH(rsqrt, 1.0 / sqrt(x))
DEFINE(ex2, f32, lane_f32, float, exp2((double)x))
DEFINE(lg2, f32, lane_f32, float, log2((double)x))
DEFINE(sine, f32, lane_f32, float, sin((double)x))
DEFINE(cosine, f32, lane_f32, float, cos((double)x))
DEFINE(tangent, f32, lane_f32, float, tanh((double)x))

smc_alu_by_type smc_float_add = TABLE(add);
smc_alu_by_type smc_float_sub = TABLE(sub);
smc_alu_by_type smc_float_mul = TABLE(mul);
smc_alu_by_type smc_float_div = TABLE(divide);
smc_alu_by_type smc_float_min = TABLE(min);
smc_alu_by_type smc_float_max = TABLE(max);
smc_alu_by_type smc_float_min_nan = TABLE(min_nan);
smc_alu_by_type smc_float_max_nan = TABLE(max_nan);
smc_alu_by_type smc_float_copysign = TABLE(copysign);
smc_alu_by_type smc_float_rcp = TABLE(rcp);
smc_alu_by_type smc_float_sqrt = TABLE(root);
smc_alu_by_type smc_float_rsqrt = TABLE(rsqrt);
smc_alu_by_type smc_float_ex2 = {[SMC_PTX_F32] = ex2_f32};
smc_alu_by_type smc_float_lg2 = {[SMC_PTX_F32] = lg2_f32};
smc_alu_by_type smc_float_sin = {[SMC_PTX_F32] = sine_f32};
smc_alu_by_type smc_float_cos = {[SMC_PTX_F32] = cosine_f32};
smc_alu_by_type smc_float_tanh = {[SMC_PTX_F32] = tangent_f32};

/* Signs are bits: a NaN keeps the rest of it. */
#define DEFINE_SIGN(name, lane_t, expression)                                                      \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        lane_t *result = d;                                                                        \
        const lane_t *x = a;                                                                       \
        (void)op, (void)b, (void)c;                                                                \
        EACH_LANE(i) result[i] = expression;                                                       \
    }
DEFINE_SIGN(abs_f32, lane_u32, x[i] & 0x7fffffff)
DEFINE_SIGN(neg_f32, lane_u32, x[i] ^ 0x80000000)
DEFINE_SIGN(abs_f64, lane_u64, x[i] & UINT64_C(0x7fffffffffffffff))
DEFINE_SIGN(neg_f64, lane_u64, x[i] ^ UINT64_C(0x8000000000000000))
smc_alu_by_type smc_float_abs = TABLE(abs);
smc_alu_by_type smc_float_neg = TABLE(neg);

/* --- Fused multiply-add: the CPU's instruction where it has one, else the library's ----------- */

#define FMA_BODY(lane_t, value_t, function, suffix)                                                \
    const lane_t *x = a, *y = b, *z = c;                                                           \
    value_t out[SMC_LANES];                                                                        \
    (void)op;                                                                                      \
    EACH_LANE(i) out[i] = function(x[i], y[i], z[i]);                                              \
    store_##suffix(out, d);

#define DEFINE_FMA(name, attribute)                                                                \
    attribute static void name##_f32(const struct smc_op *op, void *d, const void *a,              \
                                     const void *b, const void *c){FMA_BODY(                       \
        lane_f32, float, __builtin_fmaf,                                                           \
        f32)} attribute static void name##_f64(const struct smc_op *op, void *d, const void *a,    \
                                               const void *b, const void *c)                       \
    {                                                                                              \
        FMA_BODY(lane_f64, double, __builtin_fma, f64)                                             \
    }
DEFINE_FMA(fma_library, )
#if defined __x86_64__
DEFINE_FMA(fma_instruction, __attribute__((target("avx2,fma"))))
#endif

smc_alu *smc_float_fma(enum smc_ptx_type type)
{
    static smc_alu_by_type library = TABLE(fma_library);
#if defined __x86_64__
    static smc_alu_by_type instruction = TABLE(fma_instruction);
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        return instruction[type];
#endif
    return library[type];
}

/* --- Rounding, flushing, saturation ----------------------------------------------------------- */

static const int rounding_mode[] = {
    [SMC_ROUND_NEAREST] = FE_TONEAREST,
    [SMC_ROUND_ZERO] = FE_TOWARDZERO,
    [SMC_ROUND_DOWN] = FE_DOWNWARD,
    [SMC_ROUND_UP] = FE_UPWARD,
};

/* Subnormal numbers become 0 of the same sign. */
static void flush(const lane_u32 *from, lane_u32 *to)
{
    EACH_LANE(i) to[i] = from[i] & 0x7f800000 ? from[i] : from[i] & 0x80000000;
}

static void flush_f64(const lane_u64 *from, lane_u64 *to)
{
    EACH_LANE(i)
    to[i] =
        from[i] & UINT64_C(0x7ff0000000000000) ? from[i] : from[i] & UINT64_C(0x8000000000000000);
}

void smc_float_flush(const struct smc_op *op, void *d, const void *a, const void *b, const void *c)
{
    (void)op, (void)b, (void)c;
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

void smc_float_modified(const struct smc_op *op, void *d, const void *a, const void *b,
                        const void *c)
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

/* --- testp ------------------------------------------------------------------------------------ */

#define DEFINE_TEST(name, lane_t, expression)                                                      \
    static void name(const struct smc_op *op, void *d, const void *a, const void *b,               \
                     const void *c)                                                                \
    {                                                                                              \
        const lane_t *value = a;                                                                   \
        uint8_t holds[SMC_LANES];                                                                  \
        (void)op, (void)b, (void)c;                                                                \
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
