/* Which block size, or which tile, to take. */
#include "query/best.h"

#include "model/round.h"

/* Below it a block is only taken where no larger one is as good otherwise. */
enum { SMALL_BLOCK = 128 };

/* CUDA 13.0 compiles for no compute capability below. */
enum { OLDEST_CURRENT = 75 };

static void count_architectures(struct smc_candidate *candidate, struct smc_best *best)
{
    const struct smc_answer *answer = &candidate->answer;
    best->architectures = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_occupancy occupancy;
        smc_capability_at(i, &capability);
        if (capability.sm.cc < OLDEST_CURRENT && capability.sm.cc != answer->query.device.sm.cc)
            continue;
        smc_occupancy_compute(&capability.sm, &answer->launch, &occupancy);
        candidate->architectures += occupancy.blocks_per_sm > 0;
        best->architectures++;
    }
}

/* Threads, not warps: lanes of a warp beyond the block's last thread do nothing. */
static double use_of(const struct smc_answer *answer)
{
    const struct smc_waves *waves = &answer->waves;
    double use = (double)answer->occupancy.blocks_per_sm * answer->launch.threads_per_block /
                 answer->query.device.sm.max_threads_per_sm;
    if (answer->has_waves)
        use *= (double)waves->grid_blocks / ((double)waves->waves * (double)waves->resident_blocks);
    return use;
}

static void evaluate(struct smc_candidate *candidate, struct smc_best *best)
{
    const struct smc_answer *answer = &candidate->answer;
    bool launches = answer->outcome == SMC_LAUNCHES;
    count_architectures(candidate, best);
    candidate->use = launches ? use_of(answer) : 0;
    double *value = candidate->choice.value;
    value[SMC_RULE_LAUNCHES] = launches;
    value[SMC_RULE_USE] = candidate->use;
    const struct smc_work *work = &answer->work;
    value[SMC_RULE_TRAFFIC] =
        answer->has_work ? work->global_load_bytes + work->global_store_bytes : 0;
    value[SMC_RULE_ARCHITECTURES] = candidate->architectures;
    value[SMC_RULE_SMALLEST] = answer->launch.threads_per_block >= SMALL_BLOCK;
    value[SMC_RULE_BLOCKS] = answer->occupancy.blocks_per_sm;
    value[SMC_RULE_THREADS] = answer->launch.threads_per_block;
}

static enum smc_status add(const struct smc_query *query, int64_t size, struct smc_best *best,
                           struct smc_text *warnings, struct smc_error *error)
{
    struct smc_candidate *candidate = &best->candidate[best->count];
    *candidate = (struct smc_candidate){.size = size};
    bool first = best->count == 0; /* the others would say the same again */
    enum smc_status status =
        smc_query_answer(query, &candidate->answer, first ? warnings : NULL, error);
    if (status != SMC_OK)
        return status;
    evaluate(candidate, best);
    best->count++;
    return SMC_OK;
}

static enum smc_status add_blocks(const struct smc_query *query, struct smc_best *best,
                                  struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_sm *sm = &query->device.sm;
    struct smc_query asked = *query;
    enum smc_status status = SMC_OK;
    asked.grid_y = asked.grid_z = 0; /* any shape will do */
    for (int64_t threads = sm->warp_size; threads <= sm->max_threads_per_block &&
                                          best->count < SMC_MAX_CANDIDATES && status == SMC_OK;
         threads += sm->warp_size) {
        asked.threads_per_block = threads;
        if (best->total_threads != SMC_NOT_GIVEN)
            asked.grid_blocks =
                (int64_t)divide_up((uint64_t)best->total_threads, (uint64_t)threads);
        status = add(&asked, threads, best, warnings, error);
    }
    return status;
}

static enum smc_status add_params(const struct smc_query *query, enum smc_param param,
                                  struct smc_best *best, struct smc_text *warnings,
                                  struct smc_error *error)
{
    const struct smc_sm *sm = &query->device.sm;
    struct smc_query asked = *query;
    int64_t step = param == SMC_PARAM_TILE ? 1 : sm->warp_size;
    int64_t highest = param == SMC_PARAM_TILE ? smc_param_info[param].highest
                                              : (int64_t)sm->max_threads_per_block;
    /* The problem stays the same, whatever the block. */
    enum smc_status status = query->kernel->complete(query->kernel, &asked.params, error);
    for (int64_t size = step;
         size <= highest && best->count < SMC_MAX_CANDIDATES && status == SMC_OK; size += step) {
        asked.params.value[param] = size;
        asked.params.given |= 1u << param;
        struct smc_params tried = asked.params;
        if (query->kernel->complete(query->kernel, &tried, NULL) ==
            SMC_OK) /* else no size for this problem */
            status = add(&asked, size, best, warnings, error);
    }
    return status;
}

static bool comes_before(const struct smc_choice *a, const struct smc_choice *b)
{
    enum smc_rule rule = a->dropped_by;
    if (rule != b->dropped_by || rule == SMC_RULE_COUNT)
        return rule > b->dropped_by;
    return smc_rule_info[rule].higher_is_better ? a->value[rule] > b->value[rule]
                                                : a->value[rule] < b->value[rule];
}

/* By insertion: few, and equal ones keep their order. */
static void sort(struct smc_best *best)
{
    for (size_t i = 0; i < best->count; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            const struct smc_candidate *before = &best->candidate[best->order[at - 1]];
            if (!comes_before(&best->candidate[i].choice, &before->choice))
                break;
            best->order[at] = best->order[at - 1];
        }
        best->order[at] = i;
    }
}

enum smc_status smc_best_find(const struct smc_query *query, int64_t total_threads,
                              struct smc_best *best, struct smc_text *warnings,
                              struct smc_error *error)
{
    const struct smc_kernel *kernel = query->kernel;
    struct smc_choice choices[SMC_MAX_CANDIDATES];
    enum smc_status status;
    best->count = 0;
    best->total_threads = total_threads;
    best->option = "threads";
    if (!kernel) {
        status = add_blocks(query, best, warnings, error);
    } else {
        enum smc_param param =
            kernel->params & 1u << SMC_PARAM_TILE ? SMC_PARAM_TILE : SMC_PARAM_BLOCK;
        if (!(kernel->params & 1u << param))
            return smc_fail(error, SMC_USAGE,
                            "option --kernel: %s takes neither --tile nor --block: there is "
                            "nothing to choose",
                            kernel->name);
        best->option = smc_param_info[param].option;
        status = add_params(query, param, best, warnings, error);
    }
    if (status != SMC_OK)
        return status;
    for (size_t i = 0; i < best->count; i++)
        choices[i] = best->candidate[i].choice;
    smc_choices_apply(choices, best->count);
    for (size_t i = 0; i < best->count; i++)
        best->candidate[i].choice = choices[i];
    sort(best);
    return SMC_OK;
}

const struct smc_candidate *smc_best_proposal(const struct smc_best *best)
{
    const struct smc_candidate *first = &best->candidate[best->order[0]];
    bool kept = best->count > 0 && first->choice.dropped_by == SMC_RULE_COUNT;
    return kept ? first : NULL;
}
