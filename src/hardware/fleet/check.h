/* Compares the result of a run with the CPU reference, for every back end. */
#ifndef SMC_HARDWARE_CHECK_H
#define SMC_HARDWARE_CHECK_H

#include "hardware/executor.h"

/* `buffers` are those of the launch, on the host and in the plan's order. Copies the outputs to
   where the request wants them, and fills the check and the comparison of `result`. If the
   reference takes too long, only a sample is compared. `stop` (or NULL) ends it early. */
void smc_check_outputs(const struct smc_run_request *request, const void *const *buffers,
                       bool (*stop)(void), struct smc_run_result *result);

/* What to compare, and the time budget. */
struct smc_verify_request {
    const struct smc_kernel *kernel; /* with a `compare` */
    const struct smc_params *params; /* completed */
    const struct smc_plan *plan;
    const void *const *buffers; /* host copies, in the plan's order */
    double budget_ms;           /* no further part is started after it; at least one is compared */
    bool (*stop)(void);         /* true: end early; asked every few milliseconds; may be NULL */
};

/* Compares every row of the output, or as many as the budget and `stop` allow, spread evenly over
   the output. Returns the number of compared rows. */
uint64_t smc_verify(const struct smc_verify_request *request, struct smc_comparison *result);

#endif
