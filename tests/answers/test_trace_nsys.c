/* Exports of Nsight Systems, made here: each version of the tables, and files that are damaged or
   hostile. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers/trace_answer.h"
#include "share.h"
#include "unit.h"

#ifdef HAVE_SQLITE

#include <sqlite3.h>

static char path[64];
static struct smc_trace trace;
static struct smc_error error;

static void make_path(void)
{
    snprintf(path, sizeof path, "/tmp/smemcalc-nsys-XXXXXX");
    const int file = mkstemp(path);
    CU_ASSERT_FATAL(file >= 0);
    close(file);
}

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fprintf(stderr, "%s: %s\n", message, sql);
        CU_FAIL("SQL");
    }
    sqlite3_free(message);
}

/* A file in which this SQL has run. */
static void make(const char *const *sql, size_t count)
{
    sqlite3 *db;
    make_path();
    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    run(db, "PRAGMA synchronous = OFF");
    for (size_t i = 0; i < count; i++)
        run(db, sql[i]);
    CU_ASSERT_EQUAL(sqlite3_close(db), SQLITE_OK);
}

#define MAKE(...)                                                                                  \
    make((const char *const[]){__VA_ARGS__},                                                       \
         sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static enum smc_status read_filtered(const struct smc_trace_filter *filter)
{
    memset(&trace, 0, sizeof trace);
    if (filter)
        trace.filter = *filter;
    error.message[0] = '\0';
    return smc_trace_read(path, &trace, &error);
}

static enum smc_status read_it(void)
{
    return read_filtered(NULL);
}

static void end(void)
{
    smc_trace_free(&trace);
    unlink(path);
}

static bool has_note(const char *words)
{
    return strstr(smc_text_string(&trace.notes), words) != NULL;
}

static const struct smc_trace_launch *find(const char *shown)
{
    for (size_t i = 0; i < trace.launch_count; i++)
        if (strcmp(trace.launches[i].shown, shown) == 0)
            return &trace.launches[i];
    CU_FAIL("no such launch");
    return &trace.launches[0];
}

/* --- Versions of the tables ------------------------------------------------------------------- */

#define STRINGS                                                                                    \
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"               \
    "INSERT INTO StringIds VALUES (3, '_Z5scalePfS_i'), (4, 'scale(float*, float*, int)'), "       \
    "(5, 'scale'), (6, 'gather_rows'), (7, '')"
#define NEW_KERNELS                                                                                \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, "      \
    "deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, "              \
    "streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "                        \
    "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "            \
    "launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, "               \
    "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "                     \
    "blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "                  \
    "staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "                  \
    "localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "                   \
    "gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "                 \
    "sharedMemoryLimitConfig INTEGER, graphId INTEGER, clusterX INTEGER, clusterY INTEGER, "       \
    "clusterZ INTEGER, sharedMemoryRequestedPercentage INTEGER)"
/* Process 77 of machine 1; 77 << 24 | 1 << 56. */
#define PID_77 "72057595329773568"
#define PID_78 "72057595346550784"

static void test_newest(void)
{
    MAKE(STRINGS, NEW_KERNELS,
         "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
         "l2CacheSize INTEGER, totalMemory INTEGER, clockRate INTEGER, smCount INTEGER, "
         "maxShmemPerSm INTEGER, maxRegistersPerSm INTEGER, computeMajor INTEGER, computeMinor "
         "INTEGER);"
         "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA H100 80GB HBM3', 52428800, "
         "85000000000, 1755000000, 132, 233472, 65536, 9, 0)",
         "CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);"
         "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), "
         "('EXPORT_PRODUCT_VERSION', '2026.1.1.204'), ('EXPORT_SCHEMA_VERSION', '3.24.14')",
         "CREATE TABLE META_DATA_CAPTURE (name TEXT NOT NULL, value TEXT);"
         "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:COMMAND', './train'), "
         "('PROCESS_0:ARGUMENT_0', '--epochs'), ('PROCESS_0:ARGUMENT_1', '2'), "
         "('PROCESS_0:ENV', 'SECRET=1')",
         "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"
         "INSERT INTO PROCESSES VALUES (" PID_77 ", 77, '/usr/bin/train')",
         "CREATE TABLE ENUM_CUDA_FUNC_CACHE_CONFIG (id INTEGER, name TEXT, label TEXT);"
         "INSERT INTO ENUM_CUDA_FUNC_CACHE_CONFIG VALUES (0, 'CU_FUNC_CACHE_PREFER_NONE', ''), "
         "(1, 'CU_FUNC_CACHE_PREFER_SHARED', ''), (2, 'CU_FUNC_CACHE_PREFER_L1', '')",
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
         "(1000, 4000, 0, 1, NULL, 7, 1, " PID_77 ", 4, 5, 3, 1, 2, 40, 100, 2, 1, 32, 8, 1, 1024, "
         "49152, 0, 0, 1, 102400, NULL, 0, NULL, 2, 1, 1, 50), "
         "(5000, 10000, 0, 1, NULL, 7, 2, " PID_77
         ", 4, 5, 3, 1, 2, 40, 100, 2, 1, 32, 8, 1, 1024, "
         "49152, 0, 0, 2, 135168, 4294967299, 0, 1, 2, 1, 1, 50), "
         "(11000, 11500, 0, 1, NULL, 7, 3, " PID_77 ", 6, 6, 7, 1, 0, 16, 1, 1, 1, 1024, 1, 1, 0, "
         "0, 0, 0, 3, 8192, NULL, 0, NULL, 0, 0, 0, NULL)");
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL(trace.source, SMC_TRACE_NSIGHT_SYSTEMS);
    CU_ASSERT_STRING_EQUAL(trace.tool, "Nsight Systems 2026.1.1.204");
    CU_ASSERT_STRING_EQUAL(trace.program, "./train --epochs 2");
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    const struct smc_trace_launch *launch = &trace.launches[0];
    CU_ASSERT_STRING_EQUAL(launch->name, "_Z5scalePfS_i");
    CU_ASSERT_EQUAL(launch->launches, 2);
    CU_ASSERT_EQUAL(launch->graph_launches, 1);
    CU_ASSERT_EQUAL(launch->timed_launches, 2);
    CU_ASSERT_EQUAL(launch->total_ns, 8000);
    CU_ASSERT_EQUAL(launch->least_ns, 3000);
    CU_ASSERT_EQUAL(launch->greatest_ns, 5000);
    CU_ASSERT_EQUAL(launch->grid[0], 100);
    CU_ASSERT_EQUAL(launch->grid[1], 2);
    CU_ASSERT_EQUAL(launch->block[0], 32);
    CU_ASSERT_EQUAL(launch->block[1], 8);
    CU_ASSERT_EQUAL(launch->cluster[0], 2);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 40);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 1024);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 49152);
    CU_ASSERT_EQUAL(launch->smem_configured_bytes, 135168);
    CU_ASSERT_EQUAL(launch->carveout_percent, 50);
    CU_ASSERT_EQUAL(launch->cache_config, SMC_CACHE_PREFER_L1);
    CU_ASSERT_STRING_EQUAL(trace.launches[1].name, "gather_rows"); /* its mangled name is empty */
    CU_ASSERT_EQUAL(trace.launches[1].carveout_percent, SMC_CARVEOUT_DEFAULT);
    CU_ASSERT_EQUAL(trace.launches[1].cache_config, SMC_CACHE_PREFER_NONE);
    CU_ASSERT_EQUAL(trace.launches[1].cluster[0], 0);
    CU_ASSERT_EQUAL_FATAL(trace.device_count, 1);
    CU_ASSERT(trace.devices[0].known);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm.cc, 90);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm_clock_khz, 1755000);
    CU_ASSERT_EQUAL(trace.devices[0].device.l2_bytes, 52428800);
    CU_ASSERT_EQUAL_FATAL(trace.process_count, 1);
    CU_ASSERT_EQUAL(trace.processes[0].id, 77);
    CU_ASSERT_STRING_EQUAL(trace.processes[0].command, "/usr/bin/train");
    CU_ASSERT_STRING_EQUAL(smc_text_string(&trace.notes), "");
    CU_ASSERT(trace.course.begun);
    uint64_t ns = 0;
    for (size_t i = 0; i < SMC_TRACE_SLICES; i++)
        for (size_t k = 0; k < trace.course.slice[i].count; k++)
            ns += trace.course.slice[i].share[k].ns;
    CU_ASSERT_EQUAL(ns, 8500);
    end();
}

#define OLD_KERNELS                                                                                \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT NULL, "              \
    "deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT, "    \
    "globalPid INT, demangledName INT NOT NULL, shortName INT NOT NULL, launchType INT, "          \
    "cacheConfig INT, registersPerThread INT NOT NULL, gridX INT NOT NULL, gridY INT NOT NULL, "   \
    "gridZ INT NOT NULL, blockX INT NOT NULL, blockY INT NOT NULL, blockZ INT NOT NULL, "          \
    "staticSharedMemory INT NOT NULL, dynamicSharedMemory INT NOT NULL)"

/* Of early 2021: other tables for GPUs, no mangled names, no clusters. */
static void test_oldest(void)
{
    MAKE(STRINGS, OLD_KERNELS,
         "CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId INT, name TEXT, computeCapabilityMajor INT, "
         "computeCapabilityMinor INT, numMultiprocessors INT, coreClockRate INT);"
         "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'A100-SXM4-40GB', 8, 0, 108, 1410000)",
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 0, 1, 7, 1, NULL, 4, 5, 0, 1, 32, "
         "5, 1, 1, 64, 1, 1, 0, 0)");
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 1);
    CU_ASSERT_STRING_EQUAL(trace.launches[0].name, "scale(float*, float*, int)");
    CU_ASSERT_EQUAL(trace.launches[0].process, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace.launches[0].cache_config, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace.launches[0].smem_configured_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm.cc, 80);
    CU_ASSERT_EQUAL(trace.devices[0].device.sm_clock_khz, 1410000);
    CU_ASSERT_STRING_EQUAL(trace.tool, "Nsight Systems");
    CU_ASSERT_FALSE(has_note("clusters")); /* this GPU has none */
    end();
}

/* What is missing is unknown, and said. */
static void test_missing(void)
{
    MAKE(STRINGS,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, shortName INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 5), (40, 70, 99)");
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 2);
    const struct smc_trace_launch *launch = &trace.launches[0];
    CU_ASSERT_STRING_EQUAL(launch->name, "scale");
    CU_ASSERT_STRING_EQUAL(trace.launches[1].name, "(unnamed)");
    CU_ASSERT_EQUAL(launch->regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->device, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->grid[0], 0);
    CU_ASSERT_EQUAL(launch->total_ns, 20);
    CU_ASSERT(has_note("numbers of registers were not recorded"));
    CU_ASSERT(has_note("block sizes were not recorded"));
    CU_ASSERT(has_note("clusters were not recorded"));
    CU_ASSERT(has_note("some kernels have no name"));
    end();
    MAKE("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
    CU_ASSERT_EQUAL(read_it(), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "CUPTI_ACTIVITY_KIND_KERNEL is missing"));
    end();
    MAKE(NEW_KERNELS);
    CU_ASSERT_EQUAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL(trace.launch_count, 0);
    CU_ASSERT(has_note("no kernels were recorded"));
    end();
}

/* Graphs that were recorded as a whole, and warnings. */
static void test_incomplete(void)
{
    MAKE(STRINGS, OLD_KERNELS,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1, 2), (3, 4), (5, 6)",
         "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER, severity INTEGER, text TEXT);"
         "INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 1, 'CUDA is here.'), (1, 3, 'Not all CUDA events "
         "were collected.'), (1, 3, 'Nothing of the network.')");
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT(has_note("3 launches of CUDA graphs were recorded without their kernels"));
    CU_ASSERT(has_note("Nsight Systems: Not all CUDA events were collected."));
    CU_ASSERT_FALSE(has_note("CUDA is here"));
    CU_ASSERT_FALSE(has_note("network"));
    end();
}

#define OLD_ROW(start, end, device, pid, name)                                                     \
    "(" start ", " end ", " device ", 1, 7, 1, " pid ", " name ", 5, 0, 1, 32, 5, 1, 1, 64, 1, "   \
    "1, 0, 0)"

/* Each process numbers the GPUs that it can see. */
static void test_ordinals(void)
{
    MAKE(
        STRINGS, OLD_KERNELS,
        "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, computeMajor INTEGER, computeMinor "
        "INTEGER, smCount INTEGER);"
        "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 PCIe', 9, 0, 114), "
        "(3, 'NVIDIA A100-SXM4-40GB', 8, 0, 108)",
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER, uuid "
        "TEXT, numMultiprocessors INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 77, 'MIG-1', 14), (0, 0, 78, 'GPU-2', "
        "114), (3, 1, 78, 'MIG-3', 28)",
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " OLD_ROW(
            "1", "2", "0", PID_77, "4") ", " OLD_ROW("1", "2", "0", PID_78,
                                                     "6") ", " OLD_ROW("1", "2", "1", PID_78, "3"));
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, 3);
    CU_ASSERT_EQUAL_FATAL(trace.device_count, 3);
    CU_ASSERT_EQUAL(trace.processes[find("gather_rows")->process].id, 78);
    const struct smc_device *a = &trace.devices[trace.launches[0].device].device;
    const struct smc_device *b = &trace.devices[trace.launches[1].device].device;
    const struct smc_device *c = &trace.devices[trace.launches[2].device].device;
    CU_ASSERT_EQUAL(a->sm.cc, 80);
    CU_ASSERT_EQUAL(a->sm_count, 14);
    CU_ASSERT_EQUAL(b->sm.cc, 90);
    CU_ASSERT_EQUAL(b->sm_count, 114);
    CU_ASSERT_EQUAL(c->sm.cc, 80);
    CU_ASSERT_EQUAL(c->sm_count, 28);
    CU_ASSERT_FALSE(has_note("which GPUs a process could see"));
    end();
    MAKE(STRINGS, OLD_KERNELS,
         "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
         "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200'), (1, 'NVIDIA H200')",
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " OLD_ROW("1", "2", "1", PID_77, "4"));
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL(trace.devices[0].id, 1);
    CU_ASSERT(has_note("which GPUs a process could see was not recorded"));
    end();
}

/* --- Order and number ------------------------------------------------------------------------- */

/* --skip and --count go by the time of the launches, not by their order in the file. */
static void test_filter(void)
{
    const char *patterns[] = {"scale*"};
    const struct smc_trace_filter filter = {
        .patterns = patterns, .pattern_count = 1, .skip = 1, .count = 2};
    MAKE(STRINGS, OLD_KERNELS,
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " OLD_ROW(
             "400", "404", "0", "NULL",
             "4") ", " OLD_ROW("100", "101", "0", "NULL",
                               "4") ", " OLD_ROW("150", "160", "0", "NULL",
                                                 "6") ", " OLD_ROW("300", "303", "0", "NULL",
                                                                   "4") ", " OLD_ROW("200", "202",
                                                                                     "0", "NULL",
                                                                                     "4"));
    CU_ASSERT_EQUAL_FATAL(read_filtered(&filter), SMC_OK);
    CU_ASSERT_EQUAL(find("scale(float*, float*, int)")->launches, 2);
    CU_ASSERT_EQUAL(find("scale(float*, float*, int)")->total_ns, 5);
    CU_ASSERT_EQUAL(trace.skipped, 2);
    end();
}

/* More configurations than are added together, three launches of each, far from one another. */
static void test_many(void)
{
    enum { CONFIGURATIONS = 40000, ROUNDS = 3 };
    char sql[512];
    MAKE(STRINGS, OLD_KERNELS);
    sqlite3 *db;
    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 4, 0, 1, 7, i, NULL, "
             "4, 5, 0, 1, 32, 1 + i %% %d, 1, 1, 64, 1, 1, 0, 0 FROM n",
             CONFIGURATIONS * ROUNDS - 1, CONFIGURATIONS);
    run(db, sql);
    sqlite3_close(db);
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(trace.launch_count, CONFIGURATIONS);
    size_t wrong = 0;
    for (size_t i = 0; i < trace.launch_count; i++)
        wrong += trace.launches[i].launches != ROUNDS || trace.launches[i].total_ns != 4 * ROUNDS;
    CU_ASSERT_EQUAL(wrong, 0);
    end();
}

/* --- Bad values ------------------------------------------------------------------------------- */

static void test_values(void)
{
    sqlite3 *db;
    sqlite3_stmt *insert;
    MAKE(STRINGS,
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, "
         "demangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ, "
         "staticSharedMemory, dynamicSharedMemory);"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
         "(10, 20, 0, 1, 4, 'many', 1, 1, 1, 64, 1, 1, 0, 0), "
         "(10, 20, 0, 1, 4, 32, -1, 1, 1, 64, 1, 1, -5, 9223372036854775807), "
         "(10, 20, 0, 1, 4, 32, 1, 1, 1, 4096, 1, 1, 0, 0), "
         "(NULL, 20, 0, 1, 4, 32, 1, 1, 1, 64, 1, 1, 0, 0), "
         "(20, 10, 0, 1, 4, 32, 1, 1, 1, 64, 1, 1, 0, 0), "
         "(0, 0, 0, 1, 4, 32, 1, 1, 1, 64, 1, 1, 0, 0), "
         "(-9223372036854775808, 9223372036854775807, 0, 1, 4, 32, 1, 1, 1, 64, 1, 1, 0, 0), "
         "(-50, -10, x'00ff', -1, 4, 3e300, 1.5, 1, 1, 64, 1, 1, 0, NULL)");
    CU_ASSERT_EQUAL_FATAL(sqlite3_open(path, &db), SQLITE_OK);
    static const char odd[] = "a\0b\033[31m\xff";
    CU_ASSERT_EQUAL(
        sqlite3_prepare_v2(db, "INSERT INTO StringIds VALUES (50, ?)", -1, &insert, NULL),
        SQLITE_OK);
    sqlite3_bind_text(insert, 1, odd, sizeof odd - 1, SQLITE_STATIC);
    CU_ASSERT_EQUAL(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_finalize(insert);
    run(db, "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName) VALUES (5, 6, 50)");
    sqlite3_close(db);
    CU_ASSERT_EQUAL_FATAL(read_it(), SMC_OK);
    uint64_t launches = 0, timed = 0;
    for (size_t i = 0; i < trace.launch_count; i++) {
        launches += trace.launches[i].launches;
        timed += trace.launches[i].timed_launches;
        CU_ASSERT_PTR_NULL(strchr(trace.launches[i].shown, '\033'));
    }
    CU_ASSERT_EQUAL(launches, 9);
    CU_ASSERT_EQUAL(timed, 5);
    CU_ASSERT_STRING_EQUAL(trace.launches[trace.launch_count - 1].shown, "a?b?[31m?");
    CU_ASSERT(has_note("times are unknown for 4 of 9 launches"));
    CU_ASSERT(has_note("numbers of registers are unknown for 3 of 9 launches"));
    CU_ASSERT(has_note("block sizes are unknown for 2 of 9 launches"));
    CU_ASSERT(has_note("grid sizes are unknown for 3 of 9 launches"));
    end();
}

/* --- Hostile and damaged files ---------------------------------------------------------------- */

static void expect_refusal(const char *words)
{
    CU_ASSERT_EQUAL(read_it(), SMC_USAGE);
    if (!strstr(error.message, words)) {
        fprintf(stderr, "'%s' has no '%s'\n", error.message, words);
        CU_FAIL("message");
    }
    end();
}

static void test_hostile(void)
{
    MAKE(STRINGS,
         "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL "
         "SELECT start + 1 FROM n) SELECT start, start AS end FROM n");
    expect_refusal("CUPTI_ACTIVITY_KIND_KERNEL is missing");
    /* A column that is computed counts as missing. */
    if (sqlite3_libversion_number() >= 3031000) {
        MAKE("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER GENERATED ALWAYS "
             "AS (length(hex(zeroblob(100000000)))))",
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1)");
        CU_ASSERT_EQUAL(read_it(), SMC_OK);
        CU_ASSERT(has_note("times are unknown for 1 of 1 launches"));
        end();
    }
    MAKE(STRINGS, OLD_KERNELS,
         "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT);"
         "CREATE TRIGGER t AFTER INSERT ON TARGET_INFO_GPU BEGIN DELETE FROM StringIds; END;"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " OLD_ROW("1", "2", "1", PID_77, "4"));
    CU_ASSERT_EQUAL(read_it(), SMC_OK);
    CU_ASSERT_EQUAL(trace.launch_count, 1);
    end();
}

static void write_bytes(long at, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "r+b");
    CU_ASSERT_FATAL(file != NULL && fseek(file, at, SEEK_SET) == 0);
    CU_ASSERT_EQUAL(fwrite(bytes, 1, count, file), count);
    fclose(file);
}

static void make_sample(void)
{
    MAKE("PRAGMA page_size = 512", STRINGS, OLD_KERNELS,
         "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);"
         "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H200', 132)",
         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 60) "
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 4, 0, 1, 7, i, 1, 4, 5, "
         "0, 1, 32, 1 + i % 7, 1, 1, 64, 1, 1, 0, 0 FROM n");
}

static long size_of_file(void)
{
    struct stat about;
    return stat(path, &about) == 0 ? (long)about.st_size : 0;
}

static void test_damaged(void)
{
    make_sample();
    CU_ASSERT_EQUAL(truncate(path, size_of_file() / 2), 0);
    expect_refusal("damaged");
    make_sample();
    CU_ASSERT_EQUAL(truncate(path, 40), 0);
    expect_refusal("damaged");
    make_sample();
    CU_ASSERT_EQUAL(truncate(path, 0), 0);
    expect_refusal("not a trace");
    make_sample();
    char noise[512 - 16];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 37);
    write_bytes(16, noise, sizeof noise); /* as if encrypted, but for the first words */
    expect_refusal("damaged, or encrypted");
}

/* Each third byte of a small file, or a share of them, changed: the file is read, or refused in one
   line. */
static void test_every_byte(void)
{
    make_sample();
    const long size = size_of_file();
    size_t refused = 0, odd = 0;
    FILE *file = fopen(path, "r+b");
    CU_ASSERT_FATAL(file != NULL);
    char *sound = malloc((size_t)size);
    CU_ASSERT_FATAL(sound && fread(sound, 1, (size_t)size, file) == (size_t)size);
    for (long at = 16; at < size; at += 3) {
        if (!share_has((size_t)at / 3, 4))
            continue;
        const char changed = (char)(sound[at] ^ (1 << at % 8) ^ 0x40);
        fseek(file, at, SEEK_SET);
        fputc(changed, file);
        fflush(file);
        const enum smc_status status = read_it();
        refused += status == SMC_USAGE;
        odd += (status != SMC_OK && status != SMC_USAGE) || (status != SMC_OK) != !!*error.message;
        smc_trace_free(&trace);
        fseek(file, at, SEEK_SET);
        fputc(sound[at], file);
    }
    fclose(file);
    free(sound);
    CU_ASSERT_EQUAL(odd, 0);
    CU_ASSERT(refused > 100);
    unlink(path);
}

/* What an export that was interrupted leaves; and reading leaves nothing. */
static void test_journals(void)
{
    static const char *const endings[] = {"-journal", "-wal"};
    char other[80];
    make_sample();
    for (size_t i = 0; i < 2; i++) {
        snprintf(other, sizeof other, "%s%s", path, endings[i]);
        FILE *file = fopen(other, "w");
        CU_ASSERT_FATAL(file != NULL);
        fputs("pages", file);
        fclose(file);
        CU_ASSERT_EQUAL(read_it(), SMC_USAGE);
        CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "the export has not ended"));
        smc_trace_free(&trace);
        unlink(other);
    }
    CU_ASSERT_EQUAL(read_it(), SMC_OK);
    smc_trace_free(&trace);
    for (size_t i = 0; i < 2; i++) {
        snprintf(other, sizeof other, "%s%s", path, endings[i]);
        CU_ASSERT_NOT_EQUAL(access(other, F_OK), 0);
    }
    unlink(path);
    /* Names that a URI would read otherwise. */
    char odd[96];
    make_sample();
    snprintf(odd, sizeof odd, "%s?mode=rwc#%%41", path);
    CU_ASSERT_EQUAL(rename(path, odd), 0);
    memset(&trace, 0, sizeof trace);
    CU_ASSERT_EQUAL(smc_trace_read(odd, &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL(trace.launch_count, 7);
    smc_trace_free(&trace);
    unlink(odd);
}

/* A report that was not exported. */
static void test_reports(void)
{
    char report[96];
    make_sample();
    snprintf(report, sizeof report, "%s.nsys-rep", path);
    FILE *file = fopen(report, "wb");
    CU_ASSERT_FATAL(file != NULL);
    fputs("\xff\xfe some report", file);
    fclose(file);
    memset(&trace, 0, sizeof trace);
    CU_ASSERT_EQUAL(smc_trace_read(report, &trace, &error), SMC_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "nsys export --type sqlite '/tmp/"));
    unlink(report);
    end();
}

/* SQLite reads only what is a file. */
static void test_pipe(void)
{
    char command[96], pipe_name[32];
    make_sample();
    snprintf(command, sizeof command, "cat '%s'", path);
    FILE *bytes = popen(command, "r");
    CU_ASSERT_FATAL(bytes != NULL);
    snprintf(pipe_name, sizeof pipe_name, "/dev/fd/%d", fileno(bytes));
    memset(&trace, 0, sizeof trace);
    CU_ASSERT_EQUAL(smc_trace_read(pipe_name, &trace, &error), SMC_OK);
    CU_ASSERT_EQUAL(trace.launch_count, 7);
    CU_ASSERT_STRING_EQUAL(trace.file, pipe_name);
    pclose(bytes);
    end();
}

CU_TestInfo tests_trace_nsys[] = {
    {"the newest tables", test_newest},
    {"the oldest tables", test_oldest},
    {"tables and columns that are missing", test_missing},
    {"what was not recorded completely", test_incomplete},
    {"GPUs by the number that each process gives them", test_ordinals},
    {"launches left out, by time", test_filter},
    {"more configurations than are added together", test_many},
    {"values that cannot be", test_values},
    {"views, functions and triggers in a file", test_hostile},
    {"files cut off, empty, encrypted", test_damaged},
    {"every byte changed", test_every_byte},
    {"journals", test_journals},
    {"a report that was not exported", test_reports},
    {"an export from a pipe", test_pipe},
    CU_TEST_INFO_NULL,
};

#else

static void test_without(void)
{
    static struct smc_trace trace;
    struct smc_error error;
    char path[] = "/tmp/smemcalc-nsys-XXXXXX";
    const int file = mkstemp(path);
    CU_ASSERT_EQUAL(write(file, "SQLite format 3", 16), 16);
    close(file);
    CU_ASSERT_EQUAL(smc_trace_read(path, &trace, &error), SMC_UNAVAILABLE);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "this build cannot read SQLite"));
    smc_trace_free(&trace);
    unlink(path);
}

CU_TestInfo tests_trace_nsys[] = {
    {"exports without SQLite", test_without},
    CU_TEST_INFO_NULL,
};

#endif
