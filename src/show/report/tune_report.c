/* What tune found: the shapes by rank with their predicted and measured times, the winner, and how
   much a search of every shape would have gained; as text, JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/report/writers.h"

/* --- Fields ----------------------------------------------------------------------------------- */

struct tune_row {
    const struct smc_tune *tune;
    const struct smc_tune_shape *shape;
};

static bool tune_is_predicted(const struct tune_row *row)
{
    return row->shape->time.basis != SMC_TIME_UNKNOWN;
}

static struct smc_value tune_predicted(const struct tune_row *row, double ms)
{
    return SMC_VALUE_IF(tune_is_predicted(row), ms);
}

static struct smc_value tune_measured(const struct tune_row *row, double ms)
{
    return SMC_VALUE_IF(row->shape->measured, ms);
}

/* Unknown for a kernel that did not compile. */
static struct smc_value tune_compiled(const struct tune_row *row, uint64_t number)
{
    bool known = row->shape->state != SMC_TUNE_FAILED && row->shape->state != SMC_TUNE_WAITING;
    return SMC_VALUE_IF(known, number);
}

/* How much longer the prediction is than the measured time, in percent. */
static double error_of(const struct smc_tune_shape *shape)
{
    return shape->median_ms > 0 ? 100 * (shape->time.predicted_ms / shape->median_ms - 1) : NAN;
}

static struct smc_value error_value(const struct tune_row *row)
{
    bool known = tune_is_predicted(row) && row->shape->measured;
    return SMC_VALUE_IF(known, smc_value_number(error_of(row->shape)));
}

#define TUNE_FIELDS(FIELD)                                                                         \
    FIELD("rank", "rank", "", "by predicted time, from 1; unknown for a dropped shape",            \
          smc_value_known(item->shape->rank))                                                      \
    FIELD("state", "state", "",                                                                    \
          "predicted; repeated (predicted like another that differs only in the carve-out); "      \
          "unpredicted; or why it was dropped: refused, spills, same (as another: a carve-out "    \
          "that is rounded up to one size, or a macro that changes nothing), failed, "             \
          "not_compiled",                                                                          \
          smc_value_text(smc_tune_state_info[item->shape->state].name))                            \
    FIELD("reason", "reason", "", "why it was dropped, has no prediction, or failed to run",       \
          item->shape->why)                                                                        \
    FIELD("time.predicted_ms", "predicted_ms", "ms", "predicted time",                             \
          tune_predicted(item, item->shape->time.predicted_ms))                                    \
    FIELD("time.low_ms", "low_ms", "ms", "the lowest time of the prediction's range",              \
          tune_predicted(item, item->shape->time.low_ms))                                          \
    FIELD("time.high_ms", "high_ms", "ms", "the highest",                                          \
          tune_predicted(item, item->shape->time.high_ms))                                         \
    FIELD("time.bound_by", "bound_by", "", "what bounds the predicted time",                       \
          SMC_VALUE_IF(tune_is_predicted(item),                                                    \
                       smc_value_text(smc_time_term_info[item->shape->time.bound_by].key)))        \
    FIELD("measured.turn", "turn", "", "in which turn it was run, from 1",                         \
          smc_value_known(item->shape->turn))                                                      \
    FIELD("measured.median_ms", "measured_ms", "ms", "measured time, the median",                  \
          tune_measured(item, item->shape->median_ms))                                             \
    FIELD("measured.fastest_ms", "fastest_ms", "ms", "the fastest launch",                         \
          tune_measured(item, item->shape->fastest_ms))                                            \
    FIELD("measured.slowest_ms", "slowest_ms", "ms", "the slowest launch",                         \
          tune_measured(item, item->shape->slowest_ms))                                            \
    FIELD("measured.launches", "launches", "launches", "timed launches",                           \
          SMC_VALUE_IF(item->shape->measured, item->shape->timed_launches))                        \
    FIELD("measured.error_percent", "error_percent", "percent",                                    \
          "how much longer the prediction is than the measured time", error_value(item))           \
    FIELD("measured.correct", "correct", "",                                                       \
          "whether its result agrees with the reference, as far as it was compared",               \
          SMC_VALUE_IF(item->shape->tried && (item->shape->measured || item->shape->wrong),        \
                       smc_value_boolean(!item->shape->wrong)))                                    \
    FIELD("winner", "winner", "", "the fastest of those measured with a correct result",           \
          smc_value_boolean(item->shape == smc_tune_winner(item->tune)))                           \
    FIELD("threads_per_block", "threads", "threads", "the block size",                             \
          tune_compiled(item, item->shape->threads_per_block))                                     \
    FIELD("registers_per_thread", "registers", "registers", "registers per thread",                \
          tune_compiled(item, item->shape->regs_per_thread))                                       \
    FIELD("smem_bytes_per_block", "smem", "bytes", "shared memory per block",                      \
          tune_compiled(item, item->shape->smem_bytes_per_block))                                  \
    FIELD("spill_bytes", "spill_bytes", "bytes", "spilled to local memory and back",               \
          tune_compiled(item, item->shape->spill_bytes))                                           \
    FIELD("blocks_per_sm", "blocks_per_sm", "blocks", "resident blocks per SM",                    \
          tune_compiled(item, item->shape->blocks_per_sm))                                         \
    FIELD("occupancy_percent", "occupancy_percent", "percent", "occupancy",                        \
          SMC_VALUE_IF(item->shape->blocks_per_sm > 0, item->shape->percent))
SMC_FIELD_TABLE(tune_fields, struct tune_row, TUNE_FIELDS)

const struct smc_field_table smc_tune_tables[] = {
    {"tune", &tune_fields},
    {NULL, NULL},
};

/* The name of an axis in JSON and CSV: a macro's own, a parameter's with _ for -. */
static void axis_key(const struct smc_tune_axis *axis, char key[SMC_TUNE_NAME_CHARS])
{
    snprintf(key, SMC_TUNE_NAME_CHARS, "%s", axis->name);
    for (char *c = key; *c && axis->kind != SMC_TUNE_MACRO; c++)
        *c = *c == '-' ? '_' : *c;
}

/* --- Words ------------------------------------------------------------------------------------ */

/* What every shape shares: completed by the kernel with the values of the first. */
static void completed_query(const struct smc_tune *tune, const struct smc_tune_shape *shape,
                            struct smc_query *query)
{
    smc_tune_ask(tune, shape->value, query);
    if (query->kernel)
        query->kernel->complete(query->kernel, &query->params, NULL);
}

static uint32_t varied_params(const struct smc_tune *tune)
{
    uint32_t varied = 0;
    for (size_t i = 0; i < tune->axis_count; i++)
        if (tune->axis[i].kind == SMC_TUNE_PARAM)
            varied |= 1u << tune->axis[i].param;
    return varied;
}

void smc_words_tune_subject(const struct smc_tune *tune, struct smc_text *out)
{
    struct smc_query query;
    if (tune->source) {
        smc_text_printf(out, "%s%s%s", tune->entry ? tune->entry : "", tune->entry ? " of " : "",
                        tune->source);
        return;
    }
    completed_query(tune, &tune->shape[0], &query);
    smc_words_some_params(&query, varied_params(tune), out);
}

static void tune_words_kernel(const struct smc_tune *tune, struct smc_text *out)
{
    if (!tune->source)
        smc_text_printf(out, "%s: ", tune->query.kernel->name);
    smc_words_tune_subject(tune, out);
}

/* "block-m 32, 64, 128; stages 2, 3". */
static void words_axes(const struct smc_tune *tune, struct smc_text *out)
{
    for (size_t i = 0; i < tune->axis_count; i++) {
        const struct smc_tune_axis *axis = &tune->axis[i];
        smc_text_printf(out, "%s%s ", i ? "; " : "", axis->name);
        int64_t step = axis->count > 2 ? axis->value[1] - axis->value[0] : 0;
        bool even = axis->count > 8 && step > 0;
        for (size_t k = 1; k < axis->count; k++)
            even &= axis->value[k] - axis->value[k - 1] == step;
        if (even)
            smc_text_printf(out, "%" PRId64 " to %" PRId64 " by %" PRId64, axis->value[0],
                            axis->value[axis->count - 1], step);
        for (size_t k = 0; k < axis->count && !even; k++)
            smc_text_printf(out, "%s%" PRId64, k ? ", " : "", axis->value[k]);
    }
}

/* "792 of 2304 combinations are legal; 712 predicted, 12 that cannot launch, 68 with spilled
   registers". */
static void words_shapes(const struct smc_tune *tune, struct smc_text *out)
{
    smc_text_printf(out, "%zu", tune->count);
    if (tune->tried > tune->count)
        smc_text_printf(out, " of %" PRIu64 " combinations are legal", tune->tried);
    const char *gap = "; ";
    for (int i = 0; i < SMC_TUNE_STATE_COUNT; i++) {
        size_t count = smc_tune_state_count(tune, (enum smc_tune_state)i);
        if (count == 0)
            continue;
        smc_text_printf(out, "%s%zu %s", gap, count, smc_tune_state_info[i].meaning);
        gap = ", ";
    }
}

static const struct smc_tune_shape *first_rank(const struct smc_tune *tune)
{
    return tune->ranked ? &tune->shape[tune->order[0]] : NULL;
}

/* What the ranks are from, if no shape has a predicted time. */
static void words_ranks(const struct smc_tune *tune, struct smc_text *out)
{
    const struct smc_tune_shape *first = first_rank(tune);
    if (!first || first->state != SMC_TUNE_UNPREDICTED)
        return;
    smc_text_printf(out, "by occupancy, as no time is predicted: %s", first->why);
    if (tune->query.device.sm_count == 0)
        smc_text_append(out, "; --device with the name of a board has one");
}

static void words_measured(const struct smc_tune *tune, struct smc_text *out)
{
    size_t runs = smc_tune_run_count(tune);
    if (tune->not_measured[0]) {
        smc_text_printf(out, "nothing: %s", tune->not_measured);
        return;
    }
    smc_text_printf(out, "%zu of %zu shapes (%.3g" SMC_TIE "%%) on GPU %d", runs, tune->ranked,
                    tune->ranked ? 100.0 * (double)runs / (double)tune->ranked : 0,
                    tune->gpu_index);
    if (tune->cut_short)
        smc_text_append(out, ", then the search was stopped");
    double mean, worst;
    if (smc_tune_errors(tune, &mean, &worst))
        smc_text_printf(out,
                        "; the predictions are %.3g" SMC_TIE "%% off on average, %.3g" SMC_TIE
                        "%% at most",
                        100 * mean, 100 * worst);
}

/* "--block-m 128 --stages 3" or "-DTM=8". */
static void words_values(const struct smc_tune *tune, const struct smc_tune_shape *shape,
                         struct smc_text *out)
{
    for (size_t i = 0; i < tune->axis_count; i++) {
        bool macro = tune->axis[i].kind == SMC_TUNE_MACRO;
        smc_text_printf(out, "%s%s%s%s%" PRId64, i ? " " : "", macro ? "-D" : "--",
                        tune->axis[i].name, macro ? "=" : SMC_TIE, shape->value[i]);
    }
}

static void words_rate(const struct smc_tune *tune, double ms, struct smc_text *out)
{
    if (tune->flops > 0 && tune->fma > 0 && ms > 0)
        smc_text_printf(out, ", %.4g" SMC_TIE "TFLOP/s", tune->flops / ms / 1e9);
}

static void words_winner(const struct smc_tune *tune, struct smc_text *out)
{
    const struct smc_tune_shape *winner = smc_tune_winner(tune);
    if (winner) {
        words_values(tune, winner, out);
        smc_text_printf(out, ": %.4g" SMC_TIE "ms", winner->median_ms);
        words_rate(tune, winner->median_ms, out);
        smc_text_printf(out, "; rank %zu of the predictions", winner->rank);
    } else if (smc_tune_run_count(tune) > 0) {
        smc_text_append(out, "none: no shape that was run has a time and a correct result");
    }
}

/* ": occupancy 100 %, as 11 other shapes have". */
static void words_occupancy(const struct smc_tune *tune, const struct smc_tune_shape *first,
                            struct smc_text *out)
{
    char percent[32];
    size_t others = 0;
    for (size_t i = 1; i < tune->ranked; i++)
        others += tune->shape[tune->order[i]].percent == first->percent;
    smc_words_percent(first->percent, percent);
    smc_text_printf(out, ": occupancy %s", percent);
    if (others > 0)
        smc_text_printf(out, ", as %zu other shape%s", others, others == 1 ? " has" : "s have");
}

/* Without measurements: the first rank. */
static void words_favourite(const struct smc_tune *tune, struct smc_text *out)
{
    const struct smc_tune_shape *first = first_rank(tune);
    if (smc_tune_run_count(tune) > 0 || !first)
        return;
    words_values(tune, first, out);
    if (first->state == SMC_TUNE_PREDICTED) {
        smc_text_printf(out, ": %.4g" SMC_TIE "ms (%.4g to %.4g)", first->time.predicted_ms,
                        first->time.low_ms, first->time.high_ms);
        words_rate(tune, first->time.predicted_ms, out);
        smc_text_printf(out, "; predicted%s, not measured",
                        first->time.basis == SMC_TIME_SPECIFICATIONS ? " from specifications" : "");
    } else {
        words_occupancy(tune, first, out);
        smc_text_append(out, "; neither predicted nor measured");
    }
}

static void words_regret(const struct smc_tune *tune, struct smc_text *out)
{
    double regret = smc_tune_regret(tune, tune->wanted_first);
    if (!smc_tune_is_exhaustive(tune) || tune->wanted_first >= tune->ranked || regret < 0)
        return;
    const struct smc_tune_shape *first = smc_tune_fastest(tune, tune->wanted_first);
    smc_text_printf(out,
                    "the first %zu runs alone (%.3g" SMC_TIE "%% of the shapes) find %.4g" SMC_TIE
                    "ms, %.2g" SMC_TIE "%% more than the full search",
                    tune->wanted_first, 100.0 * (double)tune->wanted_first / (double)tune->ranked,
                    first->median_ms, 100 * regret);
}

/* The command that confirms the winner, or the favourite. */
static void words_command(const struct smc_tune *tune, struct smc_text *out)
{
    const struct smc_tune_shape *shape = smc_tune_winner(tune);
    struct smc_query query;
    smc_auto_text options = {0};
    shape = shape ? shape : first_rank(tune);
    if (!shape || tune->source)
        return;
    smc_tune_ask(tune, shape->value, &query);
    smc_words_options(&query.params, query.kernel->name, &options);
    smc_text_printf(out, "smemcalc run %s", smc_text_string(&options));
    if (query.settings.carveout_percent != SMC_CARVEOUT_DEFAULT)
        smc_text_printf(out, " --carveout %" PRId32, query.settings.carveout_percent);
}

/* --- Text ------------------------------------------------------------------------------------- */

enum { CELL = 40, HEADING = 2 };

/* The two lines of an axis' heading: "block-m" is "block" above "m". */
static void split_name(const struct smc_tune_axis *axis, char part[HEADING][SMC_TUNE_NAME_CHARS])
{
    const char *dash = axis->kind == SMC_TUNE_MACRO ? NULL : strchr(axis->name, '-');
    size_t length = dash ? (size_t)(dash - axis->name) : 0;
    snprintf(part[0], SMC_TUNE_NAME_CHARS, "%.*s", (int)length, axis->name);
    snprintf(part[1], SMC_TUNE_NAME_CHARS, "%s", dash ? dash + 1 : axis->name);
}

static int axis_width(const struct smc_tune_axis *axis)
{
    char part[HEADING][SMC_TUNE_NAME_CHARS], digits[CELL];
    split_name(axis, part);
    int width = (int)strlen(part[0]);
    for (size_t i = 0; i < axis->count; i++) {
        int length = snprintf(digits, sizeof digits, "%" PRId64, axis->value[i]);
        width = length > width ? length : width;
    }
    return (int)strlen(part[1]) > width ? (int)strlen(part[1]) : width;
}

static void tune_append_heading(const struct smc_tune *tune, struct smc_text *out)
{
    for (int line = 0; line < HEADING; line++) {
        struct smc_text row = {0};
        smc_text_append(&row, line ? "  rank" : "      ");
        for (size_t i = 0; i < tune->axis_count; i++) {
            char part[HEADING][SMC_TUNE_NAME_CHARS];
            split_name(&tune->axis[i], part);
            smc_text_printf(&row, " %*s", axis_width(&tune->axis[i]), part[line]);
        }
        smc_text_append(&row, line ? "        ms        ms  bound by" : " predicted  measured");
        smc_layout_row(out, &row);
    }
}

static void append_ms(bool known, double ms, struct smc_text *row)
{
    char cell[CELL] = "-";
    if (known)
        snprintf(cell, sizeof cell, "%.4g", ms);
    smc_text_printf(row, " %9s", cell);
}

/* What a person must know about a row: else what bounds it, or without a time its occupancy. After
   many values only the short name of a term fits. */
static void tune_append_remark(const struct smc_tune_shape *shape, unsigned columns,
                               struct smc_text *row)
{
    const struct smc_time_term_info *term = &smc_time_term_info[shape->time.bound_by];
    char percent[32];
    smc_words_percent(shape->percent, percent);
    smc_text_append(row, "  ");
    if (shape->wrong)
        smc_text_append(row, "WRONG RESULT");
    else if (shape->tried && !shape->measured)
        smc_text_append(row, "failed");
    else if (shape->time.basis != SMC_TIME_UNKNOWN)
        smc_text_append(row,
                        row->length + strlen(term->label) <= columns ? term->label : term->key);
    else
        smc_text_printf(row, "not predicted; occupancy %s", percent);
}

static void tune_append_shape(const struct smc_tune *tune, const struct smc_tune_shape *shape,
                              struct smc_text *out)
{
    bool won = shape == smc_tune_winner(tune);
    struct smc_text row = {0};
    smc_text_printf(&row, "%c %4zu", won ? '>' : ' ', shape->rank);
    for (size_t i = 0; i < tune->axis_count; i++)
        smc_text_printf(&row, " %*" PRId64, axis_width(&tune->axis[i]), shape->value[i]);
    append_ms(shape->time.basis != SMC_TIME_UNKNOWN, shape->time.predicted_ms, &row);
    append_ms(shape->measured, shape->median_ms, &row);
    tune_append_remark(shape, out->style->columns, &row);
    smc_layout_emphatic_row(out, won ? SMC_STRONG : shape->wrong ? SMC_BAD : SMC_PLAIN, &row);
}

/* Measured shapes by time, then those that failed or are wrong, then the others by rank. */
static int place_in_table(const struct smc_tune_shape *shape)
{
    return !shape->tried ? 2 : shape->measured && !shape->wrong ? 0 : 1;
}

static int tune_compare_lines(const void *left, const void *right)
{
    const struct smc_tune_shape *a = *(const struct smc_tune_shape *const *)left;
    const struct smc_tune_shape *b = *(const struct smc_tune_shape *const *)right;
    int order = place_in_table(a) - place_in_table(b);
    if (order == 0 && place_in_table(a) == 0)
        order = (a->median_ms > b->median_ms) - (a->median_ms < b->median_ms);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

static void tune_append_table(const struct smc_tune *tune, struct smc_text *out)
{
    size_t shown = out->style->most_kernels ? out->style->most_kernels : tune->ranked;
    smc_auto_free const struct smc_tune_shape **line = smc_calloc(tune->ranked + 1, sizeof *line);
    shown = shown < tune->ranked ? shown : tune->ranked;
    out->failed |= !line;
    for (size_t i = 0; i < tune->ranked && line; i++)
        line[i] = &tune->shape[tune->order[i]];
    if (line)
        qsort(line, tune->ranked, sizeof *line, tune_compare_lines);
    smc_text_append_char(out, '\n', 1);
    tune_append_heading(tune, out);
    for (size_t i = 0; i < shown && line; i++)
        tune_append_shape(tune, line[i], out);
    if (shown < tune->ranked)
        smc_text_printf(out, "  %4s %zu more; --top all lists every rank\n", "...",
                        tune->ranked - shown);
    smc_text_append_char(out, '\n', 1);
}

/* The first of each kind of failure. */
static void tune_append_failures(const struct smc_tune *tune, struct smc_text *out)
{
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        bool failed =
            shape->state == SMC_TUNE_FAILED || (shape->tried && (shape->wrong || !shape->measured));
        struct smc_text line = {0};
        if (!failed)
            continue;
        words_values(tune, shape, &line);
        smc_text_printf(&line, ": %s", shape->why);
        smc_layout_line(out, "failed", &line);
        return;
    }
}

static void tune_append_line(const struct smc_tune *tune,
                             void (*words)(const struct smc_tune *tune, struct smc_text *out),
                             const char *label, struct smc_text *out)
{
    struct smc_text line = {0};
    words(tune, &line);
    smc_layout_line(out, label, &line);
}

void smc_text_tune(const struct smc_tune *tune, struct smc_text *out)
{
    tune_append_line(tune, tune_words_kernel, "kernel", out);
    smc_text_run_device_line(&tune->query.device, "", "", &tune->query, out);
    tune_append_line(tune, words_axes, "varied", out);
    tune_append_line(tune, words_shapes, "shapes", out);
    tune_append_line(tune, words_ranks, "ranked", out);
    tune_append_line(tune, words_measured, "measured", out);
    tune_append_failures(tune, out);
    tune_append_table(tune, out);
    tune_append_line(tune, words_winner, "winner", out);
    tune_append_line(tune, words_favourite, "first", out);
    tune_append_line(tune, words_regret, "regret", out);
    tune_append_line(tune, words_command, "run it", out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *shape_object(const struct smc_tune *tune, const struct smc_tune_shape *shape)
{
    const struct tune_row row = {tune, shape};
    json_t *object = json_object(), *values = json_object();
    for (size_t i = 0; i < tune->axis_count; i++) {
        char key[SMC_TUNE_NAME_CHARS];
        axis_key(&tune->axis[i], key);
        json_object_set_new(values, key, json_integer(shape->value[i]));
    }
    smc_json_set(object, "values", values);
    smc_fields_json(&tune_fields, &row, object);
    return object;
}

static json_t *axes_list(const struct smc_tune *tune)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tune->axis_count; i++) {
        char key[SMC_TUNE_NAME_CHARS];
        json_t *object = json_object(), *values = json_array();
        axis_key(&tune->axis[i], key);
        for (size_t k = 0; k < tune->axis[i].count; k++)
            json_array_append_new(values, json_integer(tune->axis[i].value[k]));
        smc_json_string(object, "name", key);
        smc_json_set(object, "values", values);
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *counts_object(const struct smc_tune *tune)
{
    json_t *object = json_object();
    smc_json_integer(object, "combinations", tune->tried);
    smc_json_integer(object, "legal", tune->count);
    for (int i = 0; i < SMC_TUNE_STATE_COUNT; i++)
        smc_json_integer(object, smc_tune_state_info[i].name,
                         smc_tune_state_count(tune, (enum smc_tune_state)i));
    smc_json_integer(object, "ranked", tune->ranked);
    return object;
}

static json_t *kernel_object(const struct smc_tune *tune)
{
    json_t *object = json_object();
    struct smc_query query;
    if (tune->source) {
        smc_json_known_string(object, "name", tune->entry);
        smc_json_string(object, "file", tune->source);
        return object;
    }
    completed_query(tune, &tune->shape[0], &query);
    query.kernel = tune->query.kernel;
    smc_json_string(object, "name", query.kernel->name);
    smc_json_params(object, &query);
    for (size_t i = 0; i < tune->axis_count; i++) {
        char key[SMC_TUNE_NAME_CHARS];
        axis_key(&tune->axis[i], key);
        json_object_del(object, key);
    }
    return object;
}

static json_t *measurement_object(const struct smc_tune *tune)
{
    json_t *object = json_object();
    double mean, worst, regret = smc_tune_regret(tune, tune->wanted_first);
    bool known = smc_tune_errors(tune, &mean, &worst), all = smc_tune_is_exhaustive(tune);
    smc_json_known_string(object, "not_measured", tune->not_measured);
    smc_json_integer(object, "runs", smc_tune_run_count(tune));
    smc_json_set(object, "exhaustive", json_boolean(all));
    smc_json_set(object, "stopped", json_boolean(tune->cut_short || tune->incomplete));
    smc_json_set(object, "gpu",
                 tune->not_measured[0] ? json_null() : json_integer(tune->gpu_index));
    smc_json_set(object, "mean_error_percent", known ? smc_json_number(100 * mean) : json_null());
    smc_json_set(object, "worst_error_percent", known ? smc_json_number(100 * worst) : json_null());
    smc_json_set(object, "regret_percent",
                 all && regret >= 0 ? smc_json_number(100 * regret) : json_null());
    smc_json_integer(object, "regret_runs", tune->wanted_first);
    return object;
}

void smc_json_tune(json_t *object, const struct smc_tune *tune)
{
    const struct smc_tune_shape *winner = smc_tune_winner(tune);
    json_t *root = json_object(), *ranking = json_array(), *dropped = json_array();
    smc_json_set(root, "kernel", kernel_object(tune));
    smc_json_set(root, "device", smc_json_device(&tune->query.device));
    smc_json_set(root, "varied", axes_list(tune));
    smc_json_set(root, "shapes", counts_object(tune));
    smc_json_set(root, "measurement", measurement_object(tune));
    smc_json_set(root, "winner", winner ? shape_object(tune, winner) : json_null());
    for (size_t i = 0; i < tune->ranked; i++)
        json_array_append_new(ranking, shape_object(tune, &tune->shape[tune->order[i]]));
    for (size_t i = 0; i < tune->count; i++)
        if (tune->shape[i].rank == 0)
            json_array_append_new(dropped, shape_object(tune, &tune->shape[i]));
    smc_json_set(root, "ranking", ranking);
    smc_json_set(root, "dropped", dropped);
    smc_json_set(object, "tune", root);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void append_csv_shape(const struct smc_tune *tune, const struct smc_tune_shape *shape,
                             struct smc_text *out)
{
    const struct tune_row row = {tune, shape};
    for (size_t i = 0; i < tune->axis_count; i++) {
        smc_csv_integer(shape->value[i], out);
        smc_text_append(out, ",");
    }
    smc_fields_csv_row(&tune_fields, &row, out);
}

/* A column for each name that varies, before the others. */
void smc_csv_tune(const struct smc_tune *tune, struct smc_text *out)
{
    for (size_t i = 0; i < tune->axis_count; i++) {
        char key[SMC_TUNE_NAME_CHARS];
        axis_key(&tune->axis[i], key);
        smc_text_printf(out, "%s,", key);
    }
    smc_fields_csv_head(&tune_fields, out);
    for (size_t i = 0; i < tune->ranked; i++)
        append_csv_shape(tune, &tune->shape[tune->order[i]], out);
    for (size_t i = 0; i < tune->count; i++)
        if (tune->shape[i].rank == 0)
            append_csv_shape(tune, &tune->shape[i], out);
}
