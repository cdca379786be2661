/* Lesson: occupancy is not speed. Shared-memory bandwidth limits the tiled product, and register
   tiles help with fewer threads. */
#include "answers/query.h"
#include "show/lesson/scene.h"
#include "show/words/paragraphs.h"

static const struct smc_lesson_launch full = {.kernel = "matmul-tiled", .tile = 16};

static const int64_t tiles[] = {4, 8, 16, 32};
static const uint32_t edges[] = {1, 2, 4, 8};

enum {
    LARGEST_EDGE = 8,     /* of those */
    LANES_ACROSS = 8,     /* the warp computes 4 x 8 squares of edge x edge elements */
    THREADS = 256,        /* for a block with register tiles */
    OTHER_REGISTERS = 24, /* addresses and counters: an assumption, as the page explains */
    ASKED_EDGE = 6,
};

/* One step of the inner product with `edge` x `edge` elements per thread. */
struct lesson_occupancy_step {
    uint32_t loads;      /* loads of a thread from shared memory */
    uint32_t wavefronts; /* of its warp */
    uint32_t fmas;
    double share; /* the share of the FMA peak that shared memory permits */
};

/* A step reads a row of B's tile and a column of A's. The distance between a lane's elements is the
   number of lanes in that direction, so that the lanes of one load read the same or neighboring
   words. */
static uint32_t count_wavefronts(const struct smc_bank_layout *layout, uint32_t index, bool of_b)
{
    struct smc_access access = {.mask = SMC_ALL_LANES, .width_bytes = 4, .op = SMC_BANK_LOAD};
    uint32_t down = SMC_WARP_LANES / LANES_ACROSS;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++) {
        uint32_t across = index * LANES_ACROSS + lane % LANES_ACROSS;
        uint32_t along = index * down + lane / LANES_ACROSS;
        access.address[lane] = access.width_bytes * (of_b ? across : along);
    }
    return smc_banks_count(layout, &access).wavefronts;
}

static struct lesson_occupancy_step find_step(const struct smc_sm *sm, uint32_t edge)
{
    struct smc_bank_layout layout;
    struct lesson_occupancy_step step = {.loads = 2 * edge, .fmas = edge * edge};
    smc_bank_layout_of(sm, SMC_BANK_MODE_4_BYTES, &layout);
    for (uint32_t i = 0; i < edge; i++)
        step.wavefronts += count_wavefronts(&layout, i, false) + count_wavefronts(&layout, i, true);
    struct smc_workload workload = {
        .fma_cycles_per_step = (double)sm->warp_size / sm->fp32_lanes_per_sm,
        .shared_cycles_per_step = (double)step.wavefronts / step.fmas,
    };
    step.share = smc_workload_peak_share(&workload);
    return step;
}

#define REGISTERS_OF(edge) ((edge) * (edge) + 2 * (edge) + OTHER_REGISTERS)

static const struct smc_lesson_launch fewer_warps = {.threads = THREADS,
                                                     .regs = REGISTERS_OF(LARGEST_EDGE)};

static void lesson_occupancy_append_share(struct smc_scene *scene, double share, size_t begin,
                                          struct smc_text *table)
{
    smc_text_printf(table, "%7.1f %%", 100 * share);
    smc_figure_bar(scene, share, (unsigned)(table->length - begin), table);
}

static void lesson_occupancy_append_tile(struct smc_scene *scene, int64_t tile,
                                         struct smc_text *table)
{
    struct smc_lesson_launch launch = full;
    struct smc_answer answer;
    launch.tile = tile;
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    size_t begin = table->length;
    smc_text_printf(table, "%4d%6.1f %%%9.2f", (int)tile, answer.occupancy_percent,
                    answer.workload.shared_cycles_per_step);
    lesson_occupancy_append_share(scene, smc_workload_peak_share(&answer.workload), begin, table);
}

static void fill_full(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &full, &answer))
        return;
    char source[128];
    smc_resources_describe(&answer.resources, source);
    smc_scene_number(scene, "tile", full.tile);
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_number(scene, "regs", answer.launch.regs_per_thread);
    smc_scene_text(scene, "source", source);
    smc_scene_count(scene, "blocks", answer.occupancy.blocks_per_sm, "block");
    smc_scene_number(scene, "warps", answer.occupancy.warps_per_sm);
    smc_scene_number(scene, "most", answer.query.device.sm.max_warps_per_sm);
    smc_scene_percent(scene, "occupancy", answer.occupancy_percent);
    smc_scene_percent(scene, "share", 100 * smc_workload_peak_share(&answer.workload));
}

static void lesson_occupancy_fill_wall(struct smc_scene *scene)
{
    const struct smc_sm *sm = &scene->device.sm;
    smc_scene_number(scene, "fma_lanes", sm->fp32_lanes_per_sm);
    smc_scene_number(scene, "lanes", sm->warp_size);
    smc_text_printf(smc_scene_value(scene, "fma"), "%.3g" SMC_TIE "clock%s",
                    (double)sm->warp_size / sm->fp32_lanes_per_sm,
                    sm->warp_size == sm->fp32_lanes_per_sm ? "" : "s");
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "tile  occup.   clocks    peak\n");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        lesson_occupancy_append_tile(scene, tiles[i], table);
}

static void fill_register_tile(struct smc_scene *scene)
{
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "edge loads  FMA  clocks     peak\n");
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        struct lesson_occupancy_step step = find_step(&scene->device.sm, edges[i]);
        size_t begin = table->length;
        smc_text_printf(table, "%4u%6u%5u%8.2f", edges[i], step.loads, step.fmas,
                        (double)step.wavefronts / step.fmas);
        lesson_occupancy_append_share(scene, step.share, begin, table);
    }
}

static void append_trade(struct smc_scene *scene, uint32_t edge, struct smc_text *table)
{
    struct smc_lesson_launch launch = {.threads = THREADS, .regs = REGISTERS_OF(edge)};
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    smc_text_printf(table, "%4u%6u%8u%7.1f %%%7.1f %%\n", edge, REGISTERS_OF(edge),
                    answer.occupancy.blocks_per_sm, answer.occupancy_percent,
                    100 * find_step(&scene->device.sm, edge).share);
}

static void fill_trade(struct smc_scene *scene)
{
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "edge  regs  blocks  occup.    peak\n");
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        append_trade(scene, edges[i], table);
    smc_scene_number(scene, "threads", THREADS);
    smc_scene_number(scene, "other", OTHER_REGISTERS);
    smc_scene_text(scene, "device", scene->device.name);
}

static void fill_purpose(struct smc_scene *scene)
{
    struct smc_answer before, after;
    if (!smc_scene_ask(scene, &full, &before) || !smc_scene_ask(scene, &fewer_warps, &after))
        return;
    struct lesson_occupancy_step one = find_step(&scene->device.sm, 1);
    struct lesson_occupancy_step step = find_step(&scene->device.sm, LARGEST_EDGE);
    smc_scene_number(scene, "before", before.occupancy.warps_per_sm);
    smc_scene_number(scene, "after", after.occupancy.warps_per_sm);
    smc_scene_number(scene, "edge", LARGEST_EDGE);
    smc_scene_number(scene, "one", one.fmas);
    smc_scene_number(scene, "fmas", step.fmas);
    smc_scene_number(scene, "work_before", (int64_t)before.occupancy.warps_per_sm * one.fmas);
    smc_scene_number(scene, "work_after", (int64_t)after.occupancy.warps_per_sm * step.fmas);
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "As full as can be, and slow",
        .text =
            "matmul-tiled with tile {tile} on {device}: {regs} registers per thread ({source}), "
            "{blocks} on each SM, {warps} of {most} warps, occupancy {occupancy}. An "
            "occupancy calculator has no complaint.\n"
            "And yet its multipliers are busy at most {share} of the time. Occupancy counts the "
            "resident warps. It does not say what they wait for, nor whether one that runs does "
            "anything useful.\n"
            "What they wait for is shared memory. The pages that follow count how much of it "
            "each multiplication takes, and how a kernel with far fewer warps does better.",
        .fill = fill_full,
        .launch = &full,
    },
    {
        .heading = "The shared-memory wall",
        .text = "The work of a matrix product is FMAs: a multiplication with an addition. An SM "
                "has {fma_lanes} lanes for them and a warp has {lanes} threads, so a warp's FMA "
                "takes {fma}. But each FMA of matmul-tiled needs an element of A and one of B "
                "from shared memory, which serves one wavefront per clock:\n"
                "{table}\n"
                "clocks: shared-memory clocks per FMA; peak: the share of the theoretical FMA peak "
                "that this allows. A larger tile does not help here: it saves global memory, but "
                "each FMA still fetches its two operands. (The compiler joins some loads, so it "
                "is not quite two wavefronts each.)",
        .fill = lesson_occupancy_fill_wall,
        .launch = &full,
    },
    {
        .heading = "More work for each thread",
        .text = "Registers are the way out. A thread that makes 2 x 2 elements of C instead of "
                "one loads two elements of A and two of B in a step, and does four FMAs with "
                "them: each element serves twice. In general, with edge x edge elements per "
                "thread:\n"
                "{table}\n"
                "Loads grow with the edge, FMAs with its square. The shared-memory clocks per FMA "
                "are counted with the rule of the banks for a warp of 4 x 8 threads and loads of "
                "4 bytes.",
        .fill = fill_register_tile,
    },
    {
        .heading = "The price: fewer warps",
        .text = "The sums and the elements they are made of have to be kept in registers: edge x "
                "edge + 2 x edge of them, and say {other} more for addresses and counters "
                "(assumed, not compiled). With blocks of {threads} threads on {device}:\n"
                "{table}\n"
                "From top to bottom occupancy falls, and the FMA rate that shared memory permits "
                "rises: the fullest rows are the slowest. Fast matrix products all keep few "
                "warps and large register tiles.",
        .fill = fill_trade,
        .launch = &fewer_warps,
    },
    {
        .heading = "What occupancy is for",
        .text = "An SM hides waiting by having something else to do. Many warps are one source "
                "of that: while some wait, others run. Independent instructions within one warp "
                "are another.\n"
                "With one element of C per thread, each FMA needs the sum of the one before: "
                "{before} warps x {one} = {work_before} FMAs that do not wait for each other. "
                "With {edge} x {edge} elements it is {after} warps x {fmas} = {work_after}. The "
                "emptier SM has more to do.\n"
                "So raise occupancy while warps wait for memory and no other work is available; "
                "when enough is in flight, spend registers on work for each thread. Beyond what "
                "hides latency, more occupancy gains nothing.",
        .fill = fill_purpose,
    },
};

static void lesson_occupancy_fill_question(struct smc_scene *scene,
                                           struct smc_lesson_solution *solution)
{
    struct lesson_occupancy_step step = find_step(&scene->device.sm, ASKED_EDGE);
    solution->right = step.fmas / step.loads;
    solution->trap = ASKED_EDGE;
    smc_scene_number(scene, "edge", ASKED_EDGE);
    smc_scene_number(scene, "loads", step.loads);
    smc_scene_number(scene, "fmas", step.fmas);
    smc_scene_number(scene, "ratio", solution->right);
}

static const struct smc_lesson_question question = {
    .text = "A thread makes {edge} x {edge} elements of C. How many FMAs does it do for each "
            "element that it loads from shared memory?",
    .right = "In a step it loads {edge} elements of A and {edge} of B, {loads} together, and does "
             "{fmas} FMAs: {ratio} for each.",
    .wrong = "Count for one step of the inner product: elements of A, elements of B, and FMAs.",
    .trap = "Each element serves that many FMAs, but each FMA takes two elements: one of A and one "
            "of B.",
    .fill = lesson_occupancy_fill_question,
};

const struct smc_lesson smc_lesson_about_occupancy = {
    .name = "occupancy",
    .title = "Occupancy is not speed",
    .summary = "full and slow: the shared-memory wall, and register tiles",
    .device = "NVIDIA H200",
    .least_cc = 50,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
