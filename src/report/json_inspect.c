/* Somebody's own kernels in JSON. */
#include "report/json_parts.h"
#include "report/words.h"

static void set_known(json_t *object, const char *key, bool known, uint32_t value)
{
    smc_json_set(object, key, known ? json_integer(value) : json_null());
}

static void add_kernel(json_t *object, const struct smc_inspect_kernel *kernel)
{
    char architecture[SMC_INSPECT_ARCHITECTURE];
    smc_json_string(object, "file", kernel->file);
    smc_json_string(object, "name", kernel->shown);
    smc_json_string(object, "mangled_name", kernel->name);
    smc_json_string(object, "source", smc_inspect_source_name(kernel->source));
    smc_json_set(object, "compiled_for",
                 kernel->cc ? json_string(smc_inspect_architecture(kernel, architecture))
                            : json_null());
    set_known(object, "max_threads_per_block", kernel->max_threads_per_block > 0,
              kernel->max_threads_per_block);
    set_known(object, "min_blocks_per_sm", kernel->min_blocks_per_sm > 0,
              kernel->min_blocks_per_sm);
}

static json_t *kernel_object(const struct smc_inspect_row *row)
{
    static const char *const sources[] = {
        [SMC_THREADS_GIVEN] = "given",
        [SMC_THREADS_BOUND] = "launch_bounds",
        [SMC_THREADS_ASSUMED] = "assumed",
    };
    const struct smc_inspect_kernel *kernel = row->kernel;
    const struct smc_answer *answer = &row->answer;
    const struct smc_resources *resources = &answer->resources;
    json_t *object = json_object();
    add_kernel(object, kernel);
    smc_json_set(object, "loads",
                 kernel->cc ? json_boolean(smc_inspect_loads(kernel, answer->query.device.sm.cc))
                            : json_null());
    smc_json_integer(object, "threads_per_block", answer->launch.threads_per_block);
    smc_json_string(object, "threads_source", sources[row->threads_source]);
    set_known(object, "registers_per_thread", smc_words_regs_known(answer),
              resources->regs_per_thread);
    set_known(object, "spill_store_bytes", kernel->has_spills, resources->spill_store_bytes);
    set_known(object, "spill_load_bytes", kernel->has_spills, resources->spill_load_bytes);
    set_known(object, "stack_bytes", kernel->has_stack && !resources->refused,
              resources->stack_bytes);
    smc_json_integer(object, "static_smem_bytes", answer->launch.static_smem_bytes);
    smc_json_integer(object, "dynamic_smem_bytes", answer->launch.dynamic_smem_bytes);
    set_known(object, "barriers_per_block", kernel->has_barriers, resources->barriers);
    return object;
}

json_t *smc_json_inspection(const struct smc_inspect_rows *rows)
{
    json_t *list = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        json_t *object = json_object();
        smc_json_answer(object, &rows->item[i].answer);
        smc_json_set(object, "kernel", kernel_object(&rows->item[i]));
        if (rows->item[i].exceeds_bound)
            smc_json_string(json_object_get(object, "occupancy"), "refusal_reason",
                            "cannot launch: more threads than its launch bounds allow");
        json_array_append_new(list, object);
    }
    return list;
}

json_t *smc_json_promises(const struct smc_inspect_promises *promises)
{
    json_t *list = json_array();
    for (size_t i = 0; i < promises->count; i++) {
        const struct smc_inspect_promise *promise = &promises->item[i];
        const struct smc_answer *answer = &promise->answer;
        json_t *object = json_object(), *limiters = json_array();
        add_kernel(object, promise->kernel);
        smc_json_string(object, "device", answer->query.device.name);
        set_known(object, "registers_per_thread", promise->regs_known,
                  answer->launch.regs_per_thread);
        smc_json_integer(object, "blocks_per_sm", answer->occupancy.blocks_per_sm);
        for (int l = 0; l < SMC_LIMIT_COUNT; l++)
            if (answer->occupancy.limiters & 1u << l)
                json_array_append_new(limiters, json_string(smc_limit_name((enum smc_limit)l)));
        smc_json_set(object, "limiters", limiters);
        smc_json_string(object, "verdict", smc_promise_verdict_name(promise->verdict));
        json_array_append_new(list, object);
    }
    return list;
}
