/* The panels of the banks' screen, one function each. */
#ifndef SMC_TUI_BANKS_DRAW_H
#define SMC_TUI_BANKS_DRAW_H

#include "tui/banks_layout.h"
#include "tui/banks_state.h"
#include "tui/frame.h"

/* The instructions and what they cost, the one shown in sight. */
void smc_draw_bank_list(const struct smc_banks_state *banks, struct smc_rect rect,
                        struct smc_frame *frame);

/* The pattern at a row of that panel; -1 where there is none. */
int smc_bank_list_at(const struct smc_banks_state *banks, struct smc_rect rect, int row);

/* The fields, the one under the cursor in sight. */
void smc_draw_bank_fields(const struct smc_banks_state *banks, struct smc_rect rect,
                          struct smc_frame *frame);

/* The place in the list of what is at a row of that panel; -1 where there is nothing. */
int smc_bank_field_at(const struct smc_banks_state *banks, struct smc_rect rect, int row);

/* What helps, or why there is no answer. */
void smc_draw_bank_remedy(const struct smc_banks_state *banks, struct smc_rect rect,
                          struct smc_frame *frame);

/* The lane that each bank serves, a row a wavefront; those that collide are marked. Writes the
   verdict and the legend on the edges. */
void smc_draw_bank_grid(const struct smc_banks_state *banks, struct smc_rect rect,
                        struct smc_frame *frame);

#endif
