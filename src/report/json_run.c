/* A run's confirmation in JSON: the rows, and what was seen beside them. */
#include "report/json_parts.h"

static void add_witness(json_t *object, const char *key, const struct smc_reading *witness)
{
    smc_json_set(object, key, witness->present ? smc_json_number(witness->value) : json_null());
}

static json_t *row_object(const struct smc_row *row)
{
    json_t *object = json_object();
    smc_json_string(object, "quantity", row->quantity);
    smc_json_string(object, "unit", row->unit);
    if (row->words[0])
        smc_json_string(object, "predicted", row->words);
    else
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
    smc_json_known_string(object, "host", result->host_name);
    smc_json_known_string(object, "gpu_uuid", result->gpu_uuid);
    smc_json_known_string(object, "driver", result->driver);
    smc_json_known_string(object, "runtime", result->runtime);
    smc_json_integer(object, "seed", result->seed);
    bool timed = result->timing.succeeded;
    smc_json_set(object, "timed_launches",
                 timed ? json_integer(result->timed_launches) : json_null());
    smc_json_set(object, "median_ms", timed ? json_real(result->median_ms) : json_null());
    smc_json_set(object, "fastest_ms", timed ? json_real(result->fastest_ms) : json_null());
    smc_json_set(object, "slowest_ms", timed ? json_real(result->slowest_ms) : json_null());
    smc_json_known_integer(object, "sm_clock_khz", result->sm_clock_khz);
    return object;
}

static json_t *finding_object(const struct smc_run_finding *seen)
{
    const struct smc_finding *finding = &seen->finding;
    json_t *object = json_object();
    smc_json_string(object, "kind", smc_finding_name(finding->kind));
    smc_json_known_integer(object, "line", seen->line);
    smc_json_set(
        object, "block",
        json_pack("[iii]", (int)finding->block[0], (int)finding->block[1], (int)finding->block[2]));
    smc_json_set(object, "thread",
                 json_pack("[iii]", (int)finding->thread[0], (int)finding->thread[1],
                           (int)finding->thread[2]));
    smc_json_set(object, "array", finding->array[0] ? json_string(finding->array) : json_null());
    smc_json_set(object, "times", json_integer((json_int_t)finding->times));
    smc_json_string(object, "text", seen->text);
    return object;
}

json_t *smc_json_findings(const struct smc_emulated_run *emulated)
{
    json_t *list = json_array();
    for (size_t i = 0; i < emulated->finding_count; i++)
        json_array_append_new(list, finding_object(&emulated->finding[i]));
    return list;
}

/* null where nothing was emulated. */
static json_t *emulated_object(const struct smc_run_result *result)
{
    const struct smc_emulated_run *emulated = &result->emulated;
    if (!result->emulation.made)
        return json_null();
    json_t *object = json_object();
    smc_json_set(object, "warp_instructions",
                 json_integer((json_int_t)emulated->warp_instructions));
    smc_json_set(object, "thread_instructions",
                 json_integer((json_int_t)emulated->thread_instructions));
    smc_json_set(object, "elapsed_ms", json_real(emulated->elapsed_ms));
    smc_json_set(object, "findings", smc_json_findings(emulated));
    smc_json_set(object, "lines",
                 emulated->annotation ? smc_json_annotation(emulated->annotation) : json_null());
    return object;
}

void smc_json_rows(json_t *object, const struct smc_confirmation *confirmation)
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
}

void smc_json_confirmation(json_t *object, const struct smc_run_result *result,
                           const struct smc_confirmation *confirmation)
{
    smc_json_rows(object, confirmation);
    smc_json_set(object, "run", run_object(result));
    smc_json_set(object, "emulation", emulated_object(result));
}

json_t *smc_json_gpu_error(const struct smc_gpu_part *part)
{
    json_t *object = json_object();
    smc_json_integer(object, "status", part->status);
    smc_json_string(object, "message", part->error.message);
    return object;
}

void smc_json_gpu_identity(json_t *object, const struct smc_gpu_part *part, const char *host_name)
{
    bool known = part->device.name[0] != '\0';
    json_t *run = json_object();
    smc_json_set(object, "device", known ? smc_json_device(&part->device) : json_null());
    smc_json_known_string(run, "host", host_name);
    smc_json_known_string(run, "gpu_uuid", smc_gpu_part_uuid(part));
    smc_json_set(object, "run", run);
}
