/* plot: pictures of traces. Nothing overlaps; areas are shares of the time and occupancy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot_support.h"
#include "show/plot/paint.h"
#include "show/plot/plot.h"
#include "trace_support.h"
#include "unit.h"

static bool has_text(const struct smc_picture *picture, const char *wanted)
{
    for (size_t i = 0; i < picture->count; i++)
        if (picture->shape[i].kind == SMC_SHAPE_TEXT &&
            strstr(smc_picture_string(picture, &picture->shape[i]), wanted))
            return true;
    return false;
}

static void draw(const struct test_trace *test, const struct smc_canvas *canvas,
                 struct smc_picture *picture)
{
    *picture = (struct smc_picture){0};
    smc_plot_trace(&test->answer, canvas, picture);
    CU_ASSERT_FALSE(picture->failed);
}

static size_t flaws_of(const struct test_trace *test, unsigned columns)
{
    struct smc_canvas canvas = columns ? smc_canvas_cells(columns) : smc_canvas_paper();
    struct smc_picture picture;
    draw(test, &canvas, &picture);
    size_t flaws = test_picture_flaws(&picture, &canvas);
    smc_picture_free(&picture);
    return flaws;
}

static void test_layouts(void)
{
    static const size_t kernels[] = {0, 1, 2, 5, 12, 13, 40, 400};
    static const unsigned columns[] = {0, 60, 80, 120, 200};
    size_t flaws = 0;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int times = 0; times <= 1; times++) {
            struct test_trace test;
            test_trace_program(&test, kernels[k], times);
            for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
                flaws += flaws_of(&test, columns[c]);
            test_trace_free(&test);
        }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* --- Areas ------------------------------------------------------------------------------------ */

/* The sum of the areas of an ink (SMC_INK_COUNT: of all but the busy strip) between two heights of
   the page. */
static double area_of(const struct smc_picture *picture, int ink, double top, double bottom)
{
    double sum = 0;
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        bool counts = shape->kind == SMC_SHAPE_AREA && shape->y >= top && shape->y < bottom &&
                      (ink == SMC_INK_COUNT ? shape->ink != SMC_INK_HEAT : (int)shape->ink == ink);
        sum += counts ? shape->width * shape->height : 0;
    }
    return sum;
}

/* The place of a text. */
static double y_of(const struct smc_picture *picture, const char *text)
{
    for (size_t i = 0; i < picture->count; i++)
        if (picture->shape[i].kind == SMC_SHAPE_TEXT &&
            strcmp(smc_picture_string(picture, &picture->shape[i]), text) == 0)
            return picture->shape[i].y;
    CU_FAIL("the text is missing");
    return 0;
}

/* The widths of the areas that stand on the axis at the bottom. */
static double width_at(const struct smc_picture *picture, double bottom)
{
    double sum = 0;
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        if (shape->kind == SMC_SHAPE_AREA && fabs(shape->y + shape->height - bottom) < 0.01)
            sum += shape->width;
    }
    return sum;
}

/* The area of all bars is the occupancy on average; that of an ink the time bound by it. */
static void test_shares(void)
{
    enum { HEIGHT = 260 };
    struct test_trace test;
    struct smc_trace_launch launch;
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture;
    test_trace_begin(&test);
    test_trace_launch("half", 64, 0, 1320000, &launch); /* 4 of 8 blocks */
    test_trace_add(&test, &launch, 3, 2000000);
    test_trace_launch("full", 32, 0, 1056000, &launch);
    test_trace_add(&test, &launch, 2, 1000000);
    test_trace_launch("small", 32, 0, 66, &launch); /* one block on every second SM */
    test_trace_add(&test, &launch, 1, 2000000);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    double top = y_of(&picture, "Kernels"), bottom = y_of(&picture, "kernel");
    double width = area_of(&picture, SMC_INK_FULL, top, bottom) / HEIGHT / 0.2;
    double whole = width * HEIGHT;
    CU_ASSERT(width > 800 && width < 960);
    CU_ASSERT_DOUBLE_EQUAL(area_of(&picture, SMC_INK_COUNT, top, bottom) / whole, 0.7, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(test.answer.occupancy_percent, 70, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(
        area_of(&picture, SMC_INK_FIRST_LIMIT + SMC_LIMIT_REGISTERS, top, bottom) / whole, 0.3,
        0.01);
    CU_ASSERT_DOUBLE_EQUAL(area_of(&picture, SMC_INK_SMALL_GRID, top, bottom) / whole, 0.2 / 16,
                           0.001);
    CU_ASSERT_TRUE(has_text(&picture, "dashed: 70 % on average"));
    CU_ASSERT_TRUE(has_text(&picture, "registers 60 %"));
    CU_ASSERT_TRUE(has_text(&picture, "full occupancy 20 %"));
    CU_ASSERT_TRUE(has_text(&picture, "small grid 20 %"));
    CU_ASSERT_TRUE(has_text(&picture, "left empty"));
    CU_ASSERT_TRUE(has_text(&picture, "1 half"));
    smc_picture_free(&picture);
    test_trace_free(&test);
}

/* However many kernels: together as wide as the axis, but for the gaps between them. */
static void test_widths(void)
{
    static const size_t kernels[] = {1, 5, 40, 400};
    struct smc_canvas canvas = smc_canvas_paper();
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        struct test_trace test;
        struct smc_picture picture;
        test_trace_program(&test, kernels[k], false);
        draw(&test, &canvas, &picture);
        double axis = width_at(&picture, y_of(&picture, "occupancy") + 1.55 * 19 + 260);
        CU_ASSERT(axis > 780 && axis < 920);
        CU_ASSERT_EQUAL(has_text(&picture, "others"), kernels[k] > 12);
        smc_picture_free(&picture);
        test_trace_free(&test);
    }
}

/* --- The course ------------------------------------------------------------------------------- */

static void test_course(void)
{
    enum { HEIGHT = 200 };
    struct test_trace test;
    struct smc_trace_launch launch;
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture;
    test_trace_begin(&test);
    test_trace_launch("full", 32, 0, 1056000, &launch);
    test_trace_add(&test, &launch, 1, 40000000);
    test.now_ns += 40000000;
    test_trace_add(&test, &launch, 1, 20000000);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    double top = y_of(&picture, "busy"), strip = area_of(&picture, SMC_INK_HEAT, 0, 1e9) / 13.3;
    double width = strip / 0.6;
    CU_ASSERT(width > 800 && width < 960);
    CU_ASSERT_DOUBLE_EQUAL(area_of(&picture, SMC_INK_FULL, top, 1e9) / HEIGHT / width, 0.6, 0.02);
    CU_ASSERT_TRUE(has_text(&picture, "busy 60 % of 100 ms") ||
                   has_text(&picture, "busy 59.9 % of 100 ms"));
    CU_ASSERT_TRUE(has_text(&picture, "time since the first launch"));
    smc_picture_free(&picture);
    test_trace_free(&test);
}

/* Of two GPUs one runs: half of their warps are in use. Launches that overlap share the time. */
static void test_two_gpus(void)
{
    const struct smc_trace_gpu other = {.id = 1, .name = "NVIDIA H200", .cc = 90, .sm_count = 132};
    struct test_trace test;
    struct smc_trace_launch launch;
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture;
    test_trace_begin(&test);
    CU_ASSERT_EQUAL_FATAL(smc_trace_device(test.trace, &other), 1);
    test_trace_launch("full", 32, 0, 1056000, &launch);
    for (int i = 0; i < 2; i++) { /* at the same time */
        launch.cache_config = i;
        test_trace_add(&test, &launch, 1, 50000000);
        test.now_ns = 5000000;
    }
    test.now_ns += 50000000;
    launch.device = 1;
    test_trace_add(&test, &launch, 1, 50000000);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    CU_ASSERT_TRUE(has_text(&picture, "on 2 GPUs"));
    CU_ASSERT_TRUE(has_text(&picture, "busy 50 % of 100 ms") ||
                   has_text(&picture, "busy 49.9 % of 100 ms"));
    double top = y_of(&picture, "busy"), width = area_of(&picture, SMC_INK_HEAT, 0, 1e9) / 13.3;
    CU_ASSERT_DOUBLE_EQUAL(area_of(&picture, SMC_INK_FULL, top, 1e9) / 200 / width, 0.5, 0.02);
    smc_picture_free(&picture);
    test_trace_free(&test);
}

/* --- What is not known ------------------------------------------------------------------------ */

static void test_unknown(void)
{
    struct test_trace test;
    struct smc_trace_launch launch;
    struct smc_picture picture;
    struct smc_canvas canvas = smc_canvas_paper();
    test_trace_begin(&test);
    test_trace_launch("no_registers", 0, 0, 100, &launch);
    launch.regs_per_thread = SMC_TRACE_UNKNOWN;
    test_trace_add(&test, &launch, 1, 0);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    CU_ASSERT_TRUE(has_text(&picture, "No occupancy is known"));
    CU_ASSERT_TRUE(has_text(&picture, "unknown 100 %"));
    CU_ASSERT_FALSE(has_text(&picture, "on average"));
    CU_ASSERT_TRUE(has_text(&picture, "share of the launches (no times were recorded)"));
    CU_ASSERT_TRUE(has_text(&picture, "no times were recorded."));
    CU_ASSERT(area_of(&picture, SMC_INK_UNKNOWN, 150, 1e9) > 800 * 260);
    smc_picture_free(&picture);
    test_trace_free(&test);
}

/* Durations, but not when; and nothing at all. */
static void test_no_course(void)
{
    struct test_trace test;
    struct smc_trace_launch launch;
    struct smc_picture picture;
    struct smc_canvas canvas = smc_canvas_cells(80);
    test_trace_begin(&test);
    test_trace_launch("reduce", 32, 0, 100000, &launch);
    launch.launches = launch.timed_launches = 2;
    launch.total_ns = 3000;
    CU_ASSERT_EQUAL(smc_trace_add_launches(test.trace, &launch, NULL, NULL), SMC_OK);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    CU_ASSERT_TRUE(has_text(&picture, "when its launches ran was not"));
    CU_ASSERT_TRUE(has_text(&picture, "share of the GPU's time"));
    smc_picture_free(&picture);
    test_trace_free(&test);
    test_trace_begin(&test);
    test_trace_end(&test);
    draw(&test, &canvas, &picture);
    CU_ASSERT_TRUE(has_text(&picture, "0 kernels"));
    CU_ASSERT_EQUAL(area_of(&picture, SMC_INK_COUNT, 0, 1e9), 0);
    smc_picture_free(&picture);
    test_trace_free(&test);
}

/* Names as long as a file likes, wide, and of anything. */
static void test_hostile_names(void)
{
    static const char *const parts[] = {"x", "\xe6\xbc\xa2", "\xf0\x9f\x9a\x80", "a b<",
                                        "e\xcc\x81"};
    size_t flaws = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct test_trace test;
        struct smc_trace_launch launch;
        struct smc_text name = {0};
        for (int n = 0; n < 3000; n++)
            smc_text_append(&name, parts[i]);
        test_trace_begin(&test);
        free(test.trace->program);
        test.trace->program = strdup(name.data);
        test.trace->tool = strdup(name.data);
        memset(test.trace->devices[0].device.name, 'W', 127);
        test_trace_launch(name.data, 32, 0, 1000, &launch);
        test_trace_add(&test, &launch, 1, 1000000);
        test_trace_launch("other", 32, 0, 1000, &launch);
        test_trace_add(&test, &launch, 1, 50);
        test_trace_end(&test);
        flaws += flaws_of(&test, 0) + flaws_of(&test, 60) + flaws_of(&test, 80);
        test_trace_free(&test);
        smc_text_free(&name);
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* In characters what bounds is a letter, so that no colour is needed; and every file is painted. */
static void test_painted(void)
{
    struct test_trace test;
    struct smc_picture picture;
    struct smc_canvas canvas = smc_canvas_cells(80);
    struct smc_text text = {0};
    test_trace_program(&test, 5, true);
    draw(&test, &canvas, &picture);
    smc_plot_paint_cells(&picture, false, false, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "rrrrrrrr"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "########"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "gggg"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "\x1b"));
    for (const char *line = smc_text_string(&text); *line; line += strcspn(line, "\n") + 1)
        CU_ASSERT(strcspn(line, "\n") <= 80 + 20); /* an ellipsis has three bytes */
    smc_text_free(&text);
    smc_picture_free(&picture);
    canvas = smc_canvas_paper();
    draw(&test, &canvas, &picture);
    for (int format = 0; format < SMC_PLOT_FORMAT_COUNT && smc_plot_has_files; format++) {
        CU_ASSERT_EQUAL(smc_plot_paint(&picture, (enum smc_plot_format)format, &text, NULL, NULL),
                        SMC_OK);
        CU_ASSERT(text.length > 1000);
        smc_text_free(&text);
    }
    smc_picture_free(&picture);
    test_trace_free(&test);
}

CU_TestInfo tests_plot_trace[] = {
    {"nothing overlaps", test_layouts},
    {"areas are shares of the time and occupancy", test_shares},
    {"bars are as wide as the axis", test_widths},
    {"the course has gaps", test_course},
    {"two GPUs", test_two_gpus},
    {"unknown occupancy", test_unknown},
    {"no course, no launches", test_no_course},
    {"hostile names", test_hostile_names},
    {"painted", test_painted},
    CU_TEST_INFO_NULL,
};
