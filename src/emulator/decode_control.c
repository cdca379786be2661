/* Decoders of branches, barriers and what lanes of a warp do together. */
#include "emulator/decode.h"
#include "emulator/ops.h"
#include "emulator/steps.h"

static struct smc_op *emit_step(struct smc_decoder *decoder, smc_step *step)
{
    struct smc_op *op = smc_decode_emit(decoder);
    if (op)
        op->step = step;
    return op;
}

bool smc_decode_bra(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    if (decoder->statement->operand[0].kind != SMC_OPERAND_LABEL)
        return smc_decode_refuse(decoder, "a label was expected");
    struct smc_op *op = emit_step(decoder, smc_step_branch);
    if (op)
        op->step_without_lanes = true;
    return op != NULL;
}

bool smc_decode_brx(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_has(decoder, "idx") || !smc_decode_count(decoder, 2, 2) ||
        operand[1].kind != SMC_OPERAND_LABEL)
        return smc_decode_refuse(decoder, "");
    uint32_t index = smc_decode_source(decoder, &operand[0], SMC_PTX_U32);
    struct smc_op *op = index != SMC_NO_SLOT ? emit_step(decoder, smc_step_indexed_branch) : NULL;
    if (op)
        op->a = index;
    return op != NULL;
}

bool smc_decode_exit(struct smc_decoder *decoder)
{
    return emit_step(decoder, smc_step_exit) != NULL;
}

bool smc_decode_trap(struct smc_decoder *decoder)
{
    return emit_step(decoder, smc_step_trap) != NULL;
}

/* Hints, and fences: the emulator's memory is in order. Without an op of its own the statement gets
   one that does nothing. */
bool smc_decode_nothing(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "proxy"))
        return smc_decode_refuse(decoder, "");
    return true;
}

bool smc_decode_clock(struct smc_decoder *decoder)
{
    /* A nanosecond is said to take two clocks. */
    static const struct {
        const char *name;
        unsigned shift;
        enum smc_slot_kind kind;
    } clocks[] = {
        {"%clock", 1, SMC_SLOT_32},          {"%clock64", 1, SMC_SLOT_64},
        {"%clock_hi", 1, SMC_SLOT_32},       {"%globaltimer", 0, SMC_SLOT_64},
        {"%globaltimer_lo", 0, SMC_SLOT_32},
    };
    const struct smc_operand *operand = decoder->statement->operand;
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if (!smc_span_is(operand[1].name, clocks[i].name))
            continue;
        uint32_t d = smc_decode_target(decoder, &operand[0], type);
        struct smc_op *op = d != SMC_NO_SLOT ? emit_step(decoder, smc_step_clock) : NULL;
        if (!op)
            return true; /* it was a clock, and failed */
        op->d = d;
        op->d_kind = clocks[i].kind;
        op->immediate = clocks[i].shift;
        return smc_slot_kind_of(type) == clocks[i].kind ||
               !smc_decode_refuse(decoder, "another type");
    }
    return false;
}

/* --- Barriers --------------------------------------------------------------------------------- */

static bool decode_sync_warp(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    uint32_t mask = smc_decode_source(decoder, &decoder->statement->operand[0], SMC_PTX_B32);
    struct smc_op *op = mask != SMC_NO_SLOT ? emit_step(decoder, smc_step_sync_warp) : NULL;
    if (op)
        op->a = mask;
    return op != NULL;
}

/* bar.sync a{, b}  bar.arrive a, b  bar.red.popc.u32 d, a{, b}, {!}c */
bool smc_decode_bar(struct smc_decoder *decoder)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    bool reduces = smc_decode_has(decoder, "red"), arrives = smc_decode_has(decoder, "arrive");
    struct smc_op shape = {.is_aligned = smc_span_is(statement->opcode, "bar") ||
                                         smc_decode_has(decoder, "aligned")};
    if (smc_decode_has(decoder, "cluster"))
        return smc_decode_refuse(decoder, "clusters");
    if (smc_decode_has(decoder, "warp"))
        return decode_sync_warp(decoder);
    if (!smc_decode_count(decoder, reduces ? 3 : 1, reduces ? 4 : 2))
        return false;
    uint32_t next = reduces;
    shape.a = smc_decode_source(decoder, &statement->operand[next++], SMC_PTX_U32);
    if (statement->operands - next - reduces > 0)
        shape.b = smc_decode_source(decoder, &statement->operand[next++], SMC_PTX_U32);
    if (reduces) {
        enum smc_ptx_type type = smc_decode_has(decoder, "popc") ? SMC_PTX_U32 : SMC_PTX_PRED;
        shape.reduction = type == SMC_PTX_U32             ? SMC_REDUCE_POPC
                          : smc_decode_has(decoder, "or") ? SMC_REDUCE_OR
                                                          : SMC_REDUCE_AND;
        shape.c = smc_decode_source(decoder, &statement->operand[next], SMC_PTX_PRED);
        shape.d = smc_decode_target(decoder, &statement->operand[0], type);
        shape.d_kind = smc_slot_kind_of(type);
    }
    if (shape.a == SMC_NO_SLOT || shape.b == SMC_NO_SLOT || shape.c == SMC_NO_SLOT ||
        shape.d == SMC_NO_SLOT)
        return false;
    struct smc_op *op = emit_step(decoder, arrives ? smc_step_arrive : smc_step_barrier);
    if (!op)
        return false;
    op->a = shape.a;
    op->b = shape.b;
    op->c = shape.c;
    op->d = shape.d;
    op->d_kind = shape.d_kind;
    op->reduction = shape.reduction;
    op->is_aligned = shape.is_aligned;
    return true;
}

/* --- Lanes together --------------------------------------------------------------------------- */

/* Emits the step with its slots; all must be there. */
static bool emit_together(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape)
{
    if (decoder->failed || shape->a == SMC_NO_SLOT || shape->b == SMC_NO_SLOT ||
        shape->c == SMC_NO_SLOT || shape->d == SMC_NO_SLOT || shape->v[0] == SMC_NO_SLOT)
        return false;
    struct smc_op *op = emit_step(decoder, step);
    if (!op)
        return false;
    op->a = shape->a;
    op->b = shape->b;
    op->c = shape->c;
    op->d = shape->d;
    op->d_kind = shape->d_kind;
    op->v[0] = shape->v[0];
    op->v[1] = shape->v[1];
    op->type = shape->type;
    op->width_bytes = shape->width_bytes;
    op->reduction = shape->reduction;
    op->immediate = shape->immediate;
    return true;
}

/* d|p, or d alone. */
static uint32_t second_target(struct smc_decoder *decoder)
{
    const struct smc_operand *second = decoder->statement->operand[0].second;
    return second ? smc_decode_target(decoder, second, SMC_PTX_PRED) : SMC_NO_SLOT;
}

bool smc_decode_shfl(struct smc_decoder *decoder)
{
    static const char *const modes[] = {[SMC_SHUFFLE_INDEX] = "idx",
                                        [SMC_SHUFFLE_UP] = "up",
                                        [SMC_SHUFFLE_DOWN] = "down",
                                        [SMC_SHUFFLE_BUTTERFLY] = "bfly"};
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_has(decoder, "sync") || !smc_decode_count(decoder, 5, 5))
        return smc_decode_refuse(decoder, "without .sync");
    while (shape.immediate < 4 && !smc_decode_has(decoder, modes[shape.immediate]))
        shape.immediate++;
    if (shape.immediate == 4)
        return smc_decode_refuse(decoder, "");
    shape.a = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    shape.b = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    shape.c = smc_decode_source(decoder, &operand[3], SMC_PTX_B32);
    shape.v[0] = smc_decode_source(decoder, &operand[4], SMC_PTX_B32);
    shape.v[1] = second_target(decoder);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    return emit_together(decoder, smc_step_shuffle, &shape);
}

bool smc_decode_vote(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    bool ballot = smc_decode_has(decoder, "ballot");
    enum smc_ptx_type type = ballot ? SMC_PTX_B32 : SMC_PTX_PRED;
    struct smc_op shape = {.reduction = ballot                           ? SMC_REDUCE_BALLOT
                                        : smc_decode_has(decoder, "all") ? SMC_REDUCE_AND
                                        : smc_decode_has(decoder, "any") ? SMC_REDUCE_OR
                                                                         : SMC_REDUCE_UNIFORM};
    if (!smc_decode_has(decoder, "sync") || !smc_decode_count(decoder, 3, 3))
        return smc_decode_refuse(decoder, "without .sync");
    shape.a = smc_decode_source(decoder, &operand[1], SMC_PTX_PRED);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    shape.d = smc_decode_target(decoder, &operand[0], type);
    return emit_together(decoder, smc_step_vote, &shape);
}

bool smc_decode_activemask(struct smc_decoder *decoder)
{
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    shape.d = smc_decode_target(decoder, &decoder->statement->operand[0], SMC_PTX_B32);
    return emit_together(decoder, smc_step_active_mask, &shape);
}

bool smc_decode_match(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.type = smc_decode_type(decoder, 0)};
    if (shape.type == SMC_PTX_TYPE_COUNT || !smc_decode_count(decoder, 3, 3))
        return smc_decode_refuse(decoder, "");
    shape.width_bytes = smc_ptx_type_info[shape.type].bytes;
    shape.reduction = smc_decode_has(decoder, "all") ? SMC_REDUCE_AND : SMC_REDUCE_NONE;
    shape.a = smc_decode_source(decoder, &operand[1], shape.type);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    shape.v[1] = second_target(decoder);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    return emit_together(decoder, smc_step_match, &shape);
}

bool smc_decode_redux(struct smc_decoder *decoder)
{
    static const struct {
        const char *name;
        enum smc_reduction reduction;
    } names[] = {{"add", SMC_REDUCE_ADD}, {"min", SMC_REDUCE_MIN}, {"max", SMC_REDUCE_MAX},
                 {"and", SMC_REDUCE_AND}, {"or", SMC_REDUCE_OR},   {"xor", SMC_REDUCE_XOR}};
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.type = smc_decode_type(decoder, 0)};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (smc_decode_has(decoder, names[i].name))
            shape.reduction = names[i].reduction;
    if (shape.reduction == SMC_REDUCE_NONE || shape.type == SMC_PTX_TYPE_COUNT ||
        smc_ptx_type_info[shape.type].bytes != 4 ||
        smc_ptx_type_info[shape.type].class == SMC_CLASS_FLOAT || !smc_decode_count(decoder, 3, 3))
        return smc_decode_refuse(decoder, "");
    shape.a = smc_decode_source(decoder, &operand[1], shape.type);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    shape.d = smc_decode_target(decoder, &operand[0], shape.type);
    return emit_together(decoder, smc_step_reduce, &shape);
}
