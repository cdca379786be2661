/* How much of an array the blocks that run at a time can access, as it is a part of each row. */
#include "machine/timing/row_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/banks.h"

/* Lengths that rows may have, in lines: up to 4 KiB, and up to three, five and seven times that. */
enum { LENGTHS = 23, LONGEST = 224, SECTORS = 4, PLACES = LONGEST * SECTORS };
static const unsigned row_lines[LENGTHS] = {2,  4,  8,  16, 32,  3, 6,  12, 24, 48,  96,     5,
                                            10, 20, 40, 80, 160, 7, 14, 28, 56, 112, LONGEST};

/* Where in rows an array is accessed, if these have each of the lengths. */
struct row_places {
    double lines;          /* that are accessed */
    double again;          /* accesses that their warp has executed before */
    double other[LENGTHS]; /* of these, at another place than the first time */
    bool accessed[LENGTHS][PLACES];
};

static void note_row_line(const struct smc_warp_trace_line *line, struct row_places *places)
{
    places->lines++;
    for (int i = 0; i < LENGTHS; i++)
        for (unsigned k = 0; k < SECTORS; k++)
            if (line->sectors >> k & 1)
                places->accessed[i][line->number % row_lines[i] * SECTORS + k] = true;
}

/* The accesses of one warp. `first`: by step, the line that it accesses first, from 1. */
static void note_warp(const struct smc_warp_trace *trace, const struct smc_time_array *array,
                      size_t arrays, uint64_t *first, struct row_places *places)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step >= SMC_WARP_TRACE_SKIP || entry->lines == 0)
            continue;
        const struct smc_warp_trace_line *line = &trace->line[entry->line];
        const size_t in = smc_time_array_with(array, arrays, line->number);
        if (in == arrays)
            continue;
        for (uint32_t k = 0; k < entry->lines; k++)
            note_row_line(&line[k], &places[in]);
        const uint64_t before = first[entry->step];
        places[in].again += before > 0;
        for (int k = 0; k < LENGTHS && before > 0; k++)
            places[in].other[k] += (before - 1) % row_lines[k] != line->number % row_lines[k];
        first[entry->step] = before > 0 ? before : line->number + 1;
    }
}

/* The least share by all lengths of rows for which there are enough accesses, which stay where they
   are in rows. */
static double share_of_rows(const struct row_places *places)
{
    enum { MANY = 8, FEW = 10 /* one of so many */ };
    double least = 1;
    for (int i = 0; i < LENGTHS; i++) {
        const unsigned all = row_lines[i] * SECTORS;
        unsigned accessed = 0;
        for (unsigned k = 0; k < all; k++)
            accessed += places->accessed[i][k];
        if (places->lines >= MANY * row_lines[i] && places->other[i] * FEW <= places->again)
            least = fmin(least, (double)accessed / all);
    }
    return least;
}

bool smc_row_parts_find(const struct smc_traces *traces, uint32_t steps,
                        const struct smc_time_array *array, size_t arrays, double *share)
{
    struct row_places *places = smc_calloc(arrays + 1, sizeof *places);
    uint64_t *first = smc_calloc(steps + 1, sizeof *first);
    const bool has = places && first;
    for (size_t i = 0; i < (size_t)traces->blocks * traces->warps_per_block && has; i++) {
        memset(first, 0, steps * sizeof *first);
        note_warp(traces->pointer[i], array, arrays, first, places);
    }
    for (size_t i = 0; i < arrays && has; i++)
        share[i] = share_of_rows(&places[i]);
    free(first);
    free(places);
    return has;
}
