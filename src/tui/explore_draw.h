/* The panels of the first screen, one function each. */
#ifndef SMC_TUI_EXPLORE_DRAW_H
#define SMC_TUI_EXPLORE_DRAW_H

#include "tui/explore.h"
#include "tui/explore_layout.h"
#include "tui/frame.h"

/* Where the panels of the present state stand. */
void smc_explore_place(const struct smc_explore *explore, struct smc_rect body,
                       struct smc_explore_layout *layout);

/* The next steps, or why there are none, and the work, each on a line. */
void smc_explore_write_steps(const struct smc_explore *explore, struct smc_text *out);

/* The fields, the one under the cursor in sight. */
void smc_draw_launch(const struct smc_explore *explore, struct smc_rect rect,
                     struct smc_frame *frame);

/* The field at a row of that panel; false where there is none. */
bool smc_launch_field_at(const struct smc_explore *explore, struct smc_rect rect, int row,
                         enum smc_field *field);

/* The SM's resources, `rows` for each. */
void smc_draw_sm(const struct smc_answer *answer, struct smc_rect rect, int rows,
                 struct smc_frame *frame);

/* In place of the SM, where no block is on it. */
void smc_draw_why(const struct smc_explore *explore, struct smc_rect rect, struct smc_frame *frame);

/* Returns the rows that they take. */
int smc_draw_steps(const struct smc_explore *explore, struct smc_rect rect,
                   struct smc_frame *frame);
void smc_draw_work(const struct smc_answer *answer, struct smc_rect rect, struct smc_frame *frame);

void smc_draw_limits(const struct smc_answer *answer, struct smc_rect rect,
                     struct smc_frame *frame);

#endif
