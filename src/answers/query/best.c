/* Chooses a block size or tile. */
#include "answers/best.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "rules/banks.h"

/* Counts the architectures that the current CUDA Toolkit compiles for, and the requested one. */
static void count_architectures(struct smc_candidate *candidate, struct smc_best *best)
{
    const struct smc_answer *answer = &candidate->answer;
    best->architectures = 0;
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        struct smc_occupancy occupancy;
        smc_capability_at(i, &capability);
        if (!smc_capability_is_current(capability.sm.cc) &&
            capability.sm.cc != answer->query.device.sm.cc)
            continue;
        smc_occupancy_compute(&capability.sm, &answer->launch, &occupancy);
        candidate->architectures += occupancy.blocks_per_sm > 0;
        best->architectures++;
    }
}

uint32_t smc_best_idle_lanes(const struct smc_answer *answer)
{
    uint32_t threads = answer->launch.threads_per_block;
    uint32_t warp_size = answer->query.device.sm.warp_size;
    return (warp_size - threads % warp_size) % warp_size;
}

bool smc_best_is_forced(const struct smc_answer *answer)
{
    const struct smc_file_kernel *kernel = answer->query.file_kernel;
    const uint32_t larger = answer->launch.threads_per_block + answer->query.device.sm.warp_size;
    if (!kernel)
        return false;
    return kernel->required_threads_per_block > 0 ||
           (kernel->max_threads_per_block > 0 && larger > kernel->max_threads_per_block &&
            larger <= answer->query.device.sm.max_threads_per_block &&
            answer->occupancy_percent < 100);
}

uint64_t smc_best_row_bytes(const struct smc_answer *answer)
{
    const struct smc_query *query = &answer->query;
    if (!query->kernel)
        return 0;
    enum smc_dtype dtype = (enum smc_dtype)query->params.value[SMC_PARAM_DTYPE];
    return (uint64_t)answer->plan.block[0] * smc_dtype_bytes(dtype);
}

/* An unknown grid counts as full waves. */
double smc_best_fill(const struct smc_answer *answer)
{
    const struct smc_waves *waves = &answer->waves;
    if (!answer->has_waves)
        return 1;
    return (double)waves->grid_blocks / ((double)waves->waves * (double)waves->resident_blocks);
}

/* Counts threads instead of warps, since the lanes after the block's last thread are idle. */
static double use_of(const struct smc_answer *answer)
{
    double use = (double)answer->occupancy.blocks_per_sm * answer->launch.threads_per_block /
                 answer->query.device.sm.max_threads_per_sm;
    return use * smc_best_fill(answer);
}

double smc_best_moved_bytes(const struct smc_answer *answer)
{
    return answer->has_work ? answer->work.global_load_bytes + answer->work.global_store_bytes : 0;
}

/* A single wave has no tail effect, but may leave SMs without a block. */
static double busy_of(const struct smc_answer *answer)
{
    double sms = answer->query.device.sm_count;
    if (!answer->has_waves || answer->waves.waves > 1)
        return smc_best_fill(answer);
    return (double)answer->waves.grid_blocks < sms ? (double)answer->waves.grid_blocks / sms : 1;
}

/* Some kernels' problem size grows with the block, so traffic is relative to the least possible. */
static double traffic_of(const struct smc_answer *answer)
{
    double least = answer->has_work ? answer->work.minimum_bytes : 0;
    return least > 0 ? smc_best_moved_bytes(answer) / least : 0;
}

static void set_values(struct smc_candidate *candidate)
{
    const struct smc_answer *answer = &candidate->answer;
    uint64_t row = smc_best_row_bytes(answer);
    double *value = candidate->choice.value;
    value[SMC_RULE_LAUNCHES] = answer->outcome == SMC_LAUNCHES;
    uint32_t idle = smc_best_idle_lanes(answer);
    value[SMC_RULE_WHOLE_WARPS] = (double)idle / (answer->launch.threads_per_block + idle);
    value[SMC_RULE_ALIGNED_ROWS] = row % SMC_SECTOR_BYTES == 0;
    value[SMC_RULE_WARPS] = answer->occupancy_percent;
    value[SMC_RULE_WAVES] = busy_of(answer);
    value[SMC_RULE_TRAFFIC] = traffic_of(answer);
    value[SMC_RULE_WHOLE_LINES] = row % SMC_LINE_BYTES == 0;
    value[SMC_RULE_ARCHITECTURES] = candidate->architectures;
    value[SMC_RULE_SMALLEST] = answer->launch.threads_per_block >= SMC_BEST_SMALL_BLOCK;
    value[SMC_RULE_BLOCKS] = answer->occupancy.blocks_per_sm;
    value[SMC_RULE_THREADS] = answer->launch.threads_per_block;
}

static enum smc_status best_add(const struct smc_query *query, int64_t size, struct smc_best *best,
                                struct smc_text *warnings, struct smc_error *error)
{
    struct smc_candidate *candidate = &best->candidate[best->count];
    *candidate = (struct smc_candidate){.size = size};
    bool first = best->count == 0; /* the other sizes would repeat the same warnings */
    struct smc_answer *answer = &candidate->answer;
    SMC_TRY(smc_query_evaluate(query, NULL, answer, first ? warnings : NULL, error));
    smc_query_cap_clustered_blocks(answer);
    if (!best->quick) {
        smc_query_find_work(answer);
        count_architectures(candidate, best);
    }
    candidate->use = answer->outcome == SMC_LAUNCHES ? use_of(answer) : 0;
    set_values(candidate);
    best->count++;
    return SMC_OK;
}

static enum smc_status best_add_block(const struct smc_query *query, uint32_t threads,
                                      struct smc_best *best, struct smc_text *warnings,
                                      struct smc_error *error)
{
    struct smc_query asked = *query;
    asked.grid_y = asked.grid_z = 0; /* any grid shape is allowed */
    asked.threads_per_block = threads;
    if (best->total_threads != SMC_NOT_GIVEN)
        asked.grid_blocks = (int64_t)divide_up((uint64_t)best->total_threads, threads);
    return best_add(&asked, threads, best, warnings, error);
}

/* If the launch bounds of a file's kernel allow no block of whole warps: the largest allowed. */
static enum smc_status add_partial_block(const struct smc_query *query, struct smc_best *best,
                                         struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_file_kernel *kernel = query->file_kernel;
    uint32_t only = kernel->required_threads_per_block, most = kernel->max_threads_per_block;
    return best_add_block(query, only ? only : most, best, warnings, error);
}

static enum smc_status add_blocks(const struct smc_query *query, struct smc_best *best,
                                  struct smc_text *warnings, struct smc_error *error)
{
    const struct smc_sm *sm = &query->device.sm;
    const struct smc_file_kernel *kernel = query->file_kernel;
    for (uint32_t threads = sm->warp_size;
         threads <= sm->max_threads_per_block && best->count < SMC_MAX_CANDIDATES;
         threads += sm->warp_size)
        if (!kernel || smc_file_kernel_allows(kernel, threads))
            SMC_TRY(best_add_block(query, threads, best, warnings, error));
    if (best->count == 0 && kernel)
        SMC_TRY(add_partial_block(query, best, warnings, error));
    return SMC_OK;
}

/* Whether the block has idle lanes: such a size is dropped by the first two rules. */
static bool leaves_lanes_idle(const struct smc_query *query, const struct smc_params *params)
{
    struct smc_plan plan;
    query->kernel->plan(query->kernel, params, &plan);
    return plan.threads_per_block % query->device.sm.warp_size != 0;
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
    /* The problem size is the same for every block size. */
    SMC_TRY(query->kernel->complete(query->kernel, &asked.params, error));
    for (int64_t size = step; size <= highest && best->count < SMC_MAX_CANDIDATES; size += step) {
        asked.params.value[param] = size;
        asked.params.given |= 1u << param;
        struct smc_params tried = asked.params;
        /* Some sizes do not divide the problem. */
        bool possible = query->kernel->complete(query->kernel, &tried, NULL) == SMC_OK;
        if (possible && !(best->quick && leaves_lanes_idle(query, &tried)))
            SMC_TRY(best_add(&asked, size, best, warnings, error));
    }
    return SMC_OK;
}

/* Orders choices by how late a rule dropped them, then by their values under that and the later
   rules. */
static bool best_comes_before(const struct smc_choice *a, const struct smc_choice *b)
{
    if (a->dropped_by != b->dropped_by)
        return a->dropped_by > b->dropped_by;
    for (int rule = a->dropped_by; rule < SMC_RULE_COUNT; rule++)
        if (a->value[rule] != b->value[rule])
            return smc_rule_info[rule].higher_is_better ? a->value[rule] > b->value[rule]
                                                        : a->value[rule] < b->value[rule];
    return false;
}

/* Insertion sort: there are few candidates, and equal ones must keep their order. */
static void sort(struct smc_best *best)
{
    for (size_t i = 0; i < best->count; i++) {
        size_t at = i;
        for (; at > 0; at--) {
            const struct smc_candidate *before = &best->candidate[best->order[at - 1]];
            if (!best_comes_before(&best->candidate[i].choice, &before->choice))
                break;
            best->order[at] = best->order[at - 1];
        }
        best->order[at] = i;
    }
}

static void apply_rules(struct smc_best *best)
{
    struct smc_choice choices[SMC_MAX_CANDIDATES];
    for (size_t i = 0; i < best->count; i++)
        choices[i] = best->candidate[i].choice;
    smc_choices_apply(choices, best->count);
    for (size_t i = 0; i < best->count; i++)
        best->candidate[i].choice = choices[i];
}

/* Leaves out shared memory, which takes by far the longest to count. */
static void count_traffic(struct smc_answer *answer)
{
    answer->has_work = answer->query.kernel && answer->query.kernel->work;
    if (answer->has_work)
        answer->query.kernel->work(answer->query.kernel, &answer->query.params, &answer->work);
}

/* Counting traffic and architectures is the slowest step: a quick search does it only for the
   candidates that earlier rules kept. */
static void best_choose(struct smc_best *best)
{
    apply_rules(best);
    for (size_t i = 0; i < best->count && best->quick; i++) {
        struct smc_candidate *candidate = &best->candidate[i];
        if (candidate->choice.dropped_by < SMC_RULE_TRAFFIC)
            continue;
        count_traffic(&candidate->answer);
        count_architectures(candidate, best);
        set_values(candidate);
    }
    if (best->quick)
        apply_rules(best);
    sort(best);
}

/* The parameter that determines a kernel's block. False if there is none. */
static bool find_param(const struct smc_kernel *kernel, enum smc_param *param)
{
    *param = kernel->params & 1u << SMC_PARAM_TILE ? SMC_PARAM_TILE : SMC_PARAM_BLOCK;
    return kernel->params & 1u << *param;
}

bool smc_best_has_choice(const struct smc_kernel *kernel)
{
    enum smc_param param;
    return find_param(kernel, &param);
}

static enum smc_status best_find(const struct smc_query *query, struct smc_best *best,
                                 struct smc_text *warnings, struct smc_error *error)
{
    enum smc_param param;
    if (!query->kernel) {
        best->option = "threads";
        SMC_TRY(add_blocks(query, best, warnings, error));
    } else if (find_param(query->kernel, &param)) {
        best->option = smc_param_info[param].option;
        SMC_TRY(add_params(query, param, best, warnings, error));
    } else {
        return smc_fail(error, SMC_USAGE,
                        "option --kernel: %s accepts neither --tile nor --block, so "
                        "there is nothing to choose",
                        query->kernel->name);
    }
    best_choose(best);
    return SMC_OK;
}

/* What `best` proposes with the registers of the built-in table, so that nothing is compiled.
   Numbers that the user gave are kept. */
static bool find_without_compiling(const struct smc_answer *answer, struct smc_best *best)
{
    struct smc_query query = answer->query;
    query.compile.no_nvrtc = true;
    query.compile.no_cache = true;
    best->count = 0;
    best->total_threads = SMC_NOT_GIVEN;
    best->quick = true;
    return best_find(&query, best, NULL, NULL) == SMC_OK;
}

static void find_better_block(const struct smc_answer *answer, struct smc_best_block *out)
{
    const struct smc_kernel *kernel = answer->query.kernel;
    enum smc_param param;
    *out = (struct smc_best_block){.option = NULL};
    if (!kernel || answer->query.compile.kernel_dir || !find_param(kernel, &param))
        return;
    smc_auto_free struct smc_best *best = smc_calloc(1, sizeof *best);
    const struct smc_candidate *proposal =
        best && find_without_compiling(answer, best) ? smc_best_proposal(best) : NULL;
    if (proposal && proposal->size != answer->query.params.value[param])
        *out = (struct smc_best_block){
            .option = best->option,
            .size = proposal->size,
            .threads_per_block = proposal->answer.launch.threads_per_block,
            .blocks_per_sm = proposal->answer.occupancy.blocks_per_sm,
            .percent = proposal->answer.occupancy_percent,
        };
}

void smc_query_find_next_steps(struct smc_answer *answer)
{
    if (!smc_query_find_steps(answer))
        return;
    find_better_block(answer, &answer->better_block);
    if (answer->better_block.percent <= answer->occupancy_percent)
        answer->better_block.option = NULL;
}

enum smc_status smc_best_find(const struct smc_query *query, int64_t total_threads,
                              struct smc_best *best, struct smc_text *warnings,
                              struct smc_error *error)
{
    best->count = 0;
    best->total_threads = total_threads;
    best->quick = best->by_time = false;
    best->no_time[0] = '\0';
    SMC_TRY(best_find(query, best, warnings, error));
    if (smc_best_proposal(best))
        smc_query_find_next_steps(&best->candidate[best->order[0]].answer);
    return SMC_OK;
}

/* False if one that launches has no prediction; `no_time` says why. */
static enum smc_status best_predict_all(struct smc_best *best, bool *all, struct smc_error *error)
{
    *all = best->count > 0;
    for (size_t i = 0; i < best->count && *all; i++) {
        struct smc_answer *answer = &best->candidate[i].answer;
        if (answer->outcome != SMC_LAUNCHES)
            continue;
        SMC_TRY(smc_query_find_time(answer, error));
        *all = answer->time.basis != SMC_TIME_UNKNOWN;
        if (!*all)
            memcpy(best->no_time, answer->time.reason, sizeof best->no_time);
    }
    return SMC_OK;
}

static void rank_by_time(struct smc_best *best)
{
    const struct smc_candidate *before = smc_best_proposal(best);
    best->by_time = true;
    for (size_t i = 0; i < best->count; i++)
        best->candidate[i].choice.value[SMC_RULE_TIME] =
            best->candidate[i].answer.time.predicted_ms;
    best_choose(best);
    if (smc_best_proposal(best) != before)
        smc_query_find_next_steps(&best->candidate[best->order[0]].answer);
}

enum smc_status smc_best_rank_by_time(struct smc_best *best, size_t count, struct smc_error *error)
{
    bool all = best[0].candidate[0].answer.query.kernel != NULL;
    for (size_t i = 0; i < count && all; i++)
        SMC_TRY(best_predict_all(&best[i], &all, error));
    for (size_t i = 0; i < count && all; i++)
        rank_by_time(&best[i]);
    return SMC_OK;
}

const struct smc_candidate *smc_best_proposal(const struct smc_best *best)
{
    const struct smc_candidate *first = &best->candidate[best->order[0]];
    bool kept = best->count > 0 && first->choice.dropped_by == SMC_RULE_COUNT;
    return kept ? first : NULL;
}

void smc_best_keep(const struct smc_best *best, struct smc_best_proposal *kept)
{
    *kept = (struct smc_best_proposal){
        .option = best->option,
        .architectures = best->architectures,
        .total_threads = best->total_threads,
        .by_time = best->by_time,
        .candidate = best->candidate[best->order[0]],
    };
}

void smc_best_restore(const struct smc_best_proposal *kept, struct smc_best *best)
{
    best->option = kept->option;
    best->architectures = kept->architectures;
    best->total_threads = kept->total_threads;
    best->by_time = kept->by_time;
    best->quick = false;
    best->no_time[0] = '\0';
    best->count = 1;
    best->candidate[0] = kept->candidate;
    best->order[0] = 0;
}
