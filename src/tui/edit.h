/* The kernel's source in the person's editor: a private copy, which is compiled from then on. */
#ifndef SMC_TUI_EDIT_H
#define SMC_TUI_EDIT_H

#include <stdbool.h>

#include "base/status.h"
#include "query/query.h"

/* Start from {0}. */
struct smc_edit {
    char folder[512]; /* the private copies; "" before the first */
    bool changed;     /* the last time, the source */
};

/* Runs $VISUAL, $EDITOR or vi on the copy and waits; the terminal is the editor's meanwhile.
   SMC_SHORTFALL: the editor says that it failed; what it left counts all the same. */
enum smc_status smc_edit_kernel(struct smc_edit *edit, const struct smc_query *query,
                                struct smc_error *error);

/* Removes the copies, and what editors left beside them. */
void smc_edit_clean(struct smc_edit *edit);

#endif
