/* What the SMs do by themselves: fused multiply-adds, loads of shared memory. */
#include "executor/gpu_ceilings.h"
#include "executor/samples.h"

enum {
    FMA_THREADS = 256,
    FMA_PER_STEP = 8 * 16, /* of a thread: chains and turns of kernels/ceiling_fma.cu */
    FIRST_STEPS = 256,
    MOST_STEPS = 1 << 22,
    SHARED_THREADS = 512,
    SHARED_BYTES_PER_STEP = 4 * 16, /* of a thread */
    SHARED_STEPS = 4096,
};

static const double fma_sample_ms = 8;

/* --- Fused multiply-adds ------------------------------------------------------------------ */

static void fma_defines(const struct smc_kernel *kernel, const struct smc_params *params,
                        struct smc_text *options)
{
    (void)kernel;
    enum smc_dtype dtype = (enum smc_dtype)params->value[SMC_PARAM_DTYPE];
    smc_text_printf(options, "-DELEMENT=%s\n", smc_dtype_name(dtype));
}

static const struct smc_kernel fma_kernel = {
    .name = "ceiling-fma",
    .file = "ceiling_fma.cu",
    .entry = "ceiling_fma",
    .defines = fma_defines,
};

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

/* As many steps as take the time of a sample, from how long a few take: rates of double differ by
   a factor of 32 between GPUs. */
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
    enum smc_status status = run(bench, &ms, error); /* loads the code */
    for (int i = 0; i < 2 && status == SMC_OK; i++) {
        status = run(bench, &ms, error);
        adapt_steps(bench, ms);
    }
    return status;
}

static double flops_per_s(const struct smc_gpu_bench *bench, double ms)
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
    enum smc_status status = run_floats(bench, &ms, error);
    if (status != SMC_OK)
        return status;
    cudaError_t code = smc_gpu_bench_read_sight(bench, cudaSuccess, &sight);
    seen[SMC_CEILING_FLOAT] = flops_per_s(bench, ms);
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
    seen[SMC_CEILING_DOUBLE] = flops_per_s(bench, ms);
    return status;
}

const struct smc_gpu_measurement smc_gpu_measure_float = {
    .name = "float FMA",
    .kernel = &fma_kernel,
    .dtype = SMC_FLOAT,
    .begin = begin_floats,
    .sample = sample_floats,
};

const struct smc_gpu_measurement smc_gpu_measure_double = {
    .name = "double FMA",
    .kernel = &fma_kernel,
    .dtype = SMC_DOUBLE,
    .begin = begin_doubles,
    .sample = sample_doubles,
};

/* --- Loads of shared memory --------------------------------------------------------------- */

static const struct smc_kernel shared_kernel = {
    .name = "ceiling-shared",
    .file = "ceiling_shared.cu",
    .entry = "ceiling_shared",
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

static enum smc_status begin_shared(struct smc_gpu_bench *bench, struct smc_error *error)
{
    double seen[SMC_CEILING_COUNT];
    return sample_shared(bench, seen, error);
}

const struct smc_gpu_measurement smc_gpu_measure_shared = {
    .name = "loads of shared memory",
    .kernel = &shared_kernel,
    .begin = begin_shared,
    .sample = sample_shared,
};
