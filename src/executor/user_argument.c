/* An argument of a kernel as the user types it. */
#include "executor/user_argument.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/text.h"

/* More than any memory can hold. */
static const uint64_t most_elements = UINT64_C(1) << 40;

enum { NUMBER_TEXT = 32 };

const struct smc_user_type_info smc_user_types[SMC_USER_TYPE_COUNT] = {
#define TYPE(id, name, bytes, class) [SMC_USER_##id] = {name, bytes, SMC_USER_##class},
#include "executor/types.def"
#undef TYPE
};

static enum smc_status fail_form(const char *typed, struct smc_error *error)
{
    struct smc_text names = {0};
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++)
        smc_text_printf(&names, "%s%s", i ? ", " : "", smc_user_types[i].name);
    smc_fail(error, SMC_USAGE,
             "'%.64s' is neither a number such as i32:5 nor memory such as f32x1024:random; the "
             "types are %s",
             typed, smc_text_string(&names));
    smc_text_free(&names);
    return SMC_USAGE;
}

/* The end of the type's name, at ':' or 'x'; NULL if there is none. */
static const char *read_type(const char *typed, enum smc_user_type *type)
{
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++) {
        size_t length = strlen(smc_user_types[i].name);
        if (strncmp(typed, smc_user_types[i].name, length) != 0)
            continue;
        if (typed[length] == ':' || typed[length] == 'x') {
            *type = (enum smc_user_type)i;
            return typed + length;
        }
    }
    return NULL;
}

static uint64_t largest(const struct smc_user_type_info *type)
{
    unsigned bits = 8u * type->bytes - (type->class == SMC_USER_SIGNED);
    return UINT64_MAX >> (64 - bits);
}

/* An integer, also as a size (64K) and, for unsigned types, in hexadecimal. */
static bool read_integer(const struct smc_user_type_info *type, const char *text, uint64_t *bits)
{
    uint64_t most = largest(type);
    if (type->class == SMC_USER_SIGNED && text[0] == '-') {
        if (!smc_parse_size(text + 1, most + 1, bits))
            return false;
        *bits = -*bits;
        return true;
    }
    if (text[0] == '0' && (text[1] | 0x20) == 'x')
        return smc_parse_hexadecimal(text, UINT64_MAX >> (64 - 8 * type->bytes), bits);
    return smc_parse_size(text, most, bits);
}

static bool read_float(const struct smc_user_type_info *type, const char *text, uint64_t *bits)
{
    char *end;
    bool is_number = *text && !strchr(" \t\n\v\f\r", *text);
    errno = 0;
    *bits = 0;
    if (type->bytes == sizeof(float)) {
        float value = strtof(text, &end);
        memcpy(bits, &value, sizeof value);
        return is_number && !*end && !(errno == ERANGE && isinf(value));
    }
    double value = strtod(text, &end);
    memcpy(bits, &value, sizeof value);
    return is_number && !*end && !(errno == ERANGE && isinf(value));
}

static bool read_number(enum smc_user_type type, const char *text, uint64_t *bits)
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    return info->class == SMC_USER_FLOAT ? read_float(info, text, bits)
                                         : read_integer(info, text, bits);
}

/* "a number", "a whole number from -128 to 127". */
static void describe_range(enum smc_user_type type, char text[64])
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    uint64_t most = largest(info);
    if (info->class == SMC_USER_FLOAT)
        snprintf(text, 64, "a number of type %s", info->name);
    else if (info->class == SMC_USER_UNSIGNED)
        snprintf(text, 64, "a whole number from 0 to %" PRIu64, most);
    else
        snprintf(text, 64, "a whole number from -%" PRIu64 " to %" PRIu64, most + 1, most);
}

static enum smc_status read_scalar(const char *text, struct smc_user_argument *argument,
                                   struct smc_error *error)
{
    char range[64];
    if (read_number(argument->type, text, &argument->bits))
        return SMC_OK;
    describe_range(argument->type, range);
    return smc_fail(error, SMC_USAGE, "'%.64s': '%.64s' is not %s", argument->typed, text, range);
}

static enum smc_status read_filling(const char *text, struct smc_user_argument *argument,
                                    struct smc_error *error)
{
    static const struct {
        const char *name;
        enum smc_user_filling filling;
    } words[] = {{"zero", SMC_USER_NUMBER}, {"ramp", SMC_USER_RAMP}, {"random", SMC_USER_RANDOM}};
    static const char file[] = "file:";
    char range[64];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].name) == 0) {
            argument->filling = words[i].filling;
            return SMC_OK;
        }
    if (strncmp(text, file, strlen(file)) == 0 && text[strlen(file)]) {
        argument->filling = SMC_USER_FILE;
        argument->path = text + strlen(file);
        return SMC_OK;
    }
    if (read_number(argument->type, text, &argument->bits))
        return SMC_OK;
    describe_range(argument->type, range);
    return smc_fail(error, SMC_USAGE, "'%.64s': '%.64s' is not zero, ramp, random, file:PATH or %s",
                    argument->typed, text, range);
}

static enum smc_status read_buffer(const char *text, struct smc_user_argument *argument,
                                   struct smc_error *error)
{
    char count[32];
    size_t length = strcspn(text, ":");
    snprintf(count, sizeof count, "%.*s", (int)(length < sizeof count ? length : sizeof count - 1),
             text);
    argument->is_buffer = true;
    if (length >= sizeof count || !smc_parse_size(count, most_elements, &argument->elements) ||
        argument->elements == 0)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s': '%.31s' is not a number of elements (1024, 4K, 16M) between 1 "
                        "and %" PRIu64,
                        argument->typed, count, most_elements);
    return text[length] ? read_filling(text + length + 1, argument, error) : SMC_OK;
}

enum smc_status smc_user_argument_parse(const char *typed, struct smc_user_argument *argument,
                                        struct smc_error *error)
{
    *argument = (struct smc_user_argument){.typed = typed};
    const char *rest = read_type(typed, &argument->type);
    if (!rest)
        return fail_form(typed, error);
    return *rest == ':' ? read_scalar(rest + 1, argument, error)
                        : read_buffer(rest + 1, argument, error);
}

uint64_t smc_user_argument_bytes(const struct smc_user_argument *argument)
{
    uint64_t element = smc_user_types[argument->type].bytes;
    return argument->is_buffer ? argument->elements * element : element;
}

void smc_user_show(enum smc_user_type type, const void *data, uint64_t index,
                   char text[NUMBER_TEXT])
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    uint64_t bits = 0;
    float single;
    double number;
    memcpy(&bits, (const char *)data + index * info->bytes, info->bytes);
    memcpy(&single, &bits, sizeof single);
    memcpy(&number, &bits, sizeof number);
    unsigned above = 64 - 8u * info->bytes;
    if (info->class == SMC_USER_SIGNED) /* sign-extends the value */
        snprintf(text, NUMBER_TEXT, "%" PRId64, (int64_t)(bits << above) >> above);
    else if (info->class == SMC_USER_UNSIGNED)
        snprintf(text, NUMBER_TEXT, "%" PRIu64, bits);
    else
        snprintf(text, NUMBER_TEXT, "%.9g", info->bytes == sizeof single ? (double)single : number);
}
