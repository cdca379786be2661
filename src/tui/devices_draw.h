/* The panels of the devices' screen, one function each. */
#ifndef SMC_TUI_DEVICES_DRAW_H
#define SMC_TUI_DEVICES_DRAW_H

#include "tui/devices_layout.h"
#include "tui/devices_state.h"
#include "tui/frame.h"

/* A line a device, the one under the cursor in sight; `present` is that of the first screen. */
void smc_draw_devices(const struct smc_devices_state *devices, const struct smc_device *present,
                      struct smc_rect rect, struct smc_frame *frame);

/* Where a register count comes from; what was given on another screen is "as on F2". */
void smc_devices_source(const struct smc_resources *resources, char text[40]);

/* The place in the table of what is at a row of that panel; -1 where there is nothing. */
int smc_devices_place_at(const struct smc_devices_state *devices, struct smc_rect rect, int row);

/* The column whose heading is at a column of that panel; false where there is none. */
bool smc_devices_heading_at(struct smc_rect rect, int col, enum smc_device_column *column);

/* A column a device: the one under the cursor, then those that are marked. */
void smc_draw_comparison(const struct smc_devices_state *devices, struct smc_rect rect,
                         struct smc_frame *frame);

/* How many devices that panel has room for. */
size_t smc_comparison_room(struct smc_rect rect);

#endif
