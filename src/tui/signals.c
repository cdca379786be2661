/* Signals as something to wait for beside keys. */
#include "config.h"

#include "tui/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGWINCH};
static const int yielded[] = {SIGINT, SIGQUIT};
enum { WATCHED = sizeof watched / sizeof *watched, YIELDED = sizeof yielded / sizeof *yielded };

/* A handler can reach nothing else. */
static volatile sig_atomic_t seen;
static int pipe_ends[2] = {-1, -1};

static struct sigaction before[WATCHED], before_yielding[YIELDED];

static void note(int signal_number)
{
    if (signal_number != SIGWINCH)
        seen = signal_number;
    ssize_t written = write(pipe_ends[1], "", 1);
    (void)written;
}

int smc_signals_watch(void)
{
    struct sigaction action = {.sa_handler = note};
    if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return -1;
    seen = 0;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED; i++)
        sigaction(watched[i], &action, &before[i]);
    return pipe_ends[0];
}

int smc_signals_seen(void)
{
    char bytes[64];
    while (read(pipe_ends[0], bytes, sizeof bytes) > 0) {
    }
    return seen;
}

void smc_signals_release(void)
{
    for (int i = 0; i < WATCHED; i++)
        sigaction(watched[i], &before[i], NULL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

void smc_signals_stop(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, curses;
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, &action, &curses);
    raise(SIGTSTP);
    sigaction(SIGTSTP, &curses, NULL);
}

void smc_signals_yield(void)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < YIELDED; i++)
        sigaction(yielded[i], &action, &before_yielding[i]);
}

void smc_signals_regain(void)
{
    for (int i = 0; i < YIELDED; i++)
        sigaction(yielded[i], &before_yielding[i], NULL);
}
