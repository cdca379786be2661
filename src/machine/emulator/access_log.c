/* The different accesses of a kernel to shared memory: see access_log.h. */
#include "machine/emulator/access_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_state.h"

static uint64_t access_log_hash_of(const struct smc_logged_access *access)
{
    uint64_t sum = (uint64_t)access->instruction << 32 | access->bound.unknown_step;
    uint32_t lanes = access->access.mask;
    for (uint32_t lane = 0; lane < SMC_WARP_LANES; lane++)
        lanes += access->access.address[lane] * (2 * lane * lane + 0x9e3779b1u);
    sum = (sum ^ lanes) * UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 29;
}

static bool access_log_is_same(const struct smc_logged_access *a, const struct smc_logged_access *b)
{
    return a->instruction == b->instruction && a->access.mask == b->access.mask &&
           a->access.width_bytes == b->access.width_bytes && a->access.op == b->access.op &&
           memcmp(a->access.address, b->access.address, sizeof a->access.address) == 0 &&
           a->bound.unknown_step == b->bound.unknown_step &&
           a->bound.line_bytes == b->bound.line_bytes &&
           a->bound.line_width == b->bound.line_width && a->bound.first == b->bound.first;
}

/* The slot of the access, or the free one where it belongs. */
static uint32_t *slot_of(const struct smc_access_log *log, const struct smc_logged_access *access)
{
    size_t at = (size_t)access_log_hash_of(access) & (log->slots - 1);
    while (log->slot[at] && !access_log_is_same(&log->item[log->slot[at] - 1], access))
        at = (at + 1) & (log->slots - 1);
    return &log->slot[at];
}

static bool access_log_grow(struct smc_access_log *log)
{
    size_t room = log->room ? 2 * log->room : 64;
    struct smc_logged_access *item = smc_realloc(log->item, room * sizeof *item);
    uint32_t *slot = smc_calloc(2 * room, sizeof *slot);
    log->item = item ? item : log->item;
    if (!item || !slot) {
        free(slot);
        log->failed = true;
        return false;
    }
    free(log->slot);
    log->slot = slot;
    log->slots = 2 * room;
    log->room = room;
    for (size_t i = 0; i < log->count; i++)
        *slot_of(log, &log->item[i]) = (uint32_t)i + 1;
    return true;
}

void smc_access_log_add(struct smc_access_log *log, const struct smc_logged_access *access)
{
    if (log->failed ||
        (log->count == log->room && log->count < SMC_MOST_LOGGED && !access_log_grow(log)))
        return;
    uint32_t *slot = slot_of(log, access);
    if (*slot)
        return;
    if (log->count == SMC_MOST_LOGGED) {
        log->is_full = true;
        return;
    }
    log->item[log->count++] = *access;
    *slot = (uint32_t)log->count;
}

void smc_access_log_merge(const struct smc_access_log *from, struct smc_access_log *into)
{
    into->is_full |= from->is_full;
    into->failed |= from->failed;
    for (size_t i = 0; i < from->count; i++)
        smc_access_log_add(into, &from->item[i]);
}

void smc_access_log_free(struct smc_access_log *log)
{
    free(log->item);
    free(log->slot);
    *log = (struct smc_access_log){0};
}

/* --- Accesses of a launch --------------------------------------------------------------------- */

void smc_log_access(struct smc_worker *worker, struct smc_logged_access *logged,
                    const uint64_t address[SMC_LANES])
{
    uint32_t *const to = logged->access.address, mask = logged->access.mask;
    if (worker->log->is_full || worker->log->failed)
        return;
    EACH_LANE(i)
        to[i] = mask & smc_lane_bit[i] ? (uint32_t)address[i] : 0;
    smc_access_log_add(worker->log, logged);
}

void smc_log_shared(struct smc_worker *worker, const struct smc_op *op, enum smc_bank_op kind,
                    const uint64_t address[SMC_LANES], uint32_t mask, uint32_t bytes)
{
    const bool is_atomic = op->kind == SMC_OP_ATOMIC;
    struct smc_logged_access logged = {
        .instruction = op->instruction,
        .is_uncounted = is_atomic,
        .access = {.mask = mask,
                   .width_bytes = bytes,
                   .op = is_atomic ? kind : smc_op_bank_op(op, kind, mask)},
    };
    smc_log_access(worker, &logged, address);
}
