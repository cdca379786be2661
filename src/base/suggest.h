/* "Did you mean": the known name nearest to what a person typed. */
#ifndef SMC_BASE_SUGGEST_H
#define SMC_BASE_SUGGEST_H

#include <stddef.h>

/* Start from {.typed = text}, hand every candidate to smc_suggest_consider, read `best`. */
struct smc_suggestion {
    const char *typed;
    const char *best; /* NULL: none is near enough */
    size_t distance;  /* of `best` */
};

/* Keeps `candidate` where it is near enough and nearer than the one before: one slip in three
   letters, or the beginning of a longer name. Case does not count. */
void smc_suggest_consider(struct smc_suggestion *suggestion, const char *candidate);

#endif
