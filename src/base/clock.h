/* A clock for time budgets. */
#ifndef SMC_BASE_CLOCK_H
#define SMC_BASE_CLOCK_H

/* Milliseconds since an arbitrary start; monotonic. */
double smc_clock_ms(void);

#endif
