/* tui: the screens of banks and devices at every size: panels do not overlap, nothing is drawn
   outside them, nothing important is cut. */
#include <stdio.h>
#include <string.h>

#include "show/tui/devices_state.h"
#include "show/tui/frame.h"
#include "show/tui/widgets.h"
#include "unit.h"
#include "view_sitting.h"

enum { MOST_ROWS = 100, MOST_COLS = 300, BARS = 2 };

static bool apart(struct smc_rect a, struct smc_rect b)
{
    return a.row + a.rows <= b.row || b.row + b.rows <= a.row || a.col + a.cols <= b.col ||
           b.col + b.cols <= a.col;
}

static bool within(struct smc_rect outer, struct smc_rect inner)
{
    return inner.row >= outer.row && inner.col >= outer.col &&
           inner.row + inner.rows <= outer.row + outer.rows &&
           inner.col + inner.cols <= outer.col + outer.cols;
}

static bool is_room(struct smc_rect rect, int rows, int cols)
{
    return rect.rows >= rows && rect.cols >= cols;
}

/* --- Layouts --- */

static bool banks_are_sound(struct smc_rect body)
{
    struct smc_banks_layout layout;
    smc_banks_lay_out(body, &layout);
    const struct smc_rect *inside = layout.inside;
    for (int i = 0; i < SMC_BANKS_PANEL_COUNT; i++) {
        if (!within(body, layout.frame[i]) || !within(layout.frame[i], inside[i]))
            return false;
        for (int k = 0; k < i; k++)
            if (!apart(inside[i], inside[k]))
                return false;
    }
    int cell = smc_banks_cell_columns(inside[SMC_BANKS_GRID], SMC_MAX_BANKS);
    int least_cell = body.cols >= 80 ? 2 : 1;
    int grid_cols = SMC_BANKS_LABEL_COLUMNS + cell * SMC_MAX_BANKS + 1;
    return cell >= least_cell && is_room(inside[SMC_BANKS_GRID], 5, grid_cols) &&
           is_room(inside[SMC_BANKS_LIST], 4, 30) && is_room(inside[SMC_BANKS_FIELDS], 4, 24) &&
           is_room(inside[SMC_BANKS_REMEDY], 1, 44);
}

static bool spans_are_sound(int cols)
{
    struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
    int col = 0;
    smc_devices_spans(cols, span);
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        if (span[i].col < col || span[i].cols < 0)
            return false;
        col = span[i].col + span[i].cols;
    }
    return col < cols && span[SMC_DEVICE_COLUMN_NAME].cols >= 14 &&
           span[SMC_DEVICE_COLUMN_LIMITERS].cols > (int)strlen("warps+registers");
}

static bool devices_are_sound(struct smc_rect body)
{
    struct smc_devices_layout layout;
    smc_devices_lay_out(body, &layout);
    bool compares = layout.compare.rows > 0;
    bool compared = within(body, layout.compare) && is_room(layout.compare_inside, 7, 58) &&
                    apart(layout.table_inside, layout.compare_inside);
    return compares == (body.rows >= 20 || body.cols >= 170) && (compared || !compares) &&
           within(body, layout.table) && is_room(layout.table_inside, 8, 58) &&
           spans_are_sound(layout.table_inside.cols);
}

static void test_layouts(void)
{
    size_t wrong = 0;
    for (int rows = SMC_LEAST_ROWS; rows <= MOST_ROWS; rows++)
        for (int cols = SMC_LEAST_COLS; cols <= MOST_COLS; cols++) {
            struct smc_rect body = {1, 0, rows - BARS, cols};
            wrong += !banks_are_sound(body);
            wrong += !devices_are_sound(body);
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* --- Drawing at many sizes --- */

typedef bool check(const struct sitting *sitting);

static bool has(const struct sitting *sitting, const char *text)
{
    return strstr(smc_text_string(&sitting->screen), text) != NULL;
}

/* How many of the sizes fail. All small sizes are tried, and a sample of the large ones. */
static size_t failing_sizes(struct sitting *sitting, check *passes)
{
    size_t failing = 0;
    for (int rows = SMC_LEAST_ROWS; rows <= MOST_ROWS; rows += rows < 26 ? 1 : 12)
        for (int cols = SMC_LEAST_COLS; cols <= MOST_COLS; cols += cols < 84 ? 1 : 9) {
            struct smc_rect body = {1, 2, rows - BARS, cols};
            sitting_resize(sitting, rows, cols);
            sitting_screen(sitting);
            bool fails = !passes(sitting) || sitting_spills(sitting, body);
            if (fails && failing++ == 0)
                printf("\n%d x %d fails\n%s", cols, rows, sitting_screen(sitting));
        }
    return failing;
}

static bool shows_conflict(const struct sitting *sitting)
{
    return has(sitting, "32 wavefronts, 31 conflicts") && has(sitting, "(tx*32 + ty)*4") &&
           has(sitting, " 256 ") && has(sitting, " 248 ") && has(sitting, "padding   <0>") &&
           has(sitting, "pad each row of 32 elements") && has(sitting, "! conflicts");
}

static bool shows_freedom(const struct sitting *sitting)
{
    return has(sitting, "1 wavefront, no conflict") && has(sitting, "padding   <1>") &&
           has(sitting, "none of 248 conflicts is left");
}

static void test_banks_at_all_sizes(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    sitting_keys(&sitting, "F3 Down");
    CU_ASSERT_EQUAL(failing_sizes(&sitting, shows_conflict), 0);
    sitting_keys(&sitting, "Right");
    CU_ASSERT_EQUAL(failing_sizes(&sitting, shows_freedom), 0);
    sitting_close(&sitting);
}

static bool shows_kernel(const struct sitting *sitting)
{
    return has(sitting, "b_tile[i][x] ") && has(sitting, "matmul-tiled ") && has(sitting, "<3>") &&
           has(sitting, "warp 3, iteration 0") && has(sitting, "1 wavefront, no conflict") &&
           has(sitting, " no conflict: each warp takes");
}

static void test_kernel_at_all_sizes(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_keys(&sitting, "Down Up");
    sitting_type(&sitting, "16");
    sitting_keys(&sitting, "F3 Down Down Down Down Down Down");
    sitting_type(&sitting, "3"); /* the warp */
    CU_ASSERT_EQUAL(failing_sizes(&sitting, shows_kernel), 0);
    sitting_close(&sitting);
}

static bool shows_devices(const struct sitting *sitting)
{
    static const char *const headings[] = {"device", "CC",     "regs",
                                           "blocks", "occup.", "limited by"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (!has(sitting, headings[i]))
            return false;
    bool words = has(sitting, "warps+registers") || has(sitting, "warps and registers");
    bool all = sitting->tui->cols < 77 ||
               (has(sitting, "waves") && has(sitting, "SMs") && has(sitting, "228K"));
    bool beside =
        sitting->tui->rows < 22 || (has(sitting, "side by side") && has(sitting, "occupancy"));
    return words && all && beside && has(sitting, "100 %") &&
           (has(sitting, "? assumed") || has(sitting, " table "));
}

static void test_devices_at_all_sizes(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_keys(&sitting, "F4 Space Space Up");
    CU_ASSERT_EQUAL(failing_sizes(&sitting, shows_devices), 0);
    sitting_close(&sitting);
}

/* --- Command lines --- */

/* Parses the words as a shell does. */
static void unwrap(const char *wrapped, char *line)
{
    for (; *wrapped; wrapped++) {
        if (wrapped[0] == '\\' && wrapped[1] == '\n')
            wrapped++;
        else
            *line++ = *wrapped == '\n' ? ' ' : *wrapped;
    }
    *line = '\0';
}

static size_t widest_line(const char *text)
{
    size_t widest = 0;
    while (*text) {
        size_t length = strcspn(text, "\n");
        widest = length > widest ? length : widest;
        text += length + (text[length] == '\n');
    }
    return widest;
}

static void test_wrapped_commands(void)
{
    static const char command[] =
        "smemcalc banks --expr '(tx*32 + ty)*4 + (tx*64 + ty)*4 + lane*4' --block 32x8 --warp 3 "
        "--device \"NVIDIA GeForce RTX 4090\"";
    static const char row[] = "echo 1,ld,4,ffffffff,0,4,8,12,16,20,24,28 | smemcalc banks --csv -";
    size_t wrong = 0;
    for (int columns = 28; columns < 130; columns++) {
        const char *const texts[] = {command, row};
        for (size_t i = 0; i < 2; i++) {
            char line[256];
            struct smc_text out = {0};
            smc_command_wrap(texts[i], columns, &out);
            unwrap(smc_text_string(&out), line);
            wrong += widest_line(smc_text_string(&out)) > (size_t)columns;
            /* Within single quotes a line end replaces a blank, which is kept before it. */
            for (char *two = strstr(line, "  "); two; two = strstr(line, "  "))
                memmove(two, two + 1, strlen(two));
            wrong += strcmp(line, texts[i]) != 0;
            smc_text_free(&out);
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* --- Signs --- */

static bool is_drawing(uint32_t glyph)
{
    bool line = glyph >= 0x2500 && glyph < 0x2580 && glyph != SMC_SIGN_UNREACHABLE;
    bool bar = glyph >= 0x2580 && glyph < 0x2590;
    return glyph < 0x80 || line || bar || glyph == 0x2190 || glyph == 0x2192;
}

/* A character that is not text, line or bar is a sign of that view. */
static size_t unknown_signs(struct sitting *sitting)
{
    size_t unknown = 0;
    const char *screen = sitting_screen(sitting);
    for (uint32_t glyph; *screen && (glyph = smc_utf8_next(&screen)) != 0;) {
        bool known = glyph == 0xfffd || is_drawing(glyph);
        for (size_t i = 0; i < smc_sign_count && !known; i++)
            known =
                smc_sign_info[i].glyph == glyph && smc_sign_info[i].views >> sitting->tui->view & 1;
        unknown += !known;
    }
    return unknown;
}

static void test_signs_of_views(void)
{
    static const char *const kernels[] = {"matmul-tiled", "aat-conflict", "stencil-static", NULL};
    static const char *const devices[] = {"8800 GTX", "H200"};
    size_t unknown = 0;
    for (size_t i = 0; i < 8; i++) {
        struct sitting sitting;
        sitting_open(&sitting, kernels[i % 4], devices[i / 4], 24, 80);
        for (int view = 0; view < SMC_VIEW_COUNT; view++) {
            smc_tui_show_view(sitting.tui, (enum smc_view_id)view);
            for (int cols = SMC_LEAST_COLS; cols <= 200; cols += 35) {
                sitting_resize(&sitting, cols / 3, cols);
                sitting_keys(&sitting, "Down Space");
                unknown += unknown_signs(&sitting);
            }
        }
        sitting_close(&sitting);
    }
    CU_ASSERT_EQUAL(unknown, 0);
}

/* --- Lessons --- */

/* PgDn goes through each page of every lesson to its question and shows all of it; PgUp goes back
   to the first page and does not close the lesson. */
static void test_turning(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 16, 60);
    sitting_keys(&sitting, "F6 1");
    struct smc_lessons *lessons = &sitting.tui->lessons;
    int presses = 0, pages = 0;
    for (size_t page = 0; presses < 100; presses++) {
        int top = lessons->top;
        sitting_keys(&sitting, "PgDn");
        if (lessons->page == page && lessons->top == top)
            break;
        pages += lessons->page != page;
        page = lessons->page;
    }
    CU_ASSERT_EQUAL(pages, 5);
    CU_ASSERT(presses > pages); /* some pages are longer than a screen */
    CU_ASSERT(sitting_shows(&sitting, "Question"));
    for (int i = 0; i < 100; i++)
        sitting_keys(&sitting, "PgUp");
    CU_ASSERT_EQUAL(lessons->page, 0);
    CU_ASSERT(lessons->is_open);
    CU_ASSERT(sitting_shows(&sitting, "PgDn"));
    sitting_close(&sitting);
}

CU_TestInfo tests_tui_views[] = {
    {"every sign is in its view's legend", test_signs_of_views},
    {"PgDn and PgUp turn the pages of a lesson", test_turning},
    {"panels stand side by side at every size", test_layouts},
    {"banks: what matters is shown at all sizes", test_banks_at_all_sizes},
    {"banks: a kernel's accesses at all sizes", test_kernel_at_all_sizes},
    {"devices: what matters is shown at all sizes", test_devices_at_all_sizes},
    {"a wrapped command is the same command", test_wrapped_commands},
    CU_TEST_INFO_NULL,
};
