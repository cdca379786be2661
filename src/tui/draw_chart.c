/* Occupancy along one field: bars, the cliffs visible, the present point marked. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/explore_draw.h"
#include "tui/glyph.h"

enum { AXIS_COLUMNS = 5, WHOLE = 0x2588, EIGHTHS = 8, UP_ARROW = 0x25b2 };

/* The points that share a column, or the columns that share a point. */
struct spread {
    const struct smc_chart *chart;
    int columns;
};

static size_t first_point(const struct spread *spread, int column)
{
    return (size_t)((int64_t)column * (int64_t)spread->chart->count / spread->columns);
}

/* The point that a column shows: of several the present one, else the best, so that a peak of one
   value is not lost. */
static const struct smc_chart_point *point_of(const struct spread *spread, int column)
{
    const struct smc_chart *chart = spread->chart;
    size_t from = first_point(spread, column), to = first_point(spread, column + 1);
    const struct smc_chart_point *best = &chart->point[from];
    for (size_t i = from; i < to; i++) {
        if (chart->point[i].value == chart->now)
            return &chart->point[i];
        if (chart->point[i].percent > best->percent)
            best = &chart->point[i];
    }
    return best;
}

static bool is_now(const struct spread *spread, int column)
{
    const struct smc_chart *chart = spread->chart;
    size_t from = first_point(spread, column), to = first_point(spread, column + 1);
    int64_t low = chart->point[from].value;
    int64_t high = to < chart->count ? chart->point[to].value : INT64_MAX;
    bool same = to == from; /* the point takes several columns */
    return chart->now >= low && (same ? chart->now == low : chart->now < high);
}

static void draw_column(const struct smc_chart_point *point, bool now, struct smc_rect plot,
                        int column, struct smc_frame *frame)
{
    int eighths = (int)(point->percent / 100 * plot.rows * EIGHTHS + 0.5);
    enum smc_style style = now                      ? SMC_STYLE_NOW
                           : point->percent > 99.99 ? SMC_STYLE_CURVE_BEST
                                                    : SMC_STYLE_CURVE;
    if (point->percent > 0 && eighths == 0)
        eighths = 1;
    for (int row = plot.rows - 1; row >= 0 && eighths > 0; row--, eighths -= EIGHTHS) {
        uint32_t glyph = 0x2580 + (uint32_t)(eighths < EIGHTHS ? eighths : EIGHTHS);
        smc_frame_glyph(frame, plot, row, column, style, glyph);
    }
    if (!point->launches)
        smc_frame_glyph(frame, plot, plot.rows - 1, column, SMC_STYLE_BAD, 0x2571);
}

static void draw_scale(struct smc_rect rect, int rows, struct smc_frame *frame)
{
    int step = rows >= 12 ? 25 : rows >= 5 ? 50 : 100;
    for (int percent = 0; percent <= 100; percent += step) {
        int row = rows - 1 - (percent * (rows - 1) + 50) / 100;
        smc_frame_printf(frame, rect, row, 0, SMC_STYLE_DIM, "%4d", percent);
    }
}

static void label_of(const struct smc_chart *chart, size_t point, char text[32])
{
    int64_t value = chart->point[point].value;
    if (chart->is_bytes && value % 1024 == 0 && value > 0)
        snprintf(text, 32, "%" PRId64 "K", value / 1024);
    else
        snprintf(text, 32, "%" PRId64, value);
}

static void draw_labels(const struct spread *spread, struct smc_rect line, struct smc_frame *frame)
{
    int next = 0;
    for (int column = 0; column < spread->columns; column++) {
        size_t point = first_point(spread, column);
        char text[32];
        label_of(spread->chart, point, text);
        int width = (int)strlen(text);
        bool starts = column == 0 || first_point(spread, column - 1) != point;
        if (!starts || column < next || column + width > spread->columns)
            continue;
        smc_frame_text(frame, line, 0, column, SMC_STYLE_DIM, text);
        next = column + (width < 6 ? 8 : width + 2);
    }
}

/* "tile 32: 100 %, 2 blocks", on the frame's top edge where there is room. */
static void draw_heading(const struct smc_chart *chart, struct smc_rect rect,
                         struct smc_frame *frame)
{
    for (size_t i = 0; i < chart->count; i++) {
        const struct smc_chart_point *point = &chart->point[i];
        if (point->value != chart->now || !point->launches)
            continue;
        char text[96];
        snprintf(text, sizeof text, " %" PRId64 ": %.4g %%, %u blocks ", point->value,
                 point->percent, point->blocks);
        struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
        if (smc_glyph_string_columns(text) + (int)strlen(chart->label) + 20 < rect.cols)
            smc_frame_text_right(frame, edge, 0, SMC_STYLE_NOW, text);
    }
}

void smc_draw_chart(const struct smc_chart *chart, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect plot = {rect.row, rect.col + AXIS_COLUMNS, rect.rows - 2,
                            rect.cols - AXIS_COLUMNS - 1};
    if (plot.rows < 1 || plot.cols < 4 || chart->count == 0)
        return;
    int odd = plot.cols % (int)chart->count; /* columns too many for points of one width */
    if (odd * 8 <= plot.cols)
        plot.cols -= odd;
    struct spread spread = {chart, plot.cols};
    struct smc_rect marks = {rect.row + plot.rows, plot.col, 1, plot.cols};
    struct smc_rect labels = {marks.row + 1, plot.col, 1, plot.cols};
    draw_scale(rect, plot.rows, frame);
    smc_frame_fill(frame, marks, SMC_STYLE_FRAME, 0x2500);
    for (int column = 0; column < plot.cols; column++) {
        bool now = is_now(&spread, column);
        draw_column(point_of(&spread, column), now, plot, column, frame);
        if (now)
            smc_frame_glyph(frame, marks, 0, column, SMC_STYLE_NOW, UP_ARROW);
    }
    draw_labels(&spread, labels, frame);
    draw_heading(chart, rect, frame);
}
