/* What the explorer is shown on and hears from: a table of functions, with two implementations, a
   real terminal (curses) and a script. */
#ifndef SMC_TUI_TERMINAL_H
#define SMC_TUI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "tui/frame.h"

enum smc_event_kind {
    SMC_EVENT_NONE, /* nothing waits */
    SMC_EVENT_KEY,
    SMC_EVENT_CLICK,
    SMC_EVENT_RESIZE,
    SMC_EVENT_SETTLE, /* a script: go on when no job is in hand */
    SMC_EVENT_SHOW,   /* a script: write the screen as it is now */
    SMC_EVENT_END,    /* no more will come */
};

struct smc_event {
    enum smc_event_kind kind;
    uint32_t key;
    int row, col, direction; /* CLICK: the wheel's direction, or 0 */
    int rows, cols;          /* RESIZE */
};

struct smc_terminal {
    /* `context` is the caller's: a script's is its file, curses has none. */
    enum smc_status (*open)(void *context, int *rows, int *cols, struct smc_error *error);
    void (*close)(void);
    int (*descriptor)(void); /* to wait on before `next`; -1: something always waits */
    void (*next)(struct smc_event *event);
    void (*show)(const struct smc_frame *frame, bool everything);
    void (*pause)(void);  /* before an editor or the shell has the terminal */
    void (*resume)(void); /* and after */
    void (*print)(const struct smc_frame *frame); /* SMC_EVENT_SHOW */
};

extern const struct smc_terminal smc_terminal_curses;
extern const struct smc_terminal smc_terminal_script;

#endif
