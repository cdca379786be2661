/* Measures the time of a launch on GPU 0, as `smemcalc run` does: the median of many launches after
   a warm-up. */
#include <stdlib.h>
#include <string.h>

#include "hardware/executor/gpu.h"
#include "hardware/fleet/check.h"
#include "timed_launch.h"

enum { CHECK_MS = 2000 }; /* of comparing a result; what is left then is not compared */

struct running {
    const struct bench_measurement *measurement;
    struct bench_launch *launch;
    struct smc_plan plan;
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers;
    struct smc_run_result *result;
};

static void note(struct bench_launch *launch, const char *what, const char *why)
{
    snprintf(launch->note, sizeof launch->note, "%s: %.150s", what, why);
    for (char *c = launch->note; *c; c++)
        if (*c == ',' || *c == '"' || *c == '\n')
            *c = ';';
}

/* Sets whether the kernel is ready to launch. */
static enum smc_status load(struct running *running, const struct smc_device *device, bool *ready,
                            struct smc_error *error)
{
    struct bench_launch *launch = running->launch;
    struct smc_resources resources;
    struct smc_binary binary = {0};
    struct smc_attempt loaded = {0}, opt_in = {0};
    const struct smc_launch settings = {
        .threads_per_block = running->plan.threads_per_block,
        .dynamic_smem_bytes = (uint32_t)running->plan.dynamic_smem_bytes,
        .carveout_percent = launch->carveout_percent,
    };
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){launch->kernel, &launch->params, device->sm.cc,
                                                  &running->measurement->compile},
                    &resources, &binary, NULL, error);
    *ready =
        status == SMC_OK && smc_gpu_load(&binary, launch->kernel->entry, &running->kernel, &loaded);
    smc_binary_free(&binary);
    if (status != SMC_OK)
        return status;
    if (*ready)
        status = smc_gpu_configure(&running->kernel, &settings, &opt_in, error);
    else
        note(launch, "loading", loaded.message);
    if (opt_in.made && !opt_in.succeeded) {
        *ready = false;
        note(launch, "shared memory", opt_in.message);
    }
    return status;
}

static enum smc_status fill(struct running *running, struct smc_error *error)
{
    const struct bench_launch *launch = running->launch;
    const struct bench_measurement *measurement = running->measurement;
    struct smc_gpu_buffers *buffers = &running->buffers;
    enum smc_status status =
        smc_gpu_buffers_create(&running->plan, measurement->seed, buffers, error);
    for (size_t i = 0; measurement->fill && i < buffers->count && status == SMC_OK; i++) {
        if (!measurement->fill(launch->kernel, &launch->params, i, measurement->seed,
                               buffers->host[i]))
            continue;
        cudaError_t code = cudaMemcpy(buffers->device[i], buffers->host[i], buffers->bytes[i],
                                      cudaMemcpyHostToDevice);
        if (code != cudaSuccess)
            status = smc_gpu_fail(error, code, "filling a buffer");
    }
    return status;
}

static enum smc_status check(struct running *running, struct smc_error *error)
{
    struct bench_launch *launch = running->launch;
    struct smc_comparison result = {0};
    const void *host[SMC_MAX_BUFFERS];
    memcpy(host, running->buffers.host, sizeof host);
    enum smc_status status =
        smc_gpu_buffers_fetch_outputs(&running->plan, &running->buffers, error);
    if (status != SMC_OK)
        return status;
    const struct smc_verify_request request = {
        .kernel = launch->kernel,
        .params = &launch->params,
        .plan = &running->plan,
        .buffers = host,
        .budget_ms = CHECK_MS,
    };
    smc_verify(&request, &result);
    if (result.wrong > 0)
        note(launch, "WRONG", "the result differs from the reference");
    return SMC_OK;
}

/* The first launch, which also loads the code. */
static enum smc_status warm_up(struct running *running, struct smc_error *error)
{
    cudaError_t code =
        smc_gpu_launch(&running->kernel, &running->plan, (uint32_t)running->plan.dynamic_smem_bytes,
                       &running->buffers);
    if (code != cudaSuccess) {
        note(running->launch, "launch", cudaGetErrorString(code));
        return SMC_OK;
    }
    code = smc_gpu_wait(running->measurement->timeout_ms, NULL,
                        "the first launch: ", &running->result->finish);
    if (code != cudaSuccess)
        return smc_fail(error, SMC_MACHINE, "%s: %s", running->launch->kernel->name,
                        running->result->finish.message);
    return running->measurement->checks ? check(running, error) : SMC_OK;
}

static enum smc_status measure(struct running *running, struct smc_error *error)
{
    struct smc_run_result *result = running->result;
    struct bench_launch *launch = running->launch;
    struct smc_gpu_planned planned = {&running->kernel, &running->plan,
                                      (uint32_t)running->plan.dynamic_smem_bytes, &running->buffers,
                                      NULL};
    const struct smc_gpu_work work = smc_gpu_planned_work(&planned);
    enum smc_status status = smc_gpu_time(&work, 0, running->measurement->timeout_ms,
                                          running->measurement->budget_ms, result, error);
    if (status != SMC_OK || smc_is_lost(&result->finish))
        return status != SMC_OK ? status
                                : smc_fail(error, SMC_MACHINE, "%s: %s", launch->kernel->name,
                                           result->finish.message);
    launch->median_ms = result->median_ms;
    launch->fastest_ms = result->fastest_ms;
    launch->slowest_ms = result->slowest_ms;
    launch->launches = result->timed_launches;
    launch->sm_clock_khz = result->sm_clock_khz;
    return SMC_OK;
}

enum smc_status bench_measure(const struct bench_measurement *measurement,
                              const struct smc_device *device, struct bench_launch *launch,
                              struct smc_error *error)
{
    struct smc_run_result *result = calloc(1, sizeof *result);
    struct running running = {.measurement = measurement, .launch = launch, .result = result};
    bool ready = false;
    if (!result)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    launch->kernel->plan(launch->kernel, &launch->params, &running.plan);
    enum smc_status status = load(&running, device, &ready, error);
    if (status == SMC_OK && ready)
        status = fill(&running, error);
    if (status == SMC_OK && ready)
        status = warm_up(&running, error);
    if (status == SMC_OK && ready && !launch->note[0])
        status = measure(&running, error);
    if (!smc_is_lost(&result->finish)) {
        smc_gpu_buffers_free(&running.buffers);
        smc_gpu_unload(&running.kernel);
    }
    free(result);
    return status;
}
