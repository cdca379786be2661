/* The user's folders for smemcalc's files, and a search for files by a pattern. */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

enum { LONGEST_PATH = 4096 };

const char *smc_folder_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

bool smc_folder_of_user(const char *xdg, const char *below_home, char *folder, size_t capacity)
{
    const char *named = smc_folder_variable(xdg);
    const char *home = smc_folder_variable("HOME");
    int length;
    if (named &&
        *named == '/') /* the XDG specification ignores relative paths; so do we, for HOME too */
        length = snprintf(folder, capacity, "%s/smemcalc", named);
    else if (home && *home == '/')
        length = snprintf(folder, capacity, "%s/%s/smemcalc", home, below_home);
    else
        return false;
    return length > 0 && (size_t)length < capacity;
}

int smc_folder_make(const char *folder)
{
    char path[1024];
    struct stat status;
    if (stat(folder, &status) == 0)
        return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return ENAMETOOLONG;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return errno;
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

/* --- Patterns --------------------------------------------------------------------------------- */

static bool is_like(const char *name, const char *pattern, size_t length)
{
    if (length == 0)
        return !*name;
    if (*pattern != '*')
        return *name == *pattern && is_like(name + 1, pattern + 1, length - 1);
    do
        if (is_like(name, pattern + 1, length - 1))
            return true;
    while (*name++);
    return false;
}

static void folder_add_match(const char *path, struct smc_folder_matches *matches)
{
    if (!smc_make_room(&matches->path, matches->count, &matches->capacity, sizeof *matches->path))
        return;
    char *copy = smc_strdup(path);
    if (copy)
        matches->path[matches->count++] = copy;
}

/* A folder that is absent, or that this user may not list, is not a failure. */
static void folder_note_failure(int reason, struct smc_folder_matches *matches)
{
    if (reason == 0 || reason == ENOENT || reason == ENOTDIR || reason == EACCES || reason == ELOOP)
        return;
    smc_memory_status(reason, SMC_OK);
    if (!matches->failed)
        matches->failed = reason;
}

static void match_below(char *path, size_t length, const char *rest,
                        struct smc_folder_matches *matches);

/* `rest` begins with a name of `name_length` characters that contains a '*'. */
static void match_names(char *path, size_t length, const char *rest, size_t name_length,
                        struct smc_folder_matches *matches)
{
    DIR *folder = opendir(length ? path : ".");
    if (!folder) {
        folder_note_failure(errno, matches);
        return;
    }
    errno = 0;
    for (const struct dirent *item; (item = readdir(folder)); errno = 0) {
        size_t bytes = strlen(item->d_name);
        if (item->d_name[0] == '.' || !is_like(item->d_name, rest, name_length) ||
            length + bytes >= LONGEST_PATH)
            continue;
        memcpy(path + length, item->d_name, bytes + 1);
        match_below(path, length + bytes, rest + name_length, matches);
    }
    folder_note_failure(errno, matches);
    path[length] = '\0';
    closedir(folder);
}

/* `path` exists so far. */
static void match_below(char *path, size_t length, const char *rest,
                        struct smc_folder_matches *matches)
{
    while (*rest) {
        size_t slashes = strspn(rest, "/"), name = strcspn(rest + slashes, "/");
        if (length + slashes + name >= LONGEST_PATH)
            return;
        memcpy(path + length, rest, slashes);
        path[length += slashes] = '\0';
        rest += slashes;
        if (memchr(rest, '*', name)) {
            match_names(path, length, rest, name, matches);
            return;
        }
        memcpy(path + length, rest, name);
        path[length += name] = '\0';
        rest += name;
    }
    if (access(path, F_OK) == 0)
        folder_add_match(path, matches);
}

void smc_folder_match(const char *pattern, struct smc_folder_matches *matches)
{
    char path[LONGEST_PATH + 1] = "";
    size_t before = matches->count;
    match_below(path, 0, pattern, matches);
    if (matches->count > before)
        qsort(matches->path + before, matches->count - before, sizeof *matches->path,
              smc_compare_strings);
}

void smc_folder_matches_free(struct smc_folder_matches *matches)
{
    for (size_t i = 0; i < matches->count; i++)
        free(matches->path[i]);
    free(matches->path);
    *matches = (struct smc_folder_matches){0};
}
