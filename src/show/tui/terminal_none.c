/* A build without curses reports what is missing. */
#include "show/tui/terminal.h"

static enum smc_status open_nothing(void *context, int *rows, int *cols, struct smc_error *error)
{
    (void)context, (void)rows, (void)cols;
    return smc_fail(error, SMC_UNAVAILABLE,
                    "tui: this program was built without ncursesw (libncurses-dev)");
}

/* After a failed open no other function is called. */
const struct smc_terminal smc_terminal_curses = {.open = open_nothing};
