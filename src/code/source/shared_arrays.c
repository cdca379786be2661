/* The arrays that the source declares in shared memory: see shared_arrays.h. */
#include "code/source/shared_arrays.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/hash.h"
#include "base/memory.h"

enum { MOST_ARGUMENTS = 24, LONGEST_TEXT = 400, MOST_NESTED = 8 };

/* The template arguments of the kernel, by the names of its parameters. */
struct argument {
    uint64_t name; /* hash */
    char value[64];
};

struct scope {
    const struct smc_source_tree *tree;
    const struct smc_source_file *file; /* of the declaration */
    struct argument argument[MOST_ARGUMENTS];
    uint32_t arguments;
};

/* --- Elements --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t bytes;
} elements[] = {
    {"char", 1},           {"signed char", 1},  {"unsigned char", 1},
    {"int8_t", 1},         {"uint8_t", 1},      {"uchar", 1},
    {"bool", 1},           {"std::byte", 1},    {"__nv_fp8_e4m3", 1},
    {"__nv_fp8_e5m2", 1},  {"short", 2},        {"unsigned short", 2},
    {"int16_t", 2},        {"uint16_t", 2},     {"half", 2},
    {"__half", 2},         {"nv_bfloat16", 2},  {"__nv_bfloat16", 2},
    {"char2", 2},          {"uchar2", 2},       {"int", 4},
    {"unsigned", 4},       {"unsigned int", 4}, {"int32_t", 4},
    {"uint32_t", 4},       {"uint", 4},         {"float", 4},
    {"half2", 4},          {"__half2", 4},      {"nv_bfloat162", 4},
    {"__nv_bfloat162", 4}, {"char4", 4},        {"uchar4", 4},
    {"short2", 4},         {"ushort2", 4},      {"long", 8},
    {"unsigned long", 8},  {"long long", 8},    {"unsigned long long", 8},
    {"int64_t", 8},        {"uint64_t", 8},     {"size_t", 8},
    {"double", 8},         {"float2", 8},       {"int2", 8},
    {"uint2", 8},          {"short4", 8},       {"ushort4", 8},
    {"float3", 12},        {"int3", 12},        {"uint3", 12},
    {"float4", 16},        {"int4", 16},        {"uint4", 16},
    {"double2", 16},       {"longlong2", 16},   {"ulonglong2", 16},
};

static uint32_t shared_arrays_bytes_of(const char *type)
{
    if (strncmp(type, "std::", 5) == 0 && strcmp(type, "std::byte") != 0)
        type += 5;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strcmp(elements[i].name, type) == 0)
            return elements[i].bytes;
    return 0;
}

/* --- Text of tokens --------------------------------------------------------------------------- */

static bool shared_arrays_is_word(const struct smc_tokens *tokens, uint32_t i)
{
    return i < tokens->count && tokens->item[i].kind == SMC_TOKEN_WORD;
}

/* Appends a token, after a blank where two words would become one; false if it is too long. */
static bool append_token(const struct smc_tokens *tokens, uint32_t i, char *text, size_t room)
{
    const struct smc_cpp_token *token = &tokens->item[i];
    const size_t used = strlen(text), length = token->end - token->begin;
    const bool apart =
        used && token->kind == SMC_TOKEN_WORD && isalnum((unsigned char)text[used - 1]);
    if (used + apart + length >= room)
        return false;
    snprintf(text + used, room - used, "%s%.*s", apart ? " " : "", (int)length,
             tokens->text + token->begin);
    return true;
}

/* As written, one blank around operators of two sides being kept from the source. */
static void copy_source(const struct smc_tokens *tokens, uint32_t begin, uint32_t end, char *text,
                        size_t room)
{
    const char *from = tokens->text + tokens->item[begin].begin;
    const size_t length = (size_t)(tokens->text + tokens->item[end - 1].end - from);
    text[0] = '\0';
    if (length < room && !memchr(from, '\n', length))
        snprintf(text, room, "%.*s", (int)length, from);
}

/* --- Template arguments ----------------------------------------------------------------------- */

/* "(int)128" is 128; "float" stays. */
static void copy_argument(const char *from, size_t length, char value[64])
{
    for (int i = 0; i < 2; i++) {
        while (length && from[0] == ' ') {
            from++;
            length--;
        }
        const char *close = length && from[0] == '(' ? memchr(from, ')', length) : NULL;
        if (close) {
            length -= (size_t)(close + 1 - from);
            from = close + 1;
        }
    }
    while (length && isdigit((unsigned char)from[0]) && strchr("uUlL", from[length - 1]))
        length--;
    snprintf(value, 64, "%.*s", (int)(length < 63 ? length : 63), from);
}

/* The arguments in the first list of the name: name<128, 8>(float*). */
static uint32_t read_values(const char *shown, struct argument argument[MOST_ARGUMENTS])
{
    const char *parameters = strchr(shown, '('), *at = strchr(shown, '<'), *begin;
    uint32_t count = 0;
    int depth = 0;
    if (!at || (parameters && parameters < at && parameters[1] != 'a')) /* (anonymous namespace) */
        return 0;
    for (begin = ++at; *at && count < MOST_ARGUMENTS; at++) {
        const bool ends = depth == 0 && (*at == ',' || *at == '>');
        if (ends) {
            copy_argument(begin, (size_t)(at - begin), argument[count++].value);
            begin = at + 1;
        }
        if (depth == 0 && *at == '>')
            break;
        depth += *at == '<' || *at == '(';
        depth -= *at == '>' || *at == ')';
    }
    return count;
}

static void shared_arrays_read_arguments(const struct smc_declaration *kernel, const char *shown,
                                         struct scope *scope)
{
    const struct smc_tokens *tokens = &scope->file->tokens;
    uint32_t count = read_values(shown, scope->argument), named = 0, name = SMC_NO_TOKEN;
    uint32_t begin = kernel->template_begin;
    uint32_t end =
        begin == SMC_NO_TOKEN ? SMC_NO_TOKEN : smc_token_close_angle(tokens, begin, kernel->end);
    int depth = 0;
    if (end == SMC_NO_TOKEN)
        return;
    for (uint32_t i = begin + 1; i <= end && named < count; i++) {
        const bool ends = i == end || (depth == 0 && smc_token_is(tokens, i, ","));
        depth += smc_token_is(tokens, i, "(") || smc_token_is(tokens, i, "<");
        depth -= smc_token_is(tokens, i, ")") || smc_token_is(tokens, i, ">");
        if (shared_arrays_is_word(tokens, i) && (shared_arrays_is_word(tokens, i + 1) || !ends) &&
            (smc_token_is(tokens, i + 1, ",") || smc_token_is(tokens, i + 1, "=") || i + 1 == end))
            name = name == SMC_NO_TOKEN ? i : name;
        if (!ends)
            continue;
        scope->argument[named++].name = name == SMC_NO_TOKEN ? 0 : smc_token_hash(tokens, name);
        name = SMC_NO_TOKEN;
    }
    scope->arguments = named;
}

static const char *argument_of(const struct scope *scope, uint64_t name)
{
    for (uint32_t i = 0; i < scope->arguments; i++)
        if (scope->argument[i].name == name)
            return scope->argument[i].value;
    return NULL;
}

/* --- Constants -------------------------------------------------------------------------------- */

/* The value of -DNAME=VALUE; NULL if there is none. */
static const char *defined_by_option(const struct scope *scope, uint64_t name, size_t *length)
{
    const char *line = smc_text_string(&scope->tree->defines);
    while (*line) {
        const size_t all = strcspn(line, "\n"), word = strcspn(line, "=\n");
        if (smc_hash(SMC_HASH_START, line, word) == name) {
            *length = all > word ? all - word - 1 : 0;
            return line + word + (all > word);
        }
        line += all + (line[all] == '\n');
    }
    return NULL;
}

/* Where `name = value` begins its value; the last one before `before`, else any. */
static uint32_t shared_arrays_find_value(const struct smc_tokens *tokens, uint64_t name,
                                         uint32_t before)
{
    uint32_t found = SMC_NO_TOKEN;
    for (uint32_t i = 1; i + 2 < tokens->count; i++) {
        if (!shared_arrays_is_word(tokens, i) || !smc_token_is(tokens, i + 1, "=") ||
            smc_token_is(tokens, i + 2, "=") || smc_token_hash(tokens, i) != name)
            continue;
        const bool declares = shared_arrays_is_word(tokens, i - 1) ||
                              smc_token_is(tokens, i - 1, "{") || smc_token_is(tokens, i - 1, ",");
        if (declares && (i < before || found == SMC_NO_TOKEN))
            found = i + 2;
    }
    return found;
}

static bool shared_arrays_expand(const struct scope *scope, const struct smc_tokens *tokens,
                                 uint32_t begin, uint32_t end, int depth, char text[LONGEST_TEXT]);

static bool append_text(const char *more, size_t length, char text[LONGEST_TEXT])
{
    const size_t used = strlen(text);
    if (used + length >= LONGEST_TEXT)
        return false;
    snprintf(text + used, LONGEST_TEXT - used, "%.*s", (int)length, more);
    return true;
}

static uint32_t end_of_value(const struct smc_tokens *tokens, uint32_t begin)
{
    uint32_t end = begin;
    while (end < tokens->count && !smc_token_is(tokens, end, ";") &&
           !smc_token_is(tokens, end, ",") && !smc_token_is(tokens, end, "}"))
        end = tokens->item[end].match != SMC_NO_TOKEN && tokens->item[end].match > end
                  ? tokens->item[end].match + 1
                  : end + 1;
    return end;
}

/* A name in an extent: a template parameter, macro or constant. */
static bool expand_word(const struct scope *scope, const struct smc_tokens *tokens, uint32_t i,
                        int depth, char text[LONGEST_TEXT])
{
    const uint64_t name = smc_token_hash(tokens, i);
    const char *argument = argument_of(scope, name);
    size_t length;
    if (!argument)
        argument = defined_by_option(scope, name, &length);
    else
        length = strlen(argument);
    if (argument)
        return append_text("(", 1, text) && append_text(argument, length, text) &&
               append_text(")", 1, text);
    const struct smc_source_macro *macro = smc_source_macro_find(scope->tree, name);
    if (macro)
        return !macro->is_function && append_text("(", 1, text) &&
               shared_arrays_expand(scope, &macro->tokens, macro->body, macro->tokens.count,
                                    depth + 1, text) &&
               append_text(")", 1, text);
    for (size_t f = 0; f <= scope->tree->count; f++) { /* the file of the declaration first */
        const struct smc_source_file *file = f == 0 ? scope->file : &scope->tree->file[f - 1];
        uint32_t begin = shared_arrays_find_value(&file->tokens, name,
                                                  tokens == &file->tokens ? i : SMC_NO_TOKEN);
        if (begin != SMC_NO_TOKEN)
            return append_text("(", 1, text) &&
                   shared_arrays_expand(scope, &file->tokens, begin,
                                        end_of_value(&file->tokens, begin), depth + 1, text) &&
                   append_text(")", 1, text);
    }
    return false;
}

static void shared_arrays_read_type(const struct scope *scope, const struct smc_tokens *tokens,
                                    uint32_t begin, uint32_t end, char *type, size_t room)
{
    type[0] = '\0';
    for (uint32_t i = begin; i < end; i++) {
        const char *argument =
            shared_arrays_is_word(tokens, i) ? argument_of(scope, smc_token_hash(tokens, i)) : NULL;
        if (argument)
            snprintf(type + strlen(type), room - strlen(type), "%s", argument);
        else if (!append_token(tokens, i, type, room)) {
            type[0] = '\0';
            return;
        }
    }
}

/* Appends tokens with all names replaced by numbers; false if a name is unknown. */
static bool shared_arrays_expand(const struct scope *scope, const struct smc_tokens *tokens,
                                 uint32_t begin, uint32_t end, int depth, char text[LONGEST_TEXT])
{
    if (depth > MOST_NESTED)
        return false;
    for (uint32_t i = begin; i < end; i++) {
        const struct smc_cpp_token *token = &tokens->item[i];
        size_t length = token->end - token->begin;
        if (smc_token_is(tokens, i, "sizeof") && smc_token_is(tokens, i + 1, "(") &&
            tokens->item[i + 1].match < end) {
            char type[64], number[16];
            shared_arrays_read_type(scope, tokens, i + 2, tokens->item[i + 1].match, type,
                                    sizeof type);
            snprintf(number, sizeof number, "%u", shared_arrays_bytes_of(type));
            if (!shared_arrays_bytes_of(type) || !append_text(number, strlen(number), text))
                return false;
            i = tokens->item[i + 1].match;
        } else if (token->kind == SMC_TOKEN_WORD) {
            if (!expand_word(scope, tokens, i, depth, text))
                return false;
        } else {
            while (token->kind == SMC_TOKEN_NUMBER && length > 1 &&
                   strchr("uUlL", tokens->text[token->begin + length - 1]))
                length--;
            if (!append_text(tokens->text + token->begin, length, text))
                return false;
        }
    }
    return true;
}

/* 0: unknown. */
static uint32_t shared_arrays_evaluate(const struct scope *scope, const struct smc_tokens *tokens,
                                       uint32_t begin, uint32_t end)
{
    static const struct smc_variable none[] = {{NULL, 0}};
    char text[LONGEST_TEXT] = "";
    int64_t value = 0;
    if (begin == end || !shared_arrays_expand(scope, tokens, begin, end, 0, text) ||
        smc_expression_value(text, none, NULL, &value, NULL) != SMC_OK || value < 0 ||
        value > UINT32_MAX)
        value = 0;
    return (uint32_t)value;
}

/* --- Declarations ----------------------------------------------------------------------------- */

static struct smc_declared_array *shared_arrays_append(struct smc_shared_arrays *found)
{
    if (!smc_make_room(&found->item, found->count, &found->capacity, sizeof *found->item))
        return NULL;
    struct smc_declared_array *array = &found->item[found->count++];
    *array = (struct smc_declared_array){.dimensions = 0};
    return array;
}

/* After __align__(16), volatile and the like. */
static uint32_t shared_arrays_skip_qualifiers(const struct smc_tokens *tokens, uint32_t i)
{
    static const char *const words[] = {"__align__", "alignas",  "__attribute__", "volatile",
                                        "static",    "extern",   "const",         "constexpr",
                                        "struct",    "typename", "inline"};
    while (SMC_TOKEN_IS_ANY(tokens, i, words)) {
        i++;
        if (smc_token_is(tokens, i, "(") && tokens->item[i].match != SMC_NO_TOKEN)
            i = tokens->item[i].match + 1;
    }
    return i;
}

/* One after the other: __shared__ half a[16][64], b[16 * 64]; `i` is the name of the first. */
static bool read_names(const struct scope *scope, uint32_t i, const char *element,
                       struct smc_shared_arrays *found)
{
    const struct smc_tokens *tokens = &scope->file->tokens;
    while (shared_arrays_is_word(tokens, i)) {
        struct smc_declared_array *array = shared_arrays_append(found);
        if (!array)
            return false;
        append_token(tokens, i, array->name, sizeof array->name);
        snprintf(array->element, sizeof array->element, "%s", element);
        array->element_bytes = shared_arrays_bytes_of(element);
        for (i++; smc_token_is(tokens, i, "["); i = tokens->item[i].match + 1) {
            uint32_t end = tokens->item[i].match, n = array->dimensions++;
            if (end == SMC_NO_TOKEN || end <= i || n == SMC_MOST_DIMENSIONS) {
                found->count--;
                return true;
            }
            array->extent[n] = shared_arrays_evaluate(scope, tokens, i + 1, end);
            if (end > i + 1)
                copy_source(tokens, i + 1, end, array->text[n], sizeof array->text[n]);
        }
        if (!smc_token_is(tokens, i, ","))
            return true;
        i++;
    }
    return true;
}

/* `i`: the token __shared__. The type ends where a name follows. */
static bool shared_arrays_read_declaration(const struct scope *scope, uint32_t i,
                                           struct smc_shared_arrays *found)
{
    const struct smc_tokens *tokens = &scope->file->tokens;
    char element[48];
    uint32_t begin = shared_arrays_skip_qualifiers(tokens, i + 1), end = begin;
    while (end < tokens->count &&
           (shared_arrays_is_word(tokens, end) || smc_token_is(tokens, end, "::"))) {
        const bool is_name = end > begin && (smc_token_is(tokens, end + 1, "[") ||
                                             smc_token_is(tokens, end + 1, ",") ||
                                             smc_token_is(tokens, end + 1, ";"));
        if (is_name)
            break;
        end++;
        if (smc_token_is(tokens, end, "<")) {
            uint32_t close = smc_token_close_angle(tokens, end, tokens->count);
            end = close == SMC_NO_TOKEN ? end : close + 1;
        }
        end = shared_arrays_skip_qualifiers(tokens, end);
    }
    if (!shared_arrays_is_word(tokens, end))
        return true;
    shared_arrays_read_type(scope, tokens, begin, end, element, sizeof element);
    return read_names(scope, end, element, found);
}

/* The function whose body holds the token; NULL: none. */
static const struct smc_declaration *function_around(const struct smc_source_file *file, uint32_t i)
{
    const struct smc_declaration *inner = NULL;
    for (uint32_t k = 0; k < file->declarations.count; k++) {
        const struct smc_declaration *one = &file->declarations.item[k];
        if (one->kind == SMC_DECLARE_FUNCTION && one->body != SMC_NO_TOKEN && one->body < i &&
            i < one->end)
            inner = one;
    }
    return inner;
}

static bool shared_arrays_find_in(const struct smc_source_tree *tree,
                                  const struct smc_source_file *file, const char *mangled,
                                  const char *shown, bool of_kernel,
                                  struct smc_shared_arrays *found)
{
    for (uint32_t i = 0; i < file->tokens.count; i++) {
        if (!smc_token_is(&file->tokens, i, "__shared__"))
            continue;
        struct scope scope = {.tree = tree, .file = file};
        const struct smc_declaration *around = function_around(file, i);
        const bool own = around && smc_source_kernel_rating(file, around, mangled, shown) > 0;
        if (own != of_kernel || (around && around->is_kernel && !own))
            continue;
        if (own)
            shared_arrays_read_arguments(around, shown, &scope);
        if (!shared_arrays_read_declaration(&scope, i, found))
            return false;
    }
    return true;
}

bool smc_shared_arrays_find(const struct smc_source_tree *tree, const char *mangled,
                            const char *shown, struct smc_shared_arrays *found)
{
    for (int others = 0; others < 2; others++)
        for (size_t f = 0; f < tree->count; f++)
            if (!shared_arrays_find_in(tree, &tree->file[f], mangled, shown, !others, found))
                return false;
    return true;
}
