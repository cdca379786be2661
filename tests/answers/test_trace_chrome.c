/* trace: Chrome traces of PyTorch and XLA become records; what they do not record stays unknown;
   damaged ones are refused with their place. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "answers/trace/json_stream.h"
#include "answers/trace_answer.h"
#include "base/text.h"
#include "trace_support.h"
#include "unit.h"

/* --- PyTorch ---------------------------------------------------------------------------------- */

#define GPU                                                                                        \
    "{\"id\": 3, \"name\": \"NVIDIA H200\", \"totalGlobalMem\": 150000000000,"                     \
    " \"computeMajor\": 9, \"computeMinor\": 0, \"maxThreadsPerMultiprocessor\": 2048,"            \
    " \"regsPerMultiprocessor\": 65536, \"warpSize\": 32, \"numSms\": 120}"

#define KERNEL(name, ts, dur, args)                                                                \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name                                       \
    "\", \"pid\": 3, \"tid\": 7, \"ts\": " ts ", \"dur\": " dur ", \"args\": {" args "}}"

#define ARGS                                                                                       \
    "\"device\": 3, \"stream\": 7, \"registers per thread\": 40, \"shared memory\": 5120,"         \
    " \"warps per SM\": 90.5, \"grid\": [1234, 2, 3], \"block\": [64, 4, 1],"                      \
    " \"est. achieved occupancy %\": 75"

#define TRACE(events)                                                                              \
    "{\"schemaVersion\": 1, \"deviceProperties\": [" GPU "], \"traceEvents\": [" events "]}"

static void test_kernel(void)
{
    struct smc_trace *trace =
        test_trace_read_text(TRACE(KERNEL("one", "1700000000123456.789", "12.345", ARGS) "," KERNEL(
            "one", "1700000000123500.001", "2.005", ARGS ", \"graph id\": 5")));
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 1);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_STRING_EQUAL(launch->name, "one");
    CU_ASSERT_EQUAL(launch->launches, 2);
    CU_ASSERT_EQUAL(launch->graph_launches, 1);
    CU_ASSERT_EQUAL(launch->timed_launches, 2);
    CU_ASSERT_EQUAL(launch->total_ns, 14350);
    CU_ASSERT_EQUAL(launch->least_ns, 2005);
    CU_ASSERT_EQUAL(launch->greatest_ns, 12345);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 40);
    CU_ASSERT_EQUAL(launch->smem_bytes, 5120);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(launch, NULL), 5120);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->process, SMC_TRACE_UNKNOWN);
    CU_ASSERT(launch->grid[0] == 1234 && launch->grid[1] == 2 && launch->grid[2] == 3);
    CU_ASSERT(launch->block[0] == 64 && launch->block[1] == 4 && launch->block[2] == 1);
    CU_ASSERT_DOUBLE_EQUAL(launch->recorded_occupancy_percent, 75, 0);
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_CHROME);
    CU_ASSERT_STRING_EQUAL(trace->tool, "PyTorch profiler");
    CU_ASSERT_TRUE(trace->course.begun);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "sum of static and dynamic"));
    CU_ASSERT_FALSE(test_trace_has_note(trace, "microseconds"));
    CU_ASSERT_FALSE(test_trace_has_note(trace, "--device"));
    CU_ASSERT_EQUAL_FATAL(trace->device_count, 1);
    CU_ASSERT_EQUAL(trace->devices[0].id, 3);
    CU_ASSERT_TRUE(trace->devices[0].known);
    CU_ASSERT_EQUAL(trace->devices[0].device.sm.cc, 90);
    CU_ASSERT_EQUAL(trace->devices[0].device.sm_count, 120);
    test_trace_release(trace);
}

/* The slices hold what ran when, to the nanosecond, at a clock of 10^15 microseconds. */
static void test_course(void)
{
    struct smc_trace *trace =
        test_trace_read_text(TRACE(KERNEL("a", "1700000000000000.001", "0.5", ARGS) "," KERNEL(
            "b", "1699999999999999.000", "0.002", ARGS)));
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    uint64_t ns[2] = {0, 0};
    for (size_t i = 0; i < SMC_TRACE_SLICES; i++)
        for (size_t k = 0; k < trace->course.slice[i].count; k++)
            ns[trace->course.slice[i].share[k].launch] += trace->course.slice[i].share[k].ns;
    CU_ASSERT_EQUAL(ns[0], 500);
    CU_ASSERT_EQUAL(ns[1], 2);
    CU_ASSERT_EQUAL(trace->course.begin_ns % 1000, 1);
    test_trace_release(trace);
}

/* "Kernel", whole microseconds, other keys of GPUs, members in another order, text as numbers. */
static void test_old(void)
{
    struct smc_trace *trace = test_trace_read_text(
        "[ {\"args\": {\"block\": [32, 1, 1], \"grid\": [7, 1, 1], \"registers per thread\": 16,"
        " \"shared memory\": 0, \"device\": 0}, \"dur\": \"5\", \"ts\": \"1600000000000001\","
        " \"name\": \"k\\u003cint\\u003e\\n\\\"\", \"cat\": \"Kernel\", \"ph\": \"X\"},\n"
        " {\"ph\": \"X\", \"cat\": \"Kernel\", \"name\": \"k\", \"ts\": 5, \"dur\": 6, \"args\": "
        "{}} ]");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 2);
    CU_ASSERT_STRING_EQUAL(trace->launches[0].name, "k<int>\n\"");
    CU_ASSERT_STRING_EQUAL(trace->launches[0].shown, "k<int>?\"");
    CU_ASSERT_EQUAL(trace->launches[0].total_ns, 5000);
    CU_ASSERT_EQUAL(trace->launches[0].grid[0], 7);
    CU_ASSERT_EQUAL(trace->launches[1].grid[0], 0);
    CU_ASSERT_EQUAL(trace->launches[1].device, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace->launches[1].regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace->launches[1].smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(&trace->launches[1], NULL), SMC_TRACE_UNKNOWN);
    CU_ASSERT_FALSE(trace->devices[0].known);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "whole microseconds"));
    test_trace_release(trace);
}

static void test_properties_after_events(void)
{
    struct smc_trace *trace = test_trace_read_text("{\"traceEvents\": [" KERNEL(
        "k", "1", "2",
        ARGS) "], \"computeProperties\": [{\"id\": 3,"
              " \"name\": \"Tesla V100-SXM2-16GB\", \"major\": 7, \"minor\": 0, "
              "\"multiProcessorCount\": 80,"
              " \"maxThreadsPerMultiProcessor\": 2048}], \"distributedInfo\": {\"rank\": 2,"
              " \"world_size\": 8}, \"cuda_runtime_version\": 12040}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->device_count, 1);
    CU_ASSERT_TRUE(trace->devices[0].known);
    CU_ASSERT_EQUAL(trace->devices[0].device.sm.cc, 70);
    CU_ASSERT(trace->rank == 2 && trace->world_size == 8);
    CU_ASSERT_STRING_EQUAL(trace->tool, "a Chrome trace, CUDA 12.4");
    test_trace_release(trace);
}

/* Only GPUs that ran something are devices of the trace. */
static void test_idle_gpus(void)
{
    struct smc_trace *trace = test_trace_read_text(
        "{\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-40GB\"}, " GPU "],"
        "\"traceEvents\": [" KERNEL("k", "1", "2", ARGS) "]}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->device_count, 1);
    CU_ASSERT_EQUAL(trace->devices[0].id, 3);
    test_trace_release(trace);
}

/* Kineto's estimate counts only where the grid does not limit it; 0 is none. */
static void test_recorded_occupancy(void)
{
    static const struct {
        const char *args;
        double percent;
    } cases[] = {
        {"\"warps per SM\": 48.0, \"est. achieved occupancy %\": 75", SMC_TRACE_UNKNOWN},
        {"\"warps per SM\": 64.5, \"est. achieved occupancy %\": 75", 75},
        {"\"warps per SM\": 1000, \"est. achieved occupancy %\": 0", SMC_TRACE_UNKNOWN},
        {"\"warps per SM\": 3, \"occupancy\": {\"activeBlocksPerMultiprocessor\": 5}", 62.5},
        {"\"occupancy\": {\"activeBlocksPerMultiprocessor\": 0}", SMC_TRACE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s",
                 "{\"deviceProperties\": [" GPU "], \"traceEvents\": [{\"ph\": \"X\", \"cat\":"
                 " \"kernel\", \"name\": \"k\", \"args\": {\"device\": 3, \"block\": [256, 1, 1],",
                 cases[i].args, "}}]}");
        struct smc_trace *trace = test_trace_read_text(text);
        CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
        CU_ASSERT_DOUBLE_EQUAL(trace->launches[0].recorded_occupancy_percent, cases[i].percent,
                               1e-9);
        test_trace_release(trace);
    }
}

static void test_amd(void)
{
    struct smc_trace *trace = test_trace_read_text(
        "{\"deviceProperties\": [{\"id\": 3, \"name\": \"AMD Instinct MI250X\", \"computeMajor\": "
        "9,"
        " \"computeMinor\": 0, \"maxSharedMemoryPerMultiProcessor\": 65536, \"numSms\": 110}],"
        "\"traceEvents\": [" KERNEL("k", "1", "2", "\"device\": 3, \"grid\": [8, 1, 1]") "]}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_FALSE(trace->devices[0].known);
    CU_ASSERT_EQUAL(trace->launches[0].regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(trace->launches[0].block[0], 0);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "AMD"));
    test_trace_release(trace);
}

/* --- XLA -------------------------------------------------------------------------------------- */

#define DETAILS(pid, details)                                                                      \
    "{\"ph\": \"X\", \"pid\": " pid ", \"ts\": 1.5, \"dur\": 2.25, \"name\": \"fusion_3\","        \
    " \"args\": {\"name\": \"jit(f)/add\", \"cuda_graph_id\": \"4\", \"kernel_details\": "         \
    "\"" details "\"}}"
#define ROW(pid, name)                                                                             \
    "{\"ph\": \"M\", \"pid\": " pid ", \"name\": \"process_name\", \"args\": {\"name\": \"" name   \
    "\"}},"

static void test_kernel_details(void)
{
    struct smc_trace *trace = test_trace_read_text(
        "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [" ROW("5", "/device:GPU:1")
            ROW("7", "/host:CPU") DETAILS(
                "5", "regs:33 static_shared:16\\ndynamic_shared:4096 grid:5,6,7"
                     " block:128,1,1 occ_pct:43.75") "," DETAILS("9", "regs:33 grid:1,1,1 "
                                                                      "block:4096,1,1") "]}");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 2);
    const struct smc_trace_launch *launch = trace->launches;
    CU_ASSERT_STRING_EQUAL(launch->name, "fusion_3");
    CU_ASSERT_EQUAL(launch->regs_per_thread, 33);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 16);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 4096);
    CU_ASSERT_EQUAL(launch->smem_bytes, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(smc_trace_smem_bytes(launch, NULL), 4112);
    CU_ASSERT(launch->grid[2] == 7 && launch->block[0] == 128);
    CU_ASSERT_EQUAL(launch->total_ns, 2250);
    CU_ASSERT_EQUAL(launch->graph_launches, 1);
    CU_ASSERT_DOUBLE_EQUAL(launch->recorded_occupancy_percent, 43.75, 0);
    CU_ASSERT_EQUAL_FATAL(launch->device, 0);
    CU_ASSERT_EQUAL(trace->devices[0].id, 1);
    CU_ASSERT_STRING_EQUAL(trace->tool, "XLA profiler");
    CU_ASSERT_FALSE(test_trace_has_note(trace, "--device"));
    struct smc_text warnings = {0};
    smc_trace_compare_gpus(trace, NULL, &warnings);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "--device H100"));
    CU_ASSERT_EQUAL(warnings.length, 0);
    CU_ASSERT_EQUAL(trace->launches[1].device, SMC_TRACE_UNKNOWN);
    CU_ASSERT(trace->launches[1].grid[0] == 1 && trace->launches[1].block[0] == 0);
    test_trace_release(trace);
}

#define UNNAMED(grid, blocks)                                                                      \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\", \"pid\": 1, \"ts\": 1, \"dur\": 9, "    \
    "\"args\":"                                                                                    \
    " {\"device\": 1, \"registers per thread\": 128, \"shared memory\": 0, \"blocks per "          \
    "SM\": " blocks ", \"grid\": [" grid "], \"block\": [128, 1, 1]}}"

/* Without properties of the GPUs the blocks per SM still tell how many SMs there are. */
static void test_number_of_sms(void)
{
    static const struct {
        const char *events, *note;
        uint32_t sms;
        const char *device, *warning;
    } cases[] = {
        {UNNAMED("8,12,1", "0.72727275"), "has 132 SMs", 132, "A100 80GB PCIe",
         "has 108 SMs, but the GPU of the trace has 132"},
        {UNNAMED("1,1,1", "0.00925926") "," UNNAMED("108,3,1", "3"), "has 108 SMs", 108,
         "H100 PCIe", "has 114 SMs, but the GPU of the trace has 108"},
        {UNNAMED("8,12,1", "0.72727275"), "has 132 SMs", 132, "H100 80GB HBM3", ""},
        {UNNAMED("8,12,1", "0.72727275"), "has 132 SMs", 132, "9.0", ""},
        /* Two launches that contradict each other; a number that is too short. */
        {UNNAMED("8,12,1", "0.72727275") "," UNNAMED("108,1,1", "1"), "--device H100", 0, "T4", ""},
        {UNNAMED("8,12,1", "0.7"), "--device H100", 0, "T4", ""},
        {UNNAMED("8,12,1", "0"), "--device H100", 0, "T4", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_text text = {0}, warnings = {0};
        struct smc_device device;
        char note[256];
        smc_text_printf(&text, "{\"traceEvents\": [%s]}", cases[i].events);
        struct smc_trace *trace = test_trace_read_text(smc_text_string(&text));
        CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
        CU_ASSERT_EQUAL_FATAL(trace->device_count, 1);
        CU_ASSERT_EQUAL(trace->devices[0].device.sm_count, cases[i].sms);
        CU_ASSERT_EQUAL(smc_device_find(cases[i].device, &device, note, NULL), SMC_OK);
        smc_trace_compare_gpus(trace, &device, &warnings);
        CU_ASSERT_FALSE(test_trace_has_note(trace, "does not name"));
        CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&warnings), cases[i].warning));
        CU_ASSERT_EQUAL(warnings.length == 0, !*cases[i].warning);
        smc_trace_compare_gpus(trace, NULL, &warnings);
        CU_ASSERT_TRUE(test_trace_has_note(trace, cases[i].note));
        test_trace_release(trace);
        smc_text_free(&text);
        smc_text_free(&warnings);
    }
}

/* --- Files that are not sound ----------------------------------------------------------------- */

static void test_refused(void)
{
#define ONE(args) TRACE(KERNEL("k", "1", "2", args))
    CU_ASSERT_TRUE(test_trace_refuses("{\"a\": 1}", "no array 'traceEvents'"));
    CU_ASSERT_TRUE(test_trace_refuses("{\"traceEvents\": 1}", "no array 'traceEvents'"));
    CU_ASSERT_TRUE(
        test_trace_refuses(TRACE("{\"ph\": \"X\", \"cat\": \"cpu_op\"}"), "ProfilerActivity.CUDA"));
    CU_ASSERT_TRUE(
        test_trace_refuses("{\"traceEvents\": [\n{\"ph\": \"X\", \"ca", ":2: the file ends"));
    CU_ASSERT_TRUE(
        test_trace_refuses("{\"traceEvents\": [\n\n{\"ts\": NaN}]}", ":3: not valid JSON at 'NaN"));
    CU_ASSERT_TRUE(test_trace_refuses("{\"traceEvents\": []} {}", "byte 21: not valid JSON"));
    CU_ASSERT_TRUE(
        test_trace_refuses(ONE("\"registers per thread\": 65536"), "'registers per thread'"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"registers per thread\": 1.5"), "'1.5'"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"registers per thread\": true"), "'true'"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"registers per thread\": {}"), "an object"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"shared memory\": -5"), "'shared memory'"));
    CU_ASSERT_TRUE(
        test_trace_refuses(ONE("\"grid\": [1, 2, 2147483648]"),
                           "'grid' of a kernel is '2147483648', not a whole number from 0 to "
                           "2147483647"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"block\": [1025, 1, 1]"), "from 0 to 1024"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"grid\": [1, 2, 3, 4]"), "more than three"));
    CU_ASSERT_TRUE(test_trace_refuses(ONE("\"grid\": \"1\""), "three numbers"));
    CU_ASSERT_TRUE(
        test_trace_refuses(TRACE(KERNEL("k", "\"x\"", "2", "")), "'ts' of a kernel is 'x'"));
    CU_ASSERT_TRUE(test_trace_refuses(TRACE(KERNEL("k", "1", "1e30", "")), "'dur'"));
    CU_ASSERT_TRUE(test_trace_refuses(TRACE(KERNEL("k", "1", "9e15", "")), "at most 104 days"));
    CU_ASSERT_TRUE(test_trace_refuses(TRACE(KERNEL("", "1", "1", "")), "without a name"));
#undef ONE
}

/* What does not concern a kernel is not judged. */
static void test_accepted(void)
{
    struct smc_trace *trace = test_trace_read_text(TRACE(
        "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mm\", \"ts\": \"x\", \"args\":"
        " {\"grid\": \"y\", \"registers per thread\": -7}}, null, 7, [[]], "
        "{\"ph\": \"B\", \"cat\": \"kernel\", \"name\": \"b\"},"
        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\", \"name\": \"k\\u0000\xff\", \"ts\":"
        " -5, \"dur\": -1, \"args\": {\"grid\": null, \"registers per thread\": null}}"));
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 1);
    CU_ASSERT_STRING_EQUAL(trace->launches[0].shown, "k??");
    CU_ASSERT_EQUAL(trace->launches[0].timed_launches, 0);
    CU_ASSERT_EQUAL(trace->launches[0].launches, 1);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "1 launch was recorded without a valid duration"));
    CU_ASSERT_TRUE(test_trace_has_note(trace, "1 kernel events without a duration of their own"));
    CU_ASSERT_FALSE(trace->course.begun);
    test_trace_release(trace);
}

/* The last bracket of a bare array is optional. */
static void test_unclosed(void)
{
    struct smc_trace *trace =
        test_trace_read_text("\xef\xbb\xbf [" KERNEL("k", "1", "2", ARGS) ",\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_TRUE(test_trace_has_note(trace, "not closed"));
    test_trace_release(trace);
}

static void fill(struct smc_text *text, const char *part, size_t times)
{
    for (size_t i = 0; i < times; i++)
        smc_text_append(text, part);
}

static void test_limits(void)
{
    struct smc_text text = {0};
    fill(&text, "[", 64);
    CU_ASSERT_TRUE(test_trace_refuses(smc_text_string(&text), "ends in the middle"));
    smc_text_append(&text, "[");
    CU_ASSERT_TRUE(test_trace_refuses(smc_text_string(&text), "more than 64 deep"));
    smc_text_free(&text);

    smc_text_append(&text, "[{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"");
    smc_text_append_char(&text, 'n', SMC_JSON_LONGEST);
    smc_text_append(&text, "\"}]");
    struct smc_trace *trace = test_trace_read_text(smc_text_string(&text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(strlen(trace->launches[0].name), SMC_JSON_LONGEST);
    test_trace_release(trace);
    smc_text_free(&text);

    smc_text_append(&text, "[\"");
    fill(&text, "\\n\\u00e9", SMC_JSON_LONGEST);
    CU_ASSERT_TRUE(test_trace_refuses(smc_text_string(&text), "longer than 1 MiB"));
    smc_text_free(&text);
    smc_text_append(&text, "[1");
    smc_text_append_char(&text, '0', 2 * SMC_JSON_LONGEST);
    CU_ASSERT_TRUE(test_trace_refuses(smc_text_string(&text), "longer than 1 MiB"));
    smc_text_free(&text);
}

#define CHUNK_ARGS                                                                                 \
    "\"registers per thread\": 40, \"grid\": [1234, 2, 3], \"block\": [64, 4, 1],\n"               \
    "\"Input Dims\": [[1, 2.5e-3], [[]], {\"\\u0041\": null}], \"ok\": true"

/* Values are divided into chunks at any byte. */
static void test_chunks(void)
{
    struct smc_text text = {0};
    smc_text_append(&text, "[");
    for (int i = 0; i < 2000; i++)
        smc_text_printf(&text,
                        "%s{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k\\u00e9\\\\%d\",\n"
                        "\"ts\": %d.%03d, \"dur\": 1.001, \"args\": {" CHUNK_ARGS "}}",
                        i ? ",\n" : "", i % 7, i, i % 1000);
    smc_text_append(&text, "]");
    struct smc_trace *trace = test_trace_read_text(smc_text_string(&text));
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->launch_count, 7);
    uint64_t launches = 0, ns = 0;
    for (size_t i = 0; i < trace->launch_count; i++) {
        launches += trace->launches[i].launches;
        ns += trace->launches[i].total_ns;
    }
    CU_ASSERT_EQUAL(launches, 2000);
    CU_ASSERT_EQUAL(ns, 2000 * 1001);
    test_trace_release(trace);
    smc_text_free(&text);
}

/* --- gzip ------------------------------------------------------------------------------------- */

#ifdef HAVE_ZLIB
static size_t compress_text(const char *text, char *packed, size_t capacity)
{
    z_stream stream = {0};
    CU_ASSERT_EQUAL_FATAL(
        deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)strlen(text);
    stream.next_out = (unsigned char *)packed;
    stream.avail_out = (unsigned)capacity;
    CU_ASSERT_EQUAL(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t count = capacity - stream.avail_out;
    deflateEnd(&stream);
    return count;
}

static void test_gzip(void)
{
    char packed[4096];
    size_t count = compress_text("[" KERNEL("k", "1", "2", ARGS), packed, sizeof packed);
    const size_t first = count;
    count +=
        compress_text("," KERNEL("k", "1", "2", ARGS) "]", packed + count, sizeof packed - count);
    struct smc_trace *trace = test_trace_read(packed, count, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL(trace->launches[0].launches, 2);
    CU_ASSERT_FALSE(test_trace_has_note(trace, "not closed"));
    test_trace_release(trace);

    CU_ASSERT_PTR_NULL(test_trace_read(packed, first - 9, NULL));
    CU_ASSERT_PTR_NOT_NULL(strstr(test_trace_error.message, "ends early"));
    packed[first - 6] ^= 1;
    CU_ASSERT_PTR_NULL(test_trace_read(packed, count, NULL));
    CU_ASSERT_PTR_NOT_NULL(strstr(test_trace_error.message, "damaged"));
    CU_ASSERT_PTR_NULL(test_trace_read(packed, 3, NULL));
}
#endif

/* --- Numbers ---------------------------------------------------------------------------------- */

static void test_decimal(void)
{
    static const struct {
        const char *text;
        unsigned decimals;
        int64_t number; /* -99: refused */
    } cases[] = {
        {"0", 3, 0},
        {"1621401187223197.5", 3, 1621401187223197500},
        {"1621401187223197.5004999", 3, 1621401187223197500},
        {"1621401187223197.5005", 3, 1621401187223197501},
        {"1.6e15", 3, 1600000000000000000},
        {"-2.5E-1", 3, -250},
        {"0.0005", 3, 1},
        {"0.00049999999999999999999999999", 3, 0},
        {"9223372036854775807", 0, INT64_MAX},
        {"9223372036854775808", 0, -99},
        {"9223372036854775", 3, 9223372036854775000},
        {"92233720368547758", 3, -99},
        {"1e400", 0, -99},
        {"1e-400", 0, 0},
        {"0e999999999999", 0, 0},
        {"12345678901234567890123e-10", 0, 1234567890123},
        {"", 0, -99},
        {"-", 0, -99},
        {".", 0, -99},
        {"1e", 0, -99},
        {"1x", 0, -99},
        {" 1", 0, -99},
        {"0x10", 0, -99},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number = -99;
        const struct smc_json_value value = {SMC_JSON_STRING, cases[i].text, strlen(cases[i].text)};
        CU_ASSERT_EQUAL(smc_json_decimal(&value, cases[i].decimals, &number),
                        cases[i].number != -99);
        CU_ASSERT_EQUAL(number, cases[i].number);
    }
}

CU_TestInfo tests_trace_chrome[] = {
    {"a kernel of PyTorch", test_kernel},
    {"the course", test_course},
    {"older traces", test_old},
    {"properties after the events", test_properties_after_events},
    {"idle GPUs", test_idle_gpus},
    {"recorded occupancy", test_recorded_occupancy},
    {"AMD", test_amd},
    {"kernels of XLA", test_kernel_details},
    {"the number of SMs from blocks per SM", test_number_of_sms},
    {"refused", test_refused},
    {"accepted", test_accepted},
    {"an unclosed array", test_unclosed},
    {"limits", test_limits},
    {"chunks", test_chunks},
#ifdef HAVE_ZLIB
    {"gzip", test_gzip},
#endif
    {"decimals", test_decimal},
    CU_TEST_INFO_NULL,
};
