/* Random launches of the catalog, and three predictions of a launch's time. */
#include "timed_launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

const char *const bench_model_name[BENCH_MODELS] = {"model", "roofline", "naive maximum"};

/* --- Drawing ---------------------------------------------------------------------------------- */

enum { LEAST_SIZE = 64, MOST_SIZE = 6000, MOST_RADIUS = 2000, MOST_TRIES = 1000 };

struct dice {
    uint64_t start, rolled;
};

static uint64_t below(struct dice *dice, uint64_t count)
{
    return smc_random_bits(dice->start, dice->rolled++) % count;
}

static int64_t one_of(struct dice *dice, const int64_t *values, size_t count)
{
    return values[below(dice, count)];
}
#define ONE_OF(dice, ...)                                                                          \
    one_of(dice, (const int64_t[]){__VA_ARGS__},                                                   \
           sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Every power of two is as likely as the next. */
static int64_t scale(struct dice *dice, int64_t least, int64_t most)
{
    double share = (double)below(dice, 1u << 30) / (1u << 30);
    return (int64_t)((double)least * pow((double)(most + 1) / (double)least, share));
}

static int64_t size_of(struct dice *dice)
{
    return scale(dice, LEAST_SIZE, MOST_SIZE);
}

static const struct smc_kernel *draw_kernel(struct dice *dice)
{
    for (;;) {
        const struct smc_kernel *kernel = smc_kernel_at(below(dice, smc_kernel_count()));
        if (!kernel->is_probe && !kernel->is_racy && !kernel->has_clusters) /* predicted */
            return kernel;
    }
}

static enum smc_dtype draw_dtype(struct dice *dice, const struct smc_kernel *kernel)
{
    for (;;) {
        uint64_t dtype = below(dice, SMC_DTYPE_COUNT);
        if (kernel->dtypes >> dtype & 1)
            return (enum smc_dtype)dtype;
    }
}

/* A third of the products are square. */
static void draw_sizes(struct dice *dice, struct smc_params *params)
{
    bool is_square = below(dice, 3) == 0;
    for (int p = SMC_PARAM_M; p <= SMC_PARAM_K; p++)
        params->value[p] =
            is_square && p > SMC_PARAM_M ? params->value[SMC_PARAM_M] : size_of(dice);
    params->value[SMC_PARAM_LENGTH] = size_of(dice) * size_of(dice);
}

static void draw_shape(struct dice *dice, struct smc_params *params)
{
    int64_t *value = params->value;
    if (below(dice, 3) == 0)
        return; /* the kernel's own */
    value[SMC_PARAM_BLOCK_M] = ONE_OF(dice, 32, 64, 128, 256);
    value[SMC_PARAM_BLOCK_N] = ONE_OF(dice, 32, 64, 128, 256);
    value[SMC_PARAM_BLOCK_K] = ONE_OF(dice, 4, 8, 16, 32);
    value[SMC_PARAM_THREAD_M] = ONE_OF(dice, 2, 4, 8, 16);
    value[SMC_PARAM_THREAD_N] = ONE_OF(dice, 2, 4, 8, 16);
    value[SMC_PARAM_STAGES] = ONE_OF(dice, 2, 3, 4);
}

static void draw_parameters(struct dice *dice, const struct smc_kernel *kernel,
                            struct smc_params *params)
{
    int64_t *value = params->value;
    smc_params_init(kernel, params);
    value[SMC_PARAM_DTYPE] = draw_dtype(dice, kernel);
    draw_sizes(dice, params);
    draw_shape(dice, params);
    value[SMC_PARAM_TILE] = below(dice, 2) ? ONE_OF(dice, 8, 16, 32) : 4 + (int64_t)below(dice, 29);
    if (below(dice, 2))
        value[SMC_PARAM_PAD] = ONE_OF(dice, 0, 1, 2, 4, 8);
    value[SMC_PARAM_BLOCK] = 32 + 32 * (int64_t)below(dice, 32);
    value[SMC_PARAM_RADIUS] = scale(dice, 1, MOST_RADIUS);
    if (strcmp(kernel->family, "reverse") == 0) /* one block reverses all */
        value[SMC_PARAM_LENGTH] = size_of(dice);
    for (int p = 0; p < SMC_PARAM_COUNT; p++)
        if (!(kernel->params >> p & 1))
            value[p] = smc_param_info[p].initial;
    params->given = 0;
}

/* Whether it compiles and launches, apart from registers: those of the largest shapes are judged by
   the prediction. */
static bool fits(const struct smc_kernel *kernel, const struct smc_params *drawn,
                 const struct smc_device *device)
{
    struct smc_params params = *drawn;
    struct smc_error error = {""};
    struct smc_plan plan;
    if (kernel->complete(kernel, &params, &error) != SMC_OK)
        return false;
    kernel->plan(kernel, &params, &plan);
    return plan.static_smem_bytes <= device->sm.smem_per_block_default_bytes &&
           plan.dynamic_smem_bytes <= device->sm.smem_per_block_optin_bytes &&
           plan.threads_per_block <= device->sm.max_threads_per_block;
}

void bench_draw(uint64_t seed, uint64_t number, const struct smc_device *device,
                struct bench_launch *launch)
{
    struct dice dice = {.start = smc_random_bits(seed, number)};
    *launch = (struct bench_launch){.kernel = draw_kernel(&dice)};
    launch->carveout_percent =
        below(&dice, 2) ? SMC_CARVEOUT_DEFAULT : (int)ONE_OF(&dice, 0, 25, 50, 75, 100);
    snprintf(launch->device, sizeof launch->device, "%s", device->name);
    for (int i = 0; i < MOST_TRIES; i++) {
        draw_parameters(&dice, launch->kernel, &launch->params);
        if (fits(launch->kernel, &launch->params, device))
            return;
    }
}

/* --- Predicting ------------------------------------------------------------------------------- */

static double greater(double a, double b)
{
    return a > b ? a : b;
}

static double ms_of(double amount, double per_second)
{
    return per_second > 0 ? amount / per_second * 1e3 : 0;
}

static double peak_of(const struct smc_answer *answer, enum smc_dtype dtype)
{
    double peak = answer->query.device.fp32_peak_tflops * 1e12;
    double measured = answer->query.ceilings.value[SMC_CEILING_DOUBLE];
    return dtype == SMC_DOUBLE && measured > 0 ? measured : peak;
}

static double roofline_ms(const struct smc_answer *answer)
{
    enum smc_dtype dtype = (enum smc_dtype)answer->query.params.value[SMC_PARAM_DTYPE];
    return greater(ms_of(answer->work.flops, peak_of(answer, dtype)),
                   ms_of(answer->work.minimum_bytes, answer->query.device.memory_bytes_per_s));
}

/* How much longer the SM with the most blocks works than all of them on average. */
static double quantisation(const struct smc_answer *answer)
{
    double blocks = (double)answer->plan.grid_blocks, sms = answer->query.device.sm_count;
    return sms > 0 && blocks > 0 ? ceil(blocks / sms) * sms / blocks : 1;
}

static double naive_ms(const struct smc_answer *answer)
{
    const struct smc_work *work = &answer->work;
    const struct smc_device *device = &answer->query.device;
    const double *ceiling = answer->query.ceilings.value;
    double sectors = 0, ms = roofline_ms(answer);
    for (size_t i = 0; i < work->access_count; i++)
        sectors += work->access[i].sectors;
    ms = greater(ms, ms_of(32 * sectors, ceiling[SMC_CEILING_L2]));
    if (answer->has_work && answer->workload.has_shared) {
        const struct smc_shared_work *shared = &answer->workload.shared;
        ms = greater(ms, ms_of(shared->loads.wavefronts + shared->stores.wavefronts,
                               device->sm_count * (double)device->sm_clock_khz * 1e3));
    }
    return ms * quantisation(answer);
}

static void leave_out(struct bench_launch *launch, const char *why)
{
    snprintf(launch->note, sizeof launch->note, "%s", why);
    for (char *c = launch->note; *c; c++)
        if (*c == ',' || *c == '"' || *c == '\n')
            *c = ';';
}

static void apply_limits(const struct bench_limits *limits, struct bench_launch *launch)
{
    double longest = greater(launch->ms[BENCH_MODEL], launch->ms[BENCH_ROOFLINE]);
    if (launch->time.basis == SMC_TIME_UNKNOWN)
        leave_out(launch, launch->time.reason[0] ? launch->time.reason : "no prediction");
    else if (longest > limits->ms)
        leave_out(launch, "it takes too long");
    else if (launch->memory_bytes > limits->bytes)
        leave_out(launch, "it needs too much memory");
}

static uint64_t memory_of(const struct smc_plan *plan)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < plan->buffer_count; i++)
        bytes += plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype);
    return bytes;
}

static bool read_buffer(void *context, uint64_t offset, size_t bytes, void *to)
{
    memcpy(to, (const unsigned char *)context + offset, bytes);
    return true;
}

/* The time of a launch whose buffers hold what `fill` gives them. */
static enum smc_status predict_filled(const struct bench_prediction *prediction,
                                      struct smc_answer *answer, struct smc_error *error)
{
    const struct smc_query *query = &answer->query;
    const struct smc_plan *plan = &answer->plan;
    struct smc_resources resources;
    SMC_AUTO(smc_binary_free) struct smc_binary binary = {0};
    struct smc_time_arguments arguments = {0};
    void *values[SMC_MAX_BUFFERS] = {NULL};
    enum smc_status status = smc_compile(
        &(struct smc_compile_request){query->kernel, &query->params,
                                      smc_time_code_cc(query->device.sm.cc), &query->compile},
        &resources, &binary, NULL, error);
    if (status == SMC_OK)
        smc_query_add_arguments(plan, &arguments);
    for (size_t i = 0; i < arguments.memory_count && status == SMC_OK; i++) {
        struct smc_time_memory *memory = &arguments.memory[i];
        values[i] = smc_malloc(memory->bytes);
        if (!values[i])
            status = smc_out_of_memory(error);
        else if (prediction->fill(query->kernel, &query->params, i, prediction->seed, values[i])) {
            memory->contents = read_buffer;
            memory->context = values[i];
        }
    }
    if (status == SMC_OK)
        status = smc_query_predict_time(answer, &binary, query->kernel->entry, &arguments, error);
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(values[i]);
    return status;
}

enum smc_status bench_predict(const struct bench_prediction *prediction,
                              struct bench_launch *launch, struct smc_error *error)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_text warnings = {0};
    struct smc_error why = {""};
    smc_query_init(&query);
    query.kernel = launch->kernel;
    query.params = launch->params;
    query.device = *prediction->device;
    query.ceilings = *prediction->ceilings;
    query.compile = prediction->compile;
    query.settings.carveout_percent = launch->carveout_percent;
    enum smc_status status = smc_query_evaluate(&query, NULL, &answer, &warnings, &why);
    smc_text_free(&warnings);
    if (status == SMC_OK && launch->kernel->work) {
        smc_query_find_work(&answer);
        status = prediction->fill ? predict_filled(prediction, &answer, &why)
                                  : smc_query_find_time(&answer, &why);
    }
    if (status == SMC_MACHINE)
        return smc_fail(error, status, "%s", why.message);
    if (status != SMC_OK) {
        leave_out(launch, why.message);
        return SMC_OK;
    }
    launch->params = answer.query.params;
    launch->time = answer.time;
    launch->memory_bytes = memory_of(&answer.plan);
    launch->ms[BENCH_MODEL] = answer.time.predicted_ms;
    launch->ms[BENCH_ROOFLINE] = roofline_ms(&answer);
    launch->ms[BENCH_NAIVE] = naive_ms(&answer);
    apply_limits(&prediction->limits, launch);
    return SMC_OK;
}

double bench_error(const struct bench_launch *launch, enum bench_model model)
{
    if (launch->note[0] || launch->median_ms <= 0 || launch->ms[model] <= 0)
        return -1;
    return fabs(launch->ms[model] - launch->median_ms) / launch->median_ms;
}
