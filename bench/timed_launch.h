/* Launches whose predicted time is compared with a measured one: how they are drawn, predicted,
   measured, kept in a CSV file and summed up. For bench/time_error.c. */
#ifndef SMC_BENCH_TIMED_LAUNCH_H
#define SMC_BENCH_TIMED_LAUNCH_H

#include <stdio.h>

#include <jansson.h>

#include "answers/query.h"

/* Three predictions of the same launch. */
enum bench_model {
    BENCH_MODEL,    /* struct smc_time */
    BENCH_ROOFLINE, /* the larger of flops / peak and minimum bytes / DRAM bandwidth */
    BENCH_NAIVE,    /* the largest of FMA, DRAM, L2 and shared wavefronts, times the quantisation */
    BENCH_MODELS,
};

extern const char *const bench_model_name[BENCH_MODELS];

struct bench_launch {
    const struct smc_kernel *kernel;
    struct smc_params params; /* completed by bench_predict */
    int carveout_percent;     /* or SMC_CARVEOUT_DEFAULT */
    char device[128];         /* its name */

    /* Set by bench_predict. */
    struct smc_time time;
    double ms[BENCH_MODELS]; /* 0: not predicted */
    uint64_t memory_bytes;   /* of its buffers */
    char note[200];          /* why it is left out, or ""; commas and quotes are replaced */

    /* Measured; 0: not. */
    double median_ms, fastest_ms, slowest_ms;
    uint32_t launches, sm_clock_khz;
};

/* --- Drawing, predicting ---------------------------------------------------------------------- */

/* The same launch for the same seed and number, whatever is predicted: a kernel of the catalog that
   is not racy and no probe, with sizes from 64 to 6000 (arrays: their product). */
void bench_draw(uint64_t seed, uint64_t number, const struct smc_device *device,
                struct bench_launch *launch);

struct bench_limits {
    double ms; /* a launch that takes longer by the model or the roofline is left out */
    uint64_t bytes;
};

/* Fills a buffer, also an output. False: it is left as it was. */
typedef bool bench_fill(const struct smc_kernel *kernel, const struct smc_params *params,
                        size_t buffer, uint64_t seed, void *values);

struct bench_prediction {
    const struct smc_device *device;
    const struct smc_ceilings *ceilings;
    struct smc_compile_options compile;
    struct bench_limits limits;
    bench_fill *fill; /* what the buffers hold, as the launch is measured; NULL: it is not known */
    uint64_t seed;
};

/* Predicts. What cannot be predicted, or is beyond the limits, gets a note. SMC_MACHINE: memory. */
enum smc_status bench_predict(const struct bench_prediction *prediction,
                              struct bench_launch *launch, struct smc_error *error);

/* |predicted - measured| as a share of the measured time; negative: one of them is unknown. */
double bench_error(const struct bench_launch *launch, enum bench_model model);

/* --- As a file -------------------------------------------------------------------------------- */

/* A CSV file with a line for each launch. Columns of measurements are empty before. */
enum smc_status bench_write_csv(const char *path, const struct bench_launch *launch, size_t count,
                                struct smc_error *error);

/* Reads kernels, parameters, devices and measured times of such a file; other columns are ignored.
   Free *launch. SMC_USAGE names the line. `kernels` ends with NULL. */
enum smc_status bench_read_csv(const char *path, const struct smc_kernel *const *kernels,
                               struct bench_launch **launch, size_t *count,
                               struct smc_error *error);

/* --- Sums ------------------------------------------------------------------------------------- */

/* Prints the errors of all launches, by kernel and by binding term. Returns the same for a file. */
json_t *bench_print_errors(const struct bench_launch *launch, size_t count);

/* One line: parameters, predicted and measured time. */
void bench_print_launch(const struct bench_launch *launch, FILE *out);

/* --- Measuring (only in a build with CUDA) ---------------------------------------------------- */

struct bench_measurement {
    struct smc_compile_options compile;
    uint64_t seed;
    double budget_ms; /* for the timed launches */
    uint32_t timeout_ms;
    bench_fill *fill; /* or NULL: random inputs, poisoned outputs */
    bool checks;      /* compares the result of the first launch with kernel->compare */
};

/* Measures a predicted launch on GPU 0. What the GPU refuses, and a wrong result, is a note. Fails
   if the GPU does. */
enum smc_status bench_measure(const struct bench_measurement *measurement,
                              const struct smc_device *device, struct bench_launch *launch,
                              struct smc_error *error);

#endif
