/* A series of runs in text: what is compared, the table, and how to read it. */
#include "report/layout.h"
#include "report/text_parts.h"
#include "report/text_series_table.h"
#include "report/words.h"
#include "report/words_run.h"
#include "report/words_series.h"

#define BIT           SMC_FIGURE_BIT
#define SHARED_COUNTS (BIT(LOAD_WAVEFRONTS) | BIT(STORE_WAVEFRONTS) | BIT(CONFLICTS))

static bool any(const struct smc_series *series, enum smc_figure figure, bool above_zero)
{
    double value;
    for (size_t i = 0; i < series->count; i++)
        if (smc_series_figure(series, i, figure, &value) && (!above_zero || value > 0))
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

/* The verdicts of all runs together. */
static void append_verdicts(const struct smc_series *series, const struct smc_report_style *style,
                            struct smc_text *out)
{
    struct smc_confirmation total = {0};
    size_t results = 0;
    for (size_t i = 0; i < series->count; i++) {
        results += series->run[i].seen.has_result;
        smc_confirmation_add(&series->run[i].seen.confirmation, &total);
    }
    smc_layout_begin(out, style, total.differing ? SMC_BAD : SMC_GOOD);
    smc_words_verdicts(&total, out);
    smc_text_append(out, ", in ");
    if (results < series->count)
        smc_text_printf(out, "%zu of ", results);
    smc_text_printf(out, "%zu run%s\n", series->count, series->count == 1 ? "" : "s");
    smc_layout_end(out, style);
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

static bool ran_on_gpu(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result && series->run[i].seen.result.load.made)
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
    struct smc_text hint = {0}, blocks = {0}, counts = {0}, ratio = {0}, best = {0};
    if (vary == SMC_VARY_CARVEOUT || vary == SMC_VARY_CACHE_CONFIG)
        smc_text_append(&hint, "a carve-out is a preference: the driver may set another size, and "
                               "an SM that keeps more blocks than predicted refutes nothing");
    if (table->figures & BIT(BLOCKS_PREDICTED) && !ran_on_gpu(series))
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
    if (hint.length + blocks.length + counts.length + ratio.length + best.length > 0)
        smc_text_append_char(out, '\n', 1);
    append_line("a hint", &hint, style, out);
    append_line("blocks", &blocks, style, out);
    append_line("counts", &counts, style, out);
    append_line("ratios", &ratio, style, out);
    append_line("*", &best, style, out);
}

static bool is_product(const struct smc_series *series)
{
    return series->run[0].query.kernel->params & SMC_MATRIX_SIZES;
}

/* A GPU times, an emulator counts; where the launch alone varies, the resident blocks are the
   lesson. */
static uint32_t figures_of(const struct smc_series *series)
{
    enum smc_series_vary vary = series->axis.vary;
    bool launches_vary = vary != SMC_VARY_NOTHING && vary != SMC_VARY_PARAM;
    uint32_t blocks = BIT(BLOCKS_PREDICTED) | BIT(BLOCKS_MEASURED);
    if (launches_vary)
        blocks |= BIT(BLOCKS_API);
    if (ran_on_gpu(series) && !any(series, SMC_FIGURE_TIME_MS, false))
        return blocks;
    if (ran_on_gpu(series))
        return blocks | BIT(TIME_MS) | (is_product(series) ? BIT(GFLOPS) : BIT(GB_PER_S)) |
               (any(series, SMC_FIGURE_SPEED_UP, false) ? BIT(SPEED_UP) : 0);
    if (launches_vary || !any(series, SMC_FIGURE_LOAD_SECTORS, false))
        return blocks;
    return BIT(LOAD_SECTORS) | SHARED_COUNTS |
           (any(series, SMC_FIGURE_FEWER_SECTORS, false) ? BIT(FEWER_SECTORS) : 0);
}

void smc_text_series(const struct smc_series *series, const struct smc_report_style *style,
                     struct smc_text *out)
{
    bool timed = any(series, SMC_FIGURE_TIME_MS, false);
    struct smc_series_table table = {
        .series = series,
        .figures = figures_of(series),
        .verdicts = true,
        .marks_best = any_best(series),
    };
    append_verdicts(series, style, out);
    smc_text_append_char(out, '\n', 1);
    append_subject(series, style, out);
    append_details(series, style, out);
    smc_text_series_table(&table, style, out);
    bool has_counts = timed && series->family && any(series, SMC_FIGURE_CONFLICTS, true);
    if (has_counts) {
        struct smc_series_table counts = {.series = series, .figures = SHARED_COUNTS};
        smc_text_series_table(&counts, style, out);
    }
    append_notes(&table, has_counts, style, out);
}
