/* From arguments to the launch of a person's own source: all but the device. */
#ifndef SMC_CLI_ASK_OWN_H
#define SMC_CLI_ASK_OWN_H

#include "cli/options.h"
#include "executor/user.h"

/* SMC_USAGE names the option. */
enum smc_status smc_ask_own(const struct smc_arguments *arguments, struct smc_user_request *request,
                            struct smc_error *error);

/* The block, now that the device is known. */
enum smc_status smc_ask_own_block(const struct smc_arguments *arguments,
                                  const struct smc_user_request *request, struct smc_error *error);

/* SMC_USAGE where an option is given that only goes with --source. */
enum smc_status smc_ask_no_source(const struct smc_arguments *arguments, struct smc_error *error);

/* --dump N:FILE: the argument, from 0, and the file. */
enum smc_status smc_ask_dump(const char *typed, const struct smc_user_request *request,
                             size_t *argument, const char **path, struct smc_error *error);

#endif
