/* Decoders of everything except arithmetic: memory, control flow, barriers, and operations across
   the lanes of a warp. */
#include "machine/emulator/decode.h"

#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/proxies.h"

/* --- Loads, stores, atomic operations, copies ------------------------------------------------- */

static bool decode_steps_read_shape(struct smc_decoder *decoder, struct smc_op *op)
{
    static const char *const strong[] = {"relaxed", "acquire",  "release",
                                         "acq_rel", "volatile", "mmio"};
    const char *const vectors[] = {"v2", "v4", "v8"};
    op->type = smc_decode_type(decoder, 0);
    if (op->type == SMC_PTX_TYPE_COUNT || op->type == SMC_PTX_PRED || op->type == SMC_PTX_B128)
        return smc_decode_refuse(decoder, "this type");
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
    op->is_volatile = smc_decode_has(decoder, "volatile");
    op->is_narrow = smc_decode_has(decoder, "cta") || smc_decode_has(decoder, "cluster");
    op->acquires = smc_decode_has(decoder, "acquire") || smc_decode_has(decoder, "acq_rel");
    op->releases = smc_decode_has(decoder, "release") || smc_decode_has(decoder, "acq_rel");
    op->skips_l1 = smc_decode_has(decoder, "cg") || smc_decode_has(decoder, "cv");
    op->is_noncoherent = smc_decode_has(decoder, "nc");
    return true;
}

static bool may_be_global(const struct smc_op *op)
{
    return op->space == SMC_SPACE_GLOBAL || op->space == SMC_SPACE_GENERIC;
}

/* Tracks races by bytes if the kernel has accesses smaller than a word. */
static void note_width(struct smc_program *program, const struct smc_op *op)
{
    bool narrow = op->width_bytes * op->vector < 4, generic = op->space == SMC_SPACE_GENERIC;
    program->splits_shared_words |= narrow && (generic || op->space == SMC_SPACE_SHARED);
    program->splits_global_words |= narrow && (generic || op->space == SMC_SPACE_GLOBAL);
}

/* The parameters of functions and of calls are in local memory; only those of the kernel are not.
 */
static void find_parameter(const struct smc_decoder *decoder, const struct smc_operand *operand,
                           struct smc_op *shape)
{
    const struct smc_operand *base = operand->elements ? operand->element : NULL;
    if (shape->space != SMC_SPACE_PARAM || !base || smc_decode_has(decoder, "param::entry"))
        return;
    if (base->kind == SMC_OPERAND_SYMBOL ? base->symbol->space == SMC_SPACE_LOCAL
                                         : decoder->statement->function != 0)
        shape->space = SMC_SPACE_LOCAL;
}

/* A copy of `shape` with the guard of the statement. */
static bool emit_access(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape)
{
    struct smc_op *op = smc_decode_emit_copy(decoder, step, shape);
    if (!op)
        return false;
    note_width(decoder->program, op);
    decoder->program->runs_in_order |= step == smc_step_store && op->is_strong && may_be_global(op);
    return true;
}

/* The registers of a load's or a store's elements. */
static bool decode_steps_read_elements(struct smc_decoder *decoder,
                                       const struct smc_operand *operand, bool is_load,
                                       struct smc_op *op)
{
    bool is_vector = operand->kind == SMC_OPERAND_VECTOR;
    uint32_t count = is_vector ? operand->elements : 1;
    if (count != op->vector)
        return smc_decode_refuse(decoder, "another number of elements");
    for (uint32_t i = 0; i < count; i++) {
        const struct smc_operand *element = is_vector ? &operand->element[i] : operand;
        enum smc_slot_kind kind = SMC_SLOT_NONE;
        if (is_load && element->kind == SMC_OPERAND_SINK)
            op->v[i] = SMC_NO_SLOT;
        else if (is_load)
            op->v[i] = smc_decode_any_target(decoder, element, op->type, &kind);
        else
            op->v[i] = smc_decode_any_source(decoder, element, op->type, &kind);
        if (decoder->failed || decoder->program->arena.failed)
            return false;
        op->v_kind[i] = (uint8_t)kind;
        uint32_t room = kind == SMC_SLOT_64 ? 8 : kind == SMC_SLOT_32 ? 4 : 0;
        if (op->v[i] != SMC_NO_SLOT && room < op->width_bytes)
            return smc_decode_refuse(decoder, "a register that is too narrow");
    }
    return true;
}

bool smc_decode_ld(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 2, 3) || !decode_steps_read_shape(decoder, &shape))
        return false; /* a third operand is a cache policy */
    if (decoder->statement->operand[1].elements && shape.space == SMC_SPACE_CONST)
        shape.space = SMC_SPACE_GLOBAL;
    find_parameter(decoder, &operand[1], &shape);
    return decode_steps_read_elements(decoder, &operand[0], true, &shape) &&
           smc_decode_address(decoder, &operand[1], &shape) &&
           emit_access(decoder, smc_step_load, &shape);
}

/* st.async and red.async: the object that counts the bytes is operand n. */
static bool decode_steps_read_object(struct smc_decoder *decoder, unsigned n, struct smc_op *op)
{
    if (!smc_decode_has(decoder, "mbarrier::complete_tx::bytes") || op->space != SMC_SPACE_SHARED)
        return smc_decode_refuse(decoder, "only with an mbarrier object");
    if (!smc_decode_count(decoder, n + 1, n + 1))
        return false;
    op->releases = true;
    op->c = smc_decode_whole_address(decoder, &decoder->statement->operand[n]);
    return op->c != SMC_NO_SLOT;
}

bool smc_decode_st(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (smc_decode_has(decoder, "bulk"))
        return smc_decode_refuse(decoder, "");
    if (!smc_decode_count(decoder, 2, 3) || !decode_steps_read_shape(decoder, &shape))
        return false;
    find_parameter(decoder, &operand[0], &shape);
    if (shape.space == SMC_SPACE_PARAM || shape.space == SMC_SPACE_CONST)
        return smc_decode_refuse(decoder, "a store to this space");
    if (!smc_decode_address(decoder, &operand[0], &shape) ||
        !decode_steps_read_elements(decoder, &operand[1], false, &shape))
        return false;
    if (smc_decode_has(decoder, "async"))
        return decode_steps_read_object(decoder, 2, &shape) &&
               emit_access(decoder, smc_step_store_async, &shape);
    return emit_access(decoder, smc_step_store, &shape);
}

/* Floats are only added. Below 32 bits there are halves, and compare-and-swap of 16 bits. */
static bool has_atomic(const struct smc_decoder *decoder, const struct smc_op *shape)
{
    bool adds = shape->reduction == SMC_REDUCE_ADD;
    if (shape->reduction == SMC_REDUCE_NONE || shape->vector > 1)
        return false;
    if (smc_ptx_is_half(shape->type))
        return adds && smc_decode_has(decoder, "noftz");
    if (smc_ptx_type_info[shape->type].class == SMC_CLASS_FLOAT)
        return adds && (shape->type == SMC_PTX_F32 || shape->type == SMC_PTX_F64);
    return shape->width_bytes >= 4 ||
           (shape->type == SMC_PTX_B16 && shape->reduction == SMC_REDUCE_COMPARE_AND_SWAP);
}

bool smc_decode_atom(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    bool returns = smc_decode_is(decoder, "atom"), is_async = smc_decode_has(decoder, "async");
    struct smc_op shape = {0};
    if (!decode_steps_read_shape(decoder, &shape))
        return false;
    shape.reduction = smc_decode_reduction(decoder);
    bool swaps = shape.reduction == SMC_REDUCE_COMPARE_AND_SWAP;
    unsigned expected = 2u + returns + swaps + is_async;
    if (!has_atomic(decoder, &shape))
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
    if (is_async)
        return decode_steps_read_object(decoder, 2, &shape) &&
               emit_access(decoder, smc_step_store_async, &shape);
    decoder->program->runs_in_order |= shape.space != SMC_SPACE_SHARED;
    return !decoder->failed && shape.b != SMC_NO_SLOT && shape.c != SMC_NO_SLOT &&
           shape.d != SMC_NO_SLOT && emit_access(decoder, smc_step_atomic, &shape);
}

/* --- First reads of loops around compare-and-swap --------------------------------------------- */

/* What an address is computed from: a register and an offset, or only an offset. */
struct origin {
    uint32_t slot; /* SMC_NO_SLOT: none */
    uint64_t offset;
};

static const struct smc_fixed_slot *constant_of(const struct smc_program *program, uint32_t slot)
{
    for (size_t i = 0; i < program->fixed_count; i++)
        if (program->fixed[i].offset == slot && program->fixed[i].special == SMC_SPECIAL_CONSTANT)
            return &program->fixed[i];
    return NULL;
}

static bool loads_into(const struct smc_op *op, uint32_t slot)
{
    bool loads = false;
    for (uint32_t i = 0; op->step == smc_step_load && i < op->vector; i++)
        loads |= op->v[i] == slot;
    return loads;
}

/* The only op that writes a register, if it computes it; or NULL. */
static const struct smc_op *decode_steps_writer_of(const struct smc_program *program, uint32_t slot)
{
    const struct smc_op *writer = NULL;
    for (size_t i = 0; i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        bool computes = op->d_kind != SMC_SLOT_NONE && op->d == slot;
        if ((computes && writer) || loads_into(op, slot))
            return NULL;
        writer = computes ? op : writer;
    }
    return writer;
}

/* Follows moves and sums with constants, as far as each register is written once. */
static struct origin origin_of(const struct smc_program *program, const struct smc_op *access)
{
    static const enum smc_ptx_type sums[] = {SMC_PTX_U32, SMC_PTX_S32, SMC_PTX_U64, SMC_PTX_S64};
    struct origin origin = {access->a, access->immediate};
    if (access->space != SMC_SPACE_GENERIC)
        origin.offset += smc_window_of(access->space);
    for (int turn = 0; turn < 8; turn++) {
        const struct smc_op *writer = decode_steps_writer_of(program, origin.slot);
        const struct smc_fixed_slot *added = NULL;
        if (!writer)
            break;
        for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
            if (writer->alu == smc_integer_add[sums[i]])
                added = constant_of(program, writer->b);
        if (!added && !smc_op_is_move(writer))
            break;
        origin.slot = writer->a;
        if (added)
            origin.offset +=
                added->kind == SMC_SLOT_32 ? (uint64_t)(int32_t)added->bits : added->bits;
    }
    const struct smc_fixed_slot *constant = constant_of(program, origin.slot);
    return constant ? (struct origin){SMC_NO_SLOT, origin.offset + constant->bits} : origin;
}

/* Adds the slots that moves copy to those of `set`; returns their number. */
static uint32_t add_copied(const struct smc_program *program, uint32_t *set, uint32_t room)
{
    uint32_t count = 1;
    for (uint32_t n = 0; n < count; n++)
        for (size_t i = 0; i < program->ops; i++) {
            const struct smc_op *op = &program->op[i];
            uint32_t k = 0;
            if (!smc_op_is_move(op) || op->d != set[n])
                continue;
            while (k < count && set[k] != op->a)
                k++;
            if (k == count && count < room)
                set[count++] = op->a;
        }
    return count;
}

/* A loop around atom.cas begins with a read of the old value that it expects. As the operation
   checks the value, a plain load serves as well as a strong one, and counts as one. */
void smc_find_guesses(struct smc_program *program)
{
    for (size_t i = 0; i < program->ops; i++) {
        const struct smc_op *swap = &program->op[i];
        uint32_t set[16] = {swap->b};
        if (swap->step != smc_step_atomic || swap->reduction != SMC_REDUCE_COMPARE_AND_SWAP)
            continue;
        uint32_t count = add_copied(program, set, sizeof set / sizeof *set);
        const struct origin swapped = origin_of(program, swap);
        for (size_t k = 0; k < program->ops; k++) {
            struct smc_op *load = &program->op[k];
            bool is_guess = false;
            if (load->step != smc_step_load || load->vector != 1 ||
                load->width_bytes != swap->width_bytes)
                continue;
            for (uint32_t n = 0; n < count; n++)
                is_guess |= load->v[0] == set[n];
            const struct origin loaded = origin_of(program, load);
            if (is_guess && loaded.slot == swapped.slot && loaded.offset == swapped.offset)
                load->is_strong = true;
        }
    }
}

static bool is_slot(void *wanted, uint32_t slot)
{
    return slot == *(uint32_t *)wanted;
}

static bool is_read(const struct smc_program *program, uint32_t slot)
{
    for (size_t i = 0; i < program->ops; i++)
        if (smc_op_sources(&program->op[i], is_slot, &slot))
            return true;
    return false;
}

/* ptxas counts the lanes of such an addition with one address before it adds. */
void smc_find_increments(struct smc_program *program)
{
    for (size_t i = 0; i < program->ops; i++) {
        struct smc_op *op = &program->op[i];
        if (op->step != smc_step_atomic || op->reduction != SMC_REDUCE_ADD ||
            op->width_bytes != 4 || (op->type != SMC_PTX_U32 && op->type != SMC_PTX_S32))
            continue;
        const struct smc_fixed_slot *added = constant_of(program, op->b);
        op->adds_one = added && (uint32_t)added->bits == 1 &&
                       (op->d_kind == SMC_SLOT_NONE || !is_read(program, op->d));
    }
}

/* The operand that limits a copy: the number of bytes to read, or a predicate: read none. */
static uint32_t copied_bytes(struct smc_decoder *decoder, const struct smc_operand *operand,
                             uint32_t all)
{
    if (operand->kind != SMC_OPERAND_REGISTER || operand->type != SMC_PTX_PRED)
        return smc_decode_source(decoder, operand, SMC_PTX_U32);
    uint32_t ignores = smc_decode_source(decoder, operand, SMC_PTX_PRED);
    uint32_t none = smc_decode_constant(decoder, SMC_SLOT_32, 0);
    uint32_t bytes = smc_slot_new(decoder->program, SMC_SLOT_32);
    return ignores != SMC_NO_SLOT && none != SMC_NO_SLOT && all != SMC_NO_SLOT &&
                   smc_decode_emit_alu(decoder, smc_select_32, SMC_SLOT_32, bytes, none, all,
                                       ignores)
               ? bytes
               : SMC_NO_SLOT;
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
    to.c = smc_decode_constant(decoder, SMC_SLOT_32, bytes);
    if (decoder->statement->operands == 4 + policies)
        to.c = copied_bytes(decoder, &operand[3], to.c);
    return to.c != SMC_NO_SLOT && emit_access(decoder, smc_step_copy, &to);
}

bool smc_decode_cp(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.vector = 1, .width_bytes = 4};
    if (!smc_decode_has(decoder, "async"))
        return smc_decode_refuse(decoder, "");
    if (smc_decode_has(decoder, "bulk") || smc_decode_has(decoder, "mbarrier"))
        return smc_decode_bulk(decoder);
    if (smc_decode_has(decoder, "commit_group"))
        return emit_access(decoder, smc_step_commit, &shape);
    if (smc_decode_has(decoder, "wait_all")) {
        shape.immediate = SMC_WAIT_FOR_ALL;
        return emit_access(decoder, smc_step_wait, &shape);
    }
    if (!smc_decode_has(decoder, "wait_group"))
        return decode_copy(decoder);
    if (!smc_decode_count(decoder, 1, 1) || operand[0].kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a number of groups was expected");
    shape.immediate = operand[0].integer & UINT32_MAX;
    return emit_access(decoder, smc_step_wait, &shape);
}

/* --- Control flow ----------------------------------------------------------------------------- */

bool smc_decode_bra(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    if (decoder->statement->operand[0].kind != SMC_OPERAND_LABEL)
        return smc_decode_refuse(decoder, "a label was expected");
    const struct smc_op shape = {.step_without_lanes = true};
    return smc_decode_emit_shape(decoder, smc_step_branch, &shape);
}

bool smc_decode_brx(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    if (!smc_decode_has(decoder, "idx") || !smc_decode_count(decoder, 2, 2) ||
        operand[1].kind != SMC_OPERAND_LABEL)
        return smc_decode_refuse(decoder, "");
    const struct smc_op shape = {.a = smc_decode_source(decoder, &operand[0], SMC_PTX_U32)};
    return smc_decode_emit_shape(decoder, smc_step_indexed_branch, &shape);
}

bool smc_decode_exit(struct smc_decoder *decoder)
{
    return smc_decode_emit_shape(decoder, smc_step_exit, &(struct smc_op){0});
}

bool smc_decode_trap(struct smc_decoder *decoder)
{
    return smc_decode_emit_shape(decoder, smc_step_trap, &(struct smc_op){0});
}

/* fence.proxy.async, for all spaces or one. Other proxies see memory as the generic one does. */
static bool decode_proxy_fence(struct smc_decoder *decoder)
{
    const bool is_shared = smc_decode_has(decoder, "shared::cta") ||
                           smc_decode_has(decoder, "shared::cluster") ||
                           smc_decode_has(decoder, "sync_restrict::shared::cta") ||
                           smc_decode_has(decoder, "sync_restrict::shared::cluster");
    const bool is_global = smc_decode_has(decoder, "global");
    if (!smc_decode_has(decoder, "async") && !smc_decode_has(decoder, "async::generic"))
        return true;
    const struct smc_op shape = {.immediate = (is_global ? 0 : SMC_FENCES_SHARED) |
                                              (is_shared ? 0 : SMC_FENCES_GLOBAL)};
    return smc_decode_emit_shape(decoder, smc_step_proxy_fence, &shape);
}

/* membar.gl, fence.acq_rel.gpu: the emulator's memory is in order, so fences only tell which
   accesses the program orders. */
bool smc_decode_fence(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "proxy"))
        return decode_proxy_fence(decoder);
    const struct smc_op shape = {.is_narrow = smc_decode_has(decoder, "cta") ||
                                              smc_decode_has(decoder, "cluster")};
    decoder->program->has_fences = true;
    return smc_decode_emit_shape(decoder, smc_step_fence, &shape);
}

/* Hints have no effect. A statement without an op gets one that does nothing. */
bool smc_decode_nothing(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "proxy"))
        return smc_decode_refuse(decoder, "");
    return true;
}

bool smc_decode_clock(struct smc_decoder *decoder)
{
    /* Assumes two clocks per nanosecond. */
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
        const struct smc_op shape = {.d = smc_decode_target(decoder, &operand[0], type),
                                     .d_kind = clocks[i].kind,
                                     .immediate = clocks[i].shift};
        if (smc_decode_emit_shape(decoder, smc_step_clock, &shape) &&
            smc_slot_kind_of(type) != clocks[i].kind)
            smc_decode_refuse(decoder, "another type");
        return true; /* also if decoding it failed */
    }
    return false;
}

/* --- Barriers --------------------------------------------------------------------------------- */

static bool decode_sync_warp(struct smc_decoder *decoder)
{
    if (!smc_decode_count(decoder, 1, 1))
        return false;
    const struct smc_op shape = {
        .a = smc_decode_source(decoder, &decoder->statement->operand[0], SMC_PTX_B32),
        .seen = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE)};
    return smc_decode_emit_shape(decoder, smc_step_sync_warp, &shape);
}

/* bar.sync a{, b}  bar.arrive a, b  bar.red.popc.u32 d, a{, b}, {!}c */
bool smc_decode_bar(struct smc_decoder *decoder)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    bool reduces = smc_decode_has(decoder, "red"), arrives = smc_decode_has(decoder, "arrive");
    struct smc_op shape = {.is_aligned =
                               smc_decode_is(decoder, "bar") || smc_decode_has(decoder, "aligned")};
    if (smc_decode_has(decoder, "cluster")) {
        const struct smc_op cluster = {.immediate = smc_decode_has(decoder, "relaxed")};
        return smc_decode_emit_shape(
            decoder, arrives ? smc_step_cluster_arrive : smc_step_cluster_wait, &cluster);
    }
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
    return smc_decode_emit_shape(decoder, arrives ? smc_step_arrive : smc_step_barrier, &shape);
}

/* --- Lanes together --------------------------------------------------------------------------- */

/* Emits the step with its slots, all of which must be valid. */
static bool emit_together(struct smc_decoder *decoder, smc_step *step, struct smc_op *shape)
{
    shape->seen = smc_slot_new(decoder->program, SMC_SLOT_PREDICATE);
    return shape->v[0] != SMC_NO_SLOT && smc_decode_emit_shape(decoder, step, shape);
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

bool smc_decode_elect(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_has(decoder, "sync") || !smc_decode_count(decoder, 2, 2) || !operand[0].second)
        return smc_decode_refuse(decoder, "");
    shape.v[0] = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    shape.v[1] = second_target(decoder);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    return shape.v[1] != SMC_NO_SLOT && emit_together(decoder, smc_step_elect, &shape);
}

bool smc_decode_redux(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.type = smc_decode_type(decoder, 0),
                           .reduction = smc_decode_reduction(decoder)};
    bool is_float = shape.type == SMC_PTX_F32;
    if (shape.reduction == SMC_REDUCE_NONE || shape.reduction > SMC_REDUCE_XOR ||
        shape.type == SMC_PTX_TYPE_COUNT || smc_ptx_type_info[shape.type].bytes != 4 ||
        (smc_ptx_type_info[shape.type].class == SMC_CLASS_FLOAT && !is_float) ||
        (is_float && shape.reduction != SMC_REDUCE_MIN && shape.reduction != SMC_REDUCE_MAX) ||
        !smc_decode_count(decoder, 3, 3))
        return smc_decode_refuse(decoder, "");
    shape.immediate = smc_decode_has(decoder, "abs") ? INT32_MAX : UINT32_MAX; /* of an operand */
    shape.finish = smc_decode_has(decoder, "NaN") ? SMC_FINISH_NAN : 0;
    shape.a = smc_decode_source(decoder, &operand[1], shape.type);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_B32);
    shape.d = smc_decode_target(decoder, &operand[0], shape.type);
    return emit_together(decoder, smc_step_reduce, &shape);
}
