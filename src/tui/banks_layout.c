/* Where the panels of the banks' screen stand, for any size of the screen. */
#include "tui/banks_layout.h"

enum {
    SIDE_BY_SIDE_ROWS = 28, /* from there on the panels stand left of the grid */
    LEAST_SIDE = 46,
    MOST_SIDE = 70,
    DECIMAL_CELL = 3,
    GOOD_CELL = 4,
    MOST_CELL = 6,
    LEAST_ROWS = 6,
    LIST_ROWS = 11, /* eight instructions and a heading, or nine fields */
    BANKS = 32,
};

static int grid_columns(int cell)
{
    int edges = 2, arrows = 1;
    return SMC_BANKS_LABEL_COLUMNS + cell * BANKS + arrows + edges;
}

static int between(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

static void stack(struct smc_rect body, struct smc_banks_layout *layout)
{
    struct smc_rect top =
        smc_rect_share_top(&body, between(body.rows * 2 / 5 + 1, LEAST_ROWS, LIST_ROWS));
    int fields = between(top.cols * 2 / 5 + 1, 26, 44);
    layout->frame[SMC_BANKS_LIST] = smc_rect_share_left(&top, top.cols - fields + 1);
    layout->frame[SMC_BANKS_FIELDS] = top;
    int remedy = body.rows < 12 ? 3 : body.rows < 20 ? 4 : 5;
    layout->frame[SMC_BANKS_GRID] = smc_rect_share_top(&body, body.rows - remedy + 1);
    layout->frame[SMC_BANKS_REMEDY] = body;
}

static void side_by_side(struct smc_rect body, struct smc_banks_layout *layout)
{
    int side = between(body.cols - grid_columns(GOOD_CELL) + 1, LEAST_SIDE, MOST_SIDE);
    struct smc_rect left = smc_rect_share_left(&body, side);
    layout->frame[SMC_BANKS_LIST] = smc_rect_share_top(&left, LIST_ROWS);
    layout->frame[SMC_BANKS_FIELDS] = smc_rect_share_top(&left, LIST_ROWS);
    layout->frame[SMC_BANKS_REMEDY] = left;
    layout->frame[SMC_BANKS_GRID] = body;
}

void smc_banks_lay_out(struct smc_rect body, struct smc_banks_layout *layout)
{
    bool wide = body.cols >= LEAST_SIDE - 1 + grid_columns(DECIMAL_CELL);
    if (wide && body.rows >= SIDE_BY_SIDE_ROWS)
        side_by_side(body, layout);
    else
        stack(body, layout);
    for (int i = 0; i < SMC_BANKS_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}

int smc_banks_cell_columns(struct smc_rect grid, uint32_t banks)
{
    return between((grid.cols - SMC_BANKS_LABEL_COLUMNS - 1) / (int)banks, 1, MOST_CELL);
}
