/* From arguments to the place of a run: which back end, which device. */
#ifndef SMC_CLI_ASK_PLACE_H
#define SMC_CLI_ASK_PLACE_H

#include "cli/ask_devices.h"
#include "confirm/launch.h"

/* Sets `settings` and, but for SMC_ALL_GPUS, the device of `query`. SMC_USAGE: options that do not
   go together; SMC_UNAVAILABLE: no such GPU. `devices` starts from {0} and is to be freed in any
   case. */
enum smc_status smc_ask_place(const struct smc_arguments *arguments,
                              struct smc_run_settings *settings, struct smc_chosen_devices *devices,
                              struct smc_query *query, struct smc_error *error);

#endif
