/* Random inputs, the same on every machine: element i is a hash of the seed, the buffer's name and
   i, so any part can be made on its own. The hash is the finaliser of splitmix64 (Steele, Lea and
   Flood, "Fast splittable pseudorandom number generators", 2014). */
#include "catalog/catalog.h"

#define GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The i-th of splitmix64. */
static inline uint64_t bits_of(uint64_t start, uint64_t i)
{
    return mix(start + i * GOLDEN_RATIO);
}

uint64_t smc_random_bits(uint64_t start, uint64_t i)
{
    return bits_of(start, i);
}

/* Buffers of one launch differ even with the same seed. */
static uint64_t start_of(const struct smc_buffer *buffer, uint64_t seed)
{
    uint64_t start = mix(seed + GOLDEN_RATIO);
    for (const char *c = buffer->name; *c; c++)
        start = mix(start + (unsigned char)*c);
    return start;
}

/* 24 random bits, so that every value is exact: a multiple of 2^-23. */
static void fill_float(uint64_t start, uint64_t elements, float *values)
{
    for (uint64_t i = 0; i < elements; i++) {
        int32_t bits = (int32_t)(bits_of(start, i) >> 40);
        values[i] = (float)(bits - (1 << 23)) * 0x1p-23f;
    }
}

/* 53 random bits: a multiple of 2^-52. */
static void fill_double(uint64_t start, uint64_t elements, double *values)
{
    for (uint64_t i = 0; i < elements; i++) {
        int64_t bits = (int64_t)(bits_of(start, i) >> 11);
        values[i] = (double)(bits - (INT64_C(1) << 52)) * 0x1p-52;
    }
}

static int32_t whole(uint64_t start, uint64_t i)
{
    uint64_t bits = bits_of(start, i) >> 32;
    return (int32_t)(bits * (2 * SMC_LARGEST_WHOLE + 1) >> 32) - SMC_LARGEST_WHOLE;
}

static void fill_whole_float(uint64_t start, uint64_t elements, float *values)
{
    for (uint64_t i = 0; i < elements; i++)
        values[i] = (float)whole(start, i);
}

static void fill_int32(uint64_t start, uint64_t elements, int32_t *values)
{
    for (uint64_t i = 0; i < elements; i++)
        values[i] = whole(start, i);
}

void smc_fill_random(const struct smc_buffer *buffer, uint64_t seed, void *values)
{
    uint64_t start = start_of(buffer, seed);
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
