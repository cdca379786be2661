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

#ifdef HAVE_SECCOMP
#include <seccomp.h>
#endif

#include "base/folder.h"
#include "base/machine.h"
#include "base/memory.h"
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
static void lower(int resource, uint64_t value)
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
    lower(RLIMIT_CORE, 0); /* it would hold what was read */
    if (bytes > 0 && !IS_SANITIZED)
        lower(RLIMIT_AS, bytes);
}

/* --- The filter ------------------------------------------------------------------------------- */

#ifdef HAVE_SECCOMP

static const struct {
    enum smc_sandbox kind; /* the strictest that allows it */
    const char *name;
} calls[] = {
#define CALL(kind, name) {SMC_SANDBOX_##kind, #name},
#include "base/sandbox.def"
#undef CALL
};

static int allow(scmp_filter_ctx filter, enum smc_sandbox kind)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls && !failed; i++) {
        int number = kind <= calls[i].kind ? seccomp_syscall_resolve_name(calls[i].name) : -1;
        if (number >= 0) /* else this architecture has none of that name */
            failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
    }
    return failed;
}

/* Without other programs: threads but no processes, signals to this process alone, questions to a
   terminal but no input to it, this process's limits. */
static int allow_own(scmp_filter_ctx filter)
{
    static const unsigned long questions[] = {TCGETS, TIOCGWINSZ, TIOCGPGRP, FIONREAD};
    const scmp_datum_t own = (scmp_datum_t)getpid();
    int failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                  SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                                  SCMP_A0(SCMP_CMP_EQ, own, 0));
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1,
                                  SCMP_A0(SCMP_CMP_EQ, own, 0));
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                                  SCMP_A0(SCMP_CMP_EQ, 0, 0));
    for (size_t i = 0; i < sizeof questions / sizeof *questions && !failed; i++)
        failed = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                                  SCMP_A1(SCMP_CMP_EQ, questions[i], 0));
    return failed;
}

/* 0, or a negative errno value. The C library falls back to clone, whose flags a filter can see, if
   clone3 does not exist. */
static int load_filter(enum smc_sandbox kind)
{
    enum { NEEDED_BYTES = 1 << 20 };
    void *needed = smc_malloc(NEEDED_BYTES); /* libseccomp 2.5 crashes for want of memory */
    free(needed);
    scmp_filter_ctx filter = needed ? seccomp_init(SCMP_ACT_ERRNO(EPERM)) : NULL;
    if (!filter)
        return -ENOMEM;
    int failed = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
#if SCMP_VER_MAJOR > 2 || SCMP_VER_MINOR >= 5
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1); /* else the emulator is slower */
    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
#endif
    if (!failed)
        failed = allow(filter, kind);
    if (!failed)
        failed = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
    if (!failed && kind == SMC_SANDBOX_READING)
        failed = allow_own(filter);
    if (!failed)
        failed = seccomp_load(filter);
    seccomp_release(filter);
    return failed;
}

#else

static int load_filter(enum smc_sandbox kind)
{
    (void)kind;
    return -ENOSYS;
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
#ifdef HAVE_SECCOMP
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
