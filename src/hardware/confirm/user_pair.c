/* Two of the user's kernels compared. */
#include "hardware/series.h"

/* Each kernel launched once: the confidence intervals of the median times. */
struct round {
    double low_ms[SMC_PAIR], high_ms[SMC_PAIR];
};

static enum smc_status launch_one(struct smc_user_run *run, struct smc_text *warnings,
                                  struct smc_error *error)
{
    enum smc_status status = smc_user_launch(run, warnings, error);
    if (status == SMC_OK)
        status = smc_user_ending(run, error);
    return smc_fail_in(error, status, "%.200s of %.200s", run->row.kernel->shown,
                       run->request.file);
}

/* 1 or 2: the first or second kernel is slower; 0: the intervals overlap. */
static int slower_in(const struct round *round)
{
    return round->low_ms[0] > round->high_ms[1] ? 1 : round->low_ms[1] > round->high_ms[0] ? 2 : 0;
}

enum smc_status smc_user_pair_launch(struct smc_user_pair *pair, struct smc_text *warnings,
                                     struct smc_error *error)
{
    struct round round[SMC_PAIR_ROUNDS];
    pair->is_measured = true;
    for (int i = 0; i < SMC_PAIR_ROUNDS && pair->is_measured; i++)
        for (int k = 0; k < SMC_PAIR; k++) {
            struct smc_user_run *run = pair->run[k];
            SMC_TRY(launch_one(run, warnings, error));
            pair->is_measured &= run->result.timing.succeeded;
            round[i].low_ms[k] = run->result.median_low_ms;
            round[i].high_ms[k] = run->result.median_high_ms;
        }
    if (!pair->is_measured)
        return SMC_OK;
    int first = slower_in(&round[0]);
    pair->exceeds_noise = first != 0;
    for (int i = 1; i < SMC_PAIR_ROUNDS; i++)
        pair->exceeds_noise &= slower_in(&round[i]) == first;
    return SMC_OK;
}

static bool has_result(const struct smc_user_memory *memory)
{
    return memory->has_gpu || memory->has_emulated;
}

static bool have_same_arrays(const struct smc_user_run *a, const struct smc_user_run *b)
{
    bool same = a->has_memory && b->has_memory && a->memory_count == b->memory_count;
    for (size_t i = 0; same && i < a->memory_count; i++)
        same = a->memory[i].bytes == b->memory[i].bytes && has_result(&a->memory[i]) &&
               has_result(&b->memory[i]) &&
               a->memory[i].argument->type == b->memory[i].argument->type;
    return same;
}

void smc_user_pair_compare(struct smc_user_pair *pair)
{
    double *ms = pair->ms;
    for (int i = 0; i < SMC_PAIR; i++) {
        const struct smc_user_run *run = pair->run[i];
        smc_confirm_user(run, &pair->confirmation[i]);
        ms[i] = pair->is_measured ? run->result.median_ms : run->answer.time.predicted_ms;
    }
    pair->speed_up = ms[0] > 0 && ms[1] > 0 ? ms[0] / ms[1] : 0;
    pair->compares_results = have_same_arrays(pair->run[0], pair->run[1]);
}

static const void *result_of(const struct smc_user_memory *memory)
{
    return memory->has_gpu ? memory->after_gpu : memory->after_emulated;
}

void smc_user_pair_result(const struct smc_user_pair *pair, size_t memory,
                          struct smc_agreement *agreement)
{
    const struct smc_user_memory *a = &pair->run[0]->memory[memory];
    const struct smc_user_memory *b = &pair->run[1]->memory[memory];
    *agreement = (struct smc_agreement){0};
    if (pair->compares_results)
        smc_user_compare(a->argument, result_of(a), result_of(b), agreement);
}
