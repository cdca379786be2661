/* Memory in the model of one SM: L1's data stage, the way to L2 and DRAM, atomics, bulk copies. */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "machine/timing/l2.h"
#include "machine/timing/sm_state.h"
#include "rules/banks.h"

/* Clocks of stores that wait for L2 before accesses to memory have to wait. */
enum { STORE_QUEUE = 128 };

/* A load delays stores to L2 by this share of its own time there: measured with 4, 2 and 1 loads
   for 4 stores on an H100 and an H200 (CUDA 13.0, driver 580.159.04, 2026-11-24). */
#define LOAD_AMONG_STORES 0.4

/* What a load asks L2 for of a line leaves the SM among stores: a warp's load and store at 16 and
   32 lines, 64 and 128 bytes apart, take 64 and 104 clocks of the only SM that is busy if L1 does
   not have what is loaded, and 48 and 64 without the load (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
enum { REQUEST_CLOCKS = 1 };

/* How many of the four sectors of a line. */
static uint32_t sectors_in(uint32_t mask)
{
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return count[mask & 0xf];
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* The number of the array that has a line; the number of arrays if none has. */
static size_t array_of(const struct smc_sm_state *sm, uint64_t line)
{
    return smc_time_array_with(sm->launch->array, sm->launch->arrays, line);
}

uint64_t smc_sm_changed_arrays(const struct smc_sm_state *sm)
{
    const struct smc_sm_launch *launch = sm->launch;
    uint64_t changed = 0;
    for (size_t i = 0; i < (size_t)launch->blocks * launch->warps_per_block; i++) {
        const struct smc_warp_trace *trace =
            launch->block[i / launch->warps_per_block].trace[i % launch->warps_per_block];
        for (size_t k = 0; k < trace->count; k++) {
            const struct smc_warp_trace_entry *entry = &trace->entry[k];
            if (entry->step >= SMC_WARP_TRACE_SKIP || entry->lines == 0 ||
                (sm->step[entry->step].kind != SMC_SM_GLOBAL_STORE &&
                 sm->step[entry->step].kind != SMC_SM_ATOMIC))
                continue;
            const size_t array = array_of(sm, trace->line[entry->line].number);
            changed |= array < launch->arrays ? UINT64_C(1) << array : 0;
        }
    }
    return changed;
}

static bool is_local(uint64_t line)
{
    return line >= SMC_WARP_TRACE_LOCAL && line < SMC_WARP_TRACE_CONSTANTS;
}

/* A line with its number in memory: the warps that take the place of one another have the same
   local memory. */
static struct smc_warp_trace_line placed(const struct smc_sm_state *sm,
                                         const struct smc_sm_warp *warp,
                                         struct smc_warp_trace_line line)
{
    if (is_local(line.number))
        line.number += (uint64_t)(warp - sm->warp) * SMC_WARP_TRACE_LOCAL_WORDS;
    return line;
}

/* Local memory has the place after all arrays and what is in none of them. */
static size_t local_array(const struct smc_sm_state *sm)
{
    return sm->launch->arrays + 1;
}

enum {
    MANY_LINES = 8,
    MOST_LINES = 4 * SMC_LANES /* of 16 bytes a lane in local memory */
};

/* L2 takes stores so many times as long where other blocks of the launch load from the array.
   Loaded and stored in place, 16 bytes a thread, 8, 12, 16 and 20 MiB take 1.89, 2.63, 3.33
   and 4.10 us longer than an empty launch of as many blocks; from one array to another 8 and 12
   MiB 1.31 and 1.73; a single round of blocks, 4 MiB, 0.74 both (H200, CUDA 13.0, driver
   580.159.04, 2026-11-30). Not stores to many lines: 4, 6 and 12 members of structures that a warp
   stores to 8 and 12 lines take 0.99 to 1.07 times as long in place as from one array to another,
   in 24 and 480 MiB; 4 and 6 that it stores to 32 lines 0.95 and 1.04 times in 24 MiB, and half as
   long in 480 (the same, 2026-12-01). */
static double in_place_slots(const struct smc_sm_state *sm, size_t array, uint32_t lines)
{
    const double loaded_too = 1.27;
    const bool follow = sm->launch->blocks > sm->slots || !sm->launch->no_more_blocks;
    const bool few = lines < MANY_LINES;
    return few && follow && sm->launch->traffic[array].loaded > 0 ? loaded_too : 1;
}

/* Of how many requests to a piece of memory L2 takes the time for a store. Stores by one warp after
   the other to the same word are merged, the fewer the more sectors the sub-partition's warps load
   in between that L1 lacks: of warps that load one sector, 131,072 and 524,288 take 0.187e-9 s
   each; of those that load 8, 32 and 64, 0.52, 0.92 and 1.07e-9, and 0.69, 1.03 and 1.13e-9 at two
   words in one unit of L2, which gets 73, 85 and all of them; of a byte as of a word (H200, CUDA
   13.0, driver 580.159.04, 2026-11-30). */
static double requests_of_store(bool same, double loaded_sectors)
{
    static const double alone = 3.6, merged = 0.51, sectors = 16;
    return same ? alone - (alone - merged) * exp(-loaded_sectors / sectors) : alone;
}

/* A piece that comes from DRAM in no order takes L2 as long as so many sectors: runs of 2 to 64 at
   random places of 80 MiB, of which 26 to 37 % of the pieces are missing, take 28 to 42 % longer
   than those of 24 MiB, and runs of one as long as DRAM does (H200, CUDA 13.0, 2026-11-30). */
#define FILL_SLOTS 2

/* How many pieces of 64 bytes have one of these sectors of a line. */
static uint32_t pieces_in(uint32_t sectors)
{
    return ((sectors & 0x3) != 0) + ((sectors & 0xc) != 0);
}

/* Notes how many of so many pieces that a request loads or stores it shares with others. Where its
   lanes access all of some runs of sectors but for parts of the first and the last one, as in rows
   that begin anywhere, the other requests of the row access the rest of these. */
static void note_shared(const struct smc_sm_state *sm, const struct smc_warp_trace_line *line,
                        const struct smc_warp_trace_entry *entry, double pieces, bool stores)
{
    enum { SECTORS = SMC_LINE_BYTES / SMC_SECTOR_BYTES, LEAST = 4 /* sectors of a run */ };
    const double bytes =
        (double)sm->launch->program->step[entry->step].in.access_bytes * entry->active_lanes;
    uint32_t sectors = 0, runs = 0;
    uint64_t after = 0;
    if (!sm->reuse.piece || pieces <= bytes / SMC_L2_PIECE_BYTES)
        return;
    for (uint32_t i = 0; i < entry->lines; i++)
        for (uint32_t k = 0; k < SECTORS; k++) {
            const uint64_t number = line[i].number * SECTORS + k;
            if (!(line[i].sectors >> k & 1))
                continue;
            sectors++;
            runs += number != after;
            after = number + 1;
        }
    if (sectors < LEAST * runs || bytes <= (sectors - 2.0 * runs) * SMC_SECTOR_BYTES)
        return;
    struct smc_sm_traffic *traffic = &sm->launch->traffic[array_of(sm, line->number)];
    *(stores ? &traffic->stored_shared : &traffic->loaded_shared) +=
        (pieces - bytes / SMC_L2_PIECE_BYTES) * sm->weight;
}

/* Whether the lines of a request are in no order: many, at unequal distances. Equal distances in
   bytes are not always the same number of lines. */
static bool is_scattered(const struct smc_warp_trace_line *line, uint32_t lines)
{
    if (lines < MANY_LINES)
        return false;
    for (uint32_t i = 2; i < lines; i++)
        if (line[i].number - line[i - 1].number + 1 - (line[1].number - line[0].number) > 2)
            return true;
    return false;
}

/* Whether an access of a step to a line is at a place in no order: it is not as far from the one
   before, of any warp, as one of those before that. */
static bool is_astray(const struct smc_sm_state *sm, uint32_t step, uint64_t line)
{
    enum { FIRST = 2 * SMC_SM_STRIDES };
    struct smc_sm_strides *strides = sm->strides ? &sm->strides[step] : NULL;
    if (!strides)
        return false;
    const int64_t apart = (int64_t)(line - strides->last);
    strides->last = line;
    for (int i = 0; i < SMC_SM_STRIDES; i++)
        if ((uint64_t)(apart - strides->apart[i] + 1) <= 2)
            return false;
    strides->apart[strides->next++ % SMC_SM_STRIDES] = apart;
    return ++strides->seen > FIRST;
}

/* What is loaded of one line, or wanted by one instruction at unknown addresses. */
struct request {
    uint64_t line;
    uint32_t sectors, pieces;
    double slots; /* as in struct smc_step_work */
    size_t array;
    bool scattered, astray;
    bool stored;     /* by this SM a while ago, so that L2 holds it */
    bool is_far;     /* in the half of L2 that is not the SM's */
    double distance; /* clocks more than on average */
    uint32_t lines;  /* of the whole request */
    double again;    /* sectors that L2 gives a second time, for each one */
};

/* A number in [0, 1) for each group of so many lines. */
static double sm_memory_place(uint64_t line, uint32_t lines)
{
    return (double)(line / lines * UINT64_C(0x9e3779b97f4a7c15) >> 32) * 0x1p-32;
}

/* Warps that load one line each next to each other wait for L2 no longer than one warp. */
enum { LINES_OF_L2 = 32 };

/* Whether L2 has a line only in the half that is not the SM's. Each half keeps the lines of its own
   memory, and copies of what its SMs loaded of the other half's, until these are stored to. */
static bool is_far(const struct smc_sm_state *sm, size_t array, uint64_t line)
{
    static const double share = 0.25;
    return array < 64 && sm->changed >> array & 1 &&
           fmod(64 * sm_memory_place(line, LINES_OF_L2), 1) < share;
}

/* Notes work for DRAM, in clocks. Its queues are those of all SMs, so what counts is how much of
   its rate an SM uses over several blocks, not the burst in which the warps of one load: a kernel
   with 8 blocks of 8 warps, which load twice, compute and store, takes 128 us, 112 of which DRAM is
   busy; with the use of the last 2000 clocks the model has 203 us, with that of 8000 142 us (473
   MB; H200, CUDA 13.0, driver 580.159.04, 2026-11-30). In the beginning SMs are in step. */
enum { DRAM_USE_CLOCKS = 8000, IN_STEP_CLOCKS = 2000 };

static void use_dram(struct smc_sm_state *sm, double clock, double loads, double stores)
{
    struct smc_sm_dram_use *use = &sm->dram_use;
    if (clock > use->seen) {
        const double kept = exp((use->seen - clock) / DRAM_USE_CLOCKS);
        *use = (struct smc_sm_dram_use){use->loads * kept, use->stores * kept, clock};
    }
    use->loads += loads / DRAM_USE_CLOCKS;
    use->stores += stores / DRAM_USE_CLOCKS;
}

/* The clock at which DRAM serves a load, which waits in its queues: the longer, the more of its
   rate is used, and among stores, since DRAM turns around. A load alone takes 670 clocks. One after
   the other, by 2048 threads of each SM, they take 165 to 190 longer at 45 to 55 % of the rate, 280
   and 400 at 54 % with a store for each 8 and 2 of them, 470, 580, 620 and 660 at 62, 67, 71 and 72
   % with as many stores (4 to 512 MiB). Half of that differs from place to place as an exponential
   distribution does, so that a block waits the longer, the more places its warps load at once: one
   word a thread of 1, 4, 8, 16 and 32 rows 0, 70, 130, 190 and 260 clocks longer at 37 % of the
   rate. What this SM itself has asked for before comes first, at the SM's share of the rate: where
   DRAM is busy that is the queue, else it is in front of it (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
static double served_by_dram(struct smc_sm_state *sm, double clock, uint64_t line)
{
    enum { PLACE = 4 /* lines */ };
    static const double of_loads = 350, among_stores = 500, by_place = 0.5;
    const struct smc_sm_dram_use *use = &sm->dram_use;
    const double noted = use->loads + use->stores;
    if (noted <= 0)
        return smc_later(sm->dram_free, clock);
    const double all = noted / (1 - exp(-(clock + IN_STEP_CLOCKS) / DRAM_USE_CLOCKS));
    const double share = fmin(all, 1), stores = use->stores / noted;
    const double mean = share * (of_loads + among_stores * 4 * stores * (1 - stores));
    const double waits =
        mean * (1 - by_place - by_place * log(1 - sm_memory_place(line + PLACE, PLACE)));
    const double own = fmax(0, sm->dram_free - clock);
    return clock + fmax(own, waits + (1 - share) * own);
}

/* The clock at which what was asked for at `clock` arrives from L2 or DRAM. Of L2's time, what was
   the SM's share of so many clocks before and was not used is used first. */
static double from_l2(struct smc_sm_state *sm, double clock, double before,
                      const struct request *request)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_sm_dram *dram = &sm->launch->dram[request->array];
    struct smc_sm_traffic *traffic = &sm->launch->traffic[request->array];
    double slots = request->slots * (1 + request->again);
    double due = (dram->scattered ? request->pieces : request->sectors) * dram->load_share;
    if (request->stored)
        due = 0;
    if (dram->in_no_order && !request->stored)
        slots += FILL_SLOTS * request->pieces * dram->load_share;
    const double clocks = slots * rates->l2_load_clocks;
    const double sent = smc_later(clock, fmin(sm->stores_free, clock + STORE_QUEUE));
    sm->delay += smc_later(smc_later(sm->l2_free, sent) - clock, 0);
    clock = sent; /* behind stores */
    sm->l2_free = smc_later(sm->l2_free, clock - before) + clocks;
    sm->stores_free =
        smc_later(sm->stores_free, clock) + smc_later(clocks * LOAD_AMONG_STORES, REQUEST_CLOCKS);
    double arrives = smc_later(sm->l2_free, clock) + rates->l2_latency + request->distance +
                     (request->is_far ? rates->far_latency : 0);
    sm->work->l2_sectors += sm->counts_for * request->sectors * (1 + request->again);
    sm->work->load_pieces += sm->counts_for * request->pieces;
    sm->work->load_slots += sm->counts_for * slots;
    const double pieces = request->stored ? 0 : request->pieces * sm->weight;
    traffic->loaded += pieces;
    traffic->loaded_scattered += request->scattered ? pieces : 0;
    traffic->loaded_astray += request->astray ? pieces : 0;
    sm->dram_debt += due;
    if (sm->dram_debt >= 1) {
        double from_dram = floor(sm->dram_debt);
        sm->dram_debt -= from_dram;
        const double takes = from_dram * (dram->scattered ? rates->dram_scattered_load_clocks
                                                          : rates->dram_load_clocks);
        sm->dram_free = smc_later(sm->dram_free, clock) + takes;
        use_dram(sm, clock, takes, 0);
        arrives =
            smc_later(arrives, rates->dram_latency + served_by_dram(sm, clock, request->line));
    }
    return arrives;
}

/* L1's data stage takes one wavefront a clock, from shared and global memory alike. */
double smc_sm_data_stage(struct smc_sm_state *sm, double clock, double wavefronts)
{
    double start = smc_later(clock, sm->data_free);
    sm->delay += start - clock;
    sm->data_free = start + wavefronts;
    sm->work->wavefronts += wavefronts;
    return sm->data_free;
}

/* The wavefronts of accesses to shared memory. Where addresses are unknown, or how an atomic is
   served: the mean over random banks, the expected largest number of lanes in one of 32. */
double smc_sm_shared_wavefronts(struct smc_sm_state *sm, const struct smc_warp_trace_entry *entry,
                                bool known)
{
    static const double random[SMC_LANES + 1] = {
        0,    1,    1.03, 1.09, 1.18, 1.29, 1.41, 1.54, 1.66, 1.78, 1.90,
        2.00, 2.09, 2.17, 2.25, 2.32, 2.39, 2.46, 2.54, 2.61, 2.69, 2.76,
        2.84, 2.92, 2.99, 3.06, 3.13, 3.20, 3.27, 3.34, 3.41, 3.47, 3.53};
    double wavefronts = entry->wavefronts;
    if (!known) {
        sm->work->unknown++;
        wavefronts = random[entry->active_lanes];
    }
    sm->work->shared_wavefronts += wavefronts;
    return wavefronts;
}

double smc_sm_wait_to_swap(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                           const struct smc_warp_trace_entry *entry, double clock)
{
    if (entry->lines == 0)
        return 0;
    const uint64_t number = warp->trace->line[entry->line].number;
    struct smc_sm_swapped_word *word =
        &sm->slot[warp->block].swapped[number % SMC_SM_SWAPPED_WORDS];
    if (word->number != number)
        *word = (struct smc_sm_swapped_word){.number = number, .age = warp->age};
    const double start = word->age == warp->age ? clock : smc_later(clock, word->free_clock);
    word->age = warp->age;
    word->free_clock = start + sm->rates->swap_clocks;
    return start - clock;
}

static bool is_wide(const struct smc_sm_state *sm, const struct smc_warp_trace_entry *entry)
{
    enum { WIDE = 16 };
    return sm->launch->program->step[entry->step].in.access_bytes == WIDE;
}

/* A copy passes the data stage again on its way to shared memory, sector by sector where lanes
   copy sectors of their own. Where each lane copies 16 bytes, a warp takes 4.2 clocks of the stage
   in all, 5.3 among loads from shared memory (H200, CUDA 13.0, driver 580.159.04, 2026-11-29). */
static double sm_copy_wavefronts(const struct smc_sm_state *sm,
                                 const struct smc_warp_trace_entry *entry)
{
    static const double again = 5.3 / 4 - 1;
    if (is_wide(sm, entry))
        return again * entry->wavefronts;
    return entry->sectors > 2 * entry->wavefronts ? entry->sectors - entry->wavefronts
                                                  : entry->wavefronts;
}

/* Which arrays are loaded and which are stored. */
static void note_array(const struct smc_sm_state *sm, size_t array, bool store)
{
    uint64_t *seen = store ? &sm->result->stored : &sm->result->loaded;
    if (array < sm->launch->arrays)
        *seen |= UINT64_C(1) << array;
}

/* Adds accesses to those of a piece; NULL: there is no place for it. */
static struct smc_sm_hot_piece *note_hot(const struct smc_sm_state *sm,
                                         const struct smc_sm_warp *warp,
                                         struct smc_sm_hot_piece *hot, uint64_t number,
                                         double accesses)
{
    const uint32_t at = smc_hash_slot(++number, 12);
    for (uint32_t i = 0; i < 8; i++) {
        struct smc_sm_hot_piece *piece = &hot[(at + i) % SMC_SM_HOT_PIECES];
        if (piece->number && piece->number != number)
            continue;
        piece->number = number;
        piece->accesses += accesses;
        piece->blocks |= UINT64_C(1) << sm->slot[warp->block].block % 64;
        return piece;
    }
    return NULL;
}

/* Notes which part of an array a block accesses, in one of the spans of each. */
static void note_span(const struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                      struct smc_sm_span *spans, size_t array, uint64_t line)
{
    if (!spans)
        return;
    struct smc_sm_span *span = &spans[warp->block * (sm->launch->arrays + 2) + array];
    if (span->last == 0 || line < span->first)
        span->first = line;
    if (line > span->last)
        span->last = line;
}

/* Notes which pieces of an array are loaded or stored. */
static void note_pieces(struct smc_sm_state *sm, uint64_t line, uint32_t sectors, size_t array,
                        bool stores)
{
    struct smc_sm_traffic *traffic = &sm->launch->traffic[array];
    if (!sm->reuse.piece)
        return;
    traffic->pages += smc_reuse_page(&sm->reuse, 2 * line) ? sm->weight : 0;
    for (uint32_t i = 0; i < 2; i++)
        if (sectors >> 2 * i & 0x3)
            sm->left_out += smc_reuse_access(&sm->reuse, 2 * line + i, stores, sm->weight,
                                             stores ? &traffic->stores : &traffic->loads);
}

/* The sectors of a line that come from L2; `when` receives the clock at which the others arrive. */
static uint32_t sm_missing_sectors(struct smc_sm_state *sm, const struct smc_warp_trace_line *line,
                                   enum smc_sm_load_way way, double *when)
{
    *when = 0;
    if (way == SMC_SM_LOAD_COPIES_BEYOND_SM)
        return line->sectors;
    const uint32_t missing = smc_l1_look(&sm->cache, line->number, line->sectors, when);
    return way == SMC_SM_LOAD_BEYOND_SM ? line->sectors : missing;
}

/* Of the lines of a request: which are looked up, have sectors that are there, or others that
   still come. */
struct looked_up {
    uint64_t number[MOST_LINES];
    bool there[MOST_LINES], comes[MOST_LINES];
};

/* The wavefronts in which a request is read: what is there together, for each set of lanes, and
   what still comes as its tags were looked up, a line of each bank at a time. Requests of 1 to 32
   lines in one or two sets, none, one, half or all of them missing, or coming for the load before,
   take 1 to 17 wavefronts as this says (l1tex__data_pipe_lsu_wavefronts; 138 patterns on an H200,
   CUDA 13.0, driver 580.159.04, 2026-11-30). Lines that are written take turns of the stage where
   requests read most of its banks, those of few lines: 15 naive products take 0.2 to 0.8 clocks
   more for each load than its wavefronts, A A^T by columns none (likewise). Of 16 bytes a lane they
   do not: 48 loads of one or four rows by 8 warps take 165 to 210 clocks beyond the latency of L2
   (likewise). */
static double sm_read_lines(const struct smc_warp_trace_entry *entry,
                            const struct smc_warp_trace_line *line, const struct looked_up *looked,
                            double written)
{
    uint32_t looked_up[SMC_TAG_BANKS] = {0}, turns = 0;
    uint8_t there = 0, coming[MOST_LINES] = {0};
    for (uint32_t i = 0; i < entry->lines; i++) {
        const uint8_t sets = line[i].sets ? line[i].sets : 1;
        const uint32_t turn = looked_up[smc_tag_bank(looked->number[i])]++;
        there |= looked->there[i] ? sets : 0;
        coming[turn] |= looked->comes[i] ? sets : 0;
        turns = turn >= turns ? turn + 1 : turns;
    }
    double wavefronts = __builtin_popcount(there);
    for (uint32_t i = 0; i < turns; i++)
        wavefronts += __builtin_popcount(coming[i]);
    return smc_later(smc_later(entry->wavefronts, wavefronts) + written, turns);
}

/* The share of L1's banks that each wavefront of a request reads: lines that come are written
   beside those that leave banks idle. Naive products with tiles of 8, whose wavefronts read 4 to 16
   banks, take 2.2 wavefronts for each load of doubles and 1.5 of floats, and 2.3 to 2.6 and 1.9
   clocks of an SM; with a turn for each line that comes it would be 3.0 to 3.2 and 2.3
   (l1tex__data_pipe_lsu_wavefronts and l1tex__data_bank_reads, H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
static double busy_banks(const struct smc_warp_trace_entry *entry)
{
    return 1 - entry->idle_banks / (double)SMC_MAX_BANKS;
}

/* The clock at which the missing sectors of a line come, for a request of which `all` is known. L1
   asks for a line a clock: loads of 8, 16 and 32 missing lines take 7.8, 15.4 and 31 clocks, also
   among loads that hit (one SM; H200, CUDA 13.0, driver 580.159.04, 2026-11-29). */
static double fetch_line(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                         const struct request *all, uint64_t number, uint32_t missing, double clock)
{
    const bool local = is_local(number);
    struct request request = *all;
    double when;
    request.line = number;
    request.sectors = sectors_in(missing);
    request.pieces = pieces_in(missing);
    request.slots = smc_l2_load_slots(request.sectors, all->lines >= MANY_LINES);
    request.array = local ? local_array(sm) : array_of(sm, number);
    request.is_far = is_far(sm, request.array, number);
    request.distance = (sm_memory_place(number, LINES_OF_L2) - 0.5) * sm->rates->l2_spread;
    request.stored = !local && smc_l1_look(&sm->stored, number, missing, &when) == 0;
    if (!request.stored) {
        note_array(sm, request.array, false);
        note_pieces(sm, number, missing, request.array, false);
    }
    note_span(sm, warp, sm->span, request.array, number);
    sm->work->local_pieces += local ? request.pieces : 0;
    const double asked = smc_later(sm->asked_free, clock);
    sm->delay += asked - clock;
    sm->asked_free = asked + 1;
    return from_l2(sm, asked, 0, &request);
}

/* A load of a line of local memory sends on what is stored there: bytes that a warp loads, changes
   and stores in order all go to L2 (the same). */
static void end_local_store(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                            uint64_t number)
{
    struct smc_sm_part *part = &sm->part[warp->subpartition];
    for (int i = 0; i < SMC_SM_LOCAL_STORES; i++)
        if (part->local_line[i] == number)
            part->local_line[i] = 0;
}

/* A load while its lines are looked up. */
struct load {
    enum smc_sm_load_way way;
    double clock, there; /* when it was issued, and when the last of its sectors is there */
    double pieces;
    uint32_t sectors, filled; /* filled: lines with sectors that L1 has to fetch */
    uint32_t filled_sectors;
    bool hits, waits; /* lines whose sectors are all there; lines with others */
    struct looked_up *looked;
};

/* Looks up the lines of a load, and fetches what they miss. */
static void look_up_lines(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                          const struct smc_warp_trace_entry *entry, struct load *load)
{
    const struct smc_warp_trace_line *lines = &warp->trace->line[entry->line];
    const struct request all = {.scattered = is_scattered(lines, entry->lines),
                                .astray =
                                    entry->lines > 0 && is_astray(sm, entry->step, lines->number),
                                .lines = entry->lines,
                                .again = entry->sectors_again / fmax(entry->sectors, 1)};
    for (uint32_t i = 0; i < entry->lines; i++) {
        const struct smc_warp_trace_line line = placed(sm, warp, lines[i]);
        if (is_local(line.number))
            end_local_store(sm, warp, line.number);
        double when;
        const uint32_t missing = sm_missing_sectors(sm, &line, load->way, &when);
        const bool is_late = when > load->clock;
        const uint32_t coming =
            missing |
            (is_late ? smc_l1_late(&sm->cache, line.number, line.sectors, load->clock) : 0);
        load->looked->number[i] = line.number;
        load->looked->there[i] = (line.sectors & ~coming) != 0;
        load->looked->comes[i] = coming != 0;
        load->hits |= coming == 0;
        load->waits |= coming != 0;
        load->sectors += sectors_in(line.sectors);
        if (load->way == SMC_SM_LOAD_BEYOND_SM) {
            note_hot(sm, warp, sm->loads, line.number / SMC_SM_HOT_LINES, sm->weight);
            sm->result->loads += sm->weight;
        }
        if (missing) {
            when = fetch_line(sm, warp, &all, line.number, missing, load->clock);
            load->filled++;
            load->filled_sectors += sectors_in(missing);
            load->pieces += pieces_in(missing);
            if (load->way != SMC_SM_LOAD_COPIES_BEYOND_SM)
                smc_l1_fill(&sm->cache, line.number, missing, when);
        }
        load->there = smc_later(load->there, when);
    }
}

/* The clocks of the data stage that a load takes. */
static double data_clocks(const struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                          const struct smc_warp_trace_entry *entry, const struct load *load)
{
    const bool has_few = entry->lines < MANY_LINES;
    const uint32_t kinds = (uint32_t)load->hits + load->waits;
    if (load->way == SMC_SM_LOAD_TEXELS) /* their passes have tags */
        return has_few ? kinds + load->filled : smc_later(kinds, load->filled);
    if (load->way == SMC_SM_LOAD_COPIES_BEYOND_SM)
        return smc_l1_copy_clocks(entry->wavefronts, load->sectors);
    if (load->way == SMC_SM_LOAD_COPIES)
        return smc_later(entry->unknown_addresses ? 1 : entry->wavefronts,
                         smc_l1_tag_clocks(load->looked->number, entry->lines)) +
               sm_copy_wavefronts(sm, entry);
    if (entry->lines > 0)
        return sm_read_lines(entry, &warp->trace->line[entry->line], load->looked,
                             has_few && !is_wide(sm, entry) ? load->filled * busy_banks(entry) : 0);
    return 1; /* of unknown addresses */
}

double smc_sm_load(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                   const struct smc_warp_trace_entry *entry, double clock, enum smc_sm_load_way way)
{
    const bool copies = way == SMC_SM_LOAD_COPIES || way == SMC_SM_LOAD_COPIES_BEYOND_SM;
    struct looked_up looked;
    struct load load = {.way = way, .clock = clock, .there = clock, .looked = &looked};
    if (entry->lines == 0 && !entry->unknown_addresses)
        return clock + sm->rates->l1_latency;
    sm->counts_for = warp->weight ? warp->weight[warp->at] : 1;
    look_up_lines(sm, warp, entry, &load);
    sm->part[warp->subpartition].loaded_sectors += load.filled_sectors;
    note_shared(sm, &warp->trace->line[entry->line], entry, load.pieces, false);
    if (entry->unknown_addresses) {
        load.sectors = 4;
        sm->work->unknown++;
        load.there = from_l2(
            sm, clock, 0,
            &(struct request){.sectors = 4, .pieces = 2, .slots = 4, .array = sm->launch->arrays});
    }
    const double data = data_clocks(sm, warp, entry, &load);
    sm->work->load_sectors += load.sectors;
    sm->work->weighed_loads += sm->counts_for * load.sectors;
    sm->counts_for = 1;
    sm->work->divergent += entry->lines < MANY_LINES ? 0 : data;
    /* What comes is read when it is there, behind what is read then: as much as now. */
    const double read = smc_sm_data_stage(sm, clock, data);
    return smc_later(read + sm->rates->l1_latency,
                     load.there > clock && !copies ? load.there + read - clock - 1 : load.there);
}

double smc_sm_texture(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                      const struct smc_warp_trace_entry *entry, double clock)
{
    enum { UNKNOWN_PASSES = SMC_LANES / 4 };
    const struct smc_rates *rates = sm->rates;
    const unsigned passes = entry->unknown_addresses ? UNKNOWN_PASSES : entry->wavefronts;
    const double clocks = passes * rates->texture_pass[entry->is_linear_memory];
    sm->delay += smc_later(sm->texture_free - clock, 0);
    sm->texture_free = smc_later(sm->texture_free, clock) + clocks;
    sm->work->texture_clocks += clocks;
    return smc_sm_load(sm, warp, entry, sm->texture_free, SMC_SM_LOAD_TEXELS) + clocks +
           rates->texture_latency[entry->is_linear_memory] +
           (entry->filters ? rates->texture_filter : 0);
}

/* Adds atomics to those of the piece that has a line. */
static void note_atomics(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                         const struct smc_sm_step *step, const struct smc_warp_trace_line *line,
                         double atomics, double clock)
{
    const struct smc_warp_trace_entry *entry = &warp->trace->entry[warp->at];
    const size_t array = array_of(sm, line->number);
    const uint64_t number = smc_sm_atomic_line(sm->launch->array, sm->launch->arrays, line->number);
    note_span(sm, warp, sm->atomics_span, array, line->number);
    const double in_line = atomics * sectors_in(line->sectors) / fmax(entry->sectors, 1);
    const double clocks = in_line * smc_sm_atomic_clocks(sm->rates, step, entry);
    sm->window[array].clocks += clocks;
    struct smc_sm_hot_piece *piece =
        note_hot(sm, warp, sm->atomics, number / SMC_SM_ATOMIC_LINES, in_line);
    if (!piece)
        return;
    if (piece->requests == 0)
        piece->first = clock;
    piece->requests++;
    piece->clocks += clocks;
    piece->is_float = step->is_float;
    piece->together |= entry->sectors > 1;
    smc_sm_count_in_sectors(piece, (uint32_t)line->sectors << 4 * (number % SMC_SM_ATOMIC_LINES),
                            in_line);
}

/* What is stored of one line to L2 and from there to DRAM: so many bytes of each sector. */
static double store_line(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                         const struct smc_warp_trace_line *line, double bytes, bool scattered)
{
    const struct smc_rates *rates = sm->rates;
    size_t array = array_of(sm, line->number);
    const struct smc_sm_dram *dram = &sm->launch->dram[array];
    struct smc_sm_traffic *traffic = &sm->launch->traffic[array];
    uint32_t sectors = sectors_in(line->sectors), pieces = pieces_in(line->sectors);
    note_array(sm, array, true);
    note_span(sm, warp, sm->span, array, line->number);
    note_pieces(sm, line->number, line->sectors, array, true);
    sm->work->store_sectors += sectors;
    sm->work->store_pieces += pieces;
    traffic->stored += pieces * sm->weight;
    traffic->stored_scattered += scattered ? pieces * sm->weight : 0;
    traffic->stored_sectors += sectors * sm->weight;
    traffic->stored_bytes += fmin(bytes, SMC_SECTOR_BYTES) * sectors * sm->weight;
    return dram->store_share * (dram->scattered ? pieces * rates->dram_scattered_store_clocks
                                                : sectors * rates->dram_store_clocks);
}

/* Whether a sub-partition stores to the lines that it stored to last, and these are few: if it has
   `loaded` no sectors that L1 lacks since then, L2 gets one request for both. Of eight lines it
   gets all: a layer norm whose lanes store eight floats each of 32 bytes, one after the other,
   stores 67.6 million sectors, and 16.8 of spills; L2 gets 84.3 (H200, CUDA 13.0, driver
   580.159.04, 2026-11-30). */
static bool stores_again(struct smc_sm_part *part, const struct smc_warp_trace_line *line,
                         uint32_t lines, double *loaded)
{
    const bool same = lines > 0 && !is_local(line->number) && lines < MANY_LINES &&
                      lines == part->stored_lines && line->number == part->stored_line.number &&
                      line->sectors == part->stored_line.sectors;
    *loaded = part->loaded_sectors;
    part->loaded_sectors = 0;
    part->stored_lines = lines;
    if (lines > 0)
        part->stored_line = *line;
    return same;
}

/* Whether a warp stored to the same lines just before, as to the members of a structure. Of five
   words of a structure, in five lines, L2 gets 33 sectors instead of 100, whatever other warps
   store meanwhile (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static bool goes_on_storing(struct smc_sm_warp *warp, const struct smc_warp_trace_line *line,
                            uint32_t lines)
{
    enum { SOON = 2 /* instructions */ };
    const bool same = lines > 0 && warp->at - warp->stored_at <= SOON &&
                      line->number == warp->stored_line.number &&
                      line->sectors == warp->stored_line.sectors;
    warp->stored_at = warp->at;
    if (lines > 0)
        warp->stored_line = *line;
    return same;
}

/* The share of a store to a line of local memory that L2 gets: each sub-partition keeps the two
   lines that it stored to last, and sends what is stored to them meanwhile together. Its warps
   store in no order, whatever the order here, so that of n other lines stored to since, as many as
   in n / (n + 1) of the cases came after. Bytes that warps store in order go to L2 four at a time
   if one warp of each sub-partition does so, 8 to 100 clocks apart; of eight warps 80 % of the
   sectors reach it (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double share_of_local_store(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                                   uint64_t number)
{
    uint64_t *line = sm->part[warp->subpartition].local_line;
    uint32_t others = 0;
    while (others < SMC_SM_LOCAL_STORES - 1 && line[others] != number)
        others++;
    const bool kept = line[others] == number;
    memmove(line + 1, line, others * sizeof *line);
    line[0] = number;
    const double after = (double)others / (others + 1);
    return kept ? after * after : 1;
}

/* Local memory: L1 keeps the line, and it goes to L2 at once. Loops over arrays of 64 to 256 words
   that L1 holds take 8 to 10 clocks for each load and store of a line, and 1.2 for a load alone
   (H200, CUDA 13.0, driver 580.159.04, 2026-11-29). Returns its clocks of DRAM. */
static double store_locally(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                            const struct smc_warp_trace_line *line, bool scattered, double clock)
{
    const struct smc_sm_dram *dram = &sm->launch->dram[local_array(sm)];
    struct smc_sm_traffic *traffic = &sm->launch->traffic[local_array(sm)];
    const uint32_t pieces = pieces_in(line->sectors);
    const uint64_t number = placed(sm, warp, *line).number;
    smc_l1_fill(&sm->cache, number, line->sectors, clock);
    note_pieces(sm, number, line->sectors, local_array(sm), true);
    sm->work->local_pieces += pieces;
    sm->work->store_sectors += sectors_in(line->sectors);
    traffic->stored += pieces * sm->weight;
    traffic->stored_scattered += scattered ? pieces * sm->weight : 0;
    return dram->store_share * (dram->scattered
                                    ? pieces * sm->rates->dram_scattered_store_clocks
                                    : sectors_in(line->sectors) * sm->rates->dram_store_clocks);
}

/* The clocks for which stores and atomics pass L1, in which loads wait: as a load of the same
   words, and one for each line. Blocks of 4 to 8 warps that are alone on their SM take 92 clocks
   for a load and an addition of floats at 32 lines, to the same bank of L1, 120 for 1.5 such loads,
   an addition and 0.25 stores, 48 for a load and a store at 16 lines, to two banks, and 345 for
   nine loads of doubles at 32 lines and a store of them (H200, CUDA 13.0, driver 580.159.04,
   2026-11-30). */
static double passing_clocks(const struct smc_sm_warp *warp,
                             const struct smc_warp_trace_entry *entry)
{
    enum { UNKNOWN = 2 };
    uint64_t number[MOST_LINES];
    if (entry->lines == 0)
        return UNKNOWN;
    for (uint32_t i = 0; i < entry->lines; i++)
        number[i] = warp->trace->line[entry->line + i].number;
    const double clocks = smc_l1_tag_clocks(number, entry->lines);
    return fmax(clocks, entry->wavefronts) + entry->lines;
}

/* Notes requests of stores to the piece of memory that has a line, of iterations that are left out,
   too: else the few stores after a loop would be much of what a launch stores. */
static void note_store(struct smc_sm_state *sm, const struct smc_sm_warp *warp, uint64_t line,
                       double requests)
{
    note_hot(sm, warp, sm->stores, line / SMC_SM_HOT_LINES, requests * sm->weight);
    sm->result->stores += requests * sm->weight;
}

double smc_sm_store(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                    const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                    double clock)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_warp_trace_line *line = &warp->trace->line[entry->line];
    const double bytes = (double)step->bytes * entry->active_lanes;
    double slots = 0, dram_clocks = 0, pieces = 0;
    bool scattered = is_scattered(line, entry->lines);
    const bool goes_on = goes_on_storing(warp, line, entry->lines);
    double loaded;
    const bool same = stores_again(&sm->part[warp->subpartition], line, entry->lines, &loaded);
    const double requests = requests_of_store(same, loaded);
    const bool merged = (same && loaded <= 0) || (goes_on && entry->lines < MANY_LINES);
    const bool is_whole = bytes >= (double)entry->sectors * SMC_SECTOR_BYTES; /* all sectors */
    for (uint32_t i = 0; i < entry->lines; i++) {
        if (is_local(line[i].number)) {
            slots += share_of_local_store(sm, warp, placed(sm, warp, line[i]).number) *
                     smc_l2_store_slots(sectors_in(line[i].sectors), is_whole, true);
            dram_clocks += store_locally(sm, warp, &line[i], scattered, clock);
            continue;
        }
        if (merged) {
            sm->work->store_sectors += sectors_in(line[i].sectors);
            if (goes_on)
                sm->launch->traffic[array_of(sm, line[i].number)].stored_bytes +=
                    bytes / entry->lines * sm->weight;
            else
                note_store(sm, warp, line[i].number, requests);
            continue;
        }
        smc_l1_fill(&sm->cache, line[i].number, line[i].sectors, clock);
        smc_l1_fill(&sm->stored, line[i].number, line[i].sectors, clock);
        const uint32_t sectors = sectors_in(line[i].sectors);
        const size_t array = array_of(sm, line[i].number);
        const bool is_full = goes_on || bytes >= entry->lines * sectors * SMC_SECTOR_BYTES;
        slots += in_place_slots(sm, array, entry->lines) *
                 smc_l2_lacking_slots(smc_l2_store_slots(sectors, is_full, false),
                                      is_whole ? 0 : sm->launch->dram[array].part_share);
        dram_clocks += store_line(sm, warp, &line[i], bytes / entry->sectors, scattered);
        if (!is_whole)
            slots += sm->launch->dram[array].store_fills * pieces_in(line[i].sectors);
        pieces += pieces_in(line[i].sectors);
        note_store(sm, warp, line[i].number, requests);
    }
    note_shared(sm, line, entry, pieces, true);
    clock = smc_later(clock, sm->stores_free - STORE_QUEUE);
    sm->stores_free = smc_later(sm->stores_free, clock) + slots * rates->l2_store_clocks;
    sm->last_store = sm->stores_free;
    warp->stores_end = sm->stores_free + rates->l2_latency;
    sm->work->store_slots += slots;
    sm->dram_free = smc_later(sm->dram_free, clock) + dram_clocks;
    use_dram(sm, clock, 0, dram_clocks);
    const bool passes = entry->lines > 0 && !is_local(line->number) && !merged;
    return smc_sm_data_stage(sm, clock, passes ? passing_clocks(warp, entry) : entry->wavefronts);
}

/* How long DRAM takes for what atomics change in a line: it gives what L2 lacks, and takes it back.
 */
static double dram_clocks_of_atomics(const struct smc_sm_state *sm,
                                     const struct smc_warp_trace_line *line)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_sm_dram *dram = &sm->launch->dram[array_of(sm, line->number)];
    const uint32_t pieces = pieces_in(line->sectors);
    if (dram->scattered)
        return pieces * dram->store_share * rates->dram_scattered_store_clocks;
    return pieces * SMC_L2_PIECE_BYTES / SMC_SECTOR_BYTES *
           (dram->fill_share * rates->dram_load_clocks +
            dram->store_share * rates->dram_store_clocks);
}

/* Atomics in global memory. L2 executes those of different addresses in a sector at once. */
double smc_sm_atomic(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                     const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                     double clock)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_warp_trace_line *line = &warp->trace->line[entry->line];
    bool scattered = is_scattered(line, entry->lines);
    double atomics = entry->lines ? entry->atomics : entry->active_lanes, dram_clocks = 0;
    double there = 1; /* the chance that L2 has all of them */
    double leaves = 0;
    const double clocks = step->has_result ? rates->atomic_result_clocks : rates->atomic_clocks;
    double slots = smc_sm_atomic_slots(
        step->has_result ? &rates->atomic_result_slots : &rates->atomic_slots, entry, atomics);
    if (entry->lines == 0) { /* addresses are unknown: every lane has a sector of its own */
        sm->work->unknown++;
        sm->work->store_sectors += atomics;
        sm->work->store_pieces += atomics;
    }
    for (uint32_t i = 0; i < entry->lines; i++) {
        store_line(sm, warp, &line[i], 0, scattered);
        dram_clocks += dram_clocks_of_atomics(sm, &line[i]);
        there *= 1 - sm->launch->dram[array_of(sm, line[i].number)].fill_share;
        note_atomics(sm, warp, step, &line[i], atomics, clock);
        leaves += smc_sm_atomics_leave(entry, sectors_in(line[i].sectors), atomics);
    }
    sm->work->atomics += atomics;
    sm->work->atomic_slots += slots * clocks / rates->atomic_clocks;
    sm->result->atomics += atomics;
    clock = smc_later(clock, sm->atomics_free - STORE_QUEUE);
    sm->atomics_free = smc_later(sm->atomics_free, clock) +
                       smc_later(smc_sm_both_take(slots * clocks, dram_clocks), leaves);
    sm->dram_free = smc_later(sm->dram_free, clock) + dram_clocks;
    return smc_later(smc_sm_data_stage(sm, clock, passing_clocks(warp, entry)),
                     sm->atomics_free + rates->atomic_latency +
                         (1 - there) * (rates->dram_latency - rates->l2_latency));
}

/* A fence of the GPU goes to L2 when the warp's stores are there: 283 clocks without stores, 443 to
   607 after one, 620 if 64 warps do nothing else; one of the system takes 1040 clocks, and one of
   the block 30 (H200, CUDA 13.0, driver 580.159.04, 2026-11-29). */
double smc_sm_fence(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                    const struct smc_sm_step *step, double clock)
{
    enum { GPU = 2, SYSTEM = 3 };
    static const double in_block = 30, interval = 9.7, system_clocks = 1040;
    if (step->scope < GPU)
        return clock + in_block;
    sm->fences_free = smc_later(smc_later(clock, warp->stores_end), sm->fences_free) + interval;
    return sm->fences_free + (step->scope == SYSTEM ? system_clocks : sm->rates->l2_latency);
}

/* Accesses whose memory is not known: every lane has a sector of its own, in L2. */
double smc_sm_unfollowed(struct smc_sm_state *sm, const struct smc_warp_trace_entry *entry,
                         double clock)
{
    uint32_t lanes = entry->active_lanes;
    const struct request request = {
        .sectors = lanes, .pieces = lanes, .slots = 2 * lanes, .array = sm->launch->arrays};
    sm->work->unknown++;
    sm->work->store_sectors += lanes;
    sm->work->store_pieces += lanes;
    sm->work->store_slots += 2 * lanes;
    return smc_later(smc_sm_data_stage(sm, clock, 2), from_l2(sm, clock, 0, &request));
}

/* Copies into an SM come one after the other through its port. L2 gives an SM its share over
   several tiles, not at every moment: while this one pauses, as between tiles, others get more, and
   less while they pause. A persistent matmul with copies for three steps in flight, whose SMs pause
   four times, gets 8.5 TB/s from L2 throughout, in 188 us; with equal shares at every moment the
   model has 220 (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). In the beginning all SMs pause.
 */
static double copy_into_sm(struct smc_sm_state *sm, double clock, double takes,
                           const struct request *request)
{
    enum { SHARE_CLOCKS = DRAM_USE_CLOCKS };
    if (sm->first_copy <= 0)
        sm->first_copy = clock;
    const double before = fmin(SHARE_CLOCKS, clock - sm->first_copy);
    sm->port_free = smc_later(sm->port_free, clock) + takes;
    return smc_later(from_l2(sm, clock, before, request), sm->port_free + sm->rates->l2_latency);
}

/* Notes which pieces of an array a bulk copy moves, row by row. */
static void note_box(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                     const struct smc_async *async, size_t array)
{
    const uint64_t of_row = async->rows ? async->bytes / async->rows : 0;
    for (uint32_t i = 0; i < async->rows && of_row > 0; i++) {
        const uint64_t first = async->address + i * async->pitch, last = first + of_row - 1;
        note_span(sm, warp, sm->span, array, first / SMC_LINE_BYTES);
        note_span(sm, warp, sm->span, array, last / SMC_LINE_BYTES);
        for (uint64_t piece = first / SMC_L2_PIECE_BYTES; piece <= last / SMC_L2_PIECE_BYTES;
             piece++)
            note_pieces(sm, piece / 2, piece % 2 ? 0x4 : 0x1, array,
                        async->kind == SMC_ASYNC_STORE);
    }
}

/* A bulk copy moves whole lines, past L1. */
double smc_sm_bulk_copy(struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                        const struct smc_async *async, uint32_t sectors, double clock)
{
    const struct smc_rates *rates = sm->rates;
    size_t array =
        async->address ? array_of(sm, async->address / SMC_LINE_BYTES) : sm->launch->arrays;
    const struct smc_sm_dram *dram = &sm->launch->dram[array];
    uint32_t pieces = (sectors + 1) / 2;
    note_array(sm, array, async->kind == SMC_ASYNC_STORE);
    if (sm->reuse.piece)
        note_box(sm, warp, async, array);
    if (async->kind == SMC_ASYNC_LOAD) {
        const double received = async->count > 1 ? sectors * sm->received_of_multicasts : sectors;
        sectors = (uint32_t)ceil(received / async->count); /* the SM's part of what L2 gives */
        const struct request request = {.line = async->address / SMC_LINE_BYTES,
                                        .sectors = sectors,
                                        .pieces = (sectors + 1) / 2,
                                        .slots = sectors * rates->bulk_slots,
                                        .array = array};
        return copy_into_sm(
            sm, clock,
            smc_later(received * rates->bulk_sector_clocks, async->rows * rates->bulk_row_clocks),
            &request);
    }
    sm->work->store_sectors += sectors;
    sm->work->store_pieces += pieces;
    sm->work->store_slots += sectors;
    sm->launch->traffic[array].stored += pieces * sm->weight;
    sm->stores_free = smc_later(sm->stores_free, clock) + sectors * rates->l2_store_clocks;
    use_dram(sm, clock, 0, sectors * dram->store_share * rates->dram_store_clocks);
    sm->last_store = smc_later(sm->last_store, sm->stores_free);
    return sm->stores_free + rates->bulk_store_latency;
}
