/* Ending a long emulation: at Ctrl-C, and after --timeout where it is given. */
#ifndef SMC_CLI_RUN_STOP_H
#define SMC_CLI_RUN_STOP_H

#include "cli/options.h"
#include "confirm/launch.h"

void smc_run_make_stoppable(const struct smc_arguments *arguments,
                            struct smc_run_settings *settings);

/* The status and message of what was stopped; `error` says how far it came. */
enum smc_status smc_run_tell_stopped(const struct smc_run_settings *settings,
                                     struct smc_error *error);

#endif
