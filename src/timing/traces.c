/* Traces of blocks. */
#include "timing/traces.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { LINES_FOR_EACH_ENTRY = 16, KNOWN_LENGTHS = 64 };

struct known {
    uint64_t signature, length;
    uint32_t last_step;
};

static void block_index(const uint32_t grid[3], uint64_t number, uint32_t index[3])
{
    index[0] = (uint32_t)(number % grid[0]);
    index[1] = (uint32_t)(number / grid[0] % grid[1]);
    index[2] = (uint32_t)(number / grid[0] / grid[1]);
}

/* Warps that decided alike until they were cut off are as long. */
static enum smc_status find_length(const struct smc_machine_launch *launch, const uint32_t index[3],
                                   uint32_t warp, const struct smc_trace *cut, struct known *known,
                                   uint32_t *count, uint64_t *length, struct smc_error *error)
{
    uint32_t last = cut->entry[cut->room - 1].step;
    for (uint32_t i = 0; i < *count; i++)
        if (known[i].signature == cut->signature && known[i].last_step == last) {
            *length = known[i].length;
            return SMC_OK;
        }
    struct smc_trace whole = {.room = 0};
    enum smc_status status = smc_machine_trace(launch, index, warp, &whole, error);
    *length = whole.count;
    if (*count < KNOWN_LENGTHS)
        known[(*count)++] = (struct known){cut->signature, whole.count, last};
    return status;
}

static enum smc_status trace_blocks(const struct smc_machine_launch *launch, uint64_t first,
                                    uint64_t stride, size_t room, struct smc_traces *traces,
                                    struct smc_error *error)
{
    struct known known[KNOWN_LENGTHS];
    uint32_t known_count = 0;
    enum smc_status status = SMC_OK;
    uint32_t warps = traces->warps_per_block;
    for (uint32_t b = 0; b < traces->blocks && status == SMC_OK; b++) {
        uint32_t index[3];
        block_index(launch->grid, first + b * stride, index);
        traces->block[b].trace = &traces->pointer[(size_t)b * warps];
        for (uint32_t w = 0; w < warps && status == SMC_OK; w++) {
            size_t i = (size_t)b * warps + w;
            struct smc_trace *trace = &traces->trace[i];
            traces->pointer[i] = trace;
            *trace = (struct smc_trace){.entry = traces->entries + i * room,
                                        .room = room,
                                        .line = traces->lines + i * room * LINES_FOR_EACH_ENTRY,
                                        .line_room = room * LINES_FOR_EACH_ENTRY,
                                        .patterns = traces->patterns,
                                        .stop = true};
            status = smc_machine_trace(launch, index, w, trace, error);
            traces->length[i] = trace->count;
            if (status != SMC_OK || trace->count < room)
                continue;
            traces->whole = false;
            status = find_length(launch, index, w, trace, known, &known_count, &traces->length[i],
                                 error);
        }
    }
    return status;
}

enum smc_status smc_traces_make(const struct smc_machine_launch *launch, uint64_t first,
                                uint64_t stride, uint32_t blocks, uint64_t budget,
                                struct smc_traces *traces, struct smc_error *error)
{
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = (threads + 31) / 32;
    size_t all = (size_t)warps * blocks;
    size_t room = budget / all < 256 ? 256 : budget / all;
    if (room > 20000)
        room = 20000;
    *traces = (struct smc_traces){.blocks = blocks, .warps_per_block = warps, .whole = true};
    traces->trace = smc_calloc(all, sizeof *traces->trace);
    traces->length = smc_calloc(all, sizeof *traces->length);
    traces->pointer = smc_calloc(all, sizeof *traces->pointer);
    traces->block = smc_calloc(blocks, sizeof *traces->block);
    traces->entries = smc_malloc(all * room * sizeof *traces->entries);
    traces->lines = smc_malloc(all * room * LINES_FOR_EACH_ENTRY * sizeof *traces->lines);
    traces->patterns = smc_calloc(1, sizeof *traces->patterns);
    if (!traces->trace || !traces->length || !traces->pointer || !traces->block ||
        !traces->entries || !traces->lines || !traces->patterns) {
        smc_traces_free(traces);
        return smc_out_of_memory(error);
    }
    enum smc_status status = trace_blocks(launch, first, stride, room, traces, error);
    if (status != SMC_OK)
        smc_traces_free(traces);
    return status;
}

void smc_traces_free(struct smc_traces *traces)
{
    free(traces->trace);
    free(traces->length);
    free(traces->pointer);
    free(traces->block);
    free(traces->entries);
    free(traces->lines);
    free(traces->patterns);
    *traces = (struct smc_traces){0};
}

struct period {
    uint32_t step, length, from, to;
};

/* The place after the first iteration of the loop that is closed by entry `at`, and the last such
   place. */
static bool span_of(const struct smc_trace *trace, size_t count, uint32_t step, uint32_t *from,
                    uint32_t *to)
{
    uint32_t seen = 0;
    for (size_t i = 0; i + 1 < count; i++)
        if (trace->entry[i].step == step && trace->entry[i + 1].step <= step) {
            if (++seen == 1)
                *from = (uint32_t)i + 1;
            *to = (uint32_t)i + 1;
        }
    return seen >= 2;
}

void smc_traces_period(const struct smc_traces *traces, uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    size_t all = (size_t)traces->blocks * traces->warps_per_block;
    const struct smc_trace *trace = NULL;
    for (size_t i = 0; i < all && !trace; i++)
        if (traces->length[i] > traces->trace[i].room)
            trace = &traces->trace[i];
    if (!trace)
        return;
    size_t count = trace->room;
    struct period longest = {0}, outermost = {0};
    for (int pass = 0; pass < 2; pass++) {
        uint32_t last = UINT32_MAX;
        for (size_t i = 0; i + 1 < count; i++) {
            struct period p = {.step = trace->entry[i].step};
            uint32_t next = trace->entry[i + 1].step;
            if (next > p.step || p.step == last || p.step == outermost.step)
                continue;
            last = p.step;
            p.length = p.step - next + 1;
            if (!span_of(trace, count, p.step, &p.from, &p.to))
                continue;
            if (p.to - p.from > longest.to - longest.from)
                longest = p;
            if (pass == 1 && p.length > outermost.length &&
                2 * (p.to - p.from) >= longest.to - longest.from)
                outermost = p;
        }
    }
    *from = outermost.from;
    *to = outermost.to;
    bool found = outermost.length > 0;
    if (!found) {
        *from = (uint32_t)(count / 3);
        *to = (uint32_t)count - 1;
    }
}
