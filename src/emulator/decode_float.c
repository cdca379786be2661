/* Decoders of floating point. */
#include "emulator/decode_float.h"

enum smc_rounding smc_decode_rounding(const struct smc_decoder *decoder, bool *integral)
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

static bool emit(struct smc_decoder *decoder, smc_alu *alu, enum smc_ptx_type type,
                 unsigned sources)
{
    const enum smc_ptx_type types[] = {type, type, type};
    bool integral;
    struct smc_op *op = smc_decode_simple(decoder, alu, type, sources, types);
    if (!op)
        return false;
    op->rounding = smc_decode_rounding(decoder, &integral);
    op->saturates = smc_decode_has(decoder, "sat");
    op->flushes = smc_decode_has(decoder, "ftz");
    if (op->rounding != SMC_ROUND_NEAREST || op->saturates || op->flushes) {
        op->inner = op->alu;
        op->alu = smc_float_modified;
    }
    return true;
}

bool smc_decode_float(struct smc_decoder *decoder, smc_alu_by_type by_type, unsigned sources)
{
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    return emit(decoder, by_type[type], type, sources);
}

bool smc_decode_fma(struct smc_decoder *decoder)
{
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    return emit(decoder, type < SMC_PTX_TYPE_COUNT ? smc_float_fma(type) : NULL, type, 3);
}

bool smc_decode_float1(struct smc_decoder *decoder)
{
    static const struct {
        const char *name;
        smc_alu_by_type *by_type;
    } functions[] = {
        {"rcp", &smc_float_rcp}, {"sqrt", &smc_float_sqrt}, {"rsqrt", &smc_float_rsqrt},
        {"ex2", &smc_float_ex2}, {"lg2", &smc_float_lg2},   {"sin", &smc_float_sin},
        {"cos", &smc_float_cos}, {"tanh", &smc_float_tanh},
    };
    if (smc_decode_type(decoder, 0) == SMC_PTX_TYPE_COUNT)
        return smc_decode_refuse(decoder, "its type is unknown");
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (smc_span_is(decoder->statement->opcode, functions[i].name))
            return smc_decode_float(decoder, *functions[i].by_type, 1);
    return smc_decode_refuse(decoder, "");
}

bool smc_decode_copysign(struct smc_decoder *decoder)
{
    if (smc_decode_type(decoder, 0) == SMC_PTX_TYPE_COUNT)
        return smc_decode_refuse(decoder, "its type is unknown");
    return smc_decode_float(decoder, smc_float_copysign, 2);
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
