/* Shared memory: what a block is given, the carve-out in effect, and how many blocks fit. */
#ifndef SMC_MODEL_SHARED_MEMORY_H
#define SMC_MODEL_SHARED_MEMORY_H

#include "model/occupancy.h"

/* The smallest size the SM can be configured to that holds `bytes`; the largest where none does. */
uint32_t smc_smem_carveout_for(const struct smc_sm *sm, uint64_t bytes);

/* The shared memory of an SM that a preference asks for, before a block's need raises it.
   From CC 7.0 a percentage (0 to 100) is rounded up to a supported size; below, only the cache
   configuration counts, and on CC 5.x and 6.x nothing does (cuda_occupancy.h of CUDA 13.5). */
uint32_t smc_smem_preferred_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                                  enum smc_cache_config cache_config);

/* The most static and dynamic shared memory of a block, together and without the driver's reserve,
   that the launch's mode allows. An SM without an oversized configuration has its opt-in limit. */
uint32_t smc_smem_most_per_block(const struct smc_sm *sm, const struct smc_launch *launch);

/* The largest size that the mode lets the SM be configured to. */
uint32_t smc_smem_most_per_sm(const struct smc_sm *sm, enum smc_smem_mode mode);

/* Sets the limit, the allocation, the configured size and the refusals. */
void smc_smem_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                    struct smc_occupancy *out);

#endif
