/* To be preloaded: the n-th call of a kind fails, as the plan says. Calls of the program and of its
   libraries libsmemcalc*.so count; allocations also where other libraries make them. What glibc
   calls within itself cannot be intercepted, so each function is wrapped that the program calls;
   a stream is made to fail by its error flag. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan.h"

#define CALLER __builtin_return_address(0)

static const int numbers[] = {
#define FAULT(id, name, number) [FAULT_##id] = number,
    FAULTS
#undef FAULT
};

static struct fault_plan *plan; /* NULL: nothing fails in this process */
static bool counts_main;        /* the program is the one that is tested */
static bool in_main;            /* what runs before is the start of libraries */

/* --- The functions behind these ones --------------------------------------------------------- */

/* dlsym allocates: what it takes before the functions are found is from here. */
static char early[16384];
static size_t early_used;

static void *take_early(size_t bytes)
{
    char *memory = early + early_used;
    early_used += (bytes + 15) / 16 * 16;
    return early_used <= sizeof early ? memory : NULL;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

static void *find(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

/* Defines `next`, the function of this name that would be called without this library. */
#define NEXT(type, name, ...)                                                                      \
    static type (*next)(__VA_ARGS__);                                                              \
    if (!next) {                                                                                   \
        void *found = find(#name);                                                                 \
        memcpy(&next, &found, sizeof next);                                                        \
    }

/* --- Which calls fail ------------------------------------------------------------------------ */

static bool is_in(const void *address, const char *library)
{
    struct dl_find_object object;
    return _dl_find_object((void *)address, &object) == 0 && object.dlfo_link_map &&
           strstr(object.dlfo_link_map->l_name, library);
}

/* The main program's name is empty. */
static bool is_counted(const void *caller)
{
    struct dl_find_object object;
    if (_dl_find_object((void *)caller, &object) != 0 || !object.dlfo_link_map)
        return false;
    const char *name = object.dlfo_link_map->l_name;
    return *name ? strstr(name, "/libsmemcalc") != NULL : counts_main;
}

/* Out of memory, these end the process, and their callers cannot prevent it. */
static const char *const beyond_help[] = {"libnvrtc",      "/ld-",      "libcairo",
                                          "libfontconfig", "libpixman", "libfreetype"};

static bool is_beyond_help(void *const *frames, int count)
{
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof beyond_help / sizeof *beyond_help; k++)
            if (is_in(frames[i], beyond_help[k]))
                return true;
    return false;
}

static void note_place(void *const *frames, int count)
{
    size_t used = 0;
    for (int i = 2; i < count && used < sizeof plan->place; i++) {
        struct dl_find_object object;
        if (_dl_find_object(frames[i], &object) != 0 || !object.dlfo_link_map)
            continue;
        const struct link_map *map = object.dlfo_link_map;
        const int length =
            snprintf(plan->place + used, sizeof plan->place - used, "%s+%#lx\n",
                     *map->l_name ? map->l_name : "program",
                     (unsigned long)((const char *)frames[i] - (const char *)map->l_addr));
        used += length > 0 ? (size_t)length : 0;
    }
}

static bool is_first_process(void)
{
    return atomic_load(&plan->first_process) == (int)getpid();
}

/* Sets errno where it fails. */
static bool fails(enum fault fault, const void *caller)
{
    enum { MOST_FRAMES = 24 };
    static __thread bool within;
    void *frames[MOST_FRAMES];
    if (!plan || !in_main || within || (plan->pauses && !is_first_process()))
        return false;
    if (fault == FAULT_MEMORY && counts_main ? is_in(caller, "libnvrtc") /* very many */
                                             : !is_counted(caller))
        return false;
    const long n = atomic_fetch_add(&plan->calls[fault], 1) + 1;
    if ((int)fault != plan->fault || plan->first == 0 ||
        (plan->lasting ? n < plan->first : n != plan->first))
        return false;
    if (plan->pauses) {
        atomic_store(&plan->paused, true);
        while (!atomic_load(&plan->resumed)) /* a sandbox may forbid to sleep */
            continue;
        return false;
    }
    within = true;
    const int count = backtrace(frames, MOST_FRAMES);
    const bool fault_happens = fault != FAULT_MEMORY || !is_beyond_help(frames, count);
    if (fault_happens && atomic_fetch_add(&plan->failed, 1) == 0)
        note_place(frames, count);
    within = false;
    if (fault_happens)
        errno = numbers[fault];
    return fault_happens;
}

static void count_open(void)
{
    int count = 0;
    if (!plan || !is_first_process())
        return;
    for (int descriptor = 3; descriptor < 256; descriptor++)
        count += fcntl(descriptor, F_GETFD) != -1;
    atomic_store(&plan->open_at_end, count);
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv(FAULT_ENV_PLAN), *tested = getenv(FAULT_ENV_PROGRAM);
    char program[4096];
    int none = 0;
    void *frames[2];
    if (!path || !tested)
        return;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    counts_main = strcmp(program, tested) == 0;
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return;
    void *memory = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    backtrace(frames, 2); /* loads what it needs before anything fails */
    if (memory == MAP_FAILED)
        return;
    struct fault_plan *shared = memory;
    if (counts_main)
        atomic_compare_exchange_strong(&shared->first_process, &none, (int)getpid());
    atexit(count_open);
    plan = shared;
}

static int (*program_main)(int, char **, char **);

static int begin_main(int argc, char **argv, char **environment)
{
    in_main = true;
    return program_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack);
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack)
{
    NEXT(int, __libc_start_main, int (*)(int, char **, char **), int, char **, void (*)(void),
         void (*)(void), void (*)(void), void *)
    program_main = main;
    return next(begin_main, argc, argv, init, fini, end, stack);
}

/* --- Allocations ----------------------------------------------------------------------------- */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
} memory_next;

static bool finding;

static bool find_memory(void)
{
    if (memory_next.free || finding)
        return !finding;
    finding = true;
#define FIND(name)                                                                                 \
    do {                                                                                           \
        void *found = find(#name);                                                                 \
        memcpy(&memory_next.name, &found, sizeof found);                                           \
    } while (0)
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(aligned_alloc);
    FIND(posix_memalign);
    FIND(free);
    finding = false;
    return true;
}

void *malloc(size_t bytes)
{
    if (!find_memory())
        return take_early(bytes);
    return fails(FAULT_MEMORY, CALLER) ? NULL : memory_next.malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    if (!find_memory())
        return take_early(count * bytes);
    return fails(FAULT_MEMORY, CALLER) ? NULL : memory_next.calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    if (!find_memory())
        return NULL;
    return fails(FAULT_MEMORY, CALLER) ? NULL : memory_next.realloc(memory, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return !find_memory() || fails(FAULT_MEMORY, CALLER)
               ? NULL
               : memory_next.aligned_alloc(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    return !find_memory() || fails(FAULT_MEMORY, CALLER)
               ? ENOMEM
               : memory_next.posix_memalign(memory, alignment, bytes);
}

void free(void *memory)
{
    if (memory && !is_early(memory) && find_memory())
        memory_next.free(memory);
}

/* --- Opening and creating -------------------------------------------------------------------- */

static enum fault fault_of_flags(int flags)
{
    return flags & O_CREAT ? FAULT_CREATE : FAULT_OPEN;
}

static enum fault fault_of_mode(const char *mode)
{
    return strpbrk(mode, "wa+") ? FAULT_CREATE : FAULT_OPEN;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        NEXT(int, name, const char *, int, ...)                                                    \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;                            \
        va_end(rest);                                                                              \
        if (fails(FAULT_INTERRUPT, CALLER))                                                        \
            return -1;                                                                             \
        return fails(fault_of_flags(flags), CALLER) ? -1 : next(path, flags, mode);                \
    }
OPEN(open)
OPEN(open64)

/* What glibc's headers make of calls that it checks. */
int __open_2(const char *path, int flags);
ssize_t __read_chk(int file, void *bytes, size_t count, size_t capacity);
size_t __fread_chk(void *bytes, size_t capacity, size_t size, size_t count, FILE *stream);

int __open_2(const char *path, int flags)
{
    NEXT(int, open, const char *, int, ...)
    return fails(fault_of_flags(flags), CALLER) ? -1 : next(path, flags);
}

#define FOPEN(name)                                                                                \
    FILE *name(const char *path, const char *mode)                                                 \
    {                                                                                              \
        NEXT(FILE *, name, const char *, const char *)                                             \
        return fails(fault_of_mode(mode), CALLER) ? NULL : next(path, mode);                       \
    }
FOPEN(fopen)
FOPEN(fopen64)

FILE *fdopen(int descriptor, const char *mode)
{
    NEXT(FILE *, fdopen, int, const char *)
    return fails(fault_of_mode(mode), CALLER) ? NULL : next(descriptor, mode);
}

DIR *opendir(const char *path)
{
    NEXT(DIR *, opendir, const char *)
    return fails(FAULT_OPEN, CALLER) ? NULL : next(path);
}

#define MAKE(type, failure, name, parameters, arguments)                                           \
    type name parameters                                                                           \
    {                                                                                              \
        static type(*next) parameters;                                                             \
        if (!next) {                                                                               \
            void *found = find(#name);                                                             \
            memcpy(&next, &found, sizeof next);                                                    \
        }                                                                                          \
        return fails(FAULT_CREATE, CALLER) ? failure : next arguments;                             \
    }
MAKE(int, -1, mkstemp, (char *path), (path))
MAKE(int, -1, mkstemp64, (char *path), (path))
MAKE(int, -1, mkostemp, (char *path, int flags), (path, flags))
MAKE(int, -1, mkostemp64, (char *path, int flags), (path, flags))
MAKE(int, -1, mkdir, (const char *path, mode_t mode), (path, mode))
MAKE(int, -1, symlink, (const char *to, const char *path), (to, path))
MAKE(char *, NULL, mkdtemp, (char *path), (path))
MAKE(FILE *, NULL, tmpfile, (void), ())
MAKE(FILE *, NULL, tmpfile64, (void), ())
MAKE(int, -1, posix_fallocate, (int file, off_t from, off_t bytes), (file, from, bytes))

/* --- Reading --------------------------------------------------------------------------------- */

enum { ERROR_FLAG = 0x20 }; /* of glibc's streams: ferror() is true */

ssize_t read(int file, void *bytes, size_t count)
{
    NEXT(ssize_t, read, int, void *, size_t)
    if (fails(FAULT_INTERRUPT, CALLER) || fails(FAULT_READ, CALLER))
        return -1;
    return next(file, bytes, count > 1 && fails(FAULT_SHORT, CALLER) ? 1 : count);
}

ssize_t __read_chk(int file, void *bytes, size_t count, size_t capacity)
{
    (void)capacity;
    NEXT(ssize_t, read, int, void *, size_t)
    if (fails(FAULT_INTERRUPT, CALLER) || fails(FAULT_READ, CALLER))
        return -1;
    return next(file, bytes, count > 1 && fails(FAULT_SHORT, CALLER) ? 1 : count);
}

size_t fread(void *bytes, size_t size, size_t count, FILE *stream)
{
    NEXT(size_t, fread, void *, size_t, size_t, FILE *)
    if (fails(FAULT_READ, CALLER)) {
        stream->_flags |= ERROR_FLAG;
        return 0;
    }
    return next(bytes, size, count, stream);
}

size_t __fread_chk(void *bytes, size_t capacity, size_t size, size_t count, FILE *stream)
{
    (void)capacity;
    NEXT(size_t, fread, void *, size_t, size_t, FILE *)
    if (fails(FAULT_READ, CALLER)) {
        stream->_flags |= ERROR_FLAG;
        return 0;
    }
    return next(bytes, size, count, stream);
}

char *fgets(char *line, int capacity, FILE *stream)
{
    NEXT(char *, fgets, char *, int, FILE *)
    if (fails(FAULT_READ, CALLER)) {
        stream->_flags |= ERROR_FLAG;
        return NULL;
    }
    return next(line, capacity, stream);
}

#define READDIR(name, type)                                                                        \
    struct type *name(DIR *folder)                                                                 \
    {                                                                                              \
        NEXT(struct type *, name, DIR *)                                                           \
        return fails(FAULT_LIST, CALLER) ? NULL : next(folder);                                    \
    }
READDIR(readdir, dirent)
READDIR(readdir64, dirent64)

#define MMAP(name, type)                                                                           \
    void *name(void *at, size_t bytes, int protection, int flags, int file, type offset)           \
    {                                                                                              \
        NEXT(void *, name, void *, size_t, int, int, int, type)                                    \
        return fails(FAULT_MAP, CALLER) ? MAP_FAILED                                               \
                                        : next(at, bytes, protection, flags, file, offset);        \
    }
MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

/* --- Writing --------------------------------------------------------------------------------- */

ssize_t write(int file, const void *bytes, size_t count)
{
    NEXT(ssize_t, write, int, const void *, size_t)
    if (fails(FAULT_INTERRUPT, CALLER) || fails(FAULT_WRITE, CALLER))
        return -1;
    return next(file, bytes, count > 1 && fails(FAULT_SHORT, CALLER) ? 1 : count);
}

/* Messages are not what fails here. */
static bool stream_fails(FILE *stream, const void *caller)
{
    if (stream == stderr || !fails(FAULT_WRITE, caller))
        return false;
    stream->_flags |= ERROR_FLAG;
    return true;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    NEXT(size_t, fwrite, const void *, size_t, size_t, FILE *)
    return stream_fails(stream, CALLER) ? 0 : next(bytes, size, count, stream);
}

int fputs(const char *text, FILE *stream)
{
    NEXT(int, fputs, const char *, FILE *)
    return stream_fails(stream, CALLER) ? EOF : next(text, stream);
}

int fflush(FILE *stream)
{
    NEXT(int, fflush, FILE *)
    return stream && stream_fails(stream, CALLER) ? EOF : next(stream);
}

#define TRUNCATE(name, type)                                                                       \
    int name(int file, type bytes)                                                                 \
    {                                                                                              \
        NEXT(int, name, int, type)                                                                 \
        return fails(FAULT_WRITE, CALLER) ? -1 : next(file, bytes);                                \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* What is closed is closed, whatever is returned. */
int close(int file)
{
    NEXT(int, close, int)
    const int status = next(file);
    return fails(FAULT_CLOSE, CALLER) ? -1 : status;
}

int fclose(FILE *stream)
{
    NEXT(int, fclose, FILE *)
    const int status = next(stream);
    return fails(FAULT_CLOSE, CALLER) ? EOF : status;
}

#define RENAME(name, parameters, arguments)                                                        \
    int name parameters                                                                            \
    {                                                                                              \
        static int(*next) parameters;                                                              \
        if (!next) {                                                                               \
            void *found = find(#name);                                                             \
            memcpy(&next, &found, sizeof next);                                                    \
        }                                                                                          \
        return fails(FAULT_RENAME, CALLER) ? -1 : next arguments;                                  \
    }
RENAME(rename, (const char *from, const char *to), (from, to))
RENAME(link, (const char *from, const char *to), (from, to))

/* --- Processes, threads, libraries ----------------------------------------------------------- */

pid_t fork(void)
{
    NEXT(pid_t, fork, void)
    return fails(FAULT_PROCESS, CALLER) ? -1 : next();
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const *arguments,
                char *const *environment)
{
    NEXT(int, posix_spawn, pid_t *, const char *, const posix_spawn_file_actions_t *,
         const posix_spawnattr_t *, char *const *, char *const *)
    return fails(FAULT_PROCESS, CALLER)
               ? errno
               : next(child, path, actions, attributes, arguments, environment);
}

int execvp(const char *file, char *const *arguments)
{
    NEXT(int, execvp, const char *, char *const *)
    return fails(FAULT_PROCESS, CALLER) ? -1 : next(file, arguments);
}

int pipe2(int ends[2], int flags)
{
    NEXT(int, pipe2, int *, int)
    if (!fails(FAULT_PROCESS, CALLER))
        return next(ends, flags);
    errno = EMFILE;
    return -1;
}

int setenv(const char *name, const char *value, int replaces)
{
    NEXT(int, setenv, const char *, const char *, int)
    return fails(FAULT_SETENV, CALLER) ? -1 : next(name, value, replaces);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
                   void *argument)
{
    NEXT(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)
    return fails(FAULT_PROCESS, CALLER) ? errno : next(thread, attributes, function, argument);
}

pid_t waitpid(pid_t child, int *status, int options)
{
    NEXT(pid_t, waitpid, pid_t, int *, int)
    return fails(FAULT_INTERRUPT, CALLER) ? -1 : next(child, status, options);
}

int poll(struct pollfd *watched, nfds_t count, int milliseconds)
{
    NEXT(int, poll, struct pollfd *, nfds_t, int)
    return fails(FAULT_INTERRUPT, CALLER) ? -1 : next(watched, count, milliseconds);
}

/* A library that is not there, so that dlerror() has a reason. */
void *dlopen(const char *path, int flags)
{
    NEXT(void *, dlopen, const char *, int)
    return next(path && fails(FAULT_LIBRARY, CALLER) ? "/nonexistent/library.so" : path, flags);
}
