/* Questions about a program that was read. */
#include "machine/emulator/emulator_program.h"

#include <string.h>

const struct smc_instruction *smc_program_instruction(const struct smc_program *program,
                                                      size_t index)
{
    return &program->instruction[index];
}

size_t smc_program_parameter_count(const struct smc_program *program)
{
    return program->module.parameters;
}

size_t smc_program_parameter_bytes(const struct smc_program *program, size_t index)
{
    return program->module.parameter[index]->bytes;
}

size_t smc_program_parameter_offset(const struct smc_program *program, size_t index)
{
    return program->module.parameter[index]->address;
}

bool smc_program_asks_cooperative(const struct smc_program *program)
{
    return program->asks_cooperative;
}

void smc_program_cluster(const struct smc_program *program, uint32_t cluster[3])
{
    memcpy(cluster, program->module.cluster, sizeof program->module.cluster);
}

uint32_t smc_program_local_bytes(const struct smc_program *program)
{
    return program->local_bytes;
}

const char *smc_program_file(const struct smc_program *program, uint32_t file)
{
    for (size_t i = 0; i < program->module.files; i++)
        if (program->module.file[i].number == file)
            return program->file_name[i];
    return NULL;
}

uint32_t smc_program_static_smem_bytes(const struct smc_program *program)
{
    return program->static_smem_bytes;
}

void smc_mark_targets(const struct smc_program *program, bool *leads)
{
    for (uint32_t i = 0; i < program->ops; i++) {
        const struct smc_op *op = &program->op[i];
        if (op->kind == SMC_OP_BRANCH)
            leads[op->target] = true;
        for (uint32_t k = 0; k < op->target_count; k++)
            leads[op->targets[k]] = true;
    }
}

void smc_mark_leaders(const struct smc_program *program, bool *leads)
{
    leads[0] = true;
    smc_mark_targets(program, leads);
    for (uint32_t i = 0; i < program->ops; i++)
        if (smc_op_ends_flow(&program->op[i]))
            leads[i + 1] = true;
    for (size_t i = 0; i < program->functions; i++)
        if (program->function[i].is_defined)
            leads[program->function[i].first_op] = true;
}

/* --- The operation on shared memory -------------------------------------------------------------
 */

/* Compare-and-swap of 16 bits, and arithmetic on floats, halves and 64 bits are loops. */
static enum smc_bank_op bank_op_of_atomic(const struct smc_op *op)
{
    const bool is_float =
        smc_ptx_is_half(op->type) || smc_ptx_type_info[op->type].class == SMC_CLASS_FLOAT;
    if (op->width_bytes < 4)
        return SMC_BANK_OPS;
    if (op->reduction == SMC_REDUCE_COMPARE_AND_SWAP)
        return SMC_BANK_ATOM_CAS;
    if (op->reduction == SMC_REDUCE_EXCHANGE)
        return SMC_BANK_ATOM_EXCH;
    if (is_float || op->width_bytes > 4)
        return SMC_BANK_OPS;
    if (op->adds_one)
        return SMC_BANK_RED_ONE;
    return op->d_kind == SMC_SLOT_NONE ? SMC_BANK_RED : SMC_BANK_ATOM;
}

enum smc_bank_op smc_op_bank_op(const struct smc_op *op, enum smc_bank_op plain, uint32_t mask)
{
    const uint32_t matrices = (uint32_t)__builtin_popcount(mask) / 8;
    if (smc_op_is_rows(op))
        return smc_bank_matrix_op(plain == SMC_BANK_LOAD, matrices);
    if (op->kind == SMC_OP_ATOMIC)
        return bank_op_of_atomic(op);
    if (op->kind == SMC_OP_COPY)
        return op->skips_l1 ? SMC_BANK_CP_ASYNC_CG : SMC_BANK_CP_ASYNC_CA;
    return plain;
}
