/* Where the panels of the devices' screen stand, for any size of the screen. Pure. */
#ifndef SMC_TUI_DEVICES_LAYOUT_H
#define SMC_TUI_DEVICES_LAYOUT_H

#include "tui/devices_state.h"
#include "tui/frame.h"

struct smc_devices_layout {
    struct smc_rect table, compare; /* with the edges, which they share; or empty */
    struct smc_rect table_inside, compare_inside;
};

void smc_devices_lay_out(struct smc_rect body, struct smc_devices_layout *layout);

/* Where a column of the table begins and ends, behind the two of the marks; 0 columns: not shown.
 */
struct smc_device_span {
    int col, cols;
};

void smc_devices_spans(int table_columns, struct smc_device_span span[SMC_DEVICE_COLUMN_COUNT]);

#endif
