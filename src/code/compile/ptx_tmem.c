/* Tensor Memory that kernels allocate, from
     mov.b32 %r2, 256;
     tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], %r2; */
#include "code/compile/ptx_tmem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/ptx_facts.h"

struct tmem_token {
    const char *text;
    size_t length; /* 0: the end */
};

/* An instruction: the begin of its name, and its last operand. */
struct tmem_statement {
    struct tmem_token name, last;
    bool writes; /* the register that was asked for */
};

static struct tmem_token tmem_next(const char **cursor)
{
    struct tmem_token token;
    token.text = smc_ptx_token(cursor, &token.length);
    return token;
}

static bool tmem_is(struct tmem_token token, const char *text)
{
    return smc_equals(token.text, token.length, text);
}

static bool tmem_is_same(struct tmem_token a, struct tmem_token b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool tmem_begins(struct tmem_token token, const char *text)
{
    const size_t length = strlen(text);
    return token.length >= length && memcmp(token.text, text, length) == 0;
}

/* Whether the token before the cursor is a label: "$L1:", but not "cta_group::1". */
static bool tmem_is_label(const char *cursor)
{
    return tmem_is(tmem_next(&cursor), ":") && !tmem_is(tmem_next(&cursor), ":");
}

/* The name of an instruction, past labels and its predicate; or what ends a block. */
static struct tmem_token tmem_read_name(const char **cursor)
{
    struct tmem_token token = tmem_next(cursor);
    while (token.length > 0 && (tmem_is(token, "@") || tmem_is_label(*cursor))) {
        if (tmem_is(tmem_next(cursor), "!"))
            tmem_next(cursor);
        token = tmem_next(cursor);
    }
    return token;
}

/* Reads an instruction, a declaration or a bracket of a block; false at `end`. The operands before
   the first ',' are written, unless they are an address. */
static bool tmem_read_statement(const char **cursor, const char *end, struct tmem_token reg,
                                struct tmem_statement *statement)
{
    bool in_results = true, in_braces = false;
    struct tmem_token token = tmem_read_name(cursor);
    *statement = (struct tmem_statement){.name = token};
    if (token.length == 0 || token.text >= end)
        return false;
    if (tmem_is(token, "{") || tmem_is(token, "}"))
        return true;
    in_results = *token.text != '.';
    while ((token = tmem_next(cursor)).length > 0 && !tmem_is(token, ";")) {
        in_braces = (in_braces || tmem_is(token, "{")) && !tmem_is(token, "}");
        in_results &= !tmem_is(token, "[") && (in_braces || !tmem_is(token, ","));
        statement->writes |= in_results && reg.length > 0 && tmem_is_same(token, reg);
        statement->last = token;
    }
    return token.length > 0;
}

/* A number of columns that can be allocated; else 0. */
static uint32_t tmem_columns_of(struct tmem_token token)
{
    enum { FEWEST = 32, MOST = 512 };
    char *end;
    const unsigned long columns = strtoul(token.text, &end, 0);
    const bool is_number = isdigit((unsigned char)*token.text) && end == token.text + token.length;
    const bool can_be = columns >= FEWEST && columns <= MOST && (columns & (columns - 1)) == 0;
    return is_number && can_be ? (uint32_t)columns : 0;
}

/* The constant that a register holds: it is written once, by a mov. */
static uint32_t tmem_constant(const char *body, const char *end, struct tmem_token reg)
{
    struct tmem_statement statement;
    struct tmem_token value = {0};
    unsigned writes = 0;
    while (tmem_read_statement(&body, end, reg, &statement)) {
        if (!statement.writes)
            continue;
        writes++;
        value = tmem_begins(statement.name, "mov.") ? statement.last : (struct tmem_token){"", 0};
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
    while (tmem_read_statement(&cursor, end, (struct tmem_token){0}, &statement)) {
        found.calls |= tmem_is(statement.name, "call") || tmem_begins(statement.name, "call.");
        if (!tmem_begins(statement.name, "tcgen05.alloc"))
            continue;
        found.allocations++;
        found.columns = tmem_begins(statement.last, "%") ? tmem_constant(body, end, statement.last)
                                                         : tmem_columns_of(statement.last);
    }
    return found;
}

/* Past the name and parameters of a kernel or function: its body, or NULL of a declaration. The
   cursor is after it. */
static const char *tmem_read_body(const char **cursor, const char **end)
{
    struct tmem_token token;
    size_t depth = 1;
    do
        token = tmem_next(cursor);
    while (token.length > 0 && !tmem_is(token, "{") && !tmem_is(token, ";"));
    if (!tmem_is(token, "{"))
        return NULL;
    const char *body = *cursor;
    while (depth > 0 && (token = tmem_next(cursor)).length > 0) {
        depth += tmem_is(token, "{");
        depth -= tmem_is(token, "}");
        *end = token.text;
    }
    return body;
}

/* Visits the kernels, or returns whether a function allocates. */
static bool tmem_walk(const char *text, bool in_functions, smc_ptx_tmem_visit *visit, void *context)
{
    bool function_allocates = false;
    for (struct tmem_token token = tmem_next(&text); token.length > 0; token = tmem_next(&text)) {
        const bool is_kernel = tmem_is(token, ".entry");
        if (!is_kernel && !tmem_is(token, ".func"))
            continue;
        const char *ahead = text, *end = text;
        const struct tmem_token name = tmem_next(&ahead);
        const char *body = tmem_read_body(&text, &end);
        if (!body)
            continue;
        const struct tmem_found found = tmem_search(body, end);
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
