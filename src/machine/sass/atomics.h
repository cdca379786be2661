/* Atomics of global and shared memory. */
#ifndef SMC_MACHINE_SASS_ATOMICS_H
#define SMC_MACHINE_SASS_ATOMICS_H

#include "machine/sass/sass_warp.h"

/* The addresses of an atomic of global memory; false: one of a lane of `mask` is unknown. */
bool smc_warp_atomic_addresses(const struct smc_sass_warp *warp,
                               const struct smc_sass_instruction *in, uint32_t mask,
                               uint64_t address[SMC_LANES]);

/* Of one lane; 0: not known. */
unsigned smc_atomic_bytes(const struct smc_sass_instruction *in);

/* Whether an atomic adds to an integer of global memory and returns what was there. */
bool smc_atomic_counts(const struct smc_sass_instruction *in);

/* What an atomic makes of a value. False: not known. */
bool smc_atomic_apply(const struct smc_sass_instruction *in, uint64_t before, uint64_t by,
                      uint64_t *after);

#endif
