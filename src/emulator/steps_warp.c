/* What lanes of a warp do together: shuffles, votes, matches, reductions. */
#include "emulator/runtime.h"
#include "emulator/steps.h"

/* The lanes that take part are here: those that are in the mask of the first one. 0: not yet. */
static uint32_t together(struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    uint32_t lane = (uint32_t)__builtin_ctz(mask);
    uint32_t need = ((const lane_u32 *)(warp->file + op->v[0]))[lane];
    return smc_warp_gather(warp, need);
}

static uint32_t guarded(const struct smc_warp *warp, const struct smc_op *op, uint32_t mask)
{
    if (op->guard == SMC_NO_SLOT)
        return mask;
    uint32_t holds = *(const lane_u32 *)(warp->file + op->guard);
    return mask & (op->guard_negated ? ~holds : holds);
}

static enum smc_next done(struct smc_warp *warp, uint32_t gathered)
{
    smc_warp_release(warp, gathered);
    return SMC_MOVED;
}

static void set_predicate(struct smc_warp *warp, uint32_t offset, uint32_t mask, uint32_t holds)
{
    lane_u32 *d = (lane_u32 *)(warp->file + offset);
    *d = (*d & ~mask) | (holds & mask);
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

enum smc_next smc_step_shuffle(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    uint32_t gathered = together(warp, op, mask), active = guarded(warp, op, gathered);
    const lane_u32 *a = (const lane_u32 *)(warp->file + op->a);
    const lane_u32 *b = (const lane_u32 *)(warp->file + op->b);
    const lane_u32 *c = (const lane_u32 *)(warp->file + op->c);
    uint32_t out[SMC_LANES], inside = 0;
    (void)worker;
    if (!gathered)
        return SMC_WAITS;
    EACH_ACTIVE(lane, active)
    {
        bool is_inside;
        out[lane] = a[source_lane(op, lane, b[lane], c[lane], &is_inside)];
        inside |= (uint32_t)is_inside << lane;
    }
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    EACH_ACTIVE(lane, active) d[lane] = out[lane];
    if (op->v[1] != SMC_NO_SLOT)
        set_predicate(warp, op->v[1], active, inside);
    return done(warp, gathered);
}

enum smc_next smc_step_vote(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    uint32_t gathered = together(warp, op, mask), active = guarded(warp, op, gathered);
    uint32_t holds = *(const lane_u32 *)(warp->file + op->a) & active;
    (void)worker;
    if (!gathered)
        return SMC_WAITS;
    if (op->reduction == SMC_REDUCE_BALLOT) {
        lane_u32 *d = (lane_u32 *)(warp->file + op->d);
        EACH_ACTIVE(lane, active) d[lane] = holds;
        return done(warp, gathered);
    }
    bool answer = op->reduction == SMC_REDUCE_AND  ? holds == active
                  : op->reduction == SMC_REDUCE_OR ? holds != 0
                                                   : holds == 0 || holds == active;
    set_predicate(warp, op->d, active, answer ? SMC_ALL_LANES : 0);
    return done(warp, gathered);
}

enum smc_next smc_step_active_mask(struct smc_worker *worker, struct smc_warp *warp,
                                   const struct smc_op *op, uint32_t mask)
{
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    (void)worker;
    EACH_ACTIVE(lane, mask) d[lane] = mask;
    return SMC_GO_ON;
}

static uint64_t lane_value(const struct smc_warp *warp, const struct smc_op *op, uint32_t lane)
{
    const char *file = warp->file + op->a;
    return op->width_bytes == 8 ? ((const lane_u64 *)file)[lane] : ((const lane_u32 *)file)[lane];
}

enum smc_next smc_step_match(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    uint32_t gathered = together(warp, op, mask), active = guarded(warp, op, gathered);
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    uint32_t out[SMC_LANES];
    bool all = op->reduction == SMC_REDUCE_AND;
    (void)worker;
    if (!gathered)
        return SMC_WAITS;
    EACH_ACTIVE(lane, active)
    {
        out[lane] = 0;
        EACH_ACTIVE(other, active)
        out[lane] |= (uint32_t)(lane_value(warp, op, other) == lane_value(warp, op, lane)) << other;
    }
    EACH_ACTIVE(lane, active) d[lane] = all && out[lane] != active ? 0 : out[lane];
    if (op->v[1] != SMC_NO_SLOT && active) {
        uint32_t first = (uint32_t)__builtin_ctz(active);
        set_predicate(warp, op->v[1], active, out[first] == active ? SMC_ALL_LANES : 0);
    }
    return done(warp, gathered);
}

static uint32_t combined(const struct smc_op *op, uint32_t x, uint32_t y)
{
    bool is_signed = smc_ptx_type_info[op->type].class == SMC_CLASS_SIGNED;
    bool below = is_signed ? (int32_t)x < (int32_t)y : x < y;
    switch (op->reduction) {
    case SMC_REDUCE_ADD:
        return x + y;
    case SMC_REDUCE_MIN:
        return below ? x : y;
    case SMC_REDUCE_MAX:
        return below ? y : x;
    case SMC_REDUCE_AND:
        return x & y;
    case SMC_REDUCE_OR:
        return x | y;
    default:
        return x ^ y;
    }
}

enum smc_next smc_step_reduce(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    uint32_t gathered = together(warp, op, mask), active = guarded(warp, op, gathered);
    const lane_u32 *a = (const lane_u32 *)(warp->file + op->a);
    lane_u32 *d = (lane_u32 *)(warp->file + op->d);
    (void)worker;
    if (!gathered)
        return SMC_WAITS;
    if (active) {
        uint32_t result = a[__builtin_ctz(active)];
        EACH_ACTIVE(lane, active & (active - 1)) result = combined(op, result, a[lane]);
        EACH_ACTIVE(lane, active) d[lane] = result;
    }
    return done(warp, gathered);
}
