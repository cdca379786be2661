/* A progress bar for long work. */
#ifndef SMC_SHOW_PROGRESS_H
#define SMC_SHOW_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A progress bar on standard error if that is a terminal; otherwise nothing. */
struct smc_progress {
    uint64_t total;
    const char *what; /* "points" */
    double drawn_ms;  /* when it was last drawn, or began: of smc_clock_ms */
    bool is_terminal;
    bool is_drawn;
};

void smc_progress_begin(struct smc_progress *progress, uint64_t total, const char *what);

/* Draws at most ten times a second. `context` is the struct smc_progress. */
void smc_progress_step(void *context, size_t done);

/* Erases the bar; the next step may draw it again. */
void smc_progress_erase(struct smc_progress *progress);

/* For smc_inspect_request.progress, with a struct smc_progress that is {0} as its context: begins
   the bar and watches for SIGINT with the first call for a file, ends both with the last. False
   after SIGINT. */
bool smc_progress_of_parts(void *context, uint64_t done, uint64_t total);

#endif
