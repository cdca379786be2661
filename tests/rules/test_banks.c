/* model: wavefronts of shared-memory accesses: each sentence of the rule, and a second
   implementation on random patterns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/banks.h"
#include "rules/devices.h"
#include "share.h"
#include "unit.h"

static uint64_t state = 1;

static uint32_t pick(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

static struct smc_bank_layout layout_of(uint16_t cc, enum smc_bank_mode mode)
{
    struct smc_capability capability;
    struct smc_bank_layout layout;
    CU_ASSERT_FATAL(smc_capability_find(cc, &capability));
    smc_bank_layout_of(&capability.sm, mode, &layout);
    return layout;
}

static struct smc_access access_of(enum smc_bank_op op, uint32_t width_bytes, uint32_t mask)
{
    return (struct smc_access){.mask = mask, .width_bytes = width_bytes, .op = op};
}

static uint32_t wavefronts(uint16_t cc, const struct smc_access *access)
{
    struct smc_bank_layout layout = layout_of(cc, SMC_BANK_MODE_4_BYTES);
    return smc_banks_count(&layout, access).wavefronts;
}

static uint32_t conflicts(uint16_t cc, const struct smc_access *access)
{
    struct smc_bank_layout layout = layout_of(cc, SMC_BANK_MODE_4_BYTES);
    struct smc_bank_cost cost = smc_banks_count(&layout, access);
    return cost.wavefronts - cost.least;
}

static void set_stride(struct smc_access *access, uint32_t bytes)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        access->address[lane] = lane * bytes;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    return b ? gcd(b, a % b) : a;
}

static void test_strides(void)
{
    size_t wrong = 0;
    for (uint32_t op = 0; op < 2; op++)
        for (uint32_t stride = 0; stride <= 64; stride++) {
            struct smc_access access = access_of((enum smc_bank_op)op, 4, SMC_ALL_LANES);
            set_stride(&access, stride * 4);
            uint32_t expected = stride == 0 ? 1 : gcd(stride, 32);
            if (wavefronts(90, &access) != expected || conflicts(90, &access) != expected - 1)
                wrong++;
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Up to 4 bytes all lanes are served together: lanes in the same word do not conflict. */
static void test_narrow(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 1, SMC_ALL_LANES);
    set_stride(&access, 1);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    set_stride(&access, 128);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 32);
    access = access_of(SMC_BANK_STORE, 2, SMC_ALL_LANES);
    set_stride(&access, 2);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    set_stride(&access, 66); /* words 0, 16, 33, 49, ... */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    set_stride(&access, 64); /* words 0, 16, 32, ...: two banks */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 16);
}

static void test_masks(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 4, 0);
    set_stride(&access, 128);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 0);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    access.mask = 1u << 31;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    access.mask = 0x80000101;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 3);
    CU_ASSERT_EQUAL(conflicts(90, &access), 2);
}

/* Stores of 8 bytes: each half warp separately, even if all lanes share an address. */
static void test_stores_of_8_bytes(void)
{
    struct smc_access access = access_of(SMC_BANK_STORE, 8, SMC_ALL_LANES);
    set_stride(&access, 8);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    set_stride(&access, 0);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    access.mask = 0xffff0000;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    access.mask = 0x00010001;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    access.mask = SMC_ALL_LANES;
    set_stride(&access, 16); /* every second pair of banks: 2 words in each */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    CU_ASSERT_EQUAL(conflicts(90, &access), 2);
}

/* Stores of 16 bytes: quarter warps. */
static void test_stores_of_16_bytes(void)
{
    struct smc_access access = access_of(SMC_BANK_STORE, 16, SMC_ALL_LANES);
    set_stride(&access, 16);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    set_stride(&access, 0);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    access.mask = 0x01010101;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    access.mask = 0x000000ff;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    set_stride(&access, 128);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 8);
    CU_ASSERT_EQUAL(conflicts(90, &access), 7);
}

/* Pairs `distance` apart share an address, each pair its own. */
static void set_pairs(struct smc_access *access, uint32_t distance)
{
    for (uint32_t lane = 0; lane < 32; lane++)
        access->address[lane] = (lane & ~distance) * access->width_bytes;
}

/* Loads of 8 bytes: half warps separately, but the whole warp if all pairs (n, n^1) or all (n, n^2)
   share. */
static void test_loads_of_8_bytes(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 8, SMC_ALL_LANES);
    set_stride(&access, 8);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    set_stride(&access, 0);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    for (uint32_t lane = 0; lane < 32; lane++) /* dense pairs: 16 addresses in a row */
        access.address[lane] = lane / 2 * 8;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = (lane / 4 * 2 + lane % 2) * 8; /* (n, n^2) */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = (lane / 8 * 4 + lane % 4) * 8; /* (n, n^4): does not count */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    for (uint32_t lane = 0; lane < 32; lane++) /* some pairs (n, n^1), the others (n, n^2) */
        access.address[lane] = lane < 16 ? lane / 2 * 8 : (lane / 4 * 2 + lane % 2) * 8;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    access.op = SMC_BANK_STORE; /* a store never joins */
    set_pairs(&access, 1);      /* 8 addresses per half warp, in every second pair of banks */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    access.op = SMC_BANK_LOAD; /* joined, although together they conflict */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 1);
    /* As an H200 counted: the halves alone would need 1 and 2 wavefronts. */
    static const uint32_t seen[16] = {192, 472, 200, 384, 240, 408, 488, 480,
                                      8,   448, 152, 488, 272, 56,  312, 496};
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = seen[lane / 2];
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
}

/* A pair with an inactive lane is ignored; one complete pair that differs decides. */
static void test_pairs_and_masks(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 8, 0x55555555);
    for (uint32_t lane = 0; lane < 32; lane++) /* even lanes only: no pair (n, n^1) */
        access.address[lane] = lane / 2 * 8;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    set_stride(&access, 8);
    access.mask = 0x33333333; /* pairs (n, n^1) differ, no pair (n, n^2) */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 1);
    access.mask = 0x33333333 | 1u << 2; /* lanes 0 and 2 differ, as do 0 and 1 */
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    access.mask = 0x0000ffff;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
}

/* Loads of 16 bytes: quarters, but half warps under the same condition on the whole warp. */
static void test_loads_of_16_bytes(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 16, SMC_ALL_LANES);
    set_stride(&access, 16);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    set_stride(&access, 0);
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2); /* never the whole warp */
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = lane / 2 * 16;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
    for (uint32_t lane = 16; lane < 32; lane++) /* the upper half shares by (n, n^2) alone */
        access.address[lane] = (lane / 4 * 2 + lane % 2) * 16;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 4);
    CU_ASSERT_EQUAL(conflicts(90, &access), 0);
    access.mask = 0x0000ffff;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 1);
    access.op = SMC_BANK_STORE;
    CU_ASSERT_EQUAL(wavefronts(90, &access), 2);
}

/* Counted on an H200; addresses by 16 bytes. */
static void test_wide_loads_and_masks(void)
{
    static const struct {
        uint32_t mask, wavefronts;
        uint8_t address[32];
    } seen[] = {
        {0xffffffff, 6, {0, 17, 1, 18, 2,  19, 3,  20, 4,  21, 5,  22, 6,  23, 7,  24,
                         8, 25, 8, 25, 10, 27, 10, 27, 12, 29, 12, 29, 14, 31, 14, 31}},
        {0xffffffff, 4, {0, 128, 0, 128, 2,  130, 2,  130, 4,  132, 4,  132, 6,  134, 6,  134,
                         8, 136, 8, 136, 10, 138, 10, 138, 12, 140, 12, 140, 14, 142, 14, 142}},
        {0xffffffff, 4, {13, 17, 13, 17, 9,  6, 9,  6, 17, 8, 17, 8, 9,  16, 9,  16,
                         7,  15, 7,  15, 16, 5, 16, 5, 3,  5, 3,  5, 15, 5,  15, 5}},
        {0xfffaf55f, 2, {9, 9, 8, 8, 9, 9, 9, 9, 8, 8, 6, 6, 8, 8, 3, 3,
                         4, 4, 9, 9, 8, 8, 9, 9, 6, 6, 9, 9, 5, 5, 3, 3}},
        {0x59a55996, 7, {86, 22, 214, 62, 158, 78, 142, 22, 22, 22, 206, 46, 22, 22,  22, 22,
                         22, 22, 190, 22, 254, 22, 222, 22, 22, 30, 22,  70, 22, 238, 22, 22}},
        {0x3fff3fcf, 4, {0,  5,  10, 15, 20,  25,  30,  35,  0,  5,  10, 15, 20,  25,  30,  35,
                         80, 85, 90, 95, 100, 105, 110, 115, 80, 85, 90, 95, 100, 105, 110, 115}},
        {0xc9636c6c, 2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
        {0xa5565656, 2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                         0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct smc_access access = access_of(SMC_BANK_LOAD, 16, seen[i].mask);
        for (uint32_t lane = 0; lane < 32; lane++)
            access.address[lane] = 16u * seen[i].address[lane];
        CU_ASSERT_EQUAL(wavefronts(90, &access), seen[i].wavefronts);
    }
}

static void test_cc_1(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 4, SMC_ALL_LANES);
    set_stride(&access, 4);
    CU_ASSERT_EQUAL(wavefronts(11, &access), 2);
    CU_ASSERT_EQUAL(conflicts(11, &access), 0);
    set_stride(&access, 64);
    CU_ASSERT_EQUAL(wavefronts(11, &access), 32);
    set_stride(&access, 68); /* rows of 17 words: the usual padding for 16 banks */
    CU_ASSERT_EQUAL(wavefronts(11, &access), 2);
    set_stride(&access, 0);
    CU_ASSERT_EQUAL(wavefronts(11, &access), 2);
    access.mask = 0x0000ffff;
    CU_ASSERT_EQUAL(wavefronts(11, &access), 1);
    access = access_of(SMC_BANK_LOAD, 8, SMC_ALL_LANES);
    set_stride(&access, 8); /* 32 words of a half warp over 16 banks */
    CU_ASSERT_EQUAL(wavefronts(11, &access), 4);
    CU_ASSERT_EQUAL(conflicts(11, &access), 0);
}

static void test_cc_3(void)
{
    struct smc_bank_layout four = layout_of(35, SMC_BANK_MODE_4_BYTES);
    struct smc_bank_layout eight = layout_of(35, SMC_BANK_MODE_8_BYTES);
    struct smc_access access = access_of(SMC_BANK_LOAD, 4, SMC_ALL_LANES);
    set_stride(&access, 128); /* words 0, 32, 64, ...: two of each row of 64 at a time */
    CU_ASSERT_EQUAL(smc_banks_count(&four, &access).wavefronts, 16);
    CU_ASSERT_EQUAL(smc_banks_count(&eight, &access).wavefronts, 16);
    set_stride(&access, 8);
    CU_ASSERT_EQUAL(smc_banks_count(&four, &access).wavefronts, 1);
    CU_ASSERT_EQUAL(smc_banks_count(&eight, &access).wavefronts, 1);
    for (uint32_t lane = 0; lane < 32;
         lane++) /* words i and i + 32 of a row, in another row, too */
        access.address[lane] = (lane % 2 * 32 + lane / 2 * 64) * 4;
    CU_ASSERT_EQUAL(smc_banks_count(&four, &access).wavefronts, 16);
    for (uint32_t lane = 0; lane < 32; lane++) /* word pairs of one row and of the next, crossing */
        access.address[lane] = (lane % 2 * 65 + lane / 2 * 2) * 4;
    CU_ASSERT_EQUAL(smc_banks_count(&four, &access).wavefronts, 1);
    CU_ASSERT_EQUAL(smc_banks_count(&eight, &access).wavefronts, 2);
    access = access_of(SMC_BANK_LOAD, 8, SMC_ALL_LANES);
    set_stride(&access, 8);
    CU_ASSERT_EQUAL(smc_banks_count(&four, &access).wavefronts, 1);
    CU_ASSERT_EQUAL(smc_banks_count(&eight, &access).wavefronts, 1);
    access = access_of(SMC_BANK_STORE, 16, SMC_ALL_LANES);
    set_stride(&access, 16);
    CU_ASSERT_EQUAL(smc_banks_count(&eight, &access).wavefronts, 2);
    /* on other architectures the mode has no effect */
    struct smc_bank_layout later = layout_of(90, SMC_BANK_MODE_8_BYTES);
    access = access_of(SMC_BANK_LOAD, 4, SMC_ALL_LANES);
    set_stride(&access, 128);
    CU_ASSERT_EQUAL(smc_banks_count(&later, &access).wavefronts, 32);
}

static void test_misaligned(void)
{
    struct smc_access access = access_of(SMC_BANK_LOAD, 8, SMC_ALL_LANES);
    set_stride(&access, 8);
    CU_ASSERT_EQUAL(smc_access_misaligned(&access), 0);
    access.address[5] += 4;
    access.address[31] += 1;
    CU_ASSERT_EQUAL(smc_access_misaligned(&access), 1u << 5 | 1u << 31);
    access.mask = 1u << 31;
    CU_ASSERT_EQUAL(smc_access_misaligned(&access), 1u << 31);
    access.width_bytes = 1;
    CU_ASSERT_EQUAL(smc_access_misaligned(&access), 0);
}

/* --- By another route: words sorted, sets listed ---------------------------------------------- */

struct route {
    uint32_t banks, half_warps, row_words, adjacent, joins;
};

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The longest run of one bank among the distinct (bank, row) of the lanes; `distinct` counts all.
 */
static uint32_t cost_of_set(const struct route *route, const struct smc_access *access,
                            uint32_t lanes, uint32_t *distinct)
{
    uint64_t keys[32 * 4];
    size_t count = 0;
    uint32_t longest = 0, run = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t byte = 0; (lanes >> lane & 1) && byte < access->width_bytes; byte += 4) {
            uint64_t word = (access->address[lane] + byte) / 4;
            uint64_t bank = word / route->adjacent % route->banks;
            keys[count++] = bank << 40 | word / route->row_words;
        }
    qsort(keys, count, sizeof *keys, compare);
    *distinct = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && keys[i] == keys[i - 1])
            continue;
        run = i > 0 && keys[i] >> 40 == keys[i - 1] >> 40 ? run + 1 : 1;
        longest = run > longest ? run : longest;
        ++*distinct;
    }
    return longest;
}

static bool all_pairs_share(const struct smc_access *access, uint32_t distance)
{
    for (uint32_t a = 0; a < 32; a++)
        for (uint32_t b = 0; b < 32; b++)
            if ((a ^ b) == distance && (access->mask >> a & access->mask >> b & 1) &&
                access->address[a] != access->address[b])
                return false;
    return true;
}

static struct smc_bank_cost by_route(const struct route *route, const struct smc_access *access)
{
    struct smc_bank_cost cost = {0};
    uint32_t lanes = route->row_words * 4 / access->width_bytes;
    lanes = route->half_warps ? 16 : lanes > 32 ? 32 : lanes;
    if (route->joins && access->op == SMC_BANK_LOAD && lanes < 32 &&
        (all_pairs_share(access, 1) || all_pairs_share(access, 2)))
        lanes *= 2;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint32_t distinct, set = 0;
        for (uint32_t lane = first; lane < first + lanes; lane++)
            set |= 1u << lane;
        cost.wavefronts += cost_of_set(route, access, set & access->mask, &distinct);
        cost.least += (distinct + route->row_words - 1) / route->row_words;
    }
    return cost;
}

static void make_random(struct smc_access *access)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16}, ranges[] = {4, 16, 64, 256, 4096};
    *access = access_of((enum smc_bank_op)pick(2), widths[pick(5)], SMC_ALL_LANES);
    uint32_t range = ranges[pick(5)], kind = pick(6), stride = pick(70), merge = 1u << pick(3);
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t from = kind == 3 ? lane & ~merge : lane;
        uint32_t element = kind <= 1 || kind == 3 ? pick(range) : lane * stride;
        access->address[lane] =
            kind == 3 && from != lane ? access->address[from] : element * access->width_bytes;
        if (kind == 4 && pick(8) == 0)
            access->address[lane] = pick(range) * access->width_bytes;
    }
    if (pick(2))
        access->mask = pick(2) ? pick(UINT32_MAX) : pick(UINT32_MAX) & pick(UINT32_MAX);
}

/* Banks that serve a set in more wavefronts than the set needs, counted in the map. */
static uint32_t crowded_banks(const struct route *route, const struct smc_bank_map *map,
                              uint32_t set)
{
    uint32_t times[32] = {0}, all = 0, crowded = 0;
    for (uint32_t w = 0; w < map->cost.wavefronts; w++)
        for (uint32_t bank = 0; bank < route->banks; bank++)
            if (map->wavefront[w].set == set && map->wavefront[w].lanes[bank]) {
                times[bank]++;
                all++;
            }
    for (uint32_t bank = 0; bank < route->banks; bank++)
        if (times[bank] > (all + route->row_words - 1) / route->row_words)
            crowded |= 1u << bank;
    return crowded;
}

/* Every word that an active lane requests is served exactly once, in its bank, and only together
   with lanes that request a word of the same row. */
static bool map_is_sound(const struct route *route, const struct smc_bank_layout *layout,
                         const struct smc_access *access)
{
    static struct smc_bank_map map;
    uint32_t given[32] = {0};
    smc_banks_map(layout, access, &map);
    for (uint32_t w = 0; w < map.cost.wavefronts; w++)
        for (uint32_t bank = 0; bank < route->banks; bank++)
            for (uint32_t lane = 0; lane < 32; lane++) {
                if (!(map.wavefront[w].lanes[bank] >> lane & 1))
                    continue;
                uint32_t row = map.wavefront[w].word[bank] / route->row_words, words = 0;
                for (uint32_t byte = 0; byte < access->width_bytes; byte += 4) {
                    uint32_t word = (access->address[lane] + byte) / 4;
                    words += word / route->adjacent % route->banks == bank &&
                             word / route->row_words == row;
                }
                if (!words || !(map.wavefront[w].set >> lane & access->mask >> lane & 1))
                    return false;
                given[lane] += words;
            }
    for (uint32_t lane = 0; lane < 32; lane++)
        if (given[lane] != (access->mask >> lane & 1) * ((access->width_bytes + 3) / 4))
            return false;
    for (uint32_t w = 0; w < map.cost.wavefronts; w++)
        if (map.wavefront[w].crowded != crowded_banks(route, &map, map.wavefront[w].set))
            return false;
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    return cost.wavefronts == map.cost.wavefronts && cost.least == map.cost.least;
}

static void test_random(void)
{
    static const struct {
        uint16_t cc;
        enum smc_bank_mode mode;
        struct route route;
    } cases[] = {
        {90, SMC_BANK_MODE_4_BYTES, {32, 0, 32, 1, 1}},
        {20, SMC_BANK_MODE_4_BYTES, {32, 0, 32, 1, 1}},
        {11, SMC_BANK_MODE_4_BYTES, {16, 1, 16, 1, 0}},
        {35, SMC_BANK_MODE_4_BYTES, {32, 0, 64, 1, 0}},
        {35, SMC_BANK_MODE_8_BYTES, {32, 0, 64, 2, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_bank_layout layout = layout_of(cases[i].cc, cases[i].mode);
        const size_t accesses = share_of(40000, 8);
        size_t wrong = 0, unsound = 0, joined = 0, impossible = 0;
        for (size_t n = 0; n < accesses; n++) {
            struct smc_access access;
            make_random(&access);
            struct smc_bank_cost cost = smc_banks_count(&layout, &access);
            struct smc_bank_cost expected = by_route(&cases[i].route, &access);
            wrong += cost.wavefronts != expected.wavefronts || cost.least != expected.least;
            unsound += !map_is_sound(&cases[i].route, &layout, &access);
            impossible += cost.wavefronts < cost.least || cost.wavefronts > 32;
            access.op = SMC_BANK_STORE;
            joined += cost.wavefronts < smc_banks_count(&layout, &access).wavefronts;
        }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(unsound, 0);
        CU_ASSERT_EQUAL(impossible, 0);
        CU_ASSERT(cases[i].route.joins ? joined > accesses / 40 : joined == 0);
    }
}

/* --- Matrices, atomics, copies ---------------------------------------------------------------- */

static struct smc_bank_cost cost_of_op(enum smc_bank_op op, uint32_t width, uint32_t stride,
                                       uint32_t mask)
{
    struct smc_bank_layout layout = layout_of(90, SMC_BANK_MODE_4_BYTES);
    struct smc_access access = access_of(op, width, mask);
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = lane * stride;
    return smc_banks_count(&layout, &access);
}

static void test_operations(void)
{
    struct smc_bank_layout layout = layout_of(90, SMC_BANK_MODE_4_BYTES);
    struct smc_bank_layout old = layout_of(35, SMC_BANK_MODE_4_BYTES);
    struct smc_access access = access_of(SMC_BANK_ATOM, 4, SMC_ALL_LANES);
    CU_ASSERT_EQUAL(smc_bank_op_find("LDMATRIX.x4.trans"), SMC_BANK_LDMATRIX_X4_TRANS);
    CU_ASSERT_EQUAL(smc_bank_op_find("ldmatrix"), SMC_BANK_OPS);
    for (uint32_t matrices = 1; matrices <= 4; matrices *= 2)
        for (int loads = 0; loads < 2; loads++) {
            const struct smc_bank_operation *op =
                &smc_bank_operations[smc_bank_matrix_op(loads, matrices)];
            CU_ASSERT(op->loads == loads && op->matrices == matrices && !op->trans);
        }
    CU_ASSERT(smc_banks_are_known(&layout, &access) && !smc_banks_are_known(&old, &access));
    access.width_bytes = 8;
    CU_ASSERT(!smc_banks_are_known(&layout, &access));
}

/* Eight rows of a matrix in the same banks, or in banks of their own; other lanes do not count. */
static void test_matrices(void)
{
    struct smc_bank_cost cost = cost_of_op(SMC_BANK_LDMATRIX_X1, 16, 128, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 8 && cost.least == 1 && cost.phases == 1);
    cost = cost_of_op(SMC_BANK_LDMATRIX_X4_TRANS, 16, 128, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 32 && cost.least == 4 && cost.phases == 4);
    cost = cost_of_op(SMC_BANK_LDMATRIX_X4, 16, 144, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 4 && cost.least == 4);
    cost = cost_of_op(SMC_BANK_LDMATRIX_X4, 16, 0, SMC_ALL_LANES); /* no two of them together */
    CU_ASSERT(cost.wavefronts == 4 && cost.least == 4);
    cost = cost_of_op(SMC_BANK_STMATRIX_X2, 16, 64, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 8 && cost.least == 2 && cost.phases == 2);
}

/* Lanes with the same address conflict; copies are served line by line. */
static void test_lane_by_lane(void)
{
    struct smc_bank_cost cost = cost_of_op(SMC_BANK_ATOM, 4, 0, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 32 && cost.least == 1 && cost.phases == 1);
    cost = cost_of_op(SMC_BANK_RED, 4, 0, 0x0000ff00);
    CU_ASSERT(cost.wavefronts == 8 && cost.least == 1);
    cost = cost_of_op(SMC_BANK_ATOM, 4, 8, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 2 && cost.least == 1);
    cost = cost_of_op(SMC_BANK_CP_ASYNC_CA, 16, 16, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 4 && cost.least == 4 && cost.phases == 4);
    cost = cost_of_op(SMC_BANK_CP_ASYNC_CG, 16, 128, SMC_ALL_LANES); /* past the banks' queues */
    CU_ASSERT(cost.wavefronts == 0 && cost.least == 0 && cost.phases == 0);
    cost = cost_of_op(SMC_BANK_CP_ASYNC_CA, 16, 0, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 32 && cost.least == 4);
    cost = cost_of_op(SMC_BANK_CP_ASYNC_CA, 16, 256, 0xff);
    CU_ASSERT(cost.wavefronts == 8 && cost.least == 1);
}

/* The banks of L1 that a copy reads decide too: lanes 0 and 8 read the same banks of two lines. */
static void test_copied_lines(void)
{
    struct smc_bank_layout layout = layout_of(90, SMC_BANK_MODE_4_BYTES);
    struct smc_access access = access_of(SMC_BANK_CP_ASYNC_CA_HIT, 8, SMC_ALL_LANES);
    uint64_t from[32];
    for (uint32_t lane = 0; lane < 32; lane++) {
        access.address[lane] = (lane % 2 ? 0 : 64) + lane / 2 * 128;
        from[lane] = lane % 8 * 128 + lane / 8 * 8; /* counted on an H200: 30 */
    }
    struct smc_bank_cost cost = smc_banks_count_copy(&layout, &access, from);
    CU_ASSERT(cost.wavefronts == 30 && cost.least == 2 && cost.phases == 2);
    for (uint32_t lane = 0; lane < 32; lane++)
        from[lane] = 4096;
    cost = smc_banks_count_copy(&layout, &access, from);
    CU_ASSERT(cost.wavefronts == 32 && cost.least == 2);
}

/* Lines that are looked up one after the other are copied so, unless L1 holds them. Counted on an
   H200. */
static void test_looked_up_lines(void)
{
    static const struct {
        uint32_t width, from, to, to_step, wavefronts, held;
        int32_t from_step;
    } counted[] = {
        {4, 112, 80, 4, 3, 1, 36},      {4, 48, 64, 4, 6, 1, 84},     {8, 256, 0, 8, 9, 4, 80},
        {16, 496, 0, 16, 6, 4, 16},     {16, 688, 16, 16, 5, 4, -16}, {16, 96, 80, 32, 9, 8, 16},
        {16, 368, 80, 16, 32, 32, 128},
    };
    struct smc_bank_layout layout = layout_of(90, SMC_BANK_MODE_4_BYTES);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct smc_access access = access_of(SMC_BANK_CP_ASYNC_CA, counted[i].width, SMC_ALL_LANES);
        uint64_t from[32];
        for (uint32_t lane = 0; lane < 32; lane++) {
            access.address[lane] = counted[i].to + lane * counted[i].to_step;
            from[lane] =
                (uint64_t)((int32_t)counted[i].from + (int32_t)lane * counted[i].from_step);
        }
        CU_ASSERT_EQUAL(smc_banks_count_copy(&layout, &access, from).wavefronts,
                        counted[i].wavefronts);
        access.op = SMC_BANK_CP_ASYNC_CA_HIT;
        CU_ASSERT_EQUAL(smc_banks_count_copy(&layout, &access, from).wavefronts, counted[i].held);
    }
}

/* Compare-and-swap takes two wavefronts for each of an exchange. */
static void test_wide_atomics(void)
{
    struct smc_bank_cost cost = cost_of_op(SMC_BANK_ATOM_EXCH, 8, 16, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 4 && cost.least == 2 && cost.phases == 2);
    cost = cost_of_op(SMC_BANK_ATOM_CAS, 8, 16, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 8 && cost.least == 4);
    cost = cost_of_op(SMC_BANK_ATOM_CAS, 16, 0, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 64 && cost.least == 8 && cost.phases == 4);
    cost = cost_of_op(SMC_BANK_ATOM_CAS, 4, 4, SMC_ALL_LANES);
    CU_ASSERT(cost.wavefronts == 2 && cost.least == 2);
}

static void test_distributed(void)
{
    static const struct {
        uint32_t wavefronts;
        struct smc_access access;
    } patterns[] = {
#define PATTERN(operation, width, lanes, count, ...)                                               \
    {count,                                                                                        \
     {.mask = lanes, .width_bytes = width, .op = SMC_BANK_##operation, .address = {__VA_ARGS__}}},
#include "distributed_patterns.def"
#undef PATTERN
    };
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        CU_ASSERT_EQUAL(smc_banks_count_distributed(&patterns[i].access), patterns[i].wavefronts);
    struct smc_access access = access_of(SMC_BANK_ATOM_CAS, 4, SMC_ALL_LANES);
    CU_ASSERT_EQUAL(smc_banks_count_distributed(&access), 0); /* not known */
    access = access_of(SMC_BANK_LOAD, 2, SMC_ALL_LANES);
    CU_ASSERT_EQUAL(smc_banks_count_distributed(&access), 0);
}

CU_TestInfo tests_banks[] = {
    {"shared memory of other blocks", test_distributed},
    {"strides of 0 to 64 words", test_strides},
    {"1 and 2 bytes", test_narrow},
    {"masks", test_masks},
    {"stores of 8 bytes", test_stores_of_8_bytes},
    {"stores of 16 bytes", test_stores_of_16_bytes},
    {"loads of 8 bytes", test_loads_of_8_bytes},
    {"pairs with inactive lanes", test_pairs_and_masks},
    {"loads of 16 bytes with inactive lanes", test_wide_loads_and_masks},
    {"loads of 16 bytes", test_loads_of_16_bytes},
    {"CC 1.x", test_cc_1},
    {"CC 3.x", test_cc_3},
    {"misaligned addresses", test_misaligned},
    {"operations by name", test_operations},
    {"ldmatrix and stmatrix", test_matrices},
    {"atomics and copies", test_lane_by_lane},
    {"copies of several lines", test_copied_lines},
    {"lines that are looked up one after the other", test_looked_up_lines},
    {"exchanges and compare-and-swap", test_wide_atomics},
    {"random patterns by another route", test_random},
    CU_TEST_INFO_NULL,
};
