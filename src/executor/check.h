/* Holding the result of a run against the CPU reference, whichever back end made it. */
#ifndef SMC_EXECUTOR_CHECK_H
#define SMC_EXECUTOR_CHECK_H

#include "executor/executor.h"

/* `buffers` are the launch's, on the host and in the plan's order. Copies the outputs to where the
   request wants them, and fills the check and the comparison of `result`: where the reference takes
   too long, of a sample. `stop` (or NULL) ends it early. */
void smc_check_outputs(const struct smc_run_request *request, const void *const *buffers,
                       bool (*stop)(void), struct smc_run_result *result);

#endif
