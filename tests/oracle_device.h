/* A cuda_occupancy.h, and a device of ours in its words. The header is the installed one or, in the
   programs called *_newest, that of --with-newest-cuda-headers. */
#ifndef SMC_TESTS_ORACLE_DEVICE_H
#define SMC_TESTS_ORACLE_DEVICE_H

#include "rules/occupancy.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <cuda.h>
#include <cuda_occupancy.h>
#pragma GCC diagnostic pop

/* What the header of this release corrected: the end of data/README.md. */
enum { CORRECTED_IN = 13050 };

/* The header has no modes: an oversized one shows in the sizes that a device reports. Where it is
   only allowed, what the carve-out is a share of stays as it was. */
static cudaOccDeviceProp oracle_device(const struct smc_sm *sm, enum smc_smem_mode mode)
{
    bool exists = sm->smem_oversized_per_sm_bytes > 0;
    bool oversized = exists && mode >= SMC_SMEM_MODE_OVERSIZED;
    bool preferred = exists && mode == SMC_SMEM_MODE_PREFER_OVERSIZED;
    return (cudaOccDeviceProp){
        .computeMajor = sm->cc / 10,
        .computeMinor = sm->cc % 10,
        .maxThreadsPerBlock = (int)sm->max_threads_per_block,
        .maxThreadsPerMultiprocessor = (int)sm->max_threads_per_sm,
        .regsPerBlock = (int)sm->max_regs_per_block,
        .regsPerMultiprocessor = (int)sm->regs_per_sm,
        .warpSize = sm->warp_size,
        .sharedMemPerBlock = sm->smem_per_block_default_bytes,
        .sharedMemPerMultiprocessor =
            preferred ? sm->smem_oversized_per_sm_bytes : sm->smem_per_sm_bytes,
        .numSms = 1,
        .sharedMemPerBlockOptin =
            oversized ? sm->smem_oversized_per_block_bytes : sm->smem_per_block_optin_bytes,
        .reservedSharedMemPerBlock = sm->smem_reserved_per_block_bytes,
    };
}

#endif
