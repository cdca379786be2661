/* Proposals that remove bank conflicts, in the model and in an answer; the catalog's access
   patterns compared with the kernels' text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/banks_query.h"
#include "share.h"
#include "unit.h"

static struct smc_bank_layout layout_of(uint16_t cc)
{
    struct smc_capability capability;
    struct smc_bank_layout layout;
    CU_ASSERT_FATAL(smc_capability_find(cc, &capability));
    smc_bank_layout_of(&capability.sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

/* Lane n reads row n, column `column`, of an array with rows of `row` elements. */
static struct smc_access column_of(uint32_t row, uint32_t column, uint32_t width_bytes)
{
    struct smc_access access = {
        .mask = SMC_ALL_LANES, .width_bytes = width_bytes, .op = SMC_BANK_STORE};
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = (lane * row + column) * width_bytes;
    return access;
}

static bool is_free_after(const struct smc_rearrangement *found,
                          const struct smc_bank_layout *layout, struct smc_access access)
{
    if (!smc_rearrange_access(found, &access))
        return false;
    const struct smc_bank_cost cost = smc_banks_count(layout, &access);
    return cost.wavefronts == cost.least;
}

/* Every smaller padding of the same rows leaves a conflict. */
static void test_smallest_padding(void)
{
    static const uint32_t rows[] = {2, 8, 16, 24, 32, 40, 64, 96, 1024};
    static const uint32_t widths[] = {4, 8, 16};
    struct smc_bank_layout layout = layout_of(90);
    size_t wrong = 0, found_some = 0;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            struct smc_access access = column_of(rows[r], 1, widths[w]);
            struct smc_conflict_search search = {.layout = &layout,
                                                 .access = &access,
                                                 .access_count = 1,
                                                 .row_elements = &rows[r],
                                                 .row_count = 1};
            struct smc_rearrangement found = {0};
            if (!smc_conflict_free_padding(&search, &found))
                continue;
            found_some++;
            wrong += !is_free_after(&found, &layout, access);
            for (found.padding_elements--; found.padding_elements > 0; found.padding_elements--)
                wrong += is_free_after(&found, &layout, access);
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(found_some, 27);
}

static void test_known_proposals(void)
{
    struct smc_bank_layout layout = layout_of(90), old = layout_of(11);
    uint32_t row = 32, row_of_16 = 16;
    struct smc_access access = column_of(32, 0, 4), other = column_of(16, 0, 4);
    struct smc_conflict_search search = {.layout = &layout,
                                         .access = &access,
                                         .access_count = 1,
                                         .row_elements = &row,
                                         .row_count = 1};
    struct smc_rearrangement found = {0};
    CU_ASSERT(smc_conflict_free_padding(&search, &found) && found.padding_elements == 1);
    CU_ASSERT(smc_conflict_free_swizzle(&search, &found));
    CU_ASSERT(found.swizzle_span == 32 && found.swizzle_shift == 0);
    struct smc_conflict_search of_1x = {.layout = &old,
                                        .access = &other,
                                        .access_count = 1,
                                        .row_elements = &row_of_16,
                                        .row_count = 1};
    CU_ASSERT(smc_conflict_free_padding(&of_1x, &found) && found.padding_elements == 1);
    CU_ASSERT(smc_conflict_free_swizzle(&of_1x, &found) && found.swizzle_span == 16);
    for (uint32_t lane = 0; lane < 32; lane++) /* stride 2: the upper half warp is shifted */
        access.address[lane] = lane * 8;
    CU_ASSERT(smc_conflict_free_swizzle(&search, &found));
    CU_ASSERT(found.swizzle_span == 2 && found.swizzle_shift == 0);
    /* An array that no layout helps: lanes that need different words of one bank in one row. */
    for (uint32_t lane = 0; lane < 32; lane++)
        access.address[lane] = lane * 128;
    row = 100000;
    CU_ASSERT(!smc_conflict_free_padding(&search, &found));
    CU_ASSERT(!smc_conflict_free_swizzle(&search, &found));
    access.address[31] = UINT32_MAX - 3; /* a padded address beyond 32 bits is none */
    row = 32;
    CU_ASSERT(!smc_conflict_free_padding(&search, &found));
}

/* The library's door finds what the search finds, for several accesses together. */
static void test_remedies(void)
{
    struct smc_bank_layout layout = layout_of(90);
    struct smc_access access[2] = {column_of(32, 0, 4), column_of(32, 0, 4)};
    struct smc_bank_remedy remedy;
    struct smc_error error;
    for (uint32_t lane = 0; lane < 32; lane++) /* a row */
        access[0].address[lane] = lane * 4;
    const struct smc_bank_array array = {sizeof array, &layout, access, 2, 4, 32, 0};
    CU_ASSERT_EQUAL_FATAL(smc_bank_remedy_find(&array, &remedy, &error), SMC_OK);
    CU_ASSERT_EQUAL(remedy.cost.wavefronts, 33);
    CU_ASSERT_EQUAL(remedy.cost.least, 2);
    CU_ASSERT_TRUE(remedy.has_padding && remedy.has_swizzle);
    CU_ASSERT_EQUAL(remedy.padding.padding_elements, 1);
    CU_ASSERT_EQUAL(remedy.swizzle.swizzle_span, 32);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(is_free_after(&remedy.padding, &layout, access[i]));
        CU_ASSERT_TRUE(is_free_after(&remedy.swizzle, &layout, access[i]));
    }
    access[1].width_bytes = 8;
    access[1].address[3] = 4;
    CU_ASSERT_EQUAL(smc_bank_remedy_find(&array, &remedy, &error), SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message,
                           "access 1: lane 3: address 4 is not a multiple of the width 8");
    /* Lanes that ldmatrix.x1 does not use may hold anything. */
    access[1] =
        (struct smc_access){.mask = SMC_ALL_LANES, .width_bytes = 16, .op = SMC_BANK_LDMATRIX_X1};
    for (uint32_t lane = 0; lane < 8; lane++)
        access[1].address[lane] = 1024 + lane * 128;
    const struct smc_bank_array matrix = {sizeof matrix, &layout, &access[1], 1, 2, 64, 1024};
    CU_ASSERT_EQUAL(smc_bank_remedy_find(&matrix, &remedy, &error), SMC_OK);
    CU_ASSERT_EQUAL(remedy.cost.wavefronts, 8);
    CU_ASSERT_TRUE(remedy.has_padding && remedy.padding.padding_elements == 8);
}

/* No two elements move to one place, and no element is lost or leaves its row. */
static void test_rearrangements(void)
{
    static const struct smc_rearrangement cases[] = {
        {4, 32, 1, 0, 0, 0, 0},   {4, 32, 0, 32, 0, 128, 0}, {8, 24, 0, 8, 2, 40, 0},
        {2, 10, 3, 2, 1, 250, 0}, {16, 64, 0, 16, 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static unsigned char taken[1 << 17];
        uint32_t bytes = cases[i].row_elements * 70 * cases[i].element_bytes;
        size_t wrong = 0;
        memset(taken, 0, sizeof taken);
        for (uint32_t address = 0; address < bytes; address++) {
            uint32_t first = cases[i].first_byte;
            uint64_t to = smc_rearrange(&cases[i], first + address) - first;
            uint64_t row_bytes = (uint64_t)(cases[i].row_elements + cases[i].padding_elements) *
                                 cases[i].element_bytes;
            uint32_t row = address / cases[i].element_bytes / cases[i].row_elements;
            wrong += to / row_bytes != row || taken[to]++ ||
                     to % cases[i].element_bytes != address % cases[i].element_bytes;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* --- Whole answers ---------------------------------------------------------------------------- */

static struct smc_banks_answer answer;

static void ask(struct smc_banks_query *query)
{
    struct smc_error error = {""};
    struct smc_capability capability;
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    smc_device_of_capability(&capability, &query->device);
    enum smc_status status = smc_banks_answer(query, &answer, &error);
    if (status != SMC_OK)
        printf("\n    %s", error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
}

static void test_rewritten_expressions(void)
{
    static const struct {
        const char *expression;
        uint32_t block[3];
        uint32_t width_bytes;
        const char *padded, *swizzled;
    } cases[] = {
        {"(tx*32 + ty)*4",
         {32, 8, 1},
         4,
         "(tx*33 + ty)*4",
         "(tx*32 + ty)*4 ^ ((tx*32 + ty)*4/128 & 31)*4"},
        {"tx*128 + ty*4",
         {32, 8, 1},
         4,
         "tx*132 + ty*4",
         "tx*128 + ty*4 ^ ((tx*128 + ty*4)/128 & 31)*4"},
        {"4*(threadIdx.x*64 + threadIdx.y)",
         {32, 4, 1},
         4,
         "4*(threadIdx.x*65 + threadIdx.y)",
         NULL},
        {"(tx << 7) + ty*4", {32, 4, 1}, 4, "(tx << 7) + ty*4 + ((tx << 7) + ty*4)/128*4", NULL},
        {"tx*256", {32, 1, 1}, 8, "tx*264", NULL},
        {"tx ? tx*128 : 0", {32, 1, 1}, 4, "tx ? tx*132 : 0", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_banks_query query, again;
        smc_banks_query_init(&query);
        query.expression = cases[i].expression;
        query.width_bytes = cases[i].width_bytes;
        memcpy(query.block, cases[i].block, sizeof query.block);
        ask(&query);
        const struct smc_banks_pattern pattern = answer.pattern[0];
        CU_ASSERT(pattern.total.wavefronts > pattern.total.least);
        CU_ASSERT_STRING_EQUAL(pattern.padding.expression, cases[i].padded);
        if (cases[i].swizzled)
            CU_ASSERT_STRING_EQUAL(pattern.swizzle.expression, cases[i].swizzled);
        for (int n = 0; n < 2; n++) { /* both proposals have the effect that they promise */
            const struct smc_remedy *remedy = n ? &pattern.swizzle : &pattern.padding;
            again = query;
            again.expression = remedy->expression;
            CU_ASSERT(remedy->found && remedy->expression[0]);
            ask(&again);
            CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, pattern.total.least);
        }
    }
}

static void test_answers(void)
{
    struct smc_banks_query query;
    smc_banks_query_init(&query);
    query.expression = "(ty*33 + tx)*4";
    query.block[0] = 32;
    query.block[1] = 8;
    ask(&query);
    CU_ASSERT_EQUAL(answer.warps_per_block, 8);
    CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, 8);
    CU_ASSERT(!answer.pattern[0].padding.found && !answer.pattern[0].swizzle.found);
    query.expression = "warp == 2 ? lane*128 : lane*4";
    ask(&query);
    CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, 7 + 32);
    CU_ASSERT_EQUAL(answer.pattern[0].worst_warp, 2);
    query.warp = 1;
    ask(&query);
    CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, 1);
    smc_banks_query_init(&query); /* the last warp is incomplete */
    query.expression = "lane*128";
    query.block[0] = 40;
    ask(&query);
    CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, 32 + 8);
    smc_banks_query_init(&query);
    query.stride = 16;
    query.width_bytes = 8;
    ask(&query);
    CU_ASSERT_EQUAL(answer.pattern[0].total.wavefronts, 32);
    CU_ASSERT_STRING_EQUAL(answer.pattern[0].padding.expression, "lane*17*8");
}

static void test_refusals(void)
{
    static const struct {
        const char *expression;
        int32_t warp;
        const char *message;
    } cases[] = {
        {"tx*4)", -1, "option --expr: column 5: ')' without '('"},
        {"tx == 7 ? 64/(tx - 7) : 0", -1, "option --expr: warp 0, lane 7: division by zero"},
        {"(lane - 1)*4", -1,
         "option --expr: warp 0, lane 0: the address -4 is not between 0 and 4294967295"},
        {"warp << 33", -1,
         "option --expr: warp 1, lane 0: the address 8589934592 is not between 0 and 4294967295"},
        {"tx*2", -1,
         "option --expr: warp 0, lane 1: the address 2 is not a multiple of 4 bytes, the --width "
         "of an access"},
        {"tx*4", 2,
         "option --warp: '2' is not between 0 and 1, the warps of a block of 64 threads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_banks_query query;
        struct smc_error error = {""};
        smc_banks_query_init(&query);
        query.expression = cases[i].expression;
        query.block[0] = 64;
        query.warp = cases[i].warp;
        CU_ASSERT_EQUAL(smc_banks_answer(&query, &answer, &error), SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
    }
}

/* --- The catalog's patterns, from the loops of the kernels' text ------------------------------ */

static uint32_t address_of(const struct smc_shared_access *access, uint32_t thread)
{
    bool active = access->access.mask >> thread % 32 & 1;
    return active ? access->access.address[thread % 32] : UINT32_MAX;
}

static void begin(const char *name, struct smc_params *params, const struct smc_kernel **kernel)
{
    *kernel = smc_kernel_find(name);
    CU_ASSERT_PTR_NOT_NULL_FATAL(*kernel);
    CU_ASSERT_PTR_NOT_NULL_FATAL((*kernel)->shared_accesses);
    smc_params_init(*kernel, params);
}

/* One kernel's tiles: a_tile(row, column) and the other one's elements, in bytes. */
static size_t wrong_tile_accesses(const char *name, uint32_t tile, uint32_t pad, uint32_t bytes)
{
    struct smc_params params;
    const struct smc_kernel *kernel;
    struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
    size_t wrong = 0;
    begin(name, &params, &kernel);
    params.value[SMC_PARAM_TILE] = tile;
    params.value[SMC_PARAM_PAD] = pad;
    params.value[SMC_PARAM_DTYPE] = bytes == 4 ? SMC_FLOAT : SMC_DOUBLE;
    bool transposed = name[0] == 'a', swizzled = strcmp(name, "aat-swizzled") == 0;
    uint32_t row_a = transposed ? tile : tile + pad, row_b = tile + pad;
    while (swizzled && __builtin_popcount(row_b) != 1)
        row_b++;
    for (uint32_t i = 0; i <= tile; i++)
        for (uint32_t y = 0; y < tile; y++)
            for (uint32_t x = 0; x < tile; x++) {
                uint32_t thread = y * tile + x, b = tile * row_a;
                uint32_t row = transposed ? x : y, column = transposed ? y : x;
                uint32_t stored = swizzled ? column ^ row : column, loaded = swizzled ? x ^ i : x;
                uint32_t expected[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
                if (i == 0) {
                    expected[0] = (y * row_a + x) * bytes;
                    expected[1] = (b + row * row_b + stored) * bytes;
                }
                if (i < tile) {
                    expected[2] = (y * row_a + i) * bytes;
                    expected[3] = (b + i * row_b + loaded) * bytes;
                }
                wrong += kernel->shared_accesses(kernel, &params, thread / 32, i, list) != 4;
                for (int a = 0; a < 4; a++) {
                    wrong += address_of(&list[a], thread) != expected[a];
                    wrong += list[a].first_byte != (a % 2 ? b * bytes : 0);
                    wrong += list[a].row_elements != (a % 2 ? row_b : row_a);
                }
            }
    return wrong;
}

static void test_tile_patterns(void)
{
    size_t wrong = 0;
    for (uint32_t tile = 1; tile <= 32; tile++)
        for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
            if (!share_takes((tile & (tile - 1)) == 0 || tile % 5 == bytes / 4))
                continue;
            wrong += wrong_tile_accesses("matmul-tiled", tile, 0, bytes);
            wrong += wrong_tile_accesses("matmul-tiled", tile, tile % 5 + 1, bytes);
            wrong += wrong_tile_accesses("aat-conflict", tile, 0, bytes);
            wrong += wrong_tile_accesses("aat-padded", tile, tile % 4, bytes);
            wrong += wrong_tile_accesses("aat-swizzled", tile, 0, bytes);
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The minimum and the conflicts of one block's accesses to the transposed tile of A A^T. */
static struct smc_bank_cost transposed_tile(const char *name, int64_t tile, int64_t pad,
                                            enum smc_dtype dtype)
{
    struct smc_banks_query query;
    struct smc_error error = {""};
    smc_banks_query_init(&query);
    CU_ASSERT_EQUAL(smc_device_find("9.0", &query.device, (char[256]){""}, &error), SMC_OK);
    begin(name, &query.params, &query.kernel);
    query.params.value[SMC_PARAM_TILE] = tile;
    query.params.value[SMC_PARAM_PAD] = pad;
    query.params.value[SMC_PARAM_DTYPE] = dtype;
    CU_ASSERT_EQUAL(smc_banks_answer(&query, &answer, &error), SMC_OK);
    struct smc_bank_cost store = answer.pattern[1].total, load = answer.pattern[3].total;
    return (struct smc_bank_cost){.wavefronts = store.wavefronts + load.wavefronts,
                                  .least = store.least + load.least};
}

/* The effects that the family demonstrates. */
static void test_aat_conflicts(void)
{
    for (enum smc_dtype dtype = SMC_FLOAT; dtype <= SMC_DOUBLE; dtype++) {
        transposed_tile("aat-conflict", 32, 0, dtype);
        const struct smc_banks_pattern *store = &answer.pattern[1];
        CU_ASSERT_STRING_EQUAL(store->label, "t_tile[x][y]");
        CU_ASSERT_EQUAL(store->total.wavefronts, 32 * 32);
        CU_ASSERT_EQUAL(store->total.least, dtype == SMC_FLOAT ? 32 : 64);
        CU_ASSERT_EQUAL(answer.worst, 1);
        CU_ASSERT(store->padding.found && store->swizzle.found);
        CU_ASSERT_EQUAL(store->padding.rearrangement.padding_elements, 1);
        struct smc_bank_cost cost = transposed_tile("aat-padded", 32, 1, dtype);
        CU_ASSERT_EQUAL(cost.wavefronts, cost.least);
        for (int64_t tile = 1; tile <= 32; tile *= 2) {
            cost = transposed_tile("aat-swizzled", tile, 0, dtype);
            CU_ASSERT_EQUAL(cost.wavefronts, cost.least);
        }
    }
}

/* The smallest padding beyond `pad` that removes the conflicts of aat-padded; 0: none does. */
static int64_t least_further_padding(int64_t tile, int64_t pad)
{
    for (int64_t more = 1; pad + more <= smc_param_info[SMC_PARAM_PAD].highest; more++) {
        struct smc_bank_cost cost = transposed_tile("aat-padded", tile, pad + more, SMC_FLOAT);
        if (cost.wavefronts == cost.least)
            return more;
    }
    return 0;
}

/* The padding proposed for a kernel's tile is the one that removes the kernel's conflicts. In
   shared memory the tile's rows do not begin at multiples of their length. */
static void test_proposed_paddings(void)
{
    static const int64_t tiles[] = {5, 7, 16};
    unsigned proposals = 0, wrong = 0;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (int64_t pad = 0; pad < 10; pad++) {
            struct smc_bank_cost cost = transposed_tile("aat-padded", tiles[i], pad, SMC_FLOAT);
            const struct smc_remedy remedy = answer.pattern[1].padding;
            if (cost.wavefronts == cost.least)
                continue;
            int64_t least = least_further_padding(tiles[i], pad);
            wrong += least > 0 && !remedy.found;
            wrong += least > 0 && remedy.rearrangement.padding_elements != least;
            wrong += remedy.found && remedy.rearrangement.row_elements != tiles[i] + pad;
            proposals += remedy.found;
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(proposals > 10);
}

/* Counts the accesses: each staged element is stored once, each window is summed completely. */
static void test_stencil_patterns(void)
{
    static const int64_t cases[][2] = {{256, 3}, {33, 100}, {1, 5}, {64, 0}, {1000, 7}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct smc_params params;
        const struct smc_kernel *kernel;
        struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
        begin(c % 2 ? "stencil-static" : "stencil-dynamic", &params, &kernel);
        uint32_t block = (uint32_t)(params.value[SMC_PARAM_BLOCK] = cases[c][0]);
        uint32_t radius = (uint32_t)(params.value[SMC_PARAM_RADIUS] = cases[c][1]);
        uint32_t stored[4096] = {0}, wrong = 0, loads = 0;
        for (uint32_t thread = 0; thread < (block + 31) / 32 * 32; thread++)
            for (uint32_t step = 0; step < 2 * radius + 3; step++) {
                wrong += kernel->shared_accesses(kernel, &params, thread / 32, step, list) != 2;
                uint32_t store = address_of(&list[0], thread), load = address_of(&list[1], thread);
                if (store != UINT32_MAX)
                    stored[store / 4]++;
                loads += load != UINT32_MAX;
                wrong += load != UINT32_MAX && load != (thread + step) * 4;
            }
        for (uint32_t i = 0; i < 4096; i++)
            wrong += stored[i] != (i < block + 2 * radius);
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(loads, block * (2 * radius + 1));
    }
}

static void test_reverse_patterns(void)
{
    static const int64_t cases[][2] = {{256, 256}, {32, 1000}, {1024, 17}, {50, 120}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct smc_params params;
        const struct smc_kernel *kernel;
        struct smc_shared_access list[SMC_MAX_SHARED_ACCESSES];
        begin(c % 2 ? "reverse-static" : "reverse-dynamic", &params, &kernel);
        uint32_t block = (uint32_t)(params.value[SMC_PARAM_BLOCK] = cases[c][0]);
        uint32_t length = (uint32_t)(params.value[SMC_PARAM_LENGTH] = cases[c][1]);
        uint32_t wrong = 0, stores = 0;
        for (uint32_t thread = 0; thread < (block + 31) / 32 * 32; thread++)
            for (uint32_t step = 0, i = thread; step < length / block + 2; step++, i += block) {
                bool active = thread < block && i < length;
                wrong += kernel->shared_accesses(kernel, &params, thread / 32, step, list) != 2;
                uint32_t store = active ? i * 4 : UINT32_MAX;
                uint32_t load = active ? (length - 1 - i) * 4 : UINT32_MAX;
                wrong += address_of(&list[0], thread) != store;
                wrong += address_of(&list[1], thread) != load;
                stores += active;
            }
        CU_ASSERT_EQUAL(wrong, 0);
        CU_ASSERT_EQUAL(stores, length);
    }
}

/* --- Rows found in expressions ---------------------------------------------------------------- */

struct array_case {
    uint32_t row, step; /* elements between rows, and between columns */
    uint32_t block[2];
    bool transposed; /* tx walks down a column */
    char text[64];
};

static void make_case(struct array_case *c)
{
    static const uint32_t shapes[][2] = {{32, 1}, {32, 8}, {16, 16}, {8, 32}, {4, 8}, {32, 32}};
    const uint32_t *shape = shapes[rand() % 6];
    c->block[0] = shape[0];
    c->block[1] = shape[1];
    c->transposed = rand() % 2;
    c->step = 1u << rand() % 3;
    uint32_t columns = c->transposed ? shape[1] : shape[0];
    c->row = columns * c->step + 1 + (uint32_t)rand() % 64;
    snprintf(c->text, sizeof c->text, c->transposed ? "(tx*%u + ty*%u)*4" : "(ty*%u + tx*%u)*4",
             c->row, c->step);
}

static uint64_t element_of(const struct array_case *c, uint32_t thread)
{
    uint32_t x = thread % c->block[0], y = thread / c->block[0];
    return c->transposed ? (uint64_t)x * c->row + y * c->step : (uint64_t)y * c->row + x * c->step;
}

/* Wavefronts above one for each warp, by counting the words of each bank; a row length of 0 is not
   padded. */
static uint32_t count_conflicts(const struct array_case *c, uint32_t row, uint32_t padding)
{
    uint32_t threads = c->block[0] * c->block[1], conflicts = 0;
    for (uint32_t warp = 0; warp < threads / 32; warp++) {
        uint32_t words[32] = {0}, most = 1;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t word = element_of(c, warp * 32 + lane);
            word += row ? word / row * padding : 0;
            words[word % 32]++; /* all elements are distinct */
            most = words[word % 32] > most ? words[word % 32] : most;
        }
        conflicts += most - 1;
    }
    return conflicts;
}

static enum smc_status ask_case(const struct array_case *c, const char *expression,
                                struct smc_banks_answer *found)
{
    struct smc_banks_query query;
    char note[256];
    smc_banks_query_init(&query);
    CU_ASSERT_EQUAL(smc_device_find("9.0", &query.device, note, NULL), SMC_OK);
    query.expression = expression;
    query.block[0] = c->block[0];
    query.block[1] = c->block[1];
    return smc_banks_answer(&query, found, NULL);
}

static void test_rows_of_expressions(void)
{
    const size_t rounds = share_of(2000, 4);
    unsigned wrong = 0, padded = 0, rows = 0;
    struct smc_banks_answer *found = malloc(sizeof *found);
    CU_ASSERT_PTR_NOT_NULL_FATAL(found);
    srand(10);
    for (size_t round = 0; round < rounds; round++) {
        struct array_case c;
        make_case(&c);
        CU_ASSERT_EQUAL_FATAL(ask_case(&c, c.text, found), SMC_OK);
        const struct smc_banks_pattern pattern = found->pattern[0];
        const struct smc_rearrangement *padding = &pattern.padding.rearrangement;
        uint32_t before = count_conflicts(&c, 0, 0);
        wrong += pattern.row_elements != c.row;
        wrong += pattern.total.wavefronts - pattern.total.least != before;
        if (!pattern.padding.found)
            continue;
        padded++;
        rows += padding->row_elements == c.row;
        wrong += padding->row_elements != c.row && padding->row_elements != 32;
        wrong += count_conflicts(&c, padding->row_elements, padding->padding_elements) != 0;
        if (pattern.padding.expression[0]) {
            wrong += ask_case(&c, pattern.padding.expression, found) != SMC_OK;
            wrong += found->pattern[0].total.wavefronts != found->pattern[0].total.least;
        }
    }
    free(found);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(padded > rounds / 8 && rows > rounds / 20);
}

CU_TestInfo tests_conflict_free[] = {
    {"rows and paddings of random expressions", test_rows_of_expressions},
    {"the padding found is the smallest", test_smallest_padding},
    {"known proposals", test_known_proposals},
    {"what removes the conflicts of several accesses", test_remedies},
    {"elements keep apart", test_rearrangements},
    {"expressions written anew", test_rewritten_expressions},
    {"answers", test_answers},
    {"refusals", test_refusals},
    {"the accesses to the tiles of products", test_tile_patterns},
    {"A A^T: conflict, padding, swizzle", test_aat_conflicts},
    {"A A^T: the paddings proposed", test_proposed_paddings},
    {"the stencils' accesses", test_stencil_patterns},
    {"the reverses' accesses", test_reverse_patterns},
    CU_TEST_INFO_NULL,
};
