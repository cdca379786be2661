/* CuTe's layouts, arrays that they place, and the searches for paddings and swizzles, which are
   compared with a search over single elements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/banks.h"
#include "rules/devices.h"
#include "unit.h"

static struct smc_bank_layout banks_of(uint16_t cc)
{
    struct smc_capability capability;
    struct smc_bank_layout layout;
    CU_ASSERT_FATAL(smc_capability_find(cc, &capability));
    smc_bank_layout_of(&capability.sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

/* --- Layouts ---------------------------------------------------------------------------------- */

static struct smc_cute_layout cute_of(const char *text)
{
    struct smc_cute_layout layout = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_cute_parse(text, "layout", &layout, NULL, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
    return layout;
}

static void test_offsets(void)
{
    static const struct {
        const char *text;
        uint32_t size, cosize, index, offset;
    } cases[] = {
        {"8", 8, 8, 5, 5},
        {"8:2", 8, 15, 7, 14},
        {"(8,4)", 32, 32, 9, 9},
        {"(8,4):(4,1)", 32, 32, 9, 5},
        {"((8,8),(8,2)):((1,64),(8,512))", 1024, 1024, 9, 65},
        {"((8,8),(8,2)):((1,64),(8,512))", 1024, 1024, 64, 8},
        {"((8,8),(8,2)):((1,64),(8,512))", 1024, 1024, 512, 512},
        {"( (2,(2,2)) , 4 ) : ( (1,(8,4)) , 2 )", 32, 20, 6, 12},
        {"(_128,_32):(_1,_128)", 4096, 4096, 129, 129},
        {"(4,8):(0,1)", 32, 8, 31, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_cute_layout layout = cute_of(cases[i].text);
        CU_ASSERT_EQUAL(smc_cute_size(&layout), cases[i].size);
        CU_ASSERT_EQUAL(smc_cute_cosize(&layout), cases[i].cosize);
        CU_ASSERT_EQUAL(smc_cute_offset(&layout, cases[i].index), cases[i].offset);
    }
    const struct smc_cute_layout layout = cute_of("((8,8),(8,2)):((1,64),(8,512))");
    CU_ASSERT_EQUAL(smc_cute_extent(&layout, 0), 64);
    CU_ASSERT_EQUAL(smc_cute_extent(&layout, 1), 16);
    CU_ASSERT_EQUAL(smc_cute_extent(&layout, 2), 1);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&layout, 1, 9), 520);
    struct smc_text text = {0};
    smc_cute_print(&layout, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "((8,8),(8,2)):((1,64),(8,512))");
    smc_text_free(&text);
}

static void test_bad_layouts(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "layout: '', character 1: a number expected, but the text ends"},
        {"(8,", "layout: '(8,', character 4: a number expected, but the text ends"},
        {"(8,8", "layout: '(8,8', character 5: ',' or ')' expected, but the text ends"},
        {"(8;8)", "layout: '(8;8)', character 3: ',' or ')' expected, not ';'"},
        {"(8,8))", "layout: '(8,8))', character 6: the end expected, not ')'"},
        {"(8,x)", "layout: '(8,x)', character 4: a number expected, not 'x'"},
        {"(8,\xc3\xa4)", "layout: '(8,\xc3\xa4)', character 4: a number expected, not '\xc3\xa4'"},
        {"(8,8):8", "layout: '(8,8):8': the strides do not nest as the shape does"},
        {"((2,2),4):(1,(2,4))",
         "layout: '((2,2),4):(1,(2,4))': the strides do not nest as the shape does"},
        {"(8,0)", "layout: '(8,0)': an extent is 0, but the smallest is 1"},
        {"(8,1048577)", "layout: '(8,1048577)', character 4: a number above 1048576"},
        {"(2048,1024)", "layout: '(2048,1024)': larger than 1048576 elements"},
        {"(4,4):(1,1048576)", "layout: '(4,4):(1,1048576)': larger than 1048576 elements"},
        {"(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)",
         "layout: '(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)': a layout of more than 16 integers"},
        {"(((((((((1)))))))))", "layout: '(((((((((1)))))))))': more than 8 parentheses are open"},
        {"Sw<3,3,2> o (8,8)", "layout: 'Sw<3,3,2> o (8,8)': not a swizzle: S must be at least B or "
                              "at most -B, and B + M + |S| at most 20"},
        {"Sw<3,3,3> o 4 o (8,8)", "layout: 'Sw<3,3,3> o 4 o (8,8)': an offset between the swizzle "
                                  "and the layout is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_cute_layout layout;
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_cute_parse(cases[i].text, "layout", &layout, NULL, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
    }
}

static void test_swizzles(void)
{
    static const struct {
        struct smc_swizzle swizzle;
        uint32_t offset, moved;
    } cases[] = {
        {{3, 4, 3}, 32, 32}, /* NVIDIA/cutlass issue 2634 */
        {{3, 3, 3}, 64, 72},        {{3, 3, 3}, 511, 455},   {{0, 4, 3}, 4095, 4095},
        {{2, 4, 3}, 128 + 16, 128}, {{1, 4, 3}, 256, 256},   {{5, 0, 5}, 33, 32},
        {{3, 0, -3}, 5, 45},        {{2, 1, -4}, 6, 6 + 96},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CU_ASSERT_EQUAL(smc_swizzle_apply(&cases[i].swizzle, cases[i].offset), cases[i].moved);
    struct smc_cute_layout layout;
    struct smc_swizzle swizzle;
    CU_ASSERT_EQUAL(
        smc_cute_parse("Sw<3,3,3> o _0 o (_8,_64):(_64,_1)", "", &layout, &swizzle, NULL), SMC_OK);
    CU_ASSERT_EQUAL(swizzle.bits, 3);
    CU_ASSERT_EQUAL(layout.leaf[0].stride, 64);
    CU_ASSERT_EQUAL(smc_cute_parse("Swizzle<2,3,-3> o 64:1", "", &layout, &swizzle, NULL), SMC_OK);
    CU_ASSERT_EQUAL(swizzle.shift, -3);
    CU_ASSERT_EQUAL(smc_swizzle_parse("3,4", "", &swizzle, NULL), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_swizzle_parse("3,4,3,", "", &swizzle, NULL), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_swizzle_parse("Swizzle<3,4,3", "", &swizzle, NULL), SMC_USAGE);
    CU_ASSERT_EQUAL(smc_swizzle_parse(" 3, 4, 3 ", "", &swizzle, NULL), SMC_OK);
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static struct smc_tile tile_of(const char *text, const char *swizzle, const char *element)
{
    struct smc_tile tile = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_tile_parse(text, "layout", smc_element_bits(element), &tile, &error),
                    SMC_OK);
    if (swizzle)
        CU_ASSERT_EQUAL(smc_tile_parse_swizzle(swizzle, "swizzle", &tile, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
    return tile;
}

static size_t walk_all(const struct smc_tile *tile, const char *ops, struct smc_tile_walked *walked)
{
    size_t count = 0;
    struct smc_error error = {""};
    while (*ops) {
        struct smc_tile_access access;
        CU_ASSERT_EQUAL(smc_tile_parse_access(&ops, "op", tile, NULL, &access, &error), SMC_OK);
        CU_ASSERT_EQUAL(smc_tile_walk(tile, &access, "op", &walked[count++], &error), SMC_OK);
    }
    CU_ASSERT_STRING_EQUAL(error.message, "");
    return count;
}

static void test_tiles(void)
{
    struct smc_tile tile = tile_of("t[128][64+8]", NULL, "half");
    CU_ASSERT_EQUAL(smc_tile_address(&tile, 64), 144);
    CU_ASSERT_EQUAL(smc_tile_bytes(&tile), 128 * 72 * 2);
    tile = tile_of("(8,64):(64,1)", "tma.128B", "f16");
    CU_ASSERT_EQUAL(tile.swizzle.base, 3);
    CU_ASSERT_EQUAL(smc_tile_address(&tile, 64), 128 + 16);
    tile = tile_of("(8,32):(32,1)", "tma.128B", "f32");
    CU_ASSERT_EQUAL(smc_tile_address(&tile, 32), 128 + 16);
    tile = tile_of("t[32][32]", "c ^ (r & 31)", "float");
    CU_ASSERT_EQUAL(smc_tile_address(&tile, 32 * 3), (32 * 3 + 3) * 4);
    tile = tile_of("t[64][32]", "c/8 ^ (r >> 1 & 3)", "half");
    CU_ASSERT_EQUAL(smc_tile_address(&tile, 32 * 6), (32 * 6 + 24) * 2);
    /* The canonical layouts of wgmma: K-major lines of 128 bytes, MN-major ones. */
    tile = tile_of("wgmma.k.128B(64,128)", NULL, "bf16");
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 0, 1), 64);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 0, 8), 512);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 1, 64), 64 * 64);
    CU_ASSERT_EQUAL(tile.swizzle.bits, 3);
    tile = tile_of("wgmma.k.none(64,16)", NULL, "bf16");
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 0, 1), 8);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 1, 8), 512);
    CU_ASSERT_EQUAL(tile.swizzle.bits, 0);
    tile = tile_of("wgmma.mn.64B(64,16)", NULL, "bf16");
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 0, 1), 1);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 1, 1), 32);
    CU_ASSERT_EQUAL(smc_cute_mode_offset(&tile.layout, 0, 32), 256);
}

static void test_bad_tiles(void)
{
    static const char *const layouts[] = {
        "t[8]",
        "t[8][8][8]",
        "t[8][0]",
        "t[8][8",
        "t[8][8+x]",
        "t[2048][2048]",
        "wgmma.k.128(8,64)",
        "wgmma.k.128B(8,60)",
        "wgmma.x.32B(8,8)",
        "wgmma.k.128B(8,64)x",
        "[8][8]",
    };
    static const char *const swizzles[] = {
        "tma.16B", "c ^ (r & 6)", "c ^ (r & 127)", "c/3 ^ (r & 3)", "3,3", "x", "c ^ r & 7)", ""};
    static const char *const ops[] = {"ld.3",
                                      "ld.32",
                                      "ldmatrix.x3",
                                      "ldmatrix.x4.8",
                                      "atom.8",
                                      "st.16 diagonal",
                                      "ldmatrix.x4 rows",
                                      "ld mma.m16n8k32.a",
                                      "mma.m16n8k16.e",
                                      "ld (32,8",
                                      ""};
    struct smc_tile tile;
    struct smc_tile_access access;
    struct smc_error error;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        CU_ASSERT_EQUAL(smc_tile_parse(layouts[i], "", 16, &tile, &error), SMC_USAGE);
    for (size_t i = 0; i < sizeof swizzles / sizeof *swizzles; i++) {
        tile = tile_of("t[64][64]", NULL, "half");
        CU_ASSERT_EQUAL(smc_tile_parse_swizzle(swizzles[i], "", &tile, &error), SMC_USAGE);
    }
    tile = tile_of("t[64][64]", NULL, "half");
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        const char *text = ops[i];
        CU_ASSERT_EQUAL(smc_tile_parse_access(&text, "", &tile, NULL, &access, &error), SMC_USAGE);
    }
    CU_ASSERT_EQUAL(smc_element_bits("f12"), 0);
}

/* What cannot be accessed so is refused in words. */
static void test_bad_walks(void)
{
    static const struct {
        const char *layout, *swizzle, *op, *message;
    } cases[] = {
        {"(64,64):(2,128)", NULL, "st.16",
         "op: st.16: a lane accesses 8 elements (16 bytes) together, which are not consecutive in "
         "the layout"},
        {"t[64][64]", "3,2,4", "st.16",
         "op: st.16: Swizzle<3,2,4> separates the 8 elements that a lane accesses together: M is "
         "at least 3"},
        {"t[64][64+4]", NULL, "st.16 columns",
         "op: st.16 columns: lane 1's address 136 is not a multiple of 16 bytes"},
        {"t[8][24]", NULL, "ldmatrix.x4",
         "op: ldmatrix.x4 accesses pieces of 8x32 elements; the array of 8x24 is not a multiple"},
        {"t[8][8]", NULL, "ld (32,4):(4,1)",
         "op: ld (32,4):(4,1): thread 16, value 0 is element 64 of an array of 64"},
        {"t[8][8]", NULL, "ld.16 (32,4):(4,1)",
         "op: ld.16 (32,4):(4,1): 4 values of a thread are not a multiple of the 8 that it "
         "accesses "
         "together"},
        {"t[1024][1024]", NULL, "ld", "op: ld: 32768 instructions; at most 8192 are counted"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_tile tile = tile_of(cases[i].layout, cases[i].swizzle, "half");
        const char *text = cases[i].op;
        struct smc_tile_access access;
        struct smc_tile_walked walked;
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_tile_parse_access(&text, "op", &tile, NULL, &access, &error), SMC_OK);
        CU_ASSERT_EQUAL(smc_tile_walk(&tile, &access, "op", &walked, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
    }
}

/* Offsets of single lanes, from the figures of the PTX ISA. */
static void test_walks(void)
{
    static const struct {
        const char *layout, *element, *op;
        size_t count, instruction;
        uint32_t lane, offset, width;
    } cases[] = {
        {"t[64][64]", "half", "st.16 rows", 16, 1, 3, 4 * 64 + 24, 16},
        {"t[64][64]", "half", "st.16 columns", 16, 2, 3, 3 * 64 + 8, 16},
        {"t[64][64]", "half", "ld", 128, 1, 3, 35, 2},
        {"t[64][64]", "half", "ldmatrix.x4", 16, 0, 9, 9 * 64, 16},
        {"t[64][64]", "half", "ldmatrix.x4", 16, 0, 17, 64 + 8, 16},
        {"t[64][64]", "half", "stmatrix.x2.trans", 32, 1, 15, 15 * 64 + 8, 16},
        {"(64,64):(1,64)", "half", "ldmatrix.x1.trans", 64, 0, 7, 7 * 64, 16},
        {"t[64][64]", "half", "mma.m16n8k16.a", 64, 0, 5, 64 + 2, 4},
        {"t[64][64]", "half", "mma.m16n8k16.a", 64, 3, 5, 9 * 64 + 10, 4},
        {"t[64][64]", "half", "mma.m16n8k16.b", 64, 1, 31, 7 * 64 + 14, 4},
        {"t[64][64]", "float", "mma.m16n8k16.c", 64, 1, 31, 15 * 64 + 6, 8},
        {"t[64][64]", "half", "mma.m16n8k16.d", 64, 1, 31, 15 * 64 + 6, 4},
        {"t[64][64]", "float", "mma.m16n8k8.a", 128, 2, 6, 64 + 6, 4},
        {"t[64][64]", "i8", "mma.m16n8k32.a", 32, 2, 1, 20, 4},
        {"(64,64):(1,64)", "half", "mma.m16n8k16.a", 128, 1, 4, 1 + 64, 2},
        {"t[8][32]", "half", "ld.8 (32,8):(8,1)", 2, 0, 0, 0, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool threads = strchr(cases[i].op, '(') != NULL;
        const struct smc_tile tile =
            tile_of(threads ? "(32,8):(1,32)" : cases[i].layout, NULL, cases[i].element);
        struct smc_tile_walked walked[SMC_TILE_ACCESSES];
        const size_t count = walk_all(&tile, cases[i].op, walked);
        CU_ASSERT_EQUAL_FATAL(count, 1);
        CU_ASSERT_EQUAL(walked->count, cases[i].count);
        CU_ASSERT_EQUAL(walked->width_bytes, cases[i].width);
        CU_ASSERT_EQUAL(walked->instruction[cases[i].instruction].offset[cases[i].lane],
                        cases[i].offset);
        smc_tile_walked_free(walked);
    }
}

/* --- Searches --------------------------------------------------------------------------------- */

/* Conflicts by single elements: the bytes of each lane's elements, in order, and the words of each
   set of lanes in each bank. UINT32_MAX: not together or not aligned. */
static uint32_t conflicts_simply(const struct smc_tile *tile, const struct smc_tile_walked *walked)
{
    uint32_t conflicts = 0;
    const uint32_t width = walked->width_bytes, bytes = tile->element_bits / 8;
    const uint32_t lanes = width <= 4 ? 32 : 128 / width;
    for (size_t i = 0; i < walked->count; i++) {
        const struct smc_tile_lanes *instruction = &walked->instruction[i];
        for (uint32_t first = 0; first < 32; first += lanes) {
            uint32_t words[32 * 4], count = 0, most = 0, per_bank[32] = {0};
            for (uint32_t lane = first; lane < first + lanes; lane++) {
                if (!(instruction->mask >> lane & 1))
                    continue;
                const uint32_t begin = smc_tile_address(tile, instruction->offset[lane]);
                if (begin % width)
                    return UINT32_MAX;
                for (uint32_t e = 0; e < walked->elements; e++)
                    if (smc_tile_address(tile, instruction->offset[lane] + e) != begin + e * bytes)
                        return UINT32_MAX;
                for (uint32_t byte = 0; byte < width; byte += 4) {
                    const uint32_t word = (begin + byte) / 4;
                    bool known = false;
                    for (uint32_t w = 0; w < count; w++)
                        known |= words[w] == word;
                    if (!known)
                        words[count++] = word;
                    if (!known && ++per_bank[word % 32] > most)
                        most = per_bank[word % 32];
                }
            }
            conflicts += most - (count + 31) / 32;
        }
    }
    return conflicts;
}

static bool is_free_simply(const struct smc_tile *tile, const struct smc_tile_walked *walked,
                           size_t count)
{
    for (size_t a = 0; a < count; a++)
        if (conflicts_simply(tile, &walked[a]))
            return false;
    for (uint32_t index = 0; index < smc_cute_size(&tile->layout) && !tile->padding; index++)
        if (smc_swizzle_apply(&tile->swizzle, smc_cute_offset(&tile->layout, index)) >=
            smc_cute_cosize(&tile->layout))
            return false;
    return true;
}

/* All swizzles in another order: the smallest is the least by (bits, base, negative, distance). */
static bool swizzle_simply(const struct smc_tile *tile, const struct smc_tile_walked *walked,
                           size_t count, struct smc_swizzle *least)
{
    struct smc_tile tried = *tile;
    uint32_t width = 0, rank_of_least = UINT32_MAX;
    while (1u << width < smc_cute_cosize(&tile->layout))
        width++;
    for (int shift = -(int)width; shift <= (int)width; shift++)
        for (uint32_t base = 0; base <= width; base++)
            for (uint32_t bits = 1; bits <= width; bits++) {
                const uint32_t distance = (uint32_t)abs(shift);
                const uint32_t rank = (bits * 32 + base) * 64 + (shift < 0 ? 32 : 0) + distance;
                if (distance < bits || base + bits + distance > width || rank >= rank_of_least)
                    continue;
                tried.swizzle = (struct smc_swizzle){bits, base, shift};
                if (!is_free_simply(&tried, walked, count))
                    continue;
                rank_of_least = rank;
                *least = tried.swizzle;
            }
    return rank_of_least != UINT32_MAX;
}

static uint32_t padding_simply(const struct smc_tile *tile, const struct smc_tile_walked *walked,
                               size_t count)
{
    struct smc_tile tried = *tile;
    tried.pitch = tile->layout.leaf[0].stride;
    for (tried.padding = 1; tried.padding <= 1024 / tile->element_bits; tried.padding++)
        if (is_free_simply(&tried, walked, count))
            return tried.padding;
    return 0;
}

static uint32_t random_below(uint32_t *state, uint32_t most)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % most;
}

/* Two accesses of small row-major arrays, none of which is a plain load, whose sets may join. */
static void test_searches(void)
{
    static const char *const elements[] = {"i8", "half", "float"};
    static const char *const ops[] = {
        "st.1 rows",    "st.1 columns",      "st.2 rows",    "st.2 columns", "st.4 rows",
        "st.4 columns", "st.8 rows",         "st.8 columns", "st.16 rows",   "st.16 columns",
        "ldmatrix.x1",  "ldmatrix.x2.trans", "stmatrix.x4"};
    const struct smc_bank_layout banks = banks_of(90);
    uint32_t state = 2026, cases = 0, swizzled = 0, padded = 0, wrong = 0, none = 0;
    while (cases < 200) {
        char layout[48], text[64];
        struct smc_tile tile;
        struct smc_tile_walked walked[2] = {{0}, {0}};
        const uint32_t rows = 8u << random_below(&state, 4),
                       columns = 8u << random_below(&state, 4);
        snprintf(layout, sizeof layout, "t[%u][%u]", rows,
                 random_below(&state, 4) ? columns : columns + 8);
        snprintf(text, sizeof text, "%s;%s", ops[random_below(&state, 13)],
                 ops[random_below(&state, 13)]);
        tile = tile_of(layout, NULL, elements[random_below(&state, 3)]);
        const char *at = text;
        size_t count = 0;
        struct smc_tile_access access;
        struct smc_error error;
        while (*at && smc_tile_parse_access(&at, "", &tile, NULL, &access, &error) == SMC_OK &&
               smc_tile_walk(&tile, &access, "", &walked[count], &error) == SMC_OK)
            count++;
        if (count == 2 && !is_free_simply(&tile, walked, 2)) {
            struct smc_tile_remedy swizzle, padding;
            struct smc_swizzle least = {0};
            cases++;
            smc_tile_find_swizzle(&banks, &tile, walked, 2, &swizzle);
            smc_tile_find_padding(&banks, &tile, walked, 2, &padding);
            const bool any = swizzle_simply(&tile, walked, 2, &least);
            const uint32_t elements_padded = padding_simply(&tile, walked, 2);
            wrong += any != swizzle.found ||
                     (any && memcmp(&least, &swizzle.tile.swizzle, sizeof least) != 0);
            wrong += (elements_padded != 0) != padding.found ||
                     (padding.found && padding.tile.padding != elements_padded);
            swizzled += any;
            padded += padding.found;
            none += !any && !padding.found;
        }
        for (size_t a = 0; a < 2; a++)
            smc_tile_walked_free(&walked[a]);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_TRUE(swizzled > 50 && padded > 50 && none > 5);
    if (getenv("SMC_TEST_SHOW"))
        printf("%u cases, %u with a swizzle, %u with a padding, %u with neither\n", cases, swizzled,
               padded, none);
}

static void search_both(const char *layout, const char *element, const char *ops,
                        struct smc_tile_remedy *padding, struct smc_tile_remedy *swizzle)
{
    const struct smc_bank_layout banks = banks_of(90);
    const struct smc_tile tile = tile_of(layout, NULL, element);
    struct smc_tile_walked walked[SMC_TILE_ACCESSES];
    const size_t count = walk_all(&tile, ops, walked);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    smc_tile_find_padding(&banks, &tile, walked, count, padding);
    smc_tile_find_swizzle(&banks, &tile, walked, count, swizzle);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (getenv("SMC_TEST_SHOW"))
        printf("%s, %s: %.1f ms; padding %u after %u, Swizzle<%u,%u,%d> after %u\n", layout, ops,
               (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                   (double)(end.tv_nsec - begin.tv_nsec) / 1e6,
               padding->tile.padding, padding->tried, swizzle->tile.swizzle.bits,
               swizzle->tile.swizzle.base, swizzle->tile.swizzle.shift, swizzle->tried);
    for (size_t a = 0; a < count; a++)
        smc_tile_walked_free(&walked[a]);
}

/* Known answers: a tile of halves for ldmatrix, a transposed tile of floats. */
static void test_known_remedies(void)
{
    struct smc_tile_remedy padding, swizzle;
    search_both("t[128][64]", "half", "st.16 rows; ldmatrix.x4", &padding, &swizzle);
    CU_ASSERT_TRUE(padding.found && padding.tile.padding == 8 && padding.tile.pitch == 64);
    CU_ASSERT_TRUE(swizzle.found && swizzle.tile.swizzle.bits == 3 &&
                   swizzle.tile.swizzle.base == 3 && swizzle.tile.swizzle.shift == 3);
    search_both("t[32][32]", "float", "st.4 rows; ld.4 columns", &padding, &swizzle);
    CU_ASSERT_TRUE(padding.found && padding.tile.padding == 1);
    CU_ASSERT_TRUE(swizzle.found && swizzle.tile.swizzle.bits == 5 &&
                   swizzle.tile.swizzle.base == 0 && swizzle.tile.swizzle.shift == 5);
    /* A lane's 16 bytes stay together, so that columns of single elements keep a conflict. */
    search_both("t[128][64]", "half", "st.16 rows; ld.2 columns", &padding, &swizzle);
    CU_ASSERT_TRUE(!padding.found && !swizzle.found && padding.tried == 64);
    CU_ASSERT_TRUE(swizzle.tried > 100);
}

CU_TestInfo tests_tiles[] = {
    {"offsets of CuTe layouts", test_offsets},
    {"bad layouts are refused at a character", test_bad_layouts},
    {"swizzles", test_swizzles},
    {"arrays", test_tiles},
    {"bad arrays, swizzles and accesses", test_bad_tiles},
    {"accesses that an array does not allow", test_bad_walks},
    {"offsets of single lanes", test_walks},
    {"the smallest padding and swizzle of 200 arrays by single elements", test_searches},
    {"known paddings and swizzles", test_known_remedies},
    CU_TEST_INFO_NULL,
};
