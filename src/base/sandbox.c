/* Fewer rights for the rest of the process: limits, and a filter of system calls. */
#include "config.h"

#include "base/sandbox.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The filter knows the numbers of these architectures' calls. */
#if defined(HAVE_LINUX_SECCOMP_H) && defined(__x86_64__) && !defined(__ILP32__)
#define ARCHITECTURE            AUDIT_ARCH_X86_64
#define NUMBER(x86_64, aarch64) x86_64
#elif defined(HAVE_LINUX_SECCOMP_H) && defined(__aarch64__) && defined(__AARCH64EL__)
#define ARCHITECTURE            AUDIT_ARCH_AARCH64
#define NUMBER(x86_64, aarch64) aarch64
#endif

#ifdef ARCHITECTURE
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include "base/file.h"
#include "base/parse.h"
#include "base/platform.h"

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED false
#endif

static bool is_off(void)
{
    const char *value = smc_folder_variable("SMEMCALC_SANDBOX");
    return IS_SANITIZED || (value && strcmp(value, "off") == 0);
}

/* The driver's threads and its device files need what the filter refuses. */
static bool has_driver(void)
{
    if (SMC_STATIC_PROGRAM) /* it has no loader */
        return false;
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver)
        dlclose(driver);
    return driver != NULL;
}

/* --- Limits ----------------------------------------------------------------------------------- */

enum { LEAST_LIMIT_GB = 4 };

/* A process that needs more than all memory would only make the machine swap. Files are mapped, so
   that twice the memory is left to them. $SMEMCALC_MEMORY_LIMIT: bytes, such as 16G; or 0: none. */
static uint64_t memory_limit(void)
{
    const char *typed = smc_folder_variable("SMEMCALC_MEMORY_LIMIT");
    const uint64_t least = (uint64_t)LEAST_LIMIT_GB << 30, memory = smc_machine_memory_bytes();
    uint64_t bytes;
    if (typed && smc_parse_size(typed, UINT64_MAX / 4, &bytes))
        return bytes;
    if (memory > UINT64_MAX / 4)
        return 0;
    return smc_platform_used_bytes() + (3 * memory > least ? 3 * memory : least);
}

/* Never raises a limit that is there. The time of the CPU is not limited: an emulation may take
   hours, and has --timeout. */
static void sandbox_lower(int resource, uint64_t value)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur <= value)
        return;
    limit.rlim_cur = value;
    setrlimit(resource, &limit);
}

static void set_limits(void)
{
    const uint64_t bytes = memory_limit();
    sandbox_lower(RLIMIT_CORE, 0); /* it would hold what was read */
    if (bytes > 0 && !IS_SANITIZED)
        sandbox_lower(RLIMIT_AS, bytes);
}

/* --- The filter ------------------------------------------------------------------------------- */

#ifdef ARCHITECTURE

enum {
    NUMBER_NONE = -1,
#define CALL(kind, name, x86_64, aarch64) NUMBER_##name = NUMBER(x86_64, aarch64),
#define NONE                              NUMBER_NONE
#include "base/sandbox.def"
#undef NONE
    NUMBERS = 512,   /* all are below it */
    MOST_CODE = 2048 /* enough if each number had a verdict of its own */
};

#define CALL(kind, name, x86_64, aarch64) _Static_assert(NUMBER_##name < NUMBERS, #name);
#include "base/sandbox.def"

static const struct {
    enum smc_sandbox kind; /* the strictest that allows it */
    int number;
} calls[] = {
#define CALL(kind, name, x86_64, aarch64) {SMC_SANDBOX_##kind, NUMBER_##name},
#include "base/sandbox.def"
};

/* What becomes of a call. */
enum sandbox_verdict {
    REFUSED,
    ALLOWED,
    UNKNOWN,
    FOR_THREADS,
    FOR_ITSELF,
    FOR_OWN_LIMITS,
    FOR_QUESTIONS
};

/* Without other programs: threads but no processes, signals to this process alone, questions to a
   terminal but no input to it, this process's limits. The C library falls back to clone, whose
   flags a filter can see, if clone3 does not exist. */
static void sandbox_decide(enum smc_sandbox kind, unsigned char verdicts[NUMBERS])
{
    memset(verdicts, REFUSED, NUMBERS);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number != NUMBER_NONE && kind <= calls[i].kind)
            verdicts[calls[i].number] = ALLOWED;
    verdicts[NUMBER_clone3] = UNKNOWN;
    if (kind != SMC_SANDBOX_READING)
        return;
    verdicts[NUMBER_clone] = FOR_THREADS;
    verdicts[NUMBER_tgkill] = verdicts[NUMBER_kill] = FOR_ITSELF;
    verdicts[NUMBER_prlimit64] = FOR_OWN_LIMITS;
    verdicts[NUMBER_ioctl] = FOR_QUESTIONS;
}

struct filter {
    struct sock_filter code[MOST_CODE];
    unsigned short count;
};

static void sandbox_add(struct filter *filter, uint16_t code, uint32_t value, uint8_t if_true,
                        uint8_t if_false)
{
    filter->code[filter->count++] = (struct sock_filter){code, if_true, if_false, value};
}

static void sandbox_load(struct filter *filter, size_t offset)
{
    sandbox_add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct filter *filter, uint32_t answer)
{
    sandbox_add(filter, BPF_RET | BPF_K, answer, 0, 0);
}

/* Allowed if the argument, of which only the bits of `mask` count, is one of the values. */
static void sandbox_check(struct filter *filter, size_t argument, uint64_t mask,
                          const uint32_t *values, size_t count)
{
    const size_t low = offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
    if (mask >> 32) {
        sandbox_load(filter, low + sizeof(uint32_t));
        sandbox_add(filter, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
        answer(filter, SECCOMP_RET_ERRNO | EPERM);
    }
    sandbox_load(filter, low);
    sandbox_add(filter, BPF_ALU | BPF_AND | BPF_K, (uint32_t)mask, 0, 0);
    for (size_t i = 0; i < count; i++) {
        sandbox_add(filter, BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
        answer(filter, SECCOMP_RET_ALLOW);
    }
    answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

static void sandbox_finish(struct filter *filter, enum sandbox_verdict verdict)
{
    static const uint32_t questions[] = {TCGETS, TIOCGWINSZ, TIOCGPGRP, FIONREAD};
    switch (verdict) {
    case ALLOWED:
        answer(filter, SECCOMP_RET_ALLOW);
        return;
    case UNKNOWN:
        answer(filter, SECCOMP_RET_ERRNO | ENOSYS);
        return;
    case FOR_THREADS:
        sandbox_check(filter, 0, CLONE_THREAD, &(uint32_t){CLONE_THREAD}, 1);
        return;
    case FOR_ITSELF:
        sandbox_check(filter, 0, UINT64_MAX, &(uint32_t){(uint32_t)getpid()}, 1);
        return;
    case FOR_OWN_LIMITS:
        sandbox_check(filter, 0, UINT64_MAX, &(uint32_t){0}, 1);
        return;
    case FOR_QUESTIONS:
        sandbox_check(filter, 1, UINT64_MAX, questions, sizeof questions / sizeof *questions);
        return;
    case REFUSED:
        break;
    }
    answer(filter, SECCOMP_RET_ERRNO | EPERM);
}

/* A range of numbers with one verdict begins at each of `starts`. Binary search, since the kernel
   runs a new filter for each number there is. A conditional jump reaches 255 instructions only, so
   that it skips one that reaches any. */
static void sandbox_search(struct filter *filter, const unsigned char *verdicts,
                           const uint16_t *starts, size_t count)
{
    if (count == 1) {
        sandbox_finish(filter, (enum sandbox_verdict)verdicts[*starts]);
        return;
    }
    sandbox_add(filter, BPF_JMP | BPF_JGE | BPF_K, starts[count / 2], 0, 1);
    struct sock_filter *to_upper = filter->code + filter->count;
    sandbox_add(filter, BPF_JMP | BPF_JA, 0, 0, 0);
    sandbox_search(filter, verdicts, starts, count / 2);
    to_upper->k = (uint32_t)(filter->code + filter->count - to_upper - 1);
    sandbox_search(filter, verdicts, starts + count / 2, count - count / 2);
}

static void write_filter(enum smc_sandbox kind, struct filter *filter)
{
    unsigned char verdicts[NUMBERS];
    uint16_t starts[NUMBERS];
    size_t count = 0;
    sandbox_decide(kind, verdicts);
    for (int i = 0; i < NUMBERS; i++)
        if (i == 0 || verdicts[i] != verdicts[i - 1])
            starts[count++] = (uint16_t)i;
    filter->count = 0;
    sandbox_load(filter, offsetof(struct seccomp_data, arch));
    sandbox_add(filter, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    answer(filter, SECCOMP_RET_KILL);
    sandbox_load(filter, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    enum { X32_BIT = 0x40000000 };
    sandbox_add(filter, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 2);
    sandbox_add(filter, BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX, 1,
                0); /* what a debugger has cancelled */
    answer(filter, SECCOMP_RET_KILL);
#endif
    sandbox_search(filter, verdicts, starts, count);
}

/* Without SPEC_ALLOW, which Linux has since 4.17, the emulator is slower. */
static void load_filter(enum smc_sandbox kind)
{
    struct filter filter;
    write_filter(kind, &filter);
    const struct sock_fprog program = {.len = filter.count, .filter = filter.code};
    unsigned long flags = SECCOMP_FILTER_FLAG_TSYNC;
#ifdef SECCOMP_FILTER_FLAG_SPEC_ALLOW
    flags |= SECCOMP_FILTER_FLAG_SPEC_ALLOW;
#endif
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    if (syscall(NUMBER_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) != 0 && errno == EINVAL)
        syscall(NUMBER_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

#else

static void load_filter(enum smc_sandbox kind)
{
    (void)kind;
}

#endif

void smc_sandbox_enter(enum smc_sandbox kind)
{
    static enum smc_sandbox entered;
    if (kind <= entered || is_off() || has_driver())
        return;
    if (entered == SMC_SANDBOX_NONE)
        set_limits();
    entered = kind;
    load_filter(kind); /* a kernel without filters: the limits hold nevertheless */
}

enum smc_sandbox_state smc_sandbox_try(uint64_t *limit_bytes)
{
    struct rlimit limit = {.rlim_cur = RLIM_INFINITY};
    *limit_bytes = 0;
    if (is_off())
        return SMC_SANDBOX_OFF;
    smc_sandbox_enter(SMC_SANDBOX_READING);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        *limit_bytes = limit.rlim_cur;
#ifdef ARCHITECTURE
    int connection = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connection < 0 && errno == EPERM)
        return SMC_SANDBOX_WORKS;
    if (connection >= 0)
        close(connection);
    return SMC_SANDBOX_REFUSED;
#else
    return SMC_SANDBOX_NOT_BUILT;
#endif
}
