/* A box of text above the screen: the help, a command line, a compiler's complaints. */
#ifndef SMC_TUI_POPUP_H
#define SMC_TUI_POPUP_H

#include <stdbool.h>

#include "base/text.h"
#include "tui/frame.h"
#include "tui/keys.h"

struct smc_popup {
    bool open;
    char title[64];
    struct smc_text text; /* lines, wrapped as they are drawn; owned */
    int indent;           /* columns before the rows of a line that follow its first */
    int top;              /* first row shown */
    int rows, page;       /* that there were when it was drawn last, and that were shown */
};

/* Opens it, empty; the caller appends to `text`. */
void smc_popup_open(struct smc_popup *popup, const char *title);
void smc_popup_close(struct smc_popup *popup);

/* Scrolls or closes. */
void smc_popup_act(struct smc_popup *popup, enum smc_action action);

void smc_popup_draw(struct smc_popup *popup, struct smc_rect body, struct smc_frame *frame);

/* Opens it with all keys that do something in a view. */
void smc_help_open(struct smc_popup *popup, enum smc_view_id view);

#endif
