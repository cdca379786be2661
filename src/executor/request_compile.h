/* What every back end begins with. Only this folder includes it. */
#ifndef SMC_EXECUTOR_REQUEST_COMPILE_H
#define SMC_EXECUTOR_REQUEST_COMPILE_H

#include "executor/executor.h"

/* Compiles the request's kernel for its device and fills the result's `compile` and `compiled`:
   ptxas's refusal is a result, with SMC_OK. Otherwise as smc_compile. */
enum smc_status smc_request_compile(const struct smc_run_request *request,
                                    struct smc_run_result *result, struct smc_binary *binary,
                                    struct smc_text *warnings, struct smc_error *error);

#endif
