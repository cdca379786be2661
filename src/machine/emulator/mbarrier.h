/* What others need of mbarrier objects: bulk and tensor copies and asynchronous stores complete
   their transactions, and a deadlock names one. */
#ifndef SMC_MACHINE_MBARRIER_H
#define SMC_MACHINE_MBARRIER_H

#include "machine/emulator/emulator_state.h"

/* A copy that has been checked will complete transactions of the object at this address, also of
   another block of the cluster, and write to `shared`. */
struct smc_issuer;
struct smc_begun_copy;
void smc_mbarrier_await(const struct smc_issuer *by, const struct smc_begun_copy *copy,
                        uint64_t object, uint64_t shared);

/* Nothing but waiting happens: all copies of the block happen. False: there are none. */
bool smc_mbarrier_drain(struct smc_worker *worker);

/* Says in a finding which object the warp waits for, and what that lacks. */
void smc_mbarrier_describe(const struct smc_worker *worker, const struct smc_warp *warp,
                           struct smc_finding *finding);

#endif
