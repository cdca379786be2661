/* The predicted time of a query: the launch of a kernel of the catalog with its machine code. */
#include "answers/query.h"

#include "base/memory.h"
#include "base/numbers.h"

void smc_query_add_arguments(const struct smc_plan *plan, struct smc_time_arguments *arguments)
{
    uint64_t address[SMC_MAX_BUFFERS];
    for (size_t i = 0; i < plan->buffer_count; i++) {
        uint64_t bytes = plan->buffer[i].elements * smc_dtype_bytes(plan->buffer[i].dtype);
        address[i] = smc_time_add_array(arguments, bytes);
    }
    for (size_t i = 0; i < plan->argument_count; i++) {
        const struct smc_argument *argument = &plan->argument[i];
        bool is_array = argument->kind == SMC_ARGUMENT_BUFFER;
        smc_time_add_parameter(arguments,
                               is_array ? address[argument->value] : (uint64_t)argument->value,
                               argument->kind == SMC_ARGUMENT_INT32 ? 4 : 8);
    }
}

/* Of a kernel without shared memory, the blocks that reside without a preferred carve-out; of
   others those of the occupancy. For the driver's reserve of 1 KB a block alone, a preference does
   not keep blocks away: of 64 threads each, 32 resided at a carve-out of 0 %, with 32 KB of shared
   memory; of blocks with 512 bytes five, with 8 KB (launch__shared_mem_config_size and
   sm__warps_active, H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static uint32_t blocks_without_preference(const struct smc_answer *answer)
{
    struct smc_occupancy occupancy;
    struct smc_launch launch = answer->launch;
    if (launch.static_smem_bytes > 0 || launch.dynamic_smem_bytes > 0 ||
        answer->query.device.sm.carveout_by_cache_config)
        return answer->occupancy.blocks_per_sm;
    launch.carveout_percent = SMC_CARVEOUT_DEFAULT;
    launch.cache_config = SMC_CACHE_PREFER_NONE;
    const enum smc_status status =
        smc_occupancy_compute(&answer->query.device.sm, &launch, &occupancy);
    return status == SMC_OK ? occupancy.blocks_per_sm : answer->occupancy.blocks_per_sm;
}

/* Of clusters an SM may hold fewer blocks than fit on it. */
static uint32_t resident_per_sm(const struct smc_answer *answer)
{
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const uint32_t sms = answer->query.device.sm_count;
    if (answer->outcome != SMC_LAUNCHES)
        return 0;
    if (occupancy->resident_clusters == 0 || sms == 0)
        return blocks_without_preference(answer);
    const uint64_t clustered = divide_up(occupancy->resident_blocks, sms);
    return clustered < occupancy->blocks_per_sm ? (uint32_t)clustered : occupancy->blocks_per_sm;
}

/* The shared memory that the SM is configured for: as preferred, or what the resident blocks need
   if that is more. Without a preference the driver chooses the smallest size that holds the
   resident blocks, and L1 gets the rest: local arrays of 128 KiB an SM were served as quickly as
   smaller ones (H200, driver 580.159.04, 2026-11-29). */
static uint64_t shared_of_sm(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const struct smc_launch *settings = &answer->query.settings;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    const uint64_t configured = occupancy->smem_configured_bytes;
    const uint64_t used =
        (uint64_t)resident_per_sm(answer) * occupancy->smem_allocated_per_block_bytes;
    const bool prefers = settings->carveout_percent != SMC_CARVEOUT_DEFAULT ||
                         settings->cache_config != SMC_CACHE_PREFER_NONE;
    if (sm->carveout_by_cache_config || (prefers && used <= configured))
        return configured;
    for (uint32_t i = 0; i < sm->smem_carveout_count; i++)
        if (sm->smem_carveout_bytes[i] >= used)
            return sm->smem_carveout_bytes[i];
    return configured;
}

/* How many warps fit into an SM by their registers and places; 0: not known. */
static uint32_t warp_room(const struct smc_answer *answer)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    const uint32_t registers = answer->occupancy.regs_allocated_per_warp;
    if (registers == 0 || sm->subpartitions == 0)
        return 0;
    const uint32_t fit = sm->regs_per_sm / sm->subpartitions / registers * sm->subpartitions;
    return fit < sm->max_warps_per_sm ? fit : sm->max_warps_per_sm;
}

/* How many blocks fit into an SM by all else; 0: those that reside, as of clusters. */
static uint32_t block_room(const struct smc_answer *answer)
{
    uint32_t least = SMC_UNLIMITED;
    for (int i = 0; i < SMC_LIMIT_COUNT; i++) {
        const uint32_t limit = answer->occupancy.limit[i];
        if (i != SMC_LIMIT_WARPS && i != SMC_LIMIT_REGISTERS && limit < least)
            least = limit;
    }
    return answer->launch.blocks_per_cluster > 1 ? 0 : least;
}

static struct smc_time_launch time_launch_of(const struct smc_answer *answer)
{
    const struct smc_plan *plan = &answer->plan;
    const struct smc_sm *sm = &answer->query.device.sm;
    uint64_t unified = sm->l1_smem_unified_bytes;
    uint64_t shared = shared_of_sm(answer);
    struct smc_time_launch launch = {
        .device = &answer->query.device,
        .ceilings = &answer->query.ceilings,
        .blocks_per_sm = resident_per_sm(answer),
        .warp_room = warp_room(answer),
        .block_room = block_room(answer),
        .restored = !answer->query.kernel,
        .cold = answer->query.cold,
        .blocks_per_cluster = answer->launch.blocks_per_cluster,
        .l1_bytes = unified > shared ? unified - shared : sm->l1_tex_separate_bytes,
    };
    for (int i = 0; i < 3; i++) {
        launch.block[i] = plan->block[i];
        launch.grid[i] = plan->grid[i];
        launch.cluster[i] = answer->launch.cluster[i];
    }
    return launch;
}

enum smc_status smc_query_predict_time(struct smc_answer *answer, const struct smc_binary *binary,
                                       const char *entry,
                                       const struct smc_time_arguments *arguments,
                                       struct smc_error *error)
{
    struct smc_time_launch launch = time_launch_of(answer);
    launch.cubin = binary->cubin;
    launch.cubin_bytes = binary->cubin_bytes;
    launch.entry = entry;
    launch.arguments = arguments;
    return smc_time_predict(&launch, &answer->time, error);
}

/* Whether there is a launch to predict; otherwise the answer has the reason. */
static bool can_be_predicted(struct smc_answer *answer)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    struct smc_time_launch launch = time_launch_of(answer);
    if (kernel && !kernel->is_probe)
        return smc_time_is_possible(&launch, &answer->time);
    smc_time_unknown(&answer->time,
                     "only kernels with a known launch and arguments have a predicted time");
    return false;
}

enum smc_status smc_query_find_time_of(struct smc_answer *answer, const struct smc_binary *binary,
                                       struct smc_error *error)
{
    struct smc_time_arguments arguments = {0};
    if (!can_be_predicted(answer))
        return SMC_OK;
    smc_query_add_arguments(&answer->plan, &arguments);
    return smc_query_predict_time(answer, binary, answer->query.kernel->entry, &arguments, error);
}

enum smc_status smc_query_find_time(struct smc_answer *answer, struct smc_error *error)
{
    const struct smc_query *query = &answer->query;
    struct smc_resources resources;
    SMC_AUTO(smc_binary_free) struct smc_binary binary = {0};
    struct smc_error why = {""};
    if (!can_be_predicted(answer))
        return SMC_OK;
    enum smc_status status = smc_compile(
        &(struct smc_compile_request){query->kernel, &query->params,
                                      smc_time_code_cc(query->device.sm.cc), &query->compile},
        &resources, &binary, NULL, &why);
    if (status == SMC_MACHINE)
        return smc_fail(error, status, "%s", why.message);
    if (status == SMC_OK || query->compile.no_nvrtc)
        status = smc_query_find_time_of(answer, &binary, error);
    else
        smc_time_unknown(&answer->time, why.message);
    return status == SMC_MACHINE ? status : SMC_OK;
}
