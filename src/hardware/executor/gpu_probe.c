/* The residency probe with the registers of another kernel. The compiler decides how many registers
   a number of live values needs: nearly one each, plus a few. The search first steps by the
   observed difference, which usually hits the target at once, and bisects only if that fails. Every
   compilation is cached. */
#include <stdio.h>
#include <string.h>

#include "base/numbers.h"
#include "code/compile.h"
#include "hardware/executor/gpu.h"
#include "rules/catalog.h"

/* --- The probe with the registers of another kernel ------------------------------------------- */

enum {
    FIRST_GUESS_OVERHEAD = 10, /* registers that the probe uses in addition to its live values */
    DIRECT_STEPS = 3,
};

static int64_t gpu_probe_clamp(int64_t live)
{
    const struct smc_param_info *info = &smc_param_info[SMC_PARAM_LIVE];
    return live < info->lowest ? info->lowest : live > info->highest ? info->highest : live;
}

/* Compiles with `live` values, and replaces the current result of the search. */
static enum smc_status try_live(const struct smc_live_search *search, int64_t live)
{
    smc_binary_free(&search->compiled->binary);
    search->params->value[SMC_PARAM_LIVE] = live;
    return smc_compile(
        &(struct smc_compile_request){search->probe, search->params, search->cc, search->options},
        &search->compiled->resources, &search->compiled->binary, search->warnings, search->error);
}

static enum smc_status step_directly(const struct smc_live_search *search, int64_t wanted)
{
    int64_t live = gpu_probe_clamp(wanted - FIRST_GUESS_OVERHEAD);
    for (int i = 0; i < DIRECT_STEPS; i++) {
        enum smc_status status = try_live(search, live);
        int64_t difference = wanted - search->compiled->resources.regs_per_thread;
        int64_t next = gpu_probe_clamp(live + difference);
        if (status != SMC_OK || difference == 0 || next == live)
            return status;
        live = next;
    }
    return SMC_OK;
}

/* No number of live values gives a closer count. */
static bool is_out_of_reach(const struct smc_live_search *search, int64_t wanted)
{
    const struct smc_param_info *info = &smc_param_info[SMC_PARAM_LIVE];
    int64_t live = search->params->value[SMC_PARAM_LIVE];
    int64_t regs = search->compiled->resources.regs_per_thread;
    return (live == info->lowest && regs > wanted) || (live == info->highest && regs < wanted);
}

/* Finds the fewest live values with at least `wanted` registers. */
static enum smc_status bisect(const struct smc_live_search *search, int64_t wanted)
{
    int64_t low = smc_param_info[SMC_PARAM_LIVE].lowest;
    int64_t high = smc_param_info[SMC_PARAM_LIVE].highest;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        SMC_TRY(try_live(search, middle));
        if (search->compiled->resources.regs_per_thread >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return try_live(search, low);
}

enum smc_status smc_live_find(const struct smc_live_search *search, uint32_t regs_per_thread)
{
    const struct smc_compiled *compiled = search->compiled;
    enum smc_status status = step_directly(search, regs_per_thread);
    bool found = status == SMC_OK && compiled->resources.regs_per_thread == regs_per_thread;
    if (status == SMC_OK && !found && !is_out_of_reach(search, regs_per_thread))
        status = bisect(search, regs_per_thread);
    if (status != SMC_OK)
        smc_binary_free(&search->compiled->binary);
    return status;
}

/* --- Launching it ----------------------------------------------------------------------------- */

enum {
    SM_NUMBERS = 4096, /* above any %nsmid */
    HOLD_WORDS = 3,
    LAUNCHES = 2,      /* uses the larger count, because another process may delay a block */
    QUIET_NS = 300000, /* blocks of one launch start within microseconds of each other */
    MAX_STAY_MS = 500, /* less than the watchdog of a GPU that also drives a display */
    MORE_THAN_FIT = 4,
};

enum { ALIVE, PEAK, HOLD, BUFFERS };

static const size_t buffer_bytes[BUFFERS] = {
    [ALIVE] = SM_NUMBERS * sizeof(uint32_t),
    [PEAK] = SM_NUMBERS * sizeof(uint32_t),
    [HOLD] = HOLD_WORDS * sizeof(uint32_t),
};

static cudaError_t gpu_probe_allocate(struct smc_gpu_buffers *buffers)
{
    cudaError_t code = cudaSuccess;
    buffers->count = BUFFERS;
    for (int i = 0; i < BUFFERS && code == cudaSuccess; i++)
        code = cudaMalloc(&buffers->device[i], buffer_bytes[i]);
    return code;
}

static cudaError_t set_to_zero(const struct smc_gpu_buffers *buffers)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < BUFFERS && code == cudaSuccess; i++)
        code = cudaMemset(buffers->device[i], 0, buffer_bytes[i]);
    return code;
}

/* More blocks than can be resident, even if the GPU holds twice as many as predicted. */
static void plan_launch(const struct smc_device *device, const struct smc_gpu_probe *probe,
                        struct smc_plan *plan)
{
    double stay_ms = probe->budget_ms / LAUNCHES;
    stay_ms = stay_ms < MAX_STAY_MS ? stay_ms : MAX_STAY_MS;
    uint32_t blocks = device->sm_count * (2 * probe->expected_blocks + MORE_THAN_FIT);
    if (probe->launch.blocks_per_cluster > 1)
        blocks = (uint32_t)divide_up(blocks, probe->launch.blocks_per_cluster) *
                 probe->launch.blocks_per_cluster;
    *plan = (struct smc_plan){
        .block = {probe->launch.threads_per_block, 1, 1},
        .grid = {blocks, 1, 1},
        .argument_count = 5,
        .argument = {{SMC_ARGUMENT_BUFFER, ALIVE},
                     {SMC_ARGUMENT_BUFFER, PEAK},
                     {SMC_ARGUMENT_BUFFER, HOLD},
                     {SMC_ARGUMENT_INT32, QUIET_NS},
                     {SMC_ARGUMENT_INT32, (int64_t)(stay_ms * 1e6)}},
    };
}

static void read_peaks(const uint32_t *peak, struct smc_run_result *result)
{
    uint32_t most = 0, sms = 0, all = 0;
    for (int i = 0; i < SM_NUMBERS; i++) {
        all += peak[i];
        if (peak[i] > most) {
            most = peak[i];
            sms = 0;
        }
        sms += peak[i] == most;
    }
    if (all > result->probe_resident_blocks)
        result->probe_resident_blocks = all;
    if (most > result->probe_blocks_per_sm) {
        result->probe_blocks_per_sm = most;
        result->probe_sms = sms;
    }
}

/* A refusal is noted in the result and is not an error. */
static cudaError_t launch_once(const struct smc_gpu_kernel *kernel, const struct smc_plan *plan,
                               uint32_t smem_bytes, uint32_t timeout_ms,
                               struct smc_gpu_buffers *buffers, struct smc_run_result *result)
{
    uint32_t peak[SM_NUMBERS];
    cudaError_t code = set_to_zero(buffers);
    if (code != cudaSuccess ||
        !smc_gpu_attempt(&result->probe, smc_gpu_launch(kernel, plan, smem_bytes, buffers)))
        return code;
    code = smc_gpu_wait(timeout_ms, NULL, "the residency probe: ", &result->finish);
    if (code == cudaSuccess)
        code = cudaMemcpy(peak, buffers->device[PEAK], sizeof peak, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        read_peaks(peak, result);
    return code;
}

static enum smc_status launch_probe(const struct smc_gpu_kernel *kernel,
                                    const struct smc_plan *plan, uint32_t smem_bytes,
                                    uint32_t timeout_ms, struct smc_run_result *result,
                                    struct smc_error *error)
{
    struct smc_gpu_buffers buffers = {0};
    cudaError_t code = gpu_probe_allocate(&buffers);
    for (int i = 0; i < LAUNCHES && code == cudaSuccess && result->probe.succeeded; i++)
        code = launch_once(kernel, plan, smem_bytes, timeout_ms, &buffers, result);
    if (!smc_is_lost(&result->finish))
        smc_gpu_buffers_free(&buffers);
    if (code == cudaErrorNotReady) {
        result->probe = result->finish;
        return SMC_OK;
    }
    return code == cudaSuccess ? SMC_OK : smc_gpu_fail(error, code, "the residency probe");
}

enum smc_status smc_gpu_probe_loaded(const struct smc_device *device,
                                     const struct smc_gpu_probe *probe,
                                     const struct smc_gpu_kernel *kernel,
                                     struct smc_run_result *result, struct smc_error *error)
{
    struct smc_launch launch = probe->launch;
    struct smc_gpu_kernel launched = *kernel;
    struct smc_attempt opt_in = {0};
    struct smc_plan plan;
    if (launch.blocks_per_cluster > 1)
        memcpy(launched.cluster, (const uint32_t[3]){launch.blocks_per_cluster, 1, 1},
               sizeof launched.cluster);
    launch.dynamic_smem_bytes += launch.static_smem_bytes;
    launch.static_smem_bytes = 0;
    SMC_TRY(smc_gpu_configure(kernel, &launch, &opt_in, error));
    if (opt_in.made && !opt_in.succeeded) {
        result->probe = opt_in;
        return SMC_OK;
    }
    plan_launch(device, probe, &plan);
    return launch_probe(&launched, &plan, launch.dynamic_smem_bytes, probe->timeout_ms, result,
                        error);
}

/* Registers are allocated in units and often are not the limit. A probe with another register count
   is equivalent if the model predicts the same number of blocks for it. */
static bool is_equivalent(const struct smc_device *device, const struct smc_gpu_probe *probe,
                          uint32_t regs_per_thread)
{
    struct smc_launch launch = probe->launch;
    struct smc_occupancy wanted, had;
    launch.regs_per_thread = probe->regs_per_thread;
    smc_occupancy_compute(&device->sm, &launch, &wanted);
    launch.regs_per_thread = regs_per_thread;
    smc_occupancy_compute(&device->sm, &launch, &had);
    return wanted.blocks_per_sm == had.blocks_per_sm;
}

static void gpu_probe_describe(const struct smc_device *device, const struct smc_gpu_probe *probe,
                               struct smc_run_result *result)
{
    struct smc_attempt *attempt = &result->probe;
    smc_auto_text text = {0};
    if (!attempt->succeeded)
        return;
    smc_text_printf(&text, "resident on %u of %u SMs", result->probe_sms, device->sm_count);
    if (result->probe_regs_per_thread != probe->regs_per_thread)
        smc_text_printf(&text, ", by a probe of %u registers", result->probe_regs_per_thread);
    snprintf(attempt->message, sizeof attempt->message, "%s", smc_text_string(&text));
}

enum smc_status smc_gpu_probe(const struct smc_device *device, const struct smc_gpu_probe *probe,
                              const struct smc_compile_options *options,
                              struct smc_run_result *result, struct smc_text *warnings,
                              struct smc_error *error)
{
    const struct smc_kernel *residency = smc_kernel_find("residency");
    struct smc_params params;
    struct smc_compiled compiled = {0};
    const struct smc_live_search search = {residency, device->sm.cc, options, &params,
                                           &compiled, warnings,      error};
    struct smc_gpu_kernel kernel = {0};
    if (!residency || probe->budget_ms < 1) {
        smc_not_made(&result->probe,
                     residency ? "no time was left for it" : "the catalog has no residency probe");
        return SMC_OK;
    }
    smc_params_init(residency, &params);
    params.value[SMC_PARAM_BLOCK] = probe->launch.threads_per_block;
    enum smc_status status = residency->complete(residency, &params, error);
    if (status == SMC_OK)
        status = smc_live_find(&search, probe->regs_per_thread);
    if (status != SMC_OK)
        return status;
    result->probe_regs_per_thread = compiled.resources.regs_per_thread;
    if (!is_equivalent(device, probe, compiled.resources.regs_per_thread))
        smc_not_made(&result->probe, "no probe with the same registers can be compiled");
    else if (smc_gpu_load(&compiled.binary, residency->entry, &kernel, &result->probe))
        status = smc_gpu_probe_loaded(device, probe, &kernel, result, error);
    gpu_probe_describe(device, probe, result);
    if (!smc_is_lost(&result->finish))
        smc_gpu_unload(&kernel);
    smc_binary_free(&compiled.binary);
    return status;
}
