/* Holding the result of a run against the CPU reference, whichever back end made it. */
#ifndef SMC_EXECUTOR_CHECK_H
#define SMC_EXECUTOR_CHECK_H

#include "executor/executor.h"

/* `buffers` are the launch's, on the host and in the plan's order. Copies the outputs to where the
   request wants them, and fills the check and the comparison of `result`: where the reference takes
   too long, of a sample. `stop` (or NULL) ends it early. */
void smc_check_outputs(const struct smc_run_request *request, const void *const *buffers,
                       bool (*stop)(void), struct smc_run_result *result);

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
