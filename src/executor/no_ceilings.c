/* Ceilings in a program built without the CUDA runtime: there are none. */
#include "executor/ceilings.h"

#include "executor/executor.h"

enum smc_status smc_calibrate(const struct smc_calibrate_request *request,
                              struct smc_calibration *calibration, struct smc_text *warnings,
                              struct smc_error *error)
{
    (void)warnings;
    *calibration = (struct smc_calibration){0};
    return smc_executor_none.device(request->gpu_index, &calibration->device, error);
}

void smc_gpu_uuid(int index, char text[SMC_GPU_UUID_CHARS])
{
    (void)index;
    text[0] = '\0';
}
