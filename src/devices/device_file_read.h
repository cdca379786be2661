/* One device out of a parsed device file. */
#ifndef SMC_DEVICEFILE_READ_DEVICE_H
#define SMC_DEVICEFILE_READ_DEVICE_H

#include <jansson.h>

#include "devices/devices.h"

/* `where` begins each message: "my.json". The device's texts are those of `object`, which must
   outlive it. */
enum smc_status smc_device_read(const json_t *object, const char *where, struct smc_device *out,
                                struct smc_error *error);

#endif
