/* Signals as something to wait for beside keys. */
#ifndef SMC_TUI_SIGNALS_H
#define SMC_TUI_SIGNALS_H

/* SIGINT, SIGTERM, SIGHUP from now on only make the descriptor readable; -1: it cannot be had. The
   window's change of size wakes whoever waits. */
int smc_signals_watch(void);

/* The signal that came, or 0. */
int smc_signals_seen(void);

void smc_signals_release(void);

#endif
