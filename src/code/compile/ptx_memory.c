/* Memory that kernels use. Dynamic shared memory, from
     .extern .shared .align 16 .b8 p[];
   and the names in the bodies of kernels and functions; Tensor Memory, from
     mov.b32 %r2, 256;
     tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], %r2; */
#include "code/compile/ptx_memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "code/ptx_facts.h"

struct token {
    const char *text;
    size_t length; /* 0: the end */
};

/* A kernel, a function, or an array. */
struct symbol {
    struct token name;
    const char *body, *end; /* NULL: declared only */
    bool is_kernel, is_array;
    bool uses, calls_unknown;
};

struct module {
    struct symbol *item;
    size_t count, capacity;
};

/* --- Tokens ----------------------------------------------------------------------------------- */

static struct token ptx_memory_next(const char **cursor)
{
    struct token token;
    token.text = smc_ptx_token(cursor, &token.length);
    return token;
}

static bool token_is(struct token token, const char *text)
{
    return smc_equals(token.text, token.length, text);
}

static bool ptx_memory_is_name(struct token token)
{
    char c = token.length > 0 ? *token.text : '\0';
    return isalpha((unsigned char)c) || c == '_' || c == '$';
}

/* Past the bracket that closes the one before the cursor. */
static void skip_bracketed(const char **cursor, const char *open, const char *close)
{
    size_t depth = 1;
    while (depth > 0) {
        struct token token = ptx_memory_next(cursor);
        if (token.length == 0)
            return;
        depth += token_is(token, open);
        depth -= token_is(token, close);
    }
}

/* Past the name and parameters of a kernel or function: its body, after which the cursor is; NULL
   of a declaration. */
static const char *ptx_memory_read_body(const char **cursor)
{
    struct token token;
    do
        token = ptx_memory_next(cursor);
    while (token.length > 0 && !token_is(token, "{") && !token_is(token, ";"));
    if (!token_is(token, "{"))
        return NULL;
    const char *body = *cursor;
    skip_bracketed(cursor, "{", "}");
    return body;
}

/* --- Dynamic shared memory: declarations ------------------------------------------------------ */

static bool ptx_dynamic_smem_add(struct module *module, struct symbol symbol)
{
    if (!smc_make_room(&module->item, module->count, &module->capacity, sizeof *module->item))
        return false;
    module->item[module->count++] = symbol;
    return true;
}

/* After ".entry" or ".func": "(.param .b32 result) name (parameters) ... { body }" or ";". */
static bool ptx_dynamic_smem_read_function(const char **cursor, bool is_kernel,
                                           struct module *module)
{
    struct symbol symbol = {.is_kernel = is_kernel};
    struct token token = ptx_memory_next(cursor);
    if (token_is(token, "(")) {
        skip_bracketed(cursor, "(", ")");
        token = ptx_memory_next(cursor);
    }
    if (!ptx_memory_is_name(token))
        return true;
    symbol.name = token;
    symbol.body = ptx_memory_read_body(cursor);
    symbol.end = *cursor;
    return ptx_dynamic_smem_add(module, symbol);
}

/* After ".extern": ".shared .align 16 .b8 p[];", or another declaration, which is left. */
static bool read_extern(const char **cursor, struct module *module)
{
    const char *ahead = *cursor;
    struct token name = {NULL, 0}, token;
    if (!token_is(ptx_memory_next(&ahead), ".shared"))
        return true;
    while (token = ptx_memory_next(&ahead),
           token.length > 0 && !token_is(token, "[") && !token_is(token, ";"))
        name = token;
    *cursor = ahead;
    bool is_sizeless = token_is(token, "[") && token_is(ptx_memory_next(&ahead), "]");
    return !is_sizeless || !ptx_memory_is_name(name) ||
           ptx_dynamic_smem_add(module,
                                (struct symbol){.name = name, .is_array = true, .uses = true});
}

static bool ptx_dynamic_smem_read_module(const char *text, struct module *module)
{
    bool sound = true;
    for (struct token token = ptx_memory_next(&text); token.length > 0 && sound;
         token = ptx_memory_next(&text)) {
        if (token_is(token, ".extern"))
            sound = read_extern(&text, module);
        else if (token_is(token, ".entry") || token_is(token, ".func"))
            sound = ptx_dynamic_smem_read_function(&text, token_is(token, ".entry"), module);
    }
    return sound;
}

/* --- Dynamic shared memory: who names what ---------------------------------------------------- */

static int ptx_dynamic_smem_compare_names(struct token a, struct token b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.text, b.text, shorter);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Definitions come before declarations of the same name. */
static int ptx_dynamic_smem_compare(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    int order = ptx_dynamic_smem_compare_names(x->name, y->name);
    return order ? order : !x->body - !y->body;
}

static const struct symbol *ptx_dynamic_smem_find(const struct module *module, struct token name)
{
    size_t low = 0, high = module->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ptx_dynamic_smem_compare_names(module->item[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < module->count && ptx_dynamic_smem_compare_names(module->item[low].name, name) == 0
               ? &module->item[low]
               : NULL;
}

/* The runtime's own functions use no array of the program. */
static bool ptx_dynamic_smem_is_of_runtime(struct token name)
{
    static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
    size_t i = 0, count = sizeof names / sizeof *names;
    while (i < count && !token_is(name, names[i]))
        i++;
    return i < count;
}

/* A function may call one further down: returns whether something new is known of it. */
static bool ptx_dynamic_smem_follow(const struct module *module, struct symbol *symbol)
{
    const bool used = symbol->uses, unknown = symbol->calls_unknown;
    const char *cursor = symbol->body;
    while (cursor && !symbol->uses) {
        struct token token = ptx_memory_next(&cursor);
        if (token.length == 0 || token.text >= symbol->end)
            break;
        symbol->calls_unknown |=
            token_is(token, ".callprototype") || token_is(token, ".calltargets");
        const struct symbol *named =
            ptx_memory_is_name(token) ? ptx_dynamic_smem_find(module, token) : NULL;
        if (!named || named == symbol)
            continue;
        symbol->uses |= named->uses;
        symbol->calls_unknown |=
            named->calls_unknown ||
            (!named->is_array && !named->body && !ptx_dynamic_smem_is_of_runtime(named->name));
    }
    return symbol->uses != used || symbol->calls_unknown != unknown;
}

bool smc_ptx_dynamic_smem(const char *text, smc_ptx_dynamic_smem_visit *visit, void *context)
{
    struct module module = {0};
    bool sound = ptx_dynamic_smem_read_module(text, &module), changed = sound;
    if (sound && module.count > 1)
        qsort(module.item, module.count, sizeof *module.item, ptx_dynamic_smem_compare);
    while (changed) {
        changed = false;
        for (size_t i = 0; i < module.count; i++)
            changed |= ptx_dynamic_smem_follow(&module, &module.item[i]);
    }
    for (size_t i = 0; i < module.count && sound; i++) {
        const struct symbol *symbol = &module.item[i];
        if (symbol->is_kernel && symbol->body)
            visit(context, symbol->name.text, symbol->name.length,
                  symbol->uses || !symbol->calls_unknown, symbol->uses);
    }
    free(module.item);
    return sound;
}

/* --- Tensor Memory ---------------------------------------------------------------------------- */

/* An instruction: the start of its name, and its last operand. */
struct tmem_statement {
    struct token name, last;
    bool writes; /* the register that was asked for */
};

static bool tmem_is_same(struct token a, struct token b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool tmem_begins(struct token token, const char *text)
{
    const size_t length = strlen(text);
    return token.length >= length && memcmp(token.text, text, length) == 0;
}

/* Whether the token before the cursor is a label: "$L1:", but not "cta_group::1". */
static bool tmem_is_label(const char *cursor)
{
    return token_is(ptx_memory_next(&cursor), ":") && !token_is(ptx_memory_next(&cursor), ":");
}

/* The name of an instruction, past labels and its predicate; or what ends a block. */
static struct token tmem_read_name(const char **cursor)
{
    struct token token = ptx_memory_next(cursor);
    while (token.length > 0 && (token_is(token, "@") || tmem_is_label(*cursor))) {
        if (token_is(ptx_memory_next(cursor), "!"))
            ptx_memory_next(cursor);
        token = ptx_memory_next(cursor);
    }
    return token;
}

/* Reads an instruction, a declaration or a bracket of a block; false at `end`. The operands before
   the first ',' are written, unless they are an address. */
static bool tmem_read_statement(const char **cursor, const char *end, struct token reg,
                                struct tmem_statement *statement)
{
    bool in_results = true, in_braces = false;
    struct token token = tmem_read_name(cursor);
    *statement = (struct tmem_statement){.name = token};
    if (token.length == 0 || token.text >= end)
        return false;
    if (token_is(token, "{") || token_is(token, "}"))
        return true;
    in_results = *token.text != '.';
    while ((token = ptx_memory_next(cursor)).length > 0 && !token_is(token, ";")) {
        in_braces = (in_braces || token_is(token, "{")) && !token_is(token, "}");
        in_results &= !token_is(token, "[") && (in_braces || !token_is(token, ","));
        statement->writes |= in_results && reg.length > 0 && tmem_is_same(token, reg);
        statement->last = token;
    }
    return token.length > 0;
}

/* A number of columns that can be allocated; else 0. */
static uint32_t tmem_columns_of(struct token token)
{
    enum { FEWEST = 32, MOST = 512 };
    char *end;
    const unsigned long columns = strtoul(token.text, &end, 0);
    const bool is_number = isdigit((unsigned char)*token.text) && end == token.text + token.length;
    const bool can_be = columns >= FEWEST && columns <= MOST && (columns & (columns - 1)) == 0;
    return is_number && can_be ? (uint32_t)columns : 0;
}

/* The constant that a register holds: it is written once, by a mov. */
static uint32_t tmem_constant(const char *body, const char *end, struct token reg)
{
    struct tmem_statement statement;
    struct token value = {0};
    unsigned writes = 0;
    while (tmem_read_statement(&body, end, reg, &statement)) {
        if (!statement.writes)
            continue;
        writes++;
        value = tmem_begins(statement.name, "mov.") ? statement.last : (struct token){"", 0};
    }
    return writes == 1 ? tmem_columns_of(value) : 0;
}

struct tmem_found {
    unsigned allocations;
    bool calls;
    uint32_t columns; /* of the last allocation */
};

static struct tmem_found tmem_search(const char *body, const char *end)
{
    struct tmem_found found = {0};
    struct tmem_statement statement;
    const char *cursor = body;
    while (tmem_read_statement(&cursor, end, (struct token){0}, &statement)) {
        found.calls |= token_is(statement.name, "call") || tmem_begins(statement.name, "call.");
        if (!tmem_begins(statement.name, "tcgen05.alloc"))
            continue;
        found.allocations++;
        found.columns = tmem_begins(statement.last, "%") ? tmem_constant(body, end, statement.last)
                                                         : tmem_columns_of(statement.last);
    }
    return found;
}

/* Visits the kernels, or returns whether a function allocates. */
static bool tmem_walk(const char *text, bool in_functions, smc_ptx_tmem_visit *visit, void *context)
{
    bool function_allocates = false;
    for (struct token token = ptx_memory_next(&text); token.length > 0;
         token = ptx_memory_next(&text)) {
        const bool is_kernel = token_is(token, ".entry");
        if (!is_kernel && !token_is(token, ".func"))
            continue;
        const char *ahead = text;
        const struct token name = ptx_memory_next(&ahead);
        const char *body = ptx_memory_read_body(&text);
        if (!body)
            continue;
        const struct tmem_found found = tmem_search(body, text);
        const bool by_call = in_functions && found.calls;
        function_allocates |= !is_kernel && found.allocations > 0;
        if (visit && is_kernel && (found.allocations > 0 || by_call))
            visit(context, name.text, name.length,
                  found.allocations == 1 && !by_call ? found.columns : 0);
    }
    return function_allocates;
}

void smc_ptx_tmem(const char *text, smc_ptx_tmem_visit *visit, void *context)
{
    if (strstr(text, "tcgen05.alloc"))
        tmem_walk(text, tmem_walk(text, false, NULL, NULL), visit, context);
}
