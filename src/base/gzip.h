/* Decompresses what gzip has compressed, from a source that is read once. */
#ifndef SMC_BASE_GZIP_H
#define SMC_BASE_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/csv_reader.h"
#include "base/status.h"

enum { SMC_GZIP_CHUNK = 1 << 16 };

/* How such a file begins. */
#define SMC_GZIP_MAGIC "\x1f\x8b"

struct smc_gzip;

/* Whether these are the first bytes of such a file. */
bool smc_gzip_begins(const char *bytes, size_t count);

/* `name`, of messages, and the source's context must outlive it. `bytes` were read from the source
   before, at most SMC_GZIP_CHUNK. SMC_UNAVAILABLE: this build lacks zlib; SMC_MACHINE: memory. */
enum smc_status smc_gzip_open(struct smc_gzip **gzip, const char *name,
                              const struct smc_csv_source *source, const char *bytes, size_t count,
                              struct smc_error *error);

/* May be NULL. */
void smc_gzip_close(struct smc_gzip *gzip);

/* The next bytes; `*count` is less than `capacity` only at the end. SMC_USAGE: the file is damaged
   or ends early. */
enum smc_status smc_gzip_read(struct smc_gzip *gzip, char *bytes, size_t capacity, size_t *count,
                              struct smc_error *error);

#endif
