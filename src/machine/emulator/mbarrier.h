/* What others need of mbarrier objects: bulk and tensor copies and asynchronous stores complete
   their transactions, and a deadlock names one. */
#ifndef SMC_MACHINE_MBARRIER_H
#define SMC_MACHINE_MBARRIER_H

#include "machine/emulator/emulator_state.h"

/* Completes transactions of the object at this address of shared memory, also of another block of
   the cluster, for a lane. */
void smc_mbarrier_complete(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint64_t at, uint32_t bytes, uint32_t lane);

/* Bytes of this block's shared memory, which the copy of instruction `place` has just written, may
   be read when a thread has waited for the current phase of this object. */
void smc_mbarrier_await_copy(struct smc_worker *worker, uint64_t object, uint64_t address,
                             uint32_t bytes, uint32_t place);

/* Says in a finding which object the warp waits for, and what that lacks. */
void smc_mbarrier_describe(const struct smc_worker *worker, const struct smc_warp *warp,
                           struct smc_finding *finding);

#endif
