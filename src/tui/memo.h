/* What compiled kernels took, so that each is compiled once in a sitting. */
#ifndef SMC_TUI_MEMO_H
#define SMC_TUI_MEMO_H

#include <stdbool.h>
#include <stddef.h>

#include "query/query.h"

struct smc_memo_entry;

/* Start from {0}. */
struct smc_memo {
    struct smc_memo_entry *entry;
    size_t count, capacity;
};

/* Of exactly the kernel, parameters and architecture that the query asks for; NULL where they are
   not known. Valid until the next smc_memo_keep. The query's parameters are completed. */
const struct smc_resources *smc_memo_find(const struct smc_memo *memo,
                                          const struct smc_query *query);

/* Out of memory is no failure: it is compiled again. */
void smc_memo_keep(struct smc_memo *memo, const struct smc_query *query,
                   const struct smc_resources *resources);

/* Forgets all: the source has changed. */
void smc_memo_forget(struct smc_memo *memo);

#endif
