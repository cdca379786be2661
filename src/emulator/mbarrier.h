/* mbarrier objects in shared memory: 64 bits that the PTX ISA leaves opaque. */
#ifndef SMC_EMULATOR_MBARRIER_H
#define SMC_EMULATOR_MBARRIER_H

#include "emulator/program.h"

/* a: the address; of init, b: the count; of an arrival, b: its count, c: the transactions it
   expects, d: the state before it; of a wait, b: the state or the parity, d: whether its phase is
   complete. */
smc_step smc_step_mbarrier_init, smc_step_mbarrier_arrive, smc_step_mbarrier_transactions,
    smc_step_mbarrier_wait;
smc_alu smc_mbarrier_pending;
/* cp.async.mbarrier.arrive: an arrival once the lane's copies are complete, which they then are. */
smc_step smc_step_copies_arrive;
/* cp.async.bulk. a: the destination in op->space, b: the source, in global memory with
   SMC_REDUCE_EXCHANGE and otherwise in shared memory; v[0]: the number of bytes; c: of a copy to
   shared memory, the object that counts them. */
smc_step smc_step_bulk_copy;

#endif
