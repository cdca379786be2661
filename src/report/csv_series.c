/* A series of runs in CSV: a row for each. */
#include <inttypes.h>

#include "report/csv_parts.h"
#include "report/words.h"
#include "report/words_series.h"

static void append_head(struct smc_text *out)
{
    smc_text_append(out, "device,kernel");
    smc_csv_params_head(out);
    smc_text_append(out, ",carveout,cache_config,dynamic_smem");
    for (int f = 0; f < SMC_FIGURE_COUNT; f++)
        smc_text_printf(out, ",%s", smc_figure_key((enum smc_figure)f));
    smc_text_append(out, ",fastest,confirmed,differing,not_measured,verdict,failure\n");
}

static void append_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    bool seen = run->seen.has_result;
    const struct smc_query *query = seen ? &run->seen.answer.query : &run->query;
    const struct smc_confirmation *confirmation = &run->seen.confirmation;
    smc_csv_field(out, query->device.name);
    smc_text_printf(out, ",%s", query->kernel->name);
    smc_csv_params(query, out);
    smc_text_printf(out, ",%" PRId32 ",%s,", query->settings.carveout_percent,
                    smc_words_cache_config(query->settings.cache_config));
    if (seen)
        smc_text_printf(out, "%" PRIu32, run->seen.answer.launch.dynamic_smem_bytes);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        double value;
        smc_text_append(out, ",");
        if (smc_series_figure(series, index, (enum smc_figure)f, &value))
            smc_csv_number(value, out);
    }
    smc_text_printf(out, ",%d,%zu,%zu,%zu,%s,", smc_series_is_best(series, index),
                    confirmation->confirmed, confirmation->differing, confirmation->not_measured,
                    seen ? smc_verdict_name(smc_series_verdict(series, index)) : "");
    struct smc_text reason = {0};
    smc_words_series_reason(run, &reason);
    smc_csv_field(out, smc_text_string(&reason));
    smc_text_free(&reason);
    smc_text_append(out, "\n");
}

void smc_csv_series(const struct smc_series *series, const struct smc_report_style *style,
                    struct smc_text *out)
{
    (void)style;
    append_head(out);
    for (size_t i = 0; i < series->count; i++)
        append_run(series, i, out);
}
