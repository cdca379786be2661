/* Which runs are compared: kernels of a family, values of a range. */
#include "hardware/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/parse.h"

/* Kernels that demonstrate the effect of the tile are run with several tiles. */
static const struct {
    const char *kernel;
    size_t count;
    int64_t tile[4];
} shown_tiles[] = {
    {"matmul-tiled", 3, {8, 16, 32}},
};

/* Sizes that the emulator can run in about a second. */
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

/* Inside a wide range only multiples of this are run: other block sizes leave lanes idle, and
   shared memory is allocated in such units. */
static int64_t grain_of(const struct smc_series_axis *axis)
{
    bool param = axis->vary == SMC_VARY_PARAM;
    if (axis->vary == SMC_VARY_DYNAMIC_SMEM || (param && axis->param == SMC_PARAM_STATIC_BYTES))
        return SMEM_GRAIN;
    return param && axis->param == SMC_PARAM_BLOCK ? SMC_WARP_LANES : 1;
}

/* Spreads the values geometrically, with a constant ratio; a range that begins below the grain is
   treated as if it began there. If there are few enough multiples, all of them are used. */
static void series_spread(const struct smc_range *range, struct smc_series_axis *axis)
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
        series_spread(range, axis);
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

static void series_set_value(const struct smc_series_axis *axis, int64_t value,
                             struct smc_query *query)
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

/* The inputs from which a series is built. */
struct plan {
    struct smc_series *series;
    bool small;
    struct smc_error *error;
};

static enum smc_status series_add_run(const struct plan *plan, const struct smc_query *query,
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
        series_set_value(&series->axis, value, &run->query);
    if (plan->small)
        make_small(&run->query);
    return SMC_OK;
}

/* Adds a query for each tile of a kernel that demonstrates tiles, else the query unchanged. */
static enum smc_status series_add_member(const struct plan *plan, const struct smc_query *query,
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
            status = series_add_run(plan, &with_tile, has_value, value);
        }
        return status;
    }
    return series_add_run(plan, query, has_value, value);
}

bool smc_series_same_value(const struct smc_series_run *run, const struct smc_series_run *other)
{
    return run->has_value == other->has_value && run->value == other->value;
}

/* Finds each run's baseline, which has the same value; a baseline without the varied parameter is
   the same for all values. */
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
    size_t values = axis->vary == SMC_VARY_NOTHING ? 0 : axis->count;
    series->count = 0;
    series->run = smc_calloc(SMC_SERIES_MOST_RUNS, sizeof *series->run);
    if (!series->run)
        return smc_out_of_memory(error);
    for (size_t v = 0; v < values; v++)
        for (size_t m = 0; m < count; m++)
            if (takes(members[m].kernel, axis))
                SMC_TRY(series_add_member(&plan, &members[m], true, axis->value[v]));
    for (size_t m = 0; m < count; m++)
        if (!takes(members[m].kernel, axis))
            SMC_TRY(series_add_member(&plan, &members[m], false, 0));
    find_baselines(series);
    return SMC_OK;
}

void smc_series_free(struct smc_series *series)
{
    free(series->run);
    *series = (struct smc_series){0};
}

/* --- Figures ---------------------------------------------------------------------------------- */

const char *smc_figure_key(enum smc_figure figure)
{
    static const char *const keys[] = {
#define FIGURE(id, key, above, below) [SMC_FIGURE_##id] = key,
#include "hardware/figures.def"
    };
    return keys[figure];
}

static const struct smc_row *series_row_of(const struct smc_series_run *run, const char *quantity)
{
    const struct smc_confirmation *confirmation = &run->seen.confirmation;
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (strcmp(confirmation->row[i].quantity, quantity) == 0)
            return &confirmation->row[i];
    return NULL;
}

static bool series_take(const struct smc_reading *reading, double *value)
{
    *value = reading->value;
    return reading->present;
}

static bool series_blocks_of(const struct smc_series_run *run, enum smc_figure figure,
                             double *value)
{
    const struct smc_row *row = series_row_of(run, "blocks_per_sm");
    if (!row)
        return false;
    return series_take(figure == SMC_FIGURE_BLOCKS_PREDICTED ? &row->predicted
                       : figure == SMC_FIGURE_BLOCKS_API     ? &row->api
                                                             : &row->measured,
                       value);
}

static bool predicted_ms(const struct smc_series_run *run, double *value)
{
    const struct smc_time *time = &run->seen.answer.time;
    *value = time->predicted_ms;
    return time->basis != SMC_TIME_UNKNOWN;
}

static bool series_measured(const struct smc_series_run *run, const char *quantity, double *value)
{
    const struct smc_row *row = series_row_of(run, quantity);
    return row && series_take(&row->measured, value);
}

static double load_sectors(const struct smc_work *work)
{
    double sectors = 0;
    for (size_t i = 0; i < work->access_count; i++)
        if (!work->access[i].store)
            sectors += work->access[i].sectors;
    return sectors;
}

/* The emulator's count, else the model's. A kernel without shared memory has 0 wavefronts. */
static bool series_count_of(const struct smc_series_run *run, enum smc_figure figure, double *value)
{
    const struct smc_answer *answer = &run->seen.answer;
    const struct smc_shared_work *shared = &answer->workload.shared;
    const struct smc_row *row = series_row_of(run, smc_figure_key(figure));
    if (row && row->emulated.present)
        return series_take(&row->emulated, value);
    *value = figure == SMC_FIGURE_LOAD_SECTORS      ? load_sectors(&answer->work)
             : figure == SMC_FIGURE_LOAD_WAVEFRONTS ? shared->written_loads.wavefronts
             : figure == SMC_FIGURE_STORE_WAVEFRONTS
                 ? shared->stores.wavefronts
                 : smc_bank_conflicts(&shared->written_loads) + smc_bank_conflicts(&shared->stores);
    return answer->has_work && answer->outcome == SMC_LAUNCHES;
}

/* Whether a run's figure may be compared. The time of a run with a wrong result may not. */
static bool comparable(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value)
{
    bool wrong = series->run[index].seen.result.comparison.wrong > 0;
    return !(wrong && figure == SMC_FIGURE_TIME_MS) &&
           smc_series_figure(series, index, figure, value);
}

/* By what factor `figure` is smaller than in the baseline. */
static bool times_less(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value)
{
    int baseline = series->run[index].baseline;
    double own = 0, other = 0;
    if (baseline == SMC_NO_RUN || !comparable(series, (size_t)baseline, figure, &other) ||
        !comparable(series, index, figure, &own) || own <= 0)
        return false;
    *value = other / own;
    return true;
}

bool smc_series_figure(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value)
{
    const struct smc_series_run *run = &series->run[index];
    if (!run->seen.has_result)
        return false;
    switch (figure) {
    case SMC_FIGURE_BLOCKS_PREDICTED:
    case SMC_FIGURE_BLOCKS_API:
    case SMC_FIGURE_BLOCKS_MEASURED:
        return series_blocks_of(run, figure, value);
    case SMC_FIGURE_PREDICTED_MS:
        return predicted_ms(run, value);
    case SMC_FIGURE_TIME_MS:
    case SMC_FIGURE_GFLOPS:
    case SMC_FIGURE_GOPS:
    case SMC_FIGURE_GB_PER_S:
        return series_measured(run, smc_figure_key(figure), value);
    case SMC_FIGURE_SPEED_UP:
        return times_less(series, index, SMC_FIGURE_TIME_MS, value);
    case SMC_FIGURE_FEWER_SECTORS:
        return times_less(series, index, SMC_FIGURE_LOAD_SECTORS, value);
    case SMC_FIGURE_LOAD_SECTORS:
    case SMC_FIGURE_LOAD_WAVEFRONTS:
    case SMC_FIGURE_STORE_WAVEFRONTS:
    case SMC_FIGURE_CONFLICTS:
        return series_count_of(run, figure, value);
    case SMC_FIGURE_COUNT:
        break;
    }
    return false;
}

bool smc_series_is_best(const struct smc_series *series, size_t index)
{
    const struct smc_series_run *run = &series->run[index];
    double own, other;
    bool company = false;
    if (!series->family || !comparable(series, index, SMC_FIGURE_TIME_MS, &own))
        return false;
    for (size_t i = 0; i < series->count; i++) {
        const struct smc_series_run *rival = &series->run[i];
        if (i == index || !smc_series_same_value(run, rival) ||
            !comparable(series, i, SMC_FIGURE_TIME_MS, &other))
            continue;
        company = true;
        if (other < own)
            return false;
    }
    return company;
}

/* --- Verdicts --------------------------------------------------------------------------------- */

#define BIT SMC_FIGURE_BIT

static bool series_has(const struct smc_series *series, size_t index, enum smc_figure figure)
{
    double value;
    return smc_series_figure(series, index, figure, &value);
}

static bool any(const struct smc_series *series, enum smc_figure figure)
{
    for (size_t i = 0; i < series->count; i++)
        if (series_has(series, i, figure))
            return true;
    return false;
}

/* Whether only the API answered for some run. */
static bool lacks_probe(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series_has(series, i, SMC_FIGURE_BLOCKS_API) &&
            !series_has(series, i, SMC_FIGURE_BLOCKS_MEASURED))
            return true;
    return false;
}

bool smc_series_ran_on_gpu(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result && series->run[i].seen.result.load.made)
            return true;
    return false;
}

static uint32_t bit_if_any(const struct smc_series *series, enum smc_figure figure)
{
    return any(series, figure) ? 1u << figure : 0;
}

uint32_t smc_series_shown(const struct smc_series *series)
{
    enum smc_series_vary vary = series->axis.vary;
    bool launches_vary = vary != SMC_VARY_NOTHING && vary != SMC_VARY_PARAM;
    uint32_t blocks = BIT(BLOCKS_PREDICTED) | BIT(BLOCKS_MEASURED);
    if (launches_vary || lacks_probe(series))
        blocks |= BIT(BLOCKS_API);
    if (smc_series_ran_on_gpu(series))
        return !any(series, SMC_FIGURE_TIME_MS)
                   ? blocks
                   : blocks | bit_if_any(series, SMC_FIGURE_PREDICTED_MS) | BIT(TIME_MS) |
                         ((series->run[0].query.kernel->params & SMC_MATRIX_SIZES)
                              ? BIT(GFLOPS)
                              : BIT(GB_PER_S)) |
                         bit_if_any(series, SMC_FIGURE_SPEED_UP);
    if (launches_vary || !any(series, SMC_FIGURE_LOAD_SECTORS))
        return blocks;
    return bit_if_any(series, SMC_FIGURE_PREDICTED_MS) | BIT(LOAD_SECTORS) | SMC_SHARED_COUNTS |
           bit_if_any(series, SMC_FIGURE_FEWER_SECTORS);
}

/* Whether a row is about a figure that is shown, or about the failure shown instead. */
static bool series_is_shown(const struct smc_row *row, uint32_t shown, enum smc_outcome outcome)
{
    if (strcmp(row->quantity, "compiles") == 0)
        return outcome == SMC_CANNOT_COMPILE;
    if (strcmp(row->quantity, "launches") == 0)
        return outcome == SMC_CANNOT_LAUNCH;
    if (strcmp(row->quantity, "blocks_per_sm") == 0)
        return shown & BIT(BLOCKS_PREDICTED);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++)
        if (shown >> f & 1 && strcmp(row->quantity, smc_figure_key((enum smc_figure)f)) == 0)
            return true;
    return false;
}

enum smc_verdict smc_series_verdict(const struct smc_series *series, size_t index)
{
    const struct smc_confirmed_run *seen = &series->run[index].seen;
    const struct smc_confirmation *confirmation = &seen->confirmation;
    const uint32_t shown = smc_series_shown(series);
    enum smc_verdict verdict = SMC_NOT_MEASURED;
    if (confirmation->differing > 0)
        return SMC_DIFFERS;
    for (size_t i = 0; i < confirmation->row_count; i++) {
        const struct smc_row *row = &confirmation->row[i];
        if (!row->predicted.present || !series_is_shown(row, shown, seen->answer.outcome))
            continue;
        if (row->verdict == SMC_CONFIRMED)
            return SMC_CONFIRMED;
        if (row->verdict == SMC_INFORMATION)
            verdict = SMC_INFORMATION;
    }
    return verdict;
}

enum smc_verdict smc_series_whole_verdict(const struct smc_series *series)
{
    enum smc_verdict whole = SMC_NOT_MEASURED;
    for (size_t i = 0; i < series->count; i++) {
        enum smc_verdict own = smc_series_verdict(series, i);
        if (own == SMC_DIFFERS)
            return SMC_DIFFERS;
        if (own != SMC_NOT_MEASURED)
            whole = SMC_CONFIRMED;
    }
    return whole;
}

/* --- Running ---------------------------------------------------------------------------------- */

/* The same warning is not repeated for each run. */
static void series_add_warnings(const struct smc_text *from, struct smc_text *to)
{
    if (from->length > 0 && !strstr(smc_text_string(to), smc_text_string(from)))
        smc_text_append(to, smc_text_string(from));
}

enum smc_status smc_series_run(struct smc_series *series, const struct smc_run_settings *settings,
                               void (*step)(void *context, size_t done), void *context,
                               struct smc_text *warnings, struct smc_error *error)
{
    for (size_t i = 0; i < series->count; i++) {
        struct smc_series_run *run = &series->run[i];
        struct smc_error why = {""};
        smc_auto_text heard = {0};
        if (settings->stop && settings->stop())
            return smc_fail(error, SMC_INTERRUPTED, "%zu of %zu runs done", i, series->count);
        run->started = true;
        run->status = smc_confirm_one(&run->query, settings, &run->seen, &heard, &why);
        snprintf(run->why, sizeof run->why, "%.511s", why.message);
        series_add_warnings(&heard, warnings);
        if (run->status == SMC_INTERRUPTED)
            return smc_fail(error, SMC_INTERRUPTED, "%zu of %zu runs done; then %.800s", i,
                            series->count, why.message);
        if (step)
            step(context, i + 1);
        if (smc_is_lost(&run->seen.result.finish))
            break; /* a kernel that does not end still occupies the GPU */
    }
    return SMC_OK;
}

size_t smc_series_started(const struct smc_series *series)
{
    size_t count = 0;
    while (count < series->count && series->run[count].started)
        count++;
    return count;
}

static enum smc_status tell_broken(const struct smc_series *series, size_t broken,
                                   const struct smc_series_run *first, struct smc_error *error)
{
    size_t left = series->count - smc_series_started(series);
    char rest[64] = "";
    if (left > 0)
        snprintf(rest, sizeof rest, "; %zu %s not started", left, left == 1 ? "was" : "were");
    return smc_fail(error, SMC_MACHINE, "%zu of %zu runs failed; the first, %s: %s%s", broken,
                    series->count, first->query.kernel->name, first->why, rest);
}

enum smc_status smc_series_status(const struct smc_series *series, struct smc_error *error)
{
    size_t results = 0, broken = 0;
    const struct smc_series_run *first_broken = NULL, *first_failed = NULL;
    enum smc_status status = SMC_OK;
    for (size_t i = series->count; i-- > 0;) {
        const struct smc_series_run *run = &series->run[i];
        results += run->seen.has_result;
        if (run->status == SMC_SHORTFALL)
            status = SMC_SHORTFALL;
        if (run->status == SMC_MACHINE) {
            broken++;
            first_broken = run;
        }
        if (!run->seen.has_result)
            first_failed = run;
    }
    if (first_broken)
        return tell_broken(series, broken, first_broken, error);
    if (results == 0 && first_failed)
        return smc_fail(error, first_failed->status, "%s", first_failed->why);
    if (first_failed)
        return smc_fail(error, SMC_SHORTFALL, "%zu of %zu runs have no result; the first, %s: %s",
                        series->count - results, series->count, first_failed->query.kernel->name,
                        first_failed->why);
    return status;
}
