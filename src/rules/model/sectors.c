/* Global memory: the 32-byte sectors that one access of a warp touches. */
#include "rules/banks.h"

#include <stdbool.h>

/* Searches from the last one backwards, since neighbouring lanes usually share a sector. */
static bool sectors_is_known(const uint64_t *sectors, uint32_t count, uint64_t sector)
{
    for (uint32_t i = count; i > 0; i--)
        if (sectors[i - 1] == sector)
            return true;
    return false;
}

uint32_t smc_sectors_count(const uint64_t address[32], uint32_t mask)
{
    uint64_t sectors[32];
    uint32_t count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t sector = address[__builtin_ctz(mask)] / SMC_SECTOR_BYTES;
        if (!sectors_is_known(sectors, count, sector))
            sectors[count++] = sector;
    }
    return count;
}

/* Each bit of the bank's number is the exclusive or of these bits of the line's. */
uint32_t smc_tag_bank(uint64_t line)
{
    static const uint64_t low = 0x377ab5, high = 0x12d5da;
    return 2 * (uint32_t)__builtin_parityll(line & high) + (uint32_t)__builtin_parityll(line & low);
}

static uint32_t lanes_in_line(const uint64_t address[32], uint32_t mask, uint64_t line)
{
    uint32_t lanes = 0;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        lanes |= (uint32_t)(address[lane] / SMC_LINE_BYTES == line) << lane;
    }
    return lanes;
}

uint32_t smc_sectors_count_copied(const uint64_t from[32], const uint64_t to[32], uint32_t mask)
{
    uint32_t count = 0;
    while (mask) {
        uint32_t lanes = lanes_in_line(from, mask, from[__builtin_ctz(mask)] / SMC_LINE_BYTES);
        count += smc_sectors_count(to, lanes);
        mask &= ~lanes;
    }
    return count;
}
