/* The launch once more, under hardware counters. That they cannot be had is an answer, which says
   why; it never ends a run. */
#include <pthread.h>
#include <stdio.h>

#include "executor/counters.h"
#include "executor/gpu.h"

/* CUPTI serves one GPU at a time. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static enum smc_status launch_counted(const struct smc_gpu_kernel *kernel,
                                      const struct smc_run_request *request,
                                      struct smc_gpu_buffers *buffers,
                                      struct smc_counters *counters, double *values,
                                      struct smc_error *error)
{
    size_t launches = 0;
    enum smc_status status = smc_counters_begin(counters, error);
    if (status != SMC_OK)
        return status;
    cudaError_t code =
        smc_gpu_launch(kernel, &request->plan, request->launch.dynamic_smem_bytes, buffers);
    status = smc_counters_end(counters, &launches, error);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "the launch to count");
    if (status == SMC_OK && launches != 1)
        return smc_fail(error, SMC_MACHINE, "the counters saw %zu launches, not 1", launches);
    return status == SMC_OK ? smc_counters_read(counters, 0, values, error) : status;
}

static enum smc_status count(const struct smc_gpu_kernel *kernel,
                             const struct smc_run_request *request, struct smc_gpu_buffers *buffers,
                             struct smc_run_result *result, struct smc_error *error)
{
    const char *names[SMC_METRIC_COUNT];
    struct smc_counters *counters;
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        names[i] = smc_metric_info[i].name;
    enum smc_status status =
        smc_counters_open(request->gpu_index, names, SMC_METRIC_COUNT, 1, &counters, error);
    if (status != SMC_OK)
        return status;
    double needed_ms = result->median_ms * (double)smc_counters_passes(counters);
    if (needed_ms > request->timeout_ms)
        status =
            smc_fail(error, SMC_SHORTFALL,
                     "counting takes %zu launches of %.4g ms, more than the %u ms of --timeout",
                     smc_counters_passes(counters), result->median_ms, request->timeout_ms);
    else
        status = launch_counted(kernel, request, buffers, counters, result->counted, error);
    smc_counters_close(counters);
    return status;
}

enum smc_status smc_gpu_count(const struct smc_gpu_kernel *kernel,
                              const struct smc_run_request *request,
                              const struct smc_device *device, struct smc_gpu_buffers *buffers,
                              struct smc_run_result *result, struct smc_error *error)
{
    struct smc_error why = {""};
    if (request->no_counters)
        return SMC_OK;
    pthread_mutex_lock(&one_at_a_time);
    enum smc_status status = count(kernel, request, buffers, result, &why);
    pthread_mutex_unlock(&one_at_a_time);
    result->counting.made = status != SMC_UNAVAILABLE && status != SMC_SHORTFALL;
    result->counting.succeeded = status == SMC_OK;
    snprintf(result->counting.message, sizeof result->counting.message, "%s%.200s",
             status != SMC_OK && smc_gpu_is_slice(device) ? "on a MIG instance: " : "",
             why.message);
    return status == SMC_MACHINE ? smc_gpu_check_context(error) : SMC_OK;
}
