/* Branches, ends, barriers. */
#include "emulator/shadow.h"
#include "emulator/steps.h"

enum smc_next smc_step_branch(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    struct smc_part *part = &warp->part[warp->current];
    if (!mask)
        return SMC_GO_ON;
    if (mask == part->mask) {
        part->place = op->target;
        return SMC_MOVED;
    }
    const uint32_t place[] = {part->place + 1, op->target};
    const uint32_t masks[] = {part->mask & ~mask, mask};
    worker->count[op->instruction].divergent++;
    smc_warp_part(warp, op, place, masks, 2);
    return SMC_MOVED;
}

/* brx.idx: a holds the index. Lanes of one target go together; an index beyond the list is
   undefined, and ends the lane here with a finding. */
enum smc_next smc_step_indexed_branch(struct smc_worker *worker, struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask)
{
    struct smc_part *part = &warp->part[warp->current];
    const lane_u32 *index = (const lane_u32 *)(warp->file + op->a);
    uint32_t place[SMC_LANES + 1], masks[SMC_LANES + 1], count = 0;
    if (mask != part->mask) {
        place[count] = part->place + 1;
        masks[count++] = part->mask & ~mask;
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
        part->place = place[0];
        return SMC_MOVED;
    }
    worker->count[op->instruction].divergent++;
    smc_warp_part(warp, op, place, masks, count);
    return SMC_MOVED;
}

enum smc_next smc_step_exit(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    (void)worker, (void)op;
    bool all = mask == warp->part[warp->current].mask;
    smc_warp_end_lanes(warp, mask);
    return all ? SMC_MOVED : SMC_GO_ON;
}

enum smc_next smc_step_trap(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    struct smc_finding finding =
        smc_finding_at(worker, SMC_FINDING_TRAP, op->instruction, smc_thread_of(warp, lane));
    smc_find(worker, &finding);
    return SMC_GIVES_UP;
}

/* Instructions that the warp has run: a clock that counts, at least. */
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

/* The barrier that a names; all lanes must name one. */
static struct smc_barrier *barrier_of(struct smc_worker *worker, const struct smc_warp *warp,
                                      const struct smc_op *op, uint32_t mask, uint32_t *id)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    *id = ((const lane_u32 *)(warp->file + op->a))[lane] % SMC_BARRIERS;
    struct smc_barrier *barrier = &worker->barrier[*id];
    barrier->expected = op->b ? ((const lane_u32 *)(warp->file + op->b))[lane] : 0;
    barrier->instruction = op->instruction;
    return barrier;
}

/* A barrier that is to be reached by whole warps is reached by a part of one. */
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

static void arrive(struct smc_worker *worker, const struct smc_warp *warp, uint32_t mask,
                   struct smc_barrier *barrier)
{
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    barrier->lanes += lanes;
    barrier->slots += mask == warp->live ? SMC_LANES : lanes;
    barrier->warps |= 1u << warp->index;
    if (worker->shadow)
        barrier->arrived_at[warp->index] = smc_shadow_arrive(worker->shadow);
}

enum smc_next smc_step_barrier(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    uint32_t id;
    struct smc_barrier *barrier = barrier_of(worker, warp, op, mask, &id);
    struct smc_part *part = &warp->part[warp->current];
    check_whole(worker, warp, op, mask);
    arrive(worker, warp, mask, barrier);
    barrier->waiting |= 1u << warp->index;
    if (op->reduction != SMC_REDUCE_NONE) {
        uint32_t holds = *(const lane_u32 *)(warp->file + op->c);
        barrier->true_lanes += (uint32_t)__builtin_popcount(holds & mask);
    }
    part->state = SMC_PART_AT_BARRIER;
    part->barrier = id;
    return SMC_WAITS;
}

enum smc_next smc_step_arrive(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    uint32_t id;
    struct smc_barrier *barrier = barrier_of(worker, warp, op, mask, &id);
    check_whole(worker, warp, op, mask);
    arrive(worker, warp, mask, barrier);
    return SMC_GO_ON;
}

/* __syncwarp: a holds the lanes that take part. */
enum smc_next smc_step_sync_warp(struct smc_worker *worker, struct smc_warp *warp,
                                 const struct smc_op *op, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t need = ((const lane_u32 *)(warp->file + op->a))[lane];
    uint32_t gathered = smc_warp_gather(warp, need);
    if (!gathered)
        return SMC_WAITS;
    if (worker->shadow)
        smc_shadow_sync_lanes(worker->shadow, warp, gathered);
    smc_warp_release(warp, gathered);
    return SMC_MOVED;
}
