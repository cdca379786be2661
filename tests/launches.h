/* Launches of the catalog's kernels, drawn for tests: tiles 1 to 32, paddings, every type, awkward
   sizes and leading dimensions. The same ones every time. */
#ifndef SMC_TESTS_LAUNCHES_H
#define SMC_TESTS_LAUNCHES_H

#include "catalog/catalog.h"

/* Parameters for the kernel's `turn`-th launch, from 0; 64 turns see every tile of two types. To be
   called in a fixed order: `state`, 2026 at first, goes on. */
void launches_draw(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                   struct smc_params *params);

#endif
