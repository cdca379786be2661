/* Why a launch is refused, in words. */
#ifndef SMC_MODEL_REFUSALS_H
#define SMC_MODEL_REFUSALS_H

#include "base/text.h"
#include "model/occupancy.h"

/* Appends "a block of 128 threads in z; this device allows 64". `occupancy` is what was computed or
   checked for the launch; `refusal` is one of its refusals. */
void smc_refusal_describe(const struct smc_sm *sm, const struct smc_launch *launch,
                          const struct smc_occupancy *occupancy, enum smc_refusal refusal,
                          struct smc_text *out);

#endif
