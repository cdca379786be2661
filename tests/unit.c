/* Runs every suite and prints a line that counts the cases; fails when one failed. */
#include <stdio.h>

#include <CUnit/Basic.h>

#include "unit.h"

int main(void)
{
    CU_SuiteInfo suites[] = {
#define SUITE(name) {#name, NULL, NULL, NULL, NULL, tests_##name},
#include "suites.def"
#undef SUITE
        CU_SUITE_INFO_NULL,
    };
    if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
        fprintf(stderr, "unit: %s\n", CU_get_error_msg());
        return 99;
    }
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned ran = CU_get_number_of_tests_run();
    unsigned failed = CU_get_number_of_tests_failed();
    CU_cleanup_registry();
    printf("%u passed, %u failed, 0 skipped\n", ran - failed, failed);
    return failed || !ran;
}
