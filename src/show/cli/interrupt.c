/* Ctrl-C or a time limit that ends long work early. */
#include "config.h"

#include <math.h>
#include <signal.h>

#include "base/platform.h"
#include "show/cli/interrupt.h"

/* Set by the handler. */
static volatile sig_atomic_t interrupted;
static double deadline_ms = INFINITY;

static void interrupt_note(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

void smc_interrupt_watch(void)
{
    struct sigaction before, action = {.sa_handler = interrupt_note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGINT, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGINT, &action, NULL);
}

void smc_interrupt_release(void)
{
    struct sigaction action;
    if (sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == interrupt_note)
        signal(SIGINT, SIG_DFL);
}

bool smc_interrupt_seen(void)
{
    return interrupted;
}

void smc_interrupt_after(uint32_t ms)
{
    deadline_ms = smc_clock_ms() + ms;
}

bool smc_interrupt_requested(void)
{
    return interrupted || smc_clock_ms() > deadline_ms;
}
