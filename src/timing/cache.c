/* The L1 cache of one SM. */
#include "timing/cache.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LINE_BYTES = 128 };

bool smc_cache_open(struct smc_cache *cache, uint64_t bytes)
{
    uint64_t lines = bytes / LINE_BYTES / SMC_CACHE_WAYS * SMC_CACHE_WAYS;
    *cache = (struct smc_cache){.sets = (uint32_t)(lines / SMC_CACHE_WAYS)};
    cache->line = smc_calloc(lines ? lines : 1, sizeof *cache->line);
    return cache->line != NULL;
}

void smc_cache_close(struct smc_cache *cache)
{
    free(cache->line);
    cache->line = NULL;
}

/* Lines at powers of two must not all be in one set. */
static struct smc_cache_line *set_of(const struct smc_cache *cache, uint64_t number)
{
    uint64_t mixed = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    return &cache->line[mixed % cache->sets * SMC_CACHE_WAYS];
}

uint32_t smc_cache_look(struct smc_cache *cache, uint64_t number, uint32_t sectors, double *when)
{
    *when = 0;
    if (cache->sets == 0)
        return sectors;
    struct smc_cache_line *set = set_of(cache, number);
    for (int i = 0; i < SMC_CACHE_WAYS; i++)
        if (set[i].number == number && set[i].sectors) {
            set[i].used = ++cache->now;
            *when = set[i].when;
            return sectors & ~(uint32_t)set[i].sectors;
        }
    return sectors;
}

void smc_cache_fill(struct smc_cache *cache, uint64_t number, uint32_t sectors, double when)
{
    if (cache->sets == 0)
        return;
    struct smc_cache_line *set = set_of(cache, number), *oldest = set;
    for (int i = 0; i < SMC_CACHE_WAYS; i++) {
        if (set[i].number == number && set[i].sectors) {
            set[i].sectors |= (uint8_t)sectors;
            set[i].when = when > set[i].when ? when : set[i].when;
            set[i].used = ++cache->now;
            return;
        }
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct smc_cache_line){number, ++cache->now, when, (uint8_t)sectors};
}
