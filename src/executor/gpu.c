/* The GPU back end: the order in which a kernel is compiled, loaded, launched, checked and timed.

   Refusals are answers. Each step notes how it ended; a step that cannot follow is not made and
   says why. Only what is no answer (no memory, a kernel that crashed the context) ends the run. */
#include <stdio.h>

#include "compile/cache.h"
#include "executor/check.h"
#include "executor/clock.h"
#include "executor/gpu.h"
#include "executor/live.h"
#include "executor/request_compile.h"

struct run {
    const struct smc_run_request *request;
    struct smc_run_result *result;
    struct smc_text *warnings;
    struct smc_error *error;
    struct smc_device device;
    struct smc_binary binary;
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers;
};

void smc_gpu_versions(char driver_text[SMC_GPU_VERSION_CHARS],
                      char runtime_text[SMC_GPU_VERSION_CHARS])
{
    int driver = 0, runtime = 0;
    if (cudaDriverGetVersion(&driver) != cudaSuccess)
        cudaGetLastError();
    if (cudaRuntimeGetVersion(&runtime) != cudaSuccess)
        cudaGetLastError();
    snprintf(driver_text, SMC_GPU_VERSION_CHARS, "%d.%d", driver / 1000, driver % 1000 / 10);
    snprintf(runtime_text, SMC_GPU_VERSION_CHARS, "%d.%d", runtime / 1000, runtime % 1000 / 10);
}

static void make_nothing(struct smc_run_result *result, const char *why)
{
    struct smc_attempt *const steps[] = {&result->load,         &result->opt_in, &result->launch,
                                         &result->probe,        &result->check,  &result->timing,
                                         &result->api_occupancy};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!steps[i]->made)
            smc_not_made(steps[i], why);
}

/* The residency probe takes the registers that the prediction was given. */
static enum smc_status compile(struct run *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_resources *compiled = &run->result->compiled;
    uint32_t regs_per_thread = request->launch.regs_per_thread;
    enum smc_status status =
        smc_request_compile(request, run->result, &run->binary, run->warnings, run->error);
    if (status != SMC_OK || !request->kernel->is_probe || compiled->refused ||
        compiled->regs_per_thread == regs_per_thread)
        return status;
    struct smc_params params = request->params;
    smc_binary_free(&run->binary);
    return smc_live_find(request->kernel, regs_per_thread, request->cc, &request->compile, &params,
                         compiled, &run->binary, run->warnings, run->error);
}

static void load(struct run *run)
{
    struct smc_run_result *result = run->result;
    if (!smc_gpu_load(&run->binary, run->request->kernel->entry, &run->kernel, &result->load))
        return;
    const struct cudaFuncAttributes *attributes = &run->kernel.attributes;
    result->api_regs_per_thread = (uint32_t)attributes->numRegs;
    result->api_static_smem_bytes = (uint32_t)attributes->sharedSizeBytes;
    result->api_max_threads_per_block = (uint32_t)attributes->maxThreadsPerBlock;
}

/* The settings of every launch that follows, and what the API makes of them. */
static enum smc_status configure(struct run *run)
{
    const struct smc_launch *launch = &run->request->launch;
    struct smc_run_result *result = run->result;
    smc_gpu_reserved_smem(run->request->gpu_index, &result->api_reserved_smem,
                          &result->api_reserved_smem_bytes);
    enum smc_status status = smc_gpu_configure(&run->kernel, launch, &result->opt_in, run->error);
    if (status != SMC_OK)
        return status;
    smc_gpu_occupancy(&run->kernel, launch, &result->api_occupancy, &result->api_blocks_per_sm);
    smc_gpu_available_smem(&run->kernel, launch, result);
    return SMC_OK;
}

/* A launch that was refused leaves the GPU as it was. */
static enum smc_status check_after_refusal(struct run *run)
{
    enum smc_status status = smc_gpu_check_context(run->error);
    run->result->worked_on = status == SMC_OK;
    return status;
}

/* The first launch: its outputs are poisoned before and checked after. */
static enum smc_status launch(struct run *run)
{
    const struct smc_run_request *request = run->request;
    struct smc_run_result *result = run->result;
    enum smc_status status =
        smc_gpu_buffers_create(&request->plan, request->seed, &run->buffers, run->error);
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < run->buffers.count; i++)
        result->device_memory_bytes += run->buffers.bytes[i];
    cudaError_t code = smc_gpu_launch(&run->kernel, &request->plan,
                                      request->launch.dynamic_smem_bytes, &run->buffers);
    if (!smc_gpu_attempt(&result->launch, code))
        return check_after_refusal(run);
    code = smc_gpu_wait(request->timeout_ms, NULL, "", &result->finish);
    if (code == cudaSuccess || code == cudaErrorNotReady)
        return SMC_OK;
    return smc_gpu_fail(run->error, code, "the kernel crashed");
}

static enum smc_status check(struct run *run)
{
    enum smc_status status =
        smc_gpu_buffers_fetch_outputs(&run->request->plan, &run->buffers, run->error);
    if (status == SMC_OK)
        smc_check_outputs(run->request, (const void *const *)run->buffers.host, NULL, run->result);
    return status;
}

static enum smc_status measure_residency(struct run *run, double budget_ms)
{
    struct smc_occupancy expected;
    struct smc_gpu_probe probe = {
        .regs_per_thread = run->request->launch.regs_per_thread,
        .launch = run->request->launch,
        .budget_ms = budget_ms,
        .timeout_ms = run->request->timeout_ms,
    };
    smc_occupancy_compute(&run->device.sm, &probe.launch, &expected);
    probe.expected_blocks = expected.blocks_per_sm;
    return smc_gpu_probe(&run->device, &probe, &run->request->compile, run->result, run->warnings,
                         run->error);
}

static enum smc_status measure(struct run *run)
{
    const struct smc_run_request *request = run->request;
    double start_ms = smc_clock_ms();
    enum smc_status status = measure_residency(run, request->timeout_ms / 2.0);
    double left_ms = request->timeout_ms - (smc_clock_ms() - start_ms);
    if (status != SMC_OK || smc_is_lost(&run->result->finish))
        return status;
    if (request->kernel->is_racy) {
        smc_not_made(&run->result->timing, "a kernel with a race is never timed");
        return SMC_OK;
    }
    return smc_gpu_time(&run->kernel, &request->plan, request->launch.dynamic_smem_bytes,
                        &run->buffers, request->gpu_index, request->timeout_ms, left_ms,
                        run->result, run->error);
}

/* The residency probe itself: its launch is the measurement. One without an end was launched. */
static enum smc_status run_probe(struct run *run)
{
    struct smc_run_result *result = run->result;
    enum smc_status status = measure_residency(run, run->request->timeout_ms);
    bool lost = smc_is_lost(&result->finish);
    result->launch = lost ? (struct smc_attempt){.made = true, .succeeded = true} : result->probe;
    make_nothing(result, "the residency probe computes nothing");
    if (status == SMC_OK && result->launch.made && !result->launch.succeeded)
        status = check_after_refusal(run);
    return status;
}

static enum smc_status run_kernel(struct run *run)
{
    struct smc_run_result *result = run->result;
    enum smc_status status = launch(run);
    if (status != SMC_OK || !result->launch.succeeded) {
        make_nothing(result, "the launch was refused");
        return status;
    }
    if (!smc_is_lost(&result->finish))
        status = check(run);
    if (status == SMC_OK && !smc_is_lost(&result->finish))
        status = measure(run);
    if (status == SMC_OK && !smc_is_lost(&result->finish))
        status = smc_gpu_count(&run->kernel, run->request, &run->device, &run->buffers, result,
                               run->error);
    if (smc_is_lost(&result->finish))
        make_nothing(result, result->finish.message);
    return status;
}

static enum smc_status run_steps(struct run *run)
{
    struct smc_run_result *result = run->result;
    enum smc_status status = compile(run);
    if (status != SMC_OK)
        return status;
    if (!result->compile.succeeded) {
        make_nothing(result, "the kernel did not compile");
        return SMC_OK;
    }
    load(run);
    if (!result->load.succeeded) {
        make_nothing(result, "the driver did not take the machine code");
        return SMC_OK;
    }
    status = configure(run);
    if (status != SMC_OK)
        return status;
    return run->request->kernel->is_probe ? run_probe(run) : run_kernel(run);
}

static enum smc_status run(const struct smc_run_request *request, struct smc_run_result *result,
                           struct smc_text *warnings, struct smc_error *error)
{
    *result = (struct smc_run_result){0};
    struct run state = {.request = request, .result = result, .warnings = warnings, .error = error};
    enum smc_status status = smc_gpu_device(request->gpu_index, &state.device, error);
    if (status != SMC_OK)
        return status;
    if (smc_gpu_is_slice(&state.device))
        smc_warn(warnings,
                 "GPU %d is a slice of a GPU (MIG): its SMs, its memory and its speed are the "
                 "slice's, and counters may be out of reach",
                 request->gpu_index);
    smc_gpu_uuid(request->gpu_index, result->gpu_uuid);
    status = smc_gpu_use(request->gpu_index, error);
    if (status != SMC_OK)
        return status;
    smc_gpu_versions(result->driver, result->runtime);
    status = run_steps(&state);
    if (smc_is_lost(&result->finish)) {
        smc_gpu_buffers_leave(&state.buffers);
    } else {
        smc_gpu_buffers_free(&state.buffers);
        smc_gpu_unload(&state.kernel);
    }
    smc_binary_free(&state.binary);
    return status;
}

const struct smc_executor smc_executor_gpu = {
    .name = "gpu",
    .device_count = smc_gpu_device_count,
    .device = smc_gpu_device,
    .run = run,
    .run_own = smc_gpu_run_own,
};
