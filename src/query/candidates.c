/* Candidates of `best` with their predicted times. */
#include "query/candidates.h"

#include <stdio.h>

static bool is_predicted(const struct smc_answer *answer)
{
    return answer->time.basis != SMC_TIME_UNKNOWN;
}

static enum smc_status add(const struct smc_answer *answer, int64_t size,
                           struct smc_candidates *out, struct smc_error *error)
{
    struct smc_answer *added = &out->answer[out->count];
    *added = *answer;
    out->size[out->count] = size;
    enum smc_status status = SMC_OK;
    if (!is_predicted(added) && !*added->time.reason)
        status = smc_query_find_time(added, error);
    if (status == SMC_OK)
        out->count++;
    return status;
}

/* Fewer registers for more blocks, until the compiler saves no more of them. */
static enum smc_status add_bounds(const struct smc_candidate *proposal, struct smc_candidates *out,
                                  struct smc_error *error)
{
    const struct smc_answer *from = &proposal->answer;
    uint32_t regs = from->launch.regs_per_thread;
    enum smc_status status = SMC_OK;
    if (!from->query.kernel || from->regs_given || from->query.compile.min_blocks)
        return SMC_OK;
    for (uint32_t more = 1; more <= SMC_MOST_BOUNDS && status == SMC_OK; more++) {
        struct smc_query query = from->query;
        struct smc_answer answer;
        query.compile.min_blocks = from->occupancy.blocks_per_sm + more;
        if (query.compile.min_blocks * from->occupancy.warps_per_block >
                query.device.sm.max_warps_per_sm ||
            smc_query_evaluate(&query, NULL, &answer, NULL, NULL) != SMC_OK ||
            answer.launch.regs_per_thread >= regs || answer.outcome != SMC_LAUNCHES)
            break;
        regs = answer.launch.regs_per_thread;
        status = add(&answer, proposal->size, out, error);
    }
    return status;
}

static void count_predicted(struct smc_candidates *out)
{
    out->predicted = 0;
    for (size_t i = 0; i < out->count; i++)
        out->predicted += is_predicted(&out->answer[i]);
    if (out->predicted)
        return;
    const char *reason = out->count ? out->answer[0].time.reason : "no launch is possible";
    snprintf(out->reason, sizeof out->reason, "%s",
             *reason ? reason : "the ceilings of the device are not known");
}

enum smc_status smc_candidates_find(const struct smc_best *best, struct smc_candidates *out,
                                    struct smc_error *error)
{
    enum smc_status status = SMC_OK;
    const struct smc_candidate *proposal = smc_best_proposal(best);
    out->option = best->option;
    out->count = 0;
    out->reason[0] = '\0';
    for (size_t i = 0; i < best->count && status == SMC_OK; i++)
        if (best->candidate[i].answer.outcome == SMC_LAUNCHES)
            status = add(&best->candidate[i].answer, best->candidate[i].size, out, error);
    out->bounds_from = out->count;
    if (status == SMC_OK && proposal)
        status = add_bounds(proposal, out, error);
    count_predicted(out);
    return status;
}
