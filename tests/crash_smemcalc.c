/* smemcalc that crashes on request, to test the state in which a crash leaves the terminal: SIGUSR1
   makes it write to unmapped memory, SIGUSR2 overflows the stack. */
#include "config.h"

#include <signal.h>
#include <stdint.h>

#include "show/cli/cli.h"

/* Not null, because UBSan would report that itself. */
static volatile char *volatile nowhere = (volatile char *)(uintptr_t)16;
static void (*volatile again)(int signal_number); /* which the compiler cannot optimise away */

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
    room[0] = 2; /* otherwise the call would use no stack */
    (void)signal_number;
}

int main(int argc, char **argv)
{
    again = run_out_of_stack;
    signal(SIGUSR1, write_nowhere);
    signal(SIGUSR2, run_out_of_stack);
    return smc_cli_main(argc, argv);
}
