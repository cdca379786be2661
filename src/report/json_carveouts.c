/* The carve-outs in JSON. */
#include "report/json_parts.h"

static void add_size(json_t *object, const struct smc_answer *answer,
                     const struct smc_carveout *carveout)
{
    bool launch = answer->launch.threads_per_block > 0;
    smc_json_integer(object, "smem_bytes", carveout->smem_bytes);
    bool unified = answer->query.device.sm.l1_smem_unified_bytes > 0;
    smc_json_set(object, "l1_bytes", unified ? json_integer(carveout->l1_bytes) : json_null());
    smc_json_set(object, "configured_smem_bytes",
                 launch ? json_integer(carveout->configured_bytes) : json_null());
    smc_json_set(object, "blocks_per_sm",
                 launch ? json_integer(carveout->blocks_per_sm) : json_null());
}

static json_t *percent(const struct smc_carveouts *carveouts, int32_t value)
{
    bool counts = carveouts->by_percent && value != SMC_CARVEOUT_DEFAULT;
    return counts ? json_integer(value) : json_null();
}

/* Without a launch there are no blocks to keep. */
static json_t *keep_list(const struct smc_answer *answer, const struct smc_carveouts *carveouts)
{
    json_t *list = json_array();
    uint32_t most = answer->launch.threads_per_block ? carveouts->most_blocks : 0;
    for (uint32_t blocks = 1; blocks <= most; blocks++) {
        const struct smc_carveout *least = smc_carveouts_smallest(carveouts, blocks);
        json_t *object = json_object();
        smc_json_integer(object, "blocks_per_sm", blocks);
        smc_json_integer(object, "smem_bytes", least->smem_bytes);
        smc_json_set(object, "percent", percent(carveouts, least->percent_from));
        json_array_append_new(list, object);
    }
    return list;
}

json_t *smc_json_carveouts(const struct smc_answer *answer, const struct smc_carveouts *carveouts)
{
    json_t *root = json_object(), *sizes = json_array(), *preferences = json_array();
    for (uint32_t i = 0; i < carveouts->count; i++) {
        json_t *object = json_object();
        smc_json_set(object, "percent_from", percent(carveouts, carveouts->size[i].percent_from));
        smc_json_set(object, "percent_to", percent(carveouts, carveouts->size[i].percent_to));
        add_size(object, answer, &carveouts->size[i]);
        json_array_append_new(sizes, object);
    }
    for (int config = 0; config < SMC_CACHE_CONFIG_COUNT; config++) {
        json_t *object = json_object();
        smc_json_string(object, "name", smc_cache_config_name((enum smc_cache_config)config));
        add_size(object, answer, &carveouts->preference[config]);
        json_array_append_new(preferences, object);
    }
    smc_json_set(root, "is_a_hint", json_true()); /* the driver may set another size */
    smc_json_set(root, "sizes", sizes);
    smc_json_set(root, "smallest_for_blocks", keep_list(answer, carveouts));
    smc_json_set(root, "cache_configs", preferences);
    return root;
}
