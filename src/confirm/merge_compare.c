/* Reports grouped by what was asked; within, quantity by quantity, machines held against peers. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "confirm/merge_judge.h"

static int compare_sizes(size_t a, size_t b)
{
    return (a > b) - (a < b);
}

/* --- Machines and questions --------------------------------------------------------------------
 */

/* The same host and GPU, or the same emulated device. Who gives neither is a machine of its own. */
static int by_machine(const void *a, const void *b)
{
    const struct smc_merge_report *s = *(struct smc_merge_report *const *)a;
    const struct smc_merge_report *t = *(struct smc_merge_report *const *)b;
    int order = strcmp(s->host, t->host);
    if (order == 0)
        order = strcmp(s->gpu_uuid, t->gpu_uuid);
    if (order == 0 && !s->gpu_uuid[0])
        order = strcmp(s->device, t->device);
    if (order == 0 && !s->host[0] && !s->gpu_uuid[0])
        order = compare_sizes(s->index, t->index);
    return order;
}

/* Who gives no name may be another machine that saw the same. */
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

/* Questions in the order in which they were first read, GPUs that failed last; the reports of one
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

/* Numbers groups by the lowest index in each. */
static void number(struct smc_merge_report **reports, size_t count,
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

/* Puts them last; how many are left. */
static size_t leave_out_copies(struct smc_merge_report **reports, size_t count)
{
    size_t kept = 0;
    number(reports, count, by_contents, assign_original);
    for (size_t i = 0; i < count; i++)
        if (reports[i]->original == reports[i]->index) {
            struct smc_merge_report *copy = reports[kept];
            reports[kept++] = reports[i];
            reports[i] = copy;
        }
    qsort(&reports[kept], count - kept, sizeof *reports, by_id);
    return kept;
}

/* How many bytes of the UUIDs tell neighbours apart: "GPU-" and 8 digits, or all of them. */
static size_t uuid_chars(struct smc_merge_report *const *by_machine_sorted, size_t count)
{
    enum { SHORT = 12, ALL = 40 };
    for (size_t i = 1; i < count; i++) {
        const struct smc_merge_report *a = by_machine_sorted[i - 1], *b = by_machine_sorted[i];
        if (a->machine != b->machine && strcmp(a->host, b->host) == 0 && a->gpu_uuid[0] &&
            strncmp(a->gpu_uuid, b->gpu_uuid, SHORT) == 0)
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

/* --- Values ------------------------------------------------------------------------------------
 */

static int by_quantity(const void *a, const void *b)
{
    const struct smc_merged_value *s = a, *t = b;
    int order = compare_sizes(s->report->question_id, t->report->question_id);
    if (order == 0)
        order = strcmp(s->row->quantity, t->row->quantity);
    return order ? order : strcmp(s->row->unit, t->row->unit);
}

static int compare_numbers(struct smc_merge_number a, struct smc_merge_number b)
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
    if (order == 0 && smc_merge_is_rate(s->row))
        return strcmp(s->report->device, t->report->device);
    return order ? order
                 : compare_numbers(s->row->seen[SMC_MERGE_PREDICTED],
                                   t->row->seen[SMC_MERGE_PREDICTED]);
}

/* As they are shown: by question, quantities as in the longest reports, peers together.
 */
static int as_shown(const void *a, const void *b)
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

/* Makes the last place of each quantity that of all its values: reports with more rows have them in
   between. */
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
    qsort(values, count, sizeof *values, as_shown);
}

/* --- All together ------------------------------------------------------------------------------
 */

/* Takes the values of one quantity, the next peers and the next quantity of `out`. */
static void add_quantity(struct smc_merged *out, struct smc_merged_question *question,
                         struct smc_merged_value *values, size_t count, size_t *peers_used,
                         double *scratch)
{
    struct smc_merged_quantity *quantity = &question->quantity[question->quantity_count++];
    *quantity = (struct smc_merged_quantity){
        .name = values->row->quantity,
        .unit = values->row->unit,
        .is_rate = smc_merge_is_rate(values->row),
        .peers = &out->peers[*peers_used],
    };
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && by_peers(&values[i], &values[end]) == 0;)
            end++;
        struct smc_merged_peers *peers = &quantity->peers[quantity->peers_count++];
        *peers = (struct smc_merged_peers){.value = &values[i], .count = end - i};
    }
    *peers_used += quantity->peers_count;
    smc_merge_judge(quantity, scratch);
    out->quantities += quantity->verdict < SMC_MERGE_UNSEEN;
    out->disagreeing += quantity->verdict == SMC_MERGE_DISAGREE;
    out->differing += quantity->verdict == SMC_MERGE_DIFFERS;
    out->alone += quantity->verdict == SMC_MERGE_ALONE;
    out->outliers += quantity->verdict == SMC_MERGE_OUTLIER;
    out->unseen += quantity->verdict == SMC_MERGE_UNSEEN;
    out->not_compared += quantity->verdict == SMC_MERGE_NOT_COMPARED;
}

/* `values` are as shown: those of the first question first. */
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
    double *scratch = smc_calloc(rows + 1, sizeof *scratch);
    out->failed = smc_calloc(count + 1, sizeof(struct smc_merge_report *));
    out->question = smc_calloc(count + 1, sizeof *out->question);
    out->values = smc_calloc(rows + 1, sizeof *out->values);
    out->peers = smc_calloc(rows + 1, sizeof *out->peers);
    out->quantity_list = smc_calloc(rows + 1, sizeof *out->quantity_list);
    out->reports = (const struct smc_merge_report **)reports;
    if (!reports || !scratch || !out->failed || !out->question || !out->values || !out->peers ||
        !out->quantity_list) {
        free(scratch);
        return smc_out_of_memory(error);
    }
    for (size_t i = 0; i < count; i++)
        reports[i] = &merge->report[i];
    size_t kept = leave_out_copies(reports, count);
    out->all = merge->report;
    out->copy = &out->reports[kept];
    out->copy_count = count - kept;
    count = kept;
    number(reports, count, by_question, assign_question);
    number(reports, count, by_machine, assign_machine);
    out->machines = count_machines(reports, count);
    out->emulators = count_emulators(reports, count);
    out->uuid_chars = uuid_chars(reports, count);
    qsort(reports, count, sizeof *reports, by_id);
    add_questions(out, reports, count);
    size_t value_count = list_values(reports, count, out->values);
    settle_places(out->values, value_count);
    add_quantities(out, value_count, scratch);
    free(scratch);
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
