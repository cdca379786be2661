/* How long work takes on the GPU: an event before it and one behind it. */
#include "executor/gpu.h"

cudaError_t smc_gpu_stopwatch_create(struct smc_gpu_stopwatch *watch)
{
    cudaError_t code = cudaEventCreate(&watch->before);
    return code == cudaSuccess ? cudaEventCreate(&watch->after) : code;
}

void smc_gpu_stopwatch_destroy(struct smc_gpu_stopwatch *watch)
{
    const cudaEvent_t events[] = {watch->before, watch->after};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i] && cudaEventDestroy(events[i]) != cudaSuccess)
            cudaGetLastError();
    *watch = (struct smc_gpu_stopwatch){0};
}

cudaError_t smc_gpu_stopwatch_start(const struct smc_gpu_stopwatch *watch)
{
    return cudaEventRecord(watch->before, NULL);
}

cudaError_t smc_gpu_stopwatch_stop(const struct smc_gpu_stopwatch *watch, cudaError_t code)
{
    return code == cudaSuccess ? cudaEventRecord(watch->after, NULL) : code;
}

cudaError_t smc_gpu_stopwatch_read(const struct smc_gpu_stopwatch *watch, cudaError_t code,
                                   double *ms)
{
    float elapsed = 0;
    if (code == cudaSuccess)
        code = cudaEventElapsedTime(&elapsed, watch->before, watch->after);
    *ms = elapsed;
    return code;
}
