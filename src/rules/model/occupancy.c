/* How many blocks of a launch reside on one SM, and what stops the next one. */
#include "rules/occupancy.h"

#include "base/numbers.h"
#include "rules/allocation.h"

static const char *const limit_names[] = {
#define SMC_LIMIT(id, name, label) [SMC_LIMIT_##id] = name,
#include "rules/limits.def"
};

static const char *const limit_labels[] = {
#define SMC_LIMIT(id, name, label) [SMC_LIMIT_##id] = label,
#include "rules/limits.def"
};

static const char *const refusal_names[] = {
#define SMC_REFUSAL(id, name, limit) [SMC_REFUSAL_##id] = name,
#include "rules/refusals.def"
};

static const enum smc_limit limit_of_refusal[] = {
#define SMC_REFUSAL(id, name, limit) [SMC_REFUSAL_##id] = SMC_LIMIT_##limit,
#include "rules/refusals.def"
};

static const struct {
    const char *name, *runtime_name;
} smem_modes[] = {
#define SMC_SMEM_MODE(id, name, runtime_name, text) [SMC_SMEM_MODE_##id] = {name, runtime_name},
#include "rules/smem_modes.def"
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
#define SMC_LIMIT(id, name, label)                                                                 \
    blocks = out->limit[SMC_LIMIT_##id] < blocks ? out->limit[SMC_LIMIT_##id] : blocks;
#include "rules/limits.def"
#define SMC_LIMIT(id, name, label)                                                                 \
    limiters |= (uint32_t)(out->limit[SMC_LIMIT_##id] == blocks) << SMC_LIMIT_##id;
#include "rules/limits.def"
    out->limiters = limiters;
    out->blocks_per_sm = blocks;
    out->warps_per_sm = blocks * out->warps_per_block;
}

void smc_launch_init(struct smc_launch *launch)
{
    *launch = (struct smc_launch)SMC_LAUNCH_INIT;
}

/* What the model divides by. */
static bool has_units(const struct smc_sm *sm)
{
    return sm->warp_size && sm->max_warps_per_sm && sm->subpartitions && sm->reg_alloc_unit &&
           sm->smem_alloc_unit_bytes;
}

static bool is_within_enums(const struct smc_launch *launch)
{
    return (uint32_t)launch->smem_mode < SMC_SMEM_MODE_COUNT &&
           (uint32_t)launch->cache_config <= SMC_CACHE_PREFER_EQUAL &&
           (uint32_t)launch->partitioned_caching <= SMC_PARTITIONED_CACHING_STRICT;
}

static bool has_carveout(const struct smc_launch *launch)
{
    return launch->carveout_percent >= SMC_CARVEOUT_DEFAULT && launch->carveout_percent <= 100;
}

static bool has_smem_of_threads(const struct smc_launch *launch)
{
    uint64_t bytes = (uint64_t)launch->smem_bytes_per_thread * launch->threads_per_block;
    return launch->dynamic_smem_bytes >= saturate(bytes);
}

static bool is_valid(const struct smc_sm *sm, const struct smc_launch *launch)
{
    return has_units(sm) && is_within_enums(launch) && has_carveout(launch) &&
           has_smem_of_threads(launch);
}

enum smc_status smc_launch_validate(const struct smc_sm *sm, const struct smc_launch *launch,
                                    struct smc_error *error)
{
    if (!has_units(sm))
        return smc_fail(error, SMC_USAGE,
                        "a struct smc_sm whose warp_size, max_warps_per_sm, subpartitions, "
                        "reg_alloc_unit or smem_alloc_unit_bytes is 0; smc_device_find fills one");
    if (!is_within_enums(launch))
        return smc_fail(error, SMC_USAGE,
                        "smem_mode, cache_config or partitioned_caching is outside its enum: %d, "
                        "%d, %d",
                        (int)launch->smem_mode, (int)launch->cache_config,
                        (int)launch->partitioned_caching);
    if (!has_carveout(launch))
        return smc_fail(error, SMC_USAGE,
                        "carveout_percent: %d is neither 0 to 100 nor SMC_CARVEOUT_DEFAULT",
                        (int)launch->carveout_percent);
    if (!has_smem_of_threads(launch))
        return smc_fail(error, SMC_USAGE,
                        "dynamic_smem_bytes: %u is less than %u threads x %u smem_bytes_per_thread",
                        launch->dynamic_smem_bytes, launch->threads_per_block,
                        launch->smem_bytes_per_thread);
    return SMC_OK;
}

enum smc_status smc_occupancy_compute(const struct smc_sm *sm, const struct smc_launch *launch,
                                      struct smc_occupancy *out)
{
    if (!is_valid(sm, launch)) {
        *out = (struct smc_occupancy){0};
        return SMC_USAGE;
    }
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
    return SMC_OK;
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

/* Whether all blocks of a cooperative grid are resident at a time. */
static bool is_grid_resident(const uint32_t grid[3], uint64_t resident_blocks)
{
    /* Each dimension has 32 bits: their product is not computed. */
    return (uint64_t)grid[1] * grid[2] <= resident_blocks / grid[0];
}

enum smc_status smc_launch_check(const struct smc_sm *sm, uint32_t sm_count,
                                 const struct smc_sm_groups *groups,
                                 const struct smc_launch *launch, struct smc_occupancy *out)
{
    const uint32_t *grid = launch->grid, cluster = launch->blocks_per_cluster;
    enum smc_status status = smc_occupancy_compute(sm, launch, out);
    out->resident_blocks = (uint64_t)sm_count * out->blocks_per_sm;
    if (cluster > 1 && out->resident_blocks > 0) {
        out->clusters_are_bound = !smc_sm_groups_are_known(groups, sm_count);
        out->resident_clusters =
            smc_resident_clusters(sm_count, groups, cluster, out->blocks_per_sm);
        out->resident_blocks = out->resident_clusters * cluster;
    }
    if (launch->is_cooperative && grid[0] > 0 && out->resident_blocks > 0 &&
        !is_grid_resident(grid, out->resident_blocks)) {
        out->refusals |= 1u << SMC_REFUSAL_COOPERATIVE_SIZE;
        hold_none(out);
    }
    return status;
}

enum smc_status smc_launches_check(const struct smc_launches *launches, struct smc_error *error)
{
    const struct smc_launch *launch = launches->launch;
    enum smc_status status = SMC_OK;
    if (launches->size < sizeof *launches)
        return smc_fail(error, SMC_USAGE, "size of a struct smc_launches is not set");
    for (size_t i = 0; i < launches->count; i++) {
        if (smc_launch_check(launches->sm, launches->sm_count, launches->groups, &launch[i],
                             &launches->occupancy[i]) == SMC_OK ||
            status != SMC_OK)
            continue;
        smc_launch_validate(launches->sm, &launch[i], error);
        status = smc_fail_in(error, SMC_USAGE, "launch %zu", i);
    }
    return status;
}

bool smc_waves_find(uint32_t sm_count, const struct smc_occupancy *occupancy, uint64_t grid_blocks,
                    struct smc_waves *out)
{
    const uint64_t resident = occupancy->resident_blocks;
    *out = (struct smc_waves){0};
    if (resident == 0 || grid_blocks == 0)
        return false;
    const uint64_t last = (grid_blocks - 1) % resident + 1;
    *out = (struct smc_waves){
        .grid_blocks = grid_blocks,
        .resident_blocks = resident,
        .waves = (grid_blocks - 1) / resident + 1,
        .last_wave_blocks = last,
        .idle_sms = last < sm_count ? (uint32_t)(sm_count - last) : 0,
    };
    return true;
}

double smc_occupancy_percent(const struct smc_sm *sm, const struct smc_occupancy *occupancy)
{
    return sm->max_warps_per_sm ? 100.0 * occupancy->warps_per_sm / sm->max_warps_per_sm : 0;
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
