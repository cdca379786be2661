/* What a launch asks for, and what it gets on one SM: the types of the rules of occupancy. */
#ifndef SMC_RULES_LAUNCH_H
#define SMC_RULES_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sm.h"

enum smc_limit {
#define SMC_LIMIT(id, name, label) SMC_LIMIT_##id,
#include "limits.def"
    SMC_LIMIT_COUNT
};

enum smc_refusal {
#define SMC_REFUSAL(id, name, limit) SMC_REFUSAL_##id,
#include "refusals.def"
    SMC_REFUSAL_COUNT
};

/* The refusals of a grid, and those that no change of a block's resources resolves. */
#define SMC_GRID_REFUSALS                                                                          \
    (1u << SMC_REFUSAL_GRID_X | 1u << SMC_REFUSAL_GRID_Y | 1u << SMC_REFUSAL_GRID_Z)
#define SMC_SHAPE_REFUSALS                                                                         \
    (SMC_GRID_REFUSALS | 1u << SMC_REFUSAL_BLOCK_Z | 1u << SMC_REFUSAL_CLUSTER_SHAPE |             \
     1u << SMC_REFUSAL_PARAMETER_BYTES)

/* Partitioned global caching: CC 5.2, 5.3, 6.1 and 6.2 only; other GPUs ignore it. On: a block
   stays in one half of the SM, unless no block would fit; strict: even then. */
enum smc_partitioned_caching {
    SMC_PARTITIONED_CACHING_OFF,
    SMC_PARTITIONED_CACHING_ON,
    SMC_PARTITIONED_CACHING_STRICT,
};

/* The four preferences of cudaFuncSetCacheConfig. From CC 7.0 a carve-out takes precedence. */
enum smc_cache_config {
    SMC_CACHE_PREFER_NONE,
    SMC_CACHE_PREFER_SHARED,
    SMC_CACHE_PREFER_L1,
    SMC_CACHE_PREFER_EQUAL,
};

enum {
    SMC_CARVEOUT_DEFAULT = -1,
};

/* The values of cudaSharedMemoryMode (CUDA 13.5), which say how much shared memory a launch may
   request. Default: what cudaFuncAttributeMaxDynamicSharedMemorySize was set to, here the most that
   can be opted in to. Any other mode makes the runtime ignore that attribute. */
enum smc_smem_mode {
#define SMC_SMEM_MODE(id, name, runtime_name, text) SMC_SMEM_MODE_##id,
#include "smem_modes.def"
    SMC_SMEM_MODE_COUNT
};

/* Space for the limits of later versions. */
enum { SMC_MOST_LIMITS = 12 };

/* "Does not limit". */
#define SMC_UNLIMITED UINT32_MAX

/* An impossible launch is refused, which is not an error. smc_launch_validate tells which values
   contradict each other. */
struct smc_launch {
    uint32_t threads_per_block;     /* 1 or more; 0 counts as 1 */
    uint32_t regs_per_thread;       /* as the compiler reports them; 0: the kernel uses none */
    uint32_t static_smem_bytes;     /* per block, as the compiler reports them */
    uint32_t dynamic_smem_bytes;    /* per block, as given at launch */
    uint32_t smem_bytes_per_thread; /* of dynamic_smem_bytes, those that each thread needs: searches
                                       that change the number of threads change them, too */
    bool smem_not_opted_in;         /* dynamic memory above the default limit was not requested with
                                       cudaFuncAttributeMaxDynamicSharedMemorySize; matters in the
                                       default mode only */
    bool static_smem_compiled; /* a compiler took it: for sm_90a and the like, which plain sm_90 is
                                  not, ptxas of CUDA 13.0 takes more than the default limit, and an
                                  H200 launches it */
    enum smc_smem_mode smem_mode;
    int32_t carveout_percent; /* 0 to 100, or SMC_CARVEOUT_DEFAULT */
    enum smc_cache_config cache_config;
    uint32_t barriers_per_block;     /* named barriers used; 1 for a plain __syncthreads */
    uint32_t virtual_resources;      /* per block; 0: not known or none */
    uint32_t blocks_per_cluster;     /* 0 or 1: no cluster */
    uint32_t tmem_columns_per_block; /* of Tensor Memory, as tcgen05.alloc rounds them; 0: none */
    enum smc_partitioned_caching partitioned_caching;

    /* Shapes, which have limits of their own; 0 in x: not known. */
    uint32_t block[3], grid[3];
    uint32_t cluster[3];       /* of blocks_per_cluster */
    uint32_t parameter_bytes;  /* of the kernel's arguments; 0: none, or not known */
    bool cluster_not_opted_in; /* cudaFuncAttributeNonPortableClusterSizeAllowed is not set */
    bool is_cooperative;       /* all blocks of the grid must be resident at a time */

    uint32_t reserved[8]; /* 0; space for members of later versions */
};

#ifndef __cplusplus
/* A launch of one thread without any other resources: carve-out left to the driver, one barrier. */
#define SMC_LAUNCH_INIT                                                                            \
    {                                                                                              \
        .threads_per_block = 1, .carveout_percent = SMC_CARVEOUT_DEFAULT, .barriers_per_block = 1, \
    }
#endif

struct smc_occupancy {
    uint32_t blocks_per_sm;
    uint32_t warps_per_sm;
    uint32_t limit[SMC_MOST_LIMITS]; /* blocks that each resource allows, or SMC_UNLIMITED; by enum
                                        smc_limit, then 0 */
    uint32_t limiters;               /* bit n: limit n equals blocks_per_sm */
    uint32_t refusals;               /* bit n: refusal n holds; then blocks_per_sm is 0 */
    uint32_t warps_per_block;
    uint32_t regs_allocated_per_warp; /* 0 on CC 1.x, which allocates per block */
    uint32_t regs_allocated_per_block;
    uint32_t smem_allocated_per_block_bytes; /* with the driver's reserve and rounding */
    uint32_t smem_configured_bytes;          /* the SM's shared memory under this carve-out */
    enum smc_partitioned_caching partitioned_caching; /* what is in effect */
    uint32_t tmem_blocks_per_sm; /* of the resident blocks those that have their Tensor Memory at a
                                    time, while the others wait for it; 0: the launch has none */

    /* Of the whole GPU; set by smc_launch_check. 0: its SMs are not known, or no block fits. */
    uint64_t resident_blocks;
    uint64_t resident_clusters; /* 0 also without clusters */
    bool clusters_are_bound; /* no more, but perhaps fewer: how its SMs are grouped is not known */

    uint32_t reserved[8]; /* 0; space for members of later versions */
};

#endif
