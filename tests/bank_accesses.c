/* Bank conflicts found without running a kernel equal those that the emulator counts, instruction
   by instruction: for every kernel of tests/bank_kernels, and for those of the catalog. A line
   "// @ name block 32 8 1 grid 2 2 1 smem 0 args 64" before a kernel tells its launch.
     tests/bank_accesses [-v] [FILE.cu...]
   Of the launches of the catalog's kernels a share; with TEST_WHOLE=1 all. Without an NVRTC: exit
   status 77. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "code/inputs.h"
#include "code/nvrtc.h"
#include "hardware/executor.h"
#include "launches.h"
#include "machine/bank_accesses.h"
#include "machine/emulator.h"
#include "rules/devices.h"
#include "share.h"
#include "temporary.h"

enum { ARRAY_BYTES = 1 << 20, MOST_PARAMETERS = 16, NAME = 64 };
enum { SETS_OF_A_KERNEL = 10, SHARE = 3 };

static const uint16_t ccs[] = {90, 75};
static bool verbose;

struct launch {
    char name[NAME];
    uint32_t grid[3], block[3], smem_bytes;
    int32_t argument[MOST_PARAMETERS];
    unsigned arguments;
};

struct tally {
    unsigned kernels, accesses, followed, exact, wrong;
};

static struct smc_bank_layout layout_of(uint16_t cc)
{
    struct smc_capability capability;
    struct smc_device device;
    struct smc_bank_layout layout;
    smc_capability_find(cc, &capability);
    smc_device_of_capability(&capability, &device);
    smc_bank_layout_of(&device.sm, SMC_BANK_MODE_4_BYTES, &layout);
    return layout;
}

/* --- One access ------------------------------------------------------------------------------- */

/* With atomics of one instruction among the loads. */
static struct smc_emulated_count with_atomics(const struct smc_emulated_count *count)
{
    struct smc_emulated_count all = *count;
    all.shared_loads += count->shared_atomics - count->atomic_loops;
    all.load_wavefronts += count->atomic_wavefronts;
    all.least_wavefronts += count->least_atomic_wavefronts;
    return all;
}

static uint64_t executions_of(const struct smc_emulated_count *count)
{
    return count->shared_loads + count->shared_stores;
}

static bool agrees(const struct smc_bank_accesses *accesses, const struct smc_bank_access *access,
                   const struct smc_emulated_count *count, uint64_t blocks)
{
    uint64_t executions = executions_of(count), conflicts = smc_emulated_conflicts(count);
    if (access->verdict == SMC_BANK_NOT_REACHED)
        return executions == 0;
    if (accesses->counts_are_exact && access->verdict == SMC_BANK_KNOWN)
        return executions == blocks * access->executions &&
               smc_emulated_wavefronts(count) == blocks * access->wavefronts &&
               count->least_wavefronts == blocks * access->least;
    return (conflicts >= executions * access->fewest_conflicts ||
            access->verdict == SMC_BANK_IF_ALL_ACTIVE) &&
           conflicts <= executions * access->most_conflicts;
}

static void show(const char *what, const struct smc_bank_access *access,
                 const struct smc_emulated_count *count)
{
    printf("%s: %s at PTX line %u, line %u: %s%s%s; %" PRIu64 " executions, conflicts %" PRIu64
           " (%u to %u each); emulated %" PRIu64 " executions, %" PRIu64 " conflicts\n",
           what, access->operation, access->ptx_line, access->line,
           smc_bank_verdict_name(access->verdict), access->reason ? ": " : "",
           access->reason ? access->reason : "", access->executions,
           access->wavefronts - access->least, access->fewest_conflicts, access->most_conflicts,
           executions_of(count), smc_emulated_conflicts(count));
}

static const struct smc_bank_access *find_access(const struct smc_bank_accesses *accesses,
                                                 uint32_t ptx_line)
{
    for (size_t i = 0; i < accesses->count; i++)
        if (accesses->item[i].ptx_line == ptx_line)
            return &accesses->item[i];
    return NULL;
}

static void compare(const char *name, const struct smc_bank_accesses *accesses,
                    const struct smc_program *program, const struct smc_emulation *emulation,
                    struct tally *tally)
{
    unsigned wrong = tally->wrong;
    for (size_t i = 0; i < emulation->count_length; i++) {
        const struct smc_emulated_count all = with_atomics(&emulation->count[i]), *count = &all;
        uint32_t line = smc_program_instruction(program, i)->ptx_line;
        const struct smc_bank_access *access = find_access(accesses, line);
        if (!access) {
            tally->wrong += executions_of(count) > 0;
            if (executions_of(count))
                printf("FAIL: %s: the access at PTX line %u is missing\n", name, line);
            continue;
        }
        if (access->verdict == SMC_BANK_ATOMIC)
            continue;
        tally->accesses++;
        bool followed = access->verdict != SMC_BANK_NOT_FOLLOWED;
        bool right = !followed || agrees(accesses, access, count, emulation->blocks_run);
        tally->followed += followed;
        tally->exact += followed && access->fewest_conflicts == access->most_conflicts;
        tally->wrong += !right;
        if (!right || verbose)
            show(!right ? "FAIL" : followed ? "ok" : "--", access, count);
    }
    tally->kernels++;
    if (tally->wrong > wrong || verbose)
        printf("%s: %s, %zu accesses\n", name,
               accesses->counts_are_exact ? "exact" : "not all branches known", accesses->count);
}

/* --- Kernels of a file ------------------------------------------------------------------------ */

static bool emulate(const struct launch *launch, const struct smc_program *program, uint16_t cc,
                    struct smc_emulation *emulation)
{
    static char memory[MOST_PARAMETERS][ARRAY_BYTES];
    struct smc_emulated_array arrays[MOST_PARAMETERS];
    struct smc_emulated_argument arguments[MOST_PARAMETERS] = {{0}};
    size_t count = smc_program_parameter_count(program), array_count = 0, used = 0;
    struct smc_error error = {""};
    for (size_t i = 0; i < count && i < MOST_PARAMETERS; i++) {
        arguments[i].is_array = smc_program_parameter_bytes(program, i) == sizeof(uint64_t);
        arguments[i].array = array_count;
        arguments[i].value = &launch->argument[used < MOST_PARAMETERS ? used : 0];
        used += !arguments[i].is_array;
        if (!arguments[i].is_array)
            continue;
        for (size_t k = 0; k < ARRAY_BYTES; k++)
            memory[array_count][k] = (char)(k % 4 ? 0 : k / 4 * 7 % 61);
        arrays[array_count] = (struct smc_emulated_array){
            .name = "a", .data = memory[array_count], .bytes = ARRAY_BYTES};
        array_count++;
    }
    struct smc_emulation_request request = {.program = program,
                                            .dynamic_smem_bytes = launch->smem_bytes,
                                            .arrays = arrays,
                                            .array_count = array_count,
                                            .arguments = arguments,
                                            .argument_count = count,
                                            .banks = layout_of(cc),
                                            .threads = 1,
                                            .unchecked = true};
    memcpy(request.grid, launch->grid, sizeof request.grid);
    memcpy(request.block, launch->block, sizeof request.block);
    if (smc_emulate(&request, emulation, &error) == SMC_OK && emulation->completed)
        return true;
    printf("FAIL: %s cannot be emulated: %s\n", launch->name, error.message);
    return false;
}

static void try_kernel(const struct launch *launch, const struct smc_text *ptx, uint16_t cc,
                       struct tally *tally)
{
    struct smc_program *program = NULL;
    struct smc_emulation emulation = {0};
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    struct smc_bank_accesses_request request = {.ptx = smc_text_string(ptx),
                                                .ptx_bytes = strlen(smc_text_string(ptx)),
                                                .entry = launch->name,
                                                .dynamic_smem_bytes = launch->smem_bytes,
                                                .banks = layout_of(cc)};
    memcpy(request.block, launch->block, sizeof request.block);
    bool worked = smc_program_read(request.ptx, request.ptx_bytes, launch->name, &program,
                                   &error) == SMC_OK &&
                  smc_bank_accesses_find(&request, &accesses, &error) == SMC_OK;
    if (!worked)
        printf("FAIL: %s: %s\n", launch->name, error.message);
    else if (emulate(launch, program, cc, &emulation))
        compare(launch->name, &accesses, program, &emulation, tally);
    else
        worked = false;
    tally->wrong += !worked;
    smc_emulation_free(&emulation);
    smc_bank_accesses_free(&accesses);
    smc_program_free(program);
}

/* Reads " block 32 8 1 grid 2 2 1 smem 0 args 64" up to the end of the line. */
static void read_launch(const char *at, struct launch *launch)
{
    int used = 0, value;
    *launch = (struct launch){.grid = {1, 1, 1}, .block = {32, 1, 1}};
    sscanf(at, " %63s%n", launch->name, &used);
    at += used;
    char word[NAME];
    while (*at && *at != '\n' && sscanf(at, " %63[a-z]%n", word, &used) == 1) {
        uint32_t *to = strcmp(word, "block") == 0  ? launch->block
                       : strcmp(word, "grid") == 0 ? launch->grid
                       : strcmp(word, "smem") == 0 ? &launch->smem_bytes
                                                   : NULL;
        at += used;
        while (*(at += strspn(at, " ")) != '\n' && sscanf(at, "%d%n", &value, &used) == 1) {
            at += used;
            if (to)
                *to++ = (uint32_t)value;
            else if (launch->arguments < MOST_PARAMETERS)
                launch->argument[launch->arguments++] = value;
        }
    }
}

static void try_file(const char *file, const struct smc_nvrtc *nvrtc, uint16_t cc,
                     struct tally *tally)
{
    struct smc_text source = {0}, options = {0};
    struct smc_error error = {""};
    struct smc_nvrtc_output output = {0};
    smc_text_printf(&options, "--gpu-architecture=sm_%u\n--std=c++17\n-lineinfo\n", cc);
    if (smc_input_read(file, &source, &error) != SMC_OK ||
        smc_nvrtc_compile(nvrtc, smc_text_string(&source), file, smc_text_string(&options),
                          &output) != SMC_NVRTC_COMPILED) {
        printf("FAIL: %s: %s%s\n", file, error.message, smc_text_string(&output.log));
        tally->wrong++;
    }
    const char *at = output.ptx.length ? smc_text_string(&source) : "";
    while ((at = strstr(at, "// @"))) {
        struct launch launch;
        at += strlen("// @");
        read_launch(at, &launch);
        try_kernel(&launch, &output.ptx, cc, tally);
    }
    smc_nvrtc_output_free(&output);
    smc_text_free(&source);
    smc_text_free(&options);
}

/* --- The catalog ------------------------------------------------------------------------------ */

/* The emulator's counts of one line, against the sums of the accesses that were compiled from it.
 */
static void compare_line(const struct smc_kernel *kernel, const struct smc_bank_accesses *accesses,
                         uint64_t blocks, const struct smc_annotated_line *line,
                         struct tally *tally)
{
    const struct smc_emulated_count all = with_atomics(&line->count);
    uint64_t executions = executions_of(&all), wavefronts = 0, least = 0, most = 0;
    uint64_t conflicts = smc_emulated_conflicts(&all), fewest = UINT64_MAX;
    bool known = true, exact = accesses->counts_are_exact;
    for (size_t i = 0; i < accesses->count; i++) {
        const struct smc_bank_access *access = &accesses->item[i];
        if (access->line != line->line || access->verdict == SMC_BANK_ATOMIC)
            continue;
        tally->accesses++;
        tally->followed += access->verdict != SMC_BANK_NOT_FOLLOWED;
        known &= access->verdict == SMC_BANK_KNOWN || access->verdict == SMC_BANK_NOT_REACHED;
        wavefronts += access->wavefronts;
        least += access->least;
        fewest = access->fewest_conflicts < fewest ? access->fewest_conflicts : fewest;
        most = access->most_conflicts > most ? access->most_conflicts : most;
    }
    if (!known || executions == 0)
        return;
    bool right = exact ? smc_emulated_wavefronts(&all) == blocks * wavefronts &&
                             all.least_wavefronts == blocks * least
                       : conflicts >= executions * fewest && conflicts <= executions * most;
    tally->exact += exact || fewest == most;
    tally->wrong += !right;
    if (!right)
        printf("FAIL: %s, line %u: %" PRIu64 " conflicts emulated, %" PRIu64 " to %" PRIu64
               " expected\n",
               kernel->name, line->line, conflicts,
               exact ? blocks * (wavefronts - least) : executions * fewest,
               exact ? blocks * (wavefronts - least) : executions * most);
}

static void try_catalog_set(const struct smc_kernel *kernel, const struct smc_params *params,
                            uint16_t cc, struct tally *tally)
{
    static struct smc_answer answer; /* too large for the stack */
    static struct smc_run_result result;
    struct smc_query query;
    struct smc_capability capability;
    struct smc_error error = {""};
    struct smc_annotation annotation = {0};
    struct smc_bank_accesses accesses = {0};
    struct smc_compiled compiled;
    smc_query_init(&query);
    query.kernel = kernel;
    query.params = *params;
    smc_capability_find(cc, &capability);
    smc_device_of_capability(&capability, &query.device);
    const struct smc_run_settings settings = {
        .place = SMC_ON_EMULATOR, .seed = 1, .annotation = &annotation};
    const struct smc_run_request request = {
        .answer = &answer, .compiled = &compiled, .settings = &settings};
    enum smc_status status =
        smc_run_answer(&query, SMC_ON_EMULATOR, &answer, &compiled, NULL, &error);
    if (status == SMC_OK && answer.outcome == SMC_LAUNCHES)
        status = smc_executor_emulator.run(&request, &result, NULL, &error);
    struct smc_bank_accesses_request ask = {
        .ptx = compiled.binary.ptx, .ptx_bytes = compiled.binary.ptx_bytes, .banks = layout_of(cc)};
    memcpy(ask.block, answer.plan.block, sizeof ask.block);
    if (status == SMC_OK && answer.outcome == SMC_LAUNCHES)
        status = smc_bank_accesses_find(&ask, &accesses, &error);
    for (size_t i = 0; status == SMC_OK && i < annotation.hottest_count; i++)
        compare_line(kernel, &accesses, answer.plan.grid_blocks, annotation.hottest[i], tally);
    if (status != SMC_OK)
        printf("FAIL: %s: %s\n", kernel->name, error.message);
    tally->wrong += status != SMC_OK;
    tally->kernels++;
    smc_bank_accesses_free(&accesses);
    smc_annotation_free(&annotation);
    smc_binary_free(&compiled.binary);
}

static void try_catalog(struct tally *tally)
{
    uint64_t state = 2026;
    for (size_t i = 0; i < smc_kernel_count(); i++)
        for (uint32_t turn = 0; turn < SETS_OF_A_KERNEL; turn++) {
            struct smc_params params;
            launches_draw(smc_kernel_at(i), 7 * turn, &state, &params);
            if (share_has(turn + i, SHARE))
                try_catalog_set(smc_kernel_at(i), &params, ccs[turn % 2], tally);
        }
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"access.cu", "matmul.cu", "reduce.cu", "transpose.cu"};
    static struct smc_nvrtc_search search;
    struct smc_nvrtc nvrtc;
    struct smc_nvrtc_info info;
    struct smc_error error = {""};
    struct tally tally = {0};
    const char *folder = getenv("srcdir") ? getenv("srcdir") : "..";
    int first = 1;
    struct smc_text warnings = {0};
    struct smc_cache cache;
    struct temporary temporary;
    smc_cache_open(&cache, true, &warnings);
    const struct smc_nvrtc_place *place = smc_nvrtc_find(&cache, 90, &search);
    smc_text_free(&warnings);
    if (!place || smc_nvrtc_open(place->info.path, &nvrtc, &info, &error) != SMC_OK) {
        printf("no NVRTC: %s\n0 passed, 0 failed, 1 skipped\n", error.message);
        return 77;
    }
    temporary_begin(&temporary);
    verbose = argc > 1 && strcmp(argv[1], "-v") == 0;
    first += verbose;
    for (size_t c = 0; c < sizeof ccs / sizeof *ccs; c++) {
        for (int i = first; i < argc; i++)
            try_file(argv[i], &nvrtc, ccs[c], &tally);
        for (size_t i = 0; first == argc && i < sizeof files / sizeof *files; i++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/tests/bank_kernels/%s", folder, files[i]);
            try_file(path, &nvrtc, ccs[c], &tally);
        }
    }
    if (first == argc) {
        try_catalog(&tally);
        share_print("launches of the catalog's kernels");
    }
    temporary_end(&temporary);
    printf("%u kernels, %u accesses: %u followed, %u with the same cost in every execution\n",
           tally.kernels, tally.accesses, tally.followed, tally.exact);
    printf("%u passed, %u failed, 0 skipped\n", tally.accesses, tally.wrong);
    return tally.wrong != 0;
}
