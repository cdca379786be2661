/* Fuzzes rows of shared-memory accesses, and what the model and the search make of those that can
   be read. Build and run: see README.md. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/conflict_free.h"
#include "query/banks_row.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* CC 9.0, 3.5 (both modes) and 1.1. */
static const struct smc_bank_layout layouts[] = {
    {32, 32, 1, false, true},
    {32, 64, 1, false, false},
    {32, 64, 2, false, false},
    {16, 16, 1, true, false},
};

static void try_layout(const struct smc_bank_layout *layout, const struct smc_access *access)
{
    static struct smc_bank_map map;
    const uint32_t rows[] = {32, 1 + access->mask % 100};
    struct smc_bank_cost cost = smc_banks_count(layout, access);
    struct smc_conflict_search search = {layout, access, 1, rows, 2};
    struct smc_rearrangement found;
    smc_banks_map(layout, access, &map);
    if (map.cost.wavefronts != cost.wavefronts || cost.wavefronts > SMC_MAX_WAVEFRONTS ||
        cost.least > cost.wavefronts || (cost.wavefronts == 0) != (access->mask == 0))
        abort();
    if (smc_find_padding(&search, &found) &&
        (!smc_conflicts_of(&search, &found, &cost) || cost.least != cost.wavefronts))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smc_banks_row row;
    struct smc_error error = {""};
    char *line = malloc(size ? size : 1); /* not terminated, so that reading on is noticed */
    if (!line)
        return 0;
    if (size)
        memcpy(line, data, size);
    enum smc_status status = smc_banks_row_read(line, size, &row, &error);
    if (row.id != line || row.id_length > size || (status == SMC_OK) != !error.message[0])
        abort();
    for (size_t i = 0; i < 4 && status == SMC_OK; i++) {
        if (smc_access_misaligned(&row.access))
            abort();
        try_layout(&layouts[i], &row.access);
    }
    smc_banks_row_is_header(line, size);
    free(line);
    return 0;
}
