/* Predicted failures occur, and the GPU works after each of them. */
#include <stdio.h>
#include <string.h>

#include "gpu_tests.h"
#include "results.h"

static const char healthy[] = "matmul-tiled tile=16 m=100 n=100 k=100";

/* As predicted, and the GPU still works. */
static void record(const char *failure, bool confirmed)
{
    gpu_result_item("failures",
                    json_pack("{ss sb}", "failure", failure, "confirmed", (int)confirmed));
    CU_ASSERT(confirmed);
}

static void test_refused_compilation(void)
{
    bool refused = gpu_case_holds("stencil-static block=1024 radius=6000", SMC_CANNOT_COMPILE);
    record("static shared memory above 48 KB does not compile",
           refused && gpu_case_holds(healthy, SMC_LAUNCHES));
}

static void test_refused_launches(void)
{
    static const struct {
        const char *launch, *failure;
    } cases[] = {
        {"stencil-dynamic radius=40000",
         "dynamic shared memory above the opt-in limit does not launch"},
        {"stencil-dynamic radius=6500 no-opt-in=1",
         "dynamic shared memory above 48 KB without the opt-in does not launch"},
        {"residency block=1024 live=100", "too many registers for a block do not launch"},
        {"residency block=800 live=68",
         "registers above the limit only by rounding to sub-partitions do not launch"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool refused = gpu_case_holds(cases[i].launch, SMC_CANNOT_LAUNCH);
        record(cases[i].failure, refused && gpu_case_holds(healthy, SMC_LAUNCHES));
    }
}

/* No option accepts more than 1024 threads, so the launch is constructed here. */
static void test_too_many_threads(void)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_error error = {""};
    gpu_read_case("reverse-dynamic block=1024", &query);
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &answer, NULL, &error), SMC_OK);
    answer.plan.block[0] = answer.plan.threads_per_block = 1056;
    answer.launch.threads_per_block = 1056;
    smc_occupancy_compute(&query.device.sm, &answer.launch, &answer.occupancy);
    CU_ASSERT(answer.occupancy.refusals & 1u << SMC_REFUSAL_THREADS_PER_BLOCK);
    answer.outcome = SMC_CANNOT_LAUNCH;
    CU_ASSERT_FATAL(gpu_confirm(&answer, GPU_TIMEOUT_MS, &result, &confirmation));
    CU_ASSERT(result.launch.made && !result.launch.succeeded);
    CU_ASSERT_EQUAL(strncmp(result.launch.message, "cudaError", 9), 0);
    if (confirmation.differing)
        gpu_print_rows("1056 threads", &confirmation);
    record("a block of 1056 threads does not launch",
           confirmation.differing == 0 && gpu_case_holds(healthy, SMC_LAUNCHES));
}

/* The buffers are too large: an error, not a crash, and the GPU still works. */
static void test_no_memory(void)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_error error = {""};
    gpu_read_case("matmul-naive m=2000000 n=2000000 k=2000000", &query);
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &answer, NULL, &error), SMC_OK);
    bool ran = gpu_confirm(&answer, GPU_TIMEOUT_MS, &result, &confirmation);
    record("arrays above the GPU's memory are refused",
           !ran && gpu_case_holds(healthy, SMC_LAUNCHES));
}

CU_TestInfo gpu_tests_failures[] = {
    {"ptxas refuses static shared memory above 48 KB", test_refused_compilation},
    {"the driver refuses launches", test_refused_launches},
    {"too many threads", test_too_many_threads},
    {"more memory than the GPU has", test_no_memory},
    CU_TEST_INFO_NULL,
};
