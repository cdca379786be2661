/* How many clusters are resident according to the driver, and the groups of SMs that follow. */
#include <string.h>

#include "hardware/executor/gpu_ceilings.h"

void smc_gpu_clusters(const struct smc_gpu_kernel *kernel, const uint32_t grid[3],
                      const struct smc_launch *launch, struct smc_attempt *attempt,
                      uint32_t *clusters)
{
    int answer = 0;
    const uint32_t *cluster = kernel->cluster;
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension};
    attribute.val.clusterDim.x = cluster[0];
    attribute.val.clusterDim.y = cluster[1];
    attribute.val.clusterDim.z = cluster[2];
    const cudaLaunchConfig_t config = {
        .gridDim = {grid[0], grid[1], grid[2]},
        .blockDim = {launch->threads_per_block, 1, 1},
        .dynamicSmemBytes = launch->dynamic_smem_bytes,
        .attrs = &attribute,
        .numAttrs = cluster[0] > 0,
    };
    bool succeeded =
        smc_gpu_attempt(attempt, cudaOccupancyMaxActiveClusters(&answer, kernel->handle, &config));
    *clusters = succeeded ? (uint32_t)answer : 0;
}

/* Shared memory limits the blocks per SM; the kernel needs nothing else. */
static struct smc_launch launch_of(const struct smc_sm *sm, uint32_t blocks_per_sm, uint32_t size)
{
    const uint32_t unit = sm->smem_alloc_unit_bytes;
    uint32_t bytes =
        sm->smem_per_sm_bytes / blocks_per_sm / unit * unit - sm->smem_reserved_per_block_bytes;
    if (bytes > sm->smem_per_block_optin_bytes)
        bytes = sm->smem_per_block_optin_bytes;
    return (struct smc_launch){
        .threads_per_block = sm->warp_size,
        .dynamic_smem_bytes = bytes,
        .carveout_percent = SMC_CARVEOUT_DEFAULT,
        .blocks_per_cluster = size,
    };
}

/* The sizes from 1 on, until the driver refuses one. */
static enum smc_status count_sizes(const struct smc_gpu_kernel *kernel, const struct smc_sm *sm,
                                   uint32_t blocks_per_sm, struct smc_cluster_counts *counts,
                                   struct smc_error *error)
{
    const struct smc_launch launch = launch_of(sm, blocks_per_sm, counts->largest_size);
    struct smc_attempt opt_in = {0}, occupancy = {0};
    uint32_t resident = 0;
    SMC_TRY(smc_gpu_configure(kernel, &launch, &opt_in, error));
    smc_gpu_occupancy(kernel, &launch, &occupancy, &resident);
    counts->is_counted[blocks_per_sm - 1] = resident == blocks_per_sm;
    for (uint32_t size = 1; resident == blocks_per_sm && size <= counts->largest_size; size++) {
        struct smc_attempt attempt = {0};
        struct smc_gpu_kernel clustered = *kernel;
        memcpy(clustered.cluster, (const uint32_t[3]){size, 1, 1}, sizeof clustered.cluster);
        smc_gpu_clusters(&clustered, clustered.cluster, &launch, &attempt,
                         &counts->clusters[blocks_per_sm - 1][size - 1]);
        if (!attempt.succeeded)
            counts->largest_size = size - 1;
    }
    return SMC_OK;
}

enum smc_status smc_gpu_find_groups(const struct smc_gpu_kernel *kernel,
                                    const struct smc_device *device, struct smc_sm_groups *groups,
                                    struct smc_text *warnings, struct smc_error *error)
{
    uint32_t largest = device->sm.cluster_max_nonportable;
    struct smc_cluster_counts counts = {
        .largest_size = largest < SMC_MOST_COUNTED_SIZE ? largest : SMC_MOST_COUNTED_SIZE,
    };
    *groups = (struct smc_sm_groups){0};
    for (uint32_t blocks = 1; blocks <= SMC_MOST_COUNTED_BLOCKS && counts.largest_size > 1;
         blocks++)
        SMC_TRY(count_sizes(kernel, &device->sm, blocks, &counts, error));
    if (counts.largest_size > 1 && !smc_sm_groups_find(device->sm_count, &counts, groups))
        smc_warn(warnings, "no groups of SMs were found that explain how many clusters the driver "
                           "holds: the number of resident clusters stays a bound");
    return SMC_OK;
}
