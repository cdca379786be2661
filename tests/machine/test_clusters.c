/* clusters: blocks that make progress together: cooperative launches, and clusters with their
   barrier and their shared memory. The kernels are those of tests/data/emulator/clusters.cu,
   compiled by nvcc; expected values are computed here in C. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "stored_kernel.h"
#include "unit.h"

enum { ELEMENTS = 4096, THREADS = 64 };

struct trial {
    uint32_t in[ELEMENTS], out[ELEMENTS];
    struct smc_program *program;
    struct smc_emulation emulation;
};

struct shape {
    uint32_t grid[3];
    uint32_t cluster[3];
    bool cooperative;
};

static struct stored_kernel begin(const char *entry, const struct shape *shape, struct trial *trial,
                                  struct smc_emulated_array arrays[2])
{
    struct stored_kernel kernel = {"clusters", entry, {.block = {THREADS, 1, 1}}};
    kernel.request.cooperative = shape->cooperative;
    memcpy(kernel.request.grid, shape->grid, sizeof shape->grid);
    memcpy(kernel.request.cluster, shape->cluster, sizeof shape->cluster);
    *trial = (struct trial){.program = NULL};
    for (uint32_t i = 0; i < ELEMENTS; i++)
        trial->in[i] = i * 2654435761u;
    arrays[0] =
        (struct smc_emulated_array){.name = "out", .data = trial->out, .bytes = sizeof trial->out};
    arrays[1] =
        (struct smc_emulated_array){.name = "in", .data = trial->in, .bytes = sizeof trial->in};
    kernel.request.arrays = arrays;
    kernel.request.array_count = 2;
    return kernel;
}

static void run(const char *entry, const struct shape *shape, struct trial *trial)
{
    struct smc_emulated_array arrays[2];
    const struct stored_kernel kernel = begin(entry, shape, trial, arrays);
    stored_kernel_run(&kernel, &trial->program, &trial->emulation);
}

static void run_well(const char *entry, const struct shape *shape, struct trial *trial)
{
    run(entry, shape, trial);
    CU_ASSERT(trial->emulation.completed);
    CU_ASSERT_EQUAL(trial->emulation.findings_total, 0);
    CU_ASSERT_EQUAL(trial->emulation.blocks_run,
                    (uint64_t)shape->grid[0] * shape->grid[1] * shape->grid[2]);
}

static void end(struct trial *trial)
{
    stored_kernel_end(trial->program, &trial->emulation);
}

static void test_grid_rounds(void)
{
    enum { BLOCKS = 12, ALL = BLOCKS * THREADS };
    static uint32_t value[ALL], before[ALL];
    struct trial trial;
    run_well("grid_rounds", &(struct shape){.grid = {4, 3, 1}, .cooperative = true}, &trial);
    for (uint32_t i = 0; i < ALL; i++)
        value[i] = i + 1;
    for (int round = 0; round < 4; round++) {
        memcpy(before, value, sizeof before);
        for (uint32_t i = 0; i < ALL; i++)
            value[i] += 3 * before[ALL - 1 - i];
    }
    CU_ASSERT_EQUAL(memcmp(trial.out, value, sizeof value), 0);
    end(&trial);
}

static void test_grid_sum(void)
{
    enum { BLOCKS = 20 };
    struct trial trial;
    uint32_t sum = 0;
    run_well("grid_sum", &(struct shape){.grid = {BLOCKS, 1, 1}, .cooperative = true}, &trial);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
        sum += trial.in[i];
    CU_ASSERT_EQUAL(trial.out[0], sum);
    for (uint32_t i = 0; i < BLOCKS * THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[1 + i], sum + i % THREADS);
    end(&trial);
}

static void test_grid_faults(void)
{
    struct trial trial;
    run("grid_without_one", &(struct shape){.grid = {3, 1, 1}, .cooperative = true}, &trial);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_DEADLOCK);
    CU_ASSERT_STRING_EQUAL(trial.emulation.finding[0].note,
                           "it polls memory that no block writes any more");
    CU_ASSERT_FALSE(trial.emulation.completed && trial.out[0]);
    CU_ASSERT(smc_program_asks_cooperative(trial.program));
    end(&trial);
    /* Without a cooperative launch the kernel stops itself, as on a GPU. */
    run("grid_rounds", &(struct shape){.grid = {4, 1, 1}}, &trial);
    CU_ASSERT_FATAL(trial.emulation.finding_count > 0);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_TRAP);
    CU_ASSERT_STRING_EQUAL(trial.emulation.finding[0].note,
                           "grid synchronization needs a cooperative launch, and this one is not");
    end(&trial);
}

static void test_places(void)
{
    struct trial trial;
    run_well("where", &(struct shape){.grid = {4, 6, 1}}, &trial);
    for (uint32_t y = 0; y < 6; y++)
        for (uint32_t x = 0; x < 4; x++) {
            const uint32_t *out = trial.out + (x + 4 * y) * 8;
            const uint32_t rank = x % 2 + 2 * (y % 2);
            CU_ASSERT_EQUAL(out[0], rank);
            CU_ASSERT_EQUAL(out[1], 4);
            CU_ASSERT_EQUAL(out[2], x % 2);
            CU_ASSERT_EQUAL(out[3], y % 2);
            CU_ASSERT_EQUAL(out[4], x / 2 + 200);
            CU_ASSERT_EQUAL(out[5], y / 2 + 300);
            CU_ASSERT_EQUAL(out[6], 1);
            CU_ASSERT_EQUAL(out[7], rank * THREADS);
        }
    end(&trial);
}

static void test_without_clusters(void)
{
    struct trial trial;
    run_well("alone", &(struct shape){.grid = {3, 1, 1}}, &trial);
    for (uint32_t i = 0; i < 3 * THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[i], 1000 + THREADS - 1 - i % THREADS);
    end(&trial);
    run_well("alone", &(struct shape){.grid = {6, 1, 1}, .cluster = {3, 1, 1}}, &trial);
    for (uint32_t i = 0; i < 6 * THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[i], 3000 + THREADS - 1 - i % THREADS + 2);
    end(&trial);
}

static void test_shared_of_others(void)
{
    enum { BLOCKS = 8 };
    static uint32_t bins[BLOCKS][THREADS];
    struct trial trial;
    run_well("shared_of_others", &(struct shape){.grid = {BLOCKS, 1, 1}}, &trial);
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t t = 0; t < THREADS; t++)
            for (uint32_t r = 0; r < 4; r++)
                bins[b / 4 * 4 + r][(t * 7 + r) % THREADS] += trial.in[b * THREADS + t];
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t t = 0; t < THREADS; t++)
            CU_ASSERT_EQUAL(trial.out[b * THREADS + t],
                            bins[b / 4 * 4 + (b + 3) % 4][THREADS - 1 - t] + 100 * ((b + 1) % 4));
    end(&trial);
    run_well("apart", &(struct shape){.grid = {4, 1, 1}}, &trial);
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[i], i * i + 5 * (i ^ THREADS));
    end(&trial);
    run_well("late_wait", &(struct shape){.grid = {4, 1, 1}}, &trial);
    for (uint32_t i = 0; i < 4 * THREADS; i++)
        CU_ASSERT_EQUAL(trial.out[i], THREADS - 1 - i % THREADS + 7);
    end(&trial);
}

static void test_remote_arrivals(void)
{
    struct trial trial;
    run_well("remote_arrivals", &(struct shape){.grid = {8, 1, 1}}, &trial);
    for (uint32_t i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(trial.out[i], 2 * trial.in[i]);
    end(&trial);
}

static void test_cluster_faults(void)
{
    struct trial trial;
    run("one_waits", &(struct shape){.grid = {4, 1, 1}}, &trial);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_DEADLOCK);
    end(&trial);
    run("beyond", &(struct shape){.grid = {2, 1, 1}}, &trial);
    CU_ASSERT_EQUAL_FATAL(trial.emulation.finding_count, 1);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].kind, SMC_FINDING_OUT_OF_BOUNDS);
    CU_ASSERT_EQUAL(trial.emulation.finding[0].times, 2);
    end(&trial);
}

static void test_refused_shapes(void)
{
    static const struct {
        const char *entry;
        struct shape shape;
        const char *message;
    } shapes[] = {
        {"where",
         {.grid = {3, 2, 1}},
         "kernel where: a grid of '3' blocks is not a multiple of its cluster of 2"},
        {"where",
         {.grid = {4, 4, 1}, .cluster = {4, 1, 1}},
         "kernel where: it is compiled for clusters of 2 x 2 x 1 blocks"},
        {"alone",
         {.grid = {32, 1, 1}, .cluster = {32, 1, 1}},
         "a cluster of '32' blocks is above 16"},
        {"alone",
         {.grid = {8, 4, 1}, .cluster = {8, 4, 1}},
         "a cluster of '32' blocks is above 16"},
        {"grid_sum",
         {.grid = {1 << 17, 1, 1}, .cooperative = true},
         "a cooperative launch of '131072' blocks is above 65536"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct trial trial;
        struct smc_error error = {""};
        struct smc_emulated_array arrays[2];
        const struct stored_kernel kernel =
            begin(shapes[i].entry, &shapes[i].shape, &trial, arrays);
        CU_ASSERT_EQUAL(stored_kernel_try(&kernel, &trial.program, &trial.emulation, &error),
                        SMC_USAGE);
        CU_ASSERT_STRING_EQUAL(error.message, shapes[i].message);
        end(&trial);
    }
}

CU_TestInfo tests_clusters[] = {{"grid synchronization", test_grid_rounds},
                                {"a sum over the grid", test_grid_sum},
                                {"a grid that waits for ever", test_grid_faults},
                                {"places of blocks in clusters", test_places},
                                {"a kernel with and without clusters", test_without_clusters},
                                {"shared memory of other blocks", test_shared_of_others},
                                {"arrivals at other blocks' barriers", test_remote_arrivals},
                                {"faults in clusters", test_cluster_faults},
                                {"shapes that are refused", test_refused_shapes},
                                CU_TEST_INFO_NULL};
