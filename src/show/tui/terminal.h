/* What shows the explorer and sends its keys: a table of functions with two implementations, a real
   terminal (curses) and a script. */
#ifndef SMC_SHOW_TERMINAL_H
#define SMC_SHOW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "show/tui/frame.h"

enum smc_event_kind {
    SMC_EVENT_NONE, /* none is waiting */
    SMC_EVENT_KEY,
    SMC_EVENT_CLICK,
    SMC_EVENT_PASTE,
    SMC_EVENT_RESIZE,
    SMC_EVENT_REPAINT, /* the colours are others now */
    SMC_EVENT_SETTLE,  /* a script: continue when no job is running */
    SMC_EVENT_SHOW,    /* a script: write the screen as it is now */
    SMC_EVENT_END,     /* there are no more */
};

struct smc_event {
    enum smc_event_kind kind;
    uint32_t key;
    int row, col, direction; /* CLICK: the wheel's direction, or 0 */
    int rows, cols;          /* RESIZE */
    const char *text;        /* PASTE: valid until the next event */
};

struct smc_terminal {
    /* `context`: a script's struct smc_script; for curses the user's enum smc_theme, or NULL. */
    enum smc_status (*open)(void *context, int *rows, int *cols, struct smc_error *error);
    void (*close)(void);
    int (*descriptor)(void); /* to wait on before `next`; -1: an event is always waiting */
    void (*next)(struct smc_event *event);
    void (*show)(const struct smc_frame *frame, bool everything);
    void (*pause)(void);  /* before an editor or the shell uses the terminal */
    void (*resume)(void); /* and after */
    void (*print)(const struct smc_frame *frame); /* SMC_EVENT_SHOW */
    void (*copy)(const char *text);   /* to the clipboard of whoever sees the terminal */
    void (*free_mouse)(bool is_free); /* clicks select text instead of being sent */
    enum smc_theme (*theme)(void);    /* what is shown; never AUTO */
};

/* A script that plays keys and writes screens, for tests and pictures.
   One command a line; '#' begins a comment:
     size COLUMNSxROWS   the terminal's size from now on; the first line (80x24 if not given)
     key NAME [COUNT]    "Down", "F3", "Ctrl-Z", "Space" or a character; COUNT times
     type TEXT           every character of the rest of the line
     click ROW COLUMN    the first mouse button, from 0
     wheel ROW COLUMN up|down
     paste TEXT          the rest of the line, as a terminal pastes it
     wait                until no compilation or launch is running
     screen              writes the screen to standard output, after a line of dashes; waits for the
                         predicted time
     colours             the same with escape sequences (256 colours)
     snapshot            writes the screen to the file of --snapshot, in the form that its ending
                         names */
struct smc_script {
    const char *name; /* in messages */
    char *text;       /* owned by the caller; is modified */
    bool utf8;        /* screens in UTF-8, else in ASCII */
    enum smc_theme theme;
    struct smc_text *out;      /* screens */
    const char *snapshot_path; /* NULL: none */
    struct smc_text snapshot;  /* for that file; owned by the caller */
    struct smc_error error;
    enum smc_status status; /* SMC_USAGE: a line that cannot be read, with file:line */
    /* Private to the script. */
    size_t line;
    char *rest;         /* of the text */
    const char *typing; /* of the present line */
    unsigned repeats;
    unsigned repeated;
    bool colours, to_file;
};

extern const struct smc_terminal smc_terminal_curses;
extern const struct smc_terminal smc_terminal_script;

#endif
