/* A text out of a file, and a file out of a text. */
#ifndef SMC_BASE_FILE_H
#define SMC_BASE_FILE_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* Appends all of it. SMC_USAGE where it cannot be read or is larger than `most_bytes`, which no
   `kind` ("device file") is. The message begins with the path, or what the stream is called. */
enum smc_status smc_file_read(const char *path, const char *kind, size_t most_bytes,
                              struct smc_text *text, struct smc_error *error);
enum smc_status smc_file_read_stream(FILE *stream, const char *called, const char *kind,
                                     size_t most_bytes, struct smc_text *text,
                                     struct smc_error *error);

/* Writes all of it. Without `over` an existing file stays as it is: SMC_SHORTFALL. SMC_USAGE: it
   cannot be opened. SMC_MACHINE: it cannot be written to the end, and is removed. The message names
   the path. */
enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error);

/* The same in place of what is there, if anything: a reader sees the old text or the new one, and
   after a failure the old one is left. The file is this user's alone. The message names the path.
 */
enum smc_status smc_file_replace(const char *path, const struct smc_text *text,
                                 struct smc_error *error);

#endif
