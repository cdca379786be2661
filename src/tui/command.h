/* A command line in as many lines as a screen needs: pasted into a shell they are one again. */
#ifndef SMC_TUI_COMMAND_H
#define SMC_TUI_COMMAND_H

#include "base/text.h"

/* Breaks at blanks and commas with a backslash; within single quotes, where an expression stands,
   at blanks without one; within double quotes not. SMC_TIE (report/layout.h) counts as a blank. */
void smc_command_wrap(const char *command, int columns, struct smc_text *out);

#endif
