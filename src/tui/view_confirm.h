/* What the confirm view shows elsewhere, too, and to its tests. */
#ifndef SMC_TUI_VIEW_CONFIRM_H
#define SMC_TUI_VIEW_CONFIRM_H

#include "tui/state.h"

/* A launch is requested or running. */
bool smc_confirm_is_running(const struct smc_tui *tui);

/* Progress of the running emulation: "preparing", "12 of 1024 blocks", "checking the result". */
void smc_confirm_write_progress(const struct smc_tui *tui, char text[64]);

/* The table of a launch from line `top` on, with verdicts and notes. Returns the number of all its
   lines; a frame without a size only counts them. */
int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame);

#endif
