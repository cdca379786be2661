/* What the worker does about a launch of a kernel of the user's file: predicts its time, and runs
   it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/tui/worker.h"
#include "show/words/words.h"

/* Everything that one launch needs; too large for the stack. */
struct open_launch {
    char arguments[SMC_OPEN_ARGUMENTS_CHARS]; /* split into lines, which the request points to */
    struct smc_run_settings settings;
    struct smc_user_request request;
    struct smc_user_run run;
};

static enum smc_status read_arguments(struct open_launch *launch, struct smc_error *error)
{
    struct smc_user_request *request = &launch->request;
    char *rest = NULL;
    for (char *line = strtok_r(launch->arguments, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (request->argument_count == SMC_MAX_USER_ARGUMENTS)
            return smc_fail(error, SMC_USAGE, "more than %d arguments", SMC_MAX_USER_ARGUMENTS);
        SMC_TRY(
            smc_user_argument_parse(line, &request->argument[request->argument_count++], error));
    }
    return SMC_OK;
}

enum smc_status smc_open_check_arguments(const char *lines, struct smc_error *error)
{
    struct open_launch *launch = smc_calloc(1, sizeof *launch);
    if (!launch)
        return smc_out_of_memory(error);
    snprintf(launch->arguments, sizeof launch->arguments, "%s", lines);
    const enum smc_status status = read_arguments(launch, error);
    free(launch);
    return status;
}

static void copy_shapes(const struct smc_query *query, struct smc_user_request *request)
{
    const uint32_t y = query->grid_y ? query->grid_y : 1, z = query->grid_z ? query->grid_z : 1;
    request->grid[0] = (uint32_t)(query->grid_blocks / y / z);
    request->grid[1] = y;
    request->grid[2] = z;
    memcpy(request->block, query->block, sizeof request->block);
    if ((int64_t)query->block[0] * query->block[1] * query->block[2] == query->threads_per_block)
        return;
    request->block[0] = (uint32_t)query->threads_per_block;
    request->block[1] = request->block[2] = 1;
}

static enum smc_status open_launch_ask(const struct smc_job *job, struct smc_builds *builds,
                                       struct open_launch *launch, struct smc_error *error)
{
    const struct smc_query *query = &job->query;
    memcpy(launch->arguments, job->open.arguments, sizeof launch->arguments);
    launch->settings = job->settings;
    launch->request = (struct smc_user_request){
        .file = job->open.file,
        .entry = job->open.kernel,
        .compiler_options = job->open.options[0] ? job->open.options : NULL,
        .no_cache = job->open.no_cache,
        .builds = builds,
        .device = query->device,
        .ceilings = query->ceilings,
        .launch = query->settings,
        .settings = &launch->settings,
    };
    if (query->grid_blocks == SMC_NOT_GIVEN)
        return smc_fail(error, SMC_USAGE, "the launch needs a grid: set it on F2");
    if (query->dynamic_smem_bytes != SMC_NOT_GIVEN)
        launch->request.dynamic_smem_bytes = (uint32_t)query->dynamic_smem_bytes;
    copy_shapes(query, &launch->request);
    return read_arguments(launch, error);
}

/* A launch that the model rules out is not tried. */
static enum smc_status check_outcome(const struct smc_user_run *run, struct smc_error *error)
{
    smc_auto_text reason = {0};
    if (run->answer.outcome == SMC_LAUNCHES)
        return SMC_OK;
    smc_words_failure(&run->answer, &reason);
    return smc_fail(error, SMC_USAGE, "%.256s %.600s", run->row.kernel->shown,
                    smc_text_string(&reason));
}

static enum smc_status prepare(const struct smc_job *job, struct smc_builds *builds,
                               struct open_launch *launch, struct smc_text *warnings,
                               struct smc_error *error)
{
    SMC_TRY(open_launch_ask(job, builds, launch, error));
    SMC_TRY(smc_user_prepare(&launch->request, &launch->run, warnings, error));
    return check_outcome(&launch->run, error);
}

static void open_launch_free(struct open_launch *launch)
{
    smc_user_free(&launch->run);
    free(launch);
}

/* Here nothing is typed as an option. */
static void drop_option(struct smc_error *error)
{
    const char *end = strchr(error->message, ':');
    if (strncmp(error->message, "option --", 9) == 0 && end && end[1] == ' ')
        memmove(error->message, end + 2, strlen(end + 2) + 1);
}

void smc_open_predict(struct smc_job_result *result, struct smc_builds *builds,
                      struct smc_text *warnings)
{
    struct open_launch *launch = smc_calloc(1, sizeof *launch);
    struct smc_error why = {""};
    if (!launch) {
        result->status = smc_out_of_memory(&result->error);
        return;
    }
    result->time = (struct smc_time){0};
    if (prepare(&result->job, builds, launch, warnings, &why) == SMC_OK)
        result->time = launch->run.answer.time;
    drop_option(&why);
    if (result->time.basis == SMC_TIME_UNKNOWN && !result->time.reason[0])
        snprintf(result->time.reason, sizeof result->time.reason, "%s%.160s",
                 result->job.query.grid_blocks != SMC_NOT_GIVEN && !result->job.open.arguments[0]
                     ? "press a to type the arguments; "
                     : "",
                 why.message);
    open_launch_free(launch);
}

/* The line of the source that a finding names, after its words. */
static void quote_source(const struct smc_user_run *run, struct smc_run_finding *finding)
{
    const struct smc_run_frame *frame = &finding->stack.frame[0];
    if (finding->stack.frames == 0 || frame->line == 0)
        return;
    const char *text = smc_text_line(smc_text_string(&run->text), frame->line);
    text += strspn(text, " \t");
    const size_t used = strlen(finding->text);
    snprintf(finding->text + used, sizeof finding->text - used, "\n%u | %.*s", frame->line,
             (int)strcspn(text, "\r\n"), text);
    smc_utf8_make_safe(finding->text + used + 1);
}

void smc_open_run(struct smc_job_result *result, struct smc_builds *builds,
                  struct smc_text *warnings)
{
    struct open_launch *launch = smc_calloc(1, sizeof *launch);
    if (!launch) {
        result->status = smc_out_of_memory(&result->error);
        return;
    }
    struct smc_user_run *run = &launch->run;
    result->status = prepare(&result->job, builds, launch, warnings, &result->error);
    if (result->status == SMC_OK)
        result->status = smc_user_launch(run, warnings, &result->error);
    if (result->status == SMC_OK)
        result->status = smc_user_ending(run, &result->error);
    drop_option(&result->error);
    if (run->result.emulation.made || run->result.finish.succeeded) {
        struct smc_confirmed_run *out = &result->run[0];
        *out = (struct smc_confirmed_run){
            .answer = run->answer, .result = run->result, .has_result = true};
        out->answer.query.file_kernel = result->job.query.file_kernel; /* valid for the screen */
        smc_confirm_user(run, &out->confirmation);
        for (size_t i = 0; i < out->result.emulated.finding_count; i++)
            quote_source(run, &out->result.emulated.finding[i]);
        result->run_count = 1;
    }
    open_launch_free(launch);
}
