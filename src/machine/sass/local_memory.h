/* The local memory of the warps of a block, as far as they have stored to it: the words of a warp's
   lanes at one address are neighbors, as they are on the device. */
#ifndef SMC_MACHINE_LOCAL_MEMORY_H
#define SMC_MACHINE_LOCAL_MEMORY_H

#include "machine/sass/sass_warp.h"

enum { SMC_LOCAL_WORD = 4, SMC_LOCAL_ROWS = 16 /* of a page */ };

/* A word of each lane. */
struct smc_local_row {
    uint32_t value[SMC_LANES];
    uint32_t known[SMC_LOCAL_WORD]; /* bit n of number i: byte i of lane n */
    uint8_t lines;                  /* bit n: lanes 4 n to 4 n + 3 have stored: 16 bytes */
};

struct smc_local_page {
    uint64_t key;
    struct smc_local_row row[SMC_LOCAL_ROWS];
};

/* Start from {0}. Owns `page` and `place`. */
struct smc_local_memory {
    struct smc_local_page *page;
    size_t pages, capacity;
    size_t lines;    /* of 16 bytes that were stored to since the start */
    uint32_t *place; /* of a page, from 1, by its key; 0: free */
    size_t places;   /* a power of two, or 0 */
    size_t last;     /* page that was accessed */
};

/* A warp or a block begins: nothing is stored. */
void smc_local_memory_start(struct smc_local_memory *memory);
void smc_local_memory_free(struct smc_local_memory *memory);

/* An access of the lanes of `mask` of a warp to `bytes` (1 to 4) each, at these addresses plus
   `word` words. Lanes whose bytes would cross a word do not access anything. */
struct smc_local_access {
    uint32_t warp, mask;
    const uint64_t *address;
    unsigned word, bytes;
};

/* Returns the lanes of which not all bytes are known. Lanes that do not load get the value 0. */
uint32_t smc_local_memory_load(struct smc_local_memory *memory,
                               const struct smc_local_access *access, uint32_t value[SMC_LANES]);

/* `unknown`: lanes whose value is not known. False: out of memory, or too many pages. */
bool smc_local_memory_store(struct smc_local_memory *memory, const struct smc_local_access *access,
                            const uint32_t value[SMC_LANES], uint32_t unknown);

#endif
