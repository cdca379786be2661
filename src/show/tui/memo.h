/* The resources of the kernels compiled in this session, so that each is compiled once. */
#ifndef SMC_SHOW_MEMO_H
#define SMC_SHOW_MEMO_H

#include <stdbool.h>
#include <stddef.h>

#include "answers/query.h"

struct smc_memo_entry;

/* Start from {0}. */
struct smc_memo {
    struct smc_memo_entry *entry;
    size_t count, capacity;
};

/* The resources for exactly the kernel, parameters and architecture of the query, whose parameters
   are completed; NULL where they are not known. Valid until the next smc_memo_keep. */
const struct smc_resources *smc_memo_find(const struct smc_memo *memo,
                                          const struct smc_query *query);

/* Without memory nothing is kept, and the kernel is compiled again. `resources` may be NULL: the
   kernel could not be compiled. */
void smc_memo_keep(struct smc_memo *memo, const struct smc_query *query,
                   const struct smc_resources *resources);

/* Whether exactly that kernel could not be compiled. */
bool smc_memo_has_failed(const struct smc_memo *memo, const struct smc_query *query);

/* Forgets everything, because the source has changed. */
void smc_memo_forget(struct smc_memo *memo);

#endif
