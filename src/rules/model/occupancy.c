/* How many blocks of a launch reside on one SM, and what stops the next one. */
#include "rules/occupancy.h"

#include "base/numbers.h"
#include "rules/allocation.h"

static const char *const limit_names[] = {
#define LIMIT(id, name, label) [SMC_LIMIT_##id] = name,
#include "rules/limits.def"
#undef LIMIT
};

static const char *const limit_labels[] = {
#define LIMIT(id, name, label) [SMC_LIMIT_##id] = label,
#include "rules/limits.def"
#undef LIMIT
};

static const char *const refusal_names[] = {
#define REFUSAL(id, name, limit) [SMC_REFUSAL_##id] = name,
#include "rules/refusals.def"
#undef REFUSAL
};

static const enum smc_limit limit_of_refusal[] = {
#define REFUSAL(id, name, limit) [SMC_REFUSAL_##id] = SMC_LIMIT_##limit,
#include "rules/refusals.def"
#undef REFUSAL
};

static const struct {
    const char *name, *runtime_name;
} smem_modes[] = {
#define SMEM_MODE(id, name, runtime_name, text) [SMC_SMEM_MODE_##id] = {name, runtime_name},
#include "rules/smem_modes.def"
#undef SMEM_MODE
};

static void limit_by_warps(const struct smc_sm *sm, const struct smc_launch *launch,
                           struct smc_occupancy *out)
{
    /* CC 1.x: the published formula rounds a block's warps up for registers only. */
    uint32_t warps = out->warps_per_block;
    bool halves = out->partitioned_caching != SMC_PARTITIONED_CACHING_OFF;
    out->limit[SMC_LIMIT_WARPS] =
        halves ? sm->max_warps_per_sm / 2 / warps * 2 : sm->max_warps_per_sm / warps;
    if (launch->threads_per_block > sm->max_threads_per_block)
        out->refusals |= 1u << SMC_REFUSAL_THREADS_PER_BLOCK;
}

/* Before CC 9.0 NVIDIA's calculator does not count barriers. */
static void limit_by_barriers(const struct smc_sm *sm, const struct smc_launch *launch,
                              struct smc_occupancy *out)
{
    uint32_t barriers = launch->barriers_per_block;
    uint32_t counted = !sm->barriers_not_counted & (uint32_t)(sm->barriers_per_sm > 0);
    out->limit[SMC_LIMIT_BARRIERS] = times_fitting(sm->barriers_per_sm, counted * barriers);
    if (barriers > sm->named_barriers_per_block)
        out->refusals |= 1u << SMC_REFUSAL_NAMED_BARRIERS;
}

static void limit_by_virtual_resources(const struct smc_sm *sm, const struct smc_launch *launch,
                                       struct smc_occupancy *out)
{
    uint32_t available = sm->virtual_resources_per_sm;
    uint32_t used = (available > 0) * launch->virtual_resources;
    out->limit[SMC_LIMIT_VIRTUAL_RESOURCES] = times_fitting(available, used);
    if (used > available)
        out->refusals |= 1u << SMC_REFUSAL_VIRTUAL_RESOURCES;
}

/* A block is resident without its Tensor Memory: tcgen05.alloc waits. */
static void share_tmem(const struct smc_sm *sm, const struct smc_launch *launch,
                       struct smc_occupancy *out)
{
    const uint32_t columns = launch->tmem_columns_per_block;
    const uint32_t most = columns > 0 ? sm->tmem_columns_per_sm / columns : 0;
    out->tmem_blocks_per_sm = out->blocks_per_sm < most ? out->blocks_per_sm : most;
}

static void limit_by_cluster(const struct smc_sm *sm, const struct smc_launch *launch,
                             struct smc_occupancy *out)
{
    uint32_t most = sm->cluster_max_nonportable ? sm->cluster_max_nonportable : 1;
    out->limit[SMC_LIMIT_CLUSTER] = SMC_UNLIMITED;
    bool above_portable = launch->blocks_per_cluster > sm->cluster_max_portable;
    if (launch->blocks_per_cluster > most)
        out->refusals |= 1u << SMC_REFUSAL_CLUSTER_SIZE;
    else if (launch->blocks_per_cluster > 1 && above_portable && launch->cluster_not_opted_in)
        out->refusals |= 1u << SMC_REFUSAL_CLUSTER_NOT_PORTABLE;
}

/* Whether the grid can be cut into clusters of `left` blocks, in some shape. */
static bool divides(const uint32_t grid[3], uint32_t dimension, uint32_t left)
{
    if (dimension == 2)
        return grid[2] % left == 0;
    for (uint32_t edge = 1; edge <= left; edge++)
        if (left % edge == 0 && grid[dimension] % edge == 0 &&
            divides(grid, dimension + 1, left / edge))
            return true;
    return false;
}

static bool has_cluster_shape(const struct smc_launch *launch)
{
    const uint32_t *cluster = launch->cluster;
    return cluster[0] > 0 && cluster[1] > 0 && cluster[2] > 0 &&
           (uint64_t)cluster[0] * cluster[1] * cluster[2] == launch->blocks_per_cluster;
}

static bool is_cut_into_clusters(const struct smc_launch *launch)
{
    const uint32_t *grid = launch->grid, *cluster = launch->cluster;
    if (has_cluster_shape(launch))
        return grid[0] % cluster[0] == 0 && grid[1] % cluster[1] == 0 && grid[2] % cluster[2] == 0;
    return divides(grid, 0, launch->blocks_per_cluster);
}

static void occupancy_check_shape(const struct smc_sm *sm, const struct smc_launch *launch,
                                  struct smc_occupancy *out)
{
    uint32_t refusals = (uint32_t)(launch->block[2] > sm->max_block_z) << SMC_REFUSAL_BLOCK_Z |
                        (uint32_t)(launch->parameter_bytes > sm->max_parameter_bytes)
                            << SMC_REFUSAL_PARAMETER_BYTES;
    if (launch->grid[0] > 0) {
        refusals |= (uint32_t)(launch->grid[0] > sm->max_grid_x) << SMC_REFUSAL_GRID_X |
                    (uint32_t)(launch->grid[1] > sm->max_grid_y) << SMC_REFUSAL_GRID_Y |
                    (uint32_t)(launch->grid[2] > sm->max_grid_z) << SMC_REFUSAL_GRID_Z;
        bool in_clusters =
            launch->blocks_per_cluster > 1 && !(out->refusals & 1u << SMC_REFUSAL_CLUSTER_SIZE);
        if (in_clusters && !is_cut_into_clusters(launch))
            refusals |= 1u << SMC_REFUSAL_CLUSTER_SHAPE;
    }
    out->refusals |= refusals;
}

static void apply_refusals(struct smc_occupancy *out)
{
    for (uint32_t left = out->refusals; left; left &= left - 1) {
        enum smc_limit limit = limit_of_refusal[__builtin_ctz(left)];
        if (limit != SMC_LIMIT_COUNT)
            out->limit[limit] = 0;
    }
}

/* For a refusal that is none of the limits'. */
static void hold_none(struct smc_occupancy *out)
{
    out->blocks_per_sm = out->warps_per_sm = out->limiters = 0;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++)
        out->limiters |= (uint32_t)(out->limit[i] == 0) << i;
}

static void find_binding(struct smc_occupancy *out)
{
    uint32_t blocks = SMC_UNLIMITED, limiters = 0;
#define LIMIT(id, name, label)                                                                     \
    blocks = out->limit[SMC_LIMIT_##id] < blocks ? out->limit[SMC_LIMIT_##id] : blocks;
#include "rules/limits.def"
#undef LIMIT
#define LIMIT(id, name, label)                                                                     \
    limiters |= (uint32_t)(out->limit[SMC_LIMIT_##id] == blocks) << SMC_LIMIT_##id;
#include "rules/limits.def"
#undef LIMIT
    out->limiters = limiters;
    out->blocks_per_sm = blocks;
    out->warps_per_sm = blocks * out->warps_per_block;
}

void smc_launch_init(struct smc_launch *launch)
{
    *launch = (struct smc_launch)SMC_LAUNCH_INIT;
}

void smc_occupancy_compute(const struct smc_sm *sm, const struct smc_launch *launch,
                           struct smc_occupancy *out)
{
    uint32_t threads = launch->threads_per_block ? launch->threads_per_block : 1;
    *out = (struct smc_occupancy){
        .warps_per_block =
            (uint32_t)whole_units((uint64_t)threads + sm->warp_size - 1, sm->warp_size),
        .partitioned_caching =
            sm->has_partitioned_caching ? launch->partitioned_caching : SMC_PARTITIONED_CACHING_OFF,
    };
    smc_registers_limit(sm, launch, out); /* must come first: it may disable partitioned caching */
    limit_by_warps(sm, launch, out);
    out->limit[SMC_LIMIT_BLOCKS] = sm->max_blocks_per_sm;
    smc_smem_limit(sm, launch, out);
    limit_by_barriers(sm, launch, out);
    limit_by_virtual_resources(sm, launch, out);
    limit_by_cluster(sm, launch, out);
    occupancy_check_shape(sm, launch, out);
    if (out->refusals)
        apply_refusals(out);
    find_binding(out);
    if (out->refusals)
        hold_none(out);
    share_tmem(sm, launch, out);
}

bool smc_sm_groups_are_known(const struct smc_sm_groups *groups, uint32_t sm_count)
{
    uint32_t sms = 0;
    for (uint32_t i = 0; groups && i < groups->count; i++)
        sms += groups->sms[i];
    return sms > 0 && sms == sm_count;
}

/* A group with fewer SMs than a cluster has blocks holds none. */
uint64_t smc_resident_clusters(uint32_t sm_count, const struct smc_sm_groups *groups, uint32_t size,
                               uint32_t blocks_per_sm)
{
    uint64_t clusters = 0, blocks = blocks_per_sm < SMC_MOST_CLUSTERED_BLOCKS
                                        ? blocks_per_sm
                                        : SMC_MOST_CLUSTERED_BLOCKS;
    if (size == 0)
        return 0;
    if (!smc_sm_groups_are_known(groups, sm_count))
        return (uint64_t)sm_count * blocks_per_sm / size;
    for (uint32_t i = 0; i < groups->count; i++)
        if (groups->sms[i] >= size)
            clusters += groups->sms[i] * blocks / size;
    return clusters;
}

void smc_launch_check(const struct smc_sm *sm, uint32_t sm_count,
                      const struct smc_sm_groups *groups, const struct smc_launch *launch,
                      struct smc_occupancy *out)
{
    const uint32_t *grid = launch->grid, cluster = launch->blocks_per_cluster;
    smc_occupancy_compute(sm, launch, out);
    out->resident_blocks = (uint64_t)sm_count * out->blocks_per_sm;
    if (cluster > 1 && out->resident_blocks > 0) {
        out->clusters_are_bound = !smc_sm_groups_are_known(groups, sm_count);
        out->resident_clusters =
            smc_resident_clusters(sm_count, groups, cluster, out->blocks_per_sm);
        out->resident_blocks = out->resident_clusters * cluster;
    }
    if (!launch->is_cooperative || grid[0] == 0 || out->resident_blocks == 0)
        return;
    /* Each dimension has 32 bits: their product is not computed. */
    uint64_t rows = out->resident_blocks / grid[0];
    if ((uint64_t)grid[1] * grid[2] <= rows)
        return;
    out->refusals |= 1u << SMC_REFUSAL_COOPERATIVE_SIZE;
    hold_none(out);
}

double smc_occupancy_percent(const struct smc_sm *sm, const struct smc_occupancy *occupancy)
{
    return 100.0 * occupancy->warps_per_sm / sm->max_warps_per_sm;
}

const char *smc_limit_name(enum smc_limit limit)
{
    return limit_names[limit];
}

const char *smc_limit_label(enum smc_limit limit)
{
    return limit_labels[limit];
}

const char *smc_refusal_name(enum smc_refusal refusal)
{
    return refusal_names[refusal];
}

const char *smc_smem_mode_name(enum smc_smem_mode mode)
{
    return smem_modes[mode].name;
}

const char *smc_smem_mode_runtime_name(enum smc_smem_mode mode)
{
    return smem_modes[mode].runtime_name;
}
