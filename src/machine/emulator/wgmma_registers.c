/* The registers of wgmma. Between wgmma.mma_async and the wgmma.wait_group for its group, its
   accumulators may be neither read nor written, and registers that hold a part of a may not be
   written (PTX ISA 9.0, 9.7.15 "wgmma.mma_async"). A compiler may move values between registers
   meanwhile, as ptxas does not keep these moves: a copy of an accumulator must not be used
   either, and is made when the product is computed (pending.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_steps.h"
#include "machine/emulator/order.h"
#include "machine/emulator/pending.h"

enum { SLOT_UNIT = 64, MOST_TURNS = 16 };

static uint32_t index_of(uint32_t slot)
{
    return slot / SLOT_UNIT;
}

static bool is_product(const struct smc_op *op)
{
    return op->is_of_warpgroup;
}

/* --- Which ops -------------------------------------------------------------------------------- */

static bool is_marked(void *context, uint32_t slot)
{
    const bool *marked = context;
    return slot != 0 && marked[index_of(slot)];
}

/* Marks the registers of products, and those they are copied to. */
static void mark_registers(const struct smc_program *program, bool *marked)
{
    bool changed = true;
    for (size_t i = 0; i < program->ops; i++)
        for (uint32_t n = 0; is_product(&program->op[i]) && n < program->op[i].listed; n++)
            marked[index_of(program->op[i].list[n])] = true;
    for (int turn = 0; changed && turn < MOST_TURNS; turn++) {
        changed = false;
        for (size_t i = 0; i < program->ops; i++) {
            const struct smc_op *op = &program->op[i];
            if (!smc_op_is_move(op) || marked[index_of(op->d)] || !is_marked(marked, op->a))
                continue;
            marked[index_of(op->d)] = changed = true;
        }
    }
}

bool *smc_wgmma_registers_find_ops(const struct smc_program *program)
{
    smc_auto_free bool *marked = smc_calloc(index_of(program->file_bytes) + 1, sizeof *marked);
    bool *found = smc_calloc(program->ops + 1, sizeof *found);
    if (marked && found) {
        mark_registers(program, marked);
        for (size_t i = 0; i < program->ops; i++)
            found[i] = !is_product(&program->op[i]) &&
                       (smc_op_sources(&program->op[i], is_marked, marked) ||
                        smc_op_targets(&program->op[i], is_marked, marked));
    } else {
        free(found);
        found = NULL;
    }
    return found;
}

/* --- While the kernel runs -------------------------------------------------------------------- */

bool smc_wgmma_registers_new(struct smc_worker *worker, struct smc_warp *warp)
{
    const struct smc_program *program = worker->launch->program;
    if (!program->has_products || worker->launch->request->unchecked)
        return true;
    warp->use = smc_calloc(index_of(program->file_bytes) + 1, sizeof *warp->use);
    return warp->use != NULL;
}

void smc_wgmma_registers_begin_block(const struct smc_worker *worker, struct smc_warp *warp)
{
    if (warp->use)
        memset(warp->use, 0,
               (index_of(worker->launch->program->file_bytes) + 1) * sizeof *warp->use);
}

void smc_wgmma_registers_issue(struct smc_warp *warp, const struct smc_op *op)
{
    if (!warp->use)
        return;
    for (uint32_t i = 0; i < op->written; i++)
        warp->use[index_of(op->list[i])] =
            (struct smc_product_use){.group = warp->products.groups + 1, .place = op->instruction};
    for (uint32_t i = 0; i < op->matrix.a_registers; i++) {
        struct smc_product_use *use = &warp->use[index_of(op->list[op->written + i])];
        if (!use->group || use->is_read || use->is_copied || use->group <= warp->products.complete)
            *use = (struct smc_product_use){
                .group = warp->products.groups + 1, .place = op->instruction, .is_read = true};
    }
}

/* An op that is checked. */
struct product_access {
    struct smc_worker *worker;
    struct smc_warp *warp;
    const struct smc_op *op;
    uint32_t mask;
};

static struct smc_product_use *use_of(const struct product_access *access, uint32_t slot)
{
    struct smc_product_use *use = &access->warp->use[index_of(slot)];
    return use->group > access->warp->products.complete ? use : NULL;
}

static void products_report(const struct product_access *access, struct smc_product_use *use,
                            const char *how)
{
    const uint32_t thread = smc_thread_of(access->warp, (uint32_t)__builtin_ctz(access->mask));
    struct smc_finding finding = smc_finding_at(access->worker, SMC_FINDING_PENDING_PRODUCT,
                                                access->op->instruction, thread);
    finding.has_other = true;
    finding.other_instruction = use->place;
    smc_finding_set_other(access->worker, &finding, thread);
    snprintf(finding.note, sizeof finding.note,
             "%s before wgmma.wait_group has waited for the product", how);
    smc_find(access->worker, &finding);
    use->group = 0; /* reported once */
}

/* Whether the operation, a product or a move, uses the register of the access. */
struct register_of {
    const struct smc_warp *warp;
    uint32_t slot;
};

static bool is_slot(void *context, uint32_t slot)
{
    return slot == *(const uint32_t *)context;
}

static bool uses_register(const struct smc_pending *pending, const void *context)
{
    const struct register_of *wanted = context;
    uint32_t slot = wanted->slot;
    return (!pending->by.warp || pending->by.warp == wanted->warp) &&
           (smc_op_sources(&pending->op, is_slot, &slot) ||
            smc_op_targets(&pending->op, is_slot, &slot));
}

/* The register gets another value, which what is pending for the old one must not change. */
static void finish_uses(const struct product_access *access, uint32_t slot)
{
    const struct register_of wanted = {access->warp, slot};
    smc_pending_finish_uses(access->worker, smc_warpgroup_unit(access->warp), uses_register,
                            &wanted);
}

static bool walk_move(const struct smc_issuer *by, const void *operands)
{
    const uint32_t *mask = operands;
    smc_warp_compute(by->warp, by->op, *mask);
    return true;
}

/* Copies a register when the product is computed that it is of. */
static void move_later(const struct product_access *access, const struct smc_product_use *from)
{
    const struct smc_issuer by = {.worker = access->worker, .warp = access->warp, .op = access->op};
    struct smc_pending *pending =
        smc_pending_add(access->worker, &by, walk_move, &access->mask, sizeof access->mask);
    if (!pending)
        return;
    pending->unit = smc_warpgroup_unit(access->warp);
    pending->group = from->group - 1;
}

static bool wgmma_check_source(void *context, uint32_t slot)
{
    struct smc_product_use *use = use_of(context, slot);
    if (use && !use->is_read)
        products_report(context, use, "it is read");
    return false;
}

static bool check_target(void *context, uint32_t slot)
{
    struct smc_product_use *use = use_of(context, slot);
    if (use && !use->is_copied) {
        products_report(context, use, "it is written");
    } else if (use) {
        finish_uses(context, slot);
        use->group = 0;
    }
    return false;
}

bool smc_wgmma_registers_check(struct smc_worker *worker, struct smc_warp *warp,
                               const struct smc_op *op, uint32_t mask)
{
    struct product_access access = {worker, warp, op, mask};
    if (!warp->use || !mask)
        return true;
    if (!smc_op_is_move(op)) {
        smc_op_sources(op, wgmma_check_source, &access);
        smc_op_targets(op, check_target, &access);
        return true;
    }
    const struct smc_product_use *from = use_of(&access, op->a);
    struct smc_product_use *to = &warp->use[index_of(op->d)];
    if (from && !from->is_read) {
        move_later(&access, from);
        *to = *from;
        to->is_copied = true;
        return false;
    }
    if (use_of(&access, op->d))
        finish_uses(&access, op->d);
    to->group = 0;
    return true;
}
