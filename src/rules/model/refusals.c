/* Why a launch is refused, in words, each with its numbers. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "base/numbers.h"
#include "rules/allocation.h"
#include "rules/headroom.h"

#ifdef SMC_LIBRARY
#define OVERSIZED_MODE "SMC_SMEM_MODE_OVERSIZED"
#else
#define OVERSIZED_MODE "--smem-mode oversized"
#endif

/* The launch check counts more registers than are allocated on most devices. */
static uint64_t checked_registers(const struct smc_sm *sm, const struct smc_occupancy *occupancy)
{
    if (sm->regs_allocated_per_block)
        return occupancy->regs_allocated_per_block;
    uint32_t subpartitions = smc_registers_checked_subpartitions(sm);
    return occupancy->regs_allocated_per_warp * round_up(occupancy->warps_per_block, subpartitions);
}

static void refuse_smem_per_block(const struct smc_sm *sm, const struct smc_launch *launch,
                                  uint64_t smem, struct smc_text *out)
{
    uint32_t most = smc_smem_most_per_block(sm, launch);
    most = most > sm->smem_per_block_optin_bytes ? most : sm->smem_per_block_optin_bytes;
    smc_text_printf(out, "%" PRIu64 " bytes of shared memory; this device gives a block %u", smem,
                    most);
    if (smem > most && smem <= sm->smem_oversized_per_block_bytes)
        smc_text_printf(out, ", or %u with " OVERSIZED_MODE, sm->smem_oversized_per_block_bytes);
}

/* The grid must be a multiple of the cluster in each dimension. */
static void refuse_cluster_shape(const struct smc_launch *launch, struct smc_text *out)
{
    const uint32_t *grid = launch->grid, *cluster = launch->cluster;
    smc_text_printf(out, "a grid of %u x %u x %u blocks; ", grid[0], grid[1], grid[2]);
    if (cluster[0] > 0)
        smc_text_printf(out, "it is no multiple of a cluster of %u x %u x %u", cluster[0],
                        cluster[1], cluster[2]);
    else
        smc_text_printf(out, "no cluster of %u blocks divides it", launch->blocks_per_cluster);
}

/* Refusals of one number of the launch that is more than one number of the device. */
static const struct {
    const char *before, *after; /* the number asked for */
    size_t asked, allowed;      /* where the numbers are */
} limits[SMC_REFUSAL_COUNT] = {
#define LIMIT(id, before, asked, after, allowed)                                                   \
    [SMC_REFUSAL_##id] = {before, after, offsetof(struct smc_launch, asked),                       \
                          offsetof(struct smc_sm, allowed)}
    LIMIT(THREADS_PER_BLOCK, "a block of ", threads_per_block, " threads; this device allows ",
          max_threads_per_block),
    LIMIT(REGS_PER_THREAD, "", regs_per_thread, " registers per thread; this device has ",
          max_regs_per_thread),
    LIMIT(NAMED_BARRIERS, "", barriers_per_block, " barriers; a block has ",
          named_barriers_per_block),
    LIMIT(VIRTUAL_RESOURCES, "", virtual_resources, " virtual resources; an SM has ",
          virtual_resources_per_sm),
    LIMIT(CLUSTER_NOT_PORTABLE, "a cluster of ", blocks_per_cluster,
          " blocks; without cudaFuncAttributeNonPortableClusterSizeAllowed a kernel has ",
          cluster_max_portable),
    LIMIT(BLOCK_Z, "a block of ", block[2], " threads in z; this device allows ", max_block_z),
    LIMIT(PARAMETER_BYTES, "", parameter_bytes, " bytes of arguments; this device allows ",
          max_parameter_bytes),
    LIMIT(GRID_X, "a grid of ", grid[0], " blocks in x; this device allows ", max_grid_x),
    LIMIT(GRID_Y, "a grid of ", grid[1], " blocks in y; this device allows ", max_grid_y),
    LIMIT(GRID_Z, "a grid of ", grid[2], " blocks in z; this device allows ", max_grid_z),
#undef LIMIT
};

static uint32_t refusals_number_at(const void *of, size_t offset)
{
    return *(const uint32_t *)((const char *)of + offset);
}

void smc_refusal_describe(const struct smc_sm *sm, const struct smc_launch *launch,
                          const struct smc_occupancy *occupancy, enum smc_refusal refusal,
                          struct smc_text *out)
{
    uint64_t smem = (uint64_t)launch->static_smem_bytes + launch->dynamic_smem_bytes;
    switch (refusal) {
    case SMC_REFUSAL_REGS_PER_BLOCK:
        smc_text_printf(out, "%" PRIu64 " registers per block; this device has %u",
                        checked_registers(sm, occupancy), sm->max_regs_per_block);
        return;
    case SMC_REFUSAL_STATIC_SMEM:
        smc_text_printf(out, "%u bytes (0x%x) of static shared memory; the limit is %u (0x%x)",
                        launch->static_smem_bytes, launch->static_smem_bytes,
                        sm->smem_per_block_default_bytes, sm->smem_per_block_default_bytes);
        return;
    case SMC_REFUSAL_SMEM_NOT_OPTED_IN:
        smc_text_printf(out, "%" PRIu64 " bytes of shared memory; without opting in a block has %u",
                        smem, sm->smem_per_block_default_bytes);
        return;
    case SMC_REFUSAL_SMEM_NOT_PORTABLE:
        smc_text_printf(out, "%" PRIu64 " bytes of shared memory; the portable mode allows %u",
                        smem, sm->smem_per_block_default_bytes);
        return;
    case SMC_REFUSAL_SMEM_PER_BLOCK:
        refuse_smem_per_block(sm, launch, smem, out);
        return;
    case SMC_REFUSAL_CLUSTER_SIZE:
        smc_text_printf(out, "a cluster of %u blocks; this device allows %u",
                        launch->blocks_per_cluster,
                        sm->cluster_max_nonportable ? sm->cluster_max_nonportable : 1);
        return;
    case SMC_REFUSAL_CLUSTER_SHAPE:
        refuse_cluster_shape(launch, out);
        return;
    case SMC_REFUSAL_COOPERATIVE_SIZE:
        smc_text_printf(out,
                        "a cooperative grid of %" PRIu64 " blocks; this device holds %" PRIu64
                        " at a time",
                        (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2],
                        occupancy->resident_blocks);
        return;
    default:
        if (refusal < SMC_REFUSAL_COUNT && limits[refusal].after)
            smc_text_printf(out, "%s%u%s%u", limits[refusal].before,
                            refusals_number_at(launch, limits[refusal].asked),
                            limits[refusal].after, refusals_number_at(sm, limits[refusal].allowed));
    }
}

void smc_refusal_explain(const struct smc_sm *sm, const struct smc_launch *launch,
                         const struct smc_occupancy *occupancy, enum smc_refusal refusal,
                         char reason[256])
{
    smc_auto_text text = {0};
    smc_refusal_describe(sm, launch, occupancy, refusal, &text);
    snprintf(reason, 256, "%s", text.failed ? "" : smc_text_string(&text));
}
