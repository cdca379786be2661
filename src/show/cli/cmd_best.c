/* smemcalc best: which block size, or which tile, to use, and why. */

#include "base/memory.h"
#include "show/cli/ask.h"
#include "show/cli/output.h"
#include "show/words/words.h"

/* Of --by. */
enum { BY_TIME, BY_OCCUPANCY };

static bool is_time_demanded(const struct smc_arguments *arguments)
{
    return arguments->given[SMC_OPTION_RANK_BY] && arguments->number[SMC_OPTION_RANK_BY] == BY_TIME;
}

/* What is not of the catalog has no arguments, so no time. */
static enum smc_status cmd_best_check_own(const struct smc_arguments *arguments,
                                          struct smc_error *error)
{
    if (!is_time_demanded(arguments))
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "option --by: 'time' is only for kernels of the catalog (--kernel), whose "
                    "arguments are known; '%s help tune' ranks your own source by time",
                    smc_program_name());
}

/* A kernel of the catalog, or the numbers of your own. */
static enum smc_status cmd_best_ask(const struct smc_arguments *arguments, struct smc_query *query,
                                    struct smc_error *error)
{
    static const enum smc_option_id numbers[] = {
        SMC_OPTION_REGS, SMC_OPTION_SMEM, SMC_OPTION_DYNAMIC_SMEM, SMC_OPTION_SMEM_PER_THREAD};
    if (arguments->given[SMC_OPTION_KERNEL]) {
        if (arguments->given[SMC_OPTION_TOTAL_THREADS])
            return smc_fail(error, SMC_USAGE,
                            "option --total-threads: only for your own kernel; "
                            "--size sets the problem of one of the catalog");
        return smc_ask_query(arguments, query, error);
    }
    for (int i = 0; i < SMC_OPTION_COUNT; i++)
        if (arguments->given[i] &&
            (smc_options[i].group == SMC_GROUP_KERNEL || i == SMC_OPTION_KERNEL_DIR))
            return smc_fail(error, SMC_USAGE, "option --%s: name its kernel with --kernel",
                            smc_options[i].name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (arguments->given[numbers[i]]) {
            smc_query_init(query);
            smc_ask_launch(arguments, query);
            return cmd_best_check_own(arguments, error);
        }
    return smc_fail(error, SMC_USAGE,
                    "nothing to choose for: give a FILE of your own kernels, --kernel NAME, or "
                    "--regs N and --smem BYTES");
}

/* A kernel whose shape is neither a tile nor a block. */
static enum smc_status check_choice(const struct smc_query *query, struct smc_error *error)
{
    smc_auto_text options = {0};
    if (!query->kernel || smc_best_has_choice(query->kernel))
        return SMC_OK;
    smc_words_options(&query->params, query->kernel->name, &options);
    smc_words_device_option(query, &options);
    return smc_fail(error, SMC_USAGE,
                    "option --kernel: %s accepts neither --tile nor --block; '%s tune %.500s' "
                    "ranks its shapes",
                    query->kernel->name, smc_program_name(), smc_text_string(&options));
}

/* The first size without a prediction, if the sizes had to rank by time. */
static enum smc_status check_times(const struct smc_arguments *arguments,
                                   const struct smc_best *best, size_t count,
                                   struct smc_error *error)
{
    for (size_t i = 0; i < count && is_time_demanded(arguments); i++)
        if (!best[i].by_time && best[i].no_time[0])
            return smc_fail(error, SMC_UNAVAILABLE, "option --by: there is no predicted time: %s",
                            best[i].no_time);
    return SMC_OK;
}

static enum smc_status cmd_best_find(const struct smc_arguments *arguments,
                                     const struct smc_questions *questions, struct smc_best *best,
                                     struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    struct smc_text warnings = {0};
    int64_t total_threads = arguments->number[SMC_OPTION_TOTAL_THREADS];
    for (size_t i = 0; i < questions->count && status == SMC_OK; i++)
        status = smc_best_find(&questions->query[i], total_threads, &best[i], &warnings, error);
    if (status == SMC_OK && arguments->number[SMC_OPTION_RANK_BY] == BY_TIME)
        status = smc_best_rank_by_time(best, questions->count, error);
    if (status == SMC_OK)
        status = check_times(arguments, best, questions->count, error);
    smc_output_warn(&warnings);
    return status;
}

/* --- A picture -------------------------------------------------------------------------------- */

static enum smc_status check_picture(const struct smc_arguments *arguments, size_t count,
                                     enum smc_plot_target *target, struct smc_error *error)
{
    SMC_TRY(smc_picture_target(arguments, target, error));
    return *target != SMC_PLOT_NOWHERE && count > 1
               ? smc_fail(error, SMC_USAGE, "option --plot: one kernel and one device at a time")
               : SMC_OK;
}

/* Occupancy and predicted time of each candidate. */
static enum smc_status cmd_best_draw(const struct smc_best *best, enum smc_plot_target target,
                                     const struct smc_text *out, struct smc_picture *picture,
                                     struct smc_error *error)
{
    struct smc_canvas canvas = smc_picture_canvas(target, out->style);
    smc_auto_free struct smc_candidates *candidates = smc_calloc(1, sizeof *candidates);
    if (!candidates)
        return smc_out_of_memory(error);
    SMC_TRY(smc_candidates_find(best, candidates, error));
    if (candidates->predicted == 0)
        SMC_TRY(smc_fail(error, SMC_UNAVAILABLE, "option --plot: there is no predicted time: %s",
                         candidates->reason));
    smc_plot_candidates(candidates, &canvas, picture);
    return SMC_OK;
}

/* Nothing is reported if the picture cannot be drawn. */
static enum smc_status cmd_best_report(const struct smc_arguments *arguments,
                                       const struct smc_best *best, size_t count,
                                       enum smc_plot_target target, struct smc_text *out,
                                       struct smc_error *error)
{
    SMC_AUTO(smc_picture_free) struct smc_picture picture = {0};
    smc_output_style(out);
    if (target != SMC_PLOT_NOWHERE)
        SMC_TRY(cmd_best_draw(best, target, out, &picture, error));
    if (target != SMC_PLOT_TERMINAL)
        smc_ask_writer(arguments)->best(best, count, out);
    return smc_picture_finish(arguments, target, &picture, out, error);
}

static enum smc_status cmd_best_answer(const struct smc_arguments *arguments,
                                       const struct smc_questions *questions, struct smc_text *out,
                                       struct smc_error *error)
{
    enum smc_plot_target target;
    SMC_TRY(check_picture(arguments, questions->count, &target, error));
    SMC_TRY(check_choice(&questions->query[0], error));
    smc_auto_free struct smc_best *best = smc_calloc(questions->count, sizeof *best);
    if (!best)
        return smc_out_of_memory(error);
    SMC_TRY(cmd_best_find(arguments, questions, best, error));
    return cmd_best_report(arguments, best, questions->count, target, out, error);
}

/* --- The kernels of a file -------------------------------------------------------------------- */

/* Of each kernel on each device only the proposal is kept, so that a library with thousands of
   kernels fits into memory. */
static enum smc_status find_proposals(const struct smc_arguments *arguments,
                                      const struct smc_asked_file *asked,
                                      struct smc_best_proposal *proposals, struct smc_error *error)
{
    const size_t count = asked->entries.count * asked->device_count;
    int64_t total_threads = arguments->number[SMC_OPTION_TOTAL_THREADS];
    smc_auto_free struct smc_best *best = smc_calloc(1, sizeof *best); /* too large for the stack */
    if (!best)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        SMC_TRY(smc_best_find(&asked->query[i], total_threads, best, NULL, error));
        smc_best_keep(best, &proposals[i]);
    }
    return SMC_OK;
}

static enum smc_status answer_several(const struct smc_arguments *arguments,
                                      const struct smc_asked_file *asked, struct smc_text *out,
                                      struct smc_error *error)
{
    const size_t count = asked->entries.count * asked->device_count;
    enum smc_plot_target target;
    SMC_TRY(check_picture(arguments, count, &target, error));
    smc_auto_free struct smc_best_proposal *proposals = smc_calloc(count, sizeof *proposals);
    if (!proposals)
        return smc_out_of_memory(error);
    SMC_TRY(find_proposals(arguments, asked, proposals, error));
    struct smc_report_style *style = smc_output_style(out);
    style->instances = arguments->given[SMC_OPTION_INSTANCES];
    style->all_kernels = arguments->given[SMC_OPTION_TOP];
    style->most_kernels =
        arguments->number[SMC_OPTION_TOP] > 0 ? (size_t)arguments->number[SMC_OPTION_TOP] : 0;
    smc_ask_writer(arguments)->best_of_kernels(proposals, count, out);
    return SMC_OK;
}

static enum smc_status cmd_best_run_file(const struct smc_arguments *arguments,
                                         struct smc_text *out, struct smc_error *error)
{
    struct smc_asked_file asked = {0};
    enum smc_status status = cmd_best_check_own(arguments, error);
    if (status == SMC_OK)
        status = smc_ask_file(arguments, NULL, false, &asked, error);
    const struct smc_questions questions = {.query = asked.query, .count = asked.device_count};
    if (status == SMC_OK)
        status = asked.entries.count == 1 ? cmd_best_answer(arguments, &questions, out, error)
                                          : answer_several(arguments, &asked, out, error);
    return smc_asked_file_end(&asked, status);
}

static enum smc_status cmd_best_run_numbers(const struct smc_arguments *arguments,
                                            struct smc_text *out, struct smc_error *error)
{
    struct smc_query query;
    SMC_AUTO(smc_questions_free) struct smc_questions questions = {0};
    SMC_TRY(cmd_best_ask(arguments, &query, error));
    SMC_TRY(smc_ask_questions(arguments, &query, &questions, error));
    return cmd_best_answer(arguments, &questions, out, error);
}

enum smc_status smc_cmd_best(const struct smc_arguments *arguments, struct smc_text *out,
                             struct smc_error *error)
{
    bool file;
    SMC_TRY(smc_ask_whether_file(arguments, &file, error));
    return file ? cmd_best_run_file(arguments, out, error)
                : cmd_best_run_numbers(arguments, out, error);
}
