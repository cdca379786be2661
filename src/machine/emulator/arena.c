/* An arena: memory that is allocated piece by piece and freed all at once. */
#include "machine/emulator/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct smc_arena_chunk {
    struct smc_arena_chunk *next;
    alignas(max_align_t) unsigned char bytes[];
};

enum { CHUNK_BYTES = 1 << 16 };

static bool add_chunk(struct smc_arena *arena, size_t bytes)
{
    size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    struct smc_arena_chunk *chunk = NULL;
    if (capacity <= SIZE_MAX - sizeof *chunk)
        chunk = smc_calloc(1, sizeof *chunk + capacity);
    if (!chunk) {
        arena->failed = true;
        return false;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->capacity = capacity;
    arena->used = 0;
    return true;
}

void *smc_arena_take(struct smc_arena *arena, size_t bytes)
{
    const size_t unit = alignof(max_align_t);
    if (arena->failed || bytes > SIZE_MAX - unit) {
        arena->failed = true;
        return NULL;
    }
    bytes = (bytes + unit - 1) / unit * unit;
    if ((!arena->chunks || bytes > arena->capacity - arena->used) && !add_chunk(arena, bytes))
        return NULL;
    void *taken = arena->chunks->bytes + arena->used;
    arena->used += bytes;
    return taken;
}

void smc_arena_free(struct smc_arena *arena)
{
    while (arena->chunks) {
        struct smc_arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    *arena = (struct smc_arena){0};
}

void *smc_arena_grow(struct smc_arena *arena, void *array, size_t count, size_t *capacity,
                     size_t element_bytes)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16, bytes;
    if (wanted < *capacity || __builtin_mul_overflow(wanted, element_bytes, &bytes)) {
        arena->failed = true;
        return NULL;
    }
    void *larger = smc_arena_take(arena, bytes);
    if (larger && count)
        memcpy(larger, array, count * element_bytes);
    if (larger)
        *capacity = wanted;
    return larger;
}
