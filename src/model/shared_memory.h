/* Shared memory: how much is allocated to a block, the carve-out in effect, and how many blocks
   fit. */
#ifndef SMC_MODEL_SHARED_MEMORY_H
#define SMC_MODEL_SHARED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/launch.h"

/* The shared memory of an SM that a preference requests, before it is raised to fit a block. From
   CC 7.0 a percentage (0 to 100) is rounded up to a supported size; before, only the cache
   configuration has an effect, and on CC 5.x and 6.x neither has (cuda_occupancy.h of CUDA
   13.5). */
uint32_t smc_smem_preferred_bytes(const struct smc_sm *sm, int32_t carveout_percent,
                                  enum smc_cache_config cache_config);

/* The largest size of the SM's shared memory that a launch of this mode may configure. */
uint32_t smc_smem_largest_bytes(const struct smc_sm *sm, enum smc_smem_mode mode);

/* The most shared memory of a block, static plus dynamic and without the driver's reserve, that the
   launch's mode allows. In an oversized mode, an SM without an oversized configuration has its
   opt-in limit. */
uint32_t smc_smem_most_per_block(const struct smc_sm *sm, const struct smc_launch *launch);

/* The bytes that cudaFuncAttributeMaxDynamicSharedMemorySize must be set to before the launch; 0:
   it needs no call, or none helps. */
uint32_t smc_smem_to_opt_in(const struct smc_sm *sm, const struct smc_launch *launch);

/* Sets the limit, the allocation, the configured size and the refusals. */
void smc_smem_limit(const struct smc_sm *sm, const struct smc_launch *launch,
                    struct smc_occupancy *out);

#endif
