/* A screen as text with escape sequences of 256 colours. */
#ifndef SMC_TUI_ANSI_H
#define SMC_TUI_ANSI_H

#include "tui/frame.h"

/* Every row whole, each ended by a newline. */
void smc_ansi_write(const struct smc_frame *frame, bool utf8, struct smc_text *out);

#endif
