/* tui: the screen of devices: every row equals the query's own answer, in the selected order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "show/tui/devices_state.h"
#include "unit.h"
#include "view_sitting.h"

static struct smc_devices_state *devices_of(struct sitting *sitting)
{
    return &sitting->tui->devices;
}

static const struct smc_device_row *under_cursor(const struct sitting *sitting)
{
    return &sitting->tui->devices.row[sitting->tui->devices.cursor];
}

static const char *name_under_cursor(const struct sitting *sitting)
{
    return smc_device_model(&under_cursor(sitting)->answer.query.device);
}

/* --- Answers --- */

/* Answered separately, without results of other rows. */
static bool is_own_answer(const struct smc_device_row *row, const struct smc_query *launch)
{
    struct smc_query query = *launch;
    struct smc_answer answer;
    struct smc_text warnings = {0};
    query.device = row->answer.query.device;
    query.compile.no_nvrtc = true;
    bool answered = smc_query_evaluate(&query, NULL, &answer, &warnings, NULL) == SMC_OK;
    smc_text_free(&warnings);
    if (!answered)
        return !row->answered && row->why[0];
    return row->answered && row->answer.outcome == answer.outcome &&
           row->answer.launch.regs_per_thread == answer.launch.regs_per_thread &&
           row->answer.resources.source == answer.resources.source &&
           memcmp(&row->answer.occupancy, &answer.occupancy, sizeof answer.occupancy) == 0 &&
           row->answer.has_waves == answer.has_waves &&
           row->answer.waves.waves == answer.waves.waves;
}

static void test_answers(void)
{
    static const char *const typed[] = {"", "17", "5", "300"};
    size_t wrong = 0, without = 0;
    for (size_t k = 0; k <= smc_kernel_count(); k++)
        for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
            struct sitting sitting;
            const char *kernel = k < smc_kernel_count() ? smc_kernel_at(k)->name : NULL;
            sitting_open(&sitting, kernel, "T4", 24, 80);
            if (*typed[i])
                sitting_type(&sitting, typed[i]); /* the tile, the block or the registers */
            sitting_keys(&sitting, "F4");
            const struct smc_devices_state *devices = devices_of(&sitting);
            wrong += devices->count != smc_device_count() + smc_capability_count();
            for (size_t d = 0; d < devices->count; d++) {
                wrong += !is_own_answer(&devices->row[d], &sitting.tui->explore.query);
                without +=
                    !devices->row[d].answered || devices->row[d].answer.outcome != SMC_LAUNCHES;
            }
            sitting_close(&sitting);
        }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(without > 0);
}

/* --- Order --- */

static bool is_known(const struct smc_device_row *row, enum smc_device_column column)
{
    const struct smc_answer *answer = &row->answer;
    if (column <= SMC_DEVICE_COLUMN_SMEM)
        return column != SMC_DEVICE_COLUMN_SMS || answer->query.device.sm_count > 0;
    return row->answered && answer->outcome == SMC_LAUNCHES &&
           (column != SMC_DEVICE_COLUMN_WAVES || answer->has_waves);
}

static double value_of(const struct smc_device_row *row, enum smc_device_column column)
{
    const struct smc_answer *answer = &row->answer;
    const double values[SMC_DEVICE_COLUMN_COUNT] = {
        [SMC_DEVICE_COLUMN_CC] = answer->query.device.sm.cc,
        [SMC_DEVICE_COLUMN_SMS] = answer->query.device.sm_count,
        [SMC_DEVICE_COLUMN_SMEM] = answer->query.device.sm.smem_per_sm_bytes,
        [SMC_DEVICE_COLUMN_REGS] = answer->launch.regs_per_thread,
        [SMC_DEVICE_COLUMN_SOURCE] = answer->resources.source,
        [SMC_DEVICE_COLUMN_BLOCKS] = answer->occupancy.blocks_per_sm,
        [SMC_DEVICE_COLUMN_OCCUPANCY] = answer->occupancy_percent,
        [SMC_DEVICE_COLUMN_WAVES] = (double)answer->waves.waves,
        [SMC_DEVICE_COLUMN_LIMITERS] = answer->occupancy.limiters,
    };
    return values[column];
}

static bool in_order(const struct smc_device_row *a, const struct smc_device_row *b,
                     enum smc_device_column column, bool falls)
{
    if (is_known(a, column) != is_known(b, column))
        return is_known(a, column);
    if (column == SMC_DEVICE_COLUMN_NAME) {
        int order = strcasecmp(smc_device_model(&a->answer.query.device),
                               smc_device_model(&b->answer.query.device));
        return order == 0 || (order < 0) != falls;
    }
    double x = value_of(a, column), y = value_of(b, column);
    return !is_known(a, column) || x == y || (x < y) != falls;
}

static void test_orders(void)
{
    size_t wrong = 0;
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 120);
    sitting_keys(&sitting, "F4 o o o o o o o o o"); /* and back to the first */
    CU_ASSERT_EQUAL(devices_of(&sitting)->sort, SMC_DEVICE_COLUMN_NAME);
    for (int i = 0; i < 2 * SMC_DEVICE_COLUMN_COUNT; i++) {
        const struct smc_devices_state *devices = devices_of(&sitting);
        bool falls = smc_device_column_info[devices->sort].rises == devices->reversed;
        size_t seen = 0;
        for (size_t place = 0; place + 1 < devices->count; place++)
            wrong += !in_order(smc_devices_at(devices, place), smc_devices_at(devices, place + 1),
                               devices->sort, falls);
        for (size_t place = 0; place < devices->count; place++)
            seen += devices->order[place];
        wrong += seen != devices->count * (devices->count - 1) / 2;
        CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "H200");
        sitting_keys(&sitting, i % 2 ? "Right" : "O");
    }
    CU_ASSERT_EQUAL(wrong, 0);
    sitting_resize(&sitting, 24, 60); /* a hidden column is not used for sorting */
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
        smc_devices_spans(58, span);
        sitting_keys(&sitting, "Left");
        wrong += span[devices_of(&sitting)->sort].cols == 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(sitting_shows(&sitting, " devices by "));
    sitting_close(&sitting);
}

/* --- Searching, marking, taking --- */

static void test_search(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_keys(&sitting, "F4 /");
    sitting_type(&sitting, "rtx409");
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "RTX 4090");
    sitting_keys(&sitting, "n");
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "RTX 4090 D");
    sitting_keys(&sitting, "n n");
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "RTX 4090"); /* back to the first */
    CU_ASSERT(sitting_shows(&sitting, " devices with 'rtx409'; Esc shows all"));
    CU_ASSERT_EQUAL(devices_of(&sitting)->listed, 3);
    sitting_keys(&sitting, "Esc");
    CU_ASSERT_EQUAL(devices_of(&sitting)->listed, devices_of(&sitting)->count);
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "RTX 4090");
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "kepler");
    CU_ASSERT_PTR_NOT_NULL(strstr(under_cursor(&sitting)->answer.query.device.family, "Kepler"));
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "7.0");
    CU_ASSERT_EQUAL(under_cursor(&sitting)->answer.query.device.sm.cc, 70);
    CU_ASSERT(sitting_shows(&sitting, "Volta"));
    sitting_keys(&sitting, "/");
    sitting_type(&sitting, "Voodoo");
    CU_ASSERT(
        sitting_shows(&sitting, "no device has 'Voodoo' in its name, chip, family or limiters"));
    CU_ASSERT_EQUAL(under_cursor(&sitting)->answer.query.device.sm.cc, 70);
    sitting_close(&sitting);
}

static void test_marks(void)
{
    struct sitting sitting;
    const struct smc_device_row *list[4];
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_keys(&sitting, "F4 Space /");
    sitting_type(&sitting, "RTX 4090");
    sitting_keys(&sitting, "Space /");
    sitting_type(&sitting, "T4");
    CU_ASSERT_EQUAL(smc_devices_compared(devices_of(&sitting), list, 4), 3);
    CU_ASSERT_STRING_EQUAL(smc_device_model(&list[0]->answer.query.device), "T4");
    CU_ASSERT_STRING_EQUAL(smc_device_model(&list[1]->answer.query.device), "H200");
    CU_ASSERT_STRING_EQUAL(smc_device_model(&list[2]->answer.query.device), "RTX 4090");
    CU_ASSERT(sitting_shows(&sitting, "T4              H200            RTX 4090"));
    CU_ASSERT(sitting_shows(&sitting, "occupancy    100 %           100 %           66.7 %"));
    sitting_keys(&sitting, "O o F2 F4"); /* marks and cursor stay */
    CU_ASSERT_EQUAL(smc_devices_compared(devices_of(&sitting), list, 4), 3);
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "T4");
    sitting_keys(&sitting, "y");
    CU_ASSERT(
        sitting_shows(&sitting, "smemcalc --kernel matmul-tiled --no-nvrtc --device \"Tesla T4\""));
    CU_ASSERT(sitting_shows(&sitting, "--device \"NVIDIA GeForce RTX 4090\""));
    sitting_keys(&sitting, "Esc Space");
    CU_ASSERT_EQUAL(smc_devices_compared(devices_of(&sitting), list, 4), 4);
    sitting_close(&sitting);
}

static void test_taking(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    sitting_keys(&sitting, "F4 /");
    sitting_type(&sitting, "8800 GTX");
    CU_ASSERT(sitting_shows(&sitting, "cannot launch: a block of 1024 threads"));
    sitting_keys(&sitting, "Enter");
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_EXPLORE);
    CU_ASSERT(sitting_shows(&sitting, "on GeForce 8800 GTX; u undoes it"));
    CU_ASSERT_EQUAL(sitting.tui->explore.query.device.sm.cc, 10);
    sitting_keys(&sitting, "F4");
    CU_ASSERT_EQUAL(sitting.tui->view, SMC_VIEW_DEVICES);
    CU_ASSERT(sitting_shows(&sitting, "matmul-tiled on GeForce 8800 GTX"));
    sitting_keys(&sitting, "F2 u");
    CU_ASSERT_STRING_EQUAL(sitting.tui->explore.query.device.name, "NVIDIA H200");
    sitting_close(&sitting);
}

static void test_moving(void)
{
    struct sitting sitting;
    sitting_open(&sitting, NULL, "H200", 24, 80);
    const struct smc_devices_state *devices = devices_of(&sitting);
    sitting_keys(&sitting, "F4 Home Up");
    CU_ASSERT_EQUAL(smc_devices_place(devices), 0);
    sitting_keys(&sitting, "PgDn PgUp PgUp Down");
    CU_ASSERT_EQUAL(smc_devices_place(devices), 1);
    sitting_keys(&sitting, "End Down PgDn");
    CU_ASSERT_EQUAL(smc_devices_place(devices), devices->count - 1);
    sitting_close(&sitting);
}

/* --- This machine's GPUs --- */

static void find_gpu(struct sitting *sitting, const char *name)
{
    struct smc_job_result *result = calloc(1, sizeof *result);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    result->job.kind = SMC_JOB_GPUS;
    result->gpu_count = 1;
    smc_device_find(name, &result->gpu[0], sitting->tui->explore.query.device_note, NULL);
    result->gpu[0].source = SMC_DEVICE_LIVE;
    result->gpu[0].gpu_index = 0;
    smc_tui_done(sitting->tui, result);
    free(result);
}

static void test_own_gpus(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    const struct smc_devices_state *devices = devices_of(&sitting);
    sitting_keys(&sitting, "F4 Space Up");
    size_t before = devices->count;
    find_gpu(&sitting, "A100"); /* while the screen is shown */
    CU_ASSERT_EQUAL(devices->count, before + 1);
    CU_ASSERT_STRING_EQUAL(name_under_cursor(&sitting), "H200");
    CU_ASSERT(under_cursor(&sitting)->marked);
    for (int i = 0; i < SMC_DEVICE_COLUMN_COUNT; i++) {
        sitting_keys(&sitting, i % 2 ? "o" : "o O");
        CU_ASSERT_EQUAL(smc_devices_at(devices, 0)->answer.query.device.source, SMC_DEVICE_LIVE);
    }
    sitting_keys(&sitting, "Home");
    CU_ASSERT(sitting_shows(&sitting, "gpu0 A100"));
    sitting_close(&sitting);
}

/* A device from the user's file is not in the table, but has a row. */
static void test_own_device(void)
{
    struct sitting sitting;
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    struct smc_device *device = &sitting.tui->explore.query.device;
    snprintf(device->name, sizeof device->name, "Ampère \xe4\xb8\xad\xe6\x96\x87 42");
    device->source = SMC_DEVICE_FILE;
    device->file = "own.txt";
    sitting_keys(&sitting, "F4");
    CU_ASSERT_PTR_NOT_NULL(strstr(name_under_cursor(&sitting), "42"));
    CU_ASSERT(sitting_shows(&sitting, "\xe4\xb8\xad\xe6\x96\x87 42       9.0 132 228K"));
    sitting_keys(&sitting, "y");
    CU_ASSERT(sitting_shows(&sitting, "--device-file \"own.txt\""));
    sitting_close(&sitting);
}

static void test_compiled(void)
{
    struct sitting sitting;
    struct smc_job_result *result = calloc(1, sizeof *result);
    CU_ASSERT_PTR_NOT_NULL_FATAL(result);
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 120);
    sitting_keys(&sitting, "F4");
    CU_ASSERT_EQUAL(under_cursor(&sitting)->answer.resources.source, SMC_RESOURCES_TABLE);
    result->job =
        (struct smc_job){.kind = SMC_JOB_COMPILE, .query = sitting.tui->explore.answer.query};
    result->resources = under_cursor(&sitting)->answer.resources;
    result->resources.source = SMC_RESOURCES_NVRTC;
    result->resources.regs_per_thread = 77;
    smc_tui_done(sitting.tui, result); /* every board of that architecture has it */
    CU_ASSERT_EQUAL(under_cursor(&sitting)->answer.launch.regs_per_thread, 77);
    sitting_keys(&sitting, "Up");
    CU_ASSERT_EQUAL(under_cursor(&sitting)->answer.launch.regs_per_thread, 77);
    CU_ASSERT(sitting_shows(&sitting, "77  NVRTC"));
    free(result);
    sitting_close(&sitting);
}

/* --- The mouse --- */

static void test_clicks(void)
{
    struct sitting sitting;
    struct smc_devices_layout layout;
    struct smc_span span[SMC_DEVICE_COLUMN_COUNT];
    sitting_open(&sitting, "matmul-tiled", "H200", 24, 80);
    const struct smc_devices_state *devices = devices_of(&sitting);
    sitting_keys(&sitting, "F4 Home");
    smc_devices_lay_out(smc_tui_body(sitting.tui), &layout);
    struct smc_rect table = layout.table_inside;
    smc_devices_spans(table.cols, span);
    int sms = table.col + span[SMC_DEVICE_COLUMN_SMS].col;
    smc_tui_click(sitting.tui, table.row + 3, table.col + 9, 0);
    CU_ASSERT_EQUAL(smc_devices_place(devices), 2);
    CU_ASSERT_FALSE(under_cursor(&sitting)->marked);
    smc_tui_click(sitting.tui, table.row + 3, table.col + 9, 0);
    CU_ASSERT(under_cursor(&sitting)->marked);
    smc_tui_click(sitting.tui, table.row, sms, 0);
    CU_ASSERT(devices->sort == SMC_DEVICE_COLUMN_SMS && !devices->reversed);
    smc_tui_click(sitting.tui, table.row, sms, 0);
    CU_ASSERT(devices->sort == SMC_DEVICE_COLUMN_SMS && devices->reversed);
    sitting_keys(&sitting, "Home");
    smc_tui_click(sitting.tui, table.row + 1, table.col, 1);
    CU_ASSERT_EQUAL(smc_devices_place(devices), 3);
    sitting_close(&sitting);
}

CU_TestInfo tests_tui_devices[] = {
    {"every row is the query's own answer", test_answers},
    {"orders, and back", test_orders},
    {"search by name, family, capability", test_search},
    {"marked devices stand side by side", test_marks},
    {"a device is taken to the first screen, and back", test_taking},
    {"the cursor stays in the table", test_moving},
    {"this machine's GPUs stand first", test_own_gpus},
    {"a device from a file has a row", test_own_device},
    {"what was compiled counts at once", test_compiled},
    {"clicks and wheel", test_clicks},
    CU_TEST_INFO_NULL,
};
