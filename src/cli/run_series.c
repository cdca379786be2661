/* smemcalc run --compare, or with a range: several runs side by side. */
#include "cli/run_series.h"

#include "cli/ask.h"
#include "cli/ask_place.h"
#include "cli/ask_series.h"
#include "cli/idle_options.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/run_stop.h"

static enum smc_status ask(const struct smc_arguments *arguments, struct smc_run_settings *settings,
                           struct smc_chosen_devices *devices, struct smc_series *series,
                           struct smc_error *error)
{
    struct smc_query place;
    smc_query_init(&place);
    enum smc_status status = smc_ask_series_check(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_place(arguments, settings, devices, &place, error);
    if (status == SMC_OK)
        status =
            smc_ask_series(arguments, &place, settings->place == SMC_ON_EMULATOR, series, error);
    if (status != SMC_OK)
        return status;
    struct smc_idle_options idle = {0};
    smc_idle_consider(arguments, &place.device, &idle);
    smc_idle_tell(&idle);
    settings->no_counters = true; /* for each run they would take longer than all the rest */
    smc_run_make_stoppable(arguments, settings);
    if (!settings->stop) { /* between runs */
        settings->stop = smc_interrupt_wished;
        smc_interrupt_watch();
    }
    return SMC_OK;
}

static void step(void *context, size_t done)
{
    smc_progress_step(context, done);
}

/* What ran is reported, also where a run failed or the rest was stopped. */
static enum smc_status run(const struct smc_arguments *arguments,
                           const struct smc_run_settings *settings, struct smc_series *series,
                           struct smc_text *out, struct smc_error *error)
{
    struct smc_progress progress;
    struct smc_text warnings = {0};
    smc_progress_begin(&progress, series->count, "runs");
    enum smc_status stopped = smc_series_run(series, settings, step, &progress, &warnings, error);
    smc_progress_erase(&progress);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    bool any = false;
    for (size_t i = 0; i < series->count; i++)
        any |= series->run[i].seen.has_result;
    if (any) {
        struct smc_report_style style;
        smc_output_style(&style);
        smc_ask_writer(arguments)->series(series, &style, out);
    }
    return stopped == SMC_OK ? smc_series_status(series, error)
                             : smc_run_tell_stopped(settings, error);
}

enum smc_status smc_run_series(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_run_settings settings;
    struct smc_chosen_devices devices = {0};
    struct smc_series series = {0};
    enum smc_status status = ask(arguments, &settings, &devices, &series, error);
    if (status == SMC_OK)
        status = run(arguments, &settings, &series, out, error);
    smc_series_free(&series);
    smc_chosen_devices_free(&devices);
    return status;
}
