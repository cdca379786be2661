/* Long work: a progress bar, and Ctrl-C or a time limit that ends it early, so that what is done
   can still be reported. */
#ifndef SMC_SHOW_PROGRESS_H
#define SMC_SHOW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* From now on the first SIGINT is only noted; a second one ends the program. If SIGINT was ignored
   it stays so. */
void smc_interrupt_watch(void);

bool smc_interrupt_seen(void);

/* Sets the time limit. To be called once, before threads ask. */
void smc_interrupt_after(uint32_t ms);

/* Seen, or the time limit is reached. */
bool smc_interrupt_requested(void);

/* A progress bar on standard error if that is a terminal; otherwise nothing. */
struct smc_progress {
    uint64_t total;
    const char *what;      /* "points" */
    struct timespec drawn; /* when it was last drawn, or began */
    bool terminal;
    bool visible;
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
