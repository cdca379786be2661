/* The table of a series: a line for each run, a column for each figure. */
#include "report/text_series_table.h"

#include <stdio.h>
#include <string.h>

#include "report/layout.h"
#include "report/words_run.h"
#include "report/words_series.h"

enum { WIDE_GAP = 2, NARROW_GAP = 1, CELL = 32 };

#define BIT SMC_FIGURE_BIT

static const struct {
    const char *above, *below;
} headings[SMC_FIGURE_COUNT] = {
#define FIGURE(id, key, above, below) [SMC_FIGURE_##id] = {above, below},
#include "confirm/figures.def"
#undef FIGURE
};

/* A table and how wide its columns are. */
struct sheet {
    const struct smc_series_table *table;
    size_t rows;                     /* runs that were not started have none */
    size_t gap;                      /* between columns */
    size_t value_width, label_width; /* 0: no such column */
    size_t width[SMC_FIGURE_COUNT];  /* with the gap before it */
};

static bool is_rate(enum smc_figure figure)
{
    return 1u << figure & (BIT(GFLOPS) | BIT(GOPS) | BIT(GB_PER_S));
}

static bool is_shown(const struct sheet *sheet, int figure)
{
    return sheet->table->figures >> figure & 1;
}

static const char *form_of(enum smc_figure figure, double value)
{
    uint32_t bit = 1u << figure;
    if (bit & BIT(TIME_MS))
        return "%.4g";
    if (bit & (BIT(SPEED_UP) | BIT(FEWER_SECTORS)))
        return value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f";
    return is_rate(figure) && value < 100 ? "%.3g" : "%.0f";
}

static void cell_of(const struct sheet *sheet, size_t index, enum smc_figure figure,
                    char cell[CELL])
{
    const struct smc_series_table *table = sheet->table;
    double value;
    bool known = smc_series_figure(table->series, index, figure, &value);
    if (known)
        snprintf(cell, CELL - 1, form_of(figure, value), value); /* room for a star */
    else
        snprintf(cell, CELL, "-");
    if (table->marks_best && is_rate(figure))
        strcat(cell, smc_series_is_best(table->series, index) ? "*" : " ");
}

/* Below the others', whose cells end in a mark or a blank. */
static void heading_of(const struct sheet *sheet, enum smc_figure figure, char heading[CELL])
{
    bool marked = sheet->table->marks_best && is_rate(figure);
    snprintf(heading, CELL, "%s%s", headings[figure].below, marked ? " " : "");
}

static size_t wider(size_t width, size_t other)
{
    return other > width ? other : width;
}

/* "any": what varies is nothing to the kernel. */
static void append_value(const struct smc_series *series, size_t index, struct smc_text *out)
{
    if (series->run[index].has_value)
        smc_words_series_value(&series->axis, series->run[index].value, out);
    else if (series->axis.vary != SMC_VARY_NOTHING)
        smc_text_append(out, "any");
}

static void measure_left(struct sheet *sheet)
{
    const struct smc_series *series = sheet->table->series;
    const char *option = smc_words_series_option(&series->axis);
    struct smc_text text = {0};
    sheet->value_width = option ? strlen(option) : 0;
    for (size_t i = 0; i < sheet->rows; i++) {
        text.length = 0;
        append_value(series, i, &text);
        sheet->value_width = wider(sheet->value_width, text.length);
        text.length = 0;
        smc_words_series_run(series, i, &text);
        if (series->family)
            sheet->label_width = wider(sheet->label_width, text.length);
    }
    smc_text_free(&text);
}

static size_t width_of(const struct sheet *sheet, enum smc_figure figure)
{
    char cell[CELL];
    heading_of(sheet, figure, cell);
    size_t width = strlen(cell);
    for (size_t i = 0; i < sheet->rows; i++) {
        cell_of(sheet, i, figure, cell);
        width = wider(width, strlen(cell));
    }
    return width + sheet->gap;
}

/* The columns from `first` on that share a heading, as one: its width, and the figure behind it. */
static int group_of(const struct sheet *sheet, int first, size_t *width)
{
    int figure = first;
    for (*width = 0; figure < SMC_FIGURE_COUNT; figure++) {
        if (strcmp(headings[figure].above, headings[first].above) != 0)
            break;
        *width += is_shown(sheet, figure) ? sheet->width[figure] : 0;
    }
    return figure;
}

/* A shared heading widens the last of its columns. */
static void measure(struct sheet *sheet, size_t gap)
{
    sheet->gap = gap;
    measure_left(sheet);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++)
        if (is_shown(sheet, f))
            sheet->width[f] = width_of(sheet, (enum smc_figure)f);
    size_t width;
    for (int f = 0, next; f < SMC_FIGURE_COUNT; f = next) {
        next = group_of(sheet, f, &width);
        size_t needed = strlen(headings[f].above) + sheet->gap;
        int last = next - 1;
        while (last > f && !is_shown(sheet, last))
            last--;
        if (width > 0 && width < needed)
            sheet->width[last] += needed - width;
    }
}

static const char *verdict_of(const struct smc_series *series, size_t index)
{
    return series->run[index].seen.has_result ? smc_verdict_name(smc_series_verdict(series, index))
                                              : "no result";
}

static size_t width_of_all(const struct sheet *sheet)
{
    const struct smc_series_table *table = sheet->table;
    size_t verdict = 0, between = sheet->value_width && sheet->label_width ? sheet->gap : 0;
    size_t width = sheet->value_width + between + sheet->label_width;
    for (int f = 0; f < SMC_FIGURE_COUNT; f++)
        width += sheet->width[f];
    for (size_t i = 0; i < sheet->rows && table->verdicts; i++)
        verdict = wider(verdict, sheet->gap + strlen(verdict_of(table->series, i)));
    return width + verdict;
}

/* The columns on the left. */
static void append_left(const struct sheet *sheet, const char *value, const char *label,
                        struct smc_text *out)
{
    if (sheet->value_width)
        smc_text_printf(out, "%*s%*s", (int)sheet->value_width, value,
                        sheet->label_width ? (int)sheet->gap : 0, "");
    if (sheet->label_width)
        smc_text_printf(out, "%-*s", (int)sheet->label_width, label);
}

static void append_head(const struct sheet *sheet, struct smc_text *out)
{
    const char *option = smc_words_series_option(&sheet->table->series->axis);
    struct smc_text line = {0};
    append_left(sheet, "", "", &line);
    size_t width;
    for (int f = 0, next; f < SMC_FIGURE_COUNT; f = next) {
        next = group_of(sheet, f, &width);
        if (width > 0)
            smc_text_printf(&line, "%*s", (int)width, headings[f].above);
    }
    while (line.length > 0 && line.data[line.length - 1] == ' ')
        line.data[--line.length] = '\0';
    smc_text_append(out, smc_text_string(&line));
    smc_text_append_char(out, '\n', 1);
    smc_text_free(&line);
    append_left(sheet, option ? option : "", "kernel", out);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        char heading[CELL];
        heading_of(sheet, (enum smc_figure)f, heading);
        if (is_shown(sheet, f))
            smc_text_printf(out, "%*s", (int)sheet->width[f], heading);
    }
    if (sheet->table->verdicts)
        smc_text_printf(out, "%*sverdict", (int)sheet->gap, "");
    smc_text_append_char(out, '\n', 1);
}

static void append_verdict(const struct sheet *sheet, size_t index,
                           const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_series *series = sheet->table->series;
    enum smc_verdict verdict = smc_series_verdict(series, index);
    bool failed = !series->run[index].seen.has_result;
    smc_text_append_char(out, ' ', sheet->gap);
    smc_layout_begin(out, style,
                     failed || verdict == SMC_DIFFERS ? SMC_BAD
                     : verdict == SMC_CONFIRMED       ? SMC_GOOD
                                                      : SMC_PLAIN);
    smc_text_append(out, verdict_of(series, index));
    smc_layout_end(out, style);
}

/* "blocks per SM: predicted 3, API 8, measured 8"; of one that differs in no number its note. */
static void append_difference(const struct smc_row *row, struct smc_text *out)
{
    char value[SMC_ROW_WORDS];
    smc_words_witness(row, &row->predicted, value);
    smc_text_printf(out, "%s%s: ", out->length ? "; " : "", row->label + strspn(row->label, " "));
    if (smc_row_agrees(row)) {
        smc_text_append(out, row->note);
        return;
    }
    smc_text_printf(out, "predicted %s", value);
    for (int c = SMC_BY_API; c < SMC_WITNESSES; c++) {
        const struct smc_witness *witness = smc_row_witness(row, c);
        smc_words_witness(row, witness, value);
        if (witness->present)
            smc_text_printf(out, ", %s %s", smc_witness_headings[c], value);
    }
}

/* Why there is no result, or what differs. */
static void append_reason(const struct sheet *sheet, const struct smc_series_run *run,
                          const struct smc_report_style *style, struct smc_text *out)
{
    struct smc_text reason = {0};
    size_t indent = sheet->value_width + 2 * WIDE_GAP;
    smc_words_series_reason(run, &reason);
    for (size_t i = 0; i < run->seen.confirmation.row_count; i++)
        if (run->seen.confirmation.row[i].verdict == SMC_DIFFERS)
            append_difference(&run->seen.confirmation.row[i], &reason);
    if (reason.length > 0)
        smc_layout_paragraph(out, "", indent, smc_text_string(&reason), style->columns);
    smc_text_free(&reason);
}

/* A value is told where it begins. */
static void append_run(const struct sheet *sheet, size_t index,
                       const struct smc_report_style *style, struct smc_text *out)
{
    const struct smc_series *series = sheet->table->series;
    const struct smc_series_run *run = &series->run[index], *before = run - 1;
    struct smc_text value = {0}, label = {0};
    if (index == 0 || !smc_series_same_value(before, run))
        append_value(series, index, &value);
    smc_words_series_run(series, index, &label);
    append_left(sheet, smc_text_string(&value), smc_text_string(&label), out);
    for (int f = 0; f < SMC_FIGURE_COUNT; f++) {
        char cell[CELL];
        if (!is_shown(sheet, f))
            continue;
        cell_of(sheet, index, (enum smc_figure)f, cell);
        smc_text_printf(out, "%*s", (int)sheet->width[f], cell);
    }
    if (sheet->table->verdicts)
        append_verdict(sheet, index, style, out);
    smc_text_append_char(out, '\n', 1);
    if (sheet->table->verdicts)
        append_reason(sheet, run, style, out);
    smc_text_free(&value);
    smc_text_free(&label);
}

void smc_text_series_table(const struct smc_series_table *table,
                           const struct smc_report_style *style, struct smc_text *out)
{
    struct sheet sheet = {.table = table, .rows = smc_series_started(table->series)};
    struct smc_text rest = {0};
    measure(&sheet, WIDE_GAP);
    if (width_of_all(&sheet) > style->columns)
        measure(&sheet, NARROW_GAP);
    smc_text_append_char(out, '\n', 1);
    append_head(&sheet, out);
    for (size_t i = 0; i < sheet.rows; i++)
        append_run(&sheet, i, style, out);
    if (table->verdicts)
        smc_words_series_not_started(table->series, &rest);
    if (rest.length > 0)
        smc_layout_paragraph(out, "", 0, smc_text_string(&rest), style->columns);
    smc_text_free(&rest);
}
