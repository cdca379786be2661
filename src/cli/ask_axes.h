/* From arguments to a sweep: which options vary. */
#ifndef SMC_CLI_ASK_AXES_H
#define SMC_CLI_ASK_AXES_H

#include "cli/options.h"
#include "sweep/sweep.h"

/* Reads the question, its axes and its devices. SMC_USAGE with a message that names the options:
   none or more than two vary, or there are too many points. `devices` is for the caller to free,
   whatever the status. `tell` tells how devices' names were understood. */
enum smc_status smc_ask_sweep(const struct smc_arguments *arguments, bool tell,
                              struct smc_sweep *sweep, struct smc_device **devices,
                              struct smc_error *error);

#endif
