/* Decoders of wgmma: products of matrices of a warpgroup. */
#include "machine/emulator/decode.h"

#include <string.h>

#include "machine/emulator/matrix.h"

enum { MOST_REGISTERS = 128, A_REGISTERS = 4 };

/* .m64nNkK.d.a.b: the types that go together. a with `transposes` may be by columns. */
static const struct {
    const char *d, *a, *b;
    uint16_t k;
    enum smc_matrix_type d_type, a_type, b_type;
    bool transposes, is_integer;
} forms[] = {
    {"f16", "f16", "f16", 16, SMC_MATRIX_F16, SMC_MATRIX_F16, SMC_MATRIX_F16, true, false},
    {"f32", "f16", "f16", 16, SMC_MATRIX_F32, SMC_MATRIX_F16, SMC_MATRIX_F16, true, false},
    {"f32", "bf16", "bf16", 16, SMC_MATRIX_F32, SMC_MATRIX_BF16, SMC_MATRIX_BF16, true, false},
    {"f32", "tf32", "tf32", 8, SMC_MATRIX_F32, SMC_MATRIX_TF32, SMC_MATRIX_TF32, false, false},
    {"f16", "e4m3", "e4m3", 32, SMC_MATRIX_F16, SMC_MATRIX_E4M3, SMC_MATRIX_E4M3, false, false},
    {"f16", "e4m3", "e5m2", 32, SMC_MATRIX_F16, SMC_MATRIX_E4M3, SMC_MATRIX_E5M2, false, false},
    {"f16", "e5m2", "e4m3", 32, SMC_MATRIX_F16, SMC_MATRIX_E5M2, SMC_MATRIX_E4M3, false, false},
    {"f16", "e5m2", "e5m2", 32, SMC_MATRIX_F16, SMC_MATRIX_E5M2, SMC_MATRIX_E5M2, false, false},
    {"f32", "e4m3", "e4m3", 32, SMC_MATRIX_F32, SMC_MATRIX_E4M3, SMC_MATRIX_E4M3, false, false},
    {"f32", "e4m3", "e5m2", 32, SMC_MATRIX_F32, SMC_MATRIX_E4M3, SMC_MATRIX_E5M2, false, false},
    {"f32", "e5m2", "e4m3", 32, SMC_MATRIX_F32, SMC_MATRIX_E5M2, SMC_MATRIX_E4M3, false, false},
    {"f32", "e5m2", "e5m2", 32, SMC_MATRIX_F32, SMC_MATRIX_E5M2, SMC_MATRIX_E5M2, false, false},
    {"s32", "s8", "s8", 32, SMC_MATRIX_S32, SMC_MATRIX_S8, SMC_MATRIX_S8, false, true},
    {"s32", "s8", "u8", 32, SMC_MATRIX_S32, SMC_MATRIX_S8, SMC_MATRIX_U8, false, true},
    {"s32", "u8", "s8", 32, SMC_MATRIX_S32, SMC_MATRIX_U8, SMC_MATRIX_S8, false, true},
    {"s32", "u8", "u8", 32, SMC_MATRIX_S32, SMC_MATRIX_U8, SMC_MATRIX_U8, false, true},
    {"s32", "b1", "b1", 256, SMC_MATRIX_S32, SMC_MATRIX_B1, SMC_MATRIX_B1, false, true},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* "m64n128k16": its n; 0: it is none. */
static uint32_t decode_wgmma_columns_of(struct smc_span shape, uint32_t k)
{
    uint64_t n = 0, depth = 0;
    const char *at = shape.at + 4, *end = shape.at + shape.bytes;
    if (shape.bytes < 7 || memcmp(shape.at, "m64n", 4) != 0)
        return 0;
    for (; at < end && *at >= '0' && *at <= '9' && n < 1000; at++)
        n = 10 * n + (uint64_t)(*at - '0');
    if (at == end || *at++ != 'k')
        return 0;
    for (; at < end && *at >= '0' && *at <= '9' && depth < 1000; at++)
        depth = 10 * depth + (uint64_t)(*at - '0');
    return at == end && depth == k && n <= 256 && n % 8 == 0 ? (uint32_t)n : 0;
}

/* The row of `forms`, and the shape of a warp's part. */
static bool read_form(struct smc_decoder *decoder, size_t *form, struct smc_matrix *matrix)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    const uint32_t last = statement->modifiers;
    for (uint32_t i = 0; i + 3 < last; i++)
        for (size_t f = 0; f < FORMS; f++) {
            const uint32_t n = decode_wgmma_columns_of(statement->modifier[i], forms[f].k);
            if (n == 0 || !smc_span_is(statement->modifier[i + 1], forms[f].d) ||
                !smc_span_is(statement->modifier[i + 2], forms[f].a) ||
                !smc_span_is(statement->modifier[i + 3], forms[f].b) ||
                (forms[f].is_integer && n % 16 && n != 8 && n != 24))
                continue;
            *form = f;
            *matrix = (struct smc_matrix){.m = 16, /* of a warp */
                                          .n = (uint16_t)n,
                                          .k = forms[f].k,
                                          .a = (uint8_t)forms[f].a_type,
                                          .b = (uint8_t)forms[f].b_type,
                                          .c = (uint8_t)forms[f].d_type,
                                          .d = (uint8_t)forms[f].d_type};
            return true;
        }
    return smc_decode_refuse(decoder, "this shape with these types");
}

static bool read_registers(struct smc_decoder *decoder, const struct smc_operand *operand,
                           uint32_t count, bool is_target, struct smc_op *op)
{
    if (operand->kind != SMC_OPERAND_VECTOR || operand->elements != count)
        return smc_decode_refuse(decoder, "another number of registers was expected");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot = is_target
                                  ? smc_decode_target(decoder, &operand->element[i], SMC_PTX_B32)
                                  : smc_decode_source(decoder, &operand->element[i], SMC_PTX_B32);
        if (slot == SMC_NO_SLOT)
            return false;
        op->list[op->listed++] = slot;
    }
    return true;
}

/* d, and a if it is in registers. */
static bool decode_wgmma_read_list(struct smc_decoder *decoder, struct smc_op *op)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_matrix *matrix = &op->matrix;
    const uint32_t count =
        smc_matrix_registers(matrix, SMC_MATRIX_C, (enum smc_matrix_type)matrix->d);
    op->list = smc_arena_take(&decoder->program->arena,
                              (2 * MOST_REGISTERS + A_REGISTERS) * sizeof *op->list);
    if (!op->list || !read_registers(decoder, &operand[0], count, true, op))
        return false;
    op->written = op->listed;
    matrix->d_registers = matrix->c_registers = (uint8_t)count;
    if (operand[1].kind == SMC_OPERAND_VECTOR) {
        if (!read_registers(decoder, &operand[1], A_REGISTERS, false, op))
            return false;
        matrix->a_registers = A_REGISTERS;
    }
    for (uint32_t i = 0; i < count; i++)
        op->list[op->listed++] = op->list[i]; /* c */
    return true;
}

/* 1 or -1, or 0 or 1: sets the flag for -1, or for 1 with `least` 0. */
static bool decode_wgmma_read_flag(struct smc_decoder *decoder, const struct smc_operand *operand,
                                   int64_t set, int64_t other, uint64_t flag, struct smc_op *op)
{
    const int64_t value = (int64_t)(int32_t)operand->integer;
    if (operand->kind != SMC_OPERAND_INTEGER || (value != set && value != other))
        return smc_decode_refuse(decoder, "an immediate of another value");
    if (value == set)
        op->immediate |= flag;
    return true;
}

/* What follows scale-d: imm-scale-a and -b of floats, then imm-trans-a (unless a is in registers)
   and -b of types of 16 bits. */
static bool read_immediates(struct smc_decoder *decoder, size_t form, struct smc_op *op)
{
    const struct smc_operand *next = &decoder->statement->operand[4];
    const bool is_shared = op->immediate & SMC_WGMMA_SHARED_A;
    const unsigned count =
        forms[form].is_integer ? 0u : 2u + (forms[form].transposes ? 1u + is_shared : 0u);
    if (!smc_decode_count(decoder, 4 + count, 4 + count))
        return false;
    if (forms[form].is_integer)
        return true;
    return decode_wgmma_read_flag(decoder, &next[0], -1, 1, SMC_WGMMA_NEGATED_A, op) &&
           decode_wgmma_read_flag(decoder, &next[1], -1, 1, SMC_WGMMA_NEGATED_B, op) &&
           (!forms[form].transposes ||
            ((!is_shared ||
              decode_wgmma_read_flag(decoder, &next[2], 1, 0, SMC_WGMMA_TRANSPOSED_A, op)) &&
             decode_wgmma_read_flag(decoder, &next[count - 1], 1, 0, SMC_WGMMA_TRANSPOSED_B, op)));
}

/* wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 d, a, b, scale_d, 1, 1, 0, 0; a: a descriptor
   or registers. */
static bool wgmma_decode_product(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    size_t form = 0;
    if (!smc_decode_has(decoder, "sync") || !smc_decode_has(decoder, "aligned") ||
        decoder->statement->operands < 4)
        return smc_decode_refuse(decoder, "");
    if (!read_form(decoder, &form, &shape.matrix))
        return false;
    shape.immediate = operand[1].kind == SMC_OPERAND_VECTOR ? 0 : SMC_WGMMA_SHARED_A;
    shape.finish = smc_decode_has(decoder, "satfinite") ? SMC_FINISH_FINITE : 0;
    shape.reduction = SMC_REDUCE_AND;
    if (!decode_wgmma_read_list(decoder, &shape) || !read_immediates(decoder, form, &shape))
        return false;
    shape.b = smc_decode_source(decoder, &operand[2], SMC_PTX_B64);
    shape.a = shape.immediate & SMC_WGMMA_SHARED_A
                  ? smc_decode_source(decoder, &operand[1], SMC_PTX_B64)
                  : shape.b;
    shape.c = smc_decode_source(decoder, &operand[3], SMC_PTX_PRED);
    shape.is_of_warpgroup = shape.is_async = true;
    decoder->program->has_async = decoder->program->has_products = true;
    return smc_decode_emit_shape(decoder, smc_step_wgmma, &shape);
}

/* setmaxnreg.inc.sync.aligned.u32 240; ptxas ignores it unless it knows how many registers a thread
   has where the kernel begins. */
bool smc_decode_setmaxnreg(struct smc_decoder *decoder)
{
    const struct smc_operand *count = decoder->statement->operand;
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    if (count->kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a number of registers was expected");
    if (decoder->program->module.entry_regs == 0)
        return true;
    const struct smc_op shape = {.immediate = count->integer};
    return smc_decode_emit_shape(decoder, smc_step_setmaxnreg, &shape);
}

/* wgmma.wait_group groups; */
static bool wgmma_decode_wait(struct smc_decoder *decoder)
{
    const struct smc_operand *groups = decoder->statement->operand;
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    if (groups->kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a number of groups was expected");
    const struct smc_op shape = {.immediate = groups->integer};
    return smc_decode_emit_shape(decoder, smc_step_wgmma_wait, &shape);
}

/* wgmma.fence has no effect: registers are written when a product is issued. */
bool smc_decode_wgmma(struct smc_decoder *decoder)
{
    const struct smc_op commit = {0};
    if (smc_decode_has(decoder, "mma_async"))
        return wgmma_decode_product(decoder);
    if (smc_decode_has(decoder, "commit_group"))
        return smc_decode_emit_shape(decoder, smc_step_wgmma_commit, &commit);
    if (smc_decode_has(decoder, "wait_group"))
        return wgmma_decode_wait(decoder);
    return smc_decode_has(decoder, "fence") || smc_decode_refuse(decoder, "");
}
