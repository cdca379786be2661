/* Decoders of mbarrier objects, of what completes their transactions (bulk copies, tensor copies,
   asynchronous stores), and of addresses in a cluster. */
#include "machine/emulator/decode.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/tensor_maps.h"

static bool is_shared_or_generic(struct smc_decoder *decoder, enum smc_ptx_space space)
{
    return space == SMC_SPACE_SHARED || space == SMC_SPACE_GENERIC ||
           smc_decode_refuse(decoder, "it is in shared memory");
}

/* What all operations on an mbarrier object have: its address, and its meaning for the order of
   accesses unless .relaxed is given. */
static bool decode_mbarrier_read_object(struct smc_decoder *decoder,
                                        const struct smc_operand *address, struct smc_op *shape)
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
        !decode_mbarrier_read_object(decoder, &operand[0], &shape))
        return false;
    shape.is_strong = shape.is_narrow = false;
    shape.b = is_init ? smc_decode_source(decoder, &operand[1], SMC_PTX_U32)
                      : smc_decode_constant(decoder, SMC_SLOT_32, 0);
    return smc_decode_emit_shape(decoder, smc_step_mbarrier_init, &shape);
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
        !decode_mbarrier_read_object(decoder, &operand[returns], &shape))
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
    return smc_decode_emit_shape(decoder, smc_step_mbarrier_arrive, &shape);
}

/* mbarrier.expect_tx [object], bytes;  mbarrier.complete_tx alike. */
static bool decode_transactions(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 2, 2) ||
        !decode_mbarrier_read_object(decoder, &operand[0], &shape))
        return false;
    shape.reduction = smc_decode_has(decoder, "complete_tx") ? SMC_REDUCE_DEC : SMC_REDUCE_INC;
    shape.c = smc_decode_source(decoder, &operand[1], SMC_PTX_U32);
    return smc_decode_emit_shape(decoder, smc_step_mbarrier_transactions, &shape);
}

/* mbarrier.try_wait done, [object], state{, time};  with .parity the parity of a phase instead of a
   state. */
static bool mbarrier_decode_wait(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    const bool tries = smc_decode_has(decoder, "try_wait");
    struct smc_op shape = {.d_kind = SMC_SLOT_PREDICATE};
    if (!smc_decode_count(decoder, 3, 3u + tries) ||
        !decode_mbarrier_read_object(decoder, &operand[1], &shape))
        return false;
    shape.is_aligned = smc_decode_has(decoder, "parity");
    shape.acquires = !smc_decode_has(decoder, "relaxed");
    shape.b = smc_decode_source(decoder, &operand[2], shape.is_aligned ? SMC_PTX_B32 : SMC_PTX_B64);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_PRED);
    return smc_decode_emit_shape(decoder, smc_step_mbarrier_wait, &shape);
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
        return mbarrier_decode_wait(decoder);
    if (smc_decode_has(decoder, "pending_count"))
        return decode_pending(decoder);
    return smc_decode_refuse(decoder, "");
}

/* cp.async.mbarrier.arrive.noinc [object]; */
static bool decode_copies_arrive(struct smc_decoder *decoder)
{
    struct smc_op shape = {.releases = true};
    if (!smc_decode_count(decoder, 1, 1) ||
        !decode_mbarrier_read_object(decoder, &decoder->statement->operand[0], &shape))
        return false;
    shape.b = smc_decode_constant(decoder, SMC_SLOT_32, smc_decode_has(decoder, "noinc"));
    shape.c = smc_decode_constant(decoder, SMC_SLOT_32, 0);
    return smc_decode_emit_shape(decoder, smc_step_copies_arrive, &shape);
}

/* --- Shared memory of a cluster --------------------------------------------------------------- */

/* mapa.shared::cluster.u32 d, address, rank; without a space, of generic addresses. */
bool smc_decode_mapa(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 3, 3))
        return false;
    shape.a = smc_decode_source(decoder, &operand[1], type);
    shape.b = smc_decode_source(decoder, &operand[2], SMC_PTX_U32);
    shape.d = smc_decode_target(decoder, &operand[0], type);
    shape.d_kind = smc_slot_kind_of(type);
    return smc_decode_emit_shape(decoder, smc_step_map_shared, &shape);
}

/* getctarank.shared::cluster.u32 d, address; the type is that of the address. */
bool smc_decode_getctarank(struct smc_decoder *decoder, enum smc_ptx_type type)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.d_kind = SMC_SLOT_32};
    if (!smc_decode_count(decoder, 2, 2))
        return false;
    shape.address_is_32 = smc_slot_kind_of(type) == SMC_SLOT_32;
    shape.a = smc_decode_source(decoder, &operand[1], type);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_U32);
    return smc_decode_emit_shape(decoder, smc_step_shared_rank, &shape);
}

/* --- Bulk copies ------------------------------------------------------------------------------ */

uint32_t smc_decode_whole_address(struct smc_decoder *decoder, const struct smc_operand *operand)
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

/* Whether the copy completes transactions of an object, or belongs to a group; from where to where.
   `operands`: without those of multicast and of a cache policy. */
static bool read_direction(struct smc_decoder *decoder, unsigned operands, struct smc_op *shape)
{
    const bool completes = smc_decode_has(decoder, "mbarrier::complete_tx::bytes");
    const bool multicasts = smc_decode_has(decoder, "multicast::cluster");
    const unsigned count =
        operands + completes + multicasts + (unsigned)smc_decode_has(decoder, "L2::cache_hint");
    if (smc_decode_has(decoder, "cp_mask") || smc_decode_has(decoder, "ignore_oob") ||
        smc_decode_has(decoder, "bulk_group") == completes)
        return smc_decode_refuse(decoder, "a bulk copy of this form");
    if (!smc_decode_count(decoder, count, count))
        return false;
    decoder->program->has_async = true;
    shape->is_async = true;
    shape->is_of_group = !completes;
    shape->type = SMC_PTX_B32;
    shape->width_bytes = 16;
    shape->vector = 1;
    shape->is_narrow = completes;
    shape->space = completes ? SMC_SPACE_SHARED : SMC_SPACE_GLOBAL;
    shape->immediate = (completes ? SMC_BULK_COMPLETES : 0u) |
                       (multicasts ? SMC_BULK_MULTICAST : 0u) |
                       (completes && smc_decode_has(decoder, "global") ? SMC_BULK_FROM_GLOBAL : 0u);
    shape->v[1] =
        multicasts
            ? smc_decode_source(decoder, &decoder->statement->operand[operands + 1], SMC_PTX_U16)
            : 0;
    return shape->v[1] != SMC_NO_SLOT;
}

/* .add.u32: what a reduction does; the type that is last, or that of the tensor. */
static bool read_reduction(struct smc_decoder *decoder, bool has_type, struct smc_op *shape)
{
    static const enum smc_ptx_type sums[] = {SMC_PTX_U32, SMC_PTX_S32,  SMC_PTX_U64, SMC_PTX_F16,
                                             SMC_PTX_F32, SMC_PTX_BF16, SMC_PTX_F64};
    shape->reduction = smc_decode_reduction(decoder);
    if (shape->space == SMC_SPACE_GLOBAL)
        decoder->program->runs_in_order = true;
    if (!has_type)
        return shape->reduction != SMC_REDUCE_NONE || smc_decode_refuse(decoder, "");
    shape->type = smc_decode_type(decoder, 0);
    const bool is_float =
        shape->type < SMC_PTX_TYPE_COUNT && smc_ptx_type_info[shape->type].class == SMC_CLASS_FLOAT;
    const bool is_half = shape->type == SMC_PTX_F16 || shape->type == SMC_PTX_BF16;
    const bool is_extreme =
        shape->reduction == SMC_REDUCE_MIN || shape->reduction == SMC_REDUCE_MAX;
    bool adds = false;
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        adds |= shape->reduction == SMC_REDUCE_ADD && shape->type == sums[i];
    if (shape->type >= SMC_PTX_TYPE_COUNT || shape->reduction == SMC_REDUCE_NONE ||
        (is_float ? !adds && !(is_half && is_extreme)
                  : smc_ptx_type_info[shape->type].bytes < 4 ||
                        (shape->reduction == SMC_REDUCE_ADD && !adds)))
        return smc_decode_refuse(decoder, "this reduction of this type");
    shape->width_bytes = smc_ptx_type_info[shape->type].bytes;
    return true;
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [object];
   cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes; cp.reduce.async.bulk alike. The
   first may be to several blocks, given by a mask; all may have a cache policy. */
static bool decode_bulk_copy(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    if (!read_direction(decoder, 3, &shape) ||
        (smc_decode_has(decoder, "reduce") && !read_reduction(decoder, true, &shape)))
        return false;
    shape.a = smc_decode_whole_address(decoder, &operand[0]);
    shape.b = smc_decode_whole_address(decoder, &operand[1]);
    shape.v[0] = smc_decode_source(decoder, &operand[2], SMC_PTX_U32);
    shape.c = shape.immediate & SMC_BULK_COMPLETES ? smc_decode_whole_address(decoder, &operand[3])
                                                   : shape.a;
    return shape.v[0] != SMC_NO_SLOT && smc_decode_emit_shape(decoder, smc_step_bulk_copy, &shape);
}

/* The address of the map, and the coordinates: [map, {x, y}]. */
static bool decode_tensor_address(struct smc_decoder *decoder, const struct smc_operand *operand,
                                  struct smc_op *shape)
{
    struct smc_operand address = *operand;
    char name[] = "1d";
    if (operand->kind != SMC_OPERAND_ADDRESS || operand->elements != 2 ||
        operand->element[1].kind != SMC_OPERAND_VECTOR)
        return smc_decode_refuse(decoder, "a tensor map and coordinates were expected");
    const struct smc_operand *coordinates = &operand->element[1];
    name[0] = (char)('0' + coordinates->elements % 10);
    if (coordinates->elements > SMC_TENSOR_DIMENSIONS || !smc_decode_has(decoder, name))
        return smc_decode_refuse(decoder, "another number of coordinates was expected");
    shape->list =
        smc_arena_take(&decoder->program->arena, SMC_TENSOR_DIMENSIONS * sizeof *shape->list);
    for (uint32_t i = 0; shape->list && i < coordinates->elements; i++) {
        shape->list[i] = smc_decode_source(decoder, &coordinates->element[i], SMC_PTX_S32);
        if (shape->list[i] == SMC_NO_SLOT)
            return false;
        shape->listed++;
    }
    address.elements = 1;
    shape->a = smc_decode_whole_address(decoder, &address);
    return shape->list != NULL;
}

/* cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [to], [map, {x,
   y}], [object]; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [from];
   cp.reduce.async.bulk.tensor like the second one. */
static bool decode_tensor_copy(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    static const char *const other_modes[] = {"im2col",        "im2col_no_offs", "im2col::w",
                                              "tile::gather4", "tile::scatter4", "im2col::w::128"};
    struct smc_op shape = {0};
    for (size_t i = 0; i < sizeof other_modes / sizeof *other_modes; i++)
        if (smc_decode_has(decoder, other_modes[i]))
            return smc_decode_refuse(decoder, "modes other than .tile");
    if (!read_direction(decoder, 2, &shape) ||
        (smc_decode_has(decoder, "reduce") && !read_reduction(decoder, false, &shape)))
        return false;
    const bool loads = shape.immediate & SMC_BULK_COMPLETES;
    if (!decode_tensor_address(decoder, &operand[loads], &shape))
        return false;
    shape.b = smc_decode_whole_address(decoder, &operand[!loads]);
    shape.c = loads ? smc_decode_whole_address(decoder, &operand[2]) : shape.b;
    return smc_decode_emit_shape(decoder, smc_step_tensor_copy, &shape);
}

/* cp.async.bulk.commit_group;  cp.async.bulk.wait_group{.read} groups; */
static bool decode_group(struct smc_decoder *decoder)
{
    const struct smc_operand *groups = decoder->statement->operand;
    const bool waits = smc_decode_has(decoder, "wait_group");
    if (!smc_decode_count(decoder, waits, waits))
        return false;
    if (waits && groups->kind != SMC_OPERAND_INTEGER)
        return smc_decode_refuse(decoder, "a number of groups was expected");
    const struct smc_op shape = {.immediate = waits ? groups->integer : 0,
                                 .is_narrow = smc_decode_has(decoder, "read")};
    return smc_decode_emit_shape(decoder, waits ? smc_step_bulk_wait : smc_step_bulk_commit,
                                 &shape);
}

bool smc_decode_bulk(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "mbarrier"))
        return decode_copies_arrive(decoder);
    if (smc_decode_has(decoder, "commit_group") || smc_decode_has(decoder, "wait_group"))
        return decode_group(decoder);
    if (smc_decode_has(decoder, "prefetch"))
        return true;
    return smc_decode_has(decoder, "tensor") ? decode_tensor_copy(decoder)
                                             : decode_bulk_copy(decoder);
}
