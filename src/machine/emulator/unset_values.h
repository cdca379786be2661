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

/* After a load that found unset values: follows them from now on. */
void smc_unset_begin(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op);

/* The stores of one op to the shared memory of the block. */
struct smc_unset_stores {
    uint32_t lanes;
    uint64_t address[SMC_LANES];
};

/* Before and after an op of a warp that is followed. `op` is one of the program that is executed;
   `mask`: the lanes whose guard holds, of those that are active. */
void smc_unset_before(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                      uint32_t mask, struct smc_unset_stores *stores);
void smc_unset_after(struct smc_worker *worker, const struct smc_warp *warp,
                     const struct smc_op *op, const struct smc_unset_stores *stores);

/* A shuffle in a warp that is followed: of each of these lanes the register and the lane that it
   reads, and the register that it writes. */
struct smc_unset_move {
    uint32_t slot, lane, to;
};
void smc_unset_move(const struct smc_warp *warp, uint32_t lanes,
                    const struct smc_unset_move move[SMC_LANES]);

/* Finds the lanes of `mask` whose store is to the shared memory of the block. */
void smc_unset_find_stores(const struct smc_worker *worker, const struct smc_warp *warp,
                           const struct smc_op *op, uint32_t mask, struct smc_unset_stores *stores);

/* Which lanes' operands a and b matter, of those given: a choice depends on what is chosen. */
void smc_chosen_lanes(const struct smc_warp *warp, const struct smc_op *op, uint32_t *a,
                      uint32_t *b);
/* Whether the result is one operand beside the other. */
bool smc_joins_parts(const struct smc_op *op);
/* The lanes whose result depends on something unwritten, which the operands are in these lanes:
   `or` on neither side if the other is true. */
uint32_t smc_spoilt_lanes(const struct smc_warp *warp, const struct smc_op *op, uint32_t a,
                          uint32_t b, uint32_t c);

/* Reports what is unset in a warp whose block cannot go on, since it may be why. */
void smc_unset_give_up(struct smc_worker *worker, const struct smc_warp *warp);

void smc_unset_free(struct smc_warp *warp);

#endif
