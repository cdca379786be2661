/* The numbers below a chart: which ones, and where. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/draw_chart.h"

enum { FLOOR_TICK = 0x252c };

void smc_chart_write_value(const struct smc_chart *chart, int64_t value, char text[32])
{
    if (chart->unit == SMC_CHART_PERCENT && value < 0)
        snprintf(text, 32, "driver's");
    else if (chart->unit == SMC_CHART_BYTES && value % 1024 == 0 && value > 0)
        snprintf(text, 32, "%" PRId64 "K", value / 1024);
    else
        snprintf(text, 32, "%" PRId64, value);
}

/* Where a point's label begins: its middle is the point's. */
static int label_column(const struct smc_chart_columns *columns, size_t point, char text[32])
{
    smc_chart_write_value(columns->chart, columns->chart->point[point].value, text);
    int width = (int)strlen(text);
    int col = (smc_chart_first_column(columns, point) + smc_chart_last_column(columns, point) + 1 -
               width) /
              2;
    col = col + width > columns->count ? columns->count - width : col;
    return col < 0 ? 0 : col;
}

static void draw_label(const struct smc_chart_columns *columns, size_t point, struct smc_rect line,
                       struct smc_frame *frame)
{
    char text[32];
    struct smc_rect floor = {line.row - 1, line.col, 1, line.cols};
    int tick = (smc_chart_first_column(columns, point) + smc_chart_last_column(columns, point)) / 2;
    smc_frame_glyph(frame, floor, 0, tick, SMC_STYLE_FRAME, FLOOR_TICK);
    smc_frame_text(frame, line, 0, label_column(columns, point, text), SMC_STYLE_DIM, text);
}

/* Whether the labels of the multiples of `step` leave a blank between them. */
static bool has_room(const struct smc_chart_columns *columns, int64_t step)
{
    char text[32];
    int behind = 0;
    for (size_t i = 0; i < columns->chart->count; i++) {
        if (columns->chart->point[i].value % step != 0)
            continue;
        int col = label_column(columns, i, text);
        if (col < behind)
            return false;
        behind = col + (int)strlen(text) + 1;
    }
    return true;
}

/* Round numbers: of percent decimal ones, else powers of two. */
static int64_t choose_step(const struct smc_chart_columns *columns)
{
    static const int64_t percents[] = {5, 10, 20, 25, 50, 100};
    int64_t step = columns->chart->unit == SMC_CHART_BYTES ? 1024 : 1;
    if (columns->chart->unit == SMC_CHART_PERCENT)
        for (size_t i = 0; i < sizeof percents / sizeof *percents; i++)
            if (has_room(columns, percents[i]))
                return percents[i];
    while (!has_room(columns, step))
        step *= 2;
    return step;
}

/* And the first point, where it is none of them. */
void smc_draw_chart_labels(const struct smc_chart_columns *columns, struct smc_rect line,
                           struct smc_frame *frame)
{
    char text[32];
    const struct smc_chart *chart = columns->chart;
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
