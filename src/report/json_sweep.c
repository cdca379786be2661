/* A sweep in JSON, a point at a time: the axes, then one answer a line. Only the brackets around
   the answers are written here; a list of all of them would not fit in memory. */
#include <stdlib.h>

#include "report/json_parts.h"

static json_t *axis_object(const struct smc_sweep *sweep, size_t axis)
{
    const struct smc_axis *varied = &sweep->axis[axis];
    json_t *object = json_object();
    json_t *values = json_array();
    for (uint64_t i = 0; i < smc_axis_values(varied); i++) {
        int64_t value = smc_range_value(&varied->range, i);
        json_array_append_new(values, varied->id == SMC_AXIS_DEVICE
                                          ? json_string(sweep->devices[value].name)
                                          : json_integer(value));
    }
    smc_json_string(object, "option", smc_axis_info[varied->id].option);
    smc_json_set(object, "values", values);
    return object;
}

static void dump(json_t *value, struct smc_text *out)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(value);
    out->failed |= !text;
    smc_text_append(out, text ? text : "");
    free(text);
}

void smc_json_sweep_begin(const struct smc_sweep *sweep, struct smc_text *out)
{
    json_t *axes = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++)
        json_array_append_new(axes, axis_object(sweep, i));
    smc_text_append(out, "{\"schema\":\"smemcalc/1\",\"axes\":");
    dump(axes, out);
    smc_text_append(out, ",\"answers\":[\n");
}

void smc_json_sweep_point(const struct smc_sweep *sweep, uint64_t point,
                          const struct smc_answer *answer, const char *why, struct smc_text *out)
{
    json_t *object = json_object();
    json_t *position = json_array();
    for (size_t i = 0; i < sweep->axis_count; i++)
        json_array_append_new(position,
                              json_integer((json_int_t)smc_sweep_position(sweep, i, point)));
    smc_json_set(object, "position", position);
    smc_json_set(object, "error", why ? json_string(why) : json_null());
    if (!why)
        smc_json_answer(object, answer);
    smc_text_append(out, point ? ",\n" : "");
    dump(object, out);
}

void smc_json_sweep_end(const struct smc_sweep_result *result, const struct smc_report_style *style,
                        struct smc_text *out)
{
    (void)result;
    (void)style;
    smc_text_append(out, "\n]}\n");
}
