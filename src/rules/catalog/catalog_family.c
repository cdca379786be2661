/* What the kernel families share: parameter checks, plans, the work of a launch, and comparing
   results. */
#include "rules/catalog/catalog_family.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "rules/banks.h"

/* --- Parameters and plans --------------------------------------------------------------------- */

/* "float or double" */
static void list_dtypes(uint32_t dtypes, struct smc_text *list)
{
    for (int i = 0; i < SMC_DTYPE_COUNT; i++)
        if (dtypes >> i & 1)
            smc_text_printf(list, "%s%s", list->length ? " or " : "",
                            smc_dtype_name((enum smc_dtype)i));
}

static enum smc_status check_dtype(const struct smc_kernel *kernel, int64_t dtype,
                                   struct smc_error *error)
{
    if (dtype >= 0 && dtype < SMC_DTYPE_COUNT && kernel->dtypes >> dtype & 1)
        return SMC_OK;
    bool known = dtype >= 0 && dtype < SMC_DTYPE_COUNT;
    smc_auto_text list = {0};
    list_dtypes(kernel->dtypes, &list);
    return smc_fail(error, SMC_USAGE, "option --dtype: '%s' is not what %s computes with: %s",
                    known ? smc_dtype_name((enum smc_dtype)dtype) : "?", kernel->name,
                    smc_text_string(&list));
}

enum smc_status smc_params_check(const struct smc_kernel *kernel, const struct smc_params *params,
                                 struct smc_error *error)
{
    for (int i = 0; i < SMC_PARAM_COUNT; i++) {
        const struct smc_param_info *info = &smc_param_info[i];
        int64_t value = params->value[i];
        if (!(kernel->params >> i & 1)) {
            if (params->given >> i & 1)
                return smc_fail(error, SMC_USAGE, "option --%s: %s does not accept it",
                                info->option, kernel->name);
            continue;
        }
        if (i == SMC_PARAM_DTYPE) {
            if (check_dtype(kernel, value, error) != SMC_OK)
                return SMC_USAGE;
        } else if (value < info->lowest || value > info->highest) {
            return smc_fail(error, SMC_USAGE,
                            "option --%s: '%" PRId64 "' is not between %" PRId64 " and %" PRId64,
                            info->option, value, info->lowest, info->highest);
        }
    }
    return SMC_OK;
}

void smc_defines_nothing(const struct smc_kernel *kernel, const struct smc_params *params,
                         struct smc_text *options)
{
}

void smc_plan_count(struct smc_plan *plan)
{
    plan->threads_per_block = plan->block[0] * plan->block[1] * plan->block[2];
    plan->grid_blocks = (uint64_t)plan->grid[0] * plan->grid[1] * plan->grid[2];
}

void smc_plan_add_buffer(struct smc_plan *plan, const char *name, enum smc_dtype dtype,
                         uint64_t elements, bool output)
{
    plan->argument[plan->argument_count++] =
        (struct smc_argument){SMC_ARGUMENT_BUFFER, (int64_t)plan->buffer_count};
    plan->buffer[plan->buffer_count++] =
        (struct smc_buffer){.name = name, .dtype = dtype, .elements = elements, .output = output};
}

/* --- Requests and sectors of global memory, by the shapes of accesses and how often they occur  */

static void begin_phases(struct smc_phases *phases, size_t count, uint64_t first)
{
    *phases = (struct smc_phases){.count = (uint32_t)count};
    phases->times[first % count] = 1;
}

void smc_phases_begin(struct smc_phases *phases, size_t element_bytes, uint64_t first)
{
    begin_phases(phases, SMC_SECTOR_BYTES / element_bytes, first);
}

void smc_phases_begin_in_line(struct smc_phases *phases, size_t element_bytes, uint64_t first)
{
    begin_phases(phases, SMC_LINE_BYTES / element_bytes, first);
}

/* The steps repeat after one step for each position. */
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

/* The warps of one tile, of which `rows` and `columns` of threads are active. */
static void catalog_family_add_tile(struct smc_global_access *access, size_t element_bytes,
                                    const struct smc_tiles *tiles, const struct smc_phases *phases,
                                    uint64_t rows, uint64_t columns)
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

/* Whole tiles, or the part of one after them. */
struct array_extent {
    uint64_t first, tiles; /* number of tiles, from the first on */
    uint64_t active;       /* rows or columns per tile */
};

static void catalog_family_split(uint64_t size, uint32_t tile, struct array_extent extent[2])
{
    extent[0] = (struct array_extent){0, size / tile, tile};
    extent[1] = (struct array_extent){size / tile, size % tile ? 1 : 0, size % tile};
}

void smc_work_add_tiles(struct smc_global_access *access, size_t element_bytes,
                        const struct smc_tiles *tiles)
{
    struct array_extent rows[2], columns[2];
    uint64_t down = tiles->tile * tiles->y_stride, across = tiles->tile * tiles->x_stride;
    catalog_family_split(tiles->rows, tiles->tile, rows);
    catalog_family_split(tiles->columns, tiles->tile, columns);
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
            catalog_family_add_tile(access, element_bytes, tiles, &phases, rows[r].active,
                                    columns[c].active);
        }
}

/* `lanes` adjacent threads access as many neighboring elements. A whole warp covers whole sectors,
   so all warps begin at the same phase. */
static void catalog_family_add_run(struct smc_global_access *access, size_t element_bytes,
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
    catalog_family_add_run(access, element_bytes, &phases, lines->threads);
    smc_phases_begin(&phases, element_bytes, lines->first + turns * lines->threads);
    smc_phases_walk(&phases, lines->blocks, lines->block_stride);
    smc_phases_walk(&phases, lines->times, 1);
    catalog_family_add_run(access, element_bytes, &phases, rest);
}

/* --- Accesses to shared memory ---------------------------------------------------------------- */

void smc_shared_begin(struct smc_shared_access *access, const char *label, enum smc_bank_op op,
                      uint32_t width_bytes, uint32_t row_elements, uint32_t steps)
{
    *access = (struct smc_shared_access){
        .label = label,
        .row_elements = row_elements,
        .steps = steps,
        .access = {.width_bytes = width_bytes, .op = op},
    };
}

void smc_shared_lane(struct smc_shared_access *access, uint32_t lane, uint32_t step,
                     uint32_t element)
{
    if (step >= access->steps)
        return;
    access->access.mask |= 1u << lane;
    access->access.address[lane] = access->first_byte + element * access->access.width_bytes;
}

enum { WORD_BYTES = 4 };

void smc_shared_add(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                    const struct smc_access *access, double times)
{
    if (access->mask == 0)
        return;
    count->instructions += times;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    count->wavefronts += times * cost.wavefronts;
    count->least += times * cost.least;
}

void smc_shared_add_run(struct smc_shared_count *count, const struct smc_bank_layout *layout,
                        enum smc_bank_op op, uint32_t lanes, double times)
{
    struct smc_access access = {.width_bytes = WORD_BYTES, .op = op, .mask = SMC_ALL_LANES};
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        access.address[lane] = lane * WORD_BYTES;
    uint32_t warps = lanes / SMC_WARP_LANES;
    if (warps > 0)
        smc_shared_add(count, layout, &access, warps * times);
    access.mask = (1u << lanes % SMC_WARP_LANES) - 1;
    smc_shared_add(count, layout, &access, times);
}

/* --- Counting right and wrong elements of a result -------------------------------------------- */

static void tally(struct smc_comparison *result, uint64_t index, bool wrong, double expected,
                  double got)
{
    result->checked++;
    if (!wrong)
        return;
    if (result->wrong++ == 0 || index < result->first_wrong) {
        result->first_wrong = index;
        result->expected = expected;
        result->got = got;
    }
}

void smc_comparison_add(struct smc_comparison *result, uint64_t index, double expected, double got,
                        double share)
{
    if (!(share <= result->worst))
        result->worst = isnan(share) ? INFINITY : share;
    tally(result, index, !(share <= 1), expected, got);
}

static double element_at(enum smc_dtype dtype, const void *at)
{
    float f;
    double d;
    int32_t i;
    switch (dtype) {
    case SMC_FLOAT:
        memcpy(&f, at, sizeof f);
        return f;
    case SMC_DOUBLE:
        memcpy(&d, at, sizeof d);
        return d;
    default:
        memcpy(&i, at, sizeof i);
        return i;
    }
}

void smc_comparison_add_gap(struct smc_comparison *result, enum smc_dtype dtype, const void *output,
                            uint64_t index, uint64_t count)
{
    size_t bytes = smc_dtype_bytes(dtype);
    unsigned char poison[8];
    memset(poison, smc_dtype_poison(dtype), sizeof poison);
    const unsigned char *at = (const unsigned char *)output + index * bytes;
    for (uint64_t i = 0; i < count; i++, at += bytes)
        tally(result, index + i, memcmp(at, poison, bytes) != 0, element_at(dtype, poison),
              element_at(dtype, at));
}
