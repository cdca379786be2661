/* Reading a whole text file, and writing one. */
#ifndef SMC_BASE_FILE_H
#define SMC_BASE_FILE_H

#include <stdio.h>

#include "base/status.h"
#include "base/text.h"

/* Appends the whole file. SMC_USAGE: it cannot be read or is larger than `most_bytes`, the limit
   for this `kind` ("device file"). The message begins with the path or the stream's name. */
enum smc_status smc_file_read(const char *path, const char *kind, size_t most_bytes,
                              struct smc_text *text, struct smc_error *error);
enum smc_status smc_file_read_stream(FILE *stream, const char *called, const char *kind,
                                     size_t most_bytes, struct smc_text *text,
                                     struct smc_error *error);

/* Whether it is a file with bytes of its own: no folder, pipe or device. */
bool smc_file_is_regular(const char *path);

/* Whether both are names of one regular file that exists. `other` may be NULL. */
bool smc_file_is_same(const char *path, const char *other);

/* Writes the whole text. Without `over` an existing file is left unchanged: SMC_SHORTFALL.
   SMC_USAGE: it cannot be opened. SMC_MACHINE: writing failed, and the file was removed. The
   message names the path. */
enum smc_status smc_file_write(const char *path, bool over, const struct smc_text *text,
                               struct smc_error *error);

/* Writes the file or replaces it atomically: a reader sees either the old text or the new one, and
   a failure leaves the old one. Only this user can access the file. The message names the path. */
enum smc_status smc_file_replace(const char *path, const struct smc_text *text,
                                 struct smc_error *error);

/* The same for a file that others are to read: with the access that a new file has. */
enum smc_status smc_file_publish(const char *path, const struct smc_text *text,
                                 struct smc_error *error);

#endif
