/* tune: the values that vary, the shapes, their ranks, and what is measured on a fake back end. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "hardware/confirm/tuning.h"
#include "unit.h"

static void test_read_axis(void)
{
    static const struct {
        const char *text, *name;
        size_t count;
        int64_t value[6];
    } sound[] = {
        {"TM=4,8,16", "TM", 3, {4, 8, 16}},
        {"BK=8:32:8", "BK", 4, {8, 16, 24, 32}},
        {"block-m=-1,5:6,100", "block-m", 4, {-1, 5, 6, 100}},
        {"a_name_of_thirty_one_characters=4", "a_name_of_thirty_one_characters", 1, {4}},
    };
    static const char *const malformed[] = {"",
                                            "TM",
                                            "TM=",
                                            "=4",
                                            "4T=4",
                                            "T M=4",
                                            "TM=4,",
                                            "TM=,",
                                            "TM=4;5",
                                            "TM=8:4",
                                            "TM=4:8:0",
                                            "TM=4,4",
                                            "TM=0x4",
                                            "TM= 4",
                                            "TM=1:200",
                                            "TM=3000000000",
                                            "a_name_of_thirty-two__characters=4",
                                            "a_name_that_is_longer_than_31_char=4"};
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        struct smc_tune_axis axis;
        CU_ASSERT_EQUAL(smc_tune_read_axis(sound[i].text, &axis, NULL), SMC_OK);
        CU_ASSERT_STRING_EQUAL(axis.name, sound[i].name);
        CU_ASSERT_EQUAL_FATAL(axis.count, sound[i].count);
        CU_ASSERT_EQUAL(memcmp(axis.value, sound[i].value, axis.count * sizeof *axis.value), 0);
    }
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        struct smc_tune_axis axis;
        struct smc_error error = {""};
        CU_ASSERT_EQUAL(smc_tune_read_axis(malformed[i], &axis, &error), SMC_USAGE);
        CU_ASSERT_TRUE(error.message[0] && !strchr(error.message, '\n'));
    }
}

static void begin(const char *kernel, struct smc_tune *tune)
{
    struct smc_capability capability;
    memset(tune, 0, sizeof *tune);
    smc_query_init(&tune->query);
    tune->query.kernel = smc_kernel_find(kernel);
    smc_params_init(tune->query.kernel, &tune->query.params);
    smc_capability_nearest(90, &capability);
    tune->query.device.sm = capability.sm;
    tune->predict = smc_tune_predict_catalog;
}

/* The usual values of every kernel that is timed give some shapes, and not too many to compile. */
static void test_usual(void)
{
    for (size_t i = 0; i < smc_kernel_count(); i++) {
        const struct smc_kernel *kernel = smc_kernel_at(i);
        struct smc_tune *tune = calloc(1, sizeof *tune);
        begin(kernel->name, tune);
        if (!kernel->is_probe) {
            CU_ASSERT_EQUAL(smc_tune_add_usual_axes(tune, NULL), SMC_OK);
            CU_ASSERT_EQUAL(smc_tune_list(tune, NULL, NULL), SMC_OK);
            CU_ASSERT_TRUE(tune->count >= 8 && tune->count <= 2000);
        }
        smc_tune_free(tune);
        free(tune);
    }
}

/* The shapes are what the kernel allows of all combinations, each once, the last axis fastest. */
static void test_list(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    struct smc_tune_axis axis;
    size_t at = 0;
    begin("matmul-register", tune);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(
            smc_tune_read_axis(i ? "thread_m=4:16:4" : "block-m=32:256:32", &axis, NULL), SMC_OK);
        CU_ASSERT_EQUAL(smc_tune_add_axis(tune, &axis, NULL), SMC_OK);
    }
    CU_ASSERT_EQUAL(smc_tune_list(tune, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(tune->tried, 32);
    for (int64_t block = 32; block <= 256; block += 32)
        for (int64_t thread = 4; thread <= 16; thread += 4) {
            struct smc_query query;
            const int64_t value[SMC_TUNE_MOST_AXES] = {block, thread};
            smc_tune_ask(tune, value, &query);
            if (query.kernel->complete(query.kernel, &query.params, NULL) != SMC_OK)
                continue;
            CU_ASSERT_TRUE_FATAL(at < tune->count);
            CU_ASSERT_EQUAL(tune->shape[at].value[0], block);
            CU_ASSERT_EQUAL(tune->shape[at].value[1], thread);
            at++;
        }
    CU_ASSERT_TRUE(at > 4);
    CU_ASSERT_EQUAL(at, tune->count);
    smc_tune_free(tune);
    free(tune);
}

/* --- Shapes with times of the test's own: block N takes N ms, and a prediction of 3000 / N ms --
 */

static enum smc_status predict(const struct smc_tune *tune, struct smc_tune_shape *shape,
                               struct smc_text *warnings, struct smc_error *error)
{
    (void)tune, (void)warnings, (void)error;
    int64_t block = shape->value[0];
    shape->percent = (double)block;
    shape->state = block % 64 ? SMC_TUNE_UNPREDICTED : SMC_TUNE_PREDICTED;
    shape->time.basis = block % 64 ? SMC_TIME_UNKNOWN : SMC_TIME_TABLE;
    shape->time.predicted_ms = 3000.0 / (double)block;
    if (block == 512)
        shape->state = SMC_TUNE_SPILLS;
    return SMC_OK;
}

static atomic_int runs_until_stop;

static bool stops(void)
{
    return runs_until_stop-- <= 0;
}

/* The executor's results: 640 is wrong, 704 does not launch, 320 fails. */
static enum smc_status run(const struct smc_tune *tune, struct smc_tune_shape *shape,
                           const struct smc_run_settings *settings, struct smc_text *warnings,
                           struct smc_error *error)
{
    (void)tune, (void)settings, (void)warnings;
    struct smc_run_result result = {
        .launch = {.made = true, .succeeded = shape->value[0] != 704, .message = "refused"},
        .check = {.made = true, .succeeded = shape->value[0] != 640},
        .comparison = {.checked = 10, .wrong = shape->value[0] == 640},
        .timing = {.made = shape->value[0] != 704, .succeeded = true},
        .timed_launches = 10,
        .median_ms = (double)shape->value[0],
    };
    if (shape->value[0] == 320)
        return smc_fail(error, SMC_UNAVAILABLE, "no such thing");
    smc_tuning_note(&result, shape);
    return SMC_OK;
}

static void rank(struct smc_tune *tune)
{
    struct smc_tune_axis axis;
    const struct smc_tune_watcher watcher = {0};
    begin("stencil-dynamic", tune);
    tune->predict = predict;
    smc_tune_read_axis("block=32:1024:32", &axis, NULL);
    smc_tune_add_axis(tune, &axis, NULL);
    CU_ASSERT_EQUAL(smc_tune_list(tune, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_tune_predict(tune, &watcher, NULL, NULL), SMC_OK);
}

/* By predicted time; then those without a prediction by occupancy; without what was dropped. */
static void test_rank(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    rank(tune);
    CU_ASSERT_EQUAL(tune->count, 32);
    CU_ASSERT_EQUAL(tune->ranked, 31);
    CU_ASSERT_EQUAL(smc_tune_state_count(tune, SMC_TUNE_SPILLS), 1);
    for (size_t i = 0; i < tune->ranked; i++) {
        const struct smc_tune_shape *shape = &tune->shape[tune->order[i]];
        CU_ASSERT_EQUAL(shape->rank, i + 1);
        CU_ASSERT_EQUAL(shape->state, i < 15 ? SMC_TUNE_PREDICTED : SMC_TUNE_UNPREDICTED);
        if (i > 0 && i != 15)
            CU_ASSERT_TRUE(shape->value[0] < tune->shape[tune->order[i - 1]].value[0]);
    }
    CU_ASSERT_PTR_NULL(smc_tune_winner(tune));
    smc_tune_free(tune);
    free(tune);
}

static void test_measure(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    const struct smc_run_settings settings = SMC_RUN_SETTINGS_INIT;
    const struct smc_tune_watcher watcher = {0};
    double mean, worst;
    rank(tune);
    tune->wanted = SIZE_MAX;
    CU_ASSERT_EQUAL(smc_tuning_measure(tune, run, &settings, &watcher, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_tune_run_count(tune), 31);
    CU_ASSERT_TRUE(smc_tune_is_exhaustive(tune));
    CU_ASSERT_EQUAL(smc_tune_winner(tune)->value[0], 32);
    CU_ASSERT_EQUAL(smc_tune_fastest(tune, 4)->value[0], 832);
    CU_ASSERT_EQUAL(smc_tune_fastest(tune, 6)->value[0], 768); /* not 704, which did not launch */
    CU_ASSERT_EQUAL(smc_tune_fastest(tune, 7)->value[0], 768); /* nor 640, which is wrong */
    CU_ASSERT_DOUBLE_EQUAL(smc_tune_regret(tune, 4), 832.0 / 32 - 1, 1e-9);
    CU_ASSERT_TRUE(smc_tune_errors(tune, &mean, &worst) && mean > 0 && mean <= worst);
    for (size_t i = 0; i < tune->count; i++) {
        const struct smc_tune_shape *shape = &tune->shape[i];
        CU_ASSERT_EQUAL(shape->tried, shape->rank > 0);
        CU_ASSERT_EQUAL(shape->wrong, shape->value[0] == 640);
        bool failed = shape->value[0] == 704 || shape->value[0] == 320;
        CU_ASSERT_EQUAL(shape->measured, shape->tried && !failed);
        if (failed)
            CU_ASSERT_TRUE(shape->why[0]);
    }
    smc_tune_free(tune);
    free(tune);
}

/* A model that is wrong about half of the shapes (they take three times as long as predicted, the
   others as long) does not lead to all of these first. */
static enum smc_status predict_half(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                    struct smc_text *warnings, struct smc_error *error)
{
    (void)tune, (void)warnings, (void)error;
    shape->state = SMC_TUNE_PREDICTED;
    shape->time.basis = SMC_TIME_TABLE;
    shape->time.predicted_ms = (shape->value[0] == 16 ? 1 : 1.5) + 0.001 * (double)shape->value[1];
    return SMC_OK;
}

static enum smc_status run_half(const struct smc_tune *tune, struct smc_tune_shape *shape,
                                const struct smc_run_settings *settings, struct smc_text *warnings,
                                struct smc_error *error)
{
    (void)tune, (void)settings, (void)warnings, (void)error;
    const struct smc_run_result result = {
        .launch = {.made = true, .succeeded = true},
        .timing = {.made = true, .succeeded = true},
        .timed_launches = 10,
        .median_ms = shape->time.predicted_ms * (shape->value[0] == 16 ? 3 : 1.1),
    };
    smc_tuning_note(&result, shape);
    return SMC_OK;
}

static void test_learn(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    const struct smc_run_settings settings = SMC_RUN_SETTINGS_INIT;
    const struct smc_tune_watcher watcher = {0};
    struct smc_tune_axis axis;
    begin("matmul-tiled", tune);
    tune->predict = predict_half;
    smc_tune_read_axis("tile=8,16", &axis, NULL);
    smc_tune_add_axis(tune, &axis, NULL);
    smc_tune_read_axis("pad=0:31", &axis, NULL);
    smc_tune_add_axis(tune, &axis, NULL);
    CU_ASSERT_EQUAL(smc_tune_list(tune, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_tune_predict(tune, &watcher, NULL, NULL), SMC_OK);
    for (size_t i = 0; i < 32; i++)
        CU_ASSERT_EQUAL(tune->shape[tune->order[i]].value[0], 16);
    tune->wanted = 16;
    CU_ASSERT_EQUAL(smc_tuning_measure(tune, run_half, &settings, &watcher, NULL, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_tune_run_count(tune), 16);
    CU_ASSERT_EQUAL(tune->shape[tune->order[0]].turn, 1);
    CU_ASSERT_EQUAL(smc_tune_winner(tune)->value[0], 8);
    CU_ASSERT_TRUE(smc_tune_fastest(tune, 1)->value[0] == 16);
    smc_tune_free(tune);
    free(tune);
}

static void test_stop(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    const struct smc_run_settings settings = SMC_RUN_SETTINGS_INIT;
    const struct smc_tune_watcher watcher = {.stop = stops};
    struct smc_error error = {""};
    rank(tune);
    tune->wanted = 12;
    runs_until_stop = 3;
    CU_ASSERT_EQUAL(smc_tuning_measure(tune, run, &settings, &watcher, NULL, &error),
                    SMC_INTERRUPTED);
    CU_ASSERT_STRING_EQUAL(error.message, "interrupted after 3 of 12 runs");
    CU_ASSERT_EQUAL(smc_tune_run_count(tune), 3);
    CU_ASSERT_TRUE(tune->cut_short && !smc_tune_is_exhaustive(tune));
    CU_ASSERT_EQUAL(smc_tune_winner(tune)->value[0], 896);
    smc_tune_free(tune);
    free(tune);
}

/* Stopped while it compiles: what is predicted is ranked. */
static void test_stop_prediction(void)
{
    struct smc_tune *tune = calloc(1, sizeof *tune);
    const struct smc_tune_watcher watcher = {.stop = stops};
    rank(tune);
    for (size_t i = 0; i < tune->count; i++)
        tune->shape[i].state = SMC_TUNE_WAITING;
    runs_until_stop = 5;
    CU_ASSERT_EQUAL(smc_tune_predict(tune, &watcher, NULL, NULL), SMC_OK);
    CU_ASSERT_TRUE(tune->incomplete && tune->ranked > 0 && tune->ranked < 32);
    CU_ASSERT_EQUAL(tune->ranked + smc_tune_state_count(tune, SMC_TUNE_WAITING), tune->count);
    smc_tune_free(tune);
    free(tune);
}

CU_TestInfo tests_tune[] = {
    {"the values that vary", test_read_axis},
    {"the usual values of each kernel", test_usual},
    {"the shapes", test_list},
    {"ranks", test_rank},
    {"measured: the winner, regret, failures", test_measure},
    {"measured shapes correct predictions", test_learn},
    {"stopped while measuring", test_stop},
    {"stopped while compiling", test_stop_prediction},
    CU_TEST_INFO_NULL,
};
