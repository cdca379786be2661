/* Operands: from what is written to where it lies in the register file. */
#include <string.h>

#include "emulator/decode.h"
#include "emulator/ops.h"

enum smc_slot_kind smc_slot_kind_of(enum smc_ptx_type type)
{
    return type == SMC_PTX_PRED                 ? SMC_SLOT_PREDICATE
           : smc_ptx_type_info[type].bytes <= 4 ? SMC_SLOT_32
                                                : SMC_SLOT_64;
}

uint32_t smc_slot_new(struct smc_program *program, enum smc_slot_kind kind)
{
    static const uint32_t bytes[] = {
        [SMC_SLOT_PREDICATE] = 64, [SMC_SLOT_32] = 128, [SMC_SLOT_64] = 256};
    uint32_t offset = program->file_bytes;
    program->file_bytes += bytes[kind];
    return offset;
}

static uint32_t fixed_slot(struct smc_decoder *decoder, enum smc_special special,
                           enum smc_slot_kind kind, uint64_t bits)
{
    struct smc_program *program = decoder->program;
    for (size_t i = 0; i < program->fixed_count; i++) {
        const struct smc_fixed_slot *known = &program->fixed[i];
        if (known->special == special && known->kind == kind && known->bits == bits)
            return known->offset;
    }
    program->fixed = smc_arena_grow(&program->arena, program->fixed, program->fixed_count,
                                    &program->fixed_room, sizeof *program->fixed);
    if (!program->fixed)
        return SMC_NO_SLOT;
    uint32_t offset = smc_slot_new(program, kind);
    program->fixed[program->fixed_count++] = (struct smc_fixed_slot){offset, kind, special, bits};
    return offset;
}

uint32_t smc_decode_constant(struct smc_decoder *decoder, enum smc_slot_kind kind, uint64_t bits)
{
    return fixed_slot(decoder, SMC_SPECIAL_CONSTANT, kind, bits);
}

static uint32_t refuse(struct smc_decoder *decoder, const char *why)
{
    smc_decode_refuse(decoder, why);
    return SMC_NO_SLOT;
}

static uint32_t special_slot(struct smc_decoder *decoder, const struct smc_operand *operand,
                             enum smc_slot_kind kind)
{
    static const char *const names[SMC_SPECIAL_COUNT] = {
#define SPECIAL(id, name) [SMC_SPECIAL_##id] = name,
#include "emulator/specials.def"
#undef SPECIAL
    };
    for (int i = SMC_SPECIAL_CONSTANT + 1; i < SMC_SPECIAL_COUNT; i++)
        if (smc_span_is(operand->name, names[i]))
            return fixed_slot(decoder, (enum smc_special)i, kind, 0);
    return refuse(decoder, "this special register");
}

/* The bits of a number as the type has them. */
static uint64_t constant_bits(const struct smc_operand *operand, enum smc_ptx_type type)
{
    bool wants_float = smc_ptx_type_info[type].class == SMC_CLASS_FLOAT;
    uint64_t bits = operand->integer;
    if (operand->kind == SMC_OPERAND_FLOAT && operand->is_single && type == SMC_PTX_F64) {
        float narrow;
        memcpy(&narrow, &bits, sizeof narrow);
        double wide = (double)narrow;
        memcpy(&bits, &wide, sizeof wide);
    } else if (operand->kind == SMC_OPERAND_FLOAT && !operand->is_single && wants_float &&
               type != SMC_PTX_F64) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        float narrow = (float)wide;
        bits = 0;
        memcpy(&bits, &narrow, sizeof narrow);
    }
    return smc_slot_kind_of(type) == SMC_SLOT_64 ? bits : (uint32_t)bits;
}

static uint64_t address_of(const struct smc_operand *operand)
{
    const struct smc_ptx_symbol *symbol = operand->symbol;
    return symbol->address + operand->integer;
}

static uint32_t register_slot(struct smc_decoder *decoder, const struct smc_operand *operand)
{
    uint32_t *slot = &decoder->slot_of_register[operand->number];
    if (*slot == SMC_NO_SLOT)
        *slot = smc_slot_new(decoder->program, smc_slot_kind_of(operand->type));
    return *slot;
}

static uint32_t negated_copy(struct smc_decoder *decoder, uint32_t predicate)
{
    uint32_t copy = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    if (!smc_decode_emit_alu(decoder, smc_not_predicate, SMC_SLOT_PREDICATE, copy, predicate,
                             predicate, predicate))
        return SMC_NO_SLOT;
    return copy;
}

uint32_t smc_decode_any_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type, enum smc_slot_kind *kind)
{
    if (type == SMC_PTX_TYPE_COUNT)
        return refuse(decoder, "its type is unknown");
    *kind = smc_slot_kind_of(type);
    switch (operand->kind) {
    case SMC_OPERAND_REGISTER: {
        *kind = smc_slot_kind_of(operand->type);
        uint32_t slot = register_slot(decoder, operand);
        if (operand->negated && *kind != SMC_SLOT_PREDICATE)
            return refuse(decoder, "'!' is for predicates");
        return operand->negated ? negated_copy(decoder, slot) : slot;
    }
    case SMC_OPERAND_INTEGER:
    case SMC_OPERAND_FLOAT:
        if (*kind == SMC_SLOT_PREDICATE)
            return smc_decode_constant(decoder, *kind, operand->integer ? UINT32_MAX : 0);
        return smc_decode_constant(decoder, *kind, constant_bits(operand, type));
    case SMC_OPERAND_SPECIAL:
        if (*kind == SMC_SLOT_PREDICATE)
            return refuse(decoder, "no predicate");
        return special_slot(decoder, operand, *kind);
    case SMC_OPERAND_SYMBOL:
        if (*kind == SMC_SLOT_PREDICATE)
            return refuse(decoder, "no predicate");
        return smc_decode_constant(decoder, *kind, address_of(operand));
    case SMC_OPERAND_LABEL:
        if (smc_span_is(operand->name, "WARP_SZ") && *kind != SMC_SLOT_PREDICATE)
            return smc_decode_constant(decoder, *kind, 32);
        return refuse(decoder, "a name that is not declared");
    default:
        return refuse(decoder, "a source of this form");
    }
}

uint32_t smc_decode_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                           enum smc_ptx_type type)
{
    enum smc_slot_kind kind;
    uint32_t slot = smc_decode_any_source(decoder, operand, type, &kind);
    if (slot != SMC_NO_SLOT && kind != smc_slot_kind_of(type))
        return refuse(decoder, "a source of another size than the type");
    return slot;
}

uint32_t smc_decode_any_target(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type, enum smc_slot_kind *kind)
{
    if (type == SMC_PTX_TYPE_COUNT)
        return refuse(decoder, "its type is unknown");
    *kind = smc_slot_kind_of(type);
    if (operand->kind == SMC_OPERAND_SINK)
        return smc_slot_new(decoder->program, *kind);
    if (operand->kind != SMC_OPERAND_REGISTER || operand->negated)
        return refuse(decoder, "a register to write to was expected");
    *kind = smc_slot_kind_of(operand->type);
    return register_slot(decoder, operand);
}

uint32_t smc_decode_target(struct smc_decoder *decoder, const struct smc_operand *operand,
                           enum smc_ptx_type type)
{
    enum smc_slot_kind kind;
    uint32_t slot = smc_decode_any_target(decoder, operand, type, &kind);
    if (slot != SMC_NO_SLOT && kind != smc_slot_kind_of(type))
        return refuse(decoder, "a register of another size than the type");
    return slot;
}

bool smc_decode_address(struct smc_decoder *decoder, const struct smc_operand *operand,
                        struct smc_op *op)
{
    if (operand->kind != SMC_OPERAND_ADDRESS)
        return smc_decode_refuse(decoder, "an address was expected");
    const struct smc_operand *base = operand->element;
    enum smc_slot_kind kind;
    op->immediate = operand->integer;
    if (base->kind == SMC_OPERAND_INTEGER) {
        op->immediate = base->integer;
        op->a = smc_decode_constant(decoder, kind = SMC_SLOT_64, 0);
    } else {
        op->a = smc_decode_any_source(decoder, base, SMC_PTX_U64, &kind);
    }
    if (op->a != SMC_NO_SLOT && kind == SMC_SLOT_PREDICATE)
        return smc_decode_refuse(decoder, "a predicate is no address");
    op->address_is_32 = kind == SMC_SLOT_32;
    return op->a != SMC_NO_SLOT;
}
