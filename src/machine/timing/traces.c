/* Traces of blocks. */
#include "machine/timing/traces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "machine/sass/walk_grid.h"
#include "machine/timing/known_traces.h"
#include "machine/timing/means.h"

enum {
    LINES_FOR_EACH_ENTRY = 16,
    SKIPS = 128,
    MOST_STEPS = 16000000,    /* of one warp */
    STEPS_APART = 300000,     /* until warps that begin alike are taken to continue alike */
    TRACED_STEPS = 750000,    /* until those that begin differently are, too */
    SURVEY_STEPS = 1000000,   /* of all warps of a survey */
    TOGETHER_STEPS = 1500000, /* of blocks whose warps walk together, until they are repeated */
    SURVEY_WARPS = 20000,
    /* Of blocks that see what others stored: all of a launch that has no more. */
    MEETING_STEPS = 2000000,
    MEETING_WARPS = 65536,
    PAIRED_BLOCKS = 12, /* of a survey in pairs */
    SURVEY_LEAST_WARPS = 16,
    MOST_WARPS = 32 /* of a block: 1024 threads */
};

/* --- One warp --------------------------------------------------------------------------------- */

struct tracer {
    const struct smc_machine_launch *launch;
    struct smc_walk walk;
    struct smc_sass_warp *warp;
    struct smc_warp_memory *memory; /* NULL: what is loaded is unknown */
    size_t change_bytes;
    uint32_t warps;                  /* of a block */
    uint32_t walked;                 /* of them, where they walk together */
    struct smc_walk_block *block;    /* NULL: warps walk alone */
    struct smc_machine_place *place; /* of its warps */
    uint64_t blocks_walked;
    uint32_t *last;     /* as in struct smc_known_traces */
    double *executions; /* likewise */
    bool sees_all;      /* as in struct smc_traced */
};

static void stop_tracer(struct tracer *tracer)
{
    free(tracer->walk.change);
    free(tracer->warp);
    if (tracer->memory)
        smc_warp_memory_free(tracer->memory);
    free(tracer->memory);
    smc_walk_block_free(tracer->block);
    free(tracer->place);
    free(tracer->last);
    free(tracer->executions);
}

static bool start_tracer(struct tracer *tracer, const struct smc_machine_launch *launch)
{
    *tracer = (struct tracer){.launch = launch};
    tracer->change_bytes = (launch->program->count + 1) * sizeof *tracer->walk.change;
    tracer->warp = smc_malloc(sizeof *tracer->warp);
    tracer->walk = (struct smc_walk){.program = launch->program,
                                     .layout = launch->layout,
                                     .textures = launch->textures,
                                     .most_steps = MOST_STEPS,
                                     .change = smc_malloc(tracer->change_bytes)};
    tracer->memory = launch->contents ? smc_calloc(1, sizeof *tracer->memory) : NULL;
    if (tracer->memory)
        *tracer->memory = (struct smc_warp_memory){.contents = launch->contents,
                                                   .values = launch->program->follows_stores};
    tracer->walk.memory = tracer->memory;
    tracer->warps = tracer->walked = smc_traces_warps(launch);
    bool together = smc_traces_together(launch) && tracer->memory;
    tracer->block = together ? smc_walk_block_new(tracer->warps) : NULL;
    tracer->place = together ? smc_malloc(tracer->warps * sizeof *tracer->place) : NULL;
    tracer->last = smc_malloc((launch->program->count + 1) * sizeof *tracer->last);
    tracer->executions = smc_calloc((size_t)SMC_KNOWN_TRACES * (launch->program->count + 1),
                                    sizeof *tracer->executions);
    if (tracer->warp && tracer->walk.change && tracer->last && tracer->executions &&
        (tracer->memory || !launch->contents) && (!together || (tracer->block && tracer->place)))
        return true;
    stop_tracer(tracer);
    return false;
}

static void place_warp(const struct tracer *tracer, uint64_t block, uint32_t warp,
                       struct smc_machine_place *place)
{
    uint32_t index[3];
    smc_index_to_place(block, tracer->launch->grid, index);
    smc_launch_place(tracer->launch, index, warp, place);
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

static void trace_warp(struct tracer *tracer, uint64_t block, uint32_t warp,
                       struct smc_warp_trace *trace)
{
    struct smc_machine_place place;
    place_warp(tracer, block, warp, &place);
    memset(tracer->walk.change, 0, tracer->change_bytes);
    tracer->walk.trace = trace;
    smc_walk_warp(&tracer->walk, &place, tracer->warp);
}

/* The number in its block of a warp that walks with others. */
static uint32_t walked_warp(const struct tracer *tracer, uint32_t number)
{
    return tracer->walked == tracer->warps ? number : (uint32_t)evenly(number, tracer->warps);
}

/* The warps of a block, which walk together. They see what others stored before. Of blocks that
   start with the first ones every second does, as half of what they store is stored before. A block
   that was walked in the survey must not see what it stored itself, nor what later ones did. */
static void trace_together(struct tracer *tracer, uint64_t block,
                           struct smc_warp_trace *const *trace)
{
    tracer->memory->sees_others = tracer->sees_all || tracer->memory->sees_earlier ||
                                  block >= tracer->launch->resident ||
                                  tracer->blocks_walked++ % 2 > 0;
    tracer->memory->block = (uint32_t)(block % (UINT32_MAX - 1)) + 1;
    for (uint32_t w = 0; w < tracer->walked; w++)
        place_warp(tracer, block, walked_warp(tracer, w), &tracer->place[w]);
    memset(tracer->walk.change, 0, tracer->change_bytes);
    smc_walk_block(&tracer->walk, tracer->block, tracer->place, trace);
    smc_warp_memory_end(tracer->memory);
}

/* An atomic of a lane takes half as long to execute as a step. */
static uint64_t steps_taken(const struct tracer *tracer)
{
    enum { ATOMICS_A_STEP = 2 };
    return tracer->walk.steps + tracer->walk.atomics / ATOMICS_A_STEP;
}

static bool does_not_end(const struct tracer *tracer)
{
    return tracer->walk.end == SMC_WALK_STUCK || tracer->walk.end >= SMC_WALK_TOO_LONG;
}

/* Arrays that decide what is executed are stored to. */
static bool decides_and_changes(const struct tracer *tracer)
{
    return tracer->memory && (tracer->memory->decides & tracer->memory->changed) != 0;
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

/* The local memory that the last warp, or so many of a block, stored to. */
static void note_local(const struct smc_warp_memory *memory, uint32_t warps,
                       struct smc_traces *traces)
{
    const size_t lines = memory ? memory->local.lines : 0;
    traces->local_bytes = fmax(traces->local_bytes, (double)lines * SMC_STORED_LINE_BYTES / warps);
}

static uint64_t traced_block(const struct tracer *tracer, const struct smc_traced *traced,
                             uint32_t number)
{
    const uint32_t *grid = tracer->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (number == 0 || !traced->scattered)
        return traced->first + number * traced->stride;
    return evenly(number, traced->among ? traced->among : blocks);
}

/* Where the next trace goes. */
struct free_place {
    struct smc_warp_trace_entry *entry;
    struct smc_warp_trace_line *line;
    struct smc_warp_trace_skip *skip;
};

static void begin_trace(struct smc_traces *traces, const struct smc_traced *traced, size_t i,
                        const struct free_place *at, struct smc_known_traces *known)
{
    traces->pointer[i] = &traces->trace[i];
    traces->trace[i] =
        (struct smc_warp_trace){.entry = at->entry,
                                .capacity = traced->entries,
                                .line = at->line,
                                .line_capacity = traced->entries * LINES_FOR_EACH_ENTRY,
                                .skip = at->skip,
                                .skip_capacity = SKIPS,
                                .patterns = traces->patterns,
                                .loop_entries = traced->loop_entries,
                                .take_over = known ? smc_known_traces_take_over : NULL,
                                .context = known};
}

/* A block like one that was walked: its traces, with all lines so much further. */
static void repeat_block(struct smc_traces *traces, const struct smc_traced *traced, uint32_t from,
                         uint32_t to)
{
    enum { APART = 1 << 24 }; /* lines */
    const uint32_t warps = traces->warps_per_block;
    for (uint32_t w = 0; w < warps; w++) {
        const struct smc_warp_trace *source = &traces->trace[(size_t)from * warps + w];
        const size_t i = (size_t)to * warps + w, entries = traced->entries;
        struct smc_warp_trace_line *line = traces->lines + i * entries * LINES_FOR_EACH_ENTRY;
        traces->pointer[i] = &traces->trace[i];
        traces->trace[i] = *source;
        traces->trace[i].line = line;
        for (size_t k = 0; k < source->line_count; k++) {
            line[k] = source->line[k];
            if (line[k].number < SMC_WARP_TRACE_CONSTANTS)
                line[k].number += (uint64_t)(to - from) * APART;
        }
        traces->length += (double)source->length;
    }
}

/* Blocks whose warps walk together, or did while all of the grid walked. Those beyond a number of
   steps repeat the ones before. */
static bool trace_whole_blocks(struct tracer *tracer, const struct smc_traced *traced,
                               struct smc_traces *traces)
{
    const uint32_t warps = traces->warps_per_block;
    struct smc_warp_trace **trace = smc_malloc(warps * sizeof *trace);
    uint32_t walked = 0;
    double length = 0; /* of those that were walked */
    for (uint32_t b = 0; b < traces->blocks && trace; b++) {
        traces->block[b].trace = &traces->pointer[(size_t)b * warps];
        if (walked > 0 && steps_taken(tracer) > TOGETHER_STEPS) {
            repeat_block(traces, traced, b % walked, b);
            continue;
        }
        for (uint32_t w = 0; w < warps; w++) {
            const size_t i = (size_t)b * warps + w, at = i * traced->entries;
            const struct free_place place = {traces->entries + at,
                                             traces->lines + at * LINES_FOR_EACH_ENTRY,
                                             traces->skips + i * SKIPS};
            begin_trace(traces, traced, i, &place, NULL);
            trace[w] = &traces->trace[i];
        }
        const uint64_t block = traced_block(tracer, traced, b);
        if (traced->at_once)
            smc_returned_again(&tracer->memory->returned, &traced->at_once->returned, block * warps,
                               warps);
        trace_together(tracer, block, trace);
        if (does_not_end(tracer))
            break;
        for (uint32_t w = 0; w < warps; w++)
            traces->length += (double)trace[w]->length;
        add_executions(tracer, traces->executions);
        note_local(tracer->memory, warps, traces);
        length = traces->length;
        walked = b + 1;
    }
    free(trace);
    const struct smc_survey *all = traced->at_once;
    for (uint32_t i = 0; i < tracer->launch->program->count && walked > 0; i++)
        traces->executions[i] =
            all ? all->executions[i] / (double)all->warps * (double)traces->blocks * warps
                : traces->executions[i] * traces->length / length;
    return walked > 0 && !does_not_end(tracer);
}

/* What a warp executed that was walked to its end, or the one whose trace it took over. */
static void add_traced_warp(const struct tracer *tracer, const struct smc_warp_trace *trace,
                            struct smc_known_traces *known, struct smc_traces *traces)
{
    const uint32_t steps = tracer->launch->program->count;
    if (trace->ends) {
        const double times = (double)trace->length / (double)known->trace[known->alike]->length;
        for (uint32_t i = 0; i < steps; i++)
            traces->executions[i] += known->executions[known->alike * (size_t)steps + i] * times;
        return;
    }
    add_executions(tracer, traces->executions);
    note_local(tracer->memory, 1, traces);
    if (!trace->skipped || known->count == SMC_KNOWN_TRACES)
        return;
    add_executions(tracer, known->executions + known->count * (size_t)steps);
    smc_known_traces_add(known, trace);
}

/* For the entries of all warps. */
static size_t room_for(const struct smc_machine_launch *launch, const struct smc_traced *traced,
                       size_t warps)
{
    const size_t all = warps * traced->entries;
    const bool shared = traced->room > traced->entries && traced->room < all;
    return shared && !smc_traces_together(launch) ? traced->room : all;
}

/* There is room for so many entries. */
static void limit_trace(struct smc_warp_trace *trace, size_t room)
{
    if (trace->capacity <= room)
        return;
    trace->capacity = room;
    trace->line_capacity = room * LINES_FOR_EACH_ENTRY;
}

static bool trace_blocks(struct tracer *tracer, const struct smc_traced *traced,
                         struct smc_traces *traces)
{
    uint32_t warps = traces->warps_per_block;
    struct smc_known_traces known = {.launch = tracer->launch,
                                     .warps = warps,
                                     .survey = traced->survey,
                                     .last = tracer->last,
                                     .executions = tracer->executions};
    struct free_place at = {traces->entries, traces->lines, traces->skips};
    const struct smc_warp_trace_entry *const end =
        at.entry + room_for(tracer->launch, traced, (size_t)traces->blocks * warps);
    for (uint32_t b = 0; b < traces->blocks; b++) {
        traces->block[b].trace = &traces->pointer[(size_t)b * warps];
        const uint64_t block = traced_block(tracer, traced, b);
        for (uint32_t w = 0; w < warps; w++) {
            size_t i = (size_t)b * warps + w;
            struct smc_warp_trace *trace = &traces->trace[i];
            begin_trace(traces, traced, i, &at, &known);
            limit_trace(trace, (size_t)(end - at.entry));
            known.place = block * warps + w;
            if (traced->each_apart && tracer->walk.steps < STEPS_APART)
                trace->take_over = NULL;
            known.any = tracer->walk.steps > TRACED_STEPS;
            trace_warp(tracer, block, w, trace);
            if (does_not_end(tracer))
                return false;
            traces->length += (double)trace->length;
            at.entry += trace->count;
            at.line += trace->line_count;
            at.skip += trace->skip_count;
            add_traced_warp(tracer, trace, &known, traces);
        }
    }
    return true;
}

/* How many of an SM's blocks are the last of the grid in a direction, and often partly empty. */
static uint64_t last_blocks(const uint32_t grid[3], uint64_t blocks, uint64_t sms, uint64_t first)
{
    uint64_t count = 0;
    for (uint64_t block = first; block < blocks; block += sms) {
        uint32_t at[3];
        smc_index_to_place(block, grid, at);
        count += (grid[0] > 1 && at[0] + 1 == grid[0]) || (grid[1] > 1 && at[1] + 1 == grid[1]) ||
                 (grid[2] > 1 && at[2] + 1 == grid[2]);
    }
    return count;
}

/* The instructions of the first warp of a block; 0: not known. */
static uint64_t length_of_block(const struct smc_machine_launch *launch, uint64_t block)
{
    struct tracer tracer;
    struct smc_warp_path path = {0};
    struct smc_warp_trace trace = {.path = &path};
    if (launch->contents || !start_tracer(&tracer, launch))
        return 0;
    tracer.walk.most_steps = SURVEY_STEPS / 2;
    trace_warp(&tracer, block, 0, &trace);
    const uint64_t length = does_not_end(&tracer) ? 0 : trace.length;
    stop_tracer(&tracer);
    free(path.run);
    return length;
}

uint64_t smc_traces_first_block(const struct smc_machine_launch *launch, uint64_t sms)
{
    enum { CLEARLY_MORE = 10 }; /* a tenth */
    const uint32_t *grid = launch->grid;
    const uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const uint64_t last = (blocks - 1) % sms, middle = last / 2;
    if (blocks > launch->resident)
        return middle;
    /* The last block may also execute more, as where copies at the edge of a matrix are narrow. */
    const uint64_t length = length_of_block(launch, middle);
    if (length > 0 && length_of_block(launch, blocks - 1) > length + length / CLEARLY_MORE)
        return last;
    uint64_t first = middle, least = last_blocks(grid, blocks, sms, first);
    for (uint64_t i = 1; i <= last && least > 0; i++) { /* from the middle to both sides */
        uint64_t other = (middle + (i % 2 ? (i + 1) / 2 : last + 1 - i / 2)) % (last + 1);
        uint64_t count = last_blocks(grid, blocks, sms, other);
        if (count < least) {
            least = count;
            first = other;
        }
    }
    return first;
}

enum smc_status smc_traces_make(const struct smc_machine_launch *launch,
                                const struct smc_traced *traced, struct smc_traces *traces,
                                struct smc_error *error)
{
    struct tracer tracer;
    const uint32_t blocks = traced->blocks;
    *traces = (struct smc_traces){.blocks = blocks,
                                  .warps_per_block = smc_traces_warps(launch),
                                  .scattered = traced->scattered};
    size_t all = (size_t)traces->warps_per_block * blocks;
    traces->trace = smc_calloc(all, sizeof *traces->trace);
    traces->pointer = smc_calloc(all, sizeof *traces->pointer);
    traces->block = smc_calloc(blocks, sizeof *traces->block);
    traces->executions = smc_calloc(launch->program->count + 1, sizeof *traces->executions);
    const size_t room = room_for(launch, traced, all);
    traces->entries = smc_malloc(room * sizeof *traces->entries);
    traces->lines = smc_malloc(room * LINES_FOR_EACH_ENTRY * sizeof *traces->lines);
    traces->skips = smc_malloc(all * SKIPS * sizeof *traces->skips);
    traces->patterns = smc_calloc(1, sizeof *traces->patterns);
    if (!traces->trace || !traces->pointer || !traces->block || !traces->executions ||
        !traces->entries || !traces->lines || !traces->skips || !traces->patterns ||
        !start_tracer(&tracer, launch)) {
        smc_traces_free(traces);
        return smc_out_of_memory(error);
    }
    if (tracer.memory) {
        tracer.memory->others = traced->others;
        tracer.memory->overwritten = traced->overwritten;
        tracer.memory->sees_earlier = traced->others && !traced->sees_all;
    }
    tracer.sees_all = traced->sees_all;
    tracer.walk.by_turns = traced->at_once;
    bool end = tracer.block ? trace_whole_blocks(&tracer, traced, traces)
                            : trace_blocks(&tracer, traced, traces);
    traces->end = tracer.walk.end;
    traces->decides_and_changes = decides_and_changes(&tracer);
    traces->loads_stored = tracer.memory && tracer.memory->loads_stored;
    stop_tracer(&tracer);
    if (end)
        return SMC_OK;
    smc_traces_free(traces);
    return smc_traces_fail(&tracer.walk, error);
}

enum smc_status smc_traces_follow(const struct smc_machine_launch *launch, uint64_t block,
                                  struct smc_warp_path *path, struct smc_error *error)
{
    struct tracer tracer;
    struct smc_warp_trace first = {.path = path}, others = {.path = NULL}, *trace[MOST_WARPS];
    if (!start_tracer(&tracer, launch))
        return smc_out_of_memory(error);
    for (uint32_t w = 0; w < MOST_WARPS; w++)
        trace[w] = w == 0 ? &first : &others;
    if (tracer.block)
        trace_together(&tracer, block, trace);
    else
        trace_warp(&tracer, block, 0, &first);
    const bool ends = !does_not_end(&tracer);
    /* Then all warps of a block walk together, within as many steps as one alone. */
    const bool is_too_long = ends && !tracer.block && decides_and_changes(&tracer) &&
                             tracer.walk.steps > MOST_STEPS / tracer.warps;
    stop_tracer(&tracer);
    if (path->failed)
        return smc_out_of_memory(error);
    if (is_too_long)
        return smc_fail(error, SMC_USAGE,
                        "what a warp stores decides what it executes, for more than the %u "
                        "instructions that are then followed",
                        MOST_STEPS / tracer.warps);
    return ends ? SMC_OK : smc_traces_fail(&tracer.walk, error);
}

enum smc_status smc_traces_measure(const struct smc_warp_path *path, struct smc_trace_size *size,
                                   struct smc_error *error)
{
    struct smc_warp_trace_skip skips[SKIPS];
    struct smc_warp_trace trace = {.capacity = size->most,
                                   .skip = skips,
                                   .skip_capacity = SKIPS,
                                   .loop_entries = size->loop_entries};
    trace.entry = smc_malloc(size->most * sizeof *trace.entry);
    if (!trace.entry)
        return smc_out_of_memory(error);
    smc_warp_trace_path(path, &trace);
    size->entries = trace.count;
    size->length = trace.length;
    size->cut = trace.skipped || trace.count == size->most;
    free(trace.entry);
    return SMC_OK;
}

bool smc_traces_take_turns(const struct smc_machine_program *program)
{
    bool any = false;
    for (uint32_t i = 0; i < program->count; i++)
        any |= program->step[i].in.operation == SMC_OP_SYNCS;
    return any;
}

/* The traces of a block whose lengths are of interest. */
struct measured {
    uint64_t signature[MOST_WARPS]; /* where they first leave something out */
    uint32_t count;
    struct smc_warp_trace trace[MOST_WARPS];
};

/* A warp like one that was measured is not walked to its end. */
static bool measured_before(void *context, struct smc_warp_trace *trace, uint64_t signature)
{
    struct measured *measured = context;
    (void)trace;
    for (uint32_t i = 0; i < measured->count; i++)
        if (measured->signature[i] == signature)
            return true;
    measured->signature[measured->count++] = signature;
    return false;
}

static void measure_block(struct tracer *tracer, uint64_t block, struct measured *measured)
{
    struct smc_warp_trace *all[MOST_WARPS];
    for (uint32_t w = 0; w < tracer->warps; w++)
        all[w] = &measured->trace[w];
    if (tracer->block)
        trace_together(tracer, block, all);
    for (uint32_t w = 0; w < tracer->warps && !tracer->block && !does_not_end(tracer); w++)
        trace_warp(tracer, block, w, all[w]);
}

enum smc_status smc_traces_measure_turns(const struct smc_machine_launch *launch, uint64_t block,
                                         struct smc_trace_size *size, struct smc_error *error)
{
    struct tracer tracer;
    struct smc_warp_trace_skip skips[SKIPS];
    struct measured measured = {.count = 0};
    const uint32_t warps = smc_traces_warps(launch);
    /* What is kept is not read, so that all may keep it in one place. */
    struct smc_warp_trace trace = {.capacity = size->most,
                                   .entry = smc_malloc(size->most * sizeof *trace.entry),
                                   .skip = skips,
                                   .skip_capacity = SKIPS,
                                   .patterns = smc_calloc(1, sizeof *trace.patterns),
                                   .loop_entries = size->loop_entries,
                                   .context = &measured};
    bool ends = false, starts = trace.entry && trace.patterns;
    if (starts && start_tracer(&tracer, launch)) {
        trace.take_over = !tracer.block ? measured_before : NULL;
        for (uint32_t w = 0; w < warps; w++)
            measured.trace[w] = trace;
        measure_block(&tracer, block, &measured);
        ends = !does_not_end(&tracer);
        stop_tracer(&tracer);
    } else {
        starts = false;
    }
    size->entries = 0;
    size->length = 0;
    size->cut = false;
    for (uint32_t w = 0; w < warps; w++) {
        const struct smc_warp_trace *made = &measured.trace[w];
        size->entries = made->most > size->entries ? made->most : size->entries;
        size->length = made->length > size->length ? made->length : size->length;
        size->cut |= made->skipped || made->most == size->most;
    }
    free(trace.patterns);
    free(trace.entry);
    return !starts ? smc_out_of_memory(error)
           : ends  ? SMC_OK
                   : smc_traces_fail(&tracer.walk, error);
}

/* --- The whole grid --------------------------------------------------------------------------- */

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

/* What a survey has seen: in all, and since its last checkpoint, at `half` steps. */
struct seen {
    struct smc_mean lengths, sectors, late_lengths, late_sectors;
    struct smc_mean seeing[2]; /* lengths: [1] of blocks that see what others stored */
    struct smc_mean beside[2]; /* of blocks that do: [1] also what the next one stored */
    struct smc_mean blocks;    /* the mean lengths of their warps */
    uint64_t half;
    bool is_late; /* the first checkpoint has passed */
};

static void survey_see(const struct tracer *tracer, struct smc_survey *survey, struct seen *seen,
                       uint64_t place, double length, double sectors)
{
    if (seen->lengths.count < SMC_SURVEYED_WARPS)
        survey->first[(size_t)seen->lengths.count] = (struct smc_surveyed_warp){place, length};
    smc_mean_add(&seen->lengths, length);
    smc_mean_add(&seen->sectors, sectors);
    smc_mean_add(&seen->late_lengths, length);
    smc_mean_add(&seen->late_sectors, sectors);
    smc_survey_add_long(survey, place / tracer->warps, length);
}

static void see_block(const struct tracer *tracer, const struct smc_walk_block *walked,
                      struct seen *seen)
{
    double sum = 0;
    for (uint32_t w = 0; w < tracer->walked; w++)
        sum += (double)smc_walk_block_length(walked, w);
    smc_mean_add(&seen->blocks, sum / tracer->walked);
}

static bool sees_others(const struct tracer *tracer)
{
    return tracer->memory && tracer->memory->others;
}

/* What others have stored changes from block to block, until it is seen that it does not. Of long
   blocks it suffices that those that see it and those that do not are alike. */
static bool meeting_suffices(const struct tracer *tracer, struct seen *seen)
{
    const uint64_t steps = steps_taken(tracer);
    const bool ends_half = seen->is_late ? steps >= 2 * seen->half : steps >= seen->half;
    const bool both = seen->seeing[0].count > 0 && seen->seeing[1].count > 0;
    const double blocks = seen->lengths.count / tracer->walked;
    if (both && (steps > MEETING_STEPS ||
                 (steps > SURVEY_STEPS && smc_mean_suffices(&seen->lengths, seen->lengths.count))))
        return true;
    if (!ends_half)
        return false;
    if (seen->is_late && smc_mean_is_known(&seen->lengths, blocks) &&
        smc_mean_is_steady(&seen->lengths, &seen->late_lengths) &&
        smc_mean_is_steady(&seen->sectors, &seen->late_sectors))
        return true;
    seen->is_late = true;
    seen->half = steps;
    seen->late_lengths = seen->late_sectors = (struct smc_mean){0};
    return false;
}

/* Of long warps fewer suffice, if they are alike. Once it is known that what warps store decides
   what others do, a survey that does not follow it is of no use. */
static bool survey_suffices(const struct tracer *tracer, struct seen *seen, double least)
{
    enum { MANY = 256, FEW = 4, TWO = 2 };
    const uint64_t steps = steps_taken(tracer);
    if (sees_others(tracer))
        return meeting_suffices(tracer, seen);
    if (!tracer->launch->program->follows_stores && decides_and_changes(tracer))
        return true;
    const bool is_long = steps > SURVEY_STEPS;
    const double enough = steps > UINT64_C(2) * SURVEY_STEPS ? TWO : is_long ? FEW : MANY;
    return (is_long && seen->lengths.count >= least) ||
           (smc_mean_suffices(&seen->lengths, enough) && smc_mean_suffices(&seen->sectors, enough));
}

/* Whether some warps of each block do not suffice, as these differ from each other. */
static bool lacks_warps(const struct tracer *tracer, const struct seen *seen)
{
    return tracer->walked < tracer->warps &&
           smc_mean_spread(&seen->lengths) * SMC_ALIKE > seen->lengths.mean;
}

/* Number i of the blocks, in pairs: blocks next to each other may meet. The one with the lower
   number, whose end may reach into the other, comes second. */
static uint64_t paired(uint64_t i, uint64_t blocks)
{
    const uint64_t pair = i / 2;
    return pair < blocks / 2 ? 2 * evenly(pair, blocks / 2) + (i + 1) % 2 : blocks - 1;
}

/* A block or a warp has been walked, which is the one with this number. `second`: of a pair. */
static void survey_add_walk(const struct tracer *tracer, struct smc_survey *survey,
                            struct seen *seen, uint64_t number, double sectors, bool second)
{
    const double alone = survey_add(tracer, survey);
    if (!tracer->block)
        survey_see(tracer, survey, seen, number, alone, sectors);
    for (uint32_t w = 0; w < tracer->walked && tracer->block; w++) {
        const double length = (double)smc_walk_block_length(tracer->block, w);
        smc_mean_add(&seen->seeing[tracer->memory->sees_others], length);
        if (tracer->memory->sees_others)
            smc_mean_add(&seen->beside[second], length);
        survey_see(tracer, survey, seen, number * tracer->warps + walked_warp(tracer, w), length,
                   sectors / tracer->walked);
    }
    if (tracer->block)
        see_block(tracer, tracer->block, seen);
}

static void survey_walk(struct tracer *tracer, uint64_t number)
{
    if (tracer->block)
        trace_together(tracer, number, NULL);
    else
        trace_warp(tracer, number / tracer->warps, (uint32_t)(number % tracer->warps), NULL);
}

/* Blocks whose warps walk together. */
static bool survey_blocks(struct tracer *tracer, struct smc_survey *survey, struct seen *seen)
{
    const uint32_t *grid = tracer->launch->grid;
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    const double most = survey->in_pairs      ? (double)PAIRED_BLOCKS * tracer->warps
                        : sees_others(tracer) ? MEETING_WARPS
                                              : SURVEY_WARPS;
    for (uint64_t i = 0; i < blocks && seen->lengths.count < most; i++) {
        const uint64_t block = survey->in_pairs ? paired(i, blocks) : evenly(i, blocks);
        double before = tracer->walk.all_sectors;
        if (survey_suffices(tracer, seen, 1) || lacks_warps(tracer, seen))
            break;
        if (survey->in_pairs)
            tracer->blocks_walked = i / 2 + i; /* either one of a pair may see others */
        survey_walk(tracer, block);
        if (does_not_end(tracer))
            return false;
        survey_add_walk(tracer, survey, seen, block, tracer->walk.all_sectors - before, i % 2 > 0);
    }
    return true;
}

/* Whether so many warps, drawn evenly, are as many first ones of blocks as second ones and so on:
   each may have work of its own, as where some load and others multiply. */
static bool is_of_all(const struct tracer *tracer, uint64_t drawn)
{
    return tracer->block || drawn % tracer->warps == 0;
}

static bool survey_warps(struct tracer *tracer, struct smc_survey *survey, struct seen *seen)
{
    const uint32_t *grid = tracer->launch->grid;
    uint64_t all = (uint64_t)grid[0] * grid[1] * grid[2] * tracer->warps;
    uint64_t most = all < SURVEY_WARPS ? all : SURVEY_WARPS;
    for (uint64_t i = 0; i < most; i++) {
        uint64_t number = evenly(i, all);
        double before = tracer->walk.all_sectors;
        if (survey_suffices(tracer, seen, SURVEY_LEAST_WARPS) &&
            (is_of_all(tracer, i) || steps_taken(tracer) > UINT64_C(2) * SURVEY_STEPS))
            break;
        survey_walk(tracer, number);
        if (does_not_end(tracer))
            return false;
        survey_add_walk(tracer, survey, seen, number, tracer->walk.all_sectors - before, false);
    }
    return true;
}

/* --- Warps that leave at once ----------------------------------------------------------------- */

enum { PART_OF_LONG = 64 };

/* The share of a survey's first warps that execute at least a part of what all do on average. */
static double share_of_long(const struct smc_survey *survey, const struct smc_mean *lengths)
{
    const size_t count = (size_t)fmin(lengths->count, SMC_SURVEYED_WARPS);
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += survey->first[i].length * PART_OF_LONG >= lengths->mean;
    return sum / (double)count;
}

/* Walks more until they leave or have so many steps, and returns how many warps did not leave.
   Negative: one does not end. */
static double survey_until(struct tracer *tracer, struct smc_survey *survey, struct seen *seen,
                           uint64_t most_steps)
{
    enum { FEW = 32, MANY = 1024, PART = 4 };
    const uint32_t *grid = tracer->launch->grid, warps = tracer->block ? tracer->walked : 1;
    const uint64_t all =
        (uint64_t)grid[0] * grid[1] * grid[2] * (tracer->block ? 1 : tracer->warps);
    const uint64_t first = (uint64_t)seen->lengths.count / warps, steps = tracer->walk.steps;
    const enum smc_walk_end end = tracer->walk.end;
    const size_t count = tracer->launch->program->count;
    double *before = tracer->executions + 2 * count; /* survey_short uses what is in front */
    uint64_t more = 0, left = 0;
    tracer->walk.most_steps = most_steps;
    while (first + more + left < all && (!is_of_all(tracer, first + more + left) ||
                                         (more + left < (left > 0 ? MANY : FEW) &&
                                          tracer->walk.steps < steps + SURVEY_STEPS / PART))) {
        const uint64_t number = evenly(first + more + left, all);
        const double sectors = tracer->walk.all_sectors;
        memcpy(before, survey->sectors, count * sizeof *before);
        survey_walk(tracer, number);
        if (tracer->walk.end == SMC_WALK_TOO_LONG) { /* its executions are not counted, either */
            memcpy(survey->sectors, before, count * sizeof *before);
            tracer->walk.end = end;
            more++;
        } else if (does_not_end(tracer)) {
            return -1;
        } else {
            left++;
            survey_add_walk(tracer, survey, seen, number, tracer->walk.all_sectors - sectors,
                            left % 2 > 0);
        }
    }
    tracer->walk.most_steps = MOST_STEPS;
    return left > 0 ? (double)more * warps : 0;
}

/* Where few warps were walked since they are long, others may leave at once, more or fewer than it
   seems: more are walked, until they leave or execute a part of what long ones do, which they are
   then taken to do. Of 52800 blocks 20000 train a network with a sentence each and the others
   leave, but the first three are of the former and take all steps of a survey. */
static bool survey_short(struct tracer *tracer, struct smc_survey *survey, struct seen *seen)
{
    enum { LEAST_STEPS = 128 };
    const size_t count = tracer->launch->program->count;
    const struct smc_mean lengths = seen->lengths, sectors = seen->sectors;
    const double walked = lengths.count * share_of_long(survey, &lengths);
    const double part = (double)tracer->walk.steps * tracer->walked / walked / PART_OF_LONG;
    double *executions = tracer->executions, *accessed = executions + count;
    if (lengths.count >= SMC_SURVEYED_WARPS || part < LEAST_STEPS ||
        smc_mean_suffices(&lengths, SURVEY_LEAST_WARPS))
        return true;
    memcpy(executions, survey->executions, count * sizeof *executions);
    memcpy(accessed, survey->sectors, count * sizeof *accessed);
    const double more = survey_until(tracer, survey, seen, (uint64_t)part);
    for (size_t i = 0; i < count && more > 0; i++) {
        survey->executions[i] += executions[i] * more / walked;
        survey->sectors[i] += accessed[i] * more / walked;
    }
    for (double i = 0; i < more; i++) {
        smc_mean_add(&seen->lengths, lengths.mean * lengths.count / walked);
        smc_mean_add(&seen->sectors, sectors.mean * sectors.count / walked);
    }
    return more >= 0;
}

/* --- Blocks that race ------------------------------------------------------------------------- */

struct surveyed_at_once {
    const struct tracer *tracer;
    struct smc_survey *survey;
    struct seen *seen;
};

static void see_at_once(void *context, uint64_t block, const struct smc_walk_block *walked)
{
    const struct surveyed_at_once *at = context;
    for (uint32_t w = 0; w < at->tracer->warps; w++) {
        const double length = (double)smc_walk_block_length(walked, w);
        smc_mean_add(&at->seen->seeing[block >= at->survey->at_once / 2], length);
        survey_see(at->tracer, at->survey, at->seen, block * at->tracer->warps + w, length, 0);
    }
    see_block(at->tracer, walked, at->seen);
}

/* Whether blocks end at the same time, in not too many steps. */
static bool survey_at_once(struct tracer *tracer, struct smc_survey *survey, struct seen *seen)
{
    struct surveyed_at_once at = {tracer, survey, seen};
    const struct smc_grid_walk grid = {
        tracer->launch,   &tracer->walk,     survey->at_once, tracer->warps,
        SMC_RACING_STEPS, &survey->returned, see_at_once,     &at};
    const size_t all = survey->at_once * tracer->warps;
    struct smc_error unused;
    memset(tracer->walk.change, 0, tracer->change_bytes);
    const bool ends = sees_others(tracer) && smc_returned_start(&survey->returned, all) &&
                      smc_walk_grid(&grid, &unused) == SMC_OK;
    survey_add(tracer, survey);
    return ends;
}

static bool survey_grid(struct tracer *tracer, struct smc_survey *survey)
{
    const uint32_t *grid = tracer->launch->grid;
    struct seen seen = {.half = SURVEY_STEPS / 4};
    bool ends = survey->at_once ? survey_at_once(tracer, survey, &seen)
                : tracer->block ? survey_blocks(tracer, survey, &seen)
                                : survey_warps(tracer, survey, &seen);
    if (ends && !survey->at_once && !survey->in_pairs)
        ends = survey_short(tracer, survey, &seen);
    survey->warps = (uint64_t)seen.lengths.count;
    survey->length = seen.lengths.mean;
    survey->spread = seen.lengths.count > 0 ? smc_mean_spread(&seen.lengths) : 0;
    survey->blocks = seen.blocks.count;
    survey->block_spread = seen.blocks.count > 0 ? smc_mean_spread(&seen.blocks) : 0;
    survey->seeing = seen.seeing[true].mean;
    survey->unseeing = seen.seeing[false].mean;
    survey->seeing_error = survey->spread * sqrt(tracer->walked / seen.seeing[true].count +
                                                 tracer->walked / seen.seeing[false].count);
    survey->beside[0] = seen.beside[0].mean;
    survey->beside[1] = seen.beside[1].mean;
    survey->whole = survey->warps == (uint64_t)grid[0] * grid[1] * grid[2] * tracer->warps;
    return ends;
}

/* Whether any load from global memory, or atomic there, decides which instructions follow. */
static bool loads_decide(const struct smc_machine_program *program)
{
    bool any = false;
    for (uint32_t i = 0; i < program->count; i++) {
        const struct smc_sass_instruction *in = &program->step[i].in;
        any |=
            program->step[i].purpose == SMC_PURPOSE_CONTROL &&
            (in->operation == SMC_OP_LDG || in->operation == SMC_OP_LD || smc_is_global_atomic(in));
    }
    return any;
}

/* Of long warps that depend on each other only by global memory, some of each block suffice: as
   many as have the steps of a survey, two at least; the first is among them, which may take the
   block's number from a counter. False: memory. */
static bool survey_some(struct tracer *tracer, uint64_t length)
{
    enum { LEAST = 2 };
    const uint32_t fit = (uint32_t)(SURVEY_STEPS / (length > 0 ? length : 1));
    const uint32_t walked = fit > LEAST ? fit : LEAST;
    if (!tracer->block || tracer->launch->program->shares || walked >= tracer->warps)
        return true;
    smc_walk_block_free(tracer->block);
    tracer->block = smc_walk_block_new(walked);
    tracer->walked = walked;
    return tracer->block;
}

/* `lacks`: some warps of each block did not suffice. */
static enum smc_status make_survey(const struct smc_machine_launch *launch, struct smc_surveyed how,
                                   struct smc_survey *survey, bool *lacks, struct smc_error *error)
{
    struct tracer tracer;
    *lacks = false;
    *survey = (struct smc_survey){
        .at_once = how.at_once,
        .in_pairs = how.in_pairs,
        .executions = smc_calloc(launch->program->count + 1, sizeof *survey->executions),
        .sectors = smc_calloc(launch->program->count + 1, sizeof *survey->sectors)};
    if (!survey->executions || !survey->sectors || !start_tracer(&tracer, launch)) {
        smc_survey_free(survey);
        return smc_out_of_memory(error);
    }
    if (!how.at_once && !survey_some(&tracer, how.length)) {
        stop_tracer(&tracer);
        smc_survey_free(survey);
        return smc_out_of_memory(error);
    }
    if (tracer.block && launch->program->follows_stores)
        survey->others = smc_calloc(1, sizeof *survey->others);
    if (survey->others)
        survey->others->block = 1;
    if (tracer.memory)
        tracer.memory->others = survey->others;
    tracer.walk.sectors = survey->sectors;
    tracer.walk.ends_if_decided = !launch->program->follows_stores;
    if (tracer.memory && loads_decide(launch->program)) /* else nothing meets */
        tracer.memory->touched = smc_calloc(SMC_TOUCHED_WORDS, sizeof *tracer.memory->touched);
    bool ends = survey_grid(&tracer, survey);
    *lacks = tracer.walked < tracer.warps && (!ends || smc_survey_spreads(survey));
    survey->steps = (double)tracer.walk.steps;
    survey->end = tracer.walk.end;
    survey->end_at = tracer.walk.end_at;
    survey->first_unknown = tracer.walk.first_unknown;
    if (tracer.memory) {
        survey->decides = tracer.memory->decides;
        survey->changed = tracer.memory->changed;
        survey->meets = tracer.memory->meets;
        survey->loads_stored = tracer.memory->loads_stored;
        survey->ticket = tracer.memory->ticket;
    }
    const bool cut = tracer.walk.ends_if_decided && decides_and_changes(&tracer);
    stop_tracer(&tracer);
    if (cut || (ends && tracer.walk.endless * 2 <= tracer.walk.looping))
        return SMC_OK;
    smc_auto_text place = {0};
    smc_machine_program_append_place(launch->program, tracer.walk.endless_at, &place);
    if (ends)
        smc_fail(error, SMC_USAGE,
                 "how often the loop runs that the branch at %s closes depends on values that are "
                 "not known",
                 smc_text_string(&place));
    else
        smc_traces_fail(&tracer.walk, error);
    smc_survey_free(survey);
    return SMC_USAGE;
}

enum smc_status smc_survey_make(const struct smc_machine_launch *launch, struct smc_surveyed how,
                                struct smc_survey *survey, struct smc_error *error)
{
    bool lacks;
    const enum smc_status status = make_survey(launch, how, survey, &lacks, error);
    if (!lacks || status == SMC_MACHINE)
        return status;
    if (status == SMC_OK)
        smc_survey_free(survey);
    how.length = 0;
    return make_survey(launch, how, survey, &lacks, error);
}
