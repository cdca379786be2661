/* A progress bar for long work. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/platform.h"
#include "show/cli/interrupt.h"
#include "show/cli/progress.h"

enum { WIDTH = 40, INTERVAL_MS = 100 };

void smc_progress_begin(struct smc_progress *progress, uint64_t total, const char *what)
{
    *progress = (struct smc_progress){.total = total,
                                      .what = what,
                                      .drawn_ms = smc_clock_ms(),
                                      .is_terminal = isatty(STDERR_FILENO)};
}

void smc_progress_step(void *context, size_t done)
{
    struct smc_progress *progress = context;
    const double now_ms = smc_clock_ms();
    if (!progress->is_terminal || now_ms - progress->drawn_ms < INTERVAL_MS)
        return;
    char bar[WIDTH + 1];
    int filled = (int)(done * WIDTH / progress->total);
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "\r%s %zu of %" PRIu64 " %s", bar, done, progress->total, progress->what);
    fflush(stderr);
    progress->drawn_ms = now_ms;
    progress->is_drawn = true;
}

void smc_progress_erase(struct smc_progress *progress)
{
    if (progress->is_drawn)
        fputs("\r\033[K", stderr);
    progress->is_drawn = false;
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
    smc_interrupt_release();
    return !smc_interrupt_seen();
}
