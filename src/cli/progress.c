/* A progress bar on standard error while a person waits at a terminal. */
#include "config.h"

#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

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

void smc_progress_step(struct smc_progress *progress, uint64_t done)
{
    struct timespec now;
    if (!progress->terminal || milliseconds_since(&progress->drawn, &now) < INTERVAL_MS)
        return;
    char bar[WIDTH + 1];
    int filled = (int)(done * WIDTH / progress->total);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%s %" PRIu64 " of %" PRIu64 " %s", bar, done, progress->total,
            progress->what);
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
