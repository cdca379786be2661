/* Ctrl-C as a wish that long work looks at. */
#include "config.h"

#include "cli/interrupt.h"

#include <signal.h>

/* Set by the handler, which can reach nothing else. */
static volatile sig_atomic_t seen;

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
