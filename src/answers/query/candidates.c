/* Candidates of `best` with their predicted times. */
#include "answers/best.h"

#include <stdio.h>

static enum smc_status candidates_add(const struct smc_answer *answer, int64_t size,
                                      struct smc_candidates *out, struct smc_error *error)
{
    struct smc_answer *added = &out->answer[out->count];
    *added = *answer;
    out->size[out->count] = size;
    if (!smc_time_is_known(&added->time) && !*added->time.reason)
        SMC_TRY(smc_query_find_time(added, error));
    out->count++;
    return SMC_OK;
}

static void count_predicted(struct smc_candidates *out)
{
    out->predicted = 0;
    for (size_t i = 0; i < out->count; i++)
        out->predicted += smc_time_is_known(&out->answer[i].time);
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
    out->option = best->option;
    out->count = 0;
    out->reason[0] = '\0';
    for (size_t i = 0; i < best->count && status == SMC_OK; i++)
        if (best->candidate[i].answer.outcome == SMC_LAUNCHES)
            status =
                candidates_add(&best->candidate[i].answer, best->candidate[i].size, out, error);
    count_predicted(out);
    return status;
}
