/* Decoders of operations on bits. */
#include "emulator/decode.h"
#include "emulator/ops.h"

static bool is_op(const struct smc_decoder *decoder, const char *name)
{
    return smc_span_is(decoder->statement->opcode, name);
}

static bool known_type(struct smc_decoder *decoder, enum smc_ptx_type *type)
{
    *type = smc_decode_type(decoder, 0);
    return *type != SMC_PTX_TYPE_COUNT || smc_decode_refuse(decoder, "its type is unknown");
}

bool smc_decode_logic(struct smc_decoder *decoder)
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
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (is_op(decoder, functions[i].name))
            return smc_decode_uniform(decoder, (*functions[i].by_type)[type], type,
                                      functions[i].sources);
    return smc_decode_refuse(decoder, "");
}

bool smc_decode_shift(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    const enum smc_ptx_type sources[] = {type, SMC_PTX_U32};
    smc_alu *alu = is_op(decoder, "shl") ? smc_bits_shl[type] : smc_bits_shr[type];
    return smc_decode_simple(decoder, alu, type, 2, sources) != NULL;
}

bool smc_decode_shf(struct smc_decoder *decoder)
{
    bool left = smc_decode_has(decoder, "l"), wraps = smc_decode_has(decoder, "wrap");
    smc_alu *alu = left ? (wraps ? smc_bits_shf_l_wrap : smc_bits_shf_l_clamp)
                        : (wraps ? smc_bits_shf_r_wrap : smc_bits_shf_r_clamp);
    return smc_decode_uniform(decoder, alu, SMC_PTX_B32, 3);
}

bool smc_decode_bfe(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    const enum smc_ptx_type sources[] = {type, SMC_PTX_U32, SMC_PTX_U32};
    return smc_decode_simple(decoder, smc_bits_bfe[type], type, 3, sources) != NULL;
}

/* Four sources: place and length go into one word of 64 bits first. */
bool smc_decode_bfi(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_type type;
    if (!known_type(decoder, &type) || !smc_decode_count(decoder, 5, 5))
        return false;
    uint32_t from = smc_decode_source(decoder, &operand[1], type);
    uint32_t into = smc_decode_source(decoder, &operand[2], type);
    uint32_t place = smc_decode_source(decoder, &operand[3], SMC_PTX_U32);
    uint32_t length = smc_decode_source(decoder, &operand[4], SMC_PTX_U32);
    uint32_t d = smc_decode_target(decoder, &operand[0], type);
    if (from == SMC_NO_SLOT || into == SMC_NO_SLOT || place == SMC_NO_SLOT ||
        length == SMC_NO_SLOT || d == SMC_NO_SLOT)
        return false;
    uint32_t joined = smc_slot_new(decoder->program, SMC_SLOT_64);
    return smc_decode_emit_alu(decoder, smc_pack_32, SMC_SLOT_64, joined, place, length, place) &&
           smc_decode_emit_alu(decoder, smc_bits_bfi[type], smc_slot_kind_of(type), d, from, into,
                               joined);
}

bool smc_decode_bfind(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    smc_alu *alu =
        smc_decode_has(decoder, "shiftamt") ? smc_bits_bfind_shift[type] : smc_bits_bfind[type];
    return smc_decode_simple(decoder, alu, SMC_PTX_U32, 1, &type) != NULL;
}

bool smc_decode_count_bits(struct smc_decoder *decoder)
{
    enum smc_ptx_type type;
    if (!known_type(decoder, &type))
        return false;
    if (is_op(decoder, "brev"))
        return smc_decode_uniform(decoder, smc_bits_brev[type], type, 1);
    smc_alu *alu = is_op(decoder, "clz") ? smc_bits_clz[type] : smc_bits_popc[type];
    return smc_decode_simple(decoder, alu, SMC_PTX_U32, 1, &type) != NULL;
}

bool smc_decode_lop3(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_count(decoder, 5, 5) || operand[4].kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a table was expected");
    uint32_t a = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    uint32_t b = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    uint32_t c = smc_decode_source(decoder, &operand[3], SMC_PTX_B32);
    uint32_t d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    if (a == SMC_NO_SLOT || b == SMC_NO_SLOT || c == SMC_NO_SLOT || d == SMC_NO_SLOT)
        return false;
    struct smc_op *op = smc_decode_emit_alu(decoder, smc_bits_lop3, SMC_SLOT_32, d, a, b, c);
    if (op)
        op->immediate = operand[4].integer & 255;
    return op != NULL;
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
