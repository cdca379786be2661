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
