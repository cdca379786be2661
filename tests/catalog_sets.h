/* More than 300 sets of parameters for each kernel of the catalog, the same ones every time: what
   is compiled or shapes a block is drawn from the ends and odd places of each parameter's range,
   and each such variant meets twelve problem sizes: 1, one less and one more than a block makes,
   primes, one row, one column, gaps between rows, lengths below the block, a radius above block and
   array. */
#ifndef SMC_TESTS_CATALOG_SETS_H
#define SMC_TESTS_CATALOG_SETS_H

#include "rules/catalog.h"
#include "rules/sm.h"

enum {
    CATALOG_VARIANTS = 29,
    CATALOG_SIZES = 12,
    CATALOG_SETS = CATALOG_VARIANTS * CATALOG_SIZES,
};

struct catalog_sets {
    const struct smc_kernel *kernel;
    size_t count;        /* below CATALOG_SETS only where the generator fails */
    size_t without_room; /* of these ask for more shared memory than a block may have */
    struct smc_params set[CATALOG_SETS]; /* completed, distinct; a variant's sizes in a row */
};

/* For any kernel but the probe. At most one in eight asks for more shared memory than a block of
   `sm` may have, so that refusals are met as well. */
void catalog_sets_make(const struct smc_kernel *kernel, const struct smc_sm *sm,
                       struct catalog_sets *sets);

/* One set of each different text that the compiler gets; returns how many. */
size_t catalog_sets_compiled(const struct catalog_sets *sets,
                             const struct smc_params *compiled[CATALOG_SETS]);

/* What a set computes, for choosing small ones: additions and multiplications, or elements. */
double catalog_set_effort(const struct smc_kernel *kernel, const struct smc_params *params);

#endif
