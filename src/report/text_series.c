/* A series of runs in text: what is compared, the table, and how to read it. */
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/text_series_table.h"
#include "report/words.h"
#include "report/words_run.h"
#include "report/words_series.h"

#define BIT SMC_FIGURE_BIT

static bool any_conflicts(const struct smc_series *series)
{
    double value;
    for (size_t i = 0; i < series->count; i++)
        if (smc_series_figure(series, i, SMC_FIGURE_CONFLICTS, &value) && value > 0)
            return true;
    return false;
}

static bool any_best(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (smc_series_is_best(series, i))
            return true;
    return false;
}

static void append_line(const char *label, struct smc_text *text,
                        const struct smc_report_style *style, struct smc_text *out)
{
    if (text->length > 0)
        smc_text_line(out, style, label, text);
    smc_text_free(text);
}

static void append_verdicts(const struct smc_series *series, const struct smc_report_style *style,
                            struct smc_text *out)
{
    enum smc_verdict verdict = smc_series_whole_verdict(series);
    smc_layout_begin(out, style,
                     verdict == SMC_DIFFERS     ? SMC_BAD
                     : verdict == SMC_CONFIRMED ? SMC_GOOD
                                                : SMC_PLAIN);
    smc_words_series_verdicts(series, out);
    smc_layout_end(out, style);
    smc_text_append_char(out, '\n', 1);
}

static void append_subject(const struct smc_series *series, const struct smc_report_style *style,
                           struct smc_text *out)
{
    struct smc_text subject = {0}, device = {0}, values = {0};
    const char *option = smc_words_series_option(&series->axis);
    smc_words_series_subject(series, &subject);
    append_line(series->family ? "kernels" : "kernel", &subject, style, out);
    smc_words_run_device(&series->run[0].query.device, &device);
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.result.driver[0]) {
            smc_text_append(&device, "; ");
            smc_words_run_driver(&series->run[i].seen.result, &device);
            break;
        }
    smc_words_assumed(&series->run[0].query, &device);
    append_line("device", &device, style, out);
    if (option)
        smc_words_series_values(&series->axis, &values);
    append_line(option, &values, style, out);
}

static void append_details(const struct smc_series *series, const struct smc_report_style *style,
                           struct smc_text *out)
{
    for (size_t i = 0; i < series->count; i++) {
        struct smc_text details = {0};
        bool repeated =
            i > 0 && series->run[i].has_value && series->run[i].value != series->run[0].value;
        if (!repeated)
            smc_words_series_details(series, i, &details);
        append_line("with", &details, style, out);
    }
}

/* Something was confirmed, but nothing of what the table shows. */
static bool any_unseen(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.confirmation.confirmed > 0 &&
            smc_series_verdict(series, i) == SMC_NOT_MEASURED)
            return true;
    return false;
}

/* What a person has to know to read the table. */
static void append_notes(const struct smc_series_table *table, bool has_counts,
                         const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_series *series = table->series;
    enum smc_series_vary vary = series->axis.vary;
    const char *each = vary == SMC_VARY_NOTHING ? "" : " of the same value";
    struct smc_text hint = {0}, blocks = {0}, counts = {0}, ratio = {0}, best = {0}, unseen = {0};
    if (vary == SMC_VARY_CARVEOUT || vary == SMC_VARY_CACHE_CONFIG)
        smc_text_append(
            &hint, "a carve-out is a preference: the driver may set another size, and "
                   "an SM that keeps more blocks than predicted refutes nothing, where the API "
                   "answers as predicted");
    if (table->figures & BIT(BLOCKS_PREDICTED) && !smc_series_ran_on_gpu(series))
        smc_text_append(&blocks, "as the model predicts them; only a GPU confirms them");
    if (has_counts)
        smc_text_append(&counts,
                        "as the model predicts them; a run of its own has the GPU's counters");
    int baseline = series->run[0].baseline;
    bool fewer = table->figures & BIT(FEWER_SECTORS);
    if (fewer || table->figures & BIT(SPEED_UP))
        smc_text_printf(&ratio, "%s: the %s of %s%s over that of the run",
                        fewer ? "fewer" : "speed-up", fewer ? "number of sectors" : "time",
                        series->run[baseline].query.kernel->name,
                        series->run[baseline].has_value ? each : "");
    if (table->marks_best)
        smc_text_printf(&best, "the fastest%s", each);
    if (any_unseen(series))
        smc_text_append(&unseen,
                        "of the figures shown; a run of its own shows what else was confirmed");
    if (hint.length + blocks.length + counts.length + ratio.length + best.length + unseen.length >
        0)
        smc_text_append_char(out, '\n', 1);
    append_line("a hint", &hint, style, out);
    append_line("blocks", &blocks, style, out);
    append_line("counts", &counts, style, out);
    append_line("ratios", &ratio, style, out);
    append_line("*", &best, style, out);
    append_line("verdicts", &unseen, style, out);
}

void smc_text_series(const struct smc_series *series, const struct smc_report_style *style,
                     struct smc_text *out)
{
    struct smc_series_table table = {
        .series = series,
        .figures = smc_series_shown(series),
        .verdicts = true,
        .marks_best = any_best(series),
    };
    append_verdicts(series, style, out);
    smc_text_append_char(out, '\n', 1);
    append_subject(series, style, out);
    append_details(series, style, out);
    smc_text_series_table(&table, style, out);
    bool timed = table.figures & BIT(TIME_MS);
    bool has_counts = timed && series->family && any_conflicts(series);
    if (has_counts) {
        struct smc_series_table counts = {.series = series, .figures = SMC_SHARED_COUNTS};
        smc_text_series_table(&counts, style, out);
    }
    append_notes(&table, has_counts, style, out);
}
