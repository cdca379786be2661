/* Fuzzes the reading of machine code. Build and run: see README.md. */
#include "compile/cubin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t barriers = 0;
    if (smc_cubin_read_barriers(data, size, "k", &barriers) && barriers > 0x7f)
        return -1;
    return 0;
}
