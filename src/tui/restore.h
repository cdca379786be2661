/* The terminal as it was, even where the program crashes: what a signal handler may still do. */
#ifndef SMC_TUI_RESTORE_H
#define SMC_TUI_RESTORE_H

/* Notes the terminal's settings before anything changes them. */
void smc_restore_prepare(void);

/* From now on a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) writes these strings, the last
   one followed by NULL, and the settings before the program ends by the same signal. */
void smc_restore_with(const char *const *strings);

/* Crashes are none of its business any more: the terminal is as it was, or another process's. */
void smc_restore_done(void);

#endif
