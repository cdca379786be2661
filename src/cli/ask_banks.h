/* From arguments to a question about shared-memory accesses. */
#ifndef SMC_CLI_ASK_BANKS_H
#define SMC_CLI_ASK_BANKS_H

#include "cli/ask_devices.h"
#include "query/banks.h"

/* Tells how a device's name was understood. Arguments and devices must live as long as the query;
   the devices are to be freed whatever the status. SMC_USAGE with a message that names the
   option. */
enum smc_status smc_ask_banks(const struct smc_arguments *arguments,
                              struct smc_chosen_devices *devices, struct smc_banks_query *query,
                              struct smc_error *error);

/* For --csv, whose rows say all but the device. */
enum smc_status smc_ask_banks_rows(const struct smc_arguments *arguments,
                                   struct smc_chosen_devices *devices,
                                   struct smc_banks_query *query, struct smc_error *error);

#endif
