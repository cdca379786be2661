/* A progress bar on standard error while a person waits at a terminal; nothing elsewhere. */
#ifndef SMC_CLI_PROGRESS_H
#define SMC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct smc_progress {
    uint64_t total;
    const char *what;      /* "points" */
    struct timespec drawn; /* when it was drawn last, or began */
    bool terminal;
    bool visible;
};

void smc_progress_begin(struct smc_progress *progress, uint64_t total, const char *what);

/* Draws at most ten times a second. */
void smc_progress_step(struct smc_progress *progress, uint64_t done);

/* Erases the bar; the next step may draw it again. */
void smc_progress_erase(struct smc_progress *progress);

#endif
