/* Long work: a progress bar, and Ctrl-C or a time limit that ends it early. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/platform.h"
#include "show/cli/progress.h"

/* Set by the handler. */
static volatile sig_atomic_t seen;
static double deadline_ms = INFINITY;

static void progress_note(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

void smc_interrupt_watch(void)
{
    struct sigaction before, action = {.sa_handler = progress_note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

/* SIGINT ends the program again. */
static void interrupt_release(void)
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == progress_note)
        signal(SIGINT, SIG_DFL);
}

bool smc_interrupt_seen(void)
{
    return seen;
}

void smc_interrupt_after(uint32_t ms)
{
    deadline_ms = smc_clock_ms() + ms;
}

bool smc_interrupt_requested(void)
{
    return seen || smc_clock_ms() > deadline_ms;
}

enum { WIDTH = 40, INTERVAL_MS = 100 };

static int64_t milliseconds_since(const struct timespec *then, struct timespec *now)
{
    clock_gettime(CLOCK_MONOTONIC, now);
    return (now->tv_sec - then->tv_sec) * 1000 + (now->tv_nsec - then->tv_nsec) / 1000000;
}

void smc_progress_begin(struct smc_progress *progress, uint64_t total, const char *what)
{
    *progress =
        (struct smc_progress){.total = total, .what = what, .terminal = isatty(STDERR_FILENO)};
    clock_gettime(CLOCK_MONOTONIC, &progress->drawn);
}

void smc_progress_step(void *context, size_t done)
{
    struct smc_progress *progress = context;
    struct timespec now;
    if (!progress->terminal || milliseconds_since(&progress->drawn, &now) < INTERVAL_MS)
        return;
    char bar[WIDTH + 1];
    int filled = (int)(done * WIDTH / progress->total);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%s %zu of %" PRIu64 " %s", bar, done, progress->total, progress->what);
    fflush(stderr);
    progress->drawn = now;
    progress->visible = true;
}

void smc_progress_erase(struct smc_progress *progress)
{
    if (progress->visible)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}

bool smc_progress_of_parts(void *context, uint64_t done, uint64_t total)
{
    struct smc_progress *progress = context;
    if (progress->total == 0) {
        smc_interrupt_watch();
        smc_progress_begin(progress, total > 0 ? total : 1, "parts with machine code");
    }
    if (!smc_interrupt_seen() && done < total) {
        smc_progress_step(progress, done);
        return true;
    }
    smc_progress_erase(progress);
    progress->total = 0;
    interrupt_release();
    return !smc_interrupt_seen();
}
