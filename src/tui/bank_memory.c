/* Where the words of one access lie in shared memory, row by row of all banks. */
#include "tui/bank_memory.h"

#include <string.h>

enum { WORD_BYTES = 4 };

/* The place of a row, which is put in where it is new. */
static size_t place_of(uint32_t row, struct smc_bank_memory *memory)
{
    size_t at = memory->count;
    while (at > 0 && memory->row[at - 1] >= row)
        at--;
    if (at < memory->count && memory->row[at] == row)
        return at;
    size_t behind = memory->count++ - at;
    memmove(&memory->row[at + 1], &memory->row[at], behind * sizeof memory->row[0]);
    memmove(&memory->lanes[at + 1], &memory->lanes[at], behind * sizeof memory->lanes[0]);
    memory->row[at] = row;
    memset(memory->lanes[at], 0, sizeof memory->lanes[at]);
    return at;
}

void smc_bank_memory_find(const struct smc_bank_layout *layout, const struct smc_access *access,
                          struct smc_bank_memory *memory)
{
    uint32_t bank_bytes = layout->neighbouring_words * WORD_BYTES;
    memory->count = 0;
    memory->row_bytes = layout->banks * bank_bytes;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        if (!(access->mask >> lane & 1))
            continue;
        for (uint32_t byte = 0; byte < access->width_bytes; byte += WORD_BYTES) {
            uint32_t address = access->address[lane] + byte;
            size_t at = place_of(address / memory->row_bytes, memory);
            memory->lanes[at][address / bank_bytes % layout->banks] |= 1u << lane;
        }
    }
}
