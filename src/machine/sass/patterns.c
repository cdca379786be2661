/* Patterns of accesses. */
#include "machine/sass/patterns.h"

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

static void patterns_add_line(struct smc_pattern *pattern, int64_t number, uint8_t sectors)
{
    unsigned i = pattern->lines;
    while (i > 0 && pattern->line[i - 1].number != number)
        i--;
    if (i == 0 && pattern->lines < 32) {
        i = ++pattern->lines;
        pattern->line[i - 1] = (struct smc_pattern_line){.number = number};
    }
    if (i > 0)
        pattern->line[i - 1].sectors |= sectors;
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
        patterns_add_line(pattern, (int64_t)(address[lane] / SMC_LINE_BYTES - base), sectors);
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
    return pattern;
}

unsigned smc_count_sectors(uint32_t mask, const uint64_t address[32], unsigned bytes)
{
    enum { SECTOR = 32, PLACES = 256, MOST = 2 * 32 };
    uint8_t place[PLACES] = {0}; /* number of the sector there, from 1; 0: free */
    uint64_t sector[MOST + 1], last = UINT64_MAX;
    unsigned count = 0;
    for (; mask; mask &= mask - 1) {
        uint64_t at = address[__builtin_ctz(mask)];
        for (uint64_t s = at / SECTOR; s <= (at + bytes - 1) / SECTOR && count < MOST; s++) {
            if (s == last)
                continue;
            last = s;
            unsigned i = (unsigned)(s * 0x9e3779b1u >> 8) % PLACES;
            while (place[i] && sector[place[i]] != s)
                i = (i + 1) % PLACES;
            if (place[i])
                continue;
            sector[++count] = s;
            place[i] = (uint8_t)count;
        }
    }
    return count;
}

unsigned smc_count_atomics(uint32_t mask, const uint64_t address[32])
{
    enum { SECTOR = 32 };
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
