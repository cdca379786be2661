/* Where the confirm screen's panels stand, for any size of the screen. Pure. */
#ifndef SMC_TUI_CONFIRM_LAYOUT_H
#define SMC_TUI_CONFIRM_LAYOUT_H

#include "tui/frame.h"

enum smc_confirm_panel {
    SMC_CONFIRM_NEXT, /* what is launched next, or now */
    SMC_CONFIRM_HISTORY,
    SMC_CONFIRM_TABLE,
    SMC_CONFIRM_PANEL_COUNT
};

struct smc_confirm_layout {
    struct smc_rect frame[SMC_CONFIRM_PANEL_COUNT]; /* with the edges, which neighbours share */
    struct smc_rect inside[SMC_CONFIRM_PANEL_COUNT];
    int rows_per_launch; /* in the history */
};

void smc_confirm_lay_out(struct smc_rect body, struct smc_confirm_layout *layout);

#endif
