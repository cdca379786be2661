/* A question in one line of the command line's words: split into words, read as a command's
   arguments, answered by the functions that answer the command. */
#include "show/cli/ask_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/report/writers.h"

enum { MOST_WORDS = 64 };

/* The words point into `text`. */
struct worded {
    char *text;
    char *word[MOST_WORDS];
    int count;
    struct smc_arguments arguments;
    struct smc_chosen_devices devices;
};

/* --- Words ------------------------------------------------------------------------------------ */

/* Copies one word to `to`, without its quotes. Returns false if a quote is not closed. */
static bool copy_word(const char **from, char **to)
{
    char quote = '\0';
    for (; **from && (quote || !isspace((unsigned char)**from)); ++*from) {
        if (quote ? **from == quote : **from == '\'' || **from == '"')
            quote = quote ? '\0' : **from;
        else
            *(*to)++ = **from;
    }
    *(*to)++ = '\0';
    return !quote;
}

static enum smc_status question_split_words(const char *words, struct worded *worded,
                                            struct smc_error *error)
{
    worded->text = smc_malloc(strlen(words) + MOST_WORDS + 1);
    char *to = worded->text;
    if (!to)
        return smc_out_of_memory(error);
    for (words += strspn(words, " \n"); *words; words += strspn(words, " \n")) {
        if (worded->count == MOST_WORDS)
            return smc_fail(error, SMC_USAGE, "a question has at most %d words", MOST_WORDS);
        worded->word[worded->count++] = to;
        if (!copy_word(&words, &to))
            return smc_fail(error, SMC_USAGE, "a quote is not closed in '%s'",
                            worded->word[worded->count - 1]);
    }
    return SMC_OK;
}

/* What a lesson asks changes nothing and goes nowhere. */
static enum smc_status check_options(const struct smc_arguments *arguments, struct smc_error *error)
{
    static const bool refused[SMC_OPTION_COUNT] = {
        [SMC_OPTION_CSV] = true,    [SMC_OPTION_SOURCE] = true,     [SMC_OPTION_SANITIZE] = true,
        [SMC_OPTION_GPU] = true,    [SMC_OPTION_KERNEL_DIR] = true, [SMC_OPTION_DEVICE_FILE] = true,
        [SMC_OPTION_LAYOUT] = true, [SMC_OPTION_COMPARE] = true,
    };
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (arguments->given[i] && (refused[i] || smc_options[i].group == SMC_GROUP_OUTPUT))
            return smc_fail(error, SMC_USAGE, "option --%s: not in a lesson", smc_options[i].name);
    if (arguments->file_count > 0)
        return smc_fail(error, SMC_USAGE, "'%.64s': a lesson asks about no file",
                        arguments->file[0]);
    return SMC_OK;
}

static enum smc_status question_read_words(const struct smc_worded_question *question,
                                           struct worded *worded, struct smc_error *error)
{
    static const bool known[SMC_COMMAND_COUNT] = {
        [SMC_COMMAND_QUERY] = true,  [SMC_COMMAND_BANKS] = true, [SMC_COMMAND_CARVEOUT] = true,
        [SMC_COMMAND_LIMITS] = true, [SMC_COMMAND_RUN] = true,
    };
    enum smc_command_id command = SMC_COMMAND_QUERY;
    SMC_TRY(question_split_words(question->words, worded, error));
    const bool named = worded->count > 0 && worded->word[0][0] != '-';
    if (named && (!smc_command_find(worded->word[0], &command) || !known[command]))
        return smc_fail(error, SMC_USAGE,
                        "'%.64s': a lesson asks query, banks, carveout, limits or run",
                        worded->word[0]);
    SMC_TRY(smc_arguments_read(command, worded->count - named, worded->word + named,
                               &worded->arguments, error));
    return check_options(&worded->arguments, error);
}

/* Start from {0}. */
static void free_words(struct worded *worded)
{
    smc_chosen_devices_free(&worded->devices);
    free(worded->text);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static enum smc_status question_find_device(const struct smc_worded_question *question,
                                            struct worded *worded, struct smc_device *device,
                                            struct smc_error *error)
{
    SMC_TRY(smc_ask_named_device(&worded->arguments, &worded->devices, error));
    *device = worded->devices.count > 0 ? worded->devices.chosen->device : *question->device;
    return SMC_OK;
}

static enum smc_status question_ask_launch(const struct smc_worded_question *question,
                                           struct worded *worded, struct smc_query *query,
                                           struct smc_error *error)
{
    SMC_TRY(smc_ask_query(&worded->arguments, query, error));
    SMC_TRY(question_find_device(question, worded, &query->device, error));
    smc_ceilings_of_board(query->device.name, &query->ceilings);
    query->compile = *question->compile;
    return SMC_OK;
}

/* A question while it is answered. */
struct answering {
    const struct smc_worded_question *question;
    struct worded *worded;
    const struct smc_worded_answer *to;
    struct smc_error *error;
};

static void report_launch(const struct answering *answering, const struct smc_answer *answer)
{
    json_t *members = answering->to->members;
    struct smc_text *out = answering->to->out;
    const enum smc_command_id command = answering->worded->arguments.command;
    struct smc_carveouts carveouts;
    struct smc_headroom headroom;
    if (command == SMC_COMMAND_CARVEOUT) {
        smc_carveouts_find(&answer->query.device.sm, &answer->launch, &carveouts);
        if (members)
            smc_json_carveouts(members, answer, &carveouts, 1);
        else
            smc_writer_text.carveouts(answer, &carveouts, 1, out);
    } else if (command == SMC_COMMAND_LIMITS) {
        const struct smc_fixed fixed = {.regs = answer->regs_given,
                                        .dynamic_smem = answer->dynamic_smem_given};
        smc_headroom_find(&answer->query.device.sm, &answer->launch, fixed, &headroom);
        if (members)
            smc_json_limits(members, answer, &headroom, 1);
        else
            smc_writer_text.limits(answer, &headroom, 1, out);
    } else if (members) {
        smc_json_answers(members, answer, 1);
    } else {
        smc_writer_text.answers(answer, 1, out);
    }
}

/* Better no member than null, which would say that it is unknown. */
static void remove_unasked(json_t *members)
{
    static const char *const unasked[] = {"workload", "time", "time_reason"};
    for (size_t i = 0; i < sizeof unasked / sizeof *unasked && members; i++)
        json_object_del(members, unasked[i]);
}

/* Members have no next steps, which take the longest. */
static enum smc_status answer_launch(const struct answering *answering)
{
    const struct smc_worded_question *question = answering->question;
    struct smc_query query;
    smc_auto_free struct smc_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(answering->error);
    SMC_TRY(question_ask_launch(question, answering->worded, &query, answering->error));
    SMC_TRY(answering->to->members
                ? smc_query_evaluate(&query, NULL, answer, question->warnings, answering->error)
                : smc_query_answer(&query, answer, question->warnings, answering->error));
    if (question->whole) {
        smc_query_find_work(answer);
        SMC_TRY(smc_query_find_time(answer, answering->error));
    }
    report_launch(answering, answer);
    if (!question->whole)
        remove_unasked(answering->to->members);
    return SMC_OK;
}

static enum smc_status answer_banks(const struct answering *answering)
{
    struct smc_error *error = answering->error;
    struct smc_banks_query query;
    smc_auto_free struct smc_banks_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(error);
    SMC_TRY(smc_ask_banks(&answering->worded->arguments, &query, error));
    SMC_TRY(question_find_device(answering->question, answering->worded, &query.device, error));
    if (!query.kernel)
        SMC_TRY(
            smc_banks_check_op(query.op, query.width_bytes, &query.device.sm, "option --", error));
    SMC_TRY(smc_banks_answer(&query, answer, error));
    if (answering->to->members)
        smc_json_banks(answering->to->members, answer);
    else
        smc_writer_text.banks(answer, answering->to->out);
    return SMC_OK;
}

/* Always on the emulator, for the question's device. A confirmation that failed is an answer. */
static enum smc_status answer_run(const struct answering *answering)
{
    struct smc_query query;
    struct smc_run_settings settings = SMC_RUN_SETTINGS_INIT;
    size_t count = 0;
    smc_auto_free struct smc_confirmed_run *runs = smc_calloc(SMC_MOST_RUNS, sizeof *runs);
    if (!runs)
        return smc_out_of_memory(answering->error);
    settings.place = SMC_ON_EMULATOR;
    enum smc_status status =
        question_ask_launch(answering->question, answering->worded, &query, answering->error);
    if (status == SMC_OK)
        status = smc_confirm_launch(&query, &settings, runs, &count, answering->question->warnings,
                                    answering->error);
    if (count > 0 && status <= SMC_SHORTFALL) {
        if (answering->to->members)
            smc_json_runs(answering->to->members, runs, count);
        else
            smc_writer_text.runs(runs, count, answering->to->out);
        status = SMC_OK;
    }
    return status;
}

enum smc_status smc_ask_words(const struct smc_worded_question *question,
                              const struct smc_worded_answer *answer, struct smc_error *error)
{
    SMC_AUTO(free_words) struct worded worded = {0};
    const struct smc_report_style style = {.columns = question->columns, .utf8 = question->utf8};
    const struct answering answering = {
        .question = question, .worded = &worded, .to = answer, .error = error};
    if (answer->out)
        answer->out->style = &style;
    enum smc_status status = question_read_words(question, &worded, error);
    if (status == SMC_OK && worded.arguments.command == SMC_COMMAND_BANKS)
        status = answer_banks(&answering);
    else if (status == SMC_OK && worded.arguments.command == SMC_COMMAND_RUN)
        status = answer_run(&answering);
    else if (status == SMC_OK)
        status = answer_launch(&answering);
    if (answer->out)
        answer->out->style = NULL;
    return status;
}

enum smc_status smc_ask_words_launch(const struct smc_worded_question *question,
                                     struct smc_query *query, struct smc_error *error)
{
    SMC_AUTO(free_words) struct worded worded = {0};
    SMC_TRY(question_read_words(question, &worded, error));
    if (worded.arguments.command != SMC_COMMAND_QUERY)
        return smc_fail(error, SMC_USAGE, "'%.64s' is about no launch", question->words);
    return question_ask_launch(question, &worded, query, error);
}
