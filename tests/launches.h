/* Launches of the catalog's kernels, drawn for tests: tiles 1 to 32, paddings, every type, awkward
   sizes and leading dimensions. The same ones every time. */
#ifndef SMC_TESTS_LAUNCHES_H
#define SMC_TESTS_LAUNCHES_H

#include "rules/catalog.h"

/* Parameters for the kernel's `turn`-th launch, from 0; 64 turns see every tile of two types. To be
   called in a fixed order: `state`, 2026 at first, goes on. */
void launches_draw(const struct smc_kernel *kernel, uint32_t turn, uint64_t *state,
                   struct smc_params *params);

/* What such drawing is made of: a number from `lowest` to `highest`; a parameter given, where the
   kernel takes it. */
int64_t launches_number(uint64_t *state, int64_t lowest, int64_t highest);
void launches_set(const struct smc_kernel *kernel, enum smc_param param, int64_t value,
                  struct smc_params *params);

/* "matmul-tiled tile=8 dtype=double m=1000": kernel and parameters by their option names. */
enum { LAUNCHES_TEXT = 320 };
void launches_describe(const struct smc_kernel *kernel, const struct smc_params *params,
                       char text[LAUNCHES_TEXT]);

#endif
