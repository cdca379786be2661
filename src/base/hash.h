/* Hashes of texts and other bytes. */
#ifndef SMC_BASE_HASH_H
#define SMC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SMC_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash` with these bytes: FNV-1a, 64 bits wide. Equal bytes have equal hashes on every
   machine, however they are divided into calls, and one changed byte always changes the hash. Not
   secure against deliberate collisions. */
static inline uint64_t smc_hash(uint64_t hash, const void *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Returns the slot of a hash table of 2^bits slots (bits: 1 to 32) at which the search for a number
   begins. Neighbouring numbers get distant slots. */
static inline uint32_t smc_hash_slot(uint64_t number, unsigned bits)
{
    return (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

/* An item of an array whose equals shall follow each other; for qsort, by hash, then index. */
struct smc_hashed {
    uint64_t hash;
    size_t index;
};

static inline int smc_compare_hashed(const void *a, const void *b)
{
    const struct smc_hashed *x = (const struct smc_hashed *)a, *y = (const struct smc_hashed *)b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

#endif
