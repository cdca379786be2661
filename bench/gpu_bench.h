/* A kernel of the catalog on GPU 0, launched and timed beside something else: what the GPU's
   benchmarks share. */
#ifndef SMC_BENCH_GPU_BENCH_H
#define SMC_BENCH_GPU_BENCH_H

#include <jansson.h>

#include "code/compile.h"
#include "hardware/executor/gpu.h"

enum { BENCH_WARM_UPS = 3, BENCH_ROUNDS = 15 };

/* Start from {0}. */
struct bench_kernel {
    const char *kernel_dir; /* of an edited kernel; NULL: the built-in text */
    struct smc_params params;
    struct smc_plan plan;
    struct smc_resources resources;
    uint32_t dynamic_smem_bytes;
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers; /* random inputs, poisoned outputs */
    struct smc_gpu_stopwatch watch;
};

/* Makes GPU 0 the one that is used. 0, or the exit status of a program without it, which was told
   why: 77 where there is none. */
int bench_use_gpu(struct smc_device *device);

/* Compiles and loads for the device, completes `params`, makes the buffers. Close in any case. */
enum smc_status bench_open(const struct smc_kernel *kernel, const struct smc_params *params,
                           const struct smc_device *device, struct bench_kernel *bench,
                           struct smc_error *error);
void bench_close(struct bench_kernel *bench);

cudaError_t bench_launch(struct bench_kernel *bench);

/* Waits for the GPU; `code`, or where that is a success how the waiting ended. */
cudaError_t bench_wait(cudaError_t code);

/* What `work` takes on the GPU, which is idle before and after. */
cudaError_t bench_time(struct bench_kernel *bench, cudaError_t (*work)(void *context),
                       void *context, double *ms);

/* Sorts the times; the median. */
double bench_median(double ms[BENCH_ROUNDS]);

/* Writes {"NAME": FIGURES} for the GPU tests' results; nowhere where `path` is NULL. Takes the
   figures over. Returns the exit status. */
int bench_write_figures(const char *name, json_t *figures, const char *path);

#endif
