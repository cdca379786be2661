/* A person's own kernel: nothing is predicted of its counts, so that they are shown; what it does
   wrong, and where a GPU and the emulator disagree, differs. Pure. */
#ifndef SMC_CONFIRM_OWN_H
#define SMC_CONFIRM_OWN_H

#include "confirm/confirm.h"
#include "own/own.h"

void smc_confirm_own(const struct smc_own_run *run, struct smc_confirmation *out);

#endif
