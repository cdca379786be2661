/* Fuzzes the search for bank conflicts in PTX: it ends soon, whatever the PTX, and its counts are
   possible. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "machine/bank_accesses.h"

int fuzz_bank_accesses(const uint8_t *data, size_t size)
{
    struct smc_bank_accesses accesses = {0};
    struct smc_error error = {""};
    const struct smc_bank_accesses_request request = {.ptx = (const char *)data,
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
    return 0;
}
