/* The numeric types of C and CUDA C++ by their names. */
#include "hardware/executor/c_types.h"

#include <ctype.h>
#include <string.h>

enum { MOST_NAME = 64, MOST_LANES = 4 };

static const struct {
    const char *name;
    enum smc_user_type type;
} names[] = {
#define C_TYPE(id, name) {name, SMC_USER_##id},
#include "hardware/executor/types.def"
#define TYPE(id, name, bytes, class) {name, SMC_USER_##id},
#include "hardware/executor/types.def"
    {"void", SMC_USER_U8},
    {"cudaTextureObject_t", SMC_USER_U64},
    {"cudaSurfaceObject_t", SMC_USER_U64},
    {"CUtensorMap", SMC_USER_U64},
    {"CUtensorMap_st", SMC_USER_U64},
};

const char *smc_c_type_name(enum smc_user_type type)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].type == type)
            return names[i].name;
    return "";
}

static bool c_types_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool c_types_find(const char *name, enum smc_user_type *type)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, name) == 0) {
            *type = names[i].type;
            return true;
        }
    return false;
}

/* "float", "unsigned int", "float4", "half2". */
static bool c_types_find_type(const char *name, struct smc_c_type *type)
{
    char base[MOST_NAME];
    size_t length = strlen(name);
    type->lanes = 1;
    type->is_texture = strcmp(name, "cudaTextureObject_t") == 0;
    type->is_surface = strcmp(name, "cudaSurfaceObject_t") == 0;
    type->is_tensor_map = strcmp(name, "CUtensorMap") == 0 || strcmp(name, "CUtensorMap_st") == 0;
    if (c_types_find(name, &type->type))
        return true;
    if (length < 2 || name[length - 1] < '2' || name[length - 1] > '0' + MOST_LANES)
        return false;
    memcpy(base, name, length - 1);
    base[length - 1] = '\0';
    type->lanes = (unsigned)(name[length - 1] - '0');
    return c_types_find(base, &type->type);
}

/* The blanks and qualifiers at the beginning; in `length`, that of the word after them. */
static size_t c_types_skip_qualifiers(const char *text, size_t *length)
{
    static const char *const qualifiers[] = {"const",      "volatile", "__restrict__",
                                             "__restrict", "struct",   "__grid_constant__",
                                             "restrict"};
    size_t at = 0;
    for (bool skipped = true; skipped;) {
        skipped = false;
        at += strspn(text + at, " \t\n");
        at += strncmp(text + at, "std::", 5) == 0 ? 5 : 0;
        for (*length = 0; c_types_is_name(text[at + *length]);)
            ++*length;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
            if (*length == strlen(qualifiers[i]) &&
                strncmp(text + at, qualifiers[i], *length) == 0) {
                at += *length;
                skipped = true;
                break;
            }
    }
    return at;
}

/* Where the number begins in "floatx1024" and "intx4K"; the whole length if there is none. */
static size_t without_count(const char *word, size_t length)
{
    size_t digits = length - (length > 1 && strchr("KMG", word[length - 1]) != NULL);
    while (digits > 0 && isdigit((unsigned char)word[digits - 1]))
        digits--;
    return digits > 1 && isdigit((unsigned char)word[digits]) && word[digits - 1] == 'x'
               ? digits - 1
               : length;
}

/* The longest sequence of words that is a type. */
static size_t c_types_read_words(const char *text, struct smc_c_type *type)
{
    char name[MOST_NAME] = "";
    size_t end = 0, at = 0, length, used = 0;
    struct smc_c_type trial = *type;
    for (at = c_types_skip_qualifiers(text, &length); length > 0 && used + length + 2 < sizeof name;
         at += c_types_skip_qualifiers(text + at, &length)) {
        length = without_count(text + at, length);
        if (used > 0)
            name[used++] = ' ';
        memcpy(name + used, text + at, length);
        used += length;
        name[used] = '\0';
        at += length;
        if (c_types_find_type(name, &trial)) {
            *type = trial;
            end = at;
        }
    }
    return end;
}

size_t smc_c_type_read(const char *text, struct smc_c_type *type)
{
    *type = (struct smc_c_type){.lanes = 1};
    size_t end = c_types_read_words(text, type), length;
    if (end == 0)
        return 0;
    for (;;) {
        size_t at = end + c_types_skip_qualifiers(text + end, &length);
        if (text[at] != '*')
            return end;
        type->pointers++;
        end = at + 1;
    }
}

void smc_c_type_example(const struct smc_c_type *type, struct smc_text *text)
{
    const struct smc_user_type_info *info = &smc_user_types[type->type];
    const bool is_float = info->class == SMC_USER_FLOAT, is_byte = info->bytes == 1;
    if (type->is_texture || type->is_surface) {
        smc_text_append(text, type->is_texture ? "tex:f32x64x32:random" : "surf:f32x64x32");
    } else if (type->is_tensor_map && type->pointers <= 1) {
        smc_text_printf(text, type->pointers ? "[%s]" : "%s",
                        "tmap:f16x4096x4096:box=64x64:swizzle=128:random");
    } else if (type->pointers > 1) {
        smc_text_printf(text, "[%sx1024, %sx1024]", info->name, info->name);
    } else if (type->pointers == 1) {
        smc_text_printf(text, "%sx%u:random%s", info->name, 1024 * type->lanes,
                        is_float || is_byte ? "" : ":0:1023");
    } else if (type->lanes == 1) {
        smc_text_printf(text, "%s:%s", info->name, is_float ? "1.5" : is_byte ? "1" : "1024");
    } else {
        for (unsigned i = 0; i < type->lanes; i++)
            smc_text_printf(text, "%s%s:%u", i ? ", " : "{", info->name, i + 1);
        smc_text_append(text, "}");
    }
}

const struct smc_user_type_info smc_user_types[SMC_USER_TYPE_COUNT] = {
#define TYPE(id, name, bytes, class) [SMC_USER_##id] = {name, bytes, SMC_USER_##class},
#include "hardware/executor/types.def"
};
