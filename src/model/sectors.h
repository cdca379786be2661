/* Global memory: the 32-byte sectors that one access of a warp touches. */
#ifndef SMC_MODEL_SECTORS_H
#define SMC_MODEL_SECTORS_H

#include <stdint.h>

enum { SMC_SECTOR_BYTES = 32 };

/* Distinct sectors of the active lanes; bit n of `mask`: lane n is active. Addresses are multiples
   of the width, which is at most a sector. */
uint32_t smc_sectors_count(const uint64_t address[32], uint32_t mask);

#endif
