/* The launches among which `best` chooses, and the proposal with fewer registers, each with its
   predicted time: what occupancy costs and buys. */
#ifndef SMC_QUERY_CANDIDATES_H
#define SMC_QUERY_CANDIDATES_H

#include <stddef.h>

#include "query/best.h"

enum { SMC_MOST_BOUNDS = 8, SMC_MOST_LAUNCHES = SMC_MAX_CANDIDATES + SMC_MOST_BOUNDS };

struct smc_candidates {
    const char *option; /* "tile", "block" or "threads" */
    size_t count;       /* all launch */
    struct smc_answer answer[SMC_MOST_LAUNCHES];
    int64_t size[SMC_MOST_LAUNCHES]; /* of the option */
    size_t bounds_from; /* from here on: the proposal, compiled with __launch_bounds__ for more
                           blocks per SM */
    size_t predicted;   /* how many have a time */
    char reason[sizeof(((struct smc_time *)0)->reason)]; /* why no time is predicted, or "" */
};

/* From the result of smc_best_find. SMC_MACHINE: memory. */
enum smc_status smc_candidates_find(const struct smc_best *best, struct smc_candidates *out,
                                    struct smc_error *error);

#endif
