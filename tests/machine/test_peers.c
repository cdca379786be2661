/* peers: blocks of a cluster in each other's shared memory: what orders them, races between them,
   and accesses after a block's end. The kernels are those of tests/data/emulator/peers.cu, compiled
   by nvcc. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { THREADS = 64, BLOCKS = 4, CLUSTERS = 2, ALL = THREADS * BLOCKS * CLUSTERS };

struct trial {
    uint32_t in[ALL], out[ALL];
    struct smc_program *program;
    struct smc_emulation emulation;
};

static void run(const char *entry, struct trial *trial)
{
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out},
        {.name = "in", .data = trial->in, .bytes = sizeof trial->in}};
    const struct stored_kernel kernel = {"peers",
                                         entry,
                                         {.grid = {BLOCKS * CLUSTERS, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .arrays = arrays,
                                          .array_count = 2}};
    *trial = (struct trial){.program = NULL};
    for (uint32_t i = 0; i < ALL; i++)
        trial->in[i] = i * 2654435761u;
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

static void print_findings(const char *entry, const struct trial *trial)
{
    for (size_t i = 0; i < trial->emulation.finding_count; i++) {
        char text[512];
        smc_finding_describe(trial->program, &trial->emulation.finding[i], NULL, text, sizeof text);
        printf("%s: %s\n", entry, text);
    }
}

static uint32_t of_next_block(const struct trial *trial, uint32_t block, uint32_t thread)
{
    (void)trial;
    return (block + 1) % BLOCKS * 1000 + thread;
}

static uint32_t of_stages(const struct trial *trial, uint32_t block, uint32_t thread)
{
    uint32_t sum = 0;
    (void)block;
    for (uint32_t step = 0; step < 6; step++)
        sum += trial->in[step * THREADS + thread];
    return sum;
}

static uint32_t of_counts(const struct trial *trial, uint32_t block, uint32_t thread)
{
    (void)trial, (void)block, (void)thread;
    return 2 * BLOCKS;
}

static void run_well(const char *entry, uint32_t (*expected)(const struct trial *trial,
                                                             uint32_t block, uint32_t thread))
{
    struct trial trial;
    uint32_t wrong = 0;
    run(entry, &trial);
    for (uint32_t i = 0; i < ALL; i++)
        wrong += trial.out[i] != expected(&trial, i / THREADS, i % THREADS);
    if (wrong)
        printf("%s: %u wrong\n", entry, wrong);
    print_findings(entry, &trial);
    CU_ASSERT(trial.emulation.completed);
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(trial.emulation.findings_total, 0);
    end(&trial);
}

/* It has a finding of this kind; a race is between blocks. */
static void run_badly(const char *entry, enum smc_finding_kind kind)
{
    struct trial trial;
    bool is_found = false;
    run(entry, &trial);
    for (size_t i = 0; i < trial.emulation.finding_count; i++) {
        const struct smc_finding *finding = &trial.emulation.finding[i];
        const bool is_between =
            finding->between_blocks &&
            memcmp(finding->block, finding->other_block, sizeof finding->block) != 0;
        is_found |= finding->kind == kind && (is_between || kind == SMC_FINDING_BLOCK_ENDED);
    }
    if (!is_found) {
        printf("%s: not found\n", entry);
        print_findings(entry, &trial);
    }
    CU_ASSERT(is_found);
    end(&trial);
}

static void test_barriers(void)
{
    run_well("synced", of_next_block);
    run_well("split", of_next_block);
    run_well("fenced", of_next_block);
    run_well("rounds", of_next_block);
}

static void test_objects(void)
{
    run_well("by_objects", of_next_block);
    run_well("passed_on", of_next_block);
    run_well("async_stores", of_next_block);
    run_well("stages", of_stages);
}

static void test_flags(void)
{
    run_well("flags", of_next_block);
    run_well("fences", of_next_block);
    run_well("counts", of_counts);
}

static void test_races(void)
{
    run_badly("bad_no_first_sync", SMC_FINDING_RACE_WRITE_READ);
    run_badly("bad_relaxed", SMC_FINDING_RACE_WRITE_READ);
    run_badly("bad_before_wait", SMC_FINDING_RACE_READ_WRITE);
    run_badly("bad_one_sync_a_round", SMC_FINDING_RACE_READ_WRITE);
    run_badly("bad_stored", SMC_FINDING_RACE_WRITE_READ);
    run_badly("bad_two_writers", SMC_FINDING_RACE_WRITE_WRITE);
    run_badly("bad_async_stores", SMC_FINDING_RACE_READ_WRITE);
    run_badly("bad_stages", SMC_FINDING_RACE_READ_WRITE);
    run_badly("bad_no_sync_after_init", SMC_FINDING_RACE_WRITE_READ);
}

static void test_ends(void)
{
    run_badly("bad_first_reads", SMC_FINDING_BLOCK_ENDED);
    run_badly("bad_last_writes", SMC_FINDING_BLOCK_ENDED);
    run_badly("bad_arrives", SMC_FINDING_BLOCK_ENDED);
}

CU_TestInfo tests_peers[] = {
    {"the cluster's barrier orders accesses to other blocks", test_barriers},
    {"mbarrier objects order accesses to other blocks", test_objects},
    {"flags and atomics order accesses to other blocks", test_flags},
    {"races between blocks of a cluster are found", test_races},
    {"accesses to a block that may have ended are found", test_ends},
    CU_TEST_INFO_NULL};
