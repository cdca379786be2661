/* Kernels of tests/data/emulator on the emulator. */
#include "stored_kernel.h"

#include <stdio.h>

#include "unit.h"

enum { MOST_ARRAYS = 4, MOST_PTX_BYTES = 1 << 20 };

static size_t read_ptx(const char *name, char ptx[MOST_PTX_BYTES])
{
    char path[512];
    snprintf(path, sizeof path, SMC_SOURCE_DIR "/tests/data/emulator/%s.ptx", name);
    FILE *file = fopen(path, "rb");
    const size_t bytes = file ? fread(ptx, 1, MOST_PTX_BYTES, file) : 0;
    if (file)
        fclose(file);
    CU_ASSERT_FATAL(bytes > 0);
    return bytes;
}

enum smc_status stored_kernel_try(const struct stored_kernel *kernel, struct smc_program **program,
                                  struct smc_emulation *emulation, struct smc_error *error)
{
    static char ptx[MOST_PTX_BYTES];
    struct smc_emulation_request request = kernel->request;
    struct smc_emulated_argument arguments[MOST_ARRAYS] = {{.is_array = false}};
    for (size_t i = 0; i < request.array_count; i++)
        arguments[i] = (struct smc_emulated_argument){.is_array = true, .array = i};
    request.arguments = arguments;
    request.argument_count = request.array_count;
    request.banks = (struct smc_bank_layout){32, 32, 1, false, true};
    *program = NULL;
    *emulation = (struct smc_emulation){.completed = false};
    enum smc_status status =
        smc_program_read(ptx, read_ptx(kernel->file, ptx), kernel->entry, program, error);
    request.program = *program;
    if (status == SMC_OK)
        status = smc_emulate(&request, emulation, error);
    return status;
}

void stored_kernel_run(const struct stored_kernel *kernel, struct smc_program **program,
                       struct smc_emulation *emulation)
{
    struct smc_error error = {""};
    const enum smc_status status = stored_kernel_try(kernel, program, emulation, &error);
    if (status != SMC_OK)
        printf("%s: %s\n", kernel->entry, error.message);
    CU_ASSERT_EQUAL_FATAL(status, SMC_OK);
}

void stored_kernel_end(struct smc_program *program, struct smc_emulation *emulation)
{
    smc_emulation_free(emulation);
    smc_program_free(program);
}
