/* What all measurements of ceilings use: the GPU, its memory, its clock, launches and their time.
 */
#include "hardware/executor/gpu_ceilings.h"

enum {
    LEAST_ARRAY_BYTES = 64 << 20, /* if the size of the L2 cache is unknown */
    MOST_ARRAY_BYTES = 1 << 30,
    ARRAY_UNIT_BYTES = 1 << 20,
};

/* Each array uses a quarter of the free memory. An array of less than twice the L2 cache would stay
   partly in the cache. */
static enum smc_status choose_array_bytes(struct smc_gpu_bench *bench, struct smc_error *error)
{
    size_t available = 0, installed = 0;
    cudaError_t code = cudaMemGetInfo(&available, &installed);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "cudaMemGetInfo");
    size_t bytes = available / 4 < MOST_ARRAY_BYTES ? available / 4 : MOST_ARRAY_BYTES;
    bench->array_bytes = bytes / ARRAY_UNIT_BYTES * ARRAY_UNIT_BYTES;
    size_t least = 2 * bench->device.l2_bytes;
    least = least > LEAST_ARRAY_BYTES ? least : LEAST_ARRAY_BYTES;
    if (bench->array_bytes < least)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "%llu MB of the GPU's memory are free; the measurements need %llu MB",
                        smc_gpu_megabytes(available), smc_gpu_megabytes(4 * least));
    return SMC_OK;
}

static cudaError_t gpu_bench_allocate(struct smc_gpu_bench *bench)
{
    cudaError_t code = cudaMalloc((void **)&bench->sight, sizeof *bench->sight);
    for (int i = 0; i < 2 && code == cudaSuccess; i++) {
        code = cudaMalloc(&bench->array[i], bench->array_bytes);
        if (code == cudaSuccess)
            code = cudaMemset(bench->array[i], 0, bench->array_bytes);
    }
    return code == cudaSuccess ? smc_gpu_stopwatch_create(&bench->watch) : code;
}

enum smc_status smc_gpu_bench_open(struct smc_gpu_bench *bench, struct smc_error *error)
{
    SMC_TRY(choose_array_bytes(bench, error));
    cudaError_t code = gpu_bench_allocate(bench);
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "the memory to measure in");
}

void smc_gpu_bench_close(struct smc_gpu_bench *bench)
{
    smc_binary_free(&bench->binary);
    if (smc_is_lost(&bench->finish))
        return;
    void *const memory[] = {bench->sight, bench->array[0], bench->array[1]};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        smc_gpu_free(memory[i]);
    smc_gpu_stopwatch_destroy(&bench->watch);
}

cudaError_t smc_gpu_bench_launch(struct smc_gpu_bench *bench, uint32_t blocks, uint32_t threads,
                                 void **arguments)
{
    const uint32_t grid[] = {blocks, 1, 1}, block[] = {threads, 1, 1};
    return smc_gpu_start(&bench->kernel, grid, block, 0, arguments);
}

cudaError_t smc_gpu_bench_wait(struct smc_gpu_bench *bench, cudaError_t code)
{
    cudaError_t waited = smc_gpu_wait(bench->request->timeout_ms, NULL, "", &bench->finish);
    return code == cudaSuccess ? waited : code;
}

cudaError_t smc_gpu_bench_begin(struct smc_gpu_bench *bench)
{
    return smc_gpu_stopwatch_start(&bench->watch);
}

cudaError_t smc_gpu_bench_end(struct smc_gpu_bench *bench, cudaError_t code, double *ms)
{
    code = smc_gpu_bench_wait(bench, smc_gpu_stopwatch_stop(&bench->watch, code));
    return smc_gpu_stopwatch_read(&bench->watch, code, ms);
}

cudaError_t smc_gpu_bench_read_sight(struct smc_gpu_bench *bench, cudaError_t code,
                                     struct smc_gpu_sight *sight)
{
    code = smc_gpu_bench_wait(bench, code);
    return code == cudaSuccess
               ? cudaMemcpy(sight, bench->sight, sizeof *sight, cudaMemcpyDeviceToHost)
               : code;
}

cudaError_t smc_gpu_bench_write_sight(struct smc_gpu_bench *bench,
                                      const struct smc_gpu_sight *sight)
{
    return cudaMemcpy(bench->sight, sight, sizeof *sight, cudaMemcpyHostToDevice);
}

enum smc_status smc_gpu_bench_status(const struct smc_gpu_bench *bench, cudaError_t code,
                                     const char *what, struct smc_error *error)
{
    if (code == cudaSuccess)
        return SMC_OK;
    if (code != cudaErrorNotReady)
        return smc_gpu_fail(error, code, what);
    return smc_fail(error, SMC_MACHINE, "%s: %s", what, bench->finish.message);
}
