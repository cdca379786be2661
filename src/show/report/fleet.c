/* Check reports of many GPUs, combined: the verdict, the nodes to drain, the GPUs that are slow; as
   text, JSON, CSV and OpenMetrics, and as what Slurm's commands take. */

#include <stdio.h>
#include <stdlib.h>

#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

/* A line of the CSV, and an element of a list in JSON: a node to drain, a GPU that is not healthy,
   or a straggler. What does not apply is NULL. */
struct fleet_line {
    const struct smc_checks *checks;
    const char *state, *node, *reason;
    const struct smc_checked_gpu *gpu;
    const struct smc_fleet_straggler *straggler;
};

static struct smc_value gpu_number(const struct fleet_line *line, int32_t number)
{
    return SMC_VALUE_IF(line->gpu && number >= 0, (uint64_t)number);
}

static const char *fleet_device_of(const struct fleet_line *line)
{
    return line->gpu ? smc_checks_text(line->checks, line->checks->board[line->gpu->board].name)
                     : NULL;
}

/* A figure that was kept as a float, without digits that it does not have. */
static double fleet_rounded(double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.7g", value);
    return strtod(digits, NULL);
}

/* A member of the straggler, or unknown. */
static struct smc_value slow_number(const struct fleet_line *line, double number)
{
    return SMC_VALUE_IF(line->straggler, smc_value_number(fleet_rounded(number)));
}

#define OF_GPU(member)  (item->gpu ? item->gpu->member : 0)
#define OF_SLOW(member) (item->straggler ? item->straggler->member : 0)

#define DRAIN_FIELDS(FIELD)                                                                        \
    FIELD("node", NULL, "", "Slurm's name, or the host's", item->node)                             \
    FIELD("state", NULL, "", "drain, or no_report", smc_value_text(item->state))                   \
    FIELD("reason", NULL, "", "in words, safe in a shell", item->reason)
SMC_FIELD_TABLE(drain_fields, struct fleet_line, DRAIN_FIELDS)

#define LINE_FIELDS(FIELD)                                                                         \
    FIELD(NULL, "state", "", "drain, no_report, differs, failed or slow",                          \
          smc_value_text(item->state))                                                             \
    FIELD("node", "node", "", "Slurm's name, or the host's", item->node)                           \
    FIELD("gpu_index", "gpu_index", "", "on its node", gpu_number(item, OF_GPU(gpu_index)))        \
    FIELD("gpu_uuid", "gpu_uuid", "", "as nvidia-smi prints it",                                   \
          smc_value_string(item->gpu ? smc_checks_text(item->checks, OF_GPU(uuid)) : NULL))        \
    FIELD("rank", "rank", "", "of the process that reported", gpu_number(item, OF_GPU(rank)))      \
    FIELD("device", "device", "", "the GPU", fleet_device_of(item))                                \
    FIELD("verdict", NULL, "", "of its check",                                                     \
          item->gpu ? smc_checked_names[item->gpu->health] : NULL)                                 \
    FIELD("reason", "reason", "", "in words", item->reason)                                        \
    FIELD("figure", "figure", "", "that is low",                                                   \
          item->straggler ? smc_check_figures[item->straggler->figure].key : NULL)                 \
    FIELD("value", "value", "", "of the figure", slow_number(item, OF_SLOW(value)))                \
    FIELD("median", "median", "", "of its peers", slow_number(item, OF_SLOW(median)))              \
    FIELD("slower_percent", "slower_percent", "percent", "than the median",                        \
          slow_number(item, 100 * OF_SLOW(slower)))                                                \
    FIELD("line", "line", "", "where the report is", SMC_VALUE_IF(item->gpu, OF_GPU(line)))
SMC_FIELD_TABLE(line_fields, struct fleet_line, LINE_FIELDS)

#define COUNT_FIELDS(FIELD)                                                                        \
    FIELD("gpus", NULL, "", "that were checked", item->gpus)                                       \
    FIELD("healthy", NULL, "", "of these", item->health[SMC_CHECKED_HEALTHY])                      \
    FIELD("differing", NULL, "", "of these", item->health[SMC_CHECKED_DIFFERS])                    \
    FIELD("failed", NULL, "", "of these", item->health[SMC_CHECKED_FAILED])                        \
    FIELD("nodes", NULL, "", "that reported", item->nodes)                                         \
    FIELD("nodes_to_drain", NULL, "", "with those in no_report", item->drain_count)                \
    FIELD("nodes_without_report", NULL, "", "of those expected", item->missing)                    \
    FIELD("nodes_not_expected", NULL, "", "that reported", item->unexpected)                       \
    FIELD("stragglers", NULL, "", "GPUs", item->straggling_gpus)                                   \
    FIELD("reports", NULL, "", "lines", item->checks->reports)                                     \
    FIELD("repeated", NULL, "", "reports of a GPU that had reported", item->checks->repeated)
SMC_FIELD_TABLE(count_fields, struct smc_fleet, COUNT_FIELDS)

#define SPREAD_FIELDS(FIELD)                                                                       \
    FIELD("figure", NULL, "", "with its unit",                                                     \
          smc_value_text(smc_check_figures[item->figure].key))                                     \
    FIELD("mig", NULL, "", "whether these are parts of GPUs", item->board->mig)                    \
    FIELD("gpus", NULL, "", "that have it", item->peers.count)                                     \
    FIELD("least", NULL, "", "", smc_value_number(fleet_rounded(item->peers.least)))               \
    FIELD("median", NULL, "", "", smc_value_number(fleet_rounded(item->peers.median)))             \
    FIELD("most", NULL, "", "", smc_value_number(fleet_rounded(item->peers.most)))                 \
    FIELD("limit_percent", NULL, "percent", "slower is a straggler",                               \
          SMC_VALUE_IF(item->peers.limit > 0,                                                      \
                       smc_value_number(fleet_rounded(100 * item->peers.limit))))                  \
    FIELD("stragglers", NULL, "", "GPUs", item->stragglers)
SMC_FIELD_TABLE(spread_fields, struct smc_fleet_spread, SPREAD_FIELDS)

/* --- Lines ------------------------------------------------------------------------------------ */

static struct fleet_line drain_line(const struct smc_fleet *fleet, size_t i)
{
    bool silent = i >= fleet->drain_count - fleet->silent;
    return (struct fleet_line){.checks = fleet->checks,
                               .state = silent ? "no_report" : "drain",
                               .node = fleet->drain[i].node,
                               .reason = fleet->drain[i].reason};
}

static struct fleet_line gpu_line(const struct smc_fleet *fleet, const struct smc_checked_gpu *gpu)
{
    const struct smc_checks *checks = fleet->checks;
    return (struct fleet_line){.checks = checks,
                               .state = smc_checked_names[gpu->health],
                               .node = smc_checks_text(checks, checks->node[gpu->node].name),
                               .reason = smc_checks_text(checks, gpu->fault),
                               .gpu = gpu};
}

static struct fleet_line straggler_line(const struct smc_fleet *fleet, size_t i)
{
    struct fleet_line line = gpu_line(fleet, fleet->straggler[i].gpu);
    line.state = "slow";
    line.straggler = &fleet->straggler[i];
    return line;
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { MOST_SHOWN = 20 };

static void append_nodes(size_t count, const char *after, struct smc_text *out)
{
    smc_words_number(count, out);
    smc_text_printf(out, " node%s %s", smc_text_plural(count), after);
}

static void fleet_write_verdict(const struct smc_fleet *fleet, struct smc_text *out)
{
    bool whole = fleet->health[SMC_CHECKED_HEALTHY] == fleet->gpus && fleet->gpus > 0;
    struct smc_text line = {0};
    smc_words_number(fleet->health[SMC_CHECKED_HEALTHY], &line);
    smc_text_append(&line, " of ");
    smc_words_number(fleet->gpus, &line);
    smc_text_printf(&line, " GPU%s healthy", smc_text_plural(fleet->gpus));
    if (fleet->drain_count > 0) {
        smc_text_append(&line, "; ");
        append_nodes(fleet->drain_count, "to drain", &line);
    }
    if (fleet->silent > 0) {
        smc_text_append(&line, " (");
        smc_words_number(fleet->silent, &line);
        smc_text_append(&line, " without a report)");
    } else if (fleet->missing > 0) {
        smc_text_append(&line, "; ");
        append_nodes(fleet->missing, "without a report", &line);
    }
    if (fleet->straggling_gpus > 0) {
        smc_text_append(&line, "; ");
        smc_words_number(fleet->straggling_gpus, &line);
        smc_text_printf(&line, " straggler%s", smc_text_plural(fleet->straggling_gpus));
    }
    smc_layout_verdict(out, whole && fleet->drain_count + fleet->missing == 0 ? SMC_GOOD : SMC_BAD,
                       &line);
}

static size_t shown(size_t count, const struct smc_report_style *style)
{
    return style->verbose || count <= MOST_SHOWN ? count : MOST_SHOWN - 1;
}

static void write_drains(const struct smc_fleet *fleet, struct smc_text *out)
{
    size_t count = fleet->drain_count - fleet->silent;
    for (size_t i = 0; i < shown(count, out->style); i++)
        smc_layout_say(out, i == 0 ? "drain" : "", "%s: %s", fleet->drain[i].node,
                       fleet->drain[i].reason);
    smc_layout_folded(out, count - shown(count, out->style));
}

static void fleet_append_value(enum smc_check_figure figure, double value, struct smc_text *out)
{
    const struct smc_check_figure_kind *kind = &smc_check_figures[figure];
    smc_text_printf(out, "%.4g" SMC_TIE "%s", value / kind->scale, kind->unit);
}

static void write_stragglers(const struct smc_fleet *fleet, struct smc_text *out)
{
    for (size_t i = 0; i < shown(fleet->straggler_count, out->style); i++) {
        const struct smc_fleet_straggler *straggler = &fleet->straggler[i];
        const struct fleet_line of = straggler_line(fleet, i);
        const char *uuid = smc_checks_text(fleet->checks, of.gpu->uuid);
        struct smc_text line = {0};
        smc_text_append(&line, of.node);
        if (of.gpu->gpu_index >= 0)
            smc_text_printf(&line, " GPU" SMC_TIE "%d", (int)of.gpu->gpu_index);
        if (uuid[0])
            smc_text_printf(&line, " %s", uuid);
        smc_text_printf(&line, ": %s ", smc_check_figures[straggler->figure].label);
        fleet_append_value(straggler->figure, straggler->value, &line);
        smc_text_printf(&line, ", %.1f" SMC_TIE "%% slower than the median, ",
                        100 * straggler->slower);
        fleet_append_value(straggler->figure, straggler->median, &line);
        smc_layout_line(out, i == 0 ? "stragglers" : "", &line);
    }
    smc_layout_folded(out, fleet->straggler_count - shown(fleet->straggler_count, out->style));
}

static void write_spread(const struct smc_fleet *fleet, const struct smc_fleet_spread *spread,
                         bool first, struct smc_text *out)
{
    const struct smc_check_figure_kind *kind = &smc_check_figures[spread->figure];
    const char *board = smc_checks_text(fleet->checks, spread->board->name);
    struct smc_text line = {0};
    smc_text_printf(&line, "%s %.4g to ", kind->label, spread->peers.least / kind->scale);
    fleet_append_value(spread->figure, spread->peers.most, &line);
    smc_text_printf(&line, ", median %.4g, on ", spread->peers.median / kind->scale);
    smc_words_number(spread->peers.count, &line);
    smc_text_printf(&line, " %s%s", board[0] ? board : "GPUs", spread->board->mig ? " (MIG)" : "");
    if (spread->peers.limit > 0)
        smc_text_printf(&line, "; a straggler is more than %.1f" SMC_TIE "%% slower",
                        100 * spread->peers.limit);
    else
        smc_text_printf(&line, "; stragglers are told from %d GPUs on", SMC_FEWEST_PEERS);
    smc_layout_line(out, first ? "figures" : "", &line);
}

static void write_remarks(const struct smc_fleet *fleet, struct smc_text *out)
{
    if (fleet->checks->repeated > 0)
        smc_layout_say(out, "repeated",
                       "%zu report%s of a GPU that had reported before: its worst verdict and the "
                       "median of each figure count",
                       fleet->checks->repeated, smc_text_plural(fleet->checks->repeated));
    if (fleet->unexpected > 0)
        smc_layout_say(out, "unexpected", "%zu node%s reported that --expect does not name",
                       fleet->unexpected, smc_text_plural(fleet->unexpected));
}

void smc_text_fleet(const struct smc_fleet *fleet, struct smc_text *out)
{
    fleet_write_verdict(fleet, out);
    write_drains(fleet, out);
    write_stragglers(fleet, out);
    size_t count = shown(fleet->silent, out->style);
    struct smc_text line = {0};
    for (size_t i = 0; i < count; i++)
        smc_text_printf(&line, "%s%s", i ? ", " : "",
                        fleet->drain[fleet->drain_count - fleet->silent + i].node);
    smc_layout_line(out, "no report", &line);
    smc_layout_folded(out, fleet->silent - shown(fleet->silent, out->style));
    for (size_t i = 0; i < fleet->spread_count; i++)
        write_spread(fleet, &fleet->spread[i], i == 0, out);
    write_remarks(fleet, out);
}

/* --- JSON and CSV ----------------------------------------------------------------------------- */

static json_t *spread_object(const struct smc_fleet *fleet, const struct smc_fleet_spread *spread)
{
    json_t *object = json_object();
    smc_json_known_string(object, "device", smc_checks_text(fleet->checks, spread->board->name));
    smc_fields_json(&spread_fields, spread, object);
    return object;
}

json_t *smc_json_fleet(const struct smc_fleet *fleet)
{
    json_t *object = json_object(), *drain = json_array(), *gpus = json_array();
    json_t *stragglers = json_array(), *figures = json_array();
    smc_json_string(object, "verdict", smc_fleet_verdict_name(fleet));
    smc_json_set(object, "count", smc_fields_object(&count_fields, fleet));
    for (size_t i = 0; i < fleet->drain_count; i++) {
        const struct fleet_line line = drain_line(fleet, i);
        json_array_append_new(drain, smc_fields_object(&drain_fields, &line));
    }
    for (size_t i = 0; i < fleet->gpus; i++) {
        const struct fleet_line line = gpu_line(fleet, &fleet->checks->gpu[i]);
        if (line.gpu->health != SMC_CHECKED_HEALTHY)
            json_array_append_new(gpus, smc_fields_object(&line_fields, &line));
    }
    for (size_t i = 0; i < fleet->straggler_count; i++) {
        const struct fleet_line line = straggler_line(fleet, i);
        json_array_append_new(stragglers, smc_fields_object(&line_fields, &line));
    }
    for (size_t i = 0; i < fleet->spread_count; i++)
        json_array_append_new(figures, spread_object(fleet, &fleet->spread[i]));
    smc_json_set(object, "drain", drain);
    smc_json_set(object, "gpus", gpus);
    smc_json_set(object, "stragglers", stragglers);
    smc_json_set(object, "figures", figures);
    return object;
}

void smc_csv_fleet(const struct smc_fleet *fleet, struct smc_text *out)
{
    smc_fields_csv_head(&line_fields, out);
    for (size_t i = 0; i < fleet->drain_count; i++) {
        const struct fleet_line line = drain_line(fleet, i);
        smc_fields_csv_row(&line_fields, &line, out);
    }
    for (size_t i = 0; i < fleet->gpus; i++) {
        const struct fleet_line line = gpu_line(fleet, &fleet->checks->gpu[i]);
        if (line.gpu->health != SMC_CHECKED_HEALTHY)
            smc_fields_csv_row(&line_fields, &line, out);
    }
    for (size_t i = 0; i < fleet->straggler_count; i++) {
        const struct fleet_line line = straggler_line(fleet, i);
        smc_fields_csv_row(&line_fields, &line, out);
    }
}

/* --- For Slurm -------------------------------------------------------------------------------- */

void smc_fleet_exclude(const struct smc_fleet *fleet, struct smc_text *out)
{
    for (size_t i = 0; i < fleet->drain_count; i++)
        smc_text_printf(out, "%s%s", i ? "," : "", fleet->drain[i].node);
    if (fleet->drain_count > 0)
        smc_text_append(out, "\n");
}

void smc_fleet_drain_commands(const struct smc_fleet *fleet, struct smc_text *out)
{
    for (size_t i = 0; i < fleet->drain_count; i++)
        smc_text_printf(out, "scontrol update nodename=%s state=drain reason=\"smemcalc: %s\"\n",
                        fleet->drain[i].node, fleet->drain[i].reason);
}

/* --- OpenMetrics ------------------------------------------------------------------------------ */

static void write_counted(const char *name, const char *label, const char *value, size_t count,
                          struct smc_text *out)
{
    smc_text_append(out, name);
    if (label) {
        smc_openmetrics_label(label, value, true, out);
        smc_text_append(out, "}");
    }
    smc_text_printf(out, " %zu\n", count);
}

static void write_fleet_counts(const struct smc_fleet *fleet, struct smc_text *out)
{
    smc_openmetrics_family("smemcalc_fleet_gpus", NULL, "GPUs that were checked, by verdict.", out);
    for (int i = 0; i < SMC_CHECKED_COUNT; i++)
        write_counted("smemcalc_fleet_gpus", "verdict", smc_checked_names[i], fleet->health[i],
                      out);
    smc_openmetrics_family("smemcalc_fleet_nodes", NULL, "Nodes that reported.", out);
    write_counted("smemcalc_fleet_nodes", NULL, NULL, fleet->nodes, out);
    smc_openmetrics_family("smemcalc_fleet_nodes_to_drain", NULL, "Nodes to drain.", out);
    write_counted("smemcalc_fleet_nodes_to_drain", NULL, NULL, fleet->drain_count, out);
    smc_openmetrics_family("smemcalc_fleet_nodes_without_report", NULL,
                           "Expected nodes that did not report.", out);
    write_counted("smemcalc_fleet_nodes_without_report", NULL, NULL, fleet->missing, out);
    smc_openmetrics_family("smemcalc_fleet_stragglers", NULL, "GPUs slower than their peers.", out);
    write_counted("smemcalc_fleet_stragglers", NULL, NULL, fleet->straggling_gpus, out);
}

static void write_fleet_lists(const struct smc_fleet *fleet, struct smc_text *out)
{
    smc_openmetrics_family("smemcalc_fleet_drain", NULL,
                           "1 for each node to drain, with the reason.", out);
    for (size_t i = 0; i < fleet->drain_count; i++) {
        smc_text_append(out, "smemcalc_fleet_drain");
        smc_openmetrics_label("node", fleet->drain[i].node, true, out);
        smc_openmetrics_label("reason", fleet->drain[i].reason, false, out);
        smc_text_append(out, "} 1\n");
    }
    smc_openmetrics_family("smemcalc_fleet_straggler_ratio", NULL,
                           "By which share a GPU is slower than the median.", out);
    for (size_t i = 0; i < fleet->straggler_count; i++) {
        const struct fleet_line line = straggler_line(fleet, i);
        smc_text_append(out, "smemcalc_fleet_straggler_ratio");
        smc_openmetrics_label("node", line.node, true, out);
        smc_text_printf(out, ",gpu=\"%d\",rank=\"%d\"", (int)line.gpu->gpu_index,
                        (int)line.gpu->rank);
        smc_openmetrics_label("uuid", smc_checks_text(fleet->checks, line.gpu->uuid), false, out);
        smc_openmetrics_label("figure", smc_check_figures[line.straggler->figure].key, false, out);
        smc_text_printf(out, "} %.6g\n", line.straggler->slower);
    }
    smc_openmetrics_family("smemcalc_fleet_figure_median", NULL,
                           "The median of a figure over the GPUs of a board.", out);
    for (size_t i = 0; i < fleet->spread_count; i++) {
        const struct smc_fleet_spread *spread = &fleet->spread[i];
        smc_text_append(out, "smemcalc_fleet_figure_median");
        smc_openmetrics_label("device", smc_checks_text(fleet->checks, spread->board->name), true,
                              out);
        smc_text_printf(out, ",mig=\"%s\"", spread->board->mig ? "true" : "false");
        smc_openmetrics_label("figure", smc_check_figures[spread->figure].key, false, out);
        smc_text_printf(out, "} %.7g\n", spread->peers.median);
    }
}

static void write_merged(const struct smc_merged *merged, struct smc_text *out)
{
    const struct {
        enum smc_merge_verdict verdict;
        size_t count;
    } counts[] = {
        {SMC_MERGE_DISAGREE, merged->disagreeing}, {SMC_MERGE_DIFFERS, merged->differing},
        {SMC_MERGE_OUTLIER, merged->outliers},     {SMC_MERGE_ALONE, merged->alone},
        {SMC_MERGE_UNSEEN, merged->unseen},        {SMC_MERGE_NOT_COMPARED, merged->not_compared},
    };
    smc_openmetrics_family("smemcalc_merge_machines", NULL,
                           "GPUs and emulators whose runs were compared.", out);
    write_counted("smemcalc_merge_machines", NULL, NULL, merged->machines, out);
    smc_openmetrics_family("smemcalc_merge_failed", NULL, "GPUs whose run failed.", out);
    write_counted("smemcalc_merge_failed", NULL, NULL, merged->failed_count, out);
    smc_openmetrics_family("smemcalc_merge_quantities", NULL,
                           "Quantities of runs, by what is to be noted.", out);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        write_counted("smemcalc_merge_quantities", "verdict",
                      smc_merge_verdict_name(counts[i].verdict), counts[i].count, out);
}

void smc_openmetrics_merge(const struct smc_merged *merged, const struct smc_fleet *fleet,
                           struct smc_text *out)
{
    if (fleet) {
        write_fleet_counts(fleet, out);
        write_fleet_lists(fleet, out);
    }
    if (merged)
        write_merged(merged, out);
    smc_text_append(out, "# EOF\n");
}
