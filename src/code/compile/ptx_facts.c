/* The launch bounds that PTX declares, between a kernel's parameters and its body:
     .visible .entry k(
         .param .u64 k_param_0
     )
     .maxntid 256, 1, 1
     .minnctapersm 2
     {  */
#include "code/ptx_facts.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

static bool ptx_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '%';
}

static const char *ptx_skip_gap(const char *s)
{
    for (;;) {
        const char *end;
        s += strspn(s, " \t\r\n");
        if (s[0] == '/' && s[1] == '/')
            s += strcspn(s, "\n");
        else if (s[0] == '/' && s[1] == '*')
            s = (end = strstr(s + 2, "*/")) ? end + 2 : s + strlen(s);
        else if (s[0] == '"')
            s = (end = strchr(s + 1, '"')) ? end + 1 : s + strlen(s);
        else
            return s;
    }
}

const char *smc_ptx_token(const char **cursor, size_t *length)
{
    const char *s = ptx_skip_gap(*cursor);
    size_t n = 0;
    while (ptx_is_word(s[n]))
        n++;
    if (n == 0 && *s)
        n = 1;
    *cursor = s + n;
    *length = n;
    return s;
}

static uint32_t ptx_facts_number_of(const char *token, size_t length)
{
    uint64_t n = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)token[i]))
            return 0;
        n = n * 10 + (uint64_t)(token[i] - '0');
        if (n > UINT32_MAX)
            return 0;
    }
    return (uint32_t)n;
}

/* Up to three numbers joined by ',': returns their product, 0 if malformed. `block` receives them
   if they are a shape: N, 1, 1 is a number, as nvcc writes __launch_bounds__(N). */
static uint32_t ptx_facts_read_extent(const char **cursor, uint32_t block[3])
{
    uint64_t n = 1;
    uint32_t edge[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        size_t length;
        const char *token = smc_ptx_token(cursor, &length);
        edge[i] = ptx_facts_number_of(token, length);
        n *= edge[i];
        if (n > UINT32_MAX)
            return 0;
        const char *ahead = *cursor;
        token = smc_ptx_token(&ahead, &length);
        if (!smc_equals(token, length, ","))
            break;
        *cursor = ahead;
    }
    if (n > 0 && (edge[1] > 1 || edge[2] > 1))
        memcpy(block, edge, sizeof edge);
    return (uint32_t)n;
}

static void ptx_facts_read_bounds(const char **cursor, struct smc_ptx_kernel *kernel)
{
    size_t length;
    uint32_t ignored[3];
    for (;;) {
        const char *ahead = *cursor;
        const char *token = smc_ptx_token(&ahead, &length);
        if (length == 0 || smc_equals(token, length, "{") || smc_equals(token, length, ";") ||
            smc_equals(token, length, ".entry"))
            return;
        *cursor = ahead;
        if (smc_equals(token, length, ".maxntid"))
            kernel->max_threads_per_block = ptx_facts_read_extent(cursor, kernel->block);
        else if (smc_equals(token, length, ".reqntid"))
            kernel->max_threads_per_block = kernel->required_threads_per_block =
                ptx_facts_read_extent(cursor, kernel->block);
        else if (smc_equals(token, length, ".minnctapersm"))
            kernel->min_blocks_per_sm = ptx_facts_read_extent(cursor, ignored);
    }
}

bool smc_ptx_next(const char **cursor, struct smc_ptx_kernel *kernel)
{
    size_t length;
    for (;;) {
        const char *token = smc_ptx_token(cursor, &length);
        if (length == 0)
            return false;
        if (!smc_equals(token, length, ".entry"))
            continue;
        *kernel = (struct smc_ptx_kernel){0};
        kernel->name = smc_ptx_token(cursor, &kernel->name_length);
        ptx_facts_read_bounds(cursor, kernel);
        return true;
    }
}

/* The size of a type such as ".b8" (8 bits); 0 if the token is not a type. */
static uint32_t type_bytes(const char *token, size_t length)
{
    if (length < 3 || length > 4 || token[0] != '.' || !strchr("busf", token[1]))
        return 0;
    return ptx_facts_number_of(token + 2, length - 2) / 8;
}

/* Reads ".align 16 .f32 name[4][8]", up to the ',' or ')' after a parameter, the ';' or '=' after
   another variable. */
static bool ptx_facts_read_declaration(const char **cursor, bool is_parameter,
                                       struct smc_ptx_variable *variable)
{
    const char *const end[] = {is_parameter ? "," : ";", is_parameter ? ")" : "="};
    size_t length;
    *variable = (struct smc_ptx_variable){.name = NULL};
    for (;;) {
        const char *ahead = *cursor, *token = smc_ptx_token(&ahead, &length);
        if (length == 0 || smc_equals(token, length, end[0]) || smc_equals(token, length, end[1]))
            break;
        *cursor = ahead;
        uint32_t bytes = type_bytes(token, length);
        if (bytes > 0 && variable->bytes == 0) {
            memcpy(variable->type, token + 1, length - 1);
            variable->bytes = bytes;
        } else if (smc_equals(token, length, ".align") && variable->bytes == 0) {
            token = smc_ptx_token(cursor, &length);
            variable->align = ptx_facts_number_of(token, length);
        } else if (smc_equals(token, length, "[")) {
            token = smc_ptx_token(cursor, &length);
            variable->bytes *= ptx_facts_number_of(token, length);
            variable->is_array = true;
        } else if (variable->bytes > 0 && !variable->name && token[0] != '.') {
            variable->name = token;
            variable->name_length = length;
        }
    }
    return variable->name != NULL;
}

/* Where the list of a kernel's parameters begins, after its '('; NULL: it has none. */
static const char *find_parameters(const struct smc_ptx_kernel *kernel)
{
    const char *cursor = kernel->name + kernel->name_length;
    size_t length;
    const char *token = smc_ptx_token(&cursor, &length);
    return smc_equals(token, length, "(") ? cursor : NULL;
}

static bool next_parameter(const char **cursor, struct smc_ptx_variable *param)
{
    size_t length;
    for (;;) {
        const char *token = smc_ptx_token(cursor, &length);
        if (length == 0 || smc_equals(token, length, ")"))
            return false;
        if (smc_equals(token, length, ".param")) {
            ptx_facts_read_declaration(cursor, true, param);
            return true;
        }
    }
}

size_t smc_ptx_params(const struct smc_ptx_kernel *kernel, struct smc_ptx_variable *params,
                      size_t capacity)
{
    const char *cursor = find_parameters(kernel);
    struct smc_ptx_variable param;
    size_t count = 0;
    for (; cursor && next_parameter(&cursor, &param); count++)
        if (count < capacity)
            params[count] = param;
    return count;
}

uint64_t smc_ptx_parameter_bytes(const struct smc_ptx_kernel *kernel)
{
    const char *cursor = find_parameters(kernel);
    struct smc_ptx_variable param;
    uint64_t bytes = 0;
    while (cursor && next_parameter(&cursor, &param)) {
        const uint64_t of_type = param.is_array ? 1 : param.bytes;
        const uint64_t align = param.align ? param.align : of_type ? of_type : 1;
        bytes = (bytes + align - 1) / align * align + param.bytes;
    }
    return bytes;
}

bool smc_ptx_next_variable(const char **cursor, struct smc_ptx_variable *variable)
{
    size_t length, depth = 0;
    for (;;) {
        const char *token = smc_ptx_token(cursor, &length);
        if (length == 0)
            return false;
        /* ".ptr .global" of a parameter is not a variable */
        depth += smc_equals(token, length, "{") || smc_equals(token, length, "(");
        depth -= depth > 0 && (smc_equals(token, length, "}") || smc_equals(token, length, ")"));
        const bool is_constant = smc_equals(token, length, ".const");
        if (depth == 0 && (smc_equals(token, length, ".global") || is_constant) &&
            ptx_facts_read_declaration(cursor, false, variable)) {
            variable->is_constant = is_constant;
            return true;
        }
    }
}

void smc_ptx_module_memory(const char *ptx, struct smc_ptx_memory *memory)
{
    struct smc_ptx_variable variable;
    memory->is_known = true;
    while (smc_ptx_next_variable(&ptx, &variable))
        *(variable.is_constant ? &memory->constant_bytes : &memory->global_bytes) += variable.bytes;
}

bool smc_ptx_target(const char *text, uint16_t *cc, char *suffix)
{
    static const char prefix[] = "sm_";
    const size_t prefix_length = sizeof prefix - 1;
    size_t length, digits = 0;
    const char *token = smc_ptx_token(&text, &length);
    if (!smc_equals(token, length, ".version"))
        return false;
    while (!smc_equals(token, length, ".target"))
        if (token = smc_ptx_token(&text, &length), length == 0)
            return false;
    token = smc_ptx_token(&text, &length);
    if (length <= prefix_length || memcmp(token, prefix, prefix_length) != 0)
        return false;
    token += prefix_length;
    length -= prefix_length;
    while (digits < length && isdigit((unsigned char)token[digits]))
        digits++;
    uint32_t number = ptx_facts_number_of(token, digits);
    *cc = number < 1000 ? (uint16_t)number : 0;
    *suffix = digits < length ? token[digits] : '\0';
    return *cc != 0;
}
