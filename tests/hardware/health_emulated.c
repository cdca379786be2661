/* Runs the kernels of smemcalc check on the emulator. */
#include "health_emulated.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "hardware/executor.h"
#include "rules/catalog.h"
#include "rules/devices.h"

static const struct smc_compile_options with_ptx = {.ptx_suffices = true};

/* The program `entry` of a kernel's file. */
static enum smc_status health_emulated_read_program(const struct smc_kernel *kernel,
                                                    const char *entry, uint16_t cc,
                                                    struct smc_program **program,
                                                    struct smc_error *error)
{
    struct smc_params params = {0};
    struct smc_compiled compiled = {0};
    enum smc_status status =
        smc_compile(&(struct smc_compile_request){kernel, &params, cc, &with_ptx},
                    &compiled.resources, &compiled.binary, NULL, error);
    if (status == SMC_OK)
        status =
            smc_program_read(compiled.binary.ptx, compiled.binary.ptx_bytes, entry, program, error);
    smc_binary_free(&compiled.binary);
    return status;
}

static enum smc_status health_emulated_launch(struct smc_emulation_request *request,
                                              uint32_t blocks, uint32_t threads,
                                              struct smc_error *error)
{
    struct smc_emulation emulation;
    for (int i = 0; i < 3; i++) {
        request->grid[i] = i == 0 ? blocks : 1;
        request->block[i] = i == 0 ? threads : 1;
    }
    request->banks =
        (struct smc_bank_layout){.banks = 32, .row_words = 32, .neighbouring_words = 1};
    request->unchecked = true;
    enum smc_status status = smc_emulate(request, &emulation, error);
    if (status != SMC_OK)
        return status;
    if (emulation.findings_total > 0) {
        char text[512];
        smc_finding_describe(request->program, &emulation.finding[0], NULL, text, sizeof text);
        status = smc_fail(error, SMC_MACHINE, "%s", text);
    }
    smc_emulation_free(&emulation);
    return status;
}

enum smc_status smc_health_emulate_sms(uint16_t cc, uint32_t sms, uint32_t words,
                                       const struct smc_health_injection *injection,
                                       struct smc_health_seen *seen, uint32_t *chains,
                                       struct smc_error *error)
{
    struct smc_program *program = NULL;
    const struct smc_emulated_array arrays[] = {
        {.name = "seen", .data = seen, .bytes = sms * sizeof *seen},
        {.name = "chains", .data = chains, .bytes = (uint64_t)sms * SMC_HEALTH_EMULATED_BYTES},
    };
    const struct smc_emulated_argument arguments[] = {
        {.is_array = true, .array = 0},
        {.is_array = true, .array = 1},
        {.value = &words},
        {.value = injection},
    };
    enum smc_status status = health_emulated_read_program(
        &smc_kernel_health_sms, smc_kernel_health_sms.entry, cc, &program, error);
    if (status != SMC_OK)
        return status;
    memset(seen, 0xff, sms * sizeof *seen);
    struct smc_emulation_request request = {
        .program = program,
        .dynamic_smem_bytes = words * (uint32_t)sizeof(uint32_t),
        .arrays = arrays,
        .array_count = 2,
        .arguments = arguments,
        .argument_count = 4,
        .sm_count = sms,
    };
    status = health_emulated_launch(&request, sms, SMC_HEALTH_THREADS, error);
    smc_program_free(program);
    return status;
}

/* --- Memory ----------------------------------------------------------------------------------- */

enum { MEMORY_THREADS = 256, MEMORY_BLOCKS = 4 };

struct memory {
    struct smc_emulated_array array[2]; /* data, found */
    uint64_t units;
    uint32_t inverse, mask;
    uint64_t word;
};

/* On one thread of the CPU, so that wrong words are listed in the same order each time. */
static enum smc_status run_entry(const char *entry, uint16_t cc, const struct memory *memory,
                                 const struct smc_emulated_argument *arguments, size_t count,
                                 uint32_t blocks, uint32_t threads, struct smc_error *error)
{
    struct smc_program *program = NULL;
    enum smc_status status =
        health_emulated_read_program(&smc_kernel_health_memory, entry, cc, &program, error);
    if (status != SMC_OK)
        return status;
    struct smc_emulation_request request = {
        .program = program,
        .arrays = memory->array,
        .array_count = 2,
        .arguments = arguments,
        .argument_count = count,
        .threads = 1,
    };
    status = health_emulated_launch(&request, blocks, threads, error);
    smc_program_free(program);
    return status;
}

/* Writes the array, changes a word if there is a mask, and reads the array. */
static enum smc_status run_pass(uint16_t cc, const struct memory *memory, struct smc_error *error)
{
    const struct smc_emulated_argument of_flip[] = {
        {.is_array = true, .array = 0, .offset = memory->word * sizeof(uint32_t)},
        {.value = &memory->mask},
    };
    const struct smc_emulated_argument of_read[] = {
        {.is_array = true, .array = 0},
        {.value = &memory->units},
        {.value = &memory->inverse},
        {.is_array = true, .array = 1},
    };
    enum smc_status status = run_entry("health_write", cc, memory, of_read, 3, MEMORY_BLOCKS,
                                       MEMORY_THREADS, error); /* `found` is not an argument */
    if (status == SMC_OK && memory->mask)
        status = run_entry("health_flip", cc, memory, of_flip, 2, 1, 1, error);
    if (status == SMC_OK)
        status =
            run_entry("health_read", cc, memory, of_read, 4, MEMORY_BLOCKS, MEMORY_THREADS, error);
    return status;
}

enum smc_status smc_health_emulate_memory(uint16_t cc, uint64_t bytes, uint64_t word, uint32_t mask,
                                          struct smc_health_found *found, uint64_t *base,
                                          struct smc_error *error)
{
    struct memory memory = {.units = bytes / 16, .mask = mask, .word = word};
    uint64_t address[2];
    void *data = smc_calloc(1, bytes);
    if (!data)
        return smc_out_of_memory(error);
    memory.array[0] = (struct smc_emulated_array){.name = "data", .data = data, .bytes = bytes};
    memory.array[1] =
        (struct smc_emulated_array){.name = "found", .data = found, .bytes = sizeof *found};
    smc_emulated_addresses(memory.array, 2, address);
    *base = address[0];
    *found = (struct smc_health_found){0};
    enum smc_status status = SMC_OK;
    for (int pass = 0; pass < 2 && status == SMC_OK; pass++) {
        memory.inverse = pass ? UINT32_MAX : 0;
        status = run_pass(cc, &memory, error);
    }
    free(data);
    return status;
}

/* --- Kernels of the catalog ------------------------------------------------------------------- */

static void free_outputs(void **outputs)
{
    for (size_t i = 0; i < SMC_MAX_BUFFERS; i++)
        free(outputs[i]);
}

static enum smc_status allocate_outputs(const struct smc_plan *plan, void **outputs,
                                        struct smc_error *error)
{
    for (size_t i = 0; i < plan->buffer_count; i++) {
        const struct smc_buffer *buffer = &plan->buffer[i];
        if (!buffer->output)
            continue;
        outputs[i] = smc_malloc(buffer->elements * smc_dtype_bytes(buffer->dtype));
        if (!outputs[i])
            return smc_out_of_memory(error);
    }
    return SMC_OK;
}

static enum smc_status run_answer(const struct smc_answer *answer,
                                  const struct smc_compiled *compiled, uint64_t *hash,
                                  struct smc_error *error)
{
    void *outputs[SMC_MAX_BUFFERS] = {NULL};
    struct smc_text warnings = {0};
    const struct smc_run_settings settings = {
        .place = SMC_ON_EMULATOR, .seed = SMC_HEALTH_SEED, .check_ms = 1};
    const struct smc_run_request request = {
        .answer = answer, .compiled = compiled, .settings = &settings, .outputs = outputs};
    struct smc_run_result *result = smc_calloc(1, sizeof *result);
    if (!result)
        return smc_out_of_memory(error);
    enum smc_status status = allocate_outputs(&answer->plan, outputs, error);
    if (status == SMC_OK)
        status = smc_executor_emulator.run(&request, result, &warnings, error);
    if (status == SMC_OK && (!result->emulation.succeeded || !result->check.succeeded))
        status = smc_fail(error, SMC_MACHINE, "%s: the emulator's result is wrong",
                          answer->query.kernel->name);
    if (status == SMC_OK)
        *hash = smc_health_hash(&answer->plan, (const void *const *)outputs);
    free_outputs(outputs);
    free(result);
    smc_text_free(&warnings);
    return status;
}

enum smc_status smc_health_emulate_case(const char *kernel, const char *options, uint16_t cc,
                                        uint64_t *hash, struct smc_error *error)
{
    struct smc_query query;
    struct smc_capability capability;
    struct smc_compiled compiled = {0};
    struct smc_text warnings = {0};
    struct smc_answer *answer = smc_calloc(1, sizeof *answer);
    if (!answer)
        return smc_out_of_memory(error);
    enum smc_status status = SMC_OK;
    if (!smc_health_read_case(kernel, options, &query) || !smc_capability_find(cc, &capability))
        status = smc_fail(error, SMC_USAGE, "'%s %s' is not understood", kernel, options);
    if (status == SMC_OK) {
        smc_device_of_capability(&capability, &query.device);
        status = smc_run_answer(&query, SMC_ON_EMULATOR, answer, &compiled, &warnings, error);
    }
    if (status == SMC_OK)
        status = run_answer(answer, &compiled, hash, error);
    smc_binary_free(&compiled.binary);
    smc_text_free(&warnings);
    free(answer);
    return status;
}
