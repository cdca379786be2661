/* Reads a PTX module: its variables, its line table, and one kernel of it. Other kernels and
   functions are skipped. */
#include "emulator/ptx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

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

struct reader {
    struct smc_lexer lexer;
    struct smc_token token; /* the next one */
    struct smc_ptx_module *module;
    struct smc_error *error;
    bool failed;
    bool lenient; /* what only a run must understand may be anything */
    uint32_t scope;
    uint32_t depth;                    /* nesting of vectors and initializers */
    uint32_t file, line, inlined_line; /* of the last .loc */
};

static void advance(struct reader *reader)
{
    reader->token = smc_lexer_next(&reader->lexer);
}

/* Reports the first error, with its line. Returns false. */
__attribute__((format(printf, 2, 3))) static bool complain(struct reader *reader,
                                                           const char *format, ...)
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

static bool at_token(const struct reader *reader, const char *text)
{
    return reader->token.kind != SMC_TOKEN_STRING && smc_span_is(reader->token.text, text);
}

/* Skips the token if it equals `text`. */
static bool accept(struct reader *reader, const char *text)
{
    if (!at_token(reader, text))
        return false;
    advance(reader);
    return true;
}

static bool expect(struct reader *reader, const char *text)
{
    if (accept(reader, text))
        return true;
    return complain(reader, "'%s' expected, not '%.*s'", text,
                    (int)(reader->token.text.bytes < 80 ? reader->token.text.bytes : 80),
                    reader->token.text.at);
}

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

/* An integer with an optional sign, modulo 2^64. */
static bool read_integer(struct reader *reader, uint64_t *value)
{
    bool negative = accept(reader, "-");
    if (reader->token.kind != SMC_TOKEN_NUMBER || !smc_ptx_number_of(reader->token.text, value))
        return complain(reader, "a whole number expected");
    if (negative)
        *value = -*value;
    advance(reader);
    return true;
}

/* --- Declarations and names ------------------------------------------------------------------- */

enum { MAX_INITIAL_DEPTH = 64 };
static const uint64_t max_registers = 1 << 20;
static const uint64_t max_variable_bytes = UINT64_C(1) << 32;
static const uint64_t max_initial_bytes = UINT64_C(1) << 28;

static bool out_of_memory(struct reader *reader)
{
    (void)reader; /* no message: reported as out of memory */
    return false;
}

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
    return module->symbol[module->symbols++] = added;
}

static bool read_type(struct reader *reader, enum smc_ptx_type *type)
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

static bool read_name(struct reader *reader, struct smc_span *name)
{
    *name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "a name expected");
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
    if (!read_type(reader, &symbol.type))
        return false;
    if (symbol.type == SMC_PTX_B128)
        return complain(reader, "registers of 128 bits are not supported");
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

/* Reads ".align 16 .b8 name[4][8]" into the symbol. */
static bool read_variable(struct reader *reader, struct smc_ptx_symbol *symbol)
{
    uint64_t align = 0, extent;
    if (accept(reader, ".align") && !read_integer(reader, &align))
        return false;
    if (!read_type(reader, &symbol->type))
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

static bool read_value(struct reader *reader, enum smc_ptx_type type, uint64_t *bits)
{
    bool is_single = false, negative = accept(reader, "-");
    struct smc_span text = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_NUMBER)
        return complain(reader, "an address as initial value is not supported");
    if (smc_ptx_type_info[type].class == SMC_CLASS_FLOAT &&
        smc_ptx_float_of(text, bits, &is_single)) {
        if (type == SMC_PTX_F32 && !is_single) {
            double wide;
            memcpy(&wide, bits, sizeof wide);
            float narrow = (float)(negative ? -wide : wide);
            *bits = 0;
            memcpy(bits, &narrow, sizeof narrow);
        }
    } else if (!smc_ptx_number_of(text, bits)) {
        return complain(reader, "the initial value '%.*s' is not a number",
                        (int)(text.bytes < 40 ? text.bytes : 40), text.at);
    } else if (negative) {
        *bits = -*bits;
    }
    advance(reader);
    return true;
}

static bool fill(struct reader *reader, const struct smc_ptx_symbol *symbol, uint8_t *initial,
                 uint64_t *place)
{
    uint64_t bits, bytes = smc_ptx_type_info[symbol->type].bytes;
    if (!accept(reader, "{")) {
        if (!read_value(reader, symbol->type, &bits))
            return false;
        if (bytes > sizeof bits || *place + bytes > symbol->bytes)
            return complain(reader, "too many initial values");
        memcpy(initial + *place, &bits, bytes);
        *place += bytes;
        return true;
    }
    if (++reader->depth > MAX_INITIAL_DEPTH)
        return complain(reader, "initial values are nested too deeply");
    while (!accept(reader, "}")) {
        if (!fill(reader, symbol, initial, place))
            return false;
        if (!accept(reader, ",") && !at_token(reader, "}"))
            return complain(reader, "',' or '}' expected");
    }
    reader->depth--;
    return true;
}

/* A declaration after its space (".reg", ".shared", ...), with its ';'. */
static bool declare(struct reader *reader, enum smc_ptx_space space, bool is_extern)
{
    if (space == SMC_SPACE_REGISTER)
        return declare_registers(reader);
    struct smc_ptx_symbol symbol = {.space = space, .is_extern = is_extern};
    if (!read_variable(reader, &symbol))
        return false;
    if (accept(reader, "=")) {
        if (symbol.bytes > max_initial_bytes)
            return complain(reader, "the variable is too large");
        uint8_t *initial = smc_arena_take(&reader->module->arena, symbol.bytes + 1);
        uint64_t place = 0;
        if (!initial || !fill(reader, &symbol, initial, &place))
            return false;
        symbol.initial = initial;
    }
    return add_symbol(reader, &symbol) && expect(reader, ";");
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

static bool encloses(const struct smc_ptx_module *module, uint32_t outer, uint32_t inner)
{
    while (inner != outer && inner != 0)
        inner = module->scope_parent[inner];
    return inner == outer;
}

/* For %r21 of %r<22>: the number after the name. */
static bool is_member(const struct smc_ptx_symbol *symbol, struct smc_span name)
{
    uint64_t number;
    if (!symbol->registers || name.bytes <= symbol->name.bytes ||
        memcmp(name.at, symbol->name.at, symbol->name.bytes) != 0)
        return false;
    struct smc_span digits = {name.at + symbol->name.bytes, name.bytes - symbol->name.bytes};
    if (digits.bytes > 1 && *digits.at == '0')
        return false;
    return smc_ptx_number_of(digits, &number) && number < symbol->registers;
}

static struct smc_ptx_symbol *find_symbol(const struct reader *reader, struct smc_span name)
{
    const struct smc_ptx_module *module = reader->module;
    for (size_t i = module->symbols; i > 0; i--) {
        struct smc_ptx_symbol *symbol = module->symbol[i - 1];
        bool named =
            symbol->registers ? is_member(symbol, name) : smc_span_equal(symbol->name, name);
        if (named && encloses(module, symbol->scope, reader->scope))
            return symbol;
    }
    return NULL;
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

/* --- Operands --------------------------------------------------------------------------------- */

enum { MAX_ELEMENTS = 8, MAX_OPERAND_DEPTH = 4 };

static bool read_operand(struct reader *reader, struct smc_operand *operand);

static bool read_number(struct reader *reader, struct smc_operand *operand, bool negative)
{
    struct smc_span text = reader->token.text;
    uint64_t bits;
    bool is_single;
    if (smc_ptx_float_of(text, &bits, &is_single)) {
        operand->kind = SMC_OPERAND_FLOAT;
        operand->is_single = is_single;
        operand->integer = bits ^ (negative ? UINT64_C(1) << (is_single ? 31 : 63) : 0);
    } else if (smc_ptx_number_of(text, &bits)) {
        operand->kind = SMC_OPERAND_INTEGER;
        operand->integer = negative ? -bits : bits;
    } else {
        return complain(reader, "'%.*s' is not a number", (int)(text.bytes < 80 ? text.bytes : 80),
                        text.at);
    }
    advance(reader);
    return true;
}

/* An offset after a name: +4, -4, +-4. */
static bool read_offset(struct reader *reader, uint64_t *offset)
{
    bool minus = at_token(reader, "-");
    *offset = 0;
    if (!accept(reader, "+") && !accept(reader, "-"))
        return true;
    if (!read_integer(reader, offset))
        return false;
    *offset = minus ? -*offset : *offset;
    return true;
}

static bool is_special(struct smc_span name)
{
    return *name.at == '%';
}

/* A part of a register, as video instructions have it: %r1.h0, %r1.b3210. */
static struct smc_ptx_symbol *find_selected(const struct reader *reader,
                                            struct smc_operand *operand)
{
    struct smc_span name = operand->name;
    const char *dot = memchr(name.at, '.', name.bytes);
    if (!dot || dot == name.at || dot + 1 == name.at + name.bytes || !strchr("bh", dot[1]))
        return NULL;
    name.bytes = (size_t)(dot - name.at);
    struct smc_ptx_symbol *symbol = find_symbol(reader, name);
    if (!symbol || symbol->space != SMC_SPACE_REGISTER)
        return NULL;
    operand->selector = (struct smc_span){dot + 1, operand->name.bytes - name.bytes - 1};
    operand->name = name;
    return symbol;
}

static bool read_named_operand(struct reader *reader, struct smc_operand *operand)
{
    operand->name = reader->token.text;
    struct smc_ptx_symbol *symbol = find_symbol(reader, operand->name);
    if (!symbol)
        symbol = find_selected(reader, operand);
    advance(reader);
    if (smc_span_is(operand->name, "_")) {
        operand->kind = SMC_OPERAND_SINK;
    } else if (symbol && symbol->space == SMC_SPACE_REGISTER) {
        uint64_t member = 0;
        struct smc_span digits = {operand->name.at + symbol->name.bytes,
                                  operand->name.bytes - symbol->name.bytes};
        if (symbol->registers && !smc_ptx_number_of(digits, &member))
            return false;
        operand->kind = SMC_OPERAND_REGISTER;
        operand->number = symbol->first + (uint32_t)member;
        operand->type = symbol->type;
    } else if (symbol) {
        operand->kind = SMC_OPERAND_SYMBOL;
        operand->symbol = symbol;
        symbol->is_used = true;
        return read_offset(reader, &operand->integer);
    } else {
        operand->kind = is_special(operand->name) ? SMC_OPERAND_SPECIAL : SMC_OPERAND_LABEL;
    }
    return true;
}

static bool new_elements(struct reader *reader, struct smc_operand *operand, size_t count)
{
    operand->element = smc_arena_take(&reader->module->arena, count * sizeof *operand->element);
    return operand->element != NULL;
}

/* More than a base: [texture, {%r1, %r2}]. */
static void skip_to_bracket(struct reader *reader)
{
    while (!at_token(reader, "]") && !at_token(reader, ";") && reader->token.kind != SMC_TOKEN_END)
        advance(reader);
}

/* [base+offset], after the '['. */
static bool read_address(struct reader *reader, struct smc_operand *operand)
{
    operand->kind = SMC_OPERAND_ADDRESS;
    if (!new_elements(reader, operand, 1) || !read_operand(reader, operand->element))
        return false;
    struct smc_operand *base = operand->element;
    operand->elements = 1;
    if (base->kind == SMC_OPERAND_REGISTER && !read_offset(reader, &operand->integer))
        return false;
    if (base->kind == SMC_OPERAND_SYMBOL) {
        operand->integer = base->integer;
        base->integer = 0;
    }
    if (base->kind == SMC_OPERAND_LABEL && reader->lenient)
        return read_offset(reader, &operand->integer) && expect(reader, "]");
    if (base->kind == SMC_OPERAND_LABEL && at_token(reader, "+"))
        return complain(reader,
                        "a parameter of a call (source line %u): functions that are called, "
                        "printf and malloc among them, are not supported",
                        reader->line);
    if (reader->lenient)
        skip_to_bracket(reader);
    return expect(reader, "]");
}

static bool read_vector(struct reader *reader, struct smc_operand *operand)
{
    size_t room = 0;
    operand->kind = SMC_OPERAND_VECTOR;
    do {
        if (operand->elements == MAX_ELEMENTS && !reader->lenient)
            return complain(reader, "a vector of more than %d elements", MAX_ELEMENTS);
        operand->element = smc_arena_grow(&reader->module->arena, operand->element,
                                          operand->elements, &room, sizeof *operand->element);
        if (!operand->element)
            return false;
        if (!read_operand(reader, &operand->element[operand->elements++]))
            return false;
    } while (accept(reader, ","));
    return expect(reader, "}");
}

static bool read_one(struct reader *reader, struct smc_operand *operand)
{
    if (accept(reader, "["))
        return read_address(reader, operand);
    if (accept(reader, "{"))
        return read_vector(reader, operand);
    bool negative = accept(reader, "-");
    if (reader->token.kind == SMC_TOKEN_NUMBER)
        return read_number(reader, operand, negative);
    operand->negated = accept(reader, "!");
    if (negative || reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "an operand expected");
    return read_named_operand(reader, operand);
}

/* Any operand: %r1  !%p1  %r1|%p1  12  -0f3F800000  name+4  [%rd1+8]  {%r1, %r2}  _ */
static bool read_operand(struct reader *reader, struct smc_operand *operand)
{
    *operand = (struct smc_operand){0};
    if (++reader->depth > MAX_OPERAND_DEPTH)
        return complain(reader, "operands are nested too deeply");
    bool read = read_one(reader, operand);
    if (read && accept(reader, "|")) {
        operand->second = smc_arena_take(&reader->module->arena, sizeof *operand->second);
        read = operand->second && read_operand(reader, operand->second);
    }
    reader->depth--;
    return read;
}

/* --- The statements of a kernel --------------------------------------------------------------- */

/* ".file 1 "k.cu"", after ".file". */
static bool read_file(struct reader *reader)
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

/* ".loc 1 22 5, function_name ..., inlined_at 1 30 2", after ".loc". */
static bool read_loc(struct reader *reader)
{
    uint64_t place[3], inlined[3] = {0};
    for (int i = 0; i < 3; i++)
        if (!read_integer(reader, &place[i]))
            return false;
    while (accept(reader, ",")) {
        if (accept(reader, "function_name")) {
            advance(reader);
            if (accept(reader, "+") && !read_integer(reader, &inlined[0]))
                return false;
        } else if (accept(reader, "inlined_at")) {
            for (int i = 0; i < 3; i++)
                if (!read_integer(reader, &inlined[i]))
                    return false;
        } else {
            return complain(reader, "function_name or inlined_at expected");
        }
    }
    if (place[1] == 0)
        return true; /* line 0 means no line: keep the line before, which is more useful */
    reader->file = (uint32_t)place[0];
    reader->line = (uint32_t)place[1];
    reader->inlined_line = (uint32_t)inlined[1];
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
    if (!statement->guard || !read_operand(reader, statement->guard))
        return false;
    if (statement->guard->kind != SMC_OPERAND_REGISTER || statement->guard->type != SMC_PTX_PRED)
        return complain(reader, "a guard that is not a predicate");
    return true;
}

/* The "(a), f, (b)" of a call. It is not parsed further, because calls are refused by name. */
static bool skip_operands(struct reader *reader)
{
    while (!at_token(reader, ";") && reader->token.kind != SMC_TOKEN_END)
        advance(reader);
    return true;
}

static bool read_operands(struct reader *reader, struct smc_ptx_statement *statement)
{
    if (smc_span_is(statement->opcode, "call"))
        return skip_operands(reader);
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
        if (!read_operand(reader, &statement->operand[statement->operands++]))
            return false;
    } while (accept(reader, ","));
    return true;
}

static bool read_instruction(struct reader *reader)
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
    module->statement = smc_arena_grow(&module->arena, module->statement, module->statements,
                                       &module->statement_room, sizeof *module->statement);
    if (!module->statement)
        return false;
    module->statement[module->statements++] = statement;
    return true;
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
        return read_loc(reader);
    if (accept(reader, ".file"))
        return read_file(reader);
    if (accept(reader, ".extern"))
        return expect(reader, ".shared") && declare(reader, SMC_SPACE_SHARED, true);
    if (accept(reader, ".pragma") || accept(reader, ".param") || accept(reader, ".callprototype"))
        return skip_operands(reader) && expect(reader, ";");
    return read_instruction(reader);
}

/* The body of the kernel, from after its '{' to its '}'. */
static bool read_body(struct reader *reader)
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

/* Skips a function's body, up to the '}' that matches the '{' before the next token. */
static bool skip_body(struct reader *reader)
{
    for (size_t depth = 1; depth > 0; advance(reader)) {
        if (reader->token.kind == SMC_TOKEN_END)
            return complain(reader, "a '}' is missing");
        depth += at_token(reader, "{");
        depth -= at_token(reader, "}");
    }
    return true;
}

/* Skips from a function's name to its body; returns true if there is a body. */
static bool skip_head(struct reader *reader)
{
    while (reader->token.kind != SMC_TOKEN_END) {
        if (accept(reader, ";"))
            return false;
        if (accept(reader, "{"))
            return true;
        advance(reader);
    }
    return false;
}

static bool read_parameters(struct reader *reader)
{
    if (!accept(reader, "(") || accept(reader, ")"))
        return true;
    do {
        if (!expect(reader, ".param") || !declare_parameter(reader))
            return false;
    } while (accept(reader, ","));
    return expect(reader, ")");
}

static bool read_kernel(struct reader *reader, const char *wanted)
{
    struct smc_ptx_module *module = reader->module;
    struct smc_span name = reader->token.text;
    if (reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "a kernel has no name");
    advance(reader);
    if (wanted && !smc_span_is(name, wanted))
        return !skip_head(reader) || skip_body(reader);
    if (module->entry.at)
        return complain(reader, "there are several kernels: name one");
    module->entry = name;
    uint32_t outside = reader->scope;
    bool read = new_scope(reader, outside) && read_parameters(reader);
    if (read && !skip_head(reader))
        read = complain(reader, "the kernel has no body");
    read = read && read_body(reader);
    reader->scope = outside;
    return read;
}

static bool skip_past(struct reader *reader, const char *sign)
{
    while (reader->token.kind != SMC_TOKEN_END)
        if (accept(reader, sign))
            return true;
        else
            advance(reader);
    return complain(reader, "a '%s' is missing", sign);
}

/* .section .debug_info { ... } */
static bool skip_section(struct reader *reader)
{
    return skip_past(reader, "{") && skip_body(reader);
}

static bool read_directive(struct reader *reader, const char *wanted, bool *is_extern)
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
        return read_kernel(reader, wanted);
    if (accept(reader, ".func"))
        return !skip_head(reader) || skip_body(reader);
    if (accept(reader, ".file"))
        return read_file(reader);
    if (accept(reader, ".loc"))
        return read_loc(reader);
    if (accept(reader, ".section"))
        return skip_section(reader);
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

static bool read_module(struct reader *reader, const char *wanted)
{
    bool is_extern = false;
    if (!new_scope(reader, 0) || !read_preamble(reader))
        return false;
    while (reader->token.kind != SMC_TOKEN_END)
        if (!read_directive(reader, wanted, &is_extern))
            return false;
    if (reader->module->entry.at)
        return true;
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
    if (read_module(&reader, entry))
        return SMC_OK;
    return reader.failed ? SMC_USAGE : smc_out_of_memory(error);
}

void smc_ptx_free(struct smc_ptx_module *module)
{
    smc_arena_free(&module->arena);
}
