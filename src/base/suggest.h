/* "Did you mean": the known name nearest to what was typed. */
#ifndef SMC_BASE_SUGGEST_H
#define SMC_BASE_SUGGEST_H

#include <stddef.h>

#include "base/status.h"

/* Start from {.typed = text}, hand every candidate to smc_suggest_consider, read `best`. */
struct smc_suggestion {
    const char *typed;
    const char *best; /* NULL: no candidate is near enough */
    size_t distance;  /* of `best` */
};

/* Keeps `candidate` if it is near enough and nearer than the one before: at most one typing error
   per three letters, or the beginning of a longer name. Case is ignored. */
void smc_suggest_consider(struct smc_suggestion *suggestion, const char *candidate);

/* Fails with SMC_USAGE: "WHERE: unknown WHAT 'TYPED'; did you mean 'BEST'?", or with the hint if
   nothing is near enough. `where` may be NULL, and so may `hint`. If `what` ends in "--", the names
   follow without quotes: "unknown option --rges; did you mean --regs?" */
enum smc_status smc_suggest_fail(const struct smc_suggestion *suggestion, const char *where,
                                 const char *what, const char *hint, struct smc_error *error);

#endif
