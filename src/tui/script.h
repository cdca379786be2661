/* A script in place of a person: plays keys and writes screens, for tests and pictures.
   One command a line; '#' begins a comment:
     size COLUMNSxROWS   the terminal's size from now on; the first line (80x24 if not given)
     key NAME [COUNT]    "Down", "F3", "Ctrl-Z", "Space" or a character, so many times
     type TEXT           every character of the rest of the line
     click ROW COLUMN    the first mouse button, from 0
     wheel ROW COLUMN up|down
     wait                until no compilation or launch is in hand
     screen              writes the screen to standard output, between lines of dashes
     colours             the same with escape sequences (256 colours) */
#ifndef SMC_TUI_SCRIPT_H
#define SMC_TUI_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

struct smc_script {
    const char *name;     /* in messages */
    char *text;           /* owned by the caller; is taken apart */
    bool utf8;            /* screens in UTF-8, else in ASCII */
    struct smc_text *out; /* screens */
    struct smc_error error;
    enum smc_status status; /* SMC_USAGE: a line that cannot be read, with file:line */
    /* For the script alone. */
    size_t line;
    char *rest;         /* of the text */
    const char *typing; /* of the line in hand */
    unsigned repeats;
    unsigned repeated;
    bool colours;
};

#endif
