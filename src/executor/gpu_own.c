/* A person's own kernel on the GPU. It may write anywhere and never end: what goes wrong is noted,
   and memory that a running kernel may still use is left to the end of the process. */
#include "executor/clock.h"
#include "executor/gpu.h"
#include "executor/own.h"

struct run {
    const struct smc_own_launch *launch;
    struct smc_own_on_gpu *result;
    struct smc_error *error;
    struct smc_gpu_kernel kernel;
    void *device[SMC_MAX_OWN_ARGUMENTS];
};

static enum smc_status copy_in(struct run *run)
{
    const struct smc_own_launch *launch = run->launch;
    uint64_t total = 0;
    for (size_t i = 0; i < launch->buffer_count; i++)
        if (__builtin_add_overflow(total, launch->buffers[i].bytes, &total))
            return smc_fail(run->error, SMC_MACHINE, "the buffers are larger than any memory");
    enum smc_status status = smc_gpu_check_memory(total, "--arg", run->error);
    for (size_t i = 0; i < launch->buffer_count && status == SMC_OK; i++) {
        const struct smc_own_buffer *buffer = &launch->buffers[i];
        cudaError_t code = cudaMalloc(&run->device[i], buffer->bytes ? buffer->bytes : 1);
        if (code == cudaSuccess && buffer->bytes > 0)
            code =
                cudaMemcpy(run->device[i], buffer->before, buffer->bytes, cudaMemcpyHostToDevice);
        if (code != cudaSuccess)
            status = smc_gpu_fail(run->error, code, "filling a buffer");
    }
    return status;
}

static cudaError_t launch_kernel(struct run *run)
{
    const struct smc_own_launch *launch = run->launch;
    void *arguments[SMC_MAX_OWN_ARGUMENTS];
    for (size_t i = 0; i < launch->value_count; i++) {
        const struct smc_own_value *value = &launch->values[i];
        /* The runtime reads as many of the low bytes as the parameter has. */
        arguments[i] = value->is_buffer ? (void *)&run->device[value->buffer]
                                        : (void *)(uintptr_t)&value->bits;
    }
    return smc_gpu_start(&run->kernel, launch->grid, launch->block,
                         launch->launch.dynamic_smem_bytes, arguments);
}

static void finish(struct run *run)
{
    struct smc_own_on_gpu *result = run->result;
    double start_ms = smc_clock_ms();
    cudaError_t code =
        smc_gpu_wait(run->launch->timeout_ms, run->launch->stop, "", &result->finish);
    result->elapsed_ms = smc_clock_ms() - start_ms;
    result->stopped = code == cudaErrorNotReady && run->launch->stop && run->launch->stop();
}

static enum smc_status copy_out(const struct run *run)
{
    for (size_t i = 0; i < run->launch->buffer_count; i++) {
        const struct smc_own_buffer *buffer = &run->launch->buffers[i];
        cudaError_t code = buffer->bytes == 0 ? cudaSuccess
                                              : cudaMemcpy(buffer->after_gpu, run->device[i],
                                                           buffer->bytes, cudaMemcpyDeviceToHost);
        if (code != cudaSuccess)
            return smc_gpu_fail(run->error, code, "copying a buffer back");
    }
    return SMC_OK;
}

static enum smc_status load(struct run *run)
{
    const struct smc_own_launch *launch = run->launch;
    struct smc_own_on_gpu *result = run->result;
    if (!smc_gpu_load(launch->binary, launch->entry, &run->kernel, &result->load))
        return SMC_OK;
    result->api_regs_per_thread = (uint32_t)run->kernel.attributes.numRegs;
    result->api_static_smem_bytes = (uint32_t)run->kernel.attributes.sharedSizeBytes;
    enum smc_status status =
        smc_gpu_configure(&run->kernel, &launch->launch, &result->opt_in, run->error);
    if (status == SMC_OK)
        smc_gpu_occupancy(&run->kernel, &launch->launch, &result->api_occupancy,
                          &result->api_blocks_per_sm);
    return status;
}

static enum smc_status run_steps(struct run *run)
{
    struct smc_own_on_gpu *result = run->result;
    enum smc_status status = load(run);
    if (status != SMC_OK || !result->load.succeeded)
        return status;
    status = copy_in(run);
    if (status != SMC_OK)
        return status;
    if (!smc_gpu_attempt(&result->launch, launch_kernel(run)))
        return smc_gpu_check_context(run->error);
    finish(run);
    return result->finish.succeeded ? copy_out(run) : SMC_OK;
}

static void clean_up(struct run *run)
{
    if (smc_is_lost(&run->result->finish))
        return;
    for (size_t i = 0; i < run->launch->buffer_count; i++)
        smc_gpu_free(run->device[i]);
    smc_gpu_unload(&run->kernel);
}

enum smc_status smc_gpu_run_own(const struct smc_own_launch *launch, struct smc_own_result *result,
                                struct smc_error *error)
{
    struct run run = {.launch = launch, .result = &result->gpu, .error = error};
    result->gpu = (struct smc_own_on_gpu){0};
    enum smc_status status = smc_gpu_use(launch->gpu_index, error);
    if (status != SMC_OK)
        return status;
    smc_gpu_versions(result->gpu.driver, result->gpu.runtime);
    smc_gpu_uuid(launch->gpu_index, result->gpu.gpu_uuid);
    status = run_steps(&run);
    clean_up(&run);
    return status;
}
