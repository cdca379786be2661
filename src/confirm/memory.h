/* The rows of shared and global memory. Inside src/confirm only. */
#ifndef SMC_CONFIRM_MEMORY_H
#define SMC_CONFIRM_MEMORY_H

#include "confirm/confirm.h"

/* What the emulator and the GPU's counters saw, and what the emulator found; nothing where nobody
   looked. */
void smc_confirm_memory(const struct smc_answer *answer, const struct smc_run_result *result,
                        struct smc_confirmation *out);

#endif
