/* warpgroups: wgmma by the four warps of a warpgroup, and what may replace its operands. The
   kernels are those of tests/data/emulator/warpgroups.cu, compiled by nvcc; expected values are
   computed here in C. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { STEPS = 7, ROWS = 64, COLUMNS = 8, K = 32, HALF = 16, STEP_BYTES = (ROWS + COLUMNS) * K };

struct trial {
    int8_t in[STEPS * STEP_BYTES];
    int32_t out[ROWS * COLUMNS];
    struct smc_program *program;
    struct smc_emulation emulation;
};

static void run(const char *entry, uint32_t threads, struct trial *trial)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out},
        {.name = "in", .data = trial->in, .bytes = sizeof trial->in}};
    const struct stored_kernel kernel = {
        "warpgroups",
        entry,
        {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .arrays = arrays, .array_count = 2}};
    *trial = (struct trial){.program = NULL};
    for (uint32_t i = 0; i < sizeof trial->in; i++)
        trial->in[i] = (int8_t)(i * 2654435761u >> 24);
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

static int32_t expected(const struct trial *trial, uint32_t row, uint32_t column)
{
    int32_t sum = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        const int8_t *a = trial->in + (size_t)step * STEP_BYTES, *b = a + ROWS * K;
        for (uint32_t k = 0; k < K; k++)
            sum += a[k / HALF * ROWS * HALF + row * HALF + k % HALF] *
                   b[k / HALF * COLUMNS * HALF + column * HALF + k % HALF];
    }
    return sum;
}

static void run_well(const char *entry, uint32_t threads)
{
    struct trial trial;
    uint32_t wrong = 0;
    run(entry, threads, &trial);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++)
        wrong += trial.out[i] != expected(&trial, i / COLUMNS, i % COLUMNS);
    if (wrong || trial.emulation.findings_total)
        printf("%s: %u wrong, %u findings\n", entry, wrong,
               (unsigned)trial.emulation.findings_total);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* The first finding is of this kind, of an instruction that begins so. */
static void run_badly(const char *entry, uint32_t threads, enum smc_finding_kind kind,
                      const char *text)
{
    struct trial trial;
    run(entry, threads, &trial);
    CU_ASSERT_FATAL(trial.emulation.finding_count > 0);
    const struct smc_finding *finding = &trial.emulation.finding[0];
    CU_ASSERT_EQUAL(finding->kind, kind);
    CU_ASSERT_EQUAL(strncmp(smc_program_instruction(trial.program, finding->instruction)->text,
                            text, strlen(text)),
                    0);
    if (finding->has_other)
        CU_ASSERT_EQUAL(
            strncmp(smc_program_instruction(trial.program, finding->other_instruction)->text,
                    "wgmma.mma_async", 15),
            0);
    end(&trial);
}

static void test_one_arrives(void)
{
    run_well("first_arrives", 160);
    run_well("last_arrives", 160);
    run_well("one_behind", 160);
    run_well("two_warpgroups", 288);
}

static void test_without_barrier(void)
{
    run_well("alone", 128);
    run_well("late", 128);
}

static void test_replaced_too_early(void)
{
    run_badly("too_early", 160, SMC_FINDING_PENDING_READ, "cp.async.bulk");
    run_badly("one_too_early", 128, SMC_FINDING_PENDING_READ, "cp.async.bulk");
    run_badly("stored_over", 128, SMC_FINDING_PENDING_READ, "st.volatile");
}

static void test_stored_before(void)
{
    struct trial trial;
    char text[512];
    run("stored_before", 128, &trial);
    CU_ASSERT_FATAL(trial.emulation.finding_count > 0);
    const struct smc_finding *finding = &trial.emulation.finding[0];
    CU_ASSERT_EQUAL(finding->kind, SMC_FINDING_RACE_WRITE_READ);
    smc_finding_describe(trial.program, finding, "warpgroups.cu", text, sizeof text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "warpgroup of thread (0,0,0) against thread (64,0,0)"));
    end(&trial);
}

static void test_one_leaves(void)
{
    struct trial trial;
    run("one_leaves", 128, &trial);
    CU_ASSERT_FALSE(trial.emulation.completed && trial.out[0]);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_DEADLOCK);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].waiting, 96);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].expected, 128);
    end(&trial);
}

static void test_late_warp(void)
{
    struct trial trial;
    run("clocks", 128, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (int warp = 0; warp < 4; warp++)
        CU_ASSERT(trial.out[warp] >= 5000);
    end(&trial);
}

static void test_registers(void)
{
    static const struct {
        const char *entry;
        uint32_t threads;
    } good[] = {{"enough_registers", 256},
                {"all_registers", 384},
                {"without_bounds", 256},
                {"given_back_later", 256}};
    static const struct {
        const char *entry, *note;
        uint32_t threads;
    } bad[] = {{"too_few_registers",
                "setmaxnreg waits for 3584 registers, and the block has 2560 left of 32768", 256},
               {"one_step_more",
                "setmaxnreg waits for 2304 registers, and the block has 256 left of 64512", 384}};
    struct trial trial;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        run(good[i].entry, good[i].threads, &trial);
        CU_ASSERT(trial.emulation.completed);
        CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
        for (uint32_t t = 0; t < good[i].threads; t++)
            CU_ASSERT_EQUAL(trial.out[t], 1);
        end(&trial);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        run(bad[i].entry, bad[i].threads, &trial);
        CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
        CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_DEADLOCK);
        CU_ASSERT_STRING_EQUAL(trial.emulation.finding[0].note, bad[i].note);
        CU_ASSERT_FALSE(trial.out[0]);
        end(&trial);
    }
}

CU_TestInfo tests_warpgroups[] = {
    {"one thread of a warpgroup gives back what wgmma has read", test_one_arrives},
    {"a thread that waited for wgmma replaces what all four warps read", test_without_barrier},
    {"operands of wgmma are replaced too early", test_replaced_too_early},
    {"a late warp holds up its warpgroup at wgmma.mma_async", test_late_warp},
    {"setmaxnreg waits for registers of the block", test_registers},
    {"what a warp stores without a barrier races with its warpgroup", test_stored_before},
    {"a warp leaves while its warpgroup multiplies", test_one_leaves},
    CU_TEST_INFO_NULL};
