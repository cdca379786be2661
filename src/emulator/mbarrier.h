/* What completes transactions of mbarrier objects: bulk and tensor copies, asynchronous stores. */
#ifndef SMC_EMULATOR_MBARRIER_H
#define SMC_EMULATOR_MBARRIER_H

#include "emulator/runtime.h"

/* Completes transactions of the object at this address of shared memory, also of another block of
   the cluster, for a lane. */
void smc_mbarrier_complete(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint64_t at, uint32_t bytes, uint32_t lane);

#endif
