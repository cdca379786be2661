/* smemcalc run --source: a person's own kernel. */
#ifndef SMC_CLI_RUN_SOURCE_H
#define SMC_CLI_RUN_SOURCE_H

#include "cli/options.h"

/* As the function of a command. */
enum smc_status smc_run_source(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error);

#endif
