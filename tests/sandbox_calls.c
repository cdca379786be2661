/* What the sandbox forbids and what it leaves, each in a process of its own:
     sandbox_calls reading|compilers     tries all; the last line counts the cases
     sandbox_calls try CALL              makes this call: 0 if it is refused with EPERM
     sandbox_calls enter CALL            the same, in the sandbox for reading */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/sandbox.h"

extern char **environ;
static const char *self;

static unsigned passed, failed;

static void check(const char *name, bool holds)
{
    passed += holds;
    failed += !holds;
    printf("%s  %s\n", holds ? "ok    " : "FAILED", name);
    fflush(stdout);
}

/* --- Calls that are refused ------------------------------------------------------------------- */

static long call_execve(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};
    return execve("/bin/true", argv, environ);
}

static long call_fork(void)
{
    return (long)fork();
}

static long call_kill(void)
{
    return kill(getppid(), 0);
}

static long call_socket(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static long call_connect(void)
{
    return connect(STDIN_FILENO, &(struct sockaddr){.sa_family = AF_UNIX}, sizeof(struct sockaddr));
}

static long call_ptrace(void)
{
    return ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static long call_memory_of_others(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&byte, 1};
    return process_vm_readv(getppid(), &here, 1, &there, 1, 0);
}

static long call_mount(void)
{
    return mount("none", "/nowhere", "tmpfs", 0, NULL);
}

static long call_unshare(void)
{
    return unshare(CLONE_NEWUSER);
}

static long call_terminal_input(void)
{
    return ioctl(STDIN_FILENO, TIOCSTI, "x");
}

static long call_limits_of_others(void)
{
    struct rlimit limit;
    return syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, NULL, &limit);
}

#define RAW(name)                                                                                  \
    static long call_##name(void)                                                                  \
    {                                                                                              \
        return syscall(SYS_##name, 0, 0, 0, 0, 0);                                                 \
    }
RAW(bpf)
RAW(keyctl)
RAW(perf_event_open)
RAW(userfaultfd)
RAW(io_uring_setup)
RAW(init_module)
RAW(setns)
RAW(chroot)

static const struct {
    const char *name;
    long (*call)(void);
    bool only_reading; /* compilers may */
} calls[] = {
    {"execve", call_execve, true},
    {"fork", call_fork, true},
    {"kill", call_kill, true},
    {"terminal_input", call_terminal_input, true},
    {"limits_of_others", call_limits_of_others, true},
    {"socket", call_socket, false},
    {"connect", call_connect, false},
    {"ptrace", call_ptrace, false},
    {"memory_of_others", call_memory_of_others, false},
    {"mount", call_mount, false},
    {"unshare", call_unshare, false},
    {"bpf", call_bpf, false},
    {"keyctl", call_keyctl, false},
    {"perf_event_open", call_perf_event_open, false},
    {"userfaultfd", call_userfaultfd, false},
    {"io_uring_setup", call_io_uring_setup, false},
    {"init_module", call_init_module, false},
    {"setns", call_setns, false},
    {"chroot", call_chroot, false},
};
enum { CALLS = sizeof calls / sizeof *calls };

static bool is_refused(long (*call)(void))
{
    errno = 0;
    return call() == -1 && errno == EPERM;
}

/* --- The filter ------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define NUMBER(x86_64, aarch64) x86_64
#else
#define NUMBER(x86_64, aarch64) aarch64
#endif
#define TEXT(text)   #text
#define VALUE(macro) TEXT(macro) /* its name if it is not defined */

/* As in the headers; old ones do not know all. */
static bool are_numbers_right(void)
{
    enum { NONE = -1 };
    static const struct {
        const char *name;
        int number;
        const char *value;
    } rows[] = {
#define CALL(kind, name, x86_64, aarch64) {#name, NUMBER(x86_64, aarch64), VALUE(SYS_##name)},
#include "base/sandbox.def"
    };
    int known = 0, wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool is_known = rows[i].value[0] >= '0' && rows[i].value[0] <= '9';
        known += is_known;
        if (is_known && atoi(rows[i].value) != rows[i].number) {
            printf("%s: %d, but %s in the headers\n", rows[i].name, rows[i].number, rows[i].value);
            wrong++;
        }
    }
    return known > 100 && !wrong;
}

/* A call of the architecture whose pointers have 32 bits: there the numbers mean other calls. */
static bool kills_x32(enum smc_sandbox kind)
{
    enum { X32_BIT = 0x40000000 };
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        smc_sandbox_enter(kind);
        syscall(X32_BIT | SYS_getpid);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* --- What still works ------------------------------------------------------------------------- */

static void *set(void *flag)
{
    *(int *)flag = 1;
    return NULL;
}

static bool can_make_threads(void)
{
    int flag = 0;
    pthread_t thread;
    return pthread_create(&thread, NULL, set, &flag) == 0 && pthread_join(thread, NULL) == 0 &&
           flag;
}

static bool can_use_files(void)
{
    char byte = '\0';
    FILE *file = tmpfile();
    bool works = file && fputs("x", file) >= 0 && fflush(file) == 0 &&
                 fseek(file, 0, SEEK_SET) == 0 && fread(&byte, 1, 1, file) == 1 && byte == 'x';
    if (file)
        fclose(file);
    return works;
}

static volatile sig_atomic_t seen;

static void note(int number)
{
    seen = number;
}

static bool can_signal_itself(void)
{
    signal(SIGUSR1, note);
    return raise(SIGUSR1) == 0 && seen == SIGUSR1;
}

/* Starts this program, which inherits the sandbox; -1: it was not started. */
static int run_self(const char *call)
{
    char *const argv[] = {(char *)self, (char[]){"try"}, (char *)call, NULL};
    pid_t child;
    int status;
    if (posix_spawn(&child, self, NULL, NULL, argv, environ) != 0 ||
        waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status);
}

static bool is_limited(void)
{
    struct rlimit space, core;
    getrlimit(RLIMIT_AS, &space);
    getrlimit(RLIMIT_CORE, &core);
    return space.rlim_cur == (rlim_t)3 << 30 && core.rlim_cur == 0;
}

static bool runs_out_of_memory(void)
{
    void *volatile memory = malloc((size_t)4 << 30);
    bool none = memory == NULL;
    free(memory);
    return none;
}

static bool is_weakened_later(void)
{
    smc_sandbox_enter(SMC_SANDBOX_COMPILERS);
    return !is_refused(call_socket);
}

/* Once the compilers are done. */
static bool is_strengthened_later(void)
{
    bool all = true;
    smc_sandbox_enter(SMC_SANDBOX_READING);
    for (int i = 0; i < CALLS; i++)
        all = all && is_refused(calls[i].call);
    return all;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    self = "/proc/self/exe";
    if (strcmp(word, "enter") == 0)
        smc_sandbox_enter(SMC_SANDBOX_READING);
    for (int i = 0; i < CALLS && argc > 2; i++)
        if (strcmp(calls[i].name, argv[2]) == 0)
            return !is_refused(calls[i].call);
    bool reading = strcmp(word, "reading") == 0;
    if (!reading && strcmp(word, "compilers") != 0) {
        fprintf(stderr, "usage: sandbox_calls reading|compilers\n");
        return 2;
    }
    setenv("SMEMCALC_MEMORY_LIMIT", "3G", 1);
    check("the numbers of the calls", are_numbers_right());
    if (NUMBER(true, false))
        check("x32 is killed", kills_x32(reading ? SMC_SANDBOX_READING : SMC_SANDBOX_COMPILERS));
    smc_sandbox_enter(reading ? SMC_SANDBOX_READING : SMC_SANDBOX_COMPILERS);
    for (int i = 0; i < CALLS; i++)
        if (reading || !calls[i].only_reading)
            check(calls[i].name, is_refused(calls[i].call));
    check("threads", can_make_threads());
    check("files", can_use_files());
    check("signals to itself", can_signal_itself());
    check("limits of memory and of core dumps", is_limited());
    check("memory runs out", runs_out_of_memory());
    check("a weaker one changes nothing", !is_weakened_later());
    if (!reading)
        for (int i = 0; i < CALLS; i++)
            if (!calls[i].only_reading && calls[i].call != call_connect) {
                char name[64];
                snprintf(name, sizeof name, "%s in a program that it starts", calls[i].name);
                check(name, run_self(calls[i].name) == 0);
            }
    if (!reading)
        check("a stricter one refuses more", is_strengthened_later());
    printf("%u passed, %u failed, 0 skipped\n", passed, failed);
    return failed > 0;
}
