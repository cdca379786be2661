/* tui/explore and tui/tui_state: the first screen stays consistent for any sequence of keys. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "share.h"
#include "show/tui/explore.h"
#include "show/tui/tui_fields.h"
#include "temporary.h"
#include "tui_support.h"
#include "unit.h"

/* Conditions that hold after every key. */
static size_t faults_of_state(const struct smc_tui *tui)
{
    const struct smc_explore *explore = &tui->explore;
    const struct smc_tui_chart *chart = &explore->chart;
    enum smc_field fields[SMC_FIELD_COUNT];
    size_t faults = 0, here = 0, now = 0;
    size_t count = smc_fields_shown(&explore->query, fields);
    for (size_t i = 0; i < count; i++)
        here += fields[i] == explore->field;
    for (size_t i = 0; i < chart->count; i++)
        now += chart->point[i].value == chart->now;
    faults += here != 1 || (chart->count > 0 && now != 1);
    faults += explore->answered == (explore->why[0] != '\0');
    faults += explore->answer.query.kernel != explore->query.kernel;
    faults += explore->answer.query.device.sm.cc != explore->query.device.sm.cc;
    faults += explore->answered && explore->answer.launch.threads_per_block == 0;
    faults += tui->effect != SMC_EFFECT_NONE && tui->effect != SMC_EFFECT_COPY;
    return faults;
}

/* The field under the cursor after it was changed. */
static size_t faults_of_value(const struct smc_query *query, enum smc_field field)
{
    bool counted = field != SMC_FIELD_DEVICE && field != SMC_FIELD_KERNEL;
    if (!counted || !smc_field_given(query, field))
        return 0;
    struct smc_field_range range = smc_field_range(query, field);
    int64_t value = smc_field_number(query, &(struct smc_answer){.query = *query}, field);
    return value < range.lowest || value > range.highest;
}

/* Moves, steps, resets, and typed text, valid or not. */
static void random_key(struct smc_tui *tui)
{
    static const uint32_t steps[] = {SMC_KEY_LEFT, SMC_KEY_RIGHT, '<', '>', 'x', 'l', 'h'};
    static const uint32_t moves[] = {
        SMC_KEY_UP,  SMC_KEY_DOWN, SMC_KEY_PAGE_UP, SMC_KEY_PAGE_DOWN, SMC_KEY_HOME,
        SMC_KEY_END, '\t'};
    static const uint32_t others[] = {'y', SMC_KEY_F1,     SMC_KEY_ESCAPE, 'n',
                                      '?', SMC_KEY_F1 + 1, 0x6f22};
    static const char *const typed[] = {"0",          "1",      "7",
                                        "32",         "100",    "250",
                                        "1024",       "48K",    "99999",
                                        "9.0",        "own",    "h200",
                                        "1.0",        "double", "stencil-static",
                                        "",           "-1",     "matmul-tiled",
                                        "2147483647", "8800"};
    uint32_t choice = random_below(100);
    if (choice >= 83 && tui->popup.open) /* it would swallow the key that opens the line */
        smc_tui_key(tui, SMC_KEY_ESCAPE);
    if (choice < 45)
        smc_tui_key(tui, steps[random_below(7)]);
    else if (choice < 75)
        smc_tui_key(tui, moves[random_below(7)]);
    else if (choice < 80)
        smc_tui_key(tui, others[random_below(7)]);
    else if (choice < 83)
        smc_tui_click(tui, (int)random_below(23) /* not the bar of keys */, (int)random_below(80),
                      (int)random_below(3) - 1);
    else {
        smc_tui_key(tui, choice < 97 ? SMC_KEY_ENTER : '/');
        test_type(tui, typed[random_below(20)], random_below(9) ? SMC_KEY_ENTER : SMC_KEY_ESCAPE);
    }
}

/* Undo restores the state before each change. */
static void walk(struct smc_tui *tui, size_t keys)
{
    struct smc_query *stack = calloc(SMC_UNDO_STEPS + 1, sizeof *stack);
    size_t faults = 0, depth = 0, undone = 0, changed = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(stack);
    for (size_t i = 0; i < keys; i++) {
        struct smc_explore *explore = &tui->explore;
        struct smc_query before = explore->query;
        if (random_below(12) == 0 && !tui->popup.open) {
            smc_tui_key(tui, 'u');
            if (depth > 0)
                faults += !smc_fields_equal(&explore->query, &stack[--depth]);
            undone++;
        } else {
            random_key(tui);
            bool is_new = !smc_fields_equal(&before, &explore->query);
            if (is_new && depth == SMC_UNDO_STEPS)
                memmove(stack, stack + 1, --depth * sizeof *stack);
            if (is_new)
                stack[depth++] = before;
            changed += is_new;
            faults += is_new && faults_of_value(&explore->query, explore->field);
        }
        faults += explore->undo_count != depth;
        faults += faults_of_state(tui);
        if (i % 50 == 0) {
            struct smc_text text = test_screen(tui, true);
            smc_text_free(&text);
        }
    }
    free(stack);
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(undone > keys / 50 && changed > keys / 10);
}

static void test_random_walk(void)
{
    random_begin(11);
    for (size_t device = 0; device < TEST_DEVICES; device++) {
        struct smc_query query;
        test_query(test_kernel(device % test_kernel_count()), device, &query);
        struct smc_tui *tui = test_open(&query, 24, 80);
        walk(tui, share_of(10000, 5) / TEST_DEVICES + 1);
        test_close(tui);
    }
}

/* Without an answer the screen gives the reason, the fields show what was given, and every key
   works. */
static void test_no_answer(void)
{
    static const struct {
        enum smc_field field;
        int64_t value;
        const char *why;
    } cases[] = {{SMC_FIELD_FIRST_PARAM + SMC_PARAM_LDA, 3, "below 1024"},
                 {SMC_FIELD_REGS, 256, "the most registers"},
                 {SMC_FIELD_BARRIERS, 17, "the most barriers"},
                 {SMC_FIELD_FIRST_PARAM + SMC_PARAM_TILE, 33, "between 1 and 32"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_query query;
        test_query(smc_kernel_find("matmul-tiled"), 3, &query);
        smc_field_set_number(&query, cases[i].field, cases[i].value);
        struct smc_tui *tui = test_open(&query, 24, 80);
        CU_ASSERT_FALSE(tui->explore.answered);
        CU_ASSERT_PTR_NOT_NULL(strstr(tui->explore.why, cases[i].why));
        CU_ASSERT_EQUAL(tui->explore.answer.query.params.value[SMC_PARAM_M], 1024);
        for (int keys = 0; keys < 400; keys++) {
            random_key(tui);
            CU_ASSERT_EQUAL(faults_of_state(tui), 0);
        }
        test_close(tui);
    }
}

static void give_result(struct smc_tui *tui, const struct smc_job *job, enum smc_status status)
{
    struct smc_job_result *result = calloc(1, sizeof *result);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    *result = (struct smc_job_result){.job = *job, .status = status};
    result->resources = (struct smc_resources){.source = SMC_RESOURCES_NVRTC,
                                               .cc = job->query.device.sm.cc,
                                               .regs_per_thread = 32,
                                               .barriers = 1};
    snprintf(result->error.message, sizeof result->error.message, "%s",
             status == SMC_OK ? "" : "does not compile");
    smc_tui_done(tui, result);
    free(result);
}

static size_t count_uncompiled(const struct smc_tui_chart *chart)
{
    size_t count = 0;
    for (size_t i = 0; i < chart->count; i++)
        count += chart->point[i].is_uncompiled;
    return count;
}

/* After an edit no tile is compiled. Each is asked for once, those closest to the present one
   first, and none is shown as a launch that fails. */
static void test_uncompiled_tiles(void)
{
    struct temporary folder;
    struct smc_query query;
    struct smc_job job;
    char path[256];
    const struct smc_kernel *kernel = smc_kernel_find("matmul-tiled");
    temporary_begin(&folder);
    snprintf(path, sizeof path, "%s/%s", folder.parent, kernel->file);
    CU_ASSERT_FATAL(temporary_write(path, "// mine\n", 8));
    test_query(kernel, 3, &query);
    query.compile.no_nvrtc = false;
    query.params.value[SMC_PARAM_TILE] = 16;
    struct smc_tui *tui = test_open(&query, 40, 120);
    const struct smc_tui_chart *chart = &tui->explore.chart;
    smc_explore_go(&tui->explore, smc_field_of_param(SMC_PARAM_TILE));
    CU_ASSERT_EQUAL(count_uncompiled(chart), 0); /* the table has all */
    smc_tui_edited(tui, folder.parent);
    CU_ASSERT_EQUAL(count_uncompiled(chart), 32);
    struct smc_text screen = test_screen(tui, true);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&screen), "not compiled yet"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&screen), "no launch"));
    smc_text_free(&screen);
    smc_tui_compile_job(tui, &job);
    CU_ASSERT(job.kind == SMC_JOB_COMPILE && !job.of_chart);
    give_result(tui, &job, SMC_OK);
    CU_ASSERT_EQUAL(count_uncompiled(chart), 31);
    int64_t before = 0;
    for (int i = 0; i < 31; i++) {
        smc_tui_compile_job(tui, &job);
        CU_ASSERT_FATAL(job.kind == SMC_JOB_COMPILE && job.of_chart);
        int64_t far = llabs(job.query.params.value[SMC_PARAM_TILE] - 16);
        CU_ASSERT(far >= before && far > 0);
        before = far;
        give_result(tui, &job, i == 3 ? SMC_USAGE : SMC_OK);
    }
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_NONE);
    CU_ASSERT_EQUAL(count_uncompiled(chart), 1); /* the one that does not compile */
    smc_tui_edited(tui, folder.parent);          /* it may have been mended */
    CU_ASSERT_EQUAL(count_uncompiled(chart), 32);
    test_close(tui);
    CU_ASSERT_EQUAL(unlink(path), 0);
    temporary_end(&folder);
}

/* A result of NVRTC is used if it is still wanted, and only for its own query. */
static void test_compiled(void)
{
    struct smc_query query, asked;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    query.compile.no_nvrtc = false;
    struct smc_tui *tui = test_open(&query, 24, 80);
    struct smc_explore *explore = &tui->explore;
    struct smc_resources resources = {.source = SMC_RESOURCES_NVRTC,
                                      .regs_per_thread = 77,
                                      .static_smem_bytes = 8192,
                                      .barriers = 1};
    struct smc_job job;
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_COMPILE);
    asked = job.query;
    smc_tui_key(tui, SMC_KEY_LEFT); /* another tile before the result arrives */
    smc_explore_compiled(explore, &asked, &resources, NULL);
    CU_ASSERT_NOT_EQUAL(explore->answer.launch.regs_per_thread, 77);
    CU_ASSERT(explore->wants_compile);
    smc_explore_compiled(explore, &asked, &resources, "of another tile");
    CU_ASSERT_STRING_EQUAL(explore->compile_failure, "");
    smc_tui_key(tui, SMC_KEY_RIGHT); /* and back: already known */
    CU_ASSERT_FALSE(explore->wants_compile);
    CU_ASSERT_EQUAL(explore->answer.launch.regs_per_thread, 77);
    smc_tui_key(tui, SMC_KEY_LEFT);
    smc_tui_compile_job(tui, &job);
    smc_explore_compiled(explore, &job.query, &resources, "it is broken");
    CU_ASSERT_STRING_EQUAL(explore->compile_failure, "it is broken");
    CU_ASSERT_FALSE(explore->wants_compile);
    test_close(tui);
}

static struct smc_time made_up_time(double ms)
{
    struct smc_time time = {.basis = SMC_TIME_TABLE,
                            .predicted_ms = ms,
                            .low_ms = 0.9 * ms,
                            .high_ms = 1.2 * ms,
                            .bound_by = SMC_TIME_SHARED,
                            .next = SMC_TIME_DRAM};
    for (int i = 0; i < SMC_TIME_TERM_COUNT; i++)
        time.term_ms[i] = ms / (2 + i);
    time.term_ms[SMC_TIME_FP64] = 0;
    time.term_ms[SMC_TIME_SHARED] = 0.8 * ms;
    return time;
}

static bool shows(struct smc_tui *tui, const char *words)
{
    struct smc_text screen = test_screen(tui, true);
    bool found = strstr(smc_text_string(&screen), words);
    smc_text_free(&screen);
    return found;
}

/* Both on one line of the screen. */
static bool shows_beside(struct smc_tui *tui, const char *first, const char *later)
{
    struct smc_text screen = test_screen(tui, true);
    const char *begin = strstr(smc_text_string(&screen), first);
    const char *found = begin ? strstr(begin, later) : NULL;
    bool beside = found && found < begin + strcspn(begin, "\n");
    smc_text_free(&screen);
    return beside;
}

static enum smc_style style_at(struct smc_tui *tui, int row, int col)
{
    struct smc_frame frame = {0};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, tui->rows, tui->cols));
    smc_tui_draw(tui, &frame);
    enum smc_style style = (enum smc_style)frame.cell[row * frame.cols + col].style;
    smc_frame_free(&frame);
    return style;
}

/* A prediction is shown if it is of the present answer; until it arrives, the one before is dimmed.
   Only the newest answer asks for one. */
static void test_predicted(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    query.compile.no_nvrtc = false;
    struct smc_tui *tui = test_open(&query, 24, 80);
    struct smc_explore *explore = &tui->explore;
    struct smc_time time = made_up_time(0.5);
    struct smc_ceilings ceilings = {.source = SMC_CEILINGS_TABLE, .value = {7}};
    struct smc_job first, second;
    smc_tui_compile_job(tui, &first);
    CU_ASSERT_EQUAL(first.kind, SMC_JOB_COMPILE);
    CU_ASSERT_TRUE(explore->wants_time);
    CU_ASSERT_TRUE(shows(tui, "  time  \xe2\x80\xa6\n"));
    explore->wants_compile = false; /* what NVRTC says of it is known */
    smc_explore_timed(explore, first.serial, &time, &ceilings);
    CU_ASSERT_FALSE(explore->wants_time);
    CU_ASSERT_TRUE(
        shows(tui, "  time  0.500 ms (0.450 to 0.600), bound by shared memory, then DRAM"));
    CU_ASSERT_EQUAL(style_at(tui, 1, 9), SMC_STYLE_NORMAL);
    CU_ASSERT_EQUAL(explore->answer.query.ceilings.value[0], 7);
    smc_tui_compile_job(tui, &second);
    CU_ASSERT_EQUAL(second.kind, SMC_JOB_NONE);

    smc_tui_key(tui, SMC_KEY_LEFT);
    smc_tui_key(tui, SMC_KEY_LEFT);
    CU_ASSERT_TRUE(shows(tui, "  time  0.500 ms"));
    CU_ASSERT_EQUAL(style_at(tui, 1, 9), SMC_STYLE_DIM);
    smc_tui_compile_job(tui, &second);
    CU_ASSERT_EQUAL(second.kind, SMC_JOB_COMPILE);
    time.predicted_ms = 0.25;
    smc_explore_timed(explore, first.serial, &time, &ceilings); /* too late */
    CU_ASSERT_TRUE(shows(tui, "  time  0.500 ms"));
    CU_ASSERT_TRUE(explore->wants_time);
    smc_explore_timed(explore, second.serial, &time, &ceilings);
    CU_ASSERT_TRUE(shows(tui, "  time  0.250 ms"));
    CU_ASSERT_EQUAL(style_at(tui, 1, 9), SMC_STYLE_NORMAL);
    test_close(tui);
}

/* Launches that fail, kernels without a known launch: nothing is asked for. */
static void test_not_predicted(void)
{
    struct smc_query query;
    struct smc_time time = {.reason = "no machine code for sm_90"};
    struct smc_ceilings ceilings = {0};
    struct smc_job job;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    query.compile.no_nvrtc = false;
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_explore_timed(&tui->explore, tui->explore.serial, &time, &ceilings);
    CU_ASSERT_TRUE(shows(tui, "  time  not predicted: no machine code for sm_90\n"));
    smc_tui_resize(tui, 40, 120);
    CU_ASSERT_TRUE(shows(tui, "  time  not predicted: no machine code for sm_90\n"));
    smc_tui_key(tui, SMC_KEY_LEFT); /* the panels stay where they are */
    CU_ASSERT_TRUE(shows(tui, "  time  \xe2\x80\xa6\n"));
    struct smc_query before = tui->explore.query;
    tui->explore.query.dynamic_smem_bytes = 300000;
    smc_explore_changed(&tui->explore, &before);
    CU_ASSERT_EQUAL(tui->explore.answer.outcome, SMC_CANNOT_LAUNCH);
    CU_ASSERT_FALSE(tui->explore.wants_time);
    CU_ASSERT_TRUE(shows(tui, " the launch fails "));
    smc_explore_go(&tui->explore, SMC_FIELD_KERNEL);
    smc_tui_key(tui, SMC_KEY_ENTER);
    smc_tui_key(tui, SMC_KEY_END);
    smc_tui_key(tui, SMC_KEY_ENTER);
    CU_ASSERT_PTR_NULL_FATAL(tui->explore.query.kernel);
    CU_ASSERT_FALSE(shows(tui, "predicted time"));
    smc_tui_resize(tui, 24, 80);
    CU_ASSERT_FALSE(shows(tui, "time "));
    smc_tui_compile_job(tui, &job);
    CU_ASSERT_EQUAL(job.kind, SMC_JOB_NONE);
    test_close(tui);
}

/* In a panel each term has a bar: the largest ones where not all fit, never one that is 0, each as
   long as its share. */
static void test_terms(void)
{
    struct smc_query query;
    struct smc_time time = made_up_time(0.5);
    struct smc_ceilings ceilings = {0};
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    query.compile.no_nvrtc = false;
    struct smc_tui *tui = test_open(&query, 100, 300);
    smc_explore_timed(&tui->explore, tui->explore.serial, &time, &ceilings);
    CU_ASSERT_TRUE(shows(tui, "bound by shared memory, then DRAM"));
    CU_ASSERT_TRUE(shows_beside(tui, " predicted time ", " with measured rates "));
    CU_ASSERT_TRUE(shows(tui, " faster: "));
    CU_ASSERT_TRUE(shows(tui, "instruction issue       0.250 ms \xe2\x96\x88"));
    CU_ASSERT_TRUE(shows(tui, "shared memory           0.400 ms \xe2\x96\x88"));
    CU_ASSERT_TRUE(shows(tui, "launch                  0.036 ms \xe2\x96\x88"));
    CU_ASSERT_FALSE(shows(tui, "FP64 pipe  "));
    smc_tui_resize(tui, 40, 120);
    CU_ASSERT_TRUE(shows(tui, "instruction issue       0.250 ms \xe2\x96\x88"));
    CU_ASSERT_TRUE(shows(tui, "shared memory           0.400 ms \xe2\x96\x88"));
    CU_ASSERT_FALSE(shows(tui, "launch                  0.036 ms"));
    smc_tui_resize(tui, 16, 60);
    CU_ASSERT_TRUE(shows(tui, "0.500 ms (0.450 to 0.600), bound by shared memory\n"));
    smc_tui_key(tui, 'i');
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&tui->popup.text), ">   0.400 ms"));
    test_close(tui);
}

/* A GPU that is found replaces the assumed device, also in the states that undo restores. */
static void test_found_device(void)
{
    struct smc_query query;
    struct smc_device gpu;
    test_query(smc_kernel_at(0), 3, &query);
    query.device_assumed = true;
    test_device(4, &gpu);
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_tui_key(tui, SMC_KEY_LEFT);
    smc_explore_find_device(&tui->explore, &gpu);
    CU_ASSERT_STRING_EQUAL(tui->explore.query.device.name, gpu.name);
    smc_tui_key(tui, 'u');
    CU_ASSERT_STRING_EQUAL(tui->explore.query.device.name, gpu.name);
    CU_ASSERT_FALSE(tui->explore.query.device_assumed);
    test_device(0, &gpu);
    smc_explore_find_device(&tui->explore, &gpu); /* a chosen one stays */
    CU_ASSERT_STRING_NOT_EQUAL(tui->explore.query.device.name, gpu.name);
    test_close(tui);
}

/* A click on a field moves the cursor there and a second click changes the value; the wheel changes
   it from anywhere. */
static void test_mouse(void)
{
    struct smc_query query;
    struct smc_explore_layout layout;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 40, 120);
    smc_explore_place(&tui->explore, (struct smc_rect){1, 0, 38, 120}, &layout);
    struct smc_rect rect = layout.inside[SMC_PANEL_LAUNCH];
    enum smc_field fields[SMC_FIELD_COUNT];
    size_t count = smc_fields_shown(&query, fields);
    for (size_t i = 0; i < count; i++) {
        smc_tui_click(tui, rect.row + (int)i, rect.col + 2, 0);
        CU_ASSERT_EQUAL(tui->explore.field, fields[i]);
    }
    CU_ASSERT_EQUAL(tui->explore.undo_count, 0);
    smc_explore_go(&tui->explore, smc_field_of_param(SMC_PARAM_TILE));
    const int64_t *tile = &tui->explore.answer.query.params.value[SMC_PARAM_TILE];
    smc_tui_click(tui, rect.row + 2, rect.col + 2, 0);
    CU_ASSERT_EQUAL(*tile, 31);
    smc_tui_click(tui, rect.row + 2, rect.col + rect.cols - 2, 0);
    CU_ASSERT_EQUAL(*tile, 32);
    smc_tui_click(tui, 30, 100, 1);
    CU_ASSERT_EQUAL(*tile, 31);
    smc_tui_click(tui, 30, 100, -1);
    CU_ASSERT_EQUAL(*tile, 32);
    smc_tui_click(tui, 0, 3, 0);
    smc_tui_click(tui, 39, 3, 0);
    smc_tui_click(tui, 500, 500, 0);
    CU_ASSERT_EQUAL(*tile, 32);
    test_close(tui);
}

/* In the chart, every column has a value, and a click makes it the current one. */
static void test_click_on_chart(void)
{
    struct smc_query query;
    struct smc_explore_layout layout;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_explore_place(&tui->explore, (struct smc_rect){1, 0, 22, 80}, &layout);
    struct smc_rect rect = layout.inside[SMC_PANEL_CHART];
    const int64_t *tile = &tui->explore.answer.query.params.value[SMC_PARAM_TILE];
    int64_t last = 0, seen = 0;
    smc_explore_go(&tui->explore, SMC_FIELD_DEVICE);
    for (int col = 5; col < rect.cols - 1; col++) {
        smc_tui_click(tui, rect.row + 2, rect.col + col, 0);
        CU_ASSERT(*tile == last || *tile == last + 1);
        CU_ASSERT_EQUAL(tui->explore.chart.now, *tile);
        seen += *tile > last;
        last = *tile;
    }
    CU_ASSERT_EQUAL(seen, 32);
    CU_ASSERT_EQUAL(tui->explore.field, smc_field_of_param(SMC_PARAM_TILE));
    smc_tui_click(tui, rect.row + 2, rect.col + 2, 0); /* the axis */
    CU_ASSERT_EQUAL(*tile, 32);
    test_close(tui);
}

static void test_search(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_tui_key(tui, 'n');
    CU_ASSERT_PTR_NOT_NULL(strstr(tui->message, "nothing was searched"));
    smc_tui_key(tui, '/');
    test_type(tui, "CARVE", SMC_KEY_ENTER);
    CU_ASSERT_EQUAL(tui->explore.field, SMC_FIELD_CARVEOUT);
    smc_tui_key(tui, '/');
    test_type(tui, "zzz", SMC_KEY_ENTER);
    CU_ASSERT_EQUAL(tui->explore.field, SMC_FIELD_CARVEOUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(tui->message, "'zzz' is not on this screen"));
    test_close(tui);
}

/* Enter on the kernel opens the list of all kernels; typing searches, Enter chooses. Devices and
   types work the same way; a compute capability may be typed, and text that matches nothing is
   refused as before. */
static void test_choosing(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_explore_go(&tui->explore, SMC_FIELD_KERNEL);
    smc_tui_key(tui, SMC_KEY_ENTER);
    CU_ASSERT_TRUE_FATAL(tui->pick.open);
    CU_ASSERT_EQUAL(tui->pick.count, smc_kernel_count() + 1);
    CU_ASSERT_STRING_EQUAL(smc_pick_chosen(&tui->pick), "matmul-tiled");
    test_type(tui, "window", SMC_KEY_ENTER);
    CU_ASSERT_FALSE(tui->pick.open);
    CU_ASSERT_STRING_EQUAL(tui->explore.query.kernel->name, "stencil-window");
    smc_tui_key(tui, SMC_KEY_ENTER);
    smc_tui_key(tui, SMC_KEY_END);
    smc_tui_key(tui, SMC_KEY_ENTER);
    CU_ASSERT_PTR_NULL(tui->explore.query.kernel);
    smc_tui_key(tui, SMC_KEY_ENTER);
    smc_tui_key(tui, SMC_KEY_UP);
    smc_tui_key(tui, SMC_KEY_ESCAPE);
    CU_ASSERT_PTR_NULL(tui->explore.query.kernel);
    smc_explore_go(&tui->explore, SMC_FIELD_DEVICE);
    smc_tui_key(tui, '8'); /* a digit starts the search */
    test_type(tui, ".9", SMC_KEY_ENTER);
    CU_ASSERT_EQUAL(tui->explore.query.device.sm.cc, 89);
    smc_tui_key(tui, SMC_KEY_ENTER);
    test_type(tui, "5090", SMC_KEY_ENTER);
    CU_ASSERT_STRING_EQUAL(tui->explore.query.device.name, "NVIDIA GeForce RTX 5090");
    smc_tui_key(tui, SMC_KEY_ENTER);
    test_type(tui, "no such board", SMC_KEY_ENTER);
    CU_ASSERT_STRING_EQUAL(tui->explore.query.device.name, "NVIDIA GeForce RTX 5090");
    CU_ASSERT(tui->message[0] != '\0');
    test_close(tui);
}

static const char *source_of(const struct smc_tui *tui, enum smc_field field)
{
    static struct smc_field_view view;
    smc_explore_show(&tui->explore, field, &view);
    return view.source;
}

/* Only a value that the user set is "given": not one from a lesson or from the kernel before. */
static void test_carried(void)
{
    enum smc_field tile = smc_field_of_param(SMC_PARAM_TILE);
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 24, 80);
    smc_explore_go(&tui->explore, SMC_FIELD_REGS);
    smc_tui_key(tui, SMC_KEY_ENTER);
    test_type(tui, "40", SMC_KEY_ENTER);
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_REGS), "given");
    smc_tui_key(tui, SMC_KEY_F4);
    struct smc_text devices = test_screen(tui, true);
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&devices), "given"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&devices), "40 as on F2"));
    smc_text_free(&devices);
    smc_tui_key(tui, SMC_KEY_F6);
    smc_tui_key(tui, '1');
    smc_tui_key(tui, SMC_KEY_RIGHT);
    smc_tui_key(tui, 't');
    CU_ASSERT_EQUAL_FATAL(tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT_STRING_EQUAL(source_of(tui, tile), "carried");
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_REGS), "carried");
    smc_explore_go(&tui->explore, tile);
    smc_tui_key(tui, SMC_KEY_LEFT);
    CU_ASSERT_STRING_EQUAL(source_of(tui, tile), "given");
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_REGS), "carried");
    smc_tui_key(tui, 'u');
    CU_ASSERT_STRING_EQUAL(source_of(tui, tile), "carried");
    smc_tui_key(tui, 'u');
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_REGS), "given");
    CU_ASSERT_STRING_EQUAL(source_of(tui, tile), "default");
    smc_explore_go(&tui->explore, SMC_FIELD_KERNEL);
    smc_tui_key(tui, SMC_KEY_ENTER);
    smc_tui_key(tui, SMC_KEY_END);
    smc_tui_key(tui, SMC_KEY_ENTER);
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_THREADS), "carried");
    CU_ASSERT_STRING_EQUAL(source_of(tui, SMC_FIELD_REGS), "given");
    test_close(tui);
}

/* A bar that is longer than its scale shows so, and the edge shows the scale. */
static void test_clipped_bars(void)
{
    struct smc_query query;
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    struct smc_tui *tui = test_open(&query, 24, 80);
    struct smc_text screen = test_screen(tui, true);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&screen), "\xc2\xbb above 32 "));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&screen), "\xe2\x96\x88\xc2\xbb"));
    smc_text_free(&screen);
    test_close(tui);
}

CU_TestInfo tests_tui_explore[] = {
    {"choosing from a list", test_choosing},
    {"given and carried over", test_carried},
    {"bars that are clipped", test_clipped_bars},
    {"random keys", test_random_walk},
    {"no answer", test_no_answer},
    {"tiles of an edited source that are not compiled yet", test_uncompiled_tiles},
    {"what was compiled", test_compiled},
    {"what was predicted", test_predicted},
    {"what is not predicted", test_not_predicted},
    {"the terms of a time", test_terms},
    {"a GPU that is found", test_found_device},
    {"the mouse", test_mouse},
    {"a click on the chart", test_click_on_chart},
    {"search", test_search},
    CU_TEST_INFO_NULL,
};
