/* Requests and sectors of global memory, by the shapes that warps have and how often. */
#include "catalog/work_parts.h"
#include "model/banks.h"

static void begin(struct smc_phases *phases, size_t count, uint64_t first)
{
    *phases = (struct smc_phases){.count = (uint32_t)count};
    phases->times[first % count] = 1;
}

void smc_phases_begin(struct smc_phases *phases, size_t element_bytes, uint64_t first)
{
    begin(phases, SMC_SECTOR_BYTES / element_bytes, first);
}

void smc_phases_begin_in_line(struct smc_phases *phases, size_t element_bytes, uint64_t first)
{
    begin(phases, SMC_LINE_BYTES / element_bytes, first);
}

/* The steps repeat after one for each place. */
void smc_phases_walk(struct smc_phases *phases, uint64_t steps, uint64_t stride)
{
    struct smc_phases walked = {.count = phases->count};
    uint32_t n = phases->count;
    uint64_t shift = stride % n;
    for (uint32_t i = 0; i < n && i < steps; i++) {
        double times = (double)((steps - i - 1) / n + 1);
        for (uint32_t p = 0; p < n; p++)
            walked.times[(p + i * shift) % n] += times * phases->times[p];
    }
    *phases = walked;
}

struct smc_global_access *smc_work_add_access(struct smc_work *work, const char *name, bool store,
                                              double array_elements)
{
    struct smc_global_access *access = &work->access[work->access_count++];
    *access = (struct smc_global_access){
        .name = name,
        .store = store,
        .array_elements = array_elements,
    };
    return access;
}

void smc_work_sum_bytes(struct smc_work *work, size_t element_bytes)
{
    for (size_t i = 0; i < work->access_count; i++) {
        const struct smc_global_access *access = &work->access[i];
        double *bytes = access->store ? &work->global_store_bytes : &work->global_load_bytes;
        *bytes += access->elements * (double)element_bytes;
    }
}

void smc_work_add_request(struct smc_global_access *access, size_t element_bytes, uint32_t wide,
                          const struct smc_phases *phases, const uint64_t element[SMC_WARP_LANES],
                          uint32_t mask)
{
    if (mask == 0)
        return;
    for (uint32_t p = 0; p < phases->count; p++) {
        if (phases->times[p] == 0)
            continue;
        uint64_t address[SMC_WARP_LANES];
        for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
            address[lane] = (element[lane] + p) * element_bytes;
        access->requests += phases->times[p];
        access->sectors += phases->times[p] * smc_sectors_count(address, mask);
        access->elements += phases->times[p] * wide * __builtin_popcount(mask);
    }
}

/* The warps of one tile, of which so many rows and columns of threads are active. */
static void add_tile(struct smc_global_access *access, size_t element_bytes,
                     const struct smc_tiles *tiles, const struct smc_phases *phases, uint64_t rows,
                     uint64_t columns)
{
    uint32_t tile = tiles->tile;
    for (uint32_t first = 0; first < tile * tile; first += SMC_WARP_LANES) {
        uint64_t element[SMC_WARP_LANES] = {0};
        uint32_t mask = 0;
        for (uint32_t lane = 0; lane < SMC_WARP_LANES && first + lane < tile * tile; lane++) {
            uint32_t x = (first + lane) % tile, y = (first + lane) / tile;
            element[lane] = y * tiles->y_stride + x * tiles->x_stride;
            mask |= (uint32_t)(y < rows && x < columns) << lane;
        }
        smc_work_add_request(access, element_bytes, 1, phases, element, mask);
    }
}

/* Whole tiles, or the part of one behind them. */
struct extent {
    uint64_t first, tiles; /* tiles to walk over, from the first on */
    uint64_t active;       /* rows or columns in each */
};

static void split(uint64_t size, uint32_t tile, struct extent extent[2])
{
    extent[0] = (struct extent){0, size / tile, tile};
    extent[1] = (struct extent){size / tile, size % tile ? 1 : 0, size % tile};
}

void smc_work_add_tiles(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_tiles *tiles)
{
    struct extent rows[2], columns[2];
    uint64_t down = tiles->tile * tiles->y_stride, across = tiles->tile * tiles->x_stride;
    split(tiles->rows, tiles->tile, rows);
    split(tiles->columns, tiles->tile, columns);
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) {
            struct smc_phases phases;
            if (rows[r].tiles == 0 || columns[c].tiles == 0)
                continue;
            smc_phases_begin(&phases, element_bytes,
                             rows[r].first * down + columns[c].first * across);
            smc_phases_walk(&phases, rows[r].tiles, down);
            smc_phases_walk(&phases, columns[c].tiles, across);
            smc_phases_walk(&phases, tiles->repeats, tiles->repeat_stride);
            add_tile(access, element_bytes, tiles, &phases, rows[r].active, columns[c].active);
        }
}

/* `lanes` threads side by side access as many neighbouring elements. A whole warp covers whole
   sectors, so that all warps begin at the same phase. */
static void add_run(struct smc_global_access *access, size_t element_bytes,
                    const struct smc_phases *phases, uint64_t lanes)
{
    uint64_t element[SMC_WARP_LANES];
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        element[lane] = lane;
    struct smc_phases whole = *phases;
    smc_phases_walk(&whole, lanes / SMC_WARP_LANES, 0);
    smc_work_add_request(access, element_bytes, 1, &whole, element, SMC_ALL_LANES);
    smc_work_add_request(access, element_bytes, 1, phases, element,
                         (1u << lanes % SMC_WARP_LANES) - 1);
}

void smc_work_add_lines(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_lines *lines)
{
    uint64_t turns = lines->elements / lines->threads, rest = lines->elements % lines->threads;
    struct smc_phases phases;
    smc_phases_begin(&phases, element_bytes, lines->first);
    smc_phases_walk(&phases, lines->blocks, lines->block_stride);
    smc_phases_walk(&phases, lines->times, 1);
    smc_phases_walk(&phases, turns, lines->threads);
    add_run(access, element_bytes, &phases, lines->threads);
    smc_phases_begin(&phases, element_bytes, lines->first + turns * lines->threads);
    smc_phases_walk(&phases, lines->blocks, lines->block_stride);
    smc_phases_walk(&phases, lines->times, 1);
    add_run(access, element_bytes, &phases, rest);
}
