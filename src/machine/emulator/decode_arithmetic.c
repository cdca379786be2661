/* Decoders of arithmetic, bit operations, moves and conversions. */
#include "machine/emulator/decode.h"

#include "machine/emulator/emulator_steps.h"

/* --- Floating point --------------------------------------------------------------------------- */

/* .rn .rz .rm .rp, or rounding to an integer: .rni .rzi .rmi .rpi (then `integral` is set). */
static enum smc_rounding decode_arithmetic_rounding_of(const struct smc_decoder *decoder,
                                                       bool *integral)
{
    static const char *const names[][2] = {
        [SMC_ROUND_NEAREST] = {"rn", "rni"},
        [SMC_ROUND_ZERO] = {"rz", "rzi"},
        [SMC_ROUND_DOWN] = {"rm", "rmi"},
        [SMC_ROUND_UP] = {"rp", "rpi"},
    };
    *integral = false;
    for (int i = SMC_ROUND_NEAREST; i <= SMC_ROUND_UP; i++)
        for (int whole = 0; whole < 2; whole++)
            if (smc_decode_has(decoder, names[i][whole])) {
                *integral = whole;
                return (enum smc_rounding)i;
            }
    return SMC_ROUND_NEAREST;
}

static uint8_t finish_of(const struct smc_decoder *decoder)
{
    return (uint8_t)((smc_decode_has(decoder, "relu") ? SMC_FINISH_RELU : 0) |
                     (smc_decode_has(decoder, "satfinite") ? SMC_FINISH_FINITE : 0) |
                     (smc_decode_has(decoder, "NaN") ? SMC_FINISH_NAN : 0) |
                     (smc_decode_has(decoder, "xorsign") ? SMC_FINISH_XOR_SIGN : 0) |
                     (smc_decode_has(decoder, "rna") ? SMC_FINISH_TIES_AWAY : 0));
}

/* d = f(a, b...) of half precision or bfloat16. */
static bool decode_half(struct smc_decoder *decoder, smc_alu_by_type by_type, unsigned sources)
{
    enum smc_ptx_type type = smc_decode_type(decoder, 0), other = smc_decode_type(decoder, 1);
    const enum smc_ptx_type types[] = {type, type, type};
    if ((other != SMC_PTX_TYPE_COUNT && other != type) || smc_decode_has(decoder, "oob"))
        return smc_decode_refuse(decoder, "");
    struct smc_op *op = smc_decode_simple(decoder, by_type[type], type, sources, types);
    if (!op)
        return false;
    op->saturates = smc_decode_has(decoder, "sat");
    op->flushes = smc_decode_has(decoder, "ftz");
    op->finish = finish_of(decoder);
    return true;
}

/* d = f(a, b...) with the rounding, .ftz and .sat of the statement. */
static bool emit_float(struct smc_decoder *decoder, smc_alu *alu, enum smc_ptx_type type,
                       unsigned sources)
{
    const enum smc_ptx_type types[] = {type, type, type};
    bool integral;
    struct smc_op *op = smc_decode_simple(decoder, alu, type, sources, types);
    if (!op)
        return false;
    op->rounding = decode_arithmetic_rounding_of(decoder, &integral);
    op->saturates = smc_decode_has(decoder, "sat");
    op->flushes = smc_decode_has(decoder, "ftz");
    if (op->rounding != SMC_ROUND_NEAREST || op->saturates || op->flushes) {
        op->inner = op->alu;
        op->alu = smc_float_modified;
    }
    return true;
}

/* add.f32x2 and its like. */
static bool emit_pair(struct smc_decoder *decoder, smc_alu *single, unsigned sources)
{
    const enum smc_ptx_type types[] = {SMC_PTX_F32X2, SMC_PTX_F32X2, SMC_PTX_F32X2};
    bool integral;
    struct smc_op *op = smc_decode_simple(decoder, smc_float_pair, SMC_PTX_F32X2, sources, types);
    if (!op)
        return false;
    op->inner = single;
    op->rounding = decode_arithmetic_rounding_of(decoder, &integral);
    op->flushes = smc_decode_has(decoder, "ftz");
    return true;
}

/* add.f32.f16 d, a, c and its like: the sources but the last are widened first, which is exact. */
static bool emit_mixed(struct smc_decoder *decoder, smc_alu *alu, unsigned sources)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_type narrow = smc_decode_type(decoder, 1);
    uint32_t slot[3];
    bool integral;
    if (narrow != SMC_PTX_F16 && narrow != SMC_PTX_BF16)
        return smc_decode_refuse(decoder, "");
    if (!smc_decode_count(decoder, sources + 1, sources + 1))
        return false;
    for (unsigned i = 0; i < sources; i++) {
        bool last = i == sources - 1;
        slot[i] = smc_decode_source(decoder, &operand[1 + i], last ? SMC_PTX_F32 : narrow);
        if (slot[i] == SMC_NO_SLOT)
            return false;
        uint32_t wide = last ? slot[i] : smc_slot_new(decoder->program, SMC_SLOT_32);
        if (!last && !smc_decode_emit_alu(decoder, smc_half_widen[narrow], SMC_SLOT_32, wide,
                                          slot[i], slot[i], slot[i]))
            return false;
        slot[i] = wide;
    }
    uint32_t d = smc_decode_target(decoder, &operand[0], SMC_PTX_F32);
    struct smc_op *op = d == SMC_NO_SLOT
                            ? NULL
                            : smc_decode_emit_alu(decoder, smc_float_modified, SMC_SLOT_32, d,
                                                  slot[0], slot[1], slot[sources - 1]);
    if (!op)
        return false;
    op->inner = alu;
    op->rounding = decode_arithmetic_rounding_of(decoder, &integral);
    op->saturates = smc_decode_has(decoder, "sat");
    return true;
}

/* The same of an operation that pairs, halves and mixed operands have as well. */
static bool decode_sum(struct smc_decoder *decoder, enum smc_ptx_type type, smc_alu_by_type by_type,
                       smc_alu_by_type half_by_type, unsigned sources)
{
    enum smc_ptx_type other = smc_decode_type(decoder, 1);
    if (smc_ptx_is_half(type))
        return decode_half(decoder, half_by_type, sources);
    if (type == SMC_PTX_F32X2)
        return emit_pair(decoder, by_type[SMC_PTX_F32], sources);
    if (type == SMC_PTX_F32 && other != SMC_PTX_TYPE_COUNT)
        return emit_mixed(decoder, by_type[SMC_PTX_F32], sources);
    return emit_float(decoder, by_type[type], type, sources);
}

bool smc_decode_fma(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    smc_alu_by_type by_type = {
        [SMC_PTX_F32] = smc_float_fma(SMC_PTX_F32, (struct smc_fma_signs){0}),
        [SMC_PTX_F64] = smc_float_fma(SMC_PTX_F64, (struct smc_fma_signs){0})};
    return decode_sum(decoder, type, by_type, smc_half_fma, 3);
}

bool smc_decode_float1(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    static const struct {
        const char *name;
        smc_alu_by_type *approximate;
        smc_alu_by_type *rounded; /* without .approx; NULL: the same */
    } functions[] = {
        {"rcp", &smc_approximate_rcp, &smc_float_rcp},
        {"sqrt", &smc_approximate_sqrt, &smc_float_sqrt},
        {"rsqrt", &smc_approximate_rsqrt, NULL},
        {"ex2", &smc_approximate_ex2, NULL},
        {"lg2", &smc_approximate_lg2, NULL},
        {"sin", &smc_approximate_sin, NULL},
        {"cos", &smc_approximate_cos, NULL},
        {"tanh", &smc_approximate_tanh, NULL},
    };
    if (smc_ptx_is_half(type) && smc_decode_is(decoder, "ex2"))
        return decode_half(decoder, smc_half_ex2, 1);
    if (smc_ptx_is_half(type) && smc_decode_is(decoder, "tanh"))
        return decode_half(decoder, smc_half_tanh, 1);
    const bool is_approximate = smc_decode_has(decoder, "approx");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (smc_decode_is(decoder, functions[i].name))
            return emit_float(decoder,
                              (functions[i].rounded && !is_approximate
                                   ? *functions[i].rounded
                                   : *functions[i].approximate)[type],
                              type, 1);
    return smc_decode_refuse(decoder, "");
}

bool smc_decode_copysign(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    return emit_float(decoder, smc_float_copysign[type], type, 2);
}

bool smc_decode_testp(struct smc_decoder *decoder)
{
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    const struct smc_ptx_statement *statement = decoder->statement;
    for (uint32_t i = 0; i < statement->modifiers; i++) {
        struct smc_span name = statement->modifier[i];
        smc_alu *alu = smc_float_testp(name.at, name.bytes, type);
        if (alu)
            return smc_decode_simple(decoder, alu, SMC_PTX_PRED, 1, &type) != NULL;
    }
    return smc_decode_refuse(decoder, "");
}

/* --- Sums that are fused with a product (contract.c) ------------------------------------------ */

bool smc_decode_kept_factors(struct smc_decoder *decoder, struct smc_contraction *contraction)
{
    const struct smc_operand *operand = decoder->statement->operand;
    for (unsigned i = 0; i < 2; i++) {
        if (!contraction->keeps[i])
            continue;
        enum smc_ptx_type type = smc_decode_type(decoder, 0);
        enum smc_slot_kind kind = smc_slot_kind_of(type);
        uint32_t factor = smc_decode_source(decoder, &operand[1 + i], type);
        contraction->kept[i] = smc_slot_new(decoder->program, kind);
        bool begun = decoder->begun;
        decoder->begun = true; /* not counted: a GPU needs no copy */
        if (factor == SMC_NO_SLOT ||
            !smc_decode_emit_alu(decoder, kind == SMC_SLOT_32 ? smc_move_32 : smc_move_64, kind,
                                 contraction->kept[i], factor, factor, factor))
            return false;
        decoder->begun = begun;
    }
    return true;
}

/* d = +-(a * b) +- c, where a and b are the factors of an earlier mul. */
static bool decode_fused_sum(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_contraction *fused = &decoder->contraction[decoder->instruction];
    const struct smc_contraction *product = &decoder->contraction[fused->product - 1];
    const struct smc_operand *factor =
        &decoder->program->module.statement[fused->product - 1].operand[1];
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_fma_signs minus = {fused->negates_product, fused->negates_addend};
    bool is_pair = type == SMC_PTX_F32X2, is_half = smc_ptx_is_half(type);
    smc_alu *alu =
        is_half ? smc_half_fused(type, minus) : smc_float_fma(is_pair ? SMC_PTX_F32 : type, minus);
    uint32_t slot[3];
    for (unsigned i = 0; i < 2; i++)
        slot[i] =
            product->keeps[i] ? product->kept[i] : smc_decode_source(decoder, &factor[i], type);
    slot[2] = smc_decode_source(decoder, &operand[fused->addend], type);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    struct smc_op *op =
        smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(type), d, slot[0], slot[1], slot[2]);
    if (!op)
        return false;
    op->saturates = smc_decode_has(decoder, "sat");
    op->flushes = smc_decode_has(decoder, "ftz");
    if (is_pair || (!is_half && (op->saturates || op->flushes))) {
        op->inner = alu;
        op->alu = is_pair ? smc_float_pair : smc_float_modified;
    }
    return true;
}

/* --- Arithmetic that integers and floating point share ---------------------------------------- */

static bool is_float(enum smc_ptx_type type)
{
    return type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[type].class == SMC_CLASS_FLOAT;
}

/* The carry between instructions: one predicate per warp. */
static uint32_t carry_slot(struct smc_decoder *decoder)
{
    if (!decoder->carry_slot)
        decoder->carry_slot = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    return decoder->carry_slot;
}

/* d = a +- b +- carry. The carry out is computed first, because d may be a source. */
static bool emit_with_carry(struct smc_decoder *decoder, enum smc_ptx_type type, bool subtracts,
                            bool carries_in, uint32_t a, uint32_t b)
{
    uint32_t d = smc_decode_target(decoder, &decoder->statement->operand[0], type);
    uint32_t none = smc_decode_constant(decoder, SMC_SLOT_PREDICATE, 0);
    uint32_t in = carries_in ? carry_slot(decoder) : none, out = none;
    enum smc_slot_kind kind = smc_slot_kind_of(type);
    bool carries_out = smc_decode_has(decoder, "cc");
    smc_alu *sum = subtracts ? smc_sub_borrow[type] : smc_add_carry[type];
    smc_alu *carry = subtracts ? smc_borrow_of_sub[type] : smc_carry_of_add[type];
    if (carries_out) {
        out = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
        if (!smc_decode_emit_alu(decoder, carry, SMC_SLOT_PREDICATE, out, a, b, in))
            return false;
    }
    return smc_decode_emit_alu(decoder, sum, kind, d, a, b, in) &&
           (!carries_out || smc_decode_emit_alu(decoder, smc_move_predicate, SMC_SLOT_PREDICATE,
                                                carry_slot(decoder), out, out, out));
}

static bool add_with_carry(struct smc_decoder *decoder, enum smc_ptx_type type, bool subtracts,
                           bool carries_in)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 3, 3))
        return false;
    return emit_with_carry(decoder, type, subtracts, carries_in,
                           smc_decode_source(decoder, &operand[1], type),
                           smc_decode_source(decoder, &operand[2], type));
}

/* mad.cc and madc: the product, then a sum with carries. */
static bool mad_with_carry(struct smc_decoder *decoder, enum smc_ptx_type type, bool carries_in)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 4, 4))
        return false;
    smc_alu *alu =
        smc_decode_has(decoder, "hi") ? smc_integer_mul_hi[type] : smc_integer_mul_lo[type];
    enum smc_slot_kind kind = smc_slot_kind_of(type);
    uint32_t a = smc_decode_source(decoder, &operand[1], type);
    uint32_t b = smc_decode_source(decoder, &operand[2], type);
    uint32_t product = smc_slot_new(decoder->program, kind);
    return a != SMC_NO_SLOT && b != SMC_NO_SLOT &&
           smc_decode_emit_alu(decoder, alu, kind, product, a, b, a) &&
           emit_with_carry(decoder, type, false, carries_in, product,
                           smc_decode_source(decoder, &operand[3], type));
}

bool smc_decode_add(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    bool subtracts = smc_decode_is(decoder, "sub");
    if (decoder->contraction && decoder->contraction[decoder->instruction].product)
        return decode_fused_sum(decoder, type);
    if (is_float(type))
        return decode_sum(decoder, type, subtracts ? smc_float_sub : smc_float_add,
                          subtracts ? smc_half_sub : smc_half_add, 2);
    if (smc_decode_has(decoder, "cc"))
        return add_with_carry(decoder, type, subtracts, false);
    if (smc_decode_has(decoder, "sat"))
        return smc_decode_uniform(decoder, subtracts ? smc_integer_sub_sat : smc_integer_add_sat,
                                  type, 2);
    return smc_decode_uniform(decoder, subtracts ? smc_integer_sub[type] : smc_integer_add[type],
                              type, 2);
}

bool smc_decode_carry(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (smc_decode_is(decoder, "madc"))
        return mad_with_carry(decoder, type, true);
    return add_with_carry(decoder, type, smc_decode_is(decoder, "subc"), true);
}

static enum smc_ptx_type twice(enum smc_ptx_type type)
{
    return type == SMC_PTX_U16   ? SMC_PTX_U32
           : type == SMC_PTX_S16 ? SMC_PTX_S32
           : type == SMC_PTX_U32 ? SMC_PTX_U64
                                 : SMC_PTX_S64;
}

bool smc_decode_mul(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (is_float(type))
        return decode_sum(decoder, type, smc_float_mul, smc_half_mul, 2);
    const enum smc_ptx_type sources[] = {type, type};
    if (smc_decode_has(decoder, "wide"))
        return smc_decode_simple(decoder, smc_integer_mul_wide[type], twice(type), 2, sources) !=
               NULL;
    if (smc_decode_has(decoder, "hi"))
        return smc_decode_uniform(decoder, smc_integer_mul_hi[type], type, 2);
    return smc_decode_uniform(decoder, smc_integer_mul_lo[type], type, 2);
}

bool smc_decode_mad(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (is_float(type))
        return smc_decode_fma(decoder, type);
    const enum smc_ptx_type sources[] = {type, type, twice(type)};
    if (smc_decode_has(decoder, "cc"))
        return mad_with_carry(decoder, type, false);
    if (smc_decode_has(decoder, "wide"))
        return smc_decode_simple(decoder, smc_integer_mad_wide[type], twice(type), 3, sources) !=
               NULL;
    if (smc_decode_has(decoder, "hi"))
        return smc_decode_uniform(decoder,
                                  smc_decode_has(decoder, "sat") ? smc_integer_mad_hi_sat
                                                                 : smc_integer_mad_hi[type],
                                  type, 3);
    return smc_decode_uniform(decoder, smc_integer_mad_lo[type], type, 3);
}

bool smc_decode_div(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (is_float(type))
        return emit_float(decoder,
                          (smc_decode_has(decoder, "approx") ? smc_approximate_div
                           : smc_decode_has(decoder, "full") ? smc_approximate_div_full
                                                             : smc_float_div)[type],
                          type, 2);
    return smc_decode_uniform(
        decoder, smc_decode_is(decoder, "div") ? smc_integer_div[type] : smc_integer_rem[type],
        type, 2);
}

/* min and max; with three sources, the first two of them first. */
static bool decode_float_extreme(struct smc_decoder *decoder, enum smc_ptx_type type, bool least)
{
    smc_alu_by_type *const tables[2][2][2] = {
        {{&smc_float_max, &smc_float_max_xor}, {&smc_float_max_nan, &smc_float_max_nan_xor}},
        {{&smc_float_min, &smc_float_min_xor}, {&smc_float_min_nan, &smc_float_min_nan_xor}}};
    const struct smc_operand *operand = decoder->statement->operand;
    smc_alu *alu =
        (*tables[least][smc_decode_has(decoder, "NaN")][smc_decode_has(decoder, "xorsign")])[type];
    if (decoder->statement->operands < 4)
        return emit_float(decoder, alu, type, 2);
    if (!alu || smc_slot_kind_of(type) != SMC_SLOT_32 || smc_decode_has(decoder, "abs") ||
        !smc_decode_count(decoder, 4, 4))
        return smc_decode_refuse(decoder, "three sources of this form");
    uint32_t slot[3], first = smc_slot_new(decoder->program, SMC_SLOT_32);
    for (unsigned i = 0; i < 3; i++)
        slot[i] = smc_decode_source(decoder, &operand[1 + i], type);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    for (unsigned i = 0; i < 2; i++) {
        struct smc_op *op =
            smc_decode_emit_alu(decoder, smc_float_modified, SMC_SLOT_32, i ? d : first,
                                i ? first : slot[0], slot[1 + i], slot[1 + i]);
        if (!op)
            return false;
        op->inner = alu;
        op->flushes = smc_decode_has(decoder, "ftz");
    }
    return true;
}

bool smc_decode_extreme(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    bool least = smc_decode_is(decoder, "min");
    if (smc_ptx_is_half(type))
        return decode_half(decoder, least ? smc_half_min : smc_half_max, 2);
    if (is_float(type))
        return decode_float_extreme(decoder, type, least);
    if (smc_decode_has(decoder, "relu"))
        return smc_decode_uniform(
            decoder, least ? smc_integer_min_relu[type] : smc_integer_max_relu[type], type, 2);
    return smc_decode_uniform(decoder, least ? smc_integer_min[type] : smc_integer_max[type], type,
                              2);
}

bool smc_decode_sign(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    bool absolute = smc_decode_is(decoder, "abs");
    if (smc_ptx_is_half(type))
        return decode_half(decoder, absolute ? smc_half_abs : smc_half_neg, 1);
    if (is_float(type))
        return emit_float(decoder, (absolute ? smc_float_abs : smc_float_neg)[type], type, 1);
    return smc_decode_uniform(decoder, absolute ? smc_integer_abs[type] : smc_integer_neg[type],
                              type, 1);
}

bool smc_decode_sad(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    return smc_decode_uniform(decoder, smc_integer_sad[type], type, 3);
}

bool smc_decode_dp4a(struct smc_decoder *decoder)
{
    bool first = smc_decode_type(decoder, 0) == SMC_PTX_S32;
    bool second = smc_decode_type(decoder, 1) == SMC_PTX_S32;
    smc_alu *const alu[2][2] = {{smc_bits_dp4a_uu, smc_bits_dp4a_us},
                                {smc_bits_dp4a_su, smc_bits_dp4a_ss}};
    return smc_decode_uniform(decoder, alu[first][second], SMC_PTX_B32, 3);
}

/* dp2a.lo.s32.u32 */
bool smc_decode_dp2a(struct smc_decoder *decoder)
{
    static const enum smc_ptx_type types[] = {SMC_PTX_B32, SMC_PTX_B32, SMC_PTX_B32};
    struct smc_op *op = smc_decode_simple(decoder, smc_dp2a, SMC_PTX_B32, 3, types);
    if (op)
        op->immediate = (smc_decode_type(decoder, 0) == SMC_PTX_S32 ? SMC_DP2A_FIRST_SIGNED : 0) |
                        (smc_decode_type(decoder, 1) == SMC_PTX_S32 ? SMC_DP2A_SECOND_SIGNED : 0) |
                        (smc_decode_has(decoder, "hi") ? SMC_DP2A_HIGH : 0);
    return op != NULL;
}

/* mul24, and mad24: a product, then a sum. */
bool smc_decode_mul24(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    bool adds = smc_decode_is(decoder, "mad24");
    if (!smc_decode_count(decoder, 3 + adds, 3 + adds))
        return false;
    smc_alu *alu = smc_decode_has(decoder, "hi") ? smc_mul24_hi[type] : smc_mul24_lo[type];
    uint32_t a = smc_decode_source(decoder, &operand[1], type);
    uint32_t b = smc_decode_source(decoder, &operand[2], type);
    uint32_t c = adds ? smc_decode_source(decoder, &operand[3], type) : a;
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    uint32_t product = adds ? smc_slot_new(decoder->program, SMC_SLOT_32) : d;
    if (!smc_decode_emit_alu(decoder, alu, SMC_SLOT_32, product, a, b, a) || !adds)
        return !adds && !decoder->failed;
    smc_alu *sum = smc_decode_has(decoder, "sat") ? smc_integer_add_sat : smc_integer_add[type];
    return smc_decode_emit_alu(decoder, sum, SMC_SLOT_32, d, product, c, c) != NULL;
}

/* --- Bits ------------------------------------------------------------------------------------- */

bool smc_decode_bmsk(struct smc_decoder *decoder)
{
    bool wraps = smc_decode_has(decoder, "wrap");
    return smc_decode_uniform(decoder, wraps ? smc_bits_bmsk_wrap : smc_bits_bmsk_clamp,
                              SMC_PTX_B32, 2);
}

bool smc_decode_szext(struct smc_decoder *decoder)
{
    smc_alu *const alus[2][2] = {{smc_bits_szext_clamp_u, smc_bits_szext_wrap_u},
                                 {smc_bits_szext_clamp_s, smc_bits_szext_wrap_s}};
    bool is_signed = smc_decode_type(decoder, 0) == SMC_PTX_S32;
    return smc_decode_uniform(decoder, alus[is_signed][smc_decode_has(decoder, "wrap")],
                              SMC_PTX_B32, 2);
}

bool smc_decode_fns(struct smc_decoder *decoder)
{
    return smc_decode_uniform(decoder, smc_bits_fns, SMC_PTX_B32, 3);
}

bool smc_decode_logic(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    static const struct {
        const char *name;
        smc_alu_by_type *by_type;
        unsigned sources;
    } functions[] = {{"and", &smc_bits_and, 2},
                     {"or", &smc_bits_or, 2},
                     {"xor", &smc_bits_xor, 2},
                     {"not", &smc_bits_not, 1},
                     {"cnot", &smc_bits_cnot, 1}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (smc_decode_is(decoder, functions[i].name))
            return smc_decode_uniform(decoder, (*functions[i].by_type)[type], type,
                                      functions[i].sources);
    return smc_decode_refuse(decoder, "");
}

bool smc_decode_shift(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const enum smc_ptx_type sources[] = {type, SMC_PTX_U32};
    smc_alu *alu = smc_decode_is(decoder, "shl") ? smc_bits_shl[type] : smc_bits_shr[type];
    return smc_decode_simple(decoder, alu, type, 2, sources) != NULL;
}

bool smc_decode_shf(struct smc_decoder *decoder)
{
    bool left = smc_decode_has(decoder, "l"), wraps = smc_decode_has(decoder, "wrap");
    smc_alu *alu = left ? (wraps ? smc_bits_shf_l_wrap : smc_bits_shf_l_clamp)
                        : (wraps ? smc_bits_shf_r_wrap : smc_bits_shf_r_clamp);
    return smc_decode_uniform(decoder, alu, SMC_PTX_B32, 3);
}

bool smc_decode_bfe(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const enum smc_ptx_type sources[] = {type, SMC_PTX_U32, SMC_PTX_U32};
    return smc_decode_simple(decoder, smc_bits_bfe[type], type, 3, sources) != NULL;
}

/* Four sources: position and length are packed into one 64-bit word first. */
bool smc_decode_bfi(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 5, 5))
        return false;
    uint32_t from = smc_decode_source(decoder, &operand[1], type);
    uint32_t into = smc_decode_source(decoder, &operand[2], type);
    uint32_t place = smc_decode_source(decoder, &operand[3], SMC_PTX_U32);
    uint32_t length = smc_decode_source(decoder, &operand[4], SMC_PTX_U32);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    uint32_t joined = smc_slot_new(decoder->program, SMC_SLOT_64);
    return smc_decode_emit_alu(decoder, smc_pack_32, SMC_SLOT_64, joined, place, length, place) &&
           smc_decode_emit_alu(decoder, smc_bits_bfi[type], smc_slot_kind_of(type), d, from, into,
                               joined);
}

bool smc_decode_bfind(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    smc_alu *alu =
        smc_decode_has(decoder, "shiftamt") ? smc_bits_bfind_shift[type] : smc_bits_bfind[type];
    return smc_decode_simple(decoder, alu, SMC_PTX_U32, 1, &type) != NULL;
}

bool smc_decode_count_bits(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    if (smc_decode_is(decoder, "brev"))
        return smc_decode_uniform(decoder, smc_bits_brev[type], type, 1);
    smc_alu *alu = smc_decode_is(decoder, "clz") ? smc_bits_clz[type] : smc_bits_popc[type];
    return smc_decode_simple(decoder, alu, SMC_PTX_U32, 1, &type) != NULL;
}

/* lop3.or.b32 d|p, a, b, c, table, q: p also tells whether d is not 0, or q. */
static bool combine_lop3(struct smc_decoder *decoder, uint32_t d)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!operand[0].second)
        return smc_decode_refuse(decoder, "d|p was expected");
    uint32_t p = smc_decode_target(decoder, operand[0].second, SMC_PTX_PRED);
    uint32_t q = smc_decode_source(decoder, &operand[5], SMC_PTX_PRED);
    uint32_t holds = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    smc_alu *combine =
        smc_decode_has(decoder, "and") ? smc_bits_and[SMC_PTX_PRED] : smc_bits_or[SMC_PTX_PRED];
    return smc_decode_emit_alu(decoder, smc_bits_not_zero, SMC_SLOT_PREDICATE, holds, d, d, d) &&
           smc_decode_emit_alu(decoder, combine, SMC_SLOT_PREDICATE, p, holds, q, q);
}

bool smc_decode_lop3(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 5, 6) || operand[4].kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a table was expected");
    uint32_t a = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    uint32_t b = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    uint32_t c = smc_decode_source(decoder, &operand[3], SMC_PTX_B32);
    uint32_t d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    struct smc_op *op = smc_decode_emit_alu(decoder, smc_bits_lop3, SMC_SLOT_32, d, a, b, c);
    if (op)
        op->immediate = operand[4].integer & 255;
    return op && (decoder->statement->operands == 5 || combine_lop3(decoder, d));
}

bool smc_decode_prmt(struct smc_decoder *decoder)
{
    static const char *const modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    static const enum smc_ptx_type types[] = {SMC_PTX_B32, SMC_PTX_B32, SMC_PTX_B32};
    struct smc_op *op = smc_decode_simple(decoder, smc_bits_prmt, SMC_PTX_B32, 3, types);
    for (size_t i = 1; op && i < sizeof modes / sizeof *modes; i++)
        if (smc_decode_has(decoder, modes[i]))
            op->immediate = i;
    return op != NULL;
}

/* --- Moves ------------------------------------------------------------------------------------ */

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
static uint32_t decode_arithmetic_pack(struct smc_decoder *decoder,
                                       const struct smc_operand *element, uint32_t count,
                                       enum smc_ptx_type type)
{
    enum smc_ptx_type half = half_of(type);
    if (count == 1)
        return smc_decode_source(decoder, element, type);
    if (half == SMC_PTX_TYPE_COUNT || count % 2) {
        smc_decode_refuse(decoder, "a vector of this form");
        return SMC_NO_SLOT;
    }
    uint32_t low = decode_arithmetic_pack(decoder, element, count / 2, half);
    uint32_t high = decode_arithmetic_pack(decoder, element + count / 2, count / 2, half);
    if (low == SMC_NO_SLOT || high == SMC_NO_SLOT)
        return SMC_NO_SLOT;
    uint32_t joined = smc_slot_new(decoder->program, smc_slot_kind_of(type));
    return smc_decode_emit_alu(decoder, pack_of(half), smc_slot_kind_of(type), joined, low, high,
                               low)
               ? joined
               : SMC_NO_SLOT;
}

static bool decode_arithmetic_unpack(struct smc_decoder *decoder, const struct smc_operand *element,
                                     uint32_t count, enum smc_ptx_type type, uint32_t from)
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
            !decode_arithmetic_unpack(decoder, element + (size_t)i * (count / 2), count / 2, half,
                                      part))
            return false;
    }
    return true;
}

bool smc_decode_mov(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    if (operand[1].kind == SMC_OPERAND_SPECIAL && smc_decode_clock(decoder))
        return !decoder->failed;
    uint32_t from =
        operand[1].kind == SMC_OPERAND_VECTOR
            ? decode_arithmetic_pack(decoder, operand[1].element, operand[1].elements, type)
            : smc_decode_source(decoder, &operand[1], type);
    if (from == SMC_NO_SLOT)
        return false;
    if (operand[0].kind == SMC_OPERAND_VECTOR) {
        /* The source is copied first, because an element may be the same register. */
        uint32_t copy = smc_slot_new(decoder->program, smc_slot_kind_of(type));
        return smc_decode_emit_alu(decoder, move_of(type), smc_slot_kind_of(type), copy, from, from,
                                   from) &&
               decode_arithmetic_unpack(decoder, operand[0].element, operand[0].elements, type,
                                        copy);
    }
    return decode_arithmetic_unpack(decoder, &operand[0], 1, type, from);
}

/* --- Addresses -------------------------------------------------------------------------------- */

/* Adds or subtracts the base of the window, modulo 2^32 for 32-bit addresses. */
bool smc_decode_cvta(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_space space = smc_decode_space(decoder);
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    if (space == SMC_SPACE_GENERIC)
        return smc_decode_refuse(decoder, "this space");
    uint64_t window = smc_window_of(space);
    if (smc_decode_has(decoder, "to"))
        window = -window;
    uint32_t from = smc_decode_source(decoder, &operand[1], type);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    uint32_t shift = smc_decode_constant(decoder, SMC_SLOT_64, window);
    smc_alu *alu = window ? smc_integer_add[type] : move_of(type);
    return smc_decode_emit_alu(decoder, alu, smc_slot_kind_of(type), d, from, shift, from) != NULL;
}

/* A cache policy controls how long L2 keeps the data. The emulator has no L2, so it has no
   effect. */
bool smc_decode_createpolicy(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 4))
        return false;
    uint32_t policy = smc_decode_constant(decoder, SMC_SLOT_64, 0);
    uint32_t d = smc_decode_target(decoder, &decoder->statement->operand[0], SMC_PTX_B64);
    return smc_decode_emit_alu(decoder, move_of(SMC_PTX_B64), SMC_SLOT_64, d, policy, policy,
                               policy) != NULL;
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
    uint32_t high = smc_slot_new(decoder->program, SMC_SLOT_64);
    bool global = space == SMC_SPACE_GLOBAL;
    smc_alu *compare = smc_compare(global ? "ge" : "eq", 2, SMC_PTX_U64, &negated);
    return smc_decode_emit_alu(decoder, smc_bits_shr[SMC_PTX_U64], SMC_SLOT_64, high, address, bits,
                               bits) &&
           smc_decode_emit_alu(decoder, compare, SMC_SLOT_PREDICATE, d, high,
                               global ? least : window, high);
}

/* --- cvt -------------------------------------------------------------------------------------- */

/* cvt.rn.f16x2.f32 d, a, b: a to the upper half. Pairs of 8 bits: also from f16x2, and back. */
static bool convert_pairs(struct smc_decoder *decoder, enum smc_ptx_type to, enum smc_ptx_type from)
{
    bool integral, single = from == SMC_PTX_F32;
    bool narrow = to == SMC_PTX_E4M3X2 || to == SMC_PTX_E5M2X2;
    bool from_narrow = from == SMC_PTX_E4M3X2 || from == SMC_PTX_E5M2X2;
    const enum smc_ptx_type sources[] = {from, from};
    if (!(single || (narrow && from == SMC_PTX_F16X2) || (from_narrow && to == SMC_PTX_F16X2)) ||
        smc_decode_has(decoder, "rs"))
        return smc_decode_refuse(decoder, "");
    struct smc_op *op = smc_decode_simple(decoder, single ? smc_narrow_pair : smc_convert_pair, to,
                                          single ? 2 : 1, sources);
    if (!op)
        return false;
    op->type = to;
    op->immediate = from;
    op->finish = finish_of(decoder);
    op->rounding = decode_arithmetic_rounding_of(decoder, &integral);
    return true;
}

static bool convert_to_tf32(struct smc_decoder *decoder, enum smc_ptx_type from)
{
    bool integral;
    struct smc_op *op = from == SMC_PTX_F32
                            ? smc_decode_simple(decoder, smc_to_tf32, SMC_PTX_TF32, 1, &from)
                            : NULL;
    if (!op)
        return smc_decode_refuse(decoder, "");
    op->finish = finish_of(decoder);
    op->rounding = decode_arithmetic_rounding_of(decoder, &integral);
    return true;
}

bool smc_decode_cvt(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.type = smc_decode_type(decoder, 0),
                           .immediate = smc_decode_type(decoder, 1),
                           .saturates = smc_decode_has(decoder, "sat"),
                           .flushes = smc_decode_has(decoder, "ftz")};
    enum smc_ptx_type from_type = (enum smc_ptx_type)shape.immediate;
    if (shape.type == SMC_PTX_TYPE_COUNT || from_type == SMC_PTX_TYPE_COUNT ||
        smc_decode_has(decoder, "rs"))
        return smc_decode_refuse(decoder, "");
    if (shape.type == SMC_PTX_F16X2 || shape.type == SMC_PTX_BF16X2 ||
        shape.type == SMC_PTX_E4M3X2 || shape.type == SMC_PTX_E5M2X2)
        return convert_pairs(decoder, shape.type, from_type);
    if (shape.type == SMC_PTX_TF32)
        return convert_to_tf32(decoder, from_type);
    shape.finish = finish_of(decoder);
    if (shape.type > SMC_PTX_F64 || from_type > SMC_PTX_F64 || from_type == SMC_PTX_F16X2 ||
        from_type == SMC_PTX_BF16X2 ||
        (shape.finish && shape.type != SMC_PTX_F16 && shape.type != SMC_PTX_BF16))
        return smc_decode_refuse(decoder, "");
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    enum smc_slot_kind from_kind;
    shape.a = shape.b = shape.c =
        smc_decode_any_source(decoder, &operand[1], from_type, &from_kind);
    shape.d = smc_decode_any_target(decoder, &operand[0], shape.type, &shape.d_kind);
    if (shape.a == SMC_NO_SLOT || shape.d == SMC_NO_SLOT)
        return false;
    shape.v_kind[0] = (uint8_t)from_kind;
    if (from_kind == SMC_SLOT_PREDICATE || shape.d_kind == SMC_SLOT_PREDICATE)
        return smc_decode_refuse(decoder, "a predicate");
    shape.rounding = decode_arithmetic_rounding_of(decoder, &shape.to_integral);
    shape.alu = shape.finish ? NULL : smc_convert_fast(&shape);
    shape.alu = shape.alu ? shape.alu : smc_convert;
    return smc_decode_emit_shape(decoder, NULL, &shape);
}
