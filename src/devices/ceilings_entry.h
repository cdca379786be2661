/* The ceilings of one device in JSON, as the file and the reports have them. */
#ifndef SMC_CEILINGS_ENTRY_H
#define SMC_CEILINGS_ENTRY_H

#include <jansson.h>

#include "base/status.h"
#include "devices/ceilings.h"

/* A new object: device, gpu_uuid, driver, date, then a member a ceiling; null where unknown. */
json_t *smc_ceilings_entry(const struct smc_ceilings *ceilings);

/* Reads such an object. SMC_USAGE with a message that begins with `where` and names the key. */
enum smc_status smc_ceilings_entry_read(const json_t *entry, const char *where,
                                        struct smc_ceilings *out, struct smc_error *error);

#endif
