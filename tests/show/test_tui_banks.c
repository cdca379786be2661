/* The banks view agrees with the model for all settings, and its keys do what they should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "unit.h"
#include "view_sitting.h"

static uint64_t state = 1;

static uint32_t pick(uint32_t limit)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

static uint32_t conflicts(struct smc_bank_cost cost)
{
    return cost.wavefronts - cost.least;
}

/* --- Random patterns --- */

/* (tx*a + ty*b + lane*c) elements, evaluated here independently. */
struct pattern {
    uint32_t a, b, c, width, block[2];
    enum smc_bank_op op;
    uint32_t padding;
    bool swizzled;
};

static struct pattern random_pattern(void)
{
    return (struct pattern){
        .a = pick(70),
        .b = pick(70),
        .c = pick(3),
        .width = 1u << pick(5),
        .block = {1u << pick(6), 1 + pick(16)},
        .op = pick(2) ? SMC_BANK_LOAD : SMC_BANK_STORE,
        .padding = pick(3) ? pick(5) : 0,
        .swizzled = pick(3) == 0,
    };
}

/* Sets the expression through the fields, as a user would. */
static void set_pattern(struct sitting *sitting, const struct pattern *p)
{
    struct smc_banks_state *banks = &sitting->tui->banks;
    char text[128];
    struct {
        enum smc_bank_field field;
        char typed[128];
    } typed[] = {{SMC_BANK_FIELD_EXPRESSION, "0"},
                 {SMC_BANK_FIELD_BLOCK, ""},
                 {SMC_BANK_FIELD_WIDTH, ""},
                 {SMC_BANK_FIELD_EXPRESSION, ""},
                 {SMC_BANK_FIELD_PADDING, ""}};
    snprintf(text, sizeof text, "(tx*%u + ty*%u + lane*%u)*%u", p->a, p->b, p->c, p->width);
    snprintf(typed[1].typed, 128, "%ux%u", p->block[0], p->block[1]);
    snprintf(typed[2].typed, 128, "%u", p->width);
    memcpy(typed[3].typed, text, sizeof text);
    snprintf(typed[4].typed, 128, "%u", p->padding);
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct smc_banks_choice choice = banks->choice;
        CU_ASSERT_EQUAL_FATAL(
            smc_bank_field_type(banks, typed[i].field, typed[i].typed, &choice, NULL), SMC_OK);
        choice.op = p->op;
        smc_banks_choose(banks, &choice);
        CU_ASSERT_FATAL(banks->answered);
    }
    struct smc_banks_choice choice = banks->choice;
    smc_bank_field_step(banks, SMC_BANK_FIELD_SWIZZLE, p->swizzled ? 1 : -1, false, &choice);
    smc_banks_choose(banks, &choice);
}

/* The address of a thread in the layout that the view shows. */
static uint32_t address_of(const struct pattern *p, const struct smc_rearrangement *layout,
                           uint32_t thread)
{
    uint32_t tx = thread % p->block[0], ty = thread / p->block[0];
    uint32_t element = tx * p->a + ty * p->b + thread % 32 * p->c;
    if (!layout->row_elements)
        return element * p->width;
    uint32_t row = element / layout->row_elements, column = element % layout->row_elements;
    if (p->swizzled && layout->swizzle_span)
        column ^= (row >> layout->swizzle_shift) % layout->swizzle_span;
    return (row * (layout->row_elements + p->padding) + column) * p->width;
}

static struct smc_access access_of(const struct pattern *p, const struct smc_rearrangement *layout,
                                   uint32_t warp)
{
    struct smc_access access = {.width_bytes = p->width, .op = p->op};
    for (uint32_t lane = 0; lane < 32 && warp * 32 + lane < p->block[0] * p->block[1]; lane++) {
        access.mask |= 1u << lane;
        access.address[lane] = address_of(p, layout, warp * 32 + lane);
    }
    return access;
}

/* The number of different words in the fullest bank; this is the complete rule if a lane accesses
   at most one word. */
static uint32_t fullest_bank(const struct smc_access *access)
{
    uint32_t fullest = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint32_t words = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t word = access->address[lane] / 4;
            bool counts = access->mask >> lane & 1 && word % 32 == bank;
            for (uint32_t other = 0; other < lane; other++)
                counts =
                    counts && !(access->mask >> other & 1 && access->address[other] / 4 == word);
            words += counts;
        }
        fullest = words > fullest ? words : fullest;
    }
    return fullest;
}

static bool agrees(const struct smc_banks_state *banks, const struct pattern *p)
{
    const struct smc_rearrangement *layout = &banks->change.array[0];
    struct smc_bank_cost total = {0};
    for (uint32_t warp = 0; warp < banks->answer.warps_per_block; warp++) {
        struct smc_access access = access_of(p, layout, warp);
        struct smc_bank_cost cost = smc_banks_count(&banks->answer.layout, &access);
        total.wavefronts += cost.wavefronts;
        total.least += cost.least;
        if (p->width <= 4 && cost.wavefronts != fullest_bank(&access))
            return false;
        if (warp == banks->warp &&
            (cost.wavefronts != banks->map.cost.wavefronts || cost.least != banks->map.cost.least))
            return false;
    }
    return banks->answered && total.wavefronts == banks->total[0].wavefronts &&
           total.least == banks->total[0].least;
}

static void test_random_patterns(void)
{
    static const char *const devices[] = {"9.0", "7.5", "5.2"};
    const size_t patterns = share_of(3000, 5);
    size_t wrong = 0, changed = 0, free = 0;
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 40, 120);
    for (size_t i = 0; i < patterns; i++) {
        struct pattern p = random_pattern();
        smc_device_find(devices[pick(3)], &sitting.tui->explore.query.device,
                        sitting.tui->explore.query.device_note, NULL);
        sitting_keys(&sitting, "F3");
        set_pattern(&sitting, &p);
        const struct smc_banks_state *banks = &sitting.tui->banks;
        wrong += !agrees(banks, &p);
        changed += banks->change.array[0].row_elements > 0;
        free += conflicts(banks->total[0]) < conflicts(banks->answer.pattern[0].total);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(changed > patterns / 3 &&
              free > patterns / 30); /* otherwise the test proves nothing */
    sitting_close(&sitting);
}

/* --- What is drawn --- */

/* The number that begins at a cell, or -1. */
static int number_at(const struct smc_frame *frame, struct smc_rect rect, int row, int col)
{
    int number = -1;
    for (int i = 0; i < 2; i++) {
        uint32_t glyph = frame->cell[(rect.row + row) * frame->cols + rect.col + col + i].glyph;
        if (glyph >= '0' && glyph <= '9')
            number = (number < 0 ? 0 : 10 * number) + (int)(glyph - '0');
    }
    return number;
}

static bool is_drawn(struct sitting *sitting)
{
    const struct smc_banks_state *banks = &sitting->tui->banks;
    struct smc_banks_layout layout;
    sitting_screen(sitting);
    smc_banks_lay_out(smc_tui_body(sitting->tui), &layout);
    struct smc_rect grid = layout.inside[SMC_BANKS_GRID];
    int cell = smc_banks_cell_columns(grid, banks->answer.layout.banks);
    int count = (int)banks->map.cost.wavefronts, rows = grid.rows - SMC_BANKS_HEADINGS;
    for (int row = 0; row < count && row < rows; row++)
        for (uint32_t bank = 0; bank < banks->answer.layout.banks; bank++) {
            uint32_t lanes = banks->map.wavefront[row].lanes[bank];
            int col = SMC_BANKS_LABEL_COLUMNS + (int)bank * cell;
            int expected = lanes ? __builtin_ctz(lanes) : -1;
            if (number_at(&sitting->frame, grid, SMC_BANKS_HEADINGS + row, col) != expected)
                return false;
        }
    return true;
}

static void test_cells_are_the_map(void)
{
    size_t wrong = 0;
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 60, 200);
    sitting_keys(&sitting, "F3");
    for (int i = 0; i < 300; i++) {
        struct pattern p = random_pattern();
        set_pattern(&sitting, &p);
        wrong += !is_drawn(&sitting);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    sitting_close(&sitting);
}

/* Each word of each lane is in the row and bank of its address, and nothing else is marked. */
static bool is_in_memory(const struct smc_access *access, const struct smc_bank_memory *memory)
{
    size_t words = 0, marks = 0;
    for (uint32_t lane = 0; lane < 32; lane++)
        for (uint32_t byte = 0; byte < access->width_bytes; byte += 4) {
            uint32_t address = access->address[lane] + byte;
            size_t row = 0;
            while (row < memory->count && memory->row[row] != address / memory->row_bytes)
                row++;
            uint32_t bank = address % memory->row_bytes / (memory->row_bytes / 32);
            words += access->mask >> lane & 1;
            if (access->mask >> lane & 1 &&
                (row == memory->count || !(memory->lanes[row][bank] >> lane & 1)))
                return false;
        }
    for (size_t row = 0; row < memory->count; row++) {
        if (row > 0 && memory->row[row] <= memory->row[row - 1])
            return false;
        for (int bank = 0; bank < 32; bank++)
            marks += (size_t)__builtin_popcount(memory->lanes[row][bank]);
    }
    return marks == words;
}

static void test_memory(void)
{
    size_t wrong = 0;
    struct smc_bank_memory memory;
    for (int i = 0; i < 2000; i++) {
        struct smc_bank_layout layout = {.banks = 32, .neighbouring_words = 1};
        struct smc_access access = {.mask = pick(UINT32_MAX), .width_bytes = 1u << pick(5)};
        for (int lane = 0; lane < 32; lane++)
            access.address[lane] = pick(3000) * access.width_bytes;
        smc_bank_memory_find(&layout, &access, &memory);
        wrong += !is_in_memory(&access, &memory);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* --- Kernels --- */

/* Each proposal, set in its field, removes the conflicts of the array; `tried` counts paddings,
   swizzles and dropped paddings. */
static size_t failing_remedies(struct smc_banks_state *banks, size_t tried[3])
{
    size_t failing = 0;
    for (uint32_t i = 0; i < banks->answer.pattern_count; i++)
        for (int kind = 0; kind < 3; kind++) {
            const struct smc_banks_pattern *pattern = &banks->answer.pattern[i];
            const struct smc_remedy *const remedies[] = {&pattern->padding, &pattern->swizzle,
                                                         &pattern->narrower};
            const struct smc_rearrangement *layout = &remedies[kind]->rearrangement;
            struct smc_banks_choice choice = banks->choice;
            if (!remedies[kind]->found)
                continue;
            choice.array[pattern->array].swizzled = layout->swizzle_span > 0;
            choice.array[pattern->array].padding_elements =
                (int32_t)layout->padding_elements - (int32_t)layout->dropped_elements;
            smc_banks_choose(banks, &choice);
            failing += conflicts(banks->total[i]) > 0;
            smc_banks_undo(banks);
            failing += conflicts(banks->total[i]) != conflicts(pattern->total);
            tried[kind]++;
        }
    return failing;
}

static void test_kernels(void)
{
    static const char *const devices[] = {"1.3", "3.5", "6.1", "9.0"};
    size_t failing = 0, tried[3] = {0}, wrong = 0;
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    struct smc_query *query = &sitting.tui->explore.query;
    for (size_t k = 0; k < smc_kernel_count(); k++)
        for (int tile = 1; tile <= 32; tile++) {
            query->kernel = smc_kernel_at(k);
            smc_params_init(query->kernel, &query->params);
            query->params.value[SMC_PARAM_TILE] = tile;
            query->params.value[SMC_PARAM_BLOCK] = tile * 13;
            query->params.value[SMC_PARAM_DTYPE] = query->kernel->dtypes >> 1 & tile ? 1 : 0;
            smc_device_find(devices[tile % 4], &query->device, query->device_note, NULL);
            if (!(query->kernel->dtypes >> query->params.value[SMC_PARAM_DTYPE] & 1))
                query->params.value[SMC_PARAM_DTYPE] = __builtin_ctz(query->kernel->dtypes);
            sitting_keys(&sitting, "F3");
            struct smc_banks_state *banks = &sitting.tui->banks;
            wrong += smc_banks_is_own(banks) != !query->kernel->shared_accesses;
            for (uint32_t i = 0; i < banks->answer.pattern_count; i++)
                wrong += memcmp(&banks->total[i], &banks->answer.pattern[i].total,
                                sizeof banks->total[i]) != 0;
            failing += failing_remedies(banks, tried);
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(failing, 0);
    CU_ASSERT(tried[0] + tried[1] > 10);
    sitting_close(&sitting);
}

/* --- Keys --- */

static void test_padding_by_keys(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 120);
    sitting_keys(&sitting, "F3 Down Right");
    CU_ASSERT(sitting_shows(&sitting, "1 wavefront, no conflict"));
    sitting_keys(&sitting, "Right");
    CU_ASSERT(sitting_shows(&sitting, "2 wavefronts, 1 conflict "));
    sitting_keys(&sitting, "u u");
    CU_ASSERT(sitting_shows(&sitting, "32 wavefronts, 31 conflicts"));
    sitting_keys(&sitting, "u");
    CU_ASSERT(sitting_shows(&sitting, "nothing to undo"));
    sitting_keys(&sitting, "Down Enter"); /* the swizzle, switched on */
    CU_ASSERT(sitting_shows(&sitting, "swizzle   <on>"));
    CU_ASSERT(sitting_shows(&sitting, "put column c of row r at c ^ (r & 31)"));
    CU_ASSERT(sitting_shows(&sitting, "1 wavefront, no conflict"));
    sitting_keys(&sitting, "x");
    CU_ASSERT(sitting_shows(&sitting, "32 wavefronts, 31 conflicts"));
    sitting_keys(&sitting, "Up");
    sitting_type(&sitting, "33");
    CU_ASSERT(sitting_shows(&sitting, "'33' is not between 0 and 32"));
    sitting_keys(&sitting, "Up Right"); /* on the instruction itself */
    CU_ASSERT(sitting_shows(&sitting, "padding    1"));
    sitting_keys(&sitting, "> x");
    CU_ASSERT(sitting_shows(&sitting, "padding    0"));
    sitting_close(&sitting);
}

static void type_field(struct sitting *sitting, enum smc_bank_field field, const char *text)
{
    struct smc_banks_choice choice = sitting->tui->banks.choice;
    CU_ASSERT_EQUAL_FATAL(smc_bank_field_type(&sitting->tui->banks, field, text, &choice, NULL),
                          SMC_OK);
    smc_banks_choose(&sitting->tui->banks, &choice);
}

/* As `smemcalc banks` does, the view proposes to drop a padding that causes conflicts. */
static void test_dropping_by_keys(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 120);
    const struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3 Down");
    type_field(&sitting, SMC_BANK_FIELD_BLOCK, "32x32");
    type_field(&sitting, SMC_BANK_FIELD_EXPRESSION, "(tx*36 + ty)*4");
    CU_ASSERT(sitting_shows(&sitting, "padding -3: rows of 33 elements have no conflict: drop the "
                                      "padding: (tx*33 + ty)*4"));
    sitting_keys(&sitting, "Left Left Left Left");
    CU_ASSERT(sitting_shows(&sitting, "padding   <-3>"));
    CU_ASSERT(sitting_shows(&sitting, "1 wavefront, no conflict"));
    CU_ASSERT(sitting_shows(&sitting, "none of 96 conflicts is left: rows of 33 elements, without "
                                      "the padding: (tx*33 + ty)*4"));
    sitting_keys(&sitting, "Down Enter"); /* a swizzle needs the columns */
    CU_ASSERT(sitting_shows(&sitting, "swizzle   <off>") && sitting_shows(&sitting, "padding cut"));
    sitting_keys(&sitting, "y");
    CU_ASSERT(sitting_shows(&sitting, "smemcalc banks --expr '(tx*33 + ty)*4' --block 32x32 "));
    sitting_keys(&sitting, "Esc Up");
    sitting_type(&sitting, "40");
    CU_ASSERT(sitting_shows(&sitting, "'40' is not between -3 and 32"));
    type_field(&sitting, SMC_BANK_FIELD_BLOCK, "16x16"); /* too few columns for padding */
    CU_ASSERT(banks->answered && banks->choice.array[0].padding_elements == 0);
    sitting_keys(&sitting, "u x Down Enter Up Left");
    CU_ASSERT(banks->choice.array[0].swizzled && banks->choice.array[0].padding_elements == 0);
    sitting_close(&sitting);
}

static void test_dropping_helps(void)
{
    size_t failing = 0, tried[3] = {0};
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    sitting_keys(&sitting, "F3");
    type_field(&sitting, SMC_BANK_FIELD_BLOCK, "32x32");
    for (uint32_t row = 17; row < 80; row++) {
        char text[64];
        snprintf(text, sizeof text, "(t%c*%u + t%c)*4", row % 2 ? 'y' : 'x', row,
                 row % 2 ? 'x' : 'y');
        type_field(&sitting, SMC_BANK_FIELD_EXPRESSION, text);
        failing += failing_remedies(&sitting.tui->banks, tried);
    }
    CU_ASSERT_EQUAL(failing, 0);
    CU_ASSERT(tried[0] > 10 && tried[1] > 10 && tried[2] > 10);
    sitting_close(&sitting);
}

/* The fields are those of the instruction that the cursor came from. */
static void test_from_instruction_to_fields(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    const struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3 Home Down Enter Right Right");
    CU_ASSERT(banks->pattern == 1 && banks->on_field);
    CU_ASSERT_EQUAL(banks->choice.array[0].padding_elements, 0);
    CU_ASSERT_EQUAL(banks->choice.array[1].padding_elements, 2);
    sitting_keys(&sitting, "Up");
    CU_ASSERT(banks->pattern == 1 && !banks->on_field);
    sitting_keys(&sitting, "Up Right");
    CU_ASSERT_EQUAL(banks->choice.array[0].padding_elements, 1);
    sitting_keys(&sitting, "Down Down Down Down");
    CU_ASSERT(banks->pattern == 3 && banks->on_field);
    CU_ASSERT(sitting_shows(&sitting, "padding   <2>")); /* b_tile's, loaded here */
    sitting_close(&sitting);
}

static void test_arithmetic(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 40, 120);
    sitting_keys(&sitting, "F3");
    CU_ASSERT(sitting_shows(&sitting, "lane  1: byte 4;  4 / 4 = word 1;  1 mod 32 = bank 1"));
    CU_ASSERT_FALSE(sitting_shows(&sitting, "two words of one bank"));
    sitting_keys(&sitting, "End Enter Ctrl-U");
    sitting_type(&sitting, "tx*8");
    CU_ASSERT(sitting_shows(&sitting, "lane  0: byte 0;  0 / 4 = word 0;  0 mod 32 = bank 0"));
    CU_ASSERT(
        sitting_shows(&sitting, "lane 16: byte 128;  128 / 4 = word 32;  32 mod 32 = bank 0"));
    CU_ASSERT(sitting_shows(&sitting, "two words of one bank: one waits for the other"));
    sitting_close(&sitting);
}

static void test_expressions(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3 End");
    CU_ASSERT(sitting_shows(&sitting, "address   <the kernel's>"));
    sitting_keys(&sitting, "Enter Ctrl-U");
    sitting_type(&sitting, "tx*8 + ");
    CU_ASSERT(sitting_shows(&sitting, "address: column"));
    CU_ASSERT_FALSE(smc_banks_is_own(banks));
    sitting_keys(&sitting, "Enter Ctrl-U");
    sitting_type(&sitting, "tx*8");
    CU_ASSERT(smc_banks_is_own(banks));
    CU_ASSERT(sitting_shows(&sitting, "2 wavefronts, 1 conflict"));
    sitting_keys(&sitting, "Down Down Down"); /* block, width, access */
    sitting_keys(&sitting, "8");              /* a switch accepts no digits */
    CU_ASSERT(banks->choice.op == SMC_BANK_LOAD && !sitting.tui->prompt.open);
    sitting_keys(&sitting, "Up");
    sitting_type(&sitting, "3");
    CU_ASSERT(sitting_shows(&sitting, "'3' is not 1, 2, 4, 8 or 16 bytes"));
    sitting_type(&sitting, "16");
    CU_ASSERT(sitting_shows(&sitting, "not a multiple of 16 bytes"));
    CU_ASSERT_EQUAL(banks->choice.width_bytes, 4);
    sitting_keys(&sitting, "Right Right"); /* steps may go there; the view says why not */
    CU_ASSERT_FALSE(banks->answered);
    CU_ASSERT(sitting_shows(&sitting, "no answer"));
    CU_ASSERT(sitting_shows(&sitting, "not a multiple of 16 bytes"));
    sitting_keys(&sitting, "y Esc PgDn / Left");
    sitting_keys(&sitting, "Esc u u Up");
    CU_ASSERT(banks->answered);
    sitting_type(&sitting, "32x64");
    CU_ASSERT(sitting_shows(&sitting, "'32x64' is not a shape"));
    sitting_type(&sitting, "16x4x2");
    CU_ASSERT(sitting_shows(&sitting, "block     <16x4x2>"));
    sitting_keys(&sitting, "Right <");
    CU_ASSERT(sitting_shows(&sitting, "block     <8x8x2>"));
    sitting_keys(&sitting, "Up x");
    CU_ASSERT_FALSE(smc_banks_is_own(banks));
    sitting_close(&sitting);
}

static void test_places(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    const struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3 Home Down Down Enter Down Down Down Right Right");
    CU_ASSERT(sitting_shows(&sitting, "a_tile[y][i], warp 0, iteration 2"));
    sitting_keys(&sitting, ">");
    CU_ASSERT_EQUAL(banks->iteration, 10);
    sitting_keys(&sitting, "Up");
    sitting_type(&sitting, "31");
    CU_ASSERT(banks->warp == 31 && banks->iteration == 10);
    sitting_keys(&sitting, "Right Right");
    CU_ASSERT_EQUAL(banks->warp, 31);
    sitting_keys(&sitting, "F2 Home Down Down Enter");
    sitting_type(&sitting, "8"); /* a smaller tile: fewer warps and iterations */
    sitting_keys(&sitting, "F3");
    CU_ASSERT(banks->answered && banks->warp == 1 && banks->iteration == 7);
    sitting_keys(&sitting, "x");
    CU_ASSERT(banks->warp == 0 && banks->iteration == 0);
    sitting_keys(&sitting, "F2 Home Down Enter");
    sitting_type(&sitting, "matmul-naive"); /* has no shared memory */
    sitting_keys(&sitting, "F3");
    CU_ASSERT(smc_banks_is_own(banks) && banks->answered);
    CU_ASSERT(sitting_shows(&sitting, "(tx*32 + ty)*4"));
    sitting_close(&sitting);
}

static void test_scrolling(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    sitting_keys(&sitting, "F3");
    CU_ASSERT(sitting_shows(&sitting, "   1    0!") && !sitting_shows(&sitting, "  32    v!"));
    sitting_keys(&sitting, "PgDn");
    CU_ASSERT(!sitting_shows(&sitting, "   1    0!") && sitting_shows(&sitting, "   8    7!"));
    sitting_keys(&sitting, "PgDn PgDn PgDn PgDn PgDn PgDn");
    CU_ASSERT(sitting_shows(&sitting, "  32    v!") && sitting_shows(&sitting, "  26    p!"));
    sitting_keys(&sitting, "PgUp");
    CU_ASSERT(sitting_shows(&sitting, "  25    o!"));
    sitting_close(&sitting);
}

static void test_clicks(void)
{
    struct sitting sitting;
    struct smc_banks_layout layout;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    const struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3");
    smc_banks_lay_out(smc_tui_body(sitting.tui), &layout);
    struct smc_rect list = layout.inside[SMC_BANKS_LIST], fields = layout.inside[SMC_BANKS_FIELDS];
    smc_tui_click(sitting.tui, list.row + 3, list.col + 5, 0);
    CU_ASSERT(banks->pattern == 2 && !banks->on_field);
    smc_tui_click(sitting.tui, list.row + list.rows - 1, list.col + 5, 0);
    CU_ASSERT_EQUAL(banks->pattern, 2);
    smc_tui_click(sitting.tui, fields.row, fields.col + 5, 0);
    CU_ASSERT(banks->on_field && banks->field == SMC_BANK_FIELD_PADDING);
    smc_tui_click(sitting.tui, fields.row, fields.col + fields.cols - 1, 0);
    CU_ASSERT_EQUAL(banks->choice.array[0].padding_elements, 1);
    smc_tui_click(sitting.tui, fields.row, fields.col, 0);
    CU_ASSERT_EQUAL(banks->choice.array[0].padding_elements, 0);
    smc_tui_click(sitting.tui, fields.row, fields.col, -1); /* the wheel, upwards */
    CU_ASSERT_EQUAL(banks->choice.array[0].padding_elements, 1);
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "b_tile[i");
    CU_ASSERT(banks->pattern == 3 && !banks->on_field);
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "nowhere");
    CU_ASSERT(sitting_shows(&sitting, "'nowhere' is not on this screen"));
    sitting_close(&sitting);
}

/* Up from the address is the layout of an array. The arrows change its swizzle, and the conflicts.
 */
static void test_layouts(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 45, 140);
    struct smc_banks_state *banks = &sitting.tui->banks;
    sitting_keys(&sitting, "F3 End Up Enter Ctrl-U");
    sitting_type(&sitting, "half t[128][64");
    CU_ASSERT(sitting_shows(&sitting, "not a declaration such as t[128][64]"));
    CU_ASSERT_FALSE(smc_banks_is_tile(banks));
    sitting_keys(&sitting, "Enter Ctrl-U");
    sitting_type(&sitting, "half t[128][64]");
    CU_ASSERT_EQUAL_FATAL(banks->answer.pattern_count, 2);
    CU_ASSERT_EQUAL(banks->pattern, 1); /* ldmatrix.x4, the worst */
    CU_ASSERT_EQUAL(banks->total[1].wavefronts, 1024);
    CU_ASSERT(sitting_shows(&sitting, "declare it t[128][72]"));
    CU_ASSERT(sitting_shows(&sitting, "Swizzle<3,3,3> over (128,64):(64,1)"));
    sitting_keys(&sitting, "Down Down Right"); /* accesses, B */
    CU_ASSERT(banks->choice.swizzle.bits == 1 && banks->choice.swizzle.base == 3 &&
              banks->choice.swizzle.shift == 1);
    sitting_keys(&sitting, "Right Right");
    CU_ASSERT_EQUAL(banks->choice.swizzle.shift, 3);
    CU_ASSERT_EQUAL(banks->total[1].wavefronts, 128);
    CU_ASSERT(sitting_shows(&sitting, "no conflict: Swizzle<3,3,3> over (128,64):(64,1)"));
    sitting_keys(&sitting, "y");
    CU_ASSERT(sitting_shows(&sitting, "--swizzle 3,3,3"));
    sitting_keys(&sitting, "Esc Down Left"); /* M: 2 separates what a lane stores */
    CU_ASSERT(sitting_shows(&sitting, "M is at least 3"));
    sitting_keys(&sitting, "Right Down Left"); /* S */
    CU_ASSERT_EQUAL(banks->choice.swizzle.shift, -3);
    CU_ASSERT_EQUAL(banks->total[1].wavefronts, 1024);
    sitting_keys(&sitting, "u u");
    CU_ASSERT_TRUE(banks->choice.swizzle.base == 2 && !banks->answered);
    sitting_keys(&sitting, "Up Up Up Up x");
    CU_ASSERT_FALSE(smc_banks_is_tile(banks));
    CU_ASSERT_EQUAL(banks->answer.pattern_count, 4);
    sitting_close(&sitting);
}

static void test_commands(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "Tesla K40c", 24, 120);
    sitting_keys(&sitting, "F3 Down y");
    CU_ASSERT(sitting_shows(&sitting, "smemcalc banks --expr '(tx*32 + ty)*4' --block 32x8 "
                                      "--device 3.5 "));
    sitting_keys(&sitting, "Esc Right y");
    CU_ASSERT(sitting_shows(&sitting, "smemcalc banks --expr '(tx*33 + ty)*4' --block 32x8 "));
    sitting_keys(&sitting, "Esc End Right Home y");
    CU_ASSERT(sitting_shows(&sitting, "--bank-width 8 --device 3.5 "));
    sitting_close(&sitting);
    sitting_open(&sitting, "reverse-static", "H200", 24, 80);
    sitting_keys(&sitting, "F3 Home y");
    CU_ASSERT(sitting_shows(&sitting, "smemcalc banks --kernel reverse-static --device 9.0 "));
    sitting_keys(&sitting, "Esc Down Down Right Home y"); /* no option describes this layout */
    CU_ASSERT(sitting_shows(&sitting, "echo 1,st,4,ffffffff,0,4,8,12,"));
    sitting_close(&sitting);
}

/* The one typed on F2, until another is typed on F3. */
static void test_block_of_launch(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    const struct smc_banks_choice *choice = &sitting.tui->banks.choice;
    sitting_keys(&sitting, "F3");
    CU_ASSERT(choice->block[0] == 32 && choice->block[1] == 8);
    sitting_keys(&sitting, "F2 Home Down Down 1");
    sitting_type(&sitting, "6x12");
    sitting_keys(&sitting, "F3");
    CU_ASSERT(choice->block[0] == 16 && choice->block[1] == 12);
    struct smc_banks_choice own = *choice;
    own.block[1] = 4;
    smc_banks_choose(&sitting.tui->banks, &own);
    sitting_keys(&sitting, "F2 F3");
    CU_ASSERT(choice->block[0] == 16 && choice->block[1] == 4);
    sitting_close(&sitting);
}

CU_TestInfo tests_tui_banks[] = {
    {"random patterns cost what the model says", test_random_patterns},
    {"the cells show the map", test_cells_are_the_map},
    {"words lie where their addresses say", test_memory},
    {"kernels: proposals hold, undo takes them back", test_kernels},
    {"padding and swizzle by keys", test_padding_by_keys},
    {"a padding that does harm is dropped by keys", test_dropping_by_keys},
    {"proposals for expressions hold, too", test_dropping_helps},
    {"from an instruction to its layout", test_from_instruction_to_fields},
    {"from the address to the bank", test_arithmetic},
    {"expressions, good and bad", test_expressions},
    {"warps and iterations stay within the launch", test_places},
    {"wavefronts that have no room are scrolled to", test_scrolling},
    {"clicks, wheel and search", test_clicks},
    {"the command that gives the same", test_commands},
    {"the layout of an array and its swizzle", test_layouts},
    {"the block of the launch", test_block_of_launch},
    CU_TEST_INFO_NULL,
};
