/* smemcalc query, or smemcalc with nothing but options: one question, on one device or several. */
#include "base/program.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"

static smc_command_function run;

const struct smc_command smc_command_query = {
    .name = "query",
    .usage = "[OPTION]...",
    .help = "how many blocks fit on one SM, and what limits them",
    .examples = "  smemcalc --tile 32 --device \"RTX 4090\"\n"
                "  smemcalc --threads 256 --regs 40 --smem 8K --device 9.0 --explain\n",
    .run = run,
};

/* A picture in the terminal replaces the text. */
static enum smc_status report(const struct smc_arguments *arguments,
                              const struct smc_answer *answers, size_t count,
                              enum smc_plot_target target, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_report_style style;
    smc_output_style(&style);
    style.explain = arguments->given[SMC_OPTION_EXPLAIN];
    const struct smc_writer *writer = smc_ask_writer(arguments);
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
                        "option --plot: one device at a time; '%s sweep' draws several",
                        smc_program_name());
    return status;
}

/* Only the text report has the arithmetic. */
static enum smc_status check_explain(const struct smc_arguments *arguments,
                                     enum smc_plot_target target, struct smc_error *error)
{
    if (!arguments->given[SMC_OPTION_EXPLAIN])
        return SMC_OK;
    if (smc_ask_writer(arguments) != &smc_writer_text)
        return smc_fail(error, SMC_USAGE, "option --explain: not with --format %s, only with text",
                        arguments->text[SMC_OPTION_FORMAT]);
    if (target == SMC_PLOT_TERMINAL)
        return smc_fail(error, SMC_USAGE,
                        "option --explain: not with --plot -, which draws instead of the text");
    return SMC_OK;
}

static enum smc_status answer(const struct smc_arguments *arguments,
                              struct smc_questions *questions, struct smc_text *out,
                              struct smc_error *error)
{
    enum smc_plot_target target;
    enum smc_status status = check_picture(arguments, questions->count, &target, error);
    if (status == SMC_OK)
        status = check_explain(arguments, target, error);
    if (status == SMC_OK)
        status = smc_answer_questions(questions, error);
    if (status == SMC_OK)
        status = report(arguments, questions->answer, questions->count, target, out, error);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    struct smc_query query;
    struct smc_questions questions = {0};
    enum smc_status status = smc_ask_query(arguments, &query, error);
    query.try_bounds = arguments->given[SMC_OPTION_EXPLAIN];
    if (status == SMC_OK)
        status = smc_ask_questions(arguments, &query, &questions, error);
    if (status == SMC_OK)
        status = answer(arguments, &questions, out, error);
    smc_questions_free(&questions);
    return status;
}
