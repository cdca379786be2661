/* The GPU back end's order of steps and its handling of every failure, on a fake CUDA runtime and
   with the real compiler. The clock is the fake GPU's, so that time limits act on a slow machine as
   on a fast one. Without NVRTC: exit status 77. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "answers/query.h"
#include "fake_cuda.h"
#include "hardware/confirm/confirm.h"
#include "hardware/executor/gpu.h"
#include "hardware/measured_ceilings.h"
#include "tests/temporary.h"

enum { SKIPPED = 77 };

double __wrap_smc_clock_ms(void);

/* Each look at it takes 10 us; 10 ms while the queue is full. */
double __wrap_smc_clock_ms(void)
{
    static _Atomic uint64_t looked_us;
    looked_us += fake_cuda.queue_is_full ? 10000 : 10;
    return (double)(fake_cuda_busy_us + looked_us) / 1e3;
}

static bool counts;               /* whether launches are counted */
static uint32_t asked_cluster[3]; /* of launches; {0}: none */

struct outcome {
    enum smc_status status;
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_error error;
};

/* Runs stencil-dynamic, or the probe. The fake's kernels have the registers that NVRTC found; its
   counters, if there are any, have the model's values plus fake_cuda.counted. */
static void run_kernel_with(const struct smc_executor *executor, const char *name, int64_t radius,
                            uint32_t timeout_ms, struct outcome *out)
{
    struct smc_query query;
    struct smc_compiled compiled;
    *out = (struct outcome){0};
    smc_query_init(&query);
    query.kernel = smc_kernel_find(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(query.kernel);
    smc_params_init(query.kernel, &query.params);
    query.params.value[SMC_PARAM_RADIUS] = radius;
    query.params.value[SMC_PARAM_LENGTH] = 2 * radius + 2000;
    if (!query.kernel->is_probe)
        query.params.given = 1u << SMC_PARAM_RADIUS | 1u << SMC_PARAM_LENGTH;
    query.settings.blocks_per_cluster = asked_cluster[0] * asked_cluster[1] * asked_cluster[2];
    memcpy(query.settings.cluster, asked_cluster, sizeof query.settings.cluster);
    CU_ASSERT_EQUAL_FATAL(smc_gpu_device(0, &query.device, &out->error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(
        smc_run_answer(&query, SMC_ON_GPU, &out->answer, &compiled, NULL, &out->error), SMC_OK);
    fake_cuda.regs_per_thread = (int)out->answer.launch.regs_per_thread;
    double expected[SMC_METRIC_COUNT];
    smc_counted_expect(&out->answer, expected);
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        fake_cuda.counted[i] += expected[i];
    const struct smc_run_settings settings = {.timeout_ms = timeout_ms, .no_counters = !counts};
    const struct smc_run_request request = {
        .answer = &out->answer, .compiled = &compiled, .settings = &settings};
    out->status = executor->run(&request, &out->result, NULL, &out->error);
    smc_binary_free(&compiled.binary);
    if (out->status == SMC_OK)
        smc_confirm(&out->answer, &out->result, &out->confirmation);
    if (smc_is_lost(&out->result.finish))
        return; /* the rest is freed when the process ends */
    CU_ASSERT_EQUAL(fake_cuda.allocations, 0);
    CU_ASSERT_EQUAL(fake_cuda.libraries, 0);
    CU_ASSERT_EQUAL(fake_cuda.events, 0);
    CU_ASSERT_EQUAL(fake_cuda.counters_open, 0);
}

static void run_kernel(const char *name, int64_t radius, uint32_t timeout_ms, struct outcome *out)
{
    run_kernel_with(&smc_executor_gpu, name, radius, timeout_ms, out);
}

/* A device with less shared memory than its compute capability has fewer carve-outs. */
static void test_smaller_device(void)
{
    struct cudaDeviceProp properties;
    struct smc_device device;
    struct smc_error error = {""};
    fake_cuda_reset();
    cudaGetDeviceProperties(&properties, 0);
    properties.sharedMemPerMultiprocessor = 102400;
    properties.sharedMemPerBlockOptin = 101376;
    const struct smc_device_properties told = SMC_DEVICE_PROPERTIES(properties);
    CU_ASSERT_EQUAL(smc_device_of_properties(&told, &device, &error), SMC_OK);
    CU_ASSERT_EQUAL(device.sm.smem_carveout_count, 6);
    CU_ASSERT_EQUAL(device.sm.smem_carveout_bytes[5], 102400);
    CU_ASSERT_EQUAL(smc_sm_check(&device.sm, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
}

static void test_device(void)
{
    struct smc_device device;
    struct smc_error error = {""};
    fake_cuda_reset();
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(device.name, "NVIDIA H200");
    CU_ASSERT_STRING_EQUAL(device.chip, "GH100");
    CU_ASSERT_EQUAL(device.sm.smem_carveout_count, 10);
    CU_ASSERT_EQUAL(smc_sm_check(&device.sm, &error), SMC_OK);
    CU_ASSERT_DOUBLE_EQUAL(device.memory_bytes_per_s, 4814.3e9, 1e8);
    CU_ASSERT_DOUBLE_EQUAL(device.fp32_peak_tflops, 66.9, 0.01);
    CU_ASSERT_EQUAL(smc_gpu_device(1, &device, &error), SMC_UNAVAILABLE);

    fake_cuda.major = 10;
    fake_cuda.minor = 9; /* never answered by the rules of 10.7 or 12.1 */
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message,
                                  "GPU 0 (NVIDIA H200): compute capability 10.9 is newer than this "
                                  "table; "));
    fake_cuda.major = 42; /* of a future family */
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "compute capability 42.9 is newer than"));
}

/* Attribute 150, if runtime and driver support it; otherwise the table's sizes are kept. */
static void test_oversized_smem(void)
{
    struct smc_device device;
    struct smc_error error = {""};
    fake_cuda_reset();
    fake_cuda.major = 10;
    fake_cuda.minor = 7;
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_OK);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_sm_bytes, 335872);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_block_bytes, 334848);
    CU_ASSERT_EQUAL(fake_cuda_last_error, cudaSuccess);

    fake_cuda.driver_version = fake_cuda.runtime_version = 13050;
    fake_cuda.oversized_smem_bytes = 300000;
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_OK);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_block_bytes, 300000);
    CU_ASSERT_EQUAL(smc_sm_check(&device.sm, &error), SMC_OK);
    fake_cuda.oversized_smem_bytes = 340000;
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_OK);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_sm_bytes, 340000 + 1024);
    fake_cuda.oversized_smem_bytes = 0;
    CU_ASSERT_EQUAL(smc_gpu_device(0, &device, &error), SMC_OK);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_sm_bytes, 0);
    CU_ASSERT_EQUAL(device.sm.smem_oversized_per_block_bytes, 0);
}

/* The mode is set if runtime and driver support it, instead of the opt-in; otherwise the run is
   refused, and the message names the release that it needs. */
static void test_smem_mode(void)
{
    struct smc_gpu_kernel kernel = {0};
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_attempt opt_in = {0};
    struct smc_error error = {""};
    fake_cuda_reset();
    CU_ASSERT_EQUAL_FATAL(cudaMalloc((void **)&kernel.handle, fake_cuda_kernel_bytes()),
                          cudaSuccess);
    launch.dynamic_smem_bytes = 300000;
    launch.smem_mode = SMC_SMEM_MODE_OVERSIZED;
    CU_ASSERT_EQUAL(smc_gpu_configure(&kernel, &launch, &opt_in, &error), SMC_UNAVAILABLE);
    CU_ASSERT_STRING_EQUAL(
        error.message,
        "option --smem-mode: 'oversized' needs the runtime and a driver of CUDA 13.5 "
        "(cudaFuncAttributeSharedMemoryMode); the runtime in this program is of CUDA "
        "13.0, the driver of 12.4");
    CU_ASSERT_EQUAL(fake_cuda.smem_mode, -1);

    fake_cuda.driver_version = fake_cuda.runtime_version = 13050;
    CU_ASSERT_EQUAL(smc_gpu_configure(&kernel, &launch, &opt_in, &error), SMC_OK);
    CU_ASSERT(opt_in.made && opt_in.succeeded);
    CU_ASSERT_EQUAL(fake_cuda.smem_mode, 3); /* cudaSharedMemoryModeAllowOversizedSharedMemory */
    launch.smem_mode = SMC_SMEM_MODE_DEFAULT;
    fake_cuda.smem_mode = -1;
    CU_ASSERT_EQUAL(smc_gpu_configure(&kernel, &launch, &opt_in, &error), SMC_OK);
    CU_ASSERT_EQUAL(fake_cuda.smem_mode, -1);
    CU_ASSERT(!opt_in.succeeded); /* above the opt-in limit */
    cudaFree(kernel.handle);
}

static void test_reasons(void)
{
    struct smc_error why = {""};
    fake_cuda_reset();
    fake_cuda.device_count = 0;
    CU_ASSERT_EQUAL(smc_gpu_device_count(&why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "finds none"));
    fake_cuda.device_count_error = cudaErrorNoDevice;
    CU_ASSERT_EQUAL(smc_gpu_device_count(&why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "finds none"));
    fake_cuda.device_count_error = cudaErrorInsufficientDriver;
    CU_ASSERT_EQUAL(smc_gpu_device_count(&why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "the NVIDIA driver is for CUDA 12.4"));
    fake_cuda.driver_version = 0;
    CU_ASSERT_EQUAL(smc_gpu_device_count(&why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "there is no NVIDIA driver here"));
    fake_cuda.device_count_error = cudaErrorUnknown;
    CU_ASSERT_EQUAL(smc_gpu_device_count(&why), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(why.message, "cudaErrorOther"));
    CU_ASSERT_EQUAL(fake_cuda_last_error, cudaSuccess);
}

static void test_all_well(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel("stencil-dynamic", 5, 1000, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT_EQUAL(out.confirmation.not_measured, 0);
    CU_ASSERT_EQUAL(out.result.comparison.checked, out.answer.plan.buffer[1].elements);
    CU_ASSERT_EQUAL(out.result.probe_blocks_per_sm, 8);
    CU_ASSERT_EQUAL(out.result.probe_sms, 131);
    CU_ASSERT_EQUAL(fake_cuda.probe_launches, 2);
    CU_ASSERT(out.result.timed_launches >= 10 && out.result.timed_launches <= 200);
    CU_ASSERT_EQUAL(out.result.median_ms, 2);
    CU_ASSERT_STRING_EQUAL(out.result.runtime, "13.0");
    CU_ASSERT_EQUAL(fake_cuda.carveout_percent, SMC_CARVEOUT_DEFAULT);
}

static void test_opt_in(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.api_blocks_per_sm = 2;
    fake_cuda.resident_blocks = 2;
    run_kernel("stencil-dynamic", 12000, 10, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.opt_in.made && out.result.opt_in.succeeded);
    CU_ASSERT_EQUAL(fake_cuda.last_dynamic_smem_bytes, (256 + 24000) * 4);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);

    fake_cuda_reset();
    run_kernel("stencil-dynamic", 40000, 1000, &out); /* above the opt-in limit, as predicted */
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.answer.outcome, SMC_CANNOT_LAUNCH);
    CU_ASSERT(out.result.opt_in.made && !out.result.opt_in.succeeded);
    CU_ASSERT(out.result.launch.made && !out.result.launch.succeeded);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.result.launch.message, "cudaErrorInvalidValue"));
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT_EQUAL(fake_cuda_last_error, cudaSuccess);
    CU_ASSERT_EQUAL(fake_cuda.launches, 1);
}

static void test_wrong_result(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.wrong_result = true;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.result.comparison.wrong, 1);
    CU_ASSERT_EQUAL(out.confirmation.differing, 1);
}

static void test_fewer_blocks_than_predicted(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.resident_blocks = 7;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.confirmation.differing, 3); /* blocks, warps, occupancy */
}

static void test_beside_the_emulator(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel_with(&smc_executor_both, "stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT(out.result.emulation.made && out.result.timing.succeeded);
    CU_ASSERT_EQUAL(out.result.emulated_comparison.checked, out.result.comparison.checked);
    CU_ASSERT(out.result.agreement.compared && out.result.agreement.differing == 0);
    CU_ASSERT_EQUAL(out.result.agreement.elements, out.answer.plan.buffer[1].elements);

    fake_cuda_reset();
    fake_cuda.wrong_result = true;
    run_kernel_with(&smc_executor_both, "stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL(out.result.agreement.differing, 1);
    CU_ASSERT_EQUAL(out.result.agreement.first, 1000);
    CU_ASSERT_EQUAL(out.result.emulated_comparison.wrong, 0);
    CU_ASSERT_EQUAL(out.confirmation.differing, 2); /* the result, and the agreement */

    fake_cuda_reset();
    fake_cuda.crash = cudaErrorIllegalAddress;
    run_kernel_with(&smc_executor_both, "stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL(out.status, SMC_MACHINE);
}

static void test_refusals(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel("stencil-static", 20000, 100, &out); /* by ptxas */
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.compile.made && !out.result.compile.succeeded);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT_EQUAL(fake_cuda.launches, 0);

    fake_cuda_reset();
    fake_cuda.load_error = cudaErrorNoKernelImageForDevice;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.load.made && !out.result.load.succeeded);
    CU_ASSERT_EQUAL(out.confirmation.differing, 1);

    fake_cuda_reset();
    fake_cuda.launch_error = cudaErrorLaunchOutOfResources;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.confirmation.differing > 0);
    CU_ASSERT_EQUAL(fake_cuda.probe_launches, 0);
}

static void test_machine_failures(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.free_bytes = 1000;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL(out.status, SMC_MACHINE);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.error.message, "MB of GPU memory"));

    fake_cuda_reset();
    fake_cuda.crash = cudaErrorIllegalAddress;
    run_kernel("stencil-dynamic", 5, 100, &out);
    CU_ASSERT_EQUAL(out.status, SMC_MACHINE);
}

/* An endless kernel: the step that waited for it reports it, and later steps are not done. The fake
   aborts on a call that would never return. */
static void test_no_end(void)
{
    static const char late[] = "not finished after 20 ms on the GPU (--timeout)";
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.endless_from = 1;
    run_kernel("stencil-dynamic", 5, 20, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.launch.succeeded && smc_is_lost(&out.result.finish));
    CU_ASSERT_STRING_EQUAL(out.result.finish.message, late);
    CU_ASSERT(!out.result.check.made && !out.result.probe.made && !out.result.timing.made);
    CU_ASSERT_STRING_EQUAL(out.result.check.message, late);
    CU_ASSERT_EQUAL(fake_cuda.launches, 1);
    CU_ASSERT(fake_cuda.allocations > 0 && fake_cuda.libraries == 1);

    fake_cuda_reset();
    fake_cuda.endless_from = 3; /* the probe's second launch */
    run_kernel("stencil-dynamic", 5, 20, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.check.succeeded && smc_is_lost(&out.result.finish));
    CU_ASSERT(out.result.probe.made && !out.result.probe.succeeded && !out.result.timing.made);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.result.timing.message, "the residency probe: not finished"));
    CU_ASSERT_EQUAL(fake_cuda.launches, 3);

    fake_cuda_reset();
    fake_cuda.endless_from = 7; /* one of the timed launches */
    run_kernel("stencil-dynamic", 5, 20, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.probe.succeeded && smc_is_lost(&out.result.finish));
    CU_ASSERT(!out.result.timing.made);
    CU_ASSERT_PTR_NOT_NULL(strstr(out.result.timing.message, "the timed launches: not finished"));

    fake_cuda_reset();
    fake_cuda.endless_from = 1;
    run_kernel_with(&smc_executor_both, "stencil-dynamic", 5, 20, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(smc_is_lost(&out.result.finish) && !out.result.emulation.made);

    fake_cuda_reset();
    fake_cuda.endless_from = 1;
    run_kernel("residency", 0, 20, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.launch.succeeded && smc_is_lost(&out.result.finish));
    fake_cuda_reset();
}

/* Timed launches wait at a gate that the host opens. While the queue is full the host cannot: the
   gate opens by itself. */
static void test_full_queue(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.queue_is_full = true;
    run_kernel("stencil-dynamic", 5, 1000000, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.timing.succeeded);
    fake_cuda_reset();
}

/* The time of an empty launch is a property of the machine: where it matters, it is measured as the
   launch was, and the prediction is made of that. */
static void test_empty_launch(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel("stencil-dynamic", 5, 1000, &out);
    CU_ASSERT_EQUAL(out.result.empty_launch_ms, 0); /* 2 ms are long enough */
    fake_cuda.is_quick = true;
    run_kernel("stencil-dynamic", 5, 1000, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_DOUBLE_EQUAL(out.result.median_ms, 0.02, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(out.result.empty_launch_ms, 0.004, 1e-6);
    struct smc_time *time = &out.answer.time;
    const double sm_ms = time->predicted_ms - time->empty_launch_ms;
    smc_run_set_empty_launch(&out.result, time);
    CU_ASSERT(time->empty_launch_measured);
    CU_ASSERT_DOUBLE_EQUAL(time->predicted_ms, sm_ms + 0.004, 1e-6);
    struct smc_time unknown = {.basis = SMC_TIME_UNKNOWN};
    smc_run_set_empty_launch(&out.result, &unknown);
    CU_ASSERT_EQUAL(unknown.predicted_ms, 0);
    fake_cuda_reset();
}

static void test_no_time(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel("stencil-dynamic", 5, 0, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(!out.result.probe.made);
    CU_ASSERT_EQUAL(out.result.timed_launches, 1);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
}

static void test_probe_alone(void)
{
    struct outcome out;
    fake_cuda_reset();
    fake_cuda.api_blocks_per_sm = 5;
    fake_cuda.resident_blocks = 5;
    run_kernel("residency", 0, 100, &out);
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT(out.result.launch.succeeded && out.result.probe.succeeded);
    CU_ASSERT_EQUAL(out.result.probe_regs_per_thread, out.answer.launch.regs_per_thread);
    CU_ASSERT_EQUAL(out.result.probe_blocks_per_sm, 5);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
}

/* By the real compiler: every count from 24 up is possible; below the probe's own, none. */
static void test_live(void)
{
    static const struct {
        uint32_t wanted, least, most;
    } cases[] = {{1, 10, 24},     {24, 24, 24},    {33, 33, 33},    {64, 64, 64},
                 {101, 101, 101}, {168, 168, 168}, {255, 255, 255}, {300, 255, 255}};
    const struct smc_kernel *probe = smc_kernel_find("residency");
    const struct smc_compile_options options = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_params params;
        struct smc_compiled found = {0};
        struct smc_error error = {""};
        smc_params_init(probe, &params);
        CU_ASSERT_EQUAL_FATAL(probe->complete(probe, &params, &error), SMC_OK);
        const struct smc_live_search search = {probe, 90, &options, &params, &found, NULL, &error};
        CU_ASSERT_EQUAL_FATAL(smc_live_find(&search, cases[i].wanted), SMC_OK);
        CU_ASSERT(found.resources.regs_per_thread >= cases[i].least);
        CU_ASSERT(found.resources.regs_per_thread <= cases[i].most);
        CU_ASSERT_PTR_NOT_NULL(found.binary.cubin);
        smc_binary_free(&found.binary);
    }
}

static void note(int signal_number)
{
    (void)signal_number;
}

/* NVRTC replaces the handler of SIGINT while it compiles; the handler for Ctrl-C must be back
   afterwards. */
static void test_signals(void)
{
    const struct smc_kernel *kernel = smc_kernel_find("reverse-static");
    const struct smc_compile_options options = {.no_cache = true};
    struct smc_params params;
    struct smc_resources found;
    struct smc_binary binary = {0};
    struct smc_error error = {""};
    smc_params_init(kernel, &params);
    CU_ASSERT_EQUAL_FATAL(kernel->complete(kernel, &params, &error), SMC_OK);
    struct sigaction seen, action = {.sa_handler = note};
    sigaction(SIGINT, &action, NULL);
    CU_ASSERT_EQUAL(smc_compile(&(struct smc_compile_request){kernel, &params, 90, &options},
                                &found, &binary, NULL, &error),
                    SMC_OK);
    action.sa_handler = SIG_DFL;
    sigaction(SIGINT, &action, &seen);
    CU_ASSERT(seen.sa_handler == note);
    smc_binary_free(&binary);
}

static enum smc_status calibrate(bool (*stop)(void), struct smc_calibration *calibration,
                                 struct smc_error *error)
{
    const struct smc_calibrate_request request = {
        .budget_ms = 1000, .timeout_ms = 10000, .stop = stop};
    enum smc_status status = smc_calibrate(&request, calibration, NULL, error);
    CU_ASSERT_EQUAL(fake_cuda.allocations, 0);
    CU_ASSERT_EQUAL(fake_cuda.libraries, 0);
    CU_ASSERT_EQUAL(fake_cuda.events, 0);
    return status;
}

static const struct smc_row *row_of(const struct outcome *outcome, const char *quantity)
{
    for (size_t i = 0; i < outcome->confirmation.row_count; i++)
        if (strcmp(outcome->confirmation.row[i].quantity, quantity) == 0)
            return &outcome->confirmation.row[i];
    return NULL;
}

/* The clusters that the model, the driver and the residency probe count; a launch of 9 blocks with
   clusters of 4 is refused. */
static void test_clusters(void)
{
    struct outcome outcome;
    fake_cuda_reset();
    memcpy(asked_cluster, (const uint32_t[3]){4, 1, 1}, sizeof asked_cluster);
    run_kernel("stencil-dynamic", 24, 60000, &outcome); /* 2,000 outputs, 8 blocks */
    const struct smc_row *row = row_of(&outcome, "resident_clusters");
    CU_ASSERT_EQUAL(outcome.status, SMC_OK);
    CU_ASSERT(outcome.result.launch.succeeded && fake_cuda.cluster_x == 4);
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL(row->predicted.value, 248); /* 8 blocks on each of 124 SMs, not of 132 */
    CU_ASSERT(row->api.present && row->api.value == 248);
    CU_ASSERT(row->measured.present && row->measured.value == 248);
    CU_ASSERT_EQUAL(row->verdict, SMC_CONFIRMED);

    fake_cuda_reset();
    fake_cuda.sm_groups = (struct smc_sm_groups){4, {33, 33, 33, 33}};
    run_kernel("stencil-dynamic", 24, 60000, &outcome);
    row = row_of(&outcome, "resident_clusters");
    CU_ASSERT_EQUAL(row->verdict, SMC_DIFFERS); /* other groups than the table's */

    fake_cuda_reset();
    memcpy(asked_cluster, (const uint32_t[3]){3, 1, 1}, sizeof asked_cluster);
    run_kernel("stencil-dynamic", 24, 60000, &outcome);
    CU_ASSERT_EQUAL(outcome.answer.outcome, SMC_CANNOT_LAUNCH);
    CU_ASSERT(outcome.result.launch.made && !outcome.result.launch.succeeded);
    CU_ASSERT_EQUAL(row_of(&outcome, "launches")->verdict, SMC_CONFIRMED);
    CU_ASSERT_PTR_NULL(row_of(&outcome, "resident_clusters"));
    memset(asked_cluster, 0, sizeof asked_cluster);
}

/* An array is an eighth of a GB; every timed call takes 2 ms, or 1.5 million clocks in 1 ms. */
static void test_ceilings(void)
{
    struct smc_calibration calibration;
    struct smc_error error = {""};
    fake_cuda_reset();
    fake_cuda.free_bytes = (size_t)1 << 29;
    CU_ASSERT_EQUAL_FATAL(calibrate(NULL, &calibration, &error), SMC_OK);
    const double *value = calibration.ceilings.value;
    CU_ASSERT_EQUAL(value[SMC_CEILING_COPY], 2 * (double)(1 << 27) / 2e-3);
    CU_ASSERT_EQUAL(value[SMC_CEILING_READ], (double)(1 << 27) / 2e-3);
    CU_ASSERT_EQUAL(value[SMC_CEILING_CLOCK], 1500000);
    CU_ASSERT_EQUAL(value[SMC_CEILING_LAUNCH], 2);
    CU_ASSERT_EQUAL(value[SMC_CEILING_EMPTY_LAUNCH], 2000);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_SHARED], 512 * 64 * 4096 / 1.5e6, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_L1_NS], 1e6 / 32768, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_DRAM_CLOCKS], 1.5e6 / 8192, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_ISSUE], 256 * 256 * 32 / 1.5e6, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_BARRIER], 1.5e6 / (256 * 16), 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_FP64_CLOCKS], 1.5e6 / (64 * 256), 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(value[SMC_CEILING_L1_HIT], 256 * 4 * 1024 * 16 / 1.5e6, 1e-9);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        CU_ASSERT(calibration.spread[i].samples >= 3 && value[i] > 0);
    CU_ASSERT_STRING_EQUAL(calibration.ceilings.device, "NVIDIA H200");
    CU_ASSERT_STRING_EQUAL(calibration.ceilings.gpu_uuid,
                           "GPU-001e2d3c-4b5a-6978-0716-253443526170");
}

/* Of a board whose groups are others than those of the table. */
static void test_groups(void)
{
    static const struct smc_sm_groups groups = {9, {18, 18, 18, 16, 16, 16, 14, 14, 2}};
    const struct smc_calibrate_request request = {.budget_ms = 100, .timeout_ms = 10000};
    struct smc_calibration calibration;
    struct smc_text warnings = {0};
    struct smc_error error = {""};
    fake_cuda_reset();
    fake_cuda.free_bytes = (size_t)1 << 29;
    fake_cuda.sm_groups = groups;
    CU_ASSERT_EQUAL_FATAL(smc_calibrate(&request, &calibration, &warnings, &error), SMC_OK);
    CU_ASSERT_EQUAL(calibration.ceilings.sm_groups.count, groups.count);
    CU_ASSERT_EQUAL(calibration.device.sm_groups.count, groups.count);
    for (uint32_t size = 2; size <= 16; size++)
        for (uint32_t blocks = 1; blocks <= 8; blocks++)
            CU_ASSERT_EQUAL(smc_resident_clusters(132, &calibration.device.sm_groups, size, blocks),
                            smc_resident_clusters(132, &groups, size, blocks));
    CU_ASSERT_EQUAL(warnings.length, 0);
    fake_cuda.clusters_are_odd = true;
    CU_ASSERT_EQUAL_FATAL(smc_calibrate(&request, &calibration, &warnings, &error), SMC_OK);
    CU_ASSERT_EQUAL(calibration.ceilings.sm_groups.count, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&warnings), "no groups of SMs were found"));
    CU_ASSERT_EQUAL(fake_cuda.libraries, 0);
    smc_text_free(&warnings);
}

static bool at_once(void)
{
    return true;
}

static void test_no_ceilings(void)
{
    struct smc_calibration calibration;
    struct smc_error error = {""};
    fake_cuda_reset();
    CU_ASSERT_EQUAL(calibrate(at_once, &calibration, &error), SMC_INTERRUPTED);
    fake_cuda.free_bytes = 100000000;
    CU_ASSERT_EQUAL(calibrate(NULL, &calibration, &error), SMC_UNAVAILABLE);
    CU_ASSERT_STRING_EQUAL(error.message, "100 MB of the GPU's memory are free; the measurements "
                                          "need 504 MB");
    fake_cuda_reset();
    fake_cuda.launch_error = cudaErrorInvalidConfiguration;
    CU_ASSERT_EQUAL(calibrate(NULL, &calibration, &error), SMC_MACHINE);
    fake_cuda_reset();
    fake_cuda.load_error = cudaErrorNoKernelImageForDevice;
    CU_ASSERT_EQUAL(calibrate(NULL, &calibration, &error), SMC_MACHINE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "reads of global memory: "));
    fake_cuda_reset();
    fake_cuda.device_count = 0;
    CU_ASSERT_EQUAL(calibrate(NULL, &calibration, &error), SMC_UNAVAILABLE);
}

/* The launches of one SM come last. */
static void check_endless_sm(void)
{
    const struct smc_calibrate_request request = {.budget_ms = 1e9, .timeout_ms = 20};
    struct smc_calibration calibration;
    struct smc_error error = {""};
    fake_cuda_reset();
    fake_cuda.free_bytes = (size_t)1 << 29;
    CU_ASSERT_EQUAL_FATAL(smc_calibrate(&request, &calibration, NULL, &error), SMC_OK);
    unsigned all = fake_cuda.launches;
    fake_cuda_reset();
    fake_cuda.free_bytes = (size_t)1 << 29;
    fake_cuda.endless_from = all - 100;
    CU_ASSERT_EQUAL(smc_calibrate(&request, &calibration, NULL, &error), SMC_MACHINE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "measuring one SM: not finished after 20 ms on the GPU (--timeout)");
}

/* The fake aborts on a call that would never return. With this budget every measurement has 15
   samples, and most have a launch before them. */
static void test_endless_ceilings(void)
{
    static const struct {
        unsigned from;
        const char *message;
    } cases[] = {
        {1, "reading or writing global memory: not finished after 20 ms on the GPU (--timeout)"},
        {56, "loads of shared memory: not finished after 20 ms on the GPU (--timeout)"},
        {66, "multiplying and adding: not finished after 20 ms on the GPU (--timeout)"},
        {106, "following a chain: not finished after 20 ms on the GPU (--timeout)"},
        {163, "launching: not finished after 20 ms on the GPU (--timeout)"},
    };
    const struct smc_calibrate_request request = {.budget_ms = 1e9, .timeout_ms = 20};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_calibration calibration;
        struct smc_error error = {""};
        fake_cuda_reset();
        fake_cuda.free_bytes = (size_t)1 << 29;
        fake_cuda.endless_from = cases[i].from;
        CU_ASSERT_EQUAL(smc_calibrate(&request, &calibration, NULL, &error), SMC_MACHINE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
        CU_ASSERT(fake_cuda.launches >= cases[i].from);
    }
    check_endless_sm();
    fake_cuda_reset();
}

/* --- Hardware counters ------------------------------------------------------------------------ */

static const struct smc_row *find(const struct outcome *out, const char *quantity)
{
    for (size_t i = 0; i < out->confirmation.row_count; i++)
        if (strcmp(out->confirmation.row[i].quantity, quantity) == 0)
            return &out->confirmation.row[i];
    return NULL;
}

static bool row_is(const struct outcome *out, const char *quantity, enum smc_verdict verdict,
                   const char *note)
{
    const struct smc_row *row = find(out, quantity);
    return row && row->verdict == verdict && strstr(row->note, note);
}

/* The API's available dynamic shared memory: a known error before CUDA 13.5, correct from then on;
   any other value differs. */
static void test_available_smem(void)
{
    struct outcome out;
    fake_cuda_reset();
    run_kernel("stencil-dynamic", 5, 10, &out); /* 8 blocks, as set in the fake */
    CU_ASSERT_EQUAL_FATAL(out.status, SMC_OK);
    CU_ASSERT_EQUAL(out.result.api_available_smem_bytes, 233472 / 8 / 128 * 128);
    CU_ASSERT(row_is(&out, "available_dynamic_smem_bytes", SMC_INFORMATION,
                     "the API omits the driver's 1024 B per block, as it does before CUDA 13.5"));
    fake_cuda.driver_version = 13050;
    run_kernel("stencil-dynamic", 5, 10, &out);
    CU_ASSERT(row_is(&out, "available_dynamic_smem_bytes", SMC_CONFIRMED, ""));
    fake_cuda.available_smem_is_wrong = true;
    run_kernel("stencil-dynamic", 5, 10, &out);
    CU_ASSERT(row_is(&out, "available_dynamic_smem_bytes", SMC_DIFFERS, ""));
}

static void open_counters(void)
{
    fake_cuda_reset();
    fake_cuda.counters_refused = NULL;
    counts = true;
}

static void run_counted(const struct smc_executor *executor, uint32_t timeout_ms,
                        struct outcome *out)
{
    run_kernel_with(executor, "stencil-dynamic", 5, timeout_ms, out);
    counts = false;
    CU_ASSERT_EQUAL_FATAL(out->status, SMC_OK);
}

static void test_counted(void)
{
    struct outcome out;
    open_counters();
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(out.result.counting.made && out.result.counting.succeeded);
    CU_ASSERT_EQUAL(fake_cuda.counted_launches, 1);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT_EQUAL(out.confirmation.not_measured, 0);
    for (int i = 0; i < SMC_METRIC_DRAM_READ_BYTES; i++) {
        CU_ASSERT(row_is(&out, smc_metric_info[i].quantity, SMC_CONFIRMED, ""));
        CU_ASSERT_EQUAL(find(&out, smc_metric_info[i].quantity)->measured.value,
                        fake_cuda.counted[i]);
    }
    CU_ASSERT(row_is(&out, "bank_conflicts", SMC_CONFIRMED, ""));
    CU_ASSERT(row_is(&out, "dram_read_bytes", SMC_INFORMATION, "cache"));
    CU_ASSERT(row_is(&out, "reserved_smem_bytes", SMC_CONFIRMED, ""));

    open_counters();
    run_counted(&smc_executor_both, 100, &out);
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);
    CU_ASSERT(find(&out, "global_load_sectors")->emulated.present);
    CU_ASSERT(find(&out, "global_load_sectors")->measured.present);
    CU_ASSERT(row_is(&out, "global_load_sectors", SMC_CONFIRMED, ""));
}

static void test_counted_otherwise(void)
{
    struct outcome out;
    open_counters();
    fake_cuda.counted[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] = 1000;
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(row_is(&out, "shared_load_wavefronts", SMC_DIFFERS, ""));
    CU_ASSERT(row_is(&out, "bank_conflicts", SMC_DIFFERS, ""));
    CU_ASSERT_EQUAL(out.confirmation.differing, 2);

    open_counters();
    fake_cuda.counted[SMC_METRIC_SHARED_STORES] += 100;
    run_counted(&smc_executor_both, 100, &out);
    CU_ASSERT(row_is(&out, "shared_stores", SMC_DIFFERS, ""));
    CU_ASSERT_EQUAL(out.confirmation.differing, 1);

    open_counters();
    fake_cuda.reserved_smem_bytes = 2048;
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(row_is(&out, "reserved_smem_bytes", SMC_DIFFERS, ""));
}

static void test_not_counted(void)
{
    struct outcome out;
    open_counters();
    fake_cuda.counters_refused = "profiling is not permitted: run as root";
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(!out.result.counting.made);
    CU_ASSERT(row_is(&out, "shared_load_wavefronts", SMC_NOT_MEASURED, "not permitted"));
    CU_ASSERT(row_is(&out, "dram_written_bytes", SMC_NOT_MEASURED, "not permitted"));
    CU_ASSERT_EQUAL(out.confirmation.differing, 0);

    open_counters();
    fake_cuda.counters_fail = true;
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(out.result.counting.made && !out.result.counting.succeeded);
    CU_ASSERT(row_is(&out, "global_load_requests", SMC_NOT_MEASURED, "as the test wants it"));

    open_counters(); /* 3 passes of 2 ms */
    run_counted(&smc_executor_gpu, 5, &out);
    CU_ASSERT(row_is(&out, "global_load_requests", SMC_NOT_MEASURED, "--timeout"));

    open_counters();
    counts = false;
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT_EQUAL(fake_cuda.counted_launches, 0);
    CU_ASSERT_PTR_NULL(find(&out, "global_load_requests"));
}

/* A launch that was never made, and a probe. */
static void test_counting_and_failures(void)
{
    struct outcome out;
    open_counters();
    fake_cuda.launch_error = cudaErrorLaunchOutOfResources;
    run_counted(&smc_executor_gpu, 100, &out);
    CU_ASSERT(!out.result.counting.made);
    CU_ASSERT_EQUAL(fake_cuda.counted_launches, 0);

    open_counters();
    run_kernel("residency", 0, 100, &out);
    counts = false;
    CU_ASSERT(!out.result.counting.made && !out.result.counting.message[0]);
}

static CU_TestInfo tests[] = {
    {"a device is read over the table's row", test_device},
    {"a device with less shared memory", test_smaller_device},
    {"why there is no GPU", test_reasons},
    {"a run in which all goes well is confirmed", test_all_well},
    {"oversized shared memory as the device reports it", test_oversized_smem},
    {"the shared-memory mode of a launch", test_smem_mode},
    {"the API's available dynamic shared memory", test_available_smem},
    {"opting in to more shared memory, granted and refused", test_opt_in},
    {"a wrong result of a launch is found", test_wrong_result},
    {"fewer resident blocks than predicted are found", test_fewer_blocks_than_predicted},
    {"a GPU beside the emulator", test_beside_the_emulator},
    {"a GPU's refusals are answers", test_refusals},
    {"failures of the machine are errors", test_machine_failures},
    {"a kernel without an end", test_no_end},
    {"timed launches with a full queue", test_full_queue},
    {"an empty launch is timed as the launch was", test_empty_launch},
    {"no time is left for the residency probe", test_no_time},
    {"the residency probe is run as the kernel", test_probe_alone},
    {"a residency probe of every register count", test_live},
    {"a compiler leaves the signals as they were", test_signals},
    {"ceilings are made of bytes and times", test_ceilings},
    {"run launches with clusters, and confirms how many are resident", test_clusters},
    {"calibrate finds the groups of SMs, or says that there are none", test_groups},
    {"ceilings that cannot be measured", test_no_ceilings},
    {"kernels that measure, without an end", test_endless_ceilings},
    {"hardware counters confirm a run", test_counted},
    {"hardware counters that differ are found", test_counted_otherwise},
    {"why no hardware counter is read", test_not_counted},
    {"a launch without hardware counters to read", test_counting_and_failures},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {{"gpu back end", NULL, NULL, NULL, NULL, tests}, CU_SUITE_INFO_NULL};
    struct smc_nvrtc_info nvrtc;
    struct smc_error error = {""};
    if (smc_nvrtc_describe(&nvrtc, &error) != SMC_OK) {
        printf("%s\n0 passed, 0 failed, %zu skipped\n", error.message,
               sizeof tests / sizeof *tests - 1);
        return SKIPPED;
    }
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        fprintf(stderr, "fake_tests: %s\n", CU_get_error_msg());
        return 99;
    }
    struct temporary cache;
    temporary_begin(&cache);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    temporary_end(&cache);
    unsigned ran = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("%u passed, %u failed, 0 skipped\n", ran - failed, failed);
    return failed || !ran;
}
