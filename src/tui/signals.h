/* Signals as something to wait for beside keys. */
#ifndef SMC_TUI_SIGNALS_H
#define SMC_TUI_SIGNALS_H

/* From now on SIGINT, SIGTERM, SIGHUP and a change of the window's size only make the descriptor
   readable; -1: it cannot be had. To be called before curses, which takes what nobody has. */
int smc_signals_watch(void);

/* The signal that ends the sitting, or 0. Empties the descriptor. */
int smc_signals_seen(void);

/* What was before. */
void smc_signals_release(void);

/* Stops this process until the shell continues it; its workers go on. Where there is no shell to
   continue it, nothing happens. */
void smc_signals_stop(void);

/* While another program has the terminal, its keys' signals are not for this one. */
void smc_signals_yield(void);
void smc_signals_regain(void);

#endif
