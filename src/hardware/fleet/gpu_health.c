/* Checks the health of a GPU: the tests, in the order of health_tests.def. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/platform.h"
#include "hardware/executor.h"
#include "hardware/executor/gpu_ceilings.h"
#include "hardware/fleet/health.h"
#include "rules/catalog.h"

struct check {
    const struct smc_health_request *request;
    struct smc_health *health;
    struct smc_text *warnings;
    struct smc_error *error;
    struct smc_device device;
    double deadline_ms;        /* of smc_clock_ms */
    struct smc_attempt finish; /* how the last wait ended; a GPU that hangs is left alone then */
};

static uint32_t left_ms(const struct check *check)
{
    double left = check->deadline_ms - smc_clock_ms();
    return left > 1 ? (uint32_t)left : 1;
}

static bool is_lost(const struct check *check)
{
    return smc_is_lost(&check->finish);
}

/* Waits for the GPU, whose last launch returned `code`. Returns the first error. */
static cudaError_t wait_for(struct check *check, cudaError_t code)
{
    cudaError_t waited = smc_gpu_wait(left_ms(check), NULL, "", &check->finish);
    return code == cudaSuccess ? waited : code;
}

static enum smc_status status_of(const struct check *check, cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return SMC_OK;
    if (code == cudaErrorNotReady)
        return smc_fail(check->error, SMC_MACHINE, "%s: %s", what, check->finish.message);
    return smc_gpu_fail(check->error, code, what);
}

/* A refusal by the driver is an error here, because the kernels are part of the program. */
static enum smc_status gpu_health_load(const struct check *check, const struct smc_binary *binary,
                                       const char *entry, struct smc_gpu_kernel *kernel)
{
    struct smc_attempt attempt = {0};
    if (smc_gpu_load(binary, entry, kernel, &attempt))
        return SMC_OK;
    return smc_fail(check->error, SMC_MACHINE, "loading %s: %s", entry, attempt.message);
}

static enum smc_status compile(const struct check *check, const struct smc_kernel *kernel,
                               const struct smc_params *params, struct smc_compiled *compiled)
{
    return smc_compile(&(struct smc_compile_request){kernel, params, check->device.sm.cc,
                                                     &check->request->compile},
                       &compiled->resources, &compiled->binary, check->warnings, check->error);
}

static uint32_t gpu_health_faults_of(const struct smc_health *health, enum smc_health_test test)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < health->fault_count; i++)
        count += health->fault[i].test == test;
    return count;
}

/* --- SMs -------------------------------------------------------------------------------------- */

/* Launches are repeated until a block has run on every SM: which SMs run blocks is the GPU's
 * choice. */
enum { FEWEST_LAUNCHES = 6, MOST_LAUNCHES = 24 };

struct sms {
    struct smc_gpu_kernel kernel;
    uint32_t blocks, words;
    struct smc_health_seen *seen; /* on the host; seen_there on the GPU */
    uint32_t *chains;
    void *seen_there, *chains_there;
    size_t seen_bytes, chains_bytes;
    struct smc_health_sms found;
};

static cudaError_t launch_sms(const struct check *check, struct sms *sms)
{
    struct smc_health_injection injection = {.unit = SMC_INJECT_NOTHING};
    void *arguments[] = {&sms->seen_there, &sms->chains_there, &sms->words, &injection};
    const uint32_t grid[] = {sms->blocks, 1, 1}, block[] = {SMC_HEALTH_THREADS, 1, 1};
    if (check->request->faults && check->request->faults->in_sms)
        injection = check->request->faults->sms;
    cudaError_t code = cudaMemset(sms->seen_there, 0xff, sms->seen_bytes);
    if (code == cudaSuccess)
        code = cudaMemset(sms->chains_there, 0xff, sms->chains_bytes);
    if (code == cudaSuccess)
        code = smc_gpu_start(&sms->kernel, grid, block, sms->words * (uint32_t)sizeof(uint32_t),
                             arguments);
    return code;
}

static cudaError_t run_sms(struct check *check, struct sms *sms)
{
    cudaError_t code = wait_for(check, launch_sms(check, sms));
    if (code == cudaSuccess)
        code = cudaMemcpy(sms->seen, sms->seen_there, sms->seen_bytes, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        code =
            cudaMemcpy(sms->chains, sms->chains_there, sms->chains_bytes, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        smc_health_examine_sms(sms->seen, sms->chains, sms->blocks, &sms->found, check->health);
    return code;
}

static enum smc_status allocate_sms(const struct check *check, struct sms *sms)
{
    sms->blocks = check->device.sm_count;
    sms->seen_bytes = sms->blocks * sizeof *sms->seen;
    sms->chains_bytes = (size_t)sms->blocks * SMC_HEALTH_THREADS * SMC_HEALTH_VALUES * 4;
    sms->seen = smc_malloc(sms->seen_bytes);
    sms->chains = smc_malloc(sms->chains_bytes);
    if (!sms->seen || !sms->chains)
        return smc_out_of_memory(check->error);
    cudaError_t code = cudaMalloc(&sms->seen_there, sms->seen_bytes);
    if (code == cudaSuccess)
        code = cudaMalloc(&sms->chains_there, sms->chains_bytes);
    return status_of(check, code, "memory for the results of the SMs");
}

/* Gives a block all the shared memory that it may have, so that it has an SM to itself. */
static enum smc_status configure_sms(const struct check *check, struct sms *sms)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_attempt opt_in = {0};
    launch.threads_per_block = SMC_HEALTH_THREADS;
    launch.dynamic_smem_bytes = check->device.sm.smem_per_block_optin_bytes;
    if (launch.dynamic_smem_bytes < check->device.sm.smem_per_block_default_bytes)
        launch.dynamic_smem_bytes = check->device.sm.smem_per_block_default_bytes;
    sms->words = launch.dynamic_smem_bytes / (uint32_t)sizeof(uint32_t);
    SMC_TRY(smc_gpu_configure(&sms->kernel, &launch, &opt_in, check->error));
    if (opt_in.made && !opt_in.succeeded)
        return smc_fail(check->error, SMC_MACHINE, "%u bytes of shared memory: %s",
                        launch.dynamic_smem_bytes, opt_in.message);
    return SMC_OK;
}

/* Reports the SMs on which no block ran. Their numbers (%smid) need not be contiguous (PTX ISA):
   then those listed may not exist. */
static void report_unseen(const struct sms *sms, uint32_t expected, struct smc_health *health)
{
    uint32_t unseen = expected - sms->found.count, listed = 0;
    char numbers[80] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < expected && listed < 8; i++) {
        if (sms->found.seen[i])
            continue;
        used += (size_t)snprintf(numbers + used, sizeof numbers - used, "%s%u",
                                 listed++ ? ", " : "", i);
    }
    struct smc_fault *fault =
        smc_health_add(health, SMC_HEALTH_SMS, SMC_FAULT_SM, "no block ran on %u of %u SMs: %s%s",
                       unseen, expected, numbers, unseen > listed ? ", ..." : "");
    for (uint32_t i = 0; fault && unseen == 1 && i < expected; i++)
        if (!sms->found.seen[i])
            fault->sm = (int32_t)i;
}

static void conclude_sms(const struct check *check, const struct sms *sms, int launches)
{
    struct smc_health *health = check->health;
    uint32_t expected = check->device.sm_count, count = sms->found.count;
    const char *why, *note = "";
    for (int unit = 0; unit < SMC_UNITS; unit++)
        if (!smc_health_is_known((enum smc_health_unit)unit, health->cc, &why))
            note = why;
    if (count < expected)
        report_unseen(sms, expected, health);
    uint32_t faults = gpu_health_faults_of(health, SMC_HEALTH_SMS);
    smc_health_conclude(health, SMC_HEALTH_SMS, faults == 0, expected, count,
                        "%d launches, %u lanes and %u KB of shared memory of each%s%s", launches,
                        SMC_HEALTH_LANES * SMC_HEALTH_PARTS,
                        sms->words * (uint32_t)sizeof(uint32_t) >> 10, *note ? "; " : "", note);
}

static enum smc_status run_all_sms(struct check *check, struct sms *sms)
{
    cudaError_t code = cudaSuccess;
    int launches = 0;
    while (code == cudaSuccess && launches < MOST_LAUNCHES &&
           (launches < FEWEST_LAUNCHES || sms->found.count < check->device.sm_count)) {
        code = run_sms(check, sms);
        launches++;
    }
    SMC_TRY(status_of(check, code, "the kernel of all SMs"));
    conclude_sms(check, sms, launches);
    return SMC_OK;
}

static enum smc_status test_sms(struct check *check)
{
    struct smc_params params = {0};
    struct smc_compiled compiled = {0};
    smc_auto_free struct sms *sms = smc_calloc(1, sizeof *sms);
    if (!sms)
        return smc_out_of_memory(check->error);
    enum smc_status status = compile(check, &smc_kernel_health_sms, &params, &compiled);
    if (status == SMC_OK)
        status =
            gpu_health_load(check, &compiled.binary, smc_kernel_health_sms.entry, &sms->kernel);
    if (status == SMC_OK)
        status = configure_sms(check, sms);
    if (status == SMC_OK)
        status = allocate_sms(check, sms);
    if (status == SMC_OK)
        status = run_all_sms(check, sms);
    if (!is_lost(check)) {
        smc_gpu_free(sms->seen_there);
        smc_gpu_free(sms->chains_there);
        smc_gpu_unload(&sms->kernel);
    }
    smc_binary_free(&compiled.binary);
    free(sms->seen);
    free(sms->chains);
    return status;
}

/* --- Kernels of the catalog ------------------------------------------------------------------- */

/* A kernel of the catalog that is launched once with its inputs. */
struct launched {
    struct smc_params params;
    struct smc_plan plan;
    struct smc_compiled compiled;
    struct smc_gpu_kernel kernel;
    struct smc_gpu_buffers buffers;
};

static void free_launched(const struct check *check, struct launched *launched)
{
    smc_binary_free(&launched->compiled.binary);
    if (is_lost(check)) {
        smc_gpu_buffers_leave(&launched->buffers);
        return;
    }
    smc_gpu_buffers_free(&launched->buffers);
    smc_gpu_unload(&launched->kernel);
}

/* Compiles and launches the kernel of a query, and copies its outputs to the host. */
static enum smc_status launch_case(struct check *check, const struct smc_query *query,
                                   struct launched *launched)
{
    const struct smc_kernel *kernel = query->kernel;
    struct smc_launch launch = SMC_LAUNCH_INIT;
    struct smc_attempt opt_in = {0};
    launched->params = query->params;
    SMC_TRY(kernel->complete(kernel, &launched->params, check->error));
    kernel->plan(kernel, &launched->params, &launched->plan);
    launch.threads_per_block = launched->plan.threads_per_block;
    launch.dynamic_smem_bytes = (uint32_t)launched->plan.dynamic_smem_bytes;
    SMC_TRY(compile(check, kernel, &launched->params, &launched->compiled));
    SMC_TRY(gpu_health_load(check, &launched->compiled.binary, kernel->entry, &launched->kernel));
    SMC_TRY(smc_gpu_configure(&launched->kernel, &launch, &opt_in, check->error));
    SMC_TRY(
        smc_gpu_buffers_create(&launched->plan, SMC_HEALTH_SEED, &launched->buffers, check->error));
    cudaError_t code = smc_gpu_launch(&launched->kernel, &launched->plan, launch.dynamic_smem_bytes,
                                      &launched->buffers);
    SMC_TRY(status_of(check, wait_for(check, code), kernel->name));
    return smc_gpu_buffers_fetch_outputs(&launched->plan, &launched->buffers, check->error);
}

static enum smc_status test_case(struct check *check, const struct smc_health_case *one, bool *same)
{
    struct launched launched = {0};
    struct smc_query query;
    if (!smc_health_read_case(one->kernel, one->options, &query))
        return smc_fail(check->error, SMC_MACHINE, "'%s %s' is not understood", one->kernel,
                        one->options);
    enum smc_status status = launch_case(check, &query, &launched);
    if (status == SMC_OK) {
        uint64_t hash = smc_health_hash(&launched.plan, (const void *const *)launched.buffers.host);
        *same = hash == one->hash;
        if (!*same)
            smc_health_add(check->health, SMC_HEALTH_RESULTS, SMC_FAULT_RESULT,
                           "%s (%s) returns other bits than the emulator: hash %016" PRIx64
                           " instead of %016" PRIx64,
                           one->kernel, one->options, hash, one->hash);
    }
    free_launched(check, &launched);
    return status;
}

static enum smc_status test_results(struct check *check)
{
    uint32_t made = 0, right = 0, not_made = 0;
    for (const struct smc_health_case *one = smc_health_cases; one->kernel; one++) {
        bool same = false;
        enum smc_status status = test_case(check, one, &same);
        if (status == SMC_UNAVAILABLE) { /* no NVRTC, and no PTX of it */
            not_made++;
            continue;
        }
        if (status != SMC_OK)
            return status;
        made++;
        right += same;
    }
    if (made == 0)
        return SMC_UNAVAILABLE;
    char rest[64] = "";
    if (not_made > 0)
        snprintf(rest, sizeof rest, "; %u more are not compared without NVRTC", not_made);
    smc_health_conclude(check->health, SMC_HEALTH_RESULTS, right == made, made, right,
                        "bits equal the emulator's%s", rest);
    return SMC_OK;
}

/* --- Residency -------------------------------------------------------------------------------- */

enum { PROBE_MS = 200 }; /* for each launch */

/* Launches that are limited by threads, by shared memory and by block slots. */
static const struct {
    uint32_t threads, smem_bytes;
} shapes[] = {{256, 0}, {128, 24 << 10}, {32, 1 << 10}};

/* The resident blocks per SM: the model's prediction for the registers that the driver reports, and
   the measured number. */
static enum smc_status probe_shape(struct check *check, const struct smc_gpu_kernel *kernel,
                                   size_t shape, uint32_t *expected, uint32_t *seen, uint32_t *sms)
{
    struct smc_gpu_probe probe = {
        .regs_per_thread = (uint32_t)kernel->attributes.numRegs,
        .launch = SMC_LAUNCH_INIT,
        .budget_ms = PROBE_MS,
        .timeout_ms = left_ms(check),
    };
    struct smc_occupancy occupancy;
    smc_auto_free struct smc_run_result *result = smc_calloc(1, sizeof *result);
    if (!result)
        return smc_out_of_memory(check->error);
    probe.launch.threads_per_block = shapes[shape].threads;
    probe.launch.regs_per_thread = probe.regs_per_thread;
    probe.launch.dynamic_smem_bytes = shapes[shape].smem_bytes;
    smc_occupancy_compute(&check->device.sm, &probe.launch, &occupancy);
    probe.expected_blocks = occupancy.blocks_per_sm;
    *expected = occupancy.blocks_per_sm;
    result->probe = (struct smc_attempt){.made = true, .succeeded = true}; /* it was loaded */
    enum smc_status status =
        smc_gpu_probe_loaded(&check->device, &probe, kernel, result, check->error);
    check->finish = result->finish;
    *seen = result->probe_blocks_per_sm;
    *sms = result->probe_sms;
    if (status == SMC_OK && !result->probe.succeeded)
        status =
            smc_fail(check->error, SMC_MACHINE, "the residency probe: %s", result->probe.message);
    return status;
}

static enum smc_status probe_all(struct check *check, const struct smc_gpu_kernel *kernel)
{
    uint32_t all_expected = 0, all_seen = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        uint32_t expected = 0, seen = 0, sms = 0;
        SMC_TRY(probe_shape(check, kernel, i, &expected, &seen, &sms));
        all_expected += expected;
        all_seen += seen;
        if (seen != expected)
            smc_health_add(check->health, SMC_HEALTH_RESIDENCY, SMC_FAULT_RESIDENCY,
                           "%u blocks of %u threads with %u bytes of shared memory were resident "
                           "on an SM instead of %u",
                           seen, shapes[i].threads, shapes[i].smem_bytes, expected);
    }
    smc_health_conclude(check->health, SMC_HEALTH_RESIDENCY,
                        gpu_health_faults_of(check->health, SMC_HEALTH_RESIDENCY) == 0,
                        all_expected, all_seen, "the sum over %zu launches, on one SM",
                        sizeof shapes / sizeof *shapes);
    return SMC_OK;
}

static enum smc_status test_residency(struct check *check)
{
    const struct smc_kernel *kernel = smc_kernel_find("residency");
    struct smc_params params;
    struct smc_compiled compiled = {0};
    struct smc_gpu_kernel loaded = {0};
    smc_params_init(kernel, &params);
    enum smc_status status = kernel->complete(kernel, &params, check->error);
    if (status == SMC_OK)
        status = compile(check, kernel, &params, &compiled);
    if (status == SMC_OK)
        status = gpu_health_load(check, &compiled.binary, kernel->entry, &loaded);
    if (status == SMC_OK)
        status = probe_all(check, &loaded);
    if (!is_lost(check))
        smc_gpu_unload(&loaded);
    smc_binary_free(&compiled.binary);
    return status;
}

/* --- Rates ------------------------------------------------------------------------------------ */

/* A healthy GPU's rates may differ by this share from those known of its board, through power,
   temperature and other GPUs. On a healthy H200, arrays at some addresses were copied 11 % and read
   12 % slower. */
static const double rate_tolerance = 0.15;

enum { MEASURED_MS = 100, MOST_MEASUREMENTS = SMC_GPU_MEASUREMENTS + SMC_GPU_SM_MEASUREMENTS };

static bool gpu_health_is_within(double seen, double expected, double tolerance)
{
    return seen >= expected * (1 - tolerance) && seen <= expected * (1 + tolerance);
}

/* A figure that the check measures, and the known ceiling that it is compared with. */
struct rate {
    enum smc_health_figure figure;
    enum smc_ceiling ceiling;
};

/* Adds a fault if the rate is too far from the known one, and returns whether it is not. A rate
   that is not known is right. */
static bool is_rate_right(struct check *check, enum smc_health_test test, struct rate rate)
{
    const struct smc_health_figure_info *info = &smc_health_figure_info[rate.figure];
    double seen = check->health->figure[rate.figure];
    double expected = check->request->ceilings.value[rate.ceiling];
    if (expected <= 0 || gpu_health_is_within(seen, expected, rate_tolerance))
        return true;
    smc_health_add(check->health, test, SMC_FAULT_RATE, "%s: %.4g %s, %.1f %% %s the known %.4g",
                   info->label, seen / info->per_unit, info->unit, 100 * fabs(seen / expected - 1),
                   seen < expected ? "below" : "above", expected / info->per_unit);
    return false;
}

/* Sets the outcome by the first rate; the others must be right, too. */
static void gpu_health_judge_rates(struct check *check, enum smc_health_test test,
                                   const struct rate *rates, size_t count)
{
    double first = check->health->figure[rates[0].figure];
    double expected = check->request->ceilings.value[rates[0].ceiling];
    bool is_right = true;
    if (expected <= 0) {
        smc_health_skip(check->health, test,
                        "the rates of '%.80s' are not known; 'smemcalc calibrate' measures them",
                        check->device.name);
        return;
    }
    for (size_t i = 0; i < count; i++)
        is_right &= is_rate_right(check, test, rates[i]);
    smc_health_conclude(check->health, test, is_right, expected, first,
                        "%+.1f %%; up to %.0f %% is allowed", 100 * (first / expected - 1),
                        100 * rate_tolerance);
}

/* Measures with the bench of smemcalc calibrate; sets what was measured. */
static enum smc_status gpu_health_measure(struct check *check, const char *const *names,
                                          size_t count, double seen[SMC_CEILING_COUNT])
{
    struct smc_samples samples[SMC_CEILING_COUNT] = {{0}};
    struct smc_spread spread;
    const struct smc_calibrate_request request = {
        .gpu_index = check->request->gpu_index,
        .compile = check->request->compile,
        .budget_ms = (double)MEASURED_MS * MOST_MEASUREMENTS,
        .timeout_ms = left_ms(check),
    };
    struct smc_gpu_bench bench = {
        .device = check->device, .request = &request, .warnings = check->warnings};
    enum smc_status status = smc_gpu_bench_open(&bench, check->error);
    for (size_t i = 0; i < count && status == SMC_OK; i++)
        status = smc_gpu_bench_measure(&bench, smc_gpu_measurement_find(names[i]), samples,
                                       check->error);
    smc_gpu_bench_close(&bench);
    check->finish = bench.finish;
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        seen[i] = smc_samples_median(&samples[i], &spread);
    return status;
}

static enum smc_status test_bandwidth(struct check *check)
{
    static const char *const names[] = {"copy", "reads of global memory"};
    static const struct rate rates[] = {{SMC_HEALTH_FIGURE_COPY, SMC_CEILING_COPY},
                                        {SMC_HEALTH_FIGURE_READ, SMC_CEILING_READ}};
    double seen[SMC_CEILING_COUNT] = {0};
    enum smc_status status = gpu_health_measure(check, names, 2, seen);
    check->health->figure[SMC_HEALTH_FIGURE_COPY] = seen[SMC_CEILING_COPY];
    check->health->figure[SMC_HEALTH_FIGURE_READ] = seen[SMC_CEILING_READ];
    if (status == SMC_OK)
        gpu_health_judge_rates(check, SMC_HEALTH_BANDWIDTH, rates, 2);
    return status;
}

static enum smc_status test_fma(struct check *check)
{
    static const char *const names[] = {"float FMA"};
    static const struct rate rate = {SMC_HEALTH_FIGURE_FMA, SMC_CEILING_FLOAT};
    double seen[SMC_CEILING_COUNT] = {0};
    enum smc_status status = gpu_health_measure(check, names, 1, seen);
    check->health->figure[SMC_HEALTH_FIGURE_FMA] = seen[SMC_CEILING_FLOAT];
    check->health->figure[SMC_HEALTH_FIGURE_CLOCK] = seen[SMC_CEILING_CLOCK];
    if (status == SMC_OK)
        gpu_health_judge_rates(check, SMC_HEALTH_FMA, &rate, 1);
    return status;
}

/* --- The time of a kernel --------------------------------------------------------------------- */

static const char timed_kernel[] = "matmul-tiled", timed_options[] = "tile=32 m=1024 n=1024 k=1024";
static const double timing_ms = 100;

static void judge_time(struct check *check, const struct smc_time *predicted, double seen_ms)
{
    struct smc_health *health = check->health;
    double low_ms = predicted->low_ms * (1 - rate_tolerance);
    double high_ms = predicted->high_ms * (1 + rate_tolerance);
    bool is_right = seen_ms >= low_ms && seen_ms <= high_ms;
    health->figure[SMC_HEALTH_FIGURE_PREDICTED] = predicted->predicted_ms;
    smc_health_conclude(health, SMC_HEALTH_TIME, is_right, predicted->predicted_ms, seen_ms,
                        "%s; %.4g to %.4g ms is allowed", timed_kernel, low_ms, high_ms);
    if (!is_right)
        smc_health_add(health, SMC_HEALTH_TIME, SMC_FAULT_RATE,
                       "%s took %.4g ms instead of the predicted %.4g to %.4g", timed_kernel,
                       seen_ms, low_ms, high_ms);
}

static enum smc_status time_kernel(struct check *check, const struct smc_answer *answer)
{
    struct launched launched = {0};
    smc_auto_free struct smc_run_result *result = smc_calloc(1, sizeof *result);
    if (!result)
        return smc_out_of_memory(check->error);
    enum smc_status status = launch_case(check, &answer->query, &launched);
    struct smc_gpu_planned planned = {&launched.kernel, &launched.plan,
                                      (uint32_t)launched.plan.dynamic_smem_bytes, &launched.buffers,
                                      NULL};
    const struct smc_gpu_work work = smc_gpu_planned_work(&planned);
    if (status == SMC_OK)
        status = smc_gpu_time(&work, check->request->gpu_index, left_ms(check), timing_ms, result,
                              check->error);
    if (status == SMC_OK && !result->timing.succeeded) {
        check->finish = result->finish;
        status = smc_fail(check->error, SMC_MACHINE, "%s", result->timing.message);
    }
    check->health->figure[SMC_HEALTH_FIGURE_LAUNCH] = result->median_ms;
    if (status == SMC_OK && answer->time.basis == SMC_TIME_UNKNOWN)
        smc_health_skip(check->health, SMC_HEALTH_TIME, "no time is predicted: %.150s",
                        answer->time.reason);
    else if (status == SMC_OK && answer->time.basis == SMC_TIME_SPECIFICATIONS)
        smc_health_skip(check->health, SMC_HEALTH_TIME,
                        "the board's rates are not known, only its specifications");
    else if (status == SMC_OK)
        judge_time(check, &answer->time, result->median_ms);
    free_launched(check, &launched);
    return status;
}

static enum smc_status test_time(struct check *check)
{
    struct smc_query query;
    smc_auto_free struct smc_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(check->error);
    smc_health_read_case(timed_kernel, timed_options, &query);
    query.device = check->device;
    query.ceilings = check->request->ceilings;
    query.compile = check->request->compile;
    SMC_TRY(smc_query_answer(&query, answer, check->warnings, check->error));
    return time_kernel(check, answer);
}

/* --- Memory ----------------------------------------------------------------------------------- */

enum {
    UNIT_BYTES = 16,
    READ_THREADS = 256,
    BLOCKS_PER_SM = 8,
    LEAST_MEMORY = 16 << 20,
    KEPT_FREE = 256 << 20, /* for the driver and the kernels */
    KEPT_SHARE = 16,       /* of little memory, at most this part */
    CACHE_SHARE = 4,       /* each half of an L2 cache may keep a copy of its own */
    CACHE_ROUNDS = 8,
};

struct memory {
    struct smc_gpu_kernel writes, reads, flips;
    char *array;
    uint64_t bytes;
    void *found_there;
    uint64_t wrong; /* words, in the worst pass */
};

static cudaError_t launch_memory(const struct check *check, const struct smc_gpu_kernel *kernel,
                                 void **arguments)
{
    const uint32_t grid[] = {check->device.sm_count * BLOCKS_PER_SM, 1, 1};
    const uint32_t block[] = {READ_THREADS, 1, 1};
    return smc_gpu_start(kernel, grid, block, 0, arguments);
}

/* Changes a word, like a cell that does not keep its value: for tests. */
static cudaError_t flip(const struct check *check, struct memory *memory, uint64_t bytes)
{
    const struct smc_health_faults *faults = check->request->faults;
    const uint32_t one[] = {1, 1, 1};
    uint64_t word = (uint64_t)(faults->place * (double)(bytes / sizeof(uint32_t)));
    char *address = memory->array + word * sizeof(uint32_t);
    uint32_t mask = faults->mask;
    void *arguments[] = {&address, &mask};
    return smc_gpu_start(&memory->flips, one, one, 0, arguments);
}

/* What is written and then read: once as a pattern, once as its inverse. */
struct memory_part {
    uint64_t bytes;
    int rounds; /* of reads */
    bool flips; /* inject a wrong bit, to test the test itself */
    const char *where;
};

static cudaError_t write_and_read(struct check *check, struct memory *memory,
                                  const struct memory_part *part, uint32_t inverse)
{
    struct smc_health_found found = {0};
    uint64_t units = part->bytes / UNIT_BYTES;
    void *of_write[] = {&memory->array, &units, &inverse};
    void *of_read[] = {&memory->array, &units, &inverse, &memory->found_there};
    cudaError_t code = cudaMemset(memory->found_there, 0, sizeof found);
    if (code == cudaSuccess)
        code = launch_memory(check, &memory->writes, of_write);
    if (code == cudaSuccess && part->flips && !inverse)
        code = flip(check, memory, part->bytes);
    for (int i = 0; i < part->rounds && code == cudaSuccess; i++)
        code = launch_memory(check, &memory->reads, of_read);
    code = wait_for(check, code);
    if (code == cudaSuccess)
        code = cudaMemcpy(&found, memory->found_there, sizeof found, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess) { /* each round finds a wrong word again */
        uint64_t wrong = (found.wrong + (uint64_t)part->rounds - 1) / (uint64_t)part->rounds;
        if (wrong > memory->wrong)
            memory->wrong = wrong;
        smc_health_examine_memory(&found, (uintptr_t)memory->array, part->where, check->health);
    }
    return code;
}

static cudaError_t gpu_health_check_memory(struct check *check, struct memory *memory)
{
    const struct smc_health_faults *faults = check->request->faults;
    const struct memory_part whole = {memory->bytes, 1, faults && faults->in_memory, "memory"};
    double start_ms = smc_clock_ms();
    cudaError_t code = write_and_read(check, memory, &whole, 0);
    if (code == cudaSuccess)
        code = write_and_read(check, memory, &whole, UINT32_MAX);
    double ms = smc_clock_ms() - start_ms;
    check->health->figure[SMC_HEALTH_FIGURE_MEMORY] = (double)memory->bytes;
    check->health->memory_address = (uintptr_t)memory->array;
    if (code == cudaSuccess && ms > 0) /* written and read in each of the two passes */
        check->health->figure[SMC_HEALTH_FIGURE_MEMORY_RATE] =
            4 * (double)memory->bytes / (ms / 1e3);
    uint64_t cached = check->device.l2_bytes / CACHE_SHARE;
    cached = (cached < memory->bytes ? cached : memory->bytes) / UNIT_BYTES * UNIT_BYTES;
    const struct memory_part cache = {cached, CACHE_ROUNDS, faults && faults->in_cache,
                                      "the L2 cache"};
    if (code == cudaSuccess && cached > 0)
        code = write_and_read(check, memory, &cache, 0);
    if (code == cudaSuccess && cached > 0)
        code = write_and_read(check, memory, &cache, UINT32_MAX);
    return code;
}

/* Allocates as much as possible: a driver may refuse the last part of what it reports as free. */
static enum smc_status allocate_memory(const struct check *check, struct memory *memory)
{
    size_t available = 0, installed = 0;
    cudaError_t code = cudaMemGetInfo(&available, &installed);
    size_t kept = available / KEPT_SHARE < KEPT_FREE ? available / KEPT_SHARE : KEPT_FREE;
    memory->bytes = (available - kept) / LEAST_MEMORY * LEAST_MEMORY;
    if (code == cudaSuccess)
        code = cudaMalloc(&memory->found_there, sizeof(struct smc_health_found));
    while (code == cudaSuccess && memory->bytes >= LEAST_MEMORY) {
        code = cudaMalloc((void **)&memory->array, memory->bytes);
        if (code == cudaSuccess)
            return SMC_OK;
        if (code != cudaErrorMemoryAllocation)
            break;
        cudaGetLastError();
        code = cudaSuccess;
        memory->bytes = memory->bytes / 16 * 15 / LEAST_MEMORY * LEAST_MEMORY;
    }
    if (code != cudaSuccess)
        return smc_gpu_fail(check->error, code, "the memory to check");
    return smc_fail(check->error, SMC_UNAVAILABLE,
                    "only %llu MB of memory are free, too few to check",
                    (unsigned long long)available / 1000000);
}

static void conclude_memory(const struct check *check, const struct memory *memory)
{
    char wrong_bytes[40] = "";
    uint64_t wrong = memory->wrong * sizeof(uint32_t);
    if (wrong > 0)
        snprintf(wrong_bytes, sizeof wrong_bytes, "%" PRIu64 " bytes are wrong; ", wrong);
    smc_health_conclude(
        check->health, SMC_HEALTH_MEMORY,
        gpu_health_faults_of(check->health, SMC_HEALTH_MEMORY) == 0, (double)memory->bytes,
        wrong < memory->bytes ? (double)(memory->bytes - wrong) : 0,
        "%seach bit as 0 and as 1; the GPU has %.4g GB; also %.3g MB of the L2 cache", wrong_bytes,
        (double)check->device.global_mem_bytes / 1e9,
        (double)(check->device.l2_bytes / CACHE_SHARE) / 1e6);
}

static enum smc_status test_memory(struct check *check)
{
    struct smc_params params = {0};
    struct smc_compiled compiled = {0};
    struct memory memory = {0};
    enum smc_status status = compile(check, &smc_kernel_health_memory, &params, &compiled);
    if (status == SMC_OK)
        status = gpu_health_load(check, &compiled.binary, "health_write", &memory.writes);
    if (status == SMC_OK)
        status = gpu_health_load(check, &compiled.binary, "health_read", &memory.reads);
    if (status == SMC_OK)
        status = gpu_health_load(check, &compiled.binary, "health_flip", &memory.flips);
    if (status == SMC_OK)
        status = allocate_memory(check, &memory);
    if (status == SMC_OK)
        status =
            status_of(check, gpu_health_check_memory(check, &memory), "writing and reading memory");
    if (status == SMC_OK)
        conclude_memory(check, &memory);
    if (!is_lost(check)) {
        smc_gpu_free(memory.array);
        smc_gpu_free(memory.found_there);
        smc_gpu_unload(&memory.writes);
        smc_gpu_unload(&memory.reads);
        smc_gpu_unload(&memory.flips);
    }
    smc_binary_free(&compiled.binary);
    return status;
}

/* --- The check -------------------------------------------------------------------------------- */

static enum smc_status (*const tests[SMC_HEALTH_TESTS])(struct check *check) = {
    [SMC_HEALTH_SMS] = test_sms,
    [SMC_HEALTH_RESULTS] = test_results,
    [SMC_HEALTH_RESIDENCY] = test_residency,
    [SMC_HEALTH_BANDWIDTH] = test_bandwidth,
    [SMC_HEALTH_FMA] = test_fma,
    [SMC_HEALTH_TIME] = test_time,
    [SMC_HEALTH_MEMORY] = test_memory,
};

static enum smc_status run_tests(struct check *check)
{
    struct smc_health *health = check->health;
    for (int i = 0; i < SMC_HEALTH_TESTS; i++) {
        if (check->request->tests && !(check->request->tests & 1u << i)) {
            smc_health_skip(health, (enum smc_health_test)i, "not requested");
            continue;
        }
        health->current = (enum smc_health_test)i;
        enum smc_status status = tests[i](check);
        if (status == SMC_UNAVAILABLE)
            smc_health_skip(health, (enum smc_health_test)i, "%.190s", check->error->message);
        else if (status != SMC_OK)
            return status;
        check->error->message[0] = '\0';
    }
    health->current = SMC_HEALTH_TESTS;
    return SMC_OK;
}

static void gpu_health_describe(struct check *check)
{
    struct smc_health *health = check->health;
    int index = check->request->gpu_index, mode = cudaComputeModeDefault;
    char runtime[SMC_GPU_VERSION_CHARS], cuda[SMC_GPU_VERSION_CHARS];
    if (cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, index) != cudaSuccess ||
        cudaDeviceGetPCIBusId(health->pci_bus_id, sizeof health->pci_bus_id, index) != cudaSuccess)
        cudaGetLastError();
    for (char *c = health->pci_bus_id; *c; c++)
        *c = *c >= 'A' && *c <= 'F' ? (char)(*c - 'A' + 'a') : *c;
    smc_gpu_uuid(index, health->uuid);
    if (!smc_gpu_driver_release(health->driver)) {
        smc_gpu_versions(cuda, runtime);
        snprintf(health->driver, sizeof health->driver, "CUDA %.20s", cuda);
    }
    snprintf(health->name, sizeof health->name, "%s", check->device.name);
    health->cc = check->device.sm.cc;
    health->sm_count = check->device.sm_count;
    health->mode = smc_gpu_is_slice(&check->device)          ? SMC_MODE_MIG
                   : mode == cudaComputeModeExclusiveProcess ? SMC_MODE_EXCLUSIVE
                                                             : SMC_MODE_WHOLE;
}

enum smc_status smc_health_check(const struct smc_health_request *request,
                                 struct smc_health *health, struct smc_text *warnings,
                                 struct smc_error *error)
{
    double start_ms = smc_clock_ms();
    struct check check = {
        .request = request,
        .health = health,
        .warnings = warnings,
        .error = error,
        .deadline_ms = start_ms + request->timeout_ms,
    };
    enum smc_status status = smc_gpu_device(request->gpu_index, &check.device, error);
    if (status == SMC_OK) {
        gpu_health_describe(&check);
        status = smc_gpu_use(request->gpu_index, error);
    }
    if (status == SMC_OK)
        status = run_tests(&check);
    if (status != SMC_OK)
        snprintf(health->error, sizeof health->error, "%.399s", error->message);
    health->status = status;
    health->elapsed_s = (smc_clock_ms() - start_ms) / 1e3;
    smc_health_judge(health);
    return status;
}
