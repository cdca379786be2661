/* Atomic operations: lane after lane, from the lowest. */
#include <math.h>
#include <string.h>

#include "emulator/runtime.h"
#include "emulator/steps.h"

static uint64_t lane_bits(const struct smc_warp *warp, uint32_t offset, uint32_t bytes,
                          uint32_t lane)
{
    const char *file = warp->file + offset;
    return bytes == 8 ? ((const lane_u64 *)file)[lane] : ((const lane_u32 *)file)[lane];
}

static uint64_t add_floats(enum smc_ptx_type type, uint64_t a, uint64_t b)
{
    if (type == SMC_PTX_F64) {
        double x, y;
        memcpy(&x, &a, sizeof x);
        memcpy(&y, &b, sizeof y);
        x += y;
        memcpy(&a, &x, sizeof x);
        return a;
    }
    float x, y;
    uint32_t bits;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&bits, &x, sizeof x);
    return isnan(x) ? 0x7fffffff : bits;
}

/* Widened by its type, so that one comparison serves all. */
static bool below(enum smc_ptx_type type, uint64_t a, uint64_t b)
{
    if (type == SMC_PTX_S32)
        return (int32_t)a < (int32_t)b;
    return type == SMC_PTX_S64 ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t updated(const struct smc_op *op, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op->reduction) {
    case SMC_REDUCE_ADD:
        return smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT ? add_floats(op->type, old, b)
                                                                    : old + b;
    case SMC_REDUCE_MIN:
        return below(op->type, b, old) ? b : old;
    case SMC_REDUCE_MAX:
        return below(op->type, old, b) ? b : old;
    case SMC_REDUCE_AND:
        return old & b;
    case SMC_REDUCE_OR:
        return old | b;
    case SMC_REDUCE_XOR:
        return old ^ b;
    case SMC_REDUCE_INC:
        return old >= b ? 0 : old + 1;
    case SMC_REDUCE_DEC:
        return old == 0 || old > b ? b : old - 1;
    case SMC_REDUCE_COMPARE_AND_SWAP:
        return old == b ? c : old;
    default:
        return b; /* exchange */
    }
}

enum smc_next smc_step_atomic(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES];
    uint32_t bytes = op->width_bytes;
    mask = smc_memory_access(worker, warp, op, SMC_UPDATES, mask, NULL, host);
    EACH_ACTIVE(lane, mask)
    {
        uint64_t old = 0, b = lane_bits(warp, op->b, bytes, lane);
        uint64_t c = lane_bits(warp, op->c, bytes, lane);
        memcpy(&old, host[lane], bytes);
        uint64_t new = updated(op, old, b, c);
        memcpy(host[lane], &new, bytes);
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)(warp->file + op->d))[lane] = old;
        else if (op->d_kind == SMC_SLOT_32)
            ((lane_u32 *)(warp->file + op->d))[lane] = (uint32_t)old;
    }
    return SMC_GO_ON;
}
