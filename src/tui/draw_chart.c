/* Occupancy along one field: bars, the cliffs visible, the present point marked. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/words.h"
#include "tui/draw_chart.h"
#include "tui/explore_draw.h"
#include "tui/frame.h"

enum { AXIS_COLUMNS = 5, EIGHTHS = 8, WHY_FROM = 12 };
enum {
    AXIS = 0x2502,
    AXIS_TICK = 0x2524,
    CORNER = 0x2514,
    FLOOR = 0x2500,
    GRID = 0x254c,
    BAR = 0x2580, /* and the eighths behind it */
};

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
    if (!point->launches)
        smc_frame_glyph(frame, plot, plot.rows - 1, column, SMC_STYLE_BAD, SMC_SIGN_NO_LAUNCH);
}

/* The vertical axis: a percentage stands beside the topmost cell that a bar of it reaches into. */
static void draw_scale(struct smc_rect rect, struct smc_rect plot, struct smc_frame *frame)
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

static uint32_t letter_of(const struct smc_chart_point *point)
{
    return point->launches
               ? (uint32_t)smc_words_limit_letter(smc_words_first_limiter(point->limiters))
               : SMC_SIGN_NO_LAUNCH;
}

/* Which resource stops the next block at each point, a letter each. */
static void draw_limiters(const struct smc_chart_columns *columns, struct smc_rect rect,
                          struct smc_rect line, struct smc_frame *frame)
{
    smc_frame_text(frame, rect, line.row - rect.row, 1, SMC_STYLE_DIM, "why");
    for (int column = 0; column < columns->count; column++) {
        const struct smc_chart_point *point = smc_chart_point_of(columns, column);
        bool now = point->value == columns->chart->now;
        smc_frame_glyph(frame, line, 0, column, now ? SMC_STYLE_NOW : SMC_STYLE_DIM,
                        letter_of(point));
    }
}

/* What the signs and, where they are shown, the letters mean, on the frame's bottom edge. */
static void draw_legend(const struct smc_chart *chart, struct smc_rect rect, bool has_letters,
                        struct smc_frame *frame)
{
    uint32_t seen = 0;
    bool fails = false;
    struct smc_text words = {0};
    struct smc_rect edge = {rect.row + rect.rows, rect.col, 1, rect.cols};
    for (size_t i = 0; i < chart->count; i++) {
        fails |= !chart->point[i].launches;
        if (chart->point[i].launches)
            seen |= 1u << smc_words_first_limiter(chart->point[i].limiters);
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
    smc_text_append(&words, " ");
    smc_glyph_append(SMC_SIGN_NOW, true, &words);
    smc_text_append(&words, " now ");
    if (smc_utf8_string_columns(smc_text_string(&words)) <= edge.cols)
        smc_frame_text_right(frame, edge, 0, SMC_STYLE_DIM, smc_text_string(&words));
    smc_text_free(&words);
}

/* "32: 2 blocks, 100 %", on the frame's top edge where there is room. */
static void draw_heading(const struct smc_chart *chart, struct smc_rect rect,
                         struct smc_frame *frame)
{
    const struct smc_chart_point *point = &chart->point[smc_chart_present_point(chart)];
    char value[32], percent[32], text[128];
    smc_chart_write_value(chart, point->value, value);
    smc_words_percent(point->percent, percent);
    if (point->launches)
        snprintf(text, sizeof text, " %s: %u block%s, %s ", value, point->blocks,
                 point->blocks == 1 ? "" : "s", percent);
    else
        snprintf(text, sizeof text, " %s: no launch ", value);
    struct smc_rect edge = {rect.row - 1, rect.col, 1, rect.cols};
    if ((int)(strlen(text) + strlen(chart->label)) + 18 < rect.cols)
        smc_frame_text_right(frame, edge, 0, SMC_STYLE_NOW, text);
}

/* Columns that are left over from points of one width stay empty, if they are few. */
static int plot_columns(int columns, int points)
{
    int odd = columns % points;
    return odd * 8 <= columns ? columns - odd : columns;
}

/* Where the columns stand; empty where there is too little room. */
static struct smc_rect place_plot(const struct smc_chart *chart, struct smc_rect rect)
{
    bool tells_why = rect.rows >= WHY_FROM;
    struct smc_rect plot = {rect.row, rect.col + AXIS_COLUMNS, rect.rows - 2 - tells_why,
                            rect.cols - AXIS_COLUMNS - 1};
    if (plot.rows < 1 || plot.cols < 4 || chart->count == 0)
        return (struct smc_rect){0};
    plot.cols = plot_columns(plot.cols, (int)chart->count);
    return plot;
}

bool smc_chart_value_at(const struct smc_chart *chart, struct smc_rect rect, int col,
                        int64_t *value)
{
    struct smc_rect plot = place_plot(chart, rect);
    struct smc_chart_columns columns = {chart, plot.cols};
    int column = rect.col + col - plot.col;
    if (column < 0 || column >= plot.cols)
        return false;
    *value = smc_chart_point_of(&columns, column)->value;
    return true;
}

void smc_draw_chart(const struct smc_chart *chart, struct smc_rect rect, struct smc_frame *frame)
{
    struct smc_rect plot = place_plot(chart, rect);
    if (plot.rows == 0)
        return;
    struct smc_chart_columns columns = {chart, plot.cols};
    struct smc_rect floor = {rect.row + plot.rows, plot.col, 1, plot.cols};
    struct smc_rect labels = {floor.row + 1, plot.col, 1, plot.cols};
    struct smc_rect letters = {labels.row + 1, plot.col, 1, plot.cols};
    size_t now = smc_chart_present_point(chart);
    draw_scale(rect, plot, frame);
    smc_frame_fill(frame, floor, SMC_STYLE_FRAME, FLOOR);
    smc_draw_chart_labels(&columns, labels, frame);
    for (int column = 0; column < plot.cols; column++) {
        bool here = column >= smc_chart_first_column(&columns, now) &&
                    column <= smc_chart_last_column(&columns, now);
        draw_column(smc_chart_point_of(&columns, column), here, plot, column, frame);
        if (here)
            smc_frame_glyph(frame, floor, 0, column, SMC_STYLE_NOW, SMC_SIGN_NOW);
    }
    if (rect.rows >= WHY_FROM)
        draw_limiters(&columns, rect, letters, frame);
    draw_legend(chart, rect, rect.rows >= WHY_FROM, frame);
    draw_heading(chart, rect, frame);
}
