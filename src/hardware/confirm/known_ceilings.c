/* The measured ceilings that are known for a device. */
#include "hardware/measured_ceilings.h"

#include "base/memory.h"
#include "hardware/executor.h"
#include "rules/ceilings.h"

/* A missing file counts as empty: calibration is optional. */
static void known_ceilings_read_file(struct smc_ceilings_file *file, struct smc_text *warnings)
{
    char path[SMC_CEILINGS_PATH];
    struct smc_error error = {""};
    *file = (struct smc_ceilings_file){0};
    if (smc_ceilings_path(path, NULL) == SMC_OK &&
        smc_ceilings_file_read(path, file, &error) != SMC_OK)
        smc_text_printf(warnings, "%s\n", error.message);
}

/* Reads a GPU's UUID only if it can make a difference. */
static void known_ceilings_find(const struct smc_ceilings_file *file,
                                const struct smc_device *device, struct smc_ceilings *ceilings)
{
    char uuid[SMC_GPU_UUID_CHARS] = "";
    if (file->count > 0 && device->gpu_index >= 0)
        smc_gpu_uuid(device->gpu_index, uuid);
    smc_ceilings_find(file, device->name, uuid, ceilings);
}

void smc_known_ceilings(struct smc_query *queries, size_t count, struct smc_text *warnings)
{
    SMC_AUTO(smc_ceilings_file_free) struct smc_ceilings_file file;
    known_ceilings_read_file(&file, warnings);
    for (size_t i = 0; i < count; i++) {
        known_ceilings_find(&file, &queries[i].device, &queries[i].ceilings);
        smc_ceilings_set_groups(&queries[i].ceilings, &queries[i].device);
    }
}

void smc_known_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings,
                               struct smc_text *warnings)
{
    SMC_AUTO(smc_ceilings_file_free) struct smc_ceilings_file file;
    known_ceilings_read_file(&file, warnings);
    known_ceilings_find(&file, device, ceilings);
}
