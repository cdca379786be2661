/* The confirm view's state: the launches of this session, and where the panels are. */
#include "show/tui/confirm_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void smc_confirm_open(struct smc_confirm_state *state)
{
    *state = (struct smc_confirm_state){.settings = SMC_RUN_SETTINGS_INIT};
    state->settings.no_counters = true; /* opening them takes longer than most launches */
}

void smc_confirm_close(struct smc_confirm_state *state)
{
    for (size_t i = 0; i < state->count; i++)
        free(state->launched[i]);
    free(state->launched);
    smc_confirm_open(state);
}

const struct smc_launched *smc_confirm_chosen(const struct smc_confirm_state *state)
{
    return state->count ? state->launched[state->chosen] : NULL;
}

bool smc_confirm_keep(struct smc_confirm_state *state, const struct smc_confirmed_run *runs,
                      size_t run_count)
{
    struct smc_launched *launched =
        smc_make_room(&state->launched, state->count, &state->capacity, sizeof *state->launched)
            ? smc_malloc(sizeof *launched)
            : NULL;
    if (!launched)
        return false;
    launched->number = (unsigned)state->count + 1;
    launched->run_count = run_count;
    memcpy(launched->run, runs, sizeof launched->run);
    for (size_t i = 0; i < SMC_MOST_RUNS; i++) /* it points into the process that launched */
        launched->run[i].answer.query.compile.kernel_dir = NULL;
    state->launched[state->count] = launched;
    state->chosen = state->count++;
    state->top = 0;
    return true;
}

void smc_confirm_choose(struct smc_confirm_state *state, int by)
{
    if (state->count == 0)
        return;
    long at = (long)state->chosen - by, last = (long)state->count - 1;
    state->chosen = (size_t)(at < 0 ? 0 : at > last ? last : at);
    state->top = 0;
}

/* --- Layout --- */

enum {
    NEXT_ROWS = 3,
    BESIDE_FROM = 120, /* columns for the table and the history */
    BESIDE_COLS = 40,
    WIDE_FROM = 160,
    WIDE_COLS = 52,
    BESIDE_ROWS = 3,
    ABOVE_ROWS = 3, /* launches shown if the history is above the table */
};

void smc_confirm_lay_out(struct smc_rect body, struct smc_confirm_layout *layout)
{
    *layout = (struct smc_confirm_layout){.rows_per_launch = 1};
    struct smc_rect history = {0};
    bool beside = body.cols >= BESIDE_FROM;
    if (beside) {
        layout->rows_per_launch = BESIDE_ROWS;
        history = smc_rect_share_left(&body, body.cols < WIDE_FROM ? BESIDE_COLS : WIDE_COLS);
    }
    layout->frame[SMC_CONFIRM_NEXT] = smc_rect_share_top(&body, NEXT_ROWS + 2);
    if (!beside)
        history = smc_rect_share_top(&body, ABOVE_ROWS + 2);
    layout->frame[SMC_CONFIRM_HISTORY] = history;
    layout->frame[SMC_CONFIRM_TABLE] = body;
    for (int i = 0; i < SMC_CONFIRM_PANEL_COUNT; i++)
        layout->inside[i] = smc_rect_inside(layout->frame[i]);
}
