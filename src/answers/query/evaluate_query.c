/* The figures of an answer: the plan, the registers, the occupancy and the next steps. */
#include "answers/query.h"

#include <string.h>

#include "base/numbers.h"

void smc_query_init(struct smc_query *query)
{
    *query = (struct smc_query){
        .threads_per_block = SMC_NOT_GIVEN,
        .regs_per_thread = SMC_NOT_GIVEN,
        .static_smem_bytes = SMC_NOT_GIVEN,
        .dynamic_smem_bytes = SMC_NOT_GIVEN,
        .smem_per_thread_bytes = SMC_NOT_GIVEN,
        .barriers_per_block = SMC_NOT_GIVEN,
        .grid_blocks = SMC_NOT_GIVEN,
        .grid_y = 1,
        .grid_z = 1,
        .settings = SMC_LAUNCH_INIT,
    };
}

bool smc_file_kernel_allows(const struct smc_file_kernel *kernel, uint32_t threads_per_block)
{
    uint32_t most = kernel->max_threads_per_block, only = kernel->required_threads_per_block;
    return (most == 0 || threads_per_block <= most) && (only == 0 || threads_per_block == only);
}

static bool is_allowed(const struct smc_query *query, uint32_t threads_per_block)
{
    return !query->file_kernel || smc_file_kernel_allows(query->file_kernel, threads_per_block);
}

void smc_query_bounded_sm(const struct smc_answer *answer, struct smc_sm *sm)
{
    uint32_t threads = answer->launch.threads_per_block;
    *sm = answer->query.device.sm;
    if (!is_allowed(&answer->query, threads) && threads <= sm->max_threads_per_block)
        sm->max_threads_per_block = threads - 1;
}

static void set_own_grid(const struct smc_query *query, struct smc_plan *plan)
{
    uint64_t in_y_and_z = (uint64_t)query->grid_y * query->grid_z;
    if (query->grid_blocks == SMC_NOT_GIVEN)
        return;
    plan->grid_blocks = (uint64_t)query->grid_blocks;
    if (in_y_and_z == 0)
        return;
    plan->grid[0] = saturate(divide_up(plan->grid_blocks, in_y_and_z));
    plan->grid[1] = query->grid_y;
    plan->grid[2] = query->grid_z;
}

/* The user's numbers take precedence; only missing ones come from compiling. */
static enum smc_status find_resources(const struct smc_resources *known, struct smc_answer *answer,
                                      struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_query *query = &answer->query;
    answer->regs_given = query->regs_per_thread != SMC_NOT_GIVEN;
    answer->static_smem_given = query->static_smem_bytes != SMC_NOT_GIVEN;
    answer->dynamic_smem_given =
        query->dynamic_smem_bytes != SMC_NOT_GIVEN || query->smem_per_thread_bytes != SMC_NOT_GIVEN;
    answer->barriers_given = query->barriers_per_block != SMC_NOT_GIVEN;

    bool compiles = query->kernel && (!answer->regs_given || query->compile.kernel_dir);
    if (query->file_kernel) {
        answer->resources = query->file_kernel->resources;
    } else if (compiles && known) {
        answer->resources = *known;
    } else if (compiles) {
        SMC_TRY(smc_compile(&(struct smc_compile_request){query->kernel, &query->params,
                                                          query->device.sm.cc, &query->compile},
                            &answer->resources, NULL, warnings, error));
    } else {
        answer->resources = (struct smc_resources){
            .source = SMC_RESOURCES_GIVEN,
            .cc = query->device.sm.cc,
            .static_smem_bytes = (uint32_t)answer->plan.static_smem_bytes,
            .barriers = 1,
        };
    }
    if (answer->resources.refused) { /* the user's numbers do not change that */
        answer->resources.static_smem_bytes = answer->resources.refused_smem_bytes;
        answer->static_smem_given = false;
    }
    if (answer->regs_given) {
        answer->resources.regs_per_thread = (uint32_t)query->regs_per_thread;
        answer->resources.source = SMC_RESOURCES_GIVEN;
    }
    return SMC_OK;
}

/* The user's value or the kernel's own, plus the bytes per thread. */
static void set_dynamic_smem(const struct smc_answer *answer, struct smc_launch *launch)
{
    const struct smc_query *query = &answer->query;
    int64_t bytes = query->dynamic_smem_bytes;
    if (bytes == SMC_NOT_GIVEN)
        bytes = (int64_t)answer->plan.dynamic_smem_bytes;
    launch->dynamic_smem_bytes = (uint32_t)bytes;
    if (query->smem_per_thread_bytes == SMC_NOT_GIVEN)
        return;
    uint64_t each = (uint64_t)query->smem_per_thread_bytes;
    launch->smem_bytes_per_thread = (uint32_t)each;
    launch->dynamic_smem_bytes = saturate((uint64_t)bytes + each * launch->threads_per_block);
}

/* A kernel compiled for this device uses at most the registers that a thread may have, and spills
   the rest. */
static uint32_t allowed_registers(const struct smc_answer *answer)
{
    uint32_t regs = answer->resources.regs_per_thread;
    uint32_t most = answer->query.device.sm.max_regs_per_thread;
    return answer->resources.source == SMC_RESOURCES_ASSUMED && regs > most ? most : regs;
}

static void build_launch(struct smc_answer *answer)
{
    const struct smc_query *query = &answer->query;
    answer->launch = query->settings;
    answer->launch.threads_per_block = answer->plan.threads_per_block;
    answer->launch.regs_per_thread = allowed_registers(answer);
    answer->launch.static_smem_bytes = answer->static_smem_given
                                           ? (uint32_t)query->static_smem_bytes
                                           : answer->resources.static_smem_bytes;
    set_dynamic_smem(answer, &answer->launch);
    answer->launch.barriers_per_block =
        answer->barriers_given ? (uint32_t)query->barriers_per_block : answer->resources.barriers;
}

/* Numbers of a file that a device cannot have are not the fault of an option. */
static enum smc_status check_file_kernel(const struct smc_answer *answer, struct smc_error *error)
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    const struct smc_sm *sm = &answer->query.device.sm;
    if (!answer->regs_given && answer->launch.regs_per_thread > sm->max_regs_per_thread)
        return smc_fail(error, SMC_USAGE,
                        "%s: %.300s has %u registers per thread, more than the %u of compute "
                        "capability %u.%u",
                        kernel->file, kernel->name, answer->launch.regs_per_thread,
                        sm->max_regs_per_thread, sm->cc / 10, sm->cc % 10);
    return SMC_OK;
}

static enum smc_status check_against_device(const struct smc_answer *answer,
                                            struct smc_error *error)
{
    const struct smc_sm *sm = &answer->query.device.sm;
    if (answer->launch.regs_per_thread > sm->max_regs_per_thread)
        return smc_fail(error, SMC_USAGE,
                        "option --regs: '%u' is above %u, the most registers that a thread has on "
                        "compute capability %u.%u",
                        answer->launch.regs_per_thread, sm->max_regs_per_thread, sm->cc / 10,
                        sm->cc % 10);
    if (answer->launch.barriers_per_block > sm->named_barriers_per_block)
        return smc_fail(error, SMC_USAGE,
                        "option --barriers: '%u' is above %u, the most barriers that a block has",
                        answer->launch.barriers_per_block, sm->named_barriers_per_block);
    return SMC_OK;
}

static void find_waves(struct smc_answer *answer)
{
    answer->has_waves = smc_waves_find(answer->query.device.sm_count, &answer->occupancy,
                                       answer->plan.grid_blocks, &answer->waves);
}

enum smc_outcome smc_outcome_of(const struct smc_resources *resources,
                                const struct smc_occupancy *occupancy)
{
    if (resources->refused || occupancy->refusals & 1u << SMC_REFUSAL_STATIC_SMEM)
        return SMC_CANNOT_COMPILE;
    return occupancy->refusals ? SMC_CANNOT_LAUNCH : SMC_LAUNCHES;
}

void smc_query_cap_clustered_blocks(struct smc_answer *answer)
{
    struct smc_occupancy *occupancy = &answer->occupancy;
    if (occupancy->resident_clusters == 0 || occupancy->clusters_are_bound ||
        occupancy->blocks_per_sm <= SMC_MOST_CLUSTERED_BLOCKS)
        return;
    occupancy->blocks_per_sm = SMC_MOST_CLUSTERED_BLOCKS;
    occupancy->warps_per_sm = SMC_MOST_CLUSTERED_BLOCKS * occupancy->warps_per_block;
    occupancy->limit[SMC_LIMIT_CLUSTER] = SMC_MOST_CLUSTERED_BLOCKS;
    occupancy->limiters = 1u << SMC_LIMIT_CLUSTER;
    answer->occupancy_percent = smc_occupancy_percent(&answer->query.device.sm, occupancy);
}

void smc_query_set_resident_clusters(struct smc_answer *answer, uint64_t clusters)
{
    struct smc_occupancy *occupancy = &answer->occupancy;
    if (occupancy->blocks_per_sm == 0)
        return;
    occupancy->clusters_are_bound = false;
    occupancy->resident_clusters = clusters;
    occupancy->resident_blocks = clusters * answer->launch.blocks_per_cluster;
    find_waves(answer);
}

void smc_query_count_blocks(struct smc_answer *answer)
{
    struct smc_sm bounded;
    const struct smc_device *device = &answer->query.device;
    const struct smc_sm *sm = &device->sm;
    if (answer->query.file_kernel) {
        smc_query_bounded_sm(answer, &bounded);
        sm = &bounded;
    }
    if (answer->plan.block[0] > 0)
        memcpy(answer->launch.block, answer->plan.block, sizeof answer->launch.block);
    if (answer->plan.grid[0] > 0)
        memcpy(answer->launch.grid, answer->plan.grid, sizeof answer->launch.grid);
    smc_launch_check(sm, device->sm_count, &device->sm_groups, &answer->launch, &answer->occupancy);
    answer->occupancy_percent = smc_occupancy_percent(sm, &answer->occupancy);
    answer->outcome = smc_outcome_of(&answer->resources, &answer->occupancy);
    find_waves(answer);
}

void smc_query_conclude(struct smc_answer *answer)
{
    smc_query_count_blocks(answer);
    smc_query_find_steps(answer);
}

enum smc_status smc_query_evaluate(const struct smc_query *query, const struct smc_resources *known,
                                   struct smc_answer *answer, struct smc_text *warnings,
                                   struct smc_error *error)
{
    *answer = (struct smc_answer){.query = *query};
    const struct smc_kernel *kernel = query->kernel;
    struct smc_params *params = &answer->query.params;
    if (kernel) {
        if (query->settings.blocks_per_cluster)
            params->blocks_per_cluster = query->settings.blocks_per_cluster;
        SMC_TRY(kernel->complete(kernel, params, error));
        answer->query.settings.blocks_per_cluster = params->blocks_per_cluster;
        kernel->plan(kernel, params, &answer->plan);
    } else {
        answer->plan.threads_per_block = (uint32_t)query->threads_per_block;
        if ((int64_t)query->block[0] * query->block[1] * query->block[2] ==
            query->threads_per_block)
            memcpy(answer->plan.block, query->block, sizeof answer->plan.block);
        set_own_grid(query, &answer->plan);
    }
    SMC_TRY(find_resources(known, answer, warnings, error));
    build_launch(answer);
    if (query->file_kernel)
        SMC_TRY(check_file_kernel(answer, error));
    SMC_TRY(check_against_device(answer, error));
    smc_query_count_blocks(answer);
    return SMC_OK;
}

bool smc_query_at_maximum(const struct smc_answer *answer)
{
    return answer->occupancy.warps_per_sm >= answer->query.device.sm.max_warps_per_sm;
}

/* A block size that the launch bounds do not allow is no step, nor are registers that setmaxnreg
   moves between warps: with fewer at the launch it might wait forever. */
static void drop_forbidden_steps(struct smc_answer *answer)
{
    struct smc_next_steps *steps = &answer->next_steps;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        int64_t threads = answer->launch.threads_per_block + steps->step[i].change;
        const bool is_forbidden = steps->step[i].resource == SMC_STEP_THREADS
                                      ? !is_allowed(&answer->query, (uint32_t)threads)
                                      : steps->step[i].resource == SMC_STEP_REGISTERS &&
                                            answer->resources.most_set_regs > 0;
        if (!is_forbidden)
            steps->step[kept++] = steps->step[i];
    }
    steps->count = kept;
}

bool smc_query_find_steps(struct smc_answer *answer)
{
    bool is_fixable = answer->outcome != SMC_CANNOT_COMPILE;
    const uint32_t of_grid = SMC_SHAPE_REFUSALS | 1u << SMC_REFUSAL_COOPERATIVE_SIZE;
    if (!is_fixable || answer->occupancy.refusals & of_grid)
        return false;
    smc_next_steps_find(&answer->query.device.sm, &answer->launch, &answer->next_steps);
    drop_forbidden_steps(answer);
    return !smc_query_at_maximum(answer);
}
