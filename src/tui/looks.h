/* How styles look, for whatever shows a frame. */
#ifndef SMC_TUI_LOOKS_H
#define SMC_TUI_LOOKS_H

#include "tui/frame.h"

enum smc_attribute {
    SMC_DIM = 1,
    SMC_BOLD = 2,
    SMC_UNDERLINE = 4,
    SMC_REVERSE = 8, /* where there are no 256 colours; else the background takes its place */
};

struct smc_look {
    int foreground, background; /* of 256 colours; -1: the terminal's own */
    int basic;                  /* foreground of the 8 colours, in the order of ECMA-48; or -1 */
    unsigned attributes;
};

extern const struct smc_look smc_looks[SMC_STYLE_COUNT];

#endif
