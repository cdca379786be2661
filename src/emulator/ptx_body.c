/* Reads the statements of a kernel. */
#include <string.h>

#include "emulator/ptx_parts.h"

bool smc_ptx_read_file(struct smc_ptx_reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    uint64_t number, ignored;
    if (!smc_ptx_integer(reader, &number))
        return false;
    if (reader->token.kind != SMC_TOKEN_STRING)
        return smc_ptx_complain(reader, "a file name expected");
    module->file = smc_arena_grow(&module->arena, module->file, module->files, &module->file_room,
                                  sizeof *module->file);
    if (!module->file)
        return false;
    module->file[module->files++] = (struct smc_ptx_file){(uint32_t)number, reader->token.text};
    smc_ptx_advance(reader);
    while (smc_ptx_accept(reader, ",")) /* time stamp, size */
        if (!smc_ptx_integer(reader, &ignored))
            return false;
    return true;
}

bool smc_ptx_read_loc(struct smc_ptx_reader *reader)
{
    uint64_t place[3], inlined[3] = {0};
    for (int i = 0; i < 3; i++)
        if (!smc_ptx_integer(reader, &place[i]))
            return false;
    while (smc_ptx_accept(reader, ",")) {
        if (smc_ptx_accept(reader, "function_name")) {
            smc_ptx_advance(reader);
            if (smc_ptx_accept(reader, "+") && !smc_ptx_integer(reader, &inlined[0]))
                return false;
        } else if (smc_ptx_accept(reader, "inlined_at")) {
            for (int i = 0; i < 3; i++)
                if (!smc_ptx_integer(reader, &inlined[i]))
                    return false;
        } else {
            return smc_ptx_complain(reader, "function_name or inlined_at expected");
        }
    }
    if (place[1] == 0)
        return true; /* no line of its own: that of its neighbours says more */
    reader->file = (uint32_t)place[0];
    reader->line = (uint32_t)place[1];
    reader->inlined_line = (uint32_t)inlined[1];
    return true;
}

static struct smc_ptx_label *add_label(struct smc_ptx_reader *reader, struct smc_span name)
{
    struct smc_ptx_module *module = reader->module;
    module->label = smc_arena_grow(&module->arena, module->label, module->labels,
                                   &module->label_room, sizeof *module->label);
    if (!module->label)
        return NULL;
    struct smc_ptx_label *label = &module->label[module->labels++];
    *label = (struct smc_ptx_label){name, reader->scope, (uint32_t)module->statements, NULL, 0};
    return label;
}

/* $L_0: .branchtargets A, B, C; behind the directive. */
static bool read_targets(struct smc_ptx_reader *reader, struct smc_ptx_label *label)
{
    size_t room = 0, count = 0;
    do {
        label->target = smc_arena_grow(&reader->module->arena, label->target, count, &room,
                                       sizeof *label->target);
        if (!label->target)
            return false;
        label->target[count++] = reader->token.text;
        smc_ptx_advance(reader);
    } while (smc_ptx_accept(reader, ","));
    label->targets = (uint32_t)count;
    return smc_ptx_expect(reader, ";");
}

/* "ld.shared.f32" into its parts. */
static bool cut_opcode(struct smc_ptx_reader *reader, struct smc_ptx_statement *statement)
{
    const char *at = reader->token.text.at, *end = at + reader->token.text.bytes;
    for (bool first = true; at < end; first = false) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        struct smc_span part = {at, (size_t)((dot ? dot : end) - at)};
        if (first)
            statement->opcode = part;
        else if (statement->modifiers == SMC_MAX_MODIFIERS)
            return smc_ptx_complain(reader, "the instruction has too many parts");
        else
            statement->modifier[statement->modifiers++] = part;
        at = dot ? dot + 1 : end;
    }
    return true;
}

static bool read_guard(struct smc_ptx_reader *reader, struct smc_ptx_statement *statement)
{
    if (!smc_ptx_accept(reader, "@"))
        return true;
    statement->guard = smc_arena_take(&reader->module->arena, sizeof *statement->guard);
    if (!statement->guard || !smc_ptx_read_operand(reader, statement->guard))
        return false;
    if (statement->guard->kind != SMC_OPERAND_REGISTER || statement->guard->type != SMC_PTX_PRED)
        return smc_ptx_complain(reader, "a guard that is no predicate");
    return true;
}

/* call's "(a), f, (b)": parsed no further, since calls are refused by name. */
static bool skip_operands(struct smc_ptx_reader *reader)
{
    while (!smc_ptx_at(reader, ";") && reader->token.kind != SMC_TOKEN_END)
        smc_ptx_advance(reader);
    return true;
}

static bool read_operands(struct smc_ptx_reader *reader, struct smc_ptx_statement *statement)
{
    if (smc_span_is(statement->opcode, "call"))
        return skip_operands(reader);
    if (smc_ptx_at(reader, ";"))
        return true;
    do {
        if (statement->operands == SMC_MAX_OPERANDS)
            return smc_ptx_complain(reader, "the instruction has too many operands");
        if (!smc_ptx_read_operand(reader, &statement->operand[statement->operands++]))
            return false;
    } while (smc_ptx_accept(reader, ","));
    return true;
}

static bool read_instruction(struct smc_ptx_reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_ptx_statement statement = {.ptx_line = reader->token.line,
                                          .file = reader->file,
                                          .line = reader->line,
                                          .inlined_line = reader->inlined_line,
                                          .scope = reader->scope};
    statement.text.at = reader->token.text.at;
    if (!read_guard(reader, &statement))
        return false;
    if (reader->token.kind != SMC_TOKEN_WORD || *reader->token.text.at == '.')
        return smc_ptx_complain(
            reader, "'%.*s' is not understood here",
            (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
            reader->token.text.at);
    if (!cut_opcode(reader, &statement))
        return false;
    smc_ptx_advance(reader);
    if (!read_operands(reader, &statement))
        return false;
    statement.text.bytes = (size_t)(reader->token.text.at - statement.text.at);
    if (!smc_ptx_expect(reader, ";"))
        return false;
    module->statement = smc_arena_grow(&module->arena, module->statement, module->statements,
                                       &module->statement_room, sizeof *module->statement);
    if (!module->statement)
        return false;
    module->statement[module->statements++] = statement;
    return true;
}

/* A name that ':' follows. The lexer is looked ahead by copy. */
static bool at_label(const struct smc_ptx_reader *reader)
{
    struct smc_lexer ahead = reader->lexer;
    return reader->token.kind == SMC_TOKEN_WORD && *reader->token.text.at != '.' &&
           smc_span_is(smc_lexer_next(&ahead).text, ":");
}

static bool read_label(struct smc_ptx_reader *reader)
{
    struct smc_ptx_label *label = add_label(reader, reader->token.text);
    if (!label)
        return false;
    smc_ptx_advance(reader);
    smc_ptx_advance(reader);
    return smc_ptx_accept(reader, ".branchtargets") ? read_targets(reader, label) : true;
}

static bool read_directive(struct smc_ptx_reader *reader)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } spaces[] = {
        {".reg", SMC_SPACE_REGISTER},  {".shared", SMC_SPACE_SHARED}, {".local", SMC_SPACE_LOCAL},
        {".global", SMC_SPACE_GLOBAL}, {".const", SMC_SPACE_CONST},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (smc_ptx_accept(reader, spaces[i].name))
            return smc_ptx_declare(reader, spaces[i].space, false);
    if (smc_ptx_accept(reader, ".loc"))
        return smc_ptx_read_loc(reader);
    if (smc_ptx_accept(reader, ".file"))
        return smc_ptx_read_file(reader);
    if (smc_ptx_accept(reader, ".extern"))
        return smc_ptx_expect(reader, ".shared") && smc_ptx_declare(reader, SMC_SPACE_SHARED, true);
    if (smc_ptx_accept(reader, ".pragma") || smc_ptx_accept(reader, ".param") ||
        smc_ptx_accept(reader, ".callprototype"))
        return skip_operands(reader) && smc_ptx_expect(reader, ";");
    return read_instruction(reader);
}

bool smc_ptx_read_body(struct smc_ptx_reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    for (uint32_t depth = 1; depth > 0;) {
        bool read = true;
        if (reader->token.kind == SMC_TOKEN_END)
            return smc_ptx_complain(reader, "a '}' is missing");
        if (smc_ptx_accept(reader, "{")) {
            read = smc_ptx_new_scope(reader, reader->scope);
            depth++;
        } else if (smc_ptx_accept(reader, "}")) {
            reader->scope = module->scope_parent[reader->scope];
            depth--;
        } else if (at_label(reader)) {
            read = read_label(reader);
        } else {
            read = read_directive(reader);
        }
        if (!read)
            return false;
    }
    return true;
}

const struct smc_ptx_label *smc_ptx_find_label(const struct smc_ptx_module *module,
                                               struct smc_span name, uint32_t scope)
{
    for (;; scope = module->scope_parent[scope]) {
        for (size_t i = 0; i < module->labels; i++)
            if (module->label[i].scope == scope && smc_span_equal(module->label[i].name, name))
                return &module->label[i];
        if (scope == 0)
            return NULL;
    }
}
