/* Where the confirm screen's panels stand, for any size of the screen. */
#include "tui/confirm_layout.h"

enum {
    NEXT_ROWS = 3,
    BESIDE_FROM = 120, /* columns for the table and the history */
    BESIDE_COLS = 40,
    WIDE_FROM = 160,
    WIDE_COLS = 52,
    BESIDE_ROWS = 3,
    ABOVE_ROWS = 3, /* launches in sight where the history stands above the table */
};

void smc_confirm_lay_out(struct smc_rect body, struct smc_confirm_layout *layout)
{
    *layout = (struct smc_confirm_layout){.rows_per_launch = 1};
    struct smc_rect history = {0};
    bool beside = body.cols >= BESIDE_FROM;
    if (beside) {
        layout->rows_per_launch = BESIDE_ROWS;
        history = smc_rect_share_left(&body, body.cols < WIDE_FROM ? BESIDE_COLS : WIDE_COLS);
    }
    layout->frame[SMC_CONFIRM_NEXT] = smc_rect_share_top(&body, NEXT_ROWS + 2);
    if (!beside)
        history = smc_rect_share_top(&body, ABOVE_ROWS + 2);
    layout->frame[SMC_CONFIRM_HISTORY] = history;
    layout->frame[SMC_CONFIRM_TABLE] = body;
    for (int i = 0; i < SMC_CONFIRM_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}
