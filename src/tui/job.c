/* Work that takes longer than a key may: what each kind of it does. */
#include "tui/job.h"

#include "executor/executor.h"

static void compile(struct smc_job_result *result, struct smc_text *warnings)
{
    struct smc_query *query = &result->job.query;
    result->status = query->kernel->complete(&query->params, &result->error);
    if (result->status == SMC_OK)
        result->status =
            smc_compile(query->kernel, &query->params, query->device.sm.cc, &query->compile,
                        &result->resources, NULL, warnings, &result->error);
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

static void run(struct smc_job_result *result, struct smc_text *warnings)
{
    const struct smc_job *job = &result->job;
    const struct smc_executor *executor = smc_executor_default();
    struct smc_query query = job->query;
    result->status = executor->device(job->gpu_index, &query.device, &result->error);
    if (result->status == SMC_OK)
        result->status = smc_query_answer(&query, &result->answer, warnings, &result->error);
    if (result->status != SMC_OK)
        return;
    struct smc_run_request request = {
        .kernel = result->answer.query.kernel,
        .params = result->answer.query.params,
        .plan = result->answer.plan,
        .launch = result->answer.launch,
        .gpu_index = job->gpu_index,
        .cc = query.device.sm.cc,
        .seed = job->seed,
        .timeout_ms = job->timeout_ms,
        .compile = query.compile,
    };
    result->status = executor->run(&request, &result->run, warnings, &result->error);
    if (result->status != SMC_OK)
        return;
    smc_confirm(&result->answer, &result->run, &result->confirmation);
    result->status = smc_confirmation_status(&result->confirmation);
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
