/* Decoders of moves, choices, comparisons and conversions. */
#include "emulator/address.h"
#include "emulator/decode_float.h"

static bool known_type(struct smc_decoder *decoder, enum smc_ptx_type *type)
{
    *type = smc_decode_type(decoder, 0);
    return *type != SMC_PTX_TYPE_COUNT || smc_decode_refuse(decoder, "its type is unknown");
}

static smc_alu *move_of(enum smc_ptx_type type)
{
    smc_alu *const moves[] = {[SMC_SLOT_PREDICATE] = smc_move_predicate,
                              [SMC_SLOT_32] = smc_move_32,
                              [SMC_SLOT_64] = smc_move_64};
    return moves[smc_slot_kind_of(type)];
}

/* --- mov -------------------------------------------------------------------------------------- */

static smc_alu *pack_of(enum smc_ptx_type half)
{
    return half == SMC_PTX_B32 ? smc_pack_32 : half == SMC_PTX_B16 ? smc_pack_16 : NULL;
}

static enum smc_ptx_type half_of(enum smc_ptx_type type)
{
    unsigned bytes = smc_ptx_type_info[type].bytes;
    return bytes == 8 ? SMC_PTX_B32 : bytes == 4 ? SMC_PTX_B16 : SMC_PTX_TYPE_COUNT;
}

/* Joins 2 or 4 elements, the first one lowest. */
static uint32_t pack(struct smc_decoder *decoder, const struct smc_operand *element, uint32_t count,
                     enum smc_ptx_type type)
{
    enum smc_ptx_type half = half_of(type);
    if (count == 1)
        return smc_decode_source(decoder, element, type);
    if (half == SMC_PTX_TYPE_COUNT || count % 2) {
        smc_decode_refuse(decoder, "a vector of this form");
        return SMC_NO_SLOT;
    }
    uint32_t low = pack(decoder, element, count / 2, half);
    uint32_t high = pack(decoder, element + count / 2, count / 2, half);
    if (low == SMC_NO_SLOT || high == SMC_NO_SLOT)
        return SMC_NO_SLOT;
    uint32_t joined = smc_slot_new(decoder->program, smc_slot_kind_of(type));
    return smc_decode_emit_alu(decoder, pack_of(half), smc_slot_kind_of(type), joined, low, high,
                               low)
               ? joined
               : SMC_NO_SLOT;
}

static bool unpack(struct smc_decoder *decoder, const struct smc_operand *element, uint32_t count,
                   enum smc_ptx_type type, uint32_t from)
{
    enum smc_ptx_type half = half_of(type);
    if (count == 1) {
        uint32_t d = smc_decode_target(decoder, element, type);
        return d != SMC_NO_SLOT && smc_decode_emit_alu(decoder, move_of(type),
                                                       smc_slot_kind_of(type), d, from, from, from);
    }
    if (half == SMC_PTX_TYPE_COUNT || count % 2)
        return smc_decode_refuse(decoder, "a vector of this form");
    for (uint32_t i = 0; i < 2; i++) {
        smc_alu *const parts[2][2] = {{smc_unpack_low_16, smc_unpack_high_16},
                                      {smc_unpack_low, smc_unpack_high}};
        uint32_t part = smc_slot_new(decoder->program, SMC_SLOT_32);
        if (!smc_decode_emit_alu(decoder, parts[half == SMC_PTX_B32][i], SMC_SLOT_32, part, from,
                                 from, from) ||
            !unpack(decoder, element + i * (count / 2), count / 2, half, part))
            return false;
    }
    return true;
}

bool smc_decode_mov(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_type type;
    if (!known_type(decoder, &type) || !smc_decode_count(decoder, 2, 2))
        return false;
    if (operand[1].kind == SMC_OPERAND_SPECIAL && smc_decode_clock(decoder))
        return !decoder->failed;
    uint32_t from = operand[1].kind == SMC_OPERAND_VECTOR
                        ? pack(decoder, operand[1].element, operand[1].elements, type)
                        : smc_decode_source(decoder, &operand[1], type);
    if (from == SMC_NO_SLOT)
        return false;
    if (operand[0].kind == SMC_OPERAND_VECTOR) {
        /* Copied first: an element may be the source itself. */
        uint32_t copy = smc_slot_new(decoder->program, smc_slot_kind_of(type));
        return smc_decode_emit_alu(decoder, move_of(type), smc_slot_kind_of(type), copy, from, from,
                                   from) &&
               unpack(decoder, operand[0].element, operand[0].elements, type, copy);
    }
    return unpack(decoder, &operand[0], 1, type, from);
}

/* --- Addresses -------------------------------------------------------------------------------- */

enum smc_ptx_space smc_decode_space(const struct smc_decoder *decoder)
{
    static const struct {
        const char *name;
        enum smc_ptx_space space;
    } names[] = {
        {"shared", SMC_SPACE_SHARED}, {"shared::cta", SMC_SPACE_SHARED}, {"local", SMC_SPACE_LOCAL},
        {"param", SMC_SPACE_PARAM},   {"global", SMC_SPACE_GLOBAL},      {"const", SMC_SPACE_CONST},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (smc_decode_has(decoder, names[i].name))
            return names[i].space;
    return SMC_SPACE_GENERIC;
}

/* Adds where the window begins, or takes it off; modulo 2^32 for short addresses. */
bool smc_decode_cvta(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_type type;
    enum smc_ptx_space space = smc_decode_space(decoder);
    if (!known_type(decoder, &type) || !smc_decode_count(decoder, 2, 2))
        return false;
    if (space == SMC_SPACE_GENERIC)
        return smc_decode_refuse(decoder, "this space");
    uint64_t window = smc_window_of(space);
    if (smc_decode_has(decoder, "to"))
        window = -window;
    uint32_t from = smc_decode_source(decoder, &operand[1], type);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    uint32_t shift = smc_decode_constant(decoder, SMC_SLOT_64, window);
    if (from == SMC_NO_SLOT || d == SMC_NO_SLOT || shift == SMC_NO_SLOT)
        return false;
    smc_alu *alu = window ? smc_integer_add[type] : move_of(type);
    return smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(type), d, from, shift, from) != NULL;
}

/* A policy says how long L2 is to keep what is accessed: of no effect here, whatever its value. */
bool smc_decode_createpolicy(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 4))
        return false;
    uint32_t policy = smc_decode_constant(decoder, SMC_SLOT_64, 0);
    uint32_t d = smc_decode_target(decoder, &decoder->statement->operand[0], SMC_PTX_B64);
    return policy != SMC_NO_SLOT && d != SMC_NO_SLOT &&
           smc_decode_emit_alu(decoder, move_of(SMC_PTX_B64), SMC_SLOT_64, d, policy, policy,
                               policy);
}

bool smc_decode_isspacep(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_space space = smc_decode_space(decoder);
    bool negated;
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    if (space == SMC_SPACE_GENERIC || space == SMC_SPACE_CONST)
        return smc_decode_refuse(decoder, "this space");
    uint32_t address = smc_decode_source(decoder, &operand[1], SMC_PTX_U64);
    uint32_t d = smc_decode_target(decoder, &operand[0], SMC_PTX_PRED);
    uint32_t bits = smc_decode_constant(decoder, SMC_SLOT_32, 32);
    uint32_t least = smc_decode_constant(decoder, SMC_SLOT_64, SMC_VARIABLES_BASE >> 32);
    uint32_t window = smc_decode_constant(decoder, SMC_SLOT_64, smc_window_of(space) >> 32);
    if (address == SMC_NO_SLOT || d == SMC_NO_SLOT || bits == SMC_NO_SLOT || least == SMC_NO_SLOT ||
        window == SMC_NO_SLOT)
        return false;
    uint32_t high = smc_slot_new(decoder->program, SMC_SLOT_64);
    bool global = space == SMC_SPACE_GLOBAL;
    smc_alu *compare = smc_compare(global ? "ge" : "eq", 2, SMC_PTX_U64, &negated);
    return smc_decode_emit_alu(decoder, smc_bits_shr[SMC_PTX_U64], SMC_SLOT_64, high, address, bits,
                               bits) &&
           smc_decode_emit_alu(decoder, compare, SMC_SLOT_PREDICATE, d, high,
                               global ? least : window, d);
}

/* --- cvt -------------------------------------------------------------------------------------- */

bool smc_decode_cvt(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.type = smc_decode_type(decoder, 0),
                           .immediate = smc_decode_type(decoder, 1),
                           .saturates = smc_decode_has(decoder, "sat"),
                           .flushes = smc_decode_has(decoder, "ftz")};
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    if (shape.type == SMC_PTX_TYPE_COUNT || shape.immediate == SMC_PTX_TYPE_COUNT ||
        shape.type == SMC_PTX_F16X2 || shape.type == SMC_PTX_BF16X2 ||
        smc_decode_has(decoder, "relu") || smc_decode_has(decoder, "satfinite"))
        return smc_decode_refuse(decoder, "");
    uint32_t from = smc_decode_any_source(decoder, &operand[1], (enum smc_ptx_type)shape.immediate,
                                          &shape.v_kind[0]);
    uint32_t d = smc_decode_any_target(decoder, &operand[0], shape.type, &shape.d_kind);
    if (from == SMC_NO_SLOT || d == SMC_NO_SLOT)
        return false;
    if (shape.v_kind[0] == SMC_SLOT_PREDICATE || shape.d_kind == SMC_SLOT_PREDICATE)
        return smc_decode_refuse(decoder, "a predicate");
    shape.rounding = smc_decode_rounding(decoder, &shape.to_integral);
    smc_alu *fast = smc_convert_fast(&shape);
    struct smc_op *op =
        smc_decode_emit_alu(decoder, fast ? fast : smc_convert, shape.d_kind, d, from, from, from);
    if (!op)
        return false;
    op->type = shape.type;
    op->immediate = shape.immediate;
    op->saturates = shape.saturates;
    op->flushes = shape.flushes;
    op->rounding = shape.rounding;
    op->to_integral = shape.to_integral;
    op->v_kind[0] = shape.v_kind[0];
    return true;
}

/* The source, or with .ftz a copy of it without subnormal numbers. */
static uint32_t flushed_source(struct smc_decoder *decoder, const struct smc_operand *operand,
                               enum smc_ptx_type type)
{
    uint32_t from = smc_decode_source(decoder, operand, type);
    if (from == SMC_NO_SLOT || type != SMC_PTX_F32 || !smc_decode_has(decoder, "ftz"))
        return from;
    uint32_t copy = smc_slot_new(decoder->program, SMC_SLOT_32);
    return smc_decode_emit_alu(decoder, smc_float_flush, SMC_SLOT_32, copy, from, from, from)
               ? copy
               : SMC_NO_SLOT;
}

/* --- Choices ---------------------------------------------------------------------------------- */

bool smc_decode_selp(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type) || type == SMC_PTX_PRED)
        return smc_decode_refuse(decoder, "");
    const enum smc_ptx_type sources[] = {type, type, SMC_PTX_PRED};
    bool wide = smc_slot_kind_of(type) == SMC_SLOT_64;
    return smc_decode_simple(decoder, wide ? smc_select_64 : smc_select_32, type, 3, sources) !=
           NULL;
}

bool smc_decode_slct(struct smc_decoder *decoder)
{
    enum smc_ptx_type type, sign = smc_decode_type(decoder, 1);
    if (!known_type(decoder, &type) || (sign != SMC_PTX_S32 && sign != SMC_PTX_F32))
        return smc_decode_refuse(decoder, "");
    /* -0 and numbers that .ftz makes 0 count as not negative. */
    const struct smc_operand *operand = decoder->statement->operand;
    smc_alu *alu = sign == SMC_PTX_F32 ? smc_select_by_float_sign[type] : smc_select_by_sign[type];
    if (!smc_decode_count(decoder, 4, 4))
        return false;
    uint32_t a = smc_decode_source(decoder, &operand[1], type);
    uint32_t b = smc_decode_source(decoder, &operand[2], type);
    uint32_t c = flushed_source(decoder, &operand[3], sign);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    if (a == SMC_NO_SLOT || b == SMC_NO_SLOT || c == SMC_NO_SLOT || d == SMC_NO_SLOT)
        return false;
    return smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(type), d, a, b, c) != NULL;
}

/* --- Comparisons ------------------------------------------------------------------------------ */

struct comparison {
    smc_alu *alu;
    enum smc_ptx_type type;
    uint64_t flags;
    uint32_t a, b, c;
};

/* The sources begin at operand 1. */
static bool read_comparison(struct smc_decoder *decoder, enum smc_ptx_type type,
                            struct comparison *comparison)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    bool negated = false;
    *comparison = (struct comparison){.type = type};
    if (!smc_decode_count(decoder, 3, 4))
        return false;
    for (uint32_t i = 0; i < statement->modifiers && !comparison->alu; i++)
        comparison->alu =
            smc_compare(statement->modifier[i].at, statement->modifier[i].bytes, type, &negated);
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

static bool emit_comparison(struct smc_decoder *decoder, const struct comparison *comparison,
                            uint64_t flags, uint32_t d)
{
    struct smc_op *op = smc_decode_emit_alu(decoder, comparison->alu, SMC_SLOT_PREDICATE, d,
                                            comparison->a, comparison->b, comparison->c);
    if (op)
        op->immediate = flags;
    return op != NULL;
}

/* p|q: q is the opposite, by way of a copy, as q may be what p is combined with. */
bool smc_decode_setp(struct smc_decoder *decoder)
{
    struct comparison comparison;
    enum smc_ptx_type type;
    const struct smc_operand *target = &decoder->statement->operand[0];
    if (!known_type(decoder, &type) || !read_comparison(decoder, type, &comparison))
        return false;
    uint32_t p = smc_decode_target(decoder, target, SMC_PTX_PRED);
    if (p == SMC_NO_SLOT)
        return false;
    if (!target->second)
        return emit_comparison(decoder, &comparison, comparison.flags, p);
    uint32_t q = smc_decode_target(decoder, target->second, SMC_PTX_PRED);
    uint32_t copy = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    return q != SMC_NO_SLOT &&
           emit_comparison(decoder, &comparison, comparison.flags ^ SMC_COMPARE_NEGATED, copy) &&
           emit_comparison(decoder, &comparison, comparison.flags, p) &&
           smc_decode_emit_alu(decoder, smc_move_predicate, SMC_SLOT_PREDICATE, q, copy, copy,
                               copy);
}

bool smc_decode_set(struct smc_decoder *decoder)
{
    struct comparison comparison;
    enum smc_ptx_type to, type = smc_decode_type(decoder, 1);
    if (!known_type(decoder, &to) || !read_comparison(decoder, type, &comparison))
        return false;
    if (smc_ptx_type_info[to].bytes != 4)
        return smc_decode_refuse(decoder, "a result that is not of 32 bits");
    uint32_t holds = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    uint32_t d = smc_decode_target(decoder, &decoder->statement->operand[0], to);
    return d != SMC_NO_SLOT && emit_comparison(decoder, &comparison, comparison.flags, holds) &&
           smc_decode_emit_alu(decoder, to == SMC_PTX_F32 ? smc_set_float : smc_set_bits,
                               SMC_SLOT_32, d, holds, holds, holds);
}
