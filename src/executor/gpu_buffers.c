/* A launch's buffers, on the host and on the device. */
#include <stdlib.h>

#include "base/machine.h"
#include "base/memory.h"
#include "executor/gpu.h"

unsigned long long smc_gpu_megabytes(uint64_t bytes)
{
    return (bytes + 999999) / 1000000;
}

enum smc_status smc_gpu_check_memory(uint64_t bytes, const char *option, struct smc_error *error)
{
    size_t available = 0, installed = 0;
    cudaError_t code = cudaMemGetInfo(&available, &installed);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "cudaMemGetInfo");
    if (bytes > available)
        return smc_fail(error, SMC_MACHINE,
                        "the buffers need %llu MB of GPU memory, of which %llu MB are free; a "
                        "smaller %s needs less",
                        smc_gpu_megabytes(bytes), available / 1000000ull, option);
    return SMC_OK;
}

void smc_gpu_free(void *memory)
{
    if (memory && cudaFree(memory) != cudaSuccess)
        cudaGetLastError();
}

static enum smc_status measure(const struct smc_plan *plan, struct smc_gpu_buffers *buffers,
                               struct smc_error *error)
{
    size_t total = 0;
    buffers->count = plan->buffer_count;
    for (size_t i = 0; i < plan->buffer_count; i++) {
        size_t element = smc_dtype_bytes(plan->buffer[i].dtype);
        if (__builtin_mul_overflow(plan->buffer[i].elements, element, &buffers->bytes[i]) ||
            __builtin_add_overflow(total, buffers->bytes[i], &total))
            return smc_fail(error, SMC_MACHINE, "buffer %s is larger than any memory",
                            plan->buffer[i].name);
    }
    uint64_t of_machine = smc_machine_memory_bytes();
    if (total > of_machine)
        return smc_fail(error, SMC_MACHINE,
                        "the buffers need %llu MB of this machine's memory, which has %llu MB; a "
                        "smaller --size needs less",
                        smc_gpu_megabytes(total), of_machine / 1000000ull);
    return smc_gpu_check_memory(total, "--size", error);
}

static enum smc_status allocate(size_t bytes, const char *name, void **host, void **device,
                                struct smc_error *error)
{
    size_t at_least_one = bytes ? bytes : 1;
    *host = smc_malloc(at_least_one);
    if (!*host)
        return smc_fail(error, SMC_MACHINE, "no memory for %llu MB of buffer %s",
                        smc_gpu_megabytes(bytes), name);
    cudaError_t code = cudaMalloc(device, at_least_one);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "cudaMalloc");
}

enum smc_status smc_gpu_buffers_create(const struct smc_plan *plan, uint64_t seed,
                                       struct smc_gpu_buffers *buffers, struct smc_error *error)
{
    *buffers = (struct smc_gpu_buffers){0};
    enum smc_status status = measure(plan, buffers, error);
    for (size_t i = 0; i < plan->buffer_count && status == SMC_OK; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        size_t bytes = buffers->bytes[i];
        status = allocate(bytes, buffer->name, &buffers->host[i], &buffers->device[i], error);
        if (status != SMC_OK)
            break;
        cudaError_t code;
        if (buffer->output) {
            code = cudaMemset(buffers->device[i], smc_dtype_poison(buffer->dtype), bytes);
        } else {
            smc_fill_random(buffer, seed + i, buffers->host[i]);
            code = cudaMemcpy(buffers->device[i], buffers->host[i], bytes, cudaMemcpyHostToDevice);
        }
        if (code != cudaSuccess)
            status = smc_gpu_fail(error, code, "filling a buffer");
    }
    return status;
}

enum smc_status smc_gpu_buffers_fetch_outputs(const struct smc_plan *plan,
                                              struct smc_gpu_buffers *buffers,
                                              struct smc_error *error)
{
    for (size_t i = 0; i < buffers->count; i++) {
        if (!plan->buffer[i].output)
            continue;
        cudaError_t code = cudaMemcpy(buffers->host[i], buffers->device[i], buffers->bytes[i],
                                      cudaMemcpyDeviceToHost);
        if (code != cudaSuccess)
            return smc_gpu_fail(error, code, "copying the result back");
    }
    return SMC_OK;
}

void smc_gpu_buffers_free(struct smc_gpu_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        smc_gpu_free(buffers->device[i]);
    smc_gpu_buffers_leave(buffers);
}

void smc_gpu_buffers_leave(struct smc_gpu_buffers *buffers)
{
    for (size_t i = 0; i < buffers->count; i++)
        free(buffers->host[i]);
    *buffers = (struct smc_gpu_buffers){0};
}
