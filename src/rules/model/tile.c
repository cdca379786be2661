/* Arrays in shared memory that a layout places, and the offsets that the lanes of a warp access. */
#include "rules/banks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

enum { MATRIX_ROWS = 8, GROUP = 4 }; /* an mma's lane is 4 * group + place in the group */

/* --- Addresses -------------------------------------------------------------------------------- */

static uint32_t tile_place(const struct smc_tile *tile, uint32_t offset)
{
    if (tile->padding)
        offset += offset / tile->pitch * tile->padding;
    return smc_swizzle_apply(&tile->swizzle, offset);
}

uint32_t smc_tile_address(const struct smc_tile *tile, uint32_t offset)
{
    return (uint32_t)((uint64_t)tile_place(tile, offset) * tile->element_bits / 8);
}

uint32_t smc_tile_bytes(const struct smc_tile *tile)
{
    const uint32_t cosize = smc_cute_cosize(&tile->layout);
    const uint64_t padding = tile->padding ? divide_up(cosize, tile->pitch) * tile->padding : 0;
    return (uint32_t)((cosize + padding) * tile->element_bits / 8);
}

void smc_tile_access_of(const struct smc_tile *tile, const struct smc_tile_walked *walked, size_t i,
                        struct smc_access *access)
{
    const struct smc_tile_lanes *lanes = &walked->instruction[i];
    *access = (struct smc_access){
        .op = walked->op, .width_bytes = walked->width_bytes, .mask = lanes->mask};
    for (uint32_t left = lanes->mask; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        access->address[lane] = smc_tile_address(tile, lanes->offset[lane]);
    }
}

/* --- What lanes access ------------------------------------------------------------------------ */

/* How a walk sees the array: its extents, the elements that a lane accesses together, and the mode
   along which these are. */
struct view {
    const struct smc_tile *tile;
    const struct smc_tile_access *access;
    const char *name;
    struct smc_tile_walked *out;
    struct smc_error *error;
    uint32_t extent[2];
    uint32_t together, along;
};

static enum smc_status tile_fail(const struct view *view, const char *problem)
{
    return smc_fail(view->error, SMC_USAGE, "%s: %.100s: %s", view->name, view->access->label,
                    problem);
}

/* Whether every `count` neighbours of the mode have consecutive offsets, the first a multiple of
   `count`. */
static bool is_together(const struct smc_cute_layout *layout, uint32_t mode, uint32_t count)
{
    const uint32_t extent = smc_cute_extent(layout, mode);
    if (extent % count)
        return false;
    for (uint32_t at = 0; at < extent; at++) {
        const uint32_t first = smc_cute_mode_offset(layout, mode, at - at % count);
        if (first % count || smc_cute_mode_offset(layout, mode, at) != first + at % count)
            return false;
    }
    return true;
}

static enum smc_status fail_apart(const struct view *view)
{
    return smc_fail(view->error, SMC_USAGE,
                    "%s: %.100s: a lane accesses %" PRIu32 " elements (%" PRIu32
                    " bytes) together, which are not consecutive in the layout",
                    view->name, view->access->label, view->together, view->out->width_bytes);
}

/* Sets `along` and `together` for accesses of the width; prefers rows. */
static enum smc_status find_direction(struct view *view, uint32_t width_bytes)
{
    view->out->width_bytes = width_bytes;
    view->together = width_bytes * 8 / view->tile->element_bits;
    view->along = 1;
    if (view->together == 0)
        return tile_fail(view, "narrower than an element");
    if (is_together(&view->tile->layout, 1, view->together))
        return SMC_OK;
    view->along = 0;
    return is_together(&view->tile->layout, 0, view->together) ? SMC_OK : fail_apart(view);
}

/* The array does not consist of pieces of `step` rows and columns. */
static enum smc_status fail_multiple(const struct view *view, const uint32_t step[2])
{
    return smc_fail(view->error, SMC_USAGE,
                    "%s: %.100s accesses pieces of %" PRIu32 "x%" PRIu32
                    " elements; the array of %" PRIu32 "x%" PRIu32 " is not a multiple",
                    view->name, view->access->label, step[0], step[1], view->extent[0],
                    view->extent[1]);
}

static enum smc_status tile_allocate(const struct view *view, uint64_t count)
{
    if (count > SMC_TILE_MOST_INSTRUCTIONS)
        return smc_fail(view->error, SMC_USAGE,
                        "%s: %.100s: %" PRIu64 " instructions; at most %d are counted", view->name,
                        view->access->label, count, SMC_TILE_MOST_INSTRUCTIONS);
    view->out->count = (size_t)count;
    view->out->elements = view->together;
    view->out->instruction = smc_calloc((size_t)count, sizeof *view->out->instruction);
    return view->out->instruction ? SMC_OK : smc_out_of_memory(view->error);
}

static uint32_t offset_at(const struct view *view, uint32_t row, uint32_t column)
{
    return smc_cute_mode_offset(&view->tile->layout, 0, row) +
           smc_cute_mode_offset(&view->tile->layout, 1, column);
}

static void set_lane_offset(const struct view *view, size_t i, uint32_t lane, uint32_t offset)
{
    view->out->instruction[i].mask |= 1u << lane;
    view->out->instruction[i].offset[lane] = offset;
}

static enum smc_status walk_lines(struct view *view)
{
    SMC_TRY(find_direction(view, view->access->width_bytes));
    uint32_t pieces[2] = {view->extent[0], view->extent[1]};
    pieces[view->along] /= view->together;
    const uint32_t count = pieces[0] * pieces[1];
    const bool rows = view->access->walk == SMC_TILE_ROWS;
    SMC_TRY(tile_allocate(view, divide_up(count, SMC_WARP_LANES)));
    for (uint32_t piece = 0; piece < count; piece++) {
        uint32_t at[2] = {rows ? piece / pieces[1] : piece % pieces[0],
                          rows ? piece % pieces[1] : piece / pieces[0]};
        at[view->along] *= view->together;
        set_lane_offset(view, piece / SMC_WARP_LANES, piece % SMC_WARP_LANES,
                        offset_at(view, at[0], at[1]));
    }
    return SMC_OK;
}

/* Two matrices below each other if the array has the rows, further ones beside them. */
static enum smc_status walk_matrices(struct view *view)
{
    const uint32_t matrices = smc_bank_operations[view->access->op].matrices;
    SMC_TRY(find_direction(view, view->access->width_bytes));
    const uint32_t across = 1 - view->along;
    const uint32_t below = matrices > 1 && view->extent[across] >= 2 * MATRIX_ROWS ? 2 : 1;
    uint32_t step[2];
    step[across] = below * MATRIX_ROWS;
    step[view->along] = matrices / below * view->together;
    if (view->extent[0] % step[0] || view->extent[1] % step[1])
        return fail_multiple(view, step);
    const uint32_t rows = view->extent[0] / step[0], columns = view->extent[1] / step[1];
    SMC_TRY(tile_allocate(view, (uint64_t)rows * columns));
    for (uint32_t i = 0; i < rows * columns; i++)
        for (uint32_t lane = 0; lane < MATRIX_ROWS * matrices; lane++) {
            uint32_t at[2] = {i / columns * step[0], i % columns * step[1]};
            const uint32_t matrix = lane / MATRIX_ROWS;
            at[across] += matrix % below * MATRIX_ROWS + lane % MATRIX_ROWS;
            at[view->along] += matrix / below * view->together;
            set_lane_offset(view, i, lane, offset_at(view, at[0], at[1]));
        }
    return SMC_OK;
}

/* Where a lane's register of an mma's operand is, in the operand's rows and columns (of b: n and
   k), and what one instruction covers. PTX ISA, "Matrix Fragments for mma". */
static void fragment_place(const struct smc_tile_access *access, uint32_t elements, uint32_t lane,
                           uint32_t i, uint32_t at[2])
{
    const bool is_b = access->operand == 'b';
    at[0] = lane / GROUP + (is_b ? 0 : MATRIX_ROWS * (i % 2));
    at[1] = elements * (lane % GROUP) + elements * GROUP * (is_b ? i : i / 2);
}

static enum smc_status walk_fragment(struct view *view)
{
    const struct smc_tile_access *access = view->access;
    const uint32_t bits = view->tile->element_bits;
    const uint32_t elements = access->operand == 'c' ? 2 : 32 / bits;
    const bool is_b = access->operand == 'b';
    const uint32_t step[2] = {is_b ? MATRIX_ROWS : 2 * MATRIX_ROWS,
                              elements * GROUP *
                                  (is_b ? access->registers : access->registers / 2)};
    if (view->extent[0] % step[0] || view->extent[1] % step[1])
        return fail_multiple(view, step);
    const bool whole = is_together(&view->tile->layout, 1, elements);
    view->together = whole ? elements : 1;
    view->out->width_bytes = view->together * bits / 8;
    if (view->out->width_bytes == 0)
        return fail_apart(view);
    const uint32_t parts = elements / view->together, each = access->registers * parts;
    const uint32_t columns = view->extent[1] / step[1];
    const uint64_t tiles = (uint64_t)view->extent[0] / step[0] * columns;
    SMC_TRY(tile_allocate(view, tiles * each));
    for (uint32_t i = 0; i < view->out->count; i++)
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
            uint32_t at[2], place = i / each;
            fragment_place(access, elements, lane, i % each / parts, at);
            set_lane_offset(view, i, lane,
                            offset_at(view, place / columns * step[0] + at[0],
                                      place % columns * step[1] + at[1] + i % parts));
        }
    return SMC_OK;
}

/* One lane's values from `value` on. */
static enum smc_status walk_values(const struct view *view, size_t i, uint32_t thread,
                                   uint32_t value)
{
    const struct smc_cute_layout *threads = &view->access->threads_values;
    const uint32_t size = smc_cute_size(&view->tile->layout);
    const uint32_t first = smc_cute_mode_offset(threads, 0, thread);
    uint32_t begin = 0;
    for (uint32_t j = 0; j < view->together; j++) {
        const uint32_t index = first + smc_cute_mode_offset(threads, 1, value + j);
        if (index >= size)
            return smc_fail(view->error, SMC_USAGE,
                            "%s: %.100s: thread %" PRIu32 ", value %" PRIu32 " is element %" PRIu32
                            " of an array of %" PRIu32,
                            view->name, view->access->label, thread, value + j, index, size);
        const uint32_t offset = smc_cute_offset(&view->tile->layout, index);
        begin = j ? begin : offset;
        if (offset != begin + j || begin % view->together)
            return fail_apart(view);
    }
    set_lane_offset(view, i, thread % SMC_WARP_LANES, begin);
    return SMC_OK;
}

static enum smc_status walk_threads(struct view *view)
{
    const struct smc_cute_layout *layout = &view->access->threads_values;
    const uint32_t threads = smc_cute_extent(layout, 0), values = smc_cute_extent(layout, 1);
    const uint32_t warps = (uint32_t)divide_up(threads, SMC_WARP_LANES);
    view->out->width_bytes = view->access->width_bytes;
    view->together = view->access->width_bytes * 8 / view->tile->element_bits;
    if (view->together == 0)
        return tile_fail(view, "narrower than an element");
    if (layout->rank > 2)
        return tile_fail(view, "a layout of threads has two modes, (thread,value)");
    if (values % view->together)
        return smc_fail(view->error, SMC_USAGE,
                        "%s: %.100s: %" PRIu32
                        " values of a thread are not a multiple of the %" PRIu32
                        " that it accesses together",
                        view->name, view->access->label, values, view->together);
    const uint32_t each = values / view->together;
    SMC_TRY(tile_allocate(view, (uint64_t)warps * each));
    for (uint32_t i = 0; i < warps * each; i++)
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
            const uint32_t thread = i / each * SMC_WARP_LANES + lane;
            if (thread < threads)
                SMC_TRY(walk_values(view, i, thread, i % each * view->together));
        }
    return SMC_OK;
}

/* --- Whether the tile keeps them together ----------------------------------------------------- */

/* The padding and the swizzle move whole groups of `together` elements only. */
static enum smc_status tile_check(const struct view *view)
{
    const struct smc_tile *tile = view->tile;
    const uint32_t together = view->together;
    struct smc_access access;
    if (tile->swizzle.bits && 1u << tile->swizzle.base < together)
        return smc_fail(view->error, SMC_USAGE,
                        "%s: %.100s: Swizzle<%" PRIu32 ",%" PRIu32 ",%" PRId32
                        "> separates the %" PRIu32
                        " elements that a lane accesses together: M is at least %d",
                        view->name, view->access->label, tile->swizzle.bits, tile->swizzle.base,
                        tile->swizzle.shift, together, __builtin_ctz(together));
    if (tile->padding && tile->pitch % together)
        return tile_fail(view, "the padding separates elements that a lane accesses together");
    for (size_t i = 0; i < view->out->count; i++) {
        smc_tile_access_of(tile, view->out, i, &access);
        const uint32_t lanes = smc_access_misaligned(&access);
        if (lanes)
            return smc_fail(view->error, SMC_USAGE,
                            "%s: %.100s: lane %d's address %" PRIu32
                            " is not a multiple of %" PRIu32 " bytes",
                            view->name, view->access->label, __builtin_ctz(lanes),
                            access.address[__builtin_ctz(lanes)], access.width_bytes);
    }
    return SMC_OK;
}

enum smc_status smc_tile_walk(const struct smc_tile *tile, const struct smc_tile_access *access,
                              const char *name, struct smc_tile_walked *walked,
                              struct smc_error *error)
{
    static enum smc_status (*const walks[])(struct view *) = {
        [SMC_TILE_ROWS] = walk_lines,        [SMC_TILE_COLUMNS] = walk_lines,
        [SMC_TILE_MATRICES] = walk_matrices, [SMC_TILE_FRAGMENT] = walk_fragment,
        [SMC_TILE_THREADS] = walk_threads,
    };
    *walked = (struct smc_tile_walked){.op = access->op, .width_bytes = access->width_bytes};
    struct view view = {
        .tile = tile,
        .access = access,
        .name = name,
        .out = walked,
        .error = error,
        .extent = {smc_cute_extent(&tile->layout, 0), smc_cute_extent(&tile->layout, 1)},
    };
    enum smc_status status = walks[access->walk](&view);
    if (status == SMC_OK)
        status = tile_check(&view);
    if (status != SMC_OK)
        smc_tile_walked_free(walked);
    return status;
}

void smc_tile_walked_free(struct smc_tile_walked *walked)
{
    free(walked->instruction);
    walked->instruction = NULL;
    walked->count = 0;
}
