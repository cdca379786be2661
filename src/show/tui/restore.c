/* Restores the terminal if the program crashes. */
#include "config.h"

#include "show/tui/restore.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes, STACK_BYTES = 1 << 14 };

/* Global, since a signal handler gets no other data. */
static struct termios before;
static bool is_terminal;
static char sequence[256];
static size_t sequence_bytes;
static bool watching;
static struct sigaction was[CRASHES];

/* Of the handler: the crash may be an overflow of the program's own stack. */
static char stack[STACK_BYTES];

/* write and tcsetattr may be called from a handler. */
static void restore_on_signal(int signal_number)
{
    ssize_t written = write(STDOUT_FILENO, sequence, sequence_bytes);
    (void)written;
    if (is_terminal)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    raise(signal_number); /* with its own action again: SA_RESETHAND */
}

void smc_restore_prepare(void)
{
    is_terminal = tcgetattr(STDIN_FILENO, &before) == 0;
}

static void append(const char *string)
{
    size_t length = strlen(string);
    if (sequence_bytes + length > sizeof sequence)
        return;
    for (size_t i = 0; i < length; i++)
        sequence[sequence_bytes++] = string[i];
}

void smc_restore_with(const char *const *strings)
{
    struct sigaction action = {.sa_handler = restore_on_signal,
                               .sa_flags = (int)SA_RESETHAND | SA_ONSTACK};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    sequence_bytes = 0;
    append(
        "\x1b[?1000l\x1b[?1002l\x1b[?1006l"); /* mouse reports: terminfo has no string for them */
    for (; *strings; strings++)
        append(*strings);
    sigaltstack(&other, NULL);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &action, &was[i]);
    watching = true;
}

void smc_restore_done(void)
{
    for (int i = 0; watching && i < CRASHES; i++)
        sigaction(crashes[i], &was[i], NULL);
    watching = false;
}
