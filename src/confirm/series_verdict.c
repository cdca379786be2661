/* Which figures a series is about, and whether they were confirmed. */
#include <string.h>

#include "confirm/series.h"

#define BIT SMC_FIGURE_BIT

static bool has(const struct smc_series *series, size_t index, enum smc_figure figure)
{
    double value;
    return smc_series_figure(series, index, figure, &value);
}

static bool any(const struct smc_series *series, enum smc_figure figure)
{
    for (size_t i = 0; i < series->count; i++)
        if (has(series, i, figure))
            return true;
    return false;
}

/* Somewhere the API alone answers. */
static bool lacks_probe(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (has(series, i, SMC_FIGURE_BLOCKS_API) && !has(series, i, SMC_FIGURE_BLOCKS_MEASURED))
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

static bool is_product(const struct smc_series *series)
{
    return series->run[0].query.kernel->params & SMC_MATRIX_SIZES;
}

static uint32_t ratio(const struct smc_series *series, enum smc_figure figure)
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
                   : blocks | BIT(TIME_MS) | (is_product(series) ? BIT(GFLOPS) : BIT(GB_PER_S)) |
                         ratio(series, SMC_FIGURE_SPEED_UP);
    if (launches_vary || !any(series, SMC_FIGURE_LOAD_SECTORS))
        return blocks;
    return BIT(LOAD_SECTORS) | SMC_SHARED_COUNTS | ratio(series, SMC_FIGURE_FEWER_SECTORS);
}

/* Whether a row is about a figure that is shown, or about the failure shown in its place. */
static bool is_shown(const struct smc_row *row, uint32_t shown, enum smc_outcome outcome)
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
        if (!row->predicted.present || !is_shown(row, shown, seen->answer.outcome))
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
