/* The rows that the emulator adds. Inside src/confirm only. */
#ifndef SMC_CONFIRM_EMULATED_H
#define SMC_CONFIRM_EMULATED_H

#include "confirm/confirm.h"

/* Shared and global memory, and what was found; nothing where nothing was emulated. */
void smc_confirm_emulated(const struct smc_answer *answer, const struct smc_run_result *result,
                          struct smc_confirmation *out);

#endif
