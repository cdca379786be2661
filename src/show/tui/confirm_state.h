/* The confirm view's state: the launches of this session, the settings of the next one, and where
   the panels are. Pure. */
#ifndef SMC_SHOW_CONFIRM_STATE_H
#define SMC_SHOW_CONFIRM_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "hardware/confirmed_launch.h"
#include "show/tui/frame.h"

/* One launch, and its sibling's where that was launched as well. */
struct smc_launched {
    unsigned number; /* in this session, from 1 */
    size_t run_count;
    struct smc_confirmed_run run[SMC_MOST_RUNS];
};

/* Start from smc_confirm_open. */
struct smc_confirm_state {
    struct smc_run_settings settings; /* of the next launch */
    struct smc_launched **launched;   /* owned; the oldest first */
    size_t count, capacity;
    size_t chosen;      /* the launch whose table is shown */
    int top;            /* the first line of the table on the screen */
    char failure[1024]; /* why the last launch has no result, or "" */
};

void smc_confirm_open(struct smc_confirm_state *state);
void smc_confirm_close(struct smc_confirm_state *state);

/* The launch whose table is shown; NULL before the first. */
const struct smc_launched *smc_confirm_chosen(const struct smc_confirm_state *state);

/* Appends a launch and chooses it; false where memory ran out. */
bool smc_confirm_keep(struct smc_confirm_state *state, const struct smc_confirmed_run *runs,
                      size_t run_count);

/* Chooses the launch that is `by` places older; stays at the ends. */
void smc_confirm_choose(struct smc_confirm_state *state, int by);

enum smc_confirm_panel {
    SMC_CONFIRM_NEXT, /* the next launch, or the running one */
    SMC_CONFIRM_HISTORY,
    SMC_CONFIRM_TABLE,
    SMC_CONFIRM_PANEL_COUNT
};

struct smc_confirm_layout {
    struct smc_rect frame[SMC_CONFIRM_PANEL_COUNT]; /* with the edges, which neighbours share */
    struct smc_rect inside[SMC_CONFIRM_PANEL_COUNT];
    int rows_per_launch; /* in the history */
};

/* For any size of the screen. */
void smc_confirm_lay_out(struct smc_rect body, struct smc_confirm_layout *layout);

/* The table of a launch from line `top` on, with verdicts and notes. Returns the number of all its
   lines; a frame without a size only counts them. */
int smc_draw_launched(const struct smc_launched *launched, struct smc_rect rect, int top,
                      struct smc_frame *frame);

#endif
