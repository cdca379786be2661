/* What all back ends use: the metrics, and what a run's request and result say at its begin. */
#include "hardware/executor.h"

#include <stdio.h>
#include <string.h>

#include "hardware/user.h"

const struct smc_metric_info smc_metric_info[SMC_METRIC_COUNT] = {
#define METRIC(id, name, quantity, label, tolerance) {name, quantity, label, tolerance},
#include "hardware/executor/metrics.def"
};

void smc_not_made(struct smc_attempt *attempt, const char *why)
{
    *attempt = (struct smc_attempt){0};
    snprintf(attempt->message, sizeof attempt->message, "%s", why);
}

void smc_run_begin(const struct smc_run_request *request, struct smc_run_result *result)
{
    const struct smc_resources *compiled = &request->compiled->resources;
    *result = (struct smc_run_result){.compiled = *compiled};
    result->compile.made = true;
    result->compile.succeeded = !compiled->refused;
    if (compiled->refused)
        snprintf(result->compile.message, sizeof result->compile.message,
                 "ptxas: %u bytes of static shared memory, %u at most",
                 compiled->refused_smem_bytes, compiled->refused_smem_limit_bytes);
}

const char *smc_run_entry(const struct smc_run_request *request)
{
    return request->user ? request->user->row.kernel->name : request->answer->query.kernel->entry;
}

/* The first shape of that many blocks that the grid is a multiple of, widest in x first. */
static bool back_end_fit_cluster(const uint32_t grid[3], int dimension, uint32_t blocks,
                                 uint32_t cluster[3])
{
    for (uint32_t edge = blocks; edge > 0; edge--) {
        if (blocks % edge || grid[dimension] % edge)
            continue;
        cluster[dimension] = edge;
        if (dimension == 2 ? edge == blocks
                           : back_end_fit_cluster(grid, dimension + 1, blocks / edge, cluster))
            return true;
    }
    return false;
}

bool smc_run_cluster(const struct smc_run_request *request, uint32_t cluster[3])
{
    enum { MOST_TRIED = 1024 };
    const struct smc_launch *launch = &request->answer->launch;
    const bool is_compiled = request->user && request->user->row.kernel->blocks_per_cluster > 1;
    memset(cluster, 0, 3 * sizeof *cluster);
    if (launch->blocks_per_cluster <= 1 || is_compiled)
        return false;
    if (launch->cluster[0] > 0)
        memcpy(cluster, launch->cluster, sizeof launch->cluster);
    else if (launch->blocks_per_cluster > MOST_TRIED ||
             !back_end_fit_cluster(request->answer->plan.grid, 0, launch->blocks_per_cluster,
                                   cluster))
        memcpy(cluster, (const uint32_t[3]){launch->blocks_per_cluster, 1, 1},
               sizeof launch->cluster);
    return true;
}

bool smc_loads_are_words(const struct smc_answer *answer)
{
    const struct smc_shared_work *work = &answer->workload.shared;
    const int64_t dtype = answer->query.params.value[SMC_PARAM_DTYPE];
    return smc_dtype_bytes((enum smc_dtype)dtype) == 4 &&
           work->loads.instructions == work->written_loads.instructions;
}

bool smc_run_is_cooperative(const struct smc_run_request *request, bool asks)
{
    const struct smc_answer *answer = request->answer;
    const uint32_t *grid = answer->plan.grid;
    const uint32_t sms = answer->query.device.sm_count;
    const uint64_t most = sms ? (uint64_t)answer->occupancy.blocks_per_sm * sms : SMC_MOST_TOGETHER;
    return (asks || answer->launch.is_cooperative) && (uint64_t)grid[0] * grid[1] * grid[2] <= most;
}
