/* How many blocks of a launch reside on one SM, and what stops the next one.
   Pure integer arithmetic: no allocation, no I/O, no global state; safe from any thread.
   The rules agree with NVIDIA's cuda_occupancy.h (CUDA 13.5; CC 1.x and 2.x: CUDA 7.0) except for
   its documented mistakes; tests/oracle.c compares and lists them. Where each comes from:
   warps, block slots      CUDA C++ Programming Guide, "Compute Capabilities", table "Technical
                           Specifications per Compute Capability"
   registers               cuda_occupancy.h, cudaOccMaxBlocksPerSMRegsLimit; CC 1.x: the sheet "GPU
                           Data" and the formulas of CUDA_Occupancy_Calculator.xls
   shared memory           the guide's sections "Shared Memory" of each compute capability: opt-in
                           above 48 KB, sizes, and from CC 8.0 on 1 KB a block for the system;
                           rounding and the choice of a carve-out: cuda_occupancy.h;
                           modes: driver_types.h of CUDA 13.5, cudaSharedMemoryMode
   barriers, virtual       cuda_occupancy.h of CUDA 13.5, from CC 9.0 and 10.0 on
   clusters                the guide's section "Thread Block Clusters"
   grids                   the guide's table "Technical Specifications per Compute Capability" */
#ifndef SMC_MODEL_OCCUPANCY_H
#define SMC_MODEL_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/launch.h"

/* The same for C++ and at run time: sets every member. */
void smc_launch_init(struct smc_launch *launch);

/* Fills `out` for every launch; a refused launch has 0 blocks and its refusals set. `sm` is one of
   the tables', or passes smc_sm_check. */
void smc_occupancy_compute(const struct smc_sm *sm, const struct smc_launch *launch,
                           struct smc_occupancy *out);

/* Checks a grid of that many blocks in x, y and z on the same `sm`: if it exceeds the device's
   limit in a dimension, the refusal is added and no block is resident. 0 in x means that the grid
   is unknown: nothing is refused. */
void smc_occupancy_check_grid(const struct smc_sm *sm, const uint32_t grid[3],
                              struct smc_occupancy *out);

/* Resident warps as a share of the SM's warp slots, 0 to 100; both of the same SM. */
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
