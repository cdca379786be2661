/* The installed cuda_occupancy.h, and a device of ours in its words. */
#ifndef SMC_TESTS_ORACLE_DEVICE_H
#define SMC_TESTS_ORACLE_DEVICE_H

#include "model/occupancy.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

static cudaOccDeviceProp oracle_device(const struct smc_sm *sm)
{
    return (cudaOccDeviceProp){
        .computeMajor = sm->cc / 10,
        .computeMinor = sm->cc % 10,
        .maxThreadsPerBlock = (int)sm->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int)sm->max_threads_per_sm,
        .regsPerBlock = (int)sm->max_regs_per_block,
        .regsPerMultiprocessor = (int)sm->regs_per_sm,
        .warpSize = sm->warp_size,
        .sharedMemPerBlock = sm->smem_per_block_default_bytes,
        .sharedMemPerMultiprocessor = sm->smem_per_sm_bytes,
        .numSms = 1,
        .sharedMemPerBlockOptin = sm->smem_per_block_optin_bytes,
        .reservedSharedMemPerBlock = sm->smem_reserved_per_block_bytes,
    };
}

#endif
