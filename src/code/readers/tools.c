/* The tools of the CUDA Toolkit, run as child processes in a folder of their own. */
#include "config.h"

#include "code/tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/platform.h"
#include "base/signals.h"

extern char **environ;

/* Becomes readable when a signal arrives; only valid while a temporary folder exists. */
static int signals = -1;

/* The temporary folder: that it can be emptied must not depend on another descriptor. */
static DIR *opened;

/* Held while a temporary folder exists: one tool at a time runs, whatever thread asks. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool smc_tool_find_in(const char *list, size_t length, const char *name, char path[SMC_TOOL_PATH])
{
    const char *end = list + length;
    while (list < end) {
        const char *colon = memchr(list, ':', (size_t)(end - list));
        int bytes = (int)((colon ? colon : end) - list);
        int written = snprintf(path, SMC_TOOL_PATH, "%.*s/%s", bytes, list, name);
        if (bytes > 0 && written < SMC_TOOL_PATH && is_program(path))
            return true;
        list += bytes + 1;
    }
    return false;
}

static bool find_on_path(const char *name, char path[SMC_TOOL_PATH])
{
    const char *list = getenv("PATH");
    return list && smc_tool_find_in(list, strlen(list), name, path);
}

bool smc_tool_find(const char *name, char path[SMC_TOOL_PATH])
{
    const char *home = getenv("CUDA_HOME"), *other = getenv("CUDA_PATH");
    bool is_named = (home && *home) || (other && *other);
    const char *const roots[] = {home, other, is_named ? NULL : "/usr/local/cuda"};
    if (find_on_path(name, path))
        return true;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (roots[i] && *roots[i] &&
            snprintf(path, SMC_TOOL_PATH, "%s/bin/%s", roots[i], name) < SMC_TOOL_PATH &&
            is_program(path))
            return true;
    return false;
}

void smc_tool_write_identity(const char *path, struct smc_text *line)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return;
    smc_text_printf(line, "%s: %llu %llu %lld %lld.%09ld\n", path,
                    (unsigned long long)status.st_dev, (unsigned long long)status.st_ino,
                    (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec);
}

/* The environment with another TMPDIR, for compilers that leave files behind when they fail. The
   caller frees the list; its strings are `variable` and those of the process. */
static char **environment_with(char *variable)
{
    static const char name[] = "TMPDIR=";
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = smc_calloc(count + 2, sizeof *list);
    if (!list)
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], name, sizeof name - 1) != 0)
            list[kept++] = environ[i];
    list[kept] = variable;
    return list;
}

/* Standard input is empty; standard output and error go to the pipe. The child gets its own process
   group, so that the processes it starts can be ended with it. */
static int spawn(const char *const *argv, char *const *environment, const int ends[2], pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (failed) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    failed = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (!failed)
        failed = posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    if (!failed) /* POSIX has no const here, and writes nothing. */
        failed =
            posix_spawn(child, argv[0], &actions, &attributes, (char *const *)argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

enum ending { COMPLETE, INTERRUPTED, UNREADABLE };

/* Reads until the tool and its children have closed their ends, or `stop` becomes readable. */
static enum ending tools_read_all(int descriptor, int stop, struct smc_text *output)
{
    struct pollfd watched[] = {{.fd = stop, .events = POLLIN},
                               {.fd = descriptor, .events = POLLIN}};
    char bytes[4096];
    for (;;) {
        if (poll(watched, 2, -1) < 0) {
            if (errno != EINTR)
                return UNREADABLE;
            continue;
        }
        if (watched[0].revents)
            return INTERRUPTED;
        if (!watched[1].revents)
            continue;
        ssize_t count = read(descriptor, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? UNREADABLE : COMPLETE;
        smc_text_append_bytes(output, bytes, (size_t)count);
    }
}

enum { LAST_SIGNAL = 31 }; /* of the signals that every system has */

/* Sets `ending` to the exit status, or to 128 plus the signal, as a shell does. */
static bool tools_wait_for(pid_t child, int *ending)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    *ending = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

enum smc_status smc_tool_run(const char *const *argv, const char *folder, struct smc_text *output,
                             bool *succeeded, struct smc_error *error)
{
    int ends[2];
    pid_t child;
    char variable[SMC_TOOL_PATH + 16];
    enum ending read = COMPLETE;
    int ending = 1, reason = 0;
    snprintf(variable, sizeof variable, "TMPDIR=%s", folder);
    if (smc_platform_pipe(ends) != 0)
        return smc_fail(error, SMC_MACHINE, "a pipe to %s: %s", argv[0], strerror(errno));
    char **environment = environment_with(variable);
    int failed = environment ? spawn(argv, environment, ends, &child) : ENOMEM;
    free(environment);
    close(ends[1]);
    if (!failed) {
        read = tools_read_all(ends[0], signals, output);
        reason = errno;
        if (read != COMPLETE && kill(-child, SIGKILL) == 0)
            tools_read_all(ends[0], -1, output);
        *succeeded = tools_wait_for(child, &ending) && ending == 0 && read == COMPLETE;
    }
    close(ends[0]);
    if (failed)
        return smc_fail(error, SMC_MACHINE, "%s: %s", argv[0], strerror(failed));
    if (read == INTERRUPTED)
        return smc_fail(error, SMC_INTERRUPTED, "%s: interrupted", argv[0]);
    if (read == UNREADABLE)
        return smc_fail(error, SMC_MACHINE, "%s: its messages cannot be read: %s", argv[0],
                        strerror(reason));
    if (ending > 128 && ending <= 128 + LAST_SIGNAL)
        return smc_fail(error, SMC_MACHINE, "%s: ended by a signal: %s", argv[0],
                        strsignal(ending - 128));
    return SMC_OK;
}

enum smc_status smc_tool_file(const char *file, char argument[SMC_TOOL_FILE],
                              struct smc_error *error)
{
    bool is_special = file[0] == '-' || file[0] == '@';
    int length = snprintf(argument, SMC_TOOL_FILE, "%s%s", is_special ? "./" : "", file);
    return length < SMC_TOOL_FILE ? SMC_OK
                                  : smc_fail(error, SMC_USAGE, "%s: the path is too long", file);
}

/* A signal that arrived meanwhile takes effect now. */
static void release_signals(void)
{
    signals = -1;
    smc_signals_release();
    pthread_mutex_unlock(&one_at_a_time);
}

enum smc_status smc_tool_folder_make(char folder[SMC_TOOL_PATH], struct smc_error *error)
{
    const char *root = getenv("TMPDIR");
    if (!root || !*root || strlen(root) > SMC_TOOL_PATH - 64)
        root = "/tmp";
    snprintf(folder, SMC_TOOL_PATH, "%s%s/smemcalc-XXXXXX", root[0] == '-' ? "./" : "", root);
    pthread_mutex_lock(&one_at_a_time);
    signals = smc_signals_watch(false);
    if (signals < 0) {
        int reason = errno;
        pthread_mutex_unlock(&one_at_a_time);
        return smc_fail(error, SMC_MACHINE, "a pipe: %s", strerror(reason));
    }
    bool made = mkdtemp(folder) != NULL;
    if (made && (opened = opendir(folder)))
        return SMC_OK;
    int reason = errno;
    if (made)
        rmdir(folder);
    release_signals();
    return smc_fail(error, SMC_MACHINE, "a folder below %s: %s", root, strerror(reason));
}

void smc_tool_folder_remove(const char *folder)
{
    enum { TRIES = 2 }; /* a failure to read the folder may pass */
    struct dirent *file;
    for (int i = 0; i < TRIES; i++) {
        rewinddir(opened);
        while ((file = readdir(opened)))
            unlinkat(dirfd(opened), file->d_name, 0);
    }
    closedir(opened);
    opened = NULL;
    rmdir(folder);
    release_signals();
}
