/* Comparing a launch's output with the CPU reference, on all cores. */
#ifndef SMC_EXECUTOR_VERIFY_H
#define SMC_EXECUTOR_VERIFY_H

#include "catalog/catalog.h"

/* What to compare, and how long that may take. */
struct smc_verify_request {
    const struct smc_kernel *kernel; /* with a `compare` */
    const struct smc_params *params; /* completed */
    const struct smc_plan *plan;
    const void *const *buffers; /* host copies, in the plan's order */
    double budget_ms;           /* no further part is begun after it; at least one is done */
    bool (*stop)(void);         /* true: end early; asked every few milliseconds; may be NULL */
};

/* Compares every row of the output, or as many, spread over the whole of it, as the budget and
   `stop` allow. Returns how many rows were compared. */
uint64_t smc_verify(const struct smc_verify_request *request, struct smc_comparison *result);

#endif
