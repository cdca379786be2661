/* Decoders of loads, stores and atomics. */
#include "emulator/decode.h"
#include "emulator/steps.h"

static bool read_shape(struct smc_decoder *decoder, struct smc_op *op)
{
    static const char *const strong[] = {"relaxed", "acquire", "release", "acq_rel"};
    const char *const vectors[] = {"v2", "v4", "v8"};
    op->type = smc_decode_type(decoder, 0);
    if (op->type == SMC_PTX_TYPE_COUNT || op->type == SMC_PTX_PRED || op->type == SMC_PTX_B128)
        return smc_decode_refuse(decoder, "this type");
    if (smc_decode_has(decoder, "shared::cluster"))
        return smc_decode_refuse(decoder, "clusters");
    op->width_bytes = smc_ptx_type_info[op->type].bytes;
    op->vector = 1;
    for (uint8_t i = 0; i < 3; i++)
        if (smc_decode_has(decoder, vectors[i]))
            op->vector = (uint8_t)(2u << i);
    if (op->width_bytes * op->vector > 32)
        return smc_decode_refuse(decoder, "above 32 bytes");
    op->space = smc_decode_space(decoder);
    for (size_t i = 0; i < sizeof strong / sizeof *strong; i++)
        op->is_strong |= smc_decode_has(decoder, strong[i]);
    return true;
}

/* Races are looked for by bytes where the kernel has accesses below a word. */
static void note_width(struct smc_program *program, const struct smc_op *op)
{
    bool narrow = op->width_bytes * op->vector < 4, generic = op->space == SMC_SPACE_GENERIC;
    program->splits_shared_words |= narrow && (generic || op->space == SMC_SPACE_SHARED);
    program->splits_global_words |= narrow && (generic || op->space == SMC_SPACE_GLOBAL);
}

/* A copy of `shape` with the guard of the statement. */
static bool emit_step(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape)
{
    struct smc_op *op = smc_decode_emit(decoder);
    if (!op)
        return false;
    struct smc_op copy = *shape;
    copy.guard = op->guard;
    copy.guard_negated = op->guard_negated;
    copy.is_first = op->is_first;
    copy.instruction = op->instruction;
    copy.step = step;
    *op = copy;
    note_width(decoder->program, op);
    return true;
}

/* The registers of a load's or a store's elements. */
static bool read_elements(struct smc_decoder *decoder, const struct smc_operand *operand,
                          bool is_load, struct smc_op *op)
{
    bool is_vector = operand->kind == SMC_OPERAND_VECTOR;
    uint32_t count = is_vector ? operand->elements : 1;
    if (count != op->vector)
        return smc_decode_refuse(decoder, "another number of elements");
    for (uint32_t i = 0; i < count; i++) {
        const struct smc_operand *element = is_vector ? &operand->element[i] : operand;
        if (is_load && element->kind == SMC_OPERAND_SINK)
            op->v[i] = SMC_NO_SLOT;
        else if (is_load)
            op->v[i] = smc_decode_any_target(decoder, element, op->type, &op->v_kind[i]);
        else
            op->v[i] = smc_decode_any_source(decoder, element, op->type, &op->v_kind[i]);
        if (decoder->failed || decoder->program->arena.failed)
            return false;
        uint32_t room = op->v_kind[i] == SMC_SLOT_64 ? 8 : op->v_kind[i] == SMC_SLOT_32 ? 4 : 0;
        if (op->v[i] != SMC_NO_SLOT && room < op->width_bytes)
            return smc_decode_refuse(decoder, "a register that is too narrow");
    }
    return true;
}

bool smc_decode_ld(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 2, 3) || !read_shape(decoder, &shape))
        return false; /* a third operand is a cache policy */
    if (decoder->statement->operand[1].elements && shape.space == SMC_SPACE_CONST)
        shape.space = SMC_SPACE_GLOBAL;
    return read_elements(decoder, &operand[0], true, &shape) &&
           smc_decode_address(decoder, &operand[1], &shape) &&
           emit_step(decoder, smc_step_load, &shape);
}

bool smc_decode_st(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (smc_decode_has(decoder, "async") || smc_decode_has(decoder, "bulk"))
        return smc_decode_refuse(decoder, "");
    if (!smc_decode_count(decoder, 2, 3) || !read_shape(decoder, &shape))
        return false;
    if (shape.space == SMC_SPACE_PARAM || shape.space == SMC_SPACE_CONST)
        return smc_decode_refuse(decoder, "a store to this space");
    return smc_decode_address(decoder, &operand[0], &shape) &&
           read_elements(decoder, &operand[1], false, &shape) &&
           emit_step(decoder, smc_step_store, &shape);
}

static enum smc_reduction reduction_of(const struct smc_decoder *decoder)
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

bool smc_decode_atom(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    bool returns = smc_span_is(decoder->statement->opcode, "atom");
    struct smc_op shape = {0};
    if (!read_shape(decoder, &shape))
        return false;
    shape.reduction = reduction_of(decoder);
    bool swaps = shape.reduction == SMC_REDUCE_COMPARE_AND_SWAP;
    unsigned expected = 2 + returns + swaps;
    bool is_float = smc_ptx_type_info[shape.type].class == SMC_CLASS_FLOAT;
    if (shape.reduction == SMC_REDUCE_NONE || shape.vector > 1 || shape.width_bytes < 4 ||
        (is_float && (shape.reduction != SMC_REDUCE_ADD || shape.type == SMC_PTX_F16X2 ||
                      shape.type == SMC_PTX_BF16X2)))
        return smc_decode_refuse(decoder, "");
    if (!smc_decode_count(decoder, expected, expected))
        return false;
    const struct smc_operand *source = &operand[returns ? 2 : 1];
    if (!smc_decode_address(decoder, &operand[returns], &shape))
        return false;
    shape.is_strong = true;
    shape.b = smc_decode_source(decoder, &source[0], shape.type);
    shape.c = swaps ? smc_decode_source(decoder, &source[1], shape.type) : shape.b;
    if (returns && operand[0].kind != SMC_OPERAND_SINK) {
        shape.d_kind = smc_slot_kind_of(shape.type);
        shape.d = smc_decode_target(decoder, &operand[0], shape.type);
    }
    decoder->program->runs_in_order |= shape.space != SMC_SPACE_SHARED;
    return !decoder->failed && shape.b != SMC_NO_SLOT && shape.c != SMC_NO_SLOT &&
           shape.d != SMC_NO_SLOT && emit_step(decoder, smc_step_atomic, &shape);
}

/* cp.async.ca.shared.global [to], [from], 16{, bytes}{, cache policy}; */
static bool decode_copy(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op to = {.space = SMC_SPACE_SHARED, .type = SMC_PTX_B32, .vector = 1}, from = {0};
    unsigned policies = smc_decode_has(decoder, "L2::cache_hint");
    if (!smc_decode_count(decoder, 3 + policies, 4 + policies) ||
        !smc_decode_address(decoder, &operand[0], &to) ||
        !smc_decode_address(decoder, &operand[1], &from))
        return false;
    uint64_t bytes = operand[2].integer;
    if (operand[2].kind != SMC_OPERAND_INTEGER || (bytes != 4 && bytes != 8 && bytes != 16) ||
        from.address_is_32)
        return smc_decode_refuse(decoder, "a copy of this form");
    to.width_bytes = (uint8_t)bytes;
    to.b = from.a;
    to.source_offset = from.immediate;
    to.skips_l1 = smc_decode_has(decoder, "cg");
    to.c = decoder->statement->operands == 4 + policies
               ? smc_decode_source(decoder, &operand[3], SMC_PTX_U32)
               : smc_decode_constant(decoder, SMC_SLOT_32, bytes);
    return to.c != SMC_NO_SLOT && emit_step(decoder, smc_step_copy, &to);
}

bool smc_decode_cp(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.vector = 1, .width_bytes = 4};
    if (!smc_decode_has(decoder, "async") || smc_decode_has(decoder, "bulk") ||
        smc_decode_has(decoder, "mbarrier"))
        return smc_decode_refuse(decoder, "");
    if (smc_decode_has(decoder, "commit_group"))
        return emit_step(decoder, smc_step_commit, &shape);
    if (smc_decode_has(decoder, "wait_all")) {
        shape.immediate = SMC_WAIT_FOR_ALL;
        return emit_step(decoder, smc_step_wait, &shape);
    }
    if (!smc_decode_has(decoder, "wait_group"))
        return decode_copy(decoder);
    if (!smc_decode_count(decoder, 1, 1) || operand[0].kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a number of groups was expected");
    shape.immediate = operand[0].integer & UINT32_MAX;
    return emit_step(decoder, smc_step_wait, &shape);
}
