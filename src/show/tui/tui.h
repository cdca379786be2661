/* The explorer: smemcalc on a screen. */
#ifndef SMC_SHOW_TUI_H
#define SMC_SHOW_TUI_H

#include "answers/query.h"
#include "answers/trace_answer.h"
#include "base/status.h"
#include "show/tui/open_file.h"
#include "show/tui/terminal.h"

/* What the explorer opens on. */
struct smc_tui_start {
    const struct smc_query *query;        /* has a device */
    const struct smc_trace_answer *trace; /* or NULL */
    const struct smc_open_question *file; /* of the user, or NULL */
};

/* Returns when the user quits.
   `context`: what `terminal` opens with. SMC_UNAVAILABLE: curses does not know the terminal. A
   signal that ends the program (SIGINT, SIGTERM, SIGHUP) is passed on after the terminal is
   restored. `kept` receives the name of the folder that has the kernels as they were edited; "" if
   none was. */
enum smc_status smc_tui_run(const struct smc_tui_start *start, const struct smc_terminal *terminal,
                            void *context, struct smc_text *kept, struct smc_error *error);

#endif
