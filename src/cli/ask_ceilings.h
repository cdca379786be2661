/* The measured ceilings of the devices that are asked about. */
#ifndef SMC_CLI_ASK_CEILINGS_H
#define SMC_CLI_ASK_CEILINGS_H

#include "query/query.h"

/* Gives each query those of its device: this user's, else the table's. A file that is damaged is
   told of, and left out. */
void smc_ask_ceilings(struct smc_query *queries, size_t count);

/* The same for a device that no query is about. */
void smc_ask_device_ceilings(const struct smc_device *device, struct smc_ceilings *ceilings);

#endif
