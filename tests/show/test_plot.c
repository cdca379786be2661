/* plot: ticks, layouts in which nothing overlaps or leaves the page, areas that match the model's
   answers, and the back ends. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/query.h"
#include "base/memory.h"
#include "plot_support.h"
#include "share.h"
#include "show/plot/chart.h"
#include "show/plot/page.h"
#include "show/plot/paint.h"
#include "show/plot/plot.h"
#include "unit.h"

/* --- Ticks ------------------------------------------------------------------------------------ */

static void test_ticks(void)
{
    static const struct {
        int64_t low, high;
        enum smc_tick_kind kind;
        unsigned most;
        int64_t first, step;
    } known[] = {
        {0, 1024, SMC_TICKS_BINARY, 17, 0, 64}, {0, 1024, SMC_TICKS_BINARY, 9, 0, 128},
        {0, 255, SMC_TICKS_BINARY, 17, 0, 16},  {0, 232448, SMC_TICKS_BINARY, 17, 0, 16384},
        {0, 100, SMC_TICKS_DECIMAL, 11, 0, 10}, {0, 100, SMC_TICKS_DECIMAL, 8, 0, 20},
        {3, 3, SMC_TICKS_BINARY, 9, 3, 1},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct smc_ticks ticks =
            smc_ticks_between(known[i].low, known[i].high, known[i].kind, known[i].most);
        CU_ASSERT(ticks.first == known[i].first && ticks.step == known[i].step);
    }
    struct smc_ticks ticks = smc_ticks_among(1, 1, 32, SMC_TICKS_BINARY, 17);
    CU_ASSERT(ticks.first == 2 && ticks.step == 2);
    ticks = smc_ticks_among(1, 50, 40, SMC_TICKS_DECIMAL, 20); /* no round value */
    CU_ASSERT(ticks.first == 1 && ticks.step == 100);
    ticks = smc_ticks_among(-1, 1, 102, SMC_TICKS_DECIMAL, 12);
    CU_ASSERT(ticks.first == 0 && ticks.step == 10);
}

static void test_random_ticks(void)
{
    size_t bad = 0;
    srand(5);
    for (int i = 0; i < 20000; i++) {
        int64_t first = rand() % 5000 - 1, step = 1 + rand() % 70;
        uint64_t count = 1 + (uint64_t)(rand() % 600);
        unsigned most = 2 + (unsigned)(rand() % 20);
        enum smc_tick_kind kind = rand() % 2 ? SMC_TICKS_BINARY : SMC_TICKS_DECIMAL;
        int64_t last = first + (int64_t)(count - 1) * step;
        struct smc_ticks among = smc_ticks_among(first, step, count, kind, most);
        bad += among.first < first || among.first > last || (among.first - first) % step != 0;
        bad += among.step % step != 0 ||
               (among.step > 0 && (last - among.first) / among.step + 1 > (int64_t)most);
        struct smc_ticks between = smc_ticks_between(first, last, kind, most);
        bad += between.first < first || between.first > last;
        bad += between.step > 0 && (last - between.first) / between.step + 1 > (int64_t)most;
    }
    CU_ASSERT_EQUAL(bad, 0);
}

/* --- Layouts ---------------------------------------------------------------------------------- */

static void ask_device(uint16_t cc, struct smc_query *query)
{
    struct smc_capability capability;
    smc_query_init(query);
    CU_ASSERT_FATAL(smc_capability_find(cc, &capability));
    smc_device_of_capability(&capability, &query->device);
    query->compile = (struct smc_compile_options){.no_cache = true, .no_nvrtc = true};
}

static size_t flaws_of_query(const struct smc_query *query)
{
    struct smc_answer answer;
    size_t flaws = 0;
    if (smc_query_answer(query, &answer, NULL, NULL) != SMC_OK)
        return 0;
    for (int i = 0; i < TEST_CANVASES; i++) {
        struct smc_picture picture = {0};
        struct smc_canvas canvas = test_canvas(i);
        smc_plot_query(&answer, &canvas, &picture);
        flaws += test_picture_flaws(&picture, &canvas);
        smc_picture_free(&picture);
    }
    return flaws;
}

static void test_heading(void)
{
    const struct smc_canvas canvas = smc_canvas_cells(80);
    struct smc_picture picture = {0};
    struct smc_page page = smc_page_begin(&picture, &canvas);
    SMC_AUTO(smc_heading_free) struct smc_heading heading = {0};
    smc_text_append(&heading.title, "a title");
    smc_text_append(&heading.subject, "a subject");
    smc_page_put_heading(&page, &heading);
    CU_ASSERT_EQUAL_FATAL(picture.count, 2); /* nothing for a verdict that is empty */
    CU_ASSERT_STRING_EQUAL(smc_picture_string(&picture, &picture.shape[0]), "a title");
    CU_ASSERT_STRING_EQUAL(smc_picture_string(&picture, &picture.shape[1]), "a subject");
    CU_ASSERT(page.y == 2 && !picture.failed);
    heading.verdict.failed = true;
    smc_page_put_heading(&page, &heading);
    CU_ASSERT(picture.failed);
    smc_picture_free(&picture);
}

static void test_query_layouts(void)
{
    static const struct {
        int64_t threads, regs, dynamic;
    } launch[] = {{1, SMC_NOT_GIVEN, 0}, {32, 255, 0},       {96, 24, 23480},    {1024, 32, 8192},
                  {2000, 40, 0},         {2147483647, 9, 0}, {64, 1, 2147483647}};
    size_t flaws = 0;
    for (size_t d = 0; d < smc_capability_count(); d++) {
        struct smc_capability capability;
        struct smc_query query;
        smc_capability_at(d, &capability);
        ask_device(capability.sm.cc, &query);
        for (size_t l = 0; l < sizeof launch / sizeof *launch; l++) {
            query.threads_per_block = launch[l].threads;
            query.regs_per_thread = launch[l].regs;
            query.dynamic_smem_bytes = launch[l].dynamic;
            flaws += flaws_of_query(&query);
        }
    }
    struct smc_query query;
    ask_device(90, &query);
    for (size_t k = 0; k < smc_kernel_count(); k++) {
        query.kernel = smc_kernel_at(k);
        smc_params_init(query.kernel, &query.params);
        flaws += flaws_of_query(&query);
        query.params.value[SMC_PARAM_RADIUS] = 9000; /* cannot compile */
        query.params.given |= 1u << SMC_PARAM_RADIUS;
        flaws += flaws_of_query(&query);
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* A sweep with all its points. */
struct swept {
    struct smc_sweep sweep;
    struct smc_sweep_result result;
    struct smc_device devices[512];
};

static bool keep(void *context, uint64_t point, const struct smc_answer *answer, const char *why)
{
    struct swept *swept = context;
    smc_sweep_keep(answer, why, &swept->result.point[point]);
    return true;
}

static void add_axis(struct swept *swept, enum smc_axis_id id, int64_t first, int64_t last,
                     int64_t step)
{
    swept->sweep.axis[swept->sweep.axis_count++] = (struct smc_axis){id, {first, last, step}};
}

static struct swept *begin_sweep(uint16_t cc, int64_t threads, int64_t regs)
{
    struct swept *swept = calloc(1, sizeof *swept);
    CU_ASSERT_PTR_NOT_NULL_FATAL(swept);
    ask_device(cc, &swept->sweep.query);
    swept->sweep.query.threads_per_block = threads;
    swept->sweep.query.regs_per_thread = regs;
    for (size_t i = 0; i < smc_device_count(); i++)
        smc_device_at(i, &swept->devices[i]);
    swept->sweep.devices = swept->devices;
    return swept;
}

static void answer_sweep(struct swept *swept)
{
    uint64_t points = smc_sweep_points(&swept->sweep);
    struct smc_sweep_visitor visitor = {.visit = keep, .context = swept};
    swept->result =
        (struct smc_sweep_result){.sweep = &swept->sweep,
                                  .point = calloc(points, sizeof(struct smc_sweep_point)),
                                  .answered = points};
    CU_ASSERT_PTR_NOT_NULL_FATAL(swept->result.point);
    smc_sweep_answer(&swept->sweep, &visitor, NULL, NULL);
}

static void free_sweep(struct swept *swept)
{
    free(swept->result.point);
    free(swept);
}

static size_t flaws_of_sweep(struct swept *swept)
{
    size_t flaws = 0;
    answer_sweep(swept);
    for (int i = 0; i < TEST_CANVASES; i++) {
        struct smc_picture picture = {0};
        struct smc_canvas canvas = test_canvas(i);
        CU_ASSERT_EQUAL(smc_plot_sweep(&swept->result, &canvas, &picture, NULL), SMC_OK);
        flaws += test_picture_flaws(&picture, &canvas);
        smc_picture_free(&picture);
    }
    free_sweep(swept);
    return flaws;
}

static void test_one_axis_layouts(void)
{
    static const struct {
        enum smc_axis_id id;
        int64_t first, last, step;
    } axis[] = {{SMC_AXIS_REGS, 1, 255, 1},
                {SMC_AXIS_REGS, 16, 16, 1},
                {SMC_AXIS_REGS, 200, 300, 10},
                {SMC_AXIS_THREADS, 32, 1024, 32},
                {SMC_AXIS_THREADS, 1, 1, 1},
                {SMC_AXIS_THREADS, 100, 5000, 7},
                {SMC_AXIS_DYNAMIC_SMEM, 0, 98304, 1024},
                {SMC_AXIS_SMEM, 0, 60000, 1111},
                {SMC_AXIS_CARVEOUT, -1, 100, 1},
                {SMC_AXIS_CARVEOUT, 0, 100, 25},
                {SMC_AXIS_DEVICE, 0, 5, 1}};
    size_t flaws = 0;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) {
        struct swept *swept = begin_sweep(80, 256, 40);
        int64_t last = axis[i].last;
        if (axis[i].id == SMC_AXIS_DEVICE)
            last = (int64_t)smc_device_count() - 1;
        add_axis(swept, axis[i].id, axis[i].first, last, axis[i].step);
        flaws += flaws_of_sweep(swept);
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

static void test_heat_layouts(void)
{
    static const struct {
        enum smc_axis_id id;
        int64_t first, last, step;
    } axis[][2] = {
        {{SMC_AXIS_THREADS, 32, 1024, 32}, {SMC_AXIS_REGS, 1, 255, 1}},
        {{SMC_AXIS_THREADS, 128, 256, 128}, {SMC_AXIS_REGS, 16, 17, 1}},
        {{SMC_AXIS_THREADS, 64, 64, 1}, {SMC_AXIS_REGS, 64, 64, 1}},
        {{SMC_AXIS_THREADS, 2, 1024, 2}, {SMC_AXIS_DYNAMIC_SMEM, 0, 204400, 400}},
        {{SMC_AXIS_THREADS, 1024, 2048, 64}, {SMC_AXIS_REGS, 100, 120, 1}},
        {{SMC_AXIS_DEVICE, 0, 60, 1}, {SMC_AXIS_REGS, 8, 255, 8}},
        {{SMC_AXIS_DEVICE, 0, 3, 1}, {SMC_AXIS_THREADS, 32, 1024, 1}},
        {{SMC_AXIS_REGS, 1, 300, 1}, {SMC_AXIS_CARVEOUT, -1, 100, 1}},
    };
    size_t flaws = 0;
    for (size_t i = 0; i < sizeof axis / sizeof *axis; i++) {
        struct swept *swept = begin_sweep(90, 256, 40);
        for (int a = 0; a < 2; a++)
            add_axis(swept, axis[i][a].id, axis[i][a].first, axis[i][a].last, axis[i][a].step);
        if (smc_plot_check(&swept->sweep, NULL) == SMC_OK)
            flaws += flaws_of_sweep(swept);
        else {
            CU_ASSERT_EQUAL(i, 6); /* 993 values */
            free(swept);
        }
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* --- What the areas say ----------------------------------------------------------------------- */

/* The area of the second diagram (registers) at a register count, found from the positions of its
   ticks 0 and 16, and its inks. */
static const struct smc_plot_shape *area_at(const struct smc_picture *picture, const char *unit,
                                            double value, double *bottom, uint32_t *inks)
{
    const struct smc_plot_shape *zero = NULL, *other = NULL, *found = NULL;
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        if (shape->kind != SMC_SHAPE_TEXT)
            continue;
        const char *text = smc_picture_string(picture, shape);
        bool tick = shape->anchor == SMC_ANCHOR_MIDDLE;
        if (tick && strcmp(text, "0") == 0)
            zero = shape;
        if (tick && strcmp(text, "16") == 0)
            other = shape;
        if (strcmp(text, unit) == 0)
            break;
    }
    if (!zero || !other || zero->y != other->y)
        return NULL;
    double x = zero->x + value / 16 * (other->x - zero->x);
    *bottom = zero->y - 10;
    for (size_t i = 0; i < picture->count; i++) {
        const struct smc_plot_shape *shape = &picture->shape[i];
        bool inside = shape->kind == SMC_SHAPE_AREA && shape->x <= x &&
                      x < shape->x + shape->width &&
                      fabs(shape->y + shape->height - *bottom) < 0.01;
        found = inside ? shape : found;
        *inks |= inside ? 1u << shape->ink : 0;
    }
    return found;
}

static void test_areas_are_answers(void)
{
    static const uint16_t ccs[] = {20, 35, 52, 61, 75, 80, 86, 90, 120};
    size_t wrong = 0, compared = 0;
    for (size_t c = 0; c < sizeof ccs / sizeof *ccs; c++) {
        struct smc_query query;
        struct smc_answer answer;
        struct smc_picture picture = {0};
        struct smc_canvas canvas = smc_canvas_paper();
        ask_device(ccs[c], &query);
        query.threads_per_block = 192;
        query.regs_per_thread = 20;
        query.static_smem_bytes = 2000;
        CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &answer, NULL, NULL), SMC_OK);
        smc_plot_query(&answer, &canvas, &picture);
        for (int64_t regs = 1; regs <= query.device.sm.max_regs_per_thread; regs++) {
            struct smc_answer at;
            double bottom;
            uint32_t inks = 0;
            query.regs_per_thread = regs;
            smc_query_answer(&query, &at, NULL, NULL);
            const struct smc_plot_shape *area =
                area_at(&picture, "registers per thread", (double)regs - 0.5, &bottom, &inks);
            bool refused = at.outcome != SMC_LAUNCHES;
            const uint32_t expected =
                refused ? 1u << SMC_INK_REFUSED : smc_inks_of_limits(at.occupancy.limiters);
            double height =
                refused ? canvas.plot_height : at.occupancy_percent / 100 * canvas.plot_height;
            wrong += !area || inks != expected || fabs(area->height - height) > 0.01;
            compared++;
        }
        smc_picture_free(&picture);
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(compared > 1500);
}

static size_t count_marks(const struct smc_picture *picture)
{
    size_t marks = 0;
    for (size_t i = 0; i < picture->count; i++)
        marks += picture->shape[i].kind == SMC_SHAPE_MARK;
    return marks;
}

static void test_marks(void)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_canvas canvas = smc_canvas_paper();
    ask_device(90, &query);
    query.threads_per_block = 256;
    for (int known = 0; known < 2; known++) {
        struct smc_picture picture = {0};
        query.regs_per_thread = known ? 40 : SMC_NOT_GIVEN;
        smc_query_answer(&query, &answer, NULL, NULL);
        smc_plot_query(&answer, &canvas, &picture);
        CU_ASSERT_EQUAL(count_marks(&picture), known ? 4u : 3u); /* one in the legend */
        smc_picture_free(&picture);
    }
}

static bool has_text(const struct smc_picture *picture, const char *text)
{
    for (size_t i = 0; i < picture->count; i++)
        if (picture->shape[i].kind == SMC_SHAPE_TEXT &&
            strcmp(smc_picture_string(picture, &picture->shape[i]), text) == 0)
            return true;
    return false;
}

/* Only the best cells are outlined: here two of four, in one row. */
static void test_best_is_outlined(void)
{
    struct swept *swept = begin_sweep(90, 256, 40);
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_canvas_paper();
    add_axis(swept, SMC_AXIS_THREADS, 256, 512, 256);
    add_axis(swept, SMC_AXIS_REGS, 32, 64, 32);
    answer_sweep(swept);
    CU_ASSERT_EQUAL(smc_plot_sweep(&swept->result, &canvas, &picture, NULL), SMC_OK);
    size_t lines = 0;
    for (size_t i = 0; i < picture.count; i++)
        lines += picture.shape[i].kind == SMC_SHAPE_LINE && picture.shape[i].ink == SMC_INK_BEST;
    CU_ASSERT_EQUAL(lines, 6 + 1); /* and the legend's */
    CU_ASSERT(has_text(&picture, "100 wr"));
    CU_ASSERT(has_text(&picture, "50 r"));
    smc_picture_free(&picture);
    free_sweep(swept);
}

/* --- Time ------------------------------------------------------------------------------------- */

/* A launch on an H200 whose counts and time are made up: the layout does not depend on the model.
 */
static void ask_timed(const char *kernel, struct smc_answer *answer)
{
    struct smc_query query;
    char note[256];
    ask_device(90, &query);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &query.device, note, NULL), SMC_OK);
    CU_ASSERT_FATAL(smc_ceilings_of_board(query.device.name, &query.ceilings));
    query.kernel = smc_kernel_find(kernel);
    CU_ASSERT_PTR_NOT_NULL_FATAL(query.kernel);
    smc_params_init(query.kernel, &query.params);
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, answer, NULL, NULL), SMC_OK);
    answer->time = (struct smc_time){.basis = SMC_TIME_TABLE, .predicted_ms = 1};
}

static double any(double low, double high)
{
    return low * pow(high / low, rand() / (double)RAND_MAX);
}

static void set_any_time(struct smc_answer *answer)
{
    answer->time = (struct smc_time){
        .basis = SMC_TIME_TABLE,
        .predicted_ms = any(1e-3, 1e4),
        .bound_by = (enum smc_time_term)(rand() % SMC_TIME_TERM_COUNT),
        .instructions = any(1e5, 1e9),
        .shared_wavefronts = rand() % 3 ? any(1, 1e10) : 0,
        .l1_sectors = rand() % 3 ? any(1, 1e10) : 0,
        .l2_sectors = rand() % 3 ? any(1, 1e10) : 0,
        .dram_bytes = rand() % 3 ? any(1, 1e12) : 0,
    };
    if (rand() % 8 == 0)
        answer->time = (struct smc_time){.reason = "no machine code: NVRTC is not used (install "
                                                   "the CUDA Toolkit, or set SMEMCALC_NVRTC)"};
}

static size_t flaws_of_roofline(const struct smc_answer *answers, size_t count)
{
    size_t flaws = 0;
    for (int i = 0; i < TEST_CANVASES; i++) {
        struct smc_picture picture = {0};
        struct smc_canvas canvas = test_canvas(i);
        smc_plot_roofline(answers, count, &canvas, &picture);
        flaws += test_picture_flaws(&picture, &canvas);
        smc_picture_free(&picture);
    }
    return flaws;
}

static void test_roofline_layouts(void)
{
    enum { MOST = 6, TRIES = 300 };
    static const char *const kernels[MOST] = {"matmul-tiled", "stencil-static",
                                              "matmul-naive", "reverse-static",
                                              "aat-padded",   "matmul-register"};
    struct smc_answer *answers = calloc(MOST, sizeof *answers);
    size_t flaws = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(answers);
    srand(15);
    for (size_t i = 0; i < MOST; i++)
        ask_timed(kernels[i], &answers[i]);
    for (int try = 0; try < TRIES; try++) {
        for (size_t i = 0; i < MOST; i++) {
            set_any_time(&answers[i]);
            if (try % 5 == 0) /* a bare compute capability */
                answers[i].query.ceilings = (struct smc_ceilings){0};
        }
        flaws += flaws_of_roofline(answers, try % 2 ? 1 : 1 + (size_t)(rand() % MOST));
    }
    CU_ASSERT_EQUAL(flaws, 0);
    free(answers);
}

static const struct smc_plot_shape *shape_of(const struct smc_picture *picture,
                                             enum smc_shape_kind kind, enum smc_ink ink)
{
    for (size_t i = 0; i < picture->count; i++)
        if (picture->shape[i].kind == kind && picture->shape[i].ink == ink)
            return &picture->shape[i];
    return NULL;
}

/* Whether the mark of an ink is on the first line of that ink; `below` gets the distance down. */
static bool is_on_line(const struct smc_picture *picture, enum smc_ink ink, double *below)
{
    const struct smc_plot_shape *mark = shape_of(picture, SMC_SHAPE_MARK, ink);
    const struct smc_plot_shape *line = shape_of(picture, SMC_SHAPE_LINE, ink);
    CU_ASSERT_FATAL(mark && line && line->width > 0);
    double at = line->y + (mark->x - line->x) / line->width * line->height;
    *below = mark->y - at;
    return fabs(*below) < 0.01;
}

/* A kernel that uses all of the DRAM's bandwidth and half of the FMA peak is on the DRAM's line,
   and one that moves half as many bytes is below it. */
static void test_roofline_points(void)
{
    struct smc_answer answer;
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {0};
    double below, half_below;
    ask_timed("matmul-tiled", &answer);
    answer.time.predicted_ms =
        answer.work.flops / (answer.query.ceilings.value[SMC_CEILING_FLOAT] / 2) * 1e3;
    answer.time.dram_bytes =
        answer.query.ceilings.value[SMC_CEILING_READ] * answer.time.predicted_ms * 1e-3;
    smc_plot_roofline(&answer, 1, &canvas, &picture);
    CU_ASSERT(is_on_line(&picture, SMC_INK_DRAM, &below));
    CU_ASSERT(has_text(&picture, "100 %"));
    CU_ASSERT(has_text(&picture, "50 %"));
    CU_ASSERT(has_text(&picture, "4.47 TB/s"));
    CU_ASSERT(has_text(&picture, "65.2 TFLOP/s"));
    CU_ASSERT(has_text(&picture, "7.3 FLOP/B")); /* 65.2 / 2 / 4.47 */
    smc_picture_free(&picture);
    answer.time.dram_bytes *= 0.75;
    smc_plot_roofline(&answer, 1, &canvas, &picture);
    CU_ASSERT_FALSE(is_on_line(&picture, SMC_INK_DRAM, &half_below));
    CU_ASSERT(half_below > 1);
    smc_picture_free(&picture);
}

/* A copy computes nothing: no diagram, but the share of each bandwidth. */
static void test_roofline_of_copy(void)
{
    struct smc_answer answers[2];
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {0};
    ask_timed("reverse-static", &answers[0]);
    answers[0].time.dram_bytes = answers[0].query.ceilings.value[SMC_CEILING_READ] * 1e-3 / 4;
    smc_plot_roofline(answers, 1, &canvas, &picture);
    CU_ASSERT_EQUAL(count_marks(&picture), 0);
    CU_ASSERT(has_text(&picture, "25 %"));
    CU_ASSERT(has_text(&picture, "1.12 TB/s"));
    smc_picture_free(&picture);
    ask_timed("reverse-dynamic", &answers[1]);
    answers[1].time = (struct smc_time){.reason = "its reason"};
    smc_plot_roofline(answers, 2, &canvas, &picture);
    CU_ASSERT(has_text(&picture, "its reason"));
    smc_picture_free(&picture);
}

/* Integers have operations, but no ceiling that was measured. */
static void test_roofline_of_integers(void)
{
    struct smc_answer answer;
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {0};
    ask_timed("stencil-static", &answer);
    answer.time.dram_bytes = answer.work.flops; /* 1 OP per byte */
    smc_plot_roofline(&answer, 1, &canvas, &picture);
    CU_ASSERT(has_text(&picture, "1 OP/B"));
    CU_ASSERT(has_text(&picture, "not known"));
    CU_ASSERT_EQUAL(count_marks(&picture), 1);
    smc_picture_free(&picture);
}

/* The other kernels of the family, with the same problem; one with a race is never timed. */
static void test_family(void)
{
    struct smc_answer asked, *others = calloc(SMC_MOST_RELATIVES, sizeof *others);
    size_t count;
    bool has_register = false;
    CU_ASSERT_PTR_NOT_NULL_FATAL(others);
    ask_timed("matmul-tiled", &asked);
    asked.query.params.value[SMC_PARAM_M] = 777;
    asked.query.params.given |= 1u << SMC_PARAM_M;
    asked.query.regs_per_thread = 99;
    CU_ASSERT_EQUAL(smc_family_answer(&asked, others, &count, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(count, 4); /* matmul: 6, without itself and the one with a race */
    for (size_t i = 0; i < count; i++) {
        CU_ASSERT_STRING_EQUAL(others[i].query.kernel->family, "matmul");
        CU_ASSERT_PTR_NOT_EQUAL(others[i].query.kernel, asked.query.kernel);
        CU_ASSERT_EQUAL(others[i].query.params.value[SMC_PARAM_M], 777);
        CU_ASSERT_NOT_EQUAL(others[i].launch.regs_per_thread, 99);
        has_register |= strcmp(others[i].query.kernel->name, "matmul-register") == 0;
    }
    CU_ASSERT(has_register);
    asked.query.params.value[SMC_PARAM_DTYPE] = SMC_INT32;
    CU_ASSERT_EQUAL(smc_family_answer(&asked, others, &count, NULL, NULL), SMC_OK);
    for (size_t i = 0; i < count; i++) /* answered, or with a reason */
        CU_ASSERT(others[i].plan.threads_per_block || *others[i].time.reason);
    free(others);
}

enum { AT_RANDOM = -1 };

/* Candidates of `best` with times that fall with the tile, the less the larger `added` is. */
static struct smc_candidates *time_candidates(const char *kernel, int added)
{
    struct smc_candidates *candidates = calloc(1, sizeof *candidates);
    struct smc_best *best = calloc(1, sizeof *best);
    struct smc_answer asked;
    CU_ASSERT_FATAL(candidates && best);
    ask_timed(kernel, &asked);
    CU_ASSERT_EQUAL_FATAL(smc_best_find(&asked.query, SMC_NOT_GIVEN, best, NULL, NULL), SMC_OK);
    for (size_t i = 0; i < best->count; i++) {
        struct smc_candidate *candidate = &best->candidate[i];
        if (added == AT_RANDOM)
            set_any_time(&candidate->answer);
        else
            candidate->answer.time = (struct smc_time){
                .basis = SMC_TIME_TABLE, .predicted_ms = 100.0 / (double)(candidate->size + added)};
    }
    CU_ASSERT_EQUAL(smc_candidates_find(best, candidates, NULL), SMC_OK);
    free(best);
    return candidates;
}

/* Times fall with the tile: 32 is the fastest, at 100 %; tile 6 has 100 % too, and takes 5.33
   times as long. */
static void test_candidates(void)
{
    struct smc_candidates *candidates = time_candidates("matmul-tiled", 0);
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {0};
    CU_ASSERT_EQUAL(candidates->predicted, candidates->count);
    smc_plot_candidates(candidates, &canvas, &picture);
    CU_ASSERT(has_text(&picture,
                       "Fastest: tile 32, 3.12 ms at 100 % occupancy; tile 6 has 100 % too "
                       "and takes 5.33 times as long"));
    CU_ASSERT(count_marks(&picture) >= candidates->count);
    smc_picture_free(&picture);
    free(candidates);
}

/* Below half a percent two are equally fast. */
static void test_close_candidates(void)
{
    static const struct {
        int added;
        const char *text;
    } cases[] = {
        {700, "Fastest: tile 32, 0.137 ms at 100 % occupancy; tile 6 has 100 % too and takes 1.04 "
              "times as long"},
        {5000, "Fastest: tile 32, 0.0199 ms at 100 % occupancy; tile 6 has 100 % too and takes "
               "1.01 times as long"},
        {6000,
         "Fastest: tile 32, 0.0166 ms at 100 % occupancy; tile 6 has 100 % too and is as fast"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_candidates *candidates = time_candidates("matmul-tiled", cases[i].added);
        struct smc_canvas canvas = smc_canvas_paper();
        struct smc_picture picture = {0};
        smc_plot_candidates(candidates, &canvas, &picture);
        CU_ASSERT(has_text(&picture, cases[i].text));
        smc_picture_free(&picture);
        free(candidates);
    }
}

static void test_candidate_layouts(void)
{
    static const char *const kernels[] = {"matmul-tiled", "stencil-dynamic", "aat-padded"};
    size_t flaws = 0;
    srand(16);
    for (size_t k = 0; k < 3 * sizeof kernels / sizeof *kernels; k++) {
        struct smc_candidates *candidates = time_candidates(kernels[k % 3], AT_RANDOM);
        for (int i = 0; i < TEST_CANVASES && candidates->predicted; i++) {
            struct smc_picture picture = {0};
            struct smc_canvas canvas = test_canvas(i);
            smc_plot_candidates(candidates, &canvas, &picture);
            flaws += test_picture_flaws(&picture, &canvas);
            smc_picture_free(&picture);
        }
        free(candidates);
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* A search of `axes` axes with `count` shapes, ranked as they are listed. */
static struct smc_tune *make_tune(size_t axes, size_t count)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tune);
    smc_query_init(&tune->query);
    tune->source = "x.cu";
    snprintf(tune->query.device.name, sizeof tune->query.device.name, "some board");
    tune->axis_count = axes;
    for (size_t i = 0; i < axes; i++)
        snprintf(tune->axis[i].name, sizeof tune->axis[i].name, "A%zu", i);
    tune->count = tune->ranked = count;
    tune->shape = calloc(count, sizeof *tune->shape);
    tune->order = calloc(count, sizeof *tune->order);
    CU_ASSERT_FATAL(tune->shape && tune->order);
    for (size_t i = 0; i < count; i++) {
        struct smc_tune_shape *shape = &tune->shape[i];
        tune->order[i] = i;
        *shape = (struct smc_tune_shape){.state = SMC_TUNE_PREDICTED,
                                         .percent = 100.0 / (double)(1 + i % 8),
                                         .rank = i + 1,
                                         .time = {.basis = SMC_TIME_TABLE, .predicted_ms = 1}};
        shape->time.predicted_ms += (double)i;
        for (size_t k = 0; k < axes; k++)
            shape->value[k] = (int64_t)(1000 + i);
    }
    return tune;
}

static void drop_tune(struct smc_tune *tune)
{
    smc_tune_free(tune);
    free(tune);
}

/* What was measured, or if nothing was, what is predicted; a wrong result has no point. */
static void test_tuned(void)
{
    struct smc_tune *tune = make_tune(2, 9);
    const struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {0};
    CU_ASSERT_EQUAL(smc_plot_tune(tune, &canvas, &picture, NULL), SMC_OK);
    CU_ASSERT(has_text(&picture, "x.cu on some board: occupancy and time"));
    CU_ASSERT(has_text(&picture, "9 predicted shapes, A0/A1. What bounds the time:"));
    CU_ASSERT(has_text(&picture,
                       "Fastest: 1000/1000, 1.00 ms at 100 % occupancy; 1008/1008 has 100 % "
                       "too and takes 9.00 times as long"));
    smc_picture_free(&picture);
    for (size_t i = 2; i < 5; i++) {
        tune->shape[i].tried = tune->shape[i].measured = true;
        tune->shape[i].median_ms = 7 - (double)i;
    }
    tune->shape[4].wrong = true;
    picture = (struct smc_picture){0};
    CU_ASSERT_EQUAL(smc_plot_tune(tune, &canvas, &picture, NULL), SMC_OK);
    CU_ASSERT(has_text(&picture, "2 measured shapes, A0/A1. What bounds the time:"));
    CU_ASSERT(has_text(&picture, "measured time") && !has_text(&picture, "predicted"));
    CU_ASSERT(has_text(&picture, "4.00 ms") && has_text(&picture, "1003/1003"));
    smc_picture_free(&picture);
    for (size_t i = 0; i < tune->count; i++) {
        tune->shape[i].measured = false;
        tune->shape[i].state = SMC_TUNE_UNPREDICTED;
        snprintf(tune->shape[i].why, sizeof tune->shape[i].why, "its reason");
    }
    struct smc_error error = {""};
    picture = (struct smc_picture){0};
    CU_ASSERT_EQUAL(smc_plot_tune(tune, &canvas, &picture, &error), SMC_UNAVAILABLE);
    CU_ASSERT_STRING_EQUAL(error.message, "no shape has a time: its reason");
    drop_tune(tune);
}

/* With many values the ranks are the names. */
static void test_tuned_layouts(void)
{
    size_t flaws = 0;
    for (size_t axes = 1; axes <= SMC_TUNE_MOST_AXES; axes++) {
        struct smc_tune *tune = make_tune(axes, 60);
        for (int i = 0; i < TEST_CANVASES; i++) {
            struct smc_picture picture = {0};
            struct smc_canvas canvas = test_canvas(i);
            CU_ASSERT_EQUAL(smc_plot_tune(tune, &canvas, &picture, NULL), SMC_OK);
            CU_ASSERT_EQUAL(has_text(&picture, "rank 1"), axes > 5);
            flaws += test_picture_flaws(&picture, &canvas);
            smc_picture_free(&picture);
        }
        drop_tune(tune);
    }
    CU_ASSERT_EQUAL(flaws, 0);
}

/* Without a predicted time there is a reason. */
static void test_no_candidates(void)
{
    struct smc_candidates *candidates = calloc(1, sizeof *candidates);
    struct smc_best *best = calloc(1, sizeof *best);
    CU_ASSERT_FATAL(candidates && best);
    CU_ASSERT_EQUAL(smc_candidates_find(best, candidates, NULL), SMC_OK);
    CU_ASSERT(candidates->count == 0 && candidates->predicted == 0);
    CU_ASSERT_STRING_EQUAL(candidates->reason, "no launch is possible");
    free(best);
    free(candidates);
}

/* 1, 2 or 5 x 10^n around the values. */
static void test_round_scales(void)
{
    size_t wrong = 0;
    srand(17);
    for (int i = 0; i < 10000; i++) {
        struct smc_scale scale = {0};
        double low = any(1e-9, 1e15), high = any(low, low * 1e6);
        smc_scale_round(low, high, &scale);
        wrong += scale.low > low * 1.000001 || scale.high < high || scale.low * 2.6 < low ||
                 scale.high > high * 2.6;
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_rates(void)
{
    static const struct {
        double value;
        const char *text;
    } known[] = {{4.44783e12, "4.45 TB/s"}, {33.2e12, "33.2 TB/s"},  {999.4e9, "999 GB/s"},
                 {999.7e9, "1.00 TB/s"},    {0, "0.00 B/s"},         {1234, "1.23 kB/s"},
                 {9.99e12, "9.99 TB/s"},    {9.996e12, "10.0 TB/s"}, {99.9e12, "99.9 TB/s"},
                 {99.96e12, "100 TB/s"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[SMC_RATE_CHARS];
        smc_chart_rate(known[i].value, "B/s", text);
        CU_ASSERT_STRING_EQUAL(text, known[i].text);
    }
}

/* --- Banks ------------------------------------------------------------------------------------ */

static struct smc_banks_answer *ask_banks(uint16_t cc, enum smc_bank_mode mode,
                                          const char *expression, uint32_t block_x,
                                          uint32_t width_bytes)
{
    struct smc_banks_answer *answer = calloc(1, sizeof *answer);
    struct smc_banks_query query;
    struct smc_capability capability;
    smc_banks_query_init(&query);
    CU_ASSERT_FATAL(answer && smc_capability_find(cc, &capability));
    smc_device_of_capability(&capability, &query.device);
    query.mode = mode;
    query.expression = expression;
    query.block[0] = block_x;
    query.block[1] = 256 / block_x;
    query.width_bytes = width_bytes;
    CU_ASSERT_EQUAL_FATAL(smc_banks_answer(&query, answer, NULL), SMC_OK);
    return answer;
}

static size_t flaws_of_banks(const struct smc_banks_answer *answer)
{
    size_t flaws = 0;
    for (int i = 0; i < TEST_CANVASES; i++) {
        struct smc_picture picture = {0};
        struct smc_canvas canvas = test_canvas(i);
        smc_plot_banks(answer, &canvas, &picture);
        flaws += test_picture_flaws(&picture, &canvas);
        smc_picture_free(&picture);
    }
    return flaws;
}

static void test_bank_layouts(void)
{
    static const char long_one[] =
        "(lane & 3)*512 + (lane >> 2)*16 + (lane & 3)*512 + (lane >> 2)*16 + warp*4096 + ty*16";
    static const char *const expressions[] = {
        "lane*16", "lane*32*16", "(tx*32 + ty)*16", "0", "lane/8*16", "(lane*lane*lane + ty)*16",
        long_one,
    };
    static const struct {
        uint16_t cc;
        enum smc_bank_mode mode;
    } rules[] = {{90, SMC_BANK_MODE_4_BYTES},
                 {35, SMC_BANK_MODE_4_BYTES},
                 {35, SMC_BANK_MODE_8_BYTES},
                 {11, SMC_BANK_MODE_4_BYTES}};
    size_t flaws = 0;
    for (size_t e = 0; e < sizeof expressions / sizeof *expressions; e++)
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++)
            for (uint32_t width = 1; width <= 16; width *= 2) {
                if (!share_takes((e + r + width) % 3 == 0))
                    continue;
                struct smc_banks_answer *answer =
                    ask_banks(rules[r].cc, rules[r].mode, expressions[e], 32, width);
                flaws += flaws_of_banks(answer);
                free(answer);
            }
    CU_ASSERT_EQUAL(flaws, 0);
}

static void test_bank_kernels(void)
{
    for (size_t k = 0; k < smc_kernel_count(); k++) {
        struct smc_banks_answer *answer = calloc(1, sizeof *answer);
        struct smc_banks_query query;
        smc_banks_query_init(&query);
        query.kernel = smc_kernel_at(k);
        smc_params_init(query.kernel, &query.params);
        CU_ASSERT_FATAL(answer &&
                        smc_device_find("9.0", &query.device, (char[256]){""}, NULL) == SMC_OK);
        if (query.kernel->shared_accesses) {
            CU_ASSERT_EQUAL(smc_banks_answer(&query, answer, NULL), SMC_OK);
            CU_ASSERT_EQUAL(flaws_of_banks(answer), 0);
        }
        free(answer);
    }
}

static size_t count_shapes(const struct smc_picture *picture, enum smc_shape_kind kind,
                           enum smc_ink ink)
{
    size_t count = 0;
    for (size_t i = 0; i < picture->count; i++)
        count += picture->shape[i].kind == kind && picture->shape[i].ink == ink;
    return count;
}

/* A column of a tile of 32 x 32: 32 lanes in one bank, then each in its own, padded and swizzled.
   The legend has one cell of each kind. */
static void test_bank_cells(void)
{
    struct smc_banks_answer *answer = ask_banks(90, SMC_BANK_MODE_4_BYTES, "(tx*32 + ty)*4", 32, 4);
    struct smc_canvas paper = smc_canvas_paper(), cells = smc_canvas_cells(80);
    struct smc_picture picture = {0};
    smc_plot_banks(answer, &paper, &picture);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_CROWDED), 32 + 1);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_LINE, SMC_INK_CROWDED), 4 * (32 + 1));
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_SERVED), 2 * 32 + 1);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_GRID), 32 * 31 + 1);
    CU_ASSERT(has_text(&picture, "as it is") && has_text(&picture, "padded"));
    CU_ASSERT(has_text(&picture, "swizzled") && has_text(&picture, "bank"));
    CU_ASSERT(picture.width > paper.width);
    smc_picture_free(&picture);
    smc_plot_banks(answer, &cells, &picture);
    CU_ASSERT(has_text(&picture, "31*") && has_text(&picture, "31") && has_text(&picture, " ."));
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_CROWDED), 0);
    smc_picture_free(&picture);
    free(answer);

    answer = ask_banks(90, SMC_BANK_MODE_4_BYTES, "(tx*33 + ty)*4", 32, 4);
    smc_plot_banks(answer, &paper, &picture);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_SERVED), 32 + 1);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_CROWDED), 0);
    CU_ASSERT_EQUAL(picture.width, paper.width);
    smc_picture_free(&picture);
    free(answer);
}

/* 16 banks on CC 1.x, and half warps: the minimum cost of 8 bytes per lane is not a conflict. */
static void test_bank_half_warps(void)
{
    struct smc_banks_answer *answer = ask_banks(11, SMC_BANK_MODE_4_BYTES, "(ty*17 + tx)*8", 16, 8);
    struct smc_canvas paper = smc_canvas_paper();
    struct smc_picture picture = {0};
    smc_plot_banks(answer, &paper, &picture);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_SERVED), 4 * 16 + 1);
    CU_ASSERT_EQUAL(count_shapes(&picture, SMC_SHAPE_AREA, SMC_INK_CROWDED), 0);
    CU_ASSERT(has_text(&picture, "3 (16-31)") && has_text(&picture, "wavefront (lanes)"));
    smc_picture_free(&picture);
    free(answer);
}

/* --- Back ends -------------------------------------------------------------------------------- */

/* Several inks of one place alternate in cells. */
static void test_shared_area(void)
{
    struct smc_picture picture = {.width = 6, .height = 2};
    struct smc_text cells = {0};
    const uint32_t both = 1u << SMC_LIMIT_WARPS | 1u << SMC_LIMIT_REGISTERS;
    smc_picture_areas(&picture, smc_inks_of_limits(both), 0, 0, 5, 2, 0);
    smc_plot_paint_cells(&picture, false, false, &cells);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&cells), "wrwrw\nrwrwr\n");
    smc_text_free(&cells);
    smc_picture_free(&picture);
}

static void test_cells(void)
{
    struct smc_picture picture = {.width = 12, .height = 3};
    struct smc_text ascii = {0}, utf8 = {0}, colour = {0};
    smc_picture_area(&picture, SMC_INK_FIRST_LIMIT + SMC_LIMIT_REGISTERS, 2, 0, 3, 2, 0);
    smc_picture_line(&picture, SMC_STROKE(MUTED, 1), 1.5, 0, 0, 2.5);
    smc_picture_line(&picture, SMC_STROKE(MUTED, 1), 1.5, 2.5, 5, 0);
    smc_picture_text(&picture, SMC_LOOK(TEXT, NORMAL, END), 12, 0, "end");
    smc_picture_text(&picture,
                     (struct smc_text_look){SMC_INK_TEXT, SMC_FACE_NORMAL, SMC_ANCHOR_MIDDLE, true},
                     4.5, 1, "x");
    smc_picture_text(&picture, SMC_LOOK(TEXT, NORMAL, START), 9, 1, "cut off");
    smc_picture_mark(&picture, SMC_INK_NOW, 8.2, 1.7);
    smc_plot_paint_cells(&picture, false, false, &ascii);
    smc_plot_paint_cells(&picture, true, false, &utf8);
    smc_plot_paint_cells(&picture, false, true, &colour);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&ascii), " |rrr    end\n"
                                                    " |r x   Ocut\n"
                                                    " +-----\n");
    CU_ASSERT_STRING_EQUAL(smc_text_string(&utf8), " \u2577rrr    end\n"
                                                   " \u2502r x   \u25cfcut\n"
                                                   " \u2514\u2500\u2500\u2500\u2500\u2574\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&colour), "\x1b[0;38;5;166mr"));
    CU_ASSERT_PTR_NULL(strchr(smc_text_string(&ascii), '\x1b'));
    smc_text_free(&ascii);
    smc_text_free(&utf8);
    smc_text_free(&colour);
    smc_picture_free(&picture);
}

/* A slanted line has one character in each column, at its height there; a level ceiling keeps its
   colour. */
static void test_slanted_cells(void)
{
    struct smc_picture picture = {.width = 9, .height = 4};
    struct smc_text ascii = {0}, colour = {0};
    smc_picture_line(&picture, SMC_STROKE(DRAM, 2), 0.5, 3.5, 5, -3);
    smc_picture_line(&picture, SMC_STROKE(FMA, 2), 5.5, 0.5, 3.5, 0);
    smc_picture_line(&picture, SMC_DASHED(ISSUE, 2), 3, 3.5, 6, 0);
    smc_plot_paint_cells(&picture, false, false, &ascii);
    smc_plot_paint_cells(&picture, true, true, &colour);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&ascii), "     ----\n"
                                                    "   .'\n"
                                                    " .'\n"
                                                    "-   - - -\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&colour), "\x1b[0;38;5;166m\u2500\u2500"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&colour), "\u254c\u254c"));
    smc_text_free(&ascii);
    smc_text_free(&colour);
    smc_picture_free(&picture);
}

static void test_formats(void)
{
    enum smc_status good = smc_plot_open_files(NULL);
    CU_ASSERT_EQUAL(good, smc_plot_has_files ? SMC_OK : SMC_UNAVAILABLE);
    enum smc_plot_format format;
    CU_ASSERT_EQUAL(smc_plot_format_of("a.svg", &format, NULL), good);
    CU_ASSERT_EQUAL(format, SMC_PLOT_SVG);
    CU_ASSERT_EQUAL(smc_plot_format_of("folder.svg/A.PNG", &format, NULL), good);
    CU_ASSERT_EQUAL(format, SMC_PLOT_PNG);
    CU_ASSERT_EQUAL(smc_plot_format_of("x.tar.pdf", &format, NULL), good);
    CU_ASSERT_EQUAL(format, SMC_PLOT_PDF);
    static const char *const bad[] = {"", "svg", ".svg", "a.gif", "a.svg ", "a.svg/"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CU_ASSERT_EQUAL(smc_plot_format_of(bad[i], &format, NULL), SMC_USAGE);
}

static bool contains(const struct smc_text *bytes, const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= bytes->length; i++)
        if (memcmp(bytes->data + i, text, length) == 0)
            return true;
    return false;
}

static void test_files(void)
{
    static const char *const begins[] = {
        [SMC_PLOT_SVG] = "<?xml", [SMC_PLOT_PNG] = "\x89PNG", [SMC_PLOT_PDF] = "%PDF"};
    static const char *const ends[] = {
        [SMC_PLOT_SVG] = "</svg>", [SMC_PLOT_PNG] = "IEND", [SMC_PLOT_PDF] = "%%EOF"};
    struct smc_query query;
    struct smc_answer answer;
    struct smc_picture picture = {0};
    struct smc_canvas canvas = smc_canvas_paper();
    ask_device(90, &query);
    query.threads_per_block = 64;
    query.regs_per_thread = 24;
    query.barriers_per_block = 4;
    smc_query_answer(&query, &answer, NULL, NULL);
    smc_plot_query(&answer, &canvas, &picture);
    for (int format = 0; format < SMC_PLOT_FORMAT_COUNT; format++) {
        struct smc_text bytes = {0};
        enum smc_status status =
            smc_plot_paint(&picture, (enum smc_plot_format)format, &bytes, NULL, NULL);
        CU_ASSERT_EQUAL(status, smc_plot_has_files ? SMC_OK : SMC_UNAVAILABLE);
        if (status == SMC_OK) {
            CU_ASSERT(bytes.length > 1000);
            CU_ASSERT_EQUAL(strncmp(bytes.data, begins[format], strlen(begins[format])), 0);
            CU_ASSERT(contains(&bytes, ends[format]));
        }
        smc_text_free(&bytes);
    }
    picture.failed = true;
    struct smc_text none = {0};
    CU_ASSERT_EQUAL(smc_plot_paint(&picture, SMC_PLOT_SVG, &none, NULL, NULL), SMC_MACHINE);
    CU_ASSERT_EQUAL(none.length, 0);
    smc_picture_free(&picture);
}

/* The height of the glyph whose outline is the last path of an SVG: "M x y L x y ...". */
static double glyph_height(const char *svg)
{
    double least = 0;
    const char *at = svg;
    for (const char *next = at; (next = strstr(next, "<path")); next++)
        at = next;
    at = strstr(at, " d=\"");
    for (bool is_y = false; at && *at && *at != 'Z';) {
        char *end;
        double number = strtod(at, &end);
        if (end == at) {
            at++;
            continue;
        }
        if (is_y)
            least = fmin(least, number);
        is_y = !is_y;
        at = end;
    }
    return -least;
}

/* A capital letter is in the middle of its line. */
static void test_text_in_line(void)
{
    struct smc_canvas canvas = smc_canvas_paper();
    struct smc_picture picture = {.width = 100, .height = 100};
    struct smc_text svg = {0};
    double baseline;
    if (!smc_plot_has_files || !smc_plot_has_font())
        return;
    smc_picture_text(&picture, SMC_LOOK(TEXT, TITLE, START), 0, 10, "H");
    CU_ASSERT_EQUAL_FATAL(smc_plot_paint(&picture, SMC_PLOT_SVG, &svg, NULL, NULL), SMC_OK);
    const char *bytes = smc_text_string(&svg), *glyph = strstr(bytes, "<use ");
    CU_ASSERT_PTR_NOT_NULL_FATAL(glyph);
    CU_ASSERT_EQUAL_FATAL(sscanf(strstr(glyph, " y="), " y=\"%lf", &baseline), 1);
    double above = baseline - glyph_height(bytes) - 10;
    double below = 10 + smc_canvas_line_height(&canvas, SMC_FACE_TITLE) - baseline;
    CU_ASSERT(glyph_height(bytes) > 5);
    CU_ASSERT_DOUBLE_EQUAL(above, below, 1.5);
    smc_text_free(&svg);
    smc_picture_free(&picture);
}

CU_TestInfo tests_plot[] = {
    {"ticks", test_ticks},
    {"random ticks", test_random_ticks},
    {"a heading has its texts, and fails with them", test_heading},
    {"pictures of queries: nothing overlaps", test_query_layouts},
    {"one axis: nothing overlaps", test_one_axis_layouts},
    {"heat maps: nothing overlaps", test_heat_layouts},
    {"areas are the model's answers", test_areas_are_answers},
    {"the present point is marked", test_marks},
    {"the best is outlined", test_best_is_outlined},
    {"rooflines: nothing overlaps", test_roofline_layouts},
    {"a kernel at a ceiling is on its line", test_roofline_points},
    {"the roofline of a copy", test_roofline_of_copy},
    {"the roofline of integers", test_roofline_of_integers},
    {"the kernels of a family", test_family},
    {"the fastest and the highest occupancy", test_candidates},
    {"candidates: shapes that are about as fast", test_close_candidates},
    {"candidates: nothing overlaps", test_candidate_layouts},
    {"no candidate has a time", test_no_candidates},
    {"shapes of a search, predicted or measured", test_tuned},
    {"shapes of a search: nothing overlaps", test_tuned_layouts},
    {"scales end in round numbers", test_round_scales},
    {"rates have three digits", test_rates},
    {"banks: any access by any rule", test_bank_layouts},
    {"banks: kernels", test_bank_kernels},
    {"banks: lanes that meet are marked", test_bank_cells},
    {"banks: half warps over 16 banks", test_bank_half_warps},
    {"characters", test_cells},
    {"an area of several inks", test_shared_area},
    {"slanted lines in characters", test_slanted_cells},
    {"formats", test_formats},
    {"files", test_files},
    {"text is in the middle of its line", test_text_in_line},
    CU_TEST_INFO_NULL,
};
