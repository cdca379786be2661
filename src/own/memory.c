/* The global memory of a launch: filled before it, looked at after it. */
#include "config.h"

#include "own/memory.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- Before ----------------------------------------------------------------------------------- */

static enum smc_status read_file(const struct smc_own_argument *argument, void *data,
                                 struct smc_error *error)
{
    uint64_t bytes = smc_own_argument_bytes(argument);
    FILE *file = fopen(argument->path, "rbe");
    if (!file)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "'%.64s': %.512s: %s",
                        argument->typed, argument->path, strerror(errno));
    size_t count = fread(data, 1, bytes, file);
    bool failed = ferror(file);
    int reason = errno;
    bool is_longer = count == bytes && fgetc(file) != EOF;
    fclose(file);
    if (failed)
        return smc_fail(error, SMC_USAGE, "'%.64s': %.512s: %s", argument->typed, argument->path,
                        strerror(reason));
    if (count == bytes && !is_longer)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s': %.512s has %s than %llu bytes", argument->typed,
                    argument->path, is_longer ? "more" : "fewer", (unsigned long long)bytes);
}

static void put_integer(const struct smc_own_type_info *type, void *data, uint64_t index,
                        uint64_t value)
{
    memcpy((char *)data + index * type->bytes, &value, type->bytes); /* the low bytes come first */
}

static void fill_ramp(const struct smc_own_argument *argument, void *data)
{
    const struct smc_own_type_info *type = &smc_own_types[argument->type];
    for (uint64_t i = 0; i < argument->elements; i++)
        if (argument->type == SMC_OWN_F32)
            ((float *)data)[i] = (float)i;
        else if (argument->type == SMC_OWN_F64)
            ((double *)data)[i] = (double)i;
        else
            put_integer(type, data, i, i);
}

/* The catalog's random values; other integers are made of those of 32 bits. */
static enum smc_status fill_random(const struct smc_own_argument *argument, const char *name,
                                   uint64_t seed, void *data, struct smc_error *error)
{
    const struct smc_own_type_info *type = &smc_own_types[argument->type];
    struct smc_buffer buffer = {.name = name,
                                .dtype = argument->type == SMC_OWN_F32   ? SMC_FLOAT
                                         : argument->type == SMC_OWN_F64 ? SMC_DOUBLE
                                                                         : SMC_INT32,
                                .elements = argument->elements};
    if (type->class == SMC_OWN_FLOAT || argument->type == SMC_OWN_I32) {
        smc_fill_random(&buffer, seed, data);
        return SMC_OK;
    }
    int32_t *values = smc_malloc(argument->elements * sizeof *values);
    if (!values)
        return smc_fail(error, SMC_MACHINE, "no memory for the random values of '%.64s'",
                        argument->typed);
    smc_fill_random(&buffer, seed, values);
    int64_t least = type->class == SMC_OWN_UNSIGNED ? 1000 : 0;
    for (uint64_t i = 0; i < argument->elements; i++)
        put_integer(type, data, i, (uint64_t)(values[i] + least));
    free(values);
    return SMC_OK;
}

enum smc_status smc_own_fill(const struct smc_own_argument *argument, const char *name,
                             uint64_t seed, void *data, struct smc_error *error)
{
    switch (argument->filling) {
    case SMC_OWN_FILE:
        return read_file(argument, data, error);
    case SMC_OWN_RANDOM:
        return fill_random(argument, name, seed, data, error);
    case SMC_OWN_RAMP:
        fill_ramp(argument, data);
        return SMC_OK;
    case SMC_OWN_NUMBER:
        break;
    }
    for (uint64_t i = 0; i < argument->elements; i++)
        put_integer(&smc_own_types[argument->type], data, i, argument->bits);
    return SMC_OK;
}

/* --- After ------------------------------------------------------------------------------------ */

/* The CRC of ISO 3309, a byte at a time. */
static uint32_t crc32_of(const unsigned char *bytes, uint64_t count)
{
    static const uint32_t polynomial = 0xedb88320;
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? polynomial : 0);
    }
    for (uint64_t i = 0; i < count; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
    return ~crc;
}

void smc_own_compare(const struct smc_own_argument *argument, const void *a, const void *b,
                     struct smc_agreement *agreement)
{
    size_t width = smc_own_types[argument->type].bytes;
    *agreement = (struct smc_agreement){.compared = true, .elements = argument->elements};
    for (uint64_t i = 0; i < argument->elements; i++) {
        size_t at = i * width;
        if (memcmp((const char *)a + at, (const char *)b + at, width) == 0)
            continue;
        if (agreement->differing++ == 0)
            agreement->first = i;
    }
}

static double element(const struct smc_own_argument *argument, const void *data, uint64_t index)
{
    return argument->type == SMC_OWN_F64 ? ((const double *)data)[index]
                                         : (double)((const float *)data)[index];
}

/* What the order of atomic additions may make of an element at most. */
static double order_bound(const struct smc_own_argument *argument,
                          const struct smc_own_emulated *seen, size_t buffer, uint64_t index)
{
    size_t cells = smc_own_types[argument->type].bytes / sizeof(float);
    const struct smc_float_sum *sum =
        seen->sum[buffer] ? &seen->sum[buffer][index * cells] : &(struct smc_float_sum){0};
    double additions = sum->adds ? (double)sum->adds : 1;
    return smc_float_sum_bound(sum) + additions * seen->shared_bound;
}

void smc_own_compare_sums(const struct smc_own_argument *argument, const void *gpu,
                          const void *emulated, const struct smc_own_emulated *seen, size_t index,
                          struct smc_agreement *agreement)
{
    smc_own_compare(argument, gpu, emulated, agreement);
    if (seen->float_adds == 0 || smc_own_types[argument->type].class != SMC_OWN_FLOAT)
        return;
    for (uint64_t i = agreement->first; agreement->differing > 0 && i < argument->elements; i++) {
        double a = element(argument, gpu, i), b = element(argument, emulated, i);
        if (a != b && fabs(a - b) <= order_bound(argument, seen, index, i))
            agreement->by_order++;
    }
}

void smc_own_digest(const struct smc_own_argument *argument, const void *before, const void *after,
                    struct smc_own_digest *digest)
{
    struct smc_agreement same;
    smc_own_compare(argument, before, after, &same);
    *digest = (struct smc_own_digest){
        .crc32 = crc32_of(after, smc_own_argument_bytes(argument)),
        .changed = same.differing,
        .first_changed = same.first,
    };
}
