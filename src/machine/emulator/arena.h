/* An arena: memory that is allocated piece by piece and freed all at once. */
#ifndef SMC_MACHINE_ARENA_H
#define SMC_MACHINE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct smc_arena_chunk;

/* Initialize with {0}. */
struct smc_arena {
    struct smc_arena_chunk *chunks;
    size_t used, capacity; /* of the newest chunk */
    bool failed;           /* an allocation failed; stays set */
};

/* Returns zeroed memory that is aligned for every type, or NULL if out of memory. */
void *smc_arena_take(struct smc_arena *arena, size_t bytes);
void smc_arena_free(struct smc_arena *arena);

/* Makes space for one more element of a growing array in the arena; returns the array, or NULL. The
   old copy is kept until the arena is freed; the array doubles when it grows, which bounds the
   waste. */
void *smc_arena_grow(struct smc_arena *arena, void *array, size_t count, size_t *capacity,
                     size_t element_bytes);

#endif
