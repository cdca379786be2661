/* An argument of a kernel as the user types it. */
#include "hardware/executor/user_argument.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/parse.h"
#include "base/text.h"
#include "hardware/executor/c_types.h"
#include "machine/narrow.h"

/* More than any memory can hold. */
static const uint64_t most_elements = UINT64_C(1) << 40;

enum { NUMBER_TEXT = 32 };

static enum smc_status fail_form(const char *typed, struct smc_error *error)
{
    smc_auto_text names = {0};
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++)
        smc_text_printf(&names, "%s%s (%s)", i ? ", " : "", smc_user_types[i].name,
                        smc_c_type_name((enum smc_user_type)i));
    smc_fail(error, SMC_USAGE,
             "'%.64s' is neither a number such as i32:5 nor memory such as f32x1024:random; the "
             "types are %s; a structure is {i32:5, f32x1024} or struct:FILE, a texture "
             "tex:f32x64x32",
             typed, smc_text_string(&names));
    return SMC_USAGE;
}

/* The end of the type's name, at ':' or 'x'; NULL if there is none. */
static const char *user_argument_read_type(const char *typed, enum smc_user_type *type)
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

static uint64_t user_argument_largest(const struct smc_user_type_info *type)
{
    unsigned bits = 8u * type->bytes - (type->class == SMC_USER_SIGNED);
    return UINT64_MAX >> (64 - bits);
}

/* An integer, also as a size (64K) and, for unsigned types, in hexadecimal. */
static bool user_argument_read_integer(const struct smc_user_type_info *type, const char *text,
                                       uint64_t *bits)
{
    uint64_t most = user_argument_largest(type);
    if (type->class == SMC_USER_SIGNED && text[0] == '-') {
        if (!smc_parse_count(text + 1, most + 1, bits))
            return false;
        *bits = -*bits;
        return true;
    }
    if (text[0] == '0' && (text[1] | 0x20) == 'x')
        return smc_parse_hexadecimal(text, UINT64_MAX >> (64 - 8 * type->bytes), bits);
    return smc_parse_count(text, most, bits);
}

/* The format of a type of 16 bits; NULL: the type is float or double. */
static const struct smc_narrow *narrow_of(enum smc_user_type type)
{
    return type == SMC_USER_F16 ? &smc_half : type == SMC_USER_BF16 ? &smc_bfloat : NULL;
}

uint64_t smc_user_number_bits(enum smc_user_type type, double number)
{
    if (narrow_of(type))
        return smc_to_narrow(narrow_of(type), number);
    return type == SMC_USER_F64 ? smc_bits_of_double(number) : smc_bits_of_float((float)number);
}

double smc_user_number(enum smc_user_type type, const void *data, uint64_t index)
{
    uint16_t narrow;
    float single;
    double wide;
    const char *at = (const char *)data + index * smc_user_types[type].bytes;
    if (type == SMC_USER_F32)
        return (double)*(float *)memcpy(&single, at, sizeof single);
    if (type == SMC_USER_F64)
        return *(double *)memcpy(&wide, at, sizeof wide);
    const struct smc_narrow *format = narrow_of(type);
    return format ? smc_of_narrow(format, *(uint16_t *)memcpy(&narrow, at, sizeof narrow)) : 0;
}

static bool read_float(enum smc_user_type type, const char *text, uint64_t *bits)
{
    char *end;
    bool is_number = *text && !strchr(" \t\n\v\f\r", *text);
    errno = 0;
    *bits = 0;
    if (type == SMC_USER_F32) { /* rounds once */
        float value = strtof(text, &end);
        *bits = smc_bits_of_float(value);
        return is_number && !*end && !(errno == ERANGE && isinf(value));
    }
    double value = strtod(text, &end);
    *bits = smc_user_number_bits(type, value);
    bool is_too_large = isinf(smc_user_number(type, bits, 0)) && (errno == ERANGE || !isinf(value));
    return is_number && !*end && !is_too_large;
}

static bool user_argument_read_number(enum smc_user_type type, const char *text, uint64_t *bits)
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    return info->class == SMC_USER_FLOAT ? read_float(type, text, bits)
                                         : user_argument_read_integer(info, text, bits);
}

void smc_user_describe_range(enum smc_user_type type, char text[SMC_USER_RANGE])
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    uint64_t most = user_argument_largest(info);
    if (info->class == SMC_USER_FLOAT) {
        const uint64_t below_infinity = smc_user_number_bits(type, INFINITY) - 1;
        const double largest = smc_user_number(type, &below_infinity, 0);
        snprintf(text, SMC_USER_RANGE, "a number of type %s, from %.6g to %.6g", info->name,
                 -largest, largest);
    } else if (info->class == SMC_USER_UNSIGNED)
        snprintf(text, SMC_USER_RANGE, "a whole number from 0 to %" PRIu64, most);
    else
        snprintf(text, SMC_USER_RANGE, "a whole number from -%" PRIu64 " to %" PRIu64, most + 1,
                 most);
}

static enum smc_status read_scalar(const char *text, struct smc_user_argument *argument,
                                   struct smc_error *error)
{
    char range[SMC_USER_RANGE];
    if (user_argument_read_number(argument->type, text, &argument->bits))
        return SMC_OK;
    smc_user_describe_range(argument->type, range);
    return smc_fail(error, SMC_USAGE, "'%.64s': '%.64s' is not %s", argument->typed, text, range);
}

/* Whether the first number is above the second, or one of them is not finite. */
static bool is_above(enum smc_user_type type, uint64_t low, uint64_t high)
{
    const struct smc_user_type_info *info = &smc_user_types[type];
    const unsigned above = 64 - 8u * info->bytes;
    if (info->class == SMC_USER_UNSIGNED)
        return low > high;
    if (info->class == SMC_USER_SIGNED)
        return (int64_t)(low << above) > (int64_t)(high << above);
    double from = smc_user_number(type, &low, 0), to = smc_user_number(type, &high, 0);
    return !(isfinite(from) && isfinite(to) && from <= to);
}

/* "0:4095", after "random:". */
static enum smc_status user_argument_read_bounds(const char *text,
                                                 struct smc_user_argument *argument,
                                                 struct smc_error *error)
{
    char low[64], range[SMC_USER_RANGE];
    size_t length = strcspn(text, ":");
    snprintf(low, sizeof low, "%.*s", (int)(length < sizeof low ? length : 0), text);
    argument->filling = SMC_USER_RANDOM;
    argument->is_bounded = true;
    bool is_range =
        text[length] && user_argument_read_number(argument->type, low, &argument->bits) &&
        user_argument_read_number(argument->type, text + length + 1, &argument->highest);
    if (is_range && !is_above(argument->type, argument->bits, argument->highest))
        return SMC_OK;
    smc_user_describe_range(argument->type, range);
    return smc_fail(error, SMC_USAGE,
                    "'%.64s': '%.64s' is not a range FIRST:LAST for random, such as 0:100, each %s",
                    argument->typed, text, range);
}

static enum smc_status read_filling(const char *text, struct smc_user_argument *argument,
                                    struct smc_error *error)
{
    static const struct {
        const char *name;
        enum smc_user_filling filling;
    } words[] = {{"zero", SMC_USER_NUMBER}, {"ramp", SMC_USER_RAMP}, {"random", SMC_USER_RANDOM}};
    static const char file[] = "file:", random[] = "random:";
    char range[SMC_USER_RANGE];
    if (strncmp(text, random, strlen(random)) == 0)
        return user_argument_read_bounds(text + strlen(random), argument, error);
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
    if (user_argument_read_number(argument->type, text, &argument->bits))
        return SMC_OK;
    smc_user_describe_range(argument->type, range);
    return smc_fail(error, SMC_USAGE,
                    "'%.64s': '%.64s' is not zero, ramp, random, random:FIRST:LAST, file:PATH or "
                    "%s",
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
    if (length >= sizeof count || !smc_parse_count(count, most_elements, &argument->elements) ||
        argument->elements == 0)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s': '%.31s' is not a number of elements (1024, 4K, 16M) between 1 "
                        "and %" PRIu64,
                        argument->typed, count, most_elements);
    return text[length] ? read_filling(text + length + 1, argument, error) : SMC_OK;
}

/* A number in C. */
static bool user_argument_is_word(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

/* --- As in C ---------------------------------------------------------------------------------- */

/* What people type for what is written otherwise here. */
static enum smc_status fail_c(const struct smc_c_type *type, const char *typed,
                              struct smc_error *error)
{
    smc_auto_text number = {0}, memory = {0};
    struct smc_c_type pointed = *type;
    pointed.pointers = type->pointers > 1 ? type->pointers : 1;
    smc_c_type_example(type, &number);
    smc_c_type_example(&pointed, &memory);
    const char *example = smc_text_string(&memory);
    if (type->pointers > 1)
        return smc_fail(error, SMC_USAGE, "'%.64s': an array of pointers is written %s", typed,
                        example);
    if (type->pointers == 1 || strchr(typed, '['))
        return smc_fail(error, SMC_USAGE,
                        "'%.64s': memory is written with its number of elements, %s or %s[%u]",
                        typed, example, smc_c_type_name(type->type), 1024 * type->lanes);
    return smc_fail(error, SMC_USAGE, "'%.64s': a number is written %s%s, memory %s", typed,
                    smc_text_string(&number), type->lanes > 1 ? ", with all of its members" : "",
                    example);
}

/* "[32][64]:random", the count of memory. */
static enum smc_status user_argument_read_dimensions(const char *text,
                                                     const struct smc_c_type *type,
                                                     struct smc_user_argument *argument,
                                                     struct smc_error *error)
{
    argument->is_buffer = true;
    argument->elements = type->lanes;
    while (*text == '[') {
        char count[32];
        uint64_t edge;
        size_t length = strcspn(++text, "]");
        snprintf(count, sizeof count, "%.*s", (int)(length < sizeof count ? length : 0), text);
        if (!text[length] || !smc_parse_size(count, most_elements, &edge) || edge == 0 ||
            __builtin_mul_overflow(argument->elements, edge, &argument->elements) ||
            argument->elements > most_elements)
            return fail_c(type, argument->typed, error);
        text += length + 1;
    }
    if (*text == ':' || *text == '=')
        return read_filling(text + 1, argument, error);
    return *text ? fail_c(type, argument->typed, error) : SMC_OK;
}

/* "int=5", "float[1024]:random", "unsigned int x1024", also "f32[1024]". */
static enum smc_status read_c(const char *typed, struct smc_user_argument *argument,
                              struct smc_error *error)
{
    struct smc_c_type type;
    size_t length = smc_c_type_read(typed, &type);
    if (length == 0)
        return fail_form(typed, error);
    const char *rest = typed + length + strspn(typed + length, " ");
    argument->type = type.type;
    if (type.pointers > 0 || type.is_texture || type.is_surface || type.is_tensor_map)
        return fail_c(&type, typed, error);
    if (*rest == '[')
        return user_argument_read_dimensions(rest, &type, argument, error);
    if (*rest == 'x') {
        enum smc_status status = read_buffer(rest + 1, argument, error);
        argument->elements *= type.lanes; /* both have an upper limit */
        return status;
    }
    if ((*rest != '=' && *rest != ':') || type.lanes > 1)
        return fail_c(&type, typed, error);
    rest += 1 + strspn(rest + 1, " ");
    if (user_argument_is_word(rest))
        rest = *rest == 't' ? "1" : "0";
    return read_scalar(rest, argument, error);
}

/* --- Structures and lists --------------------------------------------------------------------- */

enum { MOST_DEPTH = 16, POINTER_BYTES = 8 };

static const char blanks[] = " \t\n";

/* "@2", "@2.3", "@2+64", "@2.3-1" */
static enum smc_status user_argument_read_address(const char *typed,
                                                  struct smc_user_argument *argument,
                                                  struct smc_error *error)
{
    const char *start = typed + 1, *sign = start + strcspn(start, "+-");
    const char *dot = memchr(start, '.', (size_t)(sign - start)), *end = dot ? dot : sign;
    char target[24], part[24];
    int64_t numbers[2] = {0, 1};
    uint64_t offset = 0;
    snprintf(target, sizeof target, "%.*s", (int)(end - start < 20 ? end - start : 20), start);
    snprintf(part, sizeof part, "%.*s", dot && sign - dot < 20 ? (int)(sign - dot) - 1 : 0,
             dot ? dot + 1 : "");
    argument->form = SMC_USER_ADDRESS;
    argument->type = SMC_USER_U64;
    if (!smc_parse_integer(target, 1, INT32_MAX, &numbers[0]) ||
        (dot && !smc_parse_integer(part, 1, INT32_MAX, &numbers[1])) ||
        (*sign && !smc_parse_count(sign + 1, most_elements, &offset)))
        return smc_fail(
            error, SMC_USAGE,
            "'%.64s' is not an address such as @2 or @2+64, in the memory of the second "
            "argument",
            typed);
    argument->target = (size_t)numbers[0];
    argument->part = (size_t)numbers[1];
    argument->offset = *sign == '-' ? -(int64_t)offset : (int64_t)offset;
    return SMC_OK;
}

static bool begins_literal(const char *text)
{
    return user_argument_is_word(text) || (*text && strchr("-+.0123456789", *text));
}

enum { MOST_DIGITS = 64, MOST_SUFFIX = 8 };

/* Divides "1ull" into digits and suffix, in lower case. False: it is too long. */
static bool split_literal(const char *text, char digits[MOST_DIGITS], char suffix[MOST_SUFFIX],
                          bool *is_float)
{
    bool is_hex = text[0] == '0' && (text[1] | 0x20) == 'x';
    size_t length = strlen(text), end = length;
    *is_float = !is_hex && (strpbrk(text, ".eE") || text[length - 1] == 'f') &&
                !user_argument_is_word(text);
    if (length >= MOST_DIGITS)
        return false;
    while (end > 0 && length - end < 4 && strchr(*is_float ? "fF" : "uUlL", text[end - 1]) &&
           !user_argument_is_word(text))
        end--;
    memset(suffix, 0, MOST_SUFFIX);
    for (size_t i = end; i < length && i - end < MOST_SUFFIX - 1; i++)
        suffix[i - end] = (char)(text[i] | 0x20);
    if (user_argument_is_word(text))
        snprintf(digits, MOST_DIGITS, "%d", *text == 't');
    else
        snprintf(digits, MOST_DIGITS, "%.*s", (int)end, text);
    return true;
}

/* A number as C writes it: 1, 1u, 1ll, 2.5f, 2.5, true. Its type is the one that it has in C. */
static bool read_literal(const char *text, struct smc_user_argument *argument)
{
    static const struct {
        const char *suffix;
        enum smc_user_type type;
    } suffixes[] = {{"", SMC_USER_I32},   {"u", SMC_USER_U32},  {"l", SMC_USER_I64},
                    {"ll", SMC_USER_I64}, {"ul", SMC_USER_U64}, {"ull", SMC_USER_U64},
                    {"lu", SMC_USER_U64}, {"llu", SMC_USER_U64}};
    char digits[MOST_DIGITS], suffix[MOST_SUFFIX];
    bool is_float;
    if (!split_literal(text, digits, suffix, &is_float))
        return false;
    if (user_argument_is_word(text)) {
        argument->type = SMC_USER_U8;
        return user_argument_read_number(argument->type, digits, &argument->bits);
    }
    if (is_float) {
        argument->type = *suffix ? SMC_USER_F32 : SMC_USER_F64;
        return strlen(suffix) <= 1 &&
               user_argument_read_number(argument->type, digits, &argument->bits);
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffixes[i].suffix, suffix) == 0) {
            argument->type = suffixes[i].type;
            if (user_argument_read_number(argument->type, digits, &argument->bits))
                return true;
            argument->type = SMC_USER_I64; /* as in C: the next one that holds it */
            if (i == 0 && user_argument_read_number(argument->type, digits, &argument->bits))
                return true;
            argument->type = SMC_USER_U64;
            return i == 0 && user_argument_read_number(argument->type, digits, &argument->bits);
        }
    return false;
}

/* Whether a literal is a number that no type holds; the message names the largest type. */
static bool is_beyond_types(const char *text, struct smc_error *error)
{
    char *end, range[SMC_USER_RANGE];
    const bool is_whole = !strpbrk(text, ".eE");
    if (fabs(strtod(text, &end)) < 1e18 || end[strspn(end, "fFuUlL")])
        return false;
    if (!is_whole)
        smc_user_describe_range(*end ? SMC_USER_F32 : SMC_USER_F64, range);
    else
        smc_user_describe_range(*text == '-' ? SMC_USER_I64 : SMC_USER_U64, range);
    return smc_fail(error, SMC_USAGE, "'%.64s' is not %s", text, range) != SMC_OK;
}

bool smc_user_convert_literal(enum smc_user_type type, struct smc_user_argument *argument)
{
    char digits[MOST_DIGITS], suffix[MOST_SUFFIX];
    bool is_float;
    if (!split_literal(argument->typed, digits, suffix, &is_float) ||
        (is_float && smc_user_types[type].class != SMC_USER_FLOAT) ||
        !user_argument_read_number(type, digits, &argument->bits))
        return false;
    argument->type = type;
    return true;
}

void smc_user_suggest_types(const struct smc_user_argument *literal, uint64_t bytes,
                            struct smc_text *text)
{
    char digits[MOST_DIGITS], suffix[MOST_SUFFIX];
    bool is_float;
    if (!split_literal(literal->typed, digits, suffix, &is_float))
        return;
    for (int i = 0; i < SMC_USER_TYPE_COUNT; i++) {
        struct smc_user_argument trial = *literal;
        if (smc_user_types[i].bytes == bytes &&
            (smc_user_types[i].class != SMC_USER_UNSIGNED || text->length == 0) &&
            smc_user_convert_literal((enum smc_user_type)i, &trial))
            smc_text_printf(text, "%s%s:%s", text->length ? " or " : ": write ",
                            smc_user_types[i].name, digits);
    }
}

static enum smc_status user_argument_read_member(const char *text,
                                                 struct smc_user_argument *argument,
                                                 struct smc_error *error)
{
    *argument = (struct smc_user_argument){.typed = text};
    if (begins_literal(text)) {
        if (read_literal(text, argument))
            return SMC_OK;
        if (is_beyond_types(text, error))
            return SMC_USAGE;
        return smc_fail(error, SMC_USAGE, "'%.64s' is not a number such as 1, 1u, 1ll, 2.5f or 2.5",
                        text);
    }
    SMC_TRY(smc_user_argument_parse(text, argument, error));
    if (argument->form == SMC_USER_BYTES)
        return smc_fail(error, SMC_USAGE, "'%.64s' is a whole argument, not a member", text);
    return SMC_OK;
}

/* A walk over members. */
struct user_argument_walk {
    const char *typed;
    smc_user_visit *visit;
    void *context;
    struct smc_error *error;
    uint64_t most_bytes;
};

/* The length of the member at the beginning; `depth` receives how deep its brackets are. */
static size_t member_length(const char *text, size_t *depth)
{
    size_t open = 0, i = 0;
    *depth = 0;
    for (; text[i] && (open > 0 || !strchr(",}]", text[i])); i++) {
        open += text[i] == '{' || text[i] == '[';
        open -= open > 0 && (text[i] == '}' || text[i] == ']');
        *depth = open > *depth ? open : *depth;
    }
    return i;
}

static enum smc_status walk_list(struct user_argument_walk *walk, const char *text, uint64_t *end,
                                 uint32_t *align);

/* The structure in a structure: measured first, because its alignment decides its place. */
static enum smc_status walk_nested(struct user_argument_walk *walk, const char *text, uint64_t *end,
                                   uint32_t *align)
{
    struct user_argument_walk quiet = *walk;
    uint64_t bytes = 0;
    uint32_t own = 1;
    quiet.visit = NULL;
    SMC_TRY(walk_list(&quiet, text, &bytes, &own));
    *end = divide_up(*end, own) * own;
    uint64_t inner = *end;
    if (walk->visit)
        SMC_TRY(walk_list(walk, text, &inner, &own));
    *end += divide_up(bytes, own) * own;
    *align = own > *align ? own : *align;
    return SMC_OK;
}

static enum smc_status walk_one(struct user_argument_walk *walk, const char *text, uint64_t *end,
                                uint32_t *align)
{
    struct smc_user_argument member;
    if (*text == '{') {
        SMC_TRY(walk_nested(walk, text, end, align));
    } else {
        if (user_argument_read_member(text, &member, walk->error) != SMC_OK)
            return smc_fail_in(walk->error, SMC_USAGE, "'%.64s'", walk->typed);
        const bool is_map = member.form == SMC_USER_TENSOR_MAP;
        const uint32_t bytes = is_map                         ? SMC_TENSOR_MAP_BYTES
                               : smc_user_is_pointer(&member) ? POINTER_BYTES
                                                              : smc_user_types[member.type].bytes;
        const uint32_t unit = is_map ? SMC_TENSOR_MAP_ALIGN : bytes;
        *end = divide_up(*end, unit) * unit;
        if (walk->visit)
            SMC_TRY(walk->visit(walk->context, &member, *end, walk->error));
        *end += bytes;
        *align = unit > *align ? unit : *align;
    }
    if (*end > walk->most_bytes)
        return smc_fail(walk->error, SMC_USAGE, "'%.64s' has more than %llu bytes", walk->typed,
                        (unsigned long long)walk->most_bytes);
    return SMC_OK;
}

/* A member, or several as in 4*i32:0. */
static enum smc_status walk_repeated(struct user_argument_walk *walk, const char *text,
                                     size_t length, uint64_t *end, uint32_t *align)
{
    size_t digits = strspn(text, "0123456789");
    unsigned long times = digits > 0 && text[digits] == '*' ? strtoul(text, NULL, 10) : 1;
    size_t start = text[digits] == '*' && digits > 0 ? digits + 1 : 0;
    while (length > start && strchr(blanks, text[length - 1]))
        length--;
    if (length == start || times == 0 || times > SMC_MOST_LIST_BYTES)
        return smc_fail(walk->error, SMC_USAGE, "'%.64s': '%.*s' is not a member", walk->typed,
                        (int)(length < 64 ? length : 64), text);
    smc_auto_free char *one = smc_strndup(text + start, length - start);
    SMC_TRY(one ? SMC_OK : smc_out_of_memory(walk->error));
    for (unsigned long i = 0; i < times; i++)
        SMC_TRY(walk_one(walk, one, end, align));
    return SMC_OK;
}

/* "{a, b}" or "[a, b]". */
static enum smc_status walk_list(struct user_argument_walk *walk, const char *text, uint64_t *end,
                                 uint32_t *align)
{
    const char close = *text++ == '{' ? '}' : ']';
    for (;;) {
        size_t depth;
        text += strspn(text, blanks);
        size_t length = member_length(text, &depth);
        if (depth > MOST_DEPTH)
            return smc_fail(walk->error, SMC_USAGE, "'%.64s' is nested too deeply", walk->typed);
        SMC_TRY(walk_repeated(walk, text, length, end, align));
        text += length;
        if (*text != ',')
            break;
        text++;
    }
    if (*text == close && !text[1])
        return SMC_OK;
    return smc_fail(walk->error, SMC_USAGE, "'%.64s': '%c' expected at '%.32s'", walk->typed, close,
                    text);
}

enum smc_status smc_user_members(const char *typed, smc_user_visit *visit, void *context,
                                 uint64_t *bytes, uint32_t *align, struct smc_error *error)
{
    struct user_argument_walk walk = {typed, visit, context, error,
                                      *typed == '{' ? SMC_MOST_STRUCT_BYTES : SMC_MOST_LIST_BYTES};
    *bytes = 0;
    *align = 1;
    enum smc_status status = walk_list(&walk, typed, bytes, align);
    *bytes = divide_up(*bytes, *align) * *align;
    return status;
}

/* --- Textures and surfaces -------------------------------------------------------------------- */

static const uint64_t most_texels = UINT64_C(1) << 28; /* along one axis */

enum texture_word { CHANNELS_2, CHANNELS_4, LAYERED, LINEAR, NORMALIZED, AS_FLOAT, ADDRESSES };
static const char *const texture_words[] = {
    [CHANNELS_2] = "v2",
    [CHANNELS_4] = "v4",
    [LAYERED] = "layered",
    [LINEAR] = "linear",
    [NORMALIZED] = "normalized",
    [AS_FLOAT] = "float",
    [ADDRESSES + SMC_ADDRESS_CLAMP] = "clamp",
    [ADDRESSES + SMC_ADDRESS_WRAP] = "wrap",
    [ADDRESSES + SMC_ADDRESS_MIRROR] = "mirror",
    [ADDRESSES + SMC_ADDRESS_BORDER] = "border",
};
enum { TEXTURE_WORDS = sizeof texture_words / sizeof *texture_words };

/* ".v4.linear", up to the ':'. */
static enum smc_status read_texture_words(const char *text, struct smc_user_argument *argument,
                                          struct smc_error *error)
{
    struct smc_emulated_texture *texture = &argument->texture;
    const bool is_surface = argument->is_surface;
    texture->channels = 1;
    while (*text == '.') {
        size_t length = strcspn(++text, ".:"), i = 0;
        while (i < TEXTURE_WORDS &&
               (strlen(texture_words[i]) != length || strncmp(texture_words[i], text, length) != 0))
            i++;
        if (i == TEXTURE_WORDS || (is_surface && i > LAYERED))
            return smc_fail(error, SMC_USAGE, "'%.64s': '%.*s' is not %s", argument->typed,
                            (int)(length < 32 ? length : 32), text,
                            is_surface ? "v2, v4 or layered"
                                       : "v2, v4, layered, linear, normalized, float, clamp, "
                                         "wrap, mirror or border");
        if (i <= CHANNELS_4)
            texture->channels = i == CHANNELS_2 ? 2 : 4;
        else if (i >= ADDRESSES)
            texture->address = (enum smc_address_mode)(i - ADDRESSES);
        argument->is_layered |= i == LAYERED;
        texture->linear |= i == LINEAR;
        texture->normalized |= i == NORMALIZED;
        texture->as_float |= i == AS_FLOAT;
        text += length;
    }
    return SMC_OK;
}

/* "x64x32", up to the ':' or the end. */
static enum smc_status user_argument_read_extents(const char *text,
                                                  struct smc_user_argument *argument,
                                                  struct smc_error *error)
{
    struct smc_emulated_texture *texture = &argument->texture;
    unsigned count = 0;
    uint64_t extent[3] = {1, 1, 1};
    while (*text == 'x') {
        char number[16];
        size_t length = strcspn(++text, "x:");
        snprintf(number, sizeof number, "%.*s", (int)(length < 15 ? length : 15), text);
        if (count == 3 || length >= sizeof number ||
            !smc_parse_count(number, most_texels, &extent[count++]) || extent[count - 1] == 0)
            return smc_fail(
                error, SMC_USAGE,
                "'%.64s': '%.15s' is not a width, height or depth between 1 and %" PRIu64
                ", of which there are at most three",
                argument->typed, number, most_texels);
        text += length;
    }
    if (argument->is_layered && (count < 2 || extent[count - 1] > 2048))
        return smc_fail(error, SMC_USAGE,
                        "'%.64s': layers are the last of two or three extents, and 1 to 2048",
                        argument->typed);
    argument->dimensions = (uint8_t)(count - argument->is_layered);
    if (argument->is_layered && count == 2) {
        extent[2] = extent[1];
        extent[1] = 1;
    }
    for (int i = 0; i < 3; i++)
        texture->extent[i] = (uint32_t)extent[i];
    if (__builtin_mul_overflow(extent[0] * extent[1], extent[2] * texture->channels,
                               &argument->elements) ||
        argument->elements > most_elements)
        return smc_fail(error, SMC_USAGE, "'%.64s': too many texels", argument->typed);
    return *text ? read_filling(text + 1, argument, error) : SMC_OK;
}

/* What CUDA refuses as well. */
static enum smc_status check_texture(const struct smc_user_argument *argument,
                                     struct smc_error *error)
{
    const struct smc_emulated_texture *texture = &argument->texture;
    bool repeats = texture->address == SMC_ADDRESS_WRAP || texture->address == SMC_ADDRESS_MIRROR;
    const char *why = NULL;
    if (texture->channel_bytes > 4)
        why = "texels have elements of 8, 16 or 32 bits";
    else if (argument->type == SMC_USER_BF16)
        why = "no texel is a bf16";
    else if (texture->as_float && (texture->kind == SMC_TEXEL_FLOAT || texture->channel_bytes > 2))
        why = "float is for integers of 8 or 16 bits";
    else if (texture->linear && texture->kind != SMC_TEXEL_FLOAT && !texture->as_float)
        why = "linear needs elements of type f32, or float";
    else if (repeats && !texture->normalized)
        why = "wrap and mirror need normalized";
    return why ? smc_fail(error, SMC_USAGE, "'%.64s': %s", argument->typed, why) : SMC_OK;
}

/* The ':' or '.' after "tex" or "surf"; NULL: neither. */
static const char *find_texture(const char *typed, bool *is_surface)
{
    static const char *const names[] = {"tex", "surf"};
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        *is_surface = i == 1;
        if (strncmp(typed, names[i], length) == 0 && (typed[length] == ':' || typed[length] == '.'))
            return typed + length;
    }
    return NULL;
}

static enum smc_status read_texture(const char *words, struct smc_user_argument *argument,
                                    struct smc_error *error)
{
    struct smc_emulated_texture *texture = &argument->texture;
    const char *memory = words + strcspn(words, ":");
    const char *rest = *memory ? user_argument_read_type(memory + 1, &argument->type) : NULL;
    argument->form = SMC_USER_TEXTURE;
    argument->is_buffer = true;
    SMC_TRY(read_texture_words(words, argument, error));
    if (!rest || *rest != 'x')
        return smc_fail(error, SMC_USAGE, "'%.64s' is not of the form %s:f32x64x32:random",
                        argument->typed, argument->is_surface ? "surf" : "tex");
    const struct smc_user_type_info *type = &smc_user_types[argument->type];
    texture->channel_bytes = type->bytes;
    texture->kind = type->class == SMC_USER_FLOAT    ? SMC_TEXEL_FLOAT
                    : type->class == SMC_USER_SIGNED ? SMC_TEXEL_SIGNED
                                                     : SMC_TEXEL_UNSIGNED;
    SMC_TRY(check_texture(argument, error));
    return user_argument_read_extents(rest, argument, error);
}

/* --- Tensor maps ------------------------------------------------------------------------------ */

static const char tensor_map_word[] = "tmap:";

/* Elements with a sign are copied like those without where CUDA has no type for them. */
static const uint8_t tensor_types[SMC_USER_TYPE_COUNT] = {
    [SMC_USER_I8] = SMC_TENSOR_U8,   [SMC_USER_U8] = SMC_TENSOR_U8,
    [SMC_USER_I16] = SMC_TENSOR_U16, [SMC_USER_U16] = SMC_TENSOR_U16,
    [SMC_USER_I32] = SMC_TENSOR_S32, [SMC_USER_U32] = SMC_TENSOR_U32,
    [SMC_USER_I64] = SMC_TENSOR_S64, [SMC_USER_U64] = SMC_TENSOR_U64,
    [SMC_USER_F16] = SMC_TENSOR_F16, [SMC_USER_BF16] = SMC_TENSOR_BF16,
    [SMC_USER_F32] = SMC_TENSOR_F32, [SMC_USER_F64] = SMC_TENSOR_F64,
};

static enum smc_status fail_tensor_map(const struct smc_user_argument *argument, const char *why,
                                       struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "'%.64s': %s, as in %sf16x4096x4096:box=64x64:swizzle=128",
                    argument->typed, why, tensor_map_word);
}

/* "4096x4096", of `length` characters. Returns how many numbers; 0: it does not have that form. */
static uint8_t read_tensor_extents(const char *text, size_t length, int64_t most,
                                   int64_t extent[SMC_TENSOR_DIMENSIONS])
{
    char numbers[80];
    snprintf(numbers, sizeof numbers, "%.*s", (int)(length < sizeof numbers ? length : 0), text);
    return (uint8_t)smc_parse_dimensions(numbers, most, extent, SMC_TENSOR_DIMENSIONS);
}

/* The next functions return what is wrong, or NULL. */
static const char too_many[] = "a tensor has at most 2^40 bytes";

/* Without strides the tensor is dense: each is the product of the sizes before. */
static const char *read_tensor(const char *text, uint64_t bytes, struct smc_tensor_map *map)
{
    int64_t size[SMC_TENSOR_DIMENSIONS] = {0};
    map->rank = read_tensor_extents(text, strcspn(text, ":"), UINT32_MAX, size);
    for (int i = 0; i < map->rank; i++) {
        map->size[i] = (uint64_t)size[i];
        if (i > 0)
            map->stride[i - 1] = bytes;
        if (__builtin_mul_overflow(bytes, map->size[i], &bytes) || bytes > most_elements)
            return too_many;
    }
    return map->rank ? NULL : "a tensor has 1 to 5 sizes, the contiguous one first";
}

/* "8192x128": bytes, as cuTensorMapEncodeTiled has them; also 0. */
static const char *read_tensor_strides(const char *text, struct smc_tensor_map *map)
{
    bool is_good = map->rank > 1;
    for (int i = 0; is_good && i + 1 < map->rank; i++) {
        char number[NUMBER_TEXT];
        const size_t length = strcspn(text, "x:");
        const bool is_last = i + 2 == map->rank;
        snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : 0), text);
        is_good =
            smc_parse_count(number, INT64_MAX, &map->stride[i]) && (text[length] == 'x') != is_last;
        text += length + !is_last;
    }
    return is_good ? NULL : "the strides are bytes, one number for each of the sizes but the first";
}

static const char *read_tensor_box(const char *text, size_t length, struct smc_tensor_map *map)
{
    enum { MOST_BOX = 256 };
    int64_t box[SMC_TENSOR_DIMENSIONS] = {0};
    if (read_tensor_extents(text, length, MOST_BOX, box) != map->rank)
        return "the box has a number from 1 to 256 for each of the sizes";
    for (int i = 0; i < map->rank; i++) {
        map->box[i] = (uint16_t)box[i];
        map->step[i] = 1;
    }
    return NULL;
}

static const char *read_tensor_swizzle(const char *text, size_t length, struct smc_tensor_map *map)
{
    int64_t span[SMC_TENSOR_DIMENSIONS] = {0};
    if (read_tensor_extents(text, length, 128, span) != 1 ||
        (span[0] != 32 && span[0] != 64 && span[0] != 128))
        return "the swizzle is 32, 64 or 128 bytes";
    map->span = (uint8_t)span[0];
    return NULL;
}

/* ":box=64x64:stride=8192:swizzle=128:random", in any order; a file's path is the rest. */
static enum smc_status read_tensor_words(const char *text, struct smc_user_argument *argument,
                                         struct smc_error *error)
{
    static const char box[] = "box=", stride[] = "stride=", swizzle[] = "swizzle=",
                      file[] = "file:";
    char filling[64] = "";
    const char *why = NULL;
    while (*text && !why) {
        const size_t length = strcspn(++text, ":"), used = strlen(filling);
        if (strncmp(text, file, strlen(file)) == 0)
            return read_filling(text, argument, error);
        if (strncmp(text, box, strlen(box)) == 0)
            why = read_tensor_box(text + strlen(box), length - strlen(box), &argument->map);
        else if (strncmp(text, stride, strlen(stride)) == 0)
            why = read_tensor_strides(text + strlen(stride), &argument->map);
        else if (strncmp(text, swizzle, strlen(swizzle)) == 0)
            why = read_tensor_swizzle(text + strlen(swizzle), length - strlen(swizzle),
                                      &argument->map);
        else
            snprintf(filling + used, sizeof filling - used, "%s%.*s", used ? ":" : "",
                     (int)(length < sizeof filling ? length : sizeof filling), text);
        text += length;
    }
    if (why)
        return fail_tensor_map(argument, why, error);
    return filling[0] ? read_filling(filling, argument, error) : SMC_OK;
}

/* What the driver refuses. `bytes` receives those from the first element to behind the last. */
static const char *check_tensor_map(struct smc_tensor_map *map, uint64_t element, uint64_t *bytes)
{
    enum { UNIT = 16 };
    const uint64_t row = map->box[0] * element;
    if (row == 0)
        return "a tensor map needs the box of a copy";
    if (row % UNIT)
        return "a row of the box has a multiple of 16 bytes";
    if (map->span > UNIT && row > map->span)
        return "a row of the box has no more bytes than the swizzle";
    if (!smc_tensor_map_finish(map))
        return "rows of the tensor, and strides, have a multiple of 16 bytes, less than 2^40";
    *bytes = map->size[0] * element;
    for (int i = 1; i < map->rank; i++) {
        uint64_t along;
        if (__builtin_mul_overflow(map->size[i] - 1, map->stride[i - 1], &along) ||
            __builtin_add_overflow(*bytes, along, bytes) || *bytes > most_elements)
            return too_many;
    }
    return NULL;
}

static enum smc_status read_tensor_map(const char *typed, struct smc_user_argument *argument,
                                       struct smc_error *error)
{
    const char *rest = user_argument_read_type(typed + strlen(tensor_map_word), &argument->type);
    const uint64_t element = smc_user_types[argument->type].bytes;
    uint64_t bytes = 0;
    argument->form = SMC_USER_TENSOR_MAP;
    argument->is_buffer = true;
    argument->bytes = SMC_TENSOR_MAP_BYTES;
    argument->map = (struct smc_tensor_map){.type = tensor_types[argument->type], .span = 16};
    const char *why = !rest || *rest != 'x' ? "a tensor map has the type and the sizes of a tensor"
                                            : read_tensor(rest + 1, element, &argument->map);
    enum smc_status status =
        why ? SMC_USAGE : read_tensor_words(rest + strcspn(rest, ":"), argument, error);
    if (status == SMC_OK)
        why = check_tensor_map(&argument->map, element, &bytes);
    argument->elements = divide_up(bytes, element);
    return why ? fail_tensor_map(argument, why, error) : status;
}

void smc_user_tensor_map(const struct smc_user_argument *argument, uint64_t address,
                         unsigned char bytes[SMC_TENSOR_MAP_BYTES])
{
    struct smc_tensor_map map = argument->map;
    map.address = address;
    memset(bytes, 0, SMC_TENSOR_MAP_BYTES);
    if (smc_tensor_map_finish(&map))
        memcpy(bytes, &map, sizeof map);
}

static enum smc_status read_members(const char *typed, struct smc_user_argument *argument,
                                    struct smc_error *error)
{
    argument->form = *typed == '{' ? SMC_USER_STRUCT : SMC_USER_LIST;
    enum smc_status status =
        smc_user_members(typed, NULL, NULL, &argument->bytes, &argument->align, error);
    argument->type = argument->bytes % POINTER_BYTES == 0 ? SMC_USER_U64 : SMC_USER_U8;
    argument->is_buffer = argument->form == SMC_USER_LIST;
    argument->elements = argument->bytes / smc_user_types[argument->type].bytes;
    return status;
}

enum smc_status smc_user_argument_parse(const char *typed, struct smc_user_argument *argument,
                                        struct smc_error *error)
{
    static const char of_file[] = "struct:";
    *argument = (struct smc_user_argument){.typed = typed};
    if (*typed == '{' || *typed == '[')
        return read_members(typed, argument, error);
    if (*typed == '@')
        return user_argument_read_address(typed, argument, error);
    if (begins_literal(typed)) {
        argument->is_literal = true;
        return read_literal(typed, argument)   ? SMC_OK
               : is_beyond_types(typed, error) ? SMC_USAGE
                                               : fail_form(typed, error);
    }
    if (strcmp(typed, "nullptr") == 0 || strcmp(typed, "NULL") == 0) {
        argument->type = SMC_USER_U64;
        return SMC_OK;
    }
    if (strncmp(typed, of_file, strlen(of_file)) == 0 && typed[strlen(of_file)]) {
        argument->form = SMC_USER_BYTES;
        argument->path = typed + strlen(of_file);
        return SMC_OK;
    }
    if (strncmp(typed, tensor_map_word, strlen(tensor_map_word)) == 0)
        return read_tensor_map(typed, argument, error);
    const char *words = find_texture(typed, &argument->is_surface);
    if (words)
        return read_texture(words, argument, error);
    argument->is_surface = false;
    const char *rest = user_argument_read_type(typed, &argument->type);
    if (!rest)
        return read_c(typed, argument, error);
    return *rest == ':' ? read_scalar(rest + 1, argument, error)
                        : read_buffer(rest + 1, argument, error);
}

size_t smc_user_variable_name(const char *typed)
{
    size_t length = 0;
    while (typed[length] && typed[length] != '=' &&
           (typed[length] != ':' || typed[length + 1] == ':'))
        length += typed[length] == ':' ? 2 : 1;
    return length;
}

enum smc_status smc_user_variable_parse(const char *typed, struct smc_user_variable *variable,
                                        struct smc_error *error)
{
    size_t length = smc_user_variable_name(typed);
    const char *value = typed + length + 1;
    *variable = (struct smc_user_variable){.typed = typed, .is_set = true};
    if (length == 0 || length >= sizeof variable->name || !typed[length] || !*value)
        return smc_fail(error, SMC_USAGE,
                        "'%.64s' is not of the form NAME=VALUE, such as scale=f32:1.5 or "
                        "table=f32x64:random, or NAME:FILE",
                        typed);
    memcpy(variable->name, typed, length);
    if (typed[length] == '=') {
        SMC_TRY(user_argument_read_member(value, &variable->value, error));
        variable->value.is_literal = begins_literal(value);
        return SMC_OK;
    }
    variable->value = (struct smc_user_argument){
        .typed = typed, .form = SMC_USER_BYTES, .type = SMC_USER_U8, .path = value};
    return SMC_OK;
}

bool smc_user_passes_memory(const struct smc_user_argument *argument)
{
    return argument->is_buffer && argument->form != SMC_USER_TENSOR_MAP;
}

bool smc_user_is_pointer(const struct smc_user_argument *argument)
{
    return smc_user_passes_memory(argument) || argument->form == SMC_USER_ADDRESS;
}
