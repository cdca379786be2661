/* A grid with labels, for whatever has rows and columns. */
#include "plot/page.h"
#include "plot/plot.h"

struct layout {
    const struct smc_grid *grid;
    struct smc_page *page;
    double left, top, cell_width, cell_height;
};

static double text_width(const struct layout *layout, const char *text)
{
    return smc_canvas_text_width(&layout->page->canvas, SMC_FACE_SMALL, text);
}

static double row_label_width(const struct layout *layout)
{
    double widest = text_width(layout, layout->grid->row_name);
    for (uint64_t row = 0; row < layout->grid->rows; row++) {
        struct smc_text label = {0};
        layout->grid->row_label(layout->grid->context, row, &label);
        double width = text_width(layout, smc_text_string(&label));
        widest = width > widest ? width : widest;
        smc_text_free(&label);
    }
    return widest;
}

static void draw_cell(const struct layout *layout, uint64_t row, uint64_t column)
{
    const struct smc_grid *grid = layout->grid;
    const struct smc_canvas *canvas = &layout->page->canvas;
    struct smc_text text = {0};
    enum smc_ink ink = SMC_INK_HEAT;
    double shade = 0, border = canvas->cells ? 0 : 1;
    double x = layout->left + (double)column * layout->cell_width;
    double y = layout->top + (double)row * layout->cell_height;
    bool filled = grid->cell(grid->context, row, column, &ink, &shade, &text);
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    bool fits = text_width(layout, smc_text_string(&text)) <= layout->cell_width;
    enum smc_ink text_ink = ink == SMC_INK_HEAT && shade > 0.6 ? SMC_INK_PAPER : SMC_INK_TEXT;
    if (filled && !(canvas->cells && text.length)) /* letters around a number would confuse */
        smc_picture_area(layout->page->picture, ink, x, y, layout->cell_width - border,
                         layout->cell_height - border, shade);
    if (fits)
        smc_picture_text(layout->page->picture, text_ink, SMC_FACE_SMALL, SMC_ANCHOR_MIDDLE,
                         x + (layout->cell_width - border) / 2,
                         y + (layout->cell_height - border - line) / 2, smc_text_string(&text));
    smc_text_free(&text);
}

static void draw_row(const struct layout *layout, uint64_t row)
{
    const struct smc_grid *grid = layout->grid;
    const struct smc_canvas *canvas = &layout->page->canvas;
    struct smc_text label = {0};
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    double y = layout->top + (double)row * layout->cell_height + (layout->cell_height - line) / 2;
    grid->row_label(grid->context, row, &label);
    smc_picture_text(layout->page->picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_END,
                     layout->left - (canvas->cells ? 1 : 6), y, smc_text_string(&label));
    smc_text_free(&label);
    for (uint64_t column = 0; column < grid->columns; column++)
        draw_cell(layout, row, column);
}

/* As many labels as stand apart. */
static void draw_column_labels(const struct layout *layout)
{
    const struct smc_grid *grid = layout->grid;
    const struct smc_canvas *canvas = &layout->page->canvas;
    double end = 0;
    for (uint64_t column = 0; column < grid->columns; column++) {
        struct smc_text label = {0};
        grid->column_label(grid->context, column, &label);
        double width = text_width(layout, smc_text_string(&label));
        double middle = layout->left + ((double)column + 0.5) * layout->cell_width;
        if (column == 0 || middle - width / 2 >= end) {
            smc_picture_text(layout->page->picture, SMC_INK_MUTED, SMC_FACE_SMALL,
                             SMC_ANCHOR_MIDDLE, middle, layout->page->y, smc_text_string(&label));
            end = middle + width / 2 + canvas->char_width;
        }
        smc_text_free(&label);
    }
}

void smc_plot_grid(const struct smc_grid *grid, const struct smc_canvas *canvas,
                   struct smc_picture *picture)
{
    struct smc_page page = smc_page_begin(picture, canvas);
    struct layout layout = {.grid = grid, .page = &page};
    smc_page_heading(&page, SMC_FACE_TITLE, SMC_INK_TEXT, grid->title);
    smc_page_heading(&page, SMC_FACE_NORMAL, SMC_INK_MUTED, grid->subtitle);
    page.y += canvas->gap;
    layout.left = smc_page_left(&page) + row_label_width(&layout) + canvas->gap;
    double room = smc_page_right(&page) - layout.left, widest = canvas->cells ? 6 : 60;
    layout.cell_width = room / (double)(grid->columns ? grid->columns : 1);
    layout.cell_width = layout.cell_width < widest ? layout.cell_width : widest;
    if (canvas->cells && layout.cell_width > 1)
        layout.cell_width = (double)(int)layout.cell_width;
    layout.cell_height = canvas->line_height * (canvas->cells ? 1 : 1.2);
    smc_picture_text(picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_START, layout.left, page.y,
                     grid->column_name);
    page.y += canvas->line_height;
    smc_picture_text(picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_START, smc_page_left(&page),
                     page.y, grid->row_name);
    draw_column_labels(&layout);
    page.y += canvas->line_height;
    layout.top = page.y;
    for (uint64_t row = 0; row < grid->rows; row++)
        draw_row(&layout, row);
    page.y += (double)grid->rows * layout.cell_height + canvas->gap;
    smc_page_heading(&page, SMC_FACE_NORMAL, SMC_INK_MUTED, grid->note);
    smc_page_end(&page);
}
