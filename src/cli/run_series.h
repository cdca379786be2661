/* smemcalc run --compare, or with a range: several runs side by side. */
#ifndef SMC_CLI_RUN_SERIES_H
#define SMC_CLI_RUN_SERIES_H

#include "cli/options.h"

/* As the function of a command. */
enum smc_status smc_run_series(const struct smc_arguments *arguments, struct smc_text *out,
                               struct smc_error *error);

#endif
