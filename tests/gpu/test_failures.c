/* Predicted failures happen, and the GPU works on after each. */
#include <stdio.h>
#include <string.h>

#include "gpu_tests.h"

static const char healthy[] = "matmul-tiled tile=16 m=100 n=100 k=100";

static void test_refused_compilation(void)
{
    CU_ASSERT(gpu_case_holds("stencil-static block=1024 radius=6000", SMC_CANNOT_COMPILE));
    CU_ASSERT(gpu_case_holds(healthy, SMC_LAUNCHES));
}

static void test_refused_launches(void)
{
    static const char *const cases[] = {
        "stencil-dynamic radius=40000", /* dynamic shared memory above the opt-in limit */
        "stencil-dynamic radius=6500 no-opt-in=1", /* above the default one, without an opt-in */
        "residency block=1024 live=100",           /* too many registers for a block */
        "residency block=800 live=68",             /* only by the rounding to sub-partitions */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CU_ASSERT(gpu_case_holds(cases[i], SMC_CANNOT_LAUNCH));
        CU_ASSERT(gpu_case_holds(healthy, SMC_LAUNCHES));
    }
}

/* No option asks for more than 1024 threads: the launch is made up. */
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
    CU_ASSERT_FATAL(gpu_confirm(&answer, &result, &confirmation));
    CU_ASSERT(result.launch.made && !result.launch.succeeded);
    CU_ASSERT_EQUAL(strncmp(result.launch.message, "cudaError", 9), 0);
    CU_ASSERT_EQUAL(confirmation.differing, 0);
    if (confirmation.differing)
        gpu_print_rows("1056 threads", &confirmation);
    CU_ASSERT(gpu_case_holds(healthy, SMC_LAUNCHES));
}

/* The buffers cannot be had: an error, not a crash, and the GPU works on. */
static void test_no_memory(void)
{
    struct smc_query query;
    struct smc_answer answer;
    struct smc_run_result result;
    struct smc_confirmation confirmation;
    struct smc_error error = {""};
    gpu_read_case("matmul-naive m=2000000 n=2000000 k=2000000", &query);
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &answer, NULL, &error), SMC_OK);
    CU_ASSERT(!gpu_confirm(&answer, &result, &confirmation));
    CU_ASSERT(gpu_case_holds(healthy, SMC_LAUNCHES));
}

CU_TestInfo gpu_tests_failures[] = {
    {"ptxas refuses static shared memory above 48 KB", test_refused_compilation},
    {"the driver refuses launches", test_refused_launches},
    {"too many threads", test_too_many_threads},
    {"more memory than the GPU has", test_no_memory},
    CU_TEST_INFO_NULL,
};
