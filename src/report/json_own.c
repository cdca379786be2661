/* A person's own kernel in JSON: the answer, the rows, and what became of its memory. */
#include <inttypes.h>
#include <stdio.h>

#include "report/json_parts.h"

static json_t *source_object(const struct smc_own_run *run)
{
    const struct smc_own_request *request = &run->request;
    json_t *object = json_object(), *arguments = json_array();
    smc_json_string(object, "file", request->file);
    smc_json_string(object, "entry", run->row.kernel->name);
    for (size_t i = 0; i < request->argument_count; i++)
        json_array_append_new(arguments, json_string(request->argument[i].typed));
    smc_json_set(object, "arguments", arguments);
    return object;
}

/* null where it was not launched there. */
static json_t *attempt_object(const struct smc_attempt *attempt)
{
    if (!attempt->made)
        return json_null();
    json_t *object = json_object();
    smc_json_set(object, "succeeded", json_boolean(attempt->succeeded));
    smc_json_set(object, "message",
                 attempt->message[0] ? json_string(attempt->message) : json_null());
    return object;
}

static json_t *traffic_object(const struct smc_emulated_traffic *traffic)
{
    json_t *object = json_object();
    smc_json_integer(object, "requests", traffic->requests);
    smc_json_integer(object, "sectors", traffic->sectors);
    smc_json_integer(object, "elements", traffic->elements);
    smc_json_integer(object, "bytes", traffic->bytes);
    return object;
}

static json_t *digest_object(bool present, const struct smc_own_digest *digest)
{
    char text[16];
    if (!present)
        return json_null();
    json_t *object = json_object();
    snprintf(text, sizeof text, "%08" PRIx32, digest->crc32);
    smc_json_string(object, "crc32", text);
    smc_json_integer(object, "changed", digest->changed);
    return object;
}

static json_t *memory_object(const struct smc_own_run *run, size_t index)
{
    const struct smc_own_memory *memory = &run->memory[index];
    const struct smc_own_argument *argument = memory->argument;
    const struct smc_emulated_traffic *kind = run->result.emulated.buffer[index].kind;
    bool counted = run->result.emulated.run.made;
    json_t *object = json_object();
    smc_json_integer(object, "argument", memory->position);
    smc_json_string(object, "type", smc_own_types[argument->type].name);
    smc_json_integer(object, "elements", argument->elements);
    smc_json_set(object, "loads", counted ? traffic_object(&kind[SMC_EMULATED_LOAD]) : json_null());
    smc_json_set(object, "stores",
                 counted ? traffic_object(&kind[SMC_EMULATED_STORE]) : json_null());
    smc_json_set(object, "atomics",
                 counted ? traffic_object(&kind[SMC_EMULATED_ATOMIC]) : json_null());
    smc_json_set(object, "emulated", digest_object(memory->has_emulated, &memory->emulated));
    smc_json_set(object, "measured", digest_object(memory->has_gpu, &memory->gpu));
    smc_json_set(object, "unlike_emulated",
                 memory->agreement.compared ? json_integer((json_int_t)memory->agreement.differing)
                                            : json_null());
    smc_json_set(object, "by_order_of_atomics",
                 memory->agreement.compared ? json_integer((json_int_t)memory->agreement.by_order)
                                            : json_null());
    return object;
}

static json_t *run_object(const struct smc_own_run *run)
{
    const struct smc_own_on_gpu *gpu = &run->result.gpu;
    json_t *object = json_object();
    smc_json_known_string(object, "host", run->result.host_name);
    smc_json_known_string(object, "gpu_uuid", gpu->gpu_uuid);
    smc_json_known_string(object, "driver", gpu->driver);
    smc_json_known_string(object, "runtime", gpu->runtime);
    smc_json_integer(object, "seed", run->request.seed);
    return object;
}

void smc_json_own(json_t *object, const struct smc_own_run *run,
                  const struct smc_confirmation *confirmation)
{
    json_t *memory = json_array();
    smc_json_answer(object, &run->row.answer);
    smc_json_string(json_object_get(object, "kernel"), "name", run->row.kernel->shown);
    smc_json_set(object, "source", source_object(run));
    smc_json_rows(object, confirmation);
    smc_json_set(object, "run", run_object(run));
    smc_json_set(object, "emulator", attempt_object(&run->result.emulated.finish));
    smc_json_set(object, "gpu", attempt_object(&run->result.gpu.finish));
    smc_json_set(object, "findings", smc_json_findings(&run->result.emulated.counts));
    for (size_t i = 0; i < run->memory_count; i++)
        json_array_append_new(memory, memory_object(run, i));
    smc_json_set(object, "memory", memory);
    const struct smc_annotation *annotation = run->result.emulated.counts.annotation;
    smc_json_set(object, "lines", annotation ? smc_json_annotation(annotation) : json_null());
}
