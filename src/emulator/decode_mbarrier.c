/* Decoders of mbarrier objects, and of the bulk copies that complete transactions of them. */
#include "emulator/decode.h"
#include "emulator/operations.h"

/* Appends the op, with the guard of the statement. */
static bool emit(struct smc_decoder *decoder, smc_step *step, const struct smc_op *shape)
{
    if (decoder->failed || shape->a == SMC_NO_SLOT || shape->b == SMC_NO_SLOT ||
        shape->c == SMC_NO_SLOT || shape->d == SMC_NO_SLOT)
        return false;
    struct smc_op *op = smc_decode_emit(decoder);
    if (!op)
        return false;
    struct smc_op copy = *shape;
    copy.guard = op->guard;
    copy.guard_negated = op->guard_negated;
    copy.is_first = op->is_first;
    copy.instruction = op->instruction;
    copy.target = op->target;
    copy.reconverge_at = op->reconverge_at;
    copy.step = step;
    *op = copy;
    decoder->program->has_fences |= op->acquires || op->releases;
    return true;
}

static bool is_shared_or_generic(struct smc_decoder *decoder, enum smc_ptx_space space)
{
    return space == SMC_SPACE_SHARED || space == SMC_SPACE_GENERIC ||
           smc_decode_refuse(decoder, "it is in shared memory");
}

/* What all operations on an mbarrier object have: its address, and its meaning for the order of
   accesses unless .relaxed is given. */
static bool read_object(struct smc_decoder *decoder, const struct smc_operand *address,
                        struct smc_op *shape)
{
    shape->type = SMC_PTX_B64;
    shape->width_bytes = 8;
    shape->vector = 1;
    shape->is_strong = shape->is_narrow = true;
    shape->space = smc_decode_space(decoder);
    return is_shared_or_generic(decoder, shape->space) &&
           smc_decode_address(decoder, address, shape);
}

/* mbarrier.init [object], count;  mbarrier.inval [object]; */
static bool decode_init(struct smc_decoder *decoder, bool is_init)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 1 + is_init, 1 + is_init) ||
        !read_object(decoder, &operand[0], &shape))
        return false;
    shape.is_strong = shape.is_narrow = false;
    shape.b = is_init ? smc_decode_source(decoder, &operand[1], SMC_PTX_U32)
                      : smc_decode_constant(decoder, SMC_SLOT_32, 0);
    return emit(decoder, smc_step_mbarrier_init, &shape);
}

/* mbarrier.arrive state, [object]{, count};  mbarrier.arrive.expect_tx state, [object], bytes;
   mbarrier.arrive_drop alike. b: the count, c: the bytes. */
static bool decode_arrive(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    const bool expects = smc_decode_has(decoder, "expect_tx");
    const bool returns = operand[0].kind != SMC_OPERAND_ADDRESS;
    const unsigned least = 1u + returns + expects;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, least, 2u + returns) ||
        !read_object(decoder, &operand[returns], &shape))
        return false;
    const bool has_value = decoder->statement->operands == 2u + returns;
    const uint32_t value = has_value
                               ? smc_decode_source(decoder, &operand[1 + returns], SMC_PTX_U32)
                               : smc_decode_constant(decoder, SMC_SLOT_32, 1);
    shape.b = expects ? smc_decode_constant(decoder, SMC_SLOT_32, 1) : value;
    shape.c = expects ? value : smc_decode_constant(decoder, SMC_SLOT_32, 0);
    shape.releases = !smc_decode_has(decoder, "relaxed");
    shape.reduction = smc_decode_has(decoder, "arrive_drop") ? SMC_REDUCE_DEC : SMC_REDUCE_NONE;
    if (returns && operand[0].kind != SMC_OPERAND_SINK) {
        shape.d_kind = SMC_SLOT_64;
        shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_B64);
    }
    return emit(decoder, smc_step_mbarrier_arrive, &shape);
}

/* mbarrier.expect_tx [object], bytes;  mbarrier.complete_tx alike. */
static bool decode_transactions(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 2, 2) || !read_object(decoder, &operand[0], &shape))
        return false;
    shape.reduction = smc_decode_has(decoder, "complete_tx") ? SMC_REDUCE_DEC : SMC_REDUCE_INC;
    shape.c = smc_decode_source(decoder, &operand[1], SMC_PTX_U32);
    return emit(decoder, smc_step_mbarrier_transactions, &shape);
}

/* mbarrier.try_wait done, [object], state{, time};  with .parity the parity of a phase instead of a
   state. */
static bool decode_wait(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    const bool tries = smc_decode_has(decoder, "try_wait");
    struct smc_op shape = {.d_kind = SMC_SLOT_PREDICATE};
    if (!smc_decode_count(decoder, 3, 3u + tries) || !read_object(decoder, &operand[1], &shape))
        return false;
    shape.is_aligned = smc_decode_has(decoder, "parity");
    shape.acquires = !smc_decode_has(decoder, "relaxed");
    shape.b = smc_decode_source(decoder, &operand[2], shape.is_aligned ? SMC_PTX_B32 : SMC_PTX_B64);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_PRED);
    return emit(decoder, smc_step_mbarrier_wait, &shape);
}

/* mbarrier.pending_count count, state; */
static bool decode_pending(struct smc_decoder *decoder)
{
    const enum smc_ptx_type types[] = {SMC_PTX_B64};
    return smc_decode_count(decoder, 2, 2) &&
           smc_decode_simple(decoder, smc_mbarrier_pending, SMC_PTX_U32, 1, types) != NULL;
}

bool smc_decode_mbarrier(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "init") || smc_decode_has(decoder, "inval"))
        return decode_init(decoder, smc_decode_has(decoder, "init"));
    if (smc_decode_has(decoder, "arrive") || smc_decode_has(decoder, "arrive_drop"))
        return decode_arrive(decoder);
    if (smc_decode_has(decoder, "expect_tx") || smc_decode_has(decoder, "complete_tx"))
        return decode_transactions(decoder);
    if (smc_decode_has(decoder, "test_wait") || smc_decode_has(decoder, "try_wait"))
        return decode_wait(decoder);
    if (smc_decode_has(decoder, "pending_count"))
        return decode_pending(decoder);
    return smc_decode_refuse(decoder, "");
}

/* cp.async.mbarrier.arrive.noinc [object]; */
static bool decode_copies_arrive(struct smc_decoder *decoder)
{
    struct smc_op shape = {.releases = true};
    if (!smc_decode_count(decoder, 1, 1) ||
        !read_object(decoder, &decoder->statement->operand[0], &shape))
        return false;
    shape.b = smc_decode_constant(decoder, SMC_SLOT_32, smc_decode_has(decoder, "noinc"));
    shape.c = smc_decode_constant(decoder, SMC_SLOT_32, 0);
    return emit(decoder, smc_step_copies_arrive, &shape);
}

/* --- Shared memory of a cluster --------------------------------------------------------------- */

/* mapa.shared::cluster.u32 d, address, rank; without a space, of generic addresses. */
bool smc_decode_mapa(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    enum smc_ptx_type type;
    if (!smc_decode_known_type(decoder, &type) || !smc_decode_count(decoder, 3, 3))
        return false;
    shape.a = smc_decode_source(decoder, &operand[1], type);
    shape.b = smc_decode_source(decoder, &operand[2], SMC_PTX_U32);
    shape.d = smc_decode_target(decoder, &operand[0], type);
    shape.d_kind = smc_slot_kind_of(type);
    return emit(decoder, smc_step_map_shared, &shape);
}

/* getctarank.shared::cluster.u32 d, address; the type is that of the address. */
bool smc_decode_getctarank(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.d_kind = SMC_SLOT_32};
    enum smc_ptx_type type;
    if (!smc_decode_known_type(decoder, &type) || !smc_decode_count(decoder, 2, 2))
        return false;
    shape.address_is_32 = smc_slot_kind_of(type) == SMC_SLOT_32;
    shape.a = smc_decode_source(decoder, &operand[1], type);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_U32);
    return emit(decoder, smc_step_shared_rank, &shape);
}

/* --- Bulk copies ------------------------------------------------------------------------------ */

/* A 64-bit slot with the whole address. */
static uint32_t address_slot(struct smc_decoder *decoder, const struct smc_operand *operand)
{
    struct smc_op address = {0};
    if (!smc_decode_address(decoder, operand, &address))
        return SMC_NO_SLOT;
    uint32_t slot = address.a;
    if (address.address_is_32) {
        const uint32_t one = smc_decode_constant(decoder, SMC_SLOT_32, 1);
        slot = smc_slot_new(decoder->program, SMC_SLOT_64);
        if (one == SMC_NO_SLOT || !smc_decode_emit_alu(decoder, smc_integer_mul_wide[SMC_PTX_U32],
                                                       SMC_SLOT_64, slot, address.a, one, one))
            return SMC_NO_SLOT;
    }
    if (!address.immediate)
        return slot;
    const uint32_t offset = smc_decode_constant(decoder, SMC_SLOT_64, address.immediate);
    const uint32_t sum = smc_slot_new(decoder->program, SMC_SLOT_64);
    return offset != SMC_NO_SLOT && smc_decode_emit_alu(decoder, smc_integer_add[SMC_PTX_U64],
                                                        SMC_SLOT_64, sum, slot, offset, offset)
               ? sum
               : SMC_NO_SLOT;
}

/* cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [to], [from], bytes, [object];
   cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; both may have a cache policy. */
static bool decode_bulk_copy(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    const bool stores = smc_decode_has(decoder, "bulk_group");
    const bool loads = smc_decode_has(decoder, "mbarrier::complete_tx::bytes");
    const unsigned count = (stores ? 3u : 4u) + (unsigned)smc_decode_has(decoder, "L2::cache_hint");
    struct smc_op shape = {.type = SMC_PTX_B32, .width_bytes = 16, .vector = 1, .is_narrow = true};
    if (smc_decode_has(decoder, "multicast::cluster") ||
        (loads && !smc_decode_has(decoder, "global")))
        return smc_decode_refuse(decoder, "clusters");
    if (smc_decode_has(decoder, "cp_mask") || smc_decode_has(decoder, "ignore_oob") ||
        stores == loads)
        return smc_decode_refuse(decoder, "a bulk copy of this form");
    if (!smc_decode_count(decoder, count, count))
        return false;
    shape.space = stores ? SMC_SPACE_GLOBAL : SMC_SPACE_SHARED;
    shape.reduction =
        stores || !smc_decode_has(decoder, "global") ? SMC_REDUCE_NONE : SMC_REDUCE_EXCHANGE;
    shape.releases = loads;
    shape.a = address_slot(decoder, &operand[0]);
    shape.b = address_slot(decoder, &operand[1]);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_U32);
    shape.c = loads ? address_slot(decoder, &operand[3]) : shape.a;
    return shape.v[0] != SMC_NO_SLOT && emit(decoder, smc_step_bulk_copy, &shape);
}

bool smc_decode_bulk(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "mbarrier"))
        return decode_copies_arrive(decoder);
    if (smc_decode_has(decoder, "commit_group") || smc_decode_has(decoder, "wait_group") ||
        smc_decode_has(decoder, "prefetch"))
        return true; /* bulk copies are complete at once */
    return decode_bulk_copy(decoder);
}
