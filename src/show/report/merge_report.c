/* Reports of many GPUs, combined: the verdict, then for each question what they reported; as text,
   JSON and CSV. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

/* A line of the CSV. `quantity` and `value` are NULL for a GPU that failed. */
struct merge_line {
    const char *question;
    const struct smc_merged_quantity *quantity;
    const struct smc_merged_value *value;
    const struct smc_merge_report *report;
};

static struct smc_value merge_seen(const struct merge_line *line, enum smc_row_source source)
{
    const struct smc_merge_row *row = line->value ? line->value->row : NULL;
    if (row && source == SMC_SOURCE_PREDICTED && row->words[0])
        return smc_value_string(row->words);
    return smc_value_reading(row ? row->seen[source] : (struct smc_reading){.present = false});
}

static struct smc_value rank_of(const struct smc_merge_report *report)
{
    return SMC_VALUE_IF(report->rank >= 0, (uint64_t)report->rank);
}

#define LINE_FIELDS(FIELD)                                                                         \
    FIELD(NULL, "question", "", "in words", item->question)                                        \
    FIELD(NULL, "quantity", "", "what is compared", item->quantity ? item->quantity->name : NULL)  \
    FIELD(NULL, "unit", "", "its unit", item->quantity ? item->quantity->unit : NULL)              \
    FIELD("host", "host", "", "the machine's name", item->report->host)                            \
    FIELD("node", "node", "", "Slurm's name of it", item->report->node)                            \
    FIELD("rank", "rank", "", "of the process in its job", rank_of(item->report))                  \
    FIELD("gpu_uuid", "gpu_uuid", "", "as nvidia-smi prints it", item->report->gpu_uuid)           \
    FIELD(NULL, "device", "", "the GPU", item->report->device)                                     \
    FIELD(NULL, "compute_capability", "", "of the GPU", item->report->cc)                          \
    FIELD("predicted", "predicted", "", "by the model", merge_seen(item, SMC_SOURCE_PREDICTED))    \
    FIELD("api", "api", "", "the driver's answer", merge_seen(item, SMC_SOURCE_API))               \
    FIELD("emulated", "emulated", "", "counted by the emulator",                                   \
          merge_seen(item, SMC_SOURCE_EMULATED))                                                   \
    FIELD("measured", "measured", "", "on the GPU", merge_seen(item, SMC_SOURCE_MEASURED))         \
    FIELD(NULL, "verdict", "", "how the GPUs compare",                                             \
          smc_value_text(item->quantity ? smc_merge_verdict_name(item->quantity->verdict)          \
                                        : "failed"))                                               \
    FIELD("odd", "odd", "", "whether the value differs from the others or its prediction",         \
          smc_value_boolean(!item->value || item->value->odd))                                     \
    FIELD(NULL, "file", "", "that holds the report", item->report->file)                           \
    FIELD(NULL, "line", "", "where the report begins", item->report->line)                         \
    FIELD(NULL, "error", "", "why the GPU failed", item->report->error)
SMC_FIELD_TABLE(line_fields, struct merge_line, LINE_FIELDS)

#define REPORT_FIELDS(FIELD)                                                                       \
    FIELD("host", NULL, "", "the machine's name", item->host)                                      \
    FIELD("node", NULL, "", "Slurm's name of it", item->node)                                      \
    FIELD("rank", NULL, "", "of the process in its job", rank_of(item))                            \
    FIELD("gpu_uuid", NULL, "", "as nvidia-smi prints it", item->gpu_uuid)                         \
    FIELD("device", NULL, "", "the GPU", item->device)                                             \
    FIELD("compute_capability", NULL, "", "of the GPU", item->cc)                                  \
    FIELD("driver", NULL, "", "its version", item->driver)                                         \
    FIELD("file", NULL, "", "that holds the report", smc_value_text(item->file))                   \
    FIELD("line", NULL, "", "where the report begins", item->line)
SMC_FIELD_TABLE(report_fields, struct smc_merge_report, REPORT_FIELDS)

#define COUNT_FIELDS(FIELD)                                                                        \
    FIELD("machines", NULL, "", "GPUs and emulators", item->machines)                              \
    FIELD("emulators", NULL, "", "of these", item->emulators)                                      \
    FIELD("quantities", NULL, "", "compared", item->quantities)                                    \
    FIELD("disagreeing", NULL, "", "of these", item->disagreeing)                                  \
    FIELD("differing", NULL, "", "from the prediction", item->differing)                           \
    FIELD("alone", NULL, "", "reported by one GPU", item->alone)                                   \
    FIELD("outliers", NULL, "", "with outliers", item->outliers)                                   \
    FIELD("not_measured", NULL, "", "by any GPU", item->unseen)                                    \
    FIELD("not_compared", NULL, "", "may differ between machines", item->not_compared)             \
    FIELD("failed", NULL, "", "GPUs", item->failed_count)                                          \
    FIELD("given_twice", NULL, "", "reports", item->copy_count)
SMC_FIELD_TABLE(count_fields, struct smc_merged, COUNT_FIELDS)

/* --- Text: a quantity ------------------------------------------------------------------------- */

/* Of more reports than SOURCES_IN_FULL only the first few are listed. */
enum { VERDICT_WIDTH = 12, WIDEST_NAME = 40, SOURCES_IN_FULL = 4, SOURCES_NAMED = 3 };

static const enum smc_emphasis emphasis[] = {
    [SMC_MERGE_AGREE] = SMC_GOOD,         [SMC_MERGE_DISAGREE] = SMC_BAD,
    [SMC_MERGE_DIFFERS] = SMC_BAD,        [SMC_MERGE_OUTLIER] = SMC_BAD,
    [SMC_MERGE_ALONE] = SMC_PLAIN,        [SMC_MERGE_UNSEEN] = SMC_PLAIN,
    [SMC_MERGE_NOT_COMPARED] = SMC_PLAIN,
};

/* "node1 GPU-0f1e2d3c", or where the report is if it names neither. */
static void append_machine(const struct smc_merged *merged, const struct smc_merge_report *report,
                           struct smc_text *line)
{
    const char *host = smc_merge_host(report);
    if (!host[0] && !report->gpu_uuid[0])
        smc_text_printf(line, "%s:%zu", report->file, report->line);
    else
        smc_text_printf(line, "%s" SMC_TIE "%.*s", host[0] ? host : "?", (int)merged->uuid_chars,
                        report->gpu_uuid[0]             ? report->gpu_uuid
                        : smc_merge_is_emulator(report) ? "emulator"
                                                        : report->device);
    if (!report->gpu_uuid[0] && report->rank >= 0)
        smc_text_printf(line, " of rank" SMC_TIE "%d", (int)report->rank);
}

static void merge_append_number(double value, const char *unit, struct smc_text *line)
{
    smc_text_printf(line, smc_number_is_whole(value) ? "%.0f" : "%.4g", value);
    if (unit[0])
        smc_text_printf(line, SMC_TIE "%s", unit);
}

static void append_predicted(double value, const char *unit, struct smc_text *line)
{
    smc_text_append(line, " (predicted ");
    merge_append_number(value, unit, line);
    smc_text_append(line, ")");
}

/* "8", or "API 8, measured 7" if they differ; with the prediction if that differs. */
static void merge_append_seen(const struct smc_merge_row *row, struct smc_text *line)
{
    static const char *const names[SMC_SOURCE_COUNT] = {"", "API ", "emulated ", "measured "};
    const struct smc_reading *seen = row->seen, best = smc_merge_seen(row);
    bool same = true, first = true;
    for (int i = SMC_SOURCE_API; i < SMC_SOURCE_COUNT; i++)
        same &= !seen[i].present || seen[i].value == best.value;
    for (int i = SMC_SOURCE_API; i < SMC_SOURCE_COUNT && !same; i++) {
        if (!seen[i].present)
            continue;
        smc_text_printf(line, "%s%s", first ? "" : ", ", names[i]);
        merge_append_number(seen[i].value, row->unit, line);
        first = false;
    }
    if (same && best.present)
        merge_append_number(best.value, row->unit, line);
    else if (same)
        smc_text_append(line, "not measured");
    if (seen[SMC_SOURCE_PREDICTED].present && !(same && seen->value == best.value))
        append_predicted(seen->value, row->unit, line);
}

/* All report one value, which differs from the prediction: the machines need no list. */
static bool differ_alike(const struct smc_merged_peers *peers)
{
    for (size_t i = 0; i < peers->count; i++) {
        const struct smc_merge_row *row = peers->value[i].row;
        for (int k = SMC_SOURCE_API; k < SMC_SOURCE_COUNT; k++)
            if (row->seen[k].present && row->seen[k].value != peers->common.value)
                return false;
        if (!row->differs || !row->seen[SMC_SOURCE_PREDICTED].present)
            return false;
    }
    return true;
}

/* What most report, or the range. */
static void append_common(const struct smc_merged_quantity *quantity,
                          const struct smc_merged_peers *peers, struct smc_text *line)
{
    const struct smc_reading *predicted = &peers->value->row->seen[SMC_SOURCE_PREDICTED];
    if (!peers->common.present && peers->value->row->words[0]) {
        smc_text_printf(line, "%s predicted", peers->value->row->words);
    } else if (!peers->common.present && !predicted->present) {
        smc_text_append(line, "-");
    } else if (!peers->common.present) {
        merge_append_number(predicted->value, quantity->unit, line);
        smc_text_append(line, " predicted");
    } else if (!quantity->is_rate || peers->least == peers->most) {
        merge_append_number(peers->common.value, quantity->unit, line);
        if (differ_alike(peers))
            append_predicted(predicted->value, quantity->unit, line);
    } else {
        merge_append_number(peers->least, "", line);
        smc_text_append(line, " to ");
        merge_append_number(peers->most, quantity->unit, line);
        smc_text_append(line, ", median ");
        merge_append_number(peers->common.value, "", line);
    }
}

static void append_odd(const struct smc_merged *merged, const struct smc_merged_quantity *quantity,
                       const struct smc_merged_peers *peers, struct smc_text *line)
{
    bool alike = differ_alike(peers);
    for (size_t i = 0; i < peers->count; i++) {
        const struct smc_merged_value *value = &peers->value[i];
        if (!value->odd || alike)
            continue;
        smc_text_append(line, "; ");
        append_machine(merged, value->report, line);
        smc_text_append(line, ": ");
        merge_append_seen(value->row, line);
        double seen = smc_merge_seen(value->row).value, median = peers->common.value;
        if (quantity->is_rate && median != 0)
            smc_text_printf(line, " (%+.0f" SMC_TIE "%%)", 100 * (seen - median) / fabs(median));
    }
}

static void append_peers(const struct smc_merged_quantity *quantity,
                         const struct smc_merged_peers *peers, struct smc_text *line)
{
    smc_text_append(line, line->length ? "; " : "");
    append_common(quantity, peers, line);
    if (quantity->peers_count == 1)
        return;
    if (quantity->is_rate)
        smc_text_printf(line, " on %zu %s", peers->count, peers->value->report->device);
    else
        smc_text_printf(line, " on %zu of CC" SMC_TIE "%s", peers->count, peers->value->report->cc);
}

/* Machines without a value are omitted if others have one. */
static void write_quantity(const struct smc_merged *merged,
                           const struct smc_merged_quantity *quantity, size_t name_width,
                           struct smc_text *out)
{
    smc_auto_text line = {0}, label = {0};
    for (size_t i = 0; i < quantity->peers_count; i++) {
        const struct smc_merged_peers *peers = &quantity->peers[i];
        if (peers->common.present || quantity->verdict == SMC_MERGE_UNSEEN)
            append_peers(quantity, peers, &line);
        append_odd(merged, quantity, peers, &line);
    }
    smc_text_printf(&label, "%-*s  %s", (int)name_width, quantity->name,
                    smc_merge_verdict_name(quantity->verdict));
    smc_layout_begin(out, emphasis[quantity->verdict]);
    smc_layout_paragraph(out, smc_text_string(&label), name_width + 2 + VERDICT_WIDTH + 2,
                         smc_text_string(&line), out->style->columns);
    smc_layout_end(out);
}

static size_t merge_widest_name(const struct smc_merged_question *question)
{
    size_t widest = 0;
    for (size_t i = 0; i < question->quantity_count; i++) {
        size_t width = strlen(question->quantity[i].name);
        if (width > widest && width <= WIDEST_NAME)
            widest = width;
    }
    return widest;
}

/* --- Text: a question and the whole ----------------------------------------------------------- */

static size_t sources_shown(size_t count, const struct smc_report_style *style)
{
    return style->verbose || count <= SOURCES_IN_FULL ? count : SOURCES_NAMED;
}

static void write_sources(const struct smc_merged *merged,
                          const struct smc_merged_question *question, struct smc_text *out)
{
    for (size_t i = 0; i < sources_shown(question->report_count, out->style); i++) {
        const struct smc_merge_report *report = question->report[i];
        bool again = i > 0 && report->machine == question->report[i - 1]->machine;
        struct smc_text line = {0};
        append_machine(merged, report, &line);
        smc_text_printf(&line, ": %s, CC" SMC_TIE "%s", report->device, report->cc);
        if (report->driver[0])
            smc_text_printf(&line, ", driver for CUDA" SMC_TIE "%s", report->driver);
        smc_text_printf(&line, " (%s:%zu)%s", report->file, report->line,
                        again                     ? ", reported before"
                        : question->machines == 1 ? ", alone"
                                                  : "");
        smc_layout_line(out, i == 0 ? "reported by" : "", &line);
    }
    smc_layout_folded(out,
                      question->report_count - sources_shown(question->report_count, out->style));
}

static bool has_other_devices(const struct smc_merged_question *question)
{
    for (size_t i = 0; i < question->quantity_count; i++)
        if (!question->quantity[i].is_rate && question->quantity[i].peers_count > 1)
            return true;
    return false;
}

static void write_question(const struct smc_merged *merged,
                           const struct smc_merged_question *question, struct smc_text *out)
{
    smc_text_append_char(out, '\n', 1);
    smc_layout_say(out, "question", "%s", question->text);
    smc_text_append_char(out, '\n', 1);
    for (size_t i = 0; i < question->quantity_count; i++)
        write_quantity(merged, &question->quantity[i], merge_widest_name(question), out);
    if (has_other_devices(question))
        smc_layout_paragraph(out, "", 0,
                             "Counts are compared with those of GPUs with the same compute "
                             "capability and prediction; others with their own prediction.",
                             out->style->columns);
    smc_text_append_char(out, '\n', 1);
    write_sources(merged, question, out);
}

static enum smc_emphasis emphasis_of(const struct smc_merged *merged)
{
    if (merged->disagreeing + merged->differing + merged->failed_count > 0)
        return SMC_BAD;
    return merged->alone < merged->quantities ? SMC_GOOD : SMC_PLAIN;
}

/* "2 GPUs and 1 emulator, " */
static void append_counted(const struct smc_merged *merged, struct smc_text *line)
{
    size_t emulators = merged->emulators, gpus = merged->machines - emulators;
    if (gpus > 0)
        smc_text_printf(line, "%zu GPU%s", gpus, smc_text_plural(gpus));
    if (gpus > 0 && emulators > 0)
        smc_text_append(line, " and ");
    if (emulators > 0)
        smc_text_printf(line, "%zu emulator%s", emulators, smc_text_plural(emulators));
    smc_text_append(line, ", ");
}

static void merge_write_verdict(const struct smc_merged *merged, struct smc_text *out)
{
    size_t worst = merged->disagreeing ? merged->disagreeing : merged->differing;
    bool all_alone = merged->alone == merged->quantities;
    struct smc_text line = {0};
    smc_text_printf(&line, "%s%s: ", smc_merged_verdict_name(merged),
                    worst > merged->disagreeing ? " from the prediction" : "");
    append_counted(merged, &line);
    if (merged->question_count > 1)
        smc_text_printf(&line, "%zu questions, ", merged->question_count);
    if (worst > 0)
        smc_text_printf(&line, "%zu of ", worst);
    smc_text_printf(&line, "%zu quantit%s", merged->quantities,
                    merged->quantities == 1 ? "y" : "ies");
    if (merged->disagreeing > 0 && merged->differing > 0)
        smc_text_printf(&line, ", %zu differ%s from the prediction", merged->differing,
                        merged->differing == 1 ? "s" : "");
    if (all_alone && merged->quantities > 0)
        smc_text_append(&line, ", no others to compare with");
    else if (merged->alone > 0)
        smc_text_printf(&line, ", %zu alone", merged->alone);
    if (merged->outliers > 0)
        smc_text_printf(&line, ", %zu with outliers", merged->outliers);
    if (merged->failed_count > 0)
        smc_text_printf(&line, "; %zu GPU%s failed", merged->failed_count,
                        smc_text_plural(merged->failed_count));
    smc_layout_verdict(out, emphasis_of(merged), &line);
}

static void write_copies(const struct smc_merged *merged, struct smc_text *out)
{
    for (size_t i = 0; i < sources_shown(merged->copy_count, out->style); i++) {
        const struct smc_merge_report *copy = merged->copy[i];
        const struct smc_merge_report *original = &merged->all[copy->original];
        struct smc_text line = {0};
        append_machine(merged, copy, &line);
        smc_text_printf(&line, ": %s:%zu repeats %s:%zu", copy->file, copy->line, original->file,
                        original->line);
        smc_layout_line(out, "given twice", &line);
    }
    smc_layout_folded(out, merged->copy_count - sources_shown(merged->copy_count, out->style));
}

static void merge_write_runs(const struct smc_merged *merged, struct smc_text *out)
{
    merge_write_verdict(merged, out);
    for (size_t i = 0; i < merged->failed_count; i++) {
        struct smc_text line = {0};
        append_machine(merged, merged->failed[i], &line);
        smc_text_printf(&line, ": %s (%s:%zu)", merged->failed[i]->error, merged->failed[i]->file,
                        merged->failed[i]->line);
        smc_layout_line(out, "failed", &line);
    }
    write_copies(merged, out);
    for (size_t i = 0; i < merged->question_count; i++)
        write_question(merged, &merged->question[i], out);
}

void smc_text_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                    struct smc_text *out)
{
    if (fleet)
        smc_text_fleet(fleet, out);
    if (fleet && merged)
        smc_text_append(out, "\n");
    if (merged)
        merge_write_runs(merged, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *machine_list(const struct smc_merged_question *question)
{
    json_t *list = json_array();
    for (size_t i = 0; i < question->report_count; i++) {
        const struct smc_merge_report *report = question->report[i];
        bool again = i > 0 && report->machine == question->report[i - 1]->machine;
        json_t *object = smc_fields_object(&report_fields, report);
        smc_json_set(object, "reported_before", json_boolean(again));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *peers_object(const struct smc_merged_quantity *quantity,
                            const struct smc_merged_peers *peers)
{
    json_t *object = json_object(), *values = json_array();
    smc_json_known_string(object, "compute_capability", peers->value->report->cc);
    smc_json_set(object, quantity->is_rate ? "median" : "common",
                 peers->common.present ? smc_json_number(peers->common.value) : json_null());
    if (quantity->is_rate && peers->common.present) {
        smc_json_real(object, "least", peers->least);
        smc_json_real(object, "most", peers->most);
    }
    for (size_t i = 0; i < peers->count; i++) {
        const struct smc_merged_value *value = &peers->value[i];
        const struct merge_line line = {NULL, quantity, value, value->report};
        json_array_append_new(values, smc_fields_object(&line_fields, &line));
    }
    smc_json_set(object, "values", values);
    return object;
}

static json_t *quantity_object(const struct smc_merged_quantity *quantity)
{
    json_t *object = json_object(), *peers = json_array();
    smc_json_string(object, "quantity", quantity->name);
    smc_json_string(object, "unit", quantity->unit);
    smc_json_string(object, "verdict", smc_merge_verdict_name(quantity->verdict));
    for (size_t i = 0; i < quantity->peers_count; i++)
        json_array_append_new(peers, peers_object(quantity, &quantity->peers[i]));
    smc_json_set(object, "peers", peers);
    return object;
}

static json_t *question_object(const struct smc_merged_question *question)
{
    json_t *object = json_object(), *list = json_array();
    smc_json_string(object, "question", question->text);
    smc_json_set(object, "machines", machine_list(question));
    for (size_t i = 0; i < question->quantity_count; i++)
        json_array_append_new(list, quantity_object(&question->quantity[i]));
    smc_json_set(object, "quantities", list);
    return object;
}

static json_t *copy_object(const struct smc_merged *merged, const struct smc_merge_report *copy)
{
    const struct smc_merge_report *original = &merged->all[copy->original];
    json_t *object = smc_fields_object(&report_fields, copy), *first = json_object();
    smc_json_string(first, "file", original->file);
    smc_json_integer(first, "line", original->line);
    smc_json_set(object, "first", first);
    return object;
}

void smc_json_merge(json_t *object, const struct smc_merged *merged, const struct smc_fleet *fleet)
{
    if (fleet)
        smc_json_set(object, "checks", smc_json_fleet(fleet));
    if (!merged)
        return;
    json_t *questions = json_array(), *failed = json_array(), *copies = json_array();
    smc_json_string(object, "verdict", smc_merged_verdict_name(merged));
    smc_json_set(object, "count", smc_fields_object(&count_fields, merged));
    for (size_t i = 0; i < merged->question_count; i++)
        json_array_append_new(questions, question_object(&merged->question[i]));
    smc_json_set(object, "questions", questions);
    for (size_t i = 0; i < merged->failed_count; i++) {
        json_t *machine = smc_fields_object(&report_fields, merged->failed[i]);
        smc_json_string(machine, "error", merged->failed[i]->error);
        json_array_append_new(failed, machine);
    }
    smc_json_set(object, "failed", failed);
    for (size_t i = 0; i < merged->copy_count; i++)
        json_array_append_new(copies, copy_object(merged, merged->copy[i]));
    smc_json_set(object, "given_twice", copies);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void append_quantity(const char *question, const struct smc_merged_quantity *quantity,
                            struct smc_text *out)
{
    for (size_t p = 0; p < quantity->peers_count; p++)
        for (size_t v = 0; v < quantity->peers[p].count; v++) {
            const struct smc_merged_value *value = &quantity->peers[p].value[v];
            const struct merge_line line = {question, quantity, value, value->report};
            smc_fields_csv_row(&line_fields, &line, out);
        }
}

void smc_csv_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                   struct smc_text *out)
{
    if (fleet) {
        smc_csv_fleet(fleet, out);
        return;
    }
    smc_fields_csv_head(&line_fields, out);
    for (size_t q = 0; q < merged->question_count; q++) {
        const struct smc_merged_question *question = &merged->question[q];
        for (size_t i = 0; i < question->quantity_count; i++)
            append_quantity(question->text, &question->quantity[i], out);
    }
    for (size_t i = 0; i < merged->failed_count; i++) {
        const struct merge_line line = {.report = merged->failed[i]};
        smc_fields_csv_row(&line_fields, &line, out);
    }
}
