/* Decoders of arithmetic that integers and floating point share; the latter's part is handed on to
   decode_float.c. */
#include "emulator/decode.h"
#include "emulator/decode_float.h"
#include "emulator/ops.h"

static bool is_float(enum smc_ptx_type type)
{
    return type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[type].class == SMC_CLASS_FLOAT;
}

static bool is_op(const struct smc_decoder *decoder, const char *name)
{
    return smc_span_is(decoder->statement->opcode, name);
}

static bool known_type(struct smc_decoder *decoder, enum smc_ptx_type *type)
{
    *type = smc_decode_type(decoder, 0);
    return *type != SMC_PTX_TYPE_COUNT || smc_decode_refuse(decoder, "its type is unknown");
}

/* The carry between instructions: one predicate of the warp. */
static uint32_t carry_slot(struct smc_decoder *decoder)
{
    if (!decoder->carry_slot)
        decoder->carry_slot = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    return decoder->carry_slot;
}

/* d = a +- b +- carry. The carry out is found first: d may be a source. */
static bool add_with_carry(struct smc_decoder *decoder, enum smc_ptx_type type, bool subtracts,
                           bool carries_in)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 3, 3))
        return false;
    uint32_t a = smc_decode_source(decoder, &operand[1], type);
    uint32_t b = smc_decode_source(decoder, &operand[2], type);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    uint32_t none = smc_decode_constant(decoder, SMC_SLOT_PREDICATE, 0);
    uint32_t in = carries_in ? carry_slot(decoder) : none, out = none;
    enum smc_slot_kind kind = smc_slot_kind_of(type);
    if (a == SMC_NO_SLOT || b == SMC_NO_SLOT || d == SMC_NO_SLOT || in == SMC_NO_SLOT)
        return false;
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

bool smc_decode_add(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    bool subtracts = is_op(decoder, "sub");
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type))
        return smc_decode_float(decoder, subtracts ? smc_float_sub : smc_float_add, 2);
    if (smc_decode_has(decoder, "cc"))
        return add_with_carry(decoder, type, subtracts, false);
    if (smc_decode_has(decoder, "sat"))
        return smc_decode_uniform(decoder, subtracts ? smc_integer_sub_sat : smc_integer_add_sat,
                                  type, 2);
    return smc_decode_uniform(decoder, subtracts ? smc_integer_sub[type] : smc_integer_add[type],
                              type, 2);
}

bool smc_decode_carry(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    return known_type(decoder, &type) &&
           add_with_carry(decoder, type, is_op(decoder, "subc"), true);
}

static enum smc_ptx_type twice(enum smc_ptx_type type)
{
    return type == SMC_PTX_U16   ? SMC_PTX_U32
           : type == SMC_PTX_S16 ? SMC_PTX_S32
           : type == SMC_PTX_U32 ? SMC_PTX_U64
                                 : SMC_PTX_S64;
}

bool smc_decode_mul(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type))
        return smc_decode_float(decoder, smc_float_mul, 2);
    const enum smc_ptx_type sources[] = {type, type};
    if (smc_decode_has(decoder, "wide"))
        return smc_decode_simple(decoder, smc_integer_mul_wide[type], twice(type), 2, sources) !=
               NULL;
    if (smc_decode_has(decoder, "hi"))
        return smc_decode_uniform(decoder, smc_integer_mul_hi[type], type, 2);
    return smc_decode_uniform(decoder, smc_integer_mul_lo[type], type, 2);
}

bool smc_decode_mad(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type))
        return smc_decode_fma(decoder);
    const enum smc_ptx_type sources[] = {type, type, twice(type)};
    if (smc_decode_has(decoder, "cc"))
        return smc_decode_refuse(decoder, "mad with a carry");
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

bool smc_decode_div(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type))
        return smc_decode_float(decoder, smc_float_div, 2);
    return smc_decode_uniform(
        decoder, is_op(decoder, "div") ? smc_integer_div[type] : smc_integer_rem[type], type, 2);
}

bool smc_decode_extreme(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    bool least = is_op(decoder, "min");
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type) && smc_decode_has(decoder, "xorsign"))
        return smc_decode_refuse(decoder, "xorsign");
    if (is_float(type) && smc_decode_has(decoder, "NaN"))
        return smc_decode_float(decoder, least ? smc_float_min_nan : smc_float_max_nan, 2);
    if (is_float(type))
        return smc_decode_float(decoder, least ? smc_float_min : smc_float_max, 2);
    return smc_decode_uniform(decoder, least ? smc_integer_min[type] : smc_integer_max[type], type,
                              2);
}

bool smc_decode_sign(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    bool absolute = is_op(decoder, "abs");
    if (!known_type(decoder, &type))
        return false;
    if (is_float(type))
        return smc_decode_float(decoder, absolute ? smc_float_abs : smc_float_neg, 1);
    return smc_decode_uniform(decoder, absolute ? smc_integer_abs[type] : smc_integer_neg[type],
                              type, 1);
}

bool smc_decode_sad(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    return known_type(decoder, &type) &&
           smc_decode_uniform(decoder, smc_integer_sad[type], type, 3);
}

bool smc_decode_dp4a(struct smc_decoder *decoder)
{
    bool first = smc_decode_type(decoder, 0) == SMC_PTX_S32;
    bool second = smc_decode_type(decoder, 1) == SMC_PTX_S32;
    smc_alu *const alu[2][2] = {{smc_bits_dp4a_uu, smc_bits_dp4a_us},
                                {smc_bits_dp4a_su, smc_bits_dp4a_ss}};
    return smc_decode_uniform(decoder, alu[first][second], SMC_PTX_B32, 3);
}
