/* From arguments to a sweep: which options vary. */
#ifndef SMC_CLI_ASK_AXES_H
#define SMC_CLI_ASK_AXES_H

#include "cli/ask_devices.h"
#include "cli/options.h"
#include "query/sweep.h"

/* Owns what a sweep points to. Start from {0}. */
struct smc_swept_devices {
    struct smc_chosen_devices chosen;
    struct smc_device *device;
    size_t count, capacity;
};

/* Reads the question, its axes and its devices. SMC_USAGE with a message that names the options:
   none or more than two vary, or there are too many points. `devices` is to be freed whatever the
   status. `tell`: tells how devices' names were understood. */
enum smc_status smc_ask_sweep(const struct smc_arguments *arguments, bool tell,
                              struct smc_sweep *sweep, struct smc_swept_devices *devices,
                              struct smc_error *error);

void smc_swept_devices_free(struct smc_swept_devices *devices);

#endif
