/* Start and end of the library in a process. */
#include "config.h"

#include "trace/inject/inject.h"

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

#include "trace/inject/cupti.h"
#include "trace/inject/hooks.h"
#include "trace/inject/names.h"
#include "trace/inject/seen.h"
#include "trace/inject/table.h"

enum { FLUSH_MS = 250, CRASH_WAIT_MS = 2000 };

bool inject_is_over;

static struct inject_settings settings;
static char folder[PATH_MAX], module_folder[PATH_MAX], cupti_path[PATH_MAX], found_cupti[PATH_MAX];
static bool forked, started, has_cupti;

const struct inject_settings *inject_settings(void)
{
    return &settings;
}

bool inject_counts_hooks(void)
{
    return settings.hooks && !has_cupti;
}

bool inject_forked(void)
{
    return forked;
}

void *inject_allocate(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void inject_release(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}

/* --- The thread that empties CUPTI's buffers -------------------------------------------------- */

/* No file descriptors: a program may close all that it does not know. */
static sem_t requests;
static unsigned answers; /* how many requests were answered */
static bool has_thread;

/* Held while the buffers are emptied, and for good once the process ends. */
static pthread_mutex_t emptying = PTHREAD_MUTEX_INITIALIZER;
static bool is_ending;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void end_recording(void)
{
    if (has_cupti)
        cupti_flush(false);
    __atomic_store_n(&inject_is_over, true, __ATOMIC_RELAXED);
    if (has_cupti)
        cupti_stop();
}

static int wait_ms(void)
{
    if (settings.until_ns == 0 || !inject_records())
        return has_cupti ? FLUSH_MS : -1;
    const uint64_t now = now_ns();
    const uint64_t left = now >= settings.until_ns ? 0 : (settings.until_ns - now) / 1000000 + 1;
    return !has_cupti && left > INT_MAX ? INT_MAX : left < FLUSH_MS ? (int)left : FLUSH_MS;
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

/* False: the process ends, and CUPTI may be gone. */
static bool empty_buffers(bool forced)
{
    pthread_mutex_lock(&emptying);
    const bool goes_on = !is_ending;
    if (goes_on && has_cupti)
        cupti_flush(forced);
    pthread_mutex_unlock(&emptying);
    return goes_on;
}

static void *serve(void *unused)
{
    bool goes_on = true;
    while (goes_on) {
        const bool requested = wait_for_request(wait_ms());
        if (inject_records() && settings.until_ns != 0 && now_ns() >= settings.until_ns)
            end_recording();
        if (requested) {
            goes_on = empty_buffers(true);
            __atomic_add_fetch(&answers, 1, __ATOMIC_SEQ_CST);
        } else if (inject_records()) {
            goes_on = empty_buffers(false);
        }
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
    has_thread = pthread_create(&thread, &attributes, serve, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return has_thread;
}

/* --- The end ---------------------------------------------------------------------------------- */

static void note_end(enum record_end end)
{
    struct record_header *header = table_header();
    if (header)
        header->end = end;
}

/* Only signals that the program leaves to the system are handled, so that it sees no difference:
   the thread is asked to fetch what CUPTI has, and then the signal does what it does without us. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL,  SIGTRAP, SIGABRT,
                             SIGBUS, SIGFPE, SIGSEGV, SIGTERM, SIGXCPU, SIGSYS};

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
   blocked until the handler returns. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    static int busy;
    (void)info, (void)context;
    const int before = errno;
    if (!__atomic_exchange_n(&busy, 1, __ATOMIC_SEQ_CST) && fetch_the_rest())
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

static void finish(void)
{
    if (!started || __atomic_exchange_n(&finished, true, __ATOMIC_SEQ_CST))
        return;
    if (inject_records())
        empty_buffers(true);
    pthread_mutex_lock(&emptying);
    is_ending = true;
    pthread_mutex_unlock(&emptying);
    note_end(RECORD_EXITED);
}

__attribute__((destructor)) static void unload(void)
{
    finish();
}

/* The memory of the other threads is as it was in the middle of their work. CUPTI has no threads in
   this process, and CUDA does not work in it if it was used before. */
static void in_child(void)
{
    forked = forked || started;
    has_cupti = has_thread = false;
    started = finished = is_ending = false;
    pthread_mutex_init(&emptying, NULL);
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
        pthread_atfork(NULL, NULL, in_child);
    if (settings.folder && settings.hooks)
        hooks_start();
}

void inject_start(void)
{
    if (!settings.folder || __atomic_load_n(&started, __ATOMIC_ACQUIRE) ||
        __atomic_exchange_n(&started, true, __ATOMIC_SEQ_CST))
        return;
    struct record_header *header = table_header();
    if (!header)
        return;
    if (settings.uses_cupti && !forked)
        has_cupti = cupti_start();
    header->mode = has_cupti        ? RECORD_MODE_CUPTI
                   : settings.hooks ? RECORD_MODE_HOOKS
                                    : RECORD_MODE_NONE;
    if (header->mode == RECORD_MODE_NONE)
        return;
    static bool registered;
    if (!registered)
        atexit(finish);
    registered = true;
    if (has_cupti || settings.until_ns != 0)
        if (start_thread() && has_cupti)
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
