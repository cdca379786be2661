/* Control flow, barriers, and operations across the lanes of a warp. */
#include <inttypes.h>
#include <stdio.h>

#include "machine/emulator/concurrent_blocks.h"
#include "machine/emulator/emulator_state.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/peers.h"
#include "machine/emulator/proxies.h"
#include "machine/emulator/shadow.h"
#include "machine/emulator/unset_values.h"

/* --- Branches and exits ----------------------------------------------------------------------- */

/* The first group runs first; in reverse, the last one. */
static void diverge(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                    uint32_t *place, uint32_t *masks, uint32_t count)
{
    worker->count[op->instruction].divergent++;
    for (uint32_t i = 0; worker->launch->request->reversed && i < count / 2; i++) {
        const uint32_t other = count - 1 - i, first_place = place[i], first_mask = masks[i];
        place[i] = place[other];
        masks[i] = masks[other];
        place[other] = first_place;
        masks[other] = first_mask;
    }
    smc_warp_diverge(warp, op, place, masks, count);
}

enum smc_next smc_step_branch(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    struct smc_group *group = &warp->group[warp->current];
    if (!mask)
        return SMC_GO_ON;
    if (mask == group->active) {
        group->pc = op->target;
        return SMC_MOVED;
    }
    uint32_t place[] = {group->pc + 1, op->target};
    uint32_t masks[] = {group->active & ~mask, mask};
    diverge(worker, warp, op, place, masks, 2);
    return SMC_MOVED;
}

/* brx.idx: a holds the index. Lanes with the same target form a group. An index beyond the list is
   undefined behavior; here it ends the block with a finding. */
enum smc_next smc_step_indexed_branch(struct smc_worker *worker, struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask)
{
    struct smc_group *group = &warp->group[warp->current];
    const lane_u32 *index = (const lane_u32 *)(warp->file + op->a);
    uint32_t place[SMC_LANES + 1], masks[SMC_LANES + 1], count = 0;
    if (mask != group->active) {
        place[count] = group->pc + 1;
        masks[count++] = group->active & ~mask;
    }
    for (uint32_t left = mask; left;) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), same = 0;
        if (index[lane] >= op->target_count) {
            struct smc_finding finding = smc_finding_at(worker, SMC_FINDING_TRAP, op->instruction,
                                                        smc_thread_of(warp, lane));
            smc_find(worker, &finding);
            return SMC_GIVES_UP;
        }
        EACH_ACTIVE(n, left)
            same |= (uint32_t)(index[n] == index[lane]) << n;
        place[count] = op->targets[index[lane]];
        masks[count++] = same;
        left &= ~same;
    }
    if (count == 1) {
        group->pc = place[0];
        return SMC_MOVED;
    }
    diverge(worker, warp, op, place, masks, count);
    return SMC_MOVED;
}

enum smc_next smc_step_exit(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    (void)worker, (void)op;
    bool all = mask == warp->group[warp->current].active;
    warp->left_at = warp->group[warp->current].pc;
    smc_warp_end_lanes(warp, mask);
    return all ? SMC_MOVED : SMC_GO_ON;
}

enum smc_next smc_step_trap(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_TRAP, op->instruction, smc_thread_of(warp, lane));
    if (worker->launch->program->asks_cooperative && !worker->launch->request->cooperative)
        snprintf(finding.note, sizeof finding.note,
                 "grid synchronization needs a cooperative launch, and this one is not");
    smc_find(worker, &finding);
    smc_end_launch(worker);
    return SMC_GIVES_UP;
}

/* A clock that advances with each read. */
enum smc_next smc_step_clock(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    (void)worker;
    uint64_t now = ++warp->clock;
    EACH_ACTIVE(lane, mask)
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)(warp->file + op->d))[lane] = now << op->immediate;
        else
            ((lane_u32 *)(warp->file + op->d))[lane] = (uint32_t)(now << op->immediate);
    return SMC_GO_ON;
}

/* --- Barriers --------------------------------------------------------------------------------- */

/* Warps meet at a barrier of the whole block in different places. CUDA C++ leaves undefined what
   happens; PTX counts them together. */
static void report_split(struct smc_worker *worker, const struct smc_op *op,
                         const struct smc_barrier *barrier, uint32_t thread)
{
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_SPLIT_BARRIER, op->instruction, thread);
    finding.has_other = true;
    finding.other_instruction = worker->launch->program->op[barrier->at].instruction;
    smc_finding_set_other(worker, &finding, barrier->first);
    snprintf(finding.note, sizeof finding.note,
             "undefined in CUDA C++, though PTX counts them together");
    smc_find(worker, &finding);
}

/* Whether two ops are one barrier of the source, of which the compiler made copies, as it does
   where it unrolls a loop: then one may follow the other. Those of two branches may be in one line,
   too. */
static bool steps_control_is_copy(struct smc_worker *worker, uint32_t a, uint32_t b)
{
    const struct smc_program *program = worker->launch->program;
    const uint32_t place = program->instruction[program->op[a].instruction].loc;
    if (!place || place != program->instruction[program->op[b].instruction].loc)
        return false;
    if (worker->asked.copy[0] != a || worker->asked.copy[1] != b) {
        worker->asked.copy[0] = a;
        worker->asked.copy[1] = b;
        worker->asked.is_copy = smc_may_follow(program, a, b) || smc_may_follow(program, b, a);
    }
    return worker->asked.is_copy;
}

/* The barrier whose number is in a; all lanes must name the same one. */
static struct smc_barrier *barrier_of(struct smc_worker *worker, const struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask, uint32_t *id)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint32_t at = warp->group[warp->current].pc;
    *id = ((const lane_u32 *)(warp->file + op->a))[lane] % SMC_BARRIERS;
    struct smc_barrier *barrier = &worker->barrier[*id];
    barrier->expected = op->b ? ((const lane_u32 *)(warp->file + op->b))[lane] : 0;
    if (!barrier->warps) {
        barrier->at = at;
        barrier->first = smc_thread_of(warp, lane);
    } else if (barrier->at != at && !op->b && !steps_control_is_copy(worker, barrier->at, at)) {
        report_split(worker, op, barrier, smc_thread_of(warp, lane));
    }
    return barrier;
}

/* Reports a barrier for whole warps that only some lanes of a warp reach. */
static void check_whole(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_op *op, uint32_t mask)
{
    if (mask == warp->live || !op->is_aligned)
        return;
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_DIVERGENT_BARRIER, op->instruction,
                       smc_thread_of(warp, (uint32_t)__builtin_ctz(mask)));
    finding.waiting = (uint32_t)__builtin_popcount(mask);
    finding.expected = (uint32_t)__builtin_popcount(warp->live);
    smc_find(worker, &finding);
}

static void barrier_arrive(struct smc_worker *worker, const struct smc_warp *warp, uint32_t mask,
                           struct smc_barrier *barrier)
{
    uint32_t lanes = smc_lane_count(mask);
    barrier->lanes += lanes;
    barrier->slots += mask == warp->live ? SMC_LANES : lanes;
    barrier->warps |= 1u << warp->index;
    if (worker->shadow)
        barrier->arrived_at[warp->index] = smc_shadow_arrive(worker->shadow);
}

/* The lanes that arrive together at a barrier for whole warps; 0: these wait for the others, which
   they only left because one of those polls memory. They stay apart after the barrier, too. */
static uint32_t gather(struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    if (!warp->is_scattered || !op->is_aligned)
        return mask;
    const uint32_t converged = smc_warp_converge(warp, warp->live, 0);
    warp->is_scattered = mask != warp->live;
    return converged ? converged & (mask | ~warp->group[warp->current].active) : 0;
}

enum smc_next smc_step_barrier(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    uint32_t id;
    mask = gather(warp, op, mask);
    if (!mask)
        return SMC_WAITS;
    struct smc_barrier *barrier = barrier_of(worker, warp, op, mask, &id);
    check_whole(worker, warp, op, mask);
    barrier_arrive(worker, warp, mask, barrier);
    barrier->waiting |= 1u << warp->index;
    if (op->reduction != SMC_REDUCE_NONE) {
        uint32_t holds = *(const lane_u32 *)(warp->file + op->c);
        barrier->true_lanes += (uint32_t)__builtin_popcount(holds & mask);
    }
    smc_warp_hold(warp, mask, id);
    return SMC_WAITS;
}

enum smc_next smc_step_arrive(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    uint32_t id;
    struct smc_barrier *barrier = barrier_of(worker, warp, op, mask, &id);
    check_whole(worker, warp, op, mask);
    barrier_arrive(worker, warp, mask, barrier);
    return SMC_GO_ON;
}

enum smc_next smc_step_fence(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    if (worker->shadow)
        smc_shadow_fence(worker->shadow, warp, mask, op->is_narrow);
    smc_peers_fence(worker);
    smc_concurrent_fence(worker, op->is_narrow);
    return SMC_GO_ON;
}

enum smc_next smc_step_proxy_fence(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    if (worker->shadow)
        smc_shadow_proxy_fence(worker->shadow, warp, mask, (uint32_t)op->immediate);
    if (op->immediate & SMC_FENCES_GLOBAL)
        smc_concurrent_proxy_fence(worker);
    smc_peers_proxy_fence(worker);
    return SMC_GO_ON;
}

/* --- Lanes together --------------------------------------------------------------------------- */

static uint32_t first_thread_of(const struct smc_warp *warp, uint32_t lanes)
{
    return smc_thread_of(warp, (uint32_t)__builtin_ctz(lanes));
}

static void report_mask(struct smc_worker *worker, const struct smc_op *op,
                        enum smc_finding_kind kind, uint32_t thread, uint32_t waiting,
                        uint32_t expected)
{
    struct smc_finding finding = smc_finding_at(worker, kind, op->instruction, thread);
    finding.waiting = smc_lane_count(waiting);
    finding.expected = smc_lane_count(expected);
    smc_find(worker, &finding);
}

/* The lanes that run an operation together: those of one op, or of several alike, as the two sides
   of a branch have them. */
struct part {
    const struct smc_op *op;
    uint32_t lanes;  /* that are there; */
    uint32_t active; /* whose guard holds */
};

struct meeting {
    uint32_t converged, active, parts;
    struct part part[SMC_LANES];
    uint32_t member[SMC_LANES]; /* by active lane: whom it names */
};

static uint32_t member_slot(const struct smc_op *op)
{
    return op->step == smc_step_sync_warp ? op->a : op->v[0];
}

/* Ops that lanes may run together, wherever they are, have the same number (PTX ISA: "the same
   qualifiers and mask"); it is not 0. */
static uint32_t likeness(const struct smc_op *op)
{
    static smc_step *const steps[] = {smc_step_sync_warp, smc_step_shuffle, smc_step_vote,
                                      smc_step_match,     smc_step_reduce,  smc_step_elect};
    const uint32_t mode = op->step == smc_step_shuffle  ? (uint32_t)op->immediate
                          : op->step == smc_step_reduce ? (uint32_t)op->immediate >> 31
                                                        : 0;
    uint32_t step = 0;
    while (steps[step] != op->step)
        step++;
    return (step + 1) << 28 | mode << 24 | (uint32_t)op->finish << 16 |
           (uint32_t)op->reduction << 8 | (uint32_t)op->type;
}

/* The op at which a group is, without what tracks registers. */
static const struct smc_op *op_of(const struct smc_worker *worker, const struct smc_group *group)
{
    return &worker->launch->request->program->op[group->pc];
}

static void steps_control_add_part(const struct smc_warp *warp, const struct smc_op *op,
                                   uint32_t lanes, struct meeting *meeting)
{
    const lane_u32 *members = (const lane_u32 *)(warp->file + member_slot(op));
    uint32_t i = 0;
    while (i < meeting->parts && meeting->part[i].op != op)
        i++;
    if (i == meeting->parts)
        meeting->part[meeting->parts++] = (struct part){.op = op};
    struct part *part = &meeting->part[i];
    part->lanes |= lanes;
    part->active |= smc_guarded(warp, op, lanes);
    meeting->active |= part->active;
    EACH_ACTIVE(lane, part->active)
        meeting->member[lane] = members[lane];
}

/* The part that a lane is in; for others, the first one. */
static const struct part *part_of(const struct meeting *meeting, uint32_t lane)
{
    for (uint32_t i = 1; i < meeting->parts; i++)
        if (meeting->part[i].lanes >> lane & 1)
            return &meeting->part[i];
    return &meeting->part[0];
}

/* The lanes that went on elsewhere, and so do not take part, though another op may have brought
   them here; sets `place` to the op that waited for them. */
static uint32_t strayed(const struct smc_worker *worker, const struct smc_warp *warp,
                        const struct meeting *meeting, const struct smc_op **place)
{
    uint32_t lanes = 0, seen = 0;
    for (uint32_t i = 0; i < meeting->parts; i++)
        seen |= *(const lane_u32 *)(warp->file + meeting->part[i].op->seen);
    for (uint64_t used = warp->used; used; used &= used - 1) {
        const struct smc_group *group = &warp->group[__builtin_ctzll(used)];
        if (!group->left || !(group->active & meeting->converged))
            continue;
        const struct smc_op *op = op_of(worker, group);
        uint32_t missing = group->left & ~meeting->converged & ~seen;
        for (uint32_t i = 0; i < meeting->parts && op->step != smc_step_sync_warp; i++)
            missing |= meeting->part[i].op == op ? 0 : group->left & meeting->part[i].lanes;
        *place = missing ? op : *place;
        lanes |= missing;
    }
    return lanes;
}

static void check_masks(struct smc_worker *worker, const struct smc_warp *warp,
                        const struct smc_op *op, uint32_t need, const struct meeting *meeting)
{
    const uint32_t active = meeting->active, converged = meeting->converged;
    const struct smc_op *place = op;
    uint32_t outside = 0;
    EACH_ACTIVE(lane, active)
        outside |= (uint32_t)(~meeting->member[lane] >> lane & 1) << lane;
    if (outside)
        report_mask(worker, op, SMC_FINDING_NOT_IN_MASK, first_thread_of(warp, outside),
                    active & ~outside, active);
    const uint32_t gone = strayed(worker, warp, meeting, &place);
    const uint32_t absent = need & ((converged & ~active) | gone), there = active & ~absent;
    if (absent && active)
        report_mask(worker, place, SMC_FINDING_ABSENT_LANES,
                    first_thread_of(warp, there ? there : active), there & need, need);
}

/* Waits until all lanes of the first lane's member mask have arrived. False: not yet. The mask must
   name the lanes that execute the op, and no others, except for lanes that took part before and
   then left to exit: in a loop, those that are done. */
static bool meet(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                 uint32_t mask, struct meeting *meeting)
{
    const lane_u32 *members = (const lane_u32 *)(warp->file + member_slot(op));
    const uint32_t need = members[__builtin_ctz(mask)];
    meeting->converged = smc_warp_converge(warp, need, likeness(op));
    meeting->active = meeting->parts = 0;
    if (!meeting->converged)
        return false;
    for (uint64_t used = warp->used; used; used &= used - 1) {
        const struct smc_group *group = &warp->group[__builtin_ctzll(used)];
        const uint32_t lanes = group->active & meeting->converged;
        if (group->state != SMC_GROUP_DIVERGED && lanes)
            steps_control_add_part(warp, op_of(worker, group), lanes, meeting);
    }
    check_masks(worker, warp, op, need, meeting);
    for (uint32_t i = 0; i < meeting->parts; i++)
        *(lane_u32 *)(warp->file + meeting->part[i].op->seen) |= meeting->part[i].active;
    for (uint64_t used = warp->used; used; used &= used - 1)
        if (warp->group[__builtin_ctzll(used)].active & meeting->converged)
            warp->group[__builtin_ctzll(used)].left = 0;
    return true;
}

/* Lanes that execute one __syncwarp may have different masks, as tiles of a warp have. */
static void sync_members(struct smc_worker *worker, struct smc_warp *warp,
                         const struct meeting *meeting)
{
    for (uint32_t left = meeting->active, same; left; left &= ~same) {
        const uint32_t member = meeting->member[__builtin_ctz(left)];
        same = 0;
        EACH_ACTIVE(lane, left)
            same |= (uint32_t)(meeting->member[lane] == member) << lane;
        smc_shadow_sync_warp(worker->shadow, warp, same);
    }
}

/* __syncwarp: a holds the mask of participating lanes. */
enum smc_next smc_step_sync_warp(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    struct meeting meeting;
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    if (worker->shadow)
        sync_members(worker, warp, &meeting);
    smc_warp_release(warp, meeting.converged);
    return SMC_MOVED;
}

/* --- Shuffles, votes, matches, reductions ----------------------------------------------------- */

static enum smc_next done(struct smc_warp *warp, const struct meeting *meeting)
{
    smc_warp_release(warp, meeting->converged);
    return SMC_MOVED;
}

/* Stores the result of each of these lanes. */
static void meeting_put(const struct smc_warp *warp, const struct meeting *meeting, uint32_t lanes,
                        const uint32_t result[SMC_LANES])
{
    for (uint32_t i = 0; i < meeting->parts; i++) {
        lane_u32 *d = (lane_u32 *)(warp->file + meeting->part[i].op->d);
        EACH_ACTIVE(lane, meeting->part[i].active & lanes)
            d[lane] = result[lane];
    }
}

static void put_predicate(const struct smc_warp *warp, const struct meeting *meeting, bool second,
                          uint32_t lanes, uint32_t holds)
{
    for (uint32_t i = 0; i < meeting->parts; i++) {
        const struct part *part = &meeting->part[i];
        const uint32_t mask = part->active & lanes, slot = second ? part->op->v[1] : part->op->d;
        if (slot == SMC_NO_SLOT)
            continue;
        lane_u32 *d = (lane_u32 *)(warp->file + slot);
        *d = (*d & ~mask) | (holds & mask);
    }
}

/* Lanes may name different sets of lanes in one instruction, as a partition of a group does: those
   among `rest` that the first of them names, which do it together. */
static uint32_t peers_of(const struct meeting *meeting, uint32_t rest)
{
    return rest & (meeting->member[__builtin_ctz(rest)] | (rest & -rest));
}

#define EACH_PEERS(peers, meeting)                                                                 \
    for (uint32_t rest = (meeting)->active, peers = rest ? peers_of(meeting, rest) : 0; rest;      \
         rest &= ~peers, peers = rest ? peers_of(meeting, rest) : 0)

static uint32_t register_of(const struct smc_warp *warp, uint32_t slot, uint32_t lane)
{
    return ((const lane_u32 *)(warp->file + slot))[lane];
}

/* The lane that `lane` reads from (PTX ISA, shfl.sync), and whether that is within its segment. */
static uint32_t source_lane(const struct smc_op *op, uint32_t lane, uint32_t b, uint32_t c,
                            bool *inside)
{
    uint32_t clamp = c & 31, segment = c >> 8 & 31, step = b & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    uint32_t from;
    switch ((enum smc_shuffle)op->immediate) {
    case SMC_SHUFFLE_UP:
        from = lane - step;
        *inside = (int32_t)from >= (int32_t)most;
        break;
    case SMC_SHUFFLE_DOWN:
        from = lane + step;
        *inside = from <= most;
        break;
    case SMC_SHUFFLE_BUTTERFLY:
        from = lane ^ step;
        *inside = from <= most;
        break;
    default:
        from = least | (step & ~segment);
        *inside = from <= most;
    }
    return *inside ? from & 31 : lane;
}

/* A lane reads from one that its mask names, but that has exited. */
static void report_source(struct smc_worker *worker, const struct smc_warp *warp,
                          const struct smc_op *op, uint32_t lane, uint32_t from)
{
    struct smc_finding finding = smc_finding_at(worker, SMC_FINDING_ABSENT_LANES, op->instruction,
                                                smc_thread_of(warp, lane));
    const lane_u32 *members = (const lane_u32 *)(warp->file + op->v[0]);
    finding.waiting = smc_lane_count(members[lane] & warp->live);
    finding.expected = smc_lane_count(members[lane]);
    snprintf(finding.note, sizeof finding.note,
             "lane %" PRIu32 " reads lane %" PRIu32 ", which has exited", lane, from);
    smc_find(worker, &finding);
}

enum smc_next smc_step_shuffle(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    struct meeting meeting;
    struct smc_unset_move move[SMC_LANES];
    uint32_t out[SMC_LANES] = {0}, inside = 0;
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    for (uint32_t i = 0; i < meeting.parts; i++) {
        const struct smc_op *own = meeting.part[i].op;
        EACH_ACTIVE(lane, meeting.part[i].active) {
            bool is_inside;
            const uint32_t from = source_lane(own, lane, register_of(warp, own->b, lane),
                                              register_of(warp, own->c, lane), &is_inside);
            const bool is_there = meeting.converged >> from & 1;
            const struct smc_op *other = is_there ? part_of(&meeting, from)->op : own;
            if (!is_there && ~warp->live >> from & 1 && meeting.member[lane] >> from & 1)
                report_source(worker, warp, own, lane, from);
            out[lane] = register_of(warp, other->a, from);
            move[lane] = (struct smc_unset_move){other->a, from, own->d};
            inside |= (uint32_t)is_inside << lane;
        }
    }
    meeting_put(warp, &meeting, meeting.active, out);
    put_predicate(warp, &meeting, true, meeting.active, inside);
    if (warp->has_unset)
        smc_unset_move(warp, meeting.active, move);
    return done(warp, &meeting);
}

enum smc_next smc_step_vote(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    struct meeting meeting;
    uint32_t holds = 0;
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    for (uint32_t i = 0; i < meeting.parts; i++)
        holds |= *(const lane_u32 *)(warp->file + meeting.part[i].op->a) & meeting.part[i].active;
    EACH_PEERS(peers, &meeting) {
        const uint32_t votes = holds & peers;
        if (op->reduction == SMC_REDUCE_BALLOT) {
            uint32_t result[SMC_LANES];
            EACH_LANE(lane)
                result[lane] = votes;
            meeting_put(warp, &meeting, peers, result);
            continue;
        }
        const bool answer = op->reduction == SMC_REDUCE_AND  ? votes == peers
                            : op->reduction == SMC_REDUCE_OR ? votes != 0
                                                             : votes == 0 || votes == peers;
        put_predicate(warp, &meeting, false, peers, answer ? SMC_ALL_LANES : 0);
    }
    return done(warp, &meeting);
}

enum smc_next smc_step_active_mask(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    (void)worker;
    EACH_ACTIVE(lane, mask)
        d[lane] = mask;
    return SMC_GO_ON;
}

static uint64_t lane_value(const struct smc_warp *warp, const struct meeting *meeting,
                           uint32_t lane)
{
    const struct smc_op *op = part_of(meeting, lane)->op;
    const char *file = warp->file + op->a;
    return op->width_bytes == 8 ? ((const lane_u64 *)file)[lane] : ((const lane_u32 *)file)[lane];
}

enum smc_next smc_step_match(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    struct meeting meeting;
    uint32_t out[SMC_LANES] = {0};
    bool all = op->reduction == SMC_REDUCE_AND;
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    EACH_PEERS(peers, &meeting) {
        EACH_ACTIVE(lane, peers) {
            out[lane] = 0;
            EACH_ACTIVE(other, peers)
                out[lane] |= (uint32_t)(lane_value(warp, &meeting, other) ==
                                        lane_value(warp, &meeting, lane))
                             << other;
        }
        const bool are_alike = out[__builtin_ctz(peers)] == peers;
        put_predicate(warp, &meeting, true, peers, are_alike ? SMC_ALL_LANES : 0);
        EACH_ACTIVE(lane, peers)
            out[lane] = all && !are_alike ? 0 : out[lane];
        meeting_put(warp, &meeting, peers, out);
    }
    return done(warp, &meeting);
}

/* elect.sync: the lowest lane is the leader; the PTX ISA leaves open which one is. */
enum smc_next smc_step_elect(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    struct meeting meeting;
    uint32_t out[SMC_LANES] = {0};
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    EACH_PEERS(peers, &meeting) {
        EACH_ACTIVE(lane, peers)
            out[lane] = (uint32_t)__builtin_ctz(peers);
        meeting_put(warp, &meeting, peers, out);
        put_predicate(warp, &meeting, true, peers, peers & -peers);
    }
    return done(warp, &meeting);
}

/* min or max of two numbers in the bits of single precision. */
static uint32_t float_extreme(const struct smc_op *op, uint32_t x, uint32_t y)
{
    bool x_nan = (x & 0x7fffffff) > 0x7f800000, y_nan = (y & 0x7fffffff) > 0x7f800000;
    if ((x_nan && y_nan) || ((x_nan || y_nan) && op->finish & SMC_FINISH_NAN))
        return 0x7fffffff;
    if (x_nan || y_nan)
        return x_nan ? y : x;
    /* Places on the number line: -0 is below +0. */
    int32_t left = (int32_t)(x & 0x80000000 ? ~(x & 0x7fffffff) : x);
    int32_t right = (int32_t)(y & 0x80000000 ? ~(y & 0x7fffffff) : y);
    return (left < right) == (op->reduction == SMC_REDUCE_MIN) ? x : y;
}

static uint32_t steps_control_combined(const struct smc_op *op, uint32_t x, uint32_t y)
{
    return op->type == SMC_PTX_F32 ? float_extreme(op, x, y) : (uint32_t)smc_reduced(op, x, y);
}

enum smc_next smc_step_reduce(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    const uint32_t kept = (uint32_t)op->immediate;
    struct meeting meeting;
    uint32_t out[SMC_LANES] = {0};
    if (!meet(worker, warp, op, mask, &meeting))
        return SMC_WAITS;
    EACH_PEERS(peers, &meeting) {
        uint32_t first = (uint32_t)__builtin_ctz(peers);
        uint32_t result = (uint32_t)lane_value(warp, &meeting, first) & kept;
        if (op->type == SMC_PTX_F32) /* a NaN alone */
            result = float_extreme(op, result, result);
        EACH_ACTIVE(lane, peers & (peers - 1))
            result = steps_control_combined(op, result,
                                            (uint32_t)lane_value(warp, &meeting, lane) & kept);
        EACH_ACTIVE(lane, peers)
            out[lane] = result;
        meeting_put(warp, &meeting, peers, out);
    }
    return done(warp, &meeting);
}

/* --- Steps that are not run ------------------------------------------------------------------- */

enum smc_next smc_step_opaque(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    (void)worker, (void)warp, (void)op, (void)mask;
    return SMC_GIVES_UP;
}
