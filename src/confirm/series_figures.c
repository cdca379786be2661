/* The figures of a series: what was timed, what was counted, and how runs compare. */
#include <string.h>

#include "confirm/series.h"

const char *smc_figure_key(enum smc_figure figure)
{
    static const char *const keys[] = {
#define FIGURE(id, key, above, below) [SMC_FIGURE_##id] = key,
#include "confirm/figures.def"
#undef FIGURE
    };
    return keys[figure];
}

static const struct smc_row *row_of(const struct smc_series_run *run, const char *quantity)
{
    const struct smc_confirmation *confirmation = &run->seen.confirmation;
    for (size_t i = 0; i < confirmation->row_count; i++)
        if (strcmp(confirmation->row[i].quantity, quantity) == 0)
            return &confirmation->row[i];
    return NULL;
}

static bool take(const struct smc_witness *witness, double *value)
{
    *value = witness->value;
    return witness->present;
}

static bool blocks_of(const struct smc_series_run *run, enum smc_figure figure, double *value)
{
    const struct smc_row *row = row_of(run, "blocks_per_sm");
    if (!row)
        return false;
    return take(figure == SMC_FIGURE_BLOCKS_PREDICTED ? &row->predicted
                : figure == SMC_FIGURE_BLOCKS_API     ? &row->api
                                                      : &row->measured,
                value);
}

static bool measured(const struct smc_series_run *run, const char *quantity, double *value)
{
    const struct smc_row *row = row_of(run, quantity);
    return row && take(&row->measured, value);
}

static double load_sectors(const struct smc_work *work)
{
    double sectors = 0;
    for (size_t i = 0; i < work->access_count; i++)
        if (!work->access[i].store)
            sectors += work->access[i].sectors;
    return sectors;
}

/* As the emulator counted; where it did not, as the model says. A kernel without shared memory has
   no wavefronts: that is 0. */
static bool count_of(const struct smc_series_run *run, enum smc_figure figure, double *value)
{
    const struct smc_answer *answer = &run->seen.answer;
    const struct smc_shared_work *shared = &answer->workload.shared;
    const struct smc_row *row = row_of(run, smc_figure_key(figure));
    if (row && row->emulated.present)
        return take(&row->emulated, value);
    *value = figure == SMC_FIGURE_LOAD_SECTORS      ? load_sectors(&answer->work)
             : figure == SMC_FIGURE_LOAD_WAVEFRONTS ? shared->written_loads.wavefronts
             : figure == SMC_FIGURE_STORE_WAVEFRONTS
                 ? shared->stores.wavefronts
                 : smc_bank_conflicts(&shared->written_loads) + smc_bank_conflicts(&shared->stores);
    return answer->has_work && answer->outcome == SMC_LAUNCHES;
}

/* What runs are compared by. The time of a wrong result is no merit. */
static bool comparable(const struct smc_series *series, size_t index, enum smc_figure figure,
                       double *value)
{
    bool wrong = series->run[index].seen.result.comparison.wrong > 0;
    return !(wrong && figure == SMC_FIGURE_TIME_MS) &&
           smc_series_figure(series, index, figure, value);
}

/* How many times less of `figure` there is than in the baseline. */
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
        return blocks_of(run, figure, value);
    case SMC_FIGURE_TIME_MS:
    case SMC_FIGURE_GFLOPS:
    case SMC_FIGURE_GOPS:
    case SMC_FIGURE_GB_PER_S:
        return measured(run, smc_figure_key(figure), value);
    case SMC_FIGURE_SPEED_UP:
        return times_less(series, index, SMC_FIGURE_TIME_MS, value);
    case SMC_FIGURE_FEWER_SECTORS:
        return times_less(series, index, SMC_FIGURE_LOAD_SECTORS, value);
    case SMC_FIGURE_LOAD_SECTORS:
    case SMC_FIGURE_LOAD_WAVEFRONTS:
    case SMC_FIGURE_STORE_WAVEFRONTS:
    case SMC_FIGURE_CONFLICTS:
        return count_of(run, figure, value);
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
