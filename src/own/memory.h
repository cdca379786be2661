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

/* The same of what a GPU and the emulator left of buffer `index`; and how many of those that differ
   are floats that differ by no more than the order of atomic additions may make of them. A sum is
   held to its own bound (smc_float_sum_bound), once more for each addition to the largest bound of
   a sum in shared memory, which it may have been made of; so is what was only stored. */
void smc_own_compare_sums(const struct smc_own_argument *argument, const void *gpu,
                          const void *emulated, const struct smc_own_emulated *seen, size_t index,
                          struct smc_agreement *agreement);

#endif
