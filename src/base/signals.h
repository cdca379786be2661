/* Signals that would end the program, made available through a descriptor, so that it can clean up
   first: SIGINT, SIGTERM, SIGHUP, and SIGALRM as the end of a time limit. */
#ifndef SMC_BASE_SIGNALS_H
#define SMC_BASE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* From now on these and, with `resizes`, SIGWINCH only make the returned descriptor readable,
   except those that were ignored. -1: no descriptor is available, and the signals act as before.
   Calls do not nest. Call it before curses, which installs its own handlers for signals without
   one. */
int smc_signals_watch(bool resizes);

/* The signal that was received to end the program, or 0. Drains the descriptor. */
int smc_signals_seen(void);

/* Restores the previous handlers, and raises a signal that was seen. */
void smc_signals_release(void);

/* Between the two, these signals to this thread wait: for the moments in which a
   temporary file exists. `mask` receives the thread's signal mask, and restores it. */
void smc_signals_block(sigset_t *mask);
void smc_signals_unblock(const sigset_t *mask);

/* Between the two, these signals to this thread, and to those that it starts, are
   received by a thread of their own, which does what was set when the first call began: for a
   library that handles them itself, by functions that no handler may call. The library's handlers
   are replaced, for other threads. Calls nest and may come from several threads. `mask` as above.
   Where no thread can be started, the signals wait. */
void smc_signals_divert(sigset_t *mask);
void smc_signals_undivert(const sigset_t *mask);

/* Stops this process, but not the others of its group, until the shell continues it. Does nothing
   if no shell could continue it. */
void smc_signals_stop(void);

/* Ignores SIGINT and SIGQUIT while another program controls the terminal. */
void smc_signals_yield(void);
void smc_signals_regain(void);

/* --- What systems do in different ways (platform.c) ------------------------------------------- */

/* Waits for one of the signals, which are blocked, and removes it; at most as long as `limit`. The
   signal, or -1. */
int smc_platform_await(const sigset_t *signals, const struct timespec *limit);

/* Whether the system sent the signal, and not a process. */
bool smc_platform_is_of_system(const siginfo_t *info);

#endif
