/* Reading a whole text file, and writing one. */
#include "config.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

bool smc_file_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool smc_file_is_same(const char *path, const char *other)
{
    struct stat a, b;
    return other && stat(path, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

enum smc_status smc_file_read_stream(FILE *stream, const char *called, const char *kind,
                                     size_t most_bytes, struct smc_text *text,
                                     struct smc_error *error)
{
    char bytes[4096];
    size_t count;
    errno = 0;
    while ((count = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        smc_text_append_bytes(text, bytes, count);
        if (text->length > most_bytes)
            return smc_fail(error, SMC_USAGE, "%s: larger than %zu bytes; no %s is", called,
                            most_bytes, kind);
    }
    if (ferror(stream))
        return smc_fail(error, SMC_USAGE, "%s: cannot be read: %s", called, strerror(errno));
    return text->failed ? smc_out_of_memory(error) : SMC_OK;
}

enum smc_status smc_file_read(const char *path, const char *kind, size_t most_bytes,
                              struct smc_text *text, struct smc_error *error)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: cannot be read: %s", path,
                        strerror(errno));
    enum smc_status status = smc_file_read_stream(stream, path, kind, most_bytes, text, error);
    fclose(stream);
    return status;
}

static enum smc_status fail_opening(const char *path, int reason, struct smc_error *error)
{
    enum smc_status status = smc_memory_status(reason, SMC_USAGE);
    return smc_fail(error, reason == EEXIST ? SMC_SHORTFALL : status, "'%s' cannot be written: %s",
                    path, strerror(reason));
}

/* An incomplete file is worse than none, so it is removed; the target of a link is emptied
   instead. */
static void remove_cut(const char *path)
{
    struct stat file;
    if (lstat(path, &file) == 0 && S_ISREG(file.st_mode))
        remove(path);
    else if (truncate(path, 0) != 0) /* a pipe or a device */
        errno = 0;
}

enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error)
{
    if (text->failed)
        return smc_out_of_memory(error);
    FILE *file = fopen(path, over ? "wb" : "wbx");
    if (!file)
        return fail_opening(path, errno, error);
    errno = 0;
    bool written = fwrite(smc_text_string(text), 1, text->length, file) == text->length;
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written)
        return SMC_OK;
    remove_cut(path);
    return smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason));
}

/* The access that open(2) would have given. */
static bool give_access(int file)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
}

static enum smc_status replace(const char *path, bool for_others, const struct smc_text *text,
                               struct smc_error *error)
{
    char temporary[1100];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (text->failed)
        return smc_out_of_memory(error);
    if (length < 0 || (size_t)length >= sizeof temporary)
        return fail_opening(path, ENAMETOOLONG, error);
    int file = mkostemp(temporary, O_CLOEXEC);
    if (file < 0)
        return fail_opening(path, errno, error);
    FILE *stream = fdopen(file, "wb");
    smc_memory_status(stream ? 0 : errno, SMC_OK);
    errno = 0;
    bool written = stream && (!for_others || give_access(file)) &&
                   fwrite(smc_text_string(text), 1, text->length, stream) == text->length;
    int reason = errno;
    if ((stream ? fclose(stream) : close(file)) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && rename(temporary, path) == 0)
        return SMC_OK;
    reason = written ? errno : reason;
    unlink(temporary);
    return smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason));
}

enum smc_status smc_file_replace(const char *path, const struct smc_text *text,
                                 struct smc_error *error)
{
    return replace(path, false, text, error);
}

enum smc_status smc_file_publish(const char *path, const struct smc_text *text,
                                 struct smc_error *error)
{
    return replace(path, true, text, error);
}
