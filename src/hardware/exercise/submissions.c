/* Judges submissions, each in a process of its own: one that is hostile, or that crashes a compiler
   or the emulator, spoils only its own verdict. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/sandbox.h"
#include "hardware/exercise.h"

/* For the compilers; the emulator has its own limit for each launch. */
enum { COMPILE_MS = 30000 };

static void fail_verdict(struct smc_exercise_verdict *verdict, enum smc_exercise_outcome outcome,
                         const char *why)
{
    *verdict = (struct smc_exercise_verdict){.outcome = outcome};
    snprintf(verdict->why, sizeof verdict->why, "%s", why);
}

/* The whole in this process. */
static void judge_here(const struct smc_exercise_request *request,
                       struct smc_exercise_verdict *verdict)
{
    struct smc_exercise_attempt *attempt = NULL;
    smc_auto_text warnings = {0};
    struct smc_error error = {""};
    smc_sandbox_enter(SMC_SANDBOX_COMPILERS);
    enum smc_status status = smc_exercise_prepare(request, &attempt, &warnings, &error);
    smc_sandbox_enter(SMC_SANDBOX_READING);
    if (status == SMC_OK)
        status = smc_exercise_judge(attempt, verdict, &warnings, &error);
    if (status != SMC_OK)
        fail_verdict(verdict,
                     status == SMC_USAGE || status == SMC_UNAVAILABLE ? SMC_EXERCISE_UNUSABLE
                                                                      : SMC_EXERCISE_FAILED,
                     error.message);
    smc_exercise_attempt_free(attempt);
}

static void judge_and_end(const struct smc_exercise_request *request, int end)
{
    struct smc_exercise_verdict *verdict = smc_calloc(1, sizeof *verdict);
    size_t sent = 0;
    setpgid(0, 0); /* with its compilers */
    smc_platform_end_with_parent();
    if (verdict)
        judge_here(request, verdict);
    while (verdict && sent < sizeof *verdict) {
        const ssize_t count = write(end, (char *)verdict + sent, sizeof *verdict - sent);
        if (count < 0 && errno != EINTR)
            break;
        sent += count > 0 ? (size_t)count : 0;
    }
    _exit(0);
}

/* --- Those that are being judged -------------------------------------------------------------- */

struct apart {
    struct smc_exercise_verdict *verdict; /* NULL: this place is free */
    pid_t child;
    int end; /* of the pipe that the verdict comes through */
    size_t bytes;
    double until_ms;
};

/* One that cannot be started has its verdict. */
static void start_apart(const struct smc_exercise_request *request,
                        struct smc_exercise_verdict *verdict, struct apart *apart)
{
    int ends[2];
    const double launches = 2.0 * (double)request->exercise->cases;
    if (smc_platform_pipe(ends) != 0) {
        fail_verdict(verdict, SMC_EXERCISE_FAILED, strerror(errno));
        return;
    }
    *apart = (struct apart){
        .verdict = verdict,
        .child = fork(),
        .end = ends[0],
        .until_ms = smc_clock_ms() + COMPILE_MS + launches * request->settings->timeout_ms,
    };
    if (apart->child == 0)
        judge_and_end(request, ends[1]);
    if (apart->child < 0)
        fail_verdict(verdict, SMC_EXERCISE_FAILED, strerror(errno));
    close(ends[1]);
    if (apart->child < 0) {
        close(ends[0]);
        apart->verdict = NULL;
    }
}

/* The verdict is whole, or there is none: the process ended early or is late. */
static void end_apart(struct apart *apart)
{
    const bool has_verdict = apart->bytes == sizeof *apart->verdict;
    const bool is_late = !has_verdict && smc_clock_ms() >= apart->until_ms;
    int ending = 0;
    close(apart->end);
    if (is_late && kill(-apart->child, SIGKILL) != 0)
        kill(apart->child, SIGKILL);
    while (waitpid(apart->child, &ending, 0) < 0 && errno == EINTR)
        ;
    if (is_late)
        fail_verdict(apart->verdict, SMC_EXERCISE_UNFINISHED, "it was not judged in time");
    else if (!has_verdict)
        fail_verdict(apart->verdict, SMC_EXERCISE_FAILED,
                     WIFSIGNALED(ending) ? strsignal(WTERMSIG(ending)) : "its process ended early");
    apart->verdict = NULL;
}

/* Takes what has come of a verdict. False: no more will come. */
static bool receive_verdict(struct apart *apart)
{
    const ssize_t got = read(apart->end, (char *)apart->verdict + apart->bytes,
                             sizeof *apart->verdict - apart->bytes);
    if (got == 0 || (got < 0 && errno != EINTR))
        return false;
    apart->bytes += got > 0 ? (size_t)got : 0;
    return apart->bytes < sizeof *apart->verdict;
}

/* Waits until something comes or one is late. */
static void wait_for_some(struct apart *apart, size_t jobs)
{
    struct pollfd ready[SMC_EXERCISE_MOST_JOBS];
    double until_ms = INFINITY;
    for (size_t i = 0; i < jobs; i++) {
        ready[i] = (struct pollfd){.fd = apart[i].verdict ? apart[i].end : -1, .events = POLLIN};
        if (apart[i].verdict && apart[i].until_ms < until_ms)
            until_ms = apart[i].until_ms;
    }
    const double left_ms = until_ms - smc_clock_ms();
    const int count = poll(ready, jobs,
                           left_ms < 0         ? 0
                           : left_ms < INT_MAX ? (int)left_ms + 1
                                               : INT_MAX);
    for (size_t i = 0; i < jobs; i++)
        if (apart[i].verdict && ((count > 0 && ready[i].revents && !receive_verdict(&apart[i])) ||
                                 smc_clock_ms() >= apart[i].until_ms))
            end_apart(&apart[i]);
}

void smc_exercise_judge_apart(const struct smc_exercise_request *request,
                              struct smc_exercise_submission *submission, size_t count, size_t jobs)
{
    struct apart apart[SMC_EXERCISE_MOST_JOBS] = {{.verdict = NULL}};
    size_t next = 0, running = 0;
    jobs = jobs < 1 ? 1 : jobs > SMC_EXERCISE_MOST_JOBS ? SMC_EXERCISE_MOST_JOBS : jobs;
    while (next < count || running > 0) {
        for (size_t i = 0; i < jobs && next < count; i++)
            if (!apart[i].verdict) {
                start_apart(&request[next], &submission[next].verdict, &apart[i]);
                next++;
            }
        running = 0;
        for (size_t i = 0; i < jobs; i++)
            running += apart[i].verdict != NULL;
        if (running > 0)
            wait_for_some(apart, jobs);
    }
}
