/* Ctrl-C, or a time that is over, as a wish that long work looks at. */
#include "config.h"

#include "cli/interrupt.h"

#include <math.h>
#include <signal.h>

#include "executor/clock.h"

/* Set by the handler, which can reach nothing else. */
static volatile sig_atomic_t seen;
static double deadline_ms = INFINITY;

static void note(int signal_number)
{
    (void)signal_number;
    seen = 1;
}

void smc_interrupt_watch(void)
{
    struct sigaction before, action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

bool smc_interrupt_seen(void)
{
    return seen;
}

void smc_interrupt_after(uint32_t ms)
{
    deadline_ms = smc_clock_ms() + ms;
}

bool smc_interrupt_wished(void)
{
    return seen || smc_clock_ms() > deadline_ms;
}
