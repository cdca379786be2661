/* Options that do nothing on a device are not passed over in silence. */
#ifndef SMC_CLI_IDLE_OPTIONS_H
#define SMC_CLI_IDLE_OPTIONS_H

#include "cli/options.h"
#include "devices/devices.h"

enum {
#define IDLE(option, devices, before, behind) SMC_IDLE_##option##_##devices,
#include "cli/idle_options.def"
#undef IDLE
    SMC_IDLE_COUNT
};

/* Which devices each of them does nothing on. Start from {0}. */
struct smc_idle_options {
    struct smc_text devices[SMC_IDLE_COUNT];
};

/* Once for each device that the call is about. */
void smc_idle_consider(const struct smc_arguments *arguments, const struct smc_device *device,
                       struct smc_idle_options *idle);

/* A warning for each option that does nothing on some device; frees what was gathered. */
void smc_idle_tell(struct smc_idle_options *idle);

#endif
