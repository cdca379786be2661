/* The explorer: smemcalc on a screen. */
#ifndef SMC_SHOW_TUI_H
#define SMC_SHOW_TUI_H

#include "answers/query.h"
#include "answers/trace_answer.h"
#include "base/status.h"
#include "show/tui/terminal.h"

/* Opens on `query`, which has a device, or on a trace (or NULL), and returns when the user quits.
   `context`: what `terminal` opens with. SMC_UNAVAILABLE: curses does not know the terminal. A
   signal that ends the program (SIGINT, SIGTERM, SIGHUP) is passed on after the terminal is
   restored. `kept` receives the name of the folder that has the kernels as they were edited; "" if
   none was. */
enum smc_status smc_tui_run(const struct smc_query *query, const struct smc_trace_answer *trace,
                            const struct smc_terminal *terminal, void *context,
                            struct smc_text *kept, struct smc_error *error);

#endif
