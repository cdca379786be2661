/* A sweep over devices: a level bar for each, its number and its limit at the end. */
#include "plot/sweep_parts.h"
#include "report/words.h"

static double row_height(const struct smc_canvas *canvas)
{
    return canvas->line_height * (canvas->cells ? 1 : 1.1);
}

static double widest_name(const struct smc_sweep *sweep, const struct smc_canvas *canvas)
{
    double widest = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, "occupancy");
    for (uint64_t i = 0; i < smc_axis_values(&sweep->axis[0]); i++) {
        struct smc_text name = {0};
        smc_sweep_label(sweep, 0, i, &name);
        double width = smc_canvas_text_width(canvas, SMC_FACE_NORMAL, smc_text_string(&name));
        widest = width > widest ? width : widest;
        smc_text_free(&name);
    }
    return widest;
}

static void append_result(const struct smc_sweep_point *point, struct smc_text *text)
{
    char percent[32];
    smc_words_percent(point->percent, percent);
    if (point->state == SMC_POINT_LAUNCHES)
        smc_text_append(text, percent);
    else
        smc_text_append(text, point->state == SMC_POINT_REFUSED   ? "cannot launch"
                              : point->state == SMC_POINT_UNASKED ? ""
                                                                  : "no such launch");
}

static void draw_row(struct smc_page *page, const struct smc_sweep_result *result, uint64_t index,
                     double left, double right)
{
    const struct smc_canvas *canvas = &page->canvas;
    const struct smc_sweep_point *point = &result->point[index];
    struct smc_text name = {0}, text = {0};
    double gap = canvas->cells ? 1 : 8, inset = canvas->cells ? 0 : 2;
    double end = left + point->percent / 100 * (right - left);
    enum smc_ink ink;
    smc_sweep_label(result->sweep, 0, index, &name);
    append_result(point, &text);
    smc_picture_text(page->picture, SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_START,
                     smc_page_left(page), page->y, smc_text_string(&name));
    if (smc_plot_point_ink(point, &ink) && ink != SMC_INK_REFUSED)
        smc_picture_area(page->picture, ink, left, page->y + inset, end - left,
                         canvas->line_height - 2 * inset, 0);
    smc_picture_text(page->picture, SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_START, end + gap,
                     page->y, smc_text_string(&text));
    page->y += row_height(canvas);
    smc_text_free(&name);
    smc_text_free(&text);
}

/* Light lines behind the bars, at each quarter, with its percent above. */
static void draw_scale(struct smc_page *page, uint64_t rows, double left, double right)
{
    const struct smc_canvas *canvas = &page->canvas;
    double top = page->y + canvas->line_height;
    double height = (double)rows * row_height(canvas);
    for (int quarter = 0; quarter <= 4; quarter++) {
        struct smc_text label = {0};
        double x = left + quarter / 4.0 * (right - left);
        smc_text_printf(&label, "%d %%", quarter * 25);
        if (!canvas->cells)
            smc_picture_line(page->picture, SMC_INK_GRID, x, top, 0, height, 1, false);
        smc_picture_text(page->picture, SMC_INK_MUTED, SMC_FACE_NORMAL, SMC_ANCHOR_MIDDLE, x,
                         page->y, smc_text_string(&label));
        smc_text_free(&label);
    }
    smc_picture_text(page->picture, SMC_INK_MUTED, SMC_FACE_NORMAL, SMC_ANCHOR_START,
                     smc_page_left(page), page->y, "occupancy");
    page->y += canvas->line_height + (canvas->cells ? 0 : 4);
}

void smc_plot_sweep_devices(const struct smc_sweep_result *result, struct smc_page *page)
{
    const struct smc_canvas *canvas = &page->canvas;
    struct smc_legend legend = {0};
    for (uint64_t i = 0; i < result->answered; i++) {
        enum smc_ink ink;
        if (smc_plot_point_ink(&result->point[i], &ink) && ink != SMC_INK_REFUSED)
            legend.inks |= 1u << ink;
    }
    smc_page_legend(page, &legend);
    double names = widest_name(result->sweep, canvas);
    double most = (smc_page_right(page) - smc_page_left(page)) / 2;
    double left = smc_page_left(page) + (names < most ? names : most) + 2 * canvas->gap;
    double right = smc_page_right(page) - smc_canvas_text_width(canvas, SMC_FACE_NORMAL, " 93.8 %");
    draw_scale(page, smc_axis_values(&result->sweep->axis[0]), left, right);
    for (uint64_t i = 0; i < smc_axis_values(&result->sweep->axis[0]); i++)
        draw_row(page, result, i, left, right);
}
