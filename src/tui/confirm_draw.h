/* The panels of the confirm screen, one function each. */
#ifndef SMC_TUI_CONFIRM_DRAW_H
#define SMC_TUI_CONFIRM_DRAW_H

#include "tui/confirm_layout.h"
#include "tui/confirm_state.h"
#include "tui/frame.h"

/* Predicted and seen values of a launch side by side, from line `top` on. Returns how many lines
   there are in all; a frame of no size only counts. */
int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame);

/* The launches of this session, the newest first, the chosen one in sight. */
void smc_draw_history(const struct smc_confirm_state *state, struct smc_rect rect,
                      int rows_per_launch, struct smc_frame *frame);

/* "8 confirmed, 0 differ", of the sibling too; the style it is told in. */
enum smc_style smc_confirm_count(const struct smc_launched *launched, char text[64]);

/* How far towards older ones the launch at a row of that panel is from the chosen one; false where
   there is none. */
bool smc_history_at(const struct smc_confirm_state *state, struct smc_rect rect,
                    int rows_per_launch, int row, int *by);

#endif
