/* Loads from shared memory in machine code. */
#include "code/machine_code.h"

#include <string.h>

#include "base/memory.h"
#include "rules/devices.h"

enum { INSTRUCTION_BYTES = 16 };

/* The guard predicate !PT, which ptxas emits on some copies. */
enum { NEVER = 0xf };

/* The operation of loads from shared memory, by its lowest nine bits. */
enum { LDS = 0x184 };

static uint64_t machine_code_little_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

enum smc_status smc_machine_code_count(const void *code, size_t bytes, uint16_t cc,
                                       uint64_t loads[SMC_LOAD_WIDTHS], struct smc_error *error)
{
    static const uint8_t widths[8] = {0, 0, 1, 1, 2, 3, 4, SMC_LOAD_WIDTHS}; /* by bits 73 to 75 */
    struct smc_capability capability;
    memset(loads, 0, SMC_LOAD_WIDTHS * sizeof *loads);
    smc_capability_nearest(cc, &capability);
    if (capability.machine_code_format == 0)
        return smc_fail(error, SMC_USAGE,
                        "machine code of sm_%u is not read, only instructions of %d bytes", cc,
                        INSTRUCTION_BYTES);
    if (bytes % INSTRUCTION_BYTES != 0)
        return smc_fail(error, SMC_USAGE, "%zu bytes of machine code are not whole instructions",
                        bytes);
    for (size_t at = 0; at < bytes; at += INSTRUCTION_BYTES) {
        const unsigned char *instruction = (const unsigned char *)code + at;
        const uint64_t low = machine_code_little_endian(instruction);
        const uint64_t high = machine_code_little_endian(instruction + 8);
        const uint8_t width = widths[high >> 9 & 7];
        if ((low & 0x1ff) == LDS && (low >> 12 & 0xf) != NEVER && width < SMC_LOAD_WIDTHS)
            loads[width]++;
    }
    return SMC_OK;
}

enum smc_status smc_machine_code_loads(const void *file, size_t bytes, const char *entry,
                                       uint64_t loads[SMC_LOAD_WIDTHS], struct smc_error *error)
{
    SMC_AUTO(smc_cubin_close) struct smc_cubin cubin = {0};
    SMC_TRY(smc_cubin_open(file, bytes, &cubin, error));
    const struct smc_cubin_kernel *kernel = smc_cubin_kernel(&cubin, entry);
    if (!kernel)
        return smc_fail(error, SMC_USAGE, "the machine code has no kernel %.200s", entry);
    return smc_machine_code_count(kernel->code, kernel->code_bytes, cubin.cc, loads, error);
}
