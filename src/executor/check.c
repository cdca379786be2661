/* Holding the result of a run against the CPU reference, whichever back end made it. */
#include "executor/check.h"

#include <stdio.h>
#include <string.h>

#include "executor/verify.h"

/* The reference of a large product takes minutes: after this long, a sample of the rows counts. */
static const double budget_ms = 20000;

void smc_check_outputs(const struct smc_run_request *request, const void *const *buffers,
                       bool (*stop)(void), struct smc_run_result *result)
{
    const struct smc_plan *plan = &request->plan;
    for (size_t i = 0; request->outputs && i < plan->buffer_count; i++)
        if (plan->buffer[i].output)
            memcpy(request->outputs[i], buffers[i],
                   plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype));
    const struct smc_verify_request verify = {
        .kernel = request->kernel,
        .params = &request->params,
        .plan = plan,
        .buffers = buffers,
        .stop = stop,
        .budget_ms = budget_ms,
    };
    uint64_t rows = smc_verify(&verify, &result->comparison);
    result->check.made = true;
    result->check.succeeded = result->comparison.wrong == 0;
    if (rows < plan->output_rows)
        snprintf(result->check.message, sizeof result->check.message,
                 "a sample: %llu of %llu rows in %.0f s", (unsigned long long)rows,
                 (unsigned long long)plan->output_rows, budget_ms / 1000);
}
