/* What the back ends share: their list, the answer and the compilation for a launch, the
   metrics. */
#include "hardware/executor.h"

#include "hardware/executor/counters.h"

const struct smc_executor *smc_place_executor(enum smc_place place)
{
    switch (place) {
    case SMC_ON_EMULATOR:
        return &smc_executor_emulator;
    case SMC_ON_BOTH:
        return &smc_executor_both;
    case SMC_ON_GPU:
        break;
    }
    return smc_executor_default();
}

/* The emulator needs no machine code: without NVRTC it uses the built-in PTX. */
static enum smc_status executor_compile(const struct smc_query *query, enum smc_place place,
                                        struct smc_compiled *compiled, struct smc_text *warnings,
                                        struct smc_error *error)
{
    struct smc_params params = query->params;
    struct smc_compile_options options = query->compile;
    options.ptx_suffices = place == SMC_ON_EMULATOR;
    SMC_TRY(query->kernel->complete(query->kernel, &params, error));
    return smc_compile(
        &(struct smc_compile_request){query->kernel, &params, query->device.sm.cc, &options},
        &compiled->resources, &compiled->binary, warnings, error);
}

/* A register count given by the user does not come from the compiler and may be wrong, so this is
   reported before anything is compiled. */
enum smc_status smc_run_answer(const struct smc_query *query, enum smc_place place,
                               struct smc_answer *answer, struct smc_compiled *compiled,
                               struct smc_text *warnings, struct smc_error *error)
{
    bool given = query->regs_per_thread != SMC_NOT_GIVEN && !query->compile.kernel_dir;
    *compiled = (struct smc_compiled){0};
    if (!given)
        SMC_TRY(executor_compile(query, place, compiled, warnings, error));
    SMC_TRY(smc_query_evaluate(query, &compiled->resources, answer, warnings, error));
    if (given)
        SMC_TRY(executor_compile(query, place, compiled, warnings, error));
    smc_query_find_work(answer);
    smc_query_find_next_steps(answer);
    return smc_query_find_time(answer, error);
}

void smc_run_set_empty_launch(const struct smc_run_result *result, struct smc_time *time)
{
    if (result->empty_launch_ms > 0 && time->basis != SMC_TIME_UNKNOWN)
        smc_time_set_empty_launch(time, result->empty_launch_ms);
}

enum smc_status smc_gpu_examine_counters(int index, bool *found, struct smc_error *error)
{
    const char *names[SMC_METRIC_COUNT];
    struct smc_counters *counters = NULL;
    for (int i = 0; i < SMC_METRIC_COUNT; i++)
        names[i] = smc_metric_info[i].name;
    enum smc_status status = smc_counters_find(error);
    *found = status == SMC_OK;
    if (status == SMC_OK)
        status = smc_counters_open(index, names, SMC_METRIC_COUNT, 1, &counters, error);
    smc_counters_close(counters);
    return status;
}
