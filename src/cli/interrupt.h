/* Ctrl-C, or a time that is over, as a wish that long work looks at: so that what is done can still
   be printed. */
#ifndef SMC_CLI_INTERRUPT_H
#define SMC_CLI_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the first SIGINT is only noted; a second one ends the program. Where SIGINT was
   ignored it stays so. */
void smc_interrupt_watch(void);

bool smc_interrupt_seen(void);

/* From so many milliseconds on the time is over. To be called once, before threads ask. */
void smc_interrupt_after(uint32_t ms);

/* Seen, or the time is over. */
bool smc_interrupt_wished(void);

#endif
