/* timing: a cache, traces of loops, and one SM that executes small programs whose clocks can be
   worked out by hand. Predictions of real kernels: tests/time.sh, bench/time_error.c. */
#include <math.h>
#include <string.h>

#include "code/machine_code.h"
#include "machine/sass/async.h"
#include "machine/sass/patterns.h"
#include "machine/timing.h"
#include "machine/timing/crowds.h"
#include "machine/timing/fetch.h"
#include "machine/timing/known_traces.h"
#include "machine/timing/l1.h"
#include "machine/timing/l2.h"
#include "machine/timing/launch_model.h"
#include "machine/timing/means.h"
#include "machine/timing/panels.h"
#include "machine/timing/reuse.h"
#include "machine/timing/row_parts.h"
#include "machine/timing/sm_schedule.h"
#include "temporary.h"
#include "unit.h"

/* --- What is accessed again ------------------------------------------------------------------- */

/* Pieces [0, pieces) are accessed in order. */
static void access_pieces(struct smc_reuse *reuse, uint64_t pieces, bool stores,
                          struct smc_reuse_counts *counts)
{
    *counts = (struct smc_reuse_counts){.different = 0};
    for (uint64_t i = 0; i < pieces; i++)
        smc_reuse_access(reuse, i, stores, 1, counts);
}

/* The one class in which all of so many are, above 1; 0: there is none. */
static unsigned class_of_all(const struct smc_reuse_counts *counts, double pieces)
{
    for (unsigned i = 2; i < SMC_REUSE_CLASSES; i++)
        if (counts->of_class[i] == pieces)
            return i;
    return 0;
}

static void test_reuse(void)
{
    enum { PIECES = 100000 };
    struct smc_reuse reuse;
    struct smc_reuse_counts counts;
    CU_ASSERT_FATAL(smc_reuse_open(&reuse));
    access_pieces(&reuse, PIECES, false, &counts);
    CU_ASSERT_EQUAL(counts.of_class[0], PIECES);
    access_pieces(&reuse, PIECES, false, &counts);
    const double distance = smc_reuse_distance(class_of_all(&counts, PIECES));
    CU_ASSERT(distance > 0.8 * PIECES && distance < 1.2 * PIECES);
    access_pieces(&reuse, 100, false, &counts);
    access_pieces(&reuse, 100, false, &counts);
    CU_ASSERT_EQUAL(counts.of_class[1], 100); /* however long ago they were accessed before that */
    access_pieces(&reuse, 100, true, &counts);
    CU_ASSERT_EQUAL(counts.of_class[0], 100); /* they were not stored to */
    access_pieces(&reuse, 100, true, &counts);
    CU_ASSERT_EQUAL(counts.of_class[1], 100);
    smc_reuse_pass(&reuse, PIECES);
    access_pieces(&reuse, 1, true, &counts);
    CU_ASSERT_DOUBLE_EQUAL(smc_reuse_distance(class_of_all(&counts, 1)), PIECES, 0.2 * PIECES);
    smc_reuse_close(&reuse);
}

/* Two blocks load the same half of their pieces, and store to those of one of them, in turns. */
static void test_reuse_by_blocks(void)
{
    enum { PIECES = 64 };
    struct smc_reuse reuse;
    struct smc_reuse_counts loads = {.different = 0}, stores = {.different = 0};
    CU_ASSERT_FATAL(smc_reuse_open(&reuse));
    for (uint64_t i = 0; i < 4 * PIECES; i++) {
        reuse.block = i % 2;
        const uint64_t piece = i / 2 % PIECES;
        smc_reuse_access(&reuse, piece + reuse.block * PIECES / 2, false, 2, &loads);
        smc_reuse_access(&reuse, piece, true, 1, &stores);
    }
    CU_ASSERT_EQUAL(loads.different, 2 * 1.5 * PIECES);
    CU_ASSERT_EQUAL(loads.of_blocks, 2 * 2 * PIECES);
    CU_ASSERT_EQUAL(stores.different, PIECES);
    CU_ASSERT_EQUAL(stores.of_blocks, 2 * PIECES);
    CU_ASSERT_DOUBLE_EQUAL(smc_panels_of(loads.different / loads.of_blocks * 2, 2), 2, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_panels_of(1, 2), 1, 1e-6);
    CU_ASSERT(isinf(smc_panels_of(2, 2)));
    smc_reuse_close(&reuse);
}

/* Pieces that are accessed several times do not pass several times. */
static void test_reuse_among_others(void)
{
    enum { PIECES = 4096 };
    struct smc_reuse reuse;
    struct smc_reuse_counts counts = {.different = 0};
    CU_ASSERT_FATAL(smc_reuse_open(&reuse));
    smc_reuse_access(&reuse, UINT64_MAX / 4, false, 1, &counts);
    for (int i = 0; i < 5; i++)
        access_pieces(&reuse, PIECES, false, &counts);
    counts = (struct smc_reuse_counts){.different = 0};
    smc_reuse_access(&reuse, UINT64_MAX / 4, false, 1, &counts);
    CU_ASSERT_DOUBLE_EQUAL(smc_reuse_distance(class_of_all(&counts, 1)), PIECES, 0.2 * PIECES);
    smc_reuse_close(&reuse);
}

/* A loop of two instructions: its first iteration, eight others, and 80 instructions that are left
   out; then another instruction. */
static void test_weights(void)
{
    enum { KEPT = 18, AFTER = KEPT + 2, ENTRIES = AFTER + 1 };
    struct smc_warp_trace_entry entry[ENTRIES];
    struct smc_warp_trace_skip skip = {.executed = 80, .window = KEPT - 2};
    float weight[ENTRIES], sum = 0;
    struct smc_warp_trace trace = {.entry = entry, .count = ENTRIES, .skip = &skip};
    for (uint32_t i = 0; i < ENTRIES; i++)
        entry[i] = (struct smc_warp_trace_entry){.step = i % 2};
    entry[2].step = SMC_WARP_TRACE_LOOP;
    for (uint32_t i = 3; i <= KEPT; i++)
        entry[i].step = (i + 1) % 2;
    entry[KEPT + 1].step = SMC_WARP_TRACE_SKIP;
    entry[AFTER].step = 2;
    smc_reuse_weigh(&trace, weight);
    for (uint32_t i = 0; i < ENTRIES; i++)
        sum += weight[i];
    CU_ASSERT_EQUAL(sum, KEPT + 80 + 1);
    CU_ASSERT_EQUAL(weight[0], 1);
    CU_ASSERT_EQUAL(weight[2], 0);
    CU_ASSERT_EQUAL(weight[KEPT - 4], 1); /* the last quarter are the last two iterations */
    CU_ASSERT_EQUAL(weight[KEPT - 3], 21);
    CU_ASSERT_EQUAL(weight[KEPT], 21);
    CU_ASSERT_EQUAL(weight[AFTER], 1);
}

/* Where the last quarter of what is kept of a loop begins counts for what is left out if these are
   rounds, or if lanes have left by then. */
static uint16_t late_quarter(bool rounds, uint8_t lanes_then)
{
    enum { KEPT = 16, ENTRIES = KEPT + 2 };
    struct smc_warp_trace_entry entry[ENTRIES];
    struct smc_warp_trace_skip skip = {.executed = 80, .window = KEPT, .rounds = rounds};
    const struct smc_warp_trace trace = {.entry = entry, .count = ENTRIES, .skip = &skip};
    uint16_t late[ENTRIES], all = 0;
    entry[0] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_LOOP};
    for (uint32_t i = 1; i <= KEPT; i++)
        entry[i] =
            (struct smc_warp_trace_entry){.step = i % 2, .active_lanes = i > 12 ? lanes_then : 32};
    entry[KEPT + 1] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP};
    smc_reuse_find_late(&trace, late);
    for (uint32_t i = 0; i < ENTRIES; i++)
        all |= i == 13 ? 0 : late[i];
    CU_ASSERT_EQUAL(all, 0);
    return late[13];
}

static void test_late_quarters(void)
{
    CU_ASSERT_EQUAL(late_quarter(false, 32), 0);
    CU_ASSERT_EQUAL(late_quarter(false, 25), 0);
    CU_ASSERT_EQUAL(late_quarter(false, 23), 1);
    CU_ASSERT_EQUAL(late_quarter(true, 32), 1);
}

/* 32 blocks that read one of 4 panels of an array, one of 32 of another in a second step, and the
   line of a third that all read. */
static void test_panels(void)
{
    enum { BLOCKS = 32, ARRAYS = 4, MOST = 500 };
    struct smc_warp_trace_line line[BLOCKS][3];
    struct smc_warp_trace_entry entry[3];
    struct smc_warp_trace trace[BLOCKS];
    const struct smc_warp_trace *pointer[BLOCKS];
    struct smc_time_array array[ARRAYS];
    struct smc_panels panels[ARRAYS];
    for (uint32_t i = 0; i < ARRAYS; i++)
        array[i] = (struct smc_time_array){.address = 0x100000 * (i + 1), .bytes = 0x100000};
    for (uint32_t i = 0; i < 3; i++)
        entry[i] = (struct smc_warp_trace_entry){.step = i, .line = i, .lines = 1};
    for (uint64_t b = 0; b < BLOCKS; b++) {
        line[b][0] = (struct smc_warp_trace_line){.number = 0x2000 + b % 4};
        line[b][1] = (struct smc_warp_trace_line){.number = 0x4000 + b};
        line[b][2] = (struct smc_warp_trace_line){.number = 0x6000};
        trace[b] =
            (struct smc_warp_trace){.entry = entry, .count = 3, .line = line[b], .line_count = 3};
        pointer[b] = &trace[b];
    }
    struct smc_traces traces = {.blocks = BLOCKS, .warps_per_block = 1, .pointer = pointer};
    CU_ASSERT_FATAL(smc_panels_find(&traces, 3, MOST, array, ARRAYS, panels));
    CU_ASSERT_DOUBLE_EQUAL(panels[0].different, 4, 0.01);
    CU_ASSERT_EQUAL(panels[1].different, MOST);
    CU_ASSERT_DOUBLE_EQUAL(panels[2].different, 1, 0.01);
    CU_ASSERT_EQUAL(panels[3].different, 0);
    CU_ASSERT_EQUAL(panels[1].span, 32 * 128 * 32 / 31.0); /* a block after the last one */
    CU_ASSERT_EQUAL(panels[3].span, 0);
    for (uint64_t b = 0; b < BLOCKS; b++) /* both panels in one array */
        line[b][1].number = 0x2800 + b;
    CU_ASSERT_FATAL(smc_panels_find(&traces, 3, MOST, array, ARRAYS, panels));
    CU_ASSERT_DOUBLE_EQUAL(panels[0].different, (4 + MOST) / 2.0, 0.01);
    traces.warps_per_block = BLOCKS; /* a single block has all of it */
    traces.blocks = 1;
    CU_ASSERT_FATAL(smc_panels_find(&traces, 3, MOST, array, ARRAYS, panels));
    CU_ASSERT_EQUAL(panels[2].different, MOST);
}

/* 8 warps that each load 100 rows of 4 lines from all over an array: the first `lines` of a row in
   one access. `walk`: of each row other lines than of the row before. The share of the array. */
static double part_of_rows(uint32_t lines, bool walk)
{
    enum { WARPS = 8, ROWS = 100, ROW_LINES = 4, ALL_ROWS = 4096 };
    struct smc_warp_trace_line line[WARPS][ROWS * ROW_LINES];
    struct smc_warp_trace_entry entry[ROWS];
    struct smc_warp_trace trace[WARPS];
    const struct smc_warp_trace *pointer[WARPS];
    const struct smc_time_array array = {.address = 0x100000,
                                         .bytes = (uint64_t)ALL_ROWS * ROW_LINES * SMC_LINE_BYTES};
    double share = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        entry[i] = (struct smc_warp_trace_entry){.line = i * lines, .lines = (uint8_t)lines};
    for (uint64_t w = 0; w < WARPS; w++) {
        for (uint64_t i = 0; i < (uint64_t)ROWS * lines; i++) {
            const uint64_t row = (w * ROWS + i / lines) * 1237 % ALL_ROWS;
            const uint64_t column = walk ? (i / lines + i % lines) % ROW_LINES : i % lines;
            line[w][i] = (struct smc_warp_trace_line){
                .number = 0x100000 / SMC_LINE_BYTES + row * ROW_LINES + column, .sectors = 15};
        }
        trace[w] = (struct smc_warp_trace){
            .entry = entry, .count = ROWS, .line = line[w], .line_count = (size_t)ROWS * lines};
        pointer[w] = &trace[w];
    }
    const struct smc_traces traces = {.blocks = WARPS, .warps_per_block = 1, .pointer = pointer};
    CU_ASSERT_FATAL(smc_row_parts_find(&traces, 1, &array, 1, &share));
    return share;
}

static void test_parts_of_rows(void)
{
    CU_ASSERT_EQUAL(part_of_rows(2, false), 0.5);
    CU_ASSERT_EQUAL(part_of_rows(1, false), 0.25);
    CU_ASSERT_EQUAL(part_of_rows(4, false), 1);
    CU_ASSERT_EQUAL(part_of_rows(2, true), 1);
}

/* Both halves of L2 keep what SMs in both read: less of it than of other arrays. */
static void test_shared_panels(void)
{
    const double l2 = 64 << 20;
    struct smc_touched read = {.read = l2 / 2};
    CU_ASSERT_EQUAL(smc_l2_share_of_dram(&read, l2 / 2, l2), 0);
    CU_ASSERT(smc_l2_share_of_shared(l2 / 2, l2) > 0.1);
    CU_ASSERT_EQUAL(smc_l2_share_of_shared(l2 / 3, l2), 0);
    CU_ASSERT_EQUAL(smc_l2_share_of_shared(l2, l2), 1);
}

/* Arrays that were copied before the launch: as far as bytes were measured to come from DRAM. */
static void test_copied_arrays(void)
{
    static const struct {
        double bytes, lost;
    } measured[] = {{24, 0.08}, {30, 0.4}, {36, 0.75}, {42, 0.93}, {48, 0.99}};
    const double l2 = 60;
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        CU_ASSERT_DOUBLE_EQUAL(smc_l2_share_of_copied(2 * measured[i].bytes, measured[i].bytes, l2),
                               measured[i].lost, 0.1);
    CU_ASSERT_EQUAL(smc_l2_share_of_copied(l2 / 2, l2 / 2, l2), 0);
    CU_ASSERT_EQUAL(smc_l2_share_of_copied(l2, l2, l2), 1);
    CU_ASSERT_EQUAL(smc_l2_share_of_stored(24, l2), 0);
    CU_ASSERT_EQUAL(smc_l2_share_of_stored(36, l2), 1);
}

/* --- The L1 cache ----------------------------------------------------------------------------- */

static void test_cache(void)
{
    struct smc_l1 cache;
    double when = 0;
    CU_ASSERT_FATAL(smc_l1_open(&cache, 128 * SMC_L1_WAYS));
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 7, 0x3, &when), 0x3);
    smc_l1_fill(&cache, 7, 0x3, 40);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 7, 0x6, &when), 0x4);
    CU_ASSERT_EQUAL(when, 40);
    for (uint64_t line = 100; line < 100 + SMC_L1_WAYS; line++)
        smc_l1_fill(&cache, line, 0xf, 50);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 7, 0x3, &when), 0x3); /* line 7 had to go */
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 100, 0xf, &when), 0);
    smc_l1_close(&cache);
}

static void test_lines_that_pass(void)
{
    struct smc_l1 cache;
    double when;
    CU_ASSERT_FATAL(smc_l1_open(&cache, 128 * SMC_L1_WAYS));
    smc_l1_fill(&cache, 1, 0xf, 0);
    smc_l1_fill(&cache, 2, 0xf, 0);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 1, 0xf, &when), 0);
    smc_l1_pass(&cache, SMC_L1_WAYS - 1.5); /* places for all but one */
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 2, 0xf, &when), 0);
    smc_l1_pass(&cache, 0.5);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 1, 0xf, &when), 0xf);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 2, 0xf, &when), 0);
    smc_l1_close(&cache);
}

/* Code that does not fit into the SM's cache comes line by line, each time. */
static void test_fetch(void)
{
    enum { LINES = SMC_FETCH_NEAR_LINES + 1 };
    struct smc_fetch fetch;
    bool executed[LINES] = {false};
    for (uint32_t i = 0; i < SMC_FETCH_LINES; i++)
        executed[i] = true;
    CU_ASSERT_FATAL(smc_fetch_open(&fetch, executed, LINES));
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 4000, 7), 7);
    smc_fetch_close(&fetch);
    executed[SMC_FETCH_LINES] = true;
    CU_ASSERT_FATAL(smc_fetch_open(&fetch, executed, LINES));
    const double near = fetch.clocks;
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 8 * SMC_FETCH_LINE, 100), 100 + near);
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 8 * SMC_FETCH_LINE + 1, 101), 100 + near);
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 8 * SMC_FETCH_LINE + 2, 200), 200);
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 9 * SMC_FETCH_LINE, 1000), 1000); /* asked for ahead */
    CU_ASSERT_EQUAL(smc_fetch_step(&fetch, 12 * SMC_FETCH_LINE, 1000), 1000 + near);
    smc_fetch_close(&fetch);
    for (uint32_t i = 0; i < LINES; i++)
        executed[i] = true;
    CU_ASSERT_FATAL(smc_fetch_open(&fetch, executed, LINES));
    CU_ASSERT_TRUE(fetch.clocks > near);
    smc_fetch_close(&fetch);
}

static void test_no_cache(void)
{
    struct smc_l1 cache;
    double when;
    CU_ASSERT_FATAL(smc_l1_open(&cache, 0));
    smc_l1_fill(&cache, 7, 0xf, 40);
    CU_ASSERT_EQUAL(smc_l1_look(&cache, 7, 0xf, &when), 0xf);
    smc_l1_close(&cache);
}

/* Clocks that an H100 and an H200 took for lines at such steps. */
static void test_tags(void)
{
    uint64_t number[32];
    const struct {
        uint64_t step;
        uint32_t lines, clocks;
    } expected[] = {{1, 1, 1},  {1, 2, 1},   {1, 4, 1},   {1, 32, 8}, {33, 2, 2}, {33, 32, 16},
                    {5, 2, 2},  {10, 2, 2},  {20, 2, 1},  {3, 4, 3},  {3, 6, 4},  {3, 8, 5},
                    {3, 16, 7}, {3, 32, 11}, {16, 32, 8}, {1, 0, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        for (uint32_t k = 0; k < 32; k++)
            number[k] = k * expected[i].step;
        CU_ASSERT_EQUAL(smc_l1_tag_clocks(number, expected[i].lines), expected[i].clocks);
    }
}

/* --- Traces ----------------------------------------------------------------------------------- */

enum { ROOM = 4096, SKIPS = 64 };

static struct smc_warp_trace_entry entries[ROOM];
static struct smc_warp_trace_skip skips[SKIPS];

/* Step 0, then `iterations` of steps 1 to 4, then step 5. */
static void trace_loop(uint64_t kept, uint32_t iterations, struct smc_warp_trace *trace)
{
    *trace = (struct smc_warp_trace){.entry = entries,
                                     .capacity = ROOM,
                                     .skip = skips,
                                     .skip_capacity = SKIPS,
                                     .loop_entries = kept};
    smc_warp_trace_add_steps(trace, 0, 1, 32);
    for (uint32_t i = 0; i < iterations; i++) {
        smc_warp_trace_add_steps(trace, 1, 4, 32);
        smc_warp_trace_add(trace, &(struct smc_warp_trace_entry){.step = 4, .active_lanes = 32});
        if (i + 1 < iterations)
            smc_warp_trace_branch_back(trace, 4, 1, 1);
    }
    smc_warp_trace_add_steps(trace, 5, 6, 32);
    smc_warp_trace_end(trace);
}

static uint64_t instructions_in(const struct smc_warp_trace *trace)
{
    uint64_t count = 0;
    for (size_t i = 0; i < trace->count; i++)
        count += trace->entry[i].step < SMC_WARP_TRACE_SKIP;
    for (size_t i = 0; i < trace->skip_count; i++)
        count += trace->skip[i].executed;
    return count;
}

static void test_loop_is_cut(void)
{
    struct smc_warp_trace trace;
    trace_loop(20, 100, &trace);
    CU_ASSERT_EQUAL(trace.length, 402);
    CU_ASSERT_EQUAL(trace.skip_count, 1);
    CU_ASSERT(trace.count < 40);
    CU_ASSERT_EQUAL(instructions_in(&trace), 402);
    CU_ASSERT_EQUAL(trace.entry[trace.count - 1].step, 5);
}

static void test_short_loop_is_whole(void)
{
    struct smc_warp_trace trace;
    trace_loop(1000, 100, &trace);
    CU_ASSERT_EQUAL(trace.skip_count, 0);
    CU_ASSERT_EQUAL(instructions_in(&trace), 402);
}

static void test_full_trace(void)
{
    struct smc_warp_trace trace;
    trace_loop(1000000, 2000, &trace); /* more than fit */
    CU_ASSERT_EQUAL(trace.count, ROOM);
    CU_ASSERT_EQUAL(instructions_in(&trace), 8002);
}

/* --- One SM ----------------------------------------------------------------------------------- */

enum { STEPS = 6, MOST_WARPS = 64 };

/* Control bits: clocks to the next instruction; no scoreboards. */
static void set_step(struct smc_program_step *step, enum smc_operation operation,
                     enum smc_pipe pipe, uint64_t stall)
{
    memset(step, 0, sizeof *step);
    step->in.operation = operation;
    step->in.pipe = pipe;
    step->in.high = stall << (105 - 64) | UINT64_C(7) << (110 - 64) | UINT64_C(7) << (113 - 64);
}

struct bench {
    struct smc_program_step step[STEPS];
    struct smc_machine_program program;
    struct smc_rates rates;
    struct smc_step_work work[STEPS];
    struct smc_sm_result result;
    struct smc_sm_dram dram[2]; /* there are no arrays; local memory */
    bool no_more_blocks, turns, cut;
    bool blocks_differ; /* each has traces of its own */
    uint32_t warp_room, block_room;
    const float *const *weight;         /* of the warps' traces; or NULL */
    const uint16_t *const *begins_late; /* likewise */
    struct smc_sm_traffic traffic[2];
};

static void start(struct bench *bench, enum smc_operation operation, enum smc_pipe pipe,
                  uint64_t stall)
{
    *bench = (struct bench){.program = {.step = bench->step, .count = STEPS}};
    for (int i = 0; i < STEPS; i++)
        set_step(&bench->step[i], operation, pipe, stall);
    for (int i = 0; i < SMC_PIPE_COUNT; i++)
        bench->rates.issue[i] = 1;
    bench->rates.subpartitions = 4;
    bench->rates.fma_halves = 1;
    bench->rates.wide_multiply = 1;
    bench->rates.shared_latency = 20;
    bench->rates.l1_latency = 30;
    bench->rates.l2_latency = bench->rates.atomic_latency = 200;
    bench->rates.l2_load_clocks = bench->rates.l2_store_clocks = 1;
    bench->rates.dram_load_clocks = bench->rates.dram_store_clocks = 1;
}

/* As many blocks of so many warps, with a trace for each warp. */
static double run_warps(struct bench *bench, const struct smc_warp_trace *const *trace,
                        uint32_t blocks, uint32_t resident, uint32_t warps)
{
    struct smc_sm_block block[MOST_WARPS];
    struct smc_error error;
    for (uint32_t i = 0; i < MOST_WARPS; i++)
        block[i].trace = bench->blocks_differ && i < blocks ? &trace[i * warps] : trace;
    struct smc_sm_launch launch = {.program = &bench->program,
                                   .rates = &bench->rates,
                                   .dram = bench->dram,
                                   .traffic = bench->traffic,
                                   .warps_per_block = warps,
                                   .resident_blocks = resident,
                                   .warp_room = bench->warp_room,
                                   .block_room = bench->block_room,
                                   .l1_bytes = 65536,
                                   .block = block,
                                   .blocks = blocks,
                                   .no_more_blocks = bench->no_more_blocks,
                                   .turns = bench->turns,
                                   .cut = bench->cut,
                                   .weight = bench->weight,
                                   .begins_late = bench->begins_late,
                                   .work = bench->work};
    CU_ASSERT_EQUAL_FATAL(smc_sm_run(&launch, &bench->result, &error), SMC_OK);
    return bench->result.clocks;
}

/* All warps have one trace. */
static double run(struct bench *bench, const struct smc_warp_trace *trace, uint32_t blocks,
                  uint32_t resident, uint32_t warps)
{
    const struct smc_warp_trace *all[MOST_WARPS];
    for (uint32_t i = 0; i < MOST_WARPS; i++)
        all[i] = trace;
    return run_warps(bench, all, blocks, resident, warps);
}

static void test_one_warp_stalls(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    trace_loop(ROOM, 10, &trace); /* 42 instructions */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 4 * 42, 2);
    CU_ASSERT_EQUAL(bench.work[1].executions, 10);
    CU_ASSERT_EQUAL(bench.work[0].executions, 1);
}

static void test_many_warps_fill_the_slots(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    trace_loop(ROOM, 10, &trace);
    /* 8 warps in each sub-partition, which issues one instruction a clock */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 32), 8 * 42, 8);
}

/* Of 8 blocks with 8 warps, two warps of each go on, which would all be in one sub-partition. */
static void test_blocks_start_in_turn(void)
{
    enum { WARPS = 8, GO_ON = 4 /* every so many */ };
    struct bench bench;
    struct smc_warp_trace trace, ends;
    const struct smc_warp_trace *all[WARPS];
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    trace_loop(ROOM, 10, &trace);
    ends = trace;
    ends.count = 1;
    for (int i = 0; i < WARPS; i++)
        all[i] = i % GO_ON == 0 ? &trace : &ends;
    const double clocks = run_warps(&bench, all, WARPS, WARPS, WARPS);
    CU_ASSERT_DOUBLE_EQUAL(clocks, 4 * 42 + 12, 12);
}

/* Blocks of which one warp goes on and three leave at once, in an SM with room for so many warps:
   how long they take. */
static double blocks_with_one_warp(const uint32_t lengths[4], uint32_t room)
{
    enum { BLOCKS = 4, WARPS = 4 };
    struct bench bench;
    struct smc_warp_trace whole, trace[BLOCKS], ends;
    const struct smc_warp_trace *all[BLOCKS * WARPS];
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    trace_loop(ROOM, 100, &whole);
    ends = whole;
    ends.count = ends.length = 1;
    for (int i = 0; i < BLOCKS * WARPS; i++) {
        const int block = i / WARPS;
        trace[block] = whole;
        trace[block].count = trace[block].length = lengths[block];
        all[i] = i % WARPS == 0 ? &trace[block] : &ends;
    }
    bench.blocks_differ = bench.no_more_blocks = true;
    bench.warp_room = room;
    bench.block_room = BLOCKS;
    return run_warps(&bench, all, BLOCKS, 1, WARPS);
}

/* Of blocks that take different times, others start in the room of warps that have ended. */
static void test_blocks_start_early(void)
{
    enum { ALL = 4 * (300 + 100 + 200 + 50), LONGEST = 4 * 300 };
    const uint32_t differ[] = {300, 100, 200, 50}, alike[] = {100, 100, 100, 100};
    CU_ASSERT_DOUBLE_EQUAL(blocks_with_one_warp(differ, 4), ALL, 40);
    CU_ASSERT_DOUBLE_EQUAL(blocks_with_one_warp(differ, 8), LONGEST, 40);
    CU_ASSERT_DOUBLE_EQUAL(blocks_with_one_warp(alike, 8), 4 * 400, 40); /* they end together */
}

static void test_pipe_takes_two_clocks(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    bench.rates.issue[SMC_PIPE_ALU] = 2;
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 32), 2 * 8 * 42, 8);
}

/* Two operands in the bank of even registers take two clocks, unless the instruction before has
   kept one of them in its place, and no other warp has issued in between. */
static void test_operand_cache(void)
{
    static const uint64_t keeps_second = UINT64_C(1) << (123 - 64);
    static const uint8_t number[3] = {2, 4, 5};
    struct bench bench;
    struct smc_warp_trace trace;
    trace_loop(ROOM, 10, &trace); /* of steps 0 to 3 */
    for (int kept = 0; kept <= STEPS; kept++) {
        start(&bench, SMC_OP_FFMA, SMC_PIPE_FMA_HEAVY, 1);
        for (int i = 0; i < STEPS; i++) {
            struct smc_sass_instruction *in = &bench.step[i].in;
            for (int k = 0; k < 3; k++)
                in->from[k] = (struct smc_sass_operand){
                    .kind = SMC_OPERAND_REGISTER, .number = number[k], .registers = 1};
            in->high |= i < kept ? keeps_second : 0;
        }
        double clocks = 0; /* of each step: the first has nothing before it */
        for (size_t i = 0; i < trace.count; i++)
            clocks += trace.entry[i].step > 0 && trace.entry[i].step <= (uint32_t)kept ? 1 : 2;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 2 * clocks, 10);
    }
    bench.no_more_blocks = true; /* the device's order of warps; all operands are kept */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 2 * 42, 10);
    for (int i = 0; i < STEPS; i++) /* three clocks to the warp's next instruction */
        bench.step[i].in.high += UINT64_C(2) << (105 - 64);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 2 * 2 * 42, 10);
}

/* Two instructions in a row that read two operands each of the bank of even registers, then two
   that read one of odd ones, by one warp: the second one stays at dispatch for a clock more, and
   holds those of the other bank, too. */
static void test_dispatch(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_FFMA, SMC_PIPE_NONE, 1);
    for (int i = 1; i <= 4; i++)
        for (int k = 0; k < (i <= 2 ? 2 : 1); k++)
            bench.step[i].in.from[k] =
                (struct smc_sass_operand){.kind = SMC_OPERAND_REGISTER,
                                          .number = (uint8_t)(4 * i + 2 * k + (i > 2)),
                                          .registers = 1};
    trace_loop(ROOM, 100, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 5 * 100, 5);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[2].held, 100, 1);
    CU_ASSERT_EQUAL(bench.work[1].held + bench.work[3].held + bench.work[4].held, 0);
}

/* Of two warps of a block, the one that issued goes on, so that the other one's multiplications of
   integers do not overlap with what it issues in every clock. */
static void test_warp_goes_on(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_NONE, 1);
    bench.no_more_blocks = true;
    for (int i = 1; i <= 2; i++)
        set_step(&bench.step[i], SMC_OP_IMAD, SMC_PIPE_FMA_HEAVY, 1);
    bench.rates.issue[SMC_PIPE_FMA_HEAVY] = 2;
    trace_loop(ROOM, 100, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 2 * 100 * 5, 10);
}

/* A multiplication of integers takes its pipe for two clocks, and longer if two operands are in one
   bank; other integer instructions do not. */
static void test_operands_of_one_bank(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    trace_loop(ROOM, 10, &trace);
    static const struct {
        enum smc_operation operation;
        enum smc_pipe pipe;
        uint8_t odd; /* the second operand is in the other bank */
        double clocks;
    } cases[] = {{SMC_OP_IMAD, SMC_PIPE_FMA_HEAVY, 1, 2},
                 {SMC_OP_IMAD, SMC_PIPE_FMA_HEAVY, 0, 2.7},
                 {SMC_OP_LOP3, SMC_PIPE_ALU, 0, 2}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        start(&bench, cases[n].operation, cases[n].pipe, 1);
        bench.rates.issue[SMC_PIPE_ALU] = bench.rates.issue[SMC_PIPE_FMA_HEAVY] = 2;
        for (int i = 0; i < STEPS; i++)
            for (int k = 0; k < 2; k++)
                bench.step[i].in.from[k] =
                    (struct smc_sass_operand){.kind = SMC_OPERAND_REGISTER,
                                              .number = (uint8_t)(4 * i + 2 * k + k * cases[n].odd),
                                              .registers = 1};
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 32), 8 * cases[n].clocks * 42, 8);
    }
}

/* Of two warps in a sub-partition, each with two FMAs and two integer multiplications: one FMA of
   two goes to the half that multiplies integers, too. */
static void test_halves_in_turn(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_FFMA, SMC_PIPE_FMA, 1);
    for (int i = 3; i < STEPS; i++)
        set_step(&bench.step[i], SMC_OP_IMAD, SMC_PIPE_FMA_HEAVY, 1);
    bench.rates.fma_halves = 2;
    bench.rates.issue[SMC_PIPE_FMA] = bench.rates.issue[SMC_PIPE_FMA_HEAVY] = 2;
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 2 * 10 * 3 * 2, 8);
}

/* Of two blocks the older one ends first, so that the start of the third is hidden. */
static void test_oldest_first(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    bench.rates.block_start = 30;
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 3, 2, 4), 3 * 42, 5);
}

/* Where iterations are left out, turns of some of them are closer to the whole loop than turns of
   an instruction. Half of the instructions are for a pipe that takes 2 clocks for each. */
static void test_turns_of_iterations(void)
{
    struct bench bench;
    struct smc_warp_trace whole, cut;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    set_step(&bench.step[3], SMC_OP_FFMA, SMC_PIPE_FMA, 4);
    set_step(&bench.step[4], SMC_OP_FFMA, SMC_PIPE_FMA, 4);
    bench.rates.issue[SMC_PIPE_ALU] = 2;
    bench.no_more_blocks = true;
    trace_loop(ROOM, 200, &whole);
    const double clocks = run(&bench, &whole, 4, 4, 4);
    trace_loop(400, 200, &cut);
    CU_ASSERT(cut.skip_count > 0);
    const double instructions = run(&bench, &cut, 4, 4, 4);
    bench.turns = true;
    const double iterations = run(&bench, &cut, 4, 4, 4);
    CU_ASSERT(instructions * 1.1 < iterations && iterations < clocks * 1.02);
}

/* What is cut out takes no time: the loop takes as long as one with as many iterations as are kept.
 */
static void test_cut_loops(void)
{
    struct bench bench;
    struct smc_warp_trace whole, cut;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    bench.no_more_blocks = true;
    trace_loop(400, 200, &cut);
    CU_ASSERT(cut.skip_count > 0);
    const double more = run(&bench, &cut, 4, 4, 4);
    bench.cut = true;
    const double kept = run(&bench, &cut, 4, 4, 4);
    CU_ASSERT(kept < more);
    bench.cut = false;
    trace_loop(ROOM, (uint32_t)(cut.length - cut.skip[0].executed) / 4, &whole);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &whole, 4, 4, 4), kept, kept / 50);
}

static void test_sync_of_lanes(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    set_step(&bench.step[2], SMC_OP_BSYNC, SMC_PIPE_CBU, 1);
    bench.rates.sync_latency = 7;
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 + 10 * 7, 2);
}

/* A branch delays what follows it where lanes take it, also if others go on first. */
static void test_lanes_go_apart(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 1);
    set_step(&bench.step[2], SMC_OP_BRA, SMC_PIPE_BRANCH, 1);
    bench.step[2].in.branches = true;
    bench.rates.branch_latency = 9;
    bench.rates.indirect_latency = 30;
    trace_loop(ROOM, 10, &trace); /* its MOV at the end jumps 8 times after the loop is known */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 + 8 * 9, 2);
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].active_lanes = trace.entry[i].step == 2 ? 32 : 16;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 + (8 + 10) * 9, 2);
    bench.step[2].in.operation = SMC_OP_BRX;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 + 8 * 9 + 10 * 30, 2);
}

/* A barrier takes a turn of the data stage for each of its warps, up to four; stores of 4
   wavefronts fill it. */
static void test_barrier_takes_a_turn(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_STS, SMC_PIPE_LSU, 1);
    set_step(&bench.step[4], SMC_OP_BAR, SMC_PIPE_ADU, 1);
    trace_loop(ROOM, 10, &trace);
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].wavefronts = 4;
    const double two = run(&bench, &trace, 2, 2, 4), one = run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_DOUBLE_EQUAL(two, 8 * (10 * (3 * 4 + 1) + 2 * 4), 40);
    CU_ASSERT_DOUBLE_EQUAL(one - two, -10 * 4, 15);
}

static void test_shared_memory_binds(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_STS, SMC_PIPE_LSU, 1);
    trace_loop(ROOM, 10, &trace);
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].wavefronts = 4;
    /* 8 warps x 42 stores x 4 wavefronts, one a clock for the whole SM */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 42 * 4, 16);
    CU_ASSERT_EQUAL(bench.work[1].shared_wavefronts, 8 * 10 * 4);
}

/* 42 loads of 4 wavefronts: of one warp 2 clocks for each, of 4 warps one. */
static void test_wavefronts_of_a_warp(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_LDS, SMC_PIPE_LSU, 1);
    trace_loop(ROOM, 10, &trace);
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].wavefronts = 4;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 * 4 * 2 + 20, 4);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 4), 4 * 42 * 4 + 20, 16);
}

/* A shuffle passes the data stage of L1, like an access to shared memory. */
static void test_shuffles(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_SHFL, SMC_PIPE_LSU, 1);
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 42 + 20, 16);
    CU_ASSERT_EQUAL(bench.work[1].wavefronts, 8 * 10);
    CU_ASSERT_EQUAL(bench.work[1].shared_wavefronts, 0);
}

/* A warp that stores a part of one sector at a time, of two lines in turn, on an SM that stores one
   in 5 clocks, and such a part in the time of 2.15; L2 acknowledges the last one 200 clocks later.
   Stores to the line before become one. */
static void test_stores_fill_l2(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
    bench.rates.l2_store_clocks = 5;
    trace_loop(ROOM, 10, &trace);
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1}, {.number = 9, .sectors = 1}};
    trace.line = line;
    for (size_t i = 0; i < trace.count; i++) {
        trace.entry[i].line = i % 2;
        trace.entry[i].lines = trace.entry[i].wavefronts = 1;
    }
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 42 * 2.15 * 5 + 200, 40);
    CU_ASSERT_EQUAL(bench.work[1].store_sectors, 10);
    line[1] = line[0];
    /* one a clock, up to 64 of which wait after they were issued */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 42 - 64 + 200, 10);
}

/* 32 lines, each `step` lines after the one before; `jump`: the last one further away. One sector
   each. */
static void set_lines(struct smc_warp_trace_line line[32], uint64_t step, uint64_t jump)
{
    for (uint32_t i = 0; i < 32; i++)
        line[i] = (struct smc_warp_trace_line){.number = 8 + i * step, .sectors = 1};
    line[31].number += jump;
}

/* L2 takes parts of single sectors of many lines in the time of two; in no order, they are
   scattered. */
/* L1 passes atomics and stores at many lines as loads of the same words, and by lines; loads wait.
 */
static void test_stores_pass_l1(void)
{
    struct smc_warp_trace_line line[32];
    struct smc_warp_trace_entry entry[2] = {{.step = 0,
                                             .lines = 32,
                                             .sectors = 32,
                                             .wavefronts = 32,
                                             .atomics = 32,
                                             .active_lanes = 32},
                                            {.step = 1, .wavefronts = 32}};
    struct smc_warp_trace trace = {.entry = entry, .count = 2, .line = line};
    set_lines(line, 2, 0);
    for (int atomics = 0; atomics < 2; atomics++) {
        struct bench bench;
        start(&bench, SMC_OP_LDS, SMC_PIPE_LSU, 1);
        set_step(&bench.step[0], atomics ? SMC_OP_REDG : SMC_OP_STG, SMC_PIPE_LSU, 1);
        bench.rates.atomic_clocks = bench.rates.l2_store_clocks = 0.1;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * (64 + 32), 250);
        entry[0].wavefronts = 1;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * (32 + 8 + 32), 250);
        entry[0].wavefronts = 32;
    }
}

/* Stores of several warps to one word are merged, the fewer the more the warps load in between. */
static void test_merged_stores(void)
{
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1},
                                          {.number = 99, .sectors = 15}};
    struct smc_warp_trace_entry entry[2] = {
        {.step = 0, .line = 1, .lines = 1, .sectors = 4, .wavefronts = 1, .active_lanes = 1},
        {.step = 1, .lines = 1, .sectors = 1, .wavefronts = 1, .active_lanes = 1}};
    struct smc_warp_trace trace = {.entry = &entry[1], .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
    run(&bench, &trace, 1, 1, 8);
    const double merged = 4 * 3.6 + 4 * 0.51; /* of four sub-partitions */
    CU_ASSERT_DOUBLE_EQUAL(bench.result.stores, merged, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_stores, merged, 1e-6);
    set_step(&bench.step[0], SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.step[0].in.beyond_sm = true;
    trace = (struct smc_warp_trace){.entry = entry, .count = 2, .line = line};
    run(&bench, &trace, 8, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_stores, 3.6 + 7 * (3.6 - 3.09 * exp(-4 / 16.0)),
                           1e-3);
}

/* Stores of several warps to the same few lines are merged, those to eight lines are not. */
static void test_stores_to_several_lines(void)
{
    struct smc_warp_trace_line line[32];
    set_lines(line, 1, 0);
    for (uint8_t lines = 7; lines <= 8; lines++) {
        struct smc_warp_trace_entry entry = {
            .lines = lines, .sectors = lines, .wavefronts = 1, .active_lanes = 32};
        struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
        struct bench bench;
        start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
        run(&bench, &trace, 1, 1, 8);
        const double warps = lines < 8 ? 4 : 8; /* of four sub-partitions, or all */
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, warps * lines * 2.15, 1e-6);
    }
}

/* What L2 lacks of lines that it gets in part takes as long as six whole sectors. */
static void test_stores_to_missing_lines(void)
{
    struct smc_warp_trace_line line[32];
    struct smc_warp_trace_entry entry = {
        .lines = 32, .sectors = 32, .wavefronts = 1, .active_lanes = 32};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    set_lines(line, 1, 0);
    for (int i = 0; i < 3; i++) {
        struct bench bench;
        start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
        bench.step[0].in.access_bytes = 8;
        bench.dram[0].part_share = i / 2.0;
        run(&bench, &trace, 1, 1, 1);
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 32 * (2.15 + i / 2.0 * (6 - 2.15)), 1e-6);
    }
}

/* L2 gives any two sectors of a line in the time of one where a request has many lines; else each
   takes as long as one of a whole line. */
static void test_loads_of_parts_of_lines(void)
{
    static const struct {
        uint8_t lines, sectors;
        double slots; /* of a line */
    } cases[] = {{12, 0x1, 2}, {12, 0x3, 2}, {12, 0x9, 2}, {12, 0x6, 2},
                 {12, 0xb, 4}, {12, 0xf, 4}, {7, 0x1, 1},  {7, 0xb, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct smc_warp_trace_line line[32];
        struct smc_warp_trace_entry entry = {
            .lines = cases[i].lines, .sectors = 32, .wavefronts = 1, .active_lanes = 32};
        struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
        struct bench bench;
        set_lines(line, 1, 0);
        for (int k = 0; k < 32; k++)
            line[k].sectors = cases[i].sectors;
        start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
        run(&bench, &trace, 1, 1, 1);
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].load_slots, cases[i].lines * cases[i].slots, 1e-6);
    }
}

/* The clocks of L2 for a line of blocks that load so many, or none, and store them. */
static double slots_of_line(bool loads, uint32_t blocks, uint8_t lines)
{
    struct smc_warp_trace_line line[32];
    const uint8_t sectors = (uint8_t)(lines * 4);
    struct smc_warp_trace_entry entry[2] = {
        {.step = 0, .lines = lines, .sectors = sectors, .wavefronts = 1, .active_lanes = 32},
        {.step = 1, .lines = lines, .sectors = sectors, .wavefronts = 1, .active_lanes = 32}};
    struct smc_warp_trace trace = {.entry = entry, .count = 2, .line = line};
    for (uint32_t i = 0; i < lines; i++)
        line[i] = (struct smc_warp_trace_line){.number = 8 + i, .sectors = 15};
    struct bench bench;
    start(&bench, loads ? SMC_OP_LDG : SMC_OP_IADD3, SMC_PIPE_LSU, 2);
    set_step(&bench.step[1], SMC_OP_STG, SMC_PIPE_LSU, 1);
    bench.step[0].in.access_bytes = bench.step[1].in.access_bytes = 4;
    bench.no_more_blocks = true;
    run(&bench, &trace, blocks, 2, 1);
    return bench.work[1].store_slots / lines;
}

/* L2 takes stores to an array longer from which blocks load that run beside, if they are to few
   lines. */
static void test_stores_in_place(void)
{
    CU_ASSERT_DOUBLE_EQUAL(slots_of_line(false, 2, 1), 8, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(slots_of_line(true, 2, 1), 8, 1e-6); /* all begin at once */
    CU_ASSERT_DOUBLE_EQUAL(slots_of_line(true, 4, 1), 1.27 * slots_of_line(false, 4, 1), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(slots_of_line(true, 4, 7), 1.27 * slots_of_line(false, 4, 7), 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(slots_of_line(true, 4, 8), slots_of_line(false, 4, 8), 1e-6);
}

static void test_scattered_stores(void)
{
    struct smc_warp_trace_line line[32];
    struct smc_warp_trace_entry entry = {.step = 0, .lines = 32, .wavefronts = 1};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    for (uint64_t jump = 0; jump < 10; jump += 5) {
        struct bench bench;
        start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
        set_lines(line, 3, jump);
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 32 * 2.15 + 200, 4);
        CU_ASSERT_EQUAL(bench.work[0].store_sectors, 8 * 32);
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 8 * 32 * 2.15, 1e-6);
        CU_ASSERT_EQUAL(bench.traffic[0].stored, 8 * 32);
        CU_ASSERT_EQUAL(bench.traffic[0].stored_scattered, jump ? 8 * 32 : 0);
    }
}

/* Loads of a line from DRAM, one each 50 clocks, of which it takes 40: they wait in its queues, the
   longer the longer they go on; other lines wait longer. Those of 400 of each 500 clocks wait as
   long, and for a fifth of those before them. */
static void test_dram_queues(void)
{
    struct smc_warp_trace_line line = {.number = 7, .sectors = 0xf};
    struct smc_warp_trace_entry entry = {.step = 0, .lines = 1, .wavefronts = 1};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = &line};
    struct bench bench;
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.step[0].in.beyond_sm = true;
    bench.rates.block_interval = 50;
    bench.rates.dram_load_clocks = 10;
    bench.rates.dram_latency = 600;
    bench.dram[0] = (struct smc_sm_dram){.load_share = 1};
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 2, 2, 1), 50 + 40 + 600, 20);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 60, 60, 1), 59 * 50 + 138 + 600, 20);
    line.number = 8;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 60, 60, 1), 59 * 50 + 293 + 600, 20);
    bench.rates.block_interval = 500;
    bench.rates.dram_load_clocks = 100;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 60, 60, 1), 59 * 500 + 490 + 600, 40);
}

/* What comes from random places of DRAM has a rate of its own. */
static void test_scattered_loads(void)
{
    struct smc_warp_trace_line line[32];
    struct smc_warp_trace_entry entry = {.step = 0, .lines = 32, .wavefronts = 1};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.rates.dram_scattered_load_clocks = 100;
    bench.rates.dram_latency = 600;
    bench.dram[0] = (struct smc_sm_dram){.load_share = 0.5, .scattered = true};
    set_lines(line, 3, 5);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 16 * 100 + 600, 70);
    CU_ASSERT_EQUAL(bench.traffic[0].loaded_scattered, 32);
}

/* Two loads, one right after the other, in a wavefront without misses: of lines in different banks
   of tags, which all two sets of lanes read or each one of them; of one line, whose second sector
   is there. What comes is read as it was looked up, for each set, apart from what is there. */
static void test_arriving_lines(void)
{
    enum { LINES = 2, EVERY = 3 };
    struct smc_warp_trace_line line[2][LINES] = {{{.number = 8}, {.number = 9}},
                                                 {{.number = 8}, {.number = 9}}};
    struct smc_warp_trace_entry entry[] = {{.step = 0, .lines = LINES, .wavefronts = 2},
                                           {.step = 1, .line = LINES, .wavefronts = 2}};
    struct smc_warp_trace trace = {.entry = entry, .count = 2, .line = line[0]};
    struct bench bench;
    CU_ASSERT_NOT_EQUAL_FATAL(smc_tag_bank(8), smc_tag_bank(9));
    for (unsigned sets = 1; sets <= EVERY; sets += 2)
        for (unsigned lines = 1; lines <= LINES; lines++) {
            start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
            set_step(&bench.step[1], SMC_OP_LDG, SMC_PIPE_LSU, 1);
            for (unsigned i = 0; i < LINES; i++) {
                line[0][i].sectors = line[1][i].sectors = 1;
                line[0][i].sets = line[1][i].sets = (uint8_t)(sets == 1 ? 1 + i : EVERY);
            }
            entry[1].lines = (uint8_t)lines;
            run(&bench, &trace, 1, 1, 1);
            CU_ASSERT_EQUAL(bench.work[0].wavefronts, 2 + LINES);
            CU_ASSERT_EQUAL(bench.work[1].wavefronts, 2); /* they are on their way */
        }
    /* the first line is there, of two that both sets read */
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    set_step(&bench.step[1], SMC_OP_LDG, SMC_PIPE_LSU, 1);
    entry[0].lines = 1;
    entry[1].lines = LINES;
    bench.rates.l2_latency = -100;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_EQUAL(bench.work[1].wavefronts, 4 + 1);
}

/* Lines are written beside requests that leave most banks idle. */
static void test_lines_arrive_in_idle_banks(void)
{
    struct smc_warp_trace_line line[] = {{.number = 8, .sectors = 1}, {.number = 9, .sectors = 1}};
    struct smc_warp_trace_entry entry = {.lines = 2, .wavefronts = 2, .idle_banks = 24};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].wavefronts, 2 + 2 * 8 / 32.0, 1e-6);
}

/* The banks that the wavefronts of a load leave idle on average: one word for all lanes, a word
   each, a double of each of four rows, of which two are served together, doubles of one row, and
   eight of each of four rows, which conflict. */
static void test_idle_banks(void)
{
    static const struct {
        unsigned bytes, lanes_of_row, apart, idle_banks;
    } load[] = {{4, 32, 0, 31}, {4, 32, 4, 0}, {8, 8, 0, 28}, {8, 32, 8, 0}, {8, 8, 8, 16}};
    enum { ROW = 1024 + 32 };
    struct smc_capability capability;
    struct smc_bank_layout layout;
    CU_ASSERT_FATAL(smc_capability_find(90, &capability));
    smc_bank_layout_of(&capability.sm, SMC_BANK_MODE_4_BYTES, &layout);
    for (size_t i = 0; i < sizeof load / sizeof *load; i++) {
        const struct smc_sass_instruction in = {.operation = SMC_OP_LDG,
                                                .access_bytes = (uint8_t)load[i].bytes};
        struct smc_patterns patterns = {0};
        uint64_t address[32];
        for (unsigned lane = 0; lane < 32; lane++)
            address[lane] = lane / load[i].lanes_of_row * (uint64_t)ROW +
                            lane % load[i].lanes_of_row * (uint64_t)load[i].apart;
        CU_ASSERT_EQUAL(smc_patterns_find(&patterns, &layout, &in, UINT32_MAX, address)->idle_banks,
                        load[i].idle_banks);
    }
}

/* What was stored is in L1; a load beyond the SM gets it from L2 nevertheless. */
static void test_load_of_what_was_stored(void)
{
    struct smc_warp_trace_line line = {.number = 8, .sectors = 0xf};
    struct smc_warp_trace_entry entry[] = {{.step = 0, .lines = 1, .wavefronts = 1},
                                           {.step = 1, .lines = 1, .wavefronts = 1}};
    struct smc_warp_trace trace = {.entry = entry, .count = 2, .line = &line};
    struct bench bench;
    for (int beyond = 0; beyond < 2; beyond++) {
        start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
        set_step(&bench.step[1], SMC_OP_LDG, SMC_PIPE_LSU, 1);
        bench.step[1].in.beyond_sm = beyond;
        run(&bench, &trace, 1, 1, 1);
        CU_ASSERT_EQUAL(bench.work[1].l2_sectors, beyond ? 4 : 0);
    }
}

/* Of a loop in which only the first load misses, those that its trace leaves out ask L2 for
   nothing, as those before them. */
static void test_left_out_loads_hit(void)
{
    enum { KEPT = 4 };
    static const float weights[KEPT] = {1, 1, 1, 97};
    const float *const weight = weights;
    struct smc_warp_trace_line line = {.number = 8, .sectors = 0xf};
    struct smc_warp_trace_entry entry[KEPT];
    struct smc_warp_trace trace = {.entry = entry, .count = KEPT, .line = &line};
    struct bench bench;
    for (int i = 0; i < KEPT; i++)
        entry[i] = (struct smc_warp_trace_entry){.step = 0, .lines = 1, .wavefronts = 1};
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.weight = &weight;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_EQUAL(bench.work[0].load_sectors, KEPT * 4);
    CU_ASSERT_EQUAL(bench.work[0].weighed_loads, 100 * 4);
    CU_ASSERT_EQUAL(bench.work[0].l2_sectors, 4);
}

/* Local memory: what is stored goes to L2 at once, whole words sooner than bytes, and L1 has it for
   loads. */
static void test_local_memory(void)
{
    enum { STORES = 200, LINES = 10 };
    static struct smc_warp_trace_entry entry[STORES + 1];
    struct smc_warp_trace_line line[LINES];
    struct smc_warp_trace trace = {.entry = entry, .count = STORES + 1, .line = line};
    struct bench bench;
    for (uint32_t i = 0; i < LINES; i++)
        line[i] =
            (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_LOCAL + 5 + i, .sectors = 0xf};
    for (uint32_t i = 0; i <= STORES; i++)
        entry[i] = (struct smc_warp_trace_entry){.step = i == STORES,
                                                 .line = i % LINES,
                                                 .lines = 1,
                                                 .sectors = 4,
                                                 .wavefronts = 1,
                                                 .active_lanes = 32};
    for (uint8_t bytes = 1; bytes <= 4; bytes += 3) {
        start(&bench, SMC_OP_STL, SMC_PIPE_LSU, 1);
        set_step(&bench.step[0], SMC_OP_STL, SMC_PIPE_LSU, 1);
        bench.step[0].in.access_bytes = bytes;
        set_step(&bench.step[1], SMC_OP_LDL, SMC_PIPE_LSU, 1);
        bench.rates.l2_store_clocks = 2;
        const double slots = bytes == 4 ? 4 : 5;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), STORES * slots * 2 + 200, 50);
    }
    CU_ASSERT_EQUAL(bench.work[0].store_sectors, STORES * 4);
    CU_ASSERT_EQUAL(bench.work[1].l2_sectors, 0);
    CU_ASSERT_EQUAL(bench.traffic[1].stored, STORES * 2);
}

/* Of bytes that a warp stores to a line once more, L2 gets none, or a quarter, 9/16 or 49/64 if it
   stores to one, three or seven other lines in between; all if it loads the line in between. */
static void test_joined_local_stores(void)
{
    enum { STORES = 80 };
    static struct smc_warp_trace_entry entry[2 * STORES];
    struct smc_warp_trace_line line[8];
    struct smc_warp_trace trace = {.entry = entry, .line = line};
    struct bench bench;
    for (uint32_t i = 0; i < 8; i++)
        line[i] = (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_LOCAL + i, .sectors = 0xf};
    for (uint32_t lines = 1; lines <= 8; lines *= 2)
        for (uint32_t loads = 0; loads < 2; loads++) {
            start(&bench, SMC_OP_STL, SMC_PIPE_LSU, 1);
            set_step(&bench.step[0], SMC_OP_STL, SMC_PIPE_LSU, 1);
            set_step(&bench.step[1], SMC_OP_LDL, SMC_PIPE_LSU, 1);
            bench.step[0].in.access_bytes = bench.step[1].in.access_bytes = 1;
            trace.count = 0;
            for (uint32_t i = 0; i < STORES * (1 + loads); i++)
                entry[trace.count++] =
                    (struct smc_warp_trace_entry){.step = loads && i % 2,
                                                  .line = i / (1 + loads) % lines,
                                                  .lines = 1,
                                                  .sectors = 4,
                                                  .wavefronts = 1,
                                                  .active_lanes = 32};
            run(&bench, &trace, 1, 1, 1);
            const double share = pow((lines - 1.0) / lines, 2);
            const double sent = loads ? STORES : lines + (STORES - lines) * share;
            CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 5 * sent, 1e-6);
        }
}

/* Warps that run at a time add to row after row: where all blocks have the same rows, they wait for
   each of the first ones; where each block has its own, they do not. */
static void test_crowds(void)
{
    enum { ROWS = 9, BLOCKS = 4, RUNNING = 100, KILOBYTE = 1024 / 128 };
    static const double same[] = {2 * RUNNING, 2 * RUNNING, 2 * RUNNING},
                        one[] = {2 * RUNNING, 4 * RUNNING, 12 * RUNNING}, own[] = {2, 2, 2};
    struct smc_warp_trace_entry entry[ROWS + 1];
    struct smc_warp_trace_line line[BLOCKS][ROWS];
    struct smc_warp_trace trace[BLOCKS];
    const struct smc_warp_trace *pointer[BLOCKS];
    struct smc_program_step step = {.in.operation = SMC_OP_RED};
    const struct smc_machine_program program = {.step = &step, .count = 1};
    const struct smc_rates rates = {.atomic_unit_clocks = 2, .atomic_whole_clocks = 1};
    const struct smc_traces traces = {.blocks = BLOCKS, .warps_per_block = 1, .pointer = pointer};
    const struct smc_crowd_sample sample = {
        .traces = &traces, .program = &program, .rates = &rates, .running = RUNNING};
    struct smc_crowds crowds;
    for (uint32_t i = 0; i < ROWS; i++)
        entry[i] = (struct smc_warp_trace_entry){
            .line = i, .lines = 1, .sectors = 1, .atomics = 1, .active_lanes = 1};
    entry[ROWS] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP};
    for (uint32_t places = 0; places < 3; places++) {
        const double *clocks = places == 0 ? same : places == 1 ? one : own;
        for (uint32_t b = 0; b < BLOCKS; b++) {
            for (uint32_t i = 0; i < ROWS; i++)
                line[b][i] = (struct smc_warp_trace_line){.number = KILOBYTE * (places == 0 ? i
                                                                                : places == 1
                                                                                    ? 0
                                                                                    : ROWS * b + i),
                                                          .sectors = 1};
            trace[b] = (struct smc_warp_trace){.entry = entry, .count = ROWS + 1, .line = line[b]};
            pointer[b] = &trace[b];
        }
        CU_ASSERT_FATAL(smc_crowds_find(&sample, &crowds));
        CU_ASSERT_EQUAL(crowds.parts, 3);
        CU_ASSERT_EQUAL(crowds.seen, ROWS);
        for (uint32_t i = 0; i < crowds.parts; i++)
            CU_ASSERT_DOUBLE_EQUAL(crowds.clocks[i], clocks[i], places < 2 ? 1e-6 : 10);
    }
    crowds = (struct smc_crowds){.clocks = {200, 200, 200}, .parts = 3, .seen = ROWS};
    CU_ASSERT_DOUBLE_EQUAL(smc_crowds_clocks(&crowds, ROWS, 0), 600, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_crowds_clocks(&crowds, ROWS, ROWS * 90), 110 + 20, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_crowds_clocks(&crowds, 3 * ROWS, 0), 800, 1e-6);
    /* Warps that have returned to the same 18 rows. */
    crowds = (struct smc_crowds){
        .clocks = {200, 200, 200, 200, 400}, .parts = 5, .seen = 27 + 36, .last = 2.0 / 3};
    CU_ASSERT_DOUBLE_EQUAL(smc_crowds_clocks(&crowds, 243, 0), 4 * 200 + 600 + 1800, 1e-6);
    crowds.parts = 0;
    CU_ASSERT_EQUAL(smc_crowds_clocks(&crowds, ROWS, 0), 0);
}

/* Warps that compare and swap the same word of shared memory succeed one after the other. */
static void test_swaps(void)
{
    struct smc_warp_trace_line line = {.number = SMC_WARP_TRACE_LOCAL + 5};
    struct smc_warp_trace_entry entry = {.step = 0, .lines = 1, .active_lanes = 1};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = &line};
    struct bench bench;
    for (int same = 0; same < 2; same++) {
        start(&bench, SMC_OP_ATOMS_CAS, SMC_PIPE_LSU, 1);
        bench.rates.swap_clocks = 60;
        entry.lines = (uint8_t)same;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 20 + (same ? 7 * 60 : 0), 20);
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 8, 8, 1), 20, 20); /* of different blocks */
    }
}

/* MATCH.ANY takes the pipe for each different value; of values that are not known, 32. */
static void test_matches(void)
{
    enum { CLOCKS = 8 };
    struct smc_warp_trace_entry entry = {.active_lanes = 32};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1};
    struct bench bench;
    for (uint8_t values = 0; values < 3; values++) {
        start(&bench, SMC_OP_MATCH, SMC_PIPE_ADU, 1);
        bench.rates.issue[SMC_PIPE_ADU] = CLOCKS;
        entry.wavefronts = values;
        const double each = CLOCKS * (values ? values : 32);
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 16), 4 * each - CLOCKS, 1);
        CU_ASSERT_EQUAL(bench.work[0].constants, 16 * each / 4);
    }
}

static void start_constants(struct bench *bench)
{
    start(bench, SMC_OP_LDC, SMC_PIPE_ADU, 1);
    bench->step[0].in.from[0] =
        (struct smc_sass_operand){.kind = SMC_OPERAND_REGISTER, .number = 3};
    bench->rates.constant_clocks = 2;
    bench->rates.constant_word_latency = 10;
    bench->rates.constant_miss_clocks = 30;
    bench->rates.constant_miss_latency = 100;
    bench->rates.constant_delayed_latency = 5;
}

/* Words of constants are read one after the other, and lines that are missing are waited for. */
static void test_constants(void)
{
    struct smc_warp_trace_line line[2] = {{.number = SMC_WARP_TRACE_CONSTANTS + 7},
                                          {.number = SMC_WARP_TRACE_CONSTANTS + 9}};
    struct smc_warp_trace_entry entry[2] = {{.wavefronts = 32, .active_lanes = 32},
                                            {.wavefronts = 32, .active_lanes = 32}};
    struct smc_warp_trace trace = {.entry = entry, .count = 1, .line = line};
    struct bench bench;
    start_constants(&bench);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 31 * 10, 10);
    CU_ASSERT_EQUAL(bench.work[0].constants, 32 * 2);
    entry[0].lines = entry[1].lines = 2;
    start_constants(&bench);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 31 * 10 + 2 * 100, 10);
    trace.count = 2; /* the second access finds the lines */
    start_constants(&bench);
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_EQUAL(bench.work[0].constants, 2 * 32 * 2 + 2 * 30);
    entry[0] = (struct smc_warp_trace_entry){.wavefronts = 1};
    trace.count = 1;
    start_constants(&bench);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 1, 10);
}

/* Constants at an index that all lanes share: a sub-partition has eight lines. A larger table is
   read by each block, or each warp that has accessed global memory, at lines of its own. */
static void test_uniform_constants(void)
{
    enum { READS = 10, OTHERS = 8, ALL = READS + OTHERS };
    struct smc_warp_trace_line line[1 + OTHERS];
    struct smc_warp_trace_entry entry[1 + ALL];
    struct smc_warp_trace trace = {.entry = entry, .count = READS, .line = line};
    struct bench bench;
    for (uint32_t i = 0; i <= OTHERS; i++)
        line[i] =
            (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_CONSTANTS + 7 + i, .sectors = 1};
    for (uint32_t i = 0; i <= ALL; i++)
        entry[i] = (struct smc_warp_trace_entry){.lines = 1,
                                                 .line = i >= READS ? (i - READS) % OTHERS + 1 : 0,
                                                 .wavefronts = 1,
                                                 .active_lanes = 32};
    start(&bench, SMC_OP_ULDC_INDEX, SMC_PIPE_UNIFORM_MOVE, 1);
    bench.step[0].in.from[0] = (struct smc_sass_operand){.kind = SMC_OPERAND_UNIFORM, .number = 3};
    set_step(&bench.step[1], SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.rates.uniform_miss_clocks = 26;
    bench.rates.uniform_miss_latency = 70;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 70 + READS, 5);
    CU_ASSERT(run(&bench, &trace, 40, 40, 1) < 0.1 * 40 * READS * 26);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 32), 4 * 26 + 70, 30);
    trace.count = ALL; /* nine lines */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 40, 40, 1), 0.95 * 40 * ALL * 26, 800);
    trace.count = ALL + 1;
    entry[0].step = 1; /* a load that L1 serves, but first */
    const double apart = run(&bench, &trace, 1, 1, 32);
    CU_ASSERT(apart > 32 * (OTHERS + 1) * 26);
}

/* A cache of constants lacks what is beyond its size of a table that lanes read at random. */
static void test_large_table_of_constants(void)
{
    enum { LINES = 90 }; /* twice those of the cache */
    struct smc_warp_trace_line line[LINES];
    struct smc_warp_trace_entry entry[LINES / 2];
    struct smc_warp_trace trace = {.entry = entry, .line = line};
    struct bench bench;
    for (uint32_t i = 0; i < LINES; i++)
        line[i] = (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_CONSTANTS + i};
    for (uint32_t i = 0; i < LINES / 2; i++)
        entry[i] = (struct smc_warp_trace_entry){.line = 2 * i, .lines = 2, .wavefronts = 2};
    start_constants(&bench);
    trace.count = LINES / 2 - 1;
    run(&bench, &trace, 1, 1, 1);
    double before = bench.work[0].constants;
    start_constants(&bench);
    trace.count = LINES / 2;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].constants - before, 2 * 2 + 2 * 0.5 * 30, 1e-6);
}

/* Blocks that go through a table, most of it in iterations that are left out, read different lines
   at a time: a cache of 45 lines has so many of the table's. Not those of a small table, blocks
   that start at once, or few blocks. */
static void test_drifting_constants(void)
{
    enum { LINES = 10, LEFT_OUT = 90, READS = 2 * LINES };
    static const struct {
        uint32_t blocks, lines;
        bool at_once;
        double missing;
    } cases[] = {{48, LINES, false, 48 * READS * 0.55},
                 {48, 2, false, 2},
                 {48, LINES, true, LINES},
                 {32, LINES, false, LINES}};
    struct smc_warp_trace_line line[READS];
    struct smc_warp_trace_entry entry[READS + 2] = {{.step = SMC_WARP_TRACE_LOOP}};
    struct smc_warp_trace_skip skip = {.executed = 2ULL * LEFT_OUT, .window = READS};
    struct smc_warp_trace trace = {
        .entry = entry, .count = READS + 2, .line = line, .skip = &skip, .skip_count = 1};
    struct bench bench;
    for (uint32_t i = 0; i < READS; i++)
        entry[i + 1] = (struct smc_warp_trace_entry){.line = i, .lines = 1, .wavefronts = 1};
    entry[READS + 1].step = SMC_WARP_TRACE_SKIP;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const uint32_t blocks = cases[n].blocks;
        for (uint32_t i = 0; i < READS; i++)
            line[i] = (struct smc_warp_trace_line){.number = SMC_WARP_TRACE_CONSTANTS +
                                                             i / 2 % cases[n].lines,
                                                   .sectors = (uint8_t)(1 << i % 2)};
        start_constants(&bench);
        bench.no_more_blocks = cases[n].at_once;
        run(&bench, &trace, blocks, blocks, 1);
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].constants, blocks * READS * 2 + cases[n].missing * 30,
                               1e-6);
    }
}

/* Blocks that start a launch are sent one after the other, too. */
static void test_first_blocks(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    bench.rates.block_interval = 100;
    trace_loop(ROOM, 10, &trace); /* 42 instructions */
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 4, 4, 1), 3 * 100 + 4 * 42, 2);
    trace_loop(20, 100, &trace); /* leaves most of it out */
    double at_once = run(&bench, &trace, 4, 4, 1);
    bench.no_more_blocks = true;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 4, 4, 1), at_once + 3 * 100, 2);
}

/* Atomics have a rate, and those in one unit of L2 are counted. */
static void test_atomics(void)
{
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1},
                                          {.number = 100, .sectors = 1}};
    struct smc_warp_trace_entry entry = {
        .step = 0, .lines = 2, .sectors = 2, .atomics = 20, .active_lanes = 20};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_clocks = 10;
    bench.rates.atomic_unit_clocks = 3;
    bench.rates.atomic_whole_clocks = 2;
    bench.rates.atomic_float_clocks = 10;
    bench.rates.atomic_slots = (struct smc_atomic_slots){0.5, 0.75};
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 20 * 10 + 200, 10);
    CU_ASSERT_EQUAL(bench.work[0].atomics, 8 * 20);
    CU_ASSERT_EQUAL(bench.work[0].atomic_slots, 8 * 20);
    CU_ASSERT_EQUAL(bench.work[0].unknown, 0);
    CU_ASSERT_EQUAL(bench.result.hottest_atomics, 8 * 10);
    line[1].number = 10; /* the next piece, of another unit */
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.hottest_atomics, 8 * 10);
    line[1].number = 13; /* the one after that, of the same */
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.hottest_atomics, 8 * 20);
    CU_ASSERT_EQUAL(bench.result.hottest_clocks, 10 / 2.0); /* floats in turn, in two sectors */
    CU_ASSERT(bench.result.first_atomic < 10);
    entry.lines = entry.sectors = 1;
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.hottest_clocks, 10);
    bench.step[0].in.operation = SMC_OP_RED;
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.hottest_clocks, 3); /* integers */
    entry.active_lanes = 32;                         /* the words of a sector by four lanes each */
    entry.atomics = 4;
    const double before = bench.work[0].atomic_slots;
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.hottest_clocks, 2);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].atomic_slots - before, 8 * 4 * (0.5 + 0.75), 1e-6);
    entry.active_lanes = 24; /* of the sectors every second one lacks half */
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_clocks, (2 + 3) / 2.0, 1e-6);
    entry.active_lanes = 32;
    bench.step[0].in.operation = SMC_OP_REDG;
    bench.step[0].in.high |= UINT64_C(7) << (73 - 64); /* doubles, two at a time */
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_EQUAL(bench.result.atomic_clocks, 2 * 2);
    CU_ASSERT_EQUAL(bench.result.atomics, 8 * 4);
}

/* Floats wait for those of the sector that has most of a piece, one of many neighbors. */
static void test_uneven_atomics(void)
{
    enum { ADDS = 8, OTHERS = 2 };
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1}, {.number = 8, .sectors = 2}};
    struct smc_warp_trace_entry entry[ADDS];
    for (uint32_t i = 0; i < ADDS; i++)
        entry[i] = (struct smc_warp_trace_entry){
            .line = i < OTHERS, .lines = 1, .sectors = 1, .atomics = 1, .active_lanes = 1};
    const struct smc_warp_trace trace = {.entry = entry, .count = ADDS, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_unit_clocks = bench.rates.atomic_whole_clocks = 2;
    bench.rates.atomic_float_clocks = 10;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_clocks, 10 * 0.75, 1e-6);
    bench.rates.atomic_float_clocks = 2.5; /* by chance, 32 of 56 come after one of their sector */
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_clocks, 2 + 0.5 * 32 / 56, 1e-6);
    bench.rates.atomic_float_clocks = 10;
    line[1].sectors = 3; /* others in both sectors at once */
    entry[0].sectors = entry[1].sectors = 2;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.hottest_clocks, 10 * 7.0 / 8, 1e-6);
}

/* All units of L2 are used from the first atomic on, the piece that has most of them from its own
   first one on. */
static void test_first_atomics(void)
{
    enum { OTHERS = 50, HOT = 70 };
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1},
                                          {.number = 100, .sectors = 1}};
    struct smc_warp_trace_entry entry[OTHERS + HOT];
    for (uint32_t i = 0; i < OTHERS + HOT; i++)
        entry[i] = (struct smc_warp_trace_entry){
            .line = i < OTHERS, .lines = 1, .sectors = 1, .atomics = 1, .active_lanes = 1};
    const struct smc_warp_trace trace = {.entry = entry, .count = OTHERS + HOT, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_clocks = 100;
    CU_ASSERT(run(&bench, &trace, 1, 1, 1) > 100 * (OTHERS + HOT));
    CU_ASSERT_EQUAL(bench.result.hottest_atomics, HOT);
    CU_ASSERT(bench.result.first_atomic < 100);
    CU_ASSERT(bench.result.first_hottest > 1000);
}

/* What atomics change comes from DRAM and goes back; half of the shorter time of L2 and DRAM is not
   beside the longer one. */
static void test_atomics_that_l2_lacks(void)
{
    struct smc_warp_trace_line line[2] = {{.number = 8, .sectors = 1},
                                          {.number = 100, .sectors = 1}};
    struct smc_warp_trace_entry entry = {
        .step = 0, .lines = 2, .sectors = 2, .atomics = 20, .active_lanes = 20};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_clocks = 10;
    bench.rates.dram_latency = bench.rates.l2_latency;
    bench.dram[0] = (struct smc_sm_dram){.fill_share = 1, .store_share = 0.5};
    for (double each = 0; each <= 100; each += 50) { /* of two sectors for each piece */
        bench.rates.dram_load_clocks = bench.rates.dram_store_clocks = each;
        const double dram = 2 * 2 * 1.5 * each, l2 = 20 * 10;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8),
                               8 * (fmax(dram, l2) + fmin(dram, l2) / 2) + 200, 12);
    }
    bench.dram[0].scattered = true;
    bench.rates.dram_scattered_store_clocks = 300;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * (300 + 200 / 2.0) + 200, 12);
}

/* An exchange gives a result, if only to the register that has none. */
static void test_results_of_atomics(void)
{
    struct smc_warp_trace_line line = {.number = 8, .sectors = 1};
    struct smc_warp_trace_entry entry = {
        .step = 0, .lines = 1, .sectors = 1, .atomics = 20, .active_lanes = 20};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = &line};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_clocks = 10;
    bench.rates.atomic_result_clocks = 15;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 20 * 10 + 200, 10);
    bench.step[0].in.operation = SMC_OP_ATOMG;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 20 * 15 + 200, 10);
}

/* Lanes that share words leave the SM one after the other: so many at each word of one sector, of
   several, and of several lines, in the clocks that were measured. */
static void test_atomics_of_shared_words(void)
{
    static const struct {
        uint32_t lines, sectors, atomics;
        uint8_t sectors_of_line;
        double clocks;
    } measured[] = {{1, 1, 32, 1, 62}, {1, 1, 16, 1, 48},  {1, 1, 8, 1, 25},  {1, 1, 4, 1, 12.9},
                    {1, 2, 4, 3, 8.5}, {1, 4, 32, 15, 41}, {4, 4, 32, 1, 64}, {1, 4, 4, 15, 5}};
    enum { WARPS = 16 };
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct smc_warp_trace_line line[4];
        for (uint32_t k = 0; k < 4; k++)
            line[k] = (struct smc_warp_trace_line){.number = 8 + k,
                                                   .sectors = measured[i].sectors_of_line};
        struct smc_warp_trace_entry entry = {.lines = (uint8_t)measured[i].lines,
                                             .sectors = (uint8_t)measured[i].sectors,
                                             .atomics = (uint8_t)measured[i].atomics,
                                             .wavefronts = 1,
                                             .active_lanes = 32};
        const struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
        struct bench bench;
        start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
        bench.rates.atomic_clocks = 0.1;
        const double clocks = measured[i].clocks;
        const double all = run(&bench, &trace, 1, 1, WARPS) - bench.rates.atomic_latency;
        CU_ASSERT_DOUBLE_EQUAL(all / WARPS, clocks, 0.12 * clocks);
    }
}

/* The units that atomics have are those of the window of each array: those of one
   line are in one, those of 1 MiB in all, and those of a single block anywhere. */
static void test_atomic_windows(void)
{
    enum { SMALL = 8, LINES = 8192, FIRST = 64 };
    static const struct smc_time_array array[2] = {
        {.address = SMALL * SMC_LINE_BYTES, .bytes = SMC_LINE_BYTES},
        {.address = FIRST * SMC_LINE_BYTES, .bytes = LINES * SMC_LINE_BYTES}};
    static const double spread = 1.0 / SMC_ATOMIC_UNITS, one = 1.0 / SMC_ATOMIC_UNIT_PIECES;
    const double many = SMC_ATOMIC_UNIT_PIECES * 256.0 / (LINES * SMC_LINE_BYTES) + spread;
    struct smc_warp_trace_line line[3] = {{.number = SMALL, .sectors = 1},
                                          {.number = FIRST, .sectors = 1},
                                          {.number = FIRST + LINES - 1, .sectors = 1}};
    struct smc_warp_trace_entry entry[2] = {
        {.lines = 1, .sectors = 1, .atomics = 2, .active_lanes = 2},
        {.line = 1, .lines = 2, .sectors = 2, .atomics = 2, .active_lanes = 2}};
    const struct smc_warp_trace both = {.entry = entry, .count = 2, .line = line},
                                large = {.entry = entry + 1, .count = 1, .line = line},
                                small = {.entry = entry, .count = 1, .line = line}, none = {0};
    const struct {
        const struct smc_warp_trace *block[2];
        double busiest;
    } launches[] = {
        {{&large, &large}, many}, {{&both, &both}, (one + spread) / 2}, {{&small, &none}, spread}};
    const struct smc_sm_dram dram[4] = {{0}};
    static const float once[2] = {1, 1};
    static const float *const weight[2] = {once, once};
    struct bench bench;
    start(&bench, SMC_OP_REDG, SMC_PIPE_LSU, 1);
    bench.rates.atomic_clocks = bench.rates.atomic_unit_clocks = bench.rates.atomic_whole_clocks =
        1;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        const struct smc_sm_block block[2] = {{.trace = &launches[i].block[0]},
                                              {.trace = &launches[i].block[1]}};
        struct smc_sm_traffic traffic[4] = {{0}};
        const struct smc_sm_launch launch = {.program = &bench.program,
                                             .rates = &bench.rates,
                                             .dram = dram,
                                             .traffic = traffic,
                                             .array = array,
                                             .arrays = 2,
                                             .warps_per_block = 1,
                                             .resident_blocks = 2,
                                             .l1_bytes = 65536,
                                             .block = block,
                                             .blocks = 2,
                                             .blocks_at_a_time = 2,
                                             .weight = weight,
                                             .work = bench.work};
        struct smc_error error;
        CU_ASSERT_EQUAL_FATAL(smc_sm_run(&launch, &bench.result, &error), SMC_OK);
        CU_ASSERT_DOUBLE_EQUAL(bench.result.busiest_unit, launches[i].busiest, 1e-9);
        /* also of blocks that are drawn from the grid, where an SM has only one */
        CU_ASSERT_EQUAL_FATAL(smc_sm_access(&launch, &bench.result, &error), SMC_OK);
        CU_ASSERT_DOUBLE_EQUAL(bench.result.busiest_unit, launches[i].busiest, 1e-9);
    }
}

/* Where most iterations of a loop are left out, its loads and stores stand for theirs, so that the
   few at the end of a block are as small a share of the launch's as they are. */
static void test_weighted_requests(void)
{
    enum { TIMES = 40, IN_LOOP = 8, AT_END = 99 };
    const enum smc_operation operation[] = {SMC_OP_STG, SMC_OP_LDG};
    struct smc_warp_trace_line line[2] = {{.number = IN_LOOP, .sectors = 1},
                                          {.number = AT_END, .sectors = 1}};
    struct smc_warp_trace_entry entry[2] = {
        {.lines = 1, .sectors = 1, .wavefronts = 1, .active_lanes = 1},
        {.line = 1, .lines = 1, .sectors = 1, .wavefronts = 1, .active_lanes = 1}};
    const struct smc_warp_trace warp = {.entry = entry, .count = 2, .line = line}, *const trace =
                                                                                       &warp;
    const struct smc_sm_block block = {.trace = &trace};
    static const float times[2] = {TIMES, 1};
    static const float *const weight[1] = {times};
    const struct smc_sm_dram dram[2] = {{0}};
    for (size_t i = 0; i < sizeof operation / sizeof *operation; i++) {
        struct smc_sm_traffic traffic[2] = {{0}};
        struct smc_error error;
        struct bench bench;
        start(&bench, operation[i], SMC_PIPE_LSU, 1);
        bench.step[0].in.beyond_sm = true;
        const struct smc_sm_launch launch = {.program = &bench.program,
                                             .rates = &bench.rates,
                                             .dram = dram,
                                             .traffic = traffic,
                                             .warps_per_block = 1,
                                             .resident_blocks = 1,
                                             .l1_bytes = 65536,
                                             .block = &block,
                                             .blocks = 1,
                                             .weight = weight,
                                             .work = bench.work};
        CU_ASSERT_EQUAL_FATAL(smc_sm_access(&launch, &bench.result, &error), SMC_OK);
        const bool loads = operation[i] == SMC_OP_LDG;
        CU_ASSERT_DOUBLE_EQUAL((loads ? bench.result.hottest_loads : bench.result.hottest_stores) /
                                   (loads ? bench.result.loads : bench.result.stores),
                               (double)TIMES / (TIMES + 1), 1e-6);
    }
}

/* From the first line to the last one of blocks that reside together, most and least. */
static void test_spans(void)
{
    enum { BLOCKS = 5, LINES = 32 };
    static const uint64_t at[BLOCKS] = {1, 11, 31, 1, 5}; /* two at a time; the last one alone */
    static const struct smc_time_array array = {.bytes = LINES * SMC_LINE_BYTES};
    static const float once[1] = {1};
    static const float *const weight[BLOCKS] = {once, once, once, once, once};
    const struct smc_sm_dram dram[3] = {{0}};
    struct smc_sm_traffic traffic[3] = {{0}};
    struct smc_warp_trace_line line[BLOCKS];
    struct smc_warp_trace_entry entry = {
        .lines = 1, .sectors = 1, .wavefronts = 1, .active_lanes = 1};
    struct smc_warp_trace warp[BLOCKS];
    const struct smc_warp_trace *trace[BLOCKS];
    struct smc_sm_block block[BLOCKS];
    struct smc_error error;
    struct bench bench;
    for (size_t i = 0; i < BLOCKS; i++) {
        line[i] = (struct smc_warp_trace_line){.number = at[i], .sectors = 1};
        warp[i] = (struct smc_warp_trace){.entry = &entry, .count = 1, .line = &line[i]};
        trace[i] = &warp[i];
        block[i] = (struct smc_sm_block){.trace = &trace[i]};
    }
    start(&bench, SMC_OP_LDG, SMC_PIPE_LSU, 1);
    bench.step[0].in.beyond_sm = true;
    const struct smc_sm_launch launch = {.program = &bench.program,
                                         .rates = &bench.rates,
                                         .dram = dram,
                                         .traffic = traffic,
                                         .array = &array,
                                         .arrays = 1,
                                         .warps_per_block = 1,
                                         .resident_blocks = 2,
                                         .l1_bytes = 65536,
                                         .block = block,
                                         .blocks = BLOCKS,
                                         .weight = weight,
                                         .work = bench.work};
    CU_ASSERT_EQUAL_FATAL(smc_sm_access(&launch, &bench.result, &error), SMC_OK);
    CU_ASSERT_EQUAL(traffic[0].span, 31 * SMC_LINE_BYTES);
    CU_ASSERT_EQUAL(traffic[0].least_span, 11 * SMC_LINE_BYTES);
}

/* A survey keeps the longest warp of each block, the longest ones first. */
static void test_longest_kept(void)
{
    struct smc_survey survey = {.warps = 0};
    for (uint64_t i = 0; i < 100; i++) {
        smc_survey_add_long(&survey, i, 100 + (double)(i * 37 % 100));
        smc_survey_add_long(&survey, i, 50);
    }
    smc_survey_add_long(&survey, 27, 300);
    CU_ASSERT_EQUAL(survey.longest[0].place, 27);
    CU_ASSERT_EQUAL(survey.longest[0].length, 300);
    for (int i = 1; i < SMC_LONGEST_BLOCKS; i++) {
        CU_ASSERT(survey.longest[i].length <= survey.longest[i - 1].length);
        CU_ASSERT_NOT_EQUAL(survey.longest[i].place, 27);
    }
    CU_ASSERT_EQUAL(survey.longest[1].length, 198); /* block 27 had 199 */
    CU_ASSERT_EQUAL(survey.longest[SMC_LONGEST_BLOCKS - 1].length, 184);
}

/* Three numbers of which one is nothing do not tell the mean, three that are alike do, and so do
   many. */
static void test_known_mean(void)
{
    struct smc_mean few = {.count = 0}, alike = {.count = 0}, many = {.count = 0};
    for (int i = 0; i < 3; i++) {
        smc_mean_add(&few, i == 0 ? 0 : 460);
        smc_mean_add(&alike, 400 + 30 * i);
    }
    for (int i = 0; i < 300; i++)
        smc_mean_add(&many, i % 3 == 0 ? 0 : 460);
    CU_ASSERT_FALSE(smc_mean_is_known(&few, few.count));
    CU_ASSERT(smc_mean_is_known(&alike, alike.count));
    CU_ASSERT(smc_mean_is_known(&many, many.count));
    CU_ASSERT_FALSE(smc_mean_is_known(&many, many.count / 32)); /* warps of blocks that are alike */
}

/* Of blocks in rounds the longest one ends as much later as it starts after those before it. */
static void test_longest_block(void)
{
    struct smc_survey survey = {
        .warps = 1000, .whole = true, .longest = {{0, 3000}, {900, 2000}, {400, 1000}}};
    const struct smc_survey_times times = {.blocks = 1000,
                                           .warps_per_block = 1,
                                           .resident = 200,
                                           .clocks = 10000,
                                           .clocks_per_instruction = 2};
    CU_ASSERT_DOUBLE_EQUAL(smc_survey_end(&survey, &times), 7000 + 4000, 1e-6);
    survey.longest[0].length = 6000;
    CU_ASSERT_DOUBLE_EQUAL(smc_survey_end(&survey, &times), 12000, 1e-6);
    /* Of half the grid another one is as long, and the later one is at 600 on average. */
    survey.whole = false;
    survey.warps = 500;
    CU_ASSERT_DOUBLE_EQUAL(smc_survey_end(&survey, &times),
                           (900 * 5.0 / 9 + 400 * 3.0 / 9 - 200) * 10 + 12000, 1e-6);
}

/* One warp that repeats a copy, of so many lines in turn, its group and a wait for all but
   `missing` groups, and then ends. */
static double run_copies_of(uint32_t lines, bool past_l1, uint32_t repetitions, uint64_t missing)
{
    static struct smc_warp_trace_line line[128];
    struct smc_warp_trace trace = {.entry = entries, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_LDGSTS, SMC_PIPE_LSU, 1);
    set_step(&bench.step[1], SMC_OP_LDGDEPBAR, SMC_PIPE_NONE, 1);
    set_step(&bench.step[2], SMC_OP_DEPBAR, SMC_PIPE_NONE, 1);
    set_step(&bench.step[3], SMC_OP_MOV, SMC_PIPE_ALU, 1);
    bench.step[2].in.low = missing << 38;
    bench.step[0].in.beyond_sm = past_l1;
    for (uint32_t i = 0; i < repetitions; i++) {
        line[i] = (struct smc_warp_trace_line){.number = i % lines, .sectors = 1};
        entries[trace.count++] =
            (struct smc_warp_trace_entry){.step = 0, .line = i, .lines = 1, .wavefronts = 1};
        entries[trace.count++] = (struct smc_warp_trace_entry){.step = 1};
        entries[trace.count++] = (struct smc_warp_trace_entry){.step = 2};
    }
    entries[trace.count++] = (struct smc_warp_trace_entry){.step = 3};
    return run(&bench, &trace, 1, 1, 1);
}

static double run_copies(uint32_t repetitions, uint64_t missing)
{
    return run_copies_of(repetitions, false, repetitions, missing);
}

/* A copy takes 1 clock to L1, 1 to be taken by L2, and 200 until it comes: it is there 202 clocks
   after it was issued. The three instructions take 3 clocks. With `missing` groups under way, the
   copy of number n is issued when that of number n - missing - 1 is there: missing + 1 of them each
   202 clocks, however many there were before. */
static void test_copies_in_groups(void)
{
    enum { COMES = 202, ISSUE = 3, END = 1 };
    CU_ASSERT_DOUBLE_EQUAL(run_copies(1, 0), COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(10, 0), 10 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(40, 0), 40 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(14, 1), 7 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(128, 1), 64 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(60, 2), 20 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(64, 15), 4 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(84, 20), 4 * COMES + END, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(run_copies(40, 63), 40 * ISSUE + END, 1e-9); /* waits for none */
}

/* L1 has a line that was copied before, but not what cp.async.cg copied. */
static void test_copies_past_l1(void)
{
    enum { FROM_L2 = 202, FROM_L1 = 33 };
    CU_ASSERT_DOUBLE_EQUAL(run_copies_of(1, false, 10, 0), FROM_L2 + 9 * FROM_L1, 10);
    CU_ASSERT_DOUBLE_EQUAL(run_copies_of(1, true, 10, 0), 10 * FROM_L2, 10);
}

/* Rows of so many lanes, 1024 bytes apart, that come to be so many bytes apart in shared memory:
   counted on an H200 (smc_copy_turns). */
static void test_turns_of_copies(void)
{
    static const struct {
        unsigned lanes, pitch, shift, turns;
    } cases[] = {{32, 512, 0, 1}, {16, 256, 0, 1}, {8, 128, 0, 1}, {8, 144, 0, 2},
                 {16, 272, 0, 2}, {8, 128, 64, 4}, {4, 64, 0, 4},  {4, 128, 0, 2},
                 {2, 32, 0, 16},  {2, 128, 0, 4},  {1, 16, 0, 32}, {1, 128, 0, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t from[SMC_LANES], to[SMC_LANES];
        for (unsigned lane = 0; lane < SMC_LANES; lane++) {
            const unsigned row = lane / cases[i].lanes, column = lane % cases[i].lanes;
            from[lane] = 1024 * row + 16 * column + cases[i].shift;
            to[lane] = row * cases[i].pitch + 16 * column;
        }
        CU_ASSERT_EQUAL(smc_copy_turns(UINT32_MAX, from, to), cases[i].turns);
    }
    CU_ASSERT_EQUAL(smc_copy_turns(0, NULL, NULL), 0);
}

/* Rows of so many lanes that come to be so many bytes apart, likewise: a sector of shared memory
   asks for what it receives of each one of global memory (smc_copy_sectors_again). */
static void test_sectors_of_copies(void)
{
    static const struct {
        unsigned lanes, pitch, shift, again;
    } cases[] = {{32, 512, 0, 0}, {8, 144, 0, 8}, {16, 272, 0, 8}, {8, 160, 0, 0},
                 {8, 192, 0, 0},  {2, 48, 0, 8},  {1, 16, 0, 0},   {32, 512, 16, 15}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t from[SMC_LANES], to[SMC_LANES];
        for (unsigned lane = 0; lane < SMC_LANES; lane++) {
            const unsigned row = lane / cases[i].lanes, column = lane % cases[i].lanes;
            from[lane] = 1024 * row + 16 * column + cases[i].shift;
            to[lane] = row * cases[i].pitch + 16 * column;
        }
        CU_ASSERT_EQUAL(smc_copy_sectors_again(UINT32_MAX, from, to), cases[i].again);
    }
    CU_ASSERT_EQUAL(smc_copy_sectors_again(0, NULL, NULL), 0);
}

/* Of a store to local and to global memory, all sectors go to L2, and those of local memory are no
   array's. */
static void test_sectors_of_mixed_stores(void)
{
    static const struct smc_warp_trace_line lines[3] = {
        {.number = 8, .sectors = 0xf},
        {.number = SMC_WARP_TRACE_LOCAL + 1, .sectors = 0xf},
        {.number = 9, .sectors = 0x3}};
    struct smc_warp_trace_line line[3];
    memcpy(line, lines, sizeof line);
    struct smc_warp_trace_entry entry = {.step = 0, .lines = 3, .wavefronts = 1};
    struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    struct bench bench;
    start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_EQUAL(bench.work[0].store_sectors, 4 + 4 + 2);
    CU_ASSERT_EQUAL(bench.traffic[0].stored_sectors, 4 + 2);
    CU_ASSERT_EQUAL(bench.traffic[1].stored, 2);
}

/* L2 takes longer for a part of a sector than for a whole one. Stores to the same few lines one
   after the other, as to the members of a structure, become one. */
static void test_stores_of_parts(void)
{
    struct smc_warp_trace_line line[8];
    struct smc_warp_trace_entry entry[2] = {
        {.lines = 8, .sectors = 32, .wavefronts = 1, .active_lanes = 32},
        {.lines = 4, .sectors = 16, .wavefronts = 1, .active_lanes = 32}};
    struct smc_warp_trace trace = {.entry = entry, .count = 1, .line = line};
    struct bench bench;
    for (uint32_t i = 0; i < 8; i++)
        line[i] = (struct smc_warp_trace_line){.number = 8 + i, .sectors = 0xf};
    start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
    bench.step[0].in.access_bytes = 4;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 8 * (1 + 4 * 1.15), 1e-6);
    bench.step[0].in.access_bytes = 16;
    entry[0].lines = 4;
    entry[0].sectors = 16;
    memset(bench.work, 0, sizeof bench.work);
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 4 * 4, 1e-6);
    trace.count = 2;
    start(&bench, SMC_OP_STG, SMC_PIPE_LSU, 1);
    bench.step[0].in.access_bytes = 4;
    run(&bench, &trace, 1, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots, 4 * (1 + 4 * 1.15), 1e-6);
    CU_ASSERT_EQUAL(bench.traffic[0].stored_bytes, 2 * 128); /* which fill its sectors together */
    /* Up to seven lines of one warp, even if its sub-partition does not store to the same. */
    for (uint32_t lines = 7; lines <= 8; lines++) {
        entry[1].lines = (uint8_t)lines;
        entry[1].sectors = (uint8_t)(4 * lines);
        memset(bench.work, 0, sizeof bench.work);
        run(&bench, &trace, 1, 1, 1);
        CU_ASSERT_DOUBLE_EQUAL(bench.work[0].store_slots,
                               4 * (1 + 4 * 1.15) + (lines < 8 ? 0 : 8 * 4), 1e-6);
    }
}

/* What a warp accesses of three lines: 256 bytes that begin in a sector's middle, or as many of
   every second sector. Returns the traffic. */
static struct smc_sm_traffic access_row(enum smc_operation operation, uint32_t first, uint32_t last)
{
    static const float once[] = {1};
    static const float *const weight[] = {once};
    struct smc_warp_trace_line line[] = {{.number = 8, .sectors = (uint8_t)first},
                                         {.number = 9, .sectors = 0xf},
                                         {.number = 10, .sectors = (uint8_t)last}};
    struct smc_warp_trace_entry entry = {.lines = 3, .wavefronts = 2, .active_lanes = 32};
    for (int i = 0; i < 3; i++)
        entry.sectors += (uint8_t)__builtin_popcount(line[i].sectors);
    const struct smc_warp_trace trace = {.entry = &entry, .count = 1, .line = line};
    const struct smc_warp_trace *const all[] = {&trace};
    const struct smc_sm_block block = {.trace = all};
    struct bench bench;
    struct smc_error error;
    start(&bench, operation, SMC_PIPE_LSU, 1);
    bench.step[0].in.access_bytes = 8;
    const struct smc_sm_launch launch = {.program = &bench.program,
                                         .rates = &bench.rates,
                                         .dram = bench.dram,
                                         .traffic = bench.traffic,
                                         .warps_per_block = 1,
                                         .resident_blocks = 1,
                                         .l1_bytes = 65536,
                                         .block = &block,
                                         .blocks = 1,
                                         .work = bench.work,
                                         .weight = weight};
    CU_ASSERT_EQUAL_FATAL(smc_sm_access(&launch, &bench.result, &error), SMC_OK);
    return bench.traffic[0];
}

/* Rows that begin anywhere: what a warp stores are all its bytes, and the warps beside it access
   the rest of the pieces at its ends. */
static void test_rows_that_begin_anywhere(void)
{
    struct smc_sm_traffic traffic = access_row(SMC_OP_STG, 0xe, 0x3);
    CU_ASSERT_EQUAL(traffic.stored, 5);
    CU_ASSERT_EQUAL(traffic.stored_sectors, 9);
    CU_ASSERT_DOUBLE_EQUAL(traffic.stored_bytes, 256, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(traffic.stored_shared, 1, 1e-6);
    traffic = access_row(SMC_OP_LDG, 0xe, 0x3);
    CU_ASSERT_DOUBLE_EQUAL(traffic.loaded_shared, 1, 1e-6);
    traffic = access_row(SMC_OP_STG, 0x5, 0x5); /* not all of a row */
    CU_ASSERT_EQUAL(traffic.stored_shared, 0);
}

/* ldmatrix occupies the data stage as loads do; stmatrix as stores do. The last load is there 20
   clocks later, and 8 for its wavefronts. */
static void test_matrices_in_shared_memory(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    const enum smc_operation operations[] = {SMC_OP_LDSM, SMC_OP_STSM};
    for (int i = 0; i < 2; i++) {
        start(&bench, operations[i], SMC_PIPE_LSU, 1);
        trace_loop(ROOM, 10, &trace);
        for (size_t k = 0; k < trace.count; k++)
            trace.entry[k].wavefronts = 8;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 8), 8 * 42 * 8 + (i == 0 ? 28 : 0), 16);
        CU_ASSERT_EQUAL(bench.work[1].shared_wavefronts, 8 * 10 * 8);
    }
}

/* 32 lanes in random banks: 3.53 wavefronts on average, none of them in L2. */
static void test_shared_atomics(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_ATOMS, SMC_PIPE_LSU, 1);
    trace_loop(ROOM, 10, &trace);
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].active_lanes = i == 0 ? 1 : 32;
    run(&bench, &trace, 1, 1, 8);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[0].shared_wavefronts, 8 * 1, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(bench.work[1].shared_wavefronts, 8 * 10 * 3.53, 1e-9);
    CU_ASSERT_EQUAL(bench.work[1].unknown, 8 * 10);
    CU_ASSERT_EQUAL(bench.work[1].store_sectors, 0);
}

static void test_blocks_follow(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    bench.rates.block_start = 100;
    trace_loop(ROOM, 10, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 3, 1, 1), 3 * 4 * 42 + 2 * 100, 4);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.clocks_per_block, 4 * 42 + 100, 4);
}

/* One after the other, of 12 to 32 instructions: the first round and the last are not like others.
 */
static void test_rounds_follow(void)
{
    enum { BLOCKS = 6 };
    struct bench bench;
    struct smc_warp_trace trace[BLOCKS];
    const struct smc_warp_trace *all[MOST_WARPS];
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    bench.blocks_differ = true;
    for (uint32_t i = 0; i < BLOCKS; i++) {
        trace_loop(ROOM, 3 + i, &trace[i]);
        trace[i].count = 12 + 4 * i;
        all[i] = &trace[i];
    }
    run_warps(&bench, all, BLOCKS, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.clocks_per_block, 4 * (16 + 20 + 24 + 28) / 4.0, 4);
    run_warps(&bench, all, 2, 1, 1);
    CU_ASSERT_DOUBLE_EQUAL(bench.result.clocks_per_block, 4 * 16, 4);
}

/* Blocks of four instructions, two at a time: the GPU sends one each 300 clocks. */
static void test_blocks_are_sent(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    bench.rates.block_interval = 300;
    trace_loop(ROOM, 1, &trace);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 10, 2, 1), 9 * 300, 60);
}

static void test_what_is_left_out_is_added(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    trace_loop(40, 500, &trace); /* 2002 instructions, of which some 50 are kept */
    CU_ASSERT(trace.count < 100);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 4 * 2002, 80);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 2, 1, 1), 2 * 4 * 2002, 160);
}

/* What is left out of the inner loop is part of the time of the outer one. */
static void test_nested_loops_are_cut(void)
{
    enum { OUTER = 60, INNER = 100 };
    struct bench bench;
    struct smc_warp_trace trace = {.entry = entries,
                                   .capacity = ROOM,
                                   .skip = skips,
                                   .skip_capacity = SKIPS,
                                   .loop_entries = 40};
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    for (int outer = 0; outer < OUTER; outer++) {
        smc_warp_trace_add_steps(&trace, 1, 2, 32);
        for (int inner = 0; inner < INNER; inner++) {
            smc_warp_trace_add_steps(&trace, 2, 4, 32);
            if (inner + 1 < INNER)
                smc_warp_trace_branch_back(&trace, 3, 2, 1);
        }
        smc_warp_trace_add_steps(&trace, 4, 5, 32);
        if (outer + 1 < OUTER)
            smc_warp_trace_branch_back(&trace, 4, 1, 1);
    }
    smc_warp_trace_end(&trace);
    const double instructions = OUTER * (2 * INNER + 2);
    CU_ASSERT(trace.count < 400 && trace.skip_count > 1);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 4 * instructions, 0.02 * instructions);
}

static void test_barrier(void)
{
    struct bench bench;
    struct smc_warp_trace trace;
    start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    set_step(&bench.step[4], SMC_OP_BAR, SMC_PIPE_ADU, 1);
    bench.rates.barrier_latency = 50;
    trace_loop(ROOM, 10, &trace);
    double clocks = run(&bench, &trace, 1, 1, 4);
    CU_ASSERT(clocks > 10 * 50);
    CU_ASSERT(clocks < 10 * (50 + 3 * 4 + 8) + 20);
    /* No lane arrives. */
    for (size_t i = 0; i < trace.count; i++)
        trace.entry[i].active_lanes = trace.entry[i].step == 4 ? 0 : 32;
    CU_ASSERT(run(&bench, &trace, 1, 1, 4) < 10 * 50);
    trace_loop(ROOM, 10, &trace);
    /* What does not access memory goes on behind it. */
    for (int i = 1; i < 4; i++)
        set_step(&bench.step[i], SMC_OP_MOV, SMC_PIPE_ALU, 14);
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 4), 10 * (50 + 6 + 1), 60);
    for (int i = 1; i < 4; i++)
        set_step(&bench.step[i], SMC_OP_MOV, SMC_PIPE_ALU, 4);
    /* A warp that alone arrives waits no less than its control bits demand. */
    set_step(&bench.step[4], SMC_OP_BAR, SMC_PIPE_ADU, 15);
    bench.rates.barrier_latency = 5;
    CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), 10 * (3 * 4 + 15) + 2 * 4, 4);
}

/* So many rounds of some MOV, of a second number in every other round, and a barrier each, and
   instructions that are left out. */
static void trace_rounds(const uint32_t moves[2], uint64_t left_out,
                         struct smc_warp_trace_entry *entry, struct smc_warp_trace_skip *skip,
                         struct smc_warp_trace *trace)
{
    enum { ROUNDS = 10, MOVE = 2, BARRIER = 4 };
    *trace = (struct smc_warp_trace){
        .entry = entry, .capacity = ROOM, .skip = skip, .skip_capacity = 1, .loop_entries = ROOM};
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < moves[round % 2]; i++)
            smc_warp_trace_add_steps(trace, MOVE, MOVE + 1, 32);
        smc_warp_trace_add_steps(trace, BARRIER, BARRIER + 1, 32);
    }
    *skip = (struct smc_warp_trace_skip){
        .executed = left_out, .window = trace->length, .depth = SMC_WARP_TRACE_DEPTH};
    entry[trace->count++] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP};
    trace->skip_count = 1;
    smc_warp_trace_add_steps(trace, 0, 1, 32);
}

/* The steps of such rounds, in blocks that no others follow. */
static void start_rounds(struct bench *bench)
{
    start(bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    set_step(&bench->step[4], SMC_OP_BAR, SMC_PIPE_ADU, 1);
    bench->rates.barrier_latency = 10;
    bench->no_more_blocks = true;
}

/* What warps with these traces take, and what they take without what is left out of them. */
static double run_with_left_out(struct bench *bench, const struct smc_warp_trace *const *trace,
                                uint32_t blocks, uint32_t resident, uint32_t warps, double *kept)
{
    bench->cut = true;
    *kept = run_warps(bench, trace, blocks, resident, warps);
    bench->cut = false;
    return run_warps(bench, trace, blocks, resident, warps);
}

/* A warp works, and leaves out ten times as much as is kept. The others wait for it, and work as
   much as it does in what is left out: that takes ten times as long, too, not fifty times. */
static void test_waits_are_left_out(void)
{
    enum { WARPS = 4, MOVES = 40, FEW = 3, KEPT = 10 * (MOVES + 1) };
    static struct smc_warp_trace_entry entry[2][ROOM];
    struct smc_warp_trace_skip skip[2];
    struct smc_warp_trace trace[2];
    struct bench bench;
    start_rounds(&bench);
    trace_rounds((uint32_t[]){MOVES, MOVES}, 10 * KEPT, entry[0], &skip[0], &trace[0]);
    trace_rounds((uint32_t[]){FEW, FEW}, 5 * KEPT, entry[1], &skip[1], &trace[1]);
    const struct smc_warp_trace *all[WARPS] = {&trace[0], &trace[1], &trace[1], &trace[1]};
    double kept;
    const double clocks = run_with_left_out(&bench, all, 1, 1, WARPS, &kept);
    CU_ASSERT_DOUBLE_EQUAL(clocks, 11 * kept, kept);
}

/* The two warps of each block work in turn. What is left out takes as long after the other block,
   which leaves out less, has ended: each still waits for the other warp of its block. */
static void test_waits_for_each_other(void)
{
    enum { WARPS = 2, MOVES = 40, FEW = 3, KEPT = 5 * (MOVES + FEW + 2) };
    static struct smc_warp_trace_entry entry[4][ROOM];
    struct smc_warp_trace_skip skip[4];
    struct smc_warp_trace trace[4];
    struct bench bench;
    start_rounds(&bench);
    bench.blocks_differ = true;
    for (uint32_t i = 0; i < 4; i++)
        trace_rounds(i % 2 == 0 ? (uint32_t[]){MOVES, FEW} : (uint32_t[]){FEW, MOVES},
                     (i < 2 ? 10 : 1) * KEPT, entry[i], &skip[i], &trace[i]);
    const struct smc_warp_trace *all[4] = {&trace[0], &trace[1], &trace[2], &trace[3]};
    double kept;
    const double clocks = run_with_left_out(&bench, all, 2, 2, WARPS, &kept);
    CU_ASSERT_DOUBLE_EQUAL(clocks, 11 * kept, kept);
}

static void trace_iterations(struct smc_warp_trace *trace, int iterations)
{
    for (int i = 0; i < iterations; i++) {
        smc_warp_trace_add_steps(trace, 1, 4, 32);
        if (i + 1 < iterations)
            smc_warp_trace_branch_back(trace, 3, 1, 1);
    }
}

/* 32 warps leave out most of a loop, in which eight share the slots of a sub-partition, meet at a
   barrier, and then one of them leaves out most of another loop, alone: the one takes its time
   after the other. */
static void test_loops_between_barriers(void)
{
    enum { WARPS = 32, BARRIER = 4, FIRST = 500, SECOND = 2000 };
    static struct smc_warp_trace_entry entry[2][ROOM];
    static struct smc_warp_trace_skip skip[2][SKIPS];
    struct smc_warp_trace trace[2];
    const struct smc_warp_trace *all[WARPS];
    struct bench bench;
    start_rounds(&bench);
    for (int i = 0; i < 4; i++)
        set_step(&bench.step[i], SMC_OP_MOV, SMC_PIPE_ALU, 1);
    for (int i = 0; i < 2; i++) {
        trace[i] = (struct smc_warp_trace){.entry = entry[i],
                                           .capacity = ROOM,
                                           .skip = skip[i],
                                           .skip_capacity = SKIPS,
                                           .loop_entries = 80};
        trace_iterations(&trace[i], FIRST);
        smc_warp_trace_add_steps(&trace[i], BARRIER, BARRIER + 1, 32);
        if (i == 0)
            trace_iterations(&trace[i], SECOND);
        smc_warp_trace_add_steps(&trace[i], 0, 1, 32);
        smc_warp_trace_end(&trace[i]);
    }
    for (int i = 0; i < WARPS; i++)
        all[i] = &trace[i > 0];
    const double first = 3.0 * FIRST * WARPS / 4, second = 3.0 * SECOND;
    CU_ASSERT_DOUBLE_EQUAL(run_warps(&bench, all, 1, 1, WARPS), first + second,
                           0.03 * (first + second));
}

/* --- Barriers in shared memory ---------------------------------------------------------------- */

/* Two warps of one sub-partition that take turns, and three that do nothing. */
enum { TURNS_WARPS = 5, FIRST_BARRIER = 8, SECOND_BARRIER = 16, PHASE_LATENCY = 100 };

struct turns {
    struct bench bench;
    struct smc_warp_trace trace[TURNS_WARPS];
    struct smc_warp_trace_entry entry[TURNS_WARPS][ROOM];
    struct smc_warp_trace_line line[TURNS_WARPS][ROOM];
    struct smc_warp_trace_skip skip[TURNS_WARPS][SKIPS];
};

static struct turns turns;

/* Steps 1 and 4 are of barriers, the first of them and step 2 in a loop. */
static bool is_phase_step(int step)
{
    return step % 3 == 1;
}

static void start_turns(uint64_t loop_entries)
{
    static const uint64_t to_scoreboard = UINT64_C(7) << (110 - 64),
                          waits = UINT64_C(1) << (116 - 64); /* for number 0 */
    memset(&turns, 0, sizeof turns);
    start(&turns.bench, SMC_OP_MOV, SMC_PIPE_ALU, 4);
    for (int i = 0; i < STEPS; i++) {
        if (is_phase_step(i))
            set_step(&turns.bench.step[i], SMC_OP_SYNCS, SMC_PIPE_LSU, 1);
        if (is_phase_step(i))
            turns.bench.step[i].in.high &= ~to_scoreboard;
        turns.bench.step[i].in.high |= waits;
    }
    turns.bench.rates.phase_latency = PHASE_LATENCY;
    for (int i = 0; i < TURNS_WARPS; i++) {
        turns.trace[i] = (struct smc_warp_trace){.entry = turns.entry[i],
                                                 .capacity = ROOM,
                                                 .line = turns.line[i],
                                                 .line_capacity = ROOM,
                                                 .skip = turns.skip[i],
                                                 .skip_capacity = SKIPS,
                                                 .loop_entries = loop_entries};
        smc_warp_trace_add_steps(&turns.trace[i], 0, 1, 32);
    }
}

static void add_async(int warp, uint32_t step, const struct smc_async *async)
{
    struct smc_warp_trace *trace = &turns.trace[warp];
    struct smc_warp_trace_entry entry = {.step = step, .line = (uint32_t)trace->line_count};
    entry.lines = (uint8_t)smc_async_pack(async, &trace->line[trace->line_count]);
    trace->line_count += entry.lines;
    smc_warp_trace_add(trace, &entry);
}

/* A warp executes an instruction of a barrier. */
static void add_phase(int warp, uint32_t step, enum smc_async_kind kind, uint32_t barrier)
{
    if (kind >= SMC_ASYNC_WAIT_EVEN && kind <= SMC_ASYNC_WAIT_ARRIVED)
        smc_warp_trace_wait(&turns.trace[warp], barrier);
    add_async(warp, step, &(struct smc_async){.kind = kind, .barrier = barrier, .count = 1});
}

static double run_blocks(uint32_t blocks)
{
    const struct smc_warp_trace *trace[TURNS_WARPS];
    for (int i = 0; i < TURNS_WARPS; i++)
        trace[i] = &turns.trace[i];
    return run_warps(&turns.bench, trace, blocks, blocks, TURNS_WARPS);
}

static double run_turns(void)
{
    return run_blocks(1);
}

static enum smc_async_kind wait_for(uint32_t phase)
{
    return phase % 2 ? SMC_ASYNC_WAIT_ODD : SMC_ASYNC_WAIT_EVEN;
}

/* Each turn takes the latency of two phases, also where a warp wakes one of its sub-partition. */
static void test_turns(void)
{
    enum { TURNS = 50 };
    start_turns(ROOM);
    add_phase(0, 4, SMC_ASYNC_INIT, FIRST_BARRIER);
    add_phase(0, 4, SMC_ASYNC_INIT, SECOND_BARRIER);
    for (uint32_t i = 0; i < TURNS; i++) {
        add_phase(0, 4, SMC_ASYNC_ARRIVE, FIRST_BARRIER);
        add_phase(0, 4, wait_for(i), SECOND_BARRIER);
        add_phase(4, 4, wait_for(i), FIRST_BARRIER);
        add_phase(4, 4, SMC_ASYNC_ARRIVE, SECOND_BARRIER);
    }
    CU_ASSERT_DOUBLE_EQUAL(run_turns(), TURNS * 2 * PHASE_LATENCY, TURNS * 6);
}

/* Whoever waits for the phase in which it arrived goes on with all others; a phase of a barrier at
   which it has not arrived is not known. */
static void test_arrived_phase(void)
{
    enum { TURNS = 51 };
    start_turns(ROOM);
    add_async(0, 4, &(struct smc_async){SMC_ASYNC_INIT, FIRST_BARRIER, 2, 0, 0, 0, 0});
    add_phase(0, 4, SMC_ASYNC_WAIT_ARRIVED, FIRST_BARRIER);
    for (uint32_t i = 0; i < TURNS; i++)
        for (int warp = 0; warp <= 4; warp += 4) {
            add_phase(warp, 4, SMC_ASYNC_ARRIVE, FIRST_BARRIER);
            add_phase(warp, 4, SMC_ASYNC_WAIT_ARRIVED, FIRST_BARRIER);
        }
    CU_ASSERT_DOUBLE_EQUAL(run_turns(), TURNS * PHASE_LATENCY, TURNS * 6);
}

/* What ends a trace that leaves the rest out may be a wait, which nothing follows. */
static void test_trace_ends_at_wait(void)
{
    start_turns(ROOM);
    add_phase(0, 4, SMC_ASYNC_INIT, FIRST_BARRIER);
    add_phase(4, 4, wait_for(0), FIRST_BARRIER);
    for (int i = 0; i < 10; i++)
        smc_warp_trace_add_steps(&turns.trace[0], 0, 1, 32);
    add_phase(0, 4, SMC_ASYNC_ARRIVE, FIRST_BARRIER);
    CU_ASSERT_DOUBLE_EQUAL(run_turns(), 11 * 4, 8);
}

/* A phase that never ends, since traces leave out who arrives, holds no block until another one has
   ended. */
static void test_blocks_wait_apart(void)
{
    enum { AFTER = 20 };
    start_turns(ROOM);
    add_phase(0, 4, SMC_ASYNC_INIT, FIRST_BARRIER);
    add_phase(0, 4, wait_for(0), FIRST_BARRIER);
    for (int i = 0; i < AFTER; i++)
        smc_warp_trace_add_steps(&turns.trace[0], 0, 1, 32);
    const double one = run_blocks(1);
    CU_ASSERT(one > AFTER * 4);
    CU_ASSERT_DOUBLE_EQUAL(run_blocks(3), one, 8);
}

/* One warp expects bytes and copies `alone` of them to its block, in so many rows, and `to_both` to
   both of its cluster, each one sector or row a clock; the other waits for them. */
static double run_bulk(uint32_t expected, uint32_t alone, uint32_t to_both, uint32_t rows)
{
    enum { COPY = 2, LATENCY = 200, LINE = 128 };
    start_turns(ROOM);
    set_step(&turns.bench.step[COPY], SMC_OP_UTMALDG, SMC_PIPE_LSU, 1);
    turns.bench.rates.l2_latency = LATENCY;
    turns.bench.rates.bulk_slots = turns.bench.rates.bulk_sector_clocks = 1;
    turns.bench.rates.bulk_row_clocks = 1;
    add_phase(0, 4, SMC_ASYNC_INIT, FIRST_BARRIER);
    add_async(0, 4, &(struct smc_async){SMC_ASYNC_ARRIVE, FIRST_BARRIER, 1, expected, 0, 0, 0});
    if (alone > 0)
        add_async(0, COPY,
                  &(struct smc_async){SMC_ASYNC_LOAD, FIRST_BARRIER, 1, alone, LINE, LINE, rows});
    if (to_both > 0)
        add_async(0, COPY, &(struct smc_async){SMC_ASYNC_LOAD, FIRST_BARRIER, 2, to_both, 0, 0, 0});
    add_phase(4, 4, wait_for(0), FIRST_BARRIER);
    smc_warp_trace_add_steps(&turns.trace[4], 0, 1, 32);
    return run_turns() - LATENCY - PHASE_LATENCY;
}

/* What a block's barriers expect and it does not copy itself comes from the other block; of what
   one block copies to both, L2 gives each its part. */
static void test_multicasts(void)
{
    enum { SECTOR = 32, SECTORS = 400, SOME = 40 };
    CU_ASSERT_DOUBLE_EQUAL(run_bulk(SECTORS * SECTOR, SECTORS * SECTOR, 0, 1), SECTORS, SOME);
    CU_ASSERT_DOUBLE_EQUAL(run_bulk(SECTORS * SECTOR, 0, SECTORS * SECTOR, 1), SECTORS, SOME);
    CU_ASSERT_EQUAL(turns.bench.work[2].l2_sectors, SECTORS / 2);
    CU_ASSERT_DOUBLE_EQUAL(run_bulk(SECTORS * SECTOR, 0, SECTORS / 2 * SECTOR, 1), SECTORS, SOME);
    CU_ASSERT_EQUAL(turns.bench.work[2].l2_sectors, SECTORS / 2);
    CU_ASSERT_DOUBLE_EQUAL(run_bulk(3 * SECTORS * SECTOR, SECTORS * SECTOR, SECTORS * SECTOR, 1),
                           3 * SECTORS, SOME);
    CU_ASSERT_EQUAL(turns.bench.work[2].l2_sectors, 2 * SECTORS);
    /* Rows of less than a line take a clock each. */
    CU_ASSERT_DOUBLE_EQUAL(run_bulk(SECTORS * SECTOR, SECTORS * SECTOR, 0, 2 * SECTORS),
                           2 * SECTORS, SOME);
}

/* A stage of a ring of three is filled and used; `step`: of its barriers, in the loop or not. */
enum { RING = 3, FULL = 64, EMPTY = 128, BARRIER_BYTES = 8, USE = 20 };

static void fill_stage(uint32_t number, uint32_t step)
{
    const uint32_t at = number % RING * BARRIER_BYTES;
    add_phase(0, step, wait_for(number / RING + 1), EMPTY + at);
    add_phase(0, step, SMC_ASYNC_ARRIVE, FULL + at);
}

static void use_stage(uint32_t number, uint32_t step, bool in_loop)
{
    const uint32_t at = number % RING * BARRIER_BYTES;
    add_phase(4, step, wait_for(number / RING), FULL + at);
    for (int i = 0; i < USE; i++) {
        smc_warp_trace_add_steps(&turns.trace[4], step + 1, step + 2, 32);
        if (in_loop && i + 1 < USE)
            smc_warp_trace_branch_back(&turns.trace[4], step + 1, step + 1, 1);
    }
    add_phase(4, step, SMC_ASYNC_ARRIVE, EMPTY + at);
}

/* One warp fills four stages an iteration; the other uses one before its loop, two an iteration,
   and the last one after the loop, each in a loop of its own or not. */
static double run_ring(uint32_t stages, uint64_t loop_entries, bool in_loop)
{
    start_turns(loop_entries);
    for (uint32_t i = 0; i < RING; i++) {
        add_phase(0, 4, SMC_ASYNC_INIT, FULL + i * BARRIER_BYTES);
        add_phase(0, 4, SMC_ASYNC_INIT, EMPTY + i * BARRIER_BYTES);
    }
    for (uint32_t i = 0; i < stages; i++) {
        fill_stage(i, 1);
        if (i % 4 == 3 && i + 1 < stages)
            smc_warp_trace_branch_back(&turns.trace[0], 2, 1, 1);
    }
    smc_warp_trace_end(&turns.trace[0]);
    for (uint32_t i = 0; i < stages; i++) {
        use_stage(i, i == 0 || i + 1 == stages ? 4 : 1, in_loop);
        if (i > 0 && i % 2 == 0 && i + 2 < stages)
            smc_warp_trace_branch_back(&turns.trace[4], 3, 1, 1);
    }
    smc_warp_trace_end(&turns.trace[4]);
    return run_turns();
}

/* What traces leave out takes as long as if it were executed, though each warp waits for what the
   other leaves out: both leave out the same rounds. */
static void test_rings_are_cut(void)
{
    const uint32_t stages[] = {48, 64, 96, 128, 160};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const double whole = run_ring(stages[i], 100000, false);
        CU_ASSERT_EQUAL(turns.trace[0].skip_count + turns.trace[4].skip_count, 0);
        CU_ASSERT_DOUBLE_EQUAL(run_ring(stages[i], 1, false), whole, 0.025 * whole);
        CU_ASSERT(turns.trace[4].count < 40 * (USE + 2));
        CU_ASSERT_EQUAL(turns.trace[4].skip_count, 1);
        CU_ASSERT_EQUAL(turns.trace[0].skip[0].executed / 2,
                        turns.trace[4].skip[0].executed / (USE + 2));
    }
}

/* So they do where one of them also leaves out iterations of a loop that waits for nothing. */
static void test_rings_of_loops_are_cut(void)
{
    enum { STAGES = 160 };
    run_ring(STAGES, 1, true);
    const struct smc_warp_trace *user = &turns.trace[4];
    uint64_t rounds = 0;
    for (size_t i = 0; i < user->skip_count; i++)
        rounds += user->skip[i].rounds ? user->skip[i].executed : 0;
    CU_ASSERT(rounds > 0);
    CU_ASSERT_EQUAL(turns.trace[0].skip[0].executed / 2, rounds / (USE + 2));
}

/* What is left out of a loop takes as long as its last quarter, if that counts: eight instructions
   with a stall of 10 clocks, eight with 4, and 80 left out. */
static void test_late_iterations(void)
{
    enum { EACH = 8, KEPT = 2 * EACH, ENTRIES = KEPT + 3, SLOW = 10, FAST = 4, LEFT_OUT = 80 };
    static uint16_t late[ENTRIES];
    const uint16_t *const begins_late = late;
    struct smc_warp_trace_entry entry[ENTRIES];
    struct smc_warp_trace_skip skip = {.executed = LEFT_OUT, .window = KEPT};
    const struct smc_warp_trace trace = {.entry = entry, .count = ENTRIES, .skip = &skip};
    struct bench bench;
    entry[0] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_LOOP};
    for (uint32_t i = 1; i <= KEPT; i++)
        entry[i] = (struct smc_warp_trace_entry){.step = i > EACH, .active_lanes = 32};
    entry[KEPT + 1] = (struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP};
    entry[KEPT + 2] = (struct smc_warp_trace_entry){.step = 1, .active_lanes = 32};
    for (int counts = 0; counts < 2; counts++) {
        start(&bench, SMC_OP_MOV, SMC_PIPE_ALU, FAST);
        set_step(&bench.step[0], SMC_OP_MOV, SMC_PIPE_ALU, SLOW);
        late[EACH + 1] = (uint16_t)counts;
        bench.begins_late = &begins_late;
        const double each = counts ? FAST : (SLOW + FAST) / 2.0;
        CU_ASSERT_DOUBLE_EQUAL(run(&bench, &trace, 1, 1, 1), EACH * (SLOW + FAST) + LEFT_OUT * each,
                               10);
    }
}

/* Iterations that a trace leaves out, which take as long as all before them. */
static void leave_iterations_out(struct smc_warp_trace *trace, bool waits)
{
    const struct smc_warp_trace_entry entry = {.step = SMC_WARP_TRACE_SKIP,
                                               .line = (uint32_t)trace->skip_count};
    trace->skip[trace->skip_count++] = (struct smc_warp_trace_skip){.executed = trace->length,
                                                                    .window = trace->length,
                                                                    .depth = SMC_WARP_TRACE_DEPTH,
                                                                    .waits = waits};
    trace->entry[trace->count++] = entry;
    smc_warp_trace_add_steps(trace, 0, 1, 32);
}

/* One warp ends phases, and leaves as many out; the other waits for all of them. */
static double run_missing(bool waits)
{
    enum { PHASES = 8 };
    start_turns(100000);
    add_phase(0, 4, SMC_ASYNC_INIT, FIRST_BARRIER);
    for (uint32_t i = 0; i < PHASES; i++) {
        for (int k = 0; k < USE; k++)
            smc_warp_trace_add_steps(&turns.trace[0], 2, 3, 32);
        add_phase(0, 4, SMC_ASYNC_ARRIVE, FIRST_BARRIER);
    }
    leave_iterations_out(&turns.trace[0], waits);
    for (uint32_t i = 0; i < 2 * PHASES; i++) {
        add_phase(4, 4, wait_for(i), FIRST_BARRIER);
        for (int k = 0; k < USE; k++)
            smc_warp_trace_add_steps(&turns.trace[4], 2, 3, 32);
    }
    leave_iterations_out(&turns.trace[4], waits);
    return run_turns();
}

/* What is missing takes as long as the first warp's iterations, not that and the second one's. */
static void test_missing_iterations(void)
{
    const double once = run_missing(true), twice = run_missing(false);
    CU_ASSERT_DOUBLE_EQUAL(once, 2 * 8 * USE * 4, 0.25 * once);
    CU_ASSERT(twice > 1.5 * once);
}

/* --- Arguments -------------------------------------------------------------------------------- */

static void test_arguments(void)
{
    struct smc_time_arguments arguments = {0};
    uint64_t first = smc_time_add_array(&arguments, 1000), second;
    second = smc_time_add_array(&arguments, 1024);
    CU_ASSERT_EQUAL(first % 512, 0);
    CU_ASSERT_EQUAL(second, first + 1024);
    CU_ASSERT_EQUAL(smc_time_add_array(&arguments, 1), second + 1536);
    smc_time_add_parameter(&arguments, 0x11, 1);
    smc_time_add_parameter(&arguments, 0x22334455, 4);
    smc_time_add_parameter(&arguments, second, 8);
    CU_ASSERT_EQUAL(arguments.parameter_bytes, 16);
    CU_ASSERT_EQUAL(arguments.parameters[0], 0x11);
    CU_ASSERT_EQUAL(arguments.parameters[4], 0x55);
    CU_ASSERT_EQUAL(arguments.parameters[7], 0x22);
    CU_ASSERT_EQUAL(memcmp(arguments.parameters + 8, &second, 8), 0);
    for (int i = 0; i < 2 * SMC_TIME_MOST_ARGUMENTS; i++) {
        smc_time_add_array(&arguments, 4);
        smc_time_add_parameter(&arguments, 1, 8);
    }
    CU_ASSERT_EQUAL(arguments.array_count, SMC_TIME_MOST_ARGUMENTS);
    CU_ASSERT_EQUAL(arguments.memory_count, 2 * SMC_TIME_MOST_ARGUMENTS + 3);
    CU_ASSERT_EQUAL(arguments.parameter_count, SMC_TIME_MOST_ARGUMENTS);
    CU_ASSERT_EQUAL(arguments.parameter_bytes, 16 + 8 * (SMC_TIME_MOST_ARGUMENTS - 3));
}

static bool read_number(void *context, uint64_t offset, size_t bytes, void *to)
{
    memset(to, (int)(offset + *(unsigned char *)context), bytes);
    return true;
}

/* Each memory keeps its contents; the last array has all that are beyond their number. */
static void test_many_memories(void)
{
    enum { COUNT = SMC_TIME_MOST_MEMORIES, BYTES = 1000 };
    static struct smc_time_arguments arguments;
    static unsigned char number[COUNT];
    static uint64_t address[COUNT];
    unsigned array = 0;
    for (unsigned i = 0; i < COUNT; i++) {
        number[i] = (unsigned char)(i * 7);
        address[i] = smc_time_add_array(&arguments, BYTES);
        smc_time_set_contents(&arguments, read_number, &number[i]);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        unsigned char byte = 0;
        CU_ASSERT(smc_time_read_contents(&arguments, address[i] + 3, 1, &byte, &array));
        CU_ASSERT_EQUAL(byte, (unsigned char)(i * 7 + 3));
        CU_ASSERT_EQUAL(array, i < SMC_TIME_MOST_ARGUMENTS ? i : SMC_TIME_MOST_ARGUMENTS - 1);
        CU_ASSERT_EQUAL(smc_time_array_with(arguments.array, arguments.array_count,
                                            address[i] / SMC_LINE_BYTES),
                        array);
    }
    CU_ASSERT_FALSE(
        smc_time_read_contents(&arguments, address[COUNT - 1] + BYTES, 1, &array, &array));
    CU_ASSERT_EQUAL(array, SMC_TIME_MOST_ARGUMENTS);
    CU_ASSERT_EQUAL(arguments.array[SMC_TIME_MOST_ARGUMENTS - 1].bytes,
                    address[COUNT - 1] + BYTES - address[SMC_TIME_MOST_ARGUMENTS - 1]);
}

/* A tensor map is at a multiple of 128 in the bank, whose parameters begin at 0x210 on sm_90. */
static void test_placed_parameters(void)
{
    static struct smc_time_arguments arguments;
    static unsigned char placed[SMC_TIME_PARAMETER_BYTES], map[128] = {1, 2};
    struct smc_cubin_parameter parameter[] = {{0x70, 128}, {0xf0, 4}, {0xf8, 8}};
    struct smc_cubin_kernel kernel = {
        .parameter = parameter, .parameter_count = 3, .parameter_bytes = 0x100};
    smc_time_add_bytes(&arguments, map, sizeof map, 64);
    smc_time_add_parameter(&arguments, 0x0506, 4);
    smc_time_add_parameter(&arguments, 0x0708, 8);
    CU_ASSERT_EQUAL(smc_time_place_parameters(&arguments, &kernel, placed), 0x100);
    CU_ASSERT(placed[0] == 0 && placed[0x70] == 1 && placed[0x71] == 2);
    CU_ASSERT(placed[0xf0] == 6 && placed[0xf1] == 5 && placed[0xf8] == 8 && placed[0xf9] == 7);
    kernel.parameter_count = 0; /* not listed: as C places them */
    CU_ASSERT_EQUAL(smc_time_place_parameters(&arguments, &kernel, placed), 128 + 16);
    CU_ASSERT(placed[0] == 1 && placed[128] == 6 && placed[136] == 8);
}

/* --- Launches --------------------------------------------------------------------------------- */

static void test_reasons(void)
{
    struct smc_device device;
    struct smc_ceilings ceilings = {.source = SMC_CEILINGS_UNKNOWN};
    struct smc_time_arguments arguments = {0};
    struct smc_error error;
    struct smc_time time;
    char note[256];
    static const char damaged[64] = "\177ELF";
    struct smc_time_launch launch = {.device = &device,
                                     .ceilings = &ceilings,
                                     .blocks_per_sm = 1,
                                     .arguments = &arguments,
                                     .cubin = damaged,
                                     .cubin_bytes = sizeof damaged,
                                     .entry = "k",
                                     .block = {32, 1, 1},
                                     .grid = {1, 1, 1}};
    CU_ASSERT_EQUAL_FATAL(smc_device_find("9.0", &device, note, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_EQUAL(time.basis, SMC_TIME_UNKNOWN);
    CU_ASSERT_PTR_NOT_NULL(strstr(time.reason, "clock"));
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_EQUAL(time.basis, SMC_TIME_UNKNOWN);
    CU_ASSERT(time.reason[0] != '\0');
    launch.cubin = NULL;
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(time.reason, "no machine code for sm_90");
    launch.grid[1] = 0;
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(time.reason, "the launch is refused");
    launch.grid[1] = 1;
    launch.block[0] = launch.block[1] = 65536; /* their product has 33 bits */
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(time.reason, "the launch is refused");
}

/* A kernel of the file, with each second instruction on the integer pipe, which is busy for two
   clocks: as long as the instructions take to issue. */
static void make_tie(const struct smc_cubin_kernel *kernel, char *code)
{
    static const uint64_t above_12[] = {0x0000000c0000780c, 0x000fe20003f24270};
    static const uint64_t nop[] = {0x0000000000007918, 0x000fe20000000000};
    static const uint64_t exit_all[] = {0x000000000000794d, 0x000fea0003800000};
    const size_t count = kernel->code_bytes / 16 / 2 * 2;
    for (size_t i = 0; i < count; i++)
        memcpy(code + 16 * i, i % 2 == 0 ? above_12 : i + 1 < count ? nop : exit_all, 16);
}

/* Of units that are busy equally long, the first in the order of reports bounds the launch. */
static void test_tie(void)
{
    struct smc_device device;
    struct smc_ceilings ceilings;
    static char file[65536];
    struct smc_cubin cubin = {0};
    struct smc_time_arguments arguments = {0};
    struct smc_error error;
    struct smc_time time;
    char note[256];
    const size_t bytes =
        temporary_read(SMC_SOURCE_DIR "/tests/data/inspect/own-sm90.cubin", file, sizeof file);
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(file, bytes, &cubin, &error), SMC_OK);
    CU_ASSERT_FATAL(cubin.kernel_count > 0);
    make_tie(&cubin.kernel[0], file + ((const char *)cubin.kernel[0].code - file));
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    CU_ASSERT_FATAL(smc_ceilings_of_board(device.name, &ceilings));
    const struct smc_time_launch launch = {.device = &device,
                                           .ceilings = &ceilings,
                                           .blocks_per_sm = 2,
                                           .arguments = &arguments,
                                           .cubin = file,
                                           .cubin_bytes = bytes,
                                           .entry = cubin.kernel[0].name,
                                           .block = {1024, 1, 1},
                                           .grid = {132 * 1000, 1, 1}};
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    CU_ASSERT_STRING_EQUAL(time.reason, "");
    CU_ASSERT_EQUAL(time.term_ms[SMC_TIME_ISSUE], time.term_ms[SMC_TIME_INTEGER]);
    CU_ASSERT_EQUAL(time.bound_by, SMC_TIME_ISSUE);
    CU_ASSERT_EQUAL(time.next, SMC_TIME_INTEGER);
    smc_cubin_close(&cubin);
}

static void test_rates(void)
{
    struct smc_device device;
    struct smc_ceilings ceilings;
    struct smc_error error;
    struct smc_rates measured, estimated;
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    CU_ASSERT_FATAL(smc_ceilings_of_board(device.name, &ceilings));
    smc_rates_of(&device, &ceilings, device.sm_count, &measured);
    smc_rates_of(&device, NULL, device.sm_count, &estimated);
    CU_ASSERT_DOUBLE_EQUAL(measured.shared_latency, 23, 0.5);
    CU_ASSERT_DOUBLE_EQUAL(measured.wide_multiply, 5, 0.2);
    CU_ASSERT_DOUBLE_EQUAL(estimated.dram_byte_clocks / measured.dram_byte_clocks, 1, 0.1);
    CU_ASSERT(measured.dram_turn_clocks > 0);
    CU_ASSERT_DOUBLE_EQUAL(estimated.l2_load_clocks / measured.l2_load_clocks, 1, 0.2);
    CU_ASSERT_DOUBLE_EQUAL(estimated.l2_store_clocks / measured.l2_store_clocks, 1, 0.2);
    CU_ASSERT_DOUBLE_EQUAL(estimated.block_interval / measured.block_interval, 1, 0.1);
    smc_rates_of(&device, &ceilings, 1, &measured); /* one SM alone: as wide as its port */
    CU_ASSERT_DOUBLE_EQUAL(estimated.launch_ms, 0.0029 + 0.00013, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(measured.launch_ms, 0.00272, 1e-9);
    CU_ASSERT_EQUAL(measured.l2_load_clocks, 0.25);
    CU_ASSERT_EQUAL(measured.l2_store_clocks, 1);
    CU_ASSERT_DOUBLE_EQUAL(measured.bulk_sector_clocks, 0.31, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(estimated.bulk_sector_clocks, 0.55, 1e-9);
    /* An SM with two blocks where the others have one: it has L2 for itself in the end. */
    smc_rates_of(&device, &ceilings, device.sm_count, &estimated);
    const double alone = measured.l2_store_clocks, shared = estimated.l2_store_clocks;
    smc_rates_of(&device, &ceilings, device.sm_count + 1, &measured);
    CU_ASSERT_DOUBLE_EQUAL(measured.l2_store_clocks, (shared + alone) / 2, 1e-9);
    smc_rates_of(&device, &ceilings, (uint64_t)2 * device.sm_count, &measured);
    CU_ASSERT_DOUBLE_EQUAL(measured.l2_store_clocks, shared, 1e-9);
}

/* Clocks of a sub-partition for an instruction of the tensor pipe on a board, by its name and the
   bits from 64 on; 0: its rate is not known. */
static double tensor_clocks(const char *board, enum smc_operation operation, uint64_t high)
{
    struct smc_device device;
    struct smc_error error;
    struct smc_rates rates;
    char note[256];
    const struct smc_sass_instruction in = {
        .operation = operation, .pipe = SMC_PIPE_TENSOR, .high = high};
    CU_ASSERT_EQUAL_FATAL(smc_device_find(board, &device, note, &error), SMC_OK);
    smc_rates_of(&device, NULL, device.sm_count, &rates);
    return smc_rates_clocks(&rates, &in);
}

/* A sleep ends in the middle between multiples of the least power of two of nanoseconds above its
   time, and takes 77 clocks at least; a clock of this SM is half a nanosecond. */
static void test_sleeps(void)
{
    const struct smc_rates rates = {.clock_hz = 2e9};
    CU_ASSERT_EQUAL(smc_rates_sleep_interval(&rates, 31), 0);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_interval(&rates, 32), 128, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_interval(&rates, 63), 128, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_interval(&rates, 1000), 2048, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_interval(&rates, 4000000), 2 << 20, 1e-3);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_end(&rates, 0, 100), 177, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_end(&rates, 1000, 100), 1024, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_end(&rates, 1000, 1025), 3072, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_sleep_end(&rates, 1000, 1000), 1077, 1e-6);
}

/* Multiply-adds of an instruction, divided by a quarter of what the whitepapers give an SM. */
/* A copy more makes a launch longer, up to four. A kernel with one array that it changes comes
   after one. */
static void test_launches_after_copies(void)
{
    static unsigned char file[1 << 16];
    struct smc_device device;
    struct smc_cubin cubin = {0};
    struct smc_time_arguments arguments = {0};
    struct smc_error error;
    struct smc_time after_itself, after_copy;
    char note[256];
    const size_t bytes =
        temporary_read(SMC_SOURCE_DIR "/tests/data/inspect/own-sm90.cubin", file, sizeof file);
    CU_ASSERT_EQUAL_FATAL(smc_cubin_open(file, bytes, &cubin, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    const uint64_t address = smc_time_add_array(&arguments, 512);
    smc_time_add_array(&arguments, 512); /* which it does not change */
    smc_time_add_parameter(&arguments, address, sizeof address);
    struct smc_time_launch launch = {.device = &device,
                                     .blocks_per_sm = 1,
                                     .arguments = &arguments,
                                     .cubin = file,
                                     .cubin_bytes = bytes,
                                     .entry = "bounded",
                                     .block = {128, 1, 1},
                                     .grid = {1, 1, 1}};
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &after_itself, &error), SMC_OK);
    launch.restored = true;
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &after_copy, &error), SMC_OK);
    CU_ASSERT_DOUBLE_EQUAL(after_copy.term_ms[SMC_TIME_LAUNCH],
                           after_itself.term_ms[SMC_TIME_LAUNCH] + smc_rates_after_copies_ms(1),
                           1e-9);
    smc_cubin_close(&cubin);
    CU_ASSERT_EQUAL(smc_rates_after_copies_ms(0), 0);
    for (unsigned copies = 1; copies <= 4; copies++)
        CU_ASSERT(smc_rates_after_copies_ms(copies) > smc_rates_after_copies_ms(copies - 1));
    CU_ASSERT_EQUAL(smc_rates_after_copies_ms(4), smc_rates_after_copies_ms(100));
}

/* A measured empty launch replaces that of the board's table, whose range reaches what other
   machines take: 1.6 times as long. */
static void test_measured_empty_launch(void)
{
    struct smc_time time = {.basis = SMC_TIME_TABLE,
                            .predicted_ms = 0.0132,
                            .low_ms = 0.0100,
                            .high_ms = 0.0200,
                            .empty_launch_ms = 0.0032,
                            .bound_by = SMC_TIME_ISSUE,
                            .next = SMC_TIME_LAUNCH};
    time.term_ms[SMC_TIME_ISSUE] = 0.0040;
    time.term_ms[SMC_TIME_LAUNCH] = 0.0034; /* with blocks that start later */
    smc_time_set_empty_launch(&time, 0.0045);
    CU_ASSERT(time.empty_launch_measured);
    CU_ASSERT_DOUBLE_EQUAL(time.empty_launch_ms, 0.0045, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(time.predicted_ms, 0.0145, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(time.low_ms, 0.0100 + (0.0045 - 0.0032) / 1.3, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(time.high_ms, 0.0200 - 1.6 * 0.0032 + 1.3 * 0.0045, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(time.term_ms[SMC_TIME_LAUNCH], 0.0047, 1e-9);
    CU_ASSERT_EQUAL(time.bound_by, SMC_TIME_LAUNCH);
    CU_ASSERT_EQUAL(time.next, SMC_TIME_ISSUE);
}

/* DRAM traffic of a kernel that changes 512 bytes at the beginning of an array of so many MiB. */
static double dram_bytes_of_changed(size_t mib, bool restored)
{
    static unsigned char file[1 << 16];
    struct smc_device device;
    struct smc_time_arguments arguments = {0};
    struct smc_error error;
    struct smc_time time = {0};
    char note[256];
    const size_t bytes =
        temporary_read(SMC_SOURCE_DIR "/tests/data/inspect/own-sm90.cubin", file, sizeof file);
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    const uint64_t address = smc_time_add_array(&arguments, mib << 20);
    smc_time_add_parameter(&arguments, address, sizeof address);
    struct smc_time_launch launch = {.device = &device,
                                     .blocks_per_sm = 1,
                                     .arguments = &arguments,
                                     .cubin = file,
                                     .cubin_bytes = bytes,
                                     .entry = "bounded",
                                     .block = {128, 1, 1},
                                     .grid = {1, 1, 1},
                                     .restored = restored};
    CU_ASSERT_EQUAL(smc_time_predict(&launch, &time, &error), SMC_OK);
    return time.dram_bytes;
}

/* All of an array is restored, however little of it the launch accesses. */
static void test_restored_as_a_whole(void)
{
    CU_ASSERT_EQUAL(dram_bytes_of_changed(36, false), 0);
    CU_ASSERT_EQUAL(dram_bytes_of_changed(16, true), 0);
    CU_ASSERT(dram_bytes_of_changed(36, true) > 512 / 2);
}

static void test_tensor_rates(void)
{
    enum {
        M16_N8_K8_F64 = 0x2000,
        K16_F32 = 0x1800,
        K16_F16 = 0x0800,
        K8_F32 = 0x1000,
        K8_TF32 = 0x81000
    };
    enum { M16_N8_K32 = 0x405c00, M8_N8_K16 = 0x5400, BITS_4 = 0x180000 };
    enum { M8_N8_K128 = 0x144ff, M16_N8_K128 = 0x14cff, M16_N8_K256 = 0x154ff };
    enum {
        SPARSE_GROUP = 0x200,
        SPARSE_K16_F32 = 0x1a00,
        SPARSE_K32_F32 = 0x5a00,
        SPARSE_M16_N8_K64 = 0x605500
    };
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_HMMA, K16_F32), 2048 / 256.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_HMMA, K8_F32), 1024 / 256.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_HMMA, K8_TF32), 1024 / 128.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_IMMA, M16_N8_K32), 4096 / 512.0);
    CU_ASSERT_EQUAL(tensor_clocks("Tesla T4", SMC_OP_HMMA, K8_F32), 1024 / 128.0);
    CU_ASSERT_EQUAL(tensor_clocks("Tesla T4", SMC_OP_IMMA, M8_N8_K16), 1024 / 256.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A40", SMC_OP_HMMA, K16_F32), 2048 / 128.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA GeForce RTX 3090", SMC_OP_HMMA, K16_F32), 2048 / 64.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA GeForce RTX 3090", SMC_OP_HMMA, K16_F16), 2048 / 128.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA GeForce RTX 4090", SMC_OP_IMMA, M16_N8_K32), 16);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HMMA, K16_F32),
                    2048 * 4 / 1352.0); /* the peak: 4 */
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HMMA, K8_F32), 4);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HMMA, SPARSE_K16_F32), 6);
    CU_ASSERT_DOUBLE_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HMMA, SPARSE_K32_F32), 8.05, 0.05);
    CU_ASSERT_DOUBLE_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_IMMA, SPARSE_M16_N8_K64), 8.05,
                           0.05);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_HMMA, SPARSE_K32_F32),
                    2048 / 256.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_IMMA, SPARSE_M16_N8_K64),
                    4096 / 512.0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_IMMA, M16_N8_K32 | BITS_4), 0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_BMMA, M8_N8_K128), 4);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_BMMA, M16_N8_K128), 4);
    CU_ASSERT_DOUBLE_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_BMMA, M16_N8_K256), 6.06, 0.01);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA A100-SXM4-80GB", SMC_OP_BMMA, M16_N8_K256), 8);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA GeForce RTX 3090", SMC_OP_BMMA, M16_N8_K256), 0);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_DMMA, 0), 16);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_DMMA, M16_N8_K8_F64), 32);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HGMMA, 0), 8 / 2);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_HGMMA, SPARSE_GROUP), 8 / 2);
    CU_ASSERT_EQUAL(tensor_clocks("NVIDIA H200", SMC_OP_BGMMA, 0), 0);
}

/* What was measured counts, but never more than the peak. */
static void test_measured_tensor_rates(void)
{
    enum { K16_F32 = 0x1800, K16_F16 = 0x0800 };
    struct smc_device device;
    struct smc_ceilings ceilings = {.source = SMC_CEILINGS_CALIBRATED};
    struct smc_error error;
    struct smc_rates rates;
    char note[256];
    const struct smc_sass_instruction mma = {
        .operation = SMC_OP_HMMA, .pipe = SMC_PIPE_TENSOR, .high = K16_F32};
    const struct smc_sass_instruction halves = {
        .operation = SMC_OP_HMMA, .pipe = SMC_PIPE_TENSOR, .high = K16_F16};
    const struct smc_sass_instruction group = {.operation = SMC_OP_HGMMA, .pipe = SMC_PIPE_TENSOR};
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    ceilings.value[SMC_CEILING_MMA_FP16] = 1024;
    ceilings.value[SMC_CEILING_WGMMA_FP16] = 4096; /* of 2048 */
    smc_rates_of(&device, &ceilings, device.sm_count, &rates);
    CU_ASSERT_EQUAL(smc_rates_clocks(&rates, &mma), 2048 * 4 / 1024.0);
    CU_ASSERT_EQUAL(smc_rates_clocks(&rates, &group), 8 / 2);
    /* 64 rows of A and 8 of B, of 32 bytes; if A is sparse, B has twice as many. */
    const struct smc_sass_instruction sparse = {
        .operation = SMC_OP_HGMMA, .pipe = SMC_PIPE_TENSOR, .high = 1 << (73 - 64)};
    CU_ASSERT_EQUAL(smc_rates_product_wavefronts(&group), (64 + 8) * 32 / 128.0 / 4);
    CU_ASSERT_EQUAL(smc_rates_product_wavefronts(&sparse), (64 + 2 * 8) * 32 / 128.0 / 4);
    CU_ASSERT(smc_product_is_measured("FP16", &ceilings));
    CU_ASSERT(!smc_product_is_measured("BF16", &ceilings));
    CU_ASSERT_EQUAL_FATAL(smc_device_find("NVIDIA GeForce RTX 3090", &device, note, &error),
                          SMC_OK);
    ceilings.value[SMC_CEILING_MMA_FP16] = 48; /* with sums of 32 bits, of 64 */
    smc_rates_of(&device, &ceilings, device.sm_count, &rates);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_clocks(&rates, &mma), 2048 / 12.0 / 4 * 4, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(smc_rates_clocks(&rates, &halves), 2048 / 24.0 / 4 * 4, 1e-9);
}

/* --- SMs that get more than others -------------------------------------------------------------
 */

/* How many instructions a warp gets that takes over the rest of a trace: 10, and 90 left out. */
static uint64_t length_taken_over(uint64_t place, const struct smc_survey *survey)
{
    const struct smc_machine_program program = {.count = 0};
    const struct smc_machine_launch launch = {.program = &program};
    struct smc_warp_trace_skip parts[2] = {{.executed = 90}};
    const struct smc_warp_trace first = {
        .skip = &parts[0], .skip_count = 1, .length = 100, .first_skip_length = 10};
    struct smc_warp_trace trace = {.skip = &parts[1], .skip_capacity = 1, .length = 10};
    struct smc_known_traces known = {
        .launch = &launch, .warps = 4, .survey = survey, .place = place};
    smc_known_traces_add(&known, &first);
    CU_ASSERT_TRUE(smc_known_traces_take_over(&known, &trace, 0));
    return trace.length;
}

/* As many as the same warp of the nearest block, and as the nearest warp if no such one is known.
 */
static void test_lengths_taken_over(void)
{
    struct smc_survey survey = {.warps = 5,
                                .first = {{4, 299}, {5, 60}, {6, 70}, {400, 300}, {401, 80}}};
    CU_ASSERT_EQUAL(length_taken_over(8, &survey), 299);
    CU_ASSERT_EQUAL(length_taken_over(9, &survey), 70); /* those of its place differ */
    CU_ASSERT_EQUAL(length_taken_over(396, &survey), 300);
    CU_ASSERT_EQUAL(length_taken_over(7, &survey), 70);
    CU_ASSERT_EQUAL(length_taken_over(403, &survey), 80);
    CU_ASSERT_EQUAL(length_taken_over(8, NULL), 100);
    survey.first[0].length = 10; /* no more than was walked */
    CU_ASSERT_EQUAL(length_taken_over(4, &survey), 60);
}

/* What a warp that takes over two lines accesses, 40 lines further on in each iteration, if its
   first access was to sector 2 of the line of which the other's was to sector 0. */
static void take_over_lines(const uint8_t sectors[2], struct smc_warp_trace *trace)
{
    enum { FIRST = 1000, FURTHER = 40, LAST = 2 };
    static struct smc_warp_trace_line line[2][8];
    static struct smc_warp_trace_entry entry[2][LAST];
    static struct smc_warp_trace_skip skip[2];
    const struct smc_machine_program program = {.count = 1};
    const struct smc_time_array array = {.address = FIRST * 128, .bytes = 100 * 128};
    const struct smc_machine_launch launch = {
        .program = &program, .array = &array, .arrays = 1, .grid = {1, 1, 1}};
    uint32_t last[1];
    line[0][0] = (struct smc_warp_trace_line){.number = FIRST, .sectors = 1};
    line[1][0] = (struct smc_warp_trace_line){.number = FIRST, .sectors = 4};
    for (uint32_t i = 0; i < 2; i++)
        line[0][1 + i] =
            (struct smc_warp_trace_line){.number = FIRST + FURTHER + i, .sectors = sectors[i]};
    entry[0][0] = entry[1][0] = (struct smc_warp_trace_entry){.lines = 1};
    entry[0][1] = (struct smc_warp_trace_entry){.line = 1, .lines = 2};
    const struct smc_warp_trace first = {.entry = entry[0],
                                         .count = LAST,
                                         .line = line[0],
                                         .line_count = 3,
                                         .skip = &skip[0],
                                         .skip_count = 1,
                                         .first_skip_count = 1};
    *trace = (struct smc_warp_trace){.entry = entry[1],
                                     .count = 1,
                                     .capacity = LAST,
                                     .line = line[1],
                                     .line_count = 1,
                                     .line_capacity = 8,
                                     .skip = &skip[1],
                                     .skip_capacity = 1};
    struct smc_known_traces known = {.launch = &launch, .warps = 2, .last = last, .place = 1};
    smc_known_traces_add(&known, &first);
    CU_ASSERT_TRUE_FATAL(smc_known_traces_take_over(&known, trace, 0));
}

/* Warps that access parts of a line keep theirs in what they take over. */
static void test_sectors_taken_over(void)
{
    struct smc_warp_trace trace;
    take_over_lines((uint8_t[2]){0x1, 0}, &trace);
    CU_ASSERT_EQUAL(trace.entry[1].lines, 1);
    CU_ASSERT_EQUAL(trace.line[1].number, 1040);
    CU_ASSERT_EQUAL(trace.line[1].sectors, 0x4);
    take_over_lines((uint8_t[2]){0xf, 0xf}, &trace); /* half a line each */
    CU_ASSERT_EQUAL(trace.entry[1].lines, 3);
    CU_ASSERT_EQUAL(trace.line[1].sectors, 0xc);
    CU_ASSERT_EQUAL(trace.line[2].sectors, 0xf);
    CU_ASSERT_EQUAL(trace.line[3].number, 1042);
    CU_ASSERT_EQUAL(trace.line[3].sectors, 0x3);
}

/* How long the longest SM takes, of 132, if one with mean blocks of 100 instructions takes 1000
   clocks. The two blocks that are followed are such blocks. */
static double clocks_of_longest(uint64_t blocks, double busy, const struct smc_survey *survey)
{
    static struct model model;
    const struct smc_warp_trace trace = {.length = 100}, *pointer = &trace;
    struct smc_sm_block block[2] = {{&pointer}, {&pointer}};
    model = (struct model){.blocks = blocks, .sms = 132};
    model.machine.resident = 264;
    model.sample.blocks = 2;
    model.survey = *survey;
    model.traces = (struct smc_traces){
        .blocks = 2, .warps_per_block = 1, .scattered = true, .block = block, .length = 200};
    model.rates.subpartitions = 4;
    model.rates.fma_halves = 2;
    model.work.clocks = 1000;
    model.work.issued = 4000 * busy;
    smc_model_wait_for_longest(&model);
    return model.work.clocks;
}

/* How many blocks of 28 that reside are executed, in a launch of twenty rounds, whose warp has
   so many instructions in order. */
static uint32_t executed_blocks(uint32_t instructions, const struct smc_contents *contents)
{
    static struct model model;
    struct smc_error error;
    struct smc_path_run run = {.last = instructions, .lanes = 32};
    const struct smc_time_launch launch = {.blocks_per_sm = 28};
    model = (struct model){.launch = &launch, .blocks = UINT64_C(20) * 28 * 132, .sms = 132};
    model.machine = (struct smc_machine_launch){.block = {32, 1, 1}, .contents = contents};
    model.path = (struct smc_warp_path){.run = &run, .count = 1};
    CU_ASSERT_EQUAL_FATAL(smc_sample_choose(&model, &error), SMC_OK);
    return model.sample.blocks;
}

/* A single round, whose blocks all start and end together, does not show how others follow. */
static void test_followed_rounds(void)
{
    const struct smc_contents contents = {0};
    CU_ASSERT_EQUAL(executed_blocks(500, &contents), 12 * 28);
    CU_ASSERT_EQUAL(executed_blocks(5900, &contents), 3 * 28);
    CU_ASSERT_EQUAL(executed_blocks(9130, &contents), 3 * 28);
    CU_ASSERT_EQUAL(executed_blocks(12000, &contents), 28);
    CU_ASSERT_EQUAL(executed_blocks(6900, NULL), 28);
}

/* How many blocks, of which two reside, of 24 with nothing left out of the first warp, are executed
   if the longest warp has so many instructions; `kept` receives for how many entries of each warp
   there is room. */
static uint32_t blocks_with_longest(double longest, bool is_whole, bool together, size_t *kept)
{
    static struct model model;
    const struct smc_time_launch launch = {.blocks_per_sm = 2};
    struct smc_traced traced = {.blocks = 24, .entries = 20000, .loop_entries = 15000};
    model = (struct model){.launch = &launch, .sample = {.blocks = 24, .is_whole = is_whole}};
    model.machine = (struct smc_machine_launch){.block = {64, 1, 1}};
    model.machine.contents = together ? &model.contents : NULL;
    model.machine.program = &model.program;
    model.program.by_block = true;
    model.survey =
        (struct smc_survey){.warps = 10, .length = 500, .longest = {{.length = longest}}};
    smc_sample_keep_last(&model, &traced);
    CU_ASSERT_EQUAL(model.sample.blocks, traced.blocks);
    *kept = traced.loop_entries;
    CU_ASSERT(traced.entries == traced.loop_entries || traced.loop_entries == 15000);
    return traced.blocks;
}

/* Fewer rounds, so that there is room for the end of the longest warps. */
static void test_ends_of_longest(void)
{
    size_t kept;
    CU_ASSERT_EQUAL(blocks_with_longest(15000, true, true, &kept), 24);
    CU_ASSERT_EQUAL(kept, 15000);
    CU_ASSERT_EQUAL(blocks_with_longest(20000, true, true, &kept), 24);
    CU_ASSERT_EQUAL(kept, 25000);
    CU_ASSERT_EQUAL(blocks_with_longest(30000, true, true, &kept), 16);
    CU_ASSERT_EQUAL(kept, 37500);
    CU_ASSERT_EQUAL(blocks_with_longest(30000, false, true, &kept), 24);
    CU_ASSERT_EQUAL(kept, 15000);
    CU_ASSERT_EQUAL(blocks_with_longest(600000, true, true, &kept), 2); /* no room for a round */
    CU_ASSERT_EQUAL(kept, 15000);
    /* what one warp does not need is left to the next one */
    CU_ASSERT_EQUAL(blocks_with_longest(30000, true, false, &kept), 24);
    CU_ASSERT_EQUAL(kept, 37500);
}

/* Of an array that was copied before the launch, what is accessed in no order comes from DRAM, also
   where L2 could keep all of it. */
static void test_first_accesses_in_no_order(void)
{
    static struct model model;
    struct smc_time_arguments arguments = {0};
    struct smc_device device;
    struct smc_error error;
    struct smc_time time = {0};
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    smc_time_add_array(&arguments, 256 << 20);
    for (int restored = 0; restored < 2; restored++) {
        const struct smc_time_launch launch = {
            .device = &device, .blocks_per_sm = 1, .arguments = &arguments, .restored = restored};
        memset(&model, 0, sizeof model);
        model.launch = &launch;
        model.arguments = &arguments;
        model.time = &time;
        model.blocks = model.sms = 132;
        model.sample.blocks = 1;
        model.traffic[0] = (struct smc_sm_traffic){.loaded = 3000,
                                                   .loaded_scattered = 3000,
                                                   .stored = 6000,
                                                   .stored_scattered = 6000,
                                                   .stored_sectors = 6000,
                                                   .stored_bytes = 24000,
                                                   .span = 200 << 20,
                                                   .block_span = 200 << 20};
        model.traffic[0].loads.of_class[0] = model.traffic[0].stores.of_class[0] = 3000;
        model.traffic[0].stores.of_class[1] = 3000; /* each place twice */
        smc_model_find_dram(&model, false);
        const double first = model.dram[0].load_share;
        CU_ASSERT(restored ? first > 0.8 : first < 0.6);
        CU_ASSERT_DOUBLE_EQUAL(model.dram[0].store_share, first / 2, 1e-6);
        CU_ASSERT_EQUAL(model.dram[0].fill_share, 0); /* of atomics; these are stores */
    }
}

/* Atomics at places in no order that fill most of their pages are in order for DRAM. */
static void test_atomics_fill_pages(void)
{
    static struct model model;
    struct smc_time_arguments arguments = {0};
    struct smc_device device;
    struct smc_error error;
    struct smc_time time = {0};
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    smc_time_add_array(&arguments, 256 << 20);
    const struct smc_time_launch launch = {
        .device = &device, .blocks_per_sm = 1, .arguments = &arguments};
    for (int i = 0; i < 4; i++) {
        memset(&model, 0, sizeof model);
        model.launch = &launch;
        model.arguments = &arguments;
        model.time = &time;
        model.blocks = model.sms = 132;
        model.sample.blocks = 1;
        model.traffic[0] = (struct smc_sm_traffic){.stored = 6400,
                                                   .stored_scattered = 6400,
                                                   .stored_sectors = 6400,
                                                   .stored_bytes = i / 2 * 6400, /* stores */
                                                   .pages = i % 2 ? 6400 : 200,
                                                   .span = 200 << 20,
                                                   .block_span = 200 << 20};
        model.traffic[0].stores.of_class[0] = 6400;
        smc_model_find_dram(&model, false);
        CU_ASSERT_EQUAL(model.dram[0].in_no_order, i > 0);
    }
}

/* Blocks that reside together have parts of an array to themselves, though where passes of the grid
   meet some of them are at its end and others at its beginning: each pass comes from DRAM. */
static void test_passes_over_array(void)
{
    enum { ROWS = 2048, ROW = 8192, PASSES = 8, BLOCKS = 32, RESIDENT = 8, SMS = 128 };
    static struct model model;
    struct smc_time_arguments arguments = {0};
    struct smc_device device;
    struct smc_error error;
    struct smc_time time = {0};
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    smc_time_add_array(&arguments, ROWS * ROW);
    smc_time_add_array(&arguments, 512 << 20);
    const struct smc_time_launch launch = {
        .device = &device, .blocks_per_sm = RESIDENT, .arguments = &arguments};
    model.launch = &launch;
    model.arguments = &arguments;
    model.time = &time;
    model.blocks = (uint64_t)ROWS * PASSES;
    model.sms = SMS;
    model.sample.blocks = BLOCKS;
    const double loaded = (double)BLOCKS * ROW / SMC_L2_PIECE_BYTES;
    model.traffic[0] = (struct smc_sm_traffic){.loaded = loaded,
                                               .span = ROWS * ROW,
                                               .least_span = ((RESIDENT - 1) * SMS + 1) * ROW,
                                               .loads.of_class[0] = loaded};
    model.traffic[1] = (struct smc_sm_traffic){.stored = 4 * loaded,
                                               .stored_sectors = 8 * loaded,
                                               .stored_bytes = 8 * loaded * SMC_SECTOR_BYTES,
                                               .stores.of_class[0] = 4 * loaded};
    smc_model_find_dram(&model, false);
    CU_ASSERT_DOUBLE_EQUAL(model.dram[0].load_share, 1, 0.01);
}

/* Blocks load parts of their own again and again. What traces leave out of that makes more pass
   than the blocks access, which L2 keeps: only the first loads come from DRAM. */
static void test_blocks_load_parts_again(void)
{
    enum { SMS = 132, RESIDENT = 4, PIECES = 4096, TIMES = 256, CLASS = 40, PASSES = 4 };
    static struct model model;
    struct smc_time_arguments arguments = {0};
    struct smc_device device;
    struct smc_error error;
    struct smc_time time = {0};
    char note[256];
    CU_ASSERT_EQUAL_FATAL(smc_device_find("H200", &device, note, &error), SMC_OK);
    CU_ASSERT(smc_reuse_distance(CLASS) > PIECES);
    smc_time_add_array(&arguments, (uint64_t)PASSES * SMS * PIECES * SMC_L2_PIECE_BYTES);
    const struct smc_time_launch launch = {
        .device = &device, .blocks_per_sm = RESIDENT, .arguments = &arguments};
    model.launch = &launch;
    model.arguments = &arguments;
    model.time = &time;
    model.sms = SMS;
    model.blocks = (uint64_t)PASSES * RESIDENT * SMS;
    model.sample.blocks = RESIDENT;
    model.traffic[0] =
        (struct smc_sm_traffic){.loaded = (double)PIECES * TIMES,
                                .loads.of_class[0] = PIECES,
                                .loads.of_class[CLASS] = (double)PIECES * (TIMES - 1)};
    smc_model_find_dram(&model, false);
    CU_ASSERT_DOUBLE_EQUAL(model.dram[0].load_share, 1.0 / TIMES, 1e-3);
}

static void test_reuse_of_pages(void)
{
    static struct smc_reuse reuse;
    CU_ASSERT_TRUE_FATAL(smc_reuse_open(&reuse));
    CU_ASSERT(smc_reuse_page(&reuse, 64));
    CU_ASSERT_FALSE(smc_reuse_page(&reuse, 127));
    CU_ASSERT(smc_reuse_page(&reuse, 128));
    CU_ASSERT_FALSE(smc_reuse_page(&reuse, 64));
    reuse.block = 1;
    CU_ASSERT(smc_reuse_page(&reuse, 64));
    smc_reuse_close(&reuse);
}

/* Blocks of 70 and 130 instructions, in turn or first the ones and then the others. */
static struct smc_survey survey_of(bool in_turn)
{
    struct smc_survey survey = {.warps = SMC_SURVEYED_WARPS,
                                .length = 100,
                                .spread = 30,
                                .longest = {{.length = 200}},
                                .blocks = SMC_SURVEYED_WARPS,
                                .block_spread = 30};
    for (uint64_t i = 0; i < SMC_SURVEYED_WARPS; i++) {
        const bool is_long = in_turn ? i % 2 > 0 : i >= SMC_SURVEYED_WARPS / 2;
        survey.first[i] = (struct smc_surveyed_warp){i, is_long ? 130 : 70};
    }
    return survey;
}

/* The largest of 132 sums of two blocks in no order is 2.6 standard deviations above the mean,
   which are those of one block where neighbours are alike, and no more than twice the longest
   block. */
static void test_uneven_sms(void)
{
    struct smc_survey survey = survey_of(true);
    const double all = 1000 * (1 + 2.6 * 0.3 / sqrt(2)), one = 1000 * (1 + 2.6 * 0.3 / 2);
    CU_ASSERT_DOUBLE_EQUAL(clocks_of_longest(264, 1, &survey), all, 20);
    CU_ASSERT_DOUBLE_EQUAL(clocks_of_longest(264, 0.5, &survey),
                           (1000 + clocks_of_longest(264, 1, &survey)) / 2, 1e-6);
    CU_ASSERT_EQUAL(clocks_of_longest(132, 1, &survey), 1000); /* the longest is followed */
    CU_ASSERT_EQUAL(clocks_of_longest(265, 1, &survey), 1000); /* a free SM gets the next block */
    survey.longest[0].length = 110;
    CU_ASSERT_DOUBLE_EQUAL(clocks_of_longest(264, 1, &survey), 1100, 1e-6);
    survey.longest[0].length = 200;
    survey.block_spread = 0; /* warps of a block differ, but blocks do not */
    CU_ASSERT_EQUAL(clocks_of_longest(264, 1, &survey), 1000);
    survey.blocks = 0; /* warps were walked alone: those of a block in the sample do not differ */
    CU_ASSERT_DOUBLE_EQUAL(clocks_of_longest(264, 1, &survey), all, 40);
    survey = survey_of(false);
    CU_ASSERT_DOUBLE_EQUAL(clocks_of_longest(264, 1, &survey), one, 20);
}

CU_TestInfo tests_timing[] = {
    {"loops between barriers", test_loops_between_barriers},
    {"the L1 cache", test_cache},
    {"lines of L1 that are not followed", test_lines_that_pass},
    {"code that the SM does not hold", test_fetch},
    {"an L1 cache of no bytes", test_no_cache},
    {"banks of tags", test_tags},
    {"a loop is cut", test_loop_is_cut},
    {"a short loop is whole", test_short_loop_is_whole},
    {"a full trace", test_full_trace},
    {"one warp waits for itself", test_one_warp_stalls},
    {"many warps fill the issue slots", test_many_warps_fill_the_slots},
    {"blocks start in the sub-partitions in turn", test_blocks_start_in_turn},
    {"blocks start where warps have ended", test_blocks_start_early},
    {"a pipe that takes two clocks", test_pipe_takes_two_clocks},
    {"constants at an index that lanes share", test_uniform_constants},
    {"stores of parts of sectors", test_stores_of_parts},
    {"rows that begin anywhere", test_rows_that_begin_anywhere},
    {"local memory", test_local_memory},
    {"stores to a line of local memory that go to L2 together", test_joined_local_stores},
    {"warps that add to the same rows in the same order", test_crowds},
    {"compare-and-swap of a shared word", test_swaps},
    {"operands that are kept are not read again", test_operand_cache},
    {"operands of one bank", test_operands_of_one_bank},
    {"an instruction waits at dispatch for its operands", test_dispatch},
    {"the warp that issued goes on", test_warp_goes_on},
    {"FMAs go to the halves of their pipe in turn", test_halves_in_turn},
    {"the oldest warp goes first", test_oldest_first},
    {"turns of iterations where some are left out", test_turns_of_iterations},
    {"iterations that are cut out", test_cut_loops},
    {"lanes wait for each other", test_sync_of_lanes},
    {"lanes go apart", test_lanes_go_apart},
    {"a barrier takes a turn in L1", test_barrier_takes_a_turn},
    {"shared memory binds", test_shared_memory_binds},
    {"a warp receives a wavefront in two clocks", test_wavefronts_of_a_warp},
    {"shuffles", test_shuffles},
    {"stores fill L2", test_stores_fill_l2},
    {"stores to parts of lines that L2 lacks", test_stores_to_missing_lines},
    {"loads of parts of lines", test_loads_of_parts_of_lines},
    {"stores to an array that other blocks load from", test_stores_in_place},
    {"single sectors of many lines, in order and in none", test_scattered_stores},
    {"stores and atomics pass L1 by lines", test_stores_pass_l1},
    {"stores of several warps to one word", test_merged_stores},
    {"stores of several warps to several lines", test_stores_to_several_lines},
    {"loads wait in the queues of DRAM", test_dram_queues},
    {"loads from random places of DRAM", test_scattered_loads},
    {"lines that arrive for requests of few and of many", test_arriving_lines},
    {"lines that arrive in banks that are idle", test_lines_arrive_in_idle_banks},
    {"banks that loads leave idle", test_idle_banks},
    {"a load of what was stored", test_load_of_what_was_stored},
    {"loads that traces leave out", test_left_out_loads_hit},
    {"values that lanes match", test_matches},
    {"constants at different addresses", test_constants},
    {"a large table of constants", test_large_table_of_constants},
    {"blocks that drift through a table of constants miss what their cache lacks",
     test_drifting_constants},
    {"the first blocks are sent one after the other", test_first_blocks},
    {"atomics, and the most of them in one piece", test_atomics},
    {"when the first atomics come", test_first_atomics},
    {"atomics of which most are in a sector", test_uneven_atomics},
    {"atomics that L2 lacks", test_atomics_that_l2_lacks},
    {"results of atomics that the program drops", test_results_of_atomics},
    {"windows of atomics in several arrays", test_atomic_windows},
    {"requests of iterations that are left out", test_weighted_requests},
    {"passes of the grid over an array", test_passes_over_array},
    {"parts that blocks load again and again", test_blocks_load_parts_again},
    {"spans of blocks that reside together", test_spans},
    {"means of a few numbers", test_known_mean},
    {"the longest of blocks in rounds", test_longest_block},
    {"the longest blocks of a survey", test_longest_kept},
    {"atomics whose lanes share words", test_atomics_of_shared_words},
    {"copies in groups, of which a warp waits for all but the newest", test_copies_in_groups},
    {"copies past L1", test_copies_past_l1},
    {"turns of copies past L1", test_turns_of_copies},
    {"sectors that copies ask for twice", test_sectors_of_copies},
    {"sleeps", test_sleeps},
    {"sectors of a store to local and global memory", test_sectors_of_mixed_stores},
    {"ldmatrix and stmatrix take the data stage of L1", test_matrices_in_shared_memory},
    {"atomics in shared memory", test_shared_atomics},
    {"blocks follow one another", test_blocks_follow},
    {"rounds follow", test_rounds_follow},
    {"rounds that others follow", test_followed_rounds},
    {"ends of the longest warps", test_ends_of_longest},
    {"blocks are sent one after the other", test_blocks_are_sent},
    {"what a trace leaves out is added", test_what_is_left_out_is_added},
    {"what a trace leaves out of nested loops is added", test_nested_loops_are_cut},
    {"a barrier", test_barrier},
    {"waits at barriers, where iterations are left out", test_waits_are_left_out},
    {"and those of warps that work in turn", test_waits_for_each_other},
    {"warps take turns at barriers in shared memory", test_turns},
    {"warps wait for the phase in which they arrived", test_arrived_phase},
    {"a trace ends at a wait", test_trace_ends_at_wait},
    {"a block that cannot go on waits for no other", test_blocks_wait_apart},
    {"copies to all blocks of a cluster", test_multicasts},
    {"what traces leave out of a ring of stages", test_rings_are_cut},
    {"rings of loops of which a part is left out", test_rings_of_loops_are_cut},
    {"iterations that go on like the last quarter", test_late_iterations},
    {"pieces that are accessed again", test_reuse},
    {"pieces that several blocks access", test_reuse_by_blocks},
    {"panels that blocks share", test_panels},
    {"parts of rows that blocks access at a time", test_parts_of_rows},
    {"panels in both halves of L2", test_shared_panels},
    {"arrays that were copied before the launch", test_copied_arrays},
    {"the distance of pieces among others", test_reuse_among_others},
    {"what entries of a trace stand for", test_weights},
    {"last quarters of loops", test_late_quarters},
    {"a wait for iterations that another trace leaves out", test_missing_iterations},
    {"SMs that get more than others", test_uneven_sms},
    {"what is accessed first in no order", test_first_accesses_in_no_order},
    {"atomics that fill their pages", test_atomics_fill_pages},
    {"pages that blocks access", test_reuse_of_pages},
    {"arguments in memory", test_arguments},
    {"many memories", test_many_memories},
    {"parameters where the kernel has them", test_placed_parameters},
    {"no prediction, with a reason", test_reasons},
    {"lengths of traces that are taken over", test_lengths_taken_over},
    {"parts of lines that are taken over", test_sectors_taken_over},
    {"units that are busy equally long", test_tie},
    {"measured and estimated rates", test_rates},
    {"launches after copies", test_launches_after_copies},
    {"a measured empty launch", test_measured_empty_launch},
    {"restored as a whole", test_restored_as_a_whole},
    {"clocks of mma.sync by shape, type and board", test_tensor_rates},
    {"measured rates of tensor cores", test_measured_tensor_rates},
    CU_TEST_INFO_NULL,
};
