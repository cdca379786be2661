/* Waiting for the GPU, but not for ever: a kernel may have no end. */
#include "config.h"

#include <stdio.h>
#include <time.h>

#include "executor/clock.h"
#include "executor/gpu.h"

/* A launch of microseconds is asked after without a pause, so that the GPU does not idle between
   two measurements; the longer one takes, the less often. */
static void pause_after(double waited_ms)
{
    const double eager_ms = 1, longest_ms = 2;
    double pause_ms = waited_ms / 16 < longest_ms ? waited_ms / 16 : longest_ms;
    const struct timespec pause = {0, (long)(pause_ms * 1e6)};
    if (waited_ms > eager_ms)
        nanosleep(&pause, NULL);
}

static cudaError_t ask_until(double deadline_ms, bool (*stop)(void))
{
    double start_ms = smc_clock_ms();
    for (;;) {
        double now_ms = smc_clock_ms();
        cudaError_t code = cudaStreamQuery(NULL);
        if (code != cudaErrorNotReady)
            return code;
        cudaGetLastError(); /* "not ready" counts as an error */
        if (now_ms > deadline_ms || (stop && stop()))
            return code;
        pause_after(now_ms - start_ms);
    }
}

cudaError_t smc_gpu_wait(uint32_t timeout_ms, bool (*stop)(void), const char *what,
                         struct smc_attempt *finish)
{
    double start_ms = smc_clock_ms();
    cudaError_t code = ask_until(start_ms + timeout_ms, stop);
    double waited_ms = smc_clock_ms() - start_ms;
    bool late = waited_ms > timeout_ms;
    smc_gpu_attempt(finish, code);
    if (code == cudaErrorNotReady)
        snprintf(finish->message, sizeof finish->message,
                 "%snot at its end after %.0f ms on the GPU%s", what, late ? timeout_ms : waited_ms,
                 late ? " (--timeout)" : "");
    return code;
}
