/* The contents of a user's memory: before the launch, and compared after it. */
#include "hardware/user.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "rules/catalog.h"

enum { SHOWN = 32 };

uint64_t smc_user_argument_bytes(const struct smc_user_argument *argument)
{
    uint64_t element = smc_user_types[argument->type].bytes;
    if (argument->form == SMC_USER_STRUCT || argument->form == SMC_USER_BYTES)
        return argument->bytes;
    return argument->is_buffer ? argument->elements * element : element;
}

static enum smc_status user_values_read_file(const struct smc_user_argument *argument, void *data,
                                             struct smc_error *error)
{
    uint64_t bytes = smc_user_argument_bytes(argument);
    smc_auto_file FILE *file = fopen(argument->path, "rbe");
    if (!file)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "'%.64s': %.512s: %s",
                        argument->typed, argument->path, strerror(errno));
    size_t count = fread(data, 1, bytes, file);
    if (ferror(file))
        return smc_fail(error, SMC_USAGE, "'%.64s': %.512s: %s", argument->typed, argument->path,
                        strerror(errno));
    bool is_longer = count == bytes && fgetc(file) != EOF;
    if (count == bytes && !is_longer)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE, "'%.64s': %.512s has %s than %llu byte%s", argument->typed,
                    argument->path, is_longer ? "more" : "fewer", (unsigned long long)bytes,
                    smc_text_plural(bytes));
}

static void put_bits(const struct smc_user_type_info *type, void *data, uint64_t index,
                     uint64_t value)
{
    unsigned char *to = (unsigned char *)data + index * type->bytes;
    switch (type->bytes) { /* the low bytes come first */
    case 1:
        *to = (unsigned char)value;
        break;
    case 2:
        memcpy(to, &value, 2);
        break;
    case 4:
        memcpy(to, &value, 4);
        break;
    default:
        memcpy(to, &value, sizeof value);
    }
}

/* Elements of an argument's memory, from `first` on. */
struct elements {
    const struct smc_user_argument *argument;
    uint64_t first, count;
};

static void fill_ramp(const struct elements *part, void *data)
{
    const enum smc_user_type type = part->argument->type;
    for (uint64_t i = 0; i < part->count; i++) {
        uint64_t number = part->first + i;
        put_bits(&smc_user_types[type], data, i,
                 smc_user_types[type].class == SMC_USER_FLOAT
                     ? smc_user_number_bits(type, (double)number)
                     : number);
    }
}

/* From `bits` to `highest`. */
static void fill_bounded(const struct elements *part, uint64_t start, void *data)
{
    const struct smc_user_argument *argument = part->argument;
    const struct smc_user_type_info *type = &smc_user_types[argument->type];
    const uint64_t range = argument->highest - argument->bits; /* of integers */
    const uint64_t low_bits = UINT64_MAX >> (64 - 8 * type->bytes);
    double first = 0, last = 0;
    if (type->class == SMC_USER_FLOAT) {
        first = smc_user_number(argument->type, &argument->bits, 0);
        last = smc_user_number(argument->type, &argument->highest, 0);
    }
    for (uint64_t i = 0; i < part->count; i++) {
        uint64_t value = smc_random_bits(start, part->first + i);
        if (type->class == SMC_USER_FLOAT) {
            double share = (double)(value >> 11) * 0x1p-53;
            value = smc_user_number_bits(argument->type, first * (1 - share) + last * share);
        } else if ((range & low_bits) != UINT64_MAX) {
            value = argument->bits + value % ((range & low_bits) + 1);
        }
        put_bits(type, data, i, value);
    }
}

/* Derived from other random values: integers from 32-bit ones, the short floats from float. */
static void derive_random(const struct elements *part, const void *from, void *data)
{
    const struct smc_user_type_info *type = &smc_user_types[part->argument->type];
    const int64_t least = type->class == SMC_USER_UNSIGNED ? 1000 : 0;
    for (uint64_t i = 0; i < part->count; i++)
        put_bits(type, data, i,
                 type->class == SMC_USER_FLOAT
                     ? smc_user_number_bits(part->argument->type, (double)((const float *)from)[i])
                     : (uint64_t)(((const int32_t *)from)[i] + least));
}

/* The catalog's random values, or what is derived from them, some at a time. */
static void fill_random(const struct elements *part, uint64_t start, void *data)
{
    enum { AT_A_TIME = 256 };
    const struct smc_user_argument *argument = part->argument;
    const bool is_float = smc_user_types[argument->type].class == SMC_USER_FLOAT;
    struct smc_buffer buffer = {.dtype = argument->type == SMC_USER_F64 ? SMC_DOUBLE
                                         : is_float                     ? SMC_FLOAT
                                                                        : SMC_INT32,
                                .elements = part->count};
    if (argument->is_bounded) {
        fill_bounded(part, start, data);
        return;
    }
    if (argument->type == SMC_USER_F32 || argument->type == SMC_USER_F64 ||
        argument->type == SMC_USER_I32) {
        smc_fill_random_from(&buffer, start, part->first, data);
        return;
    }
    int32_t values[AT_A_TIME];
    for (uint64_t done = 0; done < part->count; done += buffer.elements) {
        buffer.elements = part->count - done < AT_A_TIME ? part->count - done : AT_A_TIME;
        const struct elements some = {argument, part->first + done, buffer.elements};
        smc_fill_random_from(&buffer, start, some.first, values);
        derive_random(&some, values, (char *)data + done * smc_user_types[argument->type].bytes);
    }
}

void smc_user_make_elements(const struct smc_user_argument *argument, uint64_t start,
                            uint64_t first, uint64_t count, void *data)
{
    const struct elements part = {argument, first, count};
    if (argument->filling == SMC_USER_RANDOM)
        fill_random(&part, start, data);
    else if (argument->filling == SMC_USER_RAMP)
        fill_ramp(&part, data);
    else if (argument->bits == 0)
        memset(data, 0, count * smc_user_types[argument->type].bytes);
    else
        for (uint64_t i = 0; i < count; i++)
            put_bits(&smc_user_types[argument->type], data, i, argument->bits);
}

enum smc_status smc_user_fill(const struct smc_user_argument *argument, const char *name,
                              uint64_t seed, void *data, struct smc_error *error)
{
    if (argument->filling == SMC_USER_FILE)
        return user_values_read_file(argument, data, error);
    smc_user_make_elements(argument, smc_random_start(name, seed), 0, argument->elements, data);
    return SMC_OK;
}

/* The CRC of ISO 3309, byte by byte. */
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

void smc_user_compare(const struct smc_user_argument *argument, const void *a, const void *b,
                      struct smc_agreement *agreement)
{
    size_t width = smc_user_types[argument->type].bytes;
    *agreement = (struct smc_agreement){.compared = true, .elements = argument->elements};
    for (uint64_t i = 0; i < argument->elements; i++) {
        size_t at = i * width;
        if (memcmp((const char *)a + at, (const char *)b + at, width) == 0)
            continue;
        if (agreement->differing++ == 0)
            agreement->first = i;
    }
}

double smc_user_any_number(enum smc_user_type type, const void *data, uint64_t index)
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    uint64_t bits = 0;
    if (info->class == SMC_USER_FLOAT)
        return smc_user_number(type, data, index);
    memcpy(&bits, (const char *)data + index * info->bytes, info->bytes);
    const unsigned unused = 64 - 8 * info->bytes;
    return info->class == SMC_USER_SIGNED ? (double)((int64_t)(bits << unused) >> unused)
                                          : (double)bits;
}

double smc_user_slack(const struct smc_user_argument *argument, const void *data, double share)
{
    double largest = 0;
    if (smc_user_types[argument->type].class != SMC_USER_FLOAT)
        return 0;
    for (uint64_t i = 0; i < argument->elements; i++) {
        const double value = fabs(smc_user_number(argument->type, data, i));
        largest = isfinite(value) && value > largest ? value : largest;
    }
    return share * largest;
}

bool smc_user_is_close(double a, double b, double slack)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= slack;
}

void smc_user_digest(const struct smc_user_argument *argument, const void *before,
                     const void *after, struct smc_user_digest *digest)
{
    struct smc_agreement same;
    smc_user_compare(argument, before, after, &same);
    *digest = (struct smc_user_digest){
        .crc32 = crc32_of(after, smc_user_argument_bytes(argument)),
        .changed = same.differing,
        .first_changed = same.first,
    };
}

void smc_user_show(enum smc_user_type type, const void *data, uint64_t index, char text[SHOWN])
{
    static const int digits[SMC_USER_TYPE_COUNT] = {[SMC_USER_F16] = 5, [SMC_USER_BF16] = 4};
    const struct smc_user_type_info *info = &smc_user_types[type];
    uint64_t bits = 0;
    memcpy(&bits, (const char *)data + index * info->bytes, info->bytes);
    unsigned above = 64 - 8u * info->bytes;
    if (info->class == SMC_USER_SIGNED) /* sign-extends the value */
        snprintf(text, SHOWN, "%" PRId64, (int64_t)(bits << above) >> above);
    else if (info->class == SMC_USER_UNSIGNED)
        snprintf(text, SHOWN, "%" PRIu64, bits);
    else
        snprintf(text, SHOWN, "%.*g", digits[type] ? digits[type] : 9,
                 smc_user_number(type, &bits, 0));
}
