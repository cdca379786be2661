/* model: the golden rows of CC 1.x and 2.x, the textbook's numbers, and every rule by name. */
#include <stdio.h>
#include <string.h>

#include "rules/allocation.h"
#include "rules/devices.h"
#include "rules/occupancy.h"
#include "unit.h"

static struct smc_sm sm_of(unsigned cc)
{
    struct smc_capability capability = {0};
    CU_ASSERT_FATAL(smc_capability_find((uint16_t)cc, &capability));
    return capability.sm;
}

static struct smc_occupancy compute(unsigned cc, struct smc_launch launch)
{
    struct smc_sm sm = sm_of(cc);
    struct smc_occupancy out;
    smc_occupancy_compute(&sm, &launch, &out);
    return out;
}

/* SMC_LAUNCH_INIT with some members set again; the override is intended. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define LAUNCH(...)                                                                                \
    ((struct smc_launch){.threads_per_block = 1,                                                   \
                         .carveout_percent = SMC_CARVEOUT_DEFAULT,                                 \
                         .barriers_per_block = 1,                                                  \
                         __VA_ARGS__})

#define BIT(kind, id) (1u << SMC_##kind##_##id)

static void test_golden_cc1_cc2(void)
{
    FILE *file = fopen(SMC_SOURCE_DIR "/tests/data/golden_cc1_cc2.csv", "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    char line[256];
    unsigned rows = 0, wrong = 0;
    CU_ASSERT_PTR_NOT_NULL(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        unsigned major, minor, threads, regs, smem, blocks, warps, registers, shared, slots;
        unsigned regs_per_block, smem_per_block;
        int fields = sscanf(line, "%u.%u,%u,%u,%u,%u,%u,%u,%u,%u,%u,%u", &major, &minor, &threads,
                            &regs, &smem, &blocks, &warps, &registers, &shared, &slots,
                            &regs_per_block, &smem_per_block);
        CU_ASSERT_EQUAL_FATAL(fields, 12);
        struct smc_occupancy o =
            compute(10 * major + minor, LAUNCH(.threads_per_block = threads,
                                               .regs_per_thread = regs, .static_smem_bytes = smem));
        bool same = o.blocks_per_sm == blocks && o.limit[SMC_LIMIT_WARPS] == warps &&
                    o.limit[SMC_LIMIT_REGISTERS] == registers &&
                    o.limit[SMC_LIMIT_SHARED_MEMORY] == shared &&
                    o.limit[SMC_LIMIT_BLOCKS] == slots &&
                    o.regs_allocated_per_block == regs_per_block &&
                    o.smem_allocated_per_block_bytes == smem_per_block;
        rows++;
        wrong += !same;
        if (!same)
            fprintf(stderr, "golden_cc1_cc2.csv:%u: %s", rows + 1, line);
    }
    fclose(file);
    CU_ASSERT_EQUAL(rows, 240);
    CU_ASSERT_EQUAL(wrong, 0);
}

/* The 8800 GTX of the textbooks: a 16 x 16 tile, then one register more, then a 32 x 32 tile. */
static void test_textbook(void)
{
    struct smc_occupancy o = compute(
        10, LAUNCH(.threads_per_block = 256, .regs_per_thread = 10, .static_smem_bytes = 2048));
    CU_ASSERT_EQUAL(o.blocks_per_sm, 3);
    CU_ASSERT_EQUAL(o.warps_per_sm * 32, 768);
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_SHARED_MEMORY], 8);
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_WARPS], 3);
    CU_ASSERT_EQUAL(o.limiters, BIT(LIMIT, WARPS) | BIT(LIMIT, REGISTERS));

    o = compute(10,
                LAUNCH(.threads_per_block = 256, .regs_per_thread = 11, .static_smem_bytes = 2048));
    CU_ASSERT_EQUAL(o.blocks_per_sm, 2);
    CU_ASSERT_EQUAL(o.warps_per_sm * 32, 512);
    CU_ASSERT_EQUAL(o.limiters, BIT(LIMIT, REGISTERS));

    o = compute(10,
                LAUNCH(.threads_per_block = 1024, .regs_per_thread = 8, .static_smem_bytes = 8192));
    CU_ASSERT_EQUAL(o.blocks_per_sm, 0);
    CU_ASSERT(o.refusals & BIT(REFUSAL, THREADS_PER_BLOCK));
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_SHARED_MEMORY], 2);
}

static void test_odd_warps_on_cc1(void)
{
    /* Three warps: the published formula divides 24 warps by 3; the CUDA 7.0 header by 4. The
       formula is followed; registers round to 4 warps in both. */
    struct smc_occupancy o = compute(10, LAUNCH(.threads_per_block = 96, .regs_per_thread = 2));
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_WARPS], 8);
    CU_ASSERT_EQUAL(o.regs_allocated_per_block, 256);
    o = compute(10, LAUNCH(.threads_per_block = 96, .regs_per_thread = 16));
    CU_ASSERT_EQUAL(o.regs_allocated_per_block, 2048);
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_REGISTERS], 4);
}

/* Each row is a result of NVIDIA's header, or of a launch on a GPU, that other calculators get
   wrong. */
static void test_vectors(void)
{
    static const struct {
        unsigned cc;
        struct smc_launch launch;
        unsigned blocks;
    } rows[] = {
#define ROW(cc, blocks, ...)                                                                       \
    {cc,                                                                                           \
     {.threads_per_block = 1, .carveout_percent = -1, .barriers_per_block = 1, __VA_ARGS__},       \
     blocks}
        ROW(90, 3, .threads_per_block = 128, .regs_per_thread = 32, .static_smem_bytes = 16384,
            .carveout_percent = 24),
        ROW(90, 7, .threads_per_block = 128, .regs_per_thread = 32, .static_smem_bytes = 16384,
            .carveout_percent = 49),
        ROW(90, 11, .threads_per_block = 128, .regs_per_thread = 32, .static_smem_bytes = 16384,
            .carveout_percent = 74),
        ROW(90, 13, .threads_per_block = 128, .regs_per_thread = 32, .static_smem_bytes = 16384,
            .carveout_percent = 99),
        ROW(80, 2, .threads_per_block = 224, .regs_per_thread = 92),
        ROW(80, 0, .threads_per_block = 800, .regs_per_thread = 80),
        ROW(90, 0, .threads_per_block = 800, .regs_per_thread = 80),
        ROW(62, 0, .threads_per_block = 1024, .regs_per_thread = 35),
        ROW(52, 5, .threads_per_block = 128, .regs_per_thread = 85),
        ROW(52, 4, .threads_per_block = 128, .regs_per_thread = 85,
            .partitioned_caching = SMC_PARTITIONED_CACHING_ON),
        ROW(20, 2, .threads_per_block = 224, .regs_per_thread = 48),
        ROW(90, 21, .threads_per_block = 64, .regs_per_thread = 16, .barriers_per_block = 3),
        ROW(120, 24, .threads_per_block = 32, .regs_per_thread = 16),
        ROW(90, 1, .threads_per_block = 128, .regs_per_thread = 32, .dynamic_smem_bytes = 232448),
        ROW(90, 0, .threads_per_block = 128, .regs_per_thread = 32, .dynamic_smem_bytes = 232449),
        ROW(80, 8, .threads_per_block = 128, .regs_per_thread = 32, .carveout_percent = 0),
        ROW(100, 2, .threads_per_block = 32, .regs_per_thread = 16, .virtual_resources = 64),
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct smc_occupancy o = compute(rows[i].cc, rows[i].launch);
        CU_ASSERT_EQUAL(o.blocks_per_sm, rows[i].blocks);
        if (o.blocks_per_sm != rows[i].blocks)
            fprintf(stderr, "vector %zu: %u blocks, not %u\n", i, o.blocks_per_sm, rows[i].blocks);
    }
}

static void test_fermi_units(void)
{
    static const unsigned doubled[] = {21, 22, 29, 30, 37, 38, 45, 46};
    for (unsigned regs = 1, next = 0; regs <= 63; regs++) {
        bool is_doubled = next < 8 && doubled[next] == regs;
        unsigned unit = is_doubled ? 128 : 64;
        next += is_doubled;
        struct smc_occupancy o =
            compute(21, LAUNCH(.threads_per_block = 32, .regs_per_thread = regs));
        CU_ASSERT_EQUAL(o.regs_allocated_per_warp, (32 * regs + unit - 1) / unit * unit);
    }
}

/* 6.0 has two sub-partitions, yet must also pass the check of 6.1 with four: 5 warps count as 8. */
static void test_gp100_check(void)
{
    struct smc_launch launch = LAUNCH(.threads_per_block = 160, .regs_per_thread = 255);
    CU_ASSERT_EQUAL(compute(60, launch).blocks_per_sm, 1);
    launch.threads_per_block = 288; /* 9 warps: 10 x 6400 would fit, 12 x 6400 do not */
    launch.regs_per_thread = 200;
    CU_ASSERT_EQUAL(compute(60, launch).blocks_per_sm, 0);
    CU_ASSERT(compute(60, launch).refusals & BIT(REFUSAL, REGS_PER_BLOCK));
}

static void test_carveout(void)
{
    struct smc_sm hopper = sm_of(90), turing = sm_of(75), kepler = sm_of(37), maxwell = sm_of(50);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, -1, SMC_CACHE_PREFER_NONE), 233472);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, 0, SMC_CACHE_PREFER_NONE), 0);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, 1, SMC_CACHE_PREFER_NONE), 8192);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, 50, SMC_CACHE_PREFER_L1), 132 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, -1, SMC_CACHE_PREFER_L1), 0);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&hopper, -1, SMC_CACHE_PREFER_EQUAL), 132 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&turing, 0, SMC_CACHE_PREFER_NONE), 32 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&turing, 51, SMC_CACHE_PREFER_NONE), 64 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&kepler, 0, SMC_CACHE_PREFER_NONE), 112 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&kepler, -1, SMC_CACHE_PREFER_EQUAL), 96 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&kepler, -1, SMC_CACHE_PREFER_L1), 80 * 1024);
    CU_ASSERT_EQUAL(smc_smem_preferred_bytes(&maxwell, 50, SMC_CACHE_PREFER_L1), 64 * 1024);

    /* Too small for one block: raised to the next size that fits, not to the largest. */
    struct smc_occupancy o = compute(
        90, LAUNCH(.threads_per_block = 32, .static_smem_bytes = 20000, .carveout_percent = 5));
    CU_ASSERT_EQUAL(o.smem_configured_bytes, 32 * 1024);
    CU_ASSERT_EQUAL(o.blocks_per_sm, 1);
    o = compute(35, LAUNCH(.threads_per_block = 32, .static_smem_bytes = 20000,
                           .cache_config = SMC_CACHE_PREFER_L1));
    CU_ASSERT_EQUAL(o.smem_configured_bytes, 48 * 1024);
    CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_SHARED_MEMORY], 2);
}

static void test_refusals(void)
{
    struct smc_occupancy o = compute(90, LAUNCH(.threads_per_block = 1025));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, THREADS_PER_BLOCK));
    CU_ASSERT_EQUAL(o.limiters, BIT(LIMIT, WARPS));
    o = compute(90, LAUNCH(.threads_per_block = 32, .regs_per_thread = 256));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, REGS_PER_THREAD));
    o = compute(90, LAUNCH(.threads_per_block = 1024, .regs_per_thread = 65));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, REGS_PER_BLOCK));
    o = compute(90, LAUNCH(.threads_per_block = 32, .static_smem_bytes = 49153));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, STATIC_SMEM));
    o = compute(90, LAUNCH(.threads_per_block = 32, .dynamic_smem_bytes = 49153));
    CU_ASSERT_EQUAL(o.refusals, 0);
    o = compute(90, LAUNCH(.threads_per_block = 32, .dynamic_smem_bytes = 49153,
                           .smem_not_opted_in = true));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, SMEM_NOT_OPTED_IN));
    o = compute(75, LAUNCH(.threads_per_block = 32, .dynamic_smem_bytes = 65537));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, SMEM_PER_BLOCK));
    o = compute(90, LAUNCH(.threads_per_block = 32, .barriers_per_block = 17));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, NAMED_BARRIERS));
    o = compute(120, LAUNCH(.threads_per_block = 32, .virtual_resources = 129));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, VIRTUAL_RESOURCES));
    o = compute(90, LAUNCH(.threads_per_block = 32, .blocks_per_cluster = 16));
    CU_ASSERT_EQUAL(o.refusals, 0);
    o = compute(90, LAUNCH(.threads_per_block = 32, .blocks_per_cluster = 17));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, CLUSTER_SIZE));
    o = compute(80, LAUNCH(.threads_per_block = 32, .blocks_per_cluster = 2));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, CLUSTER_SIZE));
    CU_ASSERT_EQUAL(o.limiters, BIT(LIMIT, CLUSTER));
    CU_ASSERT_STRING_EQUAL(smc_refusal_name(SMC_REFUSAL_STATIC_SMEM), "static_smem_per_block");
}

/* In words, those that the commands have others for. */
static void test_refusals_in_words(void)
{
    const struct {
        struct smc_launch launch;
        enum smc_refusal refusal;
        const char *words;
    } cases[] = {
        {LAUNCH(.threads_per_block = 32, .static_smem_bytes = 49153), SMC_REFUSAL_STATIC_SMEM,
         "49153 bytes (0xc001) of static shared memory; the limit is 49152 (0xc000)"},
        {LAUNCH(.threads_per_block = 32, .static_smem_bytes = 1, .dynamic_smem_bytes = 49152,
                .smem_not_opted_in = true),
         SMC_REFUSAL_SMEM_NOT_OPTED_IN,
         "49153 bytes of shared memory; without opting in a block has 49152"},
    };
    const struct smc_sm sm = sm_of(90);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_occupancy o;
        struct smc_text text = {0};
        smc_occupancy_compute(&sm, &cases[i].launch, &o);
        CU_ASSERT_EQUAL(o.refusals, 1u << cases[i].refusal);
        smc_refusal_describe(&sm, &cases[i].launch, &o, cases[i].refusal, &text);
        CU_ASSERT_STRING_EQUAL(smc_text_string(&text), cases[i].words);
        smc_text_free(&text);
    }
}

/* Each mode up to its last byte: driver_types.h of CUDA 13.5, cudaSharedMemoryMode. 10.7 keeps 8 KB
   of L1 in the oversized configuration; 9.0 has none. */
static void test_smem_modes(void)
{
    const struct {
        uint16_t cc;
        enum smc_smem_mode mode;
        uint32_t most, configured; /* dynamic bytes of a block; the SM's with that much */
        enum smc_refusal beyond;
    } cases[] = {
        {107, SMC_SMEM_MODE_DEFAULT, 232448, 233472, SMC_REFUSAL_SMEM_PER_BLOCK},
        {107, SMC_SMEM_MODE_PORTABLE, 49152, 233472, SMC_REFUSAL_SMEM_NOT_PORTABLE},
        {107, SMC_SMEM_MODE_NON_PORTABLE, 232448, 233472, SMC_REFUSAL_SMEM_PER_BLOCK},
        {107, SMC_SMEM_MODE_OVERSIZED, 334848, 335872, SMC_REFUSAL_SMEM_PER_BLOCK},
        {107, SMC_SMEM_MODE_PREFER_OVERSIZED, 334848, 335872, SMC_REFUSAL_SMEM_PER_BLOCK},
        {90, SMC_SMEM_MODE_PORTABLE, 49152, 233472, SMC_REFUSAL_SMEM_NOT_PORTABLE},
        {90, SMC_SMEM_MODE_OVERSIZED, 232448, 233472, SMC_REFUSAL_SMEM_PER_BLOCK},
        {90, SMC_SMEM_MODE_PREFER_OVERSIZED, 232448, 233472, SMC_REFUSAL_SMEM_PER_BLOCK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_launch launch =
            LAUNCH(.threads_per_block = 32, .dynamic_smem_bytes = cases[i].most,
                   .smem_not_opted_in = cases[i].mode != SMC_SMEM_MODE_DEFAULT,
                   .smem_mode = cases[i].mode);
        struct smc_occupancy o = compute(cases[i].cc, launch);
        CU_ASSERT(o.refusals == 0 && o.blocks_per_sm > 0);
        CU_ASSERT_EQUAL(o.smem_configured_bytes, cases[i].configured);
        launch.dynamic_smem_bytes++;
        o = compute(cases[i].cc, launch);
        CU_ASSERT_EQUAL(o.refusals, 1u << cases[i].beyond);
        CU_ASSERT_EQUAL(o.blocks_per_sm, 0);
    }
    /* Allowed does not mean preferred: if a block fits the largest carve-out, the SM keeps it. */
    struct smc_launch small = LAUNCH(.threads_per_block = 32, .dynamic_smem_bytes = 140 * 1024,
                                     .smem_mode = SMC_SMEM_MODE_OVERSIZED);
    CU_ASSERT_EQUAL(compute(107, small).smem_configured_bytes, 233472);
    CU_ASSERT_EQUAL(compute(107, small).blocks_per_sm, 1);
    small.smem_mode = SMC_SMEM_MODE_PREFER_OVERSIZED;
    small.carveout_percent = 10;
    CU_ASSERT_EQUAL(compute(107, small).smem_configured_bytes, 335872);
    CU_ASSERT_EQUAL(compute(107, small).blocks_per_sm, 2);
    CU_ASSERT_STRING_EQUAL(smc_smem_mode_name(SMC_SMEM_MODE_OVERSIZED), "oversized");
    CU_ASSERT_STRING_EQUAL(smc_smem_mode_runtime_name(SMC_SMEM_MODE_PORTABLE),
                           "cudaSharedMemoryModeRequirePortable");
}

/* As many barriers as block slots on 10.3 and 10.7, twice as many on 10.0. */
static void test_barriers_of_blackwell(void)
{
    const struct {
        uint16_t cc;
        uint32_t limit;
    } cases[] = {{100, 32}, {103, 16}, {107, 8}, {110, 12}, {120, 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_occupancy o =
            compute(cases[i].cc, LAUNCH(.threads_per_block = 32, .barriers_per_block = 2));
        CU_ASSERT_EQUAL(o.limit[SMC_LIMIT_BARRIERS], cases[i].limit);
    }
}

static struct smc_occupancy compute_grid(uint16_t cc, uint32_t threads, uint32_t x, uint32_t y,
                                         uint32_t z)
{
    return compute(cc, LAUNCH(.threads_per_block = threads, .grid = {x, y, z}));
}

/* The largest grid that each generation accepts in each dimension, and the smallest that it
   refuses. */
static void test_grids(void)
{
    static const struct {
        uint16_t cc;
        uint32_t most[3];
    } cases[] = {{10, {65535, 65535, 1}},         {13, {65535, 65535, 1}},
                 {20, {65535, 65535, 65535}},     {21, {65535, 65535, 65535}},
                 {30, {INT32_MAX, 65535, 65535}}, {90, {INT32_MAX, 65535, 65535}},
                 {121, {INT32_MAX, 65535, 65535}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *most = cases[i].most;
        struct smc_occupancy o = compute_grid(cases[i].cc, 64, most[0], most[1], most[2]);
        CU_ASSERT(o.refusals == 0 && o.blocks_per_sm > 0 && o.limiters != 0);
        o = compute_grid(cases[i].cc, 64, most[0] + 1, most[1], most[2]);
        CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, GRID_X));
        CU_ASSERT(o.blocks_per_sm == 0 && o.warps_per_sm == 0 && o.limiters == 0);
        CU_ASSERT(o.limit[SMC_LIMIT_WARPS] > 0);
        o = compute_grid(cases[i].cc, 64, 1, most[1] + 1, most[2]);
        CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, GRID_Y));
        o = compute_grid(cases[i].cc, 64, 1, most[1] + 1, most[2] + 1);
        CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, GRID_Y) | BIT(REFUSAL, GRID_Z));
    }
    struct smc_occupancy o = compute_grid(20, 64, 0, UINT32_MAX, UINT32_MAX); /* not known */
    CU_ASSERT(o.refusals == 0 && o.blocks_per_sm > 0);
    o = compute_grid(20, 2048, 65536, 1, 1); /* with another reason in addition */
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, THREADS_PER_BLOCK) | BIT(REFUSAL, GRID_X));
    CU_ASSERT_EQUAL(o.limiters, BIT(LIMIT, WARPS));
}

/* The most threads in z, and the most bytes of arguments, of each generation. */
static void test_shapes(void)
{
    static const struct {
        uint16_t cc;
        uint32_t bytes;
    } cases[] = {{10, 256}, {20, 4096}, {62, 4096}, {70, 32764}, {90, 32764}, {121, 32764}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint16_t cc = cases[i].cc;
        struct smc_occupancy o = compute(cc, LAUNCH(.threads_per_block = 64, .block = {1, 1, 64},
                                                    .parameter_bytes = cases[i].bytes));
        CU_ASSERT(o.refusals == 0 && o.blocks_per_sm > 0);
        o = compute(cc, LAUNCH(.threads_per_block = 65, .block = {1, 1, 65}));
        CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, BLOCK_Z));
        CU_ASSERT(o.blocks_per_sm == 0 && o.warps_per_sm == 0 && o.limiters == 0);
        o = compute(cc, LAUNCH(.threads_per_block = 64, .parameter_bytes = cases[i].bytes + 1));
        CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, PARAMETER_BYTES));
    }
    struct smc_occupancy o = compute(90, LAUNCH(.threads_per_block = 1024, .block = {1, 1024, 1}));
    CU_ASSERT_EQUAL(o.refusals, 0);
    o = compute(90, LAUNCH(.threads_per_block = 2048, .block = {2, 1, 1024}));
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, BLOCK_Z) | BIT(REFUSAL, THREADS_PER_BLOCK));
}

/* A cluster's shape divides the grid; one of which only the size is known can have any shape. */
static void test_cluster_shapes(void)
{
    static const struct {
        uint32_t blocks, cluster[3], grid[3];
        uint32_t refusals;
    } cases[] = {
        {8, {4, 2, 1}, {4, 28, 1}, 0},
        {8, {4, 2, 1}, {4, 27, 1}, BIT(REFUSAL, CLUSTER_SHAPE)},
        {8, {8, 1, 1}, {4, 28, 1}, BIT(REFUSAL, CLUSTER_SHAPE)},
        {8, {0}, {4, 28, 1}, 0},
        {2, {0}, {1, 132, 1}, 0},
        {2, {0}, {1, 1, 2}, 0},
        {2, {0}, {3, 3, 3}, BIT(REFUSAL, CLUSTER_SHAPE)},
        {6, {0}, {2, 3, 1}, 0},
        {12, {0}, {2, 2, 3}, 0},
        {12, {0}, {2, 3, 1}, BIT(REFUSAL, CLUSTER_SHAPE)},
        {8, {0}, {9, 2, 1}, BIT(REFUSAL, CLUSTER_SHAPE)}, /* 3 divides the grid, but not 8 */
        {8, {8, 1, 1}, {0}, 0},                           /* the grid is not known */
        {17, {17, 1, 1}, {17, 1, 1}, BIT(REFUSAL, CLUSTER_SIZE)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_launch launch =
            LAUNCH(.threads_per_block = 64, .blocks_per_cluster = cases[i].blocks);
        memcpy(launch.cluster, cases[i].cluster, sizeof launch.cluster);
        memcpy(launch.grid, cases[i].grid, sizeof launch.grid);
        CU_ASSERT_EQUAL(compute(90, launch).refusals, cases[i].refusals);
    }
    struct smc_launch launch =
        LAUNCH(.threads_per_block = 64, .blocks_per_cluster = 8, .cluster_not_opted_in = true);
    CU_ASSERT_EQUAL(compute(90, launch).refusals, 0);
    launch.blocks_per_cluster = 9;
    CU_ASSERT_EQUAL(compute(90, launch).refusals, BIT(REFUSAL, CLUSTER_NOT_PORTABLE));
    CU_ASSERT_EQUAL(compute(120, launch).refusals, BIT(REFUSAL, CLUSTER_SIZE));
}

static struct smc_occupancy check_on(const char *board, struct smc_launch launch)
{
    struct smc_device device;
    struct smc_occupancy out;
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find(board, &device, note, NULL), SMC_OK);
    smc_launch_check(&device.sm, device.sm_count, &device.sm_groups, &launch, &out);
    return out;
}

/* Computed by hand of 16 x5, 18 x2, 8 and 2 x4 SMs; 15 clusters of 8 were seen on an H100. */
static void test_resident_clusters(void)
{
    static const struct {
        uint32_t size, smem, clusters;
    } cases[] = {
        {2, 200000, 66}, {3, 200000, 39},  {4, 200000, 30},  {8, 200000, 15},
        {16, 200000, 7}, {2, 100000, 132}, {16, 100000, 14}, {5, 100000, 47},
        {2, 0, 528},     {7, 0, 139},      {16, 0, 58}, /* no more than eight blocks of an SM */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct smc_launch launch =
            LAUNCH(.threads_per_block = 64, .dynamic_smem_bytes = cases[i].smem,
                   .blocks_per_cluster = cases[i].size);
        struct smc_occupancy o = check_on("NVIDIA H100 80GB HBM3", launch);
        CU_ASSERT_EQUAL(o.resident_clusters, cases[i].clusters);
        CU_ASSERT_EQUAL(o.resident_blocks, cases[i].clusters * cases[i].size);
        CU_ASSERT_FALSE(o.clusters_are_bound);
        CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).resident_clusters, cases[i].clusters);
    }
    const struct smc_launch launch =
        LAUNCH(.threads_per_block = 64, .dynamic_smem_bytes = 200000, .blocks_per_cluster = 8);
    struct smc_occupancy o = check_on("NVIDIA H100 PCIe", launch);
    CU_ASSERT(o.clusters_are_bound && o.resident_clusters == 114 / 8);
    o = check_on("9.0", launch);
    CU_ASSERT(o.refusals == 0 && o.resident_clusters == 0 && o.resident_blocks == 0);
}

/* All blocks of a cooperative launch are resident at a time, also in clusters. */
static void test_cooperative(void)
{
    struct smc_launch launch = LAUNCH(.threads_per_block = 1024, .regs_per_thread = 32,
                                      .grid = {264, 1, 1}, .is_cooperative = true);
    CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).refusals, 0);
    launch.grid[0] = 265;
    struct smc_occupancy o = check_on("NVIDIA H200", launch);
    CU_ASSERT_EQUAL(o.refusals, BIT(REFUSAL, COOPERATIVE_SIZE));
    CU_ASSERT(o.blocks_per_sm == 0 && o.resident_blocks == 264);
    launch.is_cooperative = false;
    CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).refusals, 0);
    launch.is_cooperative = true;
    launch.grid[0] = INT32_MAX, launch.grid[1] = launch.grid[2] = 65535;
    CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).refusals, BIT(REFUSAL, COOPERATIVE_SIZE));
    CU_ASSERT_EQUAL(check_on("9.0", launch).refusals, 0); /* SMs unknown */
    launch = LAUNCH(.threads_per_block = 64, .dynamic_smem_bytes = 200000, .grid = {120, 1, 1},
                    .blocks_per_cluster = 8, .is_cooperative = true);
    CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).refusals, 0);
    launch.grid[0] = 128;
    CU_ASSERT_EQUAL(check_on("NVIDIA H200", launch).refusals, BIT(REFUSAL, COOPERATIVE_SIZE));
}

/* Any numbers: no division by zero, no overflow, and 0 blocks if they are impossible. */
static void test_extremes(void)
{
    static const uint32_t values[] = {0, 1, 31, 4096, 1u << 31, UINT32_MAX};
    enum { COUNT = sizeof values / sizeof *values };
    unsigned wrong = 0;
    for (size_t c = 0; c < smc_capability_count(); c++) {
        struct smc_capability capability;
        smc_capability_at(c, &capability);
        for (unsigned i = 0; i < COUNT * COUNT * COUNT * COUNT; i++) {
            struct smc_launch launch =
                LAUNCH(.threads_per_block = values[i % COUNT],
                       .regs_per_thread = values[i / COUNT % COUNT],
                       .static_smem_bytes = values[i / COUNT / COUNT % COUNT],
                       .dynamic_smem_bytes = values[i / COUNT / COUNT / COUNT % COUNT]);
            struct smc_occupancy o;
            smc_occupancy_compute(&capability.sm, &launch, &o);
            wrong += o.warps_per_sm > capability.sm.max_warps_per_sm;
            wrong += (o.blocks_per_sm > 0) != (o.refusals == 0);
            wrong += o.limiters == 0;
        }
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(smc_limit_name(SMC_LIMIT_SHARED_MEMORY), "shared_memory");
    CU_ASSERT_STRING_EQUAL(smc_limit_label(SMC_LIMIT_BLOCKS), "block slots");
    CU_ASSERT_STRING_EQUAL(smc_limit_name(SMC_LIMIT_CLUSTER), "cluster");
}

/* It limits no residency: a block waits for its columns. */
static void test_tensor_memory(void)
{
    struct smc_occupancy o = compute(100, LAUNCH(.threads_per_block = 128, .regs_per_thread = 32,
                                                 .tmem_columns_per_block = 128));
    CU_ASSERT_EQUAL(o.blocks_per_sm, 16);
    CU_ASSERT_EQUAL(o.tmem_blocks_per_sm, 4);
    o = compute(100, LAUNCH(.threads_per_block = 1024, .regs_per_thread = 32,
                            .tmem_columns_per_block = 32));
    CU_ASSERT(o.blocks_per_sm == 2 && o.tmem_blocks_per_sm == 2);
    o = compute(103, LAUNCH(.threads_per_block = 128, .tmem_columns_per_block = 512));
    CU_ASSERT_EQUAL(o.tmem_blocks_per_sm, 1);
    o = compute(90, LAUNCH(.threads_per_block = 128, .tmem_columns_per_block = 32));
    CU_ASSERT(o.blocks_per_sm == 16 && o.tmem_blocks_per_sm == 0);
    o = compute(100, LAUNCH(.threads_per_block = 128));
    CU_ASSERT_EQUAL(o.tmem_blocks_per_sm, 0);
}

CU_TestInfo tests_model[] = {
    {"Tensor Memory", test_tensor_memory},
    {"240 golden rows of CC 1.x and 2.x", test_golden_cc1_cc2},
    {"the textbook's 8800 GTX", test_textbook},
    {"odd warp counts on CC 1.x follow the published formula", test_odd_warps_on_cc1},
    {"vectors that others get wrong", test_vectors},
    {"CC 2.x register units", test_fermi_units},
    {"CC 6.0 also passes the check of 6.1", test_gp100_check},
    {"carve-out", test_carveout},
    {"every refusal", test_refusals},
    {"refusals in words", test_refusals_in_words},
    {"shared-memory modes to the last byte", test_smem_modes},
    {"barriers of CC 10.x to 12.x", test_barriers_of_blackwell},
    {"the largest grids", test_grids},
    {"threads in z and bytes of arguments", test_shapes},
    {"the shapes of clusters", test_cluster_shapes},
    {"resident clusters", test_resident_clusters},
    {"cooperative launches", test_cooperative},
    {"extreme numbers", test_extremes},
    {"names", test_names},
    CU_TEST_INFO_NULL,
};
