/* Decoders of the instructions on matrices: mma, wmma, ldmatrix, stmatrix, movmatrix. */
#include "machine/emulator/decode.h"

#include <string.h>

#include "machine/emulator/matrix.h"

/* The names of element types; s32 only of c and d. */
static const char *const type_names[SMC_MATRIX_TYPES] = {
    [SMC_MATRIX_F16] = "f16",   [SMC_MATRIX_BF16] = "bf16", [SMC_MATRIX_TF32] = "tf32",
    [SMC_MATRIX_F32] = "f32",   [SMC_MATRIX_F64] = "f64",   [SMC_MATRIX_E4M3] = "e4m3",
    [SMC_MATRIX_E5M2] = "e5m2", [SMC_MATRIX_S32] = "s32",   [SMC_MATRIX_S8] = "s8",
    [SMC_MATRIX_U8] = "u8",     [SMC_MATRIX_S4] = "s4",     [SMC_MATRIX_U4] = "u4",
    [SMC_MATRIX_B1] = "b1"};

/* The n-th element type among the modifiers. */
static enum smc_matrix_type type_at(const struct smc_decoder *decoder, unsigned n)
{
    const struct smc_ptx_statement *statement = decoder->statement;
    for (uint32_t i = 0; i < statement->modifiers; i++)
        for (int type = 0; type < SMC_MATRIX_TYPES; type++)
            if (smc_span_is(statement->modifier[i], type_names[type]) && n-- == 0)
                return (enum smc_matrix_type)type;
    return SMC_MATRIX_TYPES;
}

/* What wmma and mma know: the types of a and b with the shapes of each. */
static const struct {
    bool is_wmma;
    uint8_t m, n;
    uint16_t k;
    const char *types; /* of a */
} shapes[] = {
    {false, 16, 8, 4, "tf32 f64"},
    {false, 16, 8, 8, "f16 bf16 tf32 f64"},
    {false, 16, 8, 16, "f16 bf16 f64 s8 u8 e4m3 e5m2"},
    {false, 16, 8, 32, "s8 u8 s4 u4 e4m3 e5m2"},
    {false, 16, 8, 64, "s4 u4"},
    {false, 8, 8, 4, "f64"},
    {false, 8, 8, 16, "s8 u8"},
    {false, 8, 8, 32, "s4 u4"},
    {false, 8, 8, 128, "b1"},
    {false, 16, 8, 128, "b1"},
    {false, 16, 8, 256, "b1"},
    {true, 16, 16, 16, "f16 bf16 s8 u8"},
    {true, 32, 8, 16, "f16 bf16 s8 u8"},
    {true, 8, 32, 16, "f16 bf16 s8 u8"},
    {true, 16, 16, 8, "tf32"},
    {true, 8, 8, 4, "f64"},
    {true, 8, 8, 32, "s4 u4"},
    {true, 8, 8, 128, "b1"},
};

static bool lists(const char *types, const char *name)
{
    size_t bytes = strlen(name);
    for (const char *at = types; (at = strstr(at, name)); at += bytes)
        if ((at == types || at[-1] == ' ') && (at[bytes] == ' ' || !at[bytes]))
            return true;
    return false;
}

/* ".m16n8k16": the shape; with `type` of a or b, unless that is SMC_MATRIX_TYPES. */
static bool decode_matrix_read_shape(struct smc_decoder *decoder, bool is_wmma,
                                     enum smc_matrix_type type, struct smc_matrix *matrix)
{
    char name[16];
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        name[0] = '\0';
        size_t used = 0;
        const unsigned sizes[] = {shapes[i].m, shapes[i].n, shapes[i].k};
        for (int s = 0; s < 3; s++) {
            name[used++] = "mnk"[s];
            for (unsigned power = 100; power > 0; power /= 10)
                if (sizes[s] >= power)
                    name[used++] = (char)('0' + sizes[s] / power % 10);
        }
        name[used] = '\0';
        if (shapes[i].is_wmma != is_wmma || !smc_decode_has(decoder, name) ||
            (type != SMC_MATRIX_TYPES && !lists(shapes[i].types, type_names[type])))
            continue;
        matrix->m = shapes[i].m;
        matrix->n = shapes[i].n;
        matrix->k = shapes[i].k;
        return true;
    }
    return smc_decode_refuse(decoder, "this shape with this type");
}

/* Appends the registers of a fragment to the list. */
static bool read_fragment(struct smc_decoder *decoder, const struct smc_operand *operand,
                          enum smc_matrix_type type, bool is_target, unsigned least,
                          struct smc_op *op, uint8_t *count)
{
    const bool is_vector = operand->kind == SMC_OPERAND_VECTOR;
    const struct smc_operand *element = is_vector ? operand->element : operand;
    const uint32_t elements = is_vector ? operand->elements : 1;
    const enum smc_ptx_type type_of_register = type == SMC_MATRIX_F64 ? SMC_PTX_B64 : SMC_PTX_B32;
    if (elements < least || elements % least || elements > SMC_MATRIX_REGISTERS)
        return smc_decode_refuse(decoder, "another number of registers was expected");
    for (uint32_t i = 0; i < elements; i++) {
        uint32_t slot = is_target ? smc_decode_target(decoder, &element[i], type_of_register)
                                  : smc_decode_source(decoder, &element[i], type_of_register);
        if (slot == SMC_NO_SLOT)
            return false;
        op->list[op->listed++] = slot;
    }
    *count = (uint8_t)elements;
    if (is_target)
        op->written = op->listed;
    return true;
}

static bool new_list(struct smc_decoder *decoder, struct smc_op *op)
{
    op->list = smc_arena_take(&decoder->program->arena,
                              (size_t)4 * SMC_MATRIX_REGISTERS * sizeof *op->list);
    return op->list != NULL;
}

/* The four types; wmma of half precision names only those of d and c. */
static bool read_types(struct smc_decoder *decoder, bool is_wmma, struct smc_matrix *matrix)
{
    enum smc_matrix_type type[4];
    for (unsigned i = 0; i < 4; i++)
        type[i] = type_at(decoder, i);
    if (is_wmma && type[1] != SMC_MATRIX_TYPES && type[2] == SMC_MATRIX_TYPES) {
        type[3] = type[1];
        type[1] = type[2] = SMC_MATRIX_F16;
    }
    matrix->d = (uint8_t)type[0];
    matrix->a = (uint8_t)type[1];
    matrix->b = (uint8_t)type[2];
    matrix->c = (uint8_t)type[3];
    const bool integers = type[1] >= SMC_MATRIX_S8, doubles = type[1] == SMC_MATRIX_F64;
    const bool halves =
        type[1] == SMC_MATRIX_F16 || type[1] == SMC_MATRIX_E4M3 || type[1] == SMC_MATRIX_E5M2;
    for (unsigned i = 0; i < 4; i += 3) {
        bool fits = integers  ? type[i] == SMC_MATRIX_S32
                    : doubles ? type[i] == SMC_MATRIX_F64
                              : type[i] == SMC_MATRIX_F32 || (halves && type[i] == SMC_MATRIX_F16);
        if (type[1] == SMC_MATRIX_TYPES || type[2] == SMC_MATRIX_TYPES || !fits)
            return smc_decode_refuse(decoder, "these types");
    }
    return true;
}

/* mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c; wmma.mma alike. */
static bool matrix_decode_product(struct smc_decoder *decoder, bool is_wmma)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {0};
    struct smc_matrix *matrix = &shape.matrix;
    if (!smc_decode_has(decoder, "sync") || smc_decode_has(decoder, "sp") ||
        smc_decode_has(decoder, "sp::ordered_metadata") || smc_decode_has(decoder, "block_scale"))
        return smc_decode_refuse(decoder, "");
    if (smc_decode_has(decoder, "rz") || smc_decode_has(decoder, "rm") ||
        smc_decode_has(decoder, "rp"))
        return smc_decode_refuse(decoder, "this rounding");
    if (!smc_decode_count(decoder, 4, 4) || !read_types(decoder, is_wmma, matrix) ||
        !decode_matrix_read_shape(decoder, is_wmma, (enum smc_matrix_type)matrix->a, matrix) ||
        !new_list(decoder, &shape))
        return false;
    if (!is_wmma && (!smc_decode_has(decoder, "row") || !smc_decode_has(decoder, "col")))
        return smc_decode_refuse(decoder, "only .row.col");
    shape.finish = smc_decode_has(decoder, "satfinite") ? SMC_FINISH_FINITE : 0;
    shape.reduction = smc_decode_has(decoder, "xor") ? SMC_REDUCE_XOR : SMC_REDUCE_AND;
    uint8_t *const counts[] = {&matrix->d_registers, &matrix->a_registers, &matrix->b_registers,
                               &matrix->c_registers};
    const uint8_t types[] = {matrix->d, matrix->a, matrix->b, matrix->c};
    static const enum smc_matrix_role roles[] = {SMC_MATRIX_C, SMC_MATRIX_A, SMC_MATRIX_B,
                                                 SMC_MATRIX_C};
    for (unsigned i = 0; i < 4; i++) {
        enum smc_matrix_type type = (enum smc_matrix_type)types[i];
        if (!read_fragment(decoder, &operand[i], type, i == 0,
                           smc_matrix_registers(matrix, roles[i], type), &shape, counts[i]))
            return false;
    }
    return smc_decode_emit_copy(decoder, smc_step_mma, &shape);
}

bool smc_decode_mma(struct smc_decoder *decoder)
{
    return matrix_decode_product(decoder, false);
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {...}, [p]{, stride};
   wmma.store.d.sync.aligned.row.m16n16k16.f32 [p], {...}{, stride}; */
static bool decode_fragment_access(struct smc_decoder *decoder, bool is_load)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.vector = 1, .type = SMC_PTX_B32, .space = smc_decode_space(decoder)};
    struct smc_matrix *matrix = &shape.matrix;
    enum smc_matrix_type type = type_at(decoder, 0);
    enum smc_matrix_role role = smc_decode_has(decoder, "a")   ? SMC_MATRIX_A
                                : smc_decode_has(decoder, "b") ? SMC_MATRIX_B
                                                               : SMC_MATRIX_C;
    if (type == SMC_MATRIX_TYPES)
        return smc_decode_refuse(decoder, "this type");
    if (smc_decode_has(decoder, "shared::cluster"))
        return smc_decode_refuse(decoder, "clusters");
    if (!smc_decode_count(decoder, 2, 3) ||
        !decode_matrix_read_shape(decoder, true, role == SMC_MATRIX_C ? SMC_MATRIX_TYPES : type,
                                  matrix) ||
        !new_list(decoder, &shape) || !smc_decode_address(decoder, &operand[is_load], &shape))
        return false;
    matrix->d = (uint8_t)type;
    shape.reduction = (enum smc_reduction)role;
    shape.is_aligned = smc_decode_has(decoder, "col");
    const unsigned rows = role == SMC_MATRIX_B ? matrix->k : matrix->m;
    const unsigned columns = role == SMC_MATRIX_A ? matrix->k : matrix->n;
    shape.b = decoder->statement->operands == 3
                  ? smc_decode_source(decoder, &operand[2], SMC_PTX_U32)
                  : smc_decode_constant(decoder, SMC_SLOT_32, shape.is_aligned ? rows : columns);
    const bool packs = smc_matrix_bits(type) < 32;
    const bool neighbours = !packs || shape.is_aligned == (role == SMC_MATRIX_B);
    if (packs && !neighbours && smc_matrix_bits(type) < 8)
        return smc_decode_refuse(decoder, "this layout with this type");
    decoder->program->splits_shared_words |= !neighbours;
    decoder->program->splits_global_words |= !neighbours;
    return shape.b != SMC_NO_SLOT &&
           read_fragment(decoder, &operand[!is_load], type, is_load,
                         smc_matrix_registers(matrix, role, type), &shape, &matrix->d_registers) &&
           smc_decode_emit_copy(decoder, is_load ? smc_step_load_fragment : smc_step_store_fragment,
                                &shape);
}

bool smc_decode_wmma(struct smc_decoder *decoder)
{
    if (smc_decode_has(decoder, "mma"))
        return matrix_decode_product(decoder, true);
    return decode_fragment_access(decoder, smc_decode_has(decoder, "load"));
}

/* ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {...}, [row]; stmatrix has its operands the
   other way round. */
bool smc_decode_rows(struct smc_decoder *decoder)
{
    const bool is_load = smc_decode_is(decoder, "ldmatrix");
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {
        .space = smc_decode_space(decoder), .type = SMC_PTX_B32, .width_bytes = 16, .vector = 1};
    uint8_t count;
    if (!smc_decode_has(decoder, "m8n8") || !smc_decode_has(decoder, "b16"))
        return smc_decode_refuse(decoder, "this shape");
    if (!smc_decode_count(decoder, 2, 2) || !new_list(decoder, &shape) ||
        !smc_decode_address(decoder, &operand[is_load], &shape))
        return false;
    shape.vector = smc_decode_has(decoder, "x4") ? 4 : smc_decode_has(decoder, "x2") ? 2 : 1;
    shape.reduction = smc_decode_has(decoder, "trans") ? SMC_REDUCE_EXCHANGE : SMC_REDUCE_NONE;
    if (!read_fragment(decoder, &operand[!is_load], SMC_MATRIX_S32, is_load, shape.vector, &shape,
                       &count))
        return false;
    if (count != shape.vector)
        return smc_decode_refuse(decoder, "another number of registers was expected");
    return smc_decode_emit_copy(decoder, is_load ? smc_step_load_rows : smc_step_store_rows,
                                &shape);
}

bool smc_decode_movmatrix(struct smc_decoder *decoder)
{
    const struct smc_operand *operand = decoder->statement->operand;
    struct smc_op shape = {.d_kind = SMC_SLOT_32};
    if (!smc_decode_has(decoder, "m8n8") || !smc_decode_count(decoder, 2, 2) ||
        !new_list(decoder, &shape))
        return smc_decode_refuse(decoder, "");
    shape.a = smc_decode_source(decoder, &operand[1], SMC_PTX_B32);
    shape.d = smc_decode_target(decoder, &operand[0], SMC_PTX_B32);
    shape.list[shape.listed++] = shape.d;
    shape.written = 1;
    return shape.a != SMC_NO_SLOT && shape.d != SMC_NO_SLOT &&
           smc_decode_emit_copy(decoder, smc_step_transpose, &shape);
}
