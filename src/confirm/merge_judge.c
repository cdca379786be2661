/* How the values of a quantity are held against each other. */
#include "config.h"

#include "confirm/merge_judge.h"

#include <math.h>
#include <string.h>

#include "base/numbers.h"

struct smc_merge_number smc_merge_seen(const struct smc_merge_row *row)
{
    static const enum smc_merge_witness best_first[] = {SMC_MERGE_MEASURED, SMC_MERGE_API,
                                                        SMC_MERGE_EMULATED};
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if (row->seen[best_first[i]].present)
            return row->seen[best_first[i]];
    return (struct smc_merge_number){false, 0};
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* What moves between DRAM and L2 depends on what the cache held before. */
static bool is_cached(const struct smc_merge_row *row)
{
    return begins(row->quantity, "dram_");
}

bool smc_merge_is_rate(const struct smc_merge_row *row)
{
    return is_cached(row) || strcmp(row->unit, "ms") == 0 || ends(row->unit, "/s") ||
           ends(row->unit, "Hz") ||
           (strcmp(row->unit, "%") == 0 && strcmp(row->quantity, "occupancy_percent") != 0);
}

/* What the hardware's counters measure; every other exact quantity is held to the last digit. */
static bool is_counter(const struct smc_merge_row *row)
{
    return begins(row->quantity, "shared_") || begins(row->quantity, "machine_") ||
           begins(row->quantity, "global_") || strcmp(row->quantity, "bank_conflicts") == 0;
}

/* The most frequent of sorted numbers; among equally frequent ones the one predicted. */
static double most_frequent(const double *numbers, size_t count, struct smc_merge_number predicted)
{
    size_t most = 0;
    double common = numbers[0];
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && numbers[end] == numbers[i];)
            end++;
        bool wanted = predicted.present && numbers[i] == predicted.value;
        if (end - i > most || (end - i == most && wanted)) {
            most = end - i;
            common = numbers[i];
        }
    }
    return common;
}

/* Sorted into `scratch`; how many there are. */
static size_t gather(const struct smc_merged_peers *peers, enum smc_merge_witness witness,
                     double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < peers->count; i++)
        if (peers->value[i].row->seen[witness].present)
            scratch[count++] = peers->value[i].row->seen[witness].value;
    smc_numbers_sort(scratch, count);
    return count;
}

/* Each witness is held against the same witness elsewhere. */
static void judge_counts(struct smc_merged_peers *peers, double *scratch)
{
    static const enum smc_merge_witness seeing[] = {SMC_MERGE_EMULATED, SMC_MERGE_API,
                                                    SMC_MERGE_MEASURED};
    struct smc_merge_number predicted = peers->value[0].row->seen[SMC_MERGE_PREDICTED];
    for (size_t w = 0; w < sizeof seeing / sizeof *seeing; w++) {
        size_t count = gather(peers, seeing[w], scratch);
        if (count == 0)
            continue;
        double common = most_frequent(scratch, count, predicted);
        peers->common = (struct smc_merge_number){true, common};
        bool noisy = seeing[w] == SMC_MERGE_MEASURED && is_counter(peers->value[0].row);
        double allowed = noisy ? SMC_MERGE_COUNTER_SHARE * fabs(common) : 0;
        for (size_t i = 0; i < peers->count; i++) {
            const struct smc_merge_row *row = peers->value[i].row;
            const struct smc_merge_number *seen = &row->seen[seeing[w]];
            peers->value[i].odd |=
                seen->present && !(noisy && row->confirmed) && fabs(seen->value - common) > allowed;
        }
    }
}

static void judge_rates(struct smc_merged_peers *peers, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < peers->count; i++) {
        struct smc_merge_number seen = smc_merge_seen(peers->value[i].row);
        if (seen.present)
            scratch[count++] = seen.value;
    }
    if (count == 0)
        return;
    smc_numbers_sort(scratch, count);
    double median = smc_numbers_median(scratch, count);
    peers->common = (struct smc_merge_number){true, median};
    peers->least = scratch[0];
    peers->most = scratch[count - 1];
    for (size_t i = 0; i < peers->count; i++) {
        struct smc_merge_number seen = smc_merge_seen(peers->value[i].row);
        peers->value[i].odd = seen.present && !is_cached(peers->value[i].row) &&
                              fabs(seen.value - median) > SMC_MERGE_OUTLIER_SHARE * fabs(median);
    }
}

/* Two machines have a value of the same witness; of rates, whatever saw it. */
static bool is_seen_by_two(const struct smc_merged_peers *peers, bool is_rate)
{
    const struct smc_merge_report *first[SMC_MERGE_WITNESSES] = {NULL};
    for (size_t i = 0; i < peers->count; i++) {
        const struct smc_merge_report *report = peers->value[i].report;
        for (int k = SMC_MERGE_API; k < SMC_MERGE_WITNESSES; k++) {
            int witness = is_rate ? SMC_MERGE_MEASURED : k;
            if (!peers->value[i].row->seen[k].present)
                continue;
            if (first[witness] && first[witness]->machine != report->machine)
                return true;
            first[witness] = report;
        }
    }
    return false;
}

/* Who is unlike its peers disagrees, also where that is unlike its own prediction. What is held to
   nothing else agrees where all that was seen is confirmed. */
static enum smc_merge_verdict verdict_of(const struct smc_merged_quantity *quantity)
{
    bool odd = false, differs = false, seen = false, shared = false, confirmed = true;
    for (size_t i = 0; i < quantity->peers_count; i++) {
        const struct smc_merged_peers *peers = &quantity->peers[i];
        seen |= peers->common.present;
        shared |= is_seen_by_two(peers, quantity->is_rate);
        for (size_t k = 0; k < peers->count; k++) {
            odd |= peers->value[k].odd;
            const struct smc_merge_row *row = peers->value[k].row;
            differs |= row->differs;
            confirmed &= row->confirmed || !smc_merge_seen(row).present;
            peers->value[k].odd |= row->differs;
        }
    }
    if (odd && !quantity->is_rate)
        return SMC_MERGE_DISAGREE;
    if (differs)
        return SMC_MERGE_DIFFERS;
    if (odd)
        return SMC_MERGE_OUTLIER;
    if (!seen)
        return SMC_MERGE_UNSEEN;
    if (!confirmed && is_cached(quantity->peers->value->row))
        return SMC_MERGE_NOT_COMPARED;
    return shared ? SMC_MERGE_AGREE : SMC_MERGE_ALONE;
}

void smc_merge_judge(struct smc_merged_quantity *quantity, double *scratch)
{
    for (size_t i = 0; i < quantity->peers_count; i++)
        if (quantity->is_rate)
            judge_rates(&quantity->peers[i], scratch);
        else
            judge_counts(&quantity->peers[i], scratch);
    quantity->verdict = verdict_of(quantity);
}

const char *smc_merge_verdict_name(enum smc_merge_verdict verdict)
{
    static const char *const names[] = {
        [SMC_MERGE_AGREE] = "agree",
        [SMC_MERGE_DISAGREE] = "disagree",
        [SMC_MERGE_DIFFERS] = "differs",
        [SMC_MERGE_OUTLIER] = "outlier",
        [SMC_MERGE_ALONE] = "alone",
        [SMC_MERGE_UNSEEN] = "not measured",
        [SMC_MERGE_NOT_COMPARED] = "not compared",
    };
    return names[verdict];
}

const char *smc_merged_verdict_name(const struct smc_merged *merged)
{
    if (merged->disagreeing > 0)
        return smc_merge_verdict_name(SMC_MERGE_DISAGREE);
    if (merged->differing > 0)
        return smc_merge_verdict_name(SMC_MERGE_DIFFERS);
    if (merged->failed_count > 0)
        return "failed";
    bool all_alone = merged->alone == merged->quantities;
    return smc_merge_verdict_name(all_alone ? SMC_MERGE_ALONE : SMC_MERGE_AGREE);
}
