/* Random launches, and the same in the words of a cuda_occupancy.h: for the test that
   compares the model with it and for the benchmark that races them. */
#ifndef SMC_TESTS_ORACLE_LAUNCHES_H
#define SMC_TESTS_ORACLE_LAUNCHES_H

#include <limits.h>

#include "oracle_device.h"

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state += 0x9e3779b97f4a7c15u;
    uint64_t z = random_state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)(((z ^ (z >> 31)) >> 32) * bound >> 32);
}

/* 0 to `most`; one time in four within two of a multiple of `unit`, where results change. */
static uint32_t random_size(uint32_t most, uint32_t unit)
{
    uint32_t value = random_below(most + 1);
    if (random_below(4) == 0)
        value = value / unit * unit + random_below(5) - 2;
    return value > most ? most : value;
}

static struct smc_launch random_launch(const struct smc_sm *sm)
{
    struct smc_launch launch = SMC_LAUNCH_INIT;
    uint32_t most = sm->smem_per_block_optin_bytes;
    if (random_below(2))
        launch.smem_mode = (enum smc_smem_mode)random_below(SMC_SMEM_MODE_COUNT);
    if (launch.smem_mode >= SMC_SMEM_MODE_OVERSIZED && sm->smem_oversized_per_block_bytes > 0)
        most = sm->smem_oversized_per_block_bytes;
    launch.threads_per_block = 1 + random_size(sm->max_threads_per_block + 15, sm->warp_size);
    launch.regs_per_thread = random_below(sm->max_regs_per_thread + 1);
    if (random_below(2))
        launch.static_smem_bytes = random_size(sm->smem_per_block_default_bytes, 128);
    if (random_below(2))
        launch.dynamic_smem_bytes = random_size(most + 2048, sm->smem_alloc_unit_bytes);
    if (random_below(2)) /* small blocks of shared memory, so that many fit */
        launch.static_smem_bytes /= 16, launch.dynamic_smem_bytes /= 16;
    launch.smem_not_opted_in = random_below(4) == 0;
    if (random_below(2))
        launch.carveout_percent = (int32_t)random_below(101);
    launch.cache_config = (enum smc_cache_config)random_below(4);
    launch.barriers_per_block = random_below(sm->named_barriers_per_block + 1);
    launch.virtual_resources = random_below(2) ? 0 : random_below(140);
    launch.partitioned_caching = (enum smc_partitioned_caching)random_below(3);
    return launch;
}

static cudaOccFuncAttributes oracle_function(const struct smc_launch *launch)
{
    bool portable = launch->smem_mode == SMC_SMEM_MODE_PORTABLE ||
                    (launch->smem_mode == SMC_SMEM_MODE_DEFAULT && launch->smem_not_opted_in);
    static const cudaOccPartitionedGCConfig caching[] = {
        [SMC_PARTITIONED_CACHING_OFF] = PARTITIONED_GC_OFF,
        [SMC_PARTITIONED_CACHING_ON] = PARTITIONED_GC_ON,
        [SMC_PARTITIONED_CACHING_STRICT] = PARTITIONED_GC_ON_STRICT,
    };
    return (cudaOccFuncAttributes){
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = (int)launch->regs_per_thread,
        .sharedSizeBytes = launch->static_smem_bytes,
        .partitionedGCConfig = caching[launch->partitioned_caching],
        .shmemLimitConfig = portable ? FUNC_SHMEM_LIMIT_DEFAULT : FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = launch->dynamic_smem_bytes,
        .numBlockBarriers = (int)launch->barriers_per_block,
        .virtualResourceCount = (int)launch->virtual_resources,
    };
}

/* A mode that prefers the oversized configuration leaves a carve-out nothing to choose. */
static cudaOccDeviceState oracle_state(const struct smc_sm *sm, const struct smc_launch *launch)
{
    static const cudaOccCacheConfig configs[] = {
        [SMC_CACHE_PREFER_NONE] = CACHE_PREFER_NONE,
        [SMC_CACHE_PREFER_SHARED] = CACHE_PREFER_SHARED,
        [SMC_CACHE_PREFER_L1] = CACHE_PREFER_L1,
        [SMC_CACHE_PREFER_EQUAL] = CACHE_PREFER_EQUAL,
    };
    if (sm->smem_oversized_per_sm_bytes && launch->smem_mode == SMC_SMEM_MODE_PREFER_OVERSIZED)
        return (cudaOccDeviceState){.carveoutConfig = -1};
    return (cudaOccDeviceState){.cacheConfig = configs[launch->cache_config],
                                .carveoutConfig = launch->carveout_percent};
}

#endif
