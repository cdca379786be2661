/* Executes warps on one SM, from one event to the next. */
#include "machine/timing/sm_schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/sass/async.h"
#include "machine/timing/operands.h"
#include "machine/timing/sm_state.h"
#include "rules/banks.h"

/* Clocks of work that a unit's queue holds before warps have to wait. DATA_QUEUE is that of L1's
   data stage. Barriers take a turn of this stage, too, for each warp of the block up to four: 64
   warps that load four words of shared memory, store one and wait take 391, 361, 345 and 337 clocks
   in blocks of 128, 256, 512 and 1024 threads, of which loads and stores are 320. In blocks of 64
   threads it is 448, which products of matrices in tiles of 8 x 8 do not show (H200, CUDA 13.0,
   driver 580.159.04, 2026-11-30). */
enum { LSU_QUEUE = 16, DATA_QUEUE = 64, BARRIER_TURNS = 4 };

/* --- Steps ------------------------------------------------------------------------------------ */

/* CALL is a branch where the program has the function. */
static const uint8_t kind_of[SMC_OP_COUNT] = {
    [SMC_OP_LDS] = SMC_SM_SHARED_LOAD,
    [SMC_OP_LDSM] = SMC_SM_SHARED_LOAD,
    [SMC_OP_STS] = SMC_SM_SHARED_STORE,
    [SMC_OP_STSM] = SMC_SM_SHARED_STORE,
    [SMC_OP_LDG] = SMC_SM_GLOBAL_LOAD,
    [SMC_OP_LDL] = SMC_SM_GLOBAL_LOAD,
    [SMC_OP_STG] = SMC_SM_GLOBAL_STORE,
    [SMC_OP_STL] = SMC_SM_GLOBAL_STORE,
    [SMC_OP_LDGSTS] = SMC_SM_COPY,
    [SMC_OP_LDGDEPBAR] = SMC_SM_COPY_GROUP,
    [SMC_OP_DEPBAR] = SMC_SM_COPY_WAIT,
    [SMC_OP_ATOMS] = SMC_SM_SHARED_ATOMIC,
    [SMC_OP_ATOMS_CAS] = SMC_SM_SHARED_ATOMIC,
    [SMC_OP_ATOM] = SMC_SM_ATOMIC,
    [SMC_OP_ATOM_CAS] = SMC_SM_ATOMIC,
    [SMC_OP_ATOM_FLOAT] = SMC_SM_ATOMIC,
    [SMC_OP_ATOMG] = SMC_SM_ATOMIC,
    [SMC_OP_ATOMG_CAS] = SMC_SM_ATOMIC,
    [SMC_OP_ATOMG_FLOAT] = SMC_SM_ATOMIC,
    [SMC_OP_RED] = SMC_SM_ATOMIC,
    [SMC_OP_REDG] = SMC_SM_ATOMIC,
    [SMC_OP_LD] = SMC_SM_GENERIC,
    [SMC_OP_ST] = SMC_SM_GENERIC,
    [SMC_OP_NANOSLEEP] = SMC_SM_SLEEP,
    [SMC_OP_SHFL] = SMC_SM_SHUFFLE,
    [SMC_OP_MATCH] = SMC_SM_MATCH,
    [SMC_OP_BAR] = SMC_SM_BARRIER,
    [SMC_OP_BRA] = SMC_SM_BRANCH,
    [SMC_OP_BRX] = SMC_SM_BRANCH,
    [SMC_OP_BSYNC] = SMC_SM_SYNC,
    [SMC_OP_RET] = SMC_SM_BRANCH,
    [SMC_OP_CALL] = SMC_SM_BRANCH,
    [SMC_OP_SYNCS] = SMC_SM_PHASES,
    [SMC_OP_SYNCS_EXCH] = SMC_SM_PHASES,
    [SMC_OP_ARRIVES] = SMC_SM_PHASES,
    [SMC_OP_UBLKCP] = SMC_SM_BULK,
    [SMC_OP_UBLKRED] = SMC_SM_BULK,
    [SMC_OP_UTMALDG] = SMC_SM_BULK,
    [SMC_OP_UTMASTG] = SMC_SM_BULK,
    [SMC_OP_UTMAREDG] = SMC_SM_BULK,
    [SMC_OP_UTMACMDFLUSH] = SMC_SM_COPY_GROUP,
    [SMC_OP_HGMMA] = SMC_SM_PRODUCT,
    [SMC_OP_IGMMA] = SMC_SM_PRODUCT,
    [SMC_OP_BGMMA] = SMC_SM_PRODUCT,
    [SMC_OP_QGMMA] = SMC_SM_PRODUCT,
    [SMC_OP_WARPGROUP] = SMC_SM_PRODUCT_WAIT,
    [SMC_OP_TEX] = SMC_SM_TEXTURE,
    [SMC_OP_TEX_REGISTER] = SMC_SM_TEXTURE,
    [SMC_OP_TLD4] = SMC_SM_TEXTURE,
    [SMC_OP_TLD4_REGISTER] = SMC_SM_TEXTURE,
    [SMC_OP_TLD] = SMC_SM_TEXTURE,
    [SMC_OP_TLD_REGISTER] = SMC_SM_TEXTURE,
    [SMC_OP_MEMBAR] = SMC_SM_FENCE,
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
    struct smc_mma product;
    if (kind_of[in->operation] == SMC_SM_PRODUCT && smc_mma_of(in, &product))
        return rates->product_latency[product.a_in_registers];
    bool special = in->pipe == SMC_PIPE_XU || in->pipe == SMC_PIPE_FP64;
    if (in->operation == SMC_OP_RET || in->operation == SMC_OP_BRX)
        return rates->indirect_latency;
    if (in->branches)
        return rates->branch_latency;
    return special ? rates->special_latency : rates->constant_latency;
}

/* BAR: the number at bits 54 to 57 and the threads at 42 to 53, if the form of the operands is 5,
   and the number in a register if it is 2; 77 and 78: what it does, 1: it only arrives. */
static void read_barrier(const struct smc_sass_instruction *in, struct smc_sm_step *step)
{
    enum { NUMBER_IN_REGISTER = 2, BOTH_IMMEDIATE = 5, ARRIVES = 1 };
    unsigned form = (unsigned)smc_bits(in, 9, 3);
    step->barrier = form == BOTH_IMMEDIATE ? (uint8_t)smc_bits(in, 54, 4) : SMC_SM_NAMED_BARRIERS;
    if (form == BOTH_IMMEDIATE || form == NUMBER_IN_REGISTER)
        step->barrier_warps = (uint8_t)((smc_bits(in, 42, 12) + SMC_LANES - 1) / SMC_LANES);
    step->only_arrives = smc_bits(in, 77, 2) == ARRIVES;
}

/* WARPGROUP: bit 80: waits for all groups but as many as bits 72 to 77 say. Products: the
   scoreboard of their group at bits 84 to 86, 7: none. */
static void read_product(const struct smc_sass_instruction *in, struct smc_sm_step *step)
{
    enum { NO_GROUP = 7 };
    if (step->kind == SMC_SM_PRODUCT_WAIT)
        step->missing_groups = smc_bit(in, 80) ? (uint8_t)smc_bits(in, 72, 6) : UINT8_MAX;
    if (step->kind != SMC_SM_PRODUCT)
        return;
    step->ends_group = smc_bits(in, 84, 3) != NO_GROUP;
    step->wavefronts = (float)smc_rates_product_wavefronts(in);
}

static uint8_t kind_of_step(const struct smc_program_step *step)
{
    if (step->in.operation == SMC_OP_CALL && !step->calls)
        return SMC_SM_PLAIN;
    return smc_reads_constants_by_lane(&step->in) ? SMC_SM_CONSTANTS
           : smc_indexes_constants(&step->in)     ? SMC_SM_UNIFORM_CONSTANTS
                                                  : kind_of[step->in.operation];
}

static void prepare_step(const struct smc_sm_state *sm, uint32_t number,
                         struct smc_kept_operands *kept, struct smc_sm_step *step)
{
    const struct smc_program_step *at = &sm->launch->program->step[number];
    const struct smc_sass_instruction *in = &at->in;
    const struct smc_rates *rates = sm->rates;
    *step = (struct smc_sm_step){
        .pipe = in->pipe == SMC_PIPE_CBU ? SMC_PIPE_BRANCH : (uint8_t)in->pipe, /* one unit */
        .wait = (uint8_t)smc_awaited_scoreboards(in),
        .write_sb = (uint8_t)smc_write_scoreboard(in),
        .read_sb = (uint8_t)smc_read_scoreboard(in),
        .stall = (uint8_t)smc_stall_cycles(in),
        .kind = kind_of_step(at),
        .flops = flops_of(in),
        .bytes = in->access_bytes,
        .scope = (uint8_t)smc_bits(in, 76, 2),
        .beyond_sm = in->beyond_sm,
        .has_result = smc_is_generic_atomic(in) ||
                      (in->to.kind == SMC_OPERAND_REGISTER && in->to.number != SMC_ZERO_REGISTER),
        .occupies = (float)smc_rates_clocks(rates, in),
        .latency = (float)latency_of(in, rates),
    };
    if (kind_of[in->operation] == SMC_SM_ATOMIC)
        smc_sm_read_atomic(in, step);
    if (in->operation == SMC_OP_DEPBAR) /* SB0 and how many groups may be missing */
        step->missing_groups = (uint8_t)smc_bits(in, 38, 6);
    if (step->kind == SMC_SM_BARRIER)
        read_barrier(in, step);
    read_product(in, step);
    smc_operands_count(kept, in, step);
    step->occupies += (float)smc_operands_clocks(rates, step);
}

/* --- Pipes ------------------------------------------------------------------------------------ */

/* FMAs go to the halves of their pipe in turn, whichever is free; PIPE_FMA is the half that
   multiplies no integers. 16 IMAD and 16 FFMA take 51.6 clocks (16 warps of a sub-partition; H200,
   CUDA 13.0, driver 580.159.04, 2026-11-29). */
static enum smc_pipe pipe_of(const struct smc_sm_state *sm, const struct smc_sm_part *part,
                             const struct smc_sm_step *step)
{
    if (step->pipe != SMC_PIPE_FMA)
        return (enum smc_pipe)step->pipe;
    return sm->rates->fma_halves < 2 || part->heavy_is_next ? SMC_PIPE_FMA_HEAVY : SMC_PIPE_FMA;
}

/* --- Issue ------------------------------------------------------------------------------------ */

/* The tensor core of the warp's sub-partition multiplies its 16 rows after what it was given
   before, and not faster than shared memory delivers the operands. */
static double execute_product(struct smc_sm_state *sm, struct smc_sm_part *part,
                              struct smc_sm_warp *warp, const struct smc_sm_step *step,
                              double clock)
{
    double *free_clock = &part->pipe_free[SMC_PIPE_TENSOR];
    if (step->wavefronts > 0) {
        *free_clock = smc_later(*free_clock, smc_sm_data_stage(sm, clock, step->wavefronts));
        sm->work->shared_wavefronts += step->wavefronts;
    }
    warp->products.last = smc_later(warp->products.last, *free_clock + step->latency);
    if (step->ends_group)
        smc_groups_commit(&warp->products);
    part->pipe_gate[SMC_PIPE_TENSOR] = *free_clock - sm->rates->product_queue * step->occupies;
    return clock;
}

/* Generic accesses are of the memory that the walk found. */
static enum smc_sm_kind kind_of_access(const struct smc_sm_step *step,
                                       const struct smc_warp_trace_entry *entry)
{
    if (step->kind != SMC_SM_GENERIC || entry->unknown_addresses)
        return step->kind;
    if (entry->lines == 0)
        return step->has_result ? SMC_SM_SHARED_LOAD : SMC_SM_SHARED_STORE;
    return step->has_result ? SMC_SM_GLOBAL_LOAD : SMC_SM_GLOBAL_STORE;
}

/* When an instruction reaches what executes it. */
static double way_of(const struct smc_sm_state *sm, struct smc_sm_part *part,
                     const struct smc_sm_step *step, double clock)
{
    if ((step->kind < SMC_SM_SHARED_LOAD || step->kind > SMC_SM_COPY) &&
        step->kind != SMC_SM_SHUFFLE && step->kind != SMC_SM_GENERIC &&
        step->kind != SMC_SM_TEXTURE)
        return clock;
    part->memory_free = smc_later(part->memory_free, clock) + sm->rates->issue[SMC_PIPE_LSU];
    return part->memory_free;
}

/* A warp receives its wavefronts one in RETURN_CLOCKS, so that one with conflicts leaves half of
   the data stage to others: loads of a word by 1 to 32 lanes in a bank take 43 to 105 clocks, 2 for
   each lane more; eight such loads by 32 lanes take 553 clocks for one or two warps, 578 for two of
   a sub-partition, and 1027 for four (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). */
static double sm_read_shared(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                             const struct smc_sm_step *step,
                             const struct smc_warp_trace_entry *entry, double way)
{
    enum { RETURN_CLOCKS = 2 };
    const double waits =
        step->kind == SMC_SM_SHARED_ATOMIC ? smc_sm_wait_to_swap(sm, warp, entry, way) : 0;
    const bool known =
        !entry->unknown_addresses && (step->kind == SMC_SM_SHARED_LOAD || entry->wavefronts > 0);
    const double wavefronts = smc_sm_shared_wavefronts(sm, entry, known);
    const double read = smc_sm_data_stage(sm, way, wavefronts);
    warp->received = smc_later(warp->received, read - wavefronts) + RETURN_CLOCKS * wavefronts;
    return smc_later(read, warp->received - 1) + sm->rates->shared_latency - 1 + waits;
}

/* Executes a fence, barrier, or wait for groups of copies or products; others are arithmetic. */
static double execute_wait(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                           const struct smc_sm_step *step, double clock)
{
    switch (step->kind) {
    case SMC_SM_COPY_GROUP:
        smc_groups_commit(&warp->copies);
        return clock;
    case SMC_SM_COPY_WAIT:
        warp->ready = smc_later(warp->ready, smc_groups_wait(&warp->copies, step->missing_groups));
        return clock;
    case SMC_SM_PRODUCT_WAIT:
        warp->ready =
            smc_later(warp->ready, smc_groups_wait(&warp->products, step->missing_groups));
        return clock;
    case SMC_SM_FENCE:
        warp->ready = smc_later(warp->ready, smc_sm_fence(sm, warp, step, clock));
        return clock;
    case SMC_SM_SYNC:
        warp->ready += sm->rates->sync_latency;
        return clock;
    case SMC_SM_BARRIER:
        sm->data_free = smc_later(sm->data_free, clock) +
                        fmin(1, (double)BARRIER_TURNS / sm->launch->warps_per_block);
        return clock + step->latency;
    default:
        return clock + step->latency;
    }
}

static double sleeps_until(const struct smc_sm_state *sm, const struct smc_sm_warp *warp,
                           const struct smc_warp_trace_entry *entry, double clock)
{
    const struct smc_async async = smc_async_unpack(&warp->trace->line[entry->line], entry->lines);
    return async.kind == SMC_ASYNC_SLEEP ? smc_rates_sleep_end(sm->rates, async.bytes, clock) : 0;
}

/* Executes what the instruction does; returns when its result is there. */
static double execute(struct smc_sm_state *sm, struct smc_sm_part *part, struct smc_sm_warp *warp,
                      const struct smc_sm_step *step, const struct smc_warp_trace_entry *entry,
                      double clock)
{
    const struct smc_rates *rates = sm->rates;
    const double way = way_of(sm, part, step, clock);
    double done;
    warp->is_apart |= step->kind == SMC_SM_GLOBAL_LOAD || step->kind == SMC_SM_GLOBAL_STORE ||
                      step->kind == SMC_SM_TEXTURE;
    switch (kind_of_access(step, entry)) {
    case SMC_SM_SHARED_LOAD:
    case SMC_SM_SHARED_ATOMIC:
        return sm_read_shared(sm, warp, step, entry, way);
    case SMC_SM_SHUFFLE:
        return smc_sm_data_stage(sm, way, 1) + rates->shared_latency - 1;
    case SMC_SM_SHARED_STORE:
        return smc_sm_data_stage(sm, way,
                                 smc_sm_shared_wavefronts(sm, entry, !entry->unknown_addresses));
    case SMC_SM_GLOBAL_LOAD:
        return smc_sm_load(sm, warp, entry, way,
                           step->beyond_sm ? SMC_SM_LOAD_BEYOND_SM : SMC_SM_LOAD);
    case SMC_SM_TEXTURE:
        done = smc_sm_texture(sm, warp, entry, way);
        part->pipe_gate[step->pipe] = sm->texture_free - sm->rates->texture_queue;
        return done;
    case SMC_SM_GLOBAL_STORE:
        return smc_sm_store(sm, warp, step, entry, way);
    case SMC_SM_COPY:
        done = smc_sm_load(sm, warp, entry, way,
                           step->beyond_sm ? SMC_SM_LOAD_COPIES_BEYOND_SM : SMC_SM_LOAD_COPIES);
        warp->copies.last = smc_later(warp->copies.last, done);
        return way;
    case SMC_SM_GENERIC:
        return smc_sm_unfollowed(sm, entry, clock);
    case SMC_SM_ATOMIC:
        return smc_sm_atomic(sm, warp, step, entry, way);
    case SMC_SM_CONSTANTS:
        done = smc_sm_constants(sm, warp, entry, clock);
        part->pipe_gate[step->pipe] = sm->constants.free_clock - LSU_QUEUE;
        return done;
    case SMC_SM_MATCH:
        return smc_sm_match(sm, part, step, entry, clock);
    case SMC_SM_UNIFORM_CONSTANTS:
        warp->ready =
            smc_later(warp->ready, smc_sm_uniform_constants(sm, part, warp, entry, clock));
        return clock + step->latency;
    case SMC_SM_SLEEP:
        warp->ready = smc_later(warp->ready, sleeps_until(sm, warp, entry, clock));
        return clock;
    case SMC_SM_PHASES:
        return smc_sm_execute_phases(sm, warp, step, entry, clock);
    case SMC_SM_BULK:
        return smc_sm_execute_bulk(sm, warp, entry, clock);
    case SMC_SM_PRODUCT:
        return execute_product(sm, part, warp, step, clock);
    default:
        return execute_wait(sm, warp, step, clock);
    }
}

/* From when on the pipe of a step that was just issued can be used again. */
static void set_gates(const struct smc_sm_state *sm, struct smc_sm_part *part,
                      const struct smc_sm_step *step)
{
    const double *free_clock = part->pipe_free;
    if (step->pipe == SMC_PIPE_FMA)
        part->heavy_is_next = !part->heavy_is_next;
    part->pipe_gate[step->pipe] = free_clock[step->pipe];
    part->pipe_gate[SMC_PIPE_LSU] = free_clock[SMC_PIPE_LSU] - LSU_QUEUE;
    part->pipe_gate[SMC_PIPE_FMA_HEAVY] = free_clock[SMC_PIPE_FMA_HEAVY];
    part->pipe_gate[SMC_PIPE_FMA] =
        free_clock[sm->rates->fma_halves < 2 || part->heavy_is_next ? SMC_PIPE_FMA_HEAVY
                                                                    : SMC_PIPE_FMA];
}

/* What follows a branch is delayed if lanes take it, also where others of the warp go on first.
   Lanes that wait for others (BSYNC) let those go on without further delay; where lanes end, the
   others go on as after a branch. */
static void add_jump(const struct smc_sm_state *sm, struct smc_sm_part *part,
                     struct smc_sm_warp *warp, const struct smc_sm_step *step,
                     const struct smc_warp_trace_entry *entry)
{
    const struct smc_rates *rates = sm->rates;
    if (warp->at >= warp->count)
        return;
    const struct smc_warp_trace_entry *next = &warp->trace->entry[warp->at];
    const bool is_branch = step->kind == SMC_SM_BRANCH, is_known = next->step < SMC_WARP_TRACE_SKIP;
    const bool goes_apart = is_branch && is_known && next->active_lanes < entry->active_lanes;
    const bool jumps = (is_branch || is_known) && next->step != entry->step + 1;
    if ((jumps && step->kind != SMC_SM_SYNC) || goes_apart) {
        warp->ready += is_branch ? step->latency : rates->branch_latency;
        part->issue_free += rates->branch_issue;
    }
    if (next->step <= entry->step)
        smc_sm_end_turn(sm, warp);
}

/* Where a warp is in the list. Those that it woke may have moved it from `position`. */
static uint32_t sm_schedule_position(const struct smc_sm_part *part, uint32_t position,
                                     uint32_t warp)
{
    if (part->waiting[position].warp == warp)
        return position;
    for (position = 0; part->waiting[position].warp != warp;)
        position++;
    return position;
}

static void issue(struct smc_sm_state *sm, struct smc_sm_part *part, uint32_t position,
                  double clock)
{
    uint32_t warp_number = part->waiting[position].warp;
    struct smc_sm_warp *warp = &sm->warp[warp_number];
    sm->delay = clock - part->waiting[position].ready;
    const struct smc_warp_trace_entry *entry = &warp->trace->entry[warp->at];
    const struct smc_sm_step *step = &sm->step[entry->step];
    double stall = step->stall ? step->stall : 1;
    const bool goes_on = !sm->oldest_first || part->last == warp_number;
    part->issue_free = smc_operands_dispatch(part->port_free, step, goes_on, clock) + 1;
    part->last = warp_number;
    enum smc_pipe pipe = pipe_of(sm, part, step);
    if (step->kind != SMC_SM_BARRIER)
        part->pipe_free[pipe] = smc_later(part->pipe_free[pipe], clock) + step->occupies;
    set_gates(sm, part, step);
    sm->work = &sm->launch->work[entry->step];
    warp->done++;
    sm->work->executions++;
    sm->work->held += part->issue_free - clock - 1;
    sm->work->flops += (double)step->flops * entry->active_lanes;
    warp->ready = clock + stall;
    const uint64_t filled = sm->cache.filled;
    double done = execute(sm, part, warp, step, entry, clock);
    warp->delay += sm->delay;
    warp->filled += (double)(sm->cache.filled - filled);
    position = sm_schedule_position(part, position, warp_number);
    part->pipe_gate[SMC_PIPE_LSU] = smc_later(
        part->pipe_gate[SMC_PIPE_LSU], smc_later(sm->data_free, sm->asked_free) - DATA_QUEUE);
    double read = step->kind == SMC_SM_PLAIN ? clock + 10 : part->memory_free + 8;
    warp->scoreboard[step->write_sb] = smc_later(warp->scoreboard[step->write_sb], done);
    warp->scoreboard[step->read_sb] = smc_later(warp->scoreboard[step->read_sb], read);
    warp->at++;
    uint32_t number = warp->block;
    add_jump(sm, part, warp, step, entry);
    smc_sm_pass_marks(sm, warp);
    if (warp->at >= warp->count) {
        smc_sm_remove_waiting(part, position);
        warp->awaited = NULL; /* what its trace leaves out would wait */
        warp->is_held = false;
        smc_sm_end_warp(sm, warp, smc_later(done, clock + stall));
    } else {
        if (step->kind == SMC_SM_BARRIER && entry->active_lanes > 0)
            smc_sm_arrive(sm, warp, step, entry, clock);
        const uint32_t next = warp->trace->entry[warp->at].step;
        warp->ready = smc_later(warp->ready, smc_fetch_step(&sm->fetch, next, clock));
        const struct smc_sm_waiting again = smc_sm_waiting_of(sm, warp, warp_number);
        smc_sm_replace(part, position, &again);
    }
    smc_sm_check_barriers(sm, &sm->slot[number]);
    if (warp->at >= warp->count || warp->at_barrier || warp->awaited)
        smc_sm_unblock_block(sm, &sm->slot[number]);
}

/* The warp that issues next in a sub-partition, and when: the one that issued last, as long as it
   can go on, so that 8 warps with loops of k LOP3 and k FFMA take 3 k clocks for each, as one does,
   and little more than 2 k if control bits let others go on (k = 2 to 128, patched machine code;
   H200, CUDA 13.0, driver 580.159.04, 2026-11-30); else one of the oldest block of those that can
   issue first, whose warps take turns: of blocks of 192 to 896 threads that wait for L1, one after
   the other goes on after its first loads (clocks of all warps of an SM; H200, CUDA 13.0, driver
   580.159.04, 2026-11-30). Warps then drift apart, and work outside the busiest pipe overlaps less
   than if they took turns: 16 warps with loops of 64 FFMA and 16 MUFU take 159 clocks for a pass of
   each, not 131; with calls of exp of doubles 45, not 35 (H200, CUDA 13.0, driver 580.159.04,
   2026-11-29). Warps do take turns, of an instruction each, where traces leave out instructions,
   since an older warp would finish the part of a loop that was kept before a younger one begins;
   and where later blocks are not executed, since those would overlap with the last warps. Where
   issue or a pipe is busy all the time, turns are of some iterations each: smc_sm_end_turn. */
static void sm_schedule_choose(const struct smc_sm_state *sm, struct smc_sm_part *part)
{
    double best = INFINITY;
    uint64_t least = 0;
    part->next = SMC_SM_NO_WARP;
    for (uint32_t i = 0; i < part->warps; i++) {
        const struct smc_sm_waiting *waiting = &part->waiting[i];
        double clock = smc_later(waiting->ready, part->issue_free);
        if (sm->oldest_first ? clock > best : clock >= best)
            break; /* and so for all that follow */
        clock = smc_later(clock, part->pipe_gate[waiting->pipe]);
        const bool goes_on = waiting->warp == part->last && clock == part->issue_free;
        const uint64_t rank = goes_on ? 0 : waiting->rank + 1;
        if (clock < best || (sm->oldest_first && clock == best && rank < least)) {
            best = clock;
            least = rank;
            part->next = (int)i;
        }
    }
    part->next_clock = best;
}

static void sm_schedule_run(struct smc_sm_state *sm)
{
    uint32_t parts = sm->rates->subpartitions;
    for (;;) {
        struct smc_sm_part *first = NULL;
        for (uint32_t i = 0; i < parts; i++) {
            struct smc_sm_part *part = &sm->part[i];
            if (part->next < SMC_SM_NO_WARP)
                sm_schedule_choose(sm, part);
            if (part->next != SMC_SM_NO_WARP && (!first || part->next_clock < first->next_clock))
                first = part;
        }
        if (!first && smc_sm_unblock(sm))
            continue;
        if (!first)
            return;
        issue(sm, first, (uint32_t)first->next, first->next_clock);
    }
}

/* --- From start to end ------------------------------------------------------------------------ */

static void close_sm(struct smc_sm_state *sm)
{
    smc_l1_close(&sm->cache);
    smc_l1_close(&sm->stored);
    smc_fetch_close(&sm->fetch);
    free(sm->part[0].waiting);
    free(sm->span);
    free(sm->atomics_span);
    free(sm->window);
    free(sm->strides);
    smc_reuse_close(&sm->reuse);
    free(sm->slot);
    free(sm->warp);
    free(sm->step);
}

/* False: memory. */
static bool open_fetch(struct smc_sm_state *sm)
{
    const struct smc_sm_launch *launch = sm->launch;
    const uint32_t lines = launch->program->count / SMC_FETCH_LINE + 1;
    if (lines <= SMC_FETCH_LINES)
        return true;
    bool *executed = smc_calloc(lines, sizeof *executed);
    for (uint32_t b = 0; b < launch->blocks && executed; b++)
        for (uint32_t w = 0; w < launch->warps_per_block; w++) {
            const struct smc_warp_trace *trace = launch->block[b].trace[w];
            for (size_t i = 0; i < trace->count; i++)
                if (trace->entry[i].step < SMC_WARP_TRACE_SKIP)
                    executed[trace->entry[i].step / SMC_FETCH_LINE] = true;
        }
    const bool is_open = executed && smc_fetch_open(&sm->fetch, executed, lines);
    free(executed);
    return is_open;
}

static enum smc_status open_sm(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                               struct smc_sm_state *sm, struct smc_error *error)
{
    uint32_t slots =
        launch->resident_blocks < launch->blocks ? launch->resident_blocks : launch->blocks;
    const uint32_t places = smc_sm_places(launch, slots);
    size_t warps = (size_t)places * launch->warps_per_block;
    *result = (struct smc_sm_result){0};
    *sm = (struct smc_sm_state){.launch = launch,
                                .rates = launch->rates,
                                .result = result,
                                .slots = slots,
                                .places = places,
                                .counts_for = 1,
                                .weight = 1};
    sm->step = smc_malloc(launch->program->count * sizeof *sm->step);
    sm->warp = smc_calloc(warps ? warps : 1, sizeof *sm->warp);
    sm->slot = smc_calloc(places ? places : 1, sizeof *sm->slot);
    struct smc_sm_waiting *list =
        smc_calloc(warps ? warps * SMC_SM_MOST_SUBPARTITIONS : 1, sizeof *list);
    for (uint32_t i = 0; i < SMC_SM_MOST_SUBPARTITIONS; i++) {
        sm->part[i].waiting = list ? list + i * warps : NULL;
        sm->part[i].next = SMC_SM_NO_WARP - 1;
    }
    sm->atomics_span = smc_calloc(places * (launch->arrays + 2) + 1, sizeof *sm->atomics_span);
    sm->window = smc_calloc(launch->arrays + 2, sizeof *sm->window);
    bool caches = smc_l1_open(&sm->cache, launch->l1_bytes);
    caches = smc_l1_open(&sm->stored, SMC_SM_STORED_BYTES) && caches;
    caches = open_fetch(sm) && caches;
    if (!caches || !sm->step || !sm->warp || !sm->slot || !list || !sm->atomics_span ||
        !sm->window) {
        close_sm(sm);
        return smc_out_of_memory(error);
    }
    struct smc_kept_operands kept;
    smc_operands_start(&kept);
    for (uint32_t i = 0; i < launch->program->count; i++)
        prepare_step(sm, i, &kept, &sm->step[i]);
    sm->changed = smc_sm_changed_arrays(sm);
    sm->received_of_multicasts = smc_sm_received_of_multicasts(sm);
    return SMC_OK;
}

/* If several of the SM's blocks access a piece, all of the launch do so; otherwise one does, or a
   few. */
static double accesses_in_launch(const struct smc_sm_launch *launch,
                                 const struct smc_sm_hot_piece *piece)
{
    const bool apart = launch->blocks > 1 && __builtin_popcountll(piece->blocks) == 1;
    return piece->accesses * (apart ? launch->share_of_blocks : 1);
}

/* The piece with the most accesses in the launch. */
static const struct smc_sm_hot_piece *
hottest_of(const struct smc_sm_launch *launch, const struct smc_sm_hot_piece *hot, double *accesses)
{
    const struct smc_sm_hot_piece *hottest = hot;
    *accesses = 0;
    for (uint32_t i = 0; i < SMC_SM_HOT_PIECES; i++) {
        const double all = accesses_in_launch(launch, &hot[i]);
        if (all <= *accesses)
            continue;
        *accesses = all;
        hottest = &hot[i];
    }
    return hottest;
}

/* The piece with most atomics in the launch, with the other one that is in the same unit of L2. */
static void find_hottest_atomics(const struct smc_sm_state *sm, struct smc_sm_result *result)
{
    enum { NEXT_IN_UNIT = 2, SECTORS = 4 * SMC_SM_ATOMIC_LINES };
    const struct smc_sm_hot_piece *piece =
        hottest_of(sm->launch, sm->atomics, &result->hottest_atomics);
    struct smc_sm_hot_piece unit = *piece;
    double all = 0, clocks = 0, first = piece->first;
    for (uint32_t i = 0; i < SMC_SM_HOT_PIECES && piece->number; i++) {
        const struct smc_sm_hot_piece *other = &sm->atomics[i];
        first = other->number ? fmin(first, other->first) : first;
        all += other->accesses;
        clocks += other->clocks;
        if (other->number != ((piece->number - 1) ^ NEXT_IN_UNIT) + 1)
            continue;
        result->hottest_atomics += accesses_in_launch(sm->launch, other);
        smc_sm_join_in_unit(&unit, other, SECTORS);
    }
    result->first_atomic = first;
    result->first_hottest = piece->first;
    result->hottest_clocks = smc_sm_clocks_of_atomic(sm->rates, &unit);
    result->atomic_clocks = all > 0 ? clocks / all : 0;
}

/* How many bytes of an array have the atomics of the blocks that run at a time. The SM's blocks are
   at equal distances, and as many reside on each SM. */
static double bytes_of_window(const struct smc_sm_launch *launch,
                              const struct smc_sm_window *window)
{
    const double of_block = window->lines / window->blocks;
    const double step =
        ((double)(window->all.last - window->all.first + 1) - of_block) / (launch->blocks - 1);
    return (of_block + step * launch->blocks_at_a_time) * SMC_LINE_BYTES;
}

/* The windows of the arrays that have atomics, and what share of the units' time the one has that
   has most. Fewer and larger windows have more units, each of a few pieces: those at random places
   of 1 to 64 KiB take 0.35, 0.17, 0.097, 0.032 and 0.016 to 0.018 ns, of all words of a sector in
   order 0.29, 0.15, 0.093, 0.023 and 0.012 (H200, CUDA 13.0, driver 580.159.04, 2026-11-30). Those
   of other arrays are spread over all units. Of a single block it is not known, as where only one
   of those that are followed has any: then they are taken to be spread, too. */
static void find_windows(const struct smc_sm_state *sm, struct smc_sm_result *result)
{
    const struct smc_sm_launch *launch = sm->launch;
    double all = 0, most = 0;
    for (size_t i = 0; i < launch->arrays + 2 && launch->blocks > 1; i++) {
        const struct smc_sm_window *window = &sm->window[i];
        all += window->clocks;
        if (window->blocks < 2)
            continue;
        const double bytes = bytes_of_window(launch, window);
        const double pieces = bytes / SMC_ATOMIC_PIECE_BYTES;
        const double spread = SMC_ATOMIC_UNIT_SHARE;
        const double share =
            fmin(SMC_ATOMIC_UNIT_PIECES / pieces + spread, 1.0 / SMC_ATOMIC_UNIT_PIECES);
        most = fmax(most, window->clocks * (share - spread));
        result->atomics_window += bytes;
    }
    result->busiest_unit = all > 0 ? most / all + SMC_ATOMIC_UNIT_SHARE : 0;
}

static void find_hottest(struct smc_sm_state *sm)
{
    struct smc_sm_result *result = sm->result;
    find_hottest_atomics(sm, result);
    hottest_of(sm->launch, sm->stores, &result->hottest_stores);
    hottest_of(sm->launch, sm->loads, &result->hottest_loads);
}

static bool leaves_out(const struct smc_sm_launch *launch)
{
    for (uint32_t b = 0; b < launch->blocks; b++)
        for (uint32_t w = 0; w < launch->warps_per_block; w++)
            if (launch->block[b].trace[w]->skip_count > 0)
                return true;
    return false;
}

/* Of warps that wait for each other at barriers in shared memory. */
static bool leaves_rounds_out(const struct smc_sm_launch *launch)
{
    for (uint32_t b = 0; b < launch->blocks; b++)
        for (uint32_t w = 0; w < launch->warps_per_block; w++)
            for (size_t i = 0; i < launch->block[b].trace[w]->skip_count; i++)
                if (launch->block[b].trace[w]->skip[i].rounds ||
                    launch->block[b].trace[w]->skip[i].waits)
                    return true;
    return false;
}

/* The first blocks start one after the other, too. Where traces leave out instructions and other
   blocks follow, they start at once, so that what is executed of each meets the others. */
static double first_blocks_apart(const struct smc_sm_launch *launch)
{
    const bool all = launch->no_more_blocks && launch->blocks <= launch->resident_blocks;
    return all || launch->cut || !leaves_out(launch) ? launch->rates->block_interval : 0;
}

/* How long a slot has its block on average: as long as that, the next ones follow. */
static double mean_of_slots(const struct smc_sm_state *sm)
{
    double sum = 0, used = 0;
    for (uint32_t i = 0; i < sm->places; i++) {
        sum += sm->slot[i].end + sm->slot[i].debt;
        used += sm->slot[i].rounds > 0;
    }
    return sum / used;
}

enum smc_status smc_sm_run(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                           struct smc_error *error)
{
    struct smc_sm_state sm;
    enum smc_status status = open_sm(launch, result, &sm, error);
    if (status != SMC_OK)
        return status;
    sm.timed = true;
    const bool whole =
        !leaves_out(launch) && (launch->no_more_blocks || launch->blocks > launch->resident_blocks);
    sm.in_turns = launch->turns && !whole && !leaves_rounds_out(launch) && !sm.fetch.arrives;
    sm.oldest_first = whole || sm.in_turns || launch->cut;
    sm.constants.drifting = smc_sm_drifting_constants(&sm);
    sm.shares_constants = smc_sm_shares_constants(&sm);
    double apart = first_blocks_apart(launch);
    for (uint32_t i = 0; i < sm.slots; i++)
        smc_sm_start_block(&sm, i, i * apart);
    sm.block_free = sm.slots * apart;
    sm_schedule_run(&sm);
    for (uint32_t i = 0; i < sm.places; i++)
        sm.end = smc_later(sm.end, sm.slot[i].end + smc_sm_paid_debt(&sm, &sm.slot[i]));
    /* A launch ends when L2 has acknowledged its last store: one store a thread makes an empty
       kernel of 132 blocks 0.2 to 0.35 us longer (H200, driver 580.159.04, 2026-11-29). */
    if (sm.last_store > 0)
        sm.end = smc_later(sm.end, sm.last_store + launch->rates->l2_latency);
    sm.end = smc_later(sm.end, sm.atomics_free);
    if (sm.in_turns && !launch->no_more_blocks && launch->blocks > sm.slots)
        sm.end = mean_of_slots(&sm); /* the next ones start where they end first */
    find_hottest(&sm);
    find_windows(&sm, result);
    result->clocks = sm.end;
    if (sm.ended >= 2 * launch->resident_blocks)
        result->clocks_per_block =
            ((sm.last_round - sm.first_round) / (smc_sm_last_round(launch) - 1) / sm.slots +
             sm.all_debts / sm.ended) /
            sm.slots;
    else if (!launch->no_more_blocks && launch->blocks == sm.slots && sm.ended == sm.slots)
        result->clocks_per_block = mean_of_slots(&sm) / sm.slots;
    close_sm(&sm);
    return SMC_OK;
}

/* What is left out fills L1, and passes L2, as the same loop did before. */
static void leave_out(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                      const struct smc_warp_trace_entry *entry)
{
    if (entry->step == SMC_WARP_TRACE_LOOP) {
        warp->mark[entry->line].filled = warp->filled;
        return;
    }
    const struct smc_warp_trace_skip *skip = &warp->trace->skip[entry->line];
    smc_reuse_pass(&sm->reuse, sm->left_out);
    sm->left_out = 0;
    smc_sm_fill_left_out(sm, warp, skip);
}

/* A warp's next access to global memory; false: there is none. */
static bool sm_schedule_access_once(struct smc_sm_state *sm, struct smc_sm_warp *warp,
                                    const float *weight)
{
    const struct smc_warp_trace *trace = warp->trace;
    for (; warp->at < trace->count; warp->at++) {
        const struct smc_warp_trace_entry *entry = &trace->entry[warp->at];
        if (entry->step >= SMC_WARP_TRACE_SKIP) {
            leave_out(sm, warp, entry);
            continue;
        }
        const struct smc_sm_step *step = &sm->step[entry->step];
        if (step->kind != SMC_SM_GLOBAL_LOAD && step->kind != SMC_SM_GLOBAL_STORE &&
            step->kind != SMC_SM_COPY && step->kind != SMC_SM_BULK && step->kind != SMC_SM_ATOMIC &&
            step->kind != SMC_SM_GENERIC && step->kind != SMC_SM_TEXTURE)
            continue;
        sm->work = &sm->launch->work[entry->step];
        sm->work->executions++;
        sm->weight = weight[warp->at];
        sm->reuse.block = sm->slot[warp->block].block;
        const uint64_t filled = sm->cache.filled;
        execute(sm, &sm->part[0], warp, step, entry, 0);
        warp->filled += (double)(sm->cache.filled - filled);
        warp->at++;
        return true;
    }
    return false;
}

/* Adds the spans of blocks that reside together to what is known of the arrays, and forgets them.
 */
static void add_spans(struct smc_sm_state *sm, uint32_t blocks)
{
    const size_t places = sm->launch->arrays + 2;
    for (size_t i = 0; i < places; i++) {
        struct smc_sm_traffic *traffic = &sm->launch->traffic[i];
        struct smc_sm_span all = {.first = UINT64_MAX};
        for (uint32_t b = 0; b < blocks; b++) {
            struct smc_sm_span *span = &sm->span[b * places + i];
            if (span->last == 0)
                continue;
            const double lines = (double)(span->last - span->first + 1);
            traffic->block_span += lines * SMC_LINE_BYTES / sm->launch->blocks;
            all.first = span->first < all.first ? span->first : all.first;
            all.last = span->last > all.last ? span->last : all.last;
            *span = (struct smc_sm_span){0};
        }
        if (all.last == 0)
            continue;
        const double bytes = (double)(all.last - all.first + 1) * SMC_LINE_BYTES;
        traffic->span = fmax(traffic->span, bytes);
        if (blocks == sm->slots && (traffic->least_span <= 0 || bytes < traffic->least_span))
            traffic->least_span = bytes;
    }
}

enum smc_status smc_sm_access(const struct smc_sm_launch *launch, struct smc_sm_result *result,
                              struct smc_error *error)
{
    struct smc_sm_state sm;
    enum smc_status status = open_sm(launch, result, &sm, error);
    if (status != SMC_OK)
        return status;
    sm.span = smc_calloc(sm.slots * (launch->arrays + 2), sizeof *sm.span);
    sm.strides = smc_calloc(launch->program->count, sizeof *sm.strides);
    if (!sm.span || !sm.strides || !smc_reuse_open(&sm.reuse)) {
        close_sm(&sm);
        return smc_out_of_memory(error);
    }
    for (uint32_t first = 0; first < launch->blocks; first += sm.slots) {
        uint32_t blocks = launch->blocks - first < sm.slots ? launch->blocks - first : sm.slots;
        uint32_t warps = blocks * launch->warps_per_block;
        for (uint32_t b = 0; b < blocks; b++)
            sm.slot[b].block = first + b;
        for (uint32_t i = 0; i < warps; i++)
            sm.warp[i] =
                (struct smc_sm_warp){.trace = launch->block[first + i / launch->warps_per_block]
                                                  .trace[i % launch->warps_per_block],
                                     .block = i / launch->warps_per_block};
        for (bool any = true; any;) {
            any = false;
            for (uint32_t i = 0; i < warps; i++)
                any |= sm_schedule_access_once(
                    &sm, &sm.warp[i], launch->weight[(size_t)first * launch->warps_per_block + i]);
        }
        add_spans(&sm, blocks);
        for (uint32_t b = 0; b < blocks; b++)
            smc_sm_add_window(&sm, b);
    }
    find_hottest(&sm);
    find_windows(&sm, result);
    close_sm(&sm);
    return SMC_OK;
}
