/* The measured ceilings that are known of a device: this user's, else the built-in table's. */
#ifndef SMC_CONFIRM_KNOWN_CEILINGS_H
#define SMC_CONFIRM_KNOWN_CEILINGS_H

#include "base/text.h"
#include "query/query.h"

/* Gives each query those of its device. A file that is damaged is left out, with a line of
   `warnings`. */
void smc_known_ceilings(struct smc_query *queries, size_t count, struct smc_text *warnings);

/* The same for a device that no query is about. */
void smc_known_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings,
                               struct smc_text *warnings);

#endif
