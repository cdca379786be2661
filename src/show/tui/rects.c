/* Rectangles of a screen: cut, shared and compared. */
#include "show/tui/frame.h"

static int rects_at_most(int wanted, int most)
{
    return wanted < 0 ? 0 : wanted < most ? wanted : most;
}

struct smc_rect smc_rect_cut_top(struct smc_rect *rect, int rows)
{
    rows = rects_at_most(rows, rect->rows);
    struct smc_rect strip = {rect->row, rect->col, rows, rect->cols};
    rect->row += rows;
    rect->rows -= rows;
    return strip;
}

struct smc_rect smc_rect_cut_bottom(struct smc_rect *rect, int rows)
{
    rows = rects_at_most(rows, rect->rows);
    rect->rows -= rows;
    return (struct smc_rect){rect->row + rect->rows, rect->col, rows, rect->cols};
}

struct smc_rect smc_rect_cut_left(struct smc_rect *rect, int cols)
{
    cols = rects_at_most(cols, rect->cols);
    struct smc_rect strip = {rect->row, rect->col, rect->rows, cols};
    rect->col += cols;
    rect->cols -= cols;
    return strip;
}

struct smc_rect smc_rect_share_top(struct smc_rect *rect, int rows)
{
    struct smc_rect strip = smc_rect_cut_top(rect, rows);
    if (strip.rows > 0 && rect->rows > 0) {
        rect->row--;
        rect->rows++;
    }
    return strip;
}

struct smc_rect smc_rect_share_left(struct smc_rect *rect, int cols)
{
    struct smc_rect strip = smc_rect_cut_left(rect, cols);
    if (strip.cols > 0 && rect->cols > 0) {
        rect->col--;
        rect->cols++;
    }
    return strip;
}

struct smc_rect smc_rect_split(struct smc_rect *rect, const struct smc_split *split)
{
    struct smc_rect rest = *rect;
    if (rect->cols >= split->beside_from) {
        *rect = smc_rect_share_left(&rest, rect->cols - split->beside_cols + 1);
        return rest;
    }
    if (rect->rows < split->below_from)
        return (struct smc_rect){0};
    int rows = rect->rows * 2 / 5;
    rows = rows > split->most_below ? split->most_below : rows;
    rows = rows < split->least_below ? split->least_below : rows;
    *rect = smc_rect_share_top(&rest, rect->rows - rows + 1);
    return rest;
}

struct smc_rect smc_rect_inside(struct smc_rect rect)
{
    if (rect.rows < 2 || rect.cols < 2)
        return (struct smc_rect){rect.row, rect.col, 0, 0};
    return (struct smc_rect){rect.row + 1, rect.col + 1, rect.rows - 2, rect.cols - 2};
}

bool smc_rect_holds(struct smc_rect rect, int row, int col)
{
    return row >= rect.row && row < rect.row + rect.rows && col >= rect.col &&
           col < rect.col + rect.cols;
}

struct smc_rect smc_rect_middle(struct smc_rect body, int rows, int cols)
{
    rows = rows < body.rows ? rows : body.rows;
    cols = cols < body.cols ? cols : body.cols;
    return (struct smc_rect){body.row + (body.rows - rows) / 2, body.col + (body.cols - cols) / 2,
                             rows, cols};
}
