/* Samples of one quantity and their median; also the stub for ceilings in a build without CUDA. */
#include "config.h"

#include "hardware/measured_ceilings.h"

#include <math.h>

#include "base/numbers.h"
#include "hardware/executor.h"

void smc_samples_add(struct smc_samples *samples, double value)
{
    if (isfinite(value) && value > 0 && samples->count < SMC_MOST_SAMPLES)
        samples->value[samples->count++] = value;
}

double smc_samples_median(struct smc_samples *samples, struct smc_spread *spread)
{
    size_t n = samples->count;
    *spread = (struct smc_spread){.samples = (uint32_t)n};
    if (n == 0)
        return 0;
    smc_numbers_sort(samples->value, n);
    spread->lowest = samples->value[0];
    spread->highest = samples->value[n - 1];
    return smc_numbers_median(samples->value, n);
}

double smc_rate_of_ms(double amount, double ms)
{
    return ms > 0 ? amount * 1e3 / ms : 0;
}

#ifndef HAVE_CUDA

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

#endif
