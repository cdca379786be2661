/* What the measurements of ceilings share. Inside src/executor only. */
#ifndef SMC_EXECUTOR_GPU_CEILINGS_H
#define SMC_EXECUTOR_GPU_CEILINGS_H

#include "executor/ceilings.h"
#include "executor/gpu.h"

/* What the kernels report: struct sight of kernels/ceiling_*.cu. */
struct smc_gpu_sight {
    uint64_t clocks, ns, address;
};

/* A GPU made ready to be measured. */
struct smc_gpu_bench {
    struct smc_device device;
    void *array[2]; /* in its memory, far larger than the L2 cache */
    size_t array_bytes;
    struct smc_gpu_sight *sight; /* in its memory */
    struct smc_gpu_stopwatch watch;
    const struct smc_calibrate_request *request;
    struct smc_text *warnings;
    struct smc_attempt finish; /* how the last wait ended */

    /* Of the present measurement. */
    struct smc_gpu_kernel kernel;
    uint32_t steps;
    size_t working_bytes;
};

/* One measurement, of one ceiling or of several that show at once. */
struct smc_gpu_measurement {
    const char *name;                /* for messages */
    const struct smc_kernel *kernel; /* compiled and loaded before; or NULL */
    enum smc_dtype dtype;            /* for its options */
    /* Chooses what the launches need and warms up; or NULL. */
    enum smc_status (*begin)(struct smc_gpu_bench *bench, struct smc_error *error);
    /* Takes one sample: sets the ceilings that it shows, which are 0 before. */
    enum smc_status (*sample)(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                              struct smc_error *error);
};

enum { SMC_GPU_MEASUREMENTS = 12 };
extern const struct smc_gpu_measurement *const smc_gpu_measurements[SMC_GPU_MEASUREMENTS];

/* Makes the arrays of one whose device, request and warnings are set. Close in any case; of a GPU
   that is lost everything is left to the end of the process. */
enum smc_status smc_gpu_bench_open(struct smc_gpu_bench *bench, struct smc_error *error);
void smc_gpu_bench_close(struct smc_gpu_bench *bench);

/* Launches the present kernel without waiting; `arguments` as cudaLaunchKernel takes them. */
cudaError_t smc_gpu_bench_launch(struct smc_gpu_bench *bench, uint32_t blocks, uint32_t threads,
                                 void **arguments);

/* Waits, as long as the request allows, for all that was launched; `code` is how that went, and
   comes back where it is a failure. After cudaErrorNotReady the GPU is asked for nothing more. */
cudaError_t smc_gpu_bench_wait(struct smc_gpu_bench *bench, cudaError_t code);

/* Notes the begin and the end of work between them, which went as `code` says. The end waits; after
   a failure the time is 0. */
cudaError_t smc_gpu_bench_begin(struct smc_gpu_bench *bench);
cudaError_t smc_gpu_bench_end(struct smc_gpu_bench *bench, cudaError_t code, double *ms);

/* Waits for the present kernel, launched as `code` says, and reads what it reported; and telling it
   where to begin. */
cudaError_t smc_gpu_bench_read_sight(struct smc_gpu_bench *bench, cudaError_t code,
                                     struct smc_gpu_sight *sight);
cudaError_t smc_gpu_bench_write_sight(struct smc_gpu_bench *bench,
                                      const struct smc_gpu_sight *sight);

/* SMC_OK for cudaSuccess; else why not, with `what` was done. */
enum smc_status smc_gpu_bench_status(const struct smc_gpu_bench *bench, cudaError_t code,
                                     const char *what, struct smc_error *error);

#endif
