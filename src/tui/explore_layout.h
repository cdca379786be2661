/* Where the first screen's panels stand, for any size of the screen. Pure. */
#ifndef SMC_TUI_EXPLORE_LAYOUT_H
#define SMC_TUI_EXPLORE_LAYOUT_H

#include "tui/frame.h"

enum smc_explore_panel {
    SMC_PANEL_LAUNCH,
    SMC_PANEL_SM,
    SMC_PANEL_LIMITS,
    SMC_PANEL_CHART,
    SMC_PANEL_STEPS,
    SMC_PANEL_WORK, /* only where there is room */
    SMC_PANEL_COUNT
};

struct smc_explore_layout {
    struct smc_rect frame[SMC_PANEL_COUNT]; /* with the edges, which neighbours share; or empty */
    struct smc_rect inside[SMC_PANEL_COUNT];
    int sm_rows; /* of each resource's bar */
};

/* `steps_rows`: what the next steps take, which get them as far as the launch keeps some. */
void smc_explore_lay_out(struct smc_rect body, int steps_rows, struct smc_explore_layout *layout);

#endif
