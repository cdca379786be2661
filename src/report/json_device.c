/* A device in JSON: every limit, and where it comes from, by the table of keys. */
#include <stdio.h>

#include "devices/device_file.h"
#include "report/json_parts.h"

static json_t *text_value(const char *text)
{
    char safe[1024];
    snprintf(safe, sizeof safe, "%s", text);
    smc_text_make_safe(safe);
    return json_string(safe);
}

static json_t *carveouts(const struct smc_sm *sm)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        json_array_append_new(list, json_integer(sm->smem_carveout_bytes[i]));
    return list;
}

static void add_key(json_t *object, const struct smc_device_key *key,
                    const struct smc_device *device)
{
    const void *member = smc_device_key_member(key, device);
    char cc[16];
    switch (key->kind) {
    case SMC_KEY_NAME:
        smc_json_set(object, key->name, *(const char *)member ? text_value(member) : json_null());
        return;
    case SMC_KEY_TEXT:
        smc_json_set(object, key->name, text_value(*(const char *const *)member));
        return;
    case SMC_KEY_CAPABILITY:
        snprintf(cc, sizeof cc, "%d.%d", device->sm.cc / 10, device->sm.cc % 10);
        smc_json_string(object, key->name, cc);
        return;
    case SMC_KEY_COUNT:
    case SMC_KEY_POWER:
        smc_json_integer(object, key->name, smc_device_key_integer(key, device));
        return;
    case SMC_KEY_KNOWN:
        smc_json_known_integer(object, key->name, smc_device_key_integer(key, device));
        return;
    case SMC_KEY_REAL:
        smc_json_known_real(object, key->name, *(const double *)member);
        return;
    case SMC_KEY_GRANULARITY:
        smc_json_string(object, key->name, device->sm.regs_allocated_per_block ? "block" : "warp");
        return;
    case SMC_KEY_CARVEOUTS:
        smc_json_set(object, key->name, carveouts(&device->sm));
        return;
    case SMC_KEY_SOURCE:
        smc_json_string(object, key->name, smc_device_source_name(device->source));
        return;
    case SMC_KEY_GPU_INDEX:
        smc_json_set(object, key->name,
                     device->gpu_index >= 0 ? json_integer(device->gpu_index) : json_null());
        return;
    case SMC_KEY_ASSUMED:
        return;
    }
}

json_t *smc_json_device(const struct smc_device *device)
{
    json_t *object = json_object();
    for (size_t i = 0; i < smc_device_key_count; i++)
        add_key(object, &smc_device_keys[i], device);
    return object;
}
