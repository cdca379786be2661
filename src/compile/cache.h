/* A per-user cache folder: values are stored and found by a key of bytes. Each file holds its whole
   key, so that hash collisions do no harm, and a checksum: a damaged, truncated or foreign file
   counts as absent. Safe for concurrent runs. A failure here is never an error, only one line of
   warning. */
#ifndef SMC_COMPILE_CACHE_H
#define SMC_COMPILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct smc_cache {
    char folder[1024];
    bool usable;
    struct smc_text *warnings; /* may be NULL */
};

/* $SMEMCALC_CACHE_DIR, else $XDG_CACHE_HOME/smemcalc, else ~/.cache/smemcalc; made on the first
   write. A disabled cache finds and stores nothing, without a warning. */
void smc_cache_open(struct smc_cache *cache, bool disabled, struct smc_text *warnings);

struct smc_cache_size {
    size_t entries;
    int64_t bytes, most_bytes;
};

/* What the folder holds; nothing where it cannot be read. */
void smc_cache_measure(const struct smc_cache *cache, struct smc_cache_size *size);

/* Appends the value to an empty buffer; false if there is none. */
bool smc_cache_read(struct smc_cache *cache, const struct smc_text *key, struct smc_text *value);

/* Stores a value, and removes the oldest files if there are too many. */
void smc_cache_write(struct smc_cache *cache, const struct smc_text *key, const void *value,
                     size_t value_bytes);

/* Appends a line to `warnings` (which may be NULL) unless it is there already; made safe. */
void smc_warn(struct smc_text *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
