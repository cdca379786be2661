/* Fuzzes machine code alone. */
#include "fuzz.h"

#include <stdlib.h>

#include "code/inputs.h"

static const struct smc_inspect_kernel kind = {.file = "x", .source = SMC_INSPECT_CUBIN};

/* A damaged file is one line; a valid one has kernels with possible register counts. */
static void read_code(const uint8_t *data, size_t size)
{
    struct smc_inspect_kernels kernels = {0};
    struct smc_error error = {""};
    enum smc_status status = smc_read_cubin(data, size, &kind, &kernels, &error);
    if (status == SMC_USAGE ? kernels.count > 0 || !error.message[0] : status != SMC_OK)
        abort();
    for (size_t i = 0; i < kernels.count; i++)
        if (!kernels.item[i].shown || kernels.item[i].resources.regs_per_thread - 1 >= 255)
            abort();
    smc_user_kernels_free(&kernels);
}

int fuzz_inspect_cubin(const uint8_t *data, size_t size)
{
    read_code(data, size);
    return 0;
}
