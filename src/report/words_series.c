/* A series of runs in words: what is compared, what varies, what each run is called. */
#include "report/words_series.h"

#include <inttypes.h>

#include "report/words.h"

enum { LONGEST_IN_TABLE = 16, MOST_NAMED = 8 };

static bool takes(const struct smc_series_run *run, int param)
{
    return run->query.kernel->params >> param & 1;
}

/* Completed where there is an answer. */
static const struct smc_query *query_of(const struct smc_series_run *run)
{
    return run->seen.has_result ? &run->seen.answer.query : &run->query;
}

/* Of a run without an answer not what the kernel itself would choose. */
static uint32_t known_params(const struct smc_series_run *run)
{
    const struct smc_params *params = &query_of(run)->params;
    uint32_t known = run->seen.has_result ? ~UINT32_C(0) : params->given;
    for (int p = 0; p < SMC_PARAM_COUNT; p++)
        if (params->value[p] != 0)
            known |= 1u << p;
    return known & run->query.kernel->params;
}

/* The parameters that every run takes, with one value as far as it is known. */
static uint32_t shared_params(const struct smc_series *series)
{
    uint32_t shared = ~UINT32_C(0), met = 0;
    int64_t value[SMC_PARAM_COUNT];
    for (size_t i = 0; i < series->count; i++) {
        const struct smc_series_run *run = &series->run[i];
        uint32_t known = known_params(run);
        shared &= run->query.kernel->params;
        for (int p = 0; p < SMC_PARAM_COUNT; p++) {
            int64_t own = query_of(run)->params.value[p];
            if (known & met & 1u << p && own != value[p])
                shared &= ~(1u << p);
            if (known & 1u << p)
                value[p] = own;
        }
        met |= known;
    }
    return shared;
}

static uint32_t bit_of_axis(const struct smc_series_axis *axis)
{
    return axis->vary == SMC_VARY_PARAM ? 1u << axis->param : 0;
}

static const struct smc_series_run *first_with_result(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result)
            return &series->run[i];
    return &series->run[0];
}

/* A length that follows a radius says less than the outputs, which stay. */
static void append_outputs(const struct smc_series *series, uint32_t shared, struct smc_text *out)
{
    const struct smc_series_run *run = first_with_result(series);
    uint64_t outputs = run->seen.answer.plan.output_rows;
    bool varies = takes(run, SMC_PARAM_LENGTH) && !(shared & 1u << SMC_PARAM_LENGTH);
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result)
            varies &= series->run[i].seen.answer.plan.output_rows == outputs;
    if (varies)
        smc_text_printf(out, ", %" PRIu64 " outputs", outputs);
}

void smc_words_series_subject(const struct smc_series *series, struct smc_text *out)
{
    const struct smc_series_run *run = first_with_result(series);
    uint32_t shared = shared_params(series) & ~bit_of_axis(&series->axis);
    smc_text_printf(out, "%s: ", series->family ? series->family : run->query.kernel->name);
    smc_words_some_params(query_of(run), ~shared, out);
    append_outputs(series, shared, out);
}

static void append_own_params(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    uint32_t without = shared_params(series) | bit_of_axis(&series->axis);
    without |= 1u << SMC_PARAM_LENGTH | 1u << SMC_PARAM_DTYPE;
    smc_words_some_params(query_of(run), without | ~known_params(run), out);
}

static void append_run(const struct smc_series *series, size_t index, bool is_short,
                       struct smc_text *out)
{
    struct smc_text params = {0};
    append_own_params(series, index, &params);
    smc_text_append(out, series->run[index].query.kernel->name);
    if (params.length > 0 && (is_short == (params.length <= LONGEST_IN_TABLE)))
        smc_text_printf(out, "%s%s", is_short ? ", " : ": ", smc_text_string(&params));
    smc_text_free(&params);
}

void smc_words_series_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    append_run(series, index, true, out);
}

void smc_words_series_details(const struct smc_series *series, size_t index, struct smc_text *out)
{
    struct smc_text params = {0};
    append_own_params(series, index, &params);
    if (params.length > LONGEST_IN_TABLE)
        append_run(series, index, false, out);
    smc_text_free(&params);
}

void smc_words_series_whole_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    smc_words_series_run(series, index, out);
    if (!run->has_value)
        return;
    smc_text_printf(out, ", %s ", smc_words_series_option(&series->axis));
    smc_words_series_value(&series->axis, run->value, out);
}

const char *smc_words_series_option(const struct smc_series_axis *axis)
{
    switch (axis->vary) {
    case SMC_VARY_NOTHING:
        break;
    case SMC_VARY_PARAM:
        return smc_param_info[axis->param].option;
    case SMC_VARY_DYNAMIC_SMEM:
        return "dynamic-smem";
    case SMC_VARY_CARVEOUT:
        return "carveout";
    case SMC_VARY_CACHE_CONFIG:
        return "cache-config";
    }
    return NULL;
}

void smc_words_series_value(const struct smc_series_axis *axis, int64_t value, struct smc_text *out)
{
    if (axis->vary == SMC_VARY_CACHE_CONFIG)
        smc_text_append(out, smc_words_cache_config((enum smc_cache_config)value));
    else if (axis->vary == SMC_VARY_DYNAMIC_SMEM && value && value % 1024 == 0)
        smc_text_printf(out, "%" PRId64 "K", value / 1024);
    else
        smc_text_printf(out, "%" PRId64, value);
}

void smc_words_series_values(const struct smc_series_axis *axis, struct smc_text *out)
{
    for (size_t i = 0; i < axis->count; i++) {
        smc_text_append(out, i ? ", " : "");
        smc_words_series_value(axis, axis->value[i], out);
    }
    if (!axis->spread)
        return;
    smc_text_printf(out, "; %zu values from ", axis->count);
    smc_words_series_value(axis, axis->range.first, out);
    smc_text_append(out, " to ");
    smc_words_series_value(axis, axis->range.last, out);
    smc_text_append(out, "; FIRST:LAST:STEP takes others");
}

void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out)
{
    const enum smc_verdict whole = smc_series_whole_verdict(series);
    struct smc_confirmation total = {0};
    size_t results = 0;
    for (size_t i = 0; i < series->count; i++) {
        results += series->run[i].seen.has_result;
        smc_confirmation_add(&series->run[i].seen.confirmation, &total);
    }
    const struct {
        size_t quantities;
        const char *words;
    } parts[] = {[SMC_CONFIRMED] = {total.confirmed, "confirmed"},
                 [SMC_DIFFERS] = {total.differing, "differ"},
                 [SMC_NOT_MEASURED] = {total.not_measured, "not measured"}};
    smc_text_printf(out, "%s: %zu quantit%s of ", smc_verdict_name(whole), parts[whole].quantities,
                    parts[whole].quantities == 1 ? "y" : "ies");
    if (results < series->count)
        smc_text_printf(out, "%zu of ", results);
    smc_text_printf(out, "%zu run%s", series->count, series->count == 1 ? "" : "s");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (i != (size_t)whole)
            smc_text_printf(out, ", %zu %s", parts[i].quantities, parts[i].words);
}

void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out)
{
    size_t started = smc_series_started(series), left = series->count - started;
    if (left == 0)
        return;
    smc_text_printf(out, "%zu run%s not started", left, left == 1 ? " was" : "s were");
    for (size_t i = started; i < series->count && left <= MOST_NAMED; i++) {
        smc_text_append(out, i == started ? ": " : "; ");
        smc_words_series_whole_run(series, i, out);
    }
}

void smc_words_series_reason(const struct smc_series_run *run, struct smc_text *out)
{
    if (!run->started)
        smc_text_append(out, "not started");
    else if (!run->seen.has_result)
        smc_text_printf(out, "%s%s", run->status == SMC_INTERRUPTED ? "stopped: " : "", run->why);
    else if (run->seen.answer.outcome != SMC_LAUNCHES)
        smc_words_failure(&run->seen.answer, out);
}
