/* Jobs that take too long for a key press (compiling, launching, finding GPUs), and the process
   beside the screen that does them one after another: a compiler that hangs, crashes or is killed,
   and a GPU, never block the screen. */
#ifndef SMC_SHOW_WORKER_H
#define SMC_SHOW_WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "answers/query.h"
#include "hardware/confirmed_launch.h"
#include "show/tui/open_file.h"

/* --- Jobs --- */

enum smc_job_kind {
    SMC_JOB_NONE,
    SMC_JOB_COMPILE,  /* the query's resources, and the time that is predicted from its machine code
                       */
    SMC_JOB_GPUS,     /* the GPUs of this machine */
    SMC_JOB_RUN,      /* launch and confirm */
    SMC_JOB_READ,     /* the kernels of the user's file */
    SMC_JOB_ACCESSES, /* the accesses to shared memory of one of them */
};

enum { SMC_MOST_GPUS = 16, SMC_LOG_BYTES = 1 << 14 };

struct smc_job {
    enum smc_job_kind kind;
    char kernel_dir[512];   /* the query's, or ""; its pointer is not valid in the other process */
    struct smc_query query; /* COMPILE: completed */
    uint64_t serial;        /* COMPILE: of the answer that wants it */
    bool of_family; /* COMPILE: it is about another kernel of the family, for the roofline */
    bool of_chart;  /* COMPILE: only the resources, of another value in the chart */
    struct smc_run_settings settings; /* RUN */
    struct smc_open_question open;    /* READ, ACCESSES; the others: about a kernel of the user's
                                         file, or its `kernel` is "" */
};

struct smc_job_result {
    struct smc_job job;
    enum smc_status status;
    struct smc_error error;
    bool out_of_memory;             /* in the worker's process */
    struct smc_resources resources; /* COMPILE */
    struct smc_time time;           /* COMPILE; with the ceilings that job.query has then */
    char log[SMC_LOG_BYTES];        /* COMPILE: the compiler's messages, cut to fit; or "" */
    size_t gpu_count;               /* GPUS */
    struct smc_device gpu[SMC_MOST_GPUS];
    size_t kernel_count;                /* READ */
    struct smc_open_kernel *kernels;    /* READ; owned */
    struct smc_open_accesses *accesses; /* ACCESSES; owned */
    size_t run_count;                   /* RUN: from here on only a launch has a result */
    struct smc_confirmed_run run[SMC_MOST_RUNS];
};

/* Frees what a result owns. */
void smc_job_result_free(struct smc_job_result *result);

/* A job of that kind about the query, which it copies. */
void smc_job_init(struct smc_job *job, enum smc_job_kind kind, const struct smc_query *query);

/* The parts of a job that are about a launch of a kernel of the user's file: its predicted time,
   and a run (open_file_launch.c). */
void smc_open_predict(struct smc_job_result *result, struct smc_builds *builds,
                      struct smc_text *warnings);
void smc_open_run(struct smc_job_result *result, struct smc_builds *builds,
                  struct smc_text *warnings);

/* --- The worker --- */

/* Start from SMC_WORKER_INIT. */
struct smc_tui_worker {
    pid_t process; /* 0: none */
    pid_t dying;   /* killed, but not yet gone; 0: none */
    int socket;    /* to wait on for a result; -1: none */
    bool busy;
    struct smc_job job;                      /* the one it does */
    struct timespec given;                   /* when it got it */
    struct smc_emulation_progress *progress; /* written by the process, read here; or NULL */
};

#define SMC_WORKER_INIT                                                                            \
    {                                                                                              \
        .socket = -1                                                                               \
    }

/* Gives an idle worker a job, and starts its process if there is none: SMC_MACHINE if that fails.
   The process must be started before anything in this one has called CUDA. */
enum smc_status smc_worker_give(struct smc_tui_worker *worker, const struct smc_job *job,
                                struct smc_error *error);

/* When the socket is readable: takes the result. If the process has ended (killed, crashed), the
   result has the status SMC_MACHINE and says so, and the next job starts another process. False: an
   idle process has ended, and no result was expected. */
bool smc_worker_take(struct smc_tui_worker *worker, struct smc_job_result *result);

/* Blocks of the present job that were emulated, and their total; 0 of 0 before it begins. */
void smc_worker_progress(const struct smc_tui_worker *worker, uint64_t *done, uint64_t *blocks);

/* Since when it does the present job. */
long smc_worker_busy_ms(const struct smc_tui_worker *worker);

/* Kills the process without waiting until it is gone: tearing down a GPU's work takes a while. */
void smc_worker_stop(struct smc_tui_worker *worker);

/* Reaps a killed process that is gone; call it now and then. True: none is left. */
bool smc_worker_bury(struct smc_tui_worker *worker);

/* Kills the process and waits until it is gone. */
void smc_worker_close(struct smc_tui_worker *worker);

#endif
