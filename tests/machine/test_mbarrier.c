/* mbarrier: mbarrier objects and bulk copies. The kernels are those of
   tests/data/emulator/mbarrier.cu, compiled by nvcc; expected values are computed here in C. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { ELEMENTS = 4096, THREADS = 128, ROUNDS = 5, STAGES = 3 };

struct trial {
    uint32_t in[ELEMENTS], out[ELEMENTS];
    struct smc_program *program;
    struct smc_emulation emulation;
};

/* With `given` as what out holds before. */
static void run_with(const char *entry, uint32_t blocks, uint32_t threads, const uint32_t given[3],
                     struct trial *trial)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out},
        {.name = "in", .data = trial->in, .bytes = sizeof trial->in}};
    const struct stored_kernel kernel = {
        "mbarrier",
        entry,
        {.grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .arrays = arrays, .array_count = 2}};
    *trial = (struct trial){.program = NULL};
    for (uint32_t i = 0; i < ELEMENTS; i++)
        trial->in[i] = i * 2654435761u;
    memcpy(trial->out, given, 3 * sizeof *given);
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
}

static void run(const char *entry, uint32_t blocks, uint32_t threads, struct trial *trial)
{
    run_with(entry, blocks, threads, (const uint32_t[]){0, 0, 0}, trial);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

static bool found(const struct trial *trial, enum smc_finding_kind kind)
{
    for (size_t i = 0; i < trial->emulation.finding_count; i++)
        if (trial->emulation.finding[i].kind == kind)
            return true;
    return false;
}

static void test_phases(void)
{
    struct trial trial;
    run("neighbors", 3, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < 3 * THREADS; i++) {
        uint32_t sum = 0;
        for (uint32_t round = 0; round < ROUNDS; round++)
            sum += (round + 1) * trial.in[round * THREADS + (i + 33) % THREADS];
        CU_ASSERT_EQUAL(trial.out[i], sum);
    }
    end(&trial);
}

static void test_missing_waits(void)
{
    struct trial trial;
    run("no_second_wait", 1, THREADS, &trial);
    CU_ASSERT(found(&trial, SMC_FINDING_RACE_READ_WRITE));
    end(&trial);
    run("no_wait", 1, THREADS, &trial);
    CU_ASSERT(found(&trial, SMC_FINDING_RACE_WRITE_READ) ||
              found(&trial, SMC_FINDING_RACE_READ_WRITE));
    end(&trial);
}

static void test_waiting_for_ever(void)
{
    struct trial trial;
    run("one_is_missing", 1, THREADS, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_DEADLOCK);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].waiting, THREADS);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].expected, THREADS + 1);
    const struct smc_instruction *at =
        smc_program_instruction(trial.program, trial.emulation.finding[0].instruction);
    CU_ASSERT_EQUAL(strncmp(at->text, "mbarrier.try_wait", 17), 0);
    end(&trial);
}

static void test_leaving(void)
{
    struct trial trial;
    uint32_t sum = 0;
    run("leave", 1, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        sum += trial.in[i];
    CU_ASSERT_EQUAL(trial.out[0], sum);
    end(&trial);
}

static void test_ring(void)
{
    struct trial trial;
    run("ring", 1, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t sum = 0;
        for (uint32_t n = 0; n < 20; n++)
            sum += i / 32 * trial.in[n * 32 + 31 - i % 32];
        CU_ASSERT_EQUAL(trial.out[i], sum);
    }
    end(&trial);
    run("within_a_warp", 1, 32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial.out[0], trial.in[3]);
    end(&trial);
}

static void test_transactions(void)
{
    static const uint32_t expected[] = {2, 1, 0, 0, 1, 1};
    struct trial trial;
    run("transactions", 1, 32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        CU_ASSERT_EQUAL(trial.out[i], expected[i]);
    CU_ASSERT_EQUAL(trial.out[6], trial.in[0]);
    end(&trial);
}

static void test_bulk_copies(void)
{
    struct trial trial;
    run("bulk", 3, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < 3 * 1024; i++)
        CU_ASSERT_EQUAL(trial.out[i], 3 * trial.in[i] + 1);
    CU_ASSERT_EQUAL(trial.emulation.array[1].kind[SMC_EMULATED_LOAD].bytes, 3 * 4096);
    CU_ASSERT_EQUAL(trial.emulation.array[1].kind[SMC_EMULATED_LOAD].sectors, 3 * 128);
    CU_ASSERT_EQUAL(trial.emulation.array[0].kind[SMC_EMULATED_STORE].bytes, 3 * 4096);
    end(&trial);
    run("bulk_without_wait", 1, THREADS, &trial);
    CU_ASSERT(found(&trial, SMC_FINDING_RACE_WRITE_READ));
    end(&trial);
}

static void test_bad_bulk_copies(void)
{
    static const struct {
        uint32_t bytes, from, to;
        bool is_good;
        enum smc_finding_kind kind;
    } copies[] = {
        {64, 16, 32, true, SMC_FINDING_KINDS},
        {60, 16, 32, false, SMC_FINDING_MISALIGNED},
        {64, 8, 32, false, SMC_FINDING_MISALIGNED},
        {64, 16, 40, false, SMC_FINDING_MISALIGNED},
        {64, 4 * ELEMENTS - 48, 32, false, SMC_FINDING_OUT_OF_BOUNDS},
        {4096, 16, 32, false, SMC_FINDING_OUT_OF_BOUNDS},
    };
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        const uint32_t given[] = {copies[i].bytes, copies[i].from, copies[i].to};
        struct trial trial;
        run_with("any_bulk", 1, 32, given, &trial);
        if (copies[i].is_good) {
            CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
            CU_ASSERT_EQUAL(trial.out[3], trial.in[copies[i].from / 4]);
        } else {
            CU_ASSERT(found(&trial, copies[i].kind));
        }
        end(&trial);
    }
}

static void test_copies(void)
{
    struct trial trial;
    run("copies", 1, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[i], trial.in[THREADS - 1 - i]);
    end(&trial);
    run("stages", 1, THREADS, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        uint32_t sum = 0;
        for (uint32_t n = 0; n < ROUNDS; n++)
            sum += (n + 1) * trial.in[n * THREADS + THREADS - 1 - i];
        CU_ASSERT_EQUAL(trial.out[i], sum);
    }
    end(&trial);
}

CU_TestInfo tests_mbarrier[] = {
    {"phases order accesses", test_phases},
    {"races without waits are found", test_missing_waits},
    {"a phase that never completes", test_waiting_for_ever},
    {"threads that drop out", test_leaving},
    {"a ring of buffers, waits for a parity", test_ring},
    {"transactions", test_transactions},
    {"bulk copies", test_bulk_copies},
    {"sizes, alignment and bounds of bulk copies", test_bad_bulk_copies},
    {"asynchronous copies that arrive, pipelines", test_copies},
    CU_TEST_INFO_NULL};
