/* The cache's folder: where it is, and keeping it small. */
#include "config.h"

#include "compile/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"

enum {
    MAX_FILES = 4096,
    MAX_BYTES = 64 << 20,
    NAME_DIGITS = 16,
    ABANDONED_SECONDS = 3600,
};

struct entry {
    char name[NAME_DIGITS + sizeof SMC_CACHE_SUFFIX];
    struct timespec written;
    int64_t bytes;
};

bool smc_cache_folder_name(char *folder, size_t capacity)
{
    const char *own = smc_folder_variable("SMEMCALC_CACHE_DIR");
    if (!own)
        return smc_folder_of_user("XDG_CACHE_HOME", ".cache", folder, capacity);
    int length = snprintf(folder, capacity, "%s", own);
    return length > 0 && (size_t)length < capacity;
}

static bool is_own_name(const char *name)
{
    return strspn(name, "0123456789abcdef") == NAME_DIGITS &&
           strcmp(name + NAME_DIGITS, SMC_CACHE_SUFFIX) == 0;
}

static int by_age(const void *a, const void *b)
{
    const struct timespec *s = &((const struct entry *)a)->written;
    const struct timespec *t = &((const struct entry *)b)->written;
    if (s->tv_sec != t->tv_sec)
        return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

static void remove_abandoned(int folder, const char *name)
{
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
        time(NULL) - status.st_mtim.tv_sec > ABANDONED_SECONDS)
        unlinkat(folder, name, 0);
}

/* Lists the cache's own files. Returns NULL with *count 0 where memory is short. */
static struct entry *list_entries(DIR *folder, size_t *count, int64_t *bytes)
{
    struct entry *entries = NULL;
    size_t capacity = 0;
    *count = 0;
    *bytes = 0;
    for (const struct dirent *item; (item = readdir(folder));) {
        struct stat status;
        if (strncmp(item->d_name, SMC_CACHE_TEMPORARY, strlen(SMC_CACHE_TEMPORARY)) == 0)
            remove_abandoned(dirfd(folder), item->d_name);
        if (!is_own_name(item->d_name) ||
            fstatat(dirfd(folder), item->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (*count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            struct entry *more = smc_realloc(entries, capacity * sizeof *entries);
            if (!more) {
                free(entries);
                *count = 0;
                return NULL;
            }
            entries = more;
        }
        struct entry *entry = &entries[(*count)++];
        memcpy(entry->name, item->d_name, sizeof entry->name);
        entry->written = status.st_mtim;
        entry->bytes = status.st_size;
        *bytes += status.st_size;
    }
    return entries;
}

void smc_cache_folder_trim(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    size_t count;
    int64_t bytes;
    struct entry *entries = list_entries(folder, &count, &bytes);
    if (entries && (count > MAX_FILES || bytes > MAX_BYTES)) {
        qsort(entries, count, sizeof *entries, by_age);
        size_t left = count;
        for (size_t i = 0; i < count; i++) {
            if (left <= MAX_FILES / 4 * 3 && bytes <= MAX_BYTES / 4 * 3)
                break;
            unlinkat(dirfd(folder), entries[i].name, 0);
            bytes -= entries[i].bytes;
            left--;
        }
    }
    free(entries);
    closedir(folder);
}
