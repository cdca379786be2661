/* Measures the ceilings of a GPU: the order of the measurements, and the evaluation of their
   samples. */
#include "executor/gpu_ceilings.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "executor/ceilings.h"

/* --- The bench -------------------------------------------------------------------------------- */

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

static cudaError_t allocate(struct smc_gpu_bench *bench)
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
    enum smc_status status = choose_array_bytes(bench, error);
    if (status != SMC_OK)
        return status;
    cudaError_t code = allocate(bench);
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

/* --- The measurements ------------------------------------------------------------------------- */

enum {
    SAMPLES = 15,
    FEWEST_SAMPLES = 3,
    MEASUREMENTS = SMC_GPU_MEASUREMENTS + SMC_GPU_SM_MEASUREMENTS,
};

/* --- Measuring ---------------------------------------------------------------------------- */

static enum smc_status compile(const struct smc_gpu_measurement *measurement,
                               struct smc_gpu_bench *bench, struct smc_error *error)
{
    struct smc_params params = {0};
    struct smc_resources resources;
    const char *file = measurement->kernel->file;
    if (bench->compiled_file && strcmp(bench->compiled_file, file) == 0 &&
        bench->compiled_dtype == measurement->dtype)
        return SMC_OK;
    smc_binary_free(&bench->binary);
    bench->compiled_file = NULL;
    params.value[SMC_PARAM_DTYPE] = measurement->dtype;
    enum smc_status status =
        smc_compile(measurement->kernel, &params, bench->device.sm.cc, &bench->request->compile,
                    &resources, &bench->binary, bench->warnings, error);
    if (status != SMC_OK)
        return status;
    bench->compiled_file = file;
    bench->compiled_dtype = measurement->dtype;
    return SMC_OK;
}

/* A refusal by the driver is an error here, because the kernel is part of the program. */
static enum smc_status load(const struct smc_gpu_measurement *measurement,
                            struct smc_gpu_bench *bench, struct smc_error *error)
{
    struct smc_attempt attempt = {0};
    enum smc_status status = compile(measurement, bench, error);
    if (status == SMC_OK &&
        !smc_gpu_load(&bench->binary, measurement->kernel->entry, &bench->kernel, &attempt))
        status = smc_fail(error, SMC_MACHINE, "%s: %s", measurement->name, attempt.message);
    return status;
}

static bool stop_wished(const struct smc_gpu_bench *bench)
{
    return bench->request->stop && bench->request->stop();
}

static enum smc_status take_samples(const struct smc_gpu_measurement *measurement,
                                    struct smc_gpu_bench *bench,
                                    struct smc_samples samples[SMC_CEILING_COUNT],
                                    struct smc_error *error)
{
    double start_ms = smc_clock_ms(), budget_ms = bench->request->budget_ms / MEASUREMENTS;
    for (int i = 0; i < SAMPLES; i++) {
        double seen[SMC_CEILING_COUNT] = {0};
        if (stop_wished(bench))
            return smc_fail(error, SMC_INTERRUPTED, "interrupted: nothing was kept");
        if (i >= FEWEST_SAMPLES && smc_clock_ms() - start_ms > budget_ms)
            break;
        enum smc_status status = measurement->sample(bench, seen, error);
        if (status != SMC_OK)
            return status;
        for (int c = 0; c < SMC_CEILING_COUNT; c++)
            smc_samples_add(&samples[c], seen[c]);
    }
    return SMC_OK;
}

enum smc_status smc_gpu_bench_measure(struct smc_gpu_bench *bench,
                                      const struct smc_gpu_measurement *measurement,
                                      struct smc_samples samples[SMC_CEILING_COUNT],
                                      struct smc_error *error)
{
    enum smc_status status = measurement->kernel ? load(measurement, bench, error) : SMC_OK;
    if (status == SMC_OK && measurement->begin)
        status = measurement->begin(bench, error);
    if (status == SMC_OK)
        status = take_samples(measurement, bench, samples, error);
    if (!smc_is_lost(&bench->finish))
        smc_gpu_unload(&bench->kernel);
    return status;
}

static const struct smc_gpu_measurement *measurement_at(size_t index)
{
    return index < SMC_GPU_MEASUREMENTS ? smc_gpu_measurements[index]
                                        : smc_gpu_sm_measurements[index - SMC_GPU_MEASUREMENTS];
}

const struct smc_gpu_measurement *smc_gpu_measurement_find(const char *name)
{
    for (size_t i = 0; i < SMC_GPU_MEASUREMENTS; i++)
        if (strcmp(smc_gpu_measurements[i]->name, name) == 0)
            return smc_gpu_measurements[i];
    return NULL;
}

static enum smc_status measure_all(struct smc_gpu_bench *bench, struct smc_calibration *calibration,
                                   struct smc_error *error)
{
    const struct smc_calibrate_request *request = bench->request;
    struct smc_samples samples[SMC_CEILING_COUNT] = {{0}};
    for (size_t i = 0; i < MEASUREMENTS; i++) {
        if (request->step)
            request->step(request->context, i, MEASUREMENTS);
        enum smc_status status = smc_gpu_bench_measure(bench, measurement_at(i), samples, error);
        if (status != SMC_OK)
            return status;
    }
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        calibration->ceilings.value[i] = smc_samples_median(&samples[i], &calibration->spread[i]);
    return SMC_OK;
}

/* --- Whose ceilings these are ------------------------------------------------------------- */

static void describe(int gpu_index, struct smc_calibration *calibration)
{
    struct smc_ceilings *ceilings = &calibration->ceilings;
    char runtime[SMC_GPU_VERSION_CHARS], cuda[SMC_GPU_VERSION_CHARS];
    time_t now = time(NULL);
    struct tm day;
    ceilings->source = SMC_CEILINGS_CALIBRATED;
    memcpy(ceilings->device, calibration->device.name, sizeof ceilings->device);
    smc_gpu_uuid(gpu_index, ceilings->gpu_uuid);
    if (!smc_gpu_driver_release(ceilings->driver)) {
        smc_gpu_versions(cuda, runtime);
        snprintf(ceilings->driver, sizeof ceilings->driver, "CUDA %.20s", cuda);
    }
    if (gmtime_r(&now, &day))
        strftime(ceilings->date, sizeof ceilings->date, "%Y-%m-%d", &day);
}

enum smc_status smc_calibrate(const struct smc_calibrate_request *request,
                              struct smc_calibration *calibration, struct smc_text *warnings,
                              struct smc_error *error)
{
    struct smc_gpu_bench bench = {.request = request, .warnings = warnings};
    double start_ms = smc_clock_ms();
    *calibration = (struct smc_calibration){0};
    enum smc_status status = smc_gpu_device(request->gpu_index, &bench.device, error);
    if (status != SMC_OK)
        return status;
    status = smc_gpu_use(request->gpu_index, error);
    if (status != SMC_OK)
        return status;
    calibration->device = bench.device;
    describe(request->gpu_index, calibration);
    status = smc_gpu_bench_open(&bench, error);
    if (status == SMC_OK)
        status = measure_all(&bench, calibration, error);
    smc_gpu_bench_close(&bench);
    calibration->elapsed_ms = smc_clock_ms() - start_ms;
    return status;
}
