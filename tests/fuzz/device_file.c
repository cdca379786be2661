/* Fuzzes device files: what is taken passes the check, can be computed with, and comes back from
   print and read unchanged. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "rules/device_file.h"
#include "rules/next_steps.h"
#include "show/report/writers.h"

static void compute(const struct smc_sm *sm, uint32_t seed)
{
    struct smc_launch launch;
    struct smc_occupancy occupancy;
    struct smc_next_steps steps;
    smc_launch_init(&launch);
    launch.threads_per_block = 1 + seed % sm->max_threads_per_block;
    launch.regs_per_thread = seed / 7 % (sm->max_regs_per_thread + 1);
    launch.dynamic_smem_bytes = seed / 11 % (sm->smem_per_block_optin_bytes + 1);
    launch.carveout_percent = (int32_t)(seed % 102) - 1;
    smc_occupancy_compute(sm, &launch, &occupancy);
    if ((occupancy.blocks_per_sm == 0) != (occupancy.refusals != 0))
        abort();
    if (seed % 8 == 0 && sm->smem_per_sm_bytes / sm->smem_alloc_unit_bytes < 10000)
        smc_next_steps_find(sm, &launch, &steps);
}

static char *print(const struct smc_device *device)
{
    json_t *object = smc_json_device(device);
    char *text = json_dumps(object, JSON_REAL_PRECISION(15));
    json_decref(object);
    if (!text)
        abort();
    return text;
}

static void come_back(const struct smc_device *device)
{
    struct smc_device_file again;
    struct smc_error error = {""};
    char *text = print(device);
    if (smc_device_file_parse("printed", text, strlen(text), &again, &error) != SMC_OK)
        abort();
    char *second = print(again.devices);
    if (strcmp(text, second) != 0 ||
        memcmp(&again.devices->sm.smem_carveout_bytes, &device->sm.smem_carveout_bytes,
               sizeof device->sm.smem_carveout_bytes) != 0)
        abort();
    free(text);
    free(second);
    smc_device_file_free(&again);
}

int fuzz_device_file(const uint8_t *data, size_t size)
{
    struct smc_device_file file;
    struct smc_error error = {""};
    uint32_t seed = 0;
    for (size_t i = 0; i < size; i++)
        seed = seed * 31 + data[i];
    enum smc_status status =
        smc_device_file_parse("input", (const char *)data, size, &file, &error);
    if (status != SMC_OK) {
        if (strncmp(error.message, "input:", 6) != 0)
            abort();
        return 0;
    }
    for (size_t i = 0; i < file.count; i++) {
        if (smc_sm_check(&file.devices[i].sm, NULL) != SMC_OK)
            abort();
        for (uint32_t n = 0; n < 16; n++)
            compute(&file.devices[i].sm, seed * 2654435761u + n * 40503);
        come_back(&file.devices[i]);
    }
    smc_device_file_free(&file);
    return 0;
}
