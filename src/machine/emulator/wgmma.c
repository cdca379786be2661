/* wgmma: products of matrices that the four warps of a warpgroup compute together, from shared
   memory. Each warp computes 16 of the 64 rows: it reads its rows of a, and all of b.

   A warp leaves wgmma.mma_async only when all four have issued it (seen on an H200: a warp that was
   late by a million clocks held up the others there, and not at wgmma.fence). The product is
   computed for all of them when one waits for its group (pending.h). What it reads of shared memory
   is read by the warpgroup (order.h): a thread is ordered after that when it has waited for the
   group.

   The sums are those of mma (ops_matrix.c): all products of one instruction and c are aligned and
   truncated together. */
#include <math.h>
#include <string.h>

#include "machine/emulator/matrix.h"
#include "machine/emulator/order.h"
#include "machine/emulator/pending.h"
#include "machine/emulator/shadow.h"
#include "machine/narrow.h"

/* A row of a, or of b transposed, has 32 bytes in two chunks; a tile has 8 columns of b. */
enum { CHUNK_BYTES = 16, CHUNKS = 2, ROWS = 16, TILE = 8, MOST_K = 256 };

/* --- Matrices in shared memory ---------------------------------------------------------------- */

/* A matrix descriptor (PTX ISA, "Matrix Descriptor Format"), in bytes. */
struct descriptor {
    uint32_t start, leading, stride; /* byte offsets: of the dimensions */
    uint32_t base_offset;
    uint32_t span; /* bytes that are swizzled together: 32, 64, 128; 16: none */
};

static struct descriptor descriptor_of(uint64_t bits)
{
    static const uint32_t span[] = {16, 128, 64, 32};
    return (struct descriptor){.start = (uint32_t)(bits & 0x3fff) << 4,
                               .leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
                               .stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
                               .base_offset = (uint32_t)(bits >> 49 & 7),
                               .span = span[bits >> 62]};
}

/* Exchanges chunks of 16 bytes within the span by the number of the 128 bytes that they are in. */
static uint32_t swizzled(const struct descriptor *at, uint32_t address)
{
    const uint32_t mask = at->span / CHUNK_BYTES - 1;
    return address ^ (((address >> 7) - at->base_offset) & mask) << 4;
}

/* Where the chunk is that has elements of the row `row`, a row of a or a column of b: the first or
   the second 16 bytes of it. */
static uint32_t chunk_by_rows(const struct descriptor *at, uint32_t row, uint32_t chunk)
{
    const uint32_t along = at->span == CHUNK_BYTES ? chunk * at->leading : chunk * CHUNK_BYTES;
    return swizzled(at, at->start + row / 8 * at->stride + row % 8 * at->span + along);
}

/* The same of a transposed matrix: the chunk has the elements k of 8 rows from 8 * `eight` on. */
static uint32_t chunk_by_columns(const struct descriptor *at, uint32_t eight, uint32_t k)
{
    const uint32_t across = at->span / CHUNK_BYTES;
    const bool is_plain = across == 1;
    const uint32_t far = is_plain ? at->stride : at->leading;
    const uint32_t down = is_plain ? at->leading : at->stride;
    return swizzled(at, at->start + eight / across * far + eight % across * CHUNK_BYTES +
                            k / 8 * down + k % 8 * at->span);
}

/* The part of a product that a warp computes. Its descriptors and c's predicate are those of the
   time when it was issued. */
struct part {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_op *op;
    uint32_t active;
    uint64_t a, b;
    bool has_c;
    bool checks; /* only: reads of shared memory; nothing is computed */
};

/* Chunks that the lanes read; false after a finding. */
static bool read_chunks(const struct part *part, const uint64_t address[SMC_LANES], uint32_t count,
                        char *host[SMC_LANES])
{
    struct smc_worker *worker = part->worker;
    const struct smc_op *op = part->op;
    const struct smc_warp_access access = {.op = op,
                                           .kind = SMC_READS,
                                           .space = SMC_SPACE_SHARED,
                                           .mask = count == SMC_LANES ? SMC_ALL_LANES
                                                                      : (1u << count) - 1,
                                           .bytes = CHUNK_BYTES,
                                           .address = address,
                                           .host = host};
    for (uint32_t i = 0; i < count; i++) {
        if (address[i] + CHUNK_BYTES <= worker->launch->smem_bytes) {
            host[i] = worker->shared + address[i];
            continue;
        }
        struct smc_finding finding = smc_finding_at(worker, SMC_FINDING_OUT_OF_BOUNDS,
                                                    op->instruction, smc_thread_of(part->warp, 0));
        smc_finding_set_address(worker, &finding, SMC_SPACE_SHARED, address[i], CHUNK_BYTES);
        smc_find(worker, &finding);
        return false;
    }
    if (worker->shadow && part->checks)
        smc_shadow_check(worker, part->warp, &access, NULL);
    return true;
}

/* Reads `rows` rows of a, or columns of b, from `first` on: element k of row r becomes
   out[r * r_step + k * k_step]. */
struct fragment_place {
    uint64_t descriptor;
    enum smc_matrix_type type;
    bool is_transposed, is_negated;
    uint32_t first, rows;
    uint32_t r_step, k_step;
};

static bool read_shared(const struct part *part, const struct fragment_place *place,
                        union smc_element *out)
{
    const struct descriptor at = descriptor_of(place->descriptor);
    const uint32_t bits = smc_matrix_bits(place->type), width = CHUNK_BYTES * 8 / bits;
    const uint32_t chunks = place->rows * CHUNKS, ks = part->op->matrix.k;
    uint64_t address[SMC_LANES] = {0};
    char *host[SMC_LANES] = {0};
    for (uint32_t i = 0; i < chunks; i++)
        address[i] = place->is_transposed
                         ? chunk_by_columns(&at, place->first / 8 + i / ks, i % ks)
                         : chunk_by_rows(&at, place->first + i / CHUNKS, i % CHUNKS);
    if (!read_chunks(part, address, chunks, host))
        return false;
    for (uint32_t i = 0; i < chunks && !part->checks; i++)
        for (uint32_t e = 0; e < width; e++) {
            uint32_t word;
            memcpy(&word, host[i] + (size_t)e * bits / 32 * 4, sizeof word);
            union smc_element element = smc_matrix_element(place->type, word >> e * bits % 32);
            if (place->is_negated)
                element.number = -element.number;
            const uint32_t row = place->is_transposed ? i / ks * 8 + e : i / CHUNKS;
            const uint32_t k = place->is_transposed ? i % ks : i % CHUNKS * width + e;
            out[row * place->r_step + k * place->k_step] = element;
        }
    return true;
}

/* --- The product ------------------------------------------------------------------------------ */

static bool read_a(const struct part *part, union smc_element *a)
{
    const struct smc_op *op = part->op;
    const struct smc_matrix *matrix = &op->matrix;
    const bool is_negated = op->immediate & SMC_WGMMA_NEGATED_A;
    const struct fragment_place place = {.descriptor = part->a,
                                         .type = (enum smc_matrix_type)matrix->a,
                                         .is_transposed = op->immediate & SMC_WGMMA_TRANSPOSED_A,
                                         .is_negated = is_negated,
                                         .first = part->warp->index % 4 * ROWS,
                                         .rows = ROWS,
                                         .r_step = matrix->k,
                                         .k_step = 1};
    if (op->immediate & SMC_WGMMA_SHARED_A)
        return read_shared(part, &place, a);
    if (part->checks)
        return true;
    smc_matrix_gather(part->warp, matrix, SMC_MATRIX_A, place.type, op->list + matrix->d_registers,
                      a);
    for (uint32_t i = 0; is_negated && i < ROWS * (uint32_t)matrix->k; i++)
        a[i].number = -a[i].number;
    return true;
}

static bool read_b(const struct part *part, uint32_t first, union smc_element *b)
{
    const struct smc_op *op = part->op;
    const struct fragment_place place = {.descriptor = part->b,
                                         .type = (enum smc_matrix_type)op->matrix.b,
                                         .is_transposed = op->immediate & SMC_WGMMA_TRANSPOSED_B,
                                         .is_negated = op->immediate & SMC_WGMMA_NEGATED_B,
                                         .first = first,
                                         .rows = TILE,
                                         .r_step = 1,
                                         .k_step = TILE};
    return read_shared(part, &place, b);
}

/* A sum of products of formats of 8 bits, in single precision: an H100 returns 13 bits after the
   leading one, and zeros below them. */
static union smc_element shortened(const struct smc_matrix *matrix, union smc_element sum)
{
    const uint32_t bits = smc_bits_of_float((float)sum.number);
    if (matrix->d == SMC_MATRIX_F32 &&
        (matrix->a == SMC_MATRIX_E4M3 || matrix->a == SMC_MATRIX_E5M2) && isfinite(sum.number))
        sum.number = (double)smc_float_of_bits(bits & ~UINT32_C(0x3ff));
    return sum;
}

/* Computes 8 columns: `tile` is the op as if it had only these. */
static void multiply_tile(const struct part *part, const struct smc_op *tile,
                          const uint32_t *d_list, const union smc_element *a,
                          const union smc_element *b)
{
    const struct smc_matrix *matrix = &tile->matrix;
    union smc_element c[ROWS * TILE] = {{0}};
    if (part->has_c)
        smc_matrix_gather(part->warp, matrix, SMC_MATRIX_C, (enum smc_matrix_type)matrix->d, d_list,
                          c);
    for (unsigned i = 0; i < ROWS * TILE; i++)
        c[i] = shortened(matrix, smc_matrix_multiply(tile, &a[(size_t)i / TILE * matrix->k],
                                                     &b[i % TILE], c[i]));
    smc_matrix_scatter(part->warp, matrix, part->active, d_list, c);
}

/* Checks, or computes, the rows of a warp. False, after a finding. */
static bool wgmma_multiply(const struct part *part)
{
    union smc_element a[ROWS * MOST_K], b[MOST_K * TILE];
    const struct smc_op *op = part->op;
    struct smc_op tile = *op;
    tile.matrix.n = TILE;
    const uint32_t *list = op->list;
    const uint32_t registers =
        smc_matrix_registers(&tile.matrix, SMC_MATRIX_C, (enum smc_matrix_type)op->matrix.d);
    if (!part->active)
        return true;
    if (!read_a(part, a))
        return false;
    for (uint32_t n = 0; n < op->matrix.n; n += TILE, list += registers) {
        if (!read_b(part, n, b))
            return false;
        if (!part->checks)
            multiply_tile(part, &tile, list, a, b);
    }
    return true;
}

/* The warp has issued its part. */
static struct part product_part(struct smc_worker *worker, struct smc_warp *warp)
{
    const struct smc_op *op = warp->products.op;
    const char *file = warp->file;
    return (struct part){.worker = worker,
                         .warp = warp,
                         .op = op,
                         .active = warp->products.active,
                         .a = *(const lane_u64 *)(file + op->a), /* the same in all lanes */
                         .b = *(const lane_u64 *)(file + op->b),
                         .has_c = *(const lane_u32 *)(file + op->c) & warp->products.active,
                         .checks = true};
}

static bool walk_product(const struct smc_issuer *by, const void *operands)
{
    const struct part *parts = operands;
    bool reads = true;
    for (uint32_t w = 0; w < SMC_WARPGROUP; w++) {
        struct part part = parts[w];
        part.checks = by->step == SMC_WALK_CHECKS;
        reads &= wgmma_multiply(&part);
    }
    return reads;
}

/* All warps of the warpgroup have issued a product. Without checks of registers it is computed at
   once. */
static void issue_product(struct smc_worker *worker, struct smc_warp *first)
{
    struct part parts[SMC_WARPGROUP];
    struct smc_issuer by = {.worker = worker, .op = first->products.op};
    for (uint32_t w = 0; w < SMC_WARPGROUP; w++)
        parts[w] = product_part(worker, &first[w]);
    if (!walk_product(&by, parts))
        return;
    struct smc_pending *pending =
        first->use ? smc_pending_add(worker, &by, walk_product, parts, sizeof parts) : NULL;
    by.step = SMC_WALK_MOVES;
    if (!pending) {
        walk_product(&by, parts);
        return;
    }
    pending->unit = smc_warpgroup_unit(first);
    pending->group = first->products.groups;
}

enum smc_next smc_step_wgmma(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    struct smc_warp *first = &worker->warp[(size_t)(warp->index / SMC_WARPGROUP) * SMC_WARPGROUP];
    (void)mask;
    if (!converged)
        return SMC_WAITS;
    warp->products.op = op;
    warp->products.lanes = converged;
    warp->products.active = active;
    smc_warp_hold(warp, converged, SMC_WARPGROUP_BARRIER);
    for (uint32_t w = 0; w < SMC_WARPGROUP; w++)
        if (first->index + w >= worker->launch->warps_per_block || !first[w].products.op)
            return SMC_WAITS;
    uint64_t clock = 0;
    for (uint32_t w = 0; w < SMC_WARPGROUP; w++)
        clock = first[w].clock > clock ? first[w].clock : clock;
    issue_product(worker, first);
    for (uint32_t w = 0; w < SMC_WARPGROUP; w++) {
        smc_wgmma_registers_issue(&first[w], first[w].products.op);
        first[w].products.op = NULL;
        first[w].clock = clock;
        smc_warp_release(&first[w], first[w].products.lanes);
    }
    return SMC_MOVED;
}

/* --- Groups of products ----------------------------------------------------------------------- */

enum smc_next smc_step_wgmma_commit(struct smc_worker *worker, struct smc_warp *warp,
                                    const struct smc_op *op, uint32_t mask)
{
    struct smc_products *products = &warp->products;
    (void)op, (void)mask;
    if (worker->shadow)
        products->committed[products->groups % SMC_PRODUCT_GROUPS] =
            smc_shadow_arrive(worker->shadow);
    products->groups++;
    return SMC_GO_ON;
}

/* Waits for all groups but the last op->immediate ones. */
enum smc_next smc_step_wgmma_wait(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    struct smc_products *products = &warp->products;
    const uint64_t left = op->immediate;
    (void)mask;
    if (left >= products->groups)
        return SMC_GO_ON;
    const uint32_t complete = products->groups - (uint32_t)left;
    products->complete = complete > products->complete ? complete : products->complete;
    smc_pending_finish(worker, &(struct smc_group_wait){.warp = warp,
                                                        .unit = smc_warpgroup_unit(warp),
                                                        .groups = products->complete});
    if (worker->shadow && left < SMC_PRODUCT_GROUPS)
        smc_shadow_finish(worker->shadow, warp, smc_warpgroup_unit(warp),
                          products->committed[(complete - 1) % SMC_PRODUCT_GROUPS]);
    return SMC_GO_ON;
}

/* --- Registers -------------------------------------------------------------------------------- */

/* A block has as many registers as its warps have when they begin. setmaxnreg gives some back, or
   waits until there are enough (PTX ISA: "blocks execution until enough registers are available in
   the per-CTA-register-pool"). */

static uint32_t regs_missing(const struct smc_warp *warp)
{
    return (warp->wanted_regs - warp->regs) * SMC_LANES;
}

/* Warps that wait go on where there are enough registers for them, the lowest one first. */
static void hand_out(struct smc_worker *worker)
{
    for (uint32_t w = 0; w < worker->launch->warps_per_block; w++) {
        struct smc_warp *warp = &worker->warp[w];
        if (!warp->wanted_regs || regs_missing(warp) > worker->free_regs)
            continue;
        worker->free_regs -= regs_missing(warp);
        warp->regs = warp->wanted_regs;
        warp->wanted_regs = 0;
        smc_warp_release(warp, warp->live);
    }
}

enum smc_next smc_step_setmaxnreg(struct smc_worker *worker, struct smc_warp *warp,
                                  const struct smc_op *op, uint32_t mask)
{
    const uint32_t regs = (uint32_t)op->immediate;
    uint32_t active, converged = smc_matrix_converge(warp, op, &active);
    (void)mask;
    if (!converged)
        return SMC_WAITS;
    smc_warp_hold(warp, converged, SMC_REGISTER_BARRIER);
    warp->wanted_regs = regs;
    if (regs <= warp->regs) {
        worker->free_regs += (warp->regs - regs) * SMC_LANES;
        warp->regs = regs;
    }
    hand_out(worker);
    return warp->wanted_regs ? SMC_WAITS : SMC_MOVED;
}
