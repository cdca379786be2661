/* How many bytes a second: a copy, reads of global memory, reads of the L2 cache. */
#include "executor/gpu_ceilings.h"
#include "executor/samples.h"

enum {
    READ_THREADS = 256,
    READ_TILE_BYTES = READ_THREADS * 4 * 16, /* what a block reads in a round */
    L2_SHARE = 4, /* of the cache, so that its halves may each keep a copy */
    L2_SAMPLE_BYTES_PER_SM = 1 << 26,
};

static enum smc_status sample_copy(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                   struct smc_error *error)
{
    double ms = 0;
    cudaError_t code = smc_gpu_bench_begin(bench);
    if (code == cudaSuccess)
        code = cudaMemcpy(bench->array[1], bench->array[0], bench->array_bytes,
                          cudaMemcpyDeviceToDevice);
    code = smc_gpu_bench_end(bench, code, &ms);
    seen[SMC_CEILING_COPY] = smc_rate_of_ms(2.0 * (double)bench->array_bytes, ms);
    return smc_gpu_bench_status(bench, code, "a copy in global memory", error);
}

/* The first one, which finds clocks at rest, counts for nothing. */
static enum smc_status begin_copy(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double seen[SMC_CEILING_COUNT];
    return sample_copy(bench, seen, error);
}

const struct smc_gpu_measurement smc_gpu_measure_copy = {
    .name = "copy",
    .begin = begin_copy,
    .sample = sample_copy,
};

static const struct smc_kernel read_kernel = {
    .name = "ceiling-read",
    .file = "ceiling_read.cu",
    .entry = "ceiling_read",
    .defines = smc_defines_nothing,
};

/* `steps` rounds over the first `working_bytes` of an array. */
static enum smc_status sample_reads(struct smc_gpu_bench *bench, double *bytes_per_s,
                                    struct smc_error *error)
{
    uint32_t tiles = (uint32_t)(bench->working_bytes / READ_TILE_BYTES), rounds = bench->steps;
    uint32_t blocks = bench->device.sm_count * (bench->device.sm.max_threads_per_sm / READ_THREADS);
    void *arguments[] = {&bench->sight, &bench->array[0], &tiles, &rounds};
    double ms = 0;
    cudaError_t code = smc_gpu_bench_begin(bench);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, blocks, READ_THREADS, arguments);
    code = smc_gpu_bench_end(bench, code, &ms);
    *bytes_per_s = smc_rate_of_ms((double)rounds * READ_TILE_BYTES, ms);
    return smc_gpu_bench_status(bench, code, "reading global memory", error);
}

static enum smc_status begin_reads(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double bytes_per_s;
    bench->working_bytes = bench->array_bytes;
    bench->steps = (uint32_t)(bench->array_bytes / READ_TILE_BYTES);
    return sample_reads(bench, &bytes_per_s, error);
}

static enum smc_status sample_read(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                   struct smc_error *error)
{
    return sample_reads(bench, &seen[SMC_CEILING_READ], error);
}

const struct smc_gpu_measurement smc_gpu_measure_read = {
    .name = "reads of global memory",
    .kernel = &read_kernel,
    .begin = begin_reads,
    .sample = sample_read,
};

/* A part of the cache, a whole number of tiles, read many times over; the first time fills it. */
static enum smc_status begin_l2(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double bytes_per_s;
    uint64_t tiles = bench->device.l2_bytes / L2_SHARE / READ_TILE_BYTES;
    uint64_t bytes = (uint64_t)bench->device.sm_count * L2_SAMPLE_BYTES_PER_SM;
    bench->working_bytes = tiles * READ_TILE_BYTES;
    bench->steps = tiles ? (uint32_t)(bytes / READ_TILE_BYTES) : 0;
    return tiles ? sample_reads(bench, &bytes_per_s, error) : SMC_OK;
}

static enum smc_status sample_l2(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                 struct smc_error *error)
{
    return bench->steps ? sample_reads(bench, &seen[SMC_CEILING_L2], error) : SMC_OK;
}

const struct smc_gpu_measurement smc_gpu_measure_l2 = {
    .name = "reads of the L2 cache",
    .kernel = &read_kernel,
    .begin = begin_l2,
    .sample = sample_l2,
};
