/* tui/explore_layout and complete screens, at every size from 20x5 to 300x100. */
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "show/tui/explore.h"
#include "show/tui/frame.h"
#include "show/words/layout.h"
#include "tui_support.h"
#include "unit.h"

enum { LEAST_ROWS = 5, MOST_ROWS = 100, LEAST_COLS = 20, MOST_COLS = 300 };

static bool is_empty(struct smc_rect rect)
{
    return rect.rows <= 0 || rect.cols <= 0;
}

static bool overlap(struct smc_rect a, struct smc_rect b)
{
    return !is_empty(a) && !is_empty(b) && a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static bool lies_in(struct smc_rect part, struct smc_rect whole)
{
    return part.row >= whole.row && part.col >= whole.col &&
           part.row + part.rows <= whole.row + whole.rows &&
           part.col + part.cols <= whole.col + whole.cols;
}

/* Frames may share edges; no edge crosses a panel's inside. */
static size_t faults_of_layout(struct smc_rect body, int steps_rows, enum smc_time_form time)
{
    size_t faults = 0;
    struct smc_explore_layout layout;
    smc_explore_lay_out(body, steps_rows, time, &layout);
    for (int i = 0; i < SMC_PANEL_COUNT; i++) {
        faults += !is_empty(layout.frame[i]) && !lies_in(layout.frame[i], body);
        faults += !is_empty(layout.inside[i]) && !lies_in(layout.inside[i], layout.frame[i]);
        for (int other = 0; other < SMC_PANEL_COUNT; other++)
            faults += other != i && overlap(layout.inside[i], layout.frame[other]);
        faults += overlap(layout.time_line, layout.frame[i]);
    }
    faults += !is_empty(layout.time_line) && !lies_in(layout.time_line, body);
    return faults;
}

/* The necessary panels have a useful size, and no space is wasted. */
static size_t faults_of_essentials(struct smc_rect body, int steps_rows, enum smc_time_form time)
{
    static const struct {
        enum smc_explore_panel panel;
        int rows, cols;
    } least[] = {{SMC_PANEL_LAUNCH, 5, 25},
                 {SMC_PANEL_SM, 5, 30},
                 {SMC_PANEL_CHART, 5, 30},
                 {SMC_PANEL_STEPS, 4, 25}};
    size_t faults = 0, cells = 0;
    struct smc_explore_layout layout;
    smc_explore_lay_out(body, steps_rows, time, &layout);
    for (size_t i = 0; i < sizeof least / sizeof *least; i++) {
        struct smc_rect inside = layout.inside[least[i].panel];
        faults += inside.rows < least[i].rows || inside.cols < least[i].cols;
    }
    faults += body.rows >= 22 && layout.inside[SMC_PANEL_LIMITS].rows < 5;
    bool line = !is_empty(layout.time_line), panel = !is_empty(layout.inside[SMC_PANEL_TIME]);
    faults += line + panel != (time != SMC_TIME_HIDDEN);
    faults += panel && (time == SMC_TIME_LINE || layout.inside[SMC_PANEL_TIME].rows < 6);
    faults += time == SMC_TIME_PANEL && body.rows >= 38 && body.cols >= 80 && line;
    faults += layout.sm_rows * 5 > layout.inside[SMC_PANEL_SM].rows;
    for (int row = 0; row < body.rows; row++)
        for (int col = 0; col < body.cols; col++)
            for (int i = 0; i < SMC_PANEL_COUNT; i++)
                if (smc_rect_holds(layout.frame[i], body.row + row, body.col + col)) {
                    cells++;
                    break;
                }
    cells += (size_t)layout.time_line.rows * (size_t)layout.time_line.cols;
    return faults + (cells != (size_t)body.rows * (size_t)body.cols);
}

static void test_layout(void)
{
    size_t faults = 0, sizes = 0;
    for (int rows = LEAST_ROWS; rows <= MOST_ROWS; rows++) {
        for (int cols = LEAST_COLS; cols <= MOST_COLS; cols++) {
            struct smc_rect body = {1, 0, rows - 2, cols};
            int steps_rows = (rows + cols) % 20;
            enum smc_time_form time = (enum smc_time_form)((rows + cols) % 3);
            faults += faults_of_layout(body, steps_rows, time);
            if (rows >= SMC_LEAST_ROWS && cols >= SMC_LEAST_COLS && (rows + cols) % 5 == 0)
                faults += faults_of_essentials(body, steps_rows, time);
            sizes++;
        }
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT_EQUAL(sizes, 96 * 281);
}

/* --- Whole screens --- */

/* Memory around the cells that drawing must not change; exactly as long as the screen, so that a
   sanitizer detects a write beyond it. */
struct canvas {
    struct smc_frame frame;
    struct smc_cell *memory;
};

static void begin_canvas(struct canvas *canvas, int rows, int cols)
{
    size_t count = (size_t)rows * (size_t)cols;
    canvas->memory = malloc(count * sizeof *canvas->memory);
    CU_ASSERT_PTR_NOT_NULL_FATAL(canvas->memory);
    for (size_t i = 0; i < count; i++)
        canvas->memory[i] = (struct smc_cell){'?', SMC_STYLE_BAD};
    canvas->frame = (struct smc_frame){rows, cols, canvas->memory};
}

static size_t faults_of_cells(const struct smc_frame *frame)
{
    size_t faults = 0;
    for (int i = 0; i < frame->rows * frame->cols; i++) {
        const struct smc_cell *cell = &frame->cell[i];
        bool first = i % frame->cols == 0, last = (i + 1) % frame->cols == 0;
        int columns = cell->glyph ? smc_utf8_columns(cell->glyph) : 0;
        faults += cell->style >= SMC_STYLE_COUNT;
        faults += cell->glyph == 0 && (first || smc_utf8_columns(cell[-1].glyph) != 2);
        faults += columns == 2 && (last || cell[1].glyph != 0);
        faults += cell->glyph != 0 && columns == 0;
    }
    return faults;
}

/* The sides of the panels are complete: no text overwrites them. */
static size_t faults_of_sides(const struct smc_tui *tui, const struct smc_frame *frame)
{
    size_t faults = 0;
    struct smc_explore_layout layout;
    struct smc_rect body = {1, 0, frame->rows - 2, frame->cols};
    smc_explore_place(&tui->explore, body, &layout);
    for (int i = 0; i < SMC_PANEL_COUNT; i++) {
        const struct smc_rect *rect = &layout.frame[i];
        if (rect->rows < 2 || rect->cols < 2)
            continue;
        for (int row = rect->row; row < rect->row + rect->rows; row++) {
            const struct smc_cell *line = &frame->cell[row * frame->cols + rect->col];
            uint32_t left = line[0].glyph, right = line[rect->cols - 1].glyph;
            faults += left < 0x2500 || left > 0x257f || right < 0x2500 || right > 0x257f;
        }
    }
    return faults;
}

/* "q quit" ends the last row, with a blank before it. */
static bool ends_in_quit(const struct smc_frame *frame)
{
    static const char quit[] = " q quit ";
    const struct smc_cell *end = &frame->cell[frame->rows * frame->cols - (int)strlen(quit)];
    for (size_t i = 0; quit[i]; i++)
        if (end[i].glyph != (uint32_t)quit[i])
            return false;
    return true;
}

static size_t faults_of_screen(struct smc_tui *tui, int rows, int cols)
{
    struct canvas canvas;
    bool plain = !tui->popup.open && !tui->pick.open && !tui->prompt.open && !tui->message[0];
    begin_canvas(&canvas, rows, cols);
    smc_tui_resize(tui, rows, cols);
    smc_tui_draw(tui, &canvas.frame);
    size_t faults = faults_of_cells(&canvas.frame);
    if (rows >= SMC_LEAST_ROWS && cols >= SMC_LEAST_COLS) {
        faults += plain && !ends_in_quit(&canvas.frame);
        faults += plain || tui->prompt.open ? faults_of_sides(tui, &canvas.frame) : 0;
    }
    free(canvas.memory);
    return faults;
}

/* Nothing open, the help, the command line, a prompt, a long message. */
static void vary(struct smc_tui *tui, uint32_t choice)
{
    static const uint32_t opens[] = {SMC_KEY_ESCAPE, SMC_KEY_F1, 'y', SMC_KEY_ENTER, '/'};
    if (tui->prompt.open || tui->popup.open || tui->pick.open)
        smc_tui_key(tui, SMC_KEY_ESCAPE);
    smc_tui_key(tui, SMC_KEY_DOWN);
    if (choice < sizeof opens / sizeof *opens)
        smc_tui_key(tui, opens[choice]);
    else
        smc_tui_say(tui, SMC_STYLE_BAD, "%0200d \xe6\xbc\xa2 %0200d", 1, 2);
}

/* Any kind of launch, including refused ones and ones without an answer. */
static void make_odd(struct smc_query *query)
{
    if (random_below(3) == 0)
        query->regs_per_thread = 1 + random_below(300);
    if (random_below(4) == 0)
        query->dynamic_smem_bytes = random_below(300000);
    if (random_below(4) == 0)
        query->settings.blocks_per_cluster = 1 + random_below(9);
    if (query->kernel && query->kernel->params & 1u << SMC_PARAM_LDA && random_below(4) == 0) {
        query->params.value[SMC_PARAM_LDA] = 1 + random_below(2000);
        query->params.given |= 1u << SMC_PARAM_LDA;
    }
}

/* Each size is drawn with some launch, device and open box, and all of these occur many times. */
static void test_screens(void)
{
    size_t faults = 0, screens = 0;
    random_begin(7);
    for (int rows = LEAST_ROWS; rows <= MOST_ROWS; rows++) {
        struct smc_query query;
        test_query(test_kernel((size_t)rows % test_kernel_count()), random_below(TEST_DEVICES),
                   &query);
        make_odd(&query);
        struct smc_tui *tui = test_open(&query, rows, 80);
        int step = rows % 7 ? 11 : 1; /* sizes beyond 80x24 differ little */
        for (int cols = LEAST_COLS; cols <= MOST_COLS; cols += cols < 100 ? 1 : step) {
            const uint32_t choice = random_below(6);
            if (!share_has((size_t)(rows + cols), 9))
                continue;
            vary(tui, choice);
            faults += faults_of_screen(tui, rows, cols);
            screens++;
        }
        test_close(tui);
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(screens > 1000);
}

/* Every kernel on every device, with every field under the cursor. */
static void test_every_field(void)
{
    size_t faults = 0;
    for (size_t kernel = 0; kernel < test_kernel_count(); kernel++) {
        for (size_t device = 0; device < TEST_DEVICES; device++) {
            struct smc_query query;
            enum smc_field fields[SMC_FIELD_COUNT];
            if (!share_has(kernel + device, 3))
                continue;
            test_query(test_kernel(kernel), device, &query);
            struct smc_tui *tui = test_open(&query, 24, 80);
            size_t count = smc_fields_shown(&query, fields);
            for (size_t i = 0; i < count; i++) {
                smc_explore_go(&tui->explore, fields[i]);
                faults += faults_of_screen(tui, 24, 80) + faults_of_screen(tui, 16, 60) +
                          faults_of_screen(tui, 60, 200);
            }
            test_close(tui);
        }
    }
    CU_ASSERT_EQUAL(faults, 0);
}

/* No next step of any kernel on any device is cut off at 80x24 and above; on the smallest screen
   the panel's edge names the key that shows all of them. */
static size_t cut_steps(struct smc_tui *tui, int rows, int cols, bool *whole)
{
    struct smc_explore_layout layout;
    struct smc_frame nothing = {0};
    struct smc_rect body = {1, 0, rows - 2, cols};
    smc_tui_resize(tui, rows, cols);
    smc_explore_place(&tui->explore, body, &layout);
    struct smc_rect steps = layout.inside[SMC_PANEL_STEPS];
    *whole = smc_draw_steps(&tui->explore, steps, &nothing) <= steps.rows;
    struct smc_text screen = test_screen(tui, false);
    bool says = strstr(smc_text_string(&screen), "i shows all");
    smc_text_free(&screen);
    return says == *whole;
}

static void test_steps(void)
{
    size_t faults = 0, cut = 0;
    bool whole;
    for (size_t kernel = 0; kernel < test_kernel_count(); kernel++) {
        for (size_t device = 0; device < TEST_DEVICES; device++) {
            struct smc_query query;
            test_query(test_kernel(kernel), device, &query);
            struct smc_tui *tui = test_open(&query, 24, 80);
            faults += cut_steps(tui, 24, 80, &whole) + !whole;
            faults += cut_steps(tui, 60, 200, &whole) + !whole;
            faults += cut_steps(tui, 16, 60, &whole);
            cut += !whole;
            smc_tui_key(tui, 'i');
            CU_ASSERT(tui->popup.open);
            CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&tui->popup.text), "\xe2\x80\xa2 "));
            CU_ASSERT_PTR_NULL(strchr(smc_text_string(&tui->popup.text), *SMC_TIE));
            test_close(tui);
        }
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(cut > 0);
}

/* A step is one item even if its text has a "; ". */
static void test_items(void)
{
    struct smc_query query;
    struct smc_capability rubin;
    test_query(NULL, 3, &query);
    CU_ASSERT_FATAL(smc_capability_find(107, &rubin));
    smc_device_of_capability(&rubin, &query.device);
    query.dynamic_smem_bytes = query.device.sm.smem_oversized_per_block_bytes;
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_tui_key(tui, 'i');
    const char *text = smc_text_string(&tui->popup.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, " oversized, which CUDA 13.5 has; without it a block"));
    CU_ASSERT_PTR_NULL(strstr(text, "\xe2\x80\xa2 without"));
    test_close(tui);
}

/* Names that users chose: very long, wide, and with terminal controls. */
static void test_hostile_names(void)
{
    static const char *const parts[] = {"\xe6\xbc\xa2",
                                        "\x1b[31m",
                                        "\xf0\x9f\x9a\x80",
                                        "e\xcc\x81",
                                        "\xff\xfe",
                                        "\xc2\x9b",
                                        "W",
                                        "\n"};
    size_t faults = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct smc_query query;
        test_query(smc_kernel_at(0), 3, &query);
        char *name = query.device.name;
        size_t length = strlen(parts[i]);
        memset(name, 0, sizeof query.device.name);
        while (strlen(name) + length < sizeof query.device.name)
            memcpy(name + strlen(name), parts[i], length);
        struct smc_tui *tui = test_open(&query, 24, 80);
        for (int cols = 60; cols < 200; cols++)
            faults += faults_of_screen(tui, 24, cols);
        struct smc_text text = test_screen(tui, true);
        CU_ASSERT_PTR_NULL(strpbrk(smc_text_string(&text), "\x1b\x7f\t\r"));
        smc_text_free(&text);
        test_close(tui);
    }
    CU_ASSERT_EQUAL(faults, 0);
}

CU_TestInfo tests_tui_layout[] = {
    {"panels at every size", test_layout},
    {"screens at every size", test_screens},
    {"every field of every kernel", test_every_field},
    {"next steps are never cut off", test_steps},
    {"a next step is one item", test_items},
    {"hostile names", test_hostile_names},
    CU_TEST_INFO_NULL,
};
