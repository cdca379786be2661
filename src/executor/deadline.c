/* An end that comes to work which looks at a flag: a thread that sleeps until then. */
#include "config.h"

#include "executor/deadline.h"

#include <time.h>

static struct timespec moment_after(uint32_t ms)
{
    struct timespec moment;
    clock_gettime(CLOCK_MONOTONIC, &moment);
    long nanoseconds = moment.tv_nsec + (long)(ms % 1000) * 1000000;
    moment.tv_sec += (time_t)(ms / 1000) + nanoseconds / 1000000000;
    moment.tv_nsec = nanoseconds % 1000000000;
    return moment;
}

static void *watch(void *argument)
{
    struct smc_deadline *deadline = argument;
    struct timespec end = moment_after(deadline->after_ms);
    int code = 0;
    pthread_mutex_lock(&deadline->mutex);
    while (!deadline->over && code == 0)
        code = pthread_cond_timedwait(&deadline->is_over, &deadline->mutex, &end);
    deadline->passed = !deadline->over;
    pthread_mutex_unlock(&deadline->mutex);
    return NULL;
}

bool smc_deadline_begin(struct smc_deadline *deadline, uint32_t after_ms)
{
    pthread_condattr_t monotonic;
    *deadline = (struct smc_deadline){.after_ms = after_ms};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&deadline->mutex, NULL);
    pthread_cond_init(&deadline->is_over, &monotonic);
    pthread_condattr_destroy(&monotonic);
    deadline->running = pthread_create(&deadline->thread, NULL, watch, deadline) == 0;
    return deadline->running;
}

void smc_deadline_end(struct smc_deadline *deadline)
{
    pthread_mutex_lock(&deadline->mutex);
    deadline->over = true;
    pthread_cond_signal(&deadline->is_over);
    pthread_mutex_unlock(&deadline->mutex);
    if (deadline->running)
        pthread_join(deadline->thread, NULL);
    pthread_cond_destroy(&deadline->is_over);
    pthread_mutex_destroy(&deadline->mutex);
}
