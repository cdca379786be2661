/* Ctrl-C or a time limit that ends long work early, so that what is done can still be reported. */
#ifndef SMC_SHOW_INTERRUPT_H
#define SMC_SHOW_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the first SIGINT is only noted; a second one ends the program. If SIGINT was ignored
   it stays so. */
void smc_interrupt_watch(void);

/* From now on SIGINT ends the program again. */
void smc_interrupt_release(void);

/* Whether SIGINT has arrived since smc_interrupt_watch. */
bool smc_interrupt_seen(void);

/* Sets the time limit, from now on. Call it once, before other threads ask. */
void smc_interrupt_after(uint32_t ms);

/* After `ms` from now the program prints the line and ends with SMC_SHORTFALL, for work that cannot
   be asked to stop: a compilation. What a tool of the CUDA Toolkit wrote is removed first. */
void smc_interrupt_limit(uint32_t ms, const char *line);

/* That work has ended. */
void smc_interrupt_unlimit(void);

/* Whether work should end: SIGINT has arrived, or the time limit is reached. */
bool smc_interrupt_requested(void);

#endif
