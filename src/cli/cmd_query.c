/* smemcalc query, or smemcalc with nothing but options: one question, on one device or several. */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/ask_devices.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/picture.h"

static enum smc_status answer_all(const struct smc_chosen_devices *devices,
                                  const struct smc_query *query, struct smc_answer *answers,
                                  size_t count, struct smc_text *warnings, struct smc_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct smc_query asked = *query;
        enum smc_status status = smc_ask_query_device(devices, i, &asked, error);
        if (status == SMC_OK)
            status = smc_query_answer(&asked, &answers[i], warnings, error);
        if (status != SMC_OK)
            return status;
    }
    return SMC_OK;
}

/* A picture in the terminal takes the place of the text. */
static enum smc_status report(const struct smc_arguments *arguments,
                              const struct smc_answer *answers, size_t count,
                              enum smc_plot_target target, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_report_style style;
    smc_output_style(&style);
    style.explain = arguments->given[SMC_OPTION_EXPLAIN];
    const struct smc_writer *writer = smc_ask_writer(arguments);
    for (size_t i = 0; i < count && writer != &smc_writer_json; i++)
        smc_output_tell("note: ", answers[i].query.device_note);
    if (target != SMC_PLOT_TERMINAL)
        writer->answers(answers, count, &style, out);
    if (target == SMC_PLOT_NOWHERE)
        return SMC_OK;
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, &style);
    smc_plot_query(&answers[0], &canvas, &picture);
    return smc_picture_finish(arguments, target, &picture, &style, out, error);
}

static enum smc_status check_picture(const struct smc_arguments *arguments, size_t count,
                                     enum smc_plot_target *target, struct smc_error *error)
{
    enum smc_status status = smc_picture_target(arguments, target, error);
    if (status == SMC_OK && *target != SMC_PLOT_NOWHERE && count > 1)
        return smc_fail(error, SMC_USAGE,
                        "option --plot: one device at a time; 'smemcalc sweep' draws several");
    return status;
}

static enum smc_status ask(const struct smc_arguments *arguments, const struct smc_query *query,
                           const struct smc_chosen_devices *devices, struct smc_text *out,
                           struct smc_error *error)
{
    size_t count = devices->count ? devices->count : 1;
    enum smc_plot_target target;
    enum smc_status status = check_picture(arguments, count, &target, error);
    if (status != SMC_OK)
        return status;
    struct smc_answer *answers = calloc(count, sizeof *answers);
    if (!answers)
        return smc_fail(error, SMC_MACHINE, "out of memory");
    struct smc_text warnings = {0};
    status = answer_all(devices, query, answers, count, &warnings, error);
    smc_output_tell("warning: ", smc_text_string(&warnings));
    smc_text_free(&warnings);
    if (status == SMC_OK)
        status = report(arguments, answers, count, target, out, error);
    free(answers);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_query query;
    struct smc_chosen_devices devices = {0};
    enum smc_status status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = smc_ask_devices(arguments, SMC_MAX_DEVICES, &devices, error);
    if (status == SMC_OK)
        status = ask(arguments, &query, &devices, out, error);
    smc_chosen_devices_free(&devices);
    return status;
}

const struct smc_command smc_command_query = {
    .name = "query",
    .usage = "[OPTION]...",
    .help = "how many blocks fit on an SM, and what stops the next one",
    .examples = "  smemcalc --tile 32 --device \"RTX 4090\"\n"
                "  smemcalc --threads 256 --regs 40 --smem 8K --device 9.0 --explain\n",
    .run = run,
};
