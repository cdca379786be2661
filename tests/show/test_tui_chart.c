/* The chart: each point equals the model's answer, and the current value is one of the points. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "rules/catalog.h"
#include "share.h"
#include "show/tui/chart_view.h"
#include "show/tui/tui_fields.h"
#include "temporary.h"
#include "tui_support.h"
#include "unit.h"

/* Compares with a new answer, computed as on the command line. */
static size_t faults_of_point(const struct smc_query *query, enum smc_field field,
                              const struct smc_chart_point *point)
{
    struct smc_query other = *query;
    struct smc_answer answer;
    struct smc_text warnings = {0};
    smc_field_set_number(&other, field, point->value);
    enum smc_status status = smc_query_answer(&other, &answer, &warnings, NULL);
    smc_text_free(&warnings);
    if (status != SMC_OK)
        return point->launches || point->blocks != 0 || point->percent != 0;
    bool launches = answer.outcome == SMC_LAUNCHES;
    return point->launches != launches || point->blocks != answer.occupancy.blocks_per_sm ||
           point->percent != answer.occupancy_percent ||
           point->limiters != (launches ? answer.occupancy.limiters : 0) ||
           point->assumed != (answer.resources.source == SMC_RESOURCES_ASSUMED);
}

static size_t faults_of_chart(const struct smc_query *query, const struct smc_tui_chart *chart,
                              enum smc_field field)
{
    size_t faults = 0, now = 0;
    for (size_t i = 0; i < chart->count; i++) {
        now += chart->point[i].value == chart->now;
        faults += i > 0 && chart->point[i].value <= chart->point[i - 1].value;
        if (chart->count < 100 || random_below(10) == 0)
            faults += faults_of_point(query, field, &chart->point[i]);
    }
    return faults + (now != 1);
}

/* The field of a chart, by its label. */
static enum smc_field field_of(const struct smc_tui_chart *chart, const struct smc_query *query,
                               enum smc_field field)
{
    bool block = strcmp(chart->label, "threads per block") == 0;
    bool tile = strcmp(chart->label, "tile") == 0;
    if (block)
        return query->kernel ? smc_field_of_param(SMC_PARAM_BLOCK) : SMC_FIELD_THREADS;
    if (strcmp(chart->label, "block-m") == 0)
        return smc_field_of_param(SMC_PARAM_BLOCK_M);
    return tile ? smc_field_of_param(SMC_PARAM_TILE) : field;
}

static void test_points(void)
{
    size_t faults = 0, charts = 0;
    random_begin(3);
    for (size_t kernel = 0; kernel < test_kernel_count(); kernel++) {
        for (size_t device = 0; device < TEST_DEVICES; device++) {
            struct smc_query query;
            struct smc_answer answer;
            struct smc_text warnings = {0};
            struct smc_memo memo = {0};
            struct smc_tui_chart chart = {0};
            enum smc_field fields[SMC_FIELD_COUNT];
            if (!share_has(kernel + device, 19))
                continue;
            test_query(test_kernel(kernel), device, &query);
            CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, &warnings, NULL), SMC_OK);
            size_t count = smc_fields_shown(&query, fields);
            for (size_t i = 0; i < count; i++) {
                smc_chart_find(&chart, &query, &answer, fields[i], &memo);
                CU_ASSERT(chart.count > 1 && chart.count <= 520);
                faults += faults_of_chart(&query, &chart, field_of(&chart, &query, fields[i]));
                charts++;
            }
            smc_chart_free(&chart);
            smc_text_free(&warnings);
        }
    }
    CU_ASSERT_EQUAL(faults, 0);
    CU_ASSERT(charts > 40);
}

/* Values between two steps, after the end and before the beginning. */
static void test_current_point(void)
{
    static const struct {
        enum smc_field field;
        int64_t value;
        size_t at; /* 0: anywhere; 1: the first; 2: the last */
    } cases[] = {{SMC_FIELD_THREADS, 250, 0},         {SMC_FIELD_THREADS, 1, 1},
                 {SMC_FIELD_THREADS, 4000, 2},        {SMC_FIELD_STATIC_SMEM, 1001, 0},
                 {SMC_FIELD_STATIC_SMEM, 100000, 2},  {SMC_FIELD_REGS, 0, 1},
                 {SMC_FIELD_CARVEOUT, -1, 1},         {SMC_FIELD_DYNAMIC_SMEM, 232448, 0},
                 {SMC_FIELD_DYNAMIC_SMEM, 900000, 2}, {SMC_FIELD_BARRIERS, 16, 0}};
    random_begin(4);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_query query;
        struct smc_answer answer;
        struct smc_text warnings = {0};
        struct smc_memo memo = {0};
        struct smc_tui_chart chart = {0};
        test_query(NULL, 3, &query);
        query.regs_per_thread = 32;
        smc_field_set_number(&query, cases[i].field, cases[i].value);
        CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, &warnings, NULL), SMC_OK);
        smc_chart_find(&chart, &query, &answer, cases[i].field, &memo);
        CU_ASSERT_EQUAL(chart.now, cases[i].value);
        CU_ASSERT_EQUAL(faults_of_chart(&query, &chart, cases[i].field), 0);
        CU_ASSERT(cases[i].at != 1 || chart.point[0].value == chart.now);
        CU_ASSERT(cases[i].at != 2 || chart.point[chart.count - 1].value == chart.now);
        smc_chart_free(&chart);
        smc_text_free(&warnings);
    }
}

/* What NVRTC found is used in the chart as in the answer. */
static void test_memo_counts(void)
{
    struct smc_query query;
    struct smc_tui_chart chart = {0};
    struct smc_memo memo = {0};
    struct smc_answer answer;
    struct smc_text warnings = {0};
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, &warnings, NULL), SMC_OK);
    struct smc_query other = answer.query;
    struct smc_resources resources = answer.resources;
    other.params.value[SMC_PARAM_TILE] = 16;
    resources.regs_per_thread = 255;
    resources.source = SMC_RESOURCES_NVRTC;
    smc_memo_keep(&memo, &other, &resources);
    smc_chart_find(&chart, &query, &answer, smc_field_of_param(SMC_PARAM_TILE), &memo);
    CU_ASSERT_EQUAL(chart.count, 32);
    CU_ASSERT_EQUAL(chart.point[15].blocks, 1);
    CU_ASSERT_EQUAL(chart.point[15].limiters, 1u << SMC_LIMIT_REGISTERS);
    CU_ASSERT(chart.point[14].blocks > 1 && chart.point[16].blocks > 1);
    smc_memo_forget(&memo);
    smc_chart_free(&chart);
    smc_text_free(&warnings);
}

/* A kernel that could not be compiled is not tried again, and not said to be compiled later. */
static void test_given_up(void)
{
    struct smc_query query, around;
    struct smc_tui_chart chart = {0};
    struct smc_memo memo = {0};
    struct smc_answer answer;
    struct smc_text warnings = {0};
    struct temporary edited;
    char path[600];
    const enum smc_field tile = smc_field_of_param(SMC_PARAM_TILE);
    test_query(smc_kernel_find("matmul-tiled"), 3, &query);
    CU_ASSERT_EQUAL(smc_query_answer(&query, &answer, &warnings, NULL), SMC_OK);
    temporary_begin(&edited);
    CU_ASSERT_FATAL(mkdir(edited.folder, 0700) == 0);
    snprintf(path, sizeof path, "%s/%s", edited.folder, query.kernel->file);
    CU_ASSERT(temporary_write(path, "edited", 6)); /* so that no table has its registers */
    query.compile.kernel_dir = edited.folder;
    smc_chart_find(&chart, &query, &answer, tile, &memo);
    for (int tries = 0; smc_chart_find_uncompiled(&chart, &query, &memo, &around); tries++) {
        CU_ASSERT_FATAL(tries < 32);
        CU_ASSERT_FALSE(smc_memo_has_failed(&memo, &around));
        smc_memo_keep(&memo, &around, NULL);
        smc_chart_find(&chart, &query, &answer, tile, &memo);
    }
    CU_ASSERT_EQUAL(memo.count, chart.count);
    for (size_t i = 0; i < chart.count; i++)
        CU_ASSERT(chart.point[i].is_given_up);
    smc_memo_keep(&memo, &around, &answer.resources);
    CU_ASSERT_PTR_NOT_NULL(smc_memo_find(&memo, &around));
    temporary_end(&edited);
    smc_memo_forget(&memo);
    smc_chart_free(&chart);
    smc_text_free(&warnings);
}

/* A label that is wider than its point's column ends at the edge of the panel. */
static void test_last_label(void)
{
    enum { POINTS = 128, AXIS = 5, ROWS = 14 };
    static struct smc_chart_point points[POINTS];
    const struct smc_tui_chart chart = {
        .label = "tile", .now = 1, .point = points, .count = POINTS};
    const struct smc_rect rect = {1, 1, ROWS, AXIS + POINTS + 1};
    struct smc_frame frame = {0};
    struct smc_text text = {0};
    for (int i = 0; i < POINTS; i++)
        points[i] = (struct smc_chart_point){
            .value = i + 1, .percent = 50, .launches = true, .limiters = 1};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, ROWS + 2, AXIS + POINTS + 3));
    smc_draw_chart(&chart, rect, &frame);
    smc_frame_write(&frame, true, &text);
    const char *last = strstr(smc_text_string(&text), " 128");
    CU_ASSERT_PTR_NOT_NULL_FATAL(last);
    while (last > smc_text_string(&text) && last[-1] != '\n')
        last--;
    CU_ASSERT_EQUAL(strcspn(last, "\n"), 1 + AXIS + POINTS);
    smc_text_free(&text);
    smc_frame_free(&frame);
}

/* The letters of all limits that bind, one below the other; the legend has no others. */
static void test_letters(void)
{
    static struct smc_chart_point points[] = {
        {.value = 1, .percent = 50, .launches = true, .limiters = 1u << SMC_LIMIT_WARPS},
        {.value = 2,
         .percent = 50,
         .launches = true,
         .limiters = 1u << SMC_LIMIT_WARPS | 1u << SMC_LIMIT_REGISTERS}};
    const struct smc_tui_chart chart = {.label = "tile", .now = 1, .point = points, .count = 2};
    struct smc_frame frame = {0};
    struct smc_text text = {0};
    CU_ASSERT_FATAL(smc_frame_resize(&frame, 16, 60));
    smc_draw_chart(&chart, (struct smc_rect){1, 1, 14, 58}, &frame);
    smc_frame_write(&frame, true, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "wwww\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), " rrrr"));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), "w warps  r registers"));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), "block slots"));
    smc_text_free(&text);
    smc_frame_free(&frame);
}

CU_TestInfo tests_tui_chart[] = {
    {"every point is the model's answer", test_points},
    {"the current value is a point", test_current_point},
    {"what was compiled counts", test_memo_counts},
    {"what cannot be compiled is given up", test_given_up},
    {"the last label ends at the edge", test_last_label},
    {"letters of the limits that bind", test_letters},
    CU_TEST_INFO_NULL,
};
