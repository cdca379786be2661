/* Traces whose rest is taken over. */
#include "machine/timing/known_traces.h"

#include <math.h>
#include <string.h>

enum {
    SECTORS = SMC_LINE_BYTES / SMC_SECTOR_BYTES,
    MOST_MOVED_LINES = 2 * SMC_LANES /* of an entry whose sectors move within lines */
};

/* Whether the warps of a survey that are the same one of their blocks are alike wherever they are:
   `same_only` for length_of_nearest. */
static bool same_are_alike(const struct smc_known_traces *known)
{
    static const double nearly = 0.98;
    const struct smc_survey *survey = known->survey;
    const size_t count = (size_t)fmin((double)survey->warps, SMC_SURVEYED_WARPS);
    double least = INFINITY, most = 0, same = 0;
    for (size_t i = 0; i < count; i++) {
        if (survey->first[i].place % known->warps != known->place % known->warps)
            continue;
        same++;
        least = fmin(least, survey->first[i].length);
        most = fmax(most, survey->first[i].length);
    }
    return same > 1 && least >= nearly * most;
}

/* How many instructions a warp at a place has that was not walked to its end: as many as the
   nearest one of a survey that has more than the walk saw, of those that are the same one of their
   blocks if these are alike: the first one often does more. 0: there is none. */
static double length_of_nearest(const struct smc_known_traces *known, double seen)
{
    const struct smc_survey *survey = known->survey;
    const size_t count = (size_t)fmin((double)survey->warps, SMC_SURVEYED_WARPS);
    const uint64_t place = known->place;
    const bool same_only = same_are_alike(known);
    double length = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = survey->first[i].place, apart = at > place ? at - place : place - at;
        if (apart >= least || survey->first[i].length <= seen ||
            (same_only && apart % known->warps != 0))
            continue;
        least = apart;
        length = survey->first[i].length;
    }
    return length;
}

/* Leaves out of a trace that was taken over so much more or less that it gets a length. */
static void set_length(struct smc_warp_trace *trace, double length)
{
    uint64_t left_out = 0;
    for (size_t i = 0; i < trace->skip_count; i++)
        left_out += trace->skip[i].executed;
    if (length <= 0 || left_out == 0)
        return;
    const double kept = (double)(trace->length - left_out);
    const double times = fmax(0, length - kept) / (double)left_out;
    for (size_t i = 0; i < trace->skip_count; i++) {
        trace->length -= trace->skip[i].executed;
        trace->skip[i].executed = (uint64_t)((double)trace->skip[i].executed * times);
        trace->length += trace->skip[i].executed;
    }
}

/* A trace that is taken over, and where to. */
struct taking {
    const struct smc_known_traces *known;
    const struct smc_warp_trace *from;
    uint64_t from_place;
    struct smc_warp_trace *to;
    size_t shared; /* entries that both have from their walks, which may differ */
};

/* Values of `last`; others are the number of an entry. */
#define NOT_SOUGHT UINT32_MAX
#define NOT_SHARED (UINT32_MAX - 1)

struct lines {
    uint64_t first, count; /* 0: it is in no array */
};

/* The lines of the array that has a line. */
static struct lines lines_with(const struct smc_machine_launch *launch, uint64_t line)
{
    const size_t i = smc_time_array_with(launch->array, launch->arrays, line);
    if (i == launch->arrays)
        return (struct lines){line, 0};
    const struct smc_time_array *array = &launch->array[i];
    const uint64_t first = array->address / SMC_LINE_BYTES;
    return (struct lines){first, (array->address + array->bytes - 1) / SMC_LINE_BYTES - first + 1};
}

static bool is_global(const struct smc_warp_trace *trace, size_t entry)
{
    const struct smc_warp_trace_entry *at = &trace->entry[entry];
    return at->step < SMC_WARP_TRACE_SKIP && at->lines > 0 &&
           trace->line[at->line].number < SMC_WARP_TRACE_LOCAL;
}

static const struct smc_warp_trace_line *first_line(const struct smc_warp_trace *trace,
                                                    size_t entry)
{
    return &trace->line[trace->entry[entry].line];
}

/* The number of the first sector that an entry accesses. */
static uint64_t sector_of(const struct smc_warp_trace *trace, size_t entry)
{
    const struct smc_warp_trace_line *line = first_line(trace, entry);
    return line->number * SECTORS + (line->sectors ? (unsigned)__builtin_ctz(line->sectors) : 0);
}

/* Whether an entry of both walks is the same access to global memory. */
static bool is_shared(const struct taking *taking, size_t i)
{
    return taking->from->entry[i].step == taking->to->entry[i].step && is_global(taking->from, i) &&
           is_global(taking->to, i);
}

/* The last entry of both walks that accesses an array. */
static uint32_t last_of_array(const struct taking *taking, const struct lines *array)
{
    for (size_t i = taking->shared; i-- > 0;)
        if (is_shared(taking, i) &&
            first_line(taking->from, i)->number - array->first < array->count)
            return (uint32_t)i;
    return NOT_SHARED;
}

/* The sector with which the part of an array begins that a warp has if all have parts of the same
   size, in their order. */
static uint64_t part_of_warp(const struct smc_known_traces *known, uint64_t lines, uint64_t place)
{
    const uint32_t *grid = known->launch->grid;
    const double warps = (double)grid[0] * grid[1] * grid[2] * known->warps;
    return (uint64_t)floor((double)lines * SECTORS * (double)place / warps);
}

/* How many sectors further the warp accesses an array than the known one with an instruction. */
static uint64_t distance_of(const struct taking *taking, uint32_t step, const struct lines *array)
{
    uint32_t *last = &taking->known->last[step];
    if (*last == NOT_SOUGHT)
        *last = last_of_array(taking, array);
    if (*last != NOT_SHARED)
        return sector_of(taking->to, *last) - sector_of(taking->from, *last);
    return part_of_warp(taking->known, array->count, taking->known->place) -
           part_of_warp(taking->known, array->count, taking->from_place);
}

/* A line so many lines further, in its array. */
static uint64_t moved_line(const struct smc_machine_launch *launch, uint64_t line, uint64_t moved)
{
    const struct lines array = lines_with(launch, line);
    if (array.count == 0)
        return line + moved;
    const int64_t at = (int64_t)(line - array.first + moved) % (int64_t)array.count;
    return array.first + (uint64_t)(at < 0 ? at + (int64_t)array.count : at);
}

/* Lines with their sectors so many sectors further, which may then lie in twice as many lines;
   returns in how many. */
static uint8_t move_lines(const struct smc_machine_launch *launch,
                          const struct smc_warp_trace_line *from, uint8_t lines, uint64_t moved,
                          struct smc_warp_trace_line *to)
{
    const unsigned by = lines <= MOST_MOVED_LINES ? moved % SECTORS : 0;
    const uint64_t further = (uint64_t)((int64_t)(moved - by) / SECTORS);
    uint8_t count = 0;
    for (uint32_t i = 0; i < lines; i++)
        for (uint64_t next = 0; next < 2; next++) {
            const unsigned all = (unsigned)from[i].sectors << by,
                           sectors = next ? all >> SECTORS : all & ((1u << SECTORS) - 1);
            const uint64_t number = moved_line(launch, from[i].number, further + next);
            if (sectors == 0)
                continue;
            if (count == 0 || to[count - 1].number != number)
                to[count++] = (struct smc_warp_trace_line){.number = number};
            to[count - 1].sectors |= (uint8_t)sectors;
            to[count - 1].sets |= from[i].sets;
        }
    return count;
}

/* Copies an entry, with its lines if there is place for them. */
static void copy_entry(const struct taking *taking, size_t entry)
{
    struct smc_warp_trace *to = taking->to;
    struct smc_warp_trace_entry copy = taking->from->entry[entry];
    if (to->line_capacity - to->line_count < 2 * (size_t)copy.lines)
        copy.lines = 0;
    if (copy.lines) {
        const struct smc_warp_trace_line *source = &taking->from->line[copy.line];
        struct smc_warp_trace_line *line = &to->line[to->line_count];
        copy.line = (uint32_t)to->line_count;
        if (is_global(taking->from, entry)) {
            const struct lines array = lines_with(taking->known->launch, source->number);
            const uint64_t moved = distance_of(taking, copy.step, &array);
            copy.lines = move_lines(taking->known->launch, source, copy.lines, moved, line);
        } else {
            memcpy(line, source, copy.lines * sizeof *line);
        }
        to->line_count += copy.lines;
    }
    to->entry[to->count++] = copy;
}

/* The number of the first known trace that began like this one, or of the last that left its first
   instructions out at the same place if that suffices; their count: there is none. */
static uint32_t find_alike(const struct smc_known_traces *known, const struct smc_warp_trace *trace,
                           uint64_t signature)
{
    uint32_t last = known->count;
    for (uint32_t i = 0; i < known->count; i++) {
        const struct smc_warp_trace *other = known->trace[i];
        if (other->first_skip_signature == signature && other->first_skip_count == trace->count)
            return i;
        if (known->any && other->first_skip_count > 0 && trace->count > 0 &&
            other->entry[other->first_skip_count - 1].step == trace->entry[trace->count - 1].step)
            last = i;
    }
    return last;
}

void smc_known_traces_add(struct smc_known_traces *known, const struct smc_warp_trace *trace)
{
    if (known->count == SMC_KNOWN_TRACES)
        return;
    known->place_of[known->count] = known->place;
    known->trace[known->count++] = trace;
}

bool smc_known_traces_take_over(void *context, struct smc_warp_trace *trace, uint64_t signature)
{
    struct smc_known_traces *known = context;
    const uint32_t alike = find_alike(known, trace, signature);
    if (alike == known->count)
        return false;
    const struct smc_warp_trace *from = known->trace[alike];
    known->alike = alike;
    const size_t first = from->first_skip_count;
    if (from->skip_count == 0 || from->count - first > trace->capacity - trace->count)
        return false;
    const struct taking taking = {known, from, known->place_of[alike], trace,
                                  first < trace->count ? first : trace->count};
    memcpy(trace->skip, from->skip, from->skip_count * sizeof *trace->skip);
    trace->skip_count = from->skip_count;
    for (uint32_t i = 0; i < known->launch->program->count; i++)
        known->last[i] = NOT_SOUGHT;
    for (size_t i = 0; i < taking.shared; i++)
        if (is_shared(&taking, i))
            known->last[from->entry[i].step] = (uint32_t)i;
    for (size_t i = first; i < from->count; i++)
        copy_entry(&taking, i);
    trace->length += from->length - from->first_skip_length;
    if (known->survey)
        set_length(trace, length_of_nearest(known, (double)from->first_skip_length));
    return true;
}
