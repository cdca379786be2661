/* What loads of one warp return: the contents of global memory before the launch, and what the warp
   itself stored since. What other warps store is not known here. */
#ifndef SMC_MACHINE_WARP_MEMORY_H
#define SMC_MACHINE_WARP_MEMORY_H

#include "machine/sass/sass_warp.h"

/* Global memory before the launch. */
struct smc_contents {
    /* Copies bytes at an address. False: they are not known. `array` receives the number of the
       array that has the address, or SMC_NO_ARRAY. */
    bool (*read)(void *context, uint64_t address, size_t bytes, void *to, unsigned *array);
    void *context;
};

enum { SMC_NO_ARRAY = 64, SMC_STORED_WORDS = 8192 };

/* A word that the warp stored, in global memory or in a lane's local memory. */
struct smc_stored_word {
    uint64_t key;
    uint32_t value;
    uint32_t warp; /* the entry is free for others than this one */
    bool known;
};

struct smc_warp_memory {
    const struct smc_contents *contents;
    uint64_t decides; /* bit n: loads from array n decide which instructions are executed */
    uint64_t changed; /* bit n: array n is stored to */
    bool values;      /* what is stored to global memory is evaluated */
    uint32_t warp, count;
    struct smc_stored_word word[SMC_STORED_WORDS];
};

/* A warp begins: nothing is stored. */
void smc_warp_memory_start(struct smc_warp_memory *memory);

/* Executes a load, a store or an atomic of global or local memory for the lanes of `mask`. False:
   the instruction is none of these. `decides`: its result decides which instructions follow. */
bool smc_warp_memory_execute(struct smc_warp_memory *memory, struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask, bool decides);

/* The addresses of an atomic of global memory; false: one of a lane of `mask` is unknown. */
bool smc_warp_atomic_addresses(const struct smc_sass_warp *warp,
                               const struct smc_sass_instruction *in, uint32_t mask,
                               uint64_t address[SMC_LANES]);

#endif
