/* Ctrl-C as a wish that long work looks at, so that what is done can still be printed. */
#ifndef SMC_CLI_INTERRUPT_H
#define SMC_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT is only noted; a second one ends the program. Where SIGINT was
   ignored it stays so. */
void smc_interrupt_watch(void);

bool smc_interrupt_seen(void);

#endif
