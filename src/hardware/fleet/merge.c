/* Compares the reports of many machines: which of them agree on a quantity, and the verdict. */
#include "hardware/merge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

/* --- Verdicts --------------------------------------------------------------------------------- */

struct smc_reading smc_merge_seen(const struct smc_merge_row *row)
{
    static const enum smc_row_source best_first[] = {SMC_SOURCE_MEASURED, SMC_SOURCE_API,
                                                     SMC_SOURCE_EMULATED};
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++)
        if (row->seen[best_first[i]].present)
            return row->seen[best_first[i]];
    return (struct smc_reading){false, 0};
}

static bool merge_ends(const char *text, const char *end)
{
    size_t length = strlen(text);
    return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* Traffic between DRAM and L2 depends on the cache's previous contents. */
static bool is_cached(const struct smc_merge_row *row)
{
    return smc_begins(row->quantity, "dram_");
}

static bool merge_is_rate(const struct smc_merge_row *row)
{
    return is_cached(row) || strcmp(row->unit, "ms") == 0 || merge_ends(row->unit, "/s") ||
           merge_ends(row->unit, "Hz") ||
           (strcmp(row->unit, "%") == 0 && strcmp(row->quantity, "occupancy_percent") != 0);
}

/* Whether the hardware counters measure it; every other exact quantity must match to the last
   digit. */
static bool is_counter(const struct smc_merge_row *row)
{
    return smc_begins(row->quantity, "shared_") || smc_begins(row->quantity, "machine_") ||
           smc_begins(row->quantity, "global_") || strcmp(row->quantity, "bank_conflicts") == 0;
}

/* The most frequent of sorted numbers; among equally frequent ones the one predicted. */
static double most_frequent(const double *numbers, size_t count, struct smc_reading predicted)
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

/* Collects the values in `scratch`, sorted. Returns how many there are. */
static size_t merge_gather(const struct smc_merged_peers *peers, enum smc_row_source source,
                           double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < peers->count; i++)
        if (peers->value[i].row->seen[source].present)
            scratch[count++] = peers->value[i].row->seen[source].value;
    smc_numbers_sort(scratch, count);
    return count;
}

/* Each source is compared with the same source on the other machines. */
static void judge_counts(struct smc_merged_peers *peers, double *scratch)
{
    static const enum smc_row_source seeing[] = {SMC_SOURCE_EMULATED, SMC_SOURCE_API,
                                                 SMC_SOURCE_MEASURED};
    struct smc_reading predicted = peers->value[0].row->seen[SMC_SOURCE_PREDICTED];
    for (size_t w = 0; w < sizeof seeing / sizeof *seeing; w++) {
        size_t count = merge_gather(peers, seeing[w], scratch);
        if (count == 0)
            continue;
        double common = most_frequent(scratch, count, predicted);
        peers->common = (struct smc_reading){true, common};
        bool noisy = seeing[w] == SMC_SOURCE_MEASURED && is_counter(peers->value[0].row);
        double allowed = noisy ? SMC_MERGE_COUNTER_SHARE * fabs(common) : 0;
        for (size_t i = 0; i < peers->count; i++) {
            const struct smc_merge_row *row = peers->value[i].row;
            const struct smc_reading *seen = &row->seen[seeing[w]];
            peers->value[i].odd |=
                seen->present && !(noisy && row->confirmed) && fabs(seen->value - common) > allowed;
        }
    }
}

static void merge_judge_rates(struct smc_merged_peers *peers, double *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < peers->count; i++) {
        struct smc_reading seen = smc_merge_seen(peers->value[i].row);
        if (seen.present)
            scratch[count++] = seen.value;
    }
    if (count == 0)
        return;
    smc_numbers_sort(scratch, count);
    double median = smc_numbers_median(scratch, count);
    peers->common = (struct smc_reading){true, median};
    peers->least = scratch[0];
    peers->most = scratch[count - 1];
    for (size_t i = 0; i < peers->count; i++) {
        struct smc_reading seen = smc_merge_seen(peers->value[i].row);
        peers->value[i].odd = seen.present && !is_cached(peers->value[i].row) &&
                              fabs(seen.value - median) > SMC_MERGE_OUTLIER_SHARE * fabs(median);
    }
}

/* Whether two machines have a value from the same source, or for rates from any source. */
static bool is_seen_by_two(const struct smc_merged_peers *peers, bool is_rate)
{
    const struct smc_merge_report *first[SMC_SOURCE_COUNT] = {NULL};
    for (size_t i = 0; i < peers->count; i++) {
        const struct smc_merge_report *report = peers->value[i].report;
        for (int k = SMC_SOURCE_API; k < SMC_SOURCE_COUNT; k++) {
            int source = is_rate ? SMC_SOURCE_MEASURED : k;
            if (!peers->value[i].row->seen[k].present)
                continue;
            if (first[source] && first[source]->machine != report->machine)
                return true;
            first[source] = report;
        }
    }
    return false;
}

/* A value that is unlike its peers disagrees, whether or not it also differs from its own
   prediction. Traffic that depends on caches is only compared with its prediction: it agrees if
   everything observed is confirmed. */
static enum smc_merge_verdict merge_verdict_of(const struct smc_merged_quantity *quantity)
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

/* Marks odd values, fills in the peers' common value, and sets the verdict. `scratch` has space for
   all of the values. */
static void merge_judge(struct smc_merged_quantity *quantity, double *scratch)
{
    for (size_t i = 0; i < quantity->peers_count; i++)
        if (quantity->is_rate)
            merge_judge_rates(&quantity->peers[i], scratch);
        else
            judge_counts(&quantity->peers[i], scratch);
    quantity->verdict = merge_verdict_of(quantity);
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

/* --- Comparing the reports -------------------------------------------------------------------- */

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* --- Machines and questions ------------------------------------------------------------------- */

const char *smc_merge_host(const struct smc_merge_report *report)
{
    return report->node[0] ? report->node : report->host;
}

/* The same node and GPU, or the same emulated device in a process of the same rank. A report that
   gives neither counts as a separate machine. */
static int by_machine(const void *a, const void *b)
{
    const struct smc_merge_report *s = *(struct smc_merge_report *const *)a;
    const struct smc_merge_report *t = *(struct smc_merge_report *const *)b;
    int order = strcmp(smc_merge_host(s), smc_merge_host(t));
    if (order == 0)
        order = strcmp(s->gpu_uuid, t->gpu_uuid);
    if (order == 0 && !s->gpu_uuid[0])
        order = strcmp(s->device, t->device);
    if (order == 0 && !s->gpu_uuid[0])
        order = (s->rank > t->rank) - (s->rank < t->rank);
    if (order == 0 && !s->host[0] && !s->gpu_uuid[0])
        order = compare_sizes(s->index, t->index);
    return order;
}

/* Reports without a name may be from different machines that observed the same. */
static int by_contents(const void *a, const void *b)
{
    const struct smc_merge_report *s = *(struct smc_merge_report *const *)a;
    const struct smc_merge_report *t = *(struct smc_merge_report *const *)b;
    int order = (s->contents > t->contents) - (s->contents < t->contents);
    if (order == 0 && !s->host[0] && !s->gpu_uuid[0])
        order = compare_sizes(s->index, t->index);
    return order;
}

static int by_question(const void *a, const void *b)
{
    const struct smc_merge_report *s = *(struct smc_merge_report *const *)a;
    const struct smc_merge_report *t = *(struct smc_merge_report *const *)b;
    if (!s->question || !t->question)
        return !s->question - !t->question;
    return strcmp(s->question, t->question);
}

/* Orders questions as they were first read, with failed GPUs last, and keeps the reports of one
   machine together. */
static int by_id(const void *a, const void *b)
{
    const struct smc_merge_report *s = *(struct smc_merge_report *const *)a;
    const struct smc_merge_report *t = *(struct smc_merge_report *const *)b;
    int order = !s->question - !t->question;
    if (order == 0)
        order = compare_sizes(s->question_id, t->question_id);
    if (order == 0)
        order = compare_sizes(s->machine, t->machine);
    return order ? order : compare_sizes(s->index, t->index);
}

/* Numbers the groups in the order of the lowest index in each. */
static void merge_number(struct smc_merge_report **reports, size_t count,
                         int (*order)(const void *, const void *),
                         void (*assign)(struct smc_merge_report *, size_t))
{
    qsort(reports, count, sizeof *reports, order);
    for (size_t i = 0, end; i < count; i = end) {
        size_t lowest = reports[i]->index;
        for (end = i + 1; end < count && order(&reports[i], &reports[end]) == 0; end++)
            if (reports[end]->index < lowest)
                lowest = reports[end]->index;
        for (size_t k = i; k < end; k++)
            assign(reports[k], lowest);
    }
}

static void assign_original(struct smc_merge_report *report, size_t id)
{
    report->original = id;
}

static void assign_machine(struct smc_merge_report *report, size_t id)
{
    report->machine = id;
}

static void assign_question(struct smc_merge_report *report, size_t id)
{
    report->question_id = id;
}

/* Moves copies to the end. Returns how many reports are left. */
static size_t leave_out_copies(struct smc_merge_report **reports, size_t count)
{
    size_t kept = 0;
    merge_number(reports, count, by_contents, assign_original);
    for (size_t i = 0; i < count; i++)
        if (reports[i]->original == reports[i]->index) {
            struct smc_merge_report *copy = reports[kept];
            reports[kept++] = reports[i];
            reports[i] = copy;
        }
    qsort(&reports[kept], count - kept, sizeof *reports, by_id);
    return kept;
}

/* How many characters of the UUIDs distinguish neighbours: "GPU-" and 8 digits, or all of them. */
static size_t uuid_chars(struct smc_merge_report *const *by_machine_sorted, size_t count)
{
    enum { SHORT = 12, ALL = 40 };
    for (size_t i = 1; i < count; i++) {
        const struct smc_merge_report *a = by_machine_sorted[i - 1], *b = by_machine_sorted[i];
        if (a->machine != b->machine && strcmp(smc_merge_host(a), smc_merge_host(b)) == 0 &&
            a->gpu_uuid[0] && strncmp(a->gpu_uuid, b->gpu_uuid, SHORT) == 0)
            return ALL;
    }
    return SHORT;
}

static size_t count_machines(struct smc_merge_report *const *reports, size_t count)
{
    size_t machines = 0;
    for (size_t i = 0; i < count; i++)
        machines += i == 0 || reports[i]->machine != reports[i - 1]->machine;
    return machines;
}

bool smc_merge_is_emulator(const struct smc_merge_report *report)
{
    return report->host[0] && !report->gpu_uuid[0] && !report->driver[0] && !report->error[0];
}

static size_t count_emulators(struct smc_merge_report *const *reports, size_t count)
{
    size_t emulators = 0;
    for (size_t i = 0; i < count; i++)
        emulators += smc_merge_is_emulator(reports[i]) &&
                     (i == 0 || reports[i]->machine != reports[i - 1]->machine);
    return emulators;
}

/* --- Values ----------------------------------------------------------------------------------- */

static int by_quantity(const void *a, const void *b)
{
    const struct smc_merged_value *s = a, *t = b;
    int order = compare_sizes(s->report->question_id, t->report->question_id);
    if (order == 0)
        order = strcmp(s->row->quantity, t->row->quantity);
    return order ? order : strcmp(s->row->unit, t->row->unit);
}

static int merge_compare_numbers(struct smc_reading a, struct smc_reading b)
{
    if (!a.present || !b.present)
        return a.present - b.present;
    return (a.value > b.value) - (a.value < b.value);
}

static int by_peers(const void *a, const void *b)
{
    const struct smc_merged_value *s = a, *t = b;
    int order = strcmp(s->report->cc, t->report->cc);
    if (order == 0)
        order = strcmp(s->row->words, t->row->words);
    if (order == 0 && merge_is_rate(s->row))
        return strcmp(s->report->device, t->report->device);
    return order ? order
                 : merge_compare_numbers(s->row->seen[SMC_SOURCE_PREDICTED],
                                         t->row->seen[SMC_SOURCE_PREDICTED]);
}

/* The order in which values are shown: by question, with quantities as in the longest reports and
   peers together. */
static int merge_as_shown(const void *a, const void *b)
{
    const struct smc_merged_value *s = a, *t = b;
    int order = compare_sizes(s->report->question_id, t->report->question_id);
    if (order == 0)
        order = compare_sizes(s->place, t->place);
    if (order == 0)
        order = by_quantity(s, t);
    if (order == 0)
        order = by_peers(s, t);
    return order ? order : compare_sizes(s->report->index, t->report->index);
}

/* Gives all values of a quantity its last place, since reports with more rows have additional ones
   in between. */
static void settle_places(struct smc_merged_value *values, size_t count)
{
    qsort(values, count, sizeof *values, by_quantity);
    for (size_t i = 0, end; i < count; i = end) {
        size_t last = values[i].place;
        for (end = i + 1; end < count && by_quantity(&values[i], &values[end]) == 0; end++)
            if (values[end].place > last)
                last = values[end].place;
        for (size_t k = i; k < end; k++)
            values[k].place = last;
    }
    qsort(values, count, sizeof *values, merge_as_shown);
}

/* --- All together ----------------------------------------------------------------------------- */

/* Adds one quantity with its values to `out`, using its next free peers and quantity. */
static void add_quantity(struct smc_merged *out, struct smc_merged_question *question,
                         struct smc_merged_value *values, size_t count, size_t *peers_used,
                         double *scratch)
{
    struct smc_merged_quantity *quantity = &question->quantity[question->quantity_count++];
    *quantity = (struct smc_merged_quantity){
        .name = values->row->quantity,
        .unit = values->row->unit,
        .is_rate = merge_is_rate(values->row),
        .peers = &out->peers[*peers_used],
    };
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && by_peers(&values[i], &values[end]) == 0;)
            end++;
        struct smc_merged_peers *peers = &quantity->peers[quantity->peers_count++];
        *peers = (struct smc_merged_peers){.value = &values[i], .count = end - i};
    }
    *peers_used += quantity->peers_count;
    merge_judge(quantity, scratch);
    out->quantities += quantity->verdict < SMC_MERGE_UNSEEN;
    out->disagreeing += quantity->verdict == SMC_MERGE_DISAGREE;
    out->differing += quantity->verdict == SMC_MERGE_DIFFERS;
    out->alone += quantity->verdict == SMC_MERGE_ALONE;
    out->outliers += quantity->verdict == SMC_MERGE_OUTLIER;
    out->unseen += quantity->verdict == SMC_MERGE_UNSEEN;
    out->not_compared += quantity->verdict == SMC_MERGE_NOT_COMPARED;
}

/* `values` are in the order shown: those of the first question first. */
static void add_quantities(struct smc_merged *out, size_t value_count, double *scratch)
{
    size_t peers_used = 0, quantities_used = 0, question = 0;
    for (size_t i = 0, end; i < value_count; i = end) {
        struct smc_merged_value *values = &out->values[i];
        for (end = i + 1; end < value_count && by_quantity(values, &out->values[end]) == 0;)
            end++;
        while (out->question[question].report[0]->question_id != values->report->question_id)
            question++;
        if (out->question[question].quantity_count == 0)
            out->question[question].quantity = &out->quantity_list[quantities_used];
        add_quantity(out, &out->question[question], values, end - i, &peers_used, scratch);
        quantities_used++;
    }
}

static void add_questions(struct smc_merged *out, struct smc_merge_report **reports, size_t count)
{
    for (size_t i = 0, end; i < count && reports[i]->question; i = end) {
        for (end = i + 1; end < count && by_question(&reports[i], &reports[end]) == 0;)
            end++;
        out->question[out->question_count++] = (struct smc_merged_question){
            .text = reports[i]->question,
            .report = &out->reports[i],
            .report_count = end - i,
            .machines = count_machines(&reports[i], end - i),
        };
    }
    for (size_t i = 0; i < count; i++)
        if (reports[i]->error[0])
            out->failed[out->failed_count++] = reports[i];
}

static size_t list_values(struct smc_merge_report *const *reports, size_t report_count,
                          struct smc_merged_value *values)
{
    size_t count = 0;
    for (size_t i = 0; i < report_count; i++)
        for (size_t r = 0; r < reports[i]->row_count; r++)
            values[count++] = (struct smc_merged_value){
                .report = reports[i], .row = &reports[i]->row[r], .place = r};
    return count;
}

enum smc_status smc_merge_compare(struct smc_merge *merge, struct smc_merged *out,
                                  struct smc_error *error)
{
    size_t count = merge->count, rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += merge->report[i].row_count;
    *out = (struct smc_merged){0};
    struct smc_merge_report **reports = smc_calloc(count + 1, sizeof *reports);
    smc_auto_free double *scratch = smc_calloc(rows + 1, sizeof *scratch);
    out->failed = smc_calloc(count + 1, sizeof(struct smc_merge_report *));
    out->question = smc_calloc(count + 1, sizeof *out->question);
    out->values = smc_calloc(rows + 1, sizeof *out->values);
    out->peers = smc_calloc(rows + 1, sizeof *out->peers);
    out->quantity_list = smc_calloc(rows + 1, sizeof *out->quantity_list);
    out->reports = (const struct smc_merge_report **)reports;
    if (!reports || !scratch || !out->failed || !out->question || !out->values || !out->peers ||
        !out->quantity_list) {
        return smc_out_of_memory(error);
    }
    for (size_t i = 0; i < count; i++)
        reports[i] = &merge->report[i];
    size_t kept = leave_out_copies(reports, count);
    out->all = merge->report;
    out->copy = &out->reports[kept];
    out->copy_count = count - kept;
    count = kept;
    merge_number(reports, count, by_question, assign_question);
    merge_number(reports, count, by_machine, assign_machine);
    out->machines = count_machines(reports, count);
    out->emulators = count_emulators(reports, count);
    out->uuid_chars = uuid_chars(reports, count);
    qsort(reports, count, sizeof *reports, by_id);
    add_questions(out, reports, count);
    size_t value_count = list_values(reports, count, out->values);
    settle_places(out->values, value_count);
    add_quantities(out, value_count, scratch);
    bool bad = out->disagreeing > 0 || out->differing > 0 || out->failed_count > 0;
    return bad ? SMC_SHORTFALL : SMC_OK;
}

void smc_merged_free(struct smc_merged *merged)
{
    free(merged->reports);
    free(merged->failed);
    free(merged->question);
    free(merged->values);
    free(merged->peers);
    free(merged->quantity_list);
    *merged = (struct smc_merged){0};
}
