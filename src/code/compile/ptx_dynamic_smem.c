/* Which kernels use dynamic shared memory, from
     .extern .shared .align 16 .b8 p[];
   and the names in the bodies of kernels and functions. */
#include "code/compile/ptx_dynamic_smem.h"

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

static struct token ptx_dynamic_smem_next(const char **cursor)
{
    struct token token;
    token.text = smc_ptx_token(cursor, &token.length);
    return token;
}

static bool token_is(struct token token, const char *text)
{
    return smc_equals(token.text, token.length, text);
}

static bool ptx_dynamic_smem_is_name(struct token token)
{
    char c = token.length > 0 ? *token.text : '\0';
    return isalpha((unsigned char)c) || c == '_' || c == '$';
}

/* Past the bracket that closes the one before the cursor. */
static void skip_bracketed(const char **cursor, const char *open, const char *close)
{
    size_t depth = 1;
    while (depth > 0) {
        struct token token = ptx_dynamic_smem_next(cursor);
        if (token.length == 0)
            return;
        depth += token_is(token, open);
        depth -= token_is(token, close);
    }
}

/* --- Declarations ----------------------------------------------------------------------------- */

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
    struct token token = ptx_dynamic_smem_next(cursor);
    if (token_is(token, "(")) {
        skip_bracketed(cursor, "(", ")");
        token = ptx_dynamic_smem_next(cursor);
    }
    if (!ptx_dynamic_smem_is_name(token))
        return true;
    symbol.name = token;
    do
        token = ptx_dynamic_smem_next(cursor);
    while (token.length > 0 && !token_is(token, "{") && !token_is(token, ";"));
    if (token_is(token, "{")) {
        symbol.body = *cursor;
        skip_bracketed(cursor, "{", "}");
        symbol.end = *cursor;
    }
    return ptx_dynamic_smem_add(module, symbol);
}

/* After ".extern": ".shared .align 16 .b8 p[];", or another declaration, which is left. */
static bool read_extern(const char **cursor, struct module *module)
{
    const char *ahead = *cursor;
    struct token name = {NULL, 0}, token;
    if (!token_is(ptx_dynamic_smem_next(&ahead), ".shared"))
        return true;
    while (token = ptx_dynamic_smem_next(&ahead),
           token.length > 0 && !token_is(token, "[") && !token_is(token, ";"))
        name = token;
    *cursor = ahead;
    bool is_sizeless = token_is(token, "[") && token_is(ptx_dynamic_smem_next(&ahead), "]");
    return !is_sizeless || !ptx_dynamic_smem_is_name(name) ||
           ptx_dynamic_smem_add(module,
                                (struct symbol){.name = name, .is_array = true, .uses = true});
}

static bool ptx_dynamic_smem_read_module(const char *text, struct module *module)
{
    bool sound = true;
    for (struct token token = ptx_dynamic_smem_next(&text); token.length > 0 && sound;
         token = ptx_dynamic_smem_next(&text)) {
        if (token_is(token, ".extern"))
            sound = read_extern(&text, module);
        else if (token_is(token, ".entry") || token_is(token, ".func"))
            sound = ptx_dynamic_smem_read_function(&text, token_is(token, ".entry"), module);
    }
    return sound;
}

/* --- Who names what --------------------------------------------------------------------------- */

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
        struct token token = ptx_dynamic_smem_next(&cursor);
        if (token.length == 0 || token.text >= symbol->end)
            break;
        symbol->calls_unknown |=
            token_is(token, ".callprototype") || token_is(token, ".calltargets");
        const struct symbol *named =
            ptx_dynamic_smem_is_name(token) ? ptx_dynamic_smem_find(module, token) : NULL;
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
