/* Fuzzes the emulator: reads PTX and, where it is understood, runs a small launch of it. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "machine/emulator.h"

enum { ARRAY_BYTES = 4096, MOST_PARAMETERS = 16, MOST_SMEM = 1 << 16, PARAMETER_BYTES = 32768 };

static void emulate(const struct smc_program *program)
{
    static char first[ARRAY_BYTES], second[ARRAY_BYTES];
    static const char zeros[PARAMETER_BYTES];
    struct smc_emulated_array arrays[] = {{.name = "A", .data = first, .bytes = sizeof first},
                                          {.name = "B", .data = second, .bytes = sizeof second}};
    struct smc_emulated_argument arguments[MOST_PARAMETERS] = {{0}};
    size_t count = smc_program_parameter_count(program);
    if (count > MOST_PARAMETERS || smc_program_static_smem_bytes(program) > MOST_SMEM)
        return;
    for (size_t i = 0; i < count; i++) {
        arguments[i].value = zeros;
        arguments[i].is_array = smc_program_parameter_bytes(program, i) == sizeof(uint64_t);
        arguments[i].array = i % 2;
    }
    struct smc_emulation_request request = {.program = program,
                                            .grid = {2, 1, 1},
                                            .block = {40, 2, 1},
                                            .dynamic_smem_bytes = 1024,
                                            .arrays = arrays,
                                            .array_count = 2,
                                            .arguments = arguments,
                                            .argument_count = count,
                                            .banks = {32, 32, 1, false, true},
                                            .threads = 1,
                                            .budget = 2000};
    struct smc_emulation emulation;
    struct smc_error error;
    char text[200];
    smc_emulate(&request, &emulation, &error);
    for (size_t i = 0; i < emulation.finding_count; i++)
        smc_finding_describe(program, &emulation.finding[i], NULL, text, sizeof text);
    smc_emulation_free(&emulation);
}

int fuzz_ptx(const uint8_t *data, size_t size)
{
    struct smc_program *program;
    struct smc_error error = {""};
    if (smc_program_read((const char *)data, size, NULL, &program, &error) == SMC_OK)
        emulate(program);
    else if (!error.message[0] || strchr(error.message, '\n') || strchr(error.message, '\033'))
        abort();
    smc_program_free(program);
    return 0;
}
