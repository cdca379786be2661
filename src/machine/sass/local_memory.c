/* Pages of local memory, found by their numbers. */
#include "machine/sass/local_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { WORD = SMC_LOCAL_WORD, ROWS = SMC_LOCAL_ROWS, LEAST_PLACES = 64, MOST_PAGES = 1 << 14 };

void smc_local_memory_start(struct smc_local_memory *memory)
{
    if (memory->pages)
        memset(memory->place, 0, memory->places * sizeof *memory->place);
    memory->pages = memory->lines = 0;
}

void smc_local_memory_free(struct smc_local_memory *memory)
{
    free(memory->page);
    free(memory->place);
}

/* Where a page is, or the free place for it. */
static uint32_t *place_of(const struct smc_local_memory *memory, uint64_t key)
{
    size_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 40 & (memory->places - 1);
    while (memory->place[at] && memory->page[memory->place[at] - 1].key != key)
        at = (at + 1) & (memory->places - 1);
    return &memory->place[at];
}

/* Makes space for one more page. False: there is none. */
static bool make_place(struct smc_local_memory *memory)
{
    if (memory->pages == MOST_PAGES ||
        !smc_make_room(&memory->page, memory->pages, &memory->capacity, sizeof *memory->page))
        return false;
    if (memory->pages < memory->places / 2)
        return true;
    const size_t places = memory->places ? memory->places * 2 : LEAST_PLACES;
    uint32_t *place = smc_calloc(places, sizeof *place);
    if (!place)
        return false;
    free(memory->place);
    memory->place = place;
    memory->places = places;
    for (size_t i = 0; i < memory->pages; i++)
        *place_of(memory, memory->page[i].key) = (uint32_t)i + 1;
    return true;
}

/* NULL: nothing is stored there, or `adds` and there is no space. */
static struct smc_local_row *row_of(struct smc_local_memory *memory, uint32_t warp, uint64_t word,
                                    bool adds)
{
    enum { WARP_SHIFT = 48 };
    const uint64_t key = word / ROWS | (uint64_t)warp << WARP_SHIFT;
    if (memory->last < memory->pages && memory->page[memory->last].key == key)
        return &memory->page[memory->last].row[word % ROWS];
    uint32_t *place = memory->places ? place_of(memory, key) : NULL;
    if (!place || !*place) {
        if (!adds || !make_place(memory))
            return NULL;
        struct smc_local_page *page = &memory->page[memory->pages++];
        page->key = key;
        for (int i = 0; i < ROWS; i++) {
            memset(page->row[i].known, 0, sizeof page->row[i].known);
            page->row[i].lines = 0;
        }
        place = place_of(memory, key);
        *place = (uint32_t)memory->pages;
    }
    memory->last = *place - 1;
    return &memory->page[memory->last].row[word % ROWS];
}

/* Whether all lanes of `mask` access the word that the first one does. */
static bool are_together(const struct smc_local_access *access)
{
    const uint64_t *address = access->address, first = address[__builtin_ctz(access->mask)];
    const bool whole = access->mask == UINT32_MAX;
    uint64_t differ = 0;
    for (unsigned lane = 0; lane < SMC_LANES && whole; lane++)
        differ |= address[lane] ^ first;
    for (uint32_t lanes = whole ? 0 : access->mask; lanes; lanes &= lanes - 1)
        differ |= address[__builtin_ctz(lanes)] ^ first;
    return differ == 0;
}

/* The lanes of `rest` that are accessed next: all, or the first one. */
static uint32_t next_lanes(uint32_t rest, bool all)
{
    return all ? rest : rest & -rest;
}

static uint32_t low_bits(unsigned bytes)
{
    return bytes < WORD ? (UINT32_C(1) << 8 * bytes) - 1 : UINT32_MAX;
}

uint32_t smc_local_memory_load(struct smc_local_memory *memory,
                               const struct smc_local_access *access, uint32_t value[SMC_LANES])
{
    const bool all = are_together(access);
    uint32_t unknown = access->mask;
    memset(value, 0, SMC_LANES * sizeof *value);
    for (uint32_t rest = access->mask, lanes; rest; rest &= ~lanes) {
        const unsigned first = (unsigned)__builtin_ctz(rest), bytes = access->bytes;
        const unsigned at = access->address[first] % WORD;
        const struct smc_local_row *row =
            row_of(memory, access->warp, access->address[first] / WORD + access->word, false);
        lanes = next_lanes(rest, all);
        if (!row || at + bytes > WORD)
            continue;
        uint32_t known = lanes;
        for (unsigned i = at; i < at + bytes; i++)
            known &= row->known[i];
        unknown &= ~known;
        for (uint32_t each = lanes; each; each &= each - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(each);
            value[lane] = row->value[lane] >> 8 * at & low_bits(bytes);
        }
    }
    return unknown;
}

/* The lines of four lanes each that lanes are in: bit n of the result is set if any of bits 4 n to
   4 n + 3 of `mask` is. */
static uint8_t quads_of(uint32_t mask)
{
    mask |= mask >> 1;
    mask = (mask | mask >> 2) & 0x11111111;
    mask = (mask | mask >> 3) & 0x03030303;
    mask = (mask | mask >> 6) & 0x000f000f;
    return (uint8_t)(mask | mask >> 12);
}

/* The lines of a row that lanes store to. */
static void note_lines(struct smc_local_memory *memory, struct smc_local_row *row, uint32_t lanes)
{
    const uint32_t lines = quads_of(lanes);
    for (uint32_t more = lines & ~(uint32_t)row->lines; more; more &= more - 1)
        memory->lines++;
    row->lines |= (uint8_t)lines;
}

/* All lanes store their values, `at` bytes into the word, of which `bits` change. */
static void store_row(struct smc_local_row *restrict row, const uint32_t *restrict value,
                      unsigned at, uint32_t bits)
{
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        row->value[lane] = (row->value[lane] & ~bits) | (value[lane] << 8 * at & bits);
}

bool smc_local_memory_store(struct smc_local_memory *memory, const struct smc_local_access *access,
                            const uint32_t value[SMC_LANES], uint32_t unknown)
{
    const bool all = are_together(access);
    for (uint32_t rest = access->mask, lanes; rest; rest &= ~lanes) {
        const unsigned first = (unsigned)__builtin_ctz(rest), bytes = access->bytes;
        const unsigned at = access->address[first] % WORD;
        struct smc_local_row *row =
            row_of(memory, access->warp, access->address[first] / WORD + access->word, true);
        lanes = next_lanes(rest, all);
        if (!row)
            return false;
        note_lines(memory, row, lanes);
        if (at + bytes > WORD)
            continue;
        for (unsigned i = at; i < at + bytes; i++)
            row->known[i] = (row->known[i] & ~lanes) | (lanes & ~unknown);
        const uint32_t bits = low_bits(bytes) << 8 * at;
        if (lanes == UINT32_MAX)
            store_row(row, value, at, bits);
        for (uint32_t each = lanes == UINT32_MAX ? 0 : lanes; each; each &= each - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(each);
            row->value[lane] = (row->value[lane] & ~bits) | (value[lane] << 8 * at & bits);
        }
    }
    return true;
}
