/* What the measurements of ceilings share. Only src/hardware/executor includes it. */
#ifndef SMC_HARDWARE_GPU_CEILINGS_H
#define SMC_HARDWARE_GPU_CEILINGS_H

#include "hardware/executor/gpu.h"
#include "hardware/measured_ceilings.h"

/* What the kernels report: struct sight of kernels/ceiling_*.cu. */
struct smc_gpu_sight {
    uint64_t clocks, ns, address;
};

/* A GPU that is prepared for measurements. */
struct smc_gpu_bench {
    struct smc_device device;
    void *array[2]; /* in GPU memory, much larger than the L2 cache */
    size_t array_bytes;
    struct smc_gpu_sight *sight; /* in its memory */
    struct smc_gpu_stopwatch watch;
    const struct smc_calibrate_request *request;
    struct smc_text *warnings;
    struct smc_attempt finish; /* how the last wait ended */

    /* The code that was compiled last: several measurements in a row have kernels of one file. */
    struct smc_binary binary;
    const char *compiled_file; /* NULL: none */
    enum smc_dtype compiled_dtype;

    /* For the current measurement. */
    const struct smc_gpu_measurement *measurement;
    struct smc_gpu_kernel kernel;
    uint32_t steps;
    size_t working_bytes;
};

/* One measurement, of one ceiling or of several at once. */
struct smc_gpu_measurement {
    const char *name;                /* for messages */
    const struct smc_kernel *kernel; /* compiled and loaded before the measurement; or NULL */
    enum smc_dtype dtype;            /* for its options */
    /* Chooses the parameters of the launches and warms up. NULL: a sample that is not counted loads
       the code, fills the cache and raises the clocks. */
    enum smc_status (*begin)(struct smc_gpu_bench *bench, struct smc_error *error);
    /* Takes one sample: sets the ceilings that it measures, which are 0 before. */
    enum smc_status (*sample)(struct smc_gpu_bench *bench, double seen[SMC_CEILING_COUNT],
                              struct smc_error *error);
    /* What those of one SM share a function for. */
    enum smc_ceiling ceiling;
    const struct smc_gpu_pipe *pipe;
};

/* Of the whole GPU, and then of one SM. */
enum { SMC_GPU_MEASUREMENTS = 15, SMC_GPU_SM_MEASUREMENTS = 24 };
extern const struct smc_gpu_measurement smc_gpu_measurements[SMC_GPU_MEASUREMENTS];
extern const struct smc_gpu_measurement smc_gpu_sm_measurements[SMC_GPU_SM_MEASUREMENTS];

/* Allocates the arrays of a bench whose device, request and warnings are set. Always close it; if
   the GPU is lost, everything is left until the process ends. */
enum smc_status smc_gpu_bench_open(struct smc_gpu_bench *bench, struct smc_error *error);
void smc_gpu_bench_close(struct smc_gpu_bench *bench);

/* Launches the current kernel without waiting; `arguments` as for cudaLaunchKernel. */
cudaError_t smc_gpu_bench_launch(struct smc_gpu_bench *bench, uint32_t blocks, uint32_t threads,
                                 void **arguments);

/* Waits for all launches, as long as the request allows. `code` is the result of launching; if it
   is a failure, it is returned. After cudaErrorNotReady the GPU is not used any further. */
cudaError_t smc_gpu_bench_wait(struct smc_gpu_bench *bench, cudaError_t code);

/* Mark the start and the end of timed work, whose result is `code`. The end waits; after a failure
   the time is 0. */
cudaError_t smc_gpu_bench_begin(struct smc_gpu_bench *bench);
cudaError_t smc_gpu_bench_end(struct smc_gpu_bench *bench, cudaError_t code, double *ms);

/* Waits for the current kernel, launched with the result `code`, and reads what it reported;
   write_sight sets where it begins. */
cudaError_t smc_gpu_bench_read_sight(struct smc_gpu_bench *bench, cudaError_t code,
                                     struct smc_gpu_sight *sight);
cudaError_t smc_gpu_bench_write_sight(struct smc_gpu_bench *bench,
                                      const struct smc_gpu_sight *sight);

/* SMC_OK for cudaSuccess; otherwise reports the error, with `what` as the failed action. */
enum smc_status smc_gpu_bench_status(const struct smc_gpu_bench *bench, cudaError_t code,
                                     const char *what, struct smc_error *error);

/* Compiles and loads a measurement's kernel, takes samples while the request's budget for one
   measurement lasts, and unloads it. */
enum smc_status smc_gpu_bench_measure(struct smc_gpu_bench *bench,
                                      const struct smc_gpu_measurement *measurement,
                                      struct smc_samples samples[SMC_CEILING_COUNT],
                                      struct smc_error *error);

/* The measurement of a ceiling of the whole GPU, by its name. */
const struct smc_gpu_measurement *smc_gpu_measurement_find(const char *name);

#endif
