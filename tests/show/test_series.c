/* confirm: which runs a comparison or a range consists of. */
#include <string.h>

#include "hardware/series.h"
#include "show/report/writers.h"
#include "unit.h"

static void names_of(const char *family, char *list, size_t room)
{
    const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS];
    size_t count = smc_series_members(family, member);
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        strncat(list, i ? " " : "", room - strlen(list) - 1);
        strncat(list, member[i]->name, room - strlen(list) - 1);
    }
}

static void test_members(void)
{
    static const char *const expected[][2] = {
        {"AAT", "aat-naive aat-conflict aat-padded aat-swizzled"},
        {"residency", "residency"},
        {"mat", ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char list[256];
        names_of(expected[i][0], list, sizeof list);
        CU_ASSERT_STRING_EQUAL(list, expected[i][1]);
    }
}

/* Every kernel is a member of its family's series once, except those with a race by intention. */
static void test_every_kernel_is_member(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i), *member[SMC_SERIES_MOST_MEMBERS];
        size_t count = smc_series_members(kernel->family, member), found = 0;
        for (size_t k = 0; k < count; k++) {
            found += member[k] == kernel;
            CU_ASSERT_STRING_EQUAL(member[k]->family, kernel->family);
        }
        CU_ASSERT_EQUAL(found, !kernel->is_racy);
    }
}

/* Both ends included, ascending, and no more values than a table can hold. */
static void test_spread(void)
{
    static const struct smc_range ranges[] = {
        {1, 6000, 1}, {0, 32, 1}, {-1, 100, 1}, {1, 33, 1}, {0, 1000000, 1}, {999000, 1000000, 1},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct smc_series_axis axis = {0};
        CU_ASSERT_EQUAL(smc_series_take_range(&ranges[i], false, &axis, NULL), SMC_OK);
        CU_ASSERT_TRUE(axis.spread);
        CU_ASSERT_EQUAL(axis.count, SMC_SERIES_SPREAD);
        CU_ASSERT_EQUAL(axis.value[0], ranges[i].first);
        CU_ASSERT_EQUAL(axis.value[axis.count - 1], ranges[i].last);
        for (size_t k = 1; k < axis.count; k++)
            CU_ASSERT_TRUE(axis.value[k] > axis.value[k - 1]);
    }
}

/* In a wide range the values grow by a constant factor, up to rounding. */
static void test_spread_is_geometric(void)
{
    const struct smc_range range = {100, 1000000, 1};
    struct smc_series_axis axis = {0};
    CU_ASSERT_EQUAL(smc_series_take_range(&range, false, &axis, NULL), SMC_OK);
    for (size_t k = 1; k + 1 < axis.count; k++) {
        double before = (double)axis.value[k - 1], after = (double)axis.value[k + 1];
        double own = (double)axis.value[k];
        CU_ASSERT_DOUBLE_EQUAL(own * own / (before * after), 1, 0.03);
    }
}

static void spread(enum smc_series_vary vary, enum smc_param param, struct smc_range range,
                   struct smc_series_axis *axis)
{
    *axis = (struct smc_series_axis){.vary = vary, .param = param};
    CU_ASSERT_EQUAL(smc_series_take_range(&range, false, axis, NULL), SMC_OK);
    CU_ASSERT_EQUAL(axis->value[0], range.first);
    CU_ASSERT_EQUAL(axis->value[axis->count - 1], range.last);
    for (size_t k = 1; k < axis->count; k++)
        CU_ASSERT_TRUE(axis->value[k] > axis->value[k - 1]);
}

/* Between the ends whole warps, and whole units of shared memory. */
static void test_multiples(void)
{
    static const struct {
        enum smc_series_vary vary;
        enum smc_param param;
        struct smc_range range;
        int64_t grain;
        size_t count;
    } cases[] = {
        {SMC_VARY_PARAM, SMC_PARAM_BLOCK, {32, 1024, 1}, 32, SMC_SERIES_SPREAD},
        {SMC_VARY_PARAM, SMC_PARAM_BLOCK, {1, 1000, 1}, 32, SMC_SERIES_SPREAD},
        {SMC_VARY_PARAM, SMC_PARAM_BLOCK, {1, 100, 1}, 32, 5},
        {SMC_VARY_PARAM, SMC_PARAM_BLOCK, {33, 96, 1}, 32, 3},
        {SMC_VARY_PARAM, SMC_PARAM_BLOCK, {65, 127, 1}, 32, 3},
        {SMC_VARY_PARAM, SMC_PARAM_RADIUS, {1, 6000, 1}, 1, SMC_SERIES_SPREAD},
        {SMC_VARY_PARAM, SMC_PARAM_STATIC_BYTES, {1, 48 << 10, 1}, 128, SMC_SERIES_SPREAD},
        {SMC_VARY_DYNAMIC_SMEM, SMC_PARAM_TILE, {0, 227 << 10, 1}, 128, SMC_SERIES_SPREAD},
        {SMC_VARY_DYNAMIC_SMEM, SMC_PARAM_TILE, {0, 1000, 1}, 128, 9},
        {SMC_VARY_DYNAMIC_SMEM, SMC_PARAM_TILE, {1001, INT64_MAX, 1}, 128, SMC_SERIES_SPREAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_series_axis axis;
        spread(cases[i].vary, cases[i].param, cases[i].range, &axis);
        CU_ASSERT_EQUAL(axis.count, cases[i].count);
        for (size_t k = 1; k + 1 < axis.count; k++)
            CU_ASSERT_EQUAL(axis.value[k] % cases[i].grain, 0);
    }
}

static void test_narrow_and_stepped(void)
{
    struct smc_series_axis axis = {0};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_series_take_range(&(struct smc_range){1, 32, 1}, false, &axis, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(axis.count, 32);
    CU_ASSERT_EQUAL(axis.value[31], 32);
    CU_ASSERT_FALSE(axis.spread);
    CU_ASSERT_EQUAL(smc_series_take_range(&(struct smc_range){0, 100, 30}, true, &axis, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(axis.count, 4);
    CU_ASSERT_EQUAL(axis.value[3], 90);
    CU_ASSERT_EQUAL(smc_series_take_range(&(struct smc_range){1, 257, 1}, true, &axis, &error),
                    SMC_USAGE);
    CU_ASSERT_STRING_EQUAL(error.message, "257 values are more than the 256 runs of a series");
}

static size_t ask(const char *family, struct smc_query *query)
{
    const struct smc_kernel *member[SMC_SERIES_MOST_MEMBERS];
    size_t count = smc_series_members(family, member);
    for (size_t i = 0; i < count; i++) {
        smc_query_init(&query[i]);
        query[i].kernel = member[i];
        smc_params_init(member[i], &query[i].params);
    }
    return count;
}

static int64_t param(const struct smc_series *series, size_t run, enum smc_param param)
{
    return series->run[run].query.params.value[param];
}

static void test_tiles(void)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count = ask("matmul", query);
    struct smc_series series = {.family = "matmul"};
    CU_ASSERT_EQUAL(smc_series_build(query, count, false, &series, NULL), SMC_OK);
    CU_ASSERT_EQUAL(series.count, 7);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_STRING_EQUAL(series.run[1 + i].query.kernel->name, "matmul-tiled");
        CU_ASSERT_EQUAL(param(&series, 1 + i, SMC_PARAM_TILE), 8 << i);
    }
    for (size_t i = 0; i < series.count; i++) {
        CU_ASSERT_EQUAL(series.run[i].baseline, 0);
        CU_ASSERT_EQUAL(param(&series, i, SMC_PARAM_M), 1024);
    }
    smc_series_free(&series);

    for (size_t i = 0; i < count; i++) { /* if a tile was given, only that one is used */
        query[i].params.value[SMC_PARAM_TILE] = 24;
        query[i].params.given |= 1u << SMC_PARAM_TILE;
    }
    series.family = "matmul";
    CU_ASSERT_EQUAL(smc_series_build(query, count, true, &series, NULL), SMC_OK);
    CU_ASSERT_EQUAL(series.count, count);
    CU_ASSERT_EQUAL(param(&series, 1, SMC_PARAM_TILE), 24);
    CU_ASSERT_TRUE(param(&series, 1, SMC_PARAM_M) < 1024);
    smc_series_free(&series);
}

/* The length follows the radius; values that were given are kept. */
static void test_values(void)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count = ask("stencil", query);
    struct smc_series series = {.family = "stencil"};
    series.axis.vary = SMC_VARY_PARAM;
    series.axis.param = SMC_PARAM_RADIUS;
    CU_ASSERT_EQUAL(smc_series_take_range(&(struct smc_range){5, 25, 10}, true, &series.axis, NULL),
                    SMC_OK);
    CU_ASSERT_EQUAL(smc_series_build(query, count, true, &series, NULL), SMC_OK);
    CU_ASSERT_EQUAL(series.count, 3 * count);
    for (size_t i = 0; i < series.count; i++) {
        int64_t radius = 5 + 10 * (int64_t)(i / count);
        CU_ASSERT_EQUAL(series.run[i].value, radius);
        CU_ASSERT_EQUAL(param(&series, i, SMC_PARAM_RADIUS), radius);
        CU_ASSERT_EQUAL(param(&series, i, SMC_PARAM_LENGTH) - 2 * radius,
                        param(&series, 0, SMC_PARAM_LENGTH) - 10);
        CU_ASSERT_EQUAL(series.run[i].baseline, (int)(i / count * count));
    }
    smc_series_free(&series);
}

/* The whole family, with two values of a parameter. */
static void build_two(const char *family, enum smc_param varied, struct smc_range range,
                      struct smc_series *series)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count = ask(family, query);
    for (size_t i = 0; i < count; i++)
        if (query[i].kernel->params & 1u << varied)
            query[i].params.given |= 1u << varied;
    *series = (struct smc_series){.family = family};
    series->axis.vary = SMC_VARY_PARAM;
    series->axis.param = varied;
    CU_ASSERT_EQUAL(smc_series_take_range(&range, true, &series->axis, NULL), SMC_OK);
    CU_ASSERT_EQUAL(series->axis.count, 2);
    CU_ASSERT_EQUAL(smc_series_build(query, count, false, series, NULL), SMC_OK);
}

/* A kernel that does not accept the varied parameter is run once, after the others; it is not the
   baseline of any value. */
static void test_not_taken(void)
{
    struct smc_series series;
    build_two("matmul", SMC_PARAM_TILE, (struct smc_range){4, 8, 4}, &series);
    CU_ASSERT_EQUAL_FATAL(series.count, 9);
    for (size_t i = 0; i < series.count; i++) {
        const struct smc_series_run *run = &series.run[i];
        CU_ASSERT_EQUAL(run->has_value, i < 8);
        CU_ASSERT_EQUAL(run->value, i < 4 ? 4 : i < 8 ? 8 : 0);
        CU_ASSERT_EQUAL(run->baseline, i < 4 ? 0 : i < 8 ? 4 : SMC_NO_RUN);
    }
    CU_ASSERT_STRING_EQUAL(series.run[8].query.kernel->name, "matmul-register");
    smc_series_free(&series);
}

/* A baseline that does not accept the varied parameter is the same for every value. */
static void test_baseline_of_all(void)
{
    struct smc_series series;
    build_two("aat", SMC_PARAM_PAD, (struct smc_range){1, 2, 1}, &series);
    static const char *const expected[] = {"aat-padded", "aat-padded", "aat-naive", "aat-conflict",
                                           "aat-swizzled"};
    CU_ASSERT_EQUAL_FATAL(series.count, 5);
    for (size_t i = 0; i < series.count; i++) {
        CU_ASSERT_STRING_EQUAL(series.run[i].query.kernel->name, expected[i]);
        CU_ASSERT_EQUAL(series.run[i].has_value, i < 2);
        CU_ASSERT_EQUAL(series.run[i].baseline, 2);
    }
    smc_series_free(&series);
}

static void test_launch_varies(void)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    ask("stencil", query);
    static const enum smc_series_vary kinds[] = {SMC_VARY_CARVEOUT, SMC_VARY_CACHE_CONFIG,
                                                 SMC_VARY_DYNAMIC_SMEM};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct smc_series series = {.axis.vary = kinds[k]};
        CU_ASSERT_EQUAL(
            smc_series_take_range(&(struct smc_range){0, 3, 1}, false, &series.axis, NULL), SMC_OK);
        CU_ASSERT_EQUAL(smc_series_build(query, 1, false, &series, NULL), SMC_OK);
        CU_ASSERT_EQUAL(series.count, 4);
        for (size_t i = 0; i < series.count; i++) {
            const struct smc_query *asked = &series.run[i].query;
            int64_t seen = k == 0   ? asked->settings.carveout_percent
                           : k == 1 ? (int64_t)asked->settings.cache_config
                                    : asked->dynamic_smem_bytes;
            CU_ASSERT_EQUAL(seen, (int64_t)i);
            CU_ASSERT_EQUAL(series.run[i].baseline, SMC_NO_RUN);
        }
        smc_series_free(&series);
    }
}

/* Failures are reported before differences. */
static void test_status(void)
{
    static const struct {
        enum smc_status run[3], whole;
        const char *message;
    } cases[] = {
        {{SMC_OK, SMC_OK, SMC_OK}, SMC_OK, ""},
        {{SMC_OK, SMC_USAGE, SMC_UNAVAILABLE},
         SMC_SHORTFALL,
         "2 of 3 runs have no result; the first, stencil-static: no memory"},
        {{SMC_OK, SMC_SHORTFALL, SMC_OK}, SMC_SHORTFALL, ""},
        {{SMC_SHORTFALL, SMC_MACHINE, SMC_MACHINE},
         SMC_MACHINE,
         "2 of 3 runs failed; the first, stencil-static: no memory"},
        {{SMC_USAGE, SMC_UNAVAILABLE, SMC_USAGE}, SMC_USAGE, "no memory"},
    };
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    ask("stencil", query);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_series series = {.family = "stencil"};
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_series_build(query, 3, false, &series, &error), SMC_OK);
        for (size_t k = 0; k < 3; k++) {
            series.run[k].started = true;
            series.run[k].status = cases[i].run[k];
            series.run[k].seen.has_result = cases[i].run[k] <= SMC_SHORTFALL;
            strcpy(series.run[k].why, "no memory");
        }
        CU_ASSERT_EQUAL(smc_series_status(&series, &error), cases[i].whole);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
        smc_series_free(&series);
    }
}

/* If a run makes the GPU unusable, the other runs keep their state. */
static void test_lost(void)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    ask("stencil", query);
    struct smc_series series = {.family = "stencil"};
    struct smc_error error = {""};
    CU_ASSERT_EQUAL(smc_series_build(query, 4, false, &series, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_series_started(&series), 0);
    series.run[0].started = series.run[1].started = true;
    series.run[0].status = SMC_OK;
    series.run[0].seen.has_result = true;
    series.run[1].status = SMC_MACHINE;
    strcpy(series.run[1].why, "it crashed");
    CU_ASSERT_EQUAL(smc_series_started(&series), 2);
    CU_ASSERT_EQUAL(smc_series_status(&series, &error), SMC_MACHINE);
    CU_ASSERT_STRING_EQUAL(error.message, "1 of 4 runs failed; the first, stencil-static: it "
                                          "crashed; 2 were not started");
    smc_series_free(&series);
}

static void starts(struct smc_series_run *run)
{
    run->started = run->seen.has_result = true;
    run->seen.answer.query = run->query;
}

/* A row of a run on an emulator: its counts are known, its resident blocks are not. */
static void add_row(const char *quantity, enum smc_verdict verdict, struct smc_series_run *run)
{
    struct smc_confirmation *confirmation = &run->seen.confirmation;
    struct smc_row *row = &confirmation->row[confirmation->row_count++];
    *row = (struct smc_row){.quantity = quantity, .label = "", .unit = "", .verdict = verdict};
    row->predicted.present = true;
    row->emulated.present = verdict != SMC_NOT_MEASURED;
    confirmation->confirmed += verdict == SMC_CONFIRMED;
    confirmation->differing += verdict == SMC_DIFFERS;
    confirmation->not_measured += verdict == SMC_NOT_MEASURED;
}

/* Two runs that differ in `vary`, each with two rows beside "compiles". */
static void build_verdicts(enum smc_series_vary vary, enum smc_verdict blocks,
                           enum smc_verdict sectors, struct smc_series *series)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    ask("stencil", query);
    *series = (struct smc_series){.axis.vary = vary, .axis.param = SMC_PARAM_RADIUS};
    CU_ASSERT_EQUAL(smc_series_take_range(&(struct smc_range){1, 2, 1}, false, &series->axis, NULL),
                    SMC_OK);
    CU_ASSERT_EQUAL(smc_series_build(query, 1, false, series, NULL), SMC_OK);
    for (size_t i = 0; i < series->count; i++) {
        starts(&series->run[i]);
        series->run[i].seen.answer.has_work = true;
        add_row("compiles", SMC_CONFIRMED, &series->run[i]);
        add_row("blocks_per_sm", blocks, &series->run[i]);
        add_row("global_load_sectors", sectors, &series->run[i]);
    }
}

/* A quantity without a column in the table confirms nothing there, but one that differs always
   counts. */
static void test_verdict(void)
{
    static const struct {
        enum smc_series_vary vary;
        enum smc_verdict blocks, sectors, expected;
        const char *headline;
    } cases[] = {
        {SMC_VARY_CARVEOUT, SMC_NOT_MEASURED, SMC_CONFIRMED, SMC_NOT_MEASURED,
         "not measured: 2 quantities of 2 runs, 4 confirmed, 0 differ"},
        {SMC_VARY_CARVEOUT, SMC_CONFIRMED, SMC_NOT_MEASURED, SMC_CONFIRMED,
         "confirmed: 4 quantities of 2 runs, 0 differ, 2 not measured"},
        {SMC_VARY_CARVEOUT, SMC_INFORMATION, SMC_CONFIRMED, SMC_INFORMATION,
         "confirmed: 4 quantities of 2 runs, 0 differ, 0 not measured"},
        {SMC_VARY_CARVEOUT, SMC_CONFIRMED, SMC_DIFFERS, SMC_DIFFERS,
         "differs: 2 quantities of 2 runs, 4 confirmed, 0 not measured"},
        {SMC_VARY_PARAM, SMC_NOT_MEASURED, SMC_CONFIRMED, SMC_CONFIRMED,
         "confirmed: 4 quantities of 2 runs, 0 differ, 2 not measured"},
        {SMC_VARY_PARAM, SMC_CONFIRMED, SMC_NOT_MEASURED, SMC_NOT_MEASURED,
         "not measured: 2 quantities of 2 runs, 4 confirmed, 0 differ"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_series series;
        struct smc_text text = {0};
        build_verdicts(cases[i].vary, cases[i].blocks, cases[i].sectors, &series);
        CU_ASSERT_EQUAL(smc_series_verdict(&series, 0), cases[i].expected);
        CU_ASSERT_EQUAL(smc_series_verdict(&series, 1), cases[i].expected);
        smc_words_series_verdicts(&series, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].headline);
        smc_text_free(&text);
        smc_series_free(&series);
    }
}

/* A failure is shown instead of values; what was tried before it is confirmed. */
static void test_verdict_of_failures(void)
{
    struct smc_series series;
    build_verdicts(SMC_VARY_PARAM, SMC_NOT_MEASURED, SMC_NOT_MEASURED, &series);
    add_row("launches", SMC_NOT_MEASURED, &series.run[1]);
    series.run[0].seen.answer.outcome = SMC_CANNOT_COMPILE;
    series.run[1].seen.answer.outcome = SMC_CANNOT_LAUNCH;
    CU_ASSERT_EQUAL(smc_series_verdict(&series, 0), SMC_CONFIRMED);
    CU_ASSERT_EQUAL(smc_series_verdict(&series, 1), SMC_NOT_MEASURED);
    CU_ASSERT_EQUAL(smc_series_whole_verdict(&series), SMC_CONFIRMED);
    series.run[1].seen.confirmation.row[3].verdict = SMC_CONFIRMED;
    CU_ASSERT_EQUAL(smc_series_verdict(&series, 1), SMC_CONFIRMED);
    smc_series_free(&series);
}

/* A run that was not started has the name that it would have had. */
static void test_names_of_the_rest(void)
{
    struct smc_query query[SMC_SERIES_MOST_MEMBERS];
    size_t count = ask("matmul", query);
    struct smc_series series = {.family = "matmul"};
    struct smc_text text = {0};
    CU_ASSERT_EQUAL(smc_series_build(query, count, true, &series, NULL), SMC_OK);
    smc_words_series_not_started(&series, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text),
                           "7 runs were not started: matmul-naive, tile 32; matmul-tiled, tile 8; "
                           "matmul-tiled, tile 16; matmul-tiled, tile 32; matmul-a-tile, tile 32; "
                           "matmul-async, tile 32; matmul-register");
    for (size_t i = 0; i < series.count - 1; i++)
        starts(&series.run[i]);
    text.length = 0;
    smc_words_series_not_started(&series, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "1 run was not started: matmul-register");
    starts(&series.run[series.count - 1]);
    text.length = 0;
    smc_words_series_not_started(&series, &text);
    CU_ASSERT_EQUAL(text.length, 0);
    smc_series_free(&series);

    build_two("aat", SMC_PARAM_PAD, (struct smc_range){1, 2, 1}, &series);
    starts(&series.run[0]);
    smc_words_series_not_started(&series, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text),
                           "4 runs were not started: aat-padded, pad 2; aat-naive; aat-conflict; "
                           "aat-swizzled");
    smc_series_free(&series);

    build_two("matmul", SMC_PARAM_TILE, (struct smc_range){4, 8, 4}, &series);
    text.length = 0;
    smc_words_series_not_started(&series, &text);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&text), "9 runs were not started");
    smc_series_free(&series);
    smc_text_free(&text);
}

CU_TestInfo tests_series[] = {
    {"the kernels of a family", test_members},
    {"every kernel is in its family's series", test_every_kernel_is_member},
    {"values spread over a wide range", test_spread},
    {"each as many times the one before", test_spread_is_geometric},
    {"multiples of what a block and its memory are made of", test_multiples},
    {"narrow ranges and those with a step", test_narrow_and_stepped},
    {"tiles", test_tiles},
    {"values and sizes that follow", test_values},
    {"kernels that do not take what varies", test_not_taken},
    {"a baseline that does not", test_baseline_of_all},
    {"settings of the launch", test_launch_varies},
    {"the status of all", test_status},
    {"a run that is lost", test_lost},
    {"the names of what did not run", test_names_of_the_rest},
    {"verdicts of the figures shown", test_verdict},
    {"verdicts of failures", test_verdict_of_failures},
    CU_TEST_INFO_NULL,
};
