/* Atomic operations: lane after lane, from the lowest. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
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

/* --- The order of additions ------------------------------------------------------------------- */

enum { CELL_BYTES = 4 };

double smc_float_sum_bound(const struct smc_float_sum *sum)
{
    double n = (double)sum->adds, error = n * sum->roundoff;
    double flushed = sum->roundoff > DBL_EPSILON ? n * (double)FLT_MIN : 0;
    return error < 1 ? 2 * error / (1 - error) * sum->magnitude + flushed : INFINITY;
}

static double float_of(enum smc_ptx_type type, uint64_t bits)
{
    double wide;
    float narrow;
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &bits, sizeof narrow); /* the low bytes come first */
    return type == SMC_PTX_F64 ? wide : (double)narrow;
}

static void add_to_sum(enum smc_ptx_type type, uint64_t old, uint64_t b, struct smc_float_sum *sum)
{
    double roundoff = type == SMC_PTX_F64 ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;
    if (sum->adds++ == 0)
        sum->magnitude = fabs(float_of(type, old));
    sum->magnitude += fabs(float_of(type, b));
    if (roundoff > sum->roundoff)
        sum->roundoff = roundoff;
}

static void note_shared_add(struct smc_worker *worker, size_t cell, enum smc_ptx_type type,
                            uint64_t old, uint64_t b)
{
    size_t cells = worker->launch->smem_bytes / CELL_BYTES + 1;
    if (!worker->shared_sum)
        worker->shared_sum = smc_calloc(cells, sizeof *worker->shared_sum);
    worker->out_of_memory |= !worker->shared_sum;
    if (!worker->shared_sum)
        return;
    struct smc_shared_sum *sum = &worker->shared_sum[cell];
    if (sum->block != worker->block + 1)
        *sum = (struct smc_shared_sum){.block = worker->block + 1};
    add_to_sum(type, old, b, &sum->sum);
    worker->shared_bound = fmax(worker->shared_bound, smc_float_sum_bound(&sum->sum));
}

/* Such a kernel runs on one worker, so that nobody else is at the same sums. */
static void note_global_add(struct smc_worker *worker, const char *host, enum smc_ptx_type type,
                            uint64_t old, uint64_t b)
{
    const struct smc_launch_state *launch = worker->launch;
    for (size_t i = 0; i < launch->request->array_count; i++) {
        const struct smc_emulated_array *array = &launch->request->arrays[i];
        uintptr_t offset = (uintptr_t)host - (uintptr_t)array->data;
        if (offset >= array->bytes)
            continue;
        if (!launch->sum[i])
            launch->sum[i] = smc_calloc(array->bytes / CELL_BYTES + 1, sizeof **launch->sum);
        worker->out_of_memory |= !launch->sum[i];
        if (launch->sum[i])
            add_to_sum(type, old, b, &launch->sum[i][offset / CELL_BYTES]);
        return;
    }
}

static void note_add(struct smc_worker *worker, const char *host, enum smc_ptx_type type,
                     uint64_t old, uint64_t b)
{
    uintptr_t offset = (uintptr_t)host - (uintptr_t)worker->shared;
    worker->float_adds++;
    if (offset < worker->launch->smem_bytes)
        note_shared_add(worker, offset / CELL_BYTES, type, old, b);
    else
        note_global_add(worker, host, type, old, b);
}

/* --- Operations ------------------------------------------------------------------------------- */

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
    bool adds_floats =
        op->reduction == SMC_REDUCE_ADD && smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT;
    mask = smc_memory_access(worker, warp, op, SMC_UPDATES, mask, NULL, host);
    EACH_ACTIVE(lane, mask)
    {
        uint64_t old = 0, b = lane_bits(warp, op->b, bytes, lane);
        uint64_t c = lane_bits(warp, op->c, bytes, lane);
        memcpy(&old, host[lane], bytes);
        uint64_t new = updated(op, old, b, c);
        if (adds_floats)
            note_add(worker, host[lane], op->type, old, b);
        memcpy(host[lane], &new, bytes);
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)(warp->file + op->d))[lane] = old;
        else if (op->d_kind == SMC_SLOT_32)
            ((lane_u32 *)(warp->file + op->d))[lane] = (uint32_t)old;
    }
    return SMC_GO_ON;
}
