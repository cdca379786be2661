/* A folder of remembered answers, per user: bytes found again by the bytes that led to them. A file
   holds the whole key, so that no two questions share an answer, and a checksum: what is damaged,
   cut short or foreign counts as absent. Safe against concurrent runs. Nothing that goes wrong here
   is an error: it costs one line of warning. */
#ifndef SMC_COMPILE_CACHE_H
#define SMC_COMPILE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct smc_cache {
    char folder[1024];
    bool usable;
    struct smc_text *warnings; /* may be NULL */
};

/* $SMEMCALC_CACHE_DIR, else $XDG_CACHE_HOME/smemcalc, else ~/.cache/smemcalc; made on the first
   write. A disabled cache finds nothing and keeps nothing, silently. */
void smc_cache_open(struct smc_cache *cache, bool disabled, struct smc_text *warnings);

/* Appends the value to an empty buffer; false where there is none. */
bool smc_cache_read(struct smc_cache *cache, const struct smc_text *key, struct smc_text *value);

/* Keeps a value, and drops the oldest files when there are too many. */
void smc_cache_write(struct smc_cache *cache, const struct smc_text *key, const void *value,
                     size_t value_bytes);

/* Appends a line to `warnings` (which may be NULL) unless it is there already; made safe. */
void smc_warn(struct smc_text *warnings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
