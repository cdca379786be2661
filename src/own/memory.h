/* The global memory of a launch: filled before it, looked at after it. */
#ifndef SMC_OWN_MEMORY_H
#define SMC_OWN_MEMORY_H

#include "executor/own.h"
#include "own/argument.h"

/* What a buffer holds, in short. */
struct smc_own_digest {
    uint32_t crc32;         /* of ISO 3309, as zlib and gzip have it */
    uint64_t changed;       /* elements, by their bits */
    uint64_t first_changed; /* where there is one */
};

/* Fills as many bytes as the argument has. SMC_USAGE: the file cannot be read, or has another
   length; the message has no prefix. SMC_MACHINE: memory. */
enum smc_status smc_own_fill(const struct smc_own_argument *argument, const char *name,
                             uint64_t seed, void *data, struct smc_error *error);

void smc_own_digest(const struct smc_own_argument *argument, const void *before, const void *after,
                    struct smc_own_digest *digest);

/* The elements that differ, by their bits. */
void smc_own_compare(const struct smc_own_argument *argument, const void *a, const void *b,
                     struct smc_agreement *agreement);

#endif
