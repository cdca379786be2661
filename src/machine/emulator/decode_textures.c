/* Decoders of the instructions on textures and surfaces, which are objects: 64-bit values that the
   kernel was given. Of textures with several levels there is only the first. */
#include "machine/emulator/decode.h"

#include <string.h>

#include "machine/emulator/emulator_steps.h"

enum { MOST_LISTED = 12 };

static const struct {
    const char *name;
    uint8_t dimensions;
    bool is_layered;
    uint8_t coordinates; /* with the layer, and what fills a vector */
} geometries[] = {
    {"1d", 1, false, 1}, {"2d", 2, false, 2}, {"3d", 3, false, 4},
    {"a1d", 1, true, 2}, {"a2d", 2, true, 4},
};

static bool decode_textures_begin(struct smc_decoder *decoder, const struct smc_operand *object,
                                  struct smc_op *op)
{
    op->list = smc_arena_take(&decoder->program->arena, MOST_LISTED * sizeof *op->list);
    if (!op->list)
        return false;
    if (object->kind != SMC_OPERAND_ADDRESS)
        return smc_decode_refuse(decoder, "an address was expected");
    if (object->element[0].kind != SMC_OPERAND_REGISTER)
        return smc_decode_refuse(decoder, "texture and surface references, which CUDA 12 removed");
    op->a = smc_decode_source(decoder, &object->element[0], SMC_PTX_U64);
    return op->a != SMC_NO_SLOT;
}

static bool add_targets(struct smc_decoder *decoder, const struct smc_operand *operand,
                        uint32_t count, enum smc_ptx_type type, struct smc_op *op)
{
    bool is_vector = operand->kind == SMC_OPERAND_VECTOR;
    if ((is_vector ? operand->elements : 1) != count || operand->second)
        return smc_decode_refuse(decoder, "another number of registers was expected");
    for (uint32_t i = 0; i < count; i++) {
        const struct smc_operand *element = is_vector ? &operand->element[i] : operand;
        enum smc_slot_kind kind = smc_slot_kind_of(type);
        uint32_t slot = element->kind == SMC_OPERAND_SINK
                            ? smc_slot_new(decoder->program, kind)
                            : smc_decode_any_target(decoder, element, type, &kind);
        if (slot == SMC_NO_SLOT)
            return false;
        if (kind != smc_slot_kind_of(type))
            return smc_decode_refuse(decoder, "a register of another width");
        op->list[op->listed++] = slot;
    }
    op->written = op->listed;
    return true;
}

static bool decode_textures_add_sources(struct smc_decoder *decoder,
                                        const struct smc_operand *operand, uint32_t count,
                                        uint32_t least, enum smc_ptx_type type, struct smc_op *op)
{
    bool is_vector = operand->kind == SMC_OPERAND_VECTOR;
    uint32_t elements = is_vector ? operand->elements : 1;
    if (elements < least || elements > (count > least ? count : least))
        return smc_decode_refuse(decoder, "another number of registers was expected");
    for (uint32_t i = 0; i < least; i++) {
        const struct smc_operand *element = is_vector ? &operand->element[i] : operand;
        enum smc_slot_kind kind;
        uint32_t slot = smc_decode_any_source(decoder, element, type, &kind);
        if (slot == SMC_NO_SLOT)
            return false;
        if (kind != smc_slot_kind_of(type))
            return smc_decode_refuse(decoder, "a register of another width");
        op->list[op->listed++] = slot;
    }
    return true;
}

/* ".a2d": the geometry, and its coordinates, of which a vector may have one too many. */
static bool add_coordinates(struct smc_decoder *decoder, const struct smc_operand *object,
                            struct smc_texture_access *access, struct smc_op *op)
{
    size_t i = 0, all = sizeof geometries / sizeof *geometries;
    while (i < all && !smc_decode_has(decoder, geometries[i].name))
        i++;
    if (i == all)
        return smc_decode_refuse(decoder, "textures of this shape");
    if (object->elements != 2)
        return smc_decode_refuse(decoder, "separate samplers");
    access->dimensions = geometries[i].dimensions & 3u;
    access->is_layered = geometries[i].is_layered;
    return decode_textures_add_sources(
        decoder, &object->element[1], geometries[i].coordinates,
        geometries[i].dimensions + (uint32_t)geometries[i].is_layered, SMC_PTX_B32, op);
}

static bool emit(struct smc_decoder *decoder, smc_step *step, struct smc_texture_access access,
                 struct smc_op *shape)
{
    memcpy(&shape->immediate, &access, sizeof access);
    return smc_decode_emit_shape(decoder, step, shape);
}

/* Whether four words are the result. */
static bool check_texels(struct smc_decoder *decoder)
{
    enum smc_ptx_type type = smc_decode_type(decoder, 0);
    if (smc_decode_has(decoder, "v4") &&
        (type == SMC_PTX_U32 || type == SMC_PTX_S32 || type == SMC_PTX_F32))
        return true;
    return smc_decode_refuse(decoder, "texels of this type");
}

/* tex.2d.v4.f32.f32 {a, b, c, d}, [object, {x, y}]; tex.level and tex.grad choose among levels, of
   which there is one. */
bool smc_decode_tex(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_texture_access access = {0};
    struct smc_op shape = {0};
    uint32_t more = smc_decode_has(decoder, "level") ? 1 : smc_decode_has(decoder, "grad") ? 2 : 0;
    if (!smc_decode_count(decoder, 2 + more, 2 + more) || !check_texels(decoder))
        return false;
    access.is_integer = smc_decode_type(decoder, 1) == SMC_PTX_S32;
    return decode_textures_begin(decoder, &operand[1], &shape) &&
           add_targets(decoder, &operand[0], 4, SMC_PTX_B32, &shape) &&
           add_coordinates(decoder, &operand[1], &access, &shape) &&
           emit(decoder, smc_step_texture, access, &shape);
}

/* tld4.r.2d.v4.f32.f32 {a, b, c, d}, [object, {x, y}]; */
bool smc_decode_tld4(struct smc_decoder *decoder)
{
    static const char *const channels[] = {"r", "g", "b", "a"};
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_texture_access access = {0};
    struct smc_op shape = {0};
    if (!smc_decode_count(decoder, 2, 2) || !check_texels(decoder))
        return false;
    while (access.channel < 3 && !smc_decode_has(decoder, channels[access.channel]))
        access.channel = (access.channel + 1) & 3;
    return decode_textures_begin(decoder, &operand[1], &shape) &&
           add_targets(decoder, &operand[0], 4, SMC_PTX_B32, &shape) &&
           add_coordinates(decoder, &operand[1], &access, &shape) &&
           emit(decoder, smc_step_gather_texels, access, &shape);
}

/* txq.width.b32 d, [object]; suq too. */
bool smc_decode_txq(struct smc_decoder *decoder)
{
    static const char *const extents[] = {"width", "height", "depth"};
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_texture_access access = {0};
    struct smc_op shape = {0};
    unsigned i = 0;
    while (i < 3 && !smc_decode_has(decoder, extents[i]))
        i++;
    if (i == 3 || smc_decode_has(decoder, "level"))
        return smc_decode_refuse(decoder, "other properties than width, height and depth");
    access.dimensions = i & 3;
    return smc_decode_count(decoder, 2, 2) && decode_textures_begin(decoder, &operand[1], &shape) &&
           add_targets(decoder, &operand[0], 1, SMC_PTX_B32, &shape) &&
           emit(decoder, smc_step_query_texture, access, &shape);
}

/* The elements of a surface access, their width, and what happens outside. */
static bool read_surface(struct smc_decoder *decoder, struct smc_texture_access *access,
                         enum smc_ptx_type *type)
{
    static const char *const boundaries[] = {
        [SMC_BOUNDARY_TRAP] = "trap", [SMC_BOUNDARY_CLAMP] = "clamp", [SMC_BOUNDARY_ZERO] = "zero"};
    if (!smc_decode_has(decoder, "b"))
        return smc_decode_refuse(decoder, "with a conversion");
    if (!smc_decode_known_type(decoder, type))
        return false;
    access->bytes = smc_ptx_type_info[*type].bytes & 15u;
    access->elements = smc_decode_has(decoder, "v4") ? 4 : smc_decode_has(decoder, "v2") ? 2 : 1;
    for (unsigned i = 0; i < 3; i++)
        if (smc_decode_has(decoder, boundaries[i]))
            access->boundary = i & 3;
    return access->bytes * access->elements <= 16 || smc_decode_refuse(decoder, "above 16 bytes");
}

/* suld.b.2d.v2.b32.trap {a, b}, [object, {x, y}]; x is in bytes. sust has the registers last. */
bool smc_decode_surface(struct smc_decoder *decoder)
{
    const bool stores = smc_decode_is(decoder, "sust");
    const struct smc_operand *object = &decoder->statement->operand[!stores];
    const struct smc_operand *texels = &decoder->statement->operand[stores];
    struct smc_texture_access access = {0};
    struct smc_op shape = {0};
    enum smc_ptx_type type;
    return read_surface(decoder, &access, &type) && smc_decode_count(decoder, 2, 2) &&
           decode_textures_begin(decoder, object, &shape) &&
           (stores || add_targets(decoder, texels, access.elements, type, &shape)) &&
           add_coordinates(decoder, object, &access, &shape) &&
           (!stores || decode_textures_add_sources(decoder, texels, access.elements,
                                                   access.elements, type, &shape)) &&
           emit(decoder, stores ? smc_step_store_surface : smc_step_load_surface, access, &shape);
}
