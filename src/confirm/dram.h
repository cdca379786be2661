/* Bytes between DRAM and the L2 cache, predicted as the least there can be: every input read once,
   every output written once. Inside src/confirm only.

   A kernel that streams (smc_kernel's `streams`) comes to that, within 5 % and the size of the L2
   cache, for what lay in it before is not read and what stays in it is not written. That is judged
   only where the prediction is above four times the cache; else, and for the other kernels, what
   was counted is information beside the least. */
#ifndef SMC_CONFIRM_DRAM_H
#define SMC_CONFIRM_DRAM_H

#include "confirm/counted.h"

void smc_confirm_dram(const struct smc_counted *counted, struct smc_confirmation *out);

#endif
