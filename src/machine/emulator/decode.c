/* What the decoders share: modifiers, operands, and emitting ops. */
#include "machine/emulator/decode.h"

#include <stdio.h>
#include <string.h>

#include "machine/emulator/emulator_steps.h"
#include "machine/narrow.h"

bool smc_decode_refuse(struct smc_decoder *decoder, const char *why)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    size_t bytes = statement->text.bytes < 200 ? statement->text.bytes : 200;
    const char *file = statement->line ? smc_program_file(decoder->program, statement->file) : NULL;
    char source[200] = "";
    if (file)
        snprintf(source, sizeof source, " (%.150s:%u)", file, statement->line);
    if (!decoder->failed)
        smc_fail(decoder->error, SMC_USAGE, "PTX line %u%s: '%.*s' is not supported%s%s",
                 statement->ptx_line, source, (int)bytes, statement->text.at, *why ? ": " : "",
                 why);
    decoder->failed = true;
    return false;
}

bool smc_decode_is(const struct smc_decoder *decoder, const char *name)
{
    return smc_span_is(decoder->statement->opcode, name);
}

bool smc_decode_has(const struct smc_decoder *decoder, const char *name)
{
    for (uint32_t i = 0; i < decoder->statement->modifiers; i++)
        if (smc_span_is(decoder->statement->modifier[i], name))
            return true;
    return false;
}

enum smc_ptx_type smc_decode_type(const struct smc_decoder *decoder, unsigned n)
{
    for (uint32_t i = 0; i < decoder->statement->modifiers; i++) {
        enum smc_ptx_type type = smc_ptx_type_find(decoder->statement->modifier[i]);
        if (type != SMC_PTX_TYPE_COUNT && n-- == 0)
            return type;
    }
    return SMC_PTX_TYPE_COUNT;
}

bool smc_decode_known_type(struct smc_decoder *decoder, enum smc_ptx_type *type)
{
    *type = smc_decode_type(decoder, 0);
    return *type != SMC_PTX_TYPE_COUNT || smc_decode_refuse(decoder, "its type is unknown");
}

bool smc_decode_count(struct smc_decoder *decoder, unsigned least, unsigned most)
{
    uint32_t count = decoder->statement->operands;
    return (count >= least && count <= most) ||
           smc_decode_refuse(decoder, "another number of operands was expected");
}

enum smc_ptx_space smc_decode_space(const struct smc_decoder *decoder)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } names[] = {
        {"shared", SMC_SPACE_SHARED},
        {"shared::cta", SMC_SPACE_SHARED},
        {"local", SMC_SPACE_LOCAL},
        {"param", SMC_SPACE_PARAM},
        {"shared::cluster", SMC_SPACE_SHARED},
        {"global", SMC_SPACE_GLOBAL},
        {"const", SMC_SPACE_CONST},
        {"param::entry", SMC_SPACE_PARAM},
        {"param::func", SMC_SPACE_PARAM},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (smc_decode_has(decoder, names[i].name))
            return names[i].space;
    return SMC_SPACE_GENERIC;
}

/* --- Operands --------------------------------------------------------------------------------- */

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
    program->slot = smc_arena_grow(&program->arena, program->slot, program->slots,
                                   &program->slot_room, sizeof *program->slot);
    if (program->slot)
        program->slot[program->slots++] = (struct smc_slot){offset, kind};
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

/* %envreg0 to %envreg31. */
static bool is_environment(struct smc_span name)
{
    static const char prefix[] = "%envreg";
    const size_t bytes = sizeof prefix - 1;
    uint64_t number;
    if (name.bytes <= bytes || name.bytes > bytes + 2 || memcmp(name.at, prefix, bytes) != 0)
        return false;
    return smc_ptx_number_of((struct smc_span){name.at + bytes, name.bytes - bytes}, &number) &&
           number < 32;
}

static uint32_t special_slot(struct smc_decoder *decoder, const struct smc_operand *operand,
                             enum smc_slot_kind kind)
{
    static const char *const names[SMC_SPECIAL_COUNT] = {
#define SPECIAL(id, name) [SMC_SPECIAL_##id] = name,
#include "machine/emulator/specials.def"
    };
    for (int i = SMC_SPECIAL_CONSTANT + 1; i < SMC_SPECIAL_COUNT; i++)
        if (smc_span_is(operand->name, names[i])) {
            decoder->program->reads_reserved_smem |= i >= SMC_SPECIAL_RESERVED_SMEM_BEGIN;
            decoder->program->asks_cooperative |=
                i == SMC_SPECIAL_ENVREG_1 || i == SMC_SPECIAL_ENVREG_2;
            return fixed_slot(decoder, (enum smc_special)i, kind, 0);
        }
    if (is_environment(operand->name)) /* 0: the launch is not cooperative */
        return smc_decode_constant(decoder, kind, 0);
    return refuse(decoder, "this special register");
}

/* The bits of a number converted to the type. */
static uint64_t constant_bits(const struct smc_operand *operand, enum smc_ptx_type type)
{
    bool wants_float = smc_ptx_type_info[type].class == SMC_CLASS_FLOAT;
    uint64_t bits = operand->integer;
    if (operand->kind == SMC_OPERAND_FLOAT && operand->is_single && type == SMC_PTX_F64)
        bits = smc_bits_of_double((double)smc_float_of_bits((uint32_t)bits));
    else if (operand->kind == SMC_OPERAND_FLOAT && !operand->is_single && wants_float &&
             type != SMC_PTX_F64)
        bits = smc_bits_of_float((float)smc_double_of_bits(bits));
    return smc_slot_kind_of(type) == SMC_SLOT_64 ? bits : (uint32_t)bits;
}

static uint64_t decode_address_of(const struct smc_operand *operand)
{
    const struct smc_ptx_symbol *symbol = operand->symbol;
    return symbol->address + operand->integer;
}

/* A variable of a function has an address relative to the frame. */
static bool is_framed(const struct smc_ptx_symbol *symbol)
{
    return symbol->space == SMC_SPACE_LOCAL && symbol->function != 0;
}

static uint32_t symbol_slot(struct smc_decoder *decoder, const struct smc_operand *operand,
                            enum smc_slot_kind kind)
{
    struct smc_program *program = decoder->program;
    if (!is_framed(operand->symbol))
        return smc_decode_constant(decoder, kind, decode_address_of(operand));
    uint32_t offset = smc_decode_constant(decoder, SMC_SLOT_64, decode_address_of(operand));
    uint32_t sum = smc_slot_new(program, SMC_SLOT_64), low = smc_slot_new(program, SMC_SLOT_32);
    if (offset == SMC_NO_SLOT ||
        !smc_decode_emit_alu(decoder, smc_integer_add[SMC_PTX_U64], SMC_SLOT_64, sum,
                             program->frame_slot, offset, offset))
        return SMC_NO_SLOT;
    if (kind == SMC_SLOT_64)
        return sum;
    return smc_decode_emit_alu(decoder, smc_unpack_low, SMC_SLOT_32, low, sum, sum, sum)
               ? low
               : SMC_NO_SLOT;
}

static uint32_t register_slot(struct smc_decoder *decoder, const struct smc_operand *operand)
{
    uint32_t *slot = &decoder->slot_of_register[operand->number];
    if (operand->type == SMC_PTX_B128)
        return refuse(decoder, "registers of 128 bits");
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
        if (operand->selector.bytes && *decoder->statement->opcode.at != 'v')
            return refuse(decoder, "only video instructions have parts of registers");
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
        if ((*kind == SMC_SLOT_PREDICATE) != smc_span_is(operand->name, "%is_explicit_cluster"))
            return refuse(decoder, "no predicate");
        return special_slot(decoder, operand, *kind);
    case SMC_OPERAND_SYMBOL:
        if (*kind == SMC_SLOT_PREDICATE)
            return refuse(decoder, "no predicate");
        return symbol_slot(decoder, operand, *kind);
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
    if (operand->elements > 1)
        return smc_decode_refuse(decoder, "an address of several parts");
    const struct smc_operand *base = operand->element;
    enum smc_slot_kind kind;
    op->immediate = operand->integer;
    if (base->kind == SMC_OPERAND_INTEGER) {
        op->immediate = base->integer;
        op->a = smc_decode_constant(decoder, kind = SMC_SLOT_64, 0);
    } else if (base->kind == SMC_OPERAND_SYMBOL && is_framed(base->symbol)) {
        op->immediate += base->symbol->address;
        op->a = decoder->program->frame_slot;
        kind = SMC_SLOT_64;
    } else {
        op->a = smc_decode_any_source(decoder, base, SMC_PTX_U64, &kind);
    }
    if (op->a != SMC_NO_SLOT && kind == SMC_SLOT_PREDICATE)
        return smc_decode_refuse(decoder, "a predicate is not an address");
    op->address_is_32 = kind == SMC_SLOT_32;
    return op->a != SMC_NO_SLOT;
}

/* --- Ops -------------------------------------------------------------------------------------- */

/* Copies a negated source first, so that only the guard and operand c need support for negation. */
static uint32_t guard_of(struct smc_decoder *decoder, bool *negated)
{
    const struct smc_operand *guard = decoder->statement->guard;
    *negated = false;
    if (!guard)
        return SMC_NO_SLOT;
    *negated = guard->negated;
    uint32_t *slot = &decoder->slot_of_register[guard->number];
    if (*slot == SMC_NO_SLOT)
        *slot = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    return *slot;
}

struct smc_op *smc_decode_emit(struct smc_decoder *decoder)
{
    struct smc_program *program = decoder->program;
    program->op = smc_arena_grow(&program->arena, program->op, program->ops, &program->op_room,
                                 sizeof *program->op);
    if (!program->op)
        return NULL;
    struct smc_op *op = &program->op[program->ops++];
    *op = (struct smc_op){.instruction = decoder->instruction,
                          .is_first = !decoder->begun,
                          .target = SMC_NO_PC,
                          .reconverge_at = SMC_NO_PC};
    op->guard = guard_of(decoder, &op->guard_negated);
    decoder->begun = true;
    return op;
}

struct smc_op *smc_decode_emit_copy(struct smc_decoder *decoder, smc_step *step,
                                    const struct smc_op *shape)
{
    struct smc_op *op = smc_decode_emit(decoder);
    if (!op)
        return NULL;
    struct smc_op copy = *shape;
    copy.guard = op->guard;
    copy.guard_negated = op->guard_negated;
    copy.is_first = op->is_first;
    copy.instruction = op->instruction;
    copy.target = op->target;
    copy.reconverge_at = op->reconverge_at;
    copy.step = step;
    *op = copy;
    decoder->program->has_fences |= op->acquires || op->releases;
    return op;
}

bool smc_decode_emit_shape(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape)
{
    return !decoder->failed && shape->a != SMC_NO_SLOT && shape->b != SMC_NO_SLOT &&
           shape->c != SMC_NO_SLOT && shape->d != SMC_NO_SLOT &&
           smc_decode_emit_copy(decoder, step, shape);
}

struct smc_op *smc_decode_emit_alu(struct smc_decoder *decoder, smc_alu *alu,
                                   enum smc_slot_kind d_kind, uint32_t d, uint32_t a, uint32_t b,
                                   uint32_t c)
{
    if (d == SMC_NO_SLOT || a == SMC_NO_SLOT || b == SMC_NO_SLOT || c == SMC_NO_SLOT)
        return NULL;
    if (!alu) {
        smc_decode_refuse(decoder, "not for this type");
        return NULL;
    }
    struct smc_op *op = smc_decode_emit(decoder);
    if (!op)
        return NULL;
    op->alu = alu;
    op->d_kind = d_kind;
    op->d = d;
    op->a = a;
    op->b = b;
    op->c = c;
    return op;
}

struct smc_op *smc_decode_simple(struct smc_decoder *decoder, smc_alu *alu,
                                 enum smc_ptx_type d_type, unsigned sources,
                                 const enum smc_ptx_type *source_type)
{
    uint32_t slot[3] = {0};
    if (!alu || d_type == SMC_PTX_TYPE_COUNT) {
        smc_decode_refuse(decoder, "not for this type");
        return NULL;
    }
    if (!smc_decode_count(decoder, sources + 1, sources + 1))
        return NULL;
    const struct smc_operand *operand = decoder->statement->operand;
    for (unsigned i = 0; i < sources; i++) {
        slot[i] = smc_decode_source(decoder, &operand[1 + i], source_type[i]);
        if (slot[i] == SMC_NO_SLOT)
            return NULL;
    }
    for (unsigned i = sources; i < 3; i++) /* unused sources must be readable, too */
        slot[i] = slot[0];
    uint32_t d = smc_decode_target(decoder, &operand[0], d_type);
    return smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(d_type), d, slot[0], slot[1],
                               slot[2]);
}

bool smc_decode_uniform(struct smc_decoder *decoder, smc_alu *alu, enum smc_ptx_type type,
                        unsigned sources)
{
    const enum smc_ptx_type types[] = {type, type, type};
    return smc_decode_simple(decoder, alu, type, sources, types) != NULL;
}

enum smc_reduction smc_decode_reduction(const struct smc_decoder *decoder)
{
    static const struct {
        const char *name;
        enum smc_reduction reduction;
    } names[] = {
        {"add", SMC_REDUCE_ADD},       {"min", SMC_REDUCE_MIN},
        {"max", SMC_REDUCE_MAX},       {"and", SMC_REDUCE_AND},
        {"or", SMC_REDUCE_OR},         {"xor", SMC_REDUCE_XOR},
        {"inc", SMC_REDUCE_INC},       {"dec", SMC_REDUCE_DEC},
        {"exch", SMC_REDUCE_EXCHANGE}, {"cas", SMC_REDUCE_COMPARE_AND_SWAP},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (smc_decode_has(decoder, names[i].name))
            return names[i].reduction;
    return SMC_REDUCE_NONE;
}
