/* Fuzzes the search for bank conflicts in PTX: it ends soon, whatever the PTX. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "emulator/bank_accesses.h"

int fuzz_bank_accesses(const uint8_t *data, size_t size)
{
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    char *exact = malloc(size ? size : 1); /* so that a byte too many is seen */
    if (!exact)
        return 0;
    if (size)
        memcpy(exact, data, size);
    const struct smc_bank_accesses_request request = {.ptx = exact,
                                                      .ptx_bytes = size,
                                                      .block = {20, 3, 1},
                                                      .banks = {32, 32, 1, false, true},
                                                      .budget = 2000};
    if (smc_bank_accesses_find(&request, &accesses, &error) != SMC_OK &&
        (!error.message[0] || strchr(error.message, '\n') || strchr(error.message, '\033')))
        abort();
    for (size_t i = 0; i < accesses.count; i++)
        if (accesses.item[i].wavefronts < accesses.item[i].least ||
            accesses.item[i].most_conflicts < accesses.item[i].fewest_conflicts)
            abort();
    smc_bank_accesses_free(&accesses);
    free(exact);
    return 0;
}
