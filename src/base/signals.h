/* Signals that would end the program, as something to wait for, and to clear away before. */
#ifndef SMC_BASE_SIGNALS_H
#define SMC_BASE_SIGNALS_H

/* SIGINT, SIGTERM, SIGHUP from now on only make the descriptor readable, save those that were
   ignored; -1: it cannot be had, and they act as before. Not to be nested. */
int smc_signals_watch(void);

/* The signal that came, or 0. */
int smc_signals_seen(void);

/* As before. A signal that was seen is left to the caller, who may raise it now. */
void smc_signals_release(void);

#endif
