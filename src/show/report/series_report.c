/* A series of runs: what is compared, a table with a line for each run, and how to read it; as
   text, JSON and CSV. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "show/report/text_table.h"
#include "show/report/writers.h"

/* --- Words ------------------------------------------------------------------------------------ */

enum { LONGEST_IN_TABLE = 16, MOST_NAMED = 8 };

/* The completed query if the run has an answer. */
static const struct smc_query *query_of(const struct smc_series_run *run)
{
    return run->seen.has_result ? &run->seen.answer.query : &run->query;
}

/* The parameters with a known value: without an answer, those that the kernel chooses are not. */
static uint32_t known_params(const struct smc_series_run *run)
{
    const struct smc_params *params = &query_of(run)->params;
    uint32_t known = run->seen.has_result ? ~UINT32_C(0) : params->given;
    for (int p = 0; p < SMC_PARAM_COUNT; p++)
        if (params->value[p] != 0)
            known |= 1u << p;
    return known & run->query.kernel->params;
}

/* The parameters that every run accepts, and whose known values are all the same. */
static uint32_t shared_params(const struct smc_series *series)
{
    uint32_t shared = ~UINT32_C(0), seen = 0;
    int64_t value[SMC_PARAM_COUNT];
    for (size_t i = 0; i < series->count; i++) {
        const struct smc_series_run *run = &series->run[i];
        uint32_t known = known_params(run);
        shared &= run->query.kernel->params;
        for (int p = 0; p < SMC_PARAM_COUNT; p++) {
            int64_t own = query_of(run)->params.value[p];
            if (known & seen & 1u << p && own != value[p])
                shared &= ~(1u << p);
            if (known & 1u << p)
                value[p] = own;
        }
        seen |= known;
    }
    return shared;
}

static uint32_t bit_of_axis(const struct smc_series_axis *axis)
{
    return axis->vary == SMC_VARY_PARAM ? 1u << axis->param : 0;
}

static const struct smc_series_run *first_with_result(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result)
            return &series->run[i];
    return &series->run[0];
}

/* Where the length varies with the radius, the number of outputs, which does not, is shown. */
static void append_outputs(const struct smc_series *series, uint32_t shared, struct smc_text *out)
{
    const struct smc_series_run *run = first_with_result(series);
    uint64_t outputs = run->seen.answer.plan.output_rows;
    bool varies = run->query.kernel->params & ~shared & 1u << SMC_PARAM_LENGTH;
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.has_result)
            varies &= series->run[i].seen.answer.plan.output_rows == outputs;
    if (varies)
        smc_text_printf(out, ", %" PRIu64 " outputs", outputs);
}

/* "matmul: float, 256 x 256 x 256": the family, or the kernel, and what all runs share. */
static void words_subject(const struct smc_series *series, struct smc_text *out)
{
    const struct smc_series_run *run = first_with_result(series);
    uint32_t shared = shared_params(series) & ~bit_of_axis(&series->axis);
    smc_text_printf(out, "%s: ", series->family ? series->family : run->query.kernel->name);
    smc_words_some_params(query_of(run), ~shared, out);
    append_outputs(series, shared, out);
}

static void append_own_params(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    uint32_t without = shared_params(series) | bit_of_axis(&series->axis);
    without |= 1u << SMC_PARAM_LENGTH | 1u << SMC_PARAM_DTYPE;
    smc_words_some_params(query_of(run), without | ~known_params(run), out);
}

static void series_append_name(const struct smc_series *series, size_t index, bool is_short,
                               struct smc_text *out)
{
    smc_auto_text params = {0};
    append_own_params(series, index, &params);
    smc_text_append(out, series->run[index].query.kernel->name);
    if (params.length > 0 && (is_short == (params.length <= LONGEST_IN_TABLE)))
        smc_text_printf(out, "%s%s", is_short ? ", " : ": ", smc_text_string(&params));
}

/* "matmul-tiled, tile 16": what distinguishes a run from the others of its value, in a table. */
static void words_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    series_append_name(series, index, true, out);
}

/* "block-m 128, ...": parameters that are too long for a table, or nothing. */
static void words_details(const struct smc_series *series, size_t index, struct smc_text *out)
{
    smc_auto_text params = {0};
    append_own_params(series, index, &params);
    if (params.length > LONGEST_IN_TABLE)
        series_append_name(series, index, false, out);
}

/* The varied option; NULL where none is. */
static const char *words_option(const struct smc_series_axis *axis)
{
    static const char *const options[] = {
        [SMC_VARY_NOTHING] = NULL,
        [SMC_VARY_DYNAMIC_SMEM] = "dynamic-smem",
        [SMC_VARY_CARVEOUT] = "carveout",
        [SMC_VARY_CACHE_CONFIG] = "cache-config",
    };
    return axis->vary == SMC_VARY_PARAM ? smc_param_info[axis->param].option : options[axis->vary];
}

/* A value of it: "7", "48K", "25", "shared". */
static void words_value(const struct smc_series_axis *axis, int64_t value, struct smc_text *out)
{
    if (axis->vary == SMC_VARY_CACHE_CONFIG)
        smc_text_append(out, smc_words_cache_config((enum smc_cache_config)value));
    else if (axis->vary == SMC_VARY_DYNAMIC_SMEM && value && value % 1024 == 0)
        smc_text_printf(out, "%" PRId64 "K", value / 1024);
    else
        smc_text_printf(out, "%" PRId64, value);
}

/* The same with the varied value: "stencil-naive, radius 7". */
static void words_whole_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    words_run(series, index, out);
    if (!run->has_value)
        return;
    smc_text_printf(out, ", %s ", words_option(&series->axis));
    words_value(&series->axis, run->value, out);
}

/* "1, 2, 4, 8; 4 of the values from 1 to 8, ...". */
static void series_words_values(const struct smc_series_axis *axis, struct smc_text *out)
{
    for (size_t i = 0; i < axis->count; i++) {
        smc_text_append(out, i ? ", " : "");
        words_value(axis, axis->value[i], out);
    }
    if (!axis->spread)
        return;
    smc_text_printf(out, "; %zu values from ", axis->count);
    words_value(axis, axis->range.first, out);
    smc_text_append(out, " to ");
    words_value(axis, axis->range.last, out);
    smc_text_append(out, "; FIRST:LAST:STEP chooses others");
}

void smc_words_series_verdicts(const struct smc_series *series, struct smc_text *out)
{
    const enum smc_verdict whole = smc_series_whole_verdict(series);
    struct smc_confirmation total = {0};
    size_t results = 0;
    for (size_t i = 0; i < series->count; i++) {
        results += series->run[i].seen.has_result;
        smc_confirmation_add(&series->run[i].seen.confirmation, &total);
    }
    const struct {
        size_t quantities;
        const char *words;
    } parts[] = {[SMC_CONFIRMED] = {total.confirmed, "confirmed"},
                 [SMC_DIFFERS] = {total.differing, "differ"},
                 [SMC_NOT_MEASURED] = {total.not_measured, "not measured"}};
    smc_text_printf(out, "%s: %zu quantit%s of ", smc_verdict_name(whole), parts[whole].quantities,
                    parts[whole].quantities == 1 ? "y" : "ies");
    if (results < series->count)
        smc_text_printf(out, "%zu of ", results);
    smc_text_printf(out, "%zu run%s", series->count, smc_text_plural(series->count));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (i != (size_t)whole)
            smc_text_printf(out, ", %zu %s", parts[i].quantities, parts[i].words);
}

void smc_words_series_not_started(const struct smc_series *series, struct smc_text *out)
{
    size_t started = smc_series_started(series), left = series->count - started;
    if (left == 0)
        return;
    smc_text_printf(out, "%zu run%s not started", left, left == 1 ? " was" : "s were");
    for (size_t i = started; i < series->count && left <= MOST_NAMED; i++) {
        smc_text_append(out, i == started ? ": " : "; ");
        words_whole_run(series, i, out);
    }
}

/* Why a run has no result, or why its launch was refused; nothing for one that ran. */
static void words_reason(const struct smc_series_run *run, struct smc_text *out)
{
    if (!run->started)
        smc_text_append(out, "not started");
    else if (!run->seen.has_result)
        smc_text_printf(out, "%s%s", run->status == SMC_INTERRUPTED ? "stopped: " : "", run->why);
    else if (run->seen.answer.outcome != SMC_LAUNCHES)
        smc_words_failure(&run->seen.answer, out);
}

/* --- Table ------------------------------------------------------------------------------------ */

enum { WIDE_GAP = 2, NARROW_GAP = 1, HEADING = 32 };

#define BIT SMC_FIGURE_BIT

static const struct {
    const char *above, *below;
} headings[SMC_FIGURE_COUNT] = {
#define FIGURE(id, key, above, below) [SMC_FIGURE_##id] = {above, below},
#include "hardware/figures.def"
};

struct series_table {
    const struct smc_series *series;
    uint32_t figures; /* bit n: figure n has a column */
    bool verdicts;    /* a last column, and below a run why it has no result */
    bool marks_best;  /* with '*', after the rate */
};

/* The columns: the varied value, the kernel, the figures, the verdict. */
enum { VALUE, LABEL, FIGURES, VERDICT = FIGURES + SMC_FIGURE_COUNT, COLUMNS };

/* A table and the widths of its columns. */
struct sheet {
    const struct series_table *table;
    size_t rows; /* of the runs that were started */
    struct smc_text_column column[COLUMNS + 1];
    char heading[SMC_FIGURE_COUNT][HEADING];
};

static bool series_is_rate(enum smc_figure figure)
{
    return 1u << figure & (BIT(GFLOPS) | BIT(GOPS) | BIT(GB_PER_S));
}

static const char *form_of(enum smc_figure figure, double value)
{
    uint32_t bit = 1u << figure;
    if (bit & BIT(PREDICTED_MS))
        return "%.3g";
    if (bit & BIT(TIME_MS))
        return "%.4g";
    if (bit & (BIT(SPEED_UP) | BIT(FEWER_SECTORS)))
        return value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
    return series_is_rate(figure) && value < 100 ? "%.3g" : "%.0f";
}

static void series_append_figure(const struct series_table *table, size_t index,
                                 enum smc_figure figure, struct smc_text *cell)
{
    double value;
    if (smc_series_figure(table->series, index, figure, &value))
        smc_text_printf(cell, form_of(figure, value), value);
    else
        smc_text_append(cell, "-");
    if (table->marks_best && series_is_rate(figure))
        smc_text_append(cell, smc_series_is_best(table->series, index) ? "*" : " ");
}

/* In the first of the rows that share it. "any": the kernel does not accept the varied parameter.
 */
static void series_append_value(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    if (index > 0 && smc_series_same_value(run - 1, run))
        return;
    if (run->has_value)
        words_value(&series->axis, run->value, out);
    else if (series->axis.vary != SMC_VARY_NOTHING)
        smc_text_append(out, "any");
}

static const char *verdict_of(const struct smc_series *series, size_t index)
{
    return series->run[index].seen.has_result ? smc_verdict_name(smc_series_verdict(series, index))
                                              : "no result";
}

static void series_append_cell(const struct series_table *table, size_t index, int column,
                               struct smc_text *cell)
{
    if (column == VALUE)
        series_append_value(table->series, index, cell);
    else if (column == LABEL)
        words_run(table->series, index, cell);
    else if (column == VERDICT)
        smc_text_append(cell, verdict_of(table->series, index));
    else
        series_append_figure(table, index, (enum smc_figure)(column - FIGURES), cell);
}

static void series_make_columns(struct sheet *sheet)
{
    const struct series_table *table = sheet->table;
    const char *option = words_option(&table->series->axis);
    sheet->column[VALUE] = (struct smc_text_column){option ? option : "", .omitted = !option};
    sheet->column[LABEL] = (struct smc_text_column){"kernel", .omitted = !table->series->family};
    sheet->column[VERDICT] = (struct smc_text_column){"verdict", .omitted = !table->verdicts};
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        /* a space above the mark that ends each cell */
        const bool marked = table->marks_best && series_is_rate((enum smc_figure)f);
        snprintf(sheet->heading[f], HEADING, "%s%s", headings[f].below, marked ? " " : "");
        sheet->column[FIGURES + f] =
            (struct smc_text_column){sheet->heading[f], .omitted = !(table->figures >> f & 1)};
    }
}

/* The figures from `first` on that share a heading: their width, and the figure after them. */
static int series_group_of(const struct sheet *sheet, int first, int *width)
{
    int figure = first;
    for (*width = 0; figure < SMC_FIGURE_COUNT; figure++) {
        const struct smc_text_column *column = &sheet->column[FIGURES + figure];
        if (strcmp(headings[figure].above, headings[first].above) != 0)
            break;
        *width += column->omitted ? 0 : column->gap + column->width;
    }
    return figure;
}

/* A shared heading widens the last of its columns. */
static void series_measure(struct sheet *sheet, int gap)
{
    for (int c = 0; c < COLUMNS; c++) {
        struct smc_text_column *column = &sheet->column[c];
        int width = smc_utf8_string_columns(column->heading);
        for (size_t i = 0; i < sheet->rows && !column->omitted; i++) {
            smc_auto_text cell = {0};
            series_append_cell(sheet->table, i, c, &cell);
            const int columns = smc_utf8_string_columns(smc_text_string(&cell));
            width = columns > width ? columns : width;
        }
        column->width = c == LABEL ? -width : width;
        column->gap = c == VALUE || (c == LABEL && sheet->column[VALUE].omitted) ? 0 : gap;
    }
    for (int f = 0, next, width; f < SMC_FIGURE_COUNT; f = next) {
        next = series_group_of(sheet, f, &width);
        const int lacking = (int)strlen(headings[f].above) + gap - width;
        int last = next - 1;
        while (last > f && sheet->column[FIGURES + last].omitted)
            last--;
        if (width > 0 && lacking > 0)
            sheet->column[FIGURES + last].width += lacking;
    }
}

static void series_append_head(const struct sheet *sheet, struct smc_text *out)
{
    struct smc_text line = {0};
    struct smc_cells cells = {sheet->column, &line};
    smc_cells_add(&cells, "");
    smc_cells_add(&cells, "");
    for (int f = 0, next, width; f < SMC_FIGURE_COUNT; f = next) {
        next = series_group_of(sheet, f, &width);
        if (width > 0)
            smc_text_printf(&line, "%*s", width, headings[f].above);
    }
    smc_layout_row(out, &line);
    smc_cells_headings((struct smc_cells){sheet->column, out});
}

static void series_append_verdict(const struct sheet *sheet, size_t index, struct smc_text *out)
{
    const struct smc_series *series = sheet->table->series;
    enum smc_verdict verdict = smc_series_verdict(series, index);
    bool failed = !series->run[index].seen.has_result;
    smc_text_append_char(out, ' ', (size_t)sheet->column[VERDICT].gap);
    smc_layout_words(out, failed ? SMC_BAD : smc_verdict_emphasis(verdict),
                     verdict_of(series, index));
}

/* "blocks per SM: predicted 3, API 8, measured 8"; if no number differs, the note. */
static void append_difference(const struct smc_row *row, struct smc_text *out)
{
    char value[SMC_ROW_WORDS];
    smc_words_source(row, &row->predicted, value);
    smc_text_printf(out, "%s%s: ", out->length ? "; " : "", row->label + strspn(row->label, " "));
    if (smc_row_agrees(row)) {
        smc_text_append(out, row->note);
        return;
    }
    smc_text_printf(out, "predicted %s", value);
    for (int c = SMC_SOURCE_API; c < SMC_SOURCE_COUNT; c++) {
        const struct smc_reading *reading = smc_row_reading(row, c);
        smc_words_source(row, reading, value);
        if (reading->present)
            smc_text_printf(out, ", %s %s", smc_source_headings[c], value);
    }
}

/* Why there is no result, or what differs. */
static void series_append_reason(const struct sheet *sheet, const struct smc_series_run *run,
                                 struct smc_text *out)
{
    struct smc_text reason = {0};
    const struct smc_text_column *value = &sheet->column[VALUE];
    size_t indent = (size_t)(value->omitted ? 0 : value->width) + (size_t)2 * WIDE_GAP;
    words_reason(run, &reason);
    for (size_t i = 0; i < run->seen.confirmation.row_count; i++)
        if (run->seen.confirmation.row[i].verdict == SMC_DIFFERS)
            append_difference(&run->seen.confirmation.row[i], &reason);
    smc_layout_text(out, indent, &reason);
}

static void append_table_run(const struct sheet *sheet, size_t index, struct smc_text *out)
{
    struct smc_cells cells = {sheet->column, out};
    for (int c = VALUE; c < VERDICT; c++) {
        struct smc_text cell = {0};
        if (!sheet->column[c].omitted)
            series_append_cell(sheet->table, index, c, &cell);
        smc_cells_text(&cells, &cell);
    }
    if (sheet->table->verdicts)
        series_append_verdict(sheet, index, out);
    smc_text_append_char(out, '\n', 1);
    if (sheet->table->verdicts)
        series_append_reason(sheet, &sheet->table->series->run[index], out);
}

/* Begins with an empty line. */
static void series_append_table(const struct series_table *table, struct smc_text *out)
{
    struct sheet sheet = {.table = table, .rows = smc_series_started(table->series)};
    struct smc_text rest = {0};
    series_make_columns(&sheet);
    series_measure(&sheet, WIDE_GAP);
    if (smc_columns_width(sheet.column) > (int)out->style->columns)
        series_measure(&sheet, NARROW_GAP);
    sheet.column[VERDICT].width = 0; /* nothing follows it */
    smc_text_append_char(out, '\n', 1);
    series_append_head(&sheet, out);
    for (size_t i = 0; i < sheet.rows; i++)
        append_table_run(&sheet, i, out);
    if (table->verdicts)
        smc_words_series_not_started(table->series, &rest);
    smc_layout_text(out, 0, &rest);
}

/* --- Text ------------------------------------------------------------------------------------- */

static bool any_conflicts(const struct smc_series *series)
{
    double value;
    for (size_t i = 0; i < series->count; i++)
        if (smc_series_figure(series, i, SMC_FIGURE_CONFLICTS, &value) && value > 0)
            return true;
    return false;
}

static bool any_best(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (smc_series_is_best(series, i))
            return true;
    return false;
}

static void series_append_subject(const struct smc_series *series, struct smc_text *out)
{
    const struct smc_series_run *first = &series->run[0], *driven = first;
    struct smc_text subject = {0}, values = {0};
    for (size_t i = series->count; i-- > 0;)
        if (series->run[i].seen.result.driver[0])
            driven = &series->run[i];
    const char *option = words_option(&series->axis);
    words_subject(series, &subject);
    smc_layout_line(out, series->family ? "kernels" : "kernel", &subject);
    smc_text_run_device_line(&first->query.device, driven->seen.result.driver,
                             driven->seen.result.runtime, &first->query, out);
    if (option)
        series_words_values(&series->axis, &values);
    smc_layout_line(out, option, &values);
}

static void append_details(const struct smc_series *series, struct smc_text *out)
{
    for (size_t i = 0; i < series->count; i++) {
        struct smc_text details = {0};
        bool repeated =
            i > 0 && series->run[i].has_value && series->run[i].value != series->run[0].value;
        if (!repeated)
            words_details(series, i, &details);
        smc_layout_line(out, "with", &details);
    }
}

/* Whether a run has something confirmed, but nothing that the table shows. */
static bool any_unseen(const struct smc_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->run[i].seen.confirmation.confirmed > 0 &&
            smc_series_verdict(series, i) == SMC_NOT_MEASURED)
            return true;
    return false;
}

/* What the ratios are, if the table has a column of them. */
static void append_ratio(const struct series_table *table, const char *each, struct smc_text *out)
{
    const struct smc_series_run *first = &table->series->run[0];
    bool fewer = table->figures & BIT(FEWER_SECTORS);
    if (!fewer && !(table->figures & BIT(SPEED_UP)))
        return;
    const struct smc_series_run *baseline = &table->series->run[first->baseline];
    smc_text_printf(out, "%s: the %s of %s%s divided by %s of the run",
                    fewer ? "fewer" : "speed-up", fewer ? "sectors" : "time",
                    baseline->query.kernel->name, baseline->has_value ? each : "",
                    fewer ? "those" : "that");
}

/* What the table does not explain by itself. */
static void series_append_notes(const struct series_table *table, bool has_counts,
                                struct smc_text *out)
{
    const struct smc_series *series = table->series;
    enum smc_series_vary vary = series->axis.vary;
    const char *each = vary == SMC_VARY_NOTHING ? "" : " of the same value";
    smc_auto_text notes = {.style = out->style}, text = {0};
    if (vary == SMC_VARY_CARVEOUT || vary == SMC_VARY_CACHE_CONFIG)
        smc_layout_say(&notes, "a hint",
                       "a carve-out is a preference: the driver may set another size, and more "
                       "resident blocks than predicted do not contradict the model if the API "
                       "answers as predicted");
    if (table->figures & BIT(BLOCKS_PREDICTED) && !smc_series_ran_on_gpu(series))
        smc_layout_say(&notes, "blocks", "predicted by the model; only a GPU confirms them");
    if (has_counts)
        smc_layout_say(&notes, "counts",
                       "predicted by the model; a run of one kernel shows the GPU's counters");
    append_ratio(table, each, &text);
    smc_layout_line(&notes, "ratios", &text);
    if (table->marks_best)
        smc_layout_say(&notes, "*", "the fastest%s", each);
    if (any_unseen(series))
        smc_layout_say(&notes, "verdicts",
                       "of the figures shown; a run of one kernel shows what else was confirmed");
    smc_text_append_char(out, '\n', notes.length > 0);
    smc_text_append(out, smc_text_string(&notes));
}

void smc_text_series(const struct smc_series *series, struct smc_text *out)
{
    struct series_table table = {
        .series = series,
        .figures = smc_series_shown(series),
        .verdicts = true,
        .marks_best = any_best(series),
    };
    struct smc_text verdicts = {0};
    smc_words_series_verdicts(series, &verdicts);
    smc_layout_verdict(out, smc_verdict_emphasis(smc_series_whole_verdict(series)), &verdicts);
    smc_text_append_char(out, '\n', 1);
    series_append_subject(series, out);
    append_details(series, out);
    series_append_table(&table, out);
    bool timed = table.figures & BIT(TIME_MS);
    bool has_counts = timed && series->family && any_conflicts(series);
    if (has_counts) {
        struct series_table counts = {.series = series, .figures = SMC_SHARED_COUNTS};
        series_append_table(&counts, out);
    }
    series_append_notes(&table, has_counts, out);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static json_t *series_value_of(const struct smc_series_axis *axis, int64_t value)
{
    if (axis->vary != SMC_VARY_CACHE_CONFIG)
        return json_integer(value);
    smc_auto_text word = {0};
    words_value(axis, value, &word);
    json_t *string = json_string(smc_text_string(&word));
    return string;
}

static json_t *figures_object(const struct smc_series *series, size_t index)
{
    json_t *object = json_object();
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        double value;
        bool known = smc_series_figure(series, index, (enum smc_figure)f, &value);
        smc_json_set(object, smc_figure_key((enum smc_figure)f),
                     known ? smc_json_number(value) : json_null());
    }
    return object;
}

static json_t *series_run_object(const struct smc_series *series, size_t index)
{
    const struct smc_series_run *run = &series->run[index];
    json_t *object = json_object();
    smc_json_set(object, "value",
                 run->has_value ? series_value_of(&series->axis, run->value) : json_null());
    smc_json_set(object, "figures", figures_object(series, index));
    smc_json_set(object, "fastest", json_boolean(smc_series_is_best(series, index)));
    smc_auto_text reason = {0};
    if (!run->seen.has_result)
        words_reason(run, &reason);
    smc_json_known_string(object, "failure", smc_text_string(&reason));
    if (run->seen.has_result) {
        smc_json_string(object, "verdict", smc_verdict_name(smc_series_verdict(series, index)));
        smc_json_answer(object, &run->seen.answer);
        smc_json_confirmation(object, &run->seen.result, &run->seen.confirmation);
    } else {
        smc_json_set(object, "verdict", json_null());
        json_t *kernel = json_object();
        smc_json_string(kernel, "name", run->query.kernel->name);
        smc_json_params(kernel, &run->query);
        smc_json_set(object, "kernel", kernel);
    }
    return object;
}

static json_t *series_axis_object(const struct smc_series_axis *axis)
{
    const char *option = words_option(axis);
    if (!option)
        return json_null();
    json_t *object = json_object(), *values = json_array();
    smc_json_string(object, "option", option);
    for (size_t i = 0; i < axis->count; i++)
        json_array_append_new(values, series_value_of(axis, axis->value[i]));
    smc_json_set(object, "values", values);
    smc_json_set(object, "spread", json_boolean(axis->spread));
    return object;
}

void smc_json_series(json_t *object, const struct smc_series *series)
{
    int baseline = series->run[0].baseline;
    json_t *list = json_array();
    for (size_t i = 0; i < series->count; i++)
        json_array_append_new(list, series_run_object(series, i));
    smc_json_known_string(object, "family", series->family);
    smc_json_known_string(object, "baseline",
                          baseline != SMC_NO_RUN ? series->run[baseline].query.kernel->name : "");
    smc_json_set(object, "varied", series_axis_object(&series->axis));
    smc_json_set(object, "comparison", list);
}

/* --- CSV -------------------------------------------------------------------------------------- */

static void append_csv_head(struct smc_text *out)
{
    smc_text_append(out, "device,kernel");
    smc_csv_params_head(out);
    smc_text_append(out, ",carveout,cache_config,dynamic_smem");
    for (int f = 0; f < SMC_FIGURE_COUNT; f++)
        smc_text_printf(out, ",%s", smc_figure_key((enum smc_figure)f));
    smc_text_append(out, ",fastest,confirmed,differing,not_measured,verdict,failure\n");
}

static void append_csv_run(const struct smc_series *series, size_t index, struct smc_text *out)
{
    const struct smc_series_run *run = &series->run[index];
    bool seen = run->seen.has_result;
    const struct smc_query *query = seen ? &run->seen.answer.query : &run->query;
    const struct smc_confirmation *confirmation = &run->seen.confirmation;
    smc_csv_field(out, query->device.name);
    smc_text_printf(out, ",%s", query->kernel->name);
    smc_csv_params(query, out);
    smc_text_printf(out, ",%" PRId32 ",%s,", query->settings.carveout_percent,
                    smc_words_cache_config(query->settings.cache_config));
    if (seen)
        smc_text_printf(out, "%" PRIu32, run->seen.answer.launch.dynamic_smem_bytes);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        double value;
        smc_text_append(out, ",");
        if (smc_series_figure(series, index, (enum smc_figure)f, &value))
            smc_csv_number(value, out);
    }
    smc_text_printf(out, ",%d,%zu,%zu,%zu,%s,", smc_series_is_best(series, index),
                    confirmation->confirmed, confirmation->differing, confirmation->not_measured,
                    seen ? smc_verdict_name(smc_series_verdict(series, index)) : "");
    smc_auto_text reason = {0};
    words_reason(run, &reason);
    smc_csv_field(out, smc_text_string(&reason));
    smc_text_append(out, "\n");
}

void smc_csv_series(const struct smc_series *series, struct smc_text *out)
{
    append_csv_head(out);
    for (size_t i = 0; i < series->count; i++)
        append_csv_run(series, i, out);
}
