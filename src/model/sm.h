/* The limits of one SM, as its compute capability fixes them.
   Values: data/compute_capabilities.csv, which names the source of each row. Allocation units,
   granularities, sub-partitions and the warp size are powers of two. */
#ifndef SMC_MODEL_SM_H
#define SMC_MODEL_SM_H

#include <stdbool.h>
#include <stdint.h>

enum { SMC_MAX_CARVEOUTS = 12 };

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
    uint32_t reg_alloc_unit;         /* registers; rounds a warp's, on CC 1.x a block's */
    bool regs_allocated_per_block;   /* CC 1.x */
    uint32_t warp_alloc_granularity; /* CC 1.x: a block's warps are rounded up to this */
    uint32_t subpartitions;          /* each holds an equal share of the registers */
    uint32_t smem_per_sm_bytes;      /* the largest carve-out */
    uint32_t smem_per_block_default_bytes;
    uint32_t smem_per_block_optin_bytes; /* without the driver's reserve */
    uint32_t smem_alloc_unit_bytes;
    uint32_t smem_reserved_per_block_bytes; /* taken by the driver from CC 8.0 on */
    uint32_t smem_carveout_count;
    uint32_t smem_carveout_bytes[SMC_MAX_CARVEOUTS]; /* ascending */
    uint32_t l1_smem_unified_bytes;                  /* 0: L1 is absent or separate */
    uint32_t l1_tex_separate_bytes;
    uint32_t smem_banks;
    uint32_t bank_width_bytes;
    uint32_t named_barriers_per_block;
    uint32_t barriers_per_sm;          /* 0: not known, does not limit */
    uint32_t virtual_resources_per_sm; /* 0: none */
    uint32_t cluster_max_portable;     /* 0: no clusters */
    uint32_t cluster_max_nonportable;
    uint32_t fp32_lanes_per_sm;
};

#endif
