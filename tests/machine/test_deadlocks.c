/* deadlocks: what is said of threads that wait for ever: the object by name, its phase, what it
   lacks, and who called. The kernels are those of tests/data/emulator/deadlocks.cu, compiled by
   nvcc. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

#define FOLDER SMC_SOURCE_DIR "/tests/data/emulator/"

struct trial {
    uint32_t out[128];
    struct smc_program *program;
    struct smc_emulation emulation;
};

static void run(const char *entry, uint32_t blocks, uint32_t threads, struct trial *trial)
{
    struct smc_emulated_array out = {.name = "out", .data = trial->out, .bytes = sizeof trial->out};
    const struct stored_kernel kernel = {"deadlocks",
                                         entry,
                                         {.grid = {blocks, 1, 1},
                                          .block = {threads, 1, 1},
                                          .dynamic_smem_bytes = 1024,
                                          .arrays = &out,
                                          .array_count = 1}};
    *trial = (struct trial){.program = NULL};
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

static bool read_line(void *context, const char *name, uint32_t number, char *text, size_t room)
{
    FILE *file = fopen(FOLDER "deadlocks.cu", "r");
    bool is_found = false;
    (void)context;
    CU_ASSERT_FATAL(file != NULL);
    CU_ASSERT(strstr(name, "deadlocks.cu") != NULL);
    for (uint32_t line = 1; line <= number && fgets(text, (int)room, file); line++)
        is_found = line == number;
    fclose(file);
    return is_found;
}

/* Finding n is a deadlock whose text has these words. `reads`: the source is available. */
static void says(const struct trial *trial, size_t n, bool reads, const char *words)
{
    char text[512];
    CU_ASSERT_FATAL(n < trial->emulation.finding_count);
    struct smc_finding finding = trial->emulation.finding[n];
    CU_ASSERT_EQUAL(finding.kind, SMC_FINDING_DEADLOCK);
    if (reads)
        smc_finding_name_object(trial->program, &finding, read_line, NULL);
    smc_finding_describe(trial->program, &finding, NULL, text, sizeof text);
    if (!strstr(text, words))
        printf("%s\n", text);
    CU_ASSERT(strstr(text, words) != NULL);
}

static void test_arrivals(void)
{
    struct trial trial;
    run("array", 1, 64, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    says(&trial, 0, false, "; mbarrier object full[2]; phase 1 has 62 of 64 arrivals");
    struct smc_stack stack;
    smc_finding_stack(trial.program, &trial.emulation.finding[0], false, &stack);
    CU_ASSERT_EQUAL_FATAL(stack.frames, 2); /* wait, and the kernel */
    CU_ASSERT_NOT_EQUAL(stack.frame[0].line, stack.frame[1].line);
    end(&trial);
}

static void test_bytes(void)
{
    struct trial trial;
    run("bytes", 1, 32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    says(&trial, 0, false,
         "; mbarrier object ready; phase 0 has 1 of 1 arrivals, 16 bytes are missing");
    end(&trial);
}

static void test_structure(void)
{
    struct trial trial;
    run("structure", 1, 96, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 3);
    says(&trial, 0, false,
         "; mbarrier object raw + 392, the 2nd of 3 initialized at deadlocks.cu:");
    says(&trial, 0, true, "; mbarrier object full[1], initialized at deadlocks.cu:");
    says(&trial, 1, true, "; mbarrier object empty[2], initialized at deadlocks.cu:");
    says(&trial, 2, true, "; mbarrier object done, initialized at deadlocks.cu:");
    says(&trial, 2, true, "; phase 0 has 0 of 32 arrivals");
    end(&trial);
}

static void test_named_barrier(void)
{
    struct trial trial;
    run("named", 1, 64, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 2);
    says(&trial, 0, false, "; 32 of 64 threads are there; barrier 5");
    says(&trial, 1, false, "; 32 of 64 threads are there");
    end(&trial);
}

static void test_cluster(void)
{
    struct trial trial;
    run("cluster", 2, 32, &trial);
    CU_ASSERT_EQUAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].times, 2);
    says(&trial, 0, false, "; mbarrier object mine; phase 0 has 0 of 1 arrivals; 2 times");
    end(&trial);
}

CU_TestInfo tests_deadlocks[] = {
    {"a deadlock names the mbarrier object, its phase and its missing arrivals", test_arrivals},
    {"a deadlock tells how many bytes an mbarrier object lacks", test_bytes},
    {"a deadlock names objects of a structure by the source", test_structure},
    {"a deadlock names the barriers", test_named_barrier},
    {"a deadlock of blocks of a cluster", test_cluster},
    CU_TEST_INFO_NULL};
