/* The limits of one SM, which its compute capability determines. The values of the built-in table
   from CC 3.0 on equal NVIDIA's cuda_occupancy.h (CUDA 13.5) and the table "Technical
   Specifications per Compute Capability" of the CUDA C++ Programming Guide, except for the
   differences that `uncertain` of a struct smc_capability names; its `sources` are the row's. */
#ifndef SMC_RULES_SM_H
#define SMC_RULES_SM_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/status.h"

enum { SMC_MAX_CARVEOUTS = 12 };

/* The range of compute capabilities: 1.0 to 99.9. */
enum { SMC_MIN_CC = 10, SMC_MAX_CC = 999 };

struct smc_sm {
    uint16_t cc; /* compute capability: 10 x major + minor, 90 for 9.0, 121 for 12.1 */
    uint16_t warp_size;
    uint32_t max_threads_per_block;
    uint32_t max_warps_per_sm;
    uint32_t max_threads_per_sm;
    uint32_t max_blocks_per_sm;
    uint32_t regs_per_sm;
    uint32_t max_regs_per_block;
    uint32_t max_regs_per_thread;
    uint32_t reg_alloc_unit;         /* in registers: a warp's registers, on CC 1.x a block's, are
                                        rounded up to it */
    bool regs_allocated_per_block;   /* CC 1.x */
    uint32_t warp_alloc_granularity; /* CC 1.x: a block's warps are rounded up to this */
    uint32_t subpartitions;          /* each holds an equal share of the registers */
    uint32_t smem_per_sm_bytes;      /* the largest carve-out */
    uint32_t smem_per_block_default_bytes;
    uint32_t smem_per_block_optin_bytes; /* without the driver's reserve */
    uint32_t smem_alloc_unit_bytes;
    uint32_t smem_reserved_per_block_bytes; /* used by the driver from CC 8.0 on */
    uint32_t smem_carveout_count;
    uint32_t smem_carveout_bytes[SMC_MAX_CARVEOUTS]; /* ascending; 0 after the last */
    uint32_t smem_oversized_per_sm_bytes;    /* above every carve-out, configured only if a mode
                                                allows it; 0: no such configuration */
    uint32_t smem_oversized_per_block_bytes; /* without the driver's reserve; 0: none */
    uint32_t l1_smem_unified_bytes;          /* 0: L1 is absent or separate */
    uint32_t l1_tex_separate_bytes;
    uint32_t smem_banks;
    uint32_t bank_width_bytes;
    uint32_t named_barriers_per_block;
    uint32_t barriers_per_sm;          /* 0: not known, does not limit */
    uint32_t virtual_resources_per_sm; /* 0: none */
    uint32_t cluster_max_portable;     /* 0: no clusters */
    uint32_t cluster_max_nonportable;
    uint32_t tmem_columns_per_sm; /* of Tensor Memory; 0: none, or not known */
    uint32_t fp32_lanes_per_sm;
    uint32_t max_grid_x, max_grid_y, max_grid_z; /* blocks of a launch, in each dimension */
    uint32_t max_block_z; /* threads of a block; x and y allow as many as max_threads_per_block */
    uint32_t max_parameter_bytes; /* of a kernel's arguments together */

    /* Rules that differ between generations. If all are 0, the launch is computed as on CC 9.0 and
       newer. Device files have no keys for them. */
    bool carveout_by_cache_config; /* before CC 7.0: no percentages; only the cache configuration
                                      can choose among the sizes */
    bool barriers_not_counted;     /* before CC 9.0: barriers_per_sm limits nothing */
    bool has_partitioned_caching;  /* partitioned global caching: CC 5.2, 5.3, 6.1 and 6.2 */
    bool reg_alloc_unit_varies;    /* CC 2.x: some register counts are rounded to twice the unit */
    uint32_t launch_check_subpartitions; /* CC 6.0: the check of registers per block assumes more
                                            sub-partitions than the SM has; 0: it assumes the real
                                            number; a power of two */
    bool smem_holds_arguments;           /* CC 1.x: a kernel's arguments are in shared memory */
    uint32_t global_sector_bytes;        /* 32; 0: CC 1.x has segments of several sizes */
    bool has_async_copies;               /* cp.async, from CC 8.0 on */
    bool has_matrix_loads;               /* ldmatrix, from CC 7.5 on */
    bool has_matrix_stores;              /* stmatrix, from CC 9.0 on */
    uint32_t smem_wavefronts_per_clock;  /* of an SM, from CC 5.0 on: 1; 0: not known */

    uint32_t reserved[8]; /* 0; space for members of later versions */
};

/* How the SMs of a GPU are grouped: the blocks of a cluster run in one group. */
enum { SMC_MOST_SM_GROUPS = 32 };
struct smc_sm_groups {
    uint32_t count; /* 0: not known */
    uint16_t sms[SMC_MOST_SM_GROUPS];
};

/* Checks that the limits are in range and consistent. The functions of the model check only what
   they divide by. SMC_USAGE with a message that begins with the quoted name of the offending
   member. The rules: allocation units, granularities, sub-partitions, banks and the
   warp size are powers of two; threads per SM = warps x warp size; sub-partitions share the
   registers equally; the reserve is a multiple of the allocation unit; default <= opt-in, opt-in +
   reserve <= shared memory per SM = the last carve-out; an oversized configuration is larger than
   these, for the SM and for a block; a block's threads, registers and barriers are not above the
   SM's; the launch check assumes a power of two of sub-partitions, no fewer than the SM has.
   Ranges: counts are from 1 to their message's maximum, far above any GPU's. */
enum smc_status smc_sm_check(const struct smc_sm *sm, struct smc_error *error);

#endif
