/* A file or standard input, read in pieces. */
#include "config.h"

#include "cli/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum smc_status smc_stream_open(const char *path, struct smc_stream *stream,
                                struct smc_error *error)
{
    *stream = (struct smc_stream){"standard input", STDIN_FILENO};
    if (strcmp(path, "-") == 0)
        return SMC_OK;
    *stream = (struct smc_stream){path, open(path, O_RDONLY | O_CLOEXEC)};
    if (stream->descriptor < 0)
        return smc_fail(error, SMC_USAGE, "%s: %s", path, strerror(errno));
    return SMC_OK;
}

void smc_stream_close(struct smc_stream *stream)
{
    if (stream->descriptor != STDIN_FILENO)
        close(stream->descriptor);
}

bool smc_stream_retry(int descriptor, short events)
{
    struct pollfd ready = {.fd = descriptor, .events = events};
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        return poll(&ready, 1, -1) >= 0 || errno == EINTR;
    return errno == EINTR;
}

enum smc_status smc_stream_read(const struct smc_stream *stream, char *bytes, size_t capacity,
                                size_t *count, struct smc_error *error)
{
    ssize_t got;
    do
        got = read(stream->descriptor, bytes, capacity);
    while (got < 0 && smc_stream_retry(stream->descriptor, POLLIN));
    if (got < 0)
        return smc_fail(error, errno == EISDIR ? SMC_USAGE : SMC_MACHINE, "%s: %s", stream->name,
                        strerror(errno));
    *count = (size_t)got;
    return SMC_OK;
}
