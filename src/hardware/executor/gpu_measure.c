/* Measures the duration of a launch: events around each launch, and the median of many. The
   launches of a batch are enqueued behind a gate: otherwise the GPU waits for the host between an
   event and a short launch, and that is measured. The launch whose result was checked and the first
   one timed here are the warm-up. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/numbers.h"
#include "base/platform.h"
#include "code/compile.h"
#include "hardware/executor/counters.h"
#include "hardware/executor/gpu.h"

/* --- Times ------------------------------------------------------------------------------------ */

enum {
    BATCH = SMC_GPU_BATCH,
    MAX_LAUNCHES = 200, /* a multiple of BATCH */
};

struct timer {
    const struct smc_gpu_work *work;
    int gpu_index;
    uint32_t timeout_ms;
    struct smc_attempt *finish;
    struct smc_gpu_stopwatch watch[BATCH];
    double ms[MAX_LAUNCHES];
    uint32_t count, sm_clock_khz;
};

static cudaError_t create_watches(struct timer *timer)
{
    cudaError_t code = cudaSuccess;
    for (int i = 0; i < BATCH && code == cudaSuccess; i++)
        code = smc_gpu_stopwatch_create(&timer->watch[i]);
    return code;
}

static void destroy_watches(struct timer *timer)
{
    for (int i = 0; i < BATCH && !smc_is_lost(timer->finish); i++)
        smc_gpu_stopwatch_destroy(&timer->watch[i]);
}

static cudaError_t time_batch(struct timer *timer, int launches)
{
    cudaError_t code = smc_gpu_time_batch(timer->watch, launches, timer->work);
    if (timer->sm_clock_khz == 0)
        timer->sm_clock_khz = smc_gpu_sm_clock_khz(timer->gpu_index); /* while they run */
    cudaError_t waited =
        smc_gpu_wait(timer->timeout_ms, NULL, "the timed launches: ", timer->finish);
    if (code == cudaSuccess)
        code = waited;
    for (int i = 0; i < launches && code == cudaSuccess; i++)
        code = smc_gpu_stopwatch_read(&timer->watch[i], code, &timer->ms[timer->count++]);
    return code;
}

/* Runs whole batches while the budget lasts. If a single launch takes long, runs as many as fit,
   and at least one. */
static cudaError_t time_launches(struct timer *timer, double budget_ms)
{
    double start_ms = smc_clock_ms();
    cudaError_t code = time_batch(timer, 1);
    if (code != cudaSuccess)
        return code;
    double one_ms = timer->ms[0] > 0.001 ? timer->ms[0] : 0.001;
    double affordable = budget_ms > 0 ? budget_ms / one_ms : 0;
    if (affordable >= BATCH + 1)
        timer->count = 0; /* the first launch after a pause is slower, so it counts as warm-up */
    uint32_t wanted = affordable > MAX_LAUNCHES ? MAX_LAUNCHES : (uint32_t)affordable;
    while (timer->count < wanted && code == cudaSuccess) {
        uint32_t left = wanted - timer->count;
        code = time_batch(timer, left < BATCH ? (int)left : BATCH);
        if (timer->count >= BATCH && smc_clock_ms() - start_ms > budget_ms)
            break;
    }
    return code;
}

/* The times whose ranks are half a confidence interval from the median's, by the binomial
   distribution of how many times lie below the true median. */
static void find_interval(const double *sorted, uint32_t n, struct smc_run_result *result)
{
    double half = 1.96 * sqrt(n) / 2, below = floor((n - 1) / 2.0 - half);
    double above = ceil((n - 1) / 2.0 + half);
    result->median_low_ms = sorted[below > 0 ? (uint32_t)below : 0];
    result->median_high_ms = sorted[above < n - 1 ? (uint32_t)above : n - 1];
}

enum smc_status smc_gpu_time(const struct smc_gpu_work *work, int gpu_index, uint32_t timeout_ms,
                             double budget_ms, struct smc_run_result *result,
                             struct smc_error *error)
{
    struct timer timer = {
        .work = work,
        .gpu_index = gpu_index,
        .timeout_ms = timeout_ms,
        .finish = &result->finish,
    };
    cudaError_t code = create_watches(&timer);
    if (code == cudaSuccess)
        code = time_launches(&timer, budget_ms);
    destroy_watches(&timer);
    if (code == cudaErrorNotReady) {
        smc_not_made(&result->timing, result->finish.message);
        return SMC_OK;
    }
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "timing");
    uint32_t n = timer.count;
    smc_numbers_sort(timer.ms, n);
    result->timing = (struct smc_attempt){.made = true, .succeeded = true};
    result->timed_launches = n;
    result->median_ms = smc_numbers_median(timer.ms, n);
    find_interval(timer.ms, n, result);
    result->fastest_ms = timer.ms[0];
    result->slowest_ms = timer.ms[n - 1];
    result->sm_clock_khz = timer.sm_clock_khz;
    return SMC_OK;
}

/* --- An empty launch -------------------------------------------------------------------------- */

const struct smc_kernel smc_gpu_empty_kernel = {
    SMC_KERNEL_NAMES(ceiling_launch, "ceiling-launch"),
    .defines = smc_defines_nothing,
};

/* What is launched instead of timed work, after the same preparation. */
struct empty_work {
    const struct smc_gpu_work *work;
    struct smc_gpu_kernel kernel;
    uint32_t grid[3], block[3];
};

static cudaError_t prepare_empty(void *context)
{
    const struct empty_work *empty = context;
    return empty->work->prepare ? empty->work->prepare(empty->work->context) : cudaSuccess;
}

static cudaError_t launch_empty_work(void *context)
{
    const struct empty_work *empty = context;
    return smc_gpu_start(&empty->kernel, empty->grid, empty->block, 0, NULL);
}

/* Where the kernel cannot be compiled or loaded, nothing is measured. */
static bool load_empty_kernel(const struct smc_run_request *request, uint16_t cc,
                              struct smc_gpu_kernel *kernel)
{
    const struct smc_params params = {0};
    const struct smc_compile_request compile = {&smc_gpu_empty_kernel, &params, cc,
                                                &request->answer->query.compile};
    struct smc_binary binary = {0};
    struct smc_resources resources;
    struct smc_attempt attempt = {0};
    struct smc_error error = {""};
    bool loads = smc_compile(&compile, &resources, &binary, NULL, &error) == SMC_OK &&
                 smc_gpu_load(&binary, smc_gpu_empty_kernel.entry, kernel, &attempt);
    smc_binary_free(&binary);
    return loads;
}

cudaError_t smc_gpu_median_launch(const struct smc_gpu_work *work, int gpu_index,
                                  uint32_t timeout_ms, struct smc_attempt *finish, double *ms)
{
    enum { BATCHES = 3 };
    struct timer timer = {
        .work = work, .gpu_index = gpu_index, .timeout_ms = timeout_ms, .finish = finish};
    cudaError_t code = create_watches(&timer);
    if (code == cudaSuccess)
        code = time_batch(&timer, 1);
    timer.count = 0;
    for (int i = 0; i < BATCHES && code == cudaSuccess; i++)
        code = time_batch(&timer, BATCH);
    destroy_watches(&timer);
    if (code != cudaSuccess)
        return code;
    smc_numbers_sort(timer.ms, timer.count);
    *ms = smc_numbers_median(timer.ms, timer.count);
    return code;
}

enum smc_status smc_gpu_time_empty(const struct smc_gpu_work *work,
                                   const struct smc_run_request *request,
                                   const struct smc_device *device, struct smc_run_result *result,
                                   struct smc_error *error)
{
    const double longest_ms = 1; /* of which no empty launch is half a percent */
    const struct smc_plan *plan = &request->answer->plan;
    const uint64_t blocks = (uint64_t)plan->grid[0] * plan->grid[1] * plan->grid[2];
    struct empty_work empty = {
        .work = work,
        .grid = {(uint32_t)smc_at_most(blocks, device->sm_count), 1, 1},
        .block = {plan->block[0], plan->block[1], plan->block[2]},
    };
    const struct smc_gpu_work of = {launch_empty_work, prepare_empty, &empty, false};
    const struct smc_run_settings *settings = request->settings;
    if (!result->timing.succeeded || result->median_ms >= longest_ms ||
        !load_empty_kernel(request, device->sm.cc, &empty.kernel))
        return SMC_OK;
    double ms = 0;
    cudaError_t code =
        smc_gpu_median_launch(&of, settings->gpu_index, settings->timeout_ms, &result->finish, &ms);
    if (!smc_is_lost(&result->finish))
        smc_gpu_unload(&empty.kernel);
    if (code == cudaErrorNotReady)
        return SMC_OK;
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "timing empty launches");
    result->empty_launch_ms = ms;
    return SMC_OK;
}

/* --- Counters --------------------------------------------------------------------------------- */

/* CUPTI supports only one GPU at a time. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static enum smc_status launch_counted(const struct smc_gpu_work *work,
                                      struct smc_counters *counters, double *values,
                                      struct smc_error *error)
{
    size_t launches = 0;
    cudaError_t code = work->prepare ? work->prepare(work->context) : cudaSuccess;
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "preparing the launch to count");
    SMC_TRY(smc_counters_begin(counters, error));
    code = work->launch(work->context);
    enum smc_status status = smc_counters_end(counters, &launches, error);
    if (code != cudaSuccess)
        return smc_gpu_fail(error, code, "the launch to count");
    if (status == SMC_OK && launches != 1)
        return smc_fail(error, SMC_MACHINE, "the counters saw %zu launches, not 1", launches);
    return status == SMC_OK ? smc_counters_read(counters, 0, values, error) : status;
}

static enum smc_status gpu_measure_count(const struct smc_gpu_work *work,
                                         const struct smc_run_request *request,
                                         struct smc_run_result *result, struct smc_error *error)
{
    static const char unit_stores[] = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum";
    const char *names[SMC_METRIC_COUNT];
    struct smc_counters *counters;
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        names[i] = smc_metric_info[i].name;
    if (request->user) { /* the instrumented counters leave out matrices */
        names[SMC_METRIC_SHARED_LOADS] = "smsp__inst_executed_op_shared_ld_pred_on_any.sum";
        names[SMC_METRIC_SHARED_STORES] = "smsp__inst_executed_op_shared_st_pred_on_any.sum";
    }
    if (work->stores_matrices)
        names[SMC_METRIC_SHARED_STORE_WAVEFRONTS] = unit_stores;
    if (!request->user && smc_loads_are_words(request->answer))
        names[SMC_METRIC_SHARED_LOAD_WAVEFRONTS] = SMC_INSTRUMENTED_LOADS;
    enum smc_status status = smc_counters_open(request->settings->gpu_index, names,
                                               SMC_METRIC_COUNT, 1, &counters, error);
    if (status != SMC_OK)
        return status;
    double needed_ms = result->median_ms * (double)smc_counters_passes(counters);
    if (needed_ms > request->settings->timeout_ms)
        status = smc_fail(
            error, SMC_SHORTFALL,
            "counting takes %zu launches of %.4g ms, more than the %u ms of --timeout",
            smc_counters_passes(counters), result->median_ms, request->settings->timeout_ms);
    else
        status = launch_counted(work, counters, result->counted, error);
    smc_counters_close(counters);
    return status;
}

enum smc_status smc_gpu_count(const struct smc_gpu_work *work,
                              const struct smc_run_request *request,
                              const struct smc_device *device, struct smc_run_result *result,
                              struct smc_error *error)
{
    struct smc_error why = {""};
    if (request->settings->no_counters)
        return SMC_OK;
    pthread_mutex_lock(&one_at_a_time);
    enum smc_status status = gpu_measure_count(work, request, result, &why);
    pthread_mutex_unlock(&one_at_a_time);
    result->counting.made = status != SMC_UNAVAILABLE && status != SMC_SHORTFALL;
    result->counting.succeeded = status == SMC_OK;
    snprintf(result->counting.message, sizeof result->counting.message, "%s%.200s",
             status != SMC_OK && smc_gpu_is_slice(device) ? "on a MIG instance: " : "",
             why.message);
    return status == SMC_MACHINE ? smc_gpu_check_context(error) : SMC_OK;
}
