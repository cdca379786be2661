/* Machine code that is decoded, printed, walked and counted. The first four bytes choose the
   architecture and the launch. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "machine/launch.h"
#include "machine/text.h"

static void count(const struct smc_machine_program *program, const uint8_t *choice,
                  const uint8_t *data, size_t bytes)
{
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    static const struct smc_bank_layout layout = {
        .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};
    const uint32_t block[3] = {1 + choice[1] % 64, 1 + choice[1] / 64, 1};
    const uint32_t grid[3] = {1 + choice[2] % 16, 1 + choice[2] / 16 % 4, 1 + choice[2] / 64};
    smc_machine_constants(bank, block, grid, 0x210, data, bytes < 64 ? bytes : 64);
    struct smc_machine_launch launch = {.program = program,
                                        .constants = bank,
                                        .constant_bytes = sizeof bank,
                                        .layout = &layout,
                                        .count_memory = choice[3] & 1,
                                        .precision = choice[3] & 2 ? SMC_PRECISION_EXACT
                                                                   : SMC_PRECISION_QUICK};
    memcpy(launch.block, block, sizeof block);
    memcpy(launch.grid, grid, sizeof grid);
    struct smc_machine_counts counts;
    struct smc_error error;
    if (smc_machine_count(&launch, &counts, &error) == SMC_OK)
        smc_machine_counts_free(&counts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const uint16_t architectures[] = {70, 80, 90, 100};
    struct smc_machine_program program;
    struct smc_error error;
    if (bytes < 4)
        return 0;
    size_t code_bytes = (bytes - 4) / SMC_INSTRUCTION_BYTES * SMC_INSTRUCTION_BYTES;
    if (smc_machine_program_read(data + 4, code_bytes, architectures[data[0] % 4], &program,
                                 &error) != SMC_OK)
        return 0;
    for (uint32_t i = 0; i < program.count; i++) {
        struct smc_text text = {0};
        smc_instruction_write(&program.step[i].in, &text);
        smc_text_free(&text);
    }
    count(&program, data, data, bytes);
    smc_machine_program_free(&program);
    return 0;
}
