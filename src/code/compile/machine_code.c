/* Accesses to memory in machine code. */
#include "code/machine_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "rules/devices.h"

enum { INSTRUCTION_BYTES = 16 };

/* From this format on: the machine_code_format of struct smc_capability. */
enum { COPY_WIDTH_OF_2_BITS = 3 };

/* Guard predicates: PT, and its negation, which ptxas emits on some copies. */
enum { ALWAYS = 0x7, NEVER = 0xf };

/* Operations by their lowest nine bits. */
enum { LDG = 0x181, LDS = 0x184, STG = 0x186, STS = 0x188, LDGSTS = 0x1ae };

static uint64_t machine_code_little_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

/* 0: not a width that is read here. */
static uint8_t machine_code_width_of(uint64_t high, bool is_copy, uint32_t format)
{
    static const uint8_t widths[8] = {1, 1, 2, 2, 4, 8, 16, 0}; /* U8, S8, U16, S16, 32, 64, 128 */
    static const uint8_t copied[4] = {4, 8, 16, 0};
    return is_copy && format >= COPY_WIDTH_OF_2_BITS ? copied[high >> 10 & 3]
                                                     : widths[high >> 9 & 7];
}

/* False if the instruction is another one. */
static bool machine_code_decode(const unsigned char *instruction, uint32_t format,
                                struct smc_machine_access *access)
{
    uint64_t low = machine_code_little_endian(instruction),
             high = machine_code_little_endian(instruction + 8);
    unsigned operation = low & 0x1ff, guard = low >> 12 & 0xf;
    if (guard == NEVER)
        return false;
    if (operation != LDG && operation != LDS && operation != STG && operation != STS &&
        operation != LDGSTS)
        return false;
    *access = (struct smc_machine_access){
        .is_shared = operation == LDS || operation == STS,
        .is_store = operation == STG || operation == STS,
        .is_copy = operation == LDGSTS,
        .is_guarded = guard != ALWAYS,
        .width_bytes = machine_code_width_of(high, operation == LDGSTS, format),
        .address_register = (uint8_t)(low >> 24),
        .offset = (int32_t)(low >> 40 << 8) >> 8, /* the sign is bit 63 */
    };
    return access->width_bytes != 0;
}

enum smc_status smc_machine_code_read(const void *code, size_t bytes, uint16_t cc,
                                      struct smc_machine_code *out, struct smc_error *error)
{
    const unsigned char *at = code;
    size_t instructions = bytes / INSTRUCTION_BYTES;
    struct smc_capability capability;
    *out = (struct smc_machine_code){0};
    smc_capability_nearest(cc, &capability);
    if (capability.machine_code_format == 0)
        return smc_fail(error, SMC_USAGE,
                        "machine code of sm_%u is not read, only instructions of %d bytes", cc,
                        INSTRUCTION_BYTES);
    if (bytes % INSTRUCTION_BYTES != 0)
        return smc_fail(error, SMC_USAGE, "%zu bytes of machine code are not whole instructions",
                        bytes);
    out->access = smc_calloc(instructions ? instructions : 1, sizeof *out->access);
    if (!out->access)
        return smc_out_of_memory(error);
    for (size_t i = 0; i < instructions; i++) {
        struct smc_machine_access *next = &out->access[out->count];
        if (machine_code_decode(at + i * INSTRUCTION_BYTES, capability.machine_code_format, next)) {
            next->at = (uint32_t)(i * INSTRUCTION_BYTES);
            out->count++;
        }
    }
    return SMC_OK;
}

enum smc_status smc_machine_code_of(const void *file, size_t bytes, const char *entry,
                                    struct smc_machine_code *out, struct smc_error *error)
{
    struct smc_cubin cubin;
    *out = (struct smc_machine_code){0};
    enum smc_status status = smc_cubin_open(file, bytes, &cubin, error);
    if (status != SMC_OK)
        return status;
    status = smc_fail(error, SMC_USAGE, "the machine code has no kernel %.200s", entry);
    for (size_t i = 0; i < cubin.kernel_count; i++) {
        const struct smc_cubin_kernel *kernel = &cubin.kernel[i];
        if (strcmp(kernel->name, entry) == 0)
            status = smc_machine_code_read(kernel->code, kernel->code_bytes, cubin.cc, out, error);
    }
    smc_cubin_close(&cubin);
    return status;
}

void smc_machine_code_free(struct smc_machine_code *code)
{
    free(code->access);
    *code = (struct smc_machine_code){0};
}

size_t smc_machine_code_count(const struct smc_machine_code *code, bool is_shared, bool is_store,
                              uint32_t width_bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < code->count; i++) {
        const struct smc_machine_access *access = &code->access[i];
        count += access->is_shared == is_shared && access->is_store == is_store &&
                 !access->is_copy && access->width_bytes == width_bytes;
    }
    return count;
}
