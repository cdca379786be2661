/* The chart of occupancy along one field: its points, and how it is drawn. */
#include "show/tui/chart_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "show/words/words.h"

enum {
    MOST_POINTS = 512,
    AXIS_COLUMNS = 5,
    EIGHTHS = 8,
    WHY_FROM = 12, /* rows from which the limiters are shown */
};

/* Characters. */
enum {
    AXIS = 0x2502,
    AXIS_TICK = 0x2524,
    CORNER = 0x2514,
    FLOOR = 0x2500,
    FLOOR_TICK = 0x252c,
    GRID = 0x254c,
    BAR = 0x2580, /* followed by the eighths */
};

/* --- Points --- */

struct axis {
    enum smc_field field;
    const char *label;
    int64_t lowest, highest, step, now;
    enum smc_chart_unit unit;
};

/* The field that shapes a block: a parameter of the kernel, or the number of threads. */
static enum smc_field shaping_field(const struct smc_query *query)
{
    static const enum smc_param shapes[] = {SMC_PARAM_TILE, SMC_PARAM_BLOCK, SMC_PARAM_BLOCK_M};
    for (size_t i = 0; query->kernel && i < sizeof shapes / sizeof *shapes; i++)
        if (query->kernel->params & 1u << shapes[i])
            return smc_field_of_param(shapes[i]);
    return SMC_FIELD_THREADS;
}

/* Problem sizes do not change occupancy: the chart then goes along what shapes the block. */
static enum smc_field axis_field(const struct smc_answer *answer, enum smc_field field)
{
    switch (field) {
    case SMC_FIELD_REGS:
    case SMC_FIELD_STATIC_SMEM:
    case SMC_FIELD_DYNAMIC_SMEM:
    case SMC_FIELD_CARVEOUT:
    case SMC_FIELD_BARRIERS:
        return field;
    default:
        break;
    }
    bool scale = smc_field_is_param(field) && !smc_field_is_size(field) &&
                 smc_field_param(field) != SMC_PARAM_DTYPE;
    return scale ? field : shaping_field(&answer->query);
}

static const char *chart_label_of(enum smc_field field)
{
    enum { PARAM = SMC_FIELD_FIRST_PARAM };
    static const char *const labels[SMC_FIELD_COUNT] = {
        [SMC_FIELD_THREADS] = "threads per block",
        [SMC_FIELD_REGS] = "registers per thread",
        [SMC_FIELD_STATIC_SMEM] = "static shared memory",
        [SMC_FIELD_DYNAMIC_SMEM] = "dynamic shared memory",
        [SMC_FIELD_CARVEOUT] = "preferred carve-out",
        [SMC_FIELD_BARRIERS] = "barriers per block",
        [PARAM + SMC_PARAM_BLOCK] = "threads per block",
        [PARAM + SMC_PARAM_LIVE] = "values kept in registers",
        [PARAM + SMC_PARAM_STATIC_BYTES] = "static shared memory",
    };
    return labels[field] ? labels[field] : smc_param_info[smc_field_param(field)].option;
}

/* The field's range, cut to the values that matter on the device. */
static struct axis choose_axis(const struct smc_answer *answer, enum smc_field wanted)
{
    enum smc_field field = axis_field(answer, wanted);
    struct smc_field_range range = smc_field_range(&answer->query, field);
    int64_t now = smc_field_number(&answer->query, answer, field);
    struct axis axis = {field, chart_label_of(field), range.lowest, range.highest, range.step,
                        now,   SMC_CHART_NUMBERS};
    if (range.bytes)
        axis.unit = SMC_CHART_BYTES;
    if (field == SMC_FIELD_THREADS || field == smc_field_of_param(SMC_PARAM_BLOCK)) {
        axis.lowest = axis.step;
    } else if (field == smc_field_of_param(SMC_PARAM_RADIUS)) {
        axis.highest = 2 * (now > 64 ? now : 64);
    } else if (field == smc_field_of_param(SMC_PARAM_STATIC_BYTES)) {
        axis.highest = answer->query.device.sm.smem_per_block_default_bytes;
    } else if (field == SMC_FIELD_CARVEOUT) {
        axis.unit = SMC_CHART_PERCENT;
        axis.step = 1;
    }
    int64_t most = (axis.highest - axis.lowest) / MOST_POINTS + 1;
    while (axis.step < most)
        axis.step *= 2;
    return axis;
}

/* A parameter changes the kernel and needs its own registers; any other field changes only the
   launch. */
static struct smc_chart_point chart_point_at(const struct smc_query *asked,
                                             const struct smc_answer *answer,
                                             const struct axis *axis, int64_t value,
                                             const struct smc_memo *memo)
{
    struct smc_answer other;
    struct smc_query query = *asked;
    smc_auto_text warnings = {0};
    const struct smc_resources *known = &answer->resources;
    struct smc_chart_point point = {.value = value};
    smc_field_set_number(&query, axis->field, value);
    if (smc_field_is_param(axis->field)) {
        if (query.kernel->complete(query.kernel, &query.params, NULL) != SMC_OK)
            return point;
        known = smc_memo_find(memo, &query);
    }
    query.compile.no_nvrtc = true;
    enum smc_status status = smc_query_evaluate(&query, known, &other, &warnings, NULL);
    point.is_uncompiled = status == SMC_UNAVAILABLE;
    point.is_given_up = point.is_uncompiled && smc_memo_has_failed(memo, &query);
    if (status != SMC_OK)
        return point;
    point.percent = other.occupancy_percent;
    point.blocks = other.occupancy.blocks_per_sm;
    point.launches = other.outcome == SMC_LAUNCHES;
    point.limiters = point.launches ? other.occupancy.limiters : 0;
    point.assumed = other.resources.source == SMC_RESOURCES_ASSUMED;
    return point;
}

static bool chart_reserve(struct smc_tui_chart *chart, size_t count)
{
    if (count <= chart->capacity)
        return true;
    struct smc_chart_point *point = smc_realloc(chart->point, count * sizeof *point);
    if (!point)
        return false;
    chart->point = point;
    chart->capacity = count;
    return true;
}

/* The current value is a point, too, even between two steps or outside the range. */
void smc_chart_find(struct smc_tui_chart *chart, const struct smc_query *query,
                    const struct smc_answer *answer, enum smc_field field,
                    const struct smc_memo *memo)
{
    struct axis axis = choose_axis(answer, field);
    size_t steps = (size_t)((axis.highest - axis.lowest) / axis.step + 1);
    bool launch_known = answer->launch.threads_per_block > 0;
    chart->field = axis.field;
    chart->label = axis.label;
    chart->now = axis.now;
    chart->unit = axis.unit;
    chart->count = 0;
    if (!(launch_known || smc_field_is_param(axis.field)) || !chart_reserve(chart, steps + 1))
        return;
    bool now_is_in = false;
    for (size_t i = 0; i < steps; i++) {
        int64_t value = axis.lowest + (int64_t)i * axis.step;
        if (!now_is_in && axis.now < value)
            chart->point[chart->count++] = chart_point_at(query, answer, &axis, axis.now, memo);
        now_is_in = axis.now <= value;
        chart->point[chart->count++] = chart_point_at(query, answer, &axis, value, memo);
    }
    if (!now_is_in)
        chart->point[chart->count++] = chart_point_at(query, answer, &axis, axis.now, memo);
}

bool smc_chart_find_uncompiled(const struct smc_tui_chart *chart, const struct smc_query *asked,
                               const struct smc_memo *memo, struct smc_query *query)
{
    bool found = false;
    int64_t least = 0;
    for (size_t i = 0; i < chart->count && smc_field_is_param(chart->field); i++) {
        const struct smc_chart_point *point = &chart->point[i];
        struct smc_query trial = *asked;
        int64_t far =
            point->value < chart->now ? chart->now - point->value : point->value - chart->now;
        if (!point->is_uncompiled || (found && far >= least))
            continue;
        smc_field_set_number(&trial, chart->field, point->value);
        if (trial.kernel->complete(trial.kernel, &trial.params, NULL) != SMC_OK ||
            smc_memo_has_failed(memo, &trial))
            continue;
        *query = trial;
        least = far;
        found = true;
    }
    return found;
}

void smc_chart_free(struct smc_tui_chart *chart)
{
    free(chart->point);
    *chart = (struct smc_tui_chart){0};
}

/* --- Columns --- */

/* The points spread over columns: several points share a column, or one point takes several. */
struct chart_view_columns {
    const struct smc_tui_chart *chart; /* has points */
    int count;
};

/* The first point of a column. */
static size_t first_point(const struct chart_view_columns *columns, int column)
{
    return (size_t)column * columns->chart->count / (size_t)columns->count;
}

/* The columns of a point; points that share a column all have it. */
static int last_column(const struct chart_view_columns *columns, size_t point)
{
    return (int)(((point + 1) * (size_t)columns->count - 1) / columns->chart->count);
}

static int first_column(const struct chart_view_columns *columns, size_t point)
{
    size_t count = columns->chart->count;
    int last = last_column(columns, point);
    int first = (int)((point * (size_t)columns->count + count - 1) / count);
    return first < last ? first : last;
}

/* The point that a column shows: the current one, or else the best of those that share it, so that
   a peak of one value stays visible. */
static const struct smc_chart_point *point_of(const struct chart_view_columns *columns, int column)
{
    const struct smc_tui_chart *chart = columns->chart;
    size_t from = first_point(columns, column), to = first_point(columns, column + 1);
    const struct smc_chart_point *best = &chart->point[from];
    for (size_t i = from; i < to; i++) {
        if (chart->point[i].value == chart->now)
            return &chart->point[i];
        if (chart->point[i].percent > best->percent ||
            (best->is_uncompiled && !chart->point[i].is_uncompiled))
            best = &chart->point[i];
    }
    return best;
}

/* The index of the current value. */
static size_t current_point(const struct smc_tui_chart *chart)
{
    size_t i = 0;
    while (i + 1 < chart->count && chart->point[i].value != chart->now)
        i++;
    return i;
}

/* --- Labels --- */

/* "48K", "250", "driver's". */
static void write_value(const struct smc_tui_chart *chart, int64_t value, char text[32])
{
    if (chart->unit == SMC_CHART_PERCENT && value < 0)
        snprintf(text, 32, "driver's");
    else if (chart->unit == SMC_CHART_BYTES && value % 1024 == 0 && value > 0)
        snprintf(text, 32, "%" PRId64 "K", value / 1024);
    else
        snprintf(text, 32, "%" PRId64, value);
}

/* The column where a point's label begins, centred below the point. */
static int label_column(const struct chart_view_columns *columns, size_t point, char text[32])
{
    write_value(columns->chart, columns->chart->point[point].value, text);
    int width = (int)strlen(text);
    int col = (first_column(columns, point) + last_column(columns, point) + 1 - width) / 2;
    col = col + width > columns->count ? columns->count - width : col;
    return col < 0 ? 0 : col;
}

static void draw_label(const struct chart_view_columns *columns, size_t point, struct smc_rect line,
                       struct smc_frame *frame)
{
    char text[32];
    struct smc_rect floor = {line.row - 1, line.col, 1, line.cols};
    int tick = (first_column(columns, point) + last_column(columns, point)) / 2;
    smc_frame_glyph(frame, floor, 0, tick, SMC_STYLE_FRAME, FLOOR_TICK);
    smc_frame_text(frame, line, 0, label_column(columns, point, text), SMC_STYLE_DIM, text);
}

/* Whether the labels of the multiples of `step` have a blank between them. */
static bool labels_fit(const struct chart_view_columns *columns, int64_t step)
{
    char text[32];
    int end = 0;
    for (size_t i = 0; i < columns->chart->count; i++) {
        if (columns->chart->point[i].value % step != 0)
            continue;
        int col = label_column(columns, i, text);
        if (col < end)
            return false;
        end = col + (int)strlen(text) + 1;
    }
    return true;
}

/* Labels are round numbers: multiples of 5 for percentages, powers of two for the rest. */
static int64_t choose_step(const struct chart_view_columns *columns)
{
    static const int64_t percents[] = {5, 10, 20, 25, 50, 100};
    int64_t step = columns->chart->unit == SMC_CHART_BYTES ? 1024 : 1;
    if (columns->chart->unit == SMC_CHART_PERCENT)
        for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
            if (labels_fit(columns, percents[i]))
                return percents[i];
    while (!labels_fit(columns, step))
        step *= 2;
    return step;
}

/* Round numbers with ticks on the line above, as many as fit, and the first point if there is space
   for it. */
static void draw_labels(const struct chart_view_columns *columns, struct smc_rect line,
                        struct smc_frame *frame)
{
    char text[32];
    const struct smc_tui_chart *chart = columns->chart;
    int64_t step = choose_step(columns);
    int left = line.cols;
    for (size_t i = chart->count; i-- > 0;) {
        if (chart->point[i].value % step != 0)
            continue;
        draw_label(columns, i, line, frame);
        left = label_column(columns, i, text);
    }
    if (label_column(columns, 0, text) + (int)strlen(text) + 2 <= left)
        draw_label(columns, 0, line, frame);
}

/* --- Drawing --- */

static int eighths_of(double percent, int rows)
{
    return (int)(percent / 100 * rows * EIGHTHS + 0.5);
}

static void draw_column(const struct smc_chart_point *point, bool now, struct smc_rect plot,
                        int column, struct smc_frame *frame)
{
    int eighths = eighths_of(point->percent, plot.rows);
    enum smc_style style = now                      ? SMC_STYLE_NOW
                           : point->assumed         ? SMC_STYLE_DIM
                           : point->percent > 99.99 ? SMC_STYLE_CURVE_BEST
                                                    : SMC_STYLE_CURVE;
    if (point->percent > 0 && eighths == 0)
        eighths = 1;
    for (int row = plot.rows - 1; row >= 0 && eighths > 0; row--, eighths -= EIGHTHS)
        smc_frame_glyph(frame, plot, row, column, style,
                        BAR + (uint32_t)(eighths < EIGHTHS ? eighths : EIGHTHS));
    if (point->is_uncompiled)
        smc_frame_glyph(frame, plot, plot.rows - 1, column, now ? SMC_STYLE_NOW : SMC_STYLE_DIM,
                        SMC_SIGN_NOT_COMPILED);
    else if (!point->launches)
        smc_frame_glyph(frame, plot, plot.rows - 1, column, SMC_STYLE_BAD, SMC_SIGN_NO_LAUNCH);
}

/* The vertical axis. A percentage is beside the top cell of a bar of that height. */
static void chart_draw_scale(struct smc_rect rect, struct smc_rect plot, struct smc_frame *frame)
{
    int step = plot.rows >= 12 ? 25 : plot.rows >= 5 ? 50 : 100, axis = AXIS_COLUMNS - 1;
    for (int row = 0; row < plot.rows; row++)
        smc_frame_glyph(frame, rect, row, axis, SMC_STYLE_FRAME, AXIS);
    for (int percent = step; percent <= 100; percent += step) {
        int row = plot.rows - (eighths_of(percent, plot.rows) + EIGHTHS - 1) / EIGHTHS;
        smc_frame_printf(frame, rect, row, 0, SMC_STYLE_DIM, "%4d", percent);
        smc_frame_glyph(frame, rect, row, axis, SMC_STYLE_FRAME, AXIS_TICK);
        for (int column = 0; column < plot.cols; column += 2)
            smc_frame_glyph(frame, plot, row, column, SMC_STYLE_FRAME, GRID);
    }
    smc_frame_printf(frame, rect, plot.rows, 0, SMC_STYLE_DIM, "%4d", 0);
    smc_frame_glyph(frame, rect, plot.rows, axis, SMC_STYLE_FRAME, CORNER);
}

/* Rows of letters: as many as limits that bind at one point; 0 on a small panel. */
static int letter_rows(const struct smc_tui_chart *chart, struct smc_rect rect)
{
    int rows = 1;
    for (size_t i = 0; i < chart->count; i++) {
        const int limits = __builtin_popcount(chart->point[i].limiters);
        rows = limits > rows ? limits : rows;
    }
    return rect.rows < WHY_FROM ? 0 : rows;
}

/* Below each point a letter for each resource that stops the next block. */
static void draw_limiters(const struct chart_view_columns *columns, struct smc_rect rect,
                          struct smc_rect lines, struct smc_frame *frame)
{
    if (lines.rows > 0)
        smc_frame_text(frame, rect, lines.row - rect.row, 1, SMC_STYLE_DIM, "why");
    for (int column = 0; column < columns->count && lines.rows > 0; column++) {
        const struct smc_chart_point *point = point_of(columns, column);
        const bool now = point->value == columns->chart->now;
        const enum smc_style style = now ? SMC_STYLE_NOW : SMC_STYLE_DIM;
        char letters[SMC_LIMIT_COUNT + 1];
        smc_words_limit_letters(point->limiters, letters);
        for (int row = 0; row < lines.rows && letters[row]; row++)
            smc_frame_glyph(frame, lines, row, column, style, (uint32_t)letters[row]);
        if (!point->launches)
            smc_frame_glyph(frame, lines, 0, column, style,
                            point->is_uncompiled ? SMC_SIGN_NOT_COMPILED : SMC_SIGN_NO_LAUNCH);
    }
}

/* On the bottom edge: what the signs mean, and the letters where they are shown. */
static void chart_draw_legend(const struct chart_view_columns *columns, struct smc_rect rect,
                              bool has_letters, struct smc_frame *frame)
{
    uint32_t seen = 0;
    bool fails = false, uncompiled = false, pending = false;
    smc_auto_text words = {0};
    struct smc_rect edge = {rect.row + rect.rows, rect.col, 1, rect.cols};
    for (int column = 0; column < columns->count; column++) {
        const struct smc_chart_point *point = point_of(columns, column);
        uncompiled |= point->is_uncompiled;
        pending |= point->is_uncompiled && !point->is_given_up;
        fails |= !point->launches && !point->is_uncompiled;
        seen |= point->limiters;
    }
    for (int i = 0; has_letters && i < SMC_LIMIT_COUNT; i++)
        if (seen & 1u << i)
            smc_text_printf(&words, " %c %s ", smc_words_limit_letter((enum smc_limit)i),
                            smc_words_short_label((enum smc_limit)i));
    if (fails) {
        smc_text_append(&words, " ");
        smc_glyph_append(SMC_SIGN_NO_LAUNCH, true, &words);
        smc_text_append(&words, " no launch ");
    }
    if (uncompiled) {
        smc_text_append(&words, " ");
        smc_glyph_append(SMC_SIGN_NOT_COMPILED, true, &words);
        smc_text_append(&words, pending ? " not compiled yet " : " not compiled ");
    }
    smc_text_append(&words, " ");
    smc_glyph_append(SMC_SIGN_NOW, true, &words);
    smc_text_append(&words, " now ");
    if (smc_utf8_string_columns(smc_text_string(&words)) <= edge.cols)
        smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, smc_text_string(&words));
}

/* On the top edge, where it fits: "32: 2 blocks, 100 %". */
static void chart_draw_heading(const struct smc_tui_chart *chart, struct smc_rect rect,
                               struct smc_frame *frame)
{
    const struct smc_chart_point *point = &chart->point[current_point(chart)];
    char value[32], percent[32], text[128];
    write_value(chart, point->value, value);
    smc_words_percent(point->percent, percent);
    if (point->launches)
        snprintf(text, sizeof text, " %s: %u block%s, %s ", value, point->blocks,
                 smc_text_plural(point->blocks), percent);
    else if (point->is_uncompiled)
        snprintf(text, sizeof text, " %s: %s ", value,
                 point->is_given_up ? "not compiled" : "not compiled yet");
    else
        snprintf(text, sizeof text, " %s: no launch ", value);
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    if ((int)(strlen(text) + strlen(chart->label)) + 18 < rect.cols)
        smc_frame_text_right(frame, edge, 0, SMC_STYLE_NOW, text);
}

/* All points get the same width where few columns are left over, which then stay empty. */
static int plot_columns(int columns, int points)
{
    int odd = columns % points;
    return odd * 8 <= columns ? columns - odd : columns;
}

/* The rectangle of the columns; empty where the panel is too small. */
static struct smc_rect place_plot(const struct smc_tui_chart *chart, struct smc_rect rect)
{
    struct smc_rect plot = {rect.row, rect.col + AXIS_COLUMNS,
                            rect.rows - 2 - letter_rows(chart, rect), rect.cols - AXIS_COLUMNS - 1};
    if (plot.rows < 1 || plot.cols < 4 || chart->count == 0)
        return (struct smc_rect){0};
    plot.cols = plot_columns(plot.cols, (int)chart->count);
    return plot;
}

bool smc_chart_value_at(const struct smc_tui_chart *chart, struct smc_rect rect, int col,
                        int64_t *value)
{
    struct smc_rect plot = place_plot(chart, rect);
    struct chart_view_columns columns = {chart, plot.cols};
    int column = rect.col + col - plot.col;
    if (column < 0 || column >= plot.cols)
        return false;
    *value = point_of(&columns, column)->value;
    return true;
}

void smc_draw_chart(const struct smc_tui_chart *chart, struct smc_rect rect,
                    struct smc_frame *frame)
{
    struct smc_rect plot = place_plot(chart, rect);
    if (plot.rows == 0)
        return;
    struct chart_view_columns columns = {chart, plot.cols};
    struct smc_rect floor = {rect.row + plot.rows, plot.col, 1, plot.cols};
    struct smc_rect labels = {floor.row + 1, plot.col, 1, plot.cols};
    struct smc_rect letters = {labels.row + 1, plot.col, letter_rows(chart, rect), plot.cols};
    size_t now = current_point(chart);
    chart_draw_scale(rect, plot, frame);
    smc_frame_fill(frame, floor, SMC_STYLE_FRAME, FLOOR);
    draw_labels(&columns, labels, frame);
    for (int column = 0; column < plot.cols; column++) {
        bool here = column >= first_column(&columns, now) && column <= last_column(&columns, now);
        draw_column(point_of(&columns, column), here, plot, column, frame);
        if (here)
            smc_frame_glyph(frame, floor, 0, column, SMC_STYLE_NOW, SMC_SIGN_NOW);
    }
    draw_limiters(&columns, rect, letters, frame);
    chart_draw_legend(&columns, rect, letters.rows > 0, frame);
    chart_draw_heading(chart, rect, frame);
}
