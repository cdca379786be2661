/* How long one load takes: chains of addresses in random order, at each level of the memory. */
#include <stdlib.h>

#include "base/memory.h"
#include "executor/gpu_ceilings.h"

enum {
    NODE_BYTES = 128, /* a line of its own each */
    SHARED_NODES = 1024,
    L1_BYTES = 8 << 10,
    LEAST_L2_BYTES = 512 << 10, /* where the size of the L2 cache is not known */
    L2_SHARE = 8,
    LEAST_DRAM_BYTES = 256 << 20,
    DRAM_L2_CACHES = 4,
    CACHE_STEPS = 32768,
    DRAM_STEPS = 8192,
    STEPS_UNIT = 16,
};

/* --- Chains ------------------------------------------------------------------------------- */

/* next[i] is where the chain goes from node i: one cycle through all of them (Sattolo), the same
   every time. */
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

/* Each node begins with its successor's address, `base` being that of node 0; `stride` lies
   between two nodes. */
static unsigned char *make_chain(uint64_t base, uint32_t nodes, size_t stride)
{
    uint32_t *next = make_cycle(nodes);
    unsigned char *chain = smc_calloc(nodes, stride);
    for (uint32_t i = 0; next && chain && i < nodes; i++)
        *(uint64_t *)(chain + i * stride) = base + next[i] * stride;
    if (!next) {
        free(chain);
        chain = NULL;
    }
    free(next);
    return chain;
}

static enum smc_status place(const void *chain, size_t bytes, struct smc_gpu_bench *bench,
                             struct smc_error *error)
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

static enum smc_status walk(struct smc_gpu_bench *bench, double *clocks, double *ns,
                            struct smc_error *error)
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
    enum smc_status status = place(chain, bytes, bench, error);
    free(chain);
    return status;
}

/* Once all around, so that the cache holds it. */
static enum smc_status begin_in_cache(struct smc_gpu_bench *bench, size_t bytes,
                                      struct smc_error *error)
{
    double clocks, ns;
    enum smc_status status = lay_chain(bench, bytes, error);
    bench->steps = (uint32_t)(bytes / NODE_BYTES + STEPS_UNIT) / STEPS_UNIT * STEPS_UNIT;
    if (status == SMC_OK)
        status = walk(bench, &clocks, &ns, error);
    bench->steps = CACHE_STEPS;
    return status;
}

#define ENTRY(level)                                                                               \
    {                                                                                              \
        .name = "ceiling-latency-" #level, .file = "ceiling_latency.cu",                           \
        .entry = "ceiling_latency_" #level, .defines = smc_defines_nothing                         \
    }
static const struct smc_kernel shared_kernel = ENTRY(shared);
static const struct smc_kernel l1_kernel = ENTRY(l1);
static const struct smc_kernel l2_kernel = ENTRY(l2);
#undef ENTRY

/* The kernel takes numbers of nodes, and makes addresses of them. */
static enum smc_status begin_shared(struct smc_gpu_bench *bench, struct smc_error *error)
{
    unsigned char *chain = make_chain(0, SHARED_NODES, sizeof(uint64_t));
    uint64_t *numbers = (uint64_t *)chain;
    for (int i = 0; numbers && i < SHARED_NODES; i++)
        numbers[i] /= sizeof *numbers;
    enum smc_status status = place(numbers, SHARED_NODES * sizeof *numbers, bench, error);
    free(chain);
    bench->steps = CACHE_STEPS;
    return status;
}

static enum smc_status begin_l1(struct smc_gpu_bench *bench, struct smc_error *error)
{
    return begin_in_cache(bench, L1_BYTES, error);
}

static enum smc_status begin_l2(struct smc_gpu_bench *bench, struct smc_error *error)
{
    size_t bytes = bench->device.l2_bytes / L2_SHARE / NODE_BYTES * NODE_BYTES;
    return begin_in_cache(bench, bytes > LEAST_L2_BYTES ? bytes : LEAST_L2_BYTES, error);
}

/* The chain is so long that its nodes are new in every sample, and the cache is filled with
   something else before the first. */
static enum smc_status begin_dram(struct smc_gpu_bench *bench, struct smc_error *error)
{
    size_t bytes = DRAM_L2_CACHES * bench->device.l2_bytes / NODE_BYTES * NODE_BYTES;
    bytes = bytes > LEAST_DRAM_BYTES ? bytes : LEAST_DRAM_BYTES;
    bytes = bytes < bench->array_bytes ? bytes : bench->array_bytes;
    enum smc_status status = lay_chain(bench, bytes, error);
    if (status != SMC_OK)
        return status;
    bench->steps = DRAM_STEPS;
    cudaError_t code = cudaMemset(bench->array[1], 0, bench->array_bytes);
    return smc_gpu_bench_status(bench, code, "emptying the L2 cache", error);
}

#define MEASUREMENT(level, LEVEL, kernel_of_it)                                                    \
    static enum smc_status sample_##level(struct smc_gpu_bench *bench,                             \
                                          double seen[SMC_CEILING_COUNT], struct smc_error *error) \
    {                                                                                              \
        return walk(bench, &seen[SMC_CEILING_##LEVEL##_CLOCKS], &seen[SMC_CEILING_##LEVEL##_NS],   \
                    error);                                                                        \
    }                                                                                              \
    const struct smc_gpu_measurement smc_gpu_measure_##level##_latency = {                         \
        .name = #LEVEL " latency",                                                                 \
        .kernel = &kernel_of_it,                                                                   \
        .begin = begin_##level,                                                                    \
        .sample = sample_##level,                                                                  \
    };
MEASUREMENT(shared, SHARED, shared_kernel)
MEASUREMENT(l1, L1, l1_kernel)
MEASUREMENT(l2, L2, l2_kernel)
MEASUREMENT(dram, DRAM, l2_kernel)
#undef MEASUREMENT
