/* Fuzzes the reading of machine code. */
#include "fuzz.h"

#include <stdlib.h>

#include "code/machine_code.h"

int fuzz_cubin(const uint8_t *data, size_t size)
{
    struct smc_cubin cubin;
    struct smc_error error = {""};
    enum smc_status status = smc_cubin_open(data, size, &cubin, &error);
    if (status != SMC_OK) {
        if (status != SMC_USAGE || !error.message[0])
            abort();
        return 0;
    }
    for (size_t i = 0; i < cubin.kernel_count; i++)
        if (!cubin.kernel[i].name || cubin.kernel[i].regs_per_thread - 1 >= 255)
            abort();
    smc_cubin_close(&cubin);
    return 0;
}
