/* The table of instructions against the emulator: every example of an instruction that the emulator
   runs is read and run, every other one is refused with the table's words; every decoder has a row.

     ptx_table --page     prints doc/ptx.md
     ptx_table            compares; SMEMCALC_PTX_LIST=FOLDER also writes the modules of what runs */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/emulator.h"
#include "machine/emulator/ptx.h"

/* --- The page --------------------------------------------------------------------------------- */

static void print_page(const struct smc_ptx_instruction *rows, size_t count)
{
    static const char *const support[] = {"exact", "approximate", "refused"};
    const char *section = "";
    puts("# PTX instructions\n\n<!-- Written by `make update-tables`; do not edit. -->\n\n"
         "What the [emulator](emulator.md) does with each instruction of the PTX ISA 9.0:\n\n"
         "- **exact**: the result is the one that the ISA defines, bit for bit; where the ISA\n"
         "  leaves bits open, it is that of the GPU that the note names;\n"
         "- **approximate**: the ISA leaves bits of the result open, and a GPU may return others;\n"
         "- **refused**: a kernel with the instruction is refused before anything runs, by the\n"
         "  instruction's text, its line in the PTX and its line in the source.\n\n"
         "A name stands for all instructions that begin with it, except for those that have a row\n"
         "of their own.");
    for (size_t i = 0; i < count; i++) {
        if (strcmp(section, rows[i].section) != 0)
            printf("\n## %s Instructions\n\n| instruction | | note |\n| --- | --- | --- |\n",
                   section = rows[i].section);
        printf("| `%s` | %s | %s |\n", rows[i].name, support[rows[i].support], rows[i].note);
    }
}

/* --- Examples --------------------------------------------------------------------------------- */

enum { THREADS = 32, ARRAY_BYTES = 8192, LINE = 10 };

static void write_module(const struct smc_ptx_instruction *row, char *text, size_t room)
{
    snprintf(text, room,
             ".version 8.8\n.target %s\n.address_size 64 .func f { ret; }\n"
             ".visible .entry k(.param .u64 out) .maxntid 128, 1, 1\n{\n"
             ".reg .pred %%p<8>; .reg .b16 %%h<8>; .reg .b32 %%r<32>; .reg .b64 %%rd<8>; "
             ".reg .f32 %%f<8>; .shared .align 128 .b8 s[8192];\n"
             "ld.param.u64 %%rd1, [out]; cvta.to.global.u64 %%rd1, %%rd1; mov.u32 %%r27, %%tid.x;\n"
             "mul.wide.u32 %%rd2, %%r27, 128; add.u64 %%rd1, %%rd1, %%rd2; mov.u32 %%r30, s;\n"
             "shl.b32 %%r28, %%r27, 4; add.u32 %%r28, %%r28, %%r30; setp.ne.u32 %%p7, 0, 0;\n"
             "%s\nret;\n}\n",
             strncmp(row->name, "wgmma", 5) == 0 ? "sm_90a" : "sm_100a", row->example);
}

/* The example without its ';', as far as a message quotes it. */
static void refusal_of(const struct smc_ptx_instruction *row, char *message, size_t room)
{
    size_t bytes = strlen(row->example) - 1;
    snprintf(message, room, "PTX line %d: '%.*s' is not supported: %s", LINE,
             (int)(bytes < 200 ? bytes : 200), row->example, row->note);
}

static bool runs(const struct smc_ptx_instruction *row, const struct smc_program *program)
{
    static uint64_t out[ARRAY_BYTES / sizeof(uint64_t)];
    struct smc_emulated_array array = {.name = "out", .data = out, .bytes = sizeof out};
    struct smc_emulated_argument argument = {.is_array = true, .array = 0};
    struct smc_emulation_request request = {.program = program,
                                            .grid = {1, 1, 1},
                                            .block = {THREADS, 1, 1},
                                            .arrays = &array,
                                            .array_count = 1,
                                            .arguments = &argument,
                                            .argument_count = 1,
                                            .banks = {32, 32, 1, false, true},
                                            .threads = 1,
                                            .budget = 1000};
    struct smc_emulation emulation = {0};
    struct smc_error error = {""};
    bool ran = smc_emulate(&request, &emulation, &error) == SMC_OK && emulation.completed;
    if (!ran)
        printf("FAIL: %s does not run: %s\n", row->name, error.message);
    smc_emulation_free(&emulation);
    return ran;
}

static bool write_file(const char *folder, size_t number, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/table-%zu.ptx", folder, number);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    fputs(text, file);
    return fclose(file) == 0;
}

static bool holds(const struct smc_ptx_instruction *row, size_t number)
{
    char text[4096], expected[512];
    const char *folder = getenv("SMEMCALC_PTX_LIST");
    struct smc_program *program = NULL;
    struct smc_error error = {""};
    write_module(row, text, sizeof text);
    enum smc_status status = smc_program_read(text, strlen(text), NULL, &program, &error);
    if (row->support == SMC_INSTRUCTION_REFUSED) {
        refusal_of(row, expected, sizeof expected);
        if (status == SMC_OK || strcmp(error.message, expected) != 0)
            printf("FAIL: %s: expected: %s\n      found: %s\n", row->name, expected, error.message);
        smc_program_free(program);
        return status != SMC_OK && strcmp(error.message, expected) == 0;
    }
    if (status != SMC_OK) {
        printf("FAIL: %s: %s\n", row->name, error.message);
        return false;
    }
    bool ran = runs(row, program);
    smc_program_free(program);
    return ran && (!folder || write_file(folder, number, text));
}

/* --- Decoders --------------------------------------------------------------------------------- */

static bool has_row(const char *name, const struct smc_ptx_instruction *rows, size_t count)
{
    size_t bytes = strlen(name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(rows[i].name, name, bytes) == 0 && strchr(".", rows[i].name[bytes]) &&
            rows[i].support != SMC_INSTRUCTION_REFUSED)
            return true;
    return false;
}

static size_t count_without_row(const struct smc_ptx_instruction *rows, size_t count)
{
    static const char *const names[] = {
#define MNEMONIC(name, decoder, flags) name,
#include "machine/emulator/mnemonics.def"
    };
    size_t missing = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!has_row(names[i], rows, count)) {
            printf("FAIL: %s has a decoder, and no row that is not refused\n", names[i]);
            missing++;
        }
    return missing;
}

int main(int argc, char **argv)
{
    size_t count, passed = 0;
    const struct smc_ptx_instruction *rows = smc_ptx_instructions(&count);
    if (argc == 2 && strcmp(argv[1], "--page") == 0) {
        print_page(rows, count);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        passed += holds(&rows[i], i);
    size_t failed = count - passed + count_without_row(rows, count);
    printf("%zu passed, %zu failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
