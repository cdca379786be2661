/* mma, wmma, ldmatrix, stmatrix and movmatrix: what the threads of a warp compute together.

   Integers and double precision are exact as the PTX ISA defines them; a product of doubles is
   added by one fused multiply-add after the other, in the order of k. Sums of products of smaller
   floats are what tensor cores approximate: all products of an element and c are aligned to the
   largest exponent among them, truncated to a fixed number of bits, added, and rounded once. */
#include <math.h>
#include <string.h>

#include "machine/emulator/emulator_state.h"
#include "machine/emulator/matrix.h"
#include "machine/narrow.h"

enum { MOST_M = 32, MOST_N = 32, MOST_K = 256, MOST_MK = 16 * 256, MOST_KN = 8 * 256 };

unsigned smc_matrix_bits(enum smc_matrix_type type)
{
    static const uint8_t bits[SMC_MATRIX_TYPES] = {
        [SMC_MATRIX_F16] = 16, [SMC_MATRIX_BF16] = 16, [SMC_MATRIX_TF32] = 32,
        [SMC_MATRIX_F32] = 32, [SMC_MATRIX_F64] = 64,  [SMC_MATRIX_E4M3] = 8,
        [SMC_MATRIX_E5M2] = 8, [SMC_MATRIX_S32] = 32,  [SMC_MATRIX_S8] = 8,
        [SMC_MATRIX_U8] = 8,   [SMC_MATRIX_S4] = 4,    [SMC_MATRIX_U4] = 4,
        [SMC_MATRIX_B1] = 1};
    return bits[type];
}

/* Elements that one register holds. */
static unsigned packed(enum smc_matrix_type type)
{
    return type == SMC_MATRIX_F64 ? 1 : 32 / smc_matrix_bits(type);
}

static unsigned rows_of(const struct smc_matrix *matrix, enum smc_matrix_role role)
{
    return role == SMC_MATRIX_B ? matrix->k : matrix->m;
}

static unsigned columns_of(const struct smc_matrix *matrix, enum smc_matrix_role role)
{
    return role == SMC_MATRIX_A ? matrix->k : matrix->n;
}

unsigned smc_matrix_registers(const struct smc_matrix *matrix, enum smc_matrix_role role,
                              enum smc_matrix_type type)
{
    return rows_of(matrix, role) * columns_of(matrix, role) / SMC_LANES / packed(type);
}

struct element_place {
    unsigned row, column;
};

/* Where element `element` of a lane's fragment is: the layout of mma (PTX ISA, Matrix Fragments),
   tile after tile. wmma's is not documented, and is the same here. */
static struct element_place ops_matrix_place_of(const struct smc_matrix *matrix,
                                                enum smc_matrix_role role,
                                                enum smc_matrix_type type, unsigned lane,
                                                unsigned element)
{
    const unsigned group = lane / 4, in_group = lane % 4;
    const unsigned tile_rows = matrix->m >= 16 ? 16 : 8, halves = tile_rows / 8;
    if (role == SMC_MATRIX_C) {
        const unsigned of_tile = 2 * halves, tile = element / of_tile, place = element % of_tile;
        const unsigned across = matrix->n / 8;
        return (struct element_place){tile / across * tile_rows + group + 8 * (place / 2),
                                      tile % across * 8 + in_group * 2 + place % 2};
    }
    const unsigned width = packed(type), part = element % width, chunks = matrix->k / (4 * width);
    unsigned number = element / width;
    if (role == SMC_MATRIX_A) {
        const unsigned tile = number / (chunks * halves);
        number %= chunks * halves;
        return (struct element_place){tile * tile_rows + group + 8 * (number % halves),
                                      number / halves * 4 * width + in_group * width + part};
    }
    return (struct element_place){number % chunks * 4 * width + in_group * width + part,
                                  number / chunks * 8 + group};
}

/* --- Elements --------------------------------------------------------------------------------- */

static bool is_integer(enum smc_matrix_type type)
{
    return type >= SMC_MATRIX_S32;
}

#define NUMBER(n)  ((union smc_element){.number = (n)})
#define INTEGER(n) ((union smc_element){.integer = (n)})

union smc_element smc_matrix_element(enum smc_matrix_type type, uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    switch (type) {
    case SMC_MATRIX_F16:
        return NUMBER(smc_of_narrow(&smc_half, word & 0xffff));
    case SMC_MATRIX_BF16:
        return NUMBER(smc_of_narrow(&smc_bfloat, word & 0xffff));
    case SMC_MATRIX_E4M3:
        return NUMBER(smc_of_narrow(&smc_e4m3, word & 0xff));
    case SMC_MATRIX_E5M2:
        return NUMBER(smc_of_narrow(&smc_e5m2, word & 0xff));
    case SMC_MATRIX_TF32: /* the lower bits are ignored */
        return NUMBER((double)smc_float_of_bits(word & ~UINT32_C(0x1fff)));
    case SMC_MATRIX_F32:
        return NUMBER((double)smc_float_of_bits(word));
    case SMC_MATRIX_F64:
        return NUMBER(smc_double_of_bits(bits));
    case SMC_MATRIX_S8:
        return INTEGER((int8_t)word);
    case SMC_MATRIX_U8:
        return INTEGER((uint8_t)word);
    case SMC_MATRIX_S4:
        return INTEGER((int8_t)(word << 4) >> 4);
    case SMC_MATRIX_U4:
        return INTEGER(word & 15);
    case SMC_MATRIX_B1:
        return INTEGER(word & 1);
    default:
        return INTEGER((int32_t)word);
    }
}

void smc_matrix_gather(const struct smc_warp *warp, const struct smc_matrix *matrix,
                       enum smc_matrix_role role, enum smc_matrix_type type, const uint32_t *list,
                       union smc_element *out)
{
    const unsigned width = packed(type), bits = smc_matrix_bits(type);
    const unsigned elements = smc_matrix_registers(matrix, role, type) * width;
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        for (unsigned e = 0; e < elements; e++) {
            const char *at = warp->file + list[e / width];
            uint64_t value = type == SMC_MATRIX_F64
                                 ? ((const lane_u64 *)at)[lane]
                                 : ((const lane_u32 *)at)[lane] >> (e % width * bits);
            const struct element_place place = ops_matrix_place_of(matrix, role, type, lane, e);
            out[place.row * columns_of(matrix, role) + place.column] =
                smc_matrix_element(type, value);
        }
}

static uint64_t ops_matrix_bits_of(enum smc_matrix_type type, union smc_element element)
{
    if (is_integer(type))
        return (uint32_t)element.integer;
    if (type == SMC_MATRIX_F64)
        return smc_bits_of_double(element.number);
    if (type == SMC_MATRIX_F16)
        return smc_to_narrow(&smc_half, element.number);
    return isnan(element.number) ? 0x7fffffff : smc_bits_of_float((float)element.number);
}

void smc_matrix_scatter(const struct smc_warp *warp, const struct smc_matrix *matrix, uint32_t mask,
                        const uint32_t *list, const union smc_element *from)
{
    const enum smc_matrix_type type = (enum smc_matrix_type)matrix->d;
    const unsigned width = packed(type);
    const unsigned registers = smc_matrix_registers(matrix, SMC_MATRIX_C, type);
    EACH_ACTIVE(lane, mask)
        for (unsigned r = 0; r < registers; r++) {
            uint64_t value = 0;
            for (unsigned i = 0; i < width; i++) {
                const struct element_place place =
                    ops_matrix_place_of(matrix, SMC_MATRIX_C, type, lane, r * width + i);
                value |= ops_matrix_bits_of(type, from[place.row * matrix->n + place.column])
                         << (16 * i);
            }
            if (type == SMC_MATRIX_F64)
                ((lane_u64 *)(warp->file + list[r]))[lane] = value;
            else
                ((lane_u32 *)(warp->file + list[r]))[lane] = (uint32_t)value;
        }
}

/* --- Sums of products ------------------------------------------------------------------------- */

/* Hopper: products of formats of 8 bits keep fewer bits. */
static int kept_bits(const struct smc_matrix *matrix)
{
    return matrix->a == SMC_MATRIX_E4M3 || matrix->a == SMC_MATRIX_E5M2 ? 13 : 25;
}

/* The exponent with which a number is aligned: of a subnormal, that of the smallest normal. */
static int matrix_exponent_of(enum smc_matrix_type type, double x)
{
    static const int least[SMC_MATRIX_TYPES] = {
        [SMC_MATRIX_F16] = -14,  [SMC_MATRIX_BF16] = -126, [SMC_MATRIX_TF32] = -126,
        [SMC_MATRIX_F32] = -126, [SMC_MATRIX_E4M3] = -6,   [SMC_MATRIX_E5M2] = -14};
    int exponent = (int)(smc_bits_of_double(x) >> 52 & 0x7ff) - 1023;
    return exponent < least[type] ? least[type] : exponent;
}

static int64_t aligned(double x, int unit)
{
    return (int64_t)ldexp(x, -unit); /* truncates */
}

/* One element: the products a[i] * b[i * stride] and c. */
static double summed(const struct smc_matrix *matrix, const union smc_element *a,
                     const union smc_element *b, double c)
{
    const enum smc_matrix_type a_type = (enum smc_matrix_type)matrix->a;
    const enum smc_matrix_type b_type = (enum smc_matrix_type)matrix->b;
    double special = c - c; /* a NaN if anything is not finite */
    int most = c != 0 ? matrix_exponent_of((enum smc_matrix_type)matrix->c, c) : -1000;
    for (unsigned i = 0; i < matrix->k; i++) {
        const double x = a[i].number, y = b[(size_t)i * matrix->n].number, product = x * y;
        special += product - product;
        int exponent = matrix_exponent_of(a_type, x) + matrix_exponent_of(b_type, y);
        if (product != 0 && exponent > most)
            most = exponent;
    }
    if (isnan(special)) {
        double sum = c;
        for (unsigned i = 0; i < matrix->k; i++)
            sum += a[i].number * b[(size_t)i * matrix->n].number;
        return sum;
    }
    const int unit = most - kept_bits(matrix);
    int64_t sum = aligned(c, unit);
    for (unsigned i = 0; i < matrix->k; i++)
        sum += aligned(a[i].number * b[(size_t)i * matrix->n].number, unit);
    return ldexp((double)sum, unit); /* fewer than 53 bits */
}

/* To single precision, towards zero. */
static double truncated(double x)
{
    float single = (float)x;
    if (isfinite(x) && fabs((double)single) > fabs(x))
        single = nextafterf(single, 0);
    return (double)single;
}

static double multiplied_doubles(const struct smc_matrix *matrix, const union smc_element *a,
                                 const union smc_element *b, double c)
{
    for (unsigned i = 0; i < matrix->k; i++)
        c = fma(a[i].number, b[(size_t)i * matrix->n].number, c);
    return c;
}

static int32_t multiplied_integers(const struct smc_op *op, const union smc_element *a,
                                   const union smc_element *b, int32_t c)
{
    const struct smc_matrix *matrix = &op->matrix;
    int64_t sum = c;
    for (unsigned i = 0; i < matrix->k; i++) {
        const int32_t x = a[i].integer, y = b[(size_t)i * matrix->n].integer;
        sum += matrix->a != SMC_MATRIX_B1        ? (int64_t)x * y
               : op->reduction == SMC_REDUCE_XOR ? x ^ y
                                                 : x & y;
    }
    if (op->finish & SMC_FINISH_FINITE)
        return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
    return (int32_t)(uint32_t)sum;
}

union smc_element smc_matrix_multiply(const struct smc_op *op, const union smc_element *a,
                                      const union smc_element *b, union smc_element c)
{
    const struct smc_matrix *matrix = &op->matrix;
    if (is_integer((enum smc_matrix_type)matrix->d))
        return (union smc_element){.integer = multiplied_integers(op, a, b, c.integer)};
    if (matrix->d == SMC_MATRIX_F64)
        return (union smc_element){.number = multiplied_doubles(matrix, a, b, c.number)};
    double sum = summed(matrix, a, b, c.number);
    return (union smc_element){.number = matrix->d == SMC_MATRIX_F16 ? sum : truncated(sum)};
}

uint32_t smc_matrix_converge(struct smc_warp *warp, const struct smc_op *op, uint32_t *active)
{
    uint32_t converged = smc_warp_converge(warp, warp->live, 0);
    *active = converged;
    if (op->guard != SMC_NO_SLOT) {
        uint32_t holds = *(const lane_u32 *)(warp->file + op->guard);
        *active &= op->guard_negated ? ~holds : holds;
    }
    return converged;
}

enum smc_next smc_step_mma(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint32_t mask)
{
    const struct smc_matrix *matrix = &op->matrix;
    const uint32_t *a_list = op->list + matrix->d_registers;
    const uint32_t *b_list = a_list + matrix->a_registers, *c_list = b_list + matrix->b_registers;
    union smc_element a[MOST_MK], b[MOST_KN], c[MOST_M * MOST_N], d[MOST_M * MOST_N];
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    (void)worker, (void)mask;
    if (!converged)
        return SMC_WAITS;
    smc_matrix_gather(warp, matrix, SMC_MATRIX_A, (enum smc_matrix_type)matrix->a, a_list, a);
    smc_matrix_gather(warp, matrix, SMC_MATRIX_B, (enum smc_matrix_type)matrix->b, b_list, b);
    smc_matrix_gather(warp, matrix, SMC_MATRIX_C, (enum smc_matrix_type)matrix->c, c_list, c);
    for (unsigned row = 0; row < matrix->m; row++)
        for (unsigned column = 0; column < matrix->n; column++) {
            const unsigned at = row * matrix->n + column;
            d[at] = smc_matrix_multiply(op, &a[(size_t)row * matrix->k], &b[column], c[at]);
        }
    smc_matrix_scatter(warp, matrix, active, op->list, d);
    smc_warp_release(warp, converged);
    return SMC_MOVED;
}

/* --- ldmatrix, stmatrix, movmatrix ------------------------------------------------------------ */

/* Each of the first 8 lanes for every matrix has the address of a row of 16 bytes. */
static uint32_t row_lanes(const struct smc_op *op)
{
    return op->vector == 4 ? SMC_ALL_LANES : (1u << 8 * op->vector) - 1;
}

/* The op as an access of one row. */
static struct smc_op row_access(const struct smc_op *op)
{
    struct smc_op access = *op;
    access.vector = 1;
    return access;
}

/* The place of a lane's element `i` of two in a matrix of 8 x 8: op->immediate is the address's
   offset, so that op->reduction tells whether it is transposed. */
static void row_place(const struct smc_op *op, unsigned lane, unsigned i, unsigned *row,
                      unsigned *column)
{
    const bool transposed = op->reduction == SMC_REDUCE_EXCHANGE;
    const unsigned across = lane / 4, along = lane % 4 * 2 + i;
    *row = transposed ? along : across;
    *column = transposed ? across : along;
}

enum smc_next smc_step_load_rows(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    const struct smc_op access = row_access(op);
    uint16_t rows[SMC_LANES][8] = {{0}};
    char *host[SMC_LANES];
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    (void)mask;
    if (!converged)
        return SMC_WAITS;
    const struct smc_warp_access read = {
        .op = &access, .kind = SMC_READS, .mask = active & row_lanes(op), .host = host};
    const uint32_t good = smc_memory_access(worker, warp, &read);
    EACH_ACTIVE(lane, good)
        memcpy(rows[lane], host[lane], sizeof rows[lane]);
    for (unsigned n = 0; n < op->vector; n++) {
        lane_u32 *d = (lane_u32 *)(warp->file + op->list[n]);
        EACH_ACTIVE(lane, active) {
            uint32_t value = 0;
            for (unsigned i = 0; i < 2; i++) {
                unsigned row, column;
                row_place(op, lane, i, &row, &column);
                value |= (uint32_t)rows[8 * n + row][column] << (16 * i);
            }
            d[lane] = value;
        }
    }
    smc_warp_release(warp, converged);
    return SMC_MOVED;
}

enum smc_next smc_step_store_rows(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    const struct smc_op access = row_access(op);
    uint16_t rows[SMC_LANES][8] = {{0}};
    const void *value[SMC_LANES];
    char *host[SMC_LANES];
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    (void)mask;
    if (!converged)
        return SMC_WAITS;
    for (unsigned n = 0; n < op->vector; n++) {
        const lane_u32 *from = (const lane_u32 *)(warp->file + op->list[n]);
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            for (unsigned i = 0; i < 2; i++) {
                unsigned row, column;
                row_place(op, lane, i, &row, &column);
                rows[8 * n + row][column] = (uint16_t)(from[lane] >> (16 * i));
            }
    }
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        value[lane] = rows[lane];
    const struct smc_warp_access write = {.op = &access,
                                          .kind = SMC_WRITES,
                                          .mask = active & row_lanes(op),
                                          .value = value,
                                          .host = host};
    const uint32_t good = smc_memory_access(worker, warp, &write);
    EACH_ACTIVE(lane, good)
        memcpy(host[lane], rows[lane], sizeof rows[lane]);
    smc_warp_release(warp, converged);
    return SMC_MOVED;
}

enum smc_next smc_step_transpose(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    const lane_u32 *a = (const lane_u32 *)(warp->file + op->a);
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    uint32_t element[8][8];
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    (void)worker, (void)mask;
    if (!converged)
        return SMC_WAITS;
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        for (unsigned i = 0; i < 2; i++)
            element[lane / 4][lane % 4 * 2 + i] = a[lane] >> (16 * i) & 0xffff;
    EACH_ACTIVE(lane, active)
        d[lane] = element[(size_t)lane % 4 * 2][lane / 4] | element[lane % 4 * 2 + 1][lane / 4]
                                                                << 16;
    smc_warp_release(warp, converged);
    return SMC_MOVED;
}

/* --- wmma.load and wmma.store ----------------------------------------------------------------- */

/* How a fragment's register is reached: as a whole, where its elements are neighbours in memory, or
   one element at a time. */
struct reach {
    enum smc_matrix_role role;
    enum smc_matrix_type type;
    bool by_columns;
    unsigned bytes, pieces; /* of each access; accesses to a register */
};

static struct reach reach_of(const struct smc_op *op)
{
    struct reach reach = {.role = (enum smc_matrix_role)op->reduction,
                          .type = (enum smc_matrix_type)op->matrix.d,
                          .by_columns = op->is_aligned};
    const unsigned bits = smc_matrix_bits(reach.type), width = packed(reach.type);
    const bool neighbours = width == 1 || reach.by_columns == (reach.role == SMC_MATRIX_B);
    reach.pieces = neighbours ? 1 : width;
    reach.bytes = bits == 64 ? 8 : neighbours ? 4 : bits / 8;
    return reach;
}

static void fragment_addresses(const struct smc_warp *warp, const struct smc_op *op,
                               const struct reach *reach, unsigned element,
                               uint64_t address[SMC_LANES])
{
    const lane_u32 *stride = (const lane_u32 *)(warp->file + op->b);
    smc_memory_addresses(warp, op, address);
    for (unsigned lane = 0; lane < SMC_LANES; lane++) {
        const struct element_place place =
            ops_matrix_place_of(&op->matrix, reach->role, reach->type, lane, element);
        const uint64_t along = reach->by_columns ? place.row : place.column;
        const uint64_t across = reach->by_columns ? place.column : place.row;
        address[lane] += (across * stride[lane] + along) * smc_matrix_bits(reach->type) / 8;
    }
}

/* What ptxas makes of wmma.load and wmma.store, which PTX leaves open. Found in the machine code of
   every shape, type and layout (ptxas 13.0: 232 kernels for sm_80, of which sm_90, sm_100 and
   sm_120 have the same instructions). Each access covers a block of `lines` and `elements` of each.
 */
struct piece {
    unsigned lines, elements, bytes;
    unsigned parts; /* accesses of one block; 0: ldmatrix, which covers four of them */
    bool crosses;   /* lanes next to each other access different lines */
};

static bool is_by_lines(const struct smc_op *op)
{
    const struct smc_matrix *matrix = &op->matrix;
    const enum smc_matrix_role role = (enum smc_matrix_role)op->reduction;
    if (role == SMC_MATRIX_C) /* of this shape the transposed product is computed */
        return op->is_aligned == (matrix->m == 8 && matrix->n == 32);
    return op->is_aligned == (role == SMC_MATRIX_B);
}

static struct piece piece_of(const struct smc_op *op, bool is_shared)
{
    const unsigned bits = smc_matrix_bits((enum smc_matrix_type)op->matrix.d);
    const bool is_sum = op->reduction == (enum smc_reduction)SMC_MATRIX_C;
    const bool by_lines = is_by_lines(op) || bits == 16; /* MOVM transposes 16 bits */
    if (by_lines && bits <= 16 && is_shared && !is_sum)
        return (struct piece){8, 128 / bits, 16, 0, false};
    if (by_lines) {
        const unsigned each = bits < 32 ? 32 / bits : is_sum ? 2 : 1;
        return (struct piece){8, 4 * each, each * bits / 8, 1, false};
    }
    const unsigned parts = bits < 32 ? 32 / bits : is_sum ? 2 : 1;
    return (struct piece){4 * parts, 8, bits / 8, parts, true};
}

unsigned smc_fragment_line(const struct smc_op *op, unsigned *bits)
{
    const enum smc_matrix_role role = (enum smc_matrix_role)op->reduction;
    *bits = smc_matrix_bits((enum smc_matrix_type)op->matrix.d);
    return op->is_aligned ? rows_of(&op->matrix, role) : columns_of(&op->matrix, role);
}

static unsigned blocks_of(const struct smc_op *op, const struct piece *piece, unsigned *across)
{
    const enum smc_matrix_role role = (enum smc_matrix_role)op->reduction;
    const unsigned elements = rows_of(&op->matrix, role) * columns_of(&op->matrix, role);
    unsigned bits;
    *across = smc_fragment_line(op, &bits) / piece->elements;
    return elements / (piece->lines * piece->elements);
}

enum { LDMATRIX_BLOCKS = 4 };

unsigned smc_fragment_accesses(const struct smc_op *op, bool is_shared)
{
    const struct piece piece = piece_of(op, is_shared);
    unsigned across, blocks = blocks_of(op, &piece, &across);
    return piece.parts ? blocks * piece.parts : (blocks + LDMATRIX_BLOCKS - 1) / LDMATRIX_BLOCKS;
}

void smc_fragment_access_at(const struct smc_op *op, bool is_shared, unsigned index,
                            struct smc_fragment_access *access)
{
    const struct piece piece = piece_of(op, is_shared);
    unsigned across, blocks = blocks_of(op, &piece, &across);
    *access =
        (struct smc_fragment_access){.bytes = (uint8_t)piece.bytes, .is_rows = piece.parts == 0};
    for (unsigned lane = 0; lane < SMC_LANES; lane++) {
        unsigned block = piece.parts ? index / piece.parts : index * LDMATRIX_BLOCKS + lane / 8;
        unsigned line = lane / 4, along = lane % 4 * (piece.elements / 4);
        if (piece.parts == 0) {
            line = lane % 8;
            along = 0;
        } else if (piece.crosses) {
            line = lane % 4 * piece.parts + index % piece.parts;
            along = lane / 4;
        }
        if (block >= blocks)
            continue;
        access->mask |= 1u << lane;
        access->line[lane] = (uint16_t)(block / across * piece.lines + line);
        access->along[lane] = (uint16_t)(block % across * piece.elements + along);
    }
}

/* One access of all lanes, to the space of the first. */
static uint32_t ops_matrix_access_fragment(struct smc_worker *worker, struct smc_warp *warp,
                                           const struct reach *reach, unsigned element,
                                           struct smc_warp_access access)
{
    uint64_t address[SMC_LANES];
    struct smc_op op = *access.op;
    op.width_bytes = (uint8_t)reach->bytes;
    op.vector = 1;
    fragment_addresses(warp, access.op, reach, element, address);
    access.op = &op;
    access.address = address;
    access.space = op.space;
    if (access.space == SMC_SPACE_GENERIC) {
        access.space = smc_space_of(address[__builtin_ctz(access.mask)]);
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            address[lane] -= smc_window_of(access.space);
    }
    if (access.space == SMC_SPACE_CONST)
        access.space = SMC_SPACE_GLOBAL;
    return smc_memory_access_at(worker, warp, &access);
}

/* What the machine code accesses instead, if that is shared memory. */
static void count_fragment(struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, enum smc_bank_op kind, uint32_t mask)
{
    const lane_u32 *stride = (const lane_u32 *)(warp->file + op->b);
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    uint64_t base[SMC_LANES], address[SMC_LANES];
    unsigned bits, elements = smc_fragment_line(op, &bits);
    const bool is_shared = op->space == SMC_SPACE_SHARED;
    smc_memory_addresses(warp, op, base);
    if (op->space == SMC_SPACE_GENERIC ? smc_space_of(base[first]) != SMC_SPACE_SHARED : !is_shared)
        return;
    const struct smc_access_bound bound = {.line_bytes = stride[first] * bits / 8,
                                           .line_width = elements * bits / 8,
                                           .first = (uint32_t)base[first]};
    for (unsigned i = 0; i < smc_fragment_accesses(op, is_shared); i++) {
        struct smc_fragment_access access;
        smc_fragment_access_at(op, is_shared, i, &access);
        access.mask &= mask;
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            address[lane] =
                (uint32_t)base[lane] +
                ((uint64_t)access.line[lane] * stride[lane] + access.along[lane]) * bits / 8;
        if (access.mask)
            smc_count_fragment(worker, op, kind, address, &access, &bound);
    }
}

enum smc_next smc_step_load_fragment(struct smc_worker *worker, struct smc_warp *warp,
                                     const struct smc_op *op, uint32_t mask)
{
    const struct reach reach = reach_of(op);
    const unsigned width = packed(reach.type);
    const unsigned registers = smc_matrix_registers(&op->matrix, reach.role, reach.type);
    for (unsigned r = 0; r < registers; r++) {
        uint64_t out[SMC_LANES] = {0};
        for (unsigned i = 0; i < reach.pieces; i++) {
            char *host[SMC_LANES];
            const struct smc_warp_access access = {
                .op = op, .kind = SMC_READS, .mask = mask, .host = host};
            uint32_t good = ops_matrix_access_fragment(worker, warp, &reach, r * width + i, access);
            EACH_ACTIVE(lane, good) {
                uint64_t piece = 0;
                memcpy(&piece, host[lane], reach.bytes);
                out[lane] |= piece << (i * reach.bytes * 8);
            }
        }
        for (unsigned copy = r; copy < op->listed; copy += registers)
            EACH_ACTIVE(lane, mask)
                if (reach.bytes == 8)
                    ((lane_u64 *)(warp->file + op->list[copy]))[lane] = out[lane];
                else
                    ((lane_u32 *)(warp->file + op->list[copy]))[lane] = (uint32_t)out[lane];
    }
    count_fragment(worker, warp, op, SMC_BANK_LOAD, mask);
    return SMC_GO_ON;
}

enum smc_next smc_step_store_fragment(struct smc_worker *worker, struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask)
{
    const struct reach reach = reach_of(op);
    const unsigned width = packed(reach.type);
    for (unsigned n = 0; n < op->listed * reach.pieces; n++) {
        const unsigned r = n / reach.pieces, i = n % reach.pieces;
        const char *from = warp->file + op->list[r];
        const void *value[SMC_LANES];
        char *host[SMC_LANES];
        for (unsigned lane = 0; lane < SMC_LANES; lane++)
            value[lane] =
                from + (size_t)lane * (reach.bytes == 8 ? 8 : 4) + (size_t)i * reach.bytes;
        const struct smc_warp_access access = {
            .op = op, .kind = SMC_WRITES, .mask = mask, .value = value, .host = host};
        uint32_t good = ops_matrix_access_fragment(worker, warp, &reach, r * width + i, access);
        EACH_ACTIVE(lane, good)
            memcpy(host[lane], value[lane], reach.bytes);
    }
    count_fragment(worker, warp, op, SMC_BANK_STORE, mask);
    return SMC_GO_ON;
}
