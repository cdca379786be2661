/* Where the words of one access lie in shared memory, row by row of all banks. Pure. */
#ifndef SMC_TUI_BANK_MEMORY_H
#define SMC_TUI_BANK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "model/banks.h"

enum { SMC_MOST_MEMORY_ROWS = SMC_WARP_LANES * 16 / 4 }; /* each word of each lane in its own */

/* The rows that are touched, ascending. */
struct smc_bank_memory {
    uint32_t row_bytes;
    size_t count;
    uint32_t row[SMC_MOST_MEMORY_ROWS];                  /* from 0 on: address / row_bytes */
    uint32_t lanes[SMC_MOST_MEMORY_ROWS][SMC_MAX_BANKS]; /* that touch the bank there */
};

void smc_bank_memory_find(const struct smc_bank_layout *layout, const struct smc_access *access,
                          struct smc_bank_memory *memory);

#endif
