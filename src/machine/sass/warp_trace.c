/* What one warp executed. */
#include "machine/sass/warp_trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* In a loop that waits for barriers, one round through them is kept for each ENTRIES_FOR_ROUND
   entries that another loop would keep. Rounds are left out in fours: phase parities then stay the
   same, and warps that execute several iterations at a time leave out the same rounds. */
enum { LEAST_ITERATIONS = 3, LEAST_ROUNDS = 4, ENTRIES_FOR_ROUND = 128, ROUNDS_LEFT_OUT = 4 };

static void keep(struct smc_warp_trace *trace, const struct smc_warp_trace_entry *entry)
{
    if (trace->count < trace->capacity)
        trace->entry[trace->count++] = *entry;
    if (trace->count > trace->most)
        trace->most = trace->count;
}

/* The first instruction is left out, unless one was before. */
static void note_skip(struct smc_warp_trace *trace, uint64_t signature)
{
    if (trace->skipped)
        return;
    trace->skipped = true;
    trace->first_skip_length = trace->length;
    trace->first_skip_count = trace->count;
    trace->first_skip_signature = signature;
    if (trace->take_over && trace->take_over(trace->context, trace, signature))
        trace->ends = true;
}

static void begin_skip(struct smc_warp_trace *trace, uint32_t depth, uint64_t signature)
{
    trace->skips = true;
    trace->skipping = depth;
    trace->skip_length = trace->length;
    note_skip(trace, signature);
}

static void end_skip(struct smc_warp_trace *trace)
{
    const struct smc_warp_trace_loop *loop = &trace->loop[trace->skipping];
    trace->skips = false;
    if (trace->count == trace->capacity || trace->skip_count == trace->skip_capacity ||
        trace->length == trace->skip_length)
        return;
    trace->waits_left_out += loop->waited != 0;
    trace->skip[trace->skip_count] =
        (struct smc_warp_trace_skip){.executed = trace->length - trace->skip_length,
                                     .window = trace->skip_length - loop->length,
                                     .depth = trace->skipping,
                                     .waits = loop->waited != 0};
    keep(trace, &(struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP,
                                               .line = (uint32_t)trace->skip_count++});
}

/* --- Rounds ----------------------------------------------------------------------------------- */

void smc_warp_trace_wait(struct smc_warp_trace *trace, uint32_t address)
{
    uint32_t i = 0;
    while (i < trace->barriers && trace->barrier[i].address != address)
        i++;
    if (i == SMC_WARP_TRACE_BARRIERS || trace->skips)
        return;
    if (i == trace->barriers)
        trace->barrier[trace->barriers++].address = address;
    trace->barrier[i].waits++;
    for (uint32_t k = 0; k < trace->depth; k++)
        trace->loop[k].waited |= UINT32_C(1) << i;
}

static void restart_rounds(struct smc_warp_trace *trace)
{
    for (uint32_t i = 0; i < trace->barriers; i++)
        trace->barrier[i].waits = 0;
    trace->round_ends = false;
}

/* Whether enough rounds of a loop are kept, not counting barriers that it waits for now and then.
 */
static bool has_rounds(const struct smc_warp_trace *trace, const struct smc_warp_trace_loop *loop)
{
    const uint64_t entries = trace->loop_entries / ENTRIES_FOR_ROUND,
                   rounds = entries > LEAST_ROUNDS ? entries : LEAST_ROUNDS;
    bool any = false;
    for (uint32_t waited = loop->waited; waited; waited &= waited - 1) {
        const uint32_t waits = trace->barrier[__builtin_ctz(waited)].waits;
        if (waits < rounds && waits > rounds / 2)
            return false;
        any |= waits >= rounds;
    }
    return any;
}

static struct smc_warp_trace_place place_of(const struct smc_warp_trace *trace)
{
    return (struct smc_warp_trace_place){trace->count, trace->line_count, trace->skip_count,
                                         trace->length};
}

static void begin_rounds(struct smc_warp_trace *trace, uint32_t depth, uint64_t signature)
{
    note_skip(trace, signature);
    if (trace->ends || trace->count == trace->capacity || trace->skip_count == trace->skip_capacity)
        return;
    trace->waits_left_out++;
    trace->round_skip = (uint32_t)trace->skip_count;
    trace->skip[trace->skip_count++] = (struct smc_warp_trace_skip){
        .window = trace->length - trace->loop[depth].length, .depth = depth, .rounds = true};
    keep(trace,
         &(struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_SKIP, .line = trace->round_skip});
    trace->leaves_rounds = true;
    trace->skipping = depth;
    trace->head = place_of(trace);
    restart_rounds(trace);
}

/* Removes members [from, to) of `count`; returns how many remain. */
static size_t remove_members(void *array, size_t bytes, size_t from, size_t to, size_t count)
{
    char *at = array;
    if (to > from)
        memmove(at + from * bytes, at + to * bytes, (count - to) * bytes);
    return count - (to - from);
}

/* Leaves out what is between the head and the end of the last round. */
static void leave_rounds_out(struct smc_warp_trace *trace)
{
    const struct smc_warp_trace_place *head = &trace->head, *end = &trace->round_end;
    const size_t lines = end->line_count - head->line_count,
                 skips = end->skip_count - head->skip_count;
    trace->count =
        remove_members(trace->entry, sizeof *trace->entry, head->count, end->count, trace->count);
    trace->line_count = remove_members(trace->line, sizeof *trace->line, head->line_count,
                                       end->line_count, trace->line_count);
    trace->skip_count = remove_members(trace->skip, sizeof *trace->skip, head->skip_count,
                                       end->skip_count, trace->skip_count);
    for (size_t i = head->count; i < trace->count; i++) {
        struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step == SMC_WARP_TRACE_SKIP)
            entry->line -= (uint32_t)skips;
        else if (entry->step != SMC_WARP_TRACE_LOOP && entry->lines > 0)
            entry->line -= (uint32_t)lines;
    }
    trace->skip[trace->round_skip].executed += end->length - head->length;
    trace->head.length = end->length;
    for (uint32_t i = 0; i < trace->barriers; i++)
        trace->barrier[i].waits -= trace->barrier[i].waits / ROUNDS_LEFT_OUT * ROUNDS_LEFT_OUT;
    trace->round_ends = false;
}

/* An iteration ends in a loop of which rounds are left out. */
static void end_iteration(struct smc_warp_trace *trace, uint64_t signature)
{
    enum { MOST_HEADS = 8 };
    uint32_t most = 0;
    bool whole = true;
    for (uint32_t i = 0; i < trace->barriers; i++) {
        most = trace->barrier[i].waits > most ? trace->barrier[i].waits : most;
        whole &= trace->barrier[i].waits % ROUNDS_LEFT_OUT == 0;
    }
    if (trace->round_ends)
        leave_rounds_out(trace);
    else if (trace->count - trace->head.count > MOST_HEADS * trace->head.count) {
        trace->leaves_rounds = false; /* there are none */
        begin_skip(trace, trace->skipping, signature);
    }
    if (!whole || most < ROUNDS_LEFT_OUT)
        return;
    trace->round_end = place_of(trace);
    trace->round_ends = true;
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
        if (trace->leaves_rounds && trace->skipping == trace->depth) {
            if (trace->round_ends)
                leave_rounds_out(trace);
            trace->leaves_rounds = false;
        }
        if (!trace->leaves_rounds && trace->waits_left_out > loop->waits_left_out)
            restart_rounds(trace);
    }
}

void smc_warp_trace_reach(struct smc_warp_trace *trace, uint32_t step)
{
    leave_loops(trace, step);
}

void smc_warp_trace_add(struct smc_warp_trace *trace, const struct smc_warp_trace_entry *entry)
{
    const size_t lines = trace->line_count;
    leave_loops(trace, entry->step);
    trace->length++;
    if (trace->skips)
        return;
    struct smc_warp_trace_entry added = *entry;
    if (added.lines > 0)
        added.line -= (uint32_t)(lines - trace->line_count);
    keep(trace, &added);
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

/* Leaves out what follows, if enough of the loop is kept. */
static void end_of_iteration(struct smc_warp_trace *trace, uint32_t depth, uint64_t signature)
{
    const struct smc_warp_trace_loop *loop = &trace->loop[depth];
    if (trace->leaves_rounds && trace->skipping == depth)
        end_iteration(trace, signature);
    if (trace->skips || trace->leaves_rounds || loop->iterations < LEAST_ITERATIONS)
        return;
    if (loop->waited == 0 ? trace->count - loop->count >= trace->loop_entries
                          : trace->waits_left_out > loop->waits_left_out)
        begin_skip(trace, depth, signature);
    else if (loop->waited && has_rounds(trace, loop))
        begin_rounds(trace, depth, signature);
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
        end_of_iteration(trace, i - 1, signature);
    } else if (trace->depth < SMC_WARP_TRACE_DEPTH && !trace->skips) {
        keep(trace,
             &(struct smc_warp_trace_entry){.step = SMC_WARP_TRACE_LOOP, .line = trace->depth});
        trace->loop[trace->depth++] =
            (struct smc_warp_trace_loop){.first = to,
                                         .last = from,
                                         .calls = trace->calls,
                                         .waits_left_out = trace->waits_left_out,
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

void smc_warp_trace_path(const struct smc_warp_path *path, struct smc_warp_trace *trace)
{
    for (const struct smc_path_run *run = path->run; run < path->run + path->count; run++) {
        trace->calls = run->calls;
        smc_warp_trace_add_steps(trace, run->first, run->last, run->lanes);
        if (run->goes_back)
            smc_warp_trace_branch_back(trace, run->last - 1, run->back_to, 0);
    }
    smc_warp_trace_end(trace);
}
