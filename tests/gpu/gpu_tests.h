/* The tests that need a GPU: their suites, and running one case from a line of text. */
#ifndef SMC_TESTS_GPU_H
#define SMC_TESTS_GPU_H

#include <CUnit/CUnit.h>

#include "answers/query.h"
#include "hardware/confirm/confirm.h"
#include "rules/devices.h"

extern CU_TestInfo gpu_tests_banks[];
extern CU_TestInfo gpu_tests_catalog[];
extern CU_TestInfo gpu_tests_ceilings[];
extern CU_TestInfo gpu_tests_device[];
extern CU_TestInfo gpu_tests_emulator[];
extern CU_TestInfo gpu_tests_kernels[];
extern CU_TestInfo gpu_tests_failures[];
extern CU_TestInfo gpu_tests_health[];
extern CU_TestInfo gpu_tests_ptx[];
extern CU_TestInfo gpu_tests_residency[];
extern CU_TestInfo gpu_tests_tensor_copies[];
extern CU_TestInfo gpu_tests_textures[];

/* GPU 0, read once; valid in every test. */
const struct smc_device *gpu_device(void);

/* Reads "matmul-tiled tile=8 dtype=double m=1000": a kernel and its parameters by their option
   names, also regs=N, dynamic-smem=N, carveout=N and no-opt-in=1. Ends the test if the text is
   wrong. */
void gpu_read_case(const char *text, struct smc_query *query);

/* Runs the launch that `answer` predicts, probe and timed launches in at most `timeout_ms`, and
   compares. On a failure of the machine it returns false and prints the reason. An endless kernel
   ends the program. */
enum { GPU_TIMEOUT_MS = 1000 }; /* unless a test needs another one */
bool gpu_confirm(const struct smc_answer *answer, uint32_t timeout_ms,
                 struct smc_run_result *result, struct smc_confirmation *confirmation);

/* Answers and confirms one case, whose outcome must be `expected`. Prints what differs; returns
   whether everything is as predicted, and measured if it launches. */
bool gpu_case_holds(const char *text, enum smc_outcome expected);

/* Prints the rows that differ or were not measured. */
void gpu_print_rows(const char *text, const struct smc_confirmation *confirmation);

/* Counts the test that calls it as skipped and prints why; the test then returns. */
void gpu_skip(const char *why);

/* A reproducible sequence: the next number, from 0 to below `limit`. */
uint32_t gpu_random(uint64_t *state, uint32_t limit);

#endif
