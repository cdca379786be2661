/* One launch, from the question to its verdicts. */
#include "confirm/launch.h"

#include "base/machine.h"

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

static struct smc_run_request request_of(const struct smc_answer *answer,
                                         const struct smc_run_settings *settings)
{
    return (struct smc_run_request){
        .kernel = answer->query.kernel,
        .params = answer->query.params,
        .plan = answer->plan,
        .launch = answer->launch,
        .device = answer->query.device,
        .gpu_index = settings->gpu_index,
        .cc = answer->query.device.sm.cc,
        .seed = settings->seed,
        .timeout_ms = settings->timeout_ms,
        .no_counters = settings->no_counters,
        .compile = answer->query.compile,
        .stop = settings->stop,
        .progress = settings->progress,
        .annotation = settings->annotation,
    };
}

enum smc_status smc_confirm_one(const struct smc_query *query,
                                const struct smc_run_settings *settings,
                                struct smc_confirmed_run *run, struct smc_text *warnings,
                                struct smc_error *error)
{
    enum smc_status status = smc_query_answer(query, &run->answer, warnings, error);
    if (status != SMC_OK)
        return status;
    struct smc_run_request request = request_of(&run->answer, settings);
    status = smc_place_executor(settings->place)->run(&request, &run->result, warnings, error);
    smc_machine_host_name(run->result.host_name);
    run->result.seed = settings->seed;
    if (status != SMC_OK)
        return status;
    smc_confirm(&run->answer, &run->result, &run->confirmation);
    smc_conflict_fix_find(&run->answer, &run->result, &run->conflicts);
    run->has_result = true;
    if (smc_is_lost(&run->result.finish))
        return smc_fail(error, SMC_MACHINE, "%s", run->result.finish.message);
    return smc_confirmation_status(&run->confirmation);
}

/* Of two kernels it must be said which has no end. */
static enum smc_status confirm_named(const struct smc_query *query,
                                     const struct smc_run_settings *settings,
                                     struct smc_confirmed_run *run, struct smc_text *warnings,
                                     struct smc_error *error)
{
    enum smc_status status = smc_confirm_one(query, settings, run, warnings, error);
    if (run->has_result && smc_is_lost(&run->result.finish))
        smc_fail(error, status, "%s: %s", query->kernel->name, run->result.finish.message);
    return status;
}

enum smc_status smc_confirm_launch(const struct smc_query *query,
                                   const struct smc_run_settings *settings,
                                   struct smc_confirmed_run runs[SMC_MOST_RUNS], size_t *count,
                                   struct smc_text *warnings, struct smc_error *error)
{
    enum smc_status status = confirm_named(query, settings, &runs[0], warnings, error);
    *count = runs[0].has_result;
    const char *sibling = query->kernel ? query->kernel->sibling : NULL;
    if (status > SMC_SHORTFALL || runs[0].answer.outcome != SMC_CANNOT_COMPILE || !sibling)
        return status;
    struct smc_query other = *query;
    other.kernel = smc_kernel_find(sibling);
    enum smc_status second = confirm_named(&other, settings, &runs[1], warnings, error);
    *count += runs[1].has_result;
    return second > status ? second : status;
}
