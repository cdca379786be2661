/* From arguments to a series of runs: which kernels, and what varies. */
#ifndef SMC_CLI_ASK_SERIES_H
#define SMC_CLI_ASK_SERIES_H

#include "cli/options.h"
#include "confirm/series.h"

/* --compare, or a range: several runs are asked for. */
bool smc_asks_series(const struct smc_arguments *arguments);

/* SMC_USAGE: an option that is for one run only. */
enum smc_status smc_ask_series_check(const struct smc_arguments *arguments,
                                     struct smc_error *error);

/* The runs, each on the device and with the settings of `place`. SMC_USAGE names the option. To be
   freed whatever the status. */
enum smc_status smc_ask_series(const struct smc_arguments *arguments, const struct smc_query *place,
                               bool emulated, struct smc_series *series, struct smc_error *error);

#endif
