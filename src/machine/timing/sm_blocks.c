/* How an SM gets the blocks that it executes, one after the other. */
#include <math.h>
#include <string.h>

#include "machine/timing/means.h"
#include "machine/timing/sm_state.h"

/* Each block of an SM starts in the sub-partition after that of the block before, so that those of
   which only some warps go on load all alike: of 8 warps any 2, 4 or 6 that go on take the same
   time (H200, CUDA 13.0, 2026-11-30). */
static uint32_t sm_blocks_subpartition(const struct smc_sm_state *sm, uint32_t slot, uint32_t block,
                                       uint32_t warp)
{
    const uint32_t parts = sm->rates->subpartitions, warps = sm->launch->warps_per_block;
    return warps % parts == 0 ? (block + warp) % parts : (slot * warps + warp) % parts;
}

void smc_sm_start_block(struct smc_sm_state *sm, uint32_t number, double clock)
{
    const struct smc_sm_launch *launch = sm->launch;
    uint32_t block = sm->next_block++;
    struct smc_sm_slot *slot = &sm->slot[number];
    *slot = (struct smc_sm_slot){.used = true,
                                 .block = block,
                                 .warps_left = launch->warps_per_block,
                                 .first_warp = number * launch->warps_per_block,
                                 .debt = slot->debt,
                                 .rounds = slot->rounds + 1,
                                 .end = slot->end};
    sm->used++;
    for (uint32_t i = 0; i < launch->warps_per_block; i++) {
        struct smc_sm_warp *warp = &sm->warp[slot->first_warp + i];
        const struct smc_warp_trace *trace = launch->block[block].trace[i];
        const size_t of_all = (size_t)block * launch->warps_per_block + i;
        *warp = (struct smc_sm_warp){.trace = trace,
                                     .count = (uint32_t)trace->count,
                                     .block = number,
                                     .ready = clock,
                                     .weight = launch->weight ? launch->weight[of_all] : NULL,
                                     .begins_late =
                                         launch->begins_late ? launch->begins_late[of_all] : NULL};
        warp->mark[SMC_WARP_TRACE_DEPTH].clock = clock;
        smc_sm_pass_marks(sm, warp);
        warp->age = sm->started++;
        warp->subpartition = sm_blocks_subpartition(sm, number, block, i);
        if (warp->at < warp->count) {
            smc_sm_add_waiting(sm, warp, slot->first_warp + i);
            sm->alive[warp->subpartition]++;
        } else {
            slot->warps_left--;
        }
    }
}

void smc_sm_add_window(struct smc_sm_state *sm, uint32_t slot)
{
    const size_t places = sm->launch->arrays + 2;
    for (size_t i = 0; i < places; i++) {
        struct smc_sm_span *span = &sm->atomics_span[slot * places + i];
        struct smc_sm_window *window = &sm->window[i];
        if (span->last == 0)
            continue;
        if (window->blocks++ == 0 || span->first < window->all.first)
            window->all.first = span->first;
        if (span->last > window->all.last)
            window->all.last = span->last;
        window->lines += (double)(span->last - span->first + 1);
        *span = (struct smc_sm_span){0};
    }
}

uint32_t smc_sm_last_round(const struct smc_sm_launch *launch)
{
    const uint32_t rounds = launch->blocks / launch->resident_blocks;
    return rounds > 2 ? rounds - 1 : 2;
}

/* Whether blocks take clearly different times, by the longest warp of each. */
static bool take_different_times(const struct smc_sm_launch *launch)
{
    enum { CLEARLY = 8 }; /* an eighth */
    struct smc_mean longest = {0};
    for (uint32_t b = 0; b < launch->blocks; b++) {
        uint64_t most = 0;
        for (uint32_t w = 0; w < launch->warps_per_block; w++) {
            const uint64_t length = launch->block[b].trace[w]->length;
            most = length > most ? length : most;
        }
        smc_mean_add(&longest, (double)most);
    }
    return smc_mean_spread(&longest) * CLEARLY > longest.mean;
}

/* A block's shared memory is free when its last warp has ended, but a warp's registers and its
   place in its sub-partition when it has. What is free then is filled whenever a block ends on one
   of the two SMs of a pair, on both of them, with as many blocks as fit, beyond those that reside
   as long as no warp has ended: of blocks of 256 threads of which one warp goes on and eight
   reside, the first end of one starts seven on each SM. No end of a warp does. So where blocks take
   as long as each other, eight stay: they end when those that take their places have just started,
   of which all warps are there. Where they do not, blocks start nearly as soon as they fit: 3750 of
   1024 threads, of which one, four, eight, 16 or all warps go on for 10.4 thousand clocks on
   average (exponentially distributed), take 74, 74, 83, 100 and 122 us, with 50 registers 92, 117
   and 187 to 204 (H200, CUDA 13.0, driver 580.159.04, 2026-12-01). */
uint32_t smc_sm_places(const struct smc_sm_launch *launch, uint32_t slots)
{
    if (launch->blocks <= slots || launch->block_room <= slots || !take_different_times(launch))
        return slots;
    return launch->block_room < launch->blocks ? launch->block_room : launch->blocks;
}

static uint32_t free_slot(const struct smc_sm_state *sm)
{
    uint32_t number = 0;
    while (number < sm->places && sm->slot[number].used)
        number++;
    return number;
}

/* Whether the next block fits into the SM beside the warps that have not ended. */
static bool next_fits(const struct smc_sm_state *sm, uint32_t slot)
{
    uint32_t warps[SMC_SM_MOST_SUBPARTITIONS];
    memcpy(warps, sm->alive, sizeof warps);
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++)
        warps[sm_blocks_subpartition(sm, slot, sm->next_block, i)]++;
    for (uint32_t i = 0; i < sm->rates->subpartitions; i++)
        if (warps[i] * sm->rates->subpartitions > sm->launch->warp_room)
            return false;
    return true;
}

/* Starts the next block if one follows and it fits. */
static void start_next(struct smc_sm_state *sm, double clock)
{
    const uint32_t slot = free_slot(sm);
    if (sm->next_block == sm->launch->blocks || slot == sm->places ||
        (sm->used >= sm->slots && !next_fits(sm, slot)))
        return;
    const double start = smc_later(clock + sm->rates->block_start, sm->block_free);
    sm->block_free = start + sm->rates->block_interval;
    smc_sm_start_block(sm, slot, start);
}

void smc_sm_end_warp(struct smc_sm_state *sm, struct smc_sm_warp *warp, double clock)
{
    struct smc_sm_slot *slot = &sm->slot[warp->block];
    warp->end = clock;
    slot->end = smc_later(slot->end, clock);
    slot->left_out += warp->left_out;
    if (warp->left_out <= 0)
        sm->alive[warp->subpartition]--;
    if (--slot->warps_left > 0) {
        if (sm->places > sm->slots)
            start_next(sm, clock);
        return;
    }
    for (uint32_t i = 0; i < sm->launch->warps_per_block; i++)
        if (sm->warp[slot->first_warp + i].left_out > 0)
            sm->alive[sm->warp[slot->first_warp + i].subpartition]--;
    smc_sm_add_window(sm, warp->block);
    double least;
    const double debt = slot->merged_debt + smc_sm_debt_of_block(sm, slot, clock, &least);
    slot->debt += debt;
    slot->last_debt = debt;
    slot->least_debt = slot->merged_least + least;
    sm->all_debts += debt;
    slot->used = false;
    sm->used--;
    sm->ended++;
    const uint32_t resident = sm->launch->resident_blocks, round = (sm->ended - 1) / resident + 1;
    if (round == 1)
        sm->first_round += clock;
    else if (round == smc_sm_last_round(sm->launch))
        sm->last_round += clock;
    start_next(sm, clock);
}
