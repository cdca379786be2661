/* Runs a program with the library that records its launches. The library of each process writes to
   a file of a private folder, which is read when the program has ended, or when --duration is over
   and every process has said that its records are complete. */
#include "config.h"

#include "answers/trace/records_read.h"
#include "answers/trace_answer.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers/trace_records.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/signals.h"
#include "code/machine_code.h"

#ifndef SMC_TRACE_LIBRARY_FOLDER
#define SMC_TRACE_LIBRARY_FOLDER ""
#endif

#define LIBRARY "libsmemcalc_trace.so"

/* CUDA's driver and runtime on the emulator: the names that programs look for. */
static const struct {
    const char *name, *file;
} emulator_libraries[] = {
    {"libcuda.so.1", "libsmemcalc_cuda.so"},
    {"libcuda.so", "libsmemcalc_cuda.so"},
    {"libsmemcalc_cuda.so", "libsmemcalc_cuda.so"},
    {"libcudart.so.12", "libsmemcalc_cudart12.so"},
    {"libcudart.so.13", "libsmemcalc_cudart13.so"},
    {"libcudart.so", "libsmemcalc_cudart13.so"},
    {"libsmemcalc_linked.so", "libsmemcalc_cudart_static.so"},
};
#define EMULATOR_LIBRARY "libsmemcalc_cuda.so"

enum { SIGNALS_KEPT = 5 };

/* What was the case for this process before it ran the program. */
struct signals {
    struct sigaction action[SIGNALS_KEPT];
    sigset_t mask;
};

struct smc_trace_program {
    const struct smc_trace_request *request;
    struct smc_trace *trace;
    char library[PATH_MAX];
    char folder[PATH_MAX]; /* of the records; "": none */
    DIR *files; /* the folder: that it can be emptied must not depend on another descriptor */
    char modules[PATH_MAX];
    char cupti[PATH_MAX]; /* "": none was found */
    char preload[PATH_MAX + 64];
    bool counts;       /* the library applies --skip and --count */
    uint64_t until_ns; /* of CLOCK_MONOTONIC: the end of recording; 0: the program's end */
    pid_t child;
    struct signals before;
};

/* --- The library ------------------------------------------------------------------------------ */

static bool is_readable(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Whether the library is in `folder`, a path relative to the folder of the program. */
static bool is_beside(const char *program, const char *folder, const char *library, char *path,
                      size_t capacity)
{
    char tried[PATH_MAX + 64];
    const char *slash = strrchr(program, '/');
    snprintf(tried, sizeof tried, "%.*s%s%s", slash ? (int)(slash - program) + 1 : 0, program,
             folder, library);
    smc_auto_free char *whole = is_readable(tried) ? realpath(tried, NULL) : NULL;
    const bool found = whole && strlen(whole) < capacity;
    if (found)
        strcpy(path, whole);
    return found;
}

/* The user's choice, then beside the program, then where it was built or installed with it. */
static enum smc_status find_library(struct smc_trace_program *collection, struct smc_error *error)
{
    static const char *const folders[] = {
        "", ".libs/", "../.libs/", "../lib/smemcalc/", "../lib64/smemcalc/", "../../.libs/"};
    char program[PATH_MAX];
    const char *library = collection->request->emulated ? EMULATOR_LIBRARY : LIBRARY;
    const char *chosen =
        collection->request->emulated ? NULL : smc_folder_variable("SMEMCALC_TRACE_LIBRARY");
    char *path = collection->library;
    if (chosen) {
        if (!realpath(chosen, path))
            return smc_fail(error, SMC_UNAVAILABLE, "SMEMCALC_TRACE_LIBRARY: %s: %s", chosen,
                            strerror(errno));
        return SMC_OK;
    }
    const bool is_known = smc_platform_program(program, sizeof program);
    for (size_t i = 0; is_known && i < sizeof folders / sizeof *folders; i++)
        if (is_beside(program, folders[i], library, path, sizeof collection->library))
            return SMC_OK;
    snprintf(path, sizeof collection->library, "%s/%s", SMC_TRACE_LIBRARY_FOLDER, library);
    if (is_readable(path))
        return SMC_OK;
    if (collection->request->emulated)
        return smc_fail(error, SMC_UNAVAILABLE,
                        "trace: " EMULATOR_LIBRARY " is not found beside the program");
    return smc_fail(error, SMC_UNAVAILABLE,
                    "trace: " LIBRARY " is not found beside the program; "
                    "SMEMCALC_TRACE_LIBRARY can name its path");
}

/* --- CUPTI ------------------------------------------------------------------------------------ */

/* In Python's packages, where the loader does not search. */
static void find_in_wheels(struct smc_trace_program *collection)
{
    static const char *const wheels[] = {
        "/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
        "/usr/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
        "/opt/*/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.1*",
    };
    for (size_t i = 0; i < sizeof wheels / sizeof *wheels && !collection->cupti[0]; i++) {
        SMC_AUTO(smc_folder_matches_free) struct smc_folder_matches found = {0};
        smc_folder_match(wheels[i], &found);
        if (found.count > 0)
            snprintf(collection->cupti, sizeof collection->cupti, "%s",
                     found.path[found.count - 1]);
    }
}

/* Whether the loader finds one. It is not opened in this process: it would stay. */
static bool can_be_loaded(void)
{
    if (SMC_STATIC_PROGRAM) /* it has no loader */
        return false;
    const pid_t child = fork();
    if (child == 0) {
        for (size_t i = 0; i < TRACE_CUPTI_PATHS; i++)
            if (dlopen(trace_cupti_paths[i], RTLD_LAZY | RTLD_LOCAL))
                _exit(0);
        _exit(1);
    }
    int status = 1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Without a CUPTI that is found here the program may still bring its own; the library then decides
   in the process. */
static const char *choose_mode(struct smc_trace_program *collection)
{
    const char *chosen = smc_folder_variable(TRACE_ENV_CUPTI);
    const char *mode = smc_folder_variable(TRACE_ENV_MODE);
    if (collection->request->without_cupti)
        return TRACE_MODE_HOOKS;
    if (mode)
        return mode;
    if (chosen ? is_readable(chosen) : can_be_loaded())
        return TRACE_MODE_CUPTI;
    if (!chosen)
        find_in_wheels(collection);
    return collection->cupti[0] ? TRACE_MODE_CUPTI : TRACE_MODE_AUTO;
}

/* --- The folder ------------------------------------------------------------------------------- */

static enum smc_status collect_make_folder(struct smc_trace_program *collection,
                                           struct smc_error *error)
{
    const char *parent = smc_folder_variable("TMPDIR");
    char made[PATH_MAX], counter[PATH_MAX + 16];
    const uint64_t zero = 0;
    snprintf(made, sizeof made, "%s/smemcalc-trace-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(made))
        return smc_fail(error, SMC_MACHINE, "%s: no folder for the records can be made there: %s",
                        parent ? parent : "/tmp", strerror(errno));
    collection->files = opendir(made);
    if (!collection->files || !realpath(made, collection->folder)) {
        const int reason = errno;
        rmdir(made);
        return smc_fail(error, SMC_MACHINE, "%s: %s", made, strerror(reason));
    }
    snprintf(counter, sizeof counter, "%s/" TRACE_COUNTER, collection->folder);
    int file;
    do
        file = open(counter, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (file < 0 && errno == EINTR);
    ssize_t written = file < 0 ? -1 : 0;
    for (size_t count = 0; file >= 0 && count < sizeof zero; count += (size_t)written) {
        do
            written = write(file, (const char *)&zero + count, sizeof zero - count);
        while (written < 0 && errno == EINTR);
        if (written < 0)
            break;
    }
    const bool ok = written > 0;
    const int reason = errno;
    if (file >= 0)
        close(file);
    if (!ok)
        return smc_fail(error, SMC_MACHINE, "%s: no space for the records: %s",
                        parent ? parent : "/tmp", strerror(reason));
    return SMC_OK;
}

static enum smc_status make_module_folder(struct smc_trace_program *collection,
                                          struct smc_error *error)
{
    const char *wanted = collection->request->keep_folder;
    if (!wanted)
        return SMC_OK;
    const int reason = smc_folder_make(wanted);
    if (reason != 0)
        return smc_fail(error, SMC_USAGE, "option --keep-modules: %s: %s", wanted,
                        strerror(reason));
    if (!realpath(wanted, collection->modules))
        return smc_fail(error, SMC_USAGE, "option --keep-modules: %s: %s", wanted, strerror(errno));
    char tried[PATH_MAX + 32];
    snprintf(tried, sizeof tried, "%s/.smemcalc-XXXXXX", collection->modules);
    const int file = mkstemp(tried);
    if (file < 0)
        return smc_fail(error, SMC_USAGE, "option --keep-modules: no file can be made in %s: %s",
                        wanted, strerror(errno));
    close(file);
    unlink(tried);
    return SMC_OK;
}

static void remove_folder(const struct smc_trace_program *collection)
{
    enum { TRIES = 2 }; /* a failure to read the folder may pass */
    struct dirent *entry;
    for (int i = 0; collection->files && i < TRIES; i++) {
        rewinddir(collection->files);
        while ((entry = readdir(collection->files)))
            if (entry->d_name[0] != '.')
                unlinkat(dirfd(collection->files), entry->d_name, 0);
    }
    if (collection->files)
        closedir(collection->files);
    if (collection->folder[0])
        rmdir(collection->folder);
}

/* --- The program ------------------------------------------------------------------------------ */

static bool collect_set(const char *name, const char *value)
{
    return (value && *value ? setenv(name, value, 1) : unsetenv(name)) == 0;
}

/* LD_PRELOAD separates paths by blanks and colons. A library whose path has one gets a link in the
   folder of the records. */
static bool is_one_path(const char *path)
{
    return !strpbrk(path, " :\t\n");
}

static enum smc_status choose_preload(struct smc_trace_program *collection, const char *mode,
                                      struct smc_error *error)
{
    char *preload = collection->preload;
    snprintf(preload, sizeof collection->preload, "%s", collection->library);
    if (strcmp(mode, TRACE_MODE_CUPTI) == 0 || is_one_path(preload))
        return SMC_OK;
    snprintf(preload, sizeof collection->preload, "%s/" LIBRARY, collection->folder);
    if (!is_one_path(preload))
        return smc_fail(error, SMC_UNAVAILABLE,
                        "trace: LD_PRELOAD separates paths by blanks and colons, but '%s' has one, "
                        "and so has '%s'; set TMPDIR to a folder without",
                        collection->library, collection->folder);
    if (symlink(collection->library, preload) != 0)
        return smc_fail(error, SMC_MACHINE, "%s: %s", preload, strerror(errno));
    return SMC_OK;
}

/* In the folder of the records, under the names that the program's loader looks for. */
static enum smc_status link_emulator(const struct smc_trace_program *collection,
                                     struct smc_error *error)
{
    char from[PATH_MAX + 64], to[PATH_MAX + 64];
    const char *slash = strrchr(collection->library, '/');
    if (strpbrk(collection->folder, ":; \t\n"))
        return smc_fail(
            error, SMC_UNAVAILABLE,
            "trace: LD_LIBRARY_PATH and LD_PRELOAD separate paths by colons and blanks, "
            "but '%s' has one; set TMPDIR to a folder without",
            collection->folder);
    for (size_t i = 0; i < sizeof emulator_libraries / sizeof *emulator_libraries; i++) {
        snprintf(from, sizeof from, "%.*s%s", (int)(slash - collection->library) + 1,
                 collection->library, emulator_libraries[i].file);
        snprintf(to, sizeof to, "%s/%s", collection->folder, emulator_libraries[i].name);
        if (symlink(from, to) != 0)
            return smc_fail(error, SMC_MACHINE, "%s: %s", to, strerror(errno));
    }
    return SMC_OK;
}

/* Puts a path before those that the variable has. */
static bool collect_put_first(const char *variable, const char *path)
{
    char value[3 * PATH_MAX];
    const char *before = smc_folder_variable(variable);
    snprintf(value, sizeof value, "%s%s%s", path, before ? ":" : "", before ? before : "");
    return collect_set(variable, value);
}

static uint64_t collect_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In the child, between fork and exec. False: a variable is missing, and nothing would be seen of
   the program; errno says why. */
static bool set_environment(const struct smc_trace_program *collection, const char *mode)
{
    char until[32] = "", range[64] = "", strictness[16];
    const struct smc_trace_filter *filter = &collection->trace->filter;
    if (collection->until_ns > 0)
        snprintf(until, sizeof until, "%llu", (unsigned long long)collection->until_ns);
    if (collection->counts)
        snprintf(range, sizeof range, "%llu:%llu", (unsigned long long)filter->skip,
                 (unsigned long long)filter->count);
    snprintf(strictness, sizeof strictness, "%d", (int)collection->request->strictness);
    const char *const variables[][2] = {
        {TRACE_ENV_FOLDER, collection->folder},
        {TRACE_ENV_MODE, mode},
        {TRACE_ENV_MODULES, collection->modules},
        {TRACE_ENV_FOUND_CUPTI, collection->cupti},
        {TRACE_ENV_UNTIL, until},
        {TRACE_ENV_RANGE, range},
        {TRACE_ENV_STRICT, strictness},
        {TRACE_ENV_DEVICE, collection->request->emulated},
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (!collect_set(variables[i][0], variables[i][1]))
            return false;
    if (collection->request->emulated) {
        char linked[PATH_MAX + 64];
        snprintf(linked, sizeof linked, "%s/libsmemcalc_linked.so", collection->folder);
        return collect_put_first("LD_LIBRARY_PATH", collection->folder) &&
               collect_put_first("LD_PRELOAD", linked);
    }
    return (strcmp(mode, TRACE_MODE_HOOKS) == 0 ||
            collect_set("CUDA_INJECTION64_PATH", collection->library)) &&
           (strcmp(mode, TRACE_MODE_CUPTI) == 0 ||
            collect_put_first("LD_PRELOAD", collection->preload));
}

static volatile sig_atomic_t child_process;

/* A terminal that hangs up tells the program, too, which is in the same process group. */
static void forward(int number, siginfo_t *info, void *context)
{
    const int before = errno;
    (void)context;
    if (child_process > 0 && !smc_platform_is_of_system(info))
        kill((pid_t)child_process, number);
    errno = before;
}

/* Ctrl-C and Ctrl-\ reach the program from the terminal, and it decides what they mean; SIGTERM and
   SIGHUP that another process sent are passed on. The report is written in any case. The end of the
   program must be noticed even if SIGCHLD was ignored so far, since its status is lost then. */
static const int kept[SIGNALS_KEPT] = {SIGINT, SIGQUIT, SIGCHLD, SIGTERM, SIGHUP};

/* While the folder of the records exists and the program does not run, signals wait: the folder
   must not stay. */
static void block_kept(sigset_t *before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < SIGNALS_KEPT; i++)
        sigaddset(&blocked, kept[i]);
    sigprocmask(SIG_BLOCK, &blocked, before);
}

/* All of them are blocked until the program is known, so that none is lost; SIGCHLD stays blocked,
   as it is waited for. */
static void survive(struct signals *before)
{
    block_kept(NULL);
    for (int i = 0; i < SIGNALS_KEPT; i++) {
        struct sigaction wanted = {.sa_flags = SA_RESTART};
        sigemptyset(&wanted.sa_mask);
        if (kept[i] == SIGTERM || kept[i] == SIGHUP) {
            wanted.sa_flags |= SA_SIGINFO;
            wanted.sa_sigaction = forward;
        } else {
            wanted.sa_handler = kept[i] == SIGCHLD ? SIG_DFL : SIG_IGN;
        }
        sigaction(kept[i], NULL, &before->action[i]);
        if (before->action[i].sa_handler != SIG_IGN || kept[i] == SIGCHLD)
            sigaction(kept[i], &wanted, NULL);
    }
}

static void collect_restore(const struct signals *before)
{
    for (int i = 0; i < SIGNALS_KEPT; i++)
        sigaction(kept[i], &before->action[i], NULL);
}

static void unblock(const struct signals *before)
{
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

/* In the child: becomes the program, or sends the reason why it cannot. */
static void become(const struct smc_trace_program *collection, const char *mode, int report)
{
    collect_restore(&collection->before);
    unblock(&collection->before);
    if (set_environment(collection, mode))
        execvp(collection->request->command[0], collection->request->command);
    const int reason = errno;
    const ssize_t written = write(report, &reason, sizeof reason);
    _exit(written < 0 ? 126 : 127);
}

static enum smc_status collect_start(struct smc_trace_program *collection, const char *mode,
                                     struct smc_error *error)
{
    int report[2], reason = 0;
    if (smc_platform_pipe(report) != 0)
        return smc_fail(error, SMC_MACHINE, "trace: no pipe: %s", strerror(errno));
    if (collection->request->duration_ms > 0)
        collection->until_ns = collect_now_ns() + 1000000u * collection->request->duration_ms;
    survive(&collection->before);
    const pid_t child = fork();
    if (child == 0)
        become(collection, mode, report[1]);
    const int failure = errno;
    close(report[1]);
    child_process = child > 0 ? child : 0;
    sigset_t mask = collection->before.mask;
    sigaddset(&mask, SIGCHLD);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    const bool failed = child > 0 && read(report[0], &reason, sizeof reason) > 0;
    close(report[0]);
    if (child > 0 && !failed) {
        collection->child = child;
        return SMC_OK;
    }
    child_process = 0;
    while (failed && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
    block_kept(NULL);
    collect_restore(&collection->before);
    if (child < 0)
        return smc_fail(error, SMC_MACHINE, "trace: no process can be started: %s",
                        strerror(failure));
    return smc_fail(error, smc_memory_status(reason, SMC_USAGE), "trace: '%s' cannot be run: %s",
                    collection->request->command[0], strerror(reason));
}

/* Waits for the program's end, at most that long; -1: without a limit. False: it still runs. */
static bool await(struct smc_trace_program *collection, struct smc_trace *trace, int64_t ms)
{
    int status = 0;
    sigset_t of_child;
    const uint64_t begin = collect_now_ns();
    sigemptyset(&of_child);
    sigaddset(&of_child, SIGCHLD);
    for (;;) {
        const pid_t ended = waitpid(collection->child, &status, WNOHANG);
        if (ended == collection->child || (ended < 0 && errno != EINTR)) {
            trace->has_exit = ended == collection->child;
            break;
        }
        const int64_t left = ms < 0 ? 1000 : ms - (int64_t)((collect_now_ns() - begin) / 1000000);
        if (left <= 0)
            return false;
        const struct timespec wait = {.tv_sec = left / 1000, .tv_nsec = left % 1000 * 1000000};
        smc_platform_await(&of_child, &wait);
    }
    child_process = 0;
    collection->child = 0;
    block_kept(NULL);
    collect_restore(&collection->before);
    trace->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    trace->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return true;
}

/* --- Which module each kernel is from --------------------------------------------------------- */

/* Records do not say which module a launch is from: it is found by the kernel's name, registers and
   static shared memory. */

enum { AMBIGUOUS = -2, MOST_MODULE_BYTES = 1 << 30 };

/* The cubin's shared memory may include what the driver reserves, up to this. */
enum { RESERVED_SMEM_BYTES = 1024 };

static bool collect_is_same_kernel(const struct smc_trace_launch *launch,
                                   const struct smc_cubin_kernel *kernel)
{
    const int64_t more = (int64_t)kernel->smem_bytes - launch->static_smem_bytes;
    return strcmp(launch->name, kernel->name) == 0 &&
           (launch->regs_per_thread < 0 ||
            (uint32_t)launch->regs_per_thread == kernel->regs_per_thread) &&
           (launch->static_smem_bytes < 0 || more == 0 || more == RESERVED_SMEM_BYTES);
}

static void match_launches(struct smc_trace *trace, size_t module, const struct smc_cubin *cubin,
                           int32_t *found)
{
    for (size_t i = 0; i < trace->launch_count; i++)
        for (size_t k = 0; k < cubin->kernel_count; k++)
            if (collect_is_same_kernel(&trace->launches[i], &cubin->kernel[k]))
                found[i] = found[i] == SMC_TRACE_UNKNOWN || found[i] == (int32_t)module
                               ? (int32_t)module
                               : AMBIGUOUS;
}

static enum smc_status match_module(struct smc_trace *trace, size_t module, int32_t *found,
                                    struct smc_error *error)
{
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    smc_auto_text file = {0};
    const struct smc_trace_module *read = &trace->modules[module];
    enum smc_status status = smc_file_read(read->file, "module", MOST_MODULE_BYTES, &file, error);
    if (status == SMC_OK)
        status = smc_cubin_open(file.data, file.length, &cubin, error);
    if (status == SMC_OK)
        match_launches(trace, module, &cubin, found);
    if (status == SMC_USAGE)
        smc_trace_note(trace, "%s: %s", read->shown, error->message);
    return status == SMC_USAGE ? SMC_OK : status;
}

/* A kernel that several modules have in the same way has none. A damaged file is noted. */
static enum smc_status match_modules(struct smc_trace *trace, struct smc_error *error)
{
    if (trace->module_count == 0 || trace->launch_count == 0)
        return SMC_OK;
    smc_auto_free int32_t *found = smc_malloc(trace->launch_count * sizeof *found);
    if (!found)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < trace->launch_count; i++)
        found[i] = SMC_TRACE_UNKNOWN;
    for (size_t i = 0; i < trace->module_count; i++)
        SMC_TRY(match_module(trace, i, found, error));
    for (size_t i = 0; i < trace->launch_count; i++)
        if (found[i] >= 0)
            trace->launches[i].module = found[i];
    return SMC_OK;
}

/* --- What was recorded ------------------------------------------------------------------------ */

static bool is_record(const char *name)
{
    return name[0] >= '0' && name[0] <= '9';
}

static int collect_compare_names(const void *a, const void *b)
{
    return smc_platform_compare_numbered(*(char *const *)a, *(char *const *)b);
}

/* The file as it is now; a survivor of the program may still write to it. */
static enum smc_status collect_read_record(struct smc_trace_program *collection, const char *name,
                                           struct smc_error *error)
{
    char path[PATH_MAX + NAME_MAX + 2];
    struct stat info;
    enum smc_status status = SMC_OK;
    snprintf(path, sizeof path, "%s/%s", collection->folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 || fstat(file, &info) != 0 || info.st_size > (off_t)RECORD_MOST_BYTES) {
        smc_trace_note(collection->trace, "the records of process %s cannot be read", name);
        if (file >= 0)
            close(file);
        return SMC_OK;
    }
    smc_auto_free char *bytes = smc_malloc((size_t)info.st_size);
    size_t count = 0;
    ssize_t got = 1;
    while (bytes && count < (size_t)info.st_size && got > 0) {
        got = read(file, bytes + count, (size_t)info.st_size - count);
        count += got > 0 ? (size_t)got : 0;
        if (got < 0 && errno == EINTR)
            got = 1;
    }
    close(file);
    if (!bytes)
        return smc_out_of_memory(error);
    if (got < 0) {
        smc_trace_note(collection->trace, "the records of process %s cannot be read", name);
        return SMC_OK;
    }
    status = smc_trace_add_records(collection->trace, bytes, count, error);
    if (status == SMC_USAGE) {
        smc_trace_note(collection->trace, "process %s: %s", name, error->message);
        status = SMC_OK;
    }
    return status;
}

/* Whether a process that still records has not yet said that its records are complete. */
static bool is_incomplete(const struct smc_trace_program *collection, const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2];
    struct record_header header;
    snprintf(path, sizeof path, "%s/%s", collection->folder, name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const bool is_whole = file >= 0 && read(file, &header, sizeof header) == (ssize_t)sizeof header;
    if (file >= 0)
        close(file);
    return is_whole && header.mode != RECORD_MODE_NONE && header.end == RECORD_RUNS &&
           !header.is_over && header.process > 0 && kill((pid_t)header.process, 0) == 0;
}

static bool are_complete(const struct smc_trace_program *collection)
{
    bool incomplete = false;
    struct dirent *entry;
    DIR *folder = opendir(collection->folder);
    while (folder && !incomplete && (entry = readdir(folder)))
        incomplete = is_record(entry->d_name) && is_incomplete(collection, entry->d_name);
    if (folder)
        closedir(folder);
    return !incomplete;
}

/* Until the program ends or its time is over. Each process then empties CUPTI's buffers; one that
   does not, because it is stopped, is not waited for longer than LONGEST_FLUSH_MS. */
static void observe(struct smc_trace_program *collection)
{
    enum { LONGEST_FLUSH_MS = 5000, STEP_MS = 10 };
    struct smc_trace *trace = collection->trace;
    const uint64_t now = collect_now_ns(), until = collection->until_ns;
    if (until == 0) {
        await(collection, trace, -1);
        return;
    }
    bool ended = await(collection, trace, until > now ? (int64_t)((until - now) / 1000000) + 1 : 0);
    for (int waited = 0; !ended && waited < LONGEST_FLUSH_MS; waited += STEP_MS) {
        if (waited > 0 && are_complete(collection))
            break;
        ended = await(collection, trace, STEP_MS);
    }
}

static enum smc_status list_records(const struct smc_trace_program *collection, char ***names,
                                    size_t *count, struct smc_error *error)
{
    size_t capacity = 0;
    struct dirent *entry;
    DIR *folder = opendir(collection->folder);
    *names = NULL;
    *count = 0;
    if (!folder)
        return smc_fail(error, SMC_MACHINE, "%s: %s", collection->folder, strerror(errno));
    while ((entry = readdir(folder))) {
        if (!is_record(entry->d_name))
            continue;
        if (!smc_make_room(names, *count, &capacity, sizeof **names))
            break;
        (*names)[*count] = smc_strdup(entry->d_name);
        if (!(*names)[*count])
            break;
        ++*count;
    }
    closedir(folder);
    if (*count > 0)
        qsort(*names, *count, sizeof **names, collect_compare_names);
    return entry ? smc_out_of_memory(error) : SMC_OK;
}

static enum smc_status read_records(struct smc_trace_program *collection, struct smc_error *error)
{
    char **names;
    size_t count;
    struct smc_trace *trace = collection->trace;
    const struct smc_trace_filter filter = trace->filter;
    enum smc_status status = list_records(collection, &names, &count, error);
    if (collection->counts)
        trace->filter.skip = trace->filter.count = 0;
    for (size_t i = 0; i < count; i++) {
        if (status == SMC_OK)
            status = collect_read_record(collection, names[i], error);
        free(names[i]);
    }
    trace->filter = filter;
    free(names);
    if (status == SMC_OK && count == 0 && collection->request->emulated)
        smc_trace_note(trace, "no process of the program loaded CUDA's libraries from where "
                              "LD_LIBRARY_PATH says; one that sets its own path (RPATH) does not");
    else if (status == SMC_OK && count == 0)
        smc_trace_note(trace,
                       collection->child > 0
                           ? "no process of the program started CUDA before the time was over"
                           : "no process of the program started CUDA");
    return status == SMC_OK ? match_modules(trace, error) : status;
}

/* --- The whole -------------------------------------------------------------------------------- */

static void collect_describe(struct smc_trace *trace, const struct smc_trace_request *request)
{
    smc_auto_text command = {0};
    for (char *const *word = request->command; *word; word++)
        smc_text_printf(&command, "%s%s", word == request->command ? "" : " ", *word);
    trace->program = smc_strdup(smc_text_string(&command));
    if (trace->program)
        smc_utf8_make_safe(trace->program);
}

/* The driver loads one library; who asked for another wants it. */
static enum smc_status check_environment(const struct smc_trace_program *collection,
                                         const char *mode, struct smc_error *error)
{
    const char *other = smc_folder_variable("CUDA_INJECTION64_PATH");
    if (!other || strcmp(mode, TRACE_MODE_HOOKS) == 0 || strcmp(other, collection->library) == 0)
        return SMC_OK;
    return smc_fail(error, SMC_USAGE,
                    "CUDA_INJECTION64_PATH is already set to %s: another tool observes the "
                    "program; unset it, or use --without-cupti",
                    other);
}

void smc_trace_await(struct smc_trace_program *program, struct smc_trace *trace)
{
    if (!program)
        return;
    if (program->child > 0)
        await(program, trace, -1);
    remove_folder(program);
    unblock(&program->before);
    free(program);
}

enum smc_status smc_trace_collect(const struct smc_trace_request *request, struct smc_trace *trace,
                                  struct smc_trace_program **program, struct smc_error *error)
{
    *program = NULL;
    struct smc_trace_program *collection = smc_calloc(1, sizeof *collection);
    if (!collection)
        return smc_out_of_memory(error);
    collection->request = request;
    collection->trace = trace;
    /* Names are matched here, where they can be demangled. */
    const bool limited = trace->filter.skip > 0 || trace->filter.count > 0;
    collection->counts = limited && !request->emulated && trace->filter.pattern_count == 0;
    if (limited && !collection->counts)
        smc_trace_note(trace, "--skip and --count with --kernel: all launches of one configuration "
                              "follow one another, instead of the program's order");
    trace->source = request->emulated ? SMC_TRACE_EMULATOR : SMC_TRACE_CUPTI;
    collect_describe(trace, request);
    enum smc_status status = find_library(collection, error);
    const char *mode = status != SMC_OK    ? ""
                       : request->emulated ? TRACE_MODE_EMULATOR
                                           : choose_mode(collection);
    if (status == SMC_OK && !request->emulated)
        status = check_environment(collection, mode, error);
    block_kept(&collection->before.mask);
    if (status == SMC_OK)
        status = make_module_folder(collection, error);
    if (status == SMC_OK)
        status = collect_make_folder(collection, error);
    if (status == SMC_OK)
        status = request->emulated ? link_emulator(collection, error)
                                   : choose_preload(collection, mode, error);
    if (status == SMC_OK)
        status = collect_start(collection, mode, error);
    if (status == SMC_OK) {
        observe(collection);
        status = read_records(collection, error);
    }
    if (collection->child > 0) {
        *program = collection;
        return status;
    }
    remove_folder(collection);
    unblock(&collection->before);
    free(collection);
    return status;
}
