/* The back end of a program built without the CUDA runtime: reports that it is missing. */
#include "config.h"

#include "hardware/executor.h"

static const char reason[] = "no GPU: this program was built without the CUDA runtime (configure "
                             "--with-cuda)";

static int none_device_count(struct smc_error *why)
{
    smc_fail(why, SMC_UNAVAILABLE, "%s", reason);
    return 0;
}

static enum smc_status none_device(int index, struct smc_device *out, struct smc_error *error)
{
    (void)index, (void)out;
    return smc_fail(error, SMC_UNAVAILABLE, "%s", reason);
}

static enum smc_status none_run(const struct smc_run_request *request,
                                struct smc_run_result *result, struct smc_text *warnings,
                                struct smc_error *error)
{
    (void)request, (void)warnings;
    *result = (struct smc_run_result){0};
    return smc_fail(error, SMC_UNAVAILABLE, "%s", reason);
}

#ifndef HAVE_CUDA
void smc_gpu_examine_driver(struct smc_driver *driver)
{
    *driver = (struct smc_driver){.state = SMC_DRIVER_NOT_BUILT};
    none_device_count(&driver->why);
}

enum smc_status smc_gpu_examine(int index, struct smc_device *out, struct smc_error *error)
{
    return none_device(index, out, error);
}
#endif

const struct smc_executor smc_executor_none = {
    .name = "none",
    .device_count = none_device_count,
    .device = none_device,
    .run = none_run,
};
