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
#include "base/signals.h"

bool smc_file_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *smc_file_name(const char *path)
{
    return smc_file_is_standard_input(path) ? "standard input" : path;
}

bool smc_file_is_regular(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool smc_file_is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
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

void smc_file_close(FILE **stream)
{
    if (*stream)
        fclose(*stream);
}

enum smc_status smc_file_read(const char *path, const char *kind, size_t most_bytes,
                              struct smc_text *text, struct smc_error *error)
{
    smc_auto_file FILE *stream = fopen(path, "rb");
    if (!stream)
        return smc_fail(error, smc_memory_status(errno, SMC_USAGE), "%s: cannot be read: %s", path,
                        strerror(errno));
    return smc_file_read_stream(stream, path, kind, most_bytes, text, error);
}

static enum smc_status fail_opening(const char *path, int reason, struct smc_error *error)
{
    enum smc_status status = smc_memory_status(reason, SMC_USAGE);
    return smc_fail(error, reason == EEXIST ? SMC_SHORTFALL : status, "'%s' cannot be written: %s",
                    path, strerror(reason));
}

/* An errno value, or 0. */
static int file_write_all(int file, const struct smc_text *text)
{
    const char *bytes = smc_text_string(text);
    for (size_t left = text->length; left > 0;) {
        ssize_t written = write(file, bytes, left);
        if (written < 0 && errno != EINTR)
            return errno;
        bytes += written > 0 ? written : 0;
        left -= written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* --- As a new file that takes the name -------------------------------------------------------- */

/* Writes `temporary`, whose end mkostemp replaces, and gives it the name. An errno value, or 0;
   `begun`: the file could be made. */
static int write_beside(const char *path, char *temporary, mode_t mode, bool over,
                        const struct smc_text *text, bool *begun)
{
    int file = mkostemp(temporary, O_CLOEXEC);
    *begun = file >= 0;
    if (file < 0)
        return errno;
    int reason = file_write_all(file, text);
    if (!reason && fchmod(file, mode) != 0)
        reason = errno;
    if (close(file) != 0 && !reason)
        reason = errno;
    if (!reason && (over ? rename(temporary, path) : link(temporary, path)) != 0)
        reason = errno;
    if (reason || !over)
        unlink(temporary);
    return reason;
}

/* The same without an interruption that would leave the temporary file. */
static int write_undisturbed(const char *path, mode_t mode, bool over, const struct smc_text *text,
                             bool *begun)
{
    char temporary[1100];
    sigset_t before;
    const int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    *begun = false;
    if (length < 0 || (size_t)length >= sizeof temporary)
        return ENAMETOOLONG;
    smc_signals_block(&before);
    const int reason = write_beside(path, temporary, mode, over, text, begun);
    smc_signals_unblock(&before);
    return reason;
}

static mode_t mode_of_new_file(void)
{
    const mode_t mask = umask(S_IRWXG | S_IRWXO);
    umask(mask);
    return 0666 & ~mask;
}

/* Whether another file can take the name without a difference to the user: there is none, or it is
   the user's with only this name. */
static bool can_be_replaced(const char *path, bool over, mode_t *mode)
{
    struct stat file;
    *mode = mode_of_new_file();
    if (lstat(path, &file) != 0)
        return errno == ENOENT;
    *mode = file.st_mode & 07777;
    return over && S_ISREG(file.st_mode) && file.st_nlink == 1 && file.st_uid == geteuid() &&
           access(path, W_OK) == 0;
}

/* --- In its place ----------------------------------------------------------------------------- */

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

static enum smc_status write_in_place(const char *path, bool over, const struct smc_text *text,
                                      struct smc_error *error)
{
    int file;
    do
        file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (over ? O_TRUNC : O_EXCL), 0666);
    while (file < 0 && errno == EINTR);
    if (file < 0)
        return fail_opening(path, errno, error);
    int reason = file_write_all(file, text);
    if (close(file) != 0 && !reason)
        reason = errno;
    if (!reason)
        return SMC_OK;
    remove_cut(path);
    return smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason));
}

/* Where no file can be made, or file systems have no links, the one there can still be written. */
static bool can_be_in_place(int reason)
{
    return reason == EACCES || reason == EPERM || reason == EROFS || reason == ENAMETOOLONG ||
           reason == EOPNOTSUPP;
}

enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error)
{
    mode_t mode;
    bool begun;
    if (text->failed || smc_memory_failed())
        return smc_out_of_memory(error);
    if (!*path)
        return fail_opening(path, ENOENT, error);
    if (!can_be_replaced(path, over, &mode))
        return write_in_place(path, over, text, error);
    const int reason = write_undisturbed(path, mode, over, text, &begun);
    if (can_be_in_place(reason))
        return write_in_place(path, over, text, error);
    if (!reason)
        return SMC_OK;
    return begun && reason != EEXIST
               ? smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason))
               : fail_opening(path, reason, error);
}

enum smc_status smc_file_replace(const char *path, const struct smc_text *text,
                                 struct smc_error *error)
{
    bool begun;
    if (text->failed || smc_memory_failed())
        return smc_out_of_memory(error);
    const int reason = write_undisturbed(path, S_IRUSR | S_IWUSR, true, text, &begun);
    if (!reason)
        return SMC_OK;
    return begun ? smc_fail(error, SMC_MACHINE, "'%s': %s", path, strerror(reason))
                 : fail_opening(path, reason, error);
}
