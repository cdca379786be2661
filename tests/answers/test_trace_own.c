/* trace: what `smemcalc trace --format json` wrote is read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace_answer.h"
#include "show/report/report.h"
#include "trace_support.h"
#include "unit.h"

#define HEAD "{\"schema\": \"smemcalc/1\", \"trace\": {"
#define REST                                                                                       \
    "}, \"devices\": [{\"id\": 4, \"known\": true, \"name\": \"NVIDIA H100 PCIe\","                \
    " \"compute_capability\": \"9.0\", \"sm_count\": 100}], \"processes\": [{\"id\": 77,"          \
    " \"command\": \"./a\"}], \"modules\": [{\"file\": \"/m/x.cubin\"}], \"kernels\": ["
#define FULL                                                                                       \
    "{\"name\": \"k(int)\", \"mangled_name\": \"_Z1ki\", \"device\": 0, \"process\": 0,"           \
    " \"module\": 0, \"launches\": 9, \"graph_launches\": 4, \"timed_launches\": 8,"               \
    " \"total_ms\": 1234567.891234, \"least_ms\": 1e-06, \"greatest_ms\": 123456.789,"             \
    " \"grid_dim\": [9, 8, 7], \"block_dim\": [64, 2, 1], \"cluster_dim\": [3, 1, 1],"             \
    " \"registers_per_thread\": 77, \"static_smem_bytes\": 100, \"dynamic_smem_bytes\": 200,"      \
    " \"smem_bytes\": 300, \"carveout_percent\": 60, \"cache_config\": \"equal\","                 \
    " \"smem_configured_bytes\": 102400, \"api_blocks_per_sm\": 6,"                                \
    " \"recorded_occupancy_percent\": 37.5, \"achieved_occupancy_percent\": 31.25}"
#define ENDING "]}"

static void test_all_members(void)
{
    struct smc_trace *trace = test_trace_read_text(
        HEAD "\"source\": \"nsight_systems\", \"program\": \"./a --x\", \"tool\": \"T 1\","
             " \"exit_status\": 3, \"exit_signal\": null, \"skipped_launches\": 5,"
             " \"launches_unknown\": true, \"notes\": [\"one\", \"two\"]" REST FULL
             "], \"course\": {\"begin_ns\": 50, \"slice_ns\": 4000, \"slices\": [[], [0, 7]]}}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_NSIGHT_SYSTEMS);
    CU_ASSERT_STRING_EQUAL(trace->program, "./a --x");
    CU_ASSERT_STRING_EQUAL(trace->tool, "T 1");
    CU_ASSERT(trace->has_exit && trace->exit_status == 3 && trace->exit_signal == 0);
    CU_ASSERT_EQUAL(trace->skipped, 5);
    CU_ASSERT_TRUE(trace->launches_unknown);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&trace->notes), "one\ntwo\n");
    CU_ASSERT_EQUAL(trace->devices[0].id, 4);
    CU_ASSERT_EQUAL(trace->devices[0].device.sm_count, 100);
    CU_ASSERT_STRING_EQUAL(trace->processes[0].command, "./a");
    CU_ASSERT_STRING_EQUAL(trace->modules[0].file, "/m/x.cubin");
    CU_ASSERT_STRING_EQUAL(launch->name, "_Z1ki");
    CU_ASSERT(launch->device == 0 && launch->process == 0 && launch->module == 0);
    CU_ASSERT(launch->launches == 9 && launch->graph_launches == 4 && launch->timed_launches == 8);
    CU_ASSERT_EQUAL(launch->total_ns, 1234567891234);
    CU_ASSERT_EQUAL(launch->least_ns, 1);
    CU_ASSERT_EQUAL(launch->greatest_ns, 123456789000);
    CU_ASSERT(launch->grid[0] == 9 && launch->block[1] == 2 && launch->cluster[0] == 3);
    CU_ASSERT(launch->static_smem_bytes == 100 && launch->dynamic_smem_bytes == 200);
    CU_ASSERT_EQUAL(launch->smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT(launch->carveout_percent == 60 && launch->cache_config == SMC_CACHE_PREFER_EQUAL);
    CU_ASSERT(launch->smem_configured_bytes == 102400 && launch->api_blocks_per_sm == 6);
    CU_ASSERT(launch->recorded_occupancy_percent == 37.5);
    CU_ASSERT(launch->achieved_occupancy_percent == 31.25);
    CU_ASSERT(trace->course.begin_ns == 50 && trace->course.slice_ns == 4000);
    CU_ASSERT_EQUAL(trace->course.slice[0].count, 0);
    CU_ASSERT_EQUAL_FATAL(trace->course.slice[1].count, 1);
    CU_ASSERT_EQUAL(trace->course.slice[1].share[0].ns, 7);
    test_trace_release(trace);
}

static void test_unknown(void)
{
    struct smc_trace *trace = test_trace_read_text(
        HEAD REST "{\"name\": \"k\", \"launches\": 2, \"device\": null, \"grid_dim\":"
                  " null, \"smem_bytes\": 64, \"carveout_percent\": -1}" ENDING);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_SMEMCALC);
    CU_ASSERT_FALSE(trace->has_exit);
    CU_ASSERT(launch->device == -1 && launch->process == -1 && launch->module == -1);
    CU_ASSERT(launch->grid[0] == 0 && launch->regs_per_thread == -1);
    CU_ASSERT(launch->static_smem_bytes == -1 && launch->dynamic_smem_bytes == -1);
    CU_ASSERT(launch->smem_bytes == 64 && launch->timed_launches == 0);
    CU_ASSERT(launch->carveout_percent == SMC_CARVEOUT_DEFAULT && launch->cache_config == -1);
    CU_ASSERT(launch->api_blocks_per_sm == -1 && launch->recorded_occupancy_percent == -1);
    CU_ASSERT_FALSE(trace->course.begun);
    test_trace_release(trace);
}

/* A GPU whose name is empty is one without a name: it is called by its compute capability. */
static void test_unnamed_device(void)
{
    struct smc_trace *trace = test_trace_read_text(
        HEAD "}, \"devices\": [{\"id\": 4, \"name\": \"\", \"compute_capability\": \"9.0\"}],"
             " \"kernels\": [{\"name\": \"k\", \"launches\": 1, \"device\": 0}]}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_STRING_EQUAL(trace->devices[0].device.name, "compute capability 9.0");
    test_trace_release(trace);
}

/* A part of a report, as --top writes it. */
static void test_part(void)
{
    struct smc_trace *trace = test_trace_read_text(
        HEAD "}, \"summary\": {\"configurations\": 12}, \"kernels\": [{\"name\": \"k\"}]}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&trace->notes), "only 1 of 12 configurations"));
    test_trace_release(trace);
}

/* What the filter leaves out is in no slice. */
static void test_filter(void)
{
    static const char *const patterns[] = {"b"};
    const struct smc_trace_filter filter = {.patterns = patterns, .pattern_count = 1, .skip = 1};
    static const char text[] =
        HEAD REST "{\"name\": \"a\", \"launches\": 4}, {\"name\": \"b\", \"launches\": 4}],"
                  " \"course\": {\"begin_ns\": 0, \"slice_ns\": 9, \"slices\": [[0, 5, 1, 6]]}}";
    struct smc_trace *trace = test_trace_read(text, sizeof text - 1, &filter);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->course.slice[0].count, 1);
    CU_ASSERT_EQUAL(trace->course.slice[0].share[0].ns, 6);
    CU_ASSERT_EQUAL(trace->launches[trace->course.slice[0].share[0].launch].launches, 3);
    test_trace_release(trace);
}

/* Reads a trace of any kind and writes it as JSON. */
static void rewrite(const char *text, struct smc_text *out)
{
    const struct smc_report_style style = {.columns = 80};
    struct smc_trace_answer answer;
    struct smc_trace *trace = test_trace_read_text(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(smc_trace_answer_on(trace, NULL, &answer, &test_trace_error), SMC_OK);
    out->style = &style;
    smc_writer_json.trace(&answer, out);
    out->style = NULL;
    smc_trace_answer_free(&answer);
    test_trace_release(trace);
}

/* What is read from a report makes the same report. */
static void test_round_trip(void)
{
    struct smc_text recorded = {0}, first = {0}, second = {0};
    smc_text_append(&recorded,
                    "{\"deviceProperties\": [{\"id\": 2, \"name\": \"NVIDIA A100-SXM4-80GB\","
                    " \"computeMajor\": 8, \"computeMinor\": 0, \"numSms\": 90}, {\"id\": 5,"
                    " \"name\": \"NVIDIA of 2099\"}], \"traceEvents\": [");
    for (int i = 0; i < 300; i++)
        smc_text_printf(
            &recorded,
            "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"_Z%dkernel%02dPf\", \"ts\": "
            "%d.%03d,"
            " \"dur\": %d.%03d, \"args\": {\"device\": %d, \"registers per thread\": %d,"
            " \"shared memory\": %d, \"grid\": [%d, 1, 1], \"block\": [%d, 1, 1], \"graph id\": "
            "%d}}",
            i ? ", " : "", 8, i % 13, 100 + 17 * i, i, 1 + i % 11, 3 * i, i % 3 ? 2 : 5,
            16 + i % 13, i % 13 * 1000, 50 + i % 5, 32 * (1 + i % 13), i % 4);
    smc_text_append(&recorded, "]}");
    rewrite(smc_text_string(&recorded), &first);
    rewrite(smc_text_string(&first), &second);
    CU_ASSERT_STRING_EQUAL(smc_text_string(&first), smc_text_string(&second));
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&first), "\"slices\""));
    smc_text_free(&recorded);
    smc_text_free(&first);
    smc_text_free(&second);
}

static void test_refused(void)
{
#define KERNEL(members) HEAD REST "{\"name\": \"k\", " members "}" ENDING
    CU_ASSERT_TRUE(
        test_trace_refuses("{\"schema\": \"smemcalc/1\", \"kernels\": []}", "another command"));
    CU_ASSERT_TRUE(
        test_trace_refuses("{\"schema\": \"smemcalc/1\", \"kernels\": [", ":1: damaged JSON"));
    CU_ASSERT_TRUE(
        test_trace_refuses(KERNEL("\"launches\": 0"),
                           "kernels, element 0: \"launches\" is 0, not a whole number from 1"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"launches\": 1.5"), "\"launches\" is 1.5"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"launches\": 1, \"launches\": 2"), "damaged JSON"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"timed_launches\": 2"), "at least as many"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"device\": 1"), "\"device\" is 1"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"module\": -1"), "\"module\" is -1"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"grid_dim\": [1, 2]"), "\"grid_dim\" is [1,2]"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"grid_dim\": [1, 2, 0]"), "three whole numbers"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"total_ms\": -1"), "\"total_ms\" is -1"));
    CU_ASSERT_TRUE(test_trace_refuses(KERNEL("\"total_ms\": \"1\""), "a number from 0"));
    CU_ASSERT_TRUE(
        test_trace_refuses(KERNEL("\"cache_config\": \"most\""), "none, shared, l1 or equal"));
    CU_ASSERT_TRUE(test_trace_refuses(HEAD REST "7" ENDING, "the name of a kernel"));
    CU_ASSERT_TRUE(test_trace_refuses(HEAD REST "{\"launches\": 1}" ENDING, "\"name\" is missing"));
    CU_ASSERT_TRUE(
        test_trace_refuses(HEAD "\"exit_status\": 999" REST ENDING, "\"exit_status\" is 999"));
    CU_ASSERT_TRUE(
        test_trace_refuses(HEAD "}, \"devices\": [7], \"kernels\": []}", "not an object"));
    CU_ASSERT_TRUE(test_trace_refuses(
        HEAD "}, \"devices\": [{\"compute_capability\": \"x\"}], \"kernels\": []}",
        "a compute capability"));
#define COURSE(members) HEAD REST "], \"course\": {" members "}}"
    CU_ASSERT_TRUE(test_trace_refuses(COURSE("\"slice_ns\": 0"), "\"slice_ns\" is 0"));
    CU_ASSERT_TRUE(test_trace_refuses(COURSE("\"slice_ns\": 9, \"slices\": [[0, 1]]"), "pairs of"));
#undef COURSE
#undef KERNEL
}

CU_TestInfo tests_trace_own[] = {
    {"all members", test_all_members},
    {"unknown members", test_unknown},
    {"round trip", test_round_trip},
    {"a GPU without a name", test_unnamed_device},
    {"a part", test_part},
    {"filtered", test_filter},
    {"refused", test_refused},
    CU_TEST_INFO_NULL,
};
