/* What others need of mbarrier objects: bulk and tensor copies and asynchronous stores complete
   their transactions, and a deadlock names one. */
#ifndef SMC_EMULATOR_MBARRIER_H
#define SMC_EMULATOR_MBARRIER_H

#include "emulator/runtime.h"

/* Completes transactions of the object at this address of shared memory, also of another block of
   the cluster, for a lane. */
void smc_mbarrier_complete(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint64_t at, uint32_t bytes, uint32_t lane);

/* Says in a finding which object the warp waits for, and what that lacks. */
void smc_mbarrier_describe(const struct smc_worker *worker, const struct smc_warp *warp,
                           struct smc_finding *finding);

#endif
