/* Restores the terminal if the program crashes, by what a signal handler may do. */
#ifndef SMC_SHOW_RESTORE_H
#define SMC_SHOW_RESTORE_H

/* Remembers the terminal's settings; call it before anything changes them. */
void smc_restore_prepare(void);

/* From now on a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) writes these strings, which end in
   NULL, and restores the settings before the program ends by the same signal. */
void smc_restore_with(const char *const *strings);

/* Ends that: the terminal has been restored, or belongs to another process. */
void smc_restore_done(void);

#endif
