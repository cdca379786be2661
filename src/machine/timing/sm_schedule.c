/* Executes warps on one SM, from one event to the next. */
#include "machine/timing/sm_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/timing/l1.h"
#include "rules/banks.h"

enum { SCOREBOARDS = 8, MOST_SUBPARTITIONS = 4, /* of every architecture */ NO_WARP = -1 };

/* What executing an instruction needs, found once for each step of the program. */
struct schedule_step {
    uint8_t pipe;
    uint8_t wait;              /* scoreboards */
    uint8_t write_sb, read_sb; /* 7: none */
    uint8_t stall;
    float reads[2]; /* of registers of each bank, in clocks */
    uint8_t banks;  /* bit n: it reads registers of bank n */
    uint8_t kind;
    uint8_t missing_groups; /* that a wait for copies allows */
    uint8_t flops;          /* of a lane */
    bool has_result;        /* of an atomic */
    bool is_float;          /* likewise: REDG, whose code integers do not have */
    float occupies;         /* the pipe, in clocks */
    float latency;          /* to the result of what is not an access to memory */
};

enum kind {
    KIND_PLAIN,
    KIND_SHARED_LOAD,
    KIND_SHARED_STORE,
    KIND_SHARED_ATOMIC,
    KIND_GLOBAL_LOAD,
    KIND_GLOBAL_STORE,
    KIND_COPY,
    KIND_COPY_GROUP,
    KIND_COPY_WAIT,
    KIND_BARRIER,
    KIND_BRANCH, /* also a call and the return from it */
    KIND_SHUFFLE,
    KIND_ATOMIC,    /* in global memory */
    KIND_UNFOLLOWED /* accesses whose memory is not known */
};

/* A wait names at most so many groups less one: its field has 6 bits. */
enum { COPY_GROUPS = 64 };

/* Clocks of stores that wait for L2 before accesses to memory have to wait. */
enum { STORE_QUEUE = 128 };

/* A load delays stores to L2 by this share of its own time there: measured with 4, 2 and 1 loads
   for 4 stores on an H100 and an H200 (CUDA 13.0, driver 580.159.04, 2026-11-24). */
#define LOAD_AMONG_STORES 0.4

/* Of what an SM stores, L2 holds at least so much until it is loaded again: 1/132 of it on an H200.
 */
enum { STORED_BYTES = 384 * 1024 };

/* Clocks of work that the queue of a unit holds before warps have to wait. */
enum { LSU_QUEUE = 16, PORT_QUEUE = 4 };

struct warp {
    const struct smc_warp_trace *trace;
    uint32_t at, count;             /* entry of the trace, of `count` */
    uint32_t block;                 /* the slot */
    double ready;                   /* when its next instruction may issue, by the control bits */
    double scoreboard[SCOREBOARDS]; /* when each is released; of number 7 nobody waits */
    double copies;                  /* when all copies so far are there */
    double group[COPY_GROUPS];      /* when a group and those before it are there, the newest at
                                       (groups - 1) % COPY_GROUPS */
    uint32_t groups;
    bool at_barrier;
    double debt; /* clocks of the instructions so far that its trace leaves out */
    struct {
        double clock, debt;
    } mark[SMC_WARP_TRACE_DEPTH + 1]; /* when loops began, by depth; the last: when the warp did */
    uint32_t subpartition;
    uint32_t age; /* how many warps started before */
};

struct slot {
    bool used;
    uint32_t warps_left, waiting;
    double barrier_clock; /* when the last one arrived */
    uint32_t first_warp;
    double debt; /* of its blocks so far, each the mean of its warps */
};

/* A resident warp: when its next instruction can issue as far as it depends on the warp, and what
   it needs then. */
struct waiting {
    double ready; /* INFINITY at a barrier */
    uint32_t warp, age;
    uint8_t pipe, banks;
};

struct subpartition {
    double issue_free;
    double pipe_free[SMC_PIPE_COUNT];
    double port_free[2]; /* banks of registers */
    double memory_free;  /* its connection to the units that the sub-partitions share */
    /* From when on an instruction of each pipe, and one that reads registers of these banks, can
       issue. */
    double pipe_gate[SMC_PIPE_COUNT], port_gate[4];
    struct waiting *waiting; /* the one that has been ready for longest first, the older
                                one of two */
    uint32_t warps;
    int next; /* position in `waiting` of what issues next */
    double next_clock;
};

/* A piece of global memory in which atomics are executed one after the other. */
enum { HOT_PIECES = 4096, HOT_LINES = 4 };

struct hot_piece {
    uint64_t number; /* from 1; 0: free */
    double atomics;
    uint32_t sectors; /* of its 16 */
    bool is_float;    /* its last atomic */
};

struct sm {
    const struct smc_sm_launch *launch;
    const struct smc_rates *rates;
    struct smc_sm_result *result;
    struct schedule_step *step;
    struct warp *warp;
    struct slot *slot;
    struct subpartition part[MOST_SUBPARTITIONS];
    struct smc_l1 cache;
    struct smc_l1 stored;       /* what this SM stored last, of which L2 is assumed to hold
                                   STORED_BYTES */
    uint32_t slots;             /* blocks that reside at a time */
    uint32_t next_block, ended; /* blocks */
    uint32_t started;           /* warps */
    double data_free;           /* L1's data stage */
    double l2_free, stores_free, last_store, atomics_free, dram_free;
    double block_free;                    /* when the next block may start */
    uint32_t shared_requests;             /* what other SMs load, too */
    uint32_t late_starts, delayed_starts; /* of the third round on; those that others delayed */
    double dram_debt; /* sectors, or pieces of scattered ones, that are due to come from DRAM */
    struct hot_piece hot[HOT_PIECES];
    double end;
    struct smc_step_work *work; /* of the step that is being executed */
    double first_round, second_round, all_debts;
};

/* --- Steps ------------------------------------------------------------------------------------ */

static bool reads(const struct smc_sass_instruction *in, int operand)
{
    const struct smc_sass_operand *from = &in->from[operand];
    return from->kind == SMC_OPERAND_REGISTER && from->number != SMC_ZERO_REGISTER;
}

/* The instruction before it leaves the operand in the operand cache of its place. */
static bool is_kept(const struct smc_sass_instruction *before,
                    const struct smc_sass_instruction *in, int operand)
{
    return before && smc_bit(before, 122 + (unsigned)operand) && reads(before, operand) &&
           before->from[operand].number == in->from[operand].number;
}

/* Two banks, by the register's number, each with one read a clock. What is kept is lost when
   another warp issues in between, so that it saves only a part of its reads. */
static void count_reads(const struct smc_rates *rates, const struct smc_sass_instruction *before,
                        const struct smc_sass_instruction *in, struct schedule_step *step)
{
    for (int i = 0; i < 3; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= reads(in, k) && in->from[k].number == in->from[i].number;
        if (!reads(in, i) || again)
            continue;
        double clocks = is_kept(before, in, i) ? 1 - rates->operand_cache : 1;
        unsigned count = in->from[i].registers ? in->from[i].registers : 1;
        for (unsigned r = 0; r < count; r++) {
            step->reads[(in->from[i].number + r) & 1] += (float)clocks;
            step->banks |= (uint8_t)(1u << ((in->from[i].number + r) & 1));
        }
    }
}

/* CALL is a branch where the program has the function. */
static const uint8_t kind_of[SMC_OP_COUNT] = {
    [SMC_OP_LDS] = KIND_SHARED_LOAD,
    [SMC_OP_LDSM] = KIND_SHARED_LOAD,
    [SMC_OP_STS] = KIND_SHARED_STORE,
    [SMC_OP_STSM] = KIND_SHARED_STORE,
    [SMC_OP_LDG] = KIND_GLOBAL_LOAD,
    [SMC_OP_LDL] = KIND_GLOBAL_LOAD,
    [SMC_OP_STG] = KIND_GLOBAL_STORE,
    [SMC_OP_STL] = KIND_GLOBAL_STORE,
    [SMC_OP_LDGSTS] = KIND_COPY,
    [SMC_OP_LDGDEPBAR] = KIND_COPY_GROUP,
    [SMC_OP_DEPBAR] = KIND_COPY_WAIT,
    [SMC_OP_ATOMS] = KIND_SHARED_ATOMIC,
    [SMC_OP_ATOMS_CAS] = KIND_SHARED_ATOMIC,
    [SMC_OP_ATOM] = KIND_ATOMIC,
    [SMC_OP_ATOM_FLOAT] = KIND_ATOMIC,
    [SMC_OP_ATOMG] = KIND_ATOMIC,
    [SMC_OP_ATOMG_CAS] = KIND_ATOMIC,
    [SMC_OP_RED] = KIND_ATOMIC,
    [SMC_OP_REDG] = KIND_ATOMIC,
    [SMC_OP_LD] = KIND_UNFOLLOWED,
    [SMC_OP_ST] = KIND_UNFOLLOWED,
    [SMC_OP_SHFL] = KIND_SHUFFLE,
    [SMC_OP_BAR] = KIND_BARRIER,
    [SMC_OP_BRA] = KIND_BRANCH,
    [SMC_OP_RET] = KIND_BRANCH,
    [SMC_OP_CALL] = KIND_BRANCH,
};

static uint8_t flops_of(const struct smc_sass_instruction *in)
{
    switch (in->operation) {
    case SMC_OP_FFMA:
    case SMC_OP_DFMA:
    case SMC_OP_HADD2:
    case SMC_OP_HMUL2:
        return 2;
    case SMC_OP_HFMA2:
        return 4;
    case SMC_OP_FADD:
    case SMC_OP_FMUL:
    case SMC_OP_DADD:
    case SMC_OP_DMUL:
        return 1;
    default:
        return 0;
    }
}

static double latency_of(const struct smc_sass_instruction *in, const struct smc_rates *rates)
{
    bool special = in->pipe == SMC_PIPE_XU || in->pipe == SMC_PIPE_FP64;
    return special ? rates->special_latency : rates->constant_latency;
}

static void prepare_step(const struct sm *sm, uint32_t number, struct schedule_step *step)
{
    const struct smc_program_step *at = &sm->launch->program->step[number];
    const struct smc_sass_instruction *in = &at->in;
    const struct smc_rates *rates = sm->rates;
    *step = (struct schedule_step){
        .pipe = (uint8_t)in->pipe,
        .wait = (uint8_t)smc_awaited_scoreboards(in),
        .write_sb = (uint8_t)smc_write_scoreboard(in),
        .read_sb = (uint8_t)smc_read_scoreboard(in),
        .stall = (uint8_t)smc_stall_cycles(in),
        .kind = in->operation == SMC_OP_CALL && !at->calls ? KIND_PLAIN : kind_of[in->operation],
        .flops = flops_of(in),
        .is_float = in->operation == SMC_OP_REDG,
        .has_result = in->to.kind == SMC_OPERAND_REGISTER && in->to.number != SMC_ZERO_REGISTER,
        .occupies = (float)smc_rates_clocks(rates, in),
        .latency = (float)latency_of(in, rates),
    };
    if (in->operation == SMC_OP_DEPBAR) /* SB0 and how many groups may be missing */
        step->missing_groups = (uint8_t)smc_bits(in, 38, 6);
    count_reads(rates, number > 0 ? &at[-1].in : NULL, in, step);
}

/* --- Warps that wait -------------------------------------------------------------------------- */

static double latest(double a, double b)
{
    return a > b ? a : b;
}

/* Instructions that are left out take as long as the same loop did before. */
static void add_debt(struct warp *warp, const struct smc_warp_trace_skip *skip)
{
    double clocks = warp->ready - warp->mark[skip->depth].clock;
    double owed = warp->debt - warp->mark[skip->depth].debt;
    if (skip->window > 0)
        warp->debt += (clocks + owed) * (double)skip->executed / (double)skip->window;
}

/* Passes entries that are no instruction. */
static void pass_marks(struct warp *warp)
{
    for (; warp->at < warp->count; warp->at++) {
        const struct smc_warp_trace_entry *entry = &warp->trace->entry[warp->at];
        if (entry->step == SMC_WARP_TRACE_LOOP) {
            warp->mark[entry->line].clock = warp->ready;
            warp->mark[entry->line].debt = warp->debt;
        } else if (entry->step == SMC_WARP_TRACE_SKIP) {
            add_debt(warp, &warp->trace->skip[entry->line]);
        } else {
            return;
        }
    }
}

static bool precedes(const struct waiting *a, const struct waiting *b)
{
    return a->ready < b->ready || (a->ready == b->ready && a->age < b->age);
}

/* What a warp, of this number, waits for before its next instruction. */
static struct waiting waiting_of(const struct sm *sm, const struct warp *warp, uint32_t number)
{
    const struct schedule_step *step = &sm->step[warp->trace->entry[warp->at].step];
    double ready = warp->ready;
    for (unsigned wait = step->wait; wait; wait &= wait - 1)
        ready = latest(ready, warp->scoreboard[__builtin_ctz(wait)]);
    if (warp->at_barrier)
        ready = INFINITY;
    return (struct waiting){ready, number, warp->age, step->pipe, step->banks};
}

/* The list stays in order: puts an entry where the one at `position` was, or before or after it. */
static void sm_schedule_replace(struct subpartition *part, uint32_t position,
                                const struct waiting *by)
{
    struct waiting *waiting = part->waiting;
    uint32_t at = position;
    for (; at + 1 < part->warps && precedes(&waiting[at + 1], by); at++)
        waiting[at] = waiting[at + 1];
    for (; at > 0 && precedes(by, &waiting[at - 1]); at--)
        waiting[at] = waiting[at - 1];
    waiting[at] = *by;
    part->next = NO_WARP - 1;
}

static void add_waiting(struct sm *sm, const struct warp *warp, uint32_t number)
{
    struct subpartition *part = &sm->part[warp->subpartition];
    const struct waiting added = waiting_of(sm, warp, number);
    part->warps++;
    sm_schedule_replace(part, part->warps - 1, &added);
}

static void remove_waiting(struct subpartition *part, uint32_t position)
{
    part->warps--;
    for (uint32_t i = position; i < part->warps; i++)
        part->waiting[i] = part->waiting[i + 1];
    part->next = NO_WARP - 1;
}

/* --- Blocks ----------------------------------------------------------------------------------- */

static void start_block(struct sm *sm, uint32_t number, double clock)
{
    const struct smc_sm_launch *launch = sm->launch;
    uint32_t block = sm->next_block++;
    struct slot *slot = &sm->slot[number];
    *slot = (struct slot){.used = true,
                          .warps_left = launch->warps_per_block,
                          .first_warp = number * launch->warps_per_block,
                          .debt = slot->debt};
    for (uint32_t i = 0; i < launch->warps_per_block; i++) {
        struct warp *warp = &sm->warp[slot->first_warp + i];
        const struct smc_warp_trace *trace = launch->block[block].trace[i];
        *warp = (struct warp){
            .trace = trace, .count = (uint32_t)trace->count, .block = number, .ready = clock};
        warp->mark[SMC_WARP_TRACE_DEPTH].clock = clock;
        pass_marks(warp);
        warp->age = sm->started++;
        warp->subpartition = (slot->first_warp + i) % sm->rates->subpartitions;
        if (warp->at < warp->count)
            add_waiting(sm, warp, slot->first_warp + i);
        else
            slot->warps_left--;
    }
}

static void end_warp(struct sm *sm, const struct warp *warp, double clock)
{
    struct slot *slot = &sm->slot[warp->block];
    slot->debt += warp->debt / sm->launch->warps_per_block;
    sm->all_debts += warp->debt / sm->launch->warps_per_block;
    if (clock + slot->debt > sm->end)
        sm->end = clock + slot->debt;
    if (--slot->warps_left > 0)
        return;
    slot->used = false;
    sm->ended++;
    if (sm->ended == sm->launch->resident_blocks)
        sm->first_round = clock;
    if (sm->ended == 2 * sm->launch->resident_blocks)
        sm->second_round = clock;
    if (sm->next_block < sm->launch->blocks) {
        double ready = clock + sm->rates->block_start;
        double start = latest(ready, sm->block_free);
        if (sm->next_block >= 2 * sm->slots) {
            sm->late_starts++;
            sm->delayed_starts += start > ready;
        }
        sm->block_free = start + sm->rates->block_interval;
        start_block(sm, warp->block, start);
    }
}

/* How many of the four sectors of a line. */
static uint32_t sectors_in(uint32_t mask)
{
    static const uint8_t count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    return count[mask & 0xf];
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* The number of the array that has a line; the number of arrays if none has. */
static size_t array_of(const struct sm *sm, uint64_t line)
{
    for (size_t i = 0; i < sm->launch->arrays; i++) {
        const struct smc_time_array *array = &sm->launch->array[i];
        if (line >= array->address / SMC_LINE_BYTES &&
            line <= (array->address + array->bytes - 1) / SMC_LINE_BYTES)
            return i;
    }
    return sm->launch->arrays;
}

/* How many pieces of 64 bytes have one of these sectors of a line. L2 gives and takes a piece in
   the time of two sectors: 151e9 loads and 76e9 stores a second of single sectors at random places,
   but 284e9 and 147e9 of sectors of whole lines (H200, driver 580.159.04, 2026-11-29). */
static uint32_t pieces_in(uint32_t sectors)
{
    return ((sectors & 0x3) != 0) + ((sectors & 0xc) != 0);
}

enum { MANY_LINES = 8 };

/* The sectors that L2 could give or take meanwhile. Requests of few lines were not measured. */
static uint32_t slots_of(uint32_t sectors, uint32_t lines)
{
    return lines < MANY_LINES ? sectors_in(sectors) : 2 * pieces_in(sectors);
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

/* What is loaded of one line, or wanted by one instruction at unknown addresses. */
struct request {
    uint32_t sectors, pieces, slots; /* slots: as in struct smc_step_work */
    size_t array;
    bool scattered;
    bool stored; /* by this SM a while ago, so that L2 holds it */
};

/* The clock at which what was asked for at `clock` arrives from L2 or DRAM. */
static double from_l2(struct sm *sm, double clock, const struct request *request)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_sm_dram *dram = &sm->launch->dram[request->array];
    struct smc_sm_traffic *traffic = &sm->launch->traffic[request->array];
    double clocks = request->slots * rates->l2_load_clocks;
    double due = (dram->scattered ? request->pieces : request->sectors) * dram->load_share;
    if (request->stored)
        due = 0;
    sm->l2_free = latest(sm->l2_free, clock) + clocks;
    sm->stores_free = latest(sm->stores_free, clock) + clocks * LOAD_AMONG_STORES;
    double arrives = sm->l2_free + rates->l2_latency;
    sm->work->l2_sectors += request->sectors;
    sm->work->load_pieces += request->pieces;
    sm->work->load_slots += request->slots;
    traffic->loaded += request->stored ? 0 : request->pieces;
    traffic->loaded_scattered += request->scattered && !request->stored ? request->pieces : 0;
    sm->dram_debt += due;
    if (sm->dram_debt >= 1) {
        double from_dram = floor(sm->dram_debt);
        sm->dram_debt -= from_dram;
        sm->dram_free = latest(sm->dram_free, clock) +
                        from_dram * (dram->scattered ? rates->dram_scattered_load_clocks
                                                     : rates->dram_load_clocks);
        arrives = latest(arrives, sm->dram_free + rates->dram_latency);
    } else if (dram->shared && !request->stored && ++sm->shared_requests % 2) {
        arrives = latest(arrives, clock + rates->dram_latency);
    }
    return arrives;
}

/* L1's data stage takes one wavefront a clock, from shared and global memory alike. */
static double data_stage(struct sm *sm, double clock, double wavefronts)
{
    double start = latest(clock, sm->data_free);
    sm->data_free = start + wavefronts;
    sm->work->wavefronts += wavefronts;
    return sm->data_free;
}

/* The wavefronts of accesses to shared memory. Where addresses are unknown, or how an atomic is
   served: the mean over random banks, which is the expected largest number of lanes in one of 32.
 */
static double wavefronts_of(struct sm *sm, const struct smc_warp_trace_entry *entry, bool known)
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

/* A copy passes the data stage again on its way to shared memory, sector by sector where lanes
   copy sectors of their own. */
static double copy_wavefronts(const struct smc_warp_trace_entry *entry)
{
    return entry->sectors > 2 * entry->wavefronts ? entry->sectors - entry->wavefronts
                                                  : entry->wavefronts;
}

/* Which arrays are loaded and which are stored. */
static void note_array(const struct sm *sm, size_t array, bool store)
{
    uint64_t *seen = store ? &sm->result->stored : &sm->result->loaded;
    if (array < sm->launch->arrays)
        *seen |= UINT64_C(1) << array;
}

static double sm_schedule_load(struct sm *sm, const struct warp *warp,
                               const struct smc_warp_trace_entry *entry, double clock, bool copies)
{
    enum { IS_THERE = 1, COMES = 2 };
    const struct smc_rates *rates = sm->rates;
    double data = entry->wavefronts, there = clock;
    uint32_t sectors = 0, filled = 0, states = 0;
    uint64_t number[SMC_LANES];
    if (entry->lines == 0 && !entry->unknown_addresses)
        return clock + rates->l1_latency;
    bool scattered = is_scattered(&warp->trace->line[entry->line], entry->lines);
    for (uint32_t i = 0; i < entry->lines; i++) {
        const struct smc_warp_trace_line *line = &warp->trace->line[entry->line + i];
        uint32_t wanted = sectors_in(line->sectors);
        number[i] = line->number;
        sectors += wanted;
        double when;
        uint32_t missing = smc_l1_look(&sm->cache, line->number, line->sectors, &when);
        if (missing) {
            bool stored = smc_l1_look(&sm->stored, line->number, missing, &when) == 0;
            const struct request request = {.sectors = sectors_in(missing),
                                            .pieces = pieces_in(missing),
                                            .slots = slots_of(missing, entry->lines),
                                            .array = array_of(sm, line->number),
                                            .scattered = scattered,
                                            .stored = stored};
            if (!stored)
                note_array(sm, request.array, false);
            when = from_l2(sm, clock, &request);
            filled++;
            smc_l1_fill(&sm->cache, line->number, missing, when);
        }
        states |= missing || when > clock ? COMES : IS_THERE;
        there = latest(there, when);
    }
    if (entry->unknown_addresses) {
        sectors = 4;
        data = 1;
        sm->work->unknown++;
        there = from_l2(sm, clock, &(struct request){4, 2, 4, sm->launch->arrays, false, false});
    }
    /* Lines that come from L2 are read by a wavefront of their own. */
    if (!copies)
        data = latest(data, __builtin_popcount(states));
    data = latest(data, smc_l1_tag_clocks(number, entry->lines));
    /* What comes of a line is written by a wavefront. */
    data += copies ? copy_wavefronts(entry) : filled;
    sm->work->load_sectors += sectors;
    sm->work->divergent += entry->lines < MANY_LINES ? 0 : data;
    return latest(data_stage(sm, clock, data) + rates->l1_latency, there);
}

/* What is stored of one line, to L2 and from there to DRAM. */
static double store_line(struct sm *sm, const struct smc_warp_trace_line *line, bool scattered)
{
    const struct smc_rates *rates = sm->rates;
    size_t array = array_of(sm, line->number);
    const struct smc_sm_dram *dram = &sm->launch->dram[array];
    uint32_t sectors = sectors_in(line->sectors), pieces = pieces_in(line->sectors);
    note_array(sm, array, true);
    sm->work->store_sectors += sectors;
    sm->work->store_pieces += pieces;
    sm->launch->traffic[array].stored += pieces;
    sm->launch->traffic[array].stored_scattered += scattered ? pieces : 0;
    return dram->store_share * (dram->scattered ? pieces * rates->dram_scattered_store_clocks
                                                : sectors * rates->dram_store_clocks);
}

static double sm_schedule_store(struct sm *sm, const struct warp *warp,
                                const struct smc_warp_trace_entry *entry, double clock)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_warp_trace_line *line = &warp->trace->line[entry->line];
    bool scattered = is_scattered(line, entry->lines);
    double slots = 0, dram_clocks = 0;
    for (uint32_t i = 0; i < entry->lines; i++) {
        if (line[i].number >= SMC_WARP_TRACE_LOCAL) {
            smc_l1_fill(&sm->cache, line[i].number, line[i].sectors, clock);
            continue;
        }
        smc_l1_fill(&sm->stored, line[i].number, line[i].sectors, clock);
        slots += slots_of(line[i].sectors, entry->lines);
        dram_clocks += store_line(sm, &line[i], scattered);
    }
    clock = latest(clock, sm->stores_free - STORE_QUEUE);
    sm->stores_free = latest(sm->stores_free, clock) + slots * rates->l2_store_clocks;
    sm->last_store = sm->stores_free;
    sm->work->store_slots += slots;
    sm->dram_free = latest(sm->dram_free, clock) + dram_clocks;
    return data_stage(sm, clock, entry->wavefronts);
}

/* Adds atomics to those of the piece of 512 bytes that has a line. */
static void note_atomics(struct sm *sm, const struct smc_warp_trace_line *line, double atomics,
                         bool is_float)
{
    uint64_t number = line->number / HOT_LINES + 1;
    uint32_t at = (uint32_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 52);
    for (uint32_t i = 0; i < 8; i++) {
        struct hot_piece *piece = &sm->hot[(at + i) % HOT_PIECES];
        if (piece->number && piece->number != number)
            continue;
        piece->number = number;
        piece->atomics += atomics;
        piece->is_float = is_float;
        piece->sectors |= (uint32_t)line->sectors << 4 * (line->number % HOT_LINES);
        return;
    }
}

/* Atomics in global memory. L2 executes those of different addresses in a sector at once. */
static double sm_schedule_atomic(struct sm *sm, const struct warp *warp,
                                 const struct schedule_step *step,
                                 const struct smc_warp_trace_entry *entry, double clock)
{
    const struct smc_rates *rates = sm->rates;
    const struct smc_warp_trace_line *line = &warp->trace->line[entry->line];
    bool scattered = is_scattered(line, entry->lines);
    double atomics = entry->lines ? entry->wavefronts : entry->active_lanes, dram_clocks = 0;
    double clocks = step->has_result ? rates->atomic_result_clocks : rates->atomic_clocks;
    if (entry->lines == 0) { /* addresses are unknown: every lane has a sector of its own */
        sm->work->unknown++;
        sm->work->store_sectors += atomics;
        sm->work->store_pieces += atomics;
    }
    for (uint32_t i = 0; i < entry->lines; i++) {
        dram_clocks += store_line(sm, &line[i], scattered);
        note_atomics(sm, &line[i],
                     atomics * sectors_in(line[i].sectors) / (entry->sectors ? entry->sectors : 1),
                     step->is_float);
    }
    sm->work->atomics += atomics;
    sm->result->atomics += atomics;
    clock = latest(clock, sm->atomics_free - STORE_QUEUE);
    sm->atomics_free = latest(sm->atomics_free, clock) + atomics * clocks;
    sm->dram_free = latest(sm->dram_free, clock) + dram_clocks;
    return latest(data_stage(sm, clock, 2), sm->atomics_free + rates->l2_latency);
}

/* An FMA goes to the half of its pipe that is free earlier; PIPE_FMA is the half that multiplies no
   integers. */
static enum smc_pipe pipe_of(const struct sm *sm, const struct subpartition *part,
                             const struct schedule_step *step)
{
    if (step->pipe == SMC_PIPE_FMA && sm->rates->fma_halves < 2)
        return SMC_PIPE_FMA_HEAVY;
    bool heavy = step->pipe == SMC_PIPE_FMA &&
                 part->pipe_free[SMC_PIPE_FMA_HEAVY] < part->pipe_free[SMC_PIPE_FMA];
    return heavy ? SMC_PIPE_FMA_HEAVY : (enum smc_pipe)step->pipe;
}

/* --- Issue ------------------------------------------------------------------------------------ */

static void release_barrier(struct sm *sm, struct slot *slot, double clock)
{
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++) {
        struct warp *warp = &sm->warp[slot->first_warp + i];
        if (!warp->at_barrier)
            continue;
        warp->at_barrier = false;
        warp->ready = latest(warp->ready, clock + sm->rates->barrier_latency);
        struct subpartition *part = &sm->part[warp->subpartition];
        uint32_t position = part->warps - 1;
        while (part->waiting[position].warp != slot->first_warp + i)
            position--;
        const struct waiting released = waiting_of(sm, warp, slot->first_warp + i);
        sm_schedule_replace(part, position, &released);
    }
    slot->waiting = 0;
}

/* When all groups but the newest `missing` are there. */
static double copy_wait(const struct warp *warp, uint32_t missing)
{
    return missing < warp->groups ? warp->group[(warp->groups - 1 - missing) % COPY_GROUPS] : 0;
}

/* Executes what the instruction does; returns when its result is there. */
static double execute(struct sm *sm, struct subpartition *part, struct warp *warp,
                      const struct schedule_step *step, const struct smc_warp_trace_entry *entry,
                      double clock)
{
    const struct smc_rates *rates = sm->rates;
    double way;
    bool known;
    if ((step->kind >= KIND_SHARED_LOAD && step->kind <= KIND_COPY) || step->kind == KIND_SHUFFLE) {
        part->memory_free = latest(part->memory_free, clock) + rates->issue[SMC_PIPE_LSU];
        way = part->memory_free;
    } else {
        way = clock;
    }
    switch (step->kind) {
    case KIND_SHARED_LOAD:
    case KIND_SHARED_ATOMIC:
        known =
            !entry->unknown_addresses && (step->kind == KIND_SHARED_LOAD || entry->wavefronts > 0);
        return data_stage(sm, way, wavefronts_of(sm, entry, known)) + rates->shared_latency - 1;
    case KIND_SHUFFLE:
        return data_stage(sm, way, 1) + rates->shared_latency - 1;
    case KIND_SHARED_STORE:
        return data_stage(sm, way, wavefronts_of(sm, entry, !entry->unknown_addresses));
    case KIND_GLOBAL_LOAD:
        return sm_schedule_load(sm, warp, entry, way, false);
    case KIND_GLOBAL_STORE:
        return sm_schedule_store(sm, warp, entry, way);
    case KIND_COPY:
        warp->copies = latest(warp->copies, sm_schedule_load(sm, warp, entry, way, true));
        return way;
    case KIND_UNFOLLOWED: /* of unknown addresses every lane has a sector of its own, in L2 */
        sm->work->unknown++;
        sm->work->store_sectors += entry->active_lanes;
        sm->work->store_pieces += entry->active_lanes;
        sm->work->store_slots += 2 * entry->active_lanes;
        return latest(
            data_stage(sm, clock, 2),
            from_l2(sm, clock,
                    &(struct request){entry->active_lanes, entry->active_lanes,
                                      2u * entry->active_lanes, sm->launch->arrays, false, false}));
    case KIND_ATOMIC:
        return sm_schedule_atomic(sm, warp, step, entry, way);
    case KIND_COPY_GROUP:
        warp->group[warp->groups++ % COPY_GROUPS] = warp->copies;
        return clock;
    case KIND_COPY_WAIT:
        warp->ready = latest(warp->ready, copy_wait(warp, step->missing_groups));
        return clock;
    default:
        return clock + step->latency;
    }
}

static void wait_at_barrier(struct sm *sm, struct warp *warp, double clock)
{
    struct slot *slot = &sm->slot[warp->block];
    warp->at_barrier = true;
    slot->barrier_clock = latest(slot->barrier_clock, clock);
    slot->waiting++;
}

static void check_barrier(struct sm *sm, struct slot *slot)
{
    if (slot->used && slot->waiting > 0 && slot->waiting >= slot->warps_left)
        release_barrier(sm, slot, slot->barrier_clock);
}

/* From when on the pipe and the banks of a step that was just issued can be used again. */
static void set_gates(const struct sm *sm, struct subpartition *part,
                      const struct schedule_step *step)
{
    const double *free_clock = part->pipe_free;
    double fma = free_clock[SMC_PIPE_FMA_HEAVY];
    part->pipe_gate[step->pipe] = free_clock[step->pipe];
    part->pipe_gate[SMC_PIPE_LSU] = free_clock[SMC_PIPE_LSU] - LSU_QUEUE;
    part->pipe_gate[SMC_PIPE_FMA_HEAVY] = fma;
    if (sm->rates->fma_halves > 1 && free_clock[SMC_PIPE_FMA] <= fma)
        fma = free_clock[SMC_PIPE_FMA];
    part->pipe_gate[SMC_PIPE_FMA] = fma;
    part->port_gate[1] = part->port_free[0] - PORT_QUEUE;
    part->port_gate[2] = part->port_free[1] - PORT_QUEUE;
    part->port_gate[3] = latest(part->port_gate[1], part->port_gate[2]);
}

static void issue(struct sm *sm, struct subpartition *part, uint32_t position, double clock)
{
    uint32_t warp_number = part->waiting[position].warp;
    struct warp *warp = &sm->warp[warp_number];
    const struct smc_warp_trace_entry *entry = &warp->trace->entry[warp->at];
    const struct schedule_step *step = &sm->step[entry->step];
    double stall = step->stall ? step->stall : 1;
    part->issue_free = clock + 1;
    enum smc_pipe pipe = pipe_of(sm, part, step);
    part->pipe_free[pipe] = latest(part->pipe_free[pipe], clock) + step->occupies;
    for (int bank = 0; bank < 2; bank++)
        part->port_free[bank] = latest(part->port_free[bank], clock) + step->reads[bank];
    set_gates(sm, part, step);
    sm->work = &sm->launch->work[entry->step];
    sm->work->executions++;
    sm->work->flops += (double)step->flops * entry->active_lanes;
    warp->ready = clock + stall;
    double done = execute(sm, part, warp, step, entry, clock);
    double read = step->kind == KIND_PLAIN ? clock + 10 : part->memory_free + 8;
    warp->scoreboard[step->write_sb] = latest(warp->scoreboard[step->write_sb], done);
    warp->scoreboard[step->read_sb] = latest(warp->scoreboard[step->read_sb], read);
    warp->at++;
    uint32_t number = warp->block;
    bool back = step->kind == KIND_BRANCH && warp->at < warp->count &&
                warp->trace->entry[warp->at].step != entry->step + 1;
    if (back) {
        warp->ready += sm->rates->branch_latency;
        part->issue_free += sm->rates->branch_issue;
    }
    pass_marks(warp);
    if (warp->at >= warp->count) {
        remove_waiting(part, position);
        end_warp(sm, warp, latest(done, clock + stall));
    } else {
        if (step->kind == KIND_BARRIER)
            wait_at_barrier(sm, warp, clock);
        const struct waiting again = waiting_of(sm, warp, warp_number);
        sm_schedule_replace(part, position, &again);
    }
    check_barrier(sm, &sm->slot[number]);
}

/* The warp that issues next in a sub-partition, and when: of those that can first, the one that has
   been ready for longest. */
static void sm_schedule_choose(struct subpartition *part)
{
    double best = INFINITY;
    part->next = NO_WARP;
    for (uint32_t i = 0; i < part->warps; i++) {
        const struct waiting *waiting = &part->waiting[i];
        double clock = latest(waiting->ready, part->issue_free);
        if (clock >= best)
            break; /* and so for all that follow */
        clock = latest(clock, part->pipe_gate[waiting->pipe]);
        clock = latest(clock, part->port_gate[waiting->banks]);
        if (clock < best) {
            best = clock;
            part->next = (int)i;
        }
    }
    part->next_clock = best;
}

static void sm_schedule_run(struct sm *sm)
{
    uint32_t parts = sm->rates->subpartitions;
    for (;;) {
        struct subpartition *first = NULL;
        for (uint32_t i = 0; i < parts; i++) {
            struct subpartition *part = &sm->part[i];
            if (part->next < NO_WARP)
                sm_schedule_choose(part);
            if (part->next != NO_WARP && (!first || part->next_clock < first->next_clock))
                first = part;
        }
        if (!first)
            return;
        issue(sm, first, (uint32_t)first->next, first->next_clock);
    }
}

/* --- From start to end ------------------------------------------------------------------------ */

static void close_sm(struct sm *sm)
{
    smc_l1_close(&sm->cache);
    smc_l1_close(&sm->stored);
    free(sm->part[0].waiting);
    free(sm->slot);
    free(sm->warp);
    free(sm->step);
}

static enum smc_status open_sm(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                               struct sm *sm, struct smc_error *error)
{
    uint32_t slots =
        launch->resident_blocks < launch->blocks ? launch->resident_blocks : launch->blocks;
    size_t warps = (size_t)slots * launch->warps_per_block;
    *result = (struct smc_sm_result){0};
    *sm = (struct sm){.launch = launch, .rates = launch->rates, .result = result, .slots = slots};
    sm->step = smc_malloc(launch->program->count * sizeof *sm->step);
    sm->warp = smc_calloc(warps ? warps : 1, sizeof *sm->warp);
    sm->slot = smc_calloc(slots ? slots : 1, sizeof *sm->slot);
    struct waiting *list = smc_calloc(warps ? warps * MOST_SUBPARTITIONS : 1, sizeof *list);
    for (uint32_t i = 0; i < MOST_SUBPARTITIONS; i++) {
        sm->part[i].waiting = list ? list + i * warps : NULL;
        sm->part[i].next = NO_WARP - 1;
    }
    bool caches = smc_l1_open(&sm->cache, launch->l1_bytes);
    caches = smc_l1_open(&sm->stored, STORED_BYTES) && caches;
    if (!caches || !sm->step || !sm->warp || !sm->slot || !list) {
        close_sm(sm);
        return smc_out_of_memory(error);
    }
    for (uint32_t i = 0; i < launch->program->count; i++)
        prepare_step(sm, i, &sm->step[i]);
    return SMC_OK;
}

static void find_hottest(struct sm *sm)
{
    const struct hot_piece *hottest = &sm->hot[0];
    for (uint32_t i = 1; i < HOT_PIECES; i++)
        if (sm->hot[i].atomics > hottest->atomics)
            hottest = &sm->hot[i];
    sm->result->hottest_atomics = hottest->atomics;
    sm->result->hottest_waits =
        hottest->is_float && (hottest->sectors & (hottest->sectors - 1)) == 0;
}

enum smc_status smc_sm_run(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                           struct smc_error *error)
{
    struct sm sm;
    enum smc_status status = open_sm(launch, result, &sm, error);
    if (status != SMC_OK)
        return status;
    /* Where other blocks follow, the rounds are measured from the end of the first one. */
    double apart = launch->no_more_blocks && launch->blocks <= launch->resident_blocks
                       ? launch->rates->block_interval
                       : 0;
    for (uint32_t i = 0; i < sm.slots; i++)
        start_block(&sm, i, i * apart);
    sm_schedule_run(&sm);
    /* A launch ends when L2 has acknowledged its last store: one store a thread makes an empty
       kernel of 132 blocks 0.2 to 0.35 us longer (H200, driver 580.159.04, 2026-11-29). */
    if (sm.last_store > 0)
        sm.end = latest(sm.end, sm.last_store + launch->rates->l2_latency);
    sm.end = latest(sm.end, sm.atomics_free);
    find_hottest(&sm);
    result->clocks = sm.end;
    if (sm.second_round > 0)
        result->clocks_per_block =
            (sm.second_round - sm.first_round + sm.all_debts / sm.ended) / sm.slots;
    if (sm.all_debts <= 0 &&
        2 * sm.delayed_starts > sm.late_starts) /* the first round began at once */
        result->clocks_per_block = fmin(result->clocks_per_block, launch->rates->block_interval);
    close_sm(&sm);
    return SMC_OK;
}

/* A warp's next access to global memory; false: there is none. */
static bool sm_schedule_access_once(struct sm *sm, struct warp *warp)
{
    const struct smc_warp_trace *trace = warp->trace;
    for (; warp->at < trace->count; warp->at++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[warp->at];
        if (entry->step >= SMC_WARP_TRACE_SKIP)
            continue;
        const struct schedule_step *step = &sm->step[entry->step];
        if (step->kind != KIND_GLOBAL_LOAD && step->kind != KIND_GLOBAL_STORE &&
            step->kind != KIND_COPY && step->kind != KIND_ATOMIC && step->kind != KIND_UNFOLLOWED)
            continue;
        sm->work = &sm->launch->work[entry->step];
        sm->work->executions++;
        execute(sm, &sm->part[0], warp, step, entry, 0);
        warp->at++;
        return true;
    }
    return false;
}

enum smc_status smc_sm_access(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                              struct smc_error *error)
{
    struct sm sm;
    enum smc_status status = open_sm(launch, result, &sm, error);
    if (status != SMC_OK)
        return status;
    for (uint32_t first = 0; first < launch->blocks; first += sm.slots) {
        uint32_t blocks = launch->blocks - first < sm.slots ? launch->blocks - first : sm.slots;
        uint32_t warps = blocks * launch->warps_per_block;
        for (uint32_t i = 0; i < warps; i++)
            sm.warp[i] = (struct warp){.trace = launch->block[first + i / launch->warps_per_block]
                                                    .trace[i % launch->warps_per_block]};
        for (bool any = true; any;) {
            any = false;
            for (uint32_t i = 0; i < warps; i++)
                any |= sm_schedule_access_once(&sm, &sm.warp[i]);
        }
    }
    close_sm(&sm);
    return SMC_OK;
}
