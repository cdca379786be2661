/* Constants in the model of one SM, read at an index of each lane or at one of the whole warp. */
#include "machine/timing/sm_state.h"

/* A number that distinguishes readers that share no lines: blocks, and warps that others have
   delayed. */
static uint64_t reader_of(const struct smc_sm_state *sm, const struct smc_sm_warp *warp)
{
    enum { READER_SHIFT = 32 };
    const uint64_t reader =
        warp->is_apart ? sm->slots + (uint64_t)(warp - sm->warp) : (uint64_t)warp->block;
    return reader << READER_SHIFT;
}

/* Whether the cache of constants lacks a line, which then replaces another one. */
static bool lacks_constants(struct smc_sm_constants *cache, uint64_t number)
{
    for (uint32_t i = 0; i < SMC_SM_CONSTANT_LINES; i++)
        if (cache->line[i] == number)
            return false;
    cache->line[cache->next++ % SMC_SM_CONSTANT_LINES] = number;
    return true;
}

/* Notes that a line of constants was read; false: it had been read before. */
static bool sees_line(uint8_t seen[SMC_SM_CONSTANT_PLACES / 8], uint64_t number)
{
    const uint32_t place = (uint32_t)(number % SMC_SM_CONSTANT_PLACES);
    const bool is_new = !(seen[place / 8] >> place % 8 & 1);
    seen[place / 8] |= (uint8_t)(1u << place % 8);
    return is_new;
}

/* For each line, the words of constants that a part of a trace reads at indices of its lanes, or at
   those that its lanes share. */
struct words {
    uint16_t of_line[SMC_SM_CONSTANT_PLACES];
    uint32_t lines, most; /* lines; words of one */
    uint32_t added;       /* words that were not read before, since this was 0 */
    uint32_t reads, of_added;
};

static void add_words(const struct smc_sm_state *sm, const struct smc_warp_trace *trace,
                      enum smc_sm_kind kind, size_t from, size_t to, struct words *words)
{
    for (size_t i = from; i < to; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step >= SMC_WARP_TRACE_SKIP || sm->step[entry->step].kind != kind)
            continue;
        for (uint32_t k = 0; k < entry->lines; k++) {
            const struct smc_warp_trace_line *line = &trace->line[entry->line + k];
            uint16_t *of_line = &words->of_line[line->number % SMC_SM_CONSTANT_PLACES];
            const uint32_t before = *of_line, now = before | line->sectors | line->sets << 8;
            const uint32_t count = (uint32_t)__builtin_popcount(now);
            words->lines += before == 0;
            words->added += count - (uint32_t)__builtin_popcount(before);
            words->of_added += now != before;
            words->reads++;
            words->most = count > words->most ? count : words->most;
            *of_line = (uint16_t)now;
        }
    }
}

/* The lines that warps of a block read at a time by one index, if others have delayed them: more
   than 2, and at most 5. Blocks of 8 warps that follow one another, 8 at a time, go through 4 to 32
   KiB in 64 to 1024 iterations without missing a line, also with loads of global memory; in an
   incoherent dedispersion, by two indices, each warp misses what the cache lacks (H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30). */
enum { LINES_APART = 4 };

/* Whether the warps that reside read more lines at a time than the cache has. */
static bool need_more_lines(const struct smc_sm_state *sm, const struct words *words)
{
    const uint32_t warps = sm->launch->warps_per_block;
    uint32_t indices = words->of_line[0] != 0; /* as there are runs of lines */
    for (uint32_t i = 1; i < SMC_SM_CONSTANT_PLACES; i++)
        indices += words->of_line[i] && !words->of_line[i - 1];
    return sm->slots * indices * (warps < LINES_APART ? warps : LINES_APART) >
           SMC_SM_CONSTANT_LINES;
}

/* The lines that the iterations left out of a trace read. If most words in the second half of the
   kept part of a loop are read for the first time, these are taken to read new words likewise. */
static double lines_left_out(const struct smc_sm_state *sm, const struct smc_warp_trace *trace,
                             enum smc_sm_kind kind)
{
    size_t mark[SMC_WARP_TRACE_DEPTH + 1] = {0};
    double lines = 0;
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step == SMC_WARP_TRACE_LOOP)
            mark[entry->line] = i + 1;
        if (entry->step != SMC_WARP_TRACE_SKIP)
            continue;
        const struct smc_warp_trace_skip *skip = &trace->skip[entry->line];
        const size_t kept = i - mark[skip->depth], middle = i - kept / 2;
        struct words words = {.lines = 0};
        add_words(sm, trace, kind, 0, middle, &words);
        words.added = words.reads = words.of_added = 0;
        add_words(sm, trace, kind, middle, i, &words);
        if (2 * words.of_added > words.reads && skip->window > 0)
            lines += (double)words.added / words.most * (double)kept / (double)(kept / 2) *
                     (double)skip->executed / (double)skip->window;
    }
    return lines;
}

/* All lines that a warp reads at indices of its lanes; 0 if warps share the lines in the cache. */
static double lines_of_trace(const struct smc_sm_state *sm, const struct smc_warp_trace *trace)
{
    struct words words = {.lines = 0};
    add_words(sm, trace, SMC_SM_CONSTANTS, 0, trace->count, &words);
    if (words.lines == 0 || !need_more_lines(sm, &words))
        return 0;
    return words.lines + lines_left_out(sm, trace, SMC_SM_CONSTANTS);
}

double smc_sm_drifting_constants(const struct smc_sm_state *sm)
{
    const struct smc_sm_launch *launch = sm->launch;
    double most = 0;
    if (launch->no_more_blocks && launch->blocks <= launch->resident_blocks)
        return 0;
    for (uint32_t i = 0; i < launch->program->count; i++)
        if (sm->step[i].kind == SMC_SM_CONSTANTS) {
            for (uint32_t w = 0; w < launch->warps_per_block; w++)
                most = smc_later(most, lines_of_trace(sm, launch->block[0].trace[w]));
            break;
        }
    return most;
}

bool smc_sm_shares_constants(const struct smc_sm_state *sm)
{
    const struct smc_sm_launch *launch = sm->launch;
    struct words words = {.lines = 0};
    double left_out = 0;
    for (uint32_t b = 0; b < launch->blocks; b++)
        for (uint32_t w = 0; w < launch->warps_per_block; w++) {
            const struct smc_warp_trace *trace = launch->block[b].trace[w];
            add_words(sm, trace, SMC_SM_UNIFORM_CONSTANTS, 0, trace->count, &words);
            if (trace->skip_count > 0 && b == 0)
                left_out = smc_later(left_out, lines_left_out(sm, trace, SMC_SM_UNIFORM_CONSTANTS));
        }
    return words.lines + left_out <= SMC_SM_UNIFORM_LINES;
}

/* Lines that an access has to wait for. Where lanes read several, they are in no order. Where
   iterations of a loop are left out, warps have drifted apart in them, and each that others have
   delayed reads lines of its own. */
static double missing_constants(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                                const struct smc_warp_trace_entry *entry)
{
    struct smc_sm_constants *cache = &sm->constants;
    const struct smc_warp_trace_line *line = &warp->trace->line[entry->line];
    const bool drifts = warp->trace->skip_count > 0 && cache->drifting > SMC_SM_CONSTANT_LINES;
    const uint64_t reader = drifts ? reader_of(sm, warp) : 0;
    double missing = 0;
    for (uint32_t i = 0; i < entry->lines; i++) {
        cache->lines += sees_line(cache->seen, line[i].number);
        missing += lacks_constants(cache, line[i].number + reader);
    }
    if (drifts)
        missing *= 1 - SMC_SM_CONSTANT_LINES / cache->drifting;
    else if (entry->lines > 1 && cache->lines > SMC_SM_CONSTANT_LINES)
        missing = entry->lines * (1 - (double)SMC_SM_CONSTANT_LINES / cache->lines);
    return missing;
}

/* Constants are read word by word, while the unit also serves other accesses. A line that is
   missing also delays the words that are there. */
double smc_sm_constants(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                        const struct smc_warp_trace_entry *entry, double clock)
{
    const struct smc_rates *rates = sm->rates;
    struct smc_sm_constants *cache = &sm->constants;
    const double words = entry->wavefronts > 1 ? entry->wavefronts : 1;
    const double missing = missing_constants(sm, warp, entry);
    const double there = entry->lines ? words * (1 - missing / entry->lines) : words;
    const double clocks = words * rates->constant_clocks + missing * rates->constant_miss_clocks;
    const double start = smc_later(clock, cache->free_clock);
    cache->free_clock = start + clocks;
    sm->work->constants += clocks;
    sm->work->unknown += entry->unknown_addresses;
    return start + rates->constant_latency + (words - 1) * rates->constant_word_latency +
           missing * (rates->constant_miss_latency + there * rates->constant_delayed_latency);
}

/* The clock at which the constants arrive; the warp waits for it. The least recently used line is
   replaced. The warps of a block read the same lines at about the same time until loads or stores
   delay them differently; of a table that a sub-partition holds all read the same lines. */
double smc_sm_uniform_constants(struct smc_sm_state *sm, struct smc_sm_part *part,
                                const struct smc_sm_warp *warp,
                                const struct smc_warp_trace_entry *entry, double clock)
{
    sm->work->unknown += entry->unknown_addresses;
    if (entry->lines == 0)
        return clock;
    const uint64_t reader = sm->shares_constants ? 0 : reader_of(sm, warp);
    const uint64_t number = warp->trace->line[entry->line].number + reader;
    struct smc_sm_uniform_line *oldest = part->uniform_line;
    for (uint32_t i = 0; i < SMC_SM_UNIFORM_LINES; i++) {
        struct smc_sm_uniform_line *line = &part->uniform_line[i];
        if (line->number == number) {
            line->used = clock + 1;
            return clock;
        }
        if (line->used < oldest->used)
            oldest = line;
    }
    *oldest = (struct smc_sm_uniform_line){number, clock + 1};
    const double start = smc_later(clock, sm->uniform_free);
    sm->uniform_free = start + sm->rates->uniform_miss_clocks;
    return start + sm->rates->uniform_miss_latency;
}
