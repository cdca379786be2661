/* smemcalc carveout: the sizes of an SM's shared memory, and the blocks at each. */

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"

/* Any of these describes a launch; without one only the device is asked about. */
static bool describes_launch(const struct smc_arguments *arguments)
{
    for (int i = 0; i < SMC_OPTION_COUNT; i++) {
        bool about = smc_options[i].group == SMC_GROUP_KERNEL ||
                     smc_options[i].group == SMC_GROUP_OWN ||
                     smc_options[i].group == SMC_GROUP_LAUNCH || i == SMC_OPTION_KERNEL_DIR;
        if (about && arguments->given[i])
            return true;
    }
    return false;
}

static enum smc_status cmd_carveout_report(const struct smc_arguments *arguments,
                                           const struct smc_answer *answers, size_t count,
                                           struct smc_text *out, struct smc_error *error)
{
    smc_auto_free struct smc_carveouts *carveouts = smc_calloc(count, sizeof *carveouts);
    if (!carveouts)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct smc_sm sm;
        smc_query_bounded_sm(&answers[i], &sm);
        smc_carveouts_find(&sm, &answers[i].launch, &carveouts[i]);
    }
    smc_output_style(out);
    smc_ask_writer(arguments)->carveouts(answers, carveouts, count, out);
    return SMC_OK;
}

/* Without a launch the answers hold only the questions. */
static enum smc_status report_devices(const struct smc_arguments *arguments, struct smc_text *out,
                                      struct smc_error *error)
{
    struct smc_query query;
    SMC_AUTO(smc_questions_free) struct smc_questions questions = {0};
    smc_query_init(&query);
    SMC_TRY(smc_ask_questions(arguments, &query, &questions, error));
    questions.answer = smc_calloc(questions.count, sizeof *questions.answer);
    if (!questions.answer)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < questions.count; i++)
        questions.answer[i].query = questions.query[i];
    return cmd_carveout_report(arguments, questions.answer, questions.count, out, error);
}

enum smc_status smc_cmd_carveout(const struct smc_arguments *arguments, struct smc_text *out,
                                 struct smc_error *error)
{
    return arguments->file_count > 0 || describes_launch(arguments)
               ? smc_answer_launches(arguments, cmd_carveout_report, out, error)
               : report_devices(arguments, out, error);
}
