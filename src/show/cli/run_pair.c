/* smemcalc run FILE --compare OTHER: two of your own kernels, launched alike and compared. */

#include "base/memory.h"
#include "base/sandbox.h"
#include "show/cli/cmd_run.h"
#include "show/cli/interrupt.h"
#include "show/cli/output.h"

static enum smc_status run_pair_check_options(const struct smc_arguments *arguments,
                                              struct smc_error *error)
{
    int range = smc_run_next_range(arguments, 0);
    if (arguments->file_count < 2)
        return smc_fail(error, SMC_USAGE,
                        "option --compare: name the other kernel, FILE or FILE:KERNEL, such as "
                        "run %.64s --compare other.cu",
                        arguments->text[SMC_OPTION_SOURCE]);
    SMC_TRY(smc_refuse_given(arguments,
                             SMC_OPTIONS(SMC_OPTION_ANNOTATE, SMC_OPTION_SANITIZE, SMC_OPTION_DUMP,
                                         SMC_OPTION_ROOFLINE, SMC_OPTION_EXPLAIN),
                             error, "for one run; --compare asks for two"));
    if (range < SMC_OPTION_COUNT)
        return smc_fail(error, SMC_USAGE, "option --%s: a range is for kernels of the catalog",
                        smc_options[range].name);
    if (arguments->number[SMC_OPTION_ON] == SMC_ON_BOTH)
        return smc_fail(error, SMC_USAGE,
                        "option --on: 'both' is for one run; --compare asks for two: gpu or "
                        "emulator");
    return SMC_OK;
}

/* One kernel of the pair; too large for the stack. */
struct run_pair_member {
    struct smc_user_request request;
    struct smc_user_run run;
    struct smc_run_settings settings;
};

static enum smc_status prepare_member(const struct smc_arguments *arguments,
                                      struct run_pair_member *member, struct smc_error *error)
{
    SMC_AUTO(smc_chosen_devices_free) struct smc_chosen_devices devices = {0};
    SMC_TRY(smc_run_source_ask(arguments, &member->request, &member->settings, &devices, error));
    member->settings.no_counters = true; /* reading them takes longer than the run */
    member->settings.no_probe = true;
    member->settings.stop = smc_interrupt_seen;
    return smc_run_source_prepare(&member->request, &member->run, error);
}

static enum smc_status launch_pair(const struct smc_arguments *arguments,
                                   struct smc_user_pair *pair, struct smc_error *error)
{
    struct smc_text warnings = {0};
    smc_interrupt_watch(); /* not earlier: an interrupt during compilation ends the program */
    if (arguments->given[SMC_OPTION_PREDICT_ONLY])
        return SMC_OK;
    if (pair->run[0]->request.settings->place == SMC_ON_EMULATOR)
        smc_sandbox_enter(SMC_SANDBOX_READING);
    enum smc_status status = smc_user_pair_launch(pair, &warnings, error);
    smc_output_warn(&warnings);
    return status;
}

static enum smc_status run_members(const struct smc_arguments *arguments,
                                   struct run_pair_member *members, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_arguments other = *arguments;
    struct smc_error why = {""};
    smc_auto_free struct smc_user_pair *pair = smc_calloc(1, sizeof *pair);
    enum smc_status status = pair ? SMC_OK : smc_out_of_memory(error);
    if (status == SMC_OK) {
        pair->run[0] = &members[0].run;
        pair->run[1] = &members[1].run;
        other.text[SMC_OPTION_ENTRY] = smc_file_divide(arguments->file[1]);
        other.text[SMC_OPTION_SOURCE] = arguments->file[1];
        status = prepare_member(arguments, &members[0], error);
    }
    if (status == SMC_OK)
        status = prepare_member(&other, &members[1], error);
    else if (status == SMC_UNAVAILABLE && /* the user's own faults come first */
             prepare_member(&other, &members[1], &why) == SMC_USAGE)
        status = smc_fail(error, SMC_USAGE, "%s", why.message);
    if (status == SMC_OK)
        status = launch_pair(arguments, pair, error);
    if (status == SMC_OK) {
        smc_output_style(out);
        smc_user_pair_compare(pair);
        smc_ask_writer(arguments)->pair(pair, out);
    }
    for (int i = 0; i < SMC_PAIR; i++)
        smc_user_free(&members[i].run); /* the requests point to the names */
    return status;
}

enum smc_status smc_run_pair(const struct smc_arguments *arguments, struct smc_text *out,
                             struct smc_error *error)
{
    SMC_TRY(run_pair_check_options(arguments, error));
    smc_auto_free struct run_pair_member *members = smc_calloc(SMC_PAIR, sizeof *members);
    if (!members)
        return smc_out_of_memory(error);
    return run_members(arguments, members, out, error);
}
