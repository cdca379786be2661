/* What the confirm screen launches next. Pure. */
#ifndef SMC_TUI_CONFIRM_NEXT_H
#define SMC_TUI_CONFIRM_NEXT_H

#include "tui/state.h"

/* The present launch without what the compiled kernel has its own of (static shared memory,
   barriers, clusters): `smemcalc run` does not take that either. */
struct smc_query smc_confirm_query(const struct smc_tui *tui);

/* Why nothing can be launched, in one line; or NULL. */
const char *smc_confirm_obstacle(const struct smc_tui *tui);

/* The next or the one before of the places: the GPUs of this machine, and the emulator. */
void smc_confirm_choose_place(struct smc_tui *tui, int by);

/* A launch is asked for or runs. */
bool smc_confirm_in_hand(const struct smc_tui *tui);

/* How far the emulation in hand is: "preparing", "12 of 1024 blocks", "checking the result". */
void smc_confirm_write_progress(const struct smc_tui *tui, char text[64]);

/* The kernel, where it runs, and how far it is. */
void smc_draw_next_launch(const struct smc_tui *tui, struct smc_rect rect, struct smc_frame *frame);

#endif
