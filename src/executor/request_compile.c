/* The first step of a run. */
#include "executor/request_compile.h"

#include <stdio.h>

enum smc_status smc_request_compile(const struct smc_run_request *request,
                                    struct smc_run_result *result, struct smc_binary *binary,
                                    struct smc_text *warnings, struct smc_error *error)
{
    enum smc_status status =
        smc_compile(request->kernel, &request->params, request->cc, &request->compile,
                    &result->compiled, binary, warnings, error);
    if (status != SMC_OK)
        return status;
    result->compile.made = true;
    result->compile.succeeded = !result->compiled.refused;
    if (result->compiled.refused)
        snprintf(result->compile.message, sizeof result->compile.message,
                 "ptxas: %u bytes of static shared memory, %u at most",
                 result->compiled.refused_smem_bytes, result->compiled.refused_smem_limit_bytes);
    return SMC_OK;
}
