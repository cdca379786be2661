/* Lesson: the textbooks' analysis of the GeForce 8800 GTX, and the cliff at its eleventh register.
 */
#include "show/lesson/scene.h"

static const char device[] = "GeForce 8800 GTX";
static const char device_today[] = "NVIDIA H200";

static const struct smc_lesson_launch ten_registers = {
    .device = device, .kernel = "matmul-tiled", .tile = 16, .regs = 10};
static const struct smc_lesson_launch eleven_registers = {
    .device = device, .kernel = "matmul-tiled", .tile = 16, .regs = 11};
static const struct smc_lesson_launch large_tile = {
    .device = device, .kernel = "matmul-tiled", .tile = 32, .regs = 10};
static const struct smc_lesson_launch small_tile = {
    .device = device, .kernel = "matmul-tiled", .tile = 8, .regs = 10};
static const struct smc_lesson_launch today = {
    .device = device_today, .kernel = "matmul-tiled", .tile = 16, .regs = 10};

static void fill_sm(struct smc_scene *scene)
{
    const struct smc_sm *sm = &scene->device.sm;
    smc_scene_text(scene, "device", scene->device.name);
    smc_scene_number(scene, "sms", scene->device.sm_count);
    smc_scene_number(scene, "warps", sm->max_warps_per_sm);
    smc_scene_number(scene, "lanes", sm->warp_size);
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_printf(table, "warps         %8u   (%u threads)\n", sm->max_warps_per_sm,
                    sm->max_threads_per_sm);
    smc_text_printf(table, "registers     %8u\n", sm->regs_per_sm);
    smc_text_printf(table, "shared memory %8u B\n", sm->smem_per_sm_bytes);
    smc_text_printf(table, "block slots   %8u\n", sm->max_blocks_per_sm);
}

/* The values that pages about one launch of the tiled product use. */
static bool lesson_8800_gtx_fill_launch(struct smc_scene *scene,
                                        const struct smc_lesson_launch *launch,
                                        struct smc_answer *answer)
{
    if (!smc_scene_ask(scene, launch, answer))
        return false;
    const struct smc_occupancy *occupancy = &answer->occupancy;
    uint32_t blocks = occupancy->blocks_per_sm, threads = answer->launch.threads_per_block;
    smc_scene_number(scene, "tile", launch->tile);
    smc_scene_number(scene, "regs", launch->regs);
    smc_scene_number(scene, "threads", threads);
    smc_scene_number(scene, "warps", occupancy->warps_per_block);
    smc_scene_bytes(scene, "smem", answer->launch.static_smem_bytes);
    smc_scene_number(scene, "block_regs", occupancy->regs_allocated_per_block);
    smc_scene_number(scene, "sm_regs", answer->query.device.sm.regs_per_sm);
    smc_scene_count(scene, "blocks", blocks, "block");
    smc_scene_count(scene, "next", blocks + 1, "block");
    smc_scene_number(scene, "resident", (int64_t)blocks * threads);
    smc_scene_percent(scene, "occupancy", answer->occupancy_percent);
    smc_scene_number(scene, "used_regs", (int64_t)blocks * occupancy->regs_allocated_per_block);
    smc_scene_number(scene, "next_regs",
                     (int64_t)(blocks + 1) * occupancy->regs_allocated_per_block);
    return true;
}

static void fill_ten(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (lesson_8800_gtx_fill_launch(scene, &ten_registers, &answer))
        smc_figure_limits(scene, "limits", &answer);
}

static void fill_eleven(struct smc_scene *scene)
{
    struct smc_answer before, answer;
    if (!smc_scene_ask(scene, &ten_registers, &before) ||
        !lesson_8800_gtx_fill_launch(scene, &eleven_registers, &answer))
        return;
    uint32_t lost = before.occupancy.warps_per_sm - answer.occupancy.warps_per_sm;
    smc_scene_percent(scene, "lost", 100.0 * lost / before.occupancy.warps_per_sm);
    smc_figure_registers(scene, "steps", &answer);
}

static void lesson_8800_gtx_append_tile(struct smc_scene *scene, int64_t tile,
                                        struct smc_text *table)
{
    struct smc_lesson_launch launch = ten_registers;
    struct smc_answer answer;
    launch.tile = tile;
    if (!smc_scene_ask(scene, &launch, &answer))
        return;
    size_t begin = table->length;
    smc_text_printf(table, "%4d%9u%8u%8.1f %%", (int)tile, answer.launch.threads_per_block,
                    answer.occupancy.blocks_per_sm, answer.occupancy_percent);
    smc_figure_bar(scene, answer.occupancy_percent / 100, (unsigned)(table->length - begin), table);
}

static void lesson_8800_gtx_fill_tiles(struct smc_scene *scene)
{
    static const int64_t tiles[] = {12, 14, 16, 18, 20, 22, 32};
    struct smc_answer answer;
    if (!lesson_8800_gtx_fill_launch(scene, &large_tile, &answer))
        return;
    smc_scene_number(scene, "most", scene->device.sm.max_threads_per_block);
    smc_scene_number(scene, "lanes", scene->device.sm.warp_size);
    struct smc_text *table = smc_scene_value(scene, "tiles");
    smc_text_append(table, "tile  threads  blocks occupancy\n");
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        lesson_8800_gtx_append_tile(scene, tiles[i], table);
}

static void fill_today(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &today, &answer))
        return;
    smc_scene_text(scene, "device", answer.query.device.name);
    smc_scene_number(scene, "sm_regs", answer.query.device.sm.regs_per_sm);
    smc_scene_number(scene, "unit", answer.query.device.sm.reg_alloc_unit);
    smc_scene_number(scene, "lanes", answer.query.device.sm.warp_size);
    smc_scene_number(scene, "step",
                     answer.query.device.sm.reg_alloc_unit / answer.query.device.sm.warp_size);
    smc_figure_registers(scene, "steps", &answer);
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "What one SM has",
        .text = "The {device} was the first GPU for CUDA, and each of its {sms} streaming "
                "multiprocessors (SMs) is small enough to be counted by hand:\n"
                "{table}\n"
                "An SM accepts a block as a whole or not at all, and reserves what the block needs "
                "until its last thread has ended. So each of the four resources "
                "allows a number of blocks, and the smallest of the four numbers decides.\n"
                "While one warp, a group of {lanes} threads, waits for memory, another one "
                "computes. Occupancy is the share of the {warps} warp slots that is filled.",
        .fill = fill_sm,
    },
    {
        .heading = "Tile 16, 10 registers: everything fits",
        .text = "matmul-tiled multiplies matrices by square tiles. With tile {tile} a block has "
                "{tile} x {tile} = {threads} threads, which are {warps} warps. It keeps a tile of "
                "A and one of B in shared memory, floats of 4 bytes: {smem} together. Say that "
                "the compiler needs {regs} registers for each thread.\n"
                "{limits}\n"
                "The marked rows bind: {blocks}, {resident} threads, occupancy {occupancy}. It "
                "is a close fit. The registers of these blocks are {used_regs} of the SM's "
                "{sm_regs}, and what is left over cannot be used: a block is resident as a "
                "whole or not at all.",
        .fill = fill_ten,
        .launch = &ten_registers,
    },
    {
        .heading = "One register more: the cliff",
        .text = "Add one variable, and each thread needs {regs} registers. A block takes "
                "{threads} x {regs} = {block_regs}, and {next} would take {next_regs}. The SM has "
                "{sm_regs}. So it runs {blocks}: {resident} threads, occupancy {occupancy}.\n"
                "One register in each thread has cost {lost} of the resident threads. Here is "
                "every number of registers that a thread can have:\n"
                "{steps}\n"
                "Between the steps registers are free; at a step one more register costs a block.",
        .fill = fill_eleven,
        .launch = &eleven_registers,
    },
    {
        .heading = "Tile 32: not at all",
        .text =
            "A larger tile loads less from global memory, so why not {tile}? A block would have "
            "{tile} x {tile} = {threads} threads, and this GPU refuses more than {most}. "
            "Other tiles, still with {regs} registers per thread:\n"
            "{tiles}\n"
            "Nothing here rises or falls smoothly. Warps are whole: a tile whose square is not a "
            "multiple of {lanes} leaves lanes empty. Blocks are whole: one that is a little "
            "larger may let one block fewer fit.",
        .fill = lesson_8800_gtx_fill_tiles,
        .launch = &large_tile,
    },
    {
        .heading = "The cliffs of today",
        .text = "An SM of the {device} has {sm_regs} registers, so one more does not matter there. "
                "But the cliffs have only moved. The same block:\n"
                "{steps}\n"
                "A warp gets its registers in units of {unit}, which is {step} for each of "
                "{lanes} threads: occupancy can drop only at multiples of {step}. "
                "__launch_bounds__(threads, blocks) makes the compiler stay below a step.",
        .fill = fill_today,
        .launch = &today,
    },
};

static void lesson_8800_gtx_fill_question(struct smc_scene *scene,
                                          struct smc_lesson_solution *solution)
{
    struct smc_answer answer;
    if (!lesson_8800_gtx_fill_launch(scene, &small_tile, &answer))
        return;
    const uint32_t *limit = answer.occupancy.limit;
    solution->right = answer.occupancy.blocks_per_sm;
    solution->trap = limit[SMC_LIMIT_WARPS];
    smc_scene_number(scene, "by_warps", limit[SMC_LIMIT_WARPS]);
    smc_scene_number(scene, "by_regs", limit[SMC_LIMIT_REGISTERS]);
    smc_scene_number(scene, "by_smem", limit[SMC_LIMIT_SHARED_MEMORY]);
    smc_scene_number(scene, "slots", limit[SMC_LIMIT_BLOCKS]);
}

static const struct smc_lesson_question question = {
    .text =
        "Suppose that the same GPU runs tile {tile}, still with {regs} registers per thread. How "
        "many of these blocks does an SM run at a time?",
    .right = "The warps would allow {by_warps} blocks, the registers {by_regs} and the shared "
             "memory {by_smem}, but an SM has only {slots} slots for blocks. So {resident} threads "
             "reside, occupancy {occupancy}: blocks can be too small as well.",
    .wrong = "A block has {tile} x {tile} threads. Divide what an SM has by what a block takes, "
             "for each of the four resources of the first page; the smallest number decides.",
    .trap = "That many fit by their warps alone. Look at the other resources of the first page: a "
            "block takes one of the last, however small it is.",
    .fill = lesson_8800_gtx_fill_question,
};

const struct smc_lesson smc_lesson_about_8800_gtx = {
    .name = "8800-gtx",
    .title = "The first CUDA GPU: the cliff of one register",
    .summary = "blocks, limits and occupancy of the first CUDA GPU, by hand",
    .device = device,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
