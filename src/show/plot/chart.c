/* A chart with two numeric axes: its frame, ticks, lines, points and labels. */
#include "show/plot/chart.h"
#include "base/numbers.h"

#include <math.h>
#include <stdio.h>

enum { MOST_TICKS = 64, FEW_DECADES = 2 };

/* --- Scales ----------------------------------------------------------------------------------- */

static double power_of_ten_below(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

void smc_scale_round(double low, double high, struct smc_scale *scale)
{
    static const double steps[] = {1, 2, 5, 10};
    double below = power_of_ten_below(low), above = power_of_ten_below(high);
    for (int i = 0; i < 3; i++)
        if (steps[i] * below <= low)
            scale->low = steps[i] * below;
    for (int i = 3; i > 0; i--)
        if (steps[i] * above > high)
            scale->high = steps[i] * above;
    scale->logarithmic = true;
}

/* The share of the axis, 0 to 1. */
static double share_of(const struct smc_scale *scale, double value)
{
    if (value <= scale->low)
        return 0;
    if (value >= scale->high)
        return 1;
    if (!scale->logarithmic)
        return (value - scale->low) / (scale->high - scale->low);
    return log10(value / scale->low) / log10(scale->high / scale->low);
}

static size_t logarithmic_ticks(const struct smc_scale *scale, double ticks[MOST_TICKS])
{
    static const double steps[] = {1, 2, 5};
    bool all = log10(scale->high / scale->low) < FEW_DECADES;
    size_t count = 0;
    for (double ten = power_of_ten_below(scale->low); ten <= scale->high * 1.0001; ten *= 10)
        for (int i = 0; i < (all ? 3 : 1); i++) {
            double value = steps[i] * ten;
            if (value > scale->low * 0.9999 && value < scale->high * 1.0001 && count < MOST_TICKS)
                ticks[count++] = value;
        }
    return count;
}

static size_t linear_ticks(const struct smc_scale *scale, unsigned most, double ticks[MOST_TICKS])
{
    struct smc_ticks among =
        smc_ticks_between((int64_t)scale->low, (int64_t)scale->high, SMC_TICKS_DECIMAL, most);
    size_t count = 0;
    for (double value = (double)among.first; value <= scale->high && count < MOST_TICKS;
         value += (double)among.step) {
        ticks[count++] = value;
        if (among.step == 0)
            break;
    }
    return count;
}

static size_t find_ticks(const struct smc_scale *scale, unsigned most, double ticks[MOST_TICKS])
{
    return scale->logarithmic ? logarithmic_ticks(scale, ticks) : linear_ticks(scale, most, ticks);
}

/* --- The frame -------------------------------------------------------------------------------- */

static bool is_cells(const struct smc_chart *chart)
{
    return chart->page->canvas.cells;
}

/* Positions: in cells the middle of a cell. Values outside a scale are moved to its end. */
static double chart_x(const struct smc_chart *chart, double value)
{
    double share = share_of(&chart->x, value), width = chart->right - chart->left;
    return is_cells(chart) ? chart->left + 0.5 + share * (width - 1) : chart->left + share * width;
}

static double chart_y(const struct smc_chart *chart, double value)
{
    double share = share_of(&chart->y, value), height = chart->bottom - chart->top;
    return is_cells(chart) ? chart->bottom - 0.5 - share * (height - 1)
                           : chart->bottom - share * height;
}

static double chart_widest_label(const struct smc_canvas *canvas, const struct smc_scale *scale)
{
    double ticks[MOST_TICKS], widest = 0;
    size_t count = find_ticks(scale, 5, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        scale->label(ticks[i], text);
        double width = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

/* So that the label below the right end is on the page. */
static double half_last_label(const struct smc_canvas *canvas, const struct smc_scale *scale)
{
    char text[32];
    scale->label(scale->high, text);
    double half = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text) / 2;
    return canvas->cells ? ceil(half) : half;
}

static void draw_y_ticks(const struct smc_chart *chart)
{
    struct smc_picture *picture = chart->page->picture;
    double ticks[MOST_TICKS], line = chart->page->canvas.line_height, last = chart->bottom + line;
    size_t count = find_ticks(&chart->y, 5, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        double y = chart_y(chart, ticks[i]);
        double top = is_cells(chart) ? floor(y) : y - line / 2;
        if (!is_cells(chart))
            smc_picture_line(picture, SMC_STROKE(GRID, 1), chart->left, y,
                             chart->right - chart->left, 0);
        if (last - top < line)
            continue;
        chart->y.label(ticks[i], text);
        smc_picture_text(picture, SMC_LOOK(MUTED, NORMAL, END),
                         chart->left - (is_cells(chart) ? 2 : 10), top, text);
        last = top;
    }
}

static void draw_x_ticks(const struct smc_chart *chart)
{
    const struct smc_canvas *canvas = &chart->page->canvas;
    struct smc_picture *picture = chart->page->picture;
    double ticks[MOST_TICKS], end = 0;
    size_t count = find_ticks(&chart->x, is_cells(chart) ? 5 : 11, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[32];
        chart->x.label(ticks[i], text);
        double x = chart_x(chart, ticks[i]);
        double half = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text) / 2;
        if (!is_cells(chart))
            smc_picture_line(picture, SMC_STROKE(GRID, 1), x, chart->top, 0,
                             chart->bottom - chart->top);
        if (x - half < end || x + half > smc_page_right(chart->page) + half)
            continue;
        smc_picture_text(picture, SMC_LOOK(MUTED, NORMAL, MIDDLE), x,
                         chart->bottom + (is_cells(chart) ? 1 : 10), text);
        end = x + half + canvas->char_width;
    }
}

static void chart_draw_axes(const struct smc_chart *chart)
{
    struct smc_picture *picture = chart->page->picture;
    double edge = is_cells(chart) ? 0.5 : 0;
    smc_picture_line(picture, SMC_STROKE(MUTED, 1), chart->left - edge, chart->top, 0,
                     chart->bottom + edge - chart->top);
    smc_picture_line(picture, SMC_STROKE(MUTED, 1), chart->left - edge, chart->bottom + edge,
                     chart->right - chart->left + edge, 0);
}

struct smc_chart smc_chart_begin(struct smc_page *page, const struct smc_scale *x,
                                 const struct smc_scale *y)
{
    const struct smc_canvas *canvas = &page->canvas;
    bool cells = canvas->cells;
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, START), smc_page_left(page), y->name);
    page->y += canvas->line_height * (cells ? 1 : 1.55);
    struct smc_chart chart = {
        .page = page,
        .x = *x,
        .y = *y,
        .left = smc_page_left(page) + chart_widest_label(canvas, y) + (cells ? 2 : 10),
        .right = smc_page_right(page) - half_last_label(canvas, x),
        .top = page->y,
        .bottom = page->y + canvas->plot_height,
        .first_shape = page->picture->count,
    };
    draw_y_ticks(&chart);
    draw_x_ticks(&chart);
    chart_draw_axes(&chart);
    page->y = chart.bottom + (cells ? 2 : 12 + canvas->line_height);
    smc_page_text(page, SMC_LOOK(MUTED, NORMAL, MIDDLE), (chart.left + chart.right) / 2, x->name);
    page->y += canvas->line_height + (cells ? 1 : 1.2 * canvas->gap);
    return chart;
}

/* --- Lines and points ------------------------------------------------------------------------- */

void smc_chart_line(const struct smc_chart *chart, struct smc_stroke stroke, double x1, double y1,
                    double x2, double y2)
{
    double from_x = chart_x(chart, x1), from_y = chart_y(chart, y1);
    double to_x = chart_x(chart, x2), to_y = chart_y(chart, y2);
    smc_picture_line(chart->page->picture, stroke, from_x, from_y, to_x - from_x, to_y - from_y);
}

void smc_chart_mark(const struct smc_chart *chart, enum smc_ink ink, double x, double y)
{
    smc_picture_mark(chart->page->picture, ink, chart_x(chart, x), chart_y(chart, y));
}

/* --- Labels ----------------------------------------------------------------------------------- */

struct box {
    double left, top, right, bottom;
};

static bool chart_overlap(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* What a label must not cover: texts and marks. */
static bool chart_box_of(const struct smc_chart *chart, const struct smc_plot_shape *shape,
                         struct box *box)
{
    const struct smc_canvas *canvas = &chart->page->canvas;
    const struct smc_picture *picture = chart->page->picture;
    if (shape->kind == SMC_SHAPE_MARK) {
        double radius = is_cells(chart) ? 0.4 : 6;
        *box = (struct box){shape->x - radius, shape->y - radius, shape->x + radius,
                            shape->y + radius};
        return true;
    }
    if (shape->kind != SMC_SHAPE_TEXT)
        return false;
    double width = smc_canvas_text_width(canvas, shape->face, smc_picture_string(picture, shape));
    double share = shape->anchor == SMC_ANCHOR_START    ? 0
                   : shape->anchor == SMC_ANCHOR_MIDDLE ? 0.5
                                                        : 1;
    double left = shape->x - share * width;
    if (is_cells(chart))
        left = floor(left + 0.5);
    *box = (struct box){left, shape->y, left + width,
                        shape->y + smc_canvas_line_height(canvas, shape->face)};
    return true;
}

static bool is_inside(const struct smc_chart *chart, const struct box *wanted)
{
    return wanted->left >= chart->left && wanted->right <= chart->right &&
           wanted->top >= chart->top && wanted->bottom <= chart->bottom;
}

static bool chart_is_free(const struct smc_chart *chart, const struct box *wanted)
{
    const struct smc_picture *picture = chart->page->picture;
    for (size_t i = chart->first_shape; i < picture->count; i++) {
        struct box box;
        if (chart_box_of(chart, &picture->shape[i], &box) && chart_overlap(&box, wanted))
            return false;
    }
    return true;
}

/* Draws it with its left end and top there if that is free. A backed label in cells clears a cell
   on both sides. */
static bool chart_place(const struct smc_chart *chart, enum smc_face face, bool backed, double left,
                        double top, const char *text)
{
    const struct smc_canvas *canvas = &chart->page->canvas;
    struct smc_picture *picture = chart->page->picture;
    double pad = !backed ? 0 : is_cells(chart) ? 1 : 5;
    double beside = backed ? 0 : is_cells(chart) ? 1 : 3; /* numbers must not run together */
    if (is_cells(chart)) {
        left = floor(left + 0.5);
        top = floor(top + 0.5);
    }
    struct box box = {left - pad, top, left + smc_canvas_text_width(canvas, face, text) + pad,
                      top + smc_canvas_line_height(canvas, face)};
    struct box apart = {box.left - beside, box.top, box.right + beside, box.bottom};
    if (!is_inside(chart, &box) || !chart_is_free(chart, &apart))
        return false;
    const struct smc_text_look look = {SMC_INK_TEXT, face, SMC_ANCHOR_START, backed};
    smc_picture_text(picture, look, left, top, text);
    return true;
}

bool smc_chart_line_label(const struct smc_chart *chart, double x, double y, const char *text)
{
    const struct smc_canvas *canvas = &chart->page->canvas;
    double width = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, text);
    double half = canvas->line_height / 2, pad = is_cells(chart) ? 1 : 6;
    double left =
        smc_clamp(chart_x(chart, x) - width / 2, chart->left + pad, chart->right - width - pad);
    double top = smc_clamp(chart_y(chart, y) - half, chart->top, chart->bottom - 2 * half);
    return chart_place(chart, SMC_FACE_NORMAL, true, left, top, text);
}

bool smc_chart_letter(const struct smc_chart *chart, enum smc_ink ink, double x, double y,
                      char letter)
{
    double left = floor(chart_x(chart, x)), top = floor(chart_y(chart, y));
    const char text[] = {letter, '\0'};
    struct box box = {left, top, left + 1, top + 1};
    if (!chart_is_free(chart, &box))
        return false;
    smc_picture_text(chart->page->picture,
                     (struct smc_text_look){ink, SMC_FACE_STRONG, SMC_ANCHOR_START, false}, left,
                     top, text);
    return true;
}

bool smc_chart_point_label(const struct smc_chart *chart, enum smc_face face, double x, double y,
                           enum smc_label_side side, const char *text)
{
    const struct smc_canvas *canvas = &chart->page->canvas;
    double width = smc_canvas_text_width(canvas, face, text);
    double line = smc_canvas_line_height(canvas, face), gap = is_cells(chart) ? 1 : 9;
    double at_x = chart_x(chart, x), at_y = chart_y(chart, y);
    double beside = at_y - line / 2, above = at_y - line - (is_cells(chart) ? 0.5 : 6);
    double below = at_y + (is_cells(chart) ? 0.5 : 6);
    bool below_first = side == SMC_LABEL_BELOW;
    return (below_first && chart_place(chart, face, false, at_x - width / 2, below, text)) ||
           chart_place(chart, face, false, at_x - width / 2, above, text) ||
           chart_place(chart, face, false, at_x + gap, beside, text) ||
           chart_place(chart, face, false, at_x - width / 2, below, text) ||
           chart_place(chart, face, false, at_x + gap, above, text) ||
           chart_place(chart, face, false, at_x + gap, below, text) ||
           chart_place(chart, face, false, at_x - width - gap, beside, text);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

void smc_chart_percent(double value, char text[32])
{
    snprintf(text, 32, "%.0f %%", value);
}

void smc_chart_rate(double value, const char *unit, char text[SMC_RATE_CHARS])
{
    static const struct {
        double size;
        const char *prefix;
    } scales[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t i = 0;
    while (i + 1 < sizeof scales / sizeof *scales && value < 0.9995 * scales[i].size)
        i++;
    double shown = value / scales[i].size;
    int decimals = shown < 9.995 ? 2 : shown < 99.95 ? 1 : 0;
    snprintf(text, SMC_RATE_CHARS, "%.*f %s%s", decimals, shown, scales[i].prefix, unit);
}

void smc_chart_ms(double ms, char text[32])
{
    int decimals = ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    if (ms < 1)
        snprintf(text, 32, "%.3g ms", ms);
    else
        snprintf(text, 32, "%.*f ms", decimals, ms);
}
