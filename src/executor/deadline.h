/* An end that comes to work which looks at a flag. */
#ifndef SMC_EXECUTOR_DEADLINE_H
#define SMC_EXECUTOR_DEADLINE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct smc_deadline {
    volatile bool passed; /* for the work to look at */
    bool running, over;
    uint32_t after_ms;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t is_over;
};

/* `passed` becomes true after that time. False where it cannot be watched: it never does. */
bool smc_deadline_begin(struct smc_deadline *deadline, uint32_t after_ms);

/* The work is done. To be called after smc_deadline_begin, whatever it returned. */
void smc_deadline_end(struct smc_deadline *deadline);

#endif
