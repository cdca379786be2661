/* trace: the model's answer for each configuration, grouped and summed up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers/trace_answer.h"
#include "base/memory.h"
#include "share.h"
#include "unit.h"

enum { H100_SMS = 132 };

/* --- Traces to answer ------------------------------------------------------------------------- */

static struct smc_trace *begin(const char *gpu, uint32_t sm_count)
{
    struct smc_trace *trace = smc_calloc(1, sizeof *trace);
    CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
    const struct smc_trace_gpu described = {.id = 0, .name = gpu, .sm_count = sm_count};
    CU_ASSERT_EQUAL_FATAL(smc_trace_device(trace, &described), 0);
    return trace;
}

/* 256 threads, 32 registers, no shared memory: 8 blocks, full occupancy on CC 9.0. */
static struct smc_trace_launch usual(const char *name, uint32_t blocks)
{
    struct smc_trace_launch launch;
    smc_trace_launch_init(&launch);
    launch.name = (char *)(uintptr_t)name;
    launch.device = 0;
    launch.grid[0] = blocks;
    launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = 256;
    launch.block[1] = launch.block[2] = 1;
    launch.regs_per_thread = 32;
    launch.static_smem_bytes = launch.dynamic_smem_bytes = 0;
    return launch;
}

static void add(struct smc_trace *trace, struct smc_trace_launch launch, uint64_t ns)
{
    struct smc_error error = {""};
    if (ns > 0) {
        launch.timed_launches = launch.launches;
        launch.total_ns = ns;
        launch.least_ns = launch.greatest_ns = ns / launch.launches;
    }
    CU_ASSERT_EQUAL_FATAL(smc_trace_add_launches(trace, &launch, NULL, &error), SMC_OK);
}

static void answer(const struct smc_trace *trace, struct smc_trace_answer *out)
{
    struct smc_error error = {""};
    CU_ASSERT_EQUAL_FATAL(smc_trace_answer_on(trace, NULL, out, &error), SMC_OK);
}

static void end(struct smc_trace *trace, struct smc_trace_answer *out)
{
    smc_trace_answer_free(out);
    smc_trace_free(trace);
    free(trace);
}

/* The answer of a trace with one launch, on a GPU of that name. */
static struct smc_trace_row answer_one(const char *gpu, struct smc_trace_launch launch)
{
    struct smc_trace *trace = begin(gpu, H100_SMS);
    struct smc_trace_answer out;
    add(trace, launch, 0);
    answer(trace, &out);
    CU_ASSERT_EQUAL_FATAL(out.row_count, 1);
    struct smc_trace_row row = out.rows[0];
    row.launch = NULL;
    row.device = NULL;
    end(trace, &out);
    return row;
}

#define H100 "NVIDIA H100 80GB HBM3"

/* --- One configuration ------------------------------------------------------------------------ */

static void test_full(void)
{
    const struct smc_trace_row row = answer_one(H100, usual("k", 8 * H100_SMS * 3));
    CU_ASSERT_PTR_NULL(row.unknown);
    CU_ASSERT_EQUAL(row.occupancy.blocks_per_sm, 8);
    CU_ASSERT_EQUAL(row.bound, SMC_TRACE_BOUND_NONE);
    CU_ASSERT_TRUE(row.has_waves);
    CU_ASSERT_EQUAL(row.waves.waves, 3);
    CU_ASSERT_DOUBLE_EQUAL(row.tail_percent, 0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(row.resident_percent, 100, 1e-9);
    CU_ASSERT_EQUAL(row.agreement, SMC_TRACE_NOT_ASKED);
    CU_ASSERT_DOUBLE_EQUAL(row.mean_ns, -1, 0);
}

static void test_bounds(void)
{
    struct smc_trace_launch launch = usual("k", 8 * H100_SMS - 1);
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_GRID);
    launch.grid[0] = 8 * H100_SMS;
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_NONE);
    launch.regs_per_thread = 64;
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_REGISTERS);
    launch.static_smem_bytes = 40000;
    launch.dynamic_smem_bytes = 40000;
    struct smc_trace_row row = answer_one(H100, launch);
    CU_ASSERT_EQUAL(row.bound, SMC_TRACE_BOUND_SHARED_MEMORY);
    CU_ASSERT_EQUAL(row.occupancy.blocks_per_sm, 2);
    launch = usual("k", 100000);
    launch.block[0] = 32;
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_BLOCKS);
    launch.block[0] = 768;
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_WARPS);
    /* Too few blocks, whatever else limits them. */
    launch.grid[0] = 1;
    CU_ASSERT_EQUAL(answer_one(H100, launch).bound, SMC_TRACE_BOUND_GRID);
}

/* A launch that happened was opted in to what it uses. */
static void test_opted_in(void)
{
    struct smc_trace_launch launch = usual("k", 8 * H100_SMS);
    launch.dynamic_smem_bytes = 227 * 1024;
    const struct smc_trace_row row = answer_one(H100, launch);
    CU_ASSERT_EQUAL(row.occupancy.blocks_per_sm, 1);
    CU_ASSERT_EQUAL(row.occupancy.refusals, 0);
    CU_ASSERT_EQUAL(row.bound, SMC_TRACE_BOUND_SHARED_MEMORY);
    /* ptxas allows that much of it for sm_90a; of a sum nobody knows which part is static. */
    launch.static_smem_bytes = 100000;
    launch.dynamic_smem_bytes = 0;
    const struct smc_trace_row large = answer_one(H100, launch);
    CU_ASSERT_EQUAL(large.occupancy.refusals, 0);
    CU_ASSERT_EQUAL(large.occupancy.blocks_per_sm, 2);
    launch.static_smem_bytes = launch.dynamic_smem_bytes = SMC_TRACE_UNKNOWN;
    launch.smem_bytes = 100000;
    const struct smc_trace_row sum = answer_one(H100, launch);
    CU_ASSERT_PTR_NULL(sum.unknown);
    CU_ASSERT_EQUAL(sum.occupancy.blocks_per_sm, 2);
}

/* Only as much of the last wave as has blocks counts. */
static void test_tail(void)
{
    const struct smc_trace_row row = answer_one(H100, usual("k", 8 * H100_SMS + 264));
    CU_ASSERT_EQUAL(row.waves.waves, 2);
    CU_ASSERT_DOUBLE_EQUAL(row.tail_percent, 75, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(row.resident_percent, 62.5, 1e-9);
    const struct smc_trace_row small = answer_one(H100, usual("k", 132));
    CU_ASSERT_DOUBLE_EQUAL(small.tail_percent, 87.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(small.resident_percent, 12.5, 1e-9);
}

static void test_unknown(void)
{
    static const struct {
        int32_t regs;
        int64_t static_smem, dynamic_smem;
        uint32_t threads;
        const char *why;
    } cases[] = {
        {-1, 0, 0, 128, "registers were not recorded"},
        {32, -1, 0, 128, "shared memory was not recorded"},
        {32, 0, -1, 128, "shared memory was not recorded"},
        {32, 0, 0, 0, "the block size was not recorded"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_trace_launch launch = usual("k", 1000);
        launch.regs_per_thread = cases[i].regs;
        launch.static_smem_bytes = cases[i].static_smem;
        launch.dynamic_smem_bytes = cases[i].dynamic_smem;
        launch.block[0] = cases[i].threads;
        launch.api_blocks_per_sm = 3;
        const struct smc_trace_row row = answer_one(H100, launch);
        CU_ASSERT_STRING_EQUAL(row.unknown, cases[i].why);
        CU_ASSERT_EQUAL(row.bound, SMC_TRACE_BOUND_UNKNOWN);
        CU_ASSERT_EQUAL(row.agreement, SMC_TRACE_NOT_ASKED);
        CU_ASSERT_DOUBLE_EQUAL(row.occupancy_percent, -1, 0);
        CU_ASSERT_DOUBLE_EQUAL(row.resident_percent, -1, 0);
        CU_ASSERT_FALSE(row.has_waves);
    }
    struct smc_trace_launch launch = usual("k", 1000);
    launch.device = SMC_TRACE_UNKNOWN;
    CU_ASSERT_STRING_EQUAL(answer_one(H100, launch).unknown, "the GPU was not recorded");
    CU_ASSERT_STRING_EQUAL(answer_one("Riva 128", usual("k", 1)).unknown,
                           "the GPU is not in the table");
}

/* Without a grid, or without the number of SMs, there is an occupancy but there are no waves. */
static void test_no_waves(void)
{
    struct smc_trace_launch launch = usual("k", 0);
    struct smc_trace_row row = answer_one(H100, launch);
    CU_ASSERT_EQUAL(row.occupancy.blocks_per_sm, 8);
    CU_ASSERT_FALSE(row.has_waves);
    CU_ASSERT_DOUBLE_EQUAL(row.resident_percent, -1, 0);
    CU_ASSERT_EQUAL(row.bound, SMC_TRACE_BOUND_NONE);
    struct smc_trace *trace = smc_calloc(1, sizeof *trace);
    struct smc_trace_answer out;
    const struct smc_trace_gpu gpu = {.cc = 90};
    smc_trace_device(trace, &gpu);
    add(trace, usual("k", 1), 0);
    answer(trace, &out);
    CU_ASSERT_FALSE(out.rows[0].has_waves);
    CU_ASSERT_EQUAL(out.rows[0].bound, SMC_TRACE_BOUND_NONE);
    CU_ASSERT_DOUBLE_EQUAL(out.occupancy_percent, 100, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.resident_percent, -1, 0);
    end(trace, &out);
}

static void test_mig(void)
{
    struct smc_trace *trace = begin(H100, 16);
    struct smc_trace_answer out;
    add(trace, usual("k", 16 * 8), 0);
    answer(trace, &out);
    CU_ASSERT_EQUAL(out.rows[0].waves.resident_blocks, 16 * 8);
    CU_ASSERT_EQUAL(out.rows[0].bound, SMC_TRACE_BOUND_NONE);
    end(trace, &out);
}

static void test_agreement(void)
{
    struct smc_trace *trace = begin(H100, H100_SMS);
    struct smc_trace_answer out;
    struct smc_trace_launch launch = usual("same", 1000);
    launch.api_blocks_per_sm = 8;
    add(trace, launch, 0);
    launch.name = (char *)(uintptr_t) "other";
    launch.api_blocks_per_sm = 7;
    add(trace, launch, 0);
    add(trace, usual("not asked", 1), 0);
    answer(trace, &out);
    CU_ASSERT_EQUAL(out.asked, 2);
    CU_ASSERT_EQUAL(out.differing, 1);
    CU_ASSERT_EQUAL(out.refused, 0);
    for (size_t i = 0; i < out.row_count; i++) {
        const char *name = out.rows[i].launch->name;
        const enum smc_trace_agreement expected = !strcmp(name, "same")    ? SMC_TRACE_AGREES
                                                  : !strcmp(name, "other") ? SMC_TRACE_DIFFERS
                                                                           : SMC_TRACE_NOT_ASKED;
        CU_ASSERT_EQUAL(out.rows[i].agreement, expected);
    }
    end(trace, &out);
}

/* 16 named barriers: 4 blocks on CC 9.0, which has 64. */
static void test_barriers(void)
{
    struct smc_trace_launch launch = usual("k", 1000);
    CU_ASSERT_TRUE(answer_one(H100, launch).barriers_matter);
    launch.regs_per_thread = 64;
    CU_ASSERT_FALSE(answer_one(H100, launch).barriers_matter);
    launch.regs_per_thread = 32;
    CU_ASSERT_FALSE(answer_one("NVIDIA A100-SXM4-80GB", launch).barriers_matter);
}

/* --- Many ------------------------------------------------------------------------------------- */

static void test_groups(void)
{
    struct smc_trace *trace = begin(H100, H100_SMS);
    struct smc_trace_answer out;
    struct smc_trace_launch launch = usual("small", 1);
    launch.launches = 10;
    add(trace, launch, 1000);
    add(trace, usual("large", 8 * H100_SMS), 3000);
    launch = usual("large", 8 * H100_SMS);
    launch.regs_per_thread = 64;
    add(trace, launch, 6000);
    answer(trace, &out);
    CU_ASSERT_TRUE(out.has_times);
    CU_ASSERT_EQUAL(out.launches, 12);
    CU_ASSERT_EQUAL(out.total_ns, 10000);
    CU_ASSERT_EQUAL_FATAL(out.kernel_count, 2);
    CU_ASSERT_STRING_EQUAL(out.kernels[0].shown, "large");
    CU_ASSERT_EQUAL(out.kernels[0].first, 0);
    CU_ASSERT_EQUAL(out.kernels[0].count, 2);
    CU_ASSERT_EQUAL(out.kernels[0].launches, 2);
    CU_ASSERT_DOUBLE_EQUAL(out.kernels[0].share, 0.9, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.kernels[0].occupancy_percent, (50 * 6 + 100 * 3) / 9.0, 1e-9);
    CU_ASSERT_EQUAL(out.rows[0].launch->regs_per_thread, 64);
    CU_ASSERT_DOUBLE_EQUAL(out.rows[0].share, 0.6, 1e-9);
    CU_ASSERT_STRING_EQUAL(out.kernels[1].shown, "small");
    CU_ASSERT_EQUAL(out.kernels[1].first, 2);
    CU_ASSERT_DOUBLE_EQUAL(out.rows[2].mean_ns, 100, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.bound_share[SMC_TRACE_BOUND_GRID], 0.1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.bound_share[SMC_TRACE_BOUND_REGISTERS], 0.6, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.bound_share[SMC_TRACE_BOUND_NONE], 0.3, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.occupancy_percent, 70, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.resident_percent, 0.1 * 100 / 1056 + 60, 1e-9);
    end(trace, &out);
}

/* Without times the number of launches counts. */
static void test_without_times(void)
{
    struct smc_trace *trace = begin(H100, H100_SMS);
    struct smc_trace_answer out;
    struct smc_trace_launch launch = usual("often", 2000);
    launch.launches = 3;
    add(trace, usual("once", 2000), 0);
    add(trace, launch, 0);
    launch.regs_per_thread = SMC_TRACE_UNKNOWN;
    launch.launches = 4;
    launch.name = (char *)(uintptr_t) "unknown";
    add(trace, launch, 0);
    answer(trace, &out);
    CU_ASSERT_FALSE(out.has_times);
    CU_ASSERT_STRING_EQUAL(out.kernels[0].shown, "unknown");
    CU_ASSERT_DOUBLE_EQUAL(out.kernels[0].occupancy_percent, -1, 0);
    CU_ASSERT_DOUBLE_EQUAL(out.kernels[1].share, 3 / 8.0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.bound_share[SMC_TRACE_BOUND_UNKNOWN], 0.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(out.occupancy_percent, 100, 1e-9);
    end(trace, &out);
}

static void test_nothing(void)
{
    struct smc_trace *trace = begin(H100, H100_SMS);
    struct smc_trace_answer out;
    trace->filter.skip = 1;
    add(trace, usual("skipped", 1), 100);
    answer(trace, &out);
    CU_ASSERT_EQUAL(out.row_count, 0);
    CU_ASSERT_EQUAL(out.kernel_count, 0);
    CU_ASSERT_DOUBLE_EQUAL(out.occupancy_percent, -1, 0);
    end(trace, &out);
}

static void test_another_gpu(void)
{
    struct smc_trace *trace = begin(H100, H100_SMS);
    struct smc_trace_answer out;
    struct smc_error error = {""};
    struct smc_device device;
    char note[256];
    struct smc_trace_launch launch = usual("k", 8 * H100_SMS);
    launch.dynamic_smem_bytes = 200 * 1024;
    launch.api_blocks_per_sm = 1;
    add(trace, launch, 0);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("RTX 4090", &device, note, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_trace_answer_on(trace, &device, &out, &error), SMC_OK);
    CU_ASSERT_PTR_EQUAL(out.instead, &device);
    CU_ASSERT_EQUAL(out.rows[0].occupancy.blocks_per_sm, 0);
    CU_ASSERT_EQUAL(out.rows[0].agreement, SMC_TRACE_NOT_ASKED);
    CU_ASSERT_EQUAL(out.refused, 1);
    CU_ASSERT_EQUAL(out.differing, 0);
    end(trace, &out);
}

/* --- As a query says -------------------------------------------------------------------------- */

static struct smc_trace_launch random_configuration(void)
{
    struct smc_trace_launch launch = usual("k", 1 + (uint32_t)rand() % 5000);
    launch.grid[1] = 1 + (uint32_t)rand() % 3;
    launch.block[0] = 1 + (uint32_t)rand() % 512;
    launch.block[1] = 1 + (uint32_t)rand() % 2;
    launch.regs_per_thread = 1 + rand() % 255;
    launch.static_smem_bytes = rand() % 2 ? 0 : rand() % 49000;
    launch.dynamic_smem_bytes = rand() % 2 ? 0 : rand() % 100000;
    launch.carveout_percent = rand() % 2 ? SMC_CARVEOUT_DEFAULT : rand() % 101;
    return launch;
}

static void compare_with_query(const struct smc_trace_row *row)
{
    struct smc_query query;
    struct smc_answer expected;
    struct smc_error error = {""};
    smc_query_init(&query);
    query.device = *row->device;
    query.threads_per_block = row->launch->block[0] * row->launch->block[1];
    query.regs_per_thread = row->launch->regs_per_thread;
    query.static_smem_bytes = row->launch->static_smem_bytes;
    query.dynamic_smem_bytes = row->launch->dynamic_smem_bytes;
    query.grid_blocks = (int64_t)row->launch->grid[0] * row->launch->grid[1];
    query.grid_y = row->launch->grid[1];
    query.settings.carveout_percent = row->launch->carveout_percent;
    CU_ASSERT_EQUAL_FATAL(smc_query_answer(&query, &expected, NULL, &error), SMC_OK);
    CU_ASSERT_EQUAL(memcmp(&row->occupancy, &expected.occupancy, sizeof row->occupancy), 0);
    CU_ASSERT_EQUAL(row->has_waves, expected.has_waves);
    CU_ASSERT_EQUAL(row->waves.waves, expected.waves.waves);
    CU_ASSERT_EQUAL(row->waves.last_wave_blocks, expected.waves.last_wave_blocks);
    CU_ASSERT_EQUAL(row->next_steps.count, expected.next_steps.count);
    for (uint32_t i = 0; i < row->next_steps.count; i++)
        CU_ASSERT_EQUAL(row->next_steps.step[i].change, expected.next_steps.step[i].change);
}

static void test_queries(void)
{
    static const char *const gpus[] = {H100, "NVIDIA GeForce RTX 4090", "Tesla V100-SXM2-16GB",
                                       "NVIDIA B200"};
    srand(16);
    for (size_t gpu = 0; gpu < sizeof gpus / sizeof *gpus; gpu++) {
        struct smc_trace *trace = begin(gpus[gpu], 0);
        struct smc_trace_answer out;
        for (size_t i = 0, count = share_of(500, 4); i < count; i++) {
            struct smc_trace_launch launch = random_configuration();
            add(trace, launch, 1 + (uint64_t)rand() % 1000);
            launch.grid[0]++; /* whose next steps are known by then */
            add(trace, launch, 1 + (uint64_t)rand() % 1000);
        }
        answer(trace, &out);
        for (size_t i = 0; i < out.row_count; i++) {
            CU_ASSERT_PTR_NULL_FATAL(out.rows[i].unknown);
            compare_with_query(&out.rows[i]);
        }
        end(trace, &out);
    }
}

/* The size that the SM was executed with limits, on every architecture that has such sizes, but not
   where the driver itself was asked, nor where no block would fit. */
static void test_executed_carveout(void)
{
    for (size_t i = 0; i < smc_capability_count(); i++) {
        struct smc_capability capability;
        smc_capability_at(i, &capability);
        const struct smc_sm *sm = &capability.sm;
        for (uint32_t k = 0; k < sm->smem_carveout_count && !sm->carveout_by_cache_config; k++) {
            struct smc_trace *trace = smc_calloc(1, sizeof *trace);
            CU_ASSERT_PTR_NOT_NULL_FATAL(trace);
            const struct smc_trace_gpu gpu = {.cc = capability.sm.cc, .sm_count = 10};
            CU_ASSERT_EQUAL_FATAL(smc_trace_device(trace, &gpu), 0);
            struct smc_trace_launch launch = usual("k", 1000);
            struct smc_trace_answer out;
            launch.dynamic_smem_bytes = 1000;
            launch.block[0] = 32;
            launch.smem_configured_bytes = sm->smem_carveout_bytes[k];
            add(trace, launch, 0);
            answer(trace, &out);
            const struct smc_occupancy *occupancy = &out.rows[0].occupancy;
            if (sm->smem_carveout_bytes[k] > 0)
                CU_ASSERT_EQUAL(occupancy->smem_configured_bytes, sm->smem_carveout_bytes[k]);
            end(trace, &out);
        }
    }
    struct smc_trace_launch launch = usual("k", 1000);
    launch.block[0] = 32;
    launch.smem_configured_bytes = 8192;
    CU_ASSERT_EQUAL(answer_one(H100, launch).occupancy.blocks_per_sm, 8);
    launch.api_blocks_per_sm = 32;
    CU_ASSERT_EQUAL(answer_one(H100, launch).occupancy.blocks_per_sm, 32);
    launch.api_blocks_per_sm = SMC_TRACE_UNKNOWN;
    launch.dynamic_smem_bytes = 8192;
    CU_ASSERT_EQUAL(answer_one(H100, launch).occupancy.blocks_per_sm, 25);
    launch.dynamic_smem_bytes = 0;
    launch.smem_configured_bytes = 8000; /* no size of the SM */
    CU_ASSERT_EQUAL(answer_one(H100, launch).occupancy.blocks_per_sm, 32);
}

CU_TestInfo tests_trace_answer[] = {
    {"a full GPU", test_full},
    {"what bounds a configuration", test_bounds},
    {"dynamic shared memory is opted in to", test_opted_in},
    {"the carve-out that was executed", test_executed_carveout},
    {"the last wave", test_tail},
    {"what is not recorded is unknown", test_unknown},
    {"without waves", test_no_waves},
    {"part of a GPU", test_mig},
    {"the driver's answers", test_agreement},
    {"named barriers", test_barriers},
    {"kernels and their configurations", test_groups},
    {"without times", test_without_times},
    {"no launches", test_nothing},
    {"another GPU", test_another_gpu},
    {"random configurations, as a query says", test_queries},
    CU_TEST_INFO_NULL,
};
