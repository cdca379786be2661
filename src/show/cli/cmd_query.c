/* smemcalc query, or smemcalc with nothing but options: one question, on one device or several. */

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

/* --- Pictures --------------------------------------------------------------------------------- */

static enum smc_status cmd_draw_roofline(const struct smc_arguments *arguments,
                                         const struct smc_answer *answer,
                                         const struct smc_canvas *canvas,
                                         struct smc_picture *picture, struct smc_error *error)
{
    size_t relatives = 0;
    smc_auto_free struct smc_answer *answers = smc_calloc(1 + SMC_MOST_RELATIVES, sizeof *answers);
    if (!answers)
        return smc_out_of_memory(error);
    answers[0] = *answer;
    if (arguments->given[SMC_OPTION_FAMILY])
        SMC_TRY(smc_family_answer(answer, answers + 1, &relatives, NULL, error));
    SMC_TRY(smc_roofline_check(answers, 1 + relatives, error));
    smc_plot_roofline(answers, 1 + relatives, canvas, picture);
    return SMC_OK;
}

/* A picture in the terminal replaces the text. Nothing is reported if it cannot be drawn. */
static enum smc_status cmd_report(const struct smc_arguments *arguments,
                                  const struct smc_answer *answers, size_t count,
                                  enum smc_plot_target target, struct smc_text *out,
                                  struct smc_error *error)
{
    struct smc_report_style *style = smc_output_style(out);
    style->explain = arguments->given[SMC_OPTION_EXPLAIN];
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    if (arguments->given[SMC_OPTION_ROOFLINE])
        SMC_TRY(cmd_draw_roofline(arguments, &answers[0], &canvas, &picture, error));
    else if (target != SMC_PLOT_NOWHERE)
        smc_plot_query(&answers[0], &canvas, &picture);
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->answers(answers, count, out);
    return smc_picture_finish(arguments, target, &picture, out, error);
}

static enum smc_status cmd_check_picture(const struct smc_arguments *arguments, size_t count,
                                         enum smc_plot_target *target, struct smc_error *error)
{
    enum smc_status status = smc_roofline_target(arguments, target, error);
    if (status != SMC_OK || *target == SMC_PLOT_NOWHERE || count <= 1)
        return status;
    if (arguments->given[SMC_OPTION_ROOFLINE])
        return smc_fail(error, SMC_USAGE, "option --roofline: one device at a time");
    return smc_fail(error, SMC_USAGE,
                    "option --plot: one device at a time; '%s sweep' draws several",
                    smc_program_name());
}

/* --- The whole -------------------------------------------------------------------------------- */

enum smc_status smc_cmd_query(const struct smc_arguments *arguments, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_query query;
    SMC_AUTO(smc_questions_free) struct smc_questions questions = {0};
    SMC_TRY(smc_ask_query(arguments, &query, error));
    query.try_bounds = arguments->given[SMC_OPTION_EXPLAIN];
    SMC_TRY(smc_ask_questions(arguments, &query, &questions, error));
    enum smc_plot_target target;
    SMC_TRY(cmd_check_picture(arguments, questions.count, &target, error));
    SMC_TRY(smc_answer_questions(&questions, error));
    for (size_t i = 0; i < questions.count; i++) {
        struct smc_answer *answered = &questions.answer[i];
        if (answered->regs_given && answered->outcome == SMC_LAUNCHES)
            SMC_TRY(smc_bound_cost_find(answered, answered->launch.regs_per_thread,
                                        &answered->regs_cost, error));
    }
    return cmd_report(arguments, questions.answer, questions.count, target, out, error);
}
