/* Judges a submission in a process of its own: one that is hostile, or that crashes a compiler or
   the emulator, spoils only its own verdict. */
#include <errno.h>
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
    struct smc_text warnings = {0};
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
    smc_text_free(&warnings);
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

/* False: the other end was closed before the verdict was whole, or it is late. */
static bool receive_verdict(int end, double until_ms, struct smc_exercise_verdict *verdict)
{
    size_t bytes = 0;
    while (bytes < sizeof *verdict) {
        const double left_ms = until_ms - smc_clock_ms();
        struct pollfd ready = {.fd = end, .events = POLLIN};
        const int count = left_ms > 0 ? poll(&ready, 1, (int)left_ms + 1) : 0;
        if (count == 0)
            return false;
        const ssize_t got =
            count > 0 ? read(end, (char *)verdict + bytes, sizeof *verdict - bytes) : -1;
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        bytes += got > 0 ? (size_t)got : 0;
    }
    return true;
}

void smc_exercise_judge_apart(const struct smc_exercise_request *request,
                              struct smc_exercise_verdict *verdict)
{
    int ends[2], ending = 0;
    if (smc_platform_pipe(ends) != 0) {
        fail_verdict(verdict, SMC_EXERCISE_FAILED, strerror(errno));
        return;
    }
    const double launches = 2.0 * (double)request->exercise->cases;
    const double until_ms = smc_clock_ms() + COMPILE_MS + launches * request->settings->timeout_ms;
    const pid_t child = fork();
    if (child == 0)
        judge_and_end(request, ends[1]);
    close(ends[1]);
    const bool has_verdict = child > 0 && receive_verdict(ends[0], until_ms, verdict);
    close(ends[0]);
    if (child < 0) {
        fail_verdict(verdict, SMC_EXERCISE_FAILED, strerror(errno));
        return;
    }
    const bool is_late = !has_verdict && smc_clock_ms() >= until_ms;
    if (is_late && kill(-child, SIGKILL) != 0)
        kill(child, SIGKILL);
    while (waitpid(child, &ending, 0) < 0 && errno == EINTR)
        ;
    if (is_late)
        fail_verdict(verdict, SMC_EXERCISE_UNFINISHED, "it was not judged in time");
    else if (!has_verdict)
        fail_verdict(verdict, SMC_EXERCISE_FAILED,
                     WIFSIGNALED(ending) ? strsignal(WTERMSIG(ending)) : "its process ended early");
}
