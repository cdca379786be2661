/* A grid with labels, for whatever has rows and columns. */
#include <stdio.h>

#include "plot/page.h"

struct layout {
    const struct smc_grid *grid;
    struct smc_page *page;
    double left, top, cell_width, cell_height;
};

static double text_width(const struct smc_page *page, const char *text)
{
    return smc_canvas_text_width(&page->canvas, SMC_FACE_SMALL, text);
}

static double row_label_width(const struct layout *layout)
{
    double widest = 0;
    for (uint32_t row = 0; row < layout->grid->rows; row++) {
        struct smc_text label = {0};
        layout->grid->row_label(layout->grid->context, row, &label);
        double width = text_width(layout->page, smc_text_string(&label));
        widest = width > widest ? width : widest;
        smc_text_free(&label);
    }
    return widest;
}

static void outline(struct smc_picture *picture, enum smc_ink ink, double x, double y, double width,
                    double height)
{
    const double thickness = 1.5;
    smc_picture_line(picture, ink, x, y, width, 0, thickness, false);
    smc_picture_line(picture, ink, x, y + height, width, 0, thickness, false);
    smc_picture_line(picture, ink, x, y, 0, height, thickness, false);
    smc_picture_line(picture, ink, x + width, y, 0, height, thickness, false);
}

/* Where cells are characters, the text says all. */
void smc_page_cell(struct smc_page *page, const struct smc_grid_cell *cell, double x, double y,
                   double width, double height)
{
    const struct smc_canvas *canvas = &page->canvas;
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL), border = canvas->cells ? 0 : 1;
    if (!canvas->cells)
        smc_picture_area(page->picture, cell->ink, x, y, width - border, height - border, 0);
    if (!canvas->cells && cell->outlined)
        outline(page->picture, cell->ink, x + 1, y + 1, width - border - 2, height - border - 2);
    enum smc_ink text_ink = canvas->cells ? cell->ink : SMC_INK_TEXT;
    smc_picture_text(page->picture, text_ink, SMC_FACE_SMALL, SMC_ANCHOR_MIDDLE,
                     x + (width - border) / 2, y + (height - border - line) / 2, cell->text);
}

static void draw_row(const struct layout *layout, uint32_t row)
{
    const struct smc_grid *grid = layout->grid;
    const struct smc_canvas *canvas = &layout->page->canvas;
    struct smc_text label = {0};
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    double y = layout->top + row * layout->cell_height;
    grid->row_label(grid->context, row, &label);
    smc_picture_text(layout->page->picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_END,
                     layout->left - (canvas->cells ? 1 : 6), y + (layout->cell_height - line) / 2,
                     smc_text_string(&label));
    smc_text_free(&label);
    for (uint32_t i = 0; i < grid->columns; i++) {
        struct smc_grid_cell cell = {.ink = SMC_INK_GRID};
        grid->cell(grid->context, row, grid->first_column + i, &cell);
        smc_page_cell(layout->page, &cell, layout->left + i * layout->cell_width, y,
                      layout->cell_width, layout->cell_height);
    }
}

/* As many numbers as stand apart. */
static void draw_column_labels(const struct layout *layout)
{
    const struct smc_canvas *canvas = &layout->page->canvas;
    double end = layout->left - layout->cell_width;
    for (uint32_t i = 0; i < layout->grid->columns; i++) {
        char label[16];
        snprintf(label, sizeof label, "%u", layout->grid->first_column + i);
        double width = text_width(layout->page, label);
        double middle = layout->left + (i + 0.5) * layout->cell_width;
        if (middle - width / 2 < end)
            continue;
        smc_picture_text(layout->page->picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_MIDDLE,
                         middle, layout->page->y, label);
        end = middle + width / 2 + canvas->char_width / 4;
    }
}

void smc_page_grid(struct smc_page *page, const struct smc_grid *grid, double left, double width)
{
    const struct smc_canvas *canvas = &page->canvas;
    struct layout layout = {.grid = grid, .page = page};
    double labels = row_label_width(&layout), name = text_width(page, grid->row_name);
    double line = smc_canvas_line_height(canvas, SMC_FACE_SMALL);
    layout.left = left + (labels > name ? labels : name) + canvas->gap;
    layout.cell_width = (left + width - layout.left) / grid->columns;
    layout.cell_height = canvas->line_height * (canvas->cells ? 1 : 1.2);
    if (canvas->cells)
        layout.cell_width = (double)(int)layout.cell_width;
    smc_picture_text(page->picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_START, layout.left,
                     page->y, grid->column_name);
    page->y += line;
    smc_picture_text(page->picture, SMC_INK_MUTED, SMC_FACE_SMALL, SMC_ANCHOR_END,
                     layout.left - (canvas->cells ? 1 : 6), page->y, grid->row_name);
    draw_column_labels(&layout);
    page->y += line;
    layout.top = page->y;
    for (uint32_t row = 0; row < grid->rows; row++)
        draw_row(&layout, row);
    page->y += grid->rows * layout.cell_height + canvas->gap;
}
