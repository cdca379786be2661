/* Reads an operand: %r1  !%p1  %r1|%p1  12  -0f3F800000  name+4  [%rd1+8]  {%r1, %r2}  _ */
#include <string.h>

#include "emulator/ptx_parts.h"

enum { MAX_ELEMENTS = 8, MAX_DEPTH = 4 };

static bool read_number(struct smc_ptx_reader *reader, struct smc_operand *operand, bool negative)
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
        return smc_ptx_complain(reader, "'%.*s' is not a number",
                                (int)(text.bytes < 80 ? text.bytes : 80), text.at);
    }
    smc_ptx_advance(reader);
    return true;
}

/* +4, -4, +-4 behind a name. */
static bool read_offset(struct smc_ptx_reader *reader, uint64_t *offset)
{
    bool minus = smc_ptx_at(reader, "-");
    *offset = 0;
    if (!smc_ptx_accept(reader, "+") && !smc_ptx_accept(reader, "-"))
        return true;
    if (!smc_ptx_integer(reader, offset))
        return false;
    *offset = minus ? -*offset : *offset;
    return true;
}

static bool is_special(struct smc_span name)
{
    return *name.at == '%';
}

static bool read_name(struct smc_ptx_reader *reader, struct smc_operand *operand)
{
    operand->name = reader->token.text;
    struct smc_ptx_symbol *symbol = smc_ptx_find_symbol(reader, operand->name);
    smc_ptx_advance(reader);
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

static bool new_elements(struct smc_ptx_reader *reader, struct smc_operand *operand, size_t count)
{
    operand->element = smc_arena_take(&reader->module->arena, count * sizeof *operand->element);
    return operand->element != NULL;
}

/* [base+offset], behind the '['. */
static bool read_address(struct smc_ptx_reader *reader, struct smc_operand *operand)
{
    operand->kind = SMC_OPERAND_ADDRESS;
    if (!new_elements(reader, operand, 1) || !smc_ptx_read_operand(reader, operand->element))
        return false;
    struct smc_operand *base = operand->element;
    operand->elements = 1;
    if (base->kind == SMC_OPERAND_REGISTER && !read_offset(reader, &operand->integer))
        return false;
    if (base->kind == SMC_OPERAND_SYMBOL) {
        operand->integer = base->integer;
        base->integer = 0;
    }
    if (base->kind == SMC_OPERAND_LABEL && smc_ptx_at(reader, "+"))
        return smc_ptx_complain(
            reader,
            "a parameter of a call (source line %u): functions that are called, "
            "printf and malloc among them, are not supported",
            reader->line);
    return smc_ptx_expect(reader, "]");
}

static bool read_vector(struct smc_ptx_reader *reader, struct smc_operand *operand)
{
    operand->kind = SMC_OPERAND_VECTOR;
    if (!new_elements(reader, operand, MAX_ELEMENTS))
        return false;
    do {
        if (operand->elements == MAX_ELEMENTS)
            return smc_ptx_complain(reader, "a vector of more than %d elements", MAX_ELEMENTS);
        if (!smc_ptx_read_operand(reader, &operand->element[operand->elements++]))
            return false;
    } while (smc_ptx_accept(reader, ","));
    return smc_ptx_expect(reader, "}");
}

static bool read_one(struct smc_ptx_reader *reader, struct smc_operand *operand)
{
    if (smc_ptx_accept(reader, "["))
        return read_address(reader, operand);
    if (smc_ptx_accept(reader, "{"))
        return read_vector(reader, operand);
    bool negative = smc_ptx_accept(reader, "-");
    if (reader->token.kind == SMC_TOKEN_NUMBER)
        return read_number(reader, operand, negative);
    operand->negated = smc_ptx_accept(reader, "!");
    if (negative || reader->token.kind != SMC_TOKEN_WORD)
        return smc_ptx_complain(reader, "an operand expected");
    return read_name(reader, operand);
}

bool smc_ptx_read_operand(struct smc_ptx_reader *reader, struct smc_operand *operand)
{
    *operand = (struct smc_operand){0};
    if (++reader->depth > MAX_DEPTH)
        return smc_ptx_complain(reader, "operands are nested too deeply");
    bool read = read_one(reader, operand);
    if (read && smc_ptx_accept(reader, "|")) {
        operand->second = smc_arena_take(&reader->module->arena, sizeof *operand->second);
        read = operand->second && smc_ptx_read_operand(reader, operand->second);
    }
    reader->depth--;
    return read;
}
