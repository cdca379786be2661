/* Tables of Nsight Compute: how numbers are written, units, pages, what surrounds the table. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answers/trace/ncu_numbers.h"
#include "answers/trace_answer.h"
#include "unit.h"

static void test_numbers(void)
{
    static const struct {
        const char *text;
        unsigned signs;
        double value;
        int decimals;
    } cases[] = {
        {"0", 3, 0, 0},
        {"128", 3, 128, 0},
        {"-3", 3, -3, 0},
        {"1,234.5", SMC_NCU_POINT, 1234.5, 1},
        {"1.234,5", SMC_NCU_COMMA, 1234.5, 1},
        {"1 234,5", SMC_NCU_COMMA, 1234.5, 1},
        {"1\xC2\xA0"
         "234\xC2\xA0"
         "567,25",
         SMC_NCU_COMMA, 1234567.25, 2},
        {"1\xE2\x80\xAF"
         "234,5",
         SMC_NCU_COMMA, 1234.5, 1},
        {"1'234.5", SMC_NCU_POINT, 1234.5, 1},
        {"1 234 567", 3, 1234567, 0},
        {"1,215,000,000.00", SMC_NCU_POINT, 1215e6, 2},
        {"27.595.520", SMC_NCU_COMMA, 27595520, 0},
        {"14.26", SMC_NCU_POINT, 14.26, 2},
        {"65,77", SMC_NCU_COMMA, 65.77, 2},
        {"0.244544", SMC_NCU_POINT, 0.244544, 6},
        {"0,123", SMC_NCU_COMMA, 0.123, 3},
        {"1234.567", SMC_NCU_POINT, 1234.567, 3},
        {"1.5e+06", SMC_NCU_POINT, 1.5e6, 1},
        {"12.50 (10.25; 14.75)", SMC_NCU_POINT, 12.5, 2},
        {"", 0, 0, 0},
        {"n/a", 0, 0, 0},
        {"nan", 0, 0, 0},
        {"-", 0, 0, 0},
        {"12.4.1", 0, 0, 0},
        {"1,23,456", 0, 0, 0},
        {"1.234.5", 0, 0, 0},
        {"1,234 567.5", 0, 0, 0},
        {"12 MB", 0, 0, 0},
        {"CachePreferNone", 0, 0, 0},
        {"0x10", 0, 0, 0},
        {"1e9999", 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = -1;
        int decimals = -1;
        CU_ASSERT_EQUAL(smc_ncu_signs(cases[i].text), cases[i].signs);
        CU_ASSERT_FALSE(smc_ncu_is_ambiguous(cases[i].text));
        if (!cases[i].signs)
            continue;
        CU_ASSERT(smc_ncu_number(cases[i].text,
                                 cases[i].signs & SMC_NCU_POINT ? SMC_NCU_POINT : SMC_NCU_COMMA,
                                 &value, &decimals));
        CU_ASSERT_DOUBLE_EQUAL(value, cases[i].value, 1e-9 * cases[i].value);
        CU_ASSERT_EQUAL(decimals, cases[i].decimals);
    }
    CU_ASSERT(smc_ncu_is_ambiguous("1,234"));
    CU_ASSERT(smc_ncu_is_ambiguous("117.344"));
    CU_ASSERT_EQUAL(smc_ncu_signs("117.344"), SMC_NCU_POINT | SMC_NCU_COMMA);
}

static void test_units(void)
{
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, "nsecond"), 1);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, "us"), 1e3);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, "msecond"), 1e6);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, "s"), 1e9);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, ""), 0);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_TIME, "byte"), 0);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_BYTES, "Kbyte/block"), 1e3);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_BYTES, "byte"), 1);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_BYTES, "Kbyt"), 0);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_KHZ, "Ghz"), 1e6);
    CU_ASSERT_EQUAL(smc_ncu_scale(SMC_NCU_COUNT, "register/thread"), 1);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static enum smc_status read_sample(const char *name, struct smc_trace *trace,
                                   struct smc_error *error)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/trace/%s", SMC_SOURCE_DIR, name);
    memset(trace, 0, sizeof *trace);
    error->message[0] = '\0';
    return smc_trace_read(path, trace, error);
}

static enum smc_status read_text(const char *text, struct smc_trace *trace, struct smc_error *error)
{
    char path[] = "/tmp/smemcalc-ncu-XXXXXX";
    const int file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    CU_ASSERT_EQUAL(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    memset(trace, 0, sizeof *trace);
    error->message[0] = '\0';
    enum smc_status status = smc_trace_read(path, trace, error);
    unlink(path);
    return status;
}

static bool has_note(const struct smc_trace *trace, const char *words)
{
    return strstr(smc_text_string(&trace->notes), words) != NULL;
}

static void test_details(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(read_sample("ncu_details.csv", &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL(trace.source, SMC_TRACE_NSIGHT_COMPUTE);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    const struct smc_trace_launch *launch = &trace.launches[0];
    CU_ASSERT_STRING_EQUAL(launch->name,
                           "void scale_rows<float, 4>(T1 *, \"odd\" const T1 *, int)");
    CU_ASSERT_EQUAL(launch->block[0], 32);
    CU_ASSERT_EQUAL(launch->block[1], 8);
    CU_ASSERT_EQUAL(launch->grid[0], 2048);
    CU_ASSERT_EQUAL(launch->grid[1], 3);
    CU_ASSERT_EQUAL(launch->grid[2], 1);
    CU_ASSERT_EQUAL(launch->cluster[0], 0);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 42);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 0);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 12288); /* "12.29" */
    CU_ASSERT_EQUAL(launch->smem_configured_bytes, 135168);
    CU_ASSERT_EQUAL(launch->cache_config, SMC_CACHE_PREFER_SHARED);
    CU_ASSERT_EQUAL(launch->timed_launches, 1);
    CU_ASSERT_EQUAL(launch->total_ns, 1204420);
    CU_ASSERT_EQUAL(launch->least_ns, 1204420);
    CU_ASSERT_DOUBLE_EQUAL(launch->recorded_occupancy_percent, 62.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(launch->achieved_occupancy_percent, 57.75, 1e-9);
    CU_ASSERT_EQUAL_FATAL(trace.device_count, 1);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm.cc, 90);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm_count, 114);
    CU_ASSERT_EQUAL_FATAL(trace.process_count, 1);
    CU_ASSERT_EQUAL(trace.processes[0].id, 5150);
    CU_ASSERT_STRING_EQUAL(trace.processes[0].command, "app");
    CU_ASSERT_EQUAL(trace.launches[1].dynamic_smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace.launches[1].achieved_occupancy_percent, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace.launches[1].total_ns, 2110);
    CU_ASSERT(has_note(&trace, "sizes of shared memory are rounded in the file"));
    CU_ASSERT(has_note(&trace, "sizes of static shared memory are unknown for 1 of 2 launches"));
    CU_ASSERT_FALSE(has_note(&trace, "were left out"));
    smc_trace_free(&trace);
}

static void test_raw(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(read_sample("ncu_raw.csv", &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    const struct smc_trace_launch *launch = &trace.launches[0];
    CU_ASSERT_STRING_EQUAL(launch->name, "mix_kernel");
    CU_ASSERT_EQUAL(launch->launches, 2);
    CU_ASSERT_EQUAL(launch->timed_launches, 2);
    CU_ASSERT_EQUAL(launch->total_ns, 244544 + 250001);
    CU_ASSERT_EQUAL(launch->least_ns, 244544);
    CU_ASSERT_EQUAL(launch->greatest_ns, 250001);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 5120); /* "5.12" is exact on page raw */
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 65536);
    CU_ASSERT_EQUAL(launch->cluster[0], 2);
    CU_ASSERT_EQUAL(launch->cluster[1], 1);
    CU_ASSERT_DOUBLE_EQUAL(launch->achieved_occupancy_percent, 26, 1e-9);
    CU_ASSERT_STRING_EQUAL(trace.devices[0].device.name, "NVIDIA H100 80GB HBM3");
    CU_ASSERT_EQUAL(trace.devices[0].device.sm_count, 132);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm_clock_khz, 1980000);
    CU_ASSERT_EQUAL(trace.launches[1].cluster[0], 0);
    CU_ASSERT_FALSE(has_note(&trace, "rounded"));
    smc_trace_free(&trace);
}

#define DETAILS                                                                                    \
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\"," \
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\","             \
    "\"Metric Unit\",\"Metric Value\"\n"
#define ROW(id, name, unit, value)                                                                 \
    "\"" id "\",\"7\",\"a\",\"h\",\"k\",\"1\",\"7\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"0\",\"8,6\","   \
    "\"S\",\"" name "\",\"" unit "\",\"" value "\"\n"

static void test_locales(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    /* A decimal comma, which another row decides. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "gpu__time_duration.sum", "ns", "117.344")
                                  ROW("0", "sm__throughput", "%", "65,77"),
                              &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 117344);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm.cc, 86);
    CU_ASSERT(has_note(&trace, "decimal comma, as in line 3"));
    smc_trace_free(&trace);
    /* A decimal point. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "us", "117.344")
                                  ROW("0", "sm__throughput", "%", "65.77"),
                              &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 117344);
    smc_trace_free(&trace);
    /* Nothing decides. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "us", "117.344"), &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(trace.launches[0].timed_launches, 0);
    CU_ASSERT(has_note(&trace, "Duration is unknown where it is written as '117.344'"));
    smc_trace_free(&trace);
    /* Two ways. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "us", "1,5")
                                  ROW("0", "sm__throughput", "%", "65.77"),
                              &trace, &error),
                    SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "with a decimal point in line 3, with a decimal "
                                                 "comma in line 2"));
    smc_trace_free(&trace);
    /* A version is no number, and decides nothing. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "us", "1,5")
                                  ROW("0", "driver", "", "12.4"),
                              &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 1500);
    smc_trace_free(&trace);
}

static void test_odd_tables(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    /* An unknown unit. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "fortnight", "2"), &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL(trace.launches[0].timed_launches, 0);
    CU_ASSERT(has_note(&trace, "its unit is 'fortnight'"));
    CU_ASSERT(has_note(&trace, "times were not recorded"));
    smc_trace_free(&trace);
    /* Two files one after the other, other output between and after. */
    CU_ASSERT_EQUAL(read_text(DETAILS ROW("0", "Duration", "ns", "20") "step 2 of 2\n" DETAILS ROW(
                                  "0", "Duration", "ns", "30") "done\n",
                              &trace, &error),
                    SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].launches, 2);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 50);
    CU_ASSERT(has_note(&trace, "2 lines that belong to no launch were left out, first line 3"));
    smc_trace_free(&trace);
    /* A row that is cut off: how much is missing is unknown. */
    CU_ASSERT_EQUAL(
        read_text(DETAILS ROW("0", "Duration", "ns", "20") "\"0\",\"7\",\"a\n", &trace, &error),
        SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, ":3: the file ends within a quoted field"));
    smc_trace_free(&trace);
    /* Columns that are missing. */
    CU_ASSERT_EQUAL(read_text("\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
                              "\"k\",\"Duration\",\"ns\",\"20\"\n",
                              &trace, &error),
                    SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, ":1: the table has no column \"ID\""));
    smc_trace_free(&trace);
    CU_ASSERT_EQUAL(
        read_text("==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM\n", &trace, &error),
        SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "no table of 'ncu'"));
    smc_trace_free(&trace);
}

/* Page summary has one row for the metric of several launches. */
static void test_summary(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(
        read_text("\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Invocations\","
                  "\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\",\"Maximum\","
                  "\"Average\"\n"
                  "\"3\",\"k\",\"(128, 1, 1)\",\"(96, 1, 1)\",\"4\",\"S\",\"Duration\",\"us\","
                  "\"10.50\",\"20.00\",\"15.00\"\n"
                  "\"3\",\"k\",\"(128, 1, 1)\",\"(96, 1, 1)\",\"4\",\"S\",\"Registers Per Thread\","
                  "\"register/thread\",\"32.00\",\"32.00\",\"32.00\"\n",
                  &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].launches, 4);
    CU_ASSERT_EQUAL(trace.launches[0].timed_launches, 4);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 60000);
    CU_ASSERT_EQUAL(trace.launches[0].least_ns, 10500);
    CU_ASSERT_EQUAL(trace.launches[0].greatest_ns, 20000);
    CU_ASSERT_EQUAL(trace.launches[0].regs_per_thread, 32);
    smc_trace_free(&trace);
}

/* Releases of 2019 and 2020 recorded totals only. */
static void test_old(void)
{
    static struct smc_trace trace;
    struct smc_error error;
#define OLD(name, unit, value)                                                                     \
    "\"0\",\"7\",\"a\",\"h\",\"k(int)\",\"2020-Mar-03 10:11:12\",\"1\",\"7\",\"S\",\"" name "\","  \
    "\"" unit "\",\"" value "\"\n"
    CU_ASSERT_EQUAL_FATAL(
        read_text("\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\","
                  "\"Kernel Time\",\"Context\",\"Stream\",\"Section Name\",\"Metric Name\","
                  "\"Metric Unit\",\"Metric Value\"\n" OLD("Duration", "nsecond", "2048")
                      OLD("Block Size", "", "192") OLD("Grid Size", "", "506")
                          OLD("Registers Per Thread", "register/thread", "20"),
                  &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].block[0], 192);
    CU_ASSERT_EQUAL(trace.launches[0].block[1], 1);
    CU_ASSERT_EQUAL(trace.launches[0].grid[0], 506);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 2048);
    CU_ASSERT_EQUAL(trace.launches[0].device, SMC_TRACE_UNKNOWN);
    CU_ASSERT(has_note(&trace, "only the number of threads was recorded"));
    smc_trace_free(&trace);
}

/* The header of page raw can be longer than other CSV records, and have more columns. */
static void test_wide(void)
{
    enum { COLUMNS = 3000 };
    static struct smc_trace trace;
    struct smc_error error;
    struct smc_text text = {0};
    smc_text_append(&text, "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"");
    for (int i = 0; i < COLUMNS; i++)
        smc_text_printf(&text, ",\"smsp__a_metric_with_a_long_name_%d.avg.per_second\"", i);
    smc_text_append(&text, ",\"gpu__time_duration.sum\"\n\"\",\"\",\"block\",\"grid\",\"\",\"\"");
    for (int i = 0; i < COLUMNS; i++)
        smc_text_append(&text, ",\"1/second\"");
    smc_text_append(&text, ",\"us\"\n\"0\",\"k\",\"(64, 1, 1)\",\"(9, 1, 1)\",\"0\",\"8.6\"");
    for (int i = 0; i < COLUMNS; i++)
        smc_text_append(&text, ",\"1,234,567.89\"");
    smc_text_append(&text, ",\"3.5\"\n");
    CU_ASSERT_EQUAL_FATAL(read_text(smc_text_string(&text), &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].total_ns, 3500);
    CU_ASSERT_EQUAL(trace.launches[0].block[0], 64);
    smc_trace_free(&trace);
    smc_text_free(&text);
}

#define RAW                                                                                        \
    "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"launch__registers_per_thread\","        \
    "\"launch__shared_mem_per_block_static\",\"launch__shared_mem_per_block_dynamic\","            \
    "\"launch__shared_mem_per_block_allocated\",\"sm__maximum_warps_per_active_cycle_pct\"\n"

/* One launch on page raw, with the unit and the text of its dynamic shared memory. */
static int64_t dynamic_smem(const char *unit, const char *text, const char *theoretical)
{
    static struct smc_trace trace;
    struct smc_error error;
    char table[1024];
    snprintf(table, sizeof table,
             RAW "\"\",\"\",\"block\",\"grid\",\"register/thread\",\"byte/block\",\"%s\",\"\","
                 "\"%%\"\n\"0\",\"k\",\"(256, 1, 1)\",\"(1, 2, 64)\",\"32\",\"0\",\"%s\",\"\","
                 "\"%s\"\n",
             unit, text, theoretical);
    CU_ASSERT_EQUAL_FATAL(read_text(table, &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    const int64_t bytes = trace.launches[0].dynamic_smem_bytes;
    smc_trace_free(&trace);
    return bytes;
}

/* Nothing else in the file has a sign: bytes are whole, and no block has a megabyte. */
static void test_possible_values(void)
{
    static const struct {
        const char *unit, *text, *theoretical;
        int64_t bytes;
    } cases[] = {
        {"byte/block", "66,560", "100", 66560},   {"byte/block", "66.560", "100", 66560},
        {"Kbyte/block", "66,560", "100", 66560},  {"Kbyte/block", "66.560", "100", 66560},
        {"Kbyte/block", "1.024", "100", 1024},    {"KiB/block", "1,024", "100", 1049},
        {"byte/block", "1,024", "16,667", -2},    {"Kbyte/block", "1,152", "16,667", 1152},
        {"Kbyte/block", "1.152", "16.667", 1152}, {"byte/block", "199,168", "50.5", 199168},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t bytes = dynamic_smem(cases[i].unit, cases[i].text, cases[i].theoretical);
        if (cases[i].bytes != -2) /* the two contradict each other: each is read for itself */
            CU_ASSERT_EQUAL(bytes, cases[i].bytes);
        if (cases[i].bytes == -2)
            CU_ASSERT_EQUAL(bytes, 1024);
    }
}

/* What the driver allocates has its reserve: on CC 9.0 1024 bytes. */
static void test_allocated(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    struct smc_device device;
    char note[256];
    CU_ASSERT_EQUAL_FATAL(
        read_text(RAW
                  "\"\",\"\",\"block\",\"grid\",\"register/thread\",\"\",\"\",\"Kbyte/block\","
                  "\"%\"\n\"0\",\"a\",\"(256, 1, 1)\",\"(1, 2, 64)\",\"32\",\"\",\"\",\"3.2\","
                  "\"100\"\n\"1\",\"b\",\"(256, 1, 1)\",\"(9, 1, 1)\",\"32\",\"\",\"\",\"1.024\","
                  "\"100\"\n",
                  &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    CU_ASSERT_EQUAL(smc_device_find("9.0", &device, note, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(&trace.launches[0], NULL), SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(&trace.launches[0], &device), 2176);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(&trace.launches[1], &device), 0);
    CU_ASSERT_EQUAL(smc_device_find("7.0", &device, note, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(&trace.launches[0], &device), 3200);
    CU_ASSERT_DOUBLE_EQUAL(trace.launches[0].recorded_occupancy_percent, 100, 0);
    CU_ASSERT_FALSE(has_note(&trace, "shared memory were not recorded"));
    smc_trace_free(&trace);
}

#define TEXT_TABLE                                                                                 \
    "    Section: Launch Statistics\n"                                                             \
    "    -------------------------------- --------------- ---------------\n"                       \
    "    Metric Name                          Metric Unit    Metric Value\n"                       \
    "    -------------------------------- --------------- ---------------\n"                       \
    "    Registers Per Thread             register/thread              16\n"                       \
    "    Dynamic Shared Memory Per Block      Kbyte/block           16.38\n"                       \
    "    Static Shared Memory Per Block        byte/block               0\n"                       \
    "    -------------------------------- --------------- ---------------\n"                       \
    "    OPT   This kernel grid is too small: Registers Per Thread             99\n"

/* What ncu prints without --csv, after the program's own output. */
static void test_text(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(
        read_text("my output\n==PROF== Disconnected from process 371\n[371] app@127.0.0.1\n"
                  "  void scale<float>(T1 *, int) (10000, 2, 1)x(32, 4, 1), Context 1, Stream 7, "
                  "Device 0, CC 8.6\n" TEXT_TABLE
                  "  other(int, char) (1, 1, 1)x(64, 1, 1), Context 1, Stream 7, Device 1, CC 9.0\n"
                  "    Section: GPU Speed Of Light Throughput\n"
                  "    ----------------------- ----------- ------------\n"
                  "    Metric Name             Metric Unit Metric Value\n"
                  "    ----------------------- ----------- ------------\n"
                  "    Duration                         \xC2\xB5s        12.35\n"
                  "    ----------------------- ----------- ------------\n",
                  &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    const struct smc_trace_launch *launch = trace.launches;
    CU_ASSERT_STRING_EQUAL(launch->name, "void scale<float>(T1 *, int)");
    CU_ASSERT(launch->grid[0] == 10000 && launch->grid[1] == 2 && launch->block[1] == 4);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 16);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 16384);
    CU_ASSERT_EQUAL(trace.devices[launch->device].device.sm.cc, 86);
    CU_ASSERT_EQUAL(trace.processes[launch->process].id, 371);
    CU_ASSERT_STRING_EQUAL(trace.processes[launch->process].command, "app");
    CU_ASSERT_EQUAL(launch[1].total_ns, 12350);
    CU_ASSERT_EQUAL(trace.devices[launch[1].device].device.sm.cc, 90);
    CU_ASSERT_FALSE(has_note(&trace, "were left out"));
    smc_trace_free(&trace);
}

/* Releases before 2022: the date instead of grid and block, no heading in the tables. */
static void test_old_text(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    CU_ASSERT_EQUAL_FATAL(
        read_text("==PROF== Connected to process 12345\n"
                  "  saxpy(int, float*), 2020-Mar-04 10:11:12, Context 1, Stream 7\n"
                  "    Section: Launch Statistics\n"
                  "    -------------------------------------- --------------- ------------------\n"
                  "    Block Size                                                            256\n"
                  "    Grid Size                                                           4,096\n"
                  "    Registers Per Thread                   register/thread                 16\n"
                  "    Static Shared Memory Per Block             Kbyte/block               8.19\n"
                  "    -------------------------------------- --------------- ------------------\n"
                  "    WRN   This kernel exhibits low throughput: 99\n",
                  &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_STRING_EQUAL(trace.launches[0].name, "saxpy(int, float*)");
    CU_ASSERT(trace.launches[0].grid[0] == 4096 && trace.launches[0].block[0] == 256);
    CU_ASSERT_EQUAL(trace.launches[0].static_smem_bytes, 8192);
    CU_ASSERT_EQUAL(trace.launches[0].device, SMC_TRACE_UNKNOWN);
    smc_trace_free(&trace);
}

/* Launches that the driver gave different sizes of shared memory are not one configuration. */
static void test_carveouts(void)
{
    static struct smc_trace trace;
    struct smc_error error;
#define SIZED(id, size, occupancy)                                                                 \
    ROW(id, "Shared Memory Configuration Size", "byte", size)                                      \
    ROW(id, "Theoretical Occupancy", "%", occupancy)
    CU_ASSERT_EQUAL_FATAL(read_text(DETAILS SIZED("0", "8192", "12.50") SIZED("1", "65536", "100.0")
                                        SIZED("2", "65536", "100.0"),
                                    &trace, &error),
                          SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    CU_ASSERT_EQUAL(trace.launches[0].smem_configured_bytes, 8192);
    CU_ASSERT_EQUAL(trace.launches[1].smem_configured_bytes, 65536);
    CU_ASSERT_EQUAL(trace.launches[1].launches, 2);
    smc_trace_free(&trace);
}

/* The driver's number of clusters counts, since how the SMs of a GPU are grouped is not recorded.
 */
static void test_clusters(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    struct smc_trace_answer answer = {0};
    CU_ASSERT_EQUAL_FATAL(
        read_text(
            "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"CC\",\"launch__cluster_size\","
            "\"launch__cluster_max_active\",\"launch__registers_per_thread\","
            "\"launch__shared_mem_per_block_static\",\"launch__shared_mem_per_block_dynamic\","
            "\"launch__sm_count\"\n"
            "\"\",\"\",\"block\",\"grid\",\"\",\"\",\"cluster\",\"register/thread\","
            "\"byte/block\",\"byte/block\",\"SM\"\n"
            "\"0\",\"k\",\"(256, 1, 1)\",\"(1056, 1, 1)\",\"9.0\",\"8\",\"15\",\"32\",\"0\","
            "\"204800\",\"132\"\n",
            &trace, &error),
        SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_EQUAL(trace.launches[0].resident_clusters, 15);
    CU_ASSERT_EQUAL(smc_trace_answer_on(&trace, NULL, &answer, &error), SMC_OK);
    CU_ASSERT_EQUAL(answer.rows[0].waves.resident_blocks, 120);
    CU_ASSERT_EQUAL(answer.rows[0].waves.waves, 9);
    smc_trace_answer_free(&answer);
    smc_trace_free(&trace);
}

CU_TestInfo tests_trace_ncu[] = {
    {"numbers with points and commas", test_numbers},
    {"units", test_units},
    {"page details", test_details},
    {"page raw", test_raw},
    {"page summary", test_summary},
    {"the first releases", test_old},
    {"locales", test_locales},
    {"ambiguous signs: only one value is possible", test_possible_values},
    {"allocated shared memory", test_allocated},
    {"configured shared memory", test_carveouts},
    {"clusters as the driver counts them", test_clusters},
    {"tables of text", test_text},
    {"tables of text of older releases", test_old_text},
    {"what is around a table, and tables that are incomplete", test_odd_tables},
    {"thousands of columns", test_wide},
    CU_TEST_INFO_NULL,
};
