/* Where the panels of the banks' screen stand, for any size of the screen. Pure. */
#ifndef SMC_TUI_BANKS_LAYOUT_H
#define SMC_TUI_BANKS_LAYOUT_H

#include <stdint.h>

#include "tui/frame.h"

enum smc_banks_panel {
    SMC_BANKS_LIST,   /* the instructions */
    SMC_BANKS_FIELDS, /* what can be set */
    SMC_BANKS_GRID,   /* the lanes that each bank serves */
    SMC_BANKS_REMEDY, /* what helps */
    SMC_BANKS_PANEL_COUNT
};

struct smc_banks_layout {
    struct smc_rect frame[SMC_BANKS_PANEL_COUNT]; /* with the edges, which neighbours share */
    struct smc_rect inside[SMC_BANKS_PANEL_COUNT];
};

void smc_banks_lay_out(struct smc_rect body, struct smc_banks_layout *layout);

/* The parts of the grid: two lines of headings, then a row a wavefront. */
enum { SMC_BANKS_HEADINGS = 2, SMC_BANKS_LABEL_COLUMNS = 9 };

/* Columns of a bank: 1 has room for a lane's digit of base 32, 2 for a mark beside it, 3 and more
   for a lane in decimal and a mark. */
int smc_banks_cell_columns(struct smc_rect grid, uint32_t banks);

#endif
