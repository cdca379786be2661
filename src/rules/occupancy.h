/* How many blocks of a launch reside on one SM, and what stops the next one.
   Pure integer arithmetic: no allocation, no I/O, no global state; safe from any thread.
   The rules agree with NVIDIA's cuda_occupancy.h (CUDA 13.5; CC 1.x and 2.x: CUDA 7.0) except for
   its mistakes (256 registers per thread are accepted; bits of limits that no longer bind remain).
   Where each comes from:
   warps, block slots      CUDA C++ Programming Guide, "Compute Capabilities", table "Technical
                           Specifications per Compute Capability"
   registers               cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit; CC 1.x: the sheet "GPU
                           Data" and the formulas of CUDA_Occupancy_Calculator.xls
   shared memory           the guide's sections "Shared Memory" of each compute capability: opt-in
                           above 48 KB, sizes, and from CC 8.0 on 1 KB a block for the system;
                           rounding and the choice of a carve-out: cuda_occupancy.h;
                           modes: driver_types.h of CUDA 13.5, cudaSharedMemoryMode
   barriers, virtual       cuda_occupancy.h of CUDA 13.5, from CC 9.0 and 10.0 on
   clusters                the guide's section "Thread Block Clusters"; how many are resident: found
                           by asking cudaOccupancyMaxActiveClusters on two H100 and two H200
                           (2,400 of 2,400 random launches)
   Tensor Memory           PTX ISA, "Tensor Memory": 512 columns; "tcgen05.alloc": a power of two of
                           them from 32 on, and the instruction waits until they are free, so that
                           they limit no residency
   grids, blocks in z      the guide's table "Technical Specifications per Compute Capability"
   parameters              the guide's section "Function Parameters": 256 bytes on CC 1.x, then 4
   KB, and since CUDA 12.1 32,764 bytes from CC 7.0 on */
#ifndef SMC_RULES_OCCUPANCY_H
#define SMC_RULES_OCCUPANCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "launch.h"

/* The same for C++ and at run time: sets every member. */
void smc_launch_init(struct smc_launch *launch);

/* Fills `out` for every launch; a refused launch has 0 blocks and its refusals set, which is
   SMC_OK. `sm` is one of the tables', or passes smc_sm_check. SMC_USAGE, and an `out` of zeros, if
   smc_launch_validate fails. */
enum smc_status smc_occupancy_compute(const struct smc_sm *sm, const struct smc_launch *launch,
                                      struct smc_occupancy *out);

/* What no answer can be computed from: an `sm` with a 0 that is divided by, as a struct of zeros
   has; a launch with a value outside its enum or a carve-out above 100 %, or with less dynamic
   memory than its threads need (smem_bytes_per_thread). SMC_USAGE, and why. */
enum smc_status smc_launch_validate(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_error *error);

/* Decides whether a launch is legal on a GPU of `sm_count` such SMs (0: not known): everything that
   smc_occupancy_compute checks, and whether a cooperative grid is resident at a time. Fills in what
   the GPU holds at a time as well. `groups` may be NULL or unknown. Every answer about a launch
   comes from here. Errors are those of smc_occupancy_compute. */
enum smc_status smc_launch_check(const struct smc_sm *sm, uint32_t sm_count,
                                 const struct smc_sm_groups *groups,
                                 const struct smc_launch *launch, struct smc_occupancy *out);

/* Many launches on one GPU, and where their answers go. */
struct smc_launches {
    size_t size; /* sizeof(struct smc_launches): later versions have more members */
    const struct smc_sm *sm;
    const struct smc_sm_groups *groups; /* may be NULL */
    uint32_t sm_count;                  /* 0: not known */
    size_t count;
    const struct smc_launch *launch;
    struct smc_occupancy *occupancy;
};

/* Calls smc_launch_check for each. SMC_USAGE if any is not valid: its answer is zeros, all others
   are computed, and the message begins with the index of the first. */
enum smc_status smc_launches_check(const struct smc_launches *launches, struct smc_error *error);

/* An SM holds no more blocks of clusters at a time than these, whatever else fits: as the driver
   counts, and as blocks were counted on an H200. */
enum { SMC_MOST_CLUSTERED_BLOCKS = 8 };

/* Whether `groups`, which may be NULL, are those of all `sm_count` SMs. */
bool smc_sm_groups_are_known(const struct smc_sm_groups *groups, uint32_t sm_count);

/* The clusters of `size` blocks, 2 or more, that are resident at a time where `blocks_per_sm` are
   on each SM: as the driver answers if the groups are known, else no fewer than it answers. */
uint64_t smc_resident_clusters(uint32_t sm_count, const struct smc_sm_groups *groups, uint32_t size,
                               uint32_t blocks_per_sm);

/* How many times over a grid fills a GPU. */
struct smc_waves {
    uint64_t grid_blocks;
    uint64_t resident_blocks; /* on the whole GPU at a time */
    uint64_t waves;           /* the last one included, full or not */
    uint64_t last_wave_blocks;
    uint32_t idle_sms;    /* SMs without any block in the last wave, blocks spread evenly */
    uint32_t reserved[5]; /* 0; space for members of later versions */
};

/* Of a launch that smc_launch_check has answered for a GPU of `sm_count` SMs. False, and zeros: its
   SMs are not known, no block fits, or there are no blocks. */
bool smc_waves_find(uint32_t sm_count, const struct smc_occupancy *occupancy, uint64_t grid_blocks,
                    struct smc_waves *out);

/* Resident warps as a share of the SM's warp slots, 0 to 100; both of the same SM. 0 if it has
 * none. */
double smc_occupancy_percent(const struct smc_sm *sm, const struct smc_occupancy *occupancy);

/* Names in scripts ("shared_memory") and for people ("shared memory"). Constants, never NULL; the
   argument is below its ..._COUNT. */
const char *smc_limit_name(enum smc_limit limit);
const char *smc_limit_label(enum smc_limit limit);
const char *smc_refusal_name(enum smc_refusal refusal);

/* "oversized", and the CUDA runtime's name, "cudaSharedMemoryModeAllowOversizedSharedMemory". */
const char *smc_smem_mode_name(enum smc_smem_mode mode);
const char *smc_smem_mode_runtime_name(enum smc_smem_mode mode);

#endif
