/* Running a series: each run confirmed as if it were alone. */
#include <stdio.h>
#include <string.h>

#include "confirm/series.h"

/* The same warning is not told for each run. */
static void add_warnings(const struct smc_text *from, struct smc_text *to)
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
        struct smc_text told = {0};
        if (settings->stop && settings->stop())
            return smc_fail(error, SMC_INTERRUPTED, "%zu of %zu runs done", i, series->count);
        run->started = true;
        run->status = smc_confirm_one(&run->query, settings, &run->seen, &told, &why);
        snprintf(run->why, sizeof run->why, "%.511s", why.message);
        add_warnings(&told, warnings);
        smc_text_free(&told);
        if (run->status == SMC_INTERRUPTED)
            return smc_fail(error, SMC_INTERRUPTED, "%zu of %zu runs done; then %.800s", i,
                            series->count, why.message);
        if (step)
            step(context, i + 1);
        if (smc_is_lost(&run->seen.result.finish))
            break; /* a kernel without an end still holds the GPU */
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
