/* tui: the roofline's screen: whose answers it shows, what it asks for, how it scrolls. */
#include "show/tui/roofline_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/query.h"
#include "unit.h"
#include "view_sitting.h"

/* On a machine with NVRTC, as far as the screen knows. */
static void sitting_open_compiling(struct sitting *sitting, const char *kernel, int rows, int cols)
{
    sitting_open(sitting, kernel, "H200", rows, cols);
    struct smc_explore *explore = &sitting->tui->explore;
    struct smc_query before = explore->query;
    explore->query.compile.no_nvrtc = false;
    smc_explore_brought(explore, &before);
}

static struct smc_time made_up_time(const struct smc_kernel *kernel)
{
    struct smc_time time = {.basis = SMC_TIME_TABLE,
                            .predicted_ms = 1 + (double)strlen(kernel->name),
                            .bound_by = SMC_TIME_FMA,
                            .next = SMC_TIME_DRAM,
                            .instructions = 1e6,
                            .fma_flops = 2e9,
                            .shared_wavefronts = 1e6,
                            .l1_sectors = 1e6,
                            .l2_sectors = 1e5,
                            .dram_bytes = 1e6};
    time.term_ms[SMC_TIME_FMA] = 0.9 * time.predicted_ms;
    return time;
}

/* Answers the job that the explorer wants, as the worker does. False: it wants none. */
static bool answer_job(struct sitting *sitting, enum smc_status status)
{
    struct smc_job_result *result = calloc(1, sizeof *result);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    smc_tui_compile_job(sitting->tui, &result->job);
    bool wanted = result->job.kind != SMC_JOB_NONE;
    if (wanted) {
        struct smc_query *query = &result->job.query;
        query->kernel->complete(query->kernel, &query->params, NULL);
        query->compile.no_nvrtc = true;
        result->status =
            smc_compile(&(struct smc_compile_request){query->kernel, &query->params,
                                                      query->device.sm.cc, &query->compile},
                        &result->resources, NULL, NULL, NULL);
        result->status = status != SMC_OK ? status : result->status;
        result->time = made_up_time(query->kernel);
        smc_ceilings_of_board(query->device.name, &query->ceilings);
        smc_tui_done(sitting->tui, result);
    }
    free(result);
    return wanted;
}

static size_t answer_all(struct sitting *sitting)
{
    size_t jobs = 0;
    while (answer_job(sitting, SMC_OK) && jobs < 100)
        jobs++;
    return jobs;
}

static size_t relatives_of(const char *name)
{
    size_t count = 0;
    const struct smc_kernel *kernel = smc_kernel_find(name);
    for (size_t i = 0; i < smc_kernel_count(); i++)
        count += smc_family_has(kernel, smc_kernel_at(i));
    return count;
}

/* First the kernel itself, then each other one of its family, once; only while it is shown. */
static void test_family(void)
{
    struct sitting sitting;
    sitting_open_compiling(&sitting, "matmul-tiled", 60, 120);
    const struct smc_roofline_state *roofline = &sitting.tui->roofline;
    size_t relatives = relatives_of("matmul-tiled");
    CU_ASSERT(relatives >= 4);
    CU_ASSERT_EQUAL(answer_all(&sitting), 1);
    sitting_keys(&sitting, "F7");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "predicting"));
    CU_ASSERT_EQUAL(roofline->count, 1);
    CU_ASSERT_EQUAL(answer_all(&sitting), relatives);
    CU_ASSERT_EQUAL(roofline->count, 1 + relatives);
    CU_ASSERT_FALSE(sitting_shows(&sitting, "predicting"));
    for (size_t i = 0; i < roofline->count; i++) {
        const struct smc_answer *answer = &roofline->answer[i];
        CU_ASSERT_STRING_EQUAL(answer->query.kernel->family, "matmul");
        CU_ASSERT_EQUAL(answer->time.predicted_ms, 1 + (double)strlen(answer->query.kernel->name));
        CU_ASSERT_TRUE(sitting_shows(&sitting, answer->query.kernel->name));
        CU_ASSERT_EQUAL(answer->query.ceilings.source, SMC_CEILINGS_TABLE);
    }
    sitting_keys(&sitting, "F2 F7");
    CU_ASSERT_EQUAL(answer_all(&sitting), 0); /* known already */
    sitting_close(&sitting);
}

/* Another value: the family stays on the screen until it is predicted again; what fails is
   dropped. */
static void test_another_value(void)
{
    struct sitting sitting;
    sitting_open_compiling(&sitting, "matmul-tiled", 60, 120);
    const struct smc_roofline_state *roofline = &sitting.tui->roofline;
    sitting_keys(&sitting, "F7");
    answer_all(&sitting);
    size_t count = roofline->count;
    CU_ASSERT_TRUE(sitting_shows(&sitting, "\xe2\x86\x90\xe2\x86\x92 tile 32 "));
    sitting_keys(&sitting, "Left");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "\xe2\x86\x90\xe2\x86\x92 tile 31 "));
    CU_ASSERT_EQUAL(roofline->count, count);
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_OK)); /* the kernel itself */
    CU_ASSERT_EQUAL(roofline->answer[0].query.params.value[SMC_PARAM_TILE], 31);
    CU_ASSERT_EQUAL(roofline->count, count);
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_USAGE));
    CU_ASSERT_EQUAL(roofline->count, count - 1);
    CU_ASSERT_EQUAL(answer_all(&sitting), count - 2);
    CU_ASSERT_EQUAL(roofline->count, count - 1);
    sitting_keys(&sitting, "u");
    CU_ASSERT_TRUE(sitting_shows(&sitting, " tile 32 "));
    sitting_keys(&sitting, "y");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(smc_text_string(&sitting.tui->popup.text), "--roofline --family"));
    sitting_close(&sitting);
}

/* What the machine failed at is counted on the edge until the family is predicted again. */
static void test_machine_fails(void)
{
    struct sitting sitting;
    sitting_open_compiling(&sitting, "matmul-tiled", 60, 120);
    const struct smc_roofline_state *roofline = &sitting.tui->roofline;
    sitting_keys(&sitting, "F7");
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_OK));
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_MACHINE));
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_USAGE));
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_MACHINE));
    CU_ASSERT_EQUAL(roofline->left_out, 2);
    CU_ASSERT_TRUE(sitting_shows(&sitting, " 2 left out: "));
    sitting_keys(&sitting, "Left");
    CU_ASSERT_FALSE(sitting_shows(&sitting, "left out"));
    answer_all(&sitting);
    CU_ASSERT_FALSE(sitting_shows(&sitting, "left out"));
    sitting_close(&sitting);
}

/* A result for a value that is no longer shown is ignored. */
static void test_too_late(void)
{
    struct sitting sitting;
    struct smc_job job;
    struct smc_job_result *late = calloc(1, sizeof *late);
    CU_ASSERT_PTR_NOT_NULL_FATAL(late);
    sitting_open_compiling(&sitting, "matmul-tiled", 60, 120);
    sitting_keys(&sitting, "F7");
    CU_ASSERT_TRUE(answer_job(&sitting, SMC_OK));
    smc_tui_compile_job(sitting.tui, &job);
    CU_ASSERT_TRUE(job.of_family);
    late->job = job;
    late->time = made_up_time(job.query.kernel);
    late->resources.source = SMC_RESOURCES_NVRTC;
    late->resources.regs_per_thread = 16;
    sitting_keys(&sitting, "Left");
    smc_tui_done(sitting.tui, late);
    CU_ASSERT_EQUAL(sitting.tui->roofline.count, 1);
    CU_ASSERT_EQUAL(sitting.tui->roofline.next, 0);
    sitting_close(&sitting);
    free(late);
}

/* Without machine code nothing is asked for, and the picture says why nothing is on it. */
static void test_no_code(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 40, 120);
    sitting_keys(&sitting, "F7");
    CU_ASSERT_FALSE(answer_job(&sitting, SMC_OK));
    CU_ASSERT_EQUAL(sitting.tui->roofline.count, 1);
    CU_ASSERT_TRUE(sitting_shows(&sitting, "no machine code for sm_90"));
    sitting_close(&sitting);
}

/* One's own kernel has none; a kernel of another family has another. */
static void test_other_kernels(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    sitting_keys(&sitting, "F7");
    CU_ASSERT_TRUE(sitting_shows(&sitting, "only launches with a known grid"));
    CU_ASSERT_EQUAL(answer_all(&sitting), 0);
    sitting_close(&sitting);
    sitting_open_compiling(&sitting, "stencil-naive", 60, 120);
    sitting_keys(&sitting, "F7");
    answer_all(&sitting);
    CU_ASSERT(sitting.tui->roofline.count >= 3);
    sitting_keys(&sitting, "F2 Home Down Enter");
    sitting_type(&sitting, "aat-padded");
    sitting_keys(&sitting, "F7");
    CU_ASSERT_EQUAL(sitting.tui->roofline.count, 1);
    answer_all(&sitting);
    CU_ASSERT_EQUAL(sitting.tui->roofline.count, 1 + relatives_of("aat-padded"));
    sitting_close(&sitting);
}

/* Every row can be reached at every size, and nothing is drawn outside. */
static void test_sizes(void)
{
    struct sitting sitting;
    size_t failures = 0;
    sitting_open_compiling(&sitting, "matmul-tiled", 24, 80);
    sitting_keys(&sitting, "F7");
    answer_all(&sitting);
    for (int rows = SMC_LEAST_ROWS; rows <= 100; rows += rows < 26 ? 1 : 12)
        for (int cols = SMC_LEAST_COLS; cols <= 300; cols += 17) {
            struct smc_rect body = {1, 2, rows - 2, cols};
            sitting_resize(&sitting, rows, cols);
            sitting_keys(&sitting, "Home");
            bool fails = !sitting_shows(&sitting, "Roofline of the matmul kernels");
            sitting_keys(&sitting, "End");
            fails = fails || !sitting_shows(&sitting, "5 matmul-register ");
            fails = fails || sitting_spills(&sitting, body);
            if (fails && failures++ == 0)
                printf("\n%d x %d fails\n%s", cols, rows, sitting_screen(&sitting));
        }
    CU_ASSERT_EQUAL(failures, 0);
    sitting_resize(&sitting, 24, 80);
    sitting_keys(&sitting, "Home Down Down Up");
    CU_ASSERT_EQUAL(sitting.tui->roofline.top, 1);
    smc_tui_click(sitting.tui, 10, 10, 1); /* the wheel */
    CU_ASSERT_EQUAL(sitting.tui->roofline.top, 4);
    smc_tui_click(sitting.tui, 10, 10, -1);
    CU_ASSERT_EQUAL(sitting.tui->roofline.top, 1);
    sitting_close(&sitting);
}

/* In ASCII every character of the picture has a likeness. */
static void test_ascii(void)
{
    struct sitting sitting;
    struct smc_text ascii = {0};
    sitting_open_compiling(&sitting, "matmul-tiled", 60, 120);
    sitting_keys(&sitting, "F7");
    answer_all(&sitting);
    sitting_screen(&sitting);
    smc_frame_write(&sitting.frame, false, &ascii);
    CU_ASSERT_PTR_NULL(strchr(smc_text_string(&ascii), '?'));
    smc_text_free(&ascii);
    sitting_close(&sitting);
}

CU_TestInfo tests_tui_roofline[] = {
    {"the family", test_family},
    {"another value", test_another_value},
    {"a machine that fails", test_machine_fails},
    {"a result that is too late", test_too_late},
    {"no machine code", test_no_code},
    {"other kernels", test_other_kernels},
    {"every size", test_sizes},
    {"ASCII", test_ascii},
    CU_TEST_INFO_NULL,
};
