/* The kernel's source in the person's editor: a private copy, which is compiled from then on. */
#ifndef SMC_TUI_EDIT_H
#define SMC_TUI_EDIT_H

#include "base/status.h"
#include "tui/explore.h"

/* Start from {0}. */
struct smc_edit {
    char folder[512]; /* the private copies; "" before the first */
};

/* Runs $VISUAL, $EDITOR or vi on the copy and waits; the terminal is the editor's meanwhile. */
enum smc_status smc_edit_kernel(struct smc_edit *edit, struct smc_explore *explore,
                                struct smc_error *error);

/* Removes the copies. */
void smc_edit_clean(struct smc_edit *edit);

#endif
