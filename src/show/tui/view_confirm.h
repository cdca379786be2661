/* The confirm view's table, for its tests. */
#ifndef SMC_SHOW_VIEW_CONFIRM_H
#define SMC_SHOW_VIEW_CONFIRM_H

#include "show/tui/confirm_state.h"

/* The table of a launch from line `top` on, with verdicts and notes. Returns the number of all its
   lines; a frame without a size only counts them. */
int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame);

#endif
