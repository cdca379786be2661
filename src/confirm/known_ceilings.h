/* The measured ceilings that are known of a device: this user's, else the built-in table's. */
#ifndef SMC_CONFIRM_KNOWN_CEILINGS_H
#define SMC_CONFIRM_KNOWN_CEILINGS_H

#include "base/text.h"
#include "ceilings/ceilings_file.h"

/* This user's, to be freed; empty where there are none: nobody needs to have calibrated. A file
   that is damaged is left out, with a warning (or NULL). */
void smc_known_ceilings_read(struct smc_ceilings_file *file, struct smc_text *warnings);

void smc_known_ceilings_find(const struct smc_ceilings_file *file, const struct smc_device *device,
                             struct smc_ceilings *ceilings);

#endif
