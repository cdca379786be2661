/* The parameters of kernels, their element types, and random inputs. */
#include "rules/catalog.h"

#include "base/parse.h"

/* --- Parameters ------------------------------------------------------------------------------- */

const struct smc_param_info smc_param_info[SMC_PARAM_COUNT] = {
#define PARAM(id, option, lowest, highest, initial, unit, help)                                    \
    [SMC_PARAM_##id] = {option, lowest, highest, initial, unit, help},
#include "rules/params.def"
};

_Static_assert(SMC_PARAM_COUNT <= 32, "a parameter is one bit of 32");

void smc_params_init(const struct smc_kernel *kernel, struct smc_params *params)
{
    params->given = 0;
    params->blocks_per_cluster = 0;
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        params->value[i] = smc_param_info[i].initial;
    params->value[SMC_PARAM_DTYPE] = kernel->default_dtype;
    params->value[SMC_PARAM_PAD] = kernel->default_pad;
}

/* --- Element types ---------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t bytes;
    unsigned char poison;
} dtypes[SMC_DTYPE_COUNT] = {
    [SMC_FLOAT] = {"float", 4, 0xff}, /* a NaN */
    [SMC_DOUBLE] = {"double", 8, 0xff},
    /* -2139062144: below every sum of up to 2 x 1000000 + 1 values down to -SMC_LARGEST_WHOLE. */
    [SMC_INT32] = {"int32", 4, 0x80},
};

const char *smc_dtype_name(enum smc_dtype dtype)
{
    return dtypes[dtype].name;
}

size_t smc_dtype_bytes(enum smc_dtype dtype)
{
    return dtypes[dtype].bytes;
}

unsigned char smc_dtype_poison(enum smc_dtype dtype)
{
    return dtypes[dtype].poison;
}

bool smc_dtype_parse(const char *name, enum smc_dtype *dtype)
{
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (smc_equal_ignoring_case(name, dtypes[i].name)) {
            *dtype = (enum smc_dtype)i;
            return true;
        }
    return false;
}

/* --- Random inputs ---------------------------------------------------------------------------- */

#define GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t values_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The i-th number of the splitmix64 generator. */
static inline uint64_t values_bits_of(uint64_t start, uint64_t i)
{
    return values_mix(start + i * GOLDEN_RATIO);
}

uint64_t smc_random_bits(uint64_t start, uint64_t i)
{
    return values_bits_of(start, i);
}

uint64_t smc_random_start(const char *name, uint64_t seed)
{
    uint64_t start = values_mix(seed + GOLDEN_RATIO);
    for (const char *c = name; *c; c++)
        start = values_mix(start + (unsigned char)*c);
    return start;
}

/* 24 random bits, so that every value is exact: a multiple of 2^-23. */
static void fill_float(uint64_t start, uint64_t elements, float *values)
{
    for (uint64_t i = 0; i < elements; i++) {
        int32_t bits = (int32_t)(values_bits_of(start, i) >> 40);
        values[i] = (float)(bits - (1 << 23)) * 0x1p-23f;
    }
}

/* 53 random bits: a multiple of 2^-52. */
static void fill_double(uint64_t start, uint64_t elements, double *values)
{
    for (uint64_t i = 0; i < elements; i++) {
        int64_t bits = (int64_t)(values_bits_of(start, i) >> 11);
        values[i] = (double)(bits - (INT64_C(1) << 52)) * 0x1p-52;
    }
}

static int32_t values_whole(uint64_t start, uint64_t i)
{
    uint64_t bits = values_bits_of(start, i) >> 32;
    return (int32_t)(bits * (2 * SMC_LARGEST_WHOLE + 1) >> 32) - SMC_LARGEST_WHOLE;
}

static void fill_whole_float(uint64_t start, uint64_t elements, float *values)
{
    for (uint64_t i = 0; i < elements; i++)
        values[i] = (float)values_whole(start, i);
}

static void fill_int32(uint64_t start, uint64_t elements, int32_t *values)
{
    for (uint64_t i = 0; i < elements; i++)
        values[i] = values_whole(start, i);
}

void smc_fill_random(const struct smc_buffer *buffer, uint64_t seed, void *values)
{
    smc_fill_random_from(buffer, smc_random_start(buffer->name, seed), 0, values);
}

void smc_fill_random_from(const struct smc_buffer *buffer, uint64_t start, uint64_t first,
                          void *values)
{
    start += first * GOLDEN_RATIO;
    switch (buffer->dtype) {
    case SMC_FLOAT:
        (buffer->whole ? fill_whole_float : fill_float)(start, buffer->elements, values);
        break;
    case SMC_DOUBLE:
        fill_double(start, buffer->elements, values);
        break;
    default:
        fill_int32(start, buffer->elements, values);
    }
}
