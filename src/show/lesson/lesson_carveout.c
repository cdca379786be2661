/* Lesson: the carve-out, which divides memory between shared memory and the L1 cache. */
#include <stdio.h>

#include "rules/allocation.h"
#include "show/lesson/scene.h"
#include "show/words/paragraphs.h"

enum { KB = 1024, ASKED_BLOCKS = 3 };

static const struct smc_lesson_launch tiled = {
    .kernel = "matmul-tiled", .tile = 16, .dtype = SMC_DOUBLE};
static const struct smc_lesson_launch asked = {
    .threads = 128, .regs = 32, .smem_bytes = (int64_t)8 * KB};

static void find_carveouts(const struct smc_answer *answer, struct smc_carveouts *carveouts)
{
    smc_carveouts_find(&answer->query.device.sm, &answer->launch, carveouts);
}

/* Appends "8 to 14", and the sizes of shared memory and of the remaining L1 cache. */
static void append_size(const struct smc_carveout *size, struct smc_text *row)
{
    char range[32];
    if (size->percent_from == size->percent_to)
        snprintf(range, sizeof range, "%d", size->percent_from);
    else
        snprintf(range, sizeof range, "%d to %d", size->percent_from, size->percent_to);
    smc_text_printf(row, "%-11s%7u KB%7u KB", range, size->smem_bytes / KB, size->l1_bytes / KB);
}

static void fill_one_store(struct smc_scene *scene)
{
    const struct smc_sm *sm = &scene->device.sm;
    smc_scene_text(scene, "device", scene->device.name);
    smc_scene_number(scene, "whole", sm->l1_smem_unified_bytes / KB);
    smc_scene_number(scene, "most", sm->smem_per_sm_bytes / KB);
    smc_scene_text(scene, "code",
                   "cudaFuncSetAttribute(kernel,\n"
                   "    cudaFuncAttributePreferredSharedMemoryCarveout,\n"
                   "    percent);\n");
}

static void fill_sizes(struct smc_scene *scene)
{
    struct smc_answer answer;
    struct smc_carveouts carveouts;
    if (!smc_scene_ask(scene, &asked, &answer))
        return;
    find_carveouts(&answer, &carveouts);
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "percent       shared   L1 left\n");
    for (uint32_t i = 0; i < carveouts.count; i++) {
        append_size(&carveouts.size[i], table);
        smc_text_append(table, "\n");
    }
    const struct smc_carveout *size = &carveouts.size[carveouts.count / 2];
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_count(scene, "sizes", carveouts.count, "size");
    smc_scene_percent(scene, "percent", size->percent_from);
    smc_scene_number(scene, "most", answer.query.device.sm.smem_per_sm_bytes / KB);
    smc_text_printf(smc_scene_value(scene, "wish"), "%.1f" SMC_TIE "KB",
                    size->percent_from / 100.0 * answer.query.device.sm.smem_per_sm_bytes / KB);
    smc_text_printf(smc_scene_value(scene, "given"), "%u" SMC_TIE "KB", size->smem_bytes / KB);
}

static void fill_blocks(struct smc_scene *scene)
{
    struct smc_answer answer;
    struct smc_carveouts carveouts;
    if (!smc_scene_ask(scene, &tiled, &answer))
        return;
    find_carveouts(&answer, &carveouts);
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "percent       shared   L1 left  blocks\n");
    for (uint32_t i = 0; i < carveouts.count; i++) {
        append_size(&carveouts.size[i], table);
        smc_text_printf(table, "%8u\n", carveouts.size[i].blocks_per_sm);
    }
    const struct smc_carveout *least = smc_carveouts_smallest(&carveouts, carveouts.most_blocks);
    smc_scene_number(scene, "tile", tiled.tile);
    smc_scene_bytes(scene, "smem", answer.occupancy.smem_allocated_per_block_bytes);
    smc_scene_number(scene, "blocks", carveouts.most_blocks);
    if (!least)
        return;
    smc_scene_percent(scene, "least", least->percent_from);
    smc_scene_number(scene, "l1", least->l1_bytes / KB);
}

static void fill_hint(struct smc_scene *scene)
{
    struct smc_answer answer;
    struct smc_carveouts carveouts;
    if (!smc_scene_ask(scene, &tiled, &answer))
        return;
    find_carveouts(&answer, &carveouts);
    const struct smc_carveout *smallest = &carveouts.size[0];
    smc_scene_number(scene, "smallest", smallest->smem_bytes / KB);
    smc_scene_count(scene, "blocks", smallest->blocks_per_sm, "block");
    smc_scene_bytes(scene, "smem", answer.occupancy.smem_allocated_per_block_bytes);
    struct smc_text *raised = smc_scene_value(scene, "raised");
    if (smallest->configured_bytes > smallest->smem_bytes)
        smc_text_printf(raised, "which is raised to %u" SMC_TIE "KB",
                        smallest->configured_bytes / KB);
    else
        smc_text_append(raised, "which is enough for it");
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "One store, two uses",
        .text = "Shared memory and the L1 cache of an SM are the same store: on {device} "
                "{whole} KB. The part that shared memory does not use caches global memory. "
                "Both make a kernel faster, and you choose the split; shared memory's part is the "
                "carve-out.\n"
                "A kernel says what it prefers, as a percentage of the most that shared memory "
                "can have here, {most} KB:\n"
                "{code}\n"
                "Without this call the driver chooses.",
        .fill = fill_one_store,
        .launch = &tiled,
    },
    {
        .heading = "Only some sizes",
        .text = "An SM of {device} cannot divide the store at any point: it has {sizes} for shared "
                "memory. A percentage is rounded up to the next:\n"
                "{table}\n"
                "{percent} of {most} KB would be {wish}, and it gets {given}.",
        .fill = fill_sizes,
    },
    {
        .heading = "Enough, and no more",
        .text = "matmul-tiled with tile {tile} in double needs {smem} per block, and an SM runs "
                "{blocks} of them at most. A carve-out of {least} is enough for that, and leaves "
                "{l1} KB of L1:\n"
                "{table}",
        .fill = fill_blocks,
        .launch = &tiled,
    },
    {
        .heading = "It is a hint",
        .text = "The percentage is a hint. Where it is too small for a single block, the driver "
                "chooses the first size that is large enough: a block here needs {smem}, and a "
                "carve-out of "
                "0 asks for {smallest} KB, {raised}. Then an SM runs {blocks}.\n"
                "The driver may also choose a larger size than requested, for instance to let "
                "kernels run concurrently without waiting until the store is divided again. So "
                "more blocks may be resident than the table shows: count on the shared memory, "
                "not on the L1 cache.\n"
                "cudaFuncSetCacheConfig is the older way to choose. It accepts four words "
                "instead of a percentage; where both are given the percentage counts.",
        .fill = fill_hint,
        .launch = &tiled,
    },
};

static void lesson_carveout_fill_question(struct smc_scene *scene,
                                          struct smc_lesson_solution *solution)
{
    struct smc_answer answer;
    struct smc_carveouts carveouts;
    if (!smc_scene_ask(scene, &asked, &answer))
        return;
    find_carveouts(&answer, &carveouts);
    const struct smc_sm *sm = &answer.query.device.sm;
    const struct smc_carveout *least = smc_carveouts_smallest(&carveouts, ASKED_BLOCKS);
    uint32_t each = answer.occupancy.smem_allocated_per_block_bytes;
    if (!least)
        return;
    solution->right = least->percent_from;
    solution->trap =
        ((int64_t)ASKED_BLOCKS * each * 100 + sm->smem_per_sm_bytes - 1) / sm->smem_per_sm_bytes;
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_number(scene, "blocks", ASKED_BLOCKS);
    smc_scene_bytes(scene, "asked", (uint64_t)asked.smem_bytes);
    smc_scene_bytes(scene, "each", each);
    smc_scene_bytes(scene, "all", (uint64_t)each * ASKED_BLOCKS);
    smc_scene_number(scene, "size", least->smem_bytes / KB);
    smc_scene_number(scene, "from", least->percent_from);
    smc_scene_number(scene, "to", least->percent_to);
}

static const struct smc_lesson_question question = {
    .text = "A kernel declares {asked} of shared memory, and {blocks} of its blocks should be "
            "resident on an SM of {device}. What is the smallest carve-out for that, in percent?",
    .right = "A block takes {each}, {blocks} of them {all}. The first size with as much is {size} "
             "KB, and every percentage from {from} to {to} is rounded up to it.",
    .wrong = "Work out what {blocks} blocks take, with what the driver keeps of each; find the "
             "first size in the table with as much; then the smallest percentage that asks for "
             "it.",
    .trap = "That percentage is of the size that is needed, and it would do. But a smaller one is "
            "rounded up to the same size: look for it in the table.",
    .fill = lesson_carveout_fill_question,
};

const struct smc_lesson smc_lesson_about_carveout = {
    .name = "carveout",
    .title = "The carve-out: shared memory or L1 cache",
    .summary = "how an SM divides one store: shared memory or L1 cache",
    .device = "NVIDIA H200",
    .least_cc = 70,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
