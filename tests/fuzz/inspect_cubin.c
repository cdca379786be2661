/* Fuzzes machine code, alone and within a container. Build and run: see README.md. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspect.h"
#include "inspect/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned char container[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
    const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_CUBIN};
    struct smc_inspect_kernels kernels = {0};
    struct smc_embedded_count count;
    uint64_t bytes = size;
    if (!smc_inspect_cubin(data, size, &kind, &kernels))
        abort();
    for (size_t i = 0; i < kernels.count; i++)
        if (!kernels.item[i].name || !kernels.item[i].shown)
            abort();
    smc_inspect_free(&kernels);
    char *program = malloc(size + 16);
    if (!program)
        return 0;
    memcpy(program, container, sizeof container);
    memcpy(program + sizeof container, &bytes, sizeof bytes);
    if (size)
        memcpy(program + 16, data, size);
    if (!smc_inspect_embedded(program, size + 16, &kind, &kernels, &count))
        abort();
    smc_inspect_free(&kernels);
    free(program);
    return 0;
}
