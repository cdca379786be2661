/* deadlocks: what is said of threads that wait for ever: the object by name, its phase, what it
   lacks, and who called. The kernels are those of tests/data/emulator/deadlocks.cu, compiled by
   nvcc. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "machine/emulator.h"
#include "unit.h"

#define FOLDER SMC_SOURCE_DIR "/tests/data/emulator/"

struct trial {
    uint32_t out[128];
    struct smc_program *program;
    struct smc_emulation emulation;
};

static void run(const char *entry, uint32_t blocks, uint32_t threads, struct trial *trial)
{
    static char ptx[1 << 16];
    struct smc_emulated_array arrays[] = {
        {.name = "out", .data = trial->out, .bytes = sizeof trial->out}};
    struct smc_emulated_argument arguments[] = {{.is_array = true, .array = 0}};
    struct smc_emulation_request request = {.grid = {blocks, 1, 1},
                                            .block = {threads, 1, 1},
                                            .dynamic_smem_bytes = 1024,
                                            .arrays = arrays,
                                            .array_count = 1,
                                            .arguments = arguments,
                                            .argument_count = 1,
                                            .banks = {32, 32, 1, false, true}};
    struct smc_error error = {""};
    FILE *file = fopen(FOLDER "deadlocks.ptx", "rb");
    *trial = (struct trial){.program = NULL};
    CU_ASSERT_FATAL(file != NULL);
    const size_t bytes = fread(ptx, 1, sizeof ptx, file);
    fclose(file);
    enum smc_status status = smc_program_read(ptx, bytes, entry, &trial->program, &error);
    request.program = trial->program;
    if (status == SMC_OK)
        status = smc_emulate(&request, &trial->emulation, &error);
    if (status != SMC_OK)
        printf("%s: %s\n", entry, error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
}

static void end(struct trial *trial)
{
    smc_emulation_free(&trial->emulation);
    smc_program_free(trial->program);
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
