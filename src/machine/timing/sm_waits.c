/* What warps wait for in the model of one SM: each other, barriers, and bulk copies. */
#include <math.h>

#include "machine/timing/sm_state.h"

/* --- Lists ------------------------------------------------------------------------------------ */

static bool precedes(const struct smc_sm_waiting *a, const struct smc_sm_waiting *b)
{
    return a->ready < b->ready || (a->ready == b->ready && a->age < b->age);
}

/* What a warp executes behind a barrier without waiting there: arithmetic. Phases of 16 to 64
   additions between barriers take 2 clocks longer than without, for 1 to 8 warps of a
   sub-partition; a branch or an access to shared memory waits until all have arrived (H200, CUDA
   13.0, driver 580.159.04, 2026-11-30). */
static bool passes_barriers(const struct smc_sm_warp *warp, const struct smc_sm_step *step)
{
    return step->kind == SMC_SM_PLAIN && warp->at + 1 < warp->count;
}

struct smc_sm_waiting smc_sm_waiting_of(const struct smc_sm_state *sm,
                                        const struct smc_sm_warp *warp, uint32_t number)
{
    const struct smc_sm_step *step = &sm->step[warp->trace->entry[warp->at].step];
    const bool passes = passes_barriers(warp, step);
    double ready = passes ? warp->ready : smc_later(warp->ready, warp->released);
    for (unsigned wait = step->wait; wait; wait &= wait - 1)
        ready = smc_later(ready, warp->scoreboard[__builtin_ctz(wait)]);
    if ((warp->at_barrier && !passes) || warp->awaited || warp->is_held)
        ready = INFINITY;
    const uint64_t rank =
        sm->in_turns ? (uint64_t)warp->turn << 32 | warp->age : sm->slot[warp->block].block;
    return (struct smc_sm_waiting){
        .ready = ready, .warp = number, .age = warp->age, .rank = rank, .pipe = step->pipe};
}

void smc_sm_replace(struct smc_sm_part *part, uint32_t position, const struct smc_sm_waiting *by)
{
    struct smc_sm_waiting *waiting = part->waiting;
    uint32_t at = position;
    for (; at + 1 < part->warps && precedes(&waiting[at + 1], by); at++)
        waiting[at] = waiting[at + 1];
    for (; at > 0 && precedes(by, &waiting[at - 1]); at--)
        waiting[at] = waiting[at - 1];
    waiting[at] = *by;
    part->next = SMC_SM_NO_WARP - 1;
}

void smc_sm_add_waiting(struct smc_sm_state *sm, const struct smc_sm_warp *warp, uint32_t number)
{
    struct smc_sm_part *part = &sm->part[warp->subpartition];
    const struct smc_sm_waiting added = smc_sm_waiting_of(sm, warp, number);
    part->warps++;
    smc_sm_replace(part, part->warps - 1, &added);
}

void smc_sm_remove_waiting(struct smc_sm_part *part, uint32_t position)
{
    part->warps--;
    for (uint32_t i = position; i < part->warps; i++)
        part->waiting[i] = part->waiting[i + 1];
    part->next = SMC_SM_NO_WARP - 1;
}

/* --- What traces leave out -------------------------------------------------------------------- */

void smc_sm_fill_left_out(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                          const struct smc_warp_trace_skip *skip)
{
    if (skip->window == 0)
        return;
    const double times = (double)skip->executed / (double)skip->window;
    const double filled = (warp->filled - warp->mark[skip->depth].filled) * times;
    warp->filled += filled;
    smc_l1_pass(&sm->cache, filled);
}

static struct smc_sm_mark mark_of(const struct smc_sm_warp *warp)
{
    return (struct smc_sm_mark){.clock = warp->ready,
                                .debt = warp->debt,
                                .delay = warp->delay,
                                .filled = warp->filled,
                                .waited = warp->waited,
                                .rounds = warp->rounds,
                                .done = warp->done};
}

/* The last quarter of what is kept of loops begins. */
static void mark_late(struct smc_sm_warp *warp)
{
    for (unsigned loops = warp->begins_late ? warp->begins_late[warp->at] : 0; loops;
         loops &= loops - 1)
        warp->late[__builtin_ctz(loops)] = mark_of(warp);
    warp->has_late |= warp->begins_late ? warp->begins_late[warp->at] : 0;
}

/* Instructions that are left out take as long as the same loop did before, or its last quarter, and
   fill as many lines of L1. */
static void add_debt(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                     const struct smc_warp_trace_skip *skip)
{
    const bool is_late = warp->has_late >> skip->depth & 1;
    const struct smc_sm_mark *from = is_late ? &warp->late[skip->depth] : &warp->mark[skip->depth];
    const double window = is_late ? warp->done - from->done : (double)skip->window;
    const double clocks = warp->ready - from->clock, owed = warp->debt - from->debt,
                 delay = warp->delay - from->delay, waited = warp->waited - from->waited,
                 rounds = warp->rounds - from->rounds;
    warp->has_late &= (uint16_t) ~(1u << skip->depth);
    warp->done += (double)skip->executed;
    if (window <= 0)
        return;
    const double times = (double)skip->executed / window;
    warp->least_debt += smc_later(0, clocks + owed - delay - waited) * times;
    warp->debt += (clocks + owed) * times;
    warp->delay += delay * times;
    warp->waited += waited * times;
    warp->waited_debt += waited * times;
    warp->rounds += rounds * times;
    warp->left_rounds += rounds * times;
    warp->left_out += (double)skip->executed;
    smc_sm_fill_left_out(sm, warp, skip);
}

/* `all`: of the warp, with waits at barriers, `work`: without, `usual`: of the busiest one, with.
 */
static double owed_by_rounds(double all, double work, double usual, double share)
{
    return smc_later(work, smc_later(all * share, all < usual ? all : usual));
}

/* What a warp owes for what its trace leaves out. Its waits at barriers stand for no more of them
   than the barriers that the warp of the block passes that works most. `least`: the same if no unit
   delays it. */
static double owed_by(const struct smc_sm_warp *warp, const struct smc_sm_warp *busiest,
                      double *least)
{
    const double kept = warp->rounds - warp->left_rounds;
    const double left = smc_later(0, busiest->rounds - kept);
    const double share = left < warp->left_rounds ? left / warp->left_rounds : 1;
    *least = owed_by_rounds(warp->least_debt + warp->waited_debt, warp->least_debt,
                            busiest->least_debt + busiest->waited_debt, share);
    return owed_by_rounds(warp->debt, warp->debt - warp->waited_debt, busiest->debt, share);
}

/* The mean of the block's warps, which delay each other; the longest warp, without such delays, may
   take longer. Where they wait for each other, those of the sub-partition that has the longest
   ones, if all blocks put the same warps there. Where they take turns, all take as long as the one
   that takes longest. */
double smc_sm_debt_of_block(const struct smc_sm_state *sm, const struct smc_sm_slot *slot,
                            double clock, double *least)
{
    const uint32_t warps = sm->launch->warps_per_block, parts = sm->rates->subpartitions;
    double sum = 0, most = 0, longest = 0, part_debt[SMC_SM_MOST_SUBPARTITIONS] = {0};
    const struct smc_sm_warp *busiest = &sm->warp[slot->first_warp];
    for (uint32_t i = 1; i < warps; i++) {
        const struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        if (warp->debt - warp->waited_debt > busiest->debt - busiest->waited_debt)
            busiest = warp;
    }
    *least = 0;
    for (uint32_t i = 0; i < warps; i++) {
        const struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        double alone;
        const double owed = owed_by(warp, busiest, &alone);
        longest = smc_later(longest, slot->takes_turns ? warp->debt : owed);
        part_debt[warp->subpartition] += warp->debt;
        *least = smc_later(*least, warp->end + alone - clock);
        sum += warp->debt;
    }
    for (uint32_t i = 0; i < parts; i++)
        most = smc_later(most, part_debt[i]);
    const double usual = slot->waits && warps % parts == 0 ? most * parts / warps : sum / warps;
    const bool is_longest = slot->takes_turns || (slot->waits && longest < usual);
    return smc_later(is_longest ? longest : usual, *least);
}

static bool all_wait_at(const struct smc_sm_state *sm, const struct smc_sm_slot *slot,
                        uint32_t number)
{
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++)
        if (sm->warp[slot->first_warp + i].at_barrier != number + 1)
            return false;
    return true;
}

/* All warps of a block have met at a barrier: none goes on before what was left out so far is done
   by all. What each of them owes from then on is added to that. */
static void merge_debts(struct smc_sm_state *sm, struct smc_sm_slot *slot, double clock)
{
    struct smc_sm_warp *warp = &sm->warp[slot->first_warp],
                       *end = warp + sm->launch->warps_per_block;
    double least;
    bool any = false;
    for (struct smc_sm_warp *other = warp; other < end; other++) {
        if (fabs(other->rounds - warp->rounds) > 0.5)
            return;
        any |= other->debt > 0;
        other->end = other->ready; /* so far */
    }
    if (!any || slot->takes_turns)
        return;
    const double debt = smc_sm_debt_of_block(sm, slot, clock, &least);
    slot->merged_debt += debt;
    slot->merged_least += least;
    for (; warp < end; warp++) {
        warp->waited += smc_later(0, debt - warp->debt);
        for (int i = 0; i <= SMC_WARP_TRACE_DEPTH; i++)
            warp->mark[i].debt -= debt;
        for (int i = 0; i < SMC_WARP_TRACE_DEPTH; i++)
            warp->late[i].debt -= debt;
        warp->debt = warp->least_debt = warp->waited_debt = warp->left_rounds = 0;
    }
}

static void begin_turn(struct smc_sm_warp *warp)
{
    warp->turn++;
    warp->turn_at = warp->at;
}

/* The oldest warp goes first until its turn ends, then the next one. Each has a turn while another
   has one, so that what traces keep shows the rate at which warps go on that have drifted apart. In
   64 loops of library functions and of integers, from 64 instructions on any length gives the rate
   of the whole loops, those of an iteration each 3 % less (2026-11-30). */
void smc_sm_end_turn(const struct smc_sm_state *sm, struct smc_sm_warp *warp)
{
    enum { LEAST_OF_TURN = 64 }; /* instructions */
    if (sm->in_turns && warp->at - warp->turn_at >= LEAST_OF_TURN)
        begin_turn(warp);
}

/* Passes entries that are no instruction. What is left out takes long: a warp is held there, since
   what follows would delay those that are still in the iterations that stand for it. Warps that
   take turns go on together, since they leave out the same rounds. */
void smc_sm_pass_marks(struct smc_sm_state *sm, struct smc_sm_warp *warp)
{
    for (; warp->at < warp->count; warp->at++) {
        const struct smc_warp_trace_entry *entry = &warp->trace->entry[warp->at];
        if (entry->step == SMC_WARP_TRACE_LOOP) {
            if (sm->in_turns)
                begin_turn(warp);
            warp->mark[entry->line] = mark_of(warp);
        } else if (entry->step == SMC_WARP_TRACE_SKIP) {
            const struct smc_warp_trace_skip *skip = &warp->trace->skip[entry->line];
            if (sm->launch->cut)
                continue;
            add_debt(sm, warp, skip);
            warp->is_held |= skip->depth == 0 && !skip->rounds;
            sm->slot[warp->block].leaves_waits_out |= skip->waits;
        } else {
            mark_late(warp);
            return;
        }
    }
}

/* How many blocks of the last round leave out more than so many instructions; all of them: -1.
   `next`: the least of what they leave out, unless it is less already. */
static double blocks_left(const struct smc_sm_state *sm, uint32_t rounds, double paid, double *next)
{
    double blocks = 0;
    for (uint32_t i = 0; i < sm->places; i++) {
        const struct smc_sm_slot *slot = &sm->slot[i];
        if (slot->rounds < rounds || slot->left_out <= paid)
            continue;
        blocks++;
        *next = slot->left_out < *next ? slot->left_out : *next;
    }
    return blocks;
}

/* If no more blocks follow, fewer and fewer others of its last
   round have one: the fewer warps share the units, the less its warps wait for them, until they do
   not wait at all. Blocks of loops that run 1/8, 2/8, ... 8/8 as often as those of the last one
   take 11.5 ms, not the 17.8 that the last one would take among 7 others throughout (1000 blocks of
   `perfKernel` of HeCBench's assert; H200, CUDA 13.0, driver 580.159.04, 2026-11-29). */
double smc_sm_paid_debt(const struct smc_sm_state *sm, const struct smc_sm_slot *slot)
{
    const double alone = slot->last_debt > 0 ? slot->least_debt / slot->last_debt : 1;
    double clocks = slot->debt - slot->last_debt, unused = INFINITY;
    uint32_t rounds = 0;
    for (uint32_t i = 0; i < sm->places; i++)
        rounds = sm->slot[i].rounds > rounds ? sm->slot[i].rounds : rounds;
    if (!sm->launch->no_more_blocks || slot->left_out <= 0 || slot->rounds < rounds)
        return slot->debt;
    const double all = blocks_left(sm, rounds, -1, &unused);
    for (double paid = 0; paid < slot->left_out;) {
        double next = slot->left_out;
        const double others = blocks_left(sm, rounds, paid, &next);
        clocks += slot->last_debt * (next - paid) / slot->left_out * smc_later(alone, others / all);
        paid = next;
    }
    return clocks;
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* A warp that nothing could issue of goes on at a clock. */
static void wake_warp(struct smc_sm_state *sm, uint32_t number, double clock)
{
    struct smc_sm_warp *warp = &sm->warp[number];
    struct smc_sm_part *part = &sm->part[warp->subpartition];
    uint32_t position = part->warps - 1;
    warp->at_barrier = 0;
    warp->awaited = NULL;
    warp->is_apart &= warp->is_held;
    warp->is_held = false;
    warp->ready = smc_later(warp->ready, clock);
    while (part->waiting[position].warp != number)
        position--;
    const struct smc_sm_waiting woken = smc_sm_waiting_of(sm, warp, number);
    smc_sm_replace(part, position, &woken);
}

/* The SM counts its warps that arrive one after the other, BARRIER_CLOCKS each: barriers of 1, 4,
   8, 16 and 32 warps in a row take 14.2 clocks and 20, 28, 44 and 76 (likewise). */
enum { BARRIER_CLOCKS = 2 };

static void release_barrier(struct smc_sm_state *sm, struct smc_sm_slot *slot, uint32_t number)
{
    struct smc_sm_named_barrier *barrier = &slot->named[number];
    const double released = barrier->clock + sm->rates->barrier_latency - BARRIER_CLOCKS;
    if (all_wait_at(sm, slot, number))
        merge_debts(sm, slot, released);
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++) {
        struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        if (warp->at_barrier != number + 1)
            continue;
        warp->released = released;
        warp->waited += smc_later(0, warp->released - warp->ready);
        warp->rounds++;
        wake_warp(sm, slot->first_warp + i, 0);
    }
    *barrier = (struct smc_sm_named_barrier){.arrived = 0};
    slot->barriers &= ~(1u << number);
}

/* --- Barriers in shared memory, bulk copies, products of warpgroups ----------------------------
 */

/* The phase that a warp waits for has ended; whoever asks learns of it. */
static double phase_seen(const struct smc_sm_state *sm, const struct smc_phased_barrier *barrier,
                         double clock)
{
    return smc_later(clock + sm->rates->phase_check, barrier->ended + sm->rates->phase_latency);
}

/* A phase of the barrier has ended. */
static void release_phase(struct smc_sm_state *sm, const struct smc_sm_slot *slot,
                          const struct smc_phased_barrier *barrier)
{
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++) {
        struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        if (warp->awaited != barrier || !smc_phases_passes(barrier, warp->awaits_odd))
            continue;
        double *released = &warp->scoreboard[warp->awaiting_scoreboard];
        *released = smc_later(*released, phase_seen(sm, barrier, warp->ready));
        wake_warp(sm, slot->first_warp + i, 0);
    }
}

/* Returns when the result is there; of a phase that has not ended, release_phase does. */
double smc_sm_execute_phases(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                             const struct smc_sm_step *step,
                             const struct smc_warp_trace_entry *entry, double clock)
{
    struct smc_sm_slot *slot = &sm->slot[warp->block];
    const struct smc_async async = smc_async_unpack(&warp->trace->line[entry->line], entry->lines);
    struct smc_phased_barrier *barrier = smc_phases_find(&slot->phased, async.barrier);
    const uint32_t own = 1u << (warp - &sm->warp[slot->first_warp]);
    bool ends = false, odd = async.kind == SMC_ASYNC_WAIT_ODD;
    if (!barrier || async.kind == SMC_ASYNC_NOTHING ||
        (async.kind == SMC_ASYNC_WAIT_ARRIVED && !(barrier->arrived & own)))
        return clock + sm->rates->phase_check;
    if (async.kind == SMC_ASYNC_WAIT_ARRIVED)
        odd = (barrier->arrived_odd & own) != 0;
    switch (async.kind) {
    case SMC_ASYNC_INIT:
        smc_phases_init(barrier, async.count);
        return clock;
    case SMC_ASYNC_ARRIVE:
        barrier->arrived |= own;
        barrier->arrived_odd =
            barrier->phases & 1 ? barrier->arrived_odd | own : barrier->arrived_odd & ~own;
        ends = smc_phases_arrive(barrier, async.count, async.bytes, clock);
        break;
    case SMC_ASYNC_COPIES_ARRIVE:
        ends = smc_phases_arrive(barrier, async.count, 0, smc_later(clock, warp->copies.last));
        break;
    default:
        slot->takes_turns = true;
        if (smc_phases_passes(barrier, odd))
            return phase_seen(sm, barrier, clock);
        warp->awaited = barrier;
        warp->awaits_odd = odd;
        warp->awaiting_scoreboard = step->write_sb;
        return clock;
    }
    if (ends)
        release_phase(sm, slot, barrier);
    return clock;
}

/* Bytes of bulk copies into a block, as its traces have them. */
struct bulk_bytes {
    double expected;          /* by its barriers */
    double alone, to_several; /* that it copies to itself, and to several blocks of its cluster */
};

static void add_bulk_bytes(const struct smc_sm_state *sm, const struct smc_warp_trace *trace,
                           struct bulk_bytes *bytes)
{
    for (size_t i = 0; i < trace->count; i++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[i];
        if (entry->step >= SMC_WARP_TRACE_SKIP || entry->lines == 0)
            continue;
        const enum smc_sm_kind kind = (enum smc_sm_kind)sm->step[entry->step].kind;
        if (kind != SMC_SM_PHASES && kind != SMC_SM_BULK)
            continue;
        const struct smc_async async = smc_async_unpack(&trace->line[entry->line], entry->lines);
        if (async.kind == SMC_ASYNC_ARRIVE)
            bytes->expected += async.bytes;
        else if (async.kind == SMC_ASYNC_LOAD && async.count > 1)
            bytes->to_several += async.bytes;
        else if (async.kind == SMC_ASYNC_LOAD)
            bytes->alone += async.bytes;
    }
}

/* match.any.sync takes 8.0, 15.9, 31.8, 63.4, 126 and 252 clocks of a sub-partition for 1, 2, 4, 8,
   16 and 32 different values, also of its only warp, and match.all.sync 8.1 (H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30). */
double smc_sm_match(const struct smc_sm_state *sm, struct smc_sm_part *part,
                    const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                    double clock)
{
    const double values = entry->wavefronts > 0 ? entry->wavefronts : SMC_LANES;
    const double more = (values - 1) * step->occupies;
    part->pipe_free[step->pipe] += more;
    part->pipe_gate[step->pipe] = part->pipe_free[step->pipe];
    sm->work->constants += values * step->occupies / sm->rates->subpartitions;
    return clock + more + step->latency;
}

/* Where each block of a cluster copies a part to all, a block receives as much from the others:
   what its barriers expect and it does not copy itself. */
double smc_sm_received_of_multicasts(const struct smc_sm_state *sm)
{
    const struct smc_sm_launch *launch = sm->launch;
    struct bulk_bytes bytes = {0};
    for (uint32_t w = 0; w < launch->warps_per_block && launch->blocks > 0; w++)
        add_bulk_bytes(sm, launch->block[0].trace[w], &bytes);
    return bytes.to_several > 0 ? smc_later(1, (bytes.expected - bytes.alone) / bytes.to_several)
                                : 1;
}

/* Of a load whose size is not known, the bytes are those that its barrier lacks. */
double smc_sm_execute_bulk(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                           const struct smc_warp_trace_entry *entry, double clock)
{
    struct smc_sm_slot *slot = &sm->slot[warp->block];
    const struct smc_async async = smc_async_unpack(&warp->trace->line[entry->line], entry->lines);
    bool loads = async.kind == SMC_ASYNC_LOAD;
    struct smc_phased_barrier *barrier =
        loads && sm->timed ? smc_phases_find(&slot->phased, async.barrier) : NULL;
    int64_t bytes = async.bytes;
    if (bytes == 0 && barrier && barrier->bytes > 0)
        bytes = barrier->bytes;
    sm->work->unknown += bytes == 0;
    uint32_t sectors = (uint32_t)((bytes + SMC_SECTOR_BYTES - 1) / SMC_SECTOR_BYTES);
    const double there = smc_sm_bulk_copy(sm, warp, &async, sectors, clock);
    const uint32_t received =
        async.count > 1 ? (uint32_t)round(async.bytes * sm->received_of_multicasts) : async.bytes;
    if (!loads)
        warp->copies.last = smc_later(warp->copies.last, there);
    else if (barrier && smc_phases_receive(barrier, received, there))
        release_phase(sm, slot, barrier);
    return clock;
}

void smc_sm_arrive(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                   const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                   double clock)
{
    struct smc_sm_slot *slot = &sm->slot[warp->block];
    uint32_t number = step->barrier;
    if (number == SMC_SM_NAMED_BARRIERS)
        number = entry->lines
                     ? smc_async_unpack(&warp->trace->line[entry->line], entry->lines).count %
                           SMC_SM_NAMED_BARRIERS
                     : 0;
    struct smc_sm_named_barrier *barrier = &slot->named[number];
    sm->barriers_free = smc_later(sm->barriers_free, clock) + BARRIER_CLOCKS;
    barrier->clock = sm->barriers_free;
    barrier->arrived++;
    barrier->warps = step->barrier_warps;
    slot->barriers |= 1u << number;
    slot->waits = true;
    if (!step->only_arrives)
        warp->at_barrier = (uint8_t)(number + 1);
}

void smc_sm_check_barriers(struct smc_sm_state *sm, struct smc_sm_slot *slot)
{
    for (uint32_t used = slot->used ? slot->barriers : 0; used; used &= used - 1) {
        uint32_t number = (uint32_t)__builtin_ctz(used);
        const struct smc_sm_named_barrier *barrier = &slot->named[number];
        uint32_t warps = barrier->warps ? barrier->warps : slot->warps_left;
        if (barrier->arrived >= warps)
            release_barrier(sm, slot, number);
    }
}

static bool release_held(struct smc_sm_state *sm)
{
    bool any = false;
    for (uint32_t i = 0; i < sm->places * sm->launch->warps_per_block; i++) {
        const struct smc_sm_warp *warp = &sm->warp[i];
        if (!sm->slot[warp->block].used || !warp->is_held || warp->at_barrier)
            continue;
        wake_warp(sm, i, 0);
        any = true;
    }
    return any;
}

/* What a phase lacks is left out of the traces: it ends, for all that wait for it. */
static void end_missing_phase(struct smc_sm_state *sm, const struct smc_sm_warp *warp, double clock)
{
    struct smc_sm_slot *slot = &sm->slot[warp->block];
    struct smc_phased_barrier *barrier =
        &slot->phased.barrier[warp->awaited - slot->phased.barrier];
    smc_phases_end(barrier, clock);
    release_phase(sm, slot, barrier);
}

/* Whether a warp waits for others of its block. */
static bool waits_for_block(const struct smc_sm_warp *warp)
{
    return warp->at_barrier || warp->awaited;
}

/* Once another warp has left out iterations of its loop, one that waits for what they would have
   done leaves the rest of its own out, too. False: it does not leave any out. */
static bool leave_iterations_out(struct smc_sm_state *sm, struct smc_sm_warp *warp)
{
    const struct smc_warp_trace *trace = warp->trace;
    uint32_t at = warp->at;
    if (!sm->slot[warp->block].leaves_waits_out)
        return false;
    while (at < warp->count && !(trace->entry[at].step == SMC_WARP_TRACE_SKIP &&
                                 trace->skip[trace->entry[at].line].waits))
        at++;
    if (at + 1 >= warp->count || trace->entry[at + 1].step >= SMC_WARP_TRACE_SKIP)
        return false;
    warp->at = at;
    smc_sm_pass_marks(sm, warp);
    return true;
}

/* The warp goes on, as what it waits for is left out of the traces. */
static void end_wait(struct smc_sm_state *sm, uint32_t number, double clock)
{
    if (!leave_iterations_out(sm, &sm->warp[number]) && sm->warp[number].awaited)
        end_missing_phase(sm, &sm->warp[number], clock);
    else
        wake_warp(sm, number, clock);
}

void smc_sm_unblock_block(struct smc_sm_state *sm, const struct smc_sm_slot *slot)
{
    uint32_t longest = slot->first_warp, waiting = 0;
    double clock = 0;
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++) {
        const struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        if (!waits_for_block(warp))
            continue;
        if (waiting++ == 0 || warp->ready < sm->warp[longest].ready)
            longest = slot->first_warp + i;
        clock = smc_later(clock, warp->ready);
    }
    if (waiting > 0 && waiting == slot->warps_left)
        end_wait(sm, longest, clock);
}

bool smc_sm_unblock(struct smc_sm_state *sm)
{
    if (release_held(sm))
        return true;
    uint32_t warps = sm->places * sm->launch->warps_per_block, longest = warps;
    double clock = 0;
    for (uint32_t i = 0; i < sm->rates->subpartitions; i++)
        clock = smc_later(clock, sm->part[i].issue_free);
    for (uint32_t i = 0; i < warps; i++) {
        const struct smc_sm_warp *warp = &sm->warp[i];
        bool waits = sm->slot[warp->block].used && waits_for_block(warp);
        if (waits && (longest == warps || warp->ready < sm->warp[longest].ready))
            longest = i;
    }
    if (longest == warps)
        return false;
    end_wait(sm, longest, clock);
    return true;
}
