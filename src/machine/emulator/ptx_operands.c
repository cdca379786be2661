/* Reads the operands of PTX instructions, and finds the symbols that they name. */
#include <string.h>

#include "machine/emulator/ptx_reader.h"

static bool encloses(const struct smc_ptx_module *module, uint32_t outer, uint32_t inner)
{
    while (inner != outer && inner != 0)
        inner = module->scope_parent[inner];
    return inner == outer;
}

/* For %r21 of %r<22>: the number after the name. */
static bool ptx_operands_is_member(const struct smc_ptx_symbol *symbol, struct smc_span name)
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

struct smc_ptx_symbol *smc_ptx_find_symbol(const struct reader *reader, struct smc_span name)
{
    const struct smc_ptx_module *module = reader->module;
    for (size_t i = module->symbols; i > 0; i--) {
        struct smc_ptx_symbol *symbol = module->symbol[i - 1];
        bool named = symbol->registers ? ptx_operands_is_member(symbol, name)
                                       : smc_span_equal(symbol->name, name);
        if (named && encloses(module, symbol->scope, reader->scope))
            return symbol;
    }
    return NULL;
}

enum { MAX_ELEMENTS = 128, MAX_PARTS = 8, MAX_OPERAND_DEPTH = 4 };

static bool ptx_operands_read_number(struct reader *reader, struct smc_operand *operand,
                                     bool negative)
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

/* A part of a register, as video instructions have it: %r1.h0, %r1.b3210. */
static struct smc_ptx_symbol *find_selected(const struct reader *reader,
                                            struct smc_operand *operand)
{
    struct smc_span name = operand->name;
    const char *dot = memchr(name.at, '.', name.bytes);
    if (!dot || dot == name.at || dot + 1 == name.at + name.bytes || !strchr("bh", dot[1]))
        return NULL;
    name.bytes = (size_t)(dot - name.at);
    struct smc_ptx_symbol *symbol = smc_ptx_find_symbol(reader, name);
    if (!symbol || symbol->space != SMC_SPACE_REGISTER)
        return NULL;
    operand->selector = (struct smc_span){dot + 1, operand->name.bytes - name.bytes - 1};
    operand->name = name;
    return symbol;
}

static bool read_named_operand(struct reader *reader, struct smc_operand *operand)
{
    operand->name = reader->token.text;
    struct smc_ptx_symbol *symbol = smc_ptx_find_symbol(reader, operand->name);
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
        if (!symbol->is_used)
            symbol->used_line = reader->line;
        symbol->is_used = true;
        return read_offset(reader, &operand->integer);
    } else {
        operand->kind = *operand->name.at == '%' ? SMC_OPERAND_SPECIAL : SMC_OPERAND_LABEL;
    }
    return true;
}

static bool new_elements(struct reader *reader, struct smc_operand *operand, size_t count)
{
    operand->element = smc_arena_take(&reader->module->arena, count * sizeof *operand->element);
    return operand->element != NULL;
}

/* [base+offset], after the '['. */
static bool ptx_operands_read_address(struct reader *reader, struct smc_operand *operand)
{
    operand->kind = SMC_OPERAND_ADDRESS;
    if (!new_elements(reader, operand, MAX_PARTS) ||
        !smc_ptx_read_operand(reader, operand->element))
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
    while (accept(reader, ",")) /* [texture, {%r1, %r2}], [tensor, {%r1}]: refused by name later */
        if (operand->elements == MAX_PARTS ||
            !smc_ptx_read_operand(reader, &operand->element[operand->elements++]))
            return complain(reader, "an address of too many parts");
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
        if (!smc_ptx_read_operand(reader, &operand->element[operand->elements++]))
            return false;
    } while (accept(reader, ","));
    return expect(reader, "}");
}

static bool read_one(struct reader *reader, struct smc_operand *operand)
{
    if (accept(reader, "["))
        return ptx_operands_read_address(reader, operand);
    if (accept(reader, "{"))
        return read_vector(reader, operand);
    bool negative = accept(reader, "-");
    if (reader->token.kind == SMC_TOKEN_NUMBER)
        return ptx_operands_read_number(reader, operand, negative);
    operand->negated = accept(reader, "!");
    if (negative || reader->token.kind != SMC_TOKEN_WORD)
        return complain(reader, "an operand expected");
    return read_named_operand(reader, operand);
}

/* Any operand: %r1  !%p1  %r1|%p1  12  -0f3F800000  name+4  [%rd1+8]  {%r1, %r2}  _ */
bool smc_ptx_read_operand(struct reader *reader, struct smc_operand *operand)
{
    *operand = (struct smc_operand){0};
    if (++reader->depth > MAX_OPERAND_DEPTH)
        return complain(reader, "operands are nested too deeply");
    bool read = read_one(reader, operand);
    if (read && accept(reader, "|")) {
        operand->second = smc_arena_take(&reader->module->arena, sizeof *operand->second);
        read = operand->second && smc_ptx_read_operand(reader, operand->second);
    }
    reader->depth--;
    return read;
}
