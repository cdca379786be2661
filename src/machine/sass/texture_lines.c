/* The lines of memory that texture fetches read, and the passes through the texture unit.

   A CUDA array consists of blocks of 64 bytes x 8 rows, in which a sector has 16 bytes of each of
   two rows and a line of L1 32 bytes of each of four rows. How the blocks follow one another
   changes neither. So a warp's 32 floats that are 32 x 1 texels touch 8 sectors, 16 x 2 to 4 x 8
   touch 4, 2 x 16 8 and 1 x 32 16, and a texel of which the filter's weight is 0 is not read
   (l1tex__m_xbar2l1tex_read_sectors of single warps, floats, bytes and float4, H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30).

   The unit takes quads of four lanes. Of CUDA arrays one passes for each 32 bytes that it spans in
   a row; texels of more than 8 bytes take two passes, with a filter four, and a filter in three
   dimensions twice as many: 8 clocks for a warp that fetches float, uchar4 or half4 in rows, tiles
   and columns, with and without a filter, 16 for float2 at a stride of two texels or filtered
   between them, 16 for float4, 32 filtered, 16 for float in three dimensions. Of linear memory, 3.5
   clocks for float and float2 in order, 7 for float4, and four times as long where each lane reads
   a line of its own, which is once for each 8 lines (32 warps of one SM; the same H200). */
#include "machine/sass/texture_lines.h"

#include "machine/texels.h"
#include "rules/banks.h"

enum { DIMENSIONS = 3, BLOCK_WIDTH = 64, BLOCK_ROWS = 8, BLOCK_BYTES = BLOCK_WIDTH * BLOCK_ROWS };

uint64_t smc_placed_texture_handle(size_t index)
{
    return index + 1;
}

static bool is_linear_memory(const struct smc_emulated_texture *texture)
{
    return texture->extent[1] == 1 && texture->extent[2] == 1;
}

static unsigned bytes_of_texel(const struct smc_emulated_texture *texture)
{
    return (unsigned)texture->channels * texture->channel_bytes;
}

static uint64_t blocks_in(uint64_t extent, uint64_t of_block)
{
    return (extent + of_block - 1) / of_block;
}

static uint64_t blocks_a_row(const struct smc_emulated_texture *texture)
{
    return blocks_in((uint64_t)texture->extent[0] * bytes_of_texel(texture), BLOCK_WIDTH);
}

uint64_t smc_placed_texture_bytes(const struct smc_emulated_texture *texture)
{
    if (is_linear_memory(texture))
        return (uint64_t)texture->extent[0] * bytes_of_texel(texture);
    return blocks_a_row(texture) * blocks_in(texture->extent[1], BLOCK_ROWS) * texture->extent[2] *
           BLOCK_BYTES;
}

static uint64_t place_of_texel(const struct smc_emulated_texture *texture,
                               const uint32_t index[DIMENSIONS])
{
    const uint64_t x = (uint64_t)index[0] * bytes_of_texel(texture), y = index[1];
    if (is_linear_memory(texture))
        return x;
    const uint64_t row = index[2] * blocks_in(texture->extent[1], BLOCK_ROWS) + y / BLOCK_ROWS;
    const uint64_t inside =
        x / 32 % 2 * 256 + y / 2 % 4 * 64 + x / 16 % 2 * 32 + y % 2 * 16 + x % 16;
    return (row * blocks_a_row(texture) + x / BLOCK_WIDTH) * BLOCK_BYTES + inside;
}

static const struct smc_placed_texture *texture_of_fetch(const struct smc_sass_warp *warp,
                                                         const struct smc_placed_textures *textures,
                                                         const struct smc_sass_instruction *in)
{
    if (!textures || in->from[2].kind != SMC_OPERAND_UNIFORM)
        return NULL;
    const struct smc_lanes *handle = &warp->uniform[in->from[2].number];
    const uint32_t index = handle->value[0] - 1;
    return handle->unknown || index >= textures->count ? NULL : &textures->texture[index];
}

static uint32_t value_of(const struct smc_lanes *lanes, unsigned lane)
{
    return lanes->value[lanes->same ? 0 : lane];
}

/* How the coordinates of an instruction are read. */
struct fetch {
    unsigned texels;                    /* that a lane reads */
    const struct smc_lanes *coordinate; /* with the layer, which is the first one */
    unsigned dimensions;
    bool is_layered, is_integer, filters;
};

static struct fetch texture_lines_fetch_of(const struct smc_sass_warp *warp,
                                           const struct smc_sass_instruction *in,
                                           const struct smc_emulated_texture *texture)
{
    const enum smc_fetched_shape shape = smc_fetched_shape(in);
    const bool is_layered = shape >= SMC_FETCHES_1D_LAYERED;
    const bool is_integer = in->operation == SMC_OP_TLD || in->operation == SMC_OP_TLD_REGISTER;
    const bool filters = texture->linear && !is_integer;
    const unsigned dimensions = is_layered ? shape - SMC_FETCHES_1D_LAYERED + 1 : shape + 1;
    return (struct fetch){
        .texels = filters ? 1u << dimensions : 1,
        .coordinate = &warp->reg[in->from[0].number],
        .dimensions = dimensions,
        .is_layered = is_layered,
        .is_integer = is_integer,
        .filters = filters,
    };
}

static void find_texels(const struct smc_emulated_texture *texture, const struct fetch *fetch,
                        unsigned lane, struct smc_texel_axis axis[DIMENSIONS])
{
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        const uint32_t extent = texture->extent[d];
        if (d >= fetch->dimensions) {
            axis[d] = (struct smc_texel_axis){.inside = {true, true}};
            continue;
        }
        const uint32_t bits = value_of(&fetch->coordinate[d + fetch->is_layered], lane);
        axis[d] = fetch->is_integer ? smc_texel_at_index(texture, bits, extent, fetch->dimensions)
                  : fetch->filters  ? smc_texels_between(texture, bits, extent)
                                    : smc_texel_nearest(texture, bits, extent);
        axis[d].inside[1] &= axis[d].weight > 0;
    }
    if (fetch->is_layered) {
        const uint32_t layer = value_of(fetch->coordinate, lane), layers = texture->extent[2];
        axis[2].texel[0] = axis[2].texel[1] = layer < layers ? layer : layers - 1;
    }
}

static void add_texel(struct smc_fetched *fetched, uint64_t address)
{
    const uint64_t number = address / SMC_LINE_BYTES;
    const uint8_t sector = (uint8_t)(1u << address % SMC_LINE_BYTES / SMC_SECTOR_BYTES);
    unsigned i = fetched->lines;
    while (i > 0 && fetched->line[i - 1].number != number)
        i--;
    if (i == 0 && fetched->lines == SMC_TEXTURE_LINES)
        return;
    if (i == 0) {
        i = ++fetched->lines;
        fetched->line[i - 1] = (struct smc_warp_trace_line){.number = number};
    }
    fetched->sectors += !(fetched->line[i - 1].sectors & sector);
    fetched->line[i - 1].sectors |= sector;
}

/* Adds a quad of lanes. Returns the passes that it takes of a CUDA array. */
static unsigned add_quad(const struct smc_placed_texture *placed, const struct fetch *fetch,
                         uint32_t lanes, struct smc_fetched *fetched)
{
    enum { PASS_BYTES = 32, NARROW = 8, MOST_PASSES = 4 /* one a lane */ };
    const unsigned bytes = bytes_of_texel(&placed->texture);
    uint32_t first = UINT32_MAX, last = 0;
    for (; lanes; lanes &= lanes - 1) {
        struct smc_texel_axis axis[DIMENSIONS];
        find_texels(&placed->texture, fetch, (unsigned)__builtin_ctz(lanes), axis);
        for (unsigned corner = 0; corner < fetch->texels; corner++) {
            uint32_t index[DIMENSIONS] = {0};
            bool is_inside = true;
            for (unsigned d = 0; d < DIMENSIONS; d++) {
                index[d] = axis[d].texel[corner >> d & 1];
                is_inside &= axis[d].inside[corner >> d & 1];
            }
            if (!is_inside)
                continue;
            add_texel(fetched, placed->address + place_of_texel(&placed->texture, index));
            first = index[0] < first ? index[0] : first;
            last = index[0] > last ? index[0] : last;
        }
    }
    const uint64_t most = (uint64_t)PASS_BYTES * MOST_PASSES;
    const uint64_t span = first <= last ? (uint64_t)(last - first + 1) * bytes : 0;
    const unsigned wide = bytes <= NARROW ? 1 : fetch->filters ? 4 : 2;
    unsigned passes = (unsigned)((span < most ? span : most) + PASS_BYTES - 1) / PASS_BYTES;
    passes = passes > wide ? passes : wide;
    return fetch->filters && fetch->dimensions == DIMENSIONS ? 2 * passes : passes;
}

/* Of linear memory. */
static unsigned passes_of_lines(const struct smc_emulated_texture *texture, unsigned quads,
                                unsigned lines)
{
    enum { LINES = 8, NARROW = 8 };
    const unsigned wide = bytes_of_texel(texture) <= NARROW ? 1 : 2;
    return quads * wide * (lines <= LINES ? 1 : (lines + LINES - 1) / LINES);
}

bool smc_warp_fetches(const struct smc_sass_warp *warp, const struct smc_placed_textures *textures,
                      const struct smc_sass_instruction *in, uint32_t mask,
                      struct smc_fetched *fetched)
{
    enum { QUAD = 4 };
    const struct smc_placed_texture *placed = texture_of_fetch(warp, textures, in);
    unsigned quads = 0;
    *fetched = (struct smc_fetched){.lines = 0};
    if (!placed)
        return false;
    const struct fetch fetch = texture_lines_fetch_of(warp, in, &placed->texture);
    for (unsigned i = 0; i < fetch.dimensions + fetch.is_layered; i++)
        if (fetch.coordinate[i].unknown & mask)
            return false;
    fetched->filters = fetch.filters;
    fetched->is_linear_memory = is_linear_memory(&placed->texture);
    for (unsigned first = 0; first < SMC_LANES; first += QUAD) {
        const uint32_t lanes = mask & (UINT32_C(0xf) << first);
        if (lanes)
            fetched->passes += add_quad(placed, &fetch, lanes, fetched);
        quads += lanes != 0;
    }
    if (fetched->is_linear_memory)
        fetched->passes = passes_of_lines(&placed->texture, quads, fetched->lines);
    return true;
}

unsigned smc_fetch_sectors(const struct smc_sass_warp *warp,
                           const struct smc_placed_textures *textures,
                           const struct smc_sass_instruction *in, uint32_t mask)
{
    enum { UNKNOWN = 4 };
    struct smc_fetched fetched;
    return smc_warp_fetches(warp, textures, in, mask, &fetched) ? fetched.sectors : UNKNOWN;
}

void smc_trace_fetch(const struct smc_sass_warp *warp, const struct smc_placed_textures *textures,
                     const struct smc_sass_instruction *in, uint32_t mask,
                     struct smc_warp_trace *trace, struct smc_warp_trace_entry *entry)
{
    struct smc_fetched fetched;
    entry->unknown_addresses = !smc_warp_fetches(warp, textures, in, mask, &fetched);
    if (entry->unknown_addresses || trace->line_capacity - trace->line_count < fetched.lines)
        return;
    entry->wavefronts = (uint8_t)fetched.passes;
    entry->filters = fetched.filters;
    entry->is_linear_memory = fetched.is_linear_memory;
    entry->sectors = (uint8_t)(fetched.sectors < UINT8_MAX ? fetched.sectors : UINT8_MAX);
    entry->line = (uint32_t)trace->line_count;
    entry->lines = (uint8_t)fetched.lines;
    for (unsigned i = 0; i < fetched.lines; i++)
        trace->line[trace->line_count++] = fetched.line[i];
}
