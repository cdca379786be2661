/* smemcalc limits: for each number of blocks per SM, what a block may have at most. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/output.h"
#include "model/headroom.h"

static smc_command_function run;

const struct smc_command smc_command_limits = {
    .name = "limits",
    .usage = "FILE | --threads N | --tile N | --kernel NAME [OPTION]...",
    .help = "the most registers and shared memory for each number of blocks",
    .examples = "  smemcalc limits --threads 256 --device \"RTX 4090\"\n"
                "  smemcalc limits --threads 256 --regs 40 --device A100 --device 9.0\n"
                "  smemcalc limits x.cu --entry saxpy --device H100\n",
    .most_files = 1,
    .run = run,
};

/* What was given stays as it is. */
static struct smc_headroom *find_headroom(const struct smc_answer *answers, size_t count)
{
    struct smc_headroom *headroom = smc_calloc(count, sizeof *headroom);
    for (size_t i = 0; i < count && headroom; i++) {
        const struct smc_answer *answer = &answers[i];
        struct smc_fixed fixed = {.regs = answer->regs_given,
                                  .dynamic_smem = answer->dynamic_smem_given};
        struct smc_sm sm;
        smc_query_bounded_sm(answer, &sm);
        smc_headroom_find(&sm, &answer->launch, fixed, &headroom[i]);
    }
    return headroom;
}

static enum smc_status report(const struct smc_arguments *arguments,
                              const struct smc_answer *answers, size_t count, struct smc_text *out,
                              struct smc_error *error)
{
    struct smc_report_style style;
    struct smc_headroom *headroom = find_headroom(answers, count);
    if (!headroom)
        return smc_out_of_memory(error);
    smc_output_style(&style);
    smc_ask_writer(arguments)->headroom(answers, headroom, count, &style, out);
    free(headroom);
    return SMC_OK;
}

static enum smc_status run_numbers(const struct smc_arguments *arguments, struct smc_text *out,
                                   struct smc_error *error)
{
    struct smc_query query;
    struct smc_questions questions = {0};
    enum smc_status status = smc_ask_query(arguments, &query, error);
    if (status == SMC_OK)
        status = smc_ask_questions(arguments, &query, &questions, error);
    if (status == SMC_OK)
        status = smc_answer_questions(&questions, error);
    if (status == SMC_OK)
        status = report(arguments, questions.answer, questions.count, out, error);
    smc_questions_free(&questions);
    return status;
}

static enum smc_status run(const struct smc_arguments *arguments, struct smc_text *out,
                           struct smc_error *error)
{
    bool file;
    enum smc_status status = smc_ask_whether_file(arguments, &file, error);
    if (status != SMC_OK)
        return status;
    return file ? smc_answer_file(arguments, report, out, error)
                : run_numbers(arguments, out, error);
}
