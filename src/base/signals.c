/* Signals that would end the program, made available through a descriptor, so that it can clean up
   first. */
#include "config.h"

#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/platform.h"

/* SIGWINCH is last: it is optional. */
static const int watched[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGWINCH};
static const int yielded[] = {SIGINT, SIGQUIT};
enum { WATCHED = sizeof watched / sizeof *watched, YIELDED = sizeof yielded / sizeof *yielded };
enum { ENDING = WATCHED - 1 }; /* how many of `watched` end the program */

/* The only state that the handler can use; whichever thread it runs in, the pipe wakes the waiting
   one. */
static volatile sig_atomic_t seen;
static int pipe_ends[2] = {-1, -1};
static int count; /* how many of `watched` are handled */

static struct sigaction before[WATCHED], before_yielding[YIELDED];

static void signals_note(int signal_number)
{
    int saved = errno;
    if (signal_number != SIGWINCH)
        seen = signal_number;
    ssize_t written = write(pipe_ends[1], "", 1);
    (void)written; /* if the pipe is full, it is readable anyway */
    errno = saved;
}

int smc_signals_watch(bool resizes)
{
    struct sigaction action = {.sa_handler = signals_note};
    seen = 0;
    if (smc_platform_pipe(pipe_ends) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        fcntl(pipe_ends[i], F_SETFL, O_NONBLOCK);
    sigemptyset(&action.sa_mask);
    count = WATCHED - !resizes;
    for (int i = 0; i < count; i++)
        if (sigaction(watched[i], NULL, &before[i]) == 0 && before[i].sa_handler != SIG_IGN)
            sigaction(watched[i], &action, NULL);
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
    if (pipe_ends[0] < 0)
        return;
    const int number = smc_signals_seen();
    for (int i = 0; i < count; i++)
        sigaction(watched[i], &before[i], NULL);
    for (int i = 0; i < 2; i++) {
        close(pipe_ends[i]);
        pipe_ends[i] = -1;
    }
    if (number)
        raise(number);
}

/* --- Kept waiting ---------------------------------------------------------------------------- */

static sigset_t ending_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&signals, watched[i]);
    return signals;
}

void smc_signals_block(sigset_t *mask)
{
    const sigset_t blocked = ending_signals();
    pthread_sigmask(SIG_BLOCK, &blocked, mask);
}

void smc_signals_unblock(const sigset_t *mask)
{
    pthread_sigmask(SIG_SETMASK, mask, NULL);
}

/* --- Received by a thread -------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned diverting; /* calls that have not ended */
static struct sigaction usual[ENDING];
enum { WAKING = SIGURG }; /* ignored where it is not blocked: it tells the receiver that is_over */
static pthread_t receiver;
static bool is_receiving;
static atomic_bool is_over;

/* A handler may have replaced itself, so the next signal does what is set then. */
static void act_as_usual(int i)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, watched[i]);
    sigaction(watched[i], &usual[i], NULL);
    raise(watched[i]);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    sigaction(watched[i], NULL, &usual[i]);
}

/* Threads that are not ours, such as CUDA's, do not block the signals: the library's handlers must
   not stay for them, either. If one of them ran a handler that acts once, the signal has its
   default action now. */
static void replace_handlers(void)
{
    for (int i = 0; i < ENDING; i++) {
        struct sigaction now;
        if (sigaction(watched[i], NULL, &now) != 0 || now.sa_handler == usual[i].sa_handler)
            continue;
        if (now.sa_handler == SIG_DFL && usual[i].sa_flags & (int)SA_RESETHAND)
            usual[i] = now;
        sigaction(watched[i], &usual[i], NULL);
    }
}

/* A library sets its handlers when its work begins, so that is looked at most often. */
static void *signals_receive(void *context)
{
    enum { OFTEN = 100 };
    static const struct timespec step = {.tv_nsec = 100000}, long_step = {.tv_nsec = 10000000};
    sigset_t awaited = ending_signals();
    sigaddset(&awaited, WAKING);
    pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    for (int looked = 0; !is_over; looked += looked < OFTEN) {
        const int number = smc_platform_await(&awaited, looked < OFTEN ? &step : &long_step);
        for (int i = 0; i < ENDING; i++)
            if (watched[i] == number)
                act_as_usual(i);
        replace_handlers();
    }
    return context;
}

static bool start_receiver(void)
{
    enum { STACK_BYTES = 256 << 10 };
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    const bool started = pthread_create(&receiver, &attributes, signals_receive, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

void smc_signals_divert(sigset_t *mask)
{
    smc_signals_block(mask);
    pthread_mutex_lock(&lock);
    if (diverting++ == 0) {
        is_over = false;
        for (int i = 0; i < ENDING; i++)
            sigaction(watched[i], NULL, &usual[i]);
        is_receiving = start_receiver();
    }
    pthread_mutex_unlock(&lock);
}

void smc_signals_undivert(const sigset_t *mask)
{
    pthread_mutex_lock(&lock);
    if (--diverting == 0) {
        is_over = true;
        if (is_receiving && pthread_kill(receiver, WAKING) == 0)
            pthread_join(receiver, NULL);
        for (int i = 0; i < ENDING; i++)
            sigaction(watched[i], &usual[i], NULL);
    }
    pthread_mutex_unlock(&lock);
    smc_signals_unblock(mask);
}

/* --- Of a terminal --------------------------------------------------------------------------- */

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
