/* Runs the tests that need a GPU; without one says why and exits 77, which counts as skipped.

     gpu_tests [--results FILE] [SUITE...]    all suites if none is named; what they found as JSON
     gpu_tests --join FILE PIECE...           several such files, and the benchmarks', as one */
#include "gpu_tests.h"

#include <stdio.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "results.h"

enum { SKIPPED = 77 };

static struct smc_device device; /* read before the tests, never changed by them */
static unsigned skipped;

static CU_SuiteInfo suites[] = {
    {"device", NULL, NULL, NULL, NULL, gpu_tests_device},
    {"ceilings", NULL, NULL, NULL, NULL, gpu_tests_ceilings},
    {"health", NULL, NULL, NULL, NULL, gpu_tests_health},
    {"kernels", NULL, NULL, NULL, NULL, gpu_tests_kernels},
    {"catalog", NULL, NULL, NULL, NULL, gpu_tests_catalog},
    {"failures", NULL, NULL, NULL, NULL, gpu_tests_failures},
    {"residency", NULL, NULL, NULL, NULL, gpu_tests_residency},
    {"banks", NULL, NULL, NULL, NULL, gpu_tests_banks},
    {"ptx", NULL, NULL, NULL, NULL, gpu_tests_ptx},
    {"tensor_copies", NULL, NULL, NULL, NULL, gpu_tests_tensor_copies},
    {"textures", NULL, NULL, NULL, NULL, gpu_tests_textures},
    {"emulator", NULL, NULL, NULL, NULL, gpu_tests_emulator},
    CU_SUITE_INFO_NULL,
};

const struct smc_device *gpu_device(void)
{
    return &device;
}

void gpu_skip(const char *why)
{
    printf("    skipped: %s\n", why);
    skipped++;
}

static int skip(const char *why)
{
    unsigned tests = 0;
    for (const CU_SuiteInfo *suite = suites; suite->pName; suite++)
        for (const CU_TestInfo *test = suite->pTests; test->pName; test++)
            tests++;
    printf("%s\n0 passed, 0 failed, %u skipped\n", why, tests);
    return SKIPPED;
}

/* Only the suites that are named; all if none is. */
static CU_ErrorCode register_suites(int count, char **names)
{
    if (count == 0)
        return CU_register_suites(suites);
    for (int i = 0; i < count; i++) {
        CU_SuiteInfo named[2] = {CU_SUITE_INFO_NULL, CU_SUITE_INFO_NULL};
        for (const CU_SuiteInfo *suite = suites; suite->pName; suite++)
            if (strcmp(suite->pName, names[i]) == 0)
                named[0] = *suite;
        if (!named[0].pName) {
            printf("there is no suite '%s'\n", names[i]);
            return CUE_NOSUITE;
        }
        CU_ErrorCode code = CU_register_suites(named);
        if (code != CUE_SUCCESS)
            return code;
    }
    return CUE_SUCCESS;
}

static void record_tests(unsigned passed, unsigned failed)
{
    gpu_result_item("tests", json_pack("{si si si}", "passed", (int)passed, "failed", (int)failed,
                                       "skipped", (int)skipped));
}

/* Returns the exit status. */
static int run_suites(int count, char **names, const char *results)
{
    if (CU_initialize_registry() != CUE_SUCCESS || register_suites(count, names) != CUE_SUCCESS) {
        fprintf(stderr, "gpu_tests: %s\n", CU_get_error_msg());
        return 99;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned ran = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    record_tests(ran - failed - skipped, failed);
    bool written = !results || gpu_results_write(results, &device);
    printf("%u passed, %u failed, %u skipped\n", ran - failed - skipped, failed, skipped);
    return failed || !ran || !written;
}

int main(int argc, char **argv)
{
    struct smc_error error = {""};
    struct smc_nvrtc_info nvrtc;
    const struct smc_executor *executor = smc_executor_default();
    const char *results = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 2 && strcmp(argv[1], "--join") == 0)
        return !gpu_results_join(argv[2], argc - 3, argv + 3);
    if (argc > 2 && strcmp(argv[1], "--results") == 0) {
        results = argv[2];
        argc -= 2;
        argv += 2;
    }
    if (executor->device_count(&error) == 0)
        return skip(error.message);
    if (smc_nvrtc_describe(&nvrtc, &error) != SMC_OK)
        return skip(error.message);
    if (executor->device(0, &device, &error) != SMC_OK) {
        printf("%s\n0 passed, 1 failed, 0 skipped\n", error.message);
        return 1;
    }
    printf("%s, %u SMs, driver %s, NVRTC %d.%d\n", device.name, device.sm_count,
           *gpu_driver() ? gpu_driver() : "of no known version", nvrtc.major, nvrtc.minor);
    return run_suites(argc - 1, argv + 1, results);
}
