/* The confirm screen's state: what was launched in this session, and how the next one is. Pure. */
#ifndef SMC_TUI_CONFIRM_STATE_H
#define SMC_TUI_CONFIRM_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "confirm/launch.h"

/* One launch, and that of its sibling where there was one. */
struct smc_launched {
    unsigned number; /* in this session, from 1 */
    size_t run_count;
    struct smc_confirmed_run run[SMC_MOST_RUNS];
};

/* Start from smc_confirm_open. */
struct smc_confirm_state {
    struct smc_run_settings settings; /* of the next launch */
    struct smc_launched **launched;   /* owned; in the order of time */
    size_t count, capacity;
    size_t chosen;      /* of them: its table is shown */
    int top;            /* first line of the table that is shown */
    char failure[1024]; /* why the last launch came to nothing, or "" */
};

void smc_confirm_open(struct smc_confirm_state *state);
void smc_confirm_close(struct smc_confirm_state *state);

/* The one whose table is shown; NULL before the first. */
const struct smc_launched *smc_confirm_chosen(const struct smc_confirm_state *state);

/* Appends and chooses it; false where there is no memory. */
bool smc_confirm_keep(struct smc_confirm_state *state, const struct smc_confirmed_run *runs,
                      size_t run_count);

/* Another one, by so many places towards older ones; stays at the ends. */
void smc_confirm_choose(struct smc_confirm_state *state, int by);

#endif
