/* Values that nothing has set: what was read from shared memory that nothing had written, and what
   a register held before it was written (unwritten.c), once it is in shared memory. Programs copy
   such values and never use them, as a scan does with the elements beyond its end; so they are
   followed, through registers, arithmetic and shared memory, until a use that others can see: in an
   address, a branch, a store outside shared memory, or an instruction that is not followed. Only
   that is a finding, of the read that came first. A warp is followed from the first load of such a
   value on, until its block ends; all other warps run as fast as without. */
#ifndef SMC_MACHINE_UNSET_VALUES_H
#define SMC_MACHINE_UNSET_VALUES_H

#include "machine/emulator/emulator_state.h"

/* What the load that is executed finds unset, at an address of shared memory: shadow.c notes it.
   `origin`: NULL, or that of what was stored there. */
void smc_unset_note(struct smc_worker *worker, uint32_t lane, uint32_t element, uint64_t address,
                    const struct smc_unset_origin *origin);

/* After a load that found unset values: follows them from now on. */
void smc_unset_begin(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op);

/* Executes an op of a warp that is followed. `op` is one of the program that is executed; `mask`:
   the lanes whose guard holds, of those that are active. */
enum smc_next smc_unset_step(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask);

/* A shuffle in a warp that is followed: of each of these lanes the register and the lane that it
   reads, and the register that it writes. */
struct smc_unset_move {
    uint32_t slot, lane, to;
};
void smc_unset_move(const struct smc_warp *warp, uint32_t lanes,
                    const struct smc_unset_move move[SMC_LANES]);

/* The lanes whose store is to the shared memory of the block; `address` receives where. */
uint32_t smc_unset_in_shared(const struct smc_worker *worker, const struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask, uint64_t address[SMC_LANES]);

/* Reports a use of a value; the address is that of the read, if `bytes` is not 0. */
void smc_unset_report(struct smc_worker *worker, const struct smc_unset_origin *origin,
                      uint64_t address, uint32_t bytes);

void smc_unset_free(struct smc_warp *warp);

#endif
