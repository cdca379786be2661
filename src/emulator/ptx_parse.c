/* Reads a PTX module: its variables, its line table, and one kernel of it. Other kernels and
   functions are passed over. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "emulator/ptx_parts.h"

const struct smc_ptx_type_info smc_ptx_type_info[SMC_PTX_TYPE_COUNT] = {
#define TYPE(id, name, bytes, class) [SMC_PTX_##id] = {name, bytes, SMC_CLASS_##class},
#include "emulator/ptx_types.def"
#undef TYPE
};

enum smc_ptx_type smc_ptx_type_find(struct smc_span name)
{
    int type = 0;
    while (type < SMC_PTX_TYPE_COUNT && !smc_span_is(name, smc_ptx_type_info[type].name))
        type++;
    return (enum smc_ptx_type)type;
}

void smc_ptx_advance(struct smc_ptx_reader *reader)
{
    reader->token = smc_lexer_next(&reader->lexer);
}

bool smc_ptx_complain(struct smc_ptx_reader *reader, const char *format, ...)
{
    char what[512];
    va_list args;
    if (reader->failed)
        return false;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    smc_fail(reader->error, SMC_USAGE, "PTX line %u: %s", reader->token.line, what);
    reader->failed = true;
    return false;
}

bool smc_ptx_at(const struct smc_ptx_reader *reader, const char *text)
{
    return reader->token.kind != SMC_TOKEN_STRING && smc_span_is(reader->token.text, text);
}

bool smc_ptx_accept(struct smc_ptx_reader *reader, const char *text)
{
    if (!smc_ptx_at(reader, text))
        return false;
    smc_ptx_advance(reader);
    return true;
}

bool smc_ptx_expect(struct smc_ptx_reader *reader, const char *text)
{
    if (smc_ptx_accept(reader, text))
        return true;
    return smc_ptx_complain(reader, "'%s' expected, not '%.*s'", text,
                            (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                            reader->token.text.at);
}

bool smc_ptx_new_scope(struct smc_ptx_reader *reader, uint32_t parent)
{
    struct smc_ptx_module *module = reader->module;
    module->scope_parent = smc_arena_grow(&module->arena, module->scope_parent, module->scopes,
                                          &module->scope_room, sizeof *module->scope_parent);
    if (!module->scope_parent)
        return false;
    reader->scope = (uint32_t)module->scopes;
    module->scope_parent[module->scopes++] = parent;
    return true;
}

/* Past a function's body: up to the '}' that closes the '{' before the next token. */
static bool skip_body(struct smc_ptx_reader *reader)
{
    for (size_t depth = 1; depth > 0; smc_ptx_advance(reader)) {
        if (reader->token.kind == SMC_TOKEN_END)
            return smc_ptx_complain(reader, "a '}' is missing");
        depth += smc_ptx_at(reader, "{");
        depth -= smc_ptx_at(reader, "}");
    }
    return true;
}

/* What stands between a function's name and its body; true where there is a body. */
static bool skip_head(struct smc_ptx_reader *reader)
{
    while (reader->token.kind != SMC_TOKEN_END) {
        if (smc_ptx_accept(reader, ";"))
            return false;
        if (smc_ptx_accept(reader, "{"))
            return true;
        smc_ptx_advance(reader);
    }
    return false;
}

static bool read_parameters(struct smc_ptx_reader *reader)
{
    if (!smc_ptx_accept(reader, "(") || smc_ptx_accept(reader, ")"))
        return true;
    do {
        if (!smc_ptx_expect(reader, ".param") || !smc_ptx_declare_parameter(reader))
            return false;
    } while (smc_ptx_accept(reader, ","));
    return smc_ptx_expect(reader, ")");
}

static bool read_kernel(struct smc_ptx_reader *reader, const char *wanted)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_span name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return smc_ptx_complain(reader, "a kernel has no name");
    smc_ptx_advance(reader);
    if (wanted && !smc_span_is(name, wanted))
        return !skip_head(reader) || skip_body(reader);
    if (module->entry.at)
        return smc_ptx_complain(reader, "there are several kernels: name one");
    module->entry = name;
    uint32_t outside = reader->scope;
    bool read = smc_ptx_new_scope(reader, outside) && read_parameters(reader);
    if (read && !skip_head(reader))
        read = smc_ptx_complain(reader, "the kernel has no body");
    read = read && smc_ptx_read_body(reader);
    reader->scope = outside;
    return read;
}

static bool skip_past(struct smc_ptx_reader *reader, const char *sign)
{
    while (reader->token.kind != SMC_TOKEN_END)
        if (smc_ptx_accept(reader, sign))
            return true;
        else
            smc_ptx_advance(reader);
    return smc_ptx_complain(reader, "a '%s' is missing", sign);
}

/* .section .debug_info { ... } */
static bool skip_section(struct smc_ptx_reader *reader)
{
    return skip_past(reader, "{") && skip_body(reader);
}

static bool read_directive(struct smc_ptx_reader *reader, const char *wanted, bool *is_extern)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } spaces[] = {
        {".global", SMC_SPACE_GLOBAL}, {".const", SMC_SPACE_CONST}, {".shared", SMC_SPACE_SHARED}};
    bool external = *is_extern;
    *is_extern = false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (smc_ptx_accept(reader, spaces[i].name))
            return smc_ptx_declare(reader, spaces[i].space, external);
    if (smc_ptx_accept(reader, ".entry"))
        return read_kernel(reader, wanted);
    if (smc_ptx_accept(reader, ".func"))
        return !skip_head(reader) || skip_body(reader);
    if (smc_ptx_accept(reader, ".file"))
        return smc_ptx_read_file(reader);
    if (smc_ptx_accept(reader, ".loc"))
        return smc_ptx_read_loc(reader);
    if (smc_ptx_accept(reader, ".section"))
        return skip_section(reader);
    if (smc_ptx_at(reader, ".visible") || smc_ptx_at(reader, ".weak") ||
        smc_ptx_at(reader, ".extern") || smc_ptx_at(reader, ".common")) {
        *is_extern = smc_ptx_at(reader, ".extern");
        smc_ptx_advance(reader);
        return true;
    }
    if (smc_ptx_accept(reader, ".pragma") || smc_ptx_accept(reader, ".alias"))
        return skip_past(reader, ";");
    return smc_ptx_complain(reader, "'%.*s' is not understood here",
                            (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                            reader->token.text.at);
}

/* .version 9.0 .target sm_90, debug .address_size 64 */
static bool read_preamble(struct smc_ptx_reader *reader)
{
    if (!smc_ptx_accept(reader, ".version"))
        return smc_ptx_complain(reader, "no PTX: it does not begin with .version");
    smc_ptx_advance(reader);
    if (!smc_ptx_expect(reader, ".target"))
        return false;
    do
        smc_ptx_advance(reader);
    while (smc_ptx_accept(reader, ","));
    if (smc_ptx_accept(reader, ".address_size") && !smc_ptx_accept(reader, "64"))
        return smc_ptx_complain(reader, "addresses of 64 bits are needed");
    return true;
}

static bool read_module(struct smc_ptx_reader *reader, const char *wanted)
{
    bool is_extern = false;
    if (!smc_ptx_new_scope(reader, 0) || !read_preamble(reader))
        return false;
    while (reader->token.kind != SMC_TOKEN_END)
        if (!read_directive(reader, wanted, &is_extern))
            return false;
    if (reader->module->entry.at)
        return true;
    return smc_ptx_complain(reader, "no kernel%s%.200s", wanted ? " " : "", wanted ? wanted : "");
}

enum smc_status smc_ptx_read(const char *text, size_t bytes, const char *entry,
                             struct smc_ptx_module *module, struct smc_error *error)
{
    *module = (struct smc_ptx_module){0};
    module->text = smc_arena_take(&module->arena, bytes + 1);
    if (!module->text)
        return smc_out_of_memory(error);
    if (bytes)
        memcpy(module->text, text, bytes);
    struct smc_ptx_reader reader = {
        .lexer = {module->text, module->text + bytes, 1}, .module = module, .error = error};
    smc_ptx_advance(&reader);
    if (read_module(&reader, entry))
        return SMC_OK;
    return reader.failed ? SMC_USAGE : smc_out_of_memory(error);
}

void smc_ptx_free(struct smc_ptx_module *module)
{
    smc_arena_free(&module->arena);
}
