/* Reports of many GPUs: the verdict, then question by question what they saw. */
#include <math.h>
#include <string.h>

#include "base/numbers.h"
#include "report/layout.h"
#include "report/text_parts.h"

/* Of more sources than are shown in full only the first few are named. */
enum { VERDICT_WIDTH = 12, WIDEST_NAME = 40, SOURCES_IN_FULL = 4, SOURCES_NAMED = 3 };

static const enum smc_emphasis emphasis[] = {
    [SMC_MERGE_AGREE] = SMC_GOOD,         [SMC_MERGE_DISAGREE] = SMC_BAD,
    [SMC_MERGE_DIFFERS] = SMC_BAD,        [SMC_MERGE_OUTLIER] = SMC_BAD,
    [SMC_MERGE_ALONE] = SMC_PLAIN,        [SMC_MERGE_UNSEEN] = SMC_PLAIN,
    [SMC_MERGE_NOT_COMPARED] = SMC_PLAIN,
};

/* "node1 GPU-0f1e2d3c"; without either the place of its report. */
static void append_machine(const struct smc_merged *merged, const struct smc_merge_report *report,
                           struct smc_text *line)
{
    if (!report->host[0] && !report->gpu_uuid[0])
        smc_text_printf(line, "%s:%zu", report->file, report->line);
    else
        smc_text_printf(line, "%s" SMC_TIE "%.*s", report->host[0] ? report->host : "?",
                        (int)merged->uuid_chars,
                        report->gpu_uuid[0]             ? report->gpu_uuid
                        : smc_merge_is_emulator(report) ? "emulator"
                                                        : report->device);
}

static void append_number(double value, const char *unit, struct smc_text *line)
{
    smc_text_printf(line, smc_number_is_whole(value) ? "%.0f" : "%.4g", value);
    if (unit[0])
        smc_text_printf(line, SMC_TIE "%s", unit);
}

/* "8", or "API 8, measured 7" where they differ; and the prediction where that is another. */
static void append_seen(const struct smc_merge_row *row, struct smc_text *line)
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
        append_number(seen[i].value, row->unit, line);
        first = false;
    }
    if (same && best.present)
        append_number(best.value, row->unit, line);
    else if (same)
        smc_text_append(line, "not measured");
    if (seen[SMC_SOURCE_PREDICTED].present && !(same && seen->value == best.value)) {
        smc_text_append(line, " (predicted ");
        append_number(seen->value, row->unit, line);
        smc_text_append(line, ")");
    }
}

/* All saw one value, and another was predicted: they need not be named one by one. */
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

/* What most saw, or the range. */
static void append_common(const struct smc_merged_quantity *quantity,
                          const struct smc_merged_peers *peers, struct smc_text *line)
{
    const struct smc_reading *predicted = &peers->value->row->seen[SMC_SOURCE_PREDICTED];
    if (!peers->common.present && peers->value->row->words[0]) {
        smc_text_printf(line, "%s predicted", peers->value->row->words);
    } else if (!peers->common.present && !predicted->present) {
        smc_text_append(line, "-");
    } else if (!peers->common.present) {
        append_number(predicted->value, quantity->unit, line);
        smc_text_append(line, " predicted");
    } else if (!quantity->is_rate || peers->least == peers->most) {
        append_number(peers->common.value, quantity->unit, line);
        if (differ_alike(peers)) {
            smc_text_append(line, " (predicted ");
            append_number(predicted->value, quantity->unit, line);
            smc_text_append(line, ")");
        }
    } else {
        append_number(peers->least, "", line);
        smc_text_append(line, " to ");
        append_number(peers->most, quantity->unit, line);
        smc_text_append(line, ", median ");
        append_number(peers->common.value, "", line);
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
        append_seen(value->row, line);
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

/* Who saw nothing goes without saying where others did. */
static void write_quantity(const struct smc_merged *merged,
                           const struct smc_merged_quantity *quantity, size_t name_width,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0}, label = {0};
    for (size_t i = 0; i < quantity->peers_count; i++) {
        const struct smc_merged_peers *peers = &quantity->peers[i];
        if (peers->common.present || quantity->verdict == SMC_MERGE_UNSEEN)
            append_peers(quantity, peers, &line);
        append_odd(merged, quantity, peers, &line);
    }
    smc_text_printf(&label, "%-*s  %s", (int)name_width, quantity->name,
                    smc_merge_verdict_name(quantity->verdict));
    smc_layout_begin(out, style, emphasis[quantity->verdict]);
    smc_layout_paragraph(out, smc_text_string(&label), name_width + 2 + VERDICT_WIDTH + 2,
                         smc_text_string(&line), style->columns);
    smc_layout_end(out, style);
    smc_text_free(&line);
    smc_text_free(&label);
}

static size_t widest_name(const struct smc_merged_question *question)
{
    size_t widest = 0;
    for (size_t i = 0; i < question->quantity_count; i++) {
        size_t width = strlen(question->quantity[i].name);
        if (width > widest && width <= WIDEST_NAME)
            widest = width;
    }
    return widest;
}

static size_t sources_shown(size_t count, const struct smc_report_style *style)
{
    return style->verbose || count <= SOURCES_IN_FULL ? count : SOURCES_NAMED;
}

/* "and 197 more; --verbose names them all" */
static void write_fold(size_t count, const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text line = {0};
    if (count == sources_shown(count, style))
        return;
    smc_text_printf(&line, "and %zu more; --verbose names them all",
                    count - sources_shown(count, style));
    smc_text_line(out, style, "", &line);
    smc_text_free(&line);
}

static void write_machines(const struct smc_merged *merged,
                           const struct smc_merged_question *question,
                           const struct smc_report_style *style, struct smc_text *out)
{
    for (size_t i = 0; i < sources_shown(question->report_count, style); i++) {
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
        smc_text_line(out, style, i == 0 ? "seen by" : "", &line);
        smc_text_free(&line);
    }
    write_fold(question->report_count, style, out);
}

static bool has_strangers(const struct smc_merged_question *question)
{
    for (size_t i = 0; i < question->quantity_count; i++)
        if (!question->quantity[i].is_rate && question->quantity[i].peers_count > 1)
            return true;
    return false;
}

static void write_question(const struct smc_merged *merged,
                           const struct smc_merged_question *question,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text text = {0};
    smc_text_append_char(out, '\n', 1);
    smc_text_append(&text, question->text);
    smc_text_line(out, style, "question", &text);
    smc_text_free(&text);
    smc_text_append_char(out, '\n', 1);
    for (size_t i = 0; i < question->quantity_count; i++)
        write_quantity(merged, &question->quantity[i], widest_name(question), style, out);
    if (has_strangers(question))
        smc_layout_paragraph(out, "", 0,
                             "Counts are held against those of GPUs with the same compute "
                             "capability and prediction; others against their own prediction.",
                             style->columns);
    smc_text_append_char(out, '\n', 1);
    write_machines(merged, question, style, out);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
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
        smc_text_printf(line, "%zu GPU%s", gpus, plural(gpus));
    if (gpus > 0 && emulators > 0)
        smc_text_append(line, " and ");
    if (emulators > 0)
        smc_text_printf(line, "%zu emulator%s", emulators, plural(emulators));
    smc_text_append(line, ", ");
}

static void write_verdict(const struct smc_merged *merged, const struct smc_report_style *style,
                          struct smc_text *out)
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
                        plural(merged->failed_count));
    smc_layout_begin(out, style, emphasis_of(merged));
    smc_layout_paragraph(out, "", 0, smc_text_string(&line), style->columns);
    smc_layout_end(out, style);
    smc_text_free(&line);
}

static void write_copies(const struct smc_merged *merged, const struct smc_report_style *style,
                         struct smc_text *out)
{
    for (size_t i = 0; i < sources_shown(merged->copy_count, style); i++) {
        const struct smc_merge_report *copy = merged->copy[i];
        const struct smc_merge_report *original = &merged->all[copy->original];
        struct smc_text line = {0};
        append_machine(merged, copy, &line);
        smc_text_printf(&line, ": %s:%zu is %s:%zu again", copy->file, copy->line, original->file,
                        original->line);
        smc_text_line(out, style, "given twice", &line);
        smc_text_free(&line);
    }
    write_fold(merged->copy_count, style, out);
}

void smc_text_merge(const struct smc_merged *merged, const struct smc_report_style *style,
                    struct smc_text *out)
{
    write_verdict(merged, style, out);
    for (size_t i = 0; i < merged->failed_count; i++) {
        struct smc_text line = {0};
        append_machine(merged, merged->failed[i], &line);
        smc_text_printf(&line, ": %s (%s:%zu)", merged->failed[i]->error, merged->failed[i]->file,
                        merged->failed[i]->line);
        smc_text_line(out, style, "failed", &line);
        smc_text_free(&line);
    }
    write_copies(merged, style, out);
    for (size_t i = 0; i < merged->question_count; i++)
        write_question(merged, &merged->question[i], style, out);
}
