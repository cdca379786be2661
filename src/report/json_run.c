/* A run's confirmation in JSON: the rows, and what was seen beside them. */
#include <math.h>

#include "report/json_parts.h"

static void add_witness(json_t *object, const char *key, const struct smc_witness *witness)
{
    double value = witness->value;
    bool whole = value > -1e15 && value < 1e15 && value == (double)(long long)value;
    if (!witness->present || isnan(value) || isinf(value))
        smc_json_set(object, key, json_null());
    else
        smc_json_set(object, key, whole ? json_integer((json_int_t)value) : json_real(value));
}

static json_t *row_object(const struct smc_row *row)
{
    json_t *object = json_object();
    smc_json_string(object, "quantity", row->quantity);
    smc_json_string(object, "unit", row->unit);
    add_witness(object, "predicted", &row->predicted);
    add_witness(object, "api", &row->api);
    add_witness(object, "emulated", &row->emulated);
    add_witness(object, "measured", &row->measured);
    smc_json_string(object, "verdict", smc_verdict_name(row->verdict));
    smc_json_set(object, "note", row->note[0] ? json_string(row->note) : json_null());
    return object;
}

static json_t *run_object(const struct smc_run_result *result)
{
    json_t *object = json_object();
    smc_json_set(object, "driver", result->driver[0] ? json_string(result->driver) : json_null());
    smc_json_set(object, "runtime",
                 result->runtime[0] ? json_string(result->runtime) : json_null());
    bool timed = result->timing.succeeded;
    smc_json_set(object, "timed_launches",
                 timed ? json_integer(result->timed_launches) : json_null());
    smc_json_set(object, "median_ms", timed ? json_real(result->median_ms) : json_null());
    smc_json_set(object, "fastest_ms", timed ? json_real(result->fastest_ms) : json_null());
    smc_json_set(object, "slowest_ms", timed ? json_real(result->slowest_ms) : json_null());
    smc_json_known_integer(object, "sm_clock_khz", result->sm_clock_khz);
    return object;
}

void smc_json_confirmation(json_t *object, const struct smc_run_result *result,
                           const struct smc_confirmation *confirmation)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < confirmation->row_count; i++)
        json_array_append_new(rows, row_object(&confirmation->row[i]));
    smc_json_set(object, "confirmation", rows);
    json_t *verdicts = json_object();
    smc_json_integer(verdicts, "confirmed", confirmation->confirmed);
    smc_json_integer(verdicts, "differing", confirmation->differing);
    smc_json_integer(verdicts, "not_measured", confirmation->not_measured);
    smc_json_set(object, "verdicts", verdicts);
    smc_json_set(object, "run", run_object(result));
}
