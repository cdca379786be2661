/* Ctrl-C or a time limit that ends long work early. */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/platform.h"
#include "base/status.h"
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

/* Written before the handler may run. */
static char limit_line[1024];

static void interrupt_end(int signal_number)
{
    (void)signal_number;
    ssize_t written = write(STDERR_FILENO, limit_line, strlen(limit_line));
    (void)written;
    _exit(SMC_SHORTFALL);
}

static void interrupt_set_timer(uint32_t ms)
{
    enum { MS_PER_S = 1000, US_PER_MS = 1000 };
    const struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)(ms / MS_PER_S),
                     .tv_usec = (suseconds_t)(ms % MS_PER_S) * US_PER_MS},
    };
    setitimer(ITIMER_REAL, &timer, NULL);
}

void smc_interrupt_limit(uint32_t ms, const char *line)
{
    struct sigaction action = {.sa_handler = interrupt_end};
    sigemptyset(&action.sa_mask);
    snprintf(limit_line, sizeof limit_line, "smemcalc: %s\n", line);
    sigaction(SIGALRM, &action, NULL);
    interrupt_set_timer(ms);
}

void smc_interrupt_unlimit(void)
{
    interrupt_set_timer(0);
}
