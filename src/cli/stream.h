/* A file or standard input, read in pieces. */
#ifndef SMC_CLI_STREAM_H
#define SMC_CLI_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct smc_stream {
    const char *name; /* for messages */
    int descriptor;
};

/* "-" is standard input. SMC_USAGE: "FILE: why". */
enum smc_status smc_stream_open(const char *path, struct smc_stream *stream,
                                struct smc_error *error);
void smc_stream_close(struct smc_stream *stream);

/* Up to `capacity` bytes, as soon as there are any; 0 at the end. SMC_USAGE for a folder. */
enum smc_status smc_stream_read(const struct smc_stream *stream, char *bytes, size_t capacity,
                                size_t *count, struct smc_error *error);

/* After a call that moved nothing: waits until it is worth repeating, where it was interrupted or
   made on a pipe that does not block; else false. `events` as for poll. */
bool smc_stream_retry(int descriptor, short events);

#endif
