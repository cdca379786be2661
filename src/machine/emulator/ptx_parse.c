/* Reads a PTX module: its line table, one kernel of it, and the functions that this kernel may
   call. Other kernels and functions are skipped. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/ptx_reader.h"

static bool new_scope(struct reader *reader, uint32_t parent)
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

/* --- Declarations and names ------------------------------------------------------------------- */

static const uint64_t max_registers = 1 << 20;
static const uint64_t max_variable_bytes = UINT64_C(1) << 32;

static struct smc_ptx_symbol *add_symbol(struct reader *reader, const struct smc_ptx_symbol *symbol)
{
    struct smc_ptx_module *module = reader->module;
    module->symbol = smc_arena_grow(&module->arena, module->symbol, module->symbols,
                                    &module->symbol_room, sizeof *module->symbol);
    struct smc_ptx_symbol *added = smc_arena_take(&module->arena, sizeof *added);
    if (!module->symbol || !added)
        return NULL;
    *added = *symbol;
    added->scope = reader->scope;
    added->in_kernel = reader->scope != 0;
    if (symbol->space != SMC_SPACE_CODE)
        added->function = reader->function;
    return module->symbol[module->symbols++] = added;
}

static bool ptx_parse_read_type(struct reader *reader, enum smc_ptx_type *type)
{
    struct smc_span name = reader->token.text;
    bool dotted = reader->token.kind == SMC_TOKEN_WORD && name.bytes > 1 && *name.at == '.';
    *type = SMC_PTX_TYPE_COUNT;
    if (dotted)
        *type = smc_ptx_type_find((struct smc_span){name.at + 1, name.bytes - 1});
    if (*type == SMC_PTX_TYPE_COUNT)
        return complain(reader, "the type '%.*s' is not supported",
                        (int)(name.bytes < 40 ? name.bytes : 40), name.at);
    advance(reader);
    return true;
}

/* Assigns `count` registers their numbers. */
static bool number_registers(struct reader *reader, struct smc_ptx_symbol *symbol, uint64_t count)
{
    struct smc_ptx_module *module = reader->module;
    if (count > max_registers || module->registers + count > max_registers)
        return complain(reader, "too many registers");
    symbol->first = (uint32_t)module->registers;
    for (uint64_t i = 0; i < count; i++) {
        module->register_type =
            smc_arena_grow(&module->arena, module->register_type, module->registers,
                           &module->register_room, sizeof *module->register_type);
        if (!module->register_type)
            return out_of_memory(reader);
        module->register_type[module->registers++] = symbol->type;
    }
    return true;
}

/* .reg .b32 %r<22>, %x; */
static bool declare_registers(struct reader *reader)
{
    struct smc_ptx_symbol symbol = {.space = SMC_SPACE_REGISTER};
    if (!ptx_parse_read_type(reader, &symbol.type))
        return false;
    do {
        uint64_t count = 1;
        if (!read_name(reader, &symbol.name))
            return false;
        symbol.registers = 0;
        if (accept(reader, "<")) {
            if (!read_integer(reader, &count) || !expect(reader, ">"))
                return false;
            symbol.registers = count <= max_registers ? (uint32_t)count : 0;
        }
        if (!number_registers(reader, &symbol, count) || !add_symbol(reader, &symbol))
            return false;
    } while (accept(reader, ","));
    return expect(reader, ";");
}

/* (.managed, .unified(1, 2)): memory as any other. */
static bool skip_attributes(struct reader *reader)
{
    uint32_t depth = 0;
    do {
        depth += at_token(reader, "(");
        depth -= at_token(reader, ")");
        advance(reader);
    } while (depth > 0 && reader->token.kind != SMC_TOKEN_END);
    return depth == 0 || complain(reader, "a ')' is missing");
}

/* Reads ".align 16 .b8 name[4][8]" into the symbol. */
static bool read_variable(struct reader *reader, struct smc_ptx_symbol *symbol)
{
    uint64_t align = 0, extent;
    if (accept(reader, ".attribute") && !skip_attributes(reader))
        return false;
    if (accept(reader, ".align") && !read_integer(reader, &align))
        return false;
    if (!ptx_parse_read_type(reader, &symbol->type))
        return false;
    symbol->bytes = smc_ptx_type_info[symbol->type].bytes;
    if (accept(reader, ".ptr")) { /* an attribute of what a parameter points at */
        while (accept(reader, ".global") || accept(reader, ".shared") || accept(reader, ".const") ||
               accept(reader, ".local"))
            ;
        if (accept(reader, ".align") && !read_integer(reader, &extent))
            return false;
    }
    symbol->align = align ? (uint32_t)align : (uint32_t)(symbol->bytes ? symbol->bytes : 1);
    if (align > 65536 || symbol->align & (symbol->align - 1))
        return complain(reader, "an alignment that is not a power of two up to 65536");
    if (!read_name(reader, &symbol->name))
        return false;
    while (accept(reader, "[")) {
        extent = 0;
        if (!at_token(reader, "]") && !read_integer(reader, &extent))
            return false;
        if (__builtin_mul_overflow(symbol->bytes, extent, &symbol->bytes) ||
            symbol->bytes > max_variable_bytes)
            return complain(reader, "the variable is too large");
        if (!expect(reader, "]"))
            return false;
    }
    return true;
}

static bool read_declaration(struct reader *reader, struct smc_ptx_symbol *symbol)
{
    return read_variable(reader, symbol) &&
           (!accept(reader, "=") || smc_ptx_read_initial(reader, symbol)) && expect(reader, ";");
}

/* ".texref tex", after .global, as older PTX declares textures. */
static const char *opaque_type(const struct reader *reader)
{
    return at_token(reader, ".texref")       ? "a texture reference"
           : at_token(reader, ".surfref")    ? "a surface reference"
           : at_token(reader, ".samplerref") ? "a sampler reference"
                                             : NULL;
}

/* A variable of the module that the emulator does not have: only the kernels that use it are
   refused, see lay_out. Its name is in what was read, or in what follows the type. */
static bool declare_refused(struct reader *reader, const char *what, struct smc_ptx_symbol *symbol)
{
    char text[sizeof reader->error->message + 8];
    reader->failed = false;
    if (reader->module->arena.failed)
        return out_of_memory(reader);
    if (what) {
        advance(reader);
        symbol->name = reader->token.text;
    }
    snprintf(text, sizeof text, "%s", what ? what : reader->refusal);
    char *refusal = smc_arena_take(&reader->module->arena, strlen(text) + 1);
    if (!refusal)
        return out_of_memory(reader);
    symbol->refusal = memcpy(refusal, text, strlen(text) + 1);
    symbol->reference = NULL;
    reader->depth = 0;
    return (!symbol->name.at || add_symbol(reader, symbol)) && skip_past(reader, ";");
}

/* A declaration after its space (".reg", ".shared", ...), with its ';'. */
static bool declare(struct reader *reader, enum smc_ptx_space space, bool is_extern)
{
    if (space == SMC_SPACE_REGISTER)
        return declare_registers(reader);
    struct smc_ptx_symbol symbol = {
        .space = space, .is_extern = is_extern, .line = reader->token.line};
    const char *opaque = opaque_type(reader);
    if (opaque)
        return declare_refused(reader, opaque, &symbol);
    bool is_of_module = reader->scope == 0;
    reader->withholds = is_of_module;
    bool read = read_declaration(reader, &symbol);
    reader->withholds = false;
    if (!read && is_of_module && reader->failed)
        return declare_refused(reader, NULL, &symbol);
    return read && add_symbol(reader, &symbol);
}

/* One parameter of the kernel, after ".param". */
static bool declare_parameter(struct reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_ptx_symbol symbol = {.space = SMC_SPACE_PARAM};
    if (!read_variable(reader, &symbol))
        return false;
    if (symbol.bytes > 32764)
        return complain(reader, "the parameter is too large");
    struct smc_ptx_symbol *added = add_symbol(reader, &symbol);
    module->parameter = smc_arena_grow(&module->arena, module->parameter, module->parameters,
                                       &module->parameter_room, sizeof *module->parameter);
    if (!added || !module->parameter)
        return false;
    module->parameter[module->parameters++] = added;
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

/* --- The statements of a kernel --------------------------------------------------------------- */

/* ".file 1 "k.cu"", after ".file". */
static bool ptx_parse_read_file(struct reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    uint64_t number, ignored;
    if (!read_integer(reader, &number))
        return false;
    if (reader->token.kind != SMC_TOKEN_STRING)
        return complain(reader, "a file name expected");
    module->file = smc_arena_grow(&module->arena, module->file, module->files, &module->file_room,
                                  sizeof *module->file);
    if (!module->file)
        return false;
    module->file[module->files++] = (struct smc_ptx_file){(uint32_t)number, reader->token.text};
    advance(reader);
    while (accept(reader, ",")) /* time stamp, size */
        if (!read_integer(reader, &ignored))
            return false;
    return true;
}

static struct smc_ptx_label *add_label(struct reader *reader, struct smc_span name)
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

/* $L_0: .branchtargets A, B, C; after the directive. */
static bool read_targets(struct reader *reader, struct smc_ptx_label *label)
{
    size_t room = 0, count = 0;
    do {
        label->target = smc_arena_grow(&reader->module->arena, label->target, count, &room,
                                       sizeof *label->target);
        if (!label->target)
            return false;
        label->target[count++] = reader->token.text;
        advance(reader);
    } while (accept(reader, ","));
    label->targets = (uint32_t)count;
    return expect(reader, ";");
}

/* Splits "ld.shared.f32" into opcode and modifiers. */
static bool cut_opcode(struct reader *reader, struct smc_ptx_statement *statement)
{
    const char *at = reader->token.text.at, *end = at + reader->token.text.bytes;
    for (bool first = true; at < end; first = false) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        struct smc_span part = {at, (size_t)((dot ? dot : end) - at)};
        if (first)
            statement->opcode = part;
        else if (statement->modifiers == SMC_MAX_MODIFIERS)
            return complain(reader, "the instruction has too many parts");
        else
            statement->modifier[statement->modifiers++] = part;
        at = dot ? dot + 1 : end;
    }
    return true;
}

static bool read_guard(struct reader *reader, struct smc_ptx_statement *statement)
{
    if (!accept(reader, "@"))
        return true;
    statement->guard = smc_arena_take(&reader->module->arena, sizeof *statement->guard);
    if (!statement->guard || !smc_ptx_read_operand(reader, statement->guard))
        return false;
    if (statement->guard->kind != SMC_OPERAND_REGISTER || statement->guard->type != SMC_PTX_PRED)
        return complain(reader, "a guard that is not a predicate");
    return true;
}

static bool skip_operands(struct reader *reader)
{
    while (!at_token(reader, ";") && reader->token.kind != SMC_TOKEN_END)
        advance(reader);
    return true;
}

/* (a, b), from its '('. */
static bool read_passed(struct reader *reader, struct smc_operand **list, uint32_t *count)
{
    size_t room = 0;
    if (!expect(reader, "(") || accept(reader, ")"))
        return !reader->failed;
    do {
        *list = smc_arena_grow(&reader->module->arena, *list, *count, &room,
                               sizeof(struct smc_operand));
        if (!*list || !smc_ptx_read_operand(reader, &(*list)[(*count)++]))
            return false;
    } while (accept(reader, ","));
    return expect(reader, ")");
}

/* (a), f, (b), prototype: the prototype is not needed, because the callee's parameters are known
   when it is called. */
static bool read_call(struct reader *reader, struct smc_ptx_statement *statement)
{
    struct smc_ptx_call *call = smc_arena_take(&reader->module->arena, sizeof *call);
    if (!call)
        return false;
    statement->call = call;
    if (at_token(reader, "(") &&
        (!read_passed(reader, &call->result, &call->results) || !expect(reader, ",")))
        return false;
    if (!smc_ptx_read_operand(reader, &call->target))
        return false;
    if (!accept(reader, ","))
        return true;
    if (at_token(reader, "(") && (!read_passed(reader, &call->argument, &call->arguments) ||
                                  (!at_token(reader, ";") && !expect(reader, ","))))
        return false;
    return skip_operands(reader);
}

static bool read_operands(struct reader *reader, struct smc_ptx_statement *statement)
{
    if (smc_span_is(statement->opcode, "call"))
        return reader->lenient ? skip_operands(reader) : read_call(reader, statement);
    if (at_token(reader, ";"))
        return true;
    /* Operands may have forms of their own, such as [image, {%r1}]; the decoder refuses the
       instruction by name. */
    const struct smc_ptx_instruction *row = smc_ptx_instruction_of(statement);
    if (row && row->support == SMC_INSTRUCTION_REFUSED && !reader->lenient)
        return skip_operands(reader);
    do {
        if (statement->operands == SMC_MAX_OPERANDS)
            return complain(reader, "the instruction has too many operands");
        if (!smc_ptx_read_operand(reader, &statement->operand[statement->operands++]))
            return false;
    } while (accept(reader, ","));
    return true;
}

static bool add_statement(struct reader *reader, const struct smc_ptx_statement *statement)
{
    struct smc_ptx_module *module = reader->module;
    module->statement = smc_arena_grow(&module->arena, module->statement, module->statements,
                                       &module->statement_room, sizeof *module->statement);
    if (!module->statement)
        return false;
    module->statement[module->statements++] = *statement;
    return true;
}

static bool read_instruction(struct reader *reader)
{
    struct smc_ptx_statement statement = {.ptx_line = reader->token.line,
                                          .file = reader->file,
                                          .line = reader->line,
                                          .loc = reader->loc,
                                          .scope = reader->scope,
                                          .function = reader->function};
    statement.text.at = reader->token.text.at;
    if (!read_guard(reader, &statement))
        return false;
    if (reader->token.kind != SMC_TOKEN_WORD || *reader->token.text.at == '.')
        return complain(reader, "'%.*s' is not understood here",
                        (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                        reader->token.text.at);
    if (!cut_opcode(reader, &statement))
        return false;
    advance(reader);
    if (!read_operands(reader, &statement))
        return false;
    statement.text.bytes = (size_t)(reader->token.text.at - statement.text.at);
    if (!expect(reader, ";"))
        return false;
    return add_statement(reader, &statement);
}

/* A label: a name followed by ':'. Looks ahead with a copy of the lexer. */
static bool at_label(const struct reader *reader)
{
    struct smc_lexer ahead = reader->lexer;
    return reader->token.kind == SMC_TOKEN_WORD && *reader->token.text.at != '.' &&
           smc_span_is(smc_lexer_next(&ahead).text, ":");
}

static bool read_label(struct reader *reader)
{
    struct smc_ptx_label *label = add_label(reader, reader->token.text);
    if (!label)
        return false;
    advance(reader);
    advance(reader);
    return accept(reader, ".branchtargets") ? read_targets(reader, label) : true;
}

/* .param .align 8 .b8 param0[16]; in a body: what a call passes or returns. It is in the thread's
   local memory. */
static bool declare_call_parameter(struct reader *reader)
{
    struct smc_ptx_symbol symbol = {.space = SMC_SPACE_LOCAL, .is_call_parameter = true};
    return read_variable(reader, &symbol) && add_symbol(reader, &symbol) && expect(reader, ";");
}

/* The functions that a call through an address may reach: .calltargets f, g; */
static bool use_targets(struct reader *reader)
{
    do {
        struct smc_ptx_symbol *symbol = smc_ptx_find_symbol(reader, reader->token.text);
        if (symbol)
            symbol->is_used = true;
        advance(reader);
    } while (accept(reader, ","));
    return expect(reader, ";");
}

static bool read_body_directive(struct reader *reader)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } spaces[] = {
        {".reg", SMC_SPACE_REGISTER},  {".shared", SMC_SPACE_SHARED}, {".local", SMC_SPACE_LOCAL},
        {".global", SMC_SPACE_GLOBAL}, {".const", SMC_SPACE_CONST},
    };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (accept(reader, spaces[i].name))
            return declare(reader, spaces[i].space, false);
    if (accept(reader, ".loc"))
        return smc_ptx_read_loc(reader);
    if (accept(reader, ".file"))
        return ptx_parse_read_file(reader);
    if (accept(reader, ".extern"))
        return expect(reader, ".shared") && declare(reader, SMC_SPACE_SHARED, true);
    if (!reader->lenient && accept(reader, ".param"))
        return declare_call_parameter(reader);
    if (!reader->lenient && accept(reader, ".calltargets"))
        return use_targets(reader);
    if (accept(reader, ".pragma") || accept(reader, ".param") || accept(reader, ".callprototype") ||
        accept(reader, ".calltargets"))
        return skip_operands(reader) && expect(reader, ";");
    return read_instruction(reader);
}

/* The body of the kernel, from after its '{' to its '}'. */
static bool ptx_parse_read_body(struct reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    for (uint32_t depth = 1; depth > 0;) {
        bool read = true;
        if (reader->token.kind == SMC_TOKEN_END)
            return complain(reader, "a '}' is missing");
        if (accept(reader, "{")) {
            read = new_scope(reader, reader->scope);
            depth++;
        } else if (accept(reader, "}")) {
            reader->scope = module->scope_parent[reader->scope];
            depth--;
        } else if (at_label(reader)) {
            read = read_label(reader);
        } else {
            read = read_body_directive(reader);
        }
        if (!read)
            return false;
    }
    return true;
}

/* --- The module ------------------------------------------------------------------------------- */

/* Notes that the address of a function is taken: mov.u64 %rd1, name; */
static void note_address(struct reader *reader)
{
    struct smc_lexer ahead = reader->lexer;
    const struct smc_token target = smc_lexer_next(&ahead), comma = smc_lexer_next(&ahead);
    const struct smc_token name = smc_lexer_next(&ahead);
    if (target.kind != SMC_TOKEN_WORD || !smc_span_is(comma.text, ",") ||
        name.kind != SMC_TOKEN_WORD || *name.text.at == '%')
        return;
    for (size_t i = 0; i < reader->module->functions; i++)
        if (smc_span_equal(reader->module->function[i].name, name.text))
            reader->module->function[i].has_address = true;
}

/* Skips a function's body, up to the '}' that matches the '{' before the next token. */
static bool skip_body(struct reader *reader)
{
    for (size_t depth = 1; depth > 0; advance(reader)) {
        if (reader->token.kind == SMC_TOKEN_END)
            return complain(reader, "a '}' is missing");
        depth += at_token(reader, "{");
        depth -= at_token(reader, "}");
        if (at_token(reader, "mov.u64") || at_token(reader, "mov.b64"))
            note_address(reader);
    }
    return true;
}

/* What a kernel's directives say of its launches; 0: nothing. */
struct bounds {
    uint32_t cluster[3], threads[3], blocks_per_sm[3], regs[3];
};

/* .reqnctapercluster 2, 1, 1: missing numbers are 1. */
static void ptx_parse_read_numbers(struct reader *reader, uint32_t number[3])
{
    uint64_t value;
    for (int i = 0; i < 3; i++)
        number[i] = 1;
    for (int i = 0; i < 3 && smc_ptx_number_of(reader->token.text, &value); i++) {
        number[i] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
        advance(reader);
        if (!accept(reader, ","))
            return;
    }
}

/* Skips from a function's name to its body; returns true if there is a body. */
static bool skip_head(struct reader *reader, struct bounds *bounds)
{
    while (reader->token.kind != SMC_TOKEN_END) {
        if (accept(reader, ";"))
            return false;
        if (accept(reader, "{"))
            return true;
        if (accept(reader, ".reqnctapercluster"))
            ptx_parse_read_numbers(reader, bounds->cluster);
        else if (accept(reader, ".maxntid") || accept(reader, ".reqntid"))
            ptx_parse_read_numbers(reader, bounds->threads);
        else if (accept(reader, ".minnctapersm"))
            ptx_parse_read_numbers(reader, bounds->blocks_per_sm);
        else if (accept(reader, ".maxnreg"))
            ptx_parse_read_numbers(reader, bounds->regs);
        else
            advance(reader);
    }
    return false;
}

/* As many registers as ptxas may use then, a multiple of 8. */
static uint32_t entry_regs(const struct bounds *bounds)
{
    enum { REGS_PER_SM = 65536, MOST_REGS = 255, UNIT = 8 };
    const uint64_t threads = (uint64_t)bounds->threads[0] * bounds->threads[1] * bounds->threads[2];
    if (bounds->regs[0])
        return bounds->regs[0];
    if (!bounds->blocks_per_sm[0] || threads == 0)
        return 0;
    const uint64_t regs = REGS_PER_SM / bounds->blocks_per_sm[0] / threads / UNIT * UNIT;
    return regs > MOST_REGS ? MOST_REGS : (uint32_t)regs;
}

static bool ptx_parse_read_parameters(struct reader *reader)
{
    if (!accept(reader, "(") || accept(reader, ")"))
        return true;
    do {
        if (!expect(reader, ".param") || !declare_parameter(reader))
            return false;
    } while (accept(reader, ","));
    return expect(reader, ")");
}

static bool ptx_parse_read_kernel(struct reader *reader, const char *wanted)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_span name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "a kernel has no name");
    advance(reader);
    struct bounds bounds = {0};
    if (wanted && !smc_span_is(name, wanted))
        return !skip_head(reader, &bounds) || skip_body(reader);
    if (module->entry.at)
        return complain(reader, "there are several kernels: name one");
    module->entry = name;
    uint32_t outside = reader->scope;
    bool read = new_scope(reader, outside) && ptx_parse_read_parameters(reader);
    if (read && !skip_head(reader, &bounds))
        read = complain(reader, "the kernel has no body");
    memcpy(module->cluster, bounds.cluster, sizeof module->cluster);
    module->entry_regs = entry_regs(&bounds);
    read = read && ptx_parse_read_body(reader);
    reader->scope = outside;
    return read;
}

/* --- Functions -------------------------------------------------------------------------------- */

/* .attribute(.unified(1, 2)) .noreturn, between ".func" and what follows. */
static bool skip_directives(struct reader *reader)
{
    while (reader->token.kind == SMC_TOKEN_WORD && *reader->token.text.at == '.') {
        bool has_list = at_token(reader, ".attribute");
        advance(reader);
        if (has_list && at_token(reader, "(") && !skip_attributes(reader))
            return false;
    }
    return true;
}

static struct smc_ptx_function *find_function(struct reader *reader, struct smc_span name)
{
    struct smc_ptx_module *module = reader->module;
    for (size_t i = 0; i < module->functions; i++)
        if (smc_span_equal(module->function[i].name, name))
            return &module->function[i];
    module->function = smc_arena_grow(&module->arena, module->function, module->functions,
                                      &module->function_room, sizeof *module->function);
    if (!module->function)
        return NULL;
    struct smc_ptx_symbol symbol = {.name = name, .space = SMC_SPACE_CODE};
    symbol.function = (uint32_t)module->functions + 1;
    symbol.address = SMC_CODE_BASE + (uint64_t)symbol.function * SMC_CODE_STEP;
    struct smc_ptx_function *function = &module->function[module->functions++];
    *function = (struct smc_ptx_function){.name = name, .symbol = add_symbol(reader, &symbol)};
    return function->symbol ? function : NULL;
}

/* A declaration or a definition, after ".func". The body is only noted: it is read if the kernel
   needs it. */
static bool note_function(struct reader *reader)
{
    struct smc_lexer lexer = reader->lexer;
    struct smc_token token = reader->token;
    if (!skip_directives(reader) || (at_token(reader, "(") && !skip_attributes(reader)))
        return false;
    struct smc_span name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "a function has no name");
    struct smc_ptx_function *function = find_function(reader, name);
    if (!function)
        return false;
    if (!skip_head(reader, &(struct bounds){0}))
        return true;
    if (!function->is_defined) {
        function->is_defined = true;
        function->lexer = lexer;
        function->token = token;
    }
    return skip_body(reader);
}

/* (.param .b32 a, .reg .b64 b): the parameters of a function are in its local memory; some are
   also copied to a register. */
static bool read_formals(struct reader *reader, struct smc_ptx_symbol ***list, size_t *count,
                         size_t *room)
{
    struct smc_ptx_module *module = reader->module;
    if (!accept(reader, "(") || accept(reader, ")"))
        return true;
    do {
        struct smc_ptx_symbol symbol = {.space = SMC_SPACE_LOCAL, .is_formal = true};
        if (accept(reader, ".reg"))
            symbol.space = SMC_SPACE_REGISTER;
        else if (!expect(reader, ".param"))
            return false;
        if (!read_variable(reader, &symbol))
            return false;
        if (symbol.space == SMC_SPACE_REGISTER && (symbol.type == SMC_PTX_PRED || symbol.bytes > 8))
            return complain(reader, "a parameter in a register of this type is not supported");
        if (symbol.space == SMC_SPACE_REGISTER && !number_registers(reader, &symbol, 1))
            return false;
        *list = smc_arena_grow(&module->arena, *list, *count, room, sizeof **list);
        if (!*list || !((*list)[*count] = add_symbol(reader, &symbol)))
            return false;
        (*count)++;
    } while (accept(reader, ","));
    return expect(reader, ")");
}

/* Marks the end of the body that was read before: its threads exit or return there. */
static bool end_body(struct reader *reader)
{
    const struct smc_ptx_module *module = reader->module;
    struct smc_ptx_statement end = {
        .text = {"", 0}, .scope = reader->scope, .function = reader->function, .ends_body = true};
    if (module->statements) {
        const struct smc_ptx_statement *last = &module->statement[module->statements - 1];
        end.ptx_line = last->ptx_line;
        end.file = last->file;
        end.line = last->line;
        end.loc = last->loc;
    }
    return add_statement(reader, &end);
}

static bool ptx_parse_read_function(struct reader *reader, uint32_t number)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_ptx_function *function = &module->function[number - 1];
    uint32_t outside = reader->scope;
    reader->lexer = function->lexer;
    reader->token = function->token;
    function->is_read = true;
    if (!end_body(reader))
        return false;
    reader->function = number;
    reader->file = reader->line = reader->loc = 0;
    function->statement = (uint32_t)module->statements;
    if (!new_scope(reader, outside))
        return false;
    bool read = skip_directives(reader) &&
                read_formals(reader, &function->result, &function->results, &function->result_room);
    if (read && !smc_span_equal(reader->token.text, function->name))
        read = complain(reader, "the name of a function expected");
    advance(reader);
    read = read && read_formals(reader, &function->parameter, &function->parameters,
                                &function->parameter_room);
    read = read && skip_head(reader, &(struct bounds){0}) && ptx_parse_read_body(reader);
    reader->scope = outside;
    return read;
}

static bool calls_addresses(const struct smc_ptx_module *module)
{
    for (size_t i = 0; i < module->statements; i++)
        if (module->statement[i].call &&
            module->statement[i].call->target.kind == SMC_OPERAND_REGISTER)
            return true;
    return false;
}

/* A call through an address may reach every function whose address the module has anywhere: another
   kernel, or the host, may have passed it. */
static void use_addresses(struct smc_ptx_module *module)
{
    for (size_t i = 0; i < module->symbols; i++) {
        const struct smc_ptx_reference *reference = module->symbol[i]->reference;
        for (; reference; reference = reference->next) {
            struct smc_ptx_symbol *other = smc_ptx_referenced(module, reference);
            if (other && other->space == SMC_SPACE_CODE)
                module->function[other->function - 1].has_address = true;
        }
    }
    for (size_t i = 0; i < module->functions; i++)
        module->function[i].symbol->is_used |=
            module->function[i].has_address && module->function[i].is_defined;
}

/* Reads the functions that are used by what was read, until there is no other. */
static bool read_functions(struct reader *reader)
{
    struct smc_ptx_module *module = reader->module;
    for (bool found = true; found;) {
        found = false;
        if (calls_addresses(module))
            use_addresses(module);
        smc_ptx_use_referenced(module);
        for (uint32_t n = 1; n <= module->functions; n++) {
            const struct smc_ptx_function *function = &module->function[n - 1];
            if (!function->symbol->is_used || !function->is_defined || function->is_read)
                continue;
            found = true;
            if (!ptx_parse_read_function(reader, n))
                return false;
        }
    }
    return reader->function == 0 || end_body(reader);
}

/* .section .debug_info { ... } */
static bool ptx_parse_read_section(struct reader *reader)
{
    bool has_strings = at_token(reader, ".debug_str");
    if (!skip_past(reader, "{"))
        return false;
    const char *begin = reader->token.text.at;
    if (!skip_body(reader))
        return false;
    if (has_strings && !reader->module->strings.at)
        reader->module->strings = (struct smc_span){begin, (size_t)(reader->lexer.at - begin)};
    return true;
}

static bool ptx_parse_read_directive(struct reader *reader, const char *wanted, bool *is_extern)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } spaces[] = {
        {".global", SMC_SPACE_GLOBAL}, {".const", SMC_SPACE_CONST}, {".shared", SMC_SPACE_SHARED}};
    bool external = *is_extern;
    *is_extern = false;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (accept(reader, spaces[i].name))
            return declare(reader, spaces[i].space, external);
    if (accept(reader, ".entry"))
        return ptx_parse_read_kernel(reader, wanted);
    if (accept(reader, ".func"))
        return note_function(reader);
    if (accept(reader, ".file"))
        return ptx_parse_read_file(reader);
    if (accept(reader, ".loc"))
        return smc_ptx_read_loc(reader);
    if (accept(reader, ".section"))
        return ptx_parse_read_section(reader);
    if (at_token(reader, ".visible") || at_token(reader, ".weak") || at_token(reader, ".extern") ||
        at_token(reader, ".common")) {
        *is_extern = at_token(reader, ".extern");
        advance(reader);
        return true;
    }
    if (accept(reader, ".pragma") || accept(reader, ".alias"))
        return skip_past(reader, ";");
    return complain(reader, "'%.*s' is not understood here",
                    (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                    reader->token.text.at);
}

/* .version 9.0 .target sm_90, debug .address_size 64 */
static bool read_preamble(struct reader *reader)
{
    if (!accept(reader, ".version"))
        return complain(reader, "not PTX: it does not begin with .version");
    advance(reader);
    if (!expect(reader, ".target"))
        return false;
    do
        advance(reader);
    while (accept(reader, ","));
    if (accept(reader, ".address_size") && !accept(reader, "64"))
        return complain(reader, "addresses of 64 bits are needed");
    return true;
}

static bool ptx_parse_read_module(struct reader *reader, const char *wanted)
{
    bool is_extern = false;
    if (!new_scope(reader, 0) || !read_preamble(reader))
        return false;
    while (reader->token.kind != SMC_TOKEN_END)
        if (!ptx_parse_read_directive(reader, wanted, &is_extern))
            return false;
    if (reader->lenient)
        smc_ptx_use_referenced(reader->module);
    if (reader->module->entry.at)
        return reader->lenient || read_functions(reader);
    return complain(reader, "no kernel%s%.200s", wanted ? " " : "", wanted ? wanted : "");
}

enum smc_status smc_ptx_read(const char *text, size_t bytes, const char *entry, bool lenient,
                             struct smc_ptx_module *module, struct smc_error *error)
{
    *module = (struct smc_ptx_module){0};
    module->text = smc_arena_take(&module->arena, bytes + 1);
    if (!module->text)
        return smc_out_of_memory(error);
    if (bytes)
        memcpy(module->text, text, bytes);
    struct reader reader = {.lexer = {module->text, module->text + bytes, 1},
                            .module = module,
                            .error = error,
                            .lenient = lenient};
    advance(&reader);
    if (ptx_parse_read_module(&reader, entry))
        return SMC_OK;
    return reader.failed ? SMC_USAGE : smc_out_of_memory(error);
}

void smc_ptx_free(struct smc_ptx_module *module)
{
    smc_arena_free(&module->arena);
}
