/* smemcalc run --compare, or with a range: several runs compared. */
#include <string.h>

#include "base/memory.h"
#include "show/cli/cmd_run.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"
#include "show/cli/progress.h"

static enum smc_status run_series_check_options(const struct smc_arguments *arguments,
                                                struct smc_error *error)
{
    int range = smc_run_next_range(arguments, 0);
    const char *what = smc_options[range < SMC_OPTION_COUNT ? range : SMC_OPTION_COMPARE].name;
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_fail(error, SMC_USAGE,
                        "option --%s: several runs are for kernels of the catalog, not for "
                        "--source",
                        what);
    if (arguments->given[SMC_OPTION_ANNOTATE])
        return smc_fail(error, SMC_USAGE, "option --annotate: for one run; --%s asks for several",
                        what);
    if (arguments->number[SMC_OPTION_GPU] == SMC_ALL_GPUS)
        return smc_fail(error, SMC_USAGE,
                        "option --gpu: 'all' is for one run; --%s asks for several", what);
    if (arguments->number[SMC_OPTION_ON] == SMC_ON_BOTH)
        return smc_fail(error, SMC_USAGE,
                        "option --on: 'both' is for one run; --%s asks for several: gpu or "
                        "emulator",
                        what);
    return smc_ask_no_source(arguments, error);
}

static enum smc_series_vary vary_of(int option)
{
    return option == SMC_OPTION_CARVEOUT       ? SMC_VARY_CARVEOUT
           : option == SMC_OPTION_CACHE_CONFIG ? SMC_VARY_CACHE_CONFIG
           : option == SMC_OPTION_DYNAMIC_SMEM ? SMC_VARY_DYNAMIC_SMEM
                                               : SMC_VARY_PARAM;
}

static enum smc_status ask_axis(const struct smc_arguments *arguments, struct smc_series_axis *axis,
                                struct smc_error *error)
{
    int option = smc_run_next_range(arguments, 0),
        second = smc_run_next_range(arguments, option + 1);
    if (option == SMC_OPTION_COUNT)
        return SMC_OK;
    if (second < SMC_OPTION_COUNT)
        return smc_fail(error, SMC_USAGE,
                        "option --%s: a second range after --%s; a run varies one value",
                        smc_options[second].name, smc_options[option].name);
    axis->vary = vary_of(option);
    if (axis->vary == SMC_VARY_PARAM)
        axis->param = (enum smc_param)(option - SMC_OPTION_FIRST_PARAM);
    const char *step = strchr(arguments->text[option], ':');
    bool stepped = step && strchr(step + 1, ':');
    enum smc_status status = smc_series_take_range(&arguments->range[option], stepped, axis, error);
    return smc_fail_in(error, status, "option --%s", smc_options[option].name);
}

/* The kernels to run: the one named, or its family; `family` is NULL for one. */
static enum smc_status ask_members(const struct smc_arguments *arguments, const char **family,
                                   const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS],
                                   size_t *count, struct smc_error *error)
{
    const char *name = arguments->text[SMC_OPTION_KERNEL];
    *count = name && !smc_kernel_find(name) ? smc_series_members(name, member) : 0;
    *family = *count > 0 ? member[0]->family : NULL;
    if (*family)
        return SMC_OK;
    SMC_TRY(smc_ask_named_kernel(arguments, &member[0], error));
    *count = 1;
    if (!arguments->given[SMC_OPTION_COMPARE])
        return SMC_OK;
    if (member[0]->is_racy)
        return smc_fail(
            error, SMC_USAGE,
            "option --compare: not with %s, which has an intended race and is not timed",
            member[0]->name);
    *family = member[0]->family;
    *count = smc_series_members(*family, member);
    return *count > 1
               ? SMC_OK
               : smc_fail(error, SMC_USAGE, "option --compare: %s is alone in its family", *family);
}

/* What the options say of the runs, wherever they are made. */
struct asked {
    const char *family; /* NULL: one kernel */
    struct smc_series_axis axis;
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count;
};

/* A parameter that only other kernels of the family accept is ignored. */
static enum smc_status run_series_ask_queries(const struct smc_arguments *arguments,
                                              struct asked *asked, struct smc_error *error)
{
    const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS];
    uint32_t accepted = 0;
    SMC_TRY(ask_members(arguments, &asked->family, member, &asked->count, error));
    SMC_TRY(ask_axis(arguments, &asked->axis, error));
    for (size_t i = 0; i < asked->count; i++)
        accepted |= member[i]->params;
    for (size_t i = 0; i < asked->count; i++)
        SMC_TRY(smc_ask_query_of(arguments, member[i], accepted & ~member[i]->params,
                                 &asked->query[i], error));
    return SMC_OK;
}

static enum smc_status build_at(const struct smc_query *place, bool emulated, struct asked *asked,
                                struct smc_series *series, struct smc_error *error)
{
    for (size_t i = 0; i < asked->count; i++) {
        struct smc_query *query = &asked->query[i];
        query->device = place->device;
        memcpy(query->device_note, place->device_note, sizeof query->device_note);
        query->device_assumed = place->device_assumed;
        query->ceilings = place->ceilings;
    }
    series->family = asked->family;
    series->axis = asked->axis;
    return smc_series_build(asked->query, asked->count, emulated, series, error);
}

static enum smc_status run_series_ask(const struct smc_arguments *arguments,
                                      struct smc_run_settings *settings,
                                      struct smc_chosen_devices *devices, struct smc_series *series,
                                      struct smc_error *error)
{
    struct smc_query place;
    struct asked asked = {.count = 0};
    struct smc_arguments placed = *arguments;
    smc_query_init(&place);
    if (arguments->given[SMC_OPTION_PREDICT_ONLY]) {
        placed.number[SMC_OPTION_ON] = SMC_ON_EMULATOR; /* any device */
        placed.given[SMC_OPTION_PREDICT_ONLY] = false;
    }
    SMC_TRY(run_series_check_options(&placed, error));
    if (arguments->given[SMC_OPTION_PREDICT_ONLY])
        SMC_TRY(smc_refuse_given(arguments, SMC_OPTIONS(SMC_OPTION_ON), error,
                                 "not with --dry-run, which runs nothing"));
    SMC_TRY(run_series_ask_queries(arguments, &asked, error));
    SMC_TRY(smc_ask_place(&placed, settings, devices, &place, error));
    SMC_TRY(build_at(&place, settings->place == SMC_ON_EMULATOR, &asked, series, error));
    smc_idle_warn_of(arguments, &place.device);
    settings->only_predicts = arguments->given[SMC_OPTION_PREDICT_ONLY];
    settings->no_counters = true; /* reading them takes longer than the run */
    smc_run_make_stoppable(arguments, settings);
    if (!settings->stop) { /* between runs */
        settings->stop = smc_interrupt_requested;
        smc_interrupt_watch();
    }
    return SMC_OK;
}

/* What ran is reported, even if a run failed or the rest was stopped. */
static enum smc_status series_run(const struct smc_arguments *arguments,
                                  const struct smc_run_settings *settings,
                                  struct smc_series *series, struct smc_text *out,
                                  struct smc_error *error)
{
    struct smc_progress progress;
    struct smc_text warnings = {0};
    smc_progress_begin(&progress, series->count, "runs");
    enum smc_status stopped =
        smc_series_run(series, settings, smc_progress_step, &progress, &warnings, error);
    smc_progress_erase(&progress);
    smc_output_warn(&warnings);
    bool any = false;
    for (size_t i = 0; i < series->count; i++)
        any |= series->run[i].seen.has_result;
    if (any) {
        smc_output_style(out);
        smc_ask_writer(arguments)->series(series, out);
    }
    return stopped == SMC_OK ? smc_series_status(series, error)
                             : smc_run_fail_stopped(settings, error);
}

enum smc_status smc_run_series(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error)
{
    struct smc_run_settings settings;
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    SMC_AUTO(smc_series_free) struct smc_series series = {0};
    SMC_TRY(run_series_ask(arguments, &settings, &devices, &series, error));
    return series_run(arguments, &settings, &series, out, error);
}
