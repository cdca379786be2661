/* Lesson: the banks of shared memory, the causes of conflicts, padding and the XOR swizzle. */
#include <stdio.h>
#include <stdlib.h>

#include "show/lesson/scene.h"

/* float tile[32][32]: a warp (ty) along a row, or down a column. */
static const char along_row[] = "(ty*32 + tx)*4";
static const char down_column[] = "(tx*32 + ty)*4";
static const char padded_column[] = "(tx*33 + ty)*4";
static const char padded_row[] = "(ty*33 + tx)*4";
static const char swizzled_column[] = "(tx*32 + (ty ^ tx))*4";
static const char swizzled_row[] = "(ty*32 + (tx ^ ty))*4";
static const char padded_by_four[] = "(tx*36 + ty)*4";

enum { EDGE = 32, LANES_SHOWN = 6 };

static uint32_t wavefronts(struct smc_scene *scene, const char *expression)
{
    struct smc_banks_answer *answer = smc_scene_ask_banks(scene, expression);
    uint32_t count = answer ? answer->pattern[0].map.cost.wavefronts : 0;
    free(answer);
    return count;
}

static void set_wavefronts(struct smc_scene *scene, const char *name, const char *expression)
{
    smc_scene_count(scene, name, wavefronts(scene, expression), "wavefront");
}

static void fill_layout(struct smc_scene *scene)
{
    const struct smc_sm *sm = &scene->device.sm;
    smc_scene_number(scene, "banks", sm->smem_banks);
    smc_scene_number(scene, "width", sm->bank_width_bytes);
    smc_scene_number(scene, "last", sm->smem_banks - 1);
    smc_scene_number(scene, "lanes", sm->warp_size);
    set_wavefronts(scene, "row_cost", along_row);
    set_wavefronts(scene, "same_cost", "0");
    struct smc_banks_answer *answer = smc_scene_ask_banks(scene, along_row);
    if (answer)
        smc_figure_banks(scene, "picture", answer, LANES_SHOWN);
    free(answer);
}

static void fill_strides(struct smc_scene *scene)
{
    static const int strides[] = {1, 2, 3, 4, 8, 16, 31, 32, 33};
    struct smc_text *table = smc_scene_value(scene, "table");
    smc_text_append(table, "stride  wavefronts\n");
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        char expression[32];
        snprintf(expression, sizeof expression, "lane*%d*4", strides[i]);
        uint32_t count = wavefronts(scene, expression);
        size_t begin = table->length;
        smc_text_printf(table, "%6d%12u", strides[i], count);
        smc_figure_bar(scene, (double)count / EDGE, (unsigned)(table->length - begin), table);
    }
    smc_scene_number(scene, "banks", scene->device.sm.smem_banks);
}

/* A picture of the access, and its cost. */
static void fill_access(struct smc_scene *scene, const char *expression)
{
    struct smc_banks_answer *answer = smc_scene_ask_banks(scene, expression);
    if (!answer)
        return;
    const struct smc_banks_pattern *pattern = &answer->pattern[0];
    smc_scene_number(scene, "edge", EDGE);
    smc_scene_text(scene, "expression", expression);
    smc_scene_count(scene, "cost", pattern->map.cost.wavefronts, "wavefront");
    smc_scene_number(scene, "least", pattern->map.cost.least);
    smc_figure_banks(scene, "picture", answer, LANES_SHOWN);
    free(answer);
}

static void fill_column(struct smc_scene *scene)
{
    fill_access(scene, down_column);
    set_wavefronts(scene, "row_cost", along_row);
}

static void fill_padding(struct smc_scene *scene)
{
    fill_access(scene, padded_column);
    set_wavefronts(scene, "row_cost", padded_row);
    struct smc_banks_answer *unpadded = smc_scene_ask_banks(scene, down_column);
    if (!unpadded)
        return;
    const struct smc_rearrangement *found = &unpadded->pattern[0].padding.rearrangement;
    uint32_t row = found->row_elements + found->padding_elements;
    smc_scene_count(scene, "padding", found->padding_elements, "element");
    smc_scene_number(scene, "row", row);
    smc_scene_bytes(scene, "before", (uint64_t)EDGE * found->row_elements * found->element_bytes);
    smc_scene_bytes(scene, "after", (uint64_t)EDGE * row * found->element_bytes);
    free(unpadded);
}

static void fill_swizzle(struct smc_scene *scene)
{
    fill_access(scene, swizzled_column);
    set_wavefronts(scene, "row_cost", swizzled_row);
    smc_scene_bytes(scene, "bytes", (size_t)EDGE * EDGE * smc_dtype_bytes(SMC_FLOAT));
}

static const struct smc_lesson_page pages[] = {
    {
        .heading = "One word per bank at a time",
        .text =
            "Shared memory has {banks} banks, numbered 0 to {last}. Neighbouring words of {width} "
            "bytes are in neighbouring banks, and after the last bank comes the first. An SM reads "
            "all banks at once, one word each: that is a wavefront. The "
            "{lanes} lanes of a warp that read a row of floats need {row_cost}:\n"
            "{picture}\n"
            "Lanes that read the same word share it: if all do, {same_cost} is enough. But two "
            "different words of one bank are two wavefronts: a bank conflict. The "
            "warp waits for the bank with the most different words.",
        .fill = fill_layout,
        .expression = along_row,
    },
    {
        .heading = "Strides",
        .text = "Lane n reads the float with index n x stride:\n"
                "{table}\n"
                "The factors that the stride shares with {banks} decide: an odd stride visits "
                "every bank before it returns to the first; an even one skips banks. Powers of "
                "two, which array sizes often are, are the worst.",
        .fill = fill_strides,
    },
    {
        .heading = "The column of a tile",
        .text =
            "A transpose, or a product with a transposed matrix, goes along the rows of a "
            "tile once and down its columns once. Take float tile[{edge}][{edge}]. A row "
            "costs {row_cost}. Down a column, at the byte address {expression} where tx is "
            "the lane, every lane accesses the same bank:\n"
            "{picture}\n"
            "and so on down to the last lane. It takes {cost}, where {least} would do if the words "
            "were in different banks. The warp waits all that time, and every other warp that "
            "needs shared memory waits too.",
        .fill = fill_column,
        .expression = down_column,
    },
    {
        .heading = "Padding",
        .text = "One unused column, float tile[{edge}][{row}], shifts each row by a "
                "bank. At {expression} the same column looks like this:\n"
                "{picture}\n"
                "Now it takes {cost}, and a row {row_cost}. A padding of {padding} is "
                "the least that does it. The tile grows from {before} to {after}; where shared "
                "memory limits the blocks of an SM, check whether that costs one of them.",
        .fill = fill_padding,
        .expression = padded_column,
    },
    {
        .heading = "The XOR swizzle",
        .text = "No extra byte is needed if the columns change places: column c of row r is kept "
                "at place c ^ r of the row (^ is exclusive or). In each row every place is still "
                "taken once. A column, at {expression}:\n"
                "{picture}\n"
                "{cost} for a column, {row_cost} for a row, and {bytes} as before. Stores and "
                "loads of the tile must use the same rule; the price is one "
                "exclusive or in each address.",
        .fill = fill_swizzle,
        .expression = swizzled_column,
    },
};

static void lesson_banks_fill_question(struct smc_scene *scene,
                                       struct smc_lesson_solution *solution)
{
    solution->right = wavefronts(scene, padded_by_four);
    solution->trap = wavefronts(scene, padded_column);
    smc_scene_number(scene, "edge", EDGE);
    smc_scene_number(scene, "banks", scene->device.sm.smem_banks);
    smc_scene_number(scene, "used", solution->right ? EDGE / solution->right : 0);
    smc_scene_number(scene, "cost", solution->right);
}

static const struct smc_lesson_question question = {
    .text = "Pad more generously, so that rows begin at multiples of 16 bytes: float "
            "tile[{edge}][36]. How many wavefronts does a warp need for a column?",
    .right =
        "Rows are now 4 banks apart, so a column uses only {used} of the {banks} banks, and "
        "{edge} words from {used} banks take {cost} wavefronts. Odd row lengths use all banks.",
    .wrong = "Lane n accesses word 36 n, which is in bank 36 n modulo {banks}. Write down the "
             "first dozen banks, and see how soon they repeat.",
    .trap = "That would be so if rows were shifted by one bank, or by three. Write down the banks "
            "of the first dozen lanes, 36 n modulo {banks}, and see how soon they repeat.",
    .fill = lesson_banks_fill_question,
};

const struct smc_lesson smc_lesson_about_banks = {
    .name = "banks",
    .title = "Banks: conflicts, padding and swizzles",
    .summary = "why a column can take far longer than a row, and two ways out",
    .device = "NVIDIA H200",
    .least_cc = 50,
    .page_count = sizeof pages / sizeof *pages,
    .page = pages,
    .question = &question,
};
