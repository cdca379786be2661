/* The cache folder: its files, and reading and writing one entry. */
#include "config.h"

#include "code/nvrtc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/platform.h"
#include "base/signals.h"
#include "base/text.h"

/* Names in the folder: 16 hexadecimal digits and the suffix; files being written. */
#define SMC_CACHE_SUFFIX    ".smc"
#define SMC_CACHE_TEMPORARY "tmp-"

/* --- The folder ------------------------------------------------------------------------------- */

enum {
    MAX_FILES = 4096,
    MAX_BYTES = 64 << 20,
    KEPT_FILES = MAX_FILES / 4 * 3, /* when there were more */
    KEPT_BYTES = MAX_BYTES / 4 * 3,
    NAME_DIGITS = 16,
    ABANDONED_SECONDS = 3600,
};

struct cache_entry {
    char name[NAME_DIGITS + sizeof SMC_CACHE_SUFFIX];
    struct timespec written;
    int64_t bytes;
};

/* False if the environment names no folder. */
static bool find_folder(char *folder, size_t capacity)
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
    const struct timespec *s = &((const struct cache_entry *)a)->written;
    const struct timespec *t = &((const struct cache_entry *)b)->written;
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

/* Lists the cache's own files. Returns NULL with *count 0 if there is not enough memory. */
static struct cache_entry *list_entries(DIR *folder, size_t *count, int64_t *bytes)
{
    struct cache_entry *entries = NULL;
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
        if (!smc_make_room(&entries, *count, &capacity, sizeof *entries)) {
            free(entries);
            *count = 0;
            return NULL;
        }
        struct cache_entry *entry = &entries[(*count)++];
        memcpy(entry->name, item->d_name, sizeof entry->name);
        entry->written = status.st_mtim;
        entry->bytes = status.st_size;
        *bytes += status.st_size;
    }
    return entries;
}

/* Above 4096 files or 64 MiB, removes the oldest files until a quarter of the limit is free. Also
   removes incomplete files of interrupted runs. Only touches files with the cache's own names. */
static void trim_folder(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    size_t count;
    int64_t bytes;
    smc_auto_free struct cache_entry *entries = list_entries(folder, &count, &bytes);
    if (entries && (count > MAX_FILES || bytes > MAX_BYTES)) {
        qsort(entries, count, sizeof *entries, by_age);
        size_t left = count;
        for (size_t i = 0; i < count; i++) {
            if (left <= KEPT_FILES && bytes <= KEPT_BYTES)
                break;
            unlinkat(dirfd(folder), entries[i].name, 0);
            bytes -= entries[i].bytes;
            left--;
        }
    }
    closedir(folder);
}

/* --- Its entries ------------------------------------------------------------------------------ */

/* In native byte order: on a machine with the other byte order the sizes do not match, so the file
   counts as absent. */
struct header {
    char magic[8];
    uint64_t key_bytes, value_bytes;
    uint64_t checksum; /* of everything, with this field 0 */
};

static const char magic[8] = "smcache1";

enum { MAX_FILE_BYTES = 16 << 20 };

static uint64_t checksum(struct header header, const void *key, const void *value)
{
    header.checksum = 0;
    uint64_t hash = smc_hash(SMC_HASH_START, &header, sizeof header);
    hash = smc_hash(hash, key, header.key_bytes);
    return smc_hash(hash, value, header.value_bytes);
}

void smc_warn(struct smc_text *warnings, const char *format, ...)
{
    char line[1280];
    if (!warnings)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    smc_utf8_make_safe(line);
    strcat(line, "\n");
    if (!strstr(smc_text_string(warnings), line))
        smc_text_append(warnings, line);
}

static void give_up(struct smc_cache *cache, const char *path, int error)
{
    cache->usable = false;
    smc_warn(cache->warnings, "cache %s: %s; continuing without it", path, strerror(error));
}

void smc_cache_open(struct smc_cache *cache, bool disabled, struct smc_text *warnings)
{
    *cache = (struct smc_cache){.warnings = warnings};
    if (disabled)
        return;
    cache->usable = find_folder(cache->folder, sizeof cache->folder);
    if (!cache->usable)
        smc_warn(warnings, "cache: SMEMCALC_CACHE_DIR, XDG_CACHE_HOME and HOME give no folder; "
                           "continuing without it");
}

void smc_cache_measure(const struct smc_cache *cache, struct smc_cache_size *size)
{
    *size = (struct smc_cache_size){.most_bytes = MAX_BYTES};
    DIR *folder = cache->usable ? opendir(cache->folder) : NULL;
    if (!folder)
        return;
    free(list_entries(folder, &size->entries, &size->bytes));
    closedir(folder);
}

static bool file_path(const struct smc_cache *cache, const struct smc_text *key, char *path,
                      size_t capacity)
{
    uint64_t name = smc_hash(SMC_HASH_START, smc_text_string(key), key->length);
    int length = snprintf(path, capacity, "%s/%016llx" SMC_CACHE_SUFFIX, cache->folder,
                          (unsigned long long)name);
    return length > 0 && (size_t)length < capacity;
}

/* Reads a whole regular file that belongs to this user, else nothing. */
static bool cache_read_file(int file, struct smc_text *bytes)
{
    struct stat status;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        status.st_size > MAX_FILE_BYTES)
        return false;
    char part[16384];
    while (bytes->length <= MAX_FILE_BYTES) {
        ssize_t count = read(file, part, sizeof part);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0 && !bytes->failed;
        smc_text_append_bytes(bytes, part, (size_t)count);
    }
    return false;
}

/* Appends the value if this is a complete, undamaged entry for `key`. */
static bool cache_unpack(const struct smc_text *bytes, const struct smc_text *key,
                         struct smc_text *value)
{
    struct header header;
    if (bytes->length < sizeof header)
        return false;
    memcpy(&header, bytes->data, sizeof header);
    const char *key_found = bytes->data + sizeof header;
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.key_bytes != key->length ||
        bytes->length - sizeof header < key->length ||
        header.value_bytes != bytes->length - sizeof header - key->length ||
        memcmp(key_found, smc_text_string(key), key->length) != 0)
        return false;
    const char *value_found = key_found + key->length;
    if (checksum(header, key_found, value_found) != header.checksum)
        return false;
    smc_text_append_bytes(value, value_found, header.value_bytes);
    return !value->failed;
}

bool smc_cache_read(struct smc_cache *cache, const struct smc_text *key, struct smc_text *value)
{
    char path[1100];
    if (!cache->usable || !file_path(cache, key, path, sizeof path))
        return false;
    /* Without O_NONBLOCK, opening a FIFO of that name would hang. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0) {
        /* A file that cannot be opened will be replaced; an inaccessible folder deserves a
           warning. */
        int error = errno;
        if (error == ENOTDIR || (error == EACCES && access(cache->folder, X_OK) != 0))
            give_up(cache, cache->folder, error);
        return false;
    }
    smc_auto_text bytes = {0};
    bool found = cache_read_file(file, &bytes) && cache_unpack(&bytes, key, value);
    close(file);
    return found;
}

static int cache_write_all(int file, const void *bytes, size_t count)
{
    const char *s = bytes;
    while (count > 0) {
        ssize_t written = write(file, s, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? errno : ENOSPC;
        s += written;
        count -= (size_t)written;
    }
    return 0;
}

/* Writes to a temporary file and renames it, so that no reader sees an incomplete file. */
static int cache_write_file(const char *folder, const char *path, const struct header *header,
                            const struct smc_text *key, const void *value)
{
    char temporary[1100];
    snprintf(temporary, sizeof temporary, "%s/" SMC_CACHE_TEMPORARY "XXXXXX", folder);
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0)
        return errno;
    int error = cache_write_all(file, header, sizeof *header);
    if (!error)
        error = cache_write_all(file, smc_text_string(key), key->length);
    if (!error)
        error = cache_write_all(file, value, header->value_bytes);
    if (close(file) != 0 && !error)
        error = errno;
    if (!error && rename(temporary, path) != 0)
        error = errno;
    if (error)
        unlink(temporary);
    return error;
}

/* The same, with signals blocked: those that end the program would leave the temporary file, and
   exceeding the limit of a file's size is an ordinary error. */
static int write_file_quietly(const char *folder, const char *path, const struct header *header,
                              const struct smc_text *key, const void *value)
{
    sigset_t limit, before;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    smc_signals_block(&before);
    pthread_sigmask(SIG_BLOCK, &limit, NULL);
    int error = cache_write_file(folder, path, header, key, value);
    if (error == EFBIG)
        smc_platform_await(&limit, &(struct timespec){0});
    smc_signals_unblock(&before);
    return error;
}

void smc_cache_write(struct smc_cache *cache, const struct smc_text *key, const void *value,
                     size_t value_bytes)
{
    char path[1100];
    struct header header = {.key_bytes = key->length, .value_bytes = value_bytes};
    if (!cache->usable || !file_path(cache, key, path, sizeof path) ||
        value_bytes > MAX_FILE_BYTES - sizeof header - key->length)
        return;
    int error = smc_folder_make(cache->folder);
    if (error) {
        give_up(cache, cache->folder, error);
        return;
    }
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum(header, smc_text_string(key), value);
    error = write_file_quietly(cache->folder, path, &header, key, value);
    if (error)
        give_up(cache, path, error);
    else
        trim_folder(cache->folder);
}
