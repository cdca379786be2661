/* What a launch costs by itself: one after another, and with waiting for the end of each. */
#include "executor/clock.h"
#include "executor/gpu_ceilings.h"

enum { LAUNCHES = 1000, ROUND_TRIPS = 50 };

static const struct smc_kernel empty_kernel = {
    .name = "ceiling-launch",
    .file = "ceiling_launch.cu",
    .entry = "ceiling_launch",
    .defines = smc_defines_nothing,
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

/* The waits are what is timed and have no bound: the kernel was seen to end before. */
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
    enum smc_status status = smc_gpu_bench_status(bench, code, "launching", error);
    return status == SMC_OK ? sample_round_trips(bench, seen, error) : status;
}

const struct smc_gpu_measurement smc_gpu_measure_launch = {
    .name = "launches",
    .kernel = &empty_kernel,
    .begin = begin_launches,
    .sample = sample_launches,
};

const struct smc_gpu_measurement smc_gpu_measure_round_trip = {
    .name = "launches with waiting",
    .kernel = &empty_kernel,
    .begin = begin_launches,
    .sample = sample_round_trips,
};
