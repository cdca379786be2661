/* A process beside the screen that does one job after another. */
#ifndef SMC_TUI_WORKER_H
#define SMC_TUI_WORKER_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "tui/job.h"

/* Start from SMC_WORKER_INIT. */
struct smc_worker {
    pid_t process; /* 0: none */
    pid_t dying;   /* killed, and not gone yet; 0: none */
    int socket;    /* to wait on for a result; -1: none */
    bool busy;
    struct smc_job job; /* in hand */
    struct timespec given;
    struct smc_emulation_progress *progress; /* written by the process, read here; NULL: none */
};

#define SMC_WORKER_INIT                                                                            \
    {                                                                                              \
        .socket = -1                                                                               \
    }

/* Hands a job over; the worker is idle. Starts the process where there is none. SMC_MACHINE where
   that fails. The process must be started before anything in this one has called CUDA. */
enum smc_status smc_worker_give(struct smc_worker *worker, const struct smc_job *job,
                                struct smc_error *error);

/* When the socket is readable: takes the result. Where the process has ended (killed, crashed), the
   result's status is SMC_MACHINE and says so; the next job starts another. False: an idle process
   has ended, and nobody waits for a result. */
bool smc_worker_take(struct smc_worker *worker, struct smc_job_result *result);

/* How many blocks of the job in hand were emulated, of how many; 0 of 0 before it begins. */
void smc_worker_progress(const struct smc_worker *worker, uint64_t *done, uint64_t *blocks);

/* How long it has been at the job in hand. */
long smc_worker_busy_ms(const struct smc_worker *worker);

/* Ends the process, whatever it does, without waiting until it is gone: a GPU's work takes a while
   to take down. */
void smc_worker_stop(struct smc_worker *worker);

/* Takes note of processes that are gone; call it now and then. True: all are. */
bool smc_worker_bury(struct smc_worker *worker);

/* Ends the process and waits until it is gone. */
void smc_worker_close(struct smc_worker *worker);

#endif
