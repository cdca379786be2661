/* Tensor copies and reductions: cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, in tile mode.
   A box of a tensor in global memory is copied to or from a dense box in shared memory, whose
   pieces of 16 bytes are exchanged as the tensor map's swizzle says. What lies outside the tensor
   is read as 0 or NaN, and not written; a store does not read it from shared memory. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "machine/emulator/bulk_copies.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/tensor_maps.h"

/* A row of a box has at most 256 elements of 8 bytes. Swizzles exchange units of 16 bytes; a box in
   shared memory begins at a multiple of 128 bytes (CUDA Driver API, "Tensor Map Object
   Management"). */
enum { MOST_ROW_BYTES = 256 * 8, UNIT = 16, SHARED_ALIGN = 128 };

/* One copy of a lane. */
struct copy {
    const struct smc_issuer *by;
    struct smc_tensor_map map;
    int64_t first[SMC_TENSOR_DIMENSIONS];  /* coordinates */
    uint32_t count[SMC_TENSOR_DIMENSIONS]; /* elements in shared memory */
    uint32_t element_bytes, row_bytes, rows;
    uint64_t shared;
};

static void report_map(const struct copy *copy)
{
    struct smc_finding finding =
        smc_finding_at(copy->by->worker, SMC_FINDING_BAD_TENSOR_MAP, copy->by->op->instruction,
                       smc_thread_of(copy->by->warp, copy->by->lane));
    smc_find(copy->by->worker, &finding);
}

/* A copy whose first coordinate is not at a multiple of 16 bytes ends an H100's context. */
static bool has_aligned_coordinate(const struct copy *copy)
{
    const uint64_t along = (uint64_t)copy->first[0] * copy->element_bytes;
    return smc_place_is_aligned(copy->by, SMC_SPACE_GLOBAL, copy->map.address + along, 0, UNIT);
}

/* A store or reduction that begins before the tensor ends an H100's context; a load may, and all
   may reach beyond the tensor's end. */
static bool is_store_in_tensor(const struct copy *copy)
{
    if (copy->by->op->immediate & SMC_BULK_FROM_GLOBAL)
        return true;
    for (uint32_t i = 0; i < copy->by->op->listed; i++)
        if (copy->first[i] < 0) {
            struct smc_finding finding = smc_finding_at(
                copy->by->worker, SMC_FINDING_OUT_OF_BOUNDS, copy->by->op->instruction,
                smc_thread_of(copy->by->warp, copy->by->lane));
            snprintf(finding.note, sizeof finding.note,
                     "coordinate %" PRIu32 " of a tensor store is %" PRId64 ", less than 0", i,
                     copy->first[i]);
            smc_find(copy->by->worker, &finding);
            return false;
        }
    return true;
}

/* Sets what the map and the coordinates say. False, after a finding. */
static bool tensor_copies_begin(struct copy *copy)
{
    const struct smc_op *op = copy->by->op;
    const uint64_t at = ((const lane_u64 *)(copy->by->warp->file + op->a))[copy->by->lane];
    uint64_t bytes = 0;
    const char *data =
        smc_memory_peek(copy->by->worker, copy->by->warp, copy->by->lane, at, &bytes);
    if (!data || bytes < SMC_TENSOR_MAP_BYTES || !smc_tensor_map_read(data, &copy->map) ||
        copy->map.rank != op->listed) {
        report_map(copy);
        return false;
    }
    copy->element_bytes = smc_tensor_bytes((enum smc_tensor_type)copy->map.type);
    copy->rows = 1;
    for (uint32_t i = 0; i < op->listed; i++) {
        const lane_s32 *coordinate = (const lane_s32 *)(copy->by->warp->file + op->list[i]);
        copy->first[i] = coordinate[copy->by->lane];
        copy->count[i] = (copy->map.box[i] + copy->map.step[i] - 1u) / copy->map.step[i];
        copy->rows *= i ? copy->count[i] : 1;
    }
    copy->row_bytes = copy->count[0] * copy->element_bytes;
    if (!has_aligned_coordinate(copy) || !is_store_in_tensor(copy))
        return false;
    copy->shared = ((const lane_u64 *)(copy->by->warp->file + op->b))[copy->by->lane];
    return smc_place_is_aligned(copy->by, SMC_SPACE_SHARED, copy->shared, 0, SHARED_ALIGN);
}

/* Where the line of the tensor begins that row n of the box is in; false: outside the tensor. */
static bool tensor_copies_line_of(const struct copy *copy, uint32_t n, uint64_t *address)
{
    *address = copy->map.address;
    for (uint32_t i = 1; i < copy->map.rank; i++) {
        const int64_t at = copy->first[i] + (int64_t)(n % copy->count[i]) * copy->map.step[i];
        n /= copy->count[i];
        if (at < 0 || (uint64_t)at >= copy->map.size[i])
            return false;
        *address += (uint64_t)at * copy->map.stride[i - 1];
    }
    return true;
}

/* Elements along the contiguous dimension. A store or reduction writes the whole 16 bytes in which
   the tensor ends (seen on an H200). */
static int64_t elements_along(const struct copy *copy)
{
    const uint64_t width = copy->element_bytes, bytes = copy->map.size[0] * width;
    const bool is_load = copy->by->op->immediate & SMC_BULK_FROM_GLOBAL;
    return (int64_t)(is_load ? copy->map.size[0] : (bytes + UNIT - 1) / UNIT * UNIT / width);
}

/* The elements of a row that are in the tensor: from `*from` on, below `*end`. */
static void find_inside(const struct copy *copy, uint32_t *from, uint32_t *end)
{
    const int64_t first = copy->first[0], after = elements_along(copy) - first;
    const int64_t count = copy->count[0];
    *from = (uint32_t)(first >= 0 ? 0 : -first < count ? -first : count);
    *end = (uint32_t)(after < (int64_t)*from ? (int64_t)*from : after < count ? after : count);
}

/* From row to row in shared memory: where it is swizzled, a narrower row leaves the rest of the
   span as it is (seen on an H100). */
static uint32_t pitch_of(const struct copy *copy)
{
    const uint32_t span = copy->map.span;
    return span > UNIT && copy->row_bytes < span ? span : copy->row_bytes;
}

/* Where byte `at` of the box is in shared memory, from its beginning. */
static uint32_t swizzled(const struct copy *copy, uint32_t at)
{
    const uint64_t address = copy->shared % SMC_CLUSTER_STRIDE + at;
    const uint64_t mask = copy->map.span / UNIT - 1u;
    return (uint32_t)((address ^ (address >> 7 & mask) << 4) - copy->shared % SMC_CLUSTER_STRIDE);
}

/* The bytes of shared memory that the box may touch. */
static uint32_t shared_bytes(const struct copy *copy)
{
    const uint32_t bytes = copy->rows * pitch_of(copy), span = copy->map.span;
    return (bytes + span - 1) / span * span;
}

static void access_global(const struct copy *copy, bool is_read, uint64_t line, char *row)
{
    const uint32_t width = copy->element_bytes;
    uint32_t from, end;
    struct smc_copy_place place;
    find_inside(copy, &from, &end);
    const uint64_t address = line + (uint64_t)(copy->first[0] + (int64_t)from) * width;
    const uint32_t bytes = (end - from) * width;
    char *data = row + (size_t)from * width;
    if (bytes == 0 || !smc_place_find(copy->by, is_read ? SMC_READS : SMC_WRITES, SMC_SPACE_GLOBAL,
                                      address, bytes, &place))
        return;
    if (is_read)
        smc_place_read(copy->by, &place, 0, bytes, data);
    else if (copy->by->op->reduction == SMC_REDUCE_NONE)
        smc_place_write(copy->by, &place, 0, bytes, data);
    else
        smc_place_reduce(copy->by, &place, 0, bytes, data);
}

/* Of a row in shared memory, how many of the bytes from `at` on the swizzle moves as one; at most
   those below `end`. */
static uint32_t piece_at(const struct copy *copy, uint32_t n, uint32_t at, uint32_t end)
{
    const uint32_t piece = UNIT - (n * pitch_of(copy) + at) % UNIT;
    return piece < end - at ? piece : end - at;
}

static void write_row(const struct copy *copy, const struct smc_copy_place *place, uint32_t n,
                      const char *row)
{
    for (uint32_t at = 0, piece; at < copy->row_bytes; at += piece) {
        piece = piece_at(copy, n, at, copy->row_bytes);
        smc_place_write(copy->by, place, swizzled(copy, n * pitch_of(copy) + at), piece, row + at);
    }
}

/* Reads what is stored. Behind the tensor's end, up to a multiple of 16 bytes, it may be anything.
 */
static void tensor_copies_read_row(const struct copy *copy, const struct smc_copy_place *place,
                                   uint32_t n, char *row)
{
    const int64_t width = copy->element_bytes;
    const int64_t inside = ((int64_t)copy->map.size[0] - copy->first[0]) * width;
    uint32_t from, end;
    find_inside(copy, &from, &end);
    end *= copy->element_bytes;
    for (uint32_t at = 0, piece; at < end; at += piece) {
        const uint32_t begin = swizzled(copy, n * pitch_of(copy) + at);
        piece = piece_at(copy, n, at, at < inside && inside < end ? (uint32_t)inside : end);
        if (at < inside)
            smc_place_read(copy->by, place, begin, piece, row + at);
        else
            smc_place_read_any(copy->by, place, begin, piece, row + at);
    }
}

/* What is outside the tensor: 0, or a NaN whose halves all are 0x7ff7, whatever the type (seen on
   an H100). */
static void fill(const struct copy *copy, char row[MOST_ROW_BYTES])
{
    static const uint16_t nan_half = 0x7ff7;
    memset(row, 0, copy->row_bytes);
    for (uint32_t i = 0; copy->map.fills_nan && i < copy->row_bytes; i += sizeof nan_half)
        memcpy(row + i, &nan_half, sizeof nan_half);
}

/* Reads the box once and writes it to all blocks that it is for. */
static void tensor_copies_load(const struct copy *copy)
{
    struct smc_copy_place place[SMC_BULK_BLOCKS];
    bool is_found[SMC_BULK_BLOCKS];
    char row[MOST_ROW_BYTES];
    uint64_t line;
    EACH_ACTIVE(rank, copy->by->blocks)
        is_found[rank] =
            smc_place_find(copy->by, SMC_WRITES, SMC_SPACE_SHARED,
                           smc_bulk_address(copy->by->worker, copy->by->op, copy->shared, rank),
                           shared_bytes(copy), &place[rank]);
    for (uint32_t n = 0; n < copy->rows; n++) {
        fill(copy, row);
        if (tensor_copies_line_of(copy, n, &line))
            access_global(copy, true, line, row);
        EACH_ACTIVE(rank, copy->by->blocks)
            if (is_found[rank])
                write_row(copy, &place[rank], n, row);
    }
}

static void tensor_copies_store(const struct copy *copy)
{
    struct smc_copy_place place;
    char row[MOST_ROW_BYTES];
    uint64_t line;
    if (!smc_place_find(copy->by, SMC_READS, SMC_SPACE_SHARED, copy->shared, shared_bytes(copy),
                        &place))
        return;
    for (uint32_t n = 0; n < copy->rows; n++) {
        if (!tensor_copies_line_of(copy, n, &line))
            continue;
        tensor_copies_read_row(copy, &place, n, row);
        access_global(copy, false, line, row);
    }
}

static bool walk_tensor(const struct smc_issuer *by, const void *operands)
{
    struct copy copy = *(const struct copy *)operands;
    copy.by = by;
    if (by->op->immediate & SMC_BULK_FROM_GLOBAL)
        tensor_copies_load(&copy);
    else
        tensor_copies_store(&copy);
    return true;
}

/* The type of a reduction is the tensor's. */
static enum smc_ptx_type ptx_type_of(const struct smc_tensor_map *map)
{
    static const enum smc_ptx_type types[SMC_TENSOR_TYPES] = {
        [SMC_TENSOR_U8] = SMC_PTX_U8,   [SMC_TENSOR_U16] = SMC_PTX_U16,
        [SMC_TENSOR_U32] = SMC_PTX_U32, [SMC_TENSOR_S32] = SMC_PTX_S32,
        [SMC_TENSOR_U64] = SMC_PTX_U64, [SMC_TENSOR_S64] = SMC_PTX_S64,
        [SMC_TENSOR_F16] = SMC_PTX_F16, [SMC_TENSOR_F32] = SMC_PTX_F32,
        [SMC_TENSOR_F64] = SMC_PTX_F64, [SMC_TENSOR_BF16] = SMC_PTX_BF16};
    return types[map->type];
}

enum smc_next smc_step_tensor_copy(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    worker->changes++;
    EACH_ACTIVE(lane, mask) {
        struct smc_op access = *op;
        const struct smc_issuer by = {.worker = worker,
                                      .warp = warp,
                                      .op = &access,
                                      .lane = lane,
                                      .blocks = smc_bulk_blocks(warp, op, lane)};
        struct copy copy = {.by = &by};
        if (!tensor_copies_begin(&copy))
            continue;
        access.type = ptx_type_of(&copy.map);
        access.width_bytes = smc_ptx_type_info[access.type].bytes;
        walk_tensor(&by, &copy);
        smc_copy_begin(
            &by, &(struct smc_begun_copy){.walk = walk_tensor,
                                          .operands = &copy,
                                          .operand_bytes = sizeof copy,
                                          .object = ((const lane_u64 *)(warp->file + op->c))[lane],
                                          .bytes = copy.rows * copy.row_bytes,
                                          .shared = copy.shared,
                                          .shared_bytes = shared_bytes(&copy)});
    }
    return SMC_GO_ON;
}
