/* The measurements of a GPU's ceilings, in order. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/platform.h"
#include "hardware/executor/gpu_ceilings.h"
#include "hardware/measured_ceilings.h"
#include "rules/catalog.h"

/* --- Bytes a second: copies, reads of global memory and of the L2 cache ----------------------- */

enum {
    TILE_THREADS = 256,
    TILE_BYTES = TILE_THREADS * 4 * 16, /* what a block accesses in one iteration */
    L2_SHARE = 4,                       /* of the cache, because each half may keep its own copy */
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

static const struct smc_kernel write_kernel = {
    SMC_KERNEL_NAMES(ceiling_write, "ceiling-write"),
    .defines = smc_defines_nothing,
};

/* Reads or writes of the current kernel: `steps` iterations over the first `working_bytes` of an
   array. */
static enum smc_status sample_tiles(struct smc_gpu_bench *bench, double *bytes_per_s,
                                    struct smc_error *error)
{
    uint32_t tiles = (uint32_t)(bench->working_bytes / TILE_BYTES), rounds = bench->steps;
    uint32_t blocks = bench->device.sm_count * (bench->device.sm.max_threads_per_sm / TILE_THREADS);
    void *arguments[] = {&bench->sight, &bench->array[0], &tiles, &rounds};
    double ms = 0;
    cudaError_t code = smc_gpu_bench_begin(bench);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, blocks, TILE_THREADS, arguments);
    code = smc_gpu_bench_end(bench, code, &ms);
    *bytes_per_s = smc_rate_of_ms((double)rounds * TILE_BYTES, ms);
    return smc_gpu_bench_status(bench, code, "reading or writing global memory", error);
}

static enum smc_status begin_reads(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double bytes_per_s;
    bench->working_bytes = bench->array_bytes;
    bench->steps = (uint32_t)(bench->array_bytes / TILE_BYTES);
    return sample_tiles(bench, &bytes_per_s, error);
}

static enum smc_status sample_read(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                   struct smc_error *error)
{
    return sample_tiles(bench, &seen[SMC_CEILING_READ], error);
}

/* Reads or writes a part of the cache, a whole number of tiles, many times; the first pass fills
   the cache. */
static enum smc_status begin_l2(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double bytes_per_s;
    uint64_t tiles = bench->device.l2_bytes / L2_SHARE / TILE_BYTES;
    uint64_t bytes = (uint64_t)bench->device.sm_count * L2_SAMPLE_BYTES_PER_SM;
    bench->working_bytes = tiles * TILE_BYTES;
    bench->steps = tiles ? (uint32_t)(bytes / TILE_BYTES) : 0;
    return tiles ? sample_tiles(bench, &bytes_per_s, error) : SMC_OK;
}

static enum smc_status sample_l2(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                 struct smc_error *error)
{
    return bench->steps ? sample_tiles(bench, &seen[SMC_CEILING_L2], error) : SMC_OK;
}

static enum smc_status sample_l2_writes(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                        struct smc_error *error)
{
    return bench->steps ? sample_tiles(bench, &seen[SMC_CEILING_L2_WRITE], error) : SMC_OK;
}

/* --- Inside an SM: FMA and shared memory ------------------------------------------------------ */

enum {
    FMA_THREADS = 256,
    FMA_PER_STEP = 8 * 16, /* per thread: chains and iterations of kernels/ceiling_fma.cu */
    FIRST_STEPS = 256,
    MOST_STEPS = 1 << 22,
    SHARED_THREADS = 512,
    SHARED_BYTES_PER_STEP = 4 * 16, /* of a thread */
    SHARED_STEPS = 4096,
};

static const double fma_sample_ms = 8;

/* --- Fused multiply-adds ------------------------------------------------------------------ */

static uint32_t fma_blocks(const struct smc_gpu_bench *bench)
{
    return bench->device.sm_count * (bench->device.sm.max_threads_per_sm / FMA_THREADS);
}

static enum smc_status run_fma(struct smc_gpu_bench *bench, void *factor, void *addend, double *ms,
                               struct smc_error *error)
{
    void *arguments[] = {&bench->sight, &bench->steps, factor, addend};
    cudaError_t code = smc_gpu_bench_begin(bench);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, fma_blocks(bench), FMA_THREADS, arguments);
    code = smc_gpu_bench_end(bench, code, ms);
    return smc_gpu_bench_status(bench, code, "multiplying and adding", error);
}

static enum smc_status run_floats(struct smc_gpu_bench *bench, double *ms, struct smc_error *error)
{
    float factor = 0.75f, addend = 1;
    return run_fma(bench, &factor, &addend, ms, error);
}

static enum smc_status run_doubles(struct smc_gpu_bench *bench, double *ms, struct smc_error *error)
{
    double factor = 0.75, addend = 1;
    return run_fma(bench, &factor, &addend, ms, error);
}

/* Chooses the number of steps that takes the time of a sample, by timing a few steps: rates of
   double differ by a factor of 32 between GPUs. */
static void adapt_steps(struct smc_gpu_bench *bench, double ms)
{
    double steps = ms > 0 ? bench->steps * fma_sample_ms / ms : MOST_STEPS;
    bench->steps = steps < 1 ? 1 : steps < MOST_STEPS ? (uint32_t)steps : MOST_STEPS;
}

static enum smc_status begin_fma(struct smc_gpu_bench *bench,
                                 enum smc_status (*run)(struct smc_gpu_bench *, double *,
                                                        struct smc_error *),
                                 struct smc_error *error)
{
    double ms = 0;
    bench->steps = FIRST_STEPS;
    SMC_TRY(run(bench, &ms, error)); /* loads the code */
    for (int i = 0; i < 2; i++) {
        SMC_TRY(run(bench, &ms, error));
        adapt_steps(bench, ms);
    }
    return SMC_OK;
}

static double gpu_measurements_flops_per_s(const struct smc_gpu_bench *bench, double ms)
{
    double threads = (double)fma_blocks(bench) * FMA_THREADS;
    return smc_rate_of_ms(2.0 * FMA_PER_STEP * bench->steps * threads, ms);
}

static enum smc_status begin_floats(struct smc_gpu_bench *bench, struct smc_error *error)
{
    return begin_fma(bench, run_floats, error);
}

static enum smc_status sample_floats(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                     struct smc_error *error)
{
    struct smc_gpu_sight sight = {0};
    double ms = 0;
    SMC_TRY(run_floats(bench, &ms, error));
    cudaError_t code = smc_gpu_bench_read_sight(bench, cudaSuccess, &sight);
    seen[SMC_CEILING_FLOAT] = gpu_measurements_flops_per_s(bench, ms);
    seen[SMC_CEILING_CLOCK] = sight.ns ? (double)sight.clocks * 1e6 / (double)sight.ns : 0;
    return smc_gpu_bench_status(bench, code, "multiplying and adding", error);
}

static enum smc_status begin_doubles(struct smc_gpu_bench *bench, struct smc_error *error)
{
    return begin_fma(bench, run_doubles, error);
}

static enum smc_status sample_doubles(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                      struct smc_error *error)
{
    double ms = 0;
    enum smc_status status = run_doubles(bench, &ms, error);
    seen[SMC_CEILING_DOUBLE] = gpu_measurements_flops_per_s(bench, ms);
    return status;
}

/* --- Loads of shared memory --------------------------------------------------------------- */

static const struct smc_kernel shared_kernel = {
    SMC_KERNEL_NAMES(ceiling_shared, "ceiling-shared"),
    .defines = smc_defines_nothing,
};

static enum smc_status sample_shared(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                     struct smc_error *error)
{
    struct smc_gpu_sight sight = {0};
    uint32_t steps = SHARED_STEPS;
    void *arguments[] = {&bench->sight, &steps};
    cudaError_t code = smc_gpu_bench_write_sight(bench, &sight);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, 1, SHARED_THREADS, arguments);
    code = smc_gpu_bench_read_sight(bench, code, &sight);
    double bytes = (double)SHARED_THREADS * SHARED_BYTES_PER_STEP * SHARED_STEPS;
    seen[SMC_CEILING_SHARED] = sight.clocks ? bytes / (double)sight.clocks : 0;
    return smc_gpu_bench_status(bench, code, "loads of shared memory", error);
}

/* --- Latency: chains of addresses in random order --------------------------------------------- */

enum {
    NODE_BYTES = 128, /* one cache line each */
    SHARED_NODES = 1024,
    L1_BYTES = 8 << 10,
    LEAST_L2_BYTES = 512 << 10, /* if the size of the L2 cache is unknown */
    CHAIN_L2_SHARE = 8,
    LEAST_DRAM_BYTES = 256 << 20,
    DRAM_L2_CACHES = 4,
    CACHE_STEPS = 32768,
    DRAM_STEPS = 8192,
    STEPS_UNIT = 16,
};

/* --- Chains ------------------------------------------------------------------------------- */

/* next[i] is the successor of node i in the chain: one cycle through all nodes (Sattolo's
   algorithm), the same in every run. */
static uint32_t *make_cycle(uint32_t nodes)
{
    uint32_t *next = smc_malloc(nodes * sizeof *next);
    for (uint32_t i = 0; next && i < nodes; i++)
        next[i] = i;
    for (uint32_t i = nodes - 1; next && i > 0; i--) {
        uint32_t other = (uint32_t)(smc_random_bits(nodes, nodes - i) % i), kept = next[i];
        next[i] = next[other];
        next[other] = kept;
    }
    return next;
}

/* Each node begins with its successor's address. `base` is the address of node 0, and `stride` is
   the distance between two nodes. */
static unsigned char *make_chain(uint64_t base, uint32_t nodes, size_t stride)
{
    smc_auto_free uint32_t *next = make_cycle(nodes);
    unsigned char *chain = smc_calloc(nodes, stride);
    for (uint32_t i = 0; next && chain && i < nodes; i++)
        *(uint64_t *)(chain + i * stride) = base + next[i] * stride;
    if (!next) {
        free(chain);
        chain = NULL;
    }
    return chain;
}

static enum smc_status gpu_measurements_place(const void *chain, size_t bytes,
                                              struct smc_gpu_bench *bench, struct smc_error *error)
{
    if (!chain)
        return smc_fail(error, SMC_MACHINE, "no memory for a chain of %llu MB",
                        smc_gpu_megabytes(bytes));
    const struct smc_gpu_sight sight = {.address = (uintptr_t)bench->array[0]};
    cudaError_t code = cudaMemcpy(bench->array[0], chain, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess)
        code = smc_gpu_bench_write_sight(bench, &sight);
    return smc_gpu_bench_status(bench, code, "placing a chain", error);
}

/* --- Walks -------------------------------------------------------------------------------- */

static enum smc_status gpu_measurements_walk(struct smc_gpu_bench *bench, double *clocks,
                                             double *ns, struct smc_error *error)
{
    struct smc_gpu_sight sight = {0};
    void *arguments[] = {&bench->sight, &bench->steps, &bench->array[0]};
    cudaError_t code = smc_gpu_bench_launch(bench, 1, 1, arguments);
    code = smc_gpu_bench_read_sight(bench, code, &sight);
    *clocks = (double)sight.clocks / bench->steps;
    *ns = (double)sight.ns / bench->steps;
    return smc_gpu_bench_status(bench, code, "following a chain", error);
}

/* A chain through `bytes` of the array. */
static enum smc_status lay_chain(struct smc_gpu_bench *bench, size_t bytes, struct smc_error *error)
{
    uint32_t nodes = (uint32_t)(bytes / NODE_BYTES);
    bench->working_bytes = bytes;
    unsigned char *chain = make_chain((uintptr_t)bench->array[0], nodes, NODE_BYTES);
    enum smc_status status = gpu_measurements_place(chain, bytes, bench, error);
    free(chain);
    return status;
}

/* Walks once around the chain, so that the cache holds it. */
static enum smc_status begin_in_cache(struct smc_gpu_bench *bench, size_t bytes,
                                      struct smc_error *error)
{
    double clocks, ns;
    SMC_TRY(lay_chain(bench, bytes, error));
    bench->steps = (uint32_t)(bytes / NODE_BYTES + STEPS_UNIT) / STEPS_UNIT * STEPS_UNIT;
    SMC_TRY(gpu_measurements_walk(bench, &clocks, &ns, error));
    bench->steps = CACHE_STEPS;
    return SMC_OK;
}

#define ENTRY(level)                                                                               \
    {                                                                                              \
        .name = "ceiling-latency-" #level, .file = "ceiling_latency.cu",                           \
        .entry = "ceiling_latency_" #level, .defines = smc_defines_nothing                         \
    }
static const struct smc_kernel shared_latency_kernel = ENTRY(shared);
static const struct smc_kernel l1_latency_kernel = ENTRY(l1);
static const struct smc_kernel l2_latency_kernel = ENTRY(l2);
#undef ENTRY

/* The kernel receives node indices and computes the addresses. */
static enum smc_status begin_shared_latency(struct smc_gpu_bench *bench, struct smc_error *error)
{
    unsigned char *chain = make_chain(0, SHARED_NODES, sizeof(uint64_t));
    uint64_t *numbers = (uint64_t *)chain;
    for (int i = 0; numbers && i < SHARED_NODES; i++)
        numbers[i] /= sizeof *numbers;
    enum smc_status status =
        gpu_measurements_place(numbers, SHARED_NODES * sizeof *numbers, bench, error);
    free(chain);
    bench->steps = CACHE_STEPS;
    return status;
}

static enum smc_status begin_l1_latency(struct smc_gpu_bench *bench, struct smc_error *error)
{
    return begin_in_cache(bench, L1_BYTES, error);
}

static enum smc_status begin_l2_latency(struct smc_gpu_bench *bench, struct smc_error *error)
{
    size_t bytes = bench->device.l2_bytes / CHAIN_L2_SHARE / NODE_BYTES * NODE_BYTES;
    return begin_in_cache(bench, bytes > LEAST_L2_BYTES ? bytes : LEAST_L2_BYTES, error);
}

/* The chain is so long that every sample uses new nodes, and before the first sample the cache is
   filled with other data. */
static enum smc_status begin_dram_latency(struct smc_gpu_bench *bench, struct smc_error *error)
{
    size_t bytes = DRAM_L2_CACHES * bench->device.l2_bytes / NODE_BYTES * NODE_BYTES;
    bytes = bytes > LEAST_DRAM_BYTES ? bytes : LEAST_DRAM_BYTES;
    bytes = bytes < bench->array_bytes ? bytes : bench->array_bytes;
    SMC_TRY(lay_chain(bench, bytes, error));
    bench->steps = DRAM_STEPS;
    cudaError_t code = cudaMemset(bench->array[1], 0, bench->array_bytes);
    return smc_gpu_bench_status(bench, code, "emptying the L2 cache", error);
}

#define LATENCY(level, LEVEL)                                                                      \
    static enum smc_status sample_##level##_latency(                                               \
        struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT], struct smc_error *error)      \
    {                                                                                              \
        return gpu_measurements_walk(bench, &seen[SMC_CEILING_##LEVEL##_CLOCKS],                   \
                                     &seen[SMC_CEILING_##LEVEL##_NS], error);                      \
    }
LATENCY(shared, SHARED)
LATENCY(l1, L1)
LATENCY(l2, L2)
LATENCY(dram, DRAM)
#undef LATENCY

/* --- Launches --------------------------------------------------------------------------------- */

enum {
    LAUNCHES = 1000,
    ROUND_TRIPS = 50,
    BLOCKS_PER_SM = 8192, /* far more than reside at a time */
};

static enum smc_status sample_launches(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                       struct smc_error *error)
{
    double ms = 0;
    cudaError_t code = smc_gpu_bench_begin(bench);
    for (int i = 0; i < LAUNCHES && code == cudaSuccess; i++)
        code = smc_gpu_bench_launch(bench, 1, 1, NULL);
    code = smc_gpu_bench_end(bench, code, &ms);
    seen[SMC_CEILING_LAUNCH] = ms * 1e3 / LAUNCHES;
    return smc_gpu_bench_status(bench, code, "launching", error);
}

static cudaError_t launch_empty(void *context)
{
    return smc_gpu_bench_launch(context, 1, 1, NULL);
}

/* As the launches of a run are timed. */
static enum smc_status sample_empty_launches(struct smc_gpu_bench *bench,
                                             double seen[SMC_CEILING_COUNT],
                                             struct smc_error *error)
{
    const struct smc_gpu_work work = {.launch = launch_empty, .context = bench};
    const struct smc_calibrate_request *request = bench->request;
    double ms = 0;
    const cudaError_t code =
        smc_gpu_median_launch(&work, request->gpu_index, request->timeout_ms, &bench->finish, &ms);
    seen[SMC_CEILING_EMPTY_LAUNCH] = ms * 1e3;
    return smc_gpu_bench_status(bench, code, "timing empty launches", error);
}

/* Empty blocks: an SM has room for the next one long before it is sent. */
static enum smc_status sample_blocks(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                                     struct smc_error *error)
{
    uint32_t blocks = bench->device.sm_count * BLOCKS_PER_SM;
    double ms = 0;
    cudaError_t code = smc_gpu_bench_begin(bench);
    if (code == cudaSuccess)
        code = smc_gpu_bench_launch(bench, blocks, 32, NULL);
    code = smc_gpu_bench_end(bench, code, &ms);
    seen[SMC_CEILING_BLOCKS] = smc_rate_of_ms(blocks, ms);
    return smc_gpu_bench_status(bench, code, "starting blocks", error);
}

/* This measures the waits themselves, which have no time limit; the kernel was seen to end
   before. */
static enum smc_status sample_round_trips(struct smc_gpu_bench *bench,
                                          double seen[SMC_CEILING_COUNT], struct smc_error *error)
{
    double start_ms = smc_clock_ms();
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < ROUND_TRIPS && code == cudaSuccess; i++) {
        code = smc_gpu_bench_launch(bench, 1, 1, NULL);
        if (code == cudaSuccess)
            code = cudaDeviceSynchronize();
    }
    seen[SMC_CEILING_ROUND_TRIP] = (smc_clock_ms() - start_ms) * 1e3 / ROUND_TRIPS;
    return smc_gpu_bench_status(bench, code, "launching", error);
}

static enum smc_status begin_launches(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double seen[SMC_CEILING_COUNT];
    cudaError_t code = smc_gpu_bench_wait(bench, smc_gpu_bench_launch(bench, 1, 1, NULL));
    SMC_TRY(smc_gpu_bench_status(bench, code, "launching", error));
    return sample_round_trips(bench, seen, error);
}

/* --- The list --------------------------------------------------------------------------------- */

#define ROW(label, of, type, first, each)                                                          \
    {                                                                                              \
        .name = label, .kernel = of, .dtype = type, .begin = first, .sample = each                 \
    }

const struct smc_gpu_measurement smc_gpu_measurements[SMC_GPU_MEASUREMENTS] = {
    ROW("copy", NULL, SMC_FLOAT, NULL, sample_copy),
    ROW("reads of global memory", &smc_kernel_ceiling_read, SMC_FLOAT, begin_reads, sample_read),
    ROW("reads of the L2 cache", &smc_kernel_ceiling_read, SMC_FLOAT, begin_l2, sample_l2),
    ROW("writes to the L2 cache", &write_kernel, SMC_FLOAT, begin_l2, sample_l2_writes),
    ROW("loads of shared memory", &shared_kernel, SMC_FLOAT, NULL, sample_shared),
    ROW("float FMA", &smc_kernel_ceiling_fma, SMC_FLOAT, begin_floats, sample_floats),
    ROW("double FMA", &smc_kernel_ceiling_fma, SMC_DOUBLE, begin_doubles, sample_doubles),
    ROW("SHARED latency", &shared_latency_kernel, SMC_FLOAT, begin_shared_latency,
        sample_shared_latency),
    ROW("L1 latency", &l1_latency_kernel, SMC_FLOAT, begin_l1_latency, sample_l1_latency),
    ROW("L2 latency", &l2_latency_kernel, SMC_FLOAT, begin_l2_latency, sample_l2_latency),
    ROW("DRAM latency", &l2_latency_kernel, SMC_FLOAT, begin_dram_latency, sample_dram_latency),
    ROW("launches", &smc_gpu_empty_kernel, SMC_FLOAT, begin_launches, sample_launches),
    ROW("launches with waiting", &smc_gpu_empty_kernel, SMC_FLOAT, begin_launches,
        sample_round_trips),
    ROW("empty launches", &smc_gpu_empty_kernel, SMC_FLOAT, begin_launches, sample_empty_launches),
    ROW("starts of blocks", &smc_gpu_empty_kernel, SMC_FLOAT, begin_launches, sample_blocks),
};
