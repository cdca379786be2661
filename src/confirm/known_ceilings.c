/* The measured ceilings that are known of a device. */
#include "confirm/known_ceilings.h"

#include "executor/executor.h"

void smc_known_ceilings_read(struct smc_ceilings_file *file, struct smc_text *warnings)
{
    char path[SMC_CEILINGS_PATH];
    struct smc_error error = {""};
    *file = (struct smc_ceilings_file){0};
    if (smc_ceilings_path(path, NULL) == SMC_OK &&
        smc_ceilings_file_read(path, file, &error) != SMC_OK && warnings)
        smc_text_printf(warnings, "%s\n", error.message);
}

/* A GPU is asked for its UUID only where that can matter. */
void smc_known_ceilings_find(const struct smc_ceilings_file *file, const struct smc_device *device,
                             struct smc_ceilings *ceilings)
{
    char uuid[SMC_GPU_UUID_CHARS] = "";
    if (file->count > 0 && device->gpu_index >= 0)
        smc_gpu_uuid(device->gpu_index, uuid);
    smc_ceilings_find(file, device->name, uuid, ceilings);
}
