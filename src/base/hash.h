/* Hashes of texts. */
#ifndef SMC_BASE_HASH_H
#define SMC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SMC_HASH_START UINT64_C(0xcbf29ce484222325)

/* Continues `hash` with `text`: FNV-1a, 64 bits wide. Equal texts have equal hashes on every
   machine, however they are divided into calls. Not secure against deliberate collisions. */
static inline uint64_t smc_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
