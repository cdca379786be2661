/* The list of a worker's asynchronous operations: see pending.h. */
#include "machine/emulator/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/order.h"

struct smc_pending *smc_pending_add(struct smc_worker *worker, const struct smc_issuer *by,
                                    smc_walk *walk, const void *operands, size_t bytes)
{
    struct smc_pending *pending = smc_malloc(sizeof *pending + bytes), **last = &worker->pending;
    if (!pending) {
        worker->out_of_memory = true;
        return NULL;
    }
    *pending = (struct smc_pending){.by = *by, .op = *by->op, .walk = walk};
    pending->by.op = &pending->op;
    pending->by.kept = &pending->kept;
    memcpy(pending->operands, operands, bytes);
    while (*last)
        last = &(*last)->next;
    *last = pending;
    return pending;
}

static void pending_walk(struct smc_pending *pending, enum smc_walk_step step)
{
    pending->by.step = step;
    pending->kept.at = 0;
    pending->walk(&pending->by, pending->operands);
}

void smc_pending_move(struct smc_pending *pending)
{
    pending_walk(pending, pending->kept.data ? SMC_WALK_WRITES : SMC_WALK_MOVES);
}

/* Copies what is moved later. */
static void pending_read(struct smc_worker *worker, struct smc_pending *pending)
{
    if (pending->kept.data || pending->kept.bytes == 0)
        return;
    pending->kept.data = smc_calloc(pending->kept.bytes, 1);
    worker->out_of_memory |= !pending->kept.data;
    if (pending->kept.data)
        pending_walk(pending, SMC_WALK_READS);
}

void smc_pending_remove(struct smc_pending **place)
{
    struct smc_pending *pending = *place;
    *place = pending->next;
    free(pending->kept.data);
    free(pending);
}

/* Of the unit, up to `last`; NULL: nothing. */
static void finish_until(struct smc_worker *worker, uint32_t unit, const struct smc_pending *last,
                         bool reads_only)
{
    bool is_last = !last;
    for (struct smc_pending **place = &worker->pending; !is_last;) {
        struct smc_pending *pending = *place;
        is_last = pending == last;
        if (pending->unit != unit) {
            place = &pending->next;
        } else if (reads_only) {
            pending_read(worker, pending);
            place = &pending->next;
        } else {
            smc_pending_move(pending);
            smc_pending_remove(place);
            worker->changes++;
        }
    }
}

/* Products have no warp: they are those of all of the unit's. */
static bool is_waited_for(const struct smc_pending *pending, const struct smc_group_wait *wait)
{
    return pending->unit == wait->unit && pending->group < wait->groups &&
           (!pending->by.warp ||
            (pending->by.warp == wait->warp && pending->by.lane == wait->lane));
}

void smc_pending_finish(struct smc_worker *worker, const struct smc_group_wait *wait)
{
    const struct smc_pending *last = NULL;
    for (const struct smc_pending *at = worker->pending; at; at = at->next)
        last = is_waited_for(at, wait) ? at : last;
    finish_until(worker, wait->unit, last, wait->reads_only);
}

void smc_pending_finish_uses(struct smc_worker *worker, uint32_t unit,
                             bool (*uses)(const struct smc_pending *pending, const void *context),
                             const void *context)
{
    const struct smc_pending *last = NULL;
    for (const struct smc_pending *at = worker->pending; at; at = at->next)
        last = at->unit == unit && uses(at, context) ? at : last;
    finish_until(worker, unit, last, false);
}

static bool has_begun(const struct smc_op *op, uint32_t lanes, uint32_t begun_at, uint32_t lane,
                      uint32_t instruction, uint32_t when)
{
    return op->instruction == instruction && begun_at == when && lanes >> lane & 1;
}

uint32_t smc_copy_waited_at(const struct smc_worker *worker, uint32_t thread, uint32_t instruction,
                            uint32_t begun_at)
{
    const struct smc_warp *warp = &worker->warp[thread / SMC_LANES];
    const uint32_t lane = thread % SMC_LANES;
    for (const struct smc_copy *at = warp->copies; at; at = at->next)
        if (has_begun(at->op, at->mask, at->begun_at, lane, instruction, begun_at))
            return UINT32_MAX;
    for (const struct smc_pending *at = worker->pending; at; at = at->next)
        if (at->by.warp == warp && !at->is_done &&
            has_begun(&at->op, at->to ? at->to_lanes : 1u << at->by.lane, at->by.begun_at, lane,
                      instruction, begun_at))
            return UINT32_MAX;
    for (uint32_t i = 0; i < SMC_WAITED_COPIES; i++)
        if (warp->waited[i].begun_at == begun_at)
            return warp->waited[i].waited_at;
    return 0;
}

void smc_pending_finish_bulk(struct smc_worker *worker)
{
    const struct smc_pending *last = NULL;
    for (const struct smc_pending *at = worker->pending; at; at = at->next)
        last = at->unit == SMC_BULK_UNIT ? at : last;
    finish_until(worker, SMC_BULK_UNIT, last, false);
}

void smc_pending_end_block(struct smc_worker *worker)
{
    smc_pending_finish_bulk(worker);
    while (worker->pending)
        smc_pending_remove(&worker->pending);
}
