/* Accesses to local memory: the words of 32 lanes at one address are a line. */
#ifndef SMC_MACHINE_LOCAL_LINES_H
#define SMC_MACHINE_LOCAL_LINES_H

#include "machine/sass/sass_warp.h"

/* Where the lanes access local memory: if that is not known, each at an index of its own. Returns
   how many words each accesses. */
unsigned smc_local_addresses(const struct smc_sass_warp *warp,
                             const struct smc_sass_instruction *in, uint32_t mask,
                             uint64_t address[SMC_LANES]);

/* The places of the lanes' words number `i`. */
void smc_local_place(const uint64_t address[SMC_LANES], unsigned i, uint64_t place[SMC_LANES]);

/* The sectors of an access by the lanes of `mask`. */
unsigned smc_local_sectors(const struct smc_sass_warp *warp, const struct smc_sass_instruction *in,
                           uint32_t mask);

#endif
