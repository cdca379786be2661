/* The measured ceilings that are known for a device: the user's own, else those of the built-in
   table. */
#ifndef SMC_CONFIRM_KNOWN_CEILINGS_H
#define SMC_CONFIRM_KNOWN_CEILINGS_H

#include "base/text.h"
#include "query/query.h"

/* Sets each query's ceilings to those of its device. A damaged file is ignored, with one line in
   `warnings`. */
void smc_known_ceilings(struct smc_query *queries, size_t count, struct smc_text *warnings);

/* The same for a device without a query. */
void smc_known_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings,
                               struct smc_text *warnings);

#endif
