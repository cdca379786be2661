/* Tables of launches that nsys stats and nvprof print: layouts, units, sizes, what is around. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_support.h"
#include "unit.h"

#define NSYS_HEADER                                                                                \
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "  \
    "(MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
#define NSYS_GEMM                                                                                  \
    "9961685,2707098,67,1,2,2304,128,2,1,160,0.000,0.025,,,,,NVIDIA A100-SXM4-40GB "               \
    "(1),1,,7,\"gemm(int, float)\"\n"
#define NSYS_COPY                                                                                  \
    "1134711,661398,123,,,,,,,,,,4.194,6337.593,Pinned,Device,NVIDIA A100 (0),1,,13,[CUDA memcpy " \
    "Host-to-Device]\n"

#define NVPROF_HEADER                                                                              \
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block "     \
    "Z\",\"Registers Per Thread\",\"Static SMem\",\"Dynamic "                                      \
    "SMem\",\"Size\",\"Throughput\",\"Device\",\"Context\",\"Stream\",\"Name\",\"Correlation_"     \
    "ID\"\n"                                                                                       \
    "us,us,,,,,,,,KB,KB,KB,GB/s,,,,,\n"
#define NVPROF_KERNEL(name, smem)                                                                  \
    "25.000000,61.888000,4096,1,1,256,1,1,40," smem                                                \
    ",0.000000,,,\"GeForce RTX 2080 Ti (0)\",\"1\",\"7\",\"" name "\",104\n"
#define NVPROF_COPY(size)                                                                          \
    "0.000000,1.888000,,,,,,,,,," size                                                             \
    ",0.5,\"GeForce RTX 2080 Ti (0)\",\"1\",\"7\",\"[CUDA memcpy HtoD]\",100\n"

/* The only launch of the text; `trace` is to be released. */
static const struct smc_trace_launch *read_one(const char *text, struct smc_trace **trace)
{
    *trace = test_trace_read_text(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(*trace);
    CU_ASSERT_EQUAL_FATAL((*trace)->launch_count, 1);
    return &(*trace)->launches[0];
}

static void test_nsys_csv(void)
{
    struct smc_trace *trace;
    const struct smc_trace_launch *launch =
        read_one("NOTICE: Existing SQLite export found: x.sqlite\n"
                 "Processing [x.sqlite] with [cuda_gpu_trace.py]... \n" NSYS_HEADER NSYS_COPY
                     NSYS_GEMM NSYS_GEMM,
                 &trace);
    CU_ASSERT_STRING_EQUAL(launch->name, "gemm(int, float)");
    CU_ASSERT_EQUAL(launch->launches, 2);
    CU_ASSERT_EQUAL(launch->total_ns, 2 * 2707098);
    CU_ASSERT(launch->grid[0] == 1 && launch->grid[1] == 2 && launch->grid[2] == 2304);
    CU_ASSERT(launch->block[0] == 128 && launch->block[1] == 2 && launch->block[2] == 1);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 160);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 0);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 24576);
    CU_ASSERT_EQUAL(trace->devices[launch->device].id, 1);
    CU_ASSERT_STRING_EQUAL(trace->devices[launch->device].device.name, "NVIDIA A100-SXM4-40GB");
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_NSIGHT_SYSTEMS);
    CU_ASSERT(test_trace_has_note(trace, "passed over: 1 row, such as memory copies"));
    CU_ASSERT(test_trace_has_note(trace, "rounded in the table"));
    test_trace_release(trace);
}

/* "StcSMem (MB)" is written to three digits: 500 bytes more or less. */
static void test_sizes_of_nsys(void)
{
    static const struct {
        const char *unit, *printed;
        int64_t bytes;
    } cases[] = {
        {"MB", "0.000", 0},         {"MB", "0.025", 24576},    {"MB", "0.007", 7168},
        {"MB", "0.049", 49152},     {"MB", "0.066", 65536},    {"MB", "0.101", 101376},
        {"MB", "0.021", -1}, /* 20 KB are 20480, 21 KB are 21504 */
        {"MB", "0.024576", 24576},  {"MB", "0.024580", 24580}, {"B", "24580", 24580},
        {"KB", "24.580", 24580},    {"KiB", "24.000", 24576},  {"KiB", "1.500", 1536},
        {"MiB", "0.023438", 24576}, /* or 24577 */
        {"parsecs", "1", -1},       {"MB", "1e9", -1},         {"MB", "-1", -1},
        {"MB", "99999999.000", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct smc_trace *trace;
        snprintf(text, sizeof text,
                 "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                 "(MB),DymSMem (%s),Name\n1,2,1,1,1,64,1,1,32,0.000,%s,f\n",
                 cases[i].unit, cases[i].printed);
        const int64_t bytes = read_one(text, &trace)->dynamic_smem_bytes;
        CU_ASSERT_EQUAL(bytes, cases[i].bytes);
        if (cases[i].bytes < 0)
            CU_ASSERT(test_trace_has_note(trace, "unknown for 1 of 1 launches"));
        test_trace_release(trace);
    }
}

static void test_nsys_columns(void)
{
    struct smc_trace *trace;
    const struct smc_trace_launch *launch = read_one(
        "\n ** CUDA GPU Trace (cuda_gpu_trace):\n\n"
        " Start (ns)   Duration (ns)  GrdX  GrdY  GrdZ  BlkX  BlkY  BlkZ  Reg/Trd  StcSMem (MB)  "
        "DymSMem (MB)  Bytes (MB)         Device        Strm  Name\n"
        " -----------  -------------  ----  ----  ----  ----  ----  ----  -------  ------------  "
        "------------  ----------  -------------------  ----  --------------\n"
        " 609,104,210        150,367                                                             "
        "                   0.200  NVIDIA H200 (0)         7  [CUDA memcpy]\n"
        " 609,380,497      2,004,480   196     1     1   256     1     1       16         0.001  "
        "       0.049              NVIDIA H200 (0)         7  add(float *, float *)\n\n"
        " ** CUDA API Summary (cuda_api_sum):\n\n"
        " Time (%)  Total Time (ns)  Num Calls  Min (ns)  Name\n"
        " --------  ---------------  ---------  --------  ----------\n"
        "     97.7       84,000,000          3       100  cudaMalloc\n",
        &trace);
    CU_ASSERT_STRING_EQUAL(launch->name, "add(float *, float *)");
    CU_ASSERT_EQUAL(launch->total_ns, 2004480);
    CU_ASSERT(launch->grid[0] == 196 && launch->block[0] == 256);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 16);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 1024);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 49152);
    CU_ASSERT_STRING_EQUAL(trace->devices[0].device.name, "NVIDIA H200");
    test_trace_release(trace);
}

/* Grids and blocks with counts, but without registers. */
static void test_nsys_by_grid(void)
{
    struct smc_trace *trace;
    const struct smc_trace_launch *launch = read_one(
        "Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),GridXYZ,BlockXYZ,Name\n"
        "100.0,300,3,100.0,90,110,  196    2    1,  256    1    1,f\n",
        &trace);
    CU_ASSERT_EQUAL(launch->launches, 3);
    CU_ASSERT(launch->total_ns == 300 && launch->least_ns == 90 && launch->greatest_ns == 110);
    CU_ASSERT(launch->grid[0] == 196 && launch->grid[1] == 2 && launch->block[0] == 256);
    CU_ASSERT_EQUAL(launch->regs_per_thread, SMC_TRACE_UNKNOWN);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, SMC_TRACE_UNKNOWN);
    test_trace_release(trace);
}

/* Other separators, units of older releases, and line ends of Windows. */
static void test_nsys_variants(void)
{
    static const char *const texts[] = {
        "Start(nsec)\tDuration(nsec)\tGrdX\tGrdY\tGrdZ\tBlkX\tBlkY\tBlkZ\tReg/Trd\tName\r\n"
        "5\t7000\t1\t1\t1\t64\t1\t1\t32\tf(int, int)\r\n",
        "Start (us),Duration (us),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Name\n"
        "0.005,7.000,1,1,1,64,1,1,32,\"f(int, int)\"\n",
        "+--------+----+\n"
        "| Start (ns) | Duration (ns) | GrdX | GrdY | GrdZ | BlkX | BlkY | BlkZ | Reg/Trd | Name "
        "|\n"
        "+========+====+\n"
        "| 5 | 7,000 | 1 | 1 | 1 | 64 | 1 | 1 | 32 | f(int, int) |\n"
        "+--------+----+\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct smc_trace *trace;
        const struct smc_trace_launch *launch = read_one(texts[i], &trace);
        CU_ASSERT_STRING_EQUAL(launch->name, "f(int, int)");
        CU_ASSERT_EQUAL(launch->total_ns, 7000);
        CU_ASSERT_EQUAL(launch->block[0], 64);
        CU_ASSERT_EQUAL(launch->regs_per_thread, 32);
        test_trace_release(trace);
    }
}

static void test_nvprof_csv(void)
{
    struct smc_trace *trace;
    const struct smc_trace_launch *launch =
        read_one("==15562== NVPROF is profiling process 15562, command: ./app -n 3\n"
                 "==15562== Warning: 7 records were dropped\n"
                 "==15562== Profiling result:\n" NVPROF_HEADER NVPROF_COPY("1.003906")
                     NVPROF_KERNEL("f(int, float*) [12]", "8.000000"),
                 &trace);
    CU_ASSERT_STRING_EQUAL(launch->name, "f(int, float*)");
    CU_ASSERT_EQUAL(launch->total_ns, 61888);
    CU_ASSERT(launch->grid[0] == 4096 && launch->block[0] == 256);
    CU_ASSERT_EQUAL(launch->regs_per_thread, 40);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 8192); /* 1.003906 KB are 1028 bytes of 1024 a KB */
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 0);
    CU_ASSERT_STRING_EQUAL(trace->devices[0].device.name, "GeForce RTX 2080 Ti");
    CU_ASSERT_STRING_EQUAL(trace->processes[launch->process].command, "./app -n 3");
    CU_ASSERT_EQUAL(trace->processes[launch->process].id, 15562);
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_NVPROF);
    CU_ASSERT(test_trace_has_note(trace, "nvprof: Warning: 7 records were dropped"));
    CU_ASSERT_FALSE(test_trace_has_note(trace, "KB"));
    test_trace_release(trace);
}

/* A KB of nvprof has 1000 bytes before CUDA 8, and 1024 since. */
static void test_kb_of_nvprof(void)
{
    static const struct {
        const char *text;
        int64_t bytes;
        const char *note;
    } cases[] = {
        {NVPROF_HEADER NVPROF_KERNEL("f", "8.192000"), 8192, NULL},
        {NVPROF_HEADER NVPROF_KERNEL("f", "8.015625"), 8208, NULL},
        {NVPROF_HEADER NVPROF_COPY("1.028000") NVPROF_KERNEL("f", "8.000000"), 8000, NULL},
        {NVPROF_HEADER NVPROF_KERNEL("f", "8.000000"), 8192, "KB is taken as 1024 bytes"},
        {NVPROF_HEADER NVPROF_KERNEL("f", "0.000000"), 0, NULL},
        {NVPROF_HEADER NVPROF_COPY("1.028000") NVPROF_COPY("1.003906")
             NVPROF_KERNEL("f", "8.000000"),
         -1, "unknown for 1 of 1 launches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_trace *trace;
        CU_ASSERT_EQUAL(read_one(cases[i].text, &trace)->static_smem_bytes, cases[i].bytes);
        CU_ASSERT_EQUAL(test_trace_has_note(trace, cases[i].note ? cases[i].note : "KB"),
                        cases[i].note != NULL);
        test_trace_release(trace);
    }
}

static void test_nvprof_text(void)
{
    struct smc_trace *trace;
    const struct smc_trace_launch *launch = read_one(
        "==27706== NVPROF is profiling process 27706, command: matrixMul\n"
        "MatrixA(320,320), MatrixB(640,320)\n"
        "==27706== Profiling result:\n"
        "   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*     "
        " "
        "Size  Throughput           Device   Context    Stream  Name\n"
        "133.81ms  135.78us                    -               -         -         -         -  "
        "409.60KB  3.0167GB/s  GeForce GT 640M         1         2  [CUDA memcpy HtoD]\n"
        "134.90ms  3.7037ms            (20 10 1)       (32 32 1)        29  8.1920KB        0B     "
        "    -           -  GeForce GT 640M         1         2  mul(float*, int) [94]\n\n"
        "Regs: Number of registers used per CUDA thread.\n",
        &trace);
    CU_ASSERT_STRING_EQUAL(launch->name, "mul(float*, int)");
    CU_ASSERT_EQUAL(launch->total_ns, 3703700);
    CU_ASSERT(launch->grid[0] == 20 && launch->grid[1] == 10 && launch->block[1] == 32);
    CU_ASSERT_EQUAL(launch->static_smem_bytes, 8192);
    CU_ASSERT_EQUAL(launch->dynamic_smem_bytes, 0);
    CU_ASSERT_EQUAL(trace->devices[0].device.sm.cc, 30);
    test_trace_release(trace);
}

/* Several reports follow each other: those without launches are passed over. */
static void test_several_reports(void)
{
    struct smc_trace *trace = test_trace_read_text(
        "Processing [x.sqlite] with [cuda_gpu_kern_sum.py]...\n"
        "Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),Name\n"
        "100.0,179106560,61,2936173.1,2864096,3829824,f\n\n"
        "Processing [x.sqlite] with [cuda_gpu_trace.py]...\n" NSYS_HEADER NSYS_GEMM "\n"
        "Processing [x.sqlite] with [cuda_api_trace.py]...\n"
        "Start (ns),Duration (ns),Name,Result,CorrID\n1,2,cudaMalloc,0,3\n\n" NSYS_HEADER
            NSYS_GEMM);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    CU_ASSERT_EQUAL_FATAL(trace->launch_count, 1);
    CU_ASSERT_EQUAL(trace->launches[0].launches, 2);
    test_trace_release(trace);
}

/* The program's own output may be long. */
static void test_long_output(void)
{
    struct smc_trace *trace;
    struct smc_text text = {0};
    for (int i = 0; i < 1000; i++)
        smc_text_printf(&text, "step %d of the program\n", i);
    smc_text_append(&text,
                    "Processing [x.sqlite] with [cuda_gpu_trace.py]...\n" NSYS_HEADER NSYS_GEMM);
    const struct smc_trace_launch *launch = read_one(smc_text_string(&text), &trace);
    CU_ASSERT_STRING_EQUAL(launch->name, "gemm(int, float)");
    CU_ASSERT_STRING_EQUAL(trace->tool, "Nsight Systems (nsys stats)");
    CU_ASSERT_EQUAL(trace->source, SMC_TRACE_NSIGHT_SYSTEMS);
    test_trace_release(trace);
    text.length -= 30;
    text.data[text.length] = '\0';
    CU_ASSERT(test_trace_refuses(smc_text_string(&text), "the row does not fit the 21 columns"));
    smc_text_free(&text);
}

static void test_refused_tables(void)
{
    CU_ASSERT(test_trace_refuses(
        "Time (%),Total Time (ns),Instances,Avg (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        "100.0,179106560,61,2936173.1,2864096,3829824,169012.8,\"f(int, float)\"\n",
        "a summary of kernels or calls, without the grid, block, registers and shared memory"));
    CU_ASSERT(test_trace_refuses(
        "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n"
        ",%,ms,,us,us,us,\n\"GPU activities\",96.2,1.2,3,400,390,410,\"f\"\n",
        "nsys export --type sqlite"));
    CU_ASSERT(test_trace_refuses("==3== NVPROF is profiling process 3, command: x\n",
                                 "no table of launches, without"));
    CU_ASSERT(test_trace_refuses(NSYS_HEADER NSYS_GEMM "9961685,2707098,67,1,1,23",
                                 ":3: the row does not fit the 21 columns"));
    CU_ASSERT(test_trace_refuses(NVPROF_HEADER "25.000000,61.888000,4096,1,1,256,1,1,40,8.0,0.0,,,"
                                               "\"GeForce RTX 2080 Ti (0)\",\"1\",\"7\",\"f(in",
                                 "the file is damaged or was cut"));
    CU_ASSERT(test_trace_refuses(NSYS_HEADER "12,,67,1,1,1,1,1,1,1,,,,,,,,,,,f\n", ":2: the row"));
}

/* Whatever a file is cut to, it is refused with one line or read. */
static void test_cut_files(void)
{
    static const char *const texts[] = {
        NSYS_HEADER NSYS_COPY NSYS_GEMM,
        "==3== NVPROF is profiling process 3, command: x\n" NVPROF_HEADER NVPROF_COPY("1.003906")
            NVPROF_KERNEL("f [1]", "8.000000"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t length = 0; length < strlen(texts[i]); length++) {
            struct smc_trace *trace = test_trace_read(texts[i], length, NULL);
            CU_ASSERT(trace || !strchr(test_trace_error.message, '\n'));
            if (trace)
                test_trace_release(trace);
        }
}

CU_TestInfo tests_trace_tables[] = {
    {"the launches of nsys stats in CSV", test_nsys_csv},
    {"sizes in MB that nsys stats rounds", test_sizes_of_nsys},
    {"the launches of nsys stats in columns", test_nsys_columns},
    {"the kernels of nsys stats by grid and block", test_nsys_by_grid},
    {"separators, units and line ends of nsys stats", test_nsys_variants},
    {"the launches of nvprof in CSV", test_nvprof_csv},
    {"how many bytes a KB of nvprof has", test_kb_of_nvprof},
    {"the launches of nvprof in columns", test_nvprof_text},
    {"launches among other reports of nsys stats", test_several_reports},
    {"launches of nsys stats after much output of the program", test_long_output},
    {"summaries and damaged tables are refused", test_refused_tables},
    {"a table that is cut anywhere is read or refused", test_cut_files},
    CU_TEST_INFO_NULL,
};
