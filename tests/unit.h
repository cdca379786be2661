/* The suites of the unit tests: one file a module, one line a suite in suites.def. */
#ifndef SMC_TESTS_UNIT_H
#define SMC_TESTS_UNIT_H

#include <CUnit/CUnit.h>

/* Ends in CU_TEST_INFO_NULL. */
#define SUITE(name) extern CU_TestInfo tests_##name[];
#include "suites.def"
#undef SUITE

#endif
