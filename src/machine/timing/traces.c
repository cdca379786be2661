/* Traces of blocks. */
#include "machine/timing/traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

enum {
    LINES_FOR_EACH_ENTRY = 16,
    SKIPS = 64,
    KNOWN = 64,
    MOST_STEPS = 4000000,   /* of one warp */
    STEPS_APART = 300000,   /* until warps that begin alike are taken to continue alike */
    SURVEY_STEPS = 1000000, /* of all warps of a survey */
    SURVEY_WARPS = 20000,
    SURVEY_LEAST_WARPS = 16
};

/* Warps that took the same branches until instructions are left out are taken to continue alike:
   the rest of the trace is copied from the first of them, with its lines moved by the distance of
   their first lines. */
struct known_trace {
    const struct smc_warp_trace *trace[KNOWN];
    uint32_t count;
};

static bool take_over(void *context, struct smc_warp_trace *trace, uint64_t signature)
{
    const struct known_trace *known = context;
    const struct smc_warp_trace *from = NULL;
    for (uint32_t i = 0; i < known->count && !from; i++)
        if (known->trace[i]->first_skip_signature == signature &&
            known->trace[i]->first_skip_count == trace->count)
            from = known->trace[i];
    if (!from || from->skip_count == 0)
        return false;
    size_t entries = from->count - from->first_skip_count;
    if (entries > trace->capacity - trace->count)
        return false;
    uint64_t moved = 0;
    if (trace->line_count && from->line_count && trace->line[0].number < SMC_WARP_TRACE_LOCAL &&
        from->line[0].number < SMC_WARP_TRACE_LOCAL)
        moved = trace->line[0].number - from->line[0].number;
    memcpy(trace->skip, from->skip, from->skip_count * sizeof *trace->skip);
    trace->skip_count = from->skip_count;
    for (size_t i = from->first_skip_count; i < from->count; i++) {
        struct smc_warp_trace_entry entry = from->entry[i];
        if (trace->line_capacity - trace->line_count < entry.lines)
            entry.lines = 0;
        if (entry.lines) {
            uint32_t at = (uint32_t)trace->line_count;
            for (uint32_t k = 0; k < entry.lines; k++) {
                trace->line[at + k] = from->line[entry.line + k];
                if (trace->line[at + k].number < SMC_WARP_TRACE_LOCAL)
                    trace->line[at + k].number += moved;
            }
            trace->line_count += entry.lines;
            entry.line = at;
        }
        trace->entry[trace->count++] = entry;
    }
    trace->length += from->length - from->first_skip_length;
    return true;
}

/* --- One warp --------------------------------------------------------------------------------- */

struct tracer {
    const struct smc_machine_launch *launch;
    struct smc_walk walk;
    struct smc_sass_warp *warp;
    struct smc_warp_memory *memory; /* NULL: what is loaded is unknown */
    size_t change_bytes;
};

static void stop_tracer(struct tracer *tracer)
{
    free(tracer->walk.change);
    free(tracer->warp);
    free(tracer->memory);
}

static bool start_tracer(struct tracer *tracer, const struct smc_machine_launch *launch)
{
    tracer->launch = launch;
    tracer->change_bytes = (launch->program->count + 1) * sizeof *tracer->walk.change;
    tracer->warp = smc_malloc(sizeof *tracer->warp);
    tracer->walk = (struct smc_walk){.program = launch->program,
                                     .layout = launch->layout,
                                     .most_steps = MOST_STEPS,
                                     .change = smc_malloc(tracer->change_bytes)};
    tracer->memory = launch->contents ? smc_calloc(1, sizeof *tracer->memory) : NULL;
    if (tracer->memory) {
        tracer->memory->contents = launch->contents;
        tracer->memory->values = launch->program->follows_stores;
    }
    tracer->walk.memory = tracer->memory;
    if (tracer->warp && tracer->walk.change && (tracer->memory || !launch->contents))
        return true;
    stop_tracer(tracer);
    return false;
}

static void trace_warp(struct tracer *tracer, uint64_t block, uint32_t warp,
                       struct smc_warp_trace *trace)
{
    const uint32_t *grid = tracer->launch->grid;
    uint32_t index[3] = {(uint32_t)(block % grid[0]), (uint32_t)(block / grid[0] % grid[1]),
                         (uint32_t)(block / grid[0] / grid[1])};
    struct smc_machine_place place;
    smc_launch_place(tracer->launch, index, warp, &place);
    memset(tracer->walk.change, 0, tracer->change_bytes);
    tracer->walk.trace = trace;
    smc_walk_warp(&tracer->walk, &place, tracer->warp);
}

static bool does_not_end(const struct tracer *tracer)
{
    return tracer->walk.end == SMC_WALK_TOO_LONG || tracer->walk.end == SMC_WALK_STUCK;
}

static enum smc_status fail_to_follow(struct smc_error *error)
{
    return smc_fail(error, SMC_USAGE, "where its loops end cannot be followed");
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void add_executions(const struct tracer *tracer, double *executions)
{
    uint64_t running = 0;
    for (uint32_t i = 0; i < tracer->launch->program->count; i++) {
        running += tracer->walk.change[i];
        executions[i] += (double)running;
    }
}

/* Number i of a sequence that reaches each of [0, count) once and fills it evenly from the start:
   steps of the golden ratio. */
static uint64_t evenly(uint64_t i, uint64_t count)
{
    uint64_t step = (uint64_t)((double)count * 0.6180339887498949) | 1;
    while (smc_common_divisor(step, count) != 1)
        step++;
    return (uint64_t)((unsigned __int128)i * step % count);
}

static uint64_t traced_block(const struct tracer *tracer, const struct smc_traced *traced,
                             uint32_t number)
{
    const uint32_t *grid = tracer->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (number == 0 || !traced->scattered)
        return traced->first + number * traced->stride;
    return evenly(number, blocks);
}

static bool trace_blocks(struct tracer *tracer, const struct smc_traced *traced,
                         struct smc_traces *traces)
{
    const size_t capacity = traced->entries;
    struct known_trace known = {.count = 0};
    uint32_t warps = traces->warps_per_block;
    double walked = 0;
    struct smc_warp_trace_entry *entry = traces->entries; /* free from here on */
    struct smc_warp_trace_line *line = traces->lines;
    struct smc_warp_trace_skip *skip = traces->skips;
    for (uint32_t b = 0; b < traces->blocks; b++) {
        traces->block[b].trace = &traces->pointer[(size_t)b * warps];
        for (uint32_t w = 0; w < warps; w++) {
            size_t i = (size_t)b * warps + w;
            struct smc_warp_trace *trace = &traces->trace[i];
            traces->pointer[i] = trace;
            *trace = (struct smc_warp_trace){.entry = entry,
                                             .capacity = capacity,
                                             .line = line,
                                             .line_capacity = capacity * LINES_FOR_EACH_ENTRY,
                                             .skip = skip,
                                             .skip_capacity = SKIPS,
                                             .patterns = traces->patterns,
                                             .loop_entries = traced->loop_entries,
                                             .take_over = take_over,
                                             .context = &known};
            if (traced->each_apart && tracer->walk.steps < STEPS_APART)
                trace->take_over = NULL;
            trace_warp(tracer, traced_block(tracer, traced, b), w, trace);
            if (does_not_end(tracer))
                return false;
            traces->length += (double)trace->length;
            entry += trace->count;
            line += trace->line_count;
            skip += trace->skip_count;
            if (trace->ends)
                continue;
            walked += (double)trace->length;
            add_executions(tracer, traces->executions);
            if (trace->skipped && known.count < KNOWN)
                known.trace[known.count++] = trace;
        }
    }
    for (uint32_t i = 0; i < tracer->launch->program->count && walked > 0; i++)
        traces->executions[i] *= traces->length / walked;
    traces->end = tracer->walk.end;
    return true;
}

uint32_t smc_traces_warps(const struct smc_machine_launch *launch)
{
    return (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32;
}

enum smc_status smc_traces_make(const struct smc_machine_launch *launch,
                                const struct smc_traced *traced, struct smc_traces *traces,
                                struct smc_error *error)
{
    struct tracer tracer;
    const uint32_t blocks = traced->blocks;
    const size_t entries = traced->entries;
    *traces = (struct smc_traces){.blocks = blocks, .warps_per_block = smc_traces_warps(launch)};
    size_t all = (size_t)traces->warps_per_block * blocks;
    traces->trace = smc_calloc(all, sizeof *traces->trace);
    traces->pointer = smc_calloc(all, sizeof *traces->pointer);
    traces->block = smc_calloc(blocks, sizeof *traces->block);
    traces->executions = smc_calloc(launch->program->count + 1, sizeof *traces->executions);
    traces->entries = smc_malloc(all * entries * sizeof *traces->entries);
    traces->lines = smc_malloc(all * entries * LINES_FOR_EACH_ENTRY * sizeof *traces->lines);
    traces->skips = smc_malloc(all * SKIPS * sizeof *traces->skips);
    traces->patterns = smc_calloc(1, sizeof *traces->patterns);
    if (!traces->trace || !traces->pointer || !traces->block || !traces->executions ||
        !traces->entries || !traces->lines || !traces->skips || !traces->patterns ||
        !start_tracer(&tracer, launch)) {
        smc_traces_free(traces);
        return smc_out_of_memory(error);
    }
    bool end = trace_blocks(&tracer, traced, traces);
    stop_tracer(&tracer);
    if (end)
        return SMC_OK;
    smc_traces_free(traces);
    return fail_to_follow(error);
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

enum smc_status smc_traces_measure(const struct smc_machine_launch *launch, uint64_t block,
                                   uint64_t loop_entries, size_t most, size_t *entries, bool *cut,
                                   struct smc_error *error)
{
    struct tracer tracer;
    struct smc_warp_trace_skip skips[SKIPS];
    struct smc_warp_trace trace = {
        .capacity = most, .skip = skips, .skip_capacity = SKIPS, .loop_entries = loop_entries};
    trace.entry = smc_malloc(most * sizeof *trace.entry);
    if (!trace.entry || !start_tracer(&tracer, launch)) {
        free(trace.entry);
        return smc_out_of_memory(error);
    }
    trace_warp(&tracer, block, 0, &trace);
    *entries = trace.count;
    *cut = trace.skipped || trace.count == most;
    bool ends = !does_not_end(&tracer);
    stop_tracer(&tracer);
    free(trace.entry);
    return ends ? SMC_OK : fail_to_follow(error);
}

/* --- The whole grid --------------------------------------------------------------------------- */

enum smc_status smc_traces_set_survey(struct smc_traces *traces, const struct smc_survey *survey,
                                      uint32_t steps, struct smc_error *error)
{
    double times = (double)traces->blocks * traces->warps_per_block / (double)survey->warps;
    traces->sectors = smc_calloc(steps + 1, sizeof *traces->sectors);
    if (!traces->sectors)
        return smc_out_of_memory(error);
    for (uint32_t i = 0; i < steps; i++) {
        traces->executions[i] = survey->executions[i] * times;
        traces->sectors[i] = survey->sectors[i] * times;
    }
    return SMC_OK;
}

void smc_survey_free(struct smc_survey *survey)
{
    free(survey->executions);
    free(survey->sectors);
    *survey = (struct smc_survey){0};
}

/* The instructions of the last warp. */
static double survey_add(const struct tracer *tracer, struct smc_survey *survey)
{
    uint64_t running = 0;
    double length = 0;
    for (uint32_t i = 0; i < tracer->launch->program->count; i++) {
        running += tracer->walk.change[i];
        survey->executions[i] += (double)running;
        length += (double)running;
    }
    return length;
}

/* The mean of numbers, and the sum of the squares of how far they are from it (Welford). */
struct mean_of {
    double count, mean, squares;
};

static void mean_add(struct mean_of *of, double number)
{
    double before = number - of->mean;
    of->count++;
    of->mean += before / of->count;
    of->squares += before * (number - of->mean);
}

static double spread_of(const struct mean_of *of)
{
    return sqrt(of->squares / of->count);
}

/* Whether the mean is known to a hundredth, by two standard errors. */
static bool mean_suffices(const struct mean_of *of)
{
    enum { LEAST = 256, EXACT = 200 };
    return of->count >= LEAST && EXACT * spread_of(of) <= of->mean * sqrt(of->count);
}

static bool survey_warps(struct tracer *tracer, struct smc_survey *survey)
{
    const uint32_t *grid = tracer->launch->grid;
    uint64_t warps = smc_traces_warps(tracer->launch);
    uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2] * warps;
    uint64_t most = all < SURVEY_WARPS ? all : SURVEY_WARPS;
    struct mean_of lengths = {0}, sectors = {0};
    for (uint64_t i = 0; i < most; i++) {
        uint64_t number = evenly(i, all);
        double length, before = tracer->walk.all_sectors;
        if (i >= SURVEY_LEAST_WARPS && (tracer->walk.steps > SURVEY_STEPS ||
                                        (mean_suffices(&lengths) && mean_suffices(&sectors))))
            break;
        trace_warp(tracer, number / warps, (uint32_t)(number % warps), NULL);
        if (does_not_end(tracer))
            return false;
        length = survey_add(tracer, survey);
        mean_add(&lengths, length);
        mean_add(&sectors, tracer->walk.all_sectors - before);
        if (length > survey->longest) {
            survey->longest = length;
            survey->longest_block = number / warps;
        }
    }
    survey->warps = (uint64_t)lengths.count;
    survey->length = lengths.mean;
    survey->spread = spread_of(&lengths);
    survey->whole = survey->warps == all;
    return true;
}

enum smc_status smc_survey_make(const struct smc_machine_launch *launch, struct smc_survey *survey,
                                struct smc_error *error)
{
    struct tracer tracer = {0};
    *survey = (struct smc_survey){
        .executions = smc_calloc(launch->program->count + 1, sizeof *survey->executions),
        .sectors = smc_calloc(launch->program->count + 1, sizeof *survey->sectors)};
    if (!survey->executions || !survey->sectors || !start_tracer(&tracer, launch)) {
        smc_survey_free(survey);
        return smc_out_of_memory(error);
    }
    tracer.walk.sectors = survey->sectors;
    bool ends = survey_warps(&tracer, survey);
    survey->end = tracer.walk.end;
    if (tracer.memory) {
        survey->decides = tracer.memory->decides;
        survey->changed = tracer.memory->changed;
    }
    stop_tracer(&tracer);
    if (ends)
        return SMC_OK;
    smc_survey_free(survey);
    return fail_to_follow(error);
}
