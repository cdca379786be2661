/* Rectangles of a screen. */
#ifndef SMC_TUI_RECT_H
#define SMC_TUI_RECT_H

#include <stdbool.h>

struct smc_rect {
    int row, col, rows, cols; /* empty where rows or cols is 0 */
};

/* Cut a strip off one side, at most what is there; `rect` is left with the rest. */
struct smc_rect smc_rect_cut_top(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_cut_bottom(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_cut_left(struct smc_rect *rect, int cols);

/* The same for framed panels: the strip keeps the edge that it shares with what is left. */
struct smc_rect smc_rect_share_top(struct smc_rect *rect, int rows);
struct smc_rect smc_rect_share_left(struct smc_rect *rect, int cols);

/* Without its edge. */
struct smc_rect smc_rect_inside(struct smc_rect rect);

bool smc_rect_holds(struct smc_rect rect, int row, int col);

#endif
