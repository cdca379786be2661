/* Patterns of accesses. */
#include "machine/sass/patterns.h"

#include <string.h>

#include "rules/banks.h"

static bool is_store(const struct smc_sass_instruction *in)
{
    return in->operation == SMC_OP_STS || in->operation == SMC_OP_STG ||
           in->operation == SMC_OP_STSM;
}

/* Loads of 8 and 16 bytes from L1 serve their sets of lanes one after the other, as stores do; only
   those from shared memory join them. Naive products of doubles take 2.87, 2.07 and 2.29 wavefronts
   for each load; this says 2.80, 1.99 and 2.23 (l1tex__data_pipe_lsu_wavefronts, H200, CUDA 13.0,
   driver 580.159.04, 2026-11-29). */
static enum smc_bank_op bank_op_of(const struct smc_sass_instruction *in)
{
    if (in->matrices)
        return smc_bank_matrix_op(!is_store(in), in->matrices);
    if (in->operation == SMC_OP_ATOMS_CAS)
        return SMC_BANK_ATOM_CAS;
    if (in->operation == SMC_OP_ATOMS)
        return in->exchanges    ? SMC_BANK_ATOM_EXCH
               : in->increments ? SMC_BANK_RED_ONE
                                : SMC_BANK_ATOM;
    return is_store(in) || in->operation == SMC_OP_LDG ? SMC_BANK_STORE : SMC_BANK_LOAD;
}

static uint64_t mix(uint64_t key, uint64_t value)
{
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ key >> 29;
}

static uint64_t patterns_key_of(const struct smc_sass_instruction *in, uint32_t mask,
                                const uint64_t address[32])
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint64_t start = mix(mask | (uint64_t)in->access_bytes << 32 | (uint64_t)bank_op_of(in) << 40,
                         address[first] % SMC_LINE_BYTES);
    uint64_t part[4] = {start, start + 1, start + 2, start + 3}; /* independent of each other */
    for (unsigned lane = 0; lane < 32; lane += 4)
        for (unsigned i = 0; i < 4; i++)
            part[i] = mix(part[i], mask >> (lane + i) & 1 ? address[lane + i] - address[first] : 0);
    uint64_t key = mix(mix(part[0], part[1]), mix(part[2], part[3]));
    return key ? key : 1;
}

/* Lanes that are served together: so many as have 128 bytes, or 32 of less than 4 bytes each. */
static uint8_t set_of_lane(const struct smc_sass_instruction *in, int lane)
{
    return (uint8_t)(in->access_bytes > 4 ? lane * in->access_bytes / SMC_LINE_BYTES : 0);
}

/* The words that each set of lanes reads, added up: l1tex__data_bank_reads. */
static unsigned words_of_sets(const struct smc_sass_instruction *in, uint32_t mask,
                              const uint64_t address[32])
{
    enum { WORD = 4, MOST = 32 };
    uint64_t word[MOST];
    unsigned all = 0, count = 0;
    uint8_t set = 0;
    for (int lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        count = set_of_lane(in, lane) == set ? count : 0;
        set = set_of_lane(in, lane);
        for (unsigned byte = 0; byte < in->access_bytes; byte += WORD) {
            const uint64_t number = (address[lane] + byte) / WORD;
            unsigned i = count;
            while (i > 0 && word[i - 1] != number)
                i--;
            if (i > 0 || count == MOST)
                continue;
            word[count++] = number;
            all++;
        }
    }
    return all;
}

static void patterns_add_line(struct smc_pattern *pattern, int64_t number, uint8_t sectors,
                              uint8_t set)
{
    unsigned i = pattern->lines;
    while (i > 0 && pattern->line[i - 1].number != number)
        i--;
    if (i == 0 && pattern->lines < 32) {
        i = ++pattern->lines;
        pattern->line[i - 1] = (struct smc_pattern_line){.number = number};
    }
    if (i == 0)
        return;
    pattern->line[i - 1].sectors |= sectors;
    pattern->line[i - 1].sets |= set;
}

static void patterns_find_lines(const struct smc_sass_instruction *in, uint32_t mask,
                                const uint64_t address[32], struct smc_pattern *pattern)
{
    uint64_t base = address[__builtin_ctz(mask)] / SMC_LINE_BYTES;
    for (int lane = 0; lane < 32; lane++) {
        if (!(mask >> lane & 1))
            continue;
        unsigned first = (unsigned)(address[lane] % SMC_LINE_BYTES) / SMC_SECTOR_BYTES;
        unsigned last =
            (unsigned)(address[lane] % SMC_LINE_BYTES + in->access_bytes - 1) / SMC_SECTOR_BYTES;
        uint8_t sectors = 0;
        for (unsigned sector = first; sector <= last && sector < 4; sector++)
            sectors |= (uint8_t)(1u << sector);
        patterns_add_line(pattern, (int64_t)(address[lane] / SMC_LINE_BYTES - base), sectors,
                          (uint8_t)(1u << set_of_lane(in, lane)));
    }
    for (unsigned i = 0; i < pattern->lines; i++)
        pattern->sectors += (uint8_t)__builtin_popcount(pattern->line[i].sectors);
}

const struct smc_pattern *smc_patterns_find(struct smc_patterns *patterns,
                                            const struct smc_bank_layout *layout,
                                            const struct smc_sass_instruction *in, uint32_t mask,
                                            const uint64_t address[32])
{
    uint64_t key = patterns_key_of(in, mask, address);
    struct smc_pattern *pattern = &patterns->pattern[key % SMC_PATTERNS];
    if (pattern->key == key)
        return pattern;
    *pattern = (struct smc_pattern){.key = key, .wavefronts = 1};
    struct smc_access access = {
        .mask = mask, .width_bytes = in->access_bytes, .op = bank_op_of(in)};
    for (int lane = 0; lane < 32; lane++)
        access.address[lane] = (uint32_t)address[lane];
    if (!smc_access_misaligned(&access))
        pattern->wavefronts = (uint8_t)smc_banks_count(layout, &access).wavefronts;
    patterns_find_lines(in, mask, address, pattern);
    const unsigned banks = words_of_sets(in, mask, address) / pattern->wavefronts;
    pattern->idle_banks = (uint8_t)(banks < SMC_MAX_BANKS ? SMC_MAX_BANKS - banks : 0);
    return pattern;
}

/* The sectors of an access that are known so far: in the order in which they came, and found by
   number where that is not the order of the lanes. */
enum { SECTOR = 32, SECTOR_PLACES = 256, MOST_SECTORS = 2 * 32 };
struct sectors {
    uint64_t sector[MOST_SECTORS + 1]; /* from 1 */
    unsigned count;
    bool are_placed;
    uint8_t place[SECTOR_PLACES]; /* number of the sector there; 0: free */
};

/* Adds one unless it is there. */
static void place_sector(struct sectors *sectors, uint64_t number)
{
    unsigned i = (unsigned)(number * 0x9e3779b1u >> 8) % SECTOR_PLACES;
    while (sectors->place[i] && sectors->sector[sectors->place[i]] != number)
        i = (i + 1) % SECTOR_PLACES;
    if (sectors->place[i])
        return;
    sectors->sector[++sectors->count] = number;
    sectors->place[i] = (uint8_t)sectors->count;
}

static void place_sectors(struct sectors *sectors)
{
    const unsigned count = sectors->count;
    memset(sectors->place, 0, sizeof sectors->place);
    sectors->count = 0;
    sectors->are_placed = true;
    for (unsigned i = 1; i <= count; i++)
        place_sector(sectors, sectors->sector[i]);
}

static bool are_in_one_sector(uint32_t mask, const uint64_t address[32], unsigned bytes)
{
    const uint64_t sector = address[__builtin_ctz(mask)] / SECTOR;
    uint64_t others = 0;
    for (; mask; mask &= mask - 1) {
        const uint64_t at = address[__builtin_ctz(mask)];
        others |= (at / SECTOR ^ sector) | ((at + bytes - 1) / SECTOR ^ sector);
        if (others)
            return false;
    }
    return true;
}

unsigned smc_count_sectors(uint32_t mask, const uint64_t address[32], unsigned bytes)
{
    struct sectors sectors;
    sectors.count = 0;
    sectors.are_placed = false;
    if (mask && are_in_one_sector(mask, address, bytes))
        return 1;
    for (uint64_t last = UINT64_MAX; mask; mask &= mask - 1) {
        const uint64_t at = address[__builtin_ctz(mask)], end = (at + bytes - 1) / SECTOR;
        for (uint64_t s = at / SECTOR; s <= end && sectors.count < MOST_SECTORS; s++) {
            if (s == last)
                continue;
            if (!sectors.are_placed && (sectors.count == 0 || s > last)) {
                sectors.sector[++sectors.count] = s;
            } else {
                if (!sectors.are_placed)
                    place_sectors(&sectors);
                place_sector(&sectors, s);
            }
            last = s;
        }
    }
    return sectors.count;
}

unsigned smc_count_atomics(uint32_t mask, const uint64_t address[32])
{
    unsigned sum = 0;
    for (uint32_t rest = mask; rest;) {
        uint64_t sector = address[__builtin_ctz(rest)] / SECTOR;
        uint32_t there = 0;
        unsigned most = 0;
        for (uint32_t lanes = rest; lanes; lanes &= lanes - 1)
            if (address[__builtin_ctz(lanes)] / SECTOR == sector)
                there |= lanes & -lanes;
        rest &= ~there;
        while (there) {
            uint64_t one = address[__builtin_ctz(there)];
            unsigned count = 0;
            for (uint32_t lanes = there; lanes; lanes &= lanes - 1)
                if (address[__builtin_ctz(lanes)] == one) {
                    there &= ~(lanes & -lanes);
                    count++;
                }
            most = count > most ? count : most;
        }
        sum += most;
    }
    return sum;
}

/* The lines of a request, in the order of its lanes, are looked up four at a time: one after the
   other where they go to the same line of shared memory or to lines a multiple of four apart.
   Copies of rows of 16 to 512 bytes, dense, padded, swizzled and apart in shared memory, from the
   beginning and the middle of lines, take 1 to 32 turns, as computed here for 22 of 23 patterns,
   and no turn of L1's data stage (l1tex__t_output_wavefronts; H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
unsigned smc_copy_turns(uint32_t mask, const uint64_t from[32], const uint64_t to[32])
{
    enum { AT_A_TIME = 4 };
    uint64_t line = UINT64_MAX;
    unsigned turns = 0, most = 0, lines = 0, times[AT_A_TIME] = {0}, seen = 0;
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const unsigned bank = (unsigned)(to[lane] / SMC_LINE_BYTES % AT_A_TIME);
        if (from[lane] / SMC_LINE_BYTES != line) {
            line = from[lane] / SMC_LINE_BYTES;
            seen = 0;
            if (lines++ % AT_A_TIME == 0) {
                turns += most;
                most = 0;
                memset(times, 0, sizeof times);
            }
        }
        times[bank] += !(seen >> bank & 1);
        seen |= 1u << bank;
        most = times[bank] > most ? times[bank] : most;
    }
    return turns + most;
}

unsigned smc_copy_sectors_again(uint32_t mask, const uint64_t from[32], const uint64_t to[32])
{
    uint64_t sector = UINT64_MAX, target = UINT64_MAX;
    unsigned again = 0;
    for (; mask; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        again += from[lane] / SECTOR == sector && to[lane] / SECTOR != target;
        sector = from[lane] / SECTOR;
        target = to[lane] / SECTOR;
    }
    return again;
}
