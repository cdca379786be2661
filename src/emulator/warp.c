/* Runs a warp: op after op, for the lanes that go together. Lanes that part at a branch meet again
   at the nearest op that all of them must come to. */
#include "emulator/runtime.h"

#include <string.h>

/* Instructions that a warp may run before the next one has its turn: others may wait for it. And
   before it is asked whether to stop. */
enum { TURN = 1 << 14, SLICE = 1 << 10 };

void smc_warp_begin(struct smc_warp *warp, uint32_t lanes)
{
    warp->lanes = warp->live = lanes;
    warp->part[0] = (struct smc_part){.meet = SMC_NO_PLACE, .mask = lanes, .parent = -1};
    warp->used = 1;
    warp->current = 0;
    warp->steps = 0;
}

/* --- Parts ------------------------------------------------------------------------------------ */

/* The part has come to its end: its parent goes on when no sibling is left, and ends as well when
   none of its lanes lives. */
static void end_part(struct smc_warp *warp, int index)
{
    while (index >= 0) {
        struct smc_part *part = &warp->part[index];
        warp->used &= ~(UINT64_C(1) << index);
        index = part->parent;
        if (index < 0)
            return;
        struct smc_part *parent = &warp->part[index];
        if (--parent->children > 0)
            return;
        parent->state = SMC_PART_READY;
        parent->mask &= warp->live;
        warp->current = index;
        if (parent->mask)
            return;
    }
}

static int new_part(struct smc_warp *warp)
{
    return __builtin_ctzll(~warp->used); /* below SMC_MAX_PARTS: 63 exist at most */
}

void smc_warp_part(struct smc_warp *warp, const struct smc_op *op, const uint32_t *place,
                   const uint32_t *mask, uint32_t count)
{
    int index = warp->current;
    struct smc_part *parent = &warp->part[index];
    parent->place = op->meet;
    parent->state = SMC_PART_PARTED;
    parent->children = 0;
    for (uint32_t i = count; i > 0; i--) {
        if (place[i - 1] == op->meet)
            continue;
        int child = new_part(warp);
        warp->used |= UINT64_C(1) << child;
        warp->part[child] = (struct smc_part){
            .place = place[i - 1], .meet = op->meet, .mask = mask[i - 1], .parent = index};
        parent->children++;
        warp->current = child;
    }
}

void smc_warp_end_lanes(struct smc_warp *warp, uint32_t mask)
{
    struct smc_part *part = &warp->part[warp->current];
    warp->live &= ~mask;
    part->mask &= ~mask;
    if (!part->mask)
        end_part(warp, warp->current);
}

uint32_t smc_warp_gather(struct smc_warp *warp, uint32_t need)
{
    struct smc_part *here = &warp->part[warp->current];
    uint32_t gathered = here->mask;
    need &= warp->live;
    if (!(need & ~gathered))
        return gathered;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        const struct smc_part *part = &warp->part[__builtin_ctzll(left)];
        if (part->state == SMC_PART_AT_MEETING && part->place == here->place)
            gathered |= part->mask;
    }
    if (!(need & ~gathered))
        return gathered;
    here->state = SMC_PART_AT_MEETING;
    here->need = need;
    return 0;
}

void smc_warp_release(struct smc_warp *warp, uint32_t mask)
{
    uint32_t place = warp->part[warp->current].place;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        struct smc_part *part = &warp->part[__builtin_ctzll(left)];
        if (part->state != SMC_PART_PARTED && part->place == place && part->mask & mask) {
            part->state = SMC_PART_READY;
            part->place = place + 1;
        }
    }
}

/* Lanes that a meeting waited for have ended: it takes place now. */
static bool may_meet(const struct smc_warp *warp, const struct smc_part *here)
{
    uint32_t gathered = 0;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        const struct smc_part *part = &warp->part[__builtin_ctzll(left)];
        if (part->state == SMC_PART_AT_MEETING && part->place == here->place)
            gathered |= part->mask;
    }
    return !(here->need & warp->live & ~gathered);
}

/* A part that can go on: the one that ran last if it can, else the one furthest behind. -1: none.
 */
static int pick(struct smc_warp *warp)
{
    int lowest = -1;
    if (warp->used >> warp->current & 1 && warp->part[warp->current].state == SMC_PART_READY)
        return warp->current;
    for (uint64_t left = warp->used; left; left &= left - 1) {
        int index = __builtin_ctzll(left);
        struct smc_part *part = &warp->part[index];
        if (part->state == SMC_PART_AT_MEETING && may_meet(warp, part))
            part->state = SMC_PART_READY;
        if (part->state == SMC_PART_READY && (lowest < 0 || part->place < warp->part[lowest].place))
            lowest = index;
    }
    return lowest;
}

/* --- Running ---------------------------------------------------------------------------------- */

static void keep_32(lane_u32 *to, const lane_u32 *from, uint32_t mask)
{
    EACH_LANE(i) to[i] = mask & smc_lane_bit[i] ? from[i] : to[i];
}

static void keep_64(lane_u64 *to, const lane_u64 *from, uint32_t mask)
{
    EACH_LANE(i) to[i] = mask & smc_lane_bit[i] ? from[i] : to[i];
}

static void run_alu(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    char *file = warp->file, *d = file + op->d;
    if (mask == warp->live) { /* no lane has a value to lose */
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

static uint32_t guarded(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    if (op->guard == SMC_NO_SLOT)
        return mask;
    uint32_t holds = *(const lane_u32 *)(warp->file + op->guard);
    return mask & (op->guard_negated ? ~holds : holds);
}

static void count_execution(struct smc_worker *worker, const struct smc_op *op, uint32_t mask)
{
    struct smc_emulated_count *count = &worker->count[op->instruction];
    count->executions++;
    count->lanes += smc_lane_count(mask);
}

/* Until the part ends, parts or waits, or `limit` ops are run; returns how many were. */
static uint64_t run_part(struct smc_worker *worker, struct smc_warp *warp, int index,
                         uint64_t limit)
{
    const struct smc_op *ops = worker->launch->program->op;
    struct smc_part *part = &warp->part[index];
    uint64_t steps = 0;
    warp->current = index;
    while (steps < limit) {
        if (part->place == part->meet) {
            end_part(warp, index);
            return steps;
        }
        const struct smc_op *op = &ops[part->place];
        uint32_t mask = guarded(warp, op, part->mask);
        steps++;
        if (op->is_first && (mask || op->step_without_lanes))
            count_execution(worker, op, mask);
        if (op->alu) {
            if (mask)
                run_alu(warp, op, mask);
            part->place++;
            continue;
        }
        enum smc_next next = SMC_GO_ON;
        if (op->step && (mask || op->step_without_lanes))
            next = op->step(worker, warp, op, mask);
        if (next == SMC_GO_ON) {
            part->place++;
            continue;
        }
        worker->gave_up |= next == SMC_GIVES_UP;
        if (next != SMC_MOVED || warp->current != index || !(warp->used >> index & 1) ||
            part->state != SMC_PART_READY)
            return steps;
    }
    return steps;
}

bool smc_warp_run(struct smc_worker *worker, struct smc_warp *warp)
{
    uint64_t steps = 0;
    int index;
    for (uint64_t limit = SLICE; limit <= TURN; limit += SLICE) {
        while (steps < limit && !worker->gave_up && warp->live && (index = pick(warp)) >= 0)
            steps += run_part(worker, warp, index, limit - steps);
        if (steps < limit || smc_launch_stops(worker->launch))
            break;
    }
    warp->steps += steps;
    return steps > 0;
}
