/* What one warp executed. */
#include "machine/sass/warp_trace.h"

#include <stdlib.h>

#include "base/memory.h"

enum { LEAST_ITERATIONS = 3 };

static void keep(struct smc_warp_trace *trace, const struct smc_warp_trace_entry *entry)
{
    if (trace->count < trace->capacity)
        trace->entry[trace->count++] = *entry;
}

static void begin_skip(struct smc_warp_trace *trace, uint32_t depth, uint64_t signature)
{
    trace->skips = true;
    trace->skipping = depth;
    trace->skip_length = trace->length;
    if (trace->skipped)
        return;
    trace->skipped = true;
    trace->first_skip_length = trace->length;
    trace->first_skip_count = trace->count;
    trace->first_skip_signature = signature;
    if (trace->take_over && trace->take_over(trace->context, trace, signature))
        trace->ends = true;
}

static void end_skip(struct smc_warp_trace *trace)
{
    const struct smc_warp_trace_loop *loop = &trace->loop[trace->skipping];
    trace->skips = false;
    if (trace->count == trace->capacity || trace->skip_count == trace->skip_capacity ||
        trace->length == trace->skip_length)
        return;
    trace->skip[trace->skip_count] =
        (struct smc_warp_trace_skip){.executed = trace->length - trace->skip_length,
                                     .window = trace->skip_length - loop->length,
                                     .depth = trace->skipping};
    keep(trace, &(struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP,
                                               .line = (uint32_t)trace->skip_count++});
}

/* Loops that a step is not in have ended; one goes on in the functions that it calls. */
static void leave_loops(struct smc_warp_trace *trace, uint32_t step)
{
    while (trace->depth > 0) {
        const struct smc_warp_trace_loop *loop = &trace->loop[trace->depth - 1];
        bool in_loop = step >= loop->first && step <= loop->last;
        if (trace->calls > loop->calls || (trace->calls == loop->calls && in_loop))
            return;
        if (trace->skips && trace->skipping == trace->depth - 1)
            end_skip(trace);
        trace->depth--;
    }
}

void smc_warp_trace_add(struct smc_warp_trace *trace, const struct smc_warp_trace_entry *entry)
{
    leave_loops(trace, entry->step);
    trace->length++;
    if (!trace->skips)
        keep(trace, entry);
}

void smc_warp_trace_add_steps(struct smc_warp_trace *trace, uint32_t from, uint32_t to,
                              uint32_t lanes)
{
    if (from >= to)
        return;
    leave_loops(trace, from);
    trace->length += to - from;
    if (trace->skips)
        return;
    struct smc_warp_trace_entry entry = {.active_lanes = (uint8_t)lanes};
    for (entry.step = from; entry.step < to; entry.step++)
        keep(trace, &entry);
}

void smc_warp_trace_branch_back(struct smc_warp_trace *trace, uint32_t from, uint32_t to,
                                uint64_t signature)
{
    if (!trace->skip || trace->ends)
        return;
    uint32_t i = trace->depth;
    while (i > 0 && trace->loop[i - 1].last != from)
        i--;
    if (i > 0) {
        struct smc_warp_trace_loop *loop = &trace->loop[i - 1];
        loop->iterations++;
        if (!trace->skips && loop->iterations >= LEAST_ITERATIONS &&
            trace->count - loop->count >= trace->loop_entries)
            begin_skip(trace, i - 1, signature);
    } else if (trace->depth < SMC_WARP_TRACE_DEPTH && !trace->skips) {
        keep(trace,
             &(struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_LOOP, .line = trace->depth});
        trace->loop[trace->depth++] = (struct smc_warp_trace_loop){.first = to,
                                                                   .last = from,
                                                                   .calls = trace->calls,
                                                                   .length = trace->length,
                                                                   .count = trace->count,
                                                                   .iterations = 1};
    }
}

/* Instructions beyond the array take as long as those that were kept. */
static void end_full(struct smc_warp_trace *trace)
{
    uint64_t kept = trace->length;
    for (size_t i = 0; i < trace->skip_count; i++)
        kept -= trace->skip[i].executed;
    uint64_t instructions = 0;
    for (size_t i = 0; i < trace->count; i++)
        instructions += trace->entry[i].step < SMC_WARP_TRACE_SKIP;
    if (trace->count == 0 || kept <= instructions || trace->skip_count == trace->skip_capacity)
        return;
    trace->skip[trace->skip_count] =
        (struct smc_warp_trace_skip){.executed = kept - instructions + 1,
                                     .window = trace->length - (kept - instructions),
                                     .depth = SMC_WARP_TRACE_DEPTH};
    trace->entry[trace->count - 1] = (struct smc_warp_trace_entry){
        .step = SMC_WARP_TRACE_SKIP, .line = (uint32_t)trace->skip_count++};
}

void smc_warp_trace_end(struct smc_warp_trace *trace)
{
    if (trace->ends)
        return;
    trace->calls = 0;
    leave_loops(trace, SMC_WARP_TRACE_SKIP);
    if (trace->skip && trace->count == trace->capacity)
        end_full(trace);
}

void smc_warp_path_add(struct smc_warp_path *path, const struct smc_path_run *run)
{
    if (!path || path->failed)
        return;
    if (path->count == path->room) {
        const size_t room = path->room ? path->room * 2 : 1024;
        struct smc_path_run *more = smc_realloc(path->run, room * sizeof *more);
        path->failed = !more;
        if (!more)
            return;
        path->run = more;
        path->room = room;
    }
    path->run[path->count++] = *run;
}

void smc_warp_path_branch_back(struct smc_warp_path *path, uint32_t to)
{
    if (!path || path->failed)
        return;
    path->run[path->count - 1].goes_back = true;
    path->run[path->count - 1].back_to = to;
}
