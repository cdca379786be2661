/* smemcalc that crashes when told to, for the test of what that leaves of the terminal: SIGUSR1
   writes where no memory is, SIGUSR2 runs out of stack. */
#include "config.h"

#include <signal.h>
#include <stdint.h>

#include "cli/cli.h"

/* Not null, which UBSan would catch in its own way. */
static volatile char *volatile nowhere = (volatile char *)(uintptr_t)16;
static void (*volatile again)(int signal_number); /* which no compiler sees through */

static void write_nowhere(int signal_number)
{
    (void)signal_number;
    *nowhere = 1;
}

static void run_out_of_stack(int signal_number)
{
    volatile char room[4096];
    room[0] = 1;
    again(room[0]);
    room[0] = 2; /* or the call would take no stack */
    (void)signal_number;
}

int main(int argc, char **argv)
{
    again = run_out_of_stack;
    signal(SIGUSR1, write_nowhere);
    signal(SIGUSR2, run_out_of_stack);
    return smc_cli_main(argc, argv);
}
