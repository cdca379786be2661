/* Which runs are laid side by side: kernels of a family, values of a range. */
#include "confirm/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

/* Where the tile is the lesson, several are shown. */
static const struct {
    const char *kernel;
    size_t count;
    int64_t tile[4];
} shown_tiles[] = {
    {"matmul-tiled", 3, {8, 16, 32}},
};

/* What an emulator does in about a second. */
enum { SMALL_EDGE = 256, SMALL_OUTPUTS = 16384 };

static bool is_baseline(const struct smc_kernel *kernel)
{
    return !kernel->shared_work && !kernel->is_probe;
}

size_t smc_series_members(const char *family,
                          const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS])
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < smc_kernel_count(); i++) {
            const struct smc_kernel *kernel = smc_kernel_at(i);
            bool wanted = !kernel->is_racy && is_baseline(kernel) == (pass == 0) &&
                          smc_equal_ignoring_case(kernel->family, family);
            if (wanted && count < SMC_SERIES_MOST_MEMBERS)
                member[count++] = kernel;
        }
    return count;
}

/* --- Values ----------------------------------------------------------------------------------- */

enum { SMEM_GRAIN = 128 }; /* bytes: the allocation unit from CC 8.0 on */

/* Between the ends of a wide range only multiples of it are run: a block's other sizes leave lanes
   idle, and shared memory is given in such units. */
static int64_t grain_of(const struct smc_series_axis *axis)
{
    bool param = axis->vary == SMC_VARY_PARAM;
    if (axis->vary == SMC_VARY_DYNAMIC_SMEM || (param && axis->param == SMC_PARAM_STATIC_BYTES))
        return SMEM_GRAIN;
    return param && axis->param == SMC_PARAM_BLOCK ? SMC_WARP_LANES : 1;
}

/* Each so many times the one before; a range that begins below the grain as if it were moved there.
   Of fewer multiples than there is room for each is taken. */
static void spread(const struct smc_range *range, struct smc_series_axis *axis)
{
    const int64_t grain = grain_of(axis);
    int64_t lowest = (range->first / grain + 1) * grain,
            highest = (range->last - 1) / grain * grain;
    int64_t room = highest < lowest ? 0 : (highest - lowest) / grain + 1;
    const int64_t inner = room < SMC_SERIES_SPREAD - 2 ? room : SMC_SERIES_SPREAD - 2;
    int64_t moved = range->first < grain ? grain - range->first : 0;
    double first = (double)(range->first + moved);
    double ratio = (double)(range->last + moved) / first;
    axis->spread = true;
    axis->count = (size_t)inner + 2;
    axis->value[0] = range->first;
    axis->value[inner + 1] = range->last;
    for (int64_t i = 1; i <= inner; i++) {
        double wanted = first * pow(ratio, (double)i / (double)(inner + 1)) - (double)moved;
        int64_t value = llround(wanted / (double)grain) * grain;
        int64_t most = highest - (inner - i) * grain;
        axis->value[i] = value < lowest ? lowest : value > most ? most : value;
        lowest = axis->value[i] + grain;
    }
}

enum smc_status smc_series_take_range(const struct smc_range *range, bool stepped,
                                      struct smc_series_axis *axis, struct smc_error *error)
{
    uint64_t count = smc_range_count(range);
    axis->range = *range;
    if (!stepped && count > SMC_SERIES_WIDE) {
        spread(range, axis);
        return SMC_OK;
    }
    if (count > SMC_SERIES_MOST_RUNS)
        return smc_fail(error, SMC_USAGE, "%llu values are more than the %d runs of a series",
                        (unsigned long long)count, SMC_SERIES_MOST_RUNS);
    axis->count = count;
    for (size_t i = 0; i < count; i++)
        axis->value[i] = smc_range_value(range, i);
    return SMC_OK;
}

static bool takes(const struct smc_kernel *kernel, const struct smc_series_axis *axis)
{
    return axis->vary == SMC_VARY_PARAM ? kernel->params >> axis->param & 1
                                        : axis->vary != SMC_VARY_NOTHING;
}

static void set_value(const struct smc_series_axis *axis, int64_t value, struct smc_query *query)
{
    switch (axis->vary) {
    case SMC_VARY_PARAM:
        query->params.value[axis->param] = value;
        query->params.given |= 1u << axis->param;
        return;
    case SMC_VARY_DYNAMIC_SMEM:
        query->dynamic_smem_bytes = value;
        return;
    case SMC_VARY_CARVEOUT:
        query->settings.carveout_percent = (int32_t)value;
        return;
    case SMC_VARY_CACHE_CONFIG:
        query->settings.cache_config = (enum smc_cache_config)value;
        return;
    case SMC_VARY_NOTHING:
        return;
    }
}

/* --- Runs ------------------------------------------------------------------------------------- */

static void make_small(struct smc_query *query)
{
    struct smc_params *params = &query->params;
    uint32_t open = query->kernel->params & ~params->given;
    for (int i = 0; i < SMC_PARAM_COUNT; i++)
        if (open & SMC_MATRIX_SIZES & 1u << i)
            params->value[i] = SMALL_EDGE;
    if (open & 1u << SMC_PARAM_LENGTH && query->kernel->params & 1u << SMC_PARAM_RADIUS)
        params->value[SMC_PARAM_LENGTH] = SMALL_OUTPUTS + 2 * params->value[SMC_PARAM_RADIUS];
}

/* What a series is built with. */
struct plan {
    struct smc_series *series;
    bool small;
    struct smc_error *error;
};

static enum smc_status add_run(const struct plan *plan, const struct smc_query *query,
                               bool has_value, int64_t value)
{
    struct smc_series *series = plan->series;
    if (series->count == SMC_SERIES_MOST_RUNS)
        return smc_fail(plan->error, SMC_USAGE, "more than %d runs: give fewer values",
                        SMC_SERIES_MOST_RUNS);
    struct smc_series_run *run = &series->run[series->count++];
    run->query = *query;
    run->has_value = has_value;
    run->value = value;
    run->status = SMC_INTERRUPTED;
    if (has_value)
        set_value(&series->axis, value, &run->query);
    if (plan->small)
        make_small(&run->query);
    return SMC_OK;
}

/* The tiles of a kernel that has some to show, else the query as it is. */
static enum smc_status add_member(const struct plan *plan, const struct smc_query *query,
                                  bool has_value, int64_t value)
{
    bool open = plan->series->family && !(query->params.given & 1u << SMC_PARAM_TILE);
    for (size_t i = 0; i < sizeof shown_tiles / sizeof *shown_tiles && open; i++) {
        if (strcmp(shown_tiles[i].kernel, query->kernel->name) != 0)
            continue;
        enum smc_status status = SMC_OK;
        for (size_t t = 0; t < shown_tiles[i].count && status == SMC_OK; t++) {
            struct smc_query with_tile = *query;
            with_tile.params.value[SMC_PARAM_TILE] = shown_tiles[i].tile[t];
            with_tile.params.given |= 1u << SMC_PARAM_TILE;
            status = add_run(plan, &with_tile, has_value, value);
        }
        return status;
    }
    return add_run(plan, query, has_value, value);
}

bool smc_series_same_value(const struct smc_series_run *run, const struct smc_series_run *other)
{
    return run->has_value == other->has_value && run->value == other->value;
}

/* The baseline of the same value; one that does not take what varies is the same at each. */
static void find_baselines(struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++) {
        struct smc_series_run *run = &series->run[i];
        run->baseline = SMC_NO_RUN;
        for (size_t k = 0; k < series->count && series->family; k++) {
            const struct smc_series_run *other = &series->run[k];
            bool beside = !other->has_value || smc_series_same_value(run, other);
            if (is_baseline(other->query.kernel) && beside)
                run->baseline = (int)k;
        }
    }
}

enum smc_status smc_series_build(const struct smc_query *members, size_t count, bool small,
                                 struct smc_series *series, struct smc_error *error)
{
    const struct smc_series_axis *axis = &series->axis;
    const struct plan plan = {series, small, error};
    enum smc_status status = SMC_OK;
    size_t values = axis->vary == SMC_VARY_NOTHING ? 0 : axis->count;
    series->count = 0;
    series->run = smc_calloc(SMC_SERIES_MOST_RUNS, sizeof *series->run);
    if (!series->run)
        return smc_out_of_memory(error);
    for (size_t v = 0; v < values && status == SMC_OK; v++)
        for (size_t m = 0; m < count && status == SMC_OK; m++)
            if (takes(members[m].kernel, axis))
                status = add_member(&plan, &members[m], true, axis->value[v]);
    for (size_t m = 0; m < count && status == SMC_OK; m++)
        if (!takes(members[m].kernel, axis))
            status = add_member(&plan, &members[m], false, 0);
    find_baselines(series);
    return status;
}

void smc_series_free(struct smc_series *series)
{
    free(series->run);
    *series = (struct smc_series){0};
}
