/* Runs the tests that need a GPU; without one says why and exits 77, which counts as skipped. */
#include "gpu_tests.h"

#include <stdio.h>

#include <CUnit/Basic.h>

enum { SKIPPED = 77 };

static struct smc_device device; /* read before the tests, never changed by them */
static unsigned skipped;

static CU_SuiteInfo suites[] = {
    {"device", NULL, NULL, NULL, NULL, gpu_tests_device},
    {"kernels", NULL, NULL, NULL, NULL, gpu_tests_kernels},
    {"failures", NULL, NULL, NULL, NULL, gpu_tests_failures},
    {"residency", NULL, NULL, NULL, NULL, gpu_tests_residency},
    {"banks", NULL, NULL, NULL, NULL, gpu_tests_banks},
    {"ptx", NULL, NULL, NULL, NULL, gpu_tests_ptx},
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

int main(void)
{
    struct smc_error error = {""};
    struct smc_nvrtc_info nvrtc;
    const struct smc_executor *executor = smc_executor_default();
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (executor->device_count(&error) == 0)
        return skip(error.message);
    if (smc_nvrtc_describe(&nvrtc, &error) != SMC_OK)
        return skip(error.message);
    if (executor->device(0, &device, &error) != SMC_OK) {
        printf("%s\n0 passed, 1 failed, 0 skipped\n", error.message);
        return 1;
    }
    printf("%s, %u SMs, NVRTC %d.%d\n", device.name, device.sm_count, nvrtc.major, nvrtc.minor);
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        fprintf(stderr, "gpu_tests: %s\n", CU_get_error_msg());
        return 99;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned ran = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("%u passed, %u failed, %u skipped\n", ran - failed - skipped, failed, skipped);
    return failed || !ran;
}
