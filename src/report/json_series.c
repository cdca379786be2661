/* A series of runs in JSON: each as a run of its own, with its figures. */
#include "report/json_parts.h"
#include "report/words_series.h"

static json_t *value_of(const struct smc_series_axis *axis, int64_t value)
{
    if (axis->vary != SMC_VARY_CACHE_CONFIG)
        return json_integer(value);
    struct smc_text word = {0};
    smc_words_series_value(axis, value, &word);
    json_t *string = json_string(smc_text_string(&word));
    smc_text_free(&word);
    return string;
}

static json_t *figures_object(const struct smc_series *series, size_t index)
{
    json_t *object = json_object();
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        double value;
        bool known = smc_series_figure(series, index, (enum smc_figure)f, &value);
        smc_json_set(object, smc_figure_key((enum smc_figure)f),
                     known ? smc_json_number(value) : json_null());
    }
    return object;
}

static json_t *run_object(const struct smc_series *series, size_t index)
{
    const struct smc_series_run *run = &series->run[index];
    json_t *object = json_object();
    smc_json_set(object, "value",
                 run->has_value ? value_of(&series->axis, run->value) : json_null());
    smc_json_set(object, "figures", figures_object(series, index));
    smc_json_set(object, "fastest", json_boolean(smc_series_is_best(series, index)));
    struct smc_text reason = {0};
    if (!run->seen.has_result)
        smc_words_series_reason(run, &reason);
    smc_json_set(object, "failure",
                 reason.length ? json_string(smc_text_string(&reason)) : json_null());
    smc_text_free(&reason);
    if (run->seen.has_result) {
        smc_json_string(object, "verdict", smc_verdict_name(smc_series_verdict(series, index)));
        smc_json_answer(object, &run->seen.answer);
        smc_json_confirmation(object, &run->seen.result, &run->seen.confirmation);
    } else {
        smc_json_set(object, "verdict", json_null());
        json_t *kernel = json_object();
        smc_json_string(kernel, "name", run->query.kernel->name);
        smc_json_params(kernel, &run->query);
        smc_json_set(object, "kernel", kernel);
    }
    return object;
}

static json_t *axis_object(const struct smc_series_axis *axis)
{
    const char *option = smc_words_series_option(axis);
    if (!option)
        return json_null();
    json_t *object = json_object(), *values = json_array();
    smc_json_string(object, "option", option);
    for (size_t i = 0; i < axis->count; i++)
        json_array_append_new(values, value_of(axis, axis->value[i]));
    smc_json_set(object, "values", values);
    smc_json_set(object, "spread", json_boolean(axis->spread));
    return object;
}

void smc_json_series(json_t *object, const struct smc_series *series)
{
    int baseline = series->run[0].baseline;
    json_t *list = json_array();
    for (size_t i = 0; i < series->count; i++)
        json_array_append_new(list, run_object(series, i));
    smc_json_set(object, "family", series->family ? json_string(series->family) : json_null());
    smc_json_set(object, "baseline",
                 baseline != SMC_NO_RUN ? json_string(series->run[baseline].query.kernel->name)
                                        : json_null());
    smc_json_set(object, "varied", axis_object(&series->axis));
    smc_json_set(object, "comparison", list);
}
