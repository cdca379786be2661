/* Runs every suite, or those that are named, and prints a line that counts the cases; fails if any
   case failed. Usage: tests/unit [SUITE...], with the suites of suites.def. */
#include <stdio.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "share.h"
#include "unit.h"

static const CU_SuiteInfo all[] = {
#define SUITE(name) {#name, NULL, NULL, NULL, NULL, tests_##name},
#include "suites.def"
#undef SUITE
};

enum { SUITES = sizeof all / sizeof *all };

static const CU_SuiteInfo *find(const char *name)
{
    for (size_t i = 0; i < SUITES; i++)
        if (strcmp(all[i].pName, name) == 0)
            return &all[i];
    return NULL;
}

/* The name of a test begins with its suite's: a line with the name alone tells what failed. */
static CU_ErrorCode add(const CU_SuiteInfo *suite)
{
    char name[256];
    CU_pSuite added = CU_add_suite(suite->pName, NULL, NULL);
    for (const CU_TestInfo *test = suite->pTests; added && test->pName; test++) {
        snprintf(name, sizeof name, "%s: %s", suite->pName, test->pName);
        if (!CU_add_test(added, name, test->pTestFunc) || CU_get_error() != CUE_SUCCESS)
            break;
    }
    return CU_get_error();
}

int main(int argc, char **argv)
{
    CU_ErrorCode code = CU_initialize_registry();
    for (size_t i = 0; i < SUITES && argc == 1 && code == CUE_SUCCESS; i++)
        code = add(&all[i]);
    for (int i = 1; i < argc && code == CUE_SUCCESS; i++) {
        const CU_SuiteInfo *suite = find(argv[i]);
        if (!suite) {
            fprintf(stderr, "unit: unknown suite '%s'; suites.def lists them\n", argv[i]);
            return 99;
        }
        code = add(suite);
    }
    if (code != CUE_SUCCESS) {
        fprintf(stderr, "unit: %s\n", CU_get_error_msg());
        return 99;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned ran = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    share_print("cases of the suites that go through all kernels, devices or seeds");
    printf("%u passed, %u failed, 0 skipped\n", ran - failed, failed);
    return failed || !ran;
}
