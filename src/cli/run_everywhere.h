/* smemcalc run --gpu all: one question on every GPU of the machine, one report. */
#ifndef SMC_CLI_RUN_EVERYWHERE_H
#define SMC_CLI_RUN_EVERYWHERE_H

#include "base/text.h"
#include "cli/options.h"
#include "confirm/launch.h"

/* The device of `query` counts for nothing. The status is the worst of the GPUs'; each that failed
   is told on standard error as well. */
enum smc_status smc_run_everywhere(const struct smc_arguments *arguments,
                                   const struct smc_query *query,
                                   const struct smc_run_settings *settings, struct smc_text *out,
                                   struct smc_error *error);

#endif
