/* The sizes that an SM's shared memory can be set to, and what a launch gains by each.

   All of it is a preference: the driver may configure another size (on an H200 with carve-out 0 and
   no shared memory the API said 8 blocks while 16 were resident). */
#ifndef SMC_MODEL_CARVEOUTS_H
#define SMC_MODEL_CARVEOUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/launch.h"

enum { SMC_CACHE_CONFIG_COUNT = SMC_CACHE_PREFER_EQUAL + 1 };

struct smc_carveout {
    uint32_t smem_bytes;  /* of the SM, as requested */
    uint32_t l1_bytes;    /* what is left for the L1 cache; 0: it is separate or absent */
    int32_t percent_from; /* percentages that request this size; -1 if none does */
    int32_t percent_to;
    enum smc_smem_mode smem_mode; /* with which it is requested */
    uint32_t configured_bytes;    /* above smem_bytes if that is too little for one block */
    uint32_t blocks_per_sm;
};

struct smc_carveouts {
    bool by_percent; /* from CC 7.0; before, only a cache configuration has an effect, if any */
    uint32_t count;
    struct smc_carveout size[SMC_MAX_CARVEOUTS]; /* ascending; those that can be requested. The last
                                                    is the oversized one if the launch's mode allows
                                                    it */
    struct smc_carveout preference[SMC_CACHE_CONFIG_COUNT]; /* by enum smc_cache_config */
    uint32_t most_blocks;                                   /* at any size */
};

/* The launch's own carve-out and cache configuration are ignored. */
void smc_carveouts_find(const struct smc_sm *sm, const struct smc_launch *launch,
                        struct smc_carveouts *out);

/* The smallest size with at least that many blocks; NULL if there is none. */
const struct smc_carveout *smc_carveouts_smallest(const struct smc_carveouts *carveouts,
                                                  uint32_t blocks_per_sm);

/* The CUDA runtime's name of a preference: "cudaFuncCachePreferL1". */
const char *smc_cache_config_name(enum smc_cache_config cache_config);

#endif
