/* smemcalc run: launches the kernel and confirms the predictions. */
#include <stdio.h>

#include "base/memory.h"
#include "show/cli/cmd_run.h"
#include "show/cli/output.h"

/* Wrong arguments are wrong on each GPU: then there is nothing to report. */
static bool is_wrong_usage(const struct smc_all_gpus *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->part[i].status != SMC_USAGE)
            return false;
    return all->count > 0;
}

static void tell_part(const struct smc_gpu_part *part)
{
    char kind[32];
    snprintf(kind, sizeof kind, "warning: GPU %d: ", part->gpu_index);
    smc_output_tell(kind, smc_text_string(&part->warnings));
    snprintf(kind, sizeof kind, "GPU %d: ", part->gpu_index);
    if (smc_gpu_part_failed(part))
        smc_output_tell(kind, part->error.message);
}

static void add_ceilings(struct smc_query *query)
{
    smc_ask_ceilings(query, 1);
}

static void cmd_run_report(const struct smc_arguments *arguments, const struct smc_all_gpus *all,
                           struct smc_text *out)
{
    struct smc_idle_options idle = {0};
    for (size_t i = 0; i < all->count; i++)
        if (all->part[i].device.name[0])
            smc_idle_consider(arguments, &all->part[i].device, &idle);
    smc_idle_warn(&idle);
    for (size_t i = 0; i < all->count; i++)
        tell_part(&all->part[i]);
    smc_output_style(out);
    smc_ask_writer(arguments)->all_gpus(all, out);
}

static enum smc_status run_on_all(const struct smc_arguments *arguments,
                                  const struct smc_query *query,
                                  const struct smc_run_settings *settings, struct smc_text *out,
                                  struct smc_error *error)
{
    SMC_AUTO(smc_all_gpus_free) struct smc_all_gpus all;
    enum smc_status status = smc_confirm_all_gpus(query, settings, add_ceilings, &all, error);
    if (is_wrong_usage(&all))
        *error = all.part[0].error;
    else if (all.count > 0)
        cmd_run_report(arguments, &all, out);
    return status;
}

/* --sanitize: `status` is that of the runs, whose comparisons do not count. */
static enum smc_status sanitize(const struct smc_arguments *arguments,
                                const struct smc_confirmed_run *runs, size_t count,
                                enum smc_status status, struct smc_text *out,
                                struct smc_error *error)
{
    struct smc_sanitized sanitized[SMC_MOST_RUNS];
    if (status > SMC_SHORTFALL || count == 0)
        return status;
    for (size_t i = 0; i < count; i++) {
        const struct smc_answer *answer = &runs[i].answer;
        if (!runs[i].result.emulation.made)
            return smc_fail(error, SMC_USAGE, "option --sanitize: %.64s was not run: %s",
                            answer->query.kernel->name, runs[i].result.emulation.message);
        sanitized[i] =
            (struct smc_sanitized){answer->query.kernel->file, answer->query.kernel->name,
                                   answer->query.device.name, &runs[i].result.emulated};
    }
    return smc_sanitize_report(arguments, sanitized, count, out, error);
}

static enum smc_status cmd_run_query(const struct smc_arguments *arguments,
                                     const struct smc_query *query,
                                     const struct smc_run_settings *settings, struct smc_text *out,
                                     struct smc_error *error)
{
    smc_auto_free struct smc_confirmed_run *runs =
        smc_calloc(SMC_MOST_RUNS, sizeof *runs); /* too large for the stack */
    if (!runs)
        return smc_out_of_memory(error);
    smc_idle_warn_of(arguments, &query->device);
    struct smc_text warnings = {0};
    size_t count = 0;
    enum smc_status status = smc_confirm_launch(query, settings, runs, &count, &warnings, error);
    smc_output_warn(&warnings);
    if (arguments->given[SMC_OPTION_SANITIZE]) {
        status = sanitize(arguments, runs, count, status, out, error);
    } else if (count > 0) {
        smc_output_style(out);
        smc_ask_writer(arguments)->runs(runs, count, out);
    }
    return status;
}

static enum smc_status run_options(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    SMC_AUTO(smc_annotation_free) struct smc_annotation annotation = {0};
    struct smc_query query;
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    struct smc_run_settings settings;
    if (arguments->given[SMC_OPTION_COMPARE] && arguments->given[SMC_OPTION_SOURCE])
        return smc_run_pair(arguments, out, error);
    if (smc_asks_series(arguments))
        return smc_run_series(arguments, out, error);
    if (arguments->given[SMC_OPTION_SOURCE])
        return smc_run_source(arguments, out, error);
    enum smc_status status = smc_ask_no_source(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = smc_ask_place(arguments, &settings, &devices, &query, error);
    if (status == SMC_OK) {
        smc_run_make_stoppable(arguments, &settings);
        settings.annotation = arguments->given[SMC_OPTION_ANNOTATE] ? &annotation : NULL;
    }
    if (status == SMC_OK)
        status = settings.gpu_index == SMC_ALL_GPUS
                     ? run_on_all(arguments, &query, &settings, out, error)
                     : cmd_run_query(arguments, &query, &settings, out, error);
    return status == SMC_INTERRUPTED ? smc_run_fail_stopped(&settings, error) : status;
}

enum smc_status smc_cmd_run(const struct smc_arguments *arguments, struct smc_text *out,
                            struct smc_error *error)
{
    struct smc_arguments own = *arguments;
    SMC_TRY(smc_sanitize_ask(&own, error));
    if (arguments->file_count == 2 && !arguments->given[SMC_OPTION_COMPARE])
        return smc_fail(error, SMC_USAGE, "'%.64s': a second FILE only with --compare",
                        arguments->file[1]);
    SMC_TRY(smc_ask_source(&own, error));
    return run_options(&own, out, error);
}
