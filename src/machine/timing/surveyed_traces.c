/* Traces get the executions and sectors of a survey of the grid. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "machine/timing/means.h"
#include "machine/timing/traces.h"

/* Accesses of a step in the traces. */
struct kept_accesses {
    double count, sectors;
    double surveyed; /* sectors in the survey */
    double owed;     /* of a sector, which the next access gets */
};

/* The accesses of which a survey counts the sectors as traces do. */
static bool has_sectors(const struct smc_machine_program *program,
                        const struct smc_warp_trace_entry *entry)
{
    if (entry->step >= SMC_WARP_TRACE_SKIP)
        return false;
    switch (program->step[entry->step].in.operation) {
    case SMC_OP_LDG:
    case SMC_OP_STG:
    case SMC_OP_LDL:
    case SMC_OP_STL:
        return true;
    default:
        return false;
    }
}

static void add_kept(const struct smc_traces *traces, const struct smc_machine_program *program,
                     struct kept_accesses *kept)
{
    for (size_t w = 0; w < (size_t)traces->blocks * traces->warps_per_block; w++)
        for (size_t i = 0; i < traces->trace[w].count; i++) {
            const struct smc_warp_trace_entry *entry = &traces->trace[w].entry[i];
            if (!has_sectors(program, entry))
                continue;
            kept[entry->step].count++;
            kept[entry->step].sectors += entry->sectors;
        }
}

/* Where the survey did not know what its blocks had stored, and the traces do, it gets the sectors
   that the traces have. */
static void add_surveyed(const struct smc_survey *survey, const struct smc_machine_program *program,
                         struct kept_accesses *kept)
{
    const bool lacks = survey->loads_stored && program->follows_stores;
    for (uint32_t i = 0; i < program->count; i++)
        kept[i].surveyed = lacks && kept[i].count > 0
                               ? survey->executions[i] * kept[i].sectors / kept[i].count
                               : survey->sectors[i];
}

/* How many times as many sectors an execution of a step has in the survey as in the traces. */
static double share_of_kept(const struct smc_survey *survey, uint32_t step,
                            const struct kept_accesses *kept)
{
    if (kept->sectors <= 0 || kept->surveyed <= 0)
        return 1;
    return kept->surveyed / survey->executions[step] * kept->count / kept->sectors;
}

/* Whether the accesses of the grid have other sectors than those in the traces. */
static bool sectors_differ(const struct smc_survey *survey, uint32_t steps,
                           const struct kept_accesses *kept)
{
    enum { SMALL = 100 }; /* a hundredth */
    double all = 0, as_kept = 0;
    for (uint32_t i = 0; i < steps; i++) {
        if (kept[i].sectors <= 0)
            continue;
        all += kept[i].surveyed;
        as_kept += kept[i].surveyed / share_of_kept(survey, i, &kept[i]);
    }
    return fabs(all - as_kept) * SMALL > as_kept;
}

/* Leaves an access so many of its sectors, the first ones. */
static void thin_access(struct smc_warp_trace *trace, struct smc_warp_trace_entry *entry,
                        unsigned sectors)
{
    unsigned left = sectors, lines = 0;
    for (; lines < entry->lines && left > 0; lines++) {
        uint8_t *mask = &trace->line[entry->line + lines].sectors;
        while ((unsigned)__builtin_popcount(*mask) > left)
            *mask &= (uint8_t)(*mask - 1);
        left -= (unsigned)__builtin_popcount(*mask);
    }
    entry->lines = (uint8_t)lines;
    entry->wavefronts =
        (uint8_t)((entry->wavefronts * sectors + entry->sectors - 1) / entry->sectors);
    entry->sectors = (uint8_t)sectors;
}

/* Of a loop the traces have the first iterations. Where lanes leave it one after the other, the
   accesses of later ones have fewer sectors: those in the traces get as many as all have on
   average, since stores and misses of whole warps would take longer than they do. */
static void thin_accesses(struct smc_traces *traces, const struct smc_survey *survey,
                          const struct smc_machine_program *program, struct kept_accesses *kept)
{
    static const double clearly_fewer = 0.9;
    for (size_t w = 0; w < (size_t)traces->blocks * traces->warps_per_block; w++)
        for (size_t i = 0; i < traces->trace[w].count; i++) {
            struct smc_warp_trace_entry *entry = &traces->trace[w].entry[i];
            if (!has_sectors(program, entry) || entry->sectors == 0)
                continue;
            struct kept_accesses *of = &kept[entry->step];
            const double share = share_of_kept(survey, entry->step, of);
            if (share >= clearly_fewer)
                continue;
            const double wanted = entry->sectors * share + of->owed;
            const unsigned sectors = (unsigned)fmin(wanted, entry->sectors);
            of->owed = wanted - sectors;
            thin_access(&traces->trace[w], entry, sectors);
        }
}

enum smc_status smc_traces_set_survey(struct smc_traces *traces, const struct smc_survey *survey,
                                      const struct smc_machine_program *program,
                                      struct smc_error *error)
{
    const double times = (double)traces->blocks * traces->warps_per_block / (double)survey->warps;
    struct kept_accesses *kept = smc_calloc(program->count + 1, sizeof *kept);
    if (!kept)
        return smc_out_of_memory(error);
    add_kept(traces, program, kept);
    add_surveyed(survey, program, kept);
    const bool differs =
        smc_survey_differs(survey, traces) || sectors_differ(survey, program->count, kept);
    if (differs)
        traces->sectors = smc_calloc(program->count + 1, sizeof *traces->sectors);
    for (uint32_t i = 0; i < program->count && traces->sectors; i++) {
        traces->executions[i] = survey->executions[i] * times;
        traces->sectors[i] = kept[i].surveyed * times;
    }
    if (traces->sectors)
        thin_accesses(traces, survey, program, kept);
    free(kept);
    return differs && !traces->sectors ? smc_out_of_memory(error) : SMC_OK;
}

bool smc_survey_spreads(const struct smc_survey *survey)
{
    return survey->spread * SMC_ALIKE > survey->length;
}

bool smc_survey_differs(const struct smc_survey *survey, const struct smc_traces *traces)
{
    double warps = (double)traces->blocks * traces->warps_per_block;
    double more = survey->length * warps / traces->length;
    return smc_survey_spreads(survey) || fabs(more - 1) * SMC_ALIKE > 1;
}

bool smc_survey_exceeds(const struct smc_survey *survey, const struct smc_traces *traces,
                        uint32_t steps)
{
    double all = 0, only = 0;
    for (uint32_t i = 0; i < steps; i++) {
        all += survey->sectors[i];
        only += traces->executions[i] > 0 ? 0 : survey->sectors[i];
    }
    return 2 * only > all;
}

void smc_survey_add_long(struct smc_survey *survey, uint64_t block, double length)
{
    struct smc_surveyed_warp *longest = survey->longest, added = {block, length};
    for (size_t i = 0; i < SMC_LONGEST_BLOCKS && added.length > 0; i++) {
        const struct smc_surveyed_warp old = longest[i];
        if (old.length >= added.length && old.place == block)
            return;
        if (old.length >= added.length)
            continue;
        longest[i] = added;
        if (old.place == block)
            return;
        added = old;
    }
}

/* --- Their sizes and their memory ------------------------------------------------------------- */

uint32_t smc_traces_warps(const struct smc_machine_launch *launch)
{
    return (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32;
}

bool smc_traces_together(const struct smc_machine_launch *launch)
{
    return launch->contents && launch->program->by_block;
}

void smc_traces_free(struct smc_traces *traces)
{
    free(traces->trace);
    free(traces->pointer);
    free(traces->block);
    free(traces->executions);
    free(traces->sectors);
    free(traces->entries);
    free(traces->lines);
    free(traces->skips);
    free(traces->patterns);
    *traces = (struct smc_traces){0};
}

void smc_survey_free(struct smc_survey *survey)
{
    if (survey->others)
        smc_warp_memory_free(survey->others);
    free(survey->others);
    smc_returned_free(&survey->returned);
    free(survey->executions);
    free(survey->sectors);
    *survey = (struct smc_survey){0};
}
