/* A device from what the CUDA runtime tells of a GPU. */
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "rules/devices.h"

/* The sizes of the table below the largest that the GPU has, and that one. */
static void properties_set_carveouts(uint32_t largest, struct smc_sm *sm)
{
    uint32_t kept = 0;
    while (kept + 1 < SMC_MAX_CARVEOUTS && kept < sm->smem_carveout_count &&
           sm->smem_carveout_bytes[kept] < largest)
        kept++;
    memset(&sm->smem_carveout_bytes[kept], 0,
           (SMC_MAX_CARVEOUTS - kept) * sizeof *sm->smem_carveout_bytes);
    sm->smem_carveout_bytes[kept] = sm->smem_per_sm_bytes = largest;
    sm->smem_carveout_count = kept + 1;
}

static void properties_set_limits(const struct smc_device_properties *properties, struct smc_sm *sm)
{
    sm->warp_size = (uint16_t)properties->warpSize;
    sm->max_threads_per_block = (uint32_t)properties->maxThreadsPerBlock;
    sm->max_threads_per_sm = (uint32_t)properties->maxThreadsPerMultiProcessor;
    sm->max_warps_per_sm = sm->warp_size ? sm->max_threads_per_sm / sm->warp_size : 0;
    sm->max_blocks_per_sm = (uint32_t)properties->maxBlocksPerMultiProcessor;
    sm->regs_per_sm = (uint32_t)properties->regsPerMultiprocessor;
    sm->max_regs_per_block = (uint32_t)properties->regsPerBlock;
    sm->smem_per_block_default_bytes = (uint32_t)properties->sharedMemPerBlock;
    sm->smem_per_block_optin_bytes = (uint32_t)properties->sharedMemPerBlockOptin;
    sm->smem_reserved_per_block_bytes = (uint32_t)properties->reservedSharedMemPerBlock;
    sm->max_grid_x = (uint32_t)properties->maxGridSize[0];
    sm->max_grid_y = (uint32_t)properties->maxGridSize[1];
    sm->max_grid_z = (uint32_t)properties->maxGridSize[2];
    sm->max_block_z = (uint32_t)properties->maxThreadsDim[2];
    properties_set_carveouts((uint32_t)properties->sharedMemPerMultiprocessor, sm);
}

static void properties_set_board(struct smc_device *device)
{
    struct smc_device board;
    for (size_t i = 0; i < smc_device_count(); i++) {
        if (!smc_board_is_called(i, device->name))
            continue;
        smc_device_at(i, &board);
        memcpy(device->chip, board.chip, sizeof device->chip);
        device->sm_groups = board.sm_groups;
    }
}

enum smc_status smc_device_of_properties(const struct smc_device_properties *properties,
                                         struct smc_device *out, struct smc_error *error)
{
    uint16_t cc = (uint16_t)(10 * properties->major + properties->minor);
    struct smc_capability capability;
    if (properties->size < sizeof *properties || !properties->name)
        return smc_fail(error, SMC_USAGE,
                        "size or name of a struct smc_device_properties is not set");
    if (!smc_capability_find(cc, &capability))
        return smc_capability_fail(cc, "a newer version may know it", SMC_USAGE, error);
    smc_device_of_capability(&capability, out);
    properties_set_limits(properties, &out->sm);
    snprintf(out->name, sizeof out->name, "%s", properties->name);
    properties_set_board(out);
    out->source = SMC_DEVICE_LIVE;
    out->sm_count = (uint32_t)properties->multiProcessorCount;
    out->memory_bus_bits = (uint32_t)properties->memoryBusWidth;
    out->l2_bytes = (uint64_t)properties->l2CacheSize;
    out->global_mem_bytes = properties->totalGlobalMem;
    return smc_sm_check(&out->sm, error);
}
