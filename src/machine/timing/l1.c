/* The L1 cache of one SM. */
#include "machine/timing/l1.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rules/banks.h"

enum { LINE_BYTES = 128, SECTORS = 4 };

bool smc_l1_open(struct smc_l1 *cache, uint64_t bytes)
{
    uint64_t lines = bytes / LINE_BYTES / SMC_L1_WAYS * SMC_L1_WAYS;
    *cache = (struct smc_l1){.sets = (uint32_t)(lines / SMC_L1_WAYS)};
    cache->line = smc_calloc(lines ? lines : 1, sizeof *cache->line);
    return cache->line != NULL;
}

void smc_l1_close(struct smc_l1 *cache)
{
    free(cache->line);
    cache->line = NULL;
}

/* Hashed, so that lines at a stride of a power of two use all sets. */
static struct smc_l1_line *set_of(const struct smc_l1 *cache, uint64_t number)
{
    uint64_t mixed = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    return &cache->line[mixed % cache->sets * SMC_L1_WAYS];
}

uint32_t smc_l1_look(struct smc_l1 *cache, uint64_t number, uint32_t sectors, double *when)
{
    *when = 0;
    if (cache->sets == 0)
        return sectors;
    struct smc_l1_line *set = set_of(cache, number);
    for (int i = 0; i < SMC_L1_WAYS; i++)
        if (set[i].number == number && set[i].sectors) {
            set[i].used = ++cache->now;
            for (int s = 0; s < SECTORS; s++)
                if (sectors >> s & 1 && set[i].sectors >> s & 1 && set[i].when[s] > *when)
                    *when = set[i].when[s];
            return sectors & ~(uint32_t)set[i].sectors;
        }
    return sectors;
}

uint32_t smc_l1_late(const struct smc_l1 *cache, uint64_t number, uint32_t sectors, double clock)
{
    uint32_t late = 0;
    const struct smc_l1_line *set = cache->sets ? set_of(cache, number) : NULL;
    for (int i = 0; set && i < SMC_L1_WAYS; i++)
        for (int s = 0; s < SECTORS && set[i].number == number; s++)
            if (sectors & set[i].sectors & 1u << s && set[i].when[s] > clock)
                late |= 1u << s;
    return late;
}

static struct smc_l1_line *oldest_of(struct smc_l1_line *set)
{
    struct smc_l1_line *oldest = set;
    for (int i = 1; i < SMC_L1_WAYS; i++)
        if (set[i].used < oldest->used)
            oldest = &set[i];
    return oldest;
}

void smc_l1_fill(struct smc_l1 *cache, uint64_t number, uint32_t sectors, double when)
{
    if (cache->sets == 0)
        return;
    struct smc_l1_line *set = set_of(cache, number), *line = NULL;
    for (int i = 0; i < SMC_L1_WAYS; i++) {
        if (set[i].number == number && set[i].sectors) {
            line = &set[i];
        }
    }
    if (!line) {
        line = oldest_of(set);
        *line = (struct smc_l1_line){.number = number};
        cache->filled++;
    }
    line->used = ++cache->now;
    line->sectors |= (uint8_t)sectors;
    for (int s = 0; s < SECTORS; s++)
        if (sectors >> s & 1)
            line->when[s] = when;
}

void smc_l1_pass(struct smc_l1 *cache, double lines)
{
    cache->passed = fmin(cache->passed + lines, (double)SMC_L1_WAYS * cache->sets);
    for (; cache->sets > 0 && cache->passed >= cache->sets; cache->passed -= cache->sets)
        for (uint32_t i = 0; i < cache->sets; i++)
            *oldest_of(&cache->line[(size_t)i * SMC_L1_WAYS]) =
                (struct smc_l1_line){.used = ++cache->now};
}

uint32_t smc_l1_tag_clocks(const uint64_t *number, uint32_t lines)
{
    uint32_t lookups[SMC_TAG_BANKS] = {0}, most = 0;
    for (uint32_t i = 0; i < lines; i++) {
        const uint32_t bank = smc_tag_bank(number[i]);
        if (++lookups[bank] > most)
            most = lookups[bank];
    }
    return most;
}

double smc_l1_copy_clocks(unsigned turns, uint32_t sectors)
{
    const double lines = sectors * (double)SMC_SECTOR_BYTES / SMC_LINE_BYTES;
    return fmax(lines + 1.3 + 0.3 * (turns - 1), turns + 1.5);
}
