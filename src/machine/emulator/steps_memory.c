/* Loads, stores, atomic operations and asynchronous copies. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/clusters.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/pending.h"
#include "machine/emulator/shadow.h"
#include "machine/emulator/unset_values.h"
#include "machine/narrow.h"

/* --- Loads and stores ------------------------------------------------------------------------- */

#define FETCH(type_t, lane_t)                                                                      \
    do {                                                                                           \
        lane_t *to = (lane_t *)d;                                                                  \
        if (mask == SMC_ALL_LANES)                                                                 \
            for (unsigned lane = 0; lane < SMC_LANES; lane++) {                                    \
                type_t value;                                                                      \
                memcpy(&value, host[lane] + offset, sizeof value);                                 \
                to[lane] = (lane_t)value;                                                          \
            }                                                                                      \
        else                                                                                       \
            EACH_ACTIVE(lane, mask) {                                                              \
                type_t value;                                                                      \
                memcpy(&value, host[lane] + offset, sizeof value);                                 \
                to[lane] = (lane_t)value;                                                          \
            }                                                                                      \
    } while (0)

#define FETCH_CASE(bytes, is_signed, is_wide, type_t, lane_t)                                      \
    case (bytes)*4 + (is_signed)*2 + (is_wide):                                                    \
        FETCH(type_t, lane_t);                                                                     \
        break;

/* Loads one element of each lane; narrow ones are sign- or zero-extended, depending on their
   type. */
static void steps_memory_fetch(const struct smc_op *op, char *d, enum smc_slot_kind kind,
                               uint32_t offset, uint32_t mask, char *const host[SMC_LANES])
{
    bool is_signed = smc_ptx_type_info[op->type].class == SMC_CLASS_SIGNED;
    bool wide = kind == SMC_SLOT_64;
    switch (op->width_bytes * 4 + is_signed * 2 + wide) {
        FETCH_CASE(1, 0, 0, uint8_t, lane_u32)
        FETCH_CASE(1, 0, 1, uint8_t, lane_u64)
        FETCH_CASE(1, 1, 0, int8_t, lane_s32)
        FETCH_CASE(1, 1, 1, int8_t, lane_s64)
        FETCH_CASE(2, 0, 0, uint16_t, lane_u32)
        FETCH_CASE(2, 0, 1, uint16_t, lane_u64)
        FETCH_CASE(2, 1, 0, int16_t, lane_s32)
        FETCH_CASE(2, 1, 1, int16_t, lane_s64)
        FETCH_CASE(4, 0, 1, uint32_t, lane_u64)
        FETCH_CASE(4, 1, 1, int32_t, lane_s64)
        FETCH_CASE(8, 0, 1, uint64_t, lane_u64)
        FETCH_CASE(8, 1, 1, uint64_t, lane_u64)
    default:
        FETCH(uint32_t, lane_u32);
    }
}

/* The same for a load that was executed before, by all lanes. */
#define DEFINE_FETCH_ALL(name, lane_t)                                                             \
    SMC_FOR_EACH_CPU static void name(char *d, const char *first,                                  \
                                      const struct smc_lane_layout *layout)                        \
    {                                                                                              \
        _Pragma("GCC unroll 4") for (unsigned lane = 0; lane < SMC_LANES; lane += 8)               \
        {                                                                                          \
            lane_t *to = (lane_t *)d + lane, value;                                                \
            const char *from = first + layout->base[lane / 8];                                     \
            if (layout->eight[lane / 8] == SMC_EIGHT_NEIGHBORS) {                                  \
                memcpy(to, from, 8 * sizeof value);                                                \
            } else if (layout->eight[lane / 8] == SMC_EIGHT_SAME) {                                \
                memcpy(&value, from, sizeof value);                                                \
                for (unsigned i = 0; i < 8; i++)                                                   \
                    to[i] = value;                                                                 \
            } else {                                                                               \
                for (unsigned i = 0; i < 8; i++)                                                   \
                    memcpy(&to[i], first + layout->delta[lane + i], sizeof value);                 \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_FETCH_ALL(fetch_all_32, lane_u32)
DEFINE_FETCH_ALL(fetch_all_64, lane_u64)

static void fetch_again(const struct smc_op *op, char *d, enum smc_slot_kind kind, uint32_t mask,
                        const char *first, const struct smc_lane_layout *layout)
{
    char *host[SMC_LANES];
    if (mask == SMC_ALL_LANES && op->width_bytes == 4 && kind == SMC_SLOT_32) {
        fetch_all_32(d, first, layout);
        return;
    }
    if (mask == SMC_ALL_LANES && op->width_bytes == 8 && kind == SMC_SLOT_64) {
        fetch_all_64(d, first, layout);
        return;
    }
    EACH_LANE(i)
        host[i] = (char *)((uintptr_t)first + (uintptr_t)layout->delta[i]);
    steps_memory_fetch(op, d, kind, 0, mask, host);
}

/* A load may have found unset values. */
static enum smc_next end_load(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op)
{
    if (!worker->unset.any)
        return SMC_GO_ON;
    smc_unset_begin(worker, warp, op);
    return warp->has_unset ? SMC_FOLLOWS : SMC_GO_ON;
}

/* Whether a lane's memory is not the block's own shared memory: other blocks may store there. */
static bool is_beyond_block(const struct smc_worker *worker, char *const *host, uint32_t mask)
{
    const uintptr_t begin = (uintptr_t)worker->shared;
    const uintptr_t at = mask ? (uintptr_t)host[__builtin_ctz(mask)] : begin;
    return at - begin >= worker->launch->smem_bytes && mask;
}

enum smc_next smc_step_load(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES];
    const struct smc_lane_layout *layout;
    const char *first = smc_memory_load_again(worker, warp, op, mask, &layout);
    if (first) {
        for (uint32_t i = 0; i < op->vector; i++)
            if (op->v[i] != SMC_NO_SLOT)
                fetch_again(op, warp->file + op->v[i], op->v_kind[i], mask,
                            first + (size_t)i * op->width_bytes, layout);
        return end_load(worker, warp, op);
    }
    mask = smc_memory_access(
        worker, warp,
        &(struct smc_warp_access){.op = op, .kind = SMC_READS, .mask = mask, .host = host});
    worker->polls += op->is_strong;
    worker->polls_beyond += op->is_strong && is_beyond_block(worker, host, mask);
    for (uint32_t i = 0; i < op->vector; i++)
        if (op->v[i] != SMC_NO_SLOT)
            steps_memory_fetch(op, warp->file + op->v[i], op->v_kind[i], i * op->width_bytes, mask,
                               host);
    return end_load(worker, warp, op);
}

/* The location of each lane's new value: the register itself, or a buffer that joins several. */
static void steps_memory_gather(const struct smc_warp *warp, const struct smc_op *op,
                                char joined[SMC_LANES][32], const void *value[SMC_LANES])
{
    for (uint32_t i = 0; i < op->vector; i++) {
        const char *file = warp->file + op->v[i];
        uint32_t lane_bytes = op->v_kind[i] == SMC_SLOT_64 ? 8 : 4;
        for (unsigned lane = 0; lane < SMC_LANES; lane++) {
            value[lane] = file + (size_t)lane * lane_bytes;
            if (op->vector > 1)
                memcpy(joined[lane] + (size_t)i * op->width_bytes, value[lane], op->width_bytes);
        }
    }
    for (unsigned lane = 0; lane < SMC_LANES && op->vector > 1; lane++)
        value[lane] = joined[lane];
}

/* Stores one element of each lane, in the order of the lanes. */
static void steps_memory_put(const char *file, uint32_t lane_bytes, uint32_t bytes, uint32_t mask,
                             char *first, const struct smc_lane_layout *layout)
{
    if (bytes == 4 && lane_bytes == 4) {
        EACH_ACTIVE(lane, mask)
            memcpy(first + layout->delta[lane], file + (size_t)lane * 4, 4);
        return;
    }
    EACH_ACTIVE(lane, mask)
        memcpy(first + layout->delta[lane], file + (size_t)lane * lane_bytes, bytes);
}

/* For a store that was executed before. False: nothing happened. */
static bool store_again(struct smc_worker *worker, struct smc_warp *warp, const struct smc_op *op,
                        uint32_t mask)
{
    struct smc_again again;
    char *first = smc_memory_store_again(worker, warp, op, mask, &again);
    if (!first)
        return false;
    for (uint32_t i = 0; i < op->vector; i++)
        steps_memory_put(warp->file + op->v[i], op->v_kind[i] == SMC_SLOT_64 ? 8 : 4,
                         op->width_bytes, mask, first + (size_t)i * op->width_bytes, again.layout);
    if (again.places)
        smc_shadow_written(worker, warp, op, again.first, again.places, first);
    return true;
}

/* Whose turn is next of the lanes that are left. */
static uint32_t next_lane(const struct smc_worker *worker, uint32_t left)
{
    return (uint32_t)(worker->launch->request->reversed ? 31 - __builtin_clz(left)
                                                        : __builtin_ctz(left));
}

enum smc_next smc_step_store(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES], joined[SMC_LANES][32];
    const void *value[SMC_LANES] = {0};
    uint32_t bytes = smc_op_bytes(op);
    worker->changes++;
    if (store_again(worker, warp, op, mask))
        return SMC_GO_ON;
    steps_memory_gather(warp, op, joined, value);
    mask = smc_memory_access(
        worker, warp,
        &(struct smc_warp_access){
            .op = op, .kind = SMC_WRITES, .mask = mask, .value = value, .host = host});
    if (worker->launch->request->reversed)
        for (uint32_t left = mask, lane; left; left &= ~(1u << lane)) {
            lane = next_lane(worker, left);
            memcpy(host[lane], value[lane], bytes);
        }
    else if (bytes == 4)
        EACH_ACTIVE(lane, mask)
            memcpy(host[lane], value[lane], 4);
    else
        EACH_ACTIVE(lane, mask)
            memcpy(host[lane], value[lane], bytes);
    return SMC_GO_ON;
}

/* --- Atomic operations: one lane after another ------------------------------------------------ */

static uint64_t lane_bits(const struct smc_warp *warp, uint32_t offset, uint32_t bytes,
                          uint32_t lane)
{
    const char *file = warp->file + offset;
    return bytes == 8 ? ((const lane_u64 *)file)[lane] : ((const lane_u32 *)file)[lane];
}

static const struct smc_narrow *half_format(enum smc_ptx_type type)
{
    return type == SMC_PTX_BF16 || type == SMC_PTX_BF16X2 ? &smc_bfloat : &smc_half;
}

/* Each half of a pair by itself; of a single one the upper halves are 0. */
static uint64_t add_halves(enum smc_ptx_type type, uint64_t a, uint64_t b)
{
    const struct smc_narrow *format = half_format(type);
    uint64_t sum = 0;
    for (unsigned bit = 0; bit < 8u * smc_ptx_type_info[type].bytes; bit += 16) {
        double x = smc_of_narrow(format, a >> bit & 0xffff);
        double y = smc_of_narrow(format, b >> bit & 0xffff);
        sum |= (uint64_t)smc_to_narrow(format, smc_sum_to_odd(x, y)) << bit;
    }
    return sum;
}

static uint64_t add_floats(enum smc_ptx_type type, uint64_t a, uint64_t b)
{
    if (smc_ptx_is_half(type))
        return add_halves(type, a, b);
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

/* The magnitude of a float, or of both halves of a pair together. */
static double magnitude_of(enum smc_ptx_type type, uint64_t bits)
{
    double wide;
    float narrow;
    if (smc_ptx_is_half(type)) {
        const struct smc_narrow *format = half_format(type);
        double low = smc_of_narrow(format, bits & 0xffff);
        double high = smc_of_narrow(format, bits >> 16 & 0xffff);
        return fabs(low) + (smc_ptx_type_info[type].bytes == 4 ? fabs(high) : 0);
    }
    memcpy(&wide, &bits, sizeof wide);
    memcpy(&narrow, &bits, sizeof narrow); /* the low bytes come first */
    return fabs(type == SMC_PTX_F64 ? wide : (double)narrow);
}

static double roundoff_of(enum smc_ptx_type type)
{
    return smc_ptx_is_half(type) ? ldexp(1, -half_format(type)->digits)
           : type == SMC_PTX_F64 ? DBL_EPSILON / 2
                                 : (double)FLT_EPSILON / 2;
}

static void add_to_sum(enum smc_ptx_type type, uint64_t old, uint64_t b, struct smc_float_sum *sum)
{
    double roundoff = roundoff_of(type);
    if (sum->adds++ == 0)
        sum->magnitude = magnitude_of(type, old);
    sum->magnitude += magnitude_of(type, b);
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

/* A kernel with atomics on global memory runs on one worker, so no other worker updates the same
   sums. */
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

/* --- Atomic operations ------------------------------------------------------------------------ */

/* Extends a value to 64 bits by its type, so that one comparison works for all types. */
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

uint64_t smc_reduced(const struct smc_op *op, uint64_t a, uint64_t b)
{
    return updated(op, a, b, b);
}

void smc_atomic_update(struct smc_worker *worker, const struct smc_op *op, char *host, uint64_t b)
{
    const uint32_t bytes = smc_ptx_type_info[op->type].bytes;
    uint64_t old = 0;
    memcpy(&old, host, bytes);
    const uint64_t new = updated(op, old, b, b);
    if (op->reduction == SMC_REDUCE_ADD && smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT)
        note_add(worker, host, op->type, old, b);
    worker->changes += new != old;
    memcpy(host, &new, bytes);
}

enum smc_next smc_step_atomic(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    char *host[SMC_LANES];
    uint32_t bytes = op->width_bytes;
    bool adds_floats =
        op->reduction == SMC_REDUCE_ADD && smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT;
    mask = smc_memory_access(
        worker, warp,
        &(struct smc_warp_access){.op = op, .kind = SMC_UPDATES, .mask = mask, .host = host});
    worker->polls++;
    worker->polls_beyond += is_beyond_block(worker, host, mask);
    for (uint32_t left = mask, lane; left; left &= ~(1u << lane)) {
        lane = next_lane(worker, left);
        uint64_t old = 0, b = lane_bits(warp, op->b, bytes, lane);
        uint64_t c = lane_bits(warp, op->c, bytes, lane);
        memcpy(&old, host[lane], bytes);
        uint64_t new = updated(op, old, b, c);
        if (adds_floats)
            note_add(worker, host[lane], op->type, old, b);
        worker->changes += new != old;
        memcpy(host[lane], &new, bytes);
        if (op->d_kind == SMC_SLOT_64)
            ((lane_u64 *)(warp->file + op->d))[lane] = old;
        else if (op->d_kind == SMC_SLOT_32)
            ((lane_u32 *)(warp->file + op->d))[lane] = (uint32_t)old;
    }
    return SMC_GO_ON;
}

/* --- cp.async --------------------------------------------------------------------------------- */

/* Data is read and stored only when its thread waits for it, so that a read too early finds the old
   value. Groups are counted per warp. */

void smc_copies_forget(struct smc_warp *warp)
{
    while (warp->copies) {
        struct smc_copy *next = warp->copies->next;
        free(warp->copies);
        warp->copies = next;
    }
    warp->copy_group = 0;
    warp->waits = 0;
    memset(warp->waited, 0, sizeof warp->waited);
}

/* Lanes that copy the same number of bytes as the first lane of `mask`. */
static uint32_t lanes_alike(const lane_u32 *bytes, uint32_t mask)
{
    uint32_t alike = 0, first = (uint32_t)__builtin_ctz(mask);
    EACH_ACTIVE(lane, mask)
        alike |= (uint32_t)(bytes[lane] == bytes[first]) << lane;
    return alike;
}

static uint32_t read_from(struct smc_worker *worker, struct smc_warp *warp,
                          const struct smc_op *read, struct smc_copy *copy, uint32_t mask,
                          char *host[SMC_LANES])
{
    const struct smc_warp_access access = {.op = read,
                                           .kind = SMC_READS,
                                           .space = SMC_SPACE_GLOBAL,
                                           .mask = mask,
                                           .address = copy->from,
                                           .host = host};
    smc_memory_addresses(warp, read, copy->from);
    mask = smc_memory_access_at(worker, warp, &access);
    if (read->skips_l1 && mask)
        smc_count_copy(worker, read, copy->from, copy->to, mask);
    return mask;
}

/* Checks what each lane will read. Returns the lanes with valid accesses. */
static uint32_t fetch_copy(struct smc_worker *worker, struct smc_warp *warp,
                           const struct smc_op *op, uint32_t mask, struct smc_copy *copy)
{
    const lane_u32 *wanted = (const lane_u32 *)(warp->file + op->c);
    uint32_t fetched = 0;
    for (uint32_t left = mask; left;) {
        uint32_t alike = lanes_alike(wanted, left), bytes = wanted[__builtin_ctz(left)];
        char *host[SMC_LANES];
        struct smc_op read = *op;
        left &= ~alike;
        read.a = op->b;
        read.immediate = op->source_offset;
        read.address_is_32 = false;
        read.space = SMC_SPACE_GLOBAL;
        bytes = bytes < op->width_bytes ? bytes : op->width_bytes;
        while (read.width_bytes > 1 && read.width_bytes / 2 >= bytes)
            read.width_bytes /= 2;
        if (bytes > 0)
            alike = read_from(worker, warp, &read, copy, alike, host);
        EACH_ACTIVE(lane, alike)
            copy->bytes[lane] = (uint8_t)bytes;
        fetched |= alike;
    }
    return fetched;
}

enum smc_next smc_step_copy(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    struct smc_copy *copy = smc_calloc(1, sizeof *copy), **last = &warp->copies;
    if (!copy) {
        worker->out_of_memory = true;
        return SMC_GIVES_UP;
    }
    copy->op = op;
    copy->group = warp->copy_group;
    smc_memory_addresses(warp, op, copy->to);
    copy->mask = fetch_copy(worker, warp, op, mask, copy);
    copy->begun_at = worker->shadow ? smc_shadow_now(worker->shadow) : 0;
    if (worker->shadow && copy->mask)
        smc_shadow_check_copy(worker, warp, op, copy->to, copy->mask);
    while (*last)
        last = &(*last)->next;
    *last = copy;
    return SMC_GO_ON;
}

/* Checks the stores of a copy. Returns the lanes with valid ones. */
static uint32_t check_stores(struct smc_worker *worker, struct smc_warp *warp,
                             const struct smc_copy *copy)
{
    char *host[SMC_LANES];
    const struct smc_warp_access access = {.op = copy->op,
                                           .kind = SMC_WRITES,
                                           .space = SMC_SPACE_SHARED,
                                           .mask = copy->mask,
                                           .address = copy->to,
                                           .from = copy->from,
                                           .host = host};
    return copy->mask ? smc_memory_access_at(worker, warp, &access) : 0;
}

static bool walk_copy(const struct smc_issuer *by, const void *operands)
{
    const struct smc_copy *copy = operands;
    const uint32_t bytes = copy->op->width_bytes;
    uint64_t room = 0;
    EACH_ACTIVE(lane, copy->mask) {
        char *to = by->worker->shared + copy->to[lane] % SMC_CLUSTER_STRIDE;
        const char *from = smc_memory_peek(by->worker, by->warp, lane, copy->from[lane], &room);
        memset(to, 0, bytes);
        if (from && room >= copy->bytes[lane])
            memcpy(to, from, copy->bytes[lane]);
    }
    return true;
}

static void store_copy(struct smc_worker *worker, struct smc_warp *warp, struct smc_copy *copy)
{
    const struct smc_issuer by = {.worker = worker, .warp = warp, .op = copy->op};
    copy->mask = check_stores(worker, warp, copy);
    walk_copy(&by, copy);
}

/* Takes the lanes of `mask` out of the first copy that has any. False: there is none. */
static bool take_copy(struct smc_warp *warp, uint32_t mask, struct smc_copy *taken)
{
    struct smc_copy **place = &warp->copies;
    while (*place && !((*place)->mask & mask))
        place = &(*place)->next;
    struct smc_copy *copy = *place;
    if (!copy)
        return false;
    *taken = *copy;
    taken->mask &= mask;
    copy->mask &= ~mask;
    if (!copy->mask) {
        *place = copy->next;
        free(copy);
    }
    return true;
}

void smc_copies_complete(struct smc_worker *worker, struct smc_warp *warp, uint32_t mask)
{
    struct smc_copy copy;
    while (take_copy(warp, mask, &copy))
        store_copy(worker, warp, &copy);
}

struct smc_pending *smc_copies_later(struct smc_worker *worker, struct smc_warp *warp,
                                     uint32_t mask)
{
    struct smc_copy copy;
    if (!take_copy(warp, mask, &copy))
        return NULL;
    copy.mask = check_stores(worker, warp, &copy);
    const struct smc_issuer by = {
        .worker = worker, .warp = warp, .op = copy.op, .begun_at = copy.begun_at};
    struct smc_pending *pending = smc_pending_add(worker, &by, walk_copy, &copy, sizeof copy);
    if (!pending)
        return NULL;
    pending->to = ((const struct smc_copy *)(const void *)pending->operands)->to;
    pending->to_lanes = copy.mask;
    pending->to_bytes = copy.op->width_bytes;
    return pending;
}

enum smc_next smc_step_commit(struct smc_worker *worker, struct smc_warp *warp,
                              const struct smc_op *op, uint32_t mask)
{
    (void)worker, (void)op, (void)mask;
    warp->copy_group++;
    return SMC_GO_ON;
}

enum smc_next smc_step_wait(struct smc_worker *worker, struct smc_warp *warp,
                            const struct smc_op *op, uint32_t mask)
{
    (void)mask;
    while (warp->copies && (op->immediate == SMC_WAIT_FOR_ALL ||
                            warp->copies->group + op->immediate < warp->copy_group)) {
        struct smc_copy *copy = warp->copies;
        store_copy(worker, warp, copy);
        const struct smc_waited_copies now = {copy->begun_at,
                                              worker->shadow ? smc_shadow_now(worker->shadow) : 0};
        const struct smc_waited_copies *last = &warp->waited[(warp->waits - 1) % SMC_WAITED_COPIES];
        if (warp->waits == 0 || memcmp(last, &now, sizeof now) != 0)
            warp->waited[warp->waits++ % SMC_WAITED_COPIES] = now;
        warp->copies = copy->next;
        free(copy);
    }
    return SMC_GO_ON;
}
