/* Numbers that tell texts apart. */
#ifndef SMC_BASE_HASH_H
#define SMC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SMC_HASH_START UINT64_C(0xcbf29ce484222325)

/* Goes on from `hash` with `text`: FNV-1a, 64 bits wide. Equal texts, in whatever pieces, have
   equal numbers on every machine; it is no protection from somebody who wants two of them to be
   equal. */
static inline uint64_t smc_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
