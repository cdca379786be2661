/* Machine code that is decoded, printed, walked and traced. The first four bytes choose the
   architecture and the launch. */
#include "fuzz.h"

#include <stddef.h>
#include <stdlib.h>

#include "../machine_text.h"
#include "machine/sass/sass_launch.h"

enum { ENTRIES = 512, LINES = 4096, SKIPS = 8 };

static struct smc_warp_trace_entry entries[ENTRIES];
static struct smc_warp_trace_line lines[LINES];
static struct smc_warp_trace_skip skips[SKIPS];

/* The first warps of a launch walk, with a trace or without. */
static void walk(const struct smc_machine_program *program, const uint8_t *choice,
                 const uint8_t *data, size_t bytes)
{
    static unsigned char bank[SMC_MACHINE_CONSTANT_BYTES];
    static struct smc_sass_warp warp;
    static struct smc_patterns patterns;
    static const struct smc_bank_layout layout = {
        .banks = 32, .row_words = 32, .neighbouring_words = 1, .loads_join = true};
    struct smc_machine_launch launch = {
        .program = program,
        .block = {1 + choice[1] % 64, 1 + choice[1] / 64, 1},
        .grid = {1 + choice[2] % 16, 1 + choice[2] / 16 % 4, 1 + choice[2] / 64},
        .constants = bank,
        .constant_bytes = sizeof bank,
        .layout = &layout,
    };
    smc_machine_constants(bank, launch.block, launch.grid, 0x210, data, bytes < 64 ? bytes : 64);
    uint64_t *change = calloc(program->count + 1, sizeof *change);
    struct smc_walk walk = {
        .program = program, .layout = &layout, .most_steps = 20000, .change = change};
    for (uint32_t i = 0; change && i < 8 && i * SMC_LANES < launch.block[0] * launch.block[1];
         i++) {
        struct smc_warp_trace trace = {.entry = entries,
                                       .capacity = ENTRIES,
                                       .line = lines,
                                       .line_capacity = LINES,
                                       .skip = skips,
                                       .skip_capacity = SKIPS,
                                       .patterns = &patterns,
                                       .loop_entries = choice[3]};
        const uint32_t index[3] = {launch.grid[0] - 1, 0, launch.grid[2] - 1};
        struct smc_machine_place place;
        smc_launch_place(&launch, index, i, &place);
        walk.trace = choice[3] & 1 ? &trace : NULL;
        smc_walk_warp(&walk, &place, &warp);
    }
    free(change);
}

int fuzz_machine(const uint8_t *data, size_t bytes)
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
    if (smc_machine_program_follow(&program, false, false, &error) == SMC_OK)
        walk(&program, data, data, bytes);
    smc_machine_program_free(&program);
    return 0;
}
