/* trace: the metadata of Triton's cache and the machine code beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answers/trace_answer.h"
#include "temporary.h"
#include "trace_support.h"
#include "unit.h"

static char folder[64];
static struct smc_error error;

static void in_folder(const char *name, char path[192])
{
    snprintf(path, 192, "%s/%s", folder, name);
}

static void write_text(const char *name, const char *text)
{
    char path[192];
    in_folder(name, path);
    CU_ASSERT_TRUE_FATAL(temporary_write(path, text, strlen(text)));
}

/* Machine code of the tests, under another name. */
static void copy_cubin(const char *name)
{
    static char bytes[1 << 20];
    char path[192];
    const size_t count =
        temporary_read(SMC_SOURCE_DIR "/tests/data/inspect/own-sm90.cubin", bytes, sizeof bytes);
    in_folder(name, path);
    CU_ASSERT_TRUE_FATAL(count > 0 && temporary_write(path, bytes, count));
}

static void begin(void)
{
    char path[192];
    snprintf(folder, sizeof folder, "/tmp/smemcalc-triton-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
    in_folder("HASH", path);
    CU_ASSERT_EQUAL_FATAL(mkdir(path, 0700), 0);
}

static void end(void)
{
    static const char *const names[] = {"HASH/a.json",
                                        "HASH/a.cubin",
                                        "HASH/b.json",
                                        "HASH/__grp__a.json",
                                        "HASH/c.json",
                                        "HASH",
                                        ""};
    char path[192];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        in_folder(names[i], path);
        remove(path);
    }
}

static struct smc_trace *read_path(const char *name)
{
    char path[192];
    struct smc_trace *trace = calloc(1, sizeof *trace);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    in_folder(name, path);
    error.message[0] = '\0';
    const enum smc_status status = smc_trace_read(path, trace, &error);
    if (status == SMC_OK)
        return trace;
    CU_ASSERT_EQUAL(status, SMC_USAGE);
    smc_trace_free(trace);
    free(trace);
    return NULL;
}

#define METADATA(more)                                                                             \
    "{\"hash\": \"0123\", \"target\": {\"backend\": \"cuda\", \"arch\": 90, \"warp_size\": 32},"   \
    " \"num_warps\": 8, \"num_ctas\": 2, \"num_stages\": 3, \"shared\": 49152, \"name\": "         \
    "\"matmul_kernel\"" more "}"

static void test_metadata(void)
{
    begin();
    write_text("HASH/a.json", METADATA(", \"triton_version\": \"3.4.0\", \"tmem_size\": 64"));
    struct smc_trace *trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_EQUAL(trace->launch_count, 1);
    CU_ASSERT_TRUE(trace->launches_unknown);
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_TRITON);
    CU_ASSERT_STRING_EQUAL(trace->tool, "Triton 3.4.0");
    CU_ASSERT_STRING_EQUAL(launch->name, "matmul_kernel");
    CU_ASSERT(launch->block[0] == 256 && launch->block[1] == 1 && launch->block[2] == 1);
    CU_ASSERT_EQUAL(launch->grid[0], 0);
    CU_ASSERT(launch->cluster[0] == 2 && launch->cluster[1] == 1 && launch->cluster[2] == 1);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 49152);
    CU_ASSERT_EQUAL(launch->regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->timed_launches, 0);
    CU_ASSERT_EQUAL(launch->module, SMC_TRACE_UNKNOWN);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "matmul_kernel: "));
    CU_ASSERT_TRUE(test_trace_has_note(trace, "a.cubin: No such file"));
    CU_ASSERT_TRUE(test_trace_has_note(trace, "tensor memory"));
    CU_ASSERT_EQUAL(trace->devices[launch->device].device.sm.cc, 90);
    test_trace_release(trace);
    end();
}

static void test_machine_code(void)
{
    begin();
    copy_cubin("HASH/a.cubin");
    write_text("HASH/a.json", "{\"name\": \"bounded\", \"num_warps\": 4, \"shared\": 0}");
    struct smc_trace *trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_EQUAL(launch->regs_per_thread, 10);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 2000);
    CU_ASSERT_EQUAL_FATAL(launch->module, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(trace->modules[0].file, "HASH/a.cubin"));
    CU_ASSERT_EQUAL(trace->devices[launch->device].device.sm.cc, 90);
    CU_ASSERT_STRING_EQUAL(trace->tool, "Triton");
    CU_ASSERT_EQUAL(trace->notes.length, 0);
    test_trace_release(trace);
    write_text("HASH/a.json", "{\"name\": \"other\", \"num_warps\": 4, \"shared\": 0}");
    trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->launches[0].regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "other: not in its .cubin"));
    test_trace_release(trace);
    write_text("HASH/a.cubin", "no machine code");
    trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->launches[0].module, SMC_TRACE_UNKNOWN);
    test_trace_release(trace);
    end();
}

/* The architecture as releases have written it. */
static void test_architectures(void)
{
    static const struct {
        const char *text;
        int cc; /* 0: none */
    } cases[] = {
        {"{\"num_warps\": 4, \"target\": [\"cuda\", 86]}", 86},
        {"{\"num_warps\": 4, \"cc\": 75}", 75},
        {"{\"num_warps\": 4, \"arch\": \"sm89\"}", 89},
        {"{\"num_warps\": 4, \"target\": {\"backend\": \"cuda\", \"arch\": \"sm_100a\"}}", 100},
        {"{\"num_warps\": 4, \"target\": {\"backend\": \"hip\", \"arch\": \"gfx90a\"}}", 0},
        {"{\"num_warps\": 4, \"arch\": \"x\"}", 0},
        {"{\"num_warps\": 4}", 0},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("HASH/a.json", cases[i].text);
        struct smc_trace *trace = read_path("HASH/a.json");
        CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
        CU_ASSERT_STRING_EQUAL(trace->launches[0].name, "a");
        CU_ASSERT_EQUAL(trace->device_count, cases[i].cc ? 1 : 0);
        if (trace->device_count == 1)
            CU_ASSERT_EQUAL(trace->devices[0].device.sm.cc, cases[i].cc);
        if (trace->device_count == 0)
            CU_ASSERT_TRUE(test_trace_has_note(trace, "no occupancy"));
        test_trace_release(trace);
    }
    end();
}

static void test_clusters(void)
{
    begin();
    write_text("HASH/a.json", "{\"num_warps\": 4, \"num_ctas\": 4, \"cluster_dims\": [2, 2, 1]}");
    struct smc_trace *trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT(trace->launches[0].cluster[0] == 2 && trace->launches[0].cluster[1] == 2);
    CU_ASSERT_EQUAL(trace->launches[0].dynamic_smem_bytes, SMC_TRACE_UNKNOWN);
    test_trace_release(trace);
    write_text("HASH/a.json", "{\"num_warps\": 4, \"num_ctas\": 1, \"cluster_dims\": [1, 1, 1]}");
    trace = read_path("HASH/a.json");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->launches[0].cluster[0], 0);
    test_trace_release(trace);
    end();
}

static void test_folder(void)
{
    begin();
    CU_ASSERT_PTR_NULL(read_path(""));
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "without kernels of Triton"));
    write_text("HASH/a.json", METADATA(""));
    write_text("HASH/b.json", "{\"num_warps\": 2, \"cc\": 80}");
    write_text("HASH/__grp__a.json", "{\"child_paths\": {\"num_warps\": 1}, \"num_warps\": 1}");
    write_text("HASH/c.json", "{\"num_warps\": \"many\"}");
    struct smc_trace *trace = read_path("");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 2);
    CU_ASSERT_STRING_EQUAL(trace->launches[1].name, "b");
    CU_ASSERT_EQUAL(trace->device_count, 2);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "left out: "));
    CU_ASSERT_TRUE(test_trace_has_note(trace, "HASH/c.json: \"num_warps\" is \"many\""));
    test_trace_release(trace);
    end();
}

static bool refuses(const char *text, const char *part)
{
    write_text("HASH/a.json", text);
    struct smc_trace *trace = read_path("HASH/a.json");
    if (trace)
        test_trace_release(trace);
    return !trace && strstr(error.message, part) && strstr(error.message, "HASH/a.json");
}

static void test_refused(void)
{
    begin();
    CU_ASSERT_TRUE(
        refuses("{\"num_warps\": 65}", "\"num_warps\" is 65, not a whole number from 1"));
    CU_ASSERT_TRUE(refuses("{\"num_warps\": 4, \"shared\": -1}", "\"shared\" is -1"));
    CU_ASSERT_TRUE(refuses("{\"num_warps\": 4, \"shared\": 1e99}", "\"shared\""));
    CU_ASSERT_TRUE(refuses("{\"num_warps\": 4, ", ":1: damaged JSON"));
    CU_ASSERT_TRUE(refuses("{\"num_warps\": 4} x", "damaged JSON"));
    end();
}

CU_TestInfo tests_trace_triton[] = {
    {"metadata", test_metadata},
    {"machine code", test_machine_code},
    {"architectures", test_architectures},
    {"clusters", test_clusters},
    {"a folder", test_folder},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
