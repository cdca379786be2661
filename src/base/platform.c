/* What systems do in different ways. */
#include "config.h"

#include "base/platform.h"
#include "base/signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#if defined __linux__
#include <sys/prctl.h>
#elif defined __APPLE__
#include <mach-o/dyld.h>
#endif

/* --- The dynamic linker ----------------------------------------------------------------------- */

/* Whether there is enough address space to open one of the larger libraries, such as NVRTC. */
static bool has_address_space(void)
{
    enum { LIBRARY_BYTES = 256 << 20 };
    void *space = mmap(NULL, LIBRARY_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (space == MAP_FAILED)
        return false;
    munmap(space, LIBRARY_BYTES);
    return true;
}

const char *smc_platform_find_symbols(void *library, const struct smc_platform_symbol *symbols,
                                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            return symbols[i].name;
        /* ISO C does not allow a cast from an object to a function pointer; POSIX gives both the
           same size. */
        memcpy(symbols[i].function, &address, sizeof address);
    }
    return NULL;
}

/* The cause is only in the message, which is in English because this program never sets
   LC_MESSAGES. A failure to map a segment can have other causes as well. */
bool smc_platform_lacks_memory(const char *text)
{
    return strstr(text, "annot allocate memory") || strstr(text, "out of memory") ||
           (strstr(text, "failed to map segment") && !has_address_space());
}

/* --- Linux, and others ------------------------------------------------------------------------ */

#ifdef __linux__

bool smc_platform_program(char *path, size_t bytes)
{
    const ssize_t length = readlink("/proc/self/exe", path, bytes);
    if (length <= 0 || (size_t)length == bytes)
        return false;
    path[length] = '\0';
    return true;
}

uint64_t smc_platform_used_bytes(void)
{
    uint64_t pages = 0;
    char text[64] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    if (fgets(text, sizeof text, file))
        pages = strtoull(text, NULL, 10);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

FILE *smc_platform_open_nvidia_version(void)
{
    return fopen("/proc/driver/nvidia/version", "re");
}

int smc_platform_pipe(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

int smc_platform_socket_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

void smc_platform_end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

int smc_platform_await(const sigset_t *signals, const struct timespec *limit)
{
    return sigtimedwait(signals, NULL, limit);
}

bool smc_platform_is_of_system(const siginfo_t *info)
{
    return info->si_code == SI_KERNEL;
}

int smc_platform_compare_numbered(const char *a, const char *b)
{
    return strverscmp(a, b);
}

#else

bool smc_platform_program(char *path, size_t bytes)
{
#ifdef __APPLE__
    uint32_t size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
    return _NSGetExecutablePath(path, &size) == 0;
#else
    (void)path, (void)bytes;
    return false;
#endif
}

uint64_t smc_platform_used_bytes(void)
{
    return 0;
}

FILE *smc_platform_open_nvidia_version(void)
{
    return NULL;
}

/* The descriptors of a call that succeeded. */
static int close_on_exec(int result, const int ends[2])
{
    for (int i = 0; result == 0 && i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return result;
}

int smc_platform_pipe(int ends[2])
{
    return close_on_exec(pipe(ends), ends);
}

int smc_platform_socket_pair(int ends[2])
{
    return close_on_exec(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), ends);
}

void smc_platform_end_with_parent(void)
{
}

/* The pending one of the signals, or 0. */
static int pending_of(const sigset_t *signals)
{
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return 0;
    for (int i = 1; i < NSIG; i++)
        if (sigismember(signals, i) == 1 && sigismember(&pending, i) == 1)
            return i;
    return 0;
}

int smc_platform_await(const sigset_t *signals, const struct timespec *limit)
{
    const struct timespec step = {.tv_nsec = 1000000};
    int64_t left = (int64_t)limit->tv_sec * 1000 + limit->tv_nsec / step.tv_nsec;
    int number = pending_of(signals);
    for (; number == 0 && left > 0; left--) {
        nanosleep(&step, NULL);
        number = pending_of(signals);
    }
    if (number > 0 && sigwait(signals, &number) == 0)
        return number;
    errno = EAGAIN;
    return -1;
}

bool smc_platform_is_of_system(const siginfo_t *info)
{
    return info->si_pid == 0;
}

/* The number at `*s`, which then is behind it. */
static uint64_t take_number(const char **s)
{
    uint64_t number = 0;
    for (; **s >= '0' && **s <= '9'; ++*s)
        number = number * 10 + (uint64_t)(**s - '0');
    return number;
}

int smc_platform_compare_numbered(const char *a, const char *b)
{
    while (*a && *b) {
        const uint64_t first = take_number(&a), second = take_number(&b);
        if (first != second)
            return first < second ? -1 : 1;
        if (*a != *b || !*a)
            break;
        a++, b++;
    }
    return (*a > *b) - (*a < *b);
}

#endif
