/* Which registers an op reads, and which it writes. */
#include "machine/emulator/emulator_program.h"

bool smc_op_sources(const struct smc_op *op, smc_slot_visit *visit, void *context)
{
    const uint32_t slot[] = {op->a, op->b, op->c, op->guard};
    const bool loads = op->kind == SMC_OP_LOAD;
    for (size_t i = 0; i < sizeof slot / sizeof *slot; i++)
        if (slot[i] != SMC_NO_SLOT && visit(context, slot[i]))
            return true;
    for (uint32_t i = 0; !loads && i < SMC_MAX_VECTOR; i++)
        if (op->v[i] != SMC_NO_SLOT && visit(context, op->v[i]))
            return true;
    for (uint32_t i = op->written; i < op->listed; i++)
        if (visit(context, op->list[i]))
            return true;
    for (uint32_t i = 0; op->kind == SMC_OP_CALL && i < op->call->arguments; i++)
        if (op->call->argument[i].slot != SMC_NO_SLOT && visit(context, op->call->argument[i].slot))
            return true;
    return false;
}

bool smc_op_targets(const struct smc_op *op, smc_slot_visit *visit, void *context)
{
    if ((op->alu || op->d_kind != SMC_SLOT_NONE) && visit(context, op->d))
        return true;
    for (uint32_t i = 0; op->kind == SMC_OP_LOAD && i < op->vector; i++)
        if (op->v[i] != SMC_NO_SLOT && visit(context, op->v[i]))
            return true;
    for (uint32_t i = 0; i < op->written; i++)
        if (visit(context, op->list[i]))
            return true;
    for (uint32_t i = 0; op->kind == SMC_OP_CALL && i < op->call->results; i++)
        if (op->call->result[i].slot != SMC_NO_SLOT && visit(context, op->call->result[i].slot))
            return true;
    return false;
}
