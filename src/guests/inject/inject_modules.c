/* The machine code of modules, in files that are named by their content. */
#include "config.h"

#include "guests/inject/inject_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "guests/inject/inject.h"
#include "guests/inject/inject_table.h"

static bool inject_modules_write_all(int file, const char *bytes, size_t count)
{
    while (count > 0) {
        const ssize_t written = write(file, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        count -= (size_t)written;
    }
    return true;
}

/* A file of its own for each call: threads may load the same module at the same time, and processes
   in other name spaces may have the same id. */
static int open_temporary(const char *folder, char *path, size_t capacity)
{
    static unsigned calls;
    for (int tries = 0; tries < 100; tries++) {
        const int length = snprintf(path, capacity, "%s/.%ld.%u", folder, (long)getpid(),
                                    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED));
        if (length < 0 || (size_t)length >= capacity)
            return -1;
        const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST)
            return file;
    }
    return -1;
}

/* The file appears whole or not at all. One that is there has the same code, as its name is the
   hash of it. */
static bool inject_modules_write_file(const char *folder, const char *path, const void *code,
                                      size_t bytes)
{
    char temporary[PATH_MAX];
    struct stat there;
    if (stat(path, &there) == 0)
        return S_ISREG(there.st_mode) && (size_t)there.st_size == bytes;
    if (!table_within_limit(bytes))
        return false;
    const int file = open_temporary(folder, temporary, sizeof temporary);
    if (file < 0)
        return false;
    const bool whole = inject_modules_write_all(file, code, bytes);
    const bool ok = close(file) == 0 && whole && rename(temporary, path) == 0;
    if (!ok)
        unlink(temporary);
    return ok;
}

void modules_keep(const void *code, size_t bytes)
{
    char path[PATH_MAX];
    const char *folder = inject_settings()->module_folder;
    if (!folder || bytes == 0 || !inject_records())
        return;
    const int length = snprintf(path, sizeof path, "%s/%016" PRIx64 ".cubin", folder,
                                smc_hash(SMC_HASH_START, code, bytes));
    if (length > 0 && (size_t)length < sizeof path &&
        inject_modules_write_file(folder, path, code, bytes) && table_module(path))
        return;
    struct record_header *header = table_header();
    if (header)
        table_add(&header->failed_modules, 1);
}
