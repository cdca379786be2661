/* tui: the screen of a trace: what is listed, in which order, what unfolds, and what is taken along
   to the first screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/tui/trace_list.h"
#include "trace_support.h"
#include "unit.h"
#include "view_sitting.h"

/* The explorer on a trace of a program with so many kernels. */
struct traced {
    struct test_trace test;
    struct sitting sitting;
};

static void open_on(struct traced *traced, int rows, int cols)
{
    sitting_open(&traced->sitting, "matmul-tiled", "T4", rows, cols);
    smc_tui_take_trace(traced->sitting.tui, &traced->test.answer);
}

static void traced_open(struct traced *traced, size_t kernels, int rows, int cols)
{
    test_trace_program(&traced->test, kernels, true);
    open_on(traced, rows, cols);
}

static void traced_close(struct traced *traced)
{
    sitting_close(&traced->sitting);
    test_trace_free(&traced->test);
}

static struct smc_trace_list *list_of(struct traced *traced)
{
    return &traced->sitting.tui->trace;
}

static const struct smc_trace_kernel *kernel_at(struct traced *traced, size_t line)
{
    return &traced->test.answer.kernels[list_of(traced)->line[line].kernel];
}

/* --- The list --- */

static void test_opens(void)
{
    struct traced traced;
    traced_open(&traced, 5, 24, 80);
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_TRACE);
    CU_ASSERT_EQUAL(list_of(&traced)->count, 5);
    CU_ASSERT_EQUAL(list_of(&traced)->cursor, 0);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "5 kernels by share, falling"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "vectorized_elementwise_kernel"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "occupancy 56.9 %, resident warps 49.7 %: full"));
    sitting_keys(&traced.sitting, "F2");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "F8"));
    traced_close(&traced);
}

/* Sorted by every column in both directions; what is unknown is last. */
static size_t faults_of_order(struct traced *traced, enum smc_trace_column column, bool reversed)
{
    const struct smc_trace_column_info *info = &smc_trace_column_info[column];
    struct smc_trace_list *list = list_of(traced);
    size_t faults = 0;
    smc_trace_list_sort(list, column, reversed);
    for (size_t i = 1; i < list->count; i++) {
        if (column == SMC_TRACE_COLUMN_NAME) {
            int order =
                strcasecmp(list->name[list->line[i - 1].kernel], list->name[list->line[i].kernel]);
            faults += reversed ? order < 0 : order > 0;
            continue;
        }
        double before = smc_trace_column_number(list, &list->line[i - 1], column);
        double number = smc_trace_column_number(list, &list->line[i], column);
        bool falls = info->rises == reversed;
        faults +=
            before < 0 ? number >= 0 : number >= 0 && (falls ? before < number : before > number);
    }
    return faults;
}

static void test_order(void)
{
    struct traced traced;
    size_t faults = 0;
    traced_open(&traced, 40, 24, 80);
    for (int i = 0; i < SMC_TRACE_COLUMN_COUNT; i++)
        for (int reversed = 0; reversed <= 1; reversed++)
            faults += faults_of_order(&traced, (enum smc_trace_column)i, reversed);
    CU_ASSERT_EQUAL(faults, 0);
    smc_trace_list_sort(list_of(&traced), SMC_TRACE_COLUMN_SHARE, false);
    CU_ASSERT_PTR_EQUAL(kernel_at(&traced, 0), traced.test.answer.kernels);
    sitting_keys(&traced.sitting, "Down Down");
    const struct smc_trace_kernel *here = kernel_at(&traced, 2);
    sitting_keys(&traced.sitting, "o"); /* the next column that 80 columns show */
    CU_ASSERT_EQUAL(list_of(&traced)->sort, SMC_TRACE_COLUMN_REGS);
    CU_ASSERT_PTR_EQUAL(kernel_at(&traced, list_of(&traced)->cursor), here);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "by regs, falling"));
    sitting_keys(&traced.sitting, "O");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "by regs, rising"));
    traced_close(&traced);
}

/* --- Unfolding --- */

static void test_unfolding(void)
{
    struct traced traced;
    traced_open(&traced, 5, 24, 80);
    struct smc_trace_list *list = list_of(&traced);
    size_t several = 0, rows = 0;
    while (traced.test.answer.kernels[several].count == 1)
        several++;
    rows = traced.test.answer.kernels[several].count;
    sitting_keys(&traced.sitting, "Right"); /* the first has one configuration */
    CU_ASSERT_EQUAL(list->count, 5);
    CU_ASSERT_PTR_NOT_NULL(strstr(traced.sitting.tui->message, "one configuration"));
    for (size_t i = 0; i < several; i++)
        sitting_keys(&traced.sitting, "Down");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "\xe2\x96\xb8"));
    sitting_keys(&traced.sitting, "Right");
    CU_ASSERT_EQUAL(list->count, 5 + rows);
    CU_ASSERT_EQUAL(list->cursor, several);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "\xe2\x96\xbe"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "256x1x1, grid "));
    sitting_keys(&traced.sitting, "End");
    CU_ASSERT_EQUAL(list->cursor, 5 + rows - 1);
    sitting_keys(&traced.sitting, "Down");
    CU_ASSERT_EQUAL(list->cursor, 5 + rows - 1);
    sitting_keys(&traced.sitting, "Home Up");
    CU_ASSERT_EQUAL(list->cursor, 0);
    for (size_t i = 0; i < several; i++)
        sitting_keys(&traced.sitting, "Down");
    sitting_keys(&traced.sitting, "Down Down");
    CU_ASSERT_FALSE(smc_trace_list_here(list)->is_kernel);
    CU_ASSERT_EQUAL(smc_trace_list_here(list)->row, traced.test.answer.kernels[several].first + 1);
    sitting_keys(&traced.sitting, "Left"); /* back on its kernel */
    CU_ASSERT_EQUAL(list->count, 5);
    CU_ASSERT_EQUAL(list->cursor, several);
    sitting_keys(&traced.sitting, "Enter"); /* unfolds, too */
    CU_ASSERT_EQUAL(list->count, 5 + rows);
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_TRACE);
    sitting_keys(&traced.sitting, "Enter");
    CU_ASSERT_EQUAL(list->count, 5);
    sitting_keys(&traced.sitting, ">");
    size_t all = 0;
    for (size_t i = 0; i < 5; i++)
        all += traced.test.answer.kernels[i].count > 1 ? traced.test.answer.kernels[i].count : 0;
    CU_ASSERT_EQUAL(list->count, 5 + all);
    sitting_keys(&traced.sitting, "<");
    CU_ASSERT_EQUAL(list->count, 5);
    traced_close(&traced);
}

/* --- Searching --- */

static void test_search(void)
{
    struct traced traced;
    traced_open(&traced, 40, 24, 80);
    struct smc_trace_list *list = list_of(&traced);
    sitting_keys(&traced.sitting, "n");
    CU_ASSERT_PTR_NOT_NULL(strstr(traced.sitting.tui->message, "nothing was searched"));
    sitting_keys(&traced.sitting, "/");
    sitting_type(&traced.sitting, "CUDAFUNCTOR");
    CU_ASSERT_PTR_NOT_NULL(strstr(kernel_at(&traced, list->cursor)->shown, "CUDAFunctor"));
    sitting_keys(&traced.sitting, "/");
    sitting_type(&traced.sitting, "small grid");
    CU_ASSERT_EQUAL(traced.test.answer.rows[smc_trace_list_here(list)->row].bound,
                    SMC_TRACE_BOUND_GRID);
    size_t first = list->cursor;
    sitting_keys(&traced.sitting, "n");
    CU_ASSERT(list->cursor > first);
    sitting_keys(&traced.sitting, "/");
    sitting_type(&traced.sitting, "no such kernel");
    CU_ASSERT_PTR_NOT_NULL(strstr(traced.sitting.tui->message, "no kernel has 'no such kernel'"));
    traced_close(&traced);
}

/* --- Taking one along --- */

/* The first screen answers each configuration as the trace does. */
static void test_every_row(void)
{
    struct traced traced;
    traced_open(&traced, 40, 24, 80);
    size_t faults = 0, unknown = 0;
    for (size_t i = 0; i < traced.test.answer.row_count; i++) {
        const struct smc_trace_row *row = &traced.test.answer.rows[i];
        struct smc_query query = traced.sitting.tui->explore.query;
        struct smc_answer answer;
        CU_ASSERT_FATAL(smc_trace_list_query(list_of(&traced), i, &query));
        faults += smc_query_evaluate(&query, NULL, &answer, NULL, NULL) != SMC_OK;
        faults += strcmp(query.device.name, "NVIDIA H200") != 0;
        unknown += row->unknown != NULL;
        faults += row->unknown
                      ? answer.resources.source != SMC_RESOURCES_ASSUMED
                      : memcmp(&answer.occupancy, &row->occupancy, sizeof answer.occupancy) != 0;
        faults += !row->unknown && (answer.waves.waves != row->waves.waves ||
                                    answer.resources.source != SMC_RESOURCES_FILE);
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(unknown > 0 && unknown < traced.test.answer.row_count);
    traced_close(&traced);
}

/* Registers and shared memory are varied there; x restores the trace's, u what was before. */
static void test_taking_along(void)
{
    struct traced traced;
    traced_open(&traced, 5, 40, 120);
    struct smc_tui *tui = traced.sitting.tui;
    struct smc_explore *explore = &tui->explore;
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 32); /* the largest, at once */
    sitting_keys(&traced.sitting, "/");
    sitting_type(&traced.sitting, "reduce");
    sitting_keys(&traced.sitting, "Enter Down Enter"); /* its largest configuration */
    CU_ASSERT_EQUAL(tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT_PTR_NOT_NULL(strstr(tui->message, "F8 goes back"));
    CU_ASSERT_EQUAL(explore->field, SMC_FIELD_REGS);
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 128);
    CU_ASSERT_EQUAL(explore->answer.launch.dynamic_smem_bytes, 49152);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "reduce on NVIDIA H200"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "trace"));
    sitting_keys(&traced.sitting, "Left");
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 127);
    sitting_keys(&traced.sitting, "x");
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 128);
    sitting_keys(&traced.sitting, "y");
    const char *command = smc_text_string(&tui->popup.text);
    CU_ASSERT_PTR_NOT_NULL(strstr(command, "--threads 256"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command, "--regs 128"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command, "--dynamic-smem 49152"));
    CU_ASSERT_PTR_NOT_NULL(strstr(command, "H200"));
    sitting_keys(&traced.sitting, "Esc F8");
    CU_ASSERT_EQUAL(tui->view, SMC_VIEW_TRACE);
    CU_ASSERT_FALSE(smc_trace_list_here(list_of(&traced))->is_kernel); /* where it was */
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "\xe2\x96\xb6"));
    sitting_keys(&traced.sitting, "F2 u u u");
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 32); /* the largest again */
    sitting_keys(&traced.sitting, "u");
    CU_ASSERT_PTR_NOT_NULL(explore->query.kernel); /* what was asked at the start */
    CU_ASSERT_PTR_NULL(explore->query.file_kernel);
    traced_close(&traced);
}

/* Another kernel is no longer the trace's; one's own keeps its numbers. */
static void test_other_kernels(void)
{
    struct traced traced;
    traced_open(&traced, 5, 40, 120);
    struct smc_explore *explore = &traced.sitting.tui->explore;
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "vectorized_elementwise_kernel"));
    sitting_keys(&traced.sitting, "F2 Home Down Enter");
    sitting_type(&traced.sitting, "your own");
    CU_ASSERT_PTR_NULL(explore->query.file_kernel);
    CU_ASSERT_PTR_NULL(explore->query.kernel);
    CU_ASSERT_EQUAL(explore->query.regs_per_thread, 32);
    CU_ASSERT_EQUAL(explore->query.threads_per_block, 256);
    sitting_keys(&traced.sitting, "u");
    CU_ASSERT_PTR_NOT_NULL(explore->query.file_kernel);
    sitting_keys(&traced.sitting, "Enter");
    sitting_type(&traced.sitting, "stencil-naive");
    CU_ASSERT_PTR_NULL(explore->query.file_kernel);
    CU_ASSERT_STRING_EQUAL(explore->query.kernel->name, "stencil-naive");
    /* All other screens know a kernel of a trace. */
    sitting_keys(&traced.sitting, "u F3 F4");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "devices"));
    sitting_keys(&traced.sitting, "F5 F6 F7 F8");
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_TRACE);
    traced_close(&traced);
}

/* --- Little is known --- */

static void test_no_trace(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "T4", 24, 80);
    sitting_keys(&sitting, "F8");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "No file and no trace is open"));
    CU_ASSERT_TRUE(sitting_shows(&sitting, "smemcalc tui --trace FILE"));
    sitting_keys(&sitting, "Down Enter Right o O i / n > < End y Esc ?");
    CU_ASSERT_TRUE(sitting.tui->popup.open);
    sitting_keys(&sitting, "Esc");
    smc_tui_click(sitting.tui, 5, 5, 0);
    smc_tui_click(sitting.tui, 5, 5, 1);
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_TRACE);
    sitting_close(&sitting);
}

static void test_unknown(void)
{
    struct traced traced;
    struct smc_trace_launch launch;
    test_trace_begin(&traced.test);
    smc_trace_note(traced.test.trace, "registers are not in this file");
    test_trace_launch("no_registers", 0, 0, 100, &launch);
    launch.regs_per_thread = SMC_TRACE_UNKNOWN;
    test_trace_add(&traced.test, &launch, 2, 0);
    test_trace_launch("no_block", 32, 0, 100, &launch);
    memset(launch.block, 0, sizeof launch.block);
    memset(launch.grid, 0, sizeof launch.grid);
    test_trace_add(&traced.test, &launch, 1, 0);
    test_trace_end(&traced.test);
    open_on(&traced, 24, 80);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "unknown 100 %"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "unknown: registers were not recorded"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "times unknown"));
    sitting_keys(&traced.sitting, "i");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "registers are not in this file"));
    sitting_keys(&traced.sitting, "Esc Enter");
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "registers were not recorded; assumed here"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "assumed"));
    sitting_keys(&traced.sitting, "F8 Down Enter");
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_TRACE);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "its block size was not recorded"));
    sitting_keys(&traced.sitting, "y");
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "no block size"));
    traced_close(&traced);
}

static void test_empty(void)
{
    struct traced traced;
    test_trace_begin(&traced.test);
    smc_trace_note(traced.test.trace, "no kernel was launched");
    test_trace_end(&traced.test);
    open_on(&traced, 24, 80);
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "no launch of a kernel"));
    CU_ASSERT_TRUE(sitting_shows(&traced.sitting, "no kernel was launched"));
    sitting_keys(&traced.sitting, "Down Enter Right o O i n > < End F2");
    CU_ASSERT_EQUAL(traced.sitting.tui->view, SMC_VIEW_EXPLORE);
    traced_close(&traced);
}

/* --- The mouse and sizes --- */

static void test_clicks(void)
{
    struct traced traced;
    traced_open(&traced, 40, 24, 80);
    struct smc_tui *tui = traced.sitting.tui;
    struct smc_trace_list *list = list_of(&traced);
    smc_tui_click(tui, 4 + 2, 10, 0); /* below the bar, the edge, the summary and the heading */
    CU_ASSERT_EQUAL(list->cursor, 2);
    smc_tui_click(tui, 4 + 2, 10, 0);
    CU_ASSERT(list->count > 40 || tui->view == SMC_VIEW_EXPLORE);
    sitting_keys(&traced.sitting, "F8 <");
    smc_tui_click(tui, 5, 10, 1);
    CU_ASSERT_EQUAL(list->cursor, 5);
    smc_tui_click(tui, 5, 10, -1);
    CU_ASSERT_EQUAL(list->cursor, 2);
    smc_tui_click(tui, 3, 10, 0); /* the heading of the names */
    CU_ASSERT_EQUAL(list->sort, SMC_TRACE_COLUMN_NAME);
    CU_ASSERT_FALSE(list->reversed);
    smc_tui_click(tui, 3, 10, 0);
    CU_ASSERT_TRUE(list->reversed);
    traced_close(&traced);
}

/* Every line can be reached at every size, and nothing is drawn outside. */
static void test_sizes(void)
{
    struct traced traced;
    size_t failures = 0;
    traced_open(&traced, 40, 24, 80);
    sitting_keys(&traced.sitting, ">");
    for (int rows = SMC_LEAST_ROWS; rows <= 80; rows += rows < 26 ? 1 : 12)
        for (int cols = SMC_LEAST_COLS; cols <= 300; cols += 17) {
            struct smc_rect body = {1, 2, rows - 2, cols};
            sitting_resize(&traced.sitting, rows, cols);
            sitting_keys(&traced.sitting, "Home");
            bool fails = !sitting_shows(&traced.sitting, " vectorized_el");
            sitting_keys(&traced.sitting, "End");
            fails = fails || !sitting_shows(&traced.sitting, " k_39 ");
            fails = fails || sitting_spills(&traced.sitting, body);
            if (fails && failures++ == 0)
                printf("\n%d x %d fails\n%s", cols, rows, sitting_screen(&traced.sitting));
        }
    CU_ASSERT_EQUAL(failures, 0);
    traced_close(&traced);
}

static void test_hostile_names(void)
{
    static const char *const parts[] = {"x",         "\xe6\xbc\xa2", "a<b, ",
                                        "e\xcc\x81", "\x1b[31m",     "\n"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct traced traced;
        struct smc_trace_launch launch;
        struct smc_text name = {0};
        for (int n = 0; n < 3000; n++)
            smc_text_append(&name, parts[i]);
        test_trace_begin(&traced.test);
        test_trace_launch(name.data, 32, 0, 1000, &launch);
        test_trace_add(&traced.test, &launch, 1, 1000000);
        launch.block[0] = 96;
        test_trace_add(&traced.test, &launch, 1, 1000000);
        test_trace_end(&traced.test);
        open_on(&traced, 24, 80);
        for (int cols = SMC_LEAST_COLS; cols <= 200; cols += 35)
            for (int rows = SMC_LEAST_ROWS; rows <= 60; rows += 22) {
                sitting_resize(&traced.sitting, rows, cols);
                sitting_keys(&traced.sitting, "F8 Right Down Enter i");
                CU_ASSERT_PTR_NULL(strpbrk(sitting_screen(&traced.sitting), "\x1b\x7f\t\r"));
                sitting_keys(&traced.sitting, "Esc F8 i");
                CU_ASSERT_PTR_NULL(strpbrk(sitting_screen(&traced.sitting), "\x1b\x7f\t\r"));
                sitting_keys(&traced.sitting, "Esc");
                CU_ASSERT_FALSE(
                    sitting_spills(&traced.sitting, (struct smc_rect){1, 2, rows - 2, cols}));
            }
        traced_close(&traced);
        smc_text_free(&name);
    }
}

/* In ASCII every character has a likeness. */
static void test_ascii(void)
{
    struct traced traced;
    struct smc_text ascii = {0};
    traced_open(&traced, 5, 40, 160);
    sitting_keys(&traced.sitting, ">");
    sitting_screen(&traced.sitting);
    smc_frame_write(&traced.sitting.frame, false, &ascii);
    CU_ASSERT_PTR_NULL(strchr(smc_text_string(&ascii), '?'));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&ascii), "V"));
    smc_text_free(&ascii);
    traced_close(&traced);
}

CU_TestInfo tests_tui_trace[] = {
    {"opens on a trace", test_opens},
    {"order", test_order},
    {"unfolding", test_unfolding},
    {"search", test_search},
    {"every configuration as the trace answers it", test_every_row},
    {"taking one along", test_taking_along},
    {"other kernels", test_other_kernels},
    {"no trace", test_no_trace},
    {"unknown numbers", test_unknown},
    {"no launches", test_empty},
    {"clicks", test_clicks},
    {"every size", test_sizes},
    {"hostile names", test_hostile_names},
    {"ASCII", test_ascii},
    CU_TEST_INFO_NULL,
};
