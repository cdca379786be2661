/* An answer in JSON. */
#include "report/json_parts.h"
#include "report/words.h"

void smc_json_params(json_t *object, const struct smc_query *query)
{
    const struct smc_kernel *kernel = query->kernel;
    const struct smc_params *params = &query->params;
    for (int i = 0; kernel && i < SMC_PARAM_COUNT; i++) {
        if (!(kernel->params & 1u << i))
            continue;
        char key[SMC_PARAM_KEY_CHARS];
        smc_words_param_key((enum smc_param)i, key);
        if (i == SMC_PARAM_DTYPE)
            smc_json_string(object, key, smc_dtype_name((enum smc_dtype)params->value[i]));
        else
            smc_json_set(object, key, json_integer(params->value[i]));
    }
}

static void add_registers(json_t *object, const struct smc_answer *answer)
{
    bool known = smc_words_regs_known(answer);
    char source[64] = "given";
    if (!answer->regs_given)
        smc_resources_source_name(&answer->resources, source);
    smc_json_set(object, "registers_per_thread",
                 known ? json_integer(answer->launch.regs_per_thread) : json_null());
    smc_json_set(object, "registers_source", known ? json_string(source) : json_null());
    const char *reason = answer->resources.reason;
    smc_json_set(object, "registers_reason", reason[0] ? json_string(reason) : json_null());
}

static const char *source_of(bool given, const struct smc_answer *answer)
{
    if (given)
        return "given";
    return smc_words_is_compiled(answer) ? "kernel" : NULL;
}

static void add_source(json_t *object, const char *key, const char *source)
{
    smc_json_set(object, key, source ? json_string(source) : json_null());
}

static json_t *extent(const uint32_t size[3])
{
    return size[0]
               ? json_pack("[I,I,I]", (json_int_t)size[0], (json_int_t)size[1], (json_int_t)size[2])
               : json_null();
}

static json_t *kernel_object(const struct smc_answer *answer)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    const struct smc_launch *launch = &answer->launch;
    const struct smc_resources *resources = &answer->resources;
    json_t *object = json_object();
    smc_json_set(object, "name", kernel ? json_string(kernel->name) : json_null());
    smc_json_params(object, &answer->query);
    smc_json_integer(object, "threads_per_block", launch->threads_per_block);
    add_registers(object, answer);
    smc_json_integer(object, "static_smem_bytes", launch->static_smem_bytes);
    add_source(object, "static_smem_source", source_of(answer->static_smem_given, answer));
    smc_json_integer(object, "dynamic_smem_bytes", launch->dynamic_smem_bytes);
    add_source(object, "dynamic_smem_source", source_of(answer->dynamic_smem_given, answer));
    smc_json_integer(object, "barriers_per_block", launch->barriers_per_block);
    bool compiled = resources->source == SMC_RESOURCES_NVRTC && !resources->refused;
    smc_json_set(object, "stack_bytes",
                 compiled ? json_integer(resources->stack_bytes) : json_null());
    smc_json_set(object, "spill_store_bytes",
                 compiled ? json_integer(resources->spill_store_bytes) : json_null());
    smc_json_set(object, "spill_load_bytes",
                 compiled ? json_integer(resources->spill_load_bytes) : json_null());
    smc_json_set(object, "block_dim", extent(answer->plan.block));
    smc_json_set(object, "grid_dim", extent(answer->plan.grid));
    smc_json_known_integer(object, "grid_blocks", answer->plan.grid_blocks);
    return object;
}

static json_t *launch_object(const struct smc_launch *launch)
{
    json_t *object = json_object();
    smc_json_set(object, "carveout_percent", json_integer(launch->carveout_percent));
    smc_json_string(object, "cache_config", smc_words_cache_config(launch->cache_config));
    smc_json_string(object, "smem_mode", smc_smem_mode_name(launch->smem_mode));
    smc_json_integer(object, "blocks_per_cluster",
                     launch->blocks_per_cluster ? launch->blocks_per_cluster : 1);
    smc_json_integer(object, "virtual_resources", launch->virtual_resources);
    return object;
}

static json_t *limits_object(const struct smc_occupancy *occupancy)
{
    json_t *object = json_object();
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        bool limits = occupancy->limit[i] != SMC_UNLIMITED;
        smc_json_set(object, smc_limit_name((enum smc_limit)i),
                     limits ? json_integer(occupancy->limit[i]) : json_null());
    }
    return object;
}

static json_t *refusal_list(const struct smc_answer *answer)
{
    json_t *list = json_array();
    for (int i = 0; i < SMC_REFUSAL_COUNT; i++)
        if (answer->occupancy.refusals & 1u << i)
            json_array_append_new(list, json_string(smc_refusal_name((enum smc_refusal)i)));
    return list;
}

static json_t *occupancy_object(const struct smc_answer *answer)
{
    static const char *const caching[] = {
        [SMC_PARTITIONED_CACHING_OFF] = "off",
        [SMC_PARTITIONED_CACHING_ON] = "on",
        [SMC_PARTITIONED_CACHING_STRICT] = "strict",
    };
    const struct smc_occupancy *occupancy = &answer->occupancy;
    json_t *object = json_object();
    smc_json_string(object, "outcome", smc_outcome_name(answer->outcome));
    smc_json_integer(object, "blocks_per_sm", occupancy->blocks_per_sm);
    smc_json_integer(object, "warps_per_sm", occupancy->warps_per_sm);
    smc_json_real(object, "percent", answer->occupancy_percent);
    json_t *limiters = json_array();
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        if (occupancy->limiters & 1u << i)
            json_array_append_new(limiters, json_string(smc_limit_name((enum smc_limit)i)));
    smc_json_set(object, "limiters", limiters);
    smc_json_set(object, "limits", limits_object(occupancy));
    smc_json_set(object, "refusals", refusal_list(answer));
    struct smc_text reason = {0};
    if (answer->outcome != SMC_LAUNCHES)
        smc_words_failure(answer, &reason);
    smc_json_set(object, "refusal_reason",
                 reason.length ? json_string(smc_text_string(&reason)) : json_null());
    smc_text_free(&reason);
    json_t *allocated = json_object();
    smc_json_integer(allocated, "registers_per_block", occupancy->regs_allocated_per_block);
    smc_json_integer(allocated, "smem_bytes_per_block", occupancy->smem_allocated_per_block_bytes);
    smc_json_set(object, "allocated", allocated);
    smc_json_integer(object, "carveout_bytes", occupancy->smem_configured_bytes);
    smc_json_string(object, "partitioned_caching", caching[occupancy->partitioned_caching]);
    return object;
}

static json_t *step_list(const struct smc_answer *answer)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < answer->next_steps.count; i++) {
        const struct smc_next_step *step = &answer->next_steps.step[i];
        json_t *object = json_object();
        smc_json_string(object, "resource", smc_step_resource_name(step->resource));
        smc_json_set(object, "change", json_integer(step->change));
        smc_json_integer(object, "blocks_per_sm", step->blocks_per_sm);
        smc_json_real(object, "percent", smc_query_percent_after(answer, step));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *better_block_object(const struct smc_answer *answer)
{
    const struct smc_best_block *block = &answer->better_block;
    if (!block->option)
        return json_null();
    json_t *object = json_object();
    smc_json_string(object, "option", block->option);
    smc_json_set(object, "size", json_integer(block->size));
    smc_json_integer(object, "threads_per_block", block->threads_per_block);
    smc_json_integer(object, "blocks_per_sm", block->blocks_per_sm);
    smc_json_real(object, "percent", block->percent);
    return object;
}

static json_t *waves_object(const struct smc_answer *answer)
{
    if (!answer->has_waves)
        return json_null();
    const struct smc_waves *waves = &answer->waves;
    json_t *object = json_object();
    smc_json_integer(object, "grid_blocks", waves->grid_blocks);
    smc_json_integer(object, "resident_blocks", waves->resident_blocks);
    smc_json_integer(object, "waves", waves->waves);
    smc_json_integer(object, "last_wave_blocks", waves->last_wave_blocks);
    smc_json_real(object, "last_wave_percent",
                  100.0 * (double)waves->last_wave_blocks / (double)waves->resident_blocks);
    smc_json_integer(object, "idle_sms", waves->idle_sms);
    if (answer->resident_clusters)
        smc_json_integer(object, "resident_clusters", answer->resident_clusters);
    return object;
}

void smc_json_answer(json_t *object, const struct smc_answer *answer)
{
    json_t *device = smc_json_device(&answer->query.device);
    smc_json_set(device, "assumed", json_boolean(answer->query.device_assumed));
    smc_json_set(object, "device", device);
    const char *note = answer->query.device_note;
    smc_json_set(object, "note", note[0] ? json_string(note) : json_null());
    smc_json_set(object, "kernel", kernel_object(answer));
    smc_json_set(object, "launch", launch_object(&answer->launch));
    smc_json_set(object, "occupancy", occupancy_object(answer));
    smc_json_set(object, "next_steps", step_list(answer));
    smc_json_set(object, "better_block", better_block_object(answer));
    smc_json_set(object, "waves", waves_object(answer));
    smc_json_set(object, "workload", smc_json_workload(answer));
}
