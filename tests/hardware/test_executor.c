/* executor: what works without a GPU. The comparison reaches every row once, on many threads, and
   respects its time limit; the back end without CUDA reports its reason. */
#include <stdatomic.h>
#include <string.h>

#include "base/platform.h"
#include "hardware/executor.h"
#include "hardware/fleet/check.h"
#include "unit.h"

enum { MAX_ROWS = 5000 };

/* Records the calls to the stand-in for a kernel's comparison. Only the test uses it. */
static atomic_uint visits[MAX_ROWS];
static atomic_uint calls;

/* Element n of the output is correct if it is n + 1. */
static void compare(const struct smc_kernel *kernel, const struct smc_params *params,
                    const void *const *buffers, uint64_t row, uint64_t rows,
                    struct smc_comparison *result)
{
    const int *output = buffers[0];
    (void)kernel, (void)params;
    atomic_fetch_add(&calls, 1);
    for (uint64_t i = row; i < row + rows; i++) {
        atomic_fetch_add(&visits[i], 1);
        result->checked++;
        double error = output[i] - (double)(i + 1);
        if (error < 0)
            error = -error;
        if (error > result->worst)
            result->worst = error;
        if (error > 0 && result->wrong++ == 0) {
            result->first_wrong = i;
            result->expected = (double)(i + 1);
            result->got = output[i];
        }
    }
}

static uint64_t verify(const int *output, uint64_t rows, double budget_ms,
                       struct smc_comparison *result)
{
    const struct smc_kernel kernel = {.compare = compare};
    const struct smc_params params = {0};
    const struct smc_plan plan = {.output_rows = rows};
    const void *const buffers[] = {output};
    const struct smc_verify_request request = {&kernel, &params, &plan, buffers, budget_ms, NULL};
    for (size_t i = 0; i < MAX_ROWS; i++)
        atomic_store(&visits[i], 0);
    atomic_store(&calls, 0);
    return smc_verify(&request, result);
}

static void make_output(int *output)
{
    for (int i = 0; i < MAX_ROWS; i++)
        output[i] = i + 1;
}

static void test_every_row_once(void)
{
    static int output[MAX_ROWS];
    struct smc_comparison result;
    unsigned wrong = 0;
    make_output(output);
    for (uint64_t rows = 0; rows <= MAX_ROWS; rows += rows < 200 ? 1 : 397) {
        wrong += verify(output, rows, 1e9, &result) != rows;
        wrong += result.checked != rows || result.wrong != 0 || result.worst > 0;
        for (uint64_t i = 0; i < MAX_ROWS; i++)
            wrong += atomic_load(&visits[i]) != (i < rows);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_errors_are_merged(void)
{
    static int output[MAX_ROWS];
    struct smc_comparison result;
    make_output(output);
    output[4321] = 0;
    output[1234] += 5;
    output[MAX_ROWS - 1] = -1;
    CU_ASSERT_EQUAL(verify(output, MAX_ROWS, 1e9, &result), MAX_ROWS);
    CU_ASSERT_EQUAL(result.wrong, 3);
    CU_ASSERT_EQUAL(result.first_wrong, 1234);
    CU_ASSERT_EQUAL(result.expected, 1235);
    CU_ASSERT_EQUAL(result.got, 1240);
    CU_ASSERT_EQUAL(result.worst, MAX_ROWS + 1);
}

static void test_budget(void)
{
    static int output[MAX_ROWS];
    struct smc_comparison result;
    make_output(output);
    uint64_t rows = verify(output, MAX_ROWS, -1, &result);
    CU_ASSERT(rows >= 1 && rows < MAX_ROWS); /* at least one part, and then no further one */
    CU_ASSERT_EQUAL(result.checked, rows);
    CU_ASSERT_EQUAL(atomic_load(&calls), 1);
}

static void test_clock(void)
{
    double a = smc_clock_ms(), b = smc_clock_ms();
    CU_ASSERT(a > 0 && b >= a);
}

static void test_none(void)
{
    struct smc_error error;
    struct smc_device device;
    struct smc_run_result result;
    struct smc_run_request request = {0};
    const struct smc_executor *none = &smc_executor_none;
    CU_ASSERT_EQUAL(none->device_count(&error), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(error.message, "without the CUDA runtime"));
    CU_ASSERT_EQUAL(none->device(0, &device, &error), SMC_UNAVAILABLE);
    CU_ASSERT_EQUAL(none->run(&request, &result, NULL, &error), SMC_UNAVAILABLE);
    CU_ASSERT(!result.compile.made);
}

/* With a GPU, its device must be readable; without one, one line must give the reason. */
static void test_default(void)
{
    const struct smc_executor *executor = smc_executor_default();
    struct smc_error why = {""};
    struct smc_device device;
    int count = executor->device_count(&why);
    CU_ASSERT_EQUAL(executor->device(count, &device, &why), SMC_UNAVAILABLE);
    CU_ASSERT_EQUAL(executor->device(-1, &device, &why), SMC_UNAVAILABLE);
    CU_ASSERT(why.message[0] && !strchr(why.message, '\n'));
    if (count > 0) {
        CU_ASSERT_EQUAL(executor->device(0, &device, &why), SMC_OK);
        CU_ASSERT(device.source == SMC_DEVICE_LIVE && device.sm_count > 0);
    } else {
        CU_ASSERT_EQUAL(strncmp(why.message, "no GPU: ", 8), 0);
    }
}

CU_TestInfo tests_executor[] = {
    {"every row is compared once", test_every_row_once},
    {"the threads' findings are merged", test_errors_are_merged},
    {"a budget ends the comparison", test_budget},
    {"the clock", test_clock},
    {"without CUDA there is a reason", test_none},
    {"the default back end", test_default},
    CU_TEST_INFO_NULL,
};
