/* A person's own kernel on the emulator. Inside src/executor only. */
#ifndef SMC_EXECUTOR_EMULATOR_OWN_H
#define SMC_EXECUTOR_EMULATOR_OWN_H

#include "executor/own.h"

enum smc_status smc_emulator_run_own(const struct smc_own_launch *launch,
                                     struct smc_own_result *result, struct smc_error *error);

#endif
