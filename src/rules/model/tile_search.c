/* The smallest padding and the smallest swizzle with which no access to an array has a conflict.
   Both searches are exhaustive: every smaller one was tried. */
#include "rules/banks.h"

#include "base/numbers.h"

enum { WORD_BITS = 32 };

struct tile_search {
    const struct smc_bank_layout *layout;
    const struct smc_tile_walked *walked;
    size_t count;
    size_t access, instruction; /* whose conflict ended the last trial; checked first in the next */
    uint32_t together;          /* the most elements that a lane accesses */
    struct smc_tile_remedy *remedy;
};

static bool is_instruction_free(const struct tile_search *search, const struct smc_tile *tile,
                                size_t access, size_t instruction)
{
    struct smc_access one;
    smc_tile_access_of(tile, &search->walked[access], instruction, &one);
    return !smc_access_misaligned(&one) && smc_banks_are_free(search->layout, &one);
}

static bool is_tile_free(struct tile_search *search, const struct smc_tile *tile)
{
    search->remedy->tried++;
    if (!is_instruction_free(search, tile, search->access, search->instruction))
        return false;
    for (size_t a = 0; a < search->count; a++)
        for (size_t i = 0; i < search->walked[a].count; i++)
            if (!is_instruction_free(search, tile, a, i)) {
                search->access = a;
                search->instruction = i;
                return false;
            }
    return true;
}

/* Whether every element stays within the array. */
static bool stays_within(const struct smc_tile *tile)
{
    const uint32_t cosize = smc_cute_cosize(&tile->layout), size = smc_cute_size(&tile->layout);
    for (uint32_t index = 0; index < size; index++)
        if (smc_swizzle_apply(&tile->swizzle, smc_cute_offset(&tile->layout, index)) >= cosize)
            return false;
    return true;
}

static bool try_tile(struct tile_search *search, const struct smc_tile *tile)
{
    if (!is_tile_free(search, tile) || !stays_within(tile))
        return false;
    search->remedy->found = true;
    search->remedy->tile = *tile;
    return true;
}

/* False without accesses. */
static bool tile_search_begin(struct tile_search *search)
{
    bool any = false;
    *search->remedy = (struct smc_tile_remedy){0};
    for (size_t a = 0; a < search->count; a++) {
        const struct smc_tile_walked *walked = &search->walked[a];
        search->together =
            walked->elements > search->together ? walked->elements : search->together;
        search->access = any ? search->access : a;
        any |= walked->count > 0;
    }
    return any;
}

/* --- Padding ---------------------------------------------------------------------------------- */

/* Whether the array consists of rows of `pitch` elements: what strides below it reach lies within
   one row, and the other strides are multiples of it. */
static bool is_pitch(const struct smc_cute_layout *layout, uint32_t pitch)
{
    uint32_t last = 0;
    if (pitch <= 1)
        return false;
    for (uint32_t i = 0; i < layout->first[layout->rank]; i++) {
        const uint32_t stride = layout->leaf[i].stride;
        if (layout->leaf[i].extent == 1)
            continue;
        if (stride < pitch)
            last += (layout->leaf[i].extent - 1) * stride;
        else if (stride % pitch)
            return false;
    }
    return last < pitch;
}

static uint64_t unused_elements(const struct smc_tile *tile)
{
    return divide_up(smc_cute_cosize(&tile->layout), tile->pitch) * tile->padding;
}

/* Tries paddings up to the width of all banks: longer ones repeat the conflicts of shorter ones. */
static void try_paddings(struct tile_search *search, struct smc_tile *tile, uint64_t *fewest)
{
    const uint32_t most = search->layout->row_words * WORD_BITS / tile->element_bits;
    for (tile->padding = 1; tile->padding < most; tile->padding++) {
        if (unused_elements(tile) >= *fewest)
            return;
        if (tile->padding * tile->element_bits % 8 || !try_tile(search, tile))
            continue;
        *fewest = unused_elements(tile);
        return;
    }
}

void smc_tile_find_padding(const struct smc_bank_layout *layout, const struct smc_tile *tile,
                           const struct smc_tile_walked *walked, size_t count,
                           struct smc_tile_remedy *remedy)
{
    struct tile_search search = {layout, walked, count, .remedy = remedy};
    struct smc_tile tried = *tile;
    uint64_t fewest = UINT64_MAX;
    if (!tile_search_begin(&search) || tile->is_tma)
        return;
    tried.swizzle = (struct smc_swizzle){0};
    tried.pitch = tried.padding = 0;
    if (try_tile(&search, &tried))
        return;
    for (uint32_t i = 0; i < tile->layout.first[tile->layout.rank]; i++) {
        tried.pitch = tile->layout.leaf[i].stride;
        bool known = false;
        for (uint32_t j = 0; j < i; j++)
            known |= tile->layout.leaf[j].stride == tried.pitch;
        if (!known && is_pitch(&tile->layout, tried.pitch) && tried.pitch % search.together == 0)
            try_paddings(&search, &tried, &fewest);
    }
}

/* --- Swizzles --------------------------------------------------------------------------------- */

static uint32_t log_up(uint32_t value)
{
    uint32_t bits = 0;
    while ((uint32_t)1 << bits < value)
        bits++;
    return bits;
}

/* TMA permutes chunks of 16 bytes within 32, 64 or 128 bytes; a row may not be longer. */
static bool find_tma_swizzle(struct tile_search *search, struct smc_tile *tile)
{
    uint32_t row = 1;
    for (uint32_t i = 0; i < tile->layout.first[tile->layout.rank]; i++)
        if (tile->layout.leaf[i].stride == 1)
            row = row * tile->layout.leaf[i].extent;
    for (uint32_t bits = 1; bits < SMC_TMA_MODES; bits++) {
        tile->swizzle = smc_tma_swizzle(bits, tile->element_bits);
        if ((uint64_t)row * tile->element_bits <= UINT64_C(8) * SMC_TMA_CHUNK_BYTES << bits &&
            try_tile(search, tile))
            return true;
    }
    return false;
}

static bool find_any_tile_swizzle(struct tile_search *search, struct smc_tile *tile)
{
    const int32_t width = (int32_t)log_up(smc_cute_cosize(&tile->layout));
    for (int32_t bits = 1; 2 * bits <= width; bits++)
        for (int32_t base = __builtin_ctz(search->together); base + 2 * bits <= width; base++)
            for (int32_t sign = 1; sign >= -1; sign -= 2)
                for (int32_t shift = bits; base + bits + shift <= width; shift++) {
                    tile->swizzle =
                        (struct smc_swizzle){(uint32_t)bits, (uint32_t)base, sign * shift};
                    if (try_tile(search, tile))
                        return true;
                }
    return false;
}

void smc_tile_find_swizzle(const struct smc_bank_layout *layout, const struct smc_tile *tile,
                           const struct smc_tile_walked *walked, size_t count,
                           struct smc_tile_remedy *remedy)
{
    struct tile_search search = {layout, walked, count, .remedy = remedy};
    struct smc_tile tried = *tile;
    if (!tile_search_begin(&search))
        return;
    tried.swizzle = (struct smc_swizzle){0};
    tried.pitch = tried.padding = 0;
    if (try_tile(&search, &tried))
        return;
    if (tile->is_tma)
        find_tma_swizzle(&search, &tried);
    else
        find_any_tile_swizzle(&search, &tried);
}
