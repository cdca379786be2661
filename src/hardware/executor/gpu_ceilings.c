/* Measures the ceilings of a GPU: the order of the measurements, and the evaluation of their
   samples. */
#include "config.h"

#include "hardware/executor/gpu_ceilings.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/platform.h"
#include "hardware/measured_ceilings.h"

/* --- The measurements ------------------------------------------------------------------------- */

enum {
    SAMPLES = 15,
    FEWEST_SAMPLES = 3,
    MEASUREMENTS = SMC_GPU_MEASUREMENTS + SMC_GPU_SM_MEASUREMENTS,
};

/* --- Measuring ---------------------------------------------------------------------------- */

static enum smc_status gpu_ceilings_compile(const struct smc_gpu_measurement *measurement,
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
    SMC_TRY(
        smc_compile(&(struct smc_compile_request){measurement->kernel, &params, bench->device.sm.cc,
                                                  &bench->request->compile},
                    &resources, &bench->binary, bench->warnings, error));
    bench->compiled_file = file;
    bench->compiled_dtype = measurement->dtype;
    return SMC_OK;
}

/* A refusal by the driver is an error here, because the kernel is part of the program. */
static enum smc_status gpu_ceilings_load(const struct smc_gpu_measurement *measurement,
                                         struct smc_gpu_bench *bench, struct smc_error *error)
{
    struct smc_attempt attempt = {0};
    SMC_TRY(gpu_ceilings_compile(measurement, bench, error));
    if (!smc_gpu_load(&bench->binary, measurement->kernel->entry, &bench->kernel, &attempt))
        return smc_fail(error, SMC_MACHINE, "%s: %s", measurement->name, attempt.message);
    return SMC_OK;
}

static enum smc_status take_samples(const struct smc_gpu_measurement *measurement,
                                    struct smc_gpu_bench *bench,
                                    struct smc_samples samples[SMC_CEILING_COUNT],
                                    struct smc_error *error)
{
    double start_ms = smc_clock_ms(), budget_ms = bench->request->budget_ms / MEASUREMENTS;
    for (int i = 0; i < SAMPLES; i++) {
        double seen[SMC_CEILING_COUNT] = {0};
        if (bench->request->stop && bench->request->stop())
            return smc_fail(error, SMC_INTERRUPTED, "interrupted: nothing was kept");
        if (i >= FEWEST_SAMPLES && smc_clock_ms() - start_ms > budget_ms)
            break;
        SMC_TRY(measurement->sample(bench, seen, error));
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
    enum smc_status status =
        measurement->kernel ? gpu_ceilings_load(measurement, bench, error) : SMC_OK;
    double uncounted[SMC_CEILING_COUNT] = {0};
    bench->measurement = measurement;
    if (status == SMC_OK)
        status = measurement->begin ? measurement->begin(bench, error)
                                    : measurement->sample(bench, uncounted, error);
    if (status == SMC_OK)
        status = take_samples(measurement, bench, samples, error);
    if (!smc_is_lost(&bench->finish))
        smc_gpu_unload(&bench->kernel);
    return status;
}

static const struct smc_gpu_measurement *measurement_at(size_t index)
{
    return index < SMC_GPU_MEASUREMENTS ? &smc_gpu_measurements[index]
                                        : &smc_gpu_sm_measurements[index - SMC_GPU_MEASUREMENTS];
}

const struct smc_gpu_measurement *smc_gpu_measurement_find(const char *name)
{
    for (size_t i = 0; i < SMC_GPU_MEASUREMENTS; i++)
        if (strcmp(smc_gpu_measurements[i].name, name) == 0)
            return &smc_gpu_measurements[i];
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
        SMC_TRY(smc_gpu_bench_measure(bench, measurement_at(i), samples, error));
    }
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        calibration->ceilings.value[i] = smc_samples_median(&samples[i], &calibration->spread[i]);
    return SMC_OK;
}

/* The empty kernel needs no resources but those that it is given. */
static enum smc_status gpu_ceilings_find_groups(struct smc_gpu_bench *bench,
                                                struct smc_sm_groups *groups,
                                                struct smc_error *error)
{
    if (bench->device.sm.cluster_max_portable == 0)
        return SMC_OK;
    enum smc_status status = gpu_ceilings_load(smc_gpu_measurement_find("launches"), bench, error);
    if (status == SMC_OK)
        status =
            smc_gpu_find_groups(&bench->kernel, &bench->device, groups, bench->warnings, error);
    smc_gpu_unload(&bench->kernel);
    return status;
}

/* --- Whose ceilings these are ------------------------------------------------------------- */

static void gpu_ceilings_describe(int gpu_index, struct smc_calibration *calibration)
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
    SMC_TRY(smc_gpu_device(request->gpu_index, &bench.device, error));
    SMC_TRY(smc_gpu_use(request->gpu_index, error));
    calibration->device = bench.device;
    gpu_ceilings_describe(request->gpu_index, calibration);
    enum smc_status status = smc_gpu_bench_open(&bench, error);
    if (status == SMC_OK)
        status = measure_all(&bench, calibration, error);
    if (status == SMC_OK)
        status = gpu_ceilings_find_groups(&bench, &calibration->ceilings.sm_groups, error);
    if (status == SMC_OK)
        smc_ceilings_set_groups(&calibration->ceilings, &calibration->device);
    smc_gpu_bench_close(&bench);
    calibration->elapsed_ms = smc_clock_ms() - start_ms;
    return status;
}
