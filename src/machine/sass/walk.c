/* Warps walk through a program, each for itself or those of a block from barrier to barrier. */
#include "machine/sass/walk.h"

#include <stdlib.h>

#include "base/memory.h"
#include "machine/sass/async.h"
#include "machine/sass/atomics.h"
#include "machine/sass/constant_lines.h"
#include "machine/sass/lane_groups.h"
#include "machine/sass/local_lines.h"
#include "machine/sass/meetings.h"
#include "machine/sass/past_warp.h"

enum { LANES_A_STEP = 4 /* whose loads take as long to look up as a step */ };

/* What BAR.RED found of the threads of a block. */
struct reduction {
    uint32_t threads, holds, unknown; /* how many; for how many the predicate holds or is unknown */
    uint32_t how;                     /* bits 74 and 75 */
};

struct state {
    struct smc_walk *walk;
    struct smc_sass_warp *warp;
    struct smc_lane_groups groups;
    uint64_t steps, most_steps;
    uint64_t length;                     /* instructions executed */
    bool is_looping, is_endless;         /* as in struct smc_walk */
    bool stops;                          /* for this turn */
    struct smc_past_warp *past;          /* since this run began; NULL: others may change memory */
    uint64_t first_step;                 /* of this run */
    struct reduction *arriving, *result; /* of the block; NULL: the warp walks alone */
};

static void stop_walk(struct state *state, enum smc_walk_end end, uint32_t at)
{
    struct smc_walk *walk = state->walk;
    if (end >= SMC_WALK_TOO_LONG)
        state->groups.count = 0; /* the walk ends here */
    if (walk->end >= end)
        return;
    walk->end = end;
    walk->end_at = at;
    walk->end_operation = at < walk->program->count ? walk->program->step[at].in.low & 0xfff : 0;
}

static uint64_t mix(uint64_t hash, uint32_t high, uint32_t low)
{
    hash = (hash ^ ((uint64_t)high << 32 | low)) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static void sign(struct state *state, uint32_t at, uint32_t mask)
{
    state->walk->signature = mix(state->walk->signature, at, mask);
}

/* Whether a warp that branches back at step `at` does so for ever. */
static bool goes_round(struct state *state, uint32_t at)
{
    const uint64_t steps = state->steps - state->first_step;
    return state->past && smc_past_warp_is_due(state->past, state->warp, at, steps) &&
           smc_past_warp_repeats(state->past, state->warp, at, steps,
                                 smc_lane_groups_hash(&state->groups));
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Keeps what the trace needs of an access. */
static void trace_access(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                         const uint64_t address[SMC_LANES], struct smc_warp_trace_entry *entry)
{
    struct smc_warp_trace *trace = state->walk->trace;
    const struct smc_pattern *pattern =
        smc_patterns_find(trace->patterns, state->walk->layout, in, mask, address);
    entry->wavefronts = pattern->wavefronts;
    if (smc_accesses_shared(in))
        return;
    entry->sectors = pattern->sectors;
    entry->idle_banks = pattern->idle_banks;
    if (trace->line_capacity - trace->line_count < pattern->lines)
        return;
    entry->line = (uint32_t)trace->line_count;
    entry->lines = pattern->lines;
    uint64_t base = address[__builtin_ctz(mask)] / SMC_LINE_BYTES;
    for (unsigned i = 0; i < pattern->lines; i++)
        trace->line[trace->line_count++] =
            (struct smc_warp_trace_line){base + (uint64_t)pattern->line[i].number,
                                         pattern->line[i].sectors, pattern->line[i].sets};
}

/* Keeps what the trace needs of one word of each lane, after those that the entry has. */
static void trace_word(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                       const uint64_t address[SMC_LANES], struct smc_warp_trace_entry *entry)
{
    struct smc_warp_trace_entry word = {.wavefronts = 1};
    trace_access(state, in, mask, address, &word);
    entry->line = entry->lines > 0 ? entry->line : word.line;
    entry->lines += word.lines;
    entry->wavefronts += word.wavefronts;
    entry->sectors += word.sectors;
}

enum { WORD = 4 };

static void trace_local(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                        struct smc_warp_trace_entry *entry)
{
    struct smc_warp_trace *trace = state->walk->trace;
    struct smc_sass_instruction access = *in;
    uint64_t address[SMC_LANES], word[SMC_LANES];
    const unsigned words = smc_local_addresses(state->warp, in, mask, address);
    if (trace->line_capacity - trace->line_count < (size_t)words * SMC_LANES)
        return;
    access.access_bytes = in->access_bytes < WORD ? in->access_bytes : WORD;
    for (unsigned i = 0; i < words; i++) {
        smc_local_place(address, i, word);
        trace_word(state, &access, mask, word, entry);
    }
    for (uint32_t i = 0; i < entry->lines; i++)
        trace->line[entry->line + i].number += SMC_WARP_TRACE_LOCAL;
}

static void trace_any_access(struct state *state, const struct smc_sass_instruction *in,
                             uint32_t mask, struct smc_warp_trace_entry *entry)
{
    uint64_t address[SMC_LANES], to[SMC_LANES];
    if (in->operation == SMC_OP_LDGSTS) {
        uint32_t unknown;
        mask &= smc_warp_holds(state->warp, in->predicate[0], &unknown);
    }
    if (in->matrices && in->matrices < 4)
        mask &= (1u << 8 * in->matrices) - 1; /* other lanes' addresses are not used */
    if (mask == 0)
        return;
    if (smc_is_fetch(in))
        smc_trace_fetch(state->warp, state->walk->textures, in, mask, state->walk->trace, entry);
    else if (in->operation == SMC_OP_LDL || in->operation == SMC_OP_STL)
        trace_local(state, in, mask, entry);
    else if (smc_warp_addresses(state->warp, in, mask, address)) {
        trace_access(state, in, mask, address, entry);
        smc_meetings_look(state->walk->memory, in, mask, address);
        if (smc_copies_past_l1(in) && smc_warp_copy_targets(state->warp, in, mask, to)) {
            entry->wavefronts = (uint8_t)smc_copy_turns(mask, address, to);
            entry->sectors_again = smc_copy_sectors_again(mask, address, to) & 0x3f;
        }
    } else
        entry->unknown_addresses = true;
}

/* Keeps what an asynchronous instruction does. */
static void trace_async(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                        struct smc_warp_trace_entry *entry)
{
    struct smc_warp_trace *trace = state->walk->trace;
    if (mask == 0)
        return;
    const struct smc_warp_memory *memory = state->walk->memory;
    const struct smc_async async =
        smc_async_of(state->warp, in, mask, memory ? memory->contents : NULL);
    if (async.kind >= SMC_ASYNC_WAIT_EVEN && async.kind <= SMC_ASYNC_WAIT_ARRIVED)
        smc_warp_trace_wait(trace, async.barrier);
    if (trace->line_capacity - trace->line_count < SMC_ASYNC_LINES)
        return;
    entry->line = (uint32_t)trace->line_count;
    entry->lines = (uint8_t)smc_async_pack(&async, &trace->line[trace->line_count]);
    trace->line_count += entry->lines;
}

/* --- Divergence ------------------------------------------------------------------------------- */

static void lanes_end(struct state *state, uint32_t lanes)
{
    state->warp->alive &= ~lanes;
    smc_lane_groups_end(&state->groups, state->warp->alive);
}

/* --- Control ---------------------------------------------------------------------------------- */

/* The lanes that do not know where BRX leads them. */
static uint32_t unknown_targets(const struct state *state, const struct smc_sass_instruction *in)
{
    bool is_indirect = in->operation == SMC_OP_BRX && in->from[0].number < SMC_ZERO_REGISTER;
    return is_indirect ? state->warp->reg[in->from[0].number].unknown : 0;
}

/* The lanes of the group that execute an instruction. */
static inline uint32_t executing_lanes(struct state *state, const struct smc_sass_instruction *in,
                                       uint32_t lanes, uint32_t *unknown)
{
    uint32_t mask = smc_warp_holds(state->warp, in->guard, unknown) & lanes;
    *unknown &= lanes;
    if (in->branches) {
        uint32_t also;
        mask &= smc_warp_holds(state->warp, in->predicate[0], &also);
        *unknown |= (also | unknown_targets(state, in)) & lanes;
    }
    return mask & ~*unknown;
}

/* Goes to a step, in bytes of code: the group splits if its lanes disagree. */
static void walk_to(struct state *state, uint32_t index, uint32_t taken, int64_t target)
{
    struct smc_lane_group *group = &state->groups.group[index];
    target /= SMC_INSTRUCTION_BYTES;
    uint32_t others = group->lanes & ~taken;
    if (taken && (target < 0 || target >= state->walk->program->count)) {
        stop_walk(state, SMC_WALK_OUTSIDE, group->at);
        taken = 0;
        others = group->lanes;
    }
    if (taken && others)
        smc_lane_groups_split(&state->groups, index, others, group->at + 1);
    group->at = taken ? (uint32_t)target : group->at + 1;
}

static void walk_branch(struct state *state, uint32_t index, uint32_t taken)
{
    walk_to(state, index, taken,
            state->walk->program->step[state->groups.group[index].at].in.target);
}

/* BRX, of a switch: a register of each lane is added to the target. Lanes that go elsewhere than
   the first one execute it again. */
static void walk_indirect(struct state *state, uint32_t index, uint32_t taken)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_sass_instruction *in = &state->walk->program->step[group->at].in;
    const struct smc_lanes *offset = &state->warp->reg[in->from[0].number];
    uint32_t first = taken ? (uint32_t)__builtin_ctz(taken) : 0, with_first = taken;
    if (taken && group->lanes & ~taken)
        smc_lane_groups_split(&state->groups, index, group->lanes & ~taken, group->at + 1);
    for (uint32_t lanes = offset->same ? 0 : taken; lanes; lanes &= lanes - 1)
        if (offset->value[__builtin_ctz(lanes)] != offset->value[first])
            with_first &= ~(lanes & -lanes);
    if (taken & ~with_first)
        smc_lane_groups_split(&state->groups, index, taken & ~with_first, group->at);
    int64_t target = in->target + (int32_t)offset->value[offset->same ? 0 : first];
    sign(state, (uint32_t)(target / SMC_INSTRUCTION_BYTES), with_first);
    walk_to(state, index, with_first, target);
}

/* A call of a function. */
static void walk_call(struct state *state, uint32_t index, uint32_t taken)
{
    struct smc_lane_group *group = &state->groups.group[index];
    uint32_t back = group->at + 1;
    if (taken && group->calls == SMC_MOST_CALLS) {
        stop_walk(state, SMC_WALK_TOO_DEEP, group->at);
        return;
    }
    walk_branch(state, index, taken);
    if (taken)
        group->back[group->calls++] = back;
}

/* The lanes that return go on after the call; those that no function was called for end. */
static void give_back(struct state *state, uint32_t index, uint32_t taken)
{
    struct smc_lane_group *group = &state->groups.group[index];
    if (taken && group->lanes & ~taken)
        smc_lane_groups_split(&state->groups, index, group->lanes & ~taken, group->at + 1);
    if (taken == 0) {
        group->at++;
    } else if (group->calls > 0) {
        group->at = group->back[--group->calls];
    } else {
        stop_walk(state, SMC_WALK_OUTSIDE, group->at);
        smc_lane_groups_remove(&state->groups, index);
        lanes_end(state, taken);
    }
}

/* BRA.DIV: whether lanes are missing that its uniform register names, or with none, any at all. */
static bool has_diverged(const struct state *state, const struct smc_lane_group *group,
                         const struct smc_sass_instruction *in)
{
    const struct smc_lanes *lanes = &state->warp->uniform[in->from[0].number];
    const bool is_named = in->from[0].number != SMC_ZERO_UNIFORM;
    const uint32_t named = !is_named ? UINT32_MAX : lanes->unknown ? 0 : (uint32_t)lanes->value[0];
    return (named & state->warp->alive & ~group->lanes) != 0;
}

static void wait_at(struct state *state, uint32_t index, uint32_t mask)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_sass_instruction *in = &state->walk->program->step[group->at].in;
    const unsigned number = (unsigned)smc_bits(in, 16, 4);
    if (mask != group->lanes) /* lanes for which the guard does not hold continue */
        smc_lane_groups_split(&state->groups, index, group->lanes & ~mask, group->at + 1);
    smc_lane_groups_wait(&state->groups, index, number, state->warp->alive);
}

/* WARPSYNC of all lanes; those of the other forms, which do not name all, stay apart. */
static void meet_warp(struct state *state, uint32_t index)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_sass_instruction *in = &state->walk->program->step[group->at++].in;
    if (smc_syncs_whole_warp(in))
        smc_lane_groups_meet(&state->groups, index, state->warp->alive);
}

/* Executes the branch, barrier or end at the group's place; `mask`: the lanes that do. */
static void control(struct state *state, uint32_t index, uint32_t mask)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_program_step *step = &state->walk->program->step[group->at];
    const struct smc_sass_instruction *in = &step->in;
    switch (in->operation) {
    case SMC_OP_CALL:
        if (step->calls)
            walk_call(state, index, mask);
        else
            walk_branch(state, index, mask);
        return;
    case SMC_OP_RET:
        give_back(state, index, mask);
        return;
    case SMC_OP_BRA:
        if (smc_branches_plainly(in))
            walk_branch(state, index, mask);
        else if (smc_branches_if_any(in))
            walk_branch(state, index, mask ? group->lanes : 0);
        else if (smc_branches_if_diverged(in))
            walk_branch(state, index, has_diverged(state, group, in) ? group->lanes : 0);
        else
            stop_walk(state, SMC_WALK_UNKNOWN_OPERATION, group->at++);
        return;
    case SMC_OP_BRX:
        walk_indirect(state, index, mask);
        return;
    case SMC_OP_EXIT:
        group->lanes &= ~mask;
        group->at++;
        if (group->lanes == 0)
            smc_lane_groups_remove(&state->groups, index);
        lanes_end(state, mask);
        return;
    case SMC_OP_BSSY:
        smc_lane_groups_take_part(group, (unsigned)smc_bits(in, 16, 4));
        group->at++;
        return;
    case SMC_OP_BSYNC:
        if (mask)
            wait_at(state, index, mask);
        else
            group->at++;
        return;
    case SMC_OP_BREAK:
        group->at++;
        smc_lane_groups_break(&state->groups, (unsigned)smc_bits(in, 16, 4), mask,
                              state->warp->alive);
        return;
    case SMC_OP_WARPSYNC:
        meet_warp(state, index);
        return;
    default:
        group->at++;
    }
}

/* --- The walk --------------------------------------------------------------------------------- */

/* Whether addresses are of interest. */
static bool follows(const struct smc_walk *walk)
{
    if (walk->sectors)
        return true;
    return walk->trace && walk->trace->patterns && !smc_warp_trace_is_idle(walk->trace);
}

/* Whether the sectors of an atomic are counted. */
static bool follows_atomic(const struct smc_walk *walk, const struct smc_sass_instruction *in)
{
    return walk->memory && smc_is_global_atomic(in);
}

/* What the trace needs of an atomic in global memory, if its addresses are known. */
static void trace_atomic(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                         struct smc_warp_trace_entry *entry)
{
    uint64_t address[SMC_LANES];
    struct smc_sass_instruction access = *in;
    if (!smc_warp_atomic_addresses(state->warp, in, mask, address) ||
        address[__builtin_ctz(mask)] >> 32 == SMC_SHARED_WINDOW)
        return;
    access.access_bytes = 4;
    trace_access(state, &access, mask, address, entry);
    entry->atomics = (uint8_t)smc_count_atomics(mask, address);
}

/* A compare-and-swap in shared memory has one line in the trace: the word of its lowest lane. */
static void trace_swap(struct state *state, const struct smc_sass_instruction *in, uint32_t mask,
                       struct smc_warp_trace_entry *entry)
{
    struct smc_warp_trace *trace = state->walk->trace;
    uint64_t address[SMC_LANES];
    if (trace->line_count == trace->line_capacity ||
        !smc_warp_addresses(state->warp, in, mask, address))
        return;
    entry->line = (uint32_t)trace->line_count;
    entry->lines = 1;
    trace->line[trace->line_count++] = (struct smc_warp_trace_line){
        .number = SMC_WARP_TRACE_LOCAL | address[__builtin_ctz(mask)] / sizeof(uint32_t)};
}

/* What a generic access is for the lanes of `mask`: of global or of shared memory. Where that is
   not known, or lanes differ, it stays what it is. */
static struct smc_sass_instruction resolved(const struct state *state,
                                            const struct smc_sass_instruction *in, uint32_t mask)
{
    enum { SCALE = 3 << (78 - 64) };
    struct smc_sass_instruction access = *in;
    const bool loads = in->operation == SMC_OP_LD;
    uint64_t address[SMC_LANES];
    uint32_t shared = 0;
    if (mask == 0 || !smc_warp_addresses(state->warp, in, mask, address))
        return access;
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1)
        if (address[__builtin_ctz(lanes)] >> 32 == SMC_SHARED_WINDOW)
            shared |= lanes & -lanes;
    if (shared == 0)
        access.operation = loads ? SMC_OP_LDG : SMC_OP_STG;
    if (shared != mask)
        return access;
    access.operation = loads ? SMC_OP_LDS : SMC_OP_STS;
    access.from[0].registers = 1;
    access.high &= ~(uint64_t)SCALE;
    return access;
}

/* Adds up the sectors of an access without a trace. */
static void add_sectors(struct state *state, const struct smc_sass_instruction *in, uint32_t at,
                        uint32_t mask)
{
    struct smc_walk *walk = state->walk;
    uint64_t address[SMC_LANES];
    unsigned sectors = in->operation == SMC_OP_LDG ? 4 : 0; /* unknown: as in the schedule */
    const bool atomic = follows_atomic(walk, in);
    const bool local = in->operation == SMC_OP_LDL || in->operation == SMC_OP_STL;
    const bool fetches = smc_is_fetch(in);
    if (mask == 0 ||
        !(in->operation == SMC_OP_LDG || in->operation == SMC_OP_STG || local || atomic || fetches))
        return;
    if (fetches)
        sectors = smc_fetch_sectors(state->warp, walk->textures, in, mask);
    else if (local)
        sectors = smc_local_sectors(state->warp, in, mask);
    else if (atomic)
        sectors = smc_warp_atomic_addresses(state->warp, in, mask, address)
                      ? smc_count_sectors(mask, address, WORD)
                      : 0;
    else if (smc_warp_addresses(state->warp, in, mask, address))
        sectors = smc_count_sectors(mask, address, in->access_bytes);
    walk->sectors[at] += sectors;
    walk->all_sectors += sectors;
}

/* --- Barriers of the block -------------------------------------------------------------------- */

/* A group arrives at BAR and waits, if the warps of its block walk together. */
static void walk_arrive(struct state *state, uint32_t index)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_sass_instruction *in = &state->walk->program->step[group->at].in;
    if (smc_barrier_reduces(in)) {
        uint32_t unknown, holds = smc_warp_holds(state->warp, in->predicate[0], &unknown);
        struct reduction *to = state->arriving;
        to->how = (uint32_t)smc_bits(in, 74, 2);
        to->threads += (uint32_t)__builtin_popcount(group->lanes);
        to->holds += (uint32_t)__builtin_popcount(holds & ~unknown & group->lanes);
        to->unknown += (uint32_t)__builtin_popcount(unknown & group->lanes);
    }
    group->at++;
    group->awaited = SMC_BLOCK_BARRIER;
}

/* B2R.RESULT: what BAR.RED found. */
static void give_result(struct state *state, const struct smc_sass_instruction *in, uint32_t mask)
{
    enum { AND = 1, OR = 2 };
    const struct reduction *result = state->result;
    uint32_t value[SMC_LANES], flag;
    bool known = result && result->unknown == 0 && result->threads > 0;
    smc_warp_forget(state->warp, in, mask);
    if (!known)
        return;
    flag = result->how == AND ? result->holds == result->threads : result->holds > 0;
    for (unsigned lane = 0; lane < SMC_LANES; lane++)
        value[lane] = result->how == AND || result->how == OR ? flag : result->holds;
    smc_warp_set_register(state->warp, &in->to, 0, value, 0, mask);
    smc_warp_set_predicate(state->warp, in, flag ? UINT32_MAX : 0, 0, mask);
}

static void walk_execute(struct state *state, const struct smc_program_step *step,
                         const struct smc_sass_instruction *in, uint32_t mask)
{
    struct smc_warp_memory *memory = state->walk->memory;
    const bool decides = step->purpose == SMC_PURPOSE_CONTROL;
    if (in->operation == SMC_OP_B2R)
        give_result(state, in, mask);
    else if (smc_warp_evaluate_together(state->warp, in, mask))
        return;
    else if (!memory || !smc_warp_memory_execute(memory, state->warp, in, mask, decides))
        smc_warp_evaluate(state->warp, in, mask);
    else if (state->past) {
        state->past->is_kept &= !memory->changes;
        state->past->read = (uint32_t)(step - state->walk->program->step) + 1;
    }
}

/* Evaluates a step that does not branch, and notes the first one that makes something unknown.
   `in`: its instruction, resolved. */
static inline void evaluate(struct state *state, const struct smc_program_step *step,
                            const struct smc_sass_instruction *in, uint32_t mask, uint32_t unknown)
{
    if (step->purpose == SMC_PURPOSE_DATA)
        return;
    struct smc_walk *walk = state->walk;
    const bool seeks = walk->first_unknown == 0 && in->to.kind != SMC_OPERAND_NONE;
    const uint32_t before = seeks ? smc_warp_unknown_lanes(state->warp, &in->to) : 0;
    if (mask && step->is_plain)
        smc_warp_evaluate(state->warp, in, mask);
    else if (mask)
        walk_execute(state, step, in, mask);
    if (unknown)
        smc_warp_forget(state->warp, in, unknown);
    if (seeks && smc_warp_unknown_lanes(state->warp, &in->to) & mask &&
        smc_warp_operands_were_known(state->warp, in, mask, before))
        walk->first_unknown = (uint32_t)(step - walk->program->step) + 1;
}

/* It is not known whether lanes of a group branch. */
static void end_unknown(struct state *state, const struct smc_lane_group *group, uint32_t unknown)
{
    const struct smc_sass_instruction *in = &state->walk->program->step[group->at].in;
    bool back = in->operation == SMC_OP_BRA && in->target >= 0 &&
                in->target / SMC_INSTRUCTION_BYTES <= group->at;
    stop_walk(state, SMC_WALK_UNKNOWN_BRANCH, group->at);
    if (!back || unknown != group->lanes || state->is_endless)
        return;
    state->is_endless = true;
    state->walk->endless++;
    state->walk->endless_at = group->at;
}

/* A step that branches, of a group of which `mask` goes on executing. */
static void step_branch(struct state *state, uint32_t index, uint32_t mask, uint32_t unknown)
{
    const struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_program_step *step = &state->walk->program->step[group->at];
    struct smc_warp_trace *trace = state->walk->trace;
    const int64_t target = step->in.operation == SMC_OP_BRA && step->in.target >= 0
                               ? step->in.target / SMC_INSTRUCTION_BYTES
                               : INT64_MAX;
    if (step->is_taken)
        mask = group->lanes;
    else if (step->avoids_call) /* of what handles the exceptions of a division or a root, say */
        mask |= unknown;
    else if (unknown)
        end_unknown(state, group, unknown);
    sign(state, group->at, mask);
    state->walk->looping += target <= group->at && !state->is_looping;
    state->is_looping |= target <= group->at;
    if (trace && mask && target <= group->at) {
        smc_warp_path_branch_back(trace->path, (uint32_t)target);
        smc_warp_trace_branch_back(trace, group->at, (uint32_t)target, state->walk->signature);
    }
    const bool may_go_back = target <= group->at || step->in.operation == SMC_OP_BRX;
    if (mask && may_go_back && goes_round(state, group->at))
        stop_walk(state, state->past->read ? SMC_WALK_WAITS : SMC_WALK_TOO_LONG,
                  state->past->read ? state->past->read - 1 : group->at);
    else
        control(state, index, mask);
}

/* What the trace has of a step that accesses memory. */
static void trace_step(struct state *state, const struct smc_sass_instruction *in, uint32_t at,
                       uint32_t mask, struct smc_warp_trace_entry *entry)
{
    if (state->walk->sectors)
        add_sectors(state, in, at, mask);
    else if (!follows(state->walk))
        return;
    else if (in->asynchronous) {
        sign(state, at, mask); /* one warp of several may arrive or copy for all */
        trace_async(state, in, mask, entry);
    } else if (in->access_bytes)
        trace_any_access(state, in, mask, entry);
    else if (mask && follows_atomic(state->walk, in))
        trace_atomic(state, in, mask, entry);
    else if (in->operation == SMC_OP_MATCH)
        entry->wavefronts = (uint8_t)smc_warp_values_matched(state->warp, in, mask);
    else if (mask && smc_indexes_constants(in))
        smc_trace_constants(state->warp, in, mask, state->walk->trace, entry);
    if (mask && in->operation == SMC_OP_ATOMS_CAS && !state->walk->sectors)
        trace_swap(state, in, mask, entry);
}

/* A step of arithmetic, which every group goes on after. `count`: its lanes. */
static void step_plainly(struct state *state, struct smc_lane_group *group, uint32_t count)
{
    const struct smc_program_step *step = &state->walk->program->step[group->at];
    struct smc_warp_trace *trace = state->walk->trace;
    uint32_t unknown, mask = executing_lanes(state, &step->in, group->lanes, &unknown);
    if (trace)
        smc_warp_trace_add(trace, &(struct smc_warp_trace_entry){.step = group->at,
                                                                 .active_lanes = (uint8_t)count});
    evaluate(state, step, &step->in, mask, unknown);
    group->at++;
}

/* Whether a step decides by a result from global memory, which the warp then waits for. */
static bool waits_for_memory(const struct smc_program_step *step)
{
    return step->purpose == SMC_PURPOSE_CONTROL && step->in.to.kind != SMC_OPERAND_NONE &&
           (step->in.operation == SMC_OP_LDG || step->in.operation == SMC_OP_LD ||
            smc_is_global_atomic(&step->in));
}

/* YIELD: ptxas has it in loops that may wait for other lanes. Lanes that have left such a loop go
   on without those in it where these waited for what memory says since their last YIELD: a warp
   that inserts into a hash table counts itself 5.1 times (4.9 if lanes go on as they leave, once
   if they join), and one that sets bits by compare-and-swap executes 323 instructions (313, and
   218; counters of an H200, driver 580.159.04, 2026-11-30). Of loops that wait for nothing, small
   ones with an addition were also left in eight groups (the same, 2026-12-01), but a voxelizer
   executes as many instructions as if its lanes join, within 0.3 %, not half as many again. What
   decides is not known; here lanes join. Whether the group goes on with the next step. */
static bool step_yield(struct state *state, uint32_t index)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const bool yields = group->has_waited && state->groups.count > 1;
    group->may_yield = true;
    group->has_waited = false;
    group->at++;
    if (yields)
        smc_lane_groups_yield(&state->groups, index, state->warp->alive);
    return !yields;
}

/* One step of a group that is evaluated; whether it goes on with the next step. */
static bool step_once(struct state *state, uint32_t index)
{
    struct smc_lane_group *group = &state->groups.group[index];
    const struct smc_program_step *step = &state->walk->program->step[group->at];
    const struct smc_sass_instruction *in = &step->in;
    uint32_t unknown, lanes = group->lanes;
    uint32_t mask = executing_lanes(state, in, lanes, &unknown);
    struct smc_warp_trace *trace = state->walk->trace;
    struct smc_warp_trace_entry entry = {.step = group->at};
    struct smc_sass_instruction access;
    if (trace)
        entry.active_lanes = (uint8_t)__builtin_popcount(
            smc_is_global_atomic(in) || in->operation == SMC_OP_BAR ? mask : lanes);
    if (smc_is_generic(in)) {
        access = resolved(state, in, mask);
        in = &access;
    }
    if (mask && smc_calls_elsewhere(in)) {
        stop_walk(state, SMC_WALK_CALLS_ELSEWHERE, group->at);
        return false;
    }
    if (in->operation == SMC_OP_UNKNOWN)
        stop_walk(state, SMC_WALK_UNKNOWN_OPERATION, group->at);
    if (!in->branches)
        trace_step(state, in, group->at, mask, &entry);
    if (trace)
        smc_warp_trace_add(trace, &entry);
    if (in->branches) {
        step_branch(state, index, mask, unknown);
        return false;
    }
    if (in->operation == SMC_OP_BAR && state->arriving && mask) {
        walk_arrive(state, index);
        return false;
    }
    if (in->operation == SMC_OP_YIELD)
        return step_yield(state, index);
    evaluate(state, step, in, mask, unknown);
    if (in->operation == SMC_OP_LDG && state->walk->memory && step->purpose != SMC_PURPOSE_DATA)
        state->steps += (unsigned)__builtin_popcount(mask) / LANES_A_STEP;
    if (smc_is_global_atomic(in))
        state->walk->atomics += (unsigned)__builtin_popcount(mask);
    group->at++;
    group->has_waited |= group->may_yield && mask && waits_for_memory(step);
    state->stops =
        state->walk->by_turns && mask && (in->operation == SMC_OP_LDG || smc_is_global_atomic(in));
    return !state->stops;
}

/* A group runs past the end of the code. */
static void walk_leave(struct state *state, uint32_t index)
{
    uint32_t lanes = state->groups.group[index].lanes;
    stop_walk(state, SMC_WALK_OUTSIDE, state->walk->program->count);
    smc_lane_groups_remove(&state->groups, index);
    lanes_end(state, lanes);
}

/* Runs a group until it branches, waits or ends. */
static void walk_run(struct state *state, uint32_t index)
{
    struct smc_walk *walk = state->walk;
    const struct smc_machine_program *program = walk->program;
    uint32_t first = state->groups.group[index].at, last;
    const uint32_t lanes = (uint32_t)__builtin_popcount(state->groups.group[index].lanes);
    if (first >= program->count) { /* the target of a barrier may be anywhere */
        walk_leave(state, index);
        return;
    }
    struct smc_warp_path *path = walk->trace ? walk->trace->path : NULL;
    state->groups.group[index].yields = false;
    walk->change[first]++;
    if (walk->trace) {
        walk->trace->calls = state->groups.group[index].calls;
        smc_warp_trace_reach(walk->trace, first);
    }
    smc_warp_path_add(path, &(struct smc_path_run){.first = first,
                                                   .lanes = (uint8_t)lanes,
                                                   .calls = state->groups.group[index].calls});
    for (;;) {
        uint32_t at = state->groups.group[index].at;
        uint32_t next = smc_next_step(program, at, follows(walk));
        if (walk->trace)
            smc_warp_trace_add_steps(walk->trace, at, next, lanes);
        last = next;
        if (next >= program->count) {
            walk_leave(state, index);
            break;
        }
        state->groups.group[index].at = next;
        state->steps++;
        walk->steps++;
        if (program->step[next].is_plain) {
            step_plainly(state, &state->groups.group[index], lanes);
        } else if (!step_once(state, index)) {
            last = next + 1;
            break;
        }
    }
    if (path && !path->failed)
        path->run[path->count - 1].last = last;
    walk->change[last]--;
    state->length += last - first;
}

static void start_warp(struct state *state, struct smc_walk *walk, struct smc_sass_warp *warp,
                       const struct smc_machine_place *place)
{
    *state = (struct state){.walk = walk, .warp = warp, .most_steps = walk->most_steps};
    smc_warp_start(warp, place);
    smc_lane_groups_start(&state->groups, warp->alive);
}

/* Whether a warp has executed all that is followed. */
static bool walks_too_long(const struct state *state)
{
    const struct smc_warp_memory *memory = state->walk->memory;
    return state->steps > state->most_steps ||
           (state->walk->ends_if_decided && memory && memory->decides & memory->changed);
}

/* Runs a warp until it ends, all its lanes wait or its turn ends. */
static void run_on(struct state *state)
{
    const struct smc_walk *walk = state->walk;
    state->first_step = state->steps;
    while (state->groups.count > 0) {
        if (walk->trace && walk->trace->ends)
            return;
        uint32_t index = state->groups.count;
        while (index-- > 0 && state->groups.group[index].awaited != SMC_NO_BARRIER)
            ;
        if (index == UINT32_MAX && smc_lane_groups_part(&state->groups))
            continue;
        if (index == UINT32_MAX)
            return;
        if (walks_too_long(state))
            stop_walk(state, SMC_WALK_TOO_LONG, state->groups.group[index].at);
        else
            walk_run(state, index);
        if (state->stops) {
            state->stops = false;
            return;
        }
    }
}

/* The same of a warp whose memory nobody else changes meanwhile. */
static void run_alone(struct state *state)
{
    struct smc_past_warp past;
    smc_past_warp_start(&past);
    state->past = &past;
    run_on(state);
    state->past = NULL;
}

void smc_walk_warp(struct smc_walk *walk, const struct smc_machine_place *place,
                   struct smc_sass_warp *warp)
{
    struct state state;
    start_warp(&state, walk, warp, place);
    if (walk->memory)
        smc_warp_memory_start(walk->memory);
    walk->signature = 0;
    run_alone(&state);
    if (walk->trace && walk->trace->ends)
        return;
    if (state.groups.count > 0)
        stop_walk(&state, SMC_WALK_STUCK, state.groups.group[0].at);
    else if (walk->trace && walk->end < SMC_WALK_STUCK)
        smc_warp_trace_end(walk->trace);
}

/* --- Blocks ----------------------------------------------------------------------------------- */

struct smc_walk_block {
    uint32_t warps;
    struct state *state;
    struct smc_sass_warp *warp;
    uint64_t *signature;
    struct reduction arriving, result;
};

struct smc_walk_block *smc_walk_block_new(uint32_t warps)
{
    struct smc_walk_block *block = smc_calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->warps = warps;
    block->state = smc_calloc(warps, sizeof *block->state);
    block->warp = smc_malloc(warps * sizeof *block->warp);
    block->signature = smc_calloc(warps, sizeof *block->signature);
    if (block->state && block->warp && block->signature)
        return block;
    smc_walk_block_free(block);
    return NULL;
}

void smc_walk_block_free(struct smc_walk_block *block)
{
    if (!block)
        return;
    free(block->state);
    free(block->warp);
    free(block->signature);
    free(block);
}

uint64_t smc_walk_block_length(const struct smc_walk_block *block, uint32_t warp)
{
    return block->state[warp].length;
}

/* Runs each warp in turn until it ends or waits; whether any got further. */
static bool run_turn(struct smc_walk *walk, struct smc_walk_block *block,
                     struct smc_warp_trace *const *trace)
{
    bool any = false;
    for (uint32_t i = 0; i < block->warps; i++) {
        struct state *state = &block->state[i];
        uint64_t before = state->steps;
        walk->trace = trace ? trace[i] : NULL;
        walk->signature = block->signature[i];
        if (walk->memory)
            walk->memory->warp = i;
        (walk->by_turns ? run_on : run_alone)(state);
        block->signature[i] = walk->signature;
        any |= state->steps > before;
    }
    return any;
}

/* All that wait for the block go on, unless a warp can go on without them. */
static void release_block(struct smc_walk_block *block)
{
    for (uint32_t i = 0; i < block->warps; i++)
        for (uint32_t g = 0; g < block->state[i].groups.count; g++)
            if (block->state[i].groups.group[g].awaited == SMC_NO_BARRIER)
                return;
    block->result = block->arriving;
    block->arriving = (struct reduction){0};
    for (uint32_t i = 0; i < block->warps; i++)
        for (uint32_t g = 0; g < block->state[i].groups.count; g++)
            if (block->state[i].groups.group[g].awaited == SMC_BLOCK_BARRIER)
                block->state[i].groups.group[g].awaited = SMC_NO_BARRIER;
}

void smc_walk_block_start(struct smc_walk *walk, struct smc_walk_block *block,
                          const struct smc_machine_place *place)
{
    if (walk->memory)
        smc_warp_memory_start(walk->memory);
    block->arriving = block->result = (struct reduction){0};
    for (uint32_t i = 0; i < block->warps; i++) {
        struct state *state = &block->state[i];
        start_warp(state, walk, &block->warp[i], &place[i]);
        state->most_steps = walk->most_steps / block->warps;
        state->arriving = &block->arriving;
        state->result = &block->result;
        block->signature[i] = 0;
    }
}

bool smc_walk_block_turn(struct smc_walk *walk, struct smc_walk_block *block,
                         struct smc_warp_trace *const *trace)
{
    const bool any = run_turn(walk, block, trace);
    release_block(block);
    return any;
}

void smc_walk_block_end(struct smc_walk *walk, struct smc_walk_block *block,
                        struct smc_warp_trace *const *trace)
{
    for (uint32_t i = 0; i < block->warps; i++) {
        if (block->state[i].groups.count > 0 && walk->end < SMC_WALK_STUCK)
            stop_walk(&block->state[i], SMC_WALK_STUCK, block->state[i].groups.group[0].at);
        if (trace && walk->end < SMC_WALK_STUCK)
            smc_warp_trace_end(trace[i]);
    }
    walk->trace = NULL;
}

void smc_walk_block(struct smc_walk *walk, struct smc_walk_block *block,
                    const struct smc_machine_place *place, struct smc_warp_trace *const *trace)
{
    smc_walk_block_start(walk, block, place);
    while (walk->end < SMC_WALK_STUCK && smc_walk_block_turn(walk, block, trace))
        ;
    smc_walk_block_end(walk, block, trace);
}
