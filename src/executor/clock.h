/* A clock for time budgets. */
#ifndef SMC_EXECUTOR_CLOCK_H
#define SMC_EXECUTOR_CLOCK_H

/* Milliseconds since an arbitrary start; monotonic. */
double smc_clock_ms(void);

#endif
