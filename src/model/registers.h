/* Registers: how many are allocated to a warp or a block, and how many blocks that allows. */
#ifndef SMC_MODEL_REGISTERS_H
#define SMC_MODEL_REGISTERS_H

#include "model/launch.h"

/* The allocation unit, in registers, for a thread of `regs_per_thread`. On CC 2.x it depends on
   the count (cuda_occupancy.h of CUDA 7.0 and 8.0). */
uint32_t smc_registers_unit(const struct smc_sm *sm, uint32_t regs_per_thread);

/* The launch check rounds a block's warps up to a multiple of this. */
uint32_t smc_registers_checked_subpartitions(const struct smc_sm *sm);

/* Sets the limit, the allocation, the refusals and the partitioned caching in effect. Expects
   out->warps_per_block and out->partitioned_caching to be set. */
void smc_registers_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                         struct smc_occupancy *out);

#endif
