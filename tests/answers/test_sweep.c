/* base: ranges; sweep: which points there are, and that each has the same answer as a separate
   query. */
#include <stdlib.h>
#include <string.h>

#include "answers/sweep.h"
#include "base/parse.h"
#include "unit.h"

/* --- Ranges ----------------------------------------------------------------------------------- */

static void test_sound_ranges(void)
{
    static const struct {
        const char *text;
        bool sizes;
        int64_t first, last, step;
        uint64_t count;
        int64_t final;
    } good[] = {
        {"4:32:4", false, 4, 32, 4, 8, 32},
        {"4:30:4", false, 4, 30, 4, 7, 28},
        {"16:128", false, 16, 128, 1, 113, 128},
        {"7:7", false, 7, 7, 1, 1, 7},
        {"7:7:100", false, 7, 7, 100, 1, 7},
        {"-1:100", false, -1, 100, 1, 102, 100},
        {"0:48K:1K", true, 0, 49152, 1024, 49, 49152},
        {"1000:2k:512", true, 1000, 2048, 512, 3, 2024},
        {"0:1MiB:128B", true, 0, 1 << 20, 128, 8193, 1 << 20},
        {"0xc400 : 50 KB", true, 50176, 51200, 1, 1025, 51200},
        {"0:2147483647", false, 0, INT32_MAX, 1, 2147483648u, INT32_MAX},
        {"0:9223372036854775807:9223372036854775807", false, 0, INT64_MAX, INT64_MAX, 2, INT64_MAX},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct smc_range range = {0};
        enum smc_range_fault fault =
            smc_range_parse(good[i].text, -1, INT64_MAX, good[i].sizes, &range);
        CU_ASSERT_EQUAL_FATAL(fault, SMC_RANGE_SOUND);
        CU_ASSERT(range.first == good[i].first && range.last == good[i].last &&
                  range.step == good[i].step);
        CU_ASSERT_EQUAL(smc_range_count(&range), good[i].count);
        CU_ASSERT_EQUAL(smc_range_value(&range, good[i].count - 1), good[i].final);
    }
}

static void test_faulty_ranges(void)
{
    static const struct {
        const char *text;
        enum smc_range_fault fault;
    } bad[] = {
        {"", SMC_RANGE_MALFORMED},
        {"8", SMC_RANGE_MALFORMED},
        {":", SMC_RANGE_MALFORMED},
        {"1:", SMC_RANGE_MALFORMED},
        {":2", SMC_RANGE_MALFORMED},
        {"1:2:", SMC_RANGE_MALFORMED},
        {"1:2:3:4", SMC_RANGE_MALFORMED},
        {"1::2", SMC_RANGE_MALFORMED},
        {"1:2 ", SMC_RANGE_MALFORMED},
        {" 1:2", SMC_RANGE_MALFORMED},
        {"1:2x", SMC_RANGE_MALFORMED},
        {"1-2", SMC_RANGE_MALFORMED},
        {"1K:2K", SMC_RANGE_MALFORMED},
        {"1:2:1.5", SMC_RANGE_MALFORMED},
        {"1:99999999999999999999", SMC_RANGE_MALFORMED},
        {"1:111111111111111111111111111111", SMC_RANGE_MALFORMED},
        {"0:8", SMC_RANGE_OUTSIDE},
        {"8:33", SMC_RANGE_OUTSIDE},
        {"-5:8", SMC_RANGE_OUTSIDE},
        {"8:4", SMC_RANGE_EMPTY},
        {"4:8:0", SMC_RANGE_NO_STEP},
        {"4:8:-1", SMC_RANGE_NO_STEP},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct smc_range range = {77, 77, 77};
        CU_ASSERT_EQUAL(smc_range_parse(bad[i].text, 1, 32, false, &range), bad[i].fault);
        CU_ASSERT(range.first == 77 && range.last == 77 && range.step == 77);
    }
}

/* --- Points ----------------------------------------------------------------------------------- */

static void begin(struct smc_sweep *sweep, const char *device)
{
    char note[256];
    *sweep = (struct smc_sweep){0};
    smc_query_init(&sweep->query);
    CU_ASSERT_EQUAL_FATAL(smc_device_find(device, &sweep->query.device, note, NULL), SMC_OK);
    sweep->query.threads_per_block = 256;
    sweep->query.compile = (struct smc_compile_options){.no_cache = true, .no_nvrtc = true};
}

static void add_axis(struct smc_sweep *sweep, enum smc_axis_id id, int64_t first, int64_t last,
                     int64_t step)
{
    sweep->axis[sweep->axis_count++] = (struct smc_axis){id, {first, last, step}};
}

static void test_points(void)
{
    struct smc_sweep sweep;
    begin(&sweep, "9.0");
    add_axis(&sweep, SMC_AXIS_THREADS, 32, 128, 32);
    add_axis(&sweep, SMC_AXIS_REGS, 10, 12, 1);
    CU_ASSERT_EQUAL(smc_sweep_points(&sweep), 12);
    for (uint64_t i = 0; i < 12; i++) { /* the last axis varies fastest */
        struct smc_query query;
        smc_sweep_ask(&sweep, i, &query);
        CU_ASSERT_EQUAL(query.threads_per_block, 32 * (1 + (int64_t)i / 3));
        CU_ASSERT_EQUAL(query.regs_per_thread, 10 + (int64_t)i % 3);
        CU_ASSERT_EQUAL(smc_sweep_position(&sweep, 0, i), i / 3);
        CU_ASSERT_EQUAL(smc_sweep_position(&sweep, 1, i), i % 3);
    }
    sweep.axis[0].range = (struct smc_range){1, INT64_MAX, 1};
    sweep.axis[1].range = (struct smc_range){1, INT64_MAX, 1};
    CU_ASSERT_EQUAL(smc_sweep_points(&sweep), UINT64_MAX);
}

static void test_every_axis(void)
{
    struct smc_device devices[2];
    struct smc_query query;
    struct smc_sweep sweep;
    char note[256];
    smc_device_find("7.5", &devices[0], note, NULL);
    smc_device_find("H200", &devices[1], note, NULL);
    for (int id = 0; id < SMC_AXIS_COUNT; id++) {
        begin(&sweep, "9.0");
        sweep.devices = devices;
        sweep.query.kernel = smc_kernel_find("stencil-static");
        add_axis(&sweep, (enum smc_axis_id)id, 0, 1, 1);
        smc_sweep_ask(&sweep, 1, &query);
        const int64_t values[SMC_AXIS_COUNT] = {
            [SMC_AXIS_DEVICE] = strcmp(query.device.name, "NVIDIA H200") == 0,
            [SMC_AXIS_SIZE] = query.params.value[SMC_PARAM_LENGTH],
            [SMC_AXIS_TILE] = query.params.value[SMC_PARAM_TILE],
            [SMC_AXIS_BLOCK] = query.params.value[SMC_PARAM_BLOCK],
            [SMC_AXIS_RADIUS] = query.params.value[SMC_PARAM_RADIUS],
            [SMC_AXIS_THREADS] = query.threads_per_block,
            [SMC_AXIS_REGS] = query.regs_per_thread,
            [SMC_AXIS_SMEM] = query.static_smem_bytes,
            [SMC_AXIS_DYNAMIC_SMEM] = query.dynamic_smem_bytes,
            [SMC_AXIS_CLUSTER] = query.settings.blocks_per_cluster,
            [SMC_AXIS_CARVEOUT] = query.settings.carveout_percent,
        };
        size_t set = 0;
        for (int other = 0; other < SMC_AXIS_COUNT; other++)
            set += values[other] == 1;
        CU_ASSERT_EQUAL(values[id], 1);
        CU_ASSERT_EQUAL(set, 1);
        enum smc_axis_id found = SMC_AXIS_COUNT;
        CU_ASSERT(smc_axis_find(smc_axis_info[id].option, &found) && (int)found == id);
    }
    enum smc_axis_id none;
    CU_ASSERT_FALSE(smc_axis_find("barriers", &none));
}

static void test_labels(void)
{
    struct smc_sweep sweep;
    struct smc_text text = {0};
    struct smc_device devices[2];
    char note[256];
    smc_device_find("7.5", &devices[0], note, NULL);
    smc_device_find("H200", &devices[1], note, NULL);
    begin(&sweep, "9.0");
    sweep.devices = devices;
    add_axis(&sweep, SMC_AXIS_DEVICE, 0, 1, 1);
    add_axis(&sweep, SMC_AXIS_DYNAMIC_SMEM, 0, 2048, 512);
    smc_sweep_label(&sweep, 0, 0, &text);
    smc_sweep_label(&sweep, 0, 1, &text);
    for (uint64_t i = 0; i < 5; i++) {
        smc_text_append(&text, " ");
        smc_sweep_label(&sweep, 1, i, &text);
    }
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "CC 7.5NVIDIA H200 0 512 1K 1536 2K");
    smc_text_free(&text);
}

/* --- Answers ---------------------------------------------------------------------------------- */

struct seen {
    const struct smc_sweep *sweep;
    uint64_t points, differing, refused, without;
    uint64_t most; /* the number of points after which it ends the sweep */
};

/* Compares with the same query made alone. */
static bool compare(void *context, uint64_t point, const struct smc_answer *answer, const char *why)
{
    struct seen *seen = context;
    struct smc_query query;
    struct smc_answer alone;
    struct smc_error error = {""};
    smc_sweep_ask(seen->sweep, point, &query);
    enum smc_status status = smc_query_answer(&query, &alone, NULL, &error);
    bool same = why ? status == SMC_USAGE && strcmp(why, error.message) == 0
                    : status == SMC_OK &&
                          answer->occupancy.blocks_per_sm == alone.occupancy.blocks_per_sm &&
                          answer->occupancy.limiters == alone.occupancy.limiters &&
                          answer->occupancy.refusals == alone.occupancy.refusals &&
                          answer->launch.regs_per_thread == alone.launch.regs_per_thread &&
                          answer->launch.threads_per_block == alone.launch.threads_per_block &&
                          answer->launch.static_smem_bytes == alone.launch.static_smem_bytes &&
                          answer->resources.source == alone.resources.source &&
                          answer->occupancy_percent == alone.occupancy_percent;
    seen->differing += !same || point != seen->points;
    seen->without += why != NULL;
    seen->refused += !why && answer->outcome != SMC_LAUNCHES;
    seen->points++;
    return seen->points < seen->most;
}

static struct seen sweep_all(const struct smc_sweep *sweep, enum smc_status expected)
{
    struct seen seen = {.sweep = sweep, .most = UINT64_MAX};
    struct smc_sweep_visitor visitor = {.visit = compare, .context = &seen};
    CU_ASSERT_EQUAL(smc_sweep_answer(sweep, &visitor, NULL, NULL), expected);
    return seen;
}

static void test_own_kernel(void)
{
    struct smc_sweep sweep;
    begin(&sweep, "8.6");
    add_axis(&sweep, SMC_AXIS_THREADS, 32, 1056, 32);
    add_axis(&sweep, SMC_AXIS_REGS, 8, 255, 13);
    struct seen seen = sweep_all(&sweep, SMC_OK);
    CU_ASSERT_EQUAL(seen.points, 33 * 20);
    CU_ASSERT_EQUAL(seen.differing, 0);
    CU_ASSERT(seen.refused > 20 && seen.refused < seen.points);
}

static void test_catalog_kernel(void)
{
    struct smc_sweep sweep;
    begin(&sweep, "9.0");
    sweep.query.kernel = smc_kernel_find("matmul-tiled");
    smc_params_init(sweep.query.kernel, &sweep.query.params);
    add_axis(&sweep, SMC_AXIS_TILE, 1, 32, 3);
    add_axis(&sweep, SMC_AXIS_CARVEOUT, -1, 100, 25);
    struct seen seen = sweep_all(&sweep, SMC_OK);
    CU_ASSERT_EQUAL(seen.points, 11 * 5);
    CU_ASSERT_EQUAL(seen.differing, 0);

    struct smc_device devices[3];
    char note[256];
    smc_device_find("H200", &devices[0], note, NULL); /* the same architecture, then another */
    smc_device_find("9.0", &devices[1], note, NULL);
    smc_device_find("5.2", &devices[2], note, NULL);
    sweep.devices = devices;
    sweep.axis_count = 0;
    add_axis(&sweep, SMC_AXIS_DEVICE, 0, 2, 1);
    CU_ASSERT_EQUAL(sweep_all(&sweep, SMC_OK).differing, 0);
}

static void test_points_without_answer(void)
{
    struct smc_sweep sweep;
    begin(&sweep, "3.0");
    add_axis(&sweep, SMC_AXIS_REGS, 60, 67, 1);
    struct seen seen = sweep_all(&sweep, SMC_OK);
    CU_ASSERT_EQUAL(seen.differing, 0);
    CU_ASSERT_EQUAL(seen.without, 4); /* a thread has 63 there */
    sweep.axis[0].range.first = 64;
    seen = sweep_all(&sweep, SMC_USAGE);
    CU_ASSERT_EQUAL(seen.without, 4);

    struct smc_error error = {""};
    seen = (struct seen){.sweep = &sweep, .most = UINT64_MAX};
    struct smc_sweep_visitor visitor = {.visit = compare, .context = &seen};
    smc_sweep_answer(&sweep, &visitor, NULL, &error);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "option --regs: '64'"));
}

static void test_ended_early(void)
{
    struct smc_sweep sweep;
    begin(&sweep, "9.0");
    add_axis(&sweep, SMC_AXIS_REGS, 1, 100, 1);
    struct seen seen = {.sweep = &sweep, .most = 7};
    struct smc_sweep_visitor visitor = {.visit = compare, .context = &seen};
    CU_ASSERT_EQUAL(smc_sweep_answer(&sweep, &visitor, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(seen.points, 7);
}

static bool keep(void *context, uint64_t point, const struct smc_answer *answer, const char *why)
{
    struct smc_sweep_point *points = context;
    smc_sweep_keep(answer, why, &points[point]);
    return true;
}

static void test_kept_points(void)
{
    struct smc_sweep sweep;
    struct smc_sweep_point points[4] = {{0}};
    struct smc_sweep_visitor visitor = {.visit = keep, .context = points};
    struct smc_sweep_result result = {.sweep = &sweep, .point = points, .answered = 4};
    begin(&sweep, "8.0");
    sweep.query.threads_per_block = 800;
    add_axis(&sweep, SMC_AXIS_REGS, 20, 320, 100); /* 20, 120, 220, 320 */
    CU_ASSERT_EQUAL(smc_sweep_best(&result), -1);
    smc_sweep_answer(&sweep, &visitor, NULL, NULL);
    CU_ASSERT_EQUAL(points[0].state, SMC_POINT_LAUNCHES);
    CU_ASSERT_EQUAL(points[0].blocks_per_sm, 2);
    CU_ASSERT_EQUAL(points[0].warps_per_sm, 50);
    CU_ASSERT_EQUAL(points[0].regs_per_thread, 20);
    CU_ASSERT_EQUAL(points[0].limiters, 1u << SMC_LIMIT_WARPS);
    CU_ASSERT_EQUAL(points[1].state, SMC_POINT_REFUSED);
    CU_ASSERT_EQUAL(points[2].state, SMC_POINT_REFUSED);
    CU_ASSERT_EQUAL(points[3].state, SMC_POINT_NO_ANSWER);
    CU_ASSERT_EQUAL(smc_sweep_best(&result), 78.125);
    sweep.query.regs_per_thread = SMC_NOT_GIVEN;
    sweep.axis_count = 0;
    add_axis(&sweep, SMC_AXIS_THREADS, 64, 64, 1);
    smc_sweep_answer(&sweep, &visitor, NULL, NULL);
    CU_ASSERT_EQUAL(points[0].regs_per_thread, SMC_UNLIMITED);
}

CU_TestInfo tests_sweep[] = {
    {"sound ranges", test_sound_ranges},
    {"faulty ranges", test_faulty_ranges},
    {"points in order", test_points},
    {"every axis sets its own value", test_every_axis},
    {"labels", test_labels},
    {"own kernel, point by point", test_own_kernel},
    {"catalog kernel, point by point", test_catalog_kernel},
    {"points without an answer", test_points_without_answer},
    {"a sweep that is ended", test_ended_early},
    {"what is kept", test_kept_points},
    CU_TEST_INFO_NULL,
};
