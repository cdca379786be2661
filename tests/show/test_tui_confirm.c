/* The confirm view: its keys, and that it is drawn at every size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "show/tui/tui_state.h"
#include "unit.h"

static struct smc_tui tui;
static struct smc_job_result result;

static void open_tui(void)
{
    struct smc_query query;
    struct smc_error error = {""};
    smc_query_init(&query);
    query.kernel = smc_kernel_find("matmul-tiled");
    CU_ASSERT_PTR_NOT_NULL_FATAL(query.kernel);
    smc_params_init(query.kernel, &query.params);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &query.device, query.device_note, &error),
                          SMC_OK);
    query.compile.no_nvrtc = true;
    smc_tui_open(&tui, &query, 24, 80);
    tui.run_job.kind = SMC_JOB_NONE; /* in the state that the loop leaves */
    smc_tui_key(&tui, SMC_KEY_F5);
    CU_ASSERT_EQUAL_FATAL(tui.view, SMC_VIEW_CONFIRM);
}

static void find_gpus(size_t count)
{
    result = (struct smc_job_result){.job.kind = SMC_JOB_GPUS, .gpu_count = count};
    for (size_t i = 0; i < count; i++)
        result.gpu[i] = tui.explore.query.device;
    if (count == 0)
        smc_fail(&result.error, SMC_UNAVAILABLE, "no GPU: none here");
    smc_tui_done(&tui, &result);
}

static bool stale_error; /* the next launch has an old error message although it succeeds */

/* Acts like the loop after a launch that goes as predicted except for the resident blocks. */
static void finish_launch(uint32_t blocks)
{
    const struct smc_attempt good = {.made = true, .succeeded = true};
    CU_ASSERT_EQUAL_FATAL(tui.run_job.kind, SMC_JOB_RUN);
    result = (struct smc_job_result){.job = tui.run_job, .run_count = 1};
    struct smc_confirmed_run *run = &result.run[0];
    run->answer = tui.explore.answer;
    run->result = (struct smc_run_result){
        .compile = good,
        .load = good,
        .launch = good,
        .api_regs_per_thread = run->answer.launch.regs_per_thread,
        .api_static_smem_bytes = run->answer.launch.static_smem_bytes,
        .api_occupancy = good,
        .api_blocks_per_sm = blocks,
        .probe = good,
        .probe_blocks_per_sm = blocks,
        .check = good,
        .comparison = {.checked = 1000},
        .timing = good,
        .timed_launches = 20,
        .median_ms = 0.5,
    };
    smc_confirm(&run->answer, &run->result, &run->confirmation);
    result.status = smc_confirmation_status(&run->confirmation);
    if (stale_error)
        smc_fail(&result.error, SMC_MACHINE, "left over");
    stale_error = false;
    tui.run_job.kind = SMC_JOB_NONE;
    tui.running = true;
    smc_tui_done(&tui, &result);
    CU_ASSERT_FALSE(tui.running);
}

static void fail_launch(const char *message)
{
    result = (struct smc_job_result){.job = tui.run_job, .status = SMC_MACHINE};
    smc_fail(&result.error, SMC_MACHINE, "%s", message);
    tui.run_job.kind = SMC_JOB_NONE;
    smc_tui_done(&tui, &result);
}

static bool screen_has(const char *words)
{
    struct smc_frame frame = {0};
    struct smc_text text = {0};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, tui.rows, tui.cols));
    smc_tui_draw(&tui, &frame);
    smc_frame_write(&frame, true, &text);
    bool has = strstr(smc_text_string(&text), words);
    if (!has)
        printf("\n    no '%s' in\n%s", words, smc_text_string(&text));
    smc_text_free(&text);
    smc_frame_free(&frame);
    return has;
}

static void test_launching(void)
{
    open_tui();
    find_gpus(1);
    CU_ASSERT(screen_has("on GPU 0: NVIDIA H200"));
    smc_tui_key(&tui, 'r');
    CU_ASSERT_EQUAL(tui.run_job.kind, SMC_JOB_RUN);
    CU_ASSERT_EQUAL(tui.run_job.settings.place, SMC_ON_GPU);
    CU_ASSERT_EQUAL(tui.run_job.settings.timeout_ms, SMC_RUN_TIMEOUT_MS);
    CU_ASSERT_PTR_EQUAL(tui.run_job.query.kernel, tui.explore.query.kernel);
    tui.running_ms = 2500;
    CU_ASSERT(screen_has("2.5 s of 10 s; Esc stops it"));
    finish_launch(2);
    CU_ASSERT_EQUAL(tui.confirm.count, 1);
    CU_ASSERT(screen_has("confirmed: 8 confirmed, 0 differ, 0 not measured"));
    smc_tui_key(&tui, SMC_KEY_ENTER);
    finish_launch(1);
    CU_ASSERT(screen_has("differs: 5 confirmed, 3 differ, 0 not measured"));
    smc_tui_close(&tui);
}

/* Static shared memory and barriers come from the compiled kernel. */
static void test_query(void)
{
    open_tui();
    find_gpus(1);
    struct smc_query *query = &tui.explore.query;
    query->regs_per_thread = 40;
    query->static_smem_bytes = query->barriers_per_block = 4;
    query->settings.blocks_per_cluster = 2;
    query->compile.kernel_dir = "somewhere";
    smc_tui_key(&tui, 'r');
    const struct smc_query *asked = &tui.run_job.query;
    CU_ASSERT_EQUAL(asked->regs_per_thread, 40);
    CU_ASSERT_EQUAL(asked->static_smem_bytes, SMC_NOT_GIVEN);
    CU_ASSERT_EQUAL(asked->barriers_per_block, SMC_NOT_GIVEN);
    CU_ASSERT_EQUAL(asked->settings.blocks_per_cluster, 2);
    CU_ASSERT_STRING_EQUAL(tui.run_job.kernel_dir, "somewhere");
    smc_tui_close(&tui);
}

static void test_places(void)
{
    open_tui();
    CU_ASSERT(screen_has("looking for it"));
    smc_tui_key(&tui, 'r'); /* before it is known whether there is a GPU */
    find_gpus(0);
    CU_ASSERT_EQUAL(tui.run_job.settings.place, SMC_ON_EMULATOR);
    smc_tui_close(&tui);
    open_tui();
    find_gpus(0);
    CU_ASSERT(screen_has("on the emulator, as NVIDIA H200"));
    CU_ASSERT(screen_has("no GPU: none here"));
    smc_tui_key(&tui, SMC_KEY_LEFT);
    CU_ASSERT_EQUAL(tui.confirm.settings.place, SMC_ON_EMULATOR);
    smc_tui_close(&tui);
    open_tui();
    find_gpus(3);
    for (int i = 1; i < 3; i++) {
        smc_tui_key(&tui, SMC_KEY_RIGHT);
        CU_ASSERT_EQUAL(tui.confirm.settings.gpu_index, i);
        CU_ASSERT_EQUAL(tui.confirm.settings.place, SMC_ON_GPU);
    }
    smc_tui_key(&tui, SMC_KEY_RIGHT);
    smc_tui_key(&tui, SMC_KEY_RIGHT);
    CU_ASSERT(screen_has("< 4 of 4 >"));
    CU_ASSERT_EQUAL(tui.confirm.settings.place, SMC_ON_EMULATOR);
    smc_tui_key(&tui, SMC_KEY_LEFT);
    CU_ASSERT_EQUAL(tui.confirm.settings.gpu_index, 2);
    smc_tui_key(&tui, 'r');
    smc_tui_key(&tui, SMC_KEY_LEFT); /* not while it runs */
    CU_ASSERT_EQUAL(tui.confirm.settings.gpu_index, 2);
    smc_tui_close(&tui);
}

static void test_cancelling(void)
{
    open_tui();
    find_gpus(1);
    smc_tui_key(&tui, SMC_KEY_ESCAPE); /* nothing to cancel */
    CU_ASSERT_EQUAL(tui.effect, SMC_EFFECT_NONE);
    smc_tui_key(&tui, 'r');
    smc_tui_key(&tui, SMC_KEY_ESCAPE);
    CU_ASSERT_EQUAL(tui.effect, SMC_EFFECT_CANCEL);
    tui.run_job.kind = SMC_JOB_NONE;
    CU_ASSERT(screen_has("the launch was stopped"));
    smc_tui_key(&tui, 'r');
    fail_launch("the launch was ended by signal 9 (Killed)");
    CU_ASSERT(screen_has("the launch was ended by signal 9 (Killed)"));
    CU_ASSERT_EQUAL(tui.confirm.count, 0);
    smc_tui_key(&tui, 'r');
    finish_launch(2);
    CU_ASSERT_EQUAL(tui.confirm.failure[0], '\0');
    smc_tui_close(&tui);
}

/* A running emulation shows its blocks, and the bottom line the key that stops it; other views show
   where it runs. After a stop none of this is shown. */
static void test_progress(void)
{
    open_tui();
    find_gpus(0);
    CU_ASSERT(screen_has(" r emulate "));
    smc_tui_key(&tui, 'r');
    tui.run_job.kind = SMC_JOB_NONE;
    tui.running = true; /* as the loop does */
    tui.running_ms = 12300;
    CU_ASSERT(screen_has("preparing, 12.3 s; Esc stops it"));
    tui.blocks = 1024;
    tui.blocks_done = 512;
    CU_ASSERT(screen_has("512 of 1024 blocks, 12.3 s; Esc stops it"));
    CU_ASSERT(screen_has(" Esc stop "));
    smc_tui_key(&tui, SMC_KEY_F2);
    CU_ASSERT(screen_has("emulating 50 % (F5)"));
    smc_tui_key(&tui, SMC_KEY_F5);
    tui.blocks_done = 1024;
    CU_ASSERT(screen_has("checking the result, 12.3 s; Esc stops it"));
    tui.blocks_done = 513;
    smc_tui_key(&tui, SMC_KEY_ESCAPE);
    CU_ASSERT_EQUAL(tui.effect, SMC_EFFECT_CANCEL);
    tui.running = false;
    CU_ASSERT(screen_has("the emulation was stopped (513 of 1024 blocks)"));
    CU_ASSERT(screen_has(" r emulate "));
    smc_tui_close(&tui);
}

/* After a success the bottom line reports it, whatever failed before. */
static void test_true_status(void)
{
    open_tui();
    find_gpus(1);
    smc_tui_key(&tui, 'r');
    tui.running = true;
    smc_tui_key(&tui, 'r');
    CU_ASSERT(screen_has("a launch is running; Esc stops it"));
    tui.run_job.kind = SMC_JOB_RUN;
    finish_launch(2);
    CU_ASSERT(screen_has("launch 1 is done: 8 confirmed, 0 differ"));
    smc_tui_key(&tui, 'r');
    fail_launch("no answer");
    CU_ASSERT(screen_has("no answer"));
    smc_tui_key(&tui, 'r');
    stale_error = true;
    finish_launch(2);
    CU_ASSERT_EQUAL(tui.confirm.failure[0], '\0');
    CU_ASSERT(screen_has("launch 2 is done"));
    smc_tui_key(&tui, SMC_KEY_F2);
    result = (struct smc_job_result){.job.kind = SMC_JOB_COMPILE, .status = SMC_MACHINE};
    smc_fail(&result.error, SMC_MACHINE, "the compiler was ended");
    smc_tui_done(&tui, &result);
    CU_ASSERT(screen_has("the compiler was ended"));
    result.status = SMC_OK;
    result.job.query = tui.explore.answer.query;
    smc_tui_done(&tui, &result);
    CU_ASSERT_EQUAL(tui.message[0], '\0');
    smc_tui_close(&tui);
}

static void test_history(void)
{
    enum { LAUNCHES = 40 };
    open_tui();
    find_gpus(1);
    for (int i = 0; i < LAUNCHES; i++) {
        smc_tui_key(&tui, 'r');
        finish_launch(2);
        CU_ASSERT_EQUAL(tui.confirm.chosen, (size_t)i);
    }
    smc_tui_key(&tui, SMC_KEY_UP); /* the newest is first */
    CU_ASSERT_EQUAL(tui.confirm.chosen, LAUNCHES - 1);
    smc_tui_key(&tui, SMC_KEY_DOWN);
    CU_ASSERT_EQUAL(tui.confirm.chosen, LAUNCHES - 2);
    smc_tui_key(&tui, SMC_KEY_END);
    CU_ASSERT_EQUAL(tui.confirm.chosen, 0);
    CU_ASSERT(screen_has("predicted and observed, launch 1"));
    smc_tui_key(&tui, SMC_KEY_HOME);
    CU_ASSERT_EQUAL(tui.confirm.chosen, LAUNCHES - 1);
    for (int i = 0; i < 100; i++)
        smc_tui_key(&tui, SMC_KEY_PAGE_DOWN);
    CU_ASSERT(tui.confirm.top > 0 && tui.confirm.top < 40);
    CU_ASSERT(screen_has("132 SMs"));
    for (int i = 0; i < 100; i++)
        smc_tui_click(&tui, 15, 40, -1);
    CU_ASSERT_EQUAL(tui.confirm.top, 0);
    struct smc_confirm_layout layout;
    smc_confirm_lay_out(smc_tui_body(&tui), &layout);
    struct smc_rect list = layout.inside[SMC_CONFIRM_HISTORY];
    smc_tui_click(&tui, list.row + 2, list.col + 5, 0);
    CU_ASSERT_EQUAL(tui.confirm.chosen, LAUNCHES - 3);
    smc_tui_close(&tui);
}

/* The number of the table's lines does not depend on the size or on scrolling. */
static void test_drawing_everywhere(void)
{
    open_tui();
    find_gpus(2);
    smc_tui_key(&tui, 'r');
    finish_launch(1);
    fail_launch("a failure that stands above the table and is long enough to need several lines on "
                "a narrow screen");
    struct smc_frame frame = {0};
    for (int rows = 5; rows <= 100; rows++) {
        for (int cols = 20; cols <= 300; cols += rows % 7 + 1) {
            if (!share_has((size_t)(rows + cols), 5))
                continue;
            smc_tui_resize(&tui, rows, cols);
            CU_ASSERT_FATAL(smc_frame_resize(&frame, rows, cols));
            tui.confirm.top = rows * cols % 50;
            smc_tui_draw(&tui, &frame);
            struct smc_frame nothing = {0};
            struct smc_rect rect = {0, 0, rows, cols};
            const struct smc_launched *launched = smc_confirm_chosen(&tui.confirm);
            int lines = smc_draw_launched(launched, rect, 0, &frame);
            CU_ASSERT_EQUAL(smc_draw_launched(launched, rect, rows % 9, &nothing), lines);
        }
    }
    smc_frame_free(&frame);
    smc_tui_close(&tui);
}

static bool is_within(struct smc_rect inner, struct smc_rect outer)
{
    return inner.rows == 0 || inner.cols == 0 ||
           (smc_rect_holds(outer, inner.row, inner.col) &&
            smc_rect_holds(outer, inner.row + inner.rows - 1, inner.col + inner.cols - 1));
}

static bool overlap(struct smc_rect a, struct smc_rect b)
{
    return a.rows > 0 && a.cols > 0 && b.rows > 0 && b.cols > 0 && a.row < b.row + b.rows &&
           b.row < a.row + a.rows && a.col < b.col + b.cols && b.col < a.col + a.cols;
}

static void test_layout(void)
{
    unsigned wrong = 0;
    for (int rows = 5; rows <= 100; rows++) {
        for (int cols = 20; cols <= 300; cols++) {
            struct smc_confirm_layout layout;
            struct smc_rect body = {1, 0, rows - 2, cols};
            smc_confirm_lay_out(body, &layout);
            for (int i = 0; i < SMC_CONFIRM_PANEL_COUNT; i++) {
                wrong += !is_within(layout.frame[i], body);
                wrong += !is_within(layout.inside[i], layout.frame[i]);
                for (int k = 0; k < i; k++)
                    wrong += overlap(layout.inside[i], layout.frame[k]);
            }
            bool fits = rows >= SMC_LEAST_ROWS && cols >= SMC_LEAST_COLS;
            wrong += fits && layout.inside[SMC_CONFIRM_TABLE].rows < 4;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

CU_TestInfo tests_tui_confirm[] = {
    {"a launch and its table", test_launching}, {"what is asked for", test_query},
    {"GPUs and the emulator", test_places},     {"cancelling and failing", test_cancelling},
    {"the session's history", test_history},    {"drawn at every size", test_drawing_everywhere},
    {"progress and stopping", test_progress},   {"a true status", test_true_status},
    {"panels at every size", test_layout},      CU_TEST_INFO_NULL,
};
