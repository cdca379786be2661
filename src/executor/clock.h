/* A clock for time budgets. */
#ifndef SMC_EXECUTOR_CLOCK_H
#define SMC_EXECUTOR_CLOCK_H

/* Milliseconds since some moment; never goes back. */
double smc_clock_ms(void);

#endif
