/* Measures the shapes that were ranked first: each is run once, its result checked, its launches
   timed. */
#include "hardware/confirm/tuning.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"

/* The step that failed, if any. */
static const struct smc_attempt *failed_step(const struct smc_run_result *result)
{
    const struct smc_attempt *const steps[] = {&result->compile, &result->load,   &result->opt_in,
                                               &result->launch,  &result->finish, &result->timing};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i]->made && !steps[i]->succeeded)
            return steps[i];
    return NULL;
}

void smc_tuning_note(const struct smc_run_result *result, struct smc_tune_shape *shape)
{
    const struct smc_attempt *failed = failed_step(result);
    shape->wrong = result->check.made && !result->check.succeeded;
    shape->measured = !failed && result->timing.made && result->timed_launches > 0;
    if (shape->measured) {
        shape->timed_launches = result->timed_launches;
        shape->median_ms = result->median_ms;
        shape->fastest_ms = result->fastest_ms;
        shape->slowest_ms = result->slowest_ms;
    }
    if (shape->wrong)
        snprintf(shape->why, sizeof shape->why, "%llu of %llu compared elements are wrong",
                 (unsigned long long)result->comparison.wrong,
                 (unsigned long long)result->comparison.checked);
    else if (failed || !shape->measured)
        snprintf(shape->why, sizeof shape->why, "%.199s",
                 failed ? failed->message : result->timing.message);
}

enum smc_status smc_tuning_run_catalog(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                       const struct smc_run_settings *settings,
                                       struct smc_text *warnings, struct smc_error *error)
{
    struct smc_query query;
    struct smc_compiled compiled;
    smc_auto_free struct smc_answer *answer =
        smc_calloc(1, sizeof *answer); /* too large for the stack */
    smc_auto_free struct smc_run_result *result = smc_calloc(1, sizeof *result);
    if (!answer || !result)
        return smc_out_of_memory(error);
    const struct smc_run_request request = {
        .answer = answer,
        .compiled = &compiled,
        .settings = settings,
    };
    smc_tune_ask(tune, shape->value, &query);
    enum smc_status status =
        smc_run_answer(&query, settings->place, answer, &compiled, warnings, error);
    if (status == SMC_OK)
        status = smc_place_executor(settings->place)->run(&request, result, warnings, error);
    if (status == SMC_OK)
        smc_tuning_note(result, shape);
    if (status == SMC_OK && smc_is_lost(&result->finish))
        status = smc_fail(error, SMC_MACHINE, "%s", result->finish.message);
    smc_binary_free(&compiled.binary);
    return status;
}

enum smc_status smc_tuning_measure(struct smc_tune *tune, smc_tuning_run_function *run,
                                   const struct smc_run_settings *settings,
                                   const struct smc_tune_watcher *watcher,
                                   struct smc_text *warnings, struct smc_error *error)
{
    size_t wanted = tune->wanted < tune->ranked ? tune->wanted : tune->ranked;
    for (size_t i = 0; i < wanted; i++) {
        struct smc_tune_shape *shape = smc_tune_next(tune);
        struct smc_error why = {""};
        struct smc_text heard = {0};
        tune->cut_short = true;
        if (watcher->stop && watcher->stop())
            return smc_fail(error, SMC_INTERRUPTED, "interrupted after %zu of %zu runs", i, wanted);
        enum smc_status status = run(tune, shape, settings, &heard, &why);
        smc_text_move_new(&heard, warnings);
        shape->tried = true;
        shape->turn = i + 1;
        smc_tune_learn(tune);
        if (status != SMC_OK)
            snprintf(shape->why, sizeof shape->why, "%.199s", why.message);
        if (status == SMC_MACHINE)
            return smc_fail(error, status, "run %zu of %zu: %.900s", i + 1, wanted, why.message);
        if (watcher->step)
            watcher->step(watcher->context, i + 1);
    }
    tune->cut_short = false;
    return SMC_OK;
}
