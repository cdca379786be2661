/* How an emulated launch stands to what a GPU computes: how many of its instructions return a GPU's
   bits, and how far values of the others may have come. Which values those are follows from the
   instructions that were executed, whatever their order, with memory of one space as one value:
   what may have reached a place is said, not what has. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "machine/emulator/emulator_program.h"

enum { SLOT_UNIT = 64, SPACES = 3 };

/* What may depend on an instruction that is not exact. */
struct fidelity_flow {
    const struct smc_program *program;
    const struct smc_emulation *emulation;
    struct smc_fidelity *out;
    bool *slot; /* by offset / SLOT_UNIT */
    bool memory[SPACES];
    bool is_found, changed;
};

static bool fidelity_is_marked(void *context, uint32_t slot)
{
    const struct fidelity_flow *flow = context;
    return slot != 0 && flow->slot[slot / SLOT_UNIT];
}

static bool mark(void *context, uint32_t slot)
{
    struct fidelity_flow *flow = context;
    if (slot != 0 && !flow->slot[slot / SLOT_UNIT])
        flow->slot[slot / SLOT_UNIT] = flow->changed = true;
    return false;
}

/* The kinds of memory that an access may be to: bit n is memory[n]. Parameters and constants hold
   what the kernel was given. */
static uint32_t spaces_of(const struct smc_op *op)
{
    switch (op->space) {
    case SMC_SPACE_SHARED:
        return 1;
    case SMC_SPACE_LOCAL:
        return 2;
    case SMC_SPACE_GLOBAL:
        return 4;
    case SMC_SPACE_GENERIC:
        return 7;
    default:
        return 0;
    }
}

static void mark_memory(struct fidelity_flow *flow, uint32_t spaces)
{
    for (uint32_t i = 0; i < SPACES; i++)
        if (spaces >> i & 1 && !flow->memory[i])
            flow->memory[i] = flow->changed = true;
    flow->out->reaches_result |= spaces >> 2 & 1;
}

static bool has_marked_memory(const struct fidelity_flow *flow, uint32_t spaces)
{
    for (uint32_t i = 0; i < SPACES; i++)
        if (spaces >> i & 1 && flow->memory[i])
            return true;
    return false;
}

static bool fidelity_accesses(const struct smc_op *op)
{
    return op->kind == SMC_OP_LOAD || op->kind == SMC_OP_STORE || op->kind == SMC_OP_ATOMIC ||
           op->kind == SMC_OP_COPY || op->kind == SMC_OP_LOAD_ROWS ||
           op->kind == SMC_OP_STORE_ROWS || op->kind == SMC_OP_LOAD_FRAGMENT ||
           op->kind == SMC_OP_STORE_FRAGMENT;
}

static bool fidelity_stores(const struct smc_op *op)
{
    return fidelity_accesses(op) && op->kind != SMC_OP_LOAD && op->kind != SMC_OP_LOAD_ROWS &&
           op->kind != SMC_OP_LOAD_FRAGMENT;
}

/* A value that is passed to a function may be in any of its parameters, or in any result. */
static void pass_call(struct fidelity_flow *flow, const struct smc_op *op)
{
    const struct smc_program *program = flow->program;
    for (size_t n = 0; n < program->functions; n++)
        for (uint32_t i = 0; i < program->function[n].parameters; i++)
            if (program->function[n].parameter[i].slot != SMC_NO_SLOT)
                mark(flow, program->function[n].parameter[i].slot);
    smc_op_targets(op, mark, flow);
}

static void fidelity_pass(struct fidelity_flow *flow, const struct smc_op *op, bool is_exact)
{
    const bool is_marked = smc_op_sources(op, fidelity_is_marked, flow);
    const bool reads = fidelity_accesses(op) && has_marked_memory(flow, spaces_of(op));
    if (fidelity_accesses(op))
        flow->out->reaches_address |= fidelity_is_marked(flow, op->a);
    if (op->guard != SMC_NO_SLOT)
        flow->out->reaches_branch |= fidelity_is_marked(flow, op->guard);
    if (op->kind == SMC_OP_INDEXED_BRANCH || op->kind == SMC_OP_CALL)
        flow->out->reaches_branch |= fidelity_is_marked(flow, op->a);
    if (is_exact && !is_marked && !reads)
        return;
    if (is_marked && fidelity_stores(op))
        mark_memory(flow, spaces_of(op));
    if (op->kind == SMC_OP_CALL)
        pass_call(flow, op);
    else
        smc_op_targets(op, mark, flow);
}

static bool count_instructions(const struct smc_program *program,
                               const struct smc_emulation *emulation, struct smc_fidelity *out)
{
    for (size_t i = 0; i < emulation->count_length; i++) {
        const uint32_t flags = program->instruction[i].flags;
        const uint64_t executions = emulation->count[i].executions;
        if (flags & SMC_INSTRUCTION_IS_APPROXIMATE)
            out->approximate += executions;
        else if (flags & SMC_INSTRUCTION_HAS_NO_EFFECT)
            out->not_modelled += executions;
        else
            out->exact += executions;
    }
    return out->approximate > 0;
}

bool smc_emulation_find_fidelity(const struct smc_program *program,
                                 const struct smc_emulation *emulation,
                                 struct smc_fidelity *fidelity)
{
    struct fidelity_flow flow = {
        .program = program, .emulation = emulation, .out = fidelity, .changed = true};
    *fidelity = (struct smc_fidelity){0};
    if (!count_instructions(program, emulation, fidelity))
        return true;
    flow.slot = smc_calloc(program->file_bytes / SLOT_UNIT + 1, sizeof *flow.slot);
    while (flow.slot && flow.changed) {
        flow.changed = false;
        for (size_t i = 0; i < program->ops; i++) {
            const uint32_t at = program->op[i].instruction;
            if (emulation->count[at].executions > 0)
                fidelity_pass(&flow, &program->op[i],
                              !(program->instruction[at].flags & SMC_INSTRUCTION_IS_APPROXIMATE));
        }
    }
    const bool worked = flow.slot != NULL;
    free(flow.slot);
    return worked;
}
