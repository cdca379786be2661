/* ceilings: the arithmetic of samples, the built-in table, and the user's file: each kind of damage
   is reported, and the file is left unchanged. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hardware/measured_ceilings.h"
#include "rules/ceilings.h"
#include "temporary.h"
#include "unit.h"

/* --- Samples -----------------------------------------------------------------------------------*/

static void test_samples(void)
{
    struct smc_samples samples = {0};
    struct smc_spread spread;
    CU_ASSERT_EQUAL(smc_samples_median(&samples, &spread), 0);
    CU_ASSERT_EQUAL(spread.samples, 0);
    const double values[] = {5, 0, 1, NAN, 9, INFINITY, 3, -1};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        smc_samples_add(&samples, values[i]);
    CU_ASSERT_EQUAL(smc_samples_median(&samples, &spread), 4); /* between 3 and 5 */
    CU_ASSERT(spread.samples == 4 && spread.lowest == 1 && spread.highest == 9);
    smc_samples_add(&samples, 100);
    CU_ASSERT_EQUAL(smc_samples_median(&samples, &spread), 5);
    for (int i = 0; i < 2 * SMC_MOST_SAMPLES; i++)
        smc_samples_add(&samples, 200);
    CU_ASSERT_EQUAL(smc_samples_median(&samples, &spread), 200);
    CU_ASSERT_EQUAL(spread.samples, SMC_MOST_SAMPLES);
}

static void test_rates(void)
{
    CU_ASSERT_EQUAL(smc_rate_of_ms(4e6, 2), 2e9); /* 4 MB in 2 ms: 2 GB/s */
    CU_ASSERT_EQUAL(smc_rate_of_ms(4e6, 0), 0);
}

/* --- The table ---------------------------------------------------------------------------------*/

static void test_peaks(void)
{
    struct smc_device device;
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, NULL), SMC_OK);
    CU_ASSERT_EQUAL(smc_ceiling_peak(SMC_CEILING_COPY, &device), device.memory_bytes_per_s);
    CU_ASSERT_EQUAL(smc_ceiling_peak(SMC_CEILING_SHARED, &device), 128);
    CU_ASSERT_DOUBLE_EQUAL(smc_ceiling_peak(SMC_CEILING_FLOAT, &device), 66.908e12, 1e6);
    CU_ASSERT_EQUAL(smc_ceiling_peak(SMC_CEILING_LAUNCH, &device), 0);
    struct smc_ceilings ceilings = {0};
    CU_ASSERT_EQUAL(smc_ceiling_or_peak(SMC_CEILING_SHARED, &ceilings, &device), 128);
    CU_ASSERT_EQUAL(smc_ceiling_or_peak(SMC_CEILING_LAUNCH, &ceilings, &device), 0);
    ceilings.value[SMC_CEILING_SHARED] = 120;
    CU_ASSERT_EQUAL(smc_ceiling_or_peak(SMC_CEILING_SHARED, &ceilings, &device), 120);
}

static void test_no_board(void)
{
    struct smc_ceilings ceilings;
    CU_ASSERT(!smc_ceilings_of_board("a board of nobody's", &ceilings));
    CU_ASSERT_EQUAL(ceilings.source, SMC_CEILINGS_UNKNOWN);
    CU_ASSERT_PTR_NULL(smc_ceilings_source_name(ceilings.source));
}

/* What the model of time added may be unknown; the rest is complete. */
static void test_table(void)
{
    for (size_t i = 0; i < smc_device_count(); i++) {
        struct smc_device board;
        struct smc_ceilings ceilings;
        smc_device_at(i, &board);
        if (!smc_ceilings_of_board(board.name, &ceilings))
            continue;
        CU_ASSERT_EQUAL(ceilings.source, SMC_CEILINGS_TABLE);
        CU_ASSERT(ceilings.driver[0] && strlen(ceilings.date) == strlen("2026-11-21"));
        for (int c = 0; c < SMC_CEILING_COUNT; c++) {
            double peak = smc_ceiling_peak((enum smc_ceiling)c, &board);
            CU_ASSERT(ceilings.value[c] > 0 || c > SMC_CEILING_ROUND_TRIP);
            CU_ASSERT(peak == 0 || ceilings.value[c] <= 1.05 * peak);
        }
    }
}

/* --- The file ----------------------------------------------------------------------------------*/

static struct smc_ceilings measured(const char *device, const char *uuid, const char *date,
                                    double first)
{
    struct smc_ceilings ceilings = {.source = SMC_CEILINGS_CALIBRATED, .driver = "580.1"};
    snprintf(ceilings.device, sizeof ceilings.device, "%s", device);
    snprintf(ceilings.gpu_uuid, sizeof ceilings.gpu_uuid, "%s", uuid);
    snprintf(ceilings.date, sizeof ceilings.date, "%s", date);
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        ceilings.value[i] = i % 5 == 4 ? 0 : first * (i + 1) / 3;
    return ceilings;
}

static bool same(const struct smc_ceilings *a, const struct smc_ceilings *b)
{
    bool equal = a->source == b->source && strcmp(a->device, b->device) == 0 &&
                 strcmp(a->gpu_uuid, b->gpu_uuid) == 0 && strcmp(a->driver, b->driver) == 0 &&
                 strcmp(a->date, b->date) == 0;
    for (int i = 0; i < SMC_CEILING_COUNT; i++)
        equal &= fabs(a->value[i] - b->value[i]) <= 1e-12 * fabs(a->value[i]);
    return equal;
}

/* A path in folders that do not exist yet. */
static void choose_path(struct temporary *temporary, char path[SMC_CEILINGS_PATH])
{
    temporary_begin(temporary);
    snprintf(path, SMC_CEILINGS_PATH, "%s/new/ceilings.json", temporary->folder);
}

static void remove_all(const struct temporary *temporary, const char *path)
{
    char folder[SMC_CEILINGS_PATH];
    snprintf(folder, sizeof folder, "%s/new", temporary->folder);
    unlink(path);
    rmdir(folder);
}

static void test_keep(void)
{
    struct temporary temporary;
    struct smc_ceilings_file file;
    struct smc_error error = {""};
    char path[SMC_CEILINGS_PATH];
    choose_path(&temporary, path);
    CU_ASSERT_EQUAL(smc_ceilings_file_read(path, &file, &error), SMC_OK);
    CU_ASSERT_EQUAL(file.count, 0);

    const struct smc_ceilings first = measured("A", "GPU-1", "2026-01-01", 10);
    const struct smc_ceilings second = measured("A", "GPU-2", "2026-01-02", 20);
    const struct smc_ceilings again = measured("A", "GPU-1", "2026-02-01", 30);
    CU_ASSERT_EQUAL(smc_ceilings_keep(path, &first, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_ceilings_keep(path, &second, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_ceilings_keep(path, &again, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(error.message, "");
    CU_ASSERT_EQUAL_FATAL(smc_ceilings_file_read(path, &file, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(file.count, 2);
    CU_ASSERT(same(&file.entry[0], &again) && same(&file.entry[1], &second));
    smc_ceilings_file_free(&file);

    remove_all(&temporary, path);
    temporary_end(&temporary);
}

static void test_find(void)
{
    struct smc_ceilings entries[] = {
        measured("A", "GPU-1", "2026-01-01", 1), measured("A", "GPU-2", "2026-03-01", 2),
        measured("A", "GPU-3", "2026-02-01", 3), measured("B", "", "2026-01-01", 4)};
    const struct smc_ceilings_file file = {entries, sizeof entries / sizeof *entries};
    static const struct {
        const char *device, *uuid;
        int entry; /* -1: none */
    } cases[] = {{"A", "GPU-3", 2}, {"A", "", 1},       {"A", "GPU-9", 1}, {"B", "GPU-1", 3},
                 {"B", "", 3},      {"C", "GPU-1", -1}, {"a", "GPU-1", -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_ceilings found;
        smc_ceilings_find(&file, cases[i].device, cases[i].uuid, &found);
        if (cases[i].entry < 0)
            CU_ASSERT_EQUAL(found.source, SMC_CEILINGS_UNKNOWN)
        else
            CU_ASSERT(same(&found, &entries[cases[i].entry]))
    }
}

#define FRAME(entry) "{\"schema\": \"smemcalc-ceilings/1\", \"ceilings\": [" entry "]}"

static void test_damage(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "my.json:1:0: '[' or '{' expected near end of file"},
        {"{\n\"schema\": ,", "my.json:2:11: unexpected token near ','"},
        {"[]", "my.json: key 'schema': not \"smemcalc-ceilings/1\""},
        {"{\"schema\": \"smemcalc/1\"}", "my.json: key 'schema': not \"smemcalc-ceilings/1\""},
        {"{\"schema\": \"smemcalc-ceilings/1\"}", "my.json: key 'ceilings': not a list"},
        {"{\"schema\": \"smemcalc-ceilings/1\", \"ceilings\": [], \"more\": 1}",
         "my.json: more than the keys 'schema' and 'ceilings'"},
        {FRAME("1"), "my.json: entry 1 of 'ceilings': not an object"},
        {FRAME("{\"device\": \"A\"}, {}"),
         "my.json: entry 2 of 'ceilings': key 'device' is missing"},
        {FRAME("{\"device\": 5}"),
         "my.json: entry 1 of 'ceilings': key 'device': not a text of at most 127 bytes"},
        {FRAME("{\"device\": \"A\", \"copy_bytes_per_sec\": 1}"),
         "my.json: entry 1 of 'ceilings': unknown key 'copy_bytes_per_sec'; did you mean "
         "'copy_bytes_per_s'?"},
        {FRAME("{\"device\": \"A\", \"launch_us\": 0}"),
         "my.json: entry 1 of 'ceilings': key 'launch_us': neither null nor a number above 0 up to "
         "1e+18"},
        {FRAME("{\"device\": \"A\", \"launch_us\": \"2\"}"),
         "my.json: entry 1 of 'ceilings': key 'launch_us': neither null nor a number above 0 up to "
         "1e+18"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_ceilings_file file;
        struct smc_error error = {""};
        const char *text = cases[i].text;
        CU_ASSERT_EQUAL(smc_ceilings_file_parse("my.json", text, strlen(text), &file, &error),
                        SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, cases[i].message);
        CU_ASSERT(file.count == 0 && !file.entry);
    }
}

/* A damaged file is not overwritten, because the user may want to repair it. */
static void test_damage_stays(void)
{
    static const char damaged[] = "{\"schema\": \"smemcalc-ceilings/1\", oops";
    struct temporary temporary;
    struct smc_error error = {""};
    char path[SMC_CEILINGS_PATH], seen[256];
    const struct smc_ceilings ceilings = measured("A", "", "2026-01-01", 1);
    choose_path(&temporary, path);
    CU_ASSERT_EQUAL(smc_ceilings_keep(path, &ceilings, &error), SMC_OK);
    CU_ASSERT(temporary_write(path, damaged, sizeof damaged - 1));
    CU_ASSERT_EQUAL(smc_ceilings_keep(path, &ceilings, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "ceilings.json:1:"));
    CU_ASSERT_EQUAL(temporary_read(path, seen, sizeof seen), sizeof damaged - 1);
    CU_ASSERT_EQUAL(memcmp(seen, damaged, sizeof damaged - 1), 0);
    remove_all(&temporary, path);
    temporary_end(&temporary);
}

static void expect_path(const char *expected)
{
    char path[SMC_CEILINGS_PATH] = "";
    struct smc_error error = {""};
    enum smc_status status = smc_ceilings_path(path, &error);
    CU_ASSERT_EQUAL(status, expected ? SMC_OK : SMC_USAGE);
    if (expected)
        CU_ASSERT_STRING_EQUAL(path, expected)
}

static void restore(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

static char *kept(const char *name)
{
    const char *value = getenv(name);
    return value ? strdup(value) : NULL;
}

static void test_path(void)
{
    char *own = kept("SMEMCALC_CEILINGS"), *xdg = kept("XDG_CONFIG_HOME"), *home = kept("HOME");
    setenv("SMEMCALC_CEILINGS", "here.json", 1);
    setenv("XDG_CONFIG_HOME", "/xdg", 1);
    setenv("HOME", "/home/me", 1);
    expect_path("here.json");
    setenv("SMEMCALC_CEILINGS", "", 1);
    expect_path("/xdg/smemcalc/ceilings.json");
    setenv("XDG_CONFIG_HOME", "relative", 1);
    expect_path("/home/me/.config/smemcalc/ceilings.json");
    unsetenv("HOME");
    expect_path(NULL);
    restore("SMEMCALC_CEILINGS", own);
    restore("XDG_CONFIG_HOME", xdg);
    restore("HOME", home);
}

CU_TestInfo tests_ceilings[] = {
    {"median and spread of samples", test_samples},
    {"an amount in a time is a rate", test_rates},
    {"theoretical peaks", test_peaks},
    {"a device that nobody measured", test_no_board},
    {"the built-in table", test_table},
    {"measured again, a GPU's entry is replaced", test_keep},
    {"which entry is a device's", test_find},
    {"every damage has its line", test_damage},
    {"a damaged file is not written over", test_damage_stays},
    {"where the file is", test_path},
    CU_TEST_INFO_NULL,
};
