/* Work that takes longer than a key may: what each kind of it does. */
#include "tui/job.h"

#include <stdio.h>

#include "confirm/known_ceilings.h"
#include "executor/executor.h"

void smc_job_init(struct smc_job *job, enum smc_job_kind kind, const struct smc_query *query)
{
    const char *folder = query->compile.kernel_dir;
    *job = (struct smc_job){.kind = kind, .query = *query};
    snprintf(job->kernel_dir, sizeof job->kernel_dir, "%s", folder ? folder : "");
}

static void compile(struct smc_job_result *result, struct smc_text *warnings)
{
    struct smc_query *query = &result->job.query;
    struct smc_text log = {0};
    struct smc_compile_options options = query->compile;
    options.log = &log;
    result->status = query->kernel->complete(query->kernel, &query->params, &result->error);
    if (result->status == SMC_OK)
        result->status = smc_compile(query->kernel, &query->params, query->device.sm.cc, &options,
                                     &result->resources, NULL, warnings, &result->error);
    snprintf(result->log, sizeof result->log, "%s", smc_text_string(&log));
    smc_text_free(&log);
}

static void find_gpus(struct smc_job_result *result)
{
    const struct smc_executor *executor = smc_executor_default();
    int count = executor->device_count(&result->error);
    for (int i = 0; i < count && i < SMC_MOST_GPUS; i++)
        if (executor->device(i, &result->gpu[result->gpu_count], &result->error) == SMC_OK)
            result->gpu_count++;
    result->status = result->gpu_count ? SMC_OK : SMC_UNAVAILABLE;
}

/* On a GPU it is predicted for that one, whatever device the screen shows. */
static void run(struct smc_job_result *result, struct smc_text *warnings)
{
    const struct smc_run_settings *settings = &result->job.settings;
    struct smc_query *query = &result->job.query;
    const struct smc_executor *executor = smc_place_executor(settings->place);
    if (settings->place == SMC_ON_GPU) {
        result->status = executor->device(settings->gpu_index, &query->device, &result->error);
        query->device_assumed = false;
        query->device_note[0] = '\0';
    }
    smc_known_ceilings(query, 1, warnings);
    if (result->status == SMC_OK)
        result->status = smc_confirm_launch(query, settings, result->run, &result->run_count,
                                            warnings, &result->error);
}

void smc_job_do(const struct smc_job *job, struct smc_job_result *result)
{
    struct smc_text warnings = {0};
    *result = (struct smc_job_result){.job = *job};
    struct smc_compile_options *compiling = &result->job.query.compile;
    compiling->kernel_dir = result->job.kernel_dir[0] ? result->job.kernel_dir : NULL;
    switch (job->kind) {
    case SMC_JOB_COMPILE:
        compile(result, &warnings);
        break;
    case SMC_JOB_GPUS:
        find_gpus(result);
        break;
    case SMC_JOB_RUN:
        run(result, &warnings);
        break;
    case SMC_JOB_NONE:
        break;
    }
    smc_text_free(&warnings);
}
