/* stop: an emulation, and the check of its results, end soon after a stop is requested. The delay
   is measured in instructions, so that other load on the machine does not matter. */
#include <stdatomic.h>
#include <string.h>

#include "hardware/fleet/check.h"
#include "machine/emulator.h"
#include "unit.h"

enum { SLICE = 1 << 10 }; /* instructions that a warp may run before the next question */

static atomic_uint asked;
static unsigned wished_at; /* the answers are yes from this question on */

static bool stop(void)
{
    return atomic_fetch_add(&asked, 1) + 1 >= wished_at;
}

static bool stop_emulation(const void *context)
{
    return context == &wished_at && stop();
}

/* Four warps per block that never end. */
static const char endless[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                              ".visible .entry k()\n{\n.reg .b32 %r<4>;\n"
                              "AGAIN:\nadd.s32 %r1, %r1, 1;\nbra AGAIN;\n}\n";

static const char short_kernel[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                                   ".visible .entry k()\n{\nret;\n}\n";

static struct smc_emulation_progress progress;

static enum smc_status emulate(const char *ptx, unsigned threads, struct smc_emulation *emulation,
                               struct smc_error *error)
{
    struct smc_program *program;
    CU_ASSERT_EQUAL_FATAL(smc_program_read(ptx, strlen(ptx), NULL, &program, error), SMC_OK);
    struct smc_emulation_request request = {.program = program,
                                            .grid = {64, 1, 1},
                                            .block = {128, 1, 1},
                                            .banks = {32, 32, 1, false, true},
                                            .threads = threads,
                                            .stop = stop_emulation,
                                            .stop_context = &wished_at,
                                            .progress = &progress};
    atomic_store(&asked, 0);
    enum smc_status status = smc_emulate(&request, emulation, error);
    smc_program_free(program);
    return status;
}

static void test_emulation(void)
{
    for (unsigned threads = 1; threads <= 3; threads++)
        for (wished_at = 1; wished_at < 20; wished_at += 3) {
            struct smc_emulation emulation;
            struct smc_error error = {""};
            CU_ASSERT_EQUAL(emulate(endless, threads, &emulation, &error), SMC_INTERRUPTED);
            CU_ASSERT_STRING_EQUAL(error.message, "0 of 64 blocks were emulated");
            CU_ASSERT_FALSE(emulation.completed);
            CU_ASSERT_EQUAL(emulation.finding_count, 0);
            /* At most one slice for each question before the stop. */
            CU_ASSERT(emulation.total.executions <= (uint64_t)(wished_at - 1) * SLICE);
            smc_emulation_free(&emulation);
        }
}

/* Blocks are counted when they end, for any number of threads. */
static void test_progress(void)
{
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct smc_emulation emulation;
        struct smc_error error = {""};
        wished_at = UINT32_MAX;
        atomic_store(&progress.done, 1000);
        CU_ASSERT_EQUAL(emulate(short_kernel, threads, &emulation, &error), SMC_OK);
        CU_ASSERT_EQUAL(atomic_load(&progress.blocks), 64);
        CU_ASSERT_EQUAL(atomic_load(&progress.done), 64);
        smc_emulation_free(&emulation);
        wished_at = 40;
        CU_ASSERT_EQUAL(emulate(endless, threads, &emulation, &error), SMC_INTERRUPTED);
        CU_ASSERT_EQUAL(atomic_load(&progress.done), 0);
        smc_emulation_free(&emulation);
    }
}

static uint64_t compared;

static void compare(const struct smc_kernel *kernel, const struct smc_params *params,
                    const void *const *buffers, uint64_t row, uint64_t rows,
                    struct smc_comparison *comparison)
{
    (void)kernel, (void)params, (void)buffers, (void)row;
    __atomic_fetch_add(&compared, rows, __ATOMIC_RELAXED);
    comparison->checked += rows;
}

static void test_check(void)
{
    const struct smc_kernel kernel = {.compare = compare};
    const struct smc_plan plan = {.output_rows = 10000019};
    struct smc_verify_request request = {.kernel = &kernel, .plan = &plan, .budget_ms = 1e9};
    struct smc_comparison result;
    compared = 0;
    CU_ASSERT_EQUAL(smc_verify(&request, &result), plan.output_rows);
    CU_ASSERT_EQUAL(compared, plan.output_rows);
    CU_ASSERT_EQUAL(result.checked, plan.output_rows);

    request.stop = stop;
    compared = 0;
    wished_at = 20;
    atomic_store(&asked, 0);
    uint64_t rows = smc_verify(&request, &result);
    CU_ASSERT_EQUAL(rows, compared);
    CU_ASSERT(rows > 0 && rows < plan.output_rows / 50);
}

CU_TestInfo tests_stop[] = {
    {"an emulation tells its progress", test_progress},
    {"an emulation", test_emulation},
    {"the check of its results", test_check},
    CU_TEST_INFO_NULL,
};
