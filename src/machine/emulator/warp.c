/* Runs a warp: op after op, for one group of converged lanes at a time. Lanes that diverge at a
   branch reconverge at the nearest op that all of them must reach. */
#include "machine/emulator/mbarrier.h"
#include "machine/emulator/unset_values.h"

#include <string.h>

/* The time slice of a warp in instructions: then the next warp runs, for which others may be
   waiting, and early stop requests are checked. */
enum { TIME_SLICE = 1 << 14, CHECK_EVERY = 1 << 10, POLLS_COUNT = 15 };

void smc_warp_begin(struct smc_warp *warp, uint32_t lanes)
{
    warp->lanes = warp->live = lanes;
    warp->group[0] = (struct smc_group){.reconverge_at = SMC_NO_PC, .active = lanes, .parent = -1};
    warp->used = 1;
    warp->current = 0;
    warp->is_scattered = false;
    warp->steps = 0;
}

/* --- Divergent groups ------------------------------------------------------------------------- */

/* The group has reached its end: if it has called a function, it continues after the call.
   Otherwise its parent continues when no sibling is left, and ends as well if none of its lanes is
   live. */
static void end_group(struct smc_warp *warp, int index)
{
    while (index >= 0) {
        struct smc_group *group = &warp->group[index];
        if (smc_frame_leave(warp, index)) {
            if (group->active)
                return;
            continue;
        }
        warp->used &= ~(UINT64_C(1) << index);
        index = group->parent;
        if (index < 0)
            return;
        struct smc_group *parent = &warp->group[index];
        if (--parent->children > 0)
            return;
        parent->state = SMC_GROUP_READY;
        parent->active &= warp->live;
        warp->current = index;
        if (parent->active)
            return;
    }
}

static int new_group(struct smc_warp *warp)
{
    return __builtin_ctzll(~warp->used); /* below SMC_MAX_GROUPS: 63 exist at most */
}

void smc_warp_diverge(struct smc_warp *warp, const struct smc_op *op, const uint32_t *place,
                      const uint32_t *mask, uint32_t count)
{
    int index = warp->current;
    struct smc_group *parent = &warp->group[index];
    parent->pc = op->reconverge_at;
    parent->state = SMC_GROUP_DIVERGED;
    parent->children = 0;
    for (uint32_t i = count; i > 0; i--) {
        if (place[i - 1] == op->reconverge_at)
            continue;
        int child = new_group(warp);
        warp->used |= UINT64_C(1) << child;
        warp->group[child] = (struct smc_group){.pc = place[i - 1],
                                                .reconverge_at = op->reconverge_at,
                                                .active = mask[i - 1],
                                                .parent = index,
                                                .frame = parent->frame};
        parent->children++;
        warp->current = child;
    }
}

void smc_warp_end_lanes(struct smc_warp *warp, uint32_t mask)
{
    struct smc_group *group = &warp->group[warp->current];
    warp->live &= ~mask;
    group->active &= ~mask;
    if (!group->active)
        end_group(warp, warp->current);
}

bool smc_warp_return(struct smc_warp *warp, uint32_t mask, int caller)
{
    int index = warp->current;
    for (int i = index;; i = warp->group[i].parent) {
        warp->group[i].active &= ~mask;
        if (i == caller)
            break;
    }
    if (warp->group[index].active)
        return false;
    end_group(warp, index);
    return true;
}

/* The lanes that wait for others where this group does, which is among them: at the same op, or at
   one that is alike, with the same mask. */
static uint32_t converged_at(const struct smc_warp *warp, const struct smc_group *here)
{
    uint32_t converged = here->active;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        const struct smc_group *group = &warp->group[__builtin_ctzll(left)];
        if (group->state == SMC_GROUP_CONVERGING &&
            (group->meets == here->meets || group->pc == here->pc))
            converged |= group->active;
    }
    return converged;
}

uint32_t smc_warp_converge(struct smc_warp *warp, uint32_t need, uint32_t likeness)
{
    struct smc_group *here = &warp->group[warp->current];
    uint32_t converged = here->active;
    here->meets = likeness ? (uint64_t)likeness << 32 | need : here->pc;
    need &= warp->live;
    if (!(need & ~converged))
        return converged;
    converged = converged_at(warp, here);
    if (!(need & ~converged))
        return converged;
    here->state = SMC_GROUP_CONVERGING;
    here->need = need;
    return 0;
}

void smc_warp_hold(struct smc_warp *warp, uint32_t mask, uint32_t barrier)
{
    for (uint64_t left = warp->used; left; left &= left - 1) {
        struct smc_group *group = &warp->group[__builtin_ctzll(left)];
        if (group->state != SMC_GROUP_DIVERGED && group->active & mask) {
            group->state = SMC_GROUP_AT_BARRIER;
            group->barrier = barrier;
        }
    }
}

void smc_warp_release(struct smc_warp *warp, uint32_t mask)
{
    for (uint64_t left = warp->used; left; left &= left - 1) {
        struct smc_group *group = &warp->group[__builtin_ctzll(left)];
        if (group->state != SMC_GROUP_DIVERGED && group->active & mask) {
            group->state = SMC_GROUP_READY;
            group->pc++;
        }
    }
}

/* Lanes that a converging group waited for have exited, so it no longer waits for them. */
static bool may_converge(const struct smc_warp *warp, const struct smc_group *here)
{
    return !(here->need & warp->live & ~converged_at(warp, here));
}

/* --- Lanes that go on alone ------------------------------------------------------------------- */

/* The live lanes of a diverged group that arrived where the others should reconverge. */
static uint32_t arrived_in(const struct smc_warp *warp, int index)
{
    uint32_t lanes = warp->group[index].active & warp->live;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        int child = __builtin_ctzll(left);
        if (warp->group[child].parent == index)
            lanes &= ~smc_frames_lanes(warp, child);
    }
    return lanes;
}

/* An only child takes the place of its parent, in which no lane waits. */
static void collapse(struct smc_warp *warp, int index)
{
    const struct smc_group *parent = &warp->group[index];
    int child = 0;
    while (!(warp->used >> child & 1) || warp->group[child].parent != index)
        child++;
    smc_frames_hand_over(warp, index, child);
    warp->group[child].parent = parent->parent;
    warp->used &= ~(UINT64_C(1) << index);
}

/* Lanes of group `index`, which are in this function or have just returned from it, become a group
   like the given one beside it. False: out of memory. */
static bool add_beside(struct smc_warp *warp, int index, struct smc_call_frame *frame,
                       bool are_in_it, const struct smc_group *like)
{
    int alone = new_group(warp);
    warp->group[alone] = *like;
    warp->group[alone].parent = warp->group[index].parent;
    if (!smc_frames_split(warp, index, frame, are_in_it, alone))
        return false;
    warp->used |= UINT64_C(1) << alone;
    if (warp->group[alone].parent >= 0)
        warp->group[warp->group[alone].parent].children++;
    return true;
}

/* The lanes that wait in group `index` for its children go on without them. */
static bool go_on(struct smc_warp *warp, int index, uint32_t lanes)
{
    struct smc_group *parent = &warp->group[index];
    const struct smc_group like = {
        .pc = parent->pc, .reconverge_at = parent->reconverge_at, .active = lanes};
    if (!add_beside(warp, index, parent->frame, true, &like))
        return false;
    parent->active &= ~lanes;
    if (parent->children == 1)
        collapse(warp, index);
    return true;
}

/* The lanes that have returned from a function that group `index` called go on without the
   others. */
static uint32_t go_on_after_call(struct smc_warp *warp, int index, uint32_t wanted)
{
    struct smc_group like = {0};
    struct smc_call_frame *frame = smc_frames_waiting(warp, index, wanted, &like);
    if (!frame || !add_beside(warp, index, frame, false, &like))
        return 0;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        int empty = __builtin_ctzll(left); /* which only the returned lanes kept apart */
        if (warp->group[empty].state == SMC_GROUP_DIVERGED && warp->group[empty].children == 1 &&
            !arrived_in(warp, empty))
            collapse(warp, empty);
    }
    return like.active;
}

/* Lets lanes of `wanted` that wait to reconverge go on; returns them. As threads of one warp are
   scheduled independently, others may depend on what they do next. */
static uint32_t free_lanes(struct smc_warp *warp, uint32_t wanted)
{
    for (uint64_t left = warp->used; left; left &= left - 1) {
        int index = __builtin_ctzll(left);
        uint32_t lanes =
            warp->group[index].state == SMC_GROUP_DIVERGED ? arrived_in(warp, index) : 0;
        if (lanes & wanted)
            return go_on(warp, index, lanes) ? lanes : 0;
    }
    for (uint64_t left = warp->used; left; left &= left - 1) {
        uint32_t lanes = go_on_after_call(warp, __builtin_ctzll(left), wanted);
        if (lanes)
            return lanes;
    }
    return 0;
}

/* No group can run: lanes that one waits for may be about to exit, and need not take part then. */
static bool warp_unblock(struct smc_warp *warp)
{
    for (uint64_t left = warp->used; left; left &= left - 1) {
        struct smc_group *group = &warp->group[__builtin_ctzll(left)];
        if (group->state != SMC_GROUP_CONVERGING)
            continue;
        uint32_t missing = group->need & warp->live & ~converged_at(warp, group);
        uint32_t freed = missing ? free_lanes(warp, missing) : 0;
        if (!freed)
            continue;
        for (uint64_t others = warp->used; others; others &= others - 1) {
            struct smc_group *other = &warp->group[__builtin_ctzll(others)];
            if (other->state == SMC_GROUP_CONVERGING && other->meets == group->meets)
                other->left |= freed & missing;
        }
        return true;
    }
    return false;
}

/* The next group that can run becomes the current one. */
static void take_turns(struct smc_warp *warp)
{
    for (int i = 1; i <= SMC_MAX_GROUPS; i++) {
        int index = (warp->current + i) % SMC_MAX_GROUPS;
        if (!(warp->used >> index & 1))
            continue;
        struct smc_group *group = &warp->group[index];
        if (group->state == SMC_GROUP_CONVERGING && may_converge(warp, group))
            group->state = SMC_GROUP_READY;
        if (group->state == SMC_GROUP_READY) {
            warp->current = index;
            return;
        }
    }
}

/* A group that only reads memory until other threads change it, such as one that waits for a lock,
   makes way for the others, also for lanes that wait to reconverge with it. */
static void make_way(struct smc_warp *warp)
{
    warp->is_scattered |= free_lanes(warp, warp->live) != 0;
    take_turns(warp);
}

/* A group has waited in vain: the others take their turn, and if no warp gets any further, also
   lanes that wait for this group. Returns false if all of them have had their turn. */
static bool pass_turn(const struct smc_worker *worker, struct smc_warp *warp, uint32_t *turns)
{
    if (worker->fruitless > 1) {
        warp_unblock(warp);
        warp->is_scattered |= free_lanes(warp, warp->live) != 0;
    }
    take_turns(warp);
    return ++*turns <= (uint32_t)__builtin_popcountll(warp->used);
}

/* The group to run: the last one that ran if it can run, otherwise the one with the lowest pc; -1
   if none. */
static int pick(struct smc_warp *warp)
{
    int lowest = -1;
    if (warp->used >> warp->current & 1 && warp->group[warp->current].state == SMC_GROUP_READY)
        return warp->current;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        int index = __builtin_ctzll(left);
        struct smc_group *group = &warp->group[index];
        if (group->state == SMC_GROUP_CONVERGING && may_converge(warp, group))
            group->state = SMC_GROUP_READY;
        if (group->state == SMC_GROUP_READY && (lowest < 0 || group->pc < warp->group[lowest].pc))
            lowest = index;
    }
    return lowest;
}

/* --- Running ---------------------------------------------------------------------------------- */

static void keep_32(lane_u32 *to, const lane_u32 *from, uint32_t mask)
{
    EACH_LANE(i)
        to[i] = mask & smc_lane_bit[i] ? from[i] : to[i];
}

static void keep_64(lane_u64 *to, const lane_u64 *from, uint32_t mask)
{
    EACH_LANE(i)
        to[i] = mask & smc_lane_bit[i] ? from[i] : to[i];
}

void smc_warp_compute(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    char *file = warp->file, *d = file + op->d;
    if (mask == warp->live) { /* no inactive lane has a value to preserve */
        op->alu(op, d, file + op->a, file + op->b, file + op->c);
        return;
    }
    lane_u64 result[SMC_LANES];
    op->alu(op, result, file + op->a, file + op->b, file + op->c);
    if (op->d_kind == SMC_SLOT_64)
        keep_64((lane_u64 *)d, result, mask);
    else if (op->d_kind == SMC_SLOT_32)
        keep_32((lane_u32 *)d, (const lane_u32 *)result, mask);
    else
        *(lane_u32 *)d = (*(const lane_u32 *)result & mask) | (*(lane_u32 *)d & ~mask);
}

static void count_execution(struct smc_worker *worker, const struct smc_op *op, uint32_t mask)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->executions++;
    count->lanes += smc_lane_count(mask);
}

/* Executions are counted where a stretch is entered, and added to those of its ops in the end. */
static void count_stretch(struct smc_worker *worker, size_t entry, uint32_t mask)
{
    struct smc_pass *pass = &worker->pass[entry];
    pass->executions++;
    pass->lanes += smc_lane_count(mask);
}

void smc_warp_add_passes(struct smc_worker *worker)
{
    const struct smc_program *program = worker->launch->program;
    for (size_t entry = 0; entry < program->ops; entry++) {
        const struct smc_op *op = &program->op[entry];
        const struct smc_pass *pass = &worker->pass[entry];
        for (uint32_t i = 0; pass->executions && i < op->stretch; i++) {
            if (!op[i].is_first)
                continue;
            worker->count[op[i].instruction].executions += pass->executions;
            worker->count[op[i].instruction].lanes += pass->lanes;
        }
    }
}

/* An op of a warp that is followed. */
static enum smc_next follow_op(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    struct smc_unset_stores stores;
    enum smc_next next = SMC_GO_ON;
    smc_unset_before(worker, warp, op, mask, &stores);
    if (op->alu && mask)
        smc_warp_compute(warp, op, mask);
    else if (op->step && (mask || op->step_without_lanes))
        next = op->step(worker, warp, op, mask);
    smc_unset_after(worker, warp, op, &stores);
    return next;
}

static void run_stretch(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                        uint32_t mask)
{
    char *const file = warp->file;
    const bool keeps_nothing = mask == warp->live;
    const struct smc_op *const end = op + op->stretch;
    bool follows = warp->has_unset;
    for (; op < end && !follows; op++) {
        if (op->alu && keeps_nothing)
            op->alu(op, file + op->d, file + op->a, file + op->b, file + op->c);
        else if (op->alu)
            smc_warp_compute(warp, op, mask);
        else if (op->step)
            follows = op->step(worker, warp, op, mask) == SMC_FOLLOWS;
    }
    for (; op < end; op++)
        follow_op(worker, warp, op, mask);
}

static enum smc_next warp_run_op(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    enum smc_next next = SMC_GO_ON;
    if (warp->has_unset)
        next = follow_op(worker, warp, op, mask);
    else if (op->step && (mask || op->step_without_lanes))
        next = op->step(worker, warp, op, mask);
    return next == SMC_FOLLOWS ? SMC_GO_ON : next;
}

/* Runs the group until it ends, diverges, waits, or has run `limit` ops; returns the number of ops
   that ran. */
static uint64_t warp_run_group(struct smc_worker *worker, struct smc_warp *warp, int index,
                               uint64_t limit)
{
    const struct smc_op *ops = worker->launch->program->op;
    struct smc_group *group = &warp->group[index];
    uint64_t steps = 0;
    warp->current = index;
    while (steps < limit) {
        if (group->pc == group->reconverge_at) {
            end_group(warp, index);
            return steps;
        }
        const struct smc_op *op = &ops[group->pc];
        if (op->stretch && op->stretch <= limit - steps && group->active) {
            count_stretch(worker, group->pc, group->active);
            run_stretch(worker, warp, op, group->active);
            steps += op->stretch;
            group->pc += op->stretch;
            continue;
        }
        uint32_t mask = smc_guarded(warp, op, group->active);
        steps++;
        if (op->is_first && (mask || op->step_without_lanes))
            count_execution(worker, op, mask);
        if (op->alu && !warp->has_unset) {
            if (mask)
                smc_warp_compute(warp, op, mask);
            group->pc++;
            continue;
        }
        const enum smc_next next = warp_run_op(worker, warp, op, mask);
        if (next == SMC_GO_ON) {
            group->pc++;
            continue;
        }
        worker->gave_up |= next == SMC_GIVES_UP;
        if (next != SMC_MOVED || warp->current != index || !(warp->used >> index & 1) ||
            group->state != SMC_GROUP_READY)
            return steps;
    }
    return steps;
}

/* The warp waits for what other blocks write. */
static void await_others(struct smc_worker *worker, struct smc_warp *warp)
{
    const struct smc_group *group = &warp->group[warp->current];
    const struct smc_program *program = worker->launch->program;
    if (group->pc >= program->ops)
        return;
    warp->yields = program->op[group->pc].instruction + 1;
    warp->failing = group->active;
    warp->awaited = 0;
    worker->fruitless += POLLS_COUNT;
}

bool smc_warp_run(struct smc_worker *worker, struct smc_warp *warp)
{
    uint64_t steps = 0;
    uint32_t turns = 0;
    int index;
    warp->yields = 0;
    for (uint64_t limit = CHECK_EVERY; limit <= TIME_SLICE; limit += CHECK_EVERY) {
        uint64_t polls = worker->polls, changes = worker->changes;
        while (steps < limit && !worker->gave_up && warp->live &&
               ((index = pick(warp)) >= 0 || (warp_unblock(warp) && (index = pick(warp)) >= 0))) {
            warp->yields = 0;
            steps += warp_run_group(worker, warp, index, limit - steps);
            if (warp->yields && !pass_turn(worker, warp, &turns))
                break;
        }
        if (steps < limit || smc_launch_stops(worker->launch))
            break;
        if (worker->polls == polls || worker->changes != changes)
            continue;
        smc_mbarrier_drain(worker);
        make_way(warp);
        if (worker->launch->together > 1) {
            await_others(worker, warp);
            break;
        }
    }
    warp->steps += steps;
    return steps > 0;
}
