/* The terminal as it was, even where the program crashes: what a signal handler may still do. */
#ifndef SMC_TUI_RESTORE_H
#define SMC_TUI_RESTORE_H

/* Notes the terminal's settings before anything changes them. */
void smc_restore_prepare(void);

/* From now on a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) writes these strings of the
   terminal's description (NULL or (char *)-1: it has none) and the settings before the program
   ends by the same signal. */
void smc_restore_with(const char *leave, const char *cursor, const char *plain);

void smc_restore_done(void);

#endif
