/* Fuzzes machine code, alone and as a part of a program, and containers of such parts. Build and
   run: see README.md. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "inspect/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_CUBIN};

/* Damaged is one line; sound is a list of kernels that can be. */
static void read_code(const uint8_t *data, size_t size)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    enum smc_status status = smc_inspect_cubin(data, size, &kind, &kernels, &error);
    if (status == SMC_USAGE ? kernels.count > 0 || !error.message[0] : status != SMC_OK)
        abort();
    for (size_t i = 0; i < kernels.count; i++)
        if (!kernels.item[i].shown || kernels.item[i].resources.regs_per_thread - 1 >= 255)
            abort();
    smc_inspect_free(&kernels);
}

static void read_program(const uint8_t *data, size_t size)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_embedded_count count;
    struct smc_text faults = {0};
    if (!smc_inspect_embedded(data, size, &kind, &kernels, &count, &faults))
        abort();
    smc_inspect_free(&kernels);
    smc_text_free(&faults);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct {
        unsigned char container[8];
        uint64_t bytes;
        uint16_t kind, version;
        uint32_t part_head_bytes;
        uint64_t part_bytes, rest[6];
    } head = {{0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0}, size + 64, 2, 0x101, 64, size, {0}};
    read_code(data, size);
    read_program(data, size);
    uint8_t *program = malloc(size + sizeof head);
    if (!program)
        return 0;
    memcpy(program, &head, sizeof head);
    if (size)
        memcpy(program + sizeof head, data, size);
    read_program(program, size + sizeof head);
    free(program);
    return 0;
}
