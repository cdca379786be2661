/* Work that takes longer than a key may: done by a process beside the screen, so that a compiler
   that hangs, crashes or is killed, and a GPU, never hold the screen up. */
#ifndef SMC_TUI_JOB_H
#define SMC_TUI_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "confirm/launch.h"
#include "query/query.h"

enum smc_job_kind {
    SMC_JOB_NONE,
    SMC_JOB_COMPILE, /* the query's resources */
    SMC_JOB_GPUS,    /* the GPUs of this machine */
    SMC_JOB_RUN,     /* launch and confirm */
};

enum { SMC_MOST_GPUS = 16, SMC_LOG_BYTES = 1 << 14 };

struct smc_job {
    enum smc_job_kind kind;
    char kernel_dir[512]; /* the query's, or ""; pointers do not travel */
    struct smc_query query;
    struct smc_run_settings settings; /* RUN */
};

/* What came of it. */
struct smc_job_result {
    struct smc_job job;
    enum smc_status status;
    struct smc_error error;
    bool out_of_memory;             /* of the process that did it */
    struct smc_resources resources; /* COMPILE */
    char log[SMC_LOG_BYTES]; /* COMPILE: all that the compiler said, cut to its room; or "" */
    size_t gpu_count;        /* GPUS */
    struct smc_device gpu[SMC_MOST_GPUS];
    size_t run_count; /* RUN */
    struct smc_confirmed_run run[SMC_MOST_RUNS];
};

/* A job of that kind about the query, which may go after that. */
void smc_job_init(struct smc_job *job, enum smc_job_kind kind, const struct smc_query *query);

/* Does the job here and now: what the process beside the screen calls. An emulation keeps
   `progress` up to date; NULL: nobody looks on. */
void smc_job_do(const struct smc_job *job, struct smc_emulation_progress *progress,
                struct smc_job_result *result);

#endif
