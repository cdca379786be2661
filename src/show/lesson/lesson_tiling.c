/* Lesson: tiles in shared memory, and operations for each element loaded (CGMA). */
#include <stdio.h>

#include "show/lesson/scene.h"
#include "show/words/paragraphs.h"

static const struct smc_lesson_launch naive = {.kernel = "matmul-naive", .tile = 16};
static const struct smc_lesson_launch tiled = {.kernel = "matmul-tiled", .tile = 16};
static const struct smc_lesson_launch doubles = {
    .kernel = "matmul-tiled", .tile = 16, .dtype = SMC_DOUBLE};

static const int64_t tiles[] = {8, 16, 32};

/* How often each element of the first array, A, is loaded. */
static double loads_of_each(const struct smc_answer *answer)
{
    return answer->work.access[0].elements / answer->work.access[0].array_elements;
}

/* The GFLOP/s that the memory bandwidth allows if nothing is cached, and the peak; 0: unknown. */
static double memory_gflops(const struct smc_answer *answer)
{
    return answer->workload.flops_per_load_byte * answer->query.device.memory_bytes_per_s / 1e9;
}

static double peak_gflops(const struct smc_answer *answer)
{
    return answer->query.device.fp32_peak_tflops * 1e3;
}

static bool has_roof(const struct smc_device *device)
{
    return device->memory_bytes_per_s > 0 && device->fp32_peak_tflops > 0;
}

static void fill_naive(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &naive, &answer))
        return;
    const struct smc_work *work = &answer.work;
    const struct smc_global_access *a = &work->access[0], *b = &work->access[1];
    double matrices_mb = 4 * (a->array_elements + b->array_elements) / 1e6;
    smc_scene_number(scene, "n", answer.query.params.value[SMC_PARAM_N]);
    smc_scene_number(scene, "each", (int64_t)loads_of_each(&answer));
    smc_text_printf(smc_scene_value(scene, "loaded"), "%.3g" SMC_TIE "GB",
                    work->global_load_bytes / 1e9);
    smc_text_printf(smc_scene_value(scene, "matrices"), "%.3g" SMC_TIE "MB", matrices_mb);
    smc_scene_number(scene, "ratio", (int64_t)(work->global_load_bytes / 1e6 / matrices_mb + 0.5));
}

static void fill_cgma(struct smc_scene *scene)
{
    struct smc_answer answer;
    if (!smc_scene_ask(scene, &naive, &answer))
        return;
    smc_text_printf(smc_scene_value(scene, "cgma"), "%.3g", answer.workload.flops_per_load);
    smc_text_printf(smc_scene_value(scene, "by_byte"), "%.3g", answer.workload.flops_per_load_byte);
    struct smc_text *roof = smc_scene_value(scene, "roof");
    const struct smc_device *device = &answer.query.device;
    if (!has_roof(device)) {
        smc_text_printf(roof,
                        "For %s no bandwidth is known, as it is not a board; with --device and the "
                        "name of one, this page says what it allows.",
                        device->name);
        return;
    }
    smc_text_printf(roof,
                    "The memory of the %s gives at most %.0f" SMC_TIE "GB/s. If every load went "
                    "there, it would allow %.0f" SMC_TIE "x" SMC_TIE "%.3g = %.0f" SMC_TIE
                    "GFLOP/s, and the theoretical peak is %.0f: ",
                    device->name, device->memory_bytes_per_s / 1e9,
                    device->memory_bytes_per_s / 1e9, answer.workload.flops_per_load_byte,
                    memory_gflops(&answer), peak_gflops(&answer));
    smc_layout_percent(roof, 100 * memory_gflops(&answer) / peak_gflops(&answer));
    smc_text_append(roof,
                    " of that. Caches catch a part of the loads, but a kernel need not leave it "
                    "to luck.");
}

static void fill_tiled(struct smc_scene *scene)
{
    struct smc_answer untiled, answer;
    if (!smc_scene_ask(scene, &naive, &untiled) || !smc_scene_ask(scene, &tiled, &answer))
        return;
    char source[128];
    smc_resources_describe(&answer.resources, source);
    smc_scene_number(scene, "tile", tiled.tile);
    smc_scene_number(scene, "threads", answer.launch.threads_per_block);
    smc_scene_number(scene, "before", (int64_t)loads_of_each(&untiled));
    smc_scene_number(scene, "each", (int64_t)loads_of_each(&answer));
    smc_scene_bytes(scene, "smem", answer.plan.static_smem_bytes);
    smc_scene_number(scene, "regs", answer.launch.regs_per_thread);
    smc_scene_text(scene, "source", source);
    smc_scene_count(scene, "blocks", answer.occupancy.blocks_per_sm, "block");
    smc_scene_percent(scene, "occupancy", answer.occupancy_percent);
}

static void lesson_tiling_append_row(struct smc_scene *scene,
                                     const struct smc_lesson_launch *launch, struct smc_text *table)
{
    struct smc_answer answer;
    char tile[16] = "none";
    if (!smc_scene_ask(scene, launch, &answer))
        return;
    if (launch->kernel == tiled.kernel)
        snprintf(tile, sizeof tile, "%d", (int)launch->tile);
    size_t begin = table->length;
    smc_text_printf(table, "%-5s%7.0f%8.0f%9.3g", tile, loads_of_each(&answer),
                    answer.workload.flops_per_load, answer.workload.flops_per_load_byte);
    if (!has_roof(&answer.query.device)) {
        smc_text_append(table, "\n");
        return;
    }
    double share = memory_gflops(&answer) / peak_gflops(&answer);
    smc_figure_bar(scene, share, (unsigned)(table->length - begin), table);
}

static void lesson_tiling_fill_tiles(struct smc_scene *scene)
{
    struct smc_lesson_launch launch = tiled;
    const struct smc_device *device = &scene->device;
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_printf(table, "tile  loaded    CGMA per byte%s\n",
                    has_roof(device) ? " of the peak" : "");
    lesson_tiling_append_row(scene, &naive, table);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        launch.tile = tiles[i];
        lesson_tiling_append_row(scene, &launch, table);
    }
    smc_scene_number(scene, "most", device->sm.max_threads_per_block);
    struct smc_text *roof = smc_scene_value(scene, "roof");
    if (has_roof(device))
        smc_text_printf(
            roof,
            "The bars are the roofline: the share of the theoretical peak that the memory of the "
            "%s allows. Its ridge is at %.3g operations per byte, where memory and "
            "arithmetic take equally long.",
            device->name, device->fp32_peak_tflops * 1e12 / device->memory_bytes_per_s);
    else
        smc_text_append(roof, "A board's bandwidth times the last column is the most that its "
                              "memory allows: its roofline.");
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "The same element, again and again",
        .text =
            "In C = A B each element of C is the inner product of a row of A and a column of "
            "B. matmul-naive assigns each to one thread, which walks along the row and down the "
            "column and loads both from global memory.\n"
            "Neighbouring threads load the same: a whole row of C shares one row of A, a "
            "whole column one column of B. With matrices of {n} x {n} every element of A and "
            "of B is loaded {each} times. The threads ask for {loaded}, and the two matrices "
            "together are {matrices}.\n"
            "Each element is loaded {ratio} times. Could a block not load it once, for all its "
            "threads to use?",
        .fill = fill_naive,
        .launch = &naive,
    },
    {
        .heading = "CGMA: what a load is worth",
        .text = "The compute to global memory access ratio, CGMA, counts the operations for each "
                "element loaded. A step of matmul-naive loads two floats, and does one "
                "multiplication and one addition: its CGMA is {cgma}, or {by_byte} operations per "
                "byte.\n"
                "{roof}",
        .fill = fill_cgma,
        .launch = &naive,
    },
    {
        .heading = "A tile for all threads of a block",
        .text =
            "In matmul-tiled a block makes {tile} x {tile} elements of C with as many "
            "threads. It goes step by step along its rows of A and down its columns of B. In "
            "a step each of the {threads} threads fetches one element of A and one of B into "
            "shared memory; __syncthreads() waits until both tiles are whole; then each "
            "thread uses {tile} elements of both. A second __syncthreads() keeps the next "
            "step from overwriting what another thread still reads.\n"
            "Every element fetched serves {tile} threads: each is loaded {each} times instead "
            "of {before}. The price is {smem} of shared memory per block. With {regs} registers "
            "per thread ({source}) an SM runs {blocks}, occupancy {occupancy}.",
        .fill = fill_tiled,
        .launch = &tiled,
    },
    {
        .heading = "The larger, the better",
        .text = "{table}\n"
                "A tile's edge is its CGMA: an element is loaded N / tile times.\n"
                "{roof}\n"
                "A block has at most {most} threads, so with an element of C for each thread the "
                "tile cannot grow for ever. And shared memory is limited: it is the next wall, in "
                "the lesson 'occupancy'.",
        .fill = lesson_tiling_fill_tiles,
        .launch = &tiled,
    },
};

static void lesson_tiling_fill_question(struct smc_scene *scene,
                                        struct smc_lesson_solution *solution)
{
    struct smc_answer of_floats, answer;
    if (!smc_scene_ask(scene, &tiled, &of_floats) || !smc_scene_ask(scene, &doubles, &answer))
        return;
    solution->right = (int64_t)(answer.workload.flops_per_load_byte + 0.5);
    solution->trap = (int64_t)(of_floats.workload.flops_per_load_byte + 0.5);
    smc_scene_number(scene, "tile", doubles.tile);
    smc_scene_number(scene, "cgma", (int64_t)(answer.workload.flops_per_load + 0.5));
    smc_scene_number(scene, "float_bytes", (int64_t)smc_dtype_bytes(SMC_FLOAT));
    smc_scene_number(scene, "double_bytes", (int64_t)smc_dtype_bytes(SMC_DOUBLE));
    smc_scene_number(scene, "for_floats", solution->trap);
}

static const struct smc_lesson_question question = {
    .text = "matmul-tiled with tile {tile}, but in double instead of float. How many operations "
            "does it do for each byte that it loads from global memory?",
    .right = "An element loaded still serves {tile} threads, so the CGMA is {cgma} as before; but "
             "it has {double_bytes} bytes, and {cgma} / {double_bytes} is half of what floats "
             "give, {for_floats}.",
    .wrong = "Take the operations for each element loaded, the CGMA, which is the tile's edge; "
             "then divide by the bytes of an element.",
    .trap = "That is what floats give, with {float_bytes} bytes an element. A double has "
            "{double_bytes}.",
    .fill = lesson_tiling_fill_question,
};

const struct smc_lesson smc_lesson_about_tiling = {
    .name = "tiling",
    .title = "Tiling: load once, use many times",
    .summary = "what tiles in shared memory save; operations per load (CGMA)",
    .device = "NVIDIA H200",
    .least_cc = 20,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
