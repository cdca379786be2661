/* Choices and comparisons: selp, slct, setp, set. */
#include "machine/emulator/decode.h"
#include "machine/emulator/emulator_steps.h"

/* A half that begins at the bit, in single precision, which is exact. */
static uint32_t widened(struct smc_decoder *decoder, enum smc_ptx_type type, uint32_t from,
                        unsigned bit)
{
    uint32_t wide = smc_slot_new(decoder->program, SMC_SLOT_32);
    struct smc_op *op =
        smc_decode_emit_alu(decoder, smc_half_widen[type], SMC_SLOT_32, wide, from, from, from);
    if (!op)
        return SMC_NO_SLOT;
    op->immediate = bit;
    op->flushes = smc_decode_has(decoder, "ftz");
    return wide;
}

/* The source, or with .ftz a copy of it without subnormal numbers; a half as single precision. */
static uint32_t flushed_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type)
{
    uint32_t from = smc_decode_source(decoder, operand, type);
    if (from != SMC_NO_SLOT && smc_ptx_is_half(type))
        return widened(decoder, type, from, 0);
    if (from == SMC_NO_SLOT || type != SMC_PTX_F32 || !smc_decode_has(decoder, "ftz"))
        return from;
    uint32_t copy = smc_slot_new(decoder->program, SMC_SLOT_32);
    return smc_decode_emit_alu(decoder, smc_float_flush, SMC_SLOT_32, copy, from, from, from)
               ? copy
               : SMC_NO_SLOT;
}

/* --- Choices ---------------------------------------------------------------------------------- */

bool smc_decode_selp(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (type == SMC_PTX_PRED)
        return smc_decode_refuse(decoder, "");
    const enum smc_ptx_type sources[] = {type, type, SMC_PTX_PRED};
    bool wide = smc_slot_kind_of(type) == SMC_SLOT_64;
    return smc_decode_simple(decoder, wide ? smc_select_64 : smc_select_32, type, 3, sources) !=
           NULL;
}

bool smc_decode_slct(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    enum smc_ptx_type sign = smc_decode_type(decoder, 1);
    if (sign != SMC_PTX_S32 && sign != SMC_PTX_F32)
        return smc_decode_refuse(decoder, "");
    /* -0 and numbers that .ftz flushes to 0 count as not negative. */
    const struct smc_operand *operand = decoder->statement->operand;
    smc_alu *alu = sign == SMC_PTX_F32 ? smc_select_by_float_sign[type] : smc_select_by_sign[type];
    if (!smc_decode_count(decoder, 4, 4))
        return false;
    uint32_t a = smc_decode_source(decoder, &operand[1], type);
    uint32_t b = smc_decode_source(decoder, &operand[2], type);
    uint32_t c = flushed_source(decoder, &operand[3], sign);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    return smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(type), d, a, b, c) != NULL;
}

/* --- Comparisons ------------------------------------------------------------------------------ */

struct decoded_comparison {
    smc_alu *alu;
    enum smc_ptx_type type;
    uint64_t flags;
    uint32_t a, b, c;
};

/* The sources begin at operand 1. */
static bool read_comparison(struct smc_decoder *decoder, enum smc_ptx_type type,
                            struct decoded_comparison *comparison)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    bool negated = false;
    *comparison = (struct decoded_comparison){.type = type};
    if (!smc_decode_count(decoder, 3, 4))
        return false;
    enum smc_ptx_type compared = smc_ptx_is_half(type) ? SMC_PTX_F32 : type;
    for (uint32_t i = 0; i < statement->modifiers && !comparison->alu; i++)
        comparison->alu = smc_compare(statement->modifier[i].at, statement->modifier[i].bytes,
                                      compared, &negated);
    if (!comparison->alu)
        return smc_decode_refuse(decoder, "this comparison");
    if (negated)
        comparison->flags = SMC_COMPARE_NEGATED;
    comparison->a = flushed_source(decoder, &statement->operand[1], type);
    comparison->b = flushed_source(decoder, &statement->operand[2], type);
    comparison->c = comparison->a;
    if (comparison->a == SMC_NO_SLOT || comparison->b == SMC_NO_SLOT)
        return false;
    if (statement->operands == 3)
        return true;
    comparison->flags |= smc_decode_has(decoder, "and")  ? SMC_COMBINE_AND
                         : smc_decode_has(decoder, "or") ? SMC_COMBINE_OR
                                                         : SMC_COMBINE_XOR;
    comparison->c = smc_decode_source(decoder, &statement->operand[3], SMC_PTX_PRED);
    return comparison->c != SMC_NO_SLOT;
}

static bool is_pair_of_halves(enum smc_ptx_type type)
{
    return type == SMC_PTX_F16X2 || type == SMC_PTX_BF16X2;
}

/* After the comparison of the lower halves: the same of the upper ones. */
static bool read_upper(struct smc_decoder *decoder, struct decoded_comparison *comparison)
{
    const struct smc_operand *operand = decoder->statement->operand;
    uint32_t a = smc_decode_source(decoder, &operand[1], comparison->type);
    uint32_t b = smc_decode_source(decoder, &operand[2], comparison->type);
    if (a == SMC_NO_SLOT || b == SMC_NO_SLOT)
        return false;
    bool combines = comparison->c != comparison->a;
    comparison->a = widened(decoder, comparison->type, a, 16);
    comparison->b = widened(decoder, comparison->type, b, 16);
    if (!combines)
        comparison->c = comparison->a;
    return comparison->a != SMC_NO_SLOT && comparison->b != SMC_NO_SLOT;
}

static bool emit_comparison(struct smc_decoder *decoder,
                            const struct decoded_comparison *comparison, uint64_t flags, uint32_t d)
{
    struct smc_op *op = smc_decode_emit_alu(decoder, comparison->alu, SMC_SLOT_PREDICATE, d,
                                            comparison->a, comparison->b, comparison->c);
    if (op)
        op->immediate = flags;
    return op != NULL;
}

/* p|q: q is the opposite of p; of pairs of halves, the comparison of the upper ones. It is computed
   through a copy, because q may be the predicate that p is combined with. */
bool smc_decode_setp(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    struct decoded_comparison comparison;
    const struct smc_operand *target = &decoder->statement->operand[0];
    if (!read_comparison(decoder, type, &comparison))
        return false;
    uint32_t p = smc_decode_target(decoder, target, SMC_PTX_PRED);
    if (p == SMC_NO_SLOT)
        return false;
    if (!target->second)
        return emit_comparison(decoder, &comparison, comparison.flags, p);
    uint32_t q = smc_decode_target(decoder, target->second, SMC_PTX_PRED);
    uint32_t copy = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    if (is_pair_of_halves(type)) {
        struct decoded_comparison upper = comparison;
        return q != SMC_NO_SLOT && read_upper(decoder, &upper) &&
               emit_comparison(decoder, &upper, upper.flags, copy) &&
               emit_comparison(decoder, &comparison, comparison.flags, p) &&
               smc_decode_emit_alu(decoder, smc_move_predicate, SMC_SLOT_PREDICATE, q, copy, copy,
                                   copy);
    }
    return q != SMC_NO_SLOT &&
           emit_comparison(decoder, &comparison, comparison.flags ^ SMC_COMPARE_NEGATED, copy) &&
           emit_comparison(decoder, &comparison, comparison.flags, p) &&
           smc_decode_emit_alu(decoder, smc_move_predicate, SMC_SLOT_PREDICATE, q, copy, copy,
                               copy);
}

/* What set writes where the comparison holds, in the bits of one element. */
static uint64_t decode_compare_set_value(enum smc_ptx_type to, bool in_halves)
{
    if (to == SMC_PTX_F16 || to == SMC_PTX_F16X2)
        return 0x3c00;
    if (to == SMC_PTX_BF16 || to == SMC_PTX_BF16X2)
        return 0x3f80;
    return to == SMC_PTX_F32                               ? 0x3f800000
           : in_halves || smc_ptx_type_info[to].bytes == 2 ? 0xffff
                                                           : UINT32_MAX;
}

/* Writes the value to d where the comparison holds, else 0. */
static bool emit_set(struct smc_decoder *decoder, const struct decoded_comparison *comparison,
                     uint64_t value, uint32_t d)
{
    uint32_t holds = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    uint32_t yes = smc_decode_constant(decoder, SMC_SLOT_32, value);
    uint32_t no = smc_decode_constant(decoder, SMC_SLOT_32, 0);
    return yes != SMC_NO_SLOT && no != SMC_NO_SLOT &&
           emit_comparison(decoder, comparison, comparison->flags, holds) &&
           smc_decode_emit_alu(decoder, smc_select_32, SMC_SLOT_32, d, yes, no, holds);
}

bool smc_decode_set(struct smc_decoder *decoder, enum smc_ptx_type to)
{
    struct decoded_comparison comparison;
    enum smc_ptx_type type = smc_decode_type(decoder, 1);
    if (!read_comparison(decoder, type, &comparison))
        return false;
    bool pairs = is_pair_of_halves(type);
    if (smc_ptx_type_info[to].bytes > 4 || smc_ptx_type_info[to].bytes < 2 ||
        (is_pair_of_halves(to) && !pairs))
        return smc_decode_refuse(decoder, "a result of this type");
    uint32_t d = smc_decode_target(decoder, &decoder->statement->operand[0], to);
    uint64_t value = decode_compare_set_value(to, pairs);
    if (d == SMC_NO_SLOT)
        return false;
    if (!pairs)
        return emit_set(decoder, &comparison, value, d);
    struct decoded_comparison upper = comparison;
    uint32_t low = smc_slot_new(decoder->program, SMC_SLOT_32);
    uint32_t high = smc_slot_new(decoder->program, SMC_SLOT_32);
    return read_upper(decoder, &upper) && emit_set(decoder, &upper, value << 16, high) &&
           emit_set(decoder, &comparison, value, low) &&
           smc_decode_emit_alu(decoder, smc_bits_or[SMC_PTX_B32], SMC_SLOT_32, d, low, high, low);
}
