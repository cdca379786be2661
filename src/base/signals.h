/* Signals that would end the program, as something to wait for, and to clear away before. */
#ifndef SMC_BASE_SIGNALS_H
#define SMC_BASE_SIGNALS_H

#include <stdbool.h>

/* SIGINT, SIGTERM, SIGHUP and with `resizes` a change of the window's size from now on only make
   the descriptor readable, save those that were ignored; -1: it cannot be had, and they act as
   before. Not to be nested. To be called before curses, which takes what nobody has. */
int smc_signals_watch(bool resizes);

/* The signal that came to end the program, or 0. Empties the descriptor. */
int smc_signals_seen(void);

/* As before. A signal that was seen is left to the caller, who may raise it now. */
void smc_signals_release(void);

/* Stops this process until the shell continues it; others of its group go on. Where there is no
   shell to continue it, nothing happens. */
void smc_signals_stop(void);

/* While another program has the terminal, its keys' signals are not for this one. */
void smc_signals_yield(void);
void smc_signals_regain(void);

#endif
