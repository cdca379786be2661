/* Lists that may be longer than their panel, and lines of values that a person sets. */
#ifndef SMC_TUI_LIST_H
#define SMC_TUI_LIST_H

#include <stdbool.h>

#include "tui/fields.h"
#include "tui/frame.h"

/* The first entry shown in so many rows, so that `at` is in sight. */
int smc_list_first(int at, int count, int rows);

/* Arrows at the right edge where there are entries above or below. */
void smc_list_draw_arrows(int first, int count, struct smc_rect rect, struct smc_frame *frame);

/* Label, value and source; under the cursor the value stands in < >. */
void smc_list_draw_field(const struct smc_field_view *view, bool here, struct smc_rect line,
                         struct smc_frame *frame);

/* A legend of the signs that occur, drawn on the lower edge of the panel around `rect`; frees it.
 */
void smc_list_add_sign(bool occurs, const char *sign, struct smc_text *legend);
void smc_list_draw_legend(struct smc_text *legend, struct smc_rect rect, struct smc_frame *frame);

#endif
