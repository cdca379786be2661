/* Start and end of the library in a process. */
#include "config.h"

#include "guests/inject/inject.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "answers/trace_records.h"
#include "guests/inject/cupti.h"
#include "guests/inject/hooks.h"
#include "guests/inject/inject_table.h"
#include "guests/inject/seen.h"

enum { FLUSH_MS = 250, CRASH_WAIT_MS = 2000, LONGEST_WAIT_MS = 3600000 };

bool inject_is_over;

static struct inject_settings settings;
static char folder[PATH_MAX], module_folder[PATH_MAX], cupti_path[PATH_MAX], found_cupti[PATH_MAX];
static bool forked; /* written only where a process has one thread */
static bool started;
static bool has_cupti; /* another thread may read it while inject_start still runs */

const struct inject_settings *inject_settings(void)
{
    return &settings;
}

static bool uses_cupti(void)
{
    return __atomic_load_n(&has_cupti, __ATOMIC_ACQUIRE);
}

bool inject_counts_hooks(void)
{
    return settings.hooks && !uses_cupti();
}

bool inject_forked(void)
{
    return forked;
}

/* --- The thread that empties CUPTI's buffers -------------------------------------------------- */

/* The thread waits on a semaphore, which a signal handler may post. It has no file descriptors: a
   program may close all that it does not know. */
static sem_t requests;
static unsigned answers; /* how many requests were answered */
static bool has_thread;

/* Held while CUPTI is called to empty its buffers or to stop, so that it is not called once the
   process ends: it may be gone then. Nothing that may be called from a callback of CUPTI takes it.
   Who has it takes only the lock of inject_table.c besides, in such a callback. */
static pthread_mutex_t emptying = PTHREAD_MUTEX_INITIALIZER;
static bool is_ending; /* under `emptying` */

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static bool is_time_over(void)
{
    return settings.until_ns != 0 && now_ns() >= settings.until_ns;
}

/* What ends the wait for a request; -1: nothing. */
static int wait_ms(void)
{
    int most = uses_cupti() ? FLUSH_MS : -1;
    if (settings.until_ns != 0 && inject_records()) {
        const uint64_t now = now_ns();
        const uint64_t left = now >= settings.until_ns ? 0 : (settings.until_ns - now) / 1000000;
        if (most < 0 || left < (uint64_t)most)
            most = left < LONGEST_WAIT_MS ? (int)left + 1 : LONGEST_WAIT_MS;
    }
    return most;
}

/* Whether a request came; false after the time, or if a signal came. */
static bool wait_for_request(int milliseconds)
{
    struct timespec until;
    if (milliseconds < 0)
        return sem_wait(&requests) == 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += milliseconds / 1000;
    until.tv_nsec += milliseconds % 1000 * 1000000L;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return sem_timedwait(&requests, &until) == 0;
}

/* False: the process ends, and CUPTI may be gone. The driver is asked about new devices after the
   lock is given back. */
static bool empty_buffers(bool forced)
{
    pthread_mutex_lock(&emptying);
    const bool goes_on = !is_ending;
    if (goes_on && uses_cupti())
        cupti_flush(forced);
    pthread_mutex_unlock(&emptying);
    if (goes_on)
        seen_ask_devices();
    return goes_on;
}

/* Kernels that run at this moment, and those that wait for them, have no complete records yet:
   these are fetched later, as long as the process lives. */
static void end_recording(void)
{
    __atomic_store_n(&inject_is_over, true, __ATOMIC_RELAXED);
    pthread_mutex_lock(&emptying);
    if (!is_ending && uses_cupti())
        cupti_stop();
    pthread_mutex_unlock(&emptying);
    empty_buffers(false);
    struct record_header *header = table_header();
    if (header)
        __atomic_store_n(&header->is_over, 1, __ATOMIC_RELEASE);
}

static void *inject_serve(void *unused)
{
    bool goes_on = true;
    while (goes_on) {
        const bool requested = wait_for_request(wait_ms());
        if (inject_records() && is_time_over())
            end_recording();
        goes_on = empty_buffers(requested);
        if (requested)
            __atomic_add_fetch(&answers, 1, __ATOMIC_SEQ_CST);
    }
    return unused;
}

static bool start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all, before;
    if (sem_init(&requests, 0, 0) != 0 || pthread_attr_init(&attributes) != 0)
        return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread = pthread_create(&thread, &attributes, inject_serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return has_thread;
}

/* --- The end ---------------------------------------------------------------------------------- */

static void note_end(enum record_end end)
{
    struct record_header *header = table_header();
    if (header)
        __atomic_store_n(&header->end, end, __ATOMIC_RELAXED);
}

/* Only signals that the program leaves to the system are handled, so that it sees no difference:
   the thread is asked to fetch what CUPTI has, and then the signal does what it does without us. */
static const int ending[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,
                             SIGBUS,  SIGFPE,  SIGSEGV, SIGTERM, SIGXCPU, SIGSYS,
                             SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXFSZ, SIGVTALRM};

/* Whether the thread answered in time. Only calls that are safe in a handler. */
static bool fetch_the_rest(void)
{
    enum { STEP_MS = 5 };
    const unsigned before = __atomic_load_n(&answers, __ATOMIC_SEQ_CST);
    if (!has_thread || sem_post(&requests) != 0)
        return false;
    for (int waited = 0; waited < CRASH_WAIT_MS; waited += STEP_MS) {
        if (__atomic_load_n(&answers, __ATOMIC_SEQ_CST) != before)
            return true;
        poll(NULL, 0, STEP_MS);
    }
    return false;
}

/* The signal is sent again, as one from a terminal or the kernel is not repeated by itself. It is
   blocked until the handler returns. If several threads receive signals at once, each waits for the
   rest to be fetched, so that none ends the process before. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    const int before = errno;
    if (fetch_the_rest())
        note_end(RECORD_SIGNAL);
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(number, &standard, NULL);
    syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number);
    errno = before;
}

static void handle_signals(void)
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction now;
        struct sigaction handled = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&handled.sa_mask);
        if (sigaction(ending[i], NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) &&
            now.sa_handler == SIG_DFL)
            sigaction(ending[i], &handled, NULL);
    }
}

static bool finished;

static void inject_finish(void)
{
    if (!started || __atomic_exchange_n(&finished, true, __ATOMIC_SEQ_CST))
        return;
    empty_buffers(true);
    pthread_mutex_lock(&emptying);
    is_ending = true;
    pthread_mutex_unlock(&emptying);
    note_end(RECORD_EXITED);
}

__attribute__((destructor)) static void unload(void)
{
    inject_finish();
}

/* In the child of fork there is only the thread that called it. Others may have held any of our
   locks and have been in the middle of anything, and the parent must not wait for them before it
   forks: a handler of a signal may fork while its own thread is in our code. So the child
   initializes every lock and begins with empty tables; it releases nothing whose state it cannot
   trust. CUPTI has no threads in this process, and CUDA does not work in it if it was used before.
 */
static void inject_in_child(void)
{
    forked = forked || started;
    has_cupti = has_thread = false;
    started = finished = is_ending = false;
    emptying = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    cupti_forget();
    seen_forget();
    table_forget();
}

/* --- The beginning ---------------------------------------------------------------------------- */

static const char *copy_variable(const char *name, char *copy, size_t capacity)
{
    const char *value = getenv(name);
    if (!value || !*value || strlen(value) >= capacity)
        return NULL;
    strcpy(copy, value);
    return copy;
}

/* All processes count their launches together, so that --skip and --count are of the program. */
static void map_counter(void)
{
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/" TRACE_COUNTER, folder);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED)
        settings.launches_so_far = memory;
    close(file);
}

static void read_environment(void)
{
    char range[64], mode[16], until[32];
    settings.folder = copy_variable(TRACE_ENV_FOLDER, folder, sizeof folder);
    if (!settings.folder)
        return;
    settings.module_folder = copy_variable(TRACE_ENV_MODULES, module_folder, sizeof module_folder);
    settings.cupti = copy_variable(TRACE_ENV_CUPTI, cupti_path, sizeof cupti_path);
    settings.found_cupti = copy_variable(TRACE_ENV_FOUND_CUPTI, found_cupti, sizeof found_cupti);
    if (!copy_variable(TRACE_ENV_MODE, mode, sizeof mode))
        return;
    settings.hooks = strcmp(mode, TRACE_MODE_CUPTI) != 0;
    settings.uses_cupti = strcmp(mode, TRACE_MODE_HOOKS) != 0;
    if (copy_variable(TRACE_ENV_UNTIL, until, sizeof until))
        settings.until_ns = strtoull(until, NULL, 10);
    if (is_time_over())
        settings.folder = NULL; /* a program that began later is not recorded */
    char *end = NULL;
    if (copy_variable(TRACE_ENV_RANGE, range, sizeof range)) {
        settings.skip = strtoull(range, &end, 10);
        settings.count = *end == ':' ? strtoull(end + 1, NULL, 10) : 0;
        map_counter();
    }
}

__attribute__((constructor)) static void load(void)
{
    read_environment();
    if (settings.folder)
        pthread_atfork(NULL, NULL, inject_in_child);
    if (settings.folder && settings.hooks)
        hooks_start();
}

/* No thread waits for another that is starting: one of them may be in the driver, called from
   InitializeInjection, and have a lock that the other needs in CUPTI. Until CUPTI works the hooks
   count, if there are any. */
void inject_start(void)
{
    if (!settings.folder || __atomic_load_n(&started, __ATOMIC_ACQUIRE) ||
        __atomic_exchange_n(&started, true, __ATOMIC_SEQ_CST))
        return;
    struct record_header *header = table_header();
    if (!header)
        return;
    if (settings.uses_cupti && !forked)
        __atomic_store_n(&has_cupti, cupti_start(), __ATOMIC_RELEASE);
    const enum record_mode mode = uses_cupti()     ? RECORD_MODE_CUPTI
                                  : settings.hooks ? RECORD_MODE_HOOKS
                                                   : RECORD_MODE_NONE;
    __atomic_store_n(&header->mode, mode, __ATOMIC_RELAXED);
    if (mode == RECORD_MODE_NONE)
        return;
    static bool registered;
    if (!registered)
        atexit(inject_finish);
    registered = true;
    if (uses_cupti() || settings.until_ns != 0)
        if (start_thread() && uses_cupti())
            handle_signals();
}

/* Called by CUDA's driver when it starts, because CUDA_INJECTION64_PATH names this library. */
__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
    if (settings.uses_cupti)
        inject_start();
    return 1;
}
