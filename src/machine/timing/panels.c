/* How many of the blocks that run at a time access different places of an array. */
#include "machine/timing/panels.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "rules/banks.h"

enum { STEP_BITS = 20 };

/* A line that one step of the program accesses. */
struct panel_line {
    uint64_t number; /* of both, from 1; 0: free */
    uint32_t block;  /* the last one */
};

struct panel_lines {
    struct panel_line *line;
    unsigned bits; /* 2^bits places */
};

/* Notes that a block accesses a line. Whether it is the first access of all blocks, and of this
 * one.
 */
static void note_access(struct panel_lines *lines, uint64_t number, uint32_t block, bool *of_all,
                        bool *of_block)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << lines->bits) - 1);
    uint32_t at = smc_hash_slot(++number, lines->bits);
    while (lines->line[at].number && lines->line[at].number != number)
        at = (at + 1) & mask;
    *of_all = lines->line[at].number == 0;
    *of_block = *of_all || lines->line[at].block != block;
    lines->line[at] = (struct panel_line){number, block};
}

double smc_panels_of(double seen, double blocks)
{
    double least = 1, most = 1e9;
    if (blocks < 2 || seen > blocks - 0.5)
        return INFINITY;
    for (int i = 0; i < 64; i++) {
        const double panels = sqrt(least * most);
        if (panels * -expm1(blocks * log1p(-1 / panels)) < seen)
            least = panels;
        else
            most = panels;
    }
    return most;
}

/* Of one load or store in the program. */
struct panel_step {
    size_t array;
    double of_all, of_blocks; /* different lines of all blocks together, and of each, added up */
};

/* The lines of an array that are accessed. */
struct panel_places {
    uint64_t first, last; /* 0: none is */
};

/* In bytes, as if more blocks than those drawn evenly went on behind the last one. */
static double span_of(const struct panel_places *place, double blocks)
{
    return place->last == 0 || blocks < 2
               ? 0
               : (double)(place->last - place->first + 1) * SMC_LINE_BYTES * blocks / (blocks - 1);
}

/* The accesses of one warp. */
static void note_trace(const struct smc_warp_trace *trace, uint32_t block,
                       const struct smc_time_array *array, size_t arrays, struct panel_lines *lines,
                       struct panel_step *step, struct panel_places *place)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step >= SMC_WARP_TRACE_SKIP)
            continue;
        for (uint32_t k = 0; k < entry->lines; k++) {
            const uint64_t number = trace->line[entry->line + k].number;
            const size_t in = smc_time_array_with(array, arrays, number);
            bool of_all, of_block;
            if (in == arrays)
                continue;
            note_access(lines, number << STEP_BITS | entry->step, block, &of_all, &of_block);
            place[in].first =
                place[in].last > 0 && place[in].first < number ? place[in].first : number;
            place[in].last = place[in].last > number ? place[in].last : number;
            step[entry->step].array = in;
            step[entry->step].of_all += of_all;
            step[entry->step].of_blocks += of_block;
        }
    }
}

bool smc_panels_find(const struct smc_traces *traces, uint32_t steps, double most,
                     const struct smc_time_array *array, size_t arrays, struct smc_panels *panels)
{
    const size_t warps = (size_t)traces->blocks * traces->warps_per_block;
    struct panel_lines lines = {.bits = 4};
    size_t all = 1;
    for (size_t i = 0; i < warps; i++)
        all += traces->pointer[i]->line_count;
    while (UINT64_C(1) << lines.bits < 2 * all)
        lines.bits++;
    lines.line = smc_calloc((size_t)1 << lines.bits, sizeof *lines.line);
    struct panel_step *step = smc_calloc(steps + 1, sizeof *step);
    double *of_array = smc_calloc(arrays + 1, sizeof *of_array);
    struct panel_places *place = smc_calloc(arrays + 1, sizeof *place);
    const bool has = lines.line && step && of_array && place;
    for (size_t i = 0; i < warps && has; i++)
        note_trace(traces->pointer[i], (uint32_t)(i / traces->warps_per_block), array, arrays,
                   &lines, step, place);
    for (size_t i = 0; i < arrays && has; i++)
        panels[i] = (struct smc_panels){.span = span_of(&place[i], traces->blocks)};
    for (uint32_t i = 0; i < steps && has; i++) {
        if (step[i].of_blocks <= 0)
            continue;
        const double seen = step[i].of_all / step[i].of_blocks * traces->blocks;
        panels[step[i].array].different +=
            step[i].of_blocks * fmin(smc_panels_of(seen, traces->blocks), most);
        of_array[step[i].array] += step[i].of_blocks;
    }
    for (size_t i = 0; i < arrays && has; i++)
        panels[i].different /= fmax(of_array[i], 1);
    free(place);
    free(of_array);
    free(step);
    free(lines.line);
    return has;
}
